#include "format/structure/chain_list.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

bool qn_chain_list_has(const qn_chain_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0) return true;
    return false;
}

qn_status qn_chain_list_add(qn_chain_list *list, const char *name)
{
    if (qn_chain_list_has(list, name)) return QN_OK;
    void *names = list->names;
    qn_status status = qn_grow(&names, &list->capacity, list->count + 1, sizeof *list->names);
    list->names = names;
    QN_TRY(status);
    strncpy(list->names[list->count], name, sizeof *list->names - 1);
    list->names[list->count++][sizeof *list->names - 1] = '\0';
    return QN_OK;
}

void qn_chain_list_clear(qn_chain_list *list)
{
    qn_release(&list->names);
    list->count = list->capacity = 0;
}

static qn_status add_wanted(const char *file, qn_chain_selection *selection, const char *name, size_t length)
{
    char copy[8] = "";
    if (length == 0) return QN_OK;
    if (length >= sizeof copy)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: chain name \"%.*s\" is longer than %zu characters", file,
                       (int)(length < 80 ? length : 80), name, sizeof copy - 1);
    memcpy(copy, name, length);
    return qn_chain_list_add(&selection->wanted, copy);
}

qn_status qn_chain_selection_parse(const char *file, const char *text, qn_chain_selection *selection)
{
    if (!text) return QN_OK;
    size_t length = strlen(text);
    if (strchr(text, ',')) {
        for (const char *at = text; *at;) {
            at += strspn(at, ", ");
            size_t name = strcspn(at, ", ");
            QN_TRY(add_wanted(file, selection, at, name));
            at += name;
        }
    } else {
        for (const char *letter = text; *letter; letter++) QN_TRY(add_wanted(file, selection, letter, 1));
        if (length > 1 && length < sizeof selection->whole) memcpy(selection->whole, text, length + 1);
    }
    if (selection->wanted.count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: no chain is named after the colon; expected letters (:AB) or names with a comma (:A,BB)",
                       file);
    return QN_OK;
}

void qn_chain_selection_clear(qn_chain_selection *selection)
{
    qn_chain_list_clear(&selection->wanted);
}

bool qn_chain_selection_has(const qn_chain_selection *selection, const char *chain)
{
    if (selection->wanted.count == 0) return true;
    if (selection->whole[0] && strcmp(selection->whole, chain) == 0) return true;
    return qn_chain_list_has(&selection->wanted, chain);
}

static qn_status missing_chain(const char *file, const char *missing, const qn_chain_list *present)
{
    enum { MOST_LISTED = 40 };
    qn_text list = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < present->count && i < MOST_LISTED && status == QN_OK; i++)
        status = qn_text_append(&list, "%s%s", i ? ", " : "", present->names[i][0] ? present->names[i] : "(blank)");
    if (status == QN_OK && present->count > MOST_LISTED)
        status = qn_text_append(&list, " and %zu more", present->count - MOST_LISTED);
    if (status == QN_OK && present->count == 1 && !present->names[0][0])
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__,
                              "%s: there is no chain %s; the file has one chain without a name", file, missing);
    else if (status == QN_OK)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "%s: there is no chain %s; the file has %s", file,
                              missing, list.data ? list.data : "none");
    qn_text_clear(&list);
    return status;
}

qn_status qn_chain_selection_check(const char *file, const qn_chain_selection *selection, const qn_chain_list *present)
{
    bool whole = selection->whole[0] && qn_chain_list_has(present, selection->whole);
    for (size_t i = 0; i < selection->wanted.count; i++) {
        const char *name = selection->wanted.names[i];
        bool found = qn_chain_list_has(present, name);
        if (whole && found)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "%s: \"%s\" means two things, as the file has both a chain %s and a chain %s; write \":,%s\" for "
                "the one, or commas between the names of the others",
                file, selection->whole, selection->whole, name, selection->whole);
        if (!whole && !found) return missing_chain(file, name, present);
    }
    return QN_OK;
}
