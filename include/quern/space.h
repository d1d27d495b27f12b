/* Tuning spaces: parameters, the values each may take, and constraints between them.
 *
 * Solving finds every valid combination, called a point. Parameters that no constraint connects form groups of their
 * own; each group keeps its valid combinations in lexicographic order of value numbers, and a point's number is written
 * in mixed radix over the groups. So a space of 10^9 raw combinations, 10^5 of them valid, is solved fast, and
 * independent groups cost the sum of their sizes, not the product (the chain of trees of Rasch et al. 2021).
 *
 * Life cycle: create → add… → solve → use → destroy. Thread rule: a solved space is constant.
 *
 *     qn_space *space;
 *     if (qn_space_create("gemm", &space) != QN_OK) return 1;
 *     if (qn_space_add_integers(space, "TILE", (const int64_t[]){16, 32, 64}, 3, 32) != QN_OK) return 1;
 *     if (qn_space_add_constraint(space, "TILE * TILE <= 1024") != QN_OK || qn_space_solve(space) != QN_OK) return 1;
 *     printf("%d points\n", (int)qn_space_size(space));
 *     qn_space_destroy(&space);
 */
#ifndef QUERN_SPACE_H
#define QUERN_SPACE_H

#include <quern/status.h>
#include <quern/value.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_space qn_space;
typedef uint64_t qn_point; /* number of a valid combination, 0 … size - 1 */

enum { QN_SPACE_PARAMETERS_MAX = 64, QN_SPACE_VALUES_MAX = 65535 };

QN_MUST_CHECK qn_status qn_space_create(const char *name, qn_space **space);
void qn_space_destroy(qn_space **space);

/* Texts are copied. `usual` is the value that a user who does not tune would take, one of `values`. Errors:
 * QN_INVALID_ARGUMENT for a name twice, no values, a value twice. */
QN_MUST_CHECK qn_status qn_space_add(qn_space *space, const char *name, const qn_value *values, size_t count,
                                     qn_value usual);
QN_MUST_CHECK qn_status qn_space_add_integers(qn_space *space, const char *name, const int64_t *values, size_t count,
                                              int64_t usual);
/* Add a named constant that constraints may use, such as a limit of the device. */
QN_MUST_CHECK qn_status qn_space_set_constant(qn_space *space, const char *name, qn_value value);
/* Add an expression that must hold, with Python's or C's operators. It is parsed when the space is solved. */
QN_MUST_CHECK qn_status qn_space_add_constraint(qn_space *space, const char *expression);

/* Errors: QN_INVALID_ARGUMENT naming a constraint that cannot be read (column, word, what was expected), or, where no
 * combination is valid, the first constraint after which none is left. */
QN_MUST_CHECK qn_status qn_space_solve(qn_space *space);

const char *qn_space_name(const qn_space *space);
uint64_t qn_space_size(const qn_space *space);   /* valid points */
double qn_space_raw_size(const qn_space *space); /* product of the value counts */
size_t qn_space_parameter_count(const qn_space *space);
const char *qn_space_parameter_name(const qn_space *space, size_t parameter);
size_t qn_space_value_count(const qn_space *space, size_t parameter);
const qn_value *qn_space_value(const qn_space *space, size_t parameter, size_t number);
size_t qn_space_usual(const qn_space *space, size_t parameter); /* number of the usual value */
size_t qn_space_constraint_count(const qn_space *space);
const char *qn_space_constraint(const qn_space *space, size_t constraint);

/* Get a point's value numbers, one for each parameter. */
void qn_space_get(const qn_space *space, qn_point point, uint16_t *numbers);
/* The point with these value numbers; false when it is not valid. */
bool qn_space_find(const qn_space *space, const uint16_t *numbers, qn_point *point);
/* Find the point with these values, one for each parameter in order; false when a value is unknown or the point is not
 * valid. */
bool qn_space_find_values(const qn_space *space, const qn_value *values, qn_point *point);
/* "TILE=32 LAYOUT=row", at most `capacity` bytes with the zero byte. */
void qn_space_format(const qn_space *space, qn_point point, char *text, size_t capacity);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
