"""Numbers that plane and space share. Lengths (m) are in multiples of the world's length unit,
times (s) and speeds (m/s) of its root: lengths x 4^k, times and speeds x 2^k then give the same
bits.
"""

from libc.stdint cimport int32_t

# How islands are solved: small ones exactly and large ones by sweeps, all exactly, all by sweeps.
cdef enum Solver:
    SOLVER_AUTO = 0
    SOLVER_DIRECT = 1
    SOLVER_ITERATIVE = 2

cdef extern from *:
    """
    #define ENGINE_SMALLEST_UNIT 1e-9
    #define ENGINE_LARGEST_UNIT 1e9
    #define ENGINE_MARGIN 0.01
    #define ENGINE_TOUCH 1e-5
    #define ENGINE_FLAT 1e-3
    #define ENGINE_INITIAL_DEPTH 0.05
    #define ENGINE_MOST_DT 1e3
    #define ENGINE_LONGEST_PART 0.0205
    #define ENGINE_MOST_PARTS 64
    #define ENGINE_SPEED_RESERVE 1.2
    #define ENGINE_CCD_SHARE 0.25
    #define ENGINE_MET_DEPTH 0.02
    #define ENGINE_LARGE 32
    #define ENGINE_LARGE_CALM 64
    #define ENGINE_CALM_SPEED 0.2
    #define ENGINE_STILL_EXACT 1e-8
    #define ENGINE_STILL_SWEPT 1e-5
    #define ENGINE_SLEEP_SPEED 1e-4
    #define ENGINE_SLEEP_AFTER 0.5
    """
    # m: units that worlds may have; beyond, squares of lengths leave the range of doubles.
    double SMALLEST_UNIT "ENGINE_SMALLEST_UNIT"
    double LARGEST_UNIT "ENGINE_LARGEST_UNIT"

    # -- touching

    # m: contacts this far apart are kept, whatever the speed. Less, and what is pushed together by
    # others in a step is found too late.
    double MARGIN "ENGINE_MARGIN"
    # m: gaps up to this are contact. More, and bodies rest visibly apart; less, and rounding far
    # from the origin opens contacts at rest.
    double TOUCH "ENGINE_TOUCH"
    # Slope below which several points are struck as one face: a block that lands flat must not
    # topple.
    double FLAT "ENGINE_FLAT"
    # m: shapes that overlap more than this when one was put there are not there by their own
    # motion, and are pushed apart without speed.
    double INITIAL_DEPTH "ENGINE_INITIAL_DEPTH"

    # -- time

    # s: longer steps are refused.
    double MOST_DT "ENGINE_MOST_DT"
    # s: longer steps are made in equal parts: what a body faces when a part begins is what it meets
    # in it, and piles are calm. A fiftieth of a second is one part; so many are enough for any.
    double LONGEST_PART "ENGINE_LONGEST_PART"
    int MOST_PARTS "ENGINE_MOST_PARTS"

    # -- continuous collision (CCD)

    # Times a speed: what a step can add to it is covered by looking this much farther than the
    # speed alone says. Less, and what was pushed meets what was not looked at.
    double SPEED_RESERVE "ENGINE_SPEED_RESERVE"
    # Share of its thickness: a pair that moves farther within a step is fast, and is swept: what it
    # meets is not what faces it now, and half a thickness of overlap pushes out on the wrong side.
    double CCD_SHARE "ENGINE_CCD_SHARE"
    # Share of their thicknesses: pairs that overlap by more are not swept, they have met.
    double MET_DEPTH "ENGINE_MET_DEPTH"

    # -- which solver (docs/decisions/0007-direct-or-sweeps.md)

    # Contacts from which an island is solved by PGS iterations: one in motion has to be solved from
    # scratch, which grows with the third power. At rest most solves are spared: calm ones, in which
    # nothing is faster than CALM_SPEED (m/s), may be larger.
    int32_t LARGE "ENGINE_LARGE"
    int32_t LARGE_CALM "ENGINE_LARGE_CALM"
    double CALM_SPEED "ENGINE_CALM_SPEED"

    # -- sleep

    # s: a body slower than what gravity gives in this time, for SLEEP_AFTER (s), may sleep: what
    # slides or falls at a 1e-4th of gravity is faster soon, whatever gravity is. Solved exactly,
    # bodies at rest have speeds of rounding, so that slow ones move; PGS iterations leave a rest.
    # Without gravity only what has no speed at all sleeps.
    double STILL_EXACT "ENGINE_STILL_EXACT"
    double STILL_SWEPT "ENGINE_STILL_SWEPT"
    # m/s: the most that is still, however strong gravity is.
    double SLEEP_SPEED "ENGINE_SLEEP_SPEED"
    double SLEEP_AFTER "ENGINE_SLEEP_AFTER"
