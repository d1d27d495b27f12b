/* Sums and centres: mass, charge, first moment, centre of mass, centre of geometry, counts. */
#include "base/error.h"
#include "base/memory.h"
#include "trajectory/query/moments.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/series.h"

typedef struct sums_state {
    qn_series series;
    qn_atom_weights weights;
    uint32_t *residues; /* residue of every atom; NULL for queries other than count */
} sums_state;

static void destroy(void *state)
{
    sums_state *sums = state;
    qn_series_clear(&sums->series);
    qn_atom_weights_clear(&sums->weights);
    qn_release(&sums->residues);
    qn_release(&sums);
}

static qn_status create_weighted(const qn_query_setup *setup, qn_weight_kind kind, const qn_series_layout *layout,
                                 void **state)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(sums_state), &memory));
    sums_state *sums = memory;
    qn_series_start(&sums->series, layout);
    qn_status status = qn_atom_weights_create(setup, 0, kind, &sums->weights);
    if (status == QN_OK)
        *state = sums;
    else
        destroy(sums);
    return status;
}

/* ---- sums of masses and of charges ---- */

static const qn_query_column mass_columns[] = {{"mass", "amu", 0}};
static const qn_series_layout mass_layout = {{{"", "Sum of masses", mass_columns, 1, 0, NULL}}};
static const qn_query_column charge_columns[] = {{"charge", "e", 0}};
static const qn_series_layout charge_layout = {{{"", "Sum of charges", charge_columns, 1, 0, NULL}}};

static qn_status create_mass(const qn_query_setup *setup, void **state)
{
    return create_weighted(setup, QN_WEIGHT_MASS, &mass_layout, state);
}

static qn_status create_charge(const qn_query_setup *setup, void **state)
{
    return create_weighted(setup, QN_WEIGHT_CHARGE, &charge_layout, state);
}

static qn_status measure_weight(const void *state, const qn_query_frame *frame, double *partial)
{
    const sums_state *sums = state;
    qn_moments moments;
    qn_moments_sum(frame, 0, &sums->weights, QN_MOMENTS_ZEROTH, &moments);
    partial[0] = moments.weight;
    return QN_OK;
}

const qn_query_class qn_query_mass = {
    .size = sizeof(qn_query_class),
    .name = "mass",
    .meaning = "sum of the masses of the selected atoms",
    .selections = 1,
    .needs = QN_QUERY_MASSES,
    .create = create_mass,
    .partial_count = qn_series_partial_count,
    .measure = measure_weight,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};

const qn_query_class qn_query_charge = {
    .size = sizeof(qn_query_class),
    .name = "charge",
    .meaning = "sum of the charges of the selected atoms",
    .selections = 1,
    .needs = QN_QUERY_CHARGES,
    .create = create_charge,
    .partial_count = qn_series_partial_count,
    .measure = measure_weight,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};

/* ---- first moment and centres ---- */

static const qn_query_column moment_columns[] = {{"x", "amu nm", 1}, {"y", "amu nm", 1}, {"z", "amu nm", 1}};
static const qn_series_layout moment_layout = {{{"", "First moment of mass", moment_columns, 3, 0, NULL}}};
static const qn_query_column centre_columns[] = {{"x", "nm", 1}, {"y", "nm", 1}, {"z", "nm", 1}};
static const qn_series_layout com_layout = {{{"", "Centre of mass", centre_columns, 3, 0, NULL}}};
static const qn_series_layout cog_layout = {{{"", "Centre of geometry", centre_columns, 3, 0, NULL}}};

static qn_status create_moment(const qn_query_setup *setup, void **state)
{
    return create_weighted(setup, QN_WEIGHT_MASS, &moment_layout, state);
}

static qn_status create_com(const qn_query_setup *setup, void **state)
{
    return create_weighted(setup, QN_WEIGHT_MASS, &com_layout, state);
}

static qn_status create_cog(const qn_query_setup *setup, void **state)
{
    return create_weighted(setup, QN_WEIGHT_ONE, &cog_layout, state);
}

static qn_status measure_moment(const void *state, const qn_query_frame *frame, double *partial)
{
    const sums_state *sums = state;
    static const double zero[3] = {0};
    qn_moments moments;
    qn_moments_sum(frame, 0, &sums->weights, QN_MOMENTS_FIRST, &moments);
    qn_moments_about(&moments, zero, partial);
    return QN_OK;
}

static qn_status measure_centre(const void *state, const qn_query_frame *frame, double *partial)
{
    const sums_state *sums = state;
    qn_moments moments;
    qn_moments_sum(frame, 0, &sums->weights, QN_MOMENTS_FIRST, &moments);
    qn_moments_centre(&moments, partial);
    return QN_OK;
}

const qn_query_class qn_query_moment = {
    .size = sizeof(qn_query_class),
    .name = "moment",
    .meaning = "first moment of mass, the sum of mass times position",
    .selections = 1,
    .needs = QN_QUERY_MASSES,
    .create = create_moment,
    .partial_count = qn_series_partial_count,
    .measure = measure_moment,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};

const qn_query_class qn_query_com = {
    .size = sizeof(qn_query_class),
    .name = "com",
    .meaning = "centre of mass",
    .selections = 1,
    .needs = QN_QUERY_MASSES,
    .create = create_com,
    .partial_count = qn_series_partial_count,
    .measure = measure_centre,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};

const qn_query_class qn_query_cog = {
    .size = sizeof(qn_query_class),
    .name = "cog",
    .meaning = "centre of geometry, the mean position",
    .selections = 1,
    .create = create_cog,
    .partial_count = qn_series_partial_count,
    .measure = measure_centre,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};

/* ---- counts ---- */

static const qn_query_column count_columns[] = {{"atoms", "", 0}, {"residues", "", 0}};
static const qn_series_layout count_layout = {{{"", "Selected atoms", count_columns, 2, 0, NULL}}};

static qn_status create_count(const qn_query_setup *setup, void **state)
{
    const qn_topology *topology = qn_query_setup_topology(setup);
    void *sums, *memory;
    QN_TRY(create_weighted(setup, QN_WEIGHT_ONE, &count_layout, &sums));
    qn_status status = qn_allocate(topology->atom_count, sizeof(uint32_t), &memory);
    if (status != QN_OK) {
        destroy(sums);
        return status;
    }
    uint32_t *residues = memory;
    for (size_t i = 0; i < topology->atom_count; i++) residues[i] = topology->atoms[i].residue;
    ((sums_state *)sums)->residues = residues;
    *state = sums;
    return QN_OK;
}

/* Atoms ascend, and the atoms of a residue are consecutive. */
static qn_status measure_count(const void *state, const qn_query_frame *frame, double *partial)
{
    const uint32_t *residues = ((const sums_state *)state)->residues, *atoms = frame->atoms[0];
    size_t count = frame->atom_count[0], changes = 0;
    for (size_t i = 1; i < count; i++) changes += residues[atoms[i]] != residues[atoms[i - 1]];
    partial[0] = (double)count;
    partial[1] = (double)(changes + (count > 0));
    return QN_OK;
}

const qn_query_class qn_query_count = {
    .size = sizeof(qn_query_class),
    .name = "count",
    .meaning = "number of selected atoms and of residues they belong to",
    .selections = 1,
    .create = create_count,
    .partial_count = qn_series_partial_count,
    .measure = measure_count,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};
