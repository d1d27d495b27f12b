#include "chemistry/residue_geometry.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bond_orders.h"
#include "chemistry/bonds.h"
#include "model/atom.h"
#include "model/neighbour_grid.h"

/* Atoms of two residues nearer than this (Å) are bound; a disulfide has 2.05. */
static const double BOND_REACH_ANGSTROM = 2.1;

/* A residue of a group that needs types, and one that is bound to it, or the residue itself. */
typedef struct residue_link {
    size_t group, with;
} residue_link;

typedef struct group_search {
    const qn_molecule *molecule;
    qn_sybyl_type *types;
    bool *needed;   /* per residue: has atoms without a type */
    size_t *leader; /* per residue: the first residue of those bound to each other */
    residue_link *links;
    size_t link_count, link_capacity;
    size_t residue; /* the residue whose neighbours are being visited */
    qn_status status;
    size_t *atoms; /* of the current group */
    size_t *seen;  /* per residue: the latest group, from 1, that it was added to */
} group_search;

/* Hydrogens and metals bind no residues here. */
static bool is_binding(const qn_atom *atom)
{
    return !qn_atom_is_hydrogen(atom) && !qn_element_is_metal(atom->element);
}

static size_t leader_of(group_search *s, size_t residue)
{
    while (s->leader[residue] != residue) residue = s->leader[residue] = s->leader[s->leader[residue]];
    return residue;
}

static void visit(size_t index, void *user)
{
    group_search *s = user;
    const qn_atom *atom = &s->molecule->atoms[index];
    size_t other = (size_t)atom->residue;
    if (other == s->residue || s->status != QN_OK || !is_binding(atom)) return;
    if (s->needed[other]) {
        size_t a = leader_of(s, other), b = leader_of(s, s->residue);
        s->leader[a > b ? a : b] = a > b ? b : a;
        return;
    }
    if (s->link_count > 0 && s->links[s->link_count - 1].group == s->residue &&
        s->links[s->link_count - 1].with == other)
        return;
    void *links = s->links;
    s->status = qn_grow(&links, &s->link_capacity, s->link_count + 1, sizeof *s->links);
    s->links = links;
    if (s->status == QN_OK) s->links[s->link_count++] = (residue_link){s->residue, other};
}

static qn_status find_links(group_search *s)
{
    const qn_molecule *molecule = s->molecule;
    double *points = NULL;
    qn_neighbour_grid *grid = NULL;
    QN_TRY(qn_allocate(3 * molecule->atom_count, sizeof *points, (void **)&points));
    for (size_t i = 0; i < molecule->atom_count; i++)
        memcpy(points + 3 * i, molecule->atoms[i].position_angstrom, 3 * sizeof *points);
    qn_status status = qn_neighbour_grid_create(points, molecule->atom_count, BOND_REACH_ANGSTROM, &grid);
    s->status = QN_OK;
    for (size_t i = 0; status == QN_OK && s->status == QN_OK && i < molecule->atom_count; i++) {
        s->residue = (size_t)molecule->atoms[i].residue;
        if (s->types[i] == QN_SYBYL_TYPES) qn_neighbour_grid_each(grid, points + 3 * i, visit, s);
    }
    qn_neighbour_grid_destroy(&grid);
    qn_release(&points);
    return status == QN_OK ? s->status : status;
}

static size_t add_atoms(group_search *s, size_t residue, size_t mark, size_t count)
{
    const qn_residue *data = &s->molecule->residues[residue];
    if (s->seen[residue] == mark) return count;
    s->seen[residue] = mark;
    for (size_t i = data->first_atom; i < data->first_atom + data->atom_count; i++) s->atoms[count++] = i;
    return count;
}

/* Find the types of the atoms in s->atoms. A group whose chemistry is impossible gets no types. */
static qn_status type_group(group_search *s, size_t count)
{
    qn_compound *compound = NULL;
    qn_sybyl_type *found = NULL;
    qn_status status = qn_bonds_from_molecule(s->molecule, s->atoms, count, &compound);
    if (status == QN_OK) status = qn_bonds_find_orders(compound);
    if (status == QN_OK) status = qn_allocate(count, sizeof *found, (void **)&found);
    if (status == QN_OK) status = qn_sybyl_find_types(compound, found);
    for (size_t i = 0; i < count; i++) {
        qn_sybyl_type *type = &s->types[s->atoms[i]];
        if (*type == QN_SYBYL_TYPES) *type = status == QN_OK ? found[i] : QN_SYBYL_ANY;
    }
    qn_release(&found);
    qn_compound_destroy(&compound);
    return status == QN_OUT_OF_MEMORY ? status : QN_OK;
}

static int compare_links(const void *a, const void *b)
{
    const residue_link *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return x->with < y->with ? -1 : x->with > y->with;
}

/* Enter residues that need types as links to themselves, so that one sorted list holds all members of each group. */
static qn_status type_groups(group_search *s)
{
    const qn_molecule *molecule = s->molecule;
    size_t links = s->link_count;
    for (size_t r = 0; r < molecule->residue_count; r++) links += s->needed[r];
    void *grown = s->links;
    qn_status status = qn_grow(&grown, &s->link_capacity, links, sizeof *s->links);
    s->links = grown;
    QN_TRY(status);
    for (size_t i = 0; i < s->link_count; i++) s->links[i].group = leader_of(s, s->links[i].group);
    for (size_t r = 0; r < molecule->residue_count; r++)
        if (s->needed[r]) s->links[s->link_count++] = (residue_link){leader_of(s, r), r};
    if (links > 0) qsort(s->links, links, sizeof *s->links, compare_links);
    for (size_t i = 0, count = 0; i < links; i++) {
        count = add_atoms(s, s->links[i].with, s->links[i].group + 1, count);
        if (i + 1 < links && s->links[i + 1].group == s->links[i].group) continue;
        QN_TRY(type_group(s, count));
        count = 0;
    }
    return QN_OK;
}

qn_status qn_residue_types_from_geometry(const qn_molecule *molecule, qn_sybyl_type *types)
{
    group_search s = {.molecule = molecule, .types = types};
    size_t residues = molecule->residue_count, wanted = 0;
    for (size_t i = 0; i < molecule->atom_count; i++) wanted += types[i] == QN_SYBYL_TYPES;
    if (wanted == 0) return QN_OK;
    qn_status status = qn_allocate(residues, sizeof(bool), (void **)&s.needed);
    if (status == QN_OK) status = qn_allocate(residues, sizeof(size_t), (void **)&s.leader);
    if (status == QN_OK) status = qn_allocate(residues, sizeof(size_t), (void **)&s.seen);
    if (status == QN_OK) status = qn_allocate(molecule->atom_count, sizeof(size_t), (void **)&s.atoms);
    if (status == QN_OK) {
        for (size_t r = 0; r < residues; r++) s.leader[r] = r;
        for (size_t i = 0; i < molecule->atom_count; i++)
            if (types[i] == QN_SYBYL_TYPES) s.needed[molecule->atoms[i].residue] = true;
        status = find_links(&s);
    }
    if (status == QN_OK) status = type_groups(&s);
    qn_release(&s.needed);
    qn_release(&s.leader);
    qn_release(&s.seen);
    qn_release(&s.atoms);
    qn_release(&s.links);
    return status;
}
