/* The meaning of a function at one point of its space: a tree over numbers, inputs and words of the kernel language.
 *
 * Trees are constants after they are made; several trees may share parts. They lie in an arena. */
#ifndef QN_FUSE_LIBRARY_POINT_H
#define QN_FUSE_LIBRARY_POINT_H

#include "base/text.h"
#include "fuse/language/arena.h"

typedef enum qn_point_kind {
    QN_POINT_NUMBER,
    QN_POINT_INPUT, /* `slot`: which one */
    QN_POINT_ADD,
    QN_POINT_SUBTRACT,
    QN_POINT_MULTIPLY,
    QN_POINT_DIVIDE,
    QN_POINT_NEGATE,
    QN_POINT_WORD /* `slot`: index into qn_point_words */
} qn_point_kind;

enum { QN_POINT_CHILDREN_MAX = 3 };

typedef struct qn_point {
    qn_point_kind kind;
    int slot;
    double number;
    const struct qn_point *children[QN_POINT_CHILDREN_MAX];
} qn_point;

/* A function of the kernel language. */
typedef struct qn_point_word {
    const char *name; /* as kernels write it */
    int arity;
    double (*evaluate)(const double *values);
} qn_point_word;

extern const qn_point_word qn_point_words[];
extern const int qn_point_word_count;

int qn_point_child_count(const qn_point *point);

QN_MUST_CHECK qn_status qn_point_make_number(qn_arena *arena, double number, const qn_point **point);
QN_MUST_CHECK qn_status qn_point_make_input(qn_arena *arena, int slot, const qn_point **point);
/* `children`: as many as the kind or the word has. */
QN_MUST_CHECK qn_status qn_point_make(qn_arena *arena, qn_point_kind kind, int slot, const qn_point *const *children,
                                      const qn_point **point);

/* The value, in double precision. `inputs[slot]` are the inputs. *scale (may be NULL) gets the sum of the magnitudes of
 * the terms that make it: `input_scales` are those of the inputs. */
double qn_point_evaluate(const qn_point *point, const double *inputs, const double *input_scales, double *scale);

/* The tree with a tree in place of each input. */
QN_MUST_CHECK qn_status qn_point_substitute(qn_arena *arena, const qn_point *point, const qn_point *const *inputs,
                                            const qn_point **result);

/* Whether input `slot` occurs. */
bool qn_point_reads(const qn_point *point, int slot);

/* Append the tree in the kernel language; `names[slot]` are the inputs. Operators are in parentheses where their order
 * would else change: rounding depends on it. */
QN_MUST_CHECK qn_status qn_point_write(const qn_point *point, const char *const *names, qn_text *text);

#endif
