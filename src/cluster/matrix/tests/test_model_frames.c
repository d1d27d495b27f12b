/* labels: threads */
/* Structures of trajectories that are longer than a batch of frames: positions, origins and the first failure are the
 * same for every number of threads. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cluster/matrix/models.h"

enum { ATOMS = 5, SELECTED = 3, FRAMES = 2500 };

static const int thread_counts[] = {1, 2, 5};
static qn_context *context;

static const char *scratch(const char *name)
{
    static char paths[4][512];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

/* In Å, an exact number in single precision. */
static float coordinate(size_t frame, size_t atom, size_t axis)
{
    return (float)(frame % 97) + 0.25F * (float)atom - 0.5F * (float)axis + 0.125F * (float)(frame % 1013);
}

static void write_record(FILE *file, const void *data, uint32_t bytes)
{
    fwrite(&bytes, sizeof bytes, 1, file);
    fwrite(data, 1, bytes, file);
    fwrite(&bytes, sizeof bytes, 1, file);
}

/* A DCD of `frames` frames; those of the numbers in `bad` have a coordinate that is no number. */
static const char *write_trajectory(const char *name, size_t frames, const size_t *bad, size_t bad_count)
{
    const char *path = scratch(name);
    FILE *file = fopen(path, "wb");
    uint32_t head[21] = {0};
    const char title[84] = {1};
    const uint32_t atoms = ATOMS;
    if (!CHECK(file != NULL)) return path;
    memcpy(head, "CORD", 4);
    head[1] = (uint32_t)frames, head[2] = head[3] = 1, head[20] = 24;
    const float step = 1;
    memcpy(&head[10], &step, sizeof step);
    write_record(file, head, sizeof head);
    write_record(file, title, sizeof title);
    write_record(file, &atoms, sizeof atoms);
    for (size_t f = 0; f < frames; f++)
        for (size_t axis = 0; axis < 3; axis++) {
            float row[ATOMS];
            for (size_t i = 0; i < ATOMS; i++) row[i] = coordinate(f, i, axis);
            for (size_t b = 0; b < bad_count; b++)
                if (bad[b] == f && axis == 1) row[2] = NAN;
            write_record(file, row, sizeof row);
        }
    fclose(file);
    return path;
}

static const char *write_topology(void)
{
    const char *path = scratch("top.pdb");
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return path;
    for (int i = 0; i < ATOMS; i++)
        fprintf(file, "ATOM  %5d  %s  ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n", i + 1,
                i % 2 == 0 ? "CA" : "CB", i + 1, 3.0 * i, 0.0, 0.0);
    fputs("END\n", file);
    fclose(file);
    return path;
}

static qn_status read(int threads, const qn_structure_input *input, qn_models **models)
{
    qn_context_options options = qn_context_default_options();
    const qn_run_options run = {.device = "host", .tune = QN_TUNE_OFF};
    qn_job job;
    *models = NULL;
    qn_context_destroy(&context);
    options.threads = threads;
    QN_TRY(qn_context_create(&options, &context));
    qn_status status = qn_job_open(context, "cluster", &run, &job);
    if (status == QN_OK) status = qn_models_read(&job, input, NULL, QN_MODELS_SAME, 0, models);
    return qn_job_close(&job, status);
}

static qn_structure_input input_of(const char *const *files, size_t count)
{
    return (qn_structure_input){.files = files,
                                .file_count = count,
                                .select = "name CA",
                                .begin_ps = -INFINITY,
                                .end_ps = INFINITY,
                                .last_frame = UINT64_MAX,
                                .stride = 1};
}

/* Structures `first`, `first` + `stride` … of trajectories that are one file of FRAMES frames several times. */
static void check_models(const qn_models *models, size_t first, size_t stride, size_t count)
{
    size_t wrong = 0;
    if (!CHECK(models->structures.count == count && models->structures.atom_count == SELECTED)) return;
    for (size_t m = 0; m < count; m++) {
        const size_t number = first + m * stride;
        const float *row = models->structures.positions_angstrom + 3 * SELECTED * m;
        wrong += models->origins[m].number != number || models->origins[m].alone;
        for (size_t axis = 0; axis < 3; axis++)
            for (size_t i = 0; i < SELECTED; i++) {
                const float place = coordinate(number % FRAMES, 2 * i, axis);
                wrong += !(fabsf(row[axis * SELECTED + i] - place) <= 1e-6F * (1 + fabsf(place)));
            }
    }
    CHECK(wrong == 0);
}

static void every_frame_has_its_place(void)
{
    const char *dcd = write_trajectory("long.dcd", FRAMES, NULL, 0);
    const char *const files[] = {write_topology(), dcd, dcd};
    char digest[65] = "";
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
        qn_structure_input input = input_of(files, 3);
        qn_models *models;
        if (CHECK_OK(read(thread_counts[t], &input, &models))) {
            check_models(models, 0, 1, 2 * (size_t)FRAMES);
            if (t == 0) memcpy(digest, models->digest, sizeof digest);
            CHECK_TEXT(models->digest, digest);
        }
        qn_models_destroy(&models);
        input.first_frame = 3;
        input.stride = 2;
        if (CHECK_OK(read(thread_counts[t], &input, &models))) check_models(models, 3, 2, FRAMES - 1);
        qn_models_destroy(&models);
    }
}

/* Digests differ where one number does, in any piece. */
static void a_digest_is_of_every_position(void)
{
    const char *const files[] = {write_topology(), write_trajectory("digest.dcd", FRAMES, NULL, 0)};
    char digest[65] = "";
    for (int change = 0; change < 2; change++) {
        const qn_structure_input input = input_of(files, 2);
        qn_models *models;
        if (!CHECK_OK(read(2, &input, &models))) return;
        if (change) CHECK(strcmp(models->digest, digest) != 0);
        memcpy(digest, models->digest, sizeof digest);
        qn_models_destroy(&models);
        FILE *file = fopen(files[1], "r+b");
        const float other = 7;
        if (!CHECK(file != NULL)) return;
        CHECK(fseek(file, -8, SEEK_END) == 0 && fwrite(&other, sizeof other, 1, file) == 1);
        fclose(file);
    }
}

/* A bad frame early in a batch, late in one, and in the first batch; the one after it is not named. */
static void the_first_bad_frame_is_named(void)
{
    static const size_t bad[][2] = {{1030, 1031}, {2047, 2049}, {0, 5}, {FRAMES - 1, FRAMES - 1}};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
        for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
            const char *const files[] = {write_topology(), write_trajectory("bad.dcd", FRAMES, bad[b], 2)};
            const qn_structure_input input = input_of(files, 2);
            qn_models *models;
            char expected[64];
            CHECK_FAILS(read(thread_counts[t], &input, &models), QN_BAD_FORMAT);
            snprintf(expected, sizeof expected, "bad.dcd: frame %zu at byte", bad[b][0]);
            CHECK_MESSAGE_HAS(expected);
        }
}

/* A record of a wrong length is found while reading; an earlier frame that cannot be decoded is named before it. */
static void a_damaged_record_comes_after_earlier_frames(void)
{
    static const size_t bad[] = {1100};
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++)
        for (size_t with_bad = 0; with_bad < 2; with_bad++) {
            const char *const files[] = {write_topology(), write_trajectory("cut.dcd", FRAMES, bad, with_bad)};
            const qn_structure_input input = input_of(files, 2);
            const uint32_t wrong = 17;
            const long head = 92 + 92 + 12, frame = 3 * (8 + 4 * ATOMS);
            qn_models *models;
            FILE *file = fopen(files[1], "r+b");
            if (!CHECK(file != NULL)) return;
            CHECK(fseek(file, head + 1200 * frame, SEEK_SET) == 0 && fwrite(&wrong, sizeof wrong, 1, file) == 1);
            fclose(file);
            CHECK_FAILS(read(thread_counts[t], &input, &models), QN_BAD_FORMAT);
            CHECK_MESSAGE_HAS(with_bad ? "cut.dcd: frame 1100 at byte"
                                       : "cut.dcd: frame 1200 has a record of 17 bytes");
        }
}

int main(void)
{
    RUN(every_frame_has_its_place);
    RUN(a_digest_is_of_every_position);
    RUN(the_first_bad_frame_is_named);
    RUN(a_damaged_record_comes_after_earlier_frames);
    qn_context_destroy(&context);
    return check_finish();
}
