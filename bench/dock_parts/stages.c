#include "stages.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

enum { LAUNCHES = 4, SAMPLES = 15, LEAST_SAMPLES = 3 };

static const double stage_s = 1.5;

int bench_by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Seconds of a launch of the last of these stages. The others run before each sample, so that it works on what they
 * leave to it: an inverse transform may destroy its input, and when repeated too often ends in infinities. */
static double time_stage(const dock_bench *bench, void *way, qn_status (*start)(void *), const bench_stage *stages,
                         int last)
{
    double seconds[SAMPLES];
    int samples = 0;
    const double begin_s = qn_clock_s();
    while (samples < SAMPLES && (samples < LEAST_SAMPLES || qn_clock_s() - begin_s < stage_s)) {
        bench_must(start(way));
        for (int i = 0; i <= last; i++) bench_must(stages[i].launch(way)); /* the last one warms up */
        bench_must(start(way));
        for (int i = 0; i < last; i++) bench_must(stages[i].launch(way));
        bench_must(qn_queue_finish(bench->queue));
        double since_s = qn_clock_s();
        for (int launch = 0; launch < LAUNCHES; launch++) bench_must(stages[last].launch(way));
        bench_must(qn_queue_finish(bench->queue));
        seconds[samples++] = qn_clock_lap_s(&since_s) / LAUNCHES;
    }
    bench_must(start(way));
    qsort(seconds, (size_t)samples, sizeof *seconds, bench_by_value);
    return seconds[samples / 2];
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
        all_s += seconds;
        all_bytes += bytes;
        all_limit_s += limit_s;
    }
    print_stage(bench, "all", all_s, all_bytes, all_limit_s, batch);
}
