/* Where atoms lie in the periodic box, as fractions of it: for profiles along an axis and grids. */
#ifndef QN_TRAJECTORY_QUERY_SLABS_H
#define QN_TRAJECTORY_QUERY_SLABS_H

#include "model/box.h"
#include "trajectory/query/atom_sums.h"
#include "trajectory/query/atom_weights.h"

/* Slabs lie parallel to two faces of the box. Along z, and along any axis of a rectangular box, that is across the
 * axis; x and y of a triclinic one are measured along the normal of the faces. */
typedef struct qn_slabs {
    int axis, count; /* 0, 1, 2 for x, y, z */
    bool centred;    /* about the centre of a group, which comes into the middle */
} qn_slabs;

/* Parameters of classes with slabs; all but "centre" are read by qn_slabs_create. */
#define QN_SLABS_PARAMETERS                                                                                   \
    {"axis", QN_PARAMETER_CHOICE, "z", 0, 0, "x y z", "axis that the profile runs along"},                    \
        {"bins", QN_PARAMETER_INTEGER, "50", 1, 1e6, NULL, "slabs that the box is cut into"},                 \
    {                                                                                                         \
        "bin", QN_PARAMETER_LENGTH, "", 1e-4, 1e4, NULL, "width of a slab instead, about, in the first frame" \
    }
#define QN_CENTRE_PARAMETER                                                                     \
    {                                                                                           \
        "centre", QN_PARAMETER_FLAG, "no", 0, 0, NULL,                                          \
            "put the centre of mass of the second selection (or the first) in the middle, at 0" \
    }

/* QN_INVALID_ARGUMENT where the first frame has no box. */
QN_MUST_CHECK qn_status qn_slabs_create(const qn_query_setup *setup, qn_slabs *slabs);

double qn_slabs_height_nm(const qn_slabs *slabs, const qn_box *box); /* of all slabs together */

/* Mean position in the box along each axis, in fractions, of a selection: of the angles that they are of a whole turn
 * (Bai and Breen 2008), which needs no whole molecules. */
void qn_slabs_centre(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, const qn_box *box,
                     double fractions[3]);

/* What is taken off fractions so that the group's centre comes to ½; 0 when not centred. The group is the second
 * selection where there is one. */
void qn_slabs_shift(bool centred, const qn_query_frame *frame, const qn_atom_weights *masses, const qn_box *box,
                    double shift[3]);

/* For the slabs of many atoms; as qn_slabs_find finds that of one. */
qn_slab_rule qn_slabs_rule(const qn_slabs *slabs, const qn_box *box, double shift);

/* floor without a call, of what is below 2⁶³ */
static inline double qn_slabs_floor(double value)
{
    const double whole = (double)(long long)value; /* towards 0 */
    return whole > value ? whole - 1 : whole;
}

/* Slab of a position; -1 for one that is no number or lost among images. */
static inline int qn_slabs_find(const qn_slabs *slabs, const qn_box *box, double shift, const double position[3])
{
    const double(*inverse)[3] = (const double(*)[3])box->inverse;
    const int k = slabs->axis;
    double fraction = position[0] * inverse[0][k] + position[1] * inverse[1][k] + position[2] * inverse[2][k] - shift;
    if (!(fraction > -1e15 && fraction < 1e15)) return -1;
    fraction -= qn_slabs_floor(fraction);
    const int slab = (int)(fraction * slabs->count);
    return slab < 0 ? 0 : slab < slabs->count ? slab : slabs->count - 1;
}

const char *qn_slabs_label(const qn_slabs *slabs); /* "z" */

/* x of a row of a profile: the middle of a slab when all are `height_nm`. */
double qn_slabs_middle_nm(const qn_slabs *slabs, int slab, double height_nm);

#endif
