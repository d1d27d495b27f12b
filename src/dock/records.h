/* The hits of every finished batch, as records of the run's journals: --resume goes on from them. */
#ifndef QN_DOCK_RECORDS_H
#define QN_DOCK_RECORDS_H

#include "dock/search/search.h"
#include "job/job.h"

/* Rotations that journals have, of a run of `rotation_count` × `per_rotation` hits: done[rotation] is set. */
typedef struct qn_dock_known {
    int rotation_count, per_rotation;
    unsigned char *done;
    qn_dock_hit *hits; /* [rotations][per_rotation]; NULL: not wanted */
} qn_dock_known;

/* Append the hits of rotations first … first + count − 1. */
QN_MUST_CHECK qn_status qn_dock_record(qn_job *job, int per_rotation, int first, int count, const qn_dock_hit *hits);

/* A record that is read (qn_journal_record); `user` is a qn_dock_known. QN_BAD_FORMAT when it is none of such a run. */
qn_status qn_dock_record_read(uint64_t first, const void *data, size_t size, void *user);

/* How many rotations are done. */
int qn_dock_known_count(const qn_dock_known *known);

#endif
