/* The meaning of short_range, and of the other maps: in double precision, point by point, from all atoms. */
#include <math.h>

#include "potential/maps/model.h"

/* A point and the state of the sum over atoms there. */
typedef struct site {
    const qn_potential_model *model;
    double position[3];
    int closest_donor; /* −1: the receptor has none */
    double *values;
    double least[QN_POTENTIAL_PROBES_MAX], most[QN_POTENTIAL_PROBES_MAX]; /* of hydrogen bonds that do not add up */
    bool has_bonds[QN_POTENTIAL_PROBES_MAX];
} site;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* Vector from atom to point, and its length. */
static double vector_from(const site *at, size_t atom, double vector[3])
{
    for (int k = 0; k < 3; k++) vector[k] = at->position[k] - at->model->positions_angstrom[3 * atom + (size_t)k];
    return sqrt(dot(vector, vector));
}

static qn_potential_role role_of(const qn_potential_model *model, size_t atom)
{
    return model->parameters->types[model->types[atom]].role;
}

static int find_closest_donor(const site *at)
{
    double least = INFINITY, vector[3];
    int closest = -1;
    for (size_t i = 0; i < at->model->atom_count; i++) {
        if (!qn_potential_is_donor(role_of(at->model, i))) continue;
        const double distance = vector_from(at, i, vector);
        if (distance < least) least = distance, closest = (int)i;
    }
    return closest;
}

/* ---- angular factors; `unit` points from the atom to the probe ---- */

static double donor_factor(const qn_potential_direction *direction, const double unit[3])
{
    const double cosine = dot(direction->axis, unit);
    if (cosine <= 0) return 0;
    return direction->power == 4 ? cosine * cosine * cosine * cosine : cosine * cosine;
}

/* Lone pairs: Goodford's form, after Boobbyer et al. 1989, J. Med. Chem. 32, 1083. */
static double lone_pair_factor(const qn_potential_direction *direction, const double unit[3])
{
    const double cosine = dot(direction->axis, unit), out_of_plane = dot(direction->normal, unit);
    const double cos_t0 = sqrt(fmax(0, 1 - out_of_plane * out_of_plane));
    if (cosine < -0.34202) return 0;
    if (cosine < 0) {
        const double x = 0.116978 - cosine * cosine;
        return 562.25 * x * x * x * cos_t0;
    }
    double sine = 0; /* of the angle between axis and probe within the plane */
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        sine += (unit[a] * direction->normal[b] - unit[b] * direction->normal[a]) * direction->axis[k];
    }
    sine = clamp(cos_t0 > 0 ? fabs(sine) / cos_t0 : 0, 0, 1);
    return (0.9 + 0.1 * sin(2 * asin(sine))) * cos_t0;
}

static double acceptor_factor(const qn_potential_direction *direction, qn_potential_role role, const double unit[3])
{
    if (role == QN_POTENTIAL_ACCEPTOR_SPHERICAL) return 1;
    if (role == QN_POTENTIAL_ACCEPTOR_TWO) return lone_pair_factor(direction, unit);
    const double cosine = dot(direction->axis, unit);
    return cosine > 0 ? cosine * cosine : 0;
}

/* Only the closest polar hydrogen binds fully. */
static double share_of_donor(const site *at, size_t atom)
{
    const qn_potential_direction *directions = at->model->directions;
    if ((int)atom == at->closest_donor) return 1;
    const double cosine = clamp(dot(directions[atom].axis, directions[at->closest_donor].axis), -1, 1);
    return 0.5 - 0.5 * cos(acos(cosine) * 120 / 90);
}

/* ---- sums ---- */

static void add_bond(site *at, size_t atom, int probe, double energy, const double unit[3])
{
    const qn_potential_direction *direction = &at->model->directions[atom];
    const qn_potential_role role = role_of(at->model, atom);
    const qn_potential_role probe_role = at->model->parameters->types[at->model->probe_types[probe]].role;
    const bool atom_donates = qn_potential_is_donor(role);
    double factor = role == QN_POTENTIAL_DONOR_SPHERICAL ? 1
                    : atom_donates                       ? donor_factor(direction, unit)
                                                         : acceptor_factor(direction, role, unit);
    const bool adds_up = atom_donates && probe_role != QN_POTENTIAL_ACCEPTOR_ONE;
    const double share = adds_up && role == QN_POTENTIAL_DONOR && factor > 0 ? share_of_donor(at, atom) : 1;
    factor = share * (factor + (1 - factor) * clamp(energy / 100, 0, 1));
    if (adds_up) {
        at->values[probe] += energy * factor;
        return;
    }
    at->least[probe] = fmin(at->least[probe], energy * factor);
    at->most[probe] = fmax(at->most[probe], energy * factor);
    at->has_bonds[probe] = true;
}

static void add_pair(site *at, size_t atom, int probe, int index, const double unit[3])
{
    const qn_potential_model *model = at->model;
    const int kind = model->kinds[atom];
    const qn_potential_type *type = &model->parameters->types[model->types[atom]];
    const qn_potential_type *probe_type = &model->parameters->types[model->probe_types[probe]];
    if (probe == model->covalent_probe) return;
    const double energy = qn_potential_model_energies(model, kind, probe)[index];
    if (model->pairs[kind * model->settings.probe_count + probe].is_bond)
        add_bond(at, atom, probe, energy, unit);
    else
        at->values[probe] += energy;
    at->values[probe] += probe_type->solvation * type->volume_angstrom3 * model->desolvation[index] +
                         (type->solvation + model->settings.charge_solvation * fabs(model->charges_e[atom])) *
                             probe_type->volume_angstrom3 * model->desolvation[index];
}

static void add_atom(site *at, size_t atom)
{
    const qn_potential_model *model = at->model;
    const int probes = model->settings.probe_count;
    double unit[3];
    const double distance = vector_from(at, atom, unit);
    if (distance > QN_POTENTIAL_CUTOFF_ANGSTROM) return;
    const int index = (int)(distance * QN_POTENTIAL_ENTRIES_PER_ANGSTROM);
    for (int k = 0; k < 3; k++) unit[k] = distance > 0 ? unit[k] / distance : 0;
    for (int probe = 0; probe < probes; probe++) add_pair(at, atom, probe, index, unit);
    at->values[probes + 1] += model->settings.charge_solvation *
                              model->parameters->types[model->types[atom]].volume_angstrom3 * model->desolvation[index];
}

void qn_potential_reference_point(const qn_potential_model *model, const int point[3], double values[])
{
    const int probes = model->settings.probe_count;
    site at = {.model = model, .values = values};
    for (int k = 0; k < 3; k++) at.position[k] = qn_potential_grid_offset(&model->settings.grid, k, point[k]);
    at.closest_donor = find_closest_donor(&at);
    for (int i = 0; i < probes; i++) at.least[i] = INFINITY, at.most[i] = -INFINITY;
    for (int i = 0; i < probes + 2; i++) values[i] = 0;
    for (size_t i = 0; i < model->atom_count; i++) add_atom(&at, i);
    for (int i = 0; i < probes; i++)
        if (at.has_bonds[i]) values[i] += at.least[i] + at.most[i];
    if (model->covalent_probe >= 0) values[model->covalent_probe] = qn_potential_covalent_value(model, point);
    values[probes] = qn_potential_electrostatic_value(model, point);
    values[probes + 2] = qn_potential_distance_value(model, point);
}
