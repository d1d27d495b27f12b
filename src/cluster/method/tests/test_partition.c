/* k-medoids, the measures of a clustering, and the map, compared with naive implementations of their definitions
 * and with cases worked out by hand. */
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "cluster/method/distance_rows.h"
#include "cluster/method/kmedoids.h"
#include "cluster/method/plane_map.h"
#include "cluster/method/quality.h"
#include "cluster/method/tests/made_matrix.h"

static void note_row(size_t item, const float *row, int worker, void *user)
{
    (void)worker;
    const qn_distance_matrix *matrix = user;
    bool same = true;
    for (size_t j = 0; j < matrix->count; j++) same &= row[j] == qn_distance_at(matrix, item, j);
    CHECK(same);
}

static void rows_are_those_of_the_square(void)
{
    for (size_t count = 1; count < 70; count += 11) {
        float *distances = made_distances(count, 3, 1, 0);
        qn_distance_matrix matrix = {.count = count, .values = distances};
        CHECK_OK(qn_distance_each_row(&matrix, NULL, note_row, &matrix));
        CHECK_OK(qn_distance_matrix_check(&matrix, NULL));
        free(distances);
    }
}

static void impossible_distances_are_named(void)
{
    float distances[] = {1, 2, 3, 4, -1, 5};
    const qn_distance_matrix matrix = {.count = 4, .values = distances};
    CHECK_FAILS(qn_distance_matrix_check(&matrix, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("items 2 and 4 is -1");
    distances[4] = NAN;
    CHECK_FAILS(qn_distance_matrix_check(&matrix, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("items 2 and 4 is nan");
}

static void labels_are_ordered_by_size(void)
{
    uint32_t labels[] = {4, 4, 0, 9, QN_LABEL_NONE, 9, 2, 4};
    const uint32_t expected[] = {0, 0, 2, 1, QN_LABEL_NONE, 1, 3, 0};
    size_t used = 0;
    CHECK_OK(qn_labels_order(labels, 8, 10, &used));
    CHECK(used == 4 && memcmp(labels, expected, sizeof expected) == 0);
    qn_members members;
    CHECK_OK(qn_members_list(labels, 8, used, &members));
    const uint32_t items[] = {0, 1, 7, 3, 5, 2, 6};
    const size_t first[] = {0, 3, 5, 6, 7};
    CHECK(memcmp(members.items, items, sizeof items) == 0 && memcmp(members.first, first, sizeof first) == 0);
    CHECK(qn_members_size(&members, 0) == 3 && qn_members_size(&members, 3) == 1);
    qn_members_clear(&members);
}

static double sum_to_nearest(const qn_distance_matrix *matrix, const uint32_t *medoids, size_t medoid_count)
{
    double sum = 0;
    for (size_t i = 0; i < matrix->count; i++) {
        double nearest = INFINITY;
        for (size_t m = 0; m < medoid_count; m++)
            nearest = fmin(nearest, (double)qn_distance_at(matrix, i, medoids[m]));
        sum += nearest;
    }
    return sum;
}

/* Whether a swap of one medoid with any other item makes the sum smaller. */
static bool can_be_improved(const qn_distance_matrix *matrix, uint32_t *medoids, size_t medoid_count, double sum)
{
    for (size_t m = 0; m < medoid_count; m++) {
        const uint32_t kept = medoids[m];
        for (uint32_t i = 0; i < matrix->count; i++) {
            medoids[m] = i;
            if (sum_to_nearest(matrix, medoids, medoid_count) < sum * (1 - 1e-9)) return true;
        }
        medoids[m] = kept;
    }
    return false;
}

static void check_medoids(const qn_distance_matrix *matrix, size_t clusters, qn_kmedoids_start start, uint64_t seed,
                          qn_pool *pool)
{
    const qn_kmedoids_search search = {.cluster_count = clusters, .start = start, .seed = seed};
    uint32_t *labels = calloc(matrix->count, sizeof *labels), *medoids = calloc(clusters, sizeof *medoids);
    uint32_t *again = calloc(matrix->count, sizeof *again);
    double sum = 0;
    CHECK_OK(qn_kmedoids_cluster(matrix, &search, NULL, labels, medoids, &sum));
    CHECK_NEAR(sum, sum_to_nearest(matrix, medoids, clusters), 1e-6 * (1 + sum));
    CHECK(!can_be_improved(matrix, medoids, clusters, sum));
    for (size_t m = 0; m < clusters; m++) CHECK(labels[medoids[m]] == m);
    bool nearest = true;
    for (size_t i = 0; i < matrix->count; i++)
        for (size_t m = 0; m < clusters; m++)
            nearest &= qn_distance_at(matrix, i, medoids[labels[i]]) <= qn_distance_at(matrix, i, medoids[m]);
    CHECK(nearest);
    CHECK_OK(qn_kmedoids_cluster(matrix, &search, pool, again, medoids, NULL));
    CHECK(memcmp(labels, again, matrix->count * sizeof *labels) == 0);
    free(labels);
    free(again);
    free(medoids);
}

static void medoids_cannot_be_improved_by_a_swap(void)
{
    qn_pool *pool = NULL;
    CHECK_OK(qn_pool_create(3, &pool));
    for (int set = 0; set < 6; set++) {
        const size_t count = 7 + 17 * (size_t)set;
        float *distances = made_distances(count, 3, 4, set % 2 ? 2 : 0);
        const qn_distance_matrix matrix = {.count = count, .values = distances};
        for (size_t clusters = 1; clusters <= 7; clusters += 2) {
            check_medoids(&matrix, clusters, QN_KMEDOIDS_BUILD, 0, pool);
            check_medoids(&matrix, clusters, QN_KMEDOIDS_SAMPLE, 1, pool);
            check_medoids(&matrix, clusters, QN_KMEDOIDS_SAMPLE, 2, pool);
        }
        free(distances);
    }
    qn_pool_destroy(&pool);
}

/* All pairs of medoids are tried: the best sum is found for well separated groups. */
static void medoids_of_separate_groups_are_the_best(void)
{
    enum { COUNT = 60 };
    float *distances = made_distances(COUNT, 2, 3, 0);
    const qn_distance_matrix matrix = {.count = COUNT, .values = distances};
    const qn_kmedoids_search search = {.cluster_count = 3, .start = QN_KMEDOIDS_SAMPLE, .seed = 5};
    uint32_t labels[COUNT], medoids[3], tried[3];
    double sum = 0, best = INFINITY;
    CHECK_OK(qn_kmedoids_cluster(&matrix, &search, NULL, labels, medoids, &sum));
    for (tried[0] = 0; tried[0] < COUNT; tried[0]++)
        for (tried[1] = 0; tried[1] < tried[0]; tried[1]++)
            for (tried[2] = 0; tried[2] < tried[1]; tried[2]++) best = fmin(best, sum_to_nearest(&matrix, tried, 3));
    CHECK_NEAR(sum, best, 1e-6 * best);
    free(distances);
}

static void identical_items_may_all_be_medoids(void)
{
    const float zero[6] = {0};
    const qn_distance_matrix matrix = {.count = 4, .values = zero};
    uint32_t labels[4], medoids[4];
    for (size_t clusters = 1; clusters <= 4; clusters++) {
        const qn_kmedoids_search search = {.cluster_count = clusters};
        size_t sizes[4] = {0};
        CHECK_OK(qn_kmedoids_cluster(&matrix, &search, NULL, labels, medoids, NULL));
        for (size_t i = 0; i < 4; i++) sizes[labels[i]]++;
        for (size_t c = 0; c < clusters; c++) CHECK(sizes[c] > 0 && labels[medoids[c]] == c);
    }
    const qn_kmedoids_search many = {.cluster_count = 5};
    CHECK_FAILS(qn_kmedoids_cluster(&matrix, &many, NULL, labels, medoids, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("5 clusters of 4 items");
}

/* Silhouette by its definition, item by item. */
static double naive_silhouette(const qn_distance_matrix *matrix, const uint32_t *labels, size_t item, size_t clusters)
{
    double within = 0, nearest = INFINITY;
    if (labels[item] == QN_LABEL_NONE) return NAN;
    for (uint32_t c = 0; c < clusters; c++) {
        double sum = 0, others = 0;
        for (size_t j = 0; j < matrix->count; j++)
            if (j != item && labels[j] == c) sum += (double)qn_distance_at(matrix, item, j), others++;
        if (c == labels[item] && others == 0) return 0;
        if (c == labels[item])
            within = sum / others;
        else
            nearest = fmin(nearest, sum / others);
    }
    return (nearest - within) / fmax(nearest, within);
}

static void compare_spread(const qn_distance_matrix *matrix, const uint32_t *labels, uint32_t cluster,
                           const qn_spread *spread)
{
    double best = INFINITY, total = 0, pairs = 0, diameter = 0, size = 0, farthest = 0;
    size_t medoid = 0;
    for (size_t i = 0; i < matrix->count; i++) {
        double sum = 0;
        if (labels[i] != cluster) continue;
        size++;
        for (size_t j = 0; j < matrix->count; j++) {
            if (labels[j] != cluster || j == i) continue;
            sum += (double)qn_distance_at(matrix, i, j), pairs++;
            diameter = fmax(diameter, (double)qn_distance_at(matrix, i, j));
        }
        total += sum;
        if (sum < best) best = sum, medoid = i;
    }
    for (size_t j = 0; j < matrix->count; j++)
        if (labels[j] == cluster) farthest = fmax(farthest, (double)qn_distance_at(matrix, medoid, j));
    CHECK(spread->medoid == medoid);
    CHECK_NEAR(spread->mean_pair, pairs > 0 ? total / pairs : 0, 1e-9);
    CHECK_NEAR(spread->mean_medoid, size > 1 ? best / (size - 1) : 0, 1e-9);
    CHECK_NEAR(spread->diameter, diameter, 1e-9);
    CHECK_NEAR(spread->largest_medoid, farthest, 1e-9);
}

static void measures_follow_their_definitions(void)
{
    enum { COUNT = 53, CLUSTERS = 5 };
    float *distances = made_distances(COUNT, 3, 3, 0);
    const qn_distance_matrix matrix = {.count = COUNT, .values = distances};
    uint32_t labels[COUNT];
    qn_members members;
    qn_spread spreads[CLUSTERS];
    double silhouettes[COUNT], mean = 0, expected_mean = 0, used = 0;
    for (size_t i = 0; i < COUNT; i++) labels[i] = i % 7 == 6 ? QN_LABEL_NONE : (uint32_t)(i % 3 + (i > 40));
    labels[52] = 4; /* a cluster of one */
    CHECK_OK(qn_members_list(labels, COUNT, CLUSTERS, &members));
    CHECK_OK(qn_spreads_measure(&matrix, &members, NULL, spreads));
    CHECK_OK(qn_silhouette_measure(&matrix, labels, &members, NULL, silhouettes, &mean));
    for (uint32_t c = 0; c < CLUSTERS; c++) compare_spread(&matrix, labels, c, &spreads[c]);
    for (size_t i = 0; i < COUNT; i++) {
        const double expected = naive_silhouette(&matrix, labels, i, CLUSTERS);
        CHECK(isnan(expected) == isnan(silhouettes[i]));
        if (isnan(expected)) continue;
        CHECK_NEAR(silhouettes[i], expected, 1e-9);
        expected_mean += expected, used++;
    }
    CHECK_NEAR(mean, expected_mean / used, 1e-9);
    qn_members_clear(&members);
    free(distances);
}

/* Items on a line at 0, 1, 2 and 10, 12: medoids 1 and 10, S = 2/3 and 1, M = 9: index (2/3 + 1)/9 for both. */
static void a_case_by_hand(void)
{
    const double at[] = {0, 1, 2, 10, 12};
    float distances[10];
    for (size_t i = 0; i < 5; i++)
        for (size_t j = i + 1; j < 5; j++) distances[qn_distance_place(5, i, j)] = (float)(at[j] - at[i]);
    const qn_distance_matrix matrix = {.count = 5, .values = distances};
    const uint32_t labels[] = {0, 0, 0, 1, 1};
    qn_members members;
    qn_spread spreads[2];
    double silhouettes[5], mean = 0;
    CHECK_OK(qn_members_list(labels, 5, 2, &members));
    CHECK_OK(qn_spreads_measure(&matrix, &members, NULL, spreads));
    CHECK(spreads[0].medoid == 1 && spreads[1].medoid == 3);
    CHECK_NEAR(qn_davies_bouldin(&matrix, spreads, &members), (2.0 / 3 + 1) / 9, 1e-9);
    CHECK_NEAR(qn_medoid_silhouette(1, 10), 9.0 / 10, 1e-12); /* of item 0 */
    CHECK_NEAR(qn_medoid_silhouette(2, 11), 9.0 / 11, 1e-12); /* of item 12 */
    CHECK(qn_medoid_silhouette(0, 9) == 1 && qn_medoid_silhouette(3, 0) == -1 && qn_medoid_silhouette(0, 0) == 0);
    CHECK_OK(qn_silhouette_measure(&matrix, labels, &members, NULL, silhouettes, &mean));
    CHECK_NEAR(silhouettes[0], (11 - 1.5) / 11, 1e-9); /* a = (1 + 2)/2, b = (10 + 12)/2 */
    CHECK_NEAR(silhouettes[3], (9 - 2.0) / 9, 1e-9);   /* a = 2, b = (10 + 9 + 8)/3 */
    qn_members_clear(&members);
}

/* Two clusters at one place: an index without bounds; of identical items: 0. One cluster has no index. */
static void davies_bouldin_at_its_limits(void)
{
    const float apart[] = {1, 0, 0, 1, 1, 0}, zero[6] = {0};
    qn_distance_matrix matrix = {.count = 4, .values = apart};
    const uint32_t labels[] = {0, 0, 1, 1};
    qn_members members;
    qn_spread spreads[2];
    CHECK_OK(qn_members_list(labels, 4, 2, &members));
    CHECK_OK(qn_spreads_measure(&matrix, &members, NULL, spreads));
    CHECK(spreads[0].mean_medoid == 1 && isinf(qn_davies_bouldin(&matrix, spreads, &members)));
    matrix.values = zero;
    CHECK_OK(qn_spreads_measure(&matrix, &members, NULL, spreads));
    CHECK(qn_davies_bouldin(&matrix, spreads, &members) == 0);
    members.cluster_count = 1;
    CHECK(isnan(qn_davies_bouldin(&matrix, spreads, &members)));
    qn_members_clear(&members);
}

/* Points of a plane get back their distances, landmarks or not, and all variance is in two axes. */
static void a_map_of_a_plane_is_exact(void)
{
    enum { COUNT = 30, LANDMARKS = 12 };
    float *values = made_distances(COUNT, 2, 2, 0);
    const qn_distance_matrix matrix = {.count = COUNT, .values = values};
    double square[LANDMARKS * LANDMARKS], points[COUNT][2], worst = 0;
    qn_plane_map map;
    for (size_t i = 0; i < LANDMARKS; i++)
        for (size_t j = 0; j < LANDMARKS; j++) square[i * LANDMARKS + j] = (double)qn_distance_at(&matrix, i, j);
    CHECK_OK(qn_plane_map_make(square, LANDMARKS, &map));
    CHECK_NEAR(map.share, 1, 1e-5);
    for (size_t i = 0; i < COUNT; i++) {
        float to_landmarks[LANDMARKS];
        for (size_t k = 0; k < LANDMARKS; k++) to_landmarks[k] = qn_distance_at(&matrix, i, k);
        qn_plane_map_place(&map, to_landmarks, points[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            worst = fmax(worst, fabs(hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]) -
                                     (double)qn_distance_at(&matrix, i, j)));
    CHECK_NEAR(worst, 0, 1e-3);
    qn_plane_map_clear(&map);
    free(values);
}

static void small_maps_have_fewer_axes(void)
{
    const double one = 0, two[] = {0, 3, 3, 0}, same[9] = {0};
    const float to_two[] = {0, 3}, none[3] = {0};
    double point[2], other[2];
    const float to_other[] = {3, 0};
    qn_plane_map map;
    CHECK_OK(qn_plane_map_make(&one, 1, &map));
    qn_plane_map_place(&map, none, point);
    CHECK(point[0] == 0 && point[1] == 0 && map.share == 1);
    qn_plane_map_clear(&map);
    CHECK_OK(qn_plane_map_make(two, 2, &map));
    qn_plane_map_place(&map, to_two, point);
    qn_plane_map_place(&map, to_other, other);
    CHECK_NEAR(fabs(point[0] - other[0]), 3, 1e-9);
    CHECK(point[1] == 0 && other[1] == 0);
    qn_plane_map_clear(&map);
    CHECK_OK(qn_plane_map_make(same, 3, &map));
    qn_plane_map_place(&map, none, point);
    CHECK(point[0] == 0 && point[1] == 0);
    qn_plane_map_clear(&map);
    CHECK_FAILS(qn_plane_map_make(two, 0, &map), QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(rows_are_those_of_the_square);
    RUN(impossible_distances_are_named);
    RUN(labels_are_ordered_by_size);
    RUN(medoids_cannot_be_improved_by_a_swap);
    RUN(medoids_of_separate_groups_are_the_best);
    RUN(identical_items_may_all_be_medoids);
    RUN(measures_follow_their_definitions);
    RUN(a_case_by_hand);
    RUN(davies_bouldin_at_its_limits);
    RUN(a_map_of_a_plane_is_exact);
    RUN(small_maps_have_fewer_axes);
    return check_finish();
}
