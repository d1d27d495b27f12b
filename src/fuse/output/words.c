#include "fuse/output/words.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A definition: its text and its name. A block of #if has the names of all its definitions. */
typedef struct item {
    const char *lead; /* where the comment before a function begins, else `text` */
    const char *text;
    size_t length;
    const char *name;
    size_t name_length;
    bool is_block;
    bool is_needed;
} item;

typedef struct item_list {
    item *items;
    size_t count, capacity;
} item_list;

static bool is_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* The next word of a text outside of comments; NULL: there is none. *next is where the search goes on. */
static const char *next_word(const char *at, const char *end, size_t *length, const char **next)
{
    while (at < end) {
        if (at + 1 < end && at[0] == '/' && at[1] == '*') {
            for (at += 2; at + 1 < end && (at[0] != '*' || at[1] != '/');) at++;
            at += 2;
        } else if (!is_letter(*at)) {
            at++;
        } else {
            const char *const begin = at;
            while (at < end && is_letter(*at)) at++;
            *length = (size_t)(at - begin);
            *next = at;
            return begin;
        }
    }
    return NULL;
}

bool qn_words_occur(const char *text, size_t length, const char *name, size_t name_length)
{
    size_t found_length;
    const char *at = text;
    for (const char *found; (found = next_word(at, text + length, &found_length, &at));)
        if (found_length == name_length && memcmp(found, name, name_length) == 0) return true;
    return false;
}

/* Whether a word that ends in "_" begins the name: "##" makes names of such words. */
static bool is_pasted(const char *text, size_t length, const char *name, size_t name_length)
{
    size_t found_length;
    const char *at = text;
    for (const char *found; (found = next_word(at, text + length, &found_length, &at));)
        if (found[found_length - 1] == '_' && found_length < name_length && memcmp(found, name, found_length) == 0)
            return true;
    return false;
}

/* ---- finding definitions ---- */

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static const char *after_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static const char *after_define(const char *at)
{
    const char *end = after_line(at);
    while (end - at >= 2 && end[-1] == '\n' && end[-2] == '\\') end = after_line(end);
    return end;
}

/* Past the line that begins with `mark`. */
static const char *after_mark(const char *at, const char *mark)
{
    while (*at && !begins(at, mark)) at = after_line(at);
    return after_line(at);
}

static const char *after_block(const char *at)
{
    int depth = 0;
    do {
        depth += begins(at, "#if");
        depth -= begins(at, "#endif");
        at = after_line(at);
    } while (*at && depth > 0);
    return at;
}

static void name_first(item *found, const char *at)
{
    while (*at && !is_letter(*at)) at++;
    found->name = at;
    while (is_letter(*at)) at++;
    found->name_length = (size_t)(at - found->name);
}

/* The name before `sign`: a function's before "(", a type's before the last ";". */
static void name_before(item *found, const char *at)
{
    const char *end = at;
    while (end > found->text && !is_letter(end[-1])) end--;
    found->name = end;
    while (found->name > found->text && is_letter(found->name[-1])) found->name--;
    found->name_length = (size_t)(end - found->name);
}

/* A file's own guard, which encloses all of it. */
static bool is_guard(const char *at)
{
    item guard = {.text = at}, definition = {.text = after_line(at)};
    if (!begins(at, "#ifndef ") || !begins(definition.text, "#define ")) return false;
    name_first(&guard, at + strlen("#ifndef "));
    name_first(&definition, definition.text + strlen("#define "));
    return guard.name_length == definition.name_length && memcmp(guard.name, definition.name, guard.name_length) == 0 &&
           definition.name[definition.name_length] == '\n';
}

/* The line before `end`. */
static const char *last_line(const char *at, const char *end)
{
    while (after_line(at) < end) at = after_line(at);
    return at;
}

/* The definition that begins at a line; false: there is none. *next is where the search goes on. */
static bool take_item(const char *at, item *found, const char **next)
{
    *found = (item){.lead = at, .text = at};
    *next = after_line(at);
    if (is_guard(at)) return false;
    if (begins(at, "/*")) {
        const char *end = strstr(at, "*/");
        *next = found->text = at = after_line(end ? end : at);
        if (!begins(at, "DEVICE_FN ")) return false;
    }
    if (begins(at, "#if")) {
        *next = after_block(at);
        found->is_block = true;
    } else if (begins(at, "#undef ")) {
        name_first(found, at + strlen("#undef "));
    } else if (begins(at, "#define ")) {
        *next = after_define(at);
        name_first(found, at + strlen("#define "));
    } else if (begins(at, "DEVICE_FN ")) {
        *next = after_mark(at, "}");
        name_before(found, strchr(at, '('));
    } else if (begins(at, "typedef ")) {
        const bool is_struct = begins(at, "typedef struct");
        if (is_struct) *next = after_mark(at, "}");
        name_before(found, strchr(is_struct ? last_line(at, *next) : at, ';'));
    } else {
        return false;
    }
    found->length = (size_t)(*next - at);
    return true;
}

static qn_status list_items(const char *definitions, item_list *list)
{
    for (const char *at = definitions; *at;) {
        item found;
        const bool taken = take_item(at, &found, &at);
        if (!taken) continue;
        QN_TRY(qn_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items));
        list->items[list->count++] = found;
    }
    return QN_OK;
}

/* ---- choosing ---- */

static bool is_used(const item *of, const char *text, size_t length)
{
    if (!of->is_block) return qn_words_occur(text, length, of->name, of->name_length);
    for (const char *at = of->text; at < of->text + of->length; at = after_line(at)) {
        item inner = {.text = at};
        if (!begins(at, "#define ")) continue;
        name_first(&inner, at + strlen("#define "));
        if (qn_words_occur(text, length, inner.name, inner.name_length)) return true;
    }
    return false;
}

/* Whether the text of a definition needs another one. */
static bool is_needed_by(const item *of, const char *text, size_t length)
{
    return is_used(of, text, length) || (!of->is_block && is_pasted(text, length, of->name, of->name_length));
}

static void choose(const char *user, item_list *list)
{
    for (size_t i = 0; i < list->count; i++) list->items[i].is_needed = is_used(&list->items[i], user, strlen(user));
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < list->count; i++)
            for (size_t k = 0; k < list->count && !list->items[i].is_needed; k++)
                if (list->items[k].is_needed &&
                    is_needed_by(&list->items[i], list->items[k].text, list->items[k].length))
                    more = list->items[i].is_needed = true;
    }
}

static qn_status append(const item *of, qn_text *text)
{
    return qn_text_append_bytes(text, of->lead, (size_t)(of->text + of->length - of->lead));
}

qn_status qn_words_take(const char *definitions, const char *user, qn_text *text)
{
    item_list list = {0};
    qn_status status = list_items(definitions, &list);
    if (status == QN_OK) choose(user, &list);
    for (size_t i = 0; i < list.count && status == QN_OK; i++)
        if (list.items[i].is_needed) status = append(&list.items[i], text);
    qn_release(&list.items);
    return status;
}
