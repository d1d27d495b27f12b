/* The stages of quern deform space. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "deform/grid_choice.h"
#include "deform/space_run.h"
#include "report/json.h"
#include "report/options.h"

/* Of pages of the program that are first used during the run, and of the report while it is written. */
static const double RUNNING_BYTES = 1e6;

/* ---- inputs ---- */

static qn_status find_stem(qn_deform_space_run *run)
{
    static const char ending[] = ".qcs";
    const char *output = run->options->output;
    if (!output) return QN_OK;
    QN_TRY(qn_text_copy(output, &run->stem));
    if (qn_text_ends_in(output, ending)) run->stem[strlen(output) - (sizeof ending - 1)] = '\0';
    return QN_OK;
}

/* Memory (bytes) of a state and of what is kept beside it: its number, its marks, its facts for the file, three
 * possible pairs. */
static double state_bytes(const qn_deform_space_run *run)
{
    return 4.0 * sizeof(float) * (double)run->setup.body->freedom_count + sizeof *run->states + sizeof *run->order +
           2 * sizeof *run->is_done + sizeof(qn_space_facts) + 3 * (sizeof *run->pairs + sizeof *run->has_fold);
}

/* Memory (bytes) of the process when all states are there. It has the mesh and the solvers by now; each thread will
 * also have a copy of its parent and a record. */
static double estimate_bytes(const qn_deform_space_run *run)
{
    const double freedoms = (double)run->setup.body->freedom_count;
    const double working = run->workers.count * freedoms * (4 * sizeof(double) + 4 * sizeof(float));
    return qn_memory_resident_bytes() + RUNNING_BYTES + working + (double)run->state_count * state_bytes(run);
}

static qn_status check_memory(const qn_deform_space_run *run)
{
    const double mib = 1048576, all = estimate_bytes(run), allowed = (double)run->options->run.memory_bytes;
    if (run->options->run.explain)
        qn_log(QN_LOG_NOTE, "the run will take about %.1f MiB: %zu states of %zu unknowns, %.3g MiB each", all / mib,
               run->state_count, run->setup.body->freedom_count, state_bytes(run) / mib);
    if (allowed > 0 && all > allowed)
        return QN_FAIL(QN_OUT_OF_MEMORY,
                       "%zu states of %zu unknowns take about %.1f MiB; expected at most the %.1f MiB of --memory: a "
                       "larger --step or a shorter --reach takes less",
                       run->state_count, run->setup.body->freedom_count, all / mib, allowed / mib);
    return QN_OK;
}

enum { CLEARED_STATES = 64 }; /* of a task */

static qn_status clear_states(size_t index, int worker, void *user)
{
    const qn_deform_space_run *run = user;
    const size_t first = index * CLEARED_STATES, left = run->state_count - first,
                 count = run->setup.body->freedom_count;
    (void)worker;
    memset(run->arrays + 4 * count * first, 0,
           4 * count * (left < CLEARED_STATES ? left : CLEARED_STATES) * sizeof *run->arrays);
    return QN_OK;
}

/* Zeros for the arrays of all states, by all threads: first use of so much memory takes seconds. */
static qn_status make_arrays(qn_deform_space_run *run)
{
    size_t capacity = 0;
    void *memory = NULL;
    QN_TRY(qn_grow(&memory, &capacity, run->state_count, 4 * run->setup.body->freedom_count * sizeof *run->arrays));
    run->arrays = memory;
    return qn_pool_run(run->job->pool, (run->state_count + CLEARED_STATES - 1) / CLEARED_STATES, clear_states, run);
}

static qn_status make_room(qn_deform_space_run *run)
{
    const size_t count = run->setup.body->freedom_count;
    QN_TRY(check_memory(run));
    QN_TRY(qn_allocate(run->state_count, sizeof *run->states, (void **)&run->states));
    QN_TRY(make_arrays(run));
    QN_TRY(qn_allocate(run->state_count, sizeof *run->is_done, (void **)&run->is_done));
    for (size_t i = 0; i < run->state_count; i++) {
        run->states[i].x = run->arrays + 4 * count * i;
        run->states[i].change = run->states[i].x + count;
    }
    return QN_OK;
}

static qn_status read_inputs(qn_deform_space_run *run)
{
    QN_TRY(qn_option_check(qn_deform_space_option_table(), run->options));
    QN_TRY(find_stem(run));
    QN_TRY(qn_deform_setup_make(run->job, run->options, &run->setup));
    qn_deform_mesh_digest(run->setup.mesh, run->mesh_digest);
    QN_TRY(qn_deform_workers_make(&run->setup, run->job->pool, run->options->tolerance, QN_DEFORM_HALVINGS,
                                  qn_pool_threads(run->job->pool), &run->workers));
    QN_TRY(qn_deform_choose_grid(run->job, run->options, &run->workers, &run->grid, &run->chosen_error));
    run->state_count = qn_grid_point_count(&run->grid);
    QN_TRY(qn_space_devices_open(run)); /* before memory is estimated, of which lanes take some */
    QN_TRY(make_room(run));
    const qn_grid *grid = &run->grid;
    return qn_job_key(run->job, "step=%.17g\nleast=%d,%d,%d\nmost=%d,%d,%d\n", grid->step, grid->least[0],
                      grid->least[1], grid->least[2], grid->most[0], grid->most[1], grid->most[2]);
}

/* ---- results ---- */

static uint64_t count_flag(const qn_deform_space_run *run, uint32_t flags)
{
    uint64_t count = 0;
    for (size_t i = 0; i < run->state_count; i++)
        for (uint32_t bit = 1; bit <= flags; bit <<= 1) count += (run->states[i].flags & flags & bit) != 0;
    return count;
}

static uint64_t count_folds(const qn_deform_space_run *run)
{
    return count_flag(run, QN_GRID_FOLD_X | QN_GRID_FOLD_Y | QN_GRID_FOLD_Z);
}

static double find_largest_force(const qn_deform_space_run *run)
{
    double largest = 0;
    for (size_t i = 0; i < run->state_count; i++) {
        const double *f = run->states[i].force;
        largest = fmax(largest, f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    }
    return sqrt(largest);
}

static json_t *json_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static qn_status write_run_json(qn_deform_space_run *run)
{
    const qn_grid *grid = &run->grid;
    return qn_job_facts(
        run->job,
        json_pack(
            "{s:o, s:o, s:b, s:f, s:[iii], s:[iii], s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f}, s:o}",
            "nodes", qn_json_unsigned(run->setup.mesh->node_count), "elements",
            qn_json_unsigned(run->setup.mesh->element_count), "mixed", run->setup.mixed, "step_m", grid->step, "least",
            grid->least[0], grid->least[1], grid->least[2], "most", grid->most[0], grid->most[1], grid->most[2],
            "states", qn_json_unsigned(run->state_count), "unsolved",
            qn_json_unsigned(count_flag(run, QN_GRID_UNSOLVED)), "folds", qn_json_unsigned(count_folds(run)),
            "largest_force_N", find_largest_force(run), "error_gradient",
            json_or_null(qn_space_checks_largest(run, QN_DEFORM_GRADIENT)), "error_energy",
            json_or_null(qn_space_checks_largest(run, QN_DEFORM_ENERGY)), "error_linear",
            json_or_null(qn_space_checks_largest(run, QN_DEFORM_LINEAR)), "timings", "prepare_s", run->prepare_s,
            "solve_s", run->solve_s, "check_s", run->check_s, "write_s", run->write_s, "options",
            qn_json_options(qn_deform_space_option_table(), run->options)));
}

static qn_status warn(qn_deform_space_run *run)
{
    const uint64_t unsolved = count_flag(run, QN_GRID_UNSOLVED), folds = count_folds(run),
                   compressed = count_flag(run, QN_GRID_COMPRESSED);
    if (unsolved > 0)
        QN_TRY(qn_job_warn(run->job, "%s of %zu without a balance; forces near them are extrapolated",
                           qn_count_of(unsolved, "state").text, run->state_count));
    if (folds > 0)
        QN_TRY(qn_job_warn(run->job, "%s between neighbours: the body snaps, and forces are not interpolated there",
                           qn_count_of(folds, "fold").text));
    if (compressed > 0)
        QN_TRY(qn_job_warn(run->job,
                           "%s with a stretch below 0.6, where St Venant-Kirchhoff gets softer when compressed",
                           qn_count_of(compressed, "state").text));
    const double error = qn_space_checks_largest(run, run->options->interpolation);
    if (!(run->options->step > 0) && error > run->options->accuracy)
        QN_TRY(qn_job_warn(run->job,
                           "the error of forces at the checked places is %.2g, and --accuracy is %g: a --step below "
                           "%.3g m is needed",
                           error, run->options->accuracy, run->grid.step));
    return QN_OK;
}

static qn_status finish(qn_deform_space_run *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    const double began = qn_clock_s();
    QN_TRY(qn_space_checks_make(run));
    QN_TRY(warn(run));
    run->check_s = qn_clock_s() - began;
    if (run->job->in_memory) return QN_OK;
    QN_TRY(qn_space_write(run));
    run->write_s = qn_clock_s() - began - run->check_s;
    return write_run_json(run);
}

static qn_status run_stages(qn_deform_space_run *run)
{
    static const char *const names[] = {".qcs", "states.csv", "checks.csv", "report.html", "run.json", NULL};
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    const qn_output output = {.stem = run->stem, .names = names, .journal_folder = "unfinished"};
    QN_TRY(qn_job_output(job, &output, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_job_scan(job, qn_space_record_take, run)));
    QN_TRY(qn_job_agree(job, qn_space_write_begin(run)));
    const double began = qn_clock_s();
    run->prepare_s = began - job->started_s;
    const qn_status status = qn_space_states_solve(run);
    run->solve_s = qn_clock_s() - began;
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    return qn_job_agree(job, finish(run));
}

/* ---- the call ---- */

typedef struct owned_result {
    qn_deform_space_result result;
    char *file;
} owned_result;

/* A finished run that is resumed has its facts in run.json. */
static void add_earlier(const qn_deform_space_run *run, qn_deform_space_result *result)
{
    static const char *const errors[] = {"error_gradient", "error_energy", "error_linear"};
    const json_t *facts = run->job->found.run, *error = json_object_get(facts, errors[run->options->interpolation]);
    result->unsolved_count = (uint64_t)json_integer_value(json_object_get(facts, "unsolved"));
    result->fold_count = (uint64_t)json_integer_value(json_object_get(facts, "folds"));
    result->largest_force = json_number_value(json_object_get(facts, "largest_force_N"));
    result->error = json_is_number(error) ? json_number_value(error) : NAN;
}

static qn_status make_result(const qn_deform_space_run *run, qn_deform_space_result **out)
{
    owned_result *own;
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *out = &own->result;
    qn_text file = {0};
    if (run->stem) QN_TRY(qn_text_append(&file, "%s.qcs", run->stem));
    own->file = file.data;
    own->result = (qn_deform_space_result){.step = run->grid.step,
                                           .state_count = run->state_count,
                                           .unsolved_count = count_flag(run, QN_GRID_UNSOLVED),
                                           .fold_count = count_folds(run),
                                           .largest_force = find_largest_force(run),
                                           .error = qn_space_checks_largest(run, run->options->interpolation),
                                           .file = own->file ? own->file : "",
                                           .seconds = qn_clock_s() - run->job->started_s};
    memcpy(own->result.least, run->grid.least, sizeof own->result.least);
    memcpy(own->result.most, run->grid.most, sizeof own->result.most);
    if (run->job->over) add_earlier(run, &own->result);
    return QN_OK;
}

void qn_deform_space_result_destroy(qn_deform_space_result **result)
{
    if (!*result) return;
    qn_release(&((owned_result *)*result)->file);
    qn_release(result);
}

static void clear(qn_deform_space_run *run)
{
    void *const memory[] = {&run->states, &run->arrays,   &run->order,  &run->is_done,
                            &run->pairs,  &run->has_fold, &run->checks, &run->stem};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) qn_release(memory[i]);
    qn_space_writer_destroy(&run->writer);
    qn_space_devices_close(run);
    qn_deform_workers_clear(&run->workers);
    qn_deform_setup_clear(&run->setup);
}

qn_status qn_deform_space(qn_context *context, const qn_deform_options *options, qn_deform_space_result **result)
{
    qn_job job;
    qn_deform_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_deform_space_option_table(), options, &own));
    qn_deform_space_run run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "deform", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, make_result(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_deform_space_result_destroy(result);
    return status;
}
