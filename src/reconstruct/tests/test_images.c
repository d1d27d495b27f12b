/* labels: threads */
/* Batches of a particle set: assignment of particles, reading, and refusals. Stacks are assembled byte by byte; a
 * pixel's value depends on its place. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <quern/particles.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/tests/mrc_files.h"
#include "reconstruct/images.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Make `count` particles of `optics` groups in turn. Each has its own image, in stack 0. */
static qn_particle_set make_set(size_t count, size_t optics)
{
    qn_particle_set set = {.particle_count = count, .optics_count = optics, .name = "set.star", .has_angles = true};
    set.particles = calloc(count, sizeof *set.particles);
    set.optics = calloc(optics, sizeof *set.optics);
    for (size_t i = 0; i < count; i++)
        set.particles[i] =
            (qn_particle){.image = i, .row = i + 1, .line = i + 11, .weight = 1, .optics = (uint32_t)(i % optics)};
    for (size_t i = 0; i < optics; i++) set.optics[i] = (qn_optics_group){.number = (int)i + 1, .pixel_angstrom = 1.5};
    return set;
}

static void free_set(qn_particle_set *set)
{
    for (size_t i = 0; i < set->stack_count; i++) free(set->stacks[i]);
    free(set->stacks);
    free(set->particles);
    free(set->optics);
}

static uint32_t add_stack(qn_particle_set *set, const char *path)
{
    set->stacks = realloc(set->stacks, (set->stack_count + 1) * sizeof *set->stacks);
    set->stacks[set->stack_count] = strdup(path);
    return (uint32_t)set->stack_count++;
}

/* Check that each batch has one group and one half and at most `most` particles, that particles and batches are in the
 * order of the file, that only the last batch of a kind is not full, and that no particle occurs twice. Returns the
 * half of each particle (2: in none), to be freed. */
static int *check_batches(const qn_particle_set *set, const qn_image_plan *plan, size_t most)
{
    int *half = malloc(set->particle_count * sizeof *half), wrong = 0;
    size_t placed = 0;
    for (size_t i = 0; i < set->particle_count; i++) half[i] = 2;
    for (size_t b = 0; b < plan->batch_count; b++) {
        const qn_image_batch_plan *batch = &plan->batches[b];
        wrong += batch->first != placed || batch->count < 1 || batch->count > most;
        wrong += b > 0 && plan->order[batch->first] <= plan->order[batch[-1].first];
        for (size_t later = b + 1; batch->count < most && later < plan->batch_count; later++)
            wrong += plan->batches[later].optics == batch->optics && plan->batches[later].half == batch->half;
        for (size_t i = batch->first; i < batch->first + batch->count; i++) {
            const size_t index = plan->order[i];
            wrong += half[index] != 2 || set->particles[index].optics != batch->optics;
            wrong += i > batch->first && index <= plan->order[i - 1];
            half[index] = batch->half;
        }
        placed += batch->count;
    }
    CHECK(wrong == 0);
    CHECK(placed == plan->image_count);
    return half;
}

static void batches_have_one_group_and_one_half(void)
{
    qn_particle_set set = make_set(1000, 3);
    qn_image_plan plan;
    set.has_subsets = true;
    for (size_t i = 0; i < set.particle_count; i++) {
        set.particles[i].subset = i % 7 < 3 ? 1 : 2;
        if (i % 10 == 9) set.particles[i].weight = i % 20 == 9 ? 0 : -2;
        if (i % 100 == 3) set.particles[i].weight = 0.25;
    }
    if (CHECK_OK(qn_image_plan_create(&set, true, 0, 1, UINT64_MAX, 1, 32, &plan))) {
        CHECK(plan.skipped == 100 && plan.image_count == 900);
        int *half = check_batches(&set, &plan, 32), wrong = 0;
        for (size_t i = 0; i < set.particle_count; i++) wrong += half[i] != (i % 10 == 9 ? 2 : i % 7 < 3 ? 0 : 1);
        CHECK(wrong == 0);
        free(half);
        qn_image_plan_clear(&plan);
        CHECK(plan.order == NULL && plan.batch_count == 0);
    }
    if (CHECK_OK(qn_image_plan_create(&set, false, 2, 101, 200, 1, 1000, &plan))) {
        CHECK(plan.batch_count == 3); /* one for each group */
        int *half = check_batches(&set, &plan, 1000), wrong = 0;
        for (size_t i = 0; i < set.particle_count; i++)
            wrong += half[i] != (i < 100 || i >= 200 || i % 10 == 9 || i % 7 < 3 ? 2 : 0);
        CHECK(wrong == 0);
        free(half);
        qn_image_plan_clear(&plan);
    }
    free_set(&set);
}

static void a_split_makes_equal_halves(void)
{
    enum { COUNT = 2001 };
    qn_particle_set set = make_set(COUNT, 1);
    qn_image_plan plan;
    int *halves[3] = {0}, differing[2] = {0}, turns = 0, sizes[2] = {0};
    for (int turn = 0; turn < 3; turn++) {
        if (!CHECK_OK(qn_image_plan_create(&set, true, 0, 1, UINT64_MAX, turn == 1 ? 8 : 7, 100, &plan))) return;
        halves[turn] = check_batches(&set, &plan, 100);
        qn_image_plan_clear(&plan);
    }
    for (size_t i = 0; i < COUNT; i++) {
        sizes[halves[0][i]]++;
        differing[0] += halves[0][i] != halves[1][i];
        differing[1] += halves[0][i] != halves[2][i];
        if (i % 2 == 1) CHECK(halves[0][i] != halves[0][i - 1]);
        turns += i % 2 == 0 && halves[0][i] == 1;
    }
    CHECK(abs(sizes[0] - sizes[1]) == 1);
    CHECK(differing[0] > 800 && differing[0] < 1200 && differing[1] == 0); /* different seeds, then the same */
    CHECK(turns > 400 && turns < 600);                                     /* odd and even images are in both halves */
    for (int turn = 0; turn < 3; turn++) free(halves[turn]);
    free_set(&set);
}

/* Each image has four rows: one after another, or each after all other images. */
static void rows_of_one_image_stay_together(void)
{
    enum { IMAGES = 301, TIMES = 4, COUNT = IMAGES * TIMES };
    for (int order = 0; order < 2; order++) {
        qn_particle_set set = make_set(COUNT, 1);
        qn_image_plan plan;
        int wrong = 0, sizes[2] = {0};
        for (size_t i = 0; i < COUNT; i++) {
            const size_t image = order == 0 ? i / TIMES : i % IMAGES;
            set.particles[i].stack = (uint32_t)(image / 100);
            set.particles[i].image = image % 100;
        }
        if (CHECK_OK(qn_image_plan_create(&set, true, 0, 1, UINT64_MAX, 1, 64, &plan))) {
            int *half = check_batches(&set, &plan, 64);
            for (size_t i = 0; i < COUNT; i++) {
                wrong += half[i] != (order == 0 ? half[i / TIMES * TIMES] : half[i % IMAGES]);
                sizes[half[i]]++;
            }
            CHECK(wrong == 0 && abs(sizes[0] - sizes[1]) == TIMES);
            free(half);
            qn_image_plan_clear(&plan);
        }
        free_set(&set);
    }
}

static void impossible_plans_are_refused(void)
{
    qn_particle_set set = make_set(10, 1);
    qn_image_plan plan;
    CHECK_FAILS(qn_image_plan_create(&set, false, 1, 1, UINT64_MAX, 1, 4, &plan), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("set.star: has no column _rlnRandomSubset");
    CHECK_FAILS(qn_image_plan_create(&set, true, 1, 1, UINT64_MAX, 1, 4, &plan), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_image_plan_create(&set, false, 3, 1, UINT64_MAX, 1, 4, &plan), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_image_plan_create(&set, false, 0, 0, 3, 1, 4, &plan), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_image_plan_create(&set, false, 0, 4, 3, 1, 4, &plan), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("4 to 3");
    CHECK_FAILS(qn_image_plan_create(&set, false, 0, 1, 3, 1, 0, &plan), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_image_plan_create(&set, false, 0, 11, 20, 1, 4, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("no particle is left of 10");
    CHECK_FAILS(qn_image_plan_create(&set, true, 0, 2, 2, 1, 4, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("expected some of both");
    set.has_subsets = true;
    for (size_t i = 0; i < 10; i++) set.particles[i].subset = 1 + (int)(i % 2);
    set.particles[4].subset = 0;
    CHECK_FAILS(qn_image_plan_create(&set, true, 0, 1, UINT64_MAX, 1, 4, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("set.star: line 15 (row 5): _rlnRandomSubset is 0; expected 1 or 2");
    CHECK(plan.order == NULL && plan.batches == NULL);
    set.particles[4].weight = -1; /* left out, so its subset does not matter */
    if (CHECK_OK(qn_image_plan_create(&set, true, 0, 1, UINT64_MAX, 1, 4, &plan))) CHECK(plan.skipped == 1);
    qn_image_plan_clear(&plan);
    for (size_t i = 0; i < 10; i++) set.particles[i].subset = 1;
    CHECK_FAILS(qn_image_plan_create(&set, true, 0, 1, UINT64_MAX, 1, 4, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("none is of half 2");
    CHECK_FAILS(qn_image_plan_create(&set, false, 2, 1, UINT64_MAX, 1, 4, &plan), QN_BAD_FORMAT);
    free_set(&set);
}

static void two_million_particles_are_planned_in_seconds(void)
{
    qn_particle_set set = make_set(2000000, 50);
    qn_image_plan plan;
    for (size_t i = 0; i < set.particle_count; i++) {
        set.particles[i].stack = (uint32_t)(i / 400);
        set.particles[i].image = i % 400;
    }
    const double begin = seconds();
    if (CHECK_OK(qn_image_plan_create(&set, true, 0, 1, UINT64_MAX, 1, 1024, &plan))) {
        printf("2,000,000 particles planned in %.3f s\n", seconds() - begin);
        CHECK(seconds() - begin < 20); /* also on a slow and busy machine */
        CHECK(plan.image_count == set.particle_count && plan.batch_count == 100 * 20);
    }
    qn_image_plan_clear(&plan);
    free_set(&set);
}

static double pixel_value(int mode, int stack, int image, int x, int y)
{
    const int value = (7 * image + 3 * y + x + 5 * stack) % (mode == 101 ? 16 : 200);
    return mode == 0 || mode == 1 || mode == 12 ? value - 100 : value;
}

/* Convert a whole number of at most 11 bits to IEEE 754 binary16. */
static uint32_t half_bits(double value)
{
    int exponent;
    if (value == 0) return 0;
    const double fraction = frexp(fabs(value), &exponent); /* value = fraction · 2^exponent, fraction 0.5 … 1 */
    return (value < 0 ? 0x8000u : 0) | (uint32_t)(exponent + 14) << 10 | (uint32_t)((2 * fraction - 1) * 1024);
}

static void put_pixel(mrc_bytes *file, int mode, size_t pixel, double value)
{
    if (mode == 2)
        mrc_put_float(file, 1024 + 4 * pixel, (float)value);
    else if (mode == 12)
        mrc_put(file, 1024 + 2 * pixel, half_bits(value), 2);
    else if (mode == 101)
        file->data[1024 + pixel / 2] |= (unsigned char)((int)value << 4 * (pixel % 2));
    else
        mrc_put(file, 1024 + (mode == 0 ? 1u : 2u) * pixel, (uint32_t)(int)value, mode == 0 ? 1 : 2);
}

/* Write a stack and return its path in a static buffer. The width is even if the mode has 4 bits. */
static const char *make_stack(const char *name, bool big_endian, int mode, int stack, const int counts[3])
{
    const size_t pixels = (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2];
    mrc_bytes file = mrc_make(big_endian, mode, counts, 0, pixels * 4);
    for (size_t p = 0; p < pixels; p++) {
        const int at = (int)p, x = at % counts[0], y = at / counts[0] % counts[1], image = at / counts[0] / counts[1];
        put_pixel(&file, mode, p, pixel_value(mode, stack, image, x, y));
    }
    file.size = 1024 + (mode == 101 ? pixels / 2 : mode == 0 ? pixels : mode == 2 ? 4 * pixels : 2 * pixels);
    const char *path = mrc_save(&file, name);
    mrc_free(&file);
    return path;
}

/* Number of pixels of the batch that differ from those of the stacks. */
static int wrong_pixels(const qn_particle_set *set, const qn_image_plan *plan, size_t batch, int mode, int side,
                        const float *images)
{
    int wrong = 0;
    for (size_t i = 0; i < plan->batches[batch].count; i++) {
        const qn_particle *p = &set->particles[plan->order[plan->batches[batch].first + i]];
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                const int from = p->flipped ? (2 * (side / 2) - x + side) % side : x;
                const float value = images[(i * (size_t)side + (size_t)y) * (size_t)side + (size_t)x];
                wrong += value != (float)pixel_value(mode, (int)p->stack, (int)p->image, from, y);
            }
    }
    return wrong;
}

static void read_all_batches(const qn_particle_set *set, size_t most, int mode, int expected_side, qn_pool *pool)
{
    qn_image_stacks *stacks;
    qn_image_plan plan;
    int *side;
    if (!CHECK_OK(qn_image_plan_create(set, true, 0, 1, UINT64_MAX, 1, most, &plan))) return;
    if (CHECK_OK(qn_image_stacks_open(set, NULL, &stacks, &side))) {
        CHECK(side[0] == expected_side);
        const size_t pixels = (size_t)expected_side * (size_t)expected_side;
        float *images = malloc(most * pixels * sizeof *images);
        for (size_t b = 0; b < plan.batch_count; b++) {
            if (!CHECK_OK(qn_image_batch_read(set, &plan, b, stacks, side[0], pool, images))) break;
            CHECK(wrong_pixels(set, &plan, b, mode, side[0], images) == 0);
        }
        free(images);
        qn_image_stacks_close(&stacks);
        CHECK(stacks == NULL);
        qn_release(&side);
    }
    qn_image_plan_clear(&plan);
}

static void images_of_every_mode_are_read(void)
{
    static const int modes[] = {0, 1, 2, 6, 12, 101};
    static const int counts[3] = {10, 10, 60};
    qn_pool *pool;
    if (!CHECK_OK(qn_pool_create(3, &pool))) return;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (int big = 0; big < 2; big++) {
            qn_particle_set set = make_set(120, 1);
            for (int s = 0; s < 2; s++) {
                char name[32];
                snprintf(name, sizeof name, "mode%d_%d_%d.mrcs", modes[m], big, s);
                add_stack(&set, make_stack(name, big == 1, modes[m], s, counts));
            }
            for (size_t i = 0; i < 120; i++) { /* runs, jumps, repeated images */
                set.particles[i].stack = (uint32_t)(i / 13 % 2);
                set.particles[i].image = i < 60 ? i : i * i % 60;
                set.particles[i].flipped = i % 5 == 0;
            }
            read_all_batches(&set, 32, modes[m], 10, big == 1 ? pool : NULL);
            free_set(&set);
        }
    qn_pool_destroy(&pool);
}

static void mirrors_keep_the_centre(void)
{
    for (int side = 1; side < 9; side++) {
        const int counts[3] = {side, side, 3}, centre = side / 2;
        qn_particle_set set = make_set(3, 1);
        qn_image_stacks *stacks;
        qn_image_plan plan;
        float images[3 * 64];
        int *sides;
        add_stack(&set, make_stack("flip.mrcs", false, 2, 0, counts));
        set.particles[1].flipped = true;
        CHECK_OK(qn_image_plan_create(&set, false, 0, 1, UINT64_MAX, 1, 3, &plan));
        if (CHECK_OK(qn_image_stacks_open(&set, NULL, &stacks, &sides))) {
            CHECK_OK(qn_image_batch_read(&set, &plan, 0, stacks, side, NULL, images));
            CHECK(wrong_pixels(&set, &plan, 0, 2, side, images) == 0);
            const float *row = images + side * side; /* y = 0 of the flipped image */
            CHECK(row[centre] == pixel_value(2, 0, 1, centre, 0));
            if (side > 2)
                CHECK(row[centre + (side > 3 ? 1 : 0)] == pixel_value(2, 0, 1, centre - (side > 3 ? 1 : 0), 0));
            qn_image_stacks_close(&stacks);
            qn_release(&sides);
        }
        qn_image_plan_clear(&plan);
        free_set(&set);
    }
}

/* Read from more stacks than files may be open. */
static void many_stacks_need_few_open_files(void)
{
    enum { STACKS = 300, IMAGES = 8 };
    static const int counts[3] = {6, 6, IMAGES};
    struct rlimit limit, before;
    qn_particle_set set = make_set(STACKS * IMAGES, 1);
    qn_pool *pool;
    for (int s = 0; s < STACKS; s++) {
        char name[32];
        snprintf(name, sizeof name, "many_%d.mrcs", s);
        add_stack(&set, make_stack(name, false, 1, s, counts));
    }
    for (size_t i = 0; i < set.particle_count; i++) { /* each batch needs all stacks */
        set.particles[i].stack = (uint32_t)(i * 7 % STACKS);
        set.particles[i].image = i / STACKS;
    }
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    limit = before;
    limit.rlim_cur = 100;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (CHECK_OK(qn_pool_create(4, &pool))) read_all_batches(&set, 600, 1, 6, pool);
    qn_pool_destroy(&pool);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    free_set(&set);
}

/* Each image is larger than the bytes of a piece, so a piece is one image. */
static void large_images_are_read(void)
{
    static const int counts[3] = {512, 512, 6};
    qn_particle_set set = make_set(6, 1);
    qn_pool *pool;
    add_stack(&set, make_stack("large.mrcs", false, 2, 0, counts));
    if (CHECK_OK(qn_pool_create(4, &pool))) read_all_batches(&set, 6, 2, 512, pool);
    qn_pool_destroy(&pool);
    free_set(&set);
}

typedef struct reading {
    const qn_particle_set *set;
    const qn_image_plan *plan;
    qn_image_stacks *stacks;
    qn_pool *pool;
    size_t first;
    int wrong;
} reading;

static void *read_every_batch(void *data)
{
    reading *r = data;
    float *images = malloc(16 * 64 * sizeof *images);
    for (size_t turn = 0; turn < 3 * r->plan->batch_count; turn++) {
        const size_t batch = (r->first + turn) % r->plan->batch_count;
        if (qn_image_batch_read(r->set, r->plan, batch, r->stacks, 8, r->pool, images) != QN_OK) r->wrong++;
        r->wrong += wrong_pixels(r->set, r->plan, batch, 6, 8, images);
    }
    free(images);
    return NULL;
}

static void threads_read_batches_concurrently(void)
{
    enum { STACKS = 90, THREADS = 4 };
    static const int counts[3] = {8, 8, 5};
    qn_particle_set set = make_set(STACKS * 5, 1);
    qn_image_stacks *stacks;
    qn_image_plan plan;
    qn_pool *pool;
    int *side;
    pthread_t threads[THREADS];
    reading readings[THREADS];
    for (int s = 0; s < STACKS; s++) {
        char name[32];
        snprintf(name, sizeof name, "threads_%d.mrcs", s);
        add_stack(&set, make_stack(name, true, 6, s, counts));
    }
    for (size_t i = 0; i < set.particle_count; i++) {
        set.particles[i].stack = (uint32_t)(i % STACKS);
        set.particles[i].image = i / STACKS;
    }
    CHECK_OK(qn_pool_create(2, &pool));
    CHECK_OK(qn_image_plan_create(&set, false, 0, 1, UINT64_MAX, 1, 16, &plan));
    if (!CHECK_OK(qn_image_stacks_open(&set, NULL, &stacks, &side))) return;
    for (int i = 0; i < THREADS; i++) {
        readings[i] = (reading){&set, &plan, stacks, i == 0 ? pool : NULL, 7 * (size_t)i, 0};
        CHECK(pthread_create(&threads[i], NULL, read_every_batch, &readings[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(readings[i].wrong == 0);
    }
    qn_image_stacks_close(&stacks);
    qn_release(&side);
    qn_image_plan_clear(&plan);
    qn_pool_destroy(&pool);
    free_set(&set);
}

/* Check the refusal of a set whose row 3 is wrong. The message names the row. */
static void expect_refusal(const qn_particle_set *set, qn_status status, const char *sentence)
{
    qn_image_stacks *stacks;
    int *side;
    CHECK_FAILS(qn_image_stacks_open(set, NULL, &stacks, &side), status);
    CHECK_MESSAGE_HAS("set.star: line 13 (row 3): ");
    CHECK_MESSAGE_HAS(sentence);
    CHECK(stacks == NULL && side == NULL);
}

static void stacks_that_do_not_fit_are_refused(void)
{
    static const int good[3] = {8, 8, 5}, oblong[3] = {8, 6, 5}, larger[3] = {12, 12, 5};
    qn_particle_set set = make_set(5, 2);
    qn_image_stacks *stacks;
    int *side;
    qn_particle *bad = &set.particles[2];
    for (size_t i = 0; i < 5; i++) set.particles[i].optics = 0;
    add_stack(&set, make_stack("good.mrcs", false, 2, 0, good));
    const uint32_t missing = add_stack(&set, "/nowhere/missing.mrcs");
    const uint32_t not_square = add_stack(&set, make_stack("oblong.mrcs", false, 2, 0, oblong));
    const uint32_t large = add_stack(&set, make_stack("larger.mrcs", false, 2, 0, larger));
    bad->stack = missing;
    expect_refusal(&set, QN_NOT_FOUND, "/nowhere/missing.mrcs: cannot open");
    bad->stack = not_square;
    expect_refusal(&set, QN_BAD_FORMAT, "oblong.mrcs: has images of 8 x 6 pixels; expected square ones");
    bad->stack = 0;
    bad->image = 5;
    expect_refusal(&set, QN_BAD_FORMAT, "good.mrcs: has no image 6; expected 1 to 5");
    bad->image = UINT64_MAX - 1;
    expect_refusal(&set, QN_BAD_FORMAT, "has no image 18446744073709551615");
    bad->image = 2;
    bad->stack = large;
    expect_refusal(&set, QN_BAD_FORMAT, "larger.mrcs: has images of 12 x 12 pixels; expected 8 x 8 as in the first");
    bad->optics = 1; /* another group may have another size */
    if (CHECK_OK(qn_image_stacks_open(&set, NULL, &stacks, &side))) CHECK(side[0] == 8 && side[1] == 12);
    qn_image_stacks_close(&stacks);
    qn_release(&side);
    set.optics[1].image_size = 10;
    expect_refusal(&set, QN_BAD_FORMAT, "expected 10 x 10 as _rlnImageSize of optics group 2");
    free_set(&set);
}

static void rewrite_float(const char *path, size_t at, float value)
{
    mrc_bytes bytes = {0};
    unsigned char data[4];
    bytes.data = data;
    mrc_put_float(&bytes, 0, value);
    FILE *file = fopen(path, "r+b");
    CHECK(file && fseek(file, (long)at, SEEK_SET) == 0 && fwrite(data, 1, 4, file) == 4);
    if (file) fclose(file);
}

/* If the file does not state a group's pixel size, it is that of the first stack, and the other stacks must have the
 * same. */
static void pixel_sizes_of_stacks_must_agree(void)
{
    static const int counts[3] = {8, 8, 5};
    static const char rows[] = "data_\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n%s"
                               "000001@pixel_a.mrcs 0 0 0 %s\n000001@pixel_b.mrcs 0 0 0 %s\n";
    char path[700], text[600];
    qn_particle_set *set;
    qn_image_stacks *stacks;
    int *side;
    CHECK(make_stack("pixel_a.mrcs", false, 2, 0, counts) != NULL);
    rewrite_float(make_stack("pixel_b.mrcs", false, 2, 0, counts), 40, 8 * 2.5f); /* cell: pixels of 2.5 Å, not 2 Å */
    snprintf(path, sizeof path, "%s/pixels.star", check_scratch_folder());
    snprintf(text, sizeof text, rows, "", "", "");
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    if (CHECK_OK(qn_particle_set_read(path, &set))) {
        CHECK(set->optics[0].pixel_of_stack && fabs(set->optics[0].pixel_angstrom - 2) < 1e-6);
        CHECK_FAILS(qn_image_stacks_open(set, NULL, &stacks, &side), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("line 8 (row 2)");
        CHECK_MESSAGE_HAS("pixel_b.mrcs: has pixels of 2.5 Å, but the first stack of optics group 1 has 2 Å");
        qn_particle_set_destroy(&set);
    }
    snprintf(text, sizeof text, rows, "_rlnImagePixelSize\n", "1.2", "1.2"); /* the size in the file is used */
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    if (CHECK_OK(qn_particle_set_read(path, &set))) {
        CHECK(!set->optics[0].pixel_of_stack);
        CHECK_OK(qn_image_stacks_open(set, NULL, &stacks, &side));
        qn_image_stacks_close(&stacks);
        qn_release(&side);
        qn_particle_set_destroy(&set);
    }
}

static void values_that_are_not_finite_are_refused(void)
{
    static const int counts[3] = {8, 8, 5};
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int v = 0; v < 3; v++) {
        qn_particle_set set = make_set(5, 1);
        qn_image_stacks *stacks;
        qn_image_plan plan;
        float images[5 * 64];
        int *side;
        add_stack(&set, make_stack("finite.mrcs", false, 2, 0, counts));
        rewrite_float(set.stacks[0], 1024 + 4 * (3 * 64 + 5 * 8 + 6), values[v]); /* image 4, x = 6, y = 5 */
        CHECK_OK(qn_image_plan_create(&set, false, 0, 1, UINT64_MAX, 1, 8, &plan));
        if (CHECK_OK(qn_image_stacks_open(&set, NULL, &stacks, &side))) {
            CHECK_FAILS(qn_image_batch_read(&set, &plan, 0, stacks, 8, NULL, images), QN_BAD_FORMAT);
            CHECK_MESSAGE_HAS("set.star: line 14 (row 4): ");
            CHECK_MESSAGE_HAS("finite.mrcs: image 4 has the value ");
            CHECK_MESSAGE_HAS("at pixel x = 6, y = 5");
        }
        qn_image_stacks_close(&stacks);
        qn_release(&side);
        qn_image_plan_clear(&plan);
        free_set(&set);
    }
}

/* A stack may change between the check and its next opening. */
static void changed_stacks_are_refused(void)
{
    enum { STACKS = 80 }; /* more than stay open */
    static const int counts[3] = {8, 8, 2}, larger[3] = {12, 12, 2}, fewer[3] = {8, 8, 1};
    qn_particle_set set = make_set(STACKS, 1);
    qn_image_stacks *stacks;
    qn_image_plan plan;
    float images[64];
    int *side;
    for (int s = 0; s < STACKS; s++) {
        char name[32];
        snprintf(name, sizeof name, "changed_%d.mrcs", s);
        add_stack(&set, make_stack(name, false, 2, s, counts));
        set.particles[s].stack = (uint32_t)s;
        set.particles[s].image = 1;
    }
    CHECK_OK(qn_image_plan_create(&set, false, 0, 1, UINT64_MAX, 1, 1, &plan));
    if (CHECK_OK(qn_image_stacks_open(&set, NULL, &stacks, &side))) {
        make_stack("changed_0.mrcs", false, 2, 0, larger);
        CHECK_FAILS(qn_image_batch_read(&set, &plan, 0, stacks, 8, NULL, images), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("expected 8 x 8 as when the run began");
        make_stack("changed_1.mrcs", false, 2, 1, fewer);
        CHECK_FAILS(qn_image_batch_read(&set, &plan, 1, stacks, 8, NULL, images), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("line 12 (row 2)");
        CHECK(unlink(set.stacks[2]) == 0);
        CHECK_FAILS(qn_image_batch_read(&set, &plan, 2, stacks, 8, NULL, images), QN_NOT_FOUND);
        CHECK_OK(qn_image_batch_read(&set, &plan, STACKS - 1, stacks, 8, NULL, images));
        qn_image_stacks_close(&stacks);
        qn_release(&side);
    }
    qn_image_plan_clear(&plan);
    free_set(&set);
}

int main(void)
{
    RUN(batches_have_one_group_and_one_half);
    RUN(a_split_makes_equal_halves);
    RUN(rows_of_one_image_stay_together);
    RUN(impossible_plans_are_refused);
    RUN(two_million_particles_are_planned_in_seconds);
    RUN(images_of_every_mode_are_read);
    RUN(mirrors_keep_the_centre);
    RUN(many_stacks_need_few_open_files);
    RUN(large_images_are_read);
    RUN(threads_read_batches_concurrently);
    RUN(stacks_that_do_not_fit_are_refused);
    RUN(pixel_sizes_of_stacks_must_agree);
    RUN(values_that_are_not_finite_are_refused);
    RUN(changed_stacks_are_refused);
    return check_finish();
}
