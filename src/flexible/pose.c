/* Poses of a tree: frames, positions, steps. */
#include <math.h>
#include <string.h>

#include "flexible/tree.h"
#include "math/rotation.h"

static const double pi = 3.14159265358979323846;

void qn_flexible_pose_given(const qn_flexible_tree *tree, qn_flexible_pose *pose)
{
    memset(pose, 0, sizeof *pose);
    memcpy(pose->place, tree->place, sizeof pose->place);
    pose->rotation[0] = 1;
}

/* Rotation by `angle` about a unit vector (Rodrigues). */
static void rotation_about(const double axis[3], double angle, double matrix[9])
{
    const double quaternion[4] = {cos(angle / 2), axis[0] * sin(angle / 2), axis[1] * sin(angle / 2),
                                  axis[2] * sin(angle / 2)};
    qn_rotation_from_quaternion(quaternion, matrix);
}

void qn_flexible_frames(const qn_flexible_tree *tree, const qn_flexible_pose *pose, double *origins, double *rotations)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(origins, pose->place, sizeof pose->place);
    qn_rotation_from_quaternion(pose->rotation, rotations);
    memset(origins + 3 * tree->piece_count, 0, 3 * sizeof *origins);
    memcpy(rotations + 9 * tree->piece_count, unit, sizeof unit);
    for (int k = 1; k < tree->piece_count; k++) {
        const qn_flexible_piece *piece = &tree->pieces[k];
        const double *parent = rotations + 9 * piece->parent;
        double turn[9], offset[3];
        qn_rotation_apply(parent, piece->offset, offset);
        for (int d = 0; d < 3; d++) origins[3 * k + d] = origins[3 * piece->parent + d] + offset[d];
        rotation_about(piece->axis, pose->torsions[k - 1], turn);
        qn_rotation_multiply(parent, turn, rotations + 9 * k);
    }
}

void qn_flexible_position(const qn_flexible_tree *tree, const double *origins, const double *rotations, int atom,
                          double position[3])
{
    const int piece = tree->piece[atom];
    qn_rotation_apply(rotations + 9 * piece, tree->local + 3 * atom, position);
    for (int d = 0; d < 3; d++) position[d] += origins[3 * piece + d];
}

void qn_flexible_positions(const qn_flexible_tree *tree, const double *origins, const double *rotations, int count,
                           double *positions)
{
    for (int i = 0; i < count; i++) qn_flexible_position(tree, origins, rotations, i, positions + 3 * i);
}

void qn_flexible_compound_positions(const qn_flexible_tree *tree, const qn_flexible_pose *pose, double *positions)
{
    double origins[3 * QN_FLEXIBLE_PIECES_MAX], rotations[9 * QN_FLEXIBLE_PIECES_MAX];
    qn_flexible_frames(tree, pose, origins, rotations);
    for (int i = 0; i < tree->atom_count; i++)
        if (tree->piece[i] < tree->ligand_pieces)
            qn_flexible_position(tree, origins, rotations, i, positions + 3 * (size_t)tree->atom[i]);
}

/* rotation ← exp(vector) · rotation, of unit length again */
static void turn_by_vector(const double vector[3], const double from[4], double to[4])
{
    const double angle = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    const double share = angle > 0 ? sin(angle / 2) / angle : 0.5, w = cos(angle / 2);
    const double x = vector[0] * share, y = vector[1] * share, z = vector[2] * share;
    const double product[4] = {
        w * from[0] - x * from[1] - y * from[2] - z * from[3], w * from[1] + x * from[0] + y * from[3] - z * from[2],
        w * from[2] - x * from[3] + y * from[0] + z * from[1], w * from[3] + x * from[2] - y * from[1] + z * from[0]};
    const double length =
        sqrt(product[0] * product[0] + product[1] * product[1] + product[2] * product[2] + product[3] * product[3]);
    for (int i = 0; i < 4; i++) to[i] = product[i] / length;
}

void qn_flexible_pose_step(const qn_flexible_tree *tree, const qn_flexible_pose *from, const double *step,
                           double length, qn_flexible_pose *to)
{
    const double turn[3] = {length * step[3], length * step[4], length * step[5]};
    for (int d = 0; d < 3; d++) to->place[d] = from->place[d] + length * step[d];
    turn_by_vector(turn, from->rotation, to->rotation);
    for (int k = 0; k + 1 < tree->piece_count; k++)
        to->torsions[k] = remainder(from->torsions[k] + length * step[6 + k], 2 * pi);
}
