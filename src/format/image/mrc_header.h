/* The first 1024 bytes of MRC2014 and CCP4 files, and the way their values are stored. */
#ifndef QN_FORMAT_IMAGE_MRC_HEADER_H
#define QN_FORMAT_IMAGE_MRC_HEADER_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QN_MRC_HEADER_BYTES = 1024 };

typedef struct qn_mrc_header {
    bool big_endian;
    int mode;                 /* 0, 1, 2, 6, 12 or 101 */
    bool unsigned_bytes;      /* of mode 0 */
    int counts[3];            /* columns, rows, sections: columns run fastest */
    int start[3];             /* of the grid along columns, rows, sections */
    int axes[3];              /* the axis, x (0), y or z, of columns, rows and sections */
    double voxel_angstrom[3]; /* along x, y, z; 0 where the file states none */
    double origin_angstrom[3];
    int volumes;          /* in a stack of volumes, else 1 */
    uint64_t data_offset; /* where the values begin */
    uint64_t row_bytes;   /* a row's values; sections · rows · this is less than 2^63 */
} qn_mrc_header;

/* The stamp gives the byte order, unless size and mode are plausible in the other order only. QN_BAD_FORMAT naming the
 * field, its byte, the value and what was expected; QN_UNSUPPORTED: complex values. `name` goes into messages. */
QN_MUST_CHECK qn_status qn_mrc_header_parse(const char *name, const void *bytes, qn_mrc_header *header);

/* Bytes of one section, and of all sections. */
uint64_t qn_mrc_section_bytes(const qn_mrc_header *header);
uint64_t qn_mrc_data_bytes(const qn_mrc_header *header);

/* QN_BAD_FORMAT when a file of `file_bytes` bytes cannot hold the values of the header. */
QN_MUST_CHECK qn_status qn_mrc_check_size(const char *name, const qn_mrc_header *header, uint64_t file_bytes);

/* Whether values are stored as this machine's floats, so that their bytes need no decoding. */
bool qn_mrc_stores_floats(const qn_mrc_header *header);

/* Decode `rows` rows into floats. */
void qn_mrc_decode(const qn_mrc_header *header, const void *bytes, size_t rows, float *values);

/* The header of a file that is written: mode 2 or 12, little endian, axes x, y, z. */
typedef struct qn_mrc_description {
    int counts[3], start[3];
    double voxel_angstrom[3]; /* 0: not known */
    double origin_angstrom[3];
    bool is_stack;     /* a stack of images, else one volume */
    bool is_half;      /* values of two bytes, mode 12, else floats, mode 2; set by the writer */
    const char *label; /* NULL: none */
    /* of the values; ignored where `has_statistics` is false */
    bool has_statistics;
    double least, largest, mean, deviation;
} qn_mrc_description;

void qn_mrc_header_format(const qn_mrc_description *description, unsigned char bytes[QN_MRC_HEADER_BYTES]);

#endif
