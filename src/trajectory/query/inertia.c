/* Second moments of mass: tensor of inertia, principal moments and axes, radii of gyration. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/symmetric.h"
#include "trajectory/query/moments.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/series.h"

typedef struct inertia_state {
    qn_series series;
    qn_atom_weights masses;
} inertia_state;

static const qn_query_column inertia_columns[] = {
    {"I1", "amu nm²", 2},  {"I2", "amu nm²", 2},  {"I3", "amu nm²", 2},  {"Ixx", "amu nm²", 2}, {"Ixy", "amu nm²", 2},
    {"Ixz", "amu nm²", 2}, {"Iyy", "amu nm²", 2}, {"Iyz", "amu nm²", 2}, {"Izz", "amu nm²", 2},
};
static const qn_query_column axes_columns[] = {
    {"axis 1 x", "", 0}, {"axis 1 y", "", 0}, {"axis 1 z", "", 0}, {"axis 2 x", "", 0}, {"axis 2 y", "", 0},
    {"axis 2 z", "", 0}, {"axis 3 x", "", 0}, {"axis 3 y", "", 0}, {"axis 3 z", "", 0},
};
static const qn_series_layout inertia_layout = {{
    {"", "Moments of inertia about the centre of mass", inertia_columns, 9, 3,
     "I1 to I3 are the principal moments, ascending."},
    {"axes", "Principal axes of inertia", axes_columns, 9, 0, "The largest component of each axis is positive."},
}};
static const qn_query_column gyration_columns[] = {
    {"Rg", "nm", 1},        {"Rg about x", "nm", 1}, {"Rg about y", "nm", 1}, {"Rg about z", "nm", 1},
    {"Rg axis 1", "nm", 1}, {"Rg axis 2", "nm", 1},  {"Rg axis 3", "nm", 1},
};
static const qn_series_layout gyration_layout = {{
    {"", "Radius of gyration", gyration_columns, 7, 4,
     "About an axis, only distances from it count; axes 1 to 3 are the principal ones, by ascending moment."},
}};

static void destroy(void *state)
{
    inertia_state *inertia = state;
    qn_series_clear(&inertia->series);
    qn_atom_weights_clear(&inertia->masses);
    qn_release(&inertia);
}

static qn_status create(const qn_query_setup *setup, const qn_series_layout *layout, void **state)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(inertia_state), &memory));
    inertia_state *inertia = memory;
    qn_series_start(&inertia->series, layout);
    qn_status status = qn_atom_weights_create(setup, 0, QN_WEIGHT_MASS, &inertia->masses);
    if (status == QN_OK)
        *state = inertia;
    else
        destroy(inertia);
    return status;
}

static qn_status create_inertia(const qn_query_setup *setup, void **state)
{
    return create(setup, &inertia_layout, state);
}

static qn_status create_gyration(const qn_query_setup *setup, void **state)
{
    return create(setup, &gyration_layout, state);
}

/* I = Σ m (|d|² 1 − d dᵀ), d from the centre of mass; xx xy xz yy yz zz. */
static void measure_tensor(const inertia_state *inertia, const qn_query_frame *frame, double tensor[6], double *mass)
{
    qn_moments moments;
    double second[6];
    qn_moments_sum(frame, 0, &inertia->masses, QN_MOMENTS_SECOND, &moments);
    qn_moments_central(&moments, second);
    const double trace = second[0] + second[3] + second[5];
    for (int k = 0; k < 6; k++) tensor[k] = (k == 0 || k == 3 || k == 5 ? trace : 0) - second[k];
    *mass = moments.weight;
}

static void find_axes(const double tensor[6], double moments[3], double axes[9])
{
    const double matrix[9] = {tensor[0], tensor[1], tensor[2], tensor[1], tensor[3],
                              tensor[4], tensor[2], tensor[4], tensor[5]};
    qn_symmetric_eigen(matrix, 3, moments, axes);
    for (int k = 0; k < 3; k++) {
        double *axis = axes + 3 * k;
        int largest = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(axis[i]) > fabs(axis[largest])) largest = i;
        if (axis[largest] < 0)
            for (int i = 0; i < 3; i++) axis[i] = -axis[i];
    }
}

static qn_status measure_inertia(const void *state, const qn_query_frame *frame, double *partial)
{
    double mass;
    measure_tensor(state, frame, partial + 3, &mass);
    find_axes(partial + 3, partial, partial + 9);
    return QN_OK;
}

/* Rg² = Σ m |d|² / Σ m, and about an axis I / Σ m. */
static qn_status measure_gyration(const void *state, const qn_query_frame *frame, double *partial)
{
    double tensor[6], moments[3], axes[9], mass;
    measure_tensor(state, frame, tensor, &mass);
    find_axes(tensor, moments, axes);
    const double about[7] = {
        (tensor[0] + tensor[3] + tensor[5]) / 2, tensor[0], tensor[3], tensor[5], moments[0], moments[1], moments[2]};
    /* By rounding, the moment of a line about itself may be slightly below zero. */
    for (int k = 0; k < 7; k++) partial[k] = sqrt((about[k] < 0 ? 0 : about[k]) / mass);
    return QN_OK;
}

const qn_query_class qn_query_inertia = {
    .size = sizeof(qn_query_class),
    .name = "inertia",
    .meaning = "tensor of inertia about the centre of mass, principal moments and axes",
    .tables = "axes",
    .selections = 1,
    .needs = QN_QUERY_MASSES,
    .create = create_inertia,
    .partial_count = qn_series_partial_count,
    .measure = measure_inertia,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};

const qn_query_class qn_query_gyration = {
    .size = sizeof(qn_query_class),
    .name = "gyration",
    .meaning = "mass-weighted radius of gyration, total and about axes",
    .selections = 1,
    .needs = QN_QUERY_MASSES,
    .create = create_gyration,
    .partial_count = qn_series_partial_count,
    .measure = measure_gyration,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};
