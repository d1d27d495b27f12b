#include "report/markup.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "report/number.h"

size_t qn_markup_character_bytes(const unsigned char *text)
{
    if (text[0] < 0x80) return 1;
    size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool outside = (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f);
    return overlong || outside ? 0 : bytes;
}

static const char *reference_of(unsigned char character)
{
    switch (character) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static qn_status append_range(qn_text *markup, const unsigned char *text, const unsigned char *end)
{
    const unsigned char *plain = text; /* start of the text that can be copied unchanged */
    while (text < end) {
        size_t bytes = qn_markup_character_bytes(text);
        const char *other = bytes == 0 ? "\xef\xbf\xbd" : reference_of(*text);
        if (bytes == 1 && ((*text < 0x20 && *text != '\t' && *text != '\n') || *text == 0x7f)) other = "";
        if (other) {
            QN_TRY(qn_text_append_bytes(markup, plain, (size_t)(text - plain)));
            QN_TRY(qn_text_append(markup, "%s", other));
        }
        text += bytes ? bytes : 1;
        if (other) plain = text;
    }
    return qn_text_append_bytes(markup, plain, (size_t)(text - plain));
}

qn_status qn_markup_text(qn_text *markup, const char *string)
{
    if (!string) string = "";
    const unsigned char *text = (const unsigned char *)string;
    return append_range(markup, text, text + strlen(string));
}

qn_status qn_markup_prose(qn_text *markup, const char *string)
{
    const char *open, *close;
    while ((open = strchr(string, '`')) && (close = strchr(open + 1, '`'))) {
        QN_TRY(append_range(markup, (const unsigned char *)string, (const unsigned char *)open));
        QN_TRY(qn_text_append(markup, "<code>"));
        QN_TRY(append_range(markup, (const unsigned char *)open + 1, (const unsigned char *)close));
        QN_TRY(qn_text_append(markup, "</code>"));
        string = close + 1;
    }
    return qn_markup_text(markup, string);
}

qn_status qn_markup_caption(qn_text *markup, const char *title, const char *caption)
{
    QN_TRY(qn_text_append(markup, "<figcaption><b>"));
    QN_TRY(qn_markup_text(markup, title));
    QN_TRY(qn_text_append(markup, "</b>"));
    return caption ? qn_markup_prose(markup, caption) : QN_OK;
}

qn_status qn_markup_coordinate(qn_text *markup, double value, int decimals)
{
    char number[QN_NUMBER_LENGTH];
    qn_number_format(value, QN_NUMBER_FIXED, decimals, number);
    if (strchr(number, '.')) {
        char *end = number + strlen(number);
        while (end[-1] == '0') end--;
        if (end[-1] == '.') end--;
        *end = '\0';
    }
    bool negative = number[0] == '-';
    const char *digits = number + negative;
    if (digits[0] == '0' && digits[1] == '.') digits++;
    return qn_text_append(markup, "%s%s", negative ? "-" : "", digits);
}

qn_status qn_markup_position(qn_text *markup, const char *name, double value)
{
    QN_TRY(qn_text_append(markup, " %s=\"", name));
    QN_TRY(qn_markup_coordinate(markup, value, 1));
    return qn_text_append(markup, "\"");
}

qn_status qn_markup_value(qn_text *markup, double value, int digits)
{
    if (!isfinite(value)) return qn_text_append(markup, "–");
    char number[QN_NUMBER_LENGTH];
    qn_number_format(value, QN_NUMBER_GENERAL, digits, number);
    bool negative = number[0] == '-';
    return qn_text_append(markup, "%s%s", negative ? "−" : "", number + negative);
}

qn_status qn_markup_base64(qn_text *markup, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (unsigned)bytes[i + 2] : 0);
        const char four[4] = {digits[group >> 18 & 63], digits[group >> 12 & 63],
                              left > 1 ? digits[group >> 6 & 63] : '=', left > 2 ? digits[group & 63] : '='};
        QN_TRY(qn_text_append_bytes(markup, four, 4));
    }
    return QN_OK;
}

size_t qn_markup_length(const char *string)
{
    size_t length = 0;
    for (; *string; string++) length += ((unsigned char)*string & 0xc0) != 0x80;
    return length;
}
