/* The options of a run, as written to its run.json. */
#ifndef QN_REPORT_OPTIONS_H
#define QN_REPORT_OPTIONS_H

#include <jansson.h>
#include <quern/option.h>

/* Every option of a table by its name, with "_" for "-" and its unit appended: {"spacing_angstrom": 1.2,
 * "memory_bytes": 0, "output": "out", …}. Null: a text that is not given, or a number that is not finite. */
json_t *qn_json_options(const qn_option_table *table, const void *options);

#endif
