/* devices: host opencl:0 cuda:0 checking:host */
/* labels: unsanitized@checking */
/* The family flexible/search: energies and gradients of poses against the reference in double precision, for a single
 * atom, for 0 to 48 torsions and with side chains; chains; the same bits on the host and on the device, for any number
 * of steps a launch and of chains. */
#include "check.h"

#include <quern/workload.h>

#include <stdlib.h>
#include <string.h>

#include "flexible/kernels/search.h"
#include "flexible/tests/chains.h"
#include "flexible/tests/residues.h"
#include "runtime/configuration.h"

enum { LIGANDS = 7, CHAINS = 6, ALL = LIGANDS * CHAINS, MAPS = 12, STEPS = 3 };

enum { MANY = 64, ATOM = 5, SIDES = 6 }; /* chains of one ligand; ligands of one atom, and with side chains */

static const int torsions[LIGANDS] = {0, 1, 5, 9, QN_FLEXIBLE_TORSIONS_MAX, 0, 4};
static const uint32_t numbers[LIGANDS] = {7, 8, 9, 10, 11, 12, 13};
static qn_context *context;
static qn_score_receptor receptor;
static qn_flexible_tree trees[LIGANDS];
static qn_flexible_pose poses[ALL];
static qn_flexible_frame frame;
static int map_of[QN_VINA_ROWS], types[MAPS], map_count;
static float *map_values;
static size_t map_bytes;
static float states[ALL][QN_FLEXIBLE_STATE];
static double energies[2][ALL], gradients[2][ALL][QN_FLEXIBLE_STATE]; /* straight by hard and soft bends */
static float first_results[2][ALL][QN_FLEXIBLE_STATE];
static const double bends[2] = {QN_FLEXIBLE_SOFT, QN_FLEXIBLE_HARD};

/* The scene on a device. */
typedef struct bench {
    qn_device *device;
    qn_queue *queue;
    qn_flexible_batch batch;
    qn_buffer *maps, *poses, *results, *states, *counters, *legs;
    qn_flexible_near near;
} bench;

static bool bench_open(const char *identifier, bench *b)
{
    const qn_flexible_tree *list[LIGANDS];
    *b = (bench){0};
    for (int i = 0; i < LIGANDS; i++) list[i] = &trees[i];
    if (qn_device_open(context, identifier, &b->device) != QN_OK) check_skip(identifier, qn_error_message());
    return CHECK_OK(qn_queue_create(b->device, &b->queue)) &&
           CHECK_OK(
               qn_flexible_batch_create(b->queue, list, numbers, LIGANDS, CHAINS, map_of, &frame.grid, &b->batch)) &&
           CHECK_OK(qn_buffer_create(b->device, map_bytes, &b->maps)) &&
           CHECK_OK(qn_buffer_create(b->device, sizeof states, &b->poses)) &&
           CHECK_OK(qn_buffer_create(b->device, sizeof states, &b->results)) &&
           CHECK_OK(qn_buffer_create(b->device, 2 * sizeof states, &b->states)) &&
           CHECK_OK(qn_buffer_create(b->device, ALL * 2 * sizeof(int), &b->counters)) &&
           CHECK_OK(qn_buffer_create(b->device, ALL * sizeof(qn_flexible_leg), &b->legs)) &&
           CHECK_OK(qn_flexible_maps(b->queue, NULL, &receptor, &frame.grid, types, map_count, b->maps, NULL)) &&
           CHECK_OK(qn_flexible_near_create(b->queue, &receptor, &frame.grid, &b->near)) &&
           CHECK_OK(qn_queue_write(b->queue, b->poses, 0, states, sizeof states, NULL)) &&
           CHECK_OK(qn_queue_finish(b->queue));
}

static void bench_close(bench *b)
{
    qn_flexible_batch_clear(&b->batch);
    qn_flexible_near_clear(&b->near);
    qn_buffer_release(&b->maps);
    qn_buffer_release(&b->poses);
    qn_buffer_release(&b->results);
    qn_buffer_release(&b->states);
    qn_buffer_release(&b->counters);
    qn_buffer_release(&b->legs);
    qn_queue_destroy(&b->queue);
    qn_device_release(&b->device);
}

/* Add side chains around a place to a tree. */
static void add_sides(const double centre[3], qn_flexible_tree *tree)
{
    static const char *const texts[] = {"A:ARG1,A:TRP3,A:5"};
    qn_score_receptor holder = {0};
    qn_flexible_sides sides = {0};
    CHECK_OK(residues_make(nine_residues, 9, &holder));
    for (size_t i = 0; i < 3 * holder.atom_count; i++) {
        holder.positions_angstrom[i] += centre[i % 3];
        holder.molecule->atoms[i / 3].position_angstrom[i % 3] += centre[i % 3];
    }
    CHECK_OK(qn_flexible_sides_take(&holder, NULL, texts, 1, "--flex", "made.pdb", &sides));
    CHECK_OK(qn_flexible_tree_add_sides(tree, &sides, "chain"));
    CHECK(tree->moving_count > tree->ligand_count && tree->heavy_count > tree->moving_count);
    qn_flexible_sides_clear(&sides);
    qn_score_receptor_clear(&holder);
}

static void make_scene(void)
{
    static const double centre[3] = {20, -11, 6}, side[3] = {26, 24, 25};
    uint64_t drawn = 0;
    CHECK_OK(cloud_make(700, 30, &drawn, &receptor));
    for (size_t i = 0; i < 3 * receptor.atom_count; i++) receptor.positions_angstrom[i] += centre[i % 3];
    CHECK_OK(qn_flexible_grid_of(centre, side, &frame.grid));
    frame.seed = 77;
    frame.confined = true;
    for (int d = 0; d < 3; d++) frame.box_low_angstrom[d] = -4, frame.box_high_angstrom[d] = 3 + d;
    for (int i = 0; i < QN_VINA_ROWS; i++) map_of[i] = -1;
    for (int l = 0; l < LIGANDS; l++) {
        qn_compound *compound = chain_make(torsions[l], &drawn);
        if (l == ATOM) compound->atom_count = 1;
        CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &trees[l]));
        if (l == SIDES) add_sides(centre, &trees[l]);
        qn_compound_destroy(&compound);
        for (int i = 0; i < trees[l].moving_count; i++) {
            if (map_of[trees[l].type[i]] >= 0) continue;
            if (CHECK(map_count < MAPS)) types[map_count] = trees[l].type[i], map_of[trees[l].type[i]] = map_count++;
        }
    }
    for (int c = 0; c < ALL; c++) {
        pose_draw(&trees[c / CHAINS], &drawn, &poses[c]);
        for (int d = 0; d < 3; d++) poses[c].place[d] = centre[d] + 10 * (chain_draw(&drawn) - 0.5);
        qn_flexible_state_of(&trees[c / CHAINS], &poses[c], &frame.grid, states[c]);
        qn_flexible_state_pose(&trees[c / CHAINS], states[c], &frame.grid, &poses[c]);
    }
    map_bytes = sizeof(float) * (size_t)map_count * (size_t)frame.grid.points[0] * (size_t)frame.grid.points[1] *
                (size_t)frame.grid.points[2];
}

static void make_expectations(void)
{
    bench host;
    CHECK_OK(qn_allocate(map_bytes, 1, (void **)&map_values));
    if (bench_open("host", &host)) {
        CHECK_OK(qn_queue_read(host.queue, host.maps, 0, map_values, map_bytes, NULL));
        CHECK_OK(qn_queue_finish(host.queue));
    }
    for (int b = 0; b < 2; b++) {
        for (int c = 0; c < ALL; c++)
            energies[b][c] = qn_flexible_search_reference(&trees[c / CHAINS], map_values, map_of, &frame, &poses[c],
                                                          bends[b], gradients[b][c]);
        CHECK_OK(
            qn_flexible_score(host.queue, NULL, &host.batch, &frame, host.maps, bends[b], host.poses, host.results));
        CHECK_OK(qn_queue_read(host.queue, host.results, 0, first_results[b], sizeof first_results[b], NULL));
        CHECK_OK(qn_queue_finish(host.queue));
    }
    bench_close(&host);
}

static qn_status check_scores(const qn_configuration *configuration, void *user)
{
    static float results[ALL][QN_FLEXIBLE_STATE];
    bench *b = user;
    for (int way = 0; way < 2; way++) {
        CHECK_OK(qn_queue_fill(b->queue, b->results, 0, sizeof results, 0xff, NULL));
        CHECK_OK(
            qn_flexible_score(b->queue, configuration, &b->batch, &frame, b->maps, bends[way], b->poses, b->results));
        CHECK_OK(qn_queue_read(b->queue, b->results, 0, results, sizeof results, NULL));
        CHECK_OK(qn_queue_finish(b->queue));
        for (int c = 0; c < ALL; c++) {
            const int freedoms = qn_flexible_freedoms(&trees[c / CHAINS]);
            double largest = 1;
            CHECK_NEAR(results[c][0], energies[way][c], 1e-4 * fmax(1, fabs(energies[way][c])));
            for (int i = 0; i < freedoms; i++) largest = fmax(largest, fabs(gradients[way][c][i]));
            for (int i = 0; i < freedoms; i++) CHECK_NEAR(results[c][1 + i], gradients[way][c][i], 1e-3 * largest);
        }
        CHECK(memcmp(results, first_results[way], sizeof results) == 0); /* the bits of the host */
    }
    return QN_OK;
}

static bench tested;

static void scores_agree_with_the_reference(void)
{
    CHECK_OK(qn_family_corners(&qn_flexible_search_family, qn_device_get_info(tested.device), check_scores, &tested));
    CHECK_OK(check_scores(NULL, &tested));
}

/* Walk in launches of `each` steps. */
static void walk(bench *b, int each, float found[ALL][2][QN_FLEXIBLE_STATE], int counters[ALL][2])
{
    static qn_flexible_leg legs[ALL];
    CHECK_OK(qn_queue_fill(b->queue, b->states, 0, 2 * sizeof states, 0, NULL));
    CHECK_OK(qn_queue_fill(b->queue, b->counters, 0, ALL * 2 * sizeof(int), 0, NULL));
    for (int step = 0; step < STEPS; step += each) {
        for (int c = 0; c < ALL; c++)
            legs[c] = (qn_flexible_leg){c, step, each < STEPS - step ? each : STEPS - step, 0};
        CHECK_OK(qn_queue_write(b->queue, b->legs, 0, legs, sizeof legs, NULL));
        CHECK_OK(qn_queue_finish(b->queue));
        CHECK_OK(
            qn_flexible_walk(b->queue, NULL, &b->batch, &frame, b->maps, b->legs, 0, 1, b->states, b->counters, NULL));
        CHECK_OK(qn_flexible_walk(b->queue, NULL, &b->batch, &frame, b->maps, b->legs, 1, ALL - 1, b->states,
                                  b->counters, NULL));
    }
    CHECK_OK(qn_queue_read(b->queue, b->states, 0, found, 2 * sizeof states, NULL));
    CHECK_OK(qn_queue_read(b->queue, b->counters, 0, counters, ALL * 2 * sizeof(int), NULL));
    CHECK_OK(qn_queue_finish(b->queue));
}

static void chains_walk_downhill(void)
{
    static float found[ALL][2][QN_FLEXIBLE_STATE], other[ALL][2][QN_FLEXIBLE_STATE];
    static int counters[ALL][2], other_counters[ALL][2];
    bench host;
    int apart = 0;
    walk(&tested, STEPS, found, counters);
    walk(&tested, 2, other, other_counters);
    CHECK(memcmp(found, other, sizeof found) == 0 && memcmp(counters, other_counters, sizeof counters) == 0);
    if (bench_open("host", &host)) {
        walk(&host, 1, other, other_counters);
        CHECK(memcmp(found, other, sizeof found) == 0 && memcmp(counters, other_counters, sizeof counters) == 0);
    }
    bench_close(&host);
    for (int c = 0; c < ALL; c++) {
        const qn_flexible_tree *tree = &trees[c / CHAINS];
        qn_flexible_pose best;
        CHECK(counters[c][0] > 2 * STEPS && counters[c][1] >= 1 && counters[c][1] <= STEPS);
        qn_flexible_state_pose(tree, found[c][1], &frame.grid, &best);
        const double energy =
            qn_flexible_search_reference(tree, map_values, map_of, &frame, &best, QN_FLEXIBLE_HARD, NULL);
        CHECK_NEAR(found[c][1][7], energy, 1e-3 * fmax(1, fabs(energy)));
        CHECK(energy < energies[1][c] || energy < 0);
        apart += c % CHAINS > 0 && memcmp(found[c][1], found[c - 1][1], sizeof found[c][1]) != 0;
    }
    CHECK(apart == LIGANDS * (CHAINS - 1)); /* chains have random numbers of their own */
}

/* Walk `chains` chains of one ligand. */
static void walk_some(const bench *b, int ligand, int chains, float found[MANY][2][QN_FLEXIBLE_STATE],
                      int counters[MANY][2])
{
    const qn_flexible_tree *tree = &trees[ligand];
    const size_t state_bytes = (size_t)chains * sizeof *found, counter_bytes = (size_t)chains * sizeof *counters;
    qn_flexible_leg legs[MANY];
    qn_flexible_batch batch = {0};
    qn_buffer *all_states = NULL, *all_counters = NULL, *all_legs = NULL;
    for (int c = 0; c < chains; c++) legs[c] = (qn_flexible_leg){c, 0, STEPS, 0};
    if (CHECK_OK(qn_flexible_batch_create(b->queue, &tree, &numbers[ligand], 1, chains, map_of, &frame.grid, &batch)) &&
        CHECK_OK(qn_buffer_create(b->device, state_bytes, &all_states)) &&
        CHECK_OK(qn_buffer_create(b->device, counter_bytes, &all_counters)) &&
        CHECK_OK(qn_buffer_create(b->device, sizeof legs, &all_legs))) {
        CHECK_OK(qn_queue_fill(b->queue, all_states, 0, state_bytes, 0, NULL));
        CHECK_OK(qn_queue_fill(b->queue, all_counters, 0, counter_bytes, 0, NULL));
        CHECK_OK(qn_queue_write(b->queue, all_legs, 0, legs, (size_t)chains * sizeof *legs, NULL));
        CHECK_OK(qn_flexible_walk(b->queue, NULL, &batch, &frame, b->maps, all_legs, 0, chains, all_states,
                                  all_counters, NULL));
        CHECK_OK(qn_queue_read(b->queue, all_states, 0, found, state_bytes, NULL));
        CHECK_OK(qn_queue_read(b->queue, all_counters, 0, counters, counter_bytes, NULL));
        CHECK_OK(qn_queue_finish(b->queue));
    }
    qn_flexible_batch_clear(&batch);
    qn_buffer_release(&all_states);
    qn_buffer_release(&all_counters);
    qn_buffer_release(&all_legs);
}

/* A chain goes its way whatever goes beside it: fewer chains than lanes of the host, as many, and more. */
static void chains_do_not_depend_on_their_number(void)
{
    static const int ligands[] = {0, 2, 3, ATOM}, counts[] = {1, 5, 16, 17};
    static float all[MANY][2][QN_FLEXIBLE_STATE], some[MANY][2][QN_FLEXIBLE_STATE];
    static int all_counters[MANY][2], some_counters[MANY][2];
    bench host;
    if (bench_open("host", &host))
        for (size_t l = 0; l < sizeof ligands / sizeof *ligands; l++) {
            walk_some(&host, ligands[l], MANY, all, all_counters);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                const size_t count = (size_t)counts[i];
                walk_some(i == 3 && l == 1 ? &tested : &host, ligands[l], counts[i], some, some_counters);
                CHECK(memcmp(all, some, count * sizeof *all) == 0);
                CHECK(memcmp(all_counters, some_counters, count * sizeof *all_counters) == 0);
            }
            CHECK(all_counters[MANY - 1][0] > 2 * STEPS && all_counters[MANY - 1][1] >= 1);
        }
    bench_close(&host);
}

/* ---- Exact energies ---- */

static qn_flexible_receptor *sorted;

/* The exact energy of a pose, and what keeps it in place: 100 kcal/mol for each Å of its centroid outside of the box,
 * and of each atom of the ligand outside of the grid. */
static double exact_energy(const qn_flexible_tree *tree, const qn_flexible_pose *pose)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    double places[3 * QN_FLEXIBLE_ATOMS_MAX];
    qn_flexible_energy energy;
    qn_flexible_evaluate(tree, sorted, pose, QN_FLEXIBLE_HARD, &energy, NULL);
    qn_flexible_frames(tree, pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->heavy_count, places);
    double sum = energy.bent;
    for (int d = 0; d < 3; d++) {
        double centre = 0;
        const double half = 0.5 * QN_FLEXIBLE_SPACING_ANGSTROM * (frame.grid.points[d] - 1);
        for (int i = 0; i < tree->ligand_count; i++)
            centre += (places[3 * i + d] - frame.grid.centre_angstrom[d]) / tree->ligand_count;
        for (int i = 0; i < tree->moving_count; i++)
            sum += 100 * fmax(0, fabs(places[3 * i + d] - frame.grid.centre_angstrom[d]) - half);
        sum += 100 * fmax(0, centre - frame.box_high_angstrom[d]) + 100 * fmax(0, frame.box_low_angstrom[d] - centre);
    }
    return sum;
}

/* Settle all chains with `kick` and `passes`, from `from`. */
static void settle(bench *b, const qn_configuration *configuration, float from[ALL][QN_FLEXIBLE_STATE], int kick,
                   int passes, float found[ALL][2][QN_FLEXIBLE_STATE], int counters[ALL][2])
{
    static float begin[ALL][2][QN_FLEXIBLE_STATE];
    qn_flexible_leg legs[ALL];
    memset(begin, 0, sizeof begin);
    for (int c = 0; c < ALL; c++) {
        memcpy(begin[c][0], from[c], sizeof begin[c][0]);
        legs[c] = (qn_flexible_leg){c, kick > 0 ? kick + c : 0, passes, 0};
    }
    CHECK_OK(qn_queue_write(b->queue, b->states, 0, begin, sizeof begin, NULL));
    CHECK_OK(qn_queue_fill(b->queue, b->counters, 0, ALL * 2 * sizeof(int), 0, NULL));
    CHECK_OK(qn_queue_write(b->queue, b->legs, 0, legs, sizeof legs, NULL));
    CHECK_OK(qn_queue_finish(b->queue));
    CHECK_OK(qn_flexible_settle(b->queue, configuration, &b->batch, &frame, &b->near, b->legs, 0, 5, b->states,
                                b->counters, NULL));
    CHECK_OK(qn_flexible_settle(b->queue, configuration, &b->batch, &frame, &b->near, b->legs, 5, ALL - 5, b->states,
                                b->counters, NULL));
    CHECK_OK(qn_queue_read(b->queue, b->states, 0, found, 2 * sizeof states, NULL));
    CHECK_OK(qn_queue_read(b->queue, b->counters, 0, counters, ALL * 2 * sizeof(int), NULL));
    CHECK_OK(qn_queue_finish(b->queue));
}

static double expected_exact[ALL], expected_slopes[ALL][QN_FLEXIBLE_STATE];

static void make_exact_expectations(void)
{
    static const double width = 1e-7; /* so that hardly any pair crosses the cut-off, where the energy jumps */
    for (int c = 0; c < ALL; c++) {
        const qn_flexible_tree *tree = &trees[c / CHAINS];
        expected_exact[c] = exact_energy(tree, &poses[c]);
        for (int i = 0; i < qn_flexible_freedoms(tree); i++) {
            double step[6 + QN_FLEXIBLE_TORSIONS_MAX] = {0}, ends[2];
            step[i] = 1;
            for (int side = 0; side < 2; side++) {
                qn_flexible_pose moved;
                qn_flexible_pose_step(tree, &poses[c], step, side ? width : -width, &moved);
                ends[side] = exact_energy(tree, &moved);
            }
            expected_slopes[c][i] = (ends[1] - ends[0]) / (2 * width);
        }
    }
}

/* Without a pass: energies within 1e-4 and gradients by central differences within 1e-3. */
static qn_status check_exact_energies(const qn_configuration *configuration, void *user)
{
    static float found[ALL][2][QN_FLEXIBLE_STATE];
    static int counters[ALL][2];
    settle(user, configuration, states, 0, 0, found, counters);
    for (int c = 0; c < ALL; c++) {
        const int freedoms = qn_flexible_freedoms(&trees[c / CHAINS]);
        double largest = 1;
        CHECK(counters[c][0] == 1);
        CHECK_NEAR(found[c][1][0], expected_exact[c], 1e-4 * fmax(1, fabs(expected_exact[c])));
        for (int i = 0; i < freedoms; i++) largest = fmax(largest, fabs(expected_slopes[c][i]));
        for (int i = 0; i < freedoms; i++) CHECK_NEAR(found[c][1][1 + i], expected_slopes[c][i], 1e-3 * largest);
    }
    return QN_OK;
}

static void exact_energies_agree_with_the_reference(void)
{
    make_exact_expectations();
    CHECK_OK(qn_family_corners(&qn_flexible_search_family, qn_device_get_info(tested.device), check_exact_energies,
                               &tested));
    CHECK_OK(check_exact_energies(NULL, &tested));
}

/* Poses settle at minima, with the bits of the host; kicks lead elsewhere, and those that are far above are left. */
static void poses_settle_at_minima(void)
{
    static float found[ALL][2][QN_FLEXIBLE_STATE], other[ALL][2][QN_FLEXIBLE_STATE], start[ALL][QN_FLEXIBLE_STATE];
    static int counters[ALL][2], other_counters[ALL][2];
    bench host;
    int elsewhere = 0, left = 0, settled = 0;
    if (!bench_open("host", &host)) return;
    settle(&tested, NULL, states, 0, QN_FLEXIBLE_PASSES, found, counters);
    settle(&host, NULL, states, 0, QN_FLEXIBLE_PASSES, other, other_counters);
    CHECK(memcmp(found, other, sizeof found) == 0 && memcmp(counters, other_counters, sizeof counters) == 0);
    for (int c = 0; c < ALL; c++) {
        const qn_flexible_tree *tree = &trees[c / CHAINS];
        qn_flexible_pose pose;
        qn_flexible_state_pose(tree, found[c][1], &frame.grid, &pose);
        const double energy = exact_energy(tree, &pose);
        CHECK_NEAR(found[c][1][7], energy, 1e-3 * fmax(1, fabs(energy)));
        CHECK(energy < expected_exact[c] && counters[c][0] > 3);
        memcpy(start[c], found[c][1], sizeof start[c]);
    }
    settle(&tested, NULL, start, 0, 1, other, other_counters);
    for (int c = 0; c < ALL; c++) { /* most were there after the passes that there were */
        CHECK(other[c][1][7] < found[c][1][7] + 1e-3f);
        settled += fabsf(other[c][1][7] - found[c][1][7]) < 2e-2f;
    }
    CHECK(settled >= ALL - 4);
    settle(&tested, NULL, start, 7, QN_FLEXIBLE_PASSES, found, counters);
    settle(&host, NULL, start, 7, QN_FLEXIBLE_PASSES, other, other_counters);
    CHECK(memcmp(found, other, sizeof found) == 0 && memcmp(counters, other_counters, sizeof counters) == 0);
    for (int c = 0; c < ALL; c++) {
        elsewhere += fabsf(found[c][1][7] - start[c][7]) > 0.01f;
        start[c][7] -= 100; /* no minimum nearby is promising any more */
    }
    settle(&tested, NULL, start, 7, QN_FLEXIBLE_PASSES, other, other_counters);
    for (int c = 0; c < ALL; c++) {
        CHECK(other_counters[c][0] <= counters[c][0]);
        left += other_counters[c][0] < counters[c][0];
    }
    CHECK(elsewhere > 3 && left > 3);
    bench_close(&host);
}

/* The checks of both workloads fail for cleared outputs and pass after a run. */
static void workloads_pass_their_checks(void)
{
    static const struct {
        const char *name;
        int sizes[QN_WORKLOAD_SIZES];
    } cases[] = {{"flexible/maps", {21}}, {"flexible/search", {2, 4, 2}}};
    for (int i = 0; i < 2; i++) {
        const qn_workload *workload = NULL;
        void *state = NULL;
        double error = 0;
        if (!CHECK_OK(qn_workload_find(cases[i].name, &workload)) ||
            !CHECK_OK(workload->create(tested.queue, cases[i].sizes, 5, &state)))
            return;
        CHECK_OK(workload->clear(state, tested.queue));
        CHECK_OK(workload->check(state, tested.queue, &error));
        CHECK(!(error <= 1));
        CHECK_OK(workload->run(state, tested.queue, NULL, NULL));
        CHECK_OK(workload->check(state, tested.queue, &error));
        CHECK(error <= 1);
        workload->destroy(&state);
    }
}

int main(int argc, char **argv)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    make_scene();
    CHECK_OK(qn_flexible_receptor_create(&receptor, &sorted));
    if (bench_open(argc > 1 ? argv[1] : "host", &tested)) {
        RUN(make_expectations);
        RUN(scores_agree_with_the_reference);
        RUN_LONG(chains_walk_downhill);
        RUN(chains_do_not_depend_on_their_number);
        RUN(exact_energies_agree_with_the_reference);
        RUN_LONG(poses_settle_at_minima);
        RUN(workloads_pass_their_checks);
    }
    bench_close(&tested);
    for (int i = 0; i < LIGANDS; i++) qn_flexible_tree_clear(&trees[i]);
    qn_flexible_receptor_destroy(&sorted);
    qn_score_receptor_clear(&receptor);
    qn_release(&map_values);
    qn_context_destroy(&context);
    return check_finish();
}
