#include "cli/commands.h"

#include <quern/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEANING_COLUMNS = 76 };

const char cli_complete_word[] = "complete-words";

static const char files_line[] = ":files\n";

/* A word to complete. `kept` is the part of it before the text that the candidates replace: "--device=cuda:0,". */
typedef struct wanted {
    const char *text; /* after `kept` */
    const char *kept;
    size_t kept_length;
} wanted;

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Offer a word if it fits. The meaning ends at a blank before MEANING_COLUMNS. */
static void offer(const wanted *word, const char *candidate, const char *meaning)
{
    if (!begins_with(candidate, word->text)) return;
    size_t length = strlen(meaning);
    if (length > MEANING_COLUMNS)
        for (length = MEANING_COLUMNS; length > 0 && meaning[length] != ' ';) length--;
    printf("%.*s%s\t%.*s%s\n", (int)word->kept_length, word->kept, candidate, (int)length, meaning,
           meaning[length] ? " …" : "");
}

/* ---- commands ---- */

static void offer_actions(const wanted *word, const cli_command *command)
{
    const cli_command *const *actions = cli_command_actions(command);
    for (size_t i = 0; actions && actions[i]; i++) offer(word, cli_action_word(actions[i]), actions[i]->summary);
}

static void offer_commands(const wanted *word)
{
    for (size_t i = 0; cli_commands[i]; i++) offer(word, cli_commands[i]->name, cli_commands[i]->summary);
}

static const cli_command *find_action(const cli_command *command, const char *name)
{
    const cli_command *const *actions = cli_command_actions(command);
    for (size_t i = 0; actions && actions[i]; i++)
        if (strcmp(cli_action_word(actions[i]), name) == 0) return actions[i];
    return NULL;
}

/* ---- values ---- */

static void print_device(const wanted *word, const qn_device_listing *listing)
{
    if (listing->usable) offer(word, listing->info.identifier, listing->info.name);
}

static void offer_devices(wanted word)
{
    qn_context *context = NULL;
    qn_device_listing listings[64];
    size_t count = 0;
    const char *comma = strrchr(word.text, ',');
    if (comma) {
        if (word.kept_length == 0) word.kept = word.text;
        word.kept_length += (size_t)(comma + 1 - word.text);
        word.text = comma + 1;
    } else {
        offer(&word, "auto", "the first GPU, else the processors");
        offer(&word, "all", "every GPU");
    }
    const qn_context_options options = {.size = sizeof options, .threads = 1};
    if (qn_context_create(&options, &context) != QN_OK) return;
    if (qn_device_list(context, listings, sizeof listings / sizeof *listings, &count) == QN_OK)
        for (size_t i = 0; i < count && i < sizeof listings / sizeof *listings; i++) print_device(&word, &listings[i]);
    qn_context_destroy(&context);
}

static void offer_choices(const wanted *word, const char *choices)
{
    char choice[128];
    while (*choices) {
        const size_t length = strcspn(choices, " ");
        snprintf(choice, sizeof choice, "%.*s", (int)length, choices);
        offer(word, choice, "");
        choices += length;
        choices += *choices == ' ';
    }
}

static bool names_file(const qn_option *row)
{
    return row->kind == QN_OPTION_PATH ||
           (row->argument && (strstr(row->argument, "FILE") || strstr(row->argument, "FOLDER"))) ||
           (row->group == QN_OPTION_ARGUMENT && (row->kind == QN_OPTION_TEXT || row->kind == QN_OPTION_TEXTS));
}

static void offer_value(const wanted *word, const qn_option *row)
{
    if (row->group == QN_OPTION_RUN && strcmp(row->name, "device") == 0)
        offer_devices(*word);
    else if (row->choices)
        offer_choices(word, row->choices);
    else if (names_file(row))
        fputs(files_line, stdout);
}

/* ---- options ---- */

static const char *dashes_of(const qn_option *row)
{
    return row->kind == QN_OPTION_UNLESS ? "--no-" : "--";
}

static void offer_options(const wanted *word, const cli_part *parts)
{
    size_t part = 0, index = 0;
    qn_option row;
    char name[128];
    while (cli_row_next(parts, &part, &index, &row)) {
        if (row.group == QN_OPTION_ARGUMENT) continue;
        snprintf(name, sizeof name, "%s%s", dashes_of(&row), row.name);
        offer(word, name, row.meaning);
    }
    offer(word, "--help", "print the options");
}

/* The row of the option that a word is: "--device", "--device=…" or "-d". */
static bool find_row(const cli_part *parts, const char *text, qn_option *row)
{
    const bool is_long = text[0] == '-' && text[1] == '-';
    size_t part = 0, index = 0;
    while (text[0] == '-' && cli_row_next(parts, &part, &index, row)) {
        char name[128];
        if (row->group == QN_OPTION_ARGUMENT) continue;
        snprintf(name, sizeof name, "%s%s", dashes_of(row), row->name);
        const size_t length = strlen(name);
        if (is_long && strncmp(name, text, length) == 0 && (text[length] == '\0' || text[length] == '=')) return true;
        if (!is_long && row->letter && text[1] == row->letter && text[2] == '\0') return true;
    }
    return false;
}

static bool takes_value(const qn_option *row)
{
    return row->kind != QN_OPTION_FLAG && row->kind != QN_OPTION_UNLESS;
}

/* ---- the word ---- */

static void offer_arguments(const wanted *word, const cli_part *parts)
{
    size_t part = 0, index = 0;
    qn_option row;
    bool has_files = false;
    while (cli_row_next(parts, &part, &index, &row)) {
        if (row.group != QN_OPTION_ARGUMENT) continue;
        if (row.choices)
            offer_choices(word, row.choices);
        else
            has_files |= names_file(&row);
    }
    if (has_files) fputs(files_line, stdout);
}

/* Complete the last of the words of a command that runs. The first of them may name an action. */
static void complete_for(const cli_command *command, int count, char **words)
{
    cli_part parts[CLI_PARTS_MAX + 1] = {{0}};
    char *const text = words[count - 1];
    wanted word = {.text = text, .kept = ""};
    qn_option row;
    command->list_parts(command->subject, parts);
    const bool follows = count >= 2 && find_row(parts, words[count - 2], &row) && !strchr(words[count - 2], '=');
    const bool follows_pair = !follows && count >= 3 && find_row(parts, words[count - 3], &row) &&
                              row.kind == QN_OPTION_PAIR && !strchr(words[count - 3], '=');
    if ((follows && takes_value(&row)) || follows_pair) {
        offer_value(&word, &row);
    } else if (begins_with(text, "--") && strchr(text, '=') && find_row(parts, text, &row)) {
        word.kept = text;
        word.text = strchr(text, '=') + 1;
        word.kept_length = (size_t)(word.text - text);
        offer_value(&word, &row);
    } else if (text[0] == '-') {
        offer_options(&word, parts);
    } else {
        if (count == 1) offer_actions(&word, command);
        offer_arguments(&word, parts);
    }
}

int cli_complete(int count, char **words)
{
    const wanted last = {.text = count > 0 ? words[count - 1] : "", .kept = ""};
    if (count <= 1) {
        offer_commands(&last);
        offer(&last, "help", "print the options of a command");
        offer(&last, "--help", "print the commands");
        offer(&last, "--version", "print the version");
        return CLI_DONE;
    }
    const bool is_help = strcmp(words[0], "help") == 0;
    int at = is_help ? 1 : 0;
    if (is_help && count == 2) offer_commands(&last);
    const cli_command *command = at < count - 1 ? cli_command_find(words[at++]) : NULL;
    for (const cli_command *action = command; action && at < count - 1; at += action != NULL) {
        action = find_action(command, words[at]);
        if (action) command = action;
    }
    if (!command) return CLI_DONE;
    if (!is_help && command->run)
        complete_for(command, count - at, words + at);
    else if (at == count - 1)
        offer_actions(&last, command);
    return CLI_DONE;
}
