/* The passes of the iterative solver in space; solver_iterative.pxd says what the fields are. */
#ifndef ENGINE3D_LANES_H
#define ENGINE3D_LANES_H

#include <stdint.h>

/* Two cache lines; angular things are whitened. */
typedef struct {
    double v[3], inv_m;
    double w[3], unused0;
    double d[3], unused1;
    double turned[3], unused2;
} LaneLine;

typedef struct {
    double ja[3][4], jb[3][4], mass[4], gap[4], now[4], p[4], sum[4];
} LanePoint;

typedef struct {
    int32_t a[4], b[4];
    int32_t pair[4];
    int32_t points[4];
    int32_t n_points;
    int32_t round;
    int32_t unused[2];
    double n[3][4], t[3][4], u[3][4], mu[4];
    double jat[3][4], jbt[3][4], jau[3][4], jbu[3][4];
    double mtt[4], mtu[4], muu[4], pt[4], pu[4], sum_t[4], sum_u[4];
    double drive_t[4], drive_u[4];
    double ka[3][4], kb[3][4], mass_k[4], pk[4];
    double arm[4][4];
    double k[10][4], most[4];
    LanePoint point[4];
} LaneBlock;

typedef struct {
    double rate, mass_scale, impulse_scale, skin;
} LaneSoft;

typedef void (*LanePass)(LaneLine *, LaneBlock *, int32_t, const LaneSoft *, double, double, int,
                         int);

typedef struct {
    const char *name;
    LanePass pass;
} LaneBackend;

#define LANE_PASS_FILE "lanes_pass.h"
#include "lane_backends.h"

static int list_lane_backends(LaneBackend *out) {
    int n = 0;
#ifdef LANE_X86
    if (__builtin_cpu_supports("avx2")) {
        LaneBackend avx2 = {"avx2", avx2_pass};
        out[n++] = avx2;
    }
    LaneBackend pairs = {"pairs", pairs_pass};
    out[n++] = pairs;
#endif
#ifdef LANE_NEON
    LaneBackend neon = {"pairs", neon_pass};
    out[n++] = neon;
#endif
    LaneBackend plain = {"plain", plain_pass};
    out[n++] = plain;
    return n;
}

#endif
