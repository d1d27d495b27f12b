/* The interface of a written trajectory format: it produces bytes, and trajectory_write.c writes them to the file. */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_FORMAT_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_FORMAT_H

#include "base/text.h"
#include "format/trajectory/trajectory_write.h"

typedef struct qn_trajectory_write_format {
    const char *ending; /* ".xtc" */
    qn_status (*create)(const char *path, size_t atom_count, const qn_trajectory_write_options *options, void **state);
    /* Append the frame's bytes, preceded by the file's head for the first frame. */
    qn_status (*append)(void *state, const qn_trajectory_frame *frame, qn_text *bytes);
    /* Append the bytes that replace the file's beginning; NULL: nothing is replaced. */
    qn_status (*finish)(void *state, qn_text *bytes);
    void (*destroy)(void *state);
} qn_trajectory_write_format;

extern const qn_trajectory_write_format qn_trajectory_write_xtc, qn_trajectory_write_dcd;

#endif
