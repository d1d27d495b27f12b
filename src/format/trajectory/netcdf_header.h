/* Headers of NetCDF classic files (CDF-1, CDF-2 with 64-bit offsets, CDF-5 with 64-bit data), read from a stream.
 *
 * The format is Unidata's "NetCDF classic format specification". It is read here instead of by libnetcdf, because
 * libnetcdf returns zeros for missing data of a cut file, reads plain files only, and allows one thread at a time.
 */
#ifndef QN_FORMAT_TRAJECTORY_NETCDF_HEADER_H
#define QN_FORMAT_TRAJECTORY_NETCDF_HEADER_H

#include "format/byte_source.h"

enum {
    QN_NETCDF_FLOAT = 5,
    QN_NETCDF_DOUBLE = 6,
    QN_NETCDF_DIMENSIONS_MAX = 64, /* of a file; the same for variables. Amber's files have fewer than 20 */
    QN_NETCDF_AXES_MAX = 4,
};

typedef struct qn_netcdf_variable {
    char name[64];
    int type; /* QN_NETCDF_… */
    bool per_record;
    int axis_count; /* without the record axis */
    uint64_t axes[QN_NETCDF_AXES_MAX];
    uint64_t begin, bytes; /* in the file; of one record, without padding */
    char units[32];        /* "" when not stated */
    double scale_factor;   /* 1 when not stated */
} qn_netcdf_variable;

typedef struct qn_netcdf_header {
    uint64_t header_bytes;
    uint64_t record_count; /* UINT64_MAX: until the end of the file */
    uint64_t record_begin, record_bytes;
    int variable_count;
    qn_netcdf_variable variables[QN_NETCDF_DIMENSIONS_MAX];
} qn_netcdf_header;

/* Whether the file begins with "CDF" and a version that is supported. */
bool qn_netcdf_recognise(const char *head, size_t size);

/* Read the header from the beginning of `source`. QN_BAD_FORMAT, naming `path` and byte; QN_UNSUPPORTED for more
 * dimensions, variables or axes than the limits above. */
QN_MUST_CHECK qn_status qn_netcdf_header_read(const char *path, qn_byte_source *source, qn_netcdf_header *header);

/* The variable of this name; NULL when there is none. */
const qn_netcdf_variable *qn_netcdf_find(const qn_netcdf_header *header, const char *name);

/* Number `index` of an array of big-endian numbers of the variable's type, float or double. */
double qn_netcdf_number(const qn_netcdf_variable *variable, const char *data, size_t index);

#endif
