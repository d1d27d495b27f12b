/* Models as text:
 *
 *     quern model 1
 *     device NVIDIA GeForce RTX 2080 Ti
 *     samples 2640
 *     parameter LAYOUT                 in order; `text` lines give the texts that its values may be
 *     text row
 *     column 14.2 1.7 dram__sectors_read.sum            mean and standard deviation of log(1 + count)
 *     tree
 *     split 0 17.25 5                  parameter 0 below 17.25: the next line, else the tree's line 5, counted from 0
 *     leaf -1034 220                   a number per column, in 1e-4 standard deviations from the mean
 *     end
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/model/model_data.h"

#define FIRST_LINE "quern model 1"

static qn_status append_tree(const qn_tuning_model *model, const qn_tuning_model_tree *tree, qn_text *text)
{
    QN_TRY(qn_text_append(text, "tree\n"));
    for (size_t i = 0; i < tree->node_count; i++) {
        const qn_tuning_model_node *node = &tree->nodes[i];
        if (node->parameter >= 0) {
            QN_TRY(qn_text_append(text, "split %d %.17g %u\n", node->parameter, node->threshold, node->right));
            continue;
        }
        QN_TRY(qn_text_append(text, "leaf"));
        for (size_t c = 0; c < model->column_count; c++)
            QN_TRY(qn_text_append(text, " %d", model->leaves[(size_t)node->right * model->column_count + c]));
        QN_TRY(qn_text_append(text, "\n"));
    }
    return QN_OK;
}

static qn_status append_model(const qn_tuning_model *model, qn_text *text)
{
    QN_TRY(qn_text_append(text, FIRST_LINE "\ndevice %s\nsamples %zu\n", model->device, model->sample_count));
    for (size_t i = 0; i < model->parameter_count; i++) {
        QN_TRY(qn_text_append(text, "parameter %s\n", model->parameters[i].name));
        for (size_t k = 0; k < model->parameters[i].text_count; k++)
            QN_TRY(qn_text_append(text, "text %s\n", model->parameters[i].texts[k]));
    }
    for (size_t c = 0; c < model->column_count; c++)
        QN_TRY(qn_text_append(text, "column %.17g %.17g %s\n", model->columns[c].mean, model->columns[c].scale,
                              model->columns[c].name));
    for (size_t i = 0; i < model->tree_count; i++) QN_TRY(append_tree(model, &model->trees[i], text));
    return qn_text_append(text, "end\n");
}

qn_status qn_tuning_model_append(const qn_tuning_model *model, qn_text *text)
{
    if (model->table_points)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a model that is a table of one space cannot be written");
    return append_model(model, text);
}

qn_status qn_tuning_model_write(const qn_tuning_model *model, const char *path)
{
    qn_text text = {0};
    qn_status status = qn_tuning_model_append(model, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

typedef struct reader {
    const char *path;
    char *next; /* first byte of the line after this one */
    char *line;
    size_t number;
    qn_tuning_model *model;
    size_t parameter_capacity, column_capacity, tree_capacity;
    size_t text_capacity; /* of the last parameter */
} reader;

static bool read_line(reader *r)
{
    if (!*r->next) return false;
    r->line = r->next;
    char *end = strchr(r->line, '\n');
    r->next = end ? end + 1 : r->line + strlen(r->line);
    if (end) *end = 0;
    size_t length = strlen(r->line);
    if (length && r->line[length - 1] == '\r') r->line[length - 1] = 0;
    r->number++;
    return true;
}

/* Return the text after "word ", or NULL if the line does not begin with it. */
static char *after(const reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->line, word, length) != 0 || r->line[length] != ' ') return NULL;
    return r->line + length + 1;
}

static qn_status refuse(const reader *r, const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%.60s\" is not %s", r->path, r->number, r->line, expected);
}

static qn_status read_parameter(reader *r, const char *name)
{
    qn_tuning_model *m = r->model;
    if (m->column_count || m->tree_count) return refuse(r, "a column or tree, which follow the parameters");
    if (m->parameter_count == QN_SPACE_PARAMETERS_MAX) return refuse(r, "one of at most 64 parameters");
    QN_TRY(qn_grow((void **)&m->parameters, &r->parameter_capacity, m->parameter_count + 1, sizeof *m->parameters));
    m->parameters[m->parameter_count] = (qn_tuning_model_parameter){0};
    r->text_capacity = 0;
    return qn_text_copy(name, &m->parameters[m->parameter_count++].name);
}

static qn_status read_text(reader *r, const char *value)
{
    qn_tuning_model *m = r->model;
    if (!m->parameter_count) return refuse(r, "preceded by a parameter");
    qn_tuning_model_parameter *p = &m->parameters[m->parameter_count - 1];
    QN_TRY(qn_grow((void **)&p->texts, &r->text_capacity, p->text_count + 1, sizeof *p->texts));
    p->texts[p->text_count] = NULL;
    return qn_text_copy(value, &p->texts[p->text_count++]);
}

static qn_status read_column(reader *r, char *rest)
{
    qn_tuning_model *m = r->model;
    char *end, *name;
    double mean = strtod(rest, &end), scale = strtod(end, &name);
    if (m->tree_count || end == rest || name == end || *name != ' ' || !name[1] || !isfinite(mean) ||
        !(scale >= 0 && scale < 1e6) || fabs(mean) > 1e6)
        return refuse(r, "a column before the first tree: mean, standard deviation and name");
    QN_TRY(qn_grow((void **)&m->columns, &r->column_capacity, m->column_count + 1, sizeof *m->columns));
    m->columns[m->column_count] = (qn_tuning_model_column){.mean = mean, .scale = scale};
    return qn_text_copy(name + 1, &m->columns[m->column_count++].name);
}

static qn_status add_node(reader *r, qn_tuning_model_node node)
{
    qn_tuning_model *m = r->model;
    if (!m->tree_count) return refuse(r, "preceded by a line \"tree\"");
    qn_tuning_model_tree *tree = &m->trees[m->tree_count - 1];
    QN_TRY(qn_grow((void **)&tree->nodes, &tree->node_capacity, tree->node_count + 1, sizeof *tree->nodes));
    tree->nodes[tree->node_count++] = node;
    return QN_OK;
}

static qn_status read_split(reader *r, char *rest)
{
    char *end, *last, *stop;
    long parameter = strtol(rest, &end, 10);
    double threshold = strtod(end, &last);
    long right = strtol(last, &stop, 10);
    if (end == rest || last == end || stop == last || *stop || parameter < 0 ||
        (size_t)parameter >= r->model->parameter_count || !isfinite(threshold) || right < 1 || right > INT32_MAX)
        return refuse(r, "a split: number of a parameter, threshold, line of the right side");
    return add_node(r, (qn_tuning_model_node){(int)parameter, threshold, (uint32_t)right});
}

static qn_status read_leaf(reader *r, char *rest)
{
    qn_tuning_model *m = r->model;
    size_t base = m->leaf_count * m->column_count;
    QN_TRY(qn_grow((void **)&m->leaves, &m->leaf_capacity, base + m->column_count + 1, sizeof *m->leaves));
    for (size_t c = 0; c < m->column_count; c++) {
        char *end;
        long value = strtol(rest, &end, 10);
        if (end == rest || value < INT32_MIN || value > INT32_MAX) return refuse(r, "a leaf with a number per column");
        m->leaves[base + c] = (int32_t)value;
        rest = end;
    }
    if (*rest) return refuse(r, "a leaf with a number per column");
    return add_node(r, (qn_tuning_model_node){-1, 0, (uint32_t)m->leaf_count++});
}

/* Check the last tree: children come after their parent and are inside the tree, so that every walk down ends. */
static qn_status close_tree(reader *r)
{
    if (!r->model->tree_count) return QN_OK;
    const qn_tuning_model_tree *tree = &r->model->trees[r->model->tree_count - 1];
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].parameter >= 0 &&
            (tree->nodes[i].right <= i + 1 || tree->nodes[i].right >= tree->node_count))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s:%zu: the tree that ends here has a split at its line %zu whose right side is "
                           "line %u; expected %zu to %zu",
                           r->path, r->number, i, tree->nodes[i].right, i + 2, tree->node_count - 1);
    if (!tree->node_count) return refuse(r, "preceded by a tree with at least one line");
    return QN_OK;
}

static qn_status read_tree(reader *r)
{
    qn_tuning_model *m = r->model;
    if (!m->column_count) return refuse(r, "preceded by at least one column");
    QN_TRY(close_tree(r));
    QN_TRY(qn_grow((void **)&m->trees, &r->tree_capacity, m->tree_count + 1, sizeof *m->trees));
    m->trees[m->tree_count++] = (qn_tuning_model_tree){0};
    return QN_OK;
}

static qn_status read_lines(reader *r)
{
    qn_tuning_model *m = r->model;
    if (!read_line(r) || strcmp(r->line, FIRST_LINE) != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:1: a model begins with \"" FIRST_LINE "\"", r->path);
    QN_TRY(qn_text_copy("", &m->device));
    while (read_line(r)) {
        char *rest;
        if (strcmp(r->line, "end") == 0) {
            if (!m->tree_count) return refuse(r, "preceded by a tree");
            return close_tree(r);
        }
        if ((rest = after(r, "split")))
            QN_TRY(read_split(r, rest));
        else if ((rest = after(r, "leaf")))
            QN_TRY(read_leaf(r, rest));
        else if (strcmp(r->line, "tree") == 0)
            QN_TRY(read_tree(r));
        else if ((rest = after(r, "parameter")))
            QN_TRY(read_parameter(r, rest));
        else if ((rest = after(r, "text")))
            QN_TRY(read_text(r, rest));
        else if ((rest = after(r, "column")))
            QN_TRY(read_column(r, rest));
        else if ((rest = after(r, "samples")))
            m->sample_count = strtoul(rest, NULL, 10);
        else if ((rest = after(r, "device"))) {
            qn_release(&m->device);
            QN_TRY(qn_text_copy(rest, &m->device));
        } else
            return refuse(r, "a line of a model: device, samples, parameter, text, column, tree, split, leaf or end");
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the model has no line \"end\"; the file is cut short", r->path, r->number);
}

qn_status qn_tuning_model_read_memory(const char *name, const char *data, size_t size, qn_tuning_model **model)
{
    char *copy = NULL;
    *model = NULL;
    QN_TRY(qn_allocate(size + 1, 1, (void **)&copy));
    memcpy(copy, data, size);
    qn_status status = qn_allocate(1, sizeof **model, (void **)model);
    if (status == QN_OK) {
        reader r = {.path = name, .next = copy, .model = *model};
        status = read_lines(&r);
    }
    qn_release(&copy);
    if (status != QN_OK) qn_tuning_model_destroy(model);
    return status;
}

qn_status qn_tuning_model_read(const char *path, qn_tuning_model **model)
{
    char *data = NULL;
    size_t size;
    *model = NULL;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = qn_tuning_model_read_memory(path, data, size, model);
    qn_release(&data);
    return status;
}
