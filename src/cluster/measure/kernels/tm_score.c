#include "cluster/measure/kernels/tm_score.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/tm_score.dev.h"

extern const char qn_cluster_tm_score_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_cluster_tm_score_host);

_Static_assert((int)SCORE_TM == (int)QN_SCORE_TM && (int)SCORE_GDT == (int)QN_SCORE_GDT &&
                   (int)SCORE_MAXSUB == (int)QN_SCORE_MAXSUB,
               "the kernel's objectives are those of the plan");
_Static_assert(sizeof(score_scalars) == 9 * 4, "no padding");

enum { GROUP_SIZE, RESIDENT };

static double items(const qn_tm_score_problem *problem)
{
    return (double)problem->row_count * problem->column_count * problem->plan->seed_count;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE], all = (size_t)items(user);
    return (qn_geometry){{(all + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

/* Work of the evaluations that no phase leaves out. Each takes 15 operations for the distance of an atom, 12 for its
 * term and weight, and 19 for the sums. */
static void work(const void *user, qn_work *least)
{
    const qn_tm_score_problem *problem = user;
    const qn_score_plan *plan = problem->plan;
    double evaluations = 0;
    for (int p = 0; p < plan->phase_count; p++)
        evaluations += MIN((double)plan->phases[p][2], (double)SCORE_LEAST_EVALUATIONS);
    const double structures = problem->triangle ? problem->row_count : problem->row_count + problem->column_count;
    const double share = problem->triangle ? 0.5 : 1;
    *least = (qn_work){.bytes_read = 16.0 * structures * plan->atom_count,
                       .bytes_written =
                           4.0 * qn_score_results(plan->score) * problem->row_count * problem->column_count * share,
                       .multiply_adds = 46.0 * evaluations * items(problem) * share * plan->atom_count};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_tm_score_host)[0](launch);
}

static const qn_argument_declaration arguments[SCORE_ARGUMENTS] = {
    [SCORE_ROWS] = {"rows", QN_IN, QN_FLOAT32},
    [SCORE_COLUMNS] = {"columns", QN_IN, QN_FLOAT32},
    [SCORE_SEEDS] = {"seeds", QN_IN, QN_INT32},
    [SCORE_PHASES] = {"phases", QN_IN, QN_FLOAT32},
    [SCORE_RESULTS] = {"results", QN_INOUT, QN_UINT32},
    [SCORE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(score_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"score_pairs", arguments, SCORE_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group"},
    [RESIDENT] = {"RESIDENT", {1, 2, 4, 8}, 4, 4, "groups at once on a compute unit, at least"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "GROUP_SIZE * RESIDENT <= 1024", /* 64 registers for each work-item of a GPU */
    "!device.is_host || (GROUP_SIZE == 128 && RESIDENT == 4)",
};

const qn_family qn_cluster_tm_score_family = {
    .name = "cluster/tm_score",
    .source = qn_cluster_tm_score_source,
    .source_path = "cluster/measure/kernels/tm_score.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "OBJECTIVE=1",
};

void qn_tm_score_problem_class(const qn_score_plan *plan, char text[64])
{
    static const char *const names[] = {[QN_SCORE_TM] = "tm", [QN_SCORE_GDT] = "gdt", [QN_SCORE_MAXSUB] = "maxsub"};
    const int atoms = plan->atom_count;
    snprintf(text, 64, "score=%s atoms=%s", names[plan->score], atoms < 100 ? "100" : atoms < 400 ? "400" : "many");
}

static qn_status check(const qn_tm_score_problem *problem)
{
    if (problem->row_count < 1 || problem->column_count < 1 || items(problem) >= 0x7fffff00)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "cluster/tm_score: %d × %d structures and %d seeds; expected 1 to 2^31 − 257 work-items",
                       problem->row_count, problem->column_count, problem->plan->seed_count);
    if (problem->triangle && problem->row_count != problem->column_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "cluster/tm_score: a triangle of %d rows and %d columns; expected as many",
                       problem->row_count, problem->column_count);
    return QN_OK;
}

qn_status qn_tm_score(qn_queue *queue, const qn_configuration *configuration, const qn_tm_score_problem *problem,
                      qn_buffer *rows, qn_buffer *columns, qn_buffer *seeds, qn_buffer *phases, qn_buffer *results,
                      qn_event **event)
{
    static const char *const definitions[] = {"OBJECTIVE=0", "OBJECTIVE=1", "OBJECTIVE=2"};
    const qn_score_plan *plan = problem->plan;
    char problem_class[64];
    QN_TRY(check(problem));
    const score_scalars scalars = {.row_count = problem->row_count,
                                   .column_count = problem->column_count,
                                   .row_stride = problem->row_stride,
                                   .column_stride = problem->column_stride,
                                   .atom_count = plan->atom_count,
                                   .seed_count = plan->seed_count,
                                   .phase_count = plan->phase_count,
                                   .objective = (int)plan->score,
                                   .triangle = problem->triangle};
    const qn_argument values[SCORE_ARGUMENTS] = {
        [SCORE_ROWS] = qn_argument_buffer(rows),       [SCORE_COLUMNS] = qn_argument_buffer(columns),
        [SCORE_SEEDS] = qn_argument_buffer(seeds),     [SCORE_PHASES] = qn_argument_buffer(phases),
        [SCORE_RESULTS] = qn_argument_buffer(results), [SCORE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_tm_score_problem_class(plan, problem_class);
    const qn_family_call call = {.arguments = values,
                                 .argument_count = SCORE_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .definitions = definitions[plan->score],
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_tm_score_family, queue, &call, event);
}

qn_status qn_tm_score_pair(const qn_score_plan *plan, const float *a, const float *b, float *results)
{
    const score_scalars scalars = {.row_count = 1,
                                   .column_count = 1,
                                   .atom_count = plan->atom_count,
                                   .seed_count = plan->seed_count,
                                   .phase_count = plan->phase_count,
                                   .objective = (int)plan->score};
    const void *const values[SCORE_ARGUMENTS] = {[SCORE_ROWS] = a,
                                                 [SCORE_COLUMNS] = b,
                                                 [SCORE_SEEDS] = plan->seeds,
                                                 [SCORE_PHASES] = plan->phases,
                                                 [SCORE_RESULTS] = results,
                                                 [SCORE_SCALARS] = &scalars};
    const qn_host_launch launch = {.arguments = (void *const *)values};
    for (int k = 0; k < qn_score_results(plan->score); k++) results[k] = 0;
    return host(&launch);
}

void qn_tm_score_pack(const float *structure, size_t atoms, float *packed)
{
    for (size_t axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (size_t i = 0; i < atoms; i++) sum += (double)structure[axis * atoms + i];
        for (size_t i = 0; i < atoms; i++)
            packed[4 * i + axis] = (float)((double)structure[axis * atoms + i] - sum / (double)atoms);
    }
    for (size_t i = 0; i < atoms; i++) packed[4 * i + 3] = 0;
}
