/* The simple host kernel of quern_bench_screen: the loops of the definition, with a loop over 64 poses innermost. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/thread_pool.h"
#include "runtime/host_variant.h"

#include <quern/family.h>

enum { BLOCK = 64, TYPES_MAX = 64 };

typedef struct float4 {
    float x, y, z, w;
} float4;

/* Arguments of every plain kernel. An atom is (x, y, z, type). A type is (radius, hydrophobic potential, charge, kind),
 * R, k, q and kind of score/bude.h. */
typedef struct plain_problem {
    const float4 *ligand, *receptor, *types;
    const float *transforms;
    float *energies;
    int ligand_count, receptor_count, type_count, poses;
} plain_problem;

/* The terms of a pair of types, as far as they do not depend on the distance. */
typedef struct plain_pair {
    float radius, charge, charge_slope, desolvation, slope;
} plain_pair;

static int type_of(const float4 *atom)
{
    int32_t type;
    memcpy(&type, &atom->w, sizeof type);
    return type;
}

static plain_pair pair_of(const float4 *s, const float4 *t)
{
    const bool formal = s->w == 'F' && t->w == 'F', either = s->w == 'E' || t->w == 'E';
    const bool apart = (s->y < 0) != (t->y < 0);
    plain_pair pair = {s->x + t->x, 22.5f * s->z * t->z, formal ? 0.25f : 0.5f, 0, apart ? 1 : 1 / 5.5f};
    if (either) pair.charge = -fabsf(pair.charge);
    if (t->y != 0 && (s->y < 0 || t->y < 0))
        pair.desolvation = 0.5f * (apart ? (s->y == 0 ? t->y : fabsf(s->y) + fabsf(t->y)) : s->y + t->y);
    return pair;
}

static void plain_add(const plain_problem *problem, const plain_pair *pairs, const float *restrict x,
                      const float *restrict y, const float *restrict z, float *restrict energy)
{
    for (int j = 0; j < problem->receptor_count; j++) {
        const float4 b = problem->receptor[j];
        const plain_pair pair = pairs[type_of(&b)];
        const float per_radius = 1 / pair.radius;
#pragma omp simd
        for (int i = 0; i < BLOCK; i++) {
            const float dx = x[i] - b.x, dy = y[i] - b.y, dz = z[i] - b.z;
            const float r = sqrtf(fmaf(dx, dx, fmaf(dy, dy, dz * dz))), beyond = r - pair.radius;
            float overlap = 38 * (1 - r * per_radius), share = 1 - beyond * pair.slope;
            float charge_share = 1 - beyond * pair.charge_slope;
            overlap = overlap > 0 ? overlap : 0; /* no `if`, which would keep compilers from vectorising */
            charge_share = charge_share > 0 ? charge_share : 0;
            charge_share = charge_share < 1 ? charge_share : 1;
            share = share > 0 ? share : 0;
            share = share < 1 ? share : 1;
            energy[i] += overlap + pair.charge * charge_share + pair.desolvation * share;
        }
    }
}

static qn_status plain_block(size_t index, int worker, void *user)
{
    const plain_problem *problem = user;
    float x[BLOCK], y[BLOCK], z[BLOCK], energy[BLOCK] = {0};
    const size_t row = (size_t)problem->poses;
    (void)worker;
    for (int k = 0; k < problem->ligand_count; k++) {
        const float4 *a = &problem->ligand[k];
        const float *m = problem->transforms + index * BLOCK;
        plain_pair pairs[TYPES_MAX];
        for (int i = 0; i < BLOCK; i++) {
            x[i] = m[3 * row + i] + a->x * m[i] + a->y * m[row + i] + a->z * m[2 * row + i];
            y[i] = m[7 * row + i] + a->x * m[4 * row + i] + a->y * m[5 * row + i] + a->z * m[6 * row + i];
            z[i] = m[11 * row + i] + a->x * m[8 * row + i] + a->y * m[9 * row + i] + a->z * m[10 * row + i];
        }
        for (int t = 0; t < problem->type_count; t++)
            pairs[t] = pair_of(&problem->types[type_of(a)], &problem->types[t]);
        plain_add(problem, pairs, x, y, z, energy);
    }
    memcpy(problem->energies + index * BLOCK, energy, sizeof energy);
    return QN_OK;
}

static qn_status plain(const qn_host_launch *launch)
{
    void *const *a = launch->arguments;
    plain_problem problem = {a[0], a[1], a[2], a[3], a[4], *(int *)a[5], *(int *)a[6], *(int *)a[7], *(int *)a[8]};
    return qn_pool_run(launch->pool, (size_t)problem.poses / BLOCK, plain_block, &problem);
}

extern const qn_host_kernel QN_HOST_VARIANT(quern_bench_screen_host)[];
const qn_host_kernel QN_HOST_VARIANT(quern_bench_screen_host)[] = {plain};
