/* Clusters by neighbours: largest neighbourhoods as gmx cluster finds them and as a naive search does, DBSCAN as
 * its definition says, and rows that are lists or bits. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "cluster/method/dbscan.h"
#include "cluster/method/gromos.h"
#include "cluster/method/neighbour_rows.h"
#include "cluster/method/tests/made_matrix.h"
#include "cluster/method/tests/naive_dbscan.h"

enum { COUNT_MAX = 400 };
static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-*/";
static qn_pool *pool;
static uint32_t labels[COUNT_MAX], centres[COUNT_MAX], expected[COUNT_MAX];

/* Pairs i < j in order are neighbours, at distance 0, if the next number of made_uniform is below `share`; labels are
 * those of
 *
 *     gmx cluster -dm matrix.xpm -method gromos -cutoff 0.5       (2022.5-Debian)
 *
 * with distances 0 and 1, as digits; clusters of one were numbered anew by their items. */
typedef struct recorded {
    uint32_t seed;
    size_t count;
    double share;
    const char *labels;
} recorded;

static const recorded runs_of_gromacs[] = {
    {3, 12, 0.25, "110002200101"},
    {4, 60, 0.08, "0102230226041512276a8283914047710533b181659c04530140d103204e"},
    {5, 150, 0.025,
     "hd05rpm731md45co35rg1b31u9kcn92ikd2v8043snk26i7f9b7c2eohg2ae8wxybe71zA6p3BCn3b1D67c6E0ha2dia2bqg9F9a58elG43580s1H"
     "51f6m0Ig0801ff4qJ60t4a4l42tj1jKl87jc0"},
    {6, 150, 0.15,
     "7400323050312348445113076013001323311274222042008325141253010912171476286111014507361026360230014403550500a013140"
     "1"
     "990122326431412000221004140311052120"},
};

static qn_neighbour_rows *rows_of(const float *distances, size_t count, double cutoff, bool at_most)
{
    const qn_distance_matrix matrix = {.count = count, .values = distances};
    qn_neighbour_rows *rows = NULL;
    CHECK_OK(qn_neighbour_rows_from_distances(&matrix, cutoff, at_most, pool, &rows));
    return rows;
}

static void clusters_are_those_of_gromacs(void)
{
    static float distances[COUNT_MAX * COUNT_MAX / 2];
    for (size_t r = 0; r < sizeof runs_of_gromacs / sizeof *runs_of_gromacs; r++) {
        const recorded *run = &runs_of_gromacs[r];
        size_t cluster_count = 0, wrong = 0;
        made_state = run->seed;
        for (size_t k = 0; k < made_pairs(run->count); k++) distances[k] = made_uniform() < run->share ? 0 : 1;
        qn_neighbour_rows *rows = rows_of(distances, run->count, 0.5, false);
        const qn_neighbourhood near = qn_neighbour_rows_view(rows);
        CHECK_OK(qn_gromos_cluster(&near, labels, centres, &cluster_count));
        for (size_t i = 0; i < run->count; i++)
            wrong += labels[i] >= cluster_count || digits[labels[i]] != run->labels[i];
        CHECK(wrong == 0);
        qn_neighbour_rows_destroy(&rows);
    }
}

static uint32_t neighbours_left(const float *distances, size_t count, double cutoff, size_t item, uint32_t label)
{
    uint32_t sum = 0;
    for (size_t j = 0; j < count; j++) {
        const bool near = j == item || distances[qn_distance_place(count, item, j)] < cutoff;
        if (near && expected[j] == QN_LABEL_NONE) {
            sum++;
            if (label != QN_LABEL_NONE) expected[j] = label;
        }
    }
    return sum;
}

/* Counts all neighbours anew in each round; the lowest item wins ties. Returns the number of clusters of two or more.
 */
static size_t search_naively(const float *distances, size_t count, double cutoff)
{
    size_t clusters = 0, larger = 0;
    memset(expected, 0xff, sizeof expected);
    for (bool found = true; found;) {
        uint32_t most = 0;
        size_t best = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t left = neighbours_left(distances, count, cutoff, i, QN_LABEL_NONE);
            if (left > most) most = left, best = i;
        }
        found = most > 0;
        if (most == 1)
            for (best = 0; expected[best] != QN_LABEL_NONE;) best++;
        if (found) neighbours_left(distances, count, cutoff, best, (uint32_t)clusters++);
        larger += most > 1;
    }
    return larger;
}

static void ties_go_to_the_lowest_item_where_nothing_is_sorted(void)
{
    for (size_t count = 1; count <= 140; count += 23)
        for (int k = 0; k < 4; k++) {
            float *distances = made_distances(count, 2, 1 + count / 40, k % 2 ? 1 : 0);
            const double cutoff = 1 + k;
            qn_neighbour_rows *rows = rows_of(distances, count, cutoff, false);
            const qn_neighbourhood near = qn_neighbour_rows_view(rows);
            qn_gromos search;
            bool done = false;
            CHECK_OK(qn_gromos_begin(&near, 0, &search));
            for (int round = 0; round < 1000 && !done; round++) CHECK_OK(qn_gromos_next(&near, &search, &done));
            CHECK(done && search.left == 0);
            search_naively(distances, count, cutoff);
            CHECK(memcmp(search.labels, expected, count * sizeof *expected) == 0);
            qn_gromos_end(&search);
            qn_neighbour_rows_destroy(&rows);
            free(distances);
        }
}

static void density_follows_the_definition(void)
{
    static const double radii[] = {0, 0.5, 1.5, 2.5, 4, 100};
    for (size_t set = 0; set < 12; set++)
        for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
            const size_t count = 1 + 25 * set;
            float *distances = made_distances(count, 2, 1 + set % 4, set % 3 == 0 ? 1 : 0);
            const qn_distance_matrix matrix = {.count = count, .values = distances};
            qn_neighbour_rows *rows = rows_of(distances, count, radii[r], true);
            const qn_neighbourhood near = qn_neighbour_rows_view(rows);
            for (size_t least = 1; least < 8; least += 2) {
                size_t found = 0, used = 0;
                const size_t wanted = naive_dbscan(&matrix, (float)radii[r], least, expected);
                CHECK_OK(qn_labels_order(expected, count, wanted, &used));
                CHECK_OK(qn_dbscan_cluster(&near, least, labels, &found));
                CHECK(found == wanted && memcmp(labels, expected, count * sizeof *expected) == 0);
            }
            qn_neighbour_rows_destroy(&rows);
            free(distances);
        }
}

/* Sums over random sets of items, of rows that are mostly lists (few neighbours) or mostly bits. */
static void sums_count_neighbours(void)
{
    enum { COUNT = 333 };
    static uint32_t sums[COUNT], items[COUNT];
    for (int k = 0; k < 4; k++) {
        float *distances = made_distances(COUNT, 2, 1, 0);
        const double cutoff = k < 2 ? 0.4 : 6;
        qn_neighbour_rows *rows = rows_of(distances, COUNT, cutoff, false);
        const qn_neighbourhood near = qn_neighbour_rows_view(rows);
        size_t chosen = 0, wrong = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            sums[i] = 1000;
            if (k % 2 || made_uniform() < 0.1) items[chosen++] = i;
        }
        CHECK_OK(near.add(near.user, items, chosen, NULL, -1, sums));
        for (size_t j = 0; j < COUNT; j++) {
            uint32_t sum = 0;
            for (size_t c = 0; c < chosen; c++)
                sum += items[c] == j || distances[qn_distance_place(COUNT, j, items[c])] < cutoff;
            wrong += sums[j] != 1000 - sum;
        }
        CHECK(wrong == 0);
        qn_neighbour_rows_destroy(&rows);
        free(distances);
    }
}

int main(void)
{
    CHECK_OK(qn_pool_create(2, &pool));
    RUN(sums_count_neighbours);
    RUN(clusters_are_those_of_gromacs);
    RUN(ties_go_to_the_lowest_item_where_nothing_is_sorted);
    RUN(density_follows_the_definition);
    qn_pool_destroy(&pool);
    return check_finish();
}
