/* The pass over blocks of four manifolds, in the words of a backend; included once for each of them.
   docs/maths/solver3d.md has the equations. */

#ifndef FACE_ROUNDS
#define FACE_ROUNDS 2    /* of steps over the points of a face */
#endif
#define ADD LANE_NAME(add)
#define SUB LANE_NAME(sub)
#define MUL LANE_NAME(mul)
#define DIV LANE_NAME(div)
#define LOAD LANE_NAME(load)
#define STORE LANE_NAME(store)
#define MOST LANE_NAME(greater)
#define LEAST LANE_NAME(lesser)
#define PICK LANE_NAME(if_positive)
#define DOT(j, x) ADD(ADD(MUL(LOAD((j)[0]), (x)[0]), MUL(LOAD((j)[1]), (x)[1])), \
                      MUL(LOAD((j)[2]), (x)[2]))
#define GIVE(x, j, p) do { \
    (x)[0] = ADD((x)[0], MUL(LOAD((j)[0]), (p))); \
    (x)[1] = ADD((x)[1], MUL(LOAD((j)[1]), (p))); \
    (x)[2] = ADD((x)[2], MUL(LOAD((j)[2]), (p))); } while (0)

/* What a block's impulses change: speeds along its axes, and whitened angular speeds. */
typedef struct {
    V un, ut, uu;              /* m/s, A minus B */
    V wa[4], wb[4];            /* whitened */
    V ta[4], tb[4];            /* whitened turns since the step began */
    V far, both;               /* m along n; 1/kg, A plus B */
    V sum_n, sum_t, sum_u;     /* N s given so far */
} LANE_NAME(Pair);

typedef struct {
    V inv_h, rate, mass_scale, impulse_scale, slowest, zero, one, tiny;
    V stiffer, leak, skin;           /* what softness does to the diagonal of k, and to old impulses */
} LANE_NAME(Rules);

LANE_INLINE LANE_TARGET void LANE_NAME(fetch)(double *const *rows, int at, V *out) {
    out[0] = LOAD(rows[0] + at);
    out[1] = LOAD(rows[1] + at);
    out[2] = LOAD(rows[2] + at);
    out[3] = LOAD(rows[3] + at);
    LANE_NAME(turn)(&out[0], &out[1], &out[2], &out[3]);
}

LANE_INLINE LANE_TARGET void LANE_NAME(put)(double *const *rows, int at, V *in) {
    LANE_NAME(turn)(&in[0], &in[1], &in[2], &in[3]);
    STORE(rows[0] + at, in[0]);
    STORE(rows[1] + at, in[1]);
    STORE(rows[2] + at, in[2]);
    STORE(rows[3] + at, in[3]);
}

/* One point's normal impulse. relax: overlaps are left alone. levers: it turns the bodies. */
LANE_INLINE LANE_TARGET void LANE_NAME(press)(LANE_NAME(Pair) *s, LanePoint *at,
                                              const LANE_NAME(Rules) *r, const int relax,
                                              const int levers) {
    V old = LOAD(at->p), mass = LOAD(at->mass), gap, speed = s->un, open, p, given;
    if (levers) speed = ADD(speed, ADD(DOT(at->ja, s->wa), DOT(at->jb, s->wb)));
    if (relax) {
        gap = ADD(LOAD(at->gap), s->far);
        if (levers) gap = ADD(gap, ADD(DOT(at->ja, s->ta), DOT(at->jb, s->tb)));
        STORE(at->now, gap);
        open = MUL(gap, r->inv_h);
        p = SUB(old, MUL(mass, ADD(speed, MOST(open, r->zero))));
    } else {
        gap = LOAD(at->now);
        open = MUL(gap, r->inv_h);
        V bias = PICK(gap, open, MOST(MUL(r->rate, gap), r->slowest));
        V hard = ADD(gap, r->skin);
        V share = PICK(hard, r->one, r->mass_scale);
        V leak = PICK(hard, r->zero, r->impulse_scale);
        p = SUB(SUB(old, MUL(MUL(mass, share), ADD(speed, bias))), MUL(leak, old));
    }
    p = MOST(p, r->zero);
    given = SUB(p, old);
    STORE(at->p, p);
    if (relax) STORE(at->sum, ADD(LOAD(at->sum), p));
    s->sum_n = ADD(s->sum_n, given);
    s->un = ADD(s->un, MUL(s->both, given));
    if (levers) {
        GIVE(s->wa, at->ja, given);
        GIVE(s->wb, at->jb, given);
    }
}

/* The points of a face together, so that their order says nothing: a box that lands on an edge stays in
   its mirror plane. Projected steps by each point's own mass, as far as the energy falls; k: the
   symmetric matrix of the points, whose diagonal is 0, 4, 7, 9. */
LANE_INLINE LANE_TARGET void LANE_NAME(press_face)(LANE_NAME(Pair) *s, LaneBlock *m,
                                                   const LANE_NAME(Rules) *r, const int relax,
                                                   const int n) {
    static const int place[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
    V p[4], y[4], way[4], gain[4], own[4], mass[4], gap, down, bent, share, most = LOAD(m->most);
    for (int i = 0; i < n; i++) {
        LanePoint *at = &m->point[i];
        p[i] = LOAD(at->p);
        own[i] = LOAD(m->k[place[i][i]]);
        mass[i] = LOAD(at->mass);
        y[i] = ADD(s->un, ADD(DOT(at->ja, s->wa), DOT(at->jb, s->wb)));
        if (relax) {
            gap = ADD(ADD(LOAD(at->gap), s->far), ADD(DOT(at->ja, s->ta), DOT(at->jb, s->tb)));
            STORE(at->now, gap);
            y[i] = ADD(y[i], MOST(MUL(gap, r->inv_h), r->zero));
        } else {
            gap = LOAD(at->now);
            y[i] = ADD(y[i], PICK(gap, MUL(gap, r->inv_h), MOST(MUL(r->rate, gap), r->slowest)));
            gap = ADD(gap, r->skin);
            y[i] = ADD(y[i], PICK(gap, r->zero, MUL(MUL(own[i], r->leak), p[i])));
            own[i] = MUL(own[i], PICK(gap, r->one, r->stiffer));
            mass[i] = MUL(mass[i], PICK(gap, r->one, r->mass_scale));
        }
    }
    for (int round = 0; round < FACE_ROUNDS; round++) {
        down = r->zero;
        bent = r->tiny;
        for (int i = 0; i < n; i++) {
            way[i] = SUB(MOST(SUB(p[i], MUL(y[i], mass[i])), r->zero), p[i]);
            down = SUB(down, MUL(y[i], way[i]));
        }
        for (int i = 0; i < n; i++) {
            gain[i] = MUL(own[i], way[i]);
            for (int k = 0; k < n; k++)
                if (k != i) gain[i] = ADD(gain[i], MUL(LOAD(m->k[place[i][k]]), way[k]));
            bent = ADD(bent, MUL(gain[i], way[i]));
        }
        share = LEAST(DIV(down, bent), most);
        for (int i = 0; i < n; i++) {
            p[i] = ADD(p[i], MUL(share, way[i]));
            y[i] = ADD(y[i], MUL(share, gain[i]));
        }
    }
    for (int i = 0; i < n; i++) {
        LanePoint *at = &m->point[i];
        V given;
        p[i] = MOST(p[i], r->zero);
        given = SUB(p[i], LOAD(at->p));
        STORE(at->p, p[i]);
        if (relax) STORE(at->sum, ADD(LOAD(at->sum), p[i]));
        s->sum_n = ADD(s->sum_n, given);
        s->un = ADD(s->un, MUL(s->both, given));
        GIVE(s->wa, at->ja, given);
        GIVE(s->wb, at->jb, given);
    }
}

/* Friction at the middle of the points and, of a face, the twist about its normal: in the ellipsoid
   |pt|^2/(mu N)^2 + pk^2/(mu sum p arm)^2 <= 1. Outside, a projected gradient step. */
LANE_INLINE LANE_TARGET void LANE_NAME(rub)(LANE_NAME(Pair) *s, LaneBlock *m,
                                            const LANE_NAME(Rules) *r, const int relax,
                                            const int face) {
    V mtt = LOAD(m->mtt), mtu = LOAD(m->mtu), muu = LOAD(m->muu);
    V oldt = LOAD(m->pt), oldu = LOAD(m->pu), oldk = r->zero;
    V most = LOAD(m->point[0].p), twist = r->zero, speed_k = r->zero, mass_k = r->zero;
    V pt, pu, pk = r->zero, size, over;
    V st = ADD(ADD(s->ut, LOAD(m->drive_t)), ADD(DOT(m->jat, s->wa), DOT(m->jbt, s->wb)));
    V su = ADD(ADD(s->uu, LOAD(m->drive_u)), ADD(DOT(m->jau, s->wa), DOT(m->jbu, s->wb)));
    pt = SUB(oldt, ADD(MUL(mtt, st), MUL(mtu, su)));
    pu = SUB(oldu, ADD(MUL(mtu, st), MUL(muu, su)));
    if (face) {
        twist = MUL(most, LOAD(m->arm[0]));
        for (int k = 1; k < m->n_points; k++) {
            V q = LOAD(m->point[k].p);
            most = ADD(most, q);
            twist = ADD(twist, MUL(q, LOAD(m->arm[k])));
        }
        twist = MOST(MUL(LOAD(m->mu), twist), r->tiny);
        oldk = LOAD(m->pk);
        mass_k = LOAD(m->mass_k);
        speed_k = ADD(DOT(m->ka, s->wa), DOT(m->kb, s->wb));
        pk = SUB(oldk, MUL(mass_k, speed_k));
    }
    most = MOST(MUL(LOAD(m->mu), most), r->tiny);
    if (face) {
        V il = DIV(r->one, most), ik = DIV(r->one, twist);
        V a = MUL(pt, il), b = MUL(pu, il), c = MUL(pk, ik), step, shrink;
        over = SUB(ADD(ADD(MUL(a, a), MUL(b, b)), MUL(c, c)), r->one);
        step = LEAST(DIV(LEAST(mtt, muu), MUL(most, most)), DIV(mass_k, MUL(twist, twist)));
        a = SUB(MUL(oldt, il), MUL(MUL(step, most), st));
        b = SUB(MUL(oldu, il), MUL(MUL(step, most), su));
        c = SUB(MUL(oldk, ik), MUL(MUL(step, twist), speed_k));
        size = ADD(ADD(MUL(a, a), MUL(b, b)), MUL(c, c));
        shrink = PICK(SUB(size, r->one), DIV(r->one, LANE_NAME(root)(MOST(size, r->tiny))), r->one);
        pt = PICK(over, MUL(MUL(a, shrink), most), pt);
        pu = PICK(over, MUL(MUL(b, shrink), most), pu);
        pk = PICK(over, MUL(MUL(c, shrink), twist), pk);
        STORE(m->pk, pk);
        pk = SUB(pk, oldk);
        GIVE(s->wa, m->ka, pk);
        GIVE(s->wb, m->kb, pk);
    } else {
        size = ADD(MUL(pt, pt), MUL(pu, pu));
        over = SUB(size, MUL(most, most));
        size = PICK(over, DIV(most, LANE_NAME(root)(MOST(size, r->tiny))), r->one);
        pt = MUL(pt, size);
        pu = MUL(pu, size);
    }
    STORE(m->pt, pt);
    STORE(m->pu, pu);
    if (relax) {
        STORE(m->sum_t, ADD(LOAD(m->sum_t), pt));
        STORE(m->sum_u, ADD(LOAD(m->sum_u), pu));
    }
    pt = SUB(pt, oldt);
    pu = SUB(pu, oldu);
    s->sum_t = ADD(s->sum_t, pt);
    s->sum_u = ADD(s->sum_u, pu);
    s->ut = ADD(s->ut, MUL(s->both, pt));
    s->uu = ADD(s->uu, MUL(s->both, pu));
    GIVE(s->wa, m->jat, pt);
    GIVE(s->wa, m->jau, pu);
    GIVE(s->wb, m->jbt, pt);
    GIVE(s->wb, m->jbu, pu);
}

/* One block: friction first, since gaps matter more, then the points. */
LANE_INLINE LANE_TARGET void LANE_NAME(solve)(LaneLine *lines, LaneBlock *m,
                                              const LANE_NAME(Rules) *r, const int relax,
                                              const int levers, const int face) {
    LANE_NAME(Pair) s;
    double *a[4], *b[4];
    V va[4], vb[4], da[4], db[4], x, y, z, px, py, pz;
    for (int k = 0; k < 4; k++) {
        a[k] = lines[m->a[k]].v;
        b[k] = lines[m->b[k]].v;
    }
    LANE_NAME(fetch)(a, 0, va);
    LANE_NAME(fetch)(b, 0, vb);
    LANE_NAME(fetch)(a, 4, s.wa);
    LANE_NAME(fetch)(b, 4, s.wb);
    s.far = r->zero;
    if (relax) {
        LANE_NAME(fetch)(a, 8, da);
        LANE_NAME(fetch)(b, 8, db);
        x = SUB(da[0], db[0]);
        y = SUB(da[1], db[1]);
        z = SUB(da[2], db[2]);
        s.far = ADD(ADD(MUL(LOAD(m->n[0]), x), MUL(LOAD(m->n[1]), y)), MUL(LOAD(m->n[2]), z));
        if (levers) {
            LANE_NAME(fetch)(a, 12, s.ta);
            LANE_NAME(fetch)(b, 12, s.tb);
        }
    }
    x = SUB(va[0], vb[0]);
    y = SUB(va[1], vb[1]);
    z = SUB(va[2], vb[2]);
    s.un = ADD(ADD(MUL(LOAD(m->n[0]), x), MUL(LOAD(m->n[1]), y)), MUL(LOAD(m->n[2]), z));
    s.ut = ADD(ADD(MUL(LOAD(m->t[0]), x), MUL(LOAD(m->t[1]), y)), MUL(LOAD(m->t[2]), z));
    s.uu = ADD(ADD(MUL(LOAD(m->u[0]), x), MUL(LOAD(m->u[1]), y)), MUL(LOAD(m->u[2]), z));
    s.both = ADD(va[3], vb[3]);
    s.sum_n = s.sum_t = s.sum_u = r->zero;
    LANE_NAME(rub)(&s, m, r, relax, face);
    if (!face) LANE_NAME(press)(&s, &m->point[0], r, relax, levers);
    else if (m->n_points == 2) LANE_NAME(press_face)(&s, m, r, relax, 2);
    else LANE_NAME(press_face)(&s, m, r, relax, 4);
    px = ADD(ADD(MUL(LOAD(m->n[0]), s.sum_n), MUL(LOAD(m->t[0]), s.sum_t)),
             MUL(LOAD(m->u[0]), s.sum_u));
    py = ADD(ADD(MUL(LOAD(m->n[1]), s.sum_n), MUL(LOAD(m->t[1]), s.sum_t)),
             MUL(LOAD(m->u[1]), s.sum_u));
    pz = ADD(ADD(MUL(LOAD(m->n[2]), s.sum_n), MUL(LOAD(m->t[2]), s.sum_t)),
             MUL(LOAD(m->u[2]), s.sum_u));
    va[0] = ADD(va[0], MUL(va[3], px));
    va[1] = ADD(va[1], MUL(va[3], py));
    va[2] = ADD(va[2], MUL(va[3], pz));
    vb[0] = SUB(vb[0], MUL(vb[3], px));
    vb[1] = SUB(vb[1], MUL(vb[3], py));
    vb[2] = SUB(vb[2], MUL(vb[3], pz));
    LANE_NAME(put)(a, 0, va);
    LANE_NAME(put)(b, 0, vb);
    LANE_NAME(put)(a, 4, s.wa);
    LANE_NAME(put)(b, 4, s.wb);
}

static LANE_TARGET void LANE_NAME(pass)(LaneLine *lines, LaneBlock *blocks, int32_t n,
                                        const LaneSoft *soft, double h, double fastest,
                                        int backwards, int relax) {
    LANE_NAME(Rules) r;
    r.inv_h = LANE_NAME(set)(1.0 / h);
    r.rate = LANE_NAME(set)(soft->rate);
    r.mass_scale = LANE_NAME(set)(soft->mass_scale);
    r.impulse_scale = LANE_NAME(set)(soft->impulse_scale);
    r.skin = LANE_NAME(set)(soft->skin);
    r.stiffer = LANE_NAME(set)(1.0 / soft->mass_scale);
    r.leak = LANE_NAME(set)(soft->impulse_scale / soft->mass_scale);
    r.slowest = LANE_NAME(set)(-fastest);
    r.zero = LANE_NAME(set)(0.0);
    r.one = LANE_NAME(set)(1.0);
    /* its square divides masses: of heavy bodies 1e-150 would leave the range of doubles */
    r.tiny = LANE_NAME(set)(1e-100);
    for (int32_t k = 0; k < n; k++) {
        LaneBlock *m = &blocks[backwards ? n - 1 - k : k];
        if (m->n_points > 1) {
            if (relax) LANE_NAME(solve)(lines, m, &r, 1, 1, 1);
            else LANE_NAME(solve)(lines, m, &r, 0, 1, 1);
        } else if (m->round) {
            if (relax) LANE_NAME(solve)(lines, m, &r, 1, 0, 0);
            else LANE_NAME(solve)(lines, m, &r, 0, 0, 0);
        } else {
            if (relax) LANE_NAME(solve)(lines, m, &r, 1, 1, 0);
            else LANE_NAME(solve)(lines, m, &r, 0, 1, 0);
        }
    }
}

#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef LOAD
#undef STORE
#undef MOST
#undef LEAST
#undef PICK
#undef DOT
#undef GIVE
