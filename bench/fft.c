/* Time the transform engines of a device: quern_bench_fft [device [threads [size …]]]
 *
 * A size is the side of a cube or WIDTHxHEIGHTxDEPTH, such as 5760x4096x1. Three transforms are timed: forward, forward
 * from a grid filled to a quarter of each side (like docking's ligand grids), and inverse. GFlop/s count 2.5·N·log2 N
 * operations for a real transform of N numbers, skipped work included. On the host the default is one thread, so the
 * times are those of one core. On other devices the batch is large enough to fill the device, and the last column is
 * the rate of the bytes that must move (input read once, output written once) as a share of the measured copy rate.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <quern/fft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIMED_RUNS = 7, DEVICE_BATCH_BYTES = 512 << 20 };

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct bench_run {
    qn_context *context;
    qn_device *device;
    qn_queue *queue;
    bool is_host;
    double copy_bytes_per_s; /* 0: not measured */
} bench_run;

static qn_status time_plan(const bench_run *bench, qn_fft_plan *plan, size_t input_bytes, size_t output_bytes,
                           double *best_s)
{
    qn_buffer *input = NULL, *output = NULL;
    qn_status status = qn_buffer_create(bench->device, input_bytes, &input);
    if (status == QN_OK) status = qn_buffer_create(bench->device, output_bytes, &output);
    *best_s = 1e30;
    for (int run = 0; status == QN_OK && run <= TIMED_RUNS; run++) {
        /* The input is 0: it stays 0 through any number of inverses that destroy their input, and takes the same
         * time. */
        status = qn_queue_fill(bench->queue, input, 0, input_bytes, 0, NULL);
        if (status == QN_OK) status = qn_queue_finish(bench->queue);
        const double start_s = clock_s();
        if (status == QN_OK) status = qn_fft_execute(plan, bench->queue, input, output, NULL);
        if (status == QN_OK) status = qn_queue_finish(bench->queue);
        const double seconds = clock_s() - start_s;
        if (run > 0 && seconds < *best_s) *best_s = seconds;
    }
    qn_buffer_release(&input);
    qn_buffer_release(&output);
    return status;
}

/* `filled`: the grid is filled to a quarter of each side. */
static void bench_transform(const bench_run *bench, const int size[3], qn_fft_engine engine, qn_fft_kind kind,
                            bool filled)
{
    const double count = (double)size[0] * size[1] * size[2], operations = 2.5 * count * log2(count);
    const size_t lines = (size_t)size[1] * (size_t)size[2], grid_bytes = lines * (size_t)size[0] * sizeof(float);
    const size_t spectrum_bytes = lines * (size_t)(size[0] / 2 + 1) * 2 * sizeof(float);
    const int batch = bench->is_host ? qn_context_threads(bench->context) : (int)(DEVICE_BATCH_BYTES / grid_bytes) + 1;
    const bool forward = kind == QN_FFT_REAL_FORWARD;
    const size_t input_bytes = forward ? grid_bytes : spectrum_bytes,
                 output_bytes = forward ? spectrum_bytes : grid_bytes;
    const char *name = !forward ? "back" : filled ? "forward, filled/4" : "forward";
    qn_fft_options options = {.size_bytes = sizeof options, .batch = batch, .kind = kind, .engine = engine};
    for (int d = 0; d < 3; d++) {
        options.size[d] = size[d];
        options.filled[d] = filled ? (size[d] + 3) / 4 : 0;
    }
    char text[40];
    snprintf(text, sizeof text, "%dx%dx%d", size[0], size[1], size[2]);
    qn_fft_plan *plan = NULL;
    double seconds = 0;
    const double plan_start_s = clock_s();
    qn_status status = qn_fft_plan_create(bench->device, &options, &plan);
    const double plan_s = clock_s() - plan_start_s;
    if (status == QN_UNSUPPORTED || status == QN_NO_DEVICE) return;
    if (status == QN_OK)
        status = time_plan(bench, plan, (size_t)batch * input_bytes, (size_t)batch * output_bytes, &seconds);
    qn_fft_plan_destroy(&plan);
    if (status != QN_OK) {
        printf("%-12s  %-6s %-18s %s\n", text, qn_fft_engine_name(engine), name, qn_error_message());
        return;
    }
    const double each_s = seconds / batch;
    printf("%-12s  %-6s %-18s %10.4f %9.1f %8.2f", text, qn_fft_engine_name(engine), name, 1e3 * each_s,
           1e-9 * operations / each_s, plan_s);
    if (bench->copy_bytes_per_s > 0)
        printf(" %9.2f", (double)(grid_bytes + spectrum_bytes) / each_s / bench->copy_bytes_per_s);
    printf("\n");
    fflush(stdout);
}

static qn_status start(bench_run *bench, const char *device, int threads)
{
    qn_status status = qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = threads},
                                         &bench->context);
    if (status == QN_OK) status = qn_device_open(bench->context, device, &bench->device);
    if (status == QN_OK) status = qn_queue_create(bench->device, &bench->queue);
    if (status != QN_OK) return status;
    const qn_device_info *info = qn_device_get_info(bench->device);
    bench->is_host = strcmp(info->driver, "host") == 0;
    printf("%s, %s, %d thread%s\n", info->identifier, info->name, qn_context_threads(bench->context),
           qn_context_threads(bench->context) == 1 ? "" : "s");
    if (bench->is_host) return QN_OK;
    qn_device_rates rates = {0};
    status = qn_device_measure(bench->device, &rates);
    bench->copy_bytes_per_s = rates.copy_bytes_per_s;
    if (status == QN_OK) printf("copy rate %.1f GB/s\n", 1e-9 * rates.copy_bytes_per_s);
    return status;
}

int main(int argc, char **argv)
{
    static const int usual[] = {64, 72, 80, 90, 96, 100, 108, 112, 120, 128, 144, 160, 180, 192, 200, 216, 240};
    const int usual_count = sizeof usual / sizeof usual[0];
    bench_run bench = {0};
    const int given = argc > 3 ? argc - 3 : 0;
    qn_status status = start(&bench, argc > 1 ? argv[1] : "host", argc > 2 ? atoi(argv[2]) : 1);
    if (status == QN_OK)
        printf("%-12s  %-6s %-18s %10s %9s %8s%s\n", "size", "engine", "transform", "ms each", "GFlop/s", "plan s",
               bench.is_host ? "" : "  of copy");
    for (int i = 0; status == QN_OK && i < (given > 0 ? given : usual_count); i++) {
        int size[3];
        const int parts = given > 0 ? sscanf(argv[3 + i], "%dx%dx%d", &size[0], &size[1], &size[2]) : 1;
        if (given == 0) size[0] = usual[i];
        if (parts != 1 && parts != 3) {
            fprintf(stderr, "quern_bench_fft: size %s; expected a side or WIDTHxHEIGHTxDEPTH\n", argv[3 + i]);
            return 2;
        }
        if (parts == 1) size[1] = size[2] = size[0];
        for (int engine = QN_FFT_OWN; engine <= QN_FFT_CUFFT; engine++) {
            bench_transform(&bench, size, (qn_fft_engine)engine, QN_FFT_REAL_FORWARD, false);
            bench_transform(&bench, size, (qn_fft_engine)engine, QN_FFT_REAL_FORWARD, true);
            bench_transform(&bench, size, (qn_fft_engine)engine, QN_FFT_REAL_INVERSE, false);
        }
    }
    if (status != QN_OK) fprintf(stderr, "quern_bench_fft: %s\n", qn_error_message());
    qn_queue_destroy(&bench.queue);
    qn_device_release(&bench.device);
    qn_context_destroy(&bench.context);
    return status == QN_OK ? 0 : 1;
}
