/* Trees: order, ranges, pairs, torsions by hand, and distances that torsions may and may not change. */
#include "check.h"

#include "flexible/tests/chains.h"

static double distance(const double *positions, int a, int b)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double difference = positions[3 * a + d] - positions[3 * b + d];
        square += difference * difference;
    }
    return sqrt(square);
}

/* Parents come first, ranges of children lie in those of their parents behind the parent's own atoms, and every heavy
 * atom is in one piece. */
static void check_order(const qn_flexible_tree *tree)
{
    CHECK(tree->pieces[0].parent == -1 && tree->pieces[0].first == 0 && tree->pieces[0].behind == tree->heavy_count);
    for (int k = 0; k < tree->piece_count; k++) {
        const qn_flexible_piece *piece = &tree->pieces[k];
        CHECK(piece->first < piece->end && piece->end <= piece->behind);
        CHECK(piece->far >= piece->first && piece->far < piece->end);
        for (int i = piece->first; i < piece->end; i++) CHECK(tree->piece[i] == k);
        if (k == 0) continue;
        const qn_flexible_piece *parent = &tree->pieces[piece->parent];
        CHECK(piece->parent < k && piece->first >= parent->end && piece->behind <= parent->behind);
        CHECK(piece->near >= parent->first && piece->near < parent->end);
        CHECK(piece->first == tree->pieces[k - 1].end);
    }
    CHECK(tree->pieces[tree->piece_count - 1].end == tree->heavy_count);
}

/* In random poses, atoms of a piece and the ends of its axis keep their distances; over many poses all listed pairs
 * change theirs. */
static void check_distances(const qn_compound *compound, const qn_flexible_tree *tree, uint64_t *drawn)
{
    double positions[3 * QN_FLEXIBLE_ATOMS_MAX];
    bool changed[QN_FLEXIBLE_ATOMS_MAX][QN_FLEXIBLE_ATOMS_MAX] = {{false}};
    for (int trial = 0; trial < 4; trial++) {
        qn_flexible_pose pose;
        pose_draw(tree, drawn, &pose);
        qn_flexible_compound_positions(tree, &pose, positions);
        for (int i = 0; i < tree->heavy_count; i++)
            for (int j = 0; j < i; j++) {
                const int a = tree->atom[i], b = tree->atom[j];
                changed[i][j] |= fabs(distance(positions, a, b) - distance(compound->positions_angstrom, a, b)) > 1e-9;
                if (tree->piece[i] == tree->piece[j]) CHECK(!changed[i][j]);
            }
        for (int k = 1; k < tree->piece_count; k++) {
            const qn_flexible_piece *piece = &tree->pieces[k];
            for (int i = piece->first; i < piece->end; i++)
                CHECK(!changed[i > piece->near ? i : piece->near][i > piece->near ? piece->near : i]);
        }
    }
    for (size_t p = 0; p < tree->pair_count; p++) CHECK(changed[tree->pairs[p].second][tree->pairs[p].first]);
}

static void trees_of_every_size_are_in_order(void)
{
    uint64_t drawn = 0;
    for (int torsions = 0; torsions <= QN_FLEXIBLE_TORSIONS_MAX; torsions += torsions < 6 ? 1 : 7) {
        qn_compound *compound = chain_make(torsions, &drawn);
        for (int root = -1; compound && root < 3 * torsions + 3; root += 5) {
            qn_flexible_tree tree;
            if (!CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, root, &tree))) break;
            CHECK(tree.heavy_count == 3 * torsions + 3 && tree.piece_count == torsions + 1);
            if (root >= 0) CHECK(tree.atom[tree.pieces[0].far] == root);
            check_order(&tree);
            check_distances(compound, &tree, &drawn);
            qn_flexible_tree_clear(&tree);
        }
        qn_compound_destroy(&compound);
    }
}

/* The given pose has the given positions. */
static void the_given_pose_is_the_input(void)
{
    uint64_t drawn = 100;
    qn_compound *compound = chain_make(9, &drawn);
    double positions[3 * QN_FLEXIBLE_ATOMS_MAX];
    qn_flexible_tree tree;
    qn_flexible_pose pose;
    if (!CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree))) return;
    qn_flexible_pose_given(&tree, &pose);
    qn_flexible_compound_positions(&tree, &pose, positions);
    for (size_t i = 0; i < 3 * compound->atom_count; i++)
        CHECK_NEAR(positions[i], compound->positions_angstrom[i], 1e-12);
    qn_flexible_tree_clear(&tree);
    qn_compound_destroy(&compound);
}

/* Add an atom of a hand-made molecule. */
static void put(qn_compound *compound, int i, const char *element, const char *type, int piece, double x, double y,
                double z)
{
    strcpy(compound->atoms[i].element, element);
    strcpy(compound->atoms[i].type, type);
    compound->tree.piece[i] = piece;
    compound->positions_angstrom[3 * i] = x;
    compound->positions_angstrom[3 * i + 1] = y;
    compound->positions_angstrom[3 * i + 2] = z;
}

/* HO-CH2-CH2-CH2-CH3 in the xy plane, with a branch at each C-C bond and one that turns the hydroxyl's hydrogen. */
static qn_compound *butanol(void)
{
    qn_compound *compound = NULL;
    if (!CHECK_OK(qn_compound_create("butanol", 6, 0, 1, &compound))) return NULL;
    if (!CHECK_OK(qn_allocate(6, sizeof(int), (void **)&compound->tree.piece)) ||
        !CHECK_OK(qn_allocate(3, sizeof(qn_compound_branch), (void **)&compound->tree.branches)))
        return NULL;
    put(compound, 0, "C", "C", 0, 0, 0, 0); /* C1, which bears the hydroxyl */
    put(compound, 1, "C", "C", 0, 1.5, 0, 0);
    put(compound, 2, "C", "C", 1, 2, 1.4, 0);
    put(compound, 3, "C", "C", 2, 3.5, 1.4, 0);
    put(compound, 4, "O", "OA", 3, -0.5, -1.3, 0);
    put(compound, 5, "H", "HD", 3, -1.4, -1.3, 0);
    compound->tree.branches[0] = (qn_compound_branch){1, 2};
    compound->tree.branches[1] = (qn_compound_branch){2, 3};
    compound->tree.branches[2] = (qn_compound_branch){0, 4};
    compound->tree.piece_count = 4;
    return compound;
}

/* Of its branches only C2-C3 moves a heavy atom off the axis; by Vina's rule C2-C3 counts once, C3-C4 and C1-O half
 * each. O and C4 are four bonds apart: the only pair. A half turn about C2-C3 brings C4 to the other side: C4 −
 * C3 = (1.5, 0, 0) keeps its part along the axis (0.5, 1.4, 0) / 1.4866 and changes the sign of the other. */
static void butanol_is_as_by_hand(void)
{
    qn_compound *compound = butanol();
    qn_flexible_tree tree;
    qn_flexible_pose pose;
    double positions[18];
    if (!compound || !CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, 1, &tree))) return;
    CHECK(tree.heavy_count == 5 && tree.atom_count == 6 && tree.piece_count == 2 && tree.pair_count == 1);
    CHECK_NEAR(tree.torsion_count, 2, 0);
    CHECK(tree.atom[tree.pairs[0].first] + tree.atom[tree.pairs[0].second] == 3 + 4);
    qn_flexible_pose_given(&tree, &pose);
    pose.torsions[0] = 3.14159265358979323846;
    qn_flexible_compound_positions(&tree, &pose, positions);
    const double along = 1.5 * 0.5 / (0.25 + 1.96);
    CHECK_NEAR(positions[9], 2 + 2 * along * 0.5 - 1.5, 1e-12);
    CHECK_NEAR(positions[10], 1.4 + 2 * along * 1.4, 1e-12);
    CHECK_NEAR(positions[11], 0, 1e-12);
    for (int i = 0; i < 9; i++) CHECK_NEAR(positions[i], compound->positions_angstrom[i], 1e-12);
    for (int i = 12; i < 18; i++) CHECK_NEAR(positions[i], compound->positions_angstrom[i], 1e-12);
    qn_flexible_tree_clear(&tree);
    qn_compound_destroy(&compound);
}

/* The same molecule from bonds and our own rules: C2-C3 turns; nothing else moves a heavy atom. */
static void own_pieces_follow_from_the_bonds(void)
{
    qn_compound *compound = butanol(), *bonded = NULL;
    qn_flexible_tree tree;
    if (!compound || !CHECK_OK(qn_compound_create("butanol", 6, 5, 1, &bonded))) return;
    for (int i = 0; i < 6; i++) bonded->atoms[i] = compound->atoms[i];
    memcpy(bonded->positions_angstrom, compound->positions_angstrom, 18 * sizeof(double));
    for (int i = 0; i < 5; i++)
        bonded->bonds[i] = (qn_compound_bond){i == 3 ? 0 : i == 4 ? 4 : i, i == 3 ? 4 : i + 1, QN_BOND_SINGLE};
    if (CHECK_OK(qn_flexible_tree_create(bonded, QN_FLEXIBLE_TYPES_OWN, 1, &tree))) {
        CHECK(tree.piece_count >= 2 && tree.piece_count <= 4 && tree.heavy_count == 5);
        CHECK(tree.pair_count == 1);
        check_order(&tree);
        qn_flexible_tree_clear(&tree);
    }
    bonded->bond_count = 4;
    CHECK_FAILS(qn_flexible_own_pieces(bonded), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "butanol: no bonds join atom 6 to atom 1; expected one molecule");
    qn_compound_destroy(&bonded);
    qn_compound_destroy(&compound);
}

static void what_cannot_be_a_tree_is_refused(void)
{
    qn_compound *compound = butanol();
    qn_flexible_tree tree;
    if (!compound) return;
    CHECK_FAILS(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, 5, &tree), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "butanol: atom 6 is not one of its 5 heavy atoms");
    const qn_compound_branch turning = compound->tree.branches[0];
    double *far = compound->positions_angstrom + 3 * turning.second, kept[3];
    memcpy(kept, far, sizeof kept);
    memcpy(far, compound->positions_angstrom + 3 * turning.first, sizeof kept);
    CHECK_FAILS(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("whose bond turns, are in one place");
    memcpy(far, kept, sizeof kept);
    compound->tree.glued = true;
    CHECK_FAILS(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("butanol: glue atoms (types G, CG)");
    qn_compound_tree_clear(&compound->tree);
    CHECK_FAILS(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("butanol: the file states no pieces that turn");
    qn_compound_destroy(&compound);
    uint64_t drawn = 0;
    compound = chain_make(QN_FLEXIBLE_TORSIONS_MAX + 1, &drawn);
    CHECK_FAILS(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "chain: more than 48 torsions");
    qn_compound_destroy(&compound);
}

int main(void)
{
    RUN(trees_of_every_size_are_in_order);
    RUN(the_given_pose_is_the_input);
    RUN(butanol_is_as_by_hand);
    RUN(own_pieces_follow_from_the_bonds);
    RUN(what_cannot_be_a_tree_is_refused);
    return check_finish();
}
