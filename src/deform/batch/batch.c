#include "deform/batch/batch.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/batch/kernels/balance.h"
#include "deform/body/kernels/elements.h"
#include "deform/factor/batch.h"
#include "runtime/device.h"

/* States that need shorter steps than 1/8 are left to the solver of single states. */
enum { HALVINGS_MAX = 3, STRIDE_STEP = 8 };

/* Rounding keeps residuals from falling further; those below so many tolerances are taken then. A step of Newton's
 * method that leaves more than half of such a residual shows it: without rounding it would leave far less. */
static const double FLOOR = 3, FALLS = 0.5;

struct qn_batch {
    qn_queue *queue;
    const qn_problem *problem;
    qn_batch_options options;
    int capacity, stride; /* stride: states that the factors have room for */
    int used;             /* states that kernels work on: those wanted, and some that fill vectors */
    qn_elements *elements;
    qn_balance *balance;
    qn_factor_batch *factors;
    /* [entry][stride] on the device */
    qn_buffer *x, *trial, *r, *trial_r, *step, *stored, *measures, *result, *norms, *lengths, *places, *values,
        *columns, *change, *stiffness;
    /* on the host */
    float *staged;             /* [4][freedom_count][stride]: x, change */
    float *of_result;          /* [2][stride]: energy, least J */
    float *of_norms;           /* [5][stride] */
    float *of_lengths;         /* [stride] */
    float *of_places;          /* [6][stride] */
    float *of_stiffness;       /* [9][stride] */
    size_t *of_wrong;          /* [stride]: freedom with a wrong pivot; SIZE_MAX: none */
    float *free_norms;         /* [stride]: |r_f| of x */
    bool *is_active, *is_done; /* [stride] */
};

/* ---- memory ---- */

double qn_batch_bytes(const qn_batch *batch)
{
    const qn_elements_bytes bytes = qn_elements_batch_bytes(batch->problem->body, batch->stride);
    return 11 * (double)bytes.x + (double)bytes.stored + (double)bytes.measures + (double)bytes.values +
           qn_factor_batch_bytes(batch->factors);
}

static qn_status make_buffers(qn_batch *batch)
{
    qn_device *device = qn_queue_device(batch->queue);
    const size_t stride = (size_t)batch->stride;
    const qn_elements_bytes bytes = qn_elements_batch_bytes(batch->problem->body, batch->stride);
    const struct {
        qn_buffer **buffer;
        size_t bytes;
    } wanted[] = {
        {&batch->x, bytes.x},
        {&batch->trial, bytes.x},
        {&batch->r, bytes.x},
        {&batch->trial_r, bytes.x},
        {&batch->step, bytes.x},
        {&batch->stored, bytes.stored},
        {&batch->measures, bytes.measures},
        {&batch->result, bytes.result},
        {&batch->values, bytes.values},
        {&batch->columns, 3 * bytes.x},
        {&batch->change, 3 * bytes.x},
        {&batch->norms, QN_BALANCE_NORM_ROWS * stride * sizeof(float)},
        {&batch->stiffness, QN_BALANCE_STIFFNESS_ROWS * stride * sizeof(float)},
        {&batch->lengths, stride * sizeof(float)},
        {&batch->places, 6 * stride * sizeof(float)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        QN_TRY(qn_buffer_create(device, wanted[i].bytes, wanted[i].buffer));
    return QN_OK;
}

static qn_status make_arrays(qn_batch *batch)
{
    const size_t stride = (size_t)batch->stride, freedoms = batch->problem->body->freedom_count;
    const size_t staged = 4 * freedoms * stride * sizeof(float);
    QN_TRY(qn_host_memory_create(qn_queue_device(batch->queue), staged, (void **)&batch->staged));
    memset(batch->staged, 0, staged);
    QN_TRY(qn_allocate(2 * stride, sizeof(float), (void **)&batch->of_result));
    QN_TRY(qn_allocate(QN_BALANCE_NORM_ROWS * stride, sizeof(float), (void **)&batch->of_norms));
    QN_TRY(qn_allocate(stride, sizeof(float), (void **)&batch->of_lengths));
    QN_TRY(qn_allocate(6 * stride, sizeof(float), (void **)&batch->of_places));
    QN_TRY(qn_allocate(QN_BALANCE_STIFFNESS_ROWS * stride, sizeof(float), (void **)&batch->of_stiffness));
    QN_TRY(qn_allocate(stride, sizeof(size_t), (void **)&batch->of_wrong));
    QN_TRY(qn_allocate(stride, sizeof(float), (void **)&batch->free_norms));
    QN_TRY(qn_allocate(stride, sizeof(bool), (void **)&batch->is_active));
    return qn_allocate(stride, sizeof(bool), (void **)&batch->is_done);
}

static qn_status fill(qn_batch *batch)
{
    if (batch->problem->pressure_shift)
        return QN_FAIL(QN_UNSUPPORTED, "order 2 without compressibility needs double precision; expected a finite bulk "
                                       "modulus, or order 1, for a device");
    const int rounded = (batch->capacity + STRIDE_STEP - 1) / STRIDE_STEP * STRIDE_STEP;
    QN_TRY(qn_balance_create(batch->queue, batch->problem, &batch->balance));
    QN_TRY(qn_elements_create(batch->queue, batch->problem->body, &batch->elements));
    QN_TRY(qn_factor_batch_create(batch->queue, batch->problem->plan, rounded, 0, &batch->factors));
    batch->stride = qn_factor_batch_room(batch->factors);
    QN_TRY(make_buffers(batch));
    return make_arrays(batch);
}

qn_status qn_batch_create(qn_queue *queue, const qn_problem *problem, int capacity, const qn_batch_options *options,
                          qn_batch **batch)
{
    *batch = NULL;
    QN_TRY(qn_allocate(1, sizeof **batch, (void **)batch));
    (*batch)->queue = queue;
    (*batch)->problem = problem;
    (*batch)->options = *options;
    (*batch)->capacity = capacity;
    const qn_status status = fill(*batch);
    if (status != QN_OK) qn_batch_destroy(batch);
    return status;
}

void qn_batch_destroy(qn_batch **batch)
{
    qn_batch *own = *batch;
    if (!own) return;
    qn_buffer **const buffers[] = {&own->x,       &own->trial,  &own->r,       &own->trial_r, &own->step,
                                   &own->stored,  &own->values, &own->result,  &own->norms,   &own->measures,
                                   &own->lengths, &own->places, &own->columns, &own->change,  &own->stiffness};
    void *const memory[] = {&own->of_result, &own->of_norms,   &own->of_lengths, &own->of_places, &own->of_stiffness,
                            &own->of_wrong,  &own->free_norms, &own->is_active,  &own->is_done};
    qn_queue_settle(own->queue); /* its reads write to the memory below */
    if (own->staged) qn_host_memory_destroy(qn_queue_device(own->queue), (void **)&own->staged);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) qn_release(memory[i]);
    qn_factor_batch_destroy(&own->factors);
    qn_elements_destroy(&own->elements);
    qn_balance_destroy(&own->balance);
    qn_release(batch);
}

/* ---- launches ---- */

static qn_status assemble(qn_batch *batch, int kernel, qn_buffer *x, qn_buffer *r)
{
    const qn_elements_batch arrays = {.count = batch->used,
                                      .stride = batch->stride,
                                      .x = x,
                                      .stored = batch->stored,
                                      .measures = batch->measures,
                                      .result = batch->result,
                                      .r = r,
                                      .values = batch->values};
    return qn_elements_run(batch->queue, kernel, NULL, batch->elements, &arrays, NULL);
}

static qn_status balance(qn_batch *batch, int kernel, int sides, qn_buffer *const buffers[])
{
    return qn_balance_run(batch->queue, kernel, NULL, batch->balance, batch->stride, sides, buffers, NULL);
}

static qn_status read(qn_batch *batch, qn_buffer *buffer, size_t rows, void *data)
{
    return qn_queue_read(batch->queue, buffer, 0, data, rows * (size_t)batch->stride * sizeof(float), NULL);
}

static qn_status write(qn_batch *batch, qn_buffer *buffer, size_t rows, const void *data)
{
    return qn_queue_write(batch->queue, buffer, 0, data, rows * (size_t)batch->stride * sizeof(float), NULL);
}

/* Residual and measures at x, and their norms on the host. */
static qn_status evaluate(qn_batch *batch, qn_buffer *x, qn_buffer *r)
{
    QN_TRY(assemble(batch, QN_ELEMENTS_POINTS, x, r));
    QN_TRY(assemble(batch, QN_ELEMENTS_MEASURE, x, r));
    QN_TRY(assemble(batch, QN_ELEMENTS_RESIDUAL, x, r));
    QN_TRY(balance(batch, QN_BALANCE_NORMS, 1, (qn_buffer *[]){r, batch->norms}));
    QN_TRY(read(batch, batch->result, 2, batch->of_result));
    QN_TRY(read(batch, batch->norms, QN_BALANCE_NORM_ROWS, batch->of_norms));
    return qn_queue_finish(batch->queue);
}

static qn_status factor(qn_batch *batch)
{
    /* The tangent may read what `points` stored: that was of x, which was evaluated last. */
    QN_TRY(assemble(batch, QN_ELEMENTS_TANGENT, batch->x, batch->r));
    return qn_factor_batch_compute(batch->factors, batch->values, batch->used);
}

/* ---- order of numbers ---- */

enum { ENTRIES_A_TASK = 512, STATES_AT_ONCE = 16 };

/* States have their numbers one after the other, devices those of all states beside each other. */
typedef struct moving {
    qn_batch *batch;
    qn_batch_state *states;
    int count;
    bool to_device;
} moving;

/* Entries of x, then of the change, of some states. A cache line of the device's order is filled at once. Negative
 * zeros become zeros, so that bytes do not depend on how ranks exchange them. */
static void move_entries(const moving *all, size_t begin, size_t end, size_t first)
{
    const size_t stride = (size_t)all->batch->stride, freedoms = all->batch->problem->body->freedom_count;
    const size_t limit = (size_t)all->batch->used,
                 last = first + STATES_AT_ONCE < limit ? first + STATES_AT_ONCE : limit;
    float *staged = all->batch->staged;
    for (size_t s = first; s < last; s++) {
        const size_t used = s < (size_t)all->count ? s : (size_t)all->count - 1; /* the rest repeats the last state */
        const qn_batch_state *state = &all->states[used];
        if (!all->to_device && s >= (size_t)all->count) break;
        for (size_t i = begin; i < end; i++) {
            const bool of_x = i < freedoms;
            float *const own = of_x ? state->x + i : state->change + (i - freedoms);
            const float *const parent = of_x ? state->parent_x + i : state->parent_change + (i - freedoms);
            if (all->to_device)
                staged[i * stride + s] = *parent;
            else
                *own = staged[i * stride + s] + 0.0f;
        }
    }
}

static qn_status move_task(size_t index, int worker, void *user)
{
    const moving *all = user;
    const size_t total = 4 * all->batch->problem->body->freedom_count, begin = index * ENTRIES_A_TASK;
    const size_t end = begin + ENTRIES_A_TASK < total ? begin + ENTRIES_A_TASK : total;
    (void)worker;
    for (size_t s = 0; s < (size_t)all->batch->used; s += STATES_AT_ONCE) move_entries(all, begin, end, s);
    return QN_OK;
}

static qn_status move(qn_batch *batch, qn_batch_state *states, int count, bool to_device)
{
    moving all = {batch, states, count, to_device};
    const size_t total = 4 * batch->problem->body->freedom_count;
    return qn_pool_run(batch->options.pool, (total + ENTRIES_A_TASK - 1) / ENTRIES_A_TASK, move_task, &all);
}

/* ---- Newton's method ---- */

/* Upload parents and places; columns that only fill vectors repeat the last state. */
static qn_status start(qn_batch *batch, qn_batch_state *states, int count)
{
    const size_t stride = (size_t)batch->stride, freedoms = batch->problem->body->freedom_count;
    const int filled = (count + STATES_AT_ONCE - 1) / STATES_AT_ONCE * STATES_AT_ONCE;
    batch->used = filled < batch->stride ? filled : batch->stride;
    QN_TRY(move(batch, states, count, true));
    for (size_t s = 0; s < (size_t)batch->used; s++) {
        const qn_batch_state *state = &states[s < (size_t)count ? s : (size_t)count - 1];
        for (size_t axis = 0; axis < 3; axis++) {
            batch->of_places[axis * stride + s] = (float)(state->place[axis] - state->parent_place[axis]);
            batch->of_places[(3 + axis) * stride + s] = (float)state->place[axis];
        }
    }
    QN_TRY(write(batch, batch->trial, freedoms, batch->staged));
    QN_TRY(write(batch, batch->change, 3 * freedoms, batch->staged + freedoms * stride));
    QN_TRY(write(batch, batch->places, 6, batch->of_places));
    return balance(batch, QN_BALANCE_START, 1, (qn_buffer *[]){batch->trial, batch->change, batch->places, batch->x});
}

static double free_norm(const qn_batch *batch, int s)
{
    return sqrt((double)batch->of_norms[s]);
}

static double relative(const qn_batch *batch, int s)
{
    const double of_free = free_norm(batch, s);
    return of_free == 0 ? 0 : of_free / sqrt((double)batch->of_norms[batch->stride + s]);
}

/* Take the norms of x for a state. */
static void take(qn_batch *batch, int s, qn_batch_state *state)
{
    batch->free_norms[s] = (float)free_norm(batch, s);
    state->residual = relative(batch, s);
    state->energy = (double)batch->of_result[s];
    state->least_volume = (double)batch->of_result[batch->stride + s];
    for (int axis = 0; axis < 3; axis++) state->force[axis] = (double)batch->of_norms[(2 + axis) * batch->stride + s];
}

/* Decide which states go on. Returns how many do. */
static int judge(qn_batch *batch, qn_batch_state *states, int count)
{
    int active = 0;
    for (int s = 0; s < count; s++) {
        if (!batch->is_active[s]) continue;
        const bool is_valid = states[s].least_volume > 0 && isfinite(states[s].residual);
        states[s].converged = is_valid && states[s].residual <= batch->options.tolerance;
        batch->is_active[s] =
            is_valid && !states[s].converged && states[s].newton_steps < batch->options.newton_steps_max;
        active += batch->is_active[s];
    }
    return active;
}

/* Give up a state whose residual does not fall; rounding alone may be the reason. */
static void give_up(qn_batch *batch, int s, qn_batch_state *state)
{
    batch->is_active[s] = false;
    batch->of_lengths[s] = 0;
    state->converged = state->residual <= FLOOR * batch->options.tolerance;
}

/* Take the norms after a step, and end a state that rounding keeps where it is. */
static void take_step(qn_batch *batch, int s, qn_batch_state *state)
{
    const double before = state->residual;
    take(batch, s, state);
    if (!(state->residual <= FLOOR * batch->options.tolerance && state->residual > FALLS * before)) return;
    batch->is_active[s] = false;
    state->converged = true;
}

/* Find lengths of the steps, at which residuals fall; then x and r are the new ones. */
static qn_status search_lines(qn_batch *batch, qn_batch_state *states, int count)
{
    int waiting = 0;
    memset(batch->of_lengths, 0, (size_t)batch->stride * sizeof *batch->of_lengths);
    for (int s = 0; s < count; s++) {
        batch->is_done[s] = !batch->is_active[s];
        if (batch->is_active[s]) batch->of_lengths[s] = 1, states[s].newton_steps++, waiting++;
        if (batch->is_active[s] && batch->of_wrong[s] != SIZE_MAX) {
            give_up(batch, s, &states[s]);
            batch->is_done[s] = true;
            waiting--;
        }
    }
    for (;;) {
        QN_TRY(write(batch, batch->lengths, 1, batch->of_lengths));
        QN_TRY(balance(batch, QN_BALANCE_ADVANCE, 1,
                       (qn_buffer *[]){batch->x, batch->step, batch->lengths, batch->trial}));
        QN_TRY(evaluate(batch, batch->trial, batch->trial_r));
        bool again = false;
        for (int s = 0; s < count && waiting > 0; s++) {
            if (batch->is_done[s]) continue;
            const double length = (double)batch->of_lengths[s];
            if ((double)batch->of_result[batch->stride + s] > 0 &&
                free_norm(batch, s) <= (1 - 1e-4 * length) * (double)batch->free_norms[s]) {
                take_step(batch, s, &states[s]);
                batch->is_done[s] = true;
                waiting--;
                continue;
            }
            again = true;
            batch->of_lengths[s] *= 0.5f;
            if (length > ldexp(1, -HALVINGS_MAX)) continue;
            give_up(batch, s, &states[s]);
            batch->is_done[s] = true;
            waiting--;
        }
        if (!again) break;
    }
    qn_buffer *const x = batch->x, *const r = batch->r;
    batch->x = batch->trial, batch->r = batch->trial_r;
    batch->trial = x, batch->trial_r = r;
    return QN_OK;
}

static qn_status find_balances(qn_batch *batch, qn_batch_state *states, int count)
{
    QN_TRY(evaluate(batch, batch->x, batch->r));
    for (int s = 0; s < batch->stride; s++) batch->is_active[s] = s < count;
    for (int s = 0; s < count; s++) {
        states[s].newton_steps = 0;
        take(batch, s, &states[s]);
    }
    while (judge(batch, states, count) > 0) {
        QN_TRY(factor(batch));
        QN_TRY(balance(batch, QN_BALANCE_NEGATE, 1, (qn_buffer *[]){batch->r, batch->step}));
        QN_TRY(qn_factor_batch_solve(batch->factors, 1, batch->step));
        QN_TRY(qn_factor_batch_wrong(batch->factors, batch->of_wrong));
        QN_TRY(search_lines(batch, states, count));
    }
    return QN_OK;
}

/* H and Z at x. */
static qn_status find_changes(qn_batch *batch)
{
    QN_TRY(factor(batch));
    QN_TRY(balance(batch, QN_BALANCE_COLUMNS, 1, (qn_buffer *[]){batch->values, batch->columns}));
    QN_TRY(balance(batch, QN_BALANCE_NEGATE, 3, (qn_buffer *[]){batch->columns, batch->change}));
    QN_TRY(qn_factor_batch_solve(batch->factors, 3, batch->change));
    return balance(batch, QN_BALANCE_STIFFNESS, 1, (qn_buffer *[]){batch->columns, batch->change, batch->stiffness});
}

static qn_status fetch(qn_batch *batch, qn_batch_state *states, int count)
{
    const size_t stride = (size_t)batch->stride, freedoms = batch->problem->body->freedom_count;
    const uint32_t *first = batch->problem->body->pattern.first_freedom;
    float *change = batch->staged + freedoms * stride;
    QN_TRY(read(batch, batch->x, freedoms, batch->staged));
    QN_TRY(read(batch, batch->change, 3 * freedoms, change));
    QN_TRY(read(batch, batch->stiffness, QN_BALANCE_STIFFNESS_ROWS, batch->of_stiffness));
    QN_TRY(qn_factor_batch_wrong(batch->factors, batch->of_wrong));
    QN_TRY(qn_queue_finish(batch->queue));
    QN_TRY(move(batch, states, count, false));
    for (size_t s = 0; s < (size_t)count; s++) {
        qn_batch_state *state = &states[s];
        state->converged = state->converged && batch->of_wrong[s] == SIZE_MAX;
        for (size_t i = 0; i < 9; i++) state->stiffness[i] = (double)batch->of_stiffness[i * stride + s];
        for (size_t axis = 0; axis < 3; axis++)
            for (size_t k = 0; k < batch->problem->held_count; k++)
                state->change[axis * freedoms + first[batch->problem->held[k]] + axis] = 1;
    }
    return QN_OK;
}

qn_status qn_batch_solve(qn_batch *batch, qn_batch_state *states, int count)
{
    if (count < 1 || count > batch->capacity)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d states; expected 1 to %d", count, batch->capacity);
    QN_TRY(start(batch, states, count));
    QN_TRY(find_balances(batch, states, count));
    QN_TRY(find_changes(batch));
    return fetch(batch, states, count);
}
