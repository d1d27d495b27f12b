/* Slices into a Fourier volume: the heart of reconstruction. Each image's central slice, once for each symmetry
 * operator, is spread over the voxels near it with a Kaiser-Bessel blob (cryoem/blob.h). Here voxels gather; the
 * baseline, in which pixels scatter, is reconstruct/scatter_slices.
 *
 * Shapes. Padded side P (even or odd), stored half-volume: x = 0 … P/2, y and z = −⌊P/2⌋ … ⌈P/2⌉ − 1 as [z][y][x] with
 * index + ⌊P/2⌋, X = P/2 + 1 columns: complex numerator [P][P][X][2] and weight [P][P][X] floats; of a slab only its
 * planes z. Images are transforms of images of side n with the centre at index 0 (phases shifted), the half x ≥ 0:
 * [images][n][n/2 + 1][2] and, beside, weights [images][n][n/2 + 1] (CTF² · w, or w); y as above. Their pixels lie
 * `spacing` voxels apart: 1 for images that were padded to P, P / n for images that were not, and in between where an
 * image's pixels have another size than the volume's. A slice is in the plane z = 0 of its image; operator o of image i
 * has the matrix T = R_o · Aᵀ (3×3, row-major): voxel p = T q, q = Tᵀ p in voxels, pixel q / spacing; its index is
 * i · operators + o.
 *
 * A slice is the full plane: pixel (x, y) with x < 0 is the conjugate of (−x, −y). So voxels with x = 0, which are
 * stored with their mates (0, −y, −z), gather what belongs to them from both halves, and nothing is left to be folded
 * at the end: numerator(0, −y, −z) is the conjugate of numerator(0, y, z) to rounding. Pixels beyond `most` voxels and
 * beyond (n − 1) / 2 pixels are never read, whatever is in them; voxels beyond most + radius stay as they are.
 *
 * Precision. A sum in single precision is off by about 3e-8 √n after n additions, and 1e5 insertions make 1e-5 of that
 * near the origin. Programs that insert more let each 2^13 insertions or so settle (qn_insert_settle): the sums move
 * into totals of two floats each and start from 0 again. What is then in total + low part is off by no more than the
 * sums were when they settled. */
#ifndef QN_RECONSTRUCT_INSERT_SLICES_H
#define QN_RECONSTRUCT_INSERT_SLICES_H

#include <quern/family.h>
#include <stdbool.h>

enum { QN_INSERT_LARGEST_SIDE = 4096, QN_INSERT_MOST_BEFORE_SETTLING = 1 << 13 };

extern const qn_family qn_reconstruct_insert_slices_family;

typedef struct qn_insert_problem {
    int side;                /* P, 4 … QN_INSERT_LARGEST_SIDE */
    int image_side;          /* n, 4 … QN_INSERT_LARGEST_SIDE; 0: P */
    float spacing;           /* of pixels in voxels, ½ … 4; 0: 1 */
    int first_plane, planes; /* z indices that the volume's buffers hold, a slab; planes 0: all P, and first_plane 0 */
    int images;              /* of this launch */
    int operators;           /* matrices: [images · operators][9] floats */
    float radius;            /* of the blob, in voxels of the padded volume: 1.9; 0.5 … 1.99 */
    float most;              /* |f| in voxels up to which the images are kept */
    bool fast; /* every voxel within ½ voxel of a slice takes its nearest pixel, with weight 1, instead of the blob */
} qn_insert_problem;

/* What a problem comes to, with what its zeros stand for. */
typedef struct qn_insert_shape {
    int image_side, first_plane, planes;
    double spacing;
    double kept;                       /* pixels up to which images are read: `most`, but not beyond (n − 1) / 2 */
    int reach;                         /* pixels within the radius along a line, at most: 1 … 8 */
    size_t image_pixels, plane_voxels; /* n (n/2 + 1) and P (P/2 + 1) */
} qn_insert_shape;

qn_insert_shape qn_insert_shape_of(const qn_insert_problem *problem);

/* numerator += Σ b(|p − T q|²) F(q), weight += Σ b(|p − T q|²) W(q), over the pixels q of each slice within the radius.
 * blob_table: QN_BLOB_ENTRIES floats of qn_blob_table. configuration NULL: chosen as for any family. The more slices in
 * a launch the better: devices go over the whole volume once a launch. On GPUs sums may be added in another order each
 * time where the configuration's GRID_DIM_Z > 1 or BRICK = 0; otherwise, and on the host, results are the same bits.
 * Errors: QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_insert_slices(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_insert_problem *problem, qn_buffer *images, qn_buffer *image_weights,
                                         qn_buffer *matrices, qn_buffer *blob_table, qn_buffer *numerator,
                                         qn_buffer *weight, qn_event **event);

/* total + low_part += partial with the rounding error of the sum in low_part, partial = 0; `count` floats each, so
 * 2 P P X for a numerator and P P X for a weight. Totals begin as 0. */
QN_MUST_CHECK qn_status qn_insert_settle(qn_queue *queue, size_t count, qn_buffer *partial, qn_buffer *total,
                                         qn_buffer *low_part, qn_event **event);

/* Under which name tuning results for such a problem are kept. */
void qn_insert_problem_class(const qn_insert_problem *problem, char text[64]);

/* Whether the problem is one, and the buffers hold what they must: QN_INVALID_ARGUMENT if not. */
QN_MUST_CHECK qn_status qn_insert_problem_check(const qn_insert_problem *problem, const char *family);
QN_MUST_CHECK qn_status qn_insert_check_buffers(const qn_insert_problem *problem, const qn_buffer *images,
                                                const qn_buffer *image_weights, const qn_buffer *matrices,
                                                const qn_buffer *blob_table, const qn_buffer *numerator,
                                                const qn_buffer *weight);

/* numerator += and weight += the same in double precision from the definition (insert_slices_reference.c): every voxel
 * asks every slice. */
void qn_insert_slices_reference(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                const float *matrices, double *numerator, double *weight);

/* The same for the one voxel x, y, z: value += real part, imaginary part, weight. */
void qn_insert_slices_reference_voxel(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                      const float *matrices, const int voxel[3], double value[3]);

#endif
