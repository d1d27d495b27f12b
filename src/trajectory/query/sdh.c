/* Spatial distance histogram: number of pairs of atoms per distance bin. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pairs/distance_tree.h"
#include "runtime/device.h"
#include "trajectory/query/pair_atoms.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/setup.h"

typedef struct sdh_state {
    qn_histogram_bins bins;
    bool periodic;
    double most_unresolved; /* share of all pairs; 0: exact */
    double *sums;           /* pairs of each bin, pairs beyond the bins, unresolved pairs; summed over frames */
    size_t frame_count;
} sdh_state;

static const qn_query_parameter parameters[] = {
    {"bin", QN_PARAMETER_LENGTH, "0.05", 1e-6, 1e3, NULL, "width of a bin"},
    {"max", QN_PARAMETER_LENGTH, "0", 0, 1e6, NULL,
     "largest distance; 0: enough for all distances in the first frame, with a margin"},
    {"pbc", QN_PARAMETER_CHOICE, "yes", 0, 0, "yes no",
     "distances are those of nearest images where frames have a box"},
    {"approximate", QN_PARAMETER_NUMBER, "0", 0, 1, NULL,
     "count groups of atoms on the CPU, with at most this share of pairs in a wrong bin; 0: count every pair"},
    {0},
};

static void destroy(void *state)
{
    sdh_state *sdh = state;
    qn_release(&sdh->sums);
    qn_release(&sdh);
}

/* Nearest images are within half a diagonal of the cell, to which a tenth is added because boxes change during a run.
 * Without a box, the diagonal of the atoms' bounding box is doubled, as atoms may move apart. */
static qn_status largest_distance(const qn_trajectory_frame *frame, bool periodic, double *most_nm)
{
    double square = 0;
    qn_box box = {0};
    if (periodic) QN_TRY(qn_box_from_vectors(frame->box_nm, &box));
    for (int axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < frame->atom_count; i++) {
            low = fminf(low, frame->positions_nm[3 * i + (size_t)axis]);
            high = fmaxf(high, frame->positions_nm[3 * i + (size_t)axis]);
        }
        const double extent = box.shape != QN_BOX_NONE ? 0.55 * box.vectors_nm[axis][axis]
                              : frame->atom_count      ? 2 * ((double)high - low)
                                                       : 0;
        square += extent * extent;
    }
    if (!isfinite(square))
        return QN_FAIL(QN_BAD_FORMAT,
                       "frame %llu has positions that are not finite; expected numbers, or a largest distance max",
                       (unsigned long long)frame->number);
    *most_nm = sqrt(square);
    return QN_OK;
}

static qn_status check_approximation(const qn_query_setup *setup, sdh_state *sdh)
{
    qn_box box = {0};
    sdh->most_unresolved = qn_query_setup_number(setup, "approximate");
    if (sdh->most_unresolved == 0 || !sdh->periodic) return QN_OK;
    QN_TRY(qn_box_from_vectors(qn_query_setup_first_frame(setup)->box_nm, &box));
    if (box.shape == QN_BOX_TRICLINIC)
        return QN_FAIL(QN_UNSUPPORTED,
                       "approximate is %g and the box is triclinic; expected a rectangular box, or approximate 0",
                       sdh->most_unresolved);
    return QN_OK;
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    sdh_state *sdh = state;
    const double width = qn_query_setup_number(setup, "bin");
    double most = qn_query_setup_number(setup, "max");
    void *memory;
    sdh->periodic = strcmp(qn_query_setup_text(setup, "pbc"), "yes") == 0;
    if (most == 0) QN_TRY(largest_distance(qn_query_setup_first_frame(setup), sdh->periodic, &most));
    QN_TRY(qn_pair_counts_bins(width, fmax(most, width), false, &sdh->bins));
    QN_TRY(check_approximation(setup, sdh));
    QN_TRY(qn_allocate((size_t)sdh->bins.count + 2, sizeof *sdh->sums, &memory));
    sdh->sums = memory;
    return QN_OK;
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(sdh_state), fill, destroy, state);
}

static size_t partial_count(const void *state)
{
    return (size_t)((const sdh_state *)state)->bins.count + 2;
}

/* Number of atoms that are in both selections: an atom makes no pair with itself. */
static size_t count_common(const qn_query_frame *frame)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < frame->atom_count[0] && j < frame->atom_count[1];) {
        const uint32_t a = frame->atoms[0][i], b = frame->atoms[1][j];
        common += a == b;
        i += a <= b;
        j += b <= a;
    }
    return common;
}

/* Count the pairs of each bin, and the pairs beyond the last bin. */
static qn_status count_exactly(const sdh_state *sdh, const qn_box *box, const qn_query_frame *frame, uint64_t *counts)
{
    const uint64_t first = frame->atom_count[0], second = frame->atom_count[1];
    const qn_pair_atoms atoms = qn_query_pair_atoms(frame);
    const qn_pair_request request = {.bins = &sdh->bins, .box = box, .atoms = &atoms, .queue = frame->queue};
    QN_TRY(qn_pair_counts_count(frame->scratch, &request, counts));
    uint64_t beyond =
        qn_pair_counts_is_unordered(&atoms) ? first * (first - 1) / 2 : first * second - count_common(frame);
    for (int k = 0; k < sdh->bins.count; k++) beyond -= counts[k];
    counts[sdh->bins.count] = beyond;
    return QN_OK;
}

static qn_status count_about(const sdh_state *sdh, const qn_box *box, const qn_query_frame *frame, uint64_t *counts,
                             uint64_t *unresolved)
{
    qn_pool *pool = qn_context_pool(qn_device_context(qn_queue_device(frame->queue)));
    const qn_pair_atoms atoms = qn_query_pair_atoms(frame);
    const qn_distance_tree_request request = {.bins = &sdh->bins,
                                              .box = box,
                                              .atoms = &atoms,
                                              .unordered = qn_pair_counts_is_unordered(&atoms),
                                              .most_unresolved = sdh->most_unresolved};
    return qn_distance_tree_count(&request, pool, counts, unresolved);
}

/* The partial result: pairs of each bin, pairs beyond the last bin, pairs that may be in a wrong bin. */
static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const sdh_state *sdh = state;
    const size_t bins = (size_t)sdh->bins.count;
    qn_box box = {0};
    uint64_t unresolved = 0;
    void *memory;
    if (sdh->periodic) QN_TRY(qn_box_from_vectors(frame->frame->box_nm, &box));
    QN_TRY(qn_allocate(bins + 1, sizeof(uint64_t), &memory));
    uint64_t *counts = memory;
    qn_status status = sdh->most_unresolved > 0 ? count_about(sdh, &box, frame, counts, &unresolved)
                                                : count_exactly(sdh, &box, frame, counts);
    for (size_t k = 0; k <= bins; k++) partial[k] = (double)counts[k];
    partial[bins + 1] = (double)unresolved;
    qn_release(&counts);
    return status;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    sdh_state *sdh = state;
    (void)frame;
    for (int k = 0; k <= sdh->bins.count + 1; k++) sdh->sums[k] += partial[k];
    sdh->frame_count++;
    return QN_OK;
}

static qn_status tell_bound(const sdh_state *sdh, qn_query_tables *tables)
{
    double pairs = 0;
    for (int k = 0; k <= sdh->bins.count; k++) pairs += sdh->sums[k];
    const double share = pairs > 0 ? sdh->sums[sdh->bins.count + 1] / pairs : 0;
    return qn_query_tables_number(tables, "unresolved share of pairs", share, "", 0);
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    const sdh_state *sdh = state;
    const double frames = sdh->frame_count ? (double)sdh->frame_count : 1;
    static const qn_query_column columns[] = {{"r", "nm", 1}, {"pairs per frame", "", 0}, {"pairs in all", "", 0}};
    const qn_query_table table = {.name = "",
                                  .title = "Spatial distance histogram",
                                  .columns = columns,
                                  .column_count = 3,
                                  .plotted = 1,
                                  .note = "r is the middle of a bin; each unordered pair is counted once."};
    QN_TRY(qn_query_tables_begin(tables, &table));
    for (int k = 0; k < sdh->bins.count; k++) {
        const double row[3] = {(k + 0.5) * sdh->bins.width_nm, sdh->sums[k] / frames, sdh->sums[k]};
        QN_TRY(qn_query_tables_row(tables, row));
    }
    QN_TRY(qn_query_tables_number(tables, "pairs per frame beyond the last bin", sdh->sums[sdh->bins.count] / frames,
                                  "", 0));
    return sdh->most_unresolved > 0 ? tell_bound(sdh, tables) : QN_OK;
}

const qn_query_class qn_query_sdh = {
    .size = sizeof(qn_query_class),
    .name = "sdh",
    .meaning = "spatial distance histogram of all pairs within a selection or between two",
    .parameters = parameters,
    .selections = 2,
    .on_device = true,
    .create = create,
    .partial_count = partial_count,
    .measure = measure,
    .scratch_destroy = qn_pair_counts_destroy,
    .collect = collect,
    .finish = finish,
    .destroy = destroy,
};
