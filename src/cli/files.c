#include "cli/files.h"

#include <string.h>

const qn_option cli_csv_row = {
    .name = "csv",
    .is_output = true,
    .kind = QN_OPTION_PATH,
    .argument = "FILE",
    .offset = offsetof(cli_files, csv),
    .meaning = "write the table to FILE as comma-separated values; - prints that instead of the table"};

const qn_option cli_json_row = {.name = "json",
                                .is_output = true,
                                .kind = QN_OPTION_PATH,
                                .argument = "FILE",
                                .offset = offsetof(cli_files, json),
                                .meaning = "write the table to FILE as JSON; - prints that instead of the table"};

const qn_option cli_report_row = {
    .name = "report",
    .is_output = true,
    .kind = QN_OPTION_PATH,
    .argument = "FILE",
    .offset = offsetof(cli_files, report),
    .meaning = "write a page with the curve, the best and the failed configurations to FILE (HTML)"};

static bool is_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool cli_files_are_output(const cli_files *files)
{
    return is_output(files->csv) || is_output(files->json);
}
