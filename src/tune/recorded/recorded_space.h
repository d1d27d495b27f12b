/* Recorded spaces: every configuration that was measured, with its result. Read from and written to T4 results, Kernel
 * Tuner caches and KTT's JSON, gzipped or not; the formats are described in docs/formats/tuning.md. */
#ifndef QN_TUNE_RECORDED_RECORDED_SPACE_H
#define QN_TUNE_RECORDED_RECORDED_SPACE_H

#include <quern/space.h>
#include <quern/tune.h>

typedef struct qn_recorded_space {
    char *name, *device;  /* from the file; "" if it names none */
    qn_space *space;      /* solved; its points are exactly the recorded configurations */
    qn_test *tests;       /* [qn_space_size]; objective in seconds; infinite for a failed test */
    char **counter_names; /* hardware counters, if the file has any */
    size_t counter_count;
    double *counters; /* [point][counter_count]; NaN if not recorded */
} qn_recorded_space;

typedef enum qn_recorded_space_format {
    QN_RECORDED_T4,
    QN_RECORDED_KERNEL_TUNER,
    QN_RECORDED_KTT
} qn_recorded_space_format;

/* The format is recognised by the content. Errors: QN_NOT_FOUND, QN_BAD_FORMAT with file, place, value, expected. */
QN_MUST_CHECK qn_status qn_recorded_space_read(const char *path, qn_recorded_space **record);
/* The same for a file's bytes, gzipped or not; `path` is for messages. */
QN_MUST_CHECK qn_status qn_recorded_space_read_memory(const char *path, const char *data, size_t size,
                                                      qn_recorded_space **record);
QN_MUST_CHECK qn_status qn_recorded_space_write(const qn_recorded_space *record, qn_recorded_space_format format,
                                                const char *path);
void qn_recorded_space_destroy(qn_recorded_space **record);

#endif
