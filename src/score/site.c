#include "score/site.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/compound/compound_stream.h"
#include "model/atom.h"

/* ---- reading ---- */

typedef struct site_atoms {
    double *positions;
    size_t count, capacity;
} site_atoms;

static qn_status make_room(site_atoms *site, size_t more)
{
    return qn_grow((void **)&site->positions, &site->capacity, site->count + more, 3 * sizeof(double));
}

static void add_atom(site_atoms *site, const double position[3])
{
    memcpy(site->positions + 3 * site->count++, position, 3 * sizeof *position);
}

static qn_status add_compound(const char *path, const qn_compound *compound, site_atoms *site)
{
    if (compound->conformer_count == 0 || compound->flat)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the ligand in the site has no positions in three dimensions", path);
    QN_TRY(make_room(site, compound->atom_count));
    for (size_t i = 0; i < compound->atom_count; i++)
        if (!qn_compound_atom_is_hydrogen(&compound->atoms[i]))
            add_atom(site, qn_compound_positions(compound, 0) + 3 * i);
    return QN_OK;
}

/* Read the atoms of a PDB or mmCIF file. If it has hetero residues, as a whole complex does, read only those. */
static qn_status read_structure(const char *path, site_atoms *site)
{
    qn_molecule *molecule;
    bool hetero = false;
    QN_TRY(qn_molecule_read(
        NULL, path,
        &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true, .drop_hydrogens = true},
        &molecule));
    for (size_t r = 0; r < molecule->residue_count; r++) hetero |= molecule->residues[r].hetero;
    qn_status status = make_room(site, molecule->atom_count);
    for (size_t i = 0; status == QN_OK && i < molecule->atom_count; i++)
        if (molecule->residues[molecule->atoms[i].residue].hetero == hetero)
            add_atom(site, molecule->atoms[i].position_angstrom);
    qn_molecule_destroy(&molecule);
    return status;
}

static qn_status read_site(const char *path, const void *content, size_t size, site_atoms *site)
{
    qn_compound **compounds = NULL;
    qn_error_trail trail;
    size_t count = 0;
    qn_status status = content ? qn_compound_read_memory(path, content, size, &compounds, &count)
                               : qn_compound_read_file(path, &compounds, &count);
    if (!content && (status == QN_BAD_FORMAT ||
                     status == QN_NOT_FOUND)) { /* not a format of small molecules, or a path with chains */
        qn_error_save(status, &trail);
        if (read_structure(path, site) == QN_OK) return QN_OK;
        return qn_error_restore(&trail);
    }
    for (size_t i = 0; i < count && status == QN_OK; i++) status = add_compound(path, compounds[i], site);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    return status;
}

qn_status qn_site_read(const char *path, const void *content, size_t size, double **positions, size_t *count)
{
    site_atoms site = {0};
    qn_status status = read_site(path, content, size, &site);
    if (status == QN_OK && site.count == 0)
        status = QN_FAIL(QN_BAD_FORMAT, "%s: no heavy atoms; expected some to lay the box around", path);
    if (status != QN_OK) qn_release(&site.positions);
    *positions = site.positions;
    *count = site.count;
    return status;
}

/* ---- emptying ---- */

bool qn_site_is_near(const double place[3], const double *positions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (place[d] - positions[3 * i + (size_t)d]) * (place[d] - positions[3 * i + (size_t)d]);
        if (square < 1) return true;
    }
    return false;
}

static bool is_the_ligand(const qn_molecule *receptor, const qn_residue *residue, const double *positions, size_t count)
{
    size_t heavy = 0, near = 0;
    if (!residue->hetero) return false;
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
        if (qn_atom_is_hydrogen(&receptor->atoms[i])) continue;
        heavy++;
        near += qn_site_is_near(receptor->atoms[i].position_angstrom, positions, count);
    }
    return near > 0 && 2 * near >= heavy;
}

static qn_status copy_residue(const qn_molecule *receptor, const qn_residue *residue, qn_molecule *copy)
{
    QN_TRY(qn_molecule_append_residue(copy, residue));
    for (size_t i = 0; i < residue->atom_count; i++)
        QN_TRY(qn_molecule_append_atom(copy, &receptor->atoms[residue->first_atom + i]));
    return QN_OK;
}

qn_status qn_site_empty(const qn_molecule *receptor, const double *positions, size_t count, qn_molecule **emptied)
{
    const char *name = receptor->name ? receptor->name : "receptor";
    qn_molecule *copy;
    size_t removed = 0;
    *emptied = NULL;
    QN_TRY(qn_molecule_create(name, &copy));
    qn_status status = QN_OK;
    for (size_t r = 0; r < receptor->residue_count && status == QN_OK; r++) {
        const qn_residue *residue = &receptor->residues[r];
        if (!is_the_ligand(receptor, residue, positions, count)) {
            status = copy_residue(receptor, residue, copy);
            continue;
        }
        removed++;
        qn_log(QN_LOG_NOTE, "receptor: %s %s %d lies where the site's ligand is and is left out", residue->name,
               residue->chain, residue->number);
    }
    if (status == QN_OK && copy->atom_count == 0)
        status = QN_FAIL(QN_BAD_FORMAT, "%s: nothing but the site's ligand; expected a receptor", name);
    if (status == QN_OK && removed > 0)
        *emptied = copy;
    else
        qn_molecule_destroy(&copy);
    return status;
}
