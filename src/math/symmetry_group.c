/* Every group is the closure of two rotations about axes whose places RELION's convention fixes. */
#include "math/symmetry_group.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"

/* A rotation by 360°/order about an axis of any length. */
typedef struct generator {
    double axis[3];
    int order;
} generator;

typedef struct group {
    generator generators[2]; /* order 1: none */
    int count;               /* of operators */
} group;

static const double pi = 3.14159265358979323846;

/* Golden ratio: two-fold axes of an icosahedron stand along x, y, z and its five-fold ones along (1, 0, φ) and such. */
#define PHI 1.61803398874989484820

static const struct {
    const char *name;
    group group;
} fixed_groups[] = {
    {"T", {{{{0, 0, 1}, 3}, {{0, 1.41421356237309504880, 1}, 2}}, 12}},
    {"O", {{{{0, 0, 1}, 4}, {{1, 1, 1}, 3}}, 24}},
    {"I", {{{{0, 0, 1}, 2}, {{1, 0, PHI}, 5}}, 60}},
    {"I1", {{{{1, 0, 0}, 2}, {{PHI, 0, -1}, 5}}, 60}},
    {"I2", {{{{0, 0, 1}, 2}, {{1, 0, PHI}, 5}}, 60}},
    {"I3", {{{{0, 0, 1}, 5}, {{-1, 0, PHI}, 2}}, 60}},
    {"I4", {{{{0, 0, 1}, 5}, {{2, 0, 1}, 5}}, 60}},
};

static bool same_letters(const char *name, const char *upper)
{
    for (; *name && *upper; name++, upper++)
        if (*name != *upper && *name != *upper + ('a' - 'A')) return false;
    return *name == *upper;
}

/* Digits without a leading zero; 0 for everything else and for more than there may be. */
static int parse_order(const char *text)
{
    int order = 0;
    if (*text == '0') return 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return 0;
        order = 10 * order + (*text - '0');
        if (order > QN_SYMMETRY_MOST_OPERATORS) return 0;
    }
    return order;
}

static bool find_group(const char *name, group *found)
{
    for (size_t i = 0; i < sizeof fixed_groups / sizeof *fixed_groups; i++) {
        *found = fixed_groups[i].group;
        if (same_letters(name, fixed_groups[i].name)) return true;
    }
    const bool cyclic = *name == 'C' || *name == 'c', dihedral = *name == 'D' || *name == 'd';
    if (!cyclic && !dihedral) return false;
    const int order = parse_order(name + 1);
    *found = (group){{{{0, 0, 1}, order}, {{1, 0, 0}, dihedral ? 2 : 1}}, dihedral ? 2 * order : order};
    return order > 0 && found->count <= QN_SYMMETRY_MOST_OPERATORS;
}

/* Rodrigues' formula. Quarters and halves of a turn get exact sines, so that axes along x, y, z give whole numbers. */
static void rotate_about(const generator *g, double m[9])
{
    const double *a = g->axis, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double x = a[0] / length, y = a[1] / length, z = a[2] / length, angle = 2 * pi / g->order;
    const double c = g->order == 1 ? 1 : g->order == 2 ? -1 : g->order == 4 ? 0 : cos(angle);
    const double s = g->order <= 2 ? 0 : g->order == 4 ? 1 : sin(angle), d = 1 - c;
    const double matrix[9] = {c + x * x * d,     x * y * d - z * s, x * z * d + y * s, y * x * d + z * s, c + y * y * d,
                              y * z * d - x * s, z * x * d - y * s, z * y * d + x * s, c + z * z * d};
    memcpy(m, matrix, sizeof matrix);
}

static bool holds(double (*operators)[9], int count, const double m[9])
{
    const double apart = 1e-4; /* neighbours of the largest group differ by 0.006, rounding by 1e-12 */
    for (int i = 0; i < count; i++) {
        double largest = 0;
        for (int k = 0; k < 9; k++) largest = fmax(largest, fabs(operators[i][k] - m[k]));
        if (largest < apart) return true;
    }
    return false;
}

/* All products of the generators; there is room for `most`. */
static int close_group(const group *g, int most, double (*operators)[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int count = 1;
    memcpy(operators[0], identity, sizeof identity);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++) {
            double turn[9], product[9];
            rotate_about(&g->generators[k], turn);
            qn_rotation_multiply(turn, operators[i], product);
            if (count < most && !holds(operators, count, product)) memcpy(operators[count++], product, sizeof product);
        }
    }
    return count;
}

qn_status qn_symmetry_group(const char *name, double (**operators)[9], int *count)
{
    group g;
    void *memory;
    *operators = NULL;
    *count = 0;
    if (!find_group(name, &g))
        QN_FAIL(QN_INVALID_ARGUMENT,
                "\"%.40s\" is no symmetry group; expected C1 to C%d, D1 to D%d, T, O, I, I1, I2, I3 or I4", name,
                QN_SYMMETRY_MOST_OPERATORS, QN_SYMMETRY_MOST_OPERATORS / 2);
    QN_TRY(qn_allocate((size_t)g.count + 1, sizeof **operators, &memory));
    *operators = memory;
    *count = close_group(&g, g.count + 1, *operators);
    if (*count == g.count) return QN_OK;
    qn_release(operators);
    QN_FAIL(QN_INTERNAL, "group %.40s came out with %d operators; expected %d", name, *count, g.count);
}
