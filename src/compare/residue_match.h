/* Match the residues of a model to the residues of the reference, for one partner.
 *
 * Methods, in this order: chain, number and insertion code; number and insertion code alone, where they are unique;
 * global alignment of each pair of chains with the best pairing of chains; alignment of the whole partner, for chains
 * merged into one. A match by numbers is taken if its residue names agree and an alignment finds at most a tenth more
 * equal residues. */
#ifndef QN_COMPARE_RESIDUE_MATCH_H
#define QN_COMPARE_RESIDUE_MATCH_H

#include <stdint.h>

#include "compare/partner.h"

/* A match has several equivalent alternatives if a partner has copies of one chain; the caller selects the best. */
typedef struct qn_residue_match {
    size_t alternative_count; /* at least 1 */
    size_t matched_count;     /* matched residues of the first alternative */
    size_t identical_count;   /* number of these with the same name in reference and model */
    size_t *model_residue;    /* [alternative][reference residue]: index into the model's residues, or SIZE_MAX */
} qn_residue_match;

/* Find a match. Release it with qn_residue_match_clear, also after a failure. */
QN_MUST_CHECK qn_status qn_residue_match_find(const qn_partner *reference, const qn_partner *model,
                                              qn_residue_match *match);
void qn_residue_match_clear(qn_residue_match *match);

/* Compute the global alignment by residue name (Needleman & Wunsch 1970 with Gotoh's affine gaps; end gaps are free).
 * pairs[i] gets the index in `model` of the residue aligned with residue i of `reference`, or SIZE_MAX.
 * *identical_count gets the number of pairs with the same name. */
QN_MUST_CHECK qn_status qn_residue_align(const qn_partner_residue *reference, size_t reference_count,
                                         const qn_partner_residue *model, size_t model_count, size_t *pairs,
                                         size_t *identical_count);

#endif
