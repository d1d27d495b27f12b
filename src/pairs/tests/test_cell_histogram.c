/* devices: host opencl:0 cuda:0 checking:host */
/* Histograms of pairs from cell lists, compared with the reference of all pairs, count by count, on one device. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_workload.h"
#include "pairs/kernels/cell_histogram.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { ATOMS_MAX = 3000, BINS_MAX = 2100, CORNERS_MAX = 12 };

static qn_device *device;
static qn_queue *queue;
static float positions[2][3 * ATOMS_MAX], packed[2][4 * ATOMS_MAX], squared_edges[BINS_MAX + 1];
static uint64_t expected[BINS_MAX], counted[BINS_MAX];
static qn_pair_cells cells;

static const double cubic[9] = {4, 0, 0, 0, 5, 0, 0, 0, 4.5};
static const double dodecahedron[9] = {5, 0, 0, 0, 5, 0, 2.5, 2.5, 3.5355339};
static const double skewed[9] = {6, 0, 0, 2.1, 5, 0, -2.7, 1.6, 4};
static const double *const boxes[] = {cubic, dodecahedron, skewed};
enum { BOXES = sizeof boxes / sizeof *boxes };

/* Place atoms uniformly in a cube of 10 nm, but every third one in a cube of 0.8 nm. */
static void make_positions(void)
{
    for (int set = 0; set < 2; set++)
        for (uint64_t i = 0; i < 3 * ATOMS_MAX; i++)
            positions[set][i] = (i / 3 % 3 ? 5.0f : 0.4f) * qn_workload_input(5 + (uint64_t)set, i);
}

static qn_status count_on_device(const qn_configuration *configuration, const qn_cell_histogram_problem *problem)
{
    const qn_histogram_problem *histogram = &problem->histogram;
    const size_t counts_bytes = (size_t)histogram->bins->count * sizeof *counted;
    qn_buffer *first = NULL, *second = NULL, *tasks = NULL, *edges = NULL, *cell = NULL, *counts = NULL;
    CHECK_OK(qn_workload_make_buffer(queue, cells.sets[0].packed, (size_t)histogram->first_count * 16, &first));
    if (histogram->second_count)
        CHECK_OK(qn_workload_make_buffer(queue, cells.sets[1].packed, (size_t)histogram->second_count * 16, &second));
    CHECK_OK(qn_workload_make_buffer(queue, cells.tasks, cells.task_count * sizeof *cells.tasks, &tasks));
    CHECK_OK(qn_workload_make_buffer(queue, squared_edges, sizeof squared_edges, &edges));
    CHECK_OK(qn_workload_make_buffer(queue, histogram->cell->values, sizeof histogram->cell->values, &cell));
    CHECK_OK(qn_workload_make_buffer(queue, counted, counts_bytes, &counts));
    qn_status status =
        qn_cell_histogram(queue, configuration, problem, first, second, tasks, edges, cell, counts, NULL);
    CHECK_OK(qn_queue_read(queue, counts, 0, counted, counts_bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&first);
    qn_buffer_release(&second);
    qn_buffer_release(&tasks);
    qn_buffer_release(&edges);
    qn_buffer_release(&cell);
    qn_buffer_release(&counts);
    return status;
}

/* Check that the device's counts equal those of all pairs. Returns the share of all pairs that the tasks have. */
static double check_counts(const qn_configuration *configuration, const double *vectors, const qn_histogram_bins *bins,
                           int first, int second)
{
    qn_box box;
    qn_histogram_cell cell;
    CHECK_OK(qn_box_from_vectors(vectors, &box));
    CHECK_OK(qn_histogram_cell_make(&box, &cell));
    qn_histogram_pack(&box, positions[0], NULL, (size_t)first, packed[0]);
    qn_histogram_pack(&box, positions[1], NULL, (size_t)second, packed[1]);
    qn_histogram_bins_squared_edges(bins, squared_edges);
    const double most = qn_histogram_bins_edge(bins, bins->count);
    const float *other = second ? packed[1] : NULL;
    CHECK_OK(qn_pair_cells_sort(&cells, &box, most, packed[0], (size_t)first, other, (size_t)second));
    const qn_cell_histogram_problem problem = {{first, second, &cell, bins, 0}, (int)cells.task_count, cells.pairs};
    memset(expected, 0, sizeof expected);
    memset(counted, 0, sizeof counted);
    qn_distance_histogram_reference(&problem.histogram, packed[0], other, expected);
    CHECK_OK(count_on_device(configuration, &problem));
    CHECK(memcmp(counted, expected, (size_t)bins->count * sizeof *counted) == 0);
    return cells.pairs / (second ? (double)first * second : 0.5 * first * first);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    static const qn_histogram_bins bins = {80, false, 0.01}, fine = {1300, true, 0.001};
    ++*(int *)user;
    for (int b = 0; b < BOXES; b++) {
        check_counts(configuration, boxes[b], &bins, 1100, 0);
        check_counts(configuration, boxes[b], &fine, 600, 431);
    }
    return QN_OK;
}

static void counts_are_equal_in_sampled_corners(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_pairs_cell_histogram_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

/* Distances from 0.4 nm, which reach over one small cell, to 3 nm, which reach over all of them; from one atom on. */
static void counts_are_equal_for_every_reach(void)
{
    static const double widths[] = {0.004, 0.01, 0.017, 0.022, 0.03};
    for (int b = 0; b < BOXES; b++)
        for (int w = 0; w < 5; w++) {
            const qn_histogram_bins bins = {100, false, widths[w]};
            for (int n = 1; n <= 2000; n = 3 * n + 1) {
                check_counts(NULL, boxes[b], &bins, n, 0);
                check_counts(NULL, boxes[b], &bins, n, 700);
            }
        }
}

static void short_distances_compute_few_pairs(void)
{
    const qn_histogram_bins bins = {50, false, 0.01};
    qn_box box;
    for (int b = 0; b < BOXES; b++) {
        CHECK(check_counts(NULL, boxes[b], &bins, 3000, 0) < 0.35);
        CHECK_OK(qn_box_from_vectors(boxes[b], &box));
        CHECK(qn_pair_cells_pay(&box, 0.5, 3000, 0));
        CHECK(!qn_pair_cells_pay(&box, 3, 3000, 0));
        CHECK(!qn_pair_cells_pay(&box, 0.5, 100, 100));
    }
    box.shape = QN_BOX_NONE;
    CHECK(!qn_pair_cells_pay(&box, 0.5, 3000, 0));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    make_positions();
    RUN(short_distances_compute_few_pairs);
    RUN(counts_are_equal_for_every_reach);
    RUN(counts_are_equal_in_sampled_corners);
    qn_pair_cells_clear(&cells);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
