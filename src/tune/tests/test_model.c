/* Portable models on a space whose counts follow formulas. */
#include "tune/model/model.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"

enum { COLUMNS = 3, POINTS = 8 * 5 * 2 };

static char *column_names[COLUMNS] = {"reads", "writes", "spills"};

typedef struct made {
    qn_recorded_space record;
    qn_test tests[POINTS];
    double counters[POINTS * COLUMNS];
    unsigned char even[POINTS];
} made;

/* reads = 1000·A·B, writes = 64, spills = 100·A if LAYOUT is tile, else 0; A·B = 128 fails. */
static int make(made *m)
{
    const int64_t a[] = {1, 2, 3, 4, 5, 6, 7, 8}, b[] = {1, 2, 4, 8, 16};
    const qn_value layouts[] = {qn_value_text("row"), qn_value_text("tile")};
    *m = (made){.record = {.name = "formulas", .device = "paper", .counter_names = column_names}};
    m->record.counter_count = COLUMNS;
    m->record.tests = m->tests;
    m->record.counters = m->counters;
    qn_space *space = NULL;
    if (!CHECK_OK(qn_space_create("formulas", &space)) || !CHECK_OK(qn_space_add_integers(space, "A", a, 8, 1)) ||
        !CHECK_OK(qn_space_add_integers(space, "B", b, 5, 1)) ||
        !CHECK_OK(qn_space_add(space, "LAYOUT", layouts, 2, layouts[0])) || !CHECK_OK(qn_space_solve(space)))
        return 0;
    m->record.space = space;
    for (qn_point point = 0; point < POINTS; point++) {
        uint16_t n[3];
        qn_space_get(space, point, n);
        double *c = m->counters + point * COLUMNS, product = (double)(a[n[0]] * b[n[1]]);
        m->tests[point].outcome = product == 128 ? QN_TEST_LAUNCH : QN_TEST_CORRECT;
        c[0] = product == 128 ? NAN : 1000 * product;
        c[1] = 64;
        c[2] = n[2] ? 100 * (double)a[n[0]] : 0;
        m->even[point] = (n[0] + n[1] + n[2]) % 2 == 0;
    }
    return 1;
}

static void check_learned(const made *m, const qn_tuning_model *model, const unsigned char *which, double tolerance)
{
    qn_tuning_model_binding *binding;
    double columns[COLUMNS];
    if (!CHECK_OK(qn_tuning_model_bind(model, m->record.space, &binding))) return;
    for (qn_point point = 0; point < POINTS; point++) {
        if ((which && !which[point]) || m->tests[point].outcome != QN_TEST_CORRECT) continue;
        qn_tuning_model_predict(model, binding, point, columns);
        for (int c = 0; c < COLUMNS; c++)
            CHECK_NEAR(columns[c], m->counters[point * COLUMNS + c],
                       tolerance * fmax(1, m->counters[point * COLUMNS + c]));
    }
    qn_tuning_model_unbind(&binding);
}

/* With one leaf per sample, learned points are predicted up to the leaves' step of 1e-4 standard deviations. */
static void learned_points_are_predicted(void)
{
    made m;
    qn_tuning_model *model;
    if (!make(&m)) return;
    if (CHECK_OK(qn_tuning_model_train(&m.record, &(qn_tuning_model_options){.seed = 3, .learned = m.even}, &model))) {
        CHECK(qn_tuning_model_column_count(model) == COLUMNS);
        CHECK_TEXT(qn_tuning_model_column_name(model, 2), "spills");
        check_learned(&m, model, m.even, 1e-3);
        qn_tuning_model_destroy(&model);
    }
    qn_space_destroy(&m.record.space);
}

/* The learned points are every second one, as on a checkerboard. The reads of neighbours differ by at most a factor of
 * two, and the mean error of the trees must be smaller. */
static void points_between_learned_ones_are_interpolated(void)
{
    made m;
    qn_tuning_model *model;
    qn_tuning_model_binding *binding;
    if (!make(&m)) return;
    double columns[COLUMNS], sum = 0;
    int count = 0;
    if (CHECK_OK(qn_tuning_model_train(&m.record, &(qn_tuning_model_options){.seed = 5, .learned = m.even}, &model)) &&
        CHECK_OK(qn_tuning_model_bind(model, m.record.space, &binding))) {
        for (qn_point point = 0; point < POINTS; point++) {
            if (m.even[point] || m.tests[point].outcome != QN_TEST_CORRECT) continue;
            qn_tuning_model_predict(model, binding, point, columns);
            sum += fabs(log(columns[0] / m.counters[point * COLUMNS]));
            count++;
            CHECK_NEAR(columns[1], 64, 1e-6);
        }
        CHECK(count > 30 && sum / count < log(2));
        qn_tuning_model_unbind(&binding);
    }
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&m.record.space);
}

static void the_seed_determines_the_model(void)
{
    made m;
    qn_tuning_model *models[3] = {NULL};
    char *texts[3] = {NULL}, *path;
    size_t sizes[3];
    if (!make(&m)) return;
    const uint64_t seeds[3] = {1, 1, 2};
    int good = 1;
    for (int i = 0; i < 3 && good; i++) {
        char name[16] = "model0";
        name[5] = (char)('0' + i);
        good = CHECK_OK(qn_path_join(check_scratch_folder(), name, &path)) &&
               CHECK_OK(qn_tuning_model_train(&m.record, &(qn_tuning_model_options){.seed = seeds[i]}, &models[i])) &&
               CHECK_OK(qn_tuning_model_write(models[i], path)) && CHECK_OK(qn_file_read(path, &texts[i], &sizes[i]));
        qn_release(&path);
    }
    if (good) {
        CHECK(sizes[0] == sizes[1] && memcmp(texts[0], texts[1], sizes[0]) == 0);
        CHECK(sizes[0] != sizes[2] || memcmp(texts[0], texts[2], sizes[0]) != 0);
    }
    for (int i = 0; i < 3; i++) {
        qn_release(&texts[i]);
        qn_tuning_model_destroy(&models[i]);
    }
    qn_space_destroy(&m.record.space);
}

static void text_keeps_a_model_exactly(void)
{
    made m;
    qn_tuning_model *model = NULL, *again = NULL;
    qn_tuning_model_binding *binding = NULL, *other = NULL;
    char *path;
    if (!make(&m)) return;
    if (CHECK_OK(qn_path_join(check_scratch_folder(), "model", &path)) &&
        CHECK_OK(qn_tuning_model_train(&m.record, &(qn_tuning_model_options){.seed = 9, .least_leaf = 2}, &model)) &&
        CHECK_OK(qn_tuning_model_write(model, path)) && CHECK_OK(qn_tuning_model_read(path, &again)) &&
        CHECK_OK(qn_tuning_model_bind(model, m.record.space, &binding)) &&
        CHECK_OK(qn_tuning_model_bind(again, m.record.space, &other)))
        for (qn_point point = 0; point < POINTS; point++) {
            double a[COLUMNS], b[COLUMNS];
            qn_tuning_model_predict(model, binding, point, a);
            qn_tuning_model_predict(again, other, point, b);
            CHECK(memcmp(a, b, sizeof a) == 0);
        }
    qn_release(&path);
    qn_tuning_model_unbind(&binding);
    qn_tuning_model_unbind(&other);
    qn_tuning_model_destroy(&model);
    qn_tuning_model_destroy(&again);
    qn_space_destroy(&m.record.space);
}

/* A model predicts the counts of another space, which has more parameters and other values. */
static void models_apply_to_other_spaces(void)
{
    made m;
    qn_tuning_model *model = NULL;
    qn_tuning_model_binding *binding = NULL;
    qn_space *space = NULL;
    const int64_t a[] = {2, 4}, b[] = {4}, more[] = {0, 1};
    const qn_value layouts[] = {qn_value_text("tile"), qn_value_text("ring")};
    if (!make(&m)) return;
    if (CHECK_OK(qn_tuning_model_train(&m.record, &(qn_tuning_model_options){.seed = 1}, &model)) &&
        CHECK_OK(qn_space_create("other", &space)) && CHECK_OK(qn_space_add_integers(space, "MORE", more, 2, 0)) &&
        CHECK_OK(qn_space_add(space, "LAYOUT", layouts, 2, layouts[0])) &&
        CHECK_OK(qn_space_add_integers(space, "B", b, 1, 4)) && CHECK_OK(qn_space_solve(space))) {
        CHECK_FAILS(qn_tuning_model_bind(model, space, &binding), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS("no parameter A");
    }
    qn_space_destroy(&space);
    if (CHECK_OK(qn_space_create("other", &space)) && CHECK_OK(qn_space_add_integers(space, "MORE", more, 2, 0)) &&
        CHECK_OK(qn_space_add(space, "LAYOUT", layouts, 2, layouts[0])) &&
        CHECK_OK(qn_space_add_integers(space, "B", b, 1, 4)) && CHECK_OK(qn_space_add_integers(space, "A", a, 2, 2)) &&
        CHECK_OK(qn_space_solve(space)) && CHECK_OK(qn_tuning_model_bind(model, space, &binding))) {
        double columns[COLUMNS];
        qn_point point;
        if (CHECK(qn_space_find(space, (uint16_t[]){1, 0, 0, 1}, &point))) { /* LAYOUT=tile B=4 A=4 */
            qn_tuning_model_predict(model, binding, point, columns);
            CHECK_NEAR(columns[0], 16000, 16);
            CHECK_NEAR(columns[2], 400, 4);
        }
    }
    qn_tuning_model_unbind(&binding);
    qn_space_destroy(&space);
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&m.record.space);
}

static void too_few_samples_are_refused(void)
{
    made m;
    qn_tuning_model *model;
    if (!make(&m)) return;
    memset(m.even, 0, sizeof m.even);
    m.even[0] = 1;
    CHECK_FAILS(qn_tuning_model_train(&m.record, &(qn_tuning_model_options){.learned = m.even}, &model),
                QN_INVALID_ARGUMENT);
    CHECK(model == NULL);
    qn_space_destroy(&m.record.space);
}

static void broken_files_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } files[] = {
        {"", ":1: a model begins with"},
        {"quern model 1\ncolumn 1 1 reads\ntree\nleaf 1\n", "no line \"end\""},
        {"quern model 1\nend\n", "preceded by a tree"},
        {"quern model 1\ncolumn 1 1 reads\ntree\nend\n", "at least one line"},
        {"quern model 1\ncolumn 1 1 reads\ntree\nleaf\nend\n", ":4:"},
        {"quern model 1\ncolumn 1 1 reads\ntree\nleaf 1 2\nend\n", ":4:"},
        {"quern model 1\ncolumn 1 nan reads\ntree\nleaf 1\nend\n", ":2:"},
        {"quern model 1\nparameter A\ncolumn 1 1 reads\ntree\nsplit 1 2 2\nleaf 1\nleaf 2\nend\n", ":5:"},
        {"quern model 1\nparameter A\ncolumn 1 1 reads\ntree\nsplit 0 2 1\nleaf 1\nleaf 2\nend\n", "right side"},
        {"quern model 1\nparameter A\ncolumn 1 1 reads\ntree\nsplit 0 2 3\nleaf 1\nleaf 2\nend\n", "right side"},
        {"quern model 1\ncolumn 1 1 reads\nleaf 1\nend\n", ":3:"},
        {"quern model 1\ntree\n", ":2:"},
        {"quern model 1\ntext row\n", ":2:"},
        {"quern model 1\ncolumn 1 1 reads\nbush\n", ":3: \"bush\""},
    };
    char *path;
    if (!CHECK_OK(qn_path_join(check_scratch_folder(), "broken", &path))) return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        qn_tuning_model *model;
        if (!CHECK_OK(qn_file_write(path, files[i].text, strlen(files[i].text)))) break;
        CHECK_FAILS(qn_tuning_model_read(path, &model), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(files[i].message);
        CHECK(model == NULL);
    }
    qn_release(&path);
}

static void tables_return_their_values(void)
{
    made m;
    qn_tuning_model *model = NULL;
    qn_tuning_model_binding *binding = NULL;
    if (!make(&m)) return;
    const char *names[COLUMNS] = {"reads", "writes", "spills"};
    double columns[COLUMNS];
    if (CHECK_OK(qn_tuning_model_from_table(m.record.space, names, COLUMNS, m.counters, &model)) &&
        CHECK_OK(qn_tuning_model_bind(model, m.record.space, &binding))) {
        qn_tuning_model_predict(model, binding, 17, columns);
        CHECK(memcmp(columns, m.counters + 17 * COLUMNS, sizeof columns) == 0);
        CHECK_FAILS(qn_tuning_model_write(model, "nowhere"), QN_INVALID_ARGUMENT);
    }
    qn_tuning_model_unbind(&binding);
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&m.record.space);
}

int main(void)
{
    RUN(learned_points_are_predicted);
    RUN(points_between_learned_ones_are_interpolated);
    RUN(the_seed_determines_the_model);
    RUN(text_keeps_a_model_exactly);
    RUN(models_apply_to_other_spaces);
    RUN(too_few_samples_are_refused);
    RUN(broken_files_are_refused);
    RUN(tables_return_their_values);
    return check_finish();
}
