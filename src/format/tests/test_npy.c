/* Arrays of NumPy's format: headers in all forms that NumPy writes, and what is refused. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "format/npy.h"

static char file[512];
static size_t file_bytes;

/* A file with a dictionary and some bytes of values. */
static qn_status parse(int version, const char *dictionary, const void *values, size_t bytes, qn_npy_array *array)
{
    const size_t length = strlen(dictionary), at = version == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version, file[7] = 0;
    file[8] = (char)(length & 255), file[9] = (char)(length >> 8);
    if (version > 1) file[10] = file[11] = 0;
    memcpy(file + at, dictionary, length);
    memcpy(file + at + length, values, bytes);
    file_bytes = at + length + bytes;
    return qn_npy_parse("a.npy", file, file_bytes, array);
}

static void arrays_are_read(void)
{
    static const double two[] = {1.5, -2};
    static const float six[] = {0, 1, 2, 3, 4, 5};
    static const int32_t whole[] = {7, -8};
    static const int64_t longer[] = {INT64_C(1) << 40, 3};
    qn_npy_array array;
    CHECK_OK(parse(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", two, sizeof two, &array));
    CHECK(array.dimensions == 1 && array.shape[0] == 2 && array.count == 2 && !array.by_columns);
    CHECK(qn_npy_value(&array, 0) == 1.5 && qn_npy_value(&array, 1) == -2);
    CHECK_OK(parse(2, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }   \n", six, sizeof six, &array));
    CHECK(array.dimensions == 2 && array.shape[0] == 2 && array.shape[1] == 3 && array.by_columns);
    CHECK(qn_npy_value(&array, 5) == 5);
    CHECK_OK(parse(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", six, 4, &array));
    CHECK(array.dimensions == 0 && array.count == 1);
    CHECK_OK(parse(3, "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n", whole, sizeof whole, &array));
    CHECK(array.type == 'i' && qn_npy_value(&array, 1) == -8);
    CHECK_OK(parse(1, "{'shape': (2,),'fortran_order':False,'descr':'<i8'}", longer, sizeof longer, &array));
    CHECK(qn_npy_value(&array, 0) == 0x1p40);
}

static void headers_of_ours_are_read(void)
{
    qn_npy_array array;
    qn_npy_header(QN_NPY_FLOAT32, 3, 5, file);
    memset(file + QN_NPY_HEADER_BYTES, 0, 60);
    CHECK_OK(qn_npy_parse("a.npy", file, QN_NPY_HEADER_BYTES + 60, &array));
    CHECK(array.dimensions == 2 && array.shape[0] == 3 && array.shape[1] == 5 && array.value_bytes == 4);
}

static void others_are_refused(void)
{
    static const struct {
        const char *dictionary, *message;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "its values are '>f4'; expected '<f4'"},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", "its values are [('x'; expected '<f4'"},
        {"{'fortran_order': False, 'shape': (2,), }", "its values are ; expected '<f4'"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", "has no 'fortran_order' of True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 1), }", "its shape is (1, 2, 1); expected at most"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "its shape is (-2,); expected at most two"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 2), }", "its shape is (2 2); expected at most two"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2), }", "its shape is"},
        {"{'descr': '<f4', 'fortran_order': False, }", "its shape is ; expected at most two"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "has 8 bytes of values; expected 12"},
    };
    static const float values[2];
    qn_npy_array array;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(parse(1, cases[i].dictionary, values, sizeof values, &array), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(cases[i].message);
    }
    CHECK_FAILS(qn_npy_parse("a.npy", "this is a text", 14, &array), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("a.npy: is no array of NumPy");
    CHECK_FAILS(qn_npy_parse("a.npy", "\x93NUMPY\1\0\377\377 ", 12, &array), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("a.npy: its header is cut short");
}

int main(void)
{
    RUN(arrays_are_read);
    RUN(headers_of_ours_are_read);
    RUN(others_are_refused);
    return check_finish();
}
