#include "stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

enum { LEAST_LAUNCHES = 4, LAUNCHES_MAX = 100, SAMPLES = 15, LEAST_SAMPLES = 3 };

static const double sample_s = 0.005, stage_s = 1.5;

int bench_by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Run all stages before stage `last`, to fill its input. */
static void run_before(void *way, qn_status (*start)(void *), const bench_stage *stages, int last)
{
    bench_must(start(way));
    for (int i = 0; i < last; i++) bench_must(stages[i].launch(way, NULL));
}

/* Seconds of one launch: the mean of `launches` launches, from an empty queue until it is empty again. */
static double time_launches(const dock_bench *bench, void *way, const bench_stage *timed, int launches)
{
    bench_must(qn_queue_finish(bench->queue));
    double since_s = qn_clock_s();
    for (int launch = 0; launch < launches; launch++) bench_must(timed->launch(way, NULL));
    bench_must(qn_queue_finish(bench->queue));
    return qn_clock_lap_s(&since_s) / launches;
}

/* Median seconds of one launch of stage `last`. An inverse transform may destroy its input; if it is launched too
 * often on the same buffer, the values grow to infinity. */
static double time_stage(const dock_bench *bench, void *way, qn_status (*start)(void *), const bench_stage *stages,
                         int last)
{
    double seconds[SAMPLES];
    int samples = 0;
    run_before(way, start, stages, last);
    bench_must(stages[last].launch(way, NULL)); /* warms up */
    const double once_s = time_launches(bench, way, &stages[last], 1), begin_s = qn_clock_s();
    const int launches =
        stages[last].destroys_input ? LEAST_LAUNCHES : (int)fmin(LAUNCHES_MAX, fmax(LEAST_LAUNCHES, sample_s / once_s));
    while (samples < SAMPLES && (samples < LEAST_SAMPLES || qn_clock_s() - begin_s < stage_s)) {
        run_before(way, start, stages, last);
        seconds[samples++] = time_launches(bench, way, &stages[last], launches);
    }
    qsort(seconds, (size_t)samples, sizeof *seconds, bench_by_value);
    return seconds[samples / 2];
}

/* Median seconds of the two kernels of a stage, by the device's clock. */
static void time_kernels(void *way, qn_status (*start)(void *), const bench_stage *stages, int last,
                         double medians[BENCH_STAGE_KERNELS])
{
    double seconds[BENCH_STAGE_KERNELS][SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        qn_event *events[BENCH_STAGE_KERNELS] = {NULL};
        if (sample == 0) run_before(way, start, stages, last);
        bench_must(stages[last].launch(way, events));
        for (int k = 0; k < BENCH_STAGE_KERNELS; k++) {
            bench_must(qn_event_seconds(events[k], &seconds[k][sample]));
            qn_event_destroy(&events[k]);
        }
    }
    for (int k = 0; k < BENCH_STAGE_KERNELS; k++) {
        qsort(seconds[k], SAMPLES, sizeof seconds[k][0], bench_by_value);
        medians[k] = seconds[k][SAMPLES / 2];
    }
}

static void print_stage(const dock_bench *bench, const char *name, double seconds, double bytes, double limit_s,
                        int batch)
{
    printf("  %-20s %9.4f %9.1f %9.2f %9.2f\n", name, 1e3 * seconds / batch, 1e-6 * bytes / batch,
           bytes / seconds / bench->rates.copy_bytes_per_s, limit_s / seconds);
}

void bench_print_stages(const dock_bench *bench, void *way, qn_status (*start)(void *), const bench_stage *stages,
                        int count, int batch)
{
    double all_s = 0, all_bytes = 0, all_limit_s = 0;
    printf("  %-20s %9s %9s %9s %9s   of one rotation\n", "stage", "ms", "MB", "of copy", "of limit");
    for (int i = 0; i < count; i++) {
        qn_work work = {0};
        stages[i].work(way, &work);
        const double seconds = time_stage(bench, way, start, stages, i);
        const double bytes = work.bytes_read + work.bytes_written;
        const double limit_s = qn_work_limit_seconds(&work, &bench->rates, NULL);
        print_stage(bench, stages[i].name, seconds, bytes, limit_s, batch);
        if (stages[i].kernels[0]) {
            double kernels_s[BENCH_STAGE_KERNELS];
            time_kernels(way, start, stages, i, kernels_s);
            for (int k = 0; k < BENCH_STAGE_KERNELS; k++)
                printf("    %-18s %9.4f   by the device's clock\n", stages[i].kernels[k], 1e3 * kernels_s[k] / batch);
        }
        all_s += seconds;
        all_bytes += bytes;
        all_limit_s += limit_s;
    }
    bench_must(start(way));
    print_stage(bench, "all", all_s, all_bytes, all_limit_s, batch);
}
