/* Distances of poses whose equivalent atoms have changed places, poses that are dropped as alike, and the order
 * of those that are kept. */
#include "check.h"

#include "flexible/alike.h"
#include "flexible/tests/chains.h"

/* C-C(-C)(-C)-C-O: three carbons at the second atom, in the order of the compound 0, 2 and 3; one piece each. */
static qn_compound *neopentyl(void)
{
    static const double places[6][3] = {{-1.5, 0, 0},   {0, 0, 0},   {0.5, 1.4, 0},
                                        {0.5, -1.4, 0}, {0, 0, 1.5}, {1, 0, 2.4}};
    qn_compound *compound = NULL;
    if (!CHECK_OK(qn_compound_create("neopentyl", 6, 5, 1, &compound))) return NULL;
    if (!CHECK_OK(qn_allocate(6, sizeof(int), (void **)&compound->tree.piece)) ||
        !CHECK_OK(qn_allocate(1, sizeof(qn_compound_branch), (void **)&compound->tree.branches)))
        return NULL;
    for (int i = 0; i < 6; i++) {
        strcpy(compound->atoms[i].element, i == 5 ? "O" : "C");
        strcpy(compound->atoms[i].type, i == 5 ? "OA" : "C");
        memcpy(compound->positions_angstrom + 3 * i, places[i], sizeof places[i]);
    }
    for (int i = 0; i < 5; i++)
        compound->bonds[i] = (qn_compound_bond){i < 4 ? 1 : 4, i == 0 ? 0 : i + 1, QN_BOND_SINGLE};
    for (int i = 4; i < 6; i++) compound->tree.piece[i] = 1;
    compound->tree.branches[0] = (qn_compound_branch){1, 4};
    compound->tree.piece_count = 2;
    return compound;
}

/* Six ways to place three equal carbons. */
static void equivalent_atoms_change_places(void)
{
    qn_compound *compound = neopentyl();
    qn_flexible_tree tree;
    qn_flexible_symmetry symmetry;
    double a[18], b[18];
    if (!compound || !CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, 4, &tree))) return;
    CHECK(tree.atom[0] != 0); /* another order than the compound's */
    if (CHECK_OK(qn_flexible_symmetry_find(compound, &tree, &symmetry)) &&
        CHECK(symmetry.count == 6 && symmetry.atom_count == 6)) {
        static const int swapped[6] = {2, 1, 3, 0, 4, 5};
        for (int i = 0; i < 6; i++) {
            memcpy(a + 3 * i, compound->positions_angstrom + 3 * tree.atom[i], 3 * sizeof *a);
            memcpy(b + 3 * i, compound->positions_angstrom + 3 * swapped[tree.atom[i]], 3 * sizeof *b);
        }
        CHECK_NEAR(qn_flexible_rmsd_angstrom(&symmetry, a, b), 0, 1e-12);
        b[0] += 3; /* one of six atoms */
        CHECK_NEAR(qn_flexible_rmsd_angstrom(&symmetry, a, b), 3 / sqrt(6), 1e-12);
        for (int i = 0; i < 6; i++) CHECK(symmetry.mappings[i] == i);
    }
    qn_flexible_symmetry_clear(&symmetry);
    qn_flexible_tree_clear(&tree);
    qn_compound_destroy(&compound);
}

/* The given pose, it turned by a third about the axis of the carbons, which only exchanges them nearly, it moved by 1 Å
 * and by 3 Å, and the second again. */
static void alike_poses_are_dropped(void)
{
    static const double moves[5] = {0, 0, 1, 3, 3};
    qn_compound *compound = neopentyl();
    qn_flexible_tree tree;
    qn_flexible_symmetry symmetry;
    qn_flexible_pose poses[5];
    double energies[5];
    int kept = 0;
    if (!compound || !CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, 1, &tree))) return;
    if (CHECK_OK(qn_flexible_symmetry_find(compound, &tree, &symmetry))) {
        for (int i = 0; i < 5; i++) {
            qn_flexible_pose_given(&tree, &poses[i]);
            poses[i].place[0] += moves[i];
            energies[i] = i;
        }
        poses[1].rotation[0] = cos(3.14159265358979323846 / 3);
        poses[1].rotation[3] = sin(3.14159265358979323846 / 3);
        poses[1].torsions[0] = -2 * 3.14159265358979323846 / 3;
        CHECK_OK(qn_flexible_drop_alike(&tree, &symmetry, 0.9, 5, poses, energies, 5, &kept));
        CHECK(kept == 3 && energies[0] == 0 && energies[1] == 2 && energies[2] == 3 && poses[2].place[0] == 3);
        CHECK_OK(qn_flexible_drop_alike(&tree, &symmetry, 0.9, 2, poses, energies, 3, &kept));
        CHECK(kept == 2);
        CHECK_OK(qn_flexible_drop_alike(&tree, &symmetry, 1.5, 5, poses, energies, 2, &kept));
        CHECK(kept == 1 && energies[0] == 0);
    }
    qn_flexible_symmetry_clear(&symmetry);
    qn_flexible_tree_clear(&tree);
    qn_compound_destroy(&compound);
}

/* By energy the poses are 3, 1, 4, 0, 2. Pose 1 is 0.5 Å from 3, and 2 is 0.2 Å from 0, so they are listed last. */
static void unlike_poses_come_first(void)
{
    static const double moves[5] = {4, 0.5, 4.2, 0, 2}, energies[5] = {-1, -4, 0, -5, -3};
    static const int expected[5] = {3, 4, 0, 1, 2};
    qn_compound *compound = neopentyl();
    qn_flexible_tree tree;
    qn_flexible_pose poses[5];
    if (!compound || !CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, 1, &tree))) return;
    for (int i = 0; i < 5; i++) {
        qn_flexible_pose_given(&tree, &poses[i]);
        poses[i].place[0] += moves[i];
    }
    for (int most = 1; most <= 5; most++) {
        int order[5] = {-1, -1, -1, -1, -1};
        CHECK_OK(qn_flexible_choose(&tree, poses, energies, 5, 1, most, order));
        for (int i = 0; i < 5; i++) CHECK(order[i] == (i < most ? expected[i] : -1));
    }
    qn_flexible_tree_clear(&tree);
    qn_compound_destroy(&compound);
}

int main(void)
{
    RUN(equivalent_atoms_change_places);
    RUN(alike_poses_are_dropped);
    RUN(unlike_poses_come_first);
    return check_finish();
}
