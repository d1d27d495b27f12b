/* Projection and reconstruction with inputs and results in memory: reconstruct_in_memory [VIEWS].
 *
 * A volume of a few blobs is projected from directions that are spread evenly over the sphere, and reconstructed from
 * these images with half maps. The correlation of both volumes is printed, and no file is written. */
#include <math.h>
#include <quern/project.h>
#include <quern/reconstruct.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 48, VOXELS = SIDE * SIDE * SIDE, BLOBS = 5 };

/* Fill a volume with Gaussians of a standard deviation of 3 voxels; values are [z][y][x]. */
static void fill_volume(qn_volume *volume)
{
    static const double centres[BLOBS][3] = {{0, 0, 0}, {9, 2, -3}, {-6, 8, 1}, {2, -7, 8}, {-4, -5, -9}};
    for (int i = 0; i < VOXELS; i++) {
        const double at[3] = {i % SIDE - SIDE / 2, i / SIDE % SIDE - SIDE / 2, i / SIDE / SIDE - SIDE / 2};
        double value = 0;
        for (int blob = 0; blob < BLOBS; blob++) {
            double squared = 0;
            for (int k = 0; k < 3; k++) squared += (at[k] - centres[blob][k]) * (at[k] - centres[blob][k]);
            value += exp(-squared / (2 * 3 * 3));
        }
        volume->values[i] = (float)value;
    }
}

/* Pearson's correlation coefficient of two volumes' values. */
static double correlation_of(const qn_volume *a, const qn_volume *b)
{
    double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < VOXELS; i++) {
        sum_a += (double)a->values[i];
        sum_b += (double)b->values[i];
    }
    for (int i = 0; i < VOXELS; i++) {
        const double x = (double)a->values[i] - sum_a / VOXELS, y = (double)b->values[i] - sum_b / VOXELS;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return ab / sqrt(aa * bb);
}

static qn_status reconstruct(qn_context *context, const qn_project_result *projected, const qn_volume *volume)
{
    const qn_image_array images = {
        .values = projected->images, .count = (size_t)projected->image_count, .side = projected->image_side};
    qn_reconstruct_options options = qn_reconstruct_default_options();
    qn_reconstruct_result *result;
    options.particle_set = projected->particle_set;
    options.images = &images;
    options.halves = true;
    const qn_status status = qn_reconstruct_run(context, &options, &result);
    if (status != QN_OK) return status;
    printf("%llu images of %d x %d pixels\n", (unsigned long long)result->images, result->image_side,
           result->image_side);
    printf("half maps agree to %.2f Å\n", result->resolution_angstrom);
    printf("correlation of the map with the volume: %.4f\n", correlation_of(result->map, volume));
    for (size_t i = 0; i < result->warning_count; i++) printf("warning: %s\n", result->warnings[i]);
    qn_reconstruct_result_destroy(&result);
    return QN_OK;
}

int main(int count, char **arguments)
{
    qn_context *context = NULL;
    qn_volume *volume = NULL;
    qn_project_result *projected = NULL;
    qn_project_options options = qn_project_default_options();
    options.views = count > 1 ? strtoull(arguments[1], NULL, 10) : 2000;
    qn_status status = qn_context_create(NULL, &context);
    if (status == QN_OK) status = qn_volume_create((const int[]){SIDE, SIDE, SIDE}, 2.0, &volume);
    if (status == QN_OK) {
        fill_volume(volume);
        options.map_volume = volume;
        options.snr = 4; /* noise, so that the half maps differ */
        status = qn_project_run(context, &options, &projected);
    }
    if (status == QN_OK) status = reconstruct(context, projected, volume);
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", qn_status_name(status), qn_error_message());
    qn_project_result_destroy(&projected);
    qn_volume_destroy(&volume);
    qn_context_destroy(&context);
    return status == QN_OK ? 0 : 1;
}
