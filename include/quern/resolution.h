/* How fine the detail is in which two volumes, usually half maps, agree: Fourier shell correlation, and the masks that
 * it is computed within.
 *
 * Shell s holds the voxels of the transforms with rint(|k|) = s, 0 ≤ s ≤ N/2 (Harauz and van Heel 1986). The masked
 * curve is corrected for what the mask itself correlates by randomising phases beyond the shell where the unmasked
 * curve falls below 0.8 (Chen et al. 2013, doi 10.1016/j.ultramic.2013.06.004).
 *
 *     qn_fsc *fsc;
 *     if (qn_fsc_compute(context, half_1, half_2, mask, &(qn_fsc_options){.seed = 1}, &fsc) == QN_OK)
 *         printf("%.2f Å\n", fsc->resolution_angstrom);
 *     qn_fsc_destroy(&fsc);
 */
#ifndef QUERN_RESOLUTION_H
#define QUERN_RESOLUTION_H

#include <quern/device.h>
#include <quern/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a curve first falls below a threshold, from shell 1 on. */
typedef struct qn_fsc_crossing {
    double threshold;         /* 0.5, 0.143 */
    int shell;                /* the first below; 0: none is */
    double shell_angstrom;    /* its resolution; 2 voxels where none is */
    double crossing_angstrom; /* interpolated in frequency between the one before and it; likewise. That of shell 1: its
                                 own */
} qn_fsc_crossing;

typedef struct qn_fsc {
    int shells; /* N/2 + 1, from 0 */
    double *frequency_per_angstrom;
    double *unmasked, *masked, *randomised, *corrected; /* the last three NULL without a mask */
    int randomised_from;                                /* shell; 0: none, and `randomised` is `masked` */
    qn_fsc_crossing at_0_5, at_0_143;                   /* of the corrected curve, of the unmasked one without a mask */
    double resolution_angstrom;                         /* at_0_143.crossing_angstrom */
    int side;                                           /* N */
    double voxel_angstrom;
    double mask_share; /* mean of the mask; 1 without one */
} qn_fsc;

typedef struct qn_fsc_options {
    uint64_t seed;          /* of the random phases; commands take 1 */
    double randomise_below; /* the unmasked FSC below which phases are randomised; 0: 0.8 */
} qn_fsc_options;

/* Cubic volumes of one size (4 … 16384) and voxel. `mask` (same size, 0 … 1) and `options` may be NULL. Corrected is
 * (masked − randomised) / (1 − randomised) from shell randomised_from + 2 on, masked before. The curves are the same
 * for any number of threads. Takes 12 bytes a voxel besides the volumes.
 *
 * QN_INVALID_ARGUMENT naming both volumes where they differ in size, or in voxel size by more than 0.1 %; QN_BAD_FORMAT
 * naming volume and voxel: values that are not finite, a volume that is constant, a mask that is 0 everywhere or leaves
 * 0 … 1; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_fsc_compute(qn_context *context, const qn_volume *half_1, const qn_volume *half_2,
                                       const qn_volume *mask, const qn_fsc_options *options, qn_fsc **fsc);
void qn_fsc_destroy(qn_fsc **fsc);

/* Tables: comma-separated; RELION's (blocks data_general and data_fsc). Complete or not at all. */
QN_MUST_CHECK qn_status qn_fsc_write_csv(const qn_fsc *fsc, const char *path);
QN_MUST_CHECK qn_status qn_fsc_write_star(const qn_fsc *fsc, const char *path);

typedef struct qn_mask_options {
    double low_pass_angstrom; /* before thresholding; 0: 15 Å or 4 voxels, whichever is coarser */
    double threshold;         /* of the filtered map; NaN: chosen from its histogram (default) */
    double extend_voxels;     /* beyond the threshold's surface; default 3 */
    double soft_edge_voxels;  /* of the cosine edge behind that; default 6 */
} qn_mask_options;

qn_mask_options qn_mask_default_options(void);

/* A soft mask, 0 … 1, around what of a map stands out: low-pass filtered (a Gaussian that halves amplitudes at
 * low_pass_angstrom), thresholded, its largest connected parts extended by exact distances, with a cosine edge.
 *
 * The chosen threshold is the background plus a quarter of the mean height of what lies above the threshold, but at
 * least three deviations of the background. Parts are kept that have a tenth of the voxels of the largest or more, and
 * that reach six deviations (of a threshold that is given: any). `options` may be NULL; the map need not be a cube.
 * QN_BAD_FORMAT when nothing stands out, and for values that are not finite; QN_INVALID_ARGUMENT; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_mask_create(qn_context *context, const qn_volume *map, const qn_mask_options *options,
                                       qn_volume **mask);

#ifdef __cplusplus
}
#endif
#endif
