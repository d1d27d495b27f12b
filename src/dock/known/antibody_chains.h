/* The complementarity-determining regions of a partner: found by sequence, or in chains that the user names. */
#ifndef QN_DOCK_KNOWN_ANTIBODY_CHAINS_H
#define QN_DOCK_KNOWN_ANTIBODY_CHAINS_H

#include <quern/molecule.h>

/* Regions of a partner; release `residues`. */
typedef struct qn_dock_regions {
    bool *residues; /* of the molecule, in regions; NULL: the partner has no variable domain */
    size_t domain_count;
} qn_dock_regions;

/* Find the regions of a molecule by sequence. */
QN_MUST_CHECK qn_status qn_dock_regions_find(const qn_molecule *molecule, qn_dock_regions *regions);

/* Find the regions in the chains that texts such as "receptor:H,L" name, and in no others; regions of receptor and
 * ligand. QN_INVALID_ARGUMENT, QN_NOT_FOUND for a wrong text, an absent chain and a chain without a domain; nothing is
 * left to release. */
QN_MUST_CHECK qn_status qn_dock_regions_align(const char *const *texts, size_t count, const qn_molecule *receptor,
                                              const qn_molecule *ligand, qn_dock_regions regions[2]);

#endif
