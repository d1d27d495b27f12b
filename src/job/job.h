/* A job: the common part of a run of a program, such as ranks, devices, output folder, journal and run.json. A program
 * calls these functions from a plain list of its stages:
 *
 *     qn_status status = qn_job_open(context, "dock", &options->run, &job);
 *     if (status == QN_OK) status = run_stages(&run);
 *     …release the program's own data…
 *     return qn_job_close(&job, status);
 *
 *     run_stages:
 *     QN_TRY(qn_job_agree(job, read_inputs(run)));  options, qn_job_devices, qn_job_input_add, qn_job_key
 *     QN_TRY(qn_job_output(job, &output, true));    the output is checked
 *     QN_TRY(qn_job_journal(job));                  folder and journal are made
 *     if (job->over) return QN_OK;
 *     …work: qn_job_scan, qn_job_each_device, qn_job_record…
 *     if (job->in_memory) return QN_OK;
 *     …write files: qn_job_path, at last qn_job_facts…
 *
 * A failed run keeps its journal if it has records, and removes everything else that it made. run.json is written last,
 * so a folder with a run.json holds all files of its run. A run without an output writes nothing: its records stay in
 * memory until the job is closed.
 *
 * Thread rule: one thread at a time; any thread may call qn_job_record, qn_job_record_parts, qn_job_path and
 * qn_job_warn.
 */
#ifndef QN_JOB_JOB_H
#define QN_JOB_JOB_H

#include <quern/option.h>
#include <stddef.h>

#include "base/log.h"
#include "base/thread_pool.h"
#include "job/agreement.h"
#include "job/devices.h"
#include "job/journal.h"
#include "job/output.h"
#include "job/pieces.h"
#include "job/tuning.h"
#include "report/html.h"

typedef struct qn_job_input {
    const char *role; /* "receptor" */
    char *path;       /* path of a file; name of an input in memory */
    bool in_memory;
    uint64_t bytes;
    char modified[24]; /* "2026-11-21T22:40:11Z"; "" when not known */
    char digest[65];   /* SHA-256 */
    bool ends_only;    /* the digest is of the 64 KiB at both ends, not of the whole file */
    bool all_at_last;  /* run.json gets the digest of the whole file */
} qn_job_input;

/* A record of a run without an output. Records are neither moved nor removed before the job is closed, so one thread
 * can read them while others append more. */
typedef struct qn_job_kept_record {
    struct qn_job_kept_record *next;
    uint64_t piece;
    size_t size;
    _Alignas(max_align_t) unsigned char data[];
} qn_job_kept_record;

/* Seconds of this rank in which work was shared, and in which it waited, for run.json. */
typedef struct qn_job_sharing {
    double shared_s;  /* in qn_job_each_device and qn_job_each_lane */
    double idle_s;    /* of it, the mean time in which a lane had no more work while others still worked */
    double journal_s; /* of all threads together: writing records, and waiting for other threads that write */
} qn_job_sharing;

/* Texts that a job collects, such as its warnings. */
typedef struct qn_job_texts {
    char **text;
    size_t count, capacity;
} qn_job_texts;

typedef struct qn_job {
    const char *program;
    qn_context *context;
    const qn_run_options *options;
    qn_pool *pool;   /* the context's */
    qn_ranks *ranks; /* NULL: qn_ranks_open failed */
    qn_agreement agreement;
    qn_device *devices[QN_DEVICES_MAX]; /* of this rank, opened by qn_job_devices */
    int device_count;
    qn_tuning tuning;
    double started_s;
    qn_text key;               /* lines "name=value" of everything that results depend on */
    const char *device_advice; /* appended to the error if devices of ranks differ; NULL: none */
    bool in_memory;            /* there is no output and nothing is written; set by qn_job_output */
    bool over;                 /* an earlier run finished the same work, so nothing is left to do */
    qn_piece_set done;         /* pieces that journals had when the run began; filled by the program */
    qn_job_texts warnings;
    qn_job_sharing sharing; /* the mutex guards journal_s */

    /* private to src/job */
    pthread_mutex_t mutex; /* of warnings, files, and records */
    qn_log_scope outer_log;
    bool outer_explain; /* of the context, before the run */
    int64_t started_at; /* seconds since 1970 */
    char *place;        /* folder or stem of `output` */
    char *title;        /* name of the output in messages: the folder, or the first of its files */
    qn_output output;
    bool judged, keeps_journal;
    qn_output_found found; /* files that the output had before the run; on rank 0 */
    char *absent;          /* topmost folder that the run makes; NULL: all folders exist */
    char *deepest;         /* path of a file in the deepest folder that the run writes to */
    char *journal_folder;
    qn_journal *journal;
    uint64_t recorded;                            /* number of records in the journal of this rank */
    qn_job_kept_record *first_kept, *latest_kept; /* list of the records of a run without an output; NULL: empty */
    qn_job_input *inputs;
    size_t input_count, input_capacity;
    qn_job_texts files; /* as run.json lists them */
    bool finished;      /* run.json was written */
} qn_job;

/* Open ranks, agreement and log, and note the start time. Logging is turned off on ranks other than 0. Errors: those of
 * qn_ranks_open; QN_INVALID_ARGUMENT (tuning). qn_job_close must be called after a failure too. */
QN_MUST_CHECK qn_status qn_job_open(qn_context *context, const char *program, const qn_run_options *options,
                                    qn_job *job);

/* End the job: after a failure, remove files and folders that the run made; then release everything. Returns `status`
 * with its error trail, marked as reported (qn_error_is_reported) if another rank prints the error. Every rank must
 * call, either all with QN_OK or all with a failure. */
qn_status qn_job_close(qn_job *job, qn_status status);

/* qn_agree: every rank must call, each with its own status. */
QN_MUST_CHECK qn_status qn_job_agree(qn_job *job, qn_status status);

/* Whether this is the rank that writes results. */
bool qn_job_is_first(const qn_job *job);

/* Open the devices that the options name. */
QN_MUST_CHECK qn_status qn_job_devices(qn_job *job);

/* Digests of an input file in the key of journals and in run.json. A digest is the SHA-256 either of the whole file or
 * of the 64 KiB at both ends of it. The latter is used for every file above 256 MiB. */
typedef enum qn_job_reading {
    QN_JOB_READ_ALL,  /* key and run.json: whole file */
    QN_JOB_KEY_ENDS,  /* key: both ends; run.json: whole file. For files with unreadable parts that may recover */
    QN_JOB_READ_ENDS, /* key and run.json: both ends. For files that may be as large as a disk */
    QN_JOB_LIST_ONLY, /* run.json: whole file; not in the key. For files that records do not depend on */
    QN_JOB_LIST_SIZE  /* run.json: size and time without a digest; not in the key. For one of very many files */
} qn_job_reading;

/* Add an input file: it is listed in run.json, and the key gets a line "role=name, bytes, digest". `path` may end in
 * ":chains". QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_job_input_add(qn_job *job, const char *role, const char *path, qn_job_reading reading);

/* Add an input that the caller holds in memory: it is listed in run.json and in the key like a file. `bytes` is the
 * size of its content, `digest` the SHA-256 of the content. */
QN_MUST_CHECK qn_status qn_job_input_add_memory(qn_job *job, const char *role, const char *name, uint64_t bytes,
                                                const char digest[65]);

/* Attach the tuner by the options' mode and budget and the expected length of the run. It is detached by qn_job_close,
 * or earlier by qn_tuning_finish(&job->tuning). */
QN_MUST_CHECK qn_status qn_job_tune(qn_job *job, double expected_seconds);

/* Append lines "name=value\n" to the key. */
QN_MUST_CHECK qn_status qn_job_key(qn_job *job, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Append a line "device=…" for each model among the run's devices, because results depend on the models. */
QN_MUST_CHECK qn_status qn_job_key_devices(qn_job *job);

/* Check the place of the results before the run begins. Without a journal (`with_journal` is false) the run begins at
 * once: the folder is made and old files are removed, as by qn_job_journal. If `output` has neither folder nor stem,
 * job->in_memory is set and the run writes nothing. The texts of `output` must live as long as the job. Every rank must
 * call. The key must hold inputs and options by then, because it is compared between ranks.
 *
 * Errors: QN_ALREADY_EXISTS (files that no run of the program wrote; a finished or unfinished run, and neither resume
 * nor overwrite is set; another run is writing there; resume of a run with another key), QN_INVALID_ARGUMENT (keys of
 * ranks differ; resume or overwrite without an output), QN_UNSUPPORTED (several ranks without an output), QN_IO_ERROR.
 */
QN_MUST_CHECK qn_status qn_job_output(qn_job *job, const qn_output *output, bool with_journal);

/* Begin the run: make the folder, remove the files of a run that is overwritten, open the journal of this rank. The key
 * must be complete. job->over is set if a finished run is resumed and its journals were deleted. Every rank must call.
 * Errors as above. */
QN_MUST_CHECK qn_status qn_job_journal(qn_job *job);

/* Call `record` for each record of the journals of all ranks, rank by rank, or of one rank. A run without an output has
 * the records in memory, those of rank 0. Other threads may append records meanwhile. */
QN_MUST_CHECK qn_status qn_job_scan(qn_job *job, qn_journal_record record, void *user);
QN_MUST_CHECK qn_status qn_job_scan_rank(qn_job *job, int rank, qn_journal_record record, void *user);

/* Append a record to this rank's journal; without an output, keep it in memory. */
QN_MUST_CHECK qn_status qn_job_record(qn_job *job, uint64_t piece, const void *data, size_t size);

/* The same of a record whose bytes lie in several places, without a copy of them. */
QN_MUST_CHECK qn_status qn_job_record_parts(qn_job *job, uint64_t piece, const qn_journal_part *parts, int count);

/* Release the records of a run without an output; called by qn_job_close. */
void qn_job_kept_records_clear(qn_job *job);

/* End the recording on this rank. The journal of rank 0 stays locked, so that no other run begins in the same folder.
 */
void qn_job_records_end(qn_job *job);

/* Call `work` for each device of this rank, each on a thread of its own, the first device on the calling thread. Host
 * kernels use the context's pool on all threads. A failure cancels the pieces that are left on all ranks. Returns the
 * failure of the first device whose status is neither QN_OK nor QN_CANCELLED, else the first QN_CANCELLED. */
typedef qn_status (*qn_job_device_work)(int device, void *user);
QN_MUST_CHECK qn_status qn_job_each_device(qn_job *job, qn_job_device_work work, void *user);

/* The same for lanes 0 … lanes − 1 ≤ QN_JOB_LANES_MAX − 1, several of which may belong to one device. */
enum { QN_JOB_LANES_MAX = 4 * QN_DEVICES_MAX };
QN_MUST_CHECK qn_status qn_job_each_lane(qn_job *job, int lanes, qn_job_device_work work, void *user);

/* Report progress to the caller's callback. Returns whether the caller asks the run to stop. Ranks other than 0 call it
 * with a total of 0, so that their progress is not shown. */
bool qn_job_is_stopped(const qn_job *job, const qn_progress *progress);

/* The pieces are done and lead to no result, as with a start outside of the protein: a failure keeps no journal then,
 * so that the corrected command can begin. For runs of one process; of several, each would have to know. */
void qn_job_forget(qn_job *job);

/* Log a warning, and keep it for the report and run.json. */
QN_MUST_CHECK qn_status qn_job_warn(qn_job *job, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Path of a file that the run writes, such as "poses.csv" or "balanced/poses.csv"; its folder is made. The file will be
 * listed in run.json, and removed if the run fails. *path is released with qn_release. QN_INTERNAL in a run without an
 * output. */
QN_MUST_CHECK qn_status qn_job_path(qn_job *job, const char *name, char **path);

/* The lines of the key, and a device, as they stand in run.json; new references. */
json_t *qn_job_describe_key(const qn_job *job);
json_t *qn_job_describe_device(const qn_device *device);

/* Write run.json, the last file of a run: program, version, inputs, devices, times, warnings, key and files, followed
 * by the program's own facts `own`, which replace common facts of the same name. The reference `own` is taken; NULL
 * means that the program had no memory for it: QN_OUT_OF_MEMORY. Without an output nothing is written. */
QN_MUST_CHECK qn_status qn_job_facts(qn_job *job, json_t *own);

/* Copy the warnings so far. Release each of *warnings, and then *warnings, with qn_release; after a failure too: *count
 * are filled in. */
QN_MUST_CHECK qn_status qn_job_copy_warnings(const qn_job *job, char ***warnings, size_t *count);

/* Put the warnings so far into a report. */
QN_MUST_CHECK qn_status qn_job_report_warnings(const qn_job *job, qn_report *report);

/* Put a table of the kernels' configurations and of their origins into a report; nothing where no tuner was attached,
 * or before qn_tuning_finish. */
QN_MUST_CHECK qn_status qn_job_report_kernels(const qn_job *job, qn_report *report);

/* Path of the report. It is "" on ranks that print nothing, if an earlier run had finished all work, and without an
 * output. */
void qn_job_report_path(const qn_job *job, qn_status status, char *path, size_t capacity);

#endif
