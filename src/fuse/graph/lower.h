/* Parts of the lowering of a script to a graph. */
#ifndef QN_FUSE_GRAPH_LOWER_H
#define QN_FUSE_GRAPH_LOWER_H

#include "fuse/graph/operand.h"

/* A name of the script. */
typedef struct qn_symbol {
    const char *name;
    size_t offset; /* of its declaration, or of its first assignment */
    bool is_declared;
    qn_script_role role;
    qn_script_type type;
    int extents[2];
    int value;          /* now; -1: not assigned yet */
    int next_value;     /* "next name" in the present loop; -1: none */
    size_t assigned_at; /* offset of its assignment */
    size_t next_at;
    bool is_assigned;
} qn_symbol;

enum { QN_SYMBOLS_MAX = 128 };

typedef struct qn_lowering {
    qn_graph *graph;
    const qn_library *library;
    const qn_script *script;
    const qn_script_item *item; /* the assignment that is lowered; NULL: none */
    qn_symbol symbols[QN_SYMBOLS_MAX];
    int symbol_count;
    bool in_loop;
} qn_lowering;

/* names.c */

/* The value of a name that an expression reads. */
QN_MUST_CHECK qn_status qn_name_read(const qn_lowering *lowering, const qn_script_expr *expr, int *value);

QN_MUST_CHECK qn_status qn_name_declare(qn_lowering *lowering, const qn_script_item *item);

/* Make the value of `operand` that of a name. */
QN_MUST_CHECK qn_status qn_name_assign(qn_lowering *lowering, const qn_script_name *name, bool is_next,
                                       const qn_operand *operand);

/* At the end of a loop and of the script. */
QN_MUST_CHECK qn_status qn_names_end_loop(qn_lowering *lowering);
QN_MUST_CHECK qn_status qn_names_end_script(qn_lowering *lowering);

/* The entry of an extent, new if need be. */
QN_MUST_CHECK qn_status qn_extent_add(qn_graph *graph, const qn_script_extent *extent, const char *where, int *index);

/* later.c: fail at a name without a value yet, if the script assigns it here or later: it comes too early, or two steps
 * need each other. QN_OK: it is assigned nowhere. */
QN_MUST_CHECK qn_status qn_name_check_later(const qn_lowering *lowering, const qn_script_expr *expr);

/* calls.c */

QN_MUST_CHECK qn_status qn_value_add(qn_graph *graph, const qn_value *value, int *index);

/* The operand as one value: itself, or what a new map computes. *transposed: its indices are exchanged. */
QN_MUST_CHECK qn_status qn_operand_to_value(qn_graph *graph, const qn_operand *operand, int *value, bool *transposed);

/* A new map that computes the operand into a new value. */
QN_MUST_CHECK qn_status qn_map_add(qn_graph *graph, const qn_operand *operand, int *value);

/* Call a function with arguments of its ranks. `values` gets the outputs. */
QN_MUST_CHECK qn_status qn_call_add(qn_graph *graph, const qn_function *function, const qn_operand *arguments,
                                    size_t offset, int *values);

/* expressions.c */

QN_MUST_CHECK qn_status qn_expr_lower(qn_lowering *lowering, const qn_script_expr *expr, qn_operand *operand);

/* A function with several outputs. */
QN_MUST_CHECK qn_status qn_expr_lower_outputs(qn_lowering *lowering, const qn_script_item *item, int *values);

#endif
