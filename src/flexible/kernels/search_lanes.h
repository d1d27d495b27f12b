/* Energy and gradient of 16 chains of a molecule at once on the host, for flexible/search: chains are the lanes of
 * vectors. Number i of chain `lane` is at [SEARCH_AT(i) + lane] of an array.
 *
 * Each chain gets the operations of a device in their order (search_group.dev.h), so that the bits are the same. */
#ifndef QN_FLEXIBLE_SEARCH_LANES_H
#define QN_FLEXIBLE_SEARCH_LANES_H

#include "runtime/prelude/prelude_host.h"

#include "flexible/kernels/search.dev.h"

#define QN_SEARCH_PRAGMA(text) _Pragma(#text)
#define EACH_LANE(lane) QN_SEARCH_PRAGMA(omp simd) for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++)

/* A ligand with side chains, and the numbers of its chains: A atoms, the first `own` of the ligand, P pieces, D = 5 + P
 * freedoms. */
typedef struct search_lanes {
    int atoms, own, pieces, freedoms, rounds, pair_count;
    qn_uint32 molecule;
    float turn;                       /* radians: the largest step of rotation */
    const qn_float4 *places;          /* [atom] in the frame of its piece */
    const qn_int4 *links;             /* [atom] piece, first value of its map (−1: none), 0, 0 */
    const qn_float4 *piece_places;    /* [piece][2]: offset, axis, in the frame of the parent */
    const qn_int4 *piece_links;       /* [piece][2]: parent, depth, first atom, end; end of the pieces behind */
    const int *pairs;                 /* by rising atoms: first, second */
    const qn_float4 *pair_parameters; /* [pair] of exact_pair */
    const float *maps;
    const qn_float4 *receptor; /* not NULL: exact energies by these atoms in place of maps (search_group.dev.h) */
    const int *near_starts, *near_atoms;
    const qn_float4 *near_pairs;
    float *x, *y, *z, *gx, *gy, *gz; /* A each */
    float *parts;                    /* QN_SEARCH_PARTS: of the energy */
    float *frames;                   /* (P + 1) × 12: origin, rows of the rotation; the last is the receptor's */
    float *rotation;                 /* 9: of a piece in its parent's frame */
    float *piece_sums,
        *sums;      /* P × 6: force, torque about the centre of the grid, of a piece, and with all behind it */
    float *inverse; /* D (D + 1) / 2: rows of the lower triangle */
    float *gradient, *next, *direction, *image;   /* D each */
    float *step, *change;                         /* D each */
    float *pose, *trial;                          /* QN_SEARCH_POSE each */
    float *bend, *energy, *reached, *slope, *way; /* 1 each */
    int round[QN_SEARCH_WIDTH], halvings[QN_SEARCH_WIDTH];
    int going[QN_SEARCH_WIDTH]; /* the minimisation goes on */
    int busy[QN_SEARCH_WIDTH];  /* with exact energies: the lane has a chain */
} search_lanes;

/* Numbers of a chain, without those of pairs. */
#define QN_LANES_ROOM(atoms, pieces)                                                               \
    (6 * (atoms) + 24 * (pieces) + 21 + (5 + (pieces)) * (6 + (pieces)) / 2 + 6 * (5 + (pieces)) + \
     2 * QN_SEARCH_POSE + QN_SEARCH_PARTS + 5)

/* ---- Sums ---- */

/* Add up to QN_SEARCH_PARTS parts as the tree of a device does. Absent parts are 0 there, which changes no bits but a
 * zero's sign, which no result depends on. */
static inline void lanes_tree(float *parts, int count, float *sum)
{
    for (int reach = QN_SEARCH_PARTS / 2; reach > 0; reach /= 2)
        for (int i = 0; i < reach && i + reach < count; i++)
            EACH_LANE(lane) parts[SEARCH_AT(i) + lane] += parts[SEARCH_AT(i + reach) + lane];
    EACH_LANE(lane) sum[lane] = parts[lane];
}

static inline void lanes_sum(const float *terms, int count, float *sum)
{
    float parts[SEARCH_AT(QN_SEARCH_PARTS)];
    const int rows = MIN(count, QN_SEARCH_PARTS);
    for (int i = 0; i < rows; i++) EACH_LANE(lane) parts[SEARCH_AT(i) + lane] = terms[SEARCH_AT(i) + lane];
    for (int i = rows; i < count; i++)
        EACH_LANE(lane) parts[SEARCH_AT(i % QN_SEARCH_PARTS) + lane] += terms[SEARCH_AT(i) + lane];
    lanes_tree(parts, rows, sum);
}

static inline void lanes_product(const search_lanes *v, const float *a, const float *b, float *sum)
{
    float parts[SEARCH_AT(QN_SEARCH_PARTS)];
    const int rows = MIN(v->freedoms, QN_SEARCH_PARTS);
    for (int i = 0; i < rows; i++)
        EACH_LANE(lane) parts[SEARCH_AT(i) + lane] = a[SEARCH_AT(i) + lane] * b[SEARCH_AT(i) + lane];
    for (int i = rows; i < v->freedoms; i++) {
        float *part = parts + SEARCH_AT(i % QN_SEARCH_PARTS);
        EACH_LANE(lane) part[lane] = FMA(a[SEARCH_AT(i) + lane], b[SEARCH_AT(i) + lane], part[lane]);
    }
    lanes_tree(parts, rows, sum);
}

/* ---- Places ---- */

static inline void lanes_place(const search_lanes *v, const float *pose)
{
    float *frames = v->frames, *rotation = v->rotation, *x = v->x, *y = v->y, *z = v->z;
    EACH_LANE(lane) search_root_frame(pose + lane, frames + lane);
    EACH_LANE(lane) search_fixed_frame(frames + SEARCH_AT(12 * v->pieces) + lane);
    for (int k = 1; k < v->pieces; k++) {
        const qn_float4 offset = v->piece_places[2 * k], axis = v->piece_places[2 * k + 1];
        const float *parent = frames + SEARCH_AT(12 * v->piece_links[2 * k].x);
        const float *angle = pose + SEARCH_AT(QN_SEARCH_TORSIONS - 1 + k);
        float *frame = frames + SEARCH_AT(12 * k);
        EACH_LANE(lane) search_about_axis(axis, angle[lane], rotation + lane);
        for (int row = 0; row < 3; row++)
            EACH_LANE(lane) search_child_row(parent + lane, offset, rotation + lane, row, frame + lane);
    }
    for (int i = 0; i < v->atoms; i++) {
        const qn_float4 inner = v->places[i];
        const float *frame = frames + SEARCH_AT(12 * v->links[i].x);
        EACH_LANE(lane)
        search_atom_place(frame + lane, inner, &x[SEARCH_AT(i) + lane], &y[SEARCH_AT(i) + lane],
                          &z[SEARCH_AT(i) + lane]);
    }
}

/* ---- Energy ---- */

/* Rows of two values along x at the cells of an atom: [y and z][lane]. Loads of two values at once take a quarter of
 * the time of gathers of single ones. */
typedef struct lanes_rows {
    qn_float2 at[4][QN_SEARCH_WIDTH];
} lanes_rows;

static inline void lanes_load_rows(const search_lanes *v, const search_scalars *s, int i, lanes_rows *rows)
{
    const float *x = v->x + SEARCH_AT(i), *y = v->y + SEARCH_AT(i), *z = v->z + SEARCH_AT(i);
    const int first = v->links[i].y, up = s->nx, back = s->nx * s->ny;
    int at[QN_SEARCH_WIDTH];
    EACH_LANE(lane) at[lane] = search_find_cell(first, s, x[lane], y[lane], z[lane]).at;
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) {
        const float *low = v->maps + at[lane], *high = low + back;
        memcpy(&rows->at[0][lane], low, sizeof(qn_float2));
        memcpy(&rows->at[1][lane], low + up, sizeof(qn_float2));
        memcpy(&rows->at[2][lane], high, sizeof(qn_float2));
        memcpy(&rows->at[3][lane], high + up, sizeof(qn_float2));
    }
}

static inline void lanes_interpolate(const search_lanes *v, const search_scalars *s, int i, const lanes_rows *rows)
{
    const int first = v->links[i].y;
    const float *x = v->x + SEARCH_AT(i), *y = v->y + SEARCH_AT(i), *z = v->z + SEARCH_AT(i), *bend = v->bend;
    float *gx = v->gx + SEARCH_AT(i), *gy = v->gy + SEARCH_AT(i), *gz = v->gz + SEARCH_AT(i);
    float *part = v->parts + SEARCH_AT(i % QN_SEARCH_PARTS);
    EACH_LANE(lane)
    {
        float slope_x, slope_y, slope_z;
        const search_cell cell = search_find_cell(first, s, x[lane], y[lane], z[lane]);
        part[lane] += search_interpolate(cell, s, bend[lane], rows->at[0][lane], rows->at[1][lane], rows->at[2][lane],
                                         rows->at[3][lane], &slope_x, &slope_y, &slope_z);
        gx[lane] = slope_x;
        gy[lane] = slope_y;
        gz[lane] = slope_z;
    }
}

/* An atom that has no map, since it stays where it is. */
static inline void lanes_clear(const search_lanes *v, int i)
{
    float *const arrays[] = {v->gx, v->gy, v->gz};
    for (int a = 0; a < 3; a++) memset(arrays[a] + SEARCH_AT(i), 0, QN_SEARCH_WIDTH * sizeof(float));
}

/* Energies of atoms on their maps and the derivatives. The values of some atoms are loaded before they are used,
 * because a vector cannot be read at once after its parts were written. */
static inline void lanes_inter(const search_lanes *v, const search_scalars *s)
{
    const search_scalars scalars = *s;
    enum { AHEAD = 4 };
    lanes_rows rows[AHEAD];
    memset(v->parts, 0, sizeof(float) * SEARCH_AT(QN_SEARCH_PARTS));
    for (int begin = 0; begin < v->atoms; begin += AHEAD) {
        const int end = MIN(begin + AHEAD, v->atoms);
        for (int i = begin; i < end; i++)
            if (v->links[i].y >= 0) lanes_load_rows(v, &scalars, i, &rows[i - begin]);
        for (int i = begin; i < end; i++) {
            if (v->links[i].y >= 0)
                lanes_interpolate(v, &scalars, i, &rows[i - begin]);
            else
                lanes_clear(v, i);
        }
    }
}

/* The energy of an atom of one chain with the near atoms of the receptor, which are the lanes of vectors here. */
static inline void lane_near(const search_lanes *v, const search_scalars *s, int i, int lane)
{
    const int at = SEARCH_AT(i) + lane;
    const float x = v->x[at], y = v->y[at], z = v->z[at];
    const qn_float4 *pairs = v->near_pairs + QN_SEARCH_TYPES * (int)FLOAT_BITS(v->places[i].w), *receptor = v->receptor;
    float parts[4][QN_SEARCH_PARTS] = {{0}}, out[3], sums[4];
    const int cell = search_near_cell(s, x, y, z, out);
    for (int begin = v->near_starts[cell], end = v->near_starts[cell + 1]; begin < end; begin += QN_SEARCH_PARTS) {
        const int *near = v->near_atoms + begin, count = MIN(end - begin, QN_SEARCH_PARTS);
        QN_SEARCH_PRAGMA(omp simd)
        for (int p = 0; p < count; p++) {
            const qn_float4 other = receptor[near[p]], pair = pairs[FLOAT_BITS(other.w)];
            search_add_near(x - other.x, y - other.y, z - other.z, pair, &parts[0][p], &parts[1][p], &parts[2][p],
                            &parts[3][p]);
        }
    }
    for (int part = 0; part < 4; part++) {
        for (int reach = QN_SEARCH_PARTS / 2; reach > 0; reach /= 2)
            for (int p = 0; p < reach; p++) parts[part][p] += parts[part][p + reach];
        sums[part] = parts[part][0];
    }
    v->parts[SEARCH_AT(i % QN_SEARCH_PARTS) + lane] += search_finish_near(v->bend[lane], out, sums);
    v->gx[at] = sums[1];
    v->gy[at] = sums[2];
    v->gz[at] = sums[3];
}

static inline void lanes_near(const search_lanes *v, const search_scalars *s)
{
    memset(v->parts, 0, sizeof(float) * SEARCH_AT(QN_SEARCH_PARTS));
    for (int i = 0; i < v->atoms; i++) {
        lanes_clear(v, i);
        for (int lane = 0; lane < QN_SEARCH_WIDTH && v->links[i].y >= 0; lane++)
            if (v->busy[lane]) lane_near(v, s, i, lane);
    }
}

/* A pair in all lanes; 0 in lanes where the atoms are not within the cut-off. */
typedef struct lanes_contact {
    float dx[QN_SEARCH_WIDTH], dy[QN_SEARCH_WIDTH], dz[QN_SEARCH_WIDTH], square[QN_SEARCH_WIDTH];
    float energy[QN_SEARCH_WIDTH], slope[QN_SEARCH_WIDTH];  /* along the distance */
    float inverse[QN_SEARCH_WIDTH], force[QN_SEARCH_WIDTH]; /* 1 / distance; slope over distance */
} lanes_contact;

/* Returns whether the atoms are within the cut-off in any lane. */
static inline int lanes_meet(const search_lanes *v, int first, int second, lanes_contact *c)
{
    const float *x = v->x, *y = v->y, *z = v->z;
    float nearest = SEARCH_SQUARED_CUTOFF;
    QN_SEARCH_PRAGMA(omp simd reduction(min : nearest))
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) {
        const int i = first + lane, j = second + lane;
        const float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        const float square = FMA(dx, dx, FMA(dy, dy, dz * dz));
        c->dx[lane] = dx;
        c->dy[lane] = dy;
        c->dz[lane] = dz;
        c->square[lane] = square;
        nearest = FMIN(square, nearest);
    }
    return nearest < SEARCH_SQUARED_CUTOFF;
}

/* Energies of a pair, not yet bent. Returns whether any is above 0. */
static inline int lanes_straight(qn_float4 parameters, lanes_contact *c)
{
    float highest = 0.0f;
    QN_SEARCH_PRAGMA(omp simd reduction(max : highest))
    for (int lane = 0; lane < QN_SEARCH_WIDTH; lane++) {
        const float near = c->square[lane] < SEARCH_SQUARED_CUTOFF ? 1.0f : 0.0f;
        float slope, inverse;
        const float energy = near * search_straight_pair(c->square[lane], parameters, &slope, &inverse);
        c->energy[lane] = energy;
        c->slope[lane] = slope;
        c->inverse[lane] = near * inverse;
        c->force[lane] = slope * (near * inverse);
        highest = FMAX(energy, highest);
    }
    return highest > 0.0f;
}

/* Bend energies above 0. */
static inline void lanes_bend(const search_lanes *v, lanes_contact *c)
{
    const float *bend = v->bend;
    EACH_LANE(lane)
    {
        float factor;
        c->energy[lane] = search_bent(c->energy[lane], bend[lane], &factor);
        c->force[lane] = factor * c->slope[lane] * c->inverse[lane];
    }
}

static inline void lanes_add_contact(const search_lanes *v, int first, int second, float *part, const lanes_contact *c)
{
    float *gx = v->gx, *gy = v->gy, *gz = v->gz;
    EACH_LANE(lane)
    {
        const int i = first + lane, j = second + lane;
        const float dx = c->dx[lane], dy = c->dy[lane], dz = c->dz[lane], force = c->force[lane];
        part[lane] += c->energy[lane];
        gx[i] = FMA(force, dx, gx[i]);
        gy[i] = FMA(force, dy, gy[i]);
        gz[i] = FMA(force, dz, gz[i]);
        gx[j] = FMA(-force, dx, gx[j]);
        gy[j] = FMA(-force, dy, gy[j]);
        gz[j] = FMA(-force, dz, gz[j]);
    }
}

/* Each pair once; an atom gets its pairs by rising partner, as on a device. Most pairs of a molecule attract in all
 * lanes, and need no bending; many are too far apart in all of them. */
static inline void lanes_intra(const search_lanes *v)
{
    for (int p = 0; p < v->pair_count; p++) {
        const int first = SEARCH_AT(v->pairs[p] % QN_SEARCH_NEXT), second = SEARCH_AT(v->pairs[p] / QN_SEARCH_NEXT);
        lanes_contact contact;
        if (!lanes_meet(v, first, second, &contact)) continue;
        if (lanes_straight(v->pair_parameters[p], &contact)) lanes_bend(v, &contact);
        lanes_add_contact(v, first, second, v->parts + SEARCH_AT(p % QN_SEARCH_PARTS), &contact);
    }
}

/* Add 100 kcal/mol for each Å of the centroid outside the box. */
static inline void lanes_confine(const search_lanes *v, const search_scalars *s, float *outside)
{
    float *const places[3] = {v->x, v->y, v->z}, *const slopes[3] = {v->gx, v->gy, v->gz};
    const float share = exact_reciprocal((float)v->own);
    float centre[QN_SEARCH_WIDTH], push[QN_SEARCH_WIDTH];
    EACH_LANE(lane) outside[lane] = 0.0f;
    for (int d = 0; d < 3 && s->confined; d++) {
        const float low = s->box_low[d], high = s->box_high[d];
        float *slope = slopes[d];
        lanes_sum(places[d], v->own, centre);
        EACH_LANE(lane)
        {
            float each;
            outside[lane] = FMA(100.0f, search_outside(share * centre[lane], low, high, share, &each), outside[lane]);
            push[lane] = each;
        }
        for (int i = 0; i < v->own; i++) EACH_LANE(lane) slope[SEARCH_AT(i) + lane] += push[lane];
    }
}

/* Force and torque of each piece with all pieces behind it, which follow it. */
static inline void lanes_gather(const search_lanes *v)
{
    const float *x = v->x, *y = v->y, *z = v->z, *gx = v->gx, *gy = v->gy, *gz = v->gz;
    for (int k = 0; k < v->pieces; k++) {
        float *sum = v->piece_sums + SEARCH_AT(6 * k);
        for (int d = 0; d < SEARCH_AT(6); d++) sum[d] = 0.0f;
        for (int i = v->piece_links[2 * k].z; i < v->piece_links[2 * k].w; i++) EACH_LANE(lane)
            {
                const int at = SEARCH_AT(i) + lane;
                search_add_atom(x[at], y[at], z[at], gx[at], gy[at], gz[at], sum + lane);
            }
    }
    for (int k = 0; k < v->pieces; k++) {
        float *sum = v->sums + SEARCH_AT(6 * k);
        memcpy(sum, v->piece_sums + SEARCH_AT(6 * k), sizeof(float) * SEARCH_AT(6));
        for (int other = k + 1; other < v->piece_links[2 * k + 1].x; other++)
            for (int d = 0; d < SEARCH_AT(6); d++) sum[d] += v->piece_sums[SEARCH_AT(6 * other) + d];
    }
}

/* Gradient by the root's place, the root's rotation vector and the torsions. */
static inline void lanes_gradient(const search_lanes *v, float *gradient)
{
    float *sums = v->sums, *frames = v->frames;
    lanes_gather(v);
    for (int d = 0; d < SEARCH_AT(3); d++) gradient[d] = sums[d];
    EACH_LANE(lane)
    {
        float tx, ty, tz;
        search_torque(sums + lane, frames + lane, &tx, &ty, &tz);
        gradient[SEARCH_AT(3) + lane] = tx;
        gradient[SEARCH_AT(4) + lane] = ty;
        gradient[SEARCH_AT(5) + lane] = tz;
    }
    for (int k = 1; k < v->pieces; k++) {
        const float *sum = sums + SEARCH_AT(6 * k), *frame = frames + SEARCH_AT(12 * k);
        const float *parent = frames + SEARCH_AT(12 * v->piece_links[2 * k].x);
        const qn_float4 axis = v->piece_places[2 * k + 1];
        float *to = gradient + SEARCH_AT(5 + k);
        EACH_LANE(lane)
        {
            float tx, ty, tz;
            search_torque(sum + lane, frame + lane, &tx, &ty, &tz);
            to[lane] = search_about(parent + lane, axis, tx, ty, tz);
        }
    }
}

/* Energies of `pose`, bent by v->bend, into v->reached, and their gradients. */
static inline void lanes_evaluate(const search_lanes *v, const search_scalars *s, const float *pose, float *gradient)
{
    float outside[QN_SEARCH_WIDTH], *reached = v->reached;
    lanes_place(v, pose);
    if (v->receptor)
        lanes_near(v, s);
    else
        lanes_inter(v, s);
    lanes_intra(v);
    lanes_confine(v, s, outside);
    lanes_gradient(v, gradient);
    lanes_tree(v->parts, QN_SEARCH_PARTS, reached);
    EACH_LANE(lane) reached[lane] += outside[lane];
}

#endif
