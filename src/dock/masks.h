/* Masks of a run: what --block, --attract and antibody coefficient sets say about residues. */
#ifndef QN_DOCK_MASKS_H
#define QN_DOCK_MASKS_H

#include <quern/dock.h>

#include "dock/search/energy.h"

/* masks gets NULL where nothing is asked for. Errors name the selection (model/residue_selection.h), or say that no
 * partner is an antibody though a set wants one. */
QN_MUST_CHECK qn_status qn_dock_masks_create(const qn_dock_options *options, const qn_dock_partner *receptor,
                                             const qn_dock_partner *ligand, const qn_coefficients *sets,
                                             size_t set_count, qn_dock_masks *masks);

/* Whether one of the partners has an antibody's variable domains. */
QN_MUST_CHECK qn_status qn_dock_masks_antibody(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                               bool *found);

void qn_dock_masks_clear(qn_dock_masks *masks);

#endif
