/* What the readers of both versions of a molfile share. */
#ifndef QN_FORMAT_COMPOUND_SDF_H
#define QN_FORMAT_COMPOUND_SDF_H

#include "format/compound/compound_lines.h"

typedef struct qn_sdf_reader {
    const qn_compound_record *record;
    qn_record_lines lines;
    char *name;
    bool says_3d;
    qn_compound *compound;
} qn_sdf_reader;

/* From behind the counts line to behind "M  END": `compound` is made and filled. */
QN_MUST_CHECK qn_status qn_sdf_read_v2000(qn_sdf_reader *reader);
QN_MUST_CHECK qn_status qn_sdf_read_v3000(qn_sdf_reader *reader);

/* An order of the file; refuses those of queries. 8, any, and 0 become QN_BOND_UNKNOWN, 9, coordination, a single one.
 */
QN_MUST_CHECK qn_status qn_sdf_bond_order(const qn_record_lines *lines, int written, qn_bond_order *order);

/* Hydrogens of an atom from its stated valence (all bonds and hydrogens together) where its bonds tell. */
void qn_sdf_set_valence(qn_compound *compound, const qn_compound_neighbours *neighbours, size_t atom, int valence);

/* Hydrogen of mass 2 or 3 becomes D or T. */
void qn_sdf_set_mass(qn_compound_atom *atom, int mass);

#endif
