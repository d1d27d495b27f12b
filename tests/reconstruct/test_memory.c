/* Whether a reconstruction takes the memory that it says before it starts: in a process of its own, since only the peak
 * of all is known. Each run takes more than the one before. */
#include <stdio.h>
#include <stdlib.h>

#include <quern/reconstruct.h>

#include "base/file.h"
#include "base/text.h"
#include "check.h"
#include "format/image/image_stack.h"
#include "math/random.h"

enum { SIDE = 128, IMAGES = 700 }; /* more than a batch of them */

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

/* Within a tenth, and what the test itself takes. */
static void estimate_is_near(double padding, bool halves, bool write_weights)
{
    qn_context *context;
    qn_reconstruct_summary summary;
    qn_reconstruct_options options = qn_reconstruct_default_options();
    options.particles = star;
    options.output = map;
    options.run.overwrite = true; /* the one before */
    options.run.device = "host";
    options.run.tune = "off";
    options.padding = padding;
    options.halves = halves;
    options.write_weights = write_weights;
    options.max_resolution_angstrom = 20; /* sooner done, and the volume is of the same size */
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.threads = 2}, &context))) return;
    if (CHECK_OK(qn_reconstruct_run(context, &options, &summary))) {
        const double mib = 1024.0 * 1024, said = (double)summary.memory_bytes / mib, took = check_peak_kib() / 1024.0;
        printf("padding %g: %.0f MiB were estimated, %.0f taken\n", padding, said, took);
        CHECK(summary.images == IMAGES);
        if (took > 0) CHECK(took < 1.1 * said + 4 && took > 0.9 * said - 4);
    }
    qn_context_destroy(&context);
}

static void plain_runs(void)
{
    estimate_is_near(1, false, false);
    estimate_is_near(2, false, false);
}

static void runs_of_halves(void)
{
    estimate_is_near(2, true, true);
}

int main(void)
{
    make_particles();
    RUN(plain_runs);
    RUN(runs_of_halves);
    return check_finish();
}
