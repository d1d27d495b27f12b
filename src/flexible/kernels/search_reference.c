/* Reference of flexible/search in double precision: the energy on maps by plain loops, its gradient by central
 * differences. */
#include <math.h>

#include "flexible/energy.h"
#include "flexible/kernels/search.h"
#include "score/vina.h"

static double bent(double energy, double bend)
{
    return energy > 0 ? energy * bend / (bend + energy) : energy;
}

/* Trilinear interpolation of the map of a type at a place relative to the grid's centre; *outside: distance along all
 * axes. */
static double interpolate(const float *map, const qn_flexible_grid *grid, const double place[3], double *outside)
{
    const int *points = grid->points;
    double share[3], sum = 0;
    int low[3];
    *outside = 0;
    for (int d = 0; d < 3; d++) {
        const double at = place[d] / QN_FLEXIBLE_SPACING_ANGSTROM + 0.5 * (points[d] - 1);
        const double kept = fmin(fmax(at, 0), points[d] - 1);
        *outside += fabs(at - kept) * QN_FLEXIBLE_SPACING_ANGSTROM;
        low[d] = (int)fmin(floor(kept), points[d] - 2);
        share[d] = kept - low[d];
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        size_t index = 0;
        for (int d = 2; d >= 0; d--) {
            const int up = corner >> d & 1;
            weight *= up ? share[d] : 1 - share[d];
            index = index * (size_t)points[d] + (size_t)(low[d] + up);
        }
        sum += weight * (double)map[index];
    }
    return sum;
}

static double confinement(const qn_flexible_frame *frame, const double *positions, int count)
{
    double energy = 0;
    for (int d = 0; d < 3 && frame->confined; d++) {
        double centre = 0;
        for (int i = 0; i < count; i++) centre += (positions[3 * i + d] - frame->grid.centre_angstrom[d]) / count;
        energy += 100 * fmax(0, centre - frame->box_high_angstrom[d]);
        energy += 100 * fmax(0, frame->box_low_angstrom[d] - centre);
    }
    return energy;
}

static double energy_of(const qn_flexible_tree *tree, const float *maps, const int *map_of,
                        const qn_flexible_frame *frame, const qn_flexible_pose *pose, double bend)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    double positions[3 * QN_FLEXIBLE_ATOMS_MAX], slope;
    const size_t points = (size_t)frame->grid.points[0] * (size_t)frame->grid.points[1] * (size_t)frame->grid.points[2];
    qn_vina_energy unused = {0};
    qn_flexible_frames(tree, pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->heavy_count, positions);
    double energy = confinement(frame, positions, tree->ligand_count);
    for (int i = 0; i < tree->moving_count; i++) {
        double place[3], outside;
        for (int d = 0; d < 3; d++) place[d] = positions[3 * i + d] - frame->grid.centre_angstrom[d];
        energy += bent(interpolate(maps + points * (size_t)map_of[tree->type[i]], &frame->grid, place, &outside), bend);
        energy += 100 * outside;
    }
    for (size_t p = 0; p < tree->pair_count; p++) {
        const int i = tree->pairs[p].first, j = tree->pairs[p].second;
        double square = 0;
        for (int d = 0; d < 3; d++) {
            const double difference = positions[3 * i + d] - positions[3 * j + d];
            square += difference * difference;
        }
        if (square < QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM)
            energy += bent(qn_vina_add_pair(tree->type[i], tree->type[j], sqrt(square), &unused, &slope), bend);
    }
    return energy;
}

double qn_flexible_search_reference(const qn_flexible_tree *tree, const float *maps, const int *map_of,
                                    const qn_flexible_frame *frame, const qn_flexible_pose *pose, double bend,
                                    double *gradient)
{
    static const double width = 1e-6;
    for (int i = 0; gradient && i < qn_flexible_freedoms(tree); i++) {
        double step[6 + QN_FLEXIBLE_TORSIONS_MAX] = {0}, energies[2];
        step[i] = 1;
        for (int side = 0; side < 2; side++) {
            qn_flexible_pose moved;
            qn_flexible_pose_step(tree, pose, step, side ? width : -width, &moved);
            energies[side] = energy_of(tree, maps, map_of, frame, &moved, bend);
        }
        gradient[i] = (energies[1] - energies[0]) / (2 * width);
    }
    return energy_of(tree, maps, map_of, frame, pose, bend);
}
