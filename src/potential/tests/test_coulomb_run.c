/* devices: host opencl:0 cuda:0 checking:host */
/* Whole runs of quern potential --coulomb on one device: values by hand, the files of both formats, refusals. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <math.h>
#include <quern/file.h>
#include <quern/potential.h>
#include <quern/volume.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* Two charges of 0.5 and −0.25 e, 4 Å apart on the x axis. */
static const char receptor[] = "ATOM      1  C   ALA A   1      -2.000   0.000   0.000  1.00  0.00     0.500 C \n"
                               "ATOM      2  O   ALA A   1       2.000   0.000   0.000  1.00  0.00    -0.250 OA\n";

static const char *device = "host";
static qn_context *context;
static char receptor_path[600], output_path[600];

static qn_potential_options options_of(const char *output)
{
    qn_potential_options options = qn_potential_default_options();
    options.run.device = device;
    options.run.tune = QN_TUNE_OFF;
    options.receptor = receptor_path;
    options.coulomb = true;
    options.centre = "0,0,0";
    options.npts[0] = 12;
    options.spacing_angstrom = 0.5;
    if (output) {
        snprintf(output_path, sizeof output_path, "%s/%s", check_scratch_folder(), output);
        options.output = output_path;
    }
    return options;
}

static double expected_at(int i, int j, int k)
{
    const double x = 0.5 * (i - 6), y = 0.5 * (j - 6), z = 0.5 * (k - 6), flat = y * y + z * z;
    const double left = fmax(sqrt((x + 2) * (x + 2) + flat), 0.001);
    const double right = fmax(sqrt((x - 2) * (x - 2) + flat), 0.001);
    return 332.06371 * (0.5 / left - 0.25 / right);
}

static void check_values(const float *values, double tolerance)
{
    for (int k = 0, place = 0; k < 13; k++)
        for (int j = 0; j < 13; j++)
            for (int i = 0; i < 13; i++, place++) {
                const double expected = expected_at(i, j, k);
                CHECK(fabs((double)values[place] - expected) <= tolerance * (fabs(expected) + 50));
            }
}

static void memory_has_the_sums(void)
{
    const qn_potential_options options = options_of(NULL);
    qn_potential_result *result = NULL;
    if (!CHECK_OK(qn_potential_run(context, &options, &result))) return;
    CHECK(result->map_count == 1 && strcmp(result->maps[0].name, "coulomb") == 0 && result->atom_count == 2);
    if (CHECK(result->maps[0].values != NULL)) check_values(result->maps[0].values, 2e-6);
    qn_potential_result_destroy(&result);
}

static void mrc_has_the_sums_and_their_place(void)
{
    const qn_potential_options options = options_of("plain.mrc");
    qn_potential_result *result = NULL;
    qn_volume *volume = NULL;
    if (!CHECK_OK(qn_potential_run(context, &options, &result))) return;
    CHECK(result->maps[0].file && strcmp(result->maps[0].file, output_path) == 0);
    if (CHECK_OK(qn_volume_read(output_path, &volume))) {
        CHECK(volume->counts[0] == 13 && volume->counts[1] == 13 && volume->counts[2] == 13);
        CHECK_NEAR(volume->origin_angstrom[0], -3, 1e-6);
        CHECK_NEAR(volume->voxel_angstrom[2], 0.5, 1e-6);
        check_values(volume->values, 2e-6);
    }
    qn_volume_destroy(&volume);
    qn_potential_result_destroy(&result);
}

/* OpenDX has z fastest, and six digits. */
static void dx_has_the_sums(void)
{
    const qn_potential_options options = options_of("other.dx");
    float values[13 * 13 * 13];
    char *text = NULL;
    size_t size;
    if (!CHECK_OK(qn_potential_run(context, &options, NULL)) || !CHECK_OK(qn_file_read(output_path, &text, &size)))
        return;
    char *place = strstr(text, "data follows\n");
    if (CHECK(place != NULL)) {
        place += strlen("data follows\n");
        for (int i = 0; i < 13; i++)
            for (int j = 0; j < 13; j++)
                for (int k = 0; k < 13; k++) values[(k * 13 + j) * 13 + i] = strtof(place, &place);
        check_values(values, 1e-5);
    }
    qn_release(&text);
}

static void impossible_options_are_refused(void)
{
    qn_potential_options options = options_of("plain");
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("ends in .mrc or .dx");
    options = options_of("plain.dx");
    options.types = "C";
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--types is given beside --coulomb");
}

int main(int argc, char **argv)
{
    if (argc > 1) device = argv[1];
    qn_device *opened = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, device, &opened) == QN_NO_DEVICE) check_skip(device, qn_error_message());
    snprintf(receptor_path, sizeof receptor_path, "%s/two.pdbqt", check_scratch_folder());
    if (!CHECK_OK(qn_file_write(receptor_path, receptor, strlen(receptor)))) return check_finish();
    RUN(memory_has_the_sums);
    RUN(mrc_has_the_sums_and_their_place);
    RUN(dx_has_the_sums);
    RUN(impossible_options_are_refused);
    qn_device_release(&opened);
    qn_context_destroy(&context);
    return check_finish();
}
