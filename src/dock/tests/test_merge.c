#include "dock/merge.h"

#include <math.h>
#include <stdint.h>

#include "check.h"

enum { MAX = 8 };

/* Clusters on a line: the distance of two centres is that of their places. The centre of cluster i has number 100 + i.
 */
typedef struct line {
    qn_dock_set_cluster clusters[MAX];
    double places[MAX];
    size_t count;
} line;

typedef struct answer {
    qn_cluster merged[MAX];
    size_t count, place[MAX];
} answer;

static void add(line *on, const char *set, size_t rank, size_t size, double place)
{
    on->clusters[on->count] = (qn_dock_set_cluster){set, rank, size, 100 + on->count};
    on->places[on->count++] = place;
}

static answer merge(const line *on, size_t most)
{
    float distances[MAX * MAX];
    answer found = {0};
    for (size_t i = 0; i < on->count; i++)
        for (size_t j = 0; j < on->count; j++)
            distances[i * on->count + j] = (float)fabs(on->places[i] - on->places[j]);
    CHECK_OK(
        qn_dock_merge_clusters(on->clusters, on->count, distances, 9, most, found.merged, &found.count, found.place));
    return found;
}

static void sets_take_turns(void)
{
    line on = {0};
    add(&on, "a", 0, 5, 0);
    add(&on, "a", 1, 4, 20);
    add(&on, "b", 0, 3, 40);
    add(&on, "b", 1, 2, 60);
    answer found = merge(&on, MAX);
    CHECK(found.count == 4);
    CHECK(found.merged[0].centre == 100 && found.merged[0].size == 5);
    CHECK(found.merged[1].centre == 102 && found.merged[1].size == 3);
    CHECK(found.merged[2].centre == 101 && found.merged[2].size == 4);
    CHECK(found.merged[3].centre == 103 && found.merged[3].size == 2);
    CHECK(found.place[0] == 0 && found.place[1] == 2 && found.place[2] == 1 && found.place[3] == 3);
}

/* Clusters of one rank are sorted by size, the larger first, then by the name of the set. */
static void larger_clusters_then_names_break_ties(void)
{
    line on = {0};
    add(&on, "c", 0, 7, 0);
    add(&on, "a", 0, 7, 20);
    add(&on, "b", 0, 9, 40);
    answer found = merge(&on, MAX);
    CHECK(found.count == 3);
    CHECK(found.merged[0].centre == 102 && found.merged[1].centre == 101 && found.merged[2].centre == 100);
}

static void near_centres_join(void)
{
    line on = {0};
    add(&on, "a", 0, 5, 0);
    add(&on, "b", 0, 3, 9); /* exactly at the radius: joins a's */
    add(&on, "b", 1, 2, 18);
    answer found = merge(&on, MAX);
    CHECK(found.count == 2);
    CHECK(found.merged[0].centre == 100 && found.merged[0].size == 8);
    /* This cluster is near b's first cluster, which is not a centre of the merged clusters. */
    CHECK(found.merged[1].centre == 102 && found.merged[1].size == 2);
    CHECK(found.place[0] == 0 && found.place[1] == 0 && found.place[2] == 1);
}

/* A cluster between two centres joins the one with the better rank, not the nearer one. */
static void cluster_joins_the_first_of_several(void)
{
    line on = {0};
    add(&on, "a", 0, 5, 0);
    add(&on, "b", 0, 4, 14);
    add(&on, "a", 1, 3, 8);
    answer found = merge(&on, MAX);
    CHECK(found.count == 2);
    CHECK(found.merged[0].size == 8 && found.merged[1].size == 4);
    CHECK(found.place[2] == 0);
}

/* Beyond the limit there are no new merged clusters, but clusters near a centre still join. */
static void clusters_join_beyond_the_limit(void)
{
    line on = {0};
    add(&on, "a", 0, 5, 0);
    add(&on, "b", 0, 4, 20);
    add(&on, "a", 1, 3, 40);
    add(&on, "b", 1, 2, 1);
    add(&on, "b", 2, 1, 41); /* near the cluster at 40, which is beyond the limit */
    answer found = merge(&on, 2);
    CHECK(found.count == 2);
    CHECK(found.merged[0].centre == 100 && found.merged[0].size == 7);
    CHECK(found.merged[1].centre == 101 && found.merged[1].size == 4);
    CHECK(found.place[2] == SIZE_MAX && found.place[3] == 0 && found.place[4] == SIZE_MAX);
}

static void result_does_not_depend_on_the_order(void)
{
    static const size_t orders[][6] = {{5, 4, 3, 2, 1, 0}, {3, 0, 5, 1, 4, 2}, {2, 3, 0, 1, 5, 4}};
    line on = {0};
    add(&on, "a", 0, 6, 0);
    add(&on, "a", 1, 4, 30);
    add(&on, "b", 0, 6, 8);
    add(&on, "b", 1, 4, 22);
    add(&on, "c", 0, 6, 15);
    add(&on, "c", 1, 5, 50);
    const answer expected = merge(&on, 4);
    CHECK(expected.count == 4);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        line other = {.count = on.count};
        for (size_t i = 0; i < on.count; i++) {
            other.clusters[i] = on.clusters[orders[o][i]];
            other.places[i] = on.places[orders[o][i]];
        }
        answer found = merge(&other, 4);
        CHECK(found.count == expected.count);
        for (size_t m = 0; m < expected.count; m++)
            CHECK(found.merged[m].centre == expected.merged[m].centre &&
                  found.merged[m].size == expected.merged[m].size);
        for (size_t i = 0; i < on.count; i++) CHECK(found.place[i] == expected.place[orders[o][i]]);
    }
}

/* Poses without common interface atoms have an infinite distance and never join. */
static void clusters_at_infinite_distance_do_not_join(void)
{
    line on = {0};
    add(&on, "a", 0, 2, 0);
    add(&on, "b", 0, 1, (double)INFINITY);
    CHECK(merge(&on, MAX).count == 2);
}

static void no_clusters_give_no_merged_clusters(void)
{
    const line on = {0};
    CHECK(merge(&on, MAX).count == 0);
}

int main(void)
{
    RUN(sets_take_turns);
    RUN(larger_clusters_then_names_break_ties);
    RUN(near_centres_join);
    RUN(cluster_joins_the_first_of_several);
    RUN(clusters_join_beyond_the_limit);
    RUN(result_does_not_depend_on_the_order);
    RUN(clusters_at_infinite_distance_do_not_join);
    RUN(no_clusters_give_no_merged_clusters);
    return check_finish();
}
