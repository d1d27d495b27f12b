/* Volumes in MRC files: real maps compared with numpy, every mode and byte order built byte by byte, axes,
 * irregular headers of real files, truncation, hostile headers, round trips. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <quern/volume.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "format/image/half.h"
#include "format/image/mrc_write.h"
#include "format/tests/mrc_files.h"

typedef struct voxel {
    int x, y, z;
    double value;
} voxel;

static float at(const qn_volume *v, int x, int y, int z)
{
    return v->values[((size_t)z * (size_t)v->counts[1] + (size_t)y) * (size_t)v->counts[0] + (size_t)x];
}

static void statistics(const qn_volume *v, double *sum, double *deviation)
{
    const size_t count = (size_t)v->counts[0] * (size_t)v->counts[1] * (size_t)v->counts[2];
    double squares = 0;
    *sum = 0;
    for (size_t i = 0; i < count; i++) *sum += v->values[i];
    for (size_t i = 0; i < count; i++) squares += pow(v->values[i] - *sum / (double)count, 2);
    *deviation = sqrt(squares / (double)count);
}

/* Sums, deviations and values are computed by numpy from the same bytes, with axes sorted by numpy.transpose; sizes are
 * read from the headers by hand. Values have nine digits. */
static const struct {
    const char *name;
    int counts[3], start[3];
    double voxel_angstrom[3], sum, deviation;
    voxel voxels[5];
} maps[] = {
    {"EMD-3001.map",
     {43, 25, 73},
     {-21, -12, 0},
     {0.44825001, 0.3925, 0.45874998},
     41.82456039309909,
     0.1570572211457582,
     {{0, 0, 0, 0.0428344719},
      {21, 12, 36, -0.0801892281},
      {42, 8, 14, -0.116916589},
      {1, 24, 2, 0.0173539612},
      {3, 2, 72, 0.0608865581}}},
    {"EMD-3197.map",
     {20, 20, 20},
     {-2, 0, 0},
     {11.4, 11.4, 11.4},
     6268.896269149147,
     2.39995290849429,
     {{0, 0, 0, -1.80130911},
      {10, 10, 10, 0.125170127},
      {19, 6, 4, 3.33624864},
      {1, 19, 2, 1.59724295},
      {3, 2, 19, -2.50048041}}},
    {"clean70SRibosome_vol_65p.mrc",
     {65, 65, 65},
     {0, 0, 0},
     {1, 1, 1},
     0.44650714061837693,
     6.880044249749134e-05,
     {{0, 0, 0, -2.57460613e-07}, {32, 32, 32, -1.63125078e-05}, {64, 21, 13, 0}, {1, 64, 2, 0}, {3, 2, 64, 0}}},
    {"hand-vol.mrc",
     {64, 64, 64},
     {0, 0, 0},
     {1, 1, 1},
     269.82174346149804,
     0.10419607775021003,
     {{0, 0, 0, -0.00204397831},
      {32, 32, 32, 0.268595099},
      {63, 21, 12, 0.00188442448},
      {1, 63, 2, -0.00167619623},
      {3, 2, 63, -0.00219147326}}},
    {"toymodel_small_nocenter.mrc",
     {30, 30, 30},
     {0, 0, 0},
     {1, 1, 1},
     180,
     0.08137703743822468,
     {{0, 0, 0, 0}, {15, 15, 15, 1}, {29, 10, 6, 0}, {1, 29, 2, 0}, {3, 2, 29, 0}}},
};

static void real_maps_are_read(void)
{
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        char name[128];
        qn_volume *v;
        double sum, deviation;
        snprintf(name, sizeof name, "cryoem/maps/%s", maps[i].name);
        const char *path = check_reference_data(name);
        CHECK(1); /* nothing to read without the reference data */
        if (!path || !CHECK_OK(qn_volume_read(path, &v))) return;
        for (int k = 0; k < 3; k++) {
            CHECK(v->counts[k] == maps[i].counts[k]);
            CHECK(v->start[k] == maps[i].start[k]);
            CHECK_NEAR(v->voxel_angstrom[k], maps[i].voxel_angstrom[k], 1e-7 * maps[i].voxel_angstrom[k]);
            CHECK(v->origin_angstrom[k] == 0);
        }
        statistics(v, &sum, &deviation);
        CHECK_NEAR(sum, maps[i].sum, 1e-9 * fabs(maps[i].sum));
        CHECK_NEAR(deviation, maps[i].deviation, 1e-9 * maps[i].deviation);
        for (int j = 0; j < 5; j++) {
            const voxel *e = &maps[i].voxels[j];
            CHECK_NEAR(at(v, e->x, e->y, e->z), e->value, 1e-8 * fabs(e->value));
        }
        qn_volume_destroy(&v);
        CHECK(v == NULL);
    }
}

/* Six values in two rows, as each mode stores them. Mode 12: IEEE 754 binary16, encoded by hand. */
static const struct {
    int mode, bytes;
    uint32_t stored[6];
    float values[6];
} modes[] = {
    {0, 1, {0, 1, 127, 128, 255, 200}, {0, 1, 127, -128, -1, -56}},
    {1, 2, {0, 1, 32767, 32768, 65535, 512}, {0, 1, 32767, -32768, -1, 512}},
    {6, 2, {0, 1, 32767, 32768, 65535, 512}, {0, 1, 32767, 32768, 65535, 512}},
    {12,
     2,
     {0x3c00, 0xc100, 0x7bff, 0x0400, 0x0001, 0x3555},
     {1, -2.5f, 65504, 6.103515625e-05f, 5.960464477539063e-08f, 0.333251953125f}},
    {2, 4, {0x3f800000, 0xc0200000, 0x7f7fffff, 0, 0x80000000, 0x3eaaaaab}, {1, -2.5f, 3.40282347e38f, 0, 0, 1 / 3.f}},
};

static void modes_are_read_in_either_endianness(void)
{
    static const int counts[3] = {3, 2, 1};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        for (int kind = 0; kind < 4; kind++) { /* big endian; with an extended header of 37 bytes */
            const size_t extended = kind & 2 ? 37 : 0;
            mrc_bytes file = mrc_make(kind & 1, modes[m].mode, counts, extended, 6 * (size_t)modes[m].bytes);
            for (size_t i = 0; i < 6; i++)
                mrc_put(&file, 1024 + extended + i * (size_t)modes[m].bytes, modes[m].stored[i], modes[m].bytes);
            qn_volume *v;
            if (CHECK_OK(qn_volume_read(mrc_save(&file, "mode.mrc"), &v))) {
                for (int i = 0; i < 6; i++) CHECK(v->values[i] == modes[m].values[i]);
                CHECK_NEAR(v->voxel_angstrom[0], 2, 0);
                qn_volume_destroy(&v);
            }
            mrc_free(&file);
        }
    }
}

static void half_precision_infinities_and_small_values_are_kept(void)
{
    static const int counts[3] = {4, 1, 1};
    mrc_bytes file = mrc_make(false, 12, counts, 0, 8);
    qn_volume *v;
    mrc_put(&file, 1024, 0x7c00, 2);
    mrc_put(&file, 1026, 0xfc00, 2);
    mrc_put(&file, 1028, 0x7e00, 2);
    mrc_put(&file, 1030, 0x83ff, 2);
    if (CHECK_OK(qn_volume_read(mrc_save(&file, "half.mrc"), &v))) {
        CHECK(v->values[0] == INFINITY && v->values[1] == -INFINITY && isnan(v->values[2]));
        CHECK_NEAR(v->values[3], -1023.0 / 16777216, 0);
        qn_volume_destroy(&v);
    }
    mrc_free(&file);
}

/* Rows of 5 begin at whole bytes: 3 bytes each; the lower half of a byte is the left value. */
static void four_bit_values_are_read(void)
{
    static const int counts[3] = {5, 2, 1};
    static const unsigned char bytes[6] = {0x21, 0x43, 0xf5, 0x0f, 0xa0, 0x07};
    static const float values[10] = {1, 2, 3, 4, 5, 15, 0, 0, 10, 7};
    for (int big = 0; big < 2; big++) {
        mrc_bytes file = mrc_make(big, 101, counts, 0, 6);
        qn_volume *v;
        memcpy(file.data + 1024, bytes, 6);
        if (CHECK_OK(qn_volume_read(mrc_save(&file, "packed.mrc"), &v))) {
            for (int i = 0; i < 10; i++) CHECK(v->values[i] == values[i]);
            qn_volume_destroy(&v);
        }
        mrc_free(&file);
    }
}

/* Bytes of old files are unsigned. They are recognised by IMOD's mark, or by a maximum that signed bytes cannot
 * reach. */
static void bytes_of_old_files_are_unsigned(void)
{
    static const int counts[3] = {2, 1, 1};
    static const struct {
        float least, largest;
        uint32_t mark, flags;
        float value; /* of 0xff */
    } kinds[] = {{0, 255, 0, 0, 255},
                 {0, 100, 0, 0, -1},
                 {-5, 200, 0, 0, -1},
                 {0, 0, 1146047817, 0, 255},
                 {0, 255, 1146047817, 1, -1}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        mrc_bytes file = mrc_make(false, 0, counts, 0, 2);
        qn_volume *v;
        mrc_put_float(&file, 76, kinds[i].least);
        mrc_put_float(&file, 80, kinds[i].largest);
        mrc_put(&file, 152, kinds[i].mark, 4);
        mrc_put(&file, 156, kinds[i].flags, 4);
        file.data[1025] = 0xff;
        if (CHECK_OK(qn_volume_read(mrc_save(&file, "bytes.mrc"), &v))) {
            CHECK(v->values[1] == kinds[i].value);
            qn_volume_destroy(&v);
        }
        mrc_free(&file);
    }
}

/* Each value is 100 x + 10 y + z for every order of the axes; start, voxel and origin belong to the right axes. */
static void axes_in_any_order_are_sorted(void)
{
    static const int orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}},
                     size[3] = {4, 3, 2};
    for (int o = 0; o < 6; o++) {
        const int *axes = orders[o], counts[3] = {size[axes[0] - 1], size[axes[1] - 1], size[axes[2] - 1]};
        mrc_bytes file = mrc_make(o % 2, 2, counts, 0, 96);
        qn_volume *v;
        for (int k = 0; k < 3; k++) {
            mrc_put(&file, 64 + 4 * (size_t)k, (uint32_t)axes[k], 4);
            mrc_put(&file, 16 + 4 * (size_t)k, (uint32_t)(-7 * axes[k]), 4); /* of columns, rows, sections */
            mrc_put(&file, 28 + 4 * (size_t)k, (uint32_t)(10 * (k + 1)), 4); /* of x, y, z, as all below */
            mrc_put_float(&file, 40 + 4 * (size_t)k, 10.0f * (float)(k + 1) * (0.5f + (float)k));
            mrc_put_float(&file, 196 + 4 * (size_t)k, 1.5f * (float)(k + 1));
        }
        for (int i = 0; i < 24; i++) {
            const int place[3] = {i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]};
            int value = 0;
            for (int k = 0; k < 3; k++) value += place[k] * (axes[k] == 1 ? 100 : axes[k] == 2 ? 10 : 1);
            mrc_put_float(&file, 1024 + 4 * (size_t)i, (float)value);
        }
        if (!CHECK_OK(qn_volume_read(mrc_save(&file, "axes.mrc"), &v))) return;
        for (int k = 0; k < 3; k++) {
            CHECK(v->counts[k] == size[k]);
            CHECK(v->start[k] == -7 * (k + 1));
            CHECK_NEAR(v->voxel_angstrom[k], 0.5 + k, 1e-12);
            CHECK_NEAR(v->origin_angstrom[k], 1.5 * (k + 1), 0);
        }
        for (int z = 0; z < 2; z++)
            for (int y = 0; y < 3; y++)
                for (int x = 0; x < 4; x++) CHECK(at(v, x, y, z) == (float)(100 * x + 10 * y + z));
        qn_volume_destroy(&v);
        mrc_free(&file);
    }
}

/* Headers of real files that lack stamps, cell, samples or axes, or have superfluous values. */
static void irregular_headers_of_real_files_are_accepted(void)
{
    static const int counts[3] = {3, 2, 2};
    for (int kind = 0; kind < 16; kind++) {
        mrc_bytes file = mrc_make(kind & 1, 1, counts, 0, 24 + 100);
        qn_volume *v;
        memset(file.data + 208, kind & 2 ? 0x44 : 0, 8); /* no stamp, or one of the wrong byte order */
        if (kind & 4) memset(file.data + 64, 0, 12);
        if (kind & 8)
            memset(file.data + 40, 0, 12);
        else
            for (size_t k = 0; k < 3; k++) mrc_put(&file, 28 + 4 * k, 1, 4);
        mrc_put_float(&file, 196, NAN);
        mrc_put(&file, 1024 + 2 * 11, 321, 2);
        if (CHECK_OK(qn_volume_read(mrc_save(&file, "lenient.mrc"), &v))) {
            CHECK(v->values[11] == 321);
            CHECK(v->voxel_angstrom[0] == 1 && v->voxel_angstrom[2] == 1 && v->origin_angstrom[0] == 0);
            qn_volume_destroy(&v);
        }
        mrc_free(&file);
    }
}

static void missing_samples_default_to_counts(void)
{
    static const int counts[3] = {4, 4, 4};
    mrc_bytes file = mrc_make(false, 0, counts, 0, 64);
    qn_volume *v;
    for (size_t k = 0; k < 3; k++) mrc_put(&file, 28 + 4 * k, 0, 4);
    if (CHECK_OK(qn_volume_read(mrc_save(&file, "samples.mrc"), &v))) CHECK_NEAR(v->voxel_angstrom[1], 2, 0);
    qn_volume_destroy(&v);
    mrc_free(&file);
}

/* Cut a small file with an extended header at many places, from byte 1000 on after every byte. */
static void cut_files_are_refused(void)
{
    static const int counts[3] = {3, 2, 2};
    mrc_bytes file = mrc_make(false, 6, counts, 20, 24);
    const size_t whole = file.size;
    for (size_t size = 0; size < whole; size += size < 1000 ? 83 : 1) {
        qn_volume *v;
        file.size = size;
        CHECK_FAILS(qn_volume_read(mrc_save(&file, "cut.mrc"), &v), QN_BAD_FORMAT);
        CHECK(v == NULL);
        CHECK_MESSAGE_HAS("cut.mrc");
        CHECK_MESSAGE_HAS("expected");
    }
    mrc_free(&file);
}

static const char *gzip(const void *data, size_t size, const char *name)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    gzFile file = gzopen(path, "wb6");
    CHECK(file && gzwrite(file, data, (unsigned)size) == (int)size);
    gzclose(file);
    return path;
}

static void gzipped_maps_are_read(void)
{
    static const int counts[3] = {3, 2, 2};
    mrc_bytes file = mrc_make(true, 6, counts, 20, 24);
    qn_volume *v;
    mrc_put(&file, 1044 + 2 * 7, 4321, 2);
    if (CHECK_OK(qn_volume_read(gzip(file.data, file.size, "map.mrc.gz"), &v))) CHECK(v->values[7] == 4321);
    qn_volume_destroy(&v);
    for (size_t size = 500; size < file.size; size += 17) {
        CHECK_FAILS(qn_volume_read(gzip(file.data, size, "cut.mrc.gz"), &v), QN_BAD_FORMAT);
        CHECK(v == NULL);
    }
    mrc_put(&file, 8, 1 << 30, 4); /* more sections than a few gzipped bytes can hold */
    CHECK_FAILS(qn_volume_read(gzip(file.data, file.size, "bomb.mrc.gz"), &v), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("cannot unpack");
    mrc_free(&file);
}

static void hostile_headers_are_refused(void)
{
    static const int counts[3] = {3, 2, 2};
    static const struct {
        size_t at;
        uint32_t value;
        qn_status status;
        const char *message;
    } faults[] = {
        {0, 0, QN_BAD_FORMAT, "nx is 0"},
        {4, 0xffffffff, QN_BAD_FORMAT, "ny is -1"},
        {8, 0x80000000, QN_BAD_FORMAT, "nz is -2147483648"},
        {0, 0x7fffffff, QN_BAD_FORMAT, "expected"},
        {12, 5, QN_BAD_FORMAT, "mode is 5"},
        {12, 3, QN_UNSUPPORTED, "complex"},
        {12, 4, QN_UNSUPPORTED, "complex"},
        {12, 0xfffffffe, QN_BAD_FORMAT, "mode is -2"},
        {64, 2, QN_BAD_FORMAT, "axes are 2, 2, 3"},
        {68, 7, QN_BAD_FORMAT, "axes are 1, 7, 3"},
        {72, 0x80000000, QN_BAD_FORMAT, "axes are 1, 2, -2147483648"},
        {92, 0xfffffff0, QN_BAD_FORMAT, "extended header has -16"},
        {92, 0x7fffffff, QN_BAD_FORMAT, "expected 2147484"},
        {8, 3, QN_BAD_FORMAT, "has 1048 bytes; expected 1060"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        mrc_bytes file = mrc_make(false, 1, counts, 0, 24);
        qn_volume *v;
        mrc_put(&file, faults[i].at, faults[i].value, 4);
        CHECK_FAILS(qn_volume_read(mrc_save(&file, "hostile.mrc"), &v), faults[i].status);
        CHECK(v == NULL);
        CHECK_MESSAGE_HAS("hostile.mrc");
        CHECK_MESSAGE_HAS(faults[i].message);
        mrc_free(&file);
    }
    mrc_bytes file = mrc_make(false, 2, counts, 0, 48);
    qn_volume *v;
    for (size_t k = 0; k < 3; k++) mrc_put(&file, 4 * k, 0x7fffffff, 4);
    CHECK_FAILS(qn_volume_read(mrc_save(&file, "huge.mrc"), &v), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("2147483647 x 2147483647 x 2147483647");
    mrc_free(&file);
    CHECK_FAILS(qn_volume_read("/nowhere/at/all.mrc", &v), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("/nowhere/at/all.mrc");
}

static void stacks_of_volumes_are_refused(void)
{
    static const int counts[3] = {2, 2, 4};
    mrc_bytes file = mrc_make(false, 0, counts, 0, 16);
    qn_volume *v;
    mrc_put(&file, 88, 401, 4);
    mrc_put(&file, 36, 2, 4);
    CHECK_FAILS(qn_volume_read(mrc_save(&file, "volumes.mrc"), &v), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("holds 2 volumes");
    mrc_free(&file);
}

static qn_volume *make_volume(void)
{
    static const int counts[3] = {5, 4, 3};
    qn_volume *v;
    if (!CHECK_OK(qn_volume_create(counts, 1.25, &v))) return NULL;
    for (int i = 0; i < 60; i++) v->values[i] = (float)(i * i) - 100.5f;
    v->voxel_angstrom[1] = 1.5;
    for (int k = 0; k < 3; k++) {
        v->origin_angstrom[k] = -10.25 * k;
        v->start[k] = 3 - 5 * k;
    }
    return v;
}

static void volumes_are_written_and_read_back(void)
{
    char path[700];
    qn_volume *v = make_volume(), *back;
    snprintf(path, sizeof path, "%s/written.mrc", check_scratch_folder());
    CHECK_OK(qn_volume_write(v, "A label", path));
    if (CHECK_OK(qn_volume_read(path, &back))) {
        CHECK(memcmp(back->values, v->values, 60 * sizeof(float)) == 0);
        for (int k = 0; k < 3; k++) {
            CHECK(back->counts[k] == v->counts[k] && back->start[k] == v->start[k]);
            CHECK_NEAR(back->voxel_angstrom[k], v->voxel_angstrom[k], 1e-6);
            CHECK_NEAR(back->origin_angstrom[k], v->origin_angstrom[k], 0);
        }
        CHECK_TEXT(back->name, path);
        qn_volume_destroy(&back);
    }
    CHECK(leaves_nothing("partial"));
    qn_volume_destroy(&v);
}

static float stored_float(const char *bytes, size_t at)
{
    float value;
    memcpy(&value, bytes + at, 4); /* tests run where floats are little endian, as in the file */
    return value;
}

/* Compare the bytes of the header with the standard. The statistics of i² − 100.5 for i < 60 are computed by hand: mean
 * = 59·119/6 − 100.5, deviation from Σi⁴/60 − (Σi²/60)² = 59·60·119·(3·59² + 3·59 − 1)/30/60 − (59·119/6)². */
static void written_headers_follow_the_standard(void)
{
    char path[700], *bytes;
    size_t size;
    qn_volume *v = make_volume();
    snprintf(path, sizeof path, "%s/header.mrc", check_scratch_folder());
    CHECK_OK(qn_volume_write(v, "A label", path));
    qn_volume_destroy(&v);
    if (!CHECK_OK(qn_file_read(path, &bytes, &size))) return;
    static const unsigned char whole[] = {5, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 3};
    const double mean_square = 59.0 * 119 / 6, fourth = 59.0 * 60 * 119 * (3.0 * 59 * 59 + 3.0 * 59 - 1) / 30 / 60;
    CHECK(size == 1024 + 240 && memcmp(bytes, whole, sizeof whole) == 0);
    CHECK(memcmp(bytes + 208, "MAP DD\0\0", 8) == 0);
    CHECK(memcmp(bytes + 224, "A label  ", 9) == 0 && bytes[220] == 1 && bytes[88] == 1 && bytes[92] == 0);
    CHECK(stored_float(bytes, 40) == 6.25f && stored_float(bytes, 44) == 6.0f && stored_float(bytes, 60) == 90.0f);
    CHECK(stored_float(bytes, 76) == -100.5f && stored_float(bytes, 80) == 59 * 59 - 100.5f);
    CHECK_NEAR(stored_float(bytes, 84), mean_square - 100.5, 1e-4);
    CHECK_NEAR(stored_float(bytes, 216), sqrt(fourth - mean_square * mean_square), 1e-3);
    free(bytes);
}

static void statistics_of_non_finite_values_are_omitted(void)
{
    char path[700], *bytes;
    size_t size;
    qn_volume *v = make_volume();
    v->values[7] = NAN;
    snprintf(path, sizeof path, "%s/nan.mrc", check_scratch_folder());
    CHECK_OK(qn_volume_write(v, NULL, path));
    qn_volume_destroy(&v);
    if (!CHECK_OK(qn_file_read(path, &bytes, &size))) return;
    CHECK(stored_float(bytes, 80) < stored_float(bytes, 76) && stored_float(bytes, 84) < stored_float(bytes, 80));
    CHECK(stored_float(bytes, 216) < 0 && bytes[220] == 0);
    free(bytes);
}

static void writing_fails_cleanly(void)
{
    char path[700];
    qn_volume *v = make_volume();
    CHECK_FAILS(qn_volume_write(v, NULL, "/nowhere/at/all.mrc"), QN_NOT_FOUND);
    snprintf(path, sizeof path, "%s/taken.mrc", check_scratch_folder());
    CHECK(mkdir(path, 0777) == 0); /* a folder cannot be replaced by a file */
    CHECK_FAILS(qn_volume_write(v, NULL, path), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("taken.mrc");
    CHECK(leaves_nothing("partial"));
    rmdir(path);
    struct rlimit limit, small = {1100, 1100}; /* as on a full disk: the header and 19 of 60 values fit */
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    small.rlim_max = limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    snprintf(path, sizeof path, "%s/full.mrc", check_scratch_folder());
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    qn_status status = qn_volume_write(v, NULL, path);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(status == QN_IO_ERROR);
    CHECK_MESSAGE_HAS("full.mrc");
    CHECK(leaves_nothing("full"));
    qn_volume_destroy(&v);
}

static void empty_and_huge_volumes_are_refused(void)
{
    static const int none[3] = {4, 0, 4}, huge[3] = {2147483647, 2147483647, 2147483647};
    qn_volume *v;
    CHECK_FAILS(qn_volume_create(none, 1, &v), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_volume_create(huge, 1, &v), QN_OUT_OF_MEMORY);
    CHECK(v == NULL);
    qn_volume_destroy(&v);
}

/* ---- 2-byte floats ---- */

/* Every 2-byte float comes back, and floats between two of them go to the nearer one, or to the even one. */
static void halves_are_rounded_to_the_nearest(void)
{
    int wrong = 0;
    for (uint32_t half = 0; half < 0x7c00; half++) {
        const double value = ldexp(half < 1024 ? half : 1024 + half % 1024, (half < 1024 ? 1 : (int)(half >> 10)) - 25);
        const double next = ldexp(half + 1 < 1024 ? half + 1 : 1024 + (half + 1) % 1024,
                                  (half + 1 < 1024 ? 1 : (int)((half + 1) >> 10)) - 25);
        const double middle = (value + next) / 2;
        wrong += qn_half_to_float(half) != value || qn_half_to_float(half | 0x8000) != -value;
        wrong += qn_half_from_float((float)value) != half || qn_half_from_float((float)-value) != (half | 0x8000);
        wrong += qn_half_from_float((float)middle) != half + (half & 1);
        wrong += qn_half_from_float(nextafterf((float)middle, 0)) != half;
        wrong += qn_half_from_float(nextafterf((float)middle, 1e9f)) != half + 1;
    }
    CHECK(wrong == 0);
    CHECK(qn_half_from_float(INFINITY) == 0x7c00 && qn_half_from_float(-1e9f) == 0xfc00);
    CHECK(isnan(qn_half_to_float(qn_half_from_float(NAN))));
}

static void files_of_halves_are_written(void)
{
    const float values[6] = {0.25f, -1, 3.5f, 1024, 0.333f, 7};
    const qn_mrc_description description = {.counts = {3, 2, 1}, .voxel_angstrom = {1.5, 1.5, 1.5}};
    char path[700];
    qn_mrc_writer *writer;
    qn_volume *volume = NULL;
    struct stat information;
    snprintf(path, sizeof path, "%s/half.mrc", check_scratch_folder());
    if (!CHECK_OK(qn_mrc_writer_create(path, true, &writer))) return;
    CHECK_OK(qn_mrc_writer_append(writer, values, 6));
    CHECK_OK(qn_mrc_writer_finish(&writer, &description));
    CHECK(stat(path, &information) == 0 && information.st_size == 1024 + 12);
    if (!CHECK_OK(qn_volume_read(path, &volume))) return;
    for (int i = 0; i < 6; i++) CHECK_NEAR(volume->values[i], values[i], 1e-3 * fabs(values[i]));
    CHECK(volume->values[3] == 1024);
    qn_volume_destroy(&volume);
    CHECK_OK(qn_mrc_writer_create(path, true, &writer));
    CHECK_FAILS(qn_mrc_writer_append(writer, (const float[]){70000}, 1), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("70000");
    qn_mrc_writer_discard(&writer);
    CHECK_OK(qn_mrc_writer_create(path, true, &writer)); /* infinite values stay what they are */
    CHECK_OK(qn_mrc_writer_append(writer, (const float[]){INFINITY, 65504, -INFINITY}, 3));
    qn_mrc_writer_discard(&writer);
}

int main(void)
{
    RUN(real_maps_are_read);
    RUN(modes_are_read_in_either_endianness);
    RUN(half_precision_infinities_and_small_values_are_kept);
    RUN(four_bit_values_are_read);
    RUN(bytes_of_old_files_are_unsigned);
    RUN(axes_in_any_order_are_sorted);
    RUN(irregular_headers_of_real_files_are_accepted);
    RUN(missing_samples_default_to_counts);
    RUN(cut_files_are_refused);
    RUN(gzipped_maps_are_read);
    RUN(hostile_headers_are_refused);
    RUN(stacks_of_volumes_are_refused);
    RUN(volumes_are_written_and_read_back);
    RUN(written_headers_follow_the_standard);
    RUN(statistics_of_non_finite_values_are_omitted);
    RUN(writing_fails_cleanly);
    RUN(empty_and_huge_volumes_are_refused);
    RUN(halves_are_rounded_to_the_nearest);
    RUN(files_of_halves_are_written);
    return check_finish();
}
