/* A molecule of the library during a run: read, typed, searched, recorded. */
#ifndef QN_SCREEN_MOLECULE_H
#define QN_SCREEN_MOLECULE_H

#include "flexible/tree.h"
#include "format/compound/compound_stream.h"
#include "score/ligand.h"
#include "screen/run.h"

typedef struct qn_screen_molecule {
    uint64_t index; /* counted through all libraries */
    size_t line;    /* of its record */
    uint32_t library;
    char *made; /* the record that Open Babel made of a SMILES; NULL: another format, or rejected */
    size_t made_size;
    char *name, *reason;    /* reason of the rejection; NULL: not rejected */
    qn_compound *compound;  /* NULL: rejected */
    qn_score_ligand ligand; /* of a flexible molecule only the counts: one conformer */
    qn_flexible_tree tree;  /* of a flexible molecule */
} qn_screen_molecule;

/* Read a record, find its bonds, make conformers and find atom types. An error that the molecule causes becomes its
 * `reason`; other errors, such as QN_OUT_OF_MEMORY, are returned. Any thread may call this. */
QN_MUST_CHECK qn_status qn_screen_molecule_make(const qn_screen_state *run, const qn_compound_record *record,
                                                uint64_t index, size_t library, qn_screen_molecule *molecule);

/* Get the title of a record that cannot be read: the first line of SDF, the line after @<TRIPOS>MOLECULE of MOL2, "" in
 * other formats. *name is released with qn_release. */
QN_MUST_CHECK qn_status qn_screen_record_name(const qn_compound_record *record, char **name);
void qn_screen_molecule_clear(qn_screen_molecule *molecule);

#endif
