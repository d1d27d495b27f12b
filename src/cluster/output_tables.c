/* assignments.csv: a row for each structure; clusters.csv: one for each cluster; linkage.csv: one for each merge. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/run.h"
#include "report/csv.h"

enum { DECIMALS = 4 };

/* Append the header; names that end in "|" are lengths where the measure is one, and get its unit. */
static qn_status append_head(const qn_clustering *run, const char *const *names, qn_text *csv)
{
    const bool is_length = strcmp(run->measure->unit, "Å") == 0;
    for (size_t i = 0; names[i]; i++) {
        const size_t length = strlen(names[i]);
        const bool has_unit = names[i][length - 1] == '|';
        qn_text name = {0};
        qn_status status = qn_text_append(&name, "%.*s%s", (int)(length - has_unit), names[i],
                                          has_unit && is_length ? "_angstrom" : "");
        if (status == QN_OK) status = qn_csv_text(csv, name.data);
        qn_text_clear(&name);
        QN_TRY(status);
    }
    return qn_csv_end_row(csv);
}

static qn_status write_table(const qn_clustering *run, const char *name,
                             qn_status (*fill)(const qn_clustering *, qn_text *))
{
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = fill(run, &csv);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

static qn_status append_item(const qn_clustering *run, size_t item, qn_text *csv)
{
    const qn_cluster_result *result = run->result;
    const qn_model_origin *origin = run->models ? &run->models->origins[item] : NULL;
    const uint32_t cluster = result->labels[item];
    const bool has_cluster = cluster != QN_LABEL_NONE;
    QN_TRY(qn_csv_integer(csv, (long long)item));
    QN_TRY(qn_csv_text(csv, result->names[item]));
    QN_TRY(qn_csv_text(csv, origin ? origin->path : NULL));
    QN_TRY(origin ? qn_csv_integer(csv, (long long)origin->number) : qn_csv_text(csv, NULL));
    QN_TRY(qn_csv_general(csv, origin ? origin->time_ps : (double)NAN, 8));
    QN_TRY(qn_csv_integer(csv, has_cluster ? (long long)cluster + 1 : 0));
    QN_TRY(qn_csv_integer(csv, has_cluster && result->clusters[cluster].medoid == item));
    QN_TRY(qn_csv_number(csv, (double)result->medoid_distances[item], DECIMALS));
    QN_TRY(qn_csv_number(csv, result->silhouettes[item], DECIMALS));
    return qn_csv_end_row(csv);
}

/* ---- assignments, in pieces ---- */

enum { PIECE = 4096 /* structures of a piece */ };

typedef struct filling {
    const qn_clustering *run;
    qn_text *pieces;
} filling;

static qn_status fill_piece(size_t piece, int worker, void *user)
{
    const filling *work = user;
    const size_t count = work->run->count, end = (piece + 1) * PIECE < count ? (piece + 1) * PIECE : count;
    (void)worker;
    for (size_t i = piece * PIECE; i < end; i++) QN_TRY(append_item(work->run, i, &work->pieces[piece]));
    return QN_OK;
}

static qn_status join_pieces(const filling *work, size_t pieces, qn_text *csv)
{
    size_t bytes = csv->length + 1;
    void *memory = csv->data;
    for (size_t p = 0; p < pieces; p++) bytes += work->pieces[p].length;
    const qn_status status = qn_grow(&memory, &csv->capacity, bytes, 1);
    csv->data = memory;
    QN_TRY(status);
    for (size_t p = 0; p < pieces; p++) QN_TRY(qn_text_append_bytes(csv, work->pieces[p].data, work->pieces[p].length));
    return QN_OK;
}

static qn_status fill_assignments(const qn_clustering *run, qn_text *csv)
{
    static const char *const names[] = {"index",      "name",    "file",      "number",
                                        "time_ps",    "cluster", "is_medoid", "distance_to_medoid|",
                                        "silhouette", NULL};
    const size_t pieces = (run->count + PIECE - 1) / PIECE;
    void *memory;
    QN_TRY(append_head(run, names, csv));
    QN_TRY(qn_allocate(pieces, sizeof(qn_text), &memory));
    filling work = {run, memory};
    qn_status status = qn_pool_run(run->job->pool, pieces, fill_piece, &work);
    if (status == QN_OK) status = join_pieces(&work, pieces, csv);
    for (size_t p = 0; p < pieces; p++) qn_text_clear(&work.pieces[p]);
    qn_release(&memory);
    return status;
}

/* ---- clusters ---- */

static qn_status append_cluster(const qn_clustering *run, size_t cluster, qn_text *csv)
{
    char file[64] = "";
    const qn_cluster_facts *facts = &run->result->clusters[cluster];
    const double lengths[] = {facts->mean_pair, facts->mean_medoid, facts->largest_medoid, facts->diameter,
                              facts->silhouette};
    QN_TRY(qn_csv_integer(csv, (long long)cluster + 1));
    QN_TRY(qn_csv_integer(csv, (long long)facts->size));
    QN_TRY(qn_csv_number(csv, (double)facts->size / (double)run->count, 6));
    QN_TRY(qn_csv_integer(csv, (long long)facts->medoid));
    QN_TRY(qn_csv_text(csv, run->result->names[facts->medoid]));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) QN_TRY(qn_csv_number(csv, lengths[i], DECIMALS));
    if (cluster < run->represented)
        snprintf(file, sizeof file, "representatives/%s", qn_clustering_representative(run, cluster, true).text);
    QN_TRY(qn_csv_text(csv, file));
    return qn_csv_end_row(csv);
}

static qn_status fill_clusters(const qn_clustering *run, qn_text *csv)
{
    static const char *const names[] = {"cluster",
                                        "size",
                                        "share",
                                        "medoid_index",
                                        "medoid",
                                        "mean_distance|",
                                        "mean_distance_to_medoid|",
                                        "largest_distance_to_medoid|",
                                        "diameter|",
                                        "silhouette",
                                        "representative",
                                        NULL};
    QN_TRY(append_head(run, names, csv));
    for (size_t c = 0; c < run->result->cluster_count; c++) QN_TRY(append_cluster(run, c, csv));
    return QN_OK;
}

static qn_status fill_linkage(const qn_clustering *run, qn_text *csv)
{
    static const char *const names[] = {"first", "second", "height|", "size", NULL};
    QN_TRY(append_head(run, names, csv));
    for (size_t k = 0; k + 1 < run->count; k++) {
        const qn_merge *merge = &run->merges[k];
        QN_TRY(qn_csv_integer(csv, merge->first));
        QN_TRY(qn_csv_integer(csv, merge->second));
        QN_TRY(qn_csv_general(csv, (double)merge->height, 7));
        QN_TRY(qn_csv_integer(csv, merge->size));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

qn_status qn_clustering_write_tables(const qn_clustering *run)
{
    QN_TRY(write_table(run, "assignments.csv", fill_assignments));
    QN_TRY(write_table(run, "clusters.csv", fill_clusters));
    return run->merges ? write_table(run, "linkage.csv", fill_linkage) : QN_OK;
}
