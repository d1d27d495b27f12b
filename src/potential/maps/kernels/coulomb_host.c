/* Host kernel of coulomb: the sums of a vector of points along x by POINTS_Z along z stay in registers over a loop of
 * all atoms. */
#include "base/thread_pool.h"
#include "potential/maps/kernels/coulomb.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/coulomb.dev.h"

enum { POINTS_Z = 2, DEPTH_MAX = 8 }; /* index of the tunable; its largest value here */

typedef struct coulomb_job {
    const float *atoms;
    float *potential;
    const coulomb_scalars *scalars;
    int points_z;
} coulomb_job;

/* Store the sums of points (x …, y, z …). Their reciprocal roots lack the factor 1/2 of Newton's step; it is applied
 * here. */
static inline void store(const coulomb_job *job, int x, int y, int z, const int depth, const qn_lanes *sums)
{
    const coulomb_scalars *s = job->scalars;
    for (int k = 0; k < depth && z + k < s->nz; k++) {
        float values[QN_LANES];
        float *to = job->potential + ((size_t)(z + k) * (size_t)s->ny + (size_t)y) * (size_t)s->nx + (size_t)x;
        qn_lanes_store(values, sums[k]);
        for (int i = 0; i < QN_LANES && x + i < s->nx; i++)
            to[i] = FMA(0.5f * s->factor, values[i], s->is_first ? 0.0f : to[i]);
    }
}

static inline void sum_atoms(const coulomb_job *job, int x, int y, int z, const int depth)
{
    const coulomb_scalars *s = job->scalars;
    const qn_lanes least = qn_lanes_splat(s->least_squared);
    const float py = FMA((float)y, s->spacing, s->y);
    qn_lanes sums[DEPTH_MAX];
    float ramp[QN_LANES], pz[DEPTH_MAX];
    for (int i = 0; i < QN_LANES; i++) ramp[i] = FMA((float)(x + i), s->spacing, s->x);
    const qn_lanes px = qn_lanes_load(ramp);
    for (int k = 0; k < depth; k++) {
        sums[k] = qn_lanes_splat(0.0f);
        pz[k] = FMA((float)(s->first_plane + z + k), s->spacing, s->z);
    }
    for (int a = 0; a < s->atom_count; a++) {
        const float *atom = job->atoms + 4 * a;
        const float dy = py - atom[1];
        const qn_lanes dx = px - qn_lanes_splat(atom[0]), charge = qn_lanes_splat(atom[3]);
        const qn_lanes flat = qn_lanes_fma(dx, dx, qn_lanes_splat(dy * dy));
        for (int k = 0; k < depth; k++) {
            const qn_lanes dz = qn_lanes_splat(pz[k] - atom[2]);
            const qn_lanes square = qn_lanes_maximum(qn_lanes_fma(dz, dz, flat), least);
            const qn_lanes root = qn_lanes_reciprocal_root_estimate(square);
            const qn_lanes correction = qn_lanes_minus_product(qn_lanes_splat(3.0f), square * root, root);
            sums[k] = qn_lanes_fma(charge * root, correction, sums[k]);
        }
    }
    store(job, x, y, z, depth, sums);
}

/* Compute a row of POINTS_Z layers; the constant depth of each call lets compilers keep the sums in registers. */
static qn_status sum_row(size_t index, int worker, void *user)
{
    const coulomb_job *job = user;
    const size_t ny = (size_t)job->scalars->ny;
    const int y = (int)(index % ny), z = (int)(index / ny) * job->points_z;
    (void)worker;
    for (int x = 0; x < job->scalars->nx; x += QN_LANES) switch (job->points_z) {
        case 1: sum_atoms(job, x, y, z, 1); break;
        case 2: sum_atoms(job, x, y, z, 2); break;
        case 4: sum_atoms(job, x, y, z, 4); break;
        default: sum_atoms(job, x, y, z, 8);
        }
    return QN_OK;
}

static qn_status coulomb(const qn_host_launch *launch)
{
    coulomb_job job = {.atoms = launch->arguments[COULOMB_ATOMS],
                       .potential = launch->arguments[COULOMB_POTENTIAL],
                       .scalars = launch->arguments[COULOMB_SCALARS],
                       .points_z = launch->configuration->value[POINTS_Z]};
    const size_t layers = ((size_t)job.scalars->nz + (size_t)job.points_z - 1) / (size_t)job.points_z;
    return qn_pool_run(launch->pool, layers * (size_t)job.scalars->ny, sum_row, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_potential_coulomb_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_potential_coulomb_host)[] = {coulomb};
