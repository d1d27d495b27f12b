#include "cryoem/distance.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Neighbouring lines along x that are processed together, so that a cache line serves all of them. */
enum { LINES_MAX = 16 };

/* Scratch of one worker: lines side by side, and the lower envelope of one line's parabolas. */
typedef struct envelope {
    double *border; /* [length]: place from which on parabola i of the envelope is the lowest */
    int *place;     /* [length]: apex of parabola i */
    float *result;  /* [length] */
    float *values;  /* [LINES_MAX][length] */
} envelope;

typedef struct distance_work {
    int counts[3], longest;
    float most; /* reach² */
    float *squared;
    char *scratch;
    size_t scratch_bytes; /* bytes of scratch of one worker */
} distance_work;

static size_t envelope_bytes(int longest)
{
    return (size_t)longest * (sizeof(double) + sizeof(int) + (LINES_MAX + 1) * sizeof(float));
}

static envelope envelope_of(const distance_work *work, int worker)
{
    const size_t length = (size_t)work->longest;
    double *border = (double *)(work->scratch + (size_t)worker * work->scratch_bytes);
    int *place = (int *)(border + length);
    float *result = (float *)(place + length);
    return (envelope){.border = border, .place = place, .result = result, .values = result + length};
}

/* Measure along x, where every voxel is marked or not: find the nearest mark to the left, then to the right. */
static void measure_row(float *row, int count, float most)
{
    const float far = (float)(1 << 20); /* beyond any reach, and small enough that adding 1 is exact */
    float steps = far;
    for (int x = 0; x < count; x++) {
        steps = row[x] == 0 ? 0 : steps + 1;
        row[x] = steps;
    }
    steps = far;
    for (int x = count - 1; x >= 0; x--) {
        steps = row[x] == 0 ? 0 : steps + 1;
        const float nearest = steps < row[x] ? steps : row[x];
        row[x] = fminf(nearest * nearest, most);
    }
}

/* Place where the parabolas with apices at p < q, of heights f(p) and f(q), cross. */
static double crossing_of(const float *f, int p, int q)
{
    return ((double)f[q] - (double)f[p]) / (2 * (q - p)) + 0.5 * (p + q);
}

/* result[i] = min over j of f(j) + (i − j)². Apices of height `most` cannot give values below `most`,
 * and are left out. */
static void measure_line(const envelope *e, const float *f, int count, float most)
{
    int last = -1;
    for (int q = 0; q < count; q++) {
        if (f[q] >= most) continue;
        double border = -(double)INFINITY;
        for (; last >= 0; last--) {
            border = crossing_of(f, e->place[last], q);
            if (border > e->border[last]) break;
        }
        last++;
        e->place[last] = q;
        e->border[last] = last == 0 ? -(double)INFINITY : border;
    }
    for (int i = 0, part = 0; i < count; i++) {
        while (part < last && e->border[part + 1] < i) part++;
        const float apart = last < 0 ? 0 : (float)(i - e->place[part]);
        e->result[i] = last < 0 ? most : fminf(most, f[e->place[part]] + apart * apart);
    }
}

/* Measure `lines` lines of `count` voxels. Voxels of a line are `stride` apart, the lines 1 apart. */
static void measure_lines(const envelope *e, float *squared, int lines, int count, size_t stride, float most)
{
    bool lower = false;
    for (int i = 0; i < count; i++)
        for (int line = 0; line < lines; line++) {
            const float value = squared[(size_t)i * stride + (size_t)line];
            e->values[(size_t)line * (size_t)count + (size_t)i] = value;
            lower = lower || value < most;
        }
    if (!lower) return; /* the whole line is out of reach */
    for (int line = 0; line < lines; line++) {
        measure_line(e, e->values + (size_t)line * (size_t)count, count, most);
        for (int i = 0; i < count; i++) squared[(size_t)i * stride + (size_t)line] = e->result[i];
    }
}

/* Measure the rows, then the columns of a plane. */
static qn_status measure_plane(size_t z, int worker, void *user)
{
    const distance_work *work = user;
    const envelope e = envelope_of(work, worker);
    const int across = work->counts[0], down = work->counts[1];
    float *plane = work->squared + z * (size_t)across * (size_t)down;
    for (int y = 0; y < down; y++) measure_row(plane + (size_t)y * (size_t)across, across, work->most);
    for (int x = 0; x < across; x += LINES_MAX)
        measure_lines(&e, plane + x, across - x < LINES_MAX ? across - x : LINES_MAX, down, (size_t)across, work->most);
    return QN_OK;
}

/* Measure the lines along z through one row. */
static qn_status measure_upright(size_t y, int worker, void *user)
{
    const distance_work *work = user;
    const envelope e = envelope_of(work, worker);
    const int across = work->counts[0];
    const size_t plane = (size_t)across * (size_t)work->counts[1];
    for (int x = 0; x < across; x += LINES_MAX)
        measure_lines(&e, work->squared + y * (size_t)across + x, across - x < LINES_MAX ? across - x : LINES_MAX,
                      work->counts[2], plane, work->most);
    return QN_OK;
}

qn_status qn_distance_squared(qn_pool *pool, const int counts[3], float reach, float *squared)
{
    distance_work work = {.most = reach * reach, .squared = squared};
    void *memory;
    memcpy(work.counts, counts, sizeof work.counts);
    for (int k = 0; k < 3; k++)
        if (counts[k] > work.longest) work.longest = counts[k];
    work.scratch_bytes = (envelope_bytes(work.longest) + 63) / 64 * 64;
    QN_TRY(qn_allocate((size_t)(pool ? qn_pool_threads(pool) : 1), work.scratch_bytes, &memory));
    work.scratch = memory;
    qn_status status = qn_pool_run(pool, (size_t)counts[2], measure_plane, &work);
    if (status == QN_OK) status = qn_pool_run(pool, (size_t)counts[1], measure_upright, &work);
    qn_release(&memory);
    return status;
}
