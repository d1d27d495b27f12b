/* Host kernel of score_poses_vina: one pose at a time, with several receptor atoms of a row of cells in a vector
 * register. Poses are far apart and share no cells; rows of five cells fill one or two vectors. */
#include "base/thread_pool.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "score/kernels/score_poses_vina_receptor.h"

#include "score/kernels/score_poses_vina.dev.h"

enum { BLOCK = 64, LANES = QN_SCORE_POSES_VINA_LANES, PAIR = QN_SCORE_POSES_VINA_PAIR_COLUMNS };

typedef struct score_job {
    const float *columns, *grid, *shares, *transforms;
    const int32_t *starts;
    const qn_score_poses_job *jobs;
    const qn_score_poses_atom *atoms;
    float *energies;
    size_t stride, poses, row; /* row: distance of the twelve numbers of a pose */
    int cells[3];
} score_job;

/* Add the pairs of receptor atoms first … end − 1 with one ligand atom of `type` at x, y, z. */
static void add_range(const score_job *launch, size_t type, int first, int end, float x, float y, float z,
                      float *RESTRICT sum)
{
    const size_t stride = launch->stride;
    const float *RESTRICT px = launch->columns, *RESTRICT py = px + stride, *RESTRICT pz = py + stride;
    const float *RESTRICT radius = pz + stride + PAIR * type * stride, *RESTRICT weight = radius + stride;
    const float repulsion = launch->grid[4];
    const float *RESTRICT slope = weight + stride, *RESTRICT offset = slope + stride;
    for (int j = first; j < end; j += LANES) {
#pragma omp simd
        for (int k = 0; k < LANES; k++) {
            const float dx = x - px[j + k], dy = y - py[j + k], dz = z - pz[j + k];
            const float square = FMA(dz, dz, FMA(dy, dy, dx * dx));
            const float energy =
                vina_pair_energy(square, radius[j + k], weight[j + k], slope[j + k], offset[j + k], repulsion);
            sum[k] += ((square < VINA_SQUARED_CUTOFF) & (j + k < end)) ? energy : 0.0f;
        }
    }
}

static void add_atom(const score_job *launch, size_t type, float x, float y, float z, float sum[LANES])
{
    const float *grid = launch->grid, place[3] = {x, y, z};
    int low[3], high[3];
    for (int d = 0; d < 3; d++) {
        int cell = vina_cell(place[d], grid[d], grid[3]);
        low[d] = MAX(cell - VINA_CELLS, 0);
        high[d] = MIN(cell + VINA_CELLS, launch->cells[d] - 1);
        if (low[d] > high[d]) return;
    }
    for (int iz = low[2]; iz <= high[2]; iz++)
        for (int iy = low[1]; iy <= high[1]; iy++) {
            const int32_t *row =
                launch->starts + ((size_t)iz * (size_t)launch->cells[1] + (size_t)iy) * (size_t)launch->cells[0];
            add_range(launch, type, row[low[0]], row[high[0] + 1], x, y, z, sum);
        }
}

static float score_pose(const score_job *launch, const qn_score_poses_job *job, size_t pose)
{
    float m[12], sum[LANES] = {0};
    for (size_t k = 0; k < 12; k++) m[k] = launch->transforms[k * launch->row + pose];
    for (int a = 0; a < job->atom_count; a++) {
        const qn_score_poses_atom *atom = &launch->atoms[job->first_atom + a];
        const float x = vina_moved(m[0], m[1], m[2], m[3], atom->x, atom->y, atom->z);
        const float y = vina_moved(m[4], m[5], m[6], m[7], atom->x, atom->y, atom->z);
        const float z = vina_moved(m[8], m[9], m[10], m[11], atom->x, atom->y, atom->z);
        add_atom(launch, (size_t)atom->type, x, y, z, sum);
    }
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) sum[k] += sum[k + width];
    return sum[0];
}

static qn_status score_block(size_t index, int worker, void *user)
{
    const score_job *launch = user;
    const size_t job = index / (launch->poses / BLOCK), first = index * BLOCK; /* poses of all jobs are consecutive */
    (void)worker;
    for (size_t pose = first; pose < first + BLOCK; pose++)
        launch->energies[pose] = score_pose(launch, &launch->jobs[job], pose) * launch->shares[job];
    return QN_OK;
}

static qn_status score(const qn_host_launch *launch)
{
    const vina_scalars *s = launch->arguments[VINA_SCALARS];
    void *const *arguments = launch->arguments;
    score_job job = {.columns = arguments[VINA_COLUMNS],
                     .starts = arguments[VINA_CELL_STARTS],
                     .grid = arguments[VINA_GRID],
                     .jobs = arguments[VINA_JOBS],
                     .shares = arguments[VINA_SHARES],
                     .atoms = arguments[VINA_ATOMS],
                     .transforms = arguments[VINA_TRANSFORMS],
                     .energies = arguments[VINA_ENERGIES],
                     .stride = (size_t)s->stride,
                     .cells = {s->nx, s->ny, s->nz},
                     .poses = (size_t)s->poses};
    job.row = job.poses * (size_t)s->job_count;
    return qn_pool_run(launch->pool, job.row / BLOCK, score_block, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_score_score_poses_vina_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_score_score_poses_vina_host)[] = {score};
