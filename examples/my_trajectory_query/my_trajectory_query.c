/* A trajectory run with a query of the library and two user-defined queries: one is a C function, the other runs a
 * kernel family on any device.
 *
 *     my_trajectory_query TOPOLOGY TRAJECTORY OUTPUT [DEVICE]
 */
#include <math.h>
#include <quern/family.h>
#include <quern/trajectory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The state of both queries: a number for each frame ---- */

typedef struct series {
    double cutoff_nm; /* two atoms closer than this are in contact */
    double *rows;     /* time in ps, value */
    size_t count, capacity;
} series;

static size_t one_number(const void *state)
{
    (void)state;
    return 1;
}

/* Collect one frame. Frames are collected in their order, one at a time, while several threads measure frames. */
static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    series *own = state;
    if (own->count == own->capacity) {
        size_t capacity = own->capacity ? 2 * own->capacity : 1024;
        double *rows = realloc(own->rows, 2 * capacity * sizeof *rows);
        if (!rows) return qn_error_raise(QN_OUT_OF_MEMORY, "no memory for %zu frames", capacity);
        own->rows = rows;
        own->capacity = capacity;
    }
    own->rows[2 * own->count] =
        isnan(frame->time_ps) ? (double)frame->number : frame->time_ps; /* a file may have no times */
    own->rows[2 * own->count++ + 1] = partial[0];
    return QN_OK;
}

static qn_status finish_as(const series *own, const qn_query_table *table, qn_query_tables *tables)
{
    qn_status status = qn_query_tables_begin(tables, table);
    for (size_t i = 0; i < own->count && status == QN_OK; i++) status = qn_query_tables_row(tables, own->rows + 2 * i);
    return status;
}

static void destroy(void *state)
{
    series *own = state;
    free(own->rows);
    free(own);
}

/* ---- A C function: the distance between the first and the last atom of a selection ---- */

static qn_status create_ends(const qn_query_setup *setup, void **state)
{
    const uint32_t *atoms;
    size_t count;
    bool fixed;
    qn_query_setup_atoms(setup, 0, &fixed, &atoms, &count);
    if (count < 2) return qn_error_raise(QN_INVALID_ARGUMENT, "%zu atom is selected; expected 2 or more", count);
    *state = calloc(1, sizeof(series));
    return *state ? QN_OK : qn_error_raise(QN_OUT_OF_MEMORY, "no memory for a query");
}

static qn_status measure_ends(const void *state, const qn_query_frame *frame, double *partial)
{
    const float *positions = frame->frame->positions_nm;
    const float *first = positions + 3 * (size_t)frame->atoms[0][0];
    const float *last = positions + 3 * (size_t)frame->atoms[0][frame->atom_count[0] - 1];
    const double x = (double)last[0] - first[0], y = (double)last[1] - first[1], z = (double)last[2] - first[2];
    (void)state;
    partial[0] = sqrt(x * x + y * y + z * z);
    return QN_OK;
}

static qn_status finish_ends(const void *state, qn_query_tables *tables)
{
    static const qn_query_column columns[] = {{"time", "ps", 0}, {"distance", "nm", 1}};
    return finish_as(state, &(qn_query_table){"", "From the first atom to the last", columns, 2, 0, NULL}, tables);
}

static const qn_query_class ends = {.size = sizeof(qn_query_class),
                                    .name = "ends",
                                    .meaning = "distance between the first and the last atom",
                                    .selections = 1,
                                    .needs = QN_QUERY_FIXED_ATOMS,
                                    .create = create_ends,
                                    .partial_count = one_number,
                                    .measure = measure_ends,
                                    .collect = collect,
                                    .finish = finish_ends,
                                    .destroy = destroy};

/* ---- A kernel family: pairs of atoms of two selections closer than a cut-off, by nearest images ---- */

enum { GROUP_SIZE };

/* Words in capitals come from Quern; the tunable is a definition of the compiler. */
static const char source[] =
    "KERNEL void contacts(GLOBAL const float *from, GLOBAL const float *to, GLOBAL int *counts, int from_count,\n"
    "                     int to_count, float a, float b, float c, float cutoff)\n"
    "{\n"
    "    int i = GLOBAL_ID(0), count = 0;\n"
    "    if (i >= from_count) return;\n"
    "    for (int j = 0; j < to_count; j++) {\n"
    "        float x = to[3 * j] - from[3 * i], y = to[3 * j + 1] - from[3 * i + 1], z = to[3 * j + 2] - from[3 * i + "
    "2];\n"
    "        if (a > 0.0f) x = x - a * ROUND(x / a);\n"
    "        if (b > 0.0f) y = y - b * ROUND(y / b);\n"
    "        if (c > 0.0f) z = z - c * ROUND(z / c);\n"
    "        float square = x * x + y * y + z * z;\n"
    "        if (square > 0.0f && square < cutoff * cutoff) count++;\n"
    "    }\n"
    "    counts[i] = count;\n"
    "}\n";

typedef struct contacts_problem {
    int from_count, to_count;
} contacts_problem;

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    size_t group = (size_t)configuration->value[GROUP_SIZE];
    size_t items = (size_t)((const contacts_problem *)problem)->from_count;
    return (qn_geometry){{(items + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

/* The host driver runs this C function instead of the kernel. */
static qn_status contacts_host(const qn_host_launch *launch)
{
    const float *from = launch->arguments[0], *to = launch->arguments[1];
    int *counts = launch->arguments[2];
    const int from_count = *(const int *)launch->arguments[3], to_count = *(const int *)launch->arguments[4];
    const float cutoff = *(const float *)launch->arguments[8];
    for (int i = 0; i < from_count; i++) {
        counts[i] = 0;
        for (int j = 0; j < to_count; j++) {
            float square = 0;
            for (int axis = 0; axis < 3; axis++) {
                const float edge = *(const float *)launch->arguments[5 + axis];
                float difference = to[3 * j + axis] - from[3 * i + axis];
                if (edge > 0) difference = difference - edge * rintf(difference / edge);
                square += difference * difference;
            }
            counts[i] += square > 0 && square < cutoff * cutoff;
        }
    }
    return QN_OK;
}

static void work(const void *problem, qn_work *done)
{
    const contacts_problem *sizes = problem;
    *done = (qn_work){.bytes_read = 12.0 * ((double)sizes->from_count + sizes->to_count),
                      .bytes_written = 4.0 * sizes->from_count,
                      .multiply_adds = 6.0 * sizes->from_count * sizes->to_count};
}

static const qn_argument_declaration arguments[] = {
    {"from", QN_IN, QN_FLOAT32},        {"to", QN_IN, QN_FLOAT32},        {"counts", QN_OUT, QN_INT32},
    {"from_count", QN_VALUE, QN_INT32}, {"to_count", QN_VALUE, QN_INT32}, {"a", QN_VALUE, QN_FLOAT32},
    {"b", QN_VALUE, QN_FLOAT32},        {"c", QN_VALUE, QN_FLOAT32},      {"cutoff", QN_VALUE, QN_FLOAT32}};
static const qn_kernel_declaration kernels[] = {{"contacts", arguments, 9, geometry, contacts_host, work}};
static const qn_tunable tunables[] = {{"GROUP_SIZE", {32, 64, 128, 256}, 4, 64, "work-items per group"}};
static const char *const constraints[] = {"GROUP_SIZE <= device.largest_group"};
static const qn_family family = {.name = "example/contacts",
                                 .source = source,
                                 .source_path = "contacts.cl",
                                 .kernels = kernels,
                                 .kernel_count = 1,
                                 .tunables = tunables,
                                 .tunable_count = 1,
                                 .constraints = constraints,
                                 .constraint_count = 1};

/* Memory that a worker keeps from frame to frame. */
typedef struct worker {
    size_t capacity; /* atoms */
    float *positions[2];
    int *counts;
    qn_buffer *device_positions[2], *device_counts;
} worker;

static void release_buffers(worker *own)
{
    for (int which = 0; which < 2; which++) {
        free(own->positions[which]);
        qn_buffer_release(&own->device_positions[which]);
    }
    free(own->counts);
    qn_buffer_release(&own->device_counts);
    *own = (worker){0};
}

static void destroy_worker(void *scratch)
{
    release_buffers(scratch);
    free(scratch);
}

static qn_status make_room(worker *own, qn_device *device, size_t atoms)
{
    qn_status status = QN_OK;
    if (atoms <= own->capacity) return QN_OK;
    release_buffers(own);
    for (int which = 0; which < 2 && status == QN_OK; which++) {
        own->positions[which] = malloc(3 * atoms * sizeof(float));
        status = qn_buffer_create(device, 3 * atoms * sizeof(float), &own->device_positions[which]);
    }
    own->counts = malloc(atoms * sizeof(int));
    if (status == QN_OK) status = qn_buffer_create(device, atoms * sizeof(int), &own->device_counts);
    if (status == QN_OK && (!own->positions[0] || !own->positions[1] || !own->counts))
        status = qn_error_raise(QN_OUT_OF_MEMORY, "no memory for %zu atoms", atoms);
    if (status == QN_OK) own->capacity = atoms;
    return status;
}

static qn_status write_positions(worker *own, const qn_query_frame *frame, int which, int from)
{
    const size_t count = frame->atom_count[from];
    for (size_t i = 0; i < count; i++)
        memcpy(own->positions[which] + 3 * i, frame->frame->positions_nm + 3 * (size_t)frame->atoms[from][i],
               3 * sizeof(float));
    return qn_queue_write(frame->queue, own->device_positions[which], 0, own->positions[which],
                          3 * count * sizeof(float), NULL);
}

static qn_status create_contacts(const qn_query_setup *setup, void **state)
{
    const double *box = qn_query_setup_first_frame(setup)->box_nm;
    if (box[3] != 0 || box[6] != 0 || box[7] != 0)
        return qn_error_raise(QN_UNSUPPORTED, "the box is triclinic; expected a rectangular one");
    series *own = calloc(1, sizeof *own);
    if (!own) return qn_error_raise(QN_OUT_OF_MEMORY, "no memory for a query");
    own->cutoff_nm = qn_query_setup_number(setup, "cutoff");
    *state = own;
    return QN_OK;
}

static qn_status launch_contacts(worker *own, const qn_query_frame *frame, const contacts_problem *problem,
                                 double cutoff_nm)
{
    const double *box = frame->frame->box_nm;
    const size_t bytes = (size_t)problem->from_count * sizeof(int);
    const qn_argument given[] = {qn_argument_buffer(own->device_positions[0]),
                                 qn_argument_buffer(own->device_positions[1]),
                                 qn_argument_range(own->device_counts, 0, bytes),
                                 qn_argument_int32(problem->from_count),
                                 qn_argument_int32(problem->to_count),
                                 qn_argument_float32((float)box[0]),
                                 qn_argument_float32((float)box[4]),
                                 qn_argument_float32((float)box[8]),
                                 qn_argument_float32((float)cutoff_nm)};
    const qn_family_call call = {.arguments = given, .argument_count = 9, .problem = problem};
    qn_status status = qn_family_run(&family, frame->queue, &call, NULL);
    if (status == QN_OK) status = qn_queue_read(frame->queue, own->device_counts, 0, own->counts, bytes, NULL);
    return status == QN_OK ? qn_queue_finish(frame->queue) : status;
}

/* Measure a frame on a worker with its own queue, while another worker copies and measures the next frame. */
static qn_status measure_contacts(const void *state, const qn_query_frame *frame, double *partial)
{
    const int other = frame->atoms[1] ? 1 : 0;
    const contacts_problem problem = {(int)frame->atom_count[0], (int)frame->atom_count[other]};
    const int most = problem.from_count > problem.to_count ? problem.from_count : problem.to_count;
    if (problem.from_count == 0 || problem.to_count == 0) return QN_OK; /* partial results are initially 0 */
    if (!*frame->scratch) *frame->scratch = calloc(1, sizeof(worker));
    worker *own = *frame->scratch;
    if (!own) return qn_error_raise(QN_OUT_OF_MEMORY, "no memory for a worker");
    qn_status status = make_room(own, qn_queue_device(frame->queue), (size_t)most);
    if (status == QN_OK) status = write_positions(own, frame, 0, 0);
    if (status == QN_OK) status = write_positions(own, frame, 1, other);
    if (status == QN_OK) status = launch_contacts(own, frame, &problem, ((const series *)state)->cutoff_nm);
    for (int i = 0; i < problem.from_count && status == QN_OK; i++) partial[0] += own->counts[i];
    return status;
}

static qn_status finish_contacts(const void *state, qn_query_tables *tables)
{
    static const qn_query_column columns[] = {{"time", "ps", 0}, {"contacts", "", 0}};
    return finish_as(state, &(qn_query_table){"", "Contacts", columns, 2, 0, NULL}, tables);
}

static const qn_query_parameter contacts_parameters[] = {
    {"cutoff", QN_PARAMETER_LENGTH, "0.35", 0.01, 10, NULL, "distance below which two atoms are in contact"}, {0}};

static const qn_query_class contacts = {.size = sizeof(qn_query_class),
                                        .name = "contacts",
                                        .meaning = "pairs of atoms closer than a cut-off",
                                        .parameters = contacts_parameters,
                                        .selections = 2,
                                        .on_device = true,
                                        .create = create_contacts,
                                        .partial_count = one_number,
                                        .measure = measure_contacts,
                                        .scratch_destroy = destroy_worker,
                                        .collect = collect,
                                        .finish = finish_contacts,
                                        .destroy = destroy};

/* ---- The run ---- */

int main(int argc, char **argv)
{
    static const qn_query_class *const own_classes[] = {&ends, &contacts, NULL};
    static const qn_trajectory_parameter near[] = {{"cutoff", "0.35"}};
    static const qn_trajectory_query queries[] = {{.size = sizeof(qn_trajectory_query), .query_class = "gyration"},
                                                  {.size = sizeof(qn_trajectory_query), .query_class = "ends"},
                                                  {.size = sizeof(qn_trajectory_query),
                                                   .query_class = "contacts",
                                                   .select = "element O",
                                                   .parameters = near,
                                                   .parameter_count = 1}};
    if (argc < 4) {
        fprintf(stderr, "usage: my_trajectory_query TOPOLOGY TRAJECTORY OUTPUT [DEVICE]\n");
        return 2;
    }
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_result *result = NULL;
    qn_context *context = NULL;
    options.topology = argv[1];
    options.trajectories = (const char *const *)&argv[2];
    options.trajectory_count = 1;
    options.output = argv[3];
    options.run.device = argc > 4 ? argv[4] : "auto";
    options.queries = queries;
    options.query_count = 3;
    options.user_classes = own_classes;
    qn_status status = qn_context_create(NULL, &context);
    if (status == QN_OK) status = qn_trajectory_run(context, &options, &result);
    if (status == QN_OK)
        printf("%llu frames of %zu atoms, %.1f a second; see %s\n", (unsigned long long)result->frame_count,
               result->atom_count, result->frames_per_s, result->report);
    else
        fprintf(stderr, "my_trajectory_query: %s\n", qn_error_message());
    qn_trajectory_result_destroy(&result);
    qn_context_destroy(&context);
    return status == QN_OK ? 0 : 1;
}
