/* Sets of nodes of the box of tests/data/mesh, 4 × 2 × 1 cm, against loops over its nodes; every refusal. */
#include "deform/sets/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check.h"

typedef struct box {
    qn_mesh *mesh;
    qn_mesh_surface surface;
} box;

static box read_box(const char *name)
{
    box b = {0};
    CHECK_OK(qn_mesh_read(check_data(name), 1, &b.mesh));
    CHECK_OK(qn_mesh_surface_find(b.mesh, &b.surface));
    return b;
}

static void clear_box(box *b)
{
    qn_mesh_surface_clear(&b->surface);
    qn_mesh_destroy(&b->mesh);
}

/* All surface nodes of the box at which a function of the place is true, in its mesh of order 1 or 2. */
static void check_places(const box *b, const char *text, bool (*inside)(const double *place))
{
    uint32_t *nodes;
    size_t count, expected = 0;
    if (!CHECK_OK(qn_node_set_find(b->mesh, &b->surface, text, "--fix", &nodes, &count))) {
        printf("  %s\n", qn_error_message());
        return;
    }
    for (size_t i = 0; i < b->surface.node_count; i++) {
        if (!inside(b->mesh->positions + 3 * b->surface.nodes[i])) continue;
        CHECK(expected < count && nodes[expected] == b->surface.nodes[i]);
        expected++;
    }
    if (!CHECK(count == expected && count > 0)) printf("  %s: %zu nodes, not %zu\n", text, count, expected);
    qn_release(&nodes);
}

static bool left_of_1_cm(const double *place)
{
    return place[0] < 0.0101;
}
static bool at_the_right_end(const double *place)
{
    return place[0] >= 0.04;
}
static bool not_at_the_right_end(const double *place)
{
    return place[0] < 0.04;
}
static bool above_the_middle(const double *place)
{
    return place[2] > 0.005001;
}
static bool in_the_box(const double *place)
{
    return place[0] >= 0 && place[0] <= 0.02001 && place[1] >= 0 && place[1] <= 0.02 && place[2] >= 0.01;
}
static bool near_the_corner(const double *place)
{
    return sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2]) <= 0.0121;
}
static bool at_both(const double *place)
{
    return left_of_1_cm(place) && above_the_middle(place);
}

static void places_find_nodes_of_the_surface(void)
{
    box b = read_box("mesh/box_22.msh");
    check_places(&b, "x<0.0101", left_of_1_cm);
    check_places(&b, " x < 0.0101 ", left_of_1_cm);
    check_places(&b, "x>=0.04", at_the_right_end);
    check_places(&b, "x>3.9999e-2", at_the_right_end);
    check_places(&b, "x<0.04", not_at_the_right_end);
    check_places(&b, "z>0.005001", above_the_middle);
    check_places(&b, "box:0:0.02001,0:0.02,0.01:1", in_the_box);
    check_places(&b, "near:0,0,0,0.0121", near_the_corner);
    check_places(&b, "x<0.0101&z>0.005001", at_both);
    check_places(&b, "z>0.005001 & x<0.0101", at_both);
    clear_box(&b);
}

/* A cube of 3³ nodes: the one in the middle is inside. */
static void places_leave_out_inner_nodes(void)
{
    box b = {0};
    uint32_t *nodes;
    size_t count;
    qn_mesh *cube;
    static const uint32_t elements[] = {0, 1, 2, 3};
    static const double places[] = {0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 8};
    CHECK_OK(qn_mesh_create(1, places, 4, elements, 1, &cube));
    CHECK_OK(qn_mesh_refine(cube, 3, &b.mesh));
    CHECK_OK(qn_mesh_surface_find(b.mesh, &b.surface));
    CHECK(b.surface.node_count < b.mesh->node_count);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "x<100", "--fix", &nodes, &count));
    CHECK(count == b.surface.node_count && memcmp(nodes, b.surface.nodes, count * sizeof *nodes) == 0);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "nodes:1-1000000", "--fix", &nodes, &count));
    CHECK(count == b.mesh->node_count);
    qn_release(&nodes);
    qn_mesh_destroy(&cube);
    clear_box(&b);
}

/* Middles belong to whole triangles: the left end has 5 corners and 8 edges; x < 0.0101 has more middles in it than
 * those of whole triangles. */
static void middles_belong_to_whole_triangles(void)
{
    box b = read_box("mesh/box2_22.msh");
    uint32_t *nodes;
    size_t count;
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "x<=0", "--fix", &nodes, &count));
    CHECK(count == 5 + 8);
    for (size_t i = 0; i < count; i++) CHECK(b.mesh->positions[3 * nodes[i]] == 0);
    qn_release(&nodes);
    check_places(&b, "x>=0.04", at_the_right_end);
    /* the corner of the box, and no triangle */
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "near:0,0,0,0.006", "--fix", &nodes, &count));
    CHECK(count == 1);
    qn_release(&nodes);
    /* a triangle of the left end and its three middles, by a sphere around it */
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "near:0,0,0.005,0.0101&x<=0", "--fix", &nodes, &count));
    CHECK(count == 3 + 3);
    qn_release(&nodes);
    /* a group has its own middles; with a place, those that both have */
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "tag:left end", "--fix", &nodes, &count));
    CHECK(count == 13);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "tag:ends & x<0.01", "--fix", &nodes, &count));
    CHECK(count == 13);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "tag:edge & x<0.01", "--fix", &nodes, &count));
    CHECK(count == 2); /* its middle lies in no whole triangle of two corners */
    qn_release(&nodes);
    clear_box(&b);
}

/* Numbers of corners do not bring the middles that a place allows: the left end has 5 corners, the body 22. */
static void numbers_bring_no_middles(void)
{
    qn_mesh *linear;
    uint32_t *nodes;
    size_t count;
    box b = {0};
    CHECK_OK(qn_mesh_read(check_data("mesh/box_22.msh"), 1, &linear));
    CHECK_OK(qn_mesh_with_order(linear, 2, &b.mesh));
    CHECK_OK(qn_mesh_surface_find(b.mesh, &b.surface));
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "x<=0", "--fix", &nodes, &count));
    CHECK(count == 5 + 8);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "x<=0 & nodes:1-22", "--fix", &nodes, &count));
    CHECK(count == 5);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "nodes:23-1000", "--fix", &nodes, &count));
    CHECK(count == 105 - 22);
    qn_release(&nodes);
    qn_mesh_destroy(&linear);
    clear_box(&b);
}

static void numbers_are_those_of_the_file(void)
{
    box b = read_box("mesh/box_22.msh"), c = read_box("mesh/box.vtk");
    uint32_t *nodes;
    size_t count;
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "nodes:1,5-9,8,22", "--fix", &nodes, &count));
    static const uint32_t expected[] = {0, 4, 5, 6, 7, 8, 21};
    CHECK(count == 7 && memcmp(nodes, expected, sizeof expected) == 0);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(c.mesh, &c.surface, "nodes:0,5", "--fix", &nodes, &count));
    CHECK(count == 2 && nodes[0] == 0 && nodes[1] == 5);
    qn_release(&nodes);
    for (size_t i = 0; i < b.mesh->node_count; i++) b.mesh->node_labels[i] = 1000 - 10 * i; /* descending, with gaps */
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "nodes:985-1500,790", "--fix", &nodes, &count));
    CHECK(count == 3 && nodes[0] == 0 && nodes[1] == 1 && nodes[2] == 21);
    qn_release(&nodes);
    CHECK_FAILS(qn_node_set_find(b.mesh, &b.surface, "nodes:981-989", "--fix", &nodes, &count), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("no tetrahedron has node 981-989");
    clear_box(&b);
    clear_box(&c);
}

static void groups_are_found_by_name(void)
{
    box b = read_box("mesh/box_22.msh"), c = read_box("mesh/box.vtk");
    uint32_t *nodes;
    size_t count;
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "tag:left end", "--fix", &nodes, &count));
    CHECK(count == 5);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "tag:2:ends", "--fix", &nodes, &count));
    CHECK(count == 10);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(c.mesh, &c.surface, "tag:CellEntityIds=2&tag:CellEntityIds=7", "--fix", &nodes, &count));
    CHECK(count == 5);
    qn_release(&nodes);
    qn_release(&b.mesh->groups[0].name);
    CHECK_OK(qn_text_copy("left end", &b.mesh->groups[0].name)); /* the point has the name too */
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "tag:2:left end", "--fix", &nodes, &count));
    CHECK(count == 5);
    qn_release(&nodes);
    CHECK_OK(qn_node_set_find(b.mesh, &b.surface, "tag:0:left end", "--fix", &nodes, &count));
    CHECK(count == 1);
    qn_release(&nodes);
    CHECK_FAILS(qn_node_set_find(b.mesh, &b.surface, "tag:left end", "--fix", &nodes, &count), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--fix \"tag:left end\": 2 groups have the name \"left end\"; expected tag:DIMENSION:left end");
    clear_box(&b);
    clear_box(&c);
}

static void faulty_sets_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } refusals[] = {
        {"", "--fix \"\": nothing stands at character 1; expected nodes:1,5-9, x<0.02"},
        {"w<1", "\"w<1\" at character 1; expected nodes:1,5-9"},
        {"x", "\"x\" at character 1"},
        {"x<1&", "nothing stands at character 5"},
        {"x<a", "\"a\" at character 3; expected a number, as in x<0.02"},
        {"x<", "nothing stands at character 3"},
        {"x<1,2", "\",2\" at character 4"},
        {"x<nan", "\"nan\" at character 3"},
        {"nodes:", "nothing stands at character 7; expected numbers of nodes"},
        {"nodes:1,,2", "nothing stands at character 9"},
        {"nodes:1,x", "\"x\" at character 9"},
        {"nodes:-3", "\"-3\" at character 7"},
        {"nodes:9-5", "\"9-5\" at character 7"},
        {"nodes:5-", "\"5-\" at character 7"},
        {"nodes:23", "no tetrahedron has node 23; the mesh's nodes have numbers from 1 to 22"},
        {"nodes:1,30-40", "no tetrahedron has node 30-40"},
        {"box:0:1,0:1", "nothing stands at character 12; expected box:x0:x1,y0:y1,z0:z1"},
        {"box:0,1,0:1,0:1", "\",1,0:1,0:1\" at character 6"},
        {"box:0:1,0:1,0:1:2", "\":2\" at character 16"},
        {"box:0:1,1:0,0:1", "y of the box goes from 1 to 0; expected an ascending range"},
        {"near:0,0,0", "nothing stands at character 11; expected near:x,y,z,r"},
        {"near:0,0,0,0", "the radius is 0; expected a length above 0 m"},
        {"near:0,0,0,1,1", "\",1\" at character 13"},
        {"tag:", "the mesh has no group \"\""},
        {"tag:left", "the mesh has no group \"left\"; expected one of: "},
        {"tag:left", "did you mean \"left end\"?"},
        {"tag:3:ends", "the mesh has no group \"ends\""},
        {"x<-1", "no node of the surface has \"x<-1\"; x of the surface goes from 0 to 0.04 m"},
        {"z>0.02", "z of the surface goes from 0 to 0.01 m"},
        {"near:0,0,-1,0.5",
         "no node of the surface is in \"near:0,0,-1,0.5\"; the nearest to its centre, 2 at 0,0,0, is 1 m"},
        {"box:1:1.5,0:0,0:0", "the nearest to its centre, 6 at 0.04,0,0, is 1.21 m away"},
        {"x<0.001 & x>0.039", "no node is in all parts (\"x<0.001\" has 5 nodes, \"x>0.039\" has 5 nodes)"},
        {"x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1&x<1", "more than 16 parts"},
    };
    box b = read_box("mesh/box_22.msh");
    uint32_t *nodes;
    size_t count;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        CHECK_FAILS(qn_node_set_find(b.mesh, &b.surface, refusals[i].text, "--fix", &nodes, &count),
                    QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(refusals[i].message);
        CHECK_MESSAGE_HAS("--fix \"");
        CHECK(nodes == NULL && count == 0);
    }
    clear_box(&b);
    b = read_box("mesh/box_meshio.msh");
    CHECK_FAILS(qn_node_set_find(b.mesh, &b.surface, "tag:a", "--fix", &nodes, &count), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("has no groups; expected a set of another kind");
    clear_box(&b);
}

int main(void)
{
    RUN(places_find_nodes_of_the_surface);
    RUN(places_leave_out_inner_nodes);
    RUN(middles_belong_to_whole_triangles);
    RUN(numbers_bring_no_middles);
    RUN(numbers_are_those_of_the_file);
    RUN(groups_are_found_by_name);
    RUN(faulty_sets_are_refused);
    return check_finish();
}
