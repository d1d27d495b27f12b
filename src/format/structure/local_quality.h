/* The quality of single residues that a predicted structure states: the category _ma_qa_metric_local of ModelCIF, as
 * AlphaFold writes it into mmCIF files. */
#ifndef QN_FORMAT_STRUCTURE_LOCAL_QUALITY_H
#define QN_FORMAT_STRUCTURE_LOCAL_QUALITY_H

#include <quern/molecule.h>

/* Read the values of the metric whose name or type contains `metric` ("plddt", in lower case) for the residues of a
 * molecule that was read from `path`, as qn_molecule_read takes it. values (residue_count) are −1 for residues without
 * one. *found is false, and values are not set, if the file is no mmCIF or has no such metric. QN_BAD_FORMAT: a value
 * is not a number. */
QN_MUST_CHECK qn_status qn_local_quality_read(const char *path, const char *metric, const qn_molecule *molecule,
                                              double *values, bool *found);

#endif
