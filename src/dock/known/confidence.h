/* Predicted structures: residues whose confidence, pLDDT in the B-factors, is below a limit are masked. */
#ifndef QN_DOCK_KNOWN_CONFIDENCE_H
#define QN_DOCK_KNOWN_CONFIDENCE_H

#include "dock/search/partner.h"

/* Mask the residues of a partner by limits such as "50", for both partners, or "ligand:70". Masked residues stay in the
 * molecule and take no part in energies and contacts; the log says how many they are. `role` is "receptor" or "ligand",
 * `path` that of the file, whose category _ma_qa_metric_local has precedence over B-factors; NULL: a molecule in
 * memory. QN_INVALID_ARGUMENT for wrong limits; QN_BAD_FORMAT if the B-factors cannot be pLDDT, or if they are all
 * below the limit. */
QN_MUST_CHECK qn_status qn_dock_confidence_mask(const char *const *limits, size_t count, const char *role,
                                                const char *path, qn_dock_partner *partner);

#endif
