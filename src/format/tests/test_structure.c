#include "check.h"

#include <math.h>
#include <quern/molecule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/structure/structure.h"
#include "format/tests/records.h"

static const char peptide[] = "ATOM      1  N   GLY A   1      11.104   6.134  -6.504  1.00  0.00           N  \n"
                              "ATOM      2  CA AGLY A   1      11.639   6.071  -5.147  0.40  0.00           C  \n"
                              "ATOM      3  CA BGLY A   1      11.700   6.100  -5.200  0.60  0.00           C  \n"
                              "ATOM      4  C   GLY A   1      12.000   7.500  -4.700  1.00 12.34           C  \n"
                              "ATOM      5  N   SER A   1A     13.000   8.000  -4.000  1.00  0.00           N  \n"
                              "TER       6      SER A   1A\n"
                              "ATOM      7  P    DA B  -5      20.000   1.000   2.000  1.00  0.00           P  \n"
                              "HETATM    8 ZN    ZN A 201      -1.500   0.250   3.125  1.00  5.00          ZN2+\n"
                              "HETATM    9  O   HOH A 301       0.000   0.000   0.000  1.00  0.00           O  \n"
                              "HETATM   10  O   HOH A 302       1.000   0.000   0.000  1.00  0.00           O  \n"
                              "END\n";

static qn_status read_text(const char *text, const char *chains, qn_molecule **molecule)
{
    qn_molecule_options options = {.size = sizeof options, .drop_water = true};
    return qn_structure_read_memory("t.pdb", text, strlen(text), chains, &options, molecule);
}

static void a_small_file_is_read_correctly(void)
{
    qn_molecule *m;
    if (!CHECK_OK(read_text(peptide, NULL, &m))) return;
    CHECK(m->residue_count == 4 && m->atom_count == 6);
    CHECK(m->dropped_waters == 2 && m->dropped_alternates == 1);
    CHECK_TEXT(m->atoms[1].name, "CA");
    CHECK(m->atoms[1].alternate == 'B');
    CHECK_NEAR(m->atoms[1].position_angstrom[0], 11.7, 1e-9);
    CHECK_NEAR((double)m->atoms[2].b_factor_angstrom2, 12.34, 1e-5);
    CHECK(m->residues[1].insertion == 'A' && m->residues[1].number == 1 && m->residues[1].chain_break);
    CHECK(!m->residues[0].chain_break);
    CHECK(m->residues[2].number == -5);
    CHECK_TEXT(m->residues[2].name, "DA");
    CHECK_TEXT(m->residues[2].chain, "B");
    CHECK_TEXT(m->atoms[5].element, "ZN");
    CHECK(m->atoms[5].charge_e == 2 && m->residues[3].hetero && !m->residues[2].hetero);
    qn_molecule_destroy(&m);
    qn_molecule_options all = {.size = sizeof all, .keep_alternates = true};
    CHECK_OK(qn_structure_read_memory("t", peptide, strlen(peptide), NULL, &all, &m));
    CHECK(m->atom_count == 9);
    qn_molecule_destroy(&m);
}

static void chains_are_selected_and_missing_chains_reported(void)
{
    qn_molecule *m;
    CHECK_OK(read_text(peptide, "B", &m));
    CHECK(m->atom_count == 1);
    qn_molecule_destroy(&m);
    CHECK_OK(read_text(peptide, "AB", &m));
    CHECK(m->atom_count == 6);
    qn_molecule_destroy(&m);
    CHECK_OK(read_text(peptide, "B,A", &m));
    CHECK(m->atom_count == 6);
    qn_molecule_destroy(&m);
    CHECK_FAILS(read_text(peptide, "AX", &m), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("there is no chain X; the file has A, B");
    CHECK_FAILS(read_text(peptide, "A,BB", &m), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("there is no chain BB");
}

typedef struct bad_input {
    const char *text, *message;
} bad_input;

#define ATOM_START "ATOM      1  N   GLY A   1    "

static void bad_files_are_refused_with_one_sentence(void)
{
    static const bad_input inputs[] = {
        {"", "t.pdb: is empty"},
        {" \n\t \n", "t.pdb: is empty"},
        {"HEADER    SOMETHING\nREMARK\n", "t.pdb: holds no ATOM or HETATM record in 2 lines"},
        {"REMARK\n" ATOM_START "  11.1x4   6.134  -6.504  1.00  0.00\n",
         "t.pdb:2: x coordinate \"  11.1x4\" is not a number (columns 31-38)"},
        {ATOM_START "  11.104     nan  -6.504  1.00  0.00\n", "t.pdb:1: y coordinate \"     nan\" is not a number"},
        {ATOM_START "  11.104   6.134     inf  1.00  0.00\n", "t.pdb:1: z coordinate \"     inf\" is not a number"},
        {ATOM_START "  11.104   6.134  -6.504  1.O0  0.00\n", "t.pdb:1: occupancy \"  1.O0\" is not a number"},
        {ATOM_START "  11.104   6.134  -6.5", "t.pdb:1: the line ends at column"},
        {ATOM_START "  11.104   6.134        \n", "t.pdb:1: z coordinate"},
        {ATOM_START " 9999999   6.134  -6.504\n", "t.pdb:1: x coordinate \" 9999999\" is out of range (columns 31-38)"},
        {"ATOM      1  N   GLY A   x      11.104   6.134  -6.504\n", "t.pdb:1: residue number"},
        {"ATOM      1      GLY A   1      11.104   6.134  -6.504\n", "t.pdb:1: the atom has no name"},
        {"HETATM    9  O   HOH A 301       0.000   0.000   0.000\n", "no atom is left of 1"},
        {"data_x\n_cell.length_a 5\n", "t.pdb: holds no _atom_site loop"},
        {"data_x\nloop_\n_atom_site.id\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n"
         "_atom_site.Cartn_y\n_atom_site.Cartn_z\n1 N GLY A 1 2\n",
         "t.pdb:2: the atom loop lacks the column _atom_site.Cartn_x"},
        {"data_x\nloop_\n_atom_site.id\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n"
         "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n1 N GLY 0 1 2\n",
         "the atom loop lacks the column _atom_site.auth_asym_id (and label_asym_id, which may replace it)"},
        {"data_x\nloop_\n_atom_site.auth_seq_id\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n"
         "_atom_site.label_asym_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
         "1 N GLY A 0 1 2\n2 C GLY A 1.0 ? 2\n",
         "row 2 of _atom_site (loop at line 2): Cartn_y is \"?\"; expected a number"},
        {"data_x\nloop_\n_atom_site.id\n_atom_site.label_atom_id\n1 N 2\n", "t.pdb"},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        qn_molecule *m = NULL;
        CHECK_FAILS(read_text(inputs[i].text, NULL, &m), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(inputs[i].message);
        CHECK(m == NULL);
    }
    qn_molecule *m;
    qn_molecule_options options = {.size = sizeof options};
    CHECK_FAILS(qn_structure_read_memory("b", "AT\0M", 4, NULL, &options, &m), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("b: is not text (byte 2 is 0)");
}

static void models_are_selected_by_number(void)
{
    static const char text[] =
        "MODEL        2\n" ATOM_START "  11.104   6.134  -6.504\nENDMDL\nMODEL        7\n" ATOM_START
        "  21.104   6.134  -6.504\nENDMDL\n";
    for (int model = 0; model <= 7; model++) {
        qn_molecule *m;
        qn_molecule_options options = {.size = sizeof options, .model = model};
        qn_status status = qn_structure_read_memory("m.pdb", text, strlen(text), NULL, &options, &m);
        if (model != 0 && model != 2 && model != 7) {
            CHECK(status == QN_NOT_FOUND);
            CHECK_MESSAGE_HAS("the file has 2, 7");
            continue;
        }
        CHECK_OK(status);
        CHECK(m->atom_count == 1);
        CHECK_NEAR(m->atoms[0].position_angstrom[0], model == 7 ? 21.104 : 11.104, 1e-9);
        qn_molecule_destroy(&m);
    }
}

/* Of two amino acids that are modelled at one place, one is kept. */
static void microheterogeneity_keeps_one_residue(void)
{
    static const char text[] = "ATOM      1  N  ASER A   1      11.104   6.134  -6.504  0.30  0.00           N  \n"
                               "ATOM      2  CA ASER A   1      12.104   6.134  -6.504  0.30  0.00           C  \n"
                               "ATOM      3  N  BTHR A   1      11.104   6.134  -6.604  0.70  0.00           N  \n"
                               "ATOM      4  CA BTHR A   1      12.104   6.134  -6.604  0.70  0.00           C  \n";
    qn_molecule *m;
    CHECK_OK(read_text(text, NULL, &m));
    CHECK(m->residue_count == 1 && m->atom_count == 2);
    CHECK_TEXT(m->residues[0].name, "THR");
    qn_molecule_destroy(&m);
}

/* Columns 73-80 of the 1980s: entry name and line number. */
static void old_files_are_read(void)
{
    qn_molecule *m;
    CHECK_OK(read_text("ATOM      1  CA  GLY A   1      11.104   6.134  -6.504  1.00  0.00      1PPE  51\n", NULL, &m));
    CHECK_TEXT(m->atoms[0].element, "C");
    CHECK(m->atoms[0].charge_e == 0);
    qn_molecule_destroy(&m);
}

static void wrong_element_columns_do_not_make_hydrogens(void)
{
    qn_molecule *m;
    CHECK_OK(read_text("ATOM      1  CG  ASN A   1      11.104   6.134  -6.504  1.00  0.00           H  \n"
                       "ATOM      2 1HG  ASN A   1      12.104   6.134  -6.504  1.00  0.00           H  \n",
                       NULL, &m));
    CHECK_TEXT(m->atoms[0].element, "C");
    CHECK_TEXT(m->atoms[1].element, "H");
    qn_molecule_destroy(&m);
}

static void check_same(const qn_molecule *a, const qn_molecule *b)
{
    CHECK(a->atom_count == b->atom_count && a->residue_count == b->residue_count);
    for (size_t i = 0; i < a->residue_count && i < b->residue_count; i++) {
        const qn_residue *x = &a->residues[i], *y = &b->residues[i];
        CHECK(strcmp(x->name, y->name) == 0 && strcmp(x->chain, y->chain) == 0 && x->number == y->number &&
              x->insertion == y->insertion && x->hetero == y->hetero && x->atom_count == y->atom_count);
    }
    for (size_t i = 0; i < a->atom_count && i < b->atom_count; i++) {
        const qn_atom *x = &a->atoms[i], *y = &b->atoms[i];
        CHECK(strcmp(x->name, y->name) == 0 && strcmp(x->element, y->element) == 0 && x->alternate == y->alternate &&
              x->charge_e == y->charge_e);
        for (int axis = 0; axis < 3; axis++)
            CHECK_NEAR(x->position_angstrom[axis], y->position_angstrom[axis], 0.00051);
    }
}

static void written_structures_are_read_back(void)
{
    qn_molecule *m, *back;
    qn_molecule_options options = {.size = sizeof options, .keep_alternates = true};
    char path[700];
    CHECK_OK(qn_structure_read_memory("t", peptide, strlen(peptide), NULL, &options, &m));
    for (int format = 0; format < 2; format++) {
        const qn_molecule *molecules[1] = {m};
        char *text;
        size_t size;
        snprintf(path, sizeof path, "%s/out.%s", check_scratch_folder(), format ? "cif" : "pdb");
        CHECK_OK(
            qn_molecule_write(path, format ? QN_STRUCTURE_MMCIF : QN_STRUCTURE_PDB, molecules, 1, "FIRST\nSECOND\n"));
        CHECK_OK(qn_molecule_read(NULL, path, &options, &back));
        check_same(m, back);
        qn_molecule_destroy(&back);
        CHECK_OK(qn_file_read(path, &text, &size));
        CHECK(strstr(text, format ? "# SECOND\n" : "REMARK 900 SECOND\n") != NULL);
        qn_release(&text);
    }
    qn_molecule_destroy(&m);
}

static void large_molecules_and_long_names_need_mmcif(void)
{
    qn_molecule *m, *back;
    qn_molecule_options options = {.size = sizeof options};
    char path[700];
    CHECK_OK(qn_molecule_create("large", &m));
    for (int r = 0; r < 10001; r++) {
        qn_residue residue = {.number = r, .name = "ALA", .chain = "AA"};
        CHECK_OK(qn_molecule_append_residue(m, &residue));
        for (int i = 0; i < 10; i++) {
            qn_atom atom = {.position_angstrom = {r, i, 0.5}, .name = "O5'", .element = "O", .occupancy = 1};
            snprintf(atom.name, sizeof atom.name, "C%d'", i);
            CHECK_OK(qn_molecule_append_atom(m, &atom));
        }
    }
    const qn_molecule *molecules[1] = {m};
    snprintf(path, sizeof path, "%s/large.cif", check_scratch_folder());
    CHECK(!qn_molecule_fits_pdb(m));
    CHECK_FAILS(qn_molecule_write(path, QN_STRUCTURE_PDB, molecules, 1, NULL), QN_UNSUPPORTED);
    CHECK(!qn_file_exists(path));
    CHECK_OK(qn_molecule_write(path, QN_STRUCTURE_MMCIF, molecules, 1, NULL));
    CHECK_OK(qn_molecule_read(NULL, path, &options, &back));
    check_same(m, back);
    qn_molecule_destroy(&back);
    strcat(path, ":AA");
    CHECK_OK(qn_molecule_read(NULL, path, &options, &back));
    CHECK(back->atom_count == 100010);
    qn_molecule_destroy(&back);
    qn_molecule_destroy(&m);
}

static void gzipped_files_are_read_and_damaged_ones_refused(void)
{
    qn_molecule *m = NULL;
    qn_molecule_options options = {.size = sizeof options, .drop_water = true};
    char path[700], *data;
    size_t size;
    snprintf(path, sizeof path, "%s/p.pdb.gz", check_scratch_folder());
    gzFile file = gzopen(path, "wb");
    CHECK(gzwrite(file, peptide, sizeof peptide - 1) == (int)sizeof peptide - 1);
    CHECK(gzclose(file) == Z_OK);
    CHECK_OK(qn_molecule_read(NULL, path, &options, &m));
    CHECK(m->atom_count == 6);
    qn_molecule_destroy(&m);
    CHECK_OK(qn_file_read(path, &data, &size));
    CHECK_OK(qn_file_write(path, data, size / 2));
    CHECK_FAILS(qn_molecule_read(NULL, path, &options, &m), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("damaged or cut off");
    qn_release(&data);
}

static void unreadable_paths_are_reported(void)
{
    qn_molecule *m;
    qn_molecule_options options = {.size = sizeof options};
    CHECK_FAILS(qn_molecule_read(NULL, "/nowhere/x.pdb", &options, &m), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("/nowhere/x.pdb: cannot open");
    CHECK_FAILS(qn_molecule_read(NULL, check_scratch_folder(), &options, &m), QN_IO_ERROR);
    CHECK_FAILS(qn_molecule_read(NULL, "/nowhere/x.pdb:", &options, &m), QN_INVALID_ARGUMENT);
}

static void all_atoms_of_the_benchmark_files_are_read(void)
{
    static const char *const cases[] = {"1AHW", "1AVX", "1BJ1", "1CGI", "1E96", "1GCQ", "1PPE", "1VFB", "1WQ1", "7CEI"};
    static const char *const kinds[] = {"r_u", "l_u", "l_u_rnd", "r_b-matched", "l_b-matched"};
    if (!check_reference_data("docking/bm5")) {
        CHECK(1);
        return;
    }
    for (size_t c = 0; c < 10; c++)
        for (size_t k = 0; k < 5; k++) {
            char name[100], path[1200];
            qn_molecule *m;
            qn_molecule_options options = {.size = sizeof options, .keep_alternates = true};
            snprintf(name, sizeof name, "docking/bm5/%s/%s_%s.pdb", cases[c], cases[c], kinds[k]);
            snprintf(path, sizeof path, "%s", check_reference_data(name));
            if (!CHECK_OK(qn_molecule_read(NULL, path, &options, &m))) continue;
            CHECK(m->atom_count == count_records(path));
            qn_molecule_destroy(&m);
        }
}

int main(void)
{
    RUN(a_small_file_is_read_correctly);
    RUN(chains_are_selected_and_missing_chains_reported);
    RUN(bad_files_are_refused_with_one_sentence);
    RUN(models_are_selected_by_number);
    RUN(microheterogeneity_keeps_one_residue);
    RUN(old_files_are_read);
    RUN(wrong_element_columns_do_not_make_hydrogens);
    RUN(written_structures_are_read_back);
    RUN(large_molecules_and_long_names_need_mmcif);
    RUN(gzipped_files_are_read_and_damaged_ones_refused);
    RUN(unreadable_paths_are_reported);
    RUN(all_atoms_of_the_benchmark_files_are_read);
    return check_finish();
}
