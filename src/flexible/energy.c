#include "flexible/energy.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/receptor_sum.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "model/neighbour_grid.h"

struct qn_flexible_receptor {
    const qn_score_receptor *receptor;
    qn_neighbour_grid *grid;
    qn_receptor_cells cells;
};

qn_status qn_flexible_receptor_create(const qn_score_receptor *receptor, qn_flexible_receptor **sorted)
{
    *sorted = NULL;
    QN_TRY(qn_allocate(1, sizeof **sorted, (void **)sorted));
    (*sorted)->receptor = receptor;
    qn_status status = qn_neighbour_grid_create(receptor->positions_angstrom, receptor->atom_count,
                                                QN_VINA_CUTOFF_ANGSTROM, &(*sorted)->grid);
    if (status == QN_OK) status = qn_receptor_cells_create(receptor, &(*sorted)->cells);
    if (status != QN_OK) qn_flexible_receptor_destroy(sorted);
    return status;
}

void qn_flexible_receptor_destroy(qn_flexible_receptor **sorted)
{
    if (!*sorted) return;
    qn_neighbour_grid_destroy(&(*sorted)->grid);
    qn_receptor_cells_clear(&(*sorted)->cells);
    qn_release(sorted);
}

/* e bent above 0, and the factor of its derivative. */
static double bent(double energy, double bend, double *factor)
{
    *factor = 1;
    if (bend == QN_FLEXIBLE_STRAIGHT || energy <= 0) return energy;
    const double share = bend / (bend + energy);
    *factor = share * share;
    return energy * share;
}

/* Add the terms of an atom to those of all; returns their sum. */
static double add_terms(const qn_receptor_terms *sum, qn_vina_energy *terms)
{
    const double energy = sum->gauss1 + sum->gauss2 + sum->repulsion + sum->hydrophobic + sum->hydrogen_bond;
    terms->gauss1 += sum->gauss1;
    terms->gauss2 += sum->gauss2;
    terms->repulsion += sum->repulsion;
    terms->hydrophobic += sum->hydrophobic;
    terms->hydrogen_bond += sum->hydrogen_bond;
    terms->total += energy;
    return energy;
}

/* The part that the energy of an atom with the receptor belongs to. */
static double *part_of_atom(const qn_flexible_tree *tree, int atom, qn_flexible_parts *parts)
{
    return atom < tree->ligand_count ? &parts->ligand_receptor : &parts->sides_receptor;
}

/* The part that the energy of a pair belongs to; its first atom comes first in the tree. */
static double *part_of_pair(const qn_flexible_tree *tree, const qn_flexible_pair *pair, qn_flexible_parts *parts)
{
    if (pair->second < tree->ligand_count) return &parts->ligand;
    return pair->first < tree->ligand_count ? &parts->ligand_sides : &parts->sides;
}

/* Add the energies of atoms that move with the receptor. near: lists for sums in single precision; NULL: in double. */
static void add_atoms(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, const double *positions,
                      double bend, qn_receptor_near *near, qn_flexible_energy *energy, double *gradients)
{
    for (int i = 0; i < tree->moving_count; i++) {
        qn_vina_energy *terms = i < tree->ligand_count ? &energy->inter : &energy->intra;
        qn_receptor_terms sum;
        double factor;
        if (near)
            qn_receptor_sum_near(&receptor->cells, near, i, positions + 3 * i, tree->type[i], &sum);
        else
            qn_receptor_sum(&receptor->cells, positions + 3 * i, tree->type[i], QN_RECEPTOR_DOUBLE, &sum);
        *part_of_atom(tree, i, &energy->parts) += bent(add_terms(&sum, terms), bend, &factor);
        for (int d = 0; d < 3; d++) gradients[3 * i + d] += factor * sum.gradient[d];
    }
}

static void add_pairs(const qn_flexible_tree *tree, const double *positions, double bend, qn_flexible_energy *energy,
                      double *gradients)
{
    for (size_t p = 0; p < tree->pair_count; p++) {
        const int i = tree->pairs[p].first, j = tree->pairs[p].second;
        double *part = part_of_pair(tree, &tree->pairs[p], &energy->parts);
        qn_vina_energy *terms = part == &energy->parts.ligand_sides ? &energy->inter : &energy->intra;
        double away[3], square = 0, slope, factor;
        for (int d = 0; d < 3; d++) {
            away[d] = positions[3 * i + d] - positions[3 * j + d];
            square += away[d] * away[d];
        }
        if (square >= QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM) continue;
        const double r = sqrt(square);
        const double e = qn_vina_add_pair(tree->type[i], tree->type[j], r, terms, &slope);
        terms->total += e;
        *part += bent(e, bend, &factor);
        for (int d = 0; d < 3 && r > 0; d++) {
            const double g = factor * slope * away[d] / r;
            gradients[3 * i + d] += g;
            gradients[3 * j + d] -= g;
        }
    }
}

/* Turn gradients of atoms into the pose's. */
static void gather_gradient(const qn_flexible_tree *tree, const double *origins, const double *rotations,
                            const double *positions, const double *gradients, double *gradient)
{
    for (int k = 0; k < tree->piece_count; k++) {
        const qn_flexible_piece *piece = &tree->pieces[k];
        double force[3] = {0}, torque[3] = {0}, product[3], axis[3];
        for (int i = piece->first; i < piece->behind; i++) {
            qn_vector_cross(positions + 3 * i, gradients + 3 * i, product);
            for (int d = 0; d < 3; d++) {
                force[d] += gradients[3 * i + d];
                torque[d] += product[d];
            }
        }
        qn_vector_cross(origins + 3 * k, force, product);
        for (int d = 0; d < 3; d++) torque[d] -= product[d];
        if (k == 0) {
            memcpy(gradient, force, sizeof force);
            memcpy(gradient + 3, torque, sizeof torque);
            continue;
        }
        qn_rotation_apply(rotations + 9 * piece->parent, piece->axis, axis);
        gradient[5 + k] = axis[0] * torque[0] + axis[1] * torque[1] + axis[2] * torque[2];
    }
}

static void evaluate(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor, const qn_flexible_pose *pose,
                     double bend, qn_receptor_near *near, qn_flexible_energy *energy, double *gradient)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    double positions[3 * QN_FLEXIBLE_ATOMS_MAX], gradients[3 * QN_FLEXIBLE_ATOMS_MAX] = {0};
    *energy = (qn_flexible_energy){0};
    qn_flexible_frames(tree, pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->heavy_count, positions);
    add_atoms(tree, receptor, positions, bend, near, energy, gradients);
    add_pairs(tree, positions, bend, energy, gradients);
    const qn_flexible_parts *parts = &energy->parts;
    energy->inter_bent = parts->ligand_receptor + parts->ligand_sides;
    energy->bent = energy->inter_bent + parts->ligand + parts->sides_receptor + parts->sides;
    if (gradient) gather_gradient(tree, origins, rotations, positions, gradients, gradient);
}

void qn_flexible_evaluate(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                          const qn_flexible_pose *pose, double bend, qn_flexible_energy *energy, double *gradient)
{
    evaluate(tree, receptor, pose, bend, NULL, energy, gradient);
}

void qn_flexible_evaluate_roughly(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                                  qn_receptor_near *near, const qn_flexible_pose *pose, double bend,
                                  qn_flexible_energy *energy, double *gradient)
{
    evaluate(tree, receptor, pose, bend, near, energy, gradient);
}

/* ---- As Vina reports ---- */

static double binned(int a, int b, double square)
{
    const double bin = floor(32 * square), ends[2] = {sqrt(bin / 32), sqrt((bin + 1) / 32)};
    qn_vina_energy unused = {0};
    double sum = 0, slope;
    for (int i = 0; i < 2; i++)
        if (ends[i] < QN_VINA_CUTOFF_ANGSTROM) sum += qn_vina_add_pair(a, b, ends[i], &unused, &slope);
    return sum / 2;
}

/* An atom that moves among those of the receptor. */
typedef struct atom_sum {
    const qn_score_receptor *receptor;
    const double *at;
    int type;
    double energy;
} atom_sum;

static void add_binned_atom(size_t index, void *user)
{
    atom_sum *sum = user;
    const double square = qn_vector_square_between(sum->at, sum->receptor->positions_angstrom + 3 * index);
    if (square < QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM)
        sum->energy += binned(sum->type, sum->receptor->types[index], square);
}

void qn_flexible_vina_report(const qn_flexible_tree *tree, const qn_flexible_receptor *receptor,
                             const qn_flexible_pose *pose, qn_flexible_parts *parts)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    double positions[3 * QN_FLEXIBLE_ATOMS_MAX], factor;
    *parts = (qn_flexible_parts){0};
    qn_flexible_frames(tree, pose, origins, rotations);
    qn_flexible_positions(tree, origins, rotations, tree->heavy_count, positions);
    for (int i = 0; i < tree->moving_count; i++) {
        atom_sum sum = {.receptor = receptor->receptor, .at = positions + 3 * i, .type = tree->type[i]};
        qn_neighbour_grid_each(receptor->grid, sum.at, add_binned_atom, &sum);
        *part_of_atom(tree, i, parts) += bent(sum.energy, QN_FLEXIBLE_HARD, &factor);
    }
    for (size_t p = 0; p < tree->pair_count; p++) {
        const int i = tree->pairs[p].first, j = tree->pairs[p].second;
        const double square = qn_vector_square_between(positions + 3 * i, positions + 3 * j);
        const bool forgotten = i < tree->ligand_count && j >= tree->moving_count;
        if (square < QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM && !forgotten)
            *part_of_pair(tree, &tree->pairs[p], parts) +=
                bent(binned(tree->type[i], tree->type[j], square), QN_FLEXIBLE_HARD, &factor);
    }
}
