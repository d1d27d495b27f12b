/* Residues as texts. */
#ifndef QN_MODEL_RESIDUE_TEXT_H
#define QN_MODEL_RESIDUE_TEXT_H

#include <quern/molecule.h>

typedef struct qn_residue_text {
    char text[48];
} qn_residue_text;

/* "ASP 108 of chain A", for messages. */
qn_residue_text qn_residue_say(const qn_residue *residue);

/* "ASP108:A", for tables. */
qn_residue_text qn_residue_label(const qn_residue *residue);

#endif
