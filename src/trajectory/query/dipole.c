/* Dipole moment of a selection, dipoles of its molecules, and the static dielectric constant from the fluctuations of
 * the dipole moment. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/box.h"
#include "trajectory/query/blocks.h"
#include "trajectory/query/molecules.h"
#include "trajectory/query/moments.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/series.h"
#include "trajectory/query/setup.h"
#include "trajectory/query/tables.h"

/* e² / (ε₀ k_B), in nm K: (1.602176634e-19)² / (8.8541878128e-12 · 1.380649e-23) · 1e9. */
static const double FLUCTUATION_NM_K = 1.602176634e-19 * 1.602176634e-19 / (8.8541878128e-12 * 1.380649e-23) * 1e9;

enum { SHOWN = 8, VOLUME = SHOWN, MOLECULES, DIPOLES, SQUARES, ROW }; /* values of a frame, before its histogram */

typedef enum dipole_origin { ORIGIN_COM, ORIGIN_COG, ORIGIN_ZERO } dipole_origin;

typedef struct dipole_state {
    qn_series series;
    qn_molecules molecules;
    dipole_origin origin;
    double temperature_k, bin_debye;
    size_t bins;
    double *histogram; /* molecules of each bin, then molecules beyond the last bin; summed over frames */
} dipole_state;

static const qn_query_parameter parameters[] = {
    {"origin", QN_PARAMETER_CHOICE, "com", 0, 0, "com cog zero",
     "point that the dipole is taken about; matters where the selection has a net charge"},
    {"temperature", QN_PARAMETER_NUMBER, "300", 1e-3, 1e6, NULL, "temperature of the dielectric constant, K"},
    {"max", QN_PARAMETER_NUMBER, "5", 1e-3, 1e6, NULL, "largest molecular dipole of the distribution, D"},
    {"bin", QN_PARAMETER_NUMBER, "0.01", 1e-6, 1e6, NULL, "width of a bin of the distribution, D"},
    {0},
};
static const qn_query_column columns[SHOWN] = {
    {"Mx", "e nm", 1}, {"My", "e nm", 1}, {"Mz", "e nm", 1}, {"|M|", "e nm", 1},
    {"Mx", "D", 0},    {"My", "D", 0},    {"Mz", "D", 0},    {"|M|", "D", 0},
};
static const qn_series_layout layout = {{{"", "Dipole moment", columns, SHOWN, 4, NULL}}};

static void destroy(void *state)
{
    dipole_state *dipole = state;
    qn_series_clear(&dipole->series);
    qn_molecules_clear(&dipole->molecules);
    qn_release(&dipole->histogram);
    qn_release(&dipole);
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    dipole_state *dipole = state;
    const char *origin = qn_query_setup_text(setup, "origin");
    const double most = qn_query_setup_number(setup, "max");
    void *memory;
    qn_series_start(&dipole->series, &layout);
    dipole->series.value_count = ROW;
    dipole->origin = strcmp(origin, "zero") == 0 ? ORIGIN_ZERO : strcmp(origin, "cog") == 0 ? ORIGIN_COG : ORIGIN_COM;
    dipole->temperature_k = qn_query_setup_number(setup, "temperature");
    dipole->bin_debye = qn_query_setup_number(setup, "bin");
    const double bins = ceil(most / dipole->bin_debye - 1e-9);
    if (bins > 1e6)
        return QN_FAIL(QN_INVALID_ARGUMENT, "bin is %g D, which makes %.0f bins up to %g D; expected at most a million",
                       dipole->bin_debye, bins, most);
    dipole->bins = (size_t)bins;
    QN_TRY(qn_molecules_create(setup, true, &dipole->molecules));
    QN_TRY(qn_allocate(dipole->bins + 1, sizeof *dipole->histogram, &memory));
    dipole->histogram = memory;
    return QN_OK;
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(dipole_state), fill, destroy, state);
}

static size_t partial_count(const void *state)
{
    return ROW + ((const dipole_state *)state)->bins + 1;
}

static void find_origin(const dipole_state *dipole, const qn_query_frame *frame, const qn_molecule_sums *total,
                        double origin[3])
{
    static const qn_atom_weights ones = {0};
    qn_moments moments;
    memset(origin, 0, 3 * sizeof *origin);
    if (dipole->origin == ORIGIN_COM) (void)qn_molecule_centre(total, origin);
    if (dipole->origin == ORIGIN_COG) {
        qn_moments_sum(frame, 0, &ones, QN_MOMENTS_FIRST, &moments);
        qn_moments_centre(&moments, origin);
    }
}

/* Add the sums of up to a block of molecules to `total`, and the dipole of each molecule to the histogram. */
static void add_molecules(const dipole_state *dipole, const qn_molecule_sums *sums, size_t count,
                          qn_molecule_sums *total, double *partial)
{
    const double bins = (double)dipole->bins;
    double *histogram = partial + ROW, dipoles[QN_ATOM_BLOCK], molecules = 0, sum = 0, squares = 0;
    qn_molecule_sums all = {0};
    dipole->molecules.sums->find_dipoles(sums, count, dipoles);
    for (size_t k = 0; k < count; k++) {
        qn_molecule_sums_add(&sums[k], &all);
        if (dipoles[k] < 0) continue;
        const double debye = dipoles[k] * QN_DEBYE_PER_E_NM, bin = debye / dipole->bin_debye;
        molecules++;
        sum += debye;
        squares += debye * debye;
        histogram[bin < bins ? (size_t)bin : dipole->bins]++;
    }
    qn_molecule_sums_add(&all, total);
    partial[MOLECULES] += molecules;
    partial[DIPOLES] += sum;
    partial[SQUARES] += squares;
}

static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const dipole_state *dipole = state;
    const qn_molecule_sums *sums;
    qn_molecule_sums total = {0};
    qn_molecule_walk walk;
    double origin[3];
    qn_box box;
    QN_TRY(qn_box_from_vectors(frame->frame->box_nm, &box));
    QN_TRY(qn_molecule_walk_start(&dipole->molecules, frame, &walk));
    memset(partial, 0, partial_count(state) * sizeof *partial);
    for (size_t count; (count = qn_molecule_walk_next(&walk, &sums)) > 0;)
        add_molecules(dipole, sums, count, &total, partial);
    find_origin(dipole, frame, &total, origin);
    partial[3] = qn_molecule_dipole(&total, origin, partial);
    for (int k = 0; k < 4; k++) partial[4 + k] = partial[k] * QN_DEBYE_PER_E_NM;
    partial[VOLUME] = box.volume_nm3;
    return QN_OK;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    dipole_state *dipole = state;
    QN_TRY(qn_series_collect(state, frame, partial));
    for (size_t k = 0; k <= dipole->bins; k++) dipole->histogram[k] += partial[ROW + k];
    return QN_OK;
}

/* ---- tables ---- */

/* Means over the frames so far. */
typedef struct fluctuation {
    double frames, moment[3], square, volume, molecules, dipole, dipole_square;
} fluctuation;

enum { EPSILON, FINITE_G, INFINITE_G, MEAN_SQUARE, SQUARE_MEAN, FLUCTUATION_COLUMNS };

static void add_frame(const double *row, fluctuation *sums)
{
    sums->frames++;
    for (int axis = 0; axis < 3; axis++) sums->moment[axis] += row[axis];
    sums->square += row[3] * row[3];
    sums->volume += row[VOLUME];
    sums->molecules += row[MOLECULES];
    sums->dipole += row[DIPOLES];
    sums->dipole_square += row[SQUARES];
}

/* ε = 1 + (⟨M²⟩ − ⟨M⟩²) / (3 ε₀ V k_B T) with a conducting boundary (Neumann 1983). Kirkwood's factors with the mean
 * molecular dipole μ: G_k = (⟨M²⟩ − ⟨M⟩²) / (N μ²), and g_k of an infinite sample from
 * (ε − 1)(2ε + 1) / (3 ε) = N μ² g_k / (3 ε₀ V k_B T). */
static void evaluate(const fluctuation *sums, double temperature_k, double values[FLUCTUATION_COLUMNS])
{
    const double n = sums->frames, square = sums->square / n, volume = sums->volume / n;
    double mean = 0;
    for (int axis = 0; axis < 3; axis++) mean += (sums->moment[axis] / n) * (sums->moment[axis] / n);
    const double dipole = sums->dipole / sums->molecules / QN_DEBYE_PER_E_NM;
    const double alone = sums->molecules / n * dipole * dipole, unit = FLUCTUATION_NM_K / (3 * volume * temperature_k);
    const double epsilon = 1 + unit * (square - mean);
    values[EPSILON] = epsilon;
    values[FINITE_G] = (square - mean) / alone;
    values[INFINITE_G] = (epsilon - 1) * (2 * epsilon + 1) / (3 * epsilon) / (unit * alone);
    values[MEAN_SQUARE] = square * QN_DEBYE_PER_E_NM * QN_DEBYE_PER_E_NM;
    values[SQUARE_MEAN] = mean * QN_DEBYE_PER_E_NM * QN_DEBYE_PER_E_NM;
}

/* Errors of the quantities by leaving out one block of frames after the other. Frames after the last whole block are in
 * none of them. */
static void find_errors(const dipole_state *dipole, double errors[FLUCTUATION_COLUMNS])
{
    const qn_series *series = &dipole->series;
    const size_t length = qn_blocks_length(series->row_count), blocks = series->row_count / length;
    double without[FLUCTUATION_COLUMNS][QN_BLOCKS_MOST];
    for (size_t block = 0; block < blocks; block++) {
        fluctuation sums = {0};
        double values[FLUCTUATION_COLUMNS] = {0};
        for (size_t row = 0; row < blocks * length; row++)
            if (row / length != block) add_frame(qn_series_values(series, row), &sums);
        if (sums.frames > 0) evaluate(&sums, dipole->temperature_k, values);
        for (int k = 0; k < FLUCTUATION_COLUMNS; k++) without[k][block] = values[k];
    }
    for (int k = 0; k < FLUCTUATION_COLUMNS; k++) errors[k] = qn_blocks_jackknife(without[k], blocks);
}

static qn_status add_numbers(const dipole_state *dipole, const double values[FLUCTUATION_COLUMNS],
                             qn_query_tables *tables)
{
    static const char *const labels[] = {"dielectric constant", "Kirkwood factor G_k", "Kirkwood factor g_k"};
    double errors[FLUCTUATION_COLUMNS];
    find_errors(dipole, errors);
    for (int k = EPSILON; k <= INFINITE_G; k++) {
        char error[64];
        snprintf(error, sizeof error, QN_ERROR_COLUMN, labels[k]);
        QN_TRY(qn_query_tables_number(tables, labels[k], values[k], "", 0));
        if (isfinite(errors[k])) QN_TRY(qn_query_tables_number(tables, error, errors[k], "", 0));
    }
    return QN_OK;
}

static qn_status finish_fluctuation(const dipole_state *dipole, qn_query_tables *tables)
{
    static const qn_query_column shown[] = {{"dielectric constant", "", 0},
                                            {"G_k", "", 0},
                                            {"g_k", "", 0},
                                            {"mean of M squared", "D²", 0},
                                            {"square of mean M", "D²", 0}};
    const qn_query_table table = {.name = "epsilon",
                                  .title = "Static dielectric constant",
                                  .columns = shown,
                                  .column_count = FLUCTUATION_COLUMNS,
                                  .plotted = 1,
                                  .note = "Running means over the frames so far; conducting boundary."};
    const qn_series *series = &dipole->series;
    double values[FLUCTUATION_COLUMNS] = {0};
    fluctuation sums = {0};
    for (size_t row = 0; row < series->row_count; row++)
        if (!(qn_series_values(series, row)[VOLUME] > 0)) return QN_OK;
    QN_TRY(qn_series_begin(series, tables, &table));
    for (size_t row = 0; row < series->row_count; row++) {
        add_frame(qn_series_values(series, row), &sums);
        evaluate(&sums, dipole->temperature_k, values);
        QN_TRY(qn_series_row(series, tables, row, values, FLUCTUATION_COLUMNS));
    }
    return series->row_count < 2 ? QN_OK : add_numbers(dipole, values, tables);
}

static qn_status finish_distribution(const dipole_state *dipole, qn_query_tables *tables)
{
    static const qn_query_column shown[] = {
        {"dipole of a molecule", "D", 0}, {"probability density", "1/D", 0}, {"molecules per frame", "", 0}};
    const qn_query_table table = {.name = "distribution",
                                  .title = "Distribution of molecular dipoles",
                                  .columns = shown,
                                  .column_count = 3,
                                  .plotted = 1};
    const qn_series *series = &dipole->series;
    fluctuation sums = {0};
    for (size_t row = 0; row < series->row_count; row++) add_frame(qn_series_values(series, row), &sums);
    QN_TRY(qn_query_tables_begin(tables, &table));
    for (size_t k = 0; k < dipole->bins && series->row_count > 0; k++) {
        const double row[3] = {((double)k + 0.5) * dipole->bin_debye,
                               sums.molecules > 0 ? dipole->histogram[k] / sums.molecules / dipole->bin_debye : 0,
                               dipole->histogram[k] / sums.frames};
        QN_TRY(qn_query_tables_row(tables, row));
    }
    if (!(sums.molecules > 0)) return QN_OK;
    QN_TRY(qn_query_tables_number(tables, "mean molecular dipole", sums.dipole / sums.molecules, "D", 0));
    QN_TRY(qn_query_tables_number(tables, "root mean square molecular dipole",
                                  sqrt(sums.dipole_square / sums.molecules), "D", 0));
    return qn_query_tables_number(tables, "molecules beyond the distribution, of all",
                                  dipole->histogram[dipole->bins] / sums.molecules, "", 0);
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    QN_TRY(qn_series_finish(state, tables));
    QN_TRY(finish_fluctuation(state, tables));
    return finish_distribution(state, tables);
}

const qn_query_class qn_query_dipole = {
    .size = sizeof(qn_query_class),
    .name = "dipole",
    .meaning = "dipole moment, distribution of molecular dipoles, static dielectric constant",
    .parameters = parameters,
    .tables = "epsilon distribution",
    .selections = 1,
    .needs = QN_QUERY_MASSES | QN_QUERY_CHARGES | QN_QUERY_WHOLE,
    .create = create,
    .partial_count = partial_count,
    .measure = measure,
    .scratch_destroy = qn_molecules_scratch_destroy,
    .collect = collect,
    .finish = finish,
    .destroy = destroy,
};
