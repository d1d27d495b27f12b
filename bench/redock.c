/* Redocking: each ligand of a known complex starts in the crystal's conformer with a random rotation, is docked, and
 * its best poses are compared with the crystal's pose. Where none of the best three poses is near the crystal's, the
 * energies show why: either the search missed the minimised crystal pose, which has a lower energy, or the score
 * prefers another place.
 *
 *     quern_bench_redock FOLDER [device] [bude|vina] [starts] [half side] [poses] [generations]
 *
 * The half side (Å, default 6) belongs to the box about the ligand's centroid; poses 0: the search chooses their
 * number. FOLDER holds 1stp, 1iep and 3ce3 as AutoDock-GPU and Vina distribute them. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "chemistry/symmetry.h"
#include "format/compound/compound_stream.h"
#include "math/rotation.h"
#include "score/vina.h"
#include "screen/search/search.h"

enum { BEST = 3 };
#define NEAR_ANGSTROM 2.5
#define APART_ANGSTROM 2.0

typedef struct redock_case {
    qn_score_receptor receptor;
    qn_compound **compounds; /* the first is the ligand */
    size_t compound_count;
    qn_score_ligand ligand; /* as in the crystal */
    qn_symmetry symmetry;
    double *crystal; /* positions of all atoms */
    double crystal_energy, minimum;
} redock_case;

typedef struct redock_totals {
    int starts, near_first, near, found, missed_by_search, missed_by_score;
    double seconds, scoring_s, evolving_s, interactions, poses;
} redock_totals;

static void must(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "redock: %s\n", qn_error_message());
    exit(1);
}

static double energy_of(const redock_case *c, const double *positions)
{
    const qn_score_ligand *l = &c->ligand;
    const qn_score_receptor *r = &c->receptor;
    if (r->score.kind == QN_SCORE_VINA) {
        qn_vina_energy energy;
        qn_vina_energy_of(positions, l->type, (size_t)l->atom_count, l->rotatable_bonds, r->positions_angstrom,
                          r->types, r->atom_count, &energy);
        return energy.total;
    }
    qn_bude_energy energy;
    qn_bude_energy_of(r->score.force_field, positions, l->type, (size_t)l->atom_count, r->positions_angstrom, r->types,
                      r->atom_count, &energy);
    return energy.total;
}

/* Shift the atoms along an axis, or rotate them about an axis through the centroid. */
static void move(const double *from, int count, int which, double size, double *to)
{
    const int axis = which % 3, u = (axis + 1) % 3, v = (axis + 2) % 3;
    double centre[3] = {0};
    for (int i = 0; i < 3 * count; i++) centre[i % 3] += from[i] / count;
    memcpy(to, from, (size_t)count * 24);
    for (int i = 0; i < count; i++) {
        if (which < 3) {
            to[3 * i + axis] += size;
            continue;
        }
        const double angle = size / 5, x = from[3 * i + u] - centre[u], y = from[3 * i + v] - centre[v];
        to[3 * i + u] = centre[u] + cos(angle) * x - sin(angle) * y;
        to[3 * i + v] = centre[v] + sin(angle) * x + cos(angle) * y;
    }
}

/* Move the ligand to the nearest minimum. Returns its energy. */
static double minimise(const redock_case *c, double *positions)
{
    const int count = c->ligand.atom_count;
    double lowest = energy_of(c, positions);
    double *trial, *best;
    must(qn_allocate((size_t)count * 3, sizeof *trial, (void **)&trial));
    must(qn_allocate((size_t)count * 3, sizeof *best, (void **)&best));
    for (double step = 0.3; step > 0.002;) {
        bool better = false;
        for (int k = 0; k < 12; k++) {
            move(positions, count, k / 2, k % 2 ? step : -step, trial);
            double energy = energy_of(c, trial);
            if (energy >= lowest) continue;
            lowest = energy;
            better = true;
            memcpy(best, trial, (size_t)count * 24);
        }
        if (better)
            memcpy(positions, best, (size_t)count * 24);
        else
            step /= 2;
    }
    qn_release(&trial);
    qn_release(&best);
    return lowest;
}

static void read_case(const char *folder, const char *receptor, const char *ligand, const qn_ligand_score *score,
                      redock_case *c)
{
    char path[1024];
    bool complete;
    *c = (redock_case){0};
    snprintf(path, sizeof path, "%s/%s", folder, receptor);
    must(qn_score_receptor_read(path, score, &c->receptor));
    snprintf(path, sizeof path, "%s/%s", folder, ligand);
    must(qn_compound_read_file(path, &c->compounds, &c->compound_count));
    must(qn_score_ligand_prepare(c->compounds[0]));
    must(qn_score_ligand_create(c->compounds[0], score, &c->ligand));
    must(qn_symmetry_find(c->compounds[0], 4096, &c->symmetry, &complete));
    const size_t count = 3 * c->compounds[0]->atom_count;
    must(qn_allocate(count, sizeof(double), (void **)&c->crystal));
    memcpy(c->crystal, qn_compound_positions(c->compounds[0], 0), count * sizeof(double));
    double *heavy;
    must(qn_allocate(count, sizeof(double), (void **)&heavy));
    for (int i = 0; i < 3 * c->ligand.atom_count; i++) heavy[i] = c->crystal[3 * c->ligand.atom[i / 3] + i % 3];
    c->crystal_energy = energy_of(c, heavy);
    c->minimum = minimise(c, heavy);
    qn_release(&heavy);
}

static void clear_case(redock_case *c)
{
    qn_score_receptor_clear(&c->receptor);
    for (size_t i = 0; i < c->compound_count; i++) qn_compound_destroy(&c->compounds[i]);
    qn_release(&c->compounds);
    qn_score_ligand_clear(&c->ligand);
    qn_symmetry_clear(&c->symmetry);
    qn_release(&c->crystal);
}

/* Place all atoms by a pose: from the positions of the start to those of the pose. */
static void place(const qn_screen_search_options *options, const qn_screen_pose *pose, const double *start,
                  const double *centroid, size_t count, double *placed)
{
    double rotation[9], translation[3];
    qn_screen_pose_transform(options, pose, rotation, translation);
    for (size_t i = 0; i < count; i++) {
        const double about[3] = {start[3 * i] - centroid[0], start[3 * i + 1] - centroid[1],
                                 start[3 * i + 2] - centroid[2]};
        qn_rotation_apply(rotation, about, placed + 3 * i);
        for (int d = 0; d < 3; d++) placed[3 * i + (size_t)d] += translation[d];
    }
}

/* Find the best poses that are far enough from each other. Returns their number. */
static int find_best(const redock_case *c, const qn_screen_search_options *options, const qn_screen_pose *poses,
                     const double *centroid, double energy[BEST], double rmsd[BEST])
{
    const qn_compound *compound = c->compounds[0];
    const size_t count = compound->atom_count;
    double *placed[BEST + 1];
    int found = 0;
    for (int i = 0; i <= BEST; i++) must(qn_allocate(3 * count, sizeof(double), (void **)&placed[i]));
    for (int i = 0; i < QN_SCREEN_MINIMA && found < BEST && isfinite(poses[i].energy); i++) {
        bool apart = true;
        place(options, &poses[i], qn_compound_positions(compound, 0), centroid, count, placed[found]);
        for (int j = 0; j < found; j++)
            apart &= qn_symmetry_rmsd_angstrom(&c->symmetry, placed[j], placed[found]) >= APART_ANGSTROM;
        if (!apart) continue;
        energy[found] = (double)poses[i].energy;
        rmsd[found] = qn_symmetry_rmsd_angstrom(&c->symmetry, placed[found], c->crystal);
        found++;
    }
    for (int i = 0; i <= BEST; i++) qn_release(&placed[i]);
    return found;
}

static void redock_once(const redock_case *c, qn_screen_search *search, const qn_screen_search_options *options,
                        int start, redock_totals *totals)
{
    qn_compound *compound = c->compounds[0];
    qn_score_ligand turned;
    qn_screen_pose *poses;
    double matrix[9], *positions = qn_compound_positions(compound, 0), energy[BEST], rmsd[BEST], nearest = INFINITY;
    double interactions = 0;
    qn_rotation_from_seed(1000 + (uint64_t)start, matrix);
    for (size_t i = 0; i < compound->atom_count; i++) qn_rotation_apply(matrix, c->crystal + 3 * i, positions + 3 * i);
    must(qn_score_ligand_create(compound, &c->receptor.score, &turned));
    must(qn_allocate(QN_SCREEN_MINIMA, sizeof *poses, (void **)&poses));
    const double begin_s = qn_clock_s();
    must(qn_screen_search_submit(search, &(qn_screen_job){&turned, 0}, 1, 0));
    must(qn_screen_search_collect(search, 0, poses, &interactions));
    totals->seconds += qn_clock_s() - begin_s;
    totals->interactions += interactions;
    totals->poses += interactions / ((double)c->receptor.atom_count * c->ligand.atom_count);
    const int found = find_best(c, options, poses, turned.centroid_angstrom, energy, rmsd);
    printf("  start %d ", start + 1);
    for (int i = 0; i < found; i++) {
        printf("  %8.2f at %5.2f Å", energy[i], rmsd[i]);
        nearest = fmin(nearest, rmsd[i]);
    }
    const bool near = nearest <= NEAR_ANGSTROM, searched = energy[0] <= c->minimum + 0.01 * fabs(c->minimum);
    printf(near       ? "\n"
           : searched ? "   the score prefers another place\n"
                      : "   the search missed the crystal's minimum\n");
    totals->starts++;
    totals->near += near;
    totals->found += searched;
    totals->near_first += rmsd[0] <= NEAR_ANGSTROM;
    totals->missed_by_search += !near && !searched;
    totals->missed_by_score += !near && searched;
    qn_score_ligand_clear(&turned);
    qn_release(&poses);
}

static void redock(const char *name, const redock_case *c, qn_device *device, qn_screen_search_options options,
                   int starts, double half_side_angstrom, redock_totals *totals)
{
    qn_screen_search *search;
    for (int axis = 0; axis < 3; axis++) {
        options.box_centre_angstrom[axis] = c->ligand.centroid_angstrom[axis];
        options.box_side_angstrom[axis] = 2 * half_side_angstrom;
    }
    printf("%s: %zu and %d atoms, crystal pose %.2f, its minimum %.2f\n", name, c->receptor.atom_count,
           c->ligand.atom_count, c->crystal_energy, c->minimum);
    must(qn_screen_search_create(device, &c->receptor, &options, &search));
    for (int start = 0; start < starts; start++) redock_once(c, search, &options, start, totals);
    totals->scoring_s += qn_screen_search_scoring_seconds(search);
    totals->evolving_s += qn_screen_search_evolving_seconds(search);
    qn_screen_search_destroy(&search);
}

int main(int argc, char **argv)
{
    static const char *const files[][3] = {{"1stp", "1stp/1stp_protein.pdb", "1stp/1stp_ligand_crystal.sdf"},
                                           {"1iep", "1iep/1iep_receptorH.pdb", "1iep/1iep_ligand.sdf"},
                                           {"3ce3", "3ce3/3ce3_protein.pdbqt", "3ce3/3ce3_ligand.pdbqt"}};
    if (argc < 2) {
        fprintf(stderr, "usage: quern_bench_redock FOLDER [device] [bude|vina] [starts] [half side] [poses] "
                        "[generations]\n");
        return 2;
    }
    qn_context *context;
    qn_device *device;
    qn_ligand_score score = {QN_SCORE_BUDE, qn_bude_find("2016")};
    qn_screen_search_options options = qn_screen_search_default_options();
    redock_totals totals = {0};
    must(qn_context_create(NULL, &context));
    must(qn_device_open(context, argc > 2 ? argv[2] : "host", &device));
    if (argc > 3 && strcmp(argv[3], "vina") == 0) score.kind = QN_SCORE_VINA;
    options.cull = true;
    options.poses = argc > 6 ? atoi(argv[6]) : 0;
    if (argc > 7) options.generations = atoi(argv[7]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        redock_case c;
        read_case(argv[1], files[i][1], files[i][2], &score, &c);
        redock(files[i][0], &c, device, options, argc > 4 ? atoi(argv[4]) : 5, argc > 5 ? atof(argv[5]) : 6, &totals);
        clear_case(&c);
    }
    printf(
        "one of the best %d poses is within %.1f Å of the crystal's pose in %d of %d searches, the best pose in %d\n",
        BEST, NEAR_ANGSTROM, totals.near, totals.starts, totals.near_first);
    printf("in the other searches: the search missed the crystal's minimum in %d, the score prefers another place in "
           "%d\n",
           totals.missed_by_search, totals.missed_by_score);
    printf("%d searches found an energy at most 1 %% above the crystal's minimum; a search scores %.0f poses\n",
           totals.found, totals.poses / totals.starts);
    printf("%.3f s a search, %.1f %% of kernel time beside scoring, %.3g pairs/s\n", totals.seconds / totals.starts,
           100 * totals.evolving_s / (totals.scoring_s + totals.evolving_s), totals.interactions / totals.scoring_s);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return 0;
}
