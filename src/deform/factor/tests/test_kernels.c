/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@checking */
/* Compare deform/factor and deform/substitute with their references on one device, over corners of the tunables and odd
 * numbers of states, and the references with the factor in double precision. */
#include "check.h"

#include <stdio.h>

#include "check_workload.h"
#include "deform/factor/batch.h"
#include "deform/factor/fronts.h"
#include "deform/factor/kernels/substitute.h"
#include "deform/factor/tests/patterns.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { CORNERS_MAX = 14, STATES_MAX = 33, SIDES = 3 };

/* Of numbers of size 1 to 6 and solutions of size 1 in single precision. */
static const double TOLERANCE = 1e-4;

static qn_device *device;
static qn_queue *queue;

/* One problem on the device; everything that `solve_on_device` makes. */
typedef struct problem {
    qn_factor_box box;
    qn_factor_plan *plan;
    qn_factor_schedule *schedule;
    qn_configuration configuration, substitution;
    int states, stride;
    float *values, *x;        /* [value][state], [side][freedom][state] */
    float *tiles, *diagonals; /* as the kernels leave them */
    int *wrong;
} problem;

/* K of a state: that of the box with its diagonal raised by a factor of its own. */
static double state_value(const problem *p, size_t value, size_t state)
{
    const double own = p->box.values[value];
    if (isnan(own)) return 1e30;
    return (double)(float)(fabs(own) > 1 ? own * (1 + 0.01 * (double)(state % 7)) : own);
}

static double state_side(const problem *p, size_t side, size_t freedom, size_t state)
{
    return (double)(float)(2 * qn_random_uniform(5, side * 64 + state, freedom) - 1) + 0 * (double)p->states;
}

static problem make_problem(const qn_configuration *configuration, int nx, int ny, int nz, bool mixed, int states)
{
    problem p = {.box = box_create(nx, ny, nz, mixed, 9), .configuration = *configuration, .states = states};
    /* Where compilation is slow, one text serves all numbers of states. */
    p.stride = compiles_slowly(qn_device_get_info(device)) ? STATES_MAX : states;
    const size_t count = (size_t)p.stride;
    CHECK_OK(qn_factor_plan_create(&p.box.pattern, p.box.is_free, p.box.sign, &p.plan));
    CHECK_OK(qn_factor_schedule_for(p.plan, configuration, &p.schedule));
    p.substitution = qn_substitute_configuration(queue, p.schedule, states);
    p.values = calloc(p.box.value_count * count, sizeof(float));
    p.x = calloc(SIDES * p.box.freedoms * count, sizeof(float));
    for (size_t v = 0; v < p.box.value_count; v++)
        for (size_t s = 0; s < count; s++) p.values[v * count + s] = (float)state_value(&p, v, s);
    for (size_t v = 0; v < SIDES; v++)
        for (size_t f = 0; f < p.box.freedoms; f++)
            for (size_t s = 0; s < count; s++)
                p.x[(v * p.box.freedoms + f) * count + s] = (float)state_side(&p, v, f, s);
    p.tiles = calloc(1, qn_factor_tiles_bytes(p.schedule, p.stride));
    p.diagonals = calloc(1, qn_factor_diagonals_bytes(p.schedule, p.stride));
    p.wrong = calloc(count, sizeof(int));
    return p;
}

static void release_problem(problem *p)
{
    qn_factor_schedule_destroy(&p->schedule);
    qn_factor_plan_destroy(&p->plan);
    free(p->values);
    free(p->x);
    free(p->tiles);
    free(p->diagonals);
    free(p->wrong);
    qn_factor_box_release(&p->box);
}

/* Factor and solve on the device; x becomes the solutions. */
static void solve_on_device(problem *p, int sides)
{
    const size_t count = (size_t)p->stride, x_bytes = (size_t)sides * p->box.freedoms * count * sizeof(float);
    qn_factor_lists lists;
    qn_factor_arrays arrays = {p->states, p->stride, NULL, NULL, NULL, NULL};
    qn_buffer *x = NULL;
    double seconds = -1;
    if (!CHECK_OK(qn_factor_lists_create(queue, p->schedule, &lists))) return;
    CHECK_OK(qn_workload_make_buffer(queue, p->values, p->box.value_count * count * sizeof(float), &arrays.values));
    CHECK_OK(qn_workload_make_buffer(queue, p->tiles, qn_factor_tiles_bytes(p->schedule, p->stride), &arrays.tiles));
    CHECK_OK(qn_workload_make_buffer(queue, p->diagonals, qn_factor_diagonals_bytes(p->schedule, p->stride),
                                     &arrays.diagonals));
    CHECK_OK(qn_workload_make_buffer(queue, p->wrong, count * sizeof(int), &arrays.wrong));
    CHECK_OK(qn_workload_make_buffer(queue, p->x, x_bytes, &x));
    CHECK_OK(qn_factor_states(queue, &p->configuration, &lists, &arrays, &seconds));
    CHECK(seconds >= 0);
    CHECK_OK(qn_substitute_states(queue, &p->substitution, &lists, &arrays, sides, x, NULL));
    CHECK_OK(qn_workload_read(queue, arrays.tiles, 0, p->tiles, qn_factor_tiles_bytes(p->schedule, p->stride)));
    CHECK_OK(
        qn_workload_read(queue, arrays.diagonals, 0, p->diagonals, qn_factor_diagonals_bytes(p->schedule, p->stride)));
    CHECK_OK(qn_workload_read(queue, arrays.wrong, 0, p->wrong, count * sizeof(int)));
    CHECK_OK(qn_workload_read(queue, x, 0, p->x, x_bytes));
    qn_buffer_release(&arrays.values);
    qn_buffer_release(&arrays.tiles);
    qn_buffer_release(&arrays.diagonals);
    qn_buffer_release(&arrays.wrong);
    qn_buffer_release(&x);
    qn_factor_lists_release(&lists);
}

/* The solutions of a state, by the factor in double precision. */
static void solve_exactly(const problem *p, size_t state, int sides, double *x)
{
    qn_factor *factor = NULL;
    size_t wrong = 0;
    double *values = calloc(p->box.value_count, sizeof(double));
    for (size_t v = 0; v < p->box.value_count; v++) values[v] = state_value(p, v, state);
    for (size_t v = 0; v < (size_t)sides; v++)
        for (size_t f = 0; f < p->box.freedoms; f++) x[v * p->box.freedoms + f] = state_side(p, v, f, state);
    if (CHECK_OK(qn_factor_create(p->plan, &factor)) && CHECK_OK(qn_factor_compute(factor, values, &wrong))) {
        CHECK(wrong == SIZE_MAX);
        qn_factor_solve(factor, x, sides, x);
    }
    qn_factor_destroy(&factor);
    free(values);
}

static void compare_solutions(const problem *p, size_t state, int sides)
{
    double worst = 0, *exact = calloc(SIDES * p->box.freedoms, sizeof(double));
    solve_exactly(p, state, sides, exact);
    for (size_t i = 0; i < (size_t)sides * p->box.freedoms; i++) {
        const double held = state_side(p, i / p->box.freedoms, i % p->box.freedoms, state);
        const double found = (double)p->x[i * (size_t)p->stride + state];
        const double error = fabs(found - (p->box.is_free[i % p->box.freedoms] ? exact[i] : held));
        worst = qn_workload_larger_error(worst, error);
    }
    CHECK_NEAR(worst, 0, TOLERANCE);
    free(exact);
}

/* Tiles of a state against the reference. The upper half of diagonal tiles has no meaning. */
static void compare_tiles(const problem *p, size_t state)
{
    const qn_factor_schedule *s = p->schedule;
    const size_t size = (size_t)(s->block * s->block), count = (size_t)p->stride;
    double *tiles = calloc((size_t)s->stored_count * size, sizeof(double));
    double *diagonals = calloc((size_t)s->tile_count * size, sizeof(double));
    double *values = calloc(p->box.value_count, sizeof(double)), worst = 0;
    for (size_t v = 0; v < p->box.value_count; v++) values[v] = state_value(p, v, state);
    qn_factor_states_reference(s, values, tiles, diagonals);
    for (int n = 0; n < s->panel_count; n++) {
        const int *panel = s->panels + (size_t)n * QN_PANEL_INTS, columns = panel[QN_PANEL_COLUMNS];
        const size_t begin = (size_t)(panel[QN_PANEL_STORE] + columns * (columns + 1) / 2) * size;
        for (size_t v = 0; v < (size_t)(panel[QN_PANEL_BELOW] * columns) * size; v++)
            worst =
                qn_workload_larger_error(worst, fabs((double)p->tiles[(begin + v) * count + state] - tiles[begin + v]));
    }
    for (size_t v = 0; v < (size_t)s->tile_count * size; v++)
        if (v % size % (size_t)s->block >= v % size / (size_t)s->block)
            worst = qn_workload_larger_error(worst, fabs((double)p->diagonals[v * count + state] - diagonals[v]));
    CHECK_NEAR(worst, 0, TOLERANCE);
    free(tiles);
    free(diagonals);
    free(values);
}

static void check_problem(const qn_configuration *configuration, int nx, int ny, int nz, bool mixed, int states,
                          int sides)
{
    problem p = make_problem(configuration, nx, ny, nz, mixed, states);
    if (compiles_slowly(qn_device_get_info(device))) sides = SIDES;
    solve_on_device(&p, sides);
    for (int s = 0; s < states; s++) CHECK(p.wrong[s] == QN_FACTOR_NOTHING_WRONG);
    for (int s = 0; s<states; s += states> 2 ? states / 2 : 1) {
        compare_tiles(&p, (size_t)s);
        compare_solutions(&p, (size_t)s, sides);
    }
    release_problem(&p);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_problem(configuration, 5, 4, 4, true, 3, SIDES);
    if (!compiles_slowly(qn_device_get_info(device))) {
        check_problem(configuration, 7, 3, 3, false, STATES_MAX, 1);
        check_problem(configuration, 3, 3, 2, true, 1, 2);
    }
    return QN_OK;
}

static void corners_are_right(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_deform_factor_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 2);
}

/* Solutions are right, and have the same bits in one launch as level by level, which is not seen where compilation is
 * slow. */
static qn_status check_substitution(const qn_configuration *configuration, void *user)
{
    const bool slow = compiles_slowly(qn_device_get_info(device));
    const int states = slow ? 11 : STATES_MAX, sides = slow ? 1 : 1 + ++*(int *)user % SIDES;
    qn_configuration factor = qn_family_fallback(&qn_deform_factor_family);
    factor.value[QN_FACTOR_BLOCK] = configuration->value[QN_SUBSTITUTE_BLOCK];
    factor.value[QN_FACTOR_PANEL] = configuration->value[QN_SUBSTITUTE_PANEL];
    problem p = make_problem(&factor, 5, 4, 4, true, states), levels = make_problem(&factor, 5, 4, 4, true, states);
    p.substitution = *configuration;
    levels.substitution.value[QN_SUBSTITUTE_STATES] = 32;
    levels.substitution.value[QN_SUBSTITUTE_TEAMS] = 0;
    solve_on_device(&p, sides);
    for (int s = 0; s < states; s += 5) compare_solutions(&p, (size_t)s, sides);
    if (configuration->value[QN_SUBSTITUTE_TEAMS] > 0 && !slow) {
        solve_on_device(&levels, sides);
        for (size_t i = 0; i < (size_t)sides * p.box.freedoms * (size_t)p.stride; i++)
            if (memcmp(&p.x[i], &levels.x[i], sizeof *p.x) != 0) {
                CHECK(!"a solution depends on TEAMS");
                break;
            }
    }
    release_problem(&p);
    release_problem(&levels);
    return QN_OK;
}

static void corners_of_substitutions_are_right(void)
{
    static const int walks[][QN_SUBSTITUTE_TUNABLES] = {{8, 6, 24, 4}, {8, 3, 12, 8}, {16, 12, 48, 2}, {32, 6, 24, 2}};
    const qn_device_info *info = qn_device_get_info(device);
    const bool slow = compiles_slowly(info);
    int checked = 0, walked = 0;
    for (int k = 0; k < (slow ? 1 : 4); k++) {
        qn_configuration walk = qn_family_fallback(&qn_deform_substitute_family);
        const char *broken;
        bool allowed = false;
        memcpy(walk.value, walks[k], sizeof walks[k]);
        CHECK_OK(qn_family_allows(&qn_deform_substitute_family, info, &walk, &allowed, &broken));
        if (allowed) CHECK_OK(check_substitution(&walk, &checked));
        walked += allowed;
    }
    CHECK(walked > 0);
    if (slow) return;
    CHECK_OK(qn_family_sample_corners(&qn_deform_substitute_family, info, corners_to_visit(info, CORNERS_MAX),
                                      check_substitution, &checked));
}

static double *double_panels(const problem *p, qn_factor **factor)
{
    size_t wrong = 0;
    double *values = calloc(p->box.value_count, sizeof(double));
    for (size_t v = 0; v < p->box.value_count; v++) values[v] = state_value(p, v, 0);
    CHECK_OK(qn_factor_create(p->plan, factor));
    CHECK_OK(qn_factor_compute(*factor, values, &wrong));
    return values;
}

/* The references know nothing of fronts; the factor in double precision knows nothing of tiles. G agrees where K has a
 * value, and so does a solution. */
static void references_agree_with_the_factor(void)
{
    for (int block = 1; block <= 12; block += 3) {
        const qn_configuration fallback = qn_family_fallback(&qn_deform_factor_family);
        problem p = make_problem(&fallback, 5, 5, 4, true, 1);
        qn_factor_schedule *s = NULL;
        qn_factor *factor = NULL;
        double *values = double_panels(&p, &factor), worst = 0;
        if (!CHECK_OK(qn_factor_schedule_create(p.plan, block, 1 + 12 / block, 3, &s))) return;
        const size_t size = (size_t)(block * block);
        double *tiles = calloc((size_t)s->stored_count * size, sizeof(double));
        double *diagonals = calloc((size_t)s->tile_count * size, sizeof(double));
        double *x = calloc(p.box.freedoms, sizeof(double)), *exact = calloc(p.box.freedoms, sizeof(double));
        double *found = calloc(p.box.value_count, sizeof(double));
        qn_factor_states_reference(s, values, tiles, diagonals);
        for (size_t v = 0; v < (size_t)s->stored_count * size; v++)
            if (s->map[v] >= 0) found[s->map[v]] = tiles[v];
        size_t compared = 0;
        for (size_t f = 0; f < p.plan->front_count; f++) {
            const qn_factor_front *front = &p.plan->fronts[f];
            const size_t end = f + 1 < p.plan->front_count ? front[1].entries : p.plan->entry_count;
            for (size_t e = front->entries; e < end; e++) {
                const qn_factor_entry *entry = &p.plan->entry[e];
                /* values of diagonal tiles are those before their elimination */
                if (entry->place < qn_factor_own_values(front)) continue;
                compared++;
                worst = qn_workload_larger_error(
                    worst, fabs(found[entry->value] - factor->panels[front->panel + entry->place]));
            }
        }
        CHECK(compared > 100);
        CHECK_NEAR(worst, 0, 1e-12);
        box_draw_vector(&p.box, 1, x);
        qn_factor_solve(factor, x, 1, exact);
        qn_substitute_states_reference(s, tiles, diagonals, x);
        worst = 0;
        for (size_t i = 0; i < p.box.freedoms; i++) worst = qn_workload_larger_error(worst, fabs(x[i] - exact[i]));
        CHECK_NEAR(worst, 0, 1e-12);
        free(tiles);
        free(diagonals);
        free(x);
        free(exact);
        free(found);
        free(values);
        qn_factor_schedule_destroy(&s);
        qn_factor_destroy(&factor);
        release_problem(&p);
    }
}

/* A state has the same bits alone, among others, and at any place; G in tiles of any size, where K has a value. */
static void bits_depend_on_the_state_alone(void)
{
    qn_configuration configuration = qn_family_fallback(&qn_deform_factor_family);
    problem many = make_problem(&configuration, 5, 4, 4, true, STATES_MAX);
    problem one = make_problem(&configuration, 5, 4, 4, true, 1);
    solve_on_device(&many, SIDES);
    solve_on_device(&one, SIDES);
    for (size_t i = 0; i < SIDES * one.box.freedoms; i++) {
        /* states 0, 7, 14 … have the same K; state 0 the same right sides */
        if (memcmp(&one.x[i * (size_t)one.stride], &many.x[i * STATES_MAX], sizeof(float)) != 0) {
            CHECK(!"a solution depends on the batch");
            break;
        }
    }
    const size_t size = (size_t)(one.schedule->block * one.schedule->block);
    size_t different = 0;
    for (size_t v = 0; v < (size_t)one.schedule->stored_count * size; v++)
        for (size_t s = 0; s < STATES_MAX; s += 7)
            different +=
                memcmp(&one.tiles[v * (size_t)one.stride], &many.tiles[v * STATES_MAX + s], sizeof(float)) != 0;
    CHECK(different == 0);
    release_problem(&many);
    release_problem(&one);
}

/* G where K has a value, as its float's bits; 0 elsewhere. */
static float *values_of_tiles(const problem *p)
{
    const qn_factor_schedule *s = p->schedule;
    const size_t size = (size_t)(s->block * s->block);
    float *found = calloc(p->box.value_count, sizeof(float));
    for (int n = 0; n < s->panel_count; n++) {
        const int *panel = s->panels + (size_t)n * QN_PANEL_INTS, columns = panel[QN_PANEL_COLUMNS];
        for (int r = 0; r < columns + panel[QN_PANEL_BELOW]; r++)
            for (int c = 0; c <= (r < columns ? r : columns - 1); c++) {
                const int own = columns * (columns + 1) / 2;
                const int before = r < columns ? r * (r + 1) / 2 : own + (r - columns) * columns;
                const size_t tile = (size_t)(panel[QN_PANEL_STORE] + before + c);
                const float *from = r == c
                                        ? p->diagonals + (size_t)(panel[QN_PANEL_TILE] + c) * size * (size_t)p->stride
                                        : p->tiles + tile * size * (size_t)p->stride;
                for (size_t v = 0; v < size; v++) {
                    const int index = s->map[tile * size + v];
                    if (index >= 0) found[index] = from[v * (size_t)p->stride];
                }
            }
    }
    return found;
}

static void bits_of_factors_depend_on_no_tunable(void)
{
    qn_configuration configuration = qn_family_fallback(&qn_deform_factor_family);
    const bool slow = compiles_slowly(qn_device_get_info(device));
    const int most = slow ? 6 : 12;
    float *first = NULL;
    for (int block = 3; block <= most; block *= 2)
        for (int panel = 24; panel <= 4 * most; panel *= 2) {
            configuration.value[QN_FACTOR_BLOCK] = block;
            configuration.value[QN_FACTOR_PANEL] = panel;
            configuration.value[QN_FACTOR_LEVELS] = panel == 48 || (slow && block == 6) ? 0 : block == 6 ? 4 : 8;
            configuration.value[QN_FACTOR_AHEAD] = !slow || block == 3 ? block : 1;
            bool allowed = false;
            CHECK_OK(
                qn_family_allows(&qn_deform_factor_family, qn_device_get_info(device), &configuration, &allowed, NULL));
            if (!allowed) configuration.value[QN_FACTOR_AHEAD] = 1;
            problem p = make_problem(&configuration, 6, 5, 4, true, 2);
            solve_on_device(&p, SIDES);
            float *found = values_of_tiles(&p);
            if (first)
                CHECK(memcmp(found, first, p.box.value_count * sizeof(float)) == 0);
            else
                first = found;
            if (found != first) free(found);
            release_problem(&p);
        }
    free(first);
}

/* A wrong pivot is flagged in its state alone, and the other states' solutions stay right. */
static void wrong_pivots_are_flagged(void)
{
    const qn_configuration configuration = qn_family_fallback(&qn_deform_factor_family);
    problem p = make_problem(&configuration, 5, 4, 4, true, 3);
    const qn_block_pattern *pattern = &p.box.pattern;
    const uint32_t node = 41, freedom = pattern->first_freedom[node] + 3;
    const uint32_t value = pattern->block_start[pattern->row_start[node + 1] - 1] + 15;
    CHECK(p.box.sign[freedom] < 0);
    p.values[value * (size_t)p.stride + 1] = 1e4f; /* a pressure with a positive pivot */
    solve_on_device(&p, SIDES);
    CHECK(p.wrong[0] == QN_FACTOR_NOTHING_WRONG && p.wrong[2] == QN_FACTOR_NOTHING_WRONG);
    CHECK(p.wrong[1] >= 0 && p.wrong[1] < (int)p.plan->free_count && p.plan->freedom[p.wrong[1]] == freedom);
    compare_solutions(&p, 0, SIDES);
    compare_solutions(&p, 2, SIDES);
    release_problem(&p);
}

/* A batch finds its room, flags freedoms and solves as its parts do. */
static void batches_put_it_together(void)
{
    const qn_configuration configuration = qn_family_fallback(&qn_deform_factor_family);
    problem p = make_problem(&configuration, 5, 4, 4, true, STATES_MAX);
    const size_t count = (size_t)p.stride, x_bytes = SIDES * p.box.freedoms * count * sizeof(float);
    const uint32_t node = 41, freedom = p.box.pattern.first_freedom[node] + 3;
    qn_factor_batch *batch = NULL;
    qn_buffer *values = NULL, *x = NULL;
    size_t wrong[STATES_MAX];
    CHECK_FAILS(qn_factor_batch_create(queue, p.plan, 4, 1000, &batch), QN_OUT_OF_MEMORY);
    CHECK_MESSAGE_HAS("1e+03 bytes");
    CHECK_FAILS(qn_factor_batch_create(queue, p.plan, 0, 0, &batch), QN_INVALID_ARGUMENT);
    if (!CHECK_OK(qn_factor_batch_create(queue, p.plan, STATES_MAX, 0, &batch))) return;
    const double all = qn_factor_batch_bytes(batch), with_values = all + 4.0 * (double)p.box.value_count * STATES_MAX;
    CHECK(qn_factor_batch_room(batch) == STATES_MAX);
    qn_factor_batch_destroy(&batch);
    CHECK_OK(qn_factor_batch_create(queue, p.plan, STATES_MAX, with_values - 1, &batch));
    CHECK(batch && qn_factor_batch_room(batch) == STATES_MAX - 1 && qn_factor_batch_bytes(batch) < all);
    qn_factor_batch_destroy(&batch);
    CHECK_OK(qn_factor_batch_create(queue, p.plan, STATES_MAX, with_values, &batch));
    if (!batch || !CHECK(qn_factor_batch_room(batch) == STATES_MAX)) return;
    p.values[(p.box.pattern.block_start[p.box.pattern.row_start[node + 1]] - 1) * count + 4] = 1e4f;
    CHECK_OK(qn_workload_make_buffer(queue, p.values, p.box.value_count * count * sizeof(float), &values));
    CHECK_OK(qn_workload_make_buffer(queue, p.x, x_bytes, &x));
    CHECK_OK(qn_factor_batch_compute(batch, values, 9));
    CHECK_OK(qn_factor_batch_solve(batch, SIDES, x));
    CHECK_OK(qn_factor_batch_wrong(batch, wrong));
    for (int s = 0; s < 9; s++) CHECK(wrong[s] == (s == 4 ? freedom : SIZE_MAX));
    CHECK_OK(qn_workload_read(queue, x, 0, p.x, x_bytes));
    compare_solutions(&p, 8, SIDES);
    qn_buffer_release(&values);
    qn_buffer_release(&x);
    qn_factor_batch_destroy(&batch);
    release_problem(&p);
}

static void impossible_problems_are_refused(void)
{
    qn_configuration configuration = qn_family_fallback(&qn_deform_factor_family);
    problem p = make_problem(&configuration, 3, 3, 3, false, 2);
    const qn_configuration substitution = qn_substitute_configuration(queue, p.schedule, 2);
    qn_factor_lists lists;
    qn_buffer *small = NULL;
    CHECK_OK(qn_factor_lists_create(queue, p.schedule, &lists));
    CHECK_OK(qn_buffer_create(device, 256, &small));
    const qn_factor_arrays arrays = {2, 2, small, small, small, small}, none = {0, 2, small, small, small, small};
    CHECK_FAILS(qn_factor_states(queue, &configuration, &lists, &arrays, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("256 bytes");
    CHECK_FAILS(qn_factor_states(queue, &configuration, &lists, &none, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_substitute_states(queue, &substitution, &lists, &arrays, 1, small, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_substitute_states(queue, &substitution, &lists, &arrays, 5, small, NULL), QN_INVALID_ARGUMENT);
    configuration.value[QN_FACTOR_BLOCK] = 12;
    CHECK_FAILS(qn_factor_states(queue, &configuration, &lists, &arrays, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("BLOCK is 12");
    configuration = p.configuration;
    configuration.value[QN_FACTOR_LEVELS] += 2;
    CHECK_FAILS(qn_factor_states(queue, &configuration, &lists, &arrays, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("LEVELS 2");
    qn_buffer_release(&small);
    qn_factor_lists_release(&lists);
    release_problem(&p);
}

static void workloads_pass_their_checks(void)
{
    qn_work work;
    check_workload(queue, "deform/factor", (const int[]){4, STATES_MAX, 1}, &work);
    CHECK(work.multiply_adds > 1e6 && work.bytes_written > 0);
    check_workload(queue, "deform/substitute", (const int[]){4, STATES_MAX, SIDES}, &work);
    CHECK(work.bytes_read > work.bytes_written && work.multiply_adds * 4 == SIDES * work.bytes_read);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(references_agree_with_the_factor);
    RUN(corners_are_right);
    RUN(corners_of_substitutions_are_right);
    RUN(bits_depend_on_the_state_alone);
    RUN(bits_of_factors_depend_on_no_tunable);
    RUN(wrong_pivots_are_flagged);
    RUN(batches_put_it_together);
    RUN(impossible_problems_are_refused);
    RUN(workloads_pass_their_checks);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
