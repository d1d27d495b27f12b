/* devices: host opencl:0 cuda:0 checking:host */
/* Searches for best superpositions on one device, compared with the same search in double precision, and with the host
 * bit by bit. */
#include "check.h"

#include "check_workload.h"
#include "cluster/measure/kernels/tm_score.h"
#include "cluster/measure/tests/models.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { COUNT = 13, ATOMS_MAX = 150, CORNERS_MAX = 12 };

static qn_device *device;
static qn_queue *queue, *host_queue;
static float packed[COUNT * 4 * ATOMS_MAX], found[4 * COUNT * COUNT], on_host[4 * COUNT * COUNT];

static void make_packed(size_t atoms)
{
    float *models = make_models(COUNT, atoms, 3);
    if (!CHECK(models != NULL)) return;
    for (size_t k = 0; k < COUNT; k++) qn_tm_score_pack(models + k * 3 * atoms, atoms, packed + k * 4 * atoms);
    free(models);
}

/* rows: structures 0 … rows − 1; columns: the last `columns` structures, or the rows themselves for a triangle. */
static void run_on(qn_queue *where, const qn_configuration *configuration, const qn_tm_score_problem *problem,
                   float *results)
{
    const size_t atoms = (size_t)problem->plan->atom_count, structure = 16 * atoms;
    const size_t first_column = problem->triangle ? 0 : COUNT - (size_t)problem->column_count;
    const size_t seed_bytes = 8 * (size_t)problem->plan->seed_count;
    qn_buffer *rows = NULL, *columns = NULL, *seeds = NULL, *phases = NULL, *out = NULL;
    memset(results, 0, sizeof found);
    CHECK_OK(qn_workload_make_buffer(where, packed, (size_t)problem->row_count * structure, &rows));
    CHECK_OK(qn_workload_make_buffer(where, packed + first_column * 4 * atoms,
                                     (size_t)problem->column_count * structure, &columns));
    CHECK_OK(qn_workload_make_buffer(where, problem->plan->seeds, seed_bytes, &seeds));
    CHECK_OK(qn_workload_make_buffer(where, problem->plan->phases, sizeof problem->plan->phases, &phases));
    CHECK_OK(qn_workload_make_buffer(where, results, sizeof found, &out));
    CHECK_OK(qn_tm_score(where, configuration, problem, rows, columns, seeds, phases, out, NULL));
    CHECK_OK(qn_workload_read(where, out, 0, results, sizeof found));
    qn_buffer_release(&rows);
    qn_buffer_release(&columns);
    qn_buffer_release(&seeds);
    qn_buffer_release(&phases);
    qn_buffer_release(&out);
}

static void compare(const qn_configuration *configuration, qn_score score, int rows, int columns, size_t atoms)
{
    qn_score_plan plan;
    make_packed(atoms);
    CHECK_OK(qn_score_plan_make(score, atoms, (double)atoms, &plan));
    const int results = qn_score_results(score);
    const qn_tm_score_problem problem = {.plan = &plan,
                                         .row_count = rows,
                                         .column_count = columns ? columns : rows,
                                         .row_stride = columns ? 1 : rows,
                                         .column_stride = columns ? rows : 1,
                                         .triangle = columns == 0};
    run_on(queue, configuration, &problem, found);
    run_on(host_queue, NULL, &problem, on_host);
    CHECK(memcmp(found, on_host, sizeof found) == 0);
    /* The two precisions may take different ways at a plateau: counts may differ by an atom or two. */
    const double tolerance = score == QN_SCORE_TM ? 0.002 : 2.0 / (double)atoms;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < problem.column_count; column++) {
            const float *value = found + results * (row * problem.row_stride + column * problem.column_stride);
            const int structure = columns ? COUNT - columns + column : column;
            double expected[4], sum = 0;
            if (problem.triangle && row >= column) {
                CHECK(value[0] == 0);
                continue;
            }
            CHECK_OK(qn_tm_score_reference(&plan, packed + (size_t)row * 4 * atoms,
                                           packed + (size_t)structure * 4 * atoms, expected));
            for (int k = 0; k < results; k++) sum += expected[k] / (results * (double)atoms);
            CHECK_NEAR((double)qn_score_value(score, value, (double)atoms), sum, tolerance);
        }
    qn_score_plan_clear(&plan);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    compare(configuration, QN_SCORE_TM, 3, 2, 61);
    compare(configuration, QN_SCORE_GDT, 3, 0, 40);
    return QN_OK;
}

static void corners_agree_with_the_reference(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_cluster_tm_score_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

static void sizes_agree_with_the_reference(void)
{
    for (int score = QN_SCORE_TM; score <= QN_SCORE_MAXSUB; score++) {
        compare(NULL, (qn_score)score, 5, 0, ATOMS_MAX);
        compare(NULL, (qn_score)score, 1, 4, 17);
        compare(NULL, (qn_score)score, 4, 1, 3);
    }
}

static void impossible_problems_are_refused(void)
{
    qn_score_plan plan;
    CHECK_FAILS(qn_score_plan_make(QN_SCORE_TM, 2, 2, &plan), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("2 atoms");
    CHECK_OK(qn_score_plan_make(QN_SCORE_TM, 100, 100, &plan));
    const qn_tm_score_problem many = {.plan = &plan, .row_count = 20000, .column_count = 20000};
    CHECK_FAILS(qn_tm_score(queue, NULL, &many, NULL, NULL, NULL, NULL, NULL, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("20000 × 20000");
    qn_score_plan_clear(&plan);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "cluster/tm_score", (const int[]){12, 50, 0}, &work);
    CHECK(work.multiply_adds > 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    qn_device *host = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    CHECK_OK(qn_device_open(context, "host", &host));
    CHECK_OK(qn_queue_create(host, &host_queue));
    RUN(sizes_agree_with_the_reference);
    RUN(corners_agree_with_the_reference);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_queue_destroy(&host_queue);
    qn_device_release(&device);
    qn_device_release(&host);
    qn_context_destroy(&context);
    return check_finish();
}
