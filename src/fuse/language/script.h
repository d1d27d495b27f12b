/* The script language: what a script says, before names and shapes are checked. Everything lies in one arena. */
#ifndef QN_FUSE_LANGUAGE_SCRIPT_H
#define QN_FUSE_LANGUAGE_SCRIPT_H

#include "fuse/language/lexer.h"

enum { QN_SCRIPT_NAMES_MAX = 16, QN_SCRIPT_DEPTH_MAX = 100 };

typedef enum qn_shape_kind { QN_SCALAR, QN_VECTOR, QN_MATRIX, QN_CSR } qn_shape_kind;

typedef struct qn_script_extent {
    const char *name; /* NULL: a number */
    long long number;
    size_t offset;
} qn_script_extent;

typedef struct qn_script_type {
    qn_shape_kind kind;
    qn_script_extent extents[2]; /* rows, columns; a vector has the first */
    bool column;                 /* a matrix whose columns are contiguous */
} qn_script_type;

typedef enum qn_script_operator {
    QN_EXPR_NUMBER,
    QN_EXPR_NAME,
    QN_EXPR_CALL,
    QN_EXPR_ADD,
    QN_EXPR_SUBTRACT,
    QN_EXPR_MULTIPLY,         /* * */
    QN_EXPR_MULTIPLY_ELEMENT, /* .* */
    QN_EXPR_DIVIDE,
    QN_EXPR_NEGATE,
    QN_EXPR_TRANSPOSE
} qn_script_operator;

typedef struct qn_script_expr {
    qn_script_operator kind;
    size_t offset; /* of the name, the number or the operator */
    double number;
    const char *name; /* of a value or a function */
    bool is_next;     /* "next name" */
    struct qn_script_expr *children;
    size_t child_count;
} qn_script_expr;

typedef enum qn_script_role { QN_ROLE_INPUT, QN_ROLE_INOUT, QN_ROLE_OUTPUT } qn_script_role;

typedef struct qn_script_name {
    const char *text;
    size_t offset;
} qn_script_name;

typedef enum qn_script_item_kind { QN_ITEM_DECLARE, QN_ITEM_ASSIGN, QN_ITEM_REPEAT } qn_script_item_kind;

typedef struct qn_script_item {
    struct qn_script_item *following;
    qn_script_item_kind kind;
    size_t offset;
    qn_script_name names[QN_SCRIPT_NAMES_MAX]; /* declared or assigned */
    size_t name_count;
    qn_script_role role;
    qn_script_type type;
    bool is_next; /* the assigned names are new values of carried ones */
    qn_script_expr expr;
    /* of a repeat */
    qn_script_extent rounds;
    bool has_until, until_less; /* until left < right; else left > right */
    qn_script_expr left, right;
    int every; /* rounds between two checks */
    struct qn_script_item *body;
} qn_script_item;

typedef struct qn_script {
    const qn_source *source;
    const char *name;
    qn_script_item *items;
} qn_script;

/* Parse a script. `arena` gets all that the result points to. Errors: QN_BAD_FORMAT with place, found and expected. */
QN_MUST_CHECK qn_status qn_script_parse(const qn_source *source, qn_arena *arena, qn_script *script);

#endif
