/* Masks of a run: energies of residues by --block, --attract, restraints and the coefficient sets of antibodies. */
#ifndef QN_DOCK_MASKS_H
#define QN_DOCK_MASKS_H

#include <quern/dock.h>

#include "dock/known/restraints.h"
#include "dock/search/energy.h"

/* Make the masks; a mask that the options do not ask for is NULL. Errors: those of residue selections
 * (model/residue_selection.h), with the selection in the message; QN_INVALID_ARGUMENT if a set is for antibodies and
 * neither partner is an antibody, and if the options name chains that are none. */
QN_MUST_CHECK qn_status qn_dock_masks_create(const qn_dock_options *options, const qn_dock_partner *receptor,
                                             const qn_dock_partner *ligand, const qn_coefficients *sets,
                                             size_t set_count, qn_dock_masks *masks);

/* Add the attraction of residues that restraints ask for. */
QN_MUST_CHECK qn_status qn_dock_masks_attract(const qn_dock_restraints *restraints, const qn_dock_partner *receptor,
                                              const qn_dock_partner *ligand, qn_dock_masks *masks);

/* Find out whether one of the partners has variable domains of an antibody. */
QN_MUST_CHECK qn_status qn_dock_masks_antibody(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                               bool *found);

void qn_dock_masks_clear(qn_dock_masks *masks);

#endif
