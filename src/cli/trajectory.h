/* What the actions of quern trajectory share. */
#ifndef QN_CLI_TRAJECTORY_H
#define QN_CLI_TRAJECTORY_H

#include <quern/trajectory.h>

#include "cli/options.h"

extern const cli_command cli_trajectory_list, cli_trajectory_convert;

enum { CLI_TRAJECTORY_PARAMETERS = 24, CLI_TRAJECTORY_OPTIONS = 60, CLI_TRAJECTORY_CLASSES = 48 };

/* A value of a query's parameter; which member is meant follows from its kind. */
typedef union cli_trajectory_value {
    double number; /* NaN: not given */
    int integer;   /* INT_MIN: not given */
    const char *text;
    bool flag;
} cli_trajectory_value;

/* Of `run` and of the short forms, whose subject is their class. */
typedef struct cli_trajectory_settings {
    const qn_query_class *query_class; /* NULL: run */
    const char *plan, *topology;
    cli_list trajectories;
    const char *select, *with, *whole, *index_file, *live, *units, *output, *format, *device, *tune, *tune_budget;
    int live_every, stride, memory_mib, threads;                            /* 0: not given */
    double live_step_ps, live_timeout_s, live_interval_s, begin_ps, end_ps; /* NaN: not given */
    uint64_t first_frame, last_frame;                                       /* UINT64_MAX: not given */
    bool keep_overlaps, no_box, resume, explain, quiet;
    cli_trajectory_value values[CLI_TRAJECTORY_PARAMETERS];
} cli_trajectory_settings;

/* Options of runs, ended by one without a name: where frames come from and which, and how the run goes. */
extern const cli_option cli_trajectory_frame_options[], cli_trajectory_run_options[];

/* A run with what was given in `options`, and what it says at its end. Returns the exit code. */
int cli_trajectory_start(const cli_trajectory_settings *chosen, qn_trajectory_options *options);

/* The command of a class, made when the program runs, and what it points to. */
typedef struct cli_trajectory_made {
    cli_command command;
    cli_option options[CLI_TRAJECTORY_OPTIONS];
    char name[64], description[512];
    char defaults[CLI_TRAJECTORY_PARAMETERS][24]; /* of lengths: "1.2 nm" */
} cli_trajectory_made;

/* `made` is all 0 before. */
void cli_trajectory_make_query(const qn_query_class *query_class, cli_trajectory_made *made);

#endif
