#include "report/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* Bytes of the UTF-8 character at `text` (RFC 3629, table of section 4); 0 when there is none. */
static size_t character_bytes(const unsigned char *text)
{
    const unsigned char first = text[0];
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xC2 ? 0
                         : first < 0xE0 ? 2
                         : first < 0xF0 ? 3
                         : first < 0xF5 ? 4
                                        : 0;
    const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;  /* shorter ways to write it */
    const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF; /* surrogates; beyond U+10FFFF */
    if (bytes > 1 && (text[1] < low || text[1] > high)) return 0;
    for (size_t i = 2; i < bytes; i++)
        if (text[i] < 0x80 || text[i] > 0xBF) return 0;
    return bytes;
}

json_t *qn_json_text(const char *text)
{
    qn_text valid = {0};
    qn_status status = QN_OK;
    if (!text) return json_null();
    for (const char *at = text; *at && status == QN_OK;) {
        const size_t bytes = character_bytes((const unsigned char *)at);
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

qn_status qn_json_write(json_t *json, const char *folder, const char *name)
{
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL, *path = NULL;
    qn_text content = {0};
    json_decref(json);
    if (!text) QN_FAIL(QN_OUT_OF_MEMORY, "%s cannot be made: memory is exhausted", name);
    qn_status status = qn_text_append(&content, "%s\n", text);
    free(text);
    if (status == QN_OK) status = qn_path_join(folder, name, &path);
    if (status == QN_OK) status = qn_file_write(path, content.data, content.length);
    qn_release(&path);
    qn_text_clear(&content);
    return status;
}
