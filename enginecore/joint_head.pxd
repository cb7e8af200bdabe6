"""What every stage asks of a joint, in any dimension: the head of what a world keeps of it."""

from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t

cdef enum:
    COLLIDES = 1      # JointFlag of all kinds, set by the user: its two bodies may touch

cdef enum RowKind:
    RIGID = 0     # C = 0, any force
    STOP = 1      # C >= 0, no force but against it
    SOFT = 2      # a spring: stiffness, damping, at most `most`
    DRIVE = 3     # C' = rate, as far as the largest force allows
    ACROSS = 4    # a way across a line of force: none, unless tension makes it stiff

# What an engine keeps of a joint begins with the same fields in their places.
ctypedef struct JointHead:
    uint8_t kind           # JointKind of the engine
    uint8_t flags          # JointFlag
    int8_t n_rows          # that it has, since its settings last changed
    uint8_t unused
    uint16_t hard          # a bit for each row without bounds: these are in an assembly's factor
    uint16_t unused_too
    int32_t id             # its place in the table of handles; -1: removed
    int32_t body_a         # ids of its bodies; -1: the world
    int32_t body_b
    uint32_t born_a        # generations of these ids
    uint32_t born_b
    int32_t a              # rows of its bodies, of this step; -1: the world
    int32_t b
    double reference       # m or rad: the length, travel or angle that counts as zero
    double ratio           # of gears and pulleys; rad, of a ratchet: from tooth to tooth
    double low             # m or rad, limits; -inf, inf: none
    double high
    double rate            # m/s or rad/s, of the motor
    double most            # N or N m, the most that the motor or the drag gives; 0: no motor
    double stiffness       # N/m or N m/rad; 0 with damping 0: no spring
    double damping         # N s/m or N m s/rad
    double most_torque     # N m, of a drag that turns its body
    double turn_stiffness  # N m/rad, likewise
    double turn_damping    # N m s/rad
    double friction        # N or N m, in the joint; 0: none
    double break_force     # N; inf: never breaks
    double break_torque    # N m
    double held            # rad: the angle or tooth when last looked at
    double work            # J, that its motor and its friction have done since it was added
