/* Host kernel of score_poses: a thread scores blocks of poses, which lie side by side in vector registers.
 *
 * Roots decide the speed. Distances are computed one or two receptor atoms ahead of their ramps, as waiting for a root
 * fills up a processor's queues otherwise. With AVX-512, whose divider is no wider than that of AVX2, fast scoring
 * leaves it every other receptor atom and does the rest by an estimate and multiplications meanwhile; those distances
 * come out as −2 r, to which pairs of odd receptor atoms are folded (qn_score_poses_receptor).
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "screen/kernels/score_poses_receptor.h"

#include "screen/kernels/score_poses.dev.h"

enum { BLOCK = QN_SCORE_POSES_STEP };

typedef struct score_job {
    const qn_float4 *places, *pairs;
    const int32_t *second_rows;
    const uint32_t *masks; /* NULL: nothing is left out */
    const qn_score_poses_job *jobs;
    const qn_score_poses_atom *atoms;
    const float *transforms;
    float *energies;
    size_t stride, poses, row; /* row: from one of the twelve numbers of a pose to the next */
    qn_score_poses_cells cells;
    bool exact;
    qn_float4 *near_atoms; /* culling: room for stride places and stride pairs for each worker */
} score_job;

/* Å of one ligand atom in the poses of a block, and its energies. */
typedef struct pose_block {
    float x[BLOCK], y[BLOCK], z[BLOCK], energy[BLOCK];
} pose_block;

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>

#ifdef __AVX512F__
typedef __m512 lanes;
enum { LANES = 16, VECTORS = BLOCK / LANES };
#define LANES_WORD(word) _mm512_##word
#define MIXED_ROOTS 1
#else
typedef __m256 lanes;
enum { LANES = 8, VECTORS = BLOCK / LANES };
#define LANES_WORD(word) _mm256_##word
#endif

static inline lanes splat(float x)
{
    return LANES_WORD(set1_ps)(x);
}

static inline lanes squared_distance(const qn_float4 *place, const pose_block *block, int v)
{
    const lanes dx = LANES_WORD(sub_ps)(LANES_WORD(loadu_ps)(block->x + LANES * v), splat(place->x));
    const lanes dy = LANES_WORD(sub_ps)(LANES_WORD(loadu_ps)(block->y + LANES * v), splat(place->y));
    const lanes dz = LANES_WORD(sub_ps)(LANES_WORD(loadu_ps)(block->z + LANES * v), splat(place->z));
    const lanes xx = LANES_WORD(fmadd_ps)(dx, dx, splat(SMALLEST_SQUARE));
    return LANES_WORD(fmadd_ps)(dz, dz, LANES_WORD(fmadd_ps)(dy, dy, xx));
}

static inline lanes add_ramps(lanes energy, lanes r, const qn_float4 *pair)
{
    const lanes contact = splat(pair->x), end = splat(pair->y);
    const lanes near = LANES_WORD(sub_ps)(contact, LANES_WORD(min_ps)(r, contact));
    const lanes far = LANES_WORD(sub_ps)(end, LANES_WORD(min_ps)(r, end));
    return LANES_WORD(fmadd_ps)(far, splat(pair->w), LANES_WORD(fmadd_ps)(near, splat(pair->z), energy));
}

static void add_pairs_exactly(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                              pose_block *RESTRICT block)
{
    lanes total[VECTORS], r[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        total[v] = LANES_WORD(loadu_ps)(block->energy + LANES * v);
        r[v] = LANES_WORD(sqrt_ps)(squared_distance(places, block, v));
    }
    for (size_t j = 0; j < count; j++) {
        const qn_float4 *next = places + (j + 1 < count ? j + 1 : 0);
        for (int v = 0; v < VECTORS; v++) {
            const lanes this_r = r[v];
            r[v] = LANES_WORD(sqrt_ps)(squared_distance(next, block, v));
            total[v] = add_ramps(total[v], this_r, &pairs[j]);
        }
    }
    for (int v = 0; v < VECTORS; v++) LANES_WORD(storeu_ps)(block->energy + LANES * v, total[v]);
}

#ifdef MIXED_ROOTS
/* r_minus_two: −2 r */
static inline lanes add_turned_ramps(lanes energy, lanes r_minus_two, const qn_float4 *pair)
{
    const lanes contact = splat(pair->x), end = splat(pair->y);
    const lanes near = LANES_WORD(sub_ps)(contact, LANES_WORD(max_ps)(r_minus_two, contact));
    const lanes far = LANES_WORD(sub_ps)(end, LANES_WORD(max_ps)(r_minus_two, end));
    return LANES_WORD(fmadd_ps)(far, splat(pair->w), LANES_WORD(fmadd_ps)(near, splat(pair->z), energy));
}

/* −2 √x: with y an estimate of 1 / √x, a step of Newton's is √x = x y (3 − x y²) / 2. */
static inline lanes root_minus_two(lanes x)
{
    const lanes y = _mm512_rsqrt14_ps(x), root = LANES_WORD(mul_ps)(x, y);
    return LANES_WORD(mul_ps)(root, LANES_WORD(fmadd_ps)(root, y, splat(-3)));
}

/* count is even. */
static void add_pairs_fast(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                           pose_block *RESTRICT block)
{
    lanes total[VECTORS], r[VECTORS], odd_square[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        total[v] = LANES_WORD(loadu_ps)(block->energy + LANES * v);
        r[v] = LANES_WORD(sqrt_ps)(squared_distance(places, block, v));
        odd_square[v] = squared_distance(places + 1, block, v);
    }
    for (size_t j = 0; j < count; j += 2) {
        const qn_float4 *next = places + (j + 2 < count ? j + 2 : 0);
        for (int v = 0; v < VECTORS; v++) {
            const lanes even_r = r[v], odd_r = root_minus_two(odd_square[v]);
            r[v] = LANES_WORD(sqrt_ps)(squared_distance(next, block, v));
            odd_square[v] = squared_distance(next + 1, block, v);
            total[v] = add_ramps(total[v], even_r, &pairs[j]);
            total[v] = add_turned_ramps(total[v], odd_r, &pairs[j + 1]);
        }
    }
    for (int v = 0; v < VECTORS; v++) LANES_WORD(storeu_ps)(block->energy + LANES * v, total[v]);
}
#else
#define add_pairs_fast add_pairs_exactly
#endif

#else

/* Where there is no fused multiply-add it costs a call, so that fast scoring rounds twice. */
#if defined(__FMA__) || !defined(__x86_64__)
#define FAST_FMA(a, b, c) FMA(a, b, c)
#else
#define FAST_FMA(a, b, c) ((a) * (b) + (c))
#endif

static void add_pairs_exactly(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                              pose_block *RESTRICT block)
{
    for (size_t j = 0; j < count; j++) {
        const qn_float4 place = places[j], pair = pairs[j];
#pragma omp simd
        for (int i = 0; i < BLOCK; i++) {
            const float dx = block->x[i] - place.x, dy = block->y[i] - place.y, dz = block->z[i] - place.z;
            const float r = SQRT(FMA(dz, dz, FMA(dy, dy, FMA(dx, dx, SMALLEST_SQUARE))));
            const float near = FMA(pair.x - FMIN(r, pair.x), pair.z, block->energy[i]);
            block->energy[i] = FMA(pair.y - FMIN(r, pair.y), pair.w, near);
        }
    }
}

static void add_pairs_fast(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                           pose_block *RESTRICT block)
{
    for (size_t j = 0; j < count; j++) {
        const qn_float4 place = places[j], pair = pairs[j];
#pragma omp simd
        for (int i = 0; i < BLOCK; i++) {
            const float dx = block->x[i] - place.x, dy = block->y[i] - place.y, dz = block->z[i] - place.z;
            const float r = SQRT(FAST_FMA(dz, dz, FAST_FMA(dy, dy, FAST_FMA(dx, dx, SMALLEST_SQUARE))));
            const float near = FAST_FMA(pair.x - FMIN(r, pair.x), pair.z, block->energy[i]);
            block->energy[i] = FAST_FMA(pair.y - FMIN(r, pair.y), pair.w, near);
        }
    }
}

#endif

/* Where a ligand atom is in each pose of a block. */
static void place_atom(const float *RESTRICT transforms, size_t row, const qn_score_poses_atom *atom, pose_block *block)
{
    const float ax = atom->x, ay = atom->y, az = atom->z;
    float *const axes[3] = {block->x, block->y, block->z};
    for (int axis = 0; axis < 3; axis++) {
        const float *m = transforms + 4 * (size_t)axis * row;
        float *RESTRICT moved = axes[axis];
#pragma omp simd
        for (int i = 0; i < BLOCK; i++)
            moved[i] = moved_coordinate(m[i], m[row + i], m[2 * row + i], m[3 * row + i], ax, ay, az);
    }
}

/* The bits of the receptor's blocks in reach of an atom in any pose of a block. */
static void mark_blocks(const score_job *launch, const pose_block *block, uint32_t *marked)
{
    const qn_score_poses_cells *cells = &launch->cells;
    const size_t words = (size_t)cells->words;
    memset(marked, 0, words * sizeof *marked);
    for (int i = 0; i < BLOCK; i++) {
        const int x = cell_along(block->x[i], cells->first[0], cells->cells_per_angstrom, cells->count[0]);
        const int y = cell_along(block->y[i], cells->first[1], cells->cells_per_angstrom, cells->count[1]);
        const int z = cell_along(block->z[i], cells->first[2], cells->cells_per_angstrom, cells->count[2]);
        if (x < 0 || y < 0 || z < 0) continue;
        const size_t row = (size_t)y + (size_t)cells->count[1] * (size_t)z;
        const uint32_t *mask = launch->masks + words * ((size_t)x + (size_t)cells->count[0] * row);
        for (size_t w = 0; w < words; w++) marked[w] |= mask[w];
    }
}

/* Places and pairs of the marked blocks side by side; returns how many. */
static size_t gather_atoms(const score_job *launch, const uint32_t *marked, const qn_float4 *pairs,
                           qn_float4 *near_places, qn_float4 *near_pairs)
{
    const size_t atoms = (size_t)launch->cells.block_atoms;
    size_t count = 0;
    for (size_t w = 0; w < (size_t)launch->cells.words; w++)
        for (uint32_t bits = marked[w]; bits; bits &= bits - 1) {
            const size_t first = (32 * w + (size_t)__builtin_ctz(bits)) * atoms;
            memcpy(near_places + count, launch->places + first, atoms * sizeof *near_places);
            memcpy(near_pairs + count, pairs + first, atoms * sizeof *near_pairs);
            count += atoms;
        }
    return count;
}

static void add_row(const score_job *launch, size_t pair_row, const uint32_t *marked, qn_float4 *near_atoms,
                    pose_block *block)
{
    const qn_float4 *places = launch->places, *pairs = launch->pairs + pair_row * launch->stride;
    size_t count = launch->stride;
    if (launch->masks) {
        count = gather_atoms(launch, marked, pairs, near_atoms, near_atoms + launch->stride);
        places = near_atoms;
        pairs = near_atoms + launch->stride;
    }
    if (count == 0) return;
    if (launch->exact)
        add_pairs_exactly(places, pairs, count, block);
    else
        add_pairs_fast(places, pairs, count, block);
}

static qn_status score_block(size_t index, int worker, void *user)
{
    const score_job *launch = user;
    const size_t blocks = launch->poses / BLOCK, pose = index * BLOCK; /* poses of all jobs follow each other */
    const qn_score_poses_job *job = &launch->jobs[index / blocks];
    qn_float4 *near_atoms = launch->masks ? launch->near_atoms + 2 * launch->stride * (size_t)worker : NULL;
    float total[BLOCK] = {0};
    uint32_t marked[QN_SCORE_POSES_MOST_BLOCKS / 32];
    pose_block block;
    for (int k = 0; k < job->atom_count; k++) {
        const qn_score_poses_atom *atom = &launch->atoms[job->first_atom + k];
        const int32_t second_row = launch->second_rows[atom->type];
        memset(block.energy, 0, sizeof block.energy);
        place_atom(launch->transforms + pose, launch->row, atom, &block);
        if (launch->masks) mark_blocks(launch, &block, marked);
        add_row(launch, (size_t)atom->type, marked, near_atoms, &block);
        if (second_row >= 0) add_row(launch, (size_t)second_row, marked, near_atoms, &block);
        for (int i = 0; i < BLOCK; i++) total[i] += block.energy[i];
    }
    memcpy(launch->energies + pose, total, sizeof total);
    return QN_OK;
}

static int value(const qn_host_launch *launch, int argument)
{
    return *(const int32_t *)launch->arguments[argument];
}

static float real(const qn_host_launch *launch, int argument)
{
    return *(const float *)launch->arguments[argument];
}

static qn_status score(const qn_host_launch *launch)
{
    const size_t poses = (size_t)value(launch, 9), all_poses = (size_t)value(launch, 10) * poses;
    score_job job = {.places = launch->arguments[0],
                     .pairs = launch->arguments[1],
                     .second_rows = launch->arguments[2],
                     .jobs = launch->arguments[4],
                     .atoms = launch->arguments[5],
                     .transforms = launch->arguments[6],
                     .energies = launch->arguments[7],
                     .stride = (size_t)value(launch, 8),
                     .poses = poses,
                     .row = all_poses,
                     .exact = value(launch, 20)};
    if (value(launch, 21)) {
        job.masks = launch->arguments[3];
        job.cells = (qn_score_poses_cells){{real(launch, 11), real(launch, 12), real(launch, 13)},
                                           real(launch, 14),
                                           {value(launch, 15), value(launch, 16), value(launch, 17)},
                                           value(launch, 18),
                                           value(launch, 19)};
        const size_t workers = launch->pool ? (size_t)qn_pool_threads(launch->pool) : 1;
        QN_TRY(qn_allocate(2 * job.stride * workers, sizeof *job.near_atoms, (void **)&job.near_atoms));
    }
    const qn_status status = qn_pool_run(launch->pool, all_poses / BLOCK, score_block, &job);
    qn_release(&job.near_atoms);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_screen_score_poses_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_screen_score_poses_host)[] = {score};
