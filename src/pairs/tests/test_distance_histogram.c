/* devices: host opencl:0 cuda:0 checking:host */
/* distance_histogram compared with its reference on one device, count by count, in sampled corners of its space; and
 * the reference compared with double precision. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_workload.h"
#include "pairs/kernels/distance_histogram.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { FIRST = 331, SECOND = 205, ATOMS_MAX = 1200, BINS_MAX = 3000, CORNERS_MAX = 12 };

static qn_device *device;
static qn_queue *queue;
static float positions[2][3 * ATOMS_MAX], packed[2][4 * ATOMS_MAX];
static uint64_t expected[BINS_MAX], counted[BINS_MAX], near[BINS_MAX + 1];

static const double cubic[9] = {3, 0, 0, 0, 3.5, 0, 0, 0, 2.75};
static const double dodecahedron[9] = {4, 0, 0, 0, 4, 0, 2, 2, 2.8284271};
static const double skewed[9] = {5, 0, 0, 1.7, 4, 0, -2.1, 1.3, 2.5};
static const double nothing[9] = {0};
static const double *const boxes[] = {nothing, cubic, dodecahedron, skewed};
enum { BOXES = sizeof boxes / sizeof *boxes };

/* Place atoms in a cube of 8 nm, so that many lie outside of the cell. */
static void make_positions(uint64_t seed)
{
    for (int set = 0; set < 2; set++)
        for (uint64_t i = 0; i < 3 * ATOMS_MAX; i++) positions[set][i] = 4 * qn_workload_input(seed + (uint64_t)set, i);
}

static uint64_t total(const uint64_t *counts, int bins)
{
    uint64_t sum = 0;
    for (int k = 0; k < bins; k++) sum += counts[k];
    return sum;
}

/* Count packed atoms on the device, adding to `counted`. */
static qn_status count_on_device(const qn_configuration *configuration, const qn_histogram_problem *problem)
{
    static float squared_edges[BINS_MAX + 1];
    const size_t bytes[2] = {(size_t)problem->first_count * 16, (size_t)problem->second_count * 16};
    const size_t counts_bytes = (size_t)problem->bins->count * sizeof *counted;
    qn_buffer *first = NULL, *second = NULL, *edges = NULL, *cell = NULL, *counts = NULL;
    qn_histogram_bins_squared_edges(problem->bins, squared_edges);
    CHECK_OK(qn_workload_make_buffer(queue, packed[0], bytes[0] ? bytes[0] : 16, &first));
    if (bytes[1]) CHECK_OK(qn_workload_make_buffer(queue, packed[1], bytes[1], &second));
    CHECK_OK(qn_workload_make_buffer(queue, squared_edges, ((size_t)problem->bins->count + 1) * sizeof(float), &edges));
    CHECK_OK(qn_workload_make_buffer(queue, problem->cell->values, sizeof problem->cell->values, &cell));
    CHECK_OK(qn_workload_make_buffer(queue, counted, counts_bytes, &counts));
    qn_status status = qn_distance_histogram(queue, configuration, problem, first, second, edges, cell, counts, NULL);
    CHECK_OK(qn_queue_read(queue, counts, 0, counted, counts_bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(&first);
    qn_buffer_release(&second);
    qn_buffer_release(&edges);
    qn_buffer_release(&cell);
    qn_buffer_release(&counts);
    return status;
}

/* Check that the device's counts for sets of these sizes equal those of the reference. Returns their sum. */
static uint64_t check_counts(const qn_configuration *configuration, const double *vectors,
                             const qn_histogram_bins *bins, int first, int second)
{
    qn_box box;
    qn_histogram_cell cell;
    CHECK_OK(qn_box_from_vectors(vectors, &box));
    CHECK_OK(qn_histogram_cell_make(&box, &cell));
    qn_histogram_pack(&box, positions[0], NULL, (size_t)first, packed[0]);
    qn_histogram_pack(&box, positions[1], NULL, (size_t)second, packed[1]);
    const qn_histogram_problem problem = {first, second, &cell, bins, 0};
    memset(expected, 0, sizeof expected);
    memset(counted, 0, sizeof counted);
    qn_distance_histogram_reference(&problem, packed[0], second ? packed[1] : NULL, expected);
    CHECK_OK(count_on_device(configuration, &problem));
    CHECK(memcmp(counted, expected, (size_t)bins->count * sizeof *counted) == 0);
    return total(counted, bins->count);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    static const qn_histogram_bins fine = {600, false, 0.025}, coarse = {37, true, 0.04};
    ++*(int *)user;
    for (int b = 0; b < BOXES; b++) {
        CHECK(check_counts(configuration, boxes[b], &fine, FIRST, 0) == (uint64_t)FIRST * (FIRST - 1) / 2);
        CHECK(check_counts(configuration, boxes[b], &fine, FIRST, SECOND) == (uint64_t)FIRST * SECOND);
        CHECK(check_counts(configuration, boxes[b], &coarse, FIRST, 0) > 100);
    }
    return QN_OK;
}

static void counts_are_equal_in_sampled_corners(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_pairs_distance_histogram_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

/* Odd and even numbers of tiles on the ring, with incomplete last tiles. */
static void incomplete_tiles_are_counted(void)
{
    const qn_histogram_bins bins = {700, false, 0.02};
    for (int n = 0; n <= 3; n++) check_counts(NULL, cubic, &bins, n, 0);
    CHECK(check_counts(NULL, cubic, &bins, 512, 0) == 512 * 511 / 2);
    CHECK(check_counts(NULL, cubic, &bins, 513, 0) == 513 * 512 / 2);
    CHECK(check_counts(NULL, cubic, &bins, 1199, 0) == 1199 * 1198 / 2);
    CHECK(check_counts(NULL, cubic, &bins, 1025, 1) == 1025);
    CHECK(check_counts(NULL, cubic, &bins, 1, 1200) == 1200);
}

/* More bins than a group counts at once. */
static void many_bins_are_counted_in_ranges(void)
{
    const qn_histogram_bins bins = {2999, true, 0.005};
    qn_configuration configuration = qn_family_fallback(&qn_pairs_distance_histogram_family);
    CHECK(check_counts(NULL, cubic, &bins, FIRST, 0) == FIRST * (FIRST - 1) / 2);
    if (!strstr(qn_device_get_info(device)->identifier, "host")) configuration.value[4] = 512;
    CHECK(check_counts(&configuration, cubic, &bins, FIRST, 0) == FIRST * (FIRST - 1) / 2);
}

/* The root of 0 does not spoil the guess, and counts are added to those in the buffer, with a carry. */
static void atoms_at_one_point_fill_the_first_bin(void)
{
    const qn_histogram_bins bins = {400, false, 0.05};
    for (int i = 0; i < 3 * 700; i++) positions[0][i] = 1.25f;
    CHECK(check_counts(NULL, cubic, &bins, 700, 0) == 700 * 699 / 2);
    CHECK(counted[0] == 700 * 699 / 2);
    qn_box box;
    qn_histogram_cell cell;
    CHECK_OK(qn_box_from_vectors(cubic, &box));
    CHECK_OK(qn_histogram_cell_make(&box, &cell));
    const qn_histogram_problem problem = {700, 0, &cell, &bins, 0};
    counted[0] = 0xffffff00u; /* a carry into the second word */
    CHECK_OK(count_on_device(NULL, &problem));
    CHECK(counted[0] == 0xffffff00u + (uint64_t)700 * 699 / 2);
    make_positions(3);
}

/* Pairs exactly on an edge belong to the bin above, on every device. */
static void pairs_on_edges_belong_to_the_bin_above(void)
{
    const qn_histogram_bins bins = {64, false, 0.25};
    for (int i = 0; i < 3 * 40; i++) positions[0][i] = i % 3 == 0 ? 0.25f * (float)(i / 3) : 0;
    CHECK(check_counts(NULL, nothing, &bins, 40, 0) == 40 * 39 / 2);
    for (int k = 1; k < 40; k++) CHECK(counted[k] == (uint64_t)(40 - k));
    CHECK(counted[0] == 0);
    make_positions(3);
}

/* The reference compared with the definition in double precision. Cumulative counts up to an edge differ by no more
 * than the number of pairs within 4 · 2^-24 · 5 nm of that edge, where 5 nm is the largest coordinate or edge of a box.
 * There are fewer than 40 such pairs for all edges. */
static void reference_agrees_with_double_precision(void)
{
    const qn_histogram_bins bins = {2500, false, 0.006};
    static uint64_t exact[BINS_MAX];
    for (int b = 0; b < BOXES; b++) {
        qn_box box;
        int64_t difference = 0;
        memset(near, 0, sizeof near);
        memset(exact, 0, sizeof exact);
        check_counts(NULL, boxes[b], &bins, FIRST, 0);
        CHECK_OK(qn_box_from_vectors(boxes[b], &box));
        qn_distance_histogram_exact(&bins, &box, positions[0], FIRST, NULL, 0, 4 * 0x1p-24 * 5, exact, near);
        for (int k = 0; k < bins.count; k++) {
            difference += (int64_t)expected[k] - (int64_t)exact[k];
            CHECK(llabs(difference) <= (int64_t)near[k + 1]);
        }
        CHECK(total(exact, bins.count) == FIRST * (FIRST - 1) / 2 && total(near, bins.count + 1) < 40);
    }
}

/* Distances of 0.1 and 0.3 nm across the boundary, 0.2 nm inside the cell; 2.7 nm without a box. */
static void reference_takes_the_nearest_image(void)
{
    static const double box_vectors[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3};
    qn_box box;
    qn_histogram_cell cell;
    const float three[9] = {0.05f, 0, 0, 2.95f, 0, 0, 0.25f, 0, 0};
    float at[12];
    CHECK_OK(qn_box_from_vectors(box_vectors, &box));
    CHECK_OK(qn_histogram_cell_make(&box, &cell));
    qn_histogram_pack(&box, three, NULL, 3, at);
    CHECK_NEAR(sqrtf(qn_distance_histogram_square(&cell, at, at + 4)), 0.1, 1e-6);
    CHECK_NEAR(sqrtf(qn_distance_histogram_square(&cell, at, at + 8)), 0.2, 1e-6);
    CHECK_NEAR(sqrtf(qn_distance_histogram_square(&cell, at + 4, at + 8)), 0.3, 1e-6);
    const uint32_t atoms[2] = {2, 1};
    CHECK_OK(qn_box_from_vectors(nothing, &box));
    CHECK_OK(qn_histogram_cell_make(&box, &cell));
    qn_histogram_pack(&box, three, atoms, 2, at);
    CHECK_NEAR(sqrtf(qn_distance_histogram_square(&cell, at, at + 4)), 2.7, 1e-6);
}

static void impossible_bins_and_flat_boxes_are_refused(void)
{
    qn_box box;
    qn_histogram_cell cell;
    qn_histogram_bins bins = {0, false, 0.05};
    const qn_histogram_problem problem = {2, 0, &cell, &bins, 0};
    CHECK_OK(qn_box_from_vectors(nothing, &box));
    CHECK_OK(qn_histogram_cell_make(&box, &cell));
    CHECK_FAILS(qn_distance_histogram(queue, NULL, &problem, NULL, NULL, NULL, NULL, NULL, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("0 bins");
    bins = (qn_histogram_bins){10, false, 0};
    CHECK_FAILS(qn_distance_histogram(queue, NULL, &problem, NULL, NULL, NULL, NULL, NULL, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("bins of 0 nm");
    CHECK_OK(qn_box_from_vectors((const double[9]){50, 0, 0, 13.1, 47, 0, 7.7, 11.3, 0.4}, &box));
    CHECK_FAILS(qn_histogram_cell_make(&box, &cell), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("so flat");
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "pairs/distance_histogram", (const int[]){1536, 0, 0}, &work);
    CHECK_NEAR(work.local_atomics, 1536 * 1535 / 2, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    make_positions(3);
    RUN(reference_takes_the_nearest_image);
    RUN(reference_agrees_with_double_precision);
    RUN(counts_are_equal_in_sampled_corners);
    RUN(incomplete_tiles_are_counted);
    RUN(many_bins_are_counted_in_ranges);
    RUN(atoms_at_one_point_fill_the_first_bin);
    RUN(pairs_on_edges_belong_to_the_bin_above);
    RUN(impossible_bins_and_flat_boxes_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
