#include "dock/known/antibody_chains.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/residue_selection.h"
#include "score/antibody.h"

enum { SHOWN_MAX = 40 }; /* characters of the user's text in a message */

qn_status qn_dock_regions_find(const qn_molecule *molecule, qn_dock_regions *regions)
{
    qn_antibody_domain *domains;
    void *marks;
    *regions = (qn_dock_regions){0};
    QN_TRY(qn_allocate(molecule->residue_count, sizeof(bool), &marks));
    const qn_status status = qn_antibody_find_cdrs(molecule, marks, &domains, &regions->domain_count);
    qn_release(&domains);
    if (status == QN_OK && regions->domain_count) {
        regions->residues = marks;
        return QN_OK;
    }
    qn_release(&marks);
    return status;
}

/* Marks of residues: the named chain's, and those of its regions. */
typedef struct chain_marks {
    bool *of[2], *cdr;
} chain_marks;

static qn_status allocate(const qn_molecule *const molecules[2], chain_marks *marks)
{
    void *memory;
    const size_t counts[2] = {molecules[0]->residue_count, molecules[1]->residue_count};
    QN_TRY(qn_allocate(2 * (counts[0] + counts[1]), sizeof(bool), &memory));
    marks->of[0] = memory;
    marks->of[1] = marks->of[0] + counts[0];
    marks->cdr = marks->of[1] + counts[1]; /* of either molecule */
    return QN_OK;
}

/* Align one chain, such as "receptor:H", and add its regions. */
static qn_status align_chain(const char *chain, const qn_molecule *const molecules[2], qn_dock_regions regions[2])
{
    chain_marks marks;
    qn_antibody_domain *domains = NULL;
    size_t count = 0;
    QN_TRY(allocate(molecules, &marks));
    qn_status status = qn_residue_selection_mark(chain, molecules[0], molecules[1], marks.of[0], marks.of[1]);
    const int side = status == QN_OK && !memchr(marks.of[0], true, molecules[0]->residue_count);
    const qn_molecule *molecule = molecules[side];
    if (status == QN_OK) status = qn_antibody_align_cdrs(molecule, marks.of[side], marks.cdr, &domains, &count);
    if (status == QN_OK && count == 0)
        status = QN_FAIL(
            QN_INVALID_ARGUMENT,
            "no variable domain of an antibody can be aligned with the chain \"%s\"; expected a chain with one", chain);
    if (status == QN_OK && !regions[side].residues) {
        void *memory;
        status = qn_allocate(molecule->residue_count, sizeof(bool), &memory);
        regions[side].residues = memory;
    }
    for (size_t r = 0; status == QN_OK && r < molecule->residue_count; r++) regions[side].residues[r] |= marks.cdr[r];
    regions[side].domain_count += count;
    qn_release(&domains);
    qn_release(&marks.of[0]);
    return status;
}

/* Align the chains of a text such as "receptor:H,L". */
static qn_status align_text(const char *text, const qn_molecule *const molecules[2], qn_dock_regions regions[2])
{
    const char *names = strchr(text, ':');
    char chain[64];
    if (!names || strchr(names + 1, ':'))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the antibody \"%.*s\" is no list of chains; expected such as receptor:H,L",
                       SHOWN_MAX, text);
    const int partner = (int)(names - text) + 1;
    for (const char *name = names + 1;; name++) {
        const int length = (int)strcspn(name, ",");
        if (partner + length >= (int)sizeof chain)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "the antibody \"%.*s\" has too long a name; expected such as receptor:H,L", SHOWN_MAX, text);
        snprintf(chain, sizeof chain, "%.*s%.*s", partner, text, length, name);
        QN_TRY(align_chain(chain, molecules, regions));
        name += length;
        if (!*name) return QN_OK;
    }
}

qn_status qn_dock_regions_align(const char *const *texts, size_t count, const qn_molecule *receptor,
                                const qn_molecule *ligand, qn_dock_regions regions[2])
{
    const qn_molecule *molecules[2] = {receptor, ligand};
    qn_status status = QN_OK;
    regions[0] = regions[1] = (qn_dock_regions){0};
    for (size_t i = 0; i < count && status == QN_OK; i++) status = align_text(texts[i], molecules, regions);
    for (int side = 0; side < 2 && status != QN_OK; side++) {
        qn_release(&regions[side].residues);
        regions[side].domain_count = 0;
    }
    return status;
}
