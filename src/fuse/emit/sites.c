/* Variables of values at the places where they are read. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fuse/emit/emitter.h"

qn_status qn_site_put(qn_site *site, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof line)
        return QN_FAIL(QN_UNSUPPORTED, "an expression of a kernel is too long to be written");
    return qn_text_append(&site->text, "%*s%s\n", site->indent, "", line);
}

void qn_site_clear(qn_site *site)
{
    qn_text_clear(&site->text);
    qn_text_clear(&site->arrays);
}

void qn_site_restart(qn_site *site, qn_site_kind kind, int indent)
{
    qn_site_clear(site);
    *site = (qn_site){.kind = kind, .indent = indent};
}

qn_status qn_site_flush(qn_emitter *at, qn_site *site)
{
    if (site->text.length > 0) QN_TRY(qn_text_append_bytes(at->text, site->text.data, site->text.length));
    site->text.length = 0;
    return QN_OK;
}

bool qn_emitter_needs(const qn_emitter *at, int value)
{
    bool needed = at->kernel->writes[value] || at->kernel->partial[value];
    for (int call = 0; call < at->graph->call_count && !needed; call++)
        needed = qn_emitter_has(at, call) && qn_call_reads(&at->graph->calls[call], value);
    return needed;
}

/* ---- reductions ---- */

const char *qn_reduction_start(qn_reduction reduction)
{
    return reduction == QN_REDUCE_MINIMUM   ? "FLOAT_INFINITY"
           : reduction == QN_REDUCE_MAXIMUM ? "-FLOAT_INFINITY"
                                            : "0.0f";
}

const char *qn_reduction_function(qn_reduction reduction)
{
    return reduction == QN_REDUCE_MINIMUM ? "least" : reduction == QN_REDUCE_MAXIMUM ? "greatest" : "sum";
}

qn_status qn_put_lanes(qn_text *text, int indent, const qn_text *sums, int count)
{
    if (count > QN_LANES_SUMS_MAX) return QN_OK;
    if (count == 0) return qn_text_append(text, "%*sLANES\n", indent, "");
    return qn_text_append(text, "%*sLANES_SUM_%d(%s)\n", indent, "", count, sums->data);
}

qn_status qn_add_lane(qn_text *sums, const char *name, int *count)
{
    QN_TRY(qn_text_append(sums, "%s%s", *count > 0 ? ", " : "", name));
    ++*count;
    return QN_OK;
}

qn_status qn_put_combine(qn_site *site, qn_reduction reduction, const char *into, const char *term)
{
    if (reduction == QN_REDUCE_SUM) return qn_site_put(site, "%s += %s;", into, term);
    return qn_site_put(site, "%s = %s(%s, %s);", into, reduction == QN_REDUCE_MINIMUM ? "FMIN" : "FMAX", into, term);
}

/* ---- names and addresses ---- */

/* `axes` are those of a matrix's two indices; in the kernel of a square matrix it may be read both ways. */
static bool is_flipped(const int *axes)
{
    return axes && axes[0] == 1;
}

static bool *declared_at(qn_site *site, int value, const int *axes)
{
    const bool flipped = site->kind == QN_SITE_ELEMENT && is_flipped(axes);
    return flipped ? &site->declared_flipped[value] : &site->declared[value];
}

static void axes_of(const qn_emitter *at, int call, const qn_use *use, int axes[2])
{
    axes[0] = 0, axes[1] = 1;
    for (int k = 0; k < use->index_count; k++) axes[k] = at->kernel->layout.axes[call][use->indices[k]];
}

static void name_at(const qn_emitter *at, const qn_site *site, int value, const int *axes, qn_variable *name)
{
    static const char *const suffixes[] = {
        [QN_SITE_LINE] = "_i", [QN_SITE_COLUMN] = "_j[e]", [QN_SITE_ELEMENT] = "_ij", [QN_SITE_GATHER] = "_j"};
    const char *suffix = suffixes[site->kind];
    if (at->graph->values[value].kind == QN_SCALAR) suffix = "_value";
    if (site->kind == QN_SITE_ELEMENT && is_flipped(axes)) suffix = "_ji";
    snprintf(name->text, sizeof name->text, "%s%s", at->names[value], suffix);
}

/* The address of a value's number: for a matrix, `axes` are those of its two indices. */
static void address_at(const qn_emitter *at, const qn_site *site, int value, const int *axes, char text[256])
{
    const char *root = at->names[qn_plan_root(at->plan, value)];
    if (at->graph->values[value].kind == QN_MATRIX) {
        const bool column = at->graph->values[value].column;
        const int slow = axes[column ? 1 : 0], fast = axes[column ? 0 : 1];
        snprintf(text, 256, "%s_data[%s * %s_step + %s]", root, slow == 0 ? "i" : "j", root, fast == 0 ? "i" : "j");
    } else {
        snprintf(text, 256, "%s_data[%s]", root, site->kind == QN_SITE_LINE ? "i" : "j");
    }
}

bool qn_site_is_wide(const qn_emitter *at, const qn_site *site, int value, const int *axes)
{
    const qn_value *of = &at->graph->values[value];
    if (at->form != QN_EMIT_GROUPS || qn_body_moves(at, value)) return false; /* bodies move single elements */
    if (of->kind == QN_MATRIX) return site->kind == QN_SITE_ELEMENT && axes[of->column ? 0 : 1] == 1;
    return site->kind == QN_SITE_LINE && at->kernel->layout.dimensions == 1 && !at->is_spread;
}

/* Write a variable and its first value; a column's goes to an array. */
static qn_status put_variable(qn_emitter *at, qn_site *site, int value, const int *axes, const char *expression)
{
    if (site->kind == QN_SITE_COLUMN) {
        QN_TRY(qn_text_append(&site->arrays, "%*sfloat %s_j[ELEMENTS];\n", site->indent - 4, "", at->names[value]));
        return qn_site_put(site, "%s_j[e] = %s;", at->names[value], expression);
    }
    qn_variable name;
    name_at(at, site, value, axes, &name);
    return qn_site_put(site, "const float %s = %s;", name.text, expression);
}

/* ---- reading ---- */

static qn_site *site_of(qn_emitter *at, int call, const qn_use *use)
{
    if (use->index_count == 2) return at->graph->calls[call].is_sparse ? &at->gather : &at->element;
    const int axis = qn_layout_axis(at->graph, &at->kernel->layout, call, use);
    return axis < 0 ? &at->gather : axis == 1 ? &at->column : &at->line;
}

static qn_status need_at(qn_emitter *at, qn_site *site, int value, const int *axes);

/* With staged rows, a line's own elements are on their way while the group works on the rows. */
static qn_status put_ahead(qn_emitter *at, qn_site *site, int value, const char *expression)
{
    qn_variable name;
    name_at(at, site, value, NULL, &name);
    return qn_site_put(&at->ahead, "const float %s = item < rows ? %s : 0.0f;", name.text, expression);
}

static qn_status put_loaded(qn_emitter *at, qn_site *site, int value, const int *axes, const char *address)
{
    qn_text loaded = {0};
    qn_status status = qn_body_load(at, value, address, &loaded);
    if (status == QN_OK && at->has_staged && site->kind == QN_SITE_LINE) {
        status = put_ahead(at, site, value, loaded.data);
        qn_text_clear(&loaded);
        return status;
    }
    if (status == QN_OK) status = put_variable(at, site, value, axes, loaded.data);
    qn_text_clear(&loaded);
    return status;
}

/* Compute a map at a site that may not be its own: its one-dimensional inputs are read there too. */
static qn_status put_map(qn_emitter *at, qn_site *site, int call, int output)
{
    const qn_call *of = &at->graph->calls[call];
    qn_variable names[QN_CALL_INPUTS_MAX];
    const char *pointers[QN_CALL_INPUTS_MAX];
    qn_text term = {0};
    int own[2];
    axes_of(at, call, &of->outputs[output], own);
    for (int i = 0; i < of->input_count; i++) {
        const qn_use *use = &of->inputs[i];
        const bool is_element = site->kind == QN_SITE_ELEMENT && use->index_count > 0;
        pointers[i] = names[i].text;
        if (is_element) {
            QN_TRY(qn_site_need(at, call, use, &names[i]));
            continue;
        }
        name_at(at, site, use->value, NULL, &names[i]);
        if (use->index_count > 0) QN_TRY(need_at(at, site, use->value, NULL));
    }
    qn_status status = qn_body_write(at, call, output, pointers, NULL, &term);
    if (status == QN_OK) status = put_variable(at, site, of->outputs[output].value, own, term.data);
    qn_text_clear(&term);
    return status;
}

/* Partial sums of a vector, added up at its own index. */
static qn_status put_fold(qn_emitter *at, qn_site *site, int value)
{
    const qn_reduction reduction = qn_value_reduction(at->graph, value);
    const char *name = at->names[value], *size = at->graph->extents[at->graph->values[value].extents[0]].name;
    char into[96], term[256];
    snprintf(into, sizeof into, "%s_i", name);
    snprintf(term, sizeof term, "%s_sums[part * size_%s + i]", name, size);
    QN_TRY(qn_site_put(site, "float %s = %s;", into, qn_reduction_start(reduction)));
    if (at->form == QN_EMIT_GROUPS) QN_TRY(qn_site_put(site, "UNROLL_BY(16)"));
    QN_TRY(qn_site_put(site, "for (qn_int64 part = 0; part < %s_parts; part++)", name));
    site->indent += 4;
    const qn_status status = qn_put_combine(site, reduction, into, term);
    site->indent -= 4;
    return status;
}

/* Give a value of one or two dimensions its variable at a site. */
static qn_status need_at(qn_emitter *at, qn_site *site, int value, const int *axes)
{
    char expression[256];
    const int producer = at->graph->values[value].producer;
    bool *declared = declared_at(site, value, axes);
    if (*declared) return QN_OK;
    *declared = true;
    if (site->kind == QN_SITE_LINE && at->keeps_line[value]) {
        snprintf(expression, sizeof expression, "%s_line[t]", at->names[value]);
        return put_variable(at, site, value, axes, expression);
    }
    if (at->kernel->folds[value]) return put_fold(at, site, value);
    const bool is_made = qn_emitter_has(at, producer);
    /* A matrix that an earlier sweep stored is read again by the work-item that stored it. */
    const bool is_stored = site->kind == QN_SITE_ELEMENT && is_made && at->kernel->writes[value] &&
                           at->kernel->layout.levels[producer] < at->sweep;
    if (is_made && !is_stored)
        return put_map(at, site, producer, qn_call_output_of(&at->graph->calls[producer], value));
    if (site->kind == QN_SITE_COLUMN && at->is_whole) {
        at->loads[value] = true;
        return QN_OK;
    }
    if (qn_site_is_wide(at, site, value, axes)) {
        at->loads[value] = true;
        snprintf(expression, sizeof expression, "%s_own%s[e]", at->names[value],
                 site->kind == QN_SITE_ELEMENT && !at->is_whole ? "[k]" : "");
        return put_variable(at, site, value, axes, expression);
    }
    address_at(at, site, value, axes, expression);
    return put_loaded(at, site, value, axes, expression);
}

qn_status qn_site_need(qn_emitter *at, int call, const qn_use *use, qn_variable *name)
{
    int axes[2];
    qn_site *site = use->index_count == 0 ? &at->line : site_of(at, call, use);
    axes_of(at, call, use, axes);
    name_at(at, site, use->value, axes, name);
    if (use->index_count == 0) return QN_OK;
    if (at->graph->calls[call].is_sparse && use->index_count == 2) { /* the stored element itself */
        char address[96];
        if (site->declared[use->value]) return QN_OK;
        site->declared[use->value] = true;
        if (at->is_staged) {
            snprintf(address, sizeof address, "%s_own[e]", at->names[use->value]);
            return put_variable(at, site, use->value, axes, address);
        }
        snprintf(address, sizeof address, "%s_data[k]", at->names[qn_plan_root(at->plan, use->value)]);
        return put_loaded(at, site, use->value, axes, address);
    }
    return need_at(at, site, use->value, axes);
}

qn_status qn_line_need(qn_emitter *at, int value, qn_variable *name)
{
    name_at(at, &at->line, value, NULL, name);
    return need_at(at, &at->line, value, NULL);
}

qn_status qn_site_term(qn_emitter *at, int call, int output, const char *into, qn_text *term)
{
    const qn_call *of = &at->graph->calls[call];
    qn_variable names[QN_CALL_INPUTS_MAX];
    const char *pointers[QN_CALL_INPUTS_MAX];
    for (int i = 0; i < of->input_count; i++) {
        QN_TRY(qn_site_need(at, call, &of->inputs[i], &names[i]));
        pointers[i] = names[i].text;
    }
    return qn_body_write(at, call, output, pointers, into, term);
}

/* ---- calls in their own place ---- */

/* A sum over the elements of a line, a column or all. */
static void accumulator_of(const qn_emitter *at, int call, int output, char text[96])
{
    const qn_use *use = &at->graph->calls[call].outputs[output];
    const char *name = at->names[use->value];
    if (use->index_count == 0)
        snprintf(text, 96, "%s_total", name);
    else if (at->kernel->layout.dimensions == 2 && qn_output_axis(at, call, output) == 1)
        snprintf(text, 96, "%s_sum_j[e]", name);
    else
        snprintf(text, 96, "%s_sum", name);
}

qn_status qn_site_reduce(qn_emitter *at, qn_site *site, int call, int output)
{
    qn_text term = {0};
    char into[96];
    accumulator_of(at, call, output, into);
    qn_status status = qn_site_term(at, call, output, into, &term);
    if (status == QN_OK) status = qn_body_reduce(at, site, call, output, into, term.data);
    qn_text_clear(&term);
    return status;
}

qn_status qn_site_call(qn_emitter *at, qn_site *site, int call)
{
    const qn_call *of = &at->graph->calls[call];
    if (of->is_sparse) return qn_rows_call(at, site, call);
    for (int i = 0; i < of->output_count; i++) {
        if (!qn_emitter_needs(at, of->outputs[i].value)) continue;
        if (qn_call_reduces(of, i)) {
            QN_TRY(qn_site_reduce(at, site, call, i));
            continue;
        }
        int axes[2];
        axes_of(at, call, &of->outputs[i], axes);
        bool *declared = declared_at(site, of->outputs[i].value, axes);
        if (*declared) continue; /* another call needed it first */
        *declared = true;
        QN_TRY(put_map(at, site, call, i));
    }
    return QN_OK;
}

qn_status qn_site_store(qn_emitter *at, qn_site *site, int call)
{
    const qn_call *of = &at->graph->calls[call];
    for (int i = 0; i < of->output_count; i++) {
        const qn_use *use = &of->outputs[i];
        int axes[2];
        char address[256];
        qn_variable name;
        /* sums are stored where they are complete */
        if (!at->kernel->writes[use->value] || (qn_call_reduces(of, i) && !of->is_sparse)) continue;
        axes_of(at, call, use, axes);
        if (qn_site_is_wide(at, site, use->value, axes)) {
            at->stores[use->value] = true;
            snprintf(address, sizeof address, "%s_out[e]", at->names[use->value]);
        } else {
            address_at(at, site, use->value, axes, address);
        }
        name_at(at, site, use->value, axes, &name);
        QN_TRY(qn_body_store(at, site, call, i, address, name.text));
    }
    return QN_OK;
}
