#include "deform/setup.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "deform/sets/sets.h"

/* A mesh larger than this is probably not in m; tissue is not. */
static const double LARGE_M = 20;

/* ---- mesh ---- */

static qn_status measure_mesh(qn_deform_setup *setup)
{
    const qn_mesh *mesh = setup->mesh;
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < mesh->node_count; i++) {
            least = fmin(least, mesh->positions[3 * i + (size_t)axis]);
            most = fmax(most, mesh->positions[3 * i + (size_t)axis]);
        }
        setup->size[axis] = most - least;
    }
    return QN_OK;
}

/* Replace *mesh by `changed`. */
static void take(qn_mesh *changed, qn_mesh **mesh)
{
    qn_mesh_destroy(mesh);
    *mesh = changed;
}

static qn_status shape_mesh(const qn_mesh *given, int refine, int order, qn_mesh **mesh)
{
    qn_mesh *changed;
    QN_TRY(qn_mesh_check(given));
    if (refine > 0)
        QN_TRY(qn_mesh_refine(given, refine, mesh));
    else
        return qn_mesh_with_order(given, order, mesh);
    if (order == 1) return QN_OK;
    QN_TRY(qn_mesh_with_order(*mesh, order, &changed));
    take(changed, mesh);
    return QN_OK;
}

static void digest_mesh(const qn_mesh *mesh, uint64_t *bytes, char digest[65])
{
    qn_hash hash;
    const size_t positions = 3 * mesh->node_count * sizeof *mesh->positions;
    const size_t elements = mesh->element_count * (size_t)qn_mesh_element_nodes(mesh) * sizeof *mesh->elements;
    qn_hash_start(&hash);
    qn_hash_add(&hash, mesh->positions, positions);
    qn_hash_add(&hash, mesh->elements, elements);
    qn_hash_finish(&hash, digest);
    *bytes = positions + elements;
}

static qn_status read_mesh(qn_job *job, qn_deform_setup *setup)
{
    const qn_deform_options *options = setup->options;
    qn_mesh *own = NULL;
    if (!options->mesh == !options->given_mesh)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the mesh is given %s; expected a file or a mesh in memory",
                       options->mesh ? "twice" : "in no way");
    if (options->mesh) {
        QN_TRY(qn_job_input_add(job, "mesh", options->mesh, QN_JOB_READ_ALL));
        QN_TRY(qn_mesh_read(options->mesh, options->scale, &own));
        setup->name = options->mesh;
    } else {
        uint64_t bytes;
        char digest[65];
        digest_mesh(options->given_mesh, &bytes, digest);
        setup->name = options->given_mesh->name ? options->given_mesh->name : "mesh in memory";
        QN_TRY(qn_job_input_add_memory(job, "mesh", setup->name, bytes, digest));
    }
    const qn_status status = shape_mesh(own ? own : options->given_mesh, options->refine, options->order, &setup->mesh);
    qn_mesh_destroy(&own);
    QN_TRY(status);
    QN_TRY(measure_mesh(setup));
    const double largest = fmax(setup->size[0], fmax(setup->size[1], setup->size[2]));
    if (largest > LARGE_M)
        QN_TRY(qn_job_warn(job, "%s: the mesh is %.3g m wide; expected m (for a mesh in mm give --scale 0.001)",
                           setup->name, largest));
    return QN_OK;
}

/* ---- material ---- */

static qn_status choose_form(qn_job *job, qn_deform_setup *setup)
{
    const qn_deform_options *options = setup->options;
    const bool is_svk = setup->material.kind == QN_MATERIAL_SVK;
    const double poisson = qn_material_poisson(&setup->material);
    if (is_svk && options->mixed == QN_DEFORM_MIXED_YES)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--mixed is \"yes\" and --material svk; expected mooney-rivlin, which alone has a mixed form");
    setup->mixed =
        options->mixed == QN_DEFORM_MIXED_AUTO ? !is_svk && poisson > 0.45 : options->mixed == QN_DEFORM_MIXED_YES;
    if (!job || setup->mixed || poisson <= 0.45) return QN_OK;
    return qn_job_warn(job,
                       "Poisson's ratio is %.4g: without pressures, elements lock and forces come out too large (give "
                       "mooney-rivlin and --mixed yes)",
                       poisson);
}

/* ---- sets ---- */

static qn_status find_sets(qn_deform_setup *setup)
{
    static const char prefix[] = "mean:";
    const qn_deform_options *options = setup->options;
    const char *contact = options->contact;
    setup->mean = strncmp(contact, prefix, sizeof prefix - 1) == 0;
    if (setup->mean) contact += sizeof prefix - 1;
    QN_TRY(qn_mesh_surface_find(setup->mesh, &setup->surface));
    QN_TRY(qn_node_set_find(setup->mesh, &setup->surface, options->fix, "--fix", &setup->fixed.nodes,
                            &setup->fixed.count));
    QN_TRY(
        qn_node_set_find(setup->mesh, &setup->surface, contact, "--contact", &setup->held.nodes, &setup->held.count));
    for (size_t i = 0, j = 0; i < setup->held.count && j < setup->fixed.count;) {
        const uint32_t held = setup->held.nodes[i], fixed = setup->fixed.nodes[j];
        if (held == fixed)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: node %" PRIu64 " is in --contact \"%s\" and in --fix \"%s\"; expected sets without a "
                           "common node",
                           setup->name, setup->mesh->node_labels[held], contact, options->fix);
        if (held < fixed)
            i++;
        else
            j++;
    }
    return QN_OK;
}

static qn_status make_problem(qn_deform_setup *setup)
{
    QN_TRY(qn_body_create(setup->mesh, &setup->material, setup->mixed, &setup->body));
    return qn_problem_create(setup->body, setup->fixed.nodes, setup->fixed.count, setup->held.nodes, setup->held.count,
                             setup->mean, &setup->problem);
}

static qn_status fill(qn_job *job, qn_deform_setup *setup)
{
    const qn_deform_options *options = setup->options;
    QN_TRY(qn_material_parse(options->material, &setup->material));
    QN_TRY(choose_form(job, setup));
    QN_TRY(read_mesh(job, setup));
    QN_TRY(find_sets(setup));
    QN_TRY(make_problem(setup));
    return qn_job_key(job,
                      "material=%s\nfix=%s\ncontact=%s\nscale=%.17g\norder=%d\nmixed=%d\nrefine=%d\ntolerance=%.17g\n",
                      options->material, options->fix, options->contact, options->scale, options->order, setup->mixed,
                      options->refine, options->tolerance);
}

qn_status qn_deform_setup_make(qn_job *job, const qn_deform_options *options, qn_deform_setup *setup)
{
    *setup = (qn_deform_setup){.options = options};
    return fill(job, setup);
}

qn_status qn_deform_setup_other_order(const qn_deform_setup *from, int order, qn_deform_setup *setup)
{
    *setup = (qn_deform_setup){
        .options = from->options, .name = from->name, .material = from->material, .mixed = from->mixed};
    QN_TRY(qn_mesh_with_order(from->mesh, order, &setup->mesh));
    QN_TRY(find_sets(setup));
    return make_problem(setup);
}

void qn_deform_setup_clear(qn_deform_setup *setup)
{
    qn_problem_destroy(&setup->problem);
    qn_body_destroy(&setup->body);
    qn_release(&setup->fixed.nodes);
    qn_release(&setup->held.nodes);
    qn_mesh_surface_clear(&setup->surface);
    qn_mesh_destroy(&setup->mesh);
}

qn_status qn_deform_read_place(const char *option, const char *text, double place[3])
{
    const char *rest = text;
    for (int axis = 0; axis < 3; axis++) {
        char *end;
        place[axis] = strtod(rest, &end);
        if (end == rest || !isfinite(place[axis]) || *end != (axis < 2 ? ',' : '\0'))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s is \"%s\"; expected three numbers in m, as 0,0,-0.01", option,
                           text);
        rest = end + 1;
    }
    return QN_OK;
}
