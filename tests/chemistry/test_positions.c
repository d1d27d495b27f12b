/* Bonds and their orders from positions: molecules with known bonds lose their bonds (in some tests their hydrogens
 * too). The bonds derived from positions must give the same SYBYL types as the known ones. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "chemistry/bonds.h"
#include "chemistry/residue_types.h"
#include "chemistry/sybyl.h"
#include "format/compound/compound_stream.h"

typedef struct comparison {
    size_t molecules, atoms, bonds_lost, differences;
    size_t amines; /* N.4 that became N.3: without hydrogens the charge is unknown */
} comparison;

/* Copy atoms and positions without bonds, with or without the hydrogens. `map` gives each atom's new index, −1 for
 * dropped atoms. */
static qn_compound *bare(const qn_compound *compound, bool hydrogens, int *map, size_t *bonds)
{
    size_t count = 0;
    qn_compound *copy = NULL;
    for (size_t i = 0; i < compound->atom_count; i++)
        map[i] = !hydrogens && qn_compound_atom_is_hydrogen(&compound->atoms[i]) ? -1 : (int)count++;
    if (!CHECK_OK(qn_compound_create(compound->name, count, 0, 1, &copy))) return NULL;
    for (size_t i = 0; i < compound->atom_count; i++) {
        if (map[i] < 0) continue;
        memcpy(copy->atoms[map[i]].element, compound->atoms[i].element, sizeof copy->atoms[0].element);
        memcpy(qn_compound_positions(copy, 0) + 3 * map[i], qn_compound_positions(compound, 0) + 3 * i,
               3 * sizeof(double));
    }
    *bonds = 0;
    for (size_t i = 0; i < compound->bond_count; i++)
        *bonds += map[compound->bonds[i].first] >= 0 && map[compound->bonds[i].second] >= 0;
    return copy;
}

static void compare(const qn_compound *compound, bool hydrogens, comparison *total)
{
    qn_sybyl_type expected[512], found[512];
    int map[512];
    size_t bonds;
    if (!CHECK(compound->atom_count <= 512) || !CHECK_OK(qn_sybyl_find_types(compound, expected))) return;
    qn_compound *copy = bare(compound, hydrogens, map, &bonds);
    if (!copy) return;
    bool done = CHECK_OK(qn_bonds_connect(copy));
    done = done && CHECK_OK(qn_bonds_find_orders(copy)) && CHECK_OK(qn_sybyl_find_types(copy, found));
    total->molecules++;
    total->bonds_lost += copy->bond_count != bonds;
    for (size_t i = 0; i < compound->atom_count && done; i++) {
        if (map[i] < 0) continue;
        bool amine = expected[i] == QN_SYBYL_N_4 && found[map[i]] == QN_SYBYL_N_3;
        total->atoms++;
        total->amines += amine;
        total->differences += !amine && expected[i] != found[map[i]];
    }
    qn_compound_destroy(&copy);
}

static comparison compare_file(const char *path, bool hydrogens)
{
    comparison total = {0};
    qn_compound **compounds;
    size_t count;
    if (!CHECK_OK(qn_compound_read_file(path, &compounds, &count))) return total;
    for (size_t i = 0; i < count; i++) {
        compare(compounds[i], hydrogens, &total);
        qn_compound_destroy(&compounds[i]);
    }
    qn_release(&compounds);
    return total;
}

static void bonds_and_types_are_restored_with_hydrogens(void)
{
    comparison imatinib = compare_file(check_data("../../examples/1iep/1iep_ligand.sdf"), true);
    CHECK(imatinib.molecules == 1 && imatinib.atoms == 69);
    CHECK(imatinib.bonds_lost == 0);
    CHECK(imatinib.differences + imatinib.amines == 0);
    comparison library = compare_file(check_data("../../examples/1iep/kinase_inhibitors.sdf"), true);
    CHECK(library.molecules == 48);
    CHECK(library.bonds_lost == 0);
    CHECK(library.differences + library.amines == 0);
}

static void crystal_ligands_are_restored_with_and_without_hydrogens(void)
{
    for (int hydrogens = 0; hydrogens < 2; hydrogens++) {
        comparison ligands = compare_file(check_data("chemistry/crystal_ligands.mol2"), hydrogens);
        CHECK(ligands.molecules == 6 && ligands.bonds_lost == 0);
        CHECK(ligands.differences + ligands.amines == 0);
    }
}

/* Three facts are lost without hydrogens: the charge of amines, which nitrogen of a pyrazole has the hydrogen (2
 * atoms), and that a sulfonic acid was drawn with its hydrogen (3 atoms). */
static void bonds_and_most_types_are_restored_without_hydrogens(void)
{
    comparison imatinib = compare_file(check_data("../../examples/1iep/1iep_ligand.sdf"), false);
    CHECK(imatinib.atoms == 37 && imatinib.bonds_lost == 0);
    CHECK(imatinib.differences == 0);
    CHECK(imatinib.amines == 1);
    comparison library = compare_file(check_data("../../examples/1iep/kinase_inhibitors.sdf"), false);
    CHECK(library.molecules == 48 && library.atoms > 1100);
    CHECK(library.bonds_lost == 0);
    CHECK(library.differences <= 5);
}

/* Only the hydrogens are removed: bonds and charges still determine the types. */
static void known_bonds_determine_types_without_hydrogens(void)
{
    qn_compound **compounds;
    size_t count;
    if (!CHECK_OK(qn_compound_read_file(check_data("../../examples/1iep/kinase_inhibitors.sdf"), &compounds, &count)))
        return;
    for (size_t m = 0; m < count; m++) {
        const qn_compound *whole = compounds[m];
        qn_sybyl_type expected[512], found[512];
        int map[512];
        size_t bonds;
        qn_compound *copy = NULL, *bonded = NULL;
        if (CHECK_OK(qn_sybyl_find_types(whole, expected))) copy = bare(whole, false, map, &bonds);
        if (copy && CHECK_OK(qn_compound_create("bonded", copy->atom_count, bonds, 1, &bonded))) {
            bonded->bond_count = 0;
            for (size_t i = 0; i < whole->bond_count; i++) {
                qn_compound_bond bond = whole->bonds[i];
                bond.first = map[bond.first], bond.second = map[bond.second];
                if (bond.first >= 0 && bond.second >= 0) bonded->bonds[bonded->bond_count++] = bond;
            }
            for (size_t i = 0; i < whole->atom_count; i++)
                if (map[i] >= 0) bonded->atoms[map[i]] = whole->atoms[i];
            CHECK_OK(qn_sybyl_find_types(bonded, found));
            for (size_t i = 0; i < whole->atom_count; i++) CHECK(map[i] < 0 || expected[i] == found[map[i]]);
        }
        qn_compound_destroy(&bonded);
        qn_compound_destroy(&copy);
        qn_compound_destroy(&compounds[m]);
    }
    qn_release(&compounds);
}

/* Read the only residue of a PDB file with crystal positions. */
static qn_compound *crystal_residue(const char *name)
{
    qn_molecule *molecule = NULL;
    qn_compound *compound = NULL;
    size_t atoms[64];
    if (!CHECK_OK(qn_molecule_read(NULL, check_data(name), NULL, &molecule))) return NULL;
    for (size_t i = 0; i < 64; i++) atoms[i] = i;
    if (CHECK(molecule->atom_count <= 64) &&
        CHECK_OK(qn_bonds_from_molecule(molecule, atoms, molecule->atom_count, &compound)))
        CHECK_OK(qn_bonds_find_orders(compound));
    qn_molecule_destroy(&molecule);
    return compound;
}

/* Check the names of the atoms that have `type`, in the file's order. */
static void check_atoms_of(const qn_compound *compound, const char *type, const char *expected)
{
    qn_sybyl_type types[64];
    char text[512] = "";
    if (!CHECK_OK(qn_sybyl_find_types(compound, types))) return;
    for (size_t i = 0; i < compound->atom_count; i++) {
        if (strcmp(qn_sybyl_name(types[i]), type) != 0) continue;
        if (text[0] != '\0') strcat(text, " ");
        strcat(text, compound->atoms[i].name);
    }
    CHECK_TEXT(text, expected);
}

/* The chemical description in the entry gives two double bonds: C11=O11 and C3=O3. */
static void biotin_of_1stp_gets_its_bonds_and_types(void)
{
    qn_compound *compound = crystal_residue("chemistry/1stp_biotin.pdb");
    if (!compound) return;
    size_t doubles = 0;
    CHECK(compound->atom_count == 16 && compound->bond_count == 17);
    for (size_t i = 0; i < compound->bond_count; i++) {
        const qn_compound_bond *bond = &compound->bonds[i];
        const char *a = compound->atoms[bond->first].name, *b = compound->atoms[bond->second].name;
        bool carbonyl =
            (strcmp(a, "C11") == 0 && strcmp(b, "O11") == 0) || (strcmp(a, "C3") == 0 && strcmp(b, "O3") == 0);
        CHECK((bond->order == QN_BOND_DOUBLE) == carbonyl);
        doubles += bond->order == QN_BOND_DOUBLE;
    }
    CHECK(doubles == 2);
    check_atoms_of(compound, "O.co2", "O11 O12");
    check_atoms_of(compound, "N.am", "N1 N2");
    check_atoms_of(compound, "S.3", "S1");
    check_atoms_of(compound, "C.2", "C11 C3");
    qn_compound_destroy(&compound);
}

/* 1-(4-fluorophenyl)-N-[3-fluoro-4-(1H-pyrrolo[2,3-b]pyridin-4-yloxy)phenyl]-2-oxo-1,2-dihydropyridine-3-carboxamide,
 * by the entry's HETNAM. */
static void inhibitor_of_3ce3_gets_its_types(void)
{
    qn_compound *compound = crystal_residue("chemistry/3ce3_inhibitor.pdb");
    if (!compound) return;
    CHECK(compound->atom_count == 34 && compound->bond_count == 38);
    check_atoms_of(compound, "O.2", "O19 O25");
    check_atoms_of(compound, "O.3", "O7");
    check_atoms_of(compound, "N.am", "N15 N21");
    check_atoms_of(compound, "N.ar", "N3");
    check_atoms_of(compound, "N.pl3", "N29");
    check_atoms_of(compound, "C.2", "C18 C17 C20 C22 C23 C24 C27 C28"); /* pyridone, two carbonyls, pyrrole */
    check_atoms_of(compound, "C.3", "");
    qn_compound_destroy(&compound);
}

/* The same molecule as a receptor's residue, which has no template, gets the same types. */
static void residues_without_template_get_the_types_of_the_molecule(void)
{
    qn_molecule *molecule = NULL;
    qn_sybyl_type types[64];
    size_t unknown = 99;
    if (!CHECK_OK(qn_molecule_read(NULL, check_data("chemistry/1stp_biotin.pdb"), NULL, &molecule))) return;
    CHECK(molecule->atom_count == 16);
    CHECK_OK(qn_residue_sybyl_types(molecule, types, &unknown));
    CHECK(unknown == 0);
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const char *name = molecule->atoms[i].name;
        if (name[0] == 'N') CHECK(types[i] == QN_SYBYL_N_AM);
        if (strcmp(name, "O3") == 0) CHECK(types[i] == QN_SYBYL_O_2);
        if (name[0] == 'O' && name[1] == '1') CHECK(types[i] == QN_SYBYL_O_CO2);
    }
    qn_molecule_destroy(&molecule);
}

int main(void)
{
    RUN(bonds_and_types_are_restored_with_hydrogens);
    RUN(bonds_and_most_types_are_restored_without_hydrogens);
    RUN(crystal_ligands_are_restored_with_and_without_hydrogens);
    RUN(known_bonds_determine_types_without_hydrogens);
    RUN(biotin_of_1stp_gets_its_bonds_and_types);
    RUN(inhibitor_of_3ce3_gets_its_types);
    RUN(residues_without_template_get_the_types_of_the_molecule);
    return check_finish();
}
