/* What a trajectory format does. One file a format, one line in the table of trajectory_stream.c. */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_FORMAT_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_FORMAT_H

#include "format/byte_source.h"
#include "format/trajectory/trajectory_stream.h"

typedef struct qn_trajectory_format {
    const char *name; /* "XTC" */
    /* By the first bytes of the (unpacked) content, at least 4096 unless the file is shorter; by the path where the
     * content alone does not tell. */
    bool (*recognise)(const char *path, const char *head, size_t size);
    bool by_path; /* opened by a library of its own (NetCDF, HDF5): `source` is NULL, the file must be a plain one */

    /* Read what stands before the first frame; set atom_count where it is told there. May be NULL. */
    qn_status (*open)(qn_trajectory_stream *stream);
    /* The stream has set the number, and as first guesses offset, step and time; it counts `next` on, the format
     * counts `offset` on. At an incomplete end: qn_trajectory_stream_cut and *end. */
    qn_status (*read)(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end);
    /* The stream has set atom_count, and everything else but positions to "not known". */
    qn_status (*decode)(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame);
    /* Get past one frame without keeping it; NULL: it is read. */
    qn_status (*skip)(qn_trajectory_stream *stream, bool *end);
    /* Get past up to `count` frames at once, by an index or fixed sizes; fewer, or none, where that does not reach.
     * NULL: one by one. */
    qn_status (*jump)(qn_trajectory_stream *stream, uint64_t count, uint64_t *jumped);
    /* As qn_trajectory_stream_progress; NULL: what the source says. */
    void (*progress)(const qn_trajectory_stream *stream, uint64_t *done_bytes, uint64_t *all_bytes);
    void (*close)(qn_trajectory_stream *stream); /* of `state`; may be NULL */
} qn_trajectory_format;

struct qn_trajectory_stream {
    const qn_trajectory_format *format;
    char *path;
    qn_byte_source *source;
    size_t atom_count; /* 0: not known yet */
    uint64_t next;     /* number of the frame that is read next */
    uint64_t offset;   /* bytes (lines in text formats) taken so far */
    uint64_t left_out; /* frames without positions that were passed over */
    bool ended;        /* nothing comes any more */
    char ending[512];  /* "" or the sentence about an incomplete end */
    void *state;       /* the format's own */
};

/* Note that the file ends inside the frame that was to be read, of which `present` bytes (from `offset`) or, in text
 * formats, lines are there. */
void qn_trajectory_stream_cut(qn_trajectory_stream *stream, uint64_t present, const char *unit);

/* Room for `size` bytes and a few zero ones behind them; keeps what is there. */
QN_MUST_CHECK qn_status qn_frame_bytes_room(qn_frame_bytes *bytes, size_t size);

/* Copy the next `size` bytes of the source behind the bytes that are there (memory is taken as they come, so that a
 * size that is a lie costs none); *complete false when the file ends before. Counts `offset` on. */
QN_MUST_CHECK qn_status qn_frame_bytes_fill(qn_trajectory_stream *stream, uint64_t size, qn_frame_bytes *bytes,
                                            bool *complete);

/* Whether all positions of a frame of a binary format, just decoded, are numbers: one that is none, of a simulation
 * that blew up or a damaged file, would spoil all results in silence. QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_trajectory_check_finite(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                                                   const qn_trajectory_frame *frame);

extern const qn_trajectory_format qn_trajectory_xtc, qn_trajectory_trr, qn_trajectory_dcd, qn_trajectory_gro,
    qn_trajectory_pdb, qn_trajectory_mmcif, qn_trajectory_xyz, qn_trajectory_lammps, qn_trajectory_netcdf,
    qn_trajectory_h5md, qn_trajectory_tng;

#endif
