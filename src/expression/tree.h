/* The form in which an expression is stored: a tree of nodes in one array, children before parents. Shared by read.c
 * and evaluate.c; other files do not include it. */
#ifndef QN_EXPRESSION_TREE_H
#define QN_EXPRESSION_TREE_H

#include <quern/value.h>

#include "expression/expression.h"

typedef enum qn_tree_operation {
    QN_TREE_CONSTANT,
    QN_TREE_VARIABLE, /* slot: number of the name */
    QN_TREE_LOCAL,    /* slot: number of a comprehension's variable */
    QN_TREE_UNKNOWN,  /* a name that is unknown, unless a later `for` defines it */
    QN_TREE_LIST,
    QN_TREE_COMPREHENSION, /* list: element, then FOR and IF nodes */
    QN_TREE_FOR,           /* slot; child 0: the list */
    QN_TREE_IF,            /* child 0: the condition */
    QN_TREE_INDEX,
    QN_TREE_CALL, /* slot: number of the function; list: arguments */
    QN_TREE_NEGATE,
    QN_TREE_PLUS,
    QN_TREE_INVERT,
    QN_TREE_NOT,
    QN_TREE_AND,
    QN_TREE_OR,
    QN_TREE_SELECT, /* child 0 ? child 1 : child 2 */
    QN_TREE_POWER,
    QN_TREE_MULTIPLY,
    QN_TREE_DIVIDE,
    QN_TREE_FLOOR_DIVIDE,
    QN_TREE_MODULO,
    QN_TREE_ADD,
    QN_TREE_SUBTRACT,
    QN_TREE_SHIFT_LEFT,
    QN_TREE_SHIFT_RIGHT,
    QN_TREE_BIT_AND,
    QN_TREE_BIT_XOR,
    QN_TREE_BIT_OR,
    QN_TREE_LESS,
    QN_TREE_LESS_EQUAL,
    QN_TREE_GREATER,
    QN_TREE_GREATER_EQUAL,
    QN_TREE_EQUAL,
    QN_TREE_UNEQUAL,
    QN_TREE_IN,
    QN_TREE_NOT_IN
} qn_tree_operation;

typedef enum qn_tree_function {
    QN_TREE_MIN,
    QN_TREE_MAX,
    QN_TREE_ABS,
    QN_TREE_LEN,
    QN_TREE_SUM,
    QN_TREE_ROUND,
    QN_TREE_INT,
    QN_TREE_FLOAT,
    QN_TREE_CEIL,
    QN_TREE_FLOOR,
    QN_TREE_LOG2,
    QN_TREE_SQRT,
    QN_TREE_RANGE,
    QN_TREE_TO_LIST,
    QN_TREE_FUNCTION_COUNT
} qn_tree_function;

enum {
    QN_TREE_LOCALS = 8,    /* variables of nested comprehensions */
    QN_TREE_HEIGHT = 1000, /* height of a tree; bounds the stack of evaluation */
    QN_TREE_NESTING = 64   /* nested parentheses; bounds the stack of reading */
};

typedef struct qn_tree_node {
    qn_tree_operation operation;
    int column; /* from 1, for messages */
    int length; /* characters of a name */
    int height;
    int slot;
    int child[3];
    int list_begin, list_count; /* first entry and number of entries in the tree's lists */
    qn_value value;
} qn_tree_node;

struct qn_expression {
    char *text, *what;
    char *literals; /* texts of the constants */
    size_t literals_length;
    qn_tree_node *nodes;
    size_t node_count, node_capacity;
    int *lists;
    size_t list_count, list_capacity;
    int root;
    int *parts; /* operands of `and` at the top level */
    size_t part_count, part_capacity;
    size_t name_count;
    bool *uses; /* [part][name] */
};

/* Build the tree from expression->text. `lists` are names of lists. */
QN_MUST_CHECK qn_status qn_tree_read(qn_expression *expression, const char *const *names, size_t name_count,
                                     const qn_expression_list *lists, size_t list_count);

/* Evaluate a node to one value. QN_INVALID_ARGUMENT if it has no value or is a list. */
QN_MUST_CHECK qn_status qn_tree_evaluate(const qn_expression *expression, int node, const qn_value *values,
                                         qn_value *result);

#endif
