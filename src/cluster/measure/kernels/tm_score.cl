/* Best scores of pairs of structures over all superpositions.
 *
 * A work-item takes one seed of one pair, and searches from there. Seeds of a pair are neighbours, so work-items of a
 * subgroup mostly read the same atoms. Results are the largest over the seeds, by atomic maxima of the bits of floats
 * that are not negative; their order does not matter. */

#include "cluster/measure/kernels/tm_score.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef RESIDENT
#error "RESIDENT: groups at once on a compute unit, at least"
#endif
#ifndef OBJECTIVE
#error "OBJECTIVE: SCORE_TM, SCORE_GDT or SCORE_MAXSUB"
#endif

DEVICE_FN score_phase phase_at(GLOBAL const qn_float4 *phases, int index)
{
    const qn_float4 values = phases[index];
    score_phase phase;
    phase.inverse_square = values.x;
    phase.doublings = (int)values.y;
    phase.evaluations = (int)values.z;
    phase.restart = (int)values.w;
    return phase;
}

/* Evaluate a superposition, and make the sums for the next one. */
DEVICE_FN score_tally evaluate(GLOBAL const qn_float4 *a, GLOBAL const qn_float4 *b, int atoms, score_phase phase,
                               const score_motion *motion, score_sums *sums)
{
    score_tally tally;
    tally.smooth = 0.0f;
    for (int k = 0; k < 4; k++) tally.within[k] = 0.0f;
    score_clear(sums);
    for (int i = 0; i < atoms; i++) {
        const qn_float4 from = a[i], to = b[i];
        const float weight = score_tally_atom(OBJECTIVE, phase, score_square(motion, from, to), &tally);
        score_add(sums, weight, from, to);
    }
    return tally;
}

DEVICE_FN void keep_best(const score_tally *tally, float *best)
{
#if OBJECTIVE == SCORE_TM
    best[0] = FMAX(best[0], tally->smooth);
#else
    for (int k = 0; k < SCORE_RESULTS_OF(OBJECTIVE); k++) best[k] = FMAX(best[k], tally->within[k]);
#endif
}

DEVICE_FN void search(GLOBAL const qn_float4 *a, GLOBAL const qn_float4 *b, GLOBAL const int *seed,
                      GLOBAL const qn_float4 *phases, const score_scalars *s, float *best)
{
    score_sums sums;
    score_motion motion;
    for (int p = 0; p < s->phase_count; p++) {
        const score_phase phase = phase_at(phases, p);
        if (phase.restart) {
            score_clear(&sums);
            for (int i = seed[0]; i < seed[1]; i++) score_add(&sums, 1.0f, a[i], b[i]);
        }
        float last = 0.0f;
        for (int e = 1; e <= phase.evaluations; e++) {
            if (sums.weight > SCORE_LEAST_WEIGHT) motion = score_fit(&sums);
            const score_tally tally = evaluate(a, b, s->atom_count, phase, &motion, &sums);
            keep_best(&tally, best);
            if (e >= SCORE_LEAST_EVALUATIONS && !(tally.smooth > SCORE_GROWTH * last)) break;
            last = tally.smooth;
        }
    }
}

KERNEL GROUP_LIMIT_RESIDENT(GROUP_SIZE, 1, 1, RESIDENT) void score_pairs(
    GLOBAL const qn_float4 *RESTRICT rows, GLOBAL const qn_float4 *RESTRICT columns, GLOBAL const int *RESTRICT seeds,
    GLOBAL const qn_float4 *RESTRICT phases, GLOBAL qn_uint32 *RESTRICT results, const score_scalars s)
{
    const int pair = GLOBAL_ID(0) / s.seed_count, seed = GLOBAL_ID(0) - pair * s.seed_count;
    const int row = pair / s.column_count, column = pair - row * s.column_count;
    if (row >= s.row_count || (s.triangle && row >= column)) return;
    float best[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    search(rows + row * s.atom_count, columns + column * s.atom_count, seeds + 2 * seed, phases, &s, best);
    const int place = SCORE_RESULTS_OF(OBJECTIVE) * (row * s.row_stride + column * s.column_stride);
    for (int k = 0; k < SCORE_RESULTS_OF(OBJECTIVE); k++) ATOMIC_MAX_INT(&results[place + k], FLOAT_BITS(best[k]));
}
