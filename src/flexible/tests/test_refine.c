/* Refinement of found poses: results are minima with the energies that they state, best first and apart, and kicks only
 * lower the best. */
#include "check.h"

#include "flexible/searcher.h"
#include "flexible/tests/chains.h"

enum { POSES = 6, MOST = 3, STARTS = 8 };
static const double diversity_angstrom = 1;

typedef struct scene {
    qn_compound *compound;
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    qn_flexible_tree tree;
    qn_flexible_symmetry symmetry;
} scene;

static bool scene_open(uint64_t *drawn, scene *s)
{
    *s = (scene){.compound = chain_make(3, drawn)};
    return s->compound && CHECK_OK(cloud_make(150, 22, drawn, &s->receptor)) &&
           CHECK_OK(qn_flexible_receptor_create(&s->receptor, &s->sorted)) &&
           CHECK_OK(qn_flexible_tree_create(s->compound, QN_FLEXIBLE_TYPES_FILE, -1, &s->tree)) &&
           CHECK_OK(qn_flexible_symmetry_find(s->compound, &s->tree, &s->symmetry));
}

static void scene_close(scene *s)
{
    qn_flexible_symmetry_clear(&s->symmetry);
    qn_flexible_tree_clear(&s->tree);
    qn_flexible_receptor_destroy(&s->sorted);
    qn_score_receptor_clear(&s->receptor);
    qn_compound_destroy(&s->compound);
}

static void heavy_places(const qn_flexible_tree *tree, const qn_flexible_pose *pose, double *places)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    qn_flexible_frames(tree, pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->heavy_count, places);
}

/* Results are in order, apart, and minima. Returns the lowest bent energy. */
static double check_results(const scene *s, const qn_flexible_result *results, int kept)
{
    double places[MOST][3 * QN_FLEXIBLE_ATOMS_MAX], lowest = 0;
    for (int i = 0; i < kept; i++) {
        qn_flexible_energy energy, again;
        qn_flexible_pose pose = results[i].pose;
        qn_flexible_evaluate(&s->tree, s->sorted, &pose, QN_FLEXIBLE_HARD, &energy, NULL);
        CHECK_NEAR(results[i].inter + results[i].intra, energy.bent, 1e-9);
        qn_flexible_converge(&s->tree, s->sorted, &pose, &again);
        CHECK_NEAR(again.bent, energy.bent, 2e-4);
        if (i > 0) CHECK(energy.bent >= results[i - 1].inter + results[i - 1].intra);
        heavy_places(&s->tree, &results[i].pose, places[i]);
        for (int j = 0; j < i; j++)
            CHECK(qn_flexible_rmsd_angstrom(&s->symmetry, places[j], places[i]) > diversity_angstrom);
        if (i == 0) lowest = energy.bent;
    }
    return lowest;
}

static double refined(const scene *s, uint64_t drawn, int kicks)
{
    const qn_flexible_kicks how = {kicks, 5, 9};
    qn_flexible_pose poses[POSES];
    qn_flexible_result results[MOST];
    double energies[POSES];
    int kept = 0;
    for (int i = 0; i < POSES; i++) {
        qn_flexible_energy energy;
        pose_draw(&s->tree, &drawn, &poses[i]);
        qn_flexible_minimise(&s->tree, s->sorted, QN_FLEXIBLE_SOFT, 4, &poses[i], &energy);
        energies[i] = energy.bent;
    }
    CHECK_OK(qn_flexible_refine(&s->tree, &s->symmetry, s->sorted, poses, energies, POSES, diversity_angstrom, MOST,
                                &how, results, &kept));
    CHECK(kept >= 1 && kept <= MOST);
    return check_results(s, results, kept);
}

static void kicks_lower_the_best(void)
{
    uint64_t drawn = 0;
    scene s;
    int lowered = 0;
    if (!scene_open(&drawn, &s)) return;
    for (int start = 0; start < STARTS; start++) {
        const uint64_t from = drawn + 1000 * (uint64_t)start;
        const double without = refined(&s, from, 0), with = refined(&s, from, 10);
        CHECK(with <= without);
        lowered += with < without - 0.01;
        CHECK(refined(&s, from, 10) == with); /* random numbers are counted */
    }
    CHECK(lowered >= 2);
    scene_close(&s);
}

/* An effort of 1 means 48 kicks, and a small one at least one; a molecule has numbers of its own. */
static void kicks_follow_the_effort(void)
{
    uint64_t drawn = 0;
    scene s;
    if (!scene_open(&drawn, &s)) return;
    const qn_flexible_kicks one = qn_flexible_kicks_of(&s.tree, 1, 7), few = qn_flexible_kicks_of(&s.tree, 0.01, 7);
    CHECK(one.count == 48 && few.count == 1 && one.seed == 7 && one.stream == few.stream);
    s.tree.local[0] += 0.5;
    CHECK(qn_flexible_kicks_of(&s.tree, 1, 7).stream != one.stream);
    scene_close(&s);
}

int main(void)
{
    RUN(kicks_lower_the_best);
    RUN(kicks_follow_the_effort);
    return check_finish();
}
