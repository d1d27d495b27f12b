/* Cryo-EM movies into micrographs: gain and defects, alignment of frames with local motion, and exposure weights.
 *
 * Movies are MRC, TIFF or EER files, or the rows of a STAR file. For each movie, qn_movie_run writes the aligned sums
 * and a STAR file with the motion, as RELION reads them. A movie that cannot be used is left out, with the reason in
 * movies.csv.
 *
 *     qn_movie_run_options options = qn_movie_run_default_options();
 *     qn_movie_result *result;
 *     options.movies = (const char *const[]){"movie.tif"}, options.movie_count = 1;
 *     options.output = "aligned", options.pixel_angstrom = 1.5;
 *     if (qn_movie_run(context, &options, &result) != QN_OK) return 1;
 *     printf("%zu micrograph of %d frames\n", result->movie_count, result->movies[0].frame_count);
 *     qn_movie_result_destroy(&result);
 */
#ifndef QUERN_MOVIE_H
#define QUERN_MOVIE_H

#include <quern/device.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- options ---- */

typedef enum qn_movie_gain_mode {
    QN_MOVIE_GAIN_AUTO,     /* as the format of the gain says */
    QN_MOVIE_GAIN_MULTIPLY, /* frames are multiplied by the gain */
    QN_MOVIE_GAIN_DIVIDE    /* frames are divided by the gain */
} qn_movie_gain_mode;

typedef struct qn_movie_run_options {
    size_t size;               /* of this struct in bytes */
    qn_run_options run;        /* strict: fail at the end if movies were left out */
    const char *const *movies; /* one STAR file with a table of movies, or any number of MRC, TIFF and EER files */
    size_t movie_count;
    const char *output;    /* folder, see resume and overwrite */
    const char *watch;     /* folder whose movies are processed as they come, instead of `movies` */
    double idle_s;         /* with `watch`: end the run after this time without a new movie; 0: never (default) */
    double pixel_angstrom; /* of the frames as stored; 0: as the STAR file or the movie states (default) */
    double voltage_kv;     /* 0: as the STAR file states, else 300 (default) */
    double dose;           /* e/Å² in a frame; 0: not known (default) */
    double total_dose;     /* e/Å² in all frames of the file, instead of `dose` */
    double pre_dose;       /* e/Å² before the first frame of the file */
    uint64_t frames[2];    /* range of frames, from 1; default all */
    const char *fractions; /* file that groups frames: lines of a number of frames, of frames in a group, and the dose
                              of a frame in e/Å² */
    const char *gain;      /* MRC, TIFF, .gain, DM3 or DM4; NULL: none */
    int gain_rotate;       /* quarter turns of the gain, before it is flipped */
    int gain_flip;         /* 1: upside down; 2: left to right */
    qn_movie_gain_mode gain_mode;
    const char *dark;      /* image that is subtracted before the gain; NULL: none */
    const char *defects;   /* lines "x y width height", or a map that is not 0 at bad pixels; NULL: none */
    double hot_pixels;     /* pixels whose sum lies this many deviations above the mean are bad; 0: none; default 6 */
    int eer_group;         /* raw frames in a fraction; default 40 */
    double eer_dose;       /* e/Å² in a fraction, instead of `eer_group`; needs `dose` of a raw frame or total_dose */
    double eer_upsampling; /* 1, 2 or 4 pixels along a side of a sensor pixel; default 1 */
    const char *patches;   /* "auto" (default), "none", or numbers along x and y, such as "5x5" */
    double max_shift_angstrom; /* largest motion between two frames; default 50 */
    const char *filter;        /* "auto" (default), or B of exp(−2Bk²) in squared pixels, k in cycles a pixel */
    const char *smoothness;    /* "auto" (default), or weight of the local motion's roughness */
    int rounds;                /* of local alignment; default 3 */
    double bin;                /* pixels of the micrographs over those of the frames; default 1 */
    double taps;               /* samples along an axis in the interpolation, 4 (default) or 6 */
    bool dose_weight;          /* weigh frames by exposure where the dose is known; default true */
    bool even_odd;             /* also write sums of even and odd frames */
    bool float16;              /* write 2-byte floats, mode 12 */
    double spectrum_dose;      /* e/Å² in a group of the power spectrum; default 4 */
    int spectrum_size;         /* side of the power spectrum in pixels; 0: none; default 512 */
} qn_movie_run_options;

const qn_option_table *qn_movie_option_table(void); /* see <quern/option.h> */

static inline qn_movie_run_options qn_movie_run_default_options(void)
{
    qn_movie_run_options options;
    qn_option_defaults(qn_movie_option_table(), &options, sizeof options);
    return options;
}

/* ---- results ---- */

typedef struct qn_movie_result_movie {
    const char *path;       /* of the movie */
    const char *name;       /* of its files in the output, without ending: NAME.mrc, NAME.star */
    const char *reason;     /* why the movie was left out; NULL: it was processed */
    const char *remark;     /* warnings about it; NULL: none */
    int width, height;      /* of the micrograph */
    int frame_count;        /* used frames */
    double pixel_angstrom;  /* of the micrograph */
    double dose;            /* e/Å² in all used frames; 0: not known */
    double motion_total_px; /* length of the track of the global motion, in pixels of the frames */
    double motion_early_px; /* part of it up to 4 e/Å²; NaN: the dose is not known */
    double local_px;        /* root mean square of the local motion in the last frame; 0: none */
    double filter_px2;      /* B of the Gaussian filter that resembles the one in use most */
    double smoothness;      /* λ of the local motion; 0: none */
    double seconds;         /* from reading to writing; other movies were at work meanwhile */
} qn_movie_result_movie;

/* Results of a run. With MPI, ranks other than 0 have no movies. */
typedef struct qn_movie_result {
    const qn_movie_result_movie *movies; /* in the order of the input */
    size_t movie_count, failed_count, resumed_count;
    double seconds;
    char report[512]; /* path of report.html; "" on other ranks */
} qn_movie_result;

/* Process movies. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND, QN_BAD_FORMAT (the STAR file, gain, dark or defects; no movie could be used; with strict:
 * movies were left out), QN_INVALID_ARGUMENT (options), QN_ALREADY_EXISTS (the output, see resume and overwrite),
 * QN_UNSUPPORTED, QN_OUT_OF_MEMORY, QN_NO_DEVICE, QN_DEVICE_LOST, QN_CANCELLED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_movie_run(qn_context *context, const qn_movie_run_options *options,
                                     qn_movie_result **result);
void qn_movie_result_destroy(qn_movie_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
