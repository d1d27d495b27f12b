/* Headers of NetCDF classic files (CDF-1, CDF-2 with 64-bit offsets, CDF-5 with 64-bit data), read from a stream.
 *
 * The format is Unidata's "NetCDF classic format specification". It is read here rather than by libnetcdf, which gives
 * zeros for what a cut file lacks, reads from plain files only, and on one thread at a time.
 */
#ifndef QN_FORMAT_TRAJECTORY_NETCDF_HEADER_H
#define QN_FORMAT_TRAJECTORY_NETCDF_HEADER_H

#include "format/byte_source.h"

enum {
    QN_NETCDF_FLOAT = 5,
    QN_NETCDF_DOUBLE = 6,
    QN_NETCDF_MOST_DIMENSIONS = 64, /* of a file, and variables; Amber's files have less than 20 */
    QN_NETCDF_MOST_AXES = 4,
};

typedef struct qn_netcdf_variable {
    char name[64];
    int type; /* QN_NETCDF_… */
    bool per_record;
    int axis_count; /* without that of records */
    uint64_t axes[QN_NETCDF_MOST_AXES];
    uint64_t begin, bytes; /* in the file; of one record, without padding */
    char units[32];        /* "" when not said */
    double scale_factor;   /* 1 when not said */
} qn_netcdf_variable;

typedef struct qn_netcdf_header {
    uint64_t header_bytes;
    uint64_t record_count; /* UINT64_MAX: as many as there are */
    uint64_t record_begin, record_bytes;
    int variable_count;
    qn_netcdf_variable variables[QN_NETCDF_MOST_DIMENSIONS];
} qn_netcdf_header;

/* "CDF" and a version that is read. */
bool qn_netcdf_recognise(const char *head, size_t size);

/* From the beginning of `source` on. QN_BAD_FORMAT, naming `path` and byte; QN_UNSUPPORTED for more dimensions,
 * variables and axes than are read. */
QN_MUST_CHECK qn_status qn_netcdf_header_read(const char *path, qn_byte_source *source, qn_netcdf_header *header);

/* NULL when there is none. */
const qn_netcdf_variable *qn_netcdf_find(const qn_netcdf_header *header, const char *name);

/* Number `index` of big-endian ones of the variable's type, float or double. */
double qn_netcdf_number(const qn_netcdf_variable *variable, const char *data, size_t index);

#endif
