#include <math.h>
#include <quern/option.h>
#include <string.h>

#include "check.h"
#include "option/run_rows.h"

typedef enum flavour { SWEET, SOUR } flavour;

typedef struct kitchen {
    size_t size;
    bool salted, covered;
    int plates;
    uint64_t grains;
    double heat;
    const char *name, *where, *share;
    const char *const *guests;
    size_t guest_count;
    const char *pair[2];
    flavour taste;
    uint64_t pot_bytes;
    double rest_s;
    uint64_t rows[2];
    double box[6];
    double percents[3];
    int sizes[3];
    qn_run_options run;
} kitchen;

#define FIELD(name) offsetof(kitchen, name)

static const qn_option heat_row = {
    .name = "heat", .kind = QN_OPTION_NUMBER, .argument = "DEGREES", .least = 0.5, .most = 4, .fallback = "1.5"};

static const qn_option rows[] = {
    {.name = "name",
     .kind = QN_OPTION_TEXT,
     .group = QN_OPTION_ARGUMENT,
     .argument = "NAME",
     .offset = FIELD(name),
     .required = true},
    {.name = "salted", .kind = QN_OPTION_FLAG, .offset = FIELD(salted)},
    {.name = "covered", .kind = QN_OPTION_UNLESS, .offset = FIELD(covered)},
    {.name = "plates", .kind = QN_OPTION_INTEGER, .offset = FIELD(plates), .least = 1, .most = 12, .fallback = "2"},
    {.name = "grains",
     .kind = QN_OPTION_WHOLE,
     .offset = FIELD(grains),
     .least = 3,
     .most = (double)UINT64_MAX,
     .fallback = "18446744073709551615"},
    {.like = &heat_row, .offset = FIELD(heat), .least = 0.5, .most = 5},
    {.name = "where", .kind = QN_OPTION_PATH, .argument = "PLACE", .offset = FIELD(where)},
    {.name = "share", .kind = QN_OPTION_SHARE, .offset = FIELD(share), .fallback = "2%"},
    {.name = "guest", .kind = QN_OPTION_TEXTS, .argument = "NAME", .offset = FIELD(guests)},
    {.name = "pair", .kind = QN_OPTION_PAIR, .argument = "WINE CHEESE", .offset = FIELD(pair)},
    {.name = "taste", .kind = QN_OPTION_ENUM, .offset = FIELD(taste), .choices = "sweet sour", .fallback = "sour"},
    {.name = "pot", .kind = QN_OPTION_BYTES, .offset = FIELD(pot_bytes), .most = 0x1p32, .unit = "MiB"},
    {.name = "rest",
     .kind = QN_OPTION_SECONDS,
     .offset = FIELD(rest_s),
     .least = 1,
     .most = 7200,
     .fallback = "2",
     .unit = "min"},
    {.name = "rows",
     .kind = QN_OPTION_RANGE,
     .offset = FIELD(rows),
     .least = 1,
     .most = (double)UINT64_MAX,
     .fallback = "1-18446744073709551615"},
    {.name = "box", .kind = QN_OPTION_BOX, .offset = FIELD(box), .most = 100},
    {.name = "percents", .kind = QN_OPTION_PERCENTS, .offset = FIELD(percents), .most = 50, .fallback = "20%"},
    {.name = "sizes", .kind = QN_OPTION_SIZES, .offset = FIELD(sizes), .least = 1, .most = 99, .count = 3},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = FIELD(run)},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = FIELD(run)},
    {0}};

static const qn_option_table table = {"cook", sizeof(kitchen), rows, NULL};

static kitchen usual(void)
{
    kitchen options;
    qn_option_defaults(&table, &options, sizeof options);
    options.name = "soup";
    return options;
}

static qn_status set(kitchen *options, const char *name, const char *text)
{
    qn_option row;
    if (!CHECK(qn_option_find(&table, name, &row))) return QN_INTERNAL;
    return qn_option_set(&row, text, options);
}

static void defaults_come_from_the_rows(void)
{
    const kitchen o = usual();
    CHECK(!o.salted && o.covered && o.plates == 2 && o.grains == UINT64_MAX);
    CHECK(o.heat == 1.5 && !o.where && o.guest_count == 0 && !o.pair[0]);
    CHECK_TEXT(o.share, "2%");
    CHECK(o.taste == SOUR && o.pot_bytes == 0 && o.rest_s == 120);
    CHECK(o.rows[0] == 1 && o.rows[1] == UINT64_MAX && o.box[3] == 0);
    CHECK(o.percents[0] == 20 && o.percents[2] == 20 && o.sizes[0] == 0);
    CHECK_OK(qn_option_check(&table, &o));
}

static void sizes_and_times_have_units(void)
{
    kitchen o = usual();
    CHECK_OK(set(&o, "pot", "1.5"));
    CHECK(o.pot_bytes == 3 << 19);
    CHECK_OK(set(&o, "pot", "3GiB"));
    CHECK(o.pot_bytes == (uint64_t)3 << 30);
    CHECK_OK(set(&o, "pot", "7 KiB"));
    CHECK(o.pot_bytes == 7 << 10);
    CHECK_OK(set(&o, "rest", "1.5h"));
    CHECK(o.rest_s == 5400);
    CHECK_OK(set(&o, "rest", "90s"));
    CHECK(o.rest_s == 90);
    CHECK_OK(set(&o, "rest", "3"));
    CHECK(o.rest_s == 180);
}

static void texts_become_values(void)
{
    kitchen o = usual();
    CHECK_OK(set(&o, "salted", "yes"));
    CHECK_OK(set(&o, "covered", "no"));
    CHECK(o.salted && !o.covered);
    CHECK_OK(set(&o, "rows", "7"));
    CHECK(o.rows[0] == 7 && o.rows[1] == 7);
    CHECK_OK(set(&o, "rows", "7-9"));
    CHECK(o.rows[1] == 9);
    CHECK_OK(set(&o, "box", "1,-2.5,3,4"));
    CHECK(o.box[1] == -2.5 && o.box[3] == 4 && o.box[5] == 4);
    CHECK_OK(set(&o, "box", "1,2,3,4,5,6"));
    CHECK(o.box[3] == 4 && o.box[4] == 5 && o.box[5] == 6);
    CHECK_OK(set(&o, "percents", "10%,0"));
    CHECK(o.percents[0] == 10 && o.percents[1] == 0 && isnan(o.percents[2]));
    CHECK_OK(set(&o, "sizes", "12x5"));
    CHECK(o.sizes[0] == 12 && o.sizes[1] == 5 && o.sizes[2] == 0);
    CHECK_OK(set(&o, "taste", "sweet"));
    CHECK(o.taste == SWEET);
    CHECK_OK(set(&o, "heat", "5"));
    CHECK_OK(qn_option_check(&table, &o));
}

static void bad_texts_are_refused(void)
{
    static const char *const cases[][3] = {
        {"salted", "maybe", "--salted is \"maybe\"; expected yes or no"},
        {"plates", "0", "--plates is \"0\"; expected a whole number from 1 to 12"},
        {"plates", "3.5", "--plates is \"3.5\""},
        {"plates", " 3", "--plates is \" 3\""},
        {"plates", "99999999999999999999", "--plates is"},
        {"grains", "-1", "expected a whole number from 3 to 18446744073709551615"},
        {"grains", "18446744073709551616", "--grains is"},
        {"heat", "5.1", "--heat is \"5.1\"; expected a number from 0.5 to 5"},
        {"heat", "nan", "--heat is \"nan\""},
        {"heat", "0x2", "--heat is \"0x2\""},
        {"heat", "1,2", "--heat is \"1,2\""},
        {"where", "", "--where is empty; expected PLACE"},
        {"name", "", "NAME is empty"},
        {"taste", "swee", "--taste is \"swee\"; expected one of: sweet sour"},
        {"taste", "bitter", "--taste is \"bitter\"; expected one of: sweet sour"},
        {"share", "0%", "--share is \"0%\"; expected a share above 0 and up to 1, such as 5%"},
        {"share", "101%", "--share is \"101%\""},
        {"pot", "5GiB", "--pot is \"5GiB\"; expected a size from 0 to 4096 MiB, such as 512MiB"},
        {"pot", "2 cups", "--pot is \"2 cups\""},
        {"rest", "0.5s", "expected a time from 0.0166667 to 120 min, such as 60s"},
        {"rows", "0-5", "--rows is \"0-5\"; expected the first and the last, from 1"},
        {"rows", "5-4", "--rows is \"5-4\""},
        {"rows", "5-", "--rows is \"5-\""},
        {"box", "1,2,3", "--box is \"1,2,3\"; expected centre and side in Å"},
        {"box", "1,2,3,0", "--box is \"1,2,3,0\""},
        {"box", "1,2,3,100", "--box is \"1,2,3,100\""},
        {"percents", "51", "--percents is \"51\"; expected percents from 0 to 50"},
        {"sizes", "1x2x3x4", "--sizes is \"1x2x3x4\"; expected 1 to 3 whole numbers from 1 to 99"},
        {"sizes", "3x0", "--sizes is \"3x0\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kitchen o = usual();
        CHECK_FAILS(set(&o, cases[i][0], cases[i][1]), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(cases[i][2]);
    }
}

static void expect_judgement(const kitchen *options, const char *sentence)
{
    CHECK_FAILS(qn_option_check(&table, options), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS(sentence);
}

/* A value is refused if its text would be refused, with the same message. */
static void values_are_checked_like_their_texts(void)
{
    kitchen o = usual();
    o.plates = 13;
    expect_judgement(&o, "--plates is \"13\"; expected a whole number from 1 to 12");
    o = usual(), o.heat = nextafter(5, 6);
    expect_judgement(&o, "--heat is \"5.000000000000001\"");
    o = usual(), o.heat = (double)NAN;
    expect_judgement(&o, "--heat is \"nan\"");
    o = usual(), o.taste = (flavour)2;
    expect_judgement(&o, "--taste is \"2\"");
    o = usual(), o.rest_s = nextafter(7200, 8000);
    expect_judgement(&o, "--rest is \"7200.000000000001s\"");
    o = usual(), o.pot_bytes = ((uint64_t)1 << 32) + 1;
    expect_judgement(&o, "--pot is \"4294967297B\"");
    o = usual(), o.name = NULL;
    expect_judgement(&o, "NAME is missing");
    o = usual(), o.guest_count = 2, o.guests = NULL;
    expect_judgement(&o, "--guest: the list of 2 texts is NULL; expected texts");
    o = usual(), o.run.resume = o.run.overwrite = true;
    expect_judgement(&o, "--resume and --overwrite are both given");
}

/* A text that is NULL is not given, so a program gets its default. */
static void a_text_that_is_not_given_gets_its_default(void)
{
    kitchen given = usual(), own;
    given.share = NULL;
    if (CHECK_OK(qn_option_take(&table, &given, &own))) CHECK_TEXT(own.share, "2%");
}

static void a_value_and_a_list_are_set_by_functions_of_their_own(void)
{
    kitchen o = usual();
    const kitchen before = o;
    qn_option row;
    CHECK(qn_option_find(&table, "guest", &row));
    CHECK_FAILS(qn_option_set(&row, "Ada", &o), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--guest is a list of texts; expected qn_option_set_texts to set it");
    CHECK(qn_option_find(&table, "heat", &row));
    CHECK_FAILS(qn_option_set_texts(&row, (const char *const[]){"1", "2"}, 2, &o), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--heat is one value; expected qn_option_set to set it");
    CHECK(memcmp(&o, &before, sizeof o) == 0);
    CHECK(!qn_option_row(&table, 1000, &row));
}

/* A program may leave out an option that only commands require. */
static void commands_require_more_than_programs(void)
{
    static const qn_option place_rows[] = {{.name = "where",
                                            .kind = QN_OPTION_PATH,
                                            .argument = "PLACE",
                                            .offset = FIELD(where),
                                            .required = true,
                                            .by_commands = true},
                                           {0}};
    const qn_option_table places = {"cook", sizeof(kitchen), place_rows, NULL};
    kitchen o = usual();
    CHECK_OK(qn_option_check(&places, &o));
    CHECK_FAILS(qn_option_check_command(&places, &o), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--where PLACE is missing");
    o.where = "here";
    CHECK_OK(qn_option_check_command(&places, &o));
}

static void lists_hold_texts(void)
{
    static const char *const names[] = {"Ada", ""}, *const tastes[] = {"red", "blue"};
    kitchen o = usual();
    qn_option row;
    CHECK(qn_option_find(&table, "guest", &row));
    CHECK_OK(qn_option_set_texts(&row, names, 1, &o));
    CHECK(o.guest_count == 1);
    CHECK_TEXT(o.guests[0], "Ada");
    CHECK_FAILS(qn_option_set_texts(&row, names, 2, &o), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--guest is empty");
    CHECK(qn_option_find(&table, "pair", &row));
    o.pair[0] = "red";
    expect_judgement(&o, "--pair is empty; expected WINE CHEESE");
    CHECK_OK(qn_option_set_texts(&row, tastes, 2, &o));
    CHECK_OK(qn_option_check(&table, &o));
    CHECK_TEXT(o.pair[1], "blue");
}

/* A value that was read from a text is written as the same text. */
static void values_are_written_as_they_are_read(void)
{
    static const char *const texts[][2] = {{"plates", "7"},   {"heat", "0.7"},       {"heat", "3.3333333333333335"},
                                           {"pot", "1025"},   {"pot", "1025B"},      {"rest", "7"},
                                           {"rest", "100s"},  {"rows", "3-5"},       {"box", "1,2.5,-3,4"},
                                           {"sizes", "3x4"},  {"percents", "10,20"}, {"box", "1,2,3,4,5,6"},
                                           {"covered", "no"}, {"share", "7%"},       {"taste", "sweet"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kitchen o = usual();
        qn_option row;
        char text[64];
        CHECK_OK(set(&o, texts[i][0], texts[i][1]));
        CHECK(qn_option_find(&table, texts[i][0], &row));
        CHECK(qn_option_format(&row, &o, text, sizeof text) == strlen(text));
        CHECK_TEXT(text, texts[i][1]);
        CHECK(!qn_option_is_default(&row, &o));
    }
}

static void a_row_keeps_what_the_row_that_it_is_like_says(void)
{
    static const qn_option written = {.name = "csv",
                                      .kind = QN_OPTION_PATH,
                                      .argument = "FILE",
                                      .required = true,
                                      .by_commands = true,
                                      .is_output = true,
                                      .meaning = "the table"};
    static const qn_option like_rows[] = {{.like = &written, .offset = sizeof(size_t)}, {0}};
    const qn_option_table like = {"like", 2 * sizeof(size_t), like_rows, NULL};
    qn_option row;
    CHECK(qn_option_row(&like, 0, &row));
    CHECK_TEXT(row.name, "csv");
    CHECK(row.kind == QN_OPTION_PATH && row.required && row.by_commands && row.is_output);
}

int main(void)
{
    RUN(defaults_come_from_the_rows);
    RUN(sizes_and_times_have_units);
    RUN(texts_become_values);
    RUN(bad_texts_are_refused);
    RUN(values_are_checked_like_their_texts);
    RUN(a_text_that_is_not_given_gets_its_default);
    RUN(a_value_and_a_list_are_set_by_functions_of_their_own);
    RUN(commands_require_more_than_programs);
    RUN(lists_hold_texts);
    RUN(a_row_keeps_what_the_row_that_it_is_like_says);
    RUN(values_are_written_as_they_are_read);
    return check_finish();
}
