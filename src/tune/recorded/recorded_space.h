/* Recorded spaces: every configuration that was measured, with what came of it. Read from and written to T4 results,
 * Kernel Tuner caches and KTT's JSON, gzipped or not; the formats are described in docs/formats/tuning.md. */
#ifndef QN_TUNE_RECORDED_RECORDED_SPACE_H
#define QN_TUNE_RECORDED_RECORDED_SPACE_H

#include <quern/space.h>
#include <quern/tune.h>

typedef struct qn_recorded_space {
    char *name, *device;  /* of the file; "" when it does not say */
    qn_space *space;      /* solved; its points are exactly the recorded configurations */
    qn_test *tests;       /* [qn_space_size]; objective in seconds, infinite when it failed */
    char **counter_names; /* hardware counters, when there are */
    size_t counter_count;
    double *counters; /* [point][counter_count]; NaN where not recorded */
} qn_recorded_space;

typedef enum qn_recorded_space_format {
    QN_RECORDED_T4,
    QN_RECORDED_KERNEL_TUNER,
    QN_RECORDED_KTT
} qn_recorded_space_format;

/* The format is found out from the content. Errors: QN_NOT_FOUND, QN_BAD_FORMAT with file, place, value, expected. */
QN_MUST_CHECK qn_status qn_recorded_space_read(const char *path, qn_recorded_space **record);
/* The same of a file's bytes, which may be gzip's; `path` is for messages. */
QN_MUST_CHECK qn_status qn_recorded_space_read_memory(const char *path, const char *data, size_t size,
                                                      qn_recorded_space **record);
QN_MUST_CHECK qn_status qn_recorded_space_write(const qn_recorded_space *record, qn_recorded_space_format format,
                                                const char *path);
void qn_recorded_space_destroy(qn_recorded_space **record);

#endif
