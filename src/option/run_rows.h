/* The rows of the options that every run has. */
#ifndef QN_OPTION_RUN_ROWS_H
#define QN_OPTION_RUN_ROWS_H

#include <quern/option.h>

/* The rows of qn_run_options: a program's table lists those that it reads, at the offset of its `run`. */
typedef enum qn_run_row {
    QN_RUN_DEVICES, /* several devices */
    QN_RUN_DEVICE,  /* one device */
    QN_RUN_THREADS,
    QN_RUN_MEMORY,
    QN_RUN_TUNE,
    QN_RUN_TUNE_BUDGET,
    QN_RUN_EXPLAIN,
    QN_RUN_RESUME,
    QN_RUN_OVERWRITE,
    QN_RUN_STRICT,
    QN_RUN_QUIET,
    QN_RUN_SEED,
    QN_RUN_BATCH,
    QN_RUN_ROWS
} qn_run_row;

extern const qn_option qn_run_rows[QN_RUN_ROWS];

#endif
