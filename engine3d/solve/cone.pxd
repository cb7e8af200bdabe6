"""One contact for the solvers: three rows, and an impulse in the circular cone of friction.

Velocities are whitened: u = (sqrt(m) v, sqrt(I) w) of each body, so that its mass matrix is 1. With
y = J u + bias after the solve (m/s, along normal, t1, t2) and p (N s):

    0 <= p_n  perp  y_n >= 0,    |p_t| <= mu p_n,    p_t against y_t where it slides
"""

from libc.stdint cimport int32_t

cdef enum ConeMode:
    OPEN = 0       # no impulse
    STICK = 1      # y = 0
    SLIDE = 2      # y_n = 0, |p_t| = mu p_n

# Three rows of a joint instead, each with bounds of its own: y = J u + bias + soft p, and for each
# row lo <= p <= hi, y = 0 where it is inside, y >= 0 at lo, y <= 0 at hi.
ctypedef struct Bounded:
    double lo[3]      # N s
    double hi[3]
    double soft[3]    # 1/kg: what a spring gives
    double d[3]       # 1/kg, diagonal of A: written by the solver

# Modes of three such rows: two bits each, above BOUNDED.
cdef enum:
    BOUNDED = 64
    INSIDE = 0
    AT_LOW = 1
    AT_HIGH = 2

ctypedef struct Cone:
    double j[3][12]   # rows normal, t1, t2: six of body a, six of body b; 0 for what is immovable
    double bias[3]    # m/s, with what immovable bodies move
    double mu
    double p[3]       # N s: in, a guess; out, the answer
    int32_t a         # index of the body; the one after the last for what is immovable
    int32_t b
    int32_t mode      # ConeMode: in, of last time; out, of the answer
    int32_t unused
    Bounded* box      # NULL: a contact
