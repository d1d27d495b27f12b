/* Parts of the emission of one kernel. */
#ifndef QN_FUSE_EMIT_EMITTER_H
#define QN_FUSE_EMIT_EMITTER_H

#include "fuse/emit/emit.h"

/* A place of the text where values have variables: once a line (axis 0), once a column (axis 1), once an element, or
 * once a gathered element of a sparse row. */
typedef enum qn_site_kind { QN_SITE_LINE, QN_SITE_COLUMN, QN_SITE_ELEMENT, QN_SITE_GATHER } qn_site_kind;

typedef struct qn_site {
    qn_site_kind kind;
    qn_text text;
    qn_text arrays; /* a column's variables are arrays over a work-item's elements, declared before the loop */
    int indent;     /* spaces */
    bool declared[QN_GRAPH_VALUES_MAX];
    bool declared_flipped[QN_GRAPH_VALUES_MAX]; /* matrices that are read with their axes exchanged */
} qn_site;

typedef struct qn_emitter {
    const qn_plan *plan;
    const qn_graph *graph;
    const qn_kernel_plan *kernel;
    qn_emitted_kernel *made;
    char names[QN_GRAPH_VALUES_MAX][72]; /* identifiers, without the suffix that says what of the value */
    qn_emit_form form;
    bool keeps_line[QN_GRAPH_VALUES_MAX];  /* values of a panel's lines in local memory, as name_line[t] */
    bool loads[QN_GRAPH_VALUES_MAX];       /* values that are loaded before they are used, as name_own[e] */
    bool stores[QN_GRAPH_VALUES_MAX];      /* and that are stored afterwards, from name_out[e] */
    bool is_spread;                        /* see qn_emit_is_spread */
    bool is_whole;                         /* groups have whole lines, see whole.c */
    bool is_staged;                        /* elements of sparse rows were loaded, see rows.c */
    qn_site line, column, element, gather; /* the present ones */
    qn_site ahead, rows;                   /* with staged rows: loads of lines, and the rows, before the lines */
    bool has_staged;                       /* the kernel has staged rows, see rows.c */
    int sweep;                             /* the present one */
    qn_text *text;                         /* of the kernel */
} qn_emitter;

/* sites.c */
QN_MUST_CHECK qn_status qn_site_put(qn_site *site, const char *format, ...) QN_PRINTF_LIKE(2, 3);
void qn_site_restart(qn_site *site, qn_site_kind kind, int indent);
void qn_site_clear(qn_site *site);

/* Move a site's text to the kernel's. */
QN_MUST_CHECK qn_status qn_site_flush(qn_emitter *at, qn_site *site);

/* Give the value that a call reads a variable where it is read; `name` gets how to write it. */
typedef struct qn_variable {
    char text[96];
} qn_variable;
QN_MUST_CHECK qn_status qn_site_need(qn_emitter *at, int call, const qn_use *use, qn_variable *name);

/* The same for a vector at a line's index. */
QN_MUST_CHECK qn_status qn_line_need(qn_emitter *at, int value, qn_variable *name);

/* Whether a matrix call's output is a needed sum that is a vector along an axis. */
bool qn_emitter_sums_along(const qn_emitter *at, int call, int output, int axis);

/* Emit a call in its own place: variables of maps, additions of reductions, stores. */
QN_MUST_CHECK qn_status qn_site_call(qn_emitter *at, qn_site *site, int call);

/* Whether a value is moved in vectors there: a matrix along axis 1, or a vector in strips. */
bool qn_site_is_wide(const qn_emitter *at, const qn_site *site, int value, const int *axes);

/* Emit the terms of an output that is reduced. */
QN_MUST_CHECK qn_status qn_site_reduce(qn_emitter *at, qn_site *site, int call, int output);

/* Store what the call makes at its place, where it must be in memory. */
QN_MUST_CHECK qn_status qn_site_store(qn_emitter *at, qn_site *site, int call);

/* rows.c: a call that goes along rows of a sparse matrix. Staged, a group computes the terms of all its rows in local
 * memory, which needs all work-items, so it comes before the lines' own text. */
bool qn_rows_are_staged(const qn_emitter *at, int call);
bool qn_rows_any_staged(const qn_emitter *at);
QN_MUST_CHECK qn_status qn_rows_call(qn_emitter *at, qn_site *site, int call);
QN_MUST_CHECK qn_status qn_rows_locals(qn_emitter *at);

/* bodies.c: append the value of an output over names of the inputs. `into` is what it is reduced into, NULL for a map.
 * With an implementation the value is already reduced, see qn_put_value. */
QN_MUST_CHECK qn_status qn_body_write(const qn_emitter *at, int call, int output, const char *const *names,
                                      const char *into, qn_text *text);

/* Reduce a value of qn_body_write. */
QN_MUST_CHECK qn_status qn_body_reduce(const qn_emitter *at, qn_site *site, int call, int output, const char *into,
                                       const char *value);

/* Whether a body of the kernel loads or stores a value, element by element. */
bool qn_body_moves(const qn_emitter *at, int value);

/* The value at an address, by the first load of it that a call of the kernel has; the statement that stores one. */
QN_MUST_CHECK qn_status qn_body_load(const qn_emitter *at, int value, const char *address, qn_text *text);
QN_MUST_CHECK qn_status qn_body_store(const qn_emitter *at, qn_site *site, int call, int output, const char *address,
                                      const char *value);

/* Append the functions that bodies of the graph's implementations become. */
QN_MUST_CHECK qn_status qn_bodies_emit(const qn_graph *graph, qn_text *text);

/* The expression of an output over variables that exist; `into` as of qn_body_write. */
QN_MUST_CHECK qn_status qn_site_term(qn_emitter *at, int call, int output, const char *into, qn_text *term);

/* "a += b;" or "a = FMIN(a, b);" */
QN_MUST_CHECK qn_status qn_put_combine(qn_site *site, qn_reduction reduction, const char *into, const char *term);
const char *qn_reduction_start(qn_reduction reduction);
/* "sum", of sum_of_group and sum_of_columns */
const char *qn_reduction_function(qn_reduction reduction);

/* The line before a loop over elements that names the sums of all its lanes. Loops with other reductions get none. */
enum { QN_LANES_SUMS_MAX = 4 };
QN_MUST_CHECK qn_status qn_add_lane(qn_text *sums, const char *name, int *count);
QN_MUST_CHECK qn_status qn_put_lanes(qn_text *text, int indent, const qn_text *sums, int count);

/* The axis of a one-dimensional output of a call. */
static inline int qn_output_axis(const qn_emitter *at, int call, int output)
{
    return at->kernel->layout.axes[call][at->graph->calls[call].outputs[output].indices[0]];
}

/* Whether the kernel must compute a value: it is read in the kernel, or left by it. */
bool qn_emitter_needs(const qn_emitter *at, int value);

static inline bool qn_emitter_has(const qn_emitter *at, int call)
{
    return call >= 0 && qn_calls_have(at->kernel->calls, call);
}

/* scalars.c: scalars that are known before the work, and sums to scalars. */
QN_MUST_CHECK qn_status qn_emit_scalars(qn_emitter *at);
QN_MUST_CHECK qn_status qn_emit_totals_start(qn_emitter *at);
QN_MUST_CHECK qn_status qn_emit_totals_end(qn_emitter *at);
bool qn_emitter_shares(const qn_emitter *at); /* it adds up over a group */

/* Whether the kernel adds up a scalar over its elements, and leaves it as a part or, with a single group, complete. */
bool qn_emitter_totals(const qn_emitter *at, int value);

/* Parts of the text of a sweep over a panel. */
typedef struct qn_sweep_sums {
    qn_site columns, column_ends; /* sums of columns: their starts before the lines, their ends after them */
    qn_site lines, line_ends;     /* of lines: before and after the elements */
    qn_site tile_ends;            /* of lines: after each TILE lines */
    qn_text lanes;                /* sums over elements */
    int lane_count;
    bool has_tiles; /* there are sums of lines */
} qn_sweep_sums;

/* tiles.c: the lines of a panel in groups of work-items; a sum along lines in a sweep, and its line's value after it.
 */
QN_MUST_CHECK qn_status qn_tiles_write(qn_emitter *at, const qn_sweep_sums *of);
QN_MUST_CHECK qn_status qn_tiles_sum(const qn_emitter *at, int call, int output, qn_sweep_sums *of);
QN_MUST_CHECK qn_status qn_tiles_line(qn_emitter *at, int call, int output);
QN_MUST_CHECK qn_status qn_tiles_locals(qn_emitter *at, int value, bool is_sum);

/* whole.c: the branch of a kernel for lines that groups have as wholes. */
bool qn_whole_is_possible(const qn_emitter *at);
QN_MUST_CHECK qn_status qn_whole_condition(qn_emitter *at);
QN_MUST_CHECK qn_status qn_whole_columns(qn_emitter *at, bool is_end);
QN_MUST_CHECK qn_status qn_whole_pieces(qn_emitter *at);

/* wide.c: which arguments may be moved in vectors; words and functions of the header. */
QN_MUST_CHECK qn_status qn_emit_alignments(qn_emitter *at);
QN_MUST_CHECK qn_status qn_emit_wide_header(qn_text *text);

/* copies.c: the lines of a panel by fours; `next` is the first line that is not done, `limit` the end of all. */
enum { QN_COPIES = 4 };
typedef struct qn_line_parts {
    const char *begin, *sums, *elements, *ends; /* of one line: before, in and after the loop over elements */
    const char *lanes, *limit;
    int lane_count, indent;
} qn_line_parts;
QN_MUST_CHECK qn_status qn_copies_write(const qn_line_parts *parts, qn_text *text);

/* line.c, panel.c */
QN_MUST_CHECK qn_status qn_emit_line(qn_emitter *at);
/* Declare the local memory of a panel, first in the kernel; then all else. */
QN_MUST_CHECK qn_status qn_emit_panel_locals(qn_emitter *at);
QN_MUST_CHECK qn_status qn_emit_panel(qn_emitter *at);

#endif
