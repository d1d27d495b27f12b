/* Mean square displacement from the first frame, and the diffusion coefficient of its slope. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/box.h"
#include "trajectory/molecules.h"
#include "trajectory/queries.h"
#include "trajectory/series.h"

enum { TOTAL, X, Y, Z, VALUES };

typedef struct msd_state {
    qn_series series;
    bool of_molecules, axes[3];
    qn_molecules molecules; /* when of molecules */
    uint32_t *molecule_of;  /* particle, its molecule */
    size_t count;           /* of particles: atoms or molecules */
    double *last, *moved;   /* count × 3, nm: where a particle was in the last frame; how far it is from the first */
    double fit_begin_ps, fit_end_ps;
} msd_state;

static const qn_query_parameter parameters[] = {
    {"of", QN_PARAMETER_CHOICE, "atoms", 0, 0, "atoms molecules",
     "what moves: the selected atoms, or the centres of mass of their molecules, which must be whole"},
    {"axes", QN_PARAMETER_CHOICE, "xyz", 0, 0, "xyz x y z xy xz yz", "directions that are summed"},
    {"fit-begin", QN_PARAMETER_NUMBER, "", 0, 1e30, NULL,
     "start of the line that the diffusion coefficient is fitted to, ps from the first frame; a tenth of the run"},
    {"fit-end", QN_PARAMETER_NUMBER, "", 0, 1e30, NULL, "its end; nine tenths of the run"},
    {0},
};
static const qn_query_column columns[] = {{"MSD", "nm²", 2}, {"x", "nm²", 2}, {"y", "nm²", 2}, {"z", "nm²", 2}};
static const qn_series_layout layout = {{{"", "Mean square displacement", columns, VALUES, 1, NULL}}};

static void destroy(void *state)
{
    msd_state *msd = state;
    qn_series_clear(&msd->series);
    qn_molecules_clear(&msd->molecules);
    qn_release(&msd->molecule_of);
    qn_release(&msd->last);
    qn_release(&msd->moved);
    qn_release(&msd);
}

/* The molecules that have selected atoms with mass, ascending. */
static qn_status list_molecules(const qn_query_setup *setup, const uint32_t *atoms, size_t atom_count, msd_state *msd)
{
    const qn_topology *topology = qn_query_setup_topology(setup);
    void *memory, *seen_memory;
    QN_TRY(qn_molecules_create(setup, false, &msd->molecules));
    QN_TRY(qn_allocate(topology->molecule_count, sizeof *msd->molecule_of, &memory));
    msd->molecule_of = memory;
    QN_TRY(qn_allocate(topology->molecule_count, sizeof(bool), &seen_memory));
    bool *seen = seen_memory;
    for (size_t i = 0; i < atom_count; i++)
        if (topology->atoms[atoms[i]].mass_u > 0) seen[topology->atoms[atoms[i]].molecule] = true;
    msd->count = 0;
    for (size_t k = 0; k < topology->molecule_count; k++)
        if (seen[k]) msd->molecule_of[msd->count++] = (uint32_t)k;
    qn_release(&seen_memory);
    return QN_OK;
}

static qn_status fill(const qn_query_setup *setup, msd_state *msd)
{
    const char *axes = qn_query_setup_text(setup, "axes");
    const uint32_t *atoms;
    bool fixed;
    void *memory;
    qn_series_start(&msd->series, &layout);
    for (int axis = 0; axis < 3; axis++) msd->axes[axis] = strchr(axes, 'x' + axis) != NULL;
    msd->fit_begin_ps = qn_query_setup_number(setup, "fit-begin");
    msd->fit_end_ps = qn_query_setup_number(setup, "fit-end");
    if (msd->fit_begin_ps >= msd->fit_end_ps)
        QN_FAIL(QN_INVALID_ARGUMENT, "fit-begin is %g ps and fit-end %g ps; expected a begin before the end",
                msd->fit_begin_ps, msd->fit_end_ps);
    msd->of_molecules = strcmp(qn_query_setup_text(setup, "of"), "molecules") == 0;
    qn_query_setup_atoms(setup, 0, &fixed, &atoms, &msd->count);
    if (msd->of_molecules) QN_TRY(list_molecules(setup, atoms, msd->count, msd));
    QN_TRY(qn_allocate(msd->count, 3 * sizeof(double), &memory));
    msd->last = memory;
    QN_TRY(qn_allocate(msd->count, 3 * sizeof(double), &memory));
    msd->moved = memory;
    return QN_OK;
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(msd_state), &memory));
    qn_status status = fill(setup, memory);
    if (status == QN_OK)
        *state = memory;
    else
        destroy(memory);
    return status;
}

/* Where every particle is: steps can be taken in frame order alone. */
static size_t partial_count(const void *state)
{
    return 3 * ((const msd_state *)state)->count;
}

static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const msd_state *msd = state;
    qn_molecule_sums *sums;
    if (!msd->of_molecules) {
        for (size_t i = 0; i < msd->count; i++) {
            const float *p = frame->frame->positions_nm + 3 * (size_t)frame->atoms[0][i];
            for (int axis = 0; axis < 3; axis++) partial[3 * i + axis] = p[axis];
        }
        return QN_OK;
    }
    QN_TRY(qn_molecules_sum(&msd->molecules, frame, &sums));
    for (size_t i = 0; i < msd->count; i++) (void)qn_molecule_centre(&sums[msd->molecule_of[i]], partial + 3 * i);
    return QN_OK;
}

/* Steps go to the nearest image in the box of this frame, which leaves the right displacements where boxes change too
 * (Bullerjahn et al. 2023). */
static void take_steps(msd_state *msd, const qn_box *box, const double *now)
{
    double half[3];
    for (int axis = 0; axis < 3; axis++)
        half[axis] = box->shape == QN_BOX_NONE ? INFINITY : box->vectors_nm[axis][axis] / 2;
    for (size_t i = 0; i < msd->count; i++) {
        double step[3];
        bool wraps = box->shape == QN_BOX_TRICLINIC;
        for (int axis = 0; axis < 3; axis++) {
            step[axis] = now[3 * i + axis] - msd->last[3 * i + axis];
            wraps |= fabs(step[axis]) > half[axis];
        }
        if (wraps) qn_box_displacement(box, msd->last + 3 * i, now + 3 * i, step);
        for (int axis = 0; axis < 3; axis++) {
            msd->moved[3 * i + axis] += step[axis];
            msd->last[3 * i + axis] = now[3 * i + axis];
        }
    }
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    msd_state *msd = state;
    double values[VALUES] = {0};
    qn_box box;
    QN_TRY(qn_box_from_vectors(frame->box_nm, &box));
    if (msd->series.row_count == 0)
        memcpy(msd->last, partial, 3 * msd->count * sizeof *partial);
    else
        take_steps(msd, &box, partial);
    for (size_t i = 0; i < msd->count; i++)
        for (int axis = 0; axis < 3; axis++) values[X + axis] += msd->moved[3 * i + axis] * msd->moved[3 * i + axis];
    for (int axis = 0; axis < 3; axis++) {
        values[X + axis] /= (double)msd->count;
        if (msd->axes[axis]) values[TOTAL] += values[X + axis];
    }
    return qn_series_collect(state, frame, values);
}

/* Slope of the least-squares line through rows whose time from the first lies in a range; NaN for fewer than two. */
static double fit_slope(const qn_series *series, double begin_ps, double end_ps)
{
    const double start_ps = qn_series_x(series, 0);
    double n = 0, t = 0, v = 0, tt = 0, tv = 0;
    for (int pass = 0; pass < 2; pass++) {
        const double t_mean = pass ? t / n : 0, v_mean = pass ? v / n : 0;
        for (size_t row = 0; row < series->row_count; row++) {
            const double time = qn_series_x(series, row) - start_ps, value = qn_series_values(series, row)[TOTAL];
            if (!(time >= begin_ps && time <= end_ps)) continue;
            if (pass == 0) {
                n++;
                t += time;
                v += value;
            } else {
                tt += (time - t_mean) * (time - t_mean);
                tv += (time - t_mean) * (value - v_mean);
            }
        }
    }
    return n < 2 ? NAN : tv / tt;
}

/* Einstein: MSD = 2 d D t in d dimensions; the error is how far the slopes of both halves are apart. 1 nm²/ps is
 * 1000 · 10⁻⁵ cm²/s. */
static qn_status finish(const void *state, qn_query_tables *tables)
{
    const msd_state *msd = state;
    const qn_series *series = &msd->series;
    QN_TRY(qn_series_finish(state, tables));
    if (series->untimed || series->row_count < 2) return QN_OK;
    const double length_ps = qn_series_x(series, series->row_count - 1) - qn_series_x(series, 0);
    const double slack = 1e-6 * length_ps; /* times are rounded */
    const double begin_ps = (isnan(msd->fit_begin_ps) ? 0.1 * length_ps : msd->fit_begin_ps) - slack;
    const double end_ps = (isnan(msd->fit_end_ps) ? 0.9 * length_ps : msd->fit_end_ps) + slack;
    const double middle_ps = (begin_ps + end_ps) / 2;
    const double scale = 1000 / (2.0 * (msd->axes[0] + msd->axes[1] + msd->axes[2]));
    const double error = fabs(fit_slope(series, begin_ps, middle_ps) - fit_slope(series, middle_ps, end_ps));
    QN_TRY(qn_query_tables_number(tables, "diffusion coefficient", scale * fit_slope(series, begin_ps, end_ps),
                                  "1e-5 cm²/s", 0));
    return qn_query_tables_number(tables, "difference of its halves", scale * error, "1e-5 cm²/s", 0);
}

const qn_query_class qn_query_msd = {
    .name = "msd",
    .meaning = "mean square displacement from the first frame, diffusion coefficient",
    .parameters = parameters,
    .selections = 1,
    .needs = QN_QUERY_FIXED_ATOMS,
    .create = create,
    .partial_count = partial_count,
    .measure = measure,
    .scratch_destroy = qn_molecules_scratch_destroy,
    .collect = collect,
    .finish = finish,
    .destroy = destroy,
};
