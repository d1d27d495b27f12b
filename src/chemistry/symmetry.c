/* Automorphisms by colour refinement and backtracking: atoms are mapped in an order in which each atom except the first
 * of a component has a neighbour that was mapped before. The neighbour's image leaves only a few candidates. */
#include "chemistry/symmetry.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Limit on atoms and neighbours visited in the whole search: some hundredths of a second. Molecules need
 * hundreds; graphs that the refinement cannot distinguish could take forever. */
enum { STEPS_MAX = 2000000 };

typedef struct heavy_graph {
    const qn_compound *compound;
    int count;     /* heavy atoms */
    int *atoms;    /* index in the compound */
    int *start;    /* count + 1 */
    int *adjacent; /* neighbours of atom i: adjacent[start[i]] … adjacent[start[i + 1] − 1] */
    uint64_t *colour;
    void *memory, *colours;
} heavy_graph;

static void graph_clear(heavy_graph *graph)
{
    qn_release(&graph->memory);
    qn_release(&graph->colours);
}

/* `heavy`: index among the heavy atoms of each atom of the compound, −1 for hydrogens. */
static void connect_heavy_atoms(heavy_graph *graph, const int *heavy)
{
    const qn_compound *compound = graph->compound;
    for (size_t i = 0; i < compound->bond_count; i++) {
        const int a = heavy[compound->bonds[i].first], b = heavy[compound->bonds[i].second];
        if (a < 0 || b < 0) continue;
        graph->start[a + 1]++;
        graph->start[b + 1]++;
    }
    for (int i = 0; i < graph->count; i++) graph->start[i + 1] += graph->start[i];
    for (size_t i = compound->bond_count; i-- > 0;) {
        const int a = heavy[compound->bonds[i].first], b = heavy[compound->bonds[i].second];
        if (a < 0 || b < 0) continue;
        graph->adjacent[graph->start[a]++] = b;
        graph->adjacent[graph->start[b]++] = a;
    }
    for (int i = graph->count; i > 0; i--) graph->start[i] = graph->start[i - 1];
    graph->start[0] = 0;
}

static qn_status graph_create(const qn_compound *compound, heavy_graph *graph)
{
    *graph = (heavy_graph){.compound = compound};
    const size_t atoms = compound->atom_count, bonds = compound->bond_count;
    QN_TRY(qn_allocate(3 * atoms + 2 * bonds + 1, sizeof(int), &graph->memory));
    const qn_status status = qn_allocate(2 * atoms + 1, sizeof(uint64_t), &graph->colours);
    if (status != QN_OK) {
        graph_clear(graph);
        return status;
    }
    int *heavy = graph->memory;
    graph->atoms = heavy + atoms;
    graph->start = graph->atoms + atoms;
    graph->adjacent = graph->start + atoms + 1;
    graph->colour = graph->colours;
    for (size_t i = 0; i < atoms; i++) {
        heavy[i] = qn_compound_atom_is_hydrogen(&compound->atoms[i]) ? -1 : graph->count;
        if (heavy[i] >= 0) graph->atoms[graph->count++] = (int)i;
    }
    connect_heavy_atoms(graph, heavy);
    return QN_OK;
}

/* The finaliser of SplitMix64: similar colours become dissimilar ones. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Number of different colours; `sorted` gets all colours in order. */
static int count_colours(const heavy_graph *graph, uint64_t *sorted)
{
    memcpy(sorted, graph->colour, (size_t)graph->count * sizeof *sorted);
    qsort(sorted, (size_t)graph->count, sizeof *sorted, by_value);
    int classes = graph->count > 0;
    for (int i = 1; i < graph->count; i++) classes += sorted[i] != sorted[i - 1];
    return classes;
}

/* The colour of an atom is made of its element and its surroundings, in growing circles, until no more atoms are
 * distinguished. Sums do not depend on the order of neighbours. */
static void refine_colours(heavy_graph *graph)
{
    uint64_t *scratch = graph->colour + graph->count;
    for (int i = 0; i < graph->count; i++) {
        const char *element = graph->compound->atoms[graph->atoms[i]].element;
        graph->colour[i] = 0;
        for (int k = 0; k < 4 && element[k]; k++) graph->colour[i] = mix(graph->colour[i] + (unsigned char)element[k]);
    }
    for (int classes = count_colours(graph, scratch), before = 0; classes > before;) {
        before = classes;
        for (int i = 0; i < graph->count; i++) {
            uint64_t sum = 0;
            for (int k = graph->start[i]; k < graph->start[i + 1]; k++) sum += mix(graph->colour[graph->adjacent[k]]);
            scratch[i] = mix(graph->colour[i] * 3 + mix(sum));
        }
        memcpy(graph->colour, scratch, (size_t)graph->count * sizeof *scratch);
        classes = count_colours(graph, scratch);
    }
}

typedef struct mapping_search {
    heavy_graph graph;
    int *order;  /* atoms in the order of mapping */
    int *anchor; /* a neighbour mapped before, −1 for the first of a component */
    int *image;  /* the image of an atom, −1: not mapped yet */
    int *next;   /* per place in the order: the candidate to try next */
    bool *used;
    int mapped;      /* atoms to map: the first of the graph */
    int first_image; /* images are this atom and later ones; 0: the graph is mapped onto itself */
    void *memory, *marks, *mappings;
    size_t capacity, count, most;
    long steps;
} mapping_search;

static void search_clear(mapping_search *search)
{
    graph_clear(&search->graph);
    qn_release(&search->memory);
    qn_release(&search->marks);
    qn_release(&search->mappings);
}

/* Count the atoms of each atom's colour. */
static void count_alike(const heavy_graph *graph, const uint64_t *sorted, int *alike)
{
    for (int i = 0; i < graph->count; i++) {
        int edges[2]; /* the first place not below the colour, and the first above it */
        for (int above = 0; above < 2; above++) {
            int low = 0;
            for (int high = graph->count; low < high;) {
                const int middle = low + (high - low) / 2;
                const bool before = above ? sorted[middle] <= graph->colour[i] : sorted[middle] < graph->colour[i];
                if (before)
                    low = middle + 1;
                else
                    high = middle;
            }
            edges[above] = low;
        }
        alike[i] = edges[1] - edges[0];
    }
}

/* The free atom with the rarest colour among the first `count`, which leaves the fewest ways to begin. −1: all atoms
 * are mapped. */
static int best_root(const int *alike, const bool *taken, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!taken[i] && (best < 0 || alike[i] < alike[best])) best = i;
    return best;
}

static void order_atoms(mapping_search *search)
{
    const heavy_graph *graph = &search->graph;
    uint64_t *sorted = graph->colour + graph->count;
    int *alike = search->next; /* not in use yet */
    bool *taken = search->used;
    int placed = 0;
    (void)count_colours(graph, sorted);
    count_alike(graph, sorted, alike);
    for (int root; placed < search->mapped && (root = best_root(alike, taken, search->mapped)) >= 0;) {
        search->anchor[placed] = -1;
        search->order[placed] = root;
        taken[root] = true;
        for (int reader = placed++; reader < placed; reader++) {
            const int atom = search->order[reader];
            for (int k = graph->start[atom]; k < graph->start[atom + 1]; k++) {
                const int neighbour = graph->adjacent[k];
                if (taken[neighbour]) continue;
                taken[neighbour] = true;
                search->anchor[placed] = atom;
                search->order[placed++] = neighbour;
            }
        }
    }
    memset(taken, 0, (size_t)graph->count * sizeof *taken);
}

static bool are_adjacent(mapping_search *search, int a, int b)
{
    const heavy_graph *graph = &search->graph;
    for (int k = graph->start[a]; k < graph->start[a + 1]; k++, search->steps++)
        if (graph->adjacent[k] == b) return true;
    return false;
}

/* Whether an atom can be mapped to a candidate that is a possible image: the number of neighbours is equal, and the
 * images of its mapped neighbours are neighbours of the candidate. Both graphs have equally many edges in the end, so
 * every edge is mapped. */
static bool fits(mapping_search *search, int atom, int candidate)
{
    const heavy_graph *graph = &search->graph;
    const qn_compound_atom *atoms = graph->compound->atoms;
    search->steps++;
    if (candidate < search->first_image) return false;
    if (search->used[candidate] || graph->colour[atom] != graph->colour[candidate]) return false;
    if (graph->start[atom + 1] - graph->start[atom] != graph->start[candidate + 1] - graph->start[candidate])
        return false;
    if (strcmp(atoms[graph->atoms[atom]].element, atoms[graph->atoms[candidate]].element) != 0) return false;
    for (int k = graph->start[atom]; k < graph->start[atom + 1]; k++) {
        const int image = search->image[graph->adjacent[k]];
        if (image >= 0 && !are_adjacent(search, candidate, image)) return false;
    }
    return true;
}

/* The next candidate for the atom at `depth` of the order, −1: none is left. The atom itself comes first, so that the
 * first mapping found is the identity. */
static int next_candidate(mapping_search *search, int depth)
{
    const heavy_graph *graph = &search->graph;
    const int atom = search->order[depth], anchor = search->anchor[depth];
    const int from = anchor < 0 ? 0 : graph->start[search->image[anchor]];
    const int count = anchor < 0 ? graph->count : graph->start[search->image[anchor] + 1] - from;
    if (search->next[depth] == 0) {
        search->next[depth] = 1;
        if (fits(search, atom, atom)) return atom;
    }
    while (search->next[depth] <= count && search->steps < STEPS_MAX) {
        const int place = search->next[depth]++ - 1;
        const int candidate = anchor < 0 ? place : graph->adjacent[from + place];
        if (candidate != atom && fits(search, atom, candidate)) return candidate;
    }
    return -1;
}

static qn_status keep_mapping(mapping_search *search)
{
    const size_t size = (size_t)search->mapped;
    QN_TRY(qn_grow(&search->mappings, &search->capacity, (search->count + 1) * size, sizeof(int)));
    memcpy((int *)search->mappings + search->count * size, search->image, size * sizeof(int));
    search->count++;
    return QN_OK;
}

/* Depth first, without recursion, because a chain of thousands of atoms would exhaust the stack. */
static qn_status find_mappings(mapping_search *search, bool *complete)
{
    const int count = search->mapped;
    int depth = 0;
    search->next[0] = 0;
    while (depth >= 0) {
        const int atom = search->order[depth];
        if (search->image[atom] >= 0) search->used[search->image[atom]] = false;
        search->image[atom] = -1;
        const int candidate = next_candidate(search, depth);
        if (candidate < 0) {
            depth--;
            continue;
        }
        search->image[atom] = candidate;
        search->used[candidate] = true;
        if (depth + 1 < count) {
            search->next[++depth] = 0;
        } else if (search->count == search->most) {
            *complete = false;
            return QN_OK;
        } else {
            QN_TRY(keep_mapping(search));
        }
    }
    *complete = search->steps < STEPS_MAX;
    return QN_OK;
}

static qn_status search_run(mapping_search *search, bool *complete)
{
    const size_t count = (size_t)search->graph.count;
    QN_TRY(qn_allocate(4 * count, sizeof(int), &search->memory));
    QN_TRY(qn_allocate(count, sizeof(bool), &search->marks));
    search->order = search->memory;
    search->anchor = search->order + count;
    search->image = search->anchor + count;
    search->next = search->image + count;
    search->used = search->marks;
    for (size_t i = 0; i < count; i++) search->image[i] = -1;
    refine_colours(&search->graph);
    order_atoms(search);
    return find_mappings(search, complete);
}

static qn_status hand_over(mapping_search *search, qn_symmetry *symmetry)
{
    const size_t count = (size_t)search->graph.count;
    void *atoms;
    QN_TRY(qn_allocate(count, sizeof(int), &atoms));
    if (count > 0) memcpy(atoms, search->graph.atoms, count * sizeof(int));
    *symmetry = (qn_symmetry){search->count, count, atoms, search->mappings};
    search->mappings = NULL;
    return QN_OK;
}

qn_status qn_symmetry_find(const qn_compound *compound, size_t most, qn_symmetry *symmetry, bool *complete)
{
    *symmetry = (qn_symmetry){0};
    mapping_search search = {.most = most > 0 ? most : 1};
    bool all = true;
    QN_TRY(graph_create(compound, &search.graph));
    qn_status status = QN_OK;
    search.mapped = search.graph.count;
    if (search.graph.count > 0)
        status = search_run(&search, &all);
    else
        search.count = 1; /* the empty set has one mapping */
    if (status == QN_OK) status = hand_over(&search, symmetry);
    search_clear(&search);
    if (status == QN_OK && complete) *complete = all;
    return status;
}

/* Both molecules as one compound, so that colours can be compared: first the atoms of `from`. */
static qn_status join(const qn_compound *from, const qn_compound *to, qn_compound **both)
{
    const size_t atoms = from->atom_count + to->atom_count, bonds = from->bond_count + to->bond_count;
    QN_TRY(qn_compound_create("", atoms, bonds, 0, both));
    qn_compound *joined = *both;
    memcpy(joined->atoms, from->atoms, from->atom_count * sizeof *from->atoms);
    memcpy(joined->atoms + from->atom_count, to->atoms, to->atom_count * sizeof *to->atoms);
    for (size_t i = 0; i < bonds; i++) {
        const bool first = i < from->bond_count;
        const int shift = first ? 0 : (int)from->atom_count;
        joined->bonds[i] = first ? from->bonds[i] : to->bonds[i - from->bond_count];
        joined->bonds[i].first += shift;
        joined->bonds[i].second += shift;
    }
    return QN_OK;
}

static int count_heavy(const qn_compound *compound)
{
    int count = 0;
    for (size_t i = 0; i < compound->atom_count; i++) count += !qn_compound_atom_is_hydrogen(&compound->atoms[i]);
    return count;
}

static qn_status match_joined(const qn_compound *both, int heavy, int *mapping, bool *found)
{
    mapping_search search = {.most = 1, .mapped = heavy, .first_image = heavy};
    bool complete;
    QN_TRY(graph_create(both, &search.graph));
    const bool bonds = search.graph.start[heavy] * 2 == search.graph.start[search.graph.count];
    const qn_status status = heavy > 0 && bonds ? search_run(&search, &complete) : QN_OK;
    *found = status == QN_OK && bonds && (heavy == 0 || search.count > 0);
    for (int i = 0; i < heavy && *found; i++) mapping[i] = ((const int *)search.mappings)[i] - heavy;
    search_clear(&search);
    return status;
}

qn_status qn_symmetry_match(const qn_compound *from, const qn_compound *to, int *mapping, bool *found)
{
    qn_compound *both = NULL;
    *found = false;
    if (count_heavy(from) != count_heavy(to)) return QN_OK;
    qn_status status = join(from, to, &both);
    if (status == QN_OK) status = match_joined(both, count_heavy(from), mapping, found);
    qn_compound_destroy(&both);
    return status;
}

void qn_symmetry_clear(qn_symmetry *symmetry)
{
    qn_release(&symmetry->atoms);
    qn_release(&symmetry->mappings);
    *symmetry = (qn_symmetry){0};
}

double qn_symmetry_rmsd_angstrom(const qn_symmetry *symmetry, const double *a, const double *b)
{
    const size_t count = symmetry->atom_count;
    double best = INFINITY;
    if (count == 0) return 0;
    for (size_t m = 0; m < symmetry->count; m++) {
        const int *mapping = symmetry->mappings + m * count;
        double sum = 0;
        for (size_t i = 0; i < count && sum < best; i++) {
            const double *x = a + 3 * (size_t)symmetry->atoms[i], *y = b + 3 * (size_t)symmetry->atoms[mapping[i]];
            for (int axis = 0; axis < 3; axis++) sum += (x[axis] - y[axis]) * (x[axis] - y[axis]);
        }
        if (sum < best) best = sum;
    }
    return sqrt(best / (double)count);
}
