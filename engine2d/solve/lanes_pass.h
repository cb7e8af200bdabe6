/* The passes over blocks of four manifolds, in the words of a backend; included by lanes.h once for
   each of them. docs/maths/iterative_solver.md has the equations. */

#define ADD LANE_NAME(add)
#define SUB LANE_NAME(sub)
#define MUL LANE_NAME(mul)
#define LOAD LANE_NAME(load)
#define STORE LANE_NAME(store)

/* Speeds along n and t of the bodies, of which a block's impulses change these alone. */
typedef struct {
    V un, wa, wb;              /* m/s along n, A minus B; rad/s */
    V ia, ib, both;            /* 1/(kg m^2); 1/kg, A plus B */
    V far, ta, tb;             /* m along n and rad that they have come since the step began */
    V sum_n;                   /* N s given so far */
} LANE_NAME(Pair);

typedef struct {
    V inv_h, rate, mass_scale, impulse_scale, slowest, deep;
} LANE_NAME(Rules);

/* One point's normal impulse. rigid: overlaps are left alone. */
LANE_INLINE LANE_TARGET void LANE_NAME(press)(LANE_NAME(Pair) *s, LanePoint *at,
                                              const LANE_NAME(Rules) *rules, const int relax) {
    V zero = LANE_NAME(set)(0.0);
    V ra = LOAD(at->ra), rb = LOAD(at->rb), mass = LOAD(at->mass), old = LOAD(at->p);
    V gap = relax ? ADD(LOAD(at->gap), ADD(s->far, SUB(MUL(ra, s->ta), MUL(rb, s->tb))))
                  : LOAD(at->now);
    V speed = ADD(s->un, SUB(MUL(ra, s->wa), MUL(rb, s->wb)));
    V open = MUL(gap, rules->inv_h);
    V p, given;
    if (relax) {
        STORE(at->now, gap);
        p = SUB(old, MUL(mass, ADD(speed, LANE_NAME(greater)(open, zero))));
    } else {
        V one = LANE_NAME(set)(1.0);
        V out = LANE_NAME(greater)(MUL(rules->rate, gap), rules->slowest);
        V bias = LANE_NAME(if_positive)(gap, open, out);
        /* deep ones push as if rigid: the spring of a light body gives way to a heavy one */
        V shallow = ADD(gap, rules->deep);
        V share = LANE_NAME(if_positive)(shallow, rules->mass_scale, one);
        V leak = LANE_NAME(if_positive)(shallow, rules->impulse_scale, zero);
        share = LANE_NAME(if_positive)(gap, one, share);
        leak = LANE_NAME(if_positive)(gap, zero, leak);
        p = SUB(SUB(old, MUL(MUL(mass, share), ADD(speed, bias))), MUL(leak, old));
    }
    p = LANE_NAME(greater)(p, zero);
    given = SUB(p, old);
    STORE(at->p, p);
    if (relax) STORE(at->sum, ADD(LOAD(at->sum), p));
    s->sum_n = ADD(s->sum_n, given);
    s->un = ADD(s->un, MUL(s->both, given));
    s->wa = ADD(s->wa, MUL(MUL(s->ia, ra), given));
    s->wb = SUB(s->wb, MUL(MUL(s->ib, rb), given));
}

/* One block: friction first, since gaps matter more, then the points. */
LANE_INLINE LANE_TARGET void LANE_NAME(solve)(LaneLine *lines, LaneBlock *m,
                                              const LANE_NAME(Rules) *rules, const int relax) {
    LANE_NAME(Pair) s;
    double *a0 = &lines[m->a[0]].vx, *a1 = &lines[m->a[1]].vx;
    double *a2 = &lines[m->a[2]].vx, *a3 = &lines[m->a[3]].vx;
    double *b0 = &lines[m->b[0]].vx, *b1 = &lines[m->b[1]].vx;
    double *b2 = &lines[m->b[2]].vx, *b3 = &lines[m->b[3]].vx;
    V nx = LOAD(m->nx), ny = LOAD(m->ny);
    V ra = LOAD(m->ra), rb = LOAD(m->rb), old = LOAD(m->p), zero = LANE_NAME(set)(0.0);
    V most, p, sum_t, ux, uy;

    /* bodies to vectors: each body is one row, each quantity one column */
    V avx = LOAD(a0), avy = LOAD(a1), aw = LOAD(a2), ai = LOAD(a3);
    V bvx = LOAD(b0), bvy = LOAD(b1), bw = LOAD(b2), bi = LOAD(b3);
    V am = LOAD(m->inv_ma), bm = LOAD(m->inv_mb);
    LANE_NAME(turn)(&avx, &avy, &aw, &ai);
    LANE_NAME(turn)(&bvx, &bvy, &bw, &bi);

    ux = SUB(avx, bvx);
    uy = SUB(avy, bvy);
    s.un = ADD(MUL(nx, ux), MUL(ny, uy));
    if (relax) {
        /* bodies have come somewhere else; a soft pass finds them where the last one left them */
        V adx = LOAD(a0 + 4), ady = LOAD(a1 + 4), at = LOAD(a2 + 4), a4 = LOAD(a3 + 4);
        V bdx = LOAD(b0 + 4), bdy = LOAD(b1 + 4), bt = LOAD(b2 + 4), b4 = LOAD(b3 + 4);
        LANE_NAME(turn)(&adx, &ady, &at, &a4);
        LANE_NAME(turn)(&bdx, &bdy, &bt, &b4);
        s.far = ADD(MUL(nx, SUB(adx, bdx)), MUL(ny, SUB(ady, bdy)));
        s.ta = at;
        s.tb = bt;
    }
    s.wa = aw;
    s.wb = bw;
    s.ia = ai;
    s.ib = bi;
    s.both = ADD(am, bm);
    s.sum_n = zero;

    /* friction, as much as the present normal impulses allow */
    most = LOAD(m->point[0].p);
    if (m->n_points == 2) most = ADD(most, LOAD(m->point[1].p));
    most = MUL(LOAD(m->mu), most);
    p = ADD(SUB(MUL(nx, uy), MUL(ny, ux)), SUB(MUL(ra, aw), MUL(rb, bw)));
    p = SUB(old, MUL(LOAD(m->mass), ADD(p, LOAD(m->drive))));
    p = LANE_NAME(greater)(SUB(zero, most), LANE_NAME(lesser)(p, most));
    STORE(m->p, p);
    if (relax) STORE(m->sum, ADD(LOAD(m->sum), p));
    sum_t = SUB(p, old);
    s.wa = ADD(s.wa, MUL(MUL(ai, ra), sum_t));
    s.wb = SUB(s.wb, MUL(MUL(bi, rb), sum_t));

    LANE_NAME(press)(&s, &m->point[0], rules, relax);
    if (m->n_points == 2) LANE_NAME(press)(&s, &m->point[1], rules, relax);

    /* what was given along n and t, to the bodies */
    ux = SUB(MUL(nx, s.sum_n), MUL(ny, sum_t));
    uy = ADD(MUL(ny, s.sum_n), MUL(nx, sum_t));
    avx = ADD(avx, MUL(am, ux));
    avy = ADD(avy, MUL(am, uy));
    bvx = SUB(bvx, MUL(bm, ux));
    bvy = SUB(bvy, MUL(bm, uy));
    aw = s.wa;
    bw = s.wb;
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
    V old_n = LOAD(at->p), old_t = LOAD(m->p), mass = LOAD(at->mass), most, ux, uy, p, n, t, bias;
    V avx = LOAD(a[0]), avy = LOAD(a[1]), aw = LOAD(a[2]), ai = LOAD(a[3]);
    V bvx = LOAD(b[0]), bvy = LOAD(b[1]), bw = LOAD(b[2]), bi = LOAD(b[3]);
    LANE_NAME(turn)(&avx, &avy, &aw, &ai);
    LANE_NAME(turn)(&bvx, &bvy, &bw, &bi);
    ux = SUB(avx, bvx);
    uy = SUB(avy, bvy);

    /* what the gap asks for */
    if (relax) {
        double *da[4], *db[4];
        V dx, dy, gap;
        for (int k = 0; k < 4; k++) {
            da[k] = a[k] + 4;
            db[k] = b[k] + 4;
        }
        LANE_NAME(apart)(da, db, &dx, &dy);
        gap = ADD(LOAD(at->gap), ADD(MUL(nx, dx), MUL(ny, dy)));
        STORE(at->now, gap);
        bias = LANE_NAME(greater)(MUL(gap, rules->inv_h), zero);
        p = old_n;
    } else {
        /* the spring gives and takes back in shares that add up to 1; what a gap may close by in
           a sub-step is more than a spring would ask for, so that the greatest one is right */
        V one = LANE_NAME(set)(1.0), gap = LOAD(at->now);
        V share = LANE_NAME(if_positive)(ADD(gap, rules->deep), rules->mass_scale, one);
        share = LANE_NAME(if_positive)(gap, one, share);
        bias = LANE_NAME(greater)(LANE_NAME(greater)(MUL(rules->rate, gap), rules->slowest),
                                  MUL(gap, rules->inv_h));
        mass = MUL(mass, share);
        p = MUL(share, old_n);
    }

    /* friction, as much as the last normal impulse allows */
    most = MUL(LOAD(m->mu), old_n);
    t = ADD(SUB(MUL(nx, uy), MUL(ny, ux)), ADD(SUB(MUL(ra, aw), MUL(rb, bw)), LOAD(m->drive)));
    t = SUB(old_t, MUL(LOAD(m->mass), t));
    t = LANE_NAME(greater)(SUB(zero, most), LANE_NAME(lesser)(t, most));
    STORE(m->p, t);
    if (relax) STORE(m->sum, ADD(LOAD(m->sum), t));
    t = SUB(t, old_t);

    n = ADD(ADD(MUL(nx, ux), MUL(ny, uy)), bias);
    n = LANE_NAME(greater)(SUB(p, MUL(mass, n)), zero);
    STORE(at->p, n);
    if (relax) STORE(at->sum, ADD(LOAD(at->sum), n));
    n = SUB(n, old_n);

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
    else
        LANE_NAME(solve)(lines, m, rules, relax);
}

static LANE_TARGET void LANE_NAME(soft_pass)(LaneLine *lines, LaneBlock *blocks, int32_t n,
                                             const LaneSoft *soft, double h, double fastest,
                                             int backwards) {
    LANE_NAME(Rules) rules;
    rules.inv_h = LANE_NAME(set)(1.0 / h);
    rules.rate = LANE_NAME(set)(soft->rate);
    rules.mass_scale = LANE_NAME(set)(soft->mass_scale);
    rules.impulse_scale = LANE_NAME(set)(soft->impulse_scale);
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

/* Velocities through a sub-step without contacts, and what contacts gave in the last one. */
static LANE_TARGET void LANE_NAME(drive_lines)(LaneLine *lines, LaneDrive *drives, int32_t n,
                                               double h) {
    V time = LANE_NAME(set)(h);
    for (int32_t k = 0; k < n; k++) {
        V v = LOAD(&lines[k].vx), given = SUB(v, LOAD(&drives[k].vx0));
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
   bodies as they move. */
static LANE_TARGET double LANE_NAME(sum_gain)(const LaneLine *lines, const LaneDrive *drives,
                                              const LaneMass *masses, int32_t n, double *forced,
                                              double *kinetic) {
    double out[4];
    V gain[2], pull[2], all[2];
    gain[0] = gain[1] = pull[0] = pull[1] = all[0] = all[1] = LANE_NAME(set)(0.0);
    for (int32_t k = 0; k < n; k++) {
        V v = LOAD(&lines[k].vx), v0 = LOAD(&drives[k].vx0);
        V mass = LOAD(&masses[k].m), given = MUL(mass, SUB(v, v0));
        gain[k & 1] = ADD(gain[k & 1], MUL(given, ADD(v, v0)));
        pull[k & 1] = ADD(pull[k & 1], MUL(given, LOAD(&drives[k].ax)));
        all[k & 1] = ADD(all[k & 1], MUL(mass, MUL(v, v)));
    }
    STORE(out, ADD(pull[0], pull[1]));
    *forced = out[0] + out[1] + out[2];
    STORE(out, ADD(all[0], all[1]));
    *kinetic = 0.5 * (out[0] + out[1] + out[2]);
    STORE(out, ADD(gain[0], gain[1]));
    return 0.5 * (out[0] + out[1] + out[2]);
}

/* Add a share of their velocities to these and to those before contacts, where there is a mass;
   returns what contacts gave then (J). */
static LANE_TARGET double LANE_NAME(scale_lines)(LaneLine *lines, LaneDrive *drives,
                                                 const LaneMass *masses, int32_t n, double share) {
    double out[4];
    V all = LANE_NAME(set)(share), zero = LANE_NAME(set)(0.0), gain[2];
    gain[0] = gain[1] = zero;
    for (int32_t k = 0; k < n; k++) {
        V v = LOAD(&lines[k].vx), v0 = LOAD(&drives[k].vx0), mass = LOAD(&masses[k].m);
        V more = MUL(LANE_NAME(if_positive)(mass, all, zero), v);
        v = ADD(v, more);
        v0 = ADD(v0, more);
        STORE(&lines[k].vx, v);
        STORE(&drives[k].vx0, v0);
        gain[k & 1] = ADD(gain[k & 1], MUL(MUL(mass, SUB(v, v0)), ADD(v, v0)));
    }
    STORE(out, ADD(gain[0], gain[1]));
    return 0.5 * (out[0] + out[1] + out[2]);
}

#undef ADD
#undef SUB
#undef MUL
#undef LOAD
#undef STORE
