/* What the results of a run depend on, line by line: a journal with another key belongs to another run. */
#include "base/file.h"
#include "job/input.h"
#include "trajectory/records.h"

/* Texts may be of several lines, which keys are not. */
static qn_status append_text(qn_text *key, const char *name, const char *text)
{
    QN_TRY(qn_text_append(key, "%s=", name));
    for (const char *place = text ? text : ""; *place; place++)
        QN_TRY(qn_text_append(key, "%c", *place == '\n' ? ' ' : *place));
    return qn_text_append(key, "\n");
}

static qn_status describe_file(qn_text *key, const char *name, const char *path)
{
    char digest[65];
    uint64_t bytes;
    QN_TRY(qn_input_sample(path, &bytes, digest));
    return qn_text_append(key, "%s=%s, %llu bytes, %.16s\n", name, qn_path_name(path), (unsigned long long)bytes,
                          digest);
}

static qn_status describe_client(const qn_trajectory_client *client, qn_text *key)
{
    const qn_trajectory_query *query = client->query;
    QN_TRY(qn_text_append(key, "query=%s %s, whole=%d, %zu numbers\n", client->query_class->name, client->name,
                          client->whole, client->partial_count));
    for (int which = 0; which < 2; which++)
        if (client->texts[which]) QN_TRY(append_text(key, which == 0 ? "select" : "with", client->texts[which]));
    for (size_t i = 0; i < query->parameter_count; i++)
        QN_TRY(append_text(key, query->parameters[i].name, query->parameters[i].value));
    return QN_OK;
}

qn_status qn_trajectory_key(const qn_trajectory_state *run, qn_text *key)
{
    const qn_trajectory_options *options = run->options;
    QN_TRY(qn_text_append(key, "version=%s\n", QN_VERSION));
    QN_TRY(describe_file(key, "topology", options->topology));
    for (size_t i = 0; i < options->trajectory_count; i++)
        QN_TRY(describe_file(key, "trajectory", options->trajectories[i]));
    if (options->index_file) QN_TRY(describe_file(key, "index file", options->index_file));
    QN_TRY(qn_text_append(key, "begin=%.17g\nend=%.17g\nfirst=%llu\nlast=%llu\nstride=%llu\noverlaps=%d\n",
                          options->begin_ps, options->end_ps, (unsigned long long)options->first_frame,
                          (unsigned long long)options->last_frame, (unsigned long long)options->stride,
                          options->keep_overlaps));
    QN_TRY(qn_text_append(key, "periodic=%d\nangstrom=%d\npiece=%d\n", options->periodic, options->angstrom,
                          QN_TRAJECTORY_PIECE));
    for (size_t i = 0; i < run->client_count; i++) QN_TRY(describe_client(&run->clients[i], key));
    return QN_OK;
}

qn_status qn_trajectory_same_key(const qn_trajectory_state *run)
{
    qn_text key = {0};
    qn_status status = qn_trajectory_key(run, &key);
    if (status == QN_OK) status = qn_ranks_same_key(run->ranks, key.data, NULL);
    qn_text_clear(&key);
    return status;
}
