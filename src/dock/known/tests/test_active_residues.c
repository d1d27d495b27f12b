/* Lists of active and passive residues: their restraints, the number that is required, and the energies of contacts. */
#include "check.h"

#include <string.h>

#include "dock/known/restraints.h"

static qn_molecule *receptor, *ligand;

/* Residues of a chain, 10 Å apart, with one atom each; the last has a hydrogen alone. */
static qn_molecule *make_molecule(const char *chain, int first, int count, double z)
{
    qn_molecule *molecule;
    CHECK_OK(qn_molecule_create(chain, &molecule));
    for (int i = 0; i < count; i++) {
        qn_residue residue = {.number = first + i, .name = "ALA"};
        strcpy(residue.chain, chain);
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        CHECK_OK(qn_molecule_append_atom(
            molecule, &(qn_atom){{10 * i, 0, z}, .name = "C", .element = {i == count - 1 ? 'H' : 'C'}}));
    }
    return molecule;
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static size_t satisfied(const qn_dock_restraints *restraints, double x, double z)
{
    return qn_dock_restraints_satisfied(restraints, identity, (double[3]){x, 0, z});
}

static void active_residues_become_restraints(void)
{
    const char *active[] = {"receptor:A:1,3", "ligand:B:101"}, *passive[] = {"ligand:B:103"};
    qn_dock_restraints restraints = {0};
    CHECK_OK(qn_dock_restraints_add_active(active, 2, passive, 1, receptor, ligand, &restraints));
    CHECK(restraints.ambiguous.count == 3 && restraints.count == 0);
    CHECK_OK(qn_dock_restraints_require(-100, "lists", &restraints));
    CHECK(restraints.required == 3);
    /* The ligand is 2.5 Å above the receptor; its residues 101, 102 … above 1, 2 … when it is not shifted. Residue 1 is
     * close to 101, 3 to 103, 101 to 1: all are satisfied at less than 2 Å. */
    CHECK(satisfied(&restraints, 0, -0.6) == 3);
    CHECK(satisfied(&restraints, 0, -0.4) == 0); /* 2.1 Å */
    /* 101 lies above 2, which is no target; 103 above 4, which is not active. */
    CHECK(satisfied(&restraints, 10, -0.6) == 0);
    /* 101 lies above 3: of 1, 3 and 101, the last two are satisfied. */
    CHECK(satisfied(&restraints, 20, -0.6) == 2);
    /* 103 lies above 1: passive residues have no restraint of their own. */
    CHECK(satisfied(&restraints, -20, -0.6) == 1);
    for (size_t r = 0; r < receptor->residue_count; r++) CHECK(restraints.attracting[0][r] == (r == 0 || r == 2));
    for (size_t r = 0; r < ligand->residue_count; r++) CHECK(restraints.attracting[1][r] == (r == 0));
    qn_dock_restraints_clear(&restraints);
}

/* Without residues of the other partner, all of it is the target. */
static void any_residue_is_the_target_without_a_list(void)
{
    const char *active[] = {"receptor:A:1,3"};
    qn_dock_restraints restraints = {0};
    CHECK_OK(qn_dock_restraints_add_active(active, 1, NULL, 0, receptor, ligand, &restraints));
    CHECK_OK(qn_dock_restraints_require(1, "lists", &restraints));
    CHECK(satisfied(&restraints, 0, -0.6) == 2);
    CHECK(satisfied(&restraints, 10, -0.6) == 1); /* 102 above 3, and 100, which is not there, above 1 */
    CHECK(satisfied(&restraints, 300, -0.6) == 0);
    CHECK_FAILS(qn_dock_restraints_require(3, "lists", &restraints), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "lists: 3 restraints are required of 2; expected at most that many");
    /* By default, none of them is required. */
    CHECK_OK(qn_dock_restraints_require(0, "lists", &restraints));
    CHECK(restraints.required == 0);
    qn_dock_restraints_clear(&restraints);
    CHECK_FAILS(qn_dock_restraints_require(-50, "nothing", &restraints), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "nothing: 50 % of the restraints are required of 0; expected at most that many");
}

static double least(const double *energies, size_t count)
{
    double value = 0;
    for (size_t i = 0; i < count; i++) value = energies[i] < value ? energies[i] : value;
    return value;
}

/* 500 for the 1000 pairs of a typical interface, in equal shares of both partners: 0.25 a pair for lists as long as the
 * 22 residues of an interface, 0.25 · 22 / 2 for two residues; twice that if only one partner has a list. */
static void attraction_is_shared_by_lists(void)
{
    const char *one[] = {"receptor:A:1-2"}, *both[] = {"receptor:A:1-30", "ligand:B:101-102"};
    double of_receptor[40] = {0.5, 0.25}, of_ligand[40] = {0};
    qn_dock_restraints restraints = {.strength = 1};
    CHECK_OK(qn_dock_restraints_add_active(one, 1, NULL, 0, receptor, ligand, &restraints));
    qn_dock_restraints_attract(&restraints, receptor, ligand, of_receptor, of_ligand);
    CHECK_NEAR(of_receptor[0], 0.5 - 0.5 * 11, 1e-12); /* added to what is there */
    CHECK_NEAR(of_receptor[1], 0.25 - 0.5 * 11, 1e-12);
    CHECK(of_receptor[2] == 0 && least(of_ligand, 40) == 0);
    qn_dock_restraints_clear(&restraints);
    memset(of_receptor, 0, sizeof of_receptor);
    CHECK_OK(qn_dock_restraints_add_active(both, 2, NULL, 0, receptor, ligand, &restraints));
    restraints.strength = 2;
    qn_dock_restraints_attract(&restraints, receptor, ligand, of_receptor, of_ligand);
    for (int i = 0; i < 40; i++) {
        CHECK_NEAR(of_receptor[i], i < 30 ? -0.5 : 0, 1e-12);
        CHECK_NEAR(of_ligand[i], i < 2 ? -0.5 * 11 : 0, 1e-12);
    }
    qn_dock_restraints_clear(&restraints);
}

/* 900 for all restraints that ask for contact, at up to 4 Å; of three, the pose satisfies two. */
static void satisfied_contacts_gain_energy(void)
{
    const char *active[] = {"receptor:A:1,3", "ligand:B:101"}, *passive[] = {"ligand:B:103"};
    const double near[3] = {20, 0, 1.4}, far[3] = {20, 0, 1.6}, second[3] = {0, 0, 1.4}; /* 3.9 Å and 4.1 Å */
    qn_dock_restraints restraints = {.strength = 0.5};
    CHECK(qn_dock_restraints_energy(&restraints, identity, near) == 0); /* there are none */
    CHECK_OK(qn_dock_restraints_add_active(active, 2, passive, 1, receptor, ligand, &restraints));
    CHECK_NEAR(qn_dock_restraints_energy(&restraints, identity, near), -0.5 * 900 * 2 / 3, 1e-12);
    CHECK(qn_dock_restraints_energy(&restraints, identity, far) == 0);
    for (size_t i = 0; i < restraints.ambiguous.count; i++) restraints.ambiguous.list[i].contact = i == 0;
    CHECK_NEAR(qn_dock_restraints_energy(&restraints, identity, second), -450, 1e-12);
    restraints.strength = 0;
    CHECK(qn_dock_restraints_energy(&restraints, identity, near) == 0);
    qn_dock_restraints_clear(&restraints);
}

static void wrong_lists_are_refused(void)
{
    const char *good[] = {"receptor:A:1"}, *absent[] = {"receptor:A:99"}, *bare[] = {"receptor:A:40"};
    qn_dock_restraints restraints = {0};
    CHECK_FAILS(qn_dock_restraints_add_active(NULL, 0, good, 1, receptor, ligand, &restraints), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the residues \"receptor:A:1\" are passive, and none is active; expected active residues");
    CHECK_FAILS(qn_dock_restraints_add_active(absent, 1, NULL, 0, receptor, ligand, &restraints), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("selection \"receptor:A:99\": chain A of the receptor has no residue 99");
    CHECK_FAILS(qn_dock_restraints_add_active(good, 1, absent, 1, receptor, ligand, &restraints), QN_NOT_FOUND);
    CHECK_FAILS(qn_dock_restraints_add_active(bare, 1, NULL, 0, receptor, ligand, &restraints), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("the active residue ALA 40 of the receptor has no heavy atom; expected one");
    qn_dock_restraints_clear(&restraints);
}

int main(void)
{
    receptor = make_molecule("A", 1, 40, 0);
    ligand = make_molecule("B", 101, 40, 2.5);
    RUN(active_residues_become_restraints);
    RUN(any_residue_is_the_target_without_a_list);
    RUN(attraction_is_shared_by_lists);
    RUN(satisfied_contacts_gain_energy);
    RUN(wrong_lists_are_refused);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&ligand);
    return check_finish();
}
