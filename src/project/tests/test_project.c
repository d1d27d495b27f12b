/* devices: host opencl:0 cuda:0 checking:host */
/* Whole runs: maps of Gaussians, whose projections are known in closed form; noise; metadata; refused inputs. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "slow_compiler.h"

#include <dirent.h>
#include <math.h>
#include <quern/particles.h>
#include <quern/project.h>
#include <quern/volume.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cryoem/ctf.h"
#include "cryoem/view.h"
#include "format/image/image_stack.h"
#include "math/random.h"

enum { SIDE_MAX = 65, IMAGES_MAX = 400, GAUSSIANS = 6, PARTICLES = 7 };

static const double PI = 3.14159265358979323846, VOXEL = 1.7, SIGMA = 2; /* Å; voxels */

static qn_context *context;
static const char *device_name;
static bool is_slow; /* compiles kernels in seconds */
static float made[IMAGES_MAX * SIDE_MAX * SIDE_MAX], other[IMAGES_MAX * SIDE_MAX * SIDE_MAX];
static double centres[GAUSSIANS][3], heights[GAUSSIANS];

static const char *scratch(const char *name)
{
    static char paths[64][512];
    static int turn;
    char *path = paths[turn++ % 64];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

/* ---- the map and its particles ---- */

static void make_gaussians(void)
{
    for (uint64_t g = 0; g < GAUSSIANS; g++) {
        for (uint64_t k = 0; k < 3; k++) centres[g][k] = 8 * qn_random_uniform(3, g, k) - 4;
        heights[g] = 0.5 + qn_random_uniform(3, g, 3);
    }
}

static void write_map(int side)
{
    qn_volume *map = NULL;
    if (!CHECK_OK(qn_volume_create((const int[]){side, side, side}, VOXEL, &map))) return;
    for (int i = 0; i < side * side * side; i++) {
        const double p[3] = {i % side - side / 2, i / side % side - side / 2, i / side / side - side / 2};
        double value = 0;
        for (int g = 0; g < GAUSSIANS; g++) {
            double squared = 0;
            for (int k = 0; k < 3; k++) squared += (p[k] - centres[g][k]) * (p[k] - centres[g][k]);
            value += heights[g] * exp(-squared / (2 * SIGMA * SIGMA));
        }
        map->values[i] = (float)value;
    }
    CHECK_OK(qn_volume_write(map, NULL, scratch("map.mrc")));
    qn_volume_destroy(&map);
}

static const char particles_head[] = "data_optics\n\nloop_\n_rlnOpticsGroup\n_rlnOpticsGroupName\n_rlnVoltage\n"
                                     "_rlnSphericalAberration\n_rlnAmplitudeContrast\n_rlnImagePixelSize\n"
                                     "1 first 300 2.7 0.1 1.7\n\ndata_particles\n\nloop_\n_rlnImageName\n"
                                     "_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n_rlnOriginXAngst\n_rlnOriginYAngst\n"
                                     "_rlnDefocusU\n_rlnDefocusV\n_rlnDefocusAngle\n_rlnRandomSubset\n";

static void write_particles(const char *name, const char *extra)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "%s", particles_head);
    for (int i = 0; i < PARTICLES; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%d@absent.mrcs %g %g %g %g %g %d %d %d %d\n",
                           i + 1, 50.0 * i - 170, i == 1 ? 0 : 25.5 * i, 33.0 * i, 1.7 * (i - 3) / 2, -0.85 * i,
                           9000 + 1000 * i, 8700 + 1000 * i, 20 * i, 1 + i % 2);
    length += snprintf(text + length, sizeof text - (size_t)length, "%s", extra);
    CHECK_OK(qn_file_write(scratch(name), text, (size_t)length));
}

/* Compute the projection of the Gaussians at each pixel. */
static void expect_image(const qn_particle *particle, int side, double *image)
{
    double matrix[9];
    qn_view_matrix(particle->rot_degrees, particle->tilt_degrees, particle->psi_degrees, matrix);
    memset(image, 0, (size_t)(side * side) * sizeof *image);
    for (int g = 0; g < GAUSSIANS; g++) {
        double at[2];
        for (int k = 0; k < 2; k++)
            at[k] = matrix[3 * k] * centres[g][0] + matrix[3 * k + 1] * centres[g][1] +
                    matrix[3 * k + 2] * centres[g][2] - particle->origin_angstrom[k] / VOXEL;
        for (int i = 0; i < side * side; i++) {
            const double x = i % side - side / 2 - at[0], y = i / side - side / 2 - at[1];
            image[i] += heights[g] * SIGMA * sqrt(2 * PI) * exp(-(x * x + y * y) / (2 * SIGMA * SIGMA));
        }
    }
}

/* Multiply the transform of an image by the CTF, with transforms by their definition, one axis at a time. */
static void apply_ctf(const qn_ctf *ctf, int side, double *image)
{
    static double rows[2 * SIDE_MAX * SIDE_MAX], spectrum[2 * SIDE_MAX * SIDE_MAX];
    for (int pass = 0; pass < 4; pass++) {
        const double sign = pass < 2 ? -1 : 1;
        const double *from = pass == 0 ? NULL : pass % 2 == 1 ? rows : spectrum;
        double *to = pass % 2 == 0 ? rows : spectrum;
        for (int line = 0; line < side; line++)
            for (int k = 0; k < side; k++) {
                double re = 0, im = 0;
                for (int i = 0; i < side; i++) {
                    const int place = pass % 2 == 0 ? line * side + i : i * side + line;
                    const double angle = sign * 2 * PI * (i * k % side) / side, c = cos(angle), s = sin(angle);
                    const double x = from ? from[2 * place] : image[place], y = from ? from[2 * place + 1] : 0;
                    re += x * c - y * s;
                    im += x * s + y * c;
                }
                const int place = pass % 2 == 0 ? line * side + k : k * side + line;
                const int fx = place % side, fy = place / side, low = (side + 1) / 2;
                const double length = side * VOXEL;
                const double factor = pass == 1 ? qn_ctf_at(ctf, (fx < low ? fx : fx - side) / length,
                                                            (fy < low ? fy : fy - side) / length)
                                                : 1;
                to[2 * place] = re * factor;
                to[2 * place + 1] = im * factor;
            }
    }
    for (int i = 0; i < side * side; i++) image[i] = spectrum[2 * i] / (side * side);
}

/* ---- runs ---- */

static qn_project_options options_for(const char *output)
{
    qn_project_options options = qn_project_default_options();
    options.map = scratch("map.mrc");
    options.angles = scratch("particles.star");
    options.output = output;
    options.run.device = device_name;
    options.run.tune = QN_TUNE_OFF;
    options.run.overwrite = true; /* names are used several times */
    return options;
}

static uint64_t read_stack(const char *path, float *images, double *pixel)
{
    qn_image_stack *stack = NULL;
    uint64_t count = 0;
    int width = 0, height = 0;
    void *scratch_bytes = NULL;
    size_t capacity = 0;
    if (!CHECK_OK(qn_image_stack_open(path, &stack))) return 0;
    qn_image_stack_shape(stack, &count, &width, &height);
    if (pixel) *pixel = qn_image_stack_pixel_angstrom(stack);
    for (uint64_t i = 0; i < count && i < IMAGES_MAX; i++)
        CHECK_OK(qn_image_stack_read(stack, i, &scratch_bytes, &capacity, images + i * (size_t)(width * height)));
    free(scratch_bytes);
    qn_image_stack_close(&stack);
    return count;
}

/* Run a projection. Returns the largest relative difference of an image from the expected one. */
static double error_of(const qn_project_options *options, int side)
{
    static double expected[SIDE_MAX * SIDE_MAX];
    qn_particle_set *set = NULL;
    double worst = 0;
    if (!CHECK_OK(qn_project_run(context, options, NULL))) return INFINITY;
    if (!CHECK(read_stack(options->output, made, NULL) == PARTICLES)) return INFINITY;
    if (!CHECK_OK(qn_particle_set_read(options->angles, &set))) return INFINITY;
    for (int i = 0; i < PARTICLES; i++) {
        double difference = 0, whole = 0;
        qn_ctf ctf;
        expect_image(&set->particles[i], side, expected);
        if (options->ctf && CHECK_OK(qn_ctf_of(&set->particles[i], &set->optics[0], &ctf)))
            apply_ctf(&ctf, side, expected);
        for (int p = 0; p < side * side; p++) {
            const double value = (double)made[i * side * side + p];
            difference += (value - expected[p]) * (value - expected[p]);
            whole += expected[p] * expected[p];
        }
        worst = difference == difference ? fmax(worst, sqrt(difference / whole)) : INFINITY;
    }
    qn_particle_set_destroy(&set);
    return worst;
}

static void check_error(const qn_project_options *options, int side, double most)
{
    const double error = error_of(options, side);
    if (!CHECK(error <= most))
        fprintf(stderr, "side %d, padding %g, fast %d, ctf %d: %g\n", side, options->padding, options->fast,
                options->ctf, error);
}

static void projections_of_gaussians_are_right(void)
{
    static const int sides[] = {32, 33};
    for (int i = is_slow ? 1 : 0; i < 2; i++) {
        qn_project_options options = options_for(scratch("stack.mrcs"));
        write_map(sides[i]);
        check_error(&options, sides[i], 2e-5);
        options.ctf = true;
        check_error(&options, sides[i], 2e-5);
        options.padding = 1.5;
        check_error(&options, sides[i], 5e-5);
        options.ctf = false;
        options.fast = true;
        check_error(&options, sides[i], 4e-2);
        options.padding = 1;
        options.fast = false;
        check_error(&options, sides[i],
                    1e-3); /* without padding, the error is small because the map's outer half is empty */
    }
    write_map(32);
}

/* A batch has 256 of these images. A part of the set gives the same images as the whole set. */
static void images_do_not_depend_on_batches_and_parts(void)
{
    qn_project_options options = options_for(scratch("views.mrcs"));
    qn_project_result *result = NULL;
    options.angles = NULL;
    options.views = 300;
    if (!CHECK_OK(qn_project_run(context, &options, &result))) return;
    CHECK(result->image_count == 300 && result->image_side == 32 && result->images_per_s > 0);
    CHECK_NEAR(result->voxel_angstrom, VOXEL, 1e-6);
    CHECK(result->images == NULL); /* they are in the stack */
    qn_project_result_destroy(&result);
    CHECK(read_stack(options.output, made, NULL) == 300);
    options.output = scratch("part.mrcs");
    options.views = 0;
    options.angles = scratch("views.star");
    options.first = 250;
    options.last = 270;
    if (!CHECK_OK(qn_project_run(context, &options, &result))) return;
    CHECK(read_stack(options.output, other, NULL) == 21 && result->image_count == 21);
    qn_project_result_destroy(&result);
    double worst = 0;
    for (int i = 0; i < 21 * 32 * 32; i++) worst = fmax(worst, fabs((double)(made[249 * 32 * 32 + i] - other[i])));
    CHECK(worst < 1e-3); /* of values up to 20; angles have six decimals */
}

/* The nearest neighbour of each of 300 directions is at about 0.95 · √(4π / 300), nearly as on a hexagonal lattice. */
static void views_are_evenly_spread(void)
{
    qn_particle_set *set = NULL;
    double nearest = PI, farthest = 0, sum[3] = {0};
    if (!CHECK_OK(qn_particle_set_read(scratch("views.star"), &set))) return;
    if (!CHECK(set->particle_count == 300)) return;
    for (int i = 0; i < 300; i++) {
        double a[9], least = PI;
        qn_view_matrix(set->particles[i].rot_degrees, set->particles[i].tilt_degrees, 0, a);
        for (int k = 0; k < 3; k++) sum[k] += a[6 + k];
        for (int j = 0; j < 300; j++) {
            double b[9];
            qn_view_matrix(set->particles[j].rot_degrees, set->particles[j].tilt_degrees, 0, b);
            if (j != i) least = fmin(least, acos(fmin(1, a[6] * b[6] + a[7] * b[7] + a[8] * b[8])));
        }
        nearest = fmin(nearest, least);
        farthest = fmax(farthest, least);
    }
    CHECK(nearest > 0.7 * sqrt(4 * PI / 300) && farthest < 1.1 * sqrt(4 * PI / 300));
    for (int k = 0; k < 3; k++) CHECK(fabs(sum[k]) < 2);
    qn_particle_set_destroy(&set);
}

static void metadata_describes_the_stack(void)
{
    qn_project_options options = options_for(scratch("described.mrcs"));
    qn_particle_set *given = NULL, *set = NULL;
    double pixel;
    options.ctf = true;
    CHECK_OK(qn_project_run(context, &options, NULL));
    CHECK(read_stack(options.output, made, &pixel) == PARTICLES);
    CHECK_NEAR(pixel, VOXEL, 1e-6);
    if (!CHECK_OK(qn_particle_set_read(scratch("described.star"), &set))) return;
    if (!CHECK_OK(qn_particle_set_read(options.angles, &given))) return;
    CHECK(set->particle_count == PARTICLES && set->stack_count == 1 && set->has_ctf && set->has_subsets);
    CHECK(set->optics_count == 1 && set->optics[0].image_size == 32);
    CHECK_TEXT(qn_path_name(set->stacks[0]), "described.mrcs");
    CHECK_NEAR(set->optics[0].pixel_angstrom, VOXEL, 1e-6);
    CHECK_NEAR(set->optics[0].voltage_kv, 300, 1e-6);
    for (size_t i = 0; i < set->particle_count && i < PARTICLES; i++) {
        const qn_particle *a = &set->particles[i], *b = &given->particles[i];
        CHECK(a->image == i && a->subset == b->subset);
        CHECK_NEAR(a->rot_degrees, b->rot_degrees, 1e-6);
        CHECK_NEAR(a->origin_angstrom[1], b->origin_angstrom[1], 1e-6);
        CHECK_NEAR(a->defocus_u_angstrom, b->defocus_u_angstrom, 1e-5);
    }
    qn_particle_set_destroy(&set);
    qn_particle_set_destroy(&given);
}

/* Each stage, of which noise needs two, counts its images from the first to the last. */
static int count_images(const qn_progress *state, void *user)
{
    int *wrong = user;
    *wrong += state->total != PARTICLES || state->done > state->total;
    return 0;
}

static void noise_has_the_snr_that_is_asked_for(void)
{
    int wrong = 0;
    enum { COUNT = PARTICLES * 32 * 32 };
    qn_project_options options = options_for(scratch("noisy.mrcs"));
    static float clean[COUNT];
    double sum = 0, squares = 0, noise = 0, noise_squares = 0, fourth = 0, product = 0;
    CHECK_OK(qn_project_run(context, &options, NULL));
    CHECK(read_stack(options.output, clean, NULL) == PARTICLES);
    options.snr = 0.25;
    options.run.seed = 12;
    options.run.progress = count_images;
    options.run.progress_user = &wrong;
    CHECK_OK(qn_project_run(context, &options, NULL));
    CHECK(wrong == 0);
    CHECK(read_stack(options.output, made, NULL) == PARTICLES);
    for (int i = 0; i < COUNT; i++) {
        const double difference = (double)(made[i] - clean[i]),
                     before = (double)(i > 0 ? made[i - 1] - clean[i - 1] : 0);
        sum += (double)clean[i];
        squares += (double)clean[i] * (double)clean[i];
        noise += difference;
        noise_squares += difference * difference;
        fourth += pow(difference, 4);
        product += difference * before;
    }
    const double variance = squares / COUNT - sum / COUNT * sum / COUNT, deviation = sqrt(noise_squares / COUNT);
    CHECK_NEAR(deviation, sqrt(variance / 0.25), 0.04 * deviation); /* standard error with 7168 numbers: 0.8 % */
    CHECK_NEAR(noise / COUNT, 0, 0.05 * deviation);
    CHECK_NEAR(fourth / COUNT / pow(deviation, 4), 3, 0.3);
    CHECK_NEAR(product / COUNT, 0, 0.06 * deviation * deviation);
    CHECK_OK(qn_project_run(context, &options, NULL));
    CHECK(read_stack(options.output, other, NULL) == PARTICLES && memcmp(made, other, sizeof clean) == 0);
    options.run.seed = 13;
    CHECK_OK(qn_project_run(context, &options, NULL));
    CHECK(read_stack(options.output, other, NULL) == PARTICLES && memcmp(made, other, sizeof clean) != 0);
}

/* ---- memory ---- */

static int count_files(const char *folder, const char *part)
{
    DIR *listing = opendir(folder);
    int count = 0;
    for (struct dirent *entry = listing ? readdir(listing) : NULL; entry; entry = readdir(listing))
        if (strstr(entry->d_name, part)) count++;
    if (listing) closedir(listing);
    return count;
}

static qn_project_options options_in_memory(const qn_volume *map, const qn_particle_set *set)
{
    qn_project_options options = options_for(NULL);
    options.map = options.angles = NULL;
    options.run.overwrite = false;
    options.map_volume = map;
    options.particle_set = set;
    return options;
}

/* Compare the particles and images of a run with files with those of the same run in memory. */
static void same_images(const qn_project_options *options, const qn_project_options *by_file)
{
    const size_t bytes = PARTICLES * 32 * 32 * sizeof(float);
    qn_project_result *result = NULL;
    qn_particle_set *set = NULL;
    CHECK_OK(qn_project_run(context, by_file, NULL));
    CHECK(read_stack(by_file->output, made, NULL) == PARTICLES);
    if (!CHECK_OK(qn_project_run(context, options, &result))) return;
    CHECK(result->image_count == PARTICLES && result->image_side == 32);
    if (CHECK(result->images != NULL)) CHECK(memcmp(result->images, made, bytes) == 0);
    if (CHECK_OK(qn_particle_set_read(scratch("by_file.star"), &set)) &&
        CHECK(result->particle_set->particle_count == set->particle_count)) {
        for (size_t i = 0; i < set->particle_count; i++)
            CHECK_NEAR(result->particle_set->particles[i].psi_degrees, set->particles[i].psi_degrees, 1e-6);
        CHECK(result->particle_set->has_ctf == set->has_ctf);
        CHECK(result->particle_set->optics[0].image_size == 32);
    }
    qn_particle_set_destroy(&set);
    qn_project_result_destroy(&result);
}

static void images_from_memory_equal_those_from_files(void)
{
    qn_project_options by_file = options_for(scratch("by_file.mrcs"));
    qn_volume *map = NULL;
    qn_particle_set *set = NULL;
    CHECK_OK(qn_volume_read(by_file.map, &map));
    CHECK_OK(qn_particle_set_read(by_file.angles, &set));
    qn_project_options options = options_in_memory(map, set);
    same_images(&options, &by_file);
    by_file.ctf = options.ctf = true;
    by_file.snr = options.snr = 0.5;
    const int before = count_files(check_scratch_folder(), "");
    same_images(&options, &by_file);
    CHECK(count_files(check_scratch_folder(), "") == before);
    options.output = scratch("by_file.mrcs"); /* images are written, and returned as well */
    options.keep_images = options.run.overwrite = true;
    same_images(&options, &by_file);
    qn_particle_set_destroy(&set);
    qn_volume_destroy(&map);
}

static void inputs_given_twice_or_not_at_all_are_refused(void)
{
    const char *const star = scratch("particles.star"), *const mrc = scratch("map.mrc");
    qn_volume *map = NULL;
    qn_particle_set *set = NULL;
    qn_project_result *result = (void *)made; /* not a result: must become NULL */
    CHECK_OK(qn_volume_read(mrc, &map));
    CHECK_OK(qn_particle_set_read(star, &set));
    qn_project_options options = options_in_memory(map, set);
    options.map = mrc;
    CHECK_FAILS(qn_project_run(context, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the map: given as the file");
    CHECK(result == NULL);
    options = options_in_memory(NULL, set);
    CHECK_FAILS(qn_project_run(context, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the map: not given; expected a file or an object in memory");
    options = options_in_memory(map, set);
    options.angles = star;
    CHECK_FAILS(qn_project_run(context, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the particles: given as the file");
    options = options_in_memory(map, NULL);
    CHECK_FAILS(qn_project_run(context, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("neither --angles nor --views");
    set->particles[2].psi_degrees = (double)NAN;
    options = options_in_memory(map, set);
    CHECK_FAILS(qn_project_run(context, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("particle 3 has psi = nan; expected a finite number");
    qn_particle_set_destroy(&set);
    qn_volume_destroy(&map);
}

/* ---- refusals ---- */

static void check_refused(const qn_project_options *options, qn_status status, const char *part)
{
    CHECK_FAILS(qn_project_run(context, options, NULL), status);
    CHECK_MESSAGE_HAS(part);
    CHECK(count_files(check_scratch_folder(), "refused") == 0);
}

static void wrong_options_are_refused(void)
{
    const qn_project_options fine = options_for(scratch("refused.mrcs"));
    qn_project_options options = fine;
    options.snr = -1;
    check_refused(&options, QN_INVALID_ARGUMENT, "--noise is \"-1\"; expected a number from 0 to 1000000000");
    options = fine, options.snr = NAN;
    check_refused(&options, QN_INVALID_ARGUMENT, "--noise is \"nan\"");
    options = fine, options.padding = 3;
    check_refused(&options, QN_INVALID_ARGUMENT, "--padding is \"3\"; expected one of: 1 1.5 2");
    options = fine, options.angles = NULL;
    check_refused(&options, QN_INVALID_ARGUMENT, "neither --angles nor --views");
    options = fine, options.views = 3;
    check_refused(&options, QN_INVALID_ARGUMENT, "--angles and --views both");
    options = fine, options.output = scratch("refused.mrc");
    check_refused(&options, QN_INVALID_ARGUMENT, ".mrcs");
    options = fine, options.output = scratch("absent/refused.mrcs");
    check_refused(&options, QN_NOT_FOUND, "folder");
    options = fine, options.first = 8;
    check_refused(&options, QN_INVALID_ARGUMENT, "at most 7");
    options = fine, options.first = 5, options.last = 4;
    check_refused(&options, QN_INVALID_ARGUMENT, "--first is \"5\" and --last is \"4\"");
    options = fine, options.output = scratch("particles.mrcs"); /* its .star file would be the input */
    check_refused(&options, QN_INVALID_ARGUMENT, "none of the inputs");
    options = fine, options.run.device = "nonsense";
    check_refused(&options, QN_INVALID_ARGUMENT, "nonsense");
}

static void wrong_files_are_refused(void)
{
    const qn_project_options fine = options_for(scratch("refused.mrcs"));
    static const char without_angles[] = "data_particles\n\nloop_\n_rlnImageName\n1@a.mrcs\n";
    qn_project_options options = fine;
    qn_volume *flat = NULL;
    options.map = scratch("absent.mrc");
    check_refused(&options, QN_NOT_FOUND, "absent.mrc");
    CHECK_OK(qn_volume_create((const int[]){16, 16, 12}, 1, &flat));
    CHECK_OK(qn_volume_write(flat, NULL, scratch("flat.mrc")));
    qn_volume_destroy(&flat);
    options.map = scratch("flat.mrc");
    check_refused(&options, QN_BAD_FORMAT, "16 x 16 x 12 voxels; expected a cube");
    CHECK_OK(qn_volume_create((const int[]){16, 16, 16}, 1, &flat));
    flat->values[16 * 16 + 2] = NAN;
    CHECK_OK(qn_volume_write(flat, NULL, scratch("nan.mrc")));
    options.map = scratch("nan.mrc");
    check_refused(&options, QN_BAD_FORMAT, "voxel 2, 0, 1 is");
    flat->values[16 * 16 + 2] = 0;
    CHECK_OK(qn_volume_write(flat, NULL, scratch("empty.mrc")));
    qn_volume_destroy(&flat);
    options.map = scratch("empty.mrc");
    options.snr = 1;
    check_refused(&options, QN_BAD_FORMAT, "all the same");
    options = fine, options.angles = scratch("absent.star");
    check_refused(&options, QN_NOT_FOUND, "absent.star");
    CHECK_OK(qn_file_write(scratch("plain.star"), without_angles, strlen(without_angles)));
    options.angles = scratch("plain.star");
    check_refused(&options, QN_BAD_FORMAT, "rlnAngleRot");
    write_particles("nan.star", "8@absent.mrcs 1 nan 3 0 0 9000 9000 0 1\n");
    options.angles = scratch("nan.star");
    check_refused(&options, QN_BAD_FORMAT, "nan");
}

static int stop_at_once(const qn_progress *state, void *user)
{
    (void)state;
    ++*(int *)user;
    return 1;
}

static void stopped_runs_leave_no_files(void)
{
    qn_project_options options = options_for(scratch("refused.mrcs"));
    int calls = 0;
    options.run.progress = stop_at_once;
    options.run.progress_user = &calls;
    options.views = 600;
    options.angles = NULL;
    check_refused(&options, QN_CANCELLED, "stopped");
    CHECK(calls == 1);
}

/* ---- reference data ---- */

static double correlation(const float *a, const float *b, int pixels)
{
    double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < pixels; i++) sum_a += (double)a[i], sum_b += (double)b[i];
    for (int i = 0; i < pixels; i++) {
        const double x = (double)a[i] - sum_a / pixels, y = (double)b[i] - sum_b / pixels;
        aa += x * x, bb += y * y, ab += x * y;
    }
    return ab / sqrt(aa * bb);
}

static double mean_correlation(const qn_project_options *options, const char *images, int side)
{
    double sum = 0;
    if (!CHECK_OK(qn_project_run(context, options, NULL))) return 0;
    const uint64_t count = read_stack(options->output, made, NULL);
    if (!CHECK(read_stack(images, other, NULL) == count && count > 0)) return 0;
    for (uint64_t i = 0; i < count; i++) {
        const size_t place = i * (size_t)(side * side);
        sum += correlation(made + place, other + place, side * side);
    }
    return sum / (double)count;
}

static char *kept(const char *path)
{
    return path ? strdup(path) : NULL;
}

/* Exact images differ from projections of their voxelised map only beyond the map's Nyquist frequency. With noise of an
 * SNR of 0.2, the correlation is √(0.2 / 1.2) = 0.408. */
static void projections_correlate_with_exact_images(void)
{
    char *truth = kept(check_reference_data("cryoem/synthetic/c1_48_400/truth.mrc"));
    char *star = kept(check_reference_data("cryoem/synthetic/c1_48_400/particles.star"));
    char *stack = kept(check_reference_data("cryoem/synthetic/c1_48_400/particles.mrcs"));
    char *noisy_truth = kept(check_reference_data("cryoem/synthetic/d4_48_300_ctf/truth.mrc"));
    char *noisy_star = kept(check_reference_data("cryoem/synthetic/d4_48_300_ctf/particles.star"));
    char *noisy_stack = kept(check_reference_data("cryoem/synthetic/d4_48_300_ctf/particles.mrcs"));
    qn_project_options options = options_for(scratch("reference.mrcs"));
    if (truth && noisy_truth) {
        options.map = truth, options.angles = star;
        CHECK(mean_correlation(&options, stack, 48) > 0.9999);
        options.map = noisy_truth, options.angles = noisy_star, options.ctf = true;
        CHECK_NEAR(mean_correlation(&options, noisy_stack, 48), 0.408, 0.005);
    }
    char *all[] = {truth, star, stack, noisy_truth, noisy_star, noisy_stack};
    for (int i = 0; i < 6; i++) free(all[i]);
}

/* For odd sides, projections by RELION 3.1 are shifted by one more pixel along x and y than by its convention. */
static void projections_correlate_with_those_of_relion(void)
{
    char *map = kept(check_reference_data("cryoem/maps/clean70SRibosome_vol_65p.mrc"));
    char *star = kept(check_reference_data("cryoem/particles/rln_proj/rln_proj_65.star"));
    char *stack = kept(check_reference_data("cryoem/particles/rln_proj/rln_proj_65.mrcs"));
    qn_project_options options = options_for(scratch("reference.mrcs"));
    qn_particle_set *set = NULL;
    if (map && CHECK_OK(qn_particle_set_read(star, &set))) {
        for (size_t i = 0; i < set->particle_count; i++)
            for (int k = 0; k < 2; k++) set->particles[i].origin_angstrom[k] -= set->optics[0].pixel_angstrom;
        CHECK_OK(qn_particle_set_write(set, scratch("moved.star")));
        qn_particle_set_destroy(&set);
        options.map = map;
        options.angles = scratch("moved.star");
        CHECK(mean_correlation(&options, stack, 65) > 0.9995);
    }
    free(map);
    free(star);
    free(stack);
}

int main(int argc, char **argv)
{
    qn_device *device = NULL;
    device_name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device_name, &device) == QN_NO_DEVICE) check_skip(device_name, qn_error_message());
    is_slow = compiles_slowly(qn_device_get_info(device));
    qn_device_release(&device);
    make_gaussians();
    write_particles("particles.star", "");
    RUN(projections_of_gaussians_are_right);
    RUN(images_do_not_depend_on_batches_and_parts);
    RUN(views_are_evenly_spread);
    RUN(metadata_describes_the_stack);
    RUN(noise_has_the_snr_that_is_asked_for);
    RUN(images_from_memory_equal_those_from_files);
    RUN(inputs_given_twice_or_not_at_all_are_refused);
    RUN(wrong_options_are_refused);
    RUN(wrong_files_are_refused);
    RUN(stopped_runs_leave_no_files);
    if (check_reference_data("cryoem")) {
        RUN(projections_correlate_with_exact_images);
        RUN(projections_correlate_with_those_of_relion);
    }
    qn_context_destroy(&context);
    return check_finish();
}
