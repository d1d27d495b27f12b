#include "check.h"

#include <math.h>

#include "cluster/measure/drmsd.h"

static const qn_measure_settings settings;

static double measure(const float *positions, size_t atoms, const float *weights)
{
    const qn_structures structures = {
        .count = 2, .atom_count = atoms, .positions_angstrom = positions, .weights = weights};
    return qn_measure_drmsd.pair(&structures, &settings, 0, 1);
}

/* Two triangles, of sides 3, 4, 5 and 3, 4, 6: the distances differ by 0, 0 and 1. */
static void triangles_of_known_sides(void)
{
    const double cosine = (9 + 16 - 36) / 24.0;
    const float x = (float)(4 * cosine), y = (float)(4 * sqrt(1 - cosine * cosine));
    const float positions[2][3][3] = {{{0, 3, 0}, {0, 0, 4}, {0, 0, 0}}, {{0, 3, x}, {0, 0, y}, {0, 0, 0}}};
    const float weights[3] = {1, 2, 3}; /* the side that differs weighs 6 of 2 + 3 + 6 */
    CHECK_NEAR(measure(&positions[0][0][0], 3, NULL), sqrt(1.0 / 3), 1e-6);
    CHECK_NEAR(measure(&positions[0][0][0], 3, weights), sqrt(6.0 / 11), 1e-6);
}

static void mirror_images_are_the_same(void)
{
    const float positions[2][3][4] = {{{0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 3}},
                                      {{0, 1, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, -3}}};
    CHECK_NEAR(measure(&positions[0][0][0], 4, NULL), 0, 1e-12);
}

static void one_atom_is_refused(void)
{
    const float positions[2][3][1] = {{{0}, {0}, {0}}, {{1}, {0}, {0}}};
    const qn_structures structures = {.count = 2, .atom_count = 1, .positions_angstrom = &positions[0][0][0]};
    CHECK_FAILS(qn_measure_drmsd.check(&structures, &settings), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1 atom");
}

int main(void)
{
    RUN(triangles_of_known_sides);
    RUN(mirror_images_are_the_same);
    RUN(one_atom_is_refused);
    return check_finish();
}
