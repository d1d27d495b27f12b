/* Words of other programs: every row of docs/coming-from-other-programs.md does what it says. A row that is taken sets
 * every option as Quern's own words beside it do; one that is refused names these words. */
#define _DEFAULT_SOURCE 1
#include "check.h"
/* The command line is not a library, so its sources are compiled into the test. */
#include "cli/help.c"
#include "cli/options.c"
#include "cli/output.c"
#include "cli/words.c"

#include <jansson.h>
#include <quern/cluster.h>
#include <quern/dock.h>
#include <quern/evaluate.h>
#include <quern/fsc.h>
#include <quern/movie.h>
#include <quern/potential.h>
#include <quern/project.h>
#include <quern/reconstruct.h>
#include <quern/screen.h>
#include <quern/trajectory.h>
#include <quern/tune.h>

#include "report/options.h"

enum { CELL = 512, ARGUMENTS = 32, OPTIONS_BYTES = 4096, QUERY_OFFSET = OPTIONS_BYTES };

typedef const qn_option_table *(*get_table)(void);

static const struct {
    const char *name;
    get_table table;
} known[] = {{"cluster", qn_cluster_option_table},
             {"dock", qn_dock_option_table},
             {"evaluate", qn_evaluate_option_table},
             {"fsc", qn_fsc_option_table},
             {"movie", qn_movie_option_table},
             {"potential", qn_potential_option_table},
             {"project", qn_project_option_table},
             {"reconstruct", qn_reconstruct_option_table},
             {"screen", qn_screen_option_table},
             {"trajectory convert", qn_trajectory_convert_option_table},
             {"trajectory run", qn_trajectory_option_table},
             {"tune run", qn_tune_run_option_table}};
enum { KNOWN = sizeof known / sizeof *known };

/* The command of the row under test. */
static cli_part parts[CLI_PARTS_MAX];
static char command_name[64];
static qn_option query_rows[QN_QUERY_ROWS_MAX];
static qn_option_table query_table;

static void list_parts(const void *subject, cli_part listed[CLI_PARTS_MAX])
{
    (void)subject;
    memcpy(listed, parts, sizeof parts);
}

static const cli_command command = {
    .name = command_name, .description = "", .list_parts = list_parts, .run = (int (*)(void *))(void *)1};

static bool begins_with_words(const char *text, const char *words)
{
    const size_t length = strlen(words);
    return strncmp(text, words, length) == 0 && (text[length] == '\0' || text[length] == ' ');
}

static bool choose_query(const char *name)
{
    for (const qn_query_class *const *one = qn_query_classes(); *one; one++) {
        if (!begins_with_words(name, (*one)->name)) continue;
        snprintf(command_name, sizeof command_name, "trajectory %s", (*one)->name);
        qn_query_option_rows(*one, query_rows);
        query_table = (qn_option_table){command_name, sizeof(qn_query_request), query_rows, NULL, NULL};
        parts[0] = (cli_part){.table = &query_table, .offset = QUERY_OFFSET};
        parts[1] = (cli_part){.table = qn_trajectory_option_table()};
        return true;
    }
    return false;
}

/* Choose the command that the words after "quern " begin with; returns the words after its name, or NULL. */
static const char *choose_command(const char *text)
{
    memset(parts, 0, sizeof parts);
    for (size_t i = 0; i < KNOWN; i++) {
        if (!begins_with_words(text, known[i].name)) continue;
        snprintf(command_name, sizeof command_name, "%s", known[i].name);
        parts[0].table = known[i].table();
    }
    if (!parts[0].table && begins_with_words(text, "trajectory")) choose_query(text + strlen("trajectory "));
    return parts[0].table ? text + strlen(command_name) : NULL;
}

/* Split into words at blanks; quotes keep blanks. Writes into `text`. */
static int split(char *text, char *words[ARGUMENTS])
{
    int count = 0;
    while (*text && count < ARGUMENTS) {
        while (*text == ' ') text++;
        if (!*text) break;
        const char end = *text == '"' ? '"' : ' ';
        words[count++] = text += *text == '"';
        text += strcspn(text, end == '"' ? "\"" : " ");
        if (*text) *text++ = '\0';
    }
    return count;
}

/* Read a command line and return its options as JSON text, or NULL with the message if it is refused. */
static char *settings_of(const char *line_text, char *message, size_t bytes)
{
    static _Alignas(16) char settings[2 * OPTIONS_BYTES];
    char text[CELL], *words[ARGUMENTS], *dump = NULL;
    cli_line line;
    snprintf(text, sizeof text, "%s", line_text);
    const int count = split(text, words);
    memset(settings, 0, sizeof settings);
    cli_parse_result result = cli_line_read(&command, count, words, &line);
    if (result == CLI_PARSED) cli_line_set_defaults(&line, settings);
    if (result == CLI_PARSED) result = cli_line_apply(&line, settings);
    snprintf(message, bytes, "%s", line.message);
    if (result == CLI_PARSED) {
        json_t *all = json_array();
        for (size_t i = 0; i < CLI_PARTS_MAX && parts[i].table; i++)
            json_array_append_new(all, qn_json_options(parts[i].table, settings + parts[i].offset));
        dump = json_dumps(all, JSON_SORT_KEYS);
        json_decref(all);
    }
    cli_line_clear(&line);
    return dump;
}

/* ---- rows of the page ---- */

static char theirs[CELL], ours[CELL], verdict[CELL];

/* Get the code of a cell, between its first two backticks; or its text, if `is_code` is not set. */
static const char *read_cell(const char *at, bool is_code, char *cell)
{
    const char *end = strchr(at, '|'), *from = at, *to = end;
    if (!end) return NULL;
    if (is_code) {
        from = memchr(at, '`', (size_t)(end - at));
        if (!from) return NULL;
        to = strchr(++from, '`');
    }
    snprintf(cell, CELL, "%.*s", (int)(to - from), from);
    return end + 1;
}

static bool read_row(const char *text)
{
    if (*text != '|') return false;
    const char *at = read_cell(text + 1, true, theirs);
    if (at) at = read_cell(at, true, ours);
    return at && read_cell(at, false, verdict) && strncmp(ours, "quern ", 6) == 0;
}

static FILE *open_page(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", check_data("."));
    char *end = strstr(path, "tests/data");
    if (end) snprintf(end, sizeof path - (size_t)(end - path), "docs/coming-from-other-programs.md");
    FILE *page = fopen(path, "r");
    CHECK(page != NULL);
    return page;
}

/* Call `visit` for each row of the page; returns their number. */
static int visit_rows(void (*visit)(const char *rest))
{
    char text[2 * CELL];
    int count = 0;
    FILE *page = open_page();
    while (page && fgets(text, sizeof text, page)) {
        if (!read_row(text)) continue;
        const char *rest = choose_command(ours + strlen("quern "));
        if (!CHECK(rest != NULL)) fprintf(stderr, "no command: %s\n", ours);
        if (rest) visit(rest);
        count++;
    }
    if (page) fclose(page);
    return count;
}

/* ---- tests ---- */

/* The first option of Quern's words; "" if there are only arguments. */
static void first_option(const char *text, char option[CELL])
{
    const char *dashes = strstr(text, "--");
    snprintf(option, CELL, "%.*s", dashes ? (int)strcspn(dashes, " ") : 0, dashes ? dashes : "");
}

static void check_taken(const char *rest)
{
    char message[CELL], wanted_message[CELL];
    char *found = settings_of(theirs, message, sizeof message);
    char *wanted = settings_of(rest, wanted_message, sizeof wanted_message);
    char *nothing = settings_of("", wanted_message, sizeof wanted_message);
    if (!CHECK(found != NULL)) fprintf(stderr, "quern %s %s: %s\n", command_name, theirs, message);
    if (!CHECK(wanted != NULL)) fprintf(stderr, "%s: %s\n", ours, wanted_message);
    if (found && wanted && nothing) {
        CHECK_TEXT(found, wanted);
        CHECK(strcmp(found, nothing) != 0 || strstr(verdict, "default"));
    }
    free(found);
    free(wanted);
    free(nothing);
}

static void check_refused(void)
{
    char message[CELL], option[CELL];
    char *found = settings_of(theirs, message, sizeof message);
    if (!CHECK(found == NULL)) fprintf(stderr, "quern %s %s is taken\n", command_name, theirs);
    free(found);
    first_option(ours, option);
    if (!CHECK(strstr(message, option) != NULL)) fprintf(stderr, "%s: the message lacks %s\n", theirs, option);
    bool is_named = false;
    for (const cli_word *word = cli_words; word->word; word++)
        is_named |= begins_with_words(theirs, word->word) && strstr(message, word->program) && word->advice &&
                    strstr(message, word->advice);
    if (!CHECK(is_named)) fprintf(stderr, "%s %s: %s\n", command_name, theirs, message);
}

static void check_row(const char *rest)
{
    const bool is_taken_there = strncmp(verdict, " taken", 6) == 0;
    if (!CHECK(is_taken_there || strncmp(verdict, " refused", 8) == 0)) fprintf(stderr, "%s: %s\n", ours, verdict);
    if (is_taken_there)
        check_taken(rest);
    else
        check_refused();
}

static void every_row_of_the_page_is_true(void)
{
    CHECK(visit_rows(check_row) > 80);
}

static bool seen[256];

static void mark_words(const char *rest)
{
    char text[CELL], *words[ARGUMENTS];
    qn_option row;
    size_t part;
    (void)rest;
    snprintf(text, sizeof text, "%s", theirs);
    const int count = split(text, words);
    for (size_t i = 0; cli_words[i].word; i++) {
        const cli_word *word = &cli_words[i];
        if (!cli_word_applies(word, &command, parts, &row, &part)) continue;
        for (int w = 0; w < count; w++) {
            const char *value = w + 1 < count ? words[w + 1] : "";
            const bool is_clash = word->kind == CLI_WORD_CLASH && fnmatch(word->value, value, 0) == 0;
            const bool is_meant = word->kind != CLI_WORD_CLASH && (!word->value || strcmp(word->value, value) == 0);
            if (strcmp(words[w], word->word) == 0 && (is_clash || is_meant)) seen[i] = true;
        }
    }
}

/* Further values of a word that a row has need no row of their own. */
static bool has_a_row(size_t index)
{
    const cli_word *word = &cli_words[index];
    for (size_t i = 0; cli_words[i].word; i++) {
        const cli_word *other = &cli_words[i];
        if (!seen[i] || other->kind != word->kind || strcmp(other->word, word->word) != 0) continue;
        if (strcmp(other->scope ? other->scope : "", word->scope ? word->scope : "") == 0) return true;
    }
    return false;
}

static void every_word_is_on_the_page(void)
{
    visit_rows(mark_words);
    for (size_t i = 0; cli_words[i].word; i++)
        if (!CHECK(has_a_row(i)))
            fprintf(stderr, "%s of quern %s\n", cli_words[i].word, cli_words[i].scope ? cli_words[i].scope : "");
}

static void words_do_not_hide_options(void)
{
    for (size_t k = 0; k < KNOWN; k++) {
        qn_option row, other;
        size_t part, index, found;
        choose_command(known[k].name);
        for (const cli_word *word = cli_words; word->word; word++) {
            if (word->kind == CLI_WORD_CLASH || !cli_word_applies(word, &command, parts, &row, &found)) continue;
            const bool is_letter = word->word[1] != '-' && !word->word[2];
            part = index = 0;
            while (cli_row_next(parts, &part, &index, &other)) {
                const bool is_same = word->option && strcmp(word->option, other.name) == 0;
                CHECK(!is_letter || is_same || other.letter != word->word[1]);
                CHECK(!is_name(&other, word->word + 2, strlen(word->word) - 2));
            }
        }
    }
}

/* The cases that a table of rows cannot say. */
static void expect_message(const char *of_command, const char *text, const char *wanted)
{
    char message[CELL];
    if (!CHECK(choose_command(of_command) != NULL)) return;
    char *settings = settings_of(text, message, sizeof message);
    CHECK(settings == NULL);
    CHECK_TEXT(message, wanted);
    free(settings);
}

static void wrong_uses_are_refused(void)
{
    expect_message("screen", "--center_x 1 --center_y 2 --size_x 3 --size_y 3 --size_z 3",
                   "--center_z is missing; expected it beside --size_z");
    expect_message("screen", "--center_x 1,2", "--center_x is \"1,2\"; expected one number");
    expect_message("screen", "--center_x", "--center_x needs a value: a number");
    expect_message("screen", "--box 1,2,3,4 --center_x 1 --center_y 2 --center_z 3 --size_x=3 --size_y 3 --size_z 3",
                   "--box and --size_z are both given; expected one of the two");
    expect_message("screen", "--receptor a.pdb b.sdf c.sdf --ligand d.sdf", "unexpected argument \"b.sdf\"");
    expect_message("screen", "--num_modes", "--num_modes needs a value: COUNT");
    expect_message("fsc", "--auto_mask=yes", "--auto_mask takes no value, but \"yes\" was given");
    expect_message("trajectory rmsd", "-fit progressive",
                   "-fit is \"progressive\"; expected rot+trans, translation, none, or --fit with a value of its own");
    expect_message("trajectory convert", "-pbc nojump",
                   "-pbc is \"nojump\"; expected whole, or --whole with a value of its own");
    expect_message("dock", "--num_modes 3", "unknown option --num_modes");
    expect_message("cluster", "--sym C2", "unknown option --sym");
}

static void help_lists_the_words_that_are_taken(void)
{
    char *help = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&help, &bytes);
    if (!CHECK(stream != NULL) || !CHECK(choose_command("screen") != NULL)) return;
    cli_options_print_help(&command, stream);
    fclose(stream);
    CHECK(strstr(help, "Also accepted, as in:\n  AutoDock Vina               --receptor (RECEPTOR)") != NULL);
    CHECK(strstr(help, "--num_modes (--keep)") != NULL);
    CHECK(strstr(help, "exhaustiveness") == NULL);
    free(help);
}

int main(void)
{
    RUN(every_row_of_the_page_is_true);
    RUN(every_word_is_on_the_page);
    RUN(words_do_not_hide_options);
    RUN(wrong_uses_are_refused);
    RUN(help_lists_the_words_that_are_taken);
    return check_finish();
}
