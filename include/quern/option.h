/* Options that every program's run has.
 *
 *     qn_dock_options options = qn_dock_default_options();
 *     options.run.device = "cuda:0";
 *     options.run.resume = true;
 */
#ifndef QUERN_OPTION_H
#define QUERN_OPTION_H

#include <quern/log.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each program says in its header which of these it reads, and what they mean there. */
typedef struct qn_run_options {
    const char *device;    /* see <quern/device.h>; several apart by commas; "all": every GPU; default "auto" */
    int threads;           /* of the context that a program makes for the run; 0: every processor allowed */
    uint64_t memory_bytes; /* at most about; 0: what there is */
    const char *tune; /* how kernels are tuned: "off", "known" (results of earlier runs), "online" (while it works),
                       * "offline" (before it works), "auto": QUERN_TUNE, else online where the run is estimated to
                       * take over a minute, else known; default "auto" */
    const char *tune_budget; /* share of the run that trying configurations may cost: "2%", "0.02" */
    bool explain;            /* log where kernel configurations and engines came from */
    bool resume;             /* go on with an unfinished run in the output folder */
    bool overwrite;          /* replace a finished run in the output folder */
    bool strict;             /* QN_BAD_FORMAT at the end when inputs were left out */
    bool quiet;              /* commands print warnings and errors only */
    uint64_t seed;           /* of random numbers */
    int batch;               /* pieces of work of a launch; 0: from the device */
    qn_progress_callback progress;
    void *progress_user;
} qn_run_options;

#ifdef __cplusplus
}
#endif
#endif
