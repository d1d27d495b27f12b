/* Cycles that can be in a minimum basis are those of Vismara's families (P. Vismara 1997, "Union of all the minimum
 * cycle bases of a graph", Electronic J. Combin. 4, R9): for every atom r, two shortest paths from r
 * of equal length that pass only through atoms before r and share only r, joined by a bond (odd) or by a further atom
 * (even). In ascending length, those that are independent over GF(2) form the basis. Each 2-connected
 * block of bonds is searched separately, so that chains and separate ring systems cost nothing. */
#include "chemistry/ring_search.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/ring_blocks.h"

/* Steps (a bond visited, or eight words of a row) for one compound: about a second. */
static const uint64_t STEP_LIMIT = 200000000;
/* Words of all rows of one block: 128 MiB. */
static const size_t ROW_WORD_LIMIT = (size_t)1 << 24;
/* Families of one block: 80 MiB. */
static const size_t FAMILY_LIMIT = (size_t)1 << 22;

/* A block with its atoms renumbered: those with two bonds come first. The last atom of a ring is one of these only if
 * the block is a single cycle, so they need not be tried as `r`. */
typedef struct block_graph {
    int atom_count, bond_count, lone_count; /* lone: atoms with two bonds */
    int *atom;                              /* in the compound */
    int *start, *neighbour, *bond;          /* `bond` as numbered in the block */
    int *bond_in_compound;
} block_graph;

typedef struct cycle_family {
    int length, root, first, second, apex; /* apex −1: odd */
} cycle_family;

typedef struct search_state {
    const qn_compound *compound;
    qn_rings *rings;
    size_t ring_capacity;
    block_graph graph;
    int *local;                              /* per atom of the compound: its number in the block */
    int *distance, *parent, *branch, *queue; /* per atom of the block, for the current root */
    bool *reachable;                         /* by a shortest path through atoms before the root */
    cycle_family *families;
    size_t family_count, family_capacity;
    uint64_t *rows, *row;
    int *row_of_bond;
    size_t words;
    int *path;
    uint64_t steps;
} search_state;

static void release_block(search_state *state)
{
    block_graph *graph = &state->graph;
    int **arrays[] = {&graph->atom,     &graph->start,  &graph->neighbour, &graph->bond,  &graph->bond_in_compound,
                      &state->distance, &state->parent, &state->branch,    &state->queue, &state->row_of_bond,
                      &state->path};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) qn_release(arrays[i]);
    qn_release(&state->reachable);
    qn_release(&state->rows);
    qn_release(&state->row);
    state->family_count = 0;
}

static qn_status refuse(const search_state *state)
{
    return QN_FAIL(QN_UNSUPPORTED, "%s: a system of %d fused rings is too large to find its smallest rings",
                   state->compound->name, state->graph.bond_count - state->graph.atom_count + 1);
}

static qn_status spend(search_state *state, uint64_t steps)
{
    state->steps += steps;
    return state->steps > STEP_LIMIT ? refuse(state) : QN_OK;
}

/* Number the block's atoms, those with two bonds first. state->local is −1 everywhere before the call; degrees are
 * counted in it. */
static qn_status number_atoms(search_state *state, const int *bonds, size_t count)
{
    block_graph *graph = &state->graph;
    const qn_compound_bond *all = state->compound->bonds;
    int *local = state->local;
    QN_TRY(qn_allocate(count + 1, sizeof(int), (void **)&graph->atom));
    graph->bond_count = (int)count;
    graph->atom_count = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        int atom = i % 2 ? all[bonds[i / 2]].second : all[bonds[i / 2]].first;
        if (local[atom] < 0) {
            graph->atom[graph->atom_count++] = atom;
            local[atom] = 0;
        }
        local[atom]++;
    }
    graph->lone_count = 0;
    for (int i = 0; i < graph->atom_count; i++)
        if (local[graph->atom[i]] == 2) {
            int atom = graph->atom[i];
            graph->atom[i] = graph->atom[graph->lone_count];
            graph->atom[graph->lone_count++] = atom;
        }
    for (int i = 0; i < graph->atom_count; i++) local[graph->atom[i]] = i;
    return QN_OK;
}

static qn_status make_graph(search_state *state, const int *bonds, size_t count)
{
    block_graph *graph = &state->graph;
    const qn_compound_bond *all = state->compound->bonds;
    QN_TRY(number_atoms(state, bonds, count));
    QN_TRY(qn_allocate((size_t)graph->atom_count + 2, sizeof(int), (void **)&graph->start));
    QN_TRY(qn_allocate(2 * count, sizeof(int), (void **)&graph->neighbour));
    QN_TRY(qn_allocate(2 * count, sizeof(int), (void **)&graph->bond));
    QN_TRY(qn_allocate(count, sizeof(int), (void **)&graph->bond_in_compound));
    /* start[i + 2] counts; after summing and filling, starts lie one place lower */
    for (size_t i = 0; i < count; i++) {
        graph->bond_in_compound[i] = bonds[i];
        graph->start[state->local[all[bonds[i]].first] + 2]++;
        graph->start[state->local[all[bonds[i]].second] + 2]++;
    }
    for (int i = 2; i <= graph->atom_count + 1; i++) graph->start[i] += graph->start[i - 1];
    for (size_t i = 0; i < count; i++) {
        int a = state->local[all[bonds[i]].first], b = state->local[all[bonds[i]].second];
        int place_a = graph->start[a + 1]++, place_b = graph->start[b + 1]++;
        graph->neighbour[place_a] = b, graph->bond[place_a] = (int)i;
        graph->neighbour[place_b] = a, graph->bond[place_b] = (int)i;
    }
    for (int i = 0; i < graph->atom_count; i++) state->local[graph->atom[i]] = -1;
    return QN_OK;
}

static int bond_between(const block_graph *graph, int a, int b)
{
    for (int k = graph->start[a]; k < graph->start[a + 1]; k++)
        if (graph->neighbour[k] == b) return graph->bond[k];
    return -1;
}

/* Append the ring of these atoms of the block to the result. */
static qn_status add_ring(search_state *state, const int *atoms, int size)
{
    const block_graph *graph = &state->graph;
    qn_rings *rings = state->rings;
    QN_TRY(qn_grow((void **)&rings->rings, &state->ring_capacity, rings->count + 1, sizeof(qn_ring)));
    qn_ring *ring = &rings->rings[rings->count];
    *ring = (qn_ring){.size = size};
    QN_TRY(qn_allocate((size_t)size, sizeof(int), (void **)&ring->atoms));
    rings->count++; /* from here on released with the others */
    QN_TRY(qn_allocate((size_t)size, sizeof(int), (void **)&ring->bonds));
    for (int i = 0; i < size; i++) {
        ring->atoms[i] = graph->atom[atoms[i]];
        ring->bonds[i] = graph->bond_in_compound[bond_between(graph, atoms[i], atoms[(i + 1) % size])];
    }
    return QN_OK;
}

static qn_status lone_cycle(search_state *state)
{
    const block_graph *graph = &state->graph;
    int previous = -1, atom = 0;
    for (int i = 0; i < graph->atom_count; i++) {
        state->path[i] = atom;
        int k = graph->start[atom];
        int next = graph->neighbour[k] == previous ? graph->neighbour[k + 1] : graph->neighbour[k];
        previous = atom;
        atom = next;
    }
    return add_ring(state, state->path, graph->atom_count);
}

/* Shortest paths from `root` to all atoms of the block. */
static qn_status walk_from(search_state *state, int root)
{
    const block_graph *graph = &state->graph;
    QN_TRY(spend(state, 2 * (uint64_t)graph->bond_count));
    for (int i = 0; i < graph->atom_count; i++) {
        state->distance[i] = -1;
        state->reachable[i] = false;
    }
    int head = 0, tail = 0;
    state->queue[tail++] = root;
    state->distance[root] = 0;
    state->reachable[root] = true;
    while (head < tail) {
        int atom = state->queue[head++];
        for (int k = graph->start[atom]; k < graph->start[atom + 1]; k++) {
            int next = graph->neighbour[k];
            if (state->distance[next] < 0) {
                state->distance[next] = state->distance[atom] + 1;
                state->queue[tail++] = next;
            }
            bool onward = state->distance[next] == state->distance[atom] + 1;
            if (onward && !state->reachable[next] && state->reachable[atom] && next < root) {
                state->reachable[next] = true;
                state->parent[next] = atom;
                state->branch[next] = atom == root ? next : state->branch[atom];
            }
        }
    }
    return QN_OK;
}

static qn_status add_family(search_state *state, cycle_family family)
{
    if (state->family_count == FAMILY_LIMIT) return refuse(state);
    QN_TRY(spend(state, 4));
    QN_TRY(qn_grow((void **)&state->families, &state->family_capacity, state->family_count + 1, sizeof family));
    state->families[state->family_count++] = family;
    return QN_OK;
}

/* Find families whose farthest atom (even) or bond (odd) from `root` is at `far`. */
static qn_status families_at(search_state *state, int root, int far)
{
    const block_graph *graph = &state->graph;
    for (int k = graph->start[far]; k < graph->start[far + 1]; k++) {
        int a = graph->neighbour[k];
        if (!state->reachable[a] || a == root) continue;
        bool same = state->distance[a] == state->distance[far];
        if (same && a < far && state->branch[a] != state->branch[far])
            QN_TRY(add_family(state, (cycle_family){2 * state->distance[far] + 1, root, far, a, -1}));
        if (state->distance[a] + 1 != state->distance[far]) continue;
        QN_TRY(spend(state, (uint64_t)(graph->start[far + 1] - k)));
        for (int l = k + 1; l < graph->start[far + 1]; l++) {
            int b = graph->neighbour[l];
            if (state->reachable[b] && b != root && state->distance[b] == state->distance[a] &&
                state->branch[a] != state->branch[b])
                QN_TRY(add_family(state, (cycle_family){2 * state->distance[far], root, a, b, far}));
        }
    }
    return QN_OK;
}

static int compare_families(const void *a, const void *b)
{
    const int *x = (const int *)a, *y = (const int *)b;
    for (int i = 0; i < 5; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Write the atoms of the family's ring, in order, into state->path. */
static void trace_ring(search_state *state, const cycle_family *family)
{
    int place = state->distance[family->first];
    for (int atom = family->first; atom != family->root; atom = state->parent[atom]) state->path[place--] = atom;
    state->path[0] = family->root;
    place = state->distance[family->first] + 1;
    if (family->apex >= 0) state->path[place++] = family->apex;
    for (int atom = family->second; atom != family->root; atom = state->parent[atom]) state->path[place++] = atom;
}

/* Reduce the ring in state->path by the rings taken so far; *fresh: it is independent and becomes a row. */
static qn_status reduce_ring(search_state *state, int size, int taken, bool *fresh)
{
    const block_graph *graph = &state->graph;
    uint64_t *row = state->row;
    memset(row, 0, state->words * sizeof *row);
    for (int i = 0; i < size; i++) {
        int bond = bond_between(graph, state->path[i], state->path[(i + 1) % size]);
        row[bond / 64] |= (uint64_t)1 << (bond % 64);
    }
    QN_TRY(spend(state, state->words / 8 + (uint64_t)size));
    *fresh = false;
    for (size_t word = 0; word < state->words; word++)
        while (row[word]) {
            int bond = (int)(word * 64) + __builtin_ctzll(row[word]);
            if (state->row_of_bond[bond] < 0) {
                state->row_of_bond[bond] = taken;
                memcpy(state->rows + (size_t)taken * state->words, row, state->words * sizeof *row);
                *fresh = true;
                return QN_OK;
            }
            const uint64_t *other = state->rows + (size_t)state->row_of_bond[bond] * state->words;
            for (size_t i = word; i < state->words; i++) row[i] ^= other[i];
            QN_TRY(spend(state, 1 + (state->words - word) / 8));
        }
    return QN_OK;
}

static qn_status allocate_for_block(search_state *state, size_t ring_count)
{
    const block_graph *graph = &state->graph;
    size_t atoms = (size_t)graph->atom_count;
    state->words = ((size_t)graph->bond_count + 63) / 64;
    QN_TRY(qn_allocate(atoms + 1, sizeof(int), (void **)&state->path));
    if (ring_count == 1) return QN_OK;
    if (ring_count > ROW_WORD_LIMIT / state->words) QN_TRY(spend(state, STEP_LIMIT + 1));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&state->distance));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&state->parent));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&state->branch));
    QN_TRY(qn_allocate(atoms, sizeof(int), (void **)&state->queue));
    QN_TRY(qn_allocate(atoms, sizeof(bool), (void **)&state->reachable));
    QN_TRY(qn_allocate(ring_count * state->words, sizeof(uint64_t), (void **)&state->rows));
    QN_TRY(qn_allocate(state->words, sizeof(uint64_t), (void **)&state->row));
    QN_TRY(qn_allocate((size_t)graph->bond_count, sizeof(int), (void **)&state->row_of_bond));
    for (int i = 0; i < graph->bond_count; i++) state->row_of_bond[i] = -1;
    return QN_OK;
}

static qn_status find_in_block(const int *bonds, size_t count, void *user)
{
    search_state *state = user;
    const block_graph *graph = &state->graph;
    release_block(state);
    QN_TRY(make_graph(state, bonds, count));
    int ring_count = graph->bond_count - graph->atom_count + 1;
    QN_TRY(allocate_for_block(state, (size_t)ring_count));
    if (ring_count == 1) return lone_cycle(state);
    for (int root = graph->lone_count; root < graph->atom_count; root++) {
        QN_TRY(walk_from(state, root));
        for (int far = 0; far < root; far++)
            if (state->reachable[far]) QN_TRY(families_at(state, root, far));
    }
    qsort(state->families, state->family_count, sizeof *state->families, compare_families);
    int taken = 0, root = -1;
    for (size_t i = 0; i < state->family_count && taken < ring_count; i++) {
        const cycle_family *family = &state->families[i];
        if (family->root != root) QN_TRY(walk_from(state, family->root));
        root = family->root;
        trace_ring(state, family);
        bool fresh;
        QN_TRY(reduce_ring(state, family->length, taken, &fresh));
        if (!fresh) continue;
        QN_TRY(add_ring(state, state->path, family->length));
        taken++;
    }
    return QN_OK;
}

qn_status qn_ring_search(const qn_compound *compound, const qn_compound_neighbours *neighbours, qn_rings *rings)
{
    search_state state = {.compound = compound, .rings = rings};
    qn_status status = qn_allocate(compound->atom_count, sizeof(int), (void **)&state.local);
    for (size_t i = 0; status == QN_OK && i < compound->atom_count; i++) state.local[i] = -1;
    if (status == QN_OK) status = qn_ring_blocks_each(compound, neighbours, find_in_block, &state);
    release_block(&state);
    qn_release(&state.families);
    qn_release(&state.local);
    return status;
}
