/* Mean square displacement, from one starting frame or averaged over many, and the diffusion coefficient from its
 * slope. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/box.h"
#include "trajectory/query/molecules.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/setup.h"

/* Sums over the pairs of a starting frame and a later frame that are this lag apart. */
typedef struct msd_lag {
    double starts, time, squares[3]; /* number of pairs; ps; nm², each term the mean over particles */
} msd_lag;

typedef struct msd_start {
    double time;
    double *moved; /* count × 3, nm: displacement of each particle since the first frame */
} msd_start;

typedef struct msd_state {
    bool of_molecules, axes[3], untimed;
    qn_molecules molecules; /* used if of_molecules is set */
    uint32_t *molecule_of;  /* molecule of each particle, if of_molecules is set */
    size_t count;           /* number of particles: atoms or molecules */
    double *last, *moved;   /* count × 3, nm: position in the last frame; displacement since the first frame */
    double fit_begin_ps, fit_end_ps, restart_ps, longest_ps;
    msd_start *starts; /* starting frames that are still followed, oldest first */
    size_t start_count, start_capacity;
    msd_lag *lags;
    size_t lag_count, lag_capacity;
    size_t frame_count;
    double first, step; /* time of the first frame; time from it to the second. If untimed, in frame numbers */
} msd_state;

static const qn_query_parameter parameters[] = {
    {"of", QN_PARAMETER_CHOICE, "atoms", 0, 0, "atoms molecules",
     "particles: the selected atoms, or the centres of mass of their molecules, which are made whole"},
    {"axes", QN_PARAMETER_CHOICE, "xyz", 0, 0, "xyz x y z xy xz yz", "directions that are summed"},
    {"restart", QN_PARAMETER_NUMBER, "", 1e-9, 1e30, NULL,
     "time between the starting frames of the average, ps; if left out, the first frame alone"},
    {"longest", QN_PARAMETER_NUMBER, "", 0, 1e30, NULL,
     "longest time that displacements are followed, which bounds memory, ps; if left out, the whole run"},
    {"fit-begin", QN_PARAMETER_NUMBER, "", 0, 1e30, NULL,
     "start of the fitted line that gives the diffusion coefficient, ps; if left out, a tenth of the longest time"},
    {"fit-end", QN_PARAMETER_NUMBER, "", 0, 1e30, NULL,
     "end of this line, ps; if left out, nine tenths of the longest time"},
    {0},
};

static void destroy(void *state)
{
    msd_state *msd = state;
    qn_molecules_clear(&msd->molecules);
    qn_release(&msd->molecule_of);
    qn_release(&msd->last);
    qn_release(&msd->moved);
    for (size_t k = 0; k < msd->start_count; k++) qn_release(&msd->starts[k].moved);
    qn_release(&msd->starts);
    qn_release(&msd->lags);
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

static qn_status fill(const qn_query_setup *setup, void *state)
{
    msd_state *msd = state;
    const char *axes = qn_query_setup_text(setup, "axes");
    const uint32_t *atoms;
    bool fixed;
    void *memory;
    for (int axis = 0; axis < 3; axis++) msd->axes[axis] = strchr(axes, 'x' + axis) != NULL;
    msd->fit_begin_ps = qn_query_setup_number(setup, "fit-begin");
    msd->fit_end_ps = qn_query_setup_number(setup, "fit-end");
    msd->restart_ps = qn_query_setup_number(setup, "restart");
    msd->longest_ps = qn_query_setup_number(setup, "longest");
    if (isnan(msd->longest_ps)) msd->longest_ps = INFINITY;
    if (msd->fit_begin_ps >= msd->fit_end_ps)
        return QN_FAIL(QN_INVALID_ARGUMENT, "fit-begin is %g ps and fit-end %g ps; expected a begin before the end",
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
    return qn_query_state_create(setup, sizeof(msd_state), fill, destroy, state);
}

/* A partial result is the positions of all particles, because displacements are added up in the order of frames. */
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

/* Add each particle's step to the nearest image in the box of this frame. The displacements are right for changing
 * boxes too (Bullerjahn et al. 2023). */
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

/* ---- displacements from starting frames ---- */

static qn_status add_start(msd_state *msd, double time)
{
    void *memory = msd->starts;
    QN_TRY(qn_grow(&memory, &msd->start_capacity, msd->start_count + 1, sizeof *msd->starts));
    msd->starts = memory;
    QN_TRY(qn_allocate(msd->count, 3 * sizeof(double), &memory));
    memcpy(memory, msd->moved, msd->count * 3 * sizeof(double));
    msd->starts[msd->start_count++] = (msd_start){time, memory};
    return QN_OK;
}

static void drop_old_starts(msd_state *msd, double time)
{
    size_t old = 0;
    while (old < msd->start_count && time - msd->starts[old].time > msd->longest_ps + 1e-3 * msd->step)
        qn_release(&msd->starts[old++].moved);
    msd->start_count -= old;
    if (old) memmove(msd->starts, msd->starts + old, msd->start_count * sizeof *msd->starts);
}

/* Find the lag of a time: displacements whose times round to the same number of steps are averaged. */
static qn_status find_lag(msd_state *msd, double time, msd_lag **lag)
{
    const double steps = msd->step > 0 ? round(time / msd->step) : 0; /* 0 in the first frame */
    void *memory = msd->lags;
    if (!(steps >= 0 && steps < 1e8))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%g ps lie between two frames and %g ps between the first two; expected times that grow", time,
                       msd->step);
    const size_t place = (size_t)steps;
    QN_TRY(qn_grow(&memory, &msd->lag_capacity, place + 1, sizeof *msd->lags));
    msd->lags = memory;
    while (msd->lag_count <= place) msd->lags[msd->lag_count++] = (msd_lag){0};
    *lag = &msd->lags[place];
    return QN_OK;
}

static void add_displacement(const msd_state *msd, const msd_start *start, double time, msd_lag *lag)
{
    double x = 0, y = 0, z = 0;
#pragma omp simd reduction(+ : x, y, z)
    for (size_t i = 0; i < msd->count; i++) {
        const double dx = msd->moved[3 * i] - start->moved[3 * i], dy = msd->moved[3 * i + 1] - start->moved[3 * i + 1],
                     dz = msd->moved[3 * i + 2] - start->moved[3 * i + 2];
        x += dx * dx;
        y += dy * dy;
        z += dz * dz;
    }
    lag->starts++;
    lag->time += time - start->time;
    lag->squares[0] += x / (double)msd->count;
    lag->squares[1] += y / (double)msd->count;
    lag->squares[2] += z / (double)msd->count;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    msd_state *msd = state;
    qn_box box;
    QN_TRY(qn_box_from_vectors(frame->box_nm, &box));
    if (msd->frame_count == 0) msd->untimed = isnan(frame->time_ps);
    const double time = msd->untimed ? (double)frame->number : frame->time_ps;
    if (msd->untimed ? !isnan(msd->restart_ps) : isnan(time))
        return QN_FAIL(QN_INVALID_ARGUMENT, "frame %llu has no time; expected one in every frame%s",
                       (unsigned long long)frame->number,
                       msd->untimed ? " where restart is given" : ", as in the first");
    if (msd->frame_count == 0) {
        memcpy(msd->last, partial, 3 * msd->count * sizeof *partial);
        msd->first = time;
    } else {
        take_steps(msd, &box, partial);
    }
    if (msd->frame_count == 1) msd->step = time - msd->first;
    if (msd->frame_count == 1 && !(msd->step > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the first two frames are at %g ps and %g ps; expected times that grow",
                       msd->first, time);
    /* times are rounded, so allow a thousandth of a step */
    if (msd->frame_count == 0 ||
        (msd->start_count > 0 && time - msd->starts[msd->start_count - 1].time >= msd->restart_ps - 1e-3 * msd->step))
        QN_TRY(add_start(msd, time));
    msd->frame_count++;
    drop_old_starts(msd, time);
    for (size_t k = 0; k < msd->start_count; k++) {
        msd_lag *lag = NULL;
        QN_TRY(find_lag(msd, time - msd->starts[k].time, &lag));
        add_displacement(msd, &msd->starts[k], time, lag);
    }
    return QN_OK;
}

/* ---- tables ---- */

enum { TIME, TOTAL, X, Y, Z, STARTS, COLUMNS };

static void fill_row(const msd_state *msd, const msd_lag *lag, double row[COLUMNS])
{
    row[TIME] = lag->time / lag->starts;
    row[TOTAL] = 0;
    for (int axis = 0; axis < 3; axis++) {
        row[X + axis] = lag->squares[axis] / lag->starts;
        if (msd->axes[axis]) row[TOTAL] += row[X + axis];
    }
    row[STARTS] = lag->starts;
}

typedef struct msd_fit {
    size_t rows;
    double slope; /* nm²/ps; NaN for fewer than two rows */
} msd_fit;

/* Least-squares line through the rows in a range of times. */
static msd_fit fit_line(const msd_state *msd, double begin_ps, double end_ps)
{
    double n = 0, t = 0, v = 0, tt = 0, tv = 0;
    for (int pass = 0; pass < 2; pass++) {
        const double t_mean = pass ? t / n : 0, v_mean = pass ? v / n : 0;
        for (size_t k = 0; k < msd->lag_count; k++) {
            double row[COLUMNS];
            fill_row(msd, &msd->lags[k], row);
            if (!(row[TIME] >= begin_ps && row[TIME] <= end_ps)) continue;
            if (pass == 0) {
                n++;
                t += row[TIME];
                v += row[TOTAL];
            } else {
                tt += (row[TIME] - t_mean) * (row[TIME] - t_mean);
                tv += (row[TIME] - t_mean) * (row[TOTAL] - v_mean);
            }
        }
    }
    return (msd_fit){(size_t)n, n < 2 ? NAN : tv / tt};
}

/* Einstein: MSD = 2 d D t in d dimensions. The error is the difference of the slopes of both halves. 1 nm²/ps is
 * 1000 · 10⁻⁵ cm²/s. A run that is too short for the default range has no coefficient; a range that was asked for and
 * has no line is refused. */
static qn_status finish_diffusion(const msd_state *msd, qn_query_tables *tables)
{
    const msd_lag *longest = &msd->lags[msd->lag_count - 1];
    const double length_ps = longest->time / longest->starts, slack = 1e-6 * length_ps; /* times are rounded */
    const bool is_default = isnan(msd->fit_begin_ps) && isnan(msd->fit_end_ps);
    const double begin_ps = isnan(msd->fit_begin_ps) ? 0.1 * length_ps : msd->fit_begin_ps;
    const double end_ps = isnan(msd->fit_end_ps) ? 0.9 * length_ps : msd->fit_end_ps;
    const double first_ps = begin_ps - slack, last_ps = end_ps + slack, middle_ps = (first_ps + last_ps) / 2;
    const double scale = 1000 / (2.0 * (msd->axes[0] + msd->axes[1] + msd->axes[2]));
    const msd_fit fit = fit_line(msd, first_ps, last_ps);
    if (fit.rows < 2 && is_default) return QN_OK;
    if (fit.rows < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%zu of the lags from 0 to %g ps %s between fit-begin, %g ps, and fit-end, %g ps; expected a "
                       "range with at least two",
                       fit.rows, length_ps, fit.rows == 1 ? "lies" : "lie", begin_ps, end_ps);
    QN_TRY(qn_query_tables_number(tables, "diffusion coefficient", scale * fit.slope, "10⁻⁵ cm²/s", 0));
    const msd_fit front = fit_line(msd, first_ps, middle_ps), back = fit_line(msd, middle_ps, last_ps);
    if (front.rows < 2 || back.rows < 2) return QN_OK;
    return qn_query_tables_number(tables, "difference of its halves", scale * fabs(front.slope - back.slope),
                                  "10⁻⁵ cm²/s", 0);
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    const msd_state *msd = state;
    const qn_query_column columns[COLUMNS] = {msd->untimed ? (qn_query_column){"frames", "", 0}
                                                           : (qn_query_column){"time", "ps", 0},
                                              {"MSD", "nm²", 2},
                                              {"x", "nm²", 2},
                                              {"y", "nm²", 2},
                                              {"z", "nm²", 2},
                                              {"starting frames", "", 0}};
    const qn_query_table table = {
        .name = "", .title = "Mean square displacement", .columns = columns, .column_count = COLUMNS, .plotted = 1};
    QN_TRY(qn_query_tables_begin(tables, &table));
    for (size_t k = 0; k < msd->lag_count; k++) {
        double row[COLUMNS];
        fill_row(msd, &msd->lags[k], row);
        if (row[STARTS] > 0) QN_TRY(qn_query_tables_row(tables, row));
    }
    return msd->untimed || msd->lag_count < 2 ? QN_OK : finish_diffusion(msd, tables);
}

static unsigned needs_with(const qn_query_setup *setup)
{
    return strcmp(qn_query_setup_text(setup, "of"), "molecules") == 0 ? QN_QUERY_WHOLE | QN_QUERY_MASSES : 0;
}

const qn_query_class qn_query_msd = {
    .size = sizeof(qn_query_class),
    .name = "msd",
    .meaning = "mean square displacement from starting frames, diffusion coefficient",
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
    .needs_with = needs_with,
};
