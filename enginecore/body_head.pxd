"""What every stage asks of a body, in any dimension: the head of what a world keeps of it."""

from libc.stdint cimport int32_t, uint8_t

cdef enum BodyKind:
    STATIC = 0      # never moves
    KINEMATIC = 1   # moves as its velocity says, whatever it meets
    DYNAMIC = 2     # moves as forces say

cdef enum BodyFlag:
    FIXED_ROTATION = 1   # set by the user: no impulse turns it
    BULLET = 2           # set by the user: swept with all care, however slow
    AWAKE = 4            # set by edits and islands, cleared by sleep; not dynamic: was changed
    NO_SLEEP = 8         # set by the user: never put to sleep
    INITIAL_OVERLAP = 16  # set when its user puts it somewhere, cleared when it is out of others

# 32 bytes.
ctypedef struct BodyHead:
    uint8_t kind           # BodyKind
    uint8_t flags          # BodyFlag
    uint8_t unused[2]
    int32_t island         # of this step; -1: none (asleep, static, kinematic)
    int32_t id             # in the handle table; -1: removed, the row is closed by the next step
    int32_t first_shape    # its shapes, a list; -1: none
    double still           # s for which it has been slow enough to sleep
    double unused_too


cdef inline void wake(BodyHead* head) noexcept nogil:
    """Wake a body."""
    head.flags |= AWAKE
    head.still = 0.0
