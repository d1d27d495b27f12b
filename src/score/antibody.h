/* The complementarity-determining regions of antibodies, found by sequence alone.
 *
 * Residue numbers and the arrangement of chains do not matter: Fab, Fv, single-chain Fv, single heavy domains of camels
 * (VHH) and single domains of sharks (V-NAR), heavy and light domains merged in one chain, and several domains in a
 * chain are found. Residues of a loop may be unresolved, and a landmark, such as the tryptophan, may be mutated. T-cell
 * receptors have the features of light chains and are reported as light chains. The regions are Kabat's, except for H1,
 * which is AbM's (26 to 35) and contains Kabat's and Chothia's, and for those of sharks.
 *
 *     qn_antibody_domain *domains;
 *     size_t count;
 *     QN_TRY(qn_antibody_find_cdrs(molecule, cdr, &domains, &count));
 *     qn_release(&domains);
 */
#ifndef QN_SCORE_ANTIBODY_H
#define QN_SCORE_ANTIBODY_H

#include <quern/molecule.h>

typedef enum qn_antibody_kind { QN_ANTIBODY_LIGHT, QN_ANTIBODY_HEAVY, QN_ANTIBODY_SHARK } qn_antibody_kind;

/* One variable domain. The residues first[i] to last[i] of the molecule are L1, L2, L3 or H1, H2, H3, and in sharks
 * CDR1, HV2, HV4, CDR3; a region without resolved residues has last < first. */
typedef struct qn_antibody_domain {
    qn_antibody_kind kind;
    size_t region_count;
    size_t first[4], last[4];
} qn_antibody_domain;

/* Mark the residues inside the regions in `cdr` (residue_count; the others become false). *domains, in the order of the
 * file, is released with qn_release. A molecule without domains is not an error: *domains is NULL, *domain_count 0. */
QN_MUST_CHECK qn_status qn_antibody_find_cdrs(const qn_molecule *molecule, bool *cdr, qn_antibody_domain **domains,
                                              size_t *domain_count);

/* The same in the chains that `wanted` (residue_count) marks, where the caller knows of domains, so that a weak match
 * is enough. A chain is looked at if its first amino acid is marked. */
QN_MUST_CHECK qn_status qn_antibody_align_cdrs(const qn_molecule *molecule, const bool *wanted, bool *cdr,
                                               qn_antibody_domain **domains, size_t *domain_count);

const char *qn_antibody_kind_name(qn_antibody_kind kind); /* "light", "heavy", "V-NAR" */

#endif
