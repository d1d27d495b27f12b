/* Small flexible molecules and receptors for tests, from a stream of random numbers. */
#ifndef QN_FLEXIBLE_TESTS_CHAINS_H
#define QN_FLEXIBLE_TESTS_CHAINS_H

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "flexible/energy.h"
#include "math/random.h"
#include "score/vina_rows.h"

static double chain_draw(uint64_t *drawn)
{
    return qn_random_uniform(11, 1, (*drawn)++);
}

/* A comb: a backbone of `torsions` + 1 pieces of two heavy atoms each, with a tooth of one atom on each; elements and
 * types go round C, N, O, S, Cl. Every second piece hangs on the one before its predecessor, so that the tree branches.
 */
__attribute__((unused)) static qn_compound *chain_make(int torsions, uint64_t *drawn)
{
    static const char *const elements[] = {"C", "C", "N", "O", "C", "S", "CL"};
    static const char *const types[] = {"C", "A", "NA", "OA", "C", "SA", "Cl"};
    const int pieces = torsions + 1;
    qn_compound *compound = NULL;
    if (qn_compound_create("chain", (size_t)(3 * pieces), 0, 1, &compound) != QN_OK) return NULL;
    qn_compound_tree *tree = &compound->tree;
    tree->piece_count = (size_t)pieces;
    if (qn_allocate((size_t)(3 * pieces), sizeof(int), (void **)&tree->piece) != QN_OK ||
        qn_allocate((size_t)pieces, sizeof *tree->branches, (void **)&tree->branches) != QN_OK)
        return NULL;
    for (int i = 0; i < 3 * pieces; i++) {
        const int piece = i / 3, parent = piece % 2 || piece < 2 ? piece - 1 : piece - 2;
        double *at = compound->positions_angstrom + 3 * i, length = 0, way[3];
        const double *from = compound->positions_angstrom + 3 * (i % 3 ? i - 1 : 3 * parent + 1);
        strcpy(compound->atoms[i].element, elements[i % 7]);
        strcpy(compound->atoms[i].type, types[i % 7]);
        tree->piece[i] = piece;
        if (i == 0) continue;
        if (i % 3 == 0) tree->branches[piece - 1] = (qn_compound_branch){3 * parent + 1, i};
        for (int d = 0; d < 3; d++) {
            way[d] = chain_draw(drawn) - 0.5 + (d == 0 && i % 3 == 0 ? 0.6 : 0);
            length += way[d] * way[d];
        }
        for (int d = 0; d < 3; d++) at[d] = from[d] + 1.5 * way[d] / sqrt(length);
    }
    return compound;
}

/* `count` atoms of all kinds, at random in a cube of `side` Å around the origin. */
__attribute__((unused)) static qn_status cloud_make(size_t count, double side, uint64_t *drawn,
                                                    qn_score_receptor *receptor)
{
    *receptor = (qn_score_receptor){.score = {.kind = QN_SCORE_VINA}, .atom_count = count};
    qn_status status = qn_allocate(3 * count, sizeof(double), (void **)&receptor->positions_angstrom);
    if (status == QN_OK) status = qn_allocate(count, sizeof(int), (void **)&receptor->types);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        receptor->types[i] = (int)(i % QN_VINA_ROWS);
        for (size_t d = 0; d < 3; d++) receptor->positions_angstrom[3 * i + d] = side * (chain_draw(drawn) - 0.5);
    }
    return status;
}

/* A pose far from the given one. */
__attribute__((unused)) static void pose_draw(const qn_flexible_tree *tree, uint64_t *drawn, qn_flexible_pose *pose)
{
    double step[6 + QN_FLEXIBLE_TORSIONS_MAX];
    for (int i = 0; i < qn_flexible_freedoms(tree); i++) step[i] = 4 * (chain_draw(drawn) - 0.5);
    qn_flexible_pose_given(tree, pose);
    qn_flexible_pose_step(tree, pose, step, 1, pose);
}

/* The derivative of the bent energy along one freedom, by differences of fourth order in the step. */
__attribute__((unused)) static double derivative(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                                                 const qn_flexible_pose *pose, double bend, int freedom)
{
    static const double places[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1}, width = 2e-6;
    double step[6 + QN_FLEXIBLE_TORSIONS_MAX] = {0}, sum = 0;
    step[freedom] = 1;
    for (int i = 0; i < 4; i++) {
        qn_flexible_pose moved;
        qn_flexible_energy energy;
        qn_flexible_pose_step(tree, pose, step, places[i] * width, &moved);
        qn_flexible_evaluate(tree, receptor, &moved, bend, &energy, NULL);
        sum += weights[i] * energy.bent;
    }
    return sum / (12 * width);
}

#endif
