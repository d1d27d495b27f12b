/* Vina's energies against pairs computed by hand from the published terms, and against poses that Vina's authors
 * published with the energies of their program. */
#include "check.h"

#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/compound/compound_stream.h"
#include "score/ligand_types.h"
#include "score/tests/pdbqt_atoms.h"

/* Kinds of atoms. */
enum { CARBON, POLAR_CARBON, DONOR, ACCEPTOR, BOTH, SULFUR, METAL };

static int row(int what)
{
    switch (what) {
    case CARBON: return pdbqt_row(1.9, true, false, false);
    case POLAR_CARBON: return pdbqt_row(1.9, false, false, false);
    case DONOR: return pdbqt_row(1.8, false, true, false);
    case ACCEPTOR: return pdbqt_row(1.7, false, false, true);
    case BOTH: return pdbqt_row(1.7, false, true, true);
    case SULFUR: return pdbqt_row(2.0, false, false, false);
    default: return pdbqt_row(1.2, false, true, false);
    }
}

static qn_vina_energy pair_energy(int a, int b, double r)
{
    double here[3] = {-1, 0.5, 2}, there[3] = {-1 + 0.6 * r, 0.5, 2 + 0.8 * r};
    int types[2] = {row(a), row(b)};
    qn_vina_energy energy;
    qn_vina_energy_of(here, &types[0], 1, 0, there, &types[1], 1, &energy);
    return energy;
}

static const struct {
    int a, b;
    double r, gauss1, gauss2, repulsion, hydrophobic, hydrogen_bond; /* weighted */
} by_hand[] = {
    {CARBON, CARBON, 3.8, -0.035579, -0.005156 * 0.10539922456186433, 0, -0.035069, 0},
    {CARBON, CARBON, 3.3, -0.035579 * 0.36787944117144233, -0.005156 * 0.046770622383958983, 0.840245 * 0.25, -0.035069,
     0},
    {CARBON, CARBON, 4.8, -0.035579 * 0.018315638888734179, -0.005156 * 0.36787944117144233, 0, -0.035069 * 0.5, 0},
    {CARBON, CARBON, 6.8, -0.035579 * 2.3195228302435696e-16, -0.005156, 0, 0, 0},
    {CARBON, POLAR_CARBON, 3.8, -0.035579, -0.005156 * 0.10539922456186433, 0, 0, 0},
    {DONOR, ACCEPTOR, 3.0, -0.035579 * 0.36787944117144233, -0.005156 * 0.046770622383958983, 0.840245 * 0.25, 0,
     -0.587439 * 5 / 7},
    {ACCEPTOR, BOTH, 3.4, -0.035579, -0.005156 * 0.10539922456186433, 0, 0, 0},
    {BOTH, BOTH, 2.4, -0.035579 * 0.018315638888734179, -0.005156 * 0.018315638888734179, 0.840245, 0, -0.587439},
    {DONOR, DONOR, 3.1, -0.035579 * 0.36787944117144233, -0.005156 * 0.046770622383958983, 0.840245 * 0.25, 0, 0},
    {METAL, ACCEPTOR, 1.9, -0.035579 * 0.018315638888734179, -0.005156 * 0.018315638888734179, 0.840245, 0, -0.587439},
    {SULFUR, DONOR, 7.9999, -0.035579 * 0, -0.005156 * 0.69771819, 0, 0, 0},
    {SULFUR, DONOR, 8.0001, 0, 0, 0, 0, 0},
};

/* Exponentials of −4, −1, −9/4, −49/16 and so on come from a calculator; radii are floats. */
static void pairs_agree_with_hand_calculation(void)
{
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        qn_vina_energy energy = pair_energy(by_hand[i].a, by_hand[i].b, by_hand[i].r);
        CHECK_NEAR(energy.gauss1, by_hand[i].gauss1, 1e-7);
        CHECK_NEAR(energy.gauss2, by_hand[i].gauss2, 1e-7);
        CHECK_NEAR(energy.repulsion, by_hand[i].repulsion, 1e-6);
        CHECK_NEAR(energy.hydrophobic, by_hand[i].hydrophobic, 1e-7);
        CHECK_NEAR(energy.hydrogen_bond, by_hand[i].hydrogen_bond, 1e-6);
    }
}

static bool clash(const qn_ligand_score *score, int a, int b, double r)
{
    const double limit = qn_ligand_clash_angstrom(score, a, b);
    CHECK(limit == qn_ligand_clash_angstrom(score, b, a));
    return r < limit;
}

/* Lengths of bonds from zinc to ligands in crystals (Harding 2006, Acta Cryst. D62, 678): 1.99 Å to a carboxylate, 2.03
 * Å to histidine, 2.31 Å to cysteine. */
static void atoms_that_coordinate_a_metal_do_not_clash(void)
{
    const qn_ligand_score vina = {.kind = QN_SCORE_VINA}, bude = {QN_SCORE_BUDE, qn_bude_find("2016")};
    const int nitrogen = pdbqt_row(1.8, false, false, true);
    CHECK(!clash(&vina, row(METAL), row(ACCEPTOR), 1.99) && clash(&vina, row(METAL), row(ACCEPTOR), 1.4));
    CHECK(!clash(&vina, row(METAL), nitrogen, 2.03) && clash(&vina, row(METAL), nitrogen, 1.4));
    CHECK(!clash(&vina, row(METAL), row(SULFUR), 2.2) && clash(&vina, row(METAL), row(SULFUR), 1.7));
    /* carbon does not coordinate; metals do not coordinate each other; other pairs are as they were */
    CHECK(clash(&vina, row(METAL), row(CARBON), 2.1) && !clash(&vina, row(METAL), row(CARBON), 2.2));
    CHECK(clash(&vina, row(METAL), row(METAL), 1.6));
    CHECK(clash(&vina, row(ACCEPTOR), nitrogen, 2.4) && !clash(&vina, row(ACCEPTOR), nitrogen, 2.5));
    CHECK_NEAR(qn_ligand_clash_angstrom(&vina, row(CARBON), row(ACCEPTOR)), 0.7 * (1.9 + 1.7), 1e-6);
    const int zinc = qn_bude_type_named(bude.force_field, "Zn");
    CHECK(!clash(&bude, zinc, qn_bude_type_named(bude.force_field, "O.co2"), 1.99));
    CHECK(!clash(&bude, zinc, qn_bude_type_named(bude.force_field, "N.ar"), 2.03));
    CHECK(!clash(&bude, zinc, qn_bude_type_named(bude.force_field, "S.3"), 2.2));
}

/* The number after `key` in the remarks of a model. */
static double remark(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    return CHECK(found != NULL) ? strtod(found + strlen(key), NULL) : 0;
}

/* Their program takes pair energies from a table with 32 steps per Å², scales positive atom energies by
 * 1000 / (1000 + e) ("curl") and rounds poses to 0.001 Å: energies of −15 to −19 kcal/mol differ by up to 0.006. */
static void published_poses_have_the_published_energies(void)
{
    static pdbqt_atoms receptor, ligand;
    char *text = NULL, *poses = NULL;
    size_t size;
    const char *path = check_reference_data("docking/ligand/1iep/1iep_receptor.pdbqt");
    if (!path || !CHECK_OK(qn_file_read(path, &text, &size))) return;
    pdbqt_read(text, &receptor, NULL);
    CHECK(receptor.heavy == 2229 && receptor.count == 2229 + 473);
    path = check_reference_data("docking/ligand/1iep/1iep_ligand_vina_out.pdbqt");
    if (path && CHECK_OK(qn_file_read(path, &poses, &size))) {
        int models = 0;
        for (const char *model = strstr(poses, "MODEL"); model; model = strstr(model + 1, "MODEL"), models++) {
            qn_vina_energy energy;
            double stated = remark(model, "RESULT:"), torsions = 7; /* BRANCH records, and their TORSDOF */
            pdbqt_read(model, &ligand, NULL);
            qn_vina_energy_of(ligand.positions, ligand.types, ligand.heavy, torsions, receptor.positions,
                              receptor.types, receptor.heavy, &energy);
            double inter = remark(model, "REMARK INTER:"), intra = remark(model, "REMARK INTRA:");
            double unbound = remark(model, "REMARK UNBOUND:"), divisor = 1 + 0.05846 * torsions;
            CHECK_NEAR(energy.gauss1 + energy.gauss2 + energy.repulsion + energy.hydrophobic + energy.hydrogen_bond,
                       inter, 0.01);
            CHECK_NEAR(energy.total * divisor, inter, 0.01);
            /* The stated affinity also contains the ligand's own energy. */
            CHECK_NEAR(energy.total + (intra - unbound) / divisor, stated, 0.01);
        }
        CHECK(models == 4);
    }
    qn_release(&poses);
    qn_release(&text);
}

/* Imatinib with a charged piperazine and explicit hydrogens: nitrogens with a hydrogen are donors, three aromatic
 * nitrogens and the other nitrogen of piperazine are acceptors, as in the authors' PDBQT file. The number of rotatable
 * bonds is the number of branches in that file. */
static void types_follow_from_the_structure(void)
{
    qn_compound **compounds = NULL;
    size_t count = 0, of_row[QN_VINA_TYPES] = {0}, hydrogens = 0;
    int types[128];
    double bonds = 0;
    if (!CHECK_OK(qn_compound_read_file(check_data("../../examples/1iep/1iep_ligand.sdf"), &compounds, &count))) return;
    if (CHECK(count == 1 && compounds[0]->atom_count <= 128) && CHECK_OK(qn_vina_types(compounds[0], types)))
        for (size_t i = 0; i < compounds[0]->atom_count; i++) {
            if (types[i] < 0)
                hydrogens++;
            else
                of_row[types[i]]++;
        }
    CHECK(hydrogens + 37 == compounds[0]->atom_count);
    CHECK(of_row[row(CARBON)] == 15 && of_row[row(POLAR_CARBON)] == 14);
    CHECK(of_row[row(DONOR)] == 3 && of_row[row(ACCEPTOR)] == 1);
    CHECK(of_row[pdbqt_row(1.8, false, false, true)] == 4);
    CHECK_OK(qn_vina_rotatable_bonds(compounds[0], &bonds));
    CHECK_NEAR(bonds, 7, 0);
    qn_compound_destroy(&compounds[0]);
    qn_release(&compounds);
}

/* Methanol with an explicit hydrogen, deuterium or tritium on its oxygen: the hydrogen has no type, and the oxygen is a
 * donor. */
static void deuterium_and_tritium_are_hydrogens(void)
{
    static const char *const kinds[] = {"H", "D", "T"};
    for (int kind = 0; kind < 3; kind++) {
        qn_compound *methanol = NULL;
        int types[3];
        if (!CHECK_OK(qn_compound_create("methanol", 3, 2, 1, &methanol))) return;
        strcpy(methanol->atoms[0].element, "C");
        strcpy(methanol->atoms[1].element, "O");
        strcpy(methanol->atoms[2].element, kinds[kind]);
        methanol->bonds[0] = (qn_compound_bond){0, 1, QN_BOND_SINGLE};
        methanol->bonds[1] = (qn_compound_bond){1, 2, QN_BOND_SINGLE};
        if (CHECK_OK(qn_vina_types(methanol, types))) CHECK(types[2] == -1 && types[1] == row(BOTH));
        qn_compound_destroy(&methanol);
    }
}

int main(void)
{
    RUN(pairs_agree_with_hand_calculation);
    RUN(atoms_that_coordinate_a_metal_do_not_clash);
    RUN(types_follow_from_the_structure);
    RUN(deuterium_and_tritium_are_hydrogens);
    if (check_reference_data("docking/ligand/1iep")) RUN(published_poses_have_the_published_energies);
    return check_finish();
}
