/* The stages of quern project: read the map, choose views, make images, write the stack and its metadata. */
#include <inttypes.h>
#include <math.h>
#include <quern/particles.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "cryoem/memory_inputs.h"
#include "cryoem/pixel_size.h"
#include "cryoem/volume_check.h"
#include "project/images.h"
#include "report/json.h"
#include "report/options.h"

enum { MAP_SIDE_MAX = 1024, SMALLEST_MAP_SIDE = 8 };

/* ---- inputs ---- */

static qn_status read_map(qn_projection *run)
{
    const qn_volume *given = run->options->map_volume;
    QN_TRY(qn_input_is_one("the map", run->options->map, given));
    if (!given) QN_TRY(qn_volume_read(run->options->map, &run->own_map));
    QN_TRY(qn_volume_view(given ? given : run->own_map, "the map in memory", &run->map));
    const int *counts = run->map.counts;
    const double *voxel = run->map.voxel_angstrom;
    if (counts[0] != counts[1] || counts[0] != counts[2])
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %d x %d x %d voxels; expected a cube", run->map.name, counts[0],
                       counts[1], counts[2]);
    if (counts[0] < SMALLEST_MAP_SIDE || counts[0] > MAP_SIDE_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: has %d voxels a side; expected %d to %d", run->map.name, counts[0],
                       SMALLEST_MAP_SIDE, MAP_SIDE_MAX);
    if (fabs(voxel[1] / voxel[0] - 1) > 1e-3 || fabs(voxel[2] / voxel[0] - 1) > 1e-3)
        return QN_FAIL(QN_BAD_FORMAT, "%s: voxels of %g x %g x %g Å; expected the same along each axis", run->map.name,
                       voxel[0], voxel[1], voxel[2]);
    const size_t voxels = (size_t)counts[0] * (size_t)counts[0] * (size_t)counts[0];
    for (size_t i = 0; i < voxels; i++)
        if (!isfinite(run->map.values[i]))
            return QN_FAIL(QN_BAD_FORMAT, "%s: voxel %zu, %zu, %zu is %g; expected finite values", run->map.name,
                           i % (size_t)counts[0], i / (size_t)counts[0] % (size_t)counts[0],
                           i / (size_t)counts[0] / (size_t)counts[0], (double)run->map.values[i]);
    return QN_OK;
}

/* Use the voxel size that the user states. */
static qn_status change_voxel(qn_projection *run)
{
    const double pixel = run->options->pixel_angstrom;
    qn_volume *map = &run->map;
    if (!(pixel > 0)) return QN_OK;
    if (!map->voxel_assumed && qn_voxels_differ(map->voxel_angstrom[0], pixel))
        QN_TRY(qn_job_warn(run->job, "%s: has voxels of %g Å; --pixel %g is used instead", map->name,
                           map->voxel_angstrom[0], pixel));
    for (int k = 0; k < 3; k++) map->voxel_angstrom[k] = pixel;
    map->voxel_assumed = false;
    return QN_OK;
}

static qn_status open_device(qn_projection *run)
{
    QN_TRY(qn_job_devices(run->job));
    if (run->job->device_count > 1)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "\"%s\" names %d devices; expected one, which is fast enough for projections",
                       run->options->run.device, run->job->device_count);
    return qn_queue_create(run->job->devices[0], &run->queue);
}

static qn_status name_inputs(qn_projection *run)
{
    const qn_project_options *options = run->options;
    qn_job *job = run->job;
    uint64_t bytes;
    char digest[65];
    if (options->map) {
        QN_TRY(qn_job_input_add(job, "map", options->map, QN_JOB_READ_ALL));
    } else {
        qn_volume_digest(&run->map, &bytes, digest);
        QN_TRY(qn_job_input_add_memory(job, "map", run->map.name, bytes, digest));
    }
    if (options->angles) return qn_job_input_add(job, "angles", options->angles, QN_JOB_READ_ALL);
    if (!options->particle_set) return QN_OK;
    qn_particle_set_digest(options->particle_set, &bytes, digest);
    return qn_job_input_add_memory(job, "angles", run->views.set->name, bytes, digest);
}

static qn_status make_key(qn_projection *run)
{
    const qn_project_options *options = run->options;
    qn_job *job = run->job;
    if (!options->output) return QN_OK; /* only run.json needs the key */
    QN_TRY(name_inputs(run));
    QN_TRY(qn_job_key(job,
                      "views=%" PRIu64 "\nfirst=%" PRIu64 "\nlast=%" PRIu64 "\nctf=%d\nsnr=%.17g\nseed=%" PRIu64
                      "\npadding=%g\nfast=%d\npixel=%.17g\n",
                      options->views, options->first, options->last, options->ctf, options->snr, options->run.seed,
                      options->padding, options->fast, options->pixel_angstrom));
    return qn_job_key_devices(job);
}

static qn_status read_inputs(qn_projection *run)
{
    QN_TRY(qn_option_check(qn_project_option_table(), run->options));
    QN_TRY(read_map(run));
    QN_TRY(change_voxel(run));
    QN_TRY(qn_views_create(run->options, &run->map, run->job, &run->views));
    QN_TRY(open_device(run));
    return make_key(run);
}

/* ---- images ---- */

/* Measure the signal. The noise of all images has the same deviation, computed from the variance of all values of all
 * images. */
static qn_status measure_signal(qn_projection *run)
{
    const double side = run->problem.image_side, count = (double)run->views.set->particle_count * side * side;
    run->measures = true;
    QN_TRY(qn_projection_go_through(run, "measuring the signal"));
    run->measures = false;
    const double mean = run->sum / count, variance = run->sum_of_squares / count - mean * mean;
    if (!(variance > 0))
        return QN_FAIL(QN_BAD_FORMAT, "%s: its projections are all the same; expected a signal", run->map.name);
    run->deviation = sqrt(variance / run->options->snr);
    return QN_OK;
}

static qn_status make_room(qn_projection *run)
{
    const size_t side = (size_t)run->problem.image_side;
    void *memory;
    if (!run->job->in_memory && !run->options->keep_images) return QN_OK;
    QN_TRY(qn_allocate(run->views.set->particle_count, side * side * sizeof(float), &memory));
    run->kept = memory;
    return QN_OK;
}

static qn_status write_stack(qn_projection *run)
{
    const int side = run->problem.image_side;
    char *path;
    if (run->job->in_memory) return qn_projection_go_through(run, "projecting");
    QN_TRY(qn_job_path(run->job, ".mrcs", &path));
    qn_status status =
        qn_image_stack_writer_create(path, side, side, run->views.voxel_angstrom, "quern project", &run->writer);
    qn_release(&path);
    QN_TRY(status);
    QN_TRY(qn_projection_go_through(run, "projecting"));
    return qn_image_stack_writer_finish(&run->writer);
}

static qn_status write_metadata(qn_projection *run)
{
    char *path;
    if (run->job->in_memory) return QN_OK;
    QN_TRY(qn_job_path(run->job, ".star", &path));
    qn_status status = qn_particle_set_write(run->views.set, path);
    qn_release(&path);
    return status;
}

static qn_status write_run_json(qn_projection *run)
{
    return qn_job_facts(run->job,
                        json_pack("{s:o, s:i, s:f, s:o}", "images", qn_json_unsigned(run->views.set->particle_count),
                                  "image_side", run->problem.image_side, "voxel_angstrom", run->views.voxel_angstrom,
                                  "options", qn_json_options(qn_project_option_table(), run->options)));
}

/* Make the images, on the first rank only: one device computes images faster than they can be written. */
static qn_status make_images(qn_projection *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_projection_prepare(run));
    QN_TRY(qn_projection_explore(run));
    if (run->options->snr > 0) QN_TRY(measure_signal(run));
    QN_TRY(make_room(run));
    QN_TRY(write_stack(run));
    QN_TRY(write_metadata(run));
    return write_run_json(run);
}

/* ---- stages ---- */

/* Rough estimate of the time on a few processor cores, which decides whether tuning is worth its cost. */
static double expected_seconds(const qn_projection *run)
{
    const double side = run->problem.image_side / 128.0;
    const int stages = run->options->snr > 0 ? 2 : 1; /* the signal is measured before the noise is added */
    return 1e-3 * stages * (double)run->total * side * side;
}

static qn_status run_stages(qn_projection *run)
{
    static const char *const names[] = {".mrcs", ".star", "run.json", NULL};
    static const qn_output nothing = {0};
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    const qn_output files = {.stem = run->views.stem, .names = names};
    QN_TRY(qn_job_output(job, run->options->output ? &files : &nothing, false));
    qn_projection_plan(run);
    QN_TRY(qn_job_agree(job, qn_job_tune(job, expected_seconds(run))));
    return qn_job_agree(job, make_images(run));
}

static qn_status make_result(qn_projection *run, qn_project_result **out)
{
    const double seconds = qn_clock_s() - run->job->started_s;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_project_result *result = *out = memory;
    *result = (qn_project_result){.image_count = run->views.set->particle_count,
                                  .image_side = run->problem.image_side,
                                  .voxel_angstrom = run->views.voxel_angstrom,
                                  .seconds = seconds,
                                  .images_per_s = (double)run->views.set->particle_count / seconds};
    if (!qn_job_is_first(run->job)) return QN_OK;
    result->images = run->kept;
    result->particle_set = run->views.set;
    run->kept = NULL;
    run->views.set = NULL;
    return QN_OK;
}

qn_status qn_project_run(qn_context *context, const qn_project_options *options, qn_project_result **result)
{
    qn_job job;
    qn_project_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_project_option_table(), options, &own));
    qn_projection run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "project", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, make_result(&run, result));
    qn_projection_clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_project_result_destroy(result);
    return status;
}

void qn_project_result_destroy(qn_project_result **pointer)
{
    qn_project_result *result = *pointer;
    if (!result) return;
    qn_release(&result->images);
    qn_particle_set_destroy(&result->particle_set);
    qn_release(pointer);
}
