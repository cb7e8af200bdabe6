"""One condition on the motion of two bodies: a contact's normal or friction, later a joint's.

With rate u = ja.(vA, wA) + jb.(vB, wB) after the solve, y = u + bias, and impulse p on the row:

    bounds lo <= p <= hi;  y > 0 only where p = lo,  y < 0 only where p = hi,  else y = 0

A normal row has lo = 0, hi = inf. A friction row has bounds -mu p_n and mu p_n from the present
impulse of its normal row. A joint's row has infinite bounds, or a motor's; springs add `soft`.
"""

from libc.stdint cimport int32_t

cdef enum RowMode:     # which of the three cases a row is in: kept for the next solve
    AT_LOW = -1        # p = lo: an open contact; friction that slides one way
    INSIDE = 0         # y = 0: bears, sticks, holds
    AT_HIGH = 1        # p = hi

ctypedef struct Row:
    double ja[3]       # of body a: x, y (1), rotation (m)
    double jb[3]
    double bias        # m/s
    double soft        # 1/kg, added to the diagonal of A: y = u + bias + soft p; 0: rigid
    double lo          # N s; not looked at for friction rows
    double hi
    double mu          # friction rows
    double p           # N s: in, the impulse of last time; out, the answer
    int32_t a          # index into the motions; both below zero are never used
    int32_t b
    int32_t normal     # friction rows: the row that presses; else -1
    int32_t mode       # RowMode: in, of last time; out, of the answer
