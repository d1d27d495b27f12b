/* Chains of a flexible search on maps. One group of 32 work-items for each chain; search_group.dev.h has all
 * arithmetic.
 *
 * Shapes: heads [ligand][12]; atoms [atom], local places; links [atom]; partners [partner]; pieces [piece][2];
 * piece_links [piece][2]; pairs, pair_parameters [pair]; maps [type][z][y][x]; poses of `score` [chain][56], of `walk`
 * [chain][2][56], the current and the best pose; results of `score` [chain][56], energy and gradient, of `walk`
 * [chain][2], evaluations and accepted steps; legs [group]: chain, first step, steps; step 0 draws the start.
 *
 * `settle` takes exact energies: receptor [atom], places relative to the centre of the grid, columns; near_starts
 * [cell + 1]; near_atoms [list]; near_pairs [32][32]; poses [chain][2][56], the current pose, and where it settles;
 * legs [group]: chain, number of the kick, or 0, and passes at most; with none of them the energy of the current pose
 * and its gradient take the place of the pose. */

#include "flexible/kernels/search_group.dev.h"

#ifndef PAIRS
#error "PAIRS: pairs of a work-item at once"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups at once on a compute unit, at least"
#endif

DEVICE_FN void open_view(search_view *v, GLOBAL const int *head, GLOBAL const qn_float4 *atoms,
                         GLOBAL const qn_int4 *links, GLOBAL const int *partners, GLOBAL const qn_float4 *pieces,
                         GLOBAL const qn_int4 *piece_links, GLOBAL const int *pairs,
                         GLOBAL const qn_float4 *pair_parameters, LOCAL_PTR float *room)
{
    v->atoms = head[0];
    v->own = head[9];
    v->pieces = head[1];
    v->depth = head[2];
    v->rounds = head[6];
    v->molecule = (qn_uint32)head[7];
    v->turn = BITS_FLOAT(head[8]);
    v->freedoms = 5 + v->pieces;
    v->stride = v->freedoms | 1;
    v->places = atoms + head[3];
    v->links = links + head[3];
    v->partners = partners + head[5];
    v->pairs = pairs + head[10];
    v->pair_parameters = pair_parameters + head[10];
    v->pair_count = head[11];
    v->piece_places = pieces + 2 * head[4];
    v->piece_links = piece_links + 2 * head[4];
    v->evaluations = 0;
    v->scratch = room;
    v->pose = room + QN_SEARCH_PARTS;
    v->trial = v->pose + QN_SEARCH_POSE;
    v->current = v->trial + QN_SEARCH_POSE;
    v->best = v->current + QN_SEARCH_POSE;
    v->gradient = v->best + QN_SEARCH_POSE;
    v->next = v->gradient + QN_SEARCH_POSE;
    v->direction = v->next + QN_SEARCH_POSE;
    v->image = v->direction + QN_SEARCH_POSE;
    v->at = (LOCAL_PTR qn_float4 *)(v->image + QN_SEARCH_POSE); /* at a multiple of 16 bytes */
    v->slopes = v->at + v->atoms;
    v->frames = (LOCAL_PTR float *)(v->slopes + v->atoms);
    v->rotations = v->frames + 12 * v->pieces + 12;
    v->sums = v->rotations + 9 * v->pieces;
    v->inverse = v->sums + 6 * v->pieces;
    v->forces = v->inverse + v->freedoms * v->stride;
    if (FIRST_LANE) search_fixed_frame(v->frames + 12 * v->pieces);
}

DEVICE_FN void load_pose(GLOBAL const float *from, LOCAL_PTR float *to)
{
    FOR_EACH(i, QN_SEARCH_POSE) to[i] = from[i];
    LOCAL_BARRIER_OF_32();
}

DEVICE_FN void store_pose(LOCAL_PTR const float *from, GLOBAL float *to)
{
    FOR_EACH(i, QN_SEARCH_POSE) to[i] = from[i];
    LOCAL_BARRIER_OF_32();
}

/* An energy, and the gradient. */
DEVICE_FN void store_result(const search_view *v, float energy, GLOBAL float *to)
{
    FOR_EACH(i, QN_SEARCH_POSE) to[i] = i == 0 ? energy : (i <= v->freedoms ? v->gradient[i - 1] : 0.0f);
}

KERNEL GROUP_LIMIT_RESIDENT(QN_SEARCH_PARTS, 1, 1, RESIDENT) void score(
    GLOBAL const int *RESTRICT heads, GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const qn_int4 *RESTRICT links,
    GLOBAL const int *RESTRICT partners, GLOBAL const qn_float4 *RESTRICT pieces,
    GLOBAL const qn_int4 *RESTRICT piece_links, GLOBAL const int *RESTRICT pairs,
    GLOBAL const qn_float4 *RESTRICT pair_parameters, GLOBAL const float *RESTRICT maps,
    GLOBAL const float *RESTRICT poses, GLOBAL float *RESTRICT results, const search_scalars s LOCAL_ROOM_PARAMETER)
{
    const int chain = GROUP_ID(0);
    search_view v;
    open_view(&v, heads + QN_SEARCH_HEAD * (chain / s.chains), atoms, links, partners, pieces, piece_links, pairs,
              pair_parameters, LOCAL_ROOM(float));
    v.maps = maps;
    load_pose(poses + QN_SEARCH_POSE * chain, v.pose);
    const float energy = search_evaluate(&v, &s, 0, s.bend, v.pose, v.gradient);
    store_result(&v, energy, results + QN_SEARCH_POSE * chain);
}

KERNEL GROUP_LIMIT_RESIDENT(QN_SEARCH_PARTS, 1, 1, RESIDENT) void walk(
    GLOBAL const int *RESTRICT heads, GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const qn_int4 *RESTRICT links,
    GLOBAL const int *RESTRICT partners, GLOBAL const qn_float4 *RESTRICT pieces,
    GLOBAL const qn_int4 *RESTRICT piece_links, GLOBAL const int *RESTRICT pairs,
    GLOBAL const qn_float4 *RESTRICT pair_parameters, GLOBAL const float *RESTRICT maps, GLOBAL float *RESTRICT poses,
    GLOBAL int *RESTRICT results, const search_scalars s, GLOBAL const qn_int4 *RESTRICT legs LOCAL_ROOM_PARAMETER)
{
    const qn_int4 leg = legs[s.first_leg + GROUP_ID(0)];
    const int chain = leg.x;
    int accepted = 0;
    search_view v;
    open_view(&v, heads + QN_SEARCH_HEAD * (chain / s.chains), atoms, links, partners, pieces, piece_links, pairs,
              pair_parameters, LOCAL_ROOM(float));
    v.maps = maps;
    load_pose(poses + 2 * QN_SEARCH_POSE * chain, v.current);
    load_pose(poses + 2 * QN_SEARCH_POSE * chain + QN_SEARCH_POSE, v.best);
    int number = leg.y;
    do {
        accepted += search_step(&v, &s, chain % s.chains, number);
    } while (++number < leg.y + leg.z);
    store_pose(v.current, poses + 2 * QN_SEARCH_POSE * chain);
    store_pose(v.best, poses + 2 * QN_SEARCH_POSE * chain + QN_SEARCH_POSE);
    if (LOCAL_ID(0) == 0) {
        results[2 * chain] += v.evaluations;
        results[2 * chain + 1] += accepted;
    }
}

KERNEL GROUP_LIMIT_RESIDENT(QN_SEARCH_PARTS, 1, 1, RESIDENT) void settle(
    GLOBAL const int *RESTRICT heads, GLOBAL const qn_float4 *RESTRICT atoms, GLOBAL const qn_int4 *RESTRICT links,
    GLOBAL const int *RESTRICT partners, GLOBAL const qn_float4 *RESTRICT pieces,
    GLOBAL const qn_int4 *RESTRICT piece_links, GLOBAL const int *RESTRICT pairs,
    GLOBAL const qn_float4 *RESTRICT pair_parameters, GLOBAL const qn_float4 *RESTRICT receptor,
    GLOBAL float *RESTRICT poses, GLOBAL int *RESTRICT results, const search_scalars s,
    GLOBAL const qn_int4 *RESTRICT legs, GLOBAL const int *RESTRICT near_starts, GLOBAL const int *RESTRICT near_atoms,
    GLOBAL const qn_float4 *RESTRICT near_pairs LOCAL_ROOM_PARAMETER)
{
    const qn_int4 leg = legs[s.first_leg + GROUP_ID(0)];
    GLOBAL float *current = poses + 2 * QN_SEARCH_POSE * leg.x, *best = current + QN_SEARCH_POSE;
    search_view v;
    open_view(&v, heads + QN_SEARCH_HEAD * (leg.x / s.chains), atoms, links, partners, pieces, piece_links, pairs,
              pair_parameters, LOCAL_ROOM(float));
    v.receptor = receptor;
    v.near_starts = near_starts;
    v.near_atoms = near_atoms;
    v.near_pairs = near_pairs;
    v.rounds = leg.z > 0 ? v.rounds : 0;
    load_pose(current, v.current);
    load_pose(current, v.best);
    search_settle(&v, &s, leg.y, leg.z);
    if (leg.z > 0)
        store_pose(v.best, best);
    else
        store_result(&v, v.best[QN_SEARCH_TORSIONS - 1], best);
    if (FIRST_LANE) results[2 * leg.x] += v.evaluations;
}
