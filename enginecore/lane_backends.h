/* Four numbers at a time, once for each kind of processor.

   Define LANE_PASS_FILE and include this: the file is included once for each backend, with LANE_NAME
   to give its functions names of their own, V for a vector of four doubles and LANE_TARGET for the
   functions' attributes. Each backend offers load, store, set, add, sub, mul, div, root, greater,
   lesser, if_positive, same (all four equal), turn, and apart: the first two numbers at p[k] less those
   at q[k], k = 0 to 3. All give the same bits, as long as the compiler fuses no multiplication with
   an addition (-ffp-contract=off). Afterwards LANE_X86 and LANE_NEON say which there are. */
#include <math.h>
#include <stdint.h>

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
LANE_INLINE V plain_div(V a, V b) LANE_EACH(a.v[k] / b.v[k])
LANE_INLINE V plain_root(V a) LANE_EACH(sqrt(a.v[k]))
LANE_INLINE V plain_greater(V a, V b) LANE_EACH(a.v[k] > b.v[k] ? a.v[k] : b.v[k])
LANE_INLINE V plain_lesser(V a, V b) LANE_EACH(a.v[k] < b.v[k] ? a.v[k] : b.v[k])
LANE_INLINE V plain_if_positive(V x, V yes, V no) LANE_EACH(x.v[k] > 0.0 ? yes.v[k] : no.v[k])
LANE_INLINE int plain_same(V a, V b) {
    return a.v[0] == b.v[0] && a.v[1] == b.v[1] && a.v[2] == b.v[2] && a.v[3] == b.v[3];
}
LANE_INLINE void plain_store(double *p, V a) { for (int k = 0; k < 4; k++) p[k] = a.v[k]; }
LANE_INLINE void plain_turn(V *a, V *b, V *c, V *d) {
    V o[4];
    for (int k = 0; k < 4; k++) {
        o[k].v[0] = a->v[k]; o[k].v[1] = b->v[k]; o[k].v[2] = c->v[k]; o[k].v[3] = d->v[k];
    }
    *a = o[0]; *b = o[1]; *c = o[2]; *d = o[3];
}
LANE_INLINE void plain_apart(double *const *p, double *const *q, V *x, V *y) {
    for (int k = 0; k < 4; k++) {
        x->v[k] = p[k][0] - q[k][0];
        y->v[k] = p[k][1] - q[k][1];
    }
}
#undef LANE_EACH
#include LANE_PASS_FILE
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
LANE_INLINE V pairs_div(V a, V b) LANE_BOTH(_mm_div_pd)
LANE_INLINE V pairs_root(V a) { V o; o.l = _mm_sqrt_pd(a.l); o.h = _mm_sqrt_pd(a.h); return o; }
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
LANE_INLINE int pairs_same(V a, V b) {
    return _mm_movemask_pd(_mm_and_pd(_mm_cmpeq_pd(a.l, b.l), _mm_cmpeq_pd(a.h, b.h))) == 3;
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
LANE_INLINE void pairs_apart(double *const *p, double *const *q, V *x, V *y) {
    __m128d a = _mm_sub_pd(_mm_loadu_pd(p[0]), _mm_loadu_pd(q[0]));
    __m128d b = _mm_sub_pd(_mm_loadu_pd(p[1]), _mm_loadu_pd(q[1]));
    __m128d c = _mm_sub_pd(_mm_loadu_pd(p[2]), _mm_loadu_pd(q[2]));
    __m128d d = _mm_sub_pd(_mm_loadu_pd(p[3]), _mm_loadu_pd(q[3]));
    x->l = _mm_unpacklo_pd(a, b); x->h = _mm_unpacklo_pd(c, d);
    y->l = _mm_unpackhi_pd(a, b); y->h = _mm_unpackhi_pd(c, d);
}
#undef LANE_BOTH
#include LANE_PASS_FILE
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
AVX2 V avx2_div(V a, V b) { return _mm256_div_pd(a, b); }
AVX2 V avx2_root(V a) { return _mm256_sqrt_pd(a); }
AVX2 V avx2_greater(V a, V b) { return _mm256_max_pd(a, b); }
AVX2 V avx2_lesser(V a, V b) { return _mm256_min_pd(a, b); }
AVX2 V avx2_if_positive(V x, V yes, V no) {
    return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_GT_OQ));
}
AVX2 int avx2_same(V a, V b) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)) == 15;
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
AVX2 void avx2_apart(double *const *p, double *const *q, V *x, V *y) {
    __m128d a = _mm_sub_pd(_mm_loadu_pd(p[0]), _mm_loadu_pd(q[0]));
    __m128d b = _mm_sub_pd(_mm_loadu_pd(p[1]), _mm_loadu_pd(q[1]));
    __m128d c = _mm_sub_pd(_mm_loadu_pd(p[2]), _mm_loadu_pd(q[2]));
    __m128d d = _mm_sub_pd(_mm_loadu_pd(p[3]), _mm_loadu_pd(q[3]));
    V ac = _mm256_insertf128_pd(_mm256_castpd128_pd256(a), c, 1);
    V bd = _mm256_insertf128_pd(_mm256_castpd128_pd256(b), d, 1);
    *x = _mm256_unpacklo_pd(ac, bd);
    *y = _mm256_unpackhi_pd(ac, bd);
}
#undef AVX2
#include LANE_PASS_FILE
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
LANE_INLINE V neon_div(V a, V b) LANE_BOTH(vdivq_f64)
LANE_INLINE V neon_root(V a) { V o; o.l = vsqrtq_f64(a.l); o.h = vsqrtq_f64(a.h); return o; }
LANE_INLINE V neon_greater(V a, V b) LANE_BOTH(neon_max)
LANE_INLINE V neon_lesser(V a, V b) LANE_BOTH(neon_min)
LANE_INLINE V neon_if_positive(V x, V yes, V no) {
    V o;
    o.l = vbslq_f64(vcgtzq_f64(x.l), yes.l, no.l);
    o.h = vbslq_f64(vcgtzq_f64(x.h), yes.h, no.h);
    return o;
}
LANE_INLINE int neon_same(V a, V b) {
    uint64x2_t o = vandq_u64(vceqq_f64(a.l, b.l), vceqq_f64(a.h, b.h));
    return (vgetq_lane_u64(o, 0) & vgetq_lane_u64(o, 1)) != 0;
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
LANE_INLINE void neon_apart(double *const *p, double *const *q, V *x, V *y) {
    float64x2_t a = vsubq_f64(vld1q_f64(p[0]), vld1q_f64(q[0]));
    float64x2_t b = vsubq_f64(vld1q_f64(p[1]), vld1q_f64(q[1]));
    float64x2_t c = vsubq_f64(vld1q_f64(p[2]), vld1q_f64(q[2]));
    float64x2_t d = vsubq_f64(vld1q_f64(p[3]), vld1q_f64(q[3]));
    x->l = vzip1q_f64(a, b); x->h = vzip1q_f64(c, d);
    y->l = vzip2q_f64(a, b); y->h = vzip2q_f64(c, d);
}
#undef LANE_BOTH
#include LANE_PASS_FILE
#undef V
#undef LANE_NAME
#undef LANE_TARGET
#endif
