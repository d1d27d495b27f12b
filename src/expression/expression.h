/* Expressions with the operators of Python or C, for constraints and lists of values:
 *
 *     use_padding == 0 or block_size_x % 32 != 0         4 * GROUP <= device.local_memory_bytes
 *     32 <= x * y <= 1024                                [2**i for i in range(4, 10)]
 *     ProblemSize[0] // 8                                "half" if precision == 16 else "float"
 *     layout in ["row", "tile"]
 *
 * Expressions mean the same as in Python: / is true division, // rounds down, % takes the divisor's sign, comparisons
 * chain, `and` and `or` stop early and give an operand; && and || mean `and` and `or`, a ? b : c means b if a else c,
 * and ! is `not` with the precedence of C. Integers have 64 bits and overflow is an error. Functions: min max abs len
 * sum round int float ceil floor log2 sqrt range list (also math.ceil …). Names may have dots. Unknown names are
 * refused when the text is read, with their column. Not supported: concatenation of texts, slices, comparing lists by
 * order.
 *
 * Life cycle: create → evaluate, as often as needed → destroy. Thread rule: a created expression is constant. */
#ifndef QN_EXPRESSION_EXPRESSION_H
#define QN_EXPRESSION_EXPRESSION_H

#include <quern/status.h>
#include <quern/value.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_expression qn_expression;

/* Parse `text`. `names` are the variables that may occur, numbered in this order. `what` begins error messages:
 * "constraint 3 of gemm". Errors: QN_INVALID_ARGUMENT, with the column, the word and the expected words. */
QN_MUST_CHECK qn_status qn_expression_create(const char *text, const char *what, const char *const *names,
                                             size_t name_count, qn_expression **expression);

/* The same with names of lists: "ProblemSize[0]", "max(tile)". A name that is both a variable and a list means the list
 * if it is the only argument of a function, and otherwise the variable. */
typedef struct qn_expression_list {
    const char *name;
    const qn_value *values;
    size_t count;
} qn_expression_list;
QN_MUST_CHECK qn_status qn_expression_create_with_lists(const char *text, const char *what, const char *const *names,
                                                        size_t name_count, const qn_expression_list *lists,
                                                        size_t list_count, qn_expression **expression);
void qn_expression_destroy(qn_expression **expression);
const char *qn_expression_text(const qn_expression *expression);

/* Return whether variable number `name` occurs. */
bool qn_expression_uses(const qn_expression *expression, size_t name);

/* Compute one value from the variables' values (unused variables may have any value). Expressions without lists
 * allocate nothing. A text result lives as long as the expression and the values. Errors: division by zero, overflow, a
 * text where a number is needed, a list where one value is needed. */
QN_MUST_CHECK qn_status qn_expression_evaluate(const qn_expression *expression, const qn_value *values,
                                               qn_value *result);

/* Evaluate the expression; *holds: the value is true by Python's rules (not 0, not ""). */
QN_MUST_CHECK qn_status qn_expression_holds(const qn_expression *expression, const qn_value *values, bool *holds);

/* Operands of `and` at the top level (also chained comparisons) can be evaluated as separate parts, each with its own
 * variables: the whole holds when every part holds. If the evaluation of a part fails, the whole is still false if an
 * earlier part is false. */
size_t qn_expression_part_count(const qn_expression *expression);
bool qn_expression_part_uses(const qn_expression *expression, size_t part, size_t name);
QN_MUST_CHECK qn_status qn_expression_part_holds(const qn_expression *expression, size_t part, const qn_value *values,
                                                 bool *holds);

/* The elements of a list (a single value is a list of one element); released with qn_release. */
QN_MUST_CHECK qn_status qn_expression_evaluate_list(const qn_expression *expression, const qn_value *values,
                                                    qn_value **elements, size_t *count);

#endif
