/* What a trajectory format does. One file a format, one line in the table of trajectory_stream.c. */
#ifndef QN_FORMAT_TRAJECTORY_FORMAT_H
#define QN_FORMAT_TRAJECTORY_FORMAT_H

#include "format/byte_source.h"
#include "format/trajectory_stream.h"

typedef struct qn_trajectory_format {
    const char *name; /* "XTC" */
    /* By the first bytes of the (unpacked) content, at least 4096 unless the file is shorter; by the path where the
     * content alone does not tell. */
    bool (*recognise)(const char *path, const char *head, size_t size);
    bool by_path; /* opened by a library of its own (NetCDF, HDF5): `source` is NULL, the file must be a plain one */

    /* Read what stands before the first frame; set atom_count where it is told there. May be NULL. */
    qn_status (*open)(qn_trajectory_stream *stream);
    qn_status (*read)(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end);
    qn_status (*decode)(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame);
    /* Get past one frame without keeping it; NULL: it is read. */
    qn_status (*skip)(qn_trajectory_stream *stream, bool *end);
    void (*close)(qn_trajectory_stream *stream); /* of `state`; may be NULL */
} qn_trajectory_format;

struct qn_trajectory_stream {
    const qn_trajectory_format *format;
    char *path;
    qn_byte_source *source;
    size_t atom_count; /* 0: not known yet */
    uint64_t next;     /* number of the frame that is read next */
    uint64_t offset;   /* bytes (lines in text formats) taken so far */
    char ending[256];  /* "" or the sentence about an incomplete end */
    void *state;       /* the format's own */
};

extern const qn_trajectory_format qn_trajectory_xtc, qn_trajectory_trr, qn_trajectory_dcd, qn_trajectory_gro,
    qn_trajectory_pdb, qn_trajectory_mmcif, qn_trajectory_xyz, qn_trajectory_lammps, qn_trajectory_netcdf,
    qn_trajectory_h5md, qn_trajectory_tng;

#endif
