/* The facts that are known about a movie after it was processed: a row of movies.csv, and the material of the report. A
 * journal has one record of these facts for each movie.
 *
 * Life cycle: zero-initialise → fill or read → clear. */
#ifndef QN_MOVIE_FACTS_H
#define QN_MOVIE_FACTS_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The files of a movie; a file that was not asked for has 0 bytes. */
typedef enum qn_movie_output {
    QN_MOVIE_WEIGHTED, /* NAME.mrc; without weights the plain sum */
    QN_MOVIE_PLAIN,    /* NAME_noDW.mrc */
    QN_MOVIE_EVEN,
    QN_MOVIE_ODD,
    QN_MOVIE_SPECTRUM,
    QN_MOVIE_METADATA, /* NAME.star */
    QN_MOVIE_OUTPUTS
} qn_movie_output;

typedef enum qn_movie_text {
    QN_MOVIE_PATH,
    QN_MOVIE_NAME,
    QN_MOVIE_REASON,
    QN_MOVIE_REMARK,
    QN_MOVIE_GAIN, /* file in the output that has the gain as applied; none: RELION can read the gain as it is */
    QN_MOVIE_TEXTS
} qn_movie_text;

typedef enum qn_movie_series {
    QN_MOVIE_TRACK,          /* [frame][2] global displacement in px */
    QN_MOVIE_DOSES,          /* [frame] e/Å² at the end of the frame */
    QN_MOVIE_CORNERS,        /* [frame][4][2] displacement at the four corners in px */
    QN_MOVIE_ARROWS,         /* [point][4] place, and local displacement in the last frame, px */
    QN_MOVIE_RINGS,          /* correlation of even and odd sums, by ring */
    QN_MOVIE_FILTER,         /* of the alignment, by ring */
    QN_MOVIE_POWER_ALIGNED,  /* power spectrum by its rings: mean logarithm above the background, aligned, */
    QN_MOVIE_POWER_RECORDED, /* and of the frames as recorded */
    QN_MOVIE_SERIES
} qn_movie_series;

typedef enum qn_movie_picture {
    QN_MOVIE_THUMBNAIL,
    QN_MOVIE_RINGS_ALIGNED, /* the middle three quarters of the power spectrum of the aligned frames, and */
    QN_MOVIE_RINGS_BEFORE,  /* of the frames as recorded, in the same scale of grey */
    QN_MOVIE_PICTURES
} qn_movie_picture;

/* The part of a record that has one size. */
typedef struct qn_movie_numbers {
    int64_t finished_us;  /* since 1970; of two records of a movie, the later one counts */
    uint64_t movie_bytes; /* size and time of the movie's file when it was read */
    int64_t movie_modified_s;
    uint64_t file_bytes[QN_MOVIE_OUTPUTS];
    int32_t failed;
    int32_t width, height;             /* of the micrograph */
    int32_t frame_width, frame_height; /* of the frames */
    int32_t frame_count, all_frames;   /* used, and in the file */
    int32_t hot_pixels, bad_pixels;    /* found by their sum; replaced in all */
    int32_t patches[2];
    int32_t converged, has_dose, has_local;
    int32_t optics;                    /* row of the optics */
    double frame_pixel_angstrom;       /* of the frames */
    double pixel_angstrom;             /* of the micrograph */
    double voltage_kv, dose, pre_dose; /* dose in all used frames */
    double motion_total_px, motion_early_px, local_px;
    double filter_px2, smoothness;
    double ring_width;        /* of the ring correlation, in cycles a pixel of the frames */
    double spectrum_angstrom; /* pixel of the power spectrum, which ends at 1 / (2 · pixel); 0: no spectrum */
    double counts;            /* mean of the raw frames */
    double read_s, align_s, sum_s, write_s, total_s;
} qn_movie_numbers;

typedef struct qn_movie_facts {
    qn_movie_numbers numbers;
    char *texts[QN_MOVIE_TEXTS]; /* NULL: none */
    float *series[QN_MOVIE_SERIES];
    uint32_t series_count[QN_MOVIE_SERIES];
    unsigned char *pictures[QN_MOVIE_PICTURES]; /* grey, the first row at the bottom */
    uint32_t picture_size[QN_MOVIE_PICTURES][2];
} qn_movie_facts;

void qn_movie_facts_clear(qn_movie_facts *facts);

QN_MUST_CHECK qn_status qn_movie_facts_set_text(qn_movie_facts *facts, qn_movie_text which, const char *text);

/* Append a sentence to the remarks, unless it is there: a movie may be worked on again. */
QN_MUST_CHECK qn_status qn_movie_facts_remark(qn_movie_facts *facts, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Make room for a series, which is 0. */
QN_MUST_CHECK qn_status qn_movie_facts_make_series(qn_movie_facts *facts, qn_movie_series which, size_t count);

/* Append the facts to `record`, and read them. With `brief`, series and pictures are left out when reading.
 * QN_BAD_FORMAT: not a record of this version. */
QN_MUST_CHECK qn_status qn_movie_facts_store(const qn_movie_facts *facts, qn_text *record);
QN_MUST_CHECK qn_status qn_movie_facts_load(const void *data, size_t size, bool brief, qn_movie_facts *facts);

#endif
