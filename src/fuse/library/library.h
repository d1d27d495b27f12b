/* The library language: functions with their meaning at one point, and implementations.
 *
 *     function gemv(A(i,j), x(j)) -> y(i) point { y += A * x; }
 *
 * A function's space is the product of its indices. An output that lacks an index of the space is reduced over it. */
#ifndef QN_FUSE_LIBRARY_LIBRARY_H
#define QN_FUSE_LIBRARY_LIBRARY_H

#include "fuse/language/lexer.h"
#include "fuse/library/point.h"

enum { QN_FUNCTION_INPUTS_MAX = 8, QN_FUNCTION_OUTPUTS_MAX = 4, QN_SPACE_MAX = 2 };

typedef struct qn_formal {
    const char *name;
    int index_count;
    int indices[QN_SPACE_MAX]; /* into the function's indices */
} qn_formal;

typedef enum qn_reduction { QN_REDUCE_NONE, QN_REDUCE_SUM, QN_REDUCE_MINIMUM, QN_REDUCE_MAXIMUM } qn_reduction;

/* The action of a function on one output. */
typedef struct qn_meaning {
    const qn_point *term;   /* over the inputs: the value, or what is reduced */
    const qn_point *finish; /* over the inputs and, as slot input_count, the reduced value; NULL: nothing to do */
    qn_reduction reduction;
} qn_meaning;

/* ---- implementations ---- */

enum { QN_IMPLEMENTATION_TUNABLES_MAX = 4, QN_IMPLEMENTATION_VALUES_MAX = 8, QN_IMPLEMENTATION_NEEDS_MAX = 4 };

/* The dimension of a group's work-items that an index runs along. */
typedef enum qn_where { QN_WHERE_ANY, QN_WHERE_X, QN_WHERE_Y } qn_where;

/* Parts of a processor that an operation keeps busy. */
typedef enum qn_pipe { QN_PIPE_MULTIPLY_ADD, QN_PIPE_ROOT, QN_PIPES } qn_pipe;

/* Kernel language, between braces of the source. */
typedef struct qn_body {
    size_t begin, end; /* end 0: there is none */
} qn_body;

typedef struct qn_implementation_tunable {
    const char *name;
    int values[QN_IMPLEMENTATION_VALUES_MAX];
    int value_count;
} qn_implementation_tunable;

/* A condition over tunables and the device. */
typedef struct qn_implementation_need {
    const char *text;
    size_t offset;
} qn_implementation_need;

/* Another way to compute a function at one point of its space, in the kernel language. `compute` assigns the outputs;
 * what is reduced is updated. `load` and `store` move an element between a register and memory. */
typedef struct qn_implementation {
    struct qn_implementation *following;
    const char *name;
    size_t offset;
    qn_implementation_tunable tunables[QN_IMPLEMENTATION_TUNABLES_MAX];
    int tunable_count;
    qn_implementation_need needs[QN_IMPLEMENTATION_NEEDS_MAX];
    int need_count;
    qn_implementation_need threads[2]; /* work-items of a group along x and y; text NULL: any */
    int slots[QN_PIPES];               /* operations at a point */
    bool has_slots;
    qn_where input_places[QN_FUNCTION_INPUTS_MAX][QN_SPACE_MAX], output_places[QN_FUNCTION_OUTPUTS_MAX][QN_SPACE_MAX];
    qn_body loads[QN_FUNCTION_INPUTS_MAX], stores[QN_FUNCTION_OUTPUTS_MAX], compute;
} qn_implementation;

typedef struct qn_function {
    struct qn_function *following;
    const qn_source *source;
    size_t offset;
    const char *name;
    qn_formal inputs[QN_FUNCTION_INPUTS_MAX], outputs[QN_FUNCTION_OUTPUTS_MAX];
    int input_count, output_count;
    const char *indices[QN_SPACE_MAX]; /* their names, in the order of appearance */
    int index_count;
    qn_meaning meanings[QN_FUNCTION_OUTPUTS_MAX];
    size_t point_begin, point_end; /* of the meaning's text */
    bool is_shipped;
    qn_implementation *implementations;
} qn_function;

typedef struct qn_library {
    qn_function *functions;
} qn_library;

/* Add the functions of a text. `source` and `arena` must outlive the library. Errors: QN_BAD_FORMAT with place, found
 * and expected. */
QN_MUST_CHECK qn_status qn_library_parse(const qn_source *source, qn_arena *arena, qn_library *library);

/* Add the functions that come with Quern. `arena` must outlive the library. */
QN_MUST_CHECK qn_status qn_library_add_shipped(qn_arena *arena, qn_library *library);

/* Add the functions of every file *.qel of a folder, in the order of their names. */
QN_MUST_CHECK qn_status qn_library_add_folder(const char *folder, qn_arena *arena, qn_library *library);

/* A function by its name; NULL: none. */
const qn_function *qn_library_find(const qn_library *library, const char *name);

/* The name in the library that is nearest to a misspelt one; NULL: none is close. */
const char *qn_library_nearest(const qn_library *library, const char *name);

/* Whether it works on elements of any shape: no formal has an index, and nothing is reduced. */
bool qn_function_is_map(const qn_function *function);

/* The number of a formal of a name; -1: there is none. */
int qn_formal_find(const qn_formal *formals, int count, const char *name);

/* implementation_parse.c: with the lexer behind a meaning: parse the implementations that follow. */
QN_MUST_CHECK qn_status qn_implementations_parse(qn_lexer *lexer, qn_function *function);

/* Names of pipes, as `slots` has them. */
extern const char *const qn_pipe_names[QN_PIPES];

/* point_parse.c: with the lexer behind the "{" of a meaning: parse it and its "}". */
QN_MUST_CHECK qn_status qn_point_parse(qn_lexer *lexer, qn_function *function);

#endif
