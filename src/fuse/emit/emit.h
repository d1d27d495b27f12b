/* Kernels of a plan as text in the kernel language.
 *
 * A kernel in one dimension gives each work-item elements of axis 0. A kernel in two dimensions gives each group PANEL
 * lines of axis 0 at a time, and sweeps over them along axis 1; between sweeps, the group's work-items finish what is
 * known for each line. Scalars come first: every group folds the partial sums that it needs. The text needs these
 * tunables:
 *
 *   GROUP_X, GROUP_Y   work-items of a group along axis 1 and axis 0, powers of two; GROUP_Y is 1 in one dimension
 *   ELEMENTS           elements of a work-item along axis 1, a multiple of VECTOR_WIDTH
 *   TILE               lines of a row of work-items between two sums over its segments
 *   PANEL              lines of a group at a time
 *   ROWS               lines whose elements a work-item loads before it uses them
 *   VECTOR_WIDTH       elements that a work-item has side by side, and loads at once: 1 or 4
 *   STRIP              elements of a work-item in one dimension
 *   TERMS              elements of sparse rows that a work-item takes at once; 1: it follows its own row
 *
 * There are two forms. Groups of work-items are for devices with many lanes. Loops are for a processor, where a group
 * is one work-item: its text has neither ROWS, VECTOR_WIDTH nor TERMS, because the processor's caches and its compiler
 * do what they are for. */
#ifndef QN_FUSE_EMIT_EMIT_H
#define QN_FUSE_EMIT_EMIT_H

#include <quern/family.h>

#include "fuse/plan/plan.h"

typedef enum qn_emitted_kind {
    QN_EMITTED_DATA,    /* numbers of a value */
    QN_EMITTED_STARTS,  /* of a csr matrix: starts of rows */
    QN_EMITTED_COLUMNS, /* of a csr matrix: columns */
    QN_EMITTED_SUMS,    /* partial sums of a value */
    QN_EMITTED_PARTS,   /* number of a value's partial sums: those that the last kernel that left them had groups for */
    QN_EMITTED_STEP,    /* leading dimension of a matrix, in elements */
    QN_EMITTED_SIZE     /* of an extent */
} qn_emitted_kind;

typedef struct qn_emitted_argument {
    qn_emitted_kind kind;
    int of; /* value, or extent */
    qn_access access;
    char name[80];
} qn_emitted_argument;

typedef struct qn_emitted_kernel {
    char name[80];
    qn_emitted_argument arguments[QN_ARGUMENT_MAX];
    int argument_count;
} qn_emitted_kernel;

/* The name of a file in messages of compilers, if a graph marks its bodies: lines and columns are those of the library.
 */
#define QN_BODY_FILE "quern_library"

typedef enum qn_emit_form { QN_EMIT_GROUPS, QN_EMIT_LOOPS } qn_emit_form;

/* Append kernel number `index` of a plan, and describe its arguments, which are the same in both forms. Functions that
 * it calls are those of qn_emit_header. */
QN_MUST_CHECK qn_status qn_emit_kernel(const qn_plan *plan, int index, qn_emit_form form, qn_text *text,
                                       qn_emitted_kernel *kernel);

/* Whether work-items of a kernel in one dimension take one element each instead of a strip (QN_EMIT_GROUPS): it adds
 * up parts of vectors, which many work-items must read, or goes along rows of sparse matrices, which lie side by side.
 */
bool qn_emit_is_spread(const qn_plan *plan, int index, qn_emit_form form);

/* A tunable of an implementation that calls of a graph use, as the kernels' text names it: "GEMV_FAST_WIDTH". */
enum { QN_BODY_TUNABLES_MAX = 8, QN_BODY_NEEDS_MAX = 12 };
typedef struct qn_body_tunable {
    char name[96];
    const qn_implementation_tunable *of;
    int choice;
} qn_body_tunable;

/* List them; an implementation whose tunables or conditions find no room must not be used. */
int qn_body_tunables(const qn_graph *graph, qn_body_tunable tunables[QN_BODY_TUNABLES_MAX]);

/* The conditions of an implementation, with those tunables, and "GROUP_X == …" of its threads; texts in `arena`. */
enum { QN_IMPLEMENTATION_CONDITIONS_MAX = QN_IMPLEMENTATION_NEEDS_MAX + 2 };
QN_MUST_CHECK qn_status qn_body_conditions(const qn_function *function, const qn_implementation *of, qn_arena *arena,
                                           const char *conditions[QN_IMPLEMENTATION_CONDITIONS_MAX], int *count);

/* The call that uses an implementation first, in the order of calls. */
bool qn_body_is_first(const qn_graph *graph, int call);

/* Append what comes before kernels: checks of the tunables, and functions. */
QN_MUST_CHECK qn_status qn_emit_header(const qn_graph *graph, qn_emit_form form, qn_text *text);

#endif
