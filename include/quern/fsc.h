/* A run of `quern fsc`: the correlation of two half maps, with tables and a report if an output folder is named.
 *
 *     qn_fsc_run_options options = qn_fsc_default_run_options();
 *     qn_fsc *fsc;
 *     options.half_1 = "half1.mrc", options.half_2 = "half2.mrc", options.output = "fsc";
 *     if (qn_fsc_run(context, &options, &fsc) == QN_OK) printf("%.2f Å\n", fsc->resolution_angstrom);
 *     qn_fsc_destroy(&fsc);
 */
#ifndef QUERN_FSC_H
#define QUERN_FSC_H

#include <quern/option.h>
#include <quern/resolution.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Options of `quern fsc`, which writes fsc.csv, fsc.star, report.html and run.json into a folder, and mask.mrc if it
 * made a mask. Doubts about the maps are logged as warnings and listed in the report. */
typedef struct qn_fsc_run_options {
    size_t size;                 /* of this struct in bytes */
    qn_run_options run;          /* its seed is that of the random phases */
    const char *half_1, *half_2; /* half maps: MRC or CCP4, gzipped or not. half_2 NULL: half_1 is a folder that has
                                  * both, or a name from which that of the other follows */
    const qn_volume *half_1_volume, *half_2_volume;   /* instead of `half_1` and `half_2`; read only */
    const char *mask;                                 /* "auto": made of the mean of both maps; a file; NULL: none */
    const qn_volume *mask_volume;                     /* instead of `mask`; read only */
    const char *output;                               /* folder, made when absent; NULL: nothing is written */
    double randomise_below;                           /* as in qn_fsc_options; default 0.8 */
    double mask_low_pass_angstrom, mask_threshold;    /* of a mask that is made, as in qn_mask_options */
    double mask_extend_voxels, mask_soft_edge_voxels; /* likewise */
    double pixel_angstrom;                            /* voxel size of the half maps; 0: as they state (default) */
} qn_fsc_run_options;

const qn_option_table *qn_fsc_option_table(void); /* see <quern/option.h> */

static inline qn_fsc_run_options qn_fsc_default_run_options(void)
{
    qn_fsc_run_options options;
    qn_option_defaults(qn_fsc_option_table(), &options, sizeof options);
    return options;
}

/* Correlate two half maps and write the files if an output is named. `fsc` may be NULL; on failure *fsc is NULL.
 *
 * Errors: those of qn_volume_read, qn_fsc_compute and qn_mask_create; QN_INVALID_ARGUMENT (an input given both as a
 * file and in memory, or a half map given neither way), QN_ALREADY_EXISTS (an output folder of a finished run without
 * overwrite, or of other files), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_fsc_run(qn_context *context, const qn_fsc_run_options *options, qn_fsc **fsc);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
