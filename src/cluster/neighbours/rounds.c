#include "cluster/neighbours/rounds.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

/* Records of states are numbered from here; those of rows come before. */
#define FIRST_STATE ((uint64_t)1 << 40)
static const double USUAL_INTERVAL_S = 60;

/* The state of a search as a record: the head, labels, centres and counts, and the order where there is one. */
typedef struct state_head {
    uint64_t count, cluster_count, left;
} state_head;

typedef struct state_parts {
    void *part[4];
    size_t bytes[4];
} state_parts;

static state_parts parts_of(const qn_gromos *gromos)
{
    const size_t words = gromos->count * sizeof(uint32_t);
    return (state_parts){{gromos->labels, gromos->centres, gromos->counts, gromos->order},
                         {words, words, words, gromos->order ? gromos->count * sizeof(qn_gromos_entry) : 0}};
}

static size_t state_bytes(const qn_gromos *gromos)
{
    const state_parts parts = parts_of(gromos);
    return sizeof(state_head) + parts.bytes[0] + parts.bytes[1] + parts.bytes[2] + parts.bytes[3];
}

static void write_state(const qn_gromos *gromos, char *state)
{
    const state_head head = {gromos->count, gromos->cluster_count, gromos->left};
    const state_parts parts = parts_of(gromos);
    memcpy(state, &head, sizeof head);
    state += sizeof head;
    for (int p = 0; p < 4; p++) {
        if (parts.bytes[p]) memcpy(state, parts.part[p], parts.bytes[p]);
        state += parts.bytes[p];
    }
}

static void read_state(const char *state, qn_gromos *gromos)
{
    state_head head;
    const state_parts parts = parts_of(gromos);
    memcpy(&head, state, sizeof head);
    gromos->cluster_count = (size_t)head.cluster_count;
    gromos->left = (size_t)head.left;
    state += sizeof head;
    for (int p = 0; p < 4; p++) {
        if (parts.bytes[p]) memcpy(parts.part[p], state, parts.bytes[p]);
        state += parts.bytes[p];
    }
}

typedef struct latest_state {
    uint64_t number; /* of the record, from FIRST_STATE; 0: none */
    size_t bytes;
    char *state;
} latest_state;

static qn_status keep_latest(uint64_t piece, const void *data, size_t size, void *user)
{
    latest_state *latest = user;
    if (piece < FIRST_STATE || piece < latest->number || size != latest->bytes) return QN_OK;
    latest->number = piece;
    memcpy(latest->state, data, size);
    return QN_OK;
}

/* Go on from the latest state in the journals, which the first rank reads. */
static qn_status resume(qn_near_search *search, qn_gromos *gromos, uint64_t *next_number)
{
    qn_job *job = search->job;
    latest_state latest = {.bytes = state_bytes(gromos)};
    void *memory;
    *next_number = FIRST_STATE;
    if (job->in_memory) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_allocate(latest.bytes, 1, &memory)));
    latest.state = memory;
    qn_status status = qn_job_agree(job, qn_job_is_first(job) ? qn_job_scan(job, keep_latest, &latest) : QN_OK);
    if (status == QN_OK)
        status = qn_job_agree(job, qn_ranks_broadcast(job->ranks, &latest.number, sizeof latest.number));
    if (status == QN_OK && latest.number > 0) {
        status = qn_job_agree(job, qn_ranks_broadcast(job->ranks, latest.state, latest.bytes));
        if (status == QN_OK) {
            read_state(latest.state, gromos);
            *next_number = latest.number + 1;
            qn_log(QN_LOG_NOTE, "resuming: %zu clusters with %zu of %zu structures were found", gromos->cluster_count,
                   gromos->count - gromos->left, gromos->count);
        }
    }
    qn_release(&memory);
    return status;
}

static qn_status record(qn_near_search *search, const qn_gromos *gromos, uint64_t number)
{
    void *memory;
    QN_TRY(qn_allocate(state_bytes(gromos), 1, &memory));
    write_state(gromos, memory);
    const qn_status status = qn_job_record(search->job, number, memory, state_bytes(gromos));
    qn_release(&memory);
    return status;
}

/* One round with rows that are computed anew. */
static qn_status do_round(qn_near_search *search, qn_gromos *gromos, double *recorded_s, uint64_t *number, bool *done)
{
    const qn_neighbourhood near = qn_near_search_view(search);
    const double interval_s = search->set->record_every_s > 0 ? search->set->record_every_s : USUAL_INTERVAL_S;
    QN_TRY(qn_gromos_next(&near, gromos, done));
    if (search->job->in_memory || !qn_job_is_first(search->job) || qn_clock_s() - *recorded_s < interval_s)
        return QN_OK;
    *recorded_s = qn_clock_s();
    return record(search, gromos, (*number)++);
}

qn_status qn_rounds_find(qn_near_search *search, qn_gromos *gromos)
{
    qn_neighbour_rows *kept = NULL;
    bool done = false;
    uint64_t number = 0;
    double recorded_s = qn_clock_s();
    qn_status status = search->rows ? QN_OK : resume(search, gromos, &number);
    while (status == QN_OK && !done && !search->rows && !kept) {
        status = qn_near_search_keep(search, gromos->counts, &kept);
        if (status == QN_OK && !kept)
            status = qn_job_agree(search->job, do_round(search, gromos, &recorded_s, &number, &done));
    }
    const qn_neighbourhood near = kept ? qn_neighbour_rows_view(kept) : qn_near_search_view(search);
    while (status == QN_OK && !done) status = qn_gromos_next(&near, gromos, &done);
    qn_neighbour_rows_destroy(&kept);
    return status;
}
