#define _POSIX_C_SOURCE 200809L
#include "frames/source.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/box.h"

/* An open file. Frames that wait to be decoded hold it, so that it is closed after the last of them. */
struct qn_source_file {
    qn_trajectory_stream *stream;
    bool untimed;   /* its times are not used */
    size_t holders; /* number of frames that hold it, plus 1 while the source reads it */
};

struct qn_source {
    qn_source_options options;
    const qn_topology *topology;
    qn_live *live;
    qn_source_file *file;                   /* the file being read; NULL between files */
    size_t next_file;                       /* index into options.trajectories */
    uint64_t next_number;                   /* number of the next frame, counted through all files */
    uint64_t in_range;                      /* number of frames so far that are in both ranges */
    uint64_t ordinal;                       /* of the next frame to analyse */
    uint64_t overlapping, overlapping_here; /* number of frames left out in all files; in this file */
    double last_ps, reached_ps;             /* time of the last frame read; latest time of the earlier files */
    bool seekable;                          /* other frames can be skipped, because their times do not matter */
    bool ended, repeatable;
    qn_trajectory_frame scratch; /* for formats whose times are known after decoding only */
    qn_frame_array array;        /* the frames in memory, if options.frames is set */
    qn_frame_file_facts *facts;
    size_t facts_count;
    char **warnings;
    size_t warning_count, warning_capacity, warnings_told;
    pthread_mutex_t mutex; /* of holders, warnings, and the members below */
    uint64_t bytes_before, bytes_all, bytes_done;
    double share;
    atomic_bool stopped, turned; /* turned: a cell was turned, and the warning is given */
};

void qn_source_item_clear(qn_source_item *item)
{
    qn_frame_bytes_clear(&item->bytes);
    *item = (qn_source_item){0};
}

/* ---- opening ---- */

static qn_status look_at_files(qn_source *source)
{
    const qn_source_options *options = &source->options;
    void *memory;
    QN_TRY(qn_allocate(options->trajectory_count, sizeof *source->facts, &memory));
    source->facts = memory;
    source->facts_count = options->trajectory_count;
    for (size_t i = 0; i < options->trajectory_count; i++) {
        const char *path = options->trajectories[i];
        struct stat status;
        source->facts[i].path = path;
        if (strcmp(path, "-") == 0) {
            source->repeatable = false;
            continue;
        }
        if (stat(path, &status) != 0) return QN_FAIL(QN_NOT_FOUND, "%s: cannot open: %s", path, strerror(errno));
        if (S_ISREG(status.st_mode))
            source->facts[i].bytes = (uint64_t)status.st_size;
        else
            source->repeatable = false;
        source->bytes_all += source->facts[i].bytes;
    }
    if (!source->repeatable) source->bytes_all = 0; /* not known */
    return QN_OK;
}

static qn_status open_array(qn_source *source)
{
    const qn_topology *topology = source->topology;
    void *memory;
    QN_TRY(qn_frame_array_view(source->options.frames, topology->atom_count,
                               topology->name ? topology->name : "the topology", &source->array));
    QN_TRY(qn_allocate(1, sizeof *source->facts, &memory));
    source->facts = memory;
    source->facts_count = 1;
    source->bytes_all = 3 * sizeof(float) * (uint64_t)source->array.atom_count * source->array.frame_count;
    source->facts[0] =
        (qn_frame_file_facts){.path = source->array.name, .format = "memory", .bytes = source->bytes_all};
    return QN_OK;
}

static qn_status open_live(qn_context *context, qn_source *source)
{
    qn_live_options options = qn_live_default_options();
    options.address = source->options.live;
    options.atom_count = source->topology->atom_count;
    memcpy(options.box_nm, source->topology->box_nm, sizeof options.box_nm);
    options.every = source->options.live_every;
    options.step_ps = source->options.live_step_ps;
    if (source->options.live_timeout_s > 0) options.timeout_s = source->options.live_timeout_s;
    source->repeatable = false;
    return qn_live_open(context, &options, &source->live);
}

static qn_status open_source(qn_context *context, qn_source *source)
{
    const qn_source_options *options = &source->options;
    if (options->live) return open_live(context, source);
    if (options->frames) return open_array(source);
    if (options->next_frame) {
        source->repeatable = false;
        return QN_OK;
    }
    if (options->trajectory_count == 0 && !source->topology->positions_nm)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s has no positions and no trajectory is given; expected at least one",
                       source->topology->name ? source->topology->name : "the topology in memory");
    return look_at_files(source);
}

static bool has_time_range(const qn_source_options *options)
{
    return options->begin_ps > -INFINITY || options->end_ps < INFINITY;
}

/* Whether frames are left out whose time an earlier file has reached. */
static bool watches_overlaps(const qn_source_options *options)
{
    return options->trajectory_count > 1 && !options->keep_overlaps;
}

qn_status qn_source_open(qn_context *context, const qn_source_options *options, const qn_topology *topology,
                         qn_source **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_source), &memory));
    qn_source *source = memory;
    source->options = *options;
    source->topology = topology;
    source->last_ps = source->reached_ps = NAN;
    source->repeatable = true;
    source->seekable = !has_time_range(options) && !watches_overlaps(options) && !options->live;
    pthread_mutex_init(&source->mutex, NULL);
    qn_status status = open_source(context, source);
    if (status == QN_OK)
        *out = source;
    else
        qn_source_close(&source);
    return status;
}

static void release_file(qn_source *source, qn_source_file **file)
{
    qn_source_file *held = *file;
    if (!held) return;
    *file = NULL;
    pthread_mutex_lock(&source->mutex);
    const bool last = --held->holders == 0;
    pthread_mutex_unlock(&source->mutex);
    if (!last) return;
    qn_trajectory_stream_close(&held->stream);
    qn_release(&held);
}

void qn_source_let_go(qn_source *source, qn_source_item *item)
{
    release_file(source, &item->file);
}

void qn_source_close(qn_source **out)
{
    qn_source *source = *out;
    if (!source) return;
    release_file(source, &source->file);
    qn_live_close(&source->live);
    for (size_t i = 0; i < source->facts_count; i++) {
        char *ending = (char *)source->facts[i].ending;
        qn_release(&ending);
    }
    for (size_t i = 0; i < source->warning_count; i++) qn_release(&source->warnings[i]);
    qn_release(&source->warnings);
    qn_release(&source->facts);
    qn_release(&source->scratch.positions_nm);
    pthread_mutex_destroy(&source->mutex);
    qn_release(out);
}

/* ---- warnings ---- */

static qn_status warn(qn_source *source, const char *text)
{
    void *list = source->warnings;
    pthread_mutex_lock(&source->mutex);
    qn_status status = qn_grow(&list, &source->warning_capacity, source->warning_count + 1, sizeof *source->warnings);
    source->warnings = list;
    if (status == QN_OK) status = qn_text_copy(text, &source->warnings[source->warning_count]);
    if (status == QN_OK) source->warning_count++;
    pthread_mutex_unlock(&source->mutex);
    return status;
}

const char *qn_source_warning(qn_source *source)
{
    const char *warning = NULL;
    pthread_mutex_lock(&source->mutex);
    if (source->warnings_told < source->warning_count) warning = source->warnings[source->warnings_told++];
    pthread_mutex_unlock(&source->mutex);
    return warning;
}

/* Record the facts of a file that was read, and warn about them. */
static qn_status tell_of_file(qn_source *source)
{
    const size_t place = source->next_file - 1;
    qn_frame_file_facts *facts = &source->facts[place];
    const char *ending = qn_trajectory_stream_ending(source->file->stream);
    const char *remark = qn_trajectory_stream_remark(source->file->stream);
    qn_text text = {0};
    qn_status status = QN_OK;
    if (ending) {
        char *copy = NULL;
        status = qn_text_copy(ending, &copy);
        facts->ending = copy;
        if (status == QN_OK) status = warn(source, ending);
    }
    if (status == QN_OK && remark) status = warn(source, remark);
    const unsigned long long left_out = qn_trajectory_stream_left_out(source->file->stream);
    if (status == QN_OK && left_out > 0) {
        status = qn_text_append(&text, "%s: %llu %s no positions and %s skipped", facts->path, left_out,
                                left_out == 1 ? "frame has" : "frames have", left_out == 1 ? "was" : "were");
        if (status == QN_OK) status = warn(source, text.data);
    }
    qn_text_clear(&text);
    if (status == QN_OK && source->overlapping_here > 0) {
        status = qn_text_append(
            &text, "%s: %llu %s left out, as %s reaches %g ps already; --keep-overlaps analyses all", facts->path,
            (unsigned long long)source->overlapping_here, source->overlapping_here == 1 ? "frame was" : "frames were",
            place == 1 ? source->facts[0].path : "an earlier file", source->reached_ps);
        if (status == QN_OK) status = warn(source, text.data);
    }
    qn_text_clear(&text);
    return status;
}

/* ---- files, one after the other ---- */

static qn_status make_scratch(qn_source *source)
{
    void *memory;
    if (source->scratch.positions_nm) return QN_OK;
    QN_TRY(qn_allocate(3 * source->topology->atom_count, sizeof(float), &memory));
    source->scratch.positions_nm = memory;
    return QN_OK;
}

/* Get the time of a frame that was just read. In some formats it is known after decoding only. */
static qn_status decode_time(qn_source *source, const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                             double *time_ps)
{
    *time_ps = bytes->time_ps;
    if (!isnan(*time_ps)) return QN_OK;
    QN_TRY(make_scratch(source));
    QN_TRY(qn_trajectory_stream_decode(stream, bytes, &source->scratch));
    *time_ps = source->scratch.time_ps;
    return QN_OK;
}

/* Get the times of the first two frames of a file; NaN where there is no such frame. */
static qn_status read_two_times(qn_source *source, const char *path, double times_ps[2])
{
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    bool end = false;
    times_ps[0] = times_ps[1] = NAN;
    QN_TRY(qn_trajectory_stream_open(path, source->topology->atom_count, &stream));
    qn_status status = QN_OK;
    for (int i = 0; i < 2 && status == QN_OK && !end; i++) {
        status = qn_trajectory_stream_read(stream, &bytes, &end);
        if (status == QN_OK && !end) status = decode_time(source, stream, &bytes, &times_ps[i]);
    }
    qn_frame_bytes_clear(&bytes);
    qn_trajectory_stream_close(&stream);
    return status;
}

/* Some programs write 0 as the time of every frame. Such times would make all lags 0 and all but the first file an
 * overlap, so they are not used. The file is opened a second time, because the time of the first frame is needed before
 * the second frame is read; a pipe is not examined. */
static qn_status judge_times(qn_source *source, const char *path)
{
    double times_ps[2];
    qn_text text = {0};
    if (source->facts[source->next_file].bytes == 0) return QN_OK;
    if (read_two_times(source, path, times_ps) != QN_OK) {
        qn_error_clear(); /* a damaged frame is reported when it is read in its turn */
        return QN_OK;
    }
    source->file->untimed = times_ps[1] <= times_ps[0];
    if (!source->file->untimed) return QN_OK;
    qn_status status = qn_text_append(
        &text, "%s: its times do not grow (%g ps in its first frame, %g ps in its second), so frame numbers are used",
        path, times_ps[0], times_ps[1]);
    if (status == QN_OK) status = warn(source, text.data);
    qn_text_clear(&text);
    return status;
}

static qn_status open_next_file(qn_source *source)
{
    const char *path = source->options.trajectories[source->next_file];
    void *memory;
    QN_TRY(qn_allocate(1, sizeof *source->file, &memory));
    qn_source_file *file = memory;
    qn_status status = qn_trajectory_stream_open(path, source->topology->atom_count, &file->stream);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    file->holders = 1;
    source->file = file;
    QN_TRY(judge_times(source, path));
    source->facts[source->next_file].format = qn_trajectory_stream_format(file->stream);
    source->next_file++;
    source->overlapping_here = 0;
    if (!isnan(source->last_ps)) source->reached_ps = fmax(source->last_ps, source->reached_ps);
    return QN_OK;
}

static qn_status leave_file(qn_source *source)
{
    uint64_t done = 0, all = 0;
    QN_TRY(tell_of_file(source));
    qn_trajectory_stream_progress(source->file->stream, &done, &all);
    pthread_mutex_lock(&source->mutex);
    source->bytes_before +=
        source->facts[source->next_file - 1].bytes ? source->facts[source->next_file - 1].bytes : done;
    source->bytes_done = 0;
    pthread_mutex_unlock(&source->mutex);
    release_file(source, &source->file);
    return QN_OK;
}

/* Read the next frame of all files, whether or not it is to be analysed. */
static qn_status read_from_files(qn_source *source, qn_source_item *item, bool *end)
{
    for (;;) {
        if (!source->file) {
            *end = source->next_file == source->options.trajectory_count;
            if (*end) return QN_OK;
            QN_TRY(open_next_file(source));
        }
        bool over;
        uint64_t all;
        QN_TRY(qn_trajectory_stream_read(source->file->stream, &item->bytes, &over));
        if (!over) {
            uint64_t done = 0;
            qn_trajectory_stream_progress(source->file->stream, &done, &all);
            pthread_mutex_lock(&source->mutex);
            source->bytes_done = done;
            pthread_mutex_unlock(&source->mutex);
            source->facts[source->next_file - 1].frames++;
            item->size = item->bytes.size;
            return QN_OK;
        }
        QN_TRY(leave_file(source));
    }
}

/* Find the time of a frame that was just read, if the choice of frames depends on it. */
static qn_status find_time(qn_source *source, const qn_source_item *item, double *time_ps)
{
    *time_ps = source->file->untimed ? NAN : item->bytes.time_ps;
    if (source->file->untimed || (!has_time_range(&source->options) && !watches_overlaps(&source->options)))
        return QN_OK;
    return decode_time(source, source->file->stream, &item->bytes, time_ps);
}

/* Copy the topology's positions as a frame. */
static void take_topology_frame(const qn_source *source, qn_trajectory_frame *frame)
{
    const qn_topology *topology = source->topology;
    frame->step = -1;
    frame->time_ps = NAN;
    frame->atom_count = topology->atom_count;
    memcpy(frame->box_nm, topology->box_nm, sizeof frame->box_nm);
    memcpy(frame->positions_nm, topology->positions_nm, 3 * topology->atom_count * sizeof(float));
}

static void read_from_array(qn_source *source, qn_source_item *item, double *time_ps, bool *end)
{
    const size_t place = (size_t)source->next_number;
    *end = place == source->array.frame_count;
    if (*end) return;
    item->array = &source->array;
    item->array_place = place;
    item->size = 3 * sizeof(float) * source->array.atom_count;
    *time_ps = source->array.times_ps ? source->array.times_ps[place] : NAN;
    source->facts[0].frames++;
    pthread_mutex_lock(&source->mutex);
    source->bytes_done += item->size;
    pthread_mutex_unlock(&source->mutex);
}

static qn_status read_from_function(qn_source *source, qn_trajectory_frame *frame, bool *end)
{
    const size_t atoms = source->topology->atom_count;
    float *positions = frame->positions_nm;
    *frame = (qn_trajectory_frame){
        .number = source->next_number, .step = -1, .time_ps = NAN, .atom_count = atoms, .positions_nm = positions};
    QN_TRY(source->options.next_frame(frame, end, source->options.next_frame_user));
    if (*end) return QN_OK;
    frame->number = source->next_number;
    if (frame->atom_count != atoms || frame->positions_nm != positions)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the function that makes frames: frame %llu has %s%s; expected %zu, as the topology has, "
                       "in the memory that the library gave",
                       (unsigned long long)frame->number, qn_count_of(frame->atom_count, "atom").text,
                       frame->positions_nm != positions ? " elsewhere" : "", atoms);
    return qn_frame_check("the function that makes frames", frame);
}

/* Read the next frame of the source and its time, whether or not it is to be analysed. */
static qn_status read_any(qn_source *source, qn_source_item *item, qn_trajectory_frame *frame, double *time_ps,
                          bool *end)
{
    *end = false;
    item->file = NULL;
    item->array = NULL;
    item->size = 0;
    if (source->options.frames) {
        read_from_array(source, item, time_ps, end);
    } else if (source->options.next_frame) {
        QN_TRY(read_from_function(source, frame, end));
        *time_ps = frame->time_ps;
        item->size = 3 * frame->atom_count * sizeof(float);
    } else if (source->live) {
        QN_TRY(qn_live_read(source->live, frame, end));
        if (atomic_load(&source->stopped)) *end = true;
        *time_ps = frame->time_ps;
        item->size = 3 * frame->atom_count * sizeof(float);
    } else if (source->options.trajectory_count > 0) {
        QN_TRY(read_from_files(source, item, end));
        if (!*end) QN_TRY(find_time(source, item, time_ps));
    } else {
        *end = source->next_number > 0; /* a topology has one frame */
        if (!*end) take_topology_frame(source, frame);
        *time_ps = NAN;
    }
    return QN_OK;
}

/* The name of a source that fills frames itself. */
static const char *name_of_origin(const qn_source *source)
{
    if (source->live) return source->options.live;
    if (source->options.next_frame) return "the function that makes frames";
    return source->topology->name ? source->topology->name : "the topology in memory";
}

/* Bring a cell in a general orientation into the one that all computations expect, and the positions with it. */
static qn_status turn_frame(qn_source *source, const char *name, qn_trajectory_frame *frame)
{
    double rotation[3][3];
    qn_text text = {0};
    if (!qn_box_turn(frame->box_nm, rotation)) return QN_OK;
    for (size_t i = 0; i < frame->atom_count; i++) {
        float *p = frame->positions_nm + 3 * i;
        const double given[3] = {p[0], p[1], p[2]};
        for (int axis = 0; axis < 3; axis++)
            p[axis] =
                (float)(rotation[axis][0] * given[0] + rotation[axis][1] * given[1] + rotation[axis][2] * given[2]);
    }
    if (atomic_exchange(&source->turned, true)) return QN_OK;
    qn_status status = qn_text_append(
        &text,
        "%s: frame %llu has a cell none of whose edges lies along x; such cells are turned with their atoms so that a "
        "lies along x and b in the xy-plane, and results that depend on directions are those of the turned frames",
        name, (unsigned long long)frame->number);
    if (status == QN_OK) status = warn(source, text.data);
    qn_text_clear(&text);
    return status;
}

/* ---- which frames are analysed ---- */

typedef enum frame_place { FRAME_BEFORE, FRAME_WITHIN, FRAME_BEHIND } frame_place;

/* Rounding error of a time. Files have times in single precision: 0.7 ps is 0.69999999, which counts as 0.7. */
static double rounding_of(double time_ps)
{
    return isfinite(time_ps) ? fabs(time_ps) * (double)FLT_EPSILON : 0;
}

static frame_place place_of(const qn_source *source, uint64_t number, double time_ps)
{
    const qn_source_options *options = &source->options;
    if (number > options->last_frame) return FRAME_BEHIND;
    if (number < options->first_frame || time_ps < options->begin_ps - rounding_of(options->begin_ps))
        return FRAME_BEFORE;
    if (isnan(time_ps) && has_time_range(options)) return FRAME_BEFORE;
    return time_ps > options->end_ps + rounding_of(options->end_ps) ? FRAME_BEHIND : FRAME_WITHIN;
}

static bool overlaps(qn_source *source, double time_ps)
{
    if (!watches_overlaps(&source->options) || !(time_ps <= source->reached_ps)) return false;
    source->overlapping++;
    source->overlapping_here++;
    return true;
}

/* Skip frames of the open file that are ruled out by their numbers, and `more` frames to analyse. */
static qn_status pass_unwanted(qn_source *source, uint64_t more)
{
    const qn_source_options *options = &source->options;
    const uint64_t stride = options->stride, number = source->next_number;
    uint64_t count = 0, passed = 0;
    if (!source->seekable || !source->file) return QN_OK;
    if (number < options->first_frame)
        count = options->first_frame - number;
    else
        count = (stride - source->in_range % stride) % stride + more * stride;
    /* skip no further than the last frame of the range: the frame after it ends the source */
    if (number > options->last_frame) return QN_OK;
    if (count > 0 && count - 1 > options->last_frame - number) count = options->last_frame - number + 1;
    if (count == 0) return QN_OK;
    QN_TRY(qn_trajectory_stream_skip(source->file->stream, count, &passed));
    source->next_number += passed;
    source->facts[source->next_file - 1].frames += passed;
    if (number < options->first_frame) return QN_OK;
    source->ordinal += (source->in_range + passed + stride - 1) / stride - (source->in_range + stride - 1) / stride;
    source->in_range += passed;
    return QN_OK;
}

static void note_share(qn_source *source, uint64_t number, double time_ps)
{
    const qn_source_options *options = &source->options;
    double share = 0;
    if (options->last_frame < UINT64_MAX) share = (double)(number + 1) / ((double)options->last_frame + 1);
    if (options->begin_ps > -INFINITY && options->end_ps < INFINITY && options->end_ps > options->begin_ps)
        share = fmax(share, (time_ps - options->begin_ps) / (options->end_ps - options->begin_ps));
    pthread_mutex_lock(&source->mutex);
    source->share = share;
    pthread_mutex_unlock(&source->mutex);
}

/* End the source before the end of the file, but record the facts of the file. */
static qn_status end_early(qn_source *source)
{
    source->ended = true;
    if (!source->file) return QN_OK;
    QN_TRY(tell_of_file(source));
    release_file(source, &source->file);
    return QN_OK;
}

qn_status qn_source_next(qn_source *source, qn_source_item *item, qn_trajectory_frame *frame, bool *end)
{
    const uint64_t stride = source->options.stride;
    double time_ps = NAN;
    for (;;) {
        *end = source->ended || atomic_load(&source->stopped);
        if (*end) return QN_OK;
        QN_TRY(pass_unwanted(source, 0));
        QN_TRY(read_any(source, item, frame, &time_ps, end));
        if (*end) {
            source->ended = true;
            return QN_OK;
        }
        const uint64_t number = source->next_number++;
        source->last_ps = isnan(time_ps) ? source->last_ps : time_ps;
        if (overlaps(source, time_ps)) continue;
        const frame_place place = place_of(source, number, time_ps);
        note_share(source, number, time_ps);
        if (place == FRAME_BEHIND) {
            /* the next file may begin before this time again */
            const bool goes_on = source->file && source->options.keep_overlaps && number < source->options.last_frame;
            QN_TRY(goes_on ? leave_file(source) : end_early(source));
            continue;
        }
        if (place == FRAME_BEFORE || source->in_range++ % stride != 0) continue;
        item->number = number;
        item->ordinal = source->ordinal++;
        frame->number = number;
        item->source = source;
        if (qn_source_fills_frames(source)) QN_TRY(turn_frame(source, name_of_origin(source), frame));
        if (source->file) {
            item->file = source->file;
            item->path = source->options.trajectories[source->next_file - 1];
            pthread_mutex_lock(&source->mutex);
            source->file->holders++;
            pthread_mutex_unlock(&source->mutex);
        }
        return QN_OK;
    }
}

qn_status qn_source_skip(qn_source *source, uint64_t count)
{
    const uint64_t wanted = source->ordinal + count;
    qn_source_item item = {0};
    qn_status status = make_scratch(source);
    bool end = false;
    while (status == QN_OK && !end && source->ordinal < wanted) {
        if (source->file) status = pass_unwanted(source, wanted - source->ordinal - 1);
        if (status != QN_OK || source->ordinal >= wanted) break;
        status = qn_source_next(source, &item, &source->scratch, &end);
        qn_source_let_go(source, &item);
    }
    qn_source_item_clear(&item);
    return status;
}

uint64_t qn_source_position(const qn_source *source)
{
    return source->ordinal;
}

qn_status qn_source_decode(const qn_source_item *item, qn_trajectory_frame *frame)
{
    frame->number = item->number;
    if (!item->array && !item->file) return QN_OK;
    if (item->array)
        QN_TRY(qn_frame_array_copy(item->array, item->array_place, frame));
    else
        QN_TRY(qn_trajectory_stream_decode(item->file->stream, &item->bytes, frame));
    frame->number = item->number;
    if (item->file && item->file->untimed) frame->time_ps = NAN;
    return turn_frame(item->source, item->array ? item->array->name : item->path, frame);
}

void qn_source_stop(qn_source *source)
{
    atomic_store(&source->stopped, true);
    if (source->live) qn_live_stop(source->live);
}

/* ---- facts ---- */

bool qn_source_fills_frames(const qn_source *source)
{
    return source->options.trajectory_count == 0 && !source->options.frames;
}

bool qn_source_is_repeatable(const qn_source *source)
{
    return source->repeatable;
}

double qn_source_share(qn_source *source, uint64_t *bytes)
{
    pthread_mutex_lock(&source->mutex);
    const double read = (double)(source->bytes_before + source->bytes_done);
    const double share = source->bytes_all > 0 ? fmax(source->share, read / (double)source->bytes_all) : source->share;
    if (bytes) *bytes = source->bytes_before + source->bytes_done;
    pthread_mutex_unlock(&source->mutex);
    return fmin(1, share);
}

uint64_t qn_source_overlapping(const qn_source *source)
{
    return source->overlapping;
}

const qn_frame_file_facts *qn_source_file_facts(const qn_source *source, size_t *count)
{
    *count = source->facts_count;
    return source->facts;
}

bool qn_source_live_facts(qn_source *source, qn_live_facts *facts)
{
    if (source->live) qn_live_facts_of(source->live, facts);
    return source->live != NULL;
}
