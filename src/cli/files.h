/* Files into which commands write their tables. */
#ifndef QN_CLI_FILES_H
#define QN_CLI_FILES_H

#include <quern/option.h>

typedef struct cli_files {
    size_t size;                     /* of this struct in bytes */
    const char *csv, *json, *report; /* NULL: none; "-": standard output, instead of the table */
} cli_files;

/* Option rows for commands that embed a cli_files in their settings. */
extern const qn_option cli_csv_row, cli_json_row, cli_report_row;

/* Returns whether one of the files is standard output. */
bool cli_files_are_output(const cli_files *files);

#endif
