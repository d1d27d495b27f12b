/* The search of flexible/search, shared by kernels and host: energy and gradient of a pose on maps, BFGS, chains.
 *
 * On a device the 32 work-items of a group share a chain, with its numbers in local memory; on the host a thread has a
 * chain. FOR_EACH deals items to work-items, and SYNC waits for all; sums add 32 strided parts, then a fixed tree, so
 * that all devices give the same bits. Places are relative to the centre of the grid (Å). A pose has QN_SEARCH_POSE
 * floats: place, quaternion (w, x, y, z), energy, torsions. */
#ifndef QN_FLEXIBLE_SEARCH_DEV_H
#define QN_FLEXIBLE_SEARCH_DEV_H

#include "flexible/kernels/exact.dev.h"
#include "runtime/kernels/random.dev.h"

/* Arguments of `score` and `walk`, in order. */
enum {
    SEARCH_HEADS,
    SEARCH_ATOMS,
    SEARCH_LINKS,
    SEARCH_PARTNERS,
    SEARCH_PIECES,
    SEARCH_PIECE_LINKS,
    SEARCH_PAIRS,
    SEARCH_MAPS,
    SEARCH_POSES,   /* score: IN; walk: INOUT, the current pose of each chain, then the best one */
    SEARCH_RESULTS, /* score: OUT, energy and gradient; walk: INOUT, evaluations and accepted steps */
    SEARCH_SCALARS,
    SEARCH_ARGUMENTS,
    SEARCH_LEGS = SEARCH_ARGUMENTS, /* of `walk` alone: which steps of which chain a group does */
    SEARCH_WALK_ARGUMENTS
};

#define QN_SEARCH_LANES 32
#define QN_SEARCH_TORSIONS 8 /* place of the torsions in a pose */
#define QN_SEARCH_POSE 56
#define QN_SEARCH_HEAD 12 /* integers of a ligand's head */
#define QN_SEARCH_SOFT 10.0f
#define QN_SEARCH_HARD 1000.0f
#define QN_SEARCH_HALVINGS 3 /* of a step; more cost half of all evaluations, and find no lower energies */

typedef struct search_scalars {
    int group_count, chains; /* in all; chains of a ligand */
    int first_leg;           /* of `walk` */
    int nx, ny, nz;          /* points of a map */
    int confined;            /* 1: the centroid is kept in the box */
    qn_uint32 seed0, seed1;
    float spacing, points_per_angstrom;
    float corner[3];               /* of the maps */
    float box_low[3], box_high[3]; /* of starts, and of the centroid */
    float bend;                    /* of `score` */
} search_scalars;

/* A ligand, and the numbers of a chain: A atoms, P pieces, D = 5 + P freedoms. */
typedef struct search_view {
    int atoms, pieces, freedoms, depth, rounds, stride; /* stride: of a row of `inverse` */
    qn_uint32 molecule;
    float turn;                           /* radians: the largest step of rotation */
    GLOBAL const qn_float4 *places;       /* [atom] in the frame of its piece */
    GLOBAL const qn_int4 *links;          /* [atom] piece, first value of its map, first and end of its partners */
    GLOBAL const int *partners;           /* [partner][2]: other atom, row of `pairs`; by rising atom */
    GLOBAL const qn_float4 *piece_places; /* [piece][2]: offset, axis, in the frame of the parent */
    GLOBAL const qn_int4 *piece_links; /* [piece][2]: parent, depth, first atom, end; first child, next sibling, 0, 0 */
    GLOBAL const qn_float4 *pairs;     /* parameters of exact_pair */
    GLOBAL const float *maps;
    LOCAL_PTR float *x, *y, *z, *gx, *gy, *gz, *energies; /* A each */
    LOCAL_PTR float *frames;                              /* P × 12: origin, rows of the rotation */
    LOCAL_PTR float *sums;                                /* P × 6: force, torque about the centre of the grid */
    LOCAL_PTR float *inverse;                             /* D × stride */
    LOCAL_PTR float *gradient, *next, *direction, *image; /* D each */
    LOCAL_PTR float *pose, *trial, *current, *best;       /* QN_SEARCH_POSE each */
    LOCAL_PTR float *scratch;                             /* QN_SEARCH_LANES */
#ifdef QN_LANGUAGE_HOST
    const int *flat; /* [pair][3]: first atom, second, row of `pairs`; by rising atoms */
    float *pair_energies, *pair_factors;
    int pair_count;
#endif
    int evaluations;
} search_view;

/* Floats of local memory for a ligand. */
#define QN_SEARCH_ROOM(atoms, pieces)                                                                                \
    (7 * (atoms) + 18 * (pieces) + (5 + (pieces)) * ((5 + (pieces)) | 1) + 4 * (5 + (pieces)) + 4 * QN_SEARCH_POSE + \
     QN_SEARCH_LANES)

#ifdef QN_LANGUAGE_HOST
#define QN_SEARCH_PRAGMA(text) _Pragma(#text)
#define FOR_EACH(i, count) QN_SEARCH_PRAGMA(omp simd) for (int i = 0; i < (count); i++)
#define SYNC()
#define SKIP_UNLESS(condition) \
    if (!(condition)) return
#define FIRST_LANE 1
#define FIRST_ITEM 0
#define ITEM_STRIDE 1
#else
#define FOR_EACH(i, count) for (int i = LOCAL_ID(0); i < (count); i += QN_SEARCH_LANES)
#define SYNC() LOCAL_BARRIER()
/* Barriers stay outside of conditions, and loops with barriers run at least once: PoCL copies all code that follows
 * such a condition, so that its size would double with each. */
#define SKIP_UNLESS(condition)
#define FIRST_LANE (LOCAL_ID(0) == 0)
#define FIRST_ITEM LOCAL_ID(0)
#define ITEM_STRIDE QN_SEARCH_LANES
#endif

/* ---- Sums ---- */

#ifdef QN_LANGUAGE_HOST
DEVICE_FN float search_tree(float *parts)
{
    for (int reach = QN_SEARCH_LANES / 2; reach > 0; reach /= 2)
        for (int lane = 0; lane < reach; lane++) parts[lane] += parts[lane + reach];
    return parts[0];
}

DEVICE_FN float search_sum(const search_view *v, const float *terms, int count)
{
    float parts[QN_SEARCH_LANES] = {0};
    (void)v;
    for (int i = 0; i < count; i++) parts[i % QN_SEARCH_LANES] += terms[i];
    return search_tree(parts);
}

DEVICE_FN float search_product(const search_view *v, const float *a, const float *b)
{
    float parts[QN_SEARCH_LANES] = {0};
    for (int i = 0; i < v->freedoms; i++) parts[i % QN_SEARCH_LANES] = FMA(a[i], b[i], parts[i % QN_SEARCH_LANES]);
    return search_tree(parts);
}
#else
DEVICE_FN float search_tree(const search_view *v, float part)
{
    const int lane = LOCAL_ID(0);
    v->scratch[lane] = part;
    LOCAL_BARRIER();
    for (int reach = QN_SEARCH_LANES / 2; reach > 0; reach /= 2) {
        if (lane < reach) v->scratch[lane] += v->scratch[lane + reach];
        LOCAL_BARRIER();
    }
    const float sum = v->scratch[0];
    LOCAL_BARRIER();
    return sum;
}

DEVICE_FN float search_sum(const search_view *v, LOCAL_PTR const float *terms, int count)
{
    float part = 0.0f;
    FOR_EACH(i, count) part += terms[i];
    return search_tree(v, part);
}

DEVICE_FN float search_product(const search_view *v, LOCAL_PTR const float *a, LOCAL_PTR const float *b)
{
    float part = 0.0f;
    FOR_EACH(i, v->freedoms) part = FMA(a[i], b[i], part);
    return search_tree(v, part);
}
#endif

/* ---- Places ---- */

DEVICE_FN void search_root_frame(LOCAL_PTR const float *pose, LOCAL_PTR float *frame)
{
    const float w = pose[3], x = pose[4], y = pose[5], z = pose[6];
    for (int d = 0; d < 3; d++) frame[d] = pose[d];
    frame[3] = FMA(-2.0f, FMA(y, y, z * z), 1.0f);
    frame[4] = 2.0f * FMA(x, y, -(w * z));
    frame[5] = 2.0f * FMA(x, z, w * y);
    frame[6] = 2.0f * FMA(x, y, w * z);
    frame[7] = FMA(-2.0f, FMA(x, x, z * z), 1.0f);
    frame[8] = 2.0f * FMA(y, z, -(w * x));
    frame[9] = 2.0f * FMA(x, z, -(w * y));
    frame[10] = 2.0f * FMA(y, z, w * x);
    frame[11] = FMA(-2.0f, FMA(x, x, y * y), 1.0f);
}

/* The frame of a piece that is turned by `angle` about its axis: parent's rotation times Rodrigues' matrix. */
DEVICE_FN void search_child_frame(LOCAL_PTR const float *parent, qn_float4 offset, qn_float4 axis, float angle,
                                  LOCAL_PTR float *frame)
{
    float s, c;
    exact_sine_cosine(angle, &s, &c);
    const float t = 1.0f - c, tx = t * axis.x, ty = t * axis.y, tz = t * axis.z;
    const float sx = s * axis.x, sy = s * axis.y, sz = s * axis.z;
    const float m00 = FMA(tx, axis.x, c), m01 = FMA(tx, axis.y, -sz), m02 = FMA(tx, axis.z, sy);
    const float m10 = FMA(ty, axis.x, sz), m11 = FMA(ty, axis.y, c), m12 = FMA(ty, axis.z, -sx);
    const float m20 = FMA(tz, axis.x, -sy), m21 = FMA(tz, axis.y, sx), m22 = FMA(tz, axis.z, c);
    for (int row = 0; row < 3; row++) {
        const float a = parent[3 + 3 * row], b = parent[4 + 3 * row], d = parent[5 + 3 * row];
        frame[row] = FMA(a, offset.x, FMA(b, offset.y, FMA(d, offset.z, parent[row])));
        frame[3 + 3 * row] = FMA(a, m00, FMA(b, m10, d * m20));
        frame[4 + 3 * row] = FMA(a, m01, FMA(b, m11, d * m21));
        frame[5 + 3 * row] = FMA(a, m02, FMA(b, m12, d * m22));
    }
}

DEVICE_FN void search_place(const search_view *v, LOCAL_PTR const float *pose)
{
    if (FIRST_LANE) search_root_frame(pose, v->frames);
    SYNC();
    int depth = 1;
    do { /* at least once, even where no piece has this depth: see SKIP_UNLESS */
        for (int k = FIRST_ITEM; k < v->pieces; k += ITEM_STRIDE) {
            const qn_int4 link = v->piece_links[2 * k];
            if (link.y != depth) continue;
            search_child_frame(v->frames + 12 * link.x, v->piece_places[2 * k], v->piece_places[2 * k + 1],
                               pose[QN_SEARCH_TORSIONS - 1 + k], v->frames + 12 * k);
        }
        SYNC();
    } while (++depth <= v->depth);
    FOR_EACH(i, v->atoms)
    {
        const qn_float4 inner = v->places[i];
        LOCAL_PTR const float *frame = v->frames + 12 * v->links[i].x;
        v->x[i] = FMA(frame[3], inner.x, FMA(frame[4], inner.y, FMA(frame[5], inner.z, frame[0])));
        v->y[i] = FMA(frame[6], inner.x, FMA(frame[7], inner.y, FMA(frame[8], inner.z, frame[1])));
        v->z[i] = FMA(frame[9], inner.x, FMA(frame[10], inner.y, FMA(frame[11], inner.z, frame[2])));
    }
    SYNC();
}

/* ---- Energy ---- */

/* e bent to e · v / (v + e) above 0, and the factor of its derivative. */
DEVICE_FN float search_bent(float energy, float bend, float *factor)
{
    const float over = FMAX(energy, 0.0f), share = bend * exact_reciprocal(bend + over);
    *factor = FMA(energy > 0.0f ? 1.0f : 0.0f, FMA(share, share, -1.0f), 1.0f);
    return FMA(over, share, energy - over);
}

/* A coordinate in steps of the grid, inside it; *beyond gets how far outside it was (Å). */
DEVICE_FN float search_inside(float place, float corner, const search_scalars *s, int points, float *beyond)
{
    const float at = (place - corner) * s->points_per_angstrom, kept = FMIN(FMAX(at, 0.0f), (float)(points - 1));
    *beyond = (at - kept) * s->spacing;
    return kept;
}

/* The derivative along an axis: ±100 outside of the grid; never −0. */
DEVICE_FN float search_slope(float slope, float beyond)
{
    const float push = (beyond > 0.0f ? 100.0f : 0.0f) - (beyond < 0.0f ? 100.0f : 0.0f);
    return FMA(slope, beyond == 0.0f ? 1.0f : 0.0f, push);
}

/* Trilinear interpolation, with the gradient of the same polynomial; 100 kcal/mol for each Å outside. */
DEVICE_FN float search_map(GLOBAL const float *maps, int first, const search_scalars *s, float bend, float x, float y,
                           float z, float *gx, float *gy, float *gz)
{
    float out_x, out_y, out_z, factor;
    const float u = search_inside(x, s->corner[0], s, s->nx, &out_x),
                v = search_inside(y, s->corner[1], s, s->ny, &out_y),
                w = search_inside(z, s->corner[2], s, s->nz, &out_z);
    const int i = MIN((int)u, s->nx - 2), j = MIN((int)v, s->ny - 2), k = MIN((int)w, s->nz - 2);
    const float fu = u - (float)i, fv = v - (float)j, fw = w - (float)k;
    const int at = first + (k * s->ny + j) * s->nx + i, up = s->nx, back = s->nx * s->ny;
    const float v000 = maps[at], v100 = maps[at + 1], v010 = maps[at + up], v110 = maps[at + up + 1];
    const float v001 = maps[at + back], v101 = maps[at + back + 1], v011 = maps[at + back + up],
                v111 = maps[at + back + up + 1];
    const float x00 = v100 - v000, x10 = v110 - v010, x01 = v101 - v001, x11 = v111 - v011;
    const float y00 = FMA(fu, x00, v000), y10 = FMA(fu, x10, v010), y01 = FMA(fu, x01, v001), y11 = FMA(fu, x11, v011);
    const float y0 = y10 - y00, y1 = y11 - y01, z0 = FMA(fv, y0, y00), z1 = FMA(fv, y1, y01);
    const float x0 = FMA(fv, x10 - x00, x00), x1 = FMA(fv, x11 - x01, x01);
    const float energy = search_bent(FMA(fw, z1 - z0, z0), bend, &factor);
    const float scale = factor * s->points_per_angstrom;
    *gx = search_slope(scale * FMA(fw, x1 - x0, x0), out_x);
    *gy = search_slope(scale * FMA(fw, y1 - y0, y0), out_y);
    *gz = search_slope(scale * (z1 - z0), out_z);
    return FMA(100.0f, ABS(out_x) + ABS(out_y) + ABS(out_z), energy);
}

/* Energy of a pair at a squared distance below the cut-off; *force: its derivative over the distance. */
DEVICE_FN float search_pair(float square, qn_float4 pair, float bend, float *force)
{
    const float safe = FMAX(square, 1e-6f), inverse = exact_rsqrt(safe);
    float slope, factor;
    const float energy = search_bent(exact_pair(safe * inverse, pair, &slope), bend, &factor);
    *force = factor * slope * inverse;
    return energy;
}

#define SEARCH_SQUARED_CUTOFF 64.0f

#ifdef QN_LANGUAGE_HOST
/* Each pair once; an atom gets its pairs by rising partner, as on a device. */
DEVICE_FN void search_intra(const search_view *v, float bend)
{
#pragma omp simd
    for (int p = 0; p < v->pair_count; p++) {
        const int i = v->flat[3 * p], j = v->flat[3 * p + 1];
        const float dx = v->x[i] - v->x[j], dy = v->y[i] - v->y[j], dz = v->z[i] - v->z[j];
        const float square = FMA(dx, dx, FMA(dy, dy, dz * dz));
        float force;
        const float energy = search_pair(square, v->pairs[v->flat[3 * p + 2]], bend, &force);
        const float near = square < SEARCH_SQUARED_CUTOFF ? 1.0f : 0.0f;
        v->pair_energies[p] = energy * near;
        v->pair_factors[p] = force * near;
    }
    for (int p = 0; p < v->pair_count; p++) {
        const int i = v->flat[3 * p], j = v->flat[3 * p + 1];
        const float force = v->pair_factors[p];
        const float dx = v->x[i] - v->x[j], dy = v->y[i] - v->y[j], dz = v->z[i] - v->z[j];
        v->energies[i] += v->pair_energies[p];
        v->gx[i] = FMA(force, dx, v->gx[i]);
        v->gy[i] = FMA(force, dy, v->gy[i]);
        v->gz[i] = FMA(force, dz, v->gz[i]);
        v->gx[j] = FMA(-force, dx, v->gx[j]);
        v->gy[j] = FMA(-force, dy, v->gy[j]);
        v->gz[j] = FMA(-force, dz, v->gz[j]);
    }
}
#else
/* Each pair twice, from both its atoms. */
DEVICE_FN void search_intra(const search_view *v, float bend)
{
    FOR_EACH(i, v->atoms)
    {
        const qn_int4 link = v->links[i];
        float energy = v->energies[i], gx = v->gx[i], gy = v->gy[i], gz = v->gz[i];
        for (int p = link.z; p < link.w; p++) {
            const int j = v->partners[2 * p];
            const float dx = v->x[i] - v->x[j], dy = v->y[i] - v->y[j], dz = v->z[i] - v->z[j];
            const float square = FMA(dx, dx, FMA(dy, dy, dz * dz));
            float force;
            if (square >= SEARCH_SQUARED_CUTOFF) continue;
            const float e = search_pair(square, v->pairs[v->partners[2 * p + 1]], bend, &force);
            if (j > i) energy += e;
            gx = FMA(force, dx, gx);
            gy = FMA(force, dy, gy);
            gz = FMA(force, dz, gz);
        }
        v->energies[i] = energy;
        v->gx[i] = gx;
        v->gy[i] = gy;
        v->gz[i] = gz;
    }
}
#endif

/* 100 kcal/mol for each Å of the centroid outside the box. */
DEVICE_FN float search_confine(const search_view *v, const search_scalars *s)
{
    float energy = 0.0f, push[3];
    const float share = exact_reciprocal((float)v->atoms);
    for (int d = 0; d < 3; d++) {
        const float centre = share * search_sum(v, d == 0 ? v->x : (d == 1 ? v->y : v->z), v->atoms);
        const float above = FMAX(centre - s->box_high[d], 0.0f), below = FMAX(s->box_low[d] - centre, 0.0f);
        energy = FMA(100.0f, above + below, energy);
        push[d] = above > 0.0f ? 100.0f * share : (below > 0.0f ? -100.0f * share : 0.0f);
        push[d] = s->confined ? push[d] : 0.0f;
    }
    FOR_EACH(i, v->atoms)
    {
        v->gx[i] += push[0];
        v->gy[i] += push[1];
        v->gz[i] += push[2];
    }
    SYNC();
    return s->confined ? energy : 0.0f;
}

/* Force and torque of each piece with all behind it: its own atoms, then its children, leaves first. */
DEVICE_FN void search_gather(const search_view *v)
{
    int depth = v->depth;
    do {
        for (int k = FIRST_ITEM; k < v->pieces; k += ITEM_STRIDE) {
            const qn_int4 link = v->piece_links[2 * k];
            LOCAL_PTR float *sum = v->sums + 6 * k;
            if (link.y != depth) continue;
            for (int d = 0; d < 6; d++) sum[d] = 0.0f;
            for (int i = link.z; i < link.w; i++) {
                const float x = v->x[i], y = v->y[i], z = v->z[i], gx = v->gx[i], gy = v->gy[i], gz = v->gz[i];
                sum[0] += gx;
                sum[1] += gy;
                sum[2] += gz;
                sum[3] += FMA(y, gz, -(z * gy));
                sum[4] += FMA(z, gx, -(x * gz));
                sum[5] += FMA(x, gy, -(y * gx));
            }
            for (int child = v->piece_links[2 * k + 1].x; child >= 0; child = v->piece_links[2 * child + 1].y)
                for (int d = 0; d < 6; d++) sum[d] += v->sums[6 * child + d];
        }
        SYNC();
    } while (--depth >= 0);
}

/* Gradient by the root's place, the root's rotation vector and the torsions. */
DEVICE_FN void search_gradient(const search_view *v, LOCAL_PTR float *gradient)
{
    search_gather(v);
    for (int k = FIRST_ITEM; k < v->pieces; k += ITEM_STRIDE) {
        LOCAL_PTR const float *sum = v->sums + 6 * k, *o = v->frames + 12 * k;
        const float tx = sum[3] - FMA(o[1], sum[2], -(o[2] * sum[1])),
                    ty = sum[4] - FMA(o[2], sum[0], -(o[0] * sum[2])),
                    tz = sum[5] - FMA(o[0], sum[1], -(o[1] * sum[0]));
        if (k == 0) {
            for (int d = 0; d < 3; d++) gradient[d] = sum[d];
            gradient[3] = tx;
            gradient[4] = ty;
            gradient[5] = tz;
            continue;
        }
        LOCAL_PTR const float *r = v->frames + 12 * v->piece_links[2 * k].x + 3;
        const qn_float4 axis = v->piece_places[2 * k + 1];
        const float ax = FMA(r[0], axis.x, FMA(r[1], axis.y, r[2] * axis.z)),
                    ay = FMA(r[3], axis.x, FMA(r[4], axis.y, r[5] * axis.z)),
                    az = FMA(r[6], axis.x, FMA(r[7], axis.y, r[8] * axis.z));
        gradient[5 + k] = FMA(ax, tx, FMA(ay, ty, az * tz));
    }
    SYNC();
}

DEVICE_FN float search_evaluate(search_view *v, const search_scalars *s, float bend, LOCAL_PTR const float *pose,
                                LOCAL_PTR float *gradient)
{
    v->evaluations++;
    search_place(v, pose);
    FOR_EACH(i, v->atoms)
    {
        float gx, gy, gz;
        v->energies[i] = search_map(v->maps, v->links[i].y, s, bend, v->x[i], v->y[i], v->z[i], &gx, &gy, &gz);
        v->gx[i] = gx;
        v->gy[i] = gy;
        v->gz[i] = gz;
    }
    SYNC();
    search_intra(v, bend);
    SYNC();
    const float outside = search_confine(v, s);
    search_gradient(v, gradient);
    return search_sum(v, v->energies, v->atoms) + outside;
}

/* ---- BFGS ---- */

/* to ← from moved by `way` times `direction`; a rotation is a rotation vector, torsions stay in −π … π. */
DEVICE_FN void search_move(const search_view *v, LOCAL_PTR const float *from, LOCAL_PTR const float *direction,
                           float way, LOCAL_PTR float *to)
{
    if (FIRST_LANE) {
        const float x = way * direction[3], y = way * direction[4], z = way * direction[5];
        const float square = FMAX(FMA(x, x, FMA(y, y, z * z)), 1e-12f), inverse = exact_rsqrt(square);
        float sine, c;
        exact_sine_cosine(FMIN(0.5f * square * inverse, 100.0f), &sine, &c);
        const float share = sine * inverse, qx = x * share, qy = y * share, qz = z * share;
        const float w0 = from[3], x0 = from[4], y0 = from[5], z0 = from[6];
        const float w1 = FMA(c, w0, -FMA(qx, x0, FMA(qy, y0, qz * z0)));
        const float x1 = FMA(c, x0, FMA(qx, w0, FMA(qy, z0, -(qz * y0))));
        const float y1 = FMA(c, y0, FMA(qy, w0, FMA(qz, x0, -(qx * z0))));
        const float z1 = FMA(c, z0, FMA(qz, w0, FMA(qx, y0, -(qy * x0))));
        const float norm = exact_rsqrt(FMA(w1, w1, FMA(x1, x1, FMA(y1, y1, z1 * z1))));
        to[3] = w1 * norm;
        to[4] = x1 * norm;
        to[5] = y1 * norm;
        to[6] = z1 * norm;
        for (int d = 0; d < 3; d++) to[d] = FMA(way, direction[d], from[d]);
    }
    FOR_EACH(k, v->pieces - 1)
    {
        const float angle = FMA(way, direction[6 + k], from[QN_SEARCH_TORSIONS + k]);
        to[QN_SEARCH_TORSIONS + k] = FMA(-6.28318530717958648f, ROUND(0.159154943091895336f * angle), angle);
    }
    SYNC();
}

/* to ← from where `wanted`. */
DEVICE_FN void search_copy(int wanted, LOCAL_PTR const float *from, LOCAL_PTR float *to, int count)
{
    SKIP_UNLESS(wanted);
    FOR_EACH(i, wanted ? count : 0) to[i] = from[i];
    SYNC();
}

/* The inverse becomes a multiple of the unit matrix, where `wanted`. */
DEVICE_FN void search_diagonal(const search_view *v, int wanted, float value)
{
    SKIP_UNLESS(wanted);
    FOR_EACH(i, wanted ? v->freedoms : 0)
    {
        for (int j = 0; j < v->freedoms; j++) v->inverse[j * v->stride + i] = i == j ? value : 0.0f;
    }
    SYNC();
}

/* image ← factor · inverse · vector, where `wanted`; the matrix is symmetric. */
DEVICE_FN void search_apply(const search_view *v, int wanted, LOCAL_PTR const float *vector, float factor,
                            LOCAL_PTR float *image)
{
    SKIP_UNLESS(wanted);
    FOR_EACH(i, wanted ? v->freedoms : 0)
    {
        float sum = 0.0f;
        for (int j = 0; j < v->freedoms; j++) sum = FMA(v->inverse[j * v->stride + i], vector[j], sum);
        image[i] = factor * sum;
    }
    SYNC();
}

/* The update of BFGS, where `wanted`, with step s, `way` times `direction`, and change of gradient y, `next` −
 * `gradient`, which replace these two; the inverse is scaled first where `first`. */
DEVICE_FN void search_update(search_view *v, int wanted, float way, int first)
{
    SKIP_UNLESS(wanted);
    FOR_EACH(i, wanted ? v->freedoms : 0)
    {
        v->direction[i] *= way;
        v->gradient[i] = v->next[i] - v->gradient[i];
    }
    SYNC();
    const float sy = search_product(v, v->direction, v->gradient), yy = search_product(v, v->gradient, v->gradient);
    const int curved = wanted && sy > 1e-12f;
    const float inverse = exact_reciprocal(FMAX(sy, 1e-12f));
    search_diagonal(v, curved && first, sy * exact_reciprocal(FMAX(yy, 1e-24f)));
    search_apply(v, curved, v->gradient, 1.0f, v->image);
    const float factor = FMA(search_product(v, v->gradient, v->image), inverse, 1.0f) * inverse;
    FOR_EACH(i, curved ? v->freedoms : 0)
    {
        for (int j = 0; j < v->freedoms; j++) {
            const float mixed = v->image[i] * v->direction[j] + v->direction[i] * v->image[j];
            v->inverse[j * v->stride + i] += FMA(factor, v->direction[i] * v->direction[j], -(inverse * mixed));
        }
    }
    SYNC();
}

/* Move `pose` by `direction` and lower its energy from there; returns it. Energies are computed at one place in the
 * code only: compilers copy a function to every call. */
DEVICE_FN float search_minimise(search_view *v, const search_scalars *s, float bend, LOCAL_PTR float *pose)
{
    float energy = 0.0f, slope = 0.0f, way = 1.0f;
    int round = -1, halvings = 0, going = 1;
    while (going) {
        search_move(v, pose, v->direction, way, v->trial);
        const float reached = search_evaluate(v, s, bend, v->trial, v->next);
        const int lower = round < 0 || reached - energy < 1e-4f * way * slope;
        search_update(v, lower && round >= 0, way, round == 0);
        search_copy(lower, v->next, v->gradient, v->freedoms);
        search_copy(lower, v->trial, pose, QN_SEARCH_TORSIONS - 1 + v->pieces);
        const float square = search_product(v, v->gradient, v->gradient);
        search_diagonal(v, round < 0, FMIN(1.0f, 0.3f * exact_rsqrt(FMAX(square, 1e-12f))));
        search_apply(v, lower, v->gradient, -1.0f, v->direction);
        slope = search_product(v, v->direction, v->gradient);
        energy = lower ? reached : energy;
        round += lower;
        way = lower ? 1.0f : 0.5f * way;
        halvings = lower ? 0 : halvings + 1;
        going = lower ? round < v->rounds && square > 1e-10f : halvings <= QN_SEARCH_HALVINGS;
    }
    return energy;
}

/* ---- Chains ---- */

/* Four uniform numbers from 0 to 1, of draw `draw` of a step of a chain. */
DEVICE_FN void search_draw(const search_view *v, const search_scalars *s, int chain, int step_number, int draw,
                           float numbers[4])
{
    qn_uint32 words[4] = {(qn_uint32)chain, (qn_uint32)step_number, (qn_uint32)draw, v->molecule};
    random_block(words, s->seed0, s->seed1);
    for (int i = 0; i < 4; i++) numbers[i] = (float)(words[i] >> 8) * 5.9604644775390625e-8f;
}

/* A point of the unit ball. */
DEVICE_FN void search_ball(const search_view *v, const search_scalars *s, int chain, int step_number, float point[3])
{
    float numbers[4];
    for (int draw = 2; draw < 16; draw++) {
        search_draw(v, s, chain, step_number, draw, numbers);
        for (int d = 0; d < 3; d++) point[d] = FMA(2.0f, numbers[d], -1.0f);
        if (FMA(point[0], point[0], FMA(point[1], point[1], point[2] * point[2])) < 1.0f) return;
    }
}

/* A uniform rotation: a point of the unit ball of four dimensions. */
DEVICE_FN void search_draw_rotation(const search_view *v, const search_scalars *s, int chain, LOCAL_PTR float *to)
{
    float numbers[4], square = 2.0f;
    for (int draw = 16; draw < 48 && (square > 1.0f || square < 0.01f); draw++) {
        search_draw(v, s, chain, 0, draw, numbers);
        for (int d = 0; d < 4; d++) numbers[d] = FMA(2.0f, numbers[d], -1.0f);
        square = FMA(numbers[0], numbers[0],
                     FMA(numbers[1], numbers[1], FMA(numbers[2], numbers[2], numbers[3] * numbers[3])));
    }
    const float norm = exact_rsqrt(square);
    for (int d = 0; d < 4; d++) to[d] = numbers[d] * norm;
}

/* Draw the start of a chain, where `wanted`. */
DEVICE_FN void search_start(const search_view *v, int wanted, const search_scalars *s, int chain, LOCAL_PTR float *pose)
{
    if (FIRST_LANE && wanted) {
        float numbers[4];
        search_draw(v, s, chain, 0, 0, numbers);
        for (int d = 0; d < 3; d++) pose[d] = FMA(numbers[d], s->box_high[d] - s->box_low[d], s->box_low[d]);
        search_draw_rotation(v, s, chain, pose + 3);
        for (int k = 0; k + 1 < v->pieces; k++) {
            search_draw(v, s, chain, 0, 64 + k, numbers);
            pose[QN_SEARCH_TORSIONS + k] = FMA(6.28318530717958648f, numbers[0], -FLOAT_PI);
        }
    }
    SYNC();
}

/* Draw a step into `direction` that changes one of place, rotation and torsions of `pose`, where `wanted`; else the
 * step is 0. */
DEVICE_FN void search_mutate(const search_view *v, int wanted, const search_scalars *s, int chain, int step_number,
                             LOCAL_PTR const float *pose)
{
    float numbers[4], point[3];
    FOR_EACH(i, v->freedoms) v->direction[i] = 0.0f;
    SYNC();
    search_draw(v, s, chain, step_number, 0, numbers);
    const int what = MIN((int)(numbers[0] * (float)(1 + v->pieces)), v->pieces);
    if (FIRST_LANE && wanted && what < 2) {
        search_ball(v, s, chain, step_number, point);
        for (int d = 0; d < 3; d++) v->direction[3 * what + d] = (what == 0 ? 2.0f : v->turn) * point[d];
    }
    if (FIRST_LANE && wanted && what >= 2)
        v->direction[4 + what] = FMA(6.28318530717958648f, numbers[1], -FLOAT_PI) - pose[QN_SEARCH_TORSIONS - 2 + what];
    SYNC();
}

/* One step of a chain: `current` and `best` with their energies. Returns whether the step was accepted. A promising
 * pose is minimised again, with the hard bend. */
DEVICE_FN int search_step(search_view *v, const search_scalars *s, int chain, int step_number)
{
    const int count = QN_SEARCH_TORSIONS - 1 + v->pieces, starts = step_number == 0;
    float energy = 0.0f, numbers[4];
    int accepted = 0, promising = 0, passes = 1;
    search_copy(1, v->current, v->pose, count);
    search_start(v, starts, s, chain, v->pose);
    for (int pass = 0; pass < passes; pass++) {
        search_mutate(v, pass == 0 && starts == 0, s, chain, step_number, v->pose);
        energy = search_minimise(v, s, pass == 0 ? QN_SEARCH_SOFT : QN_SEARCH_HARD, v->pose);
        if (pass == 0) {
            search_draw(v, s, chain, step_number, 1, numbers);
            const float before = v->current[QN_SEARCH_TORSIONS - 1];
            const float odds = qn_power_of_two(FMIN(FMAX(1.20224586740747f * (before - energy), -100.0f), 0.0f));
            accepted = starts || numbers[0] < odds;
            promising = accepted && (starts || energy < v->best[QN_SEARCH_TORSIONS - 1]);
            passes = promising ? 2 : 1;
        }
        SYNC();
    }
    if (FIRST_LANE) v->pose[QN_SEARCH_TORSIONS - 1] = energy;
    const int better = promising && (starts || energy < v->best[QN_SEARCH_TORSIONS - 1]);
    SYNC();
    search_copy(accepted, v->pose, v->current, count);
    search_copy(better, v->pose, v->best, count);
    return accepted;
}

#endif
