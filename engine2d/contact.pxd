"""Contacts that live from step to step: touching features, and the impulses they passed on."""

from libc.stdint cimport int32_t, uint8_t

from engine2d.narrow_phase cimport Touch

cdef enum ContactFlag:
    OLD = 1         # was there in the last step: its impulses are a start
    SENSOR = 2      # pushes nothing
    STRUCK = 4      # was struck in this step

ctypedef struct Contact:
    Touch at        # its features, and where they are
    double mu       # friction of the pair
    double e        # restitution of the pair
    double pn       # N s, normal impulse of the last sub-step, >= 0
    double pt       # N s, friction impulse on A along T = z x normal
    double sum_n    # N s, over all sub-steps and strikes of this step: force = sum / dt
    double sum_t
    double hit_speed  # m/s, of approach when struck, the greatest of this step; 0: was not
    int32_t a       # rows of the bodies
    int32_t b
    int32_t shape_a  # of the shapes
    int32_t shape_b
    int32_t mate    # the other point of its manifold, beside it in the array; -1: none
    int32_t mode_n  # RowMode of the normal row, for the direct solver
    int32_t mode_t
    uint8_t flags   # ContactFlag
    uint8_t unused[3]
