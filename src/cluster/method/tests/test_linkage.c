/* Hierarchical clustering: every merge is checked by the definition of its method, in double precision and from the
 * items alone; heights and flat clusters are compared with scipy's. */
#include "cluster/method/linkage.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cluster/method/dendrogram.h"
#include "cluster/method/labels.h"
#include "cluster/method/tests/made_matrix.h"

static const qn_linkage_method methods[] = {QN_LINKAGE_SINGLE, QN_LINKAGE_COMPLETE, QN_LINKAGE_AVERAGE,
                                            QN_LINKAGE_WARD};
static const char *const method_names[] = {"single", "complete", "average", "ward"};

/* Distance of two groups of items by the definition. Ward: sqrt(2·|A|·|B|/(|A| + |B|)) times the distance of the
 * centroids, whose square follows from the squared distances of the items. */
static double group_distance(const float *distances, size_t count, qn_linkage_method method, const char *in_a,
                             const char *in_b)
{
    double least = INFINITY, most = 0, sum = 0, across = 0, within_a = 0, within_b = 0, a = 0, b = 0;
    for (size_t i = 0; i < count; i++) a += in_a[i], b += in_b[i];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            if (i == j) continue;
            const double d = (double)distances[qn_distance_place(count, i, j)];
            if (in_a[i] && in_a[j]) within_a += d * d / 2;
            if (in_b[i] && in_b[j]) within_b += d * d / 2;
            if (!in_a[i] || !in_b[j]) continue;
            least = fmin(least, d), most = fmax(most, d), sum += d, across += d * d;
        }
    if (method == QN_LINKAGE_SINGLE) return least;
    if (method == QN_LINKAGE_COMPLETE) return most;
    if (method == QN_LINKAGE_AVERAGE) return sum / (a * b);
    const double square = across / (a * b) - within_a / (a * a) - within_b / (b * b);
    return sqrt(fmax(0, 2 * a * b / (a + b) * square));
}

/* Replay the merges: each must join two clusters whose distance is its height, with no closer pair left. */
static void replay(const float *distances, size_t count, qn_linkage_method method, const qn_merge *merges)
{
    char *members = calloc(2 * count * count, 1);
    char *present = calloc(2 * count, 1);
    double worst_height = 0, worst_order = 0;
    for (size_t i = 0; i < count; i++) members[i * count + i] = present[i] = 1;
    for (size_t k = 0; k + 1 < count; k++) {
        const qn_merge *merge = &merges[k];
        if (!CHECK(merge->first < merge->second && merge->second < count + k)) break;
        CHECK(present[merge->first] && present[merge->second]);
        double closest = INFINITY;
        for (size_t a = 0; a < count + k; a++)
            for (size_t b = a + 1; b < count + k; b++)
                if (present[a] && present[b])
                    closest = fmin(closest,
                                   group_distance(distances, count, method, members + a * count, members + b * count));
        const double expected =
            group_distance(distances, count, method, members + merge->first * count, members + merge->second * count);
        worst_height = fmax(worst_height, fabs(expected - (double)merge->height));
        worst_order = fmax(worst_order, expected - closest);
        if (k > 0) CHECK(merge->height >= merges[k - 1].height);
        size_t size = 0;
        for (size_t i = 0; i < count; i++) {
            members[(count + k) * count + i] =
                (char)(members[merge->first * count + i] | members[merge->second * count + i]);
            size += (size_t)members[(count + k) * count + i];
        }
        CHECK(merge->size == size);
        present[merge->first] = present[merge->second] = 0;
        present[count + k] = 1;
    }
    CHECK_NEAR(worst_height, 0, 2e-5);
    CHECK_NEAR(worst_order, 0, 2e-5);
    free(members);
    free(present);
}

static void check_set(size_t count, size_t dimension, size_t groups, double step)
{
    float *distances = made_distances(count, dimension, groups, step);
    const qn_distance_matrix matrix = {.count = count, .values = distances};
    qn_merge *merges = calloc(count, sizeof *merges);
    for (size_t m = 0; m < 4; m++) {
        CHECK_OK(qn_linkage_compute(&matrix, methods[m], NULL, merges));
        replay(distances, count, methods[m], merges);
    }
    free(merges);
    free(distances);
}

static void merges_follow_the_definition(void)
{
    check_set(2, 3, 1, 0);
    check_set(3, 3, 1, 0);
    check_set(17, 1, 1, 0);
    check_set(29, 3, 1, 0);
    check_set(40, 3, 4, 0);
}

static void ties_and_identical_items_are_merged_too(void)
{
    check_set(25, 2, 1, 4);  /* a grid of nine points */
    check_set(30, 1, 1, 2);  /* five places */
    check_set(12, 3, 1, 40); /* one place */
}

/* 1,100 slots are packed; 8,500 are also scanned in pieces by the pool. */
static void compare_with_pool(size_t count, qn_linkage_method method)
{
    float *distances = made_distances(count, 3, 7, 0);
    const qn_distance_matrix matrix = {.count = count, .values = distances};
    qn_merge *serial = calloc(count, sizeof *serial), *pooled = calloc(count, sizeof *pooled);
    qn_pool *pool = NULL;
    CHECK_OK(qn_pool_create(3, &pool));
    CHECK_OK(qn_linkage_compute(&matrix, method, NULL, serial));
    CHECK_OK(qn_linkage_compute(&matrix, method, pool, pooled));
    CHECK(memcmp(serial, pooled, (count - 1) * sizeof *serial) == 0);
    qn_pool_destroy(&pool);
    free(serial);
    free(pooled);
    free(distances);
}

static void threads_change_nothing(void)
{
    compare_with_pool(1100, QN_LINKAGE_WARD);
    compare_with_pool(8500, QN_LINKAGE_AVERAGE);
    compare_with_pool(8500, QN_LINKAGE_SINGLE);
}

/* Naive average linkage on a full matrix with Lance and Williams in double, for a set that is packed. */
static void packing_keeps_the_heights(void)
{
    enum { COUNT = 1300 };
    float *distances = made_distances(COUNT, 4, 5, 0);
    double *full = calloc((size_t)COUNT * COUNT, sizeof *full), *size = calloc(COUNT, sizeof *size);
    const qn_distance_matrix matrix = {.count = COUNT, .values = distances};
    qn_merge *merges = calloc(COUNT, sizeof *merges);
    CHECK_OK(qn_linkage_compute(&matrix, QN_LINKAGE_AVERAGE, NULL, merges));
    for (size_t i = 0; i < COUNT; i++) {
        size[i] = 1;
        for (size_t j = 0; j < COUNT; j++) full[i * COUNT + j] = (double)qn_distance_at(&matrix, i, j);
    }
    double worst = 0;
    for (size_t k = 0; k + 1 < COUNT; k++) {
        size_t a = 0, b = 0;
        double closest = INFINITY;
        for (size_t i = 0; i < COUNT; i++)
            for (size_t j = i + 1; j < COUNT && size[i] > 0; j++)
                if (size[j] > 0 && full[i * COUNT + j] < closest) closest = full[i * COUNT + j], a = i, b = j;
        worst = fmax(worst, fabs(closest - (double)merges[k].height));
        for (size_t i = 0; i < COUNT; i++)
            full[a * COUNT + i] = full[i * COUNT + a] =
                (size[a] * full[a * COUNT + i] + size[b] * full[b * COUNT + i]) / (size[a] + size[b]);
        size[a] += size[b];
        size[b] = 0;
    }
    CHECK_NEAR(worst, 0, 2e-5);
    free(distances);
    free(full);
    free(size);
    free(merges);
}

static void steps_are_distances_too(void)
{
    const uint16_t steps[] = {1000, 5000, 4500, 5500, 5200, 2000}; /* 4 items */
    const qn_distance_matrix matrix = {.count = 4, .steps = steps, .step = 0.001f};
    qn_merge merges[3];
    for (size_t m = 0; m < 3; m++) {
        CHECK_OK(qn_linkage_compute(&matrix, methods[m], NULL, merges));
        CHECK(merges[0].first == 0 && merges[0].second == 1 && merges[1].first == 2 && merges[1].second == 3);
        CHECK(merges[2].first == 4 && merges[2].second == 5 && merges[2].size == 4);
        CHECK_NEAR((double)merges[0].height, 1, 1e-6);
        CHECK_NEAR((double)merges[1].height, 2, 1e-6);
        const double expected[] = {4.5, 5.5, 5.05};
        CHECK_NEAR((double)merges[2].height, expected[m], 1e-6);
    }
}

/* Items on a line at 0, 1, 3, 6, 10, single linkage: heights 1, 2, 3, 4. */
static void cuts_count_by_height_and_by_number(void)
{
    const double at[] = {0, 1, 3, 6, 10};
    float distances[10];
    for (size_t i = 0; i < 5; i++)
        for (size_t j = i + 1; j < 5; j++) distances[qn_distance_place(5, i, j)] = (float)(at[j] - at[i]);
    const qn_distance_matrix matrix = {.count = 5, .values = distances};
    qn_merge merges[4];
    uint32_t labels[5];
    size_t clusters = 0;
    double cutoff = 0;
    CHECK_OK(qn_linkage_compute(&matrix, QN_LINKAGE_SINGLE, NULL, merges));
    const size_t by_height[] = {5, 4, 3, 2, 1, 1};
    for (int height = 0; height < 6; height++) {
        CHECK_OK(qn_linkage_cut_height(merges, 5, height, labels, &clusters));
        CHECK(clusters == by_height[height]);
        CHECK_OK(qn_linkage_cut_height(merges, 5, height - 0.01, labels, &clusters));
        CHECK(clusters == by_height[height > 0 ? height - 1 : 0]);
    }
    for (size_t most = 1; most < 8; most++) {
        CHECK_OK(qn_linkage_cut_count(merges, 5, most, labels, &clusters, &cutoff));
        CHECK(clusters == (most < 5 ? most : 5));
        CHECK_NEAR(cutoff, most < 5 ? (double)(5 - most) : 0, 1e-6);
    }
    CHECK_OK(qn_linkage_cut_count(merges, 5, 3, labels, &clusters, &cutoff));
    const uint32_t expected[] = {0, 0, 0, 1, 2};
    CHECK(memcmp(labels, expected, sizeof expected) == 0);
    CHECK_FAILS(qn_linkage_cut_count(merges, 5, 0, labels, &clusters, &cutoff), QN_INVALID_ARGUMENT);
}

/* Merges of equal height are made together: five identical items are one cluster however many are asked for. */
static void equal_heights_are_not_torn_apart(void)
{
    const float zero[10] = {0};
    const qn_distance_matrix matrix = {.count = 5, .values = zero};
    qn_merge merges[4];
    uint32_t labels[5];
    size_t clusters = 0;
    double cutoff = 1;
    for (size_t m = 0; m < 4; m++) {
        CHECK_OK(qn_linkage_compute(&matrix, methods[m], NULL, merges));
        CHECK_OK(qn_linkage_cut_count(merges, 5, 3, labels, &clusters, &cutoff));
        CHECK(clusters == 1 && cutoff == 0);
        CHECK_OK(qn_linkage_cut_count(merges, 5, 5, labels, &clusters, &cutoff));
        CHECK(clusters == 5);
    }
}

static void one_item_is_one_cluster(void)
{
    const qn_distance_matrix matrix = {.count = 1};
    uint32_t label = 7, order = 7;
    size_t clusters = 0;
    double correlation = 0, cutoff = 1;
    CHECK_OK(qn_linkage_compute(&matrix, QN_LINKAGE_AVERAGE, NULL, NULL));
    CHECK_OK(qn_linkage_cut_height(NULL, 1, 2, &label, &clusters));
    CHECK(clusters == 1 && label == 0);
    CHECK_OK(qn_linkage_cut_count(NULL, 1, 3, &label, &clusters, &cutoff));
    CHECK(clusters == 1 && label == 0 && cutoff == 0);
    CHECK_OK(qn_dendrogram_order(NULL, 1, &order));
    CHECK_OK(qn_dendrogram_correlation(&matrix, NULL, NULL, &correlation));
    CHECK(order == 0 && isnan(correlation));
}

static void too_large_distances_are_refused(void)
{
    const float distances[] = {INFINITY, INFINITY, INFINITY};
    const qn_distance_matrix matrix = {.count = 3, .values = distances};
    qn_merge merges[2];
    CHECK_FAILS(qn_linkage_compute(&matrix, QN_LINKAGE_WARD, NULL, merges), QN_INVALID_ARGUMENT);
}

/* The height at which two items come together, by following the merges upwards. */
static double height_of_pair(const qn_merge *merges, size_t count, uint32_t a, uint32_t b)
{
    for (size_t k = 0; k + 1 < count; k++) {
        if (merges[k].first == a || merges[k].second == a) a = (uint32_t)(count + k);
        if (merges[k].first == b || merges[k].second == b) b = (uint32_t)(count + k);
        if (a == b) return (double)merges[k].height;
    }
    return NAN;
}

static void correlation_and_order_follow_from_the_merges(void)
{
    enum { COUNT = 37 };
    float *distances = made_distances(COUNT, 2, 3, 0);
    const qn_distance_matrix matrix = {.count = COUNT, .values = distances};
    qn_merge merges[COUNT - 1];
    for (size_t m = 0; m < 4; m++) {
        CHECK_OK(qn_linkage_compute(&matrix, methods[m], NULL, merges));
        double x = 0, y = 0, xx = 0, yy = 0, xy = 0, found = 0, pairs = made_pairs(COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            for (uint32_t j = i + 1; j < COUNT; j++) {
                const double d = (double)qn_distance_at(&matrix, i, j), h = height_of_pair(merges, COUNT, i, j);
                x += d, y += h, xx += d * d, yy += h * h, xy += d * h;
            }
        const double expected = (xy - x * y / pairs) / sqrt((xx - x * x / pairs) * (yy - y * y / pairs));
        CHECK_OK(qn_dendrogram_correlation(&matrix, merges, NULL, &found));
        CHECK_NEAR(found, expected, 1e-9);

        uint32_t order[COUNT];
        size_t place[COUNT];
        CHECK_OK(qn_dendrogram_order(merges, COUNT, order));
        for (size_t p = 0; p < COUNT; p++) place[order[p]] = p;
        size_t low[2 * COUNT], high[2 * COUNT];
        for (size_t i = 0; i < COUNT; i++) low[i] = high[i] = place[i];
        for (size_t k = 0; k + 1 < COUNT; k++) { /* the parts of a merge lie side by side */
            CHECK(high[merges[k].first] + 1 == low[merges[k].second]);
            low[COUNT + k] = low[merges[k].first], high[COUNT + k] = high[merges[k].second];
        }
    }
    free(distances);
}

static double *read_numbers(const char *path, size_t *count)
{
    FILE *file = fopen(path, "r");
    double *numbers = NULL, value;
    *count = 0;
    while (file && fscanf(file, " %lf ,", &value) == 1) {
        numbers = realloc(numbers, (*count + 1) * sizeof *numbers);
        numbers[(*count)++] = value;
    }
    if (file) fclose(file);
    return numbers;
}

/* Whether two labellings make the same clusters. */
static int same_clusters(const uint32_t *labels, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if ((labels[i] == labels[j]) != (expected[i] == expected[j])) return 0;
    return 1;
}

/* A set made for this test (tests/data/cluster/README.md): merges, labels and correlation by scipy. */
static void a_made_set_has_scipys_tree(void)
{
    size_t read = 0, count = 0, clusters = 0;
    double *distances = read_numbers(check_data("cluster/made_distances.csv"), &read), cutoff = 0;
    while (made_pairs(count) < read) count++;
    float *values = malloc(read * sizeof *values);
    for (size_t p = 0; p < read; p++) values[p] = (float)distances[p];
    const qn_distance_matrix matrix = {.count = count, .values = values};
    qn_merge *merges = calloc(count, sizeof *merges);
    uint32_t *labels = calloc(count, sizeof *labels);
    for (size_t m = 0; m < 4; m++) {
        char name[64];
        size_t numbers = 0;
        snprintf(name, sizeof name, "cluster/made_%s.csv", method_names[m]);
        double *expected = read_numbers(check_data(name), &numbers);
        CHECK(numbers == 4 * (count - 1));
        CHECK_OK(qn_linkage_compute(&matrix, methods[m], NULL, merges));
        for (size_t k = 0; k + 1 < count; k++) {
            CHECK(merges[k].first == expected[4 * k] && merges[k].second == expected[4 * k + 1]);
            CHECK_NEAR((double)merges[k].height, expected[4 * k + 2], 1e-4);
            CHECK(merges[k].size == expected[4 * k + 3]);
        }
        free(expected);
        snprintf(name, sizeof name, "cluster/made_%s_labels.csv", method_names[m]);
        expected = read_numbers(check_data(name), &numbers); /* correlation, labels of 6 clusters, of height 9 */
        CHECK(numbers == 1 + 2 * count);
        double correlation = 0;
        CHECK_OK(qn_dendrogram_correlation(&matrix, merges, NULL, &correlation));
        CHECK_NEAR(correlation, expected[0], 1e-5);
        CHECK_OK(qn_linkage_cut_count(merges, count, 6, labels, &clusters, &cutoff));
        CHECK(same_clusters(labels, expected + 1, count));
        CHECK_OK(qn_linkage_cut_height(merges, count, 9, labels, &clusters));
        CHECK(same_clusters(labels, expected + 1 + count, count));
        free(expected);
    }
    free(distances);
    free(values);
    free(merges);
    free(labels);
}

/* Among equals the same merges are chosen as by scipy. */
static void ties_are_broken_as_by_scipy(void)
{
    size_t read = 0, count = 0;
    double *distances = read_numbers(check_data("cluster/tied_distances.csv"), &read);
    while (made_pairs(count) < read) count++;
    float *values = malloc(read * sizeof *values);
    for (size_t p = 0; p < read; p++) values[p] = (float)distances[p];
    const qn_distance_matrix matrix = {.count = count, .values = values};
    qn_merge *merges = calloc(count, sizeof *merges);
    for (size_t m = 0; m < 2; m++) {
        char name[64];
        size_t numbers = 0;
        snprintf(name, sizeof name, "cluster/tied_%s.csv", method_names[m]);
        double *expected = read_numbers(check_data(name), &numbers);
        CHECK(numbers == 4 * (count - 1));
        CHECK_OK(qn_linkage_compute(&matrix, methods[m], NULL, merges));
        for (size_t k = 0; k + 1 < count; k++) {
            CHECK(merges[k].first == expected[4 * k] && merges[k].second == expected[4 * k + 1]);
            CHECK((double)merges[k].height == expected[4 * k + 2] && merges[k].size == expected[4 * k + 3]);
        }
        free(expected);
    }
    free(distances);
    free(values);
    free(merges);
}

static void compare_reference(const char *measure, size_t m)
{
    char name[96];
    size_t read = 0, count = 0, clusters = 0;
    double cutoff = 0;
    snprintf(name, sizeof name, "cluster/adk_dims_ca_%s.csv", measure);
    double *square = read_numbers(check_reference_data(name), &read);
    while (count * count < read) count++;
    float *values = malloc(made_pairs(count) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) values[qn_distance_place(count, i, j)] = (float)square[i * count + j];
    const qn_distance_matrix matrix = {.count = count, .values = values};
    qn_merge *merges = calloc(count, sizeof *merges);
    uint32_t *labels = calloc(count, sizeof *labels);
    CHECK_OK(qn_linkage_compute(&matrix, methods[m], NULL, merges));
    snprintf(name, sizeof name, "cluster/adk_ref_%s_%s_linkage.csv", measure, method_names[m]);
    double *expected = read_numbers(check_reference_data(name), &read);
    CHECK(read == 2 * (count - 1));
    for (size_t k = 0; k + 1 < count && 2 * k < read; k++) {
        CHECK_NEAR((double)merges[k].height, expected[2 * k], 1e-4);
        CHECK(merges[k].size == expected[2 * k + 1]);
    }
    free(expected);
    snprintf(name, sizeof name, "cluster/adk_ref_%s_%s_5clusters.txt", measure, method_names[m]);
    expected = read_numbers(check_reference_data(name), &read);
    CHECK_OK(qn_linkage_cut_count(merges, count, 5, labels, &clusters, &cutoff));
    CHECK(read == count && clusters == 5 && same_clusters(labels, expected, count));
    if (m == 0 && strcmp(measure, "rmsd") == 0) { /* GROMACS' `linkage` with 0.5 Å found one cluster */
        CHECK_OK(qn_linkage_cut_height(merges, count, 0.5, labels, &clusters));
        CHECK(clusters == 1);
    }
    free(expected);
    free(square);
    free(values);
    free(merges);
    free(labels);
}

static void a_transition_has_scipys_tree(void)
{
    for (size_t m = 0; m < 3; m++) {
        compare_reference("rmsd", m);
        compare_reference("drmsd", m);
    }
}

int main(void)
{
    RUN(merges_follow_the_definition);
    RUN(ties_and_identical_items_are_merged_too);
    RUN_LONG(threads_change_nothing);
    RUN(packing_keeps_the_heights);
    RUN(steps_are_distances_too);
    RUN(cuts_count_by_height_and_by_number);
    RUN(equal_heights_are_not_torn_apart);
    RUN(one_item_is_one_cluster);
    RUN(too_large_distances_are_refused);
    RUN(correlation_and_order_follow_from_the_merges);
    RUN(a_made_set_has_scipys_tree);
    RUN(ties_are_broken_as_by_scipy);
    if (check_reference_data("cluster/adk_dims_ca_rmsd.csv")) RUN_LONG(a_transition_has_scipys_tree);
    return check_finish();
}
