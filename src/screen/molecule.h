/* A molecule of the library on its way through a run: read, typed, searched, and recorded. */
#ifndef QN_SCREEN_MOLECULE_H
#define QN_SCREEN_MOLECULE_H

#include "format/compound/compound_stream.h"
#include "score/ligand.h"
#include "screen/run.h"

typedef struct qn_screen_molecule {
    uint64_t index; /* counted through all libraries */
    size_t line;    /* of its record */
    uint32_t library;
    char *made; /* the record of a molecule that reading again would make otherwise; NULL */
    size_t made_size;
    char *name, *reason;   /* reason: why it was rejected; NULL when it was not */
    qn_compound *compound; /* NULL when rejected */
    qn_score_ligand ligand;
} qn_screen_molecule;

/* Read a record, find its bonds, make conformers, type it. What is wrong with the molecule itself becomes its reason;
 * an error is returned only for what would be wrong with any molecule (QN_OUT_OF_MEMORY …). Any thread. */
QN_MUST_CHECK qn_status qn_screen_molecule_make(const qn_screen_state *run, const qn_compound_record *record,
                                                uint64_t index, size_t library, qn_screen_molecule *molecule);
void qn_screen_molecule_clear(qn_screen_molecule *molecule);

#endif
