/* quern deform solve: one state of a body. */
#include "deform/solve.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/json.h"
#include "report/options.h"

enum { NEWTON_STEPS_MAX = 25, HALVINGS_MAX = 10 };

/* ---- stages ---- */

static qn_status read_inputs(qn_deform_solution *run)
{
    QN_TRY(qn_option_check(qn_deform_solve_option_table(), run->options));
    QN_TRY(qn_deform_read_place("--move", run->options->move, run->place));
    QN_TRY(qn_deform_setup_make(run->job, run->options, &run->setup));
    if (run->options->calculix && run->setup.mixed)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "--calculix is given with pressures as unknowns; expected --mixed no, since CalculiX has no such "
            "elements");
    if (run->options->calculix && !run->options->run.overwrite && qn_file_exists(run->options->calculix))
        return QN_FAIL(QN_ALREADY_EXISTS, "%s exists; --overwrite replaces it", run->options->calculix);
    return qn_job_key(run->job, "move=%s\nmesh_check=%d\n", run->options->move, run->options->mesh_check);
}

static qn_status check_balance(const qn_deform_setup *setup, const qn_state *state, const double place[3])
{
    double way = 0, reached = 0;
    if (state->converged) return QN_OK;
    for (int axis = 0; axis < 3; axis++) {
        way += place[axis] * place[axis];
        reached += state->place[axis] * state->place[axis];
    }
    return QN_FAIL(QN_UNSUPPORTED,
                   "%s: no balance was found beyond %.3g of %.3g m (relative residual %.2g, least J %.3g); expected a "
                   "place that the tool can reach (a shorter --move, a larger patch, or mooney-rivlin in place of svk)",
                   setup->name, sqrt(reached), sqrt(way), state->residual, state->least_volume);
}

/* The state at `place`, from rest. */
static qn_status solve(const qn_deform_setup *setup, const double place[3], double tolerance, qn_state *rest,
                       qn_state *state)
{
    const qn_solver_options of_solver = {
        .tolerance = tolerance, .newton_steps_max = NEWTON_STEPS_MAX, .halvings_max = HALVINGS_MAX};
    qn_solver *solver;
    QN_TRY(qn_solver_create(setup->problem, &of_solver, &solver));
    qn_status status = qn_state_create(setup->problem, rest);
    if (status == QN_OK) status = qn_solver_rest(solver, rest);
    if (status == QN_OK) status = qn_state_create(setup->problem, state);
    if (status == QN_OK) status = qn_solver_solve(solver, rest, place, state);
    if (status == QN_OK) status = check_balance(setup, state, place);
    qn_solver_destroy(&solver);
    return status;
}

/* The force of the mesh in the other order. */
static qn_status check_mesh(qn_deform_solution *run)
{
    qn_deform_setup other;
    qn_state rest = {0}, state = {0};
    qn_status status = qn_deform_setup_other_order(&run->setup, 3 - run->options->order, &other);
    if (status == QN_OK) status = solve(&other, run->place, run->options->tolerance, &rest, &state);
    if (status == QN_OK) memcpy(run->other_force, state.force, sizeof run->other_force);
    qn_state_clear(&rest);
    qn_state_clear(&state);
    qn_deform_setup_clear(&other);
    return status;
}

static qn_status warn(qn_deform_solution *run)
{
    const qn_state *state = &run->state;
    if (run->setup.material.kind == QN_MATERIAL_SVK && state->least_stretch < 0.6)
        QN_TRY(qn_job_warn(run->job,
                           "the least stretch is %.3f: under 0.577 St Venant-Kirchhoff gets softer when compressed, so "
                           "forces mean little",
                           state->least_stretch));
    if (run->setup.held.count == 1)
        QN_TRY(qn_job_warn(run->job, "the tool holds one node: its force falls to 0 when the mesh gets finer, and is "
                                     "no property of the body (give a patch: near:x,y,z,r)"));
    return QN_OK;
}

static qn_status find_state(qn_deform_solution *run)
{
    const double began_s = qn_clock_s();
    QN_TRY(solve(&run->setup, run->place, run->options->tolerance, &run->rest, &run->state));
    run->search_s = qn_clock_s() - began_s;
    QN_TRY(qn_allocate(run->setup.body->freedom_count, sizeof *run->residual, (void **)&run->residual));
    qn_body_residual(run->setup.body, run->state.x, run->residual, NULL);
    if (run->options->mesh_check) QN_TRY(check_mesh(run));
    return warn(run);
}

/* null: the numbers are not known. */
static json_t *list(const double *values, size_t count)
{
    if (isnan(values[0])) return json_null();
    json_t *const made = json_array();
    for (size_t i = 0; made && i < count; i++) json_array_append_new(made, json_real(values[i]));
    return made;
}

static qn_status write_run_json(qn_deform_solution *run)
{
    const qn_state *state = &run->state;
    return qn_job_facts(
        run->job, json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:i, s:i, s:f, s:o}", "nodes",
                            qn_json_unsigned(run->setup.mesh->node_count), "elements",
                            qn_json_unsigned(run->setup.mesh->element_count), "freedoms",
                            qn_json_unsigned(run->setup.body->freedom_count), "mixed", run->setup.mixed, "force_N",
                            list(state->force, 3), "stiffness_N_per_m", list(state->stiffness, 9), "mesh_check_force_N",
                            list(run->other_force, 3), "energy_J", state->energy, "residual", state->residual,
                            "least_volume_ratio", state->least_volume, "least_stretch", state->least_stretch,
                            "newton_steps", state->newton_steps, "load_steps", state->load_steps, "solve_s",
                            run->search_s, "options", qn_json_options(qn_deform_solve_option_table(), run->options)));
}

static qn_status work(qn_deform_solution *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(find_state(run));
    if (run->options->calculix) QN_TRY(qn_deform_write_deck(&run->setup, run->place, run->options->calculix));
    if (run->job->in_memory) return QN_OK;
    QN_TRY(qn_deform_write_solution(run));
    return write_run_json(run);
}

static qn_status run_stages(qn_deform_solution *run)
{
    const qn_output output = {.folder = run->options->output};
    QN_TRY(qn_job_agree(run->job, read_inputs(run)));
    QN_TRY(qn_job_output(run->job, &output, false));
    return qn_job_agree(run->job, work(run));
}

/* ---- result ---- */

void qn_deform_node_values(const qn_deform_solution *solution, size_t node, double displacement[3], double reaction[3],
                           double *pressure)
{
    const qn_deform_setup *setup = &solution->setup;
    const qn_block_pattern *pattern = &setup->body->pattern;
    const uint32_t first = pattern->first_freedom[node];
    const bool mean = setup->mean;
    for (unsigned axis = 0; axis < 3; axis++) {
        displacement[axis] = solution->state.x[first + axis];
        reaction[axis] = setup->problem->is_free[first + axis] ? 0 : solution->residual[first + axis];
    }
    for (size_t i = 0; mean && i < setup->held.count; i++) /* the tool's force is spread over the set */
        if (setup->held.nodes[i] == node)
            for (int axis = 0; axis < 3; axis++)
                reaction[axis] = solution->state.force[axis] / (double)setup->held.count;
    *pressure = pattern->size[node] == 4 ? solution->state.x[first + 3] : NAN;
}

typedef struct owned_result {
    qn_deform_result result;
    double *positions, *displacements, *reactions, *pressures;
    char *folder;
} owned_result;

static qn_status copy_nodes(const qn_deform_solution *run, owned_result *own)
{
    const qn_mesh *mesh = run->setup.mesh;
    const size_t count = mesh->node_count;
    double **const vectors[] = {&own->positions, &own->displacements, &own->reactions};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        QN_TRY(qn_allocate(3 * count, sizeof(double), (void **)vectors[i]));
    QN_TRY(qn_allocate(count, sizeof(double), (void **)&own->pressures));
    memcpy(own->positions, mesh->positions, 3 * count * sizeof *own->positions);
    for (size_t i = 0; i < count; i++)
        qn_deform_node_values(run, i, own->displacements + 3 * i, own->reactions + 3 * i, own->pressures + i);
    return QN_OK;
}

static qn_status make_result(const qn_deform_solution *run, qn_deform_result **out)
{
    owned_result *own;
    const qn_state *state = &run->state;
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *out = &own->result;
    QN_TRY(qn_text_copy(run->options->output ? run->options->output : "", &own->folder));
    if (qn_job_is_first(run->job)) QN_TRY(copy_nodes(run, own));
    qn_deform_result *result = &own->result;
    *result = (qn_deform_result){.energy = state->energy,
                                 .residual = state->residual,
                                 .least_volume = state->least_volume,
                                 .least_stretch = state->least_stretch,
                                 .newton_steps = state->newton_steps,
                                 .load_steps = state->load_steps,
                                 .mixed = run->setup.mixed,
                                 .node_count = run->setup.mesh->node_count,
                                 .element_count = run->setup.mesh->element_count,
                                 .freedom_count = run->setup.body->freedom_count,
                                 .positions = own->positions,
                                 .displacements = own->displacements,
                                 .reactions = own->reactions,
                                 .pressures = run->setup.mixed ? own->pressures : NULL,
                                 .folder = own->folder,
                                 .seconds = qn_clock_s() - run->job->started_s};
    memcpy(result->force, state->force, sizeof result->force);
    memcpy(result->stiffness, state->stiffness, sizeof result->stiffness);
    memcpy(result->other_force, run->other_force, sizeof result->other_force);
    return QN_OK;
}

void qn_deform_result_destroy(qn_deform_result **result)
{
    if (!*result) return;
    owned_result *own = (owned_result *)*result;
    qn_release(&own->positions);
    qn_release(&own->displacements);
    qn_release(&own->reactions);
    qn_release(&own->pressures);
    qn_release(&own->folder);
    qn_release(result);
}

/* ---- the call ---- */

static void clear(qn_deform_solution *run)
{
    qn_state_clear(&run->rest);
    qn_state_clear(&run->state);
    qn_release(&run->residual);
    qn_deform_setup_clear(&run->setup);
}

qn_status qn_deform_solve(qn_context *context, const qn_deform_options *options, qn_deform_result **result)
{
    qn_job job;
    qn_deform_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_deform_solve_option_table(), options, &own));
    qn_deform_solution run = {.options = &own, .job = &job, .other_force = {NAN, NAN, NAN}};
    qn_status status = qn_job_open(context, "deform", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, make_result(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_deform_result_destroy(result);
    return status;
}
