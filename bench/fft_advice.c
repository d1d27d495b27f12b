/* Measure the gain from advised transform sizes: quern_bench_fft_advice DEVICE LIST [ENGINE [CROP GROW]]
 *
 * For each size of LIST (bench/fft-sizes.txt) real transforms of the wanted size are compared with transforms of the
 * size that qn_fft_advise returns (CROP default 10 %, GROW default 20 %; "0 20" pads only). Both are timed in turns in
 * one process. The ratio, wanted over advised, is the median over SAMPLES pairs, so that slow drifts of the machine
 * cancel; its noise is half the distance between the quartiles. Where the advice is the wanted size the ratio is 1.
 * Sizes that the engine refuses have no ratio and are counted separately.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <quern/fft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 9, REPEATS_MAX = 2000, LINES_MAX = 256 };

static const double sample_s = 0.01, pair_budget_s = 20;

typedef struct bench_run {
    qn_context *context;
    qn_device *device;
    qn_queue *queue;
    qn_fft_engine engine;
    double crop, grow;
} bench_run;

/* A line of the list and its results. */
typedef struct entry {
    char class_name[16], size_text[48];
    int size[3], batch;
    int advised[3];
    double wanted_s, advised_s, ratio, noise, predicted, advice_s;
    qn_fft_engine wanted_engine, advised_engine;
    bool done, kept; /* kept: the advice is the wanted size */
    char failure[256];
} entry;

typedef struct side {
    qn_fft_plan *plan;
    qn_buffer *input, *output;
    int repeats;
    double seconds[SAMPLES];
} side;

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static qn_status run(const bench_run *bench, side *one, int times, double *each_s)
{
    const double start_s = clock_s();
    qn_status status = QN_OK;
    for (int i = 0; status == QN_OK && i < times; i++)
        status = qn_fft_execute(one->plan, bench->queue, one->input, one->output, NULL);
    if (status == QN_OK) status = qn_queue_finish(bench->queue);
    *each_s = (clock_s() - start_s) / times;
    return status;
}

static qn_status open_side(const bench_run *bench, const int size[3], int batch, side *one)
{
    const size_t rows = (size_t)size[1] * (size_t)size[2] * (size_t)batch;
    const size_t input_bytes = rows * (size_t)size[0] * sizeof(float),
                 output_bytes = rows * ((size_t)size[0] / 2 + 1) * 2 * sizeof(float);
    qn_fft_options options = {
        .size_bytes = sizeof options, .batch = batch, .kind = QN_FFT_REAL_FORWARD, .engine = bench->engine};
    memcpy(options.size, size, sizeof options.size);
    double seconds = 0;
    qn_status status = qn_fft_plan_create(bench->device, &options, &one->plan);
    if (status == QN_OK) status = qn_buffer_create(bench->device, input_bytes, &one->input);
    if (status == QN_OK) status = qn_buffer_create(bench->device, output_bytes, &one->output);
    if (status == QN_OK) status = qn_queue_fill(bench->queue, one->input, 0, input_bytes, 0, NULL);
    if (status == QN_OK) status = run(bench, one, 1, &seconds); /* warms up */
    if (status == QN_OK && seconds < sample_s) status = run(bench, one, 3, &seconds);
    one->repeats = seconds * REPEATS_MAX < sample_s ? REPEATS_MAX : (int)(sample_s / seconds) + 1;
    return status;
}

static void close_side(side *one)
{
    if (one->plan) qn_fft_plan_destroy(&one->plan);
    qn_buffer_release(&one->input);
    qn_buffer_release(&one->output);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_numbers);
    return 0.5 * (values[count / 2] + values[(count - 1) / 2]);
}

static qn_status time_pair(const bench_run *bench, entry *line)
{
    side wanted = {0}, advised = {0};
    double ratios[SAMPLES];
    int count = 0;
    qn_status status = open_side(bench, line->size, line->batch, &wanted);
    if (status == QN_OK) status = open_side(bench, line->advised, line->batch, &advised);
    const double start_s = clock_s();
    while (status == QN_OK && count < SAMPLES && (count < 3 || clock_s() - start_s < pair_budget_s)) {
        side *first = count % 2 ? &advised : &wanted, *second = count % 2 ? &wanted : &advised;
        status = run(bench, first, first->repeats, &first->seconds[count]);
        if (status == QN_OK) status = run(bench, second, second->repeats, &second->seconds[count]);
        ratios[count] = wanted.seconds[count] / advised.seconds[count];
        count++;
    }
    if (status == QN_OK) {
        line->wanted_engine = qn_fft_plan_engine(wanted.plan);
        line->advised_engine = qn_fft_plan_engine(advised.plan);
        line->wanted_s = median(wanted.seconds, count);
        line->advised_s = median(advised.seconds, count);
        line->ratio = median(ratios, count);
        line->noise = 0.5 * (ratios[(3 * count - 1) / 4] - ratios[count / 4]);
    }
    close_side(&wanted);
    close_side(&advised);
    return status;
}

static qn_status advise(const bench_run *bench, entry *line)
{
    qn_fft_advice_options options = qn_fft_advice_default_options();
    options.batch = line->batch;
    options.engine = bench->engine;
    for (int axis = 0; axis < 3; axis++) {
        options.crop_percent[axis] = bench->crop;
        options.grow_percent[axis] = bench->grow;
    }
    options.without_cache = true;
    memcpy(options.size, line->size, sizeof options.size);
    qn_fft_advice_report *report = NULL;
    const double start_s = clock_s();
    qn_status status = qn_fft_advise(bench->device, &options, &report);
    line->advice_s = clock_s() - start_s;
    if (status != QN_OK) return status;
    const qn_fft_advice *wanted = &report->rows[report->wanted];
    memcpy(line->advised, report->rows[0].size, sizeof line->advised);
    line->predicted = report->rows[0].predicted_ratio > 0 ? 1 / report->rows[0].predicted_ratio : 0;
    line->wanted_engine = wanted->engine;
    line->advised_engine = report->rows[0].engine;
    line->wanted_s = wanted->seconds;
    line->advised_s = report->rows[0].seconds;
    line->kept = report->rows[0].is_wanted;
    line->ratio = 1;
    if (!wanted->usable) snprintf(line->failure, sizeof line->failure, "%s", wanted->reason);
    qn_fft_advice_report_destroy(&report);
    return QN_OK;
}

static void print_entry(const entry *line)
{
    char advised[48];
    const char *next = strchr(line->size_text, 'x');
    int length = snprintf(advised, sizeof advised, "%d", line->advised[0]);
    for (int axis = 1; next; axis++, next = strchr(next + 1, 'x'))
        length += snprintf(advised + length, sizeof advised - (size_t)length, "x%d", line->advised[axis]);
    printf("%-7s %-14s %6d ", line->class_name, line->size_text, line->batch);
    if (!line->done) {
        printf("%-14s %s\n", line->advised[0] > 0 ? advised : "-", line->failure);
        return;
    }
    printf("%-14s %12.4f %12.4f %9.2f %8.2f %9.2f  %-6s %-6s %7.1f%s\n", advised, 1e3 * line->wanted_s,
           1e3 * line->advised_s, line->ratio, line->noise, line->predicted, qn_fft_engine_name(line->wanted_engine),
           qn_fft_engine_name(line->advised_engine), line->advice_s, line->kept ? "  kept" : "");
    fflush(stdout);
}

static void bench_entry(const bench_run *bench, entry *line)
{
    qn_status status = advise(bench, line);
    if (status == QN_OK && line->failure[0] == '\0' && !line->kept) status = time_pair(bench, line);
    if (status != QN_OK) snprintf(line->failure, sizeof line->failure, "%s", qn_error_message());
    line->done = line->failure[0] == '\0';
    print_entry(line);
}

static double print_mean(const entry *lines, size_t count, const char *name, bool primes)
{
    double sum = 0;
    int used = 0, without = 0;
    for (size_t i = 0; i < count; i++) {
        if ((strcmp(lines[i].class_name, "prime") == 0) != primes) continue;
        without += !lines[i].done;
        if (!lines[i].done) continue;
        sum += log(lines[i].ratio);
        used++;
    }
    printf("geometric mean, %s: ", name);
    if (used > 0) printf("%.2f of %d sizes", exp(sum / used), used);
    printf("%s%d without a ratio\n", used > 0 ? "; " : "", without);
    return used > 0 ? exp(sum / used) : 0;
}

static void print_summary(const entry *lines, size_t count)
{
    const entry *worst = NULL;
    int kept = 0, slower = 0;
    for (size_t i = 0; i < count; i++) {
        if (!lines[i].done) continue;
        kept += lines[i].kept;
        if (lines[i].kept) continue;
        slower += lines[i].ratio + 2 * lines[i].noise < 1;
        if (!worst || lines[i].ratio < worst->ratio) worst = &lines[i];
    }
    printf("\n");
    print_mean(lines, count, "primes", true);
    print_mean(lines, count, "the rest", false);
    printf("the wanted size kept: %d\n", kept);
    if (worst) printf("worst of the others: %s, %.2f +- %.2f\n", worst->size_text, worst->ratio, worst->noise);
    printf("slower than the wanted size by more than twice the noise: %d\n", slower);
}

static size_t read_list(const char *path, entry *lines)
{
    char text[256];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (count < LINES_MAX && fgets(text, sizeof text, file)) {
        entry *line = &lines[count];
        *line = (entry){.size = {1, 1, 1}};
        if (text[0] == '#' || sscanf(text, "%15s %47s %d", line->class_name, line->size_text, &line->batch) != 3)
            continue;
        if (sscanf(line->size_text, "%dx%dx%d", &line->size[0], &line->size[1], &line->size[2]) >= 1) count++;
    }
    fclose(file);
    return count;
}

static qn_status start(bench_run *bench, int argc, char **argv)
{
    bench->crop = argc > 5 ? atof(argv[4]) : 10;
    bench->grow = argc > 5 ? atof(argv[5]) : 20;
    for (int engine = QN_FFT_OWN; engine <= QN_FFT_CUFFT; engine++)
        if (argc > 3 && strcmp(argv[3], qn_fft_engine_name((qn_fft_engine)engine)) == 0)
            bench->engine = (qn_fft_engine)engine;
    qn_status status = qn_context_create(NULL, &bench->context);
    if (status == QN_OK) status = qn_device_open(bench->context, argv[1], &bench->device);
    if (status == QN_OK) status = qn_queue_create(bench->device, &bench->queue);
    if (status != QN_OK) return status;
    const qn_device_info *info = qn_device_get_info(bench->device);
    printf("%s, %s, %d threads, engine %s, real forward, crop %g %%, grow %g %%\n", info->identifier, info->name,
           qn_context_threads(bench->context), qn_fft_engine_name(bench->engine), bench->crop, bench->grow);
    printf("%-7s %-14s %6s %-14s %12s %12s %9s %8s %9s  %-6s %-6s %7s\n", "class", "wanted", "batch", "advised",
           "wanted ms", "advised ms", "ratio", "+-", "predicted", "by", "by", "advice s");
    return QN_OK;
}

int main(int argc, char **argv)
{
    static entry lines[LINES_MAX];
    bench_run bench = {.engine = QN_FFT_AUTO};
    const size_t count = argc > 2 ? read_list(argv[2], lines) : 0;
    if (count == 0) {
        fprintf(stderr, "quern_bench_fft_advice DEVICE LIST [ENGINE [CROP GROW]]: no list, or no size in it\n");
        return 2;
    }
    qn_status status = start(&bench, argc, argv);
    for (size_t i = 0; status == QN_OK && i < count; i++) bench_entry(&bench, &lines[i]);
    if (status == QN_OK)
        print_summary(lines, count);
    else
        fprintf(stderr, "quern_bench_fft_advice: %s\n", qn_error_message());
    qn_queue_destroy(&bench.queue);
    qn_device_release(&bench.device);
    qn_context_destroy(&bench.context);
    return status == QN_OK ? 0 : 1;
}
