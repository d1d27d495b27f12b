/* labels: threads */
/* Reconstruction with inputs and results in memory: the same results as with files, views of larger arrays, resumed
 * runs, and refusals. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <quern/reconstruct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/image/image_stack.h"
#include "math/random.h"

enum { SIDE = 24, PIXELS = SIDE * SIDE, COUNT = 60, VOXELS = SIDE * SIDE * SIDE };

static const double PIXEL = 2; /* Å */

static qn_context *context;
static float images[COUNT][PIXELS];
static double table[COUNT][4]; /* rot, tilt, psi, defocus U: numbers of few digits, which STAR files keep */
static qn_particle_set *set;
static const qn_image_array packed = {.values = images[0], .count = COUNT, .side = SIDE};
static char star[600];

/* Make images of an off-centre blob with noise. */
static void make_images(void)
{
    for (int n = 0; n < COUNT; n++) {
        const double x0 = 3 * cos(n), y0 = 3 * sin(0.7 * n);
        for (int i = 0; i < PIXELS; i++) {
            const double x = i % SIDE - SIDE / 2 - x0, y = i / SIDE - SIDE / 2 - y0;
            const double noise = qn_random_uniform(11, (uint64_t)n, (uint64_t)i) - 0.5;
            images[n][i] = (float)(5 * exp(-(x * x + y * y) / 18) + 0.2 * noise);
        }
        table[n][0] = 47 * n % 360 - 180;
        table[n][1] = 31 * n % 180;
        table[n][2] = 23 * n % 360;
        table[n][3] = 10000 + 50 * n;
    }
}

static void make_set(void)
{
    const ptrdiff_t stride = sizeof table[0];
    const qn_particle_columns columns = {.count = COUNT,
                                         .pixel_angstrom = PIXEL,
                                         .voltage_kv = 300,
                                         .spherical_aberration_mm = 2.5,
                                         .amplitude_contrast = 0.125,
                                         .rot_degrees = {&table[0][0], stride},
                                         .tilt_degrees = {&table[0][1], stride},
                                         .psi_degrees = {&table[0][2], stride},
                                         .defocus_u_angstrom = {&table[0][3], stride}};
    if (!CHECK_OK(qn_particle_set_from_columns(&columns, &set))) exit(1);
}

/* Write the same particles and images to files. */
static void write_files(void)
{
    qn_image_stack_writer *writer;
    char stack[600], *stacks[] = {stack};
    qn_particle_set named = *set;
    snprintf(stack, sizeof stack, "%s/stack.mrcs", check_scratch_folder());
    snprintf(star, sizeof star, "%s/set.star", check_scratch_folder());
    if (!CHECK_OK(qn_image_stack_writer_create(stack, SIDE, SIDE, PIXEL, NULL, &writer))) exit(1);
    for (int n = 0; n < COUNT; n++) CHECK_OK(qn_image_stack_writer_append(writer, images[n]));
    CHECK_OK(qn_image_stack_writer_finish(&writer));
    named.stacks = stacks;
    named.stack_count = 1;
    CHECK_OK(qn_particle_set_write(&named, star));
}

static qn_reconstruct_options options_of_all(void)
{
    qn_reconstruct_options options = qn_reconstruct_default_options();
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    options.run.batch = 7;
    options.ctf = true;
    options.halves = true;
    options.mask = "auto";
    options.symmetry = "C2";
    options.write_weights = true;
    options.deterministic = true;
    return options;
}

static qn_reconstruct_options options_in_memory(void)
{
    qn_reconstruct_options options = options_of_all();
    options.particle_set = set;
    options.images = &packed;
    return options;
}

static char *scratch(const char *name, char path[700])
{
    snprintf(path, 700, "%s/%s", check_scratch_folder(), name);
    return path;
}

static bool same_values(const qn_volume *volume, const qn_volume *expected)
{
    if (!volume || !expected) return false;
    const size_t voxels = (size_t)expected->counts[0] * (size_t)expected->counts[1] * (size_t)expected->counts[2];
    return memcmp(volume->counts, expected->counts, sizeof volume->counts) == 0 &&
           memcmp(volume->values, expected->values, voxels * sizeof(float)) == 0;
}

static void same_curve(const double *curve, const double *expected, int shells)
{
    if (CHECK((curve != NULL) == (expected != NULL)) && expected)
        CHECK(memcmp(curve, expected, (size_t)shells * sizeof *curve) == 0);
}

static void same_results(const qn_reconstruct_result *result, const qn_reconstruct_result *expected)
{
    CHECK(result->images == COUNT && result->skipped == 0 && result->operators == 2);
    CHECK(result->image_side == SIDE && result->voxel_angstrom == PIXEL);
    CHECK(same_values(result->map, expected->map));
    CHECK(same_values(result->half_1, expected->half_1) && same_values(result->half_2, expected->half_2));
    CHECK(same_values(result->mask, expected->mask) && same_values(result->weights, expected->weights));
    CHECK(result->map->voxel_angstrom[2] == PIXEL && result->half_1->voxel_angstrom[0] == PIXEL);
    CHECK(result->resolution_angstrom == expected->resolution_angstrom && result->resolution_angstrom > 0);
    if (CHECK(result->fsc && expected->fsc && result->fsc->shells == SIDE / 2 + 1)) {
        same_curve(result->fsc->unmasked, expected->fsc->unmasked, SIDE / 2 + 1);
        same_curve(result->fsc->corrected, expected->fsc->corrected, SIDE / 2 + 1);
    }
    CHECK_NEAR(result->unevenness, expected->unevenness, 1e-8 * expected->unevenness); /* run.json has 9 digits */
    CHECK_NEAR(result->untouched_share, expected->untouched_share, 1e-8 * expected->untouched_share);
    CHECK(result->weight_iterations == expected->weight_iterations);
    CHECK(result->view_rows == expected->view_rows && result->view_rows > 0);
    double views = 0;
    for (int i = 0; i < 2 * result->view_rows * result->view_rows; i++) views += result->view_counts[i];
    CHECK(views == 2 * COUNT);
    CHECK(result->warning_count == expected->warning_count);
    for (size_t i = 0; i < result->warning_count && i < expected->warning_count; i++)
        CHECK_TEXT(result->warnings[i], expected->warnings[i]);
}

/* Check that the files of a run have the values of its results. */
static void same_files(const char *folder, const qn_reconstruct_result *result)
{
    static const char *const names[] = {"map.mrc", "half1.mrc", "half2.mrc", "mask.mrc", "weights.mrc"};
    const qn_volume *const volumes[] = {result->map, result->half_1, result->half_2, result->mask, result->weights};
    for (int i = 0; i < 5; i++) {
        char path[900];
        qn_volume *volume = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (CHECK_OK(qn_volume_read(path, &volume))) CHECK(same_values(volumes[i], volume));
        qn_volume_destroy(&volume);
    }
}

static int count_files(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) count += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

/* ---- the same results ---- */

static void inputs_in_memory_and_in_files_give_the_same_results(void)
{
    char folder[700];
    qn_reconstruct_options by_file = options_of_all(), in_memory = options_in_memory();
    qn_reconstruct_result *expected = NULL, *result = NULL;
    by_file.particles = star;
    by_file.output = scratch("by_file", folder);
    if (!CHECK_OK(qn_reconstruct_run(context, &by_file, &expected))) return;
    same_files(folder, expected);
    CHECK(expected->map_path && strstr(expected->map_path, "by_file/map.mrc"));
    CHECK(expected->report_path && access(expected->report_path, R_OK) == 0);
    const int before = count_files(check_scratch_folder());
    if (CHECK_OK(qn_reconstruct_run(context, &in_memory, &result))) {
        same_results(result, expected);
        CHECK(!result->map_path && !result->report_path && result->images_per_s > 0);
    }
    CHECK(count_files(check_scratch_folder()) == before); /* this is also the working folder */
    qn_reconstruct_result_destroy(&result);
    in_memory.particle_set = NULL; /* particles of a file, images in memory */
    in_memory.particles = star;
    if (CHECK_OK(qn_reconstruct_run(context, &in_memory, &result))) same_results(result, expected);
    qn_reconstruct_result_destroy(&result);
    qn_reconstruct_result_destroy(&expected);
}

/* The view takes every second image of an array, the last image first, upside down, with pixels three floats apart. */
static void views_of_larger_arrays_give_the_same_results(void)
{
    enum { ROW = 3 * SIDE + 5, IMAGE = ROW * (SIDE + 2), ALL = 2 * COUNT * IMAGE };
    float *large = malloc(ALL * sizeof *large);
    qn_reconstruct_options plain = options_in_memory(), strided = plain;
    qn_reconstruct_result *expected = NULL, *result = NULL;
    float *start = large + (size_t)(2 * (COUNT - 1)) * IMAGE + (size_t)(SIDE - 1) * ROW + 1;
    const qn_image_array view = {.values = start,
                                 .count = COUNT,
                                 .side = SIDE,
                                 .image_stride_bytes = -2 * (ptrdiff_t)IMAGE * (ptrdiff_t)sizeof(float),
                                 .row_stride_bytes = -(ptrdiff_t)ROW * (ptrdiff_t)sizeof(float),
                                 .pixel_stride_bytes = 3 * sizeof(float)};
    for (int i = 0; i < ALL; i++) large[i] = (float)NAN; /* values outside the view are not read */
    for (ptrdiff_t n = 0; n < COUNT; n++)
        for (ptrdiff_t i = 0; i < PIXELS; i++) start[-2 * n * IMAGE - i / SIDE * ROW + 3 * (i % SIDE)] = images[n][i];
    strided.images = &view;
    if (CHECK_OK(qn_reconstruct_run(context, &plain, &expected)) &&
        CHECK_OK(qn_reconstruct_run(context, &strided, &result)))
        same_results(result, expected);
    qn_reconstruct_result_destroy(&result);
    qn_reconstruct_result_destroy(&expected);
    free(large);
}

static void a_mask_in_memory_acts_like_a_mask_in_a_file(void)
{
    char path[700];
    qn_volume *mask = NULL;
    qn_reconstruct_options by_file = options_in_memory(), in_memory = by_file;
    qn_reconstruct_result *expected = NULL, *result = NULL;
    if (!CHECK_OK(qn_volume_create((const int[]){SIDE, SIDE, SIDE}, PIXEL, &mask))) return;
    for (int i = 0; i < VOXELS; i++) {
        const int x = i % SIDE - SIDE / 2, y = i / SIDE % SIDE - SIDE / 2, z = i / PIXELS - SIDE / 2;
        mask->values[i] = (float)fmin(1, fmax(0, 10 - sqrt(x * x + y * y + z * z)));
    }
    CHECK_OK(qn_volume_write(mask, NULL, scratch("given mask.mrc", path)));
    by_file.mask = path;
    in_memory.mask = NULL;
    in_memory.mask_volume = mask;
    if (CHECK_OK(qn_reconstruct_run(context, &by_file, &expected)) &&
        CHECK_OK(qn_reconstruct_run(context, &in_memory, &result))) {
        same_results(result, expected);
        CHECK(same_values(result->mask, mask) && result->mask != mask);
    }
    qn_reconstruct_result_destroy(&result);
    qn_reconstruct_result_destroy(&expected);
    qn_volume_destroy(&mask);
}

static void without_halves_the_result_is_only_a_map(void)
{
    qn_reconstruct_options options = options_in_memory();
    qn_reconstruct_result *result = NULL;
    options.halves = options.write_weights = false;
    options.mask = NULL;
    if (CHECK_OK(qn_reconstruct_run(context, &options, &result))) {
        CHECK(result->map && result->map->counts[0] == SIDE);
        CHECK(!result->half_1 && !result->half_2 && !result->mask && !result->weights && !result->fsc);
        CHECK(result->resolution_angstrom == 0);
    }
    qn_reconstruct_result_destroy(&result);
    CHECK(result == NULL);
    CHECK_OK(qn_reconstruct_run(context, &options, NULL));
}

/* ---- resumed runs ---- */

static int stop_halfway(const qn_progress *progress, void *user)
{
    (void)user;
    return strcmp(progress->stage, "inserting") == 0 && progress->done >= COUNT / 2;
}

static void resumed_runs_return_the_content_of_their_files(void)
{
    char folder[700];
    qn_reconstruct_options options = options_in_memory();
    qn_reconstruct_result *result = (void *)folder, *again = NULL;
    options.output = scratch("resumed", folder);
    options.run.progress = stop_halfway;
    CHECK_FAILS(qn_reconstruct_run(context, &options, &result), QN_CANCELLED);
    CHECK(result == NULL);
    options.run.progress = NULL;
    options.run.resume = true;
    if (!CHECK_OK(qn_reconstruct_run(context, &options, &result))) return;
    CHECK(result->resumed >= COUNT / 2 && result->resumed < COUNT);
    same_files(folder, result);
    if (CHECK_OK(qn_reconstruct_run(context, &options, &again))) { /* the run is finished: its files are read */
        same_results(again, result);
        CHECK(again->resumed == COUNT && !again->map_path);
    }
    qn_reconstruct_result_destroy(&again);
    images[COUNT / 2][5] += 1;
    CHECK_FAILS(qn_reconstruct_run(context, &options, &again), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("images=the images in memory");
    images[COUNT / 2][5] -= 1;
    qn_reconstruct_result_destroy(&result);
}

/* ---- refusals ---- */

static void refused(const qn_reconstruct_options *options, qn_status status, const char *message)
{
    qn_reconstruct_result *result = (void *)images; /* not NULL, to test that it becomes NULL */
    CHECK_FAILS(qn_reconstruct_run(context, options, &result), status);
    CHECK_MESSAGE_HAS(message);
    CHECK(result == NULL);
}

static void each_input_must_be_given_exactly_once(void)
{
    qn_reconstruct_options options = options_in_memory();
    options.particles = star;
    refused(&options, QN_INVALID_ARGUMENT, "the particles: given as the file");
    options.particles = NULL;
    options.particle_set = NULL;
    refused(&options, QN_INVALID_ARGUMENT, "the particles: not given; expected a file or an object in memory");
    options = options_in_memory();
    options.images = NULL;
    refused(&options, QN_INVALID_ARGUMENT, "no stacks are named; expected stacks or images in memory");
    options = options_in_memory();
    options.run.resume = true;
    refused(&options, QN_INVALID_ARGUMENT, "output");
}

static void images_that_do_not_fit_are_refused(void)
{
    qn_reconstruct_options options = options_in_memory();
    qn_image_array wrong = packed;
    options.images = &wrong;
    wrong.count = COUNT - 1;
    refused(&options, QN_INVALID_ARGUMENT, "the images in memory: there are 59; expected one for each of 60 particles");
    set->has_images = true;
    refused(&options, QN_INVALID_ARGUMENT, "particle 60: shows image 60; expected 1 to 59");
    set->has_images = false;
    wrong = packed;
    wrong.values = NULL;
    refused(&options, QN_INVALID_ARGUMENT, "the images in memory: no values");
    wrong = packed;
    set->optics[0].image_size = SIDE + 2;
    refused(&options, QN_INVALID_ARGUMENT, "the images in memory have 24 x 24 pixels; expected 26 x 26");
    set->optics[0].image_size = 0;
    const float kept = images[41][3 * SIDE + 7];
    images[41][3 * SIDE + 7] = (float)NAN;
    refused(&options, QN_BAD_FORMAT,
            "particle 42: the images in memory: image 42 has the value nan at pixel x = 7, y = 3; expected finite");
    images[41][3 * SIDE + 7] = kept;
}

static void invalid_sets_and_masks_are_refused(void)
{
    qn_reconstruct_options options = options_in_memory();
    qn_volume *mask = NULL;
    set->particles[8].tilt_degrees = (double)INFINITY;
    refused(&options, QN_INVALID_ARGUMENT, "particle 9 has tilt = inf; expected a finite number");
    set->particles[8].tilt_degrees = table[8][1];
    set->particles[8].optics = 1;
    refused(&options, QN_INVALID_ARGUMENT, "particle 9 is of optics group 1, counted from 0; there are 1");
    set->particles[8].optics = 0;
    set->optics[0].pixel_angstrom = 0;
    refused(&options, QN_INVALID_ARGUMENT, "optics group 1 has pixels of 0 Å; expected more than 0");
    set->optics[0].pixel_angstrom = PIXEL;
    if (!CHECK_OK(qn_volume_create((const int[]){SIDE, SIDE, SIDE + 1}, PIXEL, &mask))) return;
    options.mask_volume = mask;
    refused(&options, QN_INVALID_ARGUMENT, "the mask: given as \"auto\" and in memory");
    options.mask = NULL;
    refused(&options, QN_BAD_FORMAT, "the mask in memory: a mask of 24 x 24 x 25 voxels; expected 24 x 24 x 24");
    qn_volume_destroy(&mask);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    if (!CHECK(chdir(check_scratch_folder()) == 0)) return check_finish();
    make_images();
    make_set();
    write_files();
    RUN(inputs_in_memory_and_in_files_give_the_same_results);
    RUN(views_of_larger_arrays_give_the_same_results);
    RUN(a_mask_in_memory_acts_like_a_mask_in_a_file);
    RUN(without_halves_the_result_is_only_a_map);
    RUN(resumed_runs_return_the_content_of_their_files);
    RUN(each_input_must_be_given_exactly_once);
    RUN(images_that_do_not_fit_are_refused);
    RUN(invalid_sets_and_masks_are_refused);
    qn_particle_set_destroy(&set);
    qn_context_destroy(&context);
    return check_finish();
}
