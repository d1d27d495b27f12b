/* Functions that the readers of both molfile versions share. */
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

/* Read from the counts line, which is the current line, to the line "M  END"; create and fill `compound`. */
QN_MUST_CHECK qn_status qn_sdf_read_v2000(qn_sdf_reader *reader);
QN_MUST_CHECK qn_status qn_sdf_read_v3000(qn_sdf_reader *reader);

/* Convert a bond order of the file; the query types 5 to 7 are refused. 8 (any) and 0 become QN_BOND_UNKNOWN, 9
 * (coordination) a single bond.
 */
QN_MUST_CHECK qn_status qn_sdf_bond_order(const qn_record_lines *lines, int written, qn_bond_order *order);

/* Set the hydrogens of an atom from its stated valence (all bonds and hydrogens together), where the orders of its
 * bonds are known. */
void qn_sdf_set_valence(qn_compound *compound, const qn_compound_neighbours *neighbours, size_t atom, int valence);

/* Turn hydrogen of mass 2 or 3 into D or T. */
void qn_sdf_set_mass(qn_compound_atom *atom, int mass);

#endif
