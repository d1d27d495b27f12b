/* Steps of a ligand: the restraint's gradient by differences, the longest way of an atom, and steps that hold. */
#include "transport/bounds/follow.h"

#include <math.h>

#include "check.h"
#include "discs/vector.h"
#include "flexible/tests/chains.h"

typedef struct scene {
    qn_compound *compound;
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    qn_flexible_tree tree;
} scene;

static bool scene_open(int torsions, uint64_t *drawn, scene *s)
{
    *s = (scene){.compound = chain_make(torsions, drawn)};
    return s->compound && CHECK_OK(cloud_make(200, 24, drawn, &s->receptor)) &&
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

/* Poses that are `size` times a draw away from each other. */
static void draw_pair(const qn_flexible_tree *tree, double size, uint64_t *drawn, qn_disc_pose *a, qn_disc_pose *b)
{
    double step[6 + QN_FLEXIBLE_TORSIONS_MAX];
    for (int i = 0; i < qn_flexible_freedoms(tree); i++) step[i] = chain_draw(drawn) - 0.5;
    *a = *b = (qn_disc_pose){.disc = 0};
    pose_draw(tree, drawn, &a->pose);
    qn_flexible_pose_step(tree, &a->pose, step, size, &b->pose);
}

static void the_gradient_is_that_of_differences(void)
{
    static const double length = 1e-5;
    uint64_t drawn = 0;
    for (int torsions = 0; torsions <= 12; torsions += 3) {
        scene s;
        if (scene_open(torsions, &drawn, &s)) {
            qn_disc_pose reference, at, target, unused;
            double gradient[6 + QN_FLEXIBLE_TORSIONS_MAX] = {0}, ignored[6 + QN_FLEXIBLE_TORSIONS_MAX];
            draw_pair(&s.tree, 0.7, &drawn, &reference, &at);
            draw_pair(&s.tree, 0.7, &drawn, &target, &unused);
            const qn_follow follow = {
                .reference = &reference, .continuity_angstrom = 0.3, .target = &target, .pull = 0.4};
            const double value = qn_follow_restraint(&s.tree, &follow, &at.pose, gradient);
            CHECK(value > 0.1);
            for (int i = 0; i < qn_flexible_freedoms(&s.tree); i++) {
                double unit[6 + QN_FLEXIBLE_TORSIONS_MAX] = {0}, sides[2];
                unit[i] = 1;
                for (int side = 0; side < 2; side++) {
                    qn_flexible_pose moved;
                    qn_flexible_pose_step(&s.tree, &at.pose, unit, side ? length : -length, &moved);
                    sides[side] = qn_follow_restraint(&s.tree, &follow, &moved, ignored);
                }
                const double difference = (sides[1] - sides[0]) / (2 * length);
                CHECK_NEAR(gradient[i], difference, 1e-4 * (1 + fabs(difference)));
            }
        }
        scene_close(&s);
    }
}

/* The restraint by hand: an atom that is far out, and one that is not. */
static void atoms_are_free_near_their_places(void)
{
    uint64_t drawn = 50;
    scene s;
    if (scene_open(0, &drawn, &s)) {
        qn_disc_pose reference = {.disc = 0}, moved;
        double gradient[6 + QN_FLEXIBLE_TORSIONS_MAX] = {0};
        qn_flexible_pose_given(&s.tree, &reference.pose);
        moved = reference;
        const qn_follow follow = {.reference = &reference, .continuity_angstrom = 1};
        moved.pose.place[0] += 0.949;
        CHECK(qn_follow_restraint(&s.tree, &follow, &moved.pose, gradient) == 0);
        moved.pose.place[0] = reference.pose.place[0] + 1.05;
        CHECK_NEAR(qn_follow_restraint(&s.tree, &follow, &moved.pose, gradient), s.tree.atom_count * 30 * 0.01, 1e-9);
        CHECK_NEAR(gradient[0], s.tree.atom_count * 2 * 30 * 0.1, 1e-9);
        CHECK_NEAR(qn_disc_pose_step(&s.tree, &reference, &moved), 1.05, 1e-12);
        CHECK_NEAR(qn_disc_pose_distance(&s.tree, &reference, &moved), 1.05, 1e-12);
    }
    scene_close(&s);
}

static void the_longest_way_is_that_of_all_atoms(void)
{
    uint64_t drawn = 80;
    for (int torsions = 0; torsions <= 8; torsions += 4) {
        scene s;
        if (scene_open(torsions, &drawn, &s)) {
            qn_disc_pose a, b;
            double from[3 * 64], to[3 * 64], most = 0;
            draw_pair(&s.tree, 1, &drawn, &a, &b);
            qn_flexible_compound_positions(&s.tree, &a.pose, from);
            qn_flexible_compound_positions(&s.tree, &b.pose, to);
            for (int i = 0; i < s.tree.atom_count; i++) most = fmax(most, qn_distance(from + 3 * i, to + 3 * i));
            CHECK_NEAR(qn_disc_pose_step(&s.tree, &a, &b), most, 1e-12);
        }
        scene_close(&s);
    }
}

/* Whenever a step says that it holds, it does, in the plane of the next disc; and most steps over 0.2 Å hold. */
static void steps_hold(void)
{
    enum { TRIALS = 30 };
    static qn_tunnel_disc list[] = {{{0, 0, 0}, {0, 0, 1}, 1.5}, {{0, 0, 0.2}, {0, 0, 1}, 1.5}};
    const qn_discs discs = {.count = 2, .discs = list};
    uint64_t drawn = 200;
    int held = 0;
    scene s;
    if (scene_open(3, &drawn, &s))
        for (int i = 0; i < TRIALS; i++) {
            const qn_bounds_scene of = {.tree = &s.tree, .receptor = s.sorted, .discs = &discs, .seed = 1};
            qn_disc_pose from = {.disc = 0}, to;
            pose_draw(&s.tree, &drawn, &from.pose);
            qn_disc_pose_settle(&of, NULL, &from);
            const qn_follow follow = {.reference = &from, .continuity_angstrom = 0.8};
            to = from;
            to.disc = 1;
            if (!qn_disc_pose_follow(&of, NULL, &follow, &to)) continue;
            held++;
            CHECK(qn_disc_pose_step(&s.tree, &from, &to) <= 0.8);
            CHECK_NEAR(qn_height(to.pose.place, list[1].centre, list[1].normal), 0, 1e-9);
        }
    CHECK(held > TRIALS / 2);
    scene_close(&s);
}

int main(void)
{
    RUN(the_gradient_is_that_of_differences);
    RUN(atoms_are_free_near_their_places);
    RUN(the_longest_way_is_that_of_all_atoms);
    RUN(steps_hold);
    return check_finish();
}
