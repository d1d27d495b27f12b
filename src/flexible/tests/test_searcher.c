/* Searches of molecules on the host: maps reach as far as side chains, and too large ones are refused; a molecule gets
 * the same poses alone and among others. */
#include "check.h"

#include "flexible/searcher.h"
#include "flexible/tests/chains.h"
#include "flexible/tests/residues.h"

enum { WALKERS = 4, MOLECULES = 3 };

static qn_context *context;
static qn_device *device;

/* Energies are those of the poses, which are minima, best first; the first pose is there. */
static void check_energies(const qn_flexible_tree *tree, const qn_score_receptor *receptor,
                           const qn_flexible_pose *poses, const double *energies)
{
    qn_flexible_receptor *sorted;
    if (!CHECK_OK(qn_flexible_receptor_create(receptor, &sorted))) return;
    CHECK(energies[0] < INFINITY);
    for (int w = 0; w < WALKERS && energies[w] < INFINITY; w++) {
        qn_flexible_energy energy;
        qn_flexible_pose pose = poses[w];
        qn_flexible_evaluate(tree, sorted, &pose, QN_FLEXIBLE_HARD, &energy, NULL);
        CHECK_NEAR(energies[w], energy.bent, 1e-3 * fmax(1, fabs(energy.bent)));
        CHECK(w == 0 || energies[w] >= energies[w - 1]);
        qn_flexible_minimise(tree, sorted, QN_FLEXIBLE_HARD, 3, &pose, &energy);
        CHECK_NEAR(energies[w], energy.bent, 0.02 * fmax(1, fabs(energy.bent)));
    }
    qn_flexible_receptor_destroy(&sorted);
}

/* The box is 20 Å from the side chains, so that maps of the box alone would not reach them: each Å outside of maps
 * costs 100 kcal/mol. */
static void maps_reach_side_chains(double box_z)
{
    static const char *const texts[] = {"A:LYS9,A:ARG1"};
    qn_flexible_search_options options = {.box_centre_angstrom = {0, 0, box_z},
                                          .box_side_angstrom = {4, 4, 4},
                                          .walkers = WALKERS,
                                          .effort = 0.02,
                                          .seed = 3};
    qn_score_receptor receptor;
    qn_flexible_sides sides = {0};
    qn_flexible_tree tree;
    qn_flexible_searcher *searcher = NULL;
    qn_flexible_pose poses[WALKERS];
    const qn_flexible_tree *trees[] = {&tree};
    double energies[WALKERS], evaluations;
    uint64_t drawn = 0;
    qn_compound *compound = chain_make(2, &drawn);
    CHECK_OK(residues_make(nine_residues, 9, &receptor));
    CHECK_OK(qn_flexible_sides_take(&receptor, NULL, texts, 1, "--flex", "made.pdb", &sides));
    CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree));
    CHECK_OK(qn_flexible_tree_add_sides(&tree, &sides, "chain"));
    options.sides = &sides;
    CHECK_OK(qn_flexible_searcher_create(device, &receptor, &options, &searcher));
    CHECK_OK(qn_flexible_searcher_run(searcher, trees, 1, poses, energies, &evaluations));
    check_energies(&tree, &receptor, poses, energies);
    qn_flexible_searcher_destroy(&searcher);
    qn_flexible_tree_clear(&tree);
    qn_flexible_sides_clear(&sides);
    qn_score_receptor_clear(&receptor);
    qn_compound_destroy(&compound);
}

static void maps_reach_side_chains_on_both_sides(void)
{
    maps_reach_side_chains(-30);
    maps_reach_side_chains(35);
}

/* Molecules of different sizes, alone and together. */
static void company_changes_nothing(void)
{
    qn_flexible_search_options options = {
        .box_side_angstrom = {8, 8, 8}, .walkers = WALKERS, .effort = 0.02, .seed = 3};
    qn_score_receptor receptor;
    qn_flexible_tree trees[MOLECULES];
    const qn_flexible_tree *list[MOLECULES];
    qn_compound *compounds[MOLECULES];
    qn_flexible_searcher *searcher = NULL;
    qn_flexible_pose together[MOLECULES][WALKERS], alone[WALKERS];
    double energies[MOLECULES][WALKERS], own[WALKERS], evaluations = 0, sum = 0;
    uint64_t drawn = 0;
    CHECK_OK(cloud_make(200, 24, &drawn, &receptor));
    for (int m = 0; m < MOLECULES; m++) {
        compounds[m] = chain_make(2 * m, &drawn);
        CHECK_OK(qn_flexible_tree_create(compounds[m], QN_FLEXIBLE_TYPES_FILE, -1, &trees[m]));
        list[m] = &trees[m];
    }
    CHECK_OK(qn_flexible_searcher_create(device, &receptor, &options, &searcher));
    CHECK_OK(qn_flexible_searcher_run(searcher, list, MOLECULES, together[0], energies[0], &evaluations));
    for (int m = 0; m < MOLECULES; m++) {
        double count;
        CHECK_OK(qn_flexible_searcher_run(searcher, list + m, 1, alone, own, &count));
        CHECK(memcmp(alone, together[m], sizeof alone) == 0 && memcmp(own, energies[m], sizeof own) == 0);
        check_energies(&trees[m], &receptor, alone, own);
        sum += count;
    }
    CHECK(sum == evaluations && evaluations > 0);
    qn_flexible_searcher_destroy(&searcher);
    for (int m = 0; m < MOLECULES; m++) {
        qn_flexible_tree_clear(&trees[m]);
        qn_compound_destroy(&compounds[m]);
    }
    qn_score_receptor_clear(&receptor);
}

/* More steps and kicks find lower energies; 16 poses of a molecule settle, or all. */
static void more_effort_finds_lower_energies(void)
{
    enum { MANY = 24 };
    qn_flexible_search_options options = {.box_side_angstrom = {8, 8, 8}, .walkers = MANY, .seed = 3};
    static const double efforts[] = {0.002, 0.3};
    qn_score_receptor receptor;
    qn_flexible_tree tree;
    const qn_flexible_tree *trees[] = {&tree};
    qn_flexible_pose poses[MANY];
    double lowest[2], energies[MANY];
    uint64_t drawn = 0;
    qn_compound *compound = chain_make(3, &drawn);
    CHECK_OK(cloud_make(200, 24, &drawn, &receptor));
    CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree));
    for (int more = 0; more < 2; more++) {
        qn_flexible_searcher *searcher = NULL;
        int there = 0;
        options.effort = efforts[more];
        options.settle_all = more;
        CHECK_OK(qn_flexible_searcher_create(device, &receptor, &options, &searcher));
        CHECK_OK(qn_flexible_searcher_run(searcher, trees, 1, poses, energies, NULL));
        for (int w = 0; w < MANY; w++) there += energies[w] < INFINITY;
        CHECK(more ? there == MANY : there >= 1 && there <= 16);
        lowest[more] = energies[0];
        qn_flexible_searcher_destroy(&searcher);
    }
    CHECK(lowest[1] < lowest[0]);
    qn_flexible_tree_clear(&tree);
    qn_score_receptor_clear(&receptor);
    qn_compound_destroy(&compound);
}

/* Poses that are over 4 kcal/mol above the best one on maps do not settle: in a wide box some chains end far from the
 * receptor, where the energy is that of the molecule alone. */
static void poses_far_above_the_best_are_left(void)
{
    enum { MANY = 16 };
    const qn_flexible_search_options options = {
        .box_side_angstrom = {60, 60, 60}, .walkers = MANY, .effort = 0.05, .seed = 3};
    qn_score_receptor receptor;
    qn_flexible_tree tree;
    const qn_flexible_tree *trees[] = {&tree};
    qn_flexible_searcher *searcher = NULL;
    qn_flexible_pose poses[MANY];
    double energies[MANY];
    uint64_t drawn = 0;
    int there = 0;
    qn_compound *compound = chain_make(8, &drawn);
    CHECK_OK(cloud_make(300, 16, &drawn, &receptor));
    CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree));
    CHECK_OK(qn_flexible_searcher_create(device, &receptor, &options, &searcher));
    CHECK_OK(qn_flexible_searcher_run(searcher, trees, 1, poses, energies, NULL));
    for (int w = 0; w < MANY; w++) there += energies[w] < INFINITY;
    CHECK(there >= 1 && there < MANY);
    qn_flexible_searcher_destroy(&searcher);
    qn_flexible_tree_clear(&tree);
    qn_score_receptor_clear(&receptor);
    qn_compound_destroy(&compound);
}

static void maps_beyond_32_bits_are_refused(void)
{
    qn_flexible_search_options options = {
        .box_side_angstrom = {200, 200, 200}, .walkers = WALKERS, .effort = 0.02, .seed = 3};
    qn_score_receptor receptor;
    qn_flexible_tree tree;
    const qn_flexible_tree *trees[] = {&tree};
    qn_flexible_searcher *searcher = NULL;
    qn_flexible_pose poses[WALKERS];
    double energies[WALKERS];
    uint64_t drawn = 0;
    qn_compound *compound = chain_make(4, &drawn);
    CHECK_OK(cloud_make(20, 8, &drawn, &receptor));
    CHECK_OK(qn_flexible_tree_create(compound, QN_FLEXIBLE_TYPES_FILE, -1, &tree));
    for (int i = 0; i < tree.heavy_count; i++) tree.type[i] = i % QN_VINA_ROWS; /* 11 maps are too many */
    CHECK_OK(qn_flexible_searcher_create(device, &receptor, &options, &searcher));
    CHECK_FAILS(qn_flexible_searcher_run(searcher, trees, 1, poses, energies, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the maps of a box of 200 x 200 x 200 Å");
    qn_flexible_searcher_destroy(&searcher);
    qn_flexible_tree_clear(&tree);
    qn_score_receptor_clear(&receptor);
    qn_compound_destroy(&compound);
}

int main(void)
{
    if (!CHECK_OK(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)) ||
        !CHECK_OK(qn_device_open(context, "host", &device)))
        return check_finish();
    RUN(maps_reach_side_chains_on_both_sides);
    RUN(company_changes_nothing);
    RUN_LONG(more_effort_finds_lower_energies);
    RUN(poses_far_above_the_best_are_left);
    RUN(maps_beyond_32_bits_are_refused);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
