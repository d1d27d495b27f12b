#include "flexible/settle.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    KICKS = 8, /* at once: each round begins at the best pose of those before, so that many short rounds find more */
    ENERGY = 7 /* its place in a state */
};

/* Chains of a batch, each with a current pose and where it settles. */
typedef struct settling_chains {
    const qn_flexible_settling *how;
    qn_queue *queue;
    qn_flexible_batch batch; /* with as many chains of a molecule as there are here */
    float *states;           /* [molecule][chain][2][QN_FLEXIBLE_STATE] */
    int32_t *counters;
    qn_flexible_leg *legs;
    qn_buffer *state_buffer, *counter_buffer, *leg_buffer;
} settling_chains;

static int chains_for(int most)
{
    return most > KICKS ? most : KICKS;
}

double qn_flexible_settle_bytes(int most)
{
    return chains_for(most) *
           (2 * QN_FLEXIBLE_STATE * sizeof(float) + 2 * sizeof(int32_t) + (double)sizeof(qn_flexible_leg));
}

static size_t chain_count(const settling_chains *s)
{
    return (size_t)s->batch.ligands * (size_t)s->batch.chains;
}

static size_t state_bytes(const settling_chains *s)
{
    return chain_count(s) * 2 * QN_FLEXIBLE_STATE * sizeof(float);
}

static float *current_of(const settling_chains *s, int molecule, int chain)
{
    return s->states + 2 * ((size_t)molecule * (size_t)s->batch.chains + (size_t)chain) * (size_t)QN_FLEXIBLE_STATE;
}

static float *settled_of(const settling_chains *s, int molecule, int chain)
{
    return current_of(s, molecule, chain) + QN_FLEXIBLE_STATE;
}

static void copy_state(const float *from, float *to)
{
    memcpy(to, from, QN_FLEXIBLE_STATE * sizeof *to);
}

static qn_status chains_open(settling_chains *s)
{
    qn_device *device = qn_queue_device(s->queue);
    const size_t chains = chain_count(s), counter_bytes = 2 * chains * sizeof(int32_t);
    QN_TRY(qn_allocate(state_bytes(s), 1, (void **)&s->states));
    QN_TRY(qn_allocate(counter_bytes, 1, (void **)&s->counters));
    QN_TRY(qn_allocate(chains, sizeof *s->legs, (void **)&s->legs));
    QN_TRY(qn_buffer_create(device, state_bytes(s), &s->state_buffer));
    QN_TRY(qn_buffer_create(device, counter_bytes, &s->counter_buffer));
    QN_TRY(qn_buffer_create(device, chains * sizeof *s->legs, &s->leg_buffer));
    return qn_queue_fill(s->queue, s->counter_buffer, 0, counter_bytes, 0, NULL);
}

static void chains_close(settling_chains *s)
{
    qn_buffer_release(&s->state_buffer);
    qn_buffer_release(&s->counter_buffer);
    qn_buffer_release(&s->leg_buffer);
    qn_release(&s->states);
    qn_release(&s->counters);
    qn_release(&s->legs);
}

/* Settle the first chains of each molecule: `kicks`, whose numbers begin at first_kick, or counts[molecule]. */
static qn_status settle(settling_chains *s, const int *counts, int kicks, int first_kick)
{
    int legs = 0;
    for (int m = 0; m < s->batch.ligands; m++)
        for (int c = 0; c < (counts ? counts[m] : kicks); c++)
            s->legs[legs++] =
                (qn_flexible_leg){m * s->batch.chains + c, counts ? 0 : first_kick + c, QN_FLEXIBLE_PASSES, 0};
    QN_TRY(qn_queue_write(s->queue, s->state_buffer, 0, s->states, state_bytes(s), NULL));
    QN_TRY(qn_queue_write(s->queue, s->leg_buffer, 0, s->legs, (size_t)legs * sizeof *s->legs, NULL));
    QN_TRY(qn_flexible_settle(s->queue, NULL, &s->batch, s->how->frame, s->how->near, s->leg_buffer, 0, legs,
                              s->state_buffer, s->counter_buffer, NULL));
    QN_TRY(qn_queue_read(s->queue, s->state_buffer, 0, s->states, state_bytes(s), NULL));
    return qn_queue_finish(s->queue);
}

static void sort_states(float *states, int count)
{
    float lowest[QN_FLEXIBLE_STATE];
    for (int i = 1; i < count; i++) {
        int at = i;
        copy_state(states + i * QN_FLEXIBLE_STATE, lowest);
        for (; at > 0 && states[(at - 1) * QN_FLEXIBLE_STATE + ENERGY] > lowest[ENERGY]; at--)
            copy_state(states + (at - 1) * QN_FLEXIBLE_STATE, states + at * QN_FLEXIBLE_STATE);
        copy_state(lowest, states + at * QN_FLEXIBLE_STATE);
    }
}

static float *states_of(const settling_chains *s, float *states, int molecule)
{
    return states + (size_t)molecule * (size_t)s->how->most * QN_FLEXIBLE_STATE;
}

static qn_status settle_found(settling_chains *s, float *states, const int *counts)
{
    for (int m = 0; m < s->batch.ligands; m++)
        for (int c = 0; c < counts[m]; c++)
            copy_state(states_of(s, states, m) + c * QN_FLEXIBLE_STATE, current_of(s, m, c));
    QN_TRY(settle(s, counts, 0, 0));
    for (int m = 0; m < s->batch.ligands; m++) {
        for (int c = 0; c < counts[m]; c++)
            copy_state(settled_of(s, m, c), states_of(s, states, m) + c * QN_FLEXIBLE_STATE);
        sort_states(states_of(s, states, m), counts[m]);
    }
    return QN_OK;
}

/* Kick the best pose of each molecule, which takes the lowest minimum that is found. */
static qn_status kick_best(settling_chains *s, float *states, int round)
{
    for (int m = 0; m < s->batch.ligands; m++)
        for (int c = 0; c < KICKS; c++) copy_state(states_of(s, states, m), current_of(s, m, c));
    QN_TRY(settle(s, NULL, KICKS, 1 + round * KICKS));
    for (int m = 0; m < s->batch.ligands; m++) {
        float *best = states_of(s, states, m);
        for (int c = 0; c < KICKS; c++)
            if (settled_of(s, m, c)[ENERGY] < best[ENERGY]) copy_state(settled_of(s, m, c), best);
    }
    return QN_OK;
}

static qn_status count_evaluations(settling_chains *s, double *evaluations)
{
    const size_t bytes = 2 * chain_count(s) * sizeof(int32_t);
    QN_TRY(qn_queue_read(s->queue, s->counter_buffer, 0, s->counters, bytes, NULL));
    QN_TRY(qn_queue_finish(s->queue));
    for (size_t c = 0; c < chain_count(s); c++) *evaluations += s->counters[2 * c];
    return QN_OK;
}

qn_status qn_flexible_settle_poses(qn_queue *queue, const qn_flexible_settling *how, float *states, const int *counts,
                                   double *evaluations)
{
    settling_chains s = {.how = how, .queue = queue, .batch = *how->batch};
    s.batch.chains = chains_for(how->most);
    qn_status status = chains_open(&s);
    if (status == QN_OK) status = settle_found(&s, states, counts);
    for (int round = 0; round < how->kick_rounds && status == QN_OK; round++) status = kick_best(&s, states, round);
    if (status == QN_OK && evaluations) status = count_evaluations(&s, evaluations);
    const qn_status ended = qn_queue_finish(queue);
    chains_close(&s);
    return status == QN_OK ? ended : status;
}
