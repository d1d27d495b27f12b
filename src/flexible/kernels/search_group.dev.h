/* The search of flexible/search on a device: energy and gradient of a pose on maps, BFGS, chains.
 *
 * The 32 work-items of a group share a chain, with its numbers in local memory. FOR_EACH deals items to work-items;
 * sums add 32 strided parts, then a fixed tree. The host does the same operations in the same order for each of 16
 * chains (search_lanes.h). */
#ifndef QN_FLEXIBLE_SEARCH_GROUP_DEV_H
#define QN_FLEXIBLE_SEARCH_GROUP_DEV_H

#include "flexible/kernels/search.dev.h"

/* A ligand with side chains, and the numbers of a chain: A atoms, the first `own` of the ligand, P pieces, D = 5 + P
 * freedoms. */
typedef struct search_view {
    int atoms, own, pieces, freedoms, depth, rounds, stride, pair_count; /* stride: of a row of `inverse` */
    qn_uint32 molecule;
    float turn;                     /* radians: the largest step of rotation */
    GLOBAL const qn_float4 *places; /* [atom] in the frame of its piece */
    GLOBAL const qn_int4 *links;    /* [atom] piece, first value of its map (−1: none), first partner, partners */
    GLOBAL const int *partners;     /* QN_SEARCH_PARTS apart, by rising atom: other atom, number of the pair */
    GLOBAL const int *pairs;        /* by rising atoms: first, second */
    GLOBAL const qn_float4 *pair_parameters; /* [pair] of exact_pair */
    GLOBAL const qn_float4 *piece_places;    /* [piece][2]: offset, axis, in the frame of the parent */
    GLOBAL const qn_int4 *piece_links;       /* [piece][2]: parent, depth, first atom, end; end of the pieces behind */
    GLOBAL const float *maps;
    GLOBAL const qn_float4 *receptor;           /* in place of maps: places of its atoms and, as bits, their columns */
    GLOBAL const int *near_starts, *near_atoms; /* first of each cell's list, and the end; atoms of the receptor */
    GLOBAL const qn_float4 *near_pairs;         /* [row][QN_SEARCH_TYPES] of exact_pair; an atom's row is in places.w */
    LOCAL_PTR qn_float4 *at, *slopes;           /* A each: places, derivatives of the energy; 0 */
    LOCAL_PTR float *forces;                    /* of pairs: derivative over distance */
    LOCAL_PTR float *frames;                    /* (P + 1) × 12: origin, rows; the last: receptor's */
    LOCAL_PTR float *rotations;                 /* P × 9: in the parents' frames, by rows */
    LOCAL_PTR float *sums;                      /* P × 6: force, torque about the centre of the grid */
    LOCAL_PTR float *inverse;                   /* D × stride */
    LOCAL_PTR float *gradient, *next, *direction, *image; /* D each, with room for QN_SEARCH_POSE */
    LOCAL_PTR float *pose, *trial, *current, *best;       /* QN_SEARCH_POSE each */
    LOCAL_PTR float *scratch;                             /* QN_SEARCH_PARTS */
    int evaluations;
} search_view;

/* For loops of a length that is not constant, which compilers of OpenCL may refuse to unroll. */
#ifdef QN_LANGUAGE_CUDA
#define UNROLL_SOME(count) UNROLL_BY(count)
#else
#define UNROLL_SOME(count)
#endif

#define FOR_EACH(i, count) UNROLL_SOME(1) for (int i = LOCAL_ID(0); i < (count); i += QN_SEARCH_PARTS)
#define FIRST_LANE (LOCAL_ID(0) == 0)

/* Barriers stay outside of conditions, and loops with barriers run at least once: PoCL copies all code that follows
 * such a condition, so that its size would double with each. */

/* ---- Sums ---- */

DEVICE_FN float search_product(const search_view *v, LOCAL_PTR const float *a, LOCAL_PTR const float *b)
{
    float part = 0.0f;
    FOR_EACH(i, v->freedoms) part = FMA(a[i], b[i], part);
    return SUM_OF_32(part, v->scratch);
}
/* ---- Places ---- */

/* Frames from the root to the leaves: a work-item makes a row of a frame, after its parent's. Parents precede. */
DEVICE_FN void search_frames(const search_view *v, LOCAL_PTR const float *pose)
{
    if (FIRST_LANE) search_root_frame(pose, v->frames);
    FOR_EACH(k, v->pieces)
    search_about_axis(v->piece_places[2 * k + 1], pose[QN_SEARCH_TORSIONS - 1 + k], v->rotations + 9 * k);
    LOCAL_BARRIER_OF_32();
    int item = LOCAL_ID(0) + 3, begin = 3;
    do { /* at least once, even where there is one piece */
        const int k = MIN(item / 3, v->pieces - 1), row = item % 3;
        const qn_int4 link = v->piece_links[2 * k];
        const qn_float4 offset = v->piece_places[2 * k];
        const int due = item < 3 * v->pieces ? link.y : 0;
        int depth = 1;
        do {
            if (depth == due)
                search_child_row(v->frames + 12 * link.x, offset, v->rotations + 9 * k, row, v->frames + 12 * k);
            LOCAL_BARRIER_OF_32();
        } while (++depth <= v->depth);
        item += QN_SEARCH_PARTS;
        begin += QN_SEARCH_PARTS;
    } while (begin < 3 * v->pieces);
}

DEVICE_FN void search_place(const search_view *v, LOCAL_PTR const float *pose)
{
    search_frames(v, pose);
    FOR_EACH(i, v->atoms)
    {
        float x, y, z;
        search_atom_place(v->frames + 12 * v->links[i].x, v->places[i], &x, &y, &z);
        v->at[i] = FLOAT4_MAKE(x, y, z, 0.0f);
    }
    LOCAL_BARRIER_OF_32();
}

/* ---- Energy ---- */

DEVICE_FN qn_float2 search_row(GLOBAL const float *map)
{
    return FLOAT2_MAKE(map[0], map[1]);
}

/* Derivatives of atoms on their maps; returns the energy of this work-item's atoms. */
DEVICE_FN float search_inter(const search_view *v, const search_scalars *s, float bend)
{
    float part = 0.0f;
    FOR_EACH(i, v->atoms)
    {
        float gx = 0.0f, gy = 0.0f, gz = 0.0f;
        const qn_int4 link = v->links[i];
        if (link.y >= 0) {
            const qn_float4 at = v->at[i];
            const search_cell cell = search_find_cell(link.y, s, at.x, at.y, at.z);
            GLOBAL const float *low = v->maps + cell.at, *high = low + s->nx * s->ny;
            part += search_interpolate(cell, s, bend, search_row(low), search_row(low + s->nx), search_row(high),
                                       search_row(high + s->nx), &gx, &gy, &gz);
        }
        v->slopes[i] = FLOAT4_MAKE(gx, gy, gz, 0.0f);
    }
    return part;
}

/* The same without maps, by all pairs with near atoms of the receptor: the group shares those of an atom. */
DEVICE_FN float search_near(const search_view *v, const search_scalars *s, float bend)
{
    float part = 0.0f;
    int i = 0;
    do {
        const qn_float4 at = v->at[i];
        const int moves = v->links[i].y >= 0;
        GLOBAL const qn_float4 *pairs = v->near_pairs + QN_SEARCH_TYPES * (int)FLOAT_BITS(v->places[i].w);
        float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f}, out[3];
        const int cell = search_near_cell(s, at.x, at.y, at.z, out);
        const int begin = v->near_starts[cell], end = moves ? v->near_starts[cell + 1] : begin;
        for (int p = begin + LOCAL_ID(0); p < end; p += QN_SEARCH_PARTS) {
            const qn_float4 other = v->receptor[v->near_atoms[p]];
            search_add_near(at.x - other.x, at.y - other.y, at.z - other.z, pairs[FLOAT_BITS(other.w)], &sums[0],
                            &sums[1], &sums[2], &sums[3]);
        }
        SUMS_OF_32(4, sums, v->scratch);
        const float energy = search_finish_near(bend, out, sums);
        part += moves && LOCAL_ID(0) == i % QN_SEARCH_PARTS ? energy : 0.0f;
        if (FIRST_LANE)
            v->slopes[i] = FLOAT4_MAKE(moves ? sums[1] : 0.0f, moves ? sums[2] : 0.0f, moves ? sums[3] : 0.0f, 0.0f);
    } while (++i < v->atoms);
    return part;
}

/* The energy of a pair; *force: its derivative over the distance. */
DEVICE_FN float search_pair(const search_view *v, int pair, qn_float4 parameters, float bend, LOCAL_PTR float *force)
{
    const qn_float4 first = v->at[pair % QN_SEARCH_NEXT], second = v->at[pair / QN_SEARCH_NEXT];
    const float dx = first.x - second.x, dy = first.y - second.y, dz = first.z - second.z;
    const float square = FMA(dx, dx, FMA(dy, dy, dz * dz));
    float slope, inverse, factor = 1.0f;
    const int near = square < SEARCH_SQUARED_CUTOFF;
    float energy = search_straight_pair(square, parameters, &slope, &inverse);
    if (near && energy > 0.0f) energy = search_bent(energy, bend, &factor); /* else it stays as it is; few are */
    *force = near ? factor * slope * inverse : 0.0f;
    return near ? energy : 0.0f;
}

/* Add to an atom's derivatives those of its pairs `begin` … `end` − 1, whose forces are given. */
DEVICE_FN void search_add_forces(const search_view *v, int i, int begin, int end)
{
    const qn_int4 link = v->links[i];
    const qn_float4 at = v->at[i];
    qn_float4 slope = v->slopes[i];
    UNROLL_SOME(4)
    for (int p = 0; p < link.w; p++) {
        const int partner = v->partners[link.z + QN_SEARCH_PARTS * p], pair = partner / QN_SEARCH_NEXT;
        const qn_float4 other = v->at[partner % QN_SEARCH_NEXT];
        const float force = pair >= begin && pair < end ? v->forces[pair - begin] : 0.0f;
        slope.x = FMA(force, at.x - other.x, slope.x);
        slope.y = FMA(force, at.y - other.y, slope.y);
        slope.z = FMA(force, at.z - other.z, slope.z);
    }
    v->slopes[i] = slope;
}

/* Add the derivatives of pairs; returns `part` and the energy of this work-item's pairs. Each pair is computed once,
 * and each atom adds its own, by rising partner. */
DEVICE_FN float search_intra(const search_view *v, float bend, float part)
{
    int begin = 0;
    do {
        const int end = MIN(begin + QN_SEARCH_CHUNK, v->pair_count);
        UNROLL_SOME(PAIRS)
        for (int p = begin + LOCAL_ID(0); p < end; p += QN_SEARCH_PARTS)
            part += search_pair(v, v->pairs[p], v->pair_parameters[p], bend, &v->forces[p - begin]);
        LOCAL_BARRIER_OF_32();
        FOR_EACH(i, v->atoms) search_add_forces(v, i, begin, end);
        LOCAL_BARRIER_OF_32();
        begin = end;
    } while (begin < v->pair_count);
    return part;
}

/* 100 kcal/mol for each Å of the centroid outside the box. */
DEVICE_FN float search_confine(const search_view *v, const search_scalars *s)
{
    float energy = 0.0f, push[3], sums[3] = {0.0f, 0.0f, 0.0f};
    const float share = exact_reciprocal((float)v->own);
    FOR_EACH(i, v->own)
    {
        const qn_float4 at = v->at[i];
        sums[0] += at.x;
        sums[1] += at.y;
        sums[2] += at.z;
    }
    SUMS_OF_32(3, sums, v->scratch);
    for (int d = 0; d < 3; d++) {
        energy = FMA(100.0f, search_outside(share * sums[d], s->box_low[d], s->box_high[d], share, &push[d]), energy);
        push[d] = s->confined ? push[d] : 0.0f;
    }
    FOR_EACH(i, v->own)
    {
        const qn_float4 slope = v->slopes[i];
        v->slopes[i] = FLOAT4_MAKE(slope.x + push[0], slope.y + push[1], slope.z + push[2], 0.0f);
    }
    LOCAL_BARRIER_OF_32();
    return s->confined ? energy : 0.0f;
}

/* A component of the force on the atoms of a piece, or (3 to 5) of their torque about the centre of the grid. */
DEVICE_FN float search_own_sum(const search_view *v, int piece, int component)
{
    const qn_int4 link = v->piece_links[2 * piece];
    const int d = component % 3, a = (d + 1) % 3, b = (d + 2) % 3;
    LOCAL_PTR const float *at = (LOCAL_PTR const float *)v->at, *slopes = (LOCAL_PTR const float *)v->slopes;
    float sum = 0.0f;
    UNROLL_SOME(2)
    for (int i = 4 * link.z; i < 4 * link.w; i += 4)
        sum += component < 3 ? slopes[i + d] : search_moment(at[i + a], slopes[i + b], at[i + b], slopes[i + a]);
    return sum;
}

/* Force and torque of each piece with all pieces behind it, which follow it. */
DEVICE_FN void search_gather(const search_view *v)
{
    LOCAL_PTR float *own = v->rotations; /* which are not needed any more */
    FOR_EACH(item, 6 * v->pieces) own[item] = search_own_sum(v, item / 6, item % 6);
    LOCAL_BARRIER_OF_32();
    FOR_EACH(item, 6 * v->pieces)
    {
        const int end = 6 * v->piece_links[2 * (item / 6) + 1].x;
        float sum = own[item];
        UNROLL_SOME(4)
        for (int other = item + 6; other < end; other += 6) sum += own[other];
        v->sums[item] = sum;
    }
    LOCAL_BARRIER_OF_32();
}

/* Gradient by the root's place, the root's rotation vector and the torsions. */
DEVICE_FN void search_gradient(const search_view *v, LOCAL_PTR float *gradient)
{
    search_gather(v);
    FOR_EACH(k, v->pieces)
    {
        LOCAL_PTR const float *sum = v->sums + 6 * k;
        float tx, ty, tz;
        search_torque(sum, v->frames + 12 * k, &tx, &ty, &tz);
        if (k == 0) {
            for (int d = 0; d < 3; d++) gradient[d] = sum[d];
            gradient[3] = tx;
            gradient[4] = ty;
            gradient[5] = tz;
            continue;
        }
        gradient[5 + k] =
            search_about(v->frames + 12 * v->piece_links[2 * k].x, v->piece_places[2 * k + 1], tx, ty, tz);
    }
    LOCAL_BARRIER_OF_32();
}

/* exact: 1, by pairs of atoms; 0, on maps. A constant, so that compilers keep one of both. */
DEVICE_FN float search_evaluate(search_view *v, const search_scalars *s, int exact, float bend,
                                LOCAL_PTR const float *pose, LOCAL_PTR float *gradient)
{
    v->evaluations++;
    search_place(v, pose);
    const float atoms = exact ? search_near(v, s, bend) : search_inter(v, s, bend);
    LOCAL_BARRIER_OF_32();
    const float part = search_intra(v, bend, atoms);
    const float outside = search_confine(v, s);
    search_gradient(v, gradient);
    return SUM_OF_32(part, v->scratch) + outside;
}

/* ---- BFGS ---- */

/* to ← from moved by `way` times `direction`; a rotation is a rotation vector, torsions stay in −π … π. */
DEVICE_FN void search_move(const search_view *v, LOCAL_PTR const float *from, LOCAL_PTR const float *direction,
                           float way, LOCAL_PTR float *to)
{
    if (FIRST_LANE) search_move_root(from, direction, way, to);
    FOR_EACH(k, v->pieces - 1)
    to[QN_SEARCH_TORSIONS + k] = search_turned(from[QN_SEARCH_TORSIONS + k], direction[6 + k], way);
    LOCAL_BARRIER_OF_32();
}

/* to ← from where `wanted`. */
DEVICE_FN void search_copy(int wanted, LOCAL_PTR const float *from, LOCAL_PTR float *to, int count)
{
    FOR_EACH(i, wanted ? count : 0) to[i] = from[i];
    LOCAL_BARRIER_OF_32();
}

/* The inverse becomes a multiple of the unit matrix, where `wanted`. */
DEVICE_FN void search_diagonal(const search_view *v, int wanted, float value)
{
    FOR_EACH(i, wanted ? v->freedoms : 0)
    {
        UNROLL_SOME(2)
        for (int j = 0; j < v->freedoms; j++) v->inverse[j * v->stride + i] = i == j ? value : 0.0f;
    }
    LOCAL_BARRIER_OF_32();
}

/* image ← factor · inverse · vector, where `wanted`; the matrix is symmetric. */
DEVICE_FN void search_apply(const search_view *v, int wanted, LOCAL_PTR const float *vector, float factor,
                            LOCAL_PTR float *image)
{
    FOR_EACH(i, wanted ? v->freedoms : 0)
    {
        float sum = 0.0f;
        for (int j = 0; j < v->freedoms; j++) sum = FMA(v->inverse[j * v->stride + i], vector[j], sum);
        image[i] = factor * sum;
    }
    LOCAL_BARRIER_OF_32();
}

/* The update of BFGS, where `wanted`, with step s, `way` times `direction`, and change of gradient y, `next` −
 * `gradient`, which replace these two; the inverse is scaled first where `first`. */
DEVICE_FN void search_update(search_view *v, int wanted, float way, int first)
{
    FOR_EACH(i, wanted ? v->freedoms : 0)
    {
        v->direction[i] *= way;
        v->gradient[i] = v->next[i] - v->gradient[i];
    }
    LOCAL_BARRIER_OF_32();
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
    LOCAL_BARRIER_OF_32();
}

/* Move `pose` by `direction` and lower its energy from there; returns it. Exact energies have errors of rounding, so
 * that a fall of less than 1e-4 kcal/mol is the last one. Energies are computed at one place in the code only:
 * compilers copy a function to every call. */
DEVICE_FN float search_minimise(search_view *v, const search_scalars *s, int exact, float bend, LOCAL_PTR float *pose)
{
    float energy = 0.0f, slope = 0.0f, way = 1.0f;
    int round = -1, halvings = 0, going = 1;
    while (going) {
        search_move(v, pose, v->direction, way, v->trial);
        const float reached = search_evaluate(v, s, exact, bend, v->trial, v->next);
        const int lower = round < 0 || reached - energy < 1e-4f * way * slope;
        const int last = exact && round >= 0 && energy - reached < QN_SEARCH_LEAST_FALL;
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
        going = lower ? round < v->rounds && square > 1e-10f && !last
                      : halvings <= (exact ? QN_SEARCH_EXACT_HALVINGS : QN_SEARCH_HALVINGS);
    }
    return energy;
}

/* ---- Chains ---- */

/* Draw the start of a chain into `pose`, or a step from there into `direction`; neither: the step is 0. */
DEVICE_FN void search_begin(const search_view *v, int starts, int steps, const search_scalars *s, int chain,
                            int step_number, LOCAL_PTR float *pose)
{
    FOR_EACH(i, v->freedoms) v->direction[i] = 0.0f;
    LOCAL_BARRIER_OF_32();
    if (FIRST_LANE && starts) search_draw_start(s, v->molecule, v->pieces, chain, pose);
    if (FIRST_LANE && steps)
        search_draw_step(s, v->molecule, v->pieces, v->turn, chain, step_number, pose, v->direction);
    LOCAL_BARRIER_OF_32();
}

/* One step of a chain: `current` and `best` with their energies. Returns whether the step was accepted. A promising
 * pose is minimised again, with the hard bend. */
DEVICE_FN int search_step(search_view *v, const search_scalars *s, int chain, int step_number)
{
    const int count = QN_SEARCH_TORSIONS - 1 + v->pieces, starts = step_number == 0;
    float energy = 0.0f;
    int accepted = 0, promising = 0, passes = 1;
    search_copy(1, v->current, v->pose, count);
    for (int pass = 0; pass < passes; pass++) {
        search_begin(v, pass == 0 && starts, pass == 0 && !starts, s, chain, step_number, v->pose);
        energy = search_minimise(v, s, 0, pass == 0 ? QN_SEARCH_SOFT : QN_SEARCH_HARD, v->pose);
        if (pass == 0) {
            const float before = v->current[QN_SEARCH_TORSIONS - 1];
            accepted = search_accepts(s, v->molecule, chain, step_number, before, energy) || starts;
            promising = accepted && (starts || energy < v->best[QN_SEARCH_TORSIONS - 1]);
            passes = promising ? 2 : 1;
        }
        LOCAL_BARRIER_OF_32();
    }
    if (FIRST_LANE) v->pose[QN_SEARCH_TORSIONS - 1] = energy;
    const int better = promising && (starts || energy < v->best[QN_SEARCH_TORSIONS - 1]);
    LOCAL_BARRIER_OF_32();
    search_copy(accepted, v->pose, v->current, count);
    search_copy(better, v->pose, v->best, count);
    return accepted;
}

/* Minimise `current` with exact energies, after a kick if `kick` is above 0, in up to `passes` passes; `best` gets the
 * pose and its energy. */
DEVICE_FN void search_settle(search_view *v, const search_scalars *s, int kick, int passes)
{
    const int count = QN_SEARCH_TORSIONS - 1 + v->pieces;
    float energy = 1e30f, before;
    int pass = 0;
    search_copy(1, v->current, v->pose, count);
    do {
        FOR_EACH(i, v->freedoms)
        v->direction[i] = kick > 0 && pass == 0 ? search_kick(s, v->molecule, v->turn, kick, i) : 0.0f;
        LOCAL_BARRIER_OF_32();
        before = energy;
        energy = search_minimise(v, s, 1, QN_SEARCH_HARD, v->pose);
    } while (search_settles_on(++pass, passes, kick, v->current[QN_SEARCH_TORSIONS - 1], before, energy));
    if (FIRST_LANE) v->pose[QN_SEARCH_TORSIONS - 1] = energy;
    LOCAL_BARRIER_OF_32();
    search_copy(1, v->pose, v->best, count);
}

#endif
