#include "transport/bounds/poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/vector.h"
#include "transport/bounds/hold.h"

enum { ROUNDS = 200 }; /* of BFGS on a disc, at most */
static const double worth_kcal_mol = 1e-3;
static const double distinct_angstrom = 0.3;

qn_status qn_bounds_lists_create(const qn_bounds_scene *scene, qn_receptor_near **lists)
{
    const int threads = qn_pool_threads(scene->pool);
    QN_TRY(qn_allocate((size_t)threads, sizeof **lists, (void **)lists));
    qn_status status = QN_OK;
    for (int i = 0; i < threads && status == QN_OK; i++)
        status = qn_receptor_near_create(scene->tree->moving_count, &(*lists)[i]);
    if (status != QN_OK) qn_bounds_lists_destroy(scene, lists);
    return status;
}

void qn_bounds_lists_destroy(const qn_bounds_scene *scene, qn_receptor_near **lists)
{
    for (int i = 0; *lists && i < qn_pool_threads(scene->pool); i++) qn_receptor_near_clear(&(*lists)[i]);
    qn_release(lists);
}

void qn_disc_pose_take(const qn_flexible_energy *energy, qn_disc_pose *pose)
{
    pose->inter = energy->inter_bent;
    pose->intra = energy->bent - energy->inter_bent;
}

void qn_disc_pose_evaluate(const qn_bounds_scene *scene, qn_disc_pose *pose)
{
    qn_flexible_energy energy;
    qn_flexible_evaluate(scene->tree, scene->receptor, &pose->pose, QN_FLEXIBLE_HARD, &energy, NULL);
    qn_disc_pose_take(&energy, pose);
}

/* Vina's ramps have kinks, along which steps become short: starting anew is then faster than going on. */
void qn_disc_pose_settle(const qn_bounds_scene *scene, qn_receptor_near *near, qn_disc_pose *pose)
{
    qn_flexible_energy energy;
    double before = INFINITY;
    for (bool falls = true; falls; before = energy.bent) {
        qn_disc_minimise(scene->tree, scene->receptor, near, &scene->discs->discs[pose->disc], QN_FLEXIBLE_HARD, ROUNDS,
                         &pose->pose, &energy);
        falls = energy.bent < before - worth_kcal_mol;
    }
    qn_disc_pose_take(&energy, pose);
}

void qn_disc_pose_positions(const qn_flexible_tree *tree, const qn_disc_pose *pose, int count, double *positions)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    qn_flexible_frames(tree, &pose->pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, count, positions);
}

double qn_disc_pose_distance(const qn_flexible_tree *tree, const qn_disc_pose *a, const qn_disc_pose *b)
{
    double from[3 * QN_FLEXIBLE_ATOMS_MAX], to[3 * QN_FLEXIBLE_ATOMS_MAX], sum = 0;
    qn_disc_pose_positions(tree, a, tree->heavy_count, from);
    qn_disc_pose_positions(tree, b, tree->heavy_count, to);
    for (int i = 0; i < tree->heavy_count; i++) sum += qn_vector_square_between(from + 3 * i, to + 3 * i);
    return sqrt(sum / tree->heavy_count);
}

/* Atom by atom, since hydrogens have no limit on their number. */
double qn_disc_pose_step(const qn_flexible_tree *tree, const qn_disc_pose *a, const qn_disc_pose *b)
{
    double origins[2][3 * QN_FLEXIBLE_PIECES_MAX], rotations[2][9 * QN_FLEXIBLE_PIECES_MAX], most = 0;
    qn_flexible_frames(tree, &a->pose, origins[0], rotations[0]);
    qn_flexible_frames(tree, &b->pose, origins[1], rotations[1]);
    for (int i = 0; i < tree->atom_count; i++) {
        const int piece = tree->piece[i];
        const double *local = tree->local + 3 * i;
        double square = 0;
        for (int d = 0; d < 3; d++) {
            double moved = origins[1][3 * piece + d] - origins[0][3 * piece + d];
            for (int k = 0; k < 3; k++)
                moved += (rotations[1][9 * piece + 3 * d + k] - rotations[0][9 * piece + 3 * d + k]) * local[k];
            square += moved * moved;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

static int compare(const void *first, const void *second)
{
    const qn_disc_pose *a = first, *b = second;
    const double difference = qn_disc_pose_energy(a) - qn_disc_pose_energy(b);
    if (difference != 0) return difference < 0 ? -1 : 1;
    return memcmp(&a->pose, &b->pose, sizeof a->pose);
}

int qn_disc_poses_choose(const qn_flexible_tree *tree, qn_disc_pose *poses, int count, int most)
{
    int kept = 0;
    qsort(poses, (size_t)count, sizeof *poses, compare);
    for (int i = 0; i < count && kept < most; i++) {
        bool distinct = true;
        for (int j = 0; j < kept && distinct; j++)
            distinct = qn_disc_pose_distance(tree, &poses[i], &poses[j]) > distinct_angstrom;
        if (distinct) poses[kept++] = poses[i];
    }
    return kept;
}
