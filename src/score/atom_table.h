/* The atom table of the docking scores: type, radius and charge by residue and atom name. */
#ifndef QN_SCORE_ATOM_TABLE_H
#define QN_SCORE_ATOM_TABLE_H

#include <stddef.h>

enum { QN_ATOM_TYPES = 18 };

typedef struct qn_atom_table_entry {
    char residue[6], atom[6];
    int type;              /* 0 … 17, −1: no pair term */
    float radius_angstrom; /* 0 for most polar hydrogens */
    float charge_e;
} qn_atom_table_entry;

extern const qn_atom_table_entry qn_atom_table[];
extern const size_t qn_atom_table_count;

/* Entries of a residue are consecutive. *first gets the index of the first entry. Returns their number, 0 when the
 * table does not have the residue. Other common names (HIE, HSE, CYX, DA …) are known. */
size_t qn_atom_table_residue(const char *residue, size_t *first);

#endif
