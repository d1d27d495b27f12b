/* The options of quern tune and its actions. */
#include <limits.h>
#include <quern/tune.h>
#include <string.h>

#include "base/error.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_tune_request, name)
#define RUN FIELD(run)

/* ---- rows of several actions ---- */

static const qn_option size_row = {.name = "size",
                                   .letter = 's',
                                   .kind = QN_OPTION_SIZES,
                                   .argument = "N[xNxN]",
                                   .offset = FIELD(tune.sizes),
                                   .least = 1,
                                   .most = INT_MAX,
                                   .count = QN_WORKLOAD_SIZES,
                                   .fallback_meaning = "the workload's own, larger on GPUs",
                                   .meaning = "size of the problem, as many numbers as quern tune list names for the "
                                              "workload"};

static const qn_option store_row = {.name = "store",
                                    .kind = QN_OPTION_TEXT,
                                    .argument = "FILE",
                                    .offset = FIELD(store),
                                    .fallback_meaning = "the user's",
                                    .meaning = "tuning results to use; off: only the shipped ones"};

static const qn_option model_row = {.name = "model",
                                    .kind = QN_OPTION_PATH,
                                    .argument = "FILE",
                                    .fallback_meaning = "made from the kernel's declaration",
                                    .meaning = "portable model for the searcher profile: a file of quern tune model "
                                               "train, or the name of a shipped model: ktt-convolution, "
                                               "ktt-coulomb3d"};

static const char alone[] = "every processor this process may use";

/* ---- run ---- */

static const qn_option run_rows[] = {
    {.name = "name",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "NAME",
     .offset = FIELD(names),
     .required = true,
     .meaning = "workloads of quern tune list, or T1 files (*.json) that describe kernels of your own"},
    {.like = &size_row},
    {.name = "budget",
     .letter = 'b',
     .kind = QN_OPTION_SECONDS,
     .argument = "TIME",
     .offset = FIELD(tune.tuner.seconds),
     .least = 1e-3,
     .most = 1e9,
     .fallback = "60s",
     .meaning = "stop after this long: 60s, 5min, 2h"},
    {.name = "tests",
     .letter = 'n',
     .kind = QN_OPTION_WHOLE,
     .argument = "COUNT",
     .offset = FIELD(tune.tuner.tests),
     .least = 0,
     .most = 1e9,
     .fallback_meaning = "no limit",
     .meaning = "stop after this many configurations, with those of earlier runs"},
    {.name = "fraction",
     .kind = QN_OPTION_NUMBER,
     .argument = "SHARE",
     .offset = FIELD(tune.tuner.fraction),
     .least = 0,
     .most = 1,
     .fallback_meaning = "no limit",
     .meaning = "stop after this share of the valid configurations"},
    {.name = "target",
     .kind = QN_OPTION_SECONDS,
     .argument = "MS",
     .offset = FIELD(tune.tuner.target),
     .least = 0,
     .most = 1e6,
     .unit = "ms",
     .fallback_meaning = "none",
     .meaning = "stop once a run takes no longer than this many milliseconds"},
    {.name = "gain",
     .kind = QN_OPTION_NUMBER,
     .argument = "SHARE",
     .offset = FIELD(tune.tuner.remaining_gain),
     .least = 0,
     .most = 1,
     .fallback_meaning = "none",
     .meaning = "stop once more tests are expected to gain less than this share of the time of a run"},
    {.name = "searcher",
     .kind = QN_OPTION_TEXT,
     .argument = "NAME",
     .offset = FIELD(tune.tuner.searcher),
     .fallback = "auto",
     .meaning = "method that chooses the next configuration (see docs/commands/tune.md)"},
    {.like = &model_row, .offset = FIELD(tune.model)},
    {.name = "objective",
     .kind = QN_OPTION_TEXT,
     .argument = "WHAT",
     .offset = FIELD(tune.objective),
     .fallback_meaning = "seconds",
     .meaning =
         "quantity to minimise: seconds, joules, or an expression of seconds, joules, watts and limit_seconds; if "
         "several are separated by commas, the first is minimised and the Pareto front of all is printed"},
    {.name = "timeout",
     .kind = QN_OPTION_SECONDS,
     .argument = "TIME",
     .offset = FIELD(tune.timeout_seconds),
     .least = 1e-3,
     .most = 1e9,
     .fallback_meaning = "20 times the best, at least 1s",
     .meaning =
         "give up a configuration whose run takes longer; the process of a kernel of your own is killed if a run "
         "does not end within twice this time and 5 s"},
    {.name = "precision",
     .kind = QN_OPTION_NUMBER,
     .argument = "SHARE",
     .offset = FIELD(tune.precision),
     .least = 0.0001,
     .most = 1,
     .fallback = "0.01",
     .meaning = "repeat runs until half of the 95 % confidence interval is at most this share of the time"},
    {.name = "compile-threads",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(tune.compile_threads),
     .least = 0,
     .most = 256,
     .fallback_meaning = "one less than the CPU threads, at most 8",
     .meaning = "threads that compile ahead of the measuring"},
    {.like = &store_row,
     .fallback_meaning = "the user's, see docs/commands/tune.md",
     .meaning = "keep the results in FILE, and continue from those in it; off keeps nothing"},
    {.name = "restart",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(tune.restart),
     .meaning = "delete the stored results of this problem and start again"},
    {.like = &qn_run_rows[QN_RUN_SEED],
     .offset = RUN,
     .meaning = "of the searcher's random numbers and the problem's inputs"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS],
     .offset = RUN,
     .fallback_meaning = alone,
     .meaning = "CPU threads of the host device"},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .offset = RUN,
     .fallback_meaning = "three quarters of the machine's",
     .meaning = "largest memory of the process that tests kernels of your own; one that takes more is ended"},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN, .meaning = "print the result only"},
    {0}};

static qn_status check_run(const void *memory)
{
    const qn_tune_request *request = memory;
    if (request->tune.objective && request->tune.tuner.target > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--target limits the time of a run; it cannot be used with --objective");
    return QN_OK;
}

static const qn_option_table run_table = {"tune run", sizeof(qn_tune_request), run_rows, check_run};

const qn_option_table *qn_tune_run_option_table(void)
{
    return &run_table;
}

/* ---- list, explain ---- */

static const qn_option list_rows[] = {{.like = &store_row}, {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN}, {0}};

static const qn_option_table list_table = {"tune list", sizeof(qn_tune_request), list_rows, NULL};

const qn_option_table *qn_tune_list_option_table(void)
{
    return &list_table;
}

static const qn_option explain_rows[] = {{.name = "family",
                                          .kind = QN_OPTION_TEXT,
                                          .group = QN_OPTION_ARGUMENT,
                                          .argument = "FAMILY",
                                          .offset = FIELD(name),
                                          .required = true,
                                          .meaning = "a kernel family of quern tune list, such as dock/correlate, or "
                                                     "a T1 file (*.json) of a kernel of your own"},
                                         {.name = "class",
                                          .kind = QN_OPTION_TEXT,
                                          .argument = "CLASS",
                                          .offset = FIELD(problem_class),
                                          .fallback_meaning = "all",
                                          .meaning = "problem class, as the table shows them"},
                                         {.like = &store_row},
                                         {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN},
                                         {0}};

static const qn_option_table explain_table = {"tune explain", sizeof(qn_tune_request), explain_rows, NULL};

const qn_option_table *qn_tune_explain_option_table(void)
{
    return &explain_table;
}

/* ---- export, import ---- */

static qn_status check_store(const void *memory)
{
    const qn_tune_request *request = memory;
    if (request->store && strcmp(request->store, "off") == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--store is \"off\"; expected a file");
    return QN_OK;
}

static const qn_option export_rows[] = {
    {.name = "name",
     .kind = QN_OPTION_TEXT,
     .group = QN_OPTION_ARGUMENT,
     .argument = "NAME",
     .offset = FIELD(name),
     .required = true,
     .meaning = "a workload of quern tune list, or a T1 file (*.json), that was tuned here"},
    {.name = "format",
     .letter = 'f',
     .kind = QN_OPTION_ENUM,
     .argument = "FORMAT",
     .offset = FIELD(format),
     .choices = "t4 kernel-tuner ktt quern header",
     .fallback = "t4",
     .meaning = "format of the file; quern is the text form of shipped results and has only the best result of a "
                "workload; header is a C header with the best parameters of each device as macros"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(file),
     .required = true,
     .meaning = "file to write"},
    {.like = &size_row, .meaning = "size of the problem it was tuned for"},
    {.like = &store_row, .meaning = "store to read"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN, .meaning = "the device it was tuned on"},
    {0}};

static const qn_option_table export_table = {"tune export", sizeof(qn_tune_request), export_rows, check_store};

const qn_option_table *qn_tune_export_option_table(void)
{
    return &export_table;
}

static const qn_option import_rows[] = {
    {.name = "name",
     .kind = QN_OPTION_TEXT,
     .group = QN_OPTION_ARGUMENT,
     .argument = "NAME",
     .offset = FIELD(name),
     .required = true,
     .meaning = "workload of the results"},
    {.name = "file",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "FILE",
     .offset = FIELD(file),
     .required = true,
     .meaning = "a T4 result, a Kernel Tuner cache or KTT's JSON, gzipped or not, or the text form of quern"},
    {.like = &size_row, .meaning = "size of the problem they were measured with"},
    {.like = &store_row, .meaning = "store to add to"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN, .meaning = "the device they were measured on"},
    {0}};

static const qn_option_table import_table = {"tune import", sizeof(qn_tune_request), import_rows, check_store};

const qn_option_table *qn_tune_import_option_table(void)
{
    return &import_table;
}

/* ---- model train ---- */

#define MODEL_FIELD(name) offsetof(qn_tune_model_options, name)

static const qn_option model_train_rows[] = {
    {.name = "space",
     .kind = QN_OPTION_PATH,
     .group = QN_OPTION_ARGUMENT,
     .argument = "SPACE",
     .offset = MODEL_FIELD(file),
     .required = true,
     .meaning = "a recorded space with hardware counters: KTT's JSON or T4 results, gzipped or not"},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "MODEL",
     .offset = MODEL_FIELD(output),
     .required = true,
     .meaning = "file to write, for --model of quern tune run and quern tune simulate"},
    {.name = "trees",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = MODEL_FIELD(trees),
     .least = 1,
     .most = 1000,
     .fallback = "10",
     .meaning = "trees whose predictions are averaged"},
    {.name = "leaf",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = MODEL_FIELD(least_leaf),
     .least = 0,
     .most = 1000000,
     .fallback_meaning = "1, and one more for each 1000 configurations",
     .meaning = "fewest configurations in a leaf of a tree; more make a smaller file"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = MODEL_FIELD(run), .meaning = "of the trees' random numbers"},
    {0}};

static const qn_option_table model_train_table = {"tune model train", sizeof(qn_tune_model_options), model_train_rows,
                                                  NULL};

const qn_option_table *qn_tune_model_train_option_table(void)
{
    return &model_train_table;
}

/* ---- simulate ---- */

#define SIMULATE_FIELD(name) offsetof(qn_tune_simulate_options, name)

static const qn_option simulate_rows[] = {
    {.name = "file",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "FILE",
     .offset = SIMULATE_FIELD(files),
     .required = true,
     .meaning = "recorded spaces: T4 results, Kernel Tuner caches or KTT's JSON, gzipped or not"},
    {.name = "searcher",
     .kind = QN_OPTION_TEXT,
     .argument = "NAMES",
     .offset = SIMULATE_FIELD(searchers),
     .fallback = "all",
     .meaning = "searchers to compare, names separated by commas, or all"},
    {.name = "repeats",
     .letter = 'r',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = SIMULATE_FIELD(repeats),
     .least = 1,
     .most = 1e6,
     .fallback = "100",
     .meaning = "runs of each searcher on each space, with different seeds"},
    {.like = &model_row, .offset = SIMULATE_FIELD(model), .fallback_meaning = "trained on a random half of the space"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = SIMULATE_FIELD(run), .meaning = "of the first run"},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = SIMULATE_FIELD(run), .fallback_meaning = alone},
    {0}};

static const qn_option_table simulate_table = {"tune simulate", sizeof(qn_tune_simulate_options), simulate_rows, NULL};

const qn_option_table *qn_tune_simulate_option_table(void)
{
    return &simulate_table;
}
