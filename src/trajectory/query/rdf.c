/* Radial distribution function and coordination number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

#include "trajectory/query/blocks.h"
#include "trajectory/query/pair_atoms.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/setup.h"

/* Values of a frame after its counts: N_A (atoms of the first selection), V, N_A N_B, N_A N_B / V. */
enum { ATOMS, VOLUME, PAIRS, PAIR_DENSITY, FACTS };

typedef struct rdf_state {
    qn_histogram_bins bins;
    bool other_molecules, mean_volume;
    double complete_nm; /* radius up to which shells are complete, if `max` is larger; else 0 */
    double *sums;       /* ordered pairs of each bin, then the facts; summed over frames */
    qn_blocks blocks;   /* of the same */
    size_t frame_count;
} rdf_state;

static const qn_query_parameter parameters[] = {
    {"bin", QN_PARAMETER_LENGTH, "0.01", 1e-6, 1e3, NULL, "width of a bin"},
    {"max", QN_PARAMETER_LENGTH, "0", 0, 1e6, NULL, "largest distance; 0: half the box"},
    {"centred", QN_PARAMETER_FLAG, "no", 0, 0, NULL,
     "bins lie around multiples of their width, as those of gmx rdf, instead of between them"},
    {"norm", QN_PARAMETER_CHOICE, "frame-volume", 0, 0, "frame-volume mean-volume",
     "volume for the expected number of pairs: that of each frame, as in gmx rdf, or the mean over frames, as in "
     "MDAnalysis"},
    {"exclude", QN_PARAMETER_FLAG, "no", 0, 0, NULL, "leave pairs of the same molecule out"},
    {0},
};

static void destroy(void *state)
{
    rdf_state *rdf = state;
    qn_blocks_clear(&rdf->blocks);
    qn_release(&rdf->sums);
    qn_release(&rdf);
}

/* Radius of the sphere inscribed in the first frame's cell: within it, every spherical shell is complete. Infinite
 * without a box. */
static qn_status half_box(const qn_trajectory_frame *frame, double *most_nm)
{
    qn_box box;
    QN_TRY(qn_box_from_vectors(frame->box_nm, &box));
    *most_nm = box.shape == QN_BOX_NONE ? INFINITY : box.inscribed_radius_nm;
    return QN_OK;
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    rdf_state *rdf = state;
    const double width = qn_query_setup_number(setup, "bin");
    double most = qn_query_setup_number(setup, "max");
    void *memory;
    rdf->other_molecules = qn_query_setup_flag(setup, "exclude");
    rdf->mean_volume = strcmp(qn_query_setup_text(setup, "norm"), "mean-volume") == 0;
    double half;
    const qn_trajectory_frame *first = qn_query_setup_first_frame(setup);
    QN_TRY(half_box(first, &half));
    if (most == 0 && isinf(half))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "frame %llu has no box; expected one, as a radial distribution is per volume",
                       (unsigned long long)first->number);
    if (most == 0) most = fmax(floor(half / width), 1) * width; /* whole bins only */
    if (most > half + width) {
        rdf->complete_nm = half;
        qn_log(QN_LOG_WARNING, "query rdf: --max is %g nm, but shells beyond %.4g nm, half the box, are incomplete",
               most, half);
    }
    QN_TRY(qn_pair_counts_bins(width, most, qn_query_setup_flag(setup, "centred"), &rdf->bins));
    QN_TRY(qn_allocate((size_t)rdf->bins.count + FACTS, sizeof *rdf->sums, &memory));
    rdf->sums = memory;
    return qn_blocks_create((size_t)rdf->bins.count + FACTS, &rdf->blocks);
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(rdf_state), fill, destroy, state);
}

static size_t partial_count(const void *state)
{
    return (size_t)((const rdf_state *)state)->bins.count + FACTS;
}

static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const rdf_state *rdf = state;
    const size_t bins = (size_t)rdf->bins.count;
    const qn_pair_atoms atoms = qn_query_pair_atoms(frame);
    const bool unordered = qn_pair_counts_is_unordered(&atoms);
    double *facts = partial + bins;
    qn_box box;
    void *memory;
    QN_TRY(qn_box_from_vectors(frame->frame->box_nm, &box));
    if (box.shape == QN_BOX_NONE)
        return QN_FAIL(QN_BAD_FORMAT, "frame %llu has no box; expected one, as a radial distribution is per volume",
                       (unsigned long long)frame->frame->number);
    QN_TRY(qn_allocate(bins, sizeof(uint64_t), &memory));
    uint64_t *counts = memory;
    const qn_pair_request request = {.bins = &rdf->bins,
                                     .box = &box,
                                     .atoms = &atoms,
                                     .queue = frame->queue,
                                     .other_molecules = rdf->other_molecules};
    qn_status status = qn_pair_counts_count(frame->scratch, &request, counts);
    for (size_t k = 0; k < bins; k++) partial[k] = (unordered ? 2 : 1) * (double)counts[k];
    facts[ATOMS] = (double)frame->atom_count[0];
    facts[VOLUME] = box.volume_nm3;
    facts[PAIRS] = facts[ATOMS] * (double)frame->atom_count[unordered ? 0 : 1];
    facts[PAIR_DENSITY] = facts[PAIRS] / box.volume_nm3;
    qn_release(&counts);
    return status;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    rdf_state *rdf = state;
    (void)frame;
    for (size_t k = 0; k < partial_count(state); k++) rdf->sums[k] += partial[k];
    qn_blocks_add(&rdf->blocks, partial);
    rdf->frame_count++;
    return QN_OK;
}

/* Expected number of pairs per volume of a shell if atoms lay at random, summed over frames: Σ N_A N_B / V, or
 * Σ N_A N_B / ⟨V⟩. */
static double expected_density(const rdf_state *rdf, const double *sums, size_t frames)
{
    const double *facts = sums + rdf->bins.count;
    if (!rdf->mean_volume) return facts[PAIR_DENSITY];
    return facts[VOLUME] > 0 ? facts[PAIRS] * (double)frames / facts[VOLUME] : 0;
}

/* g of a bin, from sums over some frames. */
static double distribution(const rdf_state *rdf, const double *sums, size_t frames, int bin)
{
    static const double pi = 3.14159265358979323846;
    const double inner = qn_histogram_bins_edge(&rdf->bins, bin), outer = qn_histogram_bins_edge(&rdf->bins, bin + 1);
    const double shell = 4 * pi / 3 * (outer * outer * outer - inner * inner * inner);
    const double density = expected_density(rdf, sums, frames);
    return density > 0 ? sums[bin] / (density * shell) : 0;
}

static double error_of(const rdf_state *rdf, int bin)
{
    const qn_blocks *blocks = &rdf->blocks;
    double values[QN_BLOCKS_MOST];
    for (size_t i = 0; i < blocks->count; i++)
        values[i] = distribution(rdf, qn_blocks_sums(blocks, i), blocks->length, bin);
    return qn_blocks_error(values, blocks->count);
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    static const qn_query_column columns[] = {{"r", "nm", 1},
                                              {"g(r)", "", 0},
                                              {"coordination number", "", 0},
                                              {"pairs in all", "", 0},
                                              {"error of g(r)", "", 0}};
    static const char note[] =
        "r is the middle of a bin; the coordination number goes to the bin's upper edge; pairs are ordered.";
    const rdf_state *rdf = state;
    char longer[256];
    snprintf(longer, sizeof longer, "%s Beyond %.4g nm, half the box, shells are incomplete, and g(r) falls.", note,
             rdf->complete_nm);
    const qn_query_table table = {.name = "",
                                  .title = "Radial distribution function",
                                  .columns = columns,
                                  .column_count = 5,
                                  .plotted = 1,
                                  .note = rdf->complete_nm > 0 ? longer : note};
    const double atoms = rdf->sums[rdf->bins.count + ATOMS];
    double pairs = 0;
    QN_TRY(qn_query_tables_begin(tables, &table));
    for (int k = 0; k < rdf->bins.count; k++) {
        const double inner = qn_histogram_bins_edge(&rdf->bins, k), outer = qn_histogram_bins_edge(&rdf->bins, k + 1);
        pairs += rdf->sums[k];
        const double row[5] = {rdf->bins.centred ? k * rdf->bins.width_nm : (inner + outer) / 2,
                               distribution(rdf, rdf->sums, rdf->frame_count, k), atoms > 0 ? pairs / atoms : 0,
                               rdf->sums[k], error_of(rdf, k)};
        QN_TRY(qn_query_tables_row(tables, row));
    }
    return QN_OK;
}

const qn_query_class qn_query_rdf = {
    .size = sizeof(qn_query_class),
    .name = "rdf",
    .meaning = "radial distribution function and coordination number, within a selection or between two",
    .parameters = parameters,
    .selections = 2,
    .needs = QN_QUERY_BOX,
    .on_device = true,
    .create = create,
    .partial_count = partial_count,
    .measure = measure,
    .scratch_destroy = qn_pair_counts_destroy,
    .collect = collect,
    .finish = finish,
    .destroy = destroy,
};
