/* The passes of the iterative solver in the plane; solver_iterative.pxd says what the fields are. */
#ifndef ENGINE2D_LANES_H
#define ENGINE2D_LANES_H

#include <stdint.h>

/* As Motion in body.pxd. */
typedef struct {
    double vx, vy, w, inv_I;
    double dx, dy, turned, inv_m;
} LaneLine;

/* As Drive in solver_iterative.pxd: velocities before contacts, and accelerations. */
typedef struct {
    double vx0, vy0, w0, inv_I;
    double ax, ay, alpha, none;
} LaneDrive;

/* As LineMass there. */
typedef struct {
    double m, m_y, inertia, none;
} LaneMass;

/* One point of four manifolds; see Block in solver_iterative.pxd. */
typedef struct {
    double ra[4], rb[4], mass[4], gap[4], now[4], p[4], sum[4];
} LanePoint;

typedef struct {
    int32_t a[4], b[4];
    int32_t contact[4];
    uint8_t points[4];
    int32_t n_points, is_round;
    int32_t unused;
    double nx[4], ny[4], mu[4], drive[4], inv_ma[4], inv_mb[4];
    double ra[4], rb[4], mass[4], p[4], sum[4];
    LanePoint point[2];  /* last: blocks of one point do not touch the other */
} LaneBlock;

typedef struct {
    double rate, mass_scale, deep;
} LaneSoft;

typedef void (*LaneSoftPass)(LaneLine *, LaneBlock *, int32_t, const LaneSoft *, double, double,
                             int);
typedef void (*LaneRelaxPass)(LaneLine *, LaneBlock *, int32_t, double);

typedef void (*LaneDriveLines)(LaneLine *, LaneDrive *, const LaneMass *, int32_t, double, double);
typedef void (*LaneMoveLines)(LaneLine *, const LaneDrive *, int32_t, double);
typedef double (*LaneSumGain)(const LaneLine *, const LaneDrive *, const LaneMass *, int32_t,
                              double *, double *, double *);
typedef void (*LaneScaleLines)(LaneLine *, LaneDrive *, const LaneMass *, int32_t, double);

typedef struct {
    const char *name;
    LaneSoftPass soft;
    LaneRelaxPass relax;
    LaneDriveLines drive;
    LaneMoveLines move;
    LaneSumGain gain;
    LaneScaleLines scale;
} LaneBackend;

#define LANE_BACKEND(name) \
    {#name, name##_soft_pass, name##_rigid_pass, name##_drive_lines, name##_move_lines, \
     name##_sum_gain, name##_scale_lines}

#define LANE_PASS_FILE "lanes_pass.h"
#include "lane_backends.h"

/* ---- which there are, the fastest first ---- */

static int list_lane_backends(LaneBackend *out) {
    int n = 0;
#ifdef LANE_X86
    if (__builtin_cpu_supports("avx2")) {
        LaneBackend avx2 = LANE_BACKEND(avx2);
        out[n++] = avx2;
    }
    LaneBackend pairs = LANE_BACKEND(pairs);
    out[n++] = pairs;
#endif
#ifdef LANE_NEON
    LaneBackend neon = LANE_BACKEND(neon);
    neon.name = "pairs";
    out[n++] = neon;
#endif
    LaneBackend plain = LANE_BACKEND(plain);
    out[n++] = plain;
    return n;
}

#endif
