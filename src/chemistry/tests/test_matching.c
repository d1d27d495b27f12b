#include "chemistry/matching.h"

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

enum { VERTICES = 9, EDGES = 14 };

typedef struct outcome {
    int must, glad; /* vertices of each wish that have a partner */
} outcome;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 16;
}

/* Find the optimum by trying all sets of disjoint edges. */
static outcome best_by_trying(const qn_matching_wish *wishes, const qn_matching_edge *edges, int edge, unsigned used)
{
    outcome best = {0};
    if (edge == EDGES) {
        for (int i = 0; i < VERTICES; i++) {
            best.must += (used >> i & 1) && wishes[i] == QN_MATCHING_MUST;
            best.glad += (used >> i & 1) && wishes[i] == QN_MATCHING_GLAD;
        }
        return best;
    }
    best = best_by_trying(wishes, edges, edge + 1, used);
    unsigned both = 1U << edges[edge].first | 1U << edges[edge].second;
    int low = (int)wishes[edges[edge].first], high = (int)wishes[edges[edge].second];
    if (low > high) low ^= high, high ^= low, low ^= high;
    bool allowed = low == QN_MATCHING_RELUCTANT ? high == QN_MATCHING_MUST : low != QN_MATCHING_NEVER;
    if ((used & both) == 0 && allowed && edges[edge].first != edges[edge].second) {
        outcome with = best_by_trying(wishes, edges, edge + 1, used | both);
        if (with.must > best.must || (with.must == best.must && with.glad > best.glad)) best = with;
    }
    return best;
}

/* Count vertices with a partner; check that partners are mutual and joined by an edge. */
static outcome outcome_of(const qn_matching_wish *wishes, const qn_matching_edge *edges, const int *partner_edge)
{
    outcome found = {0};
    bool mutual = true;
    for (int i = 0; i < VERTICES; i++) {
        if (partner_edge[i] < 0) continue;
        const qn_matching_edge *edge = &edges[partner_edge[i]];
        mutual &= edge->first == i || edge->second == i;
        mutual &= partner_edge[edge->first] == partner_edge[i] && partner_edge[edge->second] == partner_edge[i];
        mutual &= wishes[i] != QN_MATCHING_NEVER;
        found.must += wishes[i] == QN_MATCHING_MUST;
        found.glad += wishes[i] == QN_MATCHING_GLAD;
    }
    CHECK(mutual);
    return found;
}

/* As many MUST vertices as possible get a partner. GLAD vertices are paired afterwards. */
static void matchings_of_random_graphs_are_optimal(void)
{
    uint32_t state = 20250807;
    int behind = 0;
    for (int round = 0; round < 300; round++) {
        qn_matching_wish wishes[VERTICES];
        qn_matching_edge edges[EDGES];
        int partner_edge[VERTICES];
        bool all_must = round % 2 == 0;
        for (int i = 0; i < VERTICES; i++) {
            wishes[i] = all_must ? QN_MATCHING_MUST : (qn_matching_wish)(next_random(&state) % 4);
            partner_edge[i] = -1;
        }
        for (int i = 0; i < EDGES; i++) {
            int first = (int)(next_random(&state) % VERTICES);
            edges[i] = (qn_matching_edge){first, (first + 1 + (int)(next_random(&state) % (VERTICES - 1))) % VERTICES};
        }
        if (!CHECK_OK(qn_matching_find(VERTICES, wishes, EDGES, edges, partner_edge))) return;
        outcome best = best_by_trying(wishes, edges, 0, 0), found = outcome_of(wishes, edges, partner_edge);
        CHECK(found.must == best.must);
        behind += found.glad < best.glad;
    }
    CHECK(behind <= 30); /* the number of GLAD vertices need not be the largest possible */
}

/* A five-ring of carbons and one nitrogen: four MUST vertices, and the fifth is left over. */
static void an_existing_matching_is_improved(void)
{
    const qn_matching_wish wishes[] = {QN_MATCHING_MUST, QN_MATCHING_MUST, QN_MATCHING_MUST, QN_MATCHING_MUST,
                                       QN_MATCHING_GLAD};
    const qn_matching_edge edges[] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}};
    int partner_edge[] = {-1, 1, 1, -1, -1}; /* begins with the wrong bond */
    CHECK_OK(qn_matching_find(5, wishes, 5, edges, partner_edge));
    for (int i = 0; i < 4; i++) CHECK(partner_edge[i] >= 0);
    CHECK(partner_edge[4] < 0);
}

int main(void)
{
    RUN(matchings_of_random_graphs_are_optimal);
    RUN(an_existing_matching_is_improved);
    return check_finish();
}
