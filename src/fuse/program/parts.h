/* The parts of a program on a device. */
#ifndef QN_FUSE_PROGRAM_PARTS_H
#define QN_FUSE_PROGRAM_PARTS_H

#include "fuse/program/program.h"

enum { QN_PROGRAM_FAMILIES_MAX = QN_PLAN_KERNELS_MAX / QN_KERNEL_MAX };

/* Facts of the last launch of a kernel: the tuner may choose its configuration. */
typedef struct qn_launch_note {
    int64_t groups;
    qn_configuration configuration;
} qn_launch_note;

/* The problem that geometry and work of a launch depend on. */
typedef struct qn_launch_sizes {
    int dimensions;
    int64_t lines; /* along axis 0 */
    bool is_single, is_spread;
    qn_work work;
    qn_launch_note *note;
    const struct qn_launch_sizes *joined; /* the next kernel of the same launch */
} qn_launch_sizes;

/* A family of at most eight kernels of the plan. */
typedef struct qn_program_family {
    qn_family family;
    qn_text source;
    qn_tunable tunables[QN_SHAPE_TUNABLES + QN_BODY_TUNABLES_MAX];
    qn_body_tunable bodies[QN_BODY_TUNABLES_MAX]; /* names of the last tunables */
    qn_kernel_declaration kernels[QN_KERNEL_MAX];
    qn_argument_declaration arguments[QN_KERNEL_MAX][QN_ARGUMENT_MAX];
    qn_native *native; /* on the host */
    char name[96];
    char local_memory[QN_SHAPE_CONSTRAINT_BYTES]; /* a constraint */
    const char *constraints[1 + QN_SHAPE_CONSTRAINTS + QN_BODY_NEEDS_MAX];
    qn_configuration *used; /* configurations that programs were built for */
    int used_count;
    size_t used_capacity;
} qn_program_family;

struct qn_program {
    const qn_plan *plan;
    const qn_program *other; /* while this is made: has the given values in memory; NULL: none */
    qn_device *device;
    qn_queue *queue;
    qn_shape shape;
    bool is_tunable; /* no shape was asked for, so the context's tuner may choose another */
    qn_sizes sizes;
    double stored[QN_GRAPH_VALUES_MAX];
    qn_emitted_kernel emitted[QN_PLAN_KERNELS_MAX];
    qn_launch_sizes launches[QN_PLAN_KERNELS_MAX];
    qn_launch_note notes[QN_PLAN_KERNELS_MAX];
    double kernel_seconds[QN_PLAN_KERNELS_MAX]; /* of all timed launches */
    int64_t timed_launches[QN_PLAN_KERNELS_MAX];
    qn_program_family families[QN_PROGRAM_FAMILIES_MAX];
    int family_count;
    qn_text text;
    size_t counts[QN_GRAPH_VALUES_MAX]; /* of numbers */
    qn_buffer *data[QN_GRAPH_VALUES_MAX], *starts[QN_GRAPH_VALUES_MAX], *columns[QN_GRAPH_VALUES_MAX];
    qn_buffer *sums[QN_GRAPH_VALUES_MAX];
    int32_t parts[QN_GRAPH_VALUES_MAX]; /* of the sums that the last kernel left */
};

/* room.c: values that have memory of their own, as flags. */
void qn_program_find_values(const qn_plan *plan, bool *in_memory);

/* families.c: make the families of the plan's kernels. */
QN_MUST_CHECK qn_status qn_program_make_families(qn_program *program);
void qn_program_clear_families(qn_program *program);

/* Groups of a launch. */
int64_t qn_launch_groups(const qn_launch_sizes *launch, const qn_shape *shape);

/* Most groups of a launch, whatever configuration is chosen. */
int64_t qn_program_most_groups(const qn_program *program, int kernel);

/* Remember the configuration of a kernel's last launch, whose program is forgotten at the end. */
QN_MUST_CHECK qn_status qn_program_note_configuration(qn_program *program, int kernel);

/* The host's C text of a family. */
QN_MUST_CHECK qn_status qn_program_host_text(const qn_program *program, int family, qn_text *text);

#endif
