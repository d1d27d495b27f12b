/* Edmonds' blossom algorithm (J. Edmonds 1965, "Paths, trees, and flowers") in the variant that stores bases of
 * blossoms. It starts from a greedy matching. A search may also end at a matched vertex with a weaker wish at even
 * distance, which then loses its partner. */
#include "chemistry/matching.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

static const uint64_t STEP_LIMIT = 100000000;

typedef struct matcher {
    const qn_matching_wish *wishes;
    const qn_matching_edge *edges;
    int *partner_edge;
    size_t *start;
    int *incident;    /* edges of each vertex */
    int *parent_edge; /* the edge by which an odd vertex was reached; −1: none */
    int *base;        /* of the blossom that holds a vertex */
    bool *even, *in_blossom, *touched_flag;
    int *touched, *queue;
    int *mark, stamp; /* to find the common ancestor */
    size_t touched_count, queue_count;
    uint64_t steps;
} matcher;

static int other_end(const matcher *m, int edge, int vertex)
{
    return m->edges[edge].first == vertex ? m->edges[edge].second : m->edges[edge].first;
}

static int partner(const matcher *m, int vertex)
{
    return m->partner_edge[vertex] < 0 ? -1 : other_end(m, m->partner_edge[vertex], vertex);
}

static void touch(matcher *m, int vertex)
{
    if (m->touched_flag[vertex]) return;
    m->touched_flag[vertex] = true;
    m->touched[m->touched_count++] = vertex;
}

static void enqueue(matcher *m, int vertex)
{
    touch(m, vertex);
    if (m->even[vertex]) return;
    m->even[vertex] = true;
    m->queue[m->queue_count++] = vertex;
}

static void forget_search(matcher *m)
{
    for (size_t i = 0; i < m->touched_count; i++) {
        int vertex = m->touched[i];
        m->parent_edge[vertex] = -1;
        m->base[vertex] = vertex;
        m->even[vertex] = m->touched_flag[vertex] = false;
    }
    m->touched_count = m->queue_count = 0;
}

static int common_base(matcher *m, int a, int b)
{
    m->stamp++;
    for (int vertex = a;;) {
        vertex = m->base[vertex];
        m->mark[vertex] = m->stamp;
        int odd = partner(m, vertex);
        if (odd < 0 || m->parent_edge[odd] < 0) break; /* the root */
        vertex = other_end(m, m->parent_edge[odd], odd);
    }
    for (int vertex = b;;) {
        vertex = m->base[vertex];
        if (m->mark[vertex] == m->stamp) return vertex;
        int odd = partner(m, vertex);
        vertex = other_end(m, m->parent_edge[odd], odd);
    }
}

static void mark_side(matcher *m, int vertex, int base, int edge)
{
    while (m->base[vertex] != base) {
        int odd = partner(m, vertex);
        m->in_blossom[m->base[vertex]] = m->in_blossom[m->base[odd]] = true;
        m->parent_edge[vertex] = edge;
        edge = m->parent_edge[odd];
        vertex = other_end(m, edge, odd);
    }
}

static void shrink_blossom(matcher *m, int edge)
{
    int a = m->edges[edge].first, b = m->edges[edge].second;
    int base = common_base(m, a, b);
    mark_side(m, a, base, edge);
    mark_side(m, b, base, edge);
    m->steps += m->touched_count;
    size_t count = m->touched_count;
    for (size_t i = 0; i < count; i++) {
        int vertex = m->touched[i];
        if (!m->in_blossom[m->base[vertex]]) continue;
        m->base[vertex] = base;
        enqueue(m, vertex);
    }
    for (size_t i = 0; i < count; i++) m->in_blossom[m->touched[i]] = false;
}

/* Swap matched and unmatched edges from `vertex`, an odd vertex with its parent edge set, back to the root. */
static void flip_path(matcher *m, int vertex)
{
    while (vertex >= 0) {
        int edge = m->parent_edge[vertex], before = other_end(m, edge, vertex);
        int next = partner(m, before);
        m->partner_edge[vertex] = m->partner_edge[before] = edge;
        vertex = next;
    }
}

/* Extend the search from an even vertex; true when the search ends with a better matching. */
static bool grow_from(matcher *m, int vertex, int root, qn_matching_wish least)
{
    for (size_t k = m->start[vertex]; k < m->start[vertex + 1]; k++) {
        int edge = m->incident[k], next = other_end(m, edge, vertex);
        m->steps++;
        if (m->wishes[next] < least || m->base[vertex] == m->base[next] || m->partner_edge[vertex] == edge) continue;
        int next_partner = partner(m, next);
        bool is_even = next == root || m->even[next];
        if (is_even) {
            shrink_blossom(m, edge);
        } else if (m->parent_edge[next] < 0) {
            touch(m, next);
            m->parent_edge[next] = edge;
            if (next_partner < 0) {
                flip_path(m, next);
                return true;
            }
            enqueue(m, next_partner);
        }
    }
    return false;
}

/* Let an even vertex with a weaker wish than the root's lose its partner; false: its wish is not weaker. */
static bool give_away(matcher *m, int vertex, int root)
{
    if (vertex == root || m->wishes[vertex] >= m->wishes[root]) return false;
    int given = partner(m, vertex);
    m->partner_edge[vertex] = m->partner_edge[given] = -1;
    flip_path(m, given);
    return true;
}

static void improve_from(matcher *m, int root, qn_matching_wish least)
{
    if (m->partner_edge[root] >= 0 || m->steps > STEP_LIMIT) return;
    enqueue(m, root);
    for (size_t i = 0; i < m->queue_count; i++)
        if (give_away(m, m->queue[i], root) || grow_from(m, m->queue[i], root, least)) break;
    forget_search(m);
}

static void pair_greedily(matcher *m, size_t edge_count, qn_matching_wish a, qn_matching_wish b)
{
    for (size_t i = 0; i < edge_count; i++) {
        int first = m->edges[i].first, second = m->edges[i].second;
        if (m->partner_edge[first] >= 0 || m->partner_edge[second] >= 0 || first == second) continue;
        bool wanted =
            (m->wishes[first] == a && m->wishes[second] == b) || (m->wishes[first] == b && m->wishes[second] == a);
        if (wanted) m->partner_edge[first] = m->partner_edge[second] = (int)i;
    }
}

static qn_status prepare(matcher *m, size_t vertex_count, size_t edge_count)
{
    QN_TRY(qn_allocate(vertex_count + 2, sizeof(size_t), (void **)&m->start));
    QN_TRY(qn_allocate(2 * edge_count, sizeof(int), (void **)&m->incident));
    int **arrays[] = {&m->parent_edge, &m->base, &m->touched, &m->queue, &m->mark};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        QN_TRY(qn_allocate(vertex_count, sizeof(int), (void **)arrays[i]));
    bool **flags[] = {&m->even, &m->in_blossom, &m->touched_flag};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        QN_TRY(qn_allocate(vertex_count, sizeof(bool), (void **)flags[i]));
    for (size_t i = 0; i < vertex_count; i++) {
        m->parent_edge[i] = -1;
        m->base[i] = (int)i;
    }
    for (size_t i = 0; i < edge_count; i++) {
        m->start[m->edges[i].first + 2]++;
        m->start[m->edges[i].second + 2]++;
    }
    for (size_t i = 2; i < vertex_count + 2; i++) m->start[i] += m->start[i - 1];
    for (size_t i = 0; i < edge_count; i++) {
        m->incident[m->start[m->edges[i].first + 1]++] = (int)i;
        m->incident[m->start[m->edges[i].second + 1]++] = (int)i;
    }
    return QN_OK;
}

static void clear_matcher(matcher *m)
{
    int **arrays[] = {&m->incident, &m->parent_edge, &m->base, &m->touched, &m->queue, &m->mark};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) qn_release(arrays[i]);
    bool **flags[] = {&m->even, &m->in_blossom, &m->touched_flag};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) qn_release(flags[i]);
    qn_release(&m->start);
}

qn_status qn_matching_find(size_t vertex_count, const qn_matching_wish *wishes, size_t edge_count,
                           const qn_matching_edge *edges, int *partner_edge)
{
    matcher m = {.wishes = wishes, .edges = edges, .partner_edge = partner_edge};
    qn_status status = prepare(&m, vertex_count, edge_count);
    if (status == QN_OK) {
        pair_greedily(&m, edge_count, QN_MATCHING_MUST, QN_MATCHING_MUST);
        pair_greedily(&m, edge_count, QN_MATCHING_MUST, QN_MATCHING_GLAD);
        static const struct {
            qn_matching_wish of, with;
        } rounds[] = {{QN_MATCHING_MUST, QN_MATCHING_GLAD},
                      {QN_MATCHING_MUST, QN_MATCHING_RELUCTANT},
                      {QN_MATCHING_GLAD, QN_MATCHING_GLAD}};
        for (size_t k = 0; k < sizeof rounds / sizeof *rounds; k++)
            for (size_t i = 0; i < vertex_count; i++)
                if (wishes[i] == rounds[k].of) improve_from(&m, (int)i, rounds[k].with);
    }
    clear_matcher(&m);
    return status;
}
