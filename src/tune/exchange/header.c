#include "tune/exchange/header.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"

/* Append a name as a part of a macro: capital letters, digits and underlines. */
static qn_status append_macro(const char *name, qn_text *text)
{
    bool separated = true;
    for (const char *at = name; *at; at++) {
        const bool usual = isalnum((unsigned char)*at) != 0;
        if (usual) QN_TRY(qn_text_append(text, "%c", toupper((unsigned char)*at)));
        if (!usual && !separated && at[1]) QN_TRY(qn_text_append(text, "_"));
        separated = !usual;
    }
    return QN_OK;
}

/* Append a configuration, "A=1 B=row", as one definition for each parameter. Values hold no blanks. */
static qn_status append_definitions(const char *configuration, qn_text *text)
{
    for (const char *at = configuration; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " "), name = strcspn(at, "= ");
        const char *value = at + name + (name < length);
        int digits = (int)(length - name) - (name < length);
        if (digits == 4 && strncmp(value, "true", 4) == 0) value = "1", digits = 1;
        if (digits == 5 && strncmp(value, "false", 5) == 0) value = "0", digits = 1;
        QN_TRY(qn_text_append(text, "#define %.*s %.*s\n", (int)name, at, digits, value));
        at += length;
    }
    return QN_OK;
}

static bool is_listed(const qn_tune_best *best, size_t count, const qn_tune_key *key, size_t number)
{
    char name[QN_HARDWARE_NAME], other[QN_HARDWARE_NAME];
    if (strcmp(best[number].source, key->source) != 0) return false;
    if (strcmp(best[number].problem_class, key->problem_class) != 0) return false;
    qn_hardware_name(&best[number].hardware, name);
    for (size_t i = 0; i < number && i < count; i++) {
        qn_hardware_name(&best[i].hardware, other);
        if (strcmp(best[i].source, key->source) == 0 && strcmp(best[i].problem_class, key->problem_class) == 0 &&
            strcmp(name, other) == 0 && strcmp(best[i].hardware.driver, best[number].hardware.driver) == 0)
            return false;
    }
    return true;
}

static qn_status append_device(const qn_tune_best *best, bool first, double scale, qn_text *text)
{
    char name[QN_HARDWARE_NAME];
    const double factor = best->row.scale > 0 && scale > 0 ? scale / best->row.scale : 1;
    qn_hardware_name(&best->hardware, name);
    QN_TRY(qn_text_append(text, "%s defined(TARGET_", first ? "#if" : "#elif"));
    QN_TRY(append_macro(best->hardware.driver, text));
    QN_TRY(qn_text_append(text, "_"));
    QN_TRY(append_macro(name, text));
    QN_TRY(qn_text_append(text, ")\n/* %s, %s: %.4g s, the best of %llu tests */\n", best->hardware.driver, name,
                          factor * best->row.test.objective, (unsigned long long)best->tests));
    return append_definitions(best->row.configuration, text);
}

qn_status qn_header_append(const char *name, const qn_tune_key *key, const qn_tune_best *best, size_t count,
                           double scale, const char *usual, qn_text *text)
{
    bool first = true;
    QN_TRY(qn_text_append(text,
                          "/* Parameters of %s, found by quern tune run. Define the macro of a device before this file "
                          "is\n * included (-D TARGET_...); without one, the defaults hold. */\n#ifndef TUNED_",
                          name));
    QN_TRY(append_macro(name, text));
    QN_TRY(qn_text_append(text, "_H\n#define TUNED_"));
    QN_TRY(append_macro(name, text));
    QN_TRY(qn_text_append(text, "_H\n\n"));
    for (size_t i = 0; i < count; i++) {
        if (!is_listed(best, count, key, i)) continue;
        QN_TRY(append_device(&best[i], first, scale, text));
        first = false;
    }
    if (first)
        return QN_FAIL(QN_NOT_FOUND, "the store has no correct result of %s; expected one to export (quern tune run)",
                       name);
    QN_TRY(qn_text_append(text, "#else /* the defaults */\n"));
    QN_TRY(append_definitions(usual, text));
    return qn_text_append(text, "#endif\n\n#endif\n");
}
