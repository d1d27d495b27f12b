#include "cluster/measure/mirror.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"

/* Structures that are not related have a cosine of about 0, with a deviation of one over the root of the number of
 * volumes. */
static const double mirror_cosine = -0.5, deviations = 1.5, widest_margin = 0.45;

typedef struct comparison {
    const qn_structures *structures;
    unsigned char *mirrored;
} comparison;

static const float *structure(const qn_structures *structures, size_t index)
{
    return structures->positions_angstrom + index * 3 * structures->atom_count;
}

/* Six times the signed volume of the tetrahedron of atoms a, a + step, a + 2 step and a + 3 step. */
static double volume(const float *positions, size_t atoms, size_t a, size_t step)
{
    double edge[3][3];
    for (size_t k = 0; k < 3; k++)
        for (size_t axis = 0; axis < 3; axis++) {
            const float *row = positions + axis * atoms + a;
            edge[k][axis] = (double)row[(k + 1) * step] - (double)row[k * step];
        }
    return edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) +
           edge[0][1] * (edge[1][2] * edge[2][0] - edge[1][0] * edge[2][2]) +
           edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0]);
}

/* Tetrahedra of atoms in a row, and of atoms a quarter of all apart. Both kinds weigh the same. */
static bool is_mirrored(const qn_structures *structures, size_t index)
{
    const size_t atoms = structures->atom_count, steps[2] = {1, atoms / 4};
    const float *first = structure(structures, 0), *second = structure(structures, index);
    double sum = 0, volumes = 0;
    int kinds = 0;
    for (int kind = 0; kind < 2; kind++) {
        double product = 0, squares[2] = {0, 0};
        for (size_t a = 0; a + 3 * steps[kind] < atoms; a++) {
            const double mine = volume(first, atoms, a, steps[kind]), other = volume(second, atoms, a, steps[kind]);
            product += mine * other;
            squares[0] += mine * mine;
            squares[1] += other * other;
            volumes++;
        }
        if (!(squares[0] > 0 && squares[1] > 0)) continue; /* flat structures are their own mirror images */
        sum += product / sqrt(squares[0] * squares[1]);
        kinds++;
    }
    return kinds > 0 && sum / kinds < mirror_cosine - fmin(deviations / sqrt(volumes), widest_margin);
}

static qn_status compare(size_t index, int worker, void *user)
{
    const comparison *self = user;
    (void)worker;
    self->mirrored[index] = is_mirrored(self->structures, index);
    return QN_OK;
}

qn_status qn_structures_find_mirrored(const qn_structures *structures, qn_pool *pool, size_t *count, size_t *example)
{
    comparison self = {.structures = structures};
    void *memory;
    *count = *example = 0;
    if (structures->atom_count < 4) return QN_OK;
    QN_TRY(qn_allocate(structures->count, 1, &memory));
    self.mirrored = memory;
    const qn_status status = qn_pool_run(pool, structures->count, compare, &self);
    for (size_t i = structures->count; i-- > 0 && status == QN_OK;) {
        if (!self.mirrored[i]) continue;
        *example = i;
        ++*count;
    }
    qn_release(&memory);
    return status;
}
