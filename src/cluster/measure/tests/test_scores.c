/* devices: host checking:host */
/* TM-score, GDT-TS and MaxSub as measures: values of other programs, rigid motions, degenerate structures. */
#include "check.h"

#include "cluster/measure/scores.h"
#include "cluster/measure/tests/models.h"

/* Values for models i and j of the reference data (numbered from 1, as separate files), by the programs of Zhang's
 * group in Debian's package tm-align 20190822:
 *
 *     TMscore i.pdb j.pdb                  TM-score, GDT-TS-score, MaxSub-score
 *     TMalign i.pdb j.pdb -I align.fasta   TM-score; align.fasta has the sequence twice, without gaps
 */
typedef struct recorded {
    int i, j;
    double tm_score, tm_align, gdt_ts, maxsub;
} recorded;

static const recorded itasser[] = {
    {1, 2, 0.9869, 0.98694, 0.9921, 0.9822},   {1, 15, 0.9316, 0.93159, 0.9272, 0.8984},
    {2, 7, 0.9541, 0.95407, 0.9449, 0.9325},   {2, 20, 0.9670, 0.96700, 0.9646, 0.9540},
    {3, 13, 0.9230, 0.92299, 0.9035, 0.8872},  {4, 7, 0.9738, 0.97376, 0.9724, 0.9646},
    {4, 20, 0.9411, 0.94110, 0.9331, 0.9147},  {5, 15, 0.9073, 0.90733, 0.8917, 0.8629},
    {6, 11, 0.9777, 0.97770, 0.9803, 0.9692},  {7, 8, 0.9734, 0.97343, 0.9705, 0.9619},
    {7, 21, 0.9464, 0.94638, 0.9429, 0.9221},  {8, 19, 0.9286, 0.92859, 0.9134, 0.8998},
    {9, 18, 0.9669, 0.96685, 0.9606, 0.9514},  {10, 18, 0.9767, 0.97673, 0.9803, 0.9671},
    {11, 19, 0.9377, 0.93765, 0.9213, 0.9153}, {12, 21, 0.9290, 0.92898, 0.9173, 0.9029},
    {14, 15, 0.9199, 0.91986, 0.9035, 0.8765}, {15, 20, 0.9503, 0.95031, 0.9488, 0.9277},
    {17, 20, 0.9527, 0.95272, 0.9508, 0.9336}, {20, 21, 0.9594, 0.95936, 0.9547, 0.9423},
};
static const recorded adk[] = {
    {1, 54, 0.7502, 0.75023, 0.6297, 0.5908},    {171, 164, 0.9791, 0.97914, 0.9509, 0.9533},
    {141, 74, 0.8310, 0.83096, 0.7278, 0.6500},  {111, 184, 0.7105, 0.71049, 0.5970, 0.5588},
    {81, 94, 0.9781, 0.97810, 0.9533, 0.9528},   {51, 4, 0.7833, 0.78333, 0.6904, 0.6304},
    {21, 114, 0.9456, 0.94565, 0.8516, 0.8841},  {191, 24, 0.7499, 0.74988, 0.6589, 0.6125},
    {161, 134, 0.8525, 0.85247, 0.7512, 0.6967}, {131, 44, 0.9290, 0.92904, 0.8213, 0.8478},
    {101, 154, 0.7543, 0.75430, 0.6355, 0.5935}, {71, 64, 0.9745, 0.97452, 0.9486, 0.9433},
    {41, 174, 0.8319, 0.83191, 0.7325, 0.6752},  {11, 84, 0.7218, 0.72177, 0.6180, 0.5894},
    {181, 194, 0.9790, 0.97900, 0.9603, 0.9532}, {151, 104, 0.7784, 0.77843, 0.6706, 0.6314},
    {121, 14, 0.9424, 0.94244, 0.8481, 0.8783},  {91, 124, 0.7354, 0.73543, 0.6250, 0.5755},
    {61, 34, 0.8642, 0.86416, 0.7862, 0.7110},   {31, 144, 0.9079, 0.90786, 0.8072, 0.7970},
};

static qn_queue *queue;
static qn_pool *pool;
static const qn_measure_settings settings;

/* All values of a small set, [count][count]; pairs i < j are set. */
static float *measure_all(const qn_measure *measure, const float *positions, size_t count, size_t atoms)
{
    const qn_structures structures = {.count = count, .atom_count = atoms, .positions_angstrom = positions};
    const size_t side = count < 128 ? count : 128;
    const qn_measure_setup setup = {&structures, &settings, queue, pool, side};
    float *values = calloc(count * count, sizeof(float)), *some = calloc(side * side, sizeof(float));
    void *session = NULL;
    if (!CHECK(values && some) || !CHECK_OK(measure->check(&structures, &settings))) return values;
    CHECK_OK(measure->begin(&setup, &session));
    for (size_t row = 0; row < count; row += side)
        for (size_t column = row; column < count; column += side) {
            const qn_measure_tile tile = {{row, count - row < side ? count - row : side},
                                          {column, count - column < side ? count - column : side},
                                          some};
            CHECK_OK(measure->start(session, &tile));
            CHECK_OK(measure->values(session, &tile));
            for (size_t r = 0; r < tile.rows.count; r++)
                memcpy(values + (row + r) * count + column, some + r * tile.columns.count,
                       tile.columns.count * sizeof(float));
        }
    measure->end(&session);
    free(some);
    return values;
}

/* The value of one pair, computed as a tile of a row and a column. */
static double value_of(const qn_measure *measure, const float *positions, size_t count, size_t atoms, size_t i,
                       size_t j)
{
    const qn_structures structures = {.count = count, .atom_count = atoms, .positions_angstrom = positions};
    const qn_measure_setup setup = {&structures, &settings, queue, pool, 1};
    float value = -1;
    const qn_measure_tile tile = {{i, 1}, {j, 1}, &value};
    void *session = NULL;
    CHECK_OK(measure->begin(&setup, &session));
    CHECK_OK(measure->start(session, &tile));
    CHECK_OK(measure->values(session, &tile));
    measure->end(&session);
    return (double)value;
}

/* No search is sure to find the best superposition, so a value must reach the other program's. GDT-TS and MaxSub change
 * in steps, and a search misses some; ours must not be worse by more than an atom in a hundred for a pair, and not
 * worse on average. */
static void compare_with_recorded(const char *name, const recorded *list, size_t listed)
{
    size_t count, atoms;
    const char *path = check_reference_data(name);
    if (!path) return;
    float *positions = read_models(path, &count, &atoms);
    double gdt_gain = 0, maxsub_gain = 0;
    for (size_t k = 0; k < listed; k++) {
        const size_t i = (size_t)list[k].i - 1, j = (size_t)list[k].j - 1;
        const double tm = value_of(&qn_measure_tm_score, positions, count, atoms, i, j);
        const double gdt = value_of(&qn_measure_gdt_ts, positions, count, atoms, i, j);
        const double maxsub = value_of(&qn_measure_maxsub, positions, count, atoms, i, j);
        CHECK(tm >= list[k].tm_score - 1e-4);
        CHECK(tm >= list[k].tm_align - 1e-4);
        CHECK(tm <= list[k].tm_align + 0.005);
        CHECK(gdt >= list[k].gdt_ts - 0.01);
        CHECK(gdt <= list[k].gdt_ts + 0.03);
        CHECK(maxsub >= list[k].maxsub - 0.005);
        CHECK(maxsub <= list[k].maxsub + 0.01);
        gdt_gain += gdt - list[k].gdt_ts;
        maxsub_gain += maxsub - list[k].maxsub;
    }
    CHECK(gdt_gain >= 0);
    CHECK(maxsub_gain / (double)listed >= -0.0005);
    free(positions);
}

static void decoys_reach_the_values_of_tm_align(void)
{
    compare_with_recorded("cluster/itasser_decoys_ca.pdb", itasser, sizeof itasser / sizeof *itasser);
}

static void domain_motions_reach_the_values_of_tm_align(void)
{
    compare_with_recorded("cluster/adk_dims_ca.pdb", adk, sizeof adk / sizeof *adk);
}

/* Two copies of a rigid body, 60 atoms, and of another, 40 atoms, of which the second has moved far away: at best 60 of
 * the 100 atoms fit exactly, and the others are so far that they add nothing to GDT and MaxSub. */
static void a_far_part_counts_as_nothing(void)
{
    enum { ATOMS = 100, NEAR = 60 };
    float positions[2][3][ATOMS], *chain = make_models(1, ATOMS, 9);
    if (!CHECK(chain != NULL)) return;
    memcpy(positions[0], chain, sizeof positions[0]);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < ATOMS; i++)
            positions[1][axis][i] = positions[0][axis][i] + (i >= NEAR && axis == 0 ? 2000 : 0);
    CHECK_NEAR(value_of(&qn_measure_gdt_ts, &positions[0][0][0], 2, ATOMS, 0, 1), 0.60, 1e-6);
    CHECK_NEAR(value_of(&qn_measure_maxsub, &positions[0][0][0], 2, ATOMS, 0, 1), 0.60, 1e-5);
    CHECK_NEAR(value_of(&qn_measure_tm_score, &positions[0][0][0], 2, ATOMS, 0, 1), 0.60, 1e-4);
    free(chain);
}

/* For three atoms with sides 3, 4, 5 and 3, 4, 5 + δ, no superposition is exact; for one that is a moved copy, it is.
 */
static void few_and_collinear_atoms(void)
{
    static const qn_measure *const measures[] = {&qn_measure_tm_score, &qn_measure_gdt_ts, &qn_measure_maxsub};
    const float triangle[2][3][3] = {{{0, 3, 0}, {0, 0, 4}, {0, 0, 0}}, {{5, 5, 5}, {7, 10, 7}, {1, 1, 5}}};
    float line[3][3][20];
    for (int i = 0; i < 20; i++)
        for (int axis = 0; axis < 3; axis++) {
            line[0][axis][i] = axis == 0 ? 3.8f * (float)i : 1;
            line[1][axis][i] = axis == 2 ? 3.8f * (float)i : -4;
            line[2][axis][i] = axis == 1 ? -3.8f * (float)i : 9;
        }
    for (int m = 0; m < 3; m++) {
        CHECK_NEAR(value_of(measures[m], &triangle[0][0][0], 2, 3, 0, 1), 1, 1e-5);
        CHECK_NEAR(value_of(measures[m], &line[0][0][0], 3, 20, 0, 1), 1, 1e-5);
        CHECK_NEAR(value_of(measures[m], &line[0][0][0], 3, 20, 1, 2), 1, 1e-5);
        CHECK_NEAR(value_of(measures[m], &line[0][0][0], 3, 20, 2, 0), 1, 1e-5);
        const qn_structures two = {.count = 2, .atom_count = 2, .positions_angstrom = &triangle[0][0][0]};
        CHECK_FAILS(measures[m]->check(&two, &settings), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS("2 atoms; expected 3 to");
    }
}

/* Three equal atoms in one place, in both structures. */
static void coincident_atoms(void)
{
    const float positions[2][3][3] = {{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, {{-7, -7, -7}, {0, 0, 0}, {9, 9, 9}}};
    CHECK_NEAR(value_of(&qn_measure_tm_score, &positions[0][0][0], 2, 3, 0, 1), 1, 1e-6);
    CHECK_NEAR(value_of(&qn_measure_gdt_ts, &positions[0][0][0], 2, 3, 0, 1), 1, 1e-6);
}

/* A mirror image of a chain cannot be superposed onto it. */
static void mirror_images_differ(void)
{
    enum { ATOMS = 80 };
    float positions[2][3][ATOMS], *chain = make_models(1, ATOMS, 4);
    if (!CHECK(chain != NULL)) return;
    memcpy(positions[0], chain, sizeof positions[0]);
    memcpy(positions[1], chain, sizeof positions[1]);
    for (int i = 0; i < ATOMS; i++) positions[1][2][i] = -positions[1][2][i];
    CHECK(value_of(&qn_measure_tm_score, &positions[0][0][0], 2, ATOMS, 0, 1) < 0.8);
    CHECK(value_of(&qn_measure_gdt_ts, &positions[0][0][0], 2, ATOMS, 0, 1) < 0.8);
    free(chain);
}

/* Values of moved structures, and those of the pair the other way round. */
static void motions_and_order_change_nothing(void)
{
    enum { COUNT = 6, ATOMS = 70 };
    static const qn_measure *const measures[] = {&qn_measure_tm_score, &qn_measure_gdt_ts, &qn_measure_maxsub};
    float *chains = make_models(COUNT, ATOMS, 12), moved[COUNT][3][ATOMS];
    if (!CHECK(chains != NULL)) return;
    for (size_t k = 0; k < COUNT; k++)
        for (size_t i = 0; i < ATOMS; i++) {
            double turn[9], from[3], to[3];
            qn_rotation_from_seed(100 + k, turn);
            for (size_t axis = 0; axis < 3; axis++) from[axis] = (double)chains[k * 3 * ATOMS + axis * ATOMS + i];
            qn_rotation_apply(turn, from, to);
            for (int axis = 0; axis < 3; axis++) moved[k][axis][i] = (float)(to[axis] - 30 * axis);
        }
    for (int m = 0; m < 3; m++) {
        float *values = measure_all(measures[m], chains, COUNT, ATOMS);
        float *after = measure_all(measures[m], &moved[0][0][0], COUNT, ATOMS);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t j = i + 1; j < COUNT; j++) {
                const double value = (double)values[i * COUNT + j];
                CHECK_NEAR((double)after[i * COUNT + j], value, m == 0 ? 0.002 : 2.0 / ATOMS);
                CHECK(value_of(measures[m], chains, COUNT, ATOMS, j, i) == value);
                CHECK(value_of(measures[m], chains, COUNT, ATOMS, i, j) == value);
                CHECK(value > 0 && value < 1);
                CHECK_NEAR(measures[m]->pair(&(qn_structures){COUNT, ATOMS, chains, NULL}, &settings, j, i), value,
                           m == 0 ? 0.002 : 2.0 / ATOMS);
            }
        free(values);
        free(after);
    }
    free(chains);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    qn_device *device = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context)) || !CHECK_OK(qn_device_open(context, name, &device)))
        return check_finish();
    CHECK_OK(qn_queue_create(device, &queue));
    CHECK_OK(qn_pool_create(2, &pool));
    if (check_reference_data("cluster/itasser_decoys_ca.pdb")) RUN(decoys_reach_the_values_of_tm_align);
    if (check_reference_data("cluster/adk_dims_ca.pdb")) RUN(domain_motions_reach_the_values_of_tm_align);
    RUN(a_far_part_counts_as_nothing);
    RUN(few_and_collinear_atoms);
    RUN(coincident_atoms);
    RUN(mirror_images_differ);
    RUN(motions_and_order_change_nothing);
    qn_pool_destroy(&pool);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
