#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "deform/live/crew.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "base/thread_pool.h"
#include "deform/live/relay.h"
#include "deform/live/schedule.h"

enum { TIMES = 64, PERIOD_NS = 10000000, IDLE_WISHES = 4 };

typedef struct worker {
    qn_crew *crew;
    int number;
    qn_thread thread;
    bool is_busy;
    int32_t index[3]; /* of the state that it solves */
} worker;

struct qn_crew {
    qn_crew_options options;
    qn_cache *cache;
    qn_relay hand;
    atomic_uint_least64_t nearest;
    atomic_bool has_failed;

    pthread_mutex_t mutex;
    pthread_cond_t changed; /* wishes, room, stopping */
    bool is_stopping, is_running;
    worker *workers;
    qn_thread scheduler;
    qn_wish wishes[QN_WISHES_MAX];
    size_t wish_count;
    double times_s[TIMES]; /* of the last solutions */
    size_t time_count;
    qn_solve_record *records;
    size_t record_count, record_capacity;

    /* Simulated clock. */
    qn_pool *pool;
    bool *is_marked;  /* by number of the point: counted for the places of this call */
    uint64_t *needed; /* numbers of the points to solve */
    uint64_t *marked; /* numbers of the marked points */
    qn_grid_state **states;
    const qn_grid_state **parents;
    size_t needed_count, marked_count, level_begin;
};

/* ---- common ---- */

static qn_status note_record(qn_crew *crew, const qn_grid_state *state, const qn_grid_state *from, int worker_number,
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
static qn_status check_state(const qn_grid_state *state)
{
    if (state->flags & QN_GRID_UNSOLVED) return QN_OK;
    bool is_finite = isfinite(state->energy);
    for (int i = 0; i < 3; i++) is_finite &= isfinite(state->force[i]) != 0;
    for (int i = 0; i < 9; i++) is_finite &= isfinite(state->stiffness[i]) != 0;
    if (is_finite) return QN_OK;
    return QN_FAIL(QN_INTERNAL, "the state at (%d, %d, %d) has a force, stiffness or energy that is not finite",
                   state->index[0], state->index[1], state->index[2]);
}

static qn_status solve(qn_crew *crew, int number, const qn_grid_state *from, qn_grid_state *state)
{
    int32_t index[3];
    memcpy(index, state->index, sizeof index);
    QN_TRY(crew->options.solve(crew->options.user, number, index, from, state));
    memcpy(state->index, index, sizeof index);
    return check_state(state);
}

static qn_status solve_rest(qn_crew *crew)
{
    qn_grid_state *zero, *rest;
    QN_TRY(qn_cache_take(crew->cache, &zero));
    QN_TRY(qn_cache_take(crew->cache, &rest));
    const double begin_s = qn_clock_s();
    QN_TRY(solve(crew, 0, zero, rest));
    if (rest->flags & QN_GRID_UNSOLVED) return QN_FAIL(QN_BAD_FORMAT, "the body has no balance at rest");
    const double seconds = crew->options.is_simulated ? 0 : qn_clock_s() - begin_s;
    QN_TRY(note_record(crew, rest, zero, 0, seconds));
    qn_cache_put(crew->cache, rest);
    qn_cache_give_back(crew->cache, zero);
    return QN_OK;
}

/* States that the cache must have room for: the cells of two passes and what workers solve; for a simulated clock a
 * cell with all parents of its corners. */
static size_t least_states(const qn_crew_options *options)
{
    if (!options->is_simulated) return 32 + 2 * (size_t)options->worker_count;
    size_t depth = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int32_t least = abs(options->grid.least[axis]), most = abs(options->grid.most[axis]);
        depth += (size_t)(least > most ? least : most);
    }
    const size_t points = qn_grid_point_count(&options->grid), chains = 8 * (depth + 1);
    return (chains < points ? chains : points) + 2;
}

static qn_status allocate(qn_crew *crew)
{
    void *memory;
    const size_t points = qn_grid_point_count(&crew->options.grid);
    QN_TRY(qn_cache_create(&crew->options.grid, crew->options.freedom_count, crew->options.cache_bytes,
                           least_states(&crew->options), &crew->cache));
    QN_TRY(qn_allocate((size_t)crew->options.worker_count, sizeof *crew->workers, &memory));
    crew->workers = memory;
    if (!crew->options.is_simulated) return QN_OK;
    QN_TRY(qn_pool_create(crew->options.worker_count, &crew->pool));
    QN_TRY(qn_allocate(points, sizeof *crew->is_marked, &memory));
    crew->is_marked = memory;
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

/* ---- real time: workers; the mutex is held unless stated ---- */

static bool is_being_solved(const qn_crew *crew, const int32_t index[3])
{
    for (int i = 0; i < crew->options.worker_count; i++)
        if (crew->workers[i].is_busy && memcmp(crew->workers[i].index, index, sizeof crew->workers[i].index) == 0)
            return true;
    return false;
}

/* Remove and return the first wish that is still to be solved. */
static bool take_wish(qn_crew *crew, int32_t index[3])
{
    for (size_t i = 0; i < crew->wish_count; i++) {
        const qn_wish *const wish = &crew->wishes[i];
        if (qn_cache_find(crew->cache, wish->index) || is_being_solved(crew, wish->index)) continue;
        memcpy(index, wish->index, sizeof wish->index);
        crew->wish_count -= i + 1;
        memmove(crew->wishes, wish + 1, crew->wish_count * sizeof *wish);
        return true;
    }
    crew->wish_count = 0;
    return false;
}

/* Solve one wish; the mutex is released meanwhile. */
static qn_status solve_wish(worker *self, qn_grid_state *state)
{
    qn_crew *const crew = self->crew;
    const qn_grid_state *const from = qn_cache_nearest(crew->cache, self->index);
    memcpy(state->index, self->index, sizeof state->index);
    qn_cache_hold(from);
    pthread_mutex_unlock(&crew->mutex);
    const double begin_s = qn_clock_s();
    qn_status status = solve(crew, self->number, from, state);
    const double seconds = qn_clock_s() - begin_s;
    pthread_mutex_lock(&crew->mutex);
    if (status == QN_OK) status = note_record(crew, state, from, self->number, seconds);
    qn_cache_release(from);
    if (status != QN_OK) return status;
    qn_cache_put(crew->cache, state);
    crew->times_s[crew->time_count++ % TIMES] = seconds;
    return QN_OK;
}

static qn_status work(void *user)
{
    worker *const self = user;
    qn_crew *const crew = self->crew;
    qn_status status = QN_OK;
    pthread_mutex_lock(&crew->mutex);
    while (status == QN_OK && !crew->is_stopping) {
        qn_grid_state *state = NULL;
        const bool has_wish = take_wish(crew, self->index);
        if (has_wish) status = qn_cache_take(crew->cache, &state);
        if (!state) { /* nothing to do, or no room until the hand goes on */
            if (status == QN_OK) pthread_cond_wait(&crew->changed, &crew->mutex);
            continue;
        }
        self->is_busy = true;
        status = solve_wish(self, state);
        self->is_busy = false;
    }
    pthread_mutex_unlock(&crew->mutex);
    if (status != QN_OK) atomic_store(&crew->has_failed, true);
    return status;
}

/* ---- real time: the scheduler ---- */

static bool has(const void *user, const int32_t index[3])
{
    return qn_cache_find(user, index) != NULL;
}

static void touch(void *user, const int32_t index[3])
{
    qn_cache_touch(user, index);
}

static void plan(qn_crew *crew, const qn_hand_filter *hand)
{
    double times_s[TIMES], place[3];
    int32_t nearby[3];
    const size_t count = crew->time_count < TIMES ? crew->time_count : TIMES;
    const qn_cache_facts facts = qn_cache_facts_of(crew->cache);
    const size_t room = facts.capacity - facts.count, workers = (size_t)crew->options.worker_count;
    qn_schedule_input input = {.grid = &crew->options.grid, .hand = hand, .has = has, .user = crew->cache};
    memcpy(times_s, crew->times_s, sizeof times_s);
    input.horizon_s = qn_schedule_horizon_s(times_s, count);
    input.solve_s = count > 0 ? times_s[count / 2] : 0; /* the times are in order now */
    if (room > 2 * workers)
        input.idle_wishes = IDLE_WISHES * workers < room - workers ? IDLE_WISHES * workers : room - workers;
    crew->wish_count = qn_schedule_wishes(&input, crew->wishes);
    qn_cache_begin_pass(crew->cache);
    qn_schedule_visit_way(&input, touch, crew->cache);
    memcpy(place, hand->place, sizeof place);
    qn_grid_cell(&crew->options.grid, place, nearby);
    for (int axis = 0; axis < 3; axis++) nearby[axis] = (int32_t)lround(place[axis] / crew->options.grid.step);
    const qn_grid_state *const nearest = qn_cache_nearest(crew->cache, nearby);
    atomic_store(&crew->nearest, qn_grid_number(&crew->options.grid, nearest->index));
    qn_cache_touch(crew->cache, nearest->index);
}

static qn_status schedule(void *user)
{
    qn_crew *const crew = user;
    const struct timespec pause = {.tv_nsec = PERIOD_NS};
    pthread_mutex_lock(&crew->mutex);
    while (!crew->is_stopping) {
        double numbers[QN_RELAY_NUMBERS];
        qn_hand_filter hand = {.is_started = true};
        qn_relay_read(&crew->hand, numbers);
        memcpy(hand.place, numbers, sizeof hand.place);
        memcpy(hand.velocity, numbers + 3, sizeof hand.velocity);
        memcpy(hand.acceleration, numbers + 6, sizeof hand.acceleration);
        plan(crew, &hand);
        pthread_cond_broadcast(&crew->changed);
        pthread_mutex_unlock(&crew->mutex);
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&crew->mutex);
    }
    pthread_mutex_unlock(&crew->mutex);
    return QN_OK;
}

qn_status qn_crew_start(qn_crew *crew)
{
    crew->is_running = true;
    crew->is_stopping = false;
    qn_status status = qn_thread_start(&crew->scheduler, schedule, crew);
    for (int i = 0; status == QN_OK && i < crew->options.worker_count; i++) {
        crew->workers[i].crew = crew;
        crew->workers[i].number = i;
        status = qn_thread_start(&crew->workers[i].thread, work, &crew->workers[i]);
    }
    if (status == QN_OK) return QN_OK;
    return qn_crew_stop(crew);
}

void qn_crew_wait(qn_crew *crew, const double place[3], atomic_bool *is_stopping)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    qn_wish wishes[QN_WISHES_MAX];
    qn_hand_filter hand = {.is_started = true};
    memcpy(hand.place, place, sizeof hand.place);
    const qn_schedule_input input = {.grid = &crew->options.grid, .hand = &hand, .has = has, .user = crew->cache};
    qn_crew_tell_hand(crew, &hand);
    for (size_t missing = 1; missing > 0 && !qn_crew_has_failed(crew) && !atomic_load(is_stopping);) {
        pthread_mutex_lock(&crew->mutex);
        missing = qn_schedule_wishes(&input, wishes);
        pthread_mutex_unlock(&crew->mutex);
        if (missing > 0) nanosleep(&pause, NULL);
    }
}

qn_status qn_crew_stop(qn_crew *crew)
{
    if (!crew->is_running) return QN_OK;
    pthread_mutex_lock(&crew->mutex);
    crew->is_stopping = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
    qn_status status = qn_thread_join(&crew->scheduler);
    for (int i = 0; i < crew->options.worker_count; i++) {
        const qn_status joined = qn_thread_join(&crew->workers[i].thread);
        if (status == QN_OK) status = joined;
    }
    crew->is_running = false;
    return status;
}

/* ---- simulated clock ---- */

/* Count a point for the places of this call; false where it was counted before. */
static bool mark(qn_crew *crew, const int32_t index[3], bool is_needed)
{
    const uint64_t number = qn_grid_number(&crew->options.grid, index);
    if (crew->is_marked[number]) return false;
    crew->is_marked[number] = true;
    crew->marked[crew->marked_count++] = number;
    if (is_needed) crew->needed[crew->needed_count++] = number;
    return true;
}

/* Mark a point and, where its state is missing, its parents up to one that is there and solved. Returns false where
 * more than `most` points would be marked. */
static bool mark_chain(qn_crew *crew, const int32_t index[3], size_t most)
{
    int32_t at[3], parent[3];
    memcpy(at, index, sizeof at);
    for (bool is_asked = true;; is_asked = false) {
        const qn_grid_state *const state = qn_cache_find(crew->cache, at);
        if (crew->marked_count == most) return false;
        const bool is_new = mark(crew, at, state == NULL);
        const bool is_end = state && (is_asked || !(state->flags & QN_GRID_UNSOLVED));
        if (is_end || (!is_new && !state) || !qn_grid_parent(at, parent)) return true;
        memcpy(at, parent, sizeof at);
    }
}

/* Forget the points that were marked after the first `marked` ones. */
static void unmark(qn_crew *crew, size_t marked, size_t needed)
{
    while (crew->marked_count > marked) crew->is_marked[crew->marked[--crew->marked_count]] = false;
    crew->needed_count = needed;
}

static bool mark_cell(qn_crew *crew, const double where[3], size_t most)
{
    const size_t marked = crew->marked_count, needed = crew->needed_count;
    double place[3];
    int32_t cell[3];
    memcpy(place, where, sizeof place);
    qn_grid_cell(&crew->options.grid, place, cell);
    for (int corner = 0; corner < 8; corner++) {
        const int32_t at[3] = {cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2)};
        if (!qn_grid_has(&crew->options.grid, at) || mark_chain(crew, at, most)) continue;
        unmark(crew, marked, needed);
        return false;
    }
    return true;
}

static int by_depth(const void *a, const void *b)
{
    const qn_grid_state *const left = *(qn_grid_state *const *)a, *const right = *(qn_grid_state *const *)b;
    const int difference = qn_grid_depth(left->index) - qn_grid_depth(right->index);
    if (difference != 0) return difference;
    for (int axis = 2; axis >= 0; axis--)
        if (left->index[axis] != right->index[axis]) return left->index[axis] < right->index[axis] ? -1 : 1;
    return 0;
}

static qn_status solve_task(size_t index, int number, void *user)
{
    qn_crew *const crew = user;
    return solve(crew, number, crew->parents[crew->level_begin + index], crew->states[crew->level_begin + index]);
}

/* The canonical parent's state, or that of its first ancestor that is solved. */
static const qn_grid_state *solved_parent(const qn_crew *crew, const int32_t index[3])
{
    const qn_grid_state *state = NULL;
    int32_t at[3], parent[3];
    memcpy(at, index, sizeof at);
    while ((!state || state->flags & QN_GRID_UNSOLVED) && qn_grid_parent(at, parent)) {
        memcpy(at, parent, sizeof at);
        state = qn_cache_find(crew->cache, at);
    }
    return state;
}

static qn_status solve_level(qn_crew *crew, size_t begin, size_t end)
{
    crew->level_begin = begin;
    for (size_t i = begin; i < end; i++) crew->parents[i] = solved_parent(crew, crew->states[i]->index);
    QN_TRY(qn_pool_run(crew->pool, end - begin, solve_task, crew));
    for (size_t i = begin; i < end; i++) {
        QN_TRY(note_record(crew, crew->states[i], crew->parents[i], 0, 0));
        qn_cache_put(crew->cache, crew->states[i]);
    }
    return QN_OK;
}

static qn_status solve_needed(qn_crew *crew)
{
    for (size_t i = 0; i < crew->needed_count; i++) {
        QN_TRY(qn_cache_take(crew->cache, &crew->states[i]));
        if (!crew->states[i])
            return QN_FAIL(QN_INTERNAL, "the cache has no room for state %zu of %zu", i + 1, crew->needed_count);
        qn_grid_index(&crew->options.grid, crew->needed[i], crew->states[i]->index);
    }
    qsort(crew->states, crew->needed_count, sizeof *crew->states, by_depth);
    for (size_t begin = 0, end; begin < crew->needed_count; begin = end) {
        const int depth = qn_grid_depth(crew->states[begin]->index);
        for (end = begin; end < crew->needed_count && qn_grid_depth(crew->states[end]->index) == depth;) end++;
        QN_TRY(solve_level(crew, begin, end));
    }
    return QN_OK;
}

qn_status qn_crew_solve_for(qn_crew *crew, const double (*places)[3], size_t count, size_t *ready)
{
    const size_t most = qn_cache_facts_of(crew->cache).capacity - 2; /* one may be unused, and one is rest */
    *ready = 0;
    unmark(crew, 0, 0);
    while (*ready < count && mark_cell(crew, places[*ready], most)) ++*ready;
    if (*ready == 0) return QN_FAIL(QN_INTERNAL, "the cache has no room for one cell");
    /* Two passes: what the call before touched may be removed. */
    qn_cache_begin_pass(crew->cache);
    qn_cache_begin_pass(crew->cache);
    for (size_t i = 0; i < crew->marked_count; i++) {
        int32_t index[3];
        qn_grid_index(&crew->options.grid, crew->marked[i], index);
        qn_cache_touch(crew->cache, index);
    }
    return solve_needed(crew);
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

qn_cache_facts qn_crew_cache_facts(qn_crew *crew)
{
    pthread_mutex_lock(&crew->mutex);
    const qn_cache_facts facts = qn_cache_facts_of(crew->cache);
    pthread_mutex_unlock(&crew->mutex);
    return facts;
}
