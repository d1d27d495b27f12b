/* The stages of quern tunnel. */
#include "tunnel/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "frames/frame_array.h"
#include "model/molecule_input.h"
#include "report/json.h"
#include "report/options.h"

/* ---- inputs ---- */

static qn_status add_inputs(qn_tunnel_state *run)
{
    const qn_tunnel_options *options = run->options;
    qn_job *job = run->job;
    uint64_t bytes;
    char digest[65];
    if (options->structure) {
        QN_TRY(qn_job_input_add(job, "structure", options->structure, QN_JOB_READ_ALL));
    } else {
        qn_molecule_digest(options->molecule, &bytes, digest);
        QN_TRY(qn_job_input_add_memory(job, "structure", run->structure.name, bytes, digest));
    }
    if (options->radii) QN_TRY(qn_job_input_add(job, "radii", options->radii, QN_JOB_READ_ALL));
    for (size_t i = 0; i < options->frame_file_count; i++)
        QN_TRY(qn_job_input_add(job, "frames", options->frames[i], QN_JOB_READ_ENDS));
    if (!options->frame_array) return QN_OK;
    qn_frame_array view;
    QN_TRY(qn_frame_array_view(options->frame_array, run->structure.topology->atom_count, run->structure.name, &view));
    qn_frame_array_digest(&view, &bytes, digest);
    return qn_job_input_add_memory(job, "frames", view.name, bytes, digest);
}

/* Clusters are made of the records at last, so their distance is not in the key. */
static qn_status make_key(qn_tunnel_state *run)
{
    const qn_tunnel_options *options = run->options;
    QN_TRY(add_inputs(run));
    return qn_job_key(run->job,
                      "start=%s\nprobe=%.17g\nshell_radius=%.17g\nshell_depth=%.17g\nstart_reach=%.17g\n"
                      "start_radius=%.17g\nhydrogens=%d\nwalls=%s\nredundant=%.17g\nmost=%llu\n",
                      options->start, options->probe_angstrom, options->shell_radius_angstrom,
                      options->shell_depth_angstrom, options->start_reach_angstrom, options->start_radius_angstrom,
                      options->hydrogens, options->walls ? options->walls : "all", options->redundant_angstrom,
                      (unsigned long long)options->most);
}

static qn_status read_inputs(qn_tunnel_state *run)
{
    const qn_tunnel_options *options = run->options;
    QN_TRY(qn_option_check(qn_tunnel_option_table(), options));
    QN_TRY(qn_tunnel_structure_read(run->job, options, &run->structure));
    run->settings =
        (qn_tunnels_settings){{options->probe_angstrom, options->shell_radius_angstrom, options->shell_depth_angstrom},
                              options->start_reach_angstrom,
                              options->start_radius_angstrom,
                              options->redundant_angstrom,
                              (size_t)options->most};
    return make_key(run);
}

/* ---- results ---- */

static qn_status write_run_json(qn_tunnel_state *run)
{
    const qn_found_frame *widest = qn_tunnel_widest_frame(run);
    const double *given = run->structure.start, *start = widest->start, *place = widest->way_place;
    return qn_job_facts(
        run->job,
        json_pack("{s:o, s:o, s:o, s:o, s:b, s:[fff], s:[fff], s:f, s:f, s:f, s:[fff], s:f, s:o}", "frames",
                  qn_json_unsigned(run->frame_count), "tunnels", qn_json_unsigned(run->tunnel_count), "clusters",
                  qn_json_unsigned(run->cluster_count), "walls", qn_json_unsigned(run->structure.wall_count),
                  "hydrogens_are_walls", run->structure.has_hydrogens, "start_angstrom", given[0], given[1], given[2],
                  "start_place_angstrom", start[0], start[1], start[2], "start_moved_angstrom", widest->start_moved,
                  "start_radius_angstrom", widest->start_radius, "widest_way_angstrom", widest->way_radius,
                  "widest_way_place_angstrom", place[0], place[1], place[2], "search_s", run->search_s, "options",
                  qn_json_options(qn_tunnel_option_table(), run->options)));
}

static qn_status finish(qn_tunnel_state *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_tunnel_gather(run));
    QN_TRY(qn_tunnel_make_clusters(run));
    if (run->job->in_memory) return QN_OK;
    QN_TRY(qn_tunnel_write_tunnels(run));
    QN_TRY(qn_tunnel_write_tables(run));
    QN_TRY(qn_tunnel_write_channels(run));
    QN_TRY(qn_tunnel_write_views(run));
    QN_TRY(qn_tunnel_write_report(run));
    return write_run_json(run);
}

/* ---- stages ---- */

static qn_status note_done(uint64_t piece, const void *data, size_t size, void *user)
{
    qn_tunnel_state *run = user;
    (void)data, (void)size;
    return qn_piece_set_add(&run->job->done, piece);
}

static qn_status run_stages(qn_tunnel_state *run)
{
    qn_job *job = run->job;
    const qn_output output = {.folder = run->options->output, .journal_folder = "unfinished"};
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_output(job, &output, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_job_scan(job, note_done, run)));
    const qn_status status = qn_tunnel_search(run);
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    return qn_job_agree(job, finish(run));
}

/* ---- the call ---- */

/* The result, followed by what it points to. */
typedef struct owned_result {
    qn_tunnel_result result;
    qn_tunnel *tunnels;
    qn_tunnel_cluster *clusters;
    qn_found_tunnel *found;
    size_t found_count;
    char *folder;
} owned_result;

static void clear_found(qn_found_tunnel *tunnels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        qn_line_clear(&tunnels[i].line);
        qn_release(&tunnels[i].lining);
        qn_release(&tunnels[i].lining_end);
    }
}

static void describe_tunnel(const qn_found_tunnel *found, qn_tunnel *tunnel)
{
    const qn_line *line = &found->line;
    *tunnel = (qn_tunnel){.frame = found->frame,
                          .cluster = found->cluster,
                          .first = found->first,
                          .length_angstrom = line->length,
                          .bottleneck_angstrom = line->radii[line->narrowest],
                          .widest_angstrom = line->radii[line->widest],
                          .cost = line->cost,
                          .curvature = qn_tunnel_curvature(line),
                          .point_count = line->count,
                          .places_angstrom = &line->places[0][0],
                          .radii_angstrom = line->radii};
    memcpy(tunnel->bottleneck_place_angstrom, line->places[line->narrowest], sizeof tunnel->bottleneck_place_angstrom);
}

/* A finished run that is resumed has its facts in run.json. */
static void add_earlier(const json_t *facts, qn_tunnel_result *result)
{
    result->earlier_tunnel_count = (uint64_t)json_integer_value(json_object_get(facts, "tunnels"));
    result->earlier_cluster_count = (uint64_t)json_integer_value(json_object_get(facts, "clusters"));
    result->frame_count = (uint64_t)json_integer_value(json_object_get(facts, "frames"));
    result->widest_way_angstrom = json_number_value(json_object_get(facts, "widest_way_angstrom"));
}

static qn_status make_result(qn_tunnel_state *run, qn_tunnel_result **out)
{
    owned_result *own;
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *out = &own->result;
    QN_TRY(qn_text_copy(run->options->output ? run->options->output : "", &own->folder));
    own->result = (qn_tunnel_result){.atom_count = run->structure.wall_count,
                                     .folder = own->folder,
                                     .frame_count = run->frame_count,
                                     .seconds = qn_clock_s() - run->job->started_s};
    if (run->job->over) add_earlier(run->job->found.run, &own->result);
    if (run->tunnel_count == 0) return QN_OK;
    QN_TRY(qn_allocate(run->tunnel_count, sizeof *own->tunnels, (void **)&own->tunnels));
    for (size_t i = 0; i < run->tunnel_count; i++) describe_tunnel(&run->tunnels[i], &own->tunnels[i]);
    for (size_t i = 0; i < run->frame_count; i++)
        own->result.open_frame_count += run->frames[i].outcome == QN_TUNNELS_OPEN;
    const qn_found_frame *widest = qn_tunnel_widest_frame(run);
    own->result.widest_way_angstrom = widest->way_radius;
    memcpy(own->result.widest_way_place_angstrom, widest->way_place, sizeof widest->way_place);
    own->result.start_moved_angstrom = widest->start_moved;
    own->result.start_radius_angstrom = widest->start_radius;
    memcpy(own->result.start_place_angstrom, widest->start, sizeof widest->start);
    own->result.tunnels = own->tunnels;
    own->result.tunnel_count = own->found_count = run->tunnel_count;
    own->result.clusters = own->clusters = run->clusters;
    own->result.cluster_count = run->cluster_count;
    own->found = run->tunnels;
    run->tunnels = NULL, run->clusters = NULL;
    run->tunnel_count = 0;
    return QN_OK;
}

static void clear(qn_tunnel_state *run)
{
    clear_found(run->tunnels, run->tunnel_count);
    qn_release(&run->tunnels);
    qn_release(&run->clusters);
    qn_release(&run->frames);
    qn_tunnel_structure_clear(&run->structure);
}

qn_status qn_tunnel_run(qn_context *context, const qn_tunnel_options *options, qn_tunnel_result **result)
{
    qn_job job;
    qn_tunnel_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_tunnel_option_table(), options, &own));
    qn_tunnel_state run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "tunnel", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, make_result(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_tunnel_result_destroy(result);
    return status;
}

void qn_tunnel_result_destroy(qn_tunnel_result **pointer)
{
    owned_result *own = (owned_result *)*pointer;
    if (!own) return;
    clear_found(own->found, own->found_count);
    qn_release(&own->found);
    qn_release(&own->tunnels);
    qn_release(&own->clusters);
    qn_release(&own->folder);
    qn_release(pointer);
}
