#include "cli/options.h"

#include "cli/output.h"
#include "cli/words.h"

#include <quern/file.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORD_MAX = 48, OPTIONS_MAX = 96, NUMBERS_MAX = 6 };

typedef struct parser {
    cli_line *line;
    int count, next;
    char **arguments;
    const cli_word *composing; /* a word for one number of a value, and all numbers that have been given */
    const char *numbers[NUMBERS_MAX];
} parser;

__attribute__((format(printf, 2, 3))) static cli_parse_result refuse(cli_line *line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(line->message, sizeof line->message, format, values);
    va_end(values);
    return CLI_BAD_USAGE;
}

/* Edit distance where swapping two neighbours is one edit (Damerau 1964), for words shorter than WORD_MAX. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1], length = strlen(b);
    size_t *before = rows[0], *previous = rows[1], *current = rows[2];
    for (size_t j = 0; j <= length; j++) previous[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        current[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t best = previous[j - 1] + (a[i - 1] != b[j - 1]);
            if (previous[j] + 1 < best) best = previous[j] + 1;
            if (current[j - 1] + 1 < best) best = current[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            current[j] = best;
        }
        size_t *oldest = before;
        before = previous, previous = current, current = oldest;
    }
    return previous[length];
}

const char *cli_nearest_word(const char *text, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(text), least = WORD_MAX;
    if (length == 0 || length >= WORD_MAX) return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t other = strlen(words[i]), longer = other > length ? other : length;
        if (other >= WORD_MAX) continue;
        size_t distance = edit_distance(text, words[i]);
        if (length >= 3 && strncmp(text, words[i], length) == 0) distance = 0;
        if (distance <= longer / 3 && distance < least) nearest = words[i], least = distance;
    }
    return nearest;
}

/* ---- rows ---- */

static bool is_hidden(const cli_part *parts, size_t part, const qn_option *row)
{
    qn_option other;
    if (row->group == QN_OPTION_ARGUMENT) return parts[part].without_arguments;
    for (size_t i = 0; i < part; i++)
        if (qn_option_find(parts[i].table, row->name, &other)) return true;
    return false;
}

bool cli_row_next(const cli_part *parts, size_t *part, size_t *index, qn_option *row)
{
    for (; parts[*part].table; (*part)++, *index = 0)
        while (qn_option_row(parts[*part].table, (*index)++, row))
            if (!is_hidden(parts, *part, row)) return true;
    return false;
}

/* Returns whether `name`, of `length` characters, is the row's option as written on a command line. */
static bool is_name(const qn_option *row, const char *name, size_t length)
{
    if (row->group == QN_OPTION_ARGUMENT) return false;
    if (row->kind == QN_OPTION_UNLESS) {
        if (length < 3 || strncmp(name, "no-", 3) != 0) return false;
        name += 3, length -= 3;
    }
    return strlen(row->name) == length && strncmp(row->name, name, length) == 0;
}

static bool takes_value(const qn_option *row)
{
    return row->kind != QN_OPTION_FLAG && row->kind != QN_OPTION_UNLESS;
}

/* ---- reading ---- */

/* Refuse an unknown option. `name` is its text without the first dash and without the value. */
static cli_parse_result refuse_unknown(cli_line *line, const char *name)
{
    const char *names[OPTIONS_MAX] = {"help"};
    char negated[OPTIONS_MAX][WORD_MAX];
    size_t count = 1, part = 0, index = 0;
    qn_option row;
    while (count < OPTIONS_MAX && cli_row_next(line->parts, &part, &index, &row)) {
        if (row.group == QN_OPTION_ARGUMENT) continue;
        snprintf(negated[count], WORD_MAX, "no-%s", row.name);
        names[count] = row.kind == QN_OPTION_UNLESS ? negated[count] : row.name;
        count++;
    }
    const char *nearest = name[0] == '-' ? cli_nearest_word(name + 1, names, count) : NULL;
    if (nearest) return refuse(line, "unknown option -%s; did you mean --%s?", name, nearest);
    return refuse(line, "unknown option -%s", name);
}

/* No option's letter is a digit, so "-5" is a value, which the reader of the value checks. */
static bool is_negative_number(const char *text)
{
    return text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

/* Take the next argument as a value. A value that looks like an option more likely means a forgotten value than a file
 * name. */
static const char *take_value(parser *state)
{
    if (state->next >= state->count) return NULL;
    const char *value = state->arguments[state->next];
    bool numeric = is_negative_number(value) || (value[0] == '-' && value[1] == '.');
    if (value[0] == '-' && value[1] && !numeric) return NULL;
    state->next++;
    return value;
}

/* Read the value of an option that is written as `written`, and add both to the line. */
static cli_parse_result read_option(parser *state, const qn_option *row, size_t offset, const char *written,
                                    const char *attached)
{
    cli_line *line = state->line;
    cli_given *given = &line->given[line->given_count++];
    *given = (cli_given){.row = *row, .offset = offset};
    if (!takes_value(row)) {
        if (attached) return refuse(line, "%s takes no value, but \"%s\" was given", written, attached);
        given->texts[0] = row->kind == QN_OPTION_UNLESS ? "no" : "yes";
        return CLI_PARSED;
    }
    given->texts[0] = attached ? attached : take_value(state);
    if (!given->texts[0]) return refuse(line, "%s needs a value: %s", written, row->argument);
    if (row->kind != QN_OPTION_PAIR) return CLI_PARSED;
    given->texts[1] = take_value(state);
    if (!given->texts[1]) return refuse(line, "%s needs two values: %s", written, row->argument);
    return CLI_PARSED;
}

static cli_parse_result read_own(parser *state, const qn_option *row, size_t offset, const char *attached)
{
    char written[WORD_MAX + 8];
    cli_line *line = state->line;
    snprintf(written, sizeof written, "%s%s", row->kind == QN_OPTION_UNLESS ? "--no-" : "--", row->name);
    const cli_parse_result result = read_option(state, row, offset, written, attached);
    if (result != CLI_PARSED) return result;
    const char *value = line->given[line->given_count - 1].texts[0];
    return cli_word_clashes(line->command, row, value, line->message, sizeof line->message) ? CLI_BAD_USAGE
                                                                                            : CLI_PARSED;
}

/* ---- words of other programs ---- */

/* Find the first entry of a word, of `length` characters, that applies to the command. */
static const cli_word *find_word(const cli_line *line, const char *text, size_t length, qn_option *row, size_t *part)
{
    for (const cli_word *word = cli_words; word->word; word++) {
        if (word->kind == CLI_WORD_CLASH || strlen(word->word) != length) continue;
        if (strncmp(word->word, text, length) != 0) continue;
        if (cli_word_applies(word, line->command, line->parts, row, part)) return word;
    }
    return NULL;
}

/* Replace the value that was given with what the row calls it. */
static cli_parse_result translate_value(cli_line *line, const cli_word *word)
{
    char known[256] = "";
    cli_given *given = &line->given[line->given_count - 1];
    const cli_word *entry = word;
    for (; entry->word && strcmp(entry->word, word->word) == 0; entry++) {
        if (strcmp(entry->value, given->texts[0]) == 0) {
            given->texts[0] = entry->gives;
            return CLI_PARSED;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", entry->value);
    }
    return refuse(line, "%s is \"%s\"; expected %s, or --%s with a value of its own", word->word, given->texts[0],
                  known, word->option);
}

/* Keep one number of a value; compose_value makes the value at the end. */
static cli_parse_result keep_number(parser *state, const cli_word *word, const char *attached)
{
    cli_line *line = state->line;
    const char *number = attached ? attached : take_value(state);
    if (!number) return refuse(line, "%s needs a value: a number", word->word);
    if (!*number || strstr(number, word->separator))
        return refuse(line, "%s is \"%s\"; expected one number", word->word, number);
    state->composing = word;
    state->numbers[word->place] = number;
    return CLI_PARSED;
}

static cli_parse_result read_word(parser *state, const cli_word *word, const qn_option *row, size_t offset,
                                  const char *attached)
{
    cli_line *line = state->line;
    if (word->kind == CLI_WORD_REFUSED)
        return refuse(line, "%s is an option of %s that is not taken here; %s", word->word, word->program,
                      word->advice);
    if (word->kind == CLI_WORD_PART) return keep_number(state, word, attached);
    if (word->gives && !word->value) {
        if (attached) return refuse(line, "%s takes no value, but \"%s\" was given", word->word, attached);
        line->given[line->given_count++] = (cli_given){.row = *row, .offset = offset, .texts = {word->gives}};
        return CLI_PARSED;
    }
    if (word->value && !takes_value(row)) {
        qn_option valued = *row; /* such as -pbc whole, which has a value although --whole has none */
        valued.kind = QN_OPTION_TEXT;
        valued.argument = word->value;
        const cli_parse_result result = read_option(state, &valued, offset, word->word, attached);
        line->given[line->given_count - 1].row = *row;
        return result == CLI_PARSED ? translate_value(line, word) : result;
    }
    const cli_parse_result result = read_option(state, row, offset, word->word, attached);
    return result == CLI_PARSED && word->value ? translate_value(line, word) : result;
}

/* Name the word of a number that was not given. */
static const char *word_of_place(const cli_word *like, size_t place)
{
    const cli_word *word = cli_words;
    while (word->kind != CLI_WORD_PART || strcmp(word->option, like->option) != 0 || word->place != place) word++;
    return word->word;
}

/* Make the value whose numbers were given by words of their own, as if its row had been given. */
static cli_parse_result compose_value(parser *state)
{
    const cli_word *word = state->composing;
    cli_line *line = state->line;
    qn_option row;
    size_t part, used = 0;
    if (!word || !cli_word_applies(word, line->command, line->parts, &row, &part)) return CLI_PARSED;
    for (size_t i = 0; i < line->given_count; i++)
        if (strcmp(line->given[i].row.name, row.name) == 0)
            return refuse(line, "--%s and %s are both given; expected one of the two", row.name, word->word);
    for (size_t i = 0; i < word->places; i++) {
        if (!state->numbers[i])
            return refuse(line, "%s is missing; expected it beside %s", word_of_place(word, i), word->word);
        used += (size_t)snprintf(line->composed + used, sizeof line->composed - used, "%s%s", i ? word->separator : "",
                                 state->numbers[i]);
        if (used >= sizeof line->composed) return refuse(line, "the numbers beside %s are too long", word->word);
    }
    const size_t offset = line->parts[part].offset;
    line->given[line->given_count++] = (cli_given){.row = row, .offset = offset, .texts = {line->composed}};
    if (word->also && qn_option_find(line->parts[part].table, word->also, &row))
        line->given[line->given_count++] = (cli_given){.row = row, .offset = offset, .texts = {"yes"}};
    return CLI_PARSED;
}

/* ---- all options ---- */

/* `text` begins with a dash: --name, --name=value, -l, -lvalue, -l value, or a word of another program, which may have
 * several letters after one dash. */
static cli_parse_result read_dashed(parser *state, const char *text)
{
    const char *name = text + 1, *equals = strchr(text, '=');
    const bool is_long = name[0] == '-';
    const size_t length = is_long && equals ? (size_t)(equals - text) : strlen(text);
    const char *attached = is_long && equals ? equals + 1 : NULL;
    const cli_part *parts = state->line->parts;
    size_t part = 0, index = 0;
    qn_option row;
    if (strcmp(text, "-h") == 0 || strcmp(text, "--help") == 0) return CLI_HELP_WANTED;
    while (cli_row_next(parts, &part, &index, &row))
        if (is_long ? is_name(&row, name + 1, length - 2) : row.letter && name[0] == row.letter && !name[1])
            return read_own(state, &row, parts[part].offset, attached);
    const cli_word *word = find_word(state->line, text, length, &row, &part);
    if (word) return read_word(state, word, &row, parts[part].offset, attached);
    part = index = 0;
    while (!is_long && cli_row_next(parts, &part, &index, &row))
        if (row.letter && name[0] == row.letter) return read_own(state, &row, parts[part].offset, name + 1);
    char bare[WORD_MAX];
    snprintf(bare, sizeof bare, "%.*s", (int)((equals ? (size_t)(equals - text) : strlen(text)) - 1), name);
    return refuse_unknown(state->line, bare);
}

/* Whether an argument was given by a word, so that it has no place among the positional ones. */
static bool is_given(const cli_line *line, const qn_option *row)
{
    for (size_t i = 0; i < line->given_count; i++)
        if (line->given[i].row.group == QN_OPTION_ARGUMENT && strcmp(line->given[i].row.name, row->name) == 0)
            return true;
    return false;
}

/* Check that the number of positional arguments fits. */
static cli_parse_result count_places(cli_line *line)
{
    size_t part = 0, index = 0, places = 0;
    qn_option row;
    while (cli_row_next(line->parts, &part, &index, &row)) {
        if (row.group != QN_OPTION_ARGUMENT || is_given(line, &row)) continue;
        if (row.kind == QN_OPTION_TEXTS) return CLI_PARSED;
        places++;
    }
    if (places < line->positional_count) return refuse(line, "unexpected argument \"%s\"", line->positionals[places]);
    return CLI_PARSED;
}

cli_parse_result cli_line_read(const cli_command *command, int count, char **arguments, cli_line *line)
{
    bool options_ended = false;
    *line = (cli_line){.command = command, .positionals = arguments};
    parser state = {.line = line, .count = count, .arguments = arguments};
    command->list_parts(command->subject, line->parts);
    line->given = calloc((size_t)count + 1, sizeof *line->given);
    line->repeated = calloc((size_t)count + 1, sizeof *line->repeated);
    if (!line->given || !line->repeated) return refuse(line, "out of memory");
    while (state.next < count) {
        char *text = arguments[state.next++];
        if (!options_ended && strcmp(text, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && text[0] == '-' && text[1] && !is_negative_number(text)) {
            cli_parse_result result = read_dashed(&state, text);
            if (result != CLI_PARSED) return result;
        } else {
            arguments[line->positional_count++] = text; /* never ahead of the reading position */
        }
    }
    const cli_parse_result result = compose_value(&state);
    return result == CLI_PARSED ? count_places(line) : result;
}

void cli_line_clear(cli_line *line)
{
    free(line->given);
    free((void *)line->repeated);
}

/* ---- settings ---- */

void cli_line_set_defaults(const cli_line *line, void *settings)
{
    for (const cli_part *part = line->parts; part->table; part++)
        qn_option_defaults(part->table, (char *)settings + part->offset, part->table->size);
}

static cli_parse_result judge(cli_line *line, qn_status status)
{
    return status == QN_OK ? CLI_PARSED : refuse(line, "%s", qn_error_message());
}

static cli_parse_result place_positionals(cli_line *line, char *settings)
{
    size_t part = 0, index = 0, used = 0;
    qn_option row;
    while (used < line->positional_count && cli_row_next(line->parts, &part, &index, &row)) {
        void *options = settings + line->parts[part].offset;
        qn_status status;
        if (row.group != QN_OPTION_ARGUMENT || is_given(line, &row)) continue;
        if (row.kind == QN_OPTION_TEXTS) {
            const char *const *texts = (const char *const *)(line->positionals + used);
            status = qn_option_set_texts(&row, texts, line->positional_count - used, options);
            used = line->positional_count;
        } else {
            status = qn_option_set(&row, line->positionals[used++], options);
        }
        if (status != QN_OK) return judge(line, status);
    }
    return CLI_PARSED;
}

/* At the first occurrence of an option that may be repeated, set the texts of all its occurrences; later ones do
 * nothing.
 */
static qn_status set_repeated(cli_line *line, size_t first, size_t *used, void *options)
{
    const cli_given *given = &line->given[first];
    const char **texts = line->repeated + *used;
    size_t count = 0;
    for (size_t i = 0; i < first; i++)
        if (strcmp(line->given[i].row.name, given->row.name) == 0) return QN_OK;
    for (size_t i = first; i < line->given_count; i++)
        if (strcmp(line->given[i].row.name, given->row.name) == 0) texts[count++] = line->given[i].texts[0];
    *used += count;
    return qn_option_set_texts(&given->row, texts, count, options);
}

cli_parse_result cli_line_apply(cli_line *line, void *settings)
{
    size_t used = 0;
    for (size_t i = 0; i < line->given_count; i++) {
        const cli_given *given = &line->given[i];
        void *options = (char *)settings + given->offset;
        qn_status status;
        if (given->row.kind == QN_OPTION_TEXTS)
            status = set_repeated(line, i, &used, options);
        else if (given->row.kind == QN_OPTION_PAIR)
            status = qn_option_set_texts(&given->row, given->texts, 2, options);
        else
            status = qn_option_set(&given->row, given->texts[0], options);
        if (status != QN_OK) return judge(line, status);
    }
    return place_positionals(line, settings);
}

/* Whether two paths lead to one place, where a file need not exist yet: one name in one folder. */
static bool is_same_place(const char *path, const char *other)
{
    char folders[2][4096];
    const char *const paths[] = {path, other};
    const char *names[2];
    if (strcmp(path, other) == 0 || qn_file_is_same(path, other)) return true;
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(paths[i], '/');
        names[i] = slash ? slash + 1 : paths[i];
        snprintf(folders[i], sizeof folders[i], "%.*s", slash ? (int)(slash - paths[i]) + 1 : 1,
                 slash ? paths[i] : ".");
    }
    return strcmp(names[0], names[1]) == 0 && qn_file_is_same(folders[0], folders[1]);
}

/* Whether the existing file `path` lies in the folder `folder`, all files of which may be inputs. */
static bool lies_in(const char *path, const char *folder)
{
    struct stat information;
    char above[4096];
    const char *slash = strrchr(path, '/');
    if (stat(folder, &information) != 0 || !S_ISDIR(information.st_mode) || stat(path, &information) != 0) return false;
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return qn_file_is_same(above, folder);
}

/* Whether a text of the command line names the existing file `path`: as it is, as standard input, or before ":chains".
 */
static bool names_file(const char *text, const char *path)
{
    char name[4096];
    if (!text) return false;
    if (strcmp(text, "-") == 0) return qn_file_is_same("/dev/stdin", path);
    snprintf(name, sizeof name, "%s", text);
    char *colon = strrchr(name, ':');
    if (qn_file_is_same(name, path) || lies_in(path, name)) return true;
    if (!colon) return false;
    *colon = '\0';
    return qn_file_is_same(name, path);
}

static bool may_name_file(const qn_option *row)
{
    return row->kind == QN_OPTION_PATH || row->kind == QN_OPTION_TEXT || row->kind == QN_OPTION_TEXTS ||
           row->kind == QN_OPTION_PAIR;
}

/* An output must not be a file that the command line names again, as an input or as another output. */
static cli_parse_result check_output(cli_line *line, const cli_given *output)
{
    const char *path = output->texts[0];
    bool again = false;
    struct stat information;
    if (!output->row.is_output || strcmp(path, "-") == 0) return CLI_PARSED;
    if (stat(path, &information) == 0 && !S_ISREG(information.st_mode)) return CLI_PARSED; /* it is not replaced */
    for (size_t i = 0; i < line->positional_count; i++) again = again || names_file(line->positionals[i], path);
    for (size_t i = 0; i < line->given_count; i++) {
        const cli_given *other = &line->given[i];
        if (strcmp(other->row.name, output->row.name) == 0 || !may_name_file(&other->row)) continue;
        again = again || names_file(other->texts[0], path) || names_file(other->texts[1], path);
        again = again || (other->row.is_output && is_same_place(other->texts[0], path));
    }
    if (!again) return CLI_PARSED;
    return refuse(line, "--%s is \"%s\", which is an input or another output too; expected a file of its own",
                  output->row.name, path);
}

/* Check that each option that is given belongs to the others, also with its default value. */
static cli_parse_result check_given(cli_line *line, const void *settings)
{
    for (size_t i = 0; i < line->given_count; i++) {
        const cli_given *given = &line->given[i];
        for (const cli_part *part = line->parts; part->table; part++) {
            const char *options = (const char *)settings + part->offset;
            if (part->offset != given->offset) continue;
            if (judge(line, qn_option_check_given(part->table, options, given->row.name)) != CLI_PARSED)
                return CLI_BAD_USAGE;
        }
    }
    return CLI_PARSED;
}

cli_parse_result cli_line_check(cli_line *line, const void *settings)
{
    for (size_t i = 0; i < line->given_count; i++) {
        const cli_parse_result result = check_output(line, &line->given[i]);
        if (result != CLI_PARSED) return result;
    }
    for (const cli_part *part = line->parts; part->table; part++) {
        const cli_parse_result result =
            judge(line, qn_option_check_command(part->table, (const char *)settings + part->offset));
        if (result != CLI_PARSED) return result;
    }
    return check_given(line, settings);
}
