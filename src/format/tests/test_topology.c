/* Topologies with little data: tables of atoms, GRO, PDB, mmCIF; and elements deduced from names. */
#include "check.h"

#include <quern/topology.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/tests/topologies.h"
#include "format/topology/topology_format.h"

static const char water_gro[] =
    "Water and an ion\n"
    "    5\n"
    "    1SOL     OW    1   0.126   1.624  -1.679  0.1227 -0.0580  0.0434\n"
    "    1SOL    HW1    2   0.190   1.661   1.747\n"
    "    1SOL    HW2    3   0.177   1.568   1.613\n"
    "99999SOL     MW    4   0.177   1.568   1.613\n"
    "    0CA      CA    5   1.275   0.053   0.622\n"
    "   1.82060   2.00000   3.00000   0.00000   0.00000   0.50000   0.00000   0.25000   0.75\n";

static qn_topology *read_text(const char *text)
{
    qn_topology *topology = NULL;
    CHECK_OK(qn_topology_read_memory("folder/text", text, strlen(text), &topology));
    return topology;
}

static void gro_gives_names_positions_box_and_masses_of_elements(void)
{
    qn_topology *topology = read_text(water_gro);
    if (!topology) return;
    static const double box_nm[9] = {1.8206, 0, 0, 0.5, 2, 0, 0.25, 0.75, 3};
    CHECK(topology->atom_count == 5 && topology->residue_count == 3 && topology->molecule_count == 3);
    CHECK(!topology->has_bonds && !topology->has_charges && !topology->has_types);
    CHECK(topology->masses == QN_MASSES_FROM_ELEMENTS);
    CHECK_TEXT(topology->name, "text");
    CHECK_TEXT(topology->atoms[0].name, "OW");
    CHECK_TEXT(topology->atoms[0].element, "O");
    CHECK_TEXT(topology->atoms[1].element, "H");
    CHECK_TEXT(topology->atoms[3].element, "X");
    CHECK_TEXT(topology->atoms[4].element, "CA");
    CHECK_TEXT(topology->residues[2].name, "CA");
    CHECK(topology->residues[1].number == 99999);
    CHECK_NEAR(topology->atoms[0].mass_u, 15.999, 1e-9);
    CHECK(topology->atoms[3].mass_u == 0);
    CHECK(topology->atoms[3].molecule == 1 && topology->atoms[4].molecule == 2);
    if (CHECK(topology->positions_nm != NULL)) {
        CHECK_NEAR(topology->positions_nm[2], -1.679, 1e-6);
        CHECK_NEAR(topology->positions_nm[12], 1.275, 1e-6);
    }
    for (int i = 0; i < 9; i++) CHECK_NEAR(topology->box_nm[i], box_nm[i], 1e-12);
    qn_topology_destroy(&topology);
}

static void malformed_gro_files_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"title\n 3\n", "text:3: the file ends after 0 of 3 atoms"},
        {"title\n 2\n    1SOL     OW    1   0.126   1.624   1.679\n", "text:4: the file ends after 1 of 2 atoms"},
        {"title\n 2\n    1SOL     OW    1   0.126   1.624   1.679\n    1SOL     OW    1   0.126   1.6\n",
         "text:4: \"    1SOL     OW    1   0.126   1.6\" is not an atom"},
        {"title\n 2\n    1SOL     OW    1   0.126   1.624   1.679\n    xSOL     OW    1   0.126   1.624   1.679\n",
         "text:4: residue number \"    x\" is not a whole number"},
        {"title\n 1\n    1SOL     OW    1   0.126   1.624   1.679\n",
         "text:4: the file ends before the line of the box"},
        {"title\n 1\n    1SOL     OW    1   0.126   1.624   1.679\n 1 2\n", "text:4: the box has 2 numbers"},
        {"title\n 1\n    1SOL     OW    1   0.126   1.624   1.679\n 1 2 nan\n", "\"nan\" of the box is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_topology *topology;
        CHECK_FAILS(qn_topology_read_memory("text", cases[i].text, strlen(cases[i].text), &topology), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(cases[i].message);
        CHECK(!topology);
    }
}

static void tables_give_the_values_of_their_columns(void)
{
    qn_topology *topology = read_text("#index\tname\tresname\tresid\tcharge\tother\n"
                                      "0\tNA\tNA+\t7\t1.0\tx\r\n"
                                      "1\tCA\tALA\t8\t-0.5e-1\tx\n"
                                      "2\tSOD\tSOD\t9\t1\tx\n");
    if (!topology) return;
    CHECK(topology->atom_count == 3 && topology->molecule_count == 3);
    CHECK(topology->has_charges && !topology->has_types && topology->masses == QN_MASSES_FROM_ELEMENTS);
    CHECK_TEXT(topology->atoms[0].element, "NA");
    CHECK_TEXT(topology->atoms[1].element, "C");
    CHECK_TEXT(topology->atoms[2].element, "NA");
    CHECK_NEAR(topology->atoms[1].charge_e, -0.05, 1e-15);
    CHECK_NEAR(topology->atoms[2].mass_u, 22.990, 1e-9);
    CHECK(topology->residues[2].number == 9);
    qn_topology_destroy(&topology);
}

static void malformed_tables_are_refused(void)
{
#define HEAD "#index0\tresid\tresname\tname\ttype\tmass\tcharge\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD, "text: holds no atoms"},
        {HEAD "1\t1\tSOL\tOW\tO\t16\t0\n", "text:2: index 1; expected 0"},
        {HEAD "0\t1.5\tSOL\tOW\tO\t16\t0\n", "text:2: resid \"1.5\" is not a whole number"},
        {HEAD "0\t1\tSOL\tOW\tO\tinf\t0\n", "text:2: mass \"inf\" is not a number"},
        {HEAD "0\t1\tSOL\tOW\tO\t-1\t0\n", "text:2: mass -1 is negative"},
        {HEAD "0\t1\tSOL\tOW\n", "text:2: 4 words; expected a type in column 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_topology *topology;
        CHECK_FAILS(qn_topology_read_memory("text", cases[i].text, strlen(cases[i].text), &topology), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(cases[i].message);
    }
}

static void pdb_keeps_waters_hydrogens_and_alternates(void)
{
    qn_topology *topology = read_text("CRYST1   40.000   50.000   60.000  90.00  90.00  90.00 P 1           1\n"
                                      "ATOM      1  CA AALA A   1      11.104   6.134  -6.504  0.50  0.00           C\n"
                                      "ATOM      2  CA BALA A   1      12.104   6.134  -6.504  0.50  0.00           C\n"
                                      "ATOM      3  HA  ALA A   1      11.639   6.071  -5.147  1.00  0.00           H\n"
                                      "HETATM    4  O   HOH B   2      21.104   6.134  -6.504  1.00  0.00           O\n"
                                      "END\n");
    if (!topology) return;
    CHECK(topology->atom_count == 4 && topology->residue_count == 2 && !topology->has_bonds);
    CHECK_TEXT(topology->residues[1].chain, "B");
    CHECK_NEAR(topology->positions_nm[3], 1.2104, 1e-6);
    CHECK_NEAR(topology->box_nm[0], 4, 1e-9);
    CHECK_NEAR(topology->box_nm[4], 5, 1e-9);
    CHECK_NEAR(topology->box_nm[8], 6, 1e-9);
    qn_topology_destroy(&topology);
}

static void the_cell_of_mmcif_files_is_read(void)
{
    qn_topology *topology = read_text("data_x\n_cell.length_a 20\n_cell.length_b 30\n_cell.length_c 40(1)\n"
                                      "_cell.angle_alpha 90\n_cell.angle_beta 90\n_cell.angle_gamma 60\nloop_\n"
                                      "_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n"
                                      "_atom_site.label_atom_id\n_atom_site.label_alt_id\n_atom_site.label_comp_id\n"
                                      "_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.Cartn_x\n"
                                      "_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
                                      "ATOM 1 ZN ZN . ZN A 1 1.0 2.0 3.0\n");
    if (!topology) return;
    CHECK(topology->atom_count == 1);
    CHECK_TEXT(topology->atoms[0].element, "ZN");
    CHECK_NEAR(topology->box_nm[0], 2, 1e-9);
    CHECK_NEAR(topology->box_nm[3], 1.5, 1e-9); /* b = 3 nm at 60° */
    CHECK_NEAR(topology->box_nm[8], 4, 1e-9);
    qn_topology_destroy(&topology);
}

static void files_that_are_not_topologies_are_refused(void)
{
    qn_topology *topology;
    CHECK_FAILS(qn_topology_read_memory("x", "", 0, &topology), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("x: is empty; expected TPR, PSF");
    CHECK_FAILS(qn_topology_read_memory("x", "junk\n", 5, &topology), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("x: is not a topology (it begins with \"junk?\")");
    CHECK_FAILS(qn_topology_read_memory("x.xtc", "\0\0\7\xcb", 4, &topology), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("x.xtc: is a trajectory by its name; expected a topology before it: TPR");
    CHECK_FAILS(qn_topology_read(NULL, "/nonexistent/topol.tpr", &topology), QN_NOT_FOUND);
    const char *path = check_reference_data("trajectory/argon_tng/argon_npt_compressed.tng");
    if (!path) return;
    CHECK_FAILS(qn_topology_read(NULL, path, &topology), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("argon_npt_compressed.tng: is a TNG file, which is not read");
}

/* Name, residue, mass and whether the atom is alone: names of GROMACS, CHARMM, Amber and coarse-grained models. */
static void elements_follow_from_names_and_masses(void)
{
    static const struct {
        const char *name, *residue;
        double mass_u;
        int alone;
        const char *element;
    } cases[] = {
        {"CA", "ALA", 12.011, 0, "C"},   {"CA", "CAL", 40.08, 1, "CA"},   {"SOD", "SOD", 22.98977, 1, "NA"},
        {"SOD", "SOD", -1, 1, "NA"},     {"CLA", "CLA", 35.45, 1, "CL"},  {"POT", "POT", -1, 1, "K"},
        {"HW1", "SOL", 1.008, 0, "H"},   {"MW", "SOL", 0, 0, "X"},        {"MW", "SOL", -1, 0, "X"},
        {"EPW", "WAT", 0, 0, "X"},       {"N", "ALA", 11.991, 0, "N"},    {"O", "SOL", 13.983, 0, "O"},
        {"HB1", "ALA", 3.024, 0, "H"},   {"CH2", "LIP", 14.027, 0, "C"},  {"1HB", "ALA", -1, 0, "H"},
        {"BB", "ALA", 72, 0, "X"},       {"SC1", "ALA", 54, 0, "X"},      {"FE", "HEM", 55.847, 0, "FE"},
        {"ZN", "ZN2", 65.38, 1, "ZN"},   {"CL1", "LIG", 35.453, 0, "CL"}, {"BR", "BR", 79.904, 1, "BR"},
        {"NA", "NA+", 22.9898, 1, "NA"}, {"AR", "AR", 39.948, 1, "AR"},   {"DO", "SWM4", 0.4, 0, "X"},
        {"HG", "SER", 1.008, 0, "H"},    {"CD", "ARG", 12.011, 0, "C"},   {"NE", "ARG", 14.007, 0, "N"},
        {"DM1", "MEM", -1, 0, "X"},      {"DM", "DM", -1, 1, "X"},        {"D1", "DOD", 2.014, 0, "D"},
        {"OW", "SOL", -1, 0, "O"},       {"CE1", "PHE", -1, 0, "C"},      {"SE", "MSE", 78.96, 0, "SE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_topology_atom atom = {0};
        qn_topology_residue residue = {.atom_count = cases[i].alone ? 1 : 2};
        char element[4];
        strcpy(atom.name, cases[i].name);
        strcpy(residue.name, cases[i].residue);
        qn_topology_deduce_element(&atom, &residue, cases[i].mass_u, element);
        if (!CHECK_TEXT(element, cases[i].element)) fprintf(stderr, "  (%s of %s)\n", atom.name, residue.name);
    }
}

/* Compare the atoms of the table with those of the GRO file beside it. */
static void reference_tables_and_gro_files_agree(void)
{
    static const char *const cases[][2] = {
        {"trajectory/water3k/atoms.tsv.gz", "trajectory/water3k/water3k.gro"},
        {"trajectory/adk_oplsaa/atoms.tsv.gz", "trajectory/adk_oplsaa/adk_oplsaa.gro"}};
    for (size_t c = 0; c < 2; c++) {
        qn_topology *table = read_reference(cases[c][0]), *gro = read_reference(cases[c][1]);
        if (table && gro && CHECK(table->atom_count == gro->atom_count)) {
            CHECK(table->has_charges && table->has_types && table->masses == QN_MASSES_FROM_FILE);
            CHECK(table->residue_count == gro->residue_count && table->molecule_count == gro->molecule_count);
            CHECK(count_differences(table, gro, COMPARE_NAMES | COMPARE_ELEMENTS) == 0);
            /* OPLS-AA's masses differ from those of the elements in the fourth digit at most. */
            size_t different = 0;
            for (size_t i = 0; i < table->atom_count; i++)
                different += !(fabs(table->atoms[i].mass_u - gro->atoms[i].mass_u) <= 2e-4 * table->atoms[i].mass_u);
            CHECK(different == 0);
        }
        qn_topology_destroy(&table);
        qn_topology_destroy(&gro);
    }
}

int main(void)
{
    RUN(gro_gives_names_positions_box_and_masses_of_elements);
    RUN(malformed_gro_files_are_refused);
    RUN(tables_give_the_values_of_their_columns);
    RUN(malformed_tables_are_refused);
    RUN(pdb_keeps_waters_hydrogens_and_alternates);
    RUN(the_cell_of_mmcif_files_is_read);
    RUN(files_that_are_not_topologies_are_refused);
    RUN(elements_follow_from_names_and_masses);
    RUN(reference_tables_and_gro_files_agree);
    return check_finish();
}
