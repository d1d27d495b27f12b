/* Records of the run's journals. Each record holds the hits of a finished batch. --resume reads the records. */
#ifndef QN_DOCK_RECORDS_H
#define QN_DOCK_RECORDS_H

#include "dock/search/search.h"
#include "job/job.h"

/* Rotations whose hits are in journals: done[rotation] is 1 for them. */
typedef struct qn_dock_known {
    int rotation_count, per_rotation; /* per_rotation: hits of a rotation in all sets */
    unsigned char *done;
    qn_dock_hit *hits; /* [rotations][per_rotation]; NULL: hits are not copied */
} qn_dock_known;

/* Append the hits of rotations first … first + count − 1, `per_rotation` each, to the journal. */
QN_MUST_CHECK qn_status qn_dock_record(qn_job *job, int per_rotation, int first, int count, const qn_dock_hit *hits);

/* Read a record (a qn_journal_record); `user` is a qn_dock_known. QN_BAD_FORMAT if the rotation or the size does not
 * fit the run. */
qn_status qn_dock_record_read(uint64_t first, const void *data, size_t size, void *user);

/* Number of rotations that are done. */
int qn_dock_known_count(const qn_dock_known *known);

#endif
