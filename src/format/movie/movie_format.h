/* The interface of a format of movies. Each format is one file and one line in the table of movie_file.c. */
#ifndef QN_FORMAT_MOVIE_MOVIE_FORMAT_H
#define QN_FORMAT_MOVIE_MOVIE_FORMAT_H

#include <stdint.h>

#include "format/movie/movie_file.h"

/* The state that one thread keeps between its reads. */
typedef struct qn_movie_reader {
    void *bytes; /* scratch memory, grown as needed */
    size_t capacity;
    void *decoder; /* the format's own */
} qn_movie_reader;

typedef struct qn_movie_format {
    bool (*recognise)(const unsigned char *head, size_t size);
    /* Set shape (kind, width, height, frames, raw_frames) and state. */
    qn_status (*open)(qn_movie_file *movie);
    qn_status (*read)(qn_movie_file *movie, int frame, qn_movie_reader *reader, void *samples);
    /* Offset of a frame that is stored as callers get it; false: it is stored otherwise. NULL: never. */
    bool (*find_stored)(const qn_movie_file *movie, int frame, uint64_t *offset);
    size_t (*scratch_bytes)(const qn_movie_file *movie); /* most bytes that a read needs besides the samples */
    int (*broken_frames)(const qn_movie_file *movie);    /* NULL: none */
    void (*close_decoder)(void **decoder);               /* NULL: readers have none */
    void (*close)(qn_movie_file *movie);                 /* release `state`; NULL: there is none */
} qn_movie_format;

extern const qn_movie_format qn_movie_mrc, qn_movie_tiff, qn_movie_eer;

struct qn_movie_file {
    const qn_movie_format *format;
    char *path;
    int descriptor;
    uint64_t file_bytes;
    qn_movie_options options;
    qn_movie_shape shape;
    void *state;                                /* the format's own */
    qn_movie_reader *readers[QN_MOVIE_THREADS]; /* made at a thread's first read */
};

/* Read `size` bytes from `offset` on. QN_IO_ERROR; QN_BAD_FORMAT: the file became shorter since it was opened. */
QN_MUST_CHECK qn_status qn_movie_read_bytes(const qn_movie_file *movie, uint64_t offset, void *bytes, size_t size);

/* Make room for `size` bytes of scratch memory. */
QN_MUST_CHECK qn_status qn_movie_room(qn_movie_reader *reader, size_t size);

/* QN_UNSUPPORTED when a frame of width · height pixels is larger than QN_MOVIE_SIDE_MAX each way. */
QN_MUST_CHECK qn_status qn_movie_check_sides(const char *path, uint64_t width, uint64_t height);

#endif
