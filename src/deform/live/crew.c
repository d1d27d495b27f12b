#include "deform/live/crew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "deform/live/crew_parts.h"

qn_status qn_crew_note_record(qn_crew *crew, const qn_grid_state *state, const qn_grid_state *from, int worker_number,
                              double seconds)
{
    void *memory = crew->records;
    const qn_status status = qn_grow(&memory, &crew->record_capacity, crew->record_count + 1, sizeof(qn_solve_record));
    crew->records = memory;
    QN_TRY(status);
    qn_solve_record *const record = &crew->records[crew->record_count++];
    *record = (qn_solve_record){.flags = state->flags,
                                .worker = worker_number,
                                .seconds = seconds,
                                .residual = state->residual,
                                .least_volume = state->least_volume,
                                .least_stretch = state->least_stretch,
                                .newton_steps = state->newton_steps,
                                .load_steps = state->load_steps};
    memcpy(record->index, state->index, sizeof record->index);
    memcpy(record->from, from->index, sizeof record->from);
    return QN_OK;
}

/* A solver must not leave numbers that are not finite: the loop would hand them on. */
qn_status qn_crew_check_state(const int32_t index[3], qn_grid_state *state)
{
    memcpy(state->index, index, sizeof state->index);
    if (state->flags & QN_GRID_UNSOLVED) return QN_OK;
    bool is_finite = isfinite(state->energy);
    for (int i = 0; i < 3; i++) is_finite &= isfinite(state->force[i]) != 0;
    for (int i = 0; i < 9; i++) is_finite &= isfinite(state->stiffness[i]) != 0;
    if (is_finite) return QN_OK;
    return QN_FAIL(QN_INTERNAL, "the state at (%d, %d, %d) has a force, stiffness or energy that is not finite",
                   index[0], index[1], index[2]);
}

qn_status qn_crew_solve(qn_crew *crew, int number, const int32_t index[3], const qn_grid_state *from,
                        qn_grid_state *state)
{
    memcpy(state->index, index, sizeof state->index);
    QN_TRY(crew->options.solve(crew->options.user, number, index, from, state));
    return qn_crew_check_state(index, state);
}

static qn_status solve_rest(qn_crew *crew)
{
    qn_grid_state *zero, *rest;
    QN_TRY(qn_cache_take(crew->cache, &zero));
    QN_TRY(qn_cache_take(crew->cache, &rest));
    const double begin_s = qn_clock_s();
    QN_TRY(qn_crew_solve(crew, 0, (const int32_t[3]){0, 0, 0}, zero, rest));
    if (rest->flags & QN_GRID_UNSOLVED) return QN_FAIL(QN_BAD_FORMAT, "the body has no balance at rest");
    const double seconds = crew->options.is_simulated ? 0 : qn_clock_s() - begin_s;
    QN_TRY(qn_crew_note_record(crew, rest, zero, 0, seconds));
    qn_cache_put(crew->cache, rest);
    qn_cache_give_back(crew->cache, zero);
    return QN_OK;
}

/* States that the cache must have room for: the cells of two passes and what workers solve; for a simulated clock a
 * cell with all parents of its corners. */
static size_t least_states(const qn_crew_options *options)
{
    if (!options->is_simulated)
        return 32 + 2 * ((size_t)options->worker_count + options->batch_size * (size_t)options->batch_worker_count);
    size_t depth = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int32_t least = abs(options->grid.least[axis]), most = abs(options->grid.most[axis]);
        depth += (size_t)(least > most ? least : most);
    }
    const size_t points = qn_grid_point_count(&options->grid), chains = 8 * (depth + 1);
    return (chains < points ? chains : points) + 2;
}

static qn_status allocate_worker(qn_crew *crew, int number)
{
    qn_worker *const worker = &crew->workers[number];
    void *memory;
    worker->crew = crew;
    worker->number = number;
    worker->is_batch = number >= crew->options.worker_count;
    worker->capacity = worker->is_batch ? crew->options.batch_size : 1;
    QN_TRY(qn_allocate(worker->capacity, sizeof *worker->indices, &memory));
    worker->indices = memory;
    QN_TRY(qn_allocate(worker->capacity, sizeof *worker->from, &memory));
    worker->from = memory;
    QN_TRY(qn_allocate(worker->capacity, sizeof *worker->states, &memory));
    worker->states = memory;
    return worker->is_batch ? QN_OK : qn_cache_make_spare(crew->cache, &worker->spare);
}

static qn_status allocate(qn_crew *crew)
{
    void *memory;
    const size_t points = qn_grid_point_count(&crew->options.grid);
    QN_TRY(qn_cache_create(&crew->options.grid, crew->options.freedom_count, crew->options.cache_bytes,
                           least_states(&crew->options), &crew->cache));
    QN_TRY(qn_allocate(points, sizeof *crew->is_marked, &memory));
    crew->is_marked = memory;
    const int count = crew->options.worker_count + crew->options.batch_worker_count;
    QN_TRY(qn_allocate((size_t)count, sizeof *crew->workers, &memory));
    crew->workers = memory;
    crew->worker_count = count;
    for (int i = 0; i < count; i++) QN_TRY(allocate_worker(crew, i));
    if (!crew->options.is_simulated) return QN_OK;
    QN_TRY(qn_pool_create(crew->options.worker_count, &crew->pool));
    const size_t most = qn_cache_facts_of(crew->cache).capacity;
    QN_TRY(qn_allocate(most, sizeof *crew->needed, &memory));
    crew->needed = memory;
    QN_TRY(qn_allocate(most, sizeof *crew->marked, &memory));
    crew->marked = memory;
    QN_TRY(qn_allocate(most, sizeof *crew->states, &memory));
    crew->states = memory;
    QN_TRY(qn_allocate(most, sizeof *crew->parents, &memory));
    crew->parents = memory;
    return QN_OK;
}

qn_status qn_crew_create(const qn_crew_options *options, qn_crew **crew)
{
    void *memory;
    *crew = NULL;
    if (options->worker_count < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the number of workers is %d; expected 1 or more", options->worker_count);
    if (options->batch_worker_count > 0 && options->batch_size == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the size of batches is 0; expected 1 or more");
    QN_TRY(qn_allocate(1, sizeof **crew, &memory));
    *crew = memory;
    (*crew)->options = *options;
    pthread_mutex_init(&(*crew)->mutex, NULL);
    pthread_cond_init(&(*crew)->changed, NULL);
    qn_status status = allocate(*crew);
    if (status == QN_OK) status = solve_rest(*crew);
    if (status != QN_OK) {
        qn_crew_destroy(crew);
        return status;
    }
    atomic_init(&(*crew)->nearest, qn_grid_number(&options->grid, (const int32_t[3]){0, 0, 0}));
    return QN_OK;
}

void qn_crew_destroy(qn_crew **crew)
{
    if (!*crew) return;
    if ((*crew)->is_running && qn_crew_stop(*crew) != QN_OK) (*crew)->is_running = false;
    qn_pool_destroy(&(*crew)->pool);
    qn_release(&(*crew)->is_marked);
    qn_release(&(*crew)->needed);
    qn_release(&(*crew)->marked);
    qn_release(&(*crew)->states);
    qn_release(&(*crew)->parents);
    qn_release(&(*crew)->records);
    for (int i = 0; i < (*crew)->worker_count; i++) {
        qn_release(&(*crew)->workers[i].indices);
        qn_release(&(*crew)->workers[i].from);
        qn_release(&(*crew)->workers[i].states);
        qn_release(&(*crew)->workers[i].spare);
    }
    qn_release(&(*crew)->workers);
    qn_cache_destroy(&(*crew)->cache);
    pthread_cond_destroy(&(*crew)->changed);
    pthread_mutex_destroy(&(*crew)->mutex);
    qn_release(crew);
}

/* ---- functions of the loop ---- */

qn_cache *qn_crew_cache(const qn_crew *crew)
{
    return crew->cache;
}

void qn_crew_tell_hand(qn_crew *crew, const qn_hand_filter *hand)
{
    double numbers[QN_RELAY_NUMBERS] = {0};
    for (int axis = 0; axis < 3; axis++) {
        numbers[axis] = hand->place[axis];
        numbers[3 + axis] = hand->velocity[axis];
        numbers[6 + axis] = hand->acceleration[axis];
    }
    qn_relay_write(&crew->hand, numbers);
}

bool qn_crew_has_failed(const qn_crew *crew)
{
    return atomic_load(&crew->has_failed);
}

uint64_t qn_crew_nearest(const qn_crew *crew)
{
    return atomic_load(&crew->nearest);
}

/* ---- reports ---- */

void qn_crew_shape(qn_crew *crew, const double where[3], float *x)
{
    const size_t freedoms = crew->options.freedom_count;
    double place[3], delta[3];
    int32_t index[3];
    qn_cell cell;
    const qn_grid_state *held[8] = {NULL};
    memcpy(place, where, sizeof place);
    qn_grid_cell(&crew->options.grid, place, index);
    pthread_mutex_lock(&crew->mutex);
    qn_cache_cell(crew->cache, index, &cell);
    const bool is_whole = qn_cell_is_whole(&cell);
    if (is_whole) memcpy(held, cell.corners, sizeof held);
    for (int axis = 0; axis < 3; axis++) index[axis] = (int32_t)lround(place[axis] / crew->options.grid.step);
    if (!is_whole) held[0] = qn_cache_nearest(crew->cache, index);
    for (int i = 0; i < 8; i++)
        if (held[i]) qn_cache_hold(held[i]);
    pthread_mutex_unlock(&crew->mutex);
    if (is_whole) {
        qn_cell_shape(&cell, place, freedoms, x);
    } else {
        const float *const change = held[0]->change;
        for (int axis = 0; axis < 3; axis++) delta[axis] = place[axis] - crew->options.grid.step * held[0]->index[axis];
        for (size_t i = 0; i < freedoms; i++)
            x[i] = held[0]->x[i] + (float)(delta[0] * (double)change[i] + delta[1] * (double)change[freedoms + i] +
                                           delta[2] * (double)change[2 * freedoms + i]);
    }
    pthread_mutex_lock(&crew->mutex);
    for (int i = 0; i < 8; i++)
        if (held[i]) qn_cache_release(held[i]);
    pthread_mutex_unlock(&crew->mutex);
}

const qn_solve_record *qn_crew_records(const qn_crew *crew, size_t *count)
{
    *count = crew->record_count;
    return crew->records;
}

qn_crew_facts qn_crew_facts_of(qn_crew *crew)
{
    pthread_mutex_lock(&crew->mutex);
    const qn_crew_facts facts = {qn_cache_facts_of(crew->cache), crew->fold_checks, crew->folds};
    pthread_mutex_unlock(&crew->mutex);
    return facts;
}
