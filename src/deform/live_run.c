#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "deform/live_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "deform/grid_choice.h"
#include "math/vector.h"

enum { MACHINE_TICKS = 3000, BATCH_SIZE = 64, NEWTON_STEPS_MAX = 12 };

/* ---- inputs ---- */

/* Lines of a file's key that states depend on. */
static const char *const matched[] = {"scale", "order", "mixed", "refine", "material", "fix", "contact"};

/* Value of the line "name=value" of a key; its length in *length. NULL: there is none. */
static const char *find_line(const char *key, const char *name, size_t *length)
{
    const size_t name_length = strlen(name);
    for (const char *line = key; line && *line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, name, name_length) != 0 || line[name_length] != '=') continue;
        const char *value = line + name_length + 1;
        *length = strcspn(value, "\n");
        return value;
    }
    return NULL;
}

/* Whether a line is the same in both keys, or missing in one. */
static bool lines_agree(const char *a_key, const char *b_key, const char *name)
{
    size_t a_length = 0, b_length = 0;
    const char *a = find_line(a_key, name, &a_length), *b = find_line(b_key, name, &b_length);
    return !a || !b || (a_length == b_length && memcmp(a, b, a_length) == 0);
}

/* Whether a material in other words is that of this run. */
static bool is_material(const qn_material *ours, const char *text, size_t length)
{
    char copy[256];
    qn_material theirs;
    if (length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return qn_material_parse(copy, &theirs) == QN_OK && theirs.kind == ours->kind && theirs.young == ours->young &&
           theirs.poisson == ours->poisson && theirs.c10 == ours->c10 && theirs.c01 == ours->c01 &&
           theirs.kappa == ours->kappa;
}

/* Whether a line that differs says the same in other words: a material with the same numbers, a set of the same nodes.
 */
static bool means_the_same(const qn_live_run *run, const char *name, const char *theirs, size_t theirs_length)
{
    const char *their_key = run->space->header.key, *our_key = run->job->key.data;
    char digests[32];
    size_t length;
    if (strcmp(name, "material") == 0) return is_material(&run->setup.material, theirs, theirs_length);
    snprintf(digests, sizeof digests, "%s_nodes", name);
    return find_line(their_key, digests, &length) && find_line(our_key, digests, &length) &&
           lines_agree(their_key, our_key, digests);
}

static qn_status check_space(const qn_live_run *run)
{
    const qn_space_header *header = &run->space->header;
    char digest[65];
    qn_deform_mesh_digest(run->setup.mesh, digest);
    const bool is_mesh =
        strcmp(digest, header->mesh_digest) == 0 && header->freedom_count == run->setup.body->freedom_count;
    for (size_t i = 0; i < sizeof matched / sizeof *matched; i++) {
        size_t theirs_length = 0, ours_length = 0;
        const char *theirs = find_line(header->key, matched[i], &theirs_length);
        const char *ours = find_line(run->job->key.data, matched[i], &ours_length);
        if (lines_agree(header->key, run->job->key.data, matched[i])) continue;
        if (is_mesh && means_the_same(run, matched[i], theirs, theirs_length)) continue;
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: was made with %s=%.*s; expected %.*s as in this run",
                       run->options->space, matched[i], (int)theirs_length, theirs, (int)ours_length, ours);
    }
    if (!is_mesh)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: is of another mesh than %s; expected states of the same",
                       run->options->space, run->setup.name);
    return QN_OK;
}

static qn_status check_arrays(size_t number, int worker, void *user)
{
    (void)worker;
    return qn_space_file_check(user, number);
}

/* The checksums of all arrays are compared now, so that no state is found damaged while a hand moves. */
static qn_status open_space(qn_live_run *run)
{
    if (!run->options->space) return QN_OK;
    QN_TRY(qn_job_input_add(run->job, "space", run->options->space, QN_JOB_READ_ENDS));
    QN_TRY(qn_space_file_open(run->options->space, &run->space));
    QN_TRY(check_space(run));
    return qn_pool_run(run->job->pool, run->space->state_count, check_arrays, run->space);
}

/* Single precision does not reach smaller residuals. */
static const double LEAST_TOLERANCE = 1e-4;

static qn_status open_device(qn_live_run *run)
{
    const qn_batch_options of_batch = {.tolerance = fmax(run->options->tolerance, LEAST_TOLERANCE),
                                       .newton_steps_max = NEWTON_STEPS_MAX,
                                       .pool = run->job->pool};
    QN_TRY(qn_job_devices(run->job));
    if (run->job->device_count > 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--device \"%s\" names %d devices; expected one", run->options->run.device,
                       run->job->device_count);
    QN_TRY(qn_queue_create(run->job->devices[0], &run->queue));
    QN_TRY(qn_allocate(BATCH_SIZE, sizeof *run->batch_states, (void **)&run->batch_states));
    return qn_batch_create(run->queue, run->setup.problem, BATCH_SIZE, &of_batch, &run->batch);
}

qn_status qn_live_prepare(qn_live_run *run)
{
    const qn_deform_options *options = run->options;
    const int threads = qn_pool_threads(run->job->pool);
    run->chosen_error = run->error = NAN;
    for (int i = 0; i < 3; i++) run->work_us[i] = run->lateness_us[i] = run->machine_us[i] = NAN;
    QN_TRY(qn_deform_setup_make(run->job, options, &run->setup));
    QN_TRY(open_space(run));
    const bool by_device = strcmp(options->run.device, "host") != 0;
    QN_TRY(qn_deform_workers_make(&run->setup, run->job->pool, options->tolerance,
                                  options->clock == QN_DEFORM_REAL ? QN_DEFORM_LIVE_HALVINGS : QN_DEFORM_HALVINGS,
                                  by_device ? 2 : threads, &run->workers));
    if (by_device) QN_TRY(open_device(run));
    if (run->space) {
        run->grid = run->space->header.grid;
        return QN_OK;
    }
    return qn_deform_choose_grid(run->job, options, &run->workers, &run->grid, &run->chosen_error);
}

/* ---- states ---- */

/* A state of the file, as if it had been solved. false: the file does not have it. */
static bool copy_from_space(const qn_live_run *run, const int32_t index[3], qn_grid_state *state)
{
    const size_t count = run->setup.body->freedom_count;
    if (!run->space || !qn_grid_has(&run->space->header.grid, index)) return false;
    const qn_grid_state *from = &run->space->states[qn_grid_number(&run->space->header.grid, index)];
    float *const x = state->x, *const change = state->change;
    *state = *from;
    state->x = x, state->change = change;
    memcpy(x, from->x, count * sizeof *x);
    memcpy(change, from->change, 3 * count * sizeof *change);
    return true;
}

static qn_status solve(void *user, int worker, const int32_t index[3], const qn_grid_state *from, qn_grid_state *state)
{
    qn_live_run *run = user;
    double place[3];
    qn_state *found;
    if (copy_from_space(run, index, state)) return QN_OK;
    if (qn_grid_depth(index) == 0) {
        qn_deform_keep_state(&run->setup, &run->workers.rest, index, state);
        return QN_OK;
    }
    for (int axis = 0; axis < 3; axis++) place[axis] = run->grid.step * index[axis];
    QN_TRY(qn_deform_solve_from(&run->workers, worker, run->grid.step, from, place, &found));
    qn_deform_keep_state(&run->setup, found, index, state);
    return QN_OK;
}

static void take(const qn_batch_state *found, qn_grid_state *state)
{
    *state = (qn_grid_state){.index = {state->index[0], state->index[1], state->index[2]},
                             .energy = found->energy,
                             .residual = found->residual,
                             .least_volume = found->least_volume,
                             .least_stretch = NAN, /* the device does not tell it */
                             .newton_steps = found->newton_steps,
                             .load_steps = 1,
                             .x = state->x,
                             .change = state->change};
    memcpy(state->force, found->force, sizeof state->force);
    memcpy(state->stiffness, found->stiffness, sizeof state->stiffness);
}

/* Solve on the device those that the file does not have; on the host those that find no balance there. */
static qn_status solve_batch(void *user, int worker, size_t count, const qn_grid_state *const *from,
                             qn_grid_state *const *states)
{
    qn_live_run *run = user;
    qn_grid_state *wanted[BATCH_SIZE];
    const qn_grid_state *parents[BATCH_SIZE];
    int wanted_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (copy_from_space(run, states[i]->index, states[i])) continue;
        qn_batch_state *own = &run->batch_states[wanted_count];
        *own = (qn_batch_state){
            .parent_x = from[i]->x, .parent_change = from[i]->change, .x = states[i]->x, .change = states[i]->change};
        for (int axis = 0; axis < 3; axis++) {
            own->parent_place[axis] = run->grid.step * from[i]->index[axis];
            own->place[axis] = run->grid.step * states[i]->index[axis];
        }
        parents[wanted_count] = from[i];
        wanted[wanted_count++] = states[i];
    }
    if (wanted_count == 0) return QN_OK;
    QN_TRY(qn_batch_solve(run->batch, run->batch_states, wanted_count));
    for (int i = 0; i < wanted_count; i++) {
        const int32_t index[3] = {wanted[i]->index[0], wanted[i]->index[1], wanted[i]->index[2]};
        if (run->batch_states[i].converged)
            take(&run->batch_states[i], wanted[i]);
        else
            QN_TRY(solve(run, worker, index, parents[i], wanted[i]));
    }
    return QN_OK;
}

qn_status qn_live_open_loop(qn_live_run *run, const qn_loop_options *hands)
{
    static const qn_interpolation ways[] = {QN_INTERPOLATION_GRADIENT, QN_INTERPOLATION_ENERGY,
                                            QN_INTERPOLATION_LINEAR};
    const qn_deform_options *options = run->options;
    qn_loop_options of_loop = *hands;
    of_loop.crew = (qn_crew_options){.grid = run->grid,
                                     .freedom_count = run->setup.body->freedom_count,
                                     .solve = solve,
                                     .user = run,
                                     .worker_count = run->batch ? 1 : run->workers.count,
                                     .solve_batch = run->batch ? solve_batch : NULL,
                                     .batch_worker_count = run->batch ? 1 : 0,
                                     .batch_size = run->batch ? BATCH_SIZE : 0,
                                     .cache_bytes = (double)options->cache_bytes,
                                     .is_simulated = options->clock == QN_DEFORM_SIMULATED,
                                     .checks_folds = run->space == NULL};
    of_loop.way = ways[options->interpolation];
    of_loop.rate_hz = options->rate_hz;
    of_loop.force_limit = options->force_limit;
    of_loop.slew_limit = options->slew;
    of_loop.duration_s = run->duration_s;
    return qn_loop_create(&of_loop, &run->loop);
}

/* ---- the run ---- */

typedef struct watching {
    qn_live_run *run;
    atomic_bool is_over;
    double began_s;
    bool is_stopped;
} watching;

/* Report progress ten times a second, and stop the loop when the caller asks for it. */
static qn_status watch(void *user)
{
    watching *all = user;
    const double total = all->run->duration_s;
    while (!atomic_load(&all->is_over)) {
        const double now_s = qn_clock_s() - all->began_s;
        const qn_progress progress = {.stage = all->run->server ? "serving" : "moving",
                                      .unit = "s",
                                      .done = (size_t)(isfinite(total) ? fmin(now_s, total) : now_s),
                                      .total = isfinite(total) ? (size_t)ceil(total) : SIZE_MAX,
                                      .seconds = now_s};
        if (qn_job_is_stopped(all->run->job, &progress)) {
            all->is_stopped = true;
            qn_loop_stop(all->run->loop);
            return QN_OK;
        }
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    return QN_OK;
}

qn_status qn_live_go(qn_live_run *run)
{
    watching all = {.run = run, .began_s = qn_clock_s()};
    qn_thread thread = {0};
    QN_TRY(qn_thread_start(&thread, watch, &all));
    qn_status status = qn_loop_run(run->loop);
    atomic_store(&all.is_over, true);
    const qn_status watched = qn_thread_join(&thread);
    if (status == QN_OK) status = watched;
    if (status == QN_OK && all.is_stopped && !run->server)
        status = QN_FAIL(QN_CANCELLED, "stopped after %.1f s of the hand", qn_clock_s() - all.began_s);
    return status;
}

/* ---- facts ---- */

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Median, 99 % and 99.9 % of `count` numbers, which are sorted. */
static void find_parts(float *values, size_t count, double parts[3])
{
    static const double shares[3] = {0.5, 0.99, 0.999};
    if (count == 0) return;
    qsort(values, count, sizeof *values, compare_floats);
    for (int i = 0; i < 3; i++) parts[i] = (double)values[(size_t)(shares[i] * (double)(count - 1))];
}

/* Ticks of the empty loop: at most three seconds of them, or one after a server that somebody waits to end. */
static size_t count_machine_ticks(const qn_live_run *run)
{
    return (size_t)fmax(1, fmin(MACHINE_TICKS, (run->server ? 1 : 3) * run->options->rate_hz));
}

static qn_status measure_times(qn_live_run *run)
{
    const size_t count = qn_loop_tick_count(run->loop), machine_count = count_machine_ticks(run);
    float *values;
    QN_TRY(qn_allocate(count > machine_count ? count : machine_count, sizeof *values, (void **)&values));
    for (size_t i = 0; i < count; i++) values[i] = qn_loop_tick(run->loop, i)->work_us;
    find_parts(values, count, run->work_us);
    size_t planned = 0; /* answers to frames of a hand have no planned moment */
    for (size_t i = 0; i < count; i++) {
        const float lateness_us = qn_loop_tick(run->loop, i)->lateness_us;
        if (!isnan(lateness_us)) values[planned++] = lateness_us;
    }
    find_parts(values, planned, run->lateness_us);
    const qn_status status = qn_loop_measure_machine(run->options->rate_hz, machine_count, values);
    if (status == QN_OK) find_parts(values, machine_count, run->machine_us);
    qn_release(&values);
    return status;
}

/* Solve at places of the path, evenly spaced in time, and compare ticks whose force was interpolated and not blended.
 */
static qn_status check_path(qn_live_run *run)
{
    const size_t ticks = qn_loop_tick_count(run->loop), wanted = (size_t)run->options->checks;
    const uint32_t other = QN_TICK_LATE | QN_TICK_EXTRAPOLATED | QN_TICK_FOLD | QN_TICK_LIMITED | QN_TICK_CLAMPED |
                           QN_TICK_BLENDED | QN_TICK_FREE;
    qn_state *found = &run->workers.found[0];
    run->check_count = ticks < wanted ? ticks : wanted;
    QN_TRY(qn_allocate(run->check_count, sizeof *run->checks, (void **)&run->checks));
    for (size_t i = 0; i < run->check_count; i++) {
        qn_live_check *check = &run->checks[i];
        check->tick = (2 * i + 1) * ticks / (2 * run->check_count);
        const qn_tick *tick = qn_loop_tick(run->loop, check->tick);
        if (tick->flags & other) continue;
        QN_TRY(qn_solver_solve(run->workers.solvers[0], &run->workers.rest, tick->place, found));
        if (!found->converged) continue;
        check->is_valid = true;
        double apart[3];
        for (int axis = 0; axis < 3; axis++) {
            check->force[axis] = -found->force[axis];
            apart[axis] = tick->force[axis] - check->force[axis];
        }
        if (qn_vector_length(check->force) > 0)
            run->error = fmax(run->error, qn_vector_length(apart) / qn_vector_length(check->force));
    }
    return QN_OK;
}

qn_status qn_live_measure(qn_live_run *run)
{
    run->facts = qn_loop_facts_of(run->loop);
    for (size_t i = 0; i < qn_loop_tick_count(run->loop); i++) {
        const qn_tick *tick = qn_loop_tick(run->loop, i);
        run->largest_force = fmax(run->largest_force, qn_vector_length(tick->force));
        if (tick->time_s < 1 && tick->flags & QN_TICK_LATE) run->late_at_first++;
    }
    if (run->options->clock == QN_DEFORM_REAL) QN_TRY(measure_times(run));
    return run->hand ? check_path(run) : QN_OK;
}

void qn_live_clear(qn_live_run *run)
{
    qn_server_close(&run->server);
    qn_loop_destroy(&run->loop);
    qn_hand_destroy(&run->hand);
    qn_batch_destroy(&run->batch);
    qn_queue_destroy(&run->queue);
    qn_release(&run->batch_states);
    qn_deform_workers_clear(&run->workers);
    qn_space_file_close(&run->space);
    qn_release(&run->checks);
    qn_deform_setup_clear(&run->setup);
}

/* ---- result ---- */

typedef struct owned_result {
    qn_deform_live_result result;
    char *folder;
} owned_result;

qn_status qn_live_make_result(const qn_live_run *run, qn_deform_live_result **result)
{
    owned_result *own;
    size_t solved;
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *result = &own->result;
    QN_TRY(qn_text_copy(run->options->output ? run->options->output : "", &own->folder));
    qn_loop_solves(run->loop, &solved);
    own->result = (qn_deform_live_result){.ticks = run->facts.ticks,
                                          .late = run->facts.late - run->late_at_first,
                                          .late_at_first = run->late_at_first,
                                          .extrapolated = run->facts.extrapolated,
                                          .fold = run->facts.fold,
                                          .limited = run->facts.limited,
                                          .clamped = run->facts.clamped,
                                          .missed = run->facts.missed,
                                          .solved = solved,
                                          .largest_force = run->largest_force,
                                          .error = run->error,
                                          .has_priority = run->facts.has_priority,
                                          .folder = own->folder,
                                          .seconds = qn_clock_s() - run->job->started_s};
    memcpy(own->result.work_us, run->work_us, sizeof run->work_us);
    memcpy(own->result.lateness_us, run->lateness_us, sizeof run->lateness_us);
    memcpy(own->result.machine_lateness_us, run->machine_us, sizeof run->machine_us);
    return QN_OK;
}

void qn_deform_live_result_destroy(qn_deform_live_result **result)
{
    if (!*result) return;
    qn_release(&((owned_result *)*result)->folder);
    qn_release(result);
}
