"""Lemke's method: follow one artificial unknown z0 down to zero, one complementary pivot at a time.

    w = M z + q + d z0,   z, w >= 0,   z_i w_i = 0

Basic unknowns (n of them) solve B u = q; the tableau is B^-1 (I, -M, -d). Only its columns for
the w that left the basis are kept: those of basic w are unit vectors, and the one other column a
pivot needs, that of the entering unknown, is summed while the kept ones are updated. A pivot thus
costs n times the number of basic z, not n*n.
"""

from libc.math cimport INFINITY, fabs, frexp, ldexp

from enginecore.dense cimport axpy, dot, largest_of, lu_factor, lu_solve
from enginecore.lcp cimport is_friction, lower_bound, upper_bound

cdef enum:
    PIVOTS_PER_ROW = 50     # limit of one path
    ATTEMPTS = 3            # covering vectors tried before a bad end is accepted
    BOUND_ROUNDS = 8        # times broken far bounds are brought back one by one, then all at once
    POLISHES = 10           # block exchanges that may follow a path

cdef double PIVOT_EPS = 1e-11   # entries below this part of their column's largest are zero
cdef double TIE_EPS = 1e-13     # ratios closer than this (largest |q| is 1) are equal
cdef double LU_EPS = 1e-13      # smallest pivot of the last, clean solve
cdef double CLEAN = 1e-14       # a residual that needs no further step
cdef double FAR = 100.0         # bounds beyond this (largest |b| is 1) are first left away
cdef double STRONGEST = 1e4     # x counts in the residual's unit up to this
cdef double ZERO = 5e-14        # M'v below this part of what it is summed from is rounding
cdef double REACH = 1e10        # a ray is a proof if an answer would have to be larger than this
cdef double EPSILON = 2.220446049250313e-16

# Number of an unknown: w_i is i, z_i is n + i, z0 is 2 n.
cdef struct Tableau:
    Py_ssize_t n
    const double* M         # n*n, row-major
    const double* q         # n
    double* d               # n, covering vector, > 0
    double* kept            # columns of the nonbasic w, column-major, at most n + 1 of them
    Py_ssize_t n_kept
    int* slot               # n: place of w_i in `kept`, -1 while w_i is basic
    int* owner              # n + 1: which w a kept column belongs to
    int* basic              # n: unknown that is basic in each row
    double* value           # n: its value, B^-1 q
    double* column          # n: B^-1 times the entering column
    double* fresh           # n: the same for the next pivot
    double* row             # n + 1: entries of `kept` in the pivot row


cdef StatusCode solve_lemke(const LcpProblem* problem, LcpWorkspace* work,
                            const LcpOptions* options, double* x, int* iterations) noexcept nogil:
    """Turn the problem into a classic LCP and solve that.

    Far bounds are left away at first: as an offset or a slack their size would swamp everything
    else. Those that the answer breaks come back, or all if there is no answer without them.
    """
    cdef Py_ssize_t i, n = problem.n
    cdef LcpProblem near = problem[0]
    cdef double* lo = work.reals
    cdef double* hi = lo + n
    cdef int limit = options.max_iterations if options.max_iterations > 0 else 1 << 30
    cdef int round
    cdef StatusCode status = StatusCode.MAX_ITERATIONS
    iterations[0] = 0
    if is_classic(problem):
        return solve_classic(problem.A, problem.b, n, 0.25 * options.tol, limit, work.reals,
                             work.ints, x, iterations)
    near.lo = lo
    near.hi = hi
    for i in range(n):
        lo[i] = problem.lo[i] if problem.lo[i] >= -FAR else -INFINITY
        hi[i] = problem.hi[i] if problem.hi[i] <= FAR else INFINITY
        if is_friction(problem, i) or problem.lo[i] > FAR or problem.hi[i] < -FAR or (
                problem.lo[i] == problem.hi[i]):
            lo[i], hi[i] = problem.lo[i], problem.hi[i]
    for round in range(BOUND_ROUNDS + 1):
        status = solve_near(&near, options, limit, hi + n, work.ints, x, iterations)
        if iterations[0] >= limit or not bring_back(
                problem, lo, hi, x, status != StatusCode.SOLVED or round == BOUND_ROUNDS - 1):
            break
    return status


cdef bint bring_back(const LcpProblem* problem, double* lo, double* hi, const double* x,
                     bint all) noexcept nogil:
    """Restore the bounds that x breaks, or all that were left away; False when there is none."""
    cdef Py_ssize_t i
    cdef bint back = False
    for i in range(problem.n):
        if lo[i] != problem.lo[i] and (all or not x[i] >= problem.lo[i]):
            lo[i] = problem.lo[i]
            back = True
        if hi[i] != problem.hi[i] and (all or not x[i] <= problem.hi[i]):
            hi[i] = problem.hi[i]
            back = True
    return back


cdef StatusCode solve_near(const LcpProblem* problem, const LcpOptions* options, int limit,
                           double* reals, int* ints, double* x, int* iterations) noexcept nogil:
    """Solve a problem with bounds by way of `write_classic`."""
    cdef Py_ssize_t N = unknowns_in(problem)
    cdef double* y = reals
    cdef double* q = y + N
    cdef double* M = q + N
    cdef double unit = write_classic(problem, M, q, ints)
    cdef StatusCode status = solve_classic(
        M, q, N, 0.25 * options.tol * min(1.0, STRONGEST / unit), limit, M + N * N, ints + 2 * N,
        y, iterations)
    read_classic(problem, ints, N, y, unit, x)
    return status


cdef StatusCode solve_classic(const double* M, const double* q, Py_ssize_t n, double tol,
                              int limit, double* reals, int* ints, double* z,
                              int* iterations) noexcept nogil:
    """Follow paths until one ends in a good answer, or in a ray that proves there is none.

    An unproven ray or a stall on one path says little about the next: try other covering vectors,
    and last what is near the best point met.
    """
    cdef Py_ssize_t i
    cdef double* trial = reals
    cdef double residual, best = INFINITY
    cdef StatusCode status, outcome = StatusCode.SINGULAR
    cdef int attempt, allowed
    for i in range(n):
        z[i] = 0.0
    for attempt in range(ATTEMPTS):
        if iterations[0] >= limit:
            return StatusCode.MAX_ITERATIONS
        allowed = min(limit, iterations[0] + <int>(PIVOTS_PER_ROW * (n + 1)))
        status = follow_path(M, q, n, attempt, allowed, trial + n, ints, trial, &residual,
                             iterations)
        if residual < best:
            best = residual
            for i in range(n):
                z[i] = trial[i]
        if best <= tol:
            return StatusCode.SOLVED
        if status == StatusCode.NO_SOLUTION:
            return status
        if status == StatusCode.MAX_ITERATIONS:
            outcome = status
    if best < INFINITY:
        best = polish(M, q, n, tol, best, reals, ints, z)
    return StatusCode.SOLVED if best <= tol else outcome


# One path ---------------------------------------------------------------------------------------

cdef StatusCode follow_path(const double* M, const double* q, Py_ssize_t n, int attempt, int limit,
                            double* reals, int* ints, double* z, double* residual,
                            int* iterations) noexcept nogil:
    """Pivot until z0 leaves (SOLVED), nothing can leave, or the limit is met.

    Nothing can leave: NO_SOLUTION if the ray is a proof, SINGULAR if it is not.
    """
    cdef Tableau t
    cdef Py_ssize_t i, r
    cdef int entering, leaving
    cdef double* swap
    cdef bint proof
    place(&t, M, q, n, reals, ints)
    for i in range(n):
        t.d[i] = 1.0 + attempt * 0.5 * <double>((i * 5 + attempt) % 7)
        z[i] = 0.0
    residual[0] = 0.0
    r = start_row(&t)
    if r < 0:
        return StatusCode.SOLVED
    entering = <int>(2 * n)
    for i in range(n):
        t.column[i] = -t.d[i]
    while True:
        leaving = t.basic[r]
        exchange(&t, r, entering)
        iterations[0] += 1
        if leaving == 2 * n:
            residual[0] = read_basis(&t, z)
            return StatusCode.SOLVED
        if iterations[0] >= limit:
            residual[0] = read_basis(&t, z)
            return StatusCode.MAX_ITERATIONS
        entering = leaving + <int>n if leaving < n else leaving - <int>n
        swap = t.column
        t.column = t.fresh
        t.fresh = swap
        r = leaving_row(&t)
        if r < 0:
            read_ray(&t, entering, t.fresh)
            proof = proves_none(M, q, n, t.fresh)
            residual[0] = read_basis(&t, z)
            return StatusCode.NO_SOLUTION if proof else StatusCode.SINGULAR


cdef void read_ray(const Tableau* t, int entering, double* ray) noexcept nogil:
    """The z part of the ray along which `entering` grows for ever; its largest entry is 1."""
    cdef Py_ssize_t i, n = t.n
    cdef double largest
    for i in range(n):
        ray[i] = 0.0
    if entering >= n:
        ray[entering - n] = 1.0
    for i in range(n):
        if n <= t.basic[i] < 2 * n:
            ray[t.basic[i] - n] = max(-t.column[i], 0.0)
    largest = largest_of(ray, n)
    if largest > 0.0:
        for i in range(n):
            ray[i] /= largest
            if ray[i] < PIVOT_EPS:
                ray[i] = 0.0


cdef bint proves_none(const double* M, const double* q, Py_ssize_t n,
                      const double* v) noexcept nogil:
    """Whether v >= 0 shows that M z + q >= 0, z >= 0 is impossible for any z of sensible size.

    v.(M z + q) >= 0 asks for z.(M'v) >= -q.v: hopeless if M'v <= 0 and q.v < 0. Both are only
    known up to rounding, so that what is proved is sum z > REACH.
    """
    cdef Py_ssize_t i, j
    cdef double sum, size, gain = 0.0
    for j in range(n):
        gain -= q[j] * v[j]
    if not gain > 0.0:
        return False
    for j in range(n):
        sum = 0.0
        size = 0.0
        for i in range(n):
            sum += M[i * n + j] * v[i]
            size += fabs(M[i * n + j] * v[i])
        if not (sum <= ZERO * size and gain > REACH * max(sum, EPSILON * size)):
            return False
    return True


cdef void place(Tableau* t, const double* M, const double* q, Py_ssize_t n, double* reals,
                int* ints) noexcept nogil:
    """Lay the tableau out in the scratch memory, all w basic."""
    cdef Py_ssize_t i
    t.n = n
    t.M = M
    t.q = q
    t.d = reals
    t.value = reals + n
    t.column = reals + 2 * n
    t.fresh = reals + 3 * n
    t.row = reals + 4 * n
    t.kept = reals + 5 * n + 1
    t.n_kept = 0
    t.slot = ints
    t.basic = ints + n
    t.owner = ints + 2 * n
    for i in range(n):
        t.slot[i] = -1
        t.basic[i] = <int>i
        t.value[i] = q[i]


cdef Py_ssize_t start_row(const Tableau* t) noexcept nogil:
    """Where z0 enters: the lexicographically least (q_i, e_i)/d_i; -1 when q >= 0 already."""
    cdef Py_ssize_t i, best = 0
    cdef bint negative = False
    for i in range(t.n):
        negative = negative or t.q[i] < 0.0
        if t.q[i] * t.d[best] <= t.q[best] * t.d[i]:
            best = i
    return best if negative else -1


cdef void exchange(Tableau* t, Py_ssize_t r, int entering) noexcept nogil:
    """Make `entering` basic in row r, and sum into `fresh` the column of the unknown after it.

    That unknown is the complement of the one that leaves row r.
    """
    cdef Py_ssize_t i, k, n = t.n
    cdef int leaving = t.basic[r]
    cdef double pivot = t.column[r]
    cdef double step = t.value[r] / pivot
    cdef double share
    cdef double* kept
    cdef const double* column = t.column
    cdef double* fresh = t.fresh
    # values; rounding must not make them negative
    for i in range(n):
        t.value[i] -= step * column[i]
        if t.value[i] < 0.0:
            t.value[i] = 0.0
    t.value[r] = step
    # a w that comes back gives up its kept column
    if entering < n:
        forget(t, entering)
    # if a w leaves, next enters its z: start from the rows where a w is basic, else from zero
    t.basic[r] = entering
    if leaving < n:
        for i in range(n):
            fresh[i] = -t.M[t.basic[i] * n + leaving] if t.basic[i] < n else 0.0
    if leaving < n:
        update_and_sum(t, r, pivot, leaving)
    else:
        for k in range(t.n_kept):
            kept = t.kept + k * n
            share = kept[r] / pivot
            axpy(-share, column, kept, n)
            kept[r] = share
    if leaving < n:
        keep(t, leaving, r, pivot)
    elif leaving < 2 * n:
        kept = t.kept + t.slot[leaving - n] * n
        for i in range(n):
            fresh[i] = kept[i]


cdef void update_and_sum(Tableau* t, Py_ssize_t r, double pivot, int z) noexcept nogil:
    """Pivot the kept columns on row r and add their part of the column of z to `fresh`.

    Two at a time: `column` and `fresh` are then read and written half as often.
    """
    cdef Py_ssize_t i, k = 0, n = t.n
    cdef const double* column = t.column
    cdef double* fresh = t.fresh
    cdef double* one
    cdef double* two
    cdef double share1, share2, weight1, weight2, entry1, entry2
    while k < t.n_kept:
        one = t.kept + k * n
        share1 = one[r] / pivot
        weight1 = -t.M[t.owner[k] * n + z]
        if k + 1 < t.n_kept:
            two = one + n
            share2 = two[r] / pivot
            weight2 = -t.M[t.owner[k + 1] * n + z]
            for i in range(n):
                entry1 = one[i] - share1 * column[i]
                entry2 = two[i] - share2 * column[i]
                one[i] = entry1
                two[i] = entry2
                fresh[i] += weight1 * entry1 + weight2 * entry2
            fresh[r] += weight1 * (share1 - one[r]) + weight2 * (share2 - two[r])
            two[r] = share2
        else:
            for i in range(n):
                entry1 = one[i] - share1 * column[i]
                one[i] = entry1
                fresh[i] += weight1 * entry1
            fresh[r] += weight1 * (share1 - one[r])
        one[r] = share1
        k += 2


cdef void keep(Tableau* t, int w, Py_ssize_t r, double pivot) noexcept nogil:
    """Column of w_w, which has just left row r: until now a unit vector. Add it to `fresh` too."""
    cdef Py_ssize_t i
    cdef double* kept = t.kept + t.n_kept * t.n
    cdef double share = 1.0 / pivot
    cdef double weight = -t.M[w * t.n + w]
    for i in range(t.n):
        kept[i] = -share * t.column[i]
    kept[r] = share
    axpy(weight, kept, t.fresh, t.n)
    t.slot[w] = <int>t.n_kept
    t.owner[t.n_kept] = w
    t.n_kept += 1


cdef void forget(Tableau* t, int w) noexcept nogil:
    """Free the kept column of w_w; the last one takes its place."""
    cdef Py_ssize_t i, last = t.n_kept - 1, place = t.slot[w]
    if place != last:
        for i in range(t.n):
            t.kept[place * t.n + i] = t.kept[last * t.n + i]
        t.owner[place] = t.owner[last]
        t.slot[t.owner[place]] = <int>place
    t.slot[w] = -1
    t.n_kept = last


cdef Py_ssize_t leaving_row(const Tableau* t) noexcept nogil:
    """The row that first reaches zero as the entering unknown grows; -1 when none ever does.

    Equal ratios: z0 if it is among them (that ends the path), else the lexicographically least
    row of B^-1, which makes a return to an earlier basis impossible.
    """
    cdef Py_ssize_t i, best = -1, n = t.n
    cdef const double* column = t.column
    cdef const double* value = t.value
    cdef double least = INFINITY, smallest = PIVOT_EPS * largest_of(column, n)
    for i in range(n):
        if column[i] > smallest and value[i] < least * column[i]:
            least = value[i] / column[i]
    if least == INFINITY:
        return -1
    for i in range(n):
        if column[i] > smallest and value[i] - least * column[i] <= TIE_EPS * (1.0 + column[i]):
            if t.basic[i] == 2 * n:
                return i
            if best < 0 or comes_first(t, i, best):
                best = i
    return best


cdef bint comes_first(const Tableau* t, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Whether row a of B^-1, over its pivot, is lexicographically less than row b over its own."""
    cdef Py_ssize_t j
    cdef double entry_a, entry_b
    for j in range(t.n):
        if t.slot[j] >= 0:
            entry_a = t.kept[t.slot[j] * t.n + a] / t.column[a]
            entry_b = t.kept[t.slot[j] * t.n + b] / t.column[b]
        else:
            entry_a = 1.0 / t.column[a] if t.basic[a] == j else 0.0
            entry_b = 1.0 / t.column[b] if t.basic[b] == j else 0.0
        if fabs(entry_a - entry_b) > PIVOT_EPS * (fabs(entry_a) + fabs(entry_b)):
            return entry_a < entry_b
    return False


cdef double read_basis(Tableau* t, double* z) noexcept nogil:
    """z of the last basis, and its residual.

    Solved anew from M where that is better: the tableau carries the rounding of every pivot.
    """
    cdef Py_ssize_t i, m, n = t.n
    cdef int _round
    cdef double* step = t.column
    cdef double* best = t.d
    cdef int* rows = t.owner
    cdef double residual, least
    for i in range(n):
        z[i] = 0.0
    for i in range(n):
        if n <= t.basic[i] < 2 * n:
            z[t.basic[i] - n] = t.value[i]
    least = natural_residual(t.M, t.q, n, z)
    if least <= CLEAN:
        return least
    m = factor_basis(t, rows)
    # Newton: the first step solves, the second takes the rounding off
    for _round in range(2 if m >= 0 else 0):
        for i in range(n):
            best[i] = z[i]
        for i in range(m):
            step[i] = -t.q[rows[i]] - dot(t.M + rows[i] * n, z, n)
        lu_solve(t.kept, m, m, t.slot, step)
        for i in range(m):
            z[rows[i]] += step[i]
        residual = natural_residual(t.M, t.q, n, z)
        if not residual < least:
            for i in range(n):
                z[i] = best[i]
            break
        least = residual
    return least


cdef Py_ssize_t factor_basis(Tableau* t, int* rows) noexcept nogil:
    """LU of M on the rows of basic z, over the kept columns; their number, or -1 when singular."""
    cdef Py_ssize_t i, m = 0, n = t.n
    for i in range(n):
        t.slot[i] = 0
    for i in range(n):
        if n <= t.basic[i] < 2 * n:
            t.slot[t.basic[i] - n] = 1
    for i in range(n):
        if t.slot[i]:
            rows[m] = <int>i
            m += 1
    copy_block(t.M, n, rows, m, t.kept)
    return m if lu_factor(t.kept, m, m, LU_EPS, t.slot) else -1


cdef double natural_residual(const double* M, const double* q, Py_ssize_t n,
                             const double* z) noexcept nogil:
    """Largest |min(z, M z + q)|, infinite if a number is not finite."""
    cdef Py_ssize_t i
    cdef double w, r, worst = 0.0
    for i in range(n):
        w = dot(M + i * n, z, n) + q[i]
        r = fabs(w if w < z[i] else z[i])
        if not r + fabs(w) + fabs(z[i]) < INFINITY:
            return INFINITY
        worst = max(worst, r)
    return worst


# After the paths --------------------------------------------------------------------------------

cdef double polish(const double* M, const double* q, Py_ssize_t n, double tol, double best,
                   double* reals, int* ints, double* z) noexcept nogil:
    """Block principal pivoting from z, which is close to an answer or the paths ended on rounding.

    Each block is solved from M itself. Returns the residual of z, the best point met.
    """
    cdef double* point = reals
    cdef double* step = reals + n
    cdef double* LU = reals + 2 * n
    cdef int* rows = ints
    cdef int* order = ints + n
    cdef int* positive = ints + 2 * n
    cdef Py_ssize_t i, m
    cdef int _round
    cdef bint changed, is_positive
    cdef double residual
    for i in range(n):
        point[i] = z[i]
        positive[i] = -1
    for _round in range(POLISHES):
        for i in range(n):
            step[i] = dot(M + i * n, point, n) + q[i]
        m = 0
        changed = False
        for i in range(n):
            is_positive = point[i] > step[i]
            changed = changed or is_positive != positive[i]
            positive[i] = is_positive
            if is_positive:
                rows[m] = <int>i
                m += 1
            else:
                point[i] = 0.0
        if not changed or not solve_block(M, q, n, rows, m, LU, order, step, point):
            break
        residual = natural_residual(M, q, n, point)
        if residual < best:
            best = residual
            for i in range(n):
                z[i] = point[i]
        if best <= tol or residual == INFINITY:
            break
    return best


cdef bint solve_block(const double* M, const double* q, Py_ssize_t n, const int* rows,
                      Py_ssize_t m, double* LU, int* order, double* step,
                      double* z) noexcept nogil:
    """Make w vanish on `rows` by moving z there; False if they are singular."""
    cdef Py_ssize_t i
    cdef int _again
    copy_block(M, n, rows, m, LU)
    if not lu_factor(LU, m, m, LU_EPS, order):
        return False
    # the first step solves, the second takes the rounding off
    for _again in range(2):
        for i in range(m):
            step[i] = -q[rows[i]] - dot(M + rows[i] * n, z, n)
        lu_solve(LU, m, m, order, step)
        for i in range(m):
            z[rows[i]] += step[i]
    return True


cdef void copy_block(const double* M, Py_ssize_t n, const int* rows, Py_ssize_t m,
                     double* block) noexcept nogil:
    """M on some rows and columns."""
    cdef Py_ssize_t i, j
    for i in range(m):
        for j in range(m):
            block[i * m + j] = M[rows[i] * n + rows[j]]


# Bounds and friction as a classic LCP ----------------------------------------------------------

cdef bint is_classic(const LcpProblem* problem) noexcept nogil:
    """Whether every row is x >= 0 already."""
    cdef Py_ssize_t i
    for i in range(problem.n):
        if problem.lo[i] != 0.0 or problem.hi[i] != INFINITY or (
                problem.normal != NULL and problem.normal[i] >= 0):
            return False
    return True


cdef inline int unknowns_of(const LcpProblem* problem, Py_ssize_t i) noexcept nogil:
    """How many y stand for row i: see `write_classic`."""
    cdef double lo = lower_bound(problem, i), hi = upper_bound(problem, i)
    if is_friction(problem, i):
        return 3
    if lo == hi:
        return 0
    return 1 if (lo == -INFINITY) != (hi == INFINITY) else 2


cdef Py_ssize_t unknowns_in(const LcpProblem* problem) noexcept nogil:
    cdef Py_ssize_t i, size = 0
    for i in range(problem.n):
        size += unknowns_of(problem, i)
    return size


cdef Py_ssize_t lemke_size(const LcpProblem* problem) noexcept nogil:
    """Room for the problem with or without its far bounds, and for the 2 n that are left."""
    cdef Py_ssize_t i, size = 0
    for i in range(problem.n):
        # a row around zero is free without its bounds
        if not is_friction(problem, i) and lower_bound(problem, i) < 0.0 < upper_bound(problem, i):
            size += 2
        else:
            size += unknowns_of(problem, i)
    return max(size, problem.n) + 1


cdef double offset_of(const LcpProblem* problem, Py_ssize_t i) noexcept nogil:
    """x of row i when all y are zero."""
    if is_friction(problem, i):
        return 0.0
    if problem.lo[i] > -INFINITY:
        return problem.lo[i]
    return problem.hi[i] if problem.hi[i] < INFINITY else 0.0


cdef double write_classic(const LcpProblem* problem, double* M, double* q,
                          int* ints) noexcept nogil:
    """The equivalent LCP in y >= 0, y in a unit that makes the largest q 1; returns the unit.

    Row by row:

    x >= lo: x = lo + y.  x <= hi: x = hi - y.  Free: x = y - y'.
    lo <= x <= hi: x = lo + y, and a slack s >= 0 with w + s >= 0 and hi - lo - y >= 0.
    Friction: x = y - y', and beta >= 0 with w + beta >= 0, -w + beta >= 0, mu x_n - y - y' >= 0.
    """
    cdef Py_ssize_t N = unknowns_in(problem), n = problem.n, i, j, v = 0, u
    cdef double largest = 0.0, unit
    cdef int exponent
    cdef int* row = ints
    cdef int* sign = ints + N
    label_unknowns(problem, row, sign)
    for v in range(N * N):
        M[v] = 0.0
    for v in range(N):
        i = row[v]
        if sign[v] != 0:
            q[v] = problem.b[i]
            for j in range(n):
                q[v] += problem.A[i * n + j] * offset_of(problem, j)
            q[v] *= sign[v]
            largest = max(largest, fabs(q[v]))
            for u in range(N):
                if sign[u] != 0:
                    M[v * N + u] = sign[v] * sign[u] * problem.A[i * n + row[u]]
        elif is_friction(problem, i):
            q[v] = problem.mu[i] * offset_of(problem, problem.normal[i])
            for u in range(N):
                if row[u] == problem.normal[i] and sign[u] != 0:
                    M[v * N + u] = problem.mu[i] * sign[u]
            couple(M, N, v, v - 1)
            couple(M, N, v, v - 2)
        else:
            q[v] = problem.hi[i] - problem.lo[i]
            couple(M, N, v, v - 1)
    frexp(largest, &exponent)
    unit = ldexp(1.0, exponent) if 0.0 < largest < INFINITY else 1.0
    for v in range(N):
        q[v] /= unit
    return unit


cdef void label_unknowns(const LcpProblem* problem, int* row, int* sign) noexcept nogil:
    """For each y: its row of the problem, and +1 or -1 as it enters x, 0 if it is a slack."""
    cdef Py_ssize_t i, v = 0
    cdef int part, count
    for i in range(problem.n):
        count = unknowns_of(problem, i)
        for part in range(count):
            row[v] = <int>i
            sign[v] = 1 if part == 0 else -1
            if count == 3 and part == 2:
                sign[v] = 0
            elif count == 2 and part == 1 and problem.lo[i] > -INFINITY:
                sign[v] = 0
            elif count == 1 and problem.lo[i] == -INFINITY:
                sign[v] = -1
            v += 1


cdef inline void couple(double* M, Py_ssize_t N, Py_ssize_t slack, Py_ssize_t y) noexcept nogil:
    """A slack that enters row y, and whose own condition y enters."""
    M[y * N + slack] = 1.0
    M[slack * N + y] = -1.0


cdef void read_classic(const LcpProblem* problem, const int* ints, Py_ssize_t N, const double* y,
                       double unit, double* x) noexcept nogil:
    cdef Py_ssize_t i, v
    for i in range(problem.n):
        x[i] = offset_of(problem, i)
    for v in range(N):
        if ints[N + v] != 0:
            x[ints[v]] += ints[N + v] * y[v] * unit
