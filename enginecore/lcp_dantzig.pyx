"""Dantzig's pivoting as Baraff uses it, on a Cholesky factor that gains and loses single rows.

The rows are kept permuted: the first k are *free* (w = 0, x between its bounds, rows linearly
independent), the others *held* (x stays where it is). First a block phase guesses the free set,
many rows at a time; what it leaves wrong, pivoting puts right one row after another: drive row i
to w = 0 while free rows keep w = 0, until a free x meets a bound or a held w meets zero.
"""

from libc.math cimport INFINITY, fabs

from enginecore.dense cimport add_product, axpy, cholesky_backward, dot, lu_factor, lu_solve
from enginecore.lcp cimport clamp, is_friction
from enginecore.lcp_free_set cimport (Pivoting, add_free, append_free, cleaned_pivot, drop_free,
                                      drop_marked, exchange_places, find_held_w, is_wrong,
                                      noise_of, pivot_of, refine_sum, solve_free)

cdef enum:
    PIVOTS_PER_ROW = 30     # limit when the caller sets none
    GUESS_SWEEPS = 3        # Gauss-Seidel sweeps that guess the first free set
    PATIENCE = 1            # block exchanges without progress before single pivots take over
    REFINEMENTS = 4         # solutions of one free set, each from the error of the one before
    CHECKS = 5              # times the finished answer may be sent back for repair
    FRICTION_ROUNDS = 60    # times the friction bounds are brought up to date

cdef double FLAT_DIRECTION = 1e-11  # a direction below this part of the largest does not move
cdef double LU_EPS = 1e-12      # smallest pivot of the system of slipping rows
cdef double ZERO = 2e-14        # A v below this times the sum of |v| is rounding
cdef double REACH = 1e10        # a null vector is a proof if an answer would have to exceed this
cdef double EPSILON = 2.220446049250313e-16
cdef double START = 1e6         # a start beyond this (largest |b| is 1) is worth nothing
cdef double BOUND_EPS = 1e-14   # friction bounds that agree to this are up to date


cdef StatusCode solve_dantzig(const LcpProblem* problem, LcpWorkspace* work,
                              const LcpOptions* options, double* x, int* iterations) noexcept nogil:
    """Pivot from the start in x if options.warm, else from a guess; see lcp.pxd."""
    cdef Pivoting s
    cdef StatusCode status
    cdef Py_ssize_t i
    lay_out(&s, problem, work)
    s.limit = options.max_iterations if options.max_iterations > 0 else <int>(
        PIVOTS_PER_ROW * (s.n + 10))
    begin(&s, problem, options.warm, x)
    if problem.normal == NULL:
        status = solve_box(&s)
    else:
        status = solve_friction(&s, problem)
    for i in range(s.n):
        x[s.index[i]] = s.x[i]
    iterations[0] = s.pivots
    return status


cdef void lay_out(Pivoting* s, const LcpProblem* problem, LcpWorkspace* work) noexcept nogil:
    cdef Py_ssize_t n = problem.n
    cdef double* reals = work.reals
    s.n = n
    s.k = 0
    s.b = reals
    s.lo = reals + n
    s.hi = reals + 2 * n
    s.x = reals + 3 * n
    s.w = reals + 4 * n
    s.move = reals + 5 * n
    s.slope = reals + 6 * n
    s.a = reals + 7 * n
    s.y = reals + 8 * n
    s.turns = reals + 9 * n
    s.P = reals + 11 * n
    s.L = s.P + n * n
    s.K = s.L + n * n
    s.index = work.ints
    s.place = work.ints + n
    s.member = work.ints + 2 * n
    s.rank = work.ints + 3 * n
    s.mark = work.ints + 4 * n
    s.order = work.ints + 5 * n
    s.pivots = 0
    s.indefinite = False


# The start ---------------------------------------------------------------------------------------

cdef void begin(Pivoting* s, const LcpProblem* problem, bint warm, double* x) noexcept nogil:
    """Permute the rows so that those between their bounds come first, and factor them."""
    cdef Py_ssize_t i, p = 0, candidates
    for i in range(s.n):
        warm = warm and fabs(x[i]) <= START
    if not warm:
        guess(problem, x)
    candidates = order_rows(s, problem, x)
    copy_rows(s, problem, x)
    # rows that depend on the ones before stay held; x there is worth nothing
    while p < candidates:
        if add_free(s, p):
            p += 1
        else:
            candidates -= 1
            s.x[p] = clamp(0.0, s.lo[p], s.hi[p])
            exchange_places(s, p, candidates)


cdef Py_ssize_t order_rows(Pivoting* s, const LcpProblem* problem, const double* x) noexcept nogil:
    """Fill `index` and `place`: rows between their bounds first, how many of which is returned."""
    cdef Py_ssize_t i, candidates, p = 0
    for i in range(s.n):
        s.mark[i] = is_between(problem, i, x)
        if s.mark[i]:
            s.index[p] = <int>i
            p += 1
    candidates = p
    for i in range(s.n):
        if not s.mark[i]:
            s.index[p] = <int>i
            p += 1
    for p in range(s.n):
        s.place[s.index[p]] = <int>p
    return candidates


cdef void copy_rows(Pivoting* s, const LcpProblem* problem, const double* x) noexcept nogil:
    """The problem in permuted order; friction bounds are zero for now."""
    cdef Py_ssize_t i, p, q, n = s.n
    cdef bint bounded
    for p in range(n):
        i = s.index[p]
        for q in range(n):
            s.P[p * n + q] = problem.A[i * n + s.index[q]]
        bounded = not is_friction(problem, i)
        s.b[p] = problem.b[i]
        s.lo[p] = problem.lo[i] if bounded else 0.0
        s.hi[p] = problem.hi[i] if bounded else 0.0
        s.x[p] = x[i]
        s.w[p] = 0.0
        s.mark[p] = 0


cdef bint is_between(const LcpProblem* problem, Py_ssize_t i, const double* x) noexcept nogil:
    """Whether x_i is strictly inside its bounds."""
    cdef double bound
    if is_friction(problem, i):
        bound = problem.mu[i] * x[problem.normal[i]]
        return -bound < x[i] < bound
    return problem.lo[i] < x[i] < problem.hi[i]


cdef void guess(const LcpProblem* problem, double* x) noexcept nogil:
    """A few projected Gauss-Seidel sweeps from zero; friction rows stay at zero."""
    cdef Py_ssize_t i, n = problem.n
    cdef int _sweep
    cdef double w
    for i in range(n):
        x[i] = 0.0 if is_friction(problem, i) else clamp(0.0, problem.lo[i], problem.hi[i])
    for _sweep in range(GUESS_SWEEPS):
        for i in range(n):
            if problem.A[i * n + i] > 0.0 and not is_friction(problem, i):
                w = dot(problem.A + i * n, x, n) + problem.b[i]
                x[i] = clamp(x[i] - w / problem.A[i * n + i], problem.lo[i], problem.hi[i])


# A problem with fixed bounds ---------------------------------------------------------------------

cdef StatusCode solve_box(Pivoting* s) noexcept nogil:
    """Block phase, then single pivots until a fresh look at every row finds nothing wrong.

    The first round of pivots is loose: x keeps its bounds and the energy x.Ax/2 + b.x falls with
    every move, but rows that were right may turn wrong again. Fewer pivots, usually. What it leaves
    is done by Baraff's rule: a row that is right stays right.
    """
    cdef StatusCode status = StatusCode.SOLVED
    cdef int check
    cdef double noise
    exchange_blocks(s)
    for check in range(CHECKS):
        find_held_w(s)
        noise = noise_of(s) * (1 << check)
        s.loose = check == 0
        if mark_done(s, noise) == s.n:
            break
        status = pivot_rows(s)
        settle_free(s)          # takes the rounding of the pivots off
        if status != StatusCode.SOLVED and not (
                s.loose and status == StatusCode.MAX_ITERATIONS):
            break
    return StatusCode.SINGULAR if s.indefinite else status


cdef Py_ssize_t mark_done(Pivoting* s, double noise) noexcept nogil:
    """Mark the rows that must stay right while others are driven; return how many are right."""
    cdef Py_ssize_t p, count = s.k
    cdef bint right
    for p in range(s.n):
        right = p < s.k or not is_wrong(s, p, noise)
        s.mark[p] = right and not s.loose
        count += p >= s.k and right
    return count


cdef void exchange_blocks(Pivoting* s) noexcept nogil:
    """Exchange all rows that are wrong at once, while that makes them fewer.

    Ends with the free x inside their bounds and their w zero. Proves nothing: what is still wrong
    is left to single pivots.
    """
    cdef Py_ssize_t wrong, fewest = s.n + 1
    cdef int patience = PATIENCE
    cdef double noise
    while s.pivots < s.limit and not s.indefinite:
        solve_free(s)
        noise = noise_of(s)
        wrong = mark_outside(s, noise)
        find_held_w(s)
        wrong += mark_held(s, noise)
        if wrong == 0:
            break
        patience = PATIENCE if wrong < fewest else patience - 1
        fewest = min(fewest, wrong)
        if patience < 0 or not exchange_marked(s):
            break
        s.pivots += 1
    settle_free(s)


cdef void settle_free(Pivoting* s) noexcept nogil:
    """Solve for the free x, holding those that leave their bounds, until all are inside.

    Once more while there is more than rounding to correct: the factor is not exact either.
    """
    cdef double error = INFINITY
    cdef int again = 0
    while error > noise_of(s) and again < REFINEMENTS:
        again += 1
        error = solve_free(s)
        if mark_outside(s, noise_of(s)) > 0:
            hold_marked(s)
            error = INFINITY
            again = 0


cdef Py_ssize_t mark_outside(Pivoting* s, double noise) noexcept nogil:
    """Mark and count the free rows whose x is outside its bounds."""
    cdef Py_ssize_t p, count = 0
    for p in range(s.k):
        s.mark[p] = s.x[p] < s.lo[p] - noise or s.x[p] > s.hi[p] + noise
        count += s.mark[p]
    return count


cdef Py_ssize_t mark_held(Pivoting* s, double noise) noexcept nogil:
    """Mark and count the held rows that break the conditions."""
    cdef Py_ssize_t p, count = 0
    for p in range(s.k, s.n):
        s.mark[p] = is_wrong(s, p, noise)
        count += s.mark[p]
    return count


cdef bint exchange_marked(Pivoting* s) noexcept nogil:
    """Hold the marked free rows, free the marked held ones; False when nothing could change."""
    cdef Py_ssize_t p, held = s.n - s.k
    cdef bint changed = hold_marked(s)
    for p in range(s.n - held, s.n):
        if s.mark[p] and add_free(s, p):
            changed = True
    return changed


cdef bint hold_marked(Pivoting* s) noexcept nogil:
    """Hold the marked free rows at the bound they passed; False when there is none."""
    cdef Py_ssize_t p, count = 0
    for p in range(s.k):
        if s.mark[p]:
            count += 1
            s.x[p] = clamp(s.x[p], s.lo[p], s.hi[p])
    if count > 2:
        drop_marked(s)
    elif count > 0:
        for p in range(s.k - 1, -1, -1):
            if s.mark[p]:
                drop_free(s, p)
    return count > 0


# Single pivots -----------------------------------------------------------------------------------

cdef StatusCode pivot_rows(Pivoting* s) noexcept nogil:
    """Drive the rows that are not marked as done, each time the one that is most wrong."""
    cdef Py_ssize_t i
    cdef StatusCode status
    while True:
        i = most_wrong(s)
        if i < 0:
            return StatusCode.SOLVED
        status = drive(s, i)
        if status != StatusCode.SOLVED:
            return status


cdef Py_ssize_t most_wrong(const Pivoting* s) noexcept nogil:
    """The row, by its number in the problem, with the largest wrong w; -1 when none is wrong."""
    cdef Py_ssize_t p, worst = -1
    cdef double noise = noise_of(s)
    for p in range(s.k, s.n):
        if not s.mark[p] and is_wrong(s, p, noise) and (
                worst < 0 or fabs(s.w[p]) > fabs(s.w[worst]) or (
                    fabs(s.w[p]) == fabs(s.w[worst]) and s.index[p] < s.index[worst])):
            worst = p
    return s.index[worst] if worst >= 0 else -1


cdef StatusCode drive(Pivoting* s, Py_ssize_t i) noexcept nogil:
    """Pivot until row i keeps its conditions; the rows that are done keep theirs throughout."""
    cdef StatusCode status
    cdef Py_ssize_t q = s.place[i]
    while q >= s.k and is_wrong(s, q, noise_of(s)):
        if s.pivots >= (s.limit // 2 if s.loose else s.limit):
            return StatusCode.MAX_ITERATIONS
        s.pivots += 1
        status = pivot_once(s, q)
        if status == StatusCode.SINGULAR:
            s.mark[q] = 1           # wrong by rounding only: looked at again after the pivots
            return StatusCode.SOLVED
        if status != StatusCode.SOLVED:
            return status
        q = s.place[i]
    if q >= s.k:
        s.mark[q] = not s.loose
        if s.lo[q] < s.x[q] < s.hi[q]:
            add_free(s, q)
    return StatusCode.SOLVED


cdef StatusCode pivot_once(Pivoting* s, Py_ssize_t q) noexcept nogil:
    """Move x_q towards w_q = 0 as far as the first row that must change sides; change it.

    SINGULAR, and nothing is done, if w_q is wrong by rounding only.
    """
    cdef Py_ssize_t stop, n = s.n
    cdef double direction = 1.0 if s.w[q] < 0.0 else -1.0
    cdef double pivot = find_direction(s, q, direction)
    cdef double step, far
    cdef bint itself = False
    if pivot == 0.0 and not is_clearly_wrong(s, q):
        return StatusCode.SINGULAR
    # how far until w_q is zero, or x_q at its bound
    step = fabs(s.w[q]) / pivot if pivot > 0.0 else INFINITY
    far = s.hi[q] - s.x[q] if direction > 0.0 else s.x[q] - s.lo[q]
    if far <= step:
        step = far
        itself = True
    stop = first_stop(s, pivot > 0.0, &step)
    if step == INFINITY:
        return StatusCode.NO_SOLUTION if proves_none(s, q, direction) else StatusCode.SINGULAR
    # go there
    axpy(step, s.move, s.x, s.k)
    s.x[q] += direction * step
    s.w[q] += direction * step * pivot
    if pivot > 0.0:
        axpy(step, s.slope + s.k, s.w + s.k, n - s.k)
    # change sides
    if stop < 0 and itself:
        s.x[q] = s.hi[q] if direction > 0.0 else s.lo[q]
    elif stop < 0:
        append_free(s, q, pivot)
    elif stop < s.k:
        s.x[stop] = s.hi[stop] if s.move[stop] > 0.0 else s.lo[stop]
        s.w[stop] = 0.0
        s.mark[stop] = not s.loose
        drop_free(s, stop)
    else:
        s.w[stop] = 0.0
        if not add_free(s, stop):
            s.mark[stop] = 0        # looked at again when the pivots are done
    return StatusCode.SOLVED


cdef bint is_clearly_wrong(const Pivoting* s, Py_ssize_t q) noexcept nogil:
    """Whether w of row q, which depends on the free rows, is more than the sum of their rounding.

    `move` holds the row as a sum of free rows.
    """
    cdef Py_ssize_t p
    cdef double sum = 1.0
    for p in range(s.k):
        sum += fabs(s.move[p])
    return fabs(s.w[q]) > sum * noise_of(s)


cdef bint proves_none(Pivoting* s, Py_ssize_t q, double direction) noexcept nogil:
    """Whether the move of x_q, which nothing stops, shows that there is no answer of sensible size.

    An answer has w.v >= 0 for every v that may be added to x for ever, so x.(A v) >= -b.v: hopeless
    if A v = 0 and b.v < 0. Both are only known up to rounding: what is proved is sum |x| > REACH.
    """
    cdef Py_ssize_t p, j, n = s.n
    cdef double* v = s.slope
    cdef double sum, size, gain = 0.0, total = 0.0
    for p in range(n):
        v[p] = s.move[p] if p < s.k else 0.0
        if (v[p] > 0.0 and s.hi[p] < INFINITY) or (v[p] < 0.0 and s.lo[p] > -INFINITY):
            v[p] = 0.0              # too small to count as a move
    v[q] = direction
    for p in range(n):
        gain -= s.b[p] * v[p]
        total += fabs(v[p])
    if not gain > 0.0:
        return False
    for p in range(n):
        sum = dot(s.P + p * n, v, n)
        size = 0.0
        for j in range(n):
            size += fabs(s.P[p * n + j] * v[j])
        if not (fabs(sum) <= ZERO * total and gain > REACH * max(fabs(sum), EPSILON * size)):
            return False
    return True


cdef double find_direction(Pivoting* s, Py_ssize_t q, double direction) noexcept nogil:
    """Fill `move` and `slope` for a unit step of x_q; return the change of w_q, 0 if rounding.

    Row q depending on the free rows moves along a null vector of A: no w changes at all.
    """
    cdef Py_ssize_t p, r
    cdef double* row = s.P + q * s.n
    cdef double pivot = pivot_of(s, q)
    for r in range(s.k):
        s.a[r] = s.y[r]
    cholesky_backward(s.L, s.n, s.k, s.a)
    pivot = cleaned_pivot(s, pivot, q)
    if pivot == 0.0:
        refine_sum(s, q)
    for r in range(s.k):
        s.move[s.member[r]] = -direction * s.a[r]
    if pivot > 0.0:
        for p in range(s.k, s.n):
            s.slope[p] = direction * row[p]
        add_product(s.P + s.k * s.n, s.n, s.n - s.k, s.k, s.move, s.slope + s.k)
        s.slope[q] = 0.0            # kept by the caller
    return pivot


cdef Py_ssize_t first_stop(const Pivoting* s, bint w_moves, double* step) noexcept nogil:
    """The row that stops the move before `step`, which it shortens; -1 when there is none.

    Of equal stops the first is taken.
    """
    cdef Py_ssize_t p, stop = -1
    cdef double far, slope, flat = 1.0
    for p in range(s.k):
        flat = max(flat, fabs(s.move[p]))
    flat *= FLAT_DIRECTION
    for p in range(s.k):
        slope = s.move[p]
        if fabs(slope) <= flat:
            continue
        far = ((s.hi[p] if slope > 0.0 else s.lo[p]) - s.x[p]) / slope
        far = max(far, 0.0)
        if far < step[0]:
            step[0], stop = far, p
    if not w_moves:
        return stop
    for p in range(s.k, s.n):
        slope = s.slope[p]
        if fabs(slope) <= FLAT_DIRECTION or not s.mark[p] or s.lo[p] == s.hi[p]:
            continue
        if (s.x[p] == s.lo[p] and slope < 0.0) or (s.x[p] == s.hi[p] and slope > 0.0):
            far = max(-s.w[p] / slope, 0.0)
            if far < step[0]:
                step[0], stop = far, p
    return stop


# Friction rows -----------------------------------------------------------------------------------

cdef StatusCode solve_friction(Pivoting* s, const LcpProblem* problem) noexcept nogil:
    """Solve with fixed friction bounds, bring the bounds up to date, and again.

    The update is a Newton step on bounds = mu x_n: the free and the slipping rows are solved
    together, as if each slipping row stayed on its side. Updates that do not bring the bounds
    closer alternate between the whole way and half of it.
    """
    cdef StatusCode status = StatusCode.SOLVED
    cdef int round
    cdef double error, least = INFINITY
    set_friction_bounds(s, problem, 1.0)
    for round in range(FRICTION_ROUNDS):
        status = solve_box(s)
        if status == StatusCode.NO_SOLUTION:
            return StatusCode.MAX_ITERATIONS    # none with these bounds: no proof for others
        if status != StatusCode.SOLVED:
            return status
        error = bound_error(s, problem)
        if error <= BOUND_EPS:
            return status
        if error < least:
            least = error
            if solve_slipping(s, problem):
                set_friction_bounds(s, problem, 1.0)
                continue
        set_friction_bounds(s, problem, 0.5 if round % 2 else 1.0)
    return StatusCode.MAX_ITERATIONS


cdef double bound_error(const Pivoting* s, const LcpProblem* problem) noexcept nogil:
    """How far the friction bounds are from mu times the normal x, as a part of the largest."""
    cdef Py_ssize_t i, p
    cdef double wanted, error = 0.0, largest = 1.0
    for i in range(s.n):
        if is_friction(problem, i):
            p = s.place[i]
            wanted = max(problem.mu[i] * s.x[s.place[problem.normal[i]]], 0.0)
            error = max(error, fabs(wanted - s.hi[p]))
            largest = max(largest, wanted)
    return error / largest


cdef void set_friction_bounds(Pivoting* s, const LcpProblem* problem, double part) noexcept nogil:
    """Move the friction bounds towards mu times the normal x; held rows at a bound go with it."""
    cdef Py_ssize_t i, p
    cdef double bound
    cdef bint low, high
    for i in range(s.n):
        if not is_friction(problem, i):
            continue
        p = s.place[i]
        bound = max(problem.mu[i] * s.x[s.place[problem.normal[i]]], 0.0)
        bound = s.hi[p] + part * (bound - s.hi[p])
        low = s.x[p] <= s.lo[p]
        high = s.x[p] >= s.hi[p]
        s.lo[p] = -bound
        s.hi[p] = bound
        if p >= s.k:
            if low and high:
                s.x[p] = 0.0 if s.w[p] == 0.0 else (-bound if s.w[p] > 0.0 else bound)
            elif low or high:
                s.x[p] = -bound if low else bound
            else:
                s.x[p] = clamp(s.x[p], -bound, bound)


cdef bint solve_slipping(Pivoting* s, const LcpProblem* problem) noexcept nogil:
    """Solve for the free x with slipping friction tied to its normal x; False when singular."""
    cdef Py_ssize_t i, j, p, q, k = s.k, n = s.n
    cdef double tie
    if k == 0:
        return False
    for i in range(k):
        for j in range(k):
            s.K[i * k + j] = s.P[i * n + j]
        s.w[i] = -s.b[i]
    for p in range(k, n):
        i = s.index[p]
        q = s.place[problem.normal[i]] if is_friction(problem, i) else n
        if q < k and (s.x[p] == s.hi[p] or s.x[p] == s.lo[p]):
            tie = problem.mu[i] if s.x[p] == s.hi[p] else -problem.mu[i]
            for j in range(k):
                s.K[j * k + q] += tie * s.P[j * n + p]
        elif s.x[p] != 0.0:
            for j in range(k):
                s.w[j] -= s.P[j * n + p] * s.x[p]
    if not lu_factor(s.K, k, k, LU_EPS, s.order):
        return False
    lu_solve(s.K, k, k, s.order, s.w)
    for j in range(k):
        s.x[j] = s.w[j]
    return True
