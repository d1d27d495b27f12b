/* Write frames of any source as XTC or DCD, or return them in memory: one thread reads, decodes and writes. */
#include <math.h>
#include <quern/trajectory.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"
#include "format/trajectory/trajectory_write.h"
#include "frames/source.h"
#include "frames/whole.h"
#include "runtime/context.h"
#include "selection/selection.h"

/* Frames that are returned in memory. */
typedef struct kept_frames {
    float *positions_nm;
    double *boxes_nm, *times_ps;
    size_t positions, boxes, times; /* capacities in floats and doubles */
} kept_frames;

typedef struct owned_result {
    qn_trajectory_convert_result result; /* the caller has its address */
    kept_frames kept;
} owned_result;

typedef struct conversion {
    const qn_trajectory_convert_options *options;
    qn_topology *read; /* from the file; NULL: there is no file */
    qn_topology bare;  /* used if no topology is given: it has a number of atoms only */
    const qn_topology *topology;
    qn_selections *selections;
    qn_whole_plan *whole;
    qn_source *source;
    qn_source_item item;
    qn_trajectory_writer *writer; /* NULL: frames are kept */
    kept_frames kept;
    const uint32_t *atoms; /* atoms to write; NULL: all */
    size_t atom_count;     /* number of atoms to write */
    float *all, *chosen;   /* positions of all atoms and of the atoms to write */
    double started_s;
} conversion;

/* Read the number of atoms of a file's frames. Some formats give it before the first frame, others in the frame. */
static qn_status count_atoms(const char *path, size_t *count)
{
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    bool end = false;
    if (strcmp(path, "-") == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "standard input cannot be read twice; expected a topology, which gives the number of atoms");
    QN_TRY(qn_trajectory_stream_open(path, 0, &stream));
    qn_status status = QN_OK;
    if (qn_trajectory_stream_atom_count(stream) == 0) status = qn_trajectory_stream_read(stream, &bytes, &end);
    *count = qn_trajectory_stream_atom_count(stream);
    qn_frame_bytes_clear(&bytes);
    qn_trajectory_stream_close(&stream);
    QN_TRY(status);
    if (*count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: holds no frame; expected at least one", path);
    return QN_OK;
}

static qn_status read_topology(conversion *job)
{
    const qn_trajectory_convert_options *options = job->options;
    job->topology = &job->bare;
    if (options->topology_in_memory) {
        job->topology = options->topology_in_memory;
        return qn_topology_check(job->topology);
    }
    if (options->topology) {
        QN_TRY(qn_topology_read(NULL, options->topology, &job->read));
        job->topology = job->read;
        return QN_OK;
    }
    if (options->frames) {
        job->bare.atom_count = options->frames->atom_count;
        return QN_OK;
    }
    job->bare.name = (char *)options->trajectories[0];
    return count_atoms(options->trajectories[0], &job->bare.atom_count);
}

static qn_status choose_atoms(conversion *job)
{
    const qn_trajectory_convert_options *options = job->options;
    int node;
    job->atom_count = job->topology->atom_count;
    if (options->whole) QN_TRY(qn_whole_plan_create(job->topology, &job->whole));
    if (!options->select) return QN_OK;
    QN_TRY(qn_selections_create(job->topology, 1, true, &job->selections));
    if (options->index_file) QN_TRY(qn_selections_add_index_file(job->selections, options->index_file));
    QN_TRY(qn_selections_add(job->selections, options->select, &node));
    if (!qn_selections_is_fixed(job->selections, node))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "\"%s\" may select different atoms in each frame; expected a selection by names, numbers, "
                       "masses or charges",
                       options->select);
    qn_selections_fixed_atoms(job->selections, node, &job->atoms, &job->atom_count);
    if (job->atom_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "\"%s\" selects none of the %s of %s", options->select,
                       qn_count_of(job->topology->atom_count, "atom").text,
                       job->topology->name ? job->topology->name : "the topology in memory");
    return QN_OK;
}

static qn_status make_room(conversion *job)
{
    void *memory;
    QN_TRY(qn_allocate(3 * job->topology->atom_count, sizeof(float), &memory));
    job->all = memory;
    QN_TRY(qn_allocate(3 * job->atom_count, sizeof(float), &memory));
    job->chosen = memory;
    return QN_OK;
}

static qn_status open_all(conversion *job)
{
    const qn_trajectory_convert_options *options = job->options;
    QN_TRY(qn_option_check(qn_trajectory_convert_option_table(), options));
    QN_TRY(read_topology(job));
    QN_TRY(choose_atoms(job));
    QN_TRY(make_room(job));
    const qn_source_options frames = {.trajectories = options->trajectories,
                                      .trajectory_count = options->trajectory_count,
                                      .frames = options->frames,
                                      .next_frame = options->next_frame,
                                      .next_frame_user = options->next_frame_user,
                                      .begin_ps = options->begin_ps,
                                      .end_ps = options->end_ps,
                                      .first_frame = options->first_frame,
                                      .last_frame = options->last_frame,
                                      .stride = options->stride};
    QN_TRY(qn_source_open(NULL, &frames, job->topology, &job->source));
    if (!options->output) return QN_OK;
    return qn_trajectory_writer_create(options->output, job->atom_count,
                                       &(qn_trajectory_write_options){.precision = options->precision}, &job->writer);
}

typedef struct lacking_text {
    char text[1200];
} lacking_text;

static lacking_text lacking_output(const conversion *job)
{
    lacking_text lacking = {"no frame is returned"};
    if (job->options->output) snprintf(lacking.text, sizeof lacking.text, "%s was not written", job->options->output);
    return lacking;
}

/* The total is estimated by the share of the bytes that is read. Until the end a frame is left, because a file is read
 * ahead of its frames. */
static qn_status report_progress(const conversion *job, uint64_t done, bool ended)
{
    uint64_t bytes;
    const double share = qn_source_share(job->source, &bytes);
    const double total = share > 0.001 ? (double)done / share : 0;
    const qn_progress progress = {"converting",
                                  "frames",
                                  (size_t)done,
                                  ended                      ? (size_t)done
                                  : total <= 0               ? SIZE_MAX
                                  : total > (double)done + 1 ? (size_t)(total + 0.5)
                                                             : (size_t)done + 1,
                                  qn_clock_s() - job->started_s,
                                  bytes,
                                  !ended};
    if (job->options->run.progress && job->options->run.progress(&progress, job->options->run.progress_user) != 0)
        return QN_FAIL(QN_CANCELLED, "stopped after %s; %s", qn_count_of(done, "frame").text, lacking_output(job).text);
    return QN_OK;
}

static qn_status keep_frame(conversion *job, uint64_t place, const qn_trajectory_frame *frame)
{
    kept_frames *kept = &job->kept;
    const size_t count = (size_t)place, coordinates = 3 * job->atom_count;
    void *memory = kept->positions_nm;
    qn_status status = qn_grow(&memory, &kept->positions, (count + 1) * coordinates, sizeof(float));
    kept->positions_nm = memory;
    QN_TRY(status);
    memory = kept->boxes_nm;
    status = qn_grow(&memory, &kept->boxes, 9 * (count + 1), sizeof(double));
    kept->boxes_nm = memory;
    QN_TRY(status);
    memory = kept->times_ps;
    status = qn_grow(&memory, &kept->times, count + 1, sizeof(double));
    kept->times_ps = memory;
    QN_TRY(status);
    memcpy(kept->positions_nm + count * coordinates, frame->positions_nm, coordinates * sizeof(float));
    memcpy(kept->boxes_nm + 9 * count, frame->box_nm, sizeof frame->box_nm);
    kept->times_ps[count] = frame->time_ps;
    return QN_OK;
}

static qn_status convert_frame(conversion *job, uint64_t place, qn_trajectory_frame *frame)
{
    size_t bond;
    QN_TRY(qn_source_decode(&job->item, frame));
    qn_source_let_go(job->source, &job->item);
    if (job->whole) QN_TRY(qn_whole_apply(job->whole, frame));
    if (job->whole && place == 0 && qn_whole_find_endless(job->topology, frame, &bond))
        qn_log(QN_LOG_WARNING, "%s", qn_whole_describe_endless(job->topology, bond).text);
    qn_trajectory_frame written = *frame;
    if (job->atoms) {
        for (size_t i = 0; i < job->atom_count; i++)
            memcpy(job->chosen + 3 * i, frame->positions_nm + 3 * (size_t)job->atoms[i], 3 * sizeof(float));
        written.positions_nm = job->chosen;
        written.atom_count = job->atom_count;
    }
    return job->writer ? qn_trajectory_writer_append(job->writer, &written) : keep_frame(job, place, &written);
}

static qn_status convert_all(conversion *job, uint64_t *frames)
{
    bool end = false;
    while (true) {
        qn_trajectory_frame frame = {.atom_count = job->topology->atom_count, .positions_nm = job->all};
        QN_TRY(qn_source_next(job->source, &job->item, &frame, &end));
        for (const char *warning; (warning = qn_source_warning(job->source));) qn_log(QN_LOG_WARNING, "%s", warning);
        if (end) break;
        QN_TRY(convert_frame(job, *frames, &frame));
        (*frames)++;
        QN_TRY(report_progress(job, *frames, false));
    }
    if (*frames > 0) QN_TRY(report_progress(job, *frames, true));
    if (*frames == 0)
        return QN_FAIL(QN_NOT_FOUND, "%s: none of its frames is within the chosen range; %s",
                       job->options->trajectory_count > 0 ? job->options->trajectories[0] : "the source in memory",
                       lacking_output(job).text);
    return job->writer ? qn_trajectory_writer_finish(&job->writer) : QN_OK;
}

static void release_kept(kept_frames *kept)
{
    qn_release(&kept->positions_nm);
    qn_release(&kept->boxes_nm);
    qn_release(&kept->times_ps);
}

static void clear(conversion *job)
{
    if (job->source) qn_source_let_go(job->source, &job->item);
    qn_source_item_clear(&job->item);
    qn_source_close(&job->source);
    if (job->writer) qn_trajectory_writer_discard(&job->writer);
    qn_whole_plan_destroy(&job->whole);
    qn_selections_destroy(&job->selections);
    qn_topology_destroy(&job->read);
    release_kept(&job->kept);
    qn_release(&job->all);
    qn_release(&job->chosen);
}

/* Make the result, and move the kept frames into it. */
static qn_status make_result(conversion *job, uint64_t frames, qn_trajectory_convert_result **result)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(owned_result), &memory));
    owned_result *owned = memory;
    owned->kept = job->kept;
    job->kept = (kept_frames){0};
    owned->result = (qn_trajectory_convert_result){.frame_count = frames,
                                                   .atom_count = job->atom_count,
                                                   .positions_nm = owned->kept.positions_nm,
                                                   .boxes_nm = owned->kept.boxes_nm,
                                                   .times_ps = owned->kept.times_ps};
    *result = &owned->result;
    return QN_OK;
}

void qn_trajectory_convert_result_destroy(qn_trajectory_convert_result **result)
{
    owned_result *owned = result ? (owned_result *)*result : NULL;
    if (!owned) return;
    release_kept(&owned->kept);
    qn_release(&owned);
    *result = NULL;
}

/* Refuse an output that is one of the inputs. */
static qn_status check_output(const qn_trajectory_convert_options *options)
{
    for (size_t i = 0; options->output && i < options->trajectory_count; i++)
        if (qn_file_is_same(options->trajectories[i], options->output))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: is an input; expected another output", options->output);
    return QN_OK;
}

static qn_status convert(const qn_trajectory_convert_options *options, qn_trajectory_convert_result **result)
{
    conversion job = {.options = options, .started_s = qn_clock_s()};
    qn_error_trail trail;
    uint64_t frames = 0;
    if (!options->output && !result)
        return QN_FAIL(QN_INVALID_ARGUMENT, "neither an output nor a result is asked for; expected one of them");
    QN_TRY(check_output(options));
    qn_status status = open_all(&job);
    if (status == QN_OK) status = convert_all(&job, &frames);
    if (status == QN_OK && result) status = make_result(&job, frames, result);
    qn_error_save(status, &trail);
    clear(&job);
    return status == QN_OK ? QN_OK : qn_error_restore(&trail);
}

qn_status qn_trajectory_convert(qn_context *context, const qn_trajectory_convert_options *options,
                                qn_trajectory_convert_result **result)
{
    qn_trajectory_convert_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_trajectory_convert_option_table(), options, &own));
    const qn_log_scope outer = qn_context_enter_log(context);
    qn_pipes_keep(); /* frames are read twice where no topology gives the number of atoms */
    const qn_status status = convert(&own, result);
    qn_pipes_release();
    qn_log_return(outer);
    return status;
}
