/* The public function for one state: a bar in tension, whose force has an exact expression, from memory and from a
 * file.
 */
#include "bar.h"

#include <math.h>
#include <quern/deform.h>
#include <string.h>

#include "check.h"

static const double C10 = 1400, C01 = 280; /* Pa */

typedef struct stretched {
    double ratio;  /* λ of the middle */
    double stress; /* N/m² of the bar at rest */
} stretched;

/* λ between the cross-sections at 0.4 and 0.6 of the bar's length, where its clamped ends are not felt. */
static double stretch_of_middle(const qn_deform_result *result, double length)
{
    double place[2] = {0, 0};
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < result->node_count; i++)
        for (int side = 0; side < 2; side++) {
            const double x = result->positions[3 * i];
            if (fabs(x - (side ? 0.6 : 0.4) * length) > 1e-9) continue;
            place[side] += x + result->displacements[3 * i];
            count[side]++;
        }
    CHECK(count[0] > 8 && count[1] == count[0]);
    return (place[1] / (double)count[1] - place[0] / (double)count[0]) / (0.2 * length);
}

static qn_deform_options pull(const char *material, int order)
{
    qn_deform_options options = qn_deform_default_options();
    options.material = material, options.order = order;
    options.fix = "x<0.0001", options.contact = "x>0.0999", options.move = "0.04,0,0";
    options.run.quiet = true;
    return options;
}

static void stretch(const bar_shape *shape, const char *material, int order, stretched *found)
{
    qn_deform_options options = pull(material, order);
    qn_deform_result *result = NULL;
    qn_context *context;
    qn_mesh *mesh = NULL;
    CHECK_OK(qn_context_create(NULL, &context));
    CHECK_OK(bar_make(shape, &mesh));
    options.given_mesh = mesh;
    *found = (stretched){NAN, NAN};
    if (CHECK_OK(qn_deform_solve(context, &options, &result))) {
        found->ratio = stretch_of_middle(result, shape->size[0]);
        found->stress = result->force[0] / (shape->size[1] * shape->size[2]);
        CHECK_TEXT(result->folder, "");
        CHECK(fabs(result->force[1]) < 1e-2 * result->force[0]);
        CHECK(result->residual <= 1e-8);
    }
    qn_deform_result_destroy(&result);
    qn_mesh_destroy(&mesh);
    qn_context_destroy(&context);
}

/* Cauchy stress σ = 2 (λ² − 1/λ)(c10 + c01/λ) of an incompressible bar; over the area at rest, σ/λ. */
static void incompressible_bars_have_their_stress(void)
{
    const bar_shape bar = {.cells = {20, 2, 2}, .size = {0.1, 0.01, 0.01}};
    for (int order = 1; order <= 2; order++) {
        stretched found;
        stretch(&bar, "mooney-rivlin:1400,280,inf", order, &found);
        const double ratio = found.ratio, cauchy = 2 * (ratio * ratio - 1 / ratio) * (C10 + C01 / ratio);
        CHECK(ratio > 1.35 && ratio < 1.45);
        CHECK_NEAR(found.stress * ratio / cauchy, 1, 1e-3);
    }
}

/* St Venant-Kirchhoff: P = λ E (λ² − 1) / 2 along the bar, since its sides are free of S. */
static void svk_bars_have_their_stress(void)
{
    const bar_shape bar = {.cells = {20, 2, 2}, .size = {0.1, 0.01, 0.01}};
    for (int order = 1; order <= 2; order++) {
        stretched found;
        stretch(&bar, "svk:10000,0.4", order, &found);
        const double ratio = found.ratio;
        CHECK(ratio > 1.35 && ratio < 1.45);
        CHECK_NEAR(found.stress / (ratio * 1e4 * (ratio * ratio - 1) / 2), 1, 1e-3);
    }
}

static void check_same(const qn_deform_result *a, const qn_deform_result *b)
{
    const size_t bytes = 3 * a->node_count * sizeof *a->positions;
    if (!CHECK(a->node_count == b->node_count && a->mixed == b->mixed)) return;
    CHECK(memcmp(a->force, b->force, sizeof a->force) == 0);
    CHECK(memcmp(a->stiffness, b->stiffness, sizeof a->stiffness) == 0);
    CHECK(memcmp(a->positions, b->positions, bytes) == 0);
    CHECK(memcmp(a->displacements, b->displacements, bytes) == 0);
    CHECK(memcmp(a->reactions, b->reactions, bytes) == 0);
    CHECK(a->pressures && b->pressures &&
          memcmp(a->pressures, b->pressures, a->node_count * sizeof *a->pressures) == 0);
}

static void memory_and_file_give_the_same(void)
{
    const bar_shape bar = {.cells = {8, 2, 2}, .size = {0.125, 0.03125, 0.03125}}; /* exact as text */
    qn_deform_options options = pull("mooney-rivlin:1400,280,2e6", 1);
    qn_deform_result *of_memory = NULL, *of_file = NULL;
    qn_context *context;
    qn_mesh *mesh = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/bar.msh", check_scratch_folder());
    CHECK_OK(qn_context_create(NULL, &context));
    CHECK_OK(bar_make(&bar, &mesh));
    CHECK(bar_write(mesh, path));
    options.contact = "x>0.12", options.given_mesh = mesh;
    CHECK_OK(qn_deform_solve(context, &options, &of_memory));
    options.given_mesh = NULL, options.mesh = path;
    CHECK_OK(qn_deform_solve(context, &options, &of_file));
    if (of_memory && of_file) check_same(of_memory, of_file);
    qn_deform_result_destroy(&of_file);
    options.given_mesh = mesh;
    CHECK_FAILS(qn_deform_solve(context, &options, &of_file), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the mesh is given twice");
    CHECK(of_file == NULL);
    qn_deform_result_destroy(&of_memory);
    qn_mesh_destroy(&mesh);
    qn_context_destroy(&context);
}

/* Reactions: the held nodes' add up to the force, and those of the fixed ones balance it. */
static void reactions_balance(void)
{
    const bar_shape bar = {.cells = {6, 2, 2}, .size = {0.1, 0.02, 0.02}};
    static const char *const contacts[] = {"x>0.0999", "mean:x>0.0999"};
    qn_context *context;
    qn_mesh *mesh = NULL;
    CHECK_OK(qn_context_create(NULL, &context));
    CHECK_OK(bar_make(&bar, &mesh));
    for (int i = 0; i < 2; i++) {
        qn_deform_options options = pull("svk:10000,0.4", 2);
        qn_deform_result *result = NULL;
        double sums[2] = {0, 0};
        options.given_mesh = mesh, options.contact = contacts[i];
        CHECK_OK(qn_deform_solve(context, &options, &result));
        for (size_t node = 0; result && node < result->node_count; node++)
            sums[result->positions[3 * node] > 0.05] += result->reactions[3 * node];
        if (result) CHECK_NEAR(sums[1], result->force[0], 1e-9 * result->force[0]);
        if (result) CHECK_NEAR(sums[0], -result->force[0], 1e-7 * result->force[0]);
        qn_deform_result_destroy(&result);
    }
    qn_mesh_destroy(&mesh);
    qn_context_destroy(&context);
}

int main(void)
{
    RUN(incompressible_bars_have_their_stress);
    RUN(svk_bars_have_their_stress);
    RUN(memory_and_file_give_the_same);
    RUN(reactions_balance);
    return check_finish();
}
