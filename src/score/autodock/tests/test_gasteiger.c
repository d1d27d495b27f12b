/* Gasteiger–Marsili charges of molecules, given as graphs, compared with those of RDKit (Feb. 2026, 6 iterations, run
 * as a black box, three decimals); methane's and fluoromethane's are also in the paper of 1980. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "score/autodock/gasteiger.h"

#define C3 QN_GASTEIGER_C_3
#define C2 QN_GASTEIGER_C_2
#define C1 QN_GASTEIGER_C_1
#define N3 QN_GASTEIGER_N_3
#define N2 QN_GASTEIGER_N_2
#define N1 QN_GASTEIGER_N_1
#define O3 QN_GASTEIGER_O_3
#define O2 QN_GASTEIGER_O_2
#define S3 QN_GASTEIGER_S_3
#define S2 QN_GASTEIGER_S_2

enum { ATOMS = 6 };

typedef struct molecule {
    const char *name;
    int count;
    struct {
        qn_gasteiger_kind kind;
        int hydrogens;
        double formal_e, expected_e, hydrogen_e;
    } atoms[ATOMS];
    int bonds[ATOMS][2], bond_count;
} molecule;

static const molecule molecules[] = {
    {"methane", 1, {{C3, 4, 0, -0.078, 0.019}}, {{0}}, 0},
    {"fluoromethane", 2, {{C3, 3, 0, 0.079, 0.058}, {QN_GASTEIGER_F, 0, 0, -0.253, 0}}, {{0, 1}}, 1},
    {"chloromethane", 2, {{C3, 3, 0, 0.011, 0.039}, {QN_GASTEIGER_CL, 0, 0, -0.129, 0}}, {{0, 1}}, 1},
    {"bromomethane", 2, {{C3, 3, 0, -0.008, 0.035}, {QN_GASTEIGER_BR, 0, 0, -0.095, 0}}, {{0, 1}}, 1},
    {"iodomethane", 2, {{C3, 3, 0, -0.012, 0.034}, {QN_GASTEIGER_I, 0, 0, -0.089, 0}}, {{0, 1}}, 1},
    {"methylammonium", 2, {{C3, 3, 0, 0.066, 0.088}, {N3, 3, 1, -0.363, 0.345}}, {{0, 1}}, 1},
    {"methylamine", 2, {{C3, 3, 0, -0.019, 0.039}, {N3, 2, 0, -0.333, 0.118}}, {{0, 1}}, 1},
    {"acetate",
     4,
     {{C3, 3, 0, -0.025, 0.029}, {C2, 0, 0, 0.039, 0}, {O2, 0, -0.5, -0.550, 0}, {O2, 0, -0.5, -0.550, 0}},
     {{0, 1}, {1, 2}, {1, 3}},
     3},
    {"acetamide",
     4,
     {{C3, 3, 0, 0.014, 0.032}, {C2, 0, 0, 0.215, 0}, {O2, 0, 0, -0.274, 0}, {N2, 2, 0, -0.370, 0.159}},
     {{0, 1}, {1, 2}, {1, 3}},
     3},
    {"acetonitrile", 3, {{C3, 3, 0, 0.023, 0.038}, {C1, 0, 0, 0.059, 0}, {N1, 0, 0, -0.197, 0}}, {{0, 1}, {1, 2}}, 2},
    {"dimethyl sulfide",
     3,
     {{C3, 3, 0, -0.018, 0.034}, {S3, 0, 0, -0.168, 0}, {C3, 3, 0, -0.018, 0.034}},
     {{0, 1}, {1, 2}},
     2},
    {"methanethiol", 2, {{C3, 3, 0, -0.021, 0.034}, {S3, 1, 0, -0.182, 0.101}}, {{0, 1}}, 1},
    {"thioacetaldehyde",
     3,
     {{C3, 3, 0, -0.036, 0.028}, {C2, 1, 0, -0.024, 0.069}, {S2, 0, 0, -0.093, 0}},
     {{0, 1}, {1, 2}},
     2},
    {"dimethyl sulfone",
     5,
     {{C3, 3, 0, 0.038, 0.039},
      {S3, 0, 0, 0.146, 0},
      {O2, 0, 0, -0.228, 0},
      {O2, 0, 0, -0.228, 0},
      {C3, 3, 0, 0.038, 0.039}},
     {{0, 1}, {1, 2}, {1, 3}, {1, 4}},
     4},
    {"tetramethylsilane",
     5,
     {{C3, 3, 0, -0.070, 0.020},
      {QN_GASTEIGER_SI, 0, 0, 0.042, 0},
      {C3, 3, 0, -0.070, 0.020},
      {C3, 3, 0, -0.070, 0.020},
      {C3, 3, 0, -0.070, 0.020}},
     {{0, 1}, {1, 2}, {1, 3}, {1, 4}},
     4},
    {"methylboronic acid",
     4,
     {{C3, 3, 0, -0.031, 0.019},
      {QN_GASTEIGER_B, 0, 0, 0.450, 0},
      {O3, 1, 0, -0.427, 0.188},
      {O3, 1, 0, -0.427, 0.188}},
     {{0, 1}, {1, 2}, {1, 3}},
     3},
    {"guanidinium",
     4,
     {{C2, 0, 0, 0.340, 0},
      {N2, 2, 1 / 3.0, -0.291, 0.256},
      {N2, 2, 1 / 3.0, -0.291, 0.256},
      {N2, 2, 1 / 3.0, -0.291, 0.256}},
     {{0, 1}, {0, 2}, {0, 3}},
     3},
    {"hydrogen peroxide", 2, {{O3, 1, 0, -0.253, 0.253}, {O3, 1, 0, -0.253, 0.253}}, {{0, 1}}, 1},
};

static void charges_are_those_of_rdkit(void)
{
    for (size_t m = 0; m < sizeof molecules / sizeof *molecules; m++) {
        const molecule *of = &molecules[m];
        qn_gasteiger_atom atoms[ATOMS];
        qn_gasteiger_bond bonds[ATOMS];
        double before = 0, after = 0;
        for (int i = 0; i < of->count; i++) {
            atoms[i] = (qn_gasteiger_atom){of->atoms[i].kind, of->atoms[i].hydrogens, of->atoms[i].formal_e, 0};
            before += of->atoms[i].formal_e;
        }
        for (int i = 0; i < of->bond_count; i++) bonds[i] = (qn_gasteiger_bond){of->bonds[i][0], of->bonds[i][1]};
        if (!CHECK_OK(qn_gasteiger_charges(bonds, (size_t)of->bond_count, atoms, (size_t)of->count))) continue;
        for (int i = 0; i < of->count; i++) {
            if (!CHECK_NEAR(atoms[i].charge_e, of->atoms[i].expected_e, 0.0011)) printf("  %s, atom %d\n", of->name, i);
            if (of->atoms[i].hydrogens == 0) continue;
            if (!CHECK_NEAR(atoms[i].hydrogen_charge_e, of->atoms[i].hydrogen_e, 0.0011))
                printf("  %s, hydrogens of atom %d\n", of->name, i);
        }
        for (int i = 0; i < of->count; i++)
            after += atoms[i].charge_e + atoms[i].hydrogens * atoms[i].hydrogen_charge_e;
        CHECK_NEAR(after, before, 1e-12);
    }
}

/* A metal keeps its charge, and gives none to its neighbours. */
static void an_unknown_element_keeps_its_charge(void)
{
    qn_gasteiger_atom atoms[] = {{QN_GASTEIGER_NONE, 0, 2, 0}, {C3, 4, 0, 0}};
    const qn_gasteiger_bond bond = {0, 1};
    CHECK_OK(qn_gasteiger_charges(&bond, 1, atoms, 2));
    CHECK(atoms[0].charge_e == 2);
    CHECK_NEAR(atoms[1].charge_e, -0.078, 0.001);
}

int main(void)
{
    RUN(charges_are_those_of_rdkit);
    RUN(an_unknown_element_keeps_its_charge);
    return check_finish();
}
