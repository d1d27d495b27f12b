/* Make a movie of any size to time programs with: quern_bench_movie_set WIDTH HEIGHT FRAMES SEED FILE
 *
 * FILE is an MRC stack of counts of one byte each (mode 0), or, where its name ends in .tif, a TIFF file compressed
 * with LZW, a strip for every 16 rows. A pixel gets Poisson counts of 1.2 electrons a frame on average, around a scene
 * of random blobs of about 30 pixels. The content of frame t moves by up to 12 pixels as a whole and by up to 3 pixels
 * more away from the middle; places are rounded to whole pixels, so the files are for timing and not for accuracy. A
 * count is a function of seed, frame and pixel, so the files do not depend on threads.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/random.h"

enum { ROWS_OF_STRIP = 16, MARGIN = 32, CELL = 64, COUNT_MAX = 12 };

typedef struct movie_set {
    int width, height, frame_count;
    uint32_t seed;
    float *scene;         /* [height + 2 MARGIN][width + 2 MARGIN], about −1 … 1 */
    unsigned char *frame; /* [height][width] */
    int t;
} movie_set;

static float blob(const movie_set *set, int cell_x, int cell_y, int x, int y)
{
    const uint32_t counter[4] = {(uint32_t)cell_x, (uint32_t)cell_y, 0, 1}, key[2] = {set->seed, 0};
    uint32_t words[4];
    qn_random_block(counter, key, words);
    const float dx = (float)(x - cell_x * CELL) - (float)words[0] * 0x1p-32F * CELL;
    const float dy = (float)(y - cell_y * CELL) - (float)words[1] * 0x1p-32F * CELL;
    return ((words[2] & 1) ? 1.0F : -1.0F) * expf(-(dx * dx + dy * dy) / (2 * 14.0F * 14.0F));
}

static qn_status draw_row(size_t row, int worker, void *user)
{
    const movie_set *set = user;
    const int width = set->width + 2 * MARGIN, y = (int)row;
    (void)worker;
    for (int x = 0; x < width; x++) {
        float sum = 0;
        for (int cell_y = y / CELL - 1; cell_y <= y / CELL + 1; cell_y++)
            for (int cell_x = x / CELL - 1; cell_x <= x / CELL + 1; cell_x++) sum += blob(set, cell_x, cell_y, x, y);
        set->scene[row * (size_t)width + (size_t)x] = sum;
    }
    return QN_OK;
}

/* Number of counts of a Poisson process of this mean, by inversion of `uniform` in [0, 1). */
static unsigned char poisson(float mean, float uniform)
{
    float term = expf(-mean), sum = term;
    int count = 0;
    while (uniform >= sum && count < COUNT_MAX) {
        count++;
        term *= mean / (float)count;
        sum += term;
    }
    return (unsigned char)count;
}

static qn_status count_row(size_t row, int worker, void *user)
{
    const movie_set *set = user;
    const double time = set->frame_count > 1 ? (double)set->t / (set->frame_count - 1) : 0, run = 1 - exp(-4 * time);
    const double along = ((double)row / set->height - 0.5) * 6 * run;
    const int dy = (int)lrint(8 * run + along), stride = set->width + 2 * MARGIN;
    const uint32_t key[2] = {set->seed, 1};
    uint32_t words[4] = {0};
    (void)worker;
    for (int x = 0; x < set->width; x++) {
        const int dx = (int)lrint(9 * run + ((double)x / set->width - 0.5) * 6 * run);
        const uint32_t counter[4] = {(uint32_t)x / 4, (uint32_t)row, (uint32_t)set->t, 2};
        if (x % 4 == 0) qn_random_block(counter, key, words);
        const float value = set->scene[(size_t)((int)row + MARGIN - dy) * (size_t)stride + (size_t)(x + MARGIN - dx)];
        set->frame[row * (size_t)set->width + (size_t)x] =
            poisson(1.2F * (1 + 0.3F * value), (float)(words[x % 4] >> 8) * 0x1p-24F);
    }
    return QN_OK;
}

static void write_mrc_header(const movie_set *set, FILE *file)
{
    unsigned char bytes[1024] = {0};
    const int32_t counts[4] = {set->width, set->height, set->frame_count, 0}, order[3] = {1, 2, 3};
    const int32_t grid[3] = {set->width, set->height, 1}, version = 20140;
    const float cell[6] = {(float)set->width, (float)set->height, 1, 90, 90, 90};
    memcpy(bytes, counts, sizeof counts);
    memcpy(bytes + 28, grid, sizeof grid);
    memcpy(bytes + 40, cell, sizeof cell);
    memcpy(bytes + 64, order, sizeof order);
    memcpy(bytes + 108, &version, sizeof version);
    memcpy(bytes + 208, "MAP DD", 6);
    fwrite(bytes, 1, sizeof bytes, file);
}

static int write_tiff_frame(const movie_set *set, TIFF *file)
{
    TIFFSetField(file, TIFFTAG_IMAGEWIDTH, set->width);
    TIFFSetField(file, TIFFTAG_IMAGELENGTH, set->height);
    TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, ROWS_OF_STRIP);
    for (int y = 0; y < set->height; y++)
        if (TIFFWriteScanline(file, set->frame + (size_t)y * (size_t)set->width, (uint32_t)y, 0) < 0) return 1;
    return !TIFFWriteDirectory(file);
}

static int write_movie(movie_set *set, qn_pool *pool, const char *path)
{
    const char *end = strrchr(path, '.');
    const int as_tiff = end && strcmp(end, ".tif") == 0;
    TIFF *tiff = as_tiff ? TIFFOpen(path, "w8") : NULL;
    FILE *mrc = as_tiff ? NULL : fopen(path, "wb");
    int failed = !tiff && !mrc;
    if (mrc) write_mrc_header(set, mrc);
    for (set->t = 0; set->t < set->frame_count && !failed; set->t++) {
        const size_t pixels = (size_t)set->width * (size_t)set->height;
        failed = qn_pool_run(pool, (size_t)set->height, count_row, set) != QN_OK ||
                 (tiff ? write_tiff_frame(set, tiff) : fwrite(set->frame, 1, pixels, mrc) != pixels);
    }
    if (tiff) TIFFClose(tiff);
    if (mrc && fclose(mrc) != 0) failed = 1;
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: quern_bench_movie_set WIDTH HEIGHT FRAMES SEED FILE\n");
        return 2;
    }
    movie_set set = {.width = atoi(argv[1]),
                     .height = atoi(argv[2]),
                     .frame_count = atoi(argv[3]),
                     .seed = (uint32_t)strtoul(argv[4], NULL, 10)};
    const size_t rows = (size_t)set.height + 2 * MARGIN;
    qn_pool *pool;
    void *scene, *frame;
    if (set.width < 1 || set.height < 1 || set.frame_count < 1 || qn_pool_create(0, &pool) != QN_OK ||
        qn_allocate(rows * ((size_t)set.width + 2 * MARGIN), sizeof(float), &scene) != QN_OK ||
        qn_allocate((size_t)set.width * (size_t)set.height, 1, &frame) != QN_OK)
        return 1;
    set.scene = scene, set.frame = frame;
    const int failed = qn_pool_run(pool, rows, draw_row, &set) != QN_OK || write_movie(&set, pool, argv[5]);
    if (failed) fprintf(stderr, "quern_bench_movie_set: %s was not written\n", argv[5]);
    qn_release(&scene);
    qn_release(&frame);
    qn_pool_destroy(&pool);
    return failed;
}
