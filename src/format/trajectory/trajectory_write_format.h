/* What a written trajectory format does: bytes for trajectory_write.c, which puts them into the file. */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_FORMAT_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_FORMAT_H

#include "base/text.h"
#include "format/trajectory/trajectory_write.h"

typedef struct qn_trajectory_write_format {
    const char *ending; /* ".xtc" */
    qn_status (*create)(const char *path, size_t atom_count, const qn_trajectory_write_options *options, void **state);
    /* Append the frame's bytes, what stands before the first frame included. */
    qn_status (*append)(void *state, const qn_trajectory_frame *frame, qn_text *bytes);
    /* Append what the file's beginning is to be replaced with; NULL: nothing. */
    qn_status (*finish)(void *state, qn_text *bytes);
    void (*destroy)(void *state);
} qn_trajectory_write_format;

extern const qn_trajectory_write_format qn_trajectory_write_xtc, qn_trajectory_write_dcd;

#endif
