/* Histograms counted by groups of atoms. Without a bound, their counts equal those of all pairs: exactly in the
 * arithmetic of distance_histogram, and except for rounding in double precision. With a bound, they keep it. */
#include "pairs/distance_tree.h"

#include <math.h>
#include <stdio.h>

#include "trajectory/query/queries.h"
#include "trajectory/tests/reference_system.h"

enum { ATOMS = 1800, BINS_MAX = 400 };

static float positions[3 * ATOMS];
static uint32_t all_atoms[ATOMS], odd_atoms[ATOMS];
static uint64_t counts[BINS_MAX + 1], expected[BINS_MAX + 1], near[BINS_MAX + 1];

static const double nothing[9] = {0};
static const double cubic[9] = {3, 0, 0, 0, 3.5, 0, 0, 0, 2.75};
static const double dodecahedron[9] = {4, 0, 0, 0, 4, 0, 2, 2, 2.8284271};

/* Random numbers from 0 to 1, the same on every machine. */
static float draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(*state >> 40) * 0x1p-24F;
}

/* Place the atoms uniformly in a cube of `edge` nm, which reaches outside of the boxes; or in clumps of 100 atoms, half
 * of which are at the same point. */
static void make_positions(float edge, bool clumps)
{
    uint64_t state = 1;
    float centre[3] = {0};
    for (uint32_t i = 0; i < ATOMS; i++) {
        all_atoms[i] = i;
        if (clumps && i % 100 == 0)
            for (int axis = 0; axis < 3; axis++) centre[axis] = edge * draw(&state);
        for (int axis = 0; axis < 3; axis++) {
            const float x = draw(&state);
            positions[3 * i + (uint32_t)axis] =
                !clumps ? edge * (x - 0.3F) : centre[axis] + (i % 100 < 50 ? 0 : 0.2F * x);
        }
    }
}

typedef struct tree_case {
    const double *vectors;
    qn_histogram_bins bins;
    const uint32_t *second; /* NULL: unordered pairs of the first atoms */
    size_t first_count, second_count;
    double share;
} tree_case;

static uint64_t pairs_of(const tree_case *of)
{
    return of->second ? of->first_count * of->second_count : (uint64_t)of->first_count * (of->first_count - 1) / 2;
}

static qn_status count(const tree_case *of, qn_pool *pool, uint64_t *unresolved)
{
    qn_box box;
    qn_trajectory_frame frame = {.number = 7, .atom_count = ATOMS, .positions_nm = positions};
    const qn_pair_atoms chosen = {.frame = &frame,
                                  .atoms = {all_atoms, of->second},
                                  .atom_count = {of->first_count, of->second ? of->second_count : 0}};
    CHECK_OK(qn_box_from_vectors(of->vectors, &box));
    const qn_distance_tree_request request = {.bins = &of->bins,
                                              .box = &box,
                                              .atoms = &chosen,
                                              .unordered = of->second == NULL,
                                              .most_unresolved = of->share};
    return qn_distance_tree_count(&request, pool, counts, unresolved);
}

/* Count all pairs one by one into `expected`, in double precision or in the arithmetic of distance_histogram. An atom
 * makes no pair with itself. */
static void expect(const tree_case *of, bool in_double)
{
    static float packed[4 * ATOMS], edges[BINS_MAX + 1];
    const size_t bins = (size_t)of->bins.count;
    const double epsilon = 4 * 0x1p-24 * 8;
    qn_box box;
    qn_histogram_cell cell;
    CHECK_OK(qn_box_from_vectors(of->vectors, &box));
    CHECK_OK(qn_histogram_cell_make(&box, &cell));
    qn_histogram_pack(&box, positions, NULL, ATOMS, packed);
    qn_histogram_bins_squared_edges(&of->bins, edges);
    memset(expected, 0, sizeof expected);
    memset(near, 0, sizeof near);
    for (size_t i = 0; i < of->first_count; i++)
        for (size_t k = of->second ? 0 : i + 1; k < (of->second ? of->second_count : of->first_count); k++) {
            const size_t j = of->second ? of->second[k] : k;
            if (i == j) continue;
            if (!in_double) {
                const float square = qn_distance_histogram_square(&cell, packed + 4 * i, packed + 4 * j);
                expected[qn_distance_histogram_bin(&of->bins, edges, square)]++;
                continue;
            }
            double from[3], to[3], d[3];
            for (size_t axis = 0; axis < 3; axis++) {
                from[axis] = positions[3 * i + axis];
                to[axis] = positions[3 * j + axis];
            }
            qn_box_displacement(&box, from, to, d);
            const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            const double place = distance / of->bins.width_nm + (of->bins.centred ? 0.5 : 0);
            expected[place < (double)bins ? (size_t)place : bins]++;
            for (size_t e = 0; e <= bins; e++)
                near[e] += fabs(distance - qn_histogram_bins_edge(&of->bins, (int)e)) <= epsilon;
        }
}

static uint64_t sum_of(const uint64_t *values, int bins)
{
    uint64_t sum = 0;
    for (int k = 0; k <= bins; k++) sum += values[k];
    return sum;
}

/* Cases of coarse, fine and centred bins, with and without pairs beyond the last bin, for one selection and for two
 * selections that overlap. */
static int make_cases(tree_case cases[16])
{
    static const qn_histogram_bins bins[] = {{4, false, 1.5}, {20, true, 0.3}, {300, false, 0.02}, {3, false, 0.1}};
    static const double *const vectors[] = {nothing, cubic};
    size_t odd = 0;
    int made = 0;
    for (uint32_t i = 1; i < ATOMS; i += 2) odd_atoms[odd++] = i;
    for (size_t box = 0; box < 2; box++)
        for (size_t b = 0; b < 4; b++) {
            cases[made++] = (tree_case){.vectors = vectors[box], .bins = bins[b], .first_count = ATOMS};
            cases[made++] = (tree_case){.vectors = vectors[box],
                                        .bins = bins[b],
                                        .second = odd_atoms,
                                        .first_count = 1200,
                                        .second_count = odd};
        }
    return made;
}

static void exact_counts_equal_those_of_all_pairs(void)
{
    tree_case cases[16];
    const int made = make_cases(cases);
    for (int clumps = 0; clumps < 2; clumps++) {
        make_positions(7, clumps != 0);
        for (int k = 0; k < made; k++) {
            uint64_t unresolved = 1;
            expect(&cases[k], false);
            CHECK_OK(count(&cases[k], NULL, &unresolved));
            CHECK(unresolved == 0);
            CHECK(memcmp(counts, expected, ((size_t)cases[k].bins.count + 1) * sizeof *counts) == 0);
        }
    }
}

static void exact_counts_agree_with_double_precision(void)
{
    tree_case cases[16];
    const int made = make_cases(cases);
    make_positions(7, false);
    for (int k = 0; k < made; k++) {
        int64_t difference = 0;
        uint64_t unresolved;
        if (cases[k].bins.count > 100) continue;
        expect(&cases[k], true);
        CHECK_OK(count(&cases[k], NULL, &unresolved));
        for (int bin = 0; bin < cases[k].bins.count; bin++) {
            difference += (int64_t)counts[bin] - (int64_t)expected[bin];
            CHECK((uint64_t)llabs(difference) <= near[bin + 1]);
        }
        CHECK(sum_of(counts, cases[k].bins.count) == sum_of(expected, cases[k].bins.count));
    }
}

/* Number of pairs in a wrong bin. Each of them is one too many in its bin and one too few in another bin. */
static uint64_t misplaced(int bins)
{
    uint64_t twice = 0;
    for (int k = 0; k <= bins; k++)
        twice += counts[k] > expected[k] ? counts[k] - expected[k] : expected[k] - counts[k];
    return twice / 2;
}

static void unresolved_pairs_bound_the_error(void)
{
    static const double shares[] = {0.001, 0.01, 0.05, 0.3, 1};
    tree_case cases[16];
    const int made = make_cases(cases);
    for (int clumps = 0; clumps < 2; clumps++) {
        make_positions(7, clumps != 0);
        for (int k = 0; k < made; k++) {
            expect(&cases[k], false);
            for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
                uint64_t unresolved;
                cases[k].share = shares[s];
                CHECK_OK(count(&cases[k], NULL, &unresolved));
                CHECK(sum_of(counts, cases[k].bins.count) == sum_of(expected, cases[k].bins.count));
                CHECK((double)unresolved <= shares[s] * (double)pairs_of(&cases[k]));
                CHECK(misplaced(cases[k].bins.count) <= unresolved);
                if (!clumps && shares[s] >= 0.3 && cases[k].bins.count == 300) CHECK(unresolved > 0);
            }
        }
    }
}

/* If all pairs may be unresolved, the root cell is not split. Its pairs are spread over both bins by 3 s² − 2 s³, where
 * s is a distance over the largest one, the diagonal 7 √3 of the cube. */
static void pairs_of_unresolved_cells_are_spread_over_bins(void)
{
    make_positions(7, false);
    tree_case one = {.vectors = nothing, .bins = {2, false, 8}, .first_count = ATOMS, .share = 1};
    uint64_t unresolved;
    CHECK_OK(count(&one, NULL, &unresolved));
    const double part = 8 / (7 * sqrt(3)); /* edge of the first bin over the cube's diagonal */
    CHECK(unresolved == pairs_of(&one));
    CHECK_NEAR((double)counts[0] / (double)unresolved, part * part * (3 - 2 * part), 2e-3);
    CHECK(counts[0] + counts[1] == unresolved && counts[2] == 0);
}

static void counts_do_not_depend_on_threads(void)
{
    static uint64_t first[BINS_MAX + 1];
    tree_case cases[16];
    const int made = make_cases(cases);
    make_positions(7, true);
    for (int k = 0; k < made; k++) {
        uint64_t left, unresolved;
        cases[k].share = 0.1;
        CHECK_OK(count(&cases[k], NULL, &left));
        memcpy(first, counts, sizeof first);
        for (int threads = 1; threads <= 5; threads += 2) {
            qn_pool *pool = NULL;
            CHECK_OK(qn_pool_create(threads, &pool));
            CHECK_OK(count(&cases[k], pool, &unresolved));
            CHECK(unresolved == left);
            CHECK(memcmp(first, counts, ((size_t)cases[k].bins.count + 1) * sizeof *counts) == 0);
            qn_pool_destroy(&pool);
        }
    }
}

static void odd_systems_are_counted_or_refused(void)
{
    make_positions(7, false);
    tree_case one = {.vectors = dodecahedron, .bins = {4, false, 1}, .first_count = 10};
    uint64_t unresolved = 1;
    CHECK_FAILS(count(&one, NULL, &unresolved), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("frame 7 has a triclinic box");
    one.vectors = cubic;
    for (size_t atoms = 0; atoms < 2; atoms++) {
        one.first_count = atoms;
        CHECK_OK(count(&one, NULL, &unresolved));
        CHECK(unresolved == 0 && sum_of(counts, 4) == 0);
    }
    one.first_count = ATOMS;
    memset(positions, 0, sizeof positions); /* all atoms at one point: their cell cannot be split */
    CHECK_OK(count(&one, NULL, &unresolved));
    CHECK(counts[0] == pairs_of(&one));
    positions[31] = NAN;
    CHECK_FAILS(count(&one, NULL, &unresolved), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("frame 7");
}

/* ---- the query ---- */

static qn_queue *queue;

static query_run run_query(const reference_system *system, const char *parameters)
{
    query_run run = system_query(system, &qn_query_sdh, "all", parameters);
    double *partial = calloc(run.query_class->partial_count(run.state), sizeof *partial);
    const qn_query_frame view = {.frame = &system->frame,
                                 .topology = system->topology,
                                 .atoms = {run.atoms[0].indices, NULL},
                                 .atom_count = {run.atoms[0].count, 0},
                                 .queue = queue,
                                 .scratch = &run.scratch};
    CHECK_OK(run.query_class->measure(run.state, &view, partial));
    CHECK_OK(run.query_class->collect(run.state, &system->frame, partial));
    free(partial);
    query_finish(&run);
    return run;
}

static void check_query(const reference_system *system, const char *bins, double share)
{
    char parameters[128];
    double twice = 0, sum = 0;
    query_run exact = run_query(system, bins);
    snprintf(parameters, sizeof parameters, "%s approximate=%g", bins, share);
    query_run about = run_query(system, parameters);
    const double reached = query_number(&about, "unresolved share of pairs");
    const double pairs = 0.5 * (double)system->frame.atom_count * (double)(system->frame.atom_count - 1);
    CHECK(reached <= share);
    for (size_t k = 0; k < query_table(&exact, "")->row_count; k++) {
        twice += fabs(query_value(&about, "", k, 2) - query_value(&exact, "", k, 2));
        sum += query_value(&about, "", k, 2);
    }
    CHECK_NEAR(sum + query_number(&about, "pairs per frame beyond the last bin"), pairs, 0);
    CHECK(twice / 2 <= reached * pairs);
    query_end(&exact);
    query_end(&about);
}

static void the_query_reports_its_bound(void)
{
    reference_system system;
    if (system_open(&system, "water3k", "water3k.tpr", "water3k.xtc", false) && CHECK(system_next(&system))) {
        check_query(&system, "bin=0.5 max=3", 1e-9);
        check_query(&system, "bin=0.5 max=3", 0.05);
        check_query(&system, "bin=0.02 max=1", 0.2);
        check_query(&system, "bin=0.1 max=5 pbc=no", 0.2);
    }
    system_close(&system);
    if (system_open(&system, "adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc", false) && CHECK(system_next(&system))) {
        query_run run = {.query_class = &qn_query_sdh, .topology = system.topology, .first_frame = &system.frame};
        CHECK_FAILS(query_create(&run, "approximate=0.1"), QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS("triclinic");
        CHECK_FAILS(query_create(&run, "approximate=1.1"), QN_INVALID_ARGUMENT);
    }
    system_close(&system);
}

int main(void)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    RUN(exact_counts_equal_those_of_all_pairs);
    RUN_LONG(exact_counts_agree_with_double_precision);
    RUN(unresolved_pairs_bound_the_error);
    RUN(pairs_of_unresolved_cells_are_spread_over_bins);
    RUN(counts_do_not_depend_on_threads);
    RUN(odd_systems_are_counted_or_refused);
    if (CHECK_OK(qn_context_create(NULL, &context)) && CHECK_OK(qn_device_open(context, "host", &device)) &&
        CHECK_OK(qn_queue_create(device, &queue)))
        RUN(the_query_reports_its_bound);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
