#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/random.h"
#include "score/deck.h"

enum { RECEPTOR_STREAM, LIGAND_STREAM, TYPE_STREAM, POSE_STREAM };

static const double atoms_per_cubic_angstrom = 0.05; /* heavy atoms of proteins */
static const double pi = 3.14159265358979323846;

/* Heavy atoms of proteins by type, in percent. */
static const struct {
    const char *name;
    int percent;
} type_shares[] = {{"C.3", 39},  {"C.2", 16}, {"O.2", 15},  {"N.am", 13}, {"C.ar", 6},
                   {"O.co2", 4}, {"O.3", 3},  {"N.pl3", 2}, {"N.4", 1},   {"S.3", 1}};

static double ball_radius(int atoms)
{
    return cbrt(3 * atoms / (4 * pi * atoms_per_cubic_angstrom));
}

static void draw_place(uint64_t seed, uint64_t stream, int atom, double radius, double place[3])
{
    double along[3];
    for (uint64_t k = 0; k < 3; k++) along[k] = qn_random_uniform(seed, stream, 3 * (uint64_t)atom + k);
    const double distance = radius * cbrt(along[0]), z = 2 * along[1] - 1, turn = 2 * pi * along[2];
    place[0] = distance * sqrt(1 - z * z) * cos(turn);
    place[1] = distance * sqrt(1 - z * z) * sin(turn);
    place[2] = distance * z;
}

static int draw_type(const qn_bude_force_field *force_field, uint64_t seed, uint64_t index)
{
    int percent = (int)(100 * qn_random_uniform(seed, TYPE_STREAM, index));
    size_t row = 0;
    while (percent >= type_shares[row].percent) percent -= type_shares[row++].percent;
    return qn_bude_type_named(force_field, type_shares[row].name);
}

/* Compare by cells of 5 Å, so that neighbours in the list are neighbours in space, as in a chain. */
static int by_cell(const void *a, const void *b)
{
    const double *first = a, *second = b;
    for (int axis = 2; axis >= 0; axis--) {
        const double difference = floor(first[axis] / 5) - floor(second[axis] / 5);
        if (difference != 0) return difference < 0 ? -1 : 1;
    }
    return memcmp(a, b, 3 * sizeof(double)); /* any order that does not depend on qsort */
}

static void draw_atoms(const qn_bude_force_field *force_field, uint64_t seed, qn_deck *deck)
{
    const double receptor = ball_radius(deck->receptor_count), ligand = ball_radius(deck->ligand_count);
    for (int j = 0; j < deck->receptor_count; j++) {
        draw_place(seed, RECEPTOR_STREAM, j, receptor, deck->receptor_positions + 3 * (size_t)j);
        deck->receptor_types[j] = draw_type(force_field, seed, (uint64_t)j);
    }
    qsort(deck->receptor_positions, (size_t)deck->receptor_count, 3 * sizeof(double), by_cell);
    int filled = 0;
    for (int type = 0; type < deck->type_count; type++)
        for (int i = 0; i < deck->ligand_count; i++) {
            double place[3];
            if (draw_type(force_field, seed, (uint64_t)(deck->receptor_count + i)) != type) continue;
            draw_place(seed, LIGAND_STREAM, i, ligand, place);
            deck->ligand[filled++] = (qn_score_poses_atom){(float)place[0], (float)place[1], (float)place[2], type};
        }
}

/* Draw poses of any orientation, with centres 0.7 to 1 of the sum of the balls' radii apart. */
static void draw_poses(uint64_t seed, qn_deck *deck)
{
    const double touching = ball_radius(deck->receptor_count) + ball_radius(deck->ligand_count);
    const size_t count = (size_t)deck->pose_count;
    for (size_t i = 0; i < count; i++) {
        double draws[6];
        for (uint64_t k = 0; k < 6; k++) draws[k] = qn_random_uniform(seed, POSE_STREAM, 6 * (uint64_t)i + k);
        const double distance = touching * (0.7 + 0.3 * draws[3]), z = 2 * draws[4] - 1, turn = 2 * pi * draws[5];
        for (size_t k = 0; k < 3; k++) deck->poses[k * count + i] = (float)(2 * pi * draws[k]);
        deck->poses[3 * count + i] = (float)(distance * sqrt(1 - z * z) * cos(turn));
        deck->poses[4 * count + i] = (float)(distance * sqrt(1 - z * z) * sin(turn));
        deck->poses[5 * count + i] = (float)(distance * z);
    }
}

qn_status qn_deck_draw(int receptor_atoms, int ligand_atoms, int poses, uint64_t seed, qn_deck *deck)
{
    const qn_bude_force_field *force_field = qn_bude_find("2013");
    const size_t receptor = (size_t)receptor_atoms;
    *deck = (qn_deck){.type_count = force_field->type_count,
                      .ligand_count = ligand_atoms,
                      .receptor_count = receptor_atoms,
                      .pose_count = poses};
    qn_status status = qn_allocate((size_t)deck->type_count, sizeof *deck->types, (void **)&deck->types);
    if (status == QN_OK) status = qn_allocate((size_t)ligand_atoms, sizeof *deck->ligand, (void **)&deck->ligand);
    if (status == QN_OK)
        status = qn_allocate(3 * receptor, sizeof *deck->receptor_positions, (void **)&deck->receptor_positions);
    if (status == QN_OK) status = qn_allocate(receptor, sizeof *deck->receptor_types, (void **)&deck->receptor_types);
    if (status == QN_OK) status = qn_allocate(6 * (size_t)poses, sizeof *deck->poses, (void **)&deck->poses);
    if (status != QN_OK) {
        qn_deck_clear(deck);
        return status;
    }
    for (int type = 0; type < deck->type_count; type++) deck->types[type] = force_field->types[type];
    draw_atoms(force_field, seed, deck);
    draw_poses(seed, deck);
    return QN_OK;
}
