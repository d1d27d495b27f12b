/* The parts of a program on a device. */
#ifndef QN_FUSE_PROGRAM_PARTS_H
#define QN_FUSE_PROGRAM_PARTS_H

#include "fuse/program/program.h"

enum { QN_PROGRAM_FAMILIES_MAX = QN_PLAN_KERNELS_MAX / QN_KERNEL_MAX };

/* Tunables of all families, in this order. */
enum {
    QN_SHAPE_GROUP_X,
    QN_SHAPE_GROUP_Y,
    QN_SHAPE_ELEMENTS,
    QN_SHAPE_TILE,
    QN_SHAPE_PANEL,
    QN_SHAPE_PARTS,
    QN_SHAPE_TUNABLES
};

/* The problem that geometry and work of a launch depend on. */
typedef struct qn_launch_sizes {
    int dimensions;
    int64_t lines; /* along axis 0 */
    qn_work work;
} qn_launch_sizes;

/* A family of at most eight kernels of the plan. */
typedef struct qn_program_family {
    qn_family family;
    qn_text source;
    qn_tunable tunables[QN_SHAPE_TUNABLES];
    qn_kernel_declaration kernels[QN_KERNEL_MAX];
    qn_argument_declaration arguments[QN_KERNEL_MAX][QN_ARGUMENT_MAX];
    qn_native *native; /* on the host */
    char name[96];
} qn_program_family;

struct qn_program {
    const qn_plan *plan;
    qn_device *device;
    qn_queue *queue;
    qn_shape shape;
    qn_sizes sizes;
    qn_emitted_kernel emitted[QN_PLAN_KERNELS_MAX];
    qn_launch_sizes launches[QN_PLAN_KERNELS_MAX];
    qn_program_family families[QN_PROGRAM_FAMILIES_MAX];
    int family_count;
    qn_text text;
    size_t counts[QN_GRAPH_VALUES_MAX]; /* of numbers */
    qn_buffer *data[QN_GRAPH_VALUES_MAX], *starts[QN_GRAPH_VALUES_MAX], *columns[QN_GRAPH_VALUES_MAX];
    qn_buffer *sums[QN_GRAPH_VALUES_MAX];
    int32_t parts[QN_GRAPH_VALUES_MAX]; /* of the sums that the last kernel left */
};

/* families.c: make the families of the plan's kernels. */
QN_MUST_CHECK qn_status qn_program_make_families(qn_program *program);
void qn_program_clear_families(qn_program *program);

/* Groups of a launch. */
int64_t qn_launch_groups(const qn_launch_sizes *launch, const qn_shape *shape);

/* The host's C text of a family. */
QN_MUST_CHECK qn_status qn_program_host_text(const qn_program *program, int family, qn_text *text);

#endif
