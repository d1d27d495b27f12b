#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dock/records.h"

enum { ROTATIONS = 50, PER_ROTATION = 2 };

static qn_context *context;
static qn_dock_hit hits[ROTATIONS * PER_ROTATION], read_back[ROTATIONS * PER_ROTATION];
static unsigned char done[ROTATIONS];
static qn_dock_known known = {ROTATIONS, PER_ROTATION, done, read_back};

static void forget(void)
{
    memset(done, 0, sizeof done);
    memset(read_back, 0, sizeof read_back);
}

/* Begin a run, or resume the earlier one. */
static void begin(bool resume, qn_run_options *options, qn_job *job)
{
    const qn_output output = {.folder = check_scratch_folder()};
    *options = (qn_run_options){.device = "host", .tune = QN_TUNE_OFF, .resume = resume};
    CHECK_OK(qn_job_open(context, "dock", options, job));
    CHECK_OK(qn_job_output(job, &output, true));
    CHECK_OK(qn_job_journal(job));
}

static void recorded_hits_are_read_back(void)
{
    qn_run_options options;
    qn_job job;
    for (int i = 0; i < ROTATIONS * PER_ROTATION; i++) hits[i] = (qn_dock_hit){-1.5f * (float)i, 1000 + i};
    begin(false, &options, &job);
    CHECK_OK(qn_dock_record(&job, PER_ROTATION, 10, 7, hits + 10 * PER_ROTATION));
    CHECK_OK(qn_dock_record(&job, PER_ROTATION, 30, 5, hits + 30 * PER_ROTATION));
    CHECK_FAILS(qn_job_close(&job, qn_error_raise(QN_CANCELLED, "stopped")), QN_CANCELLED);
    begin(true, &options, &job);
    forget();
    CHECK_OK(qn_job_scan(&job, qn_dock_record_read, &known));
    CHECK(qn_dock_known_count(&known) == 12 && done[10] && done[16] && !done[17] && done[30] && done[34]);
    CHECK(memcmp(read_back + 30 * PER_ROTATION, hits + 30 * PER_ROTATION, 5 * PER_ROTATION * sizeof *hits) == 0);
    forget();
    known.hits = NULL; /* hits are not copied */
    CHECK_OK(qn_job_scan(&job, qn_dock_record_read, &known));
    CHECK(qn_dock_known_count(&known) == 12 && read_back[10 * PER_ROTATION].cell == 0);
    known.hits = read_back;
    CHECK_FAILS(qn_job_close(&job, qn_error_raise(QN_CANCELLED, "stopped")), QN_CANCELLED);
}

static void is_refused(uint64_t first, size_t size)
{
    CHECK_FAILS(qn_dock_record_read(first, hits, size, &known), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("expected one of 50 rotations");
    CHECK(qn_dock_known_count(&known) == 0);
}

static void wrong_records_are_refused(void)
{
    const size_t each = PER_ROTATION * sizeof *hits;
    forget();
    is_refused(0, 0);
    is_refused(0, each - 1);
    is_refused(0, each + 1);
    is_refused(ROTATIONS, each);
    is_refused(ROTATIONS - 1, 2 * each);
    is_refused((uint64_t)1 << 63, each);
    CHECK_OK(qn_dock_record_read(ROTATIONS - 1, hits, each, &known));
    CHECK(qn_dock_known_count(&known) == 1);
}

int main(void)
{
    setenv("QUERN_MPI_LIBRARY", "off", 1);
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context)))
        return check_finish();
    RUN(recorded_hits_are_read_back);
    RUN(wrong_records_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}
