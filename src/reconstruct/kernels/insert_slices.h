/* Slices into a Fourier volume: the heart of reconstruction. Each image's central slice, once for each symmetry
 * operator, is spread over the voxels near it with a Kaiser-Bessel blob; voxels gather (default) or pixels scatter
 * (baseline).
 *
 * Shapes. Padded side P (even or odd), stored half-volume: x = 0 … P/2, y and z = −⌊P/2⌋ … ⌈P/2⌉ − 1 as [z][y][x] with
 * index + ⌊P/2⌋, X = P/2 + 1 columns: complex numerator [P][P][X][2] and weight [P][P][X] floats. Images are transforms
 * of padded images with the centre at index 0 (phases shifted), the half x ≥ 0: [images][P][X][2] and, beside, weights
 * [images][P][X] (CTF² · w, or w); y as above. A slice is in the plane z = 0 of its image; operator o of image i has
 * the matrix T = R_o · Aᵀ (3×3, row-major): voxel p = T q, q = Tᵀ p.
 */
#ifndef QN_RECONSTRUCT_INSERT_SLICES_H
#define QN_RECONSTRUCT_INSERT_SLICES_H

#include <quern/family.h>
#include <stdbool.h>

extern const qn_family qn_reconstruct_insert_slices_family;

typedef struct qn_insert_problem {
    int side;      /* P */
    int images;    /* of this launch */
    int operators; /* matrices: [images · operators][9] floats */
    float radius;  /* of the blob, in voxels of the padded volume: 1.9 */
    float most;    /* |f| in voxels up to which the images are kept */
    bool fast;     /* nearest voxel instead of the blob (--fast) */
} qn_insert_problem;

/* numerator += Σ b(|p − T q|²) F(q), weight += Σ b(|p − T q|²) W(q), over the pixels q of each slice within the radius.
 */
QN_MUST_CHECK qn_status qn_insert_slices(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_insert_problem *problem, qn_buffer *images, qn_buffer *image_weights,
                                         qn_buffer *matrices, qn_buffer *blob_table, qn_buffer *numerator,
                                         qn_buffer *weight, qn_event **event);

/* The same in double precision from the definition (insert_slices_reference.c). */
void qn_insert_slices_reference(const qn_insert_problem *problem, const float *images, const float *image_weights,
                                const float *matrices, double *numerator, double *weight);

#endif
