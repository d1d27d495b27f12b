/* Projections of a volume: images that a microscope would record of it from given directions, for tests, references
 * and templates.
 *
 * Map and particles come from files or from memory. Images are written as a stack where an output is named, and
 * otherwise returned in memory.
 *
 *     qn_project_options options = qn_project_default_options();
 *     qn_project_result *result;
 *     options.map = "map.mrc", options.views = 20;
 *     if (qn_project_run(context, &options, &result) != QN_OK) return 1;
 *     printf("%d images of side %d\n", (int)result->image_count, result->image_side);
 *     qn_project_result_destroy(&result);
 */
#ifndef QUERN_PROJECT_H
#define QUERN_PROJECT_H

#include <quern/device.h>
#include <quern/option.h>
#include <quern/particles.h>
#include <quern/volume.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_project_options {
    size_t size;        /* of this struct in bytes */
    qn_run_options run; /* `device` names one device; `seed`: of the noise */
    const char *map;
    const qn_volume *map_volume;         /* instead of `map`; read only */
    const char *angles;                  /* .star or .xmd; NULL: `views` directions spread evenly over the sphere */
    const qn_particle_set *particle_set; /* instead of `angles`; read only */
    uint64_t views;
    const char *output;    /* "stack.mrcs"; the particles' metadata is written beside it as "stack.star", and
                            * inputs and options as "stack_run.json"; NULL: nothing is written */
    bool keep_images;      /* return the images in memory although they are written */
    bool ctf;              /* multiply images with each particle's contrast transfer function */
    double snr;            /* variance of the signal over that of the Gaussian noise that is added; 0: none (default) */
    double padding;        /* side of the padded volume over the map's: 1, 1.5 or 2 (default) */
    bool fast;             /* trilinear interpolation instead of a Kaiser-Bessel window */
    uint64_t first, last;  /* range of particles, from 1, inclusive; default 1 and UINT64_MAX */
    double pixel_angstrom; /* voxel size of the map; 0: as they state (default) */
} qn_project_options;

const qn_option_table *qn_project_option_table(void); /* see <quern/option.h> */

static inline qn_project_options qn_project_default_options(void)
{
    qn_project_options options;
    qn_option_defaults(qn_project_option_table(), &options, sizeof options);
    return options;
}

/* Results of a run. On ranks other than 0 there are neither images nor particles. */
typedef struct qn_project_result {
    uint64_t image_count;
    int image_side;
    double voxel_angstrom, seconds, images_per_s;
    float *images; /* [image_count][image_side][image_side]; NULL where they were written, unless keep_images */
    qn_particle_set *particle_set; /* image i shows particle i; its stack is the output, if there is one */
} qn_project_result;

/* Stack and metadata appear when they are complete. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (map not cubic), QN_INVALID_ARGUMENT (options; an input that is given neither or
 * both ways), QN_ALREADY_EXISTS (files of these names, without overwrite), QN_UNSUPPORTED (also several ranks without
 * an output), QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_project_run(qn_context *context, const qn_project_options *options,
                                       qn_project_result **result);
void qn_project_result_destroy(qn_project_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
