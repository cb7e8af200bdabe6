"""Numbers of the engine of space that several stages go by; enginecore.constants has those that the
plane shares, with their units. Numbers of one stage stand at the top of its file.
"""

from libc.stdint cimport int32_t

cdef extern from *:
    """
    #define ENGINE3D_FAT 0.05
    #define ENGINE3D_CLOSED 1e-7
    #define ENGINE3D_NEAR 0.02
    #define ENGINE3D_PUSH 0.02
    #define ENGINE3D_LARGE_BODIES 16
    #define ENGINE3D_LARGE_FAST 96
    #define ENGINE3D_MOST_LOOKS 4
    """
    # m, times the unit: by which boxes of the broad phase are larger: pairs are looked for again
    # when a body has left its fat box.
    double FAT "ENGINE3D_FAT"
    # m, times the unit: gaps up to this are closed: what approaches is struck here, not before.
    double CLOSED "ENGINE3D_CLOSED"
    # m, times the unit: a new contact this near to an old one takes its force on.
    double NEAR "ENGINE3D_NEAR"
    # m, times the unit: the most that a sub-step corrects an overlap.
    double PUSH "ENGINE3D_PUSH"
    # Bodies above which an island is large; contacts up to which one with something fast is not.
    int32_t LARGE_BODIES "ENGINE3D_LARGE_BODIES"
    int32_t LARGE_FAST "ENGINE3D_LARGE_FAST"
    # How often islands are given up in a step to look farther; then they wait for the next one.
    int MOST_LOOKS "ENGINE3D_MOST_LOOKS"
