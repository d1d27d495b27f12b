#include "score/bude.h"

#include <math.h>
#include <string.h>

#include "score/bude_table.h"

static const double coulomb = 22.5; /* kJ/mol for two unit charges in contact */

static const qn_bude_force_field force_fields[] = {
    {"2016", qn_bude_types_2016, QN_BUDE_TYPES_2016},
    {"2013", qn_bude_types_2013, QN_BUDE_TYPES_2013},
};

const qn_bude_force_field *qn_bude_find(const char *name)
{
    for (size_t i = 0; i < sizeof force_fields / sizeof force_fields[0]; i++)
        if (strcmp(force_fields[i].name, name) == 0) return &force_fields[i];
    return NULL;
}

int qn_bude_type_named(const qn_bude_force_field *force_field, const char *name)
{
    for (int i = 0; i < force_field->type_count; i++)
        if (strcmp(force_field->types[i].name, name) == 0) return i;
    return -1;
}

/* Rows of the tables for each SYBYL type. The first row that a force field has is used, or "Any" if it has none of
 * them.
 *
 * Sulfones: the tables have "S.O2" and "S.o2" with different numbers. Files of programs of that time say "S.o2", and
 * the published decks of the authors contain this row. Metals: all rows of ions with charge 2 are equal in 2016, so
 * other transition metals get the row of a neighbour in the periodic table with the same charge, and lithium that of
 * sodium. The force field of 2013 has rows for calcium and zinc only; there sodium and potassium get "Any", which has
 * no charge, since calcium and zinc have twice their charge. The rows of 2016 for selenium and tin have the numbers of
 * sulphur and carbon, whose rows they get in 2013. Molybdenum gets "Any", since it is covalently bound in proteins. */
enum { ROWS = 3 };
static const char *const rows[QN_SYBYL_TYPES][ROWS] = {
    [QN_SYBYL_C_3] = {"C.3"},
    [QN_SYBYL_C_2] = {"C.2"},
    [QN_SYBYL_C_1] = {"C.1"},
    [QN_SYBYL_C_AR] = {"C.ar"},
    [QN_SYBYL_C_CAT] = {"C.cat"},
    [QN_SYBYL_N_4] = {"N.4"},
    [QN_SYBYL_N_3] = {"N.3"},
    [QN_SYBYL_N_2] = {"N.2"},
    [QN_SYBYL_N_1] = {"N.1"},
    [QN_SYBYL_N_AR] = {"N.ar"},
    [QN_SYBYL_N_AM] = {"N.am"},
    [QN_SYBYL_N_PL3] = {"N.pl3"},
    [QN_SYBYL_O_3] = {"O.3"},
    [QN_SYBYL_O_2] = {"O.2"},
    [QN_SYBYL_O_CO2] = {"O.co2"},
    [QN_SYBYL_O_SPC] = {"O.spc"},
    [QN_SYBYL_O_T3P] = {"O.t3p"},
    [QN_SYBYL_S_3] = {"S.3"},
    [QN_SYBYL_S_2] = {"S.2"},
    [QN_SYBYL_S_O] = {"S.O"},
    [QN_SYBYL_S_O2] = {"S.o2"},
    [QN_SYBYL_P_3] = {"P.3"},
    [QN_SYBYL_F] = {"F"},
    [QN_SYBYL_CL] = {"Cl"},
    [QN_SYBYL_BR] = {"Br"},
    [QN_SYBYL_I] = {"I"},
    [QN_SYBYL_LI] = {"Na"},
    [QN_SYBYL_NA] = {"Na"},
    [QN_SYBYL_MG] = {"Mg", "Ca"},
    [QN_SYBYL_AL] = {"Mg", "Ca"},
    [QN_SYBYL_SI] = {"Si"},
    [QN_SYBYL_K] = {"K"},
    [QN_SYBYL_CA] = {"Ca"},
    [QN_SYBYL_CR_TH] = {"Fe.2", "Zn"},
    [QN_SYBYL_CR_OH] = {"Fe.2", "Zn"},
    [QN_SYBYL_MN] = {"Fe.2", "Zn"},
    [QN_SYBYL_FE] = {"Fe.2", "Zn"},
    [QN_SYBYL_CO_OH] = {"Fe.2", "Zn"},
    [QN_SYBYL_CU] = {"Zn"},
    [QN_SYBYL_ZN] = {"Zn"},
    [QN_SYBYL_SE] = {"Se", "S.3"},
    [QN_SYBYL_SN] = {"Sn", "C.3"},
    [QN_SYBYL_B] = {"B"},
};

int qn_bude_type_of(const qn_bude_force_field *force_field, qn_sybyl_type type, bool hydroxyl)
{
    int row = -1;
    if (type == QN_SYBYL_H) return -1;
    if (type == QN_SYBYL_O_3 && hydroxyl) row = qn_bude_type_named(force_field, "O.3h");
    if (type < QN_SYBYL_TYPES)
        for (int i = 0; i < ROWS && row < 0 && rows[type][i]; i++) row = qn_bude_type_named(force_field, rows[type][i]);
    return row >= 0 ? row : qn_bude_type_named(force_field, "Any");
}

/* A pair before folding. Absent terms are 0. */
typedef struct pair_rules {
    double radius, steric;
    double charge, charge_reach;
    double desolvation, desolvation_reach;
} pair_rules;

/* Set the desolvation, ½ h of bude.h, and the distance over which it falls to 0. */
static void find_desolvation(const qn_bude_type *ligand, const qn_bude_type *receptor, pair_rules *rules)
{
    double polar = 0.5 * ((double)ligand->polar_angstrom + receptor->polar_angstrom);
    double nonpolar = 0.5 * ((double)ligand->nonpolar_angstrom + receptor->nonpolar_angstrom);
    double of_ligand = ligand->hydrophobic, of_receptor = receptor->hydrophobic;
    if (of_receptor == 0 || (of_ligand >= 0 && of_receptor >= 0)) return;
    if (of_ligand < 0 && of_receptor < 0) {
        rules->desolvation = 0.5 * (of_ligand + of_receptor);
        rules->desolvation_reach = nonpolar;
        return;
    }
    rules->desolvation = of_ligand == 0 ? 0.5 * of_receptor : 0.5 * (fabs(of_ligand) + fabs(of_receptor));
    rules->desolvation_reach = polar;
}

static pair_rules rules_of(const qn_bude_type *ligand, const qn_bude_type *receptor)
{
    pair_rules rules = {.radius = (double)ligand->radius_angstrom + receptor->radius_angstrom,
                        .steric = 0.5 * ((double)ligand->hardness + receptor->hardness),
                        .charge = coulomb * ligand->charge_e * receptor->charge_e};
    rules.charge_reach = ligand->kind == 'F' && receptor->kind == 'F' ? 4 : 2;
    if (ligand->kind == 'E' || receptor->kind == 'E') rules.charge = -fabs(rules.charge);
    find_desolvation(ligand, receptor, &rules);
    return rules;
}

qn_bude_pair qn_bude_pair_of(const qn_bude_type *ligand, const qn_bude_type *receptor)
{
    pair_rules rules = rules_of(ligand, receptor);
    qn_bude_pair pair = {.radius_angstrom = (float)rules.radius, .steric = (float)rules.steric};
    if (rules.charge != 0) {
        pair.charge = (float)rules.charge;
        pair.charge_slope = (float)(1 / rules.charge_reach);
        pair.charge_offset = (float)(1 + rules.radius / rules.charge_reach);
    }
    if (rules.desolvation != 0) {
        pair.desolvation = (float)rules.desolvation;
        pair.desolvation_slope = (float)(1 / rules.desolvation_reach);
        pair.desolvation_offset = (float)(1 + rules.radius / rules.desolvation_reach);
    }
    return pair;
}

double qn_bude_reach_angstrom(const qn_bude_force_field *force_field)
{
    double reach = 0;
    for (int i = 0; i < force_field->type_count; i++)
        for (int j = 0; j < force_field->type_count; j++) {
            pair_rules rules = rules_of(&force_field->types[i], &force_field->types[j]);
            double beyond = rules.charge != 0 ? rules.charge_reach : 0;
            if (rules.desolvation != 0) beyond = fmax(beyond, rules.desolvation_reach);
            reach = fmax(reach, rules.radius + beyond);
        }
    return reach;
}

/* 1 up to contact, 0 from `reach` on. */
static double ramp(double beyond_contact, double reach)
{
    if (beyond_contact <= 0) return 1;
    return beyond_contact < reach ? 1 - beyond_contact / reach : 0;
}

void qn_bude_energy_of(const qn_bude_force_field *force_field, const double *ligand_positions, const int *ligand_types,
                       size_t ligand_count, const double *receptor_positions, const int *receptor_types,
                       size_t receptor_count, qn_bude_energy *energy)
{
    /* pairs beyond reach have an energy of 0; the reach is increased a little because of rounding */
    const double reach = qn_bude_reach_angstrom(force_field) + 1e-6, reach2 = reach * reach;
    *energy = (qn_bude_energy){0};
    for (size_t i = 0; i < ligand_count; i++) {
        const double *a = ligand_positions + 3 * i;
        for (size_t j = 0; j < receptor_count; j++) {
            const double *b = receptor_positions + 3 * j;
            const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], square = x * x + y * y + z * z;
            if (square > reach2) continue;
            pair_rules rules = rules_of(&force_field->types[ligand_types[i]], &force_field->types[receptor_types[j]]);
            double r = sqrt(square);
            double beyond = r - rules.radius;
            if (beyond < 0) energy->steric += rules.steric * (1 - r / rules.radius);
            energy->charge += rules.charge * ramp(beyond, rules.charge_reach);
            energy->desolvation += rules.desolvation * ramp(beyond, rules.desolvation_reach);
        }
    }
    energy->total = energy->steric + energy->charge + energy->desolvation;
}
