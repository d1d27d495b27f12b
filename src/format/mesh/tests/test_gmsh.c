/* Gmsh's formats: numbers with gaps, unused nodes, repeated elements, and every refusal. */
#include "format/mesh/tests/mesh_text.h"

#define FORMAT "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
#define ELEMENTS(lines) "$Elements\n1\n" lines "$EndElements\n"
#define GOOD ELEMENTS("1 4 2 7 1 1 2 3 4\n")

static qn_mesh *read_text(const char *text)
{
    qn_mesh *mesh = NULL;
    if (!CHECK_OK(qn_mesh_read(text_file("gmsh.msh", text), 1, &mesh))) printf("  %s\n", qn_error_message());
    return mesh;
}

/* Numbers descend and have gaps; node 30 belongs to a triangle only, node 99 to nothing. */
static void numbers_have_gaps(void)
{
    qn_mesh *mesh = read_text(
        "$Comments\nfree text\n$EndComments\r\n" FORMAT "$PhysicalNames\n1\n2 5 \"a name\"\n$EndPhysicalNames\n"
        "$Nodes\n6\n700 0 0 0\n99 9 9 9\n50 1 0 0\n3 0 1 0\n30 8 8 8\n1000000 0 0 1\n$EndNodes\n"
        "$Elements\n4\n12 4 2 0 1 700 50 3 1000000\n5 2 2 5 1 700 50 3\n6 2 2 5 1 700 50 30\n7 1 0 50 3\n$EndElements\n"
        "$NodeData\n1\n2\n$EndNodeData\n");
    if (!mesh) return;
    CHECK(mesh->node_count == 4 && mesh->element_count == 1 && mesh->element_labels[0] == 12);
    CHECK(mesh->node_labels[0] == 700 && mesh->node_labels[1] == 50 && mesh->node_labels[3] == 1000000);
    CHECK(mesh->elements[0] == 0 && mesh->elements[1] == 1 && mesh->elements[2] == 2 && mesh->elements[3] == 3);
    CHECK(mesh->positions[3] == 1 && mesh->positions[7] == 1 && mesh->positions[11] == 1);
    CHECK(mesh->group_count == 1);
    CHECK_TEXT(mesh->groups[0].name, "a name");
    CHECK(mesh->groups[0].dimension == 2 && mesh->groups[0].node_count == 3 && mesh->groups[0].element_count == 1);
    qn_mesh_destroy(&mesh);
}

/* Nodes have as many parameters as their entity has dimensions, but none in volumes. */
static void parameters_are_skipped(void)
{
    qn_mesh *mesh =
        read_text(FORMAT "$ParametricNodes\n4\n1 0 0 0 3 1\n2 1 0 0 2 1 0.5 0.5\n3 0 1 0 1 1 0.5\n4 0 0 1 0 "
                         "1\n$EndParametricNodes\n" GOOD);
    if (!mesh) return;
    CHECK(mesh->node_count == 4 && mesh->positions[3] == 1 && mesh->positions[7] == 1 && mesh->positions[11] == 1);
    qn_mesh_destroy(&mesh);
}

/* Gmsh 2 writes an element once for each of its groups. */
static void repeated_elements_count_once(void)
{
    qn_mesh *mesh = read_text(FORMAT NODES "$Elements\n3\n1 4 2 7 1 1 2 3 4\n2 4 2 8 1 1 2 3 4\n3 4 2 8 1 2 5 3 4\n"
                                           "$EndElements\n");
    if (!mesh) return;
    CHECK(mesh->element_count == 2 && mesh->element_labels[1] == 3 && mesh->group_count == 2);
    CHECK(mesh->groups[0].node_count == 4 && mesh->groups[1].node_count == 5 && mesh->groups[1].element_count == 2);
    qn_mesh_destroy(&mesh);
}

static void nodes_may_follow_elements(void)
{
    qn_mesh *mesh = read_text(FORMAT GOOD NODES);
    if (!mesh) return;
    CHECK(mesh->node_count == 4 && mesh->elements[3] == 3);
    qn_mesh_destroy(&mesh);
    mesh = read_text("$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n9 4 -3 1 4 1 2 3 4\n$ENDELM\n");
    if (!mesh) return;
    CHECK(mesh->element_labels[0] == 9 && mesh->group_count == 1);
    CHECK_TEXT(mesh->groups[0].name, "3");
    qn_mesh_destroy(&mesh);
}

#define FORMAT4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define GOOD4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"

static const refusal refusals[] = {
    {"", "begins with \"\"; expected Gmsh ($MeshFormat or $NOD), VTK legacy"},
    {"solid stl\n", ":1: begins with \"solid\""},
    {"$MeshFormat\n", "the file ends; expected the version"},
    {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", ":2: version 4 of Gmsh's format; expected 1, 2 to 2.2 or 4.1"},
    {"$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", "version 3"},
    {"$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", ":2: file type 2; expected 0 (text) or 1 (binary)"},
    {"$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", ":2: numbers of 4 bytes; expected 8"},
    {"$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n", "byte 20: the mark of the byte order"},
    {"$MeshFormat\n2.2 0 8\n$Nodes\n", "\"$Nodes\" follows the content of section $MeshFormat; expected its end"},
    {FORMAT "text\n", "\"text\" is outside of sections"},
    {FORMAT GOOD, "has no section of nodes"},
    {FORMAT NODES, "has no section of elements"},
    {FORMAT NODES NODES GOOD, ":12: section $Nodes comes twice"},
    {FORMAT "$NOD\n0\n$ENDNOD\n", ":4: section $NOD is of another version"},
    {NODES GOOD, "section $Nodes is of another version"},
    {FORMAT "$PhysicalNames\n1\n", "section $PhysicalNames has no end"},
    {FORMAT NODES GOOD "$PhysicalNames\n1\n2 5 name\n$EndPhysicalNames\n", ":18: \"name\" is no name"},
    {FORMAT "$Nodes\n-1\n$EndNodes\n", "the number of nodes is -1; expected at most"},
    {FORMAT "$Nodes\n1000\n1 0 0 0\n$EndNodes\n", ":5: the number of nodes is 1000; expected at most"},
    {FORMAT "$Nodes\n1\n1 0 0\n$EndNodes\n", "\"$EndNodes\" is no number; expected a coordinate of a node"},
    {FORMAT "$Nodes\n2\n1 0 0 \n0 2\n0 0 0 0\n$EndNodes\n", ":6: the line has too few words"},
    {FORMAT "$Nodes\n1\n1 0 0 0 0\n$EndNodes\n", ":6: the line has too many words; expected the number of a node"},
    {FORMAT "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", ":6: \"nan\" is no number"},
    {FORMAT "$Nodes\n1\n-4 0 0 0\n$EndNodes\n", ":6: a node has the number -4; expected 0 or more"},
    {FORMAT "$Nodes\n1\n1.5 0 0 0\n$EndNodes\n", ":6: \"1.5\" is no whole number"},
    {FORMAT "$Nodes\n2\n8 0 0 0\n8 0 0 1\n$EndNodes\n" GOOD, "node 8 is there twice"},
    {FORMAT NODES ELEMENTS("1 5 2 7 1 1 2 3 4 5 1 2 3\n"),
     ":14: element 1 is a hexahedron of 8 nodes; expected tetrahedra of 4 or 10 nodes"},
    {FORMAT NODES ELEMENTS("1 6 2 7 1 1 2 3 4 5 1\n"), "element 1 is a prism of 6 nodes"},
    {FORMAT NODES ELEMENTS("1 7 2 7 1 1 2 3 4 5\n"), "element 1 is a pyramid of 5 nodes"},
    {FORMAT NODES ELEMENTS("1 29 2 7 1 1 2 3 4 5\n"), "element 1 is a tetrahedron of 20 nodes"},
    {FORMAT NODES ELEMENTS("1 3 2 7 1 1 2 3 4\n"), "element 1 is a quadrilateral of 4 nodes"},
    {FORMAT NODES ELEMENTS("1 77 2 7 1 1 2 3 4\n"), ":14: element type 77; expected 4 or 11"},
    {FORMAT NODES ELEMENTS("1 4 -1 7 1 1 2 3 4\n"), ":14: an element has -1 tags"},
    {FORMAT NODES ELEMENTS("1 4 2 7 1 1 2 3\n"), "is no whole number; expected the number of an element's node"},
    {FORMAT NODES ELEMENTS("1 4 2 7 1 1 2 3 4 5\n"), ":14: the line has too many words; expected an element's number"},
    {FORMAT NODES ELEMENTS("1 4 2 7 1 1 2 3 6\n"), "element 1 has node 6; expected one of the file's 5 nodes"},
    {FORMAT NODES ELEMENTS("1 4 2 7 1 1 2 3 -6\n"), "element 1 has node -6"},
    {FORMAT NODES ELEMENTS("1 2 2 7 1 1 2 3\n"), "holds no tetrahedron"},
    {FORMAT NODES "$Elements\n2\n1 4 0 1 2 3 4\n2 11 0 1 2 3 4 5 1 2 3 4 5\n$EndElements\n",
     ":15: element 2 is a tetrahedron of 10 nodes; expected one of 4, as the others"},
    {"$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n9 4 3 1 5 1 1 1 1 1\n$ENDELM\n",
     ":7: a tetrahedron of 4 nodes with 5 nodes; expected 4"},
    {FORMAT4 "$PartitionedEntities\n$EndPartitionedEntities\n", "the mesh is in partitions"},
    {FORMAT4 "$Entities\n0 0 0 0\n$EndEntities\n$Entities\n0 0 0 0\n$EndEntities\n", "section $Entities comes twice"},
    {FORMAT4 "$Entities\n1 0 0 0\n1 0 0 0 1 3\n$EndEntities\n$Entities\n0 0 0 0\n$EndEntities\n",
     "section $Entities comes twice"},
    {FORMAT4 "$Nodes\n1 2 1 4\n5 1 0 2\n1\n2\n0 0 0\n0 0 1\n", "an entity of dimension 5; expected 0 to 3"},
    {FORMAT4 "$Nodes\n1 2 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0 1 0 0\n", ":6: a block of 4; expected at most 2"},
    {FORMAT4 "$Nodes\n1 2 1 4\n3 1 2 2\n1\n2\n0 0 0\n", "2 says whether nodes are parametric; expected 0 or 1"},
    {FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 5 1\n8 1 2 3 4 1 2 3 4\n$EndElements\n",
     "element 8 is a hexahedron of 8 nodes"},
    {FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 200 1\n8 1 2 3 4 1 2 3 4\n$EndElements\n", "element type 200"},
    {FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3\n4\n$EndElements\n", ":19: the line has too few words"},
    {FORMAT4 NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 5\n$EndElements\n", "element 1 has node 5"},
};

static void broken_files_are_refused(void)
{
    qn_mesh *mesh = read_text(FORMAT NODES GOOD);
    if (mesh) CHECK(mesh->node_count == 4);
    qn_mesh_destroy(&mesh);
    mesh = read_text(FORMAT4 NODES4 GOOD4);
    if (mesh) CHECK(mesh->node_count == 4 && mesh->group_count == 0);
    qn_mesh_destroy(&mesh);
    check_refusals("broken.msh", refusals, sizeof refusals / sizeof *refusals);
}

int main(void)
{
    RUN(numbers_have_gaps);
    RUN(parameters_are_skipped);
    RUN(repeated_elements_count_once);
    RUN(nodes_may_follow_elements);
    RUN(broken_files_are_refused);
    return check_finish();
}
