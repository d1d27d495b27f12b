#include "dock/known/confidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/structure/local_quality.h"
#include "model/atom.h"

enum { SHOWN_MAX = 40 }; /* characters of the user's text in a message */

/* Atoms of a residue have the same pLDDT; files round it to two digits. */
#define SAME 0.011

static qn_status parse_limit(const char *text, const char **partner, double *limit)
{
    char *end;
    const char *colon = strchr(text, ':'), *number = colon ? colon + 1 : text;
    *partner = !colon                               ? ""
               : strncmp(text, "receptor:", 9) == 0 ? "receptor"
               : strncmp(text, "ligand:", 7) == 0   ? "ligand"
                                                    : NULL;
    *limit = strtod(number, &end);
    if (!*partner || end == number || *end || number[strspn(number, "0123456789.")] || !(*limit > 0 && *limit <= 100))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the pLDDT \"%.*s\" is no limit; expected a number above 0 and up to 100, such as 50, or "
                       "receptor:50 or ligand:50 for one partner",
                       SHOWN_MAX, text);
    return QN_OK;
}

/* Find the limit of a partner; *limit is 0 if there is none. */
static qn_status find_limit(const char *const *limits, size_t count, const char *role, double *limit)
{
    double general = 0, own = 0;
    for (size_t i = 0; i < count; i++) {
        const char *partner;
        double value;
        QN_TRY(parse_limit(limits[i], &partner, &value));
        double *to = *partner == '\0' ? &general : strcmp(partner, role) == 0 ? &own : NULL;
        if (to && *to > 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "the pLDDT \"%.*s\" is a second limit; expected one for a partner",
                           SHOWN_MAX, limits[i]);
        if (to) *to = value;
    }
    *limit = own > 0 ? own : general;
    return QN_OK;
}

/* The pLDDT of a residue: the B-factor of its heavy atoms; −1: it has none, or it is no part of the chain. */
static qn_status read_residue(const qn_molecule *molecule, const qn_residue *residue, double *plddt)
{
    double least = INFINITY, most = -INFINITY;
    *plddt = -1;
    if (residue->hetero) return QN_OK;
    for (size_t i = 0; i < residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[residue->first_atom + i];
        if (qn_atom_is_hydrogen(atom)) continue;
        least = fmin(least, (double)atom->b_factor_angstrom2);
        most = fmax(most, (double)atom->b_factor_angstrom2);
    }
    if (least > most) return QN_OK;
    if (least < 0 || most > 100)
        return QN_FAIL(QN_BAD_FORMAT, "residue %d of chain %s has the B-factor %g; expected a pLDDT from 0 to 100",
                       residue->number, residue->chain, least < 0 ? least : most);
    if (most - least > SAME)
        return QN_FAIL(QN_BAD_FORMAT,
                       "residue %d of chain %s has B-factors from %g to %g; expected the same pLDDT for all its atoms",
                       residue->number, residue->chain, least, most);
    *plddt = least;
    return QN_OK;
}

/* Take the pLDDT of all residues from B-factors, unless they were found elsewhere. −1: a residue has none. */
static qn_status complete(bool found, const qn_molecule *molecule, double *plddt)
{
    for (size_t r = 0; r < molecule->residue_count; r++) {
        if (!found) QN_TRY(read_residue(molecule, &molecule->residues[r], &plddt[r]));
        if (plddt[r] > 100)
            return QN_FAIL(QN_BAD_FORMAT, "residue %d of chain %s has the pLDDT %g; expected one from 0 to 100",
                           molecule->residues[r].number, molecule->residues[r].chain, plddt[r]);
    }
    return QN_OK;
}

static void mask_residue(size_t residue, qn_dock_partner *partner)
{
    for (size_t i = 0; i < partner->site_count; i++) {
        qn_dock_site *site = &partner->sites[i];
        if (site->residue != residue) continue;
        site->heavy = false;
        site->charge_e = 0;
        site->type = -1;
    }
}

/* Check the values before any residue is masked, and count those below the limit. */
static qn_status check(const double *plddt, size_t count, double limit, size_t *below)
{
    double least = INFINITY, most = -INFINITY;
    *below = 0;
    for (size_t r = 0; r < count; r++) {
        if (plddt[r] < 0) continue;
        least = fmin(least, plddt[r]);
        most = fmax(most, plddt[r]);
        *below += plddt[r] < limit;
    }
    if (!(most > 1) || most - least <= SAME)
        return QN_FAIL(QN_BAD_FORMAT,
                       "the B-factors are from %g to %g; expected the pLDDT of a predicted structure, from 0 to 100",
                       least > most ? 0 : least, least > most ? 0 : most);
    if (most < limit)
        return QN_FAIL(QN_BAD_FORMAT, "the highest pLDDT is %g, below the limit of %g; expected a lower limit", most,
                       limit);
    return QN_OK;
}

static qn_status mask(const char *path, const char *role, double limit, double *plddt, qn_dock_partner *partner)
{
    const qn_molecule *molecule = partner->molecule;
    const size_t count = molecule->residue_count;
    size_t below;
    bool found = false;
    if (path) QN_TRY(qn_local_quality_read(path, "plddt", molecule, plddt, &found));
    qn_status status = complete(found, molecule, plddt);
    if (status == QN_OK) status = check(plddt, count, limit, &below);
    if (status != QN_OK) return qn_error_add_context(status, "%s", path ? path : molecule->name);
    for (size_t r = 0; r < count; r++)
        if (plddt[r] >= 0 && plddt[r] < limit) mask_residue(r, partner);
    qn_log(QN_LOG_NOTE, "%s: %zu %s of %zu with a pLDDT below %g %s masked", role, below,
           qn_plural(below, "residue", "residues"), count, limit, qn_plural(below, "is", "are"));
    return QN_OK;
}

qn_status qn_dock_confidence_mask(const char *const *limits, size_t count, const char *role, const char *path,
                                  qn_dock_partner *partner)
{
    double limit = 0;
    void *plddt;
    QN_TRY(find_limit(limits, count, role, &limit));
    if (limit == 0) return QN_OK;
    QN_TRY(qn_allocate(partner->molecule->residue_count, sizeof(double), &plddt));
    const qn_status status = mask(path, role, limit, plddt, partner);
    qn_release(&plddt);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "%s", role);
}
