/* The files of quern deform space: the states (.qcs), states.csv, checks.csv, report.html. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/space_run.h"
#include "math/vector.h"
#include "report/csv.h"
#include "report/html.h"

qn_status qn_space_write_begin(qn_deform_space_run *run)
{
    qn_space_header header = {
        .grid = run->grid, .freedom_count = run->setup.body->freedom_count, .key = run->job->key.data};
    char *path;
    if (!qn_job_is_first(run->job) || run->job->in_memory) return QN_OK;
    memcpy(header.mesh_digest, run->mesh_digest, sizeof header.mesh_digest);
    QN_TRY(qn_job_path(run->job, ".qcs", &path));
    const qn_status status = qn_space_writer_open(path, &header, &run->writer);
    qn_release(&path);
    return status;
}

static qn_status write_file(qn_deform_space_run *run)
{
    for (size_t i = 0; i < run->state_count; i++) QN_TRY(qn_space_writer_add(run->writer, &run->states[i]));
    return qn_space_writer_finish(run->writer);
}

/* ---- tables ---- */

static qn_status add_state(const qn_deform_space_run *run, const qn_grid_state *state, qn_text *csv)
{
    static const uint32_t folds[3] = {QN_GRID_FOLD_X, QN_GRID_FOLD_Y, QN_GRID_FOLD_Z};
    char folded[4] = "";
    int count = 0;
    for (int axis = 0; axis < 3; axis++)
        if (state->flags & folds[axis]) folded[count++] = "xyz"[axis];
    for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_general(csv, run->grid.step * state->index[axis], 9));
    if (state->flags & QN_GRID_UNSOLVED) {
        for (int i = 0; i < 10; i++) QN_TRY(qn_csv_text(csv, i == 9 ? "unsolved" : ""));
        return qn_csv_end_row(csv);
    }
    for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_general(csv, state->force[axis], 9));
    QN_TRY(qn_csv_general(csv, state->energy, 9));
    QN_TRY(qn_csv_general(csv, state->residual, 9));
    QN_TRY(qn_csv_number(csv, state->least_volume, 6));
    QN_TRY(qn_csv_number(csv, state->least_stretch, 6));
    QN_TRY(qn_csv_integer(csv, state->newton_steps));
    QN_TRY(qn_csv_integer(csv, state->load_steps));
    QN_TRY(qn_csv_text(csv, folded));
    return qn_csv_end_row(csv);
}

static qn_status fill_states(const qn_deform_space_run *run, qn_text *csv)
{
    static const char *const head[] = {"x_m",          "y_m",        "z_m",      "force_x_N",          "force_y_N",
                                       "force_z_N",    "energy_J",   "residual", "least_volume_ratio", "least_stretch",
                                       "newton_steps", "load_steps", "fold"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->state_count; i++) QN_TRY(add_state(run, &run->states[i], csv));
    return QN_OK;
}

static qn_status fill_checks(const qn_deform_space_run *run, qn_text *csv)
{
    static const char *const head[] = {"x_m",          "y_m",        "z_m",          "force_x_N",
                                       "force_y_N",    "force_z_N",  "gradient_x_N", "gradient_y_N",
                                       "gradient_z_N", "energy_x_N", "energy_y_N",   "energy_z_N",
                                       "linear_x_N",   "linear_y_N", "linear_z_N",   "shape_error"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->check_count; i++) {
        const qn_space_check *check = &run->checks[i];
        if (!check->is_valid) continue;
        const double *const vectors[] = {check->place, check->force, check->gradient, check->energy, check->linear};
        for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
            for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_general(csv, vectors[k][axis], 9));
        QN_TRY(qn_csv_general(csv, check->shape_error, 9));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

static qn_status write_table(qn_deform_space_run *run, const char *name,
                             qn_status (*fill)(const qn_deform_space_run *, qn_text *))
{
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = fill(run, &csv);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

/* ---- report ---- */

static qn_status add_facts(const qn_deform_space_run *run, qn_report *report)
{
    static const char *const labels[] = {"states",          "step",          "unknowns",   "error, energy",
                                         "error, gradient", "error, linear", "shape error"};
    char values[7][48];
    const char *texts[7];
    double shape = NAN;
    for (size_t i = 0; i < run->check_count; i++)
        if (run->checks[i].is_valid) shape = fmax(shape, run->checks[i].shape_error);
    snprintf(values[0], sizeof values[0], "%zu", run->state_count);
    snprintf(values[1], sizeof values[1], "%.4g mm", 1e3 * run->grid.step);
    snprintf(values[2], sizeof values[2], "%zu", run->setup.body->freedom_count);
    snprintf(values[3], sizeof values[3], "%.2g %%", 100 * qn_space_checks_largest(run, QN_DEFORM_ENERGY));
    snprintf(values[4], sizeof values[4], "%.2g %%", 100 * qn_space_checks_largest(run, QN_DEFORM_GRADIENT));
    snprintf(values[5], sizeof values[5], "%.2g %%", 100 * qn_space_checks_largest(run, QN_DEFORM_LINEAR));
    snprintf(values[6], sizeof values[6], "%.2g %%", 100 * shape);
    for (int i = 0; i < 7; i++) texts[i] = values[i];
    return qn_report_facts(report, labels, texts, 7);
}

static double force_of(const qn_grid_state *state)
{
    if (state->flags & QN_GRID_UNSOLVED) return NAN;
    return qn_vector_length(state->force);
}

/* Force along each axis of the grid through rest. */
static qn_status plot_axes(const qn_deform_space_run *run, qn_report *report)
{
    static const char *const names[] = {"along x", "along y", "along z"};
    const qn_grid *grid = &run->grid;
    qn_report_series series[3];
    size_t capacity = 0, at = 0;
    double *values;
    for (int axis = 0; axis < 3; axis++) capacity += (size_t)(grid->most[axis] - grid->least[axis] + 1);
    QN_TRY(qn_allocate(2 * capacity, sizeof *values, (void **)&values));
    for (int axis = 0; axis < 3; axis++) {
        series[axis] = (qn_report_series){.name = names[axis], .x = values + at, .y = values + capacity + at};
        for (int32_t i = grid->least[axis]; i <= grid->most[axis]; i++, at++) {
            int32_t index[3] = {0, 0, 0};
            index[axis] = i;
            values[at] = 1e3 * grid->step * i;
            values[capacity + at] = force_of(&run->states[qn_grid_number(grid, index)]);
            series[axis].count++;
        }
    }
    const qn_status status = qn_report_lines(report, &(qn_report_plot){.title = "Force of the tool",
                                                                       .x_label = "place, mm",
                                                                       .y_label = "|f|, N",
                                                                       .caption = "States along the axes through rest.",
                                                                       .series = series,
                                                                       .series_count = 3});
    qn_release(&values);
    return status;
}

static qn_status plot_checks(const qn_deform_space_run *run, qn_report *report)
{
    static const char *const names[] = {"gradient", "energy", "linear"};
    const size_t count = run->check_count;
    qn_report_series series[3];
    double *values;
    if (count == 0) return QN_OK;
    QN_TRY(qn_allocate(4 * count, sizeof *values, (void **)&values));
    for (size_t i = 0; i < count; i++) {
        const qn_space_check *check = &run->checks[i];
        values[i] = 1e3 * qn_vector_length(check->place);
        for (size_t k = 0; k < 3; k++)
            values[(k + 1) * count + i] = 100 * qn_space_check_error(check, (qn_deform_interpolation)k);
    }
    for (size_t k = 0; k < 3; k++)
        series[k] = (qn_report_series){.name = names[k], .x = values, .y = values + (k + 1) * count, .count = count};
    const qn_status status = qn_report_scatter(
        report, &(qn_report_plot){.title = "Error of interpolated forces",
                                  .x_label = "distance from rest, mm",
                                  .y_label = "error, % of |f|",
                                  .caption = "Random places of the grid, at which the force was also solved.",
                                  .series = series,
                                  .series_count = 3});
    qn_release(&values);
    return status;
}

static qn_status fill_report(const qn_deform_space_run *run, qn_report *report)
{
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(run, report));
    QN_TRY(qn_report_paragraph(report, "`%s`, %zu nodes and %zu tetrahedra of order %d; `%s`; fixed `%s`, held `%s`.",
                               run->setup.name, run->setup.mesh->node_count, run->setup.mesh->element_count,
                               run->setup.mesh->order, run->options->material, run->options->fix,
                               run->options->contact));
    QN_TRY(plot_axes(run, report));
    return plot_checks(run, report);
}

static qn_status write_report(qn_deform_space_run *run)
{
    qn_report *report = NULL;
    char *path = NULL;
    qn_status status = qn_report_create("quern deform space", &report);
    if (status == QN_OK) status = fill_report(run, report);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

qn_status qn_space_write(qn_deform_space_run *run)
{
    QN_TRY(write_file(run));
    QN_TRY(write_table(run, "states.csv", fill_states));
    QN_TRY(write_table(run, "checks.csv", fill_checks));
    return write_report(run);
}
