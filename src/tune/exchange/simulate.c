#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/random.h"
#include "runtime/device.h"
#include "tune/exchange/replay.h"
#include "tune/model/model.h"
#include "tune/searcher/searcher.h"

enum { DEFAULT_REPEATS = 100, LEAST_BUDGET = 20, SEARCHERS_MAX = 32 };

typedef struct simulation {
    qn_pool *pool;
    const qn_tune_simulate_options *options;
    const char *searchers[SEARCHERS_MAX];
    size_t searcher_count, repeats;
    qn_tune_score *rows; /* [file][searcher], then [searcher] */
    double *scores;      /* [searcher][counted file][repeat] */
    size_t counted;
} simulation;

/* The repeats of one searcher on one file. */
typedef struct repeats {
    const qn_replay *replay;
    const char *searcher;
    const qn_tuning_model *model;
    uint64_t seed;
    qn_replay_score *scores;
} repeats;

static qn_status run_repeat(size_t index, int worker, void *user)
{
    repeats *all = user;
    size_t budget = all->replay->baseline->budget, done;
    qn_point *points;
    (void)worker;
    QN_TRY(qn_allocate(budget, sizeof(*points), (void **)&points));
    qn_status status =
        qn_replay_search(all->replay, all->searcher, all->seed + index, all->model, budget, points, &done);
    if (status == QN_OK) status = qn_replay_rate(all->replay, points, done, &all->scores[index]);
    qn_release(&points);
    return status;
}

static qn_status name_searchers(const char *wanted, simulation *run)
{
    const char *const *names, *const *meanings;
    size_t count = qn_tune_searchers(&names, &meanings);
    if (!wanted || strcmp(wanted, "all") == 0) {
        for (size_t i = 0; i < count && i < SEARCHERS_MAX; i++) run->searchers[run->searcher_count++] = names[i];
        return QN_OK;
    }
    while (*wanted) {
        size_t length = strcspn(wanted, ","), i = 0;
        while (i < count && !(strlen(names[i]) == length && strncmp(names[i], wanted, length) == 0)) i++;
        if (i == count || run->searcher_count == SEARCHERS_MAX) {
            qn_text text = {0};
            for (size_t k = 0; k < count; k++) QN_TRY(qn_text_append(&text, "%s%s", k ? ", " : "", names[k]));
            qn_status status =
                qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "there is no searcher \"%.*s\"; there are %s",
                             (int)length, wanted, text.data);
            qn_text_clear(&text);
            return status;
        }
        run->searchers[run->searcher_count++] = names[i];
        wanted += length + (wanted[length] == ',');
    }
    if (!run->searcher_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "no searcher is named; expected names separated by commas, or all");
    return QN_OK;
}

/* Get the model of the options, else a model that is trained on a random half of the points; NULL if these have no
 * counters, or too few points have. */
static qn_status get_model(const simulation *run, const qn_replay *replay, qn_tuning_model **model)
{
    const qn_recorded_space *record = replay->record;
    size_t points = (size_t)qn_space_size(record->space);
    unsigned char *learned;
    *model = NULL;
    if (run->options->model) return qn_tuning_model_find(run->options->model, model);
    if (!record->counter_count) return QN_OK;
    QN_TRY(qn_allocate(points, 1, (void **)&learned));
    for (size_t i = 0; i < points; i++) learned[i] = qn_random_uniform(run->options->run.seed, 0x68616c66, i) < 0.5;
    qn_tuning_model_options options = {.seed = run->options->run.seed, .learned = learned};
    qn_status status = qn_tuning_model_train(record, &options, model);
    if (status == QN_INVALID_ARGUMENT) { /* the half has too few points: searchers do without a model */
        qn_error_clear();
        status = QN_OK;
    }
    qn_release(&learned);
    return status;
}

static qn_status rate_searcher(simulation *run, const qn_replay *replay, const qn_tuning_model *model, size_t file,
                               size_t searcher)
{
    qn_tune_score *row = &run->rows[file * run->searcher_count + searcher];
    repeats all = {replay, run->searchers[searcher], model, run->options->run.seed, NULL};
    qn_searcher_score_interval interval = {0};
    double *scores;
    QN_TRY(qn_allocate(run->repeats, sizeof(*scores), (void **)&scores));
    qn_status status = qn_allocate(run->repeats, sizeof(*all.scores), (void **)&all.scores);
    if (status == QN_OK) status = qn_pool_run(run->pool, run->repeats, run_repeat, &all);
    *row = (qn_tune_score){.searcher = run->searchers[searcher],
                           .file = run->options->files[file],
                           .budget = replay->baseline->budget,
                           .counted = replay->baseline->budget >= LEAST_BUDGET};
    for (size_t i = 0; status == QN_OK && i < run->repeats; i++) {
        scores[i] = all.scores[i].score;
        row->time_score += all.scores[i].time_score / (double)run->repeats;
        row->tests_to_110_percent += all.scores[i].tests_to_110_percent / (double)run->repeats;
    }
    if (status == QN_OK)
        status = qn_searcher_score_bootstrap(scores, NULL, 1, run->repeats, run->options->run.seed, &interval);
    row->score = interval.mean;
    row->low = interval.low;
    row->high = interval.high;
    if (status == QN_OK && row->counted)
        memcpy(run->scores + (searcher * run->options->file_count + run->counted) * run->repeats, scores,
               run->repeats * sizeof(*scores));
    qn_release(&scores);
    qn_release(&all.scores);
    return status;
}

static qn_status rate_file(simulation *run, size_t file)
{
    qn_replay replay;
    qn_tuning_model *model = NULL;
    QN_TRY(qn_replay_open(run->options->files[file], &replay));
    qn_status status = get_model(run, &replay, &model);
    for (size_t s = 0; status == QN_OK && s < run->searcher_count; s++)
        status = rate_searcher(run, &replay, model, file, s);
    if (status == QN_OK && replay.baseline->budget >= LEAST_BUDGET) run->counted++;
    qn_tuning_model_destroy(&model);
    qn_replay_close(&replay);
    return status;
}

/* Average a searcher's scores over the files that count, and its time scores over those of them with known times. */
static qn_status average(simulation *run, size_t searcher)
{
    size_t files = run->options->file_count, timed = 0;
    qn_tune_score *mean = &run->rows[files * run->searcher_count + searcher];
    qn_searcher_score_interval interval = {0};
    *mean = (qn_tune_score){.searcher = run->searchers[searcher], .counted = run->counted > 0};
    if (!run->counted) return QN_OK;
    QN_TRY(qn_searcher_score_bootstrap(run->scores + searcher * files * run->repeats, NULL, run->counted, run->repeats,
                                       run->options->run.seed, &interval));
    mean->score = interval.mean;
    mean->low = interval.low;
    mean->high = interval.high;
    for (size_t f = 0; f < files; f++) {
        const qn_tune_score *row = &run->rows[f * run->searcher_count + searcher];
        if (!row->counted) continue;
        mean->budget += row->budget;
        mean->tests_to_110_percent += row->tests_to_110_percent / (double)run->counted;
        if (isnan(row->time_score)) continue;
        mean->time_score += row->time_score;
        timed++;
    }
    mean->budget /= run->counted;
    mean->time_score = timed ? mean->time_score / (double)timed : (double)NAN;
    return QN_OK;
}

qn_status qn_tune_simulate(qn_context *context, const qn_tune_simulate_options *given, qn_tune_scores **scores)
{
    qn_tune_simulate_options own;
    *scores = NULL;
    QN_TRY(qn_option_take(qn_tune_simulate_option_table(), given, &own));
    const qn_tune_simulate_options *options = &own;
    simulation run = {
        .pool = context ? qn_context_pool(context) : NULL, .options = options, .repeats = (size_t)options->repeats};
    qn_tune_scores *made;
    QN_TRY(qn_option_check(qn_tune_simulate_option_table(), options));
    QN_TRY(name_searchers(options->searchers, &run));
    QN_TRY(qn_allocate(1, sizeof(*made), (void **)&made));
    made->row_count = (options->file_count + 1) * run.searcher_count;
    qn_status status = qn_allocate(made->row_count, sizeof(*made->rows), (void **)&made->rows);
    if (status == QN_OK)
        status = qn_allocate(options->file_count * run.searcher_count * run.repeats, sizeof(*run.scores),
                             (void **)&run.scores);
    run.rows = made->rows;
    for (size_t f = 0; status == QN_OK && f < options->file_count; f++) status = rate_file(&run, f);
    for (size_t s = 0; status == QN_OK && s < run.searcher_count; s++) status = average(&run, s);
    qn_release(&run.scores);
    if (status != QN_OK)
        qn_tune_scores_destroy(&made);
    else
        *scores = made;
    return status;
}

void qn_tune_scores_destroy(qn_tune_scores **scores)
{
    if (!*scores) return;
    qn_release(&(*scores)->rows);
    qn_release(scores);
}
