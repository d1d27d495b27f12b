/* Mark the known actives among the rows. This happens after the results are gathered, so that the enrichment of a
 * finished run can be computed later. */
#include <stdlib.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "screen/enrichment.h"
#include "screen/library.h"
#include "screen/run.h"

static int compare_indices(const void *a, const void *b)
{
    const qn_screen_row *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

static qn_status look_at_row(const qn_screen_labels *labels, qn_screen_library *library, qn_compound_record *record,
                             qn_screen_row *row)
{
    qn_compound *compound = NULL;
    QN_TRY(qn_screen_library_seek(library, row->index, record));
    if (record->size == 0 || qn_compound_read(record, &compound) != QN_OK)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "molecule %llu cannot be read again (%s); expected libraries that do not change "
                       "during a run",
                       (unsigned long long)row->index, record->size ? qn_error_message() : "it is gone");
    row->active = qn_screen_labels_is_active(labels, compound);
    qn_compound_destroy(&compound);
    return QN_OK;
}

static qn_status find_by_item(qn_screen_state *run)
{
    const qn_screen_sources sources = qn_screen_sources_of(run->options);
    qn_screen_library *library;
    qn_compound_record record = {0};
    qsort(run->rows, run->row_count, sizeof *run->rows, compare_indices);
    QN_TRY(qn_screen_library_open(&sources, &library));
    qn_status status = QN_OK;
    for (size_t i = 0; i < run->row_count && status == QN_OK; i++)
        if (!run->rows[i].made) /* made from SMILES, which has no data items */
            status = look_at_row(run->labels, library, &record, &run->rows[i]);
    qn_compound_record_clear(&record);
    qn_screen_library_close(&library);
    return status;
}

qn_status qn_screen_find_actives(qn_screen_state *run)
{
    size_t actives = 0;
    if (!run->labels || run->row_count == 0) return QN_OK;
    const size_t names = qn_screen_labels_name_count(run->labels);
    if (names == 0) QN_TRY(find_by_item(run));
    for (size_t i = 0; i < run->row_count; i++) actives += run->rows[i].active;
    if (actives == 0)
        qn_log(QN_LOG_WARNING, "%s: none of its known actives is among the scored molecules",
               qn_screen_actives_name(run->options));
    else if (actives < names)
        qn_log(QN_LOG_WARNING, "%s: only %zu of its known actives %s among the scored molecules",
               qn_screen_actives_name(run->options), actives, actives == 1 ? "is" : "are");
    return QN_OK;
}

const char *qn_screen_actives_name(const qn_screen_options *options)
{
    return options->actives ? options->actives : "active_names";
}

qn_status qn_screen_measure_enrichment(const qn_screen_state *run, qn_enrichment *enrichment, bool *known)
{
    size_t actives = 0;
    void *memory;
    for (size_t i = 0; i < run->row_count; i++) actives += run->rows[i].active;
    *known = actives > 0 && actives < run->row_count;
    if (!*known) return QN_OK;
    QN_TRY(qn_allocate(run->row_count, sizeof(double) + sizeof(bool), &memory));
    double *scores = memory;
    bool *active = (bool *)(scores + run->row_count);
    for (size_t i = 0; i < run->row_count; i++) {
        scores[i] = run->rows[i].energy;
        active[i] = run->rows[i].active;
    }
    const qn_status status = qn_enrichment_measure(scores, active, run->row_count, enrichment);
    qn_release(&memory);
    return status;
}
