#include "compare/complex_quality.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "compare/dockq.h"
#include "compare/partner.h"
#include "compare/residue_match.h"
#include "math/superpose.h"

static const double contact_angstrom = 5, interface_angstrom = 10;

typedef struct contact {
    size_t receptor, ligand; /* residues */
} contact;

typedef enum side { RECEPTOR, LIGAND } side;

struct qn_complex_reference {
    qn_partner partners[2];
    bool *interface[2]; /* per residue: a heavy atom within 10 Å of the partner's */
    contact *contacts;
    size_t contact_count;
};

static const char *const side_names[] = {"receptor", "ligand"};

static double distance_squared(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static bool residues_touch(const qn_partner *a, size_t i, const qn_partner *b, size_t j, double cutoff)
{
    const qn_partner_residue *first = &a->residues[i], *second = &b->residues[j];
    double reach = first->radius + second->radius + cutoff;
    if (distance_squared(first->centre, second->centre) >= reach * reach) return false;
    for (size_t k = 0; k < first->heavy_count; k++)
        for (size_t l = 0; l < second->heavy_count; l++)
            if (distance_squared(a->heavy[first->first_heavy + k], b->heavy[second->first_heavy + l]) < cutoff * cutoff)
                return true;
    return false;
}

static qn_status find_interface(qn_complex_reference *reference)
{
    const qn_partner *receptor = &reference->partners[RECEPTOR], *ligand = &reference->partners[LIGAND];
    size_t capacity = 0;
    for (size_t i = 0; i < receptor->residue_count; i++)
        for (size_t j = 0; j < ligand->residue_count; j++) {
            bool both = reference->interface[RECEPTOR][i] && reference->interface[LIGAND][j];
            bool near = residues_touch(receptor, i, ligand, j, both ? contact_angstrom : interface_angstrom);
            if (!near) continue;
            reference->interface[RECEPTOR][i] = reference->interface[LIGAND][j] = true;
            if (!both && !residues_touch(receptor, i, ligand, j, contact_angstrom)) continue;
            QN_TRY(qn_grow((void **)&reference->contacts, &capacity, reference->contact_count + 1, sizeof(contact)));
            reference->contacts[reference->contact_count++] = (contact){i, j};
        }
    return QN_OK;
}

static qn_status fill_reference(const qn_molecule *receptor, const qn_molecule *ligand, qn_complex_reference *reference)
{
    const qn_molecule *const molecules[] = {receptor, ligand};
    for (int s = RECEPTOR; s <= LIGAND; s++) {
        QN_TRY(qn_partner_build(molecules[s], &reference->partners[s]));
        size_t count = reference->partners[s].residue_count;
        if (count == 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: reference %s has no amino acid or nucleotide",
                           molecules[s]->name ? molecules[s]->name : "molecule", side_names[s]);
        QN_TRY(qn_allocate(count, sizeof(bool), (void **)&reference->interface[s]));
    }
    QN_TRY(find_interface(reference));
    if (reference->contact_count == 0)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "reference receptor %s and ligand %s have no residues within %g Å of each other, so they are not a complex",
            receptor->name ? receptor->name : "", ligand->name ? ligand->name : "", contact_angstrom);
    return QN_OK;
}

qn_status qn_complex_reference_create(const qn_molecule *receptor, const qn_molecule *ligand,
                                      qn_complex_reference **reference)
{
    *reference = NULL;
    void *memory = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_complex_reference), &memory));
    qn_complex_reference *created = memory;
    qn_status status = fill_reference(receptor, ligand, created);
    if (status == QN_OK)
        *reference = created;
    else
        qn_complex_reference_destroy(&created);
    return status;
}

void qn_complex_reference_destroy(qn_complex_reference **reference)
{
    if (!reference || !*reference) return;
    for (int s = RECEPTOR; s <= LIGAND; s++) {
        qn_partner_clear(&(*reference)->partners[s]);
        qn_release(&(*reference)->interface[s]);
    }
    qn_release(&(*reference)->contacts);
    qn_release(reference);
}

/* A model that is compared: its partners, their matches and memory for all backbone atoms. */
typedef struct judgement {
    const qn_complex_reference *reference;
    qn_partner partners[2];
    qn_residue_match matches[2];
    const size_t *model_residue[2]; /* residue matched with each reference residue, in the present alternative */
    double *native, *model;         /* atoms × 3 */
} judgement;

static double fraction_native(const judgement *j, size_t *unmatched)
{
    const qn_complex_reference *reference = j->reference;
    size_t made = 0;
    *unmatched = 0;
    for (size_t i = 0; i < reference->contact_count; i++) {
        size_t receptor = j->model_residue[RECEPTOR][reference->contacts[i].receptor];
        size_t ligand = j->model_residue[LIGAND][reference->contacts[i].ligand];
        if (receptor == SIZE_MAX || ligand == SIZE_MAX)
            ++*unmatched;
        else
            made += residues_touch(&j->partners[RECEPTOR], receptor, &j->partners[LIGAND], ligand, contact_angstrom);
    }
    return (double)made / (double)reference->contact_count;
}

/* Append the backbone atoms of one partner's matched residues that reference and model both have. Returns the new
 * number of atoms. */
static size_t gather_backbone(judgement *j, side s, bool interface_only, size_t count)
{
    const qn_partner *reference = &j->reference->partners[s];
    for (size_t i = 0; i < reference->residue_count; i++) {
        if (j->model_residue[s][i] == SIZE_MAX || (interface_only && !j->reference->interface[s][i])) continue;
        const qn_partner_residue *native = &reference->residues[i];
        const qn_partner_residue *model = &j->partners[s].residues[j->model_residue[s][i]];
        for (int slot = 0; slot < QN_BACKBONE_SLOTS; slot++) {
            if (!(native->backbone_mask & model->backbone_mask & 1u << slot)) continue;
            memcpy(j->native + 3 * count, native->backbone[slot], sizeof native->backbone[slot]);
            memcpy(j->model + 3 * count, model->backbone[slot], sizeof model->backbone[slot]);
            count++;
        }
    }
    return count;
}

static qn_status interface_rmsd(judgement *j, double *rmsd_angstrom)
{
    size_t count = gather_backbone(j, RECEPTOR, true, 0);
    count = gather_backbone(j, LIGAND, true, count);
    if (count < 3)
        return QN_FAIL(QN_BAD_FORMAT,
                       "the model has %zu backbone atoms of the reference's interface, at least 3 are needed", count);
    double rotation[9], translation[3];
    return qn_superpose(j->model, j->native, count, rotation, translation, rmsd_angstrom);
}

static qn_status ligand_rmsd(judgement *j, double *rmsd_angstrom)
{
    double rotation[9], translation[3];
    size_t receptor = gather_backbone(j, RECEPTOR, false, 0), total = gather_backbone(j, LIGAND, false, receptor);
    if (receptor < 3 || total == receptor)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "the model has %zu backbone atoms of the reference receptor (at least 3 are needed) and %zu of the "
            "reference ligand (at least 1)",
            receptor, total - receptor);
    QN_TRY(qn_superpose(j->model, j->native, receptor, rotation, translation, NULL));
    for (size_t i = receptor; i < total; i++) {
        double *x = j->model + 3 * i, moved[3];
        for (int axis = 0; axis < 3; axis++) {
            const double *row = rotation + 3 * axis;
            moved[axis] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + translation[axis];
        }
        memcpy(x, moved, sizeof moved);
    }
    *rmsd_angstrom = qn_rmsd(j->model + 3 * receptor, j->native + 3 * receptor, total - receptor);
    return QN_OK;
}

static size_t count_matched(const judgement *j, side s)
{
    size_t count = 0;
    for (size_t i = 0; i < j->reference->partners[s].residue_count; i++) count += j->model_residue[s][i] != SIZE_MAX;
    return count;
}

static qn_status judge(judgement *j, qn_complex_quality *quality)
{
    qn_complex_quality q = {.native_contacts = j->reference->contact_count};
    q.matched_receptor_residues = count_matched(j, RECEPTOR);
    q.matched_ligand_residues = count_matched(j, LIGAND);
    q.fnat = fraction_native(j, &q.unmatched_contacts);
    QN_TRY(interface_rmsd(j, &q.interface_rmsd_angstrom));
    QN_TRY(ligand_rmsd(j, &q.ligand_rmsd_angstrom));
    q.dockq = qn_dockq(q.fnat, q.interface_rmsd_angstrom, q.ligand_rmsd_angstrom);
    q.capri = qn_capri_classify(q.fnat, q.interface_rmsd_angstrom, q.ligand_rmsd_angstrom);
    *quality = q;
    return QN_OK;
}

/* Match one partner. At least three tenths of the residues must agree: in an alignment of unrelated sequences about a
 * fifth do. */
static qn_status match_partner(judgement *j, side s, const qn_molecule *molecule)
{
    const qn_partner *reference = &j->reference->partners[s], *model = &j->partners[s];
    QN_TRY(qn_partner_build(molecule, &j->partners[s]));
    if (model->residue_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "the model's %s has no amino acid or nucleotide", side_names[s]);
    QN_TRY(qn_residue_match_find(reference, model, &j->matches[s]));
    size_t smaller = reference->residue_count < model->residue_count ? reference->residue_count : model->residue_count;
    if (j->matches[s].matched_count == 0 || 10 * j->matches[s].identical_count < 3 * smaller)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "the model's %s is another molecule than the reference's: only %zu of %zu %s agree by number or by "
            "alignment, expected 3 in 10",
            side_names[s], j->matches[s].identical_count, smaller, qn_plural(smaller, "residue", "residues"));
    return QN_OK;
}

static qn_status prepare(judgement *j, const qn_molecule *receptor, const qn_molecule *ligand)
{
    QN_TRY(match_partner(j, RECEPTOR, receptor));
    QN_TRY(match_partner(j, LIGAND, ligand));
    size_t atoms = j->reference->partners[RECEPTOR].backbone_count + j->reference->partners[LIGAND].backbone_count;
    QN_TRY(qn_allocate(3 * atoms, sizeof(double), (void **)&j->native));
    return qn_allocate(3 * atoms, sizeof(double), (void **)&j->model);
}

/* Compute the quality for all assignments of equivalent copies of a chain, and keep the one with the highest DockQ. */
static qn_status judge_alternatives(judgement *j, qn_complex_quality *quality)
{
    bool first = true;
    for (size_t a = 0; a < j->matches[RECEPTOR].alternative_count; a++)
        for (size_t b = 0; b < j->matches[LIGAND].alternative_count; b++) {
            qn_complex_quality candidate;
            j->model_residue[RECEPTOR] =
                j->matches[RECEPTOR].model_residue + a * j->reference->partners[RECEPTOR].residue_count;
            j->model_residue[LIGAND] =
                j->matches[LIGAND].model_residue + b * j->reference->partners[LIGAND].residue_count;
            QN_TRY(judge(j, &candidate));
            if (first || candidate.dockq > quality->dockq) *quality = candidate;
            first = false;
        }
    return QN_OK;
}

qn_status qn_complex_quality_compute(const qn_complex_reference *reference, const qn_molecule *receptor,
                                     const qn_molecule *ligand, qn_complex_quality *quality)
{
    judgement j = {.reference = reference};
    qn_status status = prepare(&j, receptor, ligand);
    if (status == QN_OK) status = judge_alternatives(&j, quality);
    for (int s = RECEPTOR; s <= LIGAND; s++) {
        qn_partner_clear(&j.partners[s]);
        qn_residue_match_clear(&j.matches[s]);
    }
    qn_release(&j.native);
    qn_release(&j.model);
    return status;
}
