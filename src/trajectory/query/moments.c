#include "trajectory/query/moments.h"

#include <string.h>

#include "trajectory/query/atom_sums.h"

static double add_up(const double lanes[QN_SUM_LANES])
{
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

void qn_moments_sum(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, qn_moment_order order,
                    qn_moments *moments)
{
    const qn_atom_sums *sums = QN_HOST_SELECT(qn_atom_sums_host);
    const float *positions = frame->frame->positions_nm;
    const uint32_t *atoms = frame->atoms[selection];
    const size_t atom_count = frame->atom_count[selection];
    double room[QN_ATOM_BLOCK];
    qn_moment_lanes lanes = {0};
    memset(moments, 0, sizeof *moments);
    if (atom_count == 0) return;
    for (int axis = 0; axis < 3; axis++) moments->origin_nm[axis] = positions[3 * (size_t)atoms[0] + axis];
    for (size_t begin = 0; begin < atom_count; begin += QN_ATOM_BLOCK) {
        const size_t count = atom_count - begin < QN_ATOM_BLOCK ? atom_count - begin : QN_ATOM_BLOCK;
        const qn_atom_block block = {.positions_nm = positions,
                                     .atoms = atoms + begin,
                                     .weights = qn_atom_weights_view(weights, atoms, begin, count, room),
                                     .count = count};
        sums->add_moments(&block, (int)order, moments->origin_nm, &lanes);
    }
    moments->weight = add_up(lanes.weight);
    for (int k = 0; k < 3; k++) moments->first[k] = add_up(lanes.first[k]);
    for (int k = 0; k < 6; k++) moments->second[k] = add_up(lanes.second[k]);
}

void qn_moments_centre(const qn_moments *moments, double centre_nm[3])
{
    for (int axis = 0; axis < 3; axis++)
        centre_nm[axis] = moments->origin_nm[axis] + moments->first[axis] / moments->weight;
}

void qn_moments_about(const qn_moments *moments, const double point_nm[3], double sum[3])
{
    for (int axis = 0; axis < 3; axis++)
        sum[axis] = moments->first[axis] + moments->weight * (moments->origin_nm[axis] - point_nm[axis]);
}

void qn_moments_central(const qn_moments *moments, double second[6])
{
    static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++)
        second[k] = moments->second[k] - moments->first[rows[k]] * moments->first[columns[k]] / moments->weight;
}
