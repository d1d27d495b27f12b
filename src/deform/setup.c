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

/* Of the constrained nodes over their length: less is a line. */
static const double LEAST_WIDTH = 1e-6;

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

/* ---- sets ---- */

/* Text of the contact's set, without "mean:". */
static const char *contact_of(const qn_deform_options *options, bool *mean)
{
    static const char prefix[] = "mean:";
    *mean = strncmp(options->contact, prefix, sizeof prefix - 1) == 0;
    return options->contact + (*mean ? sizeof prefix - 1 : 0);
}

static qn_status find_sets(const qn_mesh *mesh, const qn_deform_options *options, qn_node_set sets[2])
{
    bool mean;
    qn_mesh_surface surface = {0};
    qn_status status = qn_mesh_surface_find(mesh, &surface);
    if (status == QN_OK)
        status = qn_node_set_find(mesh, &surface, options->fix, "--fix", &sets[0].nodes, &sets[0].count);
    if (status == QN_OK)
        status =
            qn_node_set_find(mesh, &surface, contact_of(options, &mean), "--contact", &sets[1].nodes, &sets[1].count);
    qn_mesh_surface_clear(&surface);
    return status;
}

static bool has_node(const qn_node_set *set, uint32_t node)
{
    size_t least = 0, most = set->count;
    while (least < most) {
        const size_t middle = (least + most) / 2;
        if (set->nodes[middle] < node)
            least = middle + 1;
        else
            most = middle;
    }
    return least < set->count && set->nodes[least] == node;
}

/* A group of the set's nodes and of the surface's triangles between them, so that a finer mesh has the same patch. */
static qn_status make_group(const qn_mesh_surface *surface, const char *name, const qn_node_set *set,
                            qn_mesh_group *group)
{
    group->dimension = 2;
    QN_TRY(qn_text_copy(name, &group->name));
    QN_TRY(qn_allocate(set->count, sizeof *group->nodes, (void **)&group->nodes));
    QN_TRY(qn_allocate(3 * surface->triangle_count, sizeof *group->elements, (void **)&group->elements));
    memcpy(group->nodes, set->nodes, set->count * sizeof *set->nodes);
    group->node_count = set->count;
    for (size_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *corners = surface->triangles + i * (size_t)surface->triangle_nodes;
        if (!has_node(set, corners[0]) || !has_node(set, corners[1]) || !has_node(set, corners[2])) continue;
        memcpy(group->elements + 3 * group->element_count++, corners, 3 * sizeof *corners);
    }
    return QN_OK;
}

/* A mesh of order 1 with the sets as its groups. */
static qn_status mark_sets(const qn_mesh *given, const qn_deform_options *options, qn_mesh *marked)
{
    qn_node_set sets[2] = {{0}};
    qn_mesh_surface surface = {0};
    qn_status status = find_sets(given, options, sets);
    if (status == QN_OK) status = qn_mesh_surface_find(given, &surface);
    if (status == QN_OK) status = qn_mesh_allocate_groups(marked, 2);
    for (int i = 0; i < 2 && status == QN_OK; i++)
        status = make_group(&surface, i == 0 ? "fix" : "contact", &sets[i], &marked->groups[i]);
    qn_mesh_surface_clear(&surface);
    for (int i = 0; i < 2; i++) qn_release(&sets[i].nodes);
    return status;
}

static qn_status take_group(const qn_mesh_group *group, qn_node_set *set)
{
    QN_TRY(qn_allocate(group->node_count, sizeof *set->nodes, (void **)&set->nodes));
    memcpy(set->nodes, group->nodes, group->node_count * sizeof *set->nodes);
    set->count = group->node_count;
    return QN_OK;
}

/* Corners of a mesh as a mesh of order 1 without groups. */
static qn_status copy_corners(const qn_mesh *given, qn_mesh **corners)
{
    qn_mesh without = *given;
    without.group_count = 0;
    without.groups = NULL;
    return qn_mesh_with_order(&without, 1, corners);
}

/* Sets are found in the mesh before it is refined, and go along: a patch of whole triangles stays the same patch. */
static qn_status refine_mesh(const qn_mesh *given, qn_deform_setup *setup)
{
    const qn_deform_options *options = setup->options;
    qn_mesh *plain = NULL, *marked = NULL, *fine = NULL;
    qn_status status = qn_mesh_with_order(given, 1, &plain);
    if (status == QN_OK) status = copy_corners(given, &marked);
    if (status == QN_OK) status = mark_sets(plain, options, marked);
    if (status == QN_OK) status = qn_mesh_refine(marked, options->refine, &fine);
    if (status == QN_OK) status = qn_mesh_with_order(fine, setup->order, &setup->mesh);
    if (status == QN_OK) status = take_group(&setup->mesh->groups[0], &setup->fixed);
    if (status == QN_OK) status = take_group(&setup->mesh->groups[1], &setup->held);
    qn_mesh_destroy(&plain);
    qn_mesh_destroy(&marked);
    qn_mesh_destroy(&fine);
    return status;
}

static qn_status shape_mesh(const qn_mesh *given, qn_deform_setup *setup)
{
    QN_TRY(qn_mesh_check(given));
    if (setup->options->refine > 0) return refine_mesh(given, setup);
    qn_node_set sets[2] = {{0}};
    qn_status status = qn_mesh_with_order(given, setup->order, &setup->mesh);
    if (status == QN_OK) status = find_sets(setup->mesh, setup->options, sets);
    setup->fixed = sets[0], setup->held = sets[1];
    return status;
}

static const double *position_of(const qn_deform_setup *setup, size_t number)
{
    const size_t fixed_count = setup->fixed.count;
    const uint32_t node = number < fixed_count ? setup->fixed.nodes[number] : setup->held.nodes[number - fixed_count];
    return setup->mesh->positions + 3 * (size_t)node;
}

/* Distance of a place from the line through two others, or from `a` where these are one. */
static double distance_from_line(const double a[3], const double b[3], const double place[3])
{
    double along = 0, length = 0, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        along += (place[axis] - a[axis]) * (b[axis] - a[axis]);
        length += (b[axis] - a[axis]) * (b[axis] - a[axis]);
    }
    for (int axis = 0; axis < 3; axis++) {
        const double foot = a[axis] + (length > 0 ? along / length * (b[axis] - a[axis]) : 0);
        square += (place[axis] - foot) * (place[axis] - foot);
    }
    return sqrt(square);
}

/* A body whose constrained nodes lie on one line can turn about it. A mean constrains no node by itself. */
static qn_status check_support(const qn_deform_setup *setup)
{
    bool mean;
    contact_of(setup->options, &mean);
    const size_t count = setup->fixed.count + (mean ? 0 : setup->held.count);
    const double *first = position_of(setup, 0), *farthest = first;
    double length = 0, width = 0;
    for (size_t i = 1; i < count; i++) {
        const double distance = distance_from_line(first, first, position_of(setup, i));
        if (distance > length) length = distance, farthest = position_of(setup, i);
    }
    for (size_t i = 1; i < count; i++) width = fmax(width, distance_from_line(first, farthest, position_of(setup, i)));
    if (width > LEAST_WIDTH * length) return QN_OK;
    return QN_FAIL(
        QN_INVALID_ARGUMENT,
        "%s: the body can turn about a line through all nodes of --fix \"%s\"%s%s%s; expected three nodes or more "
        "that are not in one line",
        setup->name, setup->options->fix, mean ? "" : " and --contact \"", mean ? "" : setup->options->contact,
        mean ? "" : "\"");
}

static qn_status check_sets(const qn_deform_setup *setup)
{
    for (size_t i = 0; i < setup->held.count; i++)
        if (has_node(&setup->fixed, setup->held.nodes[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: node %" PRIu64 " is in --contact \"%s\" and in --fix \"%s\"; expected sets without a "
                           "common node",
                           setup->name, setup->mesh->node_labels[setup->held.nodes[i]], setup->options->contact,
                           setup->options->fix);
    return check_support(setup);
}

/* ---- mesh ---- */

void qn_deform_mesh_digest(const qn_mesh *mesh, char digest[65])
{
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, mesh->positions, 3 * mesh->node_count * sizeof *mesh->positions);
    qn_hash_add(&hash, mesh->elements,
                mesh->element_count * (size_t)qn_mesh_element_nodes(mesh) * sizeof *mesh->elements);
    qn_hash_finish(&hash, digest);
}

static qn_status read_mesh(qn_job *job, qn_deform_setup *setup)
{
    const qn_deform_options *options = setup->options;
    if (!options->mesh == !options->given_mesh)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the mesh is given %s; expected a file or a mesh in memory",
                       options->mesh ? "twice" : "in no way");
    if (options->mesh) {
        QN_TRY(qn_job_input_add(job, "mesh", options->mesh, QN_JOB_READ_ALL));
        QN_TRY(qn_mesh_read(options->mesh, options->scale, &setup->own));
        setup->name = options->mesh;
    } else {
        const qn_mesh *mesh = options->given_mesh;
        char digest[65];
        const uint64_t bytes = 3 * mesh->node_count * sizeof *mesh->positions +
                               mesh->element_count * (size_t)qn_mesh_element_nodes(mesh) * sizeof *mesh->elements;
        qn_deform_mesh_digest(mesh, digest);
        setup->name = options->given_mesh->name ? options->given_mesh->name : "mesh in memory";
        QN_TRY(qn_job_input_add_memory(job, "mesh", setup->name, bytes, digest));
    }
    setup->given = setup->own ? setup->own : options->given_mesh;
    QN_TRY(shape_mesh(setup->given, setup));
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
    if (isinf(setup->material.kappa) && options->mixed == QN_DEFORM_MIXED_NO)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "--mixed is \"no\" and --material \"%s\" has an infinite bulk modulus; expected --mixed yes or auto",
            options->material);
    setup->mixed =
        options->mixed == QN_DEFORM_MIXED_AUTO ? !is_svk && poisson > 0.45 : options->mixed == QN_DEFORM_MIXED_YES;
    if (!job || setup->mixed || poisson <= 0.45) return QN_OK;
    return qn_job_warn(job,
                       "Poisson's ratio is %.4g: without pressures, elements lock and forces come out too large (give "
                       "mooney-rivlin and --mixed yes)",
                       poisson);
}

static qn_status make_problem(qn_deform_setup *setup)
{
    contact_of(setup->options, &setup->mean);
    QN_TRY(qn_mesh_surface_find(setup->mesh, &setup->surface));
    QN_TRY(qn_body_create(setup->mesh, &setup->material, setup->mixed, &setup->body));
    return qn_problem_create(setup->body, setup->fixed.nodes, setup->fixed.count, setup->held.nodes, setup->held.count,
                             setup->mean, &setup->problem);
}

static void digest_set(const qn_node_set *set, bool mean, char digest[65])
{
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, &mean, sizeof mean);
    qn_hash_add(&hash, set->nodes, set->count * sizeof *set->nodes);
    qn_hash_finish(&hash, digest);
}

/* Digests of sets tell whether sets in other words are the same. */
static qn_status fill(qn_job *job, qn_deform_setup *setup)
{
    const qn_deform_options *options = setup->options;
    char fixed[65], held[65];
    QN_TRY(qn_material_parse(options->material, &setup->material));
    QN_TRY(choose_form(job, setup));
    QN_TRY(read_mesh(job, setup));
    QN_TRY(check_sets(setup));
    QN_TRY(make_problem(setup));
    digest_set(&setup->fixed, false, fixed);
    digest_set(&setup->held, setup->mean, held);
    return qn_job_key(job,
                      "material=%s\nfix=%s\nfix_nodes=%s\ncontact=%s\ncontact_nodes=%s\nscale=%.17g\norder=%d\n"
                      "mixed=%d\nrefine=%d\ntolerance=%.17g\n",
                      options->material, options->fix, fixed, options->contact, held, options->scale, options->order,
                      setup->mixed, options->refine, options->tolerance);
}

qn_status qn_deform_setup_make(qn_job *job, const qn_deform_options *options, qn_deform_setup *setup)
{
    *setup = (qn_deform_setup){.options = options, .order = options->order};
    return fill(job, setup);
}

qn_status qn_deform_setup_other_order(const qn_deform_setup *from, int order, qn_deform_setup *setup)
{
    *setup = (qn_deform_setup){
        .options = from->options, .name = from->name, .order = order, .material = from->material, .mixed = from->mixed};
    QN_TRY(shape_mesh(from->given, setup));
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
    qn_mesh_destroy(&setup->own);
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
