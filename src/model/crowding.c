#include "model/crowding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/atom.h"
#include "model/neighbour_grid.h"

/* The shortest bonds between heavy atoms are about 1.1 Å long. */
static const double near_angstrom = 0.7;

/* In a structure each atom has itself within this distance. In a heap all atoms may be neighbours of all, so the count
 * of pairs ends here. */
static size_t most_pairs(size_t count)
{
    return 100 * (count + 100);
}

typedef struct crowd {
    const double *positions;
    size_t at;               /* the atom whose neighbours are looked for */
    size_t pairs;            /* of neighbours, including each atom with itself */
    size_t nearest;          /* to `at` */
    double nearest_angstrom; /* its distance */
    size_t crowded;          /* atoms with a neighbour */
    size_t first, second;    /* the closest pair */
    double least_angstrom;   /* its distance */
} crowd;

static void look(size_t index, void *user)
{
    crowd *c = user;
    const double *a = c->positions + 3 * c->at, *b = c->positions + 3 * index;
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], distance = sqrt(x * x + y * y + z * z);
    c->pairs++;
    if (index == c->at) return;
    /* the grid names points in no order, so equal distances go to the lower index */
    if (distance > c->nearest_angstrom || (distance == c->nearest_angstrom && index > c->nearest)) return;
    c->nearest = index;
    c->nearest_angstrom = distance;
}

static qn_status find_crowd(size_t count, crowd *c)
{
    qn_neighbour_grid *grid;
    c->least_angstrom = INFINITY;
    QN_TRY(qn_neighbour_grid_create(c->positions, count, near_angstrom, &grid));
    for (c->at = 0; c->at < count && c->pairs <= most_pairs(count); c->at++) {
        c->nearest_angstrom = INFINITY;
        qn_neighbour_grid_each(grid, c->positions + 3 * c->at, look, c);
        if (!isfinite(c->nearest_angstrom)) continue;
        c->crowded++;
        if (c->nearest_angstrom >= c->least_angstrom) continue;
        c->first = c->at;
        c->second = c->nearest;
        c->least_angstrom = c->nearest_angstrom;
    }
    qn_neighbour_grid_destroy(&grid);
    return QN_OK;
}

qn_status qn_crowding_check(const double *positions, size_t count, const char *name, qn_crowding_describe *describe,
                            const void *user)
{
    char first[48], second[48];
    crowd c = {.positions = positions};
    if (count == 0) return QN_OK;
    QN_TRY(find_crowd(count, &c));
    if (c.crowded == 0) return QN_OK;
    describe(c.first, first, sizeof first, user);
    describe(c.second, second, sizeof second, user);
    if (c.crowded > count / 10 || c.pairs > most_pairs(count))
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: over a tenth of its %zu heavy atoms are less than %g Å from another one, such as %s and %s, "
            "%.3f Å apart; expected each atom once, in one place",
            name, count, near_angstrom, first, second, c.least_angstrom);
    qn_log(QN_LOG_WARNING,
           "%s: %zu heavy atoms are less than %g Å from another one, such as %s and %s, %.3f Å apart; all of them are "
           "scored",
           name, c.crowded, near_angstrom, first, second, c.least_angstrom);
    return QN_OK;
}

/* ---- molecules ---- */

/* The heavy atoms of a molecule. */
typedef struct heavy_atoms {
    const qn_molecule *molecule;
    size_t *indices;
    double *positions;
    size_t count;
} heavy_atoms;

static void describe_atom(const qn_molecule *molecule, const qn_atom *atom, char *text, size_t size)
{
    const qn_residue *residue = &molecule->residues[atom->residue];
    const char insertion[2] = {residue->insertion, '\0'};
    snprintf(text, size, "%s of %s%s%s %d%s", atom->name, residue->name, residue->chain[0] ? " " : "", residue->chain,
             residue->number, insertion);
}

static void describe_heavy(size_t index, char *text, size_t size, const void *user)
{
    const heavy_atoms *heavy = user;
    describe_atom(heavy->molecule, &heavy->molecule->atoms[heavy->indices[index]], text, size);
}

static qn_status list_heavy(heavy_atoms *heavy)
{
    const qn_molecule *molecule = heavy->molecule;
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *heavy->indices, (void **)&heavy->indices));
    QN_TRY(qn_allocate(3 * molecule->atom_count, sizeof *heavy->positions, (void **)&heavy->positions));
    for (size_t i = 0; i < molecule->atom_count; i++) {
        if (qn_atom_is_hydrogen(&molecule->atoms[i])) continue;
        memcpy(heavy->positions + 3 * heavy->count, molecule->atoms[i].position_angstrom, 3 * sizeof(double));
        heavy->indices[heavy->count++] = i;
    }
    return QN_OK;
}

/* Files are read with one location of each atom, so this concerns molecules in memory. */
static qn_status refuse_alternates(const qn_molecule *molecule, const char *name)
{
    char text[48];
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        const qn_atom *atoms = molecule->atoms + residue->first_atom;
        for (size_t i = 0; i < residue->atom_count; i++)
            for (size_t j = i + 1; j < residue->atom_count && atoms[i].alternate; j++) {
                if (!atoms[j].alternate || strcmp(atoms[i].name, atoms[j].name) != 0) continue;
                describe_atom(molecule, &atoms[i], text, sizeof text);
                return QN_FAIL(QN_BAD_FORMAT,
                               "%s: %s has the alternate locations %c and %c; expected one location of each atom", name,
                               text, atoms[i].alternate, atoms[j].alternate);
            }
    }
    return QN_OK;
}

static void warn_of_c_alpha(const heavy_atoms *heavy, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < heavy->count; i++) count += qn_atom_is_c_alpha(&heavy->molecule->atoms[heavy->indices[i]]);
    if (count < 2 || count < heavy->count) return;
    qn_log(QN_LOG_WARNING, "%s: has Cα atoms only; scores are made for all heavy atoms, so the energies mean little",
           name);
}

qn_status qn_molecule_check_crowding(const qn_molecule *molecule, const char *name)
{
    heavy_atoms heavy = {.molecule = molecule};
    QN_TRY(refuse_alternates(molecule, name));
    qn_status status = list_heavy(&heavy);
    if (status == QN_OK) status = qn_crowding_check(heavy.positions, heavy.count, name, describe_heavy, &heavy);
    if (status == QN_OK) warn_of_c_alpha(&heavy, name);
    qn_release(&heavy.indices);
    qn_release(&heavy.positions);
    return status;
}
