#include "dock/search/partner.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

/* The molecule's atoms, then the hydrogens built. */
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

qn_status qn_dock_partner_read(const char *path, int model, const char *role, qn_dock_partner *partner)
{
    memset(partner, 0, sizeof *partner);
    qn_molecule_options options = {.model = model, .drop_water = true};
    qn_status status = qn_molecule_read(NULL, path, &options, &partner->molecule);
    if (status != QN_OK) return qn_error_add_context(status, "%s", role);
    if (status == QN_OK) status = make_sites(partner);
    if (status == QN_OK && partner->summary.heavy_atoms == 0)
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                              "%s: %s: no atoms are left once waters and hydrogens are dropped; expected a molecule",
                              role, path);
    if (status != QN_OK) {
        qn_dock_partner_clear(partner);
        return status;
    }
    if (partner->molecule->dropped_waters)
        qn_log(QN_LOG_NOTE, "%s: dropped %zu waters", role, partner->molecule->dropped_waters);
    qn_log(QN_LOG_NOTE, "%s: %zu heavy atoms in %zu residues, %zu polar hydrogens built, net charge %+.2f e", role,
           partner->summary.heavy_atoms, partner->molecule->residue_count, partner->built_hydrogens,
           partner->summary.net_charge_e);
    return QN_OK;
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
    for (size_t i = 1; i < partner->site_count; i++)
        if (distance_squared(partner->sites[i].position_angstrom, point) > distance_squared(best, point))
            best = partner->sites[i].position_angstrom;
    return best;
}

/* Bădoiu & Clarkson 2003: step 1/(k+1) of the way to the farthest point converges to the smallest sphere. */
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
