/* Host kernel of score_poses: a thread scores blocks of poses, which lie side by side in vector registers. */
#include "base/error.h"
#include "base/thread_pool.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "screen/kernels/score_poses_receptor.h"

#include "screen/kernels/score_poses.dev.h"

enum { BLOCK = QN_SCORE_POSES_STEP, LANES = 32 };

typedef struct score_job {
    const qn_float4 *places, *pairs;
    const int32_t *extra_starts;
    const qn_score_poses_job *jobs;
    const qn_score_poses_atom *atoms;
    const float *transforms;
    float *energies;
    size_t stride, types, poses, row; /* row: from one of the twelve numbers of a pose to the next */
} score_job;

/* Where a ligand atom is in each pose of a block. */
static void place_atom(const float *RESTRICT transforms, size_t row, const qn_score_poses_atom *atom, float *RESTRICT x,
                       float *RESTRICT y, float *RESTRICT z)
{
    const float ax = atom->x, ay = atom->y, az = atom->z;
    float *const axes[3] = {x, y, z};
    for (int axis = 0; axis < 3; axis++) {
        const float *m = transforms + 4 * (size_t)axis * row;
        float *RESTRICT moved = axes[axis];
#pragma omp simd
        for (int i = 0; i < BLOCK; i++)
            moved[i] = moved_coordinate(m[i], m[row + i], m[2 * row + i], m[3 * row + i], ax, ay, az);
    }
}

/* Add a ligand atom's pairs with `count` receptor atoms, so few poses at once that their sums stay in registers. */
static void add_pairs(const qn_float4 *RESTRICT places, const qn_float4 *RESTRICT pairs, size_t count,
                      const float *RESTRICT x, const float *RESTRICT y, const float *RESTRICT z, float *RESTRICT energy)
{
    float lx[LANES], ly[LANES], lz[LANES], total[LANES];
    memcpy(lx, x, sizeof lx);
    memcpy(ly, y, sizeof ly);
    memcpy(lz, z, sizeof lz);
    memcpy(total, energy, sizeof total);
    for (size_t j = 0; j < count; j++) {
        const qn_float4 place = places[j], pair = pairs[j];
#pragma omp simd
        for (int i = 0; i < LANES; i++) {
            float dx = lx[i] - place.x, dy = ly[i] - place.y, dz = lz[i] - place.z;
            float r = SQRT(FMA(dz, dz, FMA(dy, dy, FMA(dx, dx, SMALLEST_SQUARE))));
            total[i] = add_pair(total[i], r, pair.x, pair.y, pair.z, pair.w);
        }
    }
    memcpy(energy, total, sizeof total);
}

static qn_status score_block(size_t index, int worker, void *user)
{
    const score_job *launch = user;
    const size_t blocks = launch->poses / BLOCK, pose = index * BLOCK; /* poses of all jobs follow each other */
    const qn_score_poses_job *job = &launch->jobs[index / blocks];
    float total[BLOCK] = {0}, x[BLOCK], y[BLOCK], z[BLOCK];
    (void)worker;
    for (int k = 0; k < job->atom_count; k++) {
        const qn_score_poses_atom *atom = &launch->atoms[job->first_atom + k];
        const size_t type = (size_t)atom->type, extra = (size_t)launch->extra_starts[type];
        const size_t extras = (size_t)launch->extra_starts[type + 1] - extra, stride = launch->stride;
        float energy[BLOCK] = {0};
        place_atom(launch->transforms + pose, launch->row, atom, x, y, z);
        for (int i = 0; i < BLOCK; i += LANES) {
            add_pairs(launch->places, launch->pairs + type * stride, stride, x + i, y + i, z + i, energy + i);
            add_pairs(launch->places + stride + extra, launch->pairs + launch->types * stride + extra, extras, x + i,
                      y + i, z + i, energy + i);
        }
        for (int i = 0; i < BLOCK; i++) total[i] += energy[i];
    }
    memcpy(launch->energies + pose, total, sizeof total);
    return QN_OK;
}

static size_t value(const qn_host_launch *launch, int argument)
{
    return (size_t) * (const int32_t *)launch->arguments[argument];
}

static qn_status score(const qn_host_launch *launch)
{
    score_job job = {launch->arguments[0],
                     launch->arguments[1],
                     launch->arguments[2],
                     launch->arguments[3],
                     launch->arguments[4],
                     launch->arguments[5],
                     launch->arguments[6],
                     value(launch, 7),
                     value(launch, 8),
                     value(launch, 9),
                     0};
    const size_t jobs = value(launch, 10);
    job.row = jobs * job.poses;
    return qn_pool_run(launch->pool, job.row / BLOCK, score_block, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_screen_score_poses_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_screen_score_poses_host)[] = {score};
