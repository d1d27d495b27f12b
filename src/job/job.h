/* A run of a program: what every program that runs long needs, done once. The program calls these functions from a
 * plain list of its stages:
 *
 *     qn_status status = qn_job_open(context, "dock", &options->run, &job);
 *     if (status == QN_OK) status = run_stages(&run);
 *     …clear what is the program's…
 *     return qn_job_close(&job, status);
 *
 *     run_stages:
 *     QN_TRY(qn_job_agree(job, read_inputs(run)));  options, qn_job_devices, qn_job_input_add, qn_job_key
 *     QN_TRY(qn_job_output(job, &output, true));    the output is judged
 *     QN_TRY(qn_job_journal(job));                  folder and journal are made
 *     if (job->over) return QN_OK;
 *     …work: qn_job_scan, qn_job_each_device, qn_job_record…
 *     …write files: qn_job_path, at last qn_job_facts…
 *
 * A failed run leaves its journal where something was recorded, and otherwise nothing. A run.json says that all files
 * of the run are there.
 *
 * Thread rule: one thread at a time; qn_job_record, qn_job_path and qn_job_warn are for any thread.
 */
#ifndef QN_JOB_JOB_H
#define QN_JOB_JOB_H

#include <quern/option.h>

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
    char *path;
    uint64_t bytes;
    char modified[24]; /* "2026-11-21T22:40:11Z"; "" when not known */
    char digest[65];   /* SHA-256 */
    bool ends_only;    /* of the 64 KiB at both ends, and not of all */
    bool all_at_last;  /* run.json is to have that of all */
} qn_job_input;

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
    qn_ranks *ranks; /* NULL: could not be opened */
    qn_agreement agreement;
    qn_device *devices[QN_MOST_DEVICES]; /* this rank's, by qn_job_devices */
    int device_count;
    qn_tuning tuning;
    double started_s;
    qn_text key;               /* lines "name=value" of all that results depend on */
    const char *device_advice; /* what to do instead where ranks' devices differ; NULL */
    bool over;                 /* an earlier run finished the same work: nothing is left to do */
    qn_piece_set done;         /* pieces that journals had when the run began, as the program reads their records */
    qn_job_texts warnings;

    /* private to src/job */
    pthread_mutex_t mutex; /* of warnings, files, and records */
    qn_log_scope outer_log;
    int64_t started_at; /* seconds since 1970 */
    char *place;        /* what `output` names: a folder or a stem */
    char *title;        /* of the run in messages: the folder, or the first of its files */
    qn_output output;
    bool judged, keeps_journal;
    qn_output_found found;  /* on rank 0, from the judgement until the run begins */
    char *absent, *deepest; /* the topmost folder that the run makes (NULL: none); a file of the deepest one */
    char *journal_folder;
    qn_journal *journal;
    uint64_t recorded; /* records of this rank's journal */
    qn_job_input *inputs;
    size_t input_count, input_capacity;
    qn_job_texts files; /* as run.json lists them */
    bool finished;      /* run.json was written */
} qn_job;

/* Ranks, agreement, log, start time. Logging is off on ranks other than 0. Errors: those of qn_ranks_open;
 * QN_INVALID_ARGUMENT (resume and overwrite together, tuning). Close also after a failure. */
QN_MUST_CHECK qn_status qn_job_open(qn_context *context, const char *program, const qn_run_options *options,
                                    qn_job *job);

/* Tidy up after a failure, release everything and return `status` with its error trail. Every rank must call, either
 * all with QN_OK or all with a failure. */
qn_status qn_job_close(qn_job *job, qn_status status);

/* qn_agree: every rank must call, each with its own status. */
QN_MUST_CHECK qn_status qn_job_agree(qn_job *job, qn_status status);

/* Whether this is the rank that writes results. */
bool qn_job_is_first(const qn_job *job);

/* Open the devices that the options name. */
QN_MUST_CHECK qn_status qn_job_devices(qn_job *job);

/* How an input is known to the key of journals and in run.json: by the SHA-256 of all of it, or of the 64 KiB at both
 * ends. Where it is larger than 256 MiB its ends have to do. */
typedef enum qn_job_reading {
    QN_JOB_READ_ALL,  /* both by all */
    QN_JOB_KEY_ENDS,  /* the key by its ends, as trouble with reading it may pass; run.json by all */
    QN_JOB_READ_ENDS, /* both by its ends: it may be as large as a disk */
    QN_JOB_LIST_ONLY, /* run.json by all; the key does not have it: what journals hold does not depend on it */
    QN_JOB_LIST_SIZE  /* run.json has its size and time alone, as it is one of very many */
} qn_job_reading;

/* Name an input: it is listed in run.json, and the key gets a line "role=name, bytes, digest". `path` may end in
 * ":chains". QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_job_input_add(qn_job *job, const char *role, const char *path, qn_job_reading reading);

/* Attach the tuner that the options ask for, to a run that is expected to take so long; detached by qn_job_close, or by
 * qn_tuning_finish(&job->tuning). */
QN_MUST_CHECK qn_status qn_job_tune(qn_job *job, double expected_seconds);

/* Append lines "name=value\n" to the key. */
QN_MUST_CHECK qn_status qn_job_key(qn_job *job, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Append a line "device=…" for each model of the run's devices: results depend on them. */
QN_MUST_CHECK qn_status qn_job_key_devices(qn_job *job);

/* Judge what lies where the results go; names of `output` live as long as the job. Without a journal the run begins at
 * once: folder and old files are dealt with as by qn_job_journal. Every rank must call; before it, inputs and options
 * have been looked at, and the key holds them.
 *
 * Errors: QN_ALREADY_EXISTS (files of others; a finished or unfinished run that the options do not say what to do with;
 * another run at work), QN_INVALID_ARGUMENT (ranks whose keys differ; another run's files on resume), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_job_output(qn_job *job, const qn_output *output, bool with_journal);

/* The key is complete: make the folder, remove what is overwritten, open this rank's journal. job->over is set where a
 * finished run is resumed of which no journal is left. Every rank must call. Errors as above. */
QN_MUST_CHECK qn_status qn_job_journal(qn_job *job);

/* Hand every record of every rank's journal to `record`, rank by rank; or those of one rank. */
QN_MUST_CHECK qn_status qn_job_scan(const qn_job *job, qn_journal_record record, void *user);
QN_MUST_CHECK qn_status qn_job_scan_rank(const qn_job *job, int rank, qn_journal_record record, void *user);

/* Append a record to this rank's journal. */
QN_MUST_CHECK qn_status qn_job_record(qn_job *job, uint64_t piece, const void *data, size_t size);

/* This rank records nothing more. The first one's journal stays locked, so that no other run begins beside this one. */
void qn_job_records_end(qn_job *job);

/* Call `work` for each device of this rank, each on a thread of its own, the first on the calling thread. Host kernels
 * use the context's pool from any of them. After a failure nothing is left to other ranks; what is returned is the
 * first device's failure that is not QN_CANCELLED, or else the first. */
typedef qn_status (*qn_job_device_work)(int device, void *user);
QN_MUST_CHECK qn_status qn_job_each_device(qn_job *job, qn_job_device_work work, void *user);

/* Tell how far the run is; whether the caller asks it to stop. Ranks but the first only ask: theirs is not shown. */
bool qn_job_is_stopped(const qn_job *job, const qn_progress *progress);

/* A warning: logged, and kept for the report and run.json. */
QN_MUST_CHECK qn_status qn_job_warn(qn_job *job, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* The path of a file that the run writes, such as "poses.csv" or "balanced/poses.csv", whose folder is made; run.json
 * will list it, and a failed run removes it. Released with qn_release. */
QN_MUST_CHECK qn_status qn_job_path(qn_job *job, const char *name, char **path);

/* A device and the lines of the key as run.json has them; new references. */
json_t *qn_job_describe_key(const qn_job *job);
json_t *qn_job_describe_device(const qn_device *device);

/* Write run.json, the last file of a run: program, version, inputs, devices, times, warnings, key and files, and behind
 * them what the program says; what both say is the program's. Takes `own`, which may be NULL: QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_job_facts(qn_job *job, json_t *own);

/* Put the warnings so far into a report. */
QN_MUST_CHECK qn_status qn_job_report_warnings(const qn_job *job, qn_report *report);

/* The path of the report; "" where another process says how the run ended, or an earlier run did everything. */
void qn_job_report_path(const qn_job *job, qn_status status, char *path, size_t capacity);

#endif
