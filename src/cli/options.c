#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 48, OPTION_MAX = 64 };

typedef struct parser {
    const cli_command *command;
    int count, next;
    char **arguments;
    unsigned char *settings;
    bool seen[OPTION_MAX];
    char *message;
    size_t message_bytes;
} parser;

__attribute__((format(printf, 2, 3))) static cli_parse_result refuse(parser *state, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(state->message, state->message_bytes, format, values);
    va_end(values);
    return CLI_BAD_USAGE;
}

/* Edit distance in which swapping neighbours counts one (Damerau 1964), for words shorter than WORD_MAX. */
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
    size_t length = strlen(text), least = 1 + length / 3;
    if (length == 0 || length >= WORD_MAX) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) >= WORD_MAX) continue;
        size_t distance = edit_distance(text, words[i]);
        if (length >= 3 && strncmp(text, words[i], length) == 0) distance = 0;
        if (distance <= least && (!nearest || distance < least)) nearest = words[i], least = distance;
    }
    return nearest;
}

/* `name`: without its first dash and its value. */
static cli_parse_result refuse_unknown(parser *state, const char *name)
{
    const char *names[OPTION_MAX + 1] = {"help"};
    size_t count = 1;
    for (const cli_option *option = state->command->options; option->name; option++) names[count++] = option->name;
    const char *nearest = name[0] == '-' ? cli_nearest_word(name + 1, names, count) : NULL;
    if (nearest) return refuse(state, "unknown option -%s; did you mean --%s?", name, nearest);
    return refuse(state, "unknown option -%s", name);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *word = choices; length > 0 && *word; word += strcspn(word, " "), word += *word == ' ')
        if (strcspn(word, " ") == length && strncmp(word, value, length) == 0) return true;
    return false;
}

static cli_parse_result set_integer(parser *state, const cli_option *option, const char *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (end == value || *end || errno || number < option->least || number > option->most)
        return refuse(state, "--%s is \"%s\"; expected a whole number from %.0f to %.0f", option->name, value,
                      option->least, option->most);
    int stored = (int)number;
    memcpy(state->settings + option->offset, &stored, sizeof stored);
    return CLI_PARSED;
}

static cli_parse_result set_seed(parser *state, const cli_option *option, const char *value)
{
    char *end;
    errno = 0;
    uint64_t number = strtoull(value, &end, 10);
    if (end == value || *end || errno || strchr(value, '-'))
        return refuse(state, "--%s is \"%s\"; expected a whole number from 0 to %llu", option->name, value,
                      (unsigned long long)UINT64_MAX);
    memcpy(state->settings + option->offset, &number, sizeof number);
    return CLI_PARSED;
}

static cli_parse_result set_number(parser *state, const cli_option *option, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number) || number < option->least || number > option->most)
        return refuse(state, "--%s is \"%s\"; expected a number from %g to %g", option->name, value, option->least,
                      option->most);
    memcpy(state->settings + option->offset, &number, sizeof number);
    return CLI_PARSED;
}

static cli_parse_result add_text(parser *state, const cli_option *option, const char *value)
{
    cli_texts *texts = (cli_texts *)(void *)(state->settings + option->offset);
    if (!*value) return refuse(state, "--%s is empty; expected %s", option->name, option->argument);
    if (texts->count == CLI_TEXTS_MOST)
        return refuse(state, "--%s is given more than %d times", option->name, CLI_TEXTS_MOST);
    texts->items[texts->count++] = value;
    return CLI_PARSED;
}

static cli_parse_result set_text(parser *state, const cli_option *option, int index, const char *value)
{
    if (!*value) return refuse(state, "--%s is empty; expected %s", option->name, option->argument);
    if (option->type == CLI_CHOICE && !is_choice(option->choices, value))
        return refuse(state, "--%s is \"%s\"; expected one of: %s", option->name, value, option->choices);
    memcpy(state->settings + option->offset + (size_t)index * sizeof value, &value, sizeof value);
    return CLI_PARSED;
}

/* No option's letter is a digit, so "-5" is a value, whose meaning its reader can judge. */
static bool is_negative_number(const char *text)
{
    return text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

/* The next argument as a value. One that looks like an option is more likely a forgotten value than a file name. */
static const char *take_value(parser *state)
{
    if (state->next >= state->count) return NULL;
    const char *value = state->arguments[state->next];
    bool numeric = is_negative_number(value) || (value[0] == '-' && value[1] == '.');
    if (value[0] == '-' && value[1] && !numeric) return NULL;
    state->next++;
    return value;
}

static cli_parse_result read_option(parser *state, const cli_option *option, const char *attached)
{
    state->seen[option - state->command->options] = true;
    if (option->type == CLI_FLAG) {
        bool on = true;
        if (attached) return refuse(state, "--%s takes no value, but \"%s\" was given", option->name, attached);
        memcpy(state->settings + option->offset, &on, sizeof on);
        return CLI_PARSED;
    }
    const char *value = attached ? attached : take_value(state);
    if (!value) return refuse(state, "--%s needs a value: %s", option->name, option->argument);
    switch (option->type) {
    case CLI_INTEGER: return set_integer(state, option, value);
    case CLI_SEED: return set_seed(state, option, value);
    case CLI_NUMBER: return set_number(state, option, value);
    case CLI_TEXTS: return add_text(state, option, value);
    default: break;
    }
    cli_parse_result result = set_text(state, option, 0, value);
    if (result != CLI_PARSED || option->type != CLI_PAIR) return result;
    value = take_value(state);
    if (!value) return refuse(state, "--%s needs two values: %s", option->name, option->argument);
    return set_text(state, option, 1, value);
}

/* `text` begins with a dash: --name, --name=value, -l, -lvalue or -l value. */
static cli_parse_result read_dashed(parser *state, const char *text)
{
    const char *name = text + 1, *equals = strchr(text, '=');
    bool is_long = name[0] == '-';
    size_t length = equals ? (size_t)(equals - text) - 2 : strlen(text) - 2;
    if (strcmp(text, "-h") == 0 || strcmp(text, "--help") == 0) return CLI_HELP_WANTED;
    for (const cli_option *option = state->command->options; option->name; option++) {
        if (is_long && strlen(option->name) == length && strncmp(option->name, name + 1, length) == 0)
            return read_option(state, option, equals ? equals + 1 : NULL);
        if (!is_long && option->letter && name[0] == option->letter)
            return read_option(state, option, name[1] ? name + 1 : NULL);
    }
    char bare[WORD_MAX];
    snprintf(bare, sizeof bare, "%.*s", (int)(length + 1), name);
    return refuse_unknown(state, bare);
}

static cli_parse_result place_positionals(parser *state, int found)
{
    int used = 0;
    for (const cli_positional *place = state->command->positionals; place->name; place++) {
        if (used >= found && place->optional) break;
        if (used >= found) return refuse(state, "%s is missing", place->name);
        if (place->many) {
            cli_list list = {(const char *const *)(state->arguments + used), (size_t)(found - used)};
            memcpy(state->settings + place->offset, &list, sizeof list);
            used = found;
        } else {
            const char *value = state->arguments[used++];
            if (!*value) return refuse(state, "%s is empty", place->name);
            memcpy(state->settings + place->offset, &value, sizeof value);
        }
    }
    if (used < found) return refuse(state, "unexpected argument \"%s\"", state->arguments[used]);
    for (const cli_option *option = state->command->options; option->name; option++)
        if (option->required && !state->seen[option - state->command->options])
            return refuse(state, "--%s %s is missing", option->name, option->argument);
    return CLI_PARSED;
}

cli_parse_result cli_options_parse(const cli_command *command, int count, char **arguments, void *settings,
                                   char *message, size_t message_bytes)
{
    parser state = {.command = command,
                    .count = count,
                    .arguments = arguments,
                    .settings = settings,
                    .message = message,
                    .message_bytes = message_bytes};
    int found = 0;
    bool options_ended = false;
    while (state.next < count) {
        char *text = arguments[state.next++];
        if (!options_ended && strcmp(text, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && text[0] == '-' && text[1] && !is_negative_number(text)) {
            cli_parse_result result = read_dashed(&state, text);
            if (result != CLI_PARSED) return result;
        } else {
            arguments[found++] = text; /* never ahead of the reading position */
        }
    }
    return place_positionals(&state, found);
}
