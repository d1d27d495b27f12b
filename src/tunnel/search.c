/* The search of all frames: they are dealt to ranks and threads, superposed on the structure, and recorded. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "frames/source.h"
#include "frames/whole.h"
#include "math/superpose.h"
#include "tunnel/run.h"

typedef struct searching {
    qn_tunnel_state *run;
    pthread_mutex_t mutex; /* of all below */
    qn_source *source;
    qn_whole_plan *whole;
    uint64_t total, done; /* frames */
    double started_s;
} searching;

/* Memory of a thread for one frame. */
typedef struct lane {
    qn_source_item item;
    qn_trajectory_frame frame;
    double (*places)[3]; /* of all atoms of the molecule, in Å */
    double (*fitted)[3];
    qn_ball *walls;
} lane;

/* ---- one frame ---- */

static qn_status refuse_frame(const qn_trajectory_frame *frame, size_t atom)
{
    return QN_FAIL(QN_BAD_FORMAT, "frame %llu: a coordinate of atom %zu is not finite; expected a number",
                   (unsigned long long)frame->number, atom + 1);
}

/* Superpose the frame on the structure. */
static qn_status superpose(const qn_tunnel_structure *structure, lane *self)
{
    double rotation[9], translation[3];
    for (size_t i = 0; i < structure->fitted_count; i++)
        memcpy(self->fitted[i], self->places[structure->fitted[i]], sizeof *self->fitted);
    QN_TRY(qn_superpose(&self->fitted[0][0], &structure->fitted_places[0][0], structure->fitted_count, rotation,
                        translation, NULL));
    for (size_t i = 0; i < structure->molecule->atom_count; i++) {
        const double before[3] = {self->places[i][0], self->places[i][1], self->places[i][2]};
        for (int k = 0; k < 3; k++)
            self->places[i][k] = rotation[3 * k] * before[0] + rotation[3 * k + 1] * before[1] +
                                 rotation[3 * k + 2] * before[2] + translation[k];
    }
    return QN_OK;
}

static qn_status take_places(const searching *all, lane *self)
{
    const qn_tunnel_structure *structure = &all->run->structure;
    for (size_t i = 0; i < structure->molecule->atom_count; i++)
        for (int k = 0; k < 3; k++) {
            const double place =
                all->source ? 10 * (double)self->frame.positions_nm[3 * (size_t)structure->number[i] + (size_t)k]
                            : structure->molecule->atoms[i].position_angstrom[k];
            if (!isfinite(place)) return refuse_frame(&self->frame, i);
            self->places[i][k] = place;
        }
    return all->source ? superpose(structure, self) : QN_OK;
}

/* Find and record the tunnels of a frame whose places are taken. */
static qn_status search_places(const searching *all, lane *self, uint64_t frame, qn_pool *pool)
{
    const qn_tunnel_structure *structure = &all->run->structure;
    double start[3] = {0};
    qn_balls *balls;
    qn_tunnels tunnels;
    for (size_t i = 0; i < structure->wall_count; i++) {
        memcpy(self->walls[i].place, self->places[structure->walls[i]], sizeof self->walls[i].place);
        self->walls[i].radius = structure->wall_radii[i];
    }
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < structure->molecule->atom_count && structure->start_weights; i++)
            start[k] += structure->start_weights[i] * self->places[i][k];
    if (!structure->start_weights) memcpy(start, structure->start, sizeof start);
    QN_TRY(qn_balls_create(self->walls, structure->wall_count, &balls));
    qn_status status = qn_tunnels_find(balls, &all->run->settings, start, pool, &tunnels);
    if (status == QN_OK) {
        status = qn_tunnel_record_write(all->run, frame, &tunnels, balls);
        qn_tunnels_clear(&tunnels);
    }
    qn_balls_destroy(&balls);
    return status;
}

/* ---- lanes ---- */

static qn_status make_lane(const searching *all, lane *self)
{
    const qn_tunnel_structure *structure = &all->run->structure;
    const size_t atoms = structure->molecule->atom_count;
    QN_TRY(qn_allocate(atoms, sizeof *self->places, (void **)&self->places));
    QN_TRY(qn_allocate(structure->wall_count, sizeof *self->walls, (void **)&self->walls));
    if (!all->source) return QN_OK;
    QN_TRY(qn_allocate(structure->fitted_count, sizeof *self->fitted, (void **)&self->fitted));
    self->frame.atom_count = structure->topology->atom_count;
    return qn_allocate(3 * self->frame.atom_count, sizeof(float), (void **)&self->frame.positions_nm);
}

static void clear_lane(lane *self)
{
    qn_source_item_clear(&self->item);
    qn_release(&self->frame.positions_nm);
    qn_release(&self->places);
    qn_release(&self->fitted);
    qn_release(&self->walls);
}

static qn_status warn(const searching *all)
{
    for (const char *warning; (warning = qn_source_warning(all->source));)
        QN_TRY(qn_job_warn(all->run->job, "%s", warning));
    return QN_OK;
}

static qn_status tell(const searching *all)
{
    const qn_progress progress = {.stage = "searching",
                                  .unit = "frames",
                                  .done = (size_t)(all->run->job->done.count + all->done),
                                  .total = qn_job_is_first(all->run->job) ? (size_t)all->total : 0,
                                  .seconds = qn_clock_s() - all->started_s};
    if (!qn_job_is_stopped(all->run->job, &progress)) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "stopped after %s%s", qn_count_of(all->done, "frame").text,
                   all->run->job->in_memory ? "" : "; continue with --resume");
}

/* Read the dealt frame, under the mutex. */
static qn_status read_frame(searching *all, lane *self, uint64_t number)
{
    bool end = false;
    if (qn_source_position(all->source) < number)
        QN_TRY(qn_source_skip(all->source, number - qn_source_position(all->source)));
    QN_TRY(qn_source_next(all->source, &self->item, &self->frame, &end));
    if (end)
        return QN_FAIL(QN_IO_ERROR, "frame %llu is gone; expected files that do not change during the run",
                       (unsigned long long)number);
    QN_TRY(qn_source_decode(&self->item, &self->frame));
    qn_source_let_go(all->source, &self->item);
    return warn(all);
}

/* Take the next frame that no earlier run has searched. Frames are read in the order in which they are dealt, because
 * dealing and reading are under one mutex. */
static qn_status take_frame(searching *all, lane *self, uint64_t *number, bool *over)
{
    qn_job *job = all->run->job;
    pthread_mutex_lock(&all->mutex);
    qn_status status = QN_OK;
    do {
        status = qn_agreement_deal(&job->agreement, 1, number, over);
        *over |= *number >= all->total;
    } while (status == QN_OK && !*over && qn_piece_set_has(&job->done, *number));
    if (status == QN_OK && !*over) status = read_frame(all, self, *number);
    pthread_mutex_unlock(&all->mutex);
    return status;
}

static qn_status finish_frame(searching *all)
{
    pthread_mutex_lock(&all->mutex);
    all->done++;
    const qn_status status = tell(all);
    pthread_mutex_unlock(&all->mutex);
    return status == QN_OK ? qn_agreement_poll(&all->run->job->agreement) : status;
}

static qn_status work(searching *all, lane *self)
{
    uint64_t number;
    bool over;
    QN_TRY(make_lane(all, self));
    QN_TRY(take_frame(all, self, &number, &over));
    while (!over) {
        if (all->whole) QN_TRY(qn_whole_apply(all->whole, &self->frame));
        QN_TRY(take_places(all, self));
        QN_TRY(search_places(all, self, number, NULL));
        QN_TRY(finish_frame(all));
        QN_TRY(take_frame(all, self, &number, &over));
    }
    return QN_OK;
}

static qn_status run_lane(size_t index, int worker, void *user)
{
    searching *all = user;
    lane self = {.frame = {.atom_count = 0}};
    (void)index, (void)worker;
    const qn_status status = work(all, &self);
    clear_lane(&self);
    return status == QN_OK ? QN_OK : qn_agreement_cancel(&all->run->job->agreement, status);
}

/* ---- the call ---- */

/* Search the structure itself, with all threads. */
static qn_status search_structure(searching *all)
{
    uint64_t number;
    bool none;
    lane self = {.frame = {.atom_count = 0}};
    qn_job *job = all->run->job;
    QN_TRY(qn_agreement_deal(&job->agreement, 1, &number, &none));
    if (none || number > 0 || qn_piece_set_has(&job->done, 0)) return QN_OK;
    qn_status status = make_lane(all, &self);
    if (status == QN_OK) status = take_places(all, &self);
    if (status == QN_OK) status = search_places(all, &self, 0, job->pool);
    clear_lane(&self);
    return status == QN_OK ? QN_OK : qn_agreement_cancel(&job->agreement, status);
}

static qn_status open_source(searching *all)
{
    const qn_tunnel_options *options = all->run->options;
    const qn_source_options frames = {.trajectories = options->frames,
                                      .trajectory_count = options->frame_file_count,
                                      .frames = options->frame_array,
                                      .begin_ps = -INFINITY,
                                      .end_ps = INFINITY,
                                      .last_frame = UINT64_MAX,
                                      .stride = 1};
    return qn_source_open(all->run->job->context, &frames, all->run->structure.topology, &all->source);
}

/* Read to the end first: a damaged file is told before hours of work, and the number of frames is known. */
static qn_status count_frames(searching *all)
{
    QN_TRY(open_source(all));
    qn_status status = QN_OK;
    if (!qn_source_is_repeatable(all->source))
        status = QN_FAIL(QN_UNSUPPORTED, "frames of a pipe cannot be read twice; expected plain files");
    if (status == QN_OK) status = qn_source_skip(all->source, UINT64_MAX);
    all->total = qn_source_position(all->source);
    qn_source_close(&all->source);
    return status;
}

static qn_status search_frames(searching *all)
{
    const qn_topology *topology = all->run->structure.topology;
    qn_pool *pool = all->run->job->pool;
    QN_TRY(count_frames(all));
    QN_TRY(open_source(all));
    qn_status status = QN_OK;
    if (topology->has_bonds) status = qn_whole_plan_create(topology, &all->whole);
    if (status == QN_OK) status = qn_pool_run(pool, (size_t)qn_pool_threads(pool), run_lane, all);
    qn_whole_plan_destroy(&all->whole);
    qn_source_close(&all->source);
    return status;
}

qn_status qn_tunnel_search(qn_tunnel_state *run)
{
    searching all = {.run = run, .started_s = qn_clock_s()};
    pthread_mutex_init(&all.mutex, NULL);
    const qn_status status = run->structure.topology ? search_frames(&all) : search_structure(&all);
    pthread_mutex_destroy(&all.mutex);
    run->search_s = qn_clock_s() - all.started_s;
    return status;
}
