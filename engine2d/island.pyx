"""Islands: bodies that push each other, and the contacts through which they do.

An island is awake if any of its bodies is: what touches something awake wakes with it.
"""

import numpy as np

from enginecore.cells cimport address
from engine2d.body cimport AWAKE, DYNAMIC
from engine2d.contact cimport SENSOR, Contact


cdef inline int32_t root_of(int32_t* parent, int32_t row) noexcept nogil:
    """The first row of a group, halving the way to it for the next one who asks."""
    while parent[row] != row:
        parent[row] = parent[parent[row]]
        row = parent[row]
    return row


cdef inline void join(int32_t* parent, int32_t a, int32_t b) noexcept nogil:
    """One group of two; its root is the lower row, whatever the order of joining."""
    a = root_of(parent, a)
    b = root_of(parent, b)
    if a < b:
        parent[b] = a
    else:
        parent[a] = b


cdef inline int32_t mover(const StepContext* ctx, const Contact* c) noexcept nogil:
    """A dynamic body of a contact."""
    return c.a if ctx.bodies[c.a].kind == DYNAMIC else c.b


cdef class IslandStore:

    def __cinit__(self):
        self.arrays = {}
        self.reserve(64, 128)

    cdef int reserve(self, int32_t n_bodies, int32_t n_contacts) except -1:
        """Make room for the islands of that many bodies and contacts."""
        arrays = self.arrays
        if n_bodies > self.room_bodies:
            self.room_bodies = 2 * n_bodies
            for name in ("bodies", "parent", "number"):
                arrays[name] = np.zeros(self.room_bodies, np.int32)
            arrays["islands"] = np.zeros(self.room_bodies * sizeof(Island), np.uint8)
            arrays["is_large"] = np.zeros(self.room_bodies, np.uint8)
            self.is_large = <uint8_t*> address(arrays["is_large"])
            self.bodies = <int32_t*> address(arrays["bodies"])
            self.parent = <int32_t*> address(arrays["parent"])
            self.number = <int32_t*> address(arrays["number"])
            self.islands = <Island*> address(arrays["islands"])
        if n_contacts > self.room_contacts:
            self.room_contacts = 2 * n_contacts
            arrays["contacts"] = np.zeros(self.room_contacts, np.int32)
            self.contacts = <int32_t*> address(arrays["contacts"])
        return 0

    cdef void build(self, StepContext* ctx) noexcept nogil:
        """The stage: awake islands, in the order of their lowest rows; wakes what they touch."""
        cdef int32_t row, k, root, at_body = 0, at_contact = 0
        cdef Contact* c
        cdef int32_t* awake = self.bodies     # by root, until the lists are written
        # join
        for row in range(ctx.n_bodies):
            self.parent[row] = row
            self.number[row] = -1
        for k in range(ctx.n_contacts):
            c = &ctx.contacts[k]
            if c.flags & SENSOR:
                continue
            if ctx.bodies[c.a].kind == DYNAMIC and ctx.bodies[c.b].kind == DYNAMIC:
                join(self.parent, c.a, c.b)
            elif (ctx.bodies[c.a].flags | ctx.bodies[c.b].flags) & AWAKE:
                # what cannot be pushed is awake when it was moved: all that it meets wakes
                row = mover(ctx, c)
                if not ctx.bodies[row].flags & AWAKE:
                    ctx.bodies[row].flags |= AWAKE
                    ctx.bodies[row].still = 0.0
        # number the awake ones
        for row in range(ctx.n_bodies):
            awake[row] = 0
        for row in range(ctx.n_bodies):
            if ctx.bodies[row].kind == DYNAMIC and ctx.bodies[row].flags & AWAKE:
                awake[root_of(self.parent, row)] = 1
        self.n = 0
        for row in range(ctx.n_bodies):
            ctx.bodies[row].island = -1
            if ctx.bodies[row].kind != DYNAMIC:
                continue
            root = root_of(self.parent, row)
            if awake[root] and self.number[root] < 0:
                self.number[root] = self.n
                self.islands[self.n] = Island(0, 0, 0, 0)
                self.n += 1
        # count, then write the lists
        for row in range(ctx.n_bodies):
            if ctx.bodies[row].kind == DYNAMIC:
                root = self.number[root_of(self.parent, row)]
                ctx.bodies[row].island = root
                if root >= 0:
                    self.islands[root].n_bodies += 1
                    if not ctx.bodies[row].flags & AWAKE:
                        ctx.bodies[row].flags |= AWAKE
                        ctx.bodies[row].still = 0.0
        for k in range(ctx.n_contacts):
            c = &ctx.contacts[k]
            if not c.flags & SENSOR and ctx.bodies[mover(ctx, c)].island >= 0:
                self.islands[ctx.bodies[mover(ctx, c)].island].n_contacts += 1
        for k in range(self.n):
            self.islands[k].first_body = at_body
            self.islands[k].first_contact = at_contact
            at_body += self.islands[k].n_bodies
            at_contact += self.islands[k].n_contacts
            self.islands[k].n_bodies = self.islands[k].n_contacts = 0
        for row in range(ctx.n_bodies):
            k = ctx.bodies[row].island
            if k >= 0:
                self.bodies[self.islands[k].first_body + self.islands[k].n_bodies] = row
                self.islands[k].n_bodies += 1
        for k in range(ctx.n_contacts):
            c = &ctx.contacts[k]
            if not c.flags & SENSOR:
                root = ctx.bodies[mover(ctx, c)].island
                if root >= 0:
                    self.contacts[self.islands[root].first_contact
                                  + self.islands[root].n_contacts] = k
                    self.islands[root].n_contacts += 1
