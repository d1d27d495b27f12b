/* Everything that the values of the maps depend on: the receptor's atoms with their directions, the probes, and the
 * tables of their energies.
 *
 * Life cycle: fill in settings → qn_potential_model_create → compute from any threads → destroy.
 */
#ifndef QN_POTENTIAL_MAPS_MODEL_H
#define QN_POTENTIAL_MAPS_MODEL_H

#include <stdint.h>

#include "potential/maps/directions.h"
#include "potential/maps/grid.h"
#include "potential/maps/tables.h"

enum {
    QN_POTENTIAL_PROBES_MAX = 64,
    QN_POTENTIAL_NPTS_MAX = 2048 /* spacings along an axis */
};

#define QN_POTENTIAL_DIELECTRIC_LEAST 0.001 /* of a constant one; maps of a smaller one may overflow */
#define QN_POTENTIAL_COVALENT_NAME "Z"      /* the probe of a covalent map */

/* An n-m potential that a parameter file does not give: nbp_coeffs and nbp_r_eps of AutoGrid. */
typedef struct qn_potential_override {
    char types[2][QN_POTENTIAL_NAME_MAX];
    qn_potential_pair pair;
    size_t line; /* of the grid parameter file */
} qn_potential_override;

typedef struct qn_potential_settings {
    qn_potential_grid grid;
    char (*probes)[QN_POTENTIAL_NAME_MAX]; /* atom types of the maps */
    int probe_count;
    double smooth_angstrom;  /* width of the window of the least energy */
    double dielectric;       /* constant; below 0: depends on distance */
    double charge_solvation; /* kcal/mol/Å³/e */
    const qn_potential_override *overrides;
    size_t override_count;
    double covalent_half_width_angstrom, covalent_barrier, covalent_centre_angstrom[3];
} qn_potential_settings;

/* The defaults of AutoGrid 4.2.6, without probes, and with no grid but its spacing. */
qn_potential_settings qn_potential_settings_default(void);

typedef struct qn_potential_model {
    qn_potential_settings settings; /* its pointers are the caller's */
    const qn_potential_parameters *parameters;
    size_t atom_count;
    double *positions_angstrom; /* atom_count × 3, relative to the centre of the grid */
    double *charges_e;
    int *types;      /* of atoms, as an index into parameters */
    int *kinds;      /* of atoms, as an index into the types that the receptor has */
    int *kind_types; /* kind_count indices into parameters */
    int kind_count;
    int *probe_types;   /* probe_count indices into parameters */
    int covalent_probe; /* −1: none */
    qn_potential_direction *directions;
    qn_potential_pair *pairs; /* [kind][probe] */
    double *energies;         /* [kind][probe][QN_POTENTIAL_ENTRIES], smoothed */
    double desolvation[QN_POTENTIAL_ENTRIES];
    double screening[QN_POTENTIAL_DIELECTRIC_ENTRIES]; /* electrostatic weight × 332 / ε(r), kcal/mol Å/e² */
} qn_potential_model;

/* `parameters` must live as long as the model. QN_BAD_FORMAT: an atom or a probe has a type without parameters. */
QN_MUST_CHECK qn_status qn_potential_model_create(const qn_potential_settings *settings,
                                                  const qn_potential_parameters *parameters,
                                                  const qn_potential_receptor *receptor, qn_potential_model **model);
void qn_potential_model_destroy(qn_potential_model **model);

/* Energies of a kind of receptor atom and a probe. */
static inline const double *qn_potential_model_energies(const qn_potential_model *model, int kind, int probe)
{
    return model->energies + (size_t)(kind * model->settings.probe_count + probe) * QN_POTENTIAL_ENTRIES;
}

/* Whether a pair of a receptor's type and a probe takes its energies from the override. */
bool qn_potential_model_takes(const qn_potential_model *model, const qn_potential_override *override);

/* Single maps at a grid point, in double precision and from all atoms: electrostatics, the well of a covalent probe,
 * the distance of the nearest atom in Å. */
double qn_potential_electrostatic_value(const qn_potential_model *model, const int point[3]);
double qn_potential_covalent_value(const qn_potential_model *model, const int point[3]);
double qn_potential_distance_value(const qn_potential_model *model, const int point[3]);

/* The values at grid point i, j, k, in double precision and from all atoms: one for each probe, then electrostatics,
 * desolvation and the distance of the nearest atom in Å. For tests, and as the meaning of the maps. */
void qn_potential_reference_point(const qn_potential_model *model, const int point[3], double values[]);

#endif
