/* devices: host opencl:0 cuda:0 checking:host */
/* Compare deform/elements with residual, tangent and measures in double precision, over corners of the tunables, both
 * materials, orders and forms, and odd numbers of states. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "check_workload.h"
#include "deform/body/kernels/elements.h"
#include "deform/body/tests/box_mesh.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { CORNERS_MAX = 12 };

/* Of the largest entry of a state. */
static const double TOLERANCE = 3e-6;

typedef struct body_case {
    const char *material;
    int order;
    bool mixed;
} body_case;

static const body_case cases[] = {
    {"svk:10000,0.45", 1, false},
    {"mooney-rivlin:1400,280,20000", 1, false},
    {"mooney-rivlin:1400,280,200000", 1, true},
    {"svk:10000,0.45", 2, false},
    {"mooney-rivlin:1400,280,20000", 2, false},
    {"mooney-rivlin:1400,280,inf", 2, true},
};
enum { CASES = sizeof cases / sizeof *cases };
enum { RARE = 4 }; /* a case whose parts others cover: left out where compilation is slow */

static qn_device *device, *host;
static qn_queue *queue, *host_queue;
static box_mesh box;

/* A batch and what a device made of it. */
typedef struct batch_results {
    float *x, *result, *r, *values;
    qn_elements_bytes bytes;
} batch_results;

static qn_body *make_body(const body_case *c, const int counts[3])
{
    qn_material material;
    qn_body *body = NULL;
    box_make(&box, counts, 0.02, 0.1, c->order);
    CHECK_OK(qn_material_parse(c->material, &material));
    if (!CHECK_OK(qn_body_create(&box.mesh, &material, c->mixed, &body))) exit(check_finish());
    return body;
}

/* Number k of state `state`: a shear and a stretch of the whole, with noise. Places without a state are NaN. */
static void fill_states(const qn_body *body, int count, int stride, float *x)
{
    for (size_t i = 0; i < body->mesh->node_count; i++)
        for (int k = 0; k < body->pattern.size[i]; k++)
            for (int s = 0; s < stride; s++) {
                const double *at = body->mesh->positions + 3 * i;
                const uint64_t index = 4 * i + (uint64_t)k;
                double value = 0.002 / body->mesh->order * box_random(40 + (uint64_t)s, index);
                if (k == 0) value += 0.3 * box_random(30, (uint64_t)s) * at[1];
                if (k == 1) value += 0.2 * box_random(31, (uint64_t)s) * at[1];
                if (k == 3) value = 700 * box_random(40 + (uint64_t)s, index);
                x[((size_t)body->pattern.first_freedom[i] + (size_t)k) * (size_t)stride + (size_t)s] =
                    s < count ? (float)value : NAN;
            }
}

static void make_results(const qn_body *body, int stride, batch_results *results)
{
    results->bytes = qn_elements_batch_bytes(body, stride);
    results->x = malloc(results->bytes.x);
    results->result = malloc(results->bytes.result);
    results->r = malloc(results->bytes.x);
    results->values = malloc(results->bytes.values);
}

static void clear_results(batch_results *results)
{
    free(results->x);
    free(results->result);
    free(results->r);
    free(results->values);
}

static void run_batch(qn_queue *at, const qn_configuration *configuration, const qn_body *body, int count, int stride,
                      batch_results *results)
{
    const qn_elements_bytes *bytes = &results->bytes;
    qn_elements *elements = NULL;
    qn_elements_batch batch = {.count = count, .stride = stride};
    if (!CHECK_OK(qn_elements_create(at, body, &elements))) return;
    CHECK_OK(qn_workload_make_buffer(at, results->x, bytes->x, &batch.x));
    CHECK_OK(qn_buffer_create(qn_queue_device(at), bytes->stored, &batch.stored));
    CHECK_OK(qn_buffer_create(qn_queue_device(at), bytes->measures, &batch.measures));
    CHECK_OK(qn_buffer_create(qn_queue_device(at), bytes->result, &batch.result));
    CHECK_OK(qn_buffer_create(qn_queue_device(at), bytes->x, &batch.r));
    CHECK_OK(qn_buffer_create(qn_queue_device(at), bytes->values, &batch.values));
    for (int kernel = QN_ELEMENTS_POINTS; kernel <= QN_ELEMENTS_TANGENT; kernel++)
        CHECK_OK(qn_elements_run(at, kernel, configuration, elements, &batch, NULL));
    CHECK_OK(qn_workload_read(at, batch.result, 0, results->result, bytes->result));
    CHECK_OK(qn_workload_read(at, batch.r, 0, results->r, bytes->x));
    CHECK_OK(qn_workload_read(at, batch.values, 0, results->values, bytes->values));
    qn_buffer **buffers[] = {&batch.x, &batch.stored, &batch.measures, &batch.result, &batch.r, &batch.values};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) qn_buffer_release(buffers[k]);
    qn_elements_destroy(&elements);
}

/* Largest difference of the entries of a kind (0 displacements, 1 the others) over the largest of them. */
static double error_of(const float *found, const double *exact, size_t count, int stride, int state,
                       const signed char *kinds, int kind)
{
    double largest = 0, scale = 0;
    for (size_t k = 0; k < count; k++) {
        if (kinds && kinds[k] != kind) continue;
        scale = fmax(scale, fabs(exact[k]));
        largest = qn_workload_larger_error(largest, fabs((double)found[k * (size_t)stride + (size_t)state] - exact[k]));
    }
    return scale > 0 ? largest / scale : largest;
}

/* Kinds of the values of a tangent: 1 of two displacements, 2 of a displacement and a pressure, 3 of two pressures. */
static void find_kinds(const qn_body *body, signed char *kinds)
{
    const qn_block_pattern *pattern = &body->pattern;
    for (size_t i = 0; i < pattern->node_count; i++)
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            const size_t rows = pattern->size[i], columns = pattern->size[pattern->column[k]];
            for (size_t a = 0; a < rows; a++)
                for (size_t b = 0; b < columns; b++)
                    kinds[pattern->block_start[k] + a * columns + b] = (signed char)(1 + (a == 3) + (b == 3));
        }
}

static void compare_with_reference(const qn_body *body, int count, int stride, const batch_results *results)
{
    const size_t values = results->bytes.values / sizeof(float) / (size_t)stride;
    double *r = malloc(body->freedom_count * sizeof *r), *exact = malloc(values * sizeof *exact);
    signed char *kinds = malloc(values);
    double worst = 0;
    find_kinds(body, kinds);
    for (int state = 0; state < count; state++) {
        qn_body_measures measures;
        CHECK_OK(qn_elements_reference(body, results->x, stride, state, r, exact, &measures));
        for (int sign = -1; sign <= 1; sign += 2)
            worst = fmax(worst, error_of(results->r, r, body->freedom_count, stride, state, body->sign, sign));
        for (int kind = 1; kind <= 3; kind++)
            worst = fmax(worst, error_of(results->values, exact, values, stride, state, kinds, kind));
        worst = fmax(worst, fabs((double)results->result[state] / measures.energy - 1));
        worst = fmax(worst, fabs((double)results->result[stride + state] - measures.least_volume));
    }
    if (!CHECK(worst <= TOLERANCE))
        fprintf(stderr, "order %d, material %d, mixed %d, %d states: %g\n", body->mesh->order, body->material.kind,
                body->mixed, count, worst);
    for (int state = count; state < stride; state++) {
        size_t others = results->result[state] != 0 || results->result[stride + state] != 0;
        for (size_t k = 0; k < body->freedom_count; k++) others += results->r[k * (size_t)stride + (size_t)state] != 0;
        for (size_t k = 0; k < values; k++) others += results->values[k * (size_t)stride + (size_t)state] != 0;
        CHECK(others == 0);
    }
    free(r);
    free(exact);
    free(kinds);
}

static void check_batch(const qn_configuration *configuration, const body_case *c, int count, int stride)
{
    if (c == &cases[RARE] && compiles_slowly(qn_device_get_info(device))) return;
    qn_body *body = make_body(c, (const int[]){2, 1, 2});
    batch_results results;
    make_results(body, stride, &results);
    fill_states(body, count, stride, results.x);
    run_batch(queue, configuration, body, count, stride, &results);
    compare_with_reference(body, count, stride, &results);
    clear_results(&results);
    qn_body_destroy(&body);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const int corner = (*(int *)user)++;
    for (int c = corner % 3; c < CASES; c += 3) check_batch(configuration, &cases[c], 3, 5);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_deform_elements_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

static void numbers_of_states_are_right(void)
{
    static const int counts[][2] = {{1, 1}, {33, 40}, {4, 32}, {16, 16}, {17, 19}};
    for (int k = 0; k < 5; k++)
        for (int c = 0; c < CASES; c += k == 0 ? 1 : 2) check_batch(NULL, &cases[c], counts[k][0], counts[k][1]);
}

/* A state alone has the same bits as among others, whatever the configuration, and on the host. */
static void bits_depend_on_the_state_alone(void)
{
    const qn_configuration changed = {{8, 16, 0}};
    for (int c = 0; c < CASES; c++) {
        if (c == RARE && compiles_slowly(qn_device_get_info(device))) continue;
        const int count = 21, stride = 24, alone = 13;
        qn_body *body = make_body(&cases[c], (const int[]){1, 2, 1});
        batch_results all, one;
        size_t different = 0;
        make_results(body, stride, &all);
        make_results(body, 1, &one);
        fill_states(body, count, stride, all.x);
        for (size_t k = 0; k < body->freedom_count; k++) one.x[k] = all.x[k * (size_t)stride + alone];
        run_batch(queue, NULL, body, count, stride, &all);
        bool allowed = false;
        CHECK_OK(qn_family_allows(&qn_deform_elements_family, qn_device_get_info(device), &changed, &allowed, NULL));
        for (int at = 0; at < 2; at++) {
            run_batch(at ? host_queue : queue,
                      at || !allowed || (compiles_slowly(qn_device_get_info(device)) && c > 0) ? NULL : &changed, body,
                      1, 1, &one);
            for (size_t k = 0; k < body->freedom_count; k++) different += one.r[k] != all.r[k * (size_t)stride + alone];
            for (size_t k = 0; k < one.bytes.values / sizeof(float); k++)
                different += one.values[k] != all.values[k * (size_t)stride + alone];
            different += one.result[0] != all.result[alone] || one.result[1] != all.result[stride + alone];
            if (!CHECK(different == 0)) fprintf(stderr, "case %d, host %d: %zu differ\n", c, at, different);
        }
        clear_results(&all);
        clear_results(&one);
        qn_body_destroy(&body);
    }
}

/* A turned body has no force: what is left is rounding of displacements, 6e-8 of them. */
static void large_rotations_leave_little_force(void)
{
    for (int c = 0; c < CASES; c++) {
        if (c == RARE && compiles_slowly(qn_device_get_info(device))) continue;
        qn_body *body = make_body(&cases[c], (const int[]){2, 2, 1});
        const double scale = body->material.mu * 0.02 * 0.02;
        batch_results results;
        double worst = 0;
        make_results(body, 1, &results);
        memset(results.x, 0, results.bytes.x);
        for (size_t i = 0; i < body->mesh->node_count; i++) {
            const double *at = body->mesh->positions + 3 * i;
            float *u = results.x + body->pattern.first_freedom[i];
            u[0] = (float)(-at[0] - at[1]);
            u[1] = (float)(at[0] - at[1]);
        }
        run_batch(queue, NULL, body, 1, 1, &results);
        for (size_t k = 0; k < body->freedom_count; k++)
            if (body->sign[k] > 0) worst = fmax(worst, fabs((double)results.r[k]));
        if (!CHECK(worst < 5e-5 * scale)) fprintf(stderr, "case %d: %g of %g\n", c, worst, scale);
        CHECK_NEAR((double)results.result[1], 1, 1e-5);
        clear_results(&results);
        qn_body_destroy(&body);
    }
}

/* An inverted element shows in its state's least J, and only there. */
static void inverted_elements_are_seen(void)
{
    for (int c = 0; c < CASES; c++) {
        if (c == RARE && compiles_slowly(qn_device_get_info(device))) continue;
        const int count = 3, stride = 4;
        qn_body *body = make_body(&cases[c], (const int[]){2, 1, 1});
        const uint32_t *corners = body->mesh->elements;
        const double *p = body->mesh->positions, *from = p + 3 * (size_t)corners[0], *to = p + 3 * (size_t)corners[1];
        batch_results results;
        qn_body_measures measures;
        make_results(body, stride, &results);
        fill_states(body, count, stride, results.x);
        for (size_t i = 0; i < 3; i++)
            results.x[(body->pattern.first_freedom[corners[0]] + i) * (size_t)stride + 1] +=
                (float)(2.5 * (to[i] - from[i]));
        run_batch(queue, NULL, body, count, stride, &results);
        for (int state = 0; state < count; state++) {
            CHECK_OK(qn_elements_reference(body, results.x, stride, state, NULL, NULL, &measures));
            CHECK((measures.least_volume < 0) == (state == 1));
            CHECK_NEAR((double)results.result[stride + state], measures.least_volume, 1e-5);
        }
        clear_results(&results);
        qn_body_destroy(&body);
    }
}

static void impossible_batches_are_refused(void)
{
    qn_body *body = make_body(&cases[0], (const int[]){1, 1, 1});
    qn_elements *elements = NULL;
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_elements_create(queue, body, &elements));
    CHECK_OK(qn_buffer_create(device, 64, &buffer));
    const qn_elements_batch wrong[] = {{0, 4}, {5, 4}, {1, QN_ELEMENTS_STATES_MAX + 1}, {4, 4}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        qn_elements_batch batch = wrong[k];
        batch.x = batch.stored = batch.measures = batch.result = batch.r = batch.values = buffer;
        CHECK_FAILS(qn_elements_run(queue, QN_ELEMENTS_RESIDUAL, NULL, elements, &batch, NULL), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_elements_run(queue, QN_ELEMENTS_TANGENT, NULL, elements, &batch, NULL), QN_INVALID_ARGUMENT);
    }
    qn_buffer_release(&buffer);
    qn_elements_destroy(&elements);
    qn_body_destroy(&body);
}

static void workload_passes_its_check(void)
{
    for (int order = 1; order <= 2; order++)
        for (int form = 1; form <= 2; form++) {
            qn_work work;
            check_workload_sizes(queue, "deform/elements", (const int[QN_WORKLOAD_SIZES]){2, 5, order, form}, &work);
            const double points = 48 * (order == 2 ? 4 : 1);
            CHECK(work.multiply_adds > 5 * points * (form == 1 ? 400 : 800));
            CHECK(work.bytes_written > 4.0 * 5 * points * (form == 1 ? 9 : 10));
        }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    if (!CHECK_OK(qn_device_open(context, "host", &host)) || !CHECK_OK(qn_queue_create(host, &host_queue)))
        return check_finish();
    RUN(sampled_corners_are_right);
    RUN(numbers_of_states_are_right);
    RUN(bits_depend_on_the_state_alone);
    RUN(large_rotations_leave_little_force);
    RUN(inverted_elements_are_seen);
    RUN(impossible_batches_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_queue_destroy(&host_queue);
    qn_device_release(&device);
    qn_device_release(&host);
    qn_context_destroy(&context);
    return check_finish();
}
