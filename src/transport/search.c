/* The work: passages are dealt to ranks and their threads. Where there are few, each is computed by all threads. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "discs/vector.h"
#include "transport/bounds/roadmap.h"
#include "transport/run.h"

/* reach: of an end of the tunnel, within which atoms of the receptor are counted. */
static const double reach_angstrom = 10, extension_step_angstrom = 0.2;

/* ---- discs ---- */

static size_t count_near(const qn_score_receptor *receptor, const double place[3])
{
    size_t count = 0;
    for (size_t i = 0; i < receptor->atom_count; i++)
        count += qn_distance(receptor->positions_angstrom + 3 * i, place) < reach_angstrom;
    return count;
}

/* The mouth is the end with fewer atoms of the receptor around. */
static qn_status find_mouth(const char *path, const qn_score_receptor *receptor, const qn_tunnel_input *tunnel,
                            bool *first)
{
    const qn_tunnel_disc *discs = tunnel->discs.discs;
    const size_t before = count_near(receptor, discs[0].centre);
    const size_t behind = count_near(receptor, discs[tunnel->discs.count - 1].centre);
    if (before + behind == 0)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "%s: neither end of the tunnel is within %g Å of an atom of %s; expected coordinates of the same "
            "frame",
            tunnel->path, reach_angstrom, path);
    *first = before <= behind;
    return QN_OK;
}

int qn_transport_extension(const qn_transport_options *options)
{
    return (int)ceil(options->extend_angstrom / extension_step_angstrom);
}

qn_status qn_transport_discs(const qn_transport_state *run, const char *path, const qn_score_receptor *receptor,
                             const qn_tunnel_input *tunnel, qn_discs *discs)
{
    bool mouth_first = true;
    QN_TRY(find_mouth(path, receptor, tunnel, &mouth_first));
    QN_TRY(qn_discs_from_file(tunnel->discs.discs, tunnel->discs.count, discs));
    if (!mouth_first) qn_discs_reverse(discs);
    const qn_status status = qn_discs_extend(discs, run->options->extend_angstrom, 0, extension_step_angstrom);
    if (status != QN_OK) qn_discs_release(discs);
    return status;
}

/* ---- one passage ---- */

static qn_status take_lower(const qn_layers *layers, qn_passage *passage)
{
    QN_TRY(qn_allocate((size_t)layers->count, sizeof *passage->lower, (void **)&passage->lower));
    for (int i = 0; i < layers->count; i++) passage->lower[i] = layers->layers[i].poses[0];
    return QN_OK;
}

static qn_status find_way(const qn_transport_state *run, const qn_bounds_scene *scene, qn_layers *layers,
                          qn_passage *passage)
{
    const qn_transport_options *options = run->options;
    const qn_roadmap_settings settings = {.continuity_angstrom = options->continuity_angstrom,
                                          .most = options->poses,
                                          .rounds = options->rounds,
                                          .by_sum = options->objective == QN_TRANSPORT_SUM,
                                          .published = options->schedule == QN_TRANSPORT_PUBLISHED};
    qn_way way;
    if (options->bound == QN_TRANSPORT_LOWER) return QN_OK;
    QN_TRY(qn_upper_bound(scene, &settings, layers, &way));
    passage->way = way.poses;
    passage->way_count = way.count;
    return QN_OK;
}

static qn_status compute(const qn_transport_state *run, const qn_bounds_scene *scene, qn_passage *passage)
{
    qn_layers layers;
    passage->disc_count = scene->discs->count;
    QN_TRY(qn_lower_bound(scene, run->options->poses, run->options->effort, &layers));
    qn_status status = find_way(run, scene, &layers, passage);
    if (status == QN_OK && run->options->bound != QN_TRANSPORT_UPPER) status = take_lower(&layers, passage);
    qn_layers_clear(&layers);
    return status;
}

/* pool: of the threads that compute the passage; NULL: this one. */
static qn_status compute_piece(qn_transport_state *run, qn_pool *pool, uint64_t piece, qn_passage *passage)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, piece);
    qn_discs discs;
    QN_TRY(qn_passage_reader_go(run, piece));
    QN_TRY(qn_transport_discs(run, inputs.snapshot->path, &run->reader.receptor, inputs.tunnel, &discs));
    const qn_bounds_scene scene = {.tree = &run->reader.tree,
                                   .receptor = run->reader.sorted,
                                   .discs = &discs,
                                   .pool = pool,
                                   .seed = run->options->run.seed};
    const qn_status status = compute(run, &scene, passage);
    qn_discs_release(&discs);
    return status;
}

void qn_passage_clear(qn_passage *passage)
{
    qn_release(&passage->lower);
    qn_release(&passage->way);
}

/* ---- all passages ---- */

typedef struct searching {
    qn_transport_state *run;
    pthread_mutex_t mutex; /* of dealing and progress */
    uint64_t total, done;
    double started_s;
} searching;

static qn_status tell(const searching *all)
{
    const qn_job *job = all->run->job;
    const qn_progress progress = {.stage = "moving",
                                  .unit = "passages",
                                  .done = (size_t)(job->done.count + all->done),
                                  .total = qn_job_is_first(job) ? (size_t)all->total : 0,
                                  .seconds = qn_clock_s() - all->started_s};
    if (!qn_job_is_stopped(job, &progress)) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "stopped after %s%s", qn_count_of(all->done, "passage").text,
                   job->in_memory ? "" : "; continue with --resume");
}

static qn_status search_piece(qn_transport_state *lane, qn_pool *pool, uint64_t piece)
{
    qn_passage passage = {0};
    qn_status status = compute_piece(lane, pool, piece, &passage);
    if (status == QN_OK) status = qn_passage_record(lane, piece, &passage);
    qn_passage_clear(&passage);
    return status;
}

/* Take the next passage that no earlier run has computed, after `finished` more were computed. */
static qn_status take_piece(searching *all, int finished, uint64_t *piece, bool *over)
{
    qn_job *job = all->run->job;
    pthread_mutex_lock(&all->mutex);
    all->done += (uint64_t)finished;
    qn_status status = tell(all);
    do {
        if (status == QN_OK) status = qn_agreement_deal(&job->agreement, 1, piece, over);
        *over |= *piece >= all->total;
    } while (status == QN_OK && !*over && qn_piece_set_has(&job->done, *piece));
    pthread_mutex_unlock(&all->mutex);
    return status;
}

static qn_status work(searching *all, qn_transport_state *lane, qn_pool *pool)
{
    uint64_t piece = 0;
    bool over = false;
    QN_TRY(take_piece(all, 0, &piece, &over));
    while (!over) {
        QN_TRY(search_piece(lane, pool, piece));
        QN_TRY(take_piece(all, 1, &piece, &over));
        QN_TRY(qn_agreement_poll(&all->run->job->agreement));
    }
    return QN_OK;
}

/* A lane is a copy of the run with a reader of its own. */
static qn_status run_lane(size_t index, int worker, void *user)
{
    searching *all = user;
    qn_transport_state lane = *all->run;
    (void)index, (void)worker;
    lane.reader = (qn_passage_reader){0};
    const qn_status status = work(all, &lane, NULL);
    qn_passage_reader_clear(&lane.reader);
    return status == QN_OK ? QN_OK : qn_agreement_cancel(&all->run->job->agreement, status);
}

int qn_transport_lanes(const qn_transport_state *run)
{
    const qn_job *job = run->job;
    const uint64_t left = qn_transport_pieces(run) - job->done.count;
    const uint64_t threads = (uint64_t)qn_pool_threads(job->pool);
    return left < 2 * threads * (uint64_t)qn_ranks_count(job->ranks) ? 1 : (int)threads;
}

qn_status qn_transport_search(qn_transport_state *run)
{
    searching all = {.run = run, .total = qn_transport_pieces(run), .started_s = qn_clock_s()};
    const int lanes = qn_transport_lanes(run);
    pthread_mutex_init(&all.mutex, NULL);
    qn_status status = qn_transport_check_memory(run);
    if (status == QN_OK && lanes > 1)
        status = qn_pool_run(run->job->pool, (size_t)lanes, run_lane, &all);
    else if (status == QN_OK)
        status = work(&all, run, run->job->pool);
    pthread_mutex_destroy(&all.mutex);
    run->search_s = qn_clock_s() - all.started_s;
    return status == QN_OK ? QN_OK : qn_agreement_cancel(&run->job->agreement, status);
}
