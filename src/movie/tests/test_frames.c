/* devices: host opencl:0 cuda:0 checking:opencl:0 */
#define _POSIX_C_SOURCE 200809L /* truncate */
/* Frames of MRC movies that are brought to a device by several threads, in pieces and whole: all samples, their sum,
 * movies one after the other, and a file that is cut while it is read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "check.h"
#include "format/tests/mrc_files.h"
#include "movie/frames.h"

enum { WIDTH = 1500, HEIGHT = 1111, FRAMES = 5, THREADS = 3 }; /* 3.2 MiB a frame of 2-byte samples */

static const char *name;
static qn_context *context;
static qn_device *device;
static qn_pool *pool;
static qn_movie_loader *loader;

static int value_at(size_t pixel, int frame, int salt)
{
    return (int)(((pixel * 2654435761u >> 7) + 77 * (unsigned)frame + (unsigned)salt) % 251);
}

static const char *write_movie(bool big_endian, int salt)
{
    const int counts[3] = {WIDTH, HEIGHT, FRAMES};
    mrc_bytes file = mrc_make(big_endian, 6, counts, 0, (size_t)2 * WIDTH * HEIGHT * FRAMES);
    for (int f = 0; f < FRAMES; f++)
        for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
            mrc_put(&file, 1024 + 2 * ((size_t)f * WIDTH * HEIGHT + i), (uint32_t)value_at(i, f, salt), 2);
    const char *path = mrc_save(&file, "frames.mrc");
    mrc_free(&file);
    return path;
}

typedef struct comparison {
    qn_queue *queue;
    uint16_t *samples;
    const qn_movie_frame_plan *plan;
    int salt, seen;
    size_t wrong;
} comparison;

static qn_status compare_frame(int frame, qn_buffer *samples, size_t offset, void *user)
{
    comparison *c = user;
    const size_t pixels = (size_t)WIDTH * HEIGHT;
    QN_TRY(qn_queue_read(c->queue, samples, offset, c->samples, pixels * sizeof *c->samples, NULL));
    QN_TRY(qn_queue_finish(c->queue));
    for (size_t i = 0; i < pixels; i++) c->wrong += c->samples[i] != value_at(i, c->plan->frames[frame].first, c->salt);
    c->seen++;
    return QN_OK;
}

static qn_status flush(void *user)
{
    (void)user;
    return QN_OK;
}

static void make_plan(int first, qn_movie_frame_plan *plan)
{
    qn_movie_run_options options = qn_movie_run_default_options();
    options.frames[0] = first;
    CHECK_OK(qn_movie_frame_plan_make(&options, NULL, FRAMES, 1.0 / FRAMES, plan));
}

/* Load a movie and compare all samples and the sum. */
static void check_frames(bool big_endian, bool holds, int salt, int first, qn_movie_frames *frames)
{
    const size_t pixels = (size_t)WIDTH * HEIGHT;
    qn_movie_file *file;
    qn_movie_frame_plan plan;
    if (!CHECK_OK(qn_movie_file_open(write_movie(big_endian, salt), NULL, &file))) return;
    CHECK(qn_movie_file_has_parts(file) == !big_endian);
    make_plan(first, &plan);
    if (CHECK_OK(qn_movie_frames_load(loader, file, &plan, holds, frames))) {
        comparison c = {.plan = &plan, .salt = salt, .samples = malloc(pixels * sizeof(uint16_t))};
        size_t wrong = 0;
        CHECK_OK(qn_queue_create(device, &c.queue));
        CHECK_OK(qn_movie_frames_each(frames, 0, &(qn_movie_frame_visitor){compare_frame, flush, &c}));
        CHECK(c.seen == plan.count);
        CHECK(c.wrong == 0);
        for (size_t i = 0; i < pixels; i++) {
            int sum = 0;
            for (int f = first - 1; f < FRAMES; f++) sum += value_at(i, f, salt);
            wrong += frames->sum[i] != (float)sum;
        }
        CHECK(wrong == 0);
        qn_queue_destroy(&c.queue);
        free(c.samples);
    }
    qn_movie_frame_plan_clear(&plan);
    qn_movie_file_close(&file);
}

static void all_samples_arrive(void)
{
    qn_movie_frames frames = {0};
    check_frames(false, true, 1, 1, &frames);
    check_frames(false, true, 2, 3, &frames); /* the memory is used again */
    check_frames(false, false, 3, 1, &frames);
    check_frames(true, true, 4, 1, &frames); /* its bytes are turned, so frames are brought whole */
    check_frames(false, true, 5, 1, &frames);
    qn_movie_frames_release(&frames);
}

static void a_cut_file_is_told(void)
{
    qn_movie_frames frames = {0};
    qn_movie_file *file;
    qn_movie_frame_plan plan;
    const char *path = write_movie(false, 0);
    if (!CHECK_OK(qn_movie_file_open(path, NULL, &file))) return;
    make_plan(1, &plan);
    CHECK(truncate(path, 1024 + 2 * (off_t)WIDTH * HEIGHT * 3 + 100000) == 0);
    CHECK_FAILS(qn_movie_frames_load(loader, file, &plan, true, &frames), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("frames.mrc: ends at byte 10100024; it had 16666024 bytes when it was opened");
    qn_movie_file_close(&file);
    qn_movie_frame_plan_clear(&plan);
    check_frames(false, true, 6, 1, &frames); /* the loader goes on */
    qn_movie_frames_release(&frames);
}

int main(int argc, char **argv)
{
    name = argc > 1 ? argv[1] : "host";
    CHECK_OK(qn_context_create(NULL, &context));
    if (qn_device_open(context, name, &device) != QN_OK) check_skip(name, qn_error_message());
    CHECK_OK(qn_pool_create(THREADS, &pool));
    CHECK_OK(qn_movie_loader_create(device, pool, &loader));
    RUN(all_samples_arrive);
    RUN(a_cut_file_is_told);
    qn_movie_loader_destroy(&loader);
    qn_pool_destroy(&pool);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
