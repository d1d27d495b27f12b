/* Parts of writing a plan as files. */
#ifndef QN_FUSE_OUTPUT_CODE_H
#define QN_FUSE_OUTPUT_CODE_H

#include "fuse/output/output.h"

enum { QN_CODE_SLOTS_MAX = 4 * QN_GRAPH_VALUES_MAX + 1, QN_CODE_NAME_MAX = 96 };

/* A name of the script that the user passes memory for. */
typedef struct qn_code_field {
    int value;  /* the first of the name: given, or the result */
    int result; /* the last; -1: an input */
    char name[QN_CODE_NAME_MAX];
} qn_code_field;

/* Memory of the kernels: the user's, or the plan's own. Its name is that of the kernels' argument. */
typedef struct qn_code_slot {
    qn_emitted_kind kind;
    int of; /* value */
    char name[QN_CODE_NAME_MAX];
    int field; /* -1: the plan's own */
    bool is_written;
} qn_code_slot;

typedef struct qn_code_target qn_code_target;

typedef struct qn_code {
    const qn_plan *plan;
    const qn_graph *graph;
    const qn_shape *shape;
    const qn_code_target *target;
    qn_emitted_kernel kernels[QN_PLAN_KERNELS_MAX];
    qn_text host_text;            /* of a family: in C */
    qn_text kernel_text;          /* as the target's language has it */
    char upper[QN_CODE_NAME_MAX]; /* of the sequence */
    qn_code_field fields[QN_GRAPH_VALUES_MAX];
    int field_count;
    qn_code_slot slots[QN_CODE_SLOTS_MAX];
    int slot_count;
} qn_code;

/* A language. */
struct qn_code_target {
    const char *title;                               /* "OpenCL" */
    const char *prelude;                             /* words of the kernel language */
    const char *further_words;                       /* beyond the prelude's; NULL: none */
    const char *before_kernels;                      /* lines of the kernel file before all else; NULL: none */
    const char *extension;                           /* of the kernel file; NULL: the kernels are in the launcher */
    const char *backend;                             /* template of what depends on the language */
    const char *header_includes;                     /* lines */
    const char *launcher_includes, *types, *members; /* of the launcher */
    const char *queue;                               /* type of the first argument of create, with its name */
    const char *queue_meaning;
    const char *scalars;         /* what a scalar argument is */
    const char *waits;           /* how a run without seconds ends */
    const char *const *pointers; /* how fields of arguments begin: numbers read, numbers written, integers read */
    /* How a launch names memory, a step and a size, with the name; and what is around them. NULL: a loop calls the
     * kernel's function. */
    const char *arguments_begin, *memory_argument, *step_argument, *size_argument, *arguments_end;
    bool is_family;
    /* Append the kernels as a constant text at the launcher's end. NULL: none. */
    qn_status (*write_text)(const qn_code *code, qn_text *text);
};

extern const qn_code_target qn_code_targets[];

/* The form of the target's own kernels; a family has loops for the host beside it. */
static inline qn_emit_form qn_code_form(const qn_code *code)
{
    return code->target->is_family || code->target->extension ? QN_EMIT_GROUPS : QN_EMIT_LOOPS;
}

/* Whether the kernels of a graph have a tunable of the shape. */
static inline bool qn_code_has_tunable(const qn_graph *graph, int tunable)
{
    return tunable != QN_SHAPE_TERMS || qn_graph_has_sparse(graph);
}

/* model.c: fields and slots of a plan whose kernels are emitted. */
QN_MUST_CHECK qn_status qn_code_find_memory(qn_code *code);
int qn_code_slot_of(const qn_code *code, qn_emitted_kind kind, int of);

/* The field whose memory or leading dimension a value has: its own, or that of what it replaces; -1: none. */
int qn_code_field_of(const qn_code *code, int value);

/* A name that C and C++ allow. */
void qn_code_safe_name(const char *name, char safe[QN_CODE_NAME_MAX]);

/* kernels.c: the text of all kernels. */
QN_MUST_CHECK qn_status qn_code_write_kernels(qn_code *code);

/* languages.c: the kernels as literals of C, line by line. */
QN_MUST_CHECK qn_status qn_code_write_lines(const qn_code *code, const char *between, qn_text *text);

/* family.c: the declaration of a family; its kernels for the host. */
QN_MUST_CHECK qn_status qn_code_write_family(const qn_code *code, qn_text *text);
QN_MUST_CHECK qn_status qn_code_write_host(const qn_code *code, qn_text *text);

/* loops.c: kernels as loops of C. A kernel is a function of a group, and a group is one work-item. */
QN_MUST_CHECK qn_status qn_code_make_loops(const qn_code *code, const char *kernels, qn_text *text);
/* Leave out variables of kernels that nothing reads. */
QN_MUST_CHECK qn_status qn_code_leave_out_unused(qn_text *text);
bool qn_code_counts_groups(const char *kernels, const char *kernel);

/* header.c, launcher.c, stages.c */
QN_MUST_CHECK qn_status qn_code_write_header(const qn_code *code, qn_text *text);
QN_MUST_CHECK qn_status qn_code_write_launcher(const qn_code *code, qn_text *text);
QN_MUST_CHECK qn_status qn_code_write_launches(const qn_code *code, qn_text *text);
QN_MUST_CHECK qn_status qn_code_write_stages(const qn_code *code, qn_text *text);
bool qn_code_has_copies(const qn_code *code);
bool qn_code_has_conditions(const qn_code *code);

/* The names of the memory that is exchanged; false: it is not memory of this plan. */
bool qn_code_exchange_names(const qn_code *code, const qn_exchange *exchange, const char **one, const char **other);

/* The expression of the groups of a kernel. */
QN_MUST_CHECK qn_status qn_code_write_groups(const qn_code *code, int kernel, qn_text *text);

/* template.c: append a template with "@hole@" replaced. A hole "if_part" without a text leaves out all up to
 * "@end_part@". */
typedef struct qn_code_hole {
    const char *name;
    const char *text;
    bool is_template; /* it has holes of its own */
} qn_code_hole;
QN_MUST_CHECK qn_status qn_code_fill(const char *pattern, const qn_code_hole *holes, int count, qn_text *text);

#endif
