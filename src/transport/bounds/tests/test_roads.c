/* Ways through graphs of poses, beside the least heights and sums that Floyd's algorithm finds over all pairs. */
#include "transport/bounds/roads.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "flexible/tests/chains.h"

enum { DISCS = 6, NODES = 90 };
static const double continuity_angstrom = 0.8;

typedef struct drawn_graph {
    qn_compound *compound;
    qn_flexible_tree tree;
    qn_roads *roads;
    qn_disc_pose poses[NODES];
} drawn_graph;

/* Poses of a rigid piece that is moved only, so that distances of places are those of all atoms. */
static bool graph_open(uint64_t *drawn, drawn_graph *graph)
{
    int node;
    *graph = (drawn_graph){.compound = chain_make(0, drawn)};
    if (!CHECK_OK(qn_flexible_tree_create(graph->compound, QN_FLEXIBLE_TYPES_FILE, -1, &graph->tree)) ||
        !CHECK_OK(qn_roads_create(&graph->tree, DISCS, continuity_angstrom, &graph->roads)))
        return false;
    for (int i = 0; i < NODES; i++) {
        qn_disc_pose *pose = &graph->poses[i];
        *pose = (qn_disc_pose){.disc = (int)(DISCS * chain_draw(drawn)), .inter = 10 * chain_draw(drawn) - 5};
        qn_flexible_pose_given(&graph->tree, &pose->pose);
        for (int d = 0; d < 3; d++) pose->pose.place[d] = d == 2 ? 0.3 * pose->disc : 2 * chain_draw(drawn);
        if (!CHECK_OK(qn_roads_add(graph->roads, pose, &node)) || !CHECK(node == i)) return false;
    }
    return true;
}

static void graph_close(drawn_graph *graph)
{
    qn_roads_destroy(&graph->roads);
    qn_flexible_tree_clear(&graph->tree);
    qn_compound_destroy(&graph->compound);
}

static bool are_joined(const drawn_graph *graph, int i, int j)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double way = graph->poses[i].pose.place[d] - graph->poses[j].pose.place[d];
        square += way * way;
    }
    return abs(graph->poses[i].disc - graph->poses[j].disc) <= 1 && square <= continuity_angstrom * continuity_angstrom;
}

/* Least height between each two nodes. */
static void find_heights(const drawn_graph *graph, double heights[NODES][NODES])
{
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            heights[i][j] =
                i == j || are_joined(graph, i, j) ? fmax(graph->poses[i].inter, graph->poses[j].inter) : INFINITY;
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++) heights[i][j] = fmin(heights[i][j], fmax(heights[i][k], heights[k][j]));
}

static void heights_are_the_least(void)
{
    static double expected[NODES][NODES];
    uint64_t drawn = 0;
    double heights[NODES];
    int reached = 0;
    for (int trial = 0; trial < 20; trial++) {
        drawn_graph graph;
        if (graph_open(&drawn, &graph) && CHECK_OK(qn_roads_climb(graph.roads, 0, heights))) {
            find_heights(&graph, expected);
            for (int i = 0; i < NODES; i++) {
                double least = INFINITY;
                for (int j = 0; j < NODES; j++)
                    if (graph.poses[j].disc == 0) least = fmin(least, expected[j][i]);
                CHECK(heights[i] == least);
                reached += isfinite(least);
            }
        }
        graph_close(&graph);
    }
    CHECK(reached > 20 * NODES / 4);
}

/* The energy that a step adds to the sum of a way. */
static double cost_of(const drawn_graph *graph, double lowest, int i, int j)
{
    const qn_disc_pose *a = &graph->poses[i], *b = &graph->poses[j];
    return 1e-3 + (a->disc == b->disc ? 0 : (a->inter + b->inter) / 2 - lowest);
}

/* The least sum of all ways from the first disc to the last. */
static double find_least_sum(const drawn_graph *graph, double lowest, double ceiling)
{
    static double sums[NODES][NODES];
    double least = INFINITY;
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            const bool joined =
                are_joined(graph, i, j) && graph->poses[i].inter <= ceiling && graph->poses[j].inter <= ceiling;
            sums[i][j] = i == j ? 0 : joined ? cost_of(graph, lowest, i, j) : INFINITY;
        }
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++) sums[i][j] = fmin(sums[i][j], sums[i][k] + sums[k][j]);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            if (graph->poses[i].disc == 0 && graph->poses[j].disc == DISCS - 1)
                least = fmin(least, graph->poses[i].inter + graph->poses[j].inter - 2 * lowest + sums[i][j]);
    return least;
}

/* A way is joined, keeps below the ceiling, leads from the first disc to the last, and no other has a lower sum. */
static void ways_have_the_least_sum(void)
{
    static const double ceiling = 4;
    uint64_t drawn = 5000;
    int found = 0;
    for (int trial = 0; trial < 20; trial++) {
        drawn_graph graph;
        int *nodes = NULL, count = 0;
        double lowest = INFINITY;
        if (!graph_open(&drawn, &graph) || !CHECK_OK(qn_roads_find(graph.roads, ceiling, &nodes, &count))) return;
        for (int i = 0; i < NODES; i++) lowest = fmin(lowest, graph.poses[i].inter);
        const double least = find_least_sum(&graph, lowest, ceiling);
        CHECK((count > 0) == isfinite(least));
        if (count > 0) {
            const qn_disc_pose *first = &graph.poses[nodes[0]], *last = &graph.poses[nodes[count - 1]];
            double sum = first->inter + last->inter - 2 * lowest;
            CHECK(first->disc == 0 && last->disc == DISCS - 1 && first->inter <= ceiling);
            for (int i = 1; i < count; i++) {
                CHECK(graph.poses[nodes[i]].inter <= ceiling && are_joined(&graph, nodes[i - 1], nodes[i]));
                sum += cost_of(&graph, lowest, nodes[i - 1], nodes[i]);
            }
            CHECK_NEAR(sum, least, 1e-9);
            found++;
        }
        qn_release(&nodes);
        graph_close(&graph);
    }
    CHECK(found > 5);
}

int main(void)
{
    RUN(heights_are_the_least);
    RUN(ways_have_the_least_sum);
    return check_finish();
}
