/* The options of quern fuse, in one struct; each action has a table of those that it reads. */
#include <quern/fuse.h>

#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_fuse_options, name)
#define RUN FIELD(run)

static const qn_option script_row = {.name = "script",
                                     .kind = QN_OPTION_PATH,
                                     .group = QN_OPTION_ARGUMENT,
                                     .argument = "SCRIPT",
                                     .offset = FIELD(script),
                                     .required = true,
                                     .meaning = "the sequence of steps (.qf)"};

static const qn_option size_row = {.name = "size",
                                   .kind = QN_OPTION_TEXT,
                                   .argument = "SIZES",
                                   .offset = FIELD(sizes),
                                   .meaning = "sizes of the script's extents, as m=1000,n=2000"};

static const qn_option library_row = {.name = "library",
                                      .kind = QN_OPTION_PATH,
                                      .argument = "FOLDER",
                                      .offset = FIELD(library),
                                      .meaning = "folder of .qel files with further functions"};

static const qn_option fusion_row = {
    .name = "fusion",
    .kind = QN_OPTION_TEXT,
    .argument = "HOW",
    .offset = FIELD(fusion),
    .fallback = "auto",
    .meaning = "auto: the kernels that take least time; none: a kernel for each call; or the names of results that "
               "share a kernel, as a+b,c+d"};

static const qn_option repeat_row = {.name = "repeat",
                                     .kind = QN_OPTION_INTEGER,
                                     .argument = "COUNT",
                                     .offset = FIELD(repeat),
                                     .least = 1,
                                     .most = 1000000,
                                     .fallback = "20",
                                     .meaning = "timed runs, fused and not"};

static const qn_option write_rows[] = {
    {.like = &script_row},
    {.name = "output",
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .required = true,
     .is_output = true,
     .meaning = "folder of the files; it is made"},
    {.name = "language",
     .kind = QN_OPTION_ENUM,
     .argument = "LANGUAGE",
     .offset = FIELD(language),
     .choices = "quern opencl cuda c",
     .fallback = "quern",
     .meaning = "quern: a kernel family for libquern; opencl, cuda, c: files that need nothing of Quern"},
    {.like = &size_row, .fallback_meaning = "8192 each, where kernels are compared"},
    {.like = &library_row},
    {.like = &fusion_row},
    {.like = &qn_run_rows[QN_RUN_DEVICE],
     .offset = RUN,
     .meaning = "device that the kernels' shape suits, for c only the host; auto: a large GPU, and for c a processor"},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN, .meaning = "replace files that are there"},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static const qn_option explain_rows[] = {
    {.like = &script_row},
    {.like = &size_row, .fallback_meaning = "8192 each, where kernels are compared"},
    {.like = &library_row},
    {.like = &fusion_row},
    {.like = &qn_run_rows[QN_RUN_DEVICE],
     .offset = RUN,
     .meaning = "device whose measured rates decide (quern fuse measure); auto: those of a large GPU"},
    {0}};

static const qn_option run_rows[] = {
    {.like = &script_row},
    {.like = &size_row, .fallback_meaning = "those of the arrays"},
    {.like = &library_row},
    {.like = &fusion_row},
    {.name = "input",
     .kind = QN_OPTION_TEXTS,
     .argument = "NAME=FILE",
     .offset = FIELD(inputs),
     .meaning =
         "array of NumPy's format (.npy) with a given value; a csr matrix A has A, A_starts and A_columns (may be "
         "given several times)"},
    {.name = "output",
     .letter = 'o',
     .kind = QN_OPTION_TEXTS,
     .argument = "NAME=FILE",
     .offset = FIELD(outputs),
     .meaning = "write a result as an array of NumPy's format (may be given several times)"},
    {.name = "values",
     .kind = QN_OPTION_ENUM,
     .argument = "KIND",
     .offset = FIELD(values),
     .choices = "uniform signs",
     .fallback = "uniform",
     .meaning = "random values that --input does not give: uniform, between -1 and 1; signs, -1, 0 and 1, whose sums "
                "are exact"},
    {.like = &repeat_row},
    {.name = "compare",
     .kind = QN_OPTION_TEXT,
     .argument = "PEERS",
     .offset = FIELD(compare),
     .fallback = "unfused,blas",
     .meaning = "what the sequence is timed beside, in turns: unfused, a kernel for each call; blas, the calls of "
                "OpenBLAS, CLBlast or cuBLAS, if it is installed; both; or none"},
    {.name = "candidates",
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(candidates),
     .least = 1,
     .most = 64,
     .fallback = "8",
     .meaning = "sets of kernels that are measured, those of the planner that should take least time"},
    {.name = "budget",
     .kind = QN_OPTION_SECONDS,
     .argument = "TIME",
     .offset = FIELD(budget_s),
     .least = 0,
     .most = 1e6,
     .unit = "s",
     .fallback = "60",
     .meaning = "time to measure sets of kernels and their shapes, unless that is known from an earlier run; 0: use "
                "what is known"},
    {.name = "report",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(report),
     .is_output = true,
     .meaning = "write a page with the graph, the times beside the device's limit, and the words of each value"},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN, .meaning = "replace files of --output that are there"},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {0}};

static const qn_option function_row = {.name = "function",
                                       .kind = QN_OPTION_TEXT,
                                       .group = QN_OPTION_ARGUMENT,
                                       .argument = "FUNCTION",
                                       .offset = FIELD(function)};

static const qn_option list_rows[] = {
    {.like = &function_row, .meaning = "show only this function, with its meaning"}, {.like = &library_row}, {0}};

static const qn_option measure_rows[] = {{.like = &function_row, .meaning = "measure only this function"},
                                         {.like = &library_row},
                                         {.like = &repeat_row, .meaning = "timed runs of each function"},
                                         {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = RUN},
                                         {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
                                         {0}};

const qn_option_table *qn_fuse_write_option_table(void)
{
    static const qn_option_table table = {"fuse", sizeof(qn_fuse_options), write_rows, NULL};
    return &table;
}

const qn_option_table *qn_fuse_explain_option_table(void)
{
    static const qn_option_table table = {"fuse explain", sizeof(qn_fuse_options), explain_rows, NULL};
    return &table;
}

const qn_option_table *qn_fuse_run_option_table(void)
{
    static const qn_option_table table = {"fuse run", sizeof(qn_fuse_options), run_rows, NULL};
    return &table;
}

const qn_option_table *qn_fuse_list_option_table(void)
{
    static const qn_option_table table = {"fuse list", sizeof(qn_fuse_options), list_rows, NULL};
    return &table;
}

const qn_option_table *qn_fuse_measure_option_table(void)
{
    static const qn_option_table table = {"fuse measure", sizeof(qn_fuse_options), measure_rows, NULL};
    return &table;
}

qn_fuse_options qn_fuse_default_options(void)
{
    qn_fuse_options options;
    qn_option_defaults(qn_fuse_run_option_table(), &options, sizeof options);
    return options;
}
