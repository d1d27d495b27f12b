#include "deform_factor_parts/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/sets/sets.h"
#include "deform/state/problem.h"

/* Objects made on the way from a mesh to its tangent. */
typedef struct making {
    qn_mesh *given, *mesh;
    qn_mesh_surface surface;
    uint32_t *fixed, *held;
    qn_body *body;
    qn_problem *problem;
    double *x;
} making;

static qn_status make_problem(const char *path, int order, bool mixed, making *made)
{
    size_t fixed_count, held_count;
    qn_material material;
    QN_TRY(qn_mesh_read(path, 1, &made->given));
    QN_TRY(qn_mesh_with_order(made->given, order, &made->mesh));
    QN_TRY(qn_mesh_surface_find(made->mesh, &made->surface));
    QN_TRY(qn_node_set_find(made->mesh, &made->surface, "x>0.02", "fix", &made->fixed, &fixed_count));
    QN_TRY(qn_node_set_find(made->mesh, &made->surface, "near:-0.06622422,0.10415821,0.0215251,0.03", "contact",
                            &made->held, &held_count));
    QN_TRY(qn_material_parse(mixed ? "mooney-rivlin:1400,280,20160" : "svk:10000,0.45", &material));
    QN_TRY(qn_body_create(made->mesh, &material, mixed, &made->body));
    return qn_problem_create(made->body, made->fixed, fixed_count, made->held, held_count, false, &made->problem);
}

/* The box takes the arrays that it needs. */
static qn_status take_tangent(making *made, qn_factor_box *box)
{
    qn_body *body = made->body;
    *box = (qn_factor_box){.freedoms = body->freedom_count,
                           .value_count = body->pattern.block_start[body->pattern.row_start[body->pattern.node_count]]};
    QN_TRY(qn_allocate(box->value_count, sizeof(double), (void **)&box->values));
    QN_TRY(qn_allocate(box->freedoms, sizeof(double), (void **)&made->x));
    qn_body_tangent(body, made->x, box->values);
    box->pattern = body->pattern;
    box->sign = body->sign;
    box->is_free = made->problem->is_free;
    body->pattern = (qn_block_pattern){0};
    body->sign = NULL;
    made->problem->is_free = NULL;
    return QN_OK;
}

static qn_status open_mesh(const char *path, int order, bool mixed, qn_factor_box *box)
{
    making made = {0};
    qn_status status = make_problem(path, order, mixed, &made);
    if (status == QN_OK) status = take_tangent(&made, box);
    qn_problem_destroy(&made.problem);
    qn_body_destroy(&made.body);
    qn_mesh_surface_clear(&made.surface);
    qn_mesh_destroy(&made.mesh);
    qn_mesh_destroy(&made.given);
    qn_release(&made.fixed);
    qn_release(&made.held);
    qn_release(&made.x);
    return status;
}

qn_status bench_open_pattern(const char *name, qn_factor_box *box)
{
    static const char *const kinds[] = {"mesh:", "mesh2:", "mixed:", "mixed2:"};
    if (strncmp(name, "box:", 4) == 0) {
        const int side = atoi(name + 4);
        return qn_factor_box_create((const int[]){side, side, side}, false, (uint32_t)side, box);
    }
    for (int i = 0; i < 4; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return open_mesh(name + strlen(kinds[i]), i % 2 + 1, i >= 2, box);
    return QN_FAIL(QN_INVALID_ARGUMENT, "the pattern is \"%s\"; expected " BENCH_PATTERNS, name);
}
