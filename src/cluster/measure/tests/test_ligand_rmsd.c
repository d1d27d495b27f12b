/* RMSD of poses in place, over mappings of equivalent atoms. */
#include "check.h"

#include <math.h>

#include "cluster/measure/ligand_rmsd.h"

/* Acetate, C–C(O)O, in a plane; then with its oxygens in each other's places; then moved by (1, 2, 2), which is 3 Å,
 * with the oxygens exchanged, too. */
static const float acetate[3][3][4] = {{{0, 1.5f, 2.1f, 2.1f}, {0, 0, 1.1f, -1.1f}, {0, 0, 0, 0}},
                                       {{0, 1.5f, 2.1f, 2.1f}, {0, 0, -1.1f, 1.1f}, {0, 0, 0, 0}},
                                       {{1, 2.5f, 3.1f, 3.1f}, {2, 2, 0.9f, 3.1f}, {2, 2, 2, 2}}};
static const int mappings[2][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}};
static const qn_structures structures = {.count = 3, .atom_count = 4, .positions_angstrom = &acetate[0][0][0]};

static void equivalent_atoms_change_places(void)
{
    const qn_measure_settings one = {.mappings = mappings[0], .mapping_count = 1};
    const qn_measure_settings both = {.mappings = mappings[0], .mapping_count = 2};
    CHECK_NEAR(qn_measure_ligand_rmsd.pair(&structures, &one, 0, 1), sqrt(2 * 2.2 * 2.2 / 4), 1e-6);
    CHECK_NEAR(qn_measure_ligand_rmsd.pair(&structures, &both, 0, 1), 0, 0);
    CHECK_NEAR(qn_measure_ligand_rmsd.pair(&structures, &both, 0, 2), 3, 1e-6);
    CHECK_NEAR(qn_measure_ligand_rmsd.pair(&structures, &both, 2, 1), 3, 1e-6);
}

static void tiles_have_the_values_of_pairs(void)
{
    const qn_measure_settings both = {.mappings = mappings[0], .mapping_count = 2};
    const qn_measure_setup setup = {.structures = &structures, .settings = &both, .tile_side = 3};
    float triangle[9], row[2];
    const qn_measure_tile all = {{0, 3}, {0, 3}, triangle}, part = {{2, 1}, {0, 2}, row};
    void *session;
    CHECK_OK(qn_measure_ligand_rmsd.check(&structures, &both));
    CHECK_OK(qn_measure_ligand_rmsd.begin(&setup, &session));
    CHECK_OK(qn_measure_ligand_rmsd.values(session, &all));
    CHECK_OK(qn_measure_ligand_rmsd.values(session, &part));
    qn_measure_ligand_rmsd.end(&session);
    CHECK_NEAR((double)triangle[1], 0, 0);
    CHECK_NEAR((double)triangle[2], 3, 1e-6);
    CHECK_NEAR((double)triangle[5], 3, 1e-6);
    CHECK(row[0] == triangle[2] && row[1] == triangle[5]);
}

static void models_without_mappings_are_refused(void)
{
    const qn_measure_settings none = {0};
    CHECK_FAILS(qn_measure_ligand_rmsd.check(&structures, &none), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected SDF, MOL2 or PDBQT");
}

int main(void)
{
    RUN(equivalent_atoms_change_places);
    RUN(tiles_have_the_values_of_pairs);
    RUN(models_without_mappings_are_refused);
    return check_finish();
}
