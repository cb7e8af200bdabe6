# distutils: include_dirs = engine2d/solve enginecore
"""Booking a step of large islands; large_books.pxd has the contract."""

from libc.stdint cimport int32_t

from enginecore.scalar cimport greater, lesser

cdef void book_step(StepContext* ctx, LargeWorkspace* work, double friction) noexcept nogil:
    cdef int32_t k
    cdef double contacts = 0.0
    for k in range(work.n_islands):
        contacts += work.accounts[k].contacts
        ctx.books.driven += work.accounts[k].work
    friction = greater(lesser(friction, 0.0), lesser(contacts, 0.0))
    ctx.books.friction += friction
    if contacts - friction < 0.0:
        ctx.books.impacts += contacts - friction
    else:
        ctx.books.normal += contacts - friction
