/* Kinds of residues by name: chemical components of the PDB and residue topologies of force fields. */
#include "model/residue_names.h"

#include <stdio.h>

#include "check.h"

static void each(const char *const *names, size_t count, bool (*holds)(const char *name))
{
    for (size_t i = 0; i < count; i++)
        if (!CHECK(holds(names[i]))) fprintf(stderr, "  %s\n", names[i]);
}

static bool is_none(const char *name)
{
    return !qn_is_water(name) && !qn_is_amino_acid(name) && !qn_is_nucleotide(name);
}

static void waters_of_the_pdb_and_of_programs_are_known(void)
{
    static const char *const names[] = {"HOH", "DOD",  "WAT",  "SOL",  "H2O", "D2O",  "SPC", "SPCE",
                                        "TIP", "TIP3", "TIP4", "TIP5", "TP3", "TP4",  "TP5", "T3P",
                                        "T4P", "T5P",  "OPC",  "OPC3", "OH2", "TIP2", "W"};
    each(names, sizeof names / sizeof *names, qn_is_water);
}

static void amino_acids_are_known_in_all_protonation_states(void)
{
    static const char *const names[] = {"ALA",  "GLY", "HIS", "HISB", "LYSH", "CYX", "NALA", "CVAL", "CYX",
                                        "ASPP", "MSE", "SEP", "PTR",  "DAL",  "DVA", "KCX",  "CSO",  "TYS",
                                        "ACE",  "NME", "NH2", "PGLU", "ORN",  "FME", "ARN"};
    each(names, sizeof names / sizeof *names, qn_is_amino_acid);
}

static void nucleotides_are_known(void)
{
    static const char *const names[] = {"A",   "C",  "G",   "U",   "T",   "DA", "DT", "RU", "DA5", "RC3", "ADE",
                                        "URA", "DI", "PSU", "5MC", "2MG", "A5", "U3", "T5", "DT3", "DCN"};
    each(names, sizeof names / sizeof *names, qn_is_nucleotide);
}

static void other_residues_have_no_kind(void)
{
    static const char *const names[] = {"",    "ATP", "HEM", "ZN",   "I",   "LIG", "SO4",
                                        "NAG", "N",   "DX",  "DGN3", "AB5", "NXYZ"};
    each(names, sizeof names / sizeof *names, is_none);
    CHECK(!qn_is_amino_acid("HOH") && !qn_is_water("ALA") && !qn_is_nucleotide("ALA"));
}

static void ions_are_known_by_element_or_name(void)
{
    CHECK(qn_is_ion("ZN", "ZN") && qn_is_ion("UNK", "NA") && qn_is_ion("SOD", "") && qn_is_ion("CLA", "CL"));
    CHECK(qn_is_ion("Na+", "") && qn_is_ion("MG2", "X") && qn_is_ion("Cl-", ""));
    CHECK(!qn_is_ion("CA", "C") && !qn_is_ion("I", "P")); /* Cα traces: one atom a residue */
    CHECK(!qn_is_ion("BEAD", "") && !qn_is_ion("HE", "HE") && !qn_is_ion("", ""));
}

int main(void)
{
    RUN(waters_of_the_pdb_and_of_programs_are_known);
    RUN(amino_acids_are_known_in_all_protonation_states);
    RUN(nucleotides_are_known);
    RUN(other_residues_have_no_kind);
    RUN(ions_are_known_by_element_or_name);
    return check_finish();
}
