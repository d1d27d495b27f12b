/* Host kernel of coulomb3d: the sums of a vector of points along x by POINTS_Z along z stay in registers over a loop of
 * all atoms. */
#include "base/thread_pool.h"
#include "benchmark/physics/kernels/coulomb3d.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"

#include "benchmark/physics/kernels/coulomb3d.dev.h"

enum { POINTS_Z = 2 }; /* index of the tunable */

typedef struct coulomb_job {
    const float *atoms;
    float *potential;
    int atom_count, nx, ny, nz, points_z;
    float spacing;
} coulomb_job;

_Static_assert(QN_COULOMB3D_POINTS_STEP % QN_LANES == 0, "a row is a whole number of vectors");

/* Compute points (x …, y, z …): sum charge · (2 / r), and halve the sum at the end. */
static inline void sum_atoms(const coulomb_job *job, int x, int y, int z, const int depth)
{
    qn_lanes sum[8], px;
    float ramp[QN_LANES], pz[8];
    const float py = (float)y * job->spacing;
    for (int i = 0; i < QN_LANES; i++) ramp[i] = (float)(x + i) * job->spacing;
    px = qn_lanes_load(ramp);
    for (int k = 0; k < depth; k++) {
        sum[k] = qn_lanes_splat(0.0f);
        pz[k] = (float)(z + k) * job->spacing;
    }
    for (int a = 0; a < job->atom_count; a++) {
        const float *atom = job->atoms + 4 * a;
        const float dy = py - atom[1];
        const qn_lanes dx = px - qn_lanes_splat(atom[0]), charge = qn_lanes_splat(atom[3]);
        const qn_lanes dxy = qn_lanes_fma(dx, dx, qn_lanes_splat(dy * dy));
        for (int k = 0; k < depth; k++) {
            const qn_lanes dz = qn_lanes_splat(pz[k]) - qn_lanes_splat(atom[2]), square = qn_lanes_fma(dz, dz, dxy);
            const qn_lanes root = qn_lanes_reciprocal_root_estimate(square);
            const qn_lanes correction = qn_lanes_minus_product(qn_lanes_splat(3.0f), square * root, root);
            sum[k] = qn_lanes_fma(charge * root, correction, sum[k]);
        }
    }
    for (int k = 0; k < depth && z + k < job->nz; k++)
        qn_lanes_store(job->potential + ((size_t)(z + k) * (size_t)job->ny + (size_t)y) * (size_t)job->nx + (size_t)x,
                       sum[k] * qn_lanes_splat(0.5f));
}

/* Compute a row of POINTS_Z layers; the constant depth of each call lets compilers keep the sums in registers. */
static qn_status sum_row(size_t index, int worker, void *user)
{
    const coulomb_job *job = user;
    const int y = (int)(index % (size_t)job->ny), z = (int)(index / (size_t)job->ny) * job->points_z;
    (void)worker;
    for (int x = 0; x < job->nx; x += QN_LANES) switch (job->points_z) {
        case 1: sum_atoms(job, x, y, z, 1); break;
        case 2: sum_atoms(job, x, y, z, 2); break;
        case 4: sum_atoms(job, x, y, z, 4); break;
        default: sum_atoms(job, x, y, z, 8);
        }
    return QN_OK;
}

static qn_status coulomb3d(const qn_host_launch *launch)
{
    const coulomb_scalars *s = launch->arguments[COULOMB_SCALARS];
    void *const *arguments = launch->arguments;
    coulomb_job job = {.atoms = arguments[COULOMB_ATOMS],
                       .potential = arguments[COULOMB_POTENTIAL],
                       .atom_count = s->atom_count,
                       .nx = s->nx,
                       .ny = s->ny,
                       .nz = s->nz,
                       .points_z = launch->configuration->value[POINTS_Z],
                       .spacing = s->spacing};
    size_t layers = ((size_t)job.nz + (size_t)job.points_z - 1) / (size_t)job.points_z;
    return qn_pool_run(launch->pool, layers * (size_t)job.ny, sum_row, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_coulomb3d_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_coulomb3d_host)[] = {coulomb3d};
