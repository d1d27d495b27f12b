#include "chemistry/bonds.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "chemistry/sybyl.h"

/* Positions of a force field's minimum, and the expected types and charges. */
typedef struct known_molecule {
    const char *name;
    const char *atoms;                     /* "C -0.49 0.00 -0.01 …", heavy ones first */
    const char *types;                     /* types of the heavy atoms */
    const char *types_without;             /* expected types if hydrogens are removed; NULL: not determined */
    const char *charges, *charges_without; /* "+3 -4": charged atoms, from 1; NULL: one of two equivalent atoms */
} known_molecule;

static const known_molecule known[] = {
    {"acetonitrile",
     "C -0.49 0.00 -0.01 C 0.98 -0.01 0.02 N 2.14 -0.02 0.04 H -0.87 -0.76 -0.69 H -0.89 -0.20 0.99 H -0.86 0.98 -0.34",
     "C.3 C.1 N.1", "C.3 C.1 N.1", "", ""},
    {"methyl azide",
     "C -0.82 0.04 0.15 N 0.42 0.80 0.18 N 1.46 0.12 0.11 N 2.41 -0.51 0.05 H -0.92 -0.52 -0.79 H -1.67 0.73 0.21 H "
     "-0.89 -0.65 0.99",
     "C.3 N.2 N.1 N.2", "C.3 N.2 N.1 N.2", "+3 -4", "+3 -4"},
    {"nitromethane",
     "C -0.65 -0.09 -0.00 N 0.83 0.11 -0.00 O 1.53 -0.89 0.20 O 1.24 1.26 -0.19 H -0.99 0.05 1.02 H -0.86 -1.10 -0.36 "
     "H -1.09 0.65 -0.67",
     "C.3 N.pl3 O.2 O.2", "C.3 N.pl3 O.2 O.2", NULL, NULL},
    {"allene",
     "C 1.30 0.01 -0.00 C -0.00 -0.00 0.00 C -1.30 -0.01 0.00 H 1.85 -0.66 -0.65 H 1.85 0.68 0.65 H -1.85 0.64 -0.67 H "
     "-1.85 -0.66 0.67",
     "C.2 C.1 C.2", "C.2 C.1 C.2", "", ""},
    {"methanesulfonamide",
     "C 1.24 -0.07 -0.48 S -0.25 -0.51 0.37 N -1.22 0.83 0.09 O -0.02 -0.53 1.79 O -0.90 -1.60 -0.33 H 1.02 0.08 -1.54 "
     "H 1.65 0.84 -0.04 H 1.95 -0.89 -0.36 H -2.04 0.56 -0.46 H -1.45 1.29 0.97",
     "C.3 S.o2 N.am O.2 O.2", "C.3 S.o2 N.am O.2 O.2", "", ""},
    {"methyl isothiocyanate",
     "C -0.88 0.01 0.13 N 0.30 0.88 0.16 C 1.32 0.30 0.14 S 2.88 -0.59 0.09 H -0.92 -0.58 -0.79 H -1.78 0.64 0.16 H "
     "-0.91 -0.66 1.00",
     "C.3 N.2 C.1 S.2", "C.3 N.2 C.1 S.2", "", ""},
    {"dimethyl phosphate",
     "C -2.07 0.13 0.83 O -0.68 -0.07 0.83 P -0.07 -0.66 -0.56 O -0.65 -2.04 -0.77 O -0.19 0.41 -1.61 O 1.48 -0.81 "
     "-0.12 "
     "C 2.22 0.39 -0.02 H -2.59 -0.83 0.71 H -2.36 0.81 0.03 H -2.36 0.56 1.79 H 1.69 1.13 0.59 H 2.40 0.80 -1.02 H "
     "3.18 "
     "0.18 0.45",
     "C.3 O.3 P.3 O.co2 O.co2 O.3 C.3", "C.3 O.3 P.3 O.co2 O.co2 O.3 C.3", "-4", "-4"},
    {"pyridine oxide",
     "C -1.42 0.10 -0.01 C -0.64 1.25 -0.02 C 0.75 1.14 -0.01 N 1.37 -0.10 0.00 O 2.63 -0.19 0.01 C 0.58 -1.23 0.02 C "
     "-0.82 -1.15 0.01 H -2.51 0.18 -0.01 H -1.10 2.24 -0.03 H 1.44 1.96 -0.02 H 1.14 -2.15 0.03 H -1.42 -2.05 0.02",
     "C.ar C.ar C.ar N.ar O.2 C.ar C.ar", "C.ar C.ar C.ar N.ar O.2 C.ar C.ar", "+4 -5", "+4 -5"},
    {"quinoxaline oxide",
     "C 2.17 -1.34 0.32 C 2.47 -0.02 0.59 N 1.47 0.92 0.49 O 1.75 2.14 0.74 C 0.17 0.52 0.12 C -0.89 1.45 "
     "0.00 C -2.16 1.01 -0.37 C -2.37 -0.34 -0.62 C -1.32 -1.25 -0.50 C -0.04 -0.84 -0.13 N 0.94 -1.76 "
     "-0.03 H 2.93 -2.11 0.39 H 3.43 0.37 0.87 H -0.71 2.50 0.20 H -2.98 1.73 -0.46 H -3.36 -0.69 -0.91 H "
     "-1.50 -2.30 -0.70",
     "C.ar C.ar N.ar O.2 C.ar C.ar C.ar C.ar C.ar C.ar N.ar", "C.ar C.ar N.ar O.2 C.ar C.ar C.ar C.ar C.ar C.ar N.ar",
     "+3 -4", "+3 -4"},
    {"methylguanidinium",
     "C 1.79 0.13 0.29 N 0.44 0.69 0.26 C -0.66 0.00 -0.09 N -0.60 -1.28 -0.46 N -1.85 0.61 -0.08 H 2.47 0.92 0.62 H "
     "1.83 -0.69 1.01 H 2.07 -0.19 -0.71 H 0.32 1.66 0.53 H -1.43 -1.79 -0.73 H 0.28 -1.78 -0.48 H -2.70 0.13 -0.35 H "
     "-1.95 1.58 0.19",
     "C.3 N.pl3 C.cat N.pl3 N.pl3", "C.3 N.pl3 C.cat N.pl3 N.pl3", NULL, NULL},
    {"methyltetrazole",
     "C -1.41 -0.13 -0.01 C 0.06 -0.26 -0.03 N 0.79 -1.35 -0.14 N 2.10 -0.94 -0.10 N 2.18 0.37 0.03 N 0.92 0.80 0.08 H "
     "-1.75 0.50 -0.84 H -1.88 -1.11 -0.11 H -1.74 0.32 0.93 H 0.73 1.79 0.18",
     "C.3 C.2 N.2 N.2 N.2 N.pl3", NULL, "", ""},
    {"benzothiadiazole",
     "C -1.44 0.81 0.15 C -1.54 -0.60 0.11 C -0.43 -1.45 -0.02 C 0.83 -0.81 -0.10 N 2.02 -1.43 -0.23 S 3.17 -0.22 "
     "-0.28 N 2.21 1.13 -0.14 C 0.94 0.69 -0.05 C -0.21 1.50 0.08 H -2.35 1.40 0.26 H -2.53 -1.05 0.17 H -0.52 -2.53 "
     "-0.06 H -0.15 2.58 0.12",
     "C.ar C.ar C.ar C.ar N.2 S.3 N.2 C.ar C.ar", "C.ar C.ar C.ar C.ar N.2 S.3 N.2 C.ar C.ar", "", ""},
    {"norbornene",
     "C 1.36 -0.38 -0.20 C 0.44 -1.07 0.84 C -0.94 -0.44 0.55 C -0.88 -0.31 -0.98 C 0.39 0.55 -0.96 C -0.06 1.62 0.01 "
     "C -0.86 1.03 0.91 H 2.19 0.16 0.28 H 1.79 -1.14 -0.87 H 0.42 -2.15 0.67 H 0.78 -0.88 1.87 H -1.80 -0.97 0.94 H "
     "-1.74 0.21 -1.41 H -0.74 -1.27 -1.49 H 0.73 0.91 -1.93 H 0.25 2.65 -0.00 H -1.32 1.49 1.77",
     "C.3 C.3 C.3 C.3 C.3 C.2 C.2", "C.3 C.3 C.3 C.3 C.3 C.2 C.2", "", ""},
    {"dihydrobenzothiophene dioxide",
     "C 2.41 0.87 -0.07 C 2.52 -0.48 0.30 C 1.39 -1.28 0.40 C 0.17 -0.70 0.11 C 0.03 0.65 -0.24 C 1.16 1.44 -0.34 C "
     "-1.38 1.07 -0.53 C -2.30 0.06 0.17 S -1.39 -1.48 0.21 O -1.60 -2.21 -1.02 O -1.51 -2.08 1.52 H 3.31 1.48 -0.14 H "
     "3.51 -0.90 0.52 H 1.46 -2.33 0.69 H 1.09 2.49 -0.64 H -1.59 2.09 -0.19 H -1.54 1.03 -1.62 H -3.25 -0.08 -0.35 H "
     "-2.48 0.36 1.21",
     "C.ar C.ar C.ar C.ar C.ar C.ar C.3 C.3 S.o2 O.2 O.2", "C.ar C.ar C.ar C.ar C.ar C.ar C.3 C.3 S.o2 O.2 O.2", "",
     ""},
    {"uracil",
     "O -1.89 -1.83 0.01 C -1.01 -0.98 0.00 C -1.33 0.46 0.02 C -0.33 1.34 0.02 N 0.97 0.93 -0.00 C 1.35 -0.39 -0.02 O "
     "2.52 -0.72 -0.04 N 0.32 -1.29 -0.02 H -2.38 0.74 0.03 H -0.51 2.41 0.03 H 1.73 1.60 -0.01 H 0.57 -2.27 -0.03",
     "O.2 C.2 C.2 C.2 N.am C.2 O.2 N.am", "O.2 C.2 C.2 C.2 N.am C.2 O.2 N.am", "", ""},
    {"thiadiazole",
     "C -0.31 -0.72 0.00 C -0.66 0.60 0.19 S 0.80 1.48 0.40 N 1.75 0.11 0.23 N 1.05 -0.99 0.02 H -1.00 -1.54 -0.16 H "
     "-1.63 1.06 0.22",
     "C.2 C.2 S.3 N.2 N.2", "C.2 C.2 S.3 N.2 N.2", "", ""},
    {"quinoxalinedione",
     "O 3.54 1.20 0.07 C 2.46 0.63 0.02 N 1.28 1.31 0.16 C 0.02 0.69 0.11 C -1.13 1.45 0.26 C -2.38 0.83 0.21 C -2.47 "
     "-0.55 -0.00 C -1.31 -1.31 -0.16 C -0.06 -0.69 -0.10 N 1.10 -1.44 -0.26 C 2.37 -0.90 -0.22 O 3.37 -1.59 -0.36 H "
     "1.35 2.31 0.31 H -1.08 2.52 0.43 H -3.29 1.41 0.33 H -3.44 -1.03 -0.05 H -1.39 -2.38 -0.32 H 1.06 -2.44 -0.41",
     "O.2 C.2 N.am C.ar C.ar C.ar C.ar C.ar C.ar N.am C.2 O.2",
     "O.2 C.2 N.am C.ar C.ar C.ar C.ar C.ar C.ar N.am C.2 O.2", "", ""},
    {"trimethylammonium",
     "C -0.04 1.36 -0.62 N 0.02 0.10 0.20 C 1.25 -0.71 -0.10 C -1.23 -0.72 0.08 H 0.87 1.93 -0.43 H -0.11 1.08 -1.68 H "
     "-0.92 1.93 -0.31 H 0.09 0.40 1.18 H 2.13 -0.07 0.08 H 1.21 -1.03 -1.14 H 1.27 -1.56 0.58 H -1.15 -1.57 0.75 H "
     "-2.07 -0.09 0.37 H -1.33 -1.04 -0.96",
     "C.3 N.4 C.3 C.3", "C.3 N.3 C.3 C.3", "+2", ""},
};

static qn_compound *compound_of(const char *text, bool hydrogens)
{
    qn_compound *compound = NULL;
    char element[4];
    double place[3];
    int used;
    if (!CHECK_OK(qn_compound_create("test", 64, 0, 1, &compound))) return NULL;
    compound->atom_count = 0;
    for (; sscanf(text, "%3s %lf %lf %lf%n", element, &place[0], &place[1], &place[2], &used) == 4; text += used) {
        if (!hydrogens && strcmp(element, "H") == 0) continue;
        memcpy(compound->atoms[compound->atom_count].element, element, sizeof element);
        memcpy(compound->positions_angstrom + 3 * compound->atom_count++, place, sizeof place);
    }
    return compound;
}

/* Find orders and types of a connected compound. `text` gets the types of heavy atoms except the one with the index
 * `except`, `charges` the charged atoms, numbered from 1 without that atom. */
static bool describe(qn_compound *compound, size_t except, char text[256], char charges[64])
{
    qn_sybyl_type types[64];
    size_t number = 0;
    if (!CHECK_OK(qn_bonds_find_orders(compound)) || !CHECK_OK(qn_sybyl_find_types(compound, types))) return false;
    for (size_t i = 0; i < compound->atom_count; i++) {
        int charge = compound->atoms[i].charge_e;
        if (i == except) continue;
        number++;
        if (types[i] != QN_SYBYL_H)
            snprintf(text + strlen(text), 16, "%s%s", number > 1 ? " " : "", qn_sybyl_name(types[i]));
        if (charge == 0) continue;
        snprintf(charges + strlen(charges), 8, "%s%s%zu", charges[0] ? " " : "", charge > 0 ? "+" : "-", number);
    }
    return true;
}

static void check_known(const known_molecule *molecule, bool hydrogens)
{
    const char *expected = hydrogens ? molecule->types : molecule->types_without;
    const char *expected_charges = hydrogens ? molecule->charges : molecule->charges_without;
    qn_compound *compound = compound_of(molecule->atoms, hydrogens);
    char text[256] = "", charges[64] = "";
    if (!compound) return;
    if (CHECK_OK(qn_bonds_connect(compound)) && describe(compound, SIZE_MAX, text, charges)) {
        if (expected && !CHECK_TEXT(text, expected)) fprintf(stderr, "  in %s\n", molecule->name);
        if (expected_charges && !CHECK_TEXT(charges, expected_charges)) fprintf(stderr, "  in %s\n", molecule->name);
    }
    qn_compound_destroy(&compound);
}

static void groups_get_their_orders_and_charges(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) check_known(&known[i], true);
}

static void groups_are_recognised_without_hydrogens(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) check_known(&known[i], false);
}

static void atoms_have_no_more_bonds_than_their_element_allows(void)
{
    /* a hydrogen between two oxygens is bound to the nearer; a fifth neighbour of a carbon is left out */
    qn_compound *compound = compound_of("O 0 0 0 H 1.0 0 0 O 2.2 0 0", true);
    CHECK_OK(qn_bonds_connect(compound));
    CHECK(compound->bond_count == 1);
    CHECK(compound->bonds[0].first == 0 && compound->bonds[0].second == 1);
    qn_compound_destroy(&compound);
    compound = compound_of("C 0 0 0 C 1.5 0 0 C -1.5 0 0 C 0 1.5 0 C 0 -1.5 0 C 0 0 1.9", true);
    CHECK_OK(qn_bonds_connect(compound));
    CHECK(compound->bond_count == 4);
    CHECK(compound->bonds[0].order == QN_BOND_UNKNOWN);
    CHECK_FAILS(qn_bonds_connect(compound), QN_INVALID_ARGUMENT);
    qn_compound_destroy(&compound);
}

static void alternate_places_of_an_atom_are_not_bound(void)
{
    qn_compound *compound = compound_of("C 0 0 0 C 0.3 0 0 O 1.5 0 0", true);
    CHECK_OK(qn_bonds_connect(compound));
    CHECK(compound->bond_count == 2);
    for (size_t i = 0; i < compound->bond_count; i++) CHECK(compound->bonds[i].second == 2);
    qn_compound_destroy(&compound);
}

static void alkali_ions_are_not_bound_and_other_metals_are(void)
{
    qn_compound *compound = compound_of("NA 0 0 0 O 2.3 0 0 ZN 10 0 0 N 12.0 0 0 ZN 10 2.5 0", true);
    CHECK_OK(qn_bonds_connect(compound));
    CHECK(compound->bond_count == 1);
    CHECK(compound->bonds[0].first == 2 && compound->bonds[0].second == 3);
    qn_compound_destroy(&compound);
}

/* A metal that an atom is bound to changes neither the orders of the other bonds nor charges. Its position in the file
 * decides whether it is the atom's first neighbour. */
static void a_metal_does_not_hide_a_nitrile_or_an_oxide(void)
{
    static const char *const complexes[][2] = {
        {"C -0.49 0.00 -0.01 C 0.98 -0.01 0.02 N 2.14 -0.02 0.04", "ZN 4.14 -0.04 0.07"},
        {"C -1.42 0.10 -0.01 C -0.64 1.25 -0.02 C 0.75 1.14 -0.01 N 1.37 -0.10 0.00 O 2.63 -0.19 0.01 C 0.58 -1.23 "
         "0.02 "
         "C -0.82 -1.15 0.01",
         "ZN 3.70 -1.90 0.02"}};
    static const char *const types_of[] = {"C.3 C.1 N.1", "C.ar C.ar C.ar N.ar O.2 C.ar C.ar"};
    static const char *const charges_of[] = {"", "+4 -5"};
    for (int i = 0; i < 2; i++)
        for (int first = 0; first < 2; first++) {
            char atoms[400], types[256] = "", charges[64] = "";
            snprintf(atoms, sizeof atoms, "%s %s", complexes[i][first], complexes[i][!first]);
            qn_compound *compound = compound_of(atoms, false);
            size_t metal = first ? 0 : compound->atom_count - 1;
            CHECK_OK(qn_bonds_connect(compound));
            size_t of_metal = 0;
            for (size_t b = 0; b < compound->bond_count; b++)
                of_metal += (size_t)compound->bonds[b].first == metal || (size_t)compound->bonds[b].second == metal;
            CHECK(of_metal == 1);
            describe(compound, metal, types, charges);
            if (!CHECK_TEXT(types, types_of[i]) | !CHECK_TEXT(charges, charges_of[i]))
                fprintf(stderr, "  in %s\n", atoms);
            qn_compound_destroy(&compound);
        }
}

static void overlapping_atoms_are_refused(void)
{
    qn_compound *compound = NULL;
    size_t count = 20000;
    CHECK_OK(qn_compound_create("heap", count, 0, 1, &compound));
    for (size_t i = 0; i < count; i++) {
        strcpy(compound->atoms[i].element, "C");
        for (size_t k = 0; k < 3; k++) compound->positions_angstrom[3 * i + k] = (double)(i * 7919 % 1000) * 1e-3;
    }
    CHECK_FAILS(qn_bonds_connect(compound), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("too close to each other");
    qn_compound_destroy(&compound);
}

int main(void)
{
    RUN(groups_get_their_orders_and_charges);
    RUN(groups_are_recognised_without_hydrogens);
    RUN(atoms_have_no_more_bonds_than_their_element_allows);
    RUN(alternate_places_of_an_atom_are_not_bound);
    RUN(alkali_ions_are_not_bound_and_other_metals_are);
    RUN(a_metal_does_not_hide_a_nitrile_or_an_oxide);
    RUN(overlapping_atoms_are_refused);
    return check_finish();
}
