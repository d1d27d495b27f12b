/* labels: unsanitized */
/* Noise near the limit of resolution. A reconstruction is linear in its images, so the map of images of pure noise is
 * the noise of a map. All slices pass through the origin, so the number of samples for each voxel is proportional to
 * 1 / |f|, and the power of the noise to |f|. It must not rise above that in the shells at the limit. */
#include "check.h"

#include <math.h>
#include <quern/reconstruct.h>
#include <stdio.h>
#include <string.h>

#include "cryoem/grid_transform.h"
#include "math/random.h"

enum { SIDE_MAX = 32, COUNT = 800, SETS = 4, SHELLS = SIDE_MAX / 2 + 1, LIMIT = 9 };
enum { EDGE = 3, INNER = 4 }; /* shells at the Nyquist frequency, and shells within them to compare them with */
enum { FIRST = 2 };           /* shells 0 and 1 have few voxels, and fading the map at its edge changes them */

static const double PIXEL = 2; /* Å */

static qn_context *context;
static float images[COUNT][SIDE_MAX * SIDE_MAX];
static double angles[COUNT][3]; /* rot, tilt, psi */
static double defocus[COUNT];   /* Å; so different that the mean of CTF² is even where the test looks */
static qn_particle_set *set;

/* Views in all directions alike, with random turns about them. */
static void make_views(void)
{
    const ptrdiff_t stride = sizeof angles[0];
    const double degrees = 180 / 3.14159265358979323846;
    for (int n = 0; n < COUNT; n++) {
        angles[n][0] = 360 * qn_random_uniform(1, 0, (uint64_t)n);
        angles[n][1] = degrees * acos(2 * qn_random_uniform(1, 1, (uint64_t)n) - 1);
        angles[n][2] = 360 * qn_random_uniform(1, 2, (uint64_t)n);
        defocus[n] = 8000 + 12000 * qn_random_uniform(1, 3, (uint64_t)n);
    }
    const qn_particle_columns columns = {.count = COUNT,
                                         .pixel_angstrom = PIXEL,
                                         .voltage_kv = 300,
                                         .spherical_aberration_mm = 2.7,
                                         .amplitude_contrast = 0.1,
                                         .rot_degrees = {&angles[0][0], stride},
                                         .tilt_degrees = {&angles[0][1], stride},
                                         .psi_degrees = {&angles[0][2], stride},
                                         .defocus_u_angstrom = {defocus, sizeof defocus[0]}};
    CHECK_OK(qn_particle_set_from_columns(&columns, &set));
}

typedef struct shell_powers {
    int side;
    double power[SHELLS];
} shell_powers;

/* Add the mean of |F|² over each shell rint(|f|). */
static qn_status add_powers(void *const *buffers, qn_pool *pool, void *user)
{
    (void)pool;
    shell_powers *powers = user;
    const int side = powers->side, columns = side / 2 + 1;
    const float *spectrum = buffers[1];
    double sums[SHELLS] = {0}, counts[SHELLS] = {0};
    for (int i = 0; i < side * side * columns; i++) {
        const int x = i % columns, row = i / columns % side, plane = i / columns / side;
        const int y = row <= side / 2 ? row : row - side, z = plane <= side / 2 ? plane : plane - side;
        const long shell = lrint(sqrt(x * x + y * y + z * z));
        if (shell > side / 2) continue;
        const double real = (double)spectrum[2 * i], imaginary = (double)spectrum[2 * i + 1];
        const double copies = x == 0 || 2 * x == side ? 1 : 2; /* a voxel and its mate */
        sums[shell] += copies * (real * real + imaginary * imaginary);
        counts[shell] += copies;
    }
    for (int shell = 0; shell <= side / 2; shell++) powers->power[shell] += sums[shell] / counts[shell];
    return QN_OK;
}

/* Power of the noise in each shell of maps of SETS sets of images of white noise. */
static shell_powers noise_of(int side, const qn_reconstruct_options *given)
{
    const qn_image_array array = {.values = images[0], .count = COUNT, .side = side};
    shell_powers powers = {.side = side};
    qn_grid_transform grid = {0};
    qn_reconstruct_options options = *given;
    options.particle_set = set;
    options.images = &array;
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    if (!CHECK_OK(qn_grid_transform_create(context, (const int[3]){side, side, side}, 1, &grid))) return powers;
    for (uint64_t s = 0; s < SETS; s++) {
        qn_reconstruct_result *result = NULL;
        for (int i = 0; i < COUNT * side * side; i++)
            images[0][i] = (float)(qn_random_uniform(2, s, (uint64_t)i) - 0.5);
        if (!CHECK_OK(qn_reconstruct_run(context, &options, &result))) break;
        CHECK_OK(qn_grid_transform_fill(&grid, result->map->values, NULL));
        CHECK_OK(qn_grid_transform_forward(&grid, 0));
        CHECK_OK(qn_grid_transform_use(&grid, add_powers, &powers));
        qn_reconstruct_result_destroy(&result);
    }
    qn_grid_transform_destroy(&grid);
    return powers;
}

typedef struct noise_case {
    const char *name, *symmetry;
    int side;
    double padding;
    qn_reconstruct_weights weights;
    bool fast, ctf;
} noise_case;

static const noise_case cases[] = {{"blobs", "C1", 32, 2, QN_RECONSTRUCT_WEIGHTS_PLAIN, false},
                                   {"gridding weights", "C1", 32, 2, QN_RECONSTRUCT_WEIGHTS_ITERATED, false},
                                   {"nearest samples", "C1", 32, 2, QN_RECONSTRUCT_WEIGHTS_PLAIN, true},
                                   {"blobs with the CTF", "C1", 32, 2, QN_RECONSTRUCT_WEIGHTS_PLAIN, false, true},
                                   {"nearest with the CTF", "C1", 32, 2, QN_RECONSTRUCT_WEIGHTS_PLAIN, true, true},
                                   {"an odd side", "C1", 31, 2, QN_RECONSTRUCT_WEIGHTS_AUTO, false},
                                   {"a padding of 1.5", "C1", 32, 1.5, QN_RECONSTRUCT_WEIGHTS_AUTO, false},
                                   {"no padding", "C1", 32, 1, QN_RECONSTRUCT_WEIGHTS_AUTO, false},
                                   {"symmetry", "C2", 32, 2, QN_RECONSTRUCT_WEIGHTS_AUTO, false}};
enum { CASES = sizeof cases / sizeof *cases };

static qn_reconstruct_options options_of(const noise_case *from)
{
    qn_reconstruct_options options = qn_reconstruct_default_options();
    options.symmetry = from->symmetry;
    options.padding = from->padding;
    options.weights = from->weights;
    options.fast = from->fast;
    options.ctf = from->ctf;
    return options;
}

static void noise_does_not_rise_at_nyquist(void)
{
    for (int c = 0; c < CASES; c++) {
        const qn_reconstruct_options options = options_of(&cases[c]);
        const int last = cases[c].side / 2;
        const shell_powers noise = noise_of(cases[c].side, &options);
        double inner = 0; /* power / |f| */
        for (int shell = last - EDGE - INNER + 1; shell <= last - EDGE; shell++)
            inner += noise.power[shell] / shell / INNER;
        for (int shell = last - EDGE + 1; shell <= last; shell++)
            if (!CHECK(noise.power[shell] / shell <= 1.05 * inner))
                fprintf(stderr, "%s: shell %d has %.3f times the noise of shells inside it\n", cases[c].name, shell,
                        noise.power[shell] / shell / inner);
    }
}

static void noise_does_not_rise_at_a_limit(void)
{
    for (int c = 0; c < CASES; c++) {
        qn_reconstruct_options options = options_of(&cases[c]);
        const int side = cases[c].side;
        const shell_powers whole = noise_of(side, &options);
        options.max_resolution_angstrom = side * PIXEL / LIMIT;
        const shell_powers limited = noise_of(side, &options);
        for (int shell = FIRST; shell <= side / 2; shell++) {
            const double ratio = limited.power[shell] / whole.power[shell];
            if (!CHECK(ratio <= 1.05))
                fprintf(stderr, "%s: shell %d has %.3f times the noise without a limit\n", cases[c].name, shell, ratio);
            if (shell < LIMIT) CHECK(ratio > 0.8); /* nothing is lost inside the limit */
            if (shell > LIMIT + 1) CHECK(ratio < 0.05);
        }
    }
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    make_views();
    RUN(noise_does_not_rise_at_nyquist);
    RUN(noise_does_not_rise_at_a_limit);
    qn_particle_set_destroy(&set);
    qn_context_destroy(&context);
    return check_finish();
}
