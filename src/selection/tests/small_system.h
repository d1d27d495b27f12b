/* A made-up system of a short chain, a nucleotide, two waters, two ions and a ligand, to select from. */
#ifndef QN_TRAJECTORY_TESTS_SMALL_SYSTEM_H
#define QN_TRAJECTORY_TESTS_SMALL_SYSTEM_H

#include <quern/topology.h>
#include <stdio.h>
#include <string.h>

#include "model/topology.h"

/* chain segment resid insertion resname name type element mass charge; "." for an empty value, "_" for a blank */
static const char *const small_system_atoms[] = {
    "A PROT -1 . GLY N t1 N 14.007 -0.5",  /* 0 */
    "A PROT -1 . GLY CA t2 C 12.011 0.1",  /* 1 */
    "A PROT -1 . GLY C t3 C 12.011 0.5",   /* 2 */
    "A PROT -1 . GLY O t4 O 15.999 -0.5",  /* 3 */
    "A PROT -1 . GLY H1 t5 H 1.008 0.25",  /* 4 */
    "A PROT 1 . ALA N t1 N 14.007 -0.5",   /* 5 */
    "A PROT 1 . ALA CA t2 C 12.011 0.1",   /* 6 */
    "A PROT 1 . ALA CB t6 C 12.011 -0.2",  /* 7 */
    "A PROT 1 . ALA C t3 C 12.011 0.5",    /* 8 */
    "A PROT 1 . ALA O t4 O 15.999 -0.5",   /* 9 */
    "A PROT 1 A SER N t1 N 14.007 -0.5",   /* 10 */
    "A PROT 1 A SER CA t2 C 12.011 0.1",   /* 11 */
    "A PROT 1 A SER OG t7 O 15.999 -0.7",  /* 12 */
    "x NUC 2 . DA P t8 P 30.974 1.2",      /* 13 */
    "x NUC 2 . DA O5' t9 O 15.999 -0.6",   /* 14 */
    "x NUC 2 . DA C1* t2 C 12.011 0",      /* 15 */
    "x NUC 2 . DA N9 t1 N 14.007 0",       /* 16 */
    ". WAT 3 . SOL OW tw O 15.999 -0.8",   /* 17 */
    ". WAT 3 . SOL HW1 th H 1.008 0.4",    /* 18 */
    ". WAT 3 . SOL HW2 th H 1.008 0.4",    /* 19 */
    ". WAT 4 . SOL OW tw O 15.999 -0.8",   /* 20 */
    ". WAT 4 . SOL HW1 th H 1.008 0.4",    /* 21 */
    ". WAT 4 . SOL HW2 th H 1.008 0.4",    /* 22 */
    ". ION 5 . NA+ NA ti NA 22.99 1",      /* 23 */
    ". ION 6 . CL CL ti CL 35.45 -1",      /* 24 */
    ". LIG 7 . LIG C1 t2 C 12.011 0",      /* 25 */
    ". LIG 7 . LIG and t5 H 1.008 0",      /* 26 */
    ". LIG 7 . LIG C_1 t2 C 12.0109997 0", /* 27 */
};
enum { SMALL_SYSTEM_ATOMS = sizeof small_system_atoms / sizeof small_system_atoms[0] };

static const size_t small_system_bonds[][2] = {{0, 1},   {1, 2},   {2, 3},   {0, 4},   {2, 5},   {5, 6},   {6, 7},
                                               {6, 8},   {8, 9},   {8, 10},  {10, 11}, {11, 12}, {13, 14}, {14, 15},
                                               {15, 16}, {17, 18}, {17, 19}, {20, 21}, {20, 22}, {25, 26}, {25, 27}};

static void small_system_word(char *word)
{
    if (strcmp(word, ".") == 0) word[0] = '\0';
    for (char *byte = word; *byte; byte++)
        if (*byte == '_') *byte = ' ';
}

/* Build the system; NULL: a check failed. */
static qn_topology *small_system(void)
{
    qn_topology *topology = NULL;
    char last[64] = "";
    if (!CHECK_OK(qn_topology_create("folder/small.top", &topology))) return NULL;
    for (size_t i = 0; i < SMALL_SYSTEM_ATOMS; i++) {
        qn_topology_residue residue = {0};
        qn_topology_atom atom = {0};
        char insertion[2];
        if (!CHECK(sscanf(small_system_atoms[i], "%7s %15s %d %1s %15s %15s %15s %3s %lf %lf", residue.chain,
                          residue.segment, &residue.number, insertion, residue.name, atom.name, atom.type, atom.element,
                          &atom.mass_u, &atom.charge_e) == 10))
            break;
        if (insertion[0] != '.') residue.insertion = insertion[0];
        small_system_word(residue.chain);
        small_system_word(atom.name);
        char key[64];
        snprintf(key, sizeof key, "%d%s", residue.number, residue.name);
        if (strcmp(key, last) != 0) CHECK_OK(qn_topology_append_residue(topology, &residue));
        strcpy(last, key);
        CHECK_OK(qn_topology_append_atom(topology, &atom));
    }
    for (size_t i = 0; i < sizeof small_system_bonds / sizeof small_system_bonds[0]; i++)
        CHECK_OK(qn_topology_append_bond(topology, small_system_bonds[i][0], small_system_bonds[i][1]));
    topology->masses = QN_MASSES_FROM_FILE;
    topology->has_charges = topology->has_types = topology->has_bonds = true;
    if (CHECK_OK(qn_topology_finish(topology, QN_MOLECULES_OF_BONDS))) return topology;
    qn_topology_destroy(&topology);
    return NULL;
}

#endif
