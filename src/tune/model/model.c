#include "tune/model/model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/model/model_data.h"

struct qn_tuning_model_binding {
    const qn_space *space;
    size_t *parameters; /* [model parameter] its number in the space */
    double **features;  /* [model parameter][value number of the space] */
    size_t parameter_count;
};

double qn_tuning_model_feature(const qn_tuning_model_parameter *parameter, const qn_value *value)
{
    switch (value->kind) {
    case QN_INTEGER: return (double)value->as.integer;
    case QN_REAL: return value->as.real;
    case QN_BOOLEAN: return value->as.boolean ? 1 : 0;
    case QN_TEXT:
        for (size_t i = 0; i < parameter->text_count; i++)
            if (strcmp(parameter->texts[i], value->as.text) == 0) return (double)i;
    }
    return -1;
}

void qn_tuning_model_destroy(qn_tuning_model **model)
{
    if (!model || !*model) return;
    qn_tuning_model *m = *model;
    for (size_t i = 0; m->parameters && i < m->parameter_count; i++) {
        for (size_t k = 0; m->parameters[i].texts && k < m->parameters[i].text_count; k++)
            qn_release(&m->parameters[i].texts[k]);
        qn_release(&m->parameters[i].texts);
        qn_release(&m->parameters[i].name);
    }
    for (size_t i = 0; m->columns && i < m->column_count; i++) qn_release(&m->columns[i].name);
    for (size_t i = 0; m->trees && i < m->tree_count; i++) qn_release(&m->trees[i].nodes);
    qn_release(&m->parameters);
    qn_release(&m->columns);
    qn_release(&m->trees);
    qn_release(&m->leaves);
    qn_release(&m->table);
    qn_release(&m->device);
    if (m->drop) m->drop(&m->user);
    qn_release(model);
}

/* Fill in the parts of a model of one space, except its table or function. */
static qn_status begin(const qn_space *space, const char *const *names, size_t column_count, qn_tuning_model *model)
{
    model->column_count = column_count;
    model->table_points = qn_space_size(space);
    QN_TRY(qn_text_copy("", &model->device));
    QN_TRY(qn_allocate(column_count, sizeof *model->columns, (void **)&model->columns));
    for (size_t c = 0; c < column_count; c++) QN_TRY(qn_text_copy(names[c], &model->columns[c].name));
    return QN_OK;
}

qn_status qn_tuning_model_from_table(const qn_space *space, const char *const *names, size_t column_count,
                                     const double *values, qn_tuning_model **model)
{
    *model = NULL;
    if (!column_count) return QN_FAIL(QN_INVALID_ARGUMENT, "a model has no columns; expected at least one");
    QN_TRY(qn_allocate(1, sizeof **model, (void **)model));
    const size_t count = qn_space_size(space) * column_count;
    qn_status status = begin(space, names, column_count, *model);
    if (status == QN_OK) status = qn_allocate(count, sizeof *values, (void **)&(*model)->table);
    if (status == QN_OK) memcpy((*model)->table, values, count * sizeof *values);
    if (status != QN_OK) qn_tuning_model_destroy(model);
    return status;
}

qn_status qn_tuning_model_from_function(const qn_space *space, const char *const *names, size_t column_count,
                                        qn_tuning_model_function function, void *user, void (*drop)(void **user),
                                        qn_tuning_model **model)
{
    void *memory;
    *model = NULL;
    qn_status status = qn_allocate(1, sizeof **model, &memory);
    if (status != QN_OK) {
        drop(&user);
        return status;
    }
    qn_tuning_model *made = memory;
    made->function = function;
    made->user = user;
    made->drop = drop;
    status = begin(space, names, column_count, made);
    if (status != QN_OK)
        qn_tuning_model_destroy(&made);
    else
        *model = made;
    return status;
}

size_t qn_tuning_model_sample_count(const qn_tuning_model *model)
{
    return model->sample_count;
}

size_t qn_tuning_model_column_count(const qn_tuning_model *model)
{
    return model->column_count;
}

const char *qn_tuning_model_column_name(const qn_tuning_model *model, size_t column)
{
    return model->columns[column].name;
}

static qn_status bind_parameter(const qn_tuning_model_parameter *parameter, qn_tuning_model_binding *binding,
                                size_t number)
{
    const qn_space *space = binding->space;
    size_t p = 0;
    while (p < qn_space_parameter_count(space) && strcmp(qn_space_parameter_name(space, p), parameter->name) != 0) p++;
    if (p == qn_space_parameter_count(space))
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s has no parameter %s, which the model was trained on",
                       qn_space_name(space), parameter->name);
    binding->parameters[number] = p;
    size_t count = qn_space_value_count(space, p);
    QN_TRY(qn_allocate(count, sizeof(double), (void **)&binding->features[number]));
    for (size_t i = 0; i < count; i++)
        binding->features[number][i] = qn_tuning_model_feature(parameter, qn_space_value(space, p, i));
    return QN_OK;
}

static qn_status bind_all(const qn_tuning_model *model, qn_tuning_model_binding *binding)
{
    if (model->table_points && model->table_points != qn_space_size(binding->space))
        return QN_FAIL(QN_INVALID_ARGUMENT, "space %s has %llu points; the model was made for %llu",
                       qn_space_name(binding->space), (unsigned long long)qn_space_size(binding->space),
                       (unsigned long long)model->table_points);
    QN_TRY(qn_allocate(model->parameter_count, sizeof(size_t), (void **)&binding->parameters));
    QN_TRY(qn_allocate(model->parameter_count, sizeof(double *), (void **)&binding->features));
    binding->parameter_count = model->parameter_count;
    for (size_t i = 0; i < model->parameter_count; i++) QN_TRY(bind_parameter(&model->parameters[i], binding, i));
    return QN_OK;
}

qn_status qn_tuning_model_bind(const qn_tuning_model *model, const qn_space *space, qn_tuning_model_binding **binding)
{
    *binding = NULL;
    QN_TRY(qn_allocate(1, sizeof **binding, (void **)binding));
    (*binding)->space = space;
    qn_status status = bind_all(model, *binding);
    if (status != QN_OK) qn_tuning_model_unbind(binding);
    return status;
}

void qn_tuning_model_unbind(qn_tuning_model_binding **binding)
{
    if (!binding || !*binding) return;
    for (size_t i = 0; i < (*binding)->parameter_count; i++) qn_release(&(*binding)->features[i]);
    qn_release(&(*binding)->features);
    qn_release(&(*binding)->parameters);
    qn_release(binding);
}

void qn_tuning_model_predict(const qn_tuning_model *model, const qn_tuning_model_binding *binding, qn_point point,
                             double *columns)
{
    size_t count = model->column_count;
    if (model->function) {
        model->function(model->user, point, columns);
        return;
    }
    if (model->table) {
        memcpy(columns, model->table + point * count, count * sizeof *columns);
        return;
    }
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    double features[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(binding->space, point, numbers);
    for (size_t i = 0; i < model->parameter_count; i++)
        features[i] = binding->features[i][numbers[binding->parameters[i]]];
    memset(columns, 0, count * sizeof *columns);
    for (size_t t = 0; t < model->tree_count; t++) {
        const qn_tuning_model_node *nodes = model->trees[t].nodes, *node = nodes;
        while (node->parameter >= 0)
            node = features[node->parameter] < node->threshold ? node + 1 : nodes + node->right;
        const int32_t *leaf = model->leaves + (size_t)node->right * count;
        for (size_t c = 0; c < count; c++) columns[c] += leaf[c];
    }
    for (size_t c = 0; c < count; c++) {
        double steps = columns[c] / (double)model->tree_count;
        columns[c] = expm1(model->columns[c].mean + model->columns[c].scale * QN_MODEL_LEAF_STEP * steps);
    }
}
