/* GROMACS run input files: a small file with every kind of bond, the reference files, and broken files. */
#include "check.h"

#include <quern/topology.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/tests/topologies.h"
#include "format/topology/topology_format.h"

/* The content of mixture.top. */
static void a_small_file_gives_the_values_of_its_source(void)
{
    static const uint32_t bonds[][2] = {{0, 1}, {0, 2},   {0, 3},   {3, 4},   {4, 5},   {6, 7},   {6, 8},
                                        {6, 9}, {10, 11}, {10, 12}, {10, 13}, {14, 15}, {14, 16}, {14, 17}};
    static const int numbers[] = {7, 8, 9, 10, 11, 12, 13};
    qn_topology *topology;
    if (!CHECK_OK(qn_topology_read(NULL, check_data("trajectory/mixture.tpr"), &topology))) return;
    CHECK(topology->atom_count == 20 && topology->residue_count == 7 && topology->molecule_count == 6);
    CHECK(topology->masses == QN_MASSES_FROM_FILE && topology->has_charges && topology->has_bonds);
    CHECK(topology->has_types);
    for (size_t r = 0; r < 7; r++) CHECK(topology->residues[r].number == numbers[r]);
    if (CHECK(topology->bond_count == 14)) CHECK(memcmp(topology->bonds, bonds, sizeof bonds) == 0);
    CHECK_TEXT(topology->atoms[4].name, "O2");
    CHECK_TEXT(topology->atoms[4].type, "OT");
    CHECK_TEXT(topology->atoms[4].element, "O");
    CHECK_NEAR(topology->atoms[4].charge_e, -0.3, 1e-7);
    CHECK_NEAR(topology->atoms[4].mass_u, 15.9994, 1e-5);
    CHECK_TEXT(topology->residues[1].name, "ALO");
    CHECK_TEXT(topology->residues[2].segment, "Water");
    CHECK_TEXT(topology->atoms[9].name, "MW");
    CHECK_TEXT(topology->atoms[9].element, "X");
    CHECK(topology->atoms[9].mass_u == 0 && topology->atoms[9].molecule == topology->atoms[6].molecule);
    CHECK_TEXT(topology->atoms[19].element, "ZN");
    CHECK(topology->atoms[19].molecule == 5);
    qn_topology_destroy(&topology);
}

/* Files before 2020 are XDR; before version 78 a rigid water is given by its oxygen alone, which its hydrogens
 * follow. */
static void old_versions_are_read(void)
{
    static const uint32_t bonds[][2] = {{0, 1}, {2, 3}, {2, 4}};
    static const char *const names[] = {"trajectory/version_58.tpr", "trajectory/version_73.tpr",
                                        "trajectory/version_100.tpr"};
    for (size_t i = 0; i < 3; i++) {
        qn_topology *topology;
        if (!CHECK_OK(qn_topology_read(NULL, check_data(names[i]), &topology))) continue;
        CHECK(topology->atom_count == 5 && topology->molecule_count == 2 && topology->residue_count == 2);
        if (CHECK(topology->bond_count == 3)) CHECK(memcmp(topology->bonds, bonds, sizeof bonds) == 0);
        CHECK_TEXT(topology->atoms[3].name, "HW1");
        CHECK_TEXT(topology->atoms[3].type, "HT");
        CHECK_TEXT(topology->atoms[2].element, "O");
        CHECK_TEXT(topology->residues[0].segment, "Chain");
        CHECK(topology->residues[1].number == 2);
        CHECK_NEAR(topology->atoms[2].mass_u, 15.9994, 1e-5);
        CHECK_NEAR(topology->atoms[2].charge_e, -0.8, 1e-7);
        if (CHECK(topology->positions_nm != NULL)) CHECK_NEAR(topology->positions_nm[14], 1.4, 1e-6);
        CHECK_NEAR(topology->box_nm[8], 2, 1e-7);
        qn_topology_destroy(&topology);
    }
}

/* Compare with mixture.gro, from which grompp took positions and box. */
static void positions_and_box_are_those_of_the_structure(void)
{
    qn_topology *topology = NULL, *gro = NULL;
    CHECK_OK(qn_topology_read(NULL, check_data("trajectory/mixture.tpr"), &topology));
    CHECK_OK(qn_topology_read(NULL, check_data("trajectory/mixture.gro"), &gro));
    if (topology && gro && CHECK(topology->positions_nm != NULL)) {
        for (size_t i = 0; i < 60; i++) CHECK_NEAR(topology->positions_nm[i], gro->positions_nm[i], 1e-5);
        for (int i = 0; i < 9; i++) CHECK_NEAR(topology->box_nm[i], gro->box_nm[i], 1e-6);
        CHECK(count_differences(topology, gro, COMPARE_NAMES | COMPARE_RESIDUE_NAMES | COMPARE_ELEMENTS) == 0);
    }
    qn_topology_destroy(&topology);
    qn_topology_destroy(&gro);
}

/* Molecules as counted by "gmx dump" (the nr of its molblocks), and bonds counted by hand from it: a molecule type's
 * CONSTR, SETTLE (two each), BONDS and virtual sites. */
static void reference_files_give_the_reference_tables(void)
{
    static const struct {
        const char *tpr, *table;
        size_t molecules, bonds;
    } cases[] = {
        {"trajectory/water3k/water3k.tpr", "trajectory/water3k/atoms.tsv.gz", 1054, 2 * 1054},
        {"trajectory/water98k/water98k.tpr", "trajectory/water98k/atoms.tsv.gz", 32773, 2 * 32773},
        {"trajectory/adk_oplsaa/adk_oplsaa.tpr", "trajectory/adk_oplsaa/atoms.tsv.gz", 1 + 11084 + 4, 3365 + 3 * 11084},
        {"trajectory/cobrotoxin/cobrotoxin.tpr", "trajectory/cobrotoxin/atoms.tsv.gz", 4632, 929 + 3 * 4612},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        qn_topology *tpr = read_reference(cases[c].tpr), *table = read_reference(cases[c].table);
        if (tpr && table && CHECK(tpr->atom_count == table->atom_count)) {
            CHECK(count_differences(table, tpr,
                                    COMPARE_NAMES | COMPARE_RESIDUE_NAMES | COMPARE_TYPES | COMPARE_MASSES |
                                        COMPARE_CHARGES) == 0);
            CHECK_NEAR((double)tpr->molecule_count, (double)cases[c].molecules, 0);
            CHECK_NEAR((double)tpr->bond_count, (double)cases[c].bonds, 0);
        }
        qn_topology_destroy(&tpr);
        qn_topology_destroy(&table);
    }
}

/* In every water, M belongs to the molecule of its O, which differs from that of the previous water; in the last water,
 * the other three are bonded to O. */
static void four_site_waters_are_molecules(void)
{
    qn_topology *topology = read_reference("trajectory/adk_oplsaa/adk_oplsaa.tpr");
    if (!topology) return;
    size_t wrong = 0, sites = 0;
    for (size_t i = 0; i < topology->atom_count; i++) {
        const qn_topology_atom *atom = &topology->atoms[i];
        if (strcmp(atom->name, "MW") != 0) continue;
        sites++;
        wrong += atom->molecule != atom[-3].molecule || strcmp(atom[-3].name, "OW") != 0 || atom->mass_u != 0 ||
                 strcmp(atom->element, "X") != 0 || atom[-3].molecule == atom[-4].molecule;
    }
    CHECK(sites == 11084 && wrong == 0);
    for (uint32_t site = 1; site <= 3; site++) {
        const uint32_t *bond = topology->bonds[topology->bond_count - 4 + site];
        CHECK_TEXT(topology->atoms[bond[0]].name, "OW");
        CHECK(bond[1] == bond[0] + site);
    }
    qn_topology_destroy(&topology);
}

static void files_cut_inside_the_topology_are_refused(void)
{
    char *data;
    size_t size, refused = 0, needed = 0;
    if (!CHECK_OK(qn_file_read(check_data("trajectory/mixture.tpr"), &data, &size))) return;
    for (size_t length = 1; length <= size; length++) {
        qn_topology *topology;
        if (qn_topology_read_memory("cut.tpr", data, length, &topology) == QN_OK) {
            if (needed == 0) needed = length;
            qn_topology_destroy(&topology);
            continue;
        }
        refused++;
        if (length > 16 && !strstr(qn_error_message(), "cut.tpr: byte"))
            CHECK_TEXT(qn_error_message(), "cut.tpr: byte …");
    }
    CHECK(needed > 0 && refused == needed - 1);
    CHECK(needed < size); /* settings of the run follow */
    qn_release(&data);
}

/* There is no expected result: the sanitizers check memory, and every refusal must name the place. */
static void flipped_bits_are_refused_or_read(void)
{
    char *data;
    size_t size, refused = 0, read = 0;
    if (!CHECK_OK(qn_file_read(check_data("trajectory/mixture.tpr"), &data, &size))) return;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        qn_topology *topology;
        data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
        if (qn_topology_read_memory("flipped.tpr", data, size, &topology) == QN_OK) {
            read++;
            qn_topology_destroy(&topology);
        } else {
            refused++;
            if (strncmp(qn_error_message(), "flipped.tpr: ", 13) != 0) CHECK_TEXT(qn_error_message(), "flipped.tpr: …");
        }
        data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
    }
    CHECK(refused > 5000 && read > 5000);
    qn_release(&data);
}

static void put(char *data, size_t at, unsigned value)
{
    for (int i = 0; i < 4; i++) data[at + (size_t)i] = (char)(value >> (24 - 8 * i));
}

static void wrong_numbers_are_refused(void)
{
    /* Byte offsets in mixture.tpr: the header's precision, version and number of atoms; the number of names. */
    static const struct {
        size_t at;
        unsigned value;
        qn_status status;
        const char *message;
    } cases[] = {
        {40, 5, QN_BAD_FORMAT, "x.tpr: byte 40: numbers of 5 bytes; expected 4 or 8"},
        {44, 40, QN_UNSUPPORTED, "x.tpr: byte 44: TPR version 40 (written by \"VERSION 2022.5-Debian_2022.5_2\")"},
        {44, 200, QN_UNSUPPORTED, "TPR version 200"},
        {68, 0x7fffffff, QN_BAD_FORMAT, "x.tpr: byte 68: atoms: 2147483647 of them in the"},
        {68, 21, QN_BAD_FORMAT, "the molecules have 20 atoms; expected 21, as the header says"},
        {88, 0, QN_BAD_FORMAT, "the file holds no topology"},
        {116, 0x7fc00000, QN_BAD_FORMAT, "x.tpr: byte 116: nan in the box"},
        {228, 0xffffffff, QN_BAD_FORMAT, "x.tpr: byte 228: names: -1 of them"},
    };
    char *data;
    size_t size;
    if (!CHECK_OK(qn_file_read(check_data("trajectory/mixture.tpr"), &data, &size))) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char kept[4];
        qn_topology *topology;
        memcpy(kept, data + cases[i].at, 4);
        put(data, cases[i].at, cases[i].value);
        CHECK_FAILS(qn_topology_read_memory("x.tpr", data, size, &topology), cases[i].status);
        CHECK_MESSAGE_HAS(cases[i].message);
        memcpy(data + cases[i].at, kept, 4);
    }
    qn_release(&data);
}

int main(void)
{
    RUN(a_small_file_gives_the_values_of_its_source);
    RUN(old_versions_are_read);
    RUN(positions_and_box_are_those_of_the_structure);
    RUN(reference_files_give_the_reference_tables);
    RUN(four_site_waters_are_molecules);
    RUN(files_cut_inside_the_topology_are_refused);
    RUN(flipped_bits_are_refused_or_read);
    RUN(wrong_numbers_are_refused);
    return check_finish();
}
