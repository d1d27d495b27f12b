#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "score/atom_parameters.h"
#include "score/electrostatics.h"
#include "score/rpsc.h"

static char warning[4096];

static void keep_warning(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) snprintf(warning, sizeof warning, "%s", message);
}

/* Add a residue with the heavy atoms in `names` (separated by blanks); the first letter of a name is the element. */
static void add_residue(qn_molecule *molecule, const char *residue_name, const char *names, bool chain_start)
{
    static int number;
    qn_residue residue = {.number = ++number};
    strcpy(residue.name, residue_name);
    strcpy(residue.chain,
           chain_start ? (number % 2 ? "A" : "B") : molecule->residues[molecule->residue_count - 1].chain);
    CHECK_OK(qn_molecule_append_residue(molecule, &residue));
    while (*names) {
        qn_atom atom = {.occupancy = 1};
        size_t length = strcspn(names, " ");
        memcpy(atom.name, names, length);
        atom.element[0] = atom.name[0];
        CHECK_OK(qn_molecule_append_atom(molecule, &atom));
        names += length + (names[length] == ' ');
    }
}

#define BACKBONE "N CA C O "

/* Heavy atoms of the side chains of amino acids, and charges at pH 7, from biochemistry textbooks. */
static const struct {
    const char *name, *side_chain;
    double charge;
} amino_acids[] = {
    {"ALA", "CB", 0},
    {"ARG", "CB CG CD NE CZ NH1 NH2", 1},
    {"ASN", "CB CG OD1 ND2", 0},
    {"ASP", "CB CG OD1 OD2", -1},
    {"CYS", "CB SG", 0},
    {"GLN", "CB CG CD OE1 NE2", 0},
    {"GLU", "CB CG CD OE1 OE2", -1},
    {"GLY", "", 0},
    {"HIS", "CB CG ND1 CD2 CE1 NE2", 0},
    {"HIE", "CB CG ND1 CD2 CE1 NE2", 0},
    {"ILE", "CB CG1 CG2 CD1", 0},
    {"LEU", "CB CG CD1 CD2", 0},
    {"LYS", "CB CG CD CE NZ", 1},
    {"MET", "CB CG SD CE", 0},
    {"PHE", "CB CG CD1 CD2 CE1 CE2 CZ", 0},
    {"PRO", "CB CG CD", 0},
    {"SER", "CB OG", 0},
    {"THR", "CB OG1 CG2", 0},
    {"TRP", "CB CG CD1 CD2 NE1 CE2 CE3 CZ2 CZ3 CH2", 0},
    {"TYR", "CB CG CD1 CD2 CE1 CE2 CZ OH", 0},
    {"VAL", "CB CG1 CG2", 0},
    {"MSE", "CB CG SE CE", 0},
    {"HIP", "CB CG ND1 CD2 CE1 NE2", 1},
    {"ASH", "CB CG OD1 OD2", 0},
    {"GLH", "CB CG CD OE1 OE2", 0},
    {"LYN", "CB CG CD CE NZ", 0},
    {"ARGN", "CB CG CD NE CZ NH1 NH2", 0},
};

static double net_charge(qn_molecule *molecule, qn_atom_parameters **parameters)
{
    qn_parameters_summary summary;
    CHECK_OK(qn_atom_parameters_assign(molecule, parameters, NULL, NULL, &summary));
    CHECK(summary.without_entry == 0);
    return summary.net_charge_e;
}

static void every_amino_acid_sums_to_its_formal_charge(void)
{
    for (size_t i = 0; i < sizeof amino_acids / sizeof *amino_acids; i++) {
        qn_molecule *m;
        qn_atom_parameters *parameters;
        char names[100];
        CHECK_OK(qn_molecule_create("test", &m));
        snprintf(names, sizeof names, BACKBONE "%s", amino_acids[i].side_chain);
        add_residue(m, "ALA", BACKBONE "CB", true);
        add_residue(m, amino_acids[i].name, names, false);
        /* the residue follows an N-terminal alanine of charge +1; the chain is cut, so its end has no charge */
        if (!CHECK_NEAR(net_charge(m, &parameters), 1 + amino_acids[i].charge, 1e-3))
            printf("%s\n", amino_acids[i].name);
        for (size_t a = 0; a < m->atom_count; a++) {
            CHECK(parameters[a].heavy && parameters[a].radius_angstrom > 1);
            CHECK(parameters[a].type >= 0 && parameters[a].type < QN_ATOM_TYPES);
        }
        qn_release(&parameters);
        qn_molecule_destroy(&m);
    }
}

static void termini_have_their_charges(void)
{
    qn_molecule *m;
    qn_atom_parameters *parameters;
    CHECK_OK(qn_molecule_create("test", &m));
    add_residue(m, "PRO", BACKBONE "CB CG CD", true);
    add_residue(m, "GLY", BACKBONE "OXT", false);
    CHECK_NEAR(net_charge(m, &parameters), 0, 1e-3); /* +1 and −1 */
    CHECK_NEAR(parameters[m->atom_count - 1].charge_e, parameters[m->atom_count - 2].charge_e, 1e-12);
    qn_release(&parameters);
    add_residue(m, "GLY", BACKBONE, false); /* merged chains: a start after each OXT */
    CHECK_NEAR(net_charge(m, &parameters), 1, 1e-3);
    qn_release(&parameters);
    qn_molecule_destroy(&m);
}

/* Each amino acid may end a chain. Its OXT is an oxygen like its O, and the residue has one more negative charge. */
static void every_amino_acid_can_end_a_chain(void)
{
    for (size_t i = 0; i < sizeof amino_acids / sizeof *amino_acids; i++) {
        qn_molecule *m;
        qn_atom_parameters *parameters;
        char names[100];
        CHECK_OK(qn_molecule_create("test", &m));
        snprintf(names, sizeof names, BACKBONE "%s%sOXT", amino_acids[i].side_chain,
                 *amino_acids[i].side_chain ? " " : "");
        add_residue(m, "ALA", BACKBONE "CB", true);
        add_residue(m, amino_acids[i].name, names, false);
        if (!CHECK_NEAR(net_charge(m, &parameters), amino_acids[i].charge, 1e-3)) printf("%s\n", amino_acids[i].name);
        const qn_atom_parameters *oxygen = &parameters[m->residues[1].first_atom + 3],
                                 *oxt = &parameters[m->atom_count - 1];
        CHECK(oxt->type == oxygen->type && oxt->radius_angstrom == oxygen->radius_angstrom);
        CHECK_NEAR(oxt->charge_e, oxygen->charge_e, 1e-12);
        qn_release(&parameters);
        qn_molecule_destroy(&m);
    }
}

/* MET with the selenium SE of MSE, as some files have it, is the same as MSE. */
static void selenium_in_methionine_is_that_of_selenomethionine(void)
{
    static const char *const residues[] = {"MET", "MSE"};
    qn_atom_parameters *of[2];
    for (int i = 0; i < 2; i++) {
        qn_molecule *m;
        CHECK_OK(qn_molecule_create("test", &m));
        add_residue(m, "ALA", BACKBONE "CB", true);
        add_residue(m, residues[i], BACKBONE "CB CG SE CE", false);
        CHECK_NEAR(net_charge(m, &of[i]), 1, 1e-3);
        qn_molecule_destroy(&m);
    }
    const qn_atom_parameters *a = &of[0][11], *b = &of[1][11];
    CHECK(a->type == b->type && a->radius_angstrom == b->radius_angstrom && a->charge_e == b->charge_e);
    qn_release(&of[0]);
    qn_release(&of[1]);
}

static void hydrogens_of_the_file_carry_their_own_charge(void)
{
    qn_molecule *without, *with;
    qn_atom_parameters *a, *b;
    CHECK_OK(qn_molecule_create("test", &without));
    CHECK_OK(qn_molecule_create("test", &with));
    add_residue(without, "ALA", BACKBONE "CB", true);
    add_residue(without, "SER", BACKBONE "CB OG", false);
    add_residue(with, "ALA", BACKBONE "CB", true);
    add_residue(with, "SER", BACKBONE "CB OG H HG HB2",
                false); /* HB2, a hydrogen without an entry, is ignored without a warning */
    CHECK_NEAR(net_charge(without, &a), net_charge(with, &b), 1e-6);
    CHECK_NEAR(a[10].charge_e, b[10].charge_e + b[12].charge_e, 1e-6); /* OG with and without its hydrogen */
    CHECK(b[12].charge_e > 0.3 && !b[12].heavy);
    qn_release(&a);
    qn_release(&b);
    qn_molecule_destroy(&without);
    qn_molecule_destroy(&with);
}

#define RIBOSE "P OP1 OP2 O5' C5' C4' O4' C1' C2' O2' C3' O3' "

/* A strand of n nucleotides between hydroxyl ends has n − 1 phosphates of −1. */
static void nucleotides_have_charge_minus_one_and_strand_ends_are_neutral(void)
{
    static const char *const bases[][2] = {{"A", "N9 C5 N7 C8 N1 C2 N3 C4 C6 N6"},
                                           {"C", "N1 C2 O2 N3 C4 N4 C5 C6"},
                                           {"G", "N9 C5 N7 C8 N1 C2 N2 N3 C4 C6 O6"},
                                           {"U", "N1 C2 O2 N3 C4 O4 C5 C6"}};
    for (size_t i = 0; i < 4; i++)
        for (int deoxy = 0; deoxy < 2; deoxy++) {
            qn_molecule *m;
            qn_atom_parameters *parameters;
            char names[200], residue[4];
            snprintf(names, sizeof names, "%s%s", RIBOSE, bases[i][1]);
            if (deoxy) memmove(strstr(names, "O2'"), strstr(names, "O2'") + 4, strlen(strstr(names, "O2'") + 4) + 1);
            snprintf(residue, sizeof residue, "%s%s", deoxy ? "D" : "", bases[i][0]);
            CHECK_OK(qn_molecule_create("test", &m));
            add_residue(m, residue, names + strlen("P OP1 OP2 "), true);
            add_residue(m, residue, names, false);
            add_residue(m, residue, names, false);
            CHECK_NEAR(net_charge(m, &parameters), -2, 1e-3);
            double sums[3] = {0};
            for (size_t a = 0; a < m->atom_count; a++) sums[m->atoms[a].residue] += parameters[a].charge_e;
            CHECK_NEAR(sums[1], -1, 1e-3);
            qn_release(&parameters);
            qn_molecule_destroy(&m);
        }
}

static void unknown_atoms_are_listed_once(void)
{
    qn_molecule *m;
    qn_atom_parameters *parameters;
    qn_parameters_summary summary;
    CHECK_OK(qn_molecule_create("odd.pdb", &m));
    add_residue(m, "XYZ", "C1 S2", true);
    add_residue(m, "XYZ", "C1 S2", false);
    static qn_log_target heard = {.callback = keep_warning, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const qn_log_scope outer = qn_log_enter(&heard);
    CHECK_OK(qn_atom_parameters_assign(m, &parameters, NULL, NULL, &summary));
    qn_log_return(outer);
    CHECK(summary.without_entry == 4);
    CHECK_TEXT(warning, "odd.pdb: 4 atoms have no entry in the atom table and use their element's radius, no charge: "
                        "XYZ:C1 XYZ:S2");
    CHECK(parameters[0].type == -1 && parameters[0].charge_e == 0 && parameters[1].radius_angstrom > 1.5f);
    qn_release(&parameters);
    qn_molecule_destroy(&m);
    CHECK_OK(qn_molecule_create("one.pdb", &m));
    add_residue(m, "XYZ", "C1", true);
    (void)qn_log_enter(&heard);
    CHECK_OK(qn_atom_parameters_assign(m, &parameters, NULL, NULL, &summary));
    qn_log_return(outer);
    CHECK_TEXT(warning, "one.pdb: 1 atom has no entry in the atom table and uses its element's radius, no charge: "
                        "XYZ:C1");
    qn_release(&parameters);
    qn_molecule_destroy(&m);
}

static void trypsin_has_charge_plus_six(void)
{
    const char *path = check_reference_data("docking/bm5/1PPE/1PPE_r_u.pdb");
    qn_molecule *m;
    qn_atom_parameters *parameters;
    qn_molecule_options options = {.size = sizeof options};
    CHECK(1);
    if (!path || !CHECK_OK(qn_molecule_read(NULL, path, &options, &m))) return;
    CHECK_NEAR(net_charge(m, &parameters), 6, 1e-3);
    qn_release(&parameters);
    qn_molecule_destroy(&m);
}

static void electrostatic_potential_has_known_values_and_falls(void)
{
    CHECK_NEAR(qn_electrostatic_potential(0, 4), 0.25, 1e-12); /* 1 / D */
    CHECK_NEAR(qn_electrostatic_potential(81, 4), 1 / sqrt(81 + 16 * exp(-81.0 / 64)), 1e-12);
    CHECK(qn_electrostatic_potential(144, 4) == 0);
    CHECK_NEAR(qn_electrostatic_potential(121, 4), 0.5 / sqrt(121 + 16 * exp(-121.0 / 64)), 1e-12); /* half way */
    for (double r = 0; r < 12; r += 0.01)
        CHECK(qn_electrostatic_potential(r * r, 4) >= qn_electrostatic_potential((r + 0.01) * (r + 0.01), 4) - 1e-15);
}

static void table_holds_each_atom_once(void)
{
    for (size_t i = 0; i < qn_atom_table_count; i++)
        for (size_t j = i + 1; j < qn_atom_table_count; j++)
            if (strcmp(qn_atom_table[i].residue, qn_atom_table[j].residue) == 0 &&
                strcmp(qn_atom_table[i].atom, qn_atom_table[j].atom) == 0)
                CHECK(!"an atom has two entries");
    size_t first;
    CHECK(qn_atom_table_residue("TRP", &first) == 17);
    CHECK(qn_atom_table_residue("NIX", &first) == 0);
    /* in the published list lysine's amino end has the highest energy and cysteine's sulphur the lowest */
    for (int type = 0; type < QN_ATOM_TYPES; type++)
        CHECK(qn_rpsc_contact_energy[type] <= qn_rpsc_contact_energy[6] &&
              qn_rpsc_contact_energy[type] >= qn_rpsc_contact_energy[17]);
    CHECK_NEAR(qn_rpsc_contact_energy[6], 1.334, 0);
    CHECK_NEAR(qn_rpsc_contact_energy[17], -1.827, 0);
}

int main(void)
{
    RUN(every_amino_acid_sums_to_its_formal_charge);
    RUN(termini_have_their_charges);
    RUN(every_amino_acid_can_end_a_chain);
    RUN(selenium_in_methionine_is_that_of_selenomethionine);
    RUN(hydrogens_of_the_file_carry_their_own_charge);
    RUN(nucleotides_have_charge_minus_one_and_strand_ends_are_neutral);
    RUN(unknown_atoms_are_listed_once);
    RUN(trypsin_has_charge_plus_six);
    RUN(electrostatic_potential_has_known_values_and_falls);
    RUN(table_holds_each_atom_once);
    return check_finish();
}
