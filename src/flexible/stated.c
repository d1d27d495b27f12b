#include "flexible/stated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/compound_stream.h"
#include "model/atom.h"
#include "model/neighbour_grid.h"
#include "score/ligand_types.h"
#include "score/surroundings.h"
#include "score/vina.h"
#include "score/vina_rows.h"

static const double most_reach_angstrom = 3.2; /* more than the longest bond of two non-metals, I-I */

typedef struct bond_search {
    qn_compound *compound;
    size_t atom, capacity;
    void *bonds; /* grows */
    size_t count;
    qn_status status;
} bond_search;

/* Whether the tree lets two atoms be bound. */
static bool tree_allows(const qn_compound_tree *tree, int a, int b)
{
    if (tree->piece_count == 0 || tree->piece[a] == tree->piece[b]) return true;
    for (size_t i = 0; i + 1 < tree->piece_count; i++) {
        const qn_compound_branch *branch = &tree->branches[i];
        if ((branch->first == a && branch->second == b) || (branch->first == b && branch->second == a)) return true;
    }
    return false;
}

static void visit(size_t index, void *user)
{
    bond_search *search = user;
    const qn_compound *compound = search->compound;
    if (index <= search->atom || search->status != QN_OK) return;
    const double first = qn_covalent_radius_angstrom(compound->atoms[search->atom].element);
    const double second = qn_covalent_radius_angstrom(compound->atoms[index].element);
    const double *a = compound->positions_angstrom + 3 * search->atom, *b = compound->positions_angstrom + 3 * index;
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    if (first == 0 || second == 0 || sqrt(x * x + y * y + z * z) >= QN_BOND_ALLOWANCE * (first + second)) return;
    if (!tree_allows(&compound->tree, (int)search->atom, (int)index)) return;
    search->status = qn_grow(&search->bonds, &search->capacity, search->count + 1, sizeof(qn_compound_bond));
    if (search->status == QN_OK)
        ((qn_compound_bond *)search->bonds)[search->count++] =
            (qn_compound_bond){(int)search->atom, (int)index, QN_BOND_UNKNOWN};
}

qn_status qn_flexible_stated_bonds(qn_compound *compound)
{
    bond_search search = {.compound = compound};
    qn_neighbour_grid *grid = NULL;
    QN_TRY(qn_neighbour_grid_create(compound->positions_angstrom, compound->atom_count, most_reach_angstrom, &grid));
    for (; search.atom < compound->atom_count && search.status == QN_OK; search.atom++)
        qn_neighbour_grid_each(grid, compound->positions_angstrom + 3 * search.atom, visit, &search);
    qn_neighbour_grid_destroy(&grid);
    if (search.status != QN_OK) {
        qn_release(&search.bonds);
        return search.status;
    }
    qn_release(&compound->bonds);
    compound->bonds = search.bonds;
    compound->bond_count = search.count;
    return QN_OK;
}

/* Mark an atom and all that bonds join to it; `queue` has room for all. */
static void mark_joined(const qn_compound_neighbours *near, int atom, bool *joined, int *queue)
{
    int count = 1;
    joined[atom] = true;
    queue[0] = atom;
    for (int read = 0; read < count; read++)
        for (size_t k = near->start[queue[read]]; k < near->start[queue[read] + 1]; k++) {
            const int next = near->neighbour[k];
            if (joined[next]) continue;
            joined[next] = true;
            queue[count++] = next;
        }
}

/* The two atoms of a branch are bound whatever their distance. */
static void join_branches(const qn_compound *compound, const qn_compound_neighbours *near, bool *joined, int *queue)
{
    const qn_compound_tree *tree = &compound->tree;
    for (bool more = true; more;) {
        more = false;
        for (size_t b = 0; b + 1 < tree->piece_count; b++) {
            const int ends[2] = {tree->branches[b].first, tree->branches[b].second};
            if (joined[ends[0]] == joined[ends[1]]) continue;
            mark_joined(near, joined[ends[0]] ? ends[1] : ends[0], joined, queue);
            more = true;
        }
    }
}

static qn_status check_joined(const qn_compound *compound, const qn_compound_neighbours *near, bool *joined, int *queue)
{
    size_t first = 0;
    while (first < compound->atom_count && qn_covalent_radius_angstrom(compound->atoms[first].element) == 0) first++;
    if (first == compound->atom_count) return QN_OK;
    mark_joined(near, (int)first, joined, queue);
    join_branches(compound, near, joined, queue);
    for (size_t i = 0; i < compound->atom_count; i++)
        if (!joined[i] && qn_covalent_radius_angstrom(compound->atoms[i].element) > 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: no bonds join atom %zu to atom %zu; expected one molecule",
                           compound->name, i + 1, first + 1);
    return QN_OK;
}

qn_status qn_flexible_stated_check_whole(const qn_compound *compound)
{
    qn_compound_neighbours near = {0};
    bool *joined = NULL;
    int *queue = NULL;
    qn_status status = qn_compound_find_neighbours(compound, &near);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *joined, (void **)&joined);
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *queue, (void **)&queue);
    if (status == QN_OK) status = check_joined(compound, &near, joined, queue);
    qn_compound_neighbours_clear(&near);
    qn_release(&joined);
    qn_release(&queue);
    return status;
}

/* An atom's surroundings, as its neighbours determine them. */
static qn_surroundings surroundings_of(const qn_compound *compound, const qn_compound_neighbours *near, size_t atom)
{
    qn_surroundings around = {0};
    for (size_t k = near->start[atom]; k < near->start[atom + 1]; k++) {
        const qn_compound_atom *other = &compound->atoms[near->neighbour[k]];
        if (qn_compound_atom_is_hydrogen(other)) {
            around.hydrogen |= strcmp(other->type, "HD") == 0 || strcmp(other->type, "HS") == 0;
        } else {
            around.heavy++;
            around.hetero |= strcmp(other->element, "C") != 0;
        }
    }
    return around;
}

static int row_of(const qn_compound_atom *atom, const qn_surroundings *around)
{
    const bool accepts = atom->type[1] == 'A' || atom->type[1] == 'S'; /* NA, NS, OA, OS */
    if (strcmp(atom->element, "N") == 0)
        return accepts ? (around->hydrogen ? N_DA : N_A) : (around->hydrogen ? N_D : N_P);
    if (strcmp(atom->element, "O") == 0)
        return accepts ? (around->hydrogen ? O_DA : O_A) : (around->hydrogen ? O_D : O_P);
    return qn_vina_type_of(atom->element, QN_SYBYL_ANY, around);
}

static qn_status find_types(const qn_compound *compound, const qn_compound_neighbours *near, int *types)
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        const qn_surroundings around = surroundings_of(compound, near, i);
        if (atom->type[0] == '\0')
            return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu (%s) states no type of AutoDock; expected a PDBQT",
                           compound->name, i + 1, atom->element);
        types[i] = row_of(atom, &around);
        if (types[i] < -1)
            return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu (%s) is of an element that Vina's score has no type for",
                           compound->name, i + 1, atom->element);
    }
    return QN_OK;
}

qn_status qn_flexible_stated_types(const qn_compound *compound, int *types)
{
    qn_compound_neighbours near;
    QN_TRY(qn_compound_find_neighbours(compound, &near));
    qn_status status = find_types(compound, &near, types);
    qn_compound_neighbours_clear(&near);
    return status;
}

static size_t heavy_neighbours(const qn_compound *compound, const qn_compound_neighbours *near, int atom)
{
    size_t count = 0;
    for (size_t k = near->start[atom]; k < near->start[atom + 1]; k++)
        count += !qn_compound_atom_is_hydrogen(&compound->atoms[near->neighbour[k]]);
    return count;
}

qn_status qn_flexible_stated_torsions(const qn_compound *compound, double *count)
{
    const qn_compound_tree *tree = &compound->tree;
    qn_compound_neighbours near;
    QN_TRY(qn_compound_find_neighbours(compound, &near));
    *count = 0;
    for (size_t i = 0; i + 1 < tree->piece_count; i++) {
        const int ends[2] = {tree->branches[i].first, tree->branches[i].second};
        for (int side = 0; side < 2; side++)
            if (!qn_compound_atom_is_hydrogen(&compound->atoms[ends[side]]) &&
                !qn_compound_atom_is_hydrogen(&compound->atoms[ends[!side]]) &&
                heavy_neighbours(compound, &near, ends[!side]) > 1)
                *count += 0.5;
    }
    qn_compound_neighbours_clear(&near);
    return QN_OK;
}

static qn_status fill_receptor(const char *path, qn_compound *compound, int *types, qn_score_receptor *receptor)
{
    const size_t most = compound->atom_count;
    QN_TRY(qn_flexible_stated_bonds(compound));
    QN_TRY(qn_error_add_context(qn_flexible_stated_types(compound, types), "%s", path));
    QN_TRY(qn_allocate(3 * most, sizeof(double), (void **)&receptor->positions_angstrom));
    QN_TRY(qn_allocate(most, sizeof *receptor->types, (void **)&receptor->types));
    for (size_t i = 0; i < most; i++) {
        if (types[i] < 0) continue;
        memcpy(receptor->positions_angstrom + 3 * receptor->atom_count, compound->positions_angstrom + 3 * i,
               3 * sizeof(double));
        receptor->types[receptor->atom_count++] = types[i];
    }
    receptor->hash = qn_ligand_hash(receptor->types, receptor->atom_count * sizeof *receptor->types,
                                    receptor->positions_angstrom, 3 * receptor->atom_count * sizeof(double));
    return receptor->atom_count ? QN_OK : QN_FAIL(QN_BAD_FORMAT, "%s: no heavy atoms; expected a receptor", path);
}

qn_status qn_flexible_stated_receptor(const char *path, qn_score_receptor *receptor)
{
    qn_compound **compounds = NULL;
    size_t count = 0;
    int *types = NULL;
    *receptor = (qn_score_receptor){.score = {.kind = QN_SCORE_VINA}};
    qn_status status = qn_compound_read_file(path, &compounds, &count);
    if (status == QN_BAD_FORMAT)
        status = qn_error_add_context(status, "types stated by the file are read from a PDBQT of the receptor");
    QN_TRY(status);
    status = count == 1 ? qn_allocate(compounds[0]->atom_count, sizeof *types, (void **)&types)
                        : QN_FAIL(QN_BAD_FORMAT, "%s: %zu molecules; expected the receptor as one", path, count);
    if (status == QN_OK) status = fill_receptor(path, compounds[0], types, receptor);
    qn_release(&types);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    if (status != QN_OK) qn_score_receptor_clear(receptor);
    return status;
}

/* The readers of molecules and compounds keep the order of the file. */
static qn_status match_residues(const char *path, qn_score_receptor *receptor)
{
    const qn_molecule *molecule = receptor->molecule;
    size_t next = 0;
    QN_TRY(qn_allocate(receptor->atom_count, sizeof *receptor->residues, (void **)&receptor->residues));
    for (size_t i = 0; i < molecule->atom_count && next < receptor->atom_count; i++)
        if (!qn_atom_is_hydrogen(&molecule->atoms[i]) &&
            memcmp(molecule->atoms[i].position_angstrom, receptor->positions_angstrom + 3 * next, 3 * sizeof(double)) ==
                0)
            receptor->residues[next++] = molecule->atoms[i].residue;
    return next == receptor->atom_count
               ? QN_OK
               : QN_FAIL(QN_BAD_FORMAT, "%s: heavy atom %zu belongs to no residue; expected one", path, next + 1);
}

/* Take the atoms of the file that the molecule has, too. */
static qn_status list_atoms(const qn_compound *compound, const qn_molecule *molecule, qn_autodock_atoms *atoms)
{
    size_t next = 0;
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *atoms->items, (void **)&atoms->items));
    for (size_t i = 0; i < compound->atom_count && next < molecule->atom_count; i++) {
        const qn_compound_atom *from = &compound->atoms[i];
        const double *at = compound->positions_angstrom + 3 * i;
        if (memcmp(molecule->atoms[next].position_angstrom, at, 3 * sizeof *at) != 0) continue;
        qn_autodock_atom *to = &atoms->items[atoms->count++];
        to->residue = (size_t)molecule->atoms[next++].residue;
        to->charge_e = (double)from->partial_charge_e;
        memcpy(to->position_angstrom, at, sizeof to->position_angstrom);
        memcpy(to->name, from->name, sizeof to->name);
        snprintf(to->type, sizeof to->type, "%s", from->type);
    }
    return QN_OK;
}

qn_status qn_flexible_stated_residues(const char *path, qn_score_receptor *receptor, qn_autodock_atoms *atoms)
{
    const qn_molecule_options options = {.size = sizeof options, .keep_alternates = true};
    qn_compound **compounds = NULL;
    size_t count = 0;
    *atoms = (qn_autodock_atoms){0};
    QN_TRY(qn_molecule_read(NULL, path, &options, &receptor->molecule));
    QN_TRY(match_residues(path, receptor));
    QN_TRY(qn_compound_read_file(path, &compounds, &count));
    const qn_status status = count ? list_atoms(compounds[0], receptor->molecule, atoms) : QN_OK;
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    return status;
}
