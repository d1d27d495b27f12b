/* Expressions, as constraints and lists of values are written, in Python's or C's operators:
 *
 *     use_padding == 0 or block_size_x % 32 != 0         4 * GROUP <= device.local_memory_bytes
 *     32 <= x * y <= 1024                                [2**i for i in range(4, 10)]
 *     ProblemSize[0] // 8                                "half" if precision == 16 else "float"
 *     layout in ["row", "tile"]
 *
 * Meaning is Python's: / is true division, // rounds down, % takes the divisor's sign, comparisons chain, `and` and
 * `or` stop early and give an operand; && and || are read as `and` and `or`, a ? b : c as b if a else c, and ! is `not`
 * that binds as in C. Integers have 64 bits and overflow is an error. Functions: min max abs len sum round int float
 * ceil floor log2 sqrt range list (also math.ceil …). Names may have dots. What is not known is refused when the text
 * is read, with its column, not when it is used. Not there: texts put together, slices, the order of lists.
 *
 * Life cycle: create → evaluate, as often as needed → destroy. Thread rule: a created expression is constant. */
#ifndef QN_EXPRESSION_EXPRESSION_H
#define QN_EXPRESSION_EXPRESSION_H

#include <quern/status.h>
#include <quern/value.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_expression qn_expression;

/* `names` are the variables that may occur; they are numbered in this order. `what` opens error messages:
 * "constraint 3 of gemm". Errors: QN_INVALID_ARGUMENT with column, the word and what was expected. */
QN_MUST_CHECK qn_status qn_expression_create(const char *text, const char *what, const char *const *names,
                                             size_t name_count, qn_expression **expression);

/* The same with names that stand for lists: "ProblemSize[0]", "max(tile)". A name that is a variable too is the list
 * where it is all that a function is given, and the variable elsewhere. */
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

/* Whether variable `name` occurs. */
bool qn_expression_uses(const qn_expression *expression, size_t name);

/* One value from the variables' values (those that do not occur may be garbage). No allocation for expressions without
 * lists. A text result lives as long as the expression and the values. Errors: division by zero, overflow, a text where
 * a number is needed, a list where one value is. */
QN_MUST_CHECK qn_status qn_expression_evaluate(const qn_expression *expression, const qn_value *values,
                                               qn_value *result);

/* Whether the value is true as Python has it (not 0, not ""). */
QN_MUST_CHECK qn_status qn_expression_holds(const qn_expression *expression, const qn_value *values, bool *holds);

/* What `and` joins at the top (chained comparisons too) can be asked in parts, each with its own variables: the whole
 * holds when every part does. Where a part fails to evaluate, an earlier one may have said no already. */
size_t qn_expression_part_count(const qn_expression *expression);
bool qn_expression_part_uses(const qn_expression *expression, size_t part, size_t name);
QN_MUST_CHECK qn_status qn_expression_part_holds(const qn_expression *expression, size_t part, const qn_value *values,
                                                 bool *holds);

/* A list's elements (a single value is a list of one); released with qn_release. */
QN_MUST_CHECK qn_status qn_expression_evaluate_list(const qn_expression *expression, const qn_value *values,
                                                    qn_value **elements, size_t *count);

#endif
