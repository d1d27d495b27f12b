#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <quern/molecule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "format/structure/structure.h"
#include "format/tests/records.h"

static const qn_molecule_options everything = {.size = sizeof everything, .keep_alternates = true};

/* Path in the scratch folder, in a static buffer that the next call overwrites. */
static const char *scratch(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

/* Write a text in `parts` consecutive gzip members. */
static void write_gzip(const char *path, const char *text, size_t size, int parts)
{
    for (int part = 0; part < parts; part++) {
        size_t from = size * (size_t)part / (size_t)parts, to = size * (size_t)(part + 1) / (size_t)parts;
        gzFile file = gzopen(path, part ? "ab" : "wb");
        CHECK(gzwrite(file, text + from, (unsigned)(to - from)) == (int)(to - from));
        CHECK(gzclose(file) == Z_OK);
    }
}

static void gzip_is_recognised_by_content_and_may_have_members(void)
{
    char *text;
    size_t size;
    qn_molecule *plain, *packed;
    CHECK_OK(qn_molecule_read(NULL, check_data("structures/peptide.pdb"), &everything, &plain));
    CHECK_OK(qn_file_read(check_data("structures/peptide.pdb"), &text, &size));
    for (int parts = 1; parts <= 3; parts++) {
        write_gzip(scratch("packed.pdb"), text, size, parts);
        if (!CHECK_OK(qn_molecule_read(NULL, scratch("packed.pdb:B,A"), &everything, &packed))) continue;
        CHECK(packed->atom_count == plain->atom_count);
        CHECK_TEXT(packed->name, "packed.pdb");
        qn_molecule_destroy(&packed);
    }
    qn_release(&text);
    qn_molecule_destroy(&plain);
}

/* Cut at every tenth byte, and with a byte changed in the checksum. */
static void damaged_gzip_is_refused(void)
{
    char *text, *packed, *plain;
    size_t size, packed_size, plain_size;
    CHECK_OK(qn_file_read(check_data("structures/peptide.pdb"), &text, &size));
    write_gzip(scratch("damaged.pdb.gz"), text, size, 1);
    CHECK_OK(qn_file_read(scratch("damaged.pdb.gz"), &packed, &packed_size));
    for (size_t cut = 2; cut < packed_size; cut += 10) {
        CHECK_FAILS(qn_gzip_unpack("cut.gz", packed, cut, 1 << 20, &plain, &plain_size), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("cut.gz: the gzipped data is damaged or cut off");
    }
    CHECK_OK(qn_gzip_unpack("x", packed, packed_size, 1 << 20, &plain, &plain_size));
    CHECK(plain_size == size && memcmp(plain, text, size) == 0);
    qn_release(&plain);
    packed[packed_size - 6] ^= 1;
    CHECK_FAILS(qn_gzip_unpack("x", packed, packed_size, 1 << 20, &plain, &plain_size), QN_BAD_FORMAT);
    CHECK(plain == NULL);
    qn_release(&packed);
    qn_release(&text);
}

/* 64 MiB of zeros in 64 kB, against a limit of 1 MiB. */
static void gzip_that_unpacks_beyond_the_limit_is_refused(void)
{
    static char zeros[1 << 20];
    char *packed, *plain;
    size_t packed_size, plain_size;
    gzFile file = gzopen(scratch("bomb.gz"), "wb");
    for (int i = 0; i < 64; i++) CHECK(gzwrite(file, zeros, sizeof zeros) == (int)sizeof zeros);
    CHECK(gzclose(file) == Z_OK);
    CHECK_OK(qn_file_read(scratch("bomb.gz"), &packed, &packed_size));
    CHECK(packed_size < 100000);
    CHECK_FAILS(qn_gzip_unpack("bomb.gz", packed, packed_size, 1 << 20, &plain, &plain_size), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("bomb.gz: unpacks to more than 1 MiB");
    qn_release(&packed);
}

static void unreadable_paths_are_reported(void)
{
    qn_molecule *molecule;
    CHECK_FAILS(qn_molecule_read(NULL, scratch("none.pdb"), &everything, &molecule), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("none.pdb: cannot open: No such file or directory");
    CHECK_FAILS(qn_molecule_read(NULL, scratch("none.pdb:A"), &everything, &molecule), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("none.pdb: cannot open");
    CHECK_FAILS(qn_molecule_read(NULL, check_scratch_folder(), &everything, &molecule), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("is a folder; expected a file");
    CHECK_OK(qn_file_write(scratch("file"), "x", 1));
    CHECK_FAILS(qn_molecule_read(NULL, scratch("file/below.pdb"), &everything, &molecule), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("file/below.pdb: cannot open: Not a directory");
    if (geteuid() != 0) { /* root can read every file */
        CHECK(chmod(scratch("file"), 0) == 0);
        CHECK_FAILS(qn_molecule_read(NULL, scratch("file"), &everything, &molecule), QN_IO_ERROR);
        CHECK_MESSAGE_HAS("file: cannot open: Permission denied");
    }
    CHECK_OK(qn_file_write(scratch("zeros"), "ATOM\0\0\0", 7));
    CHECK_FAILS(qn_molecule_read(NULL, scratch("zeros"), &everything, &molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("zeros: is not text (byte 4 is 0)");
    static const char sdf[] = "water\n  by hand\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n> <program>\nATOMIC\n";
    CHECK_OK(qn_file_write(scratch("some.sdf"), sdf, sizeof sdf - 1));
    CHECK_FAILS(qn_molecule_read(NULL, scratch("some.sdf"), &everything, &molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("some.sdf: is an SDF file of small molecules; expected a PDB or mmCIF file");
    static const char page[] = "\n<!DOCTYPE html>\n<html>ATOM not found</html>\n";
    CHECK_OK(qn_file_write(scratch("page.pdb"), page, sizeof page - 1));
    CHECK_FAILS(qn_molecule_read(NULL, scratch("page.pdb"), &everything, &molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("page.pdb: is a web page, perhaps of a download that failed, or XML; expected");
    static const char mol2[] = "# by hand\n\n@<TRIPOS>MOLECULE\nwater\n@<TRIPOS>ATOM\n";
    CHECK_OK(qn_file_write(scratch("some.mol2"), mol2, sizeof mol2 - 1));
    CHECK_FAILS(qn_molecule_read(NULL, scratch("some.mol2"), &everything, &molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("some.mol2: is a MOL2 file of small molecules");
    CHECK_OK(qn_file_write(scratch("nothing"), "", 0));
    CHECK_FAILS(qn_molecule_read(NULL, scratch("nothing"), &everything, &molecule), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("nothing: is empty; expected a PDB or mmCIF file");
    CHECK(molecule == NULL);
}

/* Make a molecule with a residue of one atom in each chain. */
static qn_molecule *chains_molecule(const char *const *chains, size_t count)
{
    qn_molecule *molecule;
    CHECK_OK(qn_molecule_create("chains", &molecule));
    for (size_t i = 0; i < count; i++) {
        qn_residue residue = {.number = (int)i, .name = "GLY"};
        strcpy(residue.chain, chains[i]);
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        CHECK_OK(qn_molecule_append_atom(molecule, &(qn_atom){.name = "CA", .element = "C", .occupancy = 1}));
    }
    return molecule;
}

static size_t atoms_of(const char *name)
{
    qn_molecule *molecule;
    if (!CHECK_OK(qn_molecule_read(NULL, scratch(name), &everything, &molecule))) return 0;
    size_t count = molecule->atom_count;
    qn_molecule_destroy(&molecule);
    return count;
}

static void chains_are_selected_by_letters_or_names(void)
{
    static const char *const names[] = {"A", "B", "AB", "C'D", ""};
    qn_molecule *molecule = chains_molecule(names, 5), *read;
    const qn_molecule *one = molecule;
    CHECK_OK(qn_molecule_write(scratch("chains.cif"), QN_STRUCTURE_MMCIF, &one, 1, NULL));
    CHECK(atoms_of("chains.cif") == 5 && atoms_of("chains.cif:A") == 1 && atoms_of("chains.cif:,AB") == 1);
    CHECK(atoms_of("chains.cif:A,B") == 2 && atoms_of("chains.cif:A, AB,A") == 2 && atoms_of("chains.cif:BA") == 2);
    CHECK(atoms_of("chains.cif:C'D") == 1);
    CHECK_FAILS(qn_molecule_read(NULL, scratch("chains.cif:AB"), &everything, &read), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("\"AB\" means two things");
    CHECK_FAILS(qn_molecule_read(NULL, scratch("chains.cif:AX"), &everything, &read), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("chains.cif: there is no chain X; the file has A, B, AB, C'D, (blank)");
    CHECK_FAILS(qn_molecule_read(NULL, scratch("chains.cif:"), &everything, &read), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no chain is named after the colon");
    CHECK_FAILS(qn_molecule_read(NULL, scratch("chains.cif:,"), &everything, &read), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_molecule_read(NULL, scratch("chains.cif:,LONGNAME"), &everything, &read), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("chain name \"LONGNAME\" is longer than 7 characters");
    qn_molecule_destroy(&molecule);
}

/* A file whose name looks like a selection is read as that file. */
static void an_existing_path_is_not_split_into_path_and_chains(void)
{
    static const char *const both[] = {"A", "B"};
    qn_molecule *molecule = chains_molecule(both, 2);
    const qn_molecule *one = molecule;
    CHECK_OK(qn_molecule_write(scratch("x.pdb"), QN_STRUCTURE_PDB, &one, 1, NULL));
    CHECK(atoms_of("x.pdb:A") == 1);
    CHECK_OK(qn_molecule_write(scratch("x.pdb:A"), QN_STRUCTURE_PDB, &one, 1, NULL));
    CHECK(atoms_of("x.pdb:A") == 2);
    qn_molecule_destroy(&molecule);
}

/* Compare everything except serial numbers; coordinates have three decimals. */
static void check_same(const qn_molecule *a, const qn_molecule *b)
{
    if (!CHECK(a->atom_count == b->atom_count && a->residue_count == b->residue_count)) return;
    for (size_t r = 0; r < a->residue_count; r++) {
        const qn_residue *x = &a->residues[r], *y = &b->residues[r];
        CHECK(strcmp(x->name, y->name) == 0 && strcmp(x->chain, y->chain) == 0 && x->number == y->number);
        CHECK(x->insertion == y->insertion && x->hetero == y->hetero && x->chain_break == y->chain_break);
    }
    for (size_t i = 0; i < a->atom_count; i++) {
        const qn_atom *x = &a->atoms[i], *y = &b->atoms[i];
        CHECK(strcmp(x->name, y->name) == 0 && strcmp(x->element, y->element) == 0 && x->residue == y->residue);
        CHECK(x->alternate == y->alternate && x->charge_e == y->charge_e && x->occupancy == y->occupancy);
        CHECK(x->b_factor_angstrom2 == y->b_factor_angstrom2);
        CHECK(memcmp(x->position_angstrom, y->position_angstrom, sizeof x->position_angstrom) == 0);
    }
}

static void round_trip(const char *path)
{
    qn_molecule *first = NULL, *second = NULL, *third = NULL;
    CHECK_OK(qn_molecule_read(NULL, path, &everything, &first));
    const qn_molecule *written = first;
    CHECK_OK(qn_molecule_write(scratch("trip.cif"), QN_STRUCTURE_MMCIF, &written, 1, "a remark\nanother"));
    CHECK_OK(qn_molecule_read(NULL, scratch("trip.cif"), &everything, &second));
    written = second;
    CHECK_OK(qn_molecule_write(scratch("trip.pdb"), QN_STRUCTURE_PDB, &written, 1, NULL));
    CHECK_OK(qn_molecule_read(NULL, scratch("trip.pdb"), &everything, &third));
    if (first && second && third) {
        check_same(first, second);
        check_same(first, third);
    }
    qn_molecule_destroy(&first);
    qn_molecule_destroy(&second);
    qn_molecule_destroy(&third);
}

static void conversion_to_mmcif_and_back_loses_nothing(void)
{
    static const char *const names[] = {
        "docking/bm5/1AHW/1AHW_r_u.pdb", "docking/bm5/1E96/1E96_r_u.pdb", "docking/bm5/1CGI/1CGI_l_b-matched.pdb",
        "docking/ligand/1stp/1STP.pdb",  "docking/ligand/3ce3/3CE3.pdb",  "docking/ligand/1stp/1stp_protein.pdb"};
    round_trip(check_data("structures/peptide.pdb"));
    round_trip(check_data("structures/alternates.pdb"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (check_reference_data(names[i])) round_trip(check_reference_data(names[i]));
}

/* Write molecules to a file, and return its text. */
static char *written_text(qn_structure_format format, const qn_molecule *const *molecules, size_t count)
{
    char *text = NULL;
    size_t size;
    CHECK_OK(qn_molecule_write(scratch("written"), format, molecules, count, "QUERN LIGAND CHAINS B\r\n\nlast"));
    CHECK_OK(qn_file_read(scratch("written"), &text, &size));
    return text;
}

/* Compare with lines typed from the format's description, column by column. */
static void pdb_fields_are_in_their_columns(void)
{
    static const char expected[] = "REMARK 900 QUERN LIGAND CHAINS B\nREMARK 900 \nREMARK 900 last\n"
                                   "ATOM      1  CA  GLY A   0      -0.500   0.001-999.999  1.00  0.00           C  \n"
                                   "TER       2      GLY A   0 \n"
                                   "HETATM    3 ZN    ZN A9999B   9999.999   0.000   0.000  0.25999.99          ZN2+\n"
                                   "TER       4       ZN A9999B\n"
                                   "ATOM      5 HO5'A DT A-999       0.000   0.000   0.000  1.00 -0.50           H1-\n"
                                   "TER       6       DT A-999 \n"
                                   "END\n";
    static const char *const chain[] = {"A"};
    qn_molecule *first = chains_molecule(chain, 1), *second;
    double *position = first->atoms[0].position_angstrom;
    position[0] = -0.5, position[1] = 0.00051, position[2] = -999.9994;
    CHECK_OK(qn_molecule_create("second", &second));
    qn_residue zinc = {
        .number = 9999, .insertion = 'B', .hetero = true, .chain_break = true, .name = "ZN", .chain = "A"};
    qn_residue base = {.number = -999, .name = "DT", .chain = "A"};
    CHECK_OK(qn_molecule_append_residue(second, &zinc));
    CHECK_OK(qn_molecule_append_atom(second, &(qn_atom){.position_angstrom = {9999.999, -0.0001, 0},
                                                        .occupancy = 0.25f,
                                                        .b_factor_angstrom2 = 1234,
                                                        .name = "ZN",
                                                        .element = "ZN",
                                                        .charge_e = 2}));
    CHECK_OK(qn_molecule_append_residue(second, &base));
    CHECK_OK(qn_molecule_append_atom(second, &(qn_atom){.occupancy = 1,
                                                        .b_factor_angstrom2 = -0.5f,
                                                        .name = "HO5'",
                                                        .element = "H",
                                                        .alternate = 'A',
                                                        .charge_e = -1}));
    const qn_molecule *both[] = {first, second};
    char *text = written_text(QN_STRUCTURE_PDB, both, 2);
    CHECK_TEXT(text, expected);
    qn_release(&text);
    qn_molecule_destroy(&first);
    qn_molecule_destroy(&second);
}

/* Names that need quotes in CIF are read back unchanged. */
static void names_that_need_quotes_survive_mmcif(void)
{
    static const char *const names[] = {"A",   ".", "?",  "data_x", "Loop_", "_x", "#1",  "$",
                                        "a b", "'", "\"", "a'",     "O\"5'", ";",  "[1]", "'\""};
    const size_t count = sizeof names / sizeof *names;
    qn_molecule *molecule = chains_molecule(names, count), *read;
    const qn_molecule *one = molecule;
    for (size_t i = 0; i < count; i++) {
        strcpy(molecule->residues[i].name, names[i]);
        strcpy(molecule->atoms[i].name, names[i]);
        molecule->residues[i].insertion = molecule->atoms[i].alternate = names[i][0];
    }
    CHECK_OK(qn_molecule_write(scratch("names.cif"), QN_STRUCTURE_MMCIF, &one, 1, NULL));
    if (!CHECK_OK(qn_molecule_read(NULL, scratch("names.cif"), &everything, &read))) return;
    CHECK(read->residue_count == count);
    for (size_t i = 0; i < count && i < read->residue_count; i++) {
        CHECK_TEXT(read->residues[i].chain, names[i]);
        CHECK_TEXT(read->residues[i].name, names[i]);
        CHECK_TEXT(read->atoms[i].name, names[i]);
        CHECK(read->residues[i].insertion == names[i][0] && read->atoms[i].alternate == names[i][0]);
    }
    qn_molecule_destroy(&read);
    strcpy(molecule->atoms[0].name, "a' \"b");
    CHECK_FAILS(qn_molecule_write(scratch("bad.cif"), QN_STRUCTURE_MMCIF, &one, 1, NULL), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("bad.cif: the name <a' \"b> cannot be quoted in the CIF syntax");
    strcpy(molecule->atoms[0].name, "a\nb");
    CHECK_FAILS(qn_molecule_write(scratch("bad.cif"), QN_STRUCTURE_MMCIF, &one, 1, NULL), QN_INVALID_ARGUMENT);
    CHECK(!qn_file_exists(scratch("bad.cif")));
    qn_molecule_destroy(&molecule);
}

/* A molecule that cannot be written leaves the existing file unchanged; the message gives the reason. */
static void files_are_complete_or_not_written(void)
{
    static const char *const chains[] = {"A", "AB"};
    static const double bad[] = {NAN, INFINITY, 2e5};
    qn_molecule *molecule = chains_molecule(chains, 2);
    const qn_molecule *one = molecule;
    char *text;
    size_t size;
    CHECK_OK(qn_file_write(scratch("kept.pdb"), "kept", 4));
    CHECK_FAILS(qn_molecule_write(scratch("kept.pdb"), QN_STRUCTURE_PDB, &one, 1, NULL), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS(
        "kept.pdb: chains does not fit the columns of the PDB format: chain AB (one letter); write mmCIF");
    for (int i = 0; i < 3; i++) {
        molecule->atoms[1].position_angstrom[1] = bad[i];
        CHECK_FAILS(qn_molecule_write(scratch("kept.pdb"), QN_STRUCTURE_MMCIF, &one, 1, NULL), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS("kept.pdb: atom 2 of chains (CA of GLY 1) has a coordinate");
    }
    CHECK_FAILS(qn_molecule_write(scratch("kept.pdb"), QN_STRUCTURE_PDB, &one, 0, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("kept.pdb: there are no atoms to write");
    CHECK_OK(qn_file_read(scratch("kept.pdb"), &text, &size));
    CHECK_TEXT(text, "kept");
    qn_release(&text);
    CHECK_FAILS(qn_molecule_write(scratch("nowhere/x.cif"), QN_STRUCTURE_MMCIF, &one, 1, NULL), QN_INVALID_ARGUMENT);
    molecule->atoms[1].position_angstrom[1] = 0;
    CHECK_FAILS(qn_molecule_write(scratch("nowhere/x.cif"), QN_STRUCTURE_MMCIF, &one, 1, NULL), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("nowhere/x.cif");
    qn_molecule_destroy(&molecule);
}

/* Two molecules that fit the columns separately but not together. */
static void atoms_of_all_molecules_count_towards_the_limit(void)
{
    static const char *const chain[] = {"A"};
    qn_molecule *molecule = chains_molecule(chain, 1);
    while (molecule->atom_count < 60000) CHECK_OK(qn_molecule_append_atom(molecule, &molecule->atoms[0]));
    const qn_molecule *both[] = {molecule, molecule};
    CHECK_OK(qn_molecule_write(scratch("one.pdb"), QN_STRUCTURE_PDB, both, 1, NULL));
    CHECK_FAILS(qn_molecule_write(scratch("two.pdb"), QN_STRUCTURE_PDB, both, 2, NULL), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("two.pdb: 120000 atoms do not fit");
    CHECK(!qn_file_exists(scratch("two.pdb")));
    qn_molecule_destroy(&molecule);
}

/* Files have decimal points even in a locale with decimal commas. */
static void the_locale_has_no_effect(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool comma = false;
    for (int i = 0; i < 4 && !comma; i++) comma = setlocale(LC_NUMERIC, names[i]) != NULL;
    round_trip(check_data("structures/peptide.pdb"));
    if (!comma) printf("no locale with a decimal comma is installed\n");
    setlocale(LC_NUMERIC, "C");
}

static void every_atom_of_the_ligand_files_is_read(void)
{
    static const char *const folders[] = {"docking/ligand/1iep", "docking/ligand/1stp", "docking/ligand/3ce3"};
    size_t files = 0;
    for (size_t i = 0; i < 3; i++) {
        char folder[1024], path[2048];
        if (!check_reference_data(folders[i])) {
            CHECK(1);
            return;
        }
        snprintf(folder, sizeof folder, "%s", check_reference_data(folders[i]));
        DIR *listing = opendir(folder);
        for (struct dirent *entry; listing && (entry = readdir(listing));) {
            const char *dot = strrchr(entry->d_name, '.');
            if (!dot || strcmp(dot, ".pdb") != 0) continue;
            qn_molecule *molecule;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            files++;
            if (!CHECK_OK(qn_molecule_read(NULL, path, &everything, &molecule))) continue;
            CHECK(molecule->atom_count == count_records(path) && molecule->atom_count > 10);
            for (size_t a = 0; a < molecule->atom_count; a++) CHECK(strcmp(molecule->atoms[a].element, "X") != 0);
            qn_molecule_destroy(&molecule);
        }
        if (listing) closedir(listing);
    }
    CHECK(files == 6);
}

int main(void)
{
    RUN(gzip_is_recognised_by_content_and_may_have_members);
    RUN(damaged_gzip_is_refused);
    RUN(gzip_that_unpacks_beyond_the_limit_is_refused);
    RUN(unreadable_paths_are_reported);
    RUN(chains_are_selected_by_letters_or_names);
    RUN(an_existing_path_is_not_split_into_path_and_chains);
    RUN(conversion_to_mmcif_and_back_loses_nothing);
    RUN(pdb_fields_are_in_their_columns);
    RUN(names_that_need_quotes_survive_mmcif);
    RUN(files_are_complete_or_not_written);
    RUN(atoms_of_all_molecules_count_towards_the_limit);
    RUN(the_locale_has_no_effect);
    RUN(every_atom_of_the_ligand_files_is_read);
    return check_finish();
}
