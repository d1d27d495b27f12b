/* Projections of a volume: images as a microscope would see it from given directions, for tests, references and
 * templates.
 *
 *     qn_project_options options = qn_project_default_options();
 *     options.map = "map.mrc"; options.angles = "particles.star"; options.output = "stack.mrcs";
 *     if (qn_project_run(context, &options, NULL) != QN_OK) …
 */
#ifndef QUERN_PROJECT_H
#define QUERN_PROJECT_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_project_options {
    const char *map;
    const char *angles; /* .star or .xmd; NULL: `views` directions spread evenly over the sphere */
    uint64_t views;
    const char *output;   /* "stack.mrcs"; the particles' metadata is written beside it as "stack.star", and
                           * what went in as "stack_run.json" */
    bool ctf;             /* multiply with each particle's contrast transfer function */
    double snr;           /* variance of the signal over that of the Gaussian noise that is added; 0: none (default) */
    double padding;       /* of the volume: 1, 1.5 or 2 (default) */
    bool fast;            /* trilinear interpolation instead of a Kaiser-Bessel window */
    uint64_t first, last; /* particles, from 1, inclusive; default 1 and UINT64_MAX */
    qn_run_options run;   /* its device is one; its seed is of the noise */
} qn_project_options;

qn_project_options qn_project_default_options(void);
const qn_option_table *qn_project_option_table(void); /* see <quern/option.h> */

typedef struct qn_project_summary {
    uint64_t images;
    int image_side;
    double voxel_angstrom, seconds, images_per_s;
} qn_project_summary;

/* The stack and its metadata appear when they are complete. Errors: QN_NOT_FOUND, QN_BAD_FORMAT (map not cubic),
 * QN_INVALID_ARGUMENT, QN_ALREADY_EXISTS (files of these names, without overwrite), QN_UNSUPPORTED, QN_OUT_OF_MEMORY,
 * QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED, QN_IO_ERROR. `summary` may be NULL. */
QN_MUST_CHECK qn_status qn_project_run(qn_context *context, const qn_project_options *options,
                                       qn_project_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
