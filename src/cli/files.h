/* Files that commands write their tables to. */
#ifndef QN_CLI_FILES_H
#define QN_CLI_FILES_H

#include <quern/option.h>

typedef struct cli_files {
    const char *csv, *json, *report; /* NULL: none; "-": standard output, instead of the table */
} cli_files;

/* Rows that commands' tables are made of, whose options are a cli_files. */
extern const qn_option cli_csv_row, cli_json_row, cli_report_row;

/* Whether one of them is standard output. */
bool cli_files_are_output(const cli_files *files);

#endif
