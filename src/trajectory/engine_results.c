/* Make the tables of all queries from their collected partial results, for the output and for the caller. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "trajectory/run.h"

static qn_status finish_client(const qn_trajectory_state *run, const qn_trajectory_client *client,
                               qn_query_tables *tables)
{
    qn_status status = client->query_class->finish(client->states[0], tables);
    if (status == QN_OK) return QN_OK;
    return qn_trajectory_blame(run->options, client->query->query_class,
                               qn_error_add_context(status, "query %s", client->name));
}

static void describe_client(const qn_trajectory_state *run, size_t place, const qn_query_tables *tables,
                            qn_query_result *result)
{
    const qn_trajectory_client *client = &run->clients[place];
    *result = (qn_query_result){.query_class = client->query_class,
                                .query = client->query,
                                .name = client->name,
                                .select = client->texts[0],
                                .with = client->texts[1],
                                .whole = client->whole,
                                .device = "",
                                .seconds = run->client_seconds[place],
                                .tables = tables};
    if (client->query_class->on_device) result->device = qn_device_get_info(run->job->devices[0])->identifier;
    for (int which = 0; which < 2; which++) {
        result->fixed[which] = client->atoms[which].fixed;
        result->atom_counts[which] = client->first_counts[which];
    }
}

static void describe_run(qn_trajectory_state *run, bool complete, qn_live_facts *live, qn_trajectory_results *results)
{
    run->timings.total_s = qn_clock_s() - run->job->started_s;
    *results = (qn_trajectory_results){.options = run->options,
                                       .job = run->job,
                                       .topology = run->topology,
                                       .query_count = run->client_count,
                                       .frames = run->frames,
                                       .resumed = run->resumed,
                                       .overlapping = qn_source_overlapping(run->source),
                                       .bytes = run->bytes,
                                       .first_ps = run->first_ps,
                                       .last_ps = run->last_ps,
                                       .prepare_s = run->timings.prepare_s,
                                       .analyse_s = run->timings.analyse_s,
                                       .total_s = run->timings.total_s,
                                       .selection_nodes = qn_selections_node_count(run->selections),
                                       .complete = complete};
    results->files = qn_source_file_facts(run->source, &results->file_count);
    if (qn_source_live_facts(run->source, live)) results->live = live;
}

/* Pass the results to the output, and at the end of the run to the caller. A run without an output has only the latter,
 * who gets the page of its report. */
static qn_status deliver(qn_trajectory_state *run, qn_trajectory_results *results, qn_query_tables **tables)
{
    const bool in_memory = run->job->in_memory;
    qn_text page = {0};
    if (!in_memory) QN_TRY(run->output(results, run->output_user));
    if (!results->complete || !run->result) return QN_OK;
    qn_status status = in_memory ? qn_trajectory_report_page(results, &page) : QN_OK;
    results->page = page.data;
    qn_trajectory_result_destroy(run->result);
    if (status == QN_OK) status = qn_trajectory_result_create(results, tables, run->result);
    qn_text_clear(&page);
    return status;
}

qn_status qn_trajectory_write_results(qn_trajectory_state *run, bool complete)
{
    qn_trajectory_results results;
    qn_live_facts live;
    qn_query_result *queries;
    qn_query_tables **tables;
    void *memory;
    QN_TRY(qn_allocate(run->client_count, sizeof *queries, &memory));
    queries = memory;
    qn_status status = qn_allocate(run->client_count, sizeof *tables, &memory);
    tables = memory;
    for (size_t i = 0; i < run->client_count && status == QN_OK; i++) {
        status = qn_query_tables_create(&tables[i]);
        if (status == QN_OK) status = finish_client(run, &run->clients[i], tables[i]);
        if (status == QN_OK) describe_client(run, i, tables[i], &queries[i]);
    }
    if (status == QN_OK) {
        describe_run(run, complete, &live, &results);
        results.queries = queries;
        status = deliver(run, &results, tables);
    }
    for (size_t i = 0; tables && i < run->client_count; i++) qn_query_tables_destroy(&tables[i]);
    qn_release(&tables);
    qn_release(&queries);
    return status;
}
