/* Four numbers at a time: the passes of the iterative solver, once for each kind of processor.

   Each backend says what a vector of four doubles is and how to load, store, add, ...; lanes_pass.h
   is the pass itself in these words. A compare-and-choose is written so that every backend gives the
   same bits as `a > b ? a : b`. The results of all backends are equal to the last bit, as long as
   the compiler fuses no multiplication with an addition (-ffp-contract=off). */
#ifndef ENGINE2D_LANES_H
#define ENGINE2D_LANES_H

#include <stdint.h>

/* As Motion in body.pxd. */
typedef struct {
    double vx, vy, w, inv_I;
    double dx, dy, turned, inv_m;
} LaneLine;

/* One point of four manifolds; see Block in solver_iterative.pxd. */
typedef struct {
    double ra[4], rb[4], mass[4], gap[4], p[4], sum[4];
} LanePoint;

typedef struct {
    int32_t a[4], b[4];
    int32_t contact[4];
    uint8_t points[4];
    int32_t n_points;
    int32_t unused[2];
    double nx[4], ny[4], mu[4], drive[4];
    double ra[4], rb[4], mass[4], p[4], sum[4];
    LanePoint point[2];  /* last: blocks of one point do not touch the other */
} LaneBlock;

typedef struct {
    double rate, mass_scale, impulse_scale, deep;
} LaneSoft;

typedef void (*LaneSoftPass)(LaneLine *, LaneBlock *, int32_t, const LaneSoft *, double, double,
                             int);
typedef void (*LaneRigidPass)(LaneLine *, LaneBlock *, int32_t, double);

typedef struct {
    const char *name;
    LaneSoftPass soft;
    LaneRigidPass rigid;
} LaneBackend;

#if defined(__GNUC__) || defined(__clang__)
#define LANE_INLINE static inline __attribute__((always_inline))
#else
#define LANE_INLINE static __forceinline
#endif

/* ---- plain: any compiler, any processor ---- */

#define LANE_NAME(x) plain_##x
#define LANE_TARGET
typedef struct { double v[4]; } plain_V;
#define V plain_V
#define LANE_EACH(expression) \
    { plain_V o; for (int k = 0; k < 4; k++) o.v[k] = (expression); return o; }
LANE_INLINE V plain_load(const double *p) LANE_EACH(p[k])
LANE_INLINE V plain_set(double x) LANE_EACH(x)
LANE_INLINE V plain_add(V a, V b) LANE_EACH(a.v[k] + b.v[k])
LANE_INLINE V plain_sub(V a, V b) LANE_EACH(a.v[k] - b.v[k])
LANE_INLINE V plain_mul(V a, V b) LANE_EACH(a.v[k] * b.v[k])
LANE_INLINE V plain_greater(V a, V b) LANE_EACH(a.v[k] > b.v[k] ? a.v[k] : b.v[k])
LANE_INLINE V plain_lesser(V a, V b) LANE_EACH(a.v[k] < b.v[k] ? a.v[k] : b.v[k])
LANE_INLINE V plain_if_positive(V x, V yes, V no) LANE_EACH(x.v[k] > 0.0 ? yes.v[k] : no.v[k])
LANE_INLINE void plain_store(double *p, V a) { for (int k = 0; k < 4; k++) p[k] = a.v[k]; }
LANE_INLINE void plain_turn(V *a, V *b, V *c, V *d) {
    V o[4];
    for (int k = 0; k < 4; k++) {
        o[k].v[0] = a->v[k]; o[k].v[1] = b->v[k]; o[k].v[2] = c->v[k]; o[k].v[3] = d->v[k];
    }
    *a = o[0]; *b = o[1]; *c = o[2]; *d = o[3];
}
#undef LANE_EACH
#include "lanes_pass.h"
#undef V
#undef LANE_NAME
#undef LANE_TARGET

/* ---- pairs: two at a time, which every 64-bit x86 processor can ---- */

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define LANE_X86 1
#define LANE_NAME(x) pairs_##x
#define LANE_TARGET
typedef struct { __m128d l, h; } pairs_V;
#define V pairs_V
#define LANE_BOTH(op) { V o; o.l = op(a.l, b.l); o.h = op(a.h, b.h); return o; }
LANE_INLINE V pairs_load(const double *p) {
    V o; o.l = _mm_loadu_pd(p); o.h = _mm_loadu_pd(p + 2); return o;
}
LANE_INLINE V pairs_set(double x) { V o; o.l = o.h = _mm_set1_pd(x); return o; }
LANE_INLINE V pairs_add(V a, V b) LANE_BOTH(_mm_add_pd)
LANE_INLINE V pairs_sub(V a, V b) LANE_BOTH(_mm_sub_pd)
LANE_INLINE V pairs_mul(V a, V b) LANE_BOTH(_mm_mul_pd)
LANE_INLINE V pairs_greater(V a, V b) LANE_BOTH(_mm_max_pd)
LANE_INLINE V pairs_lesser(V a, V b) LANE_BOTH(_mm_min_pd)
LANE_INLINE __m128d pairs_choose(__m128d mask, __m128d yes, __m128d no) {
    return _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no));
}
LANE_INLINE V pairs_if_positive(V x, V yes, V no) {
    V o;
    o.l = pairs_choose(_mm_cmpgt_pd(x.l, _mm_setzero_pd()), yes.l, no.l);
    o.h = pairs_choose(_mm_cmpgt_pd(x.h, _mm_setzero_pd()), yes.h, no.h);
    return o;
}
LANE_INLINE void pairs_store(double *p, V a) { _mm_storeu_pd(p, a.l); _mm_storeu_pd(p + 2, a.h); }
LANE_INLINE void pairs_turn(V *a, V *b, V *c, V *d) {
    V p, q, r, s;
    p.l = _mm_unpacklo_pd(a->l, b->l); p.h = _mm_unpacklo_pd(c->l, d->l);
    q.l = _mm_unpackhi_pd(a->l, b->l); q.h = _mm_unpackhi_pd(c->l, d->l);
    r.l = _mm_unpacklo_pd(a->h, b->h); r.h = _mm_unpacklo_pd(c->h, d->h);
    s.l = _mm_unpackhi_pd(a->h, b->h); s.h = _mm_unpackhi_pd(c->h, d->h);
    *a = p; *b = q; *c = r; *d = s;
}
#undef LANE_BOTH
#include "lanes_pass.h"
#undef V
#undef LANE_NAME
#undef LANE_TARGET

/* ---- avx2: four at a time, asked for when the module is loaded ---- */

#define LANE_NAME(x) avx2_##x
#define LANE_TARGET __attribute__((target("avx2")))
#define V __m256d
#define AVX2 LANE_INLINE LANE_TARGET
AVX2 V avx2_load(const double *p) { return _mm256_loadu_pd(p); }
AVX2 V avx2_set(double x) { return _mm256_set1_pd(x); }
AVX2 V avx2_add(V a, V b) { return _mm256_add_pd(a, b); }
AVX2 V avx2_sub(V a, V b) { return _mm256_sub_pd(a, b); }
AVX2 V avx2_mul(V a, V b) { return _mm256_mul_pd(a, b); }
AVX2 V avx2_greater(V a, V b) { return _mm256_max_pd(a, b); }
AVX2 V avx2_lesser(V a, V b) { return _mm256_min_pd(a, b); }
AVX2 V avx2_if_positive(V x, V yes, V no) {
    return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_GT_OQ));
}
AVX2 void avx2_store(double *p, V a) { _mm256_storeu_pd(p, a); }
AVX2 void avx2_turn(V *a, V *b, V *c, V *d) {
    V p = _mm256_unpacklo_pd(*a, *b), q = _mm256_unpackhi_pd(*a, *b);
    V r = _mm256_unpacklo_pd(*c, *d), s = _mm256_unpackhi_pd(*c, *d);
    *a = _mm256_permute2f128_pd(p, r, 0x20);
    *b = _mm256_permute2f128_pd(q, s, 0x20);
    *c = _mm256_permute2f128_pd(p, r, 0x31);
    *d = _mm256_permute2f128_pd(q, s, 0x31);
}
#undef AVX2
#include "lanes_pass.h"
#undef V
#undef LANE_NAME
#undef LANE_TARGET
#endif

/* ---- pairs on ARM ---- */

#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#include <arm_neon.h>
#define LANE_NEON 1
#define LANE_NAME(x) neon_##x
#define LANE_TARGET
typedef struct { float64x2_t l, h; } neon_V;
#define V neon_V
#define LANE_BOTH(op) { V o; o.l = op(a.l, b.l); o.h = op(a.h, b.h); return o; }
LANE_INLINE float64x2_t neon_max(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}
LANE_INLINE float64x2_t neon_min(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcltq_f64(a, b), a, b);
}
LANE_INLINE V neon_load(const double *p) {
    V o; o.l = vld1q_f64(p); o.h = vld1q_f64(p + 2); return o;
}
LANE_INLINE V neon_set(double x) { V o; o.l = o.h = vdupq_n_f64(x); return o; }
LANE_INLINE V neon_add(V a, V b) LANE_BOTH(vaddq_f64)
LANE_INLINE V neon_sub(V a, V b) LANE_BOTH(vsubq_f64)
LANE_INLINE V neon_mul(V a, V b) LANE_BOTH(vmulq_f64)
LANE_INLINE V neon_greater(V a, V b) LANE_BOTH(neon_max)
LANE_INLINE V neon_lesser(V a, V b) LANE_BOTH(neon_min)
LANE_INLINE V neon_if_positive(V x, V yes, V no) {
    V o;
    o.l = vbslq_f64(vcgtzq_f64(x.l), yes.l, no.l);
    o.h = vbslq_f64(vcgtzq_f64(x.h), yes.h, no.h);
    return o;
}
LANE_INLINE void neon_store(double *p, V a) { vst1q_f64(p, a.l); vst1q_f64(p + 2, a.h); }
LANE_INLINE void neon_turn(V *a, V *b, V *c, V *d) {
    V p, q, r, s;
    p.l = vzip1q_f64(a->l, b->l); p.h = vzip1q_f64(c->l, d->l);
    q.l = vzip2q_f64(a->l, b->l); q.h = vzip2q_f64(c->l, d->l);
    r.l = vzip1q_f64(a->h, b->h); r.h = vzip1q_f64(c->h, d->h);
    s.l = vzip2q_f64(a->h, b->h); s.h = vzip2q_f64(c->h, d->h);
    *a = p; *b = q; *c = r; *d = s;
}
#undef LANE_BOTH
#include "lanes_pass.h"
#undef V
#undef LANE_NAME
#undef LANE_TARGET
#endif

/* ---- which there are, the fastest first ---- */

static int list_lane_backends(LaneBackend *out) {
    int n = 0;
#ifdef LANE_X86
    if (__builtin_cpu_supports("avx2")) {
        LaneBackend avx2 = {"avx2", avx2_soft_pass, avx2_rigid_pass};
        out[n++] = avx2;
    }
    LaneBackend pairs = {"pairs", pairs_soft_pass, pairs_rigid_pass};
    out[n++] = pairs;
#endif
#ifdef LANE_NEON
    LaneBackend neon = {"pairs", neon_soft_pass, neon_rigid_pass};
    out[n++] = neon;
#endif
    LaneBackend plain = {"plain", plain_soft_pass, plain_rigid_pass};
    out[n++] = plain;
    return n;
}

#endif
