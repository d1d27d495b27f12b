/* A reconstruction takes the memory that it estimates before it starts. Only the peak of the whole process is known, so
 * this test has its own process, and each run takes more memory than the one before. */
#include <stdio.h>
#include <stdlib.h>

#include <quern/reconstruct.h>

#include "base/file.h"
#include "base/text.h"
#include "check.h"
#include "format/image/image_stack.h"
#include "math/random.h"

enum { SIDE = 128, IMAGES = 1024 }; /* two batches */

static char star[700], map[700];

static void make_particles(void)
{
    char path[700];
    qn_image_stack_writer *writer;
    qn_text text = {0};
    float *image = malloc(SIDE * SIDE * sizeof *image);
    for (size_t i = 0; i < SIDE * SIDE; i++) image[i] = (float)qn_random_uniform(1, 0, i) - 0.5f;
    snprintf(path, sizeof path, "%s/stack.mrcs", check_scratch_folder());
    snprintf(star, sizeof star, "%s/set.star", check_scratch_folder());
    snprintf(map, sizeof map, "%s/map.mrc", check_scratch_folder());
    CHECK_OK(qn_image_stack_writer_create(path, SIDE, SIDE, 2, NULL, &writer));
    CHECK_OK(qn_text_append(&text, "data_\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n"));
    for (int i = 0; i < IMAGES; i++) {
        CHECK_OK(qn_image_stack_writer_append(writer, image));
        CHECK_OK(qn_text_append(&text, "%d@stack.mrcs %d %d %d\n", i + 1, 7 * i % 360, 11 * i % 180, 13 * i % 360));
    }
    CHECK_OK(qn_image_stack_writer_finish(&writer));
    CHECK_OK(qn_file_write(star, text.data, text.length));
    qn_text_clear(&text);
    free(image);
}

/* Check that a run takes its estimate within a tenth and 4 MiB, for the memory of the test itself. */
static void check_estimate(double padding, bool halves, bool write_weights)
{
    qn_context *context;
    qn_reconstruct_result *result = NULL;
    qn_reconstruct_options options = qn_reconstruct_default_options();
    options.particles = star;
    options.output = map;
    options.run.overwrite = true; /* replaces the run before */
    options.run.device = "host";
    options.run.tune = QN_TUNE_OFF;
    options.padding = padding;
    options.halves = halves;
    options.write_weights = write_weights;
    options.max_resolution_angstrom = 20; /* faster, with a volume of the same size */
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return;
    if (CHECK_OK(qn_reconstruct_run(context, &options, &result))) {
        const double mib = 1024.0 * 1024, said = (double)result->memory_bytes / mib, took = check_peak_kib() / 1024.0;
        printf("padding %g: %.0f MiB were estimated, %.0f MiB taken\n", padding, said, took);
        CHECK(result->images == IMAGES);
        if (took > 0) CHECK(took < 1.1 * said + 4 && took > 0.9 * said - 4);
    }
    qn_reconstruct_result_destroy(&result);
    qn_context_destroy(&context);
}

static void single_maps_take_their_estimate(void)
{
    check_estimate(1, false, false);
    check_estimate(2, false, false);
}

static void half_maps_take_their_estimate(void)
{
    check_estimate(2, true, true);
}

int main(void)
{
    make_particles();
    RUN(single_maps_take_their_estimate);
    RUN(half_maps_take_their_estimate);
    return check_finish();
}
