/* Any bytes as a ligand's PDBQT whose BRANCH records become a tree of pieces that turn: the tree is well formed, and
 * its given pose has the atoms where the file has them. */
#define _GNU_SOURCE
#include "compound_trip.h"

#include "flexible/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand_tree(const qn_compound *compound, const qn_flexible_tree *tree)
{
    demand(tree->piece_count >= 1 && tree->piece_count <= QN_FLEXIBLE_TORSIONS_MAX + 1);
    demand(tree->heavy_count >= 1 && tree->heavy_count <= QN_FLEXIBLE_ATOMS_MAX);
    demand(tree->atom_count == (int)compound->atom_count && isfinite(tree->torsion_count));
    demand(tree->pieces[0].parent == -1 && tree->pieces[0].behind == tree->heavy_count);
    for (int k = 1; k < tree->piece_count; k++) {
        const qn_flexible_piece *piece = &tree->pieces[k], *parent = &tree->pieces[piece->parent];
        demand(piece->parent >= 0 && piece->parent < k);
        demand(piece->first <= piece->end && piece->end <= piece->behind);
        demand(parent->first <= piece->first && piece->behind <= parent->behind);
    }
    for (int i = 0; i < tree->heavy_count; i++) {
        const qn_flexible_piece *piece = &tree->pieces[tree->piece[i]];
        demand(tree->type[i] >= 0 && i >= piece->first && i < piece->end);
    }
    for (size_t p = 0; p < tree->pair_count; p++)
        demand(tree->pairs[p].first < tree->pairs[p].second && tree->pairs[p].second < tree->heavy_count);
}

static void demand_given_pose(const qn_compound *compound, const qn_flexible_tree *tree)
{
    double *positions = malloc(3 * compound->atom_count * sizeof *positions);
    qn_flexible_pose pose;
    demand(positions != NULL);
    qn_flexible_pose_given(tree, &pose);
    qn_flexible_compound_positions(tree, &pose, positions);
    for (size_t i = 0; i < 3 * compound->atom_count; i++)
        demand(fabs(positions[i] - compound->positions_angstrom[i]) <= 1e-6);
    free(positions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    qn_compound *compound = NULL;
    qn_flexible_tree tree = {0};
    demand(copy != NULL);
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    const qn_compound_record record = {
        .format = QN_COMPOUND_PDBQT, .line = 1, .path = "in", .text = copy, .size = size};
    if (qn_compound_read(&record, &compound) == QN_OK) {
        const qn_status status = qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree);
        demand(status == QN_OK || (qn_error_message()[0] && !tree.pieces));
        if (status == QN_OK) {
            demand_tree(compound, &tree);
            demand_given_pose(compound, &tree);
        }
    }
    qn_flexible_tree_clear(&tree);
    qn_compound_destroy(&compound);
    free(copy);
    return 0;
}
