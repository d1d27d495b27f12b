/* Which residue of a model is which residue of the reference, for one partner.
 *
 * Tried in this order: chain, number and insertion code; number and insertion code alone, where they are unique;
 * global alignment of each pair of chains with the best pairing of chains; alignment of the whole partner, for chains
 * merged into one. Numbering is believed where names agree and it finds (nearly) as many equal residues as alignment.
 */
#ifndef QN_COMPARE_RESIDUE_MATCH_H
#define QN_COMPARE_RESIDUE_MATCH_H

#include <stdint.h>

#include "compare/partner.h"

/* Several equivalent answers are possible where a partner holds copies of one chain: the caller keeps the best. */
typedef struct qn_residue_match {
    size_t alternative_count; /* at least 1 */
    size_t matched_count;     /* of the first alternative, like the next */
    size_t identical_count;   /* matched with the same name */
    size_t *model_residue;    /* [alternative][reference residue]: index into the model's residues, or SIZE_MAX */
} qn_residue_match;

/* Release with qn_residue_match_clear, also after a failure. */
QN_MUST_CHECK qn_status qn_residue_match_find(const qn_partner *reference, const qn_partner *model,
                                              qn_residue_match *match);
void qn_residue_match_clear(qn_residue_match *match);

/* Global alignment by residue name (Needleman & Wunsch 1970 with Gotoh's affine gaps, end gaps free): pairs[i] gets the
 * index into `model` of residue i of `reference`, or SIZE_MAX. Returns how many pairs have the same name. */
QN_MUST_CHECK qn_status qn_residue_align(const qn_partner_residue *reference, size_t reference_count,
                                         const qn_partner_residue *model, size_t model_count, size_t *pairs,
                                         size_t *identical_count);

#endif
