/* The files of quern deform simulate: ticks.csv.gz, states.csv, state.vtu, shape_*.png, report.html. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "deform/live_run.h"
#include "deform/solve.h"
#include "math/vector.h"
#include "report/csv.h"
#include "report/html.h"

enum { PLOTTED_MOST = 4000 };

/* ---- ticks.csv.gz ---- */

static qn_status fill_ticks(const qn_live_run *run, qn_text *csv)
{
    static const char *const head[] = {"t_s",       "x_m",       "y_m",     "z_m",          "force_x_N",
                                       "force_y_N", "force_z_N", "late",    "extrapolated", "fold",
                                       "limited",   "clamped",   "blended", "work_us",      "lateness_us"};
    static const uint32_t flags[] = {QN_TICK_LATE,    QN_TICK_EXTRAPOLATED, QN_TICK_FOLD,
                                     QN_TICK_LIMITED, QN_TICK_CLAMPED,      QN_TICK_BLENDED};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < qn_loop_tick_count(run->loop); i++) {
        const qn_tick *tick = qn_loop_tick(run->loop, i);
        QN_TRY(qn_csv_number(csv, tick->time_s, 6));
        for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_general(csv, tick->place[axis], 9));
        for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_general(csv, tick->force[axis], 9));
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            QN_TRY(qn_csv_integer(csv, (tick->flags & flags[k]) != 0));
        QN_TRY(qn_csv_number(csv, (double)tick->work_us, 1));
        QN_TRY(qn_csv_number(csv, (double)tick->lateness_us, 1));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

/* A member of gzip without a time, so that the same table has the same bytes. */
static qn_status pack(const qn_text *csv, unsigned char **packed, size_t *size)
{
    z_stream stream = {.next_in = (unsigned char *)csv->data, .avail_in = (unsigned)csv->length};
    if (csv->length > UINT32_MAX / 2)
        return QN_FAIL(QN_UNSUPPORTED,
                       "the table of ticks has %zu bytes; expected less than 2 GiB: a shorter --duration", csv->length);
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return QN_FAIL(QN_OUT_OF_MEMORY, "no memory to pack the table of ticks");
    const size_t most = deflateBound(&stream, (unsigned long)csv->length);
    qn_status status = qn_allocate(most, 1, (void **)packed);
    if (status == QN_OK) {
        stream.next_out = *packed;
        stream.avail_out = (unsigned)most;
        if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
            status = QN_FAIL(QN_INTERNAL, "the table of ticks could not be packed");
        *size = stream.total_out;
    }
    deflateEnd(&stream);
    return status;
}

static qn_status write_ticks(const qn_live_run *run)
{
    qn_text csv = {0};
    unsigned char *packed = NULL;
    size_t size = 0;
    char *path = NULL;
    qn_status status = fill_ticks(run, &csv);
    if (status == QN_OK) status = pack(&csv, &packed, &size);
    if (status == QN_OK) status = qn_job_path(run->job, "ticks.csv.gz", &path);
    if (status == QN_OK) status = qn_file_write(path, packed, size);
    qn_release(&path);
    qn_release(&packed);
    qn_text_clear(&csv);
    return status;
}

/* ---- states.csv ---- */

static qn_status fill_states(const qn_live_run *run, qn_text *csv)
{
    static const char *const head[] = {
        "i",          "j",        "k",       "parent_i", "parent_j",           "parent_k",      "newton_steps",
        "load_steps", "residual", "seconds", "worker",   "least_volume_ratio", "least_stretch", "solved"};
    size_t count;
    const qn_solve_record *records = qn_loop_solves(run->loop, &count);
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < count; i++) {
        const qn_solve_record *record = &records[i];
        for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_integer(csv, record->index[axis]));
        for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_integer(csv, record->from[axis]));
        QN_TRY(qn_csv_integer(csv, record->newton_steps));
        QN_TRY(qn_csv_integer(csv, record->load_steps));
        QN_TRY(qn_csv_general(csv, record->residual, 3));
        QN_TRY(qn_csv_number(csv, record->seconds, 6));
        QN_TRY(qn_csv_integer(csv, record->worker));
        QN_TRY(qn_csv_general(csv, record->least_volume, 6));
        QN_TRY(qn_csv_general(csv, record->least_stretch, 6));
        QN_TRY(qn_csv_text(csv, record->flags & QN_GRID_UNSOLVED ? "no" : "yes"));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

static qn_status write_states(const qn_live_run *run)
{
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = fill_states(run, &csv);
    if (status == QN_OK) status = qn_job_path(run->job, "states.csv", &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

/* ---- report ---- */

static qn_status add_facts(const qn_live_run *run, qn_report *report)
{
    static const char *const labels[] = {"ticks",          "late after 1 s",          "states",
                                         "largest force",  "error of felt forces",    "work, 99.9 %",
                                         "lateness, 99 %", "machine's lateness, 99 %"};
    enum { FACTS = sizeof labels / sizeof *labels };
    char values[FACTS][48];
    const char *texts[FACTS];
    size_t solved;
    qn_loop_solves(run->loop, &solved);
    snprintf(values[0], sizeof values[0], "%llu", (unsigned long long)run->facts.ticks);
    snprintf(values[1], sizeof values[1], "%llu", (unsigned long long)(run->facts.late - run->late_at_first));
    snprintf(values[2], sizeof values[2], "%zu", solved);
    snprintf(values[3], sizeof values[3], "%.3g N", run->largest_force);
    snprintf(values[4], sizeof values[4], isnan(run->error) ? "–" : "%.2g %%", 100 * run->error);
    snprintf(values[5], sizeof values[5], isnan(run->work_us[2]) ? "–" : "%.1f µs", run->work_us[2]);
    snprintf(values[6], sizeof values[6], isnan(run->lateness_us[1]) ? "–" : "%.0f µs", run->lateness_us[1]);
    snprintf(values[7], sizeof values[7], isnan(run->machine_us[1]) ? "–" : "%.0f µs", run->machine_us[1]);
    for (int i = 0; i < FACTS; i++) texts[i] = values[i];
    return qn_report_facts(report, labels, texts, FACTS);
}

/* Force, and distance from rest, over time; ticks with a missing state apart. */
static qn_status plot_force(const qn_live_run *run, qn_report *report)
{
    const size_t ticks = qn_loop_tick_count(run->loop), every = ticks / PLOTTED_MOST + 1;
    size_t count = 0;
    double *values;
    QN_TRY(qn_allocate(3 * (ticks / every + 1), sizeof *values, (void **)&values));
    double *const times = values, *const forces = times + ticks / every + 1, *const late = forces + ticks / every + 1;
    for (size_t i = 0; i < ticks; i += every, count++) {
        const qn_tick *tick = qn_loop_tick(run->loop, i);
        times[count] = tick->time_s;
        forces[count] = qn_vector_length(tick->force);
        late[count] = NAN;
        for (size_t k = i; k < i + every && k < ticks; k++)
            if (qn_loop_tick(run->loop, k)->flags & QN_TICK_LATE) late[count] = forces[count];
    }
    const bool is_late = run->facts.late > 0; /* earlier series are drawn over later ones */
    const qn_report_series series[] = {{.name = "late", .x = times, .y = late, .count = count},
                                       {.name = "felt force", .x = times, .y = forces, .count = count}};
    const qn_status status =
        qn_report_lines(report, &(qn_report_plot){.title = "Force over time",
                                                  .x_label = "time, s",
                                                  .y_label = "|f|, N",
                                                  .caption = "Late: a state of the hand's cell was not there yet, and "
                                                             "the force came from the nearest one.",
                                                  .series = is_late ? series : series + 1,
                                                  .series_count = is_late ? 2 : 1});
    qn_release(&values);
    return status;
}

static qn_status plot_lateness(const qn_live_run *run, qn_report *report)
{
    const size_t ticks = qn_loop_tick_count(run->loop), every = ticks / PLOTTED_MOST + 1;
    size_t count = 0;
    double *values;
    if (run->options->clock == QN_DEFORM_SIMULATED) return QN_OK;
    QN_TRY(qn_allocate(3 * (ticks / every + 1), sizeof *values, (void **)&values));
    double *const times = values, *const lateness = times + ticks / every + 1,
                  *const work = lateness + ticks / every + 1;
    for (size_t i = 0; i < ticks; i += every, count++) {
        times[count] = qn_loop_tick(run->loop, i)->time_s;
        for (size_t k = i; k < i + every && k < ticks; k++) {
            lateness[count] = fmax(lateness[count], (double)qn_loop_tick(run->loop, k)->lateness_us);
            work[count] = fmax(work[count], (double)qn_loop_tick(run->loop, k)->work_us);
        }
    }
    const qn_report_series series[] = {{.name = "lateness", .x = times, .y = lateness, .count = count},
                                       {.name = "work", .x = times, .y = work, .count = count}};
    const qn_status status = qn_report_lines(
        report, &(qn_report_plot){.title = "Times of ticks",
                                  .x_label = "time, s",
                                  .y_label = "largest, µs",
                                  .caption = "Lateness: from the planned moment of a tick to its beginning. Work: from "
                                             "its beginning to its end.",
                                  .series = series,
                                  .series_count = 2});
    qn_release(&values);
    return status;
}

static qn_status plot_solves(const qn_live_run *run, qn_report *report)
{
    size_t count;
    const qn_solve_record *records = qn_loop_solves(run->loop, &count);
    double *values;
    if (count < 2 || run->options->clock == QN_DEFORM_SIMULATED) return QN_OK;
    QN_TRY(qn_allocate(2 * count, sizeof *values, (void **)&values));
    for (size_t i = 0; i < count; i++) {
        const double place[3] = {run->grid.step * records[i].index[0], run->grid.step * records[i].index[1],
                                 run->grid.step * records[i].index[2]};
        values[i] = 1e3 * qn_vector_length(place);
        values[count + i] = 1e3 * records[i].seconds;
    }
    const qn_report_series series = {.name = "state", .x = values, .y = values + count, .count = count};
    const qn_status status =
        qn_report_scatter(report, &(qn_report_plot){.title = "Time of each state",
                                                    .x_label = "distance from rest, mm",
                                                    .y_label = "ms",
                                                    .caption = "Each state was solved from the nearest one.",
                                                    .series = &series,
                                                    .series_count = 1});
    qn_release(&values);
    return status;
}

static qn_status plot_checks(const qn_live_run *run, qn_report *report)
{
    double *values;
    size_t count = 0;
    QN_TRY(qn_allocate(2 * run->check_count, sizeof *values, (void **)&values));
    for (size_t i = 0; i < run->check_count; i++) {
        const qn_live_check *check = &run->checks[i];
        const qn_tick *tick = qn_loop_tick(run->loop, check->tick);
        double apart[3];
        if (!check->is_valid || !(qn_vector_length(check->force) > 0)) continue;
        for (int axis = 0; axis < 3; axis++) apart[axis] = tick->force[axis] - check->force[axis];
        values[count] = tick->time_s;
        values[run->check_count + count++] = 100 * qn_vector_length(apart) / qn_vector_length(check->force);
    }
    const qn_report_series series = {.name = "error", .x = values, .y = values + run->check_count, .count = count};
    const qn_status status =
        count == 0 ? QN_OK
                   : qn_report_scatter(
                         report, &(qn_report_plot){.title = "Error of felt forces",
                                                   .x_label = "time, s",
                                                   .y_label = "error, % of |f|",
                                                   .caption = "Places of the path at which the force was also solved.",
                                                   .series = &series,
                                                   .series_count = 1});
    qn_release(&values);
    return status;
}

/* ---- the last shape ---- */

/* The state at the hand's last place as that of a solution. x and residual are released by the caller. */
static qn_status find_last(const qn_live_run *run, float **interpolated, qn_deform_solution *last)
{
    const size_t count = run->setup.body->freedom_count;
    *last = (qn_deform_solution){.options = run->options, .job = run->job, .setup = run->setup};
    QN_TRY(qn_allocate(count, sizeof **interpolated, (void **)interpolated));
    QN_TRY(qn_allocate(count, sizeof *last->state.x, (void **)&last->state.x));
    QN_TRY(qn_allocate(count, sizeof *last->residual, (void **)&last->residual));
    qn_loop_shape(run->loop, *interpolated);
    for (size_t i = 0; i < count; i++) last->state.x[i] = (double)(*interpolated)[i];
    qn_body_residual(run->setup.body, last->state.x, last->residual, NULL);
    const size_t ticks = qn_loop_tick_count(run->loop);
    for (int axis = 0; axis < 3 && ticks > 0; axis++)
        last->state.force[axis] = -qn_loop_tick(run->loop, ticks - 1)->force[axis];
    return QN_OK;
}

static qn_status write_last(const qn_live_run *run, qn_report *report)
{
    float *interpolated = NULL;
    qn_deform_solution last;
    qn_text svg = {0};
    qn_status status = find_last(run, &interpolated, &last);
    if (status == QN_OK) status = qn_deform_write_shape(&last, &svg);
    if (status == QN_OK)
        status = qn_report_drawing(report, "Shape", "The body at the hand's last place, seen along z, y and x.",
                                   "The deformed body in three views", svg.data);
    qn_text_clear(&svg);
    qn_release(&interpolated);
    qn_release(&last.state.x);
    qn_release(&last.residual);
    return status;
}

static qn_status fill_report(const qn_live_run *run, qn_report *report)
{
    const qn_deform_options *options = run->options;
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(run, report));
    QN_TRY(qn_report_paragraph(report,
                               "`%s`: %zu nodes, %zu tetrahedra of order %d%s; `%s`; fixed `%s`, held `%s`. Hand `%s`, "
                               "%g ticks a second, step %.4g mm.",
                               run->setup.name, run->setup.mesh->node_count, run->setup.mesh->element_count,
                               run->setup.mesh->order, run->setup.mixed ? " with pressures" : "", options->material,
                               options->fix, options->contact, options->hand, options->rate_hz, 1e3 * run->grid.step));
    QN_TRY(plot_force(run, report));
    QN_TRY(plot_lateness(run, report));
    QN_TRY(plot_solves(run, report));
    QN_TRY(plot_checks(run, report));
    return write_last(run, report);
}

static qn_status write_report(const qn_live_run *run)
{
    qn_report *report = NULL;
    char *path = NULL;
    qn_status status = qn_report_create("quern deform simulate", &report);
    if (status == QN_OK) status = fill_report(run, report);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

qn_status qn_live_write(qn_live_run *run)
{
    QN_TRY(write_ticks(run));
    QN_TRY(write_states(run));
    return write_report(run);
}
