#include "report/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/markup.h"

json_t *qn_json_text(const char *text)
{
    qn_text valid = {0};
    qn_status status = QN_OK;
    if (!text) return json_null();
    for (const char *at = text; *at && status == QN_OK;) {
        const size_t bytes = qn_markup_character_bytes((const unsigned char *)at);
        status = bytes ? qn_text_append_bytes(&valid, at, bytes)
                       : qn_text_append(&valid, "\\x%02X", (unsigned)(unsigned char)*at);
        at += bytes ? bytes : 1;
    }
    json_t *json = status == QN_OK ? json_string(valid.data ? valid.data : "") : NULL;
    qn_text_clear(&valid);
    return json;
}

json_t *qn_json_unsigned(uint64_t value)
{
    char digits[24];
    if (value <= INT64_MAX) return json_integer((json_int_t)value);
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    return json_string(digits);
}

qn_status qn_json_write_file(json_t *json, const char *path)
{
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    qn_text content = {0};
    json_decref(json);
    if (!text) return QN_FAIL(QN_OUT_OF_MEMORY, "%s cannot be made: memory is exhausted", path);
    qn_status status = qn_text_append(&content, "%s\n", text);
    free(text);
    if (status == QN_OK) status = qn_file_write(path, content.data, content.length);
    qn_text_clear(&content);
    return status;
}

qn_status qn_json_write(json_t *json, const char *folder, const char *name)
{
    char *path = NULL;
    qn_status status = qn_path_join(folder, name, &path);
    if (status == QN_OK)
        status = qn_json_write_file(json, path);
    else
        json_decref(json);
    qn_release(&path);
    return status;
}
