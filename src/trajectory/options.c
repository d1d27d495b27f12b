/* The options of quern trajectory: of runs, conversions, and the short forms of queries. */
#include <inttypes.h>
#include <math.h>
#include <quern/trajectory.h>
#include <string.h>

#include "base/error.h"
#include "option/run_rows.h"
#include "trajectory/query/setup.h"
#include "trajectory/run.h"

/* ---- frames ---- */

/* Options of runs and conversions that choose the frames. Each table of options sets the offsets of its own fields. */
typedef enum frame_row { BEGIN, END, FIRST, LAST, STRIDE, FRAME_ROWS } frame_row;

static const qn_option frame_rows[FRAME_ROWS] = {
    [BEGIN] = {.name = "begin",
               .letter = 'b',
               .kind = QN_OPTION_NUMBER,
               .argument = "PS",
               .least = (double)-INFINITY,
               .most = (double)INFINITY,
               .fallback = "-inf",
               .fallback_meaning = "",
               .unit = "ps",
               .meaning = "leave out frames before this time in ps"},
    [END] = {.name = "end",
             .letter = 'e',
             .kind = QN_OPTION_NUMBER,
             .argument = "PS",
             .least = (double)-INFINITY,
             .most = (double)INFINITY,
             .fallback = "inf",
             .fallback_meaning = "",
             .unit = "ps",
             .meaning = "leave out frames after this time in ps"},
    [FIRST] = {.name = "first",
               .kind = QN_OPTION_WHOLE,
               .argument = "FRAME",
               .least = 0,
               .most = (double)UINT64_MAX,
               .fallback = "0",
               .meaning = "leave out frames before this one; the first of the first file is 0"},
    [LAST] = {.name = "last",
              .kind = QN_OPTION_WHOLE,
              .argument = "FRAME",
              .least = 0,
              .most = (double)UINT64_MAX,
              .fallback = "18446744073709551615",
              .fallback_meaning = "",
              .meaning = "leave out frames after this one"},
    [STRIDE] = {.name = "stride",
                .kind = QN_OPTION_WHOLE,
                .argument = "COUNT",
                .least = 1,
                .most = 1e9,
                .fallback = "1",
                .meaning = "take every COUNT-th of these frames"},
};

static qn_status check_frames(double begin_ps, double end_ps, uint64_t first, uint64_t last)
{
    if (begin_ps > end_ps)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--begin is \"%g\" and --end is \"%g\"; expected an end at or after the begin", begin_ps,
                       end_ps);
    if (first > last)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--first is \"%" PRIu64 "\" and --last is \"%" PRIu64
                       "\"; expected a last at or after the first",
                       first, last);
    return QN_OK;
}

static const char index_meaning[] = "GROMACS index file; selections use its groups as group \"NAME\"";

/* ---- runs ---- */

#define FIELD(name) offsetof(qn_trajectory_options, name)
#define RUN FIELD(run)

static const qn_option rows[] = {
    {.name = "topology",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "TOPOLOGY",
     .offset = FIELD(topology),
     .required = true,
     .by_commands = true,
     .meaning = "describes the atoms: TPR, PSF, Amber parm7, GRO, PDB, mmCIF or a table of atoms (.tsv)"},
    {.name = "trajectory",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "TRAJECTORY",
     .offset = FIELD(trajectories),
     .meaning =
         "read one after the other: XTC, TRR, DCD, Amber NetCDF, H5MD, GRO, PDB, mmCIF, XYZ or LAMMPS dump; - is "
         "standard input; without any the topology's positions are the one frame"},
    {.name = "index",
     .letter = 'n',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(index_file),
     .meaning = index_meaning},
    {.name = "whole",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(whole),
     .meaning = "make molecules whole that the periodic box cuts, for every query"},
    {.name = "periodic", .kind = QN_OPTION_UNLESS, .offset = FIELD(periodic), .meaning = "ignore the periodic box"},
    {.name = "units",
     .kind = QN_OPTION_ENUM,
     .argument = "UNIT",
     .offset = FIELD(units),
     .choices = "nm angstrom",
     .fallback = "nm",
     .meaning = "of lengths in selections, options and results"},
    {.name = "live",
     .letter = 'l',
     .kind = QN_OPTION_TEXT,
     .argument = "HOST:PORT",
     .offset = FIELD(live),
     .meaning = "analyse a running simulation over IMD, version 2 or 3, instead of files; results are rewritten while "
                "it runs"},
    {.name = "live-every",
     .kind = QN_OPTION_INTEGER,
     .argument = "STEPS",
     .offset = FIELD(live_every),
     .least = 0,
     .most = 1e9,
     .fallback_meaning = "the simulation's own",
     .meaning = "ask the simulation to send every STEPS-th step"},
    {.name = "live-step",
     .kind = QN_OPTION_NUMBER,
     .argument = "PS",
     .offset = FIELD(live_step_ps),
     .least = 0,
     .most = 1e9,
     .unit = "ps",
     .fallback_meaning = "not known",
     .meaning = "time in ps that a step takes, for simulations of IMD version 2, which send no times"},
    {.name = "live-timeout",
     .kind = QN_OPTION_SECONDS,
     .argument = "SECONDS",
     .offset = FIELD(live_timeout_s),
     .least = 0.1,
     .most = 1e9,
     .fallback = "600",
     .meaning = "end when the simulation sends nothing for this long"},
    {.name = "live-interval",
     .kind = QN_OPTION_SECONDS,
     .argument = "SECONDS",
     .offset = FIELD(live_interval_s),
     .least = 0.01,
     .most = 1e6,
     .fallback = "5",
     .meaning = "time between results that are written while the simulation runs"},
    {.like = &frame_rows[BEGIN], .offset = FIELD(begin_ps)},
    {.like = &frame_rows[END], .offset = FIELD(end_ps)},
    {.like = &frame_rows[FIRST], .offset = FIELD(first_frame)},
    {.like = &frame_rows[LAST], .offset = FIELD(last_frame)},
    {.like = &frame_rows[STRIDE], .offset = FIELD(stride)},
    {.name = "keep-overlaps",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(keep_overlaps),
     .meaning = "keep frames of a later file at times that an earlier one has reached; by default they are left out"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .fallback_meaning = "named like the query, or the plan",
     .meaning = "folder for the results, made when absent; --resume goes on with an earlier run in it, --overwrite "
                "replaces it"},
    {.name = "format",
     .kind = QN_OPTION_ENUM,
     .argument = "FORMAT",
     .offset = FIELD(format),
     .choices = "xvg csv both",
     .fallback = "xvg",
     .meaning = "of tables"},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .offset = RUN,
     .most = 0x1p44,
     .unit = "MiB",
     .fallback_meaning = "an eighth of the machine's, up to 1GiB",
     .meaning = "memory for frames in flight; it does not grow with their number"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_DEVICES], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN, .meaning = "CPU threads, which decode frames and measure"},
    {.like = &qn_run_rows[QN_RUN_TUNE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE_BUDGET], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static qn_status check_query(const qn_trajectory_options *options, const qn_trajectory_query *query)
{
    qn_query_class query_class;
    qn_query_setup setup;
    QN_TRY(qn_trajectory_blame(options, query->query_class,
                               qn_trajectory_find_class(options, query->query_class, &query_class)));
    const qn_status status =
        qn_query_setup_read(query->name ? query->name : query_class.name, &query_class, query->parameters,
                            query->parameter_count, qn_trajectory_unit_nm(options), &setup);
    if (status != QN_OK) return qn_trajectory_blame(options, setup.wrong ? setup.wrong : query->query_class, status);
    qn_query_setup_clear(&setup);
    return QN_OK;
}

/* The place of a value in the plan is told by the name of its row in the table. */
static const char *row_name(const char *name)
{
    qn_option row;
    return qn_option_find(qn_trajectory_option_table(), name, &row) ? row.name : NULL;
}

static qn_status check_topology(const char *path, const qn_topology *in_memory)
{
    if (!path || !in_memory) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "the topology: given as the file %s and in memory; expected one of the two",
                   path);
}

static qn_status check_sources(size_t files, const qn_frame_array *frames, qn_next_frame next_frame, const char *live)
{
    const int given = (files > 0) + (frames != NULL) + (next_frame != NULL) + (live != NULL);
    if (given < 2) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "the frames: given as%s%s%s%s; expected one of these",
                   files > 0 ? " files" : "", frames ? files > 0 ? " and in memory" : " an array in memory" : "",
                   next_frame ? files > 0 || frames ? " and by a function" : " a function" : "",
                   live ? " and as a simulation" : "");
}

static qn_status check(const void *memory)
{
    const qn_trajectory_options *options = memory;
    qn_trajectory_query query;
    if (options->query_count == 0)
        return qn_trajectory_blame(options, NULL,
                                   QN_FAIL(QN_INVALID_ARGUMENT, "no query is given; expected at least one"));
    QN_TRY(qn_trajectory_check_lists(options));
    if (options->live && options->trajectory_count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--live is \"%s\" beside the trajectory %s; expected one of them",
                       options->live, options->trajectories[0]);
    if (options->live && options->run.resume)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--resume cannot be used with --live: a simulation does not send its frames again");
    if (!options->topology && !options->topology_in_memory)
        return qn_trajectory_blame(options, NULL,
                                   QN_FAIL(QN_INVALID_ARGUMENT,
                                           "the topology: given neither as a file nor in memory; expected one of the "
                                           "two"));
    QN_TRY(check_topology(options->topology, options->topology_in_memory));
    QN_TRY(check_sources(options->trajectory_count, options->frames, options->next_frame, options->live));
    QN_TRY(qn_trajectory_blame(
        options, row_name(options->begin_ps > options->end_ps ? "end" : "last"),
        check_frames(options->begin_ps, options->end_ps, options->first_frame, options->last_frame)));
    for (size_t i = 0; i < options->query_count; i++) {
        QN_TRY(qn_trajectory_take_query(options, i, &query));
        QN_TRY(check_query(options, &query));
    }
    return QN_OK;
}

static const qn_option_table table = {"trajectory", sizeof(qn_trajectory_options), rows, check};

const qn_option_table *qn_trajectory_option_table(void)
{
    return &table;
}

double qn_trajectory_unit_nm(const qn_trajectory_options *options)
{
    return options->units == QN_TRAJECTORY_ANGSTROM ? 0.1 : 1;
}

/* ---- conversions ---- */

#define CONVERT_FIELD(name) offsetof(qn_trajectory_convert_options, name)

static const qn_option convert_rows[] = {
    {.name = "trajectory",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "TRAJECTORY",
     .offset = CONVERT_FIELD(trajectories),
     .required = true,
     .by_commands = true,
     .meaning =
         "read one after the other: XTC, TRR, DCD, Amber NetCDF, H5MD, GRO, PDB, mmCIF, XYZ or LAMMPS dump; - is "
         "standard input"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = CONVERT_FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "file to write; its ending .xtc or .dcd selects the format"},
    {.name = "topology",
     .letter = 'p',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = CONVERT_FIELD(topology),
     .meaning = "describes the atoms for --select and --whole: TPR, PSF, Amber parm7, GRO, PDB, mmCIF or a table of "
                "atoms"},
    {.name = "select",
     .letter = 's',
     .kind = QN_OPTION_TEXT,
     .argument = "ATOMS",
     .offset = CONVERT_FIELD(select),
     .fallback_meaning = "all",
     .meaning = "write these atoms alone; the selection must be the same in every frame"},
    {.name = "index",
     .letter = 'n',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = CONVERT_FIELD(index_file),
     .meaning = index_meaning},
    {.name = "whole",
     .kind = QN_OPTION_FLAG,
     .offset = CONVERT_FIELD(whole),
     .meaning = "make molecules whole that the periodic box cuts; needs a topology with bonds"},
    {.like = &frame_rows[BEGIN], .offset = CONVERT_FIELD(begin_ps)},
    {.like = &frame_rows[END], .offset = CONVERT_FIELD(end_ps)},
    {.like = &frame_rows[FIRST], .offset = CONVERT_FIELD(first_frame)},
    {.like = &frame_rows[LAST], .offset = CONVERT_FIELD(last_frame)},
    {.like = &frame_rows[STRIDE], .offset = CONVERT_FIELD(stride)},
    {.name = "precision",
     .kind = QN_OPTION_NUMBER,
     .argument = "NUMBER",
     .offset = CONVERT_FIELD(precision),
     .least = 1,
     .most = 1e6,
     .fallback = "1000",
     .meaning = "of XTC: positions are rounded to multiples of 1/NUMBER nm"},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = CONVERT_FIELD(run)},
    {0}};

static qn_status check_conversion(const void *memory)
{
    const qn_trajectory_convert_options *options = memory;
    const bool has_topology = options->topology || options->topology_in_memory;
    if (options->trajectory_count == 0 && !options->frames && !options->next_frame)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the frames: given neither as files nor in memory; expected one of these");
    QN_TRY(check_topology(options->topology, options->topology_in_memory));
    QN_TRY(check_sources(options->trajectory_count, options->frames, options->next_frame, NULL));
    if (options->next_frame && !has_topology)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the frames come from a function without a topology; expected one, which says how many atoms "
                       "there are");
    if (!has_topology && (options->select || options->whole))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--%s needs --topology FILE", options->select ? "select" : "whole");
    return check_frames(options->begin_ps, options->end_ps, options->first_frame, options->last_frame);
}

static const qn_option_table convert_table = {"trajectory convert", sizeof(qn_trajectory_convert_options), convert_rows,
                                              check_conversion};

const qn_option_table *qn_trajectory_convert_option_table(void)
{
    return &convert_table;
}

/* ---- short forms ---- */

#define QUERY_FIELD(name) offsetof(qn_query_request, name)

static const qn_option select_row = {.name = "select",
                                     .letter = 's',
                                     .kind = QN_OPTION_TEXT,
                                     .argument = "ATOMS",
                                     .offset = QUERY_FIELD(select),
                                     .fallback_meaning = "all",
                                     .meaning = "selection, such as \"name OW\" or \"protein and not element H\""};
static const qn_option with_row = {.name = "with",
                                   .letter = 'w',
                                   .kind = QN_OPTION_TEXT,
                                   .argument = "ATOMS",
                                   .offset = QUERY_FIELD(with),
                                   .fallback_meaning = "the first",
                                   .meaning = "second selection"};
static const qn_option whole_row = {.name = "whole",
                                    .kind = QN_OPTION_ENUM,
                                    .argument = "WHEN",
                                    .offset = QUERY_FIELD(whole),
                                    .choices = "auto yes no",
                                    .fallback = "auto",
                                    .meaning = "make molecules whole that the periodic box cuts; auto: where the query "
                                               "needs it"};

/* Make the option of a query's parameter. Its value stays a text: the run reads it with its own unit of lengths. */
static qn_option row_of(const qn_query_parameter *parameter, size_t place)
{
    static const char *const arguments[] = {
        [QN_PARAMETER_NUMBER] = "NUMBER", [QN_PARAMETER_LENGTH] = "LENGTH", [QN_PARAMETER_INTEGER] = "COUNT",
        [QN_PARAMETER_FLAG] = NULL,       [QN_PARAMETER_CHOICE] = "WORD",   [QN_PARAMETER_TEXT] = "TEXT",
        [QN_PARAMETER_FILE] = "FILE"};
    const bool is_flag = parameter->kind == QN_PARAMETER_FLAG;
    return (qn_option){.name = parameter->name,
                       .kind = is_flag                                ? QN_OPTION_FLAG
                               : parameter->kind == QN_PARAMETER_FILE ? QN_OPTION_PATH
                                                                      : QN_OPTION_TEXT,
                       .argument = arguments[parameter->kind],
                       .offset = QUERY_FIELD(values) + place * sizeof(qn_query_value_text),
                       .choices = parameter->choices,
                       .fallback_meaning = !is_flag && parameter->fallback ? parameter->fallback : "",
                       .unit = parameter->kind == QN_PARAMETER_LENGTH ? "nm" : NULL,
                       .meaning = parameter->meaning,
                       .required = !parameter->fallback};
}

void qn_query_option_rows(const qn_query_class *query_class, qn_option rows_of_class[QN_QUERY_ROWS_MAX])
{
    const qn_query_parameter *parameters = query_class->parameters;
    size_t count = 0;
    if (query_class->selections > 0) rows_of_class[count++] = select_row;
    if (query_class->selections > 1) rows_of_class[count++] = with_row;
    for (size_t i = 0; parameters && parameters[i].name && i < QN_QUERY_PARAMETERS_MAX; i++)
        rows_of_class[count++] = row_of(&parameters[i], i);
    rows_of_class[count++] = whole_row;
    rows_of_class[count] = (qn_option){0};
}

void qn_query_of_request(const qn_query_request *request, const qn_query_class *query_class,
                         qn_trajectory_parameter parameters[QN_QUERY_PARAMETERS_MAX], qn_trajectory_query *query)
{
    const qn_query_parameter *known = query_class->parameters;
    qn_trajectory_query made = {.size = query->size,
                                .query_class = query_class->name,
                                .select = request->select,
                                .with = request->with,
                                .whole = request->whole,
                                .parameters = parameters};
    for (size_t i = 0; known && known[i].name && i < QN_QUERY_PARAMETERS_MAX; i++) {
        const bool is_flag = known[i].kind == QN_PARAMETER_FLAG;
        const char *text = is_flag ? (request->values[i].flag ? "yes" : NULL) : request->values[i].text;
        if (text) parameters[made.parameter_count++] = (qn_trajectory_parameter){known[i].name, text};
    }
    memcpy(query, &made, made.size < sizeof made ? made.size : sizeof made);
}
