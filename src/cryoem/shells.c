#include "cryoem/shells.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

int qn_shell_count(int side)
{
    return side / 2 + 1;
}

/* Frequency of an index along y or z. */
static int64_t frequency_of(int index, int side)
{
    return index <= side / 2 ? index : index - side;
}

/* ---- correlation and power ---- */

typedef struct shell_sums {
    double cross, first, second, voxels;
} shell_sums;

typedef struct correlation_work {
    int side, shells;
    const float *spectra[2];
    const uint32_t *shell_of; /* shell of each squared length up to that of the last shell */
    shell_sums *planes;       /* [z][shell]: added up in this order, which does not depend on threads */
} correlation_work;

static qn_status correlate_plane(size_t z, int worker, void *user)
{
    (void)worker;
    const correlation_work *work = user;
    const int side = work->side, width = side / 2 + 1;
    const int64_t last = work->shells - 1, most = last * last + last, z_frequency = frequency_of((int)z, side);
    shell_sums *sums = work->planes + z * (size_t)work->shells;
    for (int y = 0; y < side; y++) {
        const int64_t y_frequency = frequency_of(y, side), row = y_frequency * y_frequency + z_frequency * z_frequency;
        const size_t start = 2 * ((z * (size_t)side + (size_t)y) * (size_t)width);
        const float *f = work->spectra[0] + start, *g = work->spectra[1] + start;
        for (int64_t x = 0; x < width && row + x * x <= most; x++) {
            const double count = x == 0 || 2 * x == side ? 1 : 2; /* 2: the voxel also stands for its mirror image */
            const double fr = (double)f[2 * x], fi = (double)f[2 * x + 1];
            const double gr = (double)g[2 * x], gi = (double)g[2 * x + 1];
            shell_sums *shell = &sums[work->shell_of[row + x * x]];
            shell->cross += count * (fr * gr + fi * gi);
            shell->first += count * (fr * fr + fi * fi);
            shell->second += count * (gr * gr + gi * gi);
            shell->voxels += count;
        }
    }
    return QN_OK;
}

static qn_status make_shell_table(int shells, uint32_t **table)
{
    const size_t last = (size_t)shells - 1;
    void *memory;
    QN_TRY(qn_allocate(last * last + last + 1, sizeof **table, &memory));
    *table = memory;
    for (size_t s = 1, squared = 1; s <= last; s++)
        for (; squared <= s * s + s; squared++) (*table)[squared] = (uint32_t)s;
    return QN_OK;
}

static shell_sums sums_of(const correlation_work *work, int shell)
{
    shell_sums sum = {0};
    for (int z = 0; z < work->side; z++) {
        const shell_sums *plane = &work->planes[(size_t)z * (size_t)work->shells + (size_t)shell];
        sum.cross += plane->cross;
        sum.first += plane->first;
        sum.second += plane->second;
        sum.voxels += plane->voxels;
    }
    return sum;
}

static double correlation_of(const shell_sums *sum)
{
    const double power = sqrt(sum->first) * sqrt(sum->second);
    return power > 0 ? sum->cross / power : 0;
}

static double power_of(const shell_sums *sum)
{
    return sum->first / sum->voxels;
}

/* Add up products of two spectra, and find a value from the sums of each shell. */
static qn_status find_values(qn_pool *pool, int side, const float *first, const float *second,
                             double (*value_of)(const shell_sums *sum), double *values)
{
    correlation_work work = {.side = side, .shells = qn_shell_count(side), .spectra = {first, second}};
    uint32_t *table;
    void *memory = NULL;
    QN_TRY(make_shell_table(work.shells, &table));
    work.shell_of = table;
    qn_status status = qn_allocate((size_t)side * (size_t)work.shells, sizeof(shell_sums), &memory);
    work.planes = memory;
    if (status == QN_OK) status = qn_pool_run(pool, (size_t)side, correlate_plane, &work);
    for (int s = 0; s < work.shells && status == QN_OK; s++) {
        const shell_sums sum = sums_of(&work, s);
        values[s] = value_of(&sum);
    }
    qn_release(&memory);
    qn_release(&table);
    return status;
}

qn_status qn_shells_correlate(qn_pool *pool, int side, const float *first, const float *second, double *correlation)
{
    return find_values(pool, side, first, second, correlation_of, correlation);
}

qn_status qn_shells_power(qn_pool *pool, int side, const float *spectrum, double *power)
{
    return find_values(pool, side, spectrum, spectrum, power_of, power);
}

/* ---- random phases ---- */

typedef struct random_work {
    int side;
    int64_t least; /* squared length above which phases become random */
    uint64_t seed;
    float *spectra[2];
} random_work;

/* Draw random words for the voxels 2 · pair and 2 · pair + 1: two words each, one for each spectrum. */
static void draw(uint64_t seed, size_t pair, uint32_t words[4])
{
    const uint64_t index = pair;
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), 0, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    qn_random_block(counter, key, words);
}

static void turn(float *value, uint32_t word)
{
    const float angle = (float)word * (float)(2 * 3.14159265358979323846 / 4294967296.0);
    const float c = cosf(angle), s = sinf(angle), real = value[0], imaginary = value[1];
    value[0] = c * real - s * imaginary;
    value[1] = s * real + c * imaginary;
}

/* Rotate the phase of a voxel in a plane that has the mirror images of its own voxels (x = 0, or N/2 of an even side).
 * Of two mirror images the first gets the random angle and the second its negative; a voxel that is its own mirror
 * image stays real.
 */
static void turn_mirrored(const random_work *work, int x, int y, int z)
{
    const int side = work->side, width = side / 2 + 1, mirrored_y = (side - y) % side, mirrored_z = (side - z) % side;
    const size_t voxel = ((size_t)z * (size_t)side + (size_t)y) * (size_t)width + (size_t)x;
    const size_t mirror = ((size_t)mirrored_z * (size_t)side + (size_t)mirrored_y) * (size_t)width + (size_t)x;
    const size_t drawn = voxel < mirror ? voxel : mirror;
    uint32_t words[4];
    draw(work->seed, drawn / 2, words);
    for (int k = 0; k < 2; k++) {
        const uint32_t word = words[2 * (drawn % 2) + (size_t)k];
        turn(work->spectra[k] + 2 * voxel, voxel == mirror ? word & 0x80000000u : voxel < mirror ? word : 0u - word);
    }
}

static qn_status randomise_plane(size_t z, int worker, void *user)
{
    (void)worker;
    const random_work *work = user;
    const int side = work->side, width = side / 2 + 1;
    const int64_t z_frequency = frequency_of((int)z, side);
    for (int y = 0; y < side; y++) {
        const int64_t y_frequency = frequency_of(y, side), row = y_frequency * y_frequency + z_frequency * z_frequency;
        const size_t start = (z * (size_t)side + (size_t)y) * (size_t)width;
        size_t drawn = SIZE_MAX;
        uint32_t words[4];
        for (int x = 0; x < width; x++) {
            if (row + (int64_t)x * x <= work->least) continue;
            if (x == 0 || 2 * x == side) {
                turn_mirrored(work, x, y, (int)z);
                continue;
            }
            const size_t voxel = start + (size_t)x;
            if (voxel / 2 != drawn) draw(work->seed, drawn = voxel / 2, words);
            turn(work->spectra[0] + 2 * voxel, words[2 * (voxel % 2)]);
            turn(work->spectra[1] + 2 * voxel, words[2 * (voxel % 2) + 1]);
        }
    }
    return QN_OK;
}

qn_status qn_shells_randomise(qn_pool *pool, int side, int from, uint64_t seed, float *first, float *second)
{
    random_work work = {.side = side, .least = (int64_t)from * from - from, .seed = seed, .spectra = {first, second}};
    return qn_pool_run(pool, (size_t)side, randomise_plane, &work);
}
