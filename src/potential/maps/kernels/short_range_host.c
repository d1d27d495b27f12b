/* Host kernel of short_range: bricks are dealt to the pool. In a brick, 16 points at a time (8 along x, 2 along y) pass
 * through the list. Distances and angular factors are vectors over the points, rows of the table are vectors over the
 * probes. */
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/maps/kernels/short_range.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/short_range.dev.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { POINTS = 16, ROWS = 2, WIDTH = 8, LANES_MAX = QN_SHORT_RANGE_LANES_MAX };

/* The atoms of a brick's list, relative to the brick. */
typedef struct near_atoms {
    float *x, *y, *z, *volume, *solvation, *square;
    int *row, *atom; /* first row of the table; index among all atoms */
    int *near;       /* indices into the arrays above: atoms within reach of 16 points */
    size_t capacity;
} near_atoms;

typedef struct short_job {
    const short_scalars *s;
    const qn_int4 *atoms;
    const qn_float2 *solvation, *probes;
    const double *exact, *places_exact;
    const qn_float4 *directions;
    const int *lists, *starts, *places;
    const float *table;
    float *values, *charges;
    double limits[SHORT_ENTRIES + 1];
    near_atoms *scratch; /* one a worker */
    int bricks[3], lanes;
    int scaled[2][LANES_MAX], extreme[2][LANES_MAX]; /* whether a lane is so, for acceptors and for donors */
} short_job;

/* 16 points and their sums. */
typedef struct point_block {
    float x[POINTS], y[POINTS], z;
    double exact[POINTS][3];
    int closest[POINTS];
    float closest_axis[3][POINTS];
    float sum[POINTS][LANES_MAX], error[POINTS][LANES_MAX], least[POINTS][LANES_MAX], most[POINTS][LANES_MAX];
} point_block;

/* A pair of an atom and each of the points. */
typedef struct pair_block {
    float x[POINTS], y[POINTS], z[POINTS], root[POINTS], factor[POINTS], share[POINTS];
    int entry[POINTS];
} pair_block;

/* Bit i: whether entries[i] is an entry of the table. */
static inline unsigned mask_of(const int entries[POINTS])
{
#if defined(__AVX2__)
    const __m256i low = _mm256_loadu_si256((const __m256i *)entries);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(entries + WIDTH));
    return 0xffffU & ~((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
                       (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << WIDTH);
#else
    unsigned mask = 0;
    for (int i = 0; i < POINTS; i++) mask |= (unsigned)(entries[i] >= 0) << i;
    return mask;
#endif
}

/* ---- distances ---- */

static double exact_square(const short_job *job, const point_block *points, int point, int atom)
{
    const double *place = job->exact + 3 * (size_t)atom;
    const double x = points->exact[point][0] - place[0], y = points->exact[point][1] - place[1],
                 z = points->exact[point][2] - place[2];
    return x * x + y * y + z * z;
}

/* Entry for a distance that may be that of the entry before; −1: too far. */
static int find_exact_entry(const short_job *job, const point_block *points, int point, float root, int atom)
{
    const int nearest = (int)(root * 100.0f + 0.5f);
    if (nearest > SHORT_ENTRIES - 1) return -1;
    const double square = exact_square(job, points, point, atom);
    if (square < job->limits[nearest]) return nearest - 1;
    return nearest == SHORT_ENTRIES - 1 && square >= job->limits[SHORT_ENTRIES] ? -1 : nearest;
}

/* Distances and entries of atom i of the list. Returns the mask of points within the cutoff. Conditions are combined by
 * & and |, since && would keep the loop from becoming vectors. */
static inline unsigned find_entries(const short_job *job, const point_block *points, const near_atoms *atoms, int i,
                                    pair_block *pair)
{
    const float x = atoms->x[i], y = atoms->y[i], z = points->z - atoms->z[i];
    const float guard = job->s->guard, slope = job->s->slope;
    int doubtful[POINTS], any = 0;
#pragma omp simd reduction(| : any)
    for (int p = 0; p < POINTS; p++) {
        const float dx = points->x[p] - x, dy = points->y[p] - y;
        const float square = FMA(z, z, FMA(dy, dy, dx * dx));
        const float root = short_root(square), scaled = root * 100.0f;
        const int entry = (int)scaled;
        const float rest = scaled - (float)entry, slack = FMA(slope, scaled, guard);
        pair->x[p] = dx;
        pair->y[p] = dy;
        pair->z[p] = z;
        pair->root[p] = root;
        pair->entry[p] = entry < SHORT_ENTRIES - 1 ? entry : -1;
        doubtful[p] = ((rest <= slack) | (rest >= 1.0f - slack)) & (entry < SHORT_ENTRIES);
        any |= doubtful[p];
    }
    for (int p = 0; p < POINTS && any; p++)
        if (doubtful[p]) pair->entry[p] = find_exact_entry(job, points, p, pair->root[p], atoms->atom[i]);
    return mask_of(pair->entry);
}

/* ---- sums ---- */

/* Factors of a row: 1 for probes, the atom's parameters for desolvation. */
static inline void make_scales(const near_atoms *atoms, int i, int lanes, float scales[LANES_MAX])
{
    for (int l = 0; l < lanes; l++) scales[l] = 1.0f;
    scales[lanes - 2] = atoms->volume[i];
    scales[lanes - 1] = atoms->solvation[i];
}

static inline void add_plain(const short_job *job, point_block *points, const near_atoms *atoms, int i, int lanes)
{
    pair_block pair;
    float scales[LANES_MAX];
    unsigned mask = find_entries(job, points, atoms, i, &pair);
    const float *table = job->table + (size_t)atoms->row[i] * (size_t)lanes;
    make_scales(atoms, i, lanes, scales);
    for (; mask; mask &= mask - 1) {
        const int p = __builtin_ctz(mask);
        const float *row = table + (size_t)pair.entry[p] * (size_t)lanes;
        float *sum = points->sum[p], *error = points->error[p];
#pragma omp simd
        for (int l = 0; l < lanes; l++) {
            const float value = row[l] * scales[l], next = sum[l] + value;
            error[l] += value - (next - sum[l]);
            sum[l] = next;
        }
    }
}

static void find_factors(const short_job *job, const point_block *points, int atom, bool is_donor, pair_block *pair)
{
    const qn_float4 *direction = job->directions + SHORT_DIRECTION * (size_t)atom;
    const qn_float4 axis = direction[0], normal = direction[1], side = direction[2];
    float inverse[POINTS], cosine[POINTS], out[POINTS], across[POINTS];
#pragma omp simd
    for (int p = 0; p < POINTS; p++) {
        const float x = pair->x[p], y = pair->y[p], z = pair->z[p];
        inverse[p] = 1.0f / pair->root[p];
        cosine[p] = FMA(axis.z, z, FMA(axis.y, y, axis.x * x)) * inverse[p];
        out[p] = FMA(normal.z, z, FMA(normal.y, y, normal.x * x)) * inverse[p];
        across[p] = FMA(side.z, z, FMA(side.y, y, side.x * x)) * inverse[p];
        pair->share[p] = 1.0f;
    }
    if (axis.w == SHORT_LONE_PAIRS)
#pragma omp simd
        for (int p = 0; p < POINTS; p++) pair->factor[p] = short_lone_pairs(cosine[p], out[p], across[p]);
    else
#pragma omp simd
        for (int p = 0; p < POINTS; p++)
            pair->factor[p] = axis.w == SHORT_SPHERICAL ? 1.0f : short_power(cosine[p], axis.w);
    if (!is_donor || !job->s->scaled || axis.w == SHORT_SPHERICAL) return;
#pragma omp simd
    for (int p = 0; p < POINTS; p++) {
        const float between = FMA(axis.z, points->closest_axis[2][p],
                                  FMA(axis.y, points->closest_axis[1][p], axis.x * points->closest_axis[0][p]));
        const float share = short_share(between);
        pair->share[p] = pair->factor[p] > 0.0f && points->closest[p] != atom ? share : 1.0f;
    }
}

static inline void add_directed(const short_job *job, point_block *points, const near_atoms *atoms, int i,
                                bool is_donor, int lanes)
{
    pair_block pair;
    float scales[LANES_MAX];
    unsigned mask = find_entries(job, points, atoms, i, &pair);
    const float *table = job->table + (size_t)atoms->row[i] * (size_t)lanes;
    const int *extreme = job->extreme[is_donor], *scaled = job->scaled[is_donor];
    if (!mask) return;
    make_scales(atoms, i, lanes, scales);
    find_factors(job, points, atoms->atom[i], is_donor, &pair);
    for (; mask; mask &= mask - 1) {
        const int p = __builtin_ctz(mask);
        const float *row = table + (size_t)pair.entry[p] * (size_t)lanes, factor = pair.factor[p],
                    share = pair.share[p];
        float *sum = points->sum[p], *error = points->error[p], *least = points->least[p], *most = points->most[p];
#pragma omp simd
        for (int l = 0; l < lanes; l++) {
            const float energy = row[l], weighted = energy * short_weight(factor, energy);
            const float added = scaled[l] ? weighted * share : energy * scales[l], value = extreme[l] ? 0.0f : added;
            const float next = sum[l] + value;
            least[l] = extreme[l] ? FMIN(least[l], weighted) : least[l];
            most[l] = extreme[l] ? FMAX(most[l], weighted) : most[l];
            error[l] += value - (next - sum[l]);
            sum[l] = next;
        }
    }
}

/* ---- 16 points ---- */

static void find_closest(const short_job *job, const near_atoms *atoms, int count, point_block *points)
{
    const float tie = job->s->tie;
    float best[POINTS];
    for (int p = 0; p < POINTS; p++) best[p] = job->s->reach2, points->closest[p] = -1;
    for (int n = 0; n < count; n++) {
        const int i = atoms->near[n], atom = atoms->atom[i];
        const float ax = atoms->x[i], ay = atoms->y[i], z = points->z - atoms->z[i];
        float square[POINTS];
        int doubtful = 0;
#pragma omp simd reduction(| : doubtful)
        for (int p = 0; p < POINTS; p++) {
            const float x = points->x[p] - ax, y = points->y[p] - ay;
            square[p] = FMA(z, z, FMA(y, y, x * x));
            doubtful |= square[p] >= best[p] - tie && square[p] <= FMIN(best[p] + tie, job->s->reach2) &&
                        points->closest[p] >= 0;
        }
        for (int p = 0; p < POINTS && doubtful; p++)
            if (square[p] >= best[p] - tie && square[p] <= FMIN(best[p] + tie, job->s->reach2) &&
                points->closest[p] >= 0)
                square[p] = exact_square(job, points, p, atom) < exact_square(job, points, p, points->closest[p])
                                ? -square[p]
                                : FLOAT_MAXIMUM; /* negative: closer, however little */
#pragma omp simd
        for (int p = 0; p < POINTS; p++) {
            const int is_first = points->closest[p] < 0 && square[p] <= job->s->reach2;
            const int is_closer = is_first || square[p] < best[p] - tie;
            points->closest[p] = is_closer ? atom : points->closest[p];
            best[p] = is_closer ? ABS(square[p]) : best[p];
        }
    }
    for (int p = 0; p < POINTS; p++) {
        const int atom = points->closest[p] < 0 ? 0 : points->closest[p];
        const qn_float4 axis = job->directions[SHORT_DIRECTION * (size_t)atom];
        points->closest_axis[0][p] = axis.x, points->closest_axis[1][p] = axis.y, points->closest_axis[2][p] = axis.z;
    }
}

/* Keep the atoms begin … end − 1 of the list that are within reach of the box around the points. Returns their number.
 */
static int cull(const short_job *job, const near_atoms *atoms, const float low[3], const float high[3], int begin,
                int end, int *near)
{
    int count = 0;
    float *squares = atoms->square;
#pragma omp simd
    for (int i = begin; i < end; i++) {
        const float x = FMAX(FMAX(low[0] - atoms->x[i], atoms->x[i] - high[0]), 0.0f);
        const float y = FMAX(FMAX(low[1] - atoms->y[i], atoms->y[i] - high[1]), 0.0f);
        const float z = FMAX(FMAX(low[2] - atoms->z[i], atoms->z[i] - high[2]), 0.0f);
        squares[i] = x * x + y * y + z * z;
    }
    for (int i = begin; i < end; i++) {
        near[count] = i;
        count += squares[i] <= job->s->reach2;
    }
    return count;
}

static inline void add_atoms(const short_job *job, const near_atoms *atoms, point_block *points, const int counts[3],
                             int lanes)
{
    const int *near = atoms->near;
    for (int n = 0; n < counts[0]; n++) add_directed(job, points, atoms, *near++, true, lanes);
    for (int n = 0; n < counts[1]; n++) add_directed(job, points, atoms, *near++, false, lanes);
    for (int n = 0; n < counts[2]; n++) add_plain(job, points, atoms, *near++, lanes);
}

static void store(const short_job *job, const point_block *points, int p, size_t place)
{
    const short_scalars *s = job->s;
    const size_t stride = (size_t)s->nx * (size_t)s->ny * (size_t)s->planes;
    const float *sum = points->sum[p], *error = points->error[p];
    const float volume = sum[job->lanes - 2] + error[job->lanes - 2];
    const float solvation = sum[job->lanes - 1] + error[job->lanes - 1];
    job->charges[place] = short_round(short_fixed(s->charge_solvation * volume));
    for (int lane = 0; lane < s->probe_count; lane++) {
        const qn_float2 probe = job->probes[lane];
        job->values[(size_t)lane * stride + place] =
            short_value(sum[lane], error[lane], points->least[p][lane], points->most[p][lane],
                        FMA(probe.x, volume, probe.y * solvation));
    }
}

/* Compute the points x … x + 7, y … y + 1 of plane z of the launch. */
static void compute_points(const short_job *job, near_atoms *atoms, const int ends[4], int x, int y, int z)
{
    const short_scalars *s = job->s;
    point_block points;
    const int place_z = s->places_z + s->first_plane + z, origin_z = place_z - z % SHORT_BRICK;
    const int origin_y = s->places_y + y / SHORT_BRICK * SHORT_BRICK;
    points.z = (float)(job->places[place_z] - job->places[origin_z]) * s->unit;
    for (int p = 0; p < POINTS; p++) {
        const int px = MIN(x + p % WIDTH, s->nx - 1), py = s->places_y + MIN(y + p / WIDTH, s->ny - 1);
        points.x[p] = (float)(job->places[px] - job->places[x]) * s->unit;
        points.y[p] = (float)(job->places[py] - job->places[origin_y]) * s->unit;
        points.exact[p][0] = job->places_exact[px];
        points.exact[p][1] = job->places_exact[py];
        points.exact[p][2] = job->places_exact[place_z];
        for (int l = 0; l < job->lanes; l++) {
            points.sum[p][l] = points.error[p][l] = 0.0f;
            points.least[p][l] = FLOAT_MAXIMUM, points.most[p][l] = -FLOAT_MAXIMUM;
        }
    }
    const float low[3] = {points.x[0], points.y[0], points.z};
    const float high[3] = {points.x[WIDTH - 1], points.y[POINTS - 1], points.z};
    int counts[3], all = 0;
    for (int class = 0; class < 3; class ++) {
        counts[class] = cull(job, atoms, low, high, ends[class], ends[class + 1], atoms->near + all);
        all += counts[class];
    }
    if (s->scaled) find_closest(job, atoms, counts[0], &points);
    if (job->lanes == QN_SHORT_RANGE_LANES_MIN)
        add_atoms(job, atoms, &points, counts, QN_SHORT_RANGE_LANES_MIN);
    else
        add_atoms(job, atoms, &points, counts, QN_SHORT_RANGE_LANES_MAX);
    for (int p = 0; p < POINTS; p++)
        if (x + p % WIDTH < s->nx && y + p / WIDTH < s->ny)
            store(job, &points, p,
                  ((size_t)z * (size_t)s->ny + (size_t)(y + p / WIDTH)) * (size_t)s->nx + (size_t)(x + p % WIDTH));
}

/* ---- bricks ---- */

static void clear_atoms(near_atoms *atoms)
{
    qn_release(&atoms->x); /* the beginning of all arrays */
    *atoms = (near_atoms){0};
}

/* All arrays lie in one piece of memory. */
static qn_status make_room(near_atoms *atoms, size_t count)
{
    enum { FLOATS = 6, INTEGERS = 3, STEP = 64 };
    float *memory;
    if (count <= atoms->capacity) return QN_OK;
    clear_atoms(atoms);
    const size_t capacity = (count + count / 2) / STEP * STEP + STEP;
    QN_TRY(qn_allocate((FLOATS + INTEGERS) * capacity + STEP, sizeof(float), (void **)&memory));
    float **const floats[FLOATS] = {&atoms->x, &atoms->y, &atoms->z, &atoms->volume, &atoms->solvation, &atoms->square};
    for (size_t i = 0; i < FLOATS; i++) *floats[i] = memory + i * capacity;
    int *integers = (int *)(memory + FLOATS * capacity);
    atoms->row = integers;
    atoms->atom = integers + capacity;
    atoms->near = integers + 2 * capacity;
    atoms->capacity = capacity;
    return QN_OK;
}

static void take_atoms(const short_job *job, const int origin[3], int begin, int count, near_atoms *atoms)
{
    const float unit = job->s->unit;
    for (int i = 0; i < count; i++) {
        const int index = job->lists[begin + i];
        const qn_int4 atom = job->atoms[index];
        atoms->x[i] = (float)(atom.x - origin[0]) * unit;
        atoms->y[i] = (float)(atom.y - origin[1]) * unit;
        atoms->z[i] = (float)(atom.z - origin[2]) * unit;
        atoms->row[i] = atom.w;
        atoms->atom[i] = index;
        atoms->volume[i] = job->solvation[index].x;
        atoms->solvation[i] = job->solvation[index].y;
    }
}

static qn_status compute_brick(size_t brick, int worker, void *user)
{
    const short_job *job = user;
    const short_scalars *s = job->s;
    near_atoms *atoms = &job->scratch[worker];
    const int *starts = job->starts + 4 * brick, count = starts[3] - starts[0];
    const int ends[4] = {0, starts[1] - starts[0], starts[2] - starts[0], count};
    const int x = (int)(brick % (size_t)job->bricks[0]) * SHORT_BRICK,
              y = (int)(brick / (size_t)job->bricks[0] % (size_t)job->bricks[1]) * SHORT_BRICK,
              z = (int)(brick / (size_t)job->bricks[0] / (size_t)job->bricks[1]) * SHORT_BRICK;
    const int origin[3] = {job->places[x], job->places[s->places_y + y], job->places[s->places_z + s->first_plane + z]};
    QN_TRY(make_room(atoms, (size_t)count + 1));
    take_atoms(job, origin, starts[0], count, atoms);
    for (int k = z; k < MIN(z + SHORT_BRICK, s->planes); k++)
        for (int j = y; j < MIN(y + SHORT_BRICK, s->ny); j += ROWS) compute_points(job, atoms, ends, x, j, k);
    return QN_OK;
}

static void set_masks(short_job *job)
{
    for (int l = 0; l < LANES_MAX; l++) {
        job->scaled[true][l] = job->s->scaled >> l & 1;
        job->extreme[false][l] = job->s->extreme_of_acceptors >> l & 1;
        job->extreme[true][l] = job->s->extreme_of_donors >> l & 1;
    }
}

static qn_status short_range(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    const short_scalars *s = arguments[SHORT_SCALARS];
    const int workers = qn_host_workers(launch);
    short_job job = {.s = s,
                     .atoms = arguments[SHORT_ATOMS],
                     .solvation = arguments[SHORT_SOLVATION],
                     .probes = arguments[SHORT_PROBES],
                     .exact = arguments[SHORT_EXACT],
                     .places_exact = arguments[SHORT_PLACES_EXACT],
                     .directions = arguments[SHORT_DIRECTIONS],
                     .lists = arguments[SHORT_LISTS],
                     .starts = arguments[SHORT_STARTS],
                     .places = arguments[SHORT_PLACES],
                     .table = arguments[SHORT_TABLE],
                     .values = arguments[SHORT_VALUES],
                     .charges = arguments[SHORT_CHARGES],
                     .lanes = s->probe_count <= QN_SHORT_RANGE_LANES_MIN - 2 ? QN_SHORT_RANGE_LANES_MIN
                                                                             : QN_SHORT_RANGE_LANES_MAX};
    for (int k = 0; k < 3; k++) job.bricks[k] = (int)launch->geometry.items[k] / SHORT_BRICK;
    memcpy(job.limits, arguments[SHORT_LIMITS], sizeof job.limits);
    set_masks(&job);
    QN_TRY(qn_allocate((size_t)workers, sizeof *job.scratch, (void **)&job.scratch));
    const size_t bricks = (size_t)job.bricks[0] * (size_t)job.bricks[1] * (size_t)job.bricks[2];
    const qn_status status = qn_host_parallel(launch, bricks, compute_brick, &job);
    for (int i = 0; i < workers; i++) clear_atoms(&job.scratch[i]);
    qn_release(&job.scratch);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_potential_short_range_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_potential_short_range_host)[] = {short_range};
