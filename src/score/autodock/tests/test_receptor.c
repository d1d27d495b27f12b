/* Receptors prepared for AutoDock: types, charges and hydrogens, compared with AutoDockTools' preparation of the same
 * file, and with formal charges and counts from textbooks. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "score/autodock/atoms.h"

enum { MOST = 4096 };

typedef struct reference {
    double position[3], charge;
    char type[4], residue[4];
} reference;

static double column(const char *line, int first, int length)
{
    char text[16] = {0};
    memcpy(text, line + first, (size_t)length);
    return strtod(text, NULL);
}

/* Atoms of a PDBQT, read with code of this test's own. */
static size_t read_reference(const char *path, reference *atoms)
{
    char line[128];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (!file) exit(1);
    while (count < MOST && fgets(line, sizeof line, file)) {
        if (strncmp(line, "ATOM", 4) != 0 && strncmp(line, "HETATM", 6) != 0) continue;
        reference *a = &atoms[count++];
        memset(a, 0, sizeof *a);
        for (int k = 0; k < 3; k++) a->position[k] = column(line, 30 + 8 * k, 8);
        a->charge = column(line, 70, 6);
        sscanf(line + 77, "%3s", a->type);
        memcpy(a->residue, line + 17, 3);
    }
    fclose(file);
    return count;
}

static const reference *find(const reference *atoms, size_t count, const double position[3])
{
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) square += pow(atoms[i].position[k] - position[k], 2);
        if (square < 1e-5) return &atoms[i];
    }
    return NULL;
}

static qn_molecule *read_molecule(const char *name)
{
    qn_molecule *molecule = NULL;
    qn_molecule_options options = {.size = sizeof options, .drop_water = true};
    if (!CHECK_OK(qn_molecule_read(NULL, check_data(name), &options, &molecule))) exit(1);
    return molecule;
}

/* AutoDockTools moves the small charges that pass peptide bonds so that each residue has a whole charge, which accounts
 * for up to 0.004 e, and for 0.026 e at the end of the chain, where a nitrogen is missing. It calls the sulfur of a
 * thiolate S; here it accepts hydrogen bonds (SA). */
static void abl_agrees_with_autodocktools(void)
{
    static reference atoms[MOST];
    const char *path = check_reference_data("maps/1iep_receptor.pdbqt");
    if (!path) return;
    const size_t count = read_reference(path, atoms);
    qn_molecule *molecule = read_molecule("../../examples/1iep/1iep_receptor.pdb");
    qn_autodock_atoms prepared;
    size_t thiolates = 0;
    double squares = 0, largest = 0;
    if (!CHECK_OK(qn_autodock_receptor_prepare(molecule, &prepared))) return;
    CHECK(prepared.count == count);
    CHECK(prepared.built == 0 && prepared.unplaced == 0);
    for (size_t i = 0; i < prepared.count; i++) {
        const qn_autodock_atom *a = &prepared.items[i];
        const reference *same = find(atoms, count, a->position_angstrom);
        if (!CHECK(same != NULL)) continue;
        const bool thiolate = strcmp(a->type, "SA") == 0 && strcmp(same->type, "S") == 0;
        thiolates += thiolate;
        if (!thiolate) CHECK_TEXT(a->type, same->type);
        squares += pow(a->charge_e - same->charge, 2);
        largest = fmax(largest, fabs(a->charge_e - same->charge));
    }
    CHECK(thiolates == 5);
    printf("root mean square difference %.4f e, largest %.4f e\n", sqrt(squares / (double)count), largest);
    CHECK(sqrt(squares / (double)count) < 0.002);
    CHECK(largest < 0.030);
    qn_autodock_atoms_clear(&prepared);
    qn_molecule_destroy(&molecule);
}

static double charge_of_residue(const qn_autodock_atoms *atoms, size_t residue)
{
    double sum = 0;
    for (size_t i = 0; i < atoms->count; i++)
        if (atoms->items[i].residue == residue) sum += atoms->items[i].charge_e;
    return sum;
}

static size_t count_type(const qn_autodock_atoms *atoms, size_t residue, const char *type)
{
    size_t count = 0;
    for (size_t i = 0; i < atoms->count; i++)
        count += atoms->items[i].residue == residue && strcmp(atoms->items[i].type, type) == 0;
    return count;
}

/* Charges at pH 7 and polar hydrogens of residues within a chain (with the amide's), of biochemistry textbooks. */
static const struct {
    const char *name;
    int charge;
    size_t hydrogens, aromatic;
} textbook[] = {{"ALA", 0, 1, 0},  {"ARG", 1, 6, 0}, {"ASN", 0, 3, 0}, {"ASP", -1, 1, 0}, {"GLN", 0, 3, 0},
                {"GLU", -1, 1, 0}, {"GLY", 0, 1, 0}, {"HIS", 0, 2, 3}, {"ILE", 0, 1, 0},  {"LEU", 0, 1, 0},
                {"LYS", 1, 4, 0},  {"MET", 0, 1, 0}, {"PHE", 0, 1, 6}, {"PRO", 0, 0, 0},  {"SER", 0, 2, 0},
                {"THR", 0, 2, 0},  {"TRP", 0, 2, 8}, {"TYR", 0, 2, 6}, {"VAL", 0, 1, 0},  {"CYS", 0, 1, 0}};

/* Bovine trypsin has no hydrogens in this file, and its twelve cysteines are in bridges. Charge passes peptide bonds,
 * so a residue's charge differs from the whole number a little. */
static void hydrogens_of_trypsin_are_built(void)
{
    qn_molecule *molecule = read_molecule("../../examples/1ppe/1PPE_r_u.pdb");
    qn_autodock_atoms atoms;
    double sum = 0;
    if (!CHECK_OK(qn_autodock_receptor_prepare(molecule, &atoms))) return;
    for (size_t r = 1; r + 1 < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        if (residue->number == 162 || residue->number == 163) continue;
        for (size_t k = 0; k < sizeof textbook / sizeof *textbook; k++) {
            if (strcmp(textbook[k].name, residue->name) != 0) continue;
            if (!CHECK_NEAR(charge_of_residue(&atoms, r), textbook[k].charge, 0.03) ||
                !CHECK(count_type(&atoms, r, "HD") == textbook[k].hydrogens) ||
                !CHECK(count_type(&atoms, r, "A") == textbook[k].aromatic))
                printf("  %s %d: %zu polar hydrogens, charge %.3f\n", residue->name, residue->number,
                       count_type(&atoms, r, "HD"), charge_of_residue(&atoms, r));
        }
    }
    CHECK(atoms.unplaced == 0);
    CHECK_TEXT(molecule->residues[0].name, "ILE");
    CHECK(count_type(&atoms, 0, "HD") == 3);
    CHECK_NEAR(charge_of_residue(&atoms, 0), 1, 0.06);
    for (size_t i = 0; i < atoms.count; i++) sum += atoms.items[i].charge_e;
    CHECK_NEAR(sum, round(sum), 1e-9);
    qn_autodock_atoms_clear(&atoms);
    qn_molecule_destroy(&molecule);
}

/* A molecule with the atoms of one residue after the other. */
static void append(qn_molecule *molecule, const char *residue, const char *atom, const char *element, double x,
                   double y, double z)
{
    if (molecule->residue_count == 0 || strcmp(molecule->residues[molecule->residue_count - 1].name, residue) != 0) {
        qn_residue r = {.number = (int)molecule->residue_count + 1, .chain = "A", .hetero = true, .chain_break = true};
        strcpy(r.name, residue);
        CHECK_OK(qn_molecule_append_residue(molecule, &r));
    }
    qn_atom a = {.position_angstrom = {x, y, z}, .occupancy = 1};
    strcpy(a.name, atom);
    strcpy(a.element, element);
    CHECK_OK(qn_molecule_append_atom(molecule, &a));
}

static void ions_have_their_charges_and_waters_are_left_out(void)
{
    qn_molecule *molecule = NULL;
    qn_autodock_atoms atoms;
    CHECK_OK(qn_molecule_create("ions", &molecule));
    append(molecule, "ZN", "ZN", "ZN", 0, 0, 0);
    append(molecule, "HOH", "O", "O", 20, 0, 0);
    append(molecule, "CL", "CL", "CL", 10, 0, 0);
    append(molecule, "NA", "NA", "NA", 30, 0, 0);
    if (!CHECK_OK(qn_autodock_receptor_prepare(molecule, &atoms))) return;
    CHECK(atoms.count == 2 && atoms.left_out == 1);
    CHECK_TEXT(atoms.items[0].type, "Zn");
    CHECK_NEAR(atoms.items[0].charge_e, 2, 0);
    CHECK_TEXT(atoms.items[1].type, "Cl");
    CHECK_NEAR(atoms.items[1].charge_e, -1, 0);
    qn_autodock_atoms_clear(&atoms);
    qn_molecule_destroy(&molecule);
}

static void an_element_without_type_is_named(void)
{
    qn_molecule *molecule = NULL;
    qn_autodock_atoms atoms;
    CHECK_OK(qn_molecule_create("copper.pdb", &molecule));
    append(molecule, "CU", "CU", "CU", 0, 0, 0);
    CHECK_FAILS(qn_autodock_receptor_prepare(molecule, &atoms), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("copper.pdb: atom CU of residue CU 1 of chain A is of element CU");
    qn_molecule_destroy(&molecule);
}

/* A zinc finger's cysteine and histidine, made by hand: the sulfur is 2.3 Å and NE2 2.05 Å from the metal. */
static void ligands_of_a_metal_have_no_hydrogen_there(void)
{
    qn_molecule *molecule = NULL;
    qn_autodock_atoms atoms;
    CHECK_OK(qn_molecule_create("finger", &molecule));
    append(molecule, "CYS", "CA", "C", 4.2, 2.3, 0);
    append(molecule, "CYS", "CB", "C", 3.0, 1.7, 0);
    append(molecule, "CYS", "SG", "S", 2.3, 0, 0);
    append(molecule, "ZN", "ZN", "ZN", 0, 0, 0);
    append(molecule, "HIS", "CB", "C", -5.344, -1.558, 0);
    append(molecule, "HIS", "CG", "C", -4.130, -0.676, 0);
    append(molecule, "HIS", "ND1", "N", -4.130, 0.676, 0);
    append(molecule, "HIS", "CE1", "C", -2.845, 1.094, 0);
    append(molecule, "HIS", "NE2", "N", -2.050, 0, 0);
    append(molecule, "HIS", "CD2", "C", -2.845, -1.094, 0);
    if (!CHECK_OK(qn_autodock_receptor_prepare(molecule, &atoms))) return;
    CHECK(count_type(&atoms, 0, "HD") == 0);
    CHECK_NEAR(charge_of_residue(&atoms, 0), -1, 1e-9);
    CHECK(count_type(&atoms, 2, "HD") == 1);
    CHECK(count_type(&atoms, 2, "NA") == 1);
    for (size_t i = 0; i < atoms.count; i++)
        if (strcmp(atoms.items[i].name, "ND1") == 0 || strcmp(atoms.items[i].name, "NE2") == 0)
            CHECK_TEXT(atoms.items[i].type, strcmp(atoms.items[i].name, "ND1") == 0 ? "N" : "NA");
    qn_autodock_atoms_clear(&atoms);
    qn_molecule_destroy(&molecule);
}

int main(void)
{
    if (check_reference_data("maps/1iep_receptor.pdbqt")) RUN(abl_agrees_with_autodocktools);
    RUN(hydrogens_of_trypsin_are_built);
    RUN(ions_have_their_charges_and_waters_are_left_out);
    RUN(an_element_without_type_is_named);
    RUN(ligands_of_a_metal_have_no_hydrogen_there);
    return check_finish();
}
