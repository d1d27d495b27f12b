/* Sums over a block of atoms: positions are split into rows of x, y and z, then the rows are summed. */
#include "trajectory/query/atom_sums.h"

#include <math.h>
#include <string.h>

enum { BLOCK = QN_ATOM_BLOCK, LANES = QN_SUM_LANES };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Positions relative to an origin; zeros follow the last atom up to a multiple of LANES. */
typedef struct atom_rows {
    double x[BLOCK], y[BLOCK], z[BLOCK];
} atom_rows;

static void take_apart(const qn_atom_block *block, const double origin[3], atom_rows *rows)
{
    const size_t count = block->count;
    const uint32_t *atoms = block->atoms;
    const double origin_x = origin[0], origin_y = origin[1], origin_z = origin[2];
    if (atoms[count - 1] - atoms[0] == count - 1) { /* contiguous */
        const float *p = block->positions_nm + 3 * (size_t)atoms[0];
        for (size_t i = 0; i < count; i++) {
            rows->x[i] = p[3 * i] - origin_x;
            rows->y[i] = p[3 * i + 1] - origin_y;
            rows->z[i] = p[3 * i + 2] - origin_z;
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            const float *p = block->positions_nm + 3 * (size_t)atoms[i];
            rows->x[i] = p[0] - origin_x;
            rows->y[i] = p[1] - origin_y;
            rows->z[i] = p[2] - origin_z;
        }
    }
    for (size_t i = count; i % LANES != 0; i++) rows->x[i] = rows->y[i] = rows->z[i] = 0;
}

static void add_zeroth(const double *weights, size_t count, qn_moment_lanes *sums)
{
    lanes weight, w;
    memcpy(&weight, sums->weight, sizeof weight);
    for (size_t i = 0; i < count; i += LANES) {
        memcpy(&w, weights + i, sizeof w);
        weight += w;
    }
    memcpy(sums->weight, &weight, sizeof weight);
}

static void add_first(const atom_rows *rows, const double *weights, size_t count, qn_moment_lanes *sums)
{
    lanes weight, first[3];
    memcpy(&weight, sums->weight, sizeof weight);
    memcpy(first, sums->first, sizeof first);
    for (size_t i = 0; i < count; i += LANES) {
        lanes w, x, y, z;
        memcpy(&w, weights + i, sizeof w);
        memcpy(&x, rows->x + i, sizeof x);
        memcpy(&y, rows->y + i, sizeof y);
        memcpy(&z, rows->z + i, sizeof z);
        weight += w;
        first[0] += w * x;
        first[1] += w * y;
        first[2] += w * z;
    }
    memcpy(sums->weight, &weight, sizeof weight);
    memcpy(sums->first, first, sizeof first);
}

static void add_second(const atom_rows *rows, const double *weights, size_t count, qn_moment_lanes *sums)
{
    lanes weight, first[3], second[6];
    memcpy(&weight, sums->weight, sizeof weight);
    memcpy(first, sums->first, sizeof first);
    memcpy(second, sums->second, sizeof second);
    for (size_t i = 0; i < count; i += LANES) {
        lanes w, x, y, z;
        memcpy(&w, weights + i, sizeof w);
        memcpy(&x, rows->x + i, sizeof x);
        memcpy(&y, rows->y + i, sizeof y);
        memcpy(&z, rows->z + i, sizeof z);
        const lanes wx = w * x, wy = w * y, wz = w * z;
        weight += w;
        first[0] += wx;
        first[1] += wy;
        first[2] += wz;
        second[0] += wx * x;
        second[1] += wx * y;
        second[2] += wx * z;
        second[3] += wy * y;
        second[4] += wy * z;
        second[5] += wz * z;
    }
    memcpy(sums->weight, &weight, sizeof weight);
    memcpy(sums->first, first, sizeof first);
    memcpy(sums->second, second, sizeof second);
}

static void add_moments(const qn_atom_block *block, int order, const double origin_nm[3], qn_moment_lanes *sums)
{
    atom_rows rows;
    if (order == 0) {
        add_zeroth(block->weights, block->count, sums);
        return;
    }
    take_apart(block, origin_nm, &rows);
    if (order == 1)
        add_first(&rows, block->weights, block->count, sums);
    else
        add_second(&rows, block->weights, block->count, sums);
}

static void find_slabs(const qn_atom_block *block, const qn_slab_rule *rule, int32_t slabs[BLOCK])
{
    static const double zero[3] = {0};
    const double nx = rule->normal[0], ny = rule->normal[1], nz = rule->normal[2], shift = rule->shift;
    const double count = rule->count, last = count - 1;
    atom_rows rows;
    take_apart(block, zero, &rows);
#pragma omp simd
    for (size_t i = 0; i < block->count; i++) {
        const double x = rows.x[i] * nx, y = rows.y[i] * ny, z = rows.z[i] * nz;
        const double fraction = x + y + z - shift + QN_SLAB_ROUNDING * (fabs(x) + fabs(y) + fabs(z));
        const double place = (fraction - floor(fraction)) * count; /* may round up to count */
        const double within = place < last ? place : last;
        slabs[i] = (int32_t)(fabs(fraction) < 1e15 ? within : count);
    }
}

static size_t sum_runs(const qn_atom_block *block, const double *charges, const uint32_t *molecule_of,
                       qn_molecule_sums *sums, uint32_t *molecules)
{
    const double *masses = block->weights;
    const uint32_t *atoms = block->atoms;
    size_t runs = 0;
    for (size_t i = 0; i < block->count;) {
        const uint32_t molecule = molecule_of[atoms[i]];
        lanes mass = {0}, charge = {0};
        for (; i < block->count && molecule_of[atoms[i]] == molecule; i++) {
            const float *at = block->positions_nm + 3 * (size_t)atoms[i];
            const lanes p = {at[0], at[1], at[2], 1};
            mass += p * masses[i];
            charge += p * charges[i];
        }
        memcpy(sums[runs].mass_moment, &mass, sizeof mass);
        memcpy(sums[runs].charge_moment, &charge, sizeof charge);
        molecules[runs++] = molecule;
    }
    return runs;
}

static void find_dipoles(const qn_molecule_sums *sums, size_t count, double *dipoles)
{
#pragma omp simd
    for (size_t k = 0; k < count; k++) {
        const double *mass = sums[k].mass_moment, *charge = sums[k].charge_moment, inverse = 1 / sums[k].mass;
        const double x = charge[0] - sums[k].charge * (mass[0] * inverse);
        const double y = charge[1] - sums[k].charge * (mass[1] * inverse);
        const double z = charge[2] - sums[k].charge * (mass[2] * inverse);
        const double norm = sqrt(x * x + y * y + z * z);
        dipoles[k] = sums[k].mass > 0 ? norm : -1;
    }
}

extern const qn_atom_sums QN_HOST_VARIANT(qn_atom_sums_host)[];
const qn_atom_sums QN_HOST_VARIANT(qn_atom_sums_host)[] = {{add_moments, find_slabs, sum_runs, find_dipoles}};
