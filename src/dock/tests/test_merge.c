#include "dock/merge.h"

#include <math.h>
#include <stdint.h>

#include "check.h"

enum { MOST = 8 };

/* Clusters on a line: the distance of two centres is that of their places. Each centre is numbered 100 + its index. */
typedef struct line {
    qn_dock_set_cluster clusters[MOST];
    double places[MOST];
    size_t count;
} line;

typedef struct answer {
    qn_cluster merged[MOST];
    size_t count, place[MOST];
} answer;

static void add(line *on, const char *set, size_t rank, size_t size, double place)
{
    on->clusters[on->count] = (qn_dock_set_cluster){set, rank, size, 100 + on->count};
    on->places[on->count++] = place;
}

static answer merge(const line *on, size_t most)
{
    float distances[MOST * MOST];
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
    answer found = merge(&on, MOST);
    CHECK(found.count == 4);
    CHECK(found.merged[0].centre == 100 && found.merged[0].size == 5);
    CHECK(found.merged[1].centre == 102 && found.merged[1].size == 3);
    CHECK(found.merged[2].centre == 101 && found.merged[2].size == 4);
    CHECK(found.merged[3].centre == 103 && found.merged[3].size == 2);
    CHECK(found.place[0] == 0 && found.place[1] == 2 && found.place[2] == 1 && found.place[3] == 3);
}

/* Within a rank the larger cluster comes first whatever its set is called; equally large ones go by the name. */
static void larger_clusters_then_names_break_ties(void)
{
    line on = {0};
    add(&on, "c", 0, 7, 0);
    add(&on, "a", 0, 7, 20);
    add(&on, "b", 0, 9, 40);
    answer found = merge(&on, MOST);
    CHECK(found.count == 3);
    CHECK(found.merged[0].centre == 102 && found.merged[1].centre == 101 && found.merged[2].centre == 100);
}

static void near_centres_join(void)
{
    line on = {0};
    add(&on, "a", 0, 5, 0);
    add(&on, "b", 0, 3, 9); /* exactly at the radius: joins a's */
    add(&on, "b", 1, 2, 18);
    answer found = merge(&on, MOST);
    CHECK(found.count == 2);
    CHECK(found.merged[0].centre == 100 && found.merged[0].size == 8);
    /* Near b's best one, but that is no centre of the merged ranking. */
    CHECK(found.merged[1].centre == 102 && found.merged[1].size == 2);
    CHECK(found.place[0] == 0 && found.place[1] == 0 && found.place[2] == 1);
}

/* Between two centres: the better ranked one, not the nearer one. */
static void joins_the_first_of_several(void)
{
    line on = {0};
    add(&on, "a", 0, 5, 0);
    add(&on, "b", 0, 4, 14);
    add(&on, "a", 1, 3, 8);
    answer found = merge(&on, MOST);
    CHECK(found.count == 2);
    CHECK(found.merged[0].size == 8 && found.merged[1].size == 4);
    CHECK(found.place[2] == 0);
}

/* Behind the limit nothing is founded, but what is near a centre still joins. */
static void limit_ends_founding_not_joining(void)
{
    line on = {0};
    add(&on, "a", 0, 5, 0);
    add(&on, "b", 0, 4, 20);
    add(&on, "a", 1, 3, 40);
    add(&on, "b", 1, 2, 1);
    add(&on, "b", 2, 1, 41); /* near one that the limit kept out */
    answer found = merge(&on, 2);
    CHECK(found.count == 2);
    CHECK(found.merged[0].centre == 100 && found.merged[0].size == 7);
    CHECK(found.merged[1].centre == 101 && found.merged[1].size == 4);
    CHECK(found.place[2] == SIZE_MAX && found.place[3] == 0 && found.place[4] == SIZE_MAX);
}

static void order_given_does_not_matter(void)
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

/* Poses that share no interface atom are infinitely far apart: never joined. */
static void infinite_distances_join_nothing(void)
{
    line on = {0};
    add(&on, "a", 0, 2, 0);
    add(&on, "b", 0, 1, (double)INFINITY);
    CHECK(merge(&on, MOST).count == 2);
}

static void nothing_merges_to_nothing(void)
{
    const line on = {0};
    CHECK(merge(&on, MOST).count == 0);
}

int main(void)
{
    RUN(sets_take_turns);
    RUN(larger_clusters_then_names_break_ties);
    RUN(near_centres_join);
    RUN(joins_the_first_of_several);
    RUN(limit_ends_founding_not_joining);
    RUN(order_given_does_not_matter);
    RUN(infinite_distances_join_nothing);
    RUN(nothing_merges_to_nothing);
    return check_finish();
}
