/* Training a portable model on a recorded space. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"
#include "tune/model/model.h"

enum { FOLDS = 5, LEAST_SAMPLES = 20, FOLD_STREAM = 0x666f6c64 };

/* Sum the relative errors of the counts (columns *.sum that are above 0) of correct points that were not learned. */
static qn_status add_errors(const qn_recorded_space *record, const qn_tuning_model *model, const unsigned char *learned,
                            double *sum, uint64_t *count)
{
    const size_t columns = record->counter_count;
    qn_tuning_model_binding *binding;
    double *predicted;
    QN_TRY(qn_allocate(columns, sizeof *predicted, (void **)&predicted));
    const qn_status status = qn_tuning_model_bind(model, record->space, &binding);
    for (qn_point point = 0; status == QN_OK && point < qn_space_size(record->space); point++) {
        if (learned[point] || record->tests[point].outcome != QN_TEST_CORRECT) continue;
        qn_tuning_model_predict(model, binding, point, predicted);
        for (size_t c = 0; c < columns; c++) {
            const double value = record->counters[point * columns + c];
            if (!strstr(record->counter_names[c], ".sum") || !(value > 0)) continue;
            *sum += fabs(predicted[c] - value) / value;
            ++*count;
        }
    }
    if (status == QN_OK) qn_tuning_model_unbind(&binding);
    qn_release(&predicted);
    return status;
}

static qn_status hold_out(const qn_recorded_space *record, qn_tuning_model_options options, double *error)
{
    const uint64_t points = qn_space_size(record->space);
    unsigned char *learned;
    double sum = 0;
    uint64_t count = 0;
    QN_TRY(qn_allocate(points, 1, (void **)&learned));
    qn_status status = QN_OK;
    options.learned = learned;
    for (int fold = 0; fold < FOLDS && status == QN_OK; fold++) {
        qn_tuning_model *model;
        for (uint64_t i = 0; i < points; i++)
            learned[i] = (int)(FOLDS * qn_random_uniform(options.seed, FOLD_STREAM, i)) != fold;
        status = qn_tuning_model_train(record, &options, &model);
        if (status == QN_OK) status = add_errors(record, model, learned, &sum, &count);
        qn_tuning_model_destroy(&model);
    }
    qn_release(&learned);
    *error = count > 0 ? sum / (double)count : (double)NAN;
    return status;
}

static qn_status train(const qn_recorded_space *record, const qn_tune_model_options *options,
                       qn_tune_model_facts *facts)
{
    const qn_tuning_model_options how = {
        .seed = options->run.seed, .trees = options->trees, .least_leaf = options->least_leaf};
    qn_tuning_model *model = NULL;
    if (record->counter_count == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the recorded space has no hardware counters; expected measurements beside the time, as KTT "
                       "writes them",
                       options->file);
    qn_status status = qn_tuning_model_train(record, &how, &model);
    if (status != QN_OK) return qn_error_add_context(status, "%s", options->file);
    *facts = (qn_tune_model_facts){.samples = qn_tuning_model_sample_count(model),
                                   .parameters = qn_space_parameter_count(record->space),
                                   .columns = qn_tuning_model_column_count(model),
                                   .error = NAN};
    if (facts->samples >= LEAST_SAMPLES) status = hold_out(record, how, &facts->error);
    if (status == QN_OK) status = qn_tuning_model_write(model, options->output);
    qn_tuning_model_destroy(&model);
    return status;
}

qn_status qn_tune_model_train(const qn_tune_model_options *given, qn_tune_model_facts *facts)
{
    qn_tune_model_options options;
    qn_tune_model_facts own;
    qn_recorded_space *record;
    QN_TRY(qn_option_take(qn_tune_model_train_option_table(), given, &options));
    QN_TRY(qn_option_check(qn_tune_model_train_option_table(), &options));
    QN_TRY(qn_recorded_space_read(options.file, &record));
    const qn_status status = train(record, &options, facts ? facts : &own);
    qn_recorded_space_destroy(&record);
    return status;
}
