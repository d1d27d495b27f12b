/* Internals of a tuning space: storage of the valid combinations. For space.c, solve.c and readers of recorded spaces.
 */
#ifndef QN_TUNE_SPACE_SPACE_H
#define QN_TUNE_SPACE_SPACE_H

#include <quern/space.h>

typedef struct qn_space_parameter {
    char *name;
    qn_value *values;
    size_t count, usual;
} qn_space_parameter;

typedef struct qn_space_constant {
    char *name;
    qn_value value;
} qn_space_constant;

/* Parameters that constraints connect, and their valid combinations as sorted keys: the value numbers side by side in
 * bits, the first parameter highest, so that the order of keys is the lexicographic order of numbers. */
typedef struct qn_space_group {
    size_t *parameters;
    size_t parameter_count;
    unsigned char *shifts, *bits, *places; /* of a parameter's number: `bits` bits of word `place` from `shift` on */
    size_t words;                          /* of a key; nearly always 1 */
    uint64_t *keys;                        /* [row][word] */
    size_t row_count, key_capacity;
} qn_space_group;

struct qn_space {
    char *name;
    qn_space_parameter *parameters;
    size_t parameter_count, parameter_capacity;
    qn_space_constant *constants;
    size_t constant_count, constant_capacity;
    char **constraints;
    size_t constraint_count, constraint_capacity;
    qn_space_group *groups;
    size_t group_count;
    uint64_t size; /* 0 until solved */
};

/* Lay out the keys of a group of these parameters: set `words` and the arrays. The group has no rows yet. */
QN_MUST_CHECK qn_status qn_space_group_lay_out(const qn_space *space, const size_t *parameters, size_t count,
                                               qn_space_group *group);
QN_MUST_CHECK qn_status qn_space_group_add(qn_space_group *group, const uint64_t *key);
/* Sort the rows and drop repeated ones. */
QN_MUST_CHECK qn_status qn_space_group_sort(qn_space_group *group);
/* Put the value number of parameter `member` of the group into a key. */
void qn_space_key_add(const qn_space_group *group, size_t member, size_t number, uint64_t *key);

/* Compute the groups of a space and their valid combinations (solve.c). */
QN_MUST_CHECK qn_status qn_space_solve_groups(qn_space *space);

/* Solve a space so that its points are exactly `rows`, [row][parameter] value numbers, in one group. The parameters
 * have been added; there are no constraints. Repeated rows count once. */
QN_MUST_CHECK qn_status qn_space_take_rows(qn_space *space, const uint16_t *rows, size_t row_count);

/* Find the number of a value; false if the parameter does not have it. */
bool qn_space_find_value(const qn_space *space, size_t parameter, const qn_value *value, size_t *number);
bool qn_space_find_parameter(const qn_space *space, const char *name, size_t *parameter);

/* Write a value as text, as in cache keys and in qn_space_format: 32, 0.5, True, row. */
void qn_value_format(const qn_value *value, char *text, size_t capacity);

#endif
