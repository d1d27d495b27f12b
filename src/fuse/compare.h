/* A sequence beside its peers: a kernel for each call, and the BLAS of the device. All run in turns, on the same
 * values, and their results are compared. */
#ifndef QN_FUSE_COMPARE_H
#define QN_FUSE_COMPARE_H

#include <quern/fuse.h>

#include "fuse/program/inputs.h"
#include "fuse/sequence.h"

typedef struct qn_comparison {
    const qn_sequence *sequence;
    qn_device *device;
    const qn_inputs *inputs;
    qn_program *fused, *unfused;  /* unfused NULL: left out */
    const qn_fuse_result *result; /* kernels, bytes and rounds of both */
    bool with_blas;
    int repeat;
} qn_comparison;

enum { QN_COMPARE_PEERS_MAX = 8 };

/* The first peer is the fused sequence. Names and reasons lie in the arena. Errors: those of running the programs; a
 * BLAS that cannot be run is a peer with a reason. */
QN_MUST_CHECK qn_status qn_fuse_compare(const qn_comparison *what, qn_arena *arena, qn_fuse_peer *peers, size_t *count);

/* Read "unfused,blas", or a part of it, or "none". */
QN_MUST_CHECK qn_status qn_compare_read(const char *text, bool *unfused, bool *blas);

#endif
