/* A script as a graph of calls: what each call reads and writes, at which indices of its space, and what it does at one
 * point. Names and shapes are checked. Everything lies in one arena.
 *
 * A value is written by one call at most. A carried inout of a loop is two values, `x` and `next x`; an inout that is
 * assigned outside of loops is two values as well. */
#ifndef QN_FUSE_GRAPH_GRAPH_H
#define QN_FUSE_GRAPH_GRAPH_H

#include <stdint.h>

#include "fuse/language/script.h"
#include "fuse/library/library.h"

enum {
    QN_GRAPH_EXTENTS_MAX = 32,
    QN_GRAPH_VALUES_MAX = 192,
    QN_GRAPH_CALLS_MAX = 64, /* sets of calls are bits of a uint64_t */
    QN_GRAPH_SECTIONS_MAX = 16,
    QN_CALL_INPUTS_MAX = 20
};

/* A size that a value has along an axis. Two extents are equal if they are the same entry of the graph. */
typedef struct qn_extent {
    const char *name;  /* a number's name is its digits */
    long long number;  /* 0: known when the sequence runs */
    const char *where; /* the value that has it, for messages */
} qn_extent;

typedef struct qn_value {
    const char *name;
    size_t offset; /* of its declaration or assignment */
    qn_shape_kind kind;
    int extents[2];  /* rows and columns; a vector's is the first */
    bool column;     /* a matrix whose columns are contiguous */
    bool is_given;   /* by the user: an input, or an inout before its assignment */
    bool is_result;  /* what the user gets at the end */
    bool is_carried; /* an inout that a loop gives new values */
    bool is_made;    /* by a part of an expression, which has no name of its own */
    int old;         /* the value that it replaces: of an inout, or of the round before; -1: none */
    int producer;    /* the call that writes it; -1: none */
    /* Of a ring, see qn_graph_rotate; both are -1 elsewhere. */
    int copy_of;     /* the value in whose memory it lies */
    int before_of;   /* the value that it was in the round before */
    bool is_awaited; /* by what runs after the ring's calls */
} qn_value;

/* A value read or written at indices of a call's space: index k of the value is index indices[k] of the space. */
typedef struct qn_use {
    int value;
    int index_count;
    int indices[2];
} qn_use;

typedef struct qn_call {
    const char *name; /* of the function: "gemv"; of an element-wise expression: "map" */
    size_t offset;
    int section;
    int space_count;
    int space[QN_SPACE_MAX]; /* extents */
    bool is_sparse;          /* the space is the stored elements of a csr matrix, input 0 */
    qn_use inputs[QN_CALL_INPUTS_MAX], outputs[QN_FUNCTION_OUTPUTS_MAX];
    qn_meaning meanings[QN_FUNCTION_OUTPUTS_MAX]; /* of the outputs; finishes are calls of their own */
    int input_count, output_count;
    const qn_function *function;                 /* NULL: a map */
    const qn_implementation *implementation;     /* NULL: its meaning at a point */
    int choices[QN_IMPLEMENTATION_TUNABLES_MAX]; /* values of the implementation's tunables */
    int slots[QN_PIPES];                         /* operations at a point; 0: not counted */
    double bytes_per_s;                          /* that the function moves on the device, measured; 0: not known */
    const char *text;                            /* what it computes, for reports: "q = A*p" */
} qn_call;

/* Scalars of a condition: left < right or left > right. */
typedef struct qn_condition {
    const qn_point *left, *right;
    qn_use uses[QN_CALL_INPUTS_MAX]; /* of both */
    int use_count;
    bool less;
} qn_condition;

/* A loop whose body is a ring has three sections, one after another. Its head are the early calls of a round, its tail
 * the late ones. The ring runs the late calls of a round together with the early calls of the next one. A round that
 * begins the loop, or follows a check, runs the head; other rounds run the ring; and before a check and at the end the
 * tail runs. */
typedef enum qn_section_part { QN_SECTION_WHOLE, QN_SECTION_HEAD, QN_SECTION_RING, QN_SECTION_TAIL } qn_section_part;

/* Calls that run once, or the body of a loop. */
typedef struct qn_section {
    int first_call, call_count;
    bool is_loop;
    qn_section_part part; /* rounds and condition are those of the loop in each part */
    int rounds;           /* extent */
    bool has_until;
    qn_condition until;
    int every;
} qn_section;

typedef struct qn_graph {
    const qn_source *source;
    const char *name;
    qn_arena *arena;
    qn_extent extents[QN_GRAPH_EXTENTS_MAX];
    int extent_count;
    qn_value values[QN_GRAPH_VALUES_MAX];
    int value_count;
    qn_call calls[QN_GRAPH_CALLS_MAX];
    int call_count;
    qn_section sections[QN_GRAPH_SECTIONS_MAX];
    int section_count;
    bool marks_bodies; /* compilers are told where in the library the bodies of implementations are */
} qn_graph;

/* Make the graph of a script. Errors: QN_BAD_FORMAT with place, found and expected. */
QN_MUST_CHECK qn_status qn_graph_make(const qn_script *script, const qn_library *library, qn_arena *arena,
                                      qn_graph *graph);

/* The graph with the body of a loop as a ring: calls of `late`, which other calls of the body must not need, run with
 * the next round. All values keep their numbers; those of the ring come after them. NULL if the graph has no room for
 * the ring's calls and values. The caller releases it with qn_release.
 *
 * Between two rounds, x is what it was before the round, and next x what the round's early calls made of it. A value e
 * of early calls is known to the ring as "before of e". Before the ring runs, memory is exchanged so that this holds
 * (qn_plan_exchanges). */
QN_MUST_CHECK qn_status qn_graph_rotate(const qn_graph *graph, int section, uint64_t late, qn_graph **rotated);

/* Whether a matrix is sparse. */
bool qn_graph_has_sparse(const qn_graph *graph);

/* Whether a value is given and never replaced. */
bool qn_value_is_constant(const qn_graph *graph, int value);

/* How a value is reduced, in this round or in the one before. */
qn_reduction qn_value_reduction(const qn_graph *graph, int value);

/* The new value of a carried value in a section's round; -1: it has none. */
int qn_section_next(const qn_graph *graph, int section, int value);

/* Whether a call belongs to a section. */
static inline bool qn_section_has(const qn_section *section, int call)
{
    return call >= section->first_call && call < section->first_call + section->call_count;
}

/* Dimensions that work-items run over: a sparse call's rows, else its space. */
static inline int qn_call_dimensions(const qn_call *call)
{
    return call->is_sparse ? 1 : call->space_count;
}

/* Whether the output is a reduction. */
static inline bool qn_call_reduces(const qn_call *call, int output)
{
    return call->meanings[output].reduction != QN_REDUCE_NONE;
}

/* The output of a call that is `value`; -1: none. */
int qn_call_output_of(const qn_call *call, int value);

/* Whether `call` reads `value`. */
bool qn_call_reads(const qn_call *call, int value);

/* Calls that must be done before `call`, as bits: producers of what it reads, and readers of what it replaces outside
 * of loops. */
uint64_t qn_graph_before(const qn_graph *graph, int call);

/* "vector(n)", "matrix(m, n)". */
typedef struct qn_shape_text {
    char text[160];
} qn_shape_text;
qn_shape_text qn_value_shape(const qn_graph *graph, const qn_value *value);

#endif
