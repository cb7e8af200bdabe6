"""What every stage asks of a body, in any dimension: the head of what a world keeps of it."""

from libc.stdint cimport int32_t, uint8_t

cdef enum BodyKind:
    STATIC = 0      # never moves
    KINEMATIC = 1   # moves as its velocity says, whatever it meets
    DYNAMIC = 2     # moves as forces say

# What users gave of a body, so that it does not follow from its shapes.
cdef enum BodyGiven:
    GIVEN_MASS = 1
    GIVEN_INERTIA = 2

cdef enum BodyFlag:
    FIXED_ROTATION = 1   # set by the user: no impulse turns it
    BULLET = 2           # set by the user: swept with all care, however slow
    # Set by wake alone, cleared by put_to_sleep (enginecore.sleep); what is not dynamic is awake
    # from when it was changed until the step is over.
    AWAKE = 4
    NO_SLEEP = 8         # set by the user: never put to sleep
    # It is where it is because its user put it there, not by its own motion, and may overlap
    # others deeply. The same bit marks bodies (set by edits, cleared after the step unless a
    # contact is marked), pairs and contacts (set when they are looked at, by a marked body and a
    # deep gap; cleared when the gap is no longer deep).
    INITIAL_OVERLAP = 16
    FREE_FLAG = 32       # bits from here on are the engines' own

# 32 bytes; what an engine keeps of a body may begin with the same fields in their places.
ctypedef struct BodyHead:
    uint8_t kind           # BodyKind
    uint8_t flags          # BodyFlag
    uint8_t given          # BodyGiven
    uint8_t unused
    int32_t island         # of this step; -1: none (asleep, static, kinematic)
    int32_t id             # in the handle table; -1: removed, the row is closed by the next step
    int32_t first_shape    # its shapes, a list; -1: none
    double still           # s for which it has been slow enough to sleep
    double unused_too

# What an engine keeps of a body has these numbers, one after another, somewhere.
ctypedef struct BodySettings:
    double mass            # kg; infinite unless it has one
    double gravity_scale
    double linear_damping  # 1/s
    double angular_damping  # 1/s


cdef inline void wake(BodyHead* head) noexcept nogil:
    """Wake a body."""
    head.flags |= AWAKE
    head.still = 0.0
