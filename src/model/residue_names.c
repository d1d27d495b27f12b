#include "model/residue_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

#define IS_AMONG(name, names) is_among((name), (names), sizeof(names) / sizeof(names)[0])

bool qn_is_water(const char *name)
{
    static const char *const names[] = {"HOH",  "WAT",  "DOD",  "H2O",  "D2O", "SOL",  "OH2", "TIP",
                                        "TIP2", "TIP3", "TIP4", "TIP5", "TP3", "TP4",  "TP5", "T3P",
                                        "T4P",  "T5P",  "SPC",  "SPCE", "OPC", "OPC3", "W"};
    return IS_AMONG(name, names);
}

bool qn_is_cap(const char *name)
{
    static const char *const names[] = {"ACE", "NME", "NMA", "NAC", "NH2", "FOR"};
    return IS_AMONG(name, names);
}

bool qn_is_amino_acid(const char *name)
{
    static const char *const names[] = {"ALA",  "ARG",  "ASN",  "ASP",  "CYS",  "GLN",  "GLU", "GLY", "HIS",  "ILE",
                                        "LEU",  "LYS",  "MET",  "PHE",  "PRO",  "SER",  "THR", "TRP", "TYR",  "VAL",
                                        "ARGN", "ARN",  "ASH",  "ASPH", "ASPP", "ASN1", "CYM", "CYX", "CYSH", "CYS1",
                                        "CYS2", "CYSD", "GLH",  "GLUH", "GLUP", "HID",  "HIE", "HIP", "HISA", "HISB",
                                        "HISD", "HISE", "HISH", "HISP", "HIS1", "HIS2", "HSD", "HSE", "HSP",  "LYN",
                                        "LYP",  "LYSH", "LSN",  "QLN",  "TYM",  "ASX",  "GLX"};
    static const char *const mirrored[] = {"DAL", "DAR", "DSG", "DAS", "DCY", "DGN", "DGL", "DHI", "DIL", "DLE",
                                           "DLY", "MED", "DPN", "DPR", "DSN", "DTH", "DTR", "DTY", "DVA"};
    static const char *const modified[] = {"MSE",  "SEC", "PYL", "HYP", "ORN", "DAB", "CME", "SEP", "TPO",
                                           "PTR",  "S1P", "S2P", "T1P", "T2P", "Y1P", "Y2P", "TYS", "MLY",
                                           "MLZ",  "M3L", "KCX", "ALY", "CSO", "CSD", "CSW", "OCS", "CGU",
                                           "PGLU", "PCA", "AIB", "NLE", "SAR", "FME"};
    /* AMBER's first and last residues of a chain: NALA, CALA … */
    static const char *const ended[] = {"ALA", "ARG", "ASN", "ASP", "ASH", "CYS", "CYX", "CYM", "GLN", "GLU",
                                        "GLH", "GLY", "HIS", "HID", "HIE", "HIP", "ILE", "LEU", "LYS", "LYN",
                                        "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL", "HYP"};
    if (IS_AMONG(name, names) || IS_AMONG(name, mirrored) || IS_AMONG(name, modified) || qn_is_cap(name)) return true;
    return (name[0] == 'N' || name[0] == 'C') && strlen(name) == 4 && IS_AMONG(name + 1, ended);
}

char qn_amino_acid_letter(const char *name)
{
    static const char *const amino_acids[] = {
        "AALA", "RARG", "NASN", "DASP", "CCYS", "QGLN", "EGLU", "GGLY", "HHIS", "IILE", "LLEU", "KLYS", "MMET", "FPHE",
        "PPRO", "SSER", "TTHR", "WTRP", "YTYR", "VVAL", "CCYX", "CCYM", "HHID", "HHIE", "HHIP", "HHSD", "HHSE", "HHSP",
        "MMSE", "QPCA", "EPGA", "CCSO", "CCME", "CCSS", "DASH", "EGLH", "KLYN", "YTYS", "YPTR", "SSEP", "TTPO"};
    for (size_t i = 0; i < sizeof amino_acids / sizeof *amino_acids; i++)
        if (strcmp(name, amino_acids[i] + 1) == 0) return amino_acids[i][0];
    return '\0';
}

bool qn_is_nucleotide(const char *name)
{
    static const char *const names[] = {"ADE", "CYT", "GUA", "THY", "URA", "URI", "A",   "C",   "G",   "T",
                                        "U",   "DI",  "PSU", "DU",  "5MC", "OMC", "2MG", "M2G", "5MU", "OMU"};
    if (IS_AMONG(name, names)) return true;
    size_t length = strlen(name);
    bool end = length == 3 && (name[2] == '3' || name[2] == '5' || name[2] == 'N');
    if (length == 2 && strchr("ACGTU", name[0]) && strchr("35", name[1])) return true; /* A5, U3 */
    if (length != 2 && !end) return false;
    return (name[0] == 'D' && strchr("ACGTU", name[1])) || (name[0] == 'R' && strchr("ACGU", name[1]));
}

bool qn_is_ion(const char *name, const char *element)
{
    static const char *const elements[] = {"LI", "NA", "K",  "RB", "CS", "MG", "CA", "SR", "BA", "AL", "MN", "FE",
                                           "CO", "NI", "CU", "ZN", "AG", "CD", "HG", "PB", "F",  "CL", "BR", "I"};
    static const char *const names[] = {"LIT", "SOD", "POT", "RUB", "CES", "CAL", "BAR", "CAD",
                                        "CLA", "IOD", "CIO", "CIP", "IB",  "QNA", "QCL", "ION"};
    if (IS_AMONG(element, elements) || IS_AMONG(name, names)) return true;
    if (element[0] && strcmp(element, "X") != 0) return false;
    char bare[16]; /* "Na+", "MG2", "Cl-" without sign and charge */
    size_t length = 0;
    for (const char *byte = name; *byte && length < sizeof bare - 1; byte++)
        if (isalpha((unsigned char)*byte)) bare[length++] = (char)toupper((unsigned char)*byte);
    bare[length] = '\0';
    return IS_AMONG(bare, elements);
}
