/* Functions for run files in JSON.
 *
 *     json_t *run = json_pack("{s:o, s:o}", "receptor", qn_json_text(path), "seed", qn_json_unsigned(seed));
 *     QN_TRY(qn_json_write(run, "out", "run.json"));
 */
#ifndef QN_REPORT_JSON_H
#define QN_REPORT_JSON_H

#include <jansson.h>
#include <quern/status.h>
#include <stdint.h>

/* Make a JSON text; null for NULL. JSON is UTF-8, but file names need not be: a byte that is not part of a UTF-8
 * character is written as \xNN, four characters. NULL when memory is exhausted, as from jansson's own functions. */
json_t *qn_json_text(const char *text);

/* Make a JSON number; a number beyond 2^63 − 1, jansson's largest, becomes a text of its digits. */
json_t *qn_json_unsigned(uint64_t value);

/* Write "folder/name" through qn_file_write, and release `json`, which may be NULL (QN_OUT_OF_MEMORY). */
QN_MUST_CHECK qn_status qn_json_write(json_t *json, const char *folder, const char *name);
QN_MUST_CHECK qn_status qn_json_write_file(json_t *json, const char *path);

#endif
