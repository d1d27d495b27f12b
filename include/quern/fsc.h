/* A run of `quern fsc`: two half maps in, their correlation, its tables and a report out.
 *
 *     qn_fsc_run_options options = qn_fsc_default_run_options();
 *     options.half_1 = "half1.mrc"; options.half_2 = "half2.mrc"; options.output = "fsc";
 *     qn_fsc *fsc;
 *     if (qn_fsc_run(context, &options, &fsc) == QN_OK) qn_fsc_destroy(&fsc);
 */
#ifndef QUERN_FSC_H
#define QUERN_FSC_H

#include <quern/option.h>
#include <quern/resolution.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `quern fsc`: compute and write fsc.csv, fsc.star, report.html and run.json, and mask.mrc where it was made, into a
 * folder. A mask that is "auto" is made of the mean of both maps. What is doubtful about the maps is logged as warnings
 * and stands in the report. */
typedef struct qn_fsc_run_options {
    const char *half_1, *half_2; /* maps */
    const char *mask;            /* "auto", a map, or NULL */
    const char *output;          /* folder, made when absent; NULL: nothing is written */
    double randomise_below;      /* as in qn_fsc_options, default 0.8 */
    qn_mask_options auto_mask;
    qn_run_options run; /* its seed is of the random phases */
} qn_fsc_run_options;

qn_fsc_run_options qn_fsc_default_run_options(void);
const qn_option_table *qn_fsc_option_table(void); /* see <quern/option.h> */

/* Errors: those of qn_volume_read, qn_fsc_compute and qn_mask_create; QN_ALREADY_EXISTS (an output folder of a finished
 * run without overwrite, or of other files), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_fsc_run(qn_context *context, const qn_fsc_run_options *options, qn_fsc **fsc);

#ifdef __cplusplus
}
#endif
#endif
