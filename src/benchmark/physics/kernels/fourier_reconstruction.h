/* Direct Fourier reconstruction of a volume from its projections, by gathering (Střelák et al. 2019,
 * doi 10.1016/j.jpdc.2019.08.003): every voxel k of the volume's transform collects from each projection the pixels of
 * its central slice within the radius of a Kaiser-Bessel blob.
 *
 * Half of each transform is stored, x = 0 … side / 2, with y and z = −side / 2 … side / 2 − 1 in that order. Voxels
 * further than side / 2 − 3 from the origin are 0. */
#ifndef QN_BENCHMARK_PHYSICS_FOURIER_RECONSTRUCTION_H
#define QN_BENCHMARK_PHYSICS_FOURIER_RECONSTRUCTION_H

#include <quern/family.h>

enum { QN_RECONSTRUCTION_BLOB_ENTRIES = 4098, QN_RECONSTRUCTION_SIDE_MAX = 1024 };

extern const qn_family qn_benchmark_fourier_reconstruction_family;

typedef struct qn_reconstruction_problem {
    int side; /* of volume and images: even, 8 … QN_RECONSTRUCTION_SIDE_MAX */
    int projections;
} qn_reconstruction_problem;

/* The blob as the kernels' tables have it: equidistant in the squared distance from 0 to that of the radius. */
void qn_reconstruction_blob(float table[QN_RECONSTRUCTION_BLOB_ENTRIES]);

/* images [projection][side][side / 2 + 1] complex, matrices [projection][3][4] (rows that take a voxel to image
 * coordinates, the fourth number unused), blob as above → sums [side][side][side / 2 + 1] complex, weights likewise.
 * configuration NULL: chosen as for any family. Errors: QN_INVALID_ARGUMENT for impossible sizes and buffers that are
 * too small. */
QN_MUST_CHECK qn_status qn_reconstruction(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_reconstruction_problem *problem, qn_buffer *images,
                                          qn_buffer *matrices, qn_buffer *blob, qn_buffer *sums, qn_buffer *weights,
                                          qn_event **event);

/* Component 0 (real) or 1 of a pixel of a projection; column 0 … side / 2, row 0 … side − 1 */
typedef float (*qn_reconstruction_pixel)(int projection, int row, int column, int component, const void *user);

/* Real part, imaginary part and weight of voxel x, y, z (centred) in double. */
void qn_reconstruction_reference(const qn_reconstruction_problem *problem, const float *matrices,
                                 qn_reconstruction_pixel pixel, const void *user, const int voxel[3], double sum[3]);

#endif
