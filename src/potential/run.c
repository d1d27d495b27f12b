/* The stages of quern potential. */
#include "potential/run.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "report/json.h"
#include "report/options.h"

/* ---- inputs ---- */

static qn_status make_key(qn_potential_run_state *run)
{
    const qn_potential_options *options = run->options;
    const qn_potential_settings *settings = &run->model->settings;
    const qn_potential_grid *grid = &settings->grid;
    const double *centre = grid->centre_angstrom;
    qn_job *job = run->job;
    QN_TRY(qn_job_input_add(job, "receptor", run->receptor_path, QN_JOB_READ_ALL));
    if (options->gpf) QN_TRY(qn_job_input_add(job, "gpf", options->gpf, QN_JOB_READ_ALL));
    if (run->gpf.parameter_file) QN_TRY(qn_job_input_add(job, "parameters", run->gpf.parameter_file, QN_JOB_READ_ALL));
    if (options->site) QN_TRY(qn_job_input_add(job, "site", options->site, QN_JOB_READ_ALL));
    if (options->ligand) QN_TRY(qn_job_input_add(job, "ligand", options->ligand, QN_JOB_LIST_ONLY));
    QN_TRY(qn_job_key(job, "points=%d %d %d\nspacing=%.17g\ncenter=%.17g %.17g %.17g\nsmooth=%.17g\ndielectric=%.17g\n",
                      grid->points[0], grid->points[1], grid->points[2], grid->spacing_angstrom, centre[0], centre[1],
                      centre[2], settings->smooth_angstrom, settings->dielectric));
    QN_TRY(qn_job_key(job, "slab_planes=%d\ntypes=", run->slab_planes));
    for (int i = 0; i < run->map_count; i++) QN_TRY(qn_job_key(job, "%s%s", i ? "," : "", run->map_names[i]));
    return qn_job_key(job, "\n");
}

/* A grid in another frame, or in nm, gives maps of zeros, which look like maps. */
static qn_status warn_of_distance(const qn_potential_run_state *run)
{
    static const double reach_angstrom = 8; /* of all energies but the electrostatic one */
    const qn_potential_grid *grid = &run->model->settings.grid;
    double nearest = INFINITY;
    for (size_t i = 0; i < run->model->atom_count; i++) {
        double square = 0;
        for (size_t d = 0; d < 3; d++) {
            const double half = 0.5 * grid->spacing_angstrom * (grid->points[d] - 1);
            const double away = fabs(run->model->positions_angstrom[3 * i + d]) - half;
            if (away > 0) square += away * away;
        }
        nearest = fmin(nearest, square);
    }
    if (nearest <= reach_angstrom * reach_angstrom) return QN_OK;
    const double *centre = grid->centre_angstrom;
    return qn_job_warn(
        run->job,
        "%s: no atom is within %g Å of the grid, whose centre is %.1f, %.1f, %.1f Å; the nearest is %.0f "
        "Å away",
        run->receptor_path, reach_angstrom, centre[0], centre[1], centre[2], sqrt(nearest));
}

static qn_status read_inputs(qn_potential_run_state *run)
{
    QN_TRY(qn_option_check(qn_potential_option_table(), run->options));
    QN_TRY(qn_potential_plan(run));
    QN_TRY(qn_potential_names_make(run));
    run->job->in_memory = !run->names.output.folder && !run->names.output.stem;
    QN_TRY(qn_job_devices(run->job));
    QN_TRY(qn_potential_divide(run));
    if (run->model) QN_TRY(warn_of_distance(run));
    return make_key(run);
}

/* ---- results ---- */

enum { RANGE_PARTS = 32 }; /* of a map */

typedef struct ranging {
    const qn_potential_run_state *run;
    size_t points;      /* of a map */
    float (*ranges)[2]; /* [map][RANGE_PARTS]: the least and the most value */
} ranging;

static qn_status range_part(size_t index, int worker, void *user)
{
    const ranging *work = user;
    const size_t map = index / RANGE_PARTS, part = index % RANGE_PARTS;
    const size_t first = work->points * part / RANGE_PARTS, end = work->points * (part + 1) / RANGE_PARTS;
    const float *values = work->run->values + map * work->points;
    float least = values[0], most = values[0];
    (void)worker;
    for (size_t i = first; i < end; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    work->ranges[index][0] = least;
    work->ranges[index][1] = most;
    return QN_OK;
}

/* Find the least and the most value of each map, for runs that do not write AutoGrid's files. */
static qn_status find_range(qn_potential_run_state *run)
{
    const size_t parts = (size_t)run->map_count * RANGE_PARTS;
    ranging work = {.run = run, .points = qn_potential_slab_points(run, 0, run->slab_count)};
    QN_TRY(qn_allocate(parts, sizeof *work.ranges, (void **)&work.ranges));
    const qn_status status = qn_pool_run(run->job->pool, parts, range_part, &work);
    for (size_t i = 0; i < parts; i++) {
        const size_t map = i / RANGE_PARTS;
        if (i % RANGE_PARTS == 0 || work.ranges[i][0] < run->least[map]) run->least[map] = work.ranges[i][0];
        if (i % RANGE_PARTS == 0 || work.ranges[i][1] > run->most[map]) run->most[map] = work.ranges[i][1];
    }
    qn_release(&work.ranges);
    return status;
}

/* Name of a map's file as the list "files" has it. */
static json_t *name_file(const qn_potential_run_state *run, int map)
{
    char *path;
    if (qn_output_path(&run->names.output, qn_potential_map_name(run, map), &path) != QN_OK) return NULL;
    json_t *name = qn_json_text(qn_output_listed_name(&run->names.output, path));
    qn_release(&path);
    return name;
}

static qn_status write_run_json(qn_potential_run_state *run)
{
    json_t *maps = json_array();
    for (int i = 0; i < run->map_count; i++)
        json_array_append_new(maps, json_pack("{s:s, s:o, s:f, s:f}", "type", run->map_names[i], "file",
                                              name_file(run, i), "least", run->least[i], "most", run->most[i]));
    const qn_potential_grid *grid = &run->model->settings.grid;
    return qn_job_facts(run->job,
                        json_pack("{s:i, s:[iii], s:f, s:[fff], s:o, s:f, s:f, s:o}", "atoms",
                                  (int)run->model->atom_count, "points", grid->points[0], grid->points[1],
                                  grid->points[2], "spacing_angstrom", grid->spacing_angstrom, "center_angstrom",
                                  grid->centre_angstrom[0], grid->centre_angstrom[1], grid->centre_angstrom[2], "maps",
                                  maps, "compute_s", run->compute_s, "write_s", run->write_s, "options",
                                  qn_json_options(qn_potential_option_table(), run->options)));
}

static qn_status finish(qn_potential_run_state *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    double since = qn_clock_s();
    if (run->job->in_memory) return find_range(run);
    QN_TRY(qn_potential_write_maps(run));
    if (!(run->formats & QN_POTENTIAL_FORMAT_MAP)) QN_TRY(find_range(run));
    QN_TRY(qn_potential_write_volumes(run));
    if (run->names.gpf) QN_TRY(qn_potential_write_gpf(run));
    if (run->names.prepared) QN_TRY(qn_potential_write_receptor(run));
    if (run->field_count > 0) QN_TRY(qn_potential_write_log(run));
    run->write_s = qn_clock_lap_s(&since);
    QN_TRY(qn_potential_write_report(run));
    return write_run_json(run);
}

/* Rough estimate of the time on a few processor cores, which decides whether tuning is worth its cost. */
static double expected_seconds(const qn_potential_run_state *run)
{
    return 3e-7 * (double)qn_potential_slab_points(run, 0, run->slab_count) + 1e-5 * (double)run->model->atom_count;
}

static qn_status run_stages(qn_potential_run_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_output(job, &run->names.output, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_job_tune(job, expected_seconds(run))));
    const qn_status status = qn_potential_compute(run);
    qn_tuning_finish(&job->tuning);
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    return qn_job_agree(job, finish(run));
}

/* ---- the call ---- */

/* The result, followed by the memory that it points to. */
typedef struct owned_result {
    qn_potential_result result;
    qn_potential_map maps[QN_POTENTIAL_MAPS_MAX];
    char names[QN_POTENTIAL_MAPS_MAX][QN_POTENTIAL_NAME_MAX];
    char *files[QN_POTENTIAL_MAPS_MAX];
    char *folder;
    float *values;
} owned_result;

static qn_status describe_maps(qn_potential_run_state *run, owned_result *own)
{
    const bool keeps = run->values && qn_potential_holds_all(run) && (run->options->keep_maps || run->job->in_memory);
    const size_t points = qn_potential_slab_points(run, 0, run->slab_count);
    for (int i = 0; i < run->map_count; i++) {
        memcpy(own->names[i], run->map_names[i], strlen(run->map_names[i]));
        if (!run->job->in_memory)
            QN_TRY(qn_output_path(&run->names.output, qn_potential_map_name(run, i), &own->files[i]));
        own->maps[i] = (qn_potential_map){own->names[i], own->files[i], run->least[i], run->most[i],
                                          keeps ? run->values + (size_t)i * points : NULL};
    }
    if (!keeps) return QN_OK;
    own->values = run->values;
    run->values = NULL;
    return QN_OK;
}

static qn_status make_result(qn_potential_run_state *run, qn_potential_result **out)
{
    owned_result *own;
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *out = &own->result;
    const qn_potential_grid *grid = &run->model->settings.grid;
    const char *place = run->names.output.folder ? run->names.output.folder : run->names.output.stem;
    QN_TRY(qn_text_copy(place ? place : "", &own->folder));
    own->result = (qn_potential_result){.spacing_angstrom = grid->spacing_angstrom,
                                        .maps = own->maps,
                                        .map_count = (size_t)run->map_count,
                                        .atom_count = run->model->atom_count,
                                        .folder = own->folder,
                                        .seconds = qn_clock_s() - run->job->started_s,
                                        .compute_seconds = run->compute_s,
                                        .write_seconds = run->write_s};
    for (int k = 0; k < 3; k++) {
        own->result.points[k] = grid->points[k];
        own->result.centre_angstrom[k] = grid->centre_angstrom[k];
    }
    return describe_maps(run, own);
}

static void clear(qn_potential_run_state *run)
{
    qn_potential_model_destroy(&run->model);
    qn_vina_model_destroy(&run->vina);
    qn_release(&run->summaries);
    qn_release(&run->site_angstrom);
    qn_text_clear(&run->types);
    qn_potential_receptor_clear(&run->receptor);
    qn_potential_parameters_clear(&run->parameters);
    qn_release(&run->receptor_path);
    qn_text_clear(&run->prepared);
    qn_release(&run->values);
    qn_gpf_clear(&run->gpf);
}

qn_status qn_potential_run(qn_context *context, const qn_potential_options *options, qn_potential_result **result)
{
    qn_job job;
    qn_potential_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_potential_option_table(), options, &own));
    qn_potential_run_state run = {.options = &own, .job = &job, .wants_result = result != NULL};
    qn_status status = qn_job_open(context, "potential", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, make_result(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    qn_potential_names_clear(&run.names);
    if (status != QN_OK && result) qn_potential_result_destroy(result);
    return status;
}

void qn_potential_result_destroy(qn_potential_result **pointer)
{
    owned_result *own = (owned_result *)*pointer;
    if (!own) return;
    for (int i = 0; i < QN_POTENTIAL_MAPS_MAX; i++) qn_release(&own->files[i]);
    qn_release(&own->folder);
    qn_release(&own->values);
    qn_release(pointer);
}
