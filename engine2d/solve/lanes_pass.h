/* The passes over blocks of four manifolds, in the words of a backend; included by lanes.h once for
   each of them. docs/maths/iterative_solver.md has the equations. */

#define ADD LANE_NAME(add)
#define SUB LANE_NAME(sub)
#define MUL LANE_NAME(mul)
#define LOAD LANE_NAME(load)
#define STORE LANE_NAME(store)

typedef struct {
    V inv_h, rate, mass_scale, slowest, deep;
} LANE_NAME(Rules);

/* One point of a block: arms, what a unit impulse turns, and what its gap asks for. An impulse on it
   becomes max(0, keep - mass * (speed + bias)). */
typedef struct {
    V ra, rb, ta, tb;          /* m; rad/s per N s, of A and the other way of B */
    V old, keep, mass, bias;   /* N s, N s, kg, m/s */
    V speed;                   /* m/s, of the surfaces when the pass came here */
} LANE_NAME(Press);

/* What the gap of a point asks for: a speed, in a rigid pass (relax) none for overlaps. */
LANE_INLINE LANE_TARGET void LANE_NAME(ask)(const LANE_NAME(Rules) *rules, const int relax, V gap,
                                            LANE_NAME(Press) *s) {
    V zero = LANE_NAME(set)(0.0), one = LANE_NAME(set)(1.0), share;
    if (relax) {
        s->bias = LANE_NAME(greater)(MUL(gap, rules->inv_h), zero);
        s->keep = s->old;
        return;
    }
    /* Deep ones push as if rigid: the spring of a light body gives way to a heavy one. What a spring
       leaves of an impulse and what it adds are shares of 1. A gap may close by more than a spring
       would ask for: the greatest is right for both. */
    share = LANE_NAME(if_positive)(ADD(gap, rules->deep), rules->mass_scale, one);
    share = LANE_NAME(if_positive)(gap, one, share);
    s->bias = LANE_NAME(greater)(
        LANE_NAME(greater)(MUL(rules->rate, gap), rules->slowest), MUL(gap, rules->inv_h));
    s->mass = MUL(s->mass, share);
    s->keep = MUL(s->old, share);
}

LANE_INLINE LANE_TARGET void LANE_NAME(begin)(LanePoint *at, const LANE_NAME(Rules) *rules,
                                              const int relax, V un, V far, V turned_a, V turned_b,
                                              V wa, V wb, V ia, V ib, LANE_NAME(Press) *s) {
    V gap;
    s->ra = LOAD(at->ra);
    s->rb = LOAD(at->rb);
    s->old = LOAD(at->p);
    s->mass = LOAD(at->mass);
    if (relax) {
        gap = ADD(LOAD(at->gap), ADD(far, SUB(MUL(s->ra, turned_a), MUL(s->rb, turned_b))));
        STORE(at->now, gap);
    } else {
        gap = LOAD(at->now);
    }
    LANE_NAME(ask)(rules, relax, gap, s);
    s->ta = MUL(ia, s->ra);
    s->tb = MUL(ib, s->rb);
    s->speed = ADD(ADD(un, SUB(MUL(s->ra, wa), MUL(s->rb, wb))), s->bias);
}

/* The impulse of a point, whose speed is up to date; returns what it gave more than before. */
LANE_INLINE LANE_TARGET V LANE_NAME(press)(LanePoint *at, const int relax,
                                           const LANE_NAME(Press) *s) {
    V p = LANE_NAME(greater)(SUB(s->keep, MUL(s->mass, s->speed)), LANE_NAME(set)(0.0));
    STORE(at->p, p);
    if (relax) STORE(at->sum, ADD(LOAD(at->sum), p));
    return SUB(p, s->old);
}

/* One block: friction first, since gaps matter more, then the points. What an impulse changes at the
   rows after it goes there at once, not by way of the bodies: they wait less for each other. */
LANE_INLINE LANE_TARGET void LANE_NAME(solve)(LaneLine *lines, LaneBlock *m,
                                              const LANE_NAME(Rules) *rules, const int relax,
                                              const int two) {
    LANE_NAME(Press) s, s2;
    double *a0 = &lines[m->a[0]].vx, *a1 = &lines[m->a[1]].vx;
    double *a2 = &lines[m->a[2]].vx, *a3 = &lines[m->a[3]].vx;
    double *b0 = &lines[m->b[0]].vx, *b1 = &lines[m->b[1]].vx;
    double *b2 = &lines[m->b[2]].vx, *b3 = &lines[m->b[3]].vx;
    V nx = LOAD(m->nx), ny = LOAD(m->ny);
    V ra = LOAD(m->ra), rb = LOAD(m->rb), old = LOAD(m->p), zero = LANE_NAME(set)(0.0);
    V most, p, t, n, n2, ux, uy, un, ta, tb, far = zero, turned_a = zero, turned_b = zero;

    /* bodies to vectors: each body is one row, each quantity one column */
    V avx = LOAD(a0), avy = LOAD(a1), aw = LOAD(a2), ai = LOAD(a3);
    V bvx = LOAD(b0), bvy = LOAD(b1), bw = LOAD(b2), bi = LOAD(b3);
    V am = LOAD(m->inv_ma), bm = LOAD(m->inv_mb);
    LANE_NAME(turn)(&avx, &avy, &aw, &ai);
    LANE_NAME(turn)(&bvx, &bvy, &bw, &bi);

    ux = SUB(avx, bvx);
    uy = SUB(avy, bvy);
    un = ADD(MUL(nx, ux), MUL(ny, uy));
    if (relax) {
        /* bodies have come somewhere else; a soft pass finds them where the last one left them */
        V adx = LOAD(a0 + 4), ady = LOAD(a1 + 4), at = LOAD(a2 + 4), a4 = LOAD(a3 + 4);
        V bdx = LOAD(b0 + 4), bdy = LOAD(b1 + 4), bt = LOAD(b2 + 4), b4 = LOAD(b3 + 4);
        LANE_NAME(turn)(&adx, &ady, &at, &a4);
        LANE_NAME(turn)(&bdx, &bdy, &bt, &b4);
        far = ADD(MUL(nx, SUB(adx, bdx)), MUL(ny, SUB(ady, bdy)));
        turned_a = at;
        turned_b = bt;
    }
    LANE_NAME(begin)(&m->point[0], rules, relax, un, far, turned_a, turned_b, aw, bw, ai, bi, &s);
    if (two)
        LANE_NAME(begin)(&m->point[1], rules, relax, un, far, turned_a, turned_b, aw, bw, ai, bi,
                         &s2);

    /* friction, as much as the present normal impulses allow */
    most = MUL(LOAD(m->mu), two ? ADD(s.old, s2.old) : s.old);
    ta = MUL(ai, ra);
    tb = MUL(bi, rb);
    p = ADD(SUB(MUL(nx, uy), MUL(ny, ux)), ADD(SUB(MUL(ra, aw), MUL(rb, bw)), LOAD(m->drive)));
    p = SUB(old, MUL(LOAD(m->mass), p));
    p = LANE_NAME(greater)(SUB(zero, most), LANE_NAME(lesser)(p, most));
    STORE(m->p, p);
    if (relax) STORE(m->sum, ADD(LOAD(m->sum), p));
    t = SUB(p, old);
    s.speed = ADD(s.speed, MUL(ADD(MUL(ta, s.ra), MUL(tb, s.rb)), t));
    n = LANE_NAME(press)(&m->point[0], relax, &s);
    aw = ADD(aw, ADD(MUL(ta, t), MUL(s.ta, n)));
    bw = SUB(bw, ADD(MUL(tb, t), MUL(s.tb, n)));
    if (two) {
        V both = ADD(ADD(am, bm), ADD(MUL(s.ta, s2.ra), MUL(s.tb, s2.rb)));
        s2.speed = ADD(s2.speed, MUL(ADD(MUL(ta, s2.ra), MUL(tb, s2.rb)), t));
        s2.speed = ADD(s2.speed, MUL(both, n));
        n2 = LANE_NAME(press)(&m->point[1], relax, &s2);
        aw = ADD(aw, MUL(s2.ta, n2));
        bw = SUB(bw, MUL(s2.tb, n2));
        n = ADD(n, n2);
    }

    /* what was given along n and t, to the bodies */
    ux = SUB(MUL(nx, n), MUL(ny, t));
    uy = ADD(MUL(ny, n), MUL(nx, t));
    avx = ADD(avx, MUL(am, ux));
    avy = ADD(avy, MUL(am, uy));
    bvx = SUB(bvx, MUL(bm, ux));
    bvy = SUB(bvy, MUL(bm, uy));
    LANE_NAME(turn)(&avx, &avy, &aw, &ai);
    LANE_NAME(turn)(&bvx, &bvy, &bw, &bi);
    STORE(a0, avx);
    STORE(a1, avy);
    STORE(a2, aw);
    STORE(a3, ai);
    STORE(b0, bvx);
    STORE(b1, bvy);
    STORE(b2, bw);
    STORE(b3, bi);
}

/* The same for a block of round ones: no turning changes their gaps, so that friction and the normal
   impulse do not wait for each other. */
LANE_INLINE LANE_TARGET void LANE_NAME(solve_round)(LaneLine *lines, LaneBlock *m,
                                                    const LANE_NAME(Rules) *rules,
                                                    const int relax) {
    LanePoint *at = &m->point[0];
    double *a[4], *b[4];
    for (int k = 0; k < 4; k++) {
        a[k] = &lines[m->a[k]].vx;
        b[k] = &lines[m->b[k]].vx;
    }
    V nx = LOAD(m->nx), ny = LOAD(m->ny), ra = LOAD(m->ra), rb = LOAD(m->rb);
    V zero = LANE_NAME(set)(0.0), am = LOAD(m->inv_ma), bm = LOAD(m->inv_mb);
    V old = LOAD(m->p), most, gap, ux, uy, n, t;
    LANE_NAME(Press) press;
    V avx = LOAD(a[0]), avy = LOAD(a[1]), aw = LOAD(a[2]), ai = LOAD(a[3]);
    V bvx = LOAD(b[0]), bvy = LOAD(b[1]), bw = LOAD(b[2]), bi = LOAD(b[3]);
    LANE_NAME(turn)(&avx, &avy, &aw, &ai);
    LANE_NAME(turn)(&bvx, &bvy, &bw, &bi);
    ux = SUB(avx, bvx);
    uy = SUB(avy, bvy);

    press.old = LOAD(at->p);
    press.mass = LOAD(at->mass);
    if (relax) {
        double *da[4], *db[4];
        V dx, dy;
        for (int k = 0; k < 4; k++) {
            da[k] = a[k] + 4;
            db[k] = b[k] + 4;
        }
        LANE_NAME(apart)(da, db, &dx, &dy);
        gap = ADD(LOAD(at->gap), ADD(MUL(nx, dx), MUL(ny, dy)));
        STORE(at->now, gap);
    } else {
        gap = LOAD(at->now);
    }
    LANE_NAME(ask)(rules, relax, gap, &press);
    press.speed = ADD(ADD(MUL(nx, ux), MUL(ny, uy)), press.bias);

    /* friction, as much as the last normal impulse allows */
    most = MUL(LOAD(m->mu), press.old);
    t = ADD(SUB(MUL(nx, uy), MUL(ny, ux)), ADD(SUB(MUL(ra, aw), MUL(rb, bw)), LOAD(m->drive)));
    t = SUB(old, MUL(LOAD(m->mass), t));
    t = LANE_NAME(greater)(SUB(zero, most), LANE_NAME(lesser)(t, most));
    STORE(m->p, t);
    if (relax) STORE(m->sum, ADD(LOAD(m->sum), t));
    t = SUB(t, old);
    n = LANE_NAME(press)(at, relax, &press);

    /* what was given along n and t, to the bodies */
    ux = SUB(MUL(nx, n), MUL(ny, t));
    uy = ADD(MUL(ny, n), MUL(nx, t));
    avx = ADD(avx, MUL(am, ux));
    avy = ADD(avy, MUL(am, uy));
    bvx = SUB(bvx, MUL(bm, ux));
    bvy = SUB(bvy, MUL(bm, uy));
    aw = ADD(aw, MUL(MUL(ai, ra), t));
    bw = SUB(bw, MUL(MUL(bi, rb), t));
    LANE_NAME(turn)(&avx, &avy, &aw, &ai);
    LANE_NAME(turn)(&bvx, &bvy, &bw, &bi);
    STORE(a[0], avx);
    STORE(a[1], avy);
    STORE(a[2], aw);
    STORE(a[3], ai);
    STORE(b[0], bvx);
    STORE(b[1], bvy);
    STORE(b[2], bw);
    STORE(b[3], bi);
}

LANE_INLINE LANE_TARGET void LANE_NAME(solve_any)(LaneLine *lines, LaneBlock *m,
                                                  const LANE_NAME(Rules) *rules, const int relax) {
    if (m->is_round)
        LANE_NAME(solve_round)(lines, m, rules, relax);
    else if (m->n_points == 2)
        LANE_NAME(solve)(lines, m, rules, relax, 1);
    else
        LANE_NAME(solve)(lines, m, rules, relax, 0);
}

static LANE_TARGET void LANE_NAME(soft_pass)(LaneLine *lines, LaneBlock *blocks, int32_t n,
                                             const LaneSoft *soft, double h, double fastest,
                                             int backwards) {
    LANE_NAME(Rules) rules;
    rules.inv_h = LANE_NAME(set)(1.0 / h);
    rules.rate = LANE_NAME(set)(soft->rate);
    rules.mass_scale = LANE_NAME(set)(soft->mass_scale);
    rules.slowest = LANE_NAME(set)(-fastest);
    rules.deep = LANE_NAME(set)(soft->deep);
    for (int32_t k = 0; k < n; k++)
        LANE_NAME(solve_any)(lines, &blocks[backwards ? n - 1 - k : k], &rules, 0);
}

static LANE_TARGET void LANE_NAME(rigid_pass)(LaneLine *lines, LaneBlock *blocks, int32_t n,
                                              double h) {
    LANE_NAME(Rules) rules;
    rules.inv_h = LANE_NAME(set)(1.0 / h);
    for (int32_t k = 0; k < n; k++) LANE_NAME(solve_any)(lines, &blocks[k], &rules, 1);
}

/* ---- bodies, each in a vector of its own: x, y, turning, and what never changes ---- */

/* Velocities through a sub-step without contacts, and what contacts gave in the last one. share: of
   the velocities, added first where there is a mass, and to those before contacts as much. */
static LANE_TARGET void LANE_NAME(drive_lines)(LaneLine *lines, LaneDrive *drives,
                                               const LaneMass *masses, int32_t n, double h,
                                               double share) {
    V time = LANE_NAME(set)(h), all = LANE_NAME(set)(share), zero = LANE_NAME(set)(0.0);
    for (int32_t k = 0; k < n; k++) {
        V v = LOAD(&lines[k].vx), given = SUB(v, LOAD(&drives[k].vx0));
        if (share != 0.0)
            v = ADD(v, MUL(LANE_NAME(if_positive)(LOAD(&masses[k].m), all, zero), v));
        v = ADD(v, MUL(time, LOAD(&drives[k].ax)));
        STORE(&drives[k].vx0, v);
        STORE(&lines[k].vx, ADD(v, given));
    }
}

/* Bodies that nothing pushed fly a parabola; the others move as they do at the end. */
static LANE_TARGET void LANE_NAME(move_lines)(LaneLine *lines, const LaneDrive *drives, int32_t n,
                                              double h) {
    const double times[4] = {h, h, h, 0.0};
    V time = LOAD(times), half = LANE_NAME(set)(0.5 * h * h);
    for (int32_t k = 0; k < n; k++) {
        V v = LOAD(&lines[k].vx), d = ADD(LOAD(&lines[k].dx), MUL(time, v));
        if (LANE_NAME(same)(v, LOAD(&drives[k].vx0))) d = SUB(d, MUL(half, LOAD(&drives[k].ax)));
        STORE(&lines[k].dx, d);
    }
}

/* J, that contacts gave to bodies; forced: W, of external forces on what they gave; kinetic: J, of
   bodies as they move; along: J, of what they gave along that motion. */
static LANE_TARGET double LANE_NAME(sum_gain)(const LaneLine *lines, const LaneDrive *drives,
                                              const LaneMass *masses, int32_t n, double *forced,
                                              double *kinetic, double *along) {
    double out[4];
    V gain[2], pull[2], all[2], way[2];
    gain[0] = gain[1] = pull[0] = pull[1] = LANE_NAME(set)(0.0);
    all[0] = all[1] = way[0] = way[1] = gain[0];
    for (int32_t k = 0; k < n; k++) {
        V v = LOAD(&lines[k].vx), v0 = LOAD(&drives[k].vx0);
        V mass = LOAD(&masses[k].m), given = MUL(mass, SUB(v, v0));
        gain[k & 1] = ADD(gain[k & 1], MUL(given, ADD(v, v0)));
        pull[k & 1] = ADD(pull[k & 1], MUL(given, LOAD(&drives[k].ax)));
        way[k & 1] = ADD(way[k & 1], MUL(given, v));
        all[k & 1] = ADD(all[k & 1], MUL(mass, MUL(v, v)));
    }
    STORE(out, ADD(pull[0], pull[1]));
    *forced = out[0] + out[1] + out[2];
    STORE(out, ADD(way[0], way[1]));
    *along = out[0] + out[1] + out[2];
    STORE(out, ADD(all[0], all[1]));
    *kinetic = 0.5 * (out[0] + out[1] + out[2]);
    STORE(out, ADD(gain[0], gain[1]));
    return 0.5 * (out[0] + out[1] + out[2]);
}

/* Add a share of their velocities to these and to those before contacts, where there is a mass. */
static LANE_TARGET void LANE_NAME(scale_lines)(LaneLine *lines, LaneDrive *drives,
                                               const LaneMass *masses, int32_t n, double share) {
    V all = LANE_NAME(set)(share), zero = LANE_NAME(set)(0.0);
    for (int32_t k = 0; k < n; k++) {
        V v = LOAD(&lines[k].vx), v0 = LOAD(&drives[k].vx0);
        V more = MUL(LANE_NAME(if_positive)(LOAD(&masses[k].m), all, zero), v);
        STORE(&lines[k].vx, ADD(v, more));
        STORE(&drives[k].vx0, ADD(v0, more));
    }
}

#undef ADD
#undef SUB
#undef MUL
#undef LOAD
#undef STORE
