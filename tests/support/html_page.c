#include "html_page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t html_occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

/* Read one tag's name. Returns the tag's end, NULL if the tag is malformed or an attribute's value is not quoted. */
static const char *read_tag(const char *tag, char name[32], int *closing, int *empty)
{
    *closing = tag[1] == '/';
    const char *at = tag + 1 + *closing;
    size_t length = 0;
    while (isalnum((unsigned char)*at) && length < 31) name[length++] = *at++;
    name[length] = '\0';
    if (length == 0) return NULL;
    while (*at && *at != '>' && *at != '/') {
        if (*at == '<') return NULL;
        if (*at == '=') {
            if (at[1] != '"') return NULL;
            at = strchr(at + 2, '"');
            if (!at) return NULL;
        }
        at++;
    }
    *empty = *at == '/' || strcmp(name, "meta") == 0 || strcmp(name, "img") == 0;
    if (*at == '/') at++;
    return *at == '>' ? at + 1 : NULL;
}

static int is_reference(const char *text)
{
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (size_t i = 0; i < 5; i++)
        if (strncmp(text, known[i], strlen(known[i])) == 0) return 1;
    return 0;
}

int html_is_balanced(const char *page)
{
    static char open[64][32];
    size_t depth = 0;
    static const char doctype[] = "<!DOCTYPE html>";
    if (strncmp(page, doctype, strlen(doctype)) != 0) return 0;
    for (const char *at = page + strlen(doctype); *at;) {
        if (*at == '>' || (*at == '&' && !is_reference(at))) return 0;
        if (*at != '<') {
            at++;
            continue;
        }
        char name[32];
        int closing, empty;
        at = read_tag(at, name, &closing, &empty);
        if (!at) return 0;
        if (closing) {
            if (depth == 0 || strcmp(open[--depth], name) != 0) return 0;
        } else if (!empty) {
            if (depth == 64) return 0;
            strcpy(open[depth++], name);
        }
        if (!closing && strcmp(name, "style") == 0) at = strstr(at, "</style>");
        if (!closing && strcmp(name, "script") == 0) at = strstr(at, "</script>");
        if (!at) return 0;
    }
    return depth == 0;
}

const char *html_value(const char *tag, const char *name)
{
    char key[40] = " ";
    strcat(strcat(key, name), "=\"");
    const char *at = strstr(tag, key), *end = strchr(tag, '>');
    return at && end && at < end ? at + strlen(key) : "";
}

double html_attribute(const char *tag, const char *name)
{
    const char *value = html_value(tag, name);
    return *value ? strtod(value, NULL) : NAN;
}

int html_byte(const char *text, size_t index)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t letter = 8 * index / 6;
    if (!*text) return -1;
    const char *high = strchr(letters, text[letter]), *low = strchr(letters, text[letter + 1]);
    if (!high || !low) return -1;
    return (int)((high - letters) << 6 | (low - letters)) >> (4 - 8 * index % 6) & 255;
}

int html_integer(const char *text, size_t index)
{
    const int low = html_byte(text, 2 * index), high = html_byte(text, 2 * index + 1);
    if (low < 0 || high < 0) return 65536;
    return (low | high << 8) - (high < 128 ? 0 : 65536);
}
