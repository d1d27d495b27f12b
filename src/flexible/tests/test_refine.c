/* Refinement of found poses: results are minima with the energies that they state, best first and apart, of the poses
 * that there are. */
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

/* Refine poses near minima, best first, of which only `given` are there; returns the number of those kept. */
static int refined(const scene *s, uint64_t drawn, int given, qn_flexible_result *results)
{
    qn_flexible_pose poses[POSES];
    double energies[POSES];
    int kept = 0;
    for (int i = 0; i < POSES; i++) {
        qn_flexible_energy energy;
        energies[i] = INFINITY;
        if (i >= given) continue;
        pose_draw(&s->tree, &drawn, &poses[i]);
        qn_flexible_minimise(&s->tree, s->sorted, QN_FLEXIBLE_HARD, 30, &poses[i], &energy);
        int at = i; /* sort */
        const qn_flexible_pose pose = poses[i];
        for (; at > 0 && energies[at - 1] > energy.bent; at--)
            poses[at] = poses[at - 1], energies[at] = energies[at - 1];
        poses[at] = pose;
        energies[at] = energy.bent;
    }
    const double lowest = energies[0];
    CHECK_OK(qn_flexible_refine(&s->tree, &s->symmetry, s->sorted, poses, energies, POSES, diversity_angstrom, MOST,
                                results, &kept));
    CHECK(kept >= 1 && kept <= MOST && kept <= given);
    CHECK(check_results(s, results, kept) <= lowest);
    return kept;
}

static void found_poses_converge(void)
{
    uint64_t drawn = 0;
    scene s;
    qn_flexible_result results[MOST];
    int several = 0;
    if (!scene_open(&drawn, &s)) return;
    for (int start = 0; start < STARTS; start++) {
        const uint64_t from = drawn + 1000 * (uint64_t)start;
        several += refined(&s, from, POSES, results) > 1;
        CHECK(refined(&s, from, 1, results) == 1);
    }
    CHECK(several > 0);
    scene_close(&s);
}

int main(void)
{
    RUN(found_poses_converge);
    return check_finish();
}
