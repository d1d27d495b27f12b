/* One of the two molecules of a docking run, with the parameters of its atoms. */
#ifndef QN_DOCK_PARTNER_H
#define QN_DOCK_PARTNER_H

#include <quern/molecule.h>

#include "score/atom_parameters.h"

typedef struct qn_dock_partner {
    qn_molecule *molecule; /* input coordinates; waters dropped */
    qn_atom_parameters *parameters;
    qn_parameters_summary summary;
    char hash[65]; /* SHA-256 of the input file */
} qn_dock_partner;

/* Read "path" or "path:chains". `role` ("receptor", "ligand") goes into messages. */
QN_MUST_CHECK qn_status qn_dock_partner_read(const char *path, int model, const char *role, qn_dock_partner *partner);
void qn_dock_partner_clear(qn_dock_partner *partner);

/* Radius in Å and centre (3, Å) of a sphere around all atoms, within a few percent of the smallest. */
void qn_dock_bounding_sphere(const qn_molecule *molecule, double centre[3], double *radius_angstrom);

/* Smallest and largest coordinates (3 each, Å). */
void qn_dock_bounding_box(const qn_molecule *molecule, double low[3], double high[3]);

#endif
