/* The resistance at a passage's highest place: residues by the energies of their pairs with the ligand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "discs/vector.h"
#include "transport/run.h"

static void add_pair(const qn_passage_reader *reader, const double *place, int type, size_t other,
                     qn_bottleneck_residue *residues)
{
    const double r = qn_distance(place, reader->receptor.positions_angstrom + 3 * other);
    qn_bottleneck_residue *residue = &residues[reader->receptor.residues[other]];
    qn_vina_energy unused;
    double slope;
    if (r >= QN_VINA_CUTOFF_ANGSTROM) return;
    const double energy = qn_vina_add_pair(type, reader->receptor.types[other], r, &unused, &slope);
    residue->positive += fmax(0, energy);
    residue->energy += energy;
    residue->nearest = residue->nearest > 0 ? fmin(residue->nearest, r) : r;
}

/* By positive energy, then by the order of the structure. */
static int compare(const void *left, const void *right)
{
    const qn_bottleneck_residue *a = left, *b = right;
    if (a->positive != b->positive) return a->positive > b->positive ? -1 : 1;
    return a->residue < b->residue ? -1 : a->residue > b->residue;
}

qn_status qn_transport_find_bottleneck(const qn_passage_reader *reader, const qn_disc_pose *pose,
                                       qn_bottleneck_residue **residues, size_t *count)
{
    const qn_flexible_tree *tree = &reader->tree;
    double positions[3 * QN_FLEXIBLE_ATOMS_MAX];
    qn_bottleneck_residue *all;
    *residues = NULL;
    *count = 0;
    if (!reader->receptor.residues) return QN_OK;
    const size_t most = reader->receptor.molecule->residue_count;
    QN_TRY(qn_allocate(most, sizeof *all, (void **)&all));
    for (size_t r = 0; r < most; r++) all[r].residue = (int)r;
    qn_disc_pose_positions(tree, pose, tree->heavy_count, positions);
    for (int i = 0; i < tree->heavy_count; i++)
        for (size_t k = 0; k < reader->receptor.atom_count; k++)
            add_pair(reader, positions + 3 * i, tree->type[i], k, all);
    qsort(all, most, sizeof *all, compare);
    while (*count < most && all[*count].positive > 0) ++*count;
    *residues = all;
    return QN_OK;
}
