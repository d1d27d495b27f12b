/* Every row of every table is tested at and beyond its limits: the command line, a plan and the library must agree. */
#define _DEFAULT_SOURCE 1
#include "check.h"
/* The command line is not a library, so its sources are compiled into the test. */
#include "cli/help.c"
#include "cli/options.c"
#include "cli/output.c"
#include "cli/words.c"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <quern/deform.h>
#include <quern/dock.h>
#include <quern/evaluate.h>
#include <quern/fft.h>
#include <quern/fsc.h>
#include <quern/project.h>
#include <quern/reconstruct.h>
#include <quern/screen.h>
#include <quern/trajectory.h>
#include <quern/tune.h>

#include "report/options.h"

static const qn_option_table *(*const tables[])(void) = {qn_dock_option_table,
                                                         qn_screen_option_table,
                                                         qn_screen_pack_option_table,
                                                         qn_screen_deck_option_table,
                                                         qn_trajectory_option_table,
                                                         qn_trajectory_convert_option_table,
                                                         qn_reconstruct_option_table,
                                                         qn_fsc_option_table,
                                                         qn_project_option_table,
                                                         qn_evaluate_option_table,
                                                         qn_devices_option_table,
                                                         qn_fft_advice_option_table,
                                                         qn_tune_run_option_table,
                                                         qn_tune_list_option_table,
                                                         qn_tune_explain_option_table,
                                                         qn_tune_export_option_table,
                                                         qn_tune_import_option_table,
                                                         qn_tune_simulate_option_table,
                                                         qn_tune_model_train_option_table,
                                                         qn_deform_solve_option_table,
                                                         qn_deform_space_option_table,
                                                         qn_deform_simulate_option_table,
                                                         qn_deform_serve_option_table};
enum { TABLES = sizeof tables / sizeof *tables };

enum { OPTIONS_BYTES = 4096, CASES_MAX = 16 };

/* A value as stored in the options, and whether it is within the row's limits. */
typedef struct value_case {
    union {
        bool flag;
        int integer, sizes[QN_OPTION_SIZES_MAX];
        uint64_t whole[2];
        double number[6];
        const char *text;
    } value;
    size_t bytes;
    bool good;
} value_case;

static const qn_option_table *table; /* under test, with one of its rows and the values for it */
static qn_option row;
static value_case cases[CASES_MAX];
static size_t case_count;

static void add(value_case one)
{
    if (CHECK(case_count < CASES_MAX)) cases[case_count++] = one;
}

/* ---- values at limits ---- */

static void add_integer(long long value, bool good)
{
    if (value >= INT_MIN && value <= INT_MAX)
        add((value_case){.value.integer = (int)value, .bytes = sizeof(int), .good = good});
}

static void add_whole(uint64_t value, bool good)
{
    add((value_case){.value.whole = {value, UINT64_MAX},
                     .bytes = (row.kind == QN_OPTION_RANGE ? 2 : 1) * sizeof(uint64_t),
                     .good = good});
}

/* Three percentages, centre and sides of a box, or one number. */
static void add_number(double value, bool good)
{
    value_case one = {.value.number = {value, value, value, value, value, value}, .good = good};
    const int count = row.kind == QN_OPTION_BOX ? 6 : row.kind == QN_OPTION_PERCENTS ? 3 : 1;
    one.bytes = (size_t)count * sizeof(double);
    add(one);
}

static void add_size(long long value, bool good)
{
    if (value > INT_MAX) return;
    add((value_case){.value.sizes = {(int)value, 1}, .bytes = (size_t)row.count * sizeof(int), .good = good});
}

static void add_text(const char *text, bool good)
{
    add((value_case){.value.text = text, .bytes = sizeof text, .good = good});
}

static void add_wholes(void)
{
    add_whole((uint64_t)row.least, true);
    if (row.least > 0) add_whole((uint64_t)row.least - 1, false);
    add_whole(row.most >= 0x1p64 ? UINT64_MAX : (uint64_t)row.most, true);
    if (row.most < 0x1p64) add_whole((uint64_t)row.most + 1, row.kind == QN_OPTION_RANGE);
}

static void add_numbers(void)
{
    if (row.choices) {
        for (const char *word = row.choices; *word; word += strcspn(word, " "), word += *word == ' ')
            add_number(strtod(word, NULL), true);
        add_number(1.25, false);
    } else if (!isinf(row.most)) {
        add_number(row.least, true);
        add_number(nextafter(row.least, -INFINITY), false);
        add_number(row.most, true);
        add_number(nextafter(row.most, INFINITY), false);
        if (!row.fallback || strcmp(row.fallback, "nan") != 0) add_number((double)NAN, false);
    }
}

static int count_words(const char *words)
{
    int count = *words != '\0';
    for (; *words; words++) count += *words == ' ';
    return count;
}

static void make_cases(void)
{
    case_count = 0;
    switch (row.kind) {
    case QN_OPTION_INTEGER:
        add_integer((long long)row.least, true);
        add_integer((long long)row.least - 1, false);
        add_integer((long long)row.most, true);
        add_integer((long long)row.most + 1, false);
        break;
    case QN_OPTION_QUOTA:
        add_integer((long long)row.least, true);
        add_integer((long long)row.most, true);
        add_integer((long long)row.most + 1, false);
        add_integer(-1, true);
        add_integer(-100, true);
        add_integer(-101, false);
        break;
    case QN_OPTION_WHOLE:
    case QN_OPTION_BYTES:
    case QN_OPTION_RANGE: add_wholes(); break;
    case QN_OPTION_NUMBER:
    case QN_OPTION_SECONDS:
    case QN_OPTION_PERCENTS: add_numbers(); break;
    case QN_OPTION_BOX:
        add_number(nextafter(row.most, 0), true);
        add_number(row.most, false);
        add_number(-1, false);
        break;
    case QN_OPTION_SIZES:
        add_size((long long)row.least, true);
        add_size((long long)row.least - 1, false);
        add_size((long long)row.most, true);
        add_size((long long)row.most + 1, false);
        break;
    case QN_OPTION_ENUM:
        for (int i = 0; i < count_words(row.choices); i++) add_integer(i, true);
        add_integer(-1, false);
        add_integer(count_words(row.choices), false);
        break;
    case QN_OPTION_SHARE:
        add_text("100%", true);
        add_text("0", false);
        add_text("100.1%", false);
        break;
    case QN_OPTION_TEXT:
    case QN_OPTION_PATH:
        add_text("x", true);
        add_text("", false);
        break;
    default: break;
    }
}

/* ---- the four ways to set an option ---- */

static void fill_required(void *options)
{
    static const char *const texts[] = {"x", "x"};
    qn_option other;
    for (size_t i = 0; qn_option_row(table, i, &other); i++) {
        if (!other.required) continue;
        if (other.kind == QN_OPTION_TEXTS || other.kind == QN_OPTION_PAIR)
            CHECK_OK(qn_option_set_texts(&other, texts, 2, options));
        else
            CHECK_OK(qn_option_set(&other, other.kind == QN_OPTION_SIZES ? "8" : "x", options));
    }
}

static void list_parts(const void *subject, cli_part parts[CLI_PARTS_MAX])
{
    (void)subject;
    parts[0] = (cli_part){.table = table};
}

static const cli_command command = {.name = "test", .list_parts = list_parts};

/* Set the value by the command line: "--name=text", or the text at the argument's place. */
static cli_parse_result tell_command(const char *text, void *options, char sentence[512])
{
    char written[512], filler[] = "x", *arguments[64];
    int count = 0;
    cli_line line;
    qn_option other;
    snprintf(written, sizeof written, "--%s=%s", row.name, text);
    if (row.group == QN_OPTION_ARGUMENT) snprintf(written, sizeof written, "%s", text);
    for (size_t i = 0; row.group == QN_OPTION_ARGUMENT && qn_option_row(table, i, &other); i++) {
        if (strcmp(other.name, row.name) == 0) break;
        arguments[count++] = filler;
    }
    arguments[count++] = written;
    cli_parse_result result = cli_line_read(&command, count, arguments, &line);
    if (result == CLI_PARSED) result = cli_line_apply(&line, options);
    snprintf(sentence, 512, "%s", line.message);
    cli_line_clear(&line);
    return result;
}

static qn_status tell_plan(const char *text)
{
    char path[512];
    qn_trajectory_plan *plan;
    snprintf(path, sizeof path, "%s/plan.yaml", check_scratch_folder());
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return QN_IO_ERROR;
    fprintf(file, "%s: \"%s\"\n", row.name, text);
    fclose(file);
    const qn_status status = qn_trajectory_plan_read(path, &plan);
    qn_trajectory_plan_destroy(&plan);
    return status;
}

static bool agrees(const value_case *one, const char *way, bool accepted)
{
    const bool right = accepted == one->good;
    if (!right) fprintf(stderr, "%s, %s %s: %s\n", table->program, row.name, way, qn_error_message());
    return right;
}

static void judge_case(const value_case *one)
{
    static _Alignas(16) char options[OPTIONS_BYTES];
    char text[512], sentence[512], told[512];
    const qn_option_table rows_alone = {table->program, table->size, table->rows, NULL};
    qn_option_defaults(table, options, table->size);
    fill_required(options);
    memcpy(options + row.offset, &one->value, one->bytes);
    qn_option_format(&row, options, text, sizeof text);
    CHECK(agrees(one, "by the library", qn_option_check(&rows_alone, options) == QN_OK));
    snprintf(sentence, sizeof sentence, "%s", one->good ? "" : qn_error_message());
    const bool said = row.kind == QN_OPTION_RANGE && strchr(text, '-') == NULL;
    if (said) return;
    qn_option_defaults(table, options, table->size);
    CHECK(agrees(one, "as a text", qn_option_set(&row, text, options) == QN_OK));
    if (!one->good) CHECK_TEXT(qn_error_message(), sentence);
    if (one->good) CHECK(memcmp(options + row.offset, &one->value, one->bytes) == 0 || one->bytes == sizeof(char *));
    CHECK(agrees(one, "on the command line", tell_command(text, options, told) == CLI_PARSED));
    if (!one->good) CHECK_TEXT(told, sentence);
    if (table != qn_trajectory_option_table()) return;
    const bool is_path = row.kind == QN_OPTION_PATH; /* a plan checks its paths with messages of its own */
    CHECK(agrees(one, "in a plan", tell_plan(text) == QN_OK));
    if (!one->good && !is_path) CHECK_MESSAGE_HAS(sentence);
}

static void all_ways_to_set_an_option_accept_the_same_values(void)
{
    for (size_t t = 0; t < TABLES; t++) {
        table = tables[t]();
        if (!CHECK(table->size <= OPTIONS_BYTES)) continue;
        for (size_t i = 0; qn_option_row(table, i, &row); i++) {
            make_cases();
            for (size_t c = 0; c < case_count; c++) judge_case(&cases[c]);
        }
    }
}

/* ---- the tables alone ---- */

static void check_row(size_t index)
{
    static _Alignas(16) char options[OPTIONS_BYTES];
    const bool is_flag = row.kind == QN_OPTION_FLAG || row.kind == QN_OPTION_UNLESS;
    qn_option other;
    CHECK(row.meaning && row.meaning[0] && row.meaning[strlen(row.meaning) - 1] != '.');
    CHECK(is_flag || row.argument);
    CHECK(row.least <= row.most);
    CHECK(row.offset < table->size);
    CHECK(row.kind != QN_OPTION_ENUM || row.choices);
    qn_option_defaults(table, options, table->size);
    if (row.fallback && row.fallback[0]) CHECK_OK(qn_option_set(&row, row.fallback, options));
    CHECK(qn_option_is_default(&row, options));
    for (size_t i = 0; i < index && qn_option_row(table, i, &other); i++) {
        CHECK(strcmp(other.name, row.name) != 0);
        CHECK(!row.letter || other.letter != row.letter);
    }
}

static void every_row_is_complete(void)
{
    for (size_t t = 0; t < TABLES; t++) {
        table = tables[t]();
        for (size_t i = 0; qn_option_row(table, i, &row); i++) check_row(i);
    }
}

static void help_names_every_row(void)
{
    for (size_t t = 0; t < TABLES; t++) {
        char *help = NULL, wanted[128];
        size_t bytes = 0;
        table = tables[t]();
        FILE *stream = open_memstream(&help, &bytes);
        if (!CHECK(stream != NULL)) return;
        const cli_command printed = {
            .name = table->program, .description = "", .list_parts = list_parts, .run = (int (*)(void *))(void *)1};
        cli_options_print_help(&printed, stream);
        fclose(stream);
        for (size_t i = 0; qn_option_row(table, i, &row); i++) {
            const bool is_place = row.group == QN_OPTION_ARGUMENT;
            const char *before = is_place ? "  " : row.kind == QN_OPTION_UNLESS ? "--no-" : "--";
            snprintf(wanted, sizeof wanted, "%s%s", before, is_place ? row.argument : row.name);
            if (!CHECK(strstr(help, wanted) != NULL)) fprintf(stderr, "%s lacks %s\n", table->program, wanted);
        }
        free(help);
    }
}

static void run_files_have_every_row(void)
{
    static _Alignas(16) char options[OPTIONS_BYTES];
    for (size_t t = 0; t < TABLES; t++) {
        table = tables[t]();
        qn_option_defaults(table, options, table->size);
        json_t *json = qn_json_options(table, options);
        size_t count = 0;
        while (qn_option_row(table, count, &row)) count++;
        CHECK(json_object_size(json) == count);
        json_decref(json);
    }
    qn_dock_options dock = qn_dock_default_options();
    dock.blocked = (const char *const[]){"receptor:A"};
    dock.blocked_count = 1;
    dock.run.seed = UINT64_MAX;
    json_t *json = qn_json_options(qn_dock_option_table(), &dock);
    CHECK(json_real_value(json_object_get(json, "spacing_angstrom")) == 1);
    CHECK(json_integer_value(json_object_get(json, "restraints_required")) == 0);
    CHECK(json_is_null(json_object_get(json, "receptor")) && json_is_true(json_object_get(json, "refinement")));
    CHECK_TEXT(json_string_value(json_array_get(json_object_get(json, "block"), 0)), "receptor:A");
    CHECK_TEXT(json_string_value(json_object_get(json, "seed")), "18446744073709551615");
    json_decref(json);
}

int main(void)
{
    RUN(every_row_is_complete);
    RUN(all_ways_to_set_an_option_accept_the_same_values);
    RUN(help_names_every_row);
    RUN(run_files_have_every_row);
    return check_finish();
}
