#include "screen/scene/layout.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/symmetric.h"

enum { SWEEPS = 300, NO_PATH = 0 };

static const double bond_angstrom = 1.45;

void qn_layout_clear(qn_layout *layout)
{
    qn_release(&layout->atoms);
    qn_release(&layout->places);
}

/* The axes of the largest and the second largest extent, and the places on them. */
static void project(const qn_compound *compound, qn_layout *layout)
{
    double matrix[9] = {0}, values[3], vectors[9];
    const double *at = compound->positions_angstrom;
    for (int k = 0; k < 3; k++) layout->middle[k] = 0;
    for (size_t i = 0; i < layout->count; i++)
        for (int k = 0; k < 3; k++) layout->middle[k] += at[3 * layout->atoms[i] + (size_t)k] / (double)layout->count;
    for (size_t i = 0; i < layout->count; i++)
        for (int k = 0; k < 9; k++)
            matrix[k] += (at[3 * layout->atoms[i] + (size_t)(k / 3)] - layout->middle[k / 3]) *
                         (at[3 * layout->atoms[i] + (size_t)(k % 3)] - layout->middle[k % 3]);
    qn_symmetric_eigen(matrix, 3, values, vectors);
    for (int k = 0; k < 3; k++) {
        layout->axes[0][k] = vectors[6 + k];
        layout->axes[1][k] = vectors[3 + k];
    }
    for (size_t i = 0; i < layout->count; i++)
        for (int axis = 0; axis < 2; axis++) {
            layout->places[i][axis] = 0;
            for (int k = 0; k < 3; k++)
                layout->places[i][axis] +=
                    layout->axes[axis][k] * (at[3 * layout->atoms[i] + (size_t)k] - layout->middle[k]) / bond_angstrom;
        }
}

/* Lengths of shortest paths along bonds, and whether there are several of them. */
typedef struct path_table {
    size_t count;
    int *lengths; /* [count][count]; NO_PATH: none */
    bool *several;
} path_table;

/* Walk from one atom in the order of distance. */
static void walk(const path_table *table, const qn_compound_bond *bonds, size_t bond_count, const int *index,
                 size_t from)
{
    int *lengths = table->lengths + from * table->count;
    bool *several = table->several + from * table->count;
    for (int length = 1; length <= (int)table->count; length++) {
        bool grew = false;
        for (size_t b = 0; b < bond_count; b++)
            for (int side = 0; side < 2; side++) {
                const int near = index[side ? bonds[b].second : bonds[b].first];
                const int far = index[side ? bonds[b].first : bonds[b].second];
                if (near < 0 || far < 0 || (size_t)far == from) continue;
                const bool reached = (size_t)near == from ? length == 1 : lengths[near] == length - 1 && length > 1;
                if (!reached) continue;
                if (lengths[far] == NO_PATH) {
                    lengths[far] = length;
                    several[far] = several[near];
                    grew = true;
                } else if (lengths[far] == length) {
                    several[far] = true;
                }
            }
        if (!grew) break;
    }
}

/* The distance of two atoms in a drawing whose bonds enclose 120°: that of a zigzag, or across a ring of six. */
static double drawn_distance(int length, bool several)
{
    const double along = length * sqrt(0.75);
    if (length == 3 && several) return 2;
    return length % 2 == 0 ? along : sqrt(along * along + 0.25);
}

static double pose_distance(const qn_compound *compound, size_t a, size_t b)
{
    const double *p = compound->positions_angstrom + 3 * a, *q = compound->positions_angstrom + 3 * b;
    const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return sqrt(x * x + y * y + z * z) / bond_angstrom;
}

/* Move each atom in turn to the minimum of a bound of the stress. */
static void sweep(const qn_compound *compound, const path_table *table, qn_layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        double sum[2] = {0}, weights = 0;
        for (size_t j = 0; j < layout->count; j++) {
            const int length = table->lengths[i * layout->count + j];
            if (j == i) continue;
            const double distance = length == NO_PATH ? pose_distance(compound, layout->atoms[i], layout->atoms[j])
                                                      : drawn_distance(length, table->several[i * layout->count + j]);
            const double weight = 1 / fmax(distance * distance, 0.25);
            double x = layout->places[i][0] - layout->places[j][0], y = layout->places[i][1] - layout->places[j][1];
            double apart = hypot(x, y);
            if (apart < 1e-6) {
                x = cos((double)i);
                y = sin((double)i);
                apart = 1;
            }
            sum[0] += weight * (layout->places[j][0] + distance * x / apart);
            sum[1] += weight * (layout->places[j][1] + distance * y / apart);
            weights += weight;
        }
        if (weights > 0)
            for (int k = 0; k < 2; k++) layout->places[i][k] = sum[k] / weights;
    }
}

static void centre(qn_layout *layout)
{
    double mean[2] = {0};
    for (size_t i = 0; i < layout->count; i++)
        for (int k = 0; k < 2; k++) mean[k] += layout->places[i][k] / (double)layout->count;
    for (size_t i = 0; i < layout->count; i++)
        for (int k = 0; k < 2; k++) layout->places[i][k] -= mean[k];
}

static qn_status relax(const qn_compound *compound, const int *index, qn_layout *layout)
{
    path_table table = {.count = layout->count};
    void *memory;
    QN_TRY(qn_allocate(layout->count * layout->count, sizeof(int), &memory));
    table.lengths = memory;
    qn_status status = qn_allocate(layout->count * layout->count, sizeof(bool), &memory);
    if (status == QN_OK) {
        table.several = memory;
        for (size_t i = 0; i < layout->count; i++) walk(&table, compound->bonds, compound->bond_count, index, i);
        for (int i = 0; i < SWEEPS; i++) sweep(compound, &table, layout);
        centre(layout);
    }
    qn_release(&table.several);
    qn_release(&table.lengths);
    return status;
}

qn_status qn_layout_create(const qn_compound *compound, qn_layout *layout)
{
    void *memory;
    *layout = (qn_layout){0};
    QN_TRY(qn_allocate(compound->atom_count, sizeof(int), &memory));
    int *index = memory;
    qn_status status = qn_allocate(compound->atom_count, sizeof *layout->atoms, &memory);
    if (status == QN_OK) layout->atoms = memory;
    if (status == QN_OK) status = qn_allocate(compound->atom_count, sizeof *layout->places, &memory);
    if (status == QN_OK) {
        layout->places = memory;
        for (size_t i = 0; i < compound->atom_count; i++) {
            index[i] = qn_compound_atom_is_hydrogen(&compound->atoms[i]) ? -1 : (int)layout->count;
            if (index[i] >= 0) layout->atoms[layout->count++] = i;
        }
        project(compound, layout);
        status = relax(compound, index, layout);
    }
    qn_release(&index);
    if (status != QN_OK) qn_layout_clear(layout);
    return status;
}
