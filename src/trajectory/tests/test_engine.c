/* devices: host opencl cuda checking:host */
/* labels: threads@host */
/* Frames through the whole engine: made-up trajectories of six atoms, and a query class of the test that lists the
 * frames in the order in which it gets them. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "trajectory/run.h"

enum { ATOMS = 6 };

/* ---- trajectories ---- */

static void put_word(FILE *file, uint32_t word)
{
    const unsigned char bytes[] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16), (unsigned char)(word >> 8),
                                   (unsigned char)word};
    fwrite(bytes, 1, 4, file);
}

static void put_float(FILE *file, float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    put_word(file, word);
}

/* x of an atom in a frame: a multiple of 1/64, so that sums are exact. */
static float x_of(int frame, int atom)
{
    return (float)(frame % 1000) / 8 + (float)atom / 64;
}

/* Write a frame of XTC. The format stores up to nine atoms as plain numbers. */
static void put_frame(FILE *file, int frame, double time_ps, int atoms)
{
    put_word(file, 1995);
    put_word(file, (uint32_t)atoms);
    put_word(file, (uint32_t)frame * 10);
    put_float(file, (float)time_ps);
    for (int i = 0; i < 9; i++) put_float(file, i % 4 == 0 ? 200 : 0);
    put_word(file, (uint32_t)atoms);
    for (int atom = 0; atom < atoms; atom++) {
        put_float(file, x_of(frame, atom));
        put_float(file, (float)atom);
        put_float(file, 1);
    }
}

static const char *path_of(const char *name)
{
    static char paths[128][512];
    static int next;
    char *path = paths[next++ % 128];
    snprintf(path, 512, "%s/%s", check_scratch_folder(), name);
    return path;
}

/* Write a file with frames first, first + 1, …, 2 ps apart; returns its path. */
static const char *make_trajectory(const char *name, int first, int count)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    for (int i = 0; i < count; i++) put_frame(file, first + i, 2.0 * (first + i), ATOMS);
    fclose(file);
    return path;
}

static const char *make_topology(void)
{
    const char *path = path_of("atoms.tsv");
    FILE *file = fopen(path, "w");
    fprintf(file, "#index0\tresid\tresname\tname\ttype\tmass\tcharge\n");
    for (int i = 0; i < ATOMS; i++)
        fprintf(file, "%d\t%d\tSOL\t%s\t%s\t%g\t%g\n", i, 1 + i / 3, i % 3 ? "HW" : "OW", i % 3 ? "H" : "O",
                i % 3 ? 1.0 : 16.0, i % 3 ? 0.4 : -0.8);
    fclose(file);
    return path;
}

/* ---- a class that lists its frames ---- */

enum { TOLD = 5, TOLD_MAX = 4096 };

typedef struct telling {
    double rows[TOLD_MAX][TOLD];
    size_t count;
    int64_t fails_at;
    double sum; /* of x over all frames, also those beyond TOLD_MAX */
} telling;

static qn_status tell_create(const qn_query_setup *setup, void **state)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(telling), &memory));
    ((telling *)memory)->fails_at = qn_query_setup_integer(setup, "fail-at");
    *state = memory;
    return QN_OK;
}

static size_t tell_count(const void *state)
{
    (void)state;
    return TOLD;
}

static qn_status tell_measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const telling *telling_ = state;
    partial[0] = (double)frame->frame->number;
    partial[1] = frame->frame->time_ps;
    partial[2] = (double)frame->frame->step;
    partial[3] = (double)frame->atom_count[0];
    for (size_t i = 0; i < frame->atom_count[0]; i++)
        partial[4] += frame->frame->positions_nm[3 * (size_t)frame->atoms[0][i]];
    if (telling_->fails_at >= 0 && (uint64_t)telling_->fails_at == frame->frame->number)
        return QN_FAIL(QN_INVALID_ARGUMENT, "this is as far as it goes");
    return QN_OK;
}

static qn_status tell_collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    telling *told = state;
    if (frame->positions_nm || frame->number != (uint64_t)partial[0])
        return QN_FAIL(QN_INTERNAL, "frame %llu comes with the numbers of frame %g", (unsigned long long)frame->number,
                       partial[0]);
    if (told->count < TOLD_MAX) memcpy(told->rows[told->count], partial, sizeof told->rows[0]);
    told->count++;
    told->sum += partial[4];
    return QN_OK;
}

static qn_status tell_finish(const void *state, qn_query_tables *tables)
{
    static const qn_query_column columns[TOLD] = {
        {"frame", "", 0}, {"time", "ps", 0}, {"step", "", 0}, {"atoms", "", 0}, {"x", "nm", 1}};
    const telling *told = state;
    QN_TRY(qn_query_tables_begin(tables, &(qn_query_table){"", "Told", columns, TOLD, 0, NULL}));
    for (size_t i = 0; i < told->count && i < TOLD_MAX; i++) QN_TRY(qn_query_tables_row(tables, told->rows[i]));
    return qn_query_tables_number(tables, "sum", told->sum, "nm", 1);
}

static void tell_destroy(void *state)
{
    qn_release(&state);
}

static const qn_query_parameter tell_parameters[] = {
    {"fail-at", QN_PARAMETER_INTEGER, "-1", -1, 1e6, NULL, "frame at which measuring fails"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const qn_query_class tell_class = {.size = sizeof(qn_query_class),
                                          .name = "tell",
                                          .meaning = "lists the frames",
                                          .parameters = tell_parameters,
                                          .selections = 1,
                                          .create = tell_create,
                                          .partial_count = tell_count,
                                          .measure = tell_measure,
                                          .collect = tell_collect,
                                          .finish = tell_finish,
                                          .destroy = tell_destroy};

/* The same class on a device: positions are written to its memory and read back, in a buffer in scratch. */
typedef struct tell_scratch {
    qn_buffer *buffer;
} tell_scratch;

static qn_status tell_on_device(const void *state, const qn_query_frame *frame, double *partial)
{
    const size_t bytes = 3 * frame->frame->atom_count * sizeof(float);
    float back[3 * ATOMS];
    tell_scratch *scratch = *frame->scratch;
    if (!scratch) {
        QN_TRY(qn_allocate(1, sizeof *scratch, frame->scratch));
        scratch = *frame->scratch;
        QN_TRY(qn_buffer_create(qn_queue_device(frame->queue), bytes, &scratch->buffer));
    }
    QN_TRY(qn_queue_write(frame->queue, scratch->buffer, 0, frame->frame->positions_nm, bytes, NULL));
    QN_TRY(qn_queue_read(frame->queue, scratch->buffer, 0, back, bytes, NULL));
    QN_TRY(qn_queue_finish(frame->queue));
    qn_trajectory_frame copy = *frame->frame;
    qn_query_frame seen = *frame;
    copy.positions_nm = back;
    seen.frame = &copy;
    return tell_measure(state, &seen, partial);
}

static void drop_scratch(void *memory)
{
    tell_scratch *scratch = memory;
    qn_buffer_release(&scratch->buffer);
    qn_release(&memory);
}

static qn_query_class device_class(void)
{
    qn_query_class query_class = tell_class;
    query_class.name = "tell-device";
    query_class.on_device = true;
    query_class.measure = tell_on_device;
    query_class.scratch_destroy = drop_scratch;
    return query_class;
}

/* ---- runs ---- */

typedef struct captured {
    double rows[TOLD_MAX][TOLD]; /* of the first query */
    size_t count, queries, warnings, writes;
    uint64_t frames, resumed, overlapping;
    double sums[4]; /* of each query */
    char warning[512];
    bool complete;
} captured;

static qn_status capture(const qn_trajectory_results *results, void *user)
{
    captured *seen = user;
    const qn_query_filled_table *table = &results->queries[0].tables->tables[0];
    seen->count = table->row_count;
    memcpy(seen->rows, table->values, table->row_count * sizeof seen->rows[0]);
    seen->queries = results->query_count;
    for (size_t i = 0; i < results->query_count && i < 4; i++)
        seen->sums[i] = results->queries[i].tables->numbers[0].value;
    seen->warnings = results->job->warnings.count;
    if (seen->warnings) snprintf(seen->warning, sizeof seen->warning, "%s", results->job->warnings.text[0]);
    seen->frames = results->frames;
    seen->resumed = results->resumed;
    seen->overlapping = results->overlapping;
    seen->complete = results->complete;
    seen->writes++;
    return QN_OK;
}

static const char *device = "host";
static const qn_query_class *user_classes[3];
static qn_query_class on_device;
static captured seen, again;

static qn_trajectory_options options_for(const char *const *files, size_t count, const qn_trajectory_query *queries,
                                         size_t query_count)
{
    static int folder;
    char name[32];
    qn_trajectory_options options = qn_trajectory_default_options();
    snprintf(name, sizeof name, "run%d", folder++);
    on_device = device_class();
    user_classes[0] = &tell_class;
    user_classes[1] = &on_device;
    options.topology = make_topology();
    options.trajectories = files;
    options.trajectory_count = count;
    options.queries = queries;
    options.query_count = query_count;
    options.user_classes = user_classes;
    options.output = path_of(name);
    options.run.device = device;
    return options;
}

static qn_status run_with(int threads, const qn_trajectory_options *options, captured *result)
{
    qn_context *context;
    *result = (captured){0};
    QN_TRY(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = threads}, &context));
    qn_status status = qn_trajectory_run_to(context, options, capture, result, NULL);
    qn_context_destroy(&context);
    return status;
}

static const qn_trajectory_query one_query[] = {{.size = sizeof(qn_trajectory_query), .query_class = "tell"}};

/* Sum of x over atoms first, first + step, … of a frame. */
static double sum_of(int frame, int step)
{
    double sum = 0;
    for (int atom = 0; atom < ATOMS; atom += step) sum += x_of(frame, atom);
    return sum;
}

static void frames_are_collected_once_and_in_order(void)
{
    const char *files[] = {make_trajectory("whole.xtc", 0, 203)};
    const qn_trajectory_query queries[] = {
        {.size = sizeof(qn_trajectory_query), .query_class = "tell"},
        {.size = sizeof(qn_trajectory_query), .query_class = "tell", .name = "oxygens", .select = "name OW"}};
    const qn_trajectory_options options = options_for(files, 1, queries, 2);
    double oxygens = 0;
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 203 && seen.frames == 203 && seen.queries == 2 && seen.warnings == 0 && seen.complete);
    for (int i = 0; i < 203; i++) {
        const double *row = seen.rows[i];
        CHECK(row[0] == i && row[1] == 2 * i && row[2] == 10 * i && row[3] == ATOMS && row[4] == sum_of(i, 1));
        oxygens += sum_of(i, 3);
    }
    CHECK(seen.sums[1] == oxygens);
}

static void results_depend_neither_on_threads_nor_on_memory(void)
{
    const char *files[] = {make_trajectory("any.xtc", 0, 500)};
    const qn_trajectory_query queries[] = {
        {.size = sizeof(qn_trajectory_query), .query_class = "tell", .select = "x < 20"},
        {.size = sizeof(qn_trajectory_query), .query_class = "tell-device", .select = "x < 20 and name OW"}};
    const int threads[] = {1, 2, 3};
    const uint64_t bytes[] = {0, 1, 20000};
    qn_trajectory_options options = options_for(files, 1, queries, 2);
    if (!CHECK_OK(run_with(1, &options, &again))) return;
    CHECK(again.count == 500 && again.rows[159][3] == 6 && again.rows[160][3] == 0); /* frame / 8 + atom / 64 < 20 */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            options = options_for(files, 1, queries, 2);
            options.run.memory_bytes = bytes[j];
            if (!CHECK_OK(run_with(threads[i], &options, &seen))) return;
            CHECK(seen.count == 500 && memcmp(seen.rows, again.rows, sizeof seen.rows) == 0);
            CHECK(seen.sums[0] == again.sums[0] && seen.sums[1] == again.sums[1]);
        }
}

static void devices_share_the_frames(void)
{
    const char *files[] = {make_trajectory("shared.xtc", 0, 500)};
    const qn_trajectory_query queries[] = {
        {.size = sizeof(qn_trajectory_query), .query_class = "tell-device", .select = "x < 20"}};
    char list[64];
    qn_trajectory_options options = options_for(files, 1, queries, 1);
    if (!CHECK_OK(run_with(2, &options, &again))) return;
    options = options_for(files, 1, queries, 1);
    snprintf(list, sizeof list, "host,%s", device);
    options.run.device = list;
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 500 && memcmp(seen.rows, again.rows, sizeof seen.rows) == 0);
}

static void ranges_and_strides_pick_frames(void)
{
    const char *files[] = {make_trajectory("a.xtc", 0, 50), make_trajectory("b.xtc", 50, 50)};
    qn_trajectory_options options = options_for(files, 2, one_query, 1);
    options.begin_ps = 20;
    options.end_ps = 150;
    options.stride = 5;
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 14); /* frames 10, 15, … 75 */
    for (size_t i = 0; i < seen.count; i++) CHECK(seen.rows[i][0] == 10 + 5 * (double)i);
    options = options_for(files, 2, one_query, 1);
    options.first_frame = 7;
    options.last_frame = 93;
    options.stride = 20;
    options.keep_overlaps = true; /* so that frames may be skipped */
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 5);
    for (size_t i = 0; i < seen.count; i++) CHECK(seen.rows[i][0] == 7 + 20 * (double)i);
    const char *replicas[] = {make_trajectory("e.xtc", 0, 30), make_trajectory("f.xtc", 0, 30)};
    options = options_for(replicas, 2, one_query, 1);
    options.end_ps = 20;
    options.keep_overlaps = true;
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 22 && seen.rows[10][1] == 20 && seen.rows[11][1] == 0 && seen.rows[21][1] == 20);
    options = options_for(files, 2, one_query, 1);
    options.begin_ps = 1000;
    CHECK_FAILS(run_with(2, &options, &seen), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("a.xtc has no frame in the chosen range of times and numbers");
    CHECK(access(options.output, F_OK) != 0);
    options = options_for(NULL, 0, one_query, 1);
    options.topology = path_of("one.gro");
    FILE *gro = fopen(options.topology, "w");
    fprintf(gro, "one\n    1\n    1SOL     OW    1   0.100   0.200   0.300\n   1 1 1\n");
    fclose(gro);
    options.first_frame = 1; /* the structure is the only frame, number 0 */
    CHECK_FAILS(run_with(2, &options, &seen), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("one.gro has no frame in the chosen range of times and numbers");
}

/* Times in the file are in single precision: 0.7 is slightly less, and 1.1 slightly more, than the user's number. */
static void ranges_of_times_include_their_ends(void)
{
    const char *files[] = {path_of("tenths.xtc")};
    FILE *file = fopen(files[0], "wb");
    for (int i = 0; i < 20; i++) put_frame(file, i, 0.1 * i, ATOMS);
    fclose(file);
    CHECK((double)0.7F < 0.7 && (double)1.1F > 1.1);
    qn_trajectory_options options = options_for(files, 1, one_query, 1);
    options.begin_ps = 0.7;
    options.end_ps = 1.1;
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 5 && seen.rows[0][0] == 7 && seen.rows[4][0] == 11);
}

static void frames_at_times_already_reached_are_left_out(void)
{
    const char *files[] = {make_trajectory("c.xtc", 0, 30), make_trajectory("d.xtc", 20, 30)};
    qn_trajectory_options options = options_for(files, 2, one_query, 1);
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 50 && seen.overlapping == 10 && seen.warnings == 1);
    CHECK(strstr(seen.warning, "d.xtc: 10 frames were left out") && strstr(seen.warning, "c.xtc reaches 58 ps"));
    for (size_t i = 0; i < seen.count; i++) CHECK(seen.rows[i][1] == 2 * (double)i);
    options = options_for(files, 2, one_query, 1);
    options.keep_overlaps = true;
    if (!CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 60 && seen.rows[30][1] == 40 && seen.warnings == 0);
}

static void a_cut_file_is_a_warning(void)
{
    const char *files[] = {make_trajectory("cut.xtc", 0, 40)};
    const qn_trajectory_options options = options_for(files, 1, one_query, 1);
    struct stat status;
    stat(files[0], &status);
    if (!CHECK(truncate(files[0], status.st_size - 30) == 0) || !CHECK_OK(run_with(2, &options, &seen))) return;
    CHECK(seen.count == 39 && seen.warnings == 1 && strstr(seen.warning, "cut.xtc"));
}

static void a_damaged_file_gives_the_results_before_the_damage(void)
{
    const char *files[] = {make_trajectory("broken.xtc", 0, 60)};
    const qn_trajectory_options options = options_for(files, 1, one_query, 1);
    FILE *file = fopen(files[0], "r+b");
    fseek(file, 0, SEEK_END);
    fseek(file, ftell(file) / 60 * 33 + 4, SEEK_SET); /* the atom count of frame 33 */
    put_word(file, 12345);
    fclose(file);
    CHECK_FAILS(run_with(2, &options, &seen), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("broken.xtc");
    CHECK_MESSAGE_HAS("33");
    CHECK_MESSAGE_HAS("has the results of the 33 frames before that place");
    CHECK(seen.count == 33 && seen.rows[32][4] == sum_of(32, 1) && strstr(seen.warning, "broken.xtc"));
    qn_trajectory_options resumed = options; /* the journal has complete pieces of 8 frames only */
    resumed.run.resume = true;
    CHECK_FAILS(run_with(2, &resumed, &seen), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has the results of the 33 frames before that place");
    CHECK(seen.count == 33 && seen.resumed == 32 && seen.rows[32][4] == sum_of(32, 1));
}

static void failing_queries_name_query_and_frame(void)
{
    const qn_trajectory_parameter parameters[] = {{"fail-at", "17"}};
    const qn_trajectory_query queries[] = {{.size = sizeof(qn_trajectory_query),
                                            .query_class = "tell",
                                            .name = "stops",
                                            .parameters = parameters,
                                            .parameter_count = 1}};
    const char *files[] = {make_trajectory("fails.xtc", 0, 60)};
    const qn_trajectory_options options = options_for(files, 1, queries, 1);
    CHECK_FAILS(run_with(2, &options, &seen), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("query stops: frame 17 (34 ps): this is as far as it goes");
    CHECK(seen.writes == 0);
}

/* ---- progress, stopping and resuming ---- */

typedef struct told_progress {
    size_t calls, wrong, last_done;
} told_progress;

/* Frames have much the same size, so the estimate of their number is right within a tenth from the start. */
static int note_progress(const qn_progress *progress, void *user)
{
    told_progress *told = user;
    if (progress->total == 0) return 0; /* is not shown */
    told->calls++;
    told->wrong += progress->done > progress->total || progress->done < told->last_done;
    told->wrong += progress->total < SIZE_MAX && (progress->total < 1800 || progress->total > 2200);
    told->last_done = progress->done;
    return 0;
}

static void progress_counts_each_frame_once(void)
{
    const char *files[] = {make_trajectory("told.xtc", 0, 2000)};
    for (int threads = 1; threads <= 2; threads++) {
        told_progress told = {0};
        qn_trajectory_options options = options_for(files, 1, one_query, 1);
        options.run.progress = note_progress;
        options.run.progress_user = &told;
        if (!CHECK_OK(run_with(threads, &options, &seen))) return;
        CHECK(told.calls > 0 && told.wrong == 0 && told.last_done == 2000);
    }
}

static int stop_at_frames(const qn_progress *progress, void *user)
{
    return progress->done >= *(const size_t *)user;
}

static void a_stopped_run_can_be_resumed(void)
{
    const char *files[] = {make_trajectory("long.xtc", 0, 3000)};
    const qn_trajectory_query queries[] = {
        {.size = sizeof(qn_trajectory_query), .query_class = "tell", .select = "x > 3"},
        {.size = sizeof(qn_trajectory_query), .query_class = "tell-device"}};
    qn_trajectory_options options = options_for(files, 1, queries, 2);
    size_t stop = 500;
    if (!CHECK_OK(run_with(2, &options, &again))) return;
    options = options_for(files, 1, queries, 2);
    options.run.progress = stop_at_frames;
    options.run.progress_user = &stop;
    CHECK_FAILS(run_with(2, &options, &seen), QN_CANCELLED);
    CHECK_MESSAGE_HAS("continue with --resume");
    CHECK(seen.writes == 0);
    options.run.progress = NULL;
    CHECK_FAILS(run_with(2, &options, &seen), QN_ALREADY_EXISTS);
    options.run.resume = true;
    options.stride = 2;
    CHECK_FAILS(run_with(2, &options, &seen), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("stride");
    options.stride = 1;
    if (!CHECK_OK(run_with(1, &options, &seen))) return;
    CHECK(seen.resumed > 0 && seen.resumed < 3000 && seen.frames == 3000);
    CHECK(memcmp(seen.rows, again.rows, sizeof seen.rows) == 0 && seen.sums[1] == again.sums[1]);
    if (!CHECK_OK(run_with(2, &options, &seen))) return; /* resume the finished run */
    CHECK(seen.resumed == 3000 && memcmp(seen.rows, again.rows, sizeof seen.rows) == 0);
}

/* Frames after the last wanted frame do not count as analysed. */
static void resuming_a_finished_run_gives_the_same_results(void)
{
    const char *files[] = {make_trajectory("over.xtc", 0, 100)};
    for (uint64_t stride = 1; stride <= 3; stride++) {
        qn_trajectory_options options = options_for(files, 1, one_query, 1);
        options.first_frame = 3;
        options.last_frame = 43;
        options.stride = stride;
        if (!CHECK_OK(run_with(2, &options, &again))) return;
        options.run.resume = true;
        if (!CHECK_OK(run_with(2, &options, &seen))) return;
        CHECK(seen.count == 40 / stride + 1 && seen.resumed == seen.frames);
        CHECK(memcmp(seen.rows, again.rows, sizeof seen.rows) == 0);
    }
}

/* ---- streams ---- */

enum { STREAMED = 200000 };

static void *write_stream(void *user)
{
    FILE *file = fopen(user, "wb");
    for (int i = 0; i < STREAMED; i++) put_frame(file, i, i, ATOMS);
    fclose(file);
    return NULL;
}

static void streams_are_read_in_bounded_memory(void)
{
    const char *files[] = {path_of("stream")};
    qn_trajectory_options options = options_for(files, 1, one_query, 1);
    pthread_t writer;
    double sum = 0;
    CHECK(mkfifo(files[0], 0600) == 0);
    options.run.resume = true;
    if (!CHECK(pthread_create(&writer, NULL, write_stream, (void *)files[0]) == 0)) return;
    options.run.resume = false;
    const long before = check_peak_kib();
    CHECK_OK(run_with(2, &options, &seen));
    const long after = check_peak_kib();
    pthread_join(writer, NULL);
    for (int i = 0; i < STREAMED; i++) sum += sum_of(i, 1);
    CHECK(seen.frames == STREAMED && seen.sums[0] == sum); /* multiples of 1/64: exact */
    CHECK(after - before < 8192);                          /* the stream has 25.6 MB */
    CHECK(access(options.output, F_OK) == 0);
}

/* ---- mistakes ---- */

static void expect_refusal(const qn_trajectory_query *query, const char *message)
{
    const char *files[] = {make_trajectory("few.xtc", 0, 3)};
    const qn_trajectory_options options = options_for(files, 1, query, 1);
    CHECK_FAILS(run_with(1, &options, &seen), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS(message);
    CHECK(access(options.output, F_OK) != 0);
}

static void mistakes_are_reported_before_anything_is_written(void)
{
    const qn_trajectory_parameter parameters[] = {{"fail-att", "17"}};
    expect_refusal(&(qn_trajectory_query){.size = sizeof(qn_trajectory_query), .query_class = "tel"},
                   "there is no query \"tel\"; expected one of: mass");
    expect_refusal(&(qn_trajectory_query){.size = sizeof(qn_trajectory_query), .query_class = "tell", .name = "a/b"},
                   "cannot name a file");
    expect_refusal(
        &(qn_trajectory_query){.size = sizeof(qn_trajectory_query), .query_class = "tell", .select = "name CA"},
        "selects none of the 6 atoms");
    expect_refusal(&(qn_trajectory_query){.size = sizeof(qn_trajectory_query), .query_class = "tell", .with = "all"},
                   "tell takes only one");
    expect_refusal(
        &(qn_trajectory_query){
            .size = sizeof(qn_trajectory_query), .query_class = "tell", .parameters = parameters, .parameter_count = 1},
        "did you mean \"fail-at\"?");
    expect_refusal(&(qn_trajectory_query){.size = sizeof(qn_trajectory_query), .query_class = "tell", .whole = QN_YES},
                   "query tell needs whole molecules");
}

static void queries_need_unique_names(void)
{
    const qn_trajectory_query queries[] = {{.size = sizeof(qn_trajectory_query), .query_class = "tell"},
                                           {.size = sizeof(qn_trajectory_query), .query_class = "tell"}};
    const char *files[] = {make_trajectory("few.xtc", 0, 3)};
    const qn_trajectory_selection selections[] = {{"oxygens", "name OW"}};
    const qn_trajectory_query named[] = {
        {.size = sizeof(qn_trajectory_query), .query_class = "tell", .select = "oxygens"}};
    qn_trajectory_options options = options_for(files, 1, queries, 2);
    CHECK_FAILS(run_with(1, &options, &seen), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("two queries are named \"tell\"");
    options = options_for(files, 1, named, 1);
    options.selections = selections;
    options.selection_count = 1;
    if (CHECK_OK(run_with(1, &options, &seen))) CHECK(seen.rows[2][3] == 2 && seen.rows[2][4] == sum_of(2, 3));
    options = options_for(files, 1, named, 1);
    options.trajectories = (const char *const[]){"/nowhere.xtc"};
    CHECK_FAILS(run_with(1, &options, &seen), QN_INVALID_ARGUMENT); /* selections are checked before files are opened */
}

static void skip_without_device(void)
{
    qn_context *context;
    qn_device *opened = NULL;
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context) != QN_OK)
        return;
    if (qn_device_open(context, device, &opened) == QN_NO_DEVICE) check_skip(device, qn_error_message());
    qn_device_release(&opened);
    qn_context_destroy(&context);
}

/* ---- several processes: tests/trajectory/check_ranks.sh ---- */

static int print_failure(qn_status status)
{
    fprintf(stderr, "%s\n", qn_error_message());
    return status == QN_OK ? 0 : 1;
}

static qn_status write_rows(const qn_trajectory_results *results, void *user)
{
    const qn_query_filled_table *table = &results->queries[0].tables->tables[0];
    FILE *file = fopen(user, "w");
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t j = 0; j < TOLD; j++)
            fprintf(file, "%.17g%c", table->values[TOLD * i + j], j + 1 < TOLD ? ' ' : '\n');
    fprintf(file, "%.17g %.17g\n", results->queries[0].tables->numbers[0].value,
            results->queries[1].tables->numbers[0].value);
    fclose(file);
    return QN_OK;
}

/* Slow each process down, so that every process gets some pieces. */
static int dawdle(const qn_progress *progress, void *user)
{
    (void)user;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return getenv("STOP_AT") && progress->done >= (size_t)atoi(getenv("STOP_AT"));
}

/* run FOLDER OUTPUT resume|fresh: rows go to OUTPUT.txt */
static int run_ranks(char **arguments)
{
    static const qn_trajectory_query queries[] = {
        {.size = sizeof(qn_trajectory_query), .query_class = "tell", .select = "x < 40"},
        {.size = sizeof(qn_trajectory_query), .query_class = "tell-device", .select = "name OW"}};
    char first[512], second[512], topology[512], rows[512];
    const char *files[] = {first, second};
    qn_trajectory_options options = options_for(files, 2, queries, 2);
    qn_context *context;
    snprintf(first, sizeof first, "%s/first.xtc", arguments[0]);
    snprintf(second, sizeof second, "%s/second.xtc", arguments[0]);
    snprintf(topology, sizeof topology, "%s/atoms.tsv", arguments[0]);
    snprintf(rows, sizeof rows, "%s.txt", arguments[1]);
    options.topology = topology;
    options.output = arguments[1];
    options.run.resume = strcmp(arguments[2], "resume") == 0;
    options.run.progress = dawdle;
    options.run.memory_bytes = 1; /* the fewest slots, so that no process reads far ahead */
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context) != QN_OK)
        return print_failure(QN_INTERNAL);
    const qn_status status = qn_trajectory_run_to(context, &options, write_rows, rows, NULL);
    qn_context_destroy(&context);
    return print_failure(status);
}

/* make FOLDER: two files of which the second begins before the first ends. */
static int make_files(const char *folder)
{
    char to[512];
    snprintf(to, sizeof to, "cp '%s' '%s' '%s' '%s'", make_topology(), make_trajectory("first.xtc", 0, 700),
             make_trajectory("second.xtc", 600, 700), folder);
    return system(to);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "make") == 0) return make_files(argv[2]);
    if (argc == 5 && strcmp(argv[1], "run") == 0) return run_ranks(argv + 2);
    if (argc == 2) device = argv[1];
    skip_without_device();
    RUN(frames_are_collected_once_and_in_order);
    RUN(results_depend_neither_on_threads_nor_on_memory);
    if (strcmp(device, "host") != 0) RUN(devices_share_the_frames);
    RUN(ranges_and_strides_pick_frames);
    RUN(ranges_of_times_include_their_ends);
    RUN(frames_at_times_already_reached_are_left_out);
    RUN(a_cut_file_is_a_warning);
    RUN(a_damaged_file_gives_the_results_before_the_damage);
    RUN(failing_queries_name_query_and_frame);
    RUN(progress_counts_each_frame_once);
    RUN(a_stopped_run_can_be_resumed);
    RUN(resuming_a_finished_run_gives_the_same_results);
    RUN(streams_are_read_in_bounded_memory);
    RUN(mistakes_are_reported_before_anything_is_written);
    RUN(queries_need_unique_names);
    return check_finish();
}
