#include "tune/goal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/energy_meter.h"

enum { SECONDS, JOULES, WATTS, LIMIT_SECONDS, NAMES };

static const char *const names[NAMES] = {"seconds", "joules", "watts", "limit_seconds"};

static qn_status read_meter(void *user, double *joules)
{
    return qn_energy_meter_read(user, joules);
}

static qn_status add_objective(qn_goal *goal, const char *text, size_t length)
{
    char part[256];
    while (length > 0 && text[0] == ' ') text++, length--;
    while (length > 0 && text[length - 1] == ' ') length--;
    if (goal->count == QN_GOAL_OBJECTIVES || length >= sizeof part)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the objective \"%.*s\" is one too many or too long; expected at most %d",
                       (int)length, text, QN_GOAL_OBJECTIVES);
    memcpy(part, text, length);
    part[length] = '\0';
    qn_expression **objective = &goal->objectives[goal->count];
    QN_TRY(qn_expression_create(part, "objective", names, NAMES, objective));
    goal->count++;
    goal->uses_energy |= qn_expression_uses(*objective, JOULES) || qn_expression_uses(*objective, WATTS);
    goal->uses_limit |= qn_expression_uses(*objective, LIMIT_SECONDS);
    goal->is_time = goal->count == 1 && strcmp(part, names[SECONDS]) == 0;
    return QN_OK;
}

/* Split the text at commas that are not inside brackets. */
static qn_status read_objectives(qn_goal *goal, const char *text)
{
    const char *start = text;
    int depth = 0;
    for (const char *at = text;; at++) {
        depth += *at == '(' || *at == '[';
        depth -= *at == ')' || *at == ']';
        if (*at && !(*at == ',' && depth == 0)) continue;
        QN_TRY(add_objective(goal, start, (size_t)(at - start)));
        if (!*at) return QN_OK;
        start = at + 1;
    }
}

qn_status qn_goal_open(const char *objective, qn_device *device, double limit_seconds, const qn_tune_meter *planted,
                       qn_goal *goal)
{
    qn_energy_meter *meter;
    *goal = (qn_goal){.limit_seconds = limit_seconds};
    QN_TRY(read_objectives(goal, objective ? objective : names[SECONDS]));
    if (goal->uses_limit && !(limit_seconds > 0))
        return QN_FAIL(QN_UNSUPPORTED, "the objective \"%s\" uses limit_seconds, which is not known here", objective);
    if (!goal->uses_energy) return QN_OK;
    goal->meter = planted;
    if (planted) return QN_OK;
    QN_TRY(qn_energy_meter_create(device, &meter));
    goal->own = (qn_tune_meter){.read = read_meter, .user = meter};
    goal->meter = &goal->own;
    return QN_OK;
}

void qn_goal_close(qn_goal *goal)
{
    qn_energy_meter *meter = goal->own.user;
    for (int i = 0; i < goal->count; i++) qn_expression_destroy(&goal->objectives[i]);
    qn_energy_meter_destroy(&meter);
    qn_release(&goal->points);
    *goal = (qn_goal){.count = 0};
}

static qn_status evaluate(const qn_goal *goal, const qn_test *test, int number, double *value)
{
    const qn_value values[NAMES] = {qn_value_real(test->seconds), qn_value_real(test->joules),
                                    qn_value_real(test->joules / test->seconds), qn_value_real(goal->limit_seconds)};
    const char *text = qn_expression_text(goal->objectives[number]);
    qn_value result;
    QN_TRY(qn_expression_evaluate(goal->objectives[number], values, &result));
    *value = result.kind == QN_REAL ? result.as.real : result.kind == QN_INTEGER ? (double)result.as.integer : NAN;
    if (!(*value > 0 && isfinite(*value)))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the objective \"%s\" is %g of a run of %g s and %g J; expected a positive number", text, *value,
                       test->seconds, test->joules);
    return QN_OK;
}

qn_status qn_goal_apply(const qn_goal *goal, qn_test *test)
{
    const double spread = test->spread / test->objective;
    if (test->outcome != QN_TEST_CORRECT) return QN_OK;
    test->seconds = test->objective;
    if (goal->is_time) return QN_OK;
    QN_TRY(evaluate(goal, test, 0, &test->objective));
    test->spread = spread * test->objective; /* the relative spread of the time */
    return QN_OK;
}

/* Whether no objective of `a` is worse than that of `b`. */
static bool covers(const qn_goal *goal, const qn_goal_point *a, const qn_goal_point *b)
{
    for (int i = 0; i < goal->count; i++)
        if (a->values[i] > b->values[i]) return false;
    return true;
}

qn_status qn_goal_note(qn_goal *goal, const char *text, const qn_test *test)
{
    qn_goal_point added = {.front = {.seconds = test->seconds, .joules = test->joules}};
    size_t kept = 0;
    void *memory = goal->points;
    if (goal->count < 2 || test->outcome != QN_TEST_CORRECT) return QN_OK;
    snprintf(added.front.text, sizeof added.front.text, "%s", text);
    for (int i = 0; i < goal->count; i++) QN_TRY(evaluate(goal, test, i, &added.values[i]));
    for (size_t i = 0; i < goal->point_count; i++) /* the last test of a configuration is valid */
        if (strcmp(goal->points[i].front.text, added.front.text) != 0) goal->points[kept++] = goal->points[i];
    goal->point_count = kept;
    kept = 0;
    for (size_t i = 0; i < goal->point_count; i++)
        if (covers(goal, &goal->points[i], &added)) return QN_OK;
    for (size_t i = 0; i < goal->point_count; i++)
        if (!covers(goal, &added, &goal->points[i])) goal->points[kept++] = goal->points[i];
    goal->point_count = kept;
    QN_TRY(qn_grow(&memory, &goal->point_capacity, kept + 1, sizeof *goal->points));
    goal->points = memory;
    goal->points[goal->point_count++] = added;
    return QN_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = ((const qn_goal_point *)a)->values[0], y = ((const qn_goal_point *)b)->values[0];
    return (x > y) - (x < y);
}

void qn_goal_report(qn_goal *goal, qn_tune_result *result)
{
    const size_t all = goal->point_count, shown = all < QN_TUNE_FRONT_MAX ? all : QN_TUNE_FRONT_MAX;
    if (all == 0) return;
    qsort(goal->points, all, sizeof *goal->points, compare);
    for (size_t i = 0; i < shown; i++)
        result->front[i] = goal->points[shown < 2 ? 0 : i * (all - 1) / (shown - 1)].front;
    result->front_count = shown;
}
