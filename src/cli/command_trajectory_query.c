/* quern trajectory QUERY: one query as a command, its options made of its class's parameters. */
#include "cli/output.h"
#include "cli/trajectory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define FIELD(name) offsetof(cli_trajectory_settings, name)

static const cli_positional positionals[] = {
    {.name = "TOPOLOGY",
     .offset = FIELD(topology),
     .help = "what the atoms are: TPR, PSF, Amber parm7, GRO, PDB, mmCIF or a table of atoms (.tsv)"},
    {.name = "TRAJECTORY",
     .offset = FIELD(trajectories),
     .many = true,
     .optional = true,
     .help = "read one after the other: XTC, TRR, DCD, Amber NetCDF, H5MD, GRO, PDB, mmCIF, XYZ or LAMMPS dump; - is "
             "standard input; without any the topology's positions are the one frame"},
    {0}};

static const cli_option select_option = {.name = "select",
                                         .letter = 's',
                                         .type = CLI_TEXT,
                                         .argument = "ATOMS",
                                         .offset = FIELD(select),
                                         .default_text = "all",
                                         .help = "selection, such as \"name OW\" or \"protein and not element H\""};
static const cli_option with_option = {.name = "with",
                                       .letter = 'w',
                                       .type = CLI_TEXT,
                                       .argument = "ATOMS",
                                       .offset = FIELD(with),
                                       .default_text = "the first",
                                       .help = "second selection"};
static const cli_option selection_options[] = {
    {.name = "index",
     .letter = 'n',
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(index_file),
     .default_text = "",
     .help = "GROMACS index file, whose groups selections name as group \"NAME\""},
    {0}};
static const cli_option unit_options[] = {
    {.name = "whole",
     .type = CLI_CHOICE,
     .argument = "WHEN",
     .offset = FIELD(whole),
     .choices = "auto yes no",
     .help = "make molecules whole that the periodic box cuts; auto: where the query needs it"},
    {.name = "no-box", .type = CLI_FLAG, .offset = FIELD(no_box), .help = "take no account of the periodic box"},
    {.name = "units",
     .type = CLI_CHOICE,
     .argument = "UNIT",
     .offset = FIELD(units),
     .choices = "nm angstrom",
     .help = "of lengths in selections, options and results"},
    {0}};

/* ---- making the command ---- */

static void append(cli_option *options, const cli_option *option)
{
    size_t count = 0;
    while (options[count].name) count++;
    if (count + 1 < CLI_TRAJECTORY_OPTIONS) options[count] = *option;
}

static void append_all(cli_option *options, const cli_option *part)
{
    for (; part->name; part++) append(options, part);
}

/* The parser judges lengths roughly, in either unit, and the library exactly. */
static cli_option option_of(const qn_query_parameter *parameter, size_t place)
{
    static const cli_type types[] = {
        [QN_PARAMETER_NUMBER] = CLI_NUMBER, [QN_PARAMETER_LENGTH] = CLI_NUMBER, [QN_PARAMETER_INTEGER] = CLI_INTEGER,
        [QN_PARAMETER_FLAG] = CLI_FLAG,     [QN_PARAMETER_CHOICE] = CLI_CHOICE, [QN_PARAMETER_TEXT] = CLI_TEXT};
    static const char *const arguments[] = {
        [QN_PARAMETER_NUMBER] = "NUMBER", [QN_PARAMETER_LENGTH] = "LENGTH", [QN_PARAMETER_INTEGER] = "COUNT",
        [QN_PARAMETER_FLAG] = NULL,       [QN_PARAMETER_CHOICE] = "WORD",   [QN_PARAMETER_TEXT] = "TEXT"};
    const bool is_whole = parameter->kind == QN_PARAMETER_INTEGER;
    const bool any = parameter->least == 0 && parameter->most == 0;
    const double scale = parameter->kind == QN_PARAMETER_LENGTH ? 10 : 1, limit = is_whole ? INT_MAX : 1e300;
    cli_option option = {.name = parameter->name,
                         .type = types[parameter->kind],
                         .argument = arguments[parameter->kind],
                         .offset = FIELD(values) + place * sizeof(cli_trajectory_value),
                         .least = any ? -limit : parameter->least,
                         .most = any ? limit : fmin(parameter->most * scale, limit),
                         .choices = parameter->choices,
                         .help = parameter->meaning,
                         .default_text = parameter->fallback ? parameter->fallback : "",
                         .required = !parameter->fallback};
    if (parameter->kind == QN_PARAMETER_FLAG) option.default_text = "";
    return option;
}

static void set_defaults(void *memory)
{
    cli_trajectory_settings *chosen = memory;
    const double none = (double)NAN;
    *chosen = (cli_trajectory_settings){.query_class = chosen->query_class,
                                        .whole = "auto",
                                        .units = "nm",
                                        .live_step_ps = none,
                                        .live_timeout_s = none,
                                        .live_interval_s = none,
                                        .begin_ps = none,
                                        .end_ps = none,
                                        .first_frame = UINT64_MAX,
                                        .last_frame = UINT64_MAX};
    const qn_query_parameter *parameter = chosen->query_class->parameters;
    for (size_t i = 0; parameter && parameter->name; i++, parameter++) {
        const bool is_number = parameter->kind == QN_PARAMETER_NUMBER || parameter->kind == QN_PARAMETER_LENGTH;
        if (is_number) chosen->values[i].number = none;
        if (parameter->kind == QN_PARAMETER_INTEGER) chosen->values[i].integer = INT_MIN;
    }
}

/* ---- running it ---- */

typedef char number_text[32];

static void collect_parameters(const cli_trajectory_settings *chosen, number_text *numbers,
                               qn_trajectory_parameter *parameters, size_t *count)
{
    const qn_query_parameter *parameter = chosen->query_class->parameters;
    *count = 0;
    for (size_t i = 0; parameter && parameter->name; i++, parameter++) {
        const cli_trajectory_value *value = &chosen->values[i];
        const char *text = NULL;
        switch (parameter->kind) {
        case QN_PARAMETER_NUMBER:
        case QN_PARAMETER_LENGTH:
            if (isnan(value->number)) break;
            snprintf(numbers[i], sizeof numbers[i], "%.15g", value->number);
            text = numbers[i];
            break;
        case QN_PARAMETER_INTEGER:
            if (value->integer == INT_MIN) break;
            snprintf(numbers[i], sizeof numbers[i], "%d", value->integer);
            text = numbers[i];
            break;
        case QN_PARAMETER_FLAG: text = value->flag ? "yes" : NULL; break;
        case QN_PARAMETER_CHOICE:
        case QN_PARAMETER_TEXT: text = value->text; break;
        }
        if (text) parameters[(*count)++] = (qn_trajectory_parameter){parameter->name, text};
    }
}

static int run(void *memory)
{
    const cli_trajectory_settings *chosen = memory;
    number_text numbers[CLI_TRAJECTORY_PARAMETERS];
    qn_trajectory_parameter parameters[CLI_TRAJECTORY_PARAMETERS];
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_query query = {.query_class = chosen->query_class->name,
                                 .select = chosen->select,
                                 .with = chosen->with,
                                 .whole = strcmp(chosen->whole, "yes") == 0  ? QN_YES
                                          : strcmp(chosen->whole, "no") == 0 ? QN_NO
                                                                             : QN_AS_USUAL,
                                 .parameters = parameters};
    if (chosen->live && chosen->trajectories.count > 0)
        return cli_error(CLI_USAGE, "--live %s is given beside %s; expected one of them", chosen->live,
                         chosen->trajectories.items[0]);
    collect_parameters(chosen, numbers, parameters, &query.parameter_count);
    options.topology = chosen->topology;
    options.trajectories = chosen->trajectories.items;
    options.trajectory_count = chosen->trajectories.count;
    options.index_file = chosen->index_file;
    options.periodic = !chosen->no_box;
    options.angstrom = strcmp(chosen->units, "angstrom") == 0;
    options.output = chosen->query_class->name;
    options.queries = &query;
    options.query_count = 1;
    return cli_trajectory_start(chosen, &options);
}

void cli_trajectory_make_query(const qn_query_class *query_class, cli_trajectory_made *made)
{
    const qn_query_parameter *parameter = query_class->parameters;
    snprintf(made->name, sizeof made->name, "trajectory %s", query_class->name);
    snprintf(made->description, sizeof made->description,
             "One query on every frame: %s. The same as a plan with this query alone. Writes its tables, run.json and "
             "report.html into the output folder.",
             query_class->meaning);
    if (query_class->selections > 0) append(made->options, &select_option);
    if (query_class->selections > 1) append(made->options, &with_option);
    for (size_t i = 0; parameter && parameter->name && i < CLI_TRAJECTORY_PARAMETERS; i++, parameter++) {
        cli_option option = option_of(parameter, i);
        if (parameter->kind == QN_PARAMETER_LENGTH && option.default_text[0]) {
            snprintf(made->defaults[i], sizeof made->defaults[i], "%s nm", option.default_text);
            option.default_text = made->defaults[i];
        }
        append(made->options, &option);
    }
    append_all(made->options, selection_options);
    append_all(made->options, unit_options);
    append_all(made->options, cli_trajectory_frame_options);
    append_all(made->options, cli_trajectory_run_options);
    made->command = (cli_command){.name = made->name,
                                  .summary = query_class->meaning,
                                  .description = made->description,
                                  .positionals = positionals,
                                  .options = made->options,
                                  .subject = query_class,
                                  .settings_bytes = sizeof(cli_trajectory_settings),
                                  .set_defaults = set_defaults,
                                  .run = run};
}
