/* The interface of a trajectory format. Each format is one file and one line in the table of trajectory_stream.c. */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_FORMAT_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_FORMAT_H

#include "format/byte_source.h"
#include "format/trajectory/trajectory_stream.h"

typedef struct qn_trajectory_format {
    const char *name; /* "XTC" */
    /* Recognise the format by the first bytes of the (unpacked) content, at least 4096 unless the file is shorter, or
     * by the path where the content is ambiguous. */
    bool (*recognise)(const char *path, const char *head, size_t size);
    bool by_path; /* a library opens the path (HDF5): `source` is NULL, and the file must be a plain one */

    /* Read the bytes before the first frame; set atom_count where they state it. May be NULL. */
    qn_status (*open)(qn_trajectory_stream *stream);
    /* The stream has set the number and first guesses of offset, step and time; the stream advances `next`, the format
     * advances `offset`. At an incomplete end call qn_trajectory_stream_cut and set *end. */
    qn_status (*read)(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end);
    /* The stream has set atom_count, and everything else except positions to "not known". */
    qn_status (*decode)(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame);
    /* Skip one frame without storing it; NULL: the frame is read instead. */
    qn_status (*skip)(qn_trajectory_stream *stream, bool *end);
    /* Skip up to `count` frames at once, by an index or fixed sizes; fewer or none where that is not possible. NULL:
     * frames are skipped one by one. */
    qn_status (*jump)(qn_trajectory_stream *stream, uint64_t count, uint64_t *jumped);
    /* As qn_trajectory_stream_progress; NULL: the progress of the source. */
    void (*progress)(const qn_trajectory_stream *stream, uint64_t *done_bytes, uint64_t *all_bytes);
    void (*close)(qn_trajectory_stream *stream); /* release `state`; may be NULL */
} qn_trajectory_format;

struct qn_trajectory_stream {
    const qn_trajectory_format *format;
    char *path;
    qn_byte_source *source;
    size_t atom_count; /* 0: not known yet */
    uint64_t next;     /* number of the frame that is read next */
    uint64_t offset;   /* bytes (lines in text formats) taken so far */
    uint64_t left_out; /* frames without positions that were skipped */
    bool ended;        /* no frame follows */
    char ending[512];  /* "" or the sentence about an incomplete end */
    char remark[512];  /* "" or a sentence about a contradiction in the file */
    void *state;       /* the format's own */
};

/* Note that the file ends inside the current frame, of which `present` bytes (from `offset`) or, in text formats, lines
 * exist. */
void qn_trajectory_stream_cut(qn_trajectory_stream *stream, uint64_t present, const char *unit);

/* Make room for `size` bytes and a few zero bytes after them; keeps the bytes already there. */
QN_MUST_CHECK qn_status qn_frame_bytes_room(qn_frame_bytes *bytes, size_t size);

/* Append the next `size` bytes of the source. Memory grows with the bytes that are read, so that a false size does not
 * allocate memory.
 * *complete is false when the file ends before. Advances `offset`. */
QN_MUST_CHECK qn_status qn_frame_bytes_fill(qn_trajectory_stream *stream, uint64_t size, qn_frame_bytes *bytes,
                                            bool *complete);

/* QN_BAD_FORMAT when a position of a frame that was just decoded from a binary format is not finite. Such a position,
 * from a simulation that blew up or from a damaged file, would silently spoil all results. */
QN_MUST_CHECK qn_status qn_trajectory_check_finite(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                                                   const qn_trajectory_frame *frame);

extern const qn_trajectory_format qn_trajectory_xtc, qn_trajectory_trr, qn_trajectory_dcd, qn_trajectory_gro,
    qn_trajectory_pdb, qn_trajectory_mmcif, qn_trajectory_xyz, qn_trajectory_lammps, qn_trajectory_netcdf,
    qn_trajectory_h5md, qn_trajectory_tng;

#endif
