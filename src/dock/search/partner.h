/* One of the two molecules of a docking run, with the parameters of its atoms. */
#ifndef QN_DOCK_SEARCH_PARTNER_H
#define QN_DOCK_SEARCH_PARTNER_H

#include <quern/molecule.h>

#include "score/atom_parameters.h"

/* What an energy sees of an atom. */
typedef struct qn_dock_site {
    double position_angstrom[3];
    double charge_e;
    float radius_angstrom;
    int type;       /* 0 … 17; −1 none */
    bool heavy;     /* no hydrogen: counts for the shape */
    size_t residue; /* index in the molecule */
} qn_dock_site;

typedef struct qn_dock_partner {
    qn_molecule *molecule; /* input coordinates; waters dropped */
    qn_dock_site *sites;   /* the molecule's atoms in their order, then the hydrogens built */
    size_t site_count;
    size_t built_hydrogens;
    qn_parameters_summary summary;
} qn_dock_partner;

/* Read "path" or "path:chains". `role` ("receptor", "ligand") goes into messages. */
QN_MUST_CHECK qn_status qn_dock_partner_read(const char *path, int model, const char *role, qn_dock_partner *partner);
void qn_dock_partner_clear(qn_dock_partner *partner);

/* Radius in Å and centre (3, Å) of a sphere around all sites, within a few percent of the smallest. */
void qn_dock_bounding_sphere(const qn_dock_partner *partner, double centre[3], double *radius_angstrom);

/* Smallest and largest coordinates (3 each, Å). */
void qn_dock_bounding_box(const qn_dock_partner *partner, double low[3], double high[3]);

#endif
