#include "trajectory/query/slabs.h"

#include <math.h>

#include "base/error.h"

double qn_slabs_height_nm(const qn_slabs *slabs, const qn_box *box)
{
    const int k = slabs->axis;
    return 1 / hypot(hypot(box->inverse[0][k], box->inverse[1][k]), box->inverse[2][k]);
}

qn_status qn_slabs_create(const qn_query_setup *setup, qn_slabs *slabs)
{
    const double width_nm = qn_query_setup_number(setup, "bin");
    slabs->axis = qn_query_setup_text(setup, "axis")[0] - 'x';
    slabs->count = (int)qn_query_setup_integer(setup, "bins");
    if (isnan(width_nm)) return QN_OK;
    qn_box box = {0};
    const qn_trajectory_frame *first = qn_query_setup_first_frame(setup);
    if (first) QN_TRY(qn_box_from_vectors(first->box_nm, &box));
    if (box.shape == QN_BOX_NONE)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the first frame has no box; expected one that slabs can be cut from");
    const double count = round(qn_slabs_height_nm(slabs, &box) / width_nm);
    slabs->count = count < 1 ? 1 : count > 1e6 ? 1000000 : (int)count;
    return QN_OK;
}

void qn_slabs_centre(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, const qn_box *box,
                     double fractions[3])
{
    enum { BLOCK = 256 };
    const double turn = 2 * acos(-1);
    const uint32_t *atoms = frame->atoms[selection];
    double cosines[3] = {0}, sines[3] = {0}, room[BLOCK];
    const double *block = room;
    for (size_t i = 0; i < frame->atom_count[selection]; i++) {
        const float *p = frame->frame->positions_nm + 3 * (size_t)atoms[i];
        if (i % BLOCK == 0) {
            const size_t left = frame->atom_count[selection] - i;
            block = qn_atom_weights_view(weights, atoms, i, left < BLOCK ? left : BLOCK, room);
        }
        for (int k = 0; k < 3; k++) {
            double angle = turn * (p[0] * box->inverse[0][k] + p[1] * box->inverse[1][k] + p[2] * box->inverse[2][k]);
            cosines[k] += block[i % BLOCK] * cos(angle);
            sines[k] += block[i % BLOCK] * sin(angle);
        }
    }
    for (int k = 0; k < 3; k++) fractions[k] = atan2(sines[k], cosines[k]) / turn;
}

void qn_slabs_shift(bool centred, const qn_query_frame *frame, const qn_atom_weights *masses, const qn_box *box,
                    double shift[3])
{
    shift[0] = shift[1] = shift[2] = 0;
    if (!centred) return;
    qn_slabs_centre(frame, frame->atoms[1] ? 1 : 0, masses, box, shift);
    for (int k = 0; k < 3; k++) shift[k] -= 0.5;
}

qn_slab_rule qn_slabs_rule(const qn_slabs *slabs, const qn_box *box, double shift)
{
    const int k = slabs->axis;
    return (qn_slab_rule){
        .normal = {box->inverse[0][k], box->inverse[1][k], box->inverse[2][k]}, .shift = shift, .count = slabs->count};
}

const char *qn_slabs_label(const qn_slabs *slabs)
{
    static const char *const labels[3] = {"x", "y", "z"};
    return labels[slabs->axis];
}

/* The shortest decimal number that is this float, for a value that is one: 2.4 for 2.4000000954, the height of a box
 * that a file states as 2.4. Other values, such as means of heights that change, stay as they are. */
static double as_written(double value)
{
    if ((double)(float)value != value || value == 0) return value;
    for (int digits = 6; digits < 9; digits++) {
        const double scale = pow(10, digits - 1 - floor(log10(fabs(value)))), decimal = round(value * scale) / scale;
        if ((float)decimal == (float)value) return decimal;
    }
    return value;
}

double qn_slabs_middle_nm(const qn_slabs *slabs, int slab, double height_nm)
{
    return ((slab + 0.5) / slabs->count - (slabs->centred ? 0.5 : 0)) * as_written(height_nm);
}
