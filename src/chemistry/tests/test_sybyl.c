#include "chemistry/sybyl.h"

#include <stdio.h>

#include "check.h"
#include "chemistry/tests/smiles.h"

static void check_types(const char *smiles, const char *expected)
{
    qn_compound *compound = smiles_compound(smiles);
    qn_sybyl_type types[SMILES_MAX];
    char text[2048] = "";
    if (!CHECK(compound != NULL)) return;
    if (CHECK_OK(qn_sybyl_find_types(compound, types))) {
        for (size_t i = 0; i < compound->atom_count; i++) {
            if (i) strcat(text, " ");
            strcat(text, qn_sybyl_name(types[i]));
        }
        if (!CHECK_TEXT(text, expected)) fprintf(stderr, "  in %s\n", smiles);
    }
    qn_compound_destroy(&compound);
}

static void carbon_types_depend_on_bonds(void)
{
    check_types("CC=C", "C.3 C.2 C.2");
    check_types("CC#C", "C.3 C.1 C.1");
    check_types("C=C=C", "C.2 C.1 C.2");
    check_types("Cc1ccccc1", "C.3 C.ar C.ar C.ar C.ar C.ar C.ar");
    check_types("C1=CC=CC=C1", "C.ar C.ar C.ar C.ar C.ar C.ar");
    check_types("O=C1C=CC(=O)C=C1", "O.2 C.2 C.2 C.2 C.2 O.2 C.2 C.2");
}

static void nitrogen_types_depend_on_neighbours(void)
{
    check_types("CN(C)C", "C.3 N.3 C.3 C.3");
    check_types("C[NH3+]", "C.3 N.4");
    check_types("C[N+](C)(C)C", "C.3 N.4 C.3 C.3 C.3");
    check_types("CC#N", "C.3 C.1 N.1");
    check_types("CN=C", "C.3 N.2 C.2");
    check_types("CC(=O)NC", "C.3 C.2 O.2 N.am C.3");
    check_types("CC(=S)NC", "C.3 C.2 S.2 N.am C.3");
    check_types("NC(=O)N", "N.am C.2 O.2 N.am");
    check_types("Nc1ccccc1", "N.pl3 C.ar C.ar C.ar C.ar C.ar C.ar");
    check_types("NC=C", "N.pl3 C.2 C.2");
    check_types("CN=[N+]=[N-]", "C.3 N.2 N.1 N.2");
    check_types("C[N+](=O)[O-]", "C.3 N.pl3 O.2 O.2");
    check_types("CN(=O)=O", "C.3 N.pl3 O.2 O.2");
    check_types("CC(N)=[NH2+]", "C.3 C.2 N.pl3 N.pl3");
    check_types("c1ccncc1", "C.ar C.ar C.ar N.ar C.ar C.ar");
    check_types("c1cc[nH+]cc1", "C.ar C.ar C.ar N.ar C.ar C.ar");
}

static void guanidinium_and_guanidine_are_distinguished(void)
{
    check_types("CNC(N)=[NH2+]", "C.3 N.pl3 C.cat N.pl3 N.pl3");
    check_types("CN:C(:N):[NH2]", "C.3 N.pl3 C.cat N.pl3 N.pl3");
    check_types("CNC(N)=N", "C.3 N.pl3 C.2 N.pl3 N.2");
    check_types("C1CNC(N)=[NH+]1", "C.3 C.3 N.pl3 C.2 N.pl3 N.pl3");
}

static void acids_and_anions_are_distinguished(void)
{
    check_types("CC(=O)O", "C.3 C.2 O.2 O.3");
    check_types("CC(=O)[O-]", "C.3 C.2 O.co2 O.co2");
    check_types("C[C](:O):O", "C.3 C.2 O.co2 O.co2");
    check_types("[H]C([H])([H])C(=O)O", "H C.3 H H C.2 O.co2 O.co2"); /* all hydrogens are drawn, so this is an anion */
    check_types("[H]C([H])([H])C(=O)O[H]", "H C.3 H H C.2 O.2 O.3 H");
    check_types("CC(=O)OC", "C.3 C.2 O.2 O.3 C.3");
    check_types("COP(=O)([O-])[O-]", "C.3 O.3 P.3 O.co2 O.co2 O.co2");
    check_types("COP(=O)([O-])OC", "C.3 O.3 P.3 O.co2 O.co2 O.3 C.3");
    check_types("COP(=O)(OC)OC", "C.3 O.3 P.3 O.2 O.3 C.3 O.3 C.3");
    check_types("COP(=O)(O)O", "C.3 O.3 P.3 O.2 O.3 O.3");
    check_types("COP(:O)(:O):O", "C.3 O.3 P.3 O.co2 O.co2 O.co2");
}

/* PRODRG draws both oxygens of a carboxylate with double bonds. */
static void carboxylates_with_two_double_bonds_are_read(void)
{
    check_types("CC(=O)=O", "C.3 C.2 O.co2 O.co2");
    check_types("[H]C([H])([H])C(=O)=O", "H C.3 H H C.2 O.co2 O.co2");
}

/* An amine with one hydrogen atom and two stated hydrogens has the same charge as one that draws all three. */
static void drawn_and_stated_hydrogens_add_up(void)
{
    check_types("C[NH2][H]", "C.3 N.4 H");
    check_types("C[NH]([H])[H]", "C.3 N.4 H H");
    check_types("CC(=O)[O][H]", "C.3 C.2 O.2 O.3 H");
}

/* Aromatic bonds without hydrogens do not show which nitrogen has one: a lactam's gets it, or one in a five-membered
 * ring. */
static void missing_hydrogens_of_rings_are_placed_as_usual(void)
{
    check_types("O=c1ncnc2ccccc12", "O.2 C.2 N.am C.2 N.2 C.ar C.ar C.ar C.ar C.ar C.ar");
    check_types("c1ncnc2ncnc12", "C.ar N.ar C.ar N.ar C.ar N.2 C.2 N.pl3 C.ar");
    check_types("O=c1ncnc2ncnc12", "O.2 C.2 N.am C.2 N.2 C.2 N.2 C.2 N.pl3 C.2");
    check_types("c1nsnc1", "C.2 N.2 S.3 N.2 C.2");
    check_types("c1ccc2nnnc2c1", "C.ar C.ar C.ar C.ar N.2 N.2 N.pl3 C.ar C.ar");
    check_types("c1ccc2c(c1)nc1c2ccc2c1nc1ccccc12", "C.ar C.ar C.ar C.ar C.ar C.ar N.pl3 C.ar C.ar C.ar C.ar C.ar "
                                                    "C.ar N.pl3 C.ar C.ar C.ar C.ar C.ar C.ar");
    check_types("Nc1nc(=O)n(C)cc1", "N.pl3 C.2 N.2 C.2 O.2 N.am C.3 C.2 C.2");
}

static void sulfur_types_depend_on_oxygens(void)
{
    check_types("CSC", "C.3 S.3 C.3");
    check_types("CS", "C.3 S.3");
    check_types("CS(=O)C", "C.3 S.o O.2 C.3");
    check_types("C[S+]([O-])C", "C.3 S.o O.2 C.3");
    check_types("CS(=O)(=O)C", "C.3 S.o2 O.2 O.2 C.3");
    check_types("CS(=O)(=O)[O-]", "C.3 S.o2 O.co2 O.co2 O.co2");
    check_types("CS(:O)(:O):O", "C.3 S.o2 O.co2 O.co2 O.co2");
    check_types("CC(=S)C", "C.3 C.2 S.2 C.3");
}

static void rings_of_five_keep_single_and_double_bonds(void)
{
    check_types("c1cnc[nH]1", "C.2 C.2 N.2 C.2 N.pl3");
    check_types("c1ccc2[nH]ccc2c1", "C.ar C.ar C.ar C.ar N.pl3 C.2 C.2 C.ar C.ar");
    check_types("O=C1C=CC=CN1", "O.2 C.2 C.2 C.2 C.2 C.2 N.am");
}

static void other_elements_have_their_own_types(void)
{
    check_types("FC(Cl)(Br)I", "F C.3 Cl Br I");
    check_types("[Zn+2]", "Zn");
    check_types("[Na+].[Cl-]", "Na Cl");
    check_types("[Xe]", "Du");
    check_types("O", "O.3");
    check_types("[SiH4]", "Si");
}

static void names_are_read_in_any_case(void)
{
    for (int i = 0; i < QN_SYBYL_TYPES; i++)
        CHECK(qn_sybyl_from_name(qn_sybyl_name((qn_sybyl_type)i)) == (qn_sybyl_type)i);
    CHECK(qn_sybyl_from_name("S.O2") == QN_SYBYL_S_O2);
    CHECK(qn_sybyl_from_name("c.AR") == QN_SYBYL_C_AR);
    CHECK(qn_sybyl_from_name("C.5") == QN_SYBYL_TYPES);
    CHECK(qn_sybyl_from_name("") == QN_SYBYL_TYPES);
}

static void atoms_with_impossible_bonds_are_named(void)
{
    qn_sybyl_type types[8];
    qn_compound *compound = smiles_compound("CC(C)(C)(C)C");
    CHECK_FAILS(qn_sybyl_find_types(compound, types), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("atom 2 (C) has bonds of order 5 together, expected at most 4");
    qn_compound_destroy(&compound);
    compound = smiles_compound("CC");
    compound->bonds[0].order = QN_BOND_UNKNOWN;
    CHECK_FAILS(qn_sybyl_find_types(compound, types), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has no order");
    qn_compound_destroy(&compound);
}

int main(void)
{
    RUN(carbon_types_depend_on_bonds);
    RUN(nitrogen_types_depend_on_neighbours);
    RUN(guanidinium_and_guanidine_are_distinguished);
    RUN(acids_and_anions_are_distinguished);
    RUN(carboxylates_with_two_double_bonds_are_read);
    RUN(drawn_and_stated_hydrogens_add_up);
    RUN(missing_hydrogens_of_rings_are_placed_as_usual);
    RUN(sulfur_types_depend_on_oxygens);
    RUN(rings_of_five_keep_single_and_double_bonds);
    RUN(other_elements_have_their_own_types);
    RUN(names_are_read_in_any_case);
    RUN(atoms_with_impossible_bonds_are_named);
    return check_finish();
}
