/* The part of report.html about rejected molecules. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "screen/output_report.h"

enum { REASON = 240, SHOWN = 12 };

/* Reasons that differ only in names, places and numbers. */
typedef struct reason_kind {
    char text[REASON];
    const qn_screen_rejection *first;
    const char *sentence; /* of the first molecule, without file and line */
    size_t count;
    bool same; /* all molecules have the same sentence */
} reason_kind;

/* Skip "word:" or "word:12:" at the beginning of `text`. */
static const char *skip_place(const char *text, const char *word)
{
    const size_t length = word ? strlen(word) : 0;
    if (length == 0 || strncmp(text, word, length) != 0 || text[length] != ':') return text;
    const char *after = text + length + 1;
    const char *digits = after;
    while (isdigit((unsigned char)*digits)) digits++;
    if (digits > after && *digits == ':') after = digits + 1;
    return *after == ' ' ? after + 1 : after;
}

/* Return the reason without file, line and molecule. */
static const char *sentence_of(const qn_screen_rejection *rejection)
{
    const char *from = skip_place(skip_place(rejection->reason, rejection->path), rejection->name);
    return skip_place(from, rejection->path);
}

/* Replace numbers by "#" and quoted text by "…". */
static void generalise(const char *from, char text[REASON])
{
    size_t used = 0;
    while (*from && used + 8 < REASON) {
        if (isdigit((unsigned char)*from)) {
            while (isdigit((unsigned char)*from) || (*from == '.' && isdigit((unsigned char)from[1]))) from++;
            text[used++] = '#';
        } else if (*from == '"' && strchr(from + 1, '"')) {
            used += (size_t)snprintf(text + used, REASON - used, "\"…\"");
            from = strchr(from + 1, '"') + 1;
        } else {
            text[used++] = *from++;
        }
    }
    text[used] = '\0';
}

static int by_text(const void *left, const void *right)
{
    const reason_kind *a = left, *b = right;
    const int order = strcmp(a->text, b->text);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

static int by_count(const void *left, const void *right)
{
    const reason_kind *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Merge equal reasons in place, the most frequent first; returns the number of different reasons. */
static size_t merge_kinds(reason_kind *kinds, size_t count)
{
    size_t merged = 0;
    qsort(kinds, count, sizeof *kinds, by_text);
    for (size_t i = 0; i < count; i++) {
        reason_kind *kind = &kinds[merged > 0 ? merged - 1 : 0];
        if (merged == 0 || strcmp(kind->text, kinds[i].text) != 0) {
            kinds[merged++] = kinds[i];
        } else {
            kind->same = kind->same && strcmp(kind->sentence, kinds[i].sentence) == 0;
            kind->count++;
        }
    }
    qsort(kinds, merged, sizeof *kinds, by_count);
    return merged;
}

static qn_status add_table(const reason_kind *kinds, size_t count, qn_report *report)
{
    static const char *const headers[] = {"Molecules", "Reason", "First of them"};
    enum { COLUMNS = 3 };
    char counts[SHOWN][24], firsts[SHOWN][80];
    const char *cells[SHOWN * COLUMNS];
    const size_t rows = count < SHOWN ? count : SHOWN;
    for (size_t i = 0; i < rows; i++) {
        const qn_screen_rejection *first = kinds[i].first;
        snprintf(counts[i], sizeof counts[i], "%zu", kinds[i].count);
        if (first->name && first->name[0])
            snprintf(firsts[i], sizeof firsts[i], "%.60s", first->name);
        else
            snprintf(firsts[i], sizeof firsts[i], "index %llu", (unsigned long long)first->index);
        cells[COLUMNS * i] = counts[i];
        cells[COLUMNS * i + 1] = kinds[i].same ? kinds[i].sentence : kinds[i].text;
        cells[COLUMNS * i + 2] = firsts[i];
    }
    QN_TRY(qn_report_table(report, headers, COLUMNS, cells, rows));
    if (count > rows)
        return qn_report_paragraph(report, "And %zu rarer %s.", count - rows, count - rows == 1 ? "reason" : "reasons");
    return QN_OK;
}

qn_status qn_screen_report_rejections(const qn_screen_state *run, qn_report *report)
{
    void *memory;
    if (run->rejection_count == 0) return QN_OK;
    QN_TRY(qn_report_heading(report, "Rejected"));
    QN_TRY(qn_report_paragraph(report,
                               "%zu of %llu %s could not be used%s. "
                               "Reasons that differ only in numbers (#) or in quoted text (…) are counted together.",
                               run->rejection_count, (unsigned long long)run->molecules,
                               qn_screen_molecules(run->molecules),
                               run->job->in_memory ? "" : "; `rejected.csv` has the sentence for each"));
    QN_TRY(qn_allocate(run->rejection_count, sizeof(reason_kind), &memory));
    reason_kind *kinds = memory;
    for (size_t i = 0; i < run->rejection_count; i++) {
        const char *sentence = sentence_of(&run->rejections[i]);
        kinds[i] = (reason_kind){.first = &run->rejections[i], .sentence = sentence, .count = 1, .same = true};
        generalise(sentence, kinds[i].text);
    }
    const size_t count = merge_kinds(kinds, run->rejection_count);
    const qn_status status = add_table(kinds, count, report);
    qn_release(&memory);
    return status;
}
