/* Preparation of ligands: types, order, positions relative to the centroid, refused molecules and their messages. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/compound/compound_stream.h"
#include "score/ligand.h"
#include "score/tests/pdbqt_atoms.h"
#include "score/vina.h"

static qn_ligand_score bude(void)
{
    return (qn_ligand_score){QN_SCORE_BUDE, qn_bude_find("2016")};
}

static qn_ligand_score vina(void)
{
    return (qn_ligand_score){.kind = QN_SCORE_VINA};
}

/* Make a compound from `atoms` "C:0,0,0 C:1.5,0,0 O-:2.2,1.2,0" (elements, charges, positions) and `bonds`
 * "1-2 2=3 3#4". */
static qn_compound *make(const char *atoms, const char *bonds)
{
    qn_compound *compound = NULL;
    size_t atom_count = 0, bond_count = 0;
    for (const char *c = atoms; *c; c++) atom_count += *c == ':';
    for (const char *c = bonds; *c; c++) bond_count += strchr("-=#", *c) != NULL;
    if (!CHECK_OK(qn_compound_create("made", atom_count, bond_count, 1, &compound))) exit(1);
    for (size_t i = 0; i < atom_count; i++) {
        qn_compound_atom *atom = &compound->atoms[i];
        char *next;
        atoms += strspn(atoms, " ");
        for (size_t k = 0; *atoms != ':'; atoms++) {
            if (*atoms == '-' || *atoms == '+')
                atom->charge_e = (signed char)(*atoms == '-' ? -1 : 1);
            else
                atom->element[k++] = *atoms;
        }
        for (size_t d = 0; d < 3; d++, atoms = next) compound->positions_angstrom[3 * i + d] = strtod(atoms + 1, &next);
    }
    for (size_t i = 0; i < bond_count; i++) {
        char *next;
        qn_compound_bond *bond = &compound->bonds[i];
        bond->first = (int)strtol(bonds, &next, 10) - 1;
        bond->order = *next == '-' ? QN_BOND_SINGLE : *next == '=' ? QN_BOND_DOUBLE : QN_BOND_TRIPLE;
        bond->second = (int)strtol(next + 1, &next, 10) - 1;
        bonds = next;
    }
    return compound;
}

static void check_type(const qn_score_ligand *ligand, int atom, const char *name)
{
    for (int i = 0; i < ligand->atom_count; i++)
        if (ligand->atom[i] == atom) CHECK_TEXT(qn_bude_find("2016")->types[ligand->type[i]].name, name);
}

static void ethanol_is_ordered_about_its_centroid(void)
{
    qn_compound *compound = make("O:10,0,0 C:11.4,0,0.2 C:12.0,1.4,0", "1-2 2-3");
    const qn_ligand_score score = bude();
    qn_score_ligand ligand, moved;
    if (CHECK_OK(qn_score_ligand_create(compound, &score, &ligand))) {
        const double centroid[3] = {33.4 / 3, 1.4 / 3, 0.2 / 3};
        CHECK(ligand.atom_count == 3 && ligand.conformer_count == 1);
        CHECK(ligand.atom[0] == 1 && ligand.atom[1] == 2 && ligand.atom[2] == 0);
        check_type(&ligand, 0, "O.3h");
        check_type(&ligand, 1, "C.3");
        for (int d = 0; d < 3; d++) {
            CHECK_NEAR(ligand.centroid_angstrom[d], centroid[d], 1e-12);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(ligand.positions_angstrom[3 * i + d],
                           compound->positions_angstrom[3 * ligand.atom[i] + d] - centroid[d], 1e-6);
        }
        CHECK_NEAR(ligand.rotatable_bonds, 0.5, 0); /* the hydroxyl */
        compound->positions_angstrom[8] += 0.1;
        if (CHECK_OK(qn_score_ligand_create(compound, &score, &moved))) CHECK(moved.hash != ligand.hash);
        qn_score_ligand_clear(&moved);
        compound->positions_angstrom[8] -= 0.1;
        if (CHECK_OK(qn_score_ligand_create(compound, &score, &moved))) CHECK(moved.hash == ligand.hash);
        qn_score_ligand_clear(&moved);
    }
    qn_score_ligand_clear(&ligand);
    qn_compound_destroy(&compound);
}

/* CH3-S(=O)2-N(−)-CH3, and methyl azide CH3-N=[N+]=[N−], whose charges balance. */
static void anionic_nitrogens_have_a_type(void)
{
    qn_compound *sulfonamide =
        make("C:0,0,0 S:1.8,0,0 O:2.3,1.3,0.3 O:2.3,-0.8,1.1 N-:2.4,-0.6,-1.3 C:3.9,-0.6,-1.4", "1-2 2=3 2=4 2-5 5-6");
    qn_compound *azide = make("C:0,0,0 N:1.4,0,0 N+:2.0,1.1,0 N-:2.7,2.0,0.1", "1-2 2=3 3=4");
    const qn_ligand_score score = bude();
    qn_score_ligand ligand;
    if (CHECK_OK(qn_score_ligand_create(sulfonamide, &score, &ligand))) {
        check_type(&ligand, 4, "N.ani");
        check_type(&ligand, 1, "S.o2");
        check_type(&ligand, 2, "O.2");
    }
    qn_score_ligand_clear(&ligand);
    if (CHECK_OK(qn_score_ligand_create(azide, &score, &ligand)))
        for (int i = 0; i < ligand.atom_count; i++)
            CHECK(strcmp(score.force_field->types[ligand.type[i]].name, "N.ani") != 0);
    qn_score_ligand_clear(&ligand);
    qn_compound_destroy(&sulfonamide);
    qn_compound_destroy(&azide);
}

static void each_conformer_has_its_centroid(void)
{
    qn_compound *compound = make("C:0,0,0 C:1.5,0,0.1", "1-2");
    const qn_ligand_score score = bude();
    qn_score_ligand ligand;
    const double other[6] = {5, 6, 7, 5, 8, 7};
    CHECK_OK(qn_compound_set_conformer_count(compound, 2));
    memcpy(qn_compound_positions(compound, 1), other, sizeof other);
    if (CHECK_OK(qn_score_ligand_create(compound, &score, &ligand))) {
        CHECK(ligand.conformer_count == 2);
        CHECK_NEAR(ligand.centroid_angstrom[4], 7, 1e-12);
        CHECK_NEAR(ligand.positions_angstrom[6 + 1], -1, 1e-6);
        CHECK_NEAR(ligand.positions_angstrom[6 + 4], 1, 1e-6);
    }
    qn_score_ligand_clear(&ligand);
    qn_compound_destroy(&compound);
}

static void check_refused(qn_compound *compound, const qn_ligand_score *score, const char *words)
{
    qn_score_ligand ligand;
    CHECK_FAILS(qn_score_ligand_create(compound, score, &ligand), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(words);
    CHECK_MESSAGE_HAS("made");
    CHECK(ligand.atom == NULL && ligand.positions_angstrom == NULL);
    qn_compound_destroy(&compound);
}

static void invalid_ligands_are_refused(void)
{
    const qn_ligand_score score = bude(), other = vina();
    qn_compound *large = NULL;
    qn_compound *compound = make("C:0,0,0 C:1.5,0,0", "1-2");
    compound->flat = true;
    check_refused(compound, &score, "a flat drawing");
    check_refused(make("H:0,0,0 H:0.7,0,0", "1-2"), &score, "no heavy atoms");
    compound = make("C:0,0,0 C:1.5,0,0", "1-2");
    compound->positions_angstrom[4] = NAN;
    check_refused(compound, &score, "atom 2 of conformer 1");
    if (CHECK_OK(qn_compound_create("made", 1025, 0, 1, &large))) {
        for (size_t i = 0; i < 1025; i++) memcpy(large->atoms[i].element, "C", 2);
        check_refused(large, &score, "1025 heavy atoms; expected at most 1024");
    }
    check_refused(make("C:0,0,0 X:1.5,0,0", "1-2"), &other, "atom 2 (X)");
    check_refused(make("C:0,0,0 C:0,-1001,0", "1-2"), &score, "atom 2 is 1001 Å away");
    check_refused(make("C:0,0,0 H:1,0,0 H:1,0,0 C:0,0.06,0.02", "1-2"), &score,
                  "atoms 1 and 4 of conformer 1 are 0.06 Å apart");
}

/* A compound without bonds gets bonds; bonds without orders get orders. */
static void compounds_without_bonds_are_prepared(void)
{
    qn_compound *compound = make("C:0,0,0 C:1.53,0,0 O:2.1,1.2,0 O:2.1,-1.2,0.1", "");
    bool known = true;
    CHECK_OK(qn_score_ligand_prepare(compound));
    CHECK(compound->bond_count == 3);
    for (size_t i = 0; i < compound->bond_count; i++) known &= compound->bonds[i].order != QN_BOND_UNKNOWN;
    CHECK(known);
    qn_compound_destroy(&compound);
}

/* The organic molecule of a salt is kept, and the metal of a complex; without stated bonds everything is kept. */
static void salts_lose_their_ions(void)
{
    static const struct {
        const char *atoms, *bonds, *left_out, *elements;
    } cases[] = {
        {"CL:9,0,0 C:0,0,0 N:1.5,0,0", "2-3", "Cl", "CN"},
        {"N:9,0,0 O:9,1.2,0 O:9,-1.2,0 C:0,0,0 O:2.1,1.2,0 NA:2.1,3.4,0 O:30,0,0 H:31,0,0 H:30,1,0",
         "1-2 1-3 4-5 7-8 7-9", "NO2; Na; H2O", "CO"},
        {"C:0,0,0 O:2.1,1.2,0 ZN:2.1,3.2,0 ZN:9,9,9", "1-2", "Zn", "COZN"},
        {"CL:9,0,0 C:0,0,0 N:1.5,0,0", "", NULL, "CLCN"},
        {"C:0,0,0 N:1.5,0,0", "1-2", NULL, "CN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char elements[64] = "";
        qn_compound *compound = make(cases[i].atoms, cases[i].bonds);
        CHECK_OK(qn_score_ligand_prepare(compound));
        for (size_t a = 0; a < compound->atom_count; a++) strcat(elements, compound->atoms[a].element);
        CHECK_TEXT(elements, cases[i].elements);
        const char *left_out = qn_compound_property_value(compound, QN_LIGAND_LEFT_OUT);
        if (CHECK((left_out == NULL) == (cases[i].left_out == NULL)) && left_out)
            CHECK_TEXT(left_out, cases[i].left_out);
        qn_compound_destroy(&compound);
    }
}

/* Count the atoms of each type of Vina; `types` may contain −1. */
static void count_types(const int *types, size_t count, int counts[QN_VINA_TYPES])
{
    memset(counts, 0, QN_VINA_TYPES * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        if (types[i] >= 0) counts[types[i]]++;
}

/* Imatinib with a charged piperazine, counted by hand: carbons without hetero neighbours are hydrophobic; the amide
 * nitrogen, the amine nitrogen and the charged nitrogen are donors; three aromatic nitrogens and the other nitrogen of
 * piperazine are acceptors; seven bonds are rotatable. */
static void imatinib_has_vinas_types(void)
{
    qn_compound **compounds = NULL;
    size_t count = 0;
    const qn_ligand_score score = vina();
    qn_score_ligand ligand;
    if (!CHECK_OK(qn_compound_read_file(check_data("../../examples/1iep/1iep_ligand.sdf"), &compounds, &count))) return;
    CHECK(count == 1);
    if (CHECK_OK(qn_score_ligand_create(compounds[0], &score, &ligand))) {
        int counts[QN_VINA_TYPES];
        count_types(ligand.type, (size_t)ligand.atom_count, counts);
        CHECK(ligand.atom_count == 37);
        CHECK_NEAR(ligand.rotatable_bonds, 7, 0);
        CHECK(counts[pdbqt_row(1.8, false, true, false)] == 3);
        CHECK(counts[pdbqt_row(1.8, false, false, true)] == 4);
        CHECK(counts[pdbqt_row(1.7, false, false, true)] == 1);
        CHECK(counts[pdbqt_row(1.9, true, false, false)] == 15);
        CHECK(counts[pdbqt_row(1.9, false, false, false)] == 14);
    }
    qn_score_ligand_clear(&ligand);
    qn_compound_destroy(&compounds[0]);
    qn_release(&compounds);
}

/* Energies from files agree with the intermolecular energies that Vina's authors give for four poses, within the
 * accuracy of their tables and rounded coordinates. */
static void published_poses_have_the_published_energies(void)
{
    static const double stated[] = {-18.649, -15.699, -15.395, -15.881};
    const qn_ligand_score score = vina();
    qn_score_receptor receptor;
    qn_compound **poses = NULL;
    size_t count = 0;
    const char *path = check_reference_data("docking/ligand/1iep/1iep_receptor.pdbqt");
    if (!path || !CHECK_OK(qn_score_receptor_read(path, &score, &receptor))) return;
    path = check_reference_data("docking/ligand/1iep/1iep_ligand_vina_out.pdbqt");
    if (path && CHECK_OK(qn_compound_read_file(path, &poses, &count))) {
        CHECK(count == 4);
        for (size_t p = 0; p < count && p < 4; p++) {
            qn_score_ligand ligand;
            qn_vina_energy energy;
            double positions[3 * 64];
            CHECK_OK(qn_score_ligand_prepare(poses[p]));
            if (!CHECK_OK(qn_score_ligand_create(poses[p], &score, &ligand))) continue;
            for (int i = 0; i < 3 * ligand.atom_count && i < 3 * 64; i++)
                positions[i] = ligand.positions_angstrom[i] + ligand.centroid_angstrom[i % 3];
            qn_vina_energy_of(positions, ligand.type, (size_t)ligand.atom_count, ligand.rotatable_bonds,
                              receptor.positions_angstrom, receptor.types, receptor.atom_count, &energy);
            CHECK_NEAR(energy.total * (1 + 7 * QN_VINA_TORSION), stated[p], 0.01);
            qn_score_ligand_clear(&ligand);
        }
    }
    for (size_t p = 0; p < count; p++) qn_compound_destroy(&poses[p]);
    qn_release(&poses);
    qn_score_receptor_clear(&receptor);
}

int main(void)
{
    RUN(ethanol_is_ordered_about_its_centroid);
    RUN(anionic_nitrogens_have_a_type);
    RUN(each_conformer_has_its_centroid);
    RUN(invalid_ligands_are_refused);
    RUN(compounds_without_bonds_are_prepared);
    RUN(salts_lose_their_ions);
    RUN(imatinib_has_vinas_types);
    if (check_reference_data("docking/ligand/1iep")) RUN(published_poses_have_the_published_energies);
    return check_finish();
}
