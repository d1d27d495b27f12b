#include "chemistry/residue_types.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "check.h"

/* Expected types of the atoms. Residues are given as "N=N.4 CA=C.3 …". Atoms are placed far from each other, except C
 * and N of consecutive residues, and hydrogens. */
typedef struct expected_atom {
    char type[8];
} expected_atom;

static qn_molecule *molecule;
static expected_atom expected[256];
static char warning[256];

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) snprintf(warning, sizeof warning, "%s", message);
}

static void begin(void)
{
    qn_molecule_destroy(&molecule);
    CHECK_OK(qn_molecule_create("test", &molecule));
    warning[0] = '\0';
}

static void element_of(const char *name, const char *residue, char *element)
{
    bool ion = strcmp(name, residue) == 0 || strcmp(name, "SE") == 0;
    snprintf(element, 4, "%.*s", ion ? 3 : 1, name);
}

static void residue(const char *name, const char *chain, int number, const char *atoms)
{
    qn_residue next = {.number = number};
    snprintf(next.name, sizeof next.name, "%s", name);
    snprintf(next.chain, sizeof next.chain, "%s", chain);
    CHECK_OK(qn_molecule_append_residue(molecule, &next));
    char text[1024];
    snprintf(text, sizeof text, "%s", atoms);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *type = strchr(word, '=');
        *type++ = '\0';
        qn_atom atom = {0};
        size_t index = molecule->atom_count;
        snprintf(atom.name, sizeof atom.name, "%s", word);
        element_of(word, name, atom.element);
        atom.position_angstrom[0] = 10.0 * (double)index;
        /* peptide bonds: N lies beside the C of the previous residue */
        if (strcmp(word, "C") == 0) atom.position_angstrom[0] = 0, atom.position_angstrom[1] = 100.0 * number + 101.3;
        if (strcmp(word, "N") == 0) atom.position_angstrom[0] = 0, atom.position_angstrom[1] = 100.0 * number;
        if (word[0] == 'H' && index > 0) { /* hydrogens follow the atom that they are bound to */
            size_t on = index - 1;
            while (molecule->atoms[on].element[0] == 'H') on--;
            memcpy(atom.position_angstrom, molecule->atoms[on].position_angstrom, sizeof atom.position_angstrom);
            atom.position_angstrom[2] += 1.0;
        }
        snprintf(expected[index].type, sizeof expected[index].type, "%s", type);
        CHECK_OK(qn_molecule_append_atom(molecule, &atom));
    }
}

static void compare(size_t unknown_expected)
{
    qn_sybyl_type types[256];
    size_t unknown = 99;
    CHECK_OK(qn_residue_sybyl_types(molecule, types, &unknown));
    CHECK(unknown == unknown_expected);
    for (size_t i = 0; i < molecule->atom_count; i++)
        if (!CHECK_TEXT(qn_sybyl_name(types[i]), expected[i].type))
            fprintf(stderr, "  atom %s of %s %d\n", molecule->atoms[i].name,
                    molecule->residues[molecule->atoms[i].residue].name,
                    molecule->residues[molecule->atoms[i].residue].number);
}

/* Compare types with BUDE's table by residue, or with NDM-1's deck where residue_templates.c follows it. */
static void amino_acids_have_the_types_of_bude(void)
{
    begin();
    residue("ALA", "A", 1, "N=N.4 CA=C.3 C=C.2 O=O.2 CB=C.3");
    residue("ARG", "A", 2, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.3 CD=C.3 NE=N.pl3 CZ=C.cat NH1=N.pl3 NH2=N.pl3");
    residue("HIS", "A", 3, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.ar ND1=N.ar CD2=C.ar CE1=C.ar NE2=N.ar");
    residue("TRP", "A", 4, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.ar CD1=C.ar CD2=C.ar NE1=N.pl3 CZ3=C.ar");
    residue("LYS", "A", 5, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.3 CD=C.3 CE=C.3 NZ=N.4");
    residue("GLU", "A", 6, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.3 CD=C.2 OE1=O.co2 OE2=O.co2");
    residue("ASN", "A", 7, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.2 OD1=O.2 ND2=N.am");
    residue("TYR", "A", 8, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.ar CZ=C.ar OH=O.3");
    residue("MET", "A", 9, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.3 SD=S.3 CE=C.3");
    residue("MSE", "A", 10, "N=N.am CA=C.3 C=C.2 O=O.2 CB=C.3 CG=C.3 SE=Se CE=C.3");
    residue("PRO", "A", 11, "N=N.am CA=C.3 C=C.2 O=O.co2 OXT=O.co2 CB=C.3 CG=C.3 CD=C.3");
    compare(0);
}

static void ends_of_chains_are_recognised(void)
{
    begin();
    residue("GLY", "A", 1, "N=N.4 CA=C.3 C=C.2 O=O.2");
    residue("GLY", "A", 7, "N=N.am CA=C.3 C=C.2 O=O.2"); /* after a gap */
    molecule->residues[1].chain_break = true;
    residue("GLY", "A", 101, "N=N.4 CA=C.3 C=C.2 O=O.2"); /* the same letter, another chain */
    residue("SER", "B", 201, "N=N.4 CA=C.3 C=C.2 O=O.co2 OXT=O.co2 OG=O.3");
    residue("HOH", "B", 300, "O=O.3");
    residue("ACE", "C", 400, "CH3=C.3 C=C.2 O=O.2");
    residue("GLY", "C", 401, "N=N.am CA=C.3 C=C.2 O=O.2");
    residue("NME", "C", 402, "N=N.am CH3=C.3");
    residue("PRO", "D", 500, "N=N.4 H2=H H3=H CA=C.3 C=C.2 O=O.2");
    residue("GLY", "E", 600, "N=N.am H=H CA=C.3 C=C.2 O=O.2"); /* cut out of a chain: one hydrogen is an amide's */
    residue("GLY", "F", 700, "N=N.4 H1=H H2=H H3=H CA=C.3 C=C.2 O=O.2");
    compare(0);
    CHECK_TEXT(warning, "");
}

/* The last carbon is within bonding distance of the first nitrogen. */
static void a_cyclic_peptide_has_no_first_residue(void)
{
    begin();
    residue("GLY", "A", 1, "N=N.am CA=C.3 C=C.2 O=O.2");
    residue("GLY", "A", 2, "N=N.am CA=C.3 C=C.2 O=O.2");
    memcpy(molecule->atoms[6].position_angstrom, molecule->atoms[0].position_angstrom, 3 * sizeof(double));
    molecule->atoms[6].position_angstrom[2] += 1.33;
    compare(0);
}

static void protonation_follows_names_and_hydrogens(void)
{
    begin();
    residue("HID", "A", 1, "N=N.4 CA=C.3 C=C.2 O=O.2 CG=C.ar ND1=N.pl3 NE2=N.ar");
    residue("HIE", "A", 2, "N=N.am CA=C.3 C=C.2 O=O.2 CG=C.ar ND1=N.ar NE2=N.pl3");
    residue("HSP", "A", 3, "N=N.am CA=C.3 C=C.2 O=O.2 CG=C.ar ND1=N.pl3 NE2=N.pl3");
    residue("HIS", "A", 4, "N=N.am CA=C.3 C=C.2 O=O.2 CG=C.ar ND1=N.ar NE2=N.pl3 HE2=H");
    residue("ASH", "A", 5, "N=N.am CA=C.3 C=C.2 O=O.2 CG=C.2 OD1=O.2 OD2=O.3");
    residue("ASP", "A", 6, "N=N.am CA=C.3 C=C.2 O=O.2 CG=C.2 OD1=O.3 HD1=H OD2=O.2");
    residue("GLH", "A", 7, "N=N.am CA=C.3 C=C.2 O=O.2 CD=C.2 OE1=O.2 OE2=O.3 HE2=H");
    residue("LYN", "A", 8, "N=N.am CA=C.3 C=C.2 O=O.2 NZ=N.3");
    residue("LYS", "A", 9, "N=N.am CA=C.3 C=C.2 O=O.2 NZ=N.3 HZ1=H HZ2=H");
    residue("LYS", "A", 10, "N=N.am CA=C.3 C=C.2 O=O.2 NZ=N.4 HZ1=H HZ2=H HZ3=H");
    residue("CYX", "A", 11, "N=N.am CA=C.3 C=C.2 O=O.2 SG=S.3");
    compare(0);
}

static void nucleotides_waters_and_ions_have_types(void)
{
    begin();
    residue("DA", "A", 1,
            "P=P.3 OP1=O.co2 OP2=O.co2 O5'=O.3 C5'=C.3 C1'=C.3 N9=N.pl3 C8=C.2 N7=N.2 C6=C.ar N6=N.pl3 N1=N.ar");
    residue("G", "A", 2, "P=P.3 O1P=O.co2 O2P=O.co2 O5*=O.3 C5*=C.3 O2*=O.3 N1=N.am O6=O.2 N2=N.pl3");
    residue("DT", "A", 3, "N1=N.am C2=C.2 O2=O.2 N3=N.am C7=C.3");
    residue("C", "A", 4, "N4=N.pl3 N3=N.2 O2=O.2");
    residue("TIP3", "W", 5, "OH2=O.t3p H1=H H2=H");
    residue("ZN", "X", 6, "ZN=Zn");
    residue("MG", "X", 7, "MG=Mg");
    residue("CA", "X", 8, "CA=Ca");
    residue("CL", "X", 9, "CL=Cl");
    residue("HOH", "W", 10, "O=O.3");
    residue("OPC", "W", 11, "O=O.3 H1=H H2=H");
    residue("T5P", "W", 12, "O=O.t3p");
    compare(0);
}

static void unknown_atoms_are_counted_and_named_once(void)
{
    begin();
    residue("XE", "A", 1, "XE=Du");
    residue("XE", "A", 2, "XE=Du");
    compare(2);
    CHECK(strstr(warning, "residue XE 1 of chain A") != NULL);
}

int main(void)
{
    static qn_log_target heard = {.callback = on_log, .mutex = PTHREAD_MUTEX_INITIALIZER};
    qn_log_enter(&heard);
    RUN(amino_acids_have_the_types_of_bude);
    RUN(ends_of_chains_are_recognised);
    RUN(a_cyclic_peptide_has_no_first_residue);
    RUN(protonation_follows_names_and_hydrogens);
    RUN(nucleotides_waters_and_ions_have_types);
    RUN(unknown_atoms_are_counted_and_named_once);
    qn_molecule_destroy(&molecule);
    return check_finish();
}
