/* The complementarity-determining regions of antibodies, found by sequence alone.
 *
 * Any numbering and any arrangement of chains will do: Fab, Fv, single-chain Fv, single heavy domains (VHH), heavy and
 * light merged in one chain, several domains in a chain. Residues of a loop may be unresolved. T-cell receptors share
 * the light chain's features and come out as such. The regions are Kabat's, but H1 is AbM's (26 to 35), which holds
 * Kabat's and Chothia's.
 *
 *     qn_antibody_domain *domains;
 *     size_t count;
 *     QN_TRY(qn_antibody_find_cdrs(molecule, cdr, &domains, &count));
 *     qn_release(&domains);
 */
#ifndef QN_SCORE_ANTIBODY_H
#define QN_SCORE_ANTIBODY_H

#include <quern/molecule.h>

typedef enum qn_antibody_kind { QN_ANTIBODY_LIGHT, QN_ANTIBODY_HEAVY } qn_antibody_kind;

/* One variable domain. The residues first[i] to last[i] of the molecule are L1, L2, L3 or H1, H2, H3; none of a region
 * is resolved when its last comes before its first. */
typedef struct qn_antibody_domain {
    qn_antibody_kind kind;
    size_t first[3], last[3];
} qn_antibody_domain;

/* Marks the residues inside the regions in `cdr` (residue_count; all others are set false). *domains, in the order of
 * the file, is released with qn_release; NULL and *domain_count 0 when there is none, which is no error here. */
QN_MUST_CHECK qn_status qn_antibody_find_cdrs(const qn_molecule *molecule, bool *cdr, qn_antibody_domain **domains,
                                              size_t *domain_count);

const char *qn_antibody_kind_name(qn_antibody_kind kind); /* "light", "heavy" */

#endif
