#include "movie/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void qn_movie_facts_clear(qn_movie_facts *facts)
{
    for (int i = 0; i < QN_MOVIE_TEXTS; i++) qn_release(&facts->texts[i]);
    for (int i = 0; i < QN_MOVIE_SERIES; i++) qn_release(&facts->series[i]);
    for (int i = 0; i < QN_MOVIE_PICTURES; i++) qn_release(&facts->pictures[i]);
    *facts = (qn_movie_facts){.numbers = {0}};
}

qn_status qn_movie_facts_set_text(qn_movie_facts *facts, qn_movie_text which, const char *text)
{
    qn_release(&facts->texts[which]);
    return qn_text_copy(text, &facts->texts[which]);
}

qn_status qn_movie_facts_remark(qn_movie_facts *facts, const char *format, ...)
{
    char sentence[512];
    va_list values;
    qn_text text = {0};
    const char *before = facts->texts[QN_MOVIE_REMARK];
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    if (before && strstr(before, sentence)) return QN_OK;
    QN_TRY(qn_text_append(&text, "%s%s%s", before ? before : "", before ? "; " : "", sentence));
    qn_release(&facts->texts[QN_MOVIE_REMARK]);
    facts->texts[QN_MOVIE_REMARK] = text.data;
    return QN_OK;
}

qn_status qn_movie_facts_make_series(qn_movie_facts *facts, qn_movie_series which, size_t count)
{
    void *memory;
    qn_release(&facts->series[which]);
    facts->series_count[which] = 0;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    facts->series[which] = memory;
    facts->series_count[which] = (uint32_t)count;
    return QN_OK;
}

/* ---- records: the numbers, then each part with its length; numbers in the byte order of the machine ---- */

static qn_status store_part(qn_text *record, const void *data, uint32_t bytes)
{
    QN_TRY(qn_text_append_bytes(record, (const char *)&bytes, sizeof bytes));
    return bytes ? qn_text_append_bytes(record, data, bytes) : QN_OK;
}

qn_status qn_movie_facts_store(const qn_movie_facts *facts, qn_text *record)
{
    QN_TRY(qn_text_append_bytes(record, (const char *)&facts->numbers, sizeof facts->numbers));
    for (int i = 0; i < QN_MOVIE_TEXTS; i++) {
        const char *text = facts->texts[i];
        QN_TRY(store_part(record, text, text ? (uint32_t)strlen(text) : 0));
    }
    for (int i = 0; i < QN_MOVIE_SERIES; i++)
        QN_TRY(store_part(record, facts->series[i], facts->series_count[i] * (uint32_t)sizeof(float)));
    for (int i = 0; i < QN_MOVIE_PICTURES; i++) {
        const uint32_t *size = facts->picture_size[i];
        QN_TRY(qn_text_append_bytes(record, (const char *)size, sizeof facts->picture_size[i]));
        QN_TRY(store_part(record, facts->pictures[i], size[0] * size[1]));
    }
    return QN_OK;
}

/* The part of a record that is not read yet. */
typedef struct record_rest {
    const char *at;
    size_t size;
} record_rest;

static bool take(record_rest *rest, void *to, size_t bytes)
{
    if (bytes > rest->size) return false;
    if (to) memcpy(to, rest->at, bytes);
    rest->at += bytes;
    rest->size -= bytes;
    return true;
}

static qn_status refuse(void)
{
    return QN_FAIL(QN_BAD_FORMAT, "the record of a movie is not one that this version writes");
}

/* Copy the next part, with a zero byte after it; *part is NULL if it is empty or not wanted. */
static qn_status take_part(record_rest *rest, bool wanted, uint32_t *bytes, void **part)
{
    *part = NULL;
    if (!take(rest, bytes, sizeof *bytes) || *bytes > rest->size) return refuse();
    if (wanted && *bytes > 0) {
        QN_TRY(qn_allocate((size_t)*bytes + 1, 1, part));
        memcpy(*part, rest->at, *bytes);
    }
    return take(rest, NULL, *bytes) ? QN_OK : refuse();
}

static qn_status take_pictures(record_rest *rest, bool wanted, qn_movie_facts *facts)
{
    for (int i = 0; i < QN_MOVIE_PICTURES; i++) {
        uint32_t *size = facts->picture_size[i], bytes;
        void *part;
        if (!take(rest, size, sizeof facts->picture_size[i])) return refuse();
        QN_TRY(take_part(rest, wanted, &bytes, &part));
        facts->pictures[i] = part;
        if (bytes != (uint64_t)size[0] * size[1]) return refuse();
        if (!part) size[0] = size[1] = 0;
    }
    return QN_OK;
}

static qn_status load(record_rest *rest, bool brief, qn_movie_facts *facts)
{
    uint32_t bytes;
    void *part;
    if (!take(rest, &facts->numbers, sizeof facts->numbers)) return refuse();
    for (int i = 0; i < QN_MOVIE_TEXTS; i++) {
        QN_TRY(take_part(rest, true, &bytes, &part));
        facts->texts[i] = part;
    }
    for (int i = 0; i < QN_MOVIE_SERIES; i++) {
        QN_TRY(take_part(rest, !brief, &bytes, &part));
        facts->series[i] = part;
        facts->series_count[i] = part ? bytes / (uint32_t)sizeof(float) : 0;
    }
    QN_TRY(take_pictures(rest, !brief, facts));
    const bool complete = facts->texts[QN_MOVIE_PATH] && facts->texts[QN_MOVIE_NAME] && rest->size == 0;
    return complete ? QN_OK : refuse();
}

qn_status qn_movie_facts_load(const void *data, size_t size, bool brief, qn_movie_facts *facts)
{
    record_rest rest = {data, size};
    *facts = (qn_movie_facts){.numbers = {0}};
    qn_status status = load(&rest, brief, facts);
    if (status != QN_OK) qn_movie_facts_clear(facts);
    return status;
}
