#include <math.h>
#include <stdlib.h>

#include "cryoem/blob.h"
#include "reconstruct/kernels/insert_slices.h"

typedef struct reference_slice {
    const float *image, *weight, *matrix;
    double most;
} reference_slice;

/* value += factor · (F, W) of pixel (x, y) of the full plane: for x < 0 the conjugate of (−x, −y). */
static void add_pixel(const qn_insert_problem *problem, const reference_slice *slice, int x, int y, double factor,
                      double value[3])
{
    if ((double)x * x + (double)y * y > slice->most * slice->most) return;
    const int sign = x < 0 ? -1 : 1, columns = problem->side / 2 + 1;
    const ptrdiff_t place = (ptrdiff_t)(sign * y + problem->side / 2) * columns + sign * x;
    value[0] += factor * slice->image[2 * place];
    value[1] += factor * sign * slice->image[2 * place + 1];
    value[2] += factor * slice->weight[place];
}

static void add_voxel(const qn_insert_problem *problem, const reference_slice *slice, const double p[3],
                      double value[3])
{
    double q[3];
    const float *m = slice->matrix;
    for (int axis = 0; axis < 3; axis++)
        q[axis] = (double)m[axis] * p[0] + (double)m[3 + axis] * p[1] + (double)m[6 + axis] * p[2];
    if (problem->fast) {
        if (fabs(q[2]) <= 0.5) add_pixel(problem, slice, (int)nearbyint(q[0]), (int)nearbyint(q[1]), 1, value);
        return;
    }
    const double radius = (double)problem->radius;
    if (fabs(q[2]) > radius) return;
    for (int y = (int)floor(q[1]) - 2; y <= (int)floor(q[1]) + 3; y++)
        for (int x = (int)floor(q[0]) - 2; x <= (int)floor(q[0]) + 3; x++) {
            const double squared = (x - q[0]) * (x - q[0]) + (y - q[1]) * (y - q[1]) + q[2] * q[2];
            if (squared <= radius * radius) add_pixel(problem, slice, x, y, qn_blob_at(radius, squared), value);
        }
}

void qn_insert_slices_reference_voxel(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                      const float *matrices, const int voxel[3], double value[3])
{
    const double p[3] = {voxel[0], voxel[1], voxel[2]};
    const size_t pixels = (size_t)problem->side * (size_t)(problem->side / 2 + 1);
    for (int s = 0; s < problem->images * problem->operators; s++) {
        const size_t image = (size_t)(s / problem->operators);
        const reference_slice slice = {.image = images + 2 * pixels * image,
                                       .weight = image_weights + pixels * image,
                                       .matrix = matrices + 9 * (size_t)s,
                                       .most = fmin((double)problem->most, (problem->side - 1) / 2.0)};
        add_voxel(problem, &slice, p, value);
    }
}

void qn_insert_slices_reference(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                const float *matrices, double *numerator, double *weight)
{
    const int side = problem->side, low = side / 2;
    size_t place = 0;
    for (int z = -low; z < side - low; z++)
        for (int y = -low; y < side - low; y++)
            for (int x = 0; x <= side / 2; x++, place++) {
                double value[3] = {numerator[2 * place], numerator[2 * place + 1], weight[place]};
                qn_insert_slices_reference_voxel(problem, images, image_weights, matrices, (const int[]){x, y, z},
                                                 value);
                numerator[2 * place] = value[0];
                numerator[2 * place + 1] = value[1];
                weight[place] = value[2];
            }
}
