/* A plan on a device: kernel families made at run time, the memory of all values, and running them.
 *
 * Life cycle: create → write the given values → run → read results → destroy. Thread rule: one thread at a time. */
#ifndef QN_FUSE_PROGRAM_PROGRAM_H
#define QN_FUSE_PROGRAM_PROGRAM_H

#include "fuse/emit/emit.h"

/* Values of the tunables that kernels are made with. PARTS is the most groups of a kernel, and so the most parts of a
 * sum. */
typedef struct qn_shape {
    int group_x, group_y, elements, tile, panel, parts, strip, rows, vector_width, terms;
} qn_shape;

/* Tunables of all families, in this order. */
enum {
    QN_SHAPE_GROUP_X,
    QN_SHAPE_GROUP_Y,
    QN_SHAPE_ELEMENTS,
    QN_SHAPE_TILE,
    QN_SHAPE_PANEL,
    QN_SHAPE_PARTS,
    QN_SHAPE_STRIP,
    QN_SHAPE_ROWS,
    QN_SHAPE_VECTOR_WIDTH,
    QN_SHAPE_TERMS,
    QN_SHAPE_TUNABLES
};
void qn_shape_tunables(const qn_shape *shape, qn_tunable *tunables);

/* The shape with these values of the tunables. */
qn_shape qn_shape_of(const int values[QN_SHAPE_TUNABLES]);

/* Values of the tunables that are worth a try on a device beside those of `shape`, which are the fallbacks.
 * `has_lines`: some kernel has two dimensions, so that lines matter; `has_sparse`: a matrix is sparse. */
void qn_shape_choices(const qn_shape *shape, const qn_device_info *device, bool has_lines, bool has_sparse,
                      qn_tunable *tunables);

/* The constraint on the shape that kernels with this text have by their local memory. */
enum { QN_SHAPE_CONSTRAINT_BYTES = 280, QN_SHAPE_CONSTRAINTS = 6 };
void qn_shape_constraint(const char *text, char constraint[QN_SHAPE_CONSTRAINT_BYTES]);

/* The constraints that all kernels have. */
extern const char *const qn_shape_constraints[QN_SHAPE_CONSTRAINTS];

typedef struct qn_program qn_program;

/* A shape that suits a device, whatever the sizes; and one that suits the sizes of a plan too. Sums over axis 0 then
 * move at most 2 / PANEL of the matrix's words more: a part for each group, or for each panel of it. `stored[value]` is
 * the number of stored elements of each csr matrix. */
qn_shape qn_program_default_shape(const qn_device_info *device);
qn_shape qn_program_fitted_shape(const qn_plan *plan, const qn_device_info *device, const qn_sizes *sizes,
                                 const double *stored);

/* The form of the kernels' text on a device. */
qn_emit_form qn_program_form(const qn_device_info *device);

/* Fail if the values of a plan do not fit into a device's memory, at the largest one's place in the script. A device
 * that does not know its memory has enough. */
QN_MUST_CHECK qn_status qn_program_check_room(const qn_plan *plan, const qn_device_info *device, const qn_sizes *sizes,
                                              const double *stored);

/* Make the kernels of a plan and memory for its values. `stored[value]` is the number of stored elements of each csr
 * matrix. On the host kernels are compiled by a C compiler, `cc` or $QUERN_CC. The plan must outlive the program.
 * Errors: QN_UNSUPPORTED (no C compiler), QN_BUILD_FAILED, QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_program_create(const qn_plan *plan, qn_device *device, const qn_shape *shape,
                                          const qn_sizes *sizes, const double *stored, qn_program **program);

/* The same for another plan of the same sequence, on the device of another program. What is given and never replaced
 * lies in the memory of that program, which has been written; the other program may be destroyed before. */
QN_MUST_CHECK qn_status qn_program_create_beside(const qn_program *other, const qn_plan *plan, const qn_shape *shape,
                                                 qn_program **program);
void qn_program_destroy(qn_program **program);

/* The text of all kernels, and that of a plan's kernels without a program. */
QN_MUST_CHECK qn_status qn_program_emit(const qn_plan *plan, qn_emit_form form, qn_text *text);
const char *qn_program_text(const qn_program *program);

/* Write the numbers of a given value; of a csr matrix also its starts and columns. */
QN_MUST_CHECK qn_status qn_program_write(qn_program *program, int value, const float *numbers, const int32_t *starts,
                                         const int32_t *columns);

/* Run all sections, from the given values. Loops end after `most_rounds`; 0: where they say. The host waits only where
 * a condition is checked. *rounds (may be NULL) gets
 * the rounds of all loops, *seconds (may be NULL) the device's seconds in kernels. */
QN_MUST_CHECK qn_status qn_program_run(qn_program *program, int64_t most_rounds, int64_t *rounds, double *seconds);

/* The device's seconds of a launch of a kernel, and the bytes that it moves at least, of runs with *seconds so far. */
double qn_program_kernel_seconds(const qn_program *program, int kernel);
double qn_program_kernel_bytes(const qn_program *program, int kernel);

/* Seconds that a device with these rates needs at least for all kernels, with `rounds` rounds of loops. */
double qn_program_limit_seconds(const qn_program *program, int64_t rounds, const qn_device_rates *rates);

/* Read a value that the plan leaves in memory: a result, or what a later kernel reads. */
QN_MUST_CHECK qn_status qn_program_read(qn_program *program, int value, float *numbers);

/* native.c: a C text compiled into a library of this process. */
typedef struct qn_native qn_native;
QN_MUST_CHECK qn_status qn_native_open(const char *text, const char *name, qn_native **native);
QN_MUST_CHECK qn_status qn_native_find(const qn_native *native, const char *symbol, void **address);
void qn_native_close(qn_native **native);

#endif
