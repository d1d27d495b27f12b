/* The states of a grid: waves, exchange between ranks, comparison of neighbours. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "deform/space/fold.h"
#include "deform/space_run.h"

enum { TASKS_A_WORKER = 4 };

/* ---- states ---- */

const qn_grid_state *qn_space_ancestor(const qn_deform_space_run *run, const int32_t index[3])
{
    int32_t parent[3];
    qn_grid_parent(index, parent);
    const qn_grid_state *state = &run->states[qn_grid_number(&run->grid, parent)];
    while (state->flags & QN_GRID_UNSOLVED) {
        qn_grid_parent(state->index, parent);
        state = &run->states[qn_grid_number(&run->grid, parent)];
    }
    return state;
}

qn_status qn_space_state_write(qn_deform_space_run *run, uint64_t number, const qn_space_facts *facts)
{
    const qn_grid_state *state = &run->states[number]; /* its arrays lie one after the other */
    const qn_journal_part parts[] = {{facts, sizeof *facts},
                                     {state->x, 4 * run->setup.body->freedom_count * sizeof(float)}};
    if (run->writer) QN_TRY(qn_space_writer_add_arrays(run->writer, state, facts->array_checksum));
    return qn_job_record_parts(run->job, number, parts, 2);
}

qn_status qn_space_state_record(qn_deform_space_run *run, uint64_t number)
{
    qn_space_facts facts;
    if (run->job->in_memory) return QN_OK; /* the state itself is kept */
    qn_space_facts_make(&run->states[number], run->setup.body->freedom_count, &facts);
    return qn_space_state_write(run, number, &facts);
}

qn_status qn_space_state_find(qn_deform_space_run *run, uint64_t number, const qn_grid_state *from, int worker)
{
    int32_t index[3];
    double place[3];
    qn_state *found;
    qn_grid_index(&run->grid, number, index);
    for (int axis = 0; axis < 3; axis++) place[axis] = run->grid.step * index[axis];
    QN_TRY(qn_deform_solve_from(&run->workers, worker, run->grid.step, from, place, &found));
    qn_deform_keep_state(&run->setup, found, index, &run->states[number]);
    return QN_OK;
}

/* Solve a state by a worker and record it. */
static qn_status solve_state(qn_deform_space_run *run, uint64_t number, int worker)
{
    int32_t index[3];
    qn_grid_index(&run->grid, number, index);
    if (qn_grid_depth(index) == 0)
        qn_deform_keep_state(&run->setup, &run->workers.rest, index, &run->states[number]);
    else
        QN_TRY(qn_space_state_find(run, number, qn_space_ancestor(run, index), worker));
    return qn_space_state_record(run, number);
}

qn_status qn_space_record_take(uint64_t piece, const void *data, size_t size, void *user)
{
    qn_deform_space_run *run = user;
    const size_t count = run->setup.body->freedom_count, bytes = 4 * count * sizeof(float);
    qn_space_facts facts;
    if (piece >= run->state_count) return qn_piece_set_add(&run->job->done, piece); /* pairs are compared again */
    if (size != sizeof facts + bytes)
        return QN_FAIL(QN_BAD_FORMAT, "the record of state %" PRIu64 " has %zu bytes; expected %zu", piece, size,
                       sizeof facts + bytes);
    float *const x = run->arrays + piece * 4 * count;
    memcpy(&facts, data, sizeof facts);
    memcpy(x, (const unsigned char *)data + sizeof facts, bytes);
    if (!qn_space_facts_read(&facts, x, x + count, &run->states[piece]))
        return QN_FAIL(QN_BAD_FORMAT, "the record of state %" PRIu64 " has a wrong checksum", piece);
    run->is_done[piece] = true;
    return qn_piece_set_add(&run->job->done, piece);
}

/* ---- work in parallel ---- */

/* A list of pieces of which every rank does its share. */
typedef struct sharing {
    qn_deform_space_run *run;
    const char *stage, *unit;
    const uint64_t *pieces; /* of this rank */
    size_t first;           /* of the next tasks */
    size_t already, total;  /* for the progress */
    qn_status (*work)(qn_deform_space_run *run, uint64_t piece, int worker);
} sharing;

static qn_status do_piece(size_t index, int worker, void *user)
{
    const sharing *all = user;
    return all->work(all->run, all->pieces[all->first + index], worker);
}

static qn_status tell(const sharing *all, size_t done)
{
    qn_job *job = all->run->job;
    const qn_progress progress = {.stage = all->stage,
                                  .unit = all->unit,
                                  .done = all->already + done,
                                  .total = qn_job_is_first(job) ? all->total : 0,
                                  .seconds = qn_clock_s() - all->run->started_s};
    if (!qn_job_is_stopped(job, &progress)) return qn_agreement_poll(&job->agreement);
    return QN_FAIL(QN_CANCELLED, "stopped after %s%s", qn_count_of(all->already + done, "state").text,
                   job->in_memory ? "" : "; continue with --resume");
}

/* Work on `count` pieces of this rank by all threads, and look for a wish to stop in between. */
static qn_status share(sharing *all, size_t count)
{
    const size_t most = (size_t)all->run->workers.count * TASKS_A_WORKER;
    for (size_t done = 0; done < count;) {
        const size_t now = count - done < most ? count - done : most;
        all->first = done;
        QN_TRY(qn_pool_run(all->run->job->pool, now, do_piece, all));
        done += now;
        QN_TRY(tell(all, done));
    }
    return QN_OK;
}

static qn_status tell_of_devices(void *user, size_t done)
{
    return tell(user, done);
}

/* The same for states, by the devices. */
static qn_status share_by_devices(sharing *all, size_t count, bool follows)
{
    const qn_space_wanted wanted = {
        .numbers = all->pieces, .count = count, .follows = follows, .tell = tell_of_devices, .user = all};
    return qn_space_devices_solve(all->run, &wanted);
}

/* This rank's share of a list, of which every `rank_count`-th piece is its own. *own is released with qn_release. */
static qn_status take_share(const qn_deform_space_run *run, const uint64_t *pieces, size_t count, uint64_t **own,
                            size_t *own_count)
{
    const size_t ranks = (size_t)qn_ranks_count(run->job->ranks), rank = (size_t)qn_ranks_rank(run->job->ranks);
    *own_count = 0;
    QN_TRY(qn_allocate(count, sizeof **own, (void **)own));
    for (size_t i = rank; i < count; i += ranks) (*own)[(*own_count)++] = pieces[i];
    return QN_OK;
}

/* ---- exchange between ranks ---- */

/* Of `count` items from number `first` on, of which rank r has those whose number leaves r when divided by the number
 * of ranks: sizes[r] gets the bytes of rank r, and the result is where an item of this rank begins in the bytes of all
 * ranks in turn. */
static size_t lay_out_shares(const qn_deform_space_run *run, size_t first, size_t count, size_t item_bytes,
                             size_t *sizes)
{
    const size_t ranks = (size_t)qn_ranks_count(run->job->ranks), rank = (size_t)qn_ranks_rank(run->job->ranks);
    size_t own = 0;
    for (size_t r = 0; r < ranks; r++) {
        const size_t skipped = (r + ranks - first % ranks) % ranks; /* items before the first of this rank */
        sizes[r] = skipped < count ? (count - skipped + ranks - 1) / ranks * item_bytes : 0;
        if (r < rank) own += sizes[r];
    }
    return own;
}

/* Give every rank some new states. `bytes` has room for them, `sizes` for a number of each rank. */
static qn_status exchange_some(qn_deform_space_run *run, const uint64_t *numbers, size_t first, size_t count,
                               unsigned char *bytes, size_t *sizes)
{
    const size_t ranks = (size_t)qn_ranks_count(run->job->ranks), rank = (size_t)qn_ranks_rank(run->job->ranks);
    const size_t freedoms = run->setup.body->freedom_count, arrays = 4 * freedoms * sizeof(float);
    const size_t size = sizeof(qn_space_facts) + arrays;
    unsigned char *own = bytes + lay_out_shares(run, first, count, size, sizes), *at = bytes;
    for (size_t i = first; i < first + count; i++) {
        const qn_grid_state *state = &run->states[numbers[i]];
        qn_space_facts facts;
        if (i % ranks != rank) continue;
        qn_space_facts_make(state, freedoms, &facts);
        memcpy(own, &facts, sizeof facts);
        memcpy(own + sizeof facts, state->x, arrays);
        own += size;
    }
    QN_TRY(qn_ranks_gather(run->job->ranks, bytes, sizes));
    for (size_t r = 0; r < ranks; r++)
        for (size_t i = first; i < first + count; i++) {
            if (i % ranks != r) continue;
            QN_TRY(qn_space_record_take(numbers[i], at, size, run));
            at += size;
        }
    return QN_OK;
}

/* Give every rank the new states of a wave, a few at a time. */
static qn_status exchange_states(qn_deform_space_run *run, const uint64_t *numbers, size_t count)
{
    enum { ROOM = 1 << 22 };
    const size_t size = sizeof(qn_space_facts) + 4 * run->setup.body->freedom_count * sizeof(float);
    const size_t most = size < ROOM ? ROOM / size : 1, ranks = (size_t)qn_ranks_count(run->job->ranks);
    unsigned char *bytes;
    size_t *sizes = NULL;
    if (ranks == 1 || count == 0) return QN_OK;
    QN_TRY(qn_allocate(most, size, (void **)&bytes));
    qn_status status = qn_allocate(ranks, sizeof *sizes, (void **)&sizes);
    for (size_t first = 0; first < count && status == QN_OK; first += most)
        status = exchange_some(run, numbers, first, count - first < most ? count - first : most, bytes, sizes);
    qn_release(&sizes);
    qn_release(&bytes);
    return status;
}

/* Give every rank what the ranks found of their pairs. */
static qn_status exchange_folds(qn_deform_space_run *run)
{
    const size_t ranks = (size_t)qn_ranks_count(run->job->ranks), rank = (size_t)qn_ranks_rank(run->job->ranks);
    size_t *sizes;
    bool *found = NULL;
    if (ranks == 1) return QN_OK;
    QN_TRY(qn_allocate(ranks, sizeof *sizes, (void **)&sizes));
    qn_status status = qn_allocate(run->pair_count, sizeof *found, (void **)&found);
    if (status == QN_OK) {
        bool *own = found + lay_out_shares(run, 0, run->pair_count, sizeof *found, sizes);
        for (size_t i = rank; i < run->pair_count; i += ranks) *own++ = run->has_fold[run->pairs[i]];
        status = qn_ranks_gather(run->job->ranks, found, sizes);
    }
    const bool *at = found;
    for (size_t r = 0; r < ranks && status == QN_OK; r++)
        for (size_t i = r; i < run->pair_count; i += ranks) run->has_fold[run->pairs[i]] = *at++;
    qn_release(&found);
    qn_release(&sizes);
    return status;
}

/* ---- waves ---- */

static qn_status solve_wave(qn_deform_space_run *run, int depth, const uint64_t *numbers, size_t count, size_t done)
{
    uint64_t *missing, *own = NULL;
    size_t missing_count = 0, own_count = 0;
    QN_TRY(qn_allocate(count, sizeof *missing, (void **)&missing));
    for (size_t i = 0; i < count; i++)
        if (!run->is_done[numbers[i]]) missing[missing_count++] = numbers[i];
    qn_status status = take_share(run, missing, missing_count, &own, &own_count);
    sharing all = {.run = run,
                   .stage = "solving",
                   .unit = "states",
                   .pieces = own,
                   .already = done + count - missing_count,
                   .total = run->state_count,
                   .work = solve_state};
    if (status == QN_OK)
        status = run->lanes && depth > 0 ? share_by_devices(&all, own_count, false) : share(&all, own_count);
    status = qn_job_agree(run->job, status);
    if (status == QN_OK) status = qn_job_agree(run->job, exchange_states(run, missing, missing_count));
    for (size_t i = 0; i < missing_count && status == QN_OK; i++) run->is_done[missing[i]] = true;
    qn_release(&own);
    qn_release(&missing);
    return status;
}

/* Numbers by depth: counting sort. */
static qn_status order_states(qn_deform_space_run *run, size_t **starts, int *depths)
{
    *depths = 1;
    for (int axis = 0; axis < 3; axis++)
        *depths +=
            abs(run->grid.least[axis]) > run->grid.most[axis] ? abs(run->grid.least[axis]) : run->grid.most[axis];
    QN_TRY(qn_allocate((size_t)*depths + 1, sizeof **starts, (void **)starts));
    QN_TRY(qn_allocate(run->state_count, sizeof *run->order, (void **)&run->order));
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < run->state_count; i++) {
            int32_t index[3];
            qn_grid_index(&run->grid, i, index);
            const int depth = qn_grid_depth(index);
            if (pass == 0)
                (*starts)[depth + 1]++;
            else
                run->order[(*starts)[depth]++] = i;
        }
        for (int depth = 1; pass == 0 && depth <= *depths; depth++) (*starts)[depth] += (*starts)[depth - 1];
    }
    for (int depth = *depths; depth > 0; depth--) (*starts)[depth] = (*starts)[depth - 1];
    (*starts)[0] = 0;
    return QN_OK;
}

/* All states after rest by the devices of the only rank, which need no waves: a state may begin as soon as its parent
 * is there. */
static qn_status solve_without_waves(qn_deform_space_run *run)
{
    uint64_t *begin;
    size_t count = 0, done = 0;
    QN_TRY(qn_allocate(run->state_count, sizeof *begin, (void **)&begin));
    for (size_t i = 0; i < run->state_count; i++) {
        const uint64_t number = run->order[i];
        int32_t index[3], parent[3];
        qn_grid_index(&run->grid, number, index);
        if (qn_grid_parent(index, parent)) {
            const bool may_begin = run->is_done[qn_grid_number(&run->grid, parent)];
            if (may_begin && !run->is_done[number]) begin[count++] = number;
            /* A state may be recorded just before its parent. If the run ended in between, the state is found again:
             * its children need to know which of their ancestors have a balance. */
            run->is_done[number] &= may_begin;
        }
        done += run->is_done[number];
    }
    sharing all = {
        .run = run, .stage = "solving", .unit = "states", .pieces = begin, .already = done, .total = run->state_count};
    const qn_status status = qn_job_agree(run->job, share_by_devices(&all, count, true));
    qn_release(&begin);
    return status;
}

static qn_status solve_waves(qn_deform_space_run *run)
{
    size_t *starts = NULL;
    int depths;
    qn_status status = order_states(run, &starts, &depths);
    if (status == QN_OK && run->lanes && qn_ranks_count(run->job->ranks) == 1) {
        status = solve_wave(run, 0, run->order, starts[1], 0);
        qn_release(&starts);
        return status == QN_OK ? solve_without_waves(run) : status;
    }
    for (int depth = 0; depth < depths && status == QN_OK; depth++)
        status = solve_wave(run, depth, run->order + starts[depth], starts[depth + 1] - starts[depth], starts[depth]);
    qn_release(&starts);
    return status;
}

/* ---- neighbours ---- */

static qn_grid_state *neighbour_of(const qn_deform_space_run *run, const qn_grid_state *state, int axis)
{
    int32_t index[3];
    memcpy(index, state->index, sizeof index);
    index[axis]++;
    return qn_grid_has(&run->grid, index) ? &run->states[qn_grid_number(&run->grid, index)] : NULL;
}

static qn_status list_pairs(qn_deform_space_run *run)
{
    QN_TRY(qn_allocate(3 * run->state_count, sizeof *run->pairs, (void **)&run->pairs));
    for (size_t i = 0; i < run->state_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const qn_grid_state *a = &run->states[i], *b = neighbour_of(run, a, axis);
            if (!b || (a->flags | b->flags) & QN_GRID_UNSOLVED) continue;
            if (qn_fold_is_suspected(a, b, run->grid.step)) run->pairs[run->pair_count++] = 3 * i + (unsigned)axis;
        }
    return qn_allocate(3 * run->state_count, 1, (void **)&run->has_fold);
}

/* Whether the way from one state to its neighbour ends in another answer than the neighbour's, or nowhere. */
static qn_status compare(qn_deform_space_run *run, int worker, const qn_grid_state *from, const qn_grid_state *to,
                         bool *differs)
{
    double place[3];
    qn_state *found;
    for (int axis = 0; axis < 3; axis++) place[axis] = run->grid.step * to->index[axis];
    QN_TRY(qn_deform_solve_from(&run->workers, worker, run->grid.step, from, place, &found));
    *differs = !found->converged || qn_fold_is_other_answer(from, to, found->force);
    return QN_OK;
}

static qn_status compare_pair(qn_deform_space_run *run, uint64_t pair, int worker)
{
    const qn_grid_state *a = &run->states[pair / 3], *b = neighbour_of(run, a, (int)(pair % 3));
    bool forth, back = false;
    QN_TRY(compare(run, worker, a, b, &forth));
    if (!forth) QN_TRY(compare(run, worker, b, a, &back));
    run->has_fold[pair] = forth || back;
    return QN_OK;
}

static qn_status compare_neighbours(qn_deform_space_run *run)
{
    uint64_t *own = NULL;
    size_t own_count = 0;
    qn_status status = list_pairs(run);
    if (status == QN_OK) status = take_share(run, run->pairs, run->pair_count, &own, &own_count);
    sharing all = {.run = run,
                   .stage = "comparing neighbours",
                   .unit = "pairs",
                   .pieces = own,
                   .total = run->pair_count,
                   .work = compare_pair};
    if (status == QN_OK) status = share(&all, own_count);
    qn_release(&own);
    QN_TRY(qn_job_agree(run->job, status));
    QN_TRY(qn_job_agree(run->job, exchange_folds(run)));
    for (size_t i = 0; i < run->pair_count; i++)
        if (run->has_fold[run->pairs[i]])
            run->states[run->pairs[i] / 3].flags |= qn_fold_flag((int)(run->pairs[i] % 3));
    return QN_OK;
}

qn_status qn_space_states_solve(qn_deform_space_run *run)
{
    run->started_s = qn_clock_s();
    QN_TRY(solve_waves(run));
    return compare_neighbours(run);
}
