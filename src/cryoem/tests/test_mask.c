/* Compare distances, connected parts and thresholds with slow computations, and masks with known shapes. */
#include "check.h"

#include <math.h>
#include <quern/resolution.h>
#include <stdlib.h>
#include <string.h>

#include "cryoem/distance.h"
#include "cryoem/mask_parts.h"
#include "cryoem/mask_threshold.h"
#include "math/random.h"

static qn_context *context;

static double draw(uint64_t stream, size_t i)
{
    return qn_random_uniform(411, stream, i);
}

static float gauss(uint64_t stream, size_t i)
{
    return (float)(sqrt(-2 * log(1 - draw(stream, 2 * i))) * cos(6.28318530717958648 * draw(stream, 2 * i + 1)));
}

static qn_volume *volume_of(int x, int y, int z, double voxel_angstrom)
{
    qn_volume *volume;
    if (!CHECK_OK(qn_volume_create((int[3]){x, y, z}, voxel_angstrom, &volume))) exit(1);
    return volume;
}

static size_t voxels_of(const qn_volume *volume)
{
    return (size_t)volume->counts[0] * (size_t)volume->counts[1] * (size_t)volume->counts[2];
}

static double squared(const int counts[3], size_t a, size_t b)
{
    const size_t across = (size_t)counts[0], down = (size_t)counts[1];
    const double x = (double)(a % across) - (double)(b % across);
    const double y = (double)(a / across % down) - (double)(b / across % down);
    const double z = (double)(a / across / down) - (double)(b / across / down);
    return x * x + y * y + z * z;
}

/* Compare each voxel with every mark. From one voxel in 2000 to one in 5 is marked. */
static void distances_agree_with_a_search_of_all_marks(void)
{
    const int counts[3] = {23, 17, 20};
    const size_t voxels = 23 * 17 * 20;
    const double shares[] = {0.0005, 0.004, 0.03, 0.2};
    float *found = malloc(voxels * sizeof *found);
    for (int i = 0; i < 8; i++) {
        const float reach = i < 4 ? 100 : 4.5f;
        char *mark = malloc(voxels);
        for (size_t k = 0; k < voxels; k++) {
            mark[k] = draw((uint64_t)i, k) < shares[i % 4] || k == 1234;
            found[k] = mark[k] ? 0 : 1;
        }
        CHECK_OK(qn_distance_squared(NULL, counts, reach, found));
        size_t wrong = 0;
        for (size_t k = 0; k < voxels; k++) {
            double nearest = (double)reach * (double)reach;
            for (size_t other = 0; other < voxels; other++)
                if (mark[other]) nearest = fmin(nearest, squared(counts, k, other));
            wrong += (double)found[k] != nearest;
        }
        CHECK(wrong == 0);
        free(mark);
    }
    for (size_t k = 0; k < voxels; k++) found[k] = 1;
    CHECK_OK(qn_distance_squared(NULL, counts, 30, found)); /* no mark at all */
    CHECK(found[0] == 900 && found[voxels / 2] == 900);
    free(found);
}

/* Spread labels to connected voxels until no label changes. Returns the number of parts. */
static size_t flood(const qn_volume *map, double threshold, size_t *label)
{
    const size_t voxels = voxels_of(map),
                 strides[3] = {1, (size_t)map->counts[0], (size_t)map->counts[0] * (size_t)map->counts[1]};
    size_t parts = 0;
    for (size_t i = 0; i < voxels; i++) label[i] = (double)map->values[i] > threshold ? i + 1 : 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t i = 0; i < voxels; i++)
            for (int axis = 0; axis < 3 && label[i]; axis++) {
                const size_t place = i / strides[axis] % (size_t)map->counts[axis];
                if (place + 1 == (size_t)map->counts[axis]) continue;
                size_t *next = &label[i + strides[axis]];
                if (!*next || *next == label[i]) continue;
                *next = label[i] = *next < label[i] ? *next : label[i];
                changed = 1;
            }
    }
    for (size_t i = 0; i < voxels; i++) parts += label[i] == i + 1;
    return parts;
}

static void parts_agree_with_a_flood_fill(void)
{
    qn_volume *map = volume_of(19, 15, 17, 1);
    const size_t voxels = voxels_of(map);
    float *distance = malloc(voxels * sizeof *distance);
    size_t *label = malloc(voxels * sizeof *label), *size = calloc(voxels + 1, sizeof *size);
    for (int i = 0; i < 3; i++) {
        const double threshold = 0.9 - 0.12 * i, share = 0.1, peak = 0.95;
        double highest[4846] = {0};
        size_t largest = 0, wrong = 0, kept_voxels = 0;
        qn_mask_parts parts;
        for (size_t k = 0; k < voxels; k++) map->values[k] = (float)draw((uint64_t)i, k);
        CHECK_OK(qn_mask_find_parts(NULL, map, threshold, peak, share, distance, &parts));
        CHECK(parts.found == flood(map, threshold, label));
        memset(size, 0, (voxels + 1) * sizeof *size);
        for (size_t k = 0; k < voxels; k++) {
            size[label[k]]++;
            highest[label[k]] = fmax(highest[label[k]], (double)map->values[k]);
        }
        for (size_t k = 1; k <= voxels; k++)
            if (highest[k] >= peak && size[k] > largest) largest = size[k];
        for (size_t k = 0; k < voxels; k++) {
            const int kept =
                label[k] > 0 && highest[label[k]] >= peak && (double)size[label[k]] >= share * (double)largest;
            wrong += (distance[k] == 0) != kept;
            kept_voxels += (size_t)kept;
        }
        CHECK(wrong == 0 && kept_voxels == parts.voxels && parts.kept > 0 && parts.kept <= parts.found);
    }
    free(distance);
    free(label);
    free(size);
    qn_volume_destroy(&map);
}

/* The background is 5 with a deviation of 0.5, and a tenth of the voxels is at 25: a quarter of the height is at 10,
 * half of it at 15. */
static void levels_of_a_mixture_are_found(void)
{
    qn_volume *map = volume_of(50, 50, 50, 1);
    qn_mask_levels levels;
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < voxels_of(map); i++) {
        map->values[i] = 5 + 0.5f * gauss(1, i) + (i % 10 == 0 ? 20 : 0);
        low = fminf(low, map->values[i]);
        high = fmaxf(high, map->values[i]);
    }
    CHECK_OK(qn_mask_find_levels(NULL, map, low, high, &levels));
    CHECK_NEAR(levels.background, 5, 0.1);
    CHECK_NEAR(levels.noise, 0.5, 0.1);
    CHECK_NEAR(levels.threshold, 10, 0.1);
    CHECK_NEAR(levels.surface, 15, 0.1);
    for (size_t i = 0; i < voxels_of(map); i++)
        if (i % 10 == 0) map->values[i] -= 16; /* now 4 above the background: a quarter of that lies within the noise */
    CHECK_OK(qn_mask_find_levels(NULL, map, low, high, &levels));
    CHECK_NEAR(levels.threshold, levels.background + 3 * levels.noise, 1e-9);
    qn_volume_destroy(&map);
}

/* ---- masks of balls ---- */

typedef struct sphere {
    double x, y, z, radius, height;
} sphere;

static double away(const qn_volume *v, const sphere *s, size_t i)
{
    const size_t across = (size_t)v->counts[0], down = (size_t)v->counts[1];
    const double x = (double)(i % across) - s->x, y = (double)(i / across % down) - s->y;
    return sqrt(x * x + y * y + pow((double)(i / across / down) - s->z, 2));
}

static qn_volume *scene(int side, const sphere *spheres, int count, double noise)
{
    qn_volume *map = volume_of(side, side, side, 2);
    for (size_t i = 0; i < voxels_of(map); i++) {
        map->values[i] = (float)noise * gauss(3, i) - 1;
        for (int k = 0; k < count; k++)
            if (away(map, &spheres[k], i) <= spheres[k].radius) map->values[i] += (float)spheres[k].height;
    }
    return map;
}

/* Distance in voxels of 2 Å by which the filter moves a flat border outwards. The filter is a Gaussian that halves
 * amplitudes at 15 Å; its deviation is 15 Å · √(ln 2 / 2) / π = 2.811 Å. A blurred border is at a quarter of its height
 * 0.6745 deviations farther out. */
static const double moved = 0.6745 * 2.811 / 2;

/* Check that a mask is 1 up to the extended radius, 0 beyond the edge, and falls in between. `slack` voxels are
 * tolerated, since the filter moves a round border by a slightly different distance. */
static void check_ball(const qn_volume *mask, const sphere *s, double extend, double edge, double slack)
{
    size_t wrong_inside = 0, wrong_outside = 0, wrong_between = 0, between = 0;
    for (size_t i = 0; i < voxels_of(mask); i++) {
        const double beyond = away(mask, s, i) - s->radius - moved - extend, value = (double)mask->values[i];
        const double expected = 0.5 + 0.5 * cos(3.14159265358979 * fmin(1, fmax(0, beyond / edge)));
        wrong_inside += beyond <= -slack && value != 1;
        wrong_outside += beyond >= edge + slack && value != 0;
        if (edge > 0 && beyond > 0 && beyond < edge) {
            between++;
            wrong_between += fabs(value - expected) > 1.6 * slack / edge;
        }
    }
    CHECK(wrong_inside == 0 && wrong_outside == 0 && wrong_between == 0);
    CHECK(edge == 0 || between > 1000);
}

static void a_ball_in_noise_is_found(void)
{
    const sphere ball = {30, 34, 32, 14, 1};
    const double extends[] = {3, 0, 5}, edges[] = {6, 8, 0};
    qn_volume *map = scene(64, &ball, 1, 0.3), *mask;
    map->origin_angstrom[1] = 12;
    map->start[2] = -7;
    for (int i = 0; i < 3; i++) {
        qn_mask_options options = qn_mask_default_options();
        options.extend_voxels = extends[i];
        options.soft_edge_voxels = edges[i];
        if (!CHECK_OK(qn_mask_create(context, map, &options, &mask))) return;
        check_ball(mask, &ball, extends[i], edges[i], 1);
        CHECK(mask->voxel_angstrom[2] == 2 && mask->origin_angstrom[1] == 12 && mask->start[2] == -7);
        qn_volume_destroy(&mask);
    }
    qn_volume_destroy(&map);
}

/* A ball without noise, in a box that is not a cube. */
static void a_clean_ball_is_found(void)
{
    const sphere ball = {20, 25, 30, 12, 3};
    qn_volume *map = volume_of(45, 50, 57, 2), *mask;
    for (size_t i = 0; i < voxels_of(map); i++) map->values[i] = away(map, &ball, i) <= ball.radius ? 3 : 0;
    if (!CHECK_OK(qn_mask_create(context, map, NULL, &mask))) return;
    check_ball(mask, &ball, 3, 6, 1);
    qn_volume_destroy(&mask);
    qn_volume_destroy(&map);
}

static void small_parts_are_removed_and_large_ones_kept(void)
{
    const sphere balls[] = {{22, 22, 22, 13, 1}, {56, 54, 52, 10, 1}, {20, 58, 58, 5, 1}};
    qn_volume *map = scene(72, balls, 3, 0.3), *mask;
    if (!CHECK_OK(qn_mask_create(context, map, NULL, &mask))) return;
    CHECK(mask->values[(22 * 72 + 22) * 72 + 22] == 1 && mask->values[(52 * 72 + 54) * 72 + 56] == 1);
    CHECK(mask->values[(58 * 72 + 58) * 72 + 20] == 0);
    qn_volume_destroy(&mask);
    qn_volume_destroy(&map);
}

static void a_given_threshold_is_used(void)
{
    const sphere ball = {24, 24, 24, 12, 1};
    qn_volume *map = scene(48, &ball, 1, 0), *mask;
    qn_mask_options options = {
        .size = sizeof options, .low_pass_angstrom = 0.1, .threshold = -0.5, .extend_voxels = 0, .soft_edge_voxels = 0};
    if (!CHECK_OK(qn_mask_create(context, map, &options, &mask))) return;
    size_t wrong = 0;
    for (size_t i = 0; i < voxels_of(map); i++) wrong += (mask->values[i] == 1) != (map->values[i] > -0.5f);
    CHECK(wrong == 0);
    qn_volume_destroy(&mask);
    options.threshold = 1;
    CHECK_FAILS(qn_mask_create(context, map, &options, &mask), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("the map: nothing is above the threshold of 1: filtered to 0.1 Å it has values up to");
    CHECK(mask == NULL);
    qn_volume_destroy(&map);
}

static void maps_without_density_are_refused(void)
{
    qn_volume *noise = scene(64, NULL, 0, 1), *flat = volume_of(16, 16, 16, 1), *mask;
    const sphere hole = {32, 32, 32, 14, -2};
    CHECK_FAILS(qn_mask_create(context, noise, NULL, &mask), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("the map: nothing stands out: filtered to 15 Å its highest voxel is");
    qn_volume_destroy(&noise);
    noise = scene(64, &hole, 1, 0.2); /* dark density */
    CHECK_FAILS(qn_mask_create(context, noise, NULL, &mask), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("expected density brighter than its surroundings");
    noise->values[77] = NAN;
    CHECK_FAILS(qn_mask_create(context, noise, NULL, &mask), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("the map: voxel 14, 2, 1 (x, y, z from 1) is nan; expected finite numbers");
    CHECK_FAILS(qn_mask_create(context, flat, NULL, &mask), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("nothing stands out");
    qn_mask_options options = qn_mask_default_options();
    options.low_pass_angstrom = -3;
    CHECK_FAILS(qn_mask_create(context, flat, &options, &mask), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("low-pass filter is -3 Å; expected a length above 0");
    qn_volume_destroy(&noise);
    qn_volume_destroy(&flat);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    RUN(distances_agree_with_a_search_of_all_marks);
    RUN(parts_agree_with_a_flood_fill);
    RUN(levels_of_a_mixture_are_found);
    RUN(a_ball_in_noise_is_found);
    RUN(a_clean_ball_is_found);
    RUN(small_parts_are_removed_and_large_ones_kept);
    RUN(a_given_threshold_is_used);
    RUN(maps_without_density_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}
