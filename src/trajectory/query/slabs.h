/* Positions of atoms as fractions of the periodic box, for profiles along an axis and for grids. */
#ifndef QN_TRAJECTORY_QUERY_SLABS_H
#define QN_TRAJECTORY_QUERY_SLABS_H

#include "model/box.h"
#include "trajectory/query/atom_sums.h"
#include "trajectory/query/atom_weights.h"

/* Slabs are parallel to two faces of the box. For z, and for any axis of a rectangular box, they are perpendicular to
 * the axis; x and y of a triclinic box are measured along the normal of the faces. */
typedef struct qn_slabs {
    int axis, count; /* 0, 1, 2 for x, y, z */
    bool centred;    /* the centre of a group is moved into the middle */
} qn_slabs;

/* Parameters of classes with slabs; all but "centre" are read by qn_slabs_create. */
#define QN_SLABS_PARAMETERS                                                                   \
    {"axis", QN_PARAMETER_CHOICE, "z", 0, 0, "x y z", "axis that the profile runs along"},    \
        {"bins", QN_PARAMETER_INTEGER, "50", 1, 1e6, NULL, "slabs that the box is cut into"}, \
    {                                                                                         \
        "bin", QN_PARAMETER_LENGTH, "", 1e-4, 1e4, NULL,                                      \
            "approximate width of a slab in the first frame, instead of bins"                 \
    }
#define QN_CENTRE_PARAMETER                                                                     \
    {                                                                                           \
        "centre", QN_PARAMETER_FLAG, "no", 0, 0, NULL,                                          \
            "put the centre of mass of the second selection (or the first) in the middle, at 0" \
    }

/* QN_INVALID_ARGUMENT if the parameter "bin" is given and the first frame has no box. */
QN_MUST_CHECK qn_status qn_slabs_create(const qn_query_setup *setup, qn_slabs *slabs);

double qn_slabs_height_nm(const qn_slabs *slabs, const qn_box *box); /* total height of all slabs */

/* Weighted mean position of a selection along each axis of the box, in fractions. It is the mean of angles, where a
 * whole box is a whole turn (Bai and Breen 2008), so molecules need not be whole. */
void qn_slabs_centre(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, const qn_box *box,
                     double fractions[3]);

/* Get the shift that is subtracted from fractional coordinates so that the group's centre is at ½; 0 if not `centred`.
 * The group is the second selection if there is one, else the first. */
void qn_slabs_shift(bool centred, const qn_query_frame *frame, const qn_atom_weights *masses, const qn_box *box,
                    double shift[3]);

/* The rule for the slabs of many atoms at once; qn_slabs_find applies the same rule to one atom. */
qn_slab_rule qn_slabs_rule(const qn_slabs *slabs, const qn_box *box, double shift);

/* floor() without a call, for |value| < 2⁶³ */
static inline double qn_slabs_floor(double value)
{
    const double whole = (double)(long long)value; /* towards 0 */
    return whole > value ? whole - 1 : whole;
}

static inline double qn_slabs_size(double value)
{
    return value < 0 ? -value : value;
}

/* Slab of a position; -1 if the position is NaN or at least 1e15 box heights away. */
static inline int qn_slabs_find(const qn_slabs *slabs, const qn_box *box, double shift, const double position[3])
{
    const double(*inverse)[3] = (const double(*)[3])box->inverse;
    const int k = slabs->axis;
    const double x = position[0] * inverse[0][k], y = position[1] * inverse[1][k], z = position[2] * inverse[2][k];
    double fraction = x + y + z - shift + QN_SLAB_ROUNDING * (qn_slabs_size(x) + qn_slabs_size(y) + qn_slabs_size(z));
    if (!(fraction > -1e15 && fraction < 1e15)) return -1;
    fraction -= qn_slabs_floor(fraction);
    const int slab = (int)(fraction * slabs->count);
    return slab < 0 ? 0 : slab < slabs->count ? slab : slabs->count - 1;
}

const char *qn_slabs_label(const qn_slabs *slabs); /* "z" */

/* x of a row of a profile: the middle of a slab, where `height_nm` is the total height of all slabs. */
double qn_slabs_middle_nm(const qn_slabs *slabs, int slab, double height_nm);

#endif
