/* Models of the reference data and made ones, for tests of measures. */
#ifndef QN_CLUSTER_TESTS_MODELS_H
#define QN_CLUSTER_TESTS_MODELS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/measure/structures.h"
#include "math/random.h"
#include "math/rotation.h"

/* Read a PDB file of models with the same atoms. The caller frees the positions. */
__attribute__((unused)) static float *read_models(const char *path, size_t *count, size_t *atoms)
{
    enum { NUMBERS_MAX = 200 * 3 * 256 };
    float *positions = calloc(NUMBERS_MAX, sizeof(float));
    FILE *file = fopen(path, "r");
    char line[128];
    size_t places = 0, models = 0;
    while (file && positions && fgets(line, sizeof line, file)) {
        if (strncmp(line, "MODEL", 5) == 0) models++;
        if (strncmp(line, "ATOM", 4) != 0 || places + 3 > NUMBERS_MAX) continue;
        for (int axis = 0; axis < 3; axis++) {
            char number[9] = "";
            memcpy(number, line + 30 + 8 * axis, 8);
            positions[places++] = strtof(number, NULL);
        }
    }
    if (file) fclose(file);
    *count = models;
    *atoms = models ? places / (3 * models) : 0;
    float *rows = calloc(places + 1, sizeof(float));
    for (size_t i = 0; rows && positions && i < places; i++) {
        const size_t atom = i / 3, model = atom / *atoms;
        rows[model * 3 * *atoms + i % 3 * *atoms + atom % *atoms] = positions[i];
    }
    free(positions);
    return rows;
}

/* Make `count` compact chains of atoms 3.8 Å apart. They are bent copies of one chain, some slightly, some beyond
 * recognition, each turned and moved. */
__attribute__((unused)) static float *make_models(size_t count, size_t atoms, uint64_t seed)
{
    float *positions = calloc(count * 3 * atoms, sizeof(float));
    for (size_t model = 0; positions && model < count; model++) {
        double at[3] = {20.0 * (double)model, 0, 5}, turn[9], place[3];
        qn_rotation_from_seed(seed + 1 + model, turn);
        for (size_t atom = 0; atom < atoms; atom++) {
            double step[3], square = 0;
            for (size_t axis = 0; axis < 3; axis++) {
                const double common =
                    sin(1.7 * (double)atom + 2.1 * (double)axis) + 2 * qn_random_uniform(seed, 1, 3 * atom + axis) - 1;
                const double own = 2 * qn_random_uniform(seed, 2 + model, 3 * atom + axis) - 1;
                step[axis] = common + 0.15 * (double)(model % 6) * own;
                square += step[axis] * step[axis];
            }
            for (int axis = 0; axis < 3; axis++) at[axis] += 3.8 * step[axis] / sqrt(square);
            qn_rotation_apply(turn, at, place);
            for (size_t axis = 0; axis < 3; axis++)
                positions[model * 3 * atoms + axis * atoms + atom] = (float)place[axis];
        }
    }
    return positions;
}

#endif
