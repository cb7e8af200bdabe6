"""A problem while it is solved directly: what the attempts and Newton's step share."""

from enginecore.lcp cimport LcpWorkspace
from enginecore.scalar cimport greater
from engine2d.body cimport Motion
from engine2d.solve.row cimport INSIDE, Row

# Scratch for one solve, never allocated inside.
ctypedef struct DirectMemory:
    int effort          # Effort of the solves to come
    double least_scale  # m/s: LEAST_SCALE in the unit of the world
    bint swept          # whether the last solve ended with sweeps, for lack of effort
    int n_rows          # room for so many rows
    int n_motions       # and so many bodies
    double* A           # scaled to a unit diagonal, for Lemke's method
    double* M           # n*n, room for the matrix of the present modes, then its factor
    double* d           # n, 1/kg: diagonal of A before scaling
    double* scale       # n, sqrt(kg): 1/sqrt(d)
    double* b           # n, m/s: y without any impulse
    double* y           # n, m/s
    double* p           # n, N s: the present guess
    double* center      # n, N s: where the proximal term pulls to
    double* best        # n, N s: the best guess so far
    double* kept        # n, N s: the guess before an attempt
    double* x           # n, unknowns of the present modes
    double* lo          # n, bounds and friction of the scaled problem, for Lemke's method
    double* hi
    double* mu
    double* free_v      # 3 n_motions: velocities without any impulse
    int* mode           # n
    int* best_mode      # n
    int* place          # n: the row's unknown, -1: none
    int* first          # n: where a row of the factor begins
    int* order          # n: exchanges of rows
    int* normal         # n
    int* sorted         # n: the rows along the island
    int* rank           # n_motions + 1: of each body along the island; -1: not movable
    int* queue          # n_motions + 1
    int* begin          # n_motions + 1: the rows of each body, one after another
    int* member         # 2 n: these rows; the side a of row i is 2 i, its side b 2 i + 1
    LcpWorkspace lcp

# n rows between bodies, and the present guess in `work`.
ctypedef struct System:
    Row* rows
    int n
    Motion* motions
    int n_motions
    DirectMemory* work
    double scale          # m/s, the largest of b
    double size           # m/s, the largest term that is summed: what rounding is relative to
    double proximal       # the share of the diagonal in use
    double drift          # m/s, see solve_rows
    double pull           # the same, or 0 for the problem itself
    bint ordered          # rows have their order, and their scales
    bint assembled        # A is there
    bint factored         # M is the factor of the present modes
    bint symmetric        # it is a Cholesky factor
    int unknowns
    int band              # how far the unknowns of one body are apart, at most
    int ld                # M[i ld + j]: the matrix of the present modes, then its factor
    double* M
    int newton_steps
    int factors
    int pivoted           # turns that Lemke's method has had


cdef inline double highest(const System* s, int i) noexcept nogil:
    """The upper bound of row i at the present p."""
    cdef const Row* row = &s.rows[i]
    if row.normal < 0:
        return row.hi
    return row.mu * greater(s.work.p[row.normal], 0.0)


cdef inline double lowest(const System* s, int i) noexcept nogil:
    return s.rows[i].lo if s.rows[i].normal < 0 else -highest(s, i)


cdef inline bint presses(const System* s, int i) noexcept nogil:
    """Whether the normal row of friction row i is an unknown."""
    return s.work.mode[s.rows[i].normal] == INSIDE


cdef inline bint is_unknown(const System* s, int i) noexcept nogil:
    if s.work.d[i] <= 0.0 or s.work.mode[i] != INSIDE:
        return False
    if s.rows[i].normal < 0:
        return True
    return s.rows[i].mu > 0.0 and (presses(s, i) or highest(s, i) > 0.0)
