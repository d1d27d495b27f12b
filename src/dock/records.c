#include "dock/records.h"

#include <string.h>

#include "base/error.h"

qn_status qn_dock_record(qn_job *job, int per_rotation, int first, int count, const qn_dock_hit *hits)
{
    return qn_job_record(job, (uint64_t)first, hits, (size_t)count * (size_t)per_rotation * sizeof *hits);
}

qn_status qn_dock_record_read(uint64_t first, const void *data, size_t size, void *user)
{
    const qn_dock_known *known = user;
    const size_t each = (size_t)known->per_rotation * sizeof *known->hits, count = size / each;
    if (count == 0 || size % each != 0 || first >= (uint64_t)known->rotation_count ||
        count > (uint64_t)known->rotation_count - first)
        return QN_FAIL(QN_BAD_FORMAT,
                       "a record of %zu bytes for rotation %llu; expected one of %d rotations of %zu bytes", size,
                       (unsigned long long)first, known->rotation_count, each);
    if (known->hits) memcpy(known->hits + (size_t)first * (size_t)known->per_rotation, data, size);
    memset(known->done + first, 1, count);
    return QN_OK;
}

int qn_dock_known_count(const qn_dock_known *known)
{
    int count = 0;
    for (int i = 0; i < known->rotation_count; i++) count += known->done[i];
    return count;
}
