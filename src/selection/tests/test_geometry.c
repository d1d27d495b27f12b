/* Compare selections by position with a search of all images of all atoms in double precision. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "math/random.h"
#include "selection/network.h"
#include "selection/tests/small_system.h"

enum { ATOMS = 150, IMAGES = 8 };

/* Distance from `a` to the nearest of (2 · IMAGES + 1)³ images of `b`; without box vectors, to `b` itself. */
static double nearest_nm(const double box_nm[9], const float *a, const float *b)
{
    double least = INFINITY;
    int images = box_nm[0] > 0 ? IMAGES : 0;
    for (int i = -images; i <= images; i++)
        for (int j = -images; j <= images; j++)
            for (int k = -images; k <= images; k++) {
                double squared = 0;
                for (int axis = 0; axis < 3; axis++) {
                    double d = (double)b[axis] - (double)a[axis] + i * box_nm[axis] + j * box_nm[3 + axis] +
                               k * box_nm[6 + axis];
                    squared += d * d;
                }
                least = fmin(least, squared);
            }
    return sqrt(least);
}

static const double boxes_nm[][9] = {
    {0},
    {3, 0, 0, 0, 3, 0, 0, 0, 3},
    {2, 0, 0, 0, 3.1, 0, 0, 0, 4.5},
    {3, 0, 0, 0, 3, 0, 1.5, 1.5, 2.1213},        /* rhombic dodecahedron */
    {3, 0, 0, 1, 2.8284, 0, -1, 1.4142, 2.4495}, /* truncated octahedron */
    {3, 0, 0, 1.4, 2, 0, -1.3, 0.9, 1.1},        /* skewed */
    {4, 0, 0, 0.3, 4, 0, 1.3, -1.7, 0.9},        /* flat */
    {2, 0, 0, 5.3, 2.5, 0, 2.9, 3.9, 2},         /* a cell that is not reduced */
};

/* Place atoms at random, up to two box vectors from the origin along each vector; without a box, in a cube of 3 nm. */
static void scatter(uint64_t seed, const double box_nm[9], float *positions)
{
    bool periodic = box_nm[0] > 0;
    for (int atom = 0; atom < ATOMS; atom++) {
        double f[3];
        for (int k = 0; k < 3; k++) {
            f[k] = qn_random_uniform(seed, 0, (uint64_t)(3 * atom + k));
            f[k] = periodic ? 4 * f[k] - 2 : 3 * f[k];
        }
        for (int axis = 0; axis < 3; axis++)
            positions[3 * atom + axis] =
                (float)(periodic ? f[0] * box_nm[axis] + f[1] * box_nm[3 + axis] + f[2] * box_nm[6 + axis] : f[axis]);
    }
}

/* Compare the marked atoms with nearest_nm. Atoms whose distance differs from the radius by less than 1e-9 nm may be
 * marked or not. */
static void check_marks(const double box_nm[9], const float *positions, int members, double radius_nm)
{
    uint64_t set[(ATOMS + 63) / 64] = {0}, near[(ATOMS + 63) / 64] = {0};
    qn_proximity *proximity;
    qn_box box;
    int wrong = 0, marked = 0;
    for (int i = 0; i < members; i++) qn_atom_set_add(set, (size_t)i * 7 % ATOMS);
    if (!CHECK_OK(qn_box_from_vectors(box_nm, &box)) || !CHECK_OK(qn_proximity_create(ATOMS, &proximity))) return;
    CHECK_OK(qn_proximity_mark(proximity, &box, positions, set, radius_nm, near));
    for (size_t atom = 0; atom < ATOMS; atom++) {
        double least = INFINITY;
        for (size_t other = 0; other < ATOMS; other++)
            if (qn_atom_set_has(set, other))
                least = fmin(least, nearest_nm(box_nm, positions + 3 * atom, positions + 3 * other));
        marked += qn_atom_set_has(near, atom);
        if (fabs(least - radius_nm) < 1e-9 && least > 0) continue;
        wrong += qn_atom_set_has(near, atom) != (least <= radius_nm);
    }
    CHECK(wrong == 0 && marked >= members);
    if (wrong)
        printf("    box %g %g %g …, %d members, %g nm: %d wrong\n", box_nm[0], box_nm[4], box_nm[8], members, radius_nm,
               wrong);
    qn_proximity_destroy(&proximity);
}

static void marked_atoms_are_near_by_any_image(void)
{
    static const double radii_nm[] = {0, 0.05, 0.3, 0.7, 1.1, 1.6, 2.3, 3.5};
    static float positions[3 * ATOMS];
    for (size_t b = 0; b < sizeof boxes_nm / sizeof boxes_nm[0]; b++)
        for (size_t r = 0; r < sizeof radii_nm / sizeof radii_nm[0]; r++) {
            scatter(r, boxes_nm[b], positions);
            check_marks(boxes_nm[b], positions, 1, radii_nm[r]);
            check_marks(boxes_nm[b], positions, 4, radii_nm[r]);
        }
}

/* ---- Selections ---- */

/* Place atoms on a line: x in steps of 0.1 nm, y = -x, z = 0. */
static void place_on_line(float *positions)
{
    for (int i = 0; i < SMALL_SYSTEM_ATOMS; i++) {
        positions[3 * i] = 0.1F * (float)i;
        positions[3 * i + 1] = -0.1F * (float)i;
        positions[3 * i + 2] = 0;
    }
}

static const char *selected(qn_selection_atoms *atoms, int node)
{
    static char text[1024];
    const uint32_t *indices;
    size_t count, length = 0;
    qn_selection_atoms_view(atoms, node, &indices, &count);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, i ? " %u" : "%u", indices[i]);
    return text;
}

typedef struct expectation {
    const char *text, *atoms;
} expectation;

static void check_frame(double unit_nm, bool periodic, const expectation *expected, size_t count)
{
    float positions[3 * SMALL_SYSTEM_ATOMS];
    qn_topology *topology = small_system();
    qn_selections *selections;
    qn_selection_atoms *atoms;
    int *nodes = calloc(count, sizeof *nodes);
    if (!topology || !nodes || !CHECK_OK(qn_selections_create(topology, unit_nm, periodic, &selections))) return;
    for (size_t i = 0; i < count; i++) CHECK_OK(qn_selections_add(selections, expected[i].text, &nodes[i]));
    qn_trajectory_frame frame = {
        .atom_count = SMALL_SYSTEM_ATOMS, .positions_nm = positions, .box_nm = {3, 0, 0, 0, 3, 0, 0, 0, 3}};
    place_on_line(positions);
    if (CHECK_OK(qn_selection_atoms_create(selections, &atoms))) {
        for (int round = 0; round < 2; round++) {
            CHECK_OK(qn_selection_atoms_evaluate(atoms, &frame));
            for (size_t i = 0; i < count; i++)
                if (!CHECK_TEXT(selected(atoms, nodes[i]), expected[i].atoms)) printf("    in: %s\n", expected[i].text);
        }
        qn_selection_atoms_destroy(&atoms);
    }
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
    free(nodes);
}

static void positions_select_in_every_unit(void)
{
    static const expectation nm[] = {
        {"x < 0.3", "0 1 2"},
        {"x <= 0.3", "0 1 2 3"},
        {"x > 2.4 and not name and_", "25 26 27"},
        {"prop x >= 2.6", "26 27"},
        {"x 0.3 to 0.5", "3 4 5"},
        {"x 0.1 0.7", "1 7"},
        {"x == 0.7", "7"},
        {"x != 0.7 and index 6 to 8", "6 8"},
        {"0.3 < x < 0.6", "4 5"},
        {"y < -2.5", "26 27"},
        {"abs y <= 0.1", "0 1"},
        {"prop abs z > 0", ""},
        {"z = 0 and name P", "13"},
        {"name CA and x < 1", "1 6"},
        {"same residue as x > 2.65", "25 26 27"},
        {"bonded to x == 0.7", "6"},
        {"not x < 2.6", "26 27"},
        {"x < 0.15 or name P", "0 1 13"},
        {"protein", "0 1 2 3 4 5 6 7 8 9 10 11 12"},
    };
    static const expectation angstrom[] = {
        {"x <= 3", "0 1 2 3"},
        {"x 3:5", "3 4 5"},
        {"within 3.1 of index 13", "11 12 13 14 15"}, /* steps of √2 Å */
        {"within 0 of index 13", "13"},
    };
    check_frame(1, true, nm, sizeof nm / sizeof nm[0]);
    check_frame(0.1, true, angstrom, sizeof angstrom / sizeof angstrom[0]);
}

/* Neighbours on the line are 0.1414 nm apart; 27 lies 0.4243 nm from the image of 0. */
static void neighbours_are_selected(void)
{
    static const expectation periodic[] = {
        {"within 0.15 of index 0", "0 1"},
        {"around 0.15 index 0", "1"},
        {"exwithin 0.15 of index 13", "12 14"},
        {"within 0.45 of index 0", "0 1 2 3 27"},
        {"around 0.45 protein", "13 14 15 27"},
        {"around 0.45 (protein and index 0)", "1 2 3 27"},
        {"within 0.15 of within 0.15 of index 0", "0 1 2"},
        {"resname SOL and within 0.15 of name C1*", ""},
        {"byres (resname SOL and within 0.15 of name N9)", "17 18 19"},
        {"within 0.15 of none", ""},
        {"not within 3 of index 0", ""},
        {"not (within 1.9 of index 0)", "14 15 16"}, /* at 1.98, 2.12 and, by an image, 1.98 nm */
    };
    static const expectation alone[] = {
        {"within 0.45 of index 0", "0 1 2 3"},
        {"not (within 3.7 of index 0)", "27"},
    };
    check_frame(1, true, periodic, sizeof periodic / sizeof periodic[0]);
    check_frame(1, false, alone, sizeof alone / sizeof alone[0]);
}

static void damaged_frames_are_evaluated_or_refused(void)
{
    float positions[3 * SMALL_SYSTEM_ATOMS];
    qn_topology *topology = small_system();
    qn_selections *selections;
    qn_selection_atoms *atoms;
    int near, left;
    if (!topology || !CHECK_OK(qn_selections_create(topology, 1, true, &selections))) return;
    CHECK_OK(qn_selections_add(selections, "within 0.15 of index 0 5", &near));
    CHECK_OK(qn_selections_add(selections, "x < 0.25", &left));
    if (!CHECK_OK(qn_selection_atoms_create(selections, &atoms))) return;
    qn_trajectory_frame frame = {.number = 7, .atom_count = SMALL_SYSTEM_ATOMS, .positions_nm = positions};
    place_on_line(positions);
    positions[0] = NAN;
    positions[3 * 6 + 1] = INFINITY;
    positions[3 * 9] = 3e38F;
    CHECK_OK(qn_selection_atoms_evaluate(atoms, &frame));
    CHECK_TEXT(selected(atoms, near), "4 5");
    CHECK_TEXT(selected(atoms, left), "1 2");
    frame.box_nm[0] = frame.box_nm[4] = frame.box_nm[8] = 3;
    CHECK_OK(qn_selection_atoms_evaluate(atoms, &frame));
    frame.box_nm[8] = -1;
    frame.box_nm[4] = 0;
    CHECK_FAILS(qn_selection_atoms_evaluate(atoms, &frame), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("frame 7: box vectors");
    frame.atom_count = 3;
    CHECK_FAILS(qn_selection_atoms_evaluate(atoms, &frame), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("frame 7 has 3 atoms; expected the 28 of the topology");
    qn_selection_atoms_destroy(&atoms);
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

static void large_radii_in_flat_boxes_are_refused(void)
{
    static const double flat_nm[9] = {100, 0, 0, 0, 100, 0, 0, 0, 0.1};
    uint64_t set[1] = {1}, near[1] = {0};
    float positions[6] = {0, 0, 0, 10, 0, 0};
    qn_proximity *proximity;
    qn_box box;
    if (!CHECK_OK(qn_box_from_vectors(flat_nm, &box)) || !CHECK_OK(qn_proximity_create(2, &proximity))) return;
    CHECK_FAILS(qn_proximity_mark(proximity, &box, positions, set, 20, near), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("in a box that is 0.1 nm thin");
    CHECK_OK(qn_proximity_mark(proximity, &box, positions, set, 1.5, near));
    CHECK(near[0] == 1);
    qn_proximity_destroy(&proximity);
}

int main(void)
{
    RUN(marked_atoms_are_near_by_any_image);
    RUN(positions_select_in_every_unit);
    RUN(neighbours_are_selected);
    RUN(damaged_frames_are_evaluated_or_refused);
    RUN(large_radii_in_flat_boxes_are_refused);
    return check_finish();
}
