/* Both bounds of chains in tubes of atoms: ways are continuous from end to end, the upper bound is over the lower on
 * every disc, threads change nothing, and a barrier of known height is found. */
#include "transport/bounds/roadmap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "flexible/tests/chains.h"

enum { DISCS = 12 };
static const qn_roadmap_settings usual = {.continuity_angstrom = 0.8, .most = 8, .rounds = 3};
static const double pi = 3.14159265358979323846;

typedef struct scene {
    qn_compound *compound;
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    qn_flexible_tree tree;
    qn_tunnel_disc list[DISCS];
    qn_discs discs;
} scene;

/* Rings of carbons around z, 1.2 Å apart, whose radius is `wide` but `narrow` at z = 0; discs from −3.3 to 3.3 Å. */
static qn_status make_tube(double wide, double narrow, qn_score_receptor *receptor)
{
    enum { RINGS = 15, AROUND = 16 };
    *receptor = (qn_score_receptor){.score = {.kind = QN_SCORE_VINA}};
    qn_status status = qn_allocate(3 * RINGS * AROUND, sizeof(double), (void **)&receptor->positions_angstrom);
    if (status == QN_OK) status = qn_allocate(RINGS * AROUND, sizeof(int), (void **)&receptor->types);
    for (int ring = 0; ring < RINGS && status == QN_OK; ring++)
        for (int i = 0; i < AROUND; i++) {
            const double z = 1.2 * (ring - RINGS / 2), radius = wide - (wide - narrow) * exp(-z * z / 4);
            double *at = receptor->positions_angstrom + 3 * receptor->atom_count;
            at[0] = radius * cos(2 * pi * i / AROUND);
            at[1] = radius * sin(2 * pi * i / AROUND);
            at[2] = z;
            receptor->types[receptor->atom_count++] = C_H;
        }
    return status;
}

/* A chain, or one atom of carbon for −1 torsions. */
static qn_compound *make_ligand(int torsions, uint64_t *drawn)
{
    qn_compound *compound = torsions < 0 ? NULL : chain_make(torsions, drawn);
    if (torsions >= 0 || qn_compound_create("atom", 1, 0, 1, &compound) != QN_OK) return compound;
    compound->tree.piece_count = 1;
    if (qn_allocate(1, sizeof(int), (void **)&compound->tree.piece) != QN_OK) return NULL;
    strcpy(compound->atoms[0].element, "C");
    strcpy(compound->atoms[0].type, "C");
    return compound;
}

static bool scene_open(int torsions, double narrow, uint64_t *drawn, scene *s)
{
    *s = (scene){.compound = make_ligand(torsions, drawn)};
    for (int i = 0; i < DISCS; i++) s->list[i] = (qn_tunnel_disc){{0, 0, 0.6 * i - 3.3}, {0, 0, 1}, 1.5};
    s->discs = (qn_discs){.count = DISCS, .discs = s->list};
    return s->compound && CHECK_OK(make_tube(6, narrow, &s->receptor)) &&
           CHECK_OK(qn_flexible_receptor_create(&s->receptor, &s->sorted)) &&
           CHECK_OK(qn_flexible_tree_create(s->compound, QN_FLEXIBLE_TYPES_FILE, -1, &s->tree));
}

static void scene_close(scene *s)
{
    qn_flexible_tree_clear(&s->tree);
    qn_flexible_receptor_destroy(&s->sorted);
    qn_score_receptor_clear(&s->receptor);
    qn_compound_destroy(&s->compound);
}

static bool find_with(const scene *s, const qn_roadmap_settings *settings, int threads, qn_layers *layers, qn_way *way)
{
    qn_pool *pool = NULL;
    if (!CHECK_OK(qn_pool_create(threads, &pool))) return false;
    const qn_bounds_scene of = {.tree = &s->tree, .receptor = s->sorted, .discs = &s->discs, .pool = pool, .seed = 3};
    const bool found =
        CHECK_OK(qn_lower_bound(&of, usual.most, 0.3, layers)) && CHECK_OK(qn_upper_bound(&of, settings, layers, way));
    qn_pool_destroy(&pool);
    return found;
}

static bool find_bounds(const scene *s, int threads, qn_layers *layers, qn_way *way)
{
    return find_with(s, &usual, threads, layers, way);
}

static double highest_of(const qn_disc_pose *poses, int count)
{
    double highest = -INFINITY;
    for (int i = 0; i < count; i++) highest = fmax(highest, qn_disc_pose_energy(&poses[i]));
    return highest;
}

static void check_way(const scene *s, const qn_layers *layers, const qn_way *way)
{
    if (!CHECK(way->count >= DISCS)) return;
    CHECK(way->poses[0].disc == 0 && way->poses[way->count - 1].disc == DISCS - 1);
    for (int i = 0; i < way->count; i++) {
        const qn_disc_pose *pose = &way->poses[i];
        qn_flexible_energy energy;
        qn_flexible_evaluate(&s->tree, s->sorted, &pose->pose, QN_FLEXIBLE_HARD, &energy, NULL);
        CHECK_NEAR(qn_disc_pose_energy(pose), energy.bent, 1e-12);
        CHECK_NEAR(pose->pose.place[2], s->list[pose->disc].centre[2], 1e-9);
        CHECK(qn_disc_pose_energy(pose) >= qn_disc_pose_energy(&layers->layers[pose->disc].poses[0]));
        if (i == 0) continue;
        CHECK(abs(pose->disc - pose[-1].disc) <= 1);
        CHECK(qn_disc_pose_step(&s->tree, pose, pose - 1) <= usual.continuity_angstrom);
    }
}

static void ways_are_continuous_and_over_the_lower_bound(void)
{
    uint64_t drawn = 0;
    for (int torsions = 0; torsions <= 2; torsions++) {
        scene s;
        qn_layers layers = {0};
        qn_way way = {0};
        if (scene_open(torsions, 5, &drawn, &s) && find_bounds(&s, 2, &layers, &way)) check_way(&s, &layers, &way);
        qn_way_clear(&way);
        qn_layers_clear(&layers);
        scene_close(&s);
    }
}

static void threads_change_nothing(void)
{
    uint64_t drawn = 0;
    scene s;
    qn_layers layers[2] = {{0}, {0}};
    qn_way ways[2] = {{0}, {0}};
    if (scene_open(1, 5, &drawn, &s) && find_bounds(&s, 1, &layers[0], &ways[0]) &&
        find_bounds(&s, 3, &layers[1], &ways[1]) && CHECK(ways[0].count == ways[1].count))
        for (int i = 0; i < ways[0].count; i++) {
            CHECK(ways[0].poses[i].disc == ways[1].poses[i].disc && ways[0].poses[i].inter == ways[1].poses[i].inter);
            CHECK(memcmp(&ways[0].poses[i].pose, &ways[1].poses[i].pose, sizeof ways[0].poses[i].pose) == 0);
        }
    for (int i = 0; i < 2; i++) {
        qn_way_clear(&ways[i]);
        qn_layers_clear(&layers[i]);
    }
    scene_close(&s);
}

/* One atom needs no detour in a round tube: the upper bound meets the lower. */
static void one_atom_has_no_gap(void)
{
    uint64_t drawn = 0;
    scene s;
    qn_layers layers = {0};
    qn_way way = {0};
    if (scene_open(-1, 2.9, &drawn, &s) && find_bounds(&s, 2, &layers, &way)) {
        double lower = -INFINITY;
        for (int i = 0; i < DISCS; i++) lower = fmax(lower, qn_disc_pose_energy(&layers.layers[i].poses[0]));
        CHECK(lower > qn_disc_pose_energy(&layers.layers[0].poses[0]) + 1);
        CHECK_NEAR(highest_of(way.poses, way.count), lower, 0.01);
    }
    qn_way_clear(&way);
    qn_layers_clear(&layers);
    scene_close(&s);
}

/* The published schedule's ways are ways, too, and the roadmap's are not higher. */
static void the_published_schedule_is_not_better(void)
{
    qn_roadmap_settings published = usual;
    published.published = true;
    uint64_t drawn = 0;
    for (int torsions = 0; torsions <= 2; torsions++) {
        scene s;
        qn_layers layers[2] = {{0}, {0}};
        qn_way ways[2] = {{0}, {0}};
        if (scene_open(torsions, 5, &drawn, &s) && find_bounds(&s, 2, &layers[0], &ways[0]) &&
            find_with(&s, &published, 2, &layers[1], &ways[1])) {
            if (ways[1].count > 0) check_way(&s, &layers[1], &ways[1]);
            CHECK(ways[0].count > 0);
            CHECK(ways[1].count == 0 ||
                  highest_of(ways[0].poses, ways[0].count) <= highest_of(ways[1].poses, ways[1].count) + 0.005);
        }
        for (int i = 0; i < 2; i++) {
            qn_way_clear(&ways[i]);
            qn_layers_clear(&layers[i]);
        }
        scene_close(&s);
    }
}

int main(void)
{
    RUN(ways_are_continuous_and_over_the_lower_bound);
    RUN(threads_change_nothing);
    RUN(one_atom_has_no_gap);
    RUN(the_published_schedule_is_not_better);
    return check_finish();
}
