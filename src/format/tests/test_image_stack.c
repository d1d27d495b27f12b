/* labels: threads */
/* Stacks of images: real stacks compared with numpy, small integers, several threads, refused files, writing. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "format/image/image_stack.h"
#include "format/tests/mrc_files.h"

/* Sums over all images, and single values, that numpy gives for the same files. */
static const struct {
    const char *name;
    int width, height, images;
    double pixel_angstrom, sum;
    struct {
        int x, y, image;
        double value;
    } pixels[3];
} stacks[] = {
    {"particles/toy/toy_projections.mrcs",
     30,
     30,
     1000,
     0,
     180142.64497098682,
     {{15, 15, 500, 2.05325079}, {0, 0, 0, 0}, {29, 10, 200, 0}}},
    {"particles/relion31/relion31.mrcs",
     256,
     256,
     5,
     1,
     3527.859729764351,
     {{128, 128, 2, -0.739750683}, {255, 85, 1, -2.50861382}, {3, 2, 4, 0.06216342}}},
    {"particles/rln_proj/rln_proj_65.mrcs",
     65,
     65,
     5,
     0,
     1.8882221461171182,
     {{32, 32, 2, 0.00243858923}, {64, 21, 1, -0.000127236577}, {1, 64, 2, 1.07103879e-05}}},
    {"particles/empiar10076_7/empiar_10076_7.mrc",
     320,
     320,
     7,
     0,
     -2461.756894549052,
     {{160, 160, 3, -1.66676021}, {1, 319, 2, 1.35368156}, {3, 2, 6, -0.160192534}}},
    {"synthetic/c1_48_400/particles.mrcs",
     48,
     48,
     400,
     3,
     598049.7818591095,
     {{24, 24, 200, 5.40079689}, {0, 0, 0, 0}, {1, 47, 2, 0}}},
    {"synthetic/movie_768/movie.mrcs",
     768,
     640,
     16,
     1.5,
     21508930,
     {{200, 100, 5, 1}, {767, 639, 15, 3}, {767, 639, 15, 3}}},
};

static void real_stacks_are_read(void)
{
    void *scratch = NULL;
    size_t scratch_bytes = 0;
    CHECK(1); /* nothing to read without the reference data */
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        char name[128];
        qn_image_stack *stack;
        uint64_t images;
        int width, height;
        double sum = 0;
        snprintf(name, sizeof name, "cryoem/%s", stacks[i].name);
        const char *path = check_reference_data(name);
        if (!path || !CHECK_OK(qn_image_stack_open(path, &stack))) continue;
        qn_image_stack_shape(stack, &images, &width, &height);
        CHECK(images == (uint64_t)stacks[i].images && width == stacks[i].width && height == stacks[i].height);
        CHECK_NEAR(qn_image_stack_pixel_angstrom(stack), stacks[i].pixel_angstrom, 1e-6);
        const size_t pixels = (size_t)width * (size_t)height;
        float *values = malloc(pixels * sizeof *values);
        for (uint64_t image = images; image-- > 0;) { /* any order */
            if (!CHECK_OK(qn_image_stack_read(stack, image, &scratch, &scratch_bytes, values))) break;
            for (size_t p = 0; p < pixels; p++) sum += values[p];
            for (int k = 0; k < 3; k++)
                if (image == (uint64_t)stacks[i].pixels[k].image)
                    CHECK_NEAR(values[stacks[i].pixels[k].y * width + stacks[i].pixels[k].x], stacks[i].pixels[k].value,
                               1e-8 * fabs(stacks[i].pixels[k].value));
        }
        CHECK_NEAR(sum, stacks[i].sum, 1e-9 * fabs(stacks[i].sum));
        CHECK_FAILS(qn_image_stack_read(stack, images, &scratch, &scratch_bytes, values), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(qn_path_name(stacks[i].name));
        free(values);
        qn_image_stack_close(&stack);
        CHECK(stack == NULL);
    }
    qn_release(&scratch);
}

enum { MADE_IMAGES = 40, MADE_WIDTH = 7, MADE_HEIGHT = 5, MADE_PIXELS = MADE_WIDTH * MADE_HEIGHT };

/* Image i, pixel p: 100 i + p, 16-bit, big endian, after an extended header. */
static const char *make_stack(void)
{
    static const int counts[3] = {MADE_WIDTH, MADE_HEIGHT, MADE_IMAGES};
    static char path[700];
    mrc_bytes file = mrc_make(true, 1, counts, 333, 2 * MADE_PIXELS * MADE_IMAGES);
    for (size_t i = 0; i < MADE_IMAGES; i++)
        for (size_t p = 0; p < MADE_PIXELS; p++)
            mrc_put(&file, 1024 + 333 + 2 * (i * MADE_PIXELS + p), (uint32_t)(100 * i + p), 2);
    snprintf(path, sizeof path, "%s", mrc_save(&file, "made.mrcs"));
    mrc_free(&file);
    return path;
}

typedef struct reading {
    const qn_image_stack *stack;
    int first, wrong;
} reading;

static void *read_every_image(void *data)
{
    reading *r = data;
    void *scratch = NULL;
    size_t scratch_bytes = 0;
    float values[MADE_PIXELS];
    for (int turn = 0; turn < 20 * MADE_IMAGES; turn++) {
        const int image = (r->first + 7 * turn) % MADE_IMAGES;
        if (qn_image_stack_read(r->stack, (uint64_t)image, &scratch, &scratch_bytes, values) != QN_OK) r->wrong++;
        for (int p = 0; p < MADE_PIXELS; p++) r->wrong += values[p] != (float)(100 * image + p);
    }
    qn_release(&scratch);
    return NULL;
}

static void several_threads_read_at_the_same_time(void)
{
    enum { THREADS = 4 };
    qn_image_stack *stack;
    pthread_t threads[THREADS];
    reading readings[THREADS];
    if (!CHECK_OK(qn_image_stack_open(make_stack(), &stack))) return;
    for (int i = 0; i < THREADS; i++) {
        readings[i] = (reading){stack, 11 * i, 0};
        CHECK(pthread_create(&threads[i], NULL, read_every_image, &readings[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(readings[i].wrong == 0);
    }
    qn_image_stack_close(&stack);
}

static void unreadable_stacks_are_refused(void)
{
    char path[700];
    qn_image_stack *stack;
    void *scratch = NULL;
    size_t scratch_bytes = 0;
    float values[MADE_PIXELS];
    snprintf(path, sizeof path, "%s", make_stack());
    if (CHECK_OK(qn_image_stack_open(path, &stack))) {
        CHECK_FAILS(qn_image_stack_read(stack, MADE_IMAGES, &scratch, &scratch_bytes, values), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("has no image 41; expected 1 to 40");
        CHECK(truncate(path, 1024 + 333 + 2 * MADE_PIXELS * 3 + 1) == 0); /* cut while the stack is open */
        CHECK_OK(qn_image_stack_read(stack, 2, &scratch, &scratch_bytes, values));
        CHECK_FAILS(qn_image_stack_read(stack, 3, &scratch, &scratch_bytes, values), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("ends inside image 4");
        qn_image_stack_close(&stack);
    }
    CHECK_FAILS(qn_image_stack_open(path, &stack), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("expected 4157"); /* 1024 + 333 + 2 · 35 · 40 */
    CHECK(stack == NULL);
    CHECK(truncate(path, 1000) == 0);
    CHECK_FAILS(qn_image_stack_open(path, &stack), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has 1000 bytes");
    CHECK_FAILS(qn_image_stack_open("/nowhere/at/all.mrcs", &stack), QN_NOT_FOUND);
    CHECK_FAILS(qn_image_stack_open(check_scratch_folder(), &stack), QN_UNSUPPORTED);
    char pipe[700];
    snprintf(pipe, sizeof pipe, "%s/pipe", check_scratch_folder());
    CHECK(mkfifo(pipe, 0666) == 0);
    CHECK_FAILS(qn_image_stack_open(pipe, &stack), QN_UNSUPPORTED); /* immediately, although no process writes */
    gzFile file = gzopen(path, "wb");
    CHECK(gzwrite(file, values, sizeof values) == sizeof values);
    gzclose(file);
    CHECK_FAILS(qn_image_stack_open(path, &stack), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("gunzip");
    qn_release(&scratch);
}

static void stacks_are_written_and_read_back(void)
{
    char path[700], *bytes;
    qn_image_stack_writer *writer;
    qn_image_stack *stack;
    void *scratch = NULL;
    size_t scratch_bytes = 0, size;
    uint64_t images;
    int width, height;
    float values[6];
    snprintf(path, sizeof path, "%s/written.mrcs", check_scratch_folder());
    CHECK_OK(qn_image_stack_writer_create(path, 3, 2, 1.34, "Ours", &writer));
    for (int i = 0; i < 4; i++) {
        for (int p = 0; p < 6; p++) values[p] = (float)(10 * i) + 0.1f * (float)p;
        CHECK_OK(qn_image_stack_writer_append(writer, values));
    }
    CHECK(!qn_file_exists(path));
    CHECK_OK(qn_image_stack_writer_finish(&writer));
    CHECK(writer == NULL && leaves_nothing("partial"));
    if (!CHECK_OK(qn_image_stack_open(path, &stack))) return;
    qn_image_stack_shape(stack, &images, &width, &height);
    CHECK(images == 4 && width == 3 && height == 2);
    CHECK_NEAR(qn_image_stack_pixel_angstrom(stack), 1.34, 1e-6);
    CHECK_OK(qn_image_stack_read(stack, 3, &scratch, &scratch_bytes, values));
    for (int p = 0; p < 6; p++) CHECK(values[p] == 30 + 0.1f * (float)p);
    qn_image_stack_close(&stack);
    qn_release(&scratch);
    CHECK_OK(qn_file_read(path, &bytes, &size));
    CHECK(size == 1024 + 4 * 24 && bytes[88] == 0 && bytes[36] == 1); /* space group 0 and mz 1: images */
    free(bytes);
}

static void unfinished_stacks_are_removed(void)
{
    char path[700];
    float values[6] = {0};
    qn_image_stack_writer *writer;
    snprintf(path, sizeof path, "%s/unfinished.mrcs", check_scratch_folder());
    CHECK_OK(qn_image_stack_writer_create(path, 3, 2, 0, NULL, &writer));
    CHECK_OK(qn_image_stack_writer_append(writer, values));
    qn_image_stack_writer_discard(&writer);
    CHECK(writer == NULL && leaves_nothing("unfinished"));
    CHECK_OK(qn_image_stack_writer_create(path, 3, 2, 0, NULL, &writer));
    CHECK_FAILS(qn_image_stack_writer_finish(&writer), QN_INVALID_ARGUMENT); /* no image */
    CHECK(writer == NULL && leaves_nothing("unfinished"));
    CHECK_FAILS(qn_image_stack_writer_create(path, 0, 2, 0, NULL, &writer), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_image_stack_writer_create(path, 2, 2, -1, NULL, &writer), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_image_stack_writer_create("/nowhere/at/all.mrcs", 2, 2, 1, NULL, &writer), QN_NOT_FOUND);
    CHECK(writer == NULL);
    qn_image_stack_writer_discard(&writer);
}

int main(void)
{
    RUN(real_stacks_are_read);
    RUN(several_threads_read_at_the_same_time);
    RUN(unreadable_stacks_are_refused);
    RUN(stacks_are_written_and_read_back);
    RUN(unfinished_stacks_are_removed);
    return check_finish();
}
