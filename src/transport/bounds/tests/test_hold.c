/* A ligand held on a disc: the restraint by hand, gradients by differences, poses in the plane, minima; and the lower
 * bound of dibromoethane in LinB's tunnel beside CaverDock's. */
#include "transport/bounds/hold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "discs/discs.h"
#include "discs/vector.h"
#include "flexible/stated.h"
#include "flexible/tests/chains.h"
#include "format/compound/compound_stream.h"
#include "transport/bounds/lower.h"

static const qn_tunnel_disc disc = {{1, 2, -1}, {1.0 / 3, 2.0 / 3, -2.0 / 3}, 1.5};

static void the_restraint_begins_at_the_rim(void)
{
    double u[3], v[3], place[3], gradient[3];
    qn_plane_axes(disc.normal, u, v);
    qn_advance(disc.centre, 1.4999, u, place);
    CHECK(qn_disc_restraint(&disc, place, gradient) == 0 && gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
    qn_advance(disc.centre, 1.7, u, place);
    CHECK_NEAR(qn_disc_restraint(&disc, place, gradient), 20 * 0.2 * 0.2, 1e-12);
    CHECK_NEAR(qn_dot(gradient, u), 2 * 20 * 0.2, 1e-12);
    CHECK_NEAR(qn_dot(gradient, v), 0, 1e-12);
    qn_advance(place, 5, disc.normal, place);
    qn_disc_hold(&disc, place);
    CHECK_NEAR(qn_height(place, disc.centre, disc.normal), 0, 1e-14);
    CHECK_NEAR(qn_distance(place, disc.centre), 1.7, 1e-14);
}

typedef struct scene {
    qn_compound *compound;
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    qn_flexible_tree tree;
} scene;

static void scene_close(scene *s)
{
    qn_flexible_tree_clear(&s->tree);
    qn_flexible_receptor_destroy(&s->sorted);
    qn_score_receptor_clear(&s->receptor);
    qn_compound_destroy(&s->compound);
}

static bool scene_open(int torsions, uint64_t *drawn, scene *s)
{
    *s = (scene){.compound = chain_make(torsions, drawn)};
    return s->compound && CHECK_OK(cloud_make(300, 24, drawn, &s->receptor)) &&
           CHECK_OK(qn_flexible_receptor_create(&s->receptor, &s->sorted)) &&
           CHECK_OK(qn_flexible_tree_create(s->compound, QN_FLEXIBLE_TYPES_FILE, -1, &s->tree));
}

/* Places are uniform on the disc: half of them within r/√2, a quarter in each quadrant. */
static void poses_are_drawn_on_the_disc(void)
{
    enum { DRAWS = 4000 };
    uint64_t drawn = 0;
    double u[3], v[3];
    int within = 0, quadrant = 0, turned = 0;
    scene s;
    qn_plane_axes(disc.normal, u, v);
    if (scene_open(3, &drawn, &s))
        for (uint64_t i = 0; i < DRAWS; i++) {
            qn_flexible_pose pose;
            qn_disc_draw_pose(&s.tree, &disc, 7, i, &pose);
            const double distance = qn_distance(pose.place, disc.centre);
            if (!CHECK(distance <= disc.radius && fabs(qn_height(pose.place, disc.centre, disc.normal)) < 1e-12)) break;
            within += distance < disc.radius / sqrt(2);
            quadrant += qn_height(pose.place, disc.centre, u) > 0 && qn_height(pose.place, disc.centre, v) > 0;
            turned += pose.torsions[2] > 0;
        }
    const double deviation = sqrt(DRAWS); /* over four standard deviations of each count */
    CHECK_NEAR(within, DRAWS / 2, 2.1 * deviation);
    CHECK_NEAR(quadrant, DRAWS / 4, 2.1 * deviation);
    CHECK_NEAR(turned, DRAWS / 2, 2.1 * deviation);
    scene_close(&s);
}

/* Energy and restraint of a pose moved within the plane. */
static double value_at(const scene *s, const qn_flexible_pose *pose, const double *step, double length)
{
    qn_flexible_pose moved;
    qn_flexible_energy energy;
    double pull[3];
    qn_flexible_pose_step(&s->tree, pose, step, length, &moved);
    qn_flexible_evaluate(&s->tree, s->sorted, &moved, QN_FLEXIBLE_HARD, &energy, NULL);
    return energy.bent + qn_disc_restraint(&disc, moved.place, pull);
}

/* A minimum is in the plane, and no step in the plane leads to a lower value, apart from the jumps of some 0.004
 * kcal/mol that pairs make at 8 Å; leaving the plane would. */
static void minima_are_minima_in_the_plane(void)
{
    uint64_t drawn = 100;
    int held = 0;
    for (int torsions = 0; torsions <= 9; torsions += 3) {
        scene s;
        qn_flexible_pose pose;
        qn_flexible_energy before, after;
        double gradient[6 + QN_FLEXIBLE_TORSIONS_MAX];
        if (scene_open(torsions, &drawn, &s)) {
            qn_disc_draw_pose(&s.tree, &disc, 5, (uint64_t)torsions, &pose);
            qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_HARD, &before, NULL);
            qn_disc_minimise(&s.tree, s.sorted, NULL, &disc, QN_FLEXIBLE_HARD, 400, &pose, &after);
            CHECK(after.bent < before.bent);
            CHECK_NEAR(qn_height(pose.place, disc.centre, disc.normal), 0, 1e-9);
            const double none[6 + QN_FLEXIBLE_TORSIONS_MAX] = {0}, here = value_at(&s, &pose, none, 0);
            for (int trial = 0; trial < 100; trial++) {
                double step[6 + QN_FLEXIBLE_TORSIONS_MAX];
                for (int i = 0; i < qn_flexible_freedoms(&s.tree); i++) step[i] = chain_draw(&drawn) - 0.5;
                qn_advance(step, -qn_dot(step, disc.normal), disc.normal, step);
                CHECK(value_at(&s, &pose, step, 0.01) > here - 0.02);
            }
            qn_flexible_evaluate(&s.tree, s.sorted, &pose, QN_FLEXIBLE_HARD, &after, gradient);
            held += fabs(qn_dot(gradient, disc.normal)) > 0.1;
        }
        scene_close(&s);
    }
    CHECK(held >= 3);
}

/* ---- dibromoethane in LinB ---- */

enum { DISCS = 34, STARTS = 200 };

typedef struct linb {
    scene s;
    qn_compound **compounds;
    qn_tunnel_file file;
    double reference[DISCS]; /* inter / (1 + 0.05846 N) of CaverDock's poses, as Vina states it */
} linb;

static bool read_reference(const char *path, double *reference)
{
    char line[128];
    int rows = 0;
    FILE *stream = fopen(path, "r");
    if (!stream || !fgets(line, sizeof line, stream)) return false;
    while (rows < DISCS && fgets(line, sizeof line, stream)) rows += sscanf(line, "%*d,%*f,%lf", &reference[rows]) == 1;
    fclose(stream);
    return rows == DISCS;
}

/* Returns whether the reference data are there. */
static bool linb_open(linb *of)
{
    static const char *const names[] = {"transport/linb_wt_receptor.pdbqt", "transport/dbe_ligand.pdbqt",
                                        "transport/linb_caverweb_tunnel.dsd",
                                        "transport/linb_ref_lb_vina_score_only.csv"};
    char path[4][512];
    size_t count = 0;
    *of = (linb){0};
    for (int i = 0; i < 4; i++) {
        const char *found = check_reference_data(names[i]);
        if (!found) return false;
        snprintf(path[i], sizeof path[i], "%s", found);
    }
    if (!CHECK_OK(qn_flexible_stated_receptor(path[0], &of->s.receptor)) ||
        !CHECK_OK(qn_flexible_receptor_create(&of->s.receptor, &of->s.sorted)) ||
        !CHECK_OK(qn_compound_read_file(path[1], &of->compounds, &count)) || !CHECK(count == 1) ||
        !CHECK_OK(
            qn_flexible_tree_create(of->s.compound = of->compounds[0], QN_FLEXIBLE_TYPES_FILE, -1, &of->s.tree)) ||
        !CHECK_OK(qn_tunnel_file_read(path[2], &of->file)) || !CHECK(of->file.disc_count == DISCS) ||
        !CHECK(read_reference(path[3], of->reference)))
        exit(1);
    return true;
}

static void linb_close(linb *of)
{
    qn_release(&of->compounds);
    qn_tunnel_file_release(&of->file);
    scene_close(&of->s);
}

/* The lowest of many random starts, each minimised on until it falls no more. */
static double lowest_of_starts(const linb *of, int disc_number)
{
    const qn_tunnel_disc *on = &of->file.discs[disc_number];
    double lowest = INFINITY;
    for (int start = 0; start < STARTS; start++) {
        qn_flexible_pose pose;
        qn_flexible_energy energy;
        double before = INFINITY;
        qn_disc_draw_pose(&of->s.tree, on, 77, (uint64_t)(disc_number * STARTS + start), &pose);
        for (bool falls = true; falls; before = energy.bent) {
            qn_disc_minimise(&of->s.tree, of->s.sorted, NULL, on, QN_FLEXIBLE_HARD, 100, &pose, &energy);
            falls = energy.bent < before - 1e-4;
        }
        lowest = fmin(lowest, energy.bent);
    }
    return lowest;
}

/* CaverDock's poses fall by 0.02 to 0.23 kcal/mol when they are minimised, and it prints one digit. */
static void the_lower_bound_is_that_of_many_starts(void)
{
    linb of;
    qn_discs discs;
    qn_layers layers;
    double fall = 0;
    int below = 0;
    if (!linb_open(&of)) return;
    if (!CHECK_OK(qn_discs_from_file(of.file.discs, DISCS, &discs))) exit(1);
    const qn_bounds_scene bounds = {.tree = &of.s.tree, .receptor = of.s.sorted, .discs = &discs, .seed = 1};
    if (!CHECK_OK(qn_lower_bound(&bounds, 24, 1, &layers))) exit(1);
    for (int i = 0; i < DISCS; i++) {
        const double factor = 1 + QN_VINA_TORSION * of.s.tree.torsion_count;
        const double lowest = qn_disc_pose_energy(&layers.layers[i].poses[0]), best = lowest_of_starts(&of, i);
        CHECK(lowest <= best + 0.02 * factor);
        below += layers.layers[i].poses[0].inter / factor <= of.reference[i] + 0.005; /* of Vina's table */
        fall += of.reference[i] - layers.layers[i].poses[0].inter / factor;
    }
    printf("  %d of %d discs are below the reference, by %.3f kcal/mol on average\n", below, DISCS, fall / DISCS);
    CHECK(below == DISCS);
    CHECK_NEAR(fall / DISCS, 0.13, 0.03);
    qn_layers_clear(&layers);
    qn_discs_release(&discs);
    linb_close(&of);
}

int main(void)
{
    RUN(the_restraint_begins_at_the_rim);
    RUN(poses_are_drawn_on_the_disc);
    RUN(minima_are_minima_in_the_plane);
    RUN_LONG(the_lower_bound_is_that_of_many_starts);
    return check_finish();
}
