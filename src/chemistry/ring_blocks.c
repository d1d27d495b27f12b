/* Biconnected components by depth-first search (Hopcroft and Tarjan 1973), without recursion: chains are long. */
#include "chemistry/ring_blocks.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct block_walk {
    int *depth, *low; /* depth 0: not visited */
    size_t *next;     /* the next of an atom's neighbours to visit */
    int *path;        /* atoms from the start to the current one */
    int *entry;       /* the bond by which each atom of the path was entered */
    int *stack;       /* bonds not yet in a block */
    int *seen;        /* per atom: the latest atom that had it as a neighbour, to detect duplicates */
    size_t path_count, stack_count;
} block_walk;

static qn_status check_simple(const qn_compound *compound, const qn_compound_neighbours *neighbours, int *seen)
{
    for (size_t i = 0; i < compound->atom_count; i++) seen[i] = -1;
    for (size_t i = 0; i < compound->atom_count; i++)
        for (size_t k = neighbours->start[i]; k < neighbours->start[i + 1]; k++) {
            int other = neighbours->neighbour[k];
            if ((size_t)other == i)
                return QN_FAIL(QN_BAD_FORMAT, "%s: bond %d joins atom %zu to itself", compound->name,
                               neighbours->bond[k] + 1, i + 1);
            if (seen[other] == (int)i)
                return QN_FAIL(QN_BAD_FORMAT, "%s: bond %d joins atoms %zu and %d, which another bond joins too",
                               compound->name, neighbours->bond[k] + 1, i + 1, other + 1);
            seen[other] = (int)i;
        }
    return QN_OK;
}

/* Return from `atom` to the atom before it: the bonds stacked since `atom` was entered are a block if none of them
 * reaches farther back. */
static qn_status leave_atom(block_walk *walk, int atom, qn_ring_block_function function, void *user)
{
    int entry = walk->entry[walk->path_count];
    int before = walk->path[walk->path_count - 1];
    if (walk->low[atom] < walk->low[before]) walk->low[before] = walk->low[atom];
    if (walk->low[atom] < walk->depth[before]) return QN_OK;
    size_t end = walk->stack_count;
    while (walk->stack[--walk->stack_count] != entry) {
    }
    size_t count = end - walk->stack_count;
    return count > 1 ? function(walk->stack + walk->stack_count, count, user) : QN_OK;
}

static qn_status walk_from(const qn_compound_neighbours *neighbours, int start, block_walk *walk,
                           qn_ring_block_function function, void *user)
{
    walk->path_count = 1;
    walk->path[0] = start;
    walk->entry[0] = -1;
    walk->depth[start] = walk->low[start] = 1;
    while (walk->path_count > 0) {
        int atom = walk->path[walk->path_count - 1];
        if (walk->next[atom] == neighbours->start[atom + 1]) {
            walk->path_count--;
            if (walk->path_count > 0) QN_TRY(leave_atom(walk, atom, function, user));
            continue;
        }
        size_t k = walk->next[atom]++;
        int other = neighbours->neighbour[k], bond = neighbours->bond[k];
        if (walk->depth[other] == 0) {
            walk->stack[walk->stack_count++] = bond;
            walk->depth[other] = walk->low[other] = (int)walk->path_count + 1;
            walk->entry[walk->path_count] = bond;
            walk->path[walk->path_count++] = other;
        } else if (bond != walk->entry[walk->path_count - 1] && walk->depth[other] < walk->depth[atom]) {
            walk->stack[walk->stack_count++] = bond;
            if (walk->depth[other] < walk->low[atom]) walk->low[atom] = walk->depth[other];
        }
    }
    return QN_OK;
}

static qn_status allocate_walk(const qn_compound *compound, block_walk *walk)
{
    size_t atoms = compound->atom_count;
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&walk->depth));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&walk->low));
    QN_TRY(qn_allocate(atoms, sizeof(size_t), (void **)&walk->next));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&walk->path));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&walk->entry));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&walk->seen));
    return qn_allocate(compound->bond_count, sizeof(int), (void **)&walk->stack);
}

qn_status qn_ring_blocks_each(const qn_compound *compound, const qn_compound_neighbours *neighbours,
                              qn_ring_block_function function, void *user)
{
    block_walk walk = {0};
    qn_status status = allocate_walk(compound, &walk);
    if (status == QN_OK) status = check_simple(compound, neighbours, walk.seen);
    for (size_t i = 0; status == QN_OK && i < compound->atom_count; i++) walk.next[i] = neighbours->start[i];
    for (size_t i = 0; status == QN_OK && i < compound->atom_count; i++)
        if (walk.depth[i] == 0) status = walk_from(neighbours, (int)i, &walk, function, user);
    int **arrays[] = {&walk.depth, &walk.low, &walk.path, &walk.entry, &walk.seen, &walk.stack};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) qn_release(arrays[i]);
    qn_release(&walk.next);
    return status;
}
