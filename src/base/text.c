#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static qn_status make_room(qn_text *text, size_t more)
{
    void *data = text->data;
    qn_status status = qn_grow(&data, &text->capacity, text->length + more + 1, 1);
    text->data = data;
    return status;
}

/* Print into the free room first: it nearly always suffices, so the text is formatted only once. */
qn_status qn_text_append(qn_text *text, const char *format, ...)
{
    const size_t room = text->data ? text->capacity - text->length : 0;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(room ? text->data + text->length : NULL, room, format, arguments);
    va_end(arguments);
    qn_status status = QN_OK;
    if (length >= 0 && (size_t)length >= room) {
        if (room) text->data[text->length] = '\0'; /* restore the text in case memory runs out */
        status = make_room(text, (size_t)length);
        if (status == QN_OK) vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length < 0) return QN_FAIL(QN_INTERNAL, "text format \"%s\" is broken", format);
    if (status == QN_OK) text->length += (size_t)length;
    return status;
}

qn_status qn_text_append_bytes(qn_text *text, const void *bytes, size_t length)
{
    QN_TRY(make_room(text, length));
    if (length) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
    return QN_OK;
}

void qn_text_clear(qn_text *text)
{
    qn_release(&text->data);
    text->length = text->capacity = 0;
}

bool qn_text_ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), wanted = strlen(ending);
    return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

qn_status qn_text_copy(const char *string, char **copy)
{
    void *memory;
    size_t length = strlen(string);
    QN_TRY(qn_allocate(length + 1, 1, &memory));
    memcpy(memory, string, length);
    *copy = memory;
    return QN_OK;
}

qn_counted qn_count_of(unsigned long long count, const char *one)
{
    qn_counted counted;
    snprintf(counted.text, sizeof counted.text, "%llu %s%s", count, one, count == 1 ? "" : "s");
    return counted;
}
