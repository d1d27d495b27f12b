/* Tiles of matrices and the store of their values. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/matrix/tiles.h"
#include "cluster/method/distance_matrix.h"
#include "format/npy.h"

static qn_pool *pool;

/* A value that tells its pair. */
static float value_of(size_t row, size_t column)
{
    return (float)row + (float)column / 1024;
}

static const char *in_scratch(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

/* Tiles have every pair once, are no larger than they may be, and have the pairs that they say. */
static void check_plan(size_t count, size_t references, size_t side)
{
    const qn_tile_plan plan = qn_tile_plan_make(count, references, side);
    unsigned char *seen = calloc(count * (count + references), 1);
    uint64_t pairs = 0;
    int wrong = 0;
    if (!CHECK(seen != NULL)) return;
    for (uint64_t i = 0; i < plan.tile_count; i++) {
        qn_measure_range rows, columns;
        qn_tile_plan_ranges(&plan, i, &rows, &columns);
        wrong += rows.count == 0 || columns.count == 0 || rows.count > side || columns.count > side;
        const bool diagonal = rows.first == columns.first;
        for (size_t r = rows.first; r < rows.first + rows.count; r++)
            for (size_t c = diagonal ? r + 1 : columns.first; c < columns.first + columns.count; c++) {
                wrong += r >= count || c >= count + references || seen[r * (count + references) + c]++ != 0;
                pairs++;
            }
        wrong +=
            qn_tile_plan_pairs(&plan, i) != (diagonal ? rows.count * (rows.count - 1) / 2 : rows.count * columns.count);
    }
    CHECK(wrong == 0);
    CHECK(pairs == plan.value_count);
    CHECK(pairs == (references ? count * references : count * (count - 1) / 2));
    free(seen);
}

static void plans_have_every_pair_once(void)
{
    static const size_t counts[] = {2, 3, 127, 128, 129, 500, 1030};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_plan(counts[i], 0, 2048);
        check_plan(counts[i], 0, 128);
        check_plan(counts[i], 1, 2048);
        check_plan(counts[i], 300, 128);
    }
    check_plan(1, 4, 128);
}

/* The order of scipy's pdist: (0,1), (0,2), … (1,2), … */
static void places_are_those_of_pdist(void)
{
    size_t place = 0;
    for (size_t i = 0; i < 9; i++)
        for (size_t j = i + 1; j < 9; j++, place++) {
            CHECK(qn_distance_place(9, i, j) == place);
            CHECK(qn_distance_place(9, j, i) == place);
        }
}

static qn_status put_tile(qn_tile_store *store, const qn_tile_plan *plan, uint64_t number, uint32_t *checksum)
{
    static float values[512 * 512];
    qn_measure_range rows, columns;
    qn_tile_plan_ranges(plan, number, &rows, &columns);
    for (size_t r = 0; r < rows.count; r++)
        for (size_t c = 0; c < columns.count; c++)
            values[r * columns.count + c] =
                rows.first == columns.first && c <= r ? NAN : value_of(rows.first + r, columns.first + c);
    return qn_tile_store_put(store, number, values, pool, checksum);
}

static void fill(qn_tile_store *store, const qn_tile_plan *plan)
{
    uint32_t checksum;
    for (uint64_t i = plan->tile_count; i-- > 0;) CHECK_OK(put_tile(store, plan, i, &checksum));
}

static void check_values(const qn_tile_plan *plan, const float *values)
{
    int wrong = 0;
    for (size_t r = 0; r < plan->count; r++)
        for (size_t c = plan->reference_count ? 0 : r + 1;
             c < (plan->reference_count ? plan->reference_count : plan->count); c++) {
            const size_t place =
                plan->reference_count ? r * plan->reference_count + c : qn_distance_place(plan->count, r, c);
            wrong += values[place] != value_of(r, plan->reference_count ? plan->count + c : c);
        }
    CHECK(wrong == 0);
}

static void stores_keep_values(void)
{
    const qn_tile_format format = {.step = 0.001f};
    for (size_t references = 0; references < 400; references += 301) {
        const qn_tile_plan plan = qn_tile_plan_make(411, references, 2048);
        qn_tile_store *store;
        const void *values;
        void *taken;
        CHECK_OK(qn_tile_store_create(&plan, &format, &store));
        fill(store, &plan);
        CHECK_OK(qn_tile_store_view(store, &values));
        check_values(&plan, values);
        CHECK_OK(qn_tile_store_take(store, &taken));
        check_values(&plan, taken);
        free(taken);
        qn_tile_store_destroy(&store);
        CHECK_OK(qn_tile_store_open(&plan, &format, in_scratch("values"), &store));
        fill(store, &plan);
        CHECK_OK(qn_tile_store_view(store, &values));
        check_values(&plan, values);
        CHECK_OK(qn_tile_store_finish(store, in_scratch("final.npy")));
        check_values(&plan, values);
        qn_tile_store_destroy(&store);
        CHECK(fopen(in_scratch("values"), "rb") == NULL);
    }
}

/* numpy.lib.format, version 1.0: a length of 118 bytes makes the header a multiple of 64. */
static void headers_are_those_of_numpy(void)
{
    char header[QN_NPY_HEADER_BYTES];
    static const char one[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (19900,), }  ";
    static const char two[] = "{'descr': '<u2', 'fortran_order': False, 'shape': (1000000, 3), } ";
    qn_npy_header(QN_NPY_FLOAT32, 19900, 0, header);
    CHECK(memcmp(header, "\x93NUMPY\x01\x00\x76\x00", 10) == 0);
    CHECK(memcmp(header + 10, one, sizeof one - 1) == 0);
    CHECK(header[127] == '\n');
    qn_npy_header(QN_NPY_UINT16, 1000000, 3, header);
    CHECK(memcmp(header + 10, two, sizeof two - 1) == 0);
    qn_npy_header(QN_NPY_UINT16, UINT64_MAX, UINT64_MAX, header);
    CHECK(header[126] == ' ' && header[127] == '\n');
}

static void sixteen_bits_hold_steps(void)
{
    const qn_tile_plan plan = qn_tile_plan_make(2, 0, 128);
    const qn_tile_format format = {.sixteen_bits = true, .step = 0.001f};
    qn_tile_store *store;
    const void *values;
    uint32_t checksum;
    float tile[4] = {0, 1.2346f, 0, 0};
    CHECK_OK(qn_tile_store_create(&plan, &format, &store));
    CHECK_OK(qn_tile_store_put(store, 0, tile, pool, &checksum));
    CHECK_OK(qn_tile_store_view(store, &values));
    CHECK(*(const uint16_t *)values == 1235);
    tile[1] = 65.536f;
    CHECK_FAILS(qn_tile_store_put(store, 0, tile, pool, &checksum), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("structures 0 and 1");
    CHECK_MESSAGE_HAS("float32");
    tile[1] = NAN;
    CHECK_FAILS(qn_tile_store_put(store, 0, tile, pool, &checksum), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("nan");
    qn_tile_store_destroy(&store);
}

static void similarities_become_distances(void)
{
    const qn_tile_plan plan = qn_tile_plan_make(2, 0, 128);
    const qn_tile_format format = {.inverted = true};
    const float tile[4] = {0, 0.75f, 0, 0};
    qn_tile_store *store;
    const void *values;
    uint32_t checksum;
    CHECK_OK(qn_tile_store_create(&plan, &format, &store));
    CHECK_OK(qn_tile_store_put(store, 0, tile, pool, &checksum));
    CHECK_OK(qn_tile_store_view(store, &values));
    CHECK(*(const float *)values == 0.25f);
    qn_tile_store_destroy(&store);
}

/* A changed byte belongs to one tile, whose checksum changes; a store that is opened again has its values. */
static void damage_is_found(void)
{
    const qn_tile_plan plan = qn_tile_plan_make(300, 0, 128);
    const qn_tile_format format = {0};
    qn_tile_store *store;
    uint32_t checksums[6], again;
    CHECK(plan.tile_count == 6);
    CHECK_OK(qn_tile_store_open(&plan, &format, in_scratch("damaged"), &store));
    for (uint64_t i = 0; i < 6; i++) CHECK_OK(put_tile(store, &plan, i, &checksums[i]));
    qn_tile_store_destroy(&store);
    FILE *file = fopen(in_scratch("damaged"), "r+b");
    if (!CHECK(file != NULL)) return;
    fseek(file, QN_NPY_HEADER_BYTES + 4 * (long)qn_distance_place(300, 3, 290), SEEK_SET);
    fputc(1, file);
    fclose(file);
    CHECK_OK(qn_tile_store_open(&plan, &format, in_scratch("damaged"), &store));
    for (uint64_t i = 0; i < 6; i++) {
        CHECK_OK(qn_tile_store_check(store, i, pool, &again));
        CHECK((again == checksums[i]) == (i != 2)); /* the third tile of the first row of tiles */
    }
    qn_tile_store_destroy(&store);
}

int main(void)
{
    if (!CHECK_OK(qn_pool_create(2, &pool))) return check_finish();
    RUN(plans_have_every_pair_once);
    RUN(places_are_those_of_pdist);
    RUN(headers_are_those_of_numpy);
    RUN(stores_keep_values);
    RUN(sixteen_bits_hold_steps);
    RUN(similarities_become_distances);
    RUN(damage_is_found);
    qn_pool_destroy(&pool);
    return check_finish();
}
