/* The files of quern deform solve: state.vtu, nodes.csv, shape_*.png, report.html. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "deform/body/fields.h"
#include "deform/solve.h"
#include "format/mesh/vtu_write.h"
#include "math/vector.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/number.h"
#include "report/surface_views.h"

enum { PICTURE_SIDE = 900 };
static const char *const view_names[QN_SURFACE_VIEWS] = {"shape_xy.png", "shape_xz.png", "shape_yz.png"};

/* Numbers of nodes in the forms of the files. */
typedef struct node_numbers {
    double *displacement, *reaction, *pressure; /* [node][3], [node][3], [node] */
    double *places;                             /* [node][3]: where nodes are */
    double *moved_mm;                           /* [node]: length of the displacement */
    unsigned char *marks;                       /* [node]: 1 fixed, 2 held */
} node_numbers;

static qn_status make_numbers(const qn_deform_solution *run, node_numbers *numbers)
{
    const qn_deform_setup *setup = &run->setup;
    const size_t count = setup->mesh->node_count;
    double **const vectors[] = {&numbers->displacement, &numbers->reaction, &numbers->places};
    double **const scalars[] = {&numbers->pressure, &numbers->moved_mm};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        QN_TRY(qn_allocate(3 * count, sizeof(double), (void **)vectors[i]));
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        QN_TRY(qn_allocate(count, sizeof(double), (void **)scalars[i]));
    QN_TRY(qn_allocate(count, 1, (void **)&numbers->marks));
    for (size_t i = 0; i < setup->fixed.count; i++) numbers->marks[setup->fixed.nodes[i]] = 1;
    for (size_t i = 0; i < setup->held.count; i++) numbers->marks[setup->held.nodes[i]] = 2;
    for (size_t i = 0; i < count; i++) {
        const double *u = numbers->displacement + 3 * i;
        qn_deform_node_values(run, i, numbers->displacement + 3 * i, numbers->reaction + 3 * i, numbers->pressure + i);
        for (size_t axis = 0; axis < 3; axis++)
            numbers->places[3 * i + axis] = setup->mesh->positions[3 * i + axis] + u[axis];
        numbers->moved_mm[i] = 1e3 * qn_vector_length(u);
    }
    return QN_OK;
}

static void clear_numbers(node_numbers *numbers)
{
    qn_release(&numbers->displacement);
    qn_release(&numbers->reaction);
    qn_release(&numbers->pressure);
    qn_release(&numbers->places);
    qn_release(&numbers->moved_mm);
    qn_release(&numbers->marks);
}

/* ---- state.vtu ---- */

static qn_status write_vtu(const qn_deform_solution *run, const node_numbers *numbers, const qn_body_fields *fields)
{
    const qn_vtu_array at_nodes[] = {{"displacement", QN_VTU_FLOAT64, 3, numbers->displacement},
                                     {"reaction", QN_VTU_FLOAT64, 3, numbers->reaction},
                                     {"pressure", QN_VTU_FLOAT64, 1, numbers->pressure}};
    const qn_vtu_array at_elements[] = {{"J", QN_VTU_FLOAT64, 1, fields->volume_ratio},
                                        {"von_mises", QN_VTU_FLOAT64, 1, fields->von_mises},
                                        {"mean_stress", QN_VTU_FLOAT64, 1, fields->mean_stress},
                                        {"energy_density", QN_VTU_FLOAT64, 1, fields->energy_density},
                                        {"least_stretch", QN_VTU_FLOAT64, 1, fields->least_stretch}};
    char *path;
    QN_TRY(qn_job_path(run->job, "state.vtu", &path));
    const qn_status status = qn_vtu_write(path, run->setup.mesh, at_nodes, run->setup.mixed ? 3 : 2, at_elements,
                                          sizeof at_elements / sizeof *at_elements);
    qn_release(&path);
    return status;
}

/* ---- nodes.csv ---- */

static qn_status fill_nodes(const qn_deform_solution *run, const node_numbers *numbers, qn_text *csv)
{
    static const char *const head[] = {"node",         "set",          "x_m",         "y_m",
                                       "z_m",          "moved_x_m",    "moved_y_m",   "moved_z_m",
                                       "reaction_x_N", "reaction_y_N", "reaction_z_N"};
    static const char *const sets[] = {"", "fixed", "held"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->setup.mesh->node_count; i++) {
        const double *const vectors[] = {run->setup.mesh->positions + 3 * i, numbers->displacement + 3 * i,
                                         numbers->reaction + 3 * i};
        if (numbers->marks[i] == 0) continue;
        QN_TRY(qn_csv_integer(csv, (long long)run->setup.mesh->node_labels[i]));
        QN_TRY(qn_csv_text(csv, sets[numbers->marks[i]]));
        for (size_t k = 0; k < 3; k++)
            for (int axis = 0; axis < 3; axis++) QN_TRY(qn_csv_general(csv, vectors[k][axis], 9));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

static qn_status write_nodes(const qn_deform_solution *run, const node_numbers *numbers)
{
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = fill_nodes(run, numbers, &csv);
    if (status == QN_OK) status = qn_job_path(run->job, "nodes.csv", &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

/* ---- pictures ---- */

static qn_surface_views views_of(const qn_deform_solution *run, const node_numbers *numbers)
{
    const qn_mesh_surface *surface = &run->setup.surface;
    qn_surface_views views = {.places = numbers->places,
                              .node_count = run->setup.mesh->node_count,
                              .triangles = surface->triangles,
                              .triangle_count = surface->triangle_count,
                              .triangle_nodes = surface->triangle_nodes,
                              .values = numbers->moved_mm,
                              .quantity = "displacement, mm",
                              .marks = numbers->marks,
                              .mark_names = {"fixed", "held"}};
    for (size_t i = 0; i < views.node_count; i++) views.highest = fmax(views.highest, numbers->moved_mm[i]);
    qn_surface_views_fit(&views);
    return views;
}

static qn_status write_picture(const qn_deform_solution *run, const qn_surface_views *views, int view)
{
    qn_text png = {0};
    char *path = NULL;
    qn_status status = qn_surface_view_png(views, view, PICTURE_SIDE, &png);
    if (status == QN_OK) status = qn_job_path(run->job, view_names[view], &path);
    if (status == QN_OK) status = qn_file_write(path, png.data, png.length);
    qn_release(&path);
    qn_text_clear(&png);
    return status;
}

/* ---- report ---- */

static qn_status add_facts(const qn_deform_solution *run, qn_report *report)
{
    static const char *const labels[] = {"force", "energy", "least stretch", "unknowns", "Newton steps", "residual"};
    const qn_state *state = &run->state;
    char values[6][48];
    const char *texts[6];
    snprintf(values[0], sizeof values[0], "%.4g N", qn_vector_length(state->force));
    snprintf(values[1], sizeof values[1], "%.4g mJ", 1e3 * state->energy);
    snprintf(values[2], sizeof values[2], "%.3f", state->least_stretch);
    snprintf(values[3], sizeof values[3], "%zu", run->setup.body->freedom_count);
    snprintf(values[4], sizeof values[4], "%d", state->newton_steps);
    char residual[QN_NUMBER_LENGTH];
    qn_number_read(state->residual, 2, residual);
    snprintf(values[5], sizeof values[5], "%.40s", residual);
    for (int i = 0; i < 6; i++) texts[i] = values[i];
    return qn_report_facts(report, labels, texts, 6);
}

static qn_status add_stiffness(const qn_deform_solution *run, qn_report *report)
{
    static const char *const heads[] = {"", "force, N", "d force / dx, N/m", "d force / dy", "d force / dz"};
    char values[3][4][32];
    const char *cells[15];
    for (int i = 0; i < 3; i++) {
        static const char *const axes[] = {"x", "y", "z"};
        cells[5 * i] = axes[i];
        snprintf(values[i][0], sizeof values[i][0], "%.4g", run->state.force[i]);
        for (int j = 0; j < 3; j++)
            snprintf(values[i][j + 1], sizeof values[i][0], "%.4g", run->state.stiffness[3 * i + j]);
        for (int j = 0; j < 4; j++) cells[5 * i + 1 + j] = values[i][j];
    }
    return qn_report_table(report, heads, 5, cells, 3);
}

static qn_status fill_report(const qn_deform_solution *run, const qn_surface_views *views, qn_report *report)
{
    const qn_deform_options *options = run->options;
    qn_text svg = {0};
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(run, report));
    QN_TRY(qn_report_paragraph(report,
                               "`%s`: %zu nodes, %zu tetrahedra of order %d%s; `%s`; fixed `%s`, held `%s`, moved by "
                               "%s m. The force is the tool's on the body.",
                               run->setup.name, run->setup.mesh->node_count, run->setup.mesh->element_count,
                               run->setup.mesh->order, run->setup.mixed ? " with pressures" : "", options->material,
                               options->fix, options->contact, options->move));
    if (!isnan(run->other_force[0])) {
        const double force = qn_vector_length(run->state.force), other = qn_vector_length(run->other_force);
        QN_TRY(qn_report_paragraph(report, "With order %d the force is %.4g N; the ratio of the two is %.3f.",
                                   3 - options->order, other, force / other));
    }
    QN_TRY(add_stiffness(run, report));
    qn_status status = qn_surface_views_svg(views, &svg);
    if (status == QN_OK)
        status = qn_report_drawing(report, "Shape", "The body as it is held, seen along z, y and x.",
                                   "The deformed body in three views", svg.data);
    qn_text_clear(&svg);
    return status;
}

static qn_status write_report(const qn_deform_solution *run, const qn_surface_views *views)
{
    qn_report *report = NULL;
    char *path = NULL;
    qn_status status = qn_report_create("quern deform solve", &report);
    if (status == QN_OK) status = fill_report(run, views, report);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_report_write(report, path);
    qn_release(&path);
    qn_report_destroy(&report);
    return status;
}

/* ---- the call ---- */

static qn_status write_shape(const qn_deform_solution *run, const node_numbers *numbers, const qn_surface_views *views)
{
    qn_body_fields fields = {0};
    qn_status status = qn_body_fields_make(run->setup.body, run->state.x, &fields);
    if (status == QN_OK) status = write_vtu(run, numbers, &fields);
    for (int view = 0; view < QN_SURFACE_VIEWS && status == QN_OK; view++) status = write_picture(run, views, view);
    qn_body_fields_clear(&fields);
    return status;
}

qn_status qn_deform_write_solution(qn_deform_solution *solution)
{
    node_numbers numbers = {0};
    qn_status status = make_numbers(solution, &numbers);
    if (status == QN_OK) {
        const qn_surface_views views = views_of(solution, &numbers);
        status = write_shape(solution, &numbers, &views);
        if (status == QN_OK) status = write_nodes(solution, &numbers);
        if (status == QN_OK) status = write_report(solution, &views);
    }
    clear_numbers(&numbers);
    return status;
}

qn_status qn_deform_write_shape(const qn_deform_solution *solution, qn_text *svg)
{
    node_numbers numbers = {0};
    qn_status status = make_numbers(solution, &numbers);
    if (status == QN_OK) {
        const qn_surface_views views = views_of(solution, &numbers);
        status = write_shape(solution, &numbers, &views);
        if (status == QN_OK) status = qn_surface_views_svg(&views, svg);
    }
    clear_numbers(&numbers);
    return status;
}
