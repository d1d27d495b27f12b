/* One of the two molecules of a docking run, with the parameters of its atoms. */
#ifndef QN_DOCK_SEARCH_PARTNER_H
#define QN_DOCK_SEARCH_PARTNER_H

#include <quern/molecule.h>

#include "score/atom_parameters.h"

/* An atom as the docking energies use it. */
typedef struct qn_dock_site {
    double position_angstrom[3];
    double charge_e;
    float radius_angstrom;
    int type;       /* atom type of the pair potential, 0 … 17; −1: none */
    bool heavy;     /* not a hydrogen: counts for the shape */
    size_t residue; /* index in the molecule */
} qn_dock_site;

typedef struct qn_dock_partner {
    qn_molecule *molecule; /* input coordinates, without waters */
    qn_dock_site *sites;   /* the molecule's atoms in their order, then the hydrogens that were built */
    size_t site_count;
    size_t built_hydrogens;
    qn_parameters_summary summary;
} qn_dock_partner;

/* Read a partner from "path" or "path:chains". Messages contain `role` ("receptor", "ligand"). */
QN_MUST_CHECK qn_status qn_dock_partner_read(const char *path, int model, const char *role, qn_dock_partner *partner);

/* The same from a molecule in memory, which is copied without its waters. Energies are the same as for the molecule's
 * file. QN_BAD_FORMAT if qn_molecule_check fails or no heavy atoms are left. */
QN_MUST_CHECK qn_status qn_dock_partner_from_molecule(const qn_molecule *molecule, const char *role,
                                                      qn_dock_partner *partner);
void qn_dock_partner_clear(qn_dock_partner *partner);

/* Compute a sphere around all sites: centre (3 coordinates) and radius in Å, within a few percent of the smallest
 * sphere. */
void qn_dock_bounding_sphere(const qn_dock_partner *partner, double centre[3], double *radius_angstrom);

/* Compute the smallest and the largest coordinates of the sites, 3 each, in Å. */
void qn_dock_bounding_box(const qn_dock_partner *partner, double low[3], double high[3]);

#endif
