#include "flexible/alike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/symmetry.h"

/* With more automorphisms, two equivalent poses may count as different. */
enum { MAPPINGS_MAX = 1000 };

/* Translate mappings of the compound's heavy atoms into those of the tree's. */
static qn_status translate(const qn_symmetry *from, size_t compound_atoms, const qn_flexible_tree *tree,
                           qn_flexible_symmetry *to)
{
    int *place; /* in the tree of each atom of the compound */
    QN_TRY(qn_allocate(from->count * from->atom_count, sizeof *to->mappings, (void **)&to->mappings));
    QN_TRY(qn_allocate(compound_atoms, sizeof *place, (void **)&place));
    for (int i = 0; i < tree->ligand_count; i++) place[tree->atom[i]] = i;
    for (size_t m = 0; m < from->count; m++)
        for (size_t i = 0; i < from->atom_count; i++)
            to->mappings[m * from->atom_count + (size_t)place[from->atoms[i]]] =
                place[from->atoms[from->mappings[m * from->atom_count + i]]];
    to->count = (int)from->count;
    to->atom_count = (int)from->atom_count;
    qn_release(&place);
    return QN_OK;
}

qn_status qn_flexible_symmetry_find(const qn_compound *compound, const qn_flexible_tree *tree,
                                    qn_flexible_symmetry *symmetry)
{
    qn_symmetry found = {0};
    *symmetry = (qn_flexible_symmetry){0};
    qn_status status = qn_symmetry_find(compound, MAPPINGS_MAX, &found, NULL);
    if (status == QN_OK) status = translate(&found, compound->atom_count, tree, symmetry);
    qn_symmetry_clear(&found);
    if (status != QN_OK) qn_flexible_symmetry_clear(symmetry);
    return status;
}

void qn_flexible_symmetry_clear(qn_flexible_symmetry *symmetry)
{
    qn_release(&symmetry->mappings);
    *symmetry = (qn_flexible_symmetry){0};
}

double qn_flexible_rmsd_angstrom(const qn_flexible_symmetry *symmetry, const double *a, const double *b)
{
    double least = INFINITY;
    for (int m = 0; m < symmetry->count; m++) {
        const int *mapping = symmetry->mappings + m * symmetry->atom_count;
        double sum = 0;
        for (int i = 0; i < symmetry->atom_count && sum < least; i++)
            for (int d = 0; d < 3; d++) {
                const double away = a[3 * i + d] - b[3 * mapping[i] + d];
                sum += away * away;
            }
        least = fmin(least, sum);
    }
    return sqrt(least / symmetry->atom_count);
}

static void ligand_positions(const qn_flexible_tree *tree, const qn_flexible_pose *pose, double *positions)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    qn_flexible_frames(tree, pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->ligand_count, positions);
}

qn_status qn_flexible_drop_alike(const qn_flexible_tree *tree, const qn_flexible_symmetry *symmetry,
                                 double apart_angstrom, int most, qn_flexible_pose *poses, double *energies, int count,
                                 int *kept)
{
    const size_t numbers = 3 * (size_t)tree->ligand_count;
    double *positions; /* of the poses that are kept, then of the one that is compared with them */
    *kept = 0;
    QN_TRY(qn_allocate((size_t)(most + 1) * numbers, sizeof *positions, (void **)&positions));
    for (int i = 0; i < count && *kept < most; i++) {
        double *here = positions + (size_t)*kept * numbers;
        bool unlike = true;
        ligand_positions(tree, &poses[i], here);
        for (int j = 0; j < *kept && unlike; j++)
            unlike = qn_flexible_rmsd_angstrom(symmetry, positions + (size_t)j * numbers, here) > apart_angstrom;
        if (!unlike) continue;
        poses[*kept] = poses[i];
        energies[(*kept)++] = energies[i];
    }
    qn_release(&positions);
    return QN_OK;
}

typedef struct ranked_pose {
    double energy;
    int pose;
} ranked_pose;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_pose *x = a, *y = b;
    return x->energy != y->energy ? (x->energy > y->energy) - (x->energy < y->energy) : x->pose - y->pose;
}

static bool is_near(const double *a, const double *b, size_t numbers, double square)
{
    double sum = 0;
    for (size_t i = 0; i < numbers && sum <= square; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum <= square;
}

/* The work of qn_flexible_choose; positions: room for `most` + 1 poses. */
static void choose(const qn_flexible_tree *tree, const qn_flexible_pose *poses, ranked_pose *ranked, int count,
                   double apart_angstrom, int most, double *positions, int *order)
{
    const size_t numbers = 3 * (size_t)tree->ligand_count;
    int listed = 0;
    for (int i = 0; i < count && listed < most; i++) {
        double *here = positions + (size_t)listed * numbers;
        bool near = false;
        ligand_positions(tree, &poses[ranked[i].pose], here);
        for (int j = 0; j < listed && !near; j++)
            near = is_near(positions + (size_t)j * numbers, here, numbers,
                           apart_angstrom * apart_angstrom * tree->ligand_count);
        if (near) continue;
        order[listed++] = ranked[i].pose;
        ranked[i].pose = -1;
    }
    for (int i = 0; i < count && listed < most; i++)
        if (ranked[i].pose >= 0) order[listed++] = ranked[i].pose;
}

qn_status qn_flexible_choose(const qn_flexible_tree *tree, const qn_flexible_pose *poses, const double *energies,
                             int count, double apart_angstrom, int most, int *order)
{
    ranked_pose *ranked = NULL;
    double *positions = NULL;
    qn_status status = qn_allocate((size_t)count, sizeof *ranked, (void **)&ranked);
    if (status == QN_OK)
        status =
            qn_allocate((size_t)(most + 1) * 3 * (size_t)tree->ligand_count, sizeof *positions, (void **)&positions);
    if (status == QN_OK) {
        for (int i = 0; i < count; i++) ranked[i] = (ranked_pose){energies[i], i};
        qsort(ranked, (size_t)count, sizeof *ranked, compare_ranked);
        choose(tree, poses, ranked, count, apart_angstrom, most, positions, order);
    }
    qn_release(&ranked);
    qn_release(&positions);
    return status;
}
