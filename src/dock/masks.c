#include "dock/masks.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/residue_selection.h"
#include "score/antibody.h"

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
    if (!any(of_receptor, receptor->residue_count)) qn_release(&masks->receptor);
    if (!any(of_ligand, ligand->residue_count)) qn_release(&masks->ligand);
    return QN_OK;
}

/* Mark the residues in the complementarity-determining regions of a molecule. *cdrs is NULL if the molecule has no
 * variable domain. */
static qn_status mark_cdrs(const qn_molecule *molecule, bool **cdrs, size_t *domain_count)
{
    qn_antibody_domain *domains;
    void *marks;
    *cdrs = NULL;
    QN_TRY(qn_allocate(molecule->residue_count, sizeof(bool), &marks));
    qn_status status = qn_antibody_find_cdrs(molecule, marks, &domains, domain_count);
    if (status != QN_OK || *domain_count == 0) {
        qn_release(&marks);
        return status;
    }
    qn_release(&domains);
    *cdrs = marks;
    return QN_OK;
}

/* Mark the regions of a partner as above, and log their number. */
static qn_status find_partner_cdrs(const char *role, const qn_molecule *molecule, const bool **cdrs)
{
    bool *marks;
    size_t count, inside = 0;
    QN_TRY(mark_cdrs(molecule, &marks, &count));
    *cdrs = marks;
    if (!marks) return QN_OK;
    for (size_t i = 0; i < molecule->residue_count; i++) inside += marks[i];
    qn_log(QN_LOG_NOTE, "%s: an antibody, %zu variable %s with %zu %s in complementarity-determining regions", role,
           count, qn_plural(count, "domain", "domains"), inside, qn_plural(inside, "residue", "residues"));
    return QN_OK;
}

static qn_status find_cdrs(const qn_molecule *receptor, const qn_molecule *ligand, const qn_coefficients *sets,
                           size_t set_count, qn_dock_masks *masks)
{
    bool wanted = false;
    for (size_t i = 0; i < set_count; i++) wanted = wanted || sets[i].cdrs_only;
    if (!wanted) return QN_OK;
    masks->cdr_penalty = cdr_penalty;
    QN_TRY(find_partner_cdrs("receptor", receptor, &masks->cdrs));
    QN_TRY(find_partner_cdrs("ligand", ligand, &masks->ligand_cdrs));
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
        bool *cdrs;
        size_t count;
        QN_TRY(mark_cdrs(molecules[i], &cdrs, &count));
        *found = *found || cdrs != NULL;
        qn_release(&cdrs);
    }
    return QN_OK;
}

qn_status qn_dock_masks_create(const qn_dock_options *options, const qn_dock_partner *receptor,
                               const qn_dock_partner *ligand, const qn_coefficients *sets, size_t set_count,
                               qn_dock_masks *masks)
{
    *masks = (qn_dock_masks){0};
    qn_status status = mask_residues(options, receptor->molecule, ligand->molecule, masks);
    if (status == QN_OK) status = find_cdrs(receptor->molecule, ligand->molecule, sets, set_count, masks);
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
