/* Numbers and formulas of flexible/search, shared by kernels (search_group.dev.h) and host (search_lanes.h), so that
 * all give the same bits. Places are relative to the centre of the grid (Å). A pose has QN_SEARCH_POSE floats: place,
 * quaternion (w, x, y, z), energy, torsions. */
#ifndef QN_FLEXIBLE_SEARCH_DEV_H
#define QN_FLEXIBLE_SEARCH_DEV_H

#include "flexible/kernels/exact.dev.h"
#include "runtime/kernels/random.dev.h"

/* Arguments of `score`, `walk` and `settle`, in order. */
enum {
    SEARCH_HEADS,
    SEARCH_ATOMS,
    SEARCH_LINKS,
    SEARCH_PARTNERS,
    SEARCH_PIECES,
    SEARCH_PIECE_LINKS,
    SEARCH_PAIRS,
    SEARCH_PAIR_PARAMETERS,
    SEARCH_MAPS,
    SEARCH_POSES,   /* score: IN; walk: INOUT, the current pose of each chain, then the best one */
    SEARCH_RESULTS, /* score: OUT, energy and gradient; walk: INOUT, evaluations and accepted steps */
    SEARCH_SCALARS,
    SEARCH_ARGUMENTS,
    SEARCH_LEGS = SEARCH_ARGUMENTS, /* of `walk` and `settle`: which steps of which chain a group does */
    SEARCH_WALK_ARGUMENTS,
    SEARCH_RECEPTOR = SEARCH_MAPS, /* of `settle`: atoms of the receptor in place of maps */
    SEARCH_NEAR_STARTS = SEARCH_WALK_ARGUMENTS,
    SEARCH_NEAR,
    SEARCH_NEAR_PAIRS,
    SEARCH_SETTLE_ARGUMENTS
};

#define QN_SEARCH_PARTS 32   /* of a sum; work-items that share a chain */
#define QN_SEARCH_TORSIONS 8 /* place of the torsions in a pose */
#define QN_SEARCH_POSE 56
#define QN_SEARCH_HEAD 12 /* integers of a ligand's head */
#define QN_SEARCH_SOFT 10.0f
#define QN_SEARCH_HARD 1000.0f
#define QN_SEARCH_CHUNK 1024 /* pairs whose forces are kept at once */
#define QN_SEARCH_NEXT 256   /* two numbers in one: the first, an atom, + QN_SEARCH_NEXT · the second */
#define QN_SEARCH_TYPES 32   /* rows and columns of the table of pairs with the receptor */
#define QN_SEARCH_HALVINGS 3 /* of a step; more cost half of all evaluations, and find no lower energies */
#define QN_SEARCH_EXACT_HALVINGS 10
#define QN_SEARCH_LEAST_FALL 1e-4f /* kcal/mol, of a round with exact energies */

typedef struct search_scalars {
    int group_count, chains; /* in all; chains of a ligand */
    int first_leg;           /* of `walk` */
    int nx, ny, nz;          /* points of a map */
    int near_side;           /* spacings along a cell that has a list of near atoms */
    int near_x, near_y;      /* such cells along x and y */
    int confined;            /* 1: the centroid is kept in the box */
    qn_uint32 seed0, seed1;
    float spacing, points_per_angstrom;
    float corner[3];               /* of the maps */
    float box_low[3], box_high[3]; /* of starts, and of the centroid */
    float bend;                    /* of `score` */
} search_scalars;

/* Chains whose numbers lie side by side, and the place of number i of one of them. */
#ifdef QN_LANGUAGE_HOST
#define QN_SEARCH_WIDTH 16
#else
#define QN_SEARCH_WIDTH 1
#endif
#define SEARCH_AT(i) (QN_SEARCH_WIDTH * (i))

/* Floats of local memory for a ligand. */
#define QN_SEARCH_ROOM(atoms, pieces, pairs)                                                                           \
    (8 * (atoms) + 27 * (pieces) + 12 + (5 + (pieces)) * ((5 + (pieces)) | 1) + 8 * QN_SEARCH_POSE + QN_SEARCH_PARTS + \
     MIN(pairs, QN_SEARCH_CHUNK))

/* ---- Places ---- */

DEVICE_FN void search_root_frame(LOCAL_PTR const float *pose, LOCAL_PTR float *frame)
{
    const float w = pose[SEARCH_AT(3)], x = pose[SEARCH_AT(4)], y = pose[SEARCH_AT(5)], z = pose[SEARCH_AT(6)];
    for (int d = 0; d < 3; d++) frame[SEARCH_AT(d)] = pose[SEARCH_AT(d)];
    frame[SEARCH_AT(3)] = FMA(-2.0f, FMA(y, y, z * z), 1.0f);
    frame[SEARCH_AT(4)] = 2.0f * FMA(x, y, -(w * z));
    frame[SEARCH_AT(5)] = 2.0f * FMA(x, z, w * y);
    frame[SEARCH_AT(6)] = 2.0f * FMA(x, y, w * z);
    frame[SEARCH_AT(7)] = FMA(-2.0f, FMA(x, x, z * z), 1.0f);
    frame[SEARCH_AT(8)] = 2.0f * FMA(y, z, -(w * x));
    frame[SEARCH_AT(9)] = 2.0f * FMA(x, z, -(w * y));
    frame[SEARCH_AT(10)] = 2.0f * FMA(y, z, w * x);
    frame[SEARCH_AT(11)] = FMA(-2.0f, FMA(x, x, y * y), 1.0f);
}

/* The receptor's frame, in which side chains begin: no rotation. */
DEVICE_FN void search_fixed_frame(LOCAL_PTR float *frame)
{
    for (int i = 0; i < 12; i++) frame[SEARCH_AT(i)] = i == 3 || i == 7 || i == 11 ? 1.0f : 0.0f;
}

/* The rotation by `angle` about an axis, by rows: Rodrigues' matrix. */
DEVICE_FN void search_about_axis(qn_float4 axis, float angle, LOCAL_PTR float *m)
{
    float s, c;
    exact_sine_cosine(angle, &s, &c);
    const float t = 1.0f - c, tx = t * axis.x, ty = t * axis.y, tz = t * axis.z;
    const float sx = s * axis.x, sy = s * axis.y, sz = s * axis.z;
    m[SEARCH_AT(0)] = FMA(tx, axis.x, c);
    m[SEARCH_AT(1)] = FMA(tx, axis.y, -sz);
    m[SEARCH_AT(2)] = FMA(tx, axis.z, sy);
    m[SEARCH_AT(3)] = FMA(ty, axis.x, sz);
    m[SEARCH_AT(4)] = FMA(ty, axis.y, c);
    m[SEARCH_AT(5)] = FMA(ty, axis.z, -sx);
    m[SEARCH_AT(6)] = FMA(tz, axis.x, -sy);
    m[SEARCH_AT(7)] = FMA(tz, axis.y, sx);
    m[SEARCH_AT(8)] = FMA(tz, axis.z, c);
}

/* A row of the frame of a piece that is turned by `m` in its parent's frame: it depends on the parent's row alone. */
DEVICE_FN void search_child_row(LOCAL_PTR const float *parent, qn_float4 offset, LOCAL_PTR const float *m, int row,
                                LOCAL_PTR float *frame)
{
    const float a = parent[SEARCH_AT(3 + 3 * row)], b = parent[SEARCH_AT(4 + 3 * row)],
                d = parent[SEARCH_AT(5 + 3 * row)];
    frame[SEARCH_AT(row)] = FMA(a, offset.x, FMA(b, offset.y, FMA(d, offset.z, parent[SEARCH_AT(row)])));
    frame[SEARCH_AT(3 + 3 * row)] = FMA(a, m[SEARCH_AT(0)], FMA(b, m[SEARCH_AT(3)], d * m[SEARCH_AT(6)]));
    frame[SEARCH_AT(4 + 3 * row)] = FMA(a, m[SEARCH_AT(1)], FMA(b, m[SEARCH_AT(4)], d * m[SEARCH_AT(7)]));
    frame[SEARCH_AT(5 + 3 * row)] = FMA(a, m[SEARCH_AT(2)], FMA(b, m[SEARCH_AT(5)], d * m[SEARCH_AT(8)]));
}

/* The place of an atom from the one in the frame of its piece. */
DEVICE_FN void search_atom_place(LOCAL_PTR const float *frame, qn_float4 inner, float *x, float *y, float *z)
{
    *x = FMA(frame[SEARCH_AT(3)], inner.x,
             FMA(frame[SEARCH_AT(4)], inner.y, FMA(frame[SEARCH_AT(5)], inner.z, frame[SEARCH_AT(0)])));
    *y = FMA(frame[SEARCH_AT(6)], inner.x,
             FMA(frame[SEARCH_AT(7)], inner.y, FMA(frame[SEARCH_AT(8)], inner.z, frame[SEARCH_AT(1)])));
    *z = FMA(frame[SEARCH_AT(9)], inner.x,
             FMA(frame[SEARCH_AT(10)], inner.y, FMA(frame[SEARCH_AT(11)], inner.z, frame[SEARCH_AT(2)])));
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

/* The derivative by a place outside of the grid: ±100. */
DEVICE_FN float search_push(float beyond)
{
    return (beyond > 0.0f ? 100.0f : 0.0f) - (beyond < 0.0f ? 100.0f : 0.0f);
}

/* The derivative along an axis on maps, which end with the grid; never −0. */
DEVICE_FN float search_slope(float slope, float beyond)
{
    return FMA(slope, beyond == 0.0f ? 1.0f : 0.0f, search_push(beyond));
}

/* A place on a map: number of the first value of its cell, shares of the way through the cell, and how far outside of
 * the grid it was (Å). */
typedef struct search_cell {
    int at;
    float u, v, w, out_x, out_y, out_z;
} search_cell;

DEVICE_FN search_cell search_find_cell(int first, const search_scalars *s, float x, float y, float z)
{
    search_cell cell;
    const float u = search_inside(x, s->corner[0], s, s->nx, &cell.out_x),
                v = search_inside(y, s->corner[1], s, s->ny, &cell.out_y),
                w = search_inside(z, s->corner[2], s, s->nz, &cell.out_z);
    const int i = MIN((int)u, s->nx - 2), j = MIN((int)v, s->ny - 2), k = MIN((int)w, s->nz - 2);
    cell.u = u - (float)i;
    cell.v = v - (float)j;
    cell.w = w - (float)k;
    cell.at = first + (k * s->ny + j) * s->nx + i;
    return cell;
}

/* Trilinear interpolation between the values at the corners of a cell, of which `row_yz` has two along x, with the
 * gradient of the same polynomial; 100 kcal/mol for each Å outside. */
DEVICE_FN float search_interpolate(search_cell cell, const search_scalars *s, float bend, qn_float2 row_00,
                                   qn_float2 row_10, qn_float2 row_01, qn_float2 row_11, float *gx, float *gy,
                                   float *gz)
{
    const float x00 = row_00.y - row_00.x, x10 = row_10.y - row_10.x, x01 = row_01.y - row_01.x,
                x11 = row_11.y - row_11.x;
    const float y00 = FMA(cell.u, x00, row_00.x), y10 = FMA(cell.u, x10, row_10.x), y01 = FMA(cell.u, x01, row_01.x),
                y11 = FMA(cell.u, x11, row_11.x);
    const float y0 = y10 - y00, y1 = y11 - y01, z0 = FMA(cell.v, y0, y00), z1 = FMA(cell.v, y1, y01);
    const float x0 = FMA(cell.v, x10 - x00, x00), x1 = FMA(cell.v, x11 - x01, x01);
    float factor;
    const float energy = search_bent(FMA(cell.w, z1 - z0, z0), bend, &factor);
    const float scale = factor * s->points_per_angstrom;
    *gx = search_slope(scale * FMA(cell.w, x1 - x0, x0), cell.out_x);
    *gy = search_slope(scale * FMA(cell.w, y1 - y0, y0), cell.out_y);
    *gz = search_slope(scale * (z1 - z0), cell.out_z);
    return FMA(100.0f, ABS(cell.out_x) + ABS(cell.out_y) + ABS(cell.out_z), energy);
}

/* Energy of a pair at a squared distance below the cut-off, not yet bent, its derivative and 1 / distance. */
DEVICE_FN float search_straight_pair(float square, qn_float4 pair, float *slope, float *inverse)
{
    const float safe = FMAX(square, 1e-6f);
    *inverse = exact_rsqrt(safe);
    return exact_pair(safe * *inverse, pair, slope);
}

#define SEARCH_SQUARED_CUTOFF 64.0f

/* The cell that has the list of atoms of the receptor near a place; out: how far outside of the grid it is (Å). */
DEVICE_FN int search_near_cell(const search_scalars *s, float x, float y, float z, float out[3])
{
    const int i = (int)search_inside(x, s->corner[0], s, s->nx, &out[0]) / s->near_side,
              j = (int)search_inside(y, s->corner[1], s, s->ny, &out[1]) / s->near_side,
              k = (int)search_inside(z, s->corner[2], s, s->nz, &out[2]) / s->near_side;
    return (k * s->near_y + j) * s->near_x + i;
}

/* Add the energy of two atoms, of which the second is at (−dx, −dy, −dz) from the first, and its derivatives by the
 * first one's place: sums of energy, x, y, z. */
DEVICE_FN void search_add_near(float dx, float dy, float dz, qn_float4 pair, float *energy, float *gx, float *gy,
                               float *gz)
{
    const float square = FMA(dx, dx, FMA(dy, dy, dz * dz)), near = square < SEARCH_SQUARED_CUTOFF ? 1.0f : 0.0f;
    float slope, inverse;
    *energy = FMA(near, search_straight_pair(square, pair, &slope, &inverse), *energy);
    const float force = near * slope * inverse;
    *gx = FMA(force, dx, *gx);
    *gy = FMA(force, dy, *gy);
    *gz = FMA(force, dz, *gz);
}

/* The bent energy of an atom with the receptor, of which the sums are known, and 100 kcal/mol for each Å outside of the
 * grid; its derivatives replace those in sums[1 … 3]. */
DEVICE_FN float search_finish_near(float bend, const float out[3], float sums[4])
{
    float factor;
    const float energy = search_bent(sums[0], bend, &factor);
    for (int d = 0; d < 3; d++) sums[1 + d] = FMA(factor, sums[1 + d], search_push(out[d]));
    return FMA(100.0f, ABS(out[0]) + ABS(out[1]) + ABS(out[2]), energy);
}

/* a · gb − b · ga: a component of an atom's torque. */
DEVICE_FN float search_moment(float a, float gb, float b, float ga)
{
    return FMA(a, gb, -(b * ga));
}

/* Add the force of an atom, and its torque about the centre of the grid, to those of its piece. */
DEVICE_FN void search_add_atom(float x, float y, float z, float gx, float gy, float gz, LOCAL_PTR float *sum)
{
    sum[SEARCH_AT(0)] += gx;
    sum[SEARCH_AT(1)] += gy;
    sum[SEARCH_AT(2)] += gz;
    sum[SEARCH_AT(3)] += search_moment(y, gz, z, gy);
    sum[SEARCH_AT(4)] += search_moment(z, gx, x, gz);
    sum[SEARCH_AT(5)] += search_moment(x, gy, y, gx);
}

/* The torque of a piece and all behind it about the piece's origin, from the one about the centre of the grid. */
DEVICE_FN void search_torque(LOCAL_PTR const float *sum, LOCAL_PTR const float *frame, float *tx, float *ty, float *tz)
{
    const float fx = sum[SEARCH_AT(0)], fy = sum[SEARCH_AT(1)], fz = sum[SEARCH_AT(2)];
    const float x = frame[SEARCH_AT(0)], y = frame[SEARCH_AT(1)], z = frame[SEARCH_AT(2)];
    *tx = sum[SEARCH_AT(3)] - FMA(y, fz, -(z * fy));
    *ty = sum[SEARCH_AT(4)] - FMA(z, fx, -(x * fz));
    *tz = sum[SEARCH_AT(5)] - FMA(x, fy, -(y * fx));
}

/* The part of a torque that turns a torsion, whose axis is in the frame of the parent. */
DEVICE_FN float search_about(LOCAL_PTR const float *parent, qn_float4 axis, float tx, float ty, float tz)
{
    LOCAL_PTR const float *r = parent + SEARCH_AT(3);
    const float ax = FMA(r[SEARCH_AT(0)], axis.x, FMA(r[SEARCH_AT(1)], axis.y, r[SEARCH_AT(2)] * axis.z)),
                ay = FMA(r[SEARCH_AT(3)], axis.x, FMA(r[SEARCH_AT(4)], axis.y, r[SEARCH_AT(5)] * axis.z)),
                az = FMA(r[SEARCH_AT(6)], axis.x, FMA(r[SEARCH_AT(7)], axis.y, r[SEARCH_AT(8)] * axis.z));
    return FMA(ax, tx, FMA(ay, ty, az * tz));
}

/* How far the centroid is outside of the box along an axis; *push: the derivative, for each atom. */
DEVICE_FN float search_outside(float centre, float low, float high, float share, float *push)
{
    const float above = FMAX(centre - high, 0.0f), below = FMAX(low - centre, 0.0f);
    *push = above > 0.0f ? 100.0f * share : (below > 0.0f ? -100.0f * share : 0.0f);
    return above + below;
}

/* ---- Steps ---- */

/* to ← from moved by `way` times `direction`, but for the torsions; a rotation is a rotation vector. */
DEVICE_FN void search_move_root(LOCAL_PTR const float *from, LOCAL_PTR const float *direction, float way,
                                LOCAL_PTR float *to)
{
    const float x = way * direction[SEARCH_AT(3)], y = way * direction[SEARCH_AT(4)], z = way * direction[SEARCH_AT(5)];
    const float square = FMAX(FMA(x, x, FMA(y, y, z * z)), 1e-12f), inverse = exact_rsqrt(square);
    float sine, c;
    exact_sine_cosine(FMIN(0.5f * square * inverse, 100.0f), &sine, &c);
    const float share = sine * inverse, qx = x * share, qy = y * share, qz = z * share;
    const float w0 = from[SEARCH_AT(3)], x0 = from[SEARCH_AT(4)], y0 = from[SEARCH_AT(5)], z0 = from[SEARCH_AT(6)];
    const float w1 = FMA(c, w0, -FMA(qx, x0, FMA(qy, y0, qz * z0)));
    const float x1 = FMA(c, x0, FMA(qx, w0, FMA(qy, z0, -(qz * y0))));
    const float y1 = FMA(c, y0, FMA(qy, w0, FMA(qz, x0, -(qx * z0))));
    const float z1 = FMA(c, z0, FMA(qz, w0, FMA(qx, y0, -(qy * x0))));
    const float norm = exact_rsqrt(FMA(w1, w1, FMA(x1, x1, FMA(y1, y1, z1 * z1))));
    to[SEARCH_AT(3)] = w1 * norm;
    to[SEARCH_AT(4)] = x1 * norm;
    to[SEARCH_AT(5)] = y1 * norm;
    to[SEARCH_AT(6)] = z1 * norm;
    for (int d = 0; d < 3; d++) to[SEARCH_AT(d)] = FMA(way, direction[SEARCH_AT(d)], from[SEARCH_AT(d)]);
}

/* An angle after a step, in −π … π. */
DEVICE_FN float search_turned(float angle, float step, float way)
{
    const float turned = FMA(way, step, angle);
    return FMA(-6.28318530717958648f, ROUND(0.159154943091895336f * turned), turned);
}

/* Four uniform numbers from 0 to 1, of draw `draw` of a step of a chain. */
DEVICE_FN void search_draw(const search_scalars *s, qn_uint32 molecule, int chain, int step_number, int draw,
                           float numbers[4])
{
    qn_uint32 words[4] = {(qn_uint32)chain, (qn_uint32)step_number, (qn_uint32)draw, molecule};
    random_block(words, s->seed0, s->seed1);
    for (int i = 0; i < 4; i++) numbers[i] = (float)(words[i] >> 8) * 5.9604644775390625e-8f;
}

/* A point of the unit ball. */
DEVICE_FN void search_ball(const search_scalars *s, qn_uint32 molecule, int chain, int step_number, float point[3])
{
    float numbers[4];
    for (int draw = 2; draw < 16; draw++) {
        search_draw(s, molecule, chain, step_number, draw, numbers);
        for (int d = 0; d < 3; d++) point[d] = FMA(2.0f, numbers[d], -1.0f);
        if (FMA(point[0], point[0], FMA(point[1], point[1], point[2] * point[2])) < 1.0f) return;
    }
}

/* A uniform rotation: a point of the unit ball of four dimensions. */
DEVICE_FN void search_draw_rotation(const search_scalars *s, qn_uint32 molecule, int chain, LOCAL_PTR float *to)
{
    float numbers[4], square = 2.0f;
    for (int draw = 16; draw < 48 && (square > 1.0f || square < 0.01f); draw++) {
        search_draw(s, molecule, chain, 0, draw, numbers);
        for (int d = 0; d < 4; d++) numbers[d] = FMA(2.0f, numbers[d], -1.0f);
        square = FMA(numbers[0], numbers[0],
                     FMA(numbers[1], numbers[1], FMA(numbers[2], numbers[2], numbers[3] * numbers[3])));
    }
    const float norm = exact_rsqrt(square);
    for (int d = 0; d < 4; d++) to[SEARCH_AT(d)] = numbers[d] * norm;
}

/* The start of a chain: anywhere in the box. */
DEVICE_FN void search_draw_start(const search_scalars *s, qn_uint32 molecule, int pieces, int chain,
                                 LOCAL_PTR float *pose)
{
    float numbers[4];
    search_draw(s, molecule, chain, 0, 0, numbers);
    for (int d = 0; d < 3; d++) pose[SEARCH_AT(d)] = FMA(numbers[d], s->box_high[d] - s->box_low[d], s->box_low[d]);
    search_draw_rotation(s, molecule, chain, pose + SEARCH_AT(3));
    for (int k = 0; k + 1 < pieces; k++) {
        search_draw(s, molecule, chain, 0, 64 + k, numbers);
        pose[SEARCH_AT(QN_SEARCH_TORSIONS + k)] = FMA(6.28318530717958648f, numbers[0], -FLOAT_PI);
    }
}

/* A step from `pose` that changes one of place, rotation (by `turn` radians at most) and torsions, into `direction`,
 * which is 0. */
DEVICE_FN void search_draw_step(const search_scalars *s, qn_uint32 molecule, int pieces, float turn, int chain,
                                int step_number, LOCAL_PTR const float *pose, LOCAL_PTR float *direction)
{
    float numbers[4], point[3];
    search_draw(s, molecule, chain, step_number, 0, numbers);
    const int what = MIN((int)(numbers[0] * (float)(1 + pieces)), pieces);
    if (what >= 2) {
        direction[SEARCH_AT(4 + what)] =
            FMA(6.28318530717958648f, numbers[1], -FLOAT_PI) - pose[SEARCH_AT(QN_SEARCH_TORSIONS - 2 + what)];
        return;
    }
    search_ball(s, molecule, chain, step_number, point);
    for (int d = 0; d < 3; d++) direction[SEARCH_AT(3 * what + d)] = (what == 0 ? 2.0f : turn) * point[d];
}

/* Part of a random step of all freedoms, with which a pose settles elsewhere: up to 0.5 Å of place and, at the radius
 * of gyration, of rotation, and 0.5 radians of torsions. */
DEVICE_FN float search_kick(const search_scalars *s, qn_uint32 molecule, float turn, int kick, int freedom)
{
    float numbers[4];
    search_draw(s, molecule, 0x7fffffff, kick, freedom, numbers);
    return (freedom >= 3 && freedom < 6 ? 0.25f * turn : 0.5f) * FMA(2.0f, numbers[0], -1.0f);
}

/* Whether a pose that settles is minimised again after `pass` passes: the last one, from `before` to `energy`, lowered
 * it, and it is promising, where it was kicked from a pose with the energy `base`. */
DEVICE_FN int search_settles_on(int pass, int passes, int kick, float base, float before, float energy)
{
    return pass < passes && before - energy >= 1e-4f && (kick == 0 || energy < base + 0.5f);
}

/* Whether a chain accepts a step, by Metropolis' rule. */
DEVICE_FN int search_accepts(const search_scalars *s, qn_uint32 molecule, int chain, int step_number, float before,
                             float energy)
{
    float numbers[4];
    search_draw(s, molecule, chain, step_number, 1, numbers);
    return numbers[0] < qn_power_of_two(FMIN(FMAX(1.20224586740747f * (before - energy), -100.0f), 0.0f));
}

#endif
