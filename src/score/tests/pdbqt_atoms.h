/* Atoms of PDBQT text for tests, with Vina's types derived from the AutoDock types that the text states. This code is
 * independent of the library, so that tests can check the library's readers and typing with it. */
#ifndef QN_SCORE_TESTS_PDBQT_ATOMS_H
#define QN_SCORE_TESTS_PDBQT_ATOMS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "score/vina.h"

enum { PDBQT_MAX = 4096 };

typedef struct pdbqt_atoms {
    double positions[3 * PDBQT_MAX]; /* heavy atoms first, then hydrogens */
    int types[PDBQT_MAX];
    char stated[PDBQT_MAX][3];
    size_t heavy, count;
} pdbqt_atoms;

static double pdbqt_radius(const char *stated)
{
    switch (stated[0]) {
    case 'C':
    case 'A': return 0.77;
    case 'N': return 0.75;
    case 'O': return 0.73;
    case 'S': return 1.02;
    default: return 0.37;
    }
}

static void pdbqt_add(pdbqt_atoms *atoms, const char *line)
{
    size_t at = atoms->count++;
    for (int d = 0; d < 3; d++) {
        char number[9] = {0};
        memcpy(number, line + 30 + 8 * d, 8);
        atoms->positions[3 * at + (size_t)d] = strtod(number, NULL);
    }
    memset(atoms->stated[at], 0, 3);
    for (int k = 0; k < 2; k++)
        if (line[77 + k] > ' ') atoms->stated[at][k] = line[77 + k];
}

/* Row of Vina's table with these properties; −1: there is none. */
static int pdbqt_row(double radius, bool hydrophobic, bool donor, bool acceptor)
{
    int count;
    const qn_vina_atom_type *table = qn_vina_type_table(&count);
    for (int i = 0; i < count; i++)
        if (fabs(table[i].radius_angstrom - radius) < 1e-6 && table[i].hydrophobic == hydrophobic &&
            table[i].donor == donor && table[i].acceptor == acceptor)
            return i;
    return -1;
}

static int pdbqt_type(const pdbqt_atoms *atoms, size_t i)
{
    bool hetero = false, hydrogen = false;
    const char *stated = atoms->stated[i];
    for (size_t j = 0; j < atoms->count; j++) {
        const double *a = atoms->positions + 3 * i, *b = atoms->positions + 3 * j;
        double square = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
        if (i == j || sqrt(square) >= 1.1 * (pdbqt_radius(stated) + pdbqt_radius(atoms->stated[j]))) continue;
        hydrogen |= strcmp(atoms->stated[j], "HD") == 0;
        hetero |= strchr("NOS", atoms->stated[j][0]) != NULL;
    }
    switch (stated[0]) {
    case 'C':
    case 'A': return pdbqt_row(1.9, !hetero, false, false);
    case 'N': return pdbqt_row(1.8, false, hydrogen, stated[1] == 'A');
    case 'O': return pdbqt_row(1.7, false, hydrogen, stated[1] == 'A');
    case 'S': return pdbqt_row(2.0, false, false, false);
    default: return -1;
    }
}

/* Read the atoms from `text` to its end or to ENDMDL, the end of a model; *next (may be NULL) gets that place. */
__attribute__((unused)) static void pdbqt_read(const char *text, pdbqt_atoms *atoms, const char **next)
{
    const char *start = text;
    atoms->count = atoms->heavy = 0;
    for (int hydrogens = 0; hydrogens < 2; hydrogens++) {
        for (text = start; *text && strncmp(text, "ENDMDL", 6) != 0;) {
            const char *end = strchr(text, '\n');
            bool atom = strncmp(text, "ATOM", 4) == 0 || strncmp(text, "HETATM", 6) == 0;
            if (atom && (text[77] == 'H') == hydrogens && atoms->count < PDBQT_MAX) pdbqt_add(atoms, text);
            text = end ? end + 1 : text + strlen(text);
        }
        if (!hydrogens) atoms->heavy = atoms->count;
    }
    if (next) *next = text;
    for (size_t i = 0; i < atoms->heavy; i++) atoms->types[i] = pdbqt_type(atoms, i);
}

#endif
