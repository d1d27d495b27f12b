/* The key of a run: lines for everything that its results depend on. A journal with another key belongs to another run.
 */
#include <string.h>

#include "base/memory.h"
#include "model/topology.h"
#include "trajectory/run.h"

/* Append a line to the key. Line breaks in the text become spaces. */
static qn_status append_text(qn_job *job, const char *name, const char *text)
{
    char *line;
    QN_TRY(qn_text_copy(text ? text : "", &line));
    for (char *place = line; *place; place++)
        if (*place == '\n') *place = ' ';
    qn_status status = qn_job_key(job, "%s=%s\n", name, line);
    qn_release(&line);
    return status;
}

static qn_status name_topology(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    uint64_t bytes;
    char digest[65];
    if (options->topology) return qn_job_input_add(run->job, "topology", options->topology, QN_JOB_READ_ALL);
    qn_topology_digest(run->topology, &bytes, digest);
    return qn_job_input_add_memory(run->job, "topology", qn_trajectory_topology_name(run), bytes, digest);
}

static qn_status name_frames(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    qn_frame_array view;
    uint64_t bytes;
    char digest[65];
    if (!options->frames) return QN_OK;
    QN_TRY(qn_frame_array_view(options->frames, run->topology->atom_count, qn_trajectory_topology_name(run), &view));
    qn_frame_array_digest(&view, &bytes, digest);
    return qn_job_input_add_memory(run->job, "trajectory", view.name, bytes, digest);
}

/* Name the inputs in the key. Pipes, functions and running simulations are left out: they have no content to hash. */
static qn_status name_inputs(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    QN_TRY(name_topology(run));
    QN_TRY(name_frames(run));
    for (size_t i = 0; i < options->trajectory_count; i++)
        if (strcmp(options->trajectories[i], "-") != 0)
            QN_TRY(qn_job_input_add(run->job, "trajectory", options->trajectories[i], QN_JOB_READ_ENDS));
    if (!options->index_file) return QN_OK;
    return qn_job_input_add(run->job, "index file", options->index_file, QN_JOB_READ_ALL);
}

static bool is_file(const qn_query_class *query_class, const char *name)
{
    const qn_query_parameter *parameter = query_class->parameters;
    while (parameter->name && strcmp(parameter->name, name) != 0) parameter++;
    return parameter->kind == QN_PARAMETER_FILE;
}

static qn_status describe_client(const qn_trajectory_client *client, qn_job *job)
{
    const qn_trajectory_query *query = client->query;
    QN_TRY(qn_job_key(job, "query=%s %s, whole=%d, %zu numbers\n", client->query_class->name, client->name,
                      client->whole, client->partial_count));
    for (int which = 0; which < 2; which++)
        if (client->texts[which]) QN_TRY(append_text(job, which == 0 ? "select" : "with", client->texts[which]));
    for (size_t i = 0; i < query->parameter_count; i++)
        if (is_file(client->query_class, query->parameters[i].name))
            QN_TRY(qn_job_input_add(job, query->parameters[i].name, query->parameters[i].value, QN_JOB_READ_ALL));
        else
            QN_TRY(append_text(job, query->parameters[i].name, query->parameters[i].value));
    return QN_OK;
}

qn_status qn_trajectory_make_key(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    QN_TRY(name_inputs(run));
    QN_TRY(qn_job_key(run->job, "begin=%.17g\nend=%.17g\nfirst=%llu\nlast=%llu\nstride=%llu\noverlaps=%d\n",
                      options->begin_ps, options->end_ps, (unsigned long long)options->first_frame,
                      (unsigned long long)options->last_frame, (unsigned long long)options->stride,
                      options->keep_overlaps));
    QN_TRY(qn_job_key(run->job, "periodic=%d\nangstrom=%d\npiece=%d\n", options->periodic,
                      options->units == QN_TRAJECTORY_ANGSTROM, QN_TRAJECTORY_PIECE));
    for (size_t i = 0; i < run->client_count; i++) QN_TRY(describe_client(&run->clients[i], run->job));
    return QN_OK;
}
