/* Record a sample of a workload's space with hardware counters, to train and test portable models:
 *
 *     quern_bench_tune_record DEVICE WORKLOAD COUNT SECONDS OUT.json [NxN…]
 *
 * Configurations are drawn at random, the same ones on every device of equal constraints; each is built, checked, timed
 * and run again for its counters. Columns that no counter fills (launch geometry, registers, local memory) are those of
 * the family's static model. Recording stops after COUNT configurations or SECONDS. OUT.json is of the format T4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "math/random.h"
#include "runtime/device.h"
#include "tune/ahead.h"
#include "tune/guide.h"
#include "tune/live_counters.h"
#include "tune/measure.h"
#include "tune/recorded/builder.h"
#include "tune/session.h"

enum { SAMPLE_STREAM = 91, AHEAD = 12, REPEATS = 7 };

typedef struct recording {
    qn_device *device;
    qn_queue *queue;
    const qn_workload *workload;
    void *state;
    qn_space *space;
    qn_guide guide;
    qn_live_counters *live;
    char definitions[QN_AHEAD_DEFINITIONS];
    qn_recorded_space_builder builder;
    uint64_t counted;
} recording;

static void need(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "tune_record: %s\n", qn_error_message());
    exit(1);
}

static void print_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != QN_LOG_DEBUG) fprintf(stderr, "%s\n", message);
}

static void open_recording(recording *r, const int wanted[QN_WORKLOAD_SIZES])
{
    const qn_workload *workload = r->workload;
    const qn_device_info *info = qn_device_get_info(r->device);
    const qn_configuration fallback = qn_family_fallback(workload->family);
    int sizes[QN_WORKLOAD_SIZES];
    qn_tune_workload_sizes(workload, info, wanted, sizes);
    need(qn_tune_family_space(workload->family, info, &r->space));
    need(qn_queue_create(r->device, &r->queue));
    need(workload->create(r->queue, sizes, 1, &r->state));
    need(qn_guide_make("profile", NULL, workload->family, workload->problem ? workload->problem(r->state) : NULL, info,
                       r->space, &r->guide));
    need(qn_live_counters_open(r->device, workload, r->guide.model, r->space, &r->live));
    if (!r->live) {
        fprintf(stderr, "tune_record: %s has no counters\n", info->identifier);
        exit(1);
    }
    need(workload->run(r->state, r->queue, &fallback, NULL));
    qn_family_built_definitions(workload->family, r->device, &fallback, r->definitions, sizeof r->definitions);
    need(qn_text_copy(workload->name, &r->builder.name));
    need(qn_text_copy(info->name, &r->builder.device));
    for (size_t p = 0; p < qn_space_parameter_count(r->space); p++)
        need(qn_recorded_space_add_parameter(&r->builder, qn_space_parameter_name(r->space, p)));
}

static void add_row(recording *r, qn_point point, const qn_test *test)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_value values[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(r->space, point, numbers);
    for (size_t p = 0; p < qn_space_parameter_count(r->space); p++)
        values[p] = *qn_space_value(r->space, p, numbers[p]);
    need(qn_recorded_space_add_row(&r->builder, values, test));
    r->counted += test->counter_count > 0;
    for (size_t c = 0; c < test->counter_count; c++)
        if (isfinite(test->counters[c]))
            need(qn_recorded_space_add_counter(&r->builder, qn_tuning_model_column_name(r->guide.model, c),
                                               test->counters[c]));
}

static void record(recording *r, qn_point point, qn_ahead_job *job)
{
    const qn_measure_limits limits = {.timeout_s = 2, .precision = 0.01, .most_repeats = REPEATS};
    char reason[QN_MEASURE_REASON_BYTES] = "";
    qn_test test = {.objective = INFINITY, .build_seconds = job->seconds};
    if (job->status != QN_OK) {
        test.outcome = qn_tune_outcome_of(job->status);
    } else {
        need(qn_measure_configuration(r->workload, r->state, r->queue, &job->configuration, &limits, &test, reason));
        const double run_seconds = test.run_seconds;
        if (test.outcome == QN_TEST_CORRECT) {
            qn_guide_learn(&r->guide, r->workload->family, r->device, r->space, point);
            need(qn_live_counters_read(r->live, r->state, r->queue, point, &test));
            test.run_seconds = run_seconds;
        }
    }
    add_row(r, point, &test);
    qn_family_forget(r->workload->family, r->device, &job->configuration);
}

static bool is_known(const qn_point *points, uint64_t count, qn_point point)
{
    for (uint64_t i = 0; i < count; i++)
        if (points[i] == point) return true;
    return false;
}

int main(int argc, char **argv)
{
    recording r = {.counted = 0};
    int wanted[QN_WORKLOAD_SIZES] = {0};
    qn_context *context;
    if (argc < 6) {
        fprintf(stderr, "usage: %s DEVICE WORKLOAD COUNT SECONDS OUT.json [NxN...]\n", argv[0]);
        return 2;
    }
    need(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .log = print_log}, &context));
    need(qn_device_open(context, argv[1], &r.device));
    need(qn_workload_find(argv[2], &r.workload));
    if (argc > 6) sscanf(argv[6], "%dx%dx%d", &wanted[0], &wanted[1], &wanted[2]);
    open_recording(&r, wanted);
    uint64_t most = strtoull(argv[3], NULL, 10), drawn = 0, done = 0, draw = 0;
    const uint64_t size = qn_space_size(r.space);
    const double end_s = qn_clock_s() + atof(argv[4]);
    if (most > size) most = size;
    qn_point *points = calloc(most, sizeof *points);
    qn_ahead_job *jobs = calloc(most, sizeof *jobs);
    qn_ahead *ahead;
    if (!points || !jobs) return 1;
    need(qn_ahead_create(AHEAD, &ahead));
    while (done < most && qn_clock_s() < end_s) {
        while (drawn < most && drawn < done + 2 * AHEAD) {
            const qn_point point = (qn_point)(qn_random_uniform(1, SAMPLE_STREAM, draw++) * (double)size);
            if (is_known(points, drawn, point)) continue;
            points[drawn] = point;
            jobs[drawn] = (qn_ahead_job){.family = r.workload->family,
                                         .device = r.device,
                                         .configuration = qn_tune_configuration(r.space, point)};
            memcpy(jobs[drawn].definitions, r.definitions, sizeof r.definitions);
            qn_ahead_add(ahead, &jobs[drawn++]);
        }
        qn_ahead_wait(ahead, &jobs[done]);
        record(&r, points[done], &jobs[done]);
        done++;
    }
    qn_ahead_destroy(&ahead);
    qn_recorded_space *out = NULL;
    need(qn_recorded_space_build(&r.builder, &out));
    need(qn_recorded_space_write(out, QN_RECORDED_T4, argv[5]));
    printf("%s on %s: %llu of %llu configurations, %llu with counters\n", r.workload->name,
           qn_device_get_info(r.device)->name, (unsigned long long)done, (unsigned long long)size,
           (unsigned long long)r.counted);
    fflush(stdout);
    _Exit(0); /* the process ends here; nothing is released one by one */
}
