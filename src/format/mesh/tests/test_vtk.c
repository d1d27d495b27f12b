/* VTK's formats: arrays of all kinds around the mesh, groups of cells, and every refusal. */
#include "format/mesh/tests/mesh_text.h"

#define HEAD "# vtk DataFile Version 3.0\ntitle\nASCII\n"
#define GRID HEAD "DATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 5 float\n0 0 0 1 0 0\n0 1 0 0 0 1 9 9 9\n"
#define CELLS "CELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10 5\n"
#define CELLS5 "CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2\nCELL_TYPES 2\n10\n5\n"

static qn_mesh *read_text(const char *name, const char *text)
{
    qn_mesh *mesh = NULL;
    if (!CHECK_OK(qn_mesh_read(text_file(name, text), 1, &mesh))) printf("  %s\n", qn_error_message());
    return mesh;
}

/* The arrays after the grid are skipped, but for whole numbers of cells. */
static void arrays_make_groups(void)
{
    qn_mesh *mesh = read_text(
        "arrays.vtk",
        HEAD "DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 1 double\n0.5\n" POINTS
             "METADATA\nINFORMATION 0\n\n" CELLS
             "POINT_DATA 5\nSCALARS s float 1\nLOOKUP_TABLE default\n1 2 3 4 5\nVECTORS v double\n1 2 3 1 2 3 1 2 3 "
             "1 2 3 1 2 3\nFIELD f 2\np 1 5 int\n1 2 3 4 5\nq 2 5 float\n1 2 3 4 5 6 7 8 9 10\nTEXTURE_COORDINATES "
             "t 2 float\n1 2 3 4 5 6 7 8 9 10\nCOLOR_SCALARS c 3\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
             "CELL_DATA 2\nSCALARS my%20part int\nLOOKUP_TABLE table\n-3 4\nLOOKUP_TABLE table 1\n0 0 0 1\n"
             "scalars real float\n1 2\nFIELD more 1\nother 1 2 vtktypeint64\n7 7\nGLOBAL_IDS ids vtkIdType\n0 1\n");
    if (!mesh) return;
    CHECK(mesh->node_count == 4 && mesh->element_count == 1 && mesh->node_labels[3] == 3);
    if (CHECK(mesh->group_count == 4)) {
        CHECK_TEXT(mesh->groups[0].name, "my part=-3");
        CHECK_TEXT(mesh->groups[1].name, "my part=4");
        CHECK_TEXT(mesh->groups[2].name, "other=7");
        CHECK(mesh->groups[0].dimension == 3 && mesh->groups[1].dimension == 2);
        CHECK(mesh->groups[0].node_count == 4 && mesh->groups[1].node_count == 3);
        CHECK(mesh->groups[2].dimension == 3 && mesh->groups[3].dimension == 2);
    }
    qn_mesh_destroy(&mesh);
}

/* Append numbers with the highest byte first. */
static void append_big(char **at, int bytes, size_t count, const int64_t *numbers)
{
    for (size_t i = 0; i < count; i++)
        for (int byte = bytes - 1; byte >= 0; byte--) *(*at)++ = (char)((uint64_t)numbers[i] >> 8 * byte & 255);
}

/* Sizes of binary numbers: what follows an array is found only if its size is right. */
static void binary_arrays_have_the_size_of_their_type(void)
{
    static const struct {
        const char *name;
        int bytes;
        const char *group; /* of the value −2 */
    } types[] = {{"vtkIdType", 4, "v=-2"},
                 {"unsigned_char", 1, "v=254"},
                 {"char", 1, "v=-2"},
                 {"signed_char", 1, "v=-2"},
                 {"unsigned_short", 2, "v=65534"},
                 {"short", 2, "v=-2"},
                 {"unsigned_int", 4, "v=4294967294"},
                 {"int", 4, "v=-2"},
                 {"long", 8, "v=-2"},
                 {"vtktypeint64", 8, "v=-2"},
                 {"vtktypeuint8", 1, "v=254"},
                 {"vtktypeint16", 2, "v=-2"},
                 {"VTKTYPEUINT32", 4, "v=4294967294"}};
    static const int64_t places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, cell[] = {4, 0, 1, 2, 3}, type[] = {10};
    static const int64_t value[] = {-2}, ids[] = {0, 1, 2, 3};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char bytes[1024], *at = bytes;
        qn_mesh *mesh;
        at += sprintf(at, "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 short\n");
        append_big(&at, 2, 12, places);
        at += sprintf(at, "\nCELLS 1 5\n");
        append_big(&at, 4, 5, cell);
        at += sprintf(at, "\nCELL_TYPES 1\n");
        append_big(&at, 4, 1, type);
        at += sprintf(at, "\nPOINT_DATA 4\nGLOBAL_IDS ids %s\n", types[i].name);
        append_big(&at, types[i].bytes, 4, ids);
        at += sprintf(at, "\nCELL_DATA 1\nSCALARS v %s\nLOOKUP_TABLE default\n", types[i].name);
        append_big(&at, types[i].bytes, 1, value);
        if (!CHECK_OK(qn_mesh_read(bytes_file("binary.vtk", bytes, (size_t)(at - bytes)), 1, &mesh))) continue;
        CHECK(mesh->positions[3] == 1 && mesh->positions[7] == 1 && mesh->positions[11] == 1);
        if (CHECK(mesh->group_count == 1)) CHECK_TEXT(mesh->groups[0].name, types[i].group);
        qn_mesh_destroy(&mesh);
    }
}

/* Numbers that differ from cell to cell are no groups. */
static void many_values_make_no_groups(void)
{
    enum { CELL_COUNT = 257 };
    static char text[65536];
    char *at = text + sprintf(text, GRID POINTS "CELLS %d %d\n", CELL_COUNT, 5 * CELL_COUNT);
    for (int i = 0; i < CELL_COUNT; i++) at += sprintf(at, "4 0 1 2 3\n");
    at += sprintf(at, "CELL_TYPES %d\n", CELL_COUNT);
    for (int i = 0; i < CELL_COUNT; i++) at += sprintf(at, "10\n");
    at += sprintf(at, "CELL_DATA %d\nSCALARS few int\n", CELL_COUNT);
    for (int i = 0; i < CELL_COUNT; i++) at += sprintf(at, "%d\n", i % 256);
    at += sprintf(at, "SCALARS many int\n");
    for (int i = 0; i < CELL_COUNT; i++) at += sprintf(at, "%d\n", i);
    qn_mesh *mesh = read_text("many.vtk", text);
    if (!mesh) return;
    CHECK(mesh->group_count == 256 && mesh->element_count == CELL_COUNT);
    CHECK_TEXT(mesh->groups[255].name, "few=255");
    CHECK(mesh->groups[0].element_count == 2);
    qn_mesh_destroy(&mesh);
}

static const refusal legacy_refusals[] = {
    {"# vtk DataFile Version 3.0\ntitle\nTEXT\n", ":3: \"TEXT\" begins a line with 1 word; expected ASCII or BINARY"},
    {HEAD "DATASET POLYDATA\n", ":4: \"DATASET\" begins a line with 2 words; expected DATASET UNSTRUCTURED_GRID"},
    {GRID CELLS, "has no POINTS"},
    {GRID POINTS, "has no CELLS"},
    {GRID POINTS "CELLS 1 5\n4 0 1 2 3\n", "has no CELL_TYPES"},
    {GRID "POINTS 5\n", ":5: \"POINTS\" begins a line with 2 words; expected POINTS count type"},
    {GRID "POINTS 5 string\n", ":5: \"string\" is no type of numbers"},
    {GRID "POINTS -5 float\n", ":5: \"-5\" is no number of points"},
    {GRID "POINTS 500 float\n0 0 0\n", "the points are 1500 values; expected at most"},
    {GRID "POINTS 2 float\n0 0 0 1 a 0\n", ":6: \"a\" is no number; expected a coordinate of a point"},
    {GRID POINTS POINTS, "POINTS count type, once"},
    {GRID POINTS "CELLS 9 5\n4 0 1 2 3\n", "9 cells of 5 numbers"},
    {GRID POINTS "CELLS 1 5\n6 0 1 2 3\n", "cell 0 has 6 points; expected at most 4"},
    {GRID POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", "2 types of cells; expected 1"},
    {GRID POINTS "CELL_TYPES 2\n10 10\n", "CELL_TYPES once, after CELLS"},
    {GRID POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n", "element 0 is a hexahedron of 8 points"},
    {GRID POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n", "element 0 is a quadrilateral of 4 points"},
    {GRID POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n5\n",
     "cell 0 is a triangle of 3 points and has 4 points; expected 3"},
    {GRID POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n99\n", "cell 0 has the type 99; expected 10 or 24"},
    {GRID POINTS "CELLS 1 5\n4 0 1 2 5\nCELL_TYPES 1\n10\n",
     "element 0 has node 5; expected one of the file's 5 nodes"},
    {GRID POINTS "CELLS 2 4\nOFFSETS vtktypeint64\n1 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
     "begin with 1; expected 0"},
    {GRID POINTS "CELLS 2 4\nOFFSETS vtktypeint64\n0 9\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n",
     "cell 0 has the points from 0 to 9 of the connectivity"},
    {GRID POINTS "CELLS 2 4\nOFFSETS float\n0 4\n", "OFFSETS have the type float; expected whole numbers"},
    {GRID POINTS "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nPOINTS\n", "expected CONNECTIVITY"},
    {GRID POINTS CELLS "CELL_DATA 3\nSCALARS a int\n1 2 3\n",
     "array \"a\" has 3 values; expected 2, one for each cell"},
    {GRID POINTS CELLS "CELL_DATA 2\nSCALARS a int\n1\n", "the file ends"},
    {GRID POINTS CELLS "CELL_DATA 2\nFIELD f 2\na 1 2 int\n1 2\n", "expected 2 arrays of a field, not 1"},
    {GRID POINTS CELLS "CELL_DATA 2\nFIELD f 1\na 1 2\n1 2\n", "expected an array's name, components, tuples and type"},
    {GRID POINTS CELLS "CELL_DATA 2\nFIELD f 1\na 1099511627776 1099511627776 int\n1 2\n", "expected fewer"},
    {GRID POINTS CELLS "FACES 2 3\n", "\"FACES\" begins a line with 3 words; expected POINTS, CELLS"},
};

#define XML "<?xml version=\"1.0\"?>\n"
#define FILE_TAG XML "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"
#define PIECE "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"
#define XYZ(attributes, text) "<Points><DataArray " attributes ">" text "</DataArray></Points>\n"
#define GOOD_XYZ XYZ("type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\"", "0 0 0 1 0 0 0 1 0 0 0 1")
#define ARRAY(name, text) "<DataArray type=\"Int32\" Name=\"" name "\" format=\"ascii\">" text "</DataArray>\n"
#define XML_CELLS(c, o, t) "<Cells>" ARRAY("connectivity", c) ARRAY("offsets", o) ARRAY("types", t) "</Cells>\n"
#define END "</Piece></UnstructuredGrid></VTKFile>\n"

/* Keys in arrays, comments, and arrays that the mesh does not need. */
#define KEY "<InformationKey name=\"range\"><Value index=\"0\">5</Value>6</InformationKey>"
#define FIELD_DATA "<FieldData>" ARRAY("time", "1 2 3") "</FieldData>\n"
#define POINT_DATA "<PointData>" ARRAY("p", "1 2 3 4") "</PointData>\n"
#define TEXT_ARRAY "<Array type=\"String\">1</Array>\n<DataArray type=\"Float32\" Name=\"real\">0.5</DataArray>\n"
#define CELL_DATA "<CellData>" ARRAY("x", KEY " 7" KEY) TEXT_ARRAY ARRAY("a&amp;b", "8" KEY) "</CellData>\n"
#define KEYED_PLACES "0 0 0 1 <!-- 9 9 -->0 0 0" KEY " 1 0 0 0 1" KEY
#define KEYED_XYZ XYZ("type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\"", KEYED_PLACES)
#define KEYED_CELLS XML_CELLS(KEY "0 1" KEY " 2 3", "4" KEY, KEY "10")

static void other_tags_are_skipped(void)
{
    qn_mesh *mesh =
        read_text("tags.vtu", FILE_TAG FIELD_DATA PIECE POINT_DATA CELL_DATA POINT_DATA KEYED_XYZ KEYED_CELLS END);
    if (!mesh) return;
    CHECK(mesh->node_count == 4 && mesh->element_count == 1 && mesh->positions[11] == 1);
    if (CHECK(mesh->group_count == 2)) {
        CHECK_TEXT(mesh->groups[0].name, "x=7");
        CHECK_TEXT(mesh->groups[1].name, "a&b=8");
    }
    qn_mesh_destroy(&mesh);
}

static const refusal xml_refusals[] = {
    {"<html></html>", "has no UnstructuredGrid; expected an UnstructuredGrid with one Piece"},
    {XML "<VTKFile type=\"PolyData\">", ":2: the type of VTKFile is \"PolyData\"; expected UnstructuredGrid"},
    {XML "<VTKFile type=\"UnstructuredGrid\" byte_order=\"Middle\">", "byte_order is \"Middle\""},
    {XML "<VTKFile type=\"UnstructuredGrid\" header_type=\"Int8\">",
     "header_type is \"Int8\"; expected UInt32 or UInt64"},
    {XML "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">",
     ":2: compressor is \"vtkLZ4DataCompressor\"; expected vtkZLibDataCompressor or none"},
    {"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", ":1: declares the document type \"a\"; expected none"},
    {FILE_TAG, "no element found; expected XML"},
    {FILE_TAG "<Piece>", "NumberOfPoints is \"\"; expected a whole number"},
    {FILE_TAG "<Piece NumberOfPoints=\"-4\">", ":4: NumberOfPoints is \"-4\""},
    {FILE_TAG PIECE GOOD_XYZ XML_CELLS("0 1 2 3", "4", "10") "</Piece>" PIECE, "a second piece begins"},
    {FILE_TAG PIECE XML_CELLS("0 1 2 3", "4", "10") END, "has no points"},
    {FILE_TAG PIECE XYZ("type=\"Float64\" NumberOfComponents=\"2\"", "") XML_CELLS("0 1 2 3", "4", "10") END,
     "the points have another number of components"},
    {FILE_TAG PIECE XYZ("type=\"Float16\" NumberOfComponents=\"3\"", "") END,
     ":5: the type of an array is \"Float16\""},
    {FILE_TAG PIECE XYZ("type=\"Float64\" NumberOfComponents=\"3\" format=\"hex\"", "") END,
     "is \"hex\"; expected ascii"},
    {FILE_TAG PIECE XYZ("type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\"", "0 0 0 1 0 0 0 1 0 0 0")
         XML_CELLS("0 1 2 3", "4", "10") END,
     ":5: the points are 12 values; expected at most 11"},
    {FILE_TAG PIECE XYZ("type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\"", "AAAA")
         XML_CELLS("0 1 2 3", "4", "10") END,
     "the data of array \"Points\" ends; expected its size"},
    {FILE_TAG PIECE XYZ("type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\"", "YAAAAAAAAAA=")
         XML_CELLS("0 1 2 3", "4", "10") END,
     "array \"Points\" has 96 bytes; expected at most"},
    {FILE_TAG PIECE XYZ("type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"4\"", "")
         XML_CELLS("0 1 2 3", "4", "10") END,
     ":5: array \"Points\" is at offset 4 of appended data, which has no beginning (_)"},
    {FILE_TAG PIECE GOOD_XYZ "<Cells>" ARRAY("connectivity", "0 1 2 3") ARRAY("types", "10") "</Cells>" END,
     "has no array \"offsets\" of cells"},
    {FILE_TAG PIECE GOOD_XYZ XML_CELLS("0 1 2 3", "-4", "10") END, "the last offset of cells is -4"},
    {FILE_TAG PIECE GOOD_XYZ XML_CELLS("0 1 2 3", "3", "10") END,
     "cell 0 is a tetrahedron of 4 points and has 3 points"},
    {FILE_TAG PIECE GOOD_XYZ XML_CELLS("0 1 2 4", "4", "10") END, "element 0 has node 4"},
    {FILE_TAG PIECE GOOD_XYZ XML_CELLS("0 1 2 3", "4", "42") END, "element 0 is a polyhedron"},
    {FILE_TAG PIECE GOOD_XYZ XML_CELLS("0 1 2 3", "4", "11") END, "element 0 is a voxel"},
};

static void broken_files_are_refused(void)
{
    static const char *const good[] = {GRID POINTS CELLS, GRID POINTS CELLS5,
                                       FILE_TAG PIECE GOOD_XYZ XML_CELLS("0 1 2 3", "4", "10") END};
    for (int i = 0; i < 3; i++) {
        qn_mesh *mesh = read_text("good", good[i]);
        if (mesh) CHECK(mesh->node_count == 4 && mesh->element_count == 1);
        qn_mesh_destroy(&mesh);
    }
    check_refusals("broken.vtk", legacy_refusals, sizeof legacy_refusals / sizeof *legacy_refusals);
    check_refusals("broken.vtu", xml_refusals, sizeof xml_refusals / sizeof *xml_refusals);
}

/* A file of VTK with one byte of its compressed data changed. */
static void damaged_data_is_refused(void)
{
    size_t size;
    qn_mesh *mesh;
    char *data = whole_file(check_data("mesh/box_vtk_raw_zlib.vtu"), &size);
    char *mark = strstr(data, "<AppendedData");
    size_t refused = 0, tried = 0;
    for (size_t at = (size_t)(mark - data) + 40; at + 40 < size; at += 7, tried++) {
        data[at] ^= 0x20;
        const qn_status status = qn_mesh_read(bytes_file("damaged.vtu", data, size), 1, &mesh);
        CHECK(status == QN_OK || status == QN_BAD_FORMAT);
        refused += status != QN_OK;
        qn_mesh_destroy(&mesh);
        data[at] ^= 0x20;
    }
    CHECK(tried > 100 && refused > tried / 2); /* the others are in arrays that are not read */
    free(data);
}

int main(void)
{
    RUN(arrays_make_groups);
    RUN(binary_arrays_have_the_size_of_their_type);
    RUN(many_values_make_no_groups);
    RUN(other_tags_are_skipped);
    RUN(broken_files_are_refused);
    RUN(damaged_data_is_refused);
    return check_finish();
}
