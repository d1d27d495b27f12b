/* Resolution of two volumes, usually half maps: their Fourier shell correlation, and masks for it.
 *
 * Shell s holds the voxels of the transforms with rint(|k|) = s, 0 ≤ s ≤ N/2 (Harauz and van Heel 1986). A mask by
 * itself makes masked maps correlate. The masked curve is corrected for that by randomising phases beyond the shell
 * where the unmasked curve falls below 0.8 (Chen et al. 2013, doi 10.1016/j.ultramic.2013.06.004).
 *
 *     qn_fsc_options options = qn_fsc_default_options();
 *     qn_fsc *fsc;
 *     options.seed = 7;
 *     if (qn_fsc_compute(context, half_1, half_2, mask, &options, &fsc) != QN_OK) return 1;
 *     printf("%.2f Å\n", fsc->resolution_angstrom);
 *     qn_fsc_destroy(&fsc);
 */
#ifndef QUERN_RESOLUTION_H
#define QUERN_RESOLUTION_H

#include <math.h>
#include <quern/device.h>
#include <quern/volume.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* First crossing of a curve below a threshold, from shell 1 on. */
typedef struct qn_fsc_crossing {
    double threshold;         /* threshold: 0.5 or 0.143 */
    int shell;                /* first shell below the threshold; 0: none */
    double shell_angstrom;    /* resolution of that shell; 2 voxels if there is none */
    double crossing_angstrom; /* resolution of the crossing, interpolated in frequency between that shell and the one
                                 before; 2 voxels if there is none; for shell 1 that of the shell */
} qn_fsc_crossing;

typedef struct qn_fsc {
    int shells; /* number of shells from 0: N/2 + 1 */
    double *frequency_per_angstrom;
    double *unmasked, *masked, *randomised, *corrected; /* of each shell; NULL without a mask, but for `unmasked` */
    int randomised_from;              /* first shell with random phases; 0: none, and `randomised` equals `masked` */
    qn_fsc_crossing at_0_5, at_0_143; /* crossings of the corrected curve, or without a mask of the unmasked one */
    double resolution_angstrom;       /* at_0_143.crossing_angstrom */
    int side;                         /* side N of the volumes */
    double voxel_angstrom;
    double mask_share; /* mean of the mask; 1 without a mask */
} qn_fsc;

typedef struct qn_fsc_options {
    size_t size;            /* of this struct in bytes */
    uint64_t seed;          /* of the random phases; default 1 */
    double randomise_below; /* unmasked FSC below which phases are randomised; 0: 0.8 */
} qn_fsc_options;

static inline qn_fsc_options qn_fsc_default_options(void)
{
    qn_fsc_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.seed = 1;
    options.randomise_below = 0.8;
    return options;
}

/* Correlate two cubic volumes of one size (4 … 16384) and voxel size. `mask` (same size, 0 … 1) and `options` may be
 * NULL. The corrected curve is (masked − randomised) / (1 − randomised) from shell randomised_from + 2 on, and the
 * masked one before. The curves do not depend on the number of threads. Needs 12 bytes for each voxel besides the
 * volumes.
 *
 * QN_INVALID_ARGUMENT naming both volumes if they differ in size, or in voxel size by more than 0.1 %; QN_BAD_FORMAT
 * naming volume and voxel: values that are not finite, a constant volume, a mask that is 0 everywhere or has values
 * outside 0 … 1; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_fsc_compute(qn_context *context, const qn_volume *half_1, const qn_volume *half_2,
                                       const qn_volume *mask, const qn_fsc_options *options, qn_fsc **fsc);
void qn_fsc_destroy(qn_fsc **fsc);

/* Write the curves as comma-separated values, or as RELION does (blocks data_general and data_fsc). Files appear
 * complete or not at all. */
QN_MUST_CHECK qn_status qn_fsc_write_csv(const qn_fsc *fsc, const char *path);
QN_MUST_CHECK qn_status qn_fsc_write_star(const qn_fsc *fsc, const char *path);

typedef struct qn_mask_options {
    size_t size;              /* of this struct in bytes */
    double low_pass_angstrom; /* resolution of the low-pass filter before thresholding; 0: 15 Å or 4 voxels, whichever
                                 is coarser */
    double threshold;         /* threshold of the filtered map; NaN: chosen from its histogram (default) */
    double extend_voxels;     /* width of the region of 1 beyond the threshold's surface; default 3 */
    double soft_edge_voxels;  /* width of the cosine edge beyond that; default 6 */
} qn_mask_options;

static inline qn_mask_options qn_mask_default_options(void)
{
    qn_mask_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.threshold = (double)NAN;
    options.extend_voxels = 3;
    options.soft_edge_voxels = 6;
    return options;
}

/* Make a soft mask, 0 … 1, around the density of a map: the map is low-pass filtered (by a Gaussian that halves
 * amplitudes at low_pass_angstrom) and thresholded; its largest connected parts are extended by exact distances and get
 * a cosine edge.
 *
 * The chosen threshold is the background plus a quarter of the mean height of the values above the threshold, and at
 * least three deviations of the background. Kept parts have at least a tenth of the voxels of the largest part and
 * reach six deviations somewhere (with a given threshold: any height). `options` may be NULL; the map need not be a
 * cube. QN_BAD_FORMAT if the map has no such density, and for values that are not finite; QN_INVALID_ARGUMENT;
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_mask_create(qn_context *context, const qn_volume *map, const qn_mask_options *options,
                                       qn_volume **mask);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
