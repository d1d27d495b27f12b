/* Gathering the tunnels of all frames, and their clusters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/linkage.h"
#include "model/residue_text.h"
#include "tunnel/run.h"

/* ---- gathering ---- */

static int compare_frames(const void *left, const void *right)
{
    const qn_found_frame *one = left, *other = right;
    return one->frame < other->frame ? -1 : one->frame > other->frame;
}

static int compare_tunnels(const void *left, const void *right)
{
    const qn_found_tunnel *one = left, *other = right;
    if (one->frame != other->frame) return one->frame < other->frame ? -1 : 1;
    return one->line.cost < other->line.cost ? -1 : one->line.cost > other->line.cost;
}

const qn_found_frame *qn_tunnel_widest_frame(const qn_tunnel_state *run)
{
    const qn_found_frame *widest = &run->frames[0];
    for (size_t i = 1; i < run->frame_count; i++)
        if (run->frames[i].way_radius > widest->way_radius) widest = &run->frames[i];
    return widest;
}

/* "the start A:HEM at 1.0, 2.0, 3.0" */
static void name_start(const qn_tunnel_state *run, char text[128])
{
    const double *place = run->structure.start;
    snprintf(text, 128, "the start %.60s at %.2f, %.2f, %.2f", run->options->start, place[0], place[1], place[2]);
}

/* The wall whose surface is nearest to a place, or in which the place is deepest; *distance: of the surface. */
static const qn_atom *nearest_wall(const qn_tunnel_structure *structure, const double place[3], double *distance)
{
    const qn_atom *nearest = NULL;
    *distance = INFINITY;
    for (size_t i = 0; i < structure->wall_count; i++) {
        const qn_atom *atom = &structure->molecule->atoms[structure->walls[i]];
        const double *at = atom->position_angstrom;
        const double here = sqrt(pow(at[0] - place[0], 2) + pow(at[1] - place[1], 2) + pow(at[2] - place[2], 2)) -
                            structure->wall_radii[i];
        if (here >= *distance) continue;
        *distance = here;
        nearest = atom;
    }
    return nearest;
}

/* The start is far away, or all places within reach are outside or on the surface. */
static qn_status refuse_outside(const qn_tunnel_state *run)
{
    const qn_tunnel_options *options = run->options;
    double distance;
    char start[128];
    name_start(run, start);
    nearest_wall(&run->structure, run->structure.start, &distance);
    if (distance >= options->shell_radius_angstrom)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s is outside: the surface of the nearest atom is %.1f Å away; expected a place inside", start,
                       distance);
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "%s is at the surface: all voids within %g Å are outside for a sphere of %g Å, or within %g Å of "
                   "there; expected a place inside, a larger --shell-radius or a smaller --shell-depth",
                   start, options->start_reach_angstrom, options->shell_radius_angstrom, options->shell_depth_angstrom);
}

static qn_status refuse_blocked(const qn_tunnel_state *run, const qn_found_frame *frame)
{
    const qn_tunnel_options *options = run->options;
    const qn_tunnel_structure *structure = &run->structure;
    double distance;
    const qn_atom *atom = nearest_wall(structure, structure->start, &distance);
    char start[128], inside[96] = "", nearest[96] = ", nor farther away";
    name_start(run, start);
    if (distance >= options->shell_radius_angstrom) return refuse_outside(run);
    if (distance < 0)
        snprintf(inside, sizeof inside, " is inside atom %s of %s, and", atom->name,
                 qn_residue_say(&structure->molecule->residues[atom->residue]).text);
    if (isfinite(frame->start_radius)) {
        const double *there = frame->start;
        snprintf(nearest, sizeof nearest, "; the nearest is %.2f Å away at %.2f, %.2f, %.2f Å", frame->start_moved,
                 there[0], there[1], there[2]);
    }
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "%s%s has no void of %g Å within %g Å%s; expected a place in a void, or a larger --start-reach",
                   start, inside, options->probe_angstrom, options->start_reach_angstrom, nearest);
}

/* Say why there is no tunnel, by the frame that comes nearest to one. */
static qn_status refuse_without_tunnels(const qn_tunnel_state *run)
{
    const qn_found_frame *frame = qn_tunnel_widest_frame(run);
    const double *place = frame->way_place;
    for (size_t i = 0; i < run->frame_count && !isfinite(frame->way_radius); i++)
        if (run->frames[i].outcome == QN_TUNNELS_CLOSED) frame = &run->frames[i];
    switch (frame->outcome) {
    case QN_TUNNELS_BLOCKED: return refuse_blocked(run, frame);
    case QN_TUNNELS_OUTSIDE: return refuse_outside(run);
    default: break;
    }
    if (!isfinite(frame->way_radius))
        return QN_FAIL(QN_NOT_FOUND, "no way out of %s: the void there is closed on all sides", run->options->start);
    return QN_FAIL(QN_NOT_FOUND, "no way out of %s wider than %g Å: the widest has %.2f Å at %.2f, %.2f, %.2f Å",
                   run->options->start, run->options->probe_angstrom, frame->way_radius, place[0], place[1], place[2]);
}

qn_status qn_tunnel_gather(qn_tunnel_state *run)
{
    QN_TRY(qn_job_scan(run->job, qn_tunnel_record_read, run));
    if (run->frame_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s has no frame; expected at least one",
                       run->options->frame_file_count ? run->options->frames[0] : "the array in memory");
    qsort(run->frames, run->frame_count, sizeof *run->frames, compare_frames);
    if (run->tunnel_count == 0) {
        qn_job_forget(run->job);
        return refuse_without_tunnels(run);
    }
    qsort(run->tunnels, run->tunnel_count, sizeof *run->tunnels, compare_tunnels);
    return QN_OK;
}

/* ---- clusters ---- */

typedef struct measuring {
    const qn_tunnel_state *run;
    float *values;
} measuring;

static qn_status measure_row(size_t i, int worker, void *user)
{
    const measuring *self = user;
    const qn_tunnel_state *run = self->run;
    (void)worker;
    for (size_t j = i + 1; j < run->tunnel_count; j++)
        self->values[qn_distance_place(run->tunnel_count, i, j)] = (float)qn_line_distance(
            (const double(*)[3])run->tunnels[i].marks, (const double(*)[3])run->tunnels[j].marks);
    return QN_OK;
}

static qn_status check_memory(const qn_tunnel_state *run)
{
    const double count = (double)run->tunnel_count, bytes = 4 * count * count; /* distances and a working copy */
    const uint64_t most = run->options->run.memory_bytes;
    if (most == 0 || bytes <= (double)most) return QN_OK;
    return QN_FAIL(
        QN_OUT_OF_MEMORY,
        "the distances of %zu tunnels take %.1f MiB, more than --memory, %.1f MiB; expected fewer tunnels by "
        "--most or a larger --redundant, or more memory",
        run->tunnel_count, bytes / 0x1p20, (double)most / 0x1p20);
}

/* Labels of the tunnels by average linkage. */
static qn_status label(qn_tunnel_state *run, uint32_t *labels)
{
    const size_t count = run->tunnel_count;
    float *values = NULL;
    qn_merge *merges = NULL;
    run->cluster_count = 1;
    if (count < 2) return QN_OK;
    QN_TRY(check_memory(run));
    qn_status status = qn_allocate(count * (count - 1) / 2, sizeof *values, (void **)&values);
    if (status == QN_OK) status = qn_allocate(count - 1, sizeof *merges, (void **)&merges);
    measuring self = {run, values};
    if (status == QN_OK) status = qn_pool_run(run->job->pool, count, measure_row, &self);
    const qn_distance_matrix matrix = {.count = count, .values = values};
    if (status == QN_OK) status = qn_linkage_compute(&matrix, QN_LINKAGE_AVERAGE, run->job->pool, merges);
    if (status == QN_OK)
        status = qn_linkage_cut_height(merges, count, run->options->cluster_angstrom, labels, &run->cluster_count);
    qn_release(&merges);
    qn_release(&values);
    return status;
}

/* Sum up each cluster. Tunnels are by frame and cost, so the first of a cluster in a frame is its cheapest. */
static qn_status sum_up(qn_tunnel_state *run)
{
    uint64_t *latest;
    QN_TRY(qn_allocate(run->cluster_count, sizeof *run->clusters, (void **)&run->clusters));
    QN_TRY(qn_allocate(run->cluster_count, sizeof *latest, (void **)&latest));
    memset(latest, 0xff, run->cluster_count * sizeof *latest);
    for (size_t i = 0; i < run->tunnel_count; i++) {
        qn_found_tunnel *tunnel = &run->tunnels[i];
        qn_tunnel_cluster *cluster = &run->clusters[tunnel->cluster];
        const double bottleneck = tunnel->line.radii[tunnel->line.narrowest];
        cluster->tunnel_count++;
        tunnel->first = latest[tunnel->cluster] != tunnel->frame;
        latest[tunnel->cluster] = tunnel->frame;
        if (!tunnel->first) continue;
        cluster->frame_count++;
        cluster->priority += exp(-tunnel->line.cost);
        cluster->mean_bottleneck_angstrom += bottleneck;
        cluster->mean_length_angstrom += tunnel->line.length;
        cluster->mean_cost += tunnel->line.cost;
        cluster->best_bottleneck_angstrom = fmax(cluster->best_bottleneck_angstrom, bottleneck);
    }
    for (size_t c = 0; c < run->cluster_count; c++) {
        qn_tunnel_cluster *cluster = &run->clusters[c];
        const double frames = (double)cluster->frame_count, all = (double)run->frame_count;
        cluster->occupancy = frames / all;
        cluster->priority /= all;
        cluster->mean_bottleneck_angstrom /= frames;
        cluster->mean_length_angstrom /= frames;
        cluster->mean_cost /= frames;
    }
    qn_release(&latest);
    return QN_OK;
}

typedef struct ranked_cluster {
    qn_tunnel_cluster cluster;
    size_t before; /* number before sorting */
} ranked_cluster;

static int compare_clusters(const void *left, const void *right)
{
    const ranked_cluster *one = left, *other = right;
    if (one->cluster.priority != other->cluster.priority)
        return one->cluster.priority > other->cluster.priority ? -1 : 1;
    return one->before < other->before ? -1 : one->before > other->before;
}

/* Number the clusters by priority. */
static qn_status rank(qn_tunnel_state *run)
{
    ranked_cluster *ranked = NULL;
    size_t *number = NULL;
    qn_status status = qn_allocate(run->cluster_count, sizeof *ranked, (void **)&ranked);
    if (status == QN_OK) status = qn_allocate(run->cluster_count, sizeof *number, (void **)&number);
    if (status == QN_OK) {
        for (size_t c = 0; c < run->cluster_count; c++) ranked[c] = (ranked_cluster){run->clusters[c], c};
        qsort(ranked, run->cluster_count, sizeof *ranked, compare_clusters);
        for (size_t c = 0; c < run->cluster_count; c++) {
            run->clusters[c] = ranked[c].cluster;
            number[ranked[c].before] = c;
        }
        for (size_t i = 0; i < run->tunnel_count; i++) run->tunnels[i].cluster = number[run->tunnels[i].cluster];
    }
    qn_release(&ranked);
    qn_release(&number);
    return status;
}

qn_status qn_tunnel_make_clusters(qn_tunnel_state *run)
{
    uint32_t *labels;
    QN_TRY(qn_allocate(run->tunnel_count, sizeof *labels, (void **)&labels));
    qn_status status = label(run, labels);
    for (size_t i = 0; i < run->tunnel_count && status == QN_OK; i++) run->tunnels[i].cluster = labels[i];
    qn_release(&labels);
    if (status == QN_OK) status = sum_up(run);
    return status == QN_OK ? rank(run) : status;
}

const qn_found_tunnel *qn_tunnel_best_of(const qn_tunnel_state *run, size_t cluster)
{
    const qn_found_tunnel *best = NULL;
    for (size_t i = 0; i < run->tunnel_count; i++) {
        const qn_found_tunnel *tunnel = &run->tunnels[i];
        if (tunnel->cluster == cluster && (!best || tunnel->line.cost < best->line.cost)) best = tunnel;
    }
    return best;
}
