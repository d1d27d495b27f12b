#include "cluster/method/plane_map.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

enum { SWEEPS_MAX = 50 };

/* Zero matrix[p][q] by a plane rotation; `vectors` has one eigenvector in each row. */
static void rotate(double *matrix, double *vectors, size_t size, size_t p, size_t q)
{
    const double theta = (matrix[q * size + q] - matrix[p * size + p]) / (2 * matrix[p * size + q]);
    const double tangent = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
    for (size_t k = 0; k < size; k++) {
        double *kp = &matrix[k * size + p], *kq = &matrix[k * size + q], old = *kp;
        *kp = cosine * old - sine * *kq;
        *kq = sine * old + cosine * *kq;
    }
    for (size_t k = 0; k < size; k++) {
        double *pk = &matrix[p * size + k], *qk = &matrix[q * size + k], old = *pk;
        *pk = cosine * old - sine * *qk;
        *qk = sine * old + cosine * *qk;
        double *vp = &vectors[p * size + k], *vq = &vectors[q * size + k];
        old = *vp;
        *vp = cosine * old - sine * *vq;
        *vq = sine * old + cosine * *vq;
    }
}

/* Cyclic Jacobi: the diagonal of the matrix becomes its eigenvalues. */
static void diagonalise(double *matrix, double *vectors, size_t size)
{
    double scale = 0;
    for (size_t k = 0; k < size * size; k++) scale = fmax(scale, fabs(matrix[k]));
    for (size_t k = 0; k < size; k++) vectors[k * size + k] = 1;
    bool changed = scale > 0;
    for (int sweep = 0; sweep < SWEEPS_MAX && changed; sweep++) {
        changed = false;
        for (size_t p = 0; p + 1 < size; p++)
            for (size_t q = p + 1; q < size; q++)
                if (fabs(matrix[p * size + q]) > 1e-14 * scale) {
                    rotate(matrix, vectors, size, p, q);
                    changed = true;
                }
    }
}

/* −½ of the doubly centred squares. */
static void centre(const double *distances, size_t count, double *matrix, double *mean_square)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++) {
        mean_square[i] = 0;
        for (size_t j = 0; j < count; j++) {
            const double distance = distances[i * count + j];
            mean_square[i] += distance * distance / (double)count;
        }
        mean += mean_square[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const double distance = distances[i * count + j];
            matrix[i * count + j] = -0.5 * (distance * distance - mean_square[i] - mean_square[j] + mean);
        }
}

static void take_axis(const double *matrix, const double *vectors, size_t eigenvector, int axis, qn_plane_map *map)
{
    const size_t count = map->landmark_count;
    const double *vector = vectors + eigenvector * count;
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(vector[i]) > fabs(largest) * (1 + 1e-9)) largest = vector[i];
    map->eigenvalue[axis] = matrix[eigenvector * count + eigenvector];
    for (size_t i = 0; i < count; i++) map->axes[(size_t)axis * count + i] = largest < 0 ? -vector[i] : vector[i];
}

/* The two largest eigenvalues that are more than rounding errors. */
static void choose_axes(const double *matrix, const double *vectors, qn_plane_map *map)
{
    const size_t count = map->landmark_count;
    double positive = 0, largest = 0;
    for (size_t k = 0; k < count; k++) {
        positive += fmax(0, matrix[k * count + k]);
        largest = fmax(largest, matrix[k * count + k]);
    }
    size_t taken = SIZE_MAX;
    for (int axis = 0; axis < 2; axis++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < count; k++)
            if (k != taken && matrix[k * count + k] > 1e-10 * largest &&
                (best == SIZE_MAX || matrix[k * count + k] > matrix[best * count + best]))
                best = k;
        if (best != SIZE_MAX) take_axis(matrix, vectors, best, axis, map);
        taken = best;
    }
    map->share = positive > 0 ? (map->eigenvalue[0] + map->eigenvalue[1]) / positive : 1;
}

static qn_status make(const double *distances, qn_plane_map *map)
{
    const size_t count = map->landmark_count;
    void *axes = NULL, *mean_square = NULL, *matrix = NULL, *vectors = NULL;
    qn_status status = qn_allocate(2 * count, sizeof(double), &axes);
    map->axes = axes;
    if (status == QN_OK) status = qn_allocate(count, sizeof(double), &mean_square);
    map->mean_square = mean_square;
    if (status == QN_OK) status = qn_allocate(count * count, sizeof(double), &matrix);
    if (status == QN_OK) status = qn_allocate(count * count, sizeof(double), &vectors);
    if (status == QN_OK) {
        centre(distances, count, matrix, map->mean_square);
        diagonalise(matrix, vectors, count);
        choose_axes(matrix, vectors, map);
    }
    qn_release(&matrix);
    qn_release(&vectors);
    return status;
}

qn_status qn_plane_map_make(const double *distances, size_t count, qn_plane_map *map)
{
    *map = (qn_plane_map){.landmark_count = count};
    if (count < 1 || count > QN_LANDMARKS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu landmarks of a map, expected 1 to %d", count, (int)QN_LANDMARKS_MAX);
    const qn_status status = make(distances, map);
    if (status != QN_OK) qn_plane_map_clear(map);
    return status;
}

void qn_plane_map_clear(qn_plane_map *map)
{
    qn_release(&map->axes);
    qn_release(&map->mean_square);
    *map = (qn_plane_map){0};
}

void qn_plane_map_place(const qn_plane_map *map, const float *to_landmarks, double point[2])
{
    for (int axis = 0; axis < 2; axis++) {
        const double *vector = map->axes + (size_t)axis * map->landmark_count;
        double sum = 0;
        for (size_t k = 0; k < map->landmark_count; k++) {
            const double distance = (double)to_landmarks[k];
            sum += vector[k] * (map->mean_square[k] - distance * distance);
        }
        point[axis] = map->eigenvalue[axis] > 0 ? 0.5 * sum / sqrt(map->eigenvalue[axis]) : 0;
    }
}
