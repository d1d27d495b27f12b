#include "check.h"

#include <quern/molecule.h>
#include <stdio.h>
#include <string.h>

#include "format/structure/structure.h"

static qn_status read_text(const char *text, const qn_molecule_options *options, qn_molecule **molecule)
{
    return qn_structure_read_memory("in.cif", text, strlen(text), NULL, options, molecule);
}

#define NAMES "_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.auth_asym_id\n_atom_site.auth_seq_id\n"
#define PLACE "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
#define LOOP "data_x\nloop_\n" NAMES PLACE

/* Both files were made by hand from one table, so they must give equal molecules. */
static void pdb_and_mmcif_files_give_the_same_molecule(void)
{
    for (int i = 0; i < 4; i++) {
        qn_molecule_options options = {
            .size = sizeof options, .keep_alternates = i & 1, .drop_water = i & 2, .drop_hydrogens = i & 2};
        qn_molecule *pdb, *cif;
        if (!CHECK_OK(qn_molecule_read(NULL, check_data("structures/peptide.pdb"), &options, &pdb))) return;
        if (!CHECK_OK(qn_molecule_read(NULL, check_data("structures/peptide.cif"), &options, &cif))) return;
        size_t atoms = 12 + (i & 1) - (i & 2 ? 3 : 0), residues = 9 - (i & 2 ? 2 : 0);
        CHECK(pdb->atom_count == atoms && cif->atom_count == atoms);
        if (!CHECK(pdb->residue_count == residues && cif->residue_count == residues)) return;
        CHECK(cif->dropped_waters == (i & 2 ? 2 : 0) && cif->dropped_hydrogens == (i & 2 ? 1 : 0));
        CHECK(cif->dropped_alternates == (size_t) !(i & 1));
        for (size_t r = 0; r < residues; r++) {
            const qn_residue *x = &pdb->residues[r], *y = &cif->residues[r];
            CHECK(strcmp(x->name, y->name) == 0 && strcmp(x->chain, y->chain) == 0 && x->number == y->number);
            CHECK(x->insertion == y->insertion && x->hetero == y->hetero);
            CHECK(x->hetero || x->chain_break == y->chain_break); /* PDB has no TER among HETATM records */
        }
        for (size_t a = 0; a < atoms; a++) {
            const qn_atom *x = &pdb->atoms[a], *y = &cif->atoms[a];
            CHECK(strcmp(x->name, y->name) == 0 && strcmp(x->element, y->element) == 0 && x->alternate == y->alternate);
            CHECK(x->charge_e == y->charge_e && x->occupancy == y->occupancy);
            CHECK(x->b_factor_angstrom2 == y->b_factor_angstrom2 && x->residue == y->residue);
            CHECK(memcmp(x->position_angstrom, y->position_angstrom, sizeof x->position_angstrom) == 0);
        }
        qn_molecule_destroy(&pdb);
        qn_molecule_destroy(&cif);
    }
}

static void broken_files_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } inputs[] = {
        {"data_x\nloop_\n" NAMES "_atom_site.Cartn_y\n_atom_site.Cartn_z\nN GLY A 1 2 3\n",
         "in.cif:2: the atom loop lacks the column _atom_site.Cartn_x"},
        {"data_x\nloop_\n" PLACE
         "_atom_site.label_comp_id\n_atom_site.auth_asym_id\n_atom_site.auth_seq_id\n1 2 3 GLY A 1\n",
         "lacks the column _atom_site.label_atom_id (and auth_atom_id, which may replace it)"},
        {"data_x\nloop_\n" PLACE
         "_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.auth_asym_id\n1 2 3 N GLY A\n",
         "lacks the column _atom_site.auth_seq_id (and label_seq_id, which may replace it)"},
        {LOOP "N GLY A 1 1.0 2.0 x3\n",
         "in.cif: row 1 of _atom_site (loop at line 2): Cartn_z is \"x3\"; expected a number"},
        {LOOP "N GLY A 1 1.0 2.0 3.0\nC GLY A 1 1.0 nan 3.0\n",
         "row 2 of _atom_site (loop at line 2): Cartn_y is \"nan\""},
        {LOOP "N GLY A 1 inf 2.0 3.0\n", "Cartn_x is \"inf\""},
        {LOOP "N GLY A 1 1e999 2.0 3.0\n", "Cartn_x is \"1e999\""},
        {LOOP "N GLY A 1 2e5 2.0 3.0\n", "Cartn_x is \"2e5\"; expected a number of plausible size"},
        {LOOP "N GLY A 1 . 2.0 3.0\n", "Cartn_x is \"?\"; expected a number"},
        {LOOP "N GLY A ? 1.0 2.0 3.0\n", "label_seq_id is \"?\"; expected a residue number"},
        {LOOP "N GLY A 1.5 1.0 2.0 3.0\n", "auth_seq_id is \"1.5\"; expected a whole number"},
        {LOOP "N GLY A 99999999999 1.0 2.0 3.0\n", "auth_seq_id is \"99999999999\""},
        {LOOP ". GLY A 1 1.0 2.0 3.0\n", "expected an atom name"},
        {LOOP "N GLYCOGEN A 1 1.0 2.0 3.0\n", "label_comp_id is \"GLYCOGEN\"; expected at most 7 characters"},
        {LOOP "N GLY A 1 1.0 2.0\n", "in.cif:"}, /* a row is cut off */
        {LOOP "N GLY A 1 1.0 2.0\n", "Wrong number of values in the loop"},
        {LOOP "N GLY 'A 1 1.0 2.0 3.0\n", "in.cif:10:"},
        {LOOP "N GLY 'A 1 1.0 2.0 3.0\n", "unterminated 'string'"},
        {LOOP, "in.cif"},
        {"data_x\n_cell.length_a 5\n", "in.cif: holds no _atom_site loop; expected coordinates"},
        {"data_x\nloop_\n_atom_site_label\n_atom_site_fract_x\nC1 0.5\n", "in.cif: holds no _atom_site loop"},
        {"loop_\n_a\n1\n", "expected block header (data_)"},
        {"# nothing\n", "in.cif: holds no ATOM or HETATM record in 1 line; expected a PDB or mmCIF file"},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        qn_molecule *molecule;
        CHECK_FAILS(read_text(inputs[i].text, NULL, &molecule), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(inputs[i].message);
        CHECK(molecule == NULL);
    }
}

/* Label columns replace missing author columns or values; single values replace a loop. */
static void label_columns_replace_missing_author_columns(void)
{
    qn_molecule *molecule;
    CHECK_OK(read_text("data_x\nloop_\n_atom_site.auth_atom_id\n_atom_site.auth_comp_id\n_atom_site.label_asym_id\n"
                       "_atom_site.label_seq_id\n_atom_site.auth_seq_id\n" PLACE
                       "CA GLY A 7 . 1 2 3\nCA GLY A 8 -3 1 2 3\n",
                       NULL, &molecule));
    CHECK(molecule->residue_count == 2 && molecule->residues[0].number == 7 && molecule->residues[1].number == -3);
    CHECK_TEXT(molecule->residues[0].chain, "A");
    CHECK_TEXT(molecule->atoms[0].element, "C");
    CHECK_NEAR((double)molecule->atoms[0].occupancy, 1, 0);
    qn_molecule_destroy(&molecule);
    CHECK_OK(read_text("# made by hand\n\nDATA_X\n_ATOM_SITE.Label_atom_id 'C A'\n_atom_site.label_comp_id\n;CA\n;\n"
                       "_atom_site.auth_asym_id ''\n_atom_site.auth_seq_id 5\n_atom_site.type_symbol Fe3+\n"
                       "_atom_site.Cartn_x 1.5(2)\n_atom_site.Cartn_y +2\n_atom_site.Cartn_z .3e1\n",
                       NULL, &molecule));
    CHECK_TEXT(molecule->atoms[0].name, "C A");
    CHECK_TEXT(molecule->atoms[0].element, "FE");
    CHECK_TEXT(molecule->residues[0].name, "CA");
    CHECK_TEXT(molecule->residues[0].chain, "");
    CHECK_NEAR(molecule->atoms[0].position_angstrom[0], 1.5, 0);
    CHECK_NEAR(molecule->atoms[0].position_angstrom[2], 3, 0);
    qn_molecule_destroy(&molecule);
}

/* Rows of one model need not be adjacent; a residue that continues after rows of another model is one residue. */
static void models_are_read_from_their_column(void)
{
    static const char text[] =
        LOOP "_atom_site.pdbx_PDB_model_num\n_atom_site.label_asym_id\nN GLY A 1 1 0 0 3 A\n"
             "N GLY A 1 2 0 0 8 A\nN GLY B 1 2 0 0 8 B\nC GLY A 1 3 0 0 3 A\nN SER A 2 4 0 0 3 A\n";
    qn_molecule *molecule;
    CHECK_OK(read_text(text, NULL, &molecule));
    CHECK(molecule->atom_count == 3 && molecule->residue_count == 2);
    CHECK(molecule->residues[0].atom_count == 2 && !molecule->residues[0].chain_break);
    CHECK_NEAR(molecule->atoms[1].position_angstrom[0], 3, 0);
    qn_molecule_destroy(&molecule);
    CHECK_OK(read_text(text, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .model = 8}, &molecule));
    CHECK(molecule->atom_count == 2);
    qn_molecule_destroy(&molecule);
    CHECK_FAILS(read_text(text, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .model = 1}, &molecule),
                QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("in.cif: there is no model 1; the file has 3, 8, 3");
}

int main(void)
{
    RUN(pdb_and_mmcif_files_give_the_same_molecule);
    RUN(broken_files_are_refused);
    RUN(label_columns_replace_missing_author_columns);
    RUN(models_are_read_from_their_column);
    return check_finish();
}
