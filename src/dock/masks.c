#include "dock/masks.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "dock/known/antibody_chains.h"
#include "model/residue_selection.h"

/* Energy per pair of heavy atoms in contact outside the complementarity-determining regions. The attraction in the
 * shipped sets is at most 0.35 per pair, so that residues outside these regions repel. */
static const double cdr_penalty = 1;

/* Add `energy` to the energies of the residues that the selections name. */
static qn_status add_selections(const char *const *selections, size_t count, double energy, const qn_molecule *receptor,
                                const qn_molecule *ligand, double *of_receptor, double *of_ligand)
{
    const size_t residues = receptor->residue_count + ligand->residue_count;
    void *memory;
    if (count == 0) return QN_OK;
    QN_TRY(qn_allocate(residues, sizeof(bool), &memory));
    bool *marks = memory;
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++)
        status = qn_residue_selection_mark(selections[i], receptor, ligand, marks, marks + receptor->residue_count);
    for (size_t i = 0; i < receptor->residue_count; i++) of_receptor[i] += marks[i] ? energy : 0;
    for (size_t i = 0; i < ligand->residue_count; i++) of_ligand[i] += marks[receptor->residue_count + i] ? energy : 0;
    qn_release(&memory);
    return status;
}

static bool any(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0) return true;
    return false;
}

/* Masks without energies need no grids. */
static void drop_empty(const qn_molecule *receptor, const qn_molecule *ligand, qn_dock_masks *masks)
{
    if (masks->receptor && !any(masks->receptor, receptor->residue_count)) qn_release(&masks->receptor);
    if (masks->ligand && !any(masks->ligand, ligand->residue_count)) qn_release(&masks->ligand);
}

static qn_status mask_residues(const qn_dock_options *options, const qn_molecule *receptor, const qn_molecule *ligand,
                               qn_dock_masks *masks)
{
    void *memory;
    QN_TRY(qn_allocate(receptor->residue_count, sizeof(double), &memory));
    double *of_receptor = memory;
    masks->receptor = of_receptor;
    QN_TRY(qn_allocate(ligand->residue_count, sizeof(double), &memory));
    double *of_ligand = memory;
    masks->ligand = of_ligand;
    QN_TRY(add_selections(options->blocked, options->blocked_count, options->block_penalty, receptor, ligand,
                          of_receptor, of_ligand));
    QN_TRY(add_selections(options->attracted, options->attracted_count, -options->attract_bonus, receptor, ligand,
                          of_receptor, of_ligand));
    drop_empty(receptor, ligand, masks);
    return QN_OK;
}

/* Take the regions of a partner into its mask, and log their number. */
static const bool *take_regions(const char *role, const qn_molecule *molecule, const qn_dock_regions *regions)
{
    size_t inside = 0;
    if (!regions->residues) return NULL;
    for (size_t i = 0; i < molecule->residue_count; i++) inside += regions->residues[i];
    qn_log(QN_LOG_NOTE, "%s: an antibody, %zu variable %s with %zu %s in complementarity-determining regions", role,
           regions->domain_count, qn_plural(regions->domain_count, "domain", "domains"), inside,
           qn_plural(inside, "residue", "residues"));
    return regions->residues;
}

static qn_status find_cdrs(const qn_dock_options *options, const qn_molecule *receptor, const qn_molecule *ligand,
                           const qn_coefficients *sets, size_t set_count, qn_dock_masks *masks)
{
    bool wanted = false;
    qn_dock_regions regions[2] = {{0}};
    for (size_t i = 0; i < set_count; i++) wanted = wanted || sets[i].cdrs_only;
    if (!wanted && options->antibody_count)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "\"%s\" is named as an antibody, but no coefficient set masks antibodies; expected the "
                       "coefficients \"antibody\"",
                       options->antibodies[0]);
    if (!wanted) return QN_OK;
    masks->cdr_penalty = cdr_penalty;
    if (options->antibody_count) {
        QN_TRY(qn_dock_regions_align(options->antibodies, options->antibody_count, receptor, ligand, regions));
    } else {
        QN_TRY(qn_dock_regions_find(receptor, &regions[0]));
        masks->cdrs = regions[0].residues; /* released with the masks if the ligand fails */
        QN_TRY(qn_dock_regions_find(ligand, &regions[1]));
    }
    masks->cdrs = take_regions("receptor", receptor, &regions[0]);
    masks->ligand_cdrs = take_regions("ligand", ligand, &regions[1]);
    if (!masks->cdrs && !masks->ligand_cdrs)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "%s, %s: no antibody variable domain was found; the coefficients \"antibody\" expect an antibody",
            receptor->name, ligand->name);
    return QN_OK;
}

qn_status qn_dock_masks_antibody(const qn_dock_partner *receptor, const qn_dock_partner *ligand, bool *found)
{
    const qn_molecule *molecules[2] = {receptor->molecule, ligand->molecule};
    *found = false;
    for (int i = 0; i < 2; i++) {
        qn_dock_regions regions;
        QN_TRY(qn_dock_regions_find(molecules[i], &regions));
        *found = *found || regions.residues;
        qn_release(&regions.residues);
    }
    return QN_OK;
}

qn_status qn_dock_masks_attract(const qn_dock_restraints *restraints, const qn_dock_partner *receptor,
                                const qn_dock_partner *ligand, qn_dock_masks *masks)
{
    const qn_dock_partner *partners[2] = {receptor, ligand};
    const double **to[2] = {&masks->receptor, &masks->ligand};
    double *energies[2];
    if (!restraints->attracting[0] || restraints->strength == 0) return QN_OK;
    for (int side = 0; side < 2; side++) {
        void *memory;
        QN_TRY(qn_allocate(partners[side]->molecule->residue_count, sizeof(double), &memory));
        energies[side] = memory;
        for (size_t r = 0; *to[side] && r < partners[side]->molecule->residue_count; r++)
            energies[side][r] = (*to[side])[r];
        qn_release(to[side]);
        *to[side] = energies[side];
    }
    qn_dock_restraints_attract(restraints, receptor->molecule, ligand->molecule, energies[0], energies[1]);
    drop_empty(receptor->molecule, ligand->molecule, masks);
    return QN_OK;
}

qn_status qn_dock_masks_create(const qn_dock_options *options, const qn_dock_partner *receptor,
                               const qn_dock_partner *ligand, const qn_coefficients *sets, size_t set_count,
                               qn_dock_masks *masks)
{
    *masks = (qn_dock_masks){0};
    qn_status status = mask_residues(options, receptor->molecule, ligand->molecule, masks);
    if (status == QN_OK) status = find_cdrs(options, receptor->molecule, ligand->molecule, sets, set_count, masks);
    if (status != QN_OK) qn_dock_masks_clear(masks);
    return status;
}

void qn_dock_masks_clear(qn_dock_masks *masks)
{
    qn_release(&masks->receptor);
    qn_release(&masks->ligand);
    qn_release(&masks->cdrs);
    qn_release(&masks->ligand_cdrs);
}
