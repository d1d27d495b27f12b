#include <string.h>
#include <strings.h>

#include "chemistry/sybyl.h"

static const char *const names[QN_SYBYL_TYPES] = {
    [QN_SYBYL_C_3] = "C.3",     [QN_SYBYL_C_2] = "C.2",   [QN_SYBYL_C_1] = "C.1",     [QN_SYBYL_C_AR] = "C.ar",
    [QN_SYBYL_C_CAT] = "C.cat", [QN_SYBYL_N_4] = "N.4",   [QN_SYBYL_N_3] = "N.3",     [QN_SYBYL_N_2] = "N.2",
    [QN_SYBYL_N_1] = "N.1",     [QN_SYBYL_N_AR] = "N.ar", [QN_SYBYL_N_AM] = "N.am",   [QN_SYBYL_N_PL3] = "N.pl3",
    [QN_SYBYL_O_3] = "O.3",     [QN_SYBYL_O_2] = "O.2",   [QN_SYBYL_O_CO2] = "O.co2", [QN_SYBYL_O_SPC] = "O.spc",
    [QN_SYBYL_O_T3P] = "O.t3p", [QN_SYBYL_S_3] = "S.3",   [QN_SYBYL_S_2] = "S.2",     [QN_SYBYL_S_O] = "S.o",
    [QN_SYBYL_S_O2] = "S.o2",   [QN_SYBYL_P_3] = "P.3",   [QN_SYBYL_F] = "F",         [QN_SYBYL_CL] = "Cl",
    [QN_SYBYL_BR] = "Br",       [QN_SYBYL_I] = "I",       [QN_SYBYL_H] = "H",         [QN_SYBYL_LI] = "Li",
    [QN_SYBYL_NA] = "Na",       [QN_SYBYL_MG] = "Mg",     [QN_SYBYL_AL] = "Al",       [QN_SYBYL_SI] = "Si",
    [QN_SYBYL_K] = "K",         [QN_SYBYL_CA] = "Ca",     [QN_SYBYL_CR_TH] = "Cr.th", [QN_SYBYL_CR_OH] = "Cr.oh",
    [QN_SYBYL_MN] = "Mn",       [QN_SYBYL_FE] = "Fe",     [QN_SYBYL_CO_OH] = "Co.oh", [QN_SYBYL_CU] = "Cu",
    [QN_SYBYL_ZN] = "Zn",       [QN_SYBYL_SE] = "Se",     [QN_SYBYL_MO] = "Mo",       [QN_SYBYL_SN] = "Sn",
    [QN_SYBYL_B] = "B",         [QN_SYBYL_ANY] = "Du",
};

const char *qn_sybyl_name(qn_sybyl_type type)
{
    return names[type];
}

qn_sybyl_type qn_sybyl_from_name(const char *name)
{
    static const struct {
        const char *name;
        qn_sybyl_type type;
    } others[] = {{"H.spc", QN_SYBYL_H}, {"H.t3p", QN_SYBYL_H},  {"Any", QN_SYBYL_ANY}, {"Du.C", QN_SYBYL_ANY},
                  {"D", QN_SYBYL_H},     {"Cr", QN_SYBYL_CR_OH}, {"Co", QN_SYBYL_CO_OH}};
    for (int i = 0; i < QN_SYBYL_TYPES; i++)
        if (strcasecmp(names[i], name) == 0) return (qn_sybyl_type)i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(others[i].name, name) == 0) return others[i].type;
    return QN_SYBYL_TYPES;
}

qn_sybyl_type qn_sybyl_of_element(const char *element)
{
    static const struct {
        char element[4];
        qn_sybyl_type type;
    } table[] = {
        {"P", QN_SYBYL_P_3},    {"F", QN_SYBYL_F},      {"CL", QN_SYBYL_CL}, {"BR", QN_SYBYL_BR}, {"I", QN_SYBYL_I},
        {"LI", QN_SYBYL_LI},    {"NA", QN_SYBYL_NA},    {"MG", QN_SYBYL_MG}, {"AL", QN_SYBYL_AL}, {"SI", QN_SYBYL_SI},
        {"K", QN_SYBYL_K},      {"CA", QN_SYBYL_CA},    {"MN", QN_SYBYL_MN}, {"FE", QN_SYBYL_FE}, {"CU", QN_SYBYL_CU},
        {"ZN", QN_SYBYL_ZN},    {"CO", QN_SYBYL_CO_OH}, {"SE", QN_SYBYL_SE}, {"MO", QN_SYBYL_MO}, {"SN", QN_SYBYL_SN},
        {"CR", QN_SYBYL_CR_OH}, {"B", QN_SYBYL_B},      {"H", QN_SYBYL_H},   {"D", QN_SYBYL_H},   {"T", QN_SYBYL_H}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(element, table[i].element) == 0) return table[i].type;
    return QN_SYBYL_ANY;
}
