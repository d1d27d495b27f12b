/* A handle of libtiff for one file: its directories in sequence, and the samples of any of them. No file makes it print
 * or allocate more than twice its size, and it never maps a file into memory, because a file that is cut while it is
 * read would then end the process.
 *
 * Life cycle: open → next or go → page_facts, check_page, read → close. Thread rule: one thread at a time;
 * several handles may share a descriptor.
 */
#ifndef QN_FORMAT_MOVIE_TIFF_FILE_H
#define QN_FORMAT_MOVIE_TIFF_FILE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_tiff qn_tiff;

typedef enum qn_tiff_samples { QN_TIFF_UINT = 1, QN_TIFF_INT = 2, QN_TIFF_FLOAT = 3, QN_TIFF_OTHER } qn_tiff_samples;

/* Facts of a directory, which describes one image. */
typedef struct qn_tiff_page {
    uint64_t place; /* of the directory, for qn_tiff_go */
    uint32_t width, height;
    int bits;                /* of a sample */
    int samples_per_pixel;   /* 1 for a grey image */
    qn_tiff_samples samples; /* how they are stored */
    int compression;         /* TIFF's number: 1 none, 5 LZW … */
    uint32_t pieces;         /* strips or tiles */
    uint64_t decoder_bytes;  /* of the largest piece, as stored and decoded */
    uint64_t data_end;       /* the byte after the last of all pieces */
    double pixel_angstrom;   /* by the tags of resolution; 0 if absent or not from 0.01 to 100 Å */
} qn_tiff_page;

/* Whether a file that begins so is TIFF or BigTIFF, of either byte order. */
bool qn_tiff_is(const unsigned char *head, size_t size);

/* `name` goes into messages; name and descriptor must live until the close. QN_BAD_FORMAT, QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_tiff_open(const char *name, int descriptor, uint64_t file_bytes, qn_tiff **tiff);
void qn_tiff_close(qn_tiff **tiff);

/* Facts of the current directory. */
QN_MUST_CHECK qn_status qn_tiff_page_facts(qn_tiff *tiff, qn_tiff_page *page);

/* Make the next directory current, at the first call the first one; *end is true if there is none. QN_BAD_FORMAT: there
 * is one, but it cannot be read.
 */
QN_MUST_CHECK qn_status qn_tiff_next(qn_tiff *tiff, bool *end);

/* Make a directory current whose place is known, if it is not. */
QN_MUST_CHECK qn_status qn_tiff_go(qn_tiff *tiff, uint64_t place);

/* Where piece `piece` of the current directory is stored. */
QN_MUST_CHECK qn_status qn_tiff_piece(qn_tiff *tiff, uint32_t piece, uint64_t *offset, uint64_t *bytes);

/* A whole number of the current directory, of any of TIFF's types of whole numbers; false if it has none. */
bool qn_tiff_whole(qn_tiff *tiff, uint32_t tag, uint32_t *value);
/* The bytes of a tag of the current directory, valid until it changes; false if it has none. */
bool qn_tiff_bytes(qn_tiff *tiff, uint32_t tag, const char **bytes, size_t *size);

/* QN_UNSUPPORTED when the samples of a page cannot be read: not grey, not of 8, 16, 32 or 64 bits, or of another
 * compression than none, LZW, deflate, Zstandard, LZMA and PackBits. `what` names the page in messages: "frame 3". */
QN_MUST_CHECK qn_status qn_tiff_check_page(qn_tiff *tiff, const char *what, const qn_tiff_page *page);

/* Read the samples of the current directory, a page that passed qn_tiff_check_page, in this machine's byte order. Rows
 * are stored downwards; `turn_over` puts the last one first. QN_BAD_FORMAT, QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_tiff_read(qn_tiff *tiff, const char *what, const qn_tiff_page *page, bool turn_over,
                                     void *samples);

#endif
