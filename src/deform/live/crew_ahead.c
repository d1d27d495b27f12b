/* A crew in real time: workers that follow a list of wishes, and the scheduler that makes it. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "deform/live/crew_parts.h"

/* Where the cache is full, an idle worker replaces a state by one that is nearer to the hand by so many steps. */
enum { PERIOD_NS = 10000000, IDLE_WISHES = 4, IDLE_GAIN_STEPS = 1 };

/* ---- workers; the mutex is held unless stated ---- */

/* Remove and return the first wish that is still to be solved; of those for idle workers too if `is_idle`. */
static bool take_wish(qn_crew *crew, bool is_idle, int32_t index[3])
{
    size_t at = 0;
    bool is_found = false;
    while (at < crew->wish_count && !is_found) {
        const qn_wish *const wish = &crew->wishes[at];
        if (!is_idle && !isfinite(wish->slack_s)) break;
        at++;
        is_found = !qn_cache_find(crew->cache, wish->index) &&
                   !crew->is_marked[qn_grid_number(&crew->options.grid, wish->index)];
        if (is_found) memcpy(index, wish->index, sizeof wish->index);
    }
    crew->wish_count -= at;
    memmove(crew->wishes, crew->wishes + at, crew->wish_count * sizeof *crew->wishes);
    return is_found;
}

/* Take wishes, as many as the worker solves at once and the cache has room for. */
static qn_status take_wishes(qn_worker *self, bool is_idle)
{
    qn_crew *const crew = self->crew;
    while (self->count < self->capacity && take_wish(crew, is_idle, self->indices[self->count])) {
        const int32_t *const index = self->indices[self->count];
        QN_TRY(qn_cache_take(crew->cache, &self->states[self->count]));
        if (!self->states[self->count]) return QN_OK;
        memcpy(self->states[self->count]->index, index, sizeof self->indices[0]);
        crew->is_marked[qn_grid_number(&crew->options.grid, index)] = true;
        self->count++;
    }
    return QN_OK;
}

/* Call the solver without the mutex. */
static qn_status solve_taken(qn_worker *self)
{
    const qn_crew_options *const options = &self->crew->options;
    if (!self->is_batch)
        return qn_crew_solve(self->crew, self->number, self->indices[0], self->from[0], self->states[0]);
    QN_TRY(options->solve_batch(options->user, self->number, self->count, self->from, self->states));
    for (size_t i = 0; i < self->count; i++) QN_TRY(qn_crew_check_state(self->indices[i], self->states[i]));
    return QN_OK;
}

/* Solve the wishes that were taken; the mutex is released meanwhile. */
static qn_status solve_wishes(qn_worker *self)
{
    qn_crew *const crew = self->crew;
    for (size_t i = 0; i < self->count; i++) {
        self->from[i] = qn_cache_nearest(crew->cache, self->indices[i]);
        qn_cache_hold(self->from[i]);
    }
    pthread_mutex_unlock(&crew->mutex);
    const double begin_s = qn_clock_s();
    qn_status status = solve_taken(self);
    const double seconds = qn_clock_s() - begin_s, share = seconds / (double)self->count;
    pthread_mutex_lock(&crew->mutex);
    for (size_t i = 0; i < self->count; i++) {
        crew->is_marked[qn_grid_number(&crew->options.grid, self->indices[i])] = false;
        if (status == QN_OK) status = qn_crew_note_record(crew, self->states[i], self->from[i], self->number, share);
        qn_cache_release(self->from[i]);
        if (status != QN_OK) continue;
        qn_cache_put(crew->cache, self->states[i]);
        qn_crew_note_edges(crew, self->states[i]);
    }
    self->count = 0;
    crew->times_s[crew->time_count++ % QN_CREW_TIMES] = seconds;
    return status;
}

/* Check the edge that was noted last, whose states are probably near the hand; the mutex is released meanwhile. */
static qn_status check_edge(qn_worker *self)
{
    qn_crew *const crew = self->crew;
    const qn_grid_state *states[2];
    qn_edge edge = crew->edges[--crew->edge_count];
    if (!qn_crew_edge_states(crew, &edge, states)) return QN_OK;
    for (int i = 0; i < 2; i++) qn_cache_hold(states[i]);
    pthread_mutex_unlock(&crew->mutex);
    const qn_status status = qn_crew_check_edge(crew, self->number, states, &edge.is_fold);
    pthread_mutex_lock(&crew->mutex);
    if (status == QN_OK) qn_crew_close_edge(crew, &edge, states[0]);
    for (int i = 0; i < 2; i++) qn_cache_release(states[i]);
    return status;
}

/* One thing to do: what the hand needs, then folds, then what idle workers do. *is_idle: there is nothing, or no room
 * until the hand goes on. */
static qn_status do_next(qn_worker *self, bool *is_idle)
{
    *is_idle = false;
    QN_TRY(take_wishes(self, false));
    if (self->count == 0 && !self->is_batch && self->crew->edge_count > 0) return check_edge(self);
    if (self->count == 0) QN_TRY(take_wishes(self, true));
    *is_idle = self->count == 0;
    return *is_idle ? QN_OK : solve_wishes(self);
}

static qn_status work(void *user)
{
    qn_worker *const self = user;
    qn_crew *const crew = self->crew;
    qn_status status = QN_OK;
    pthread_mutex_lock(&crew->mutex);
    while (status == QN_OK && !crew->is_stopping) {
        bool is_idle;
        status = do_next(self, &is_idle);
        if (status == QN_OK && is_idle && !crew->is_stopping) pthread_cond_wait(&crew->changed, &crew->mutex);
    }
    pthread_mutex_unlock(&crew->mutex);
    if (status != QN_OK) atomic_store(&crew->has_failed, true);
    return status;
}

/* ---- the scheduler ---- */

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
    double times_s[QN_CREW_TIMES], place[3];
    int32_t nearby[3];
    const size_t count = crew->time_count < QN_CREW_TIMES ? crew->time_count : QN_CREW_TIMES;
    const qn_cache_facts facts = qn_cache_facts_of(crew->cache);
    const size_t room = facts.capacity - facts.count;
    const size_t workers =
        (size_t)crew->options.worker_count + crew->options.batch_size * (size_t)crew->options.batch_worker_count;
    qn_schedule_input input = {.grid = &crew->options.grid, .hand = hand, .has = has, .user = crew->cache};
    memcpy(times_s, crew->times_s, sizeof times_s);
    input.horizon_s = qn_schedule_horizon_s(times_s, count);
    input.solve_s = count > 0 ? times_s[count / 2] : 0; /* the times are in order now */
    input.idle_wishes = IDLE_WISHES * workers;
    input.idle_reach_m =
        room > 2 * workers ? (double)INFINITY : qn_cache_farthest_m(crew->cache) - IDLE_GAIN_STEPS * input.grid->step;
    crew->wish_count = qn_schedule_wishes(&input, crew->wishes);
    qn_cache_begin_pass(crew->cache, hand->place);
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
    for (int i = 0; status == QN_OK && i < crew->worker_count; i++)
        status = qn_thread_start(&crew->workers[i].thread, work, &crew->workers[i]);
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
    for (int i = 0; i < crew->worker_count; i++) {
        const qn_status joined = qn_thread_join(&crew->workers[i].thread);
        if (status == QN_OK) status = joined;
    }
    crew->is_running = false;
    return status;
}
