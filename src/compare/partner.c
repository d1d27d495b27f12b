#include "compare/partner.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/atom.h"

/* Other names of standard residues: protonation states, selenium and phosphate derivatives, DNA. */
static const char *const residue_aliases[][2] = {
    {"MSE", "MET"}, {"HSD", "HIS"}, {"HSE", "HIS"}, {"HSP", "HIS"}, {"HID", "HIS"}, {"HIE", "HIS"}, {"HIP", "HIS"},
    {"CYX", "CYS"}, {"CYM", "CYS"}, {"ASH", "ASP"}, {"GLH", "GLU"}, {"LYN", "LYS"}, {"SEP", "SER"}, {"TPO", "THR"},
    {"PTR", "TYR"}, {"DA", "A"},    {"DC", "C"},    {"DG", "G"},    {"DT", "T"},    {"DU", "U"},    {"ADE", "A"},
    {"CYT", "C"},   {"GUA", "G"},   {"THY", "T"},   {"URA", "U"},
};

static const char *translate(const char *name, const char *const aliases[][2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, aliases[i][0]) == 0) return aliases[i][1];
    return name;
}

/* Whether name and element are both those of a hydrogen: old files have other text, such as "H", in the columns of the
 * element. */
static bool named_as_hydrogen(const qn_atom *atom)
{
    const char *letter = atom->name + strspn(atom->name, "0123456789");
    return qn_atom_is_hydrogen(atom) && (*letter == 'H' || *letter == 'D');
}

static void measure_sphere(const double (*heavy)[3], qn_partner_residue *residue)
{
    for (size_t i = 0; i < residue->heavy_count; i++)
        for (int axis = 0; axis < 3; axis++) residue->centre[axis] += heavy[i][axis] / (double)residue->heavy_count;
    for (size_t i = 0; i < residue->heavy_count; i++) {
        double dx = heavy[i][0] - residue->centre[0], dy = heavy[i][1] - residue->centre[1],
               dz = heavy[i][2] - residue->centre[2];
        residue->radius = fmax(residue->radius, sqrt(dx * dx + dy * dy + dz * dz));
    }
}

static void fill_residue(const qn_molecule *molecule, const qn_residue *source, qn_partner *partner,
                         qn_partner_residue *residue)
{
    residue->number = source->number;
    residue->insertion = source->insertion;
    strcpy(residue->name, translate(source->name, residue_aliases, sizeof residue_aliases / sizeof residue_aliases[0]));
    residue->first_heavy = partner->heavy_count;
    for (size_t i = 0; i < source->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[source->first_atom + i];
        if (named_as_hydrogen(atom)) continue;
        memcpy(partner->heavy[partner->heavy_count++], atom->position_angstrom, 3 * sizeof(double));
        int slot = qn_backbone_slot(residue->kind, atom->name);
        if (slot < 0 || residue->backbone_mask & 1u << slot) continue; /* the first of alternate locations */
        memcpy(residue->backbone[slot], atom->position_angstrom, 3 * sizeof(double));
        residue->backbone_mask |= 1u << slot;
        partner->backbone_count++;
    }
    residue->heavy_count = partner->heavy_count - residue->first_heavy;
    measure_sphere((const double(*)[3])(partner->heavy + residue->first_heavy), residue);
}

/* Whether two residues are not bonded: by the length of the peptide or phosphodiester bond (1.33 and 1.6 Å) if its
 * atoms are present, else by number. Numbers alone are wrong if the numbering follows another protein. */
static bool is_broken(const qn_partner_residue *before, const qn_partner_residue *after)
{
    bool amino = after->kind == QN_RESIDUE_AMINO_ACID;
    int from = amino ? QN_SLOT_C : QN_SLOT_O3, to = amino ? QN_SLOT_N : QN_SLOT_P;
    if (before->kind != after->kind) return true;
    if (!(before->backbone_mask >> from & 1) || !(after->backbone_mask >> to & 1))
        return after->number > before->number + 1;
    return !qn_backbone_bonded(before->backbone[from], after->backbone[to]);
}

static size_t find_chain(const qn_partner *partner, const char *name)
{
    for (size_t i = partner->chain_count; i-- > 0;) /* most residues belong to the last chain */
        if (strcmp(partner->chains[i].name, name) == 0) return i;
    return partner->chain_count;
}

/* First pass: find the chain of each residue, so that the second pass can place it in its chain's block.
 */
static qn_status survey(const qn_molecule *molecule, qn_partner *partner, const qn_residue_kind *kinds,
                        size_t *chain_of)
{
    size_t capacity = 0;
    for (size_t i = 0; i < molecule->residue_count; i++) {
        const qn_residue *source = &molecule->residues[i];
        if (kinds[i] == QN_RESIDUE_OTHER) continue;
        size_t chain = find_chain(partner, source->chain);
        if (chain == partner->chain_count) {
            QN_TRY(qn_grow((void **)&partner->chains, &capacity, chain + 1, sizeof *partner->chains));
            partner->chains[chain] = (qn_partner_chain){0};
            strcpy(partner->chains[chain].name, source->chain);
            partner->chain_count++;
        }
        chain_of[i] = chain;
        partner->chains[chain].count++;
        partner->residue_count++;
    }
    return QN_OK;
}

static qn_status place(const qn_molecule *molecule, qn_partner *partner, const qn_residue_kind *kinds,
                       const size_t *chain_of)
{
    QN_TRY(qn_allocate(partner->residue_count, sizeof *partner->residues, (void **)&partner->residues));
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *partner->heavy, (void **)&partner->heavy));
    size_t first = 0;
    for (size_t k = 0; k < partner->chain_count; k++) {
        partner->chains[k].first = first;
        first += partner->chains[k].count;
        partner->chains[k].count = 0;
    }
    for (size_t i = 0; i < molecule->residue_count; i++) {
        if (kinds[i] == QN_RESIDUE_OTHER) continue;
        qn_partner_chain *chain = &partner->chains[chain_of[i]];
        qn_partner_residue *residue = &partner->residues[chain->first + chain->count++];
        residue->kind = kinds[i];
        residue->chain = chain_of[i];
        fill_residue(molecule, &molecule->residues[i], partner, residue);
        residue->broken = chain->count > 1 && is_broken(residue - 1, residue);
    }
    return QN_OK;
}

qn_status qn_partner_build(const qn_molecule *molecule, qn_partner *partner)
{
    *partner = (qn_partner){0};
    void *kinds = NULL, *chain_of = NULL;
    qn_status status = qn_allocate(molecule->residue_count, sizeof(qn_residue_kind), &kinds);
    if (status == QN_OK) status = qn_allocate(molecule->residue_count, sizeof(size_t), &chain_of);
    if (status == QN_OK) qn_residue_kinds_find(molecule, kinds);
    if (status == QN_OK) status = survey(molecule, partner, kinds, chain_of);
    if (status == QN_OK) status = place(molecule, partner, kinds, chain_of);
    qn_release(&kinds);
    qn_release(&chain_of);
    return status;
}

void qn_partner_clear(qn_partner *partner)
{
    qn_release(&partner->residues);
    qn_release(&partner->chains);
    qn_release(&partner->heavy);
    *partner = (qn_partner){0};
}
