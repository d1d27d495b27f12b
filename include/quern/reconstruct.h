/* Reconstruction of a volume from projection images whose orientations are known (single-particle cryo-EM).
 *
 * qn_reconstruct_run takes particles and images from files (RELION STAR, Xmipp .xmd, MRC stacks) or from memory,
 * inserts the central slice of every image into a Fourier volume and makes a map; on request also two half maps and
 * their Fourier shell correlation. Results are returned in memory, and written where an output is named.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_reconstruct_options options = qn_reconstruct_default_options();
 *     qn_reconstruct_result *result;
 *     options.particles = "particles.star", options.output = "reconstruction.mrc";
 *     if (qn_reconstruct_run(context, &options, &result) != QN_OK) return 1;
 *     printf("a map of %d voxels a side\n", result->map->counts[0]);
 *     qn_reconstruct_result_destroy(&result);
 */
#ifndef QUERN_RECONSTRUCT_H
#define QUERN_RECONSTRUCT_H

#include <quern/option.h>
#include <quern/particles.h>
#include <quern/resolution.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Division of the sums by their weights: plain, or with gridding weights, which are iterated to
 * compensate for uneven sampling; AUTO iterates if the distribution of views is uneven. */
typedef enum qn_reconstruct_weights {
    QN_RECONSTRUCT_WEIGHTS_AUTO,
    QN_RECONSTRUCT_WEIGHTS_PLAIN,
    QN_RECONSTRUCT_WEIGHTS_ITERATED
} qn_reconstruct_weights;

typedef struct qn_reconstruct_options {
    size_t size;           /* of this struct in bytes */
    qn_run_options run;    /* `seed`: of the split; `memory_bytes`: limit of this process; `batch`: images of a batch */
    const char *particles; /* .star or .xmd */
    const qn_particle_set *particle_set; /* instead of `particles`; read only */
    const qn_image_array *images;        /* instead of the stacks that the particles name; read only. Particle i is
                                          * shown by the image that it names (has_images), else by image i */
    const char *output;                  /* a map, "map.mrc", with its companions beside it; or a folder, "out/"; NULL:
                                          * nothing is written */
    const char *symmetry;                /* point group: "C1" (default), Cn, Dn, T, O, I1 … I4 */
    bool ctf;                            /* correct for the contrast transfer function */
    bool halves;      /* also make two half maps, by rlnRandomSubset or else split by the seed, and their correlation */
    int subset;       /* 1 or 2: only particles of this random subset; 0: all (default) */
    const char *mask; /* for the correlation: "auto": made of the map; a file; NULL: none */
    const qn_volume *mask_volume;   /* instead of `mask`; read only */
    double max_resolution_angstrom; /* finer detail is left out; 0: up to Nyquist (default) */
    double padding;                 /* side of the Fourier volume over the image's: 1, 1.5 or 2 (default) */
    qn_reconstruct_weights weights; /* division by weights; default AUTO */
    bool fast;                      /* nearest samples instead of the interpolating blob: faster, less exact */
    bool deterministic;             /* the same bits in every run on the same devices, whatever the threads */
    bool write_weights;             /* also return and write the sums of weights as a volume */
    uint64_t first, last;           /* range of particles, from 1, inclusive; default 1 and UINT64_MAX */
    double checkpoint_s;            /* seconds between savings of the sums; default 600; 0: never */
    double pixel_angstrom;          /* pixel size instead of that of the files; 0: as they state (default) */
    const char *classes;            /* only particles of these rlnClassNumber, "1,3"; NULL: all (default) */
    bool relion_names;              /* half maps are run_half1_class001_unfil.mrc …, as RELION's jobs have them */
} qn_reconstruct_options;

const qn_option_table *qn_reconstruct_option_table(void); /* see <quern/option.h> */

static inline qn_reconstruct_options qn_reconstruct_default_options(void)
{
    qn_reconstruct_options options;
    qn_option_defaults(qn_reconstruct_option_table(), &options, sizeof options);
    return options;
}

/* Results of a run. Volumes and curves are those of the files, to the digit; they are NULL on ranks other than 0. Where
 * a finished run is resumed, they are read from its files, and unevenness and untouched_share have the digits that
 * run.json keeps. */
typedef struct qn_reconstruct_result {
    uint64_t images;             /* images inserted, including those that an earlier run saved */
    uint64_t skipped;            /* particles left out for weights of 0 or less */
    uint64_t resumed;            /* images whose sums an earlier run saved */
    int image_side, padded_side; /* voxels along an edge of the map; of the padded Fourier volume */
    int operators;               /* number of symmetric copies of each image */
    double voxel_angstrom;
    double resolution_angstrom;   /* of the half maps at FSC 0.143, masked if there is a mask; 0: no halves */
    double seconds, images_per_s; /* time of the whole run; images inserted per second of the insertion */
    uint64_t memory_bytes;        /* estimate of host memory, made before the start */
    char *map_path, *report_path; /* files that this run wrote; NULL: none */
    qn_volume *map;               /* map of all images */
    qn_volume *half_1, *half_2;   /* NULL without halves */
    qn_volume *mask;              /* used for the correlation; NULL: none */
    qn_fsc *fsc;                  /* of the half maps; NULL without halves */
    qn_volume *weights;           /* sums of weights, as write_weights writes them; NULL unless asked for */
    double *view_counts; /* [view_rows][2 · view_rows] numbers of views, with their symmetric copies: rot along x
                          * from −180°, cos(tilt) along y from −1, so that bins cover equal areas */
    int view_rows;
    int weight_iterations;  /* iterations of the gridding weights; 0: plain division */
    double unevenness;      /* relative root-mean-square difference of weights from those around them */
    double untouched_share; /* share of the transform within the resolution limit that no slice came near */
    char **warnings;        /* sentences */
    size_t warning_count;
    char *page; /* of the report, HTML, of a run without an output; NULL: no, it is at `report_path` */
} qn_reconstruct_result;

/* `result` may be NULL; on failure *result is NULL. Release it with qn_reconstruct_result_destroy.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (naming the STAR row and the stack's slice, or the particle and its image),
 * QN_UNSUPPORTED (also several ranks without an output), QN_ALREADY_EXISTS (files of these names, a run without
 * resume or overwrite, sums of another run on resume), QN_INVALID_ARGUMENT (options; an input that is given neither or
 * both ways; images that do not fit the particles; resume without an output), QN_OUT_OF_MEMORY, QN_NO_DEVICE,
 * QN_DEVICE_LOST, QN_CANCELLED (resumable where there is an output), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_reconstruct_run(qn_context *context, const qn_reconstruct_options *options,
                                           qn_reconstruct_result **result);
void qn_reconstruct_result_destroy(qn_reconstruct_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
