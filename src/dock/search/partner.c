#include "dock/search/partner.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/crowding.h"
#include "model/molecule_input.h"
#include "model/residue_names.h"

/* List the molecule's atoms, then the hydrogens that were built. */
static qn_status list_sites(qn_dock_partner *partner, const qn_atom_parameters *parameters,
                            const qn_built_hydrogen *hydrogens, size_t hydrogen_count)
{
    const qn_molecule *molecule = partner->molecule;
    void *memory;
    QN_TRY(qn_allocate(molecule->atom_count + hydrogen_count, sizeof(qn_dock_site), &memory));
    partner->sites = memory;
    for (size_t i = 0; i < molecule->atom_count; i++) {
        qn_dock_site *site = &partner->sites[partner->site_count++];
        *site = (qn_dock_site){.charge_e = parameters[i].charge_e,
                               .radius_angstrom = parameters[i].radius_angstrom,
                               .type = parameters[i].type,
                               .heavy = parameters[i].heavy,
                               .residue = (size_t)molecule->atoms[i].residue};
        memcpy(site->position_angstrom, molecule->atoms[i].position_angstrom, sizeof site->position_angstrom);
    }
    for (size_t i = 0; i < hydrogen_count; i++) {
        qn_dock_site *site = &partner->sites[partner->site_count++];
        *site = (qn_dock_site){
            .charge_e = hydrogens[i].charge_e, .type = -1, .residue = partner->sites[hydrogens[i].parent].residue};
        memcpy(site->position_angstrom, hydrogens[i].position_angstrom, sizeof site->position_angstrom);
    }
    return QN_OK;
}

static qn_status make_sites(qn_dock_partner *partner)
{
    qn_atom_parameters *parameters;
    qn_built_hydrogen *hydrogens;
    QN_TRY(qn_atom_parameters_assign(partner->molecule, &parameters, &hydrogens, &partner->built_hydrogens,
                                     &partner->summary));
    qn_status status = list_sites(partner, parameters, hydrogens, partner->built_hydrogens);
    qn_release(&parameters);
    qn_release(&hydrogens);
    return status;
}

enum { LIGAND_ATOMS_LEAST = 3 };

/* Check the molecule, assign parameters to the molecule's atoms and log its size. `name` is the molecule's name in
 * messages. */
static qn_status finish(const char *role, const char *name, qn_dock_partner *partner)
{
    const qn_status status = qn_molecule_check_crowding(partner->molecule, name);
    if (status != QN_OK) return qn_error_add_context(status, "%s", role);
    QN_TRY(make_sites(partner));
    if (partner->summary.heavy_atoms == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: %s: no atoms are left once waters and hydrogens are dropped; expected a molecule", role,
                       name);
    if (strcmp(role, "ligand") == 0 && partner->summary.heavy_atoms < LIGAND_ATOMS_LEAST)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: %zu heavy %s; expected at least %d, which a rotation turns", role, name,
                       (size_t)partner->summary.heavy_atoms,
                       qn_plural((size_t)partner->summary.heavy_atoms, "atom", "atoms"), LIGAND_ATOMS_LEAST);
    if (partner->molecule->dropped_waters)
        qn_log(QN_LOG_NOTE, "%s: dropped %zu %s", role, partner->molecule->dropped_waters,
               qn_plural(partner->molecule->dropped_waters, "water", "waters"));
    qn_log(QN_LOG_NOTE, "%s: %zu heavy %s in %zu %s, %zu polar %s built, net charge %+.2f e", role,
           partner->summary.heavy_atoms, qn_plural(partner->summary.heavy_atoms, "atom", "atoms"),
           partner->molecule->residue_count, qn_plural(partner->molecule->residue_count, "residue", "residues"),
           partner->built_hydrogens, qn_plural(partner->built_hydrogens, "hydrogen", "hydrogens"),
           partner->summary.net_charge_e);
    return QN_OK;
}

qn_status qn_dock_partner_read(const char *path, int model, const char *role, qn_dock_partner *partner)
{
    const qn_molecule_options options = {.size = sizeof options, .model = model, .drop_water = true};
    *partner = (qn_dock_partner){0};
    qn_status status = qn_molecule_read(NULL, path, &options, &partner->molecule);
    if (status != QN_OK) return qn_error_add_context(status, "%s", role);
    status = finish(role, path, partner);
    if (status != QN_OK) qn_dock_partner_clear(partner);
    return status;
}

static qn_status copy_without_waters(const qn_molecule *molecule, const char *name, qn_molecule **copy)
{
    QN_TRY(qn_molecule_create(name, copy));
    (*copy)->dropped_waters = molecule->dropped_waters;
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        if (qn_is_water(residue->name)) {
            (*copy)->dropped_waters++;
            continue;
        }
        QN_TRY(qn_molecule_append_residue(*copy, residue));
        for (size_t i = 0; i < residue->atom_count; i++)
            QN_TRY(qn_molecule_append_atom(*copy, &molecule->atoms[residue->first_atom + i]));
    }
    return QN_OK;
}

qn_status qn_dock_partner_from_molecule(const qn_molecule *molecule, const char *role, qn_dock_partner *partner)
{
    const char *name = molecule->name ? molecule->name : role;
    *partner = (qn_dock_partner){0};
    QN_TRY(qn_molecule_check(molecule, role));
    qn_status status = copy_without_waters(molecule, name, &partner->molecule);
    if (status == QN_OK) status = finish(role, name, partner);
    if (status != QN_OK) qn_dock_partner_clear(partner);
    return status;
}

void qn_dock_partner_clear(qn_dock_partner *partner)
{
    qn_molecule_destroy(&partner->molecule);
    qn_release(&partner->sites);
}

static double distance_squared(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static const double *farthest(const qn_dock_partner *partner, const double point[3])
{
    const double *best = partner->sites[0].position_angstrom;
    double most = distance_squared(best, point);
    for (size_t i = 1; i < partner->site_count; i++) {
        const double distance = distance_squared(partner->sites[i].position_angstrom, point);
        if (distance > most) {
            most = distance;
            best = partner->sites[i].position_angstrom;
        }
    }
    return best;
}

/* Bădoiu & Clarkson 2003: in step k, the centre moves by 1/(k+1) of the way to the farthest point; it converges to the
 * centre of the smallest sphere. */
void qn_dock_bounding_sphere(const qn_dock_partner *partner, double centre[3], double *radius_angstrom)
{
    enum { STEPS = 1000 };
    memcpy(centre, partner->sites[0].position_angstrom, 3 * sizeof(double));
    for (int step = 1; step <= STEPS; step++) {
        const double *far = farthest(partner, centre);
        for (int axis = 0; axis < 3; axis++) centre[axis] += (far[axis] - centre[axis]) / (step + 1);
    }
    *radius_angstrom = sqrt(distance_squared(farthest(partner, centre), centre));
}

void qn_dock_bounding_box(const qn_dock_partner *partner, double low[3], double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
        for (size_t i = 0; i < partner->site_count; i++) {
            low[axis] = fmin(low[axis], partner->sites[i].position_angstrom[axis]);
            high[axis] = fmax(high[axis], partner->sites[i].position_angstrom[axis]);
        }
    }
}
