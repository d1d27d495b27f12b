/* A sequence of kernels for a graph: which calls share one, what it reads and leaves, and where sums are completed.
 *
 * Values that groups reduce across each other, scalars and sums along axis 0, leave a kernel as partial sums. The next
 * kernel that reads such a value folds it; where none can, a kernel of its own does. */
#ifndef QN_FUSE_PLAN_PLAN_H
#define QN_FUSE_PLAN_PLAN_H

#include "fuse/plan/rules.h"
#include "fuse/plan/words.h"

enum { QN_PLAN_KERNELS_MAX = 96, QN_PLAN_FORCED_MAX = 16, QN_PLAN_EXACT_CALLS = 16, QN_PLAN_BEAM = 64 };
enum { QN_PLAN_CANDIDATES_MAX = 64 };

/* Bytes of the lines that a group can read again from a cache: the share of one of 132 groups in six tenths of the 50
 * MB of an H100. The second cache of a CPU's core is about as large. */
enum { QN_PLAN_PANEL_BYTES = 227000 };

/* Matrices that a kernel with several sweeps reads more than once. */
typedef struct qn_again {
    int times[QN_GRAPH_VALUES_MAX]; /* beyond the first */
    int count;                      /* of such matrices */
    int64_t line_bytes;             /* a line of all of them */
    bool is_cached;                 /* a line stays in a cache, so that it counts once */
} qn_again;

typedef struct qn_kernel_plan {
    qn_calls calls;
    qn_layout layout;
    qn_words words;
    int section;
    bool is_fold;                      /* it only completes sums */
    bool is_single;                    /* one group does all of it, so its sums are complete */
    bool joins;                        /* its groups run in the launch of the kernel before */
    bool reads[QN_GRAPH_VALUES_MAX];   /* from memory */
    bool folds[QN_GRAPH_VALUES_MAX];   /* of these: from partial sums */
    bool writes[QN_GRAPH_VALUES_MAX];  /* to memory, complete; also what it folds and others need */
    bool partial[QN_GRAPH_VALUES_MAX]; /* it leaves partial sums */
    qn_again again;
} qn_kernel_plan;

typedef struct qn_plan {
    const qn_graph *graph; /* in the arena of the script's graph, with rings; its first values are those of that */
    qn_kernel_plan kernels[QN_PLAN_KERNELS_MAX];
    int kernel_count;
    bool is_buffered[QN_GRAPH_VALUES_MAX]; /* a value whose old one keeps its memory meanwhile */
    double seconds;                        /* that it takes by the costs of its choice, with all rounds of loops */
} qn_plan;

typedef enum qn_fusion { QN_FUSION_AUTO, QN_FUSION_NONE } qn_fusion;

/* Calls of a section that must be a kernel, or must not be one. */
typedef struct qn_kernel_condition {
    int section;
    qn_calls calls;
    bool is_wanted;
} qn_kernel_condition;

/* The costs that decide a choice: a kernel takes launch_s + max(bytes / rate, operations / rate of their pipe). Where
 * the rates of its calls were measured, the rate of bytes is their mean, with as much weight as each has bytes. */
typedef struct qn_plan_options {
    qn_fusion fusion;
    qn_calls forced[QN_PLAN_FORCED_MAX]; /* calls that share a kernel whatever it costs */
    int forced_count;
    const qn_kernel_condition *conditions;
    int condition_count;
    double launch_s, bytes_per_s;
    double slots_per_s[QN_PIPES]; /* operations in a second; 0: they cost nothing */
    const qn_sizes *sizes;
    const double *stored; /* elements of each csr matrix, by value */
    int64_t panel_bytes;  /* that a group can read again from a cache; 0: as much as it needs */
} qn_plan_options;

/* Choose kernels. Errors: QN_INVALID_ARGUMENT (forced calls that cannot share a kernel, with the rule). */
QN_MUST_CHECK qn_status qn_plan_make(const qn_graph *graph, const qn_plan_options *options, qn_plan *plan);

/* Choose kernels of a graph as it is: its loops stay as they are. */
QN_MUST_CHECK qn_status qn_plan_make_as_is(const qn_graph *graph, const qn_plan_options *options, qn_plan *plan);

/* candidates.c: the `most` plans that take least time, the best first: that of qn_plan_make, and others with the loops
 * as they are or as the same rings. There may be fewer. */
QN_MUST_CHECK qn_status qn_plan_candidates(const qn_graph *graph, const qn_plan_options *options, int most,
                                           qn_plan *plans, int *count);

/* memory.c: after the kernels, which values share memory. */
void qn_plan_choose_memory(qn_plan *plan);

/* The value whose memory a value takes. */
int qn_plan_root(const qn_plan *plan, int value);

/* The value whose partial sums a value is made of. */
int qn_plan_sums(const qn_plan *plan, int value);

/* Memory of two values, or of their partial sums, that is exchanged. */
typedef struct qn_exchange {
    int one, other;
    bool are_sums;
} qn_exchange;

/* Exchanges before or after a round of a section, in this order; at most QN_EXCHANGES_MAX. */
enum { QN_EXCHANGES_MAX = 2 * QN_GRAPH_VALUES_MAX };
int qn_plan_exchanges(const qn_plan *plan, int section, bool before, qn_exchange *exchanges);

/* How often a section runs in `rounds` rounds of its loop; a section that is no loop runs once. */
int64_t qn_plan_runs(const qn_plan *plan, int section, int64_t rounds);

/* Launches of kernels, and of folds, of everything that is no loop and of one round of each loop. */
void qn_plan_count(const qn_plan *plan, int *kernels, int *folds);

/* partition.c: the calls of each kernel of a section, in order; `count` kernels. QN_NOT_FOUND: no partition obeys the
 * conditions. */
QN_MUST_CHECK qn_status qn_partition_choose(const qn_scope *scope, const qn_plan_options *options, qn_calls *groups,
                                            int *count, double *cost_s);

/* ring.c: the graph with the loops as rings that are faster so; `graph` itself if none is. */
QN_MUST_CHECK qn_status qn_plan_choose_rings(const qn_graph *graph, const qn_plan_options *options,
                                             const qn_graph **chosen);

/* Words that calls move in a kernel of their own, where each array is read once. */
void qn_calls_words(const qn_scope *scope, qn_calls calls, qn_words *words);

/* Words that a kernel moves; what its later sweeps read again counts if it does not stay in a cache. */
void qn_kernel_words(const qn_scope *scope, qn_calls calls, const qn_layout *layout, const qn_plan_options *options,
                     qn_again *again, qn_words *words);

/* cost.c: seconds of a kernel that moves `words`. */
double qn_kernel_seconds(const qn_scope *scope, qn_calls calls, const qn_words *words, const qn_plan_options *options);

/* share.c: let short kernels in one dimension do with fewer launches (R7). One group alone completes sums over few
 * elements; and kernels that have nothing to do with each other share a launch, whose groups are dealt out, where none
 * of them lasts longer than a launch. Only for programs whose launches obey `is_single` and `joins`. */
void qn_plan_share_launches(const qn_plan_options *options, qn_plan *plan);

/* The words of all kernels of a section of the plan's graph; of calls of a script's graph with one kernel each. */
void qn_plan_words(const qn_plan *plan, int section, qn_words *words);
void qn_unfused_words(const qn_graph *graph, int section, qn_words *words);

/* Append the plan as a text: the graph, the kernels, the words they move, and which rule keeps each two apart. */
QN_MUST_CHECK qn_status qn_plan_explain(const qn_plan *plan, const qn_plan_options *options, qn_text *text);

#endif
