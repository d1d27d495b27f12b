#include "dock/known/ambiguous.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/atom.h"

/* Residues are summed through their centres if their spheres are farther apart than this many maxima, and than this. */
#define FAR_MAXIMA 2.0
#define FAR_ANGSTROM 4.0

static double distance_squared(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static qn_status add_point(const double position[3], qn_dock_ambiguous_side *to)
{
    void *points = to->points_angstrom;
    const qn_status status = qn_grow(&points, &to->point_capacity, to->point_count + 1, 3 * sizeof(double));
    to->points_angstrom = points;
    QN_TRY(status);
    memcpy(to->points_angstrom + 3 * to->point_count++, position, 3 * sizeof(double));
    return QN_OK;
}

/* A sphere around the points, about their mean, with the distance of the farthest and the mean square distance. */
static void bound(const qn_dock_ambiguous_side *side, qn_dock_residue_atoms *residue)
{
    const double *points = side->points_angstrom + 3 * residue->first;
    for (size_t i = 0; i < residue->count; i++)
        for (int axis = 0; axis < 3; axis++)
            residue->centre_angstrom[axis] += points[3 * i + (size_t)axis] / (double)residue->count;
    for (size_t i = 0; i < residue->count; i++) {
        const double squared = distance_squared(points + 3 * i, residue->centre_angstrom);
        residue->radius_angstrom = fmax(residue->radius_angstrom, sqrt(squared));
        residue->spread_angstrom2 += squared / (double)residue->count;
    }
}

/* Add the marked heavy atoms of a residue, if there are any. */
static qn_status add_residue(const qn_molecule *molecule, const qn_residue *residue, const bool *atoms,
                             qn_dock_ambiguous_side *to)
{
    qn_dock_residue_atoms added = {.first = to->point_count};
    for (size_t i = 0; i < residue->atom_count; i++) {
        const size_t index = residue->first_atom + i;
        if (!atoms[index] || qn_atom_is_hydrogen(&molecule->atoms[index])) continue;
        QN_TRY(add_point(molecule->atoms[index].position_angstrom, to));
        added.count++;
    }
    if (added.count == 0) return QN_OK;
    bound(to, &added);
    void *residues = to->residues;
    const qn_status status = qn_grow(&residues, &to->residue_capacity, to->residue_count + 1, sizeof added);
    to->residues = residues;
    QN_TRY(status);
    to->residues[to->residue_count++] = added;
    return QN_OK;
}

qn_status qn_dock_ambiguous_add(const qn_molecule *const molecules[2], const bool *const atoms[2],
                                double maximum_angstrom, qn_dock_ambiguous *to)
{
    qn_dock_ambiguous_restraint added = {.maximum_angstrom = maximum_angstrom,
                                         .contact = maximum_angstrom <= QN_DOCK_CONTACT_ANGSTROM};
    for (int side = 0; side < 2; side++) {
        added.first[side] = to->sides[side].residue_count;
        for (size_t r = 0; r < molecules[side]->residue_count; r++)
            QN_TRY(add_residue(molecules[side], &molecules[side]->residues[r], atoms[side], &to->sides[side]));
        added.count[side] = to->sides[side].residue_count - added.first[side];
    }
    added.single = added.count[0] == 1 && added.count[1] == 1;
    void *list = to->list;
    const qn_status status = qn_grow(&list, &to->capacity, to->count + 1, sizeof added);
    to->list = list;
    QN_TRY(status);
    to->list[to->count++] = added;
    return QN_OK;
}

void qn_dock_ambiguous_clear(qn_dock_ambiguous *restraints)
{
    for (int side = 0; side < 2; side++) {
        qn_release(&restraints->sides[side].points_angstrom);
        qn_release(&restraints->sides[side].residues);
    }
    qn_release(&restraints->list);
    *restraints = (qn_dock_ambiguous){0};
}

typedef struct pose {
    const double *matrix, *translation;
} pose;

static void place(const pose *at, const double from[3], double to[3])
{
    qn_rotation_apply(at->matrix, from, to);
    for (int axis = 0; axis < 3; axis++) to[axis] += at->translation[axis];
}

/* Σ r^-6 over the pairs of two residues. Atoms at the same place give infinity. */
static double sum_pairs(const qn_dock_ambiguous *of, const qn_dock_residue_atoms *receptor,
                        const qn_dock_residue_atoms *ligand, const pose *at)
{
    const double *fixed = of->sides[0].points_angstrom + 3 * receptor->first;
    double sum = 0;
    for (size_t j = 0; j < ligand->count; j++) {
        double moved[3];
        place(at, of->sides[1].points_angstrom + 3 * (ligand->first + j), moved);
        for (size_t i = 0; i < receptor->count; i++) {
            const double squared = distance_squared(fixed + 3 * i, moved);
            sum += 1 / (squared * squared * squared);
        }
    }
    return sum;
}

/* The same through the centres of the residues, whose squared distance is given. */
static double sum_far(const qn_dock_residue_atoms *receptor, const qn_dock_residue_atoms *ligand, double squared)
{
    const double pairs = (double)receptor->count * (double)ligand->count;
    const double spread = receptor->spread_angstrom2 + ligand->spread_angstrom2;
    return pairs * (1 + 5 * spread / squared) / (squared * squared * squared);
}

bool qn_dock_ambiguous_satisfied(const qn_dock_ambiguous *restraints, size_t index, double tolerance_angstrom,
                                 const double matrix[9], const double translation_angstrom[3])
{
    const qn_dock_ambiguous_restraint *one = &restraints->list[index];
    const pose at = {matrix, translation_angstrom};
    const double maximum = one->maximum_angstrom + tolerance_angstrom;
    const double needed = pow(maximum, -6), far = fmax(FAR_MAXIMA * maximum, FAR_ANGSTROM);
    double sum = 0;
    for (size_t j = 0; j < one->count[1]; j++) {
        const qn_dock_residue_atoms *ligand = &restraints->sides[1].residues[one->first[1] + j];
        double centre[3];
        place(&at, ligand->centre_angstrom, centre);
        for (size_t i = 0; i < one->count[0]; i++) {
            const qn_dock_residue_atoms *receptor = &restraints->sides[0].residues[one->first[0] + i];
            const double reach = far + ligand->radius_angstrom + receptor->radius_angstrom;
            const double squared = distance_squared(centre, receptor->centre_angstrom);
            sum += squared > reach * reach ? sum_far(receptor, ligand, squared)
                                           : sum_pairs(restraints, receptor, ligand, &at);
            if (sum >= needed) return true;
        }
    }
    return false;
}
