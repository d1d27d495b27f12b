/* Host kernel of score_poses: a thread scores blocks of poses, with several poses in a vector register.
 *
 * Speed is limited by roots. Distances are computed one or two receptor atoms ahead of their ramps; otherwise
 * operations that wait for a root fill the queues of the processor.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "score/kernels/score_poses_lanes.h"
#include "score/kernels/score_poses_receptor.h"

#include "score/kernels/score_poses.dev.h"

enum { BLOCK = QN_SCORE_POSES_STEP };

typedef struct score_job {
    const qn_float4 *places, *pairs;
    const int32_t *second_rows;
    const qn_score_poses_job *jobs;
    const qn_score_poses_atom *atoms;
    const float *transforms;
    float *energies;
    size_t stride, poses, row; /* row: distance of the twelve numbers of a pose */
    bool exact;
} score_job;

/* Positions (Å) of one ligand atom in the poses of a block, and its energies. */
typedef struct pose_block {
    float x[BLOCK], y[BLOCK], z[BLOCK], energy[BLOCK];
} pose_block;

#ifdef QN_LANES

enum { VECTORS = BLOCK / QN_LANES };

static inline lanes square_at(const qn_float4 *place, const pose_block *block, int v)
{
    return squared_distance(place, LANES_WORD(loadu_ps)(block->x + QN_LANES * v),
                            LANES_WORD(loadu_ps)(block->y + QN_LANES * v),
                            LANES_WORD(loadu_ps)(block->z + QN_LANES * v));
}

static void add_pairs_exactly(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                              pose_block *RESTRICT block)
{
    lanes total[VECTORS], r[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        total[v] = LANES_WORD(loadu_ps)(block->energy + QN_LANES * v);
        r[v] = LANES_WORD(sqrt_ps)(square_at(places, block, v));
    }
    for (size_t j = 0; j < count; j++) {
        const qn_float4 *next = places + (j + 1 < count ? j + 1 : 0);
        for (int v = 0; v < VECTORS; v++) {
            const lanes this_r = r[v];
            r[v] = LANES_WORD(sqrt_ps)(square_at(next, block, v));
            total[v] = add_ramps(total[v], this_r, &pairs[j]);
        }
    }
    for (int v = 0; v < VECTORS; v++) LANES_WORD(storeu_ps)(block->energy + QN_LANES * v, total[v]);
}

#ifdef QN_MIXED_ROOTS
/* Add pairs by fast roots; count is even. */
static void add_pairs_fast(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                           pose_block *RESTRICT block)
{
    lanes total[VECTORS], r[VECTORS], odd_square[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        total[v] = LANES_WORD(loadu_ps)(block->energy + QN_LANES * v);
        r[v] = LANES_WORD(sqrt_ps)(square_at(places, block, v));
        odd_square[v] = square_at(places + 1, block, v);
    }
    for (size_t j = 0; j < count; j += 2) {
        const qn_float4 *next = places + (j + 2 < count ? j + 2 : 0);
        for (int v = 0; v < VECTORS; v++) {
            const lanes even_r = r[v], odd_r = root_minus_two(odd_square[v]);
            r[v] = LANES_WORD(sqrt_ps)(square_at(next, block, v));
            odd_square[v] = square_at(next + 1, block, v);
            total[v] = add_ramps(total[v], even_r, &pairs[j]);
            total[v] = add_turned_ramps(total[v], odd_r, &pairs[j + 1]);
        }
    }
    for (int v = 0; v < VECTORS; v++) LANES_WORD(storeu_ps)(block->energy + QN_LANES * v, total[v]);
}
#else
#define add_pairs_fast add_pairs_exactly
#endif

#else

static inline void add_pairs(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                             pose_block *RESTRICT block, const bool exact)
{
    for (size_t j = 0; j < count; j++) {
        const qn_float4 place = places[j], pair = pairs[j];
#pragma omp simd
        for (int i = 0; i < BLOCK; i++)
            block->energy[i] = add_pair(block->energy[i], block->x[i], block->y[i], block->z[i], &place, &pair, exact);
    }
}

static void add_pairs_exactly(const qn_float4 *places, const qn_float4 *pairs, size_t count, pose_block *block)
{
    add_pairs(places, pairs, count, block, true);
}

static void add_pairs_fast(const qn_float4 *places, const qn_float4 *pairs, size_t count, pose_block *block)
{
    add_pairs(places, pairs, count, block, false);
}

#endif

/* Compute the positions of a ligand atom in the poses of a block. */
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

static void add_row(const score_job *launch, size_t pair_row, pose_block *block)
{
    const qn_float4 *pairs = launch->pairs + pair_row * launch->stride;
    if (launch->exact)
        add_pairs_exactly(launch->places, pairs, launch->stride, block);
    else
        add_pairs_fast(launch->places, pairs, launch->stride, block);
}

static qn_status score_block(size_t index, int worker, void *user)
{
    const score_job *launch = user;
    const size_t blocks = launch->poses / BLOCK, pose = index * BLOCK; /* poses of all jobs are consecutive */
    const qn_score_poses_job *job = &launch->jobs[index / blocks];
    float total[BLOCK] = {0};
    pose_block block;
    (void)worker;
    for (int k = 0; k < job->atom_count; k++) {
        const qn_score_poses_atom *atom = &launch->atoms[job->first_atom + k];
        const int32_t second_row = launch->second_rows[atom->type];
        memset(block.energy, 0, sizeof block.energy);
        place_atom(launch->transforms + pose, launch->row, atom, &block);
        add_row(launch, (size_t)atom->type, &block);
        if (second_row >= 0) add_row(launch, (size_t)second_row, &block);
        for (int i = 0; i < BLOCK; i++) total[i] += block.energy[i];
    }
    memcpy(launch->energies + pose, total, sizeof total);
    return QN_OK;
}

static qn_status score(const qn_host_launch *launch)
{
    const score_scalars *s = launch->arguments[SCORE_SCALARS];
    const size_t poses = (size_t)s->poses, all_poses = (size_t)s->job_count * poses;
    score_job job = {.places = launch->arguments[SCORE_PLACES],
                     .pairs = launch->arguments[SCORE_PAIRS],
                     .second_rows = launch->arguments[SCORE_SECOND_ROWS],
                     .jobs = launch->arguments[SCORE_JOBS],
                     .atoms = launch->arguments[SCORE_ATOMS],
                     .transforms = launch->arguments[SCORE_TRANSFORMS],
                     .energies = launch->arguments[SCORE_ENERGIES],
                     .stride = (size_t)s->stride,
                     .poses = poses,
                     .row = all_poses,
                     .exact = s->exact};
    return qn_pool_run(launch->pool, all_poses / BLOCK, score_block, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_score_score_poses_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_score_score_poses_host)[] = {score};
