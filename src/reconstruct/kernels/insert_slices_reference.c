#include <math.h>
#include <stdlib.h>

#include "cryoem/blob.h"
#include "reconstruct/kernels/insert_slices.h"

typedef struct reference_slice {
    const float *image, *weight, *matrix;
    const qn_insert_shape *shape;
} reference_slice;

/* value += factor · (F, W) of pixel (x, y) of the full plane: for x < 0 the conjugate of (−x, −y). */
static void add_pixel(const reference_slice *slice, int x, int y, double factor, double value[3])
{
    const int kept = slice->shape->kept;
    if (abs(x) > kept || abs(y) > kept) return;
    const int sign = x < 0 ? -1 : 1, low = slice->shape->image_side / 2;
    const ptrdiff_t place = (ptrdiff_t)(sign * y + low) * (low + 1) + sign * x;
    value[0] += factor * slice->image[2 * place];
    value[1] += factor * sign * slice->image[2 * place + 1];
    value[2] += factor * slice->weight[place];
}

static void add_voxel(const qn_insert_problem *problem, const reference_slice *slice, const double p[3],
                      double value[3])
{
    double q[3], u[2]; /* the voxel's place in the image: q in voxels, u in pixels */
    const float *m = slice->matrix;
    for (int axis = 0; axis < 3; axis++)
        q[axis] = (double)m[axis] * p[0] + (double)m[3 + axis] * p[1] + (double)m[6 + axis] * p[2];
    const double radius = (double)problem->radius, spacing = slice->shape->spacing;
    for (int axis = 0; axis < 2; axis++) u[axis] = q[axis] / spacing;
    if (problem->fast) {
        if (fabs(q[2]) <= 0.5) add_pixel(slice, (int)nearbyint(u[0]), (int)nearbyint(u[1]), 1, value);
        return;
    }
    if (fabs(q[2]) > radius) return;
    const int around = (int)ceil(radius / spacing);
    for (int y = (int)floor(u[1]) - around; y <= (int)floor(u[1]) + around + 1; y++)
        for (int x = (int)floor(u[0]) - around; x <= (int)floor(u[0]) + around + 1; x++) {
            const double dx = spacing * x - q[0], dy = spacing * y - q[1];
            const double squared = dx * dx + dy * dy + q[2] * q[2];
            if (squared <= radius * radius) add_pixel(slice, x, y, qn_blob_at(radius, squared), value);
        }
}

void qn_insert_slices_reference_voxel(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                      const float *matrices, const int voxel[3], double value[3])
{
    const double p[3] = {voxel[0], voxel[1], voxel[2]};
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    if (voxel[0] * voxel[0] + voxel[1] * voxel[1] + voxel[2] * voxel[2] > shape.most_squared) return;
    for (int s = 0; s < problem->images * problem->operators; s++) {
        const size_t image = (size_t)(s / problem->operators);
        const reference_slice slice = {.image = images + 2 * shape.image_pixels * image,
                                       .weight = image_weights + shape.image_pixels * image,
                                       .matrix = matrices + 9 * (size_t)s,
                                       .shape = &shape};
        add_voxel(problem, &slice, p, value);
    }
}

void qn_insert_slices_reference(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                const float *matrices, double *numerator, double *weight)
{
    const qn_insert_shape shape = qn_insert_shape_of(problem);
    const int side = problem->side, low = side / 2, first = shape.first_plane - low;
    size_t place = 0;
    for (int z = first; z < first + shape.planes; z++)
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
