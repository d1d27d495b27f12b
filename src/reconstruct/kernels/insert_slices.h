/* Insertion of slices into a Fourier volume, the main step of a reconstruction. Each image's central slice, once for
 * each symmetry operator, is spread over the voxels near it with a Kaiser-Bessel blob (cryoem/blob.h). Here each voxel
 * gathers the pixels near it; the baseline, in which each pixel is scattered to the voxels near it, is
 * reconstruct/scatter_slices.
 *
 * Shapes. Padded side P (even or odd), stored half-volume: x = 0 … P/2, y and z = −⌊P/2⌋ … ⌈P/2⌉ − 1 as [z][y][x] with
 * index + ⌊P/2⌋, X = P/2 + 1 columns: complex numerator [P][P][X][2] and weight [P][P][X] floats; a slab has only
 * some of the planes z. Images are transforms of images of side n with the centre at index 0 (phases shifted), the half
 * x ≥ 0: [images][n][n/2 + 1][2]. Weights are [images][n][n/2 + 1] (CTF² · w, or w). The order of y is as above. Their
 * pixels lie `spacing` voxels apart: 1 for images that were padded to P, P / n for images that were not, and another
 * number if an image's pixels differ in size from those of the map. A slice is in the plane z = 0 of its image;
 * operator o of image i has the matrix T = R_o · Aᵀ (3×3, row-major): voxel p = T q, q = Tᵀ p in voxels, pixel q /
 * spacing; its index is i · operators + o.
 *
 * A slice is the full plane: pixel (x, y) with x < 0 is the conjugate of (−x, −y). So voxels with x = 0, which are
 * stored with their mates (0, −y, −z), gather from both halves, and a voxel and its mate need not be added at the end:
 * numerator(0, −y, −z) is the conjugate of numerator(0, y, z) to rounding.
 *
 * The limit. Voxels up to `most` from the origin are computed, but at most up to the images' Nyquist frequency, n / 2
 * pixels; voxels beyond stay as they are. A voxel at the limit gathers the pixels on both sides of it, so images must
 * have pixels up to most + radius. The corners of an image, beyond its Nyquist frequency, are read too. If pixels ended
 * at the limit, only the ends of a few blobs would reach the voxels there, and their noise would be several times that
 * of others. Pixels with |x| or |y| above (n − 1) / 2 have no mate and are never read; all others must be finite.
 *
 * Precision. A sum in single precision is off by about 3e-8 √n after n additions, which is 1e-5 near the origin after
 * 1e5 insertions. Programs that insert more settle the sums after at most 2^13 insertions (qn_insert_settle): the sums
 * are added to totals of two floats each and start from 0 again. The error of total + low part is then no larger than
 * the errors of the sums when they settled. */
#ifndef QN_RECONSTRUCT_INSERT_SLICES_H
#define QN_RECONSTRUCT_INSERT_SLICES_H

#include <quern/family.h>
#include <stdbool.h>

enum { QN_INSERT_SIDE_MAX = 4096, QN_INSERT_BEFORE_SETTLING_MAX = 1 << 13 };

extern const qn_family qn_reconstruct_insert_slices_family;

typedef struct qn_insert_problem {
    int side;                /* P, side of the padded volume, 4 … QN_INSERT_SIDE_MAX */
    int image_side;          /* n, side of the images, 4 … QN_INSERT_SIDE_MAX; 0: P */
    float spacing;           /* distance between pixels in voxels, ½ … 4; 0: 1 */
    int first_plane, planes; /* first plane and number of planes (z) in the volume's buffers, a slab; planes 0: all P,
                                and first_plane 0 */
    int images;              /* number of images of this launch */
    int operators;           /* matrices: [images · operators][9] floats */
    float radius;            /* radius of the blob in voxels of the padded volume: 1.9; 0.5 … 1.99 */
    float most;              /* largest |f| of a voxel that is computed, in voxels */
    bool fast; /* every voxel within ½ voxel of a slice takes its nearest pixel, with weight 1, instead of the blob */
} qn_insert_problem;

/* Sizes that follow from a problem, with the values that zeros in it stand for. */
typedef struct qn_insert_shape {
    int image_side, first_plane, planes;
    double spacing;
    double most;      /* largest |f| of a voxel that is computed: the problem's, at most n / 2 pixels */
    int most_squared; /* largest x² + y² + z² of a voxel that is computed; the same on every device */
    int kept;         /* largest |x| and |y| of a pixel that is read: (n − 1) / 2 */
    int reach;        /* largest number of pixels within the radius along a line: 1 … 8 */
    size_t image_pixels, plane_voxels; /* n (n/2 + 1) and P (P/2 + 1) */
} qn_insert_shape;

qn_insert_shape qn_insert_shape_of(const qn_insert_problem *problem);

/* numerator += Σ b(|p − T q|²) F(q), weight += Σ b(|p − T q|²) W(q), over the pixels q of each slice within the radius.
 * blob_table: QN_BLOB_ENTRIES floats of qn_blob_table. configuration NULL: chosen as for any family. Launches
 * with many slices are faster per slice, since a device goes over the whole volume once per launch. On GPUs the order
 * of additions may change from run to run if the configuration's GRID_DIM_Z > 1 or BRICK = 0; otherwise, and on the
 * host, results have the same bits.
 * Errors: QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_insert_slices(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_insert_problem *problem, qn_buffer *images, qn_buffer *image_weights,
                                         qn_buffer *matrices, qn_buffer *blob_table, qn_buffer *numerator,
                                         qn_buffer *weight, qn_event **event);

/* total + low_part += partial with the rounding error of the sum in low_part, partial = 0; `count` floats each, so
 * 2 P P X for a numerator and P P X for a weight. Totals begin as 0. */
QN_MUST_CHECK qn_status qn_insert_settle(qn_queue *queue, size_t count, qn_buffer *partial, qn_buffer *total,
                                         qn_buffer *low_part, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_insert_problem_class(const qn_insert_problem *problem, char text[64]);

/* Check that a problem is possible and that its buffers are large enough: QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_insert_problem_check(const qn_insert_problem *problem, const char *family);
QN_MUST_CHECK qn_status qn_insert_check_buffers(const qn_insert_problem *problem, const qn_buffer *images,
                                                const qn_buffer *image_weights, const qn_buffer *matrices,
                                                const qn_buffer *blob_table, const qn_buffer *numerator,
                                                const qn_buffer *weight);

/* Reference of qn_insert_slices in double precision, from the definition (insert_slices_reference.c): every slice is
 * tested for every voxel. */
void qn_insert_slices_reference(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                const float *matrices, double *numerator, double *weight);

/* Reference for one voxel x, y, z: value += real part, imaginary part, weight. */
void qn_insert_slices_reference_voxel(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                      const float *matrices, const int voxel[3], double value[3]);

#endif
