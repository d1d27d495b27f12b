/* Movies in EER files: a BigTIFF directory is a camera frame, a list of electrons. libtiff reads directories only; the
 * electrons are read by position and decoded here. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/movie/eer_decode.h"
#include "format/movie/eer_tags.h"
#include "format/movie/movie_format.h"
#include "format/movie/tiff_file.h"
#include "format/number.h"

enum {
    GROUP_MAX = 65535,
    WARNINGS_MAX = 10,
    BATCH_FRAMES = 128,    /* camera frames in memory at a time */
    BATCH_BYTES = 64 << 20 /* of them, or one frame */
};

typedef struct eer_extent {
    uint64_t offset, bytes;
} eer_extent;

typedef struct eer_frame {
    size_t first_extent;
    uint32_t extents;
    qn_eer_code code;
} eer_frame;

typedef struct eer_movie {
    eer_frame *frames;
    size_t frame_capacity;
    eer_extent *extents;
    size_t extent_count, extent_capacity;
    uint32_t width, height; /* of the camera */
    int frame_count;
    double pixel_angstrom;
    atomic_uchar *broken; /* [frame_count] whether a read left the frame out */
    atomic_int broken_count;
} eer_movie;

static qn_status code_of(const qn_movie_file *movie, qn_tiff *tiff, int compression, int frame, qn_eer_code *code)
{
    uint32_t run = compression == QN_EER_RUNS_OF_8 ? 8 : 7, x = 2, y = 2;
    if (compression == QN_EER_BITS_IN_TAGS &&
        !(qn_tiff_whole(tiff, QN_EER_TAG_RUN_BITS, &run) && qn_tiff_whole(tiff, QN_EER_TAG_X_BITS, &x) &&
          qn_tiff_whole(tiff, QN_EER_TAG_Y_BITS, &y)))
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %d lacks one of the tags %d to %d, which give the bits of its codes",
                       movie->path, frame + 1, QN_EER_TAG_RUN_BITS, QN_EER_TAG_Y_BITS);
    if (run < 1 || run > QN_EER_RUN_BITS_MAX || x > QN_EER_PLACE_BITS_MAX || y > QN_EER_PLACE_BITS_MAX)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: the codes of frame %d have %u bits a run and %u + %u a place; expected 1 to %d and at most "
                       "%d + %d",
                       movie->path, frame + 1, run, x, y, QN_EER_RUN_BITS_MAX, QN_EER_PLACE_BITS_MAX,
                       QN_EER_PLACE_BITS_MAX);
    if (1 << x < movie->options.eer_upsampling || 1 << y < movie->options.eer_upsampling)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: places inside a pixel have %u + %u bits, too few for an upsampling of %d; expected %d",
                       movie->path, x, y, movie->options.eer_upsampling, x > 0 && y > 0 ? 2 : 1);
    *code = (qn_eer_code){.run_bits = (uint8_t)run,
                          .x_bits = (uint8_t)x,
                          .y_bits = (uint8_t)y,
                          .pass_has_place = compression == QN_EER_RUNS_OF_8};
    return QN_OK;
}

static qn_status make_room(eer_movie *state, uint32_t extents)
{
    void *memory = state->frames;
    QN_TRY(qn_grow(&memory, &state->frame_capacity, (size_t)state->frame_count + 1, sizeof *state->frames));
    state->frames = memory;
    memory = state->extents;
    QN_TRY(qn_grow(&memory, &state->extent_capacity, state->extent_count + extents, sizeof *state->extents));
    state->extents = memory;
    return QN_OK;
}

static qn_status add_frame(const qn_movie_file *movie, qn_tiff *tiff, const qn_tiff_page *page, eer_movie *state)
{
    const int frame = state->frame_count;
    if (frame == 0) {
        state->width = page->width;
        state->height = page->height;
    }
    if (page->width != state->width || page->height != state->height)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %d has %u x %u pixels; expected %u x %u as frame 1", movie->path,
                       frame + 1, page->width, page->height, state->width, state->height);
    QN_TRY(make_room(state, page->pieces));
    eer_frame *added = &state->frames[frame];
    *added = (eer_frame){.first_extent = state->extent_count, .extents = page->pieces};
    QN_TRY(code_of(movie, tiff, page->compression, frame, &added->code));
    for (uint32_t i = 0; i < page->pieces; i++) {
        eer_extent *extent = &state->extents[state->extent_count++];
        QN_TRY(qn_tiff_piece(tiff, i, &extent->offset, &extent->bytes));
    }
    state->frame_count++;
    return QN_OK;
}

/* The number of an item of the metadata: <item name="…" unit="m">7.2e-11</item>. */
static bool item_number(const char *text, size_t size, const char *name, double *value)
{
    char opening[64];
    const size_t length = (size_t)snprintf(opening, sizeof opening, "name=\"%s\"", name);
    for (size_t at = 0; at + length < size; at++) {
        if (memcmp(text + at, opening, length) != 0) continue;
        const char *begin = memchr(text + at, '>', size - at);
        if (!begin) return false;
        begin++;
        const char *end = memchr(begin, '<', size - (size_t)(begin - text));
        return end && qn_number_parse(begin, (size_t)(end - begin), value);
    }
    return false;
}

static void read_metadata(qn_tiff *tiff, eer_movie *state)
{
    const char *text;
    size_t size;
    double metres;
    if (!qn_tiff_bytes(tiff, QN_EER_TAG_METADATA, &text, &size)) return;
    if (!item_number(text, size, "sensorPixelSize.width", &metres)) return;
    if (metres >= 1e-12 && metres <= 1e-8) state->pixel_angstrom = 1e10 * metres;
}

/* Directories in sequence. Those of other compressions are skipped: cameras add the sum of all frames. */
static qn_status scan(qn_movie_file *movie, qn_tiff *tiff, eer_movie *state)
{
    int whole = 0;
    uint64_t data_end = 0;
    for (;;) {
        qn_tiff_page page;
        bool end;
        QN_TRY(qn_tiff_next(tiff, &end));
        if (end) break;
        QN_TRY(qn_tiff_page_facts(tiff, &page));
        if (!(state->pixel_angstrom > 0)) read_metadata(tiff, state);
        if (!qn_eer_is_compression(page.compression)) continue;
        QN_TRY(add_frame(movie, tiff, &page, state));
        whole += page.data_end <= movie->file_bytes;
        if (page.data_end > data_end) data_end = page.data_end;
    }
    if (whole < state->frame_count)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: is cut off: it holds %d whole frames; expected %d, which end at byte %llu (the file at byte "
            "%llu)",
            movie->path, whole, state->frame_count, (unsigned long long)data_end,
            (unsigned long long)movie->file_bytes);
    return QN_OK;
}

static qn_status check_options(const qn_movie_options *options)
{
    const int up = options->eer_upsampling;
    const double frames = options->eer_fraction_frames;
    if (up != 1 && up != 2 && up != 4)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the upsampling of EER is %d; expected 1, 2 or 4", up);
    if (frames != 0 && !(frames >= 1 && frames <= GROUP_MAX))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a fraction of EER has %g frames; expected 1 to %d", frames, GROUP_MAX);
    if (frames == 0 && (options->eer_group < 1 || options->eer_group > GROUP_MAX))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a group of EER has %d frames; expected 1 to %d", options->eer_group,
                       GROUP_MAX);
    return QN_OK;
}

static qn_status set_shape(qn_movie_file *movie, const eer_movie *state)
{
    const qn_movie_options *options = &movie->options;
    const double group = options->eer_fraction_frames > 0 ? options->eer_fraction_frames : options->eer_group;
    const int fractions = (int)floor(state->frame_count / group), up = options->eer_upsampling;
    if (fractions < 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %d camera frames, too few for a fraction of %g", movie->path,
                       state->frame_count, group);
    QN_TRY(qn_movie_check_sides(movie->path, (uint64_t)state->width * (uint64_t)up,
                                (uint64_t)state->height * (uint64_t)up));
    if ((uint64_t)state->width * state->height > INT32_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: has frames of %u x %u pixels, more than an EER camera has", movie->path,
                       state->width, state->height);
    movie->shape = (qn_movie_shape){.width = (int)state->width * up,
                                    .height = (int)state->height * up,
                                    .frames = fractions,
                                    .raw_frames = state->frame_count,
                                    .kind = ceil(group) > UINT8_MAX ? QN_SAMPLE_UINT16 : QN_SAMPLE_UINT8,
                                    .pixel_angstrom = state->pixel_angstrom / up,
                                    .is_eer = true};
    int first, count;
    qn_movie_file_raw_frames(movie, fractions - 1, &first, &count);
    movie->shape.dropped_frames = state->frame_count - first - count;
    return QN_OK;
}

static qn_status open_eer(qn_movie_file *movie)
{
    void *memory;
    qn_tiff *tiff;
    QN_TRY(check_options(&movie->options));
    QN_TRY(qn_allocate(1, sizeof(eer_movie), &memory));
    movie->state = memory;
    eer_movie *state = memory;
    QN_TRY(qn_tiff_open(movie->path, movie->descriptor, movie->file_bytes, &tiff));
    const qn_status status = scan(movie, tiff, state);
    qn_tiff_close(&tiff);
    QN_TRY(status);
    QN_TRY(qn_allocate((size_t)state->frame_count, sizeof *state->broken, &memory));
    state->broken = memory;
    return set_shape(movie, state);
}

static size_t stream_bytes(const eer_movie *state, int frame)
{
    const eer_frame *f = &state->frames[frame];
    size_t size = 0;
    for (uint32_t i = 0; i < f->extents; i++) size += (size_t)state->extents[f->first_extent + i].bytes;
    return size;
}

/* Read the stream of a frame, whose pieces follow one another. */
static qn_status read_stream(const qn_movie_file *movie, int frame, unsigned char *to)
{
    const eer_movie *state = movie->state;
    const eer_frame *f = &state->frames[frame];
    for (uint32_t i = 0; i < f->extents; i++) {
        const eer_extent *extent = &state->extents[f->first_extent + i];
        QN_TRY(qn_movie_read_bytes(movie, extent->offset, to, (size_t)extent->bytes));
        to += extent->bytes;
    }
    memset(to, 0, QN_EER_PADDING);
    return QN_OK;
}

static void note_broken(const qn_movie_file *movie, int frame, uint64_t pixel)
{
    eer_movie *state = movie->state;
    if (atomic_exchange(&state->broken[frame], 1)) return;
    const int before = atomic_fetch_add(&state->broken_count, 1);
    if (before < WARNINGS_MAX)
        qn_log(QN_LOG_WARNING,
               "%s: camera frame %d is broken and left out: its electrons end at pixel %llu; expected %llu",
               movie->path, frame + 1, (unsigned long long)pixel, (unsigned long long)state->width * state->height);
}

/* Read the streams of up to `count` frames from `first` on, as many as the batch holds: one at least. */
static qn_status read_batch(const qn_movie_file *movie, int first, int count, qn_movie_reader *reader,
                            qn_eer_cursor cursors[BATCH_FRAMES], int *taken)
{
    const eer_movie *state = movie->state;
    size_t size = 0;
    for (*taken = 0; *taken < count && *taken < BATCH_FRAMES; (*taken)++) {
        const size_t more = stream_bytes(state, first + *taken) + QN_EER_PADDING;
        if (*taken > 0 && size + more > BATCH_BYTES) break;
        size += more;
    }
    QN_TRY(qn_movie_room(reader, size));
    unsigned char *to = reader->bytes;
    for (int i = 0; i < *taken; i++) {
        cursors[i] = (qn_eer_cursor){
            .code = state->frames[first + i].code, .stream = to, .size = stream_bytes(state, first + i)};
        QN_TRY(read_stream(movie, first + i, to));
        to += cursors[i].size + QN_EER_PADDING;
    }
    return QN_OK;
}

/* A batch, or the largest frame if it alone is larger; or all frames of a movie of less. */
static size_t scratch_bytes(const qn_movie_file *movie)
{
    const eer_movie *state = movie->state;
    size_t all = 0, largest = 0;
    for (int f = 0; f < state->frame_count; f++) {
        const size_t size = stream_bytes(state, f) + QN_EER_PADDING;
        if (size > largest) largest = size;
        all += size;
    }
    return largest > BATCH_BYTES ? largest : all < BATCH_BYTES ? all : BATCH_BYTES;
}

static qn_status read_eer(qn_movie_file *movie, int frame, qn_movie_reader *reader, void *samples)
{
    const eer_movie *state = movie->state;
    const uint64_t pixels = (uint64_t)state->width * state->height;
    qn_eer_image image = {.width = state->width,
                          .height = state->height,
                          .upsampling = movie->options.eer_upsampling,
                          .wide = movie->shape.kind == QN_SAMPLE_UINT16,
                          .counts = samples};
    qn_eer_cursor cursors[BATCH_FRAMES];
    int first, count, taken, broken = 0;
    qn_movie_file_raw_frames(movie, frame, &first, &count);
    for (int done = 0; done < count; done += taken) {
        QN_TRY(read_batch(movie, first + done, count - done, reader, cursors, &taken));
        qn_eer_add_frames(cursors, (size_t)taken, done == 0, &image);
        for (int i = 0; i < taken; i++) {
            if (cursors[i].reached == pixels) continue;
            note_broken(movie, first + done + i, cursors[i].reached);
            broken++;
            cursors[i].bit = cursors[i].pixel = 0;
            qn_eer_add(&cursors[i], state->height, -1, &image);
        }
    }
    if (broken == count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: every camera frame of fraction %d (%d to %d) is broken", movie->path,
                       frame + 1, first + 1, first + count);
    return QN_OK;
}

static int broken_frames(const qn_movie_file *movie)
{
    eer_movie *state = movie->state;
    return atomic_load(&state->broken_count);
}

static void close_eer(qn_movie_file *movie)
{
    eer_movie *state = movie->state;
    if (state) {
        qn_release(&state->frames);
        qn_release(&state->extents);
        qn_release(&state->broken);
    }
    qn_release(&movie->state);
}

const qn_movie_format qn_movie_eer = {.open = open_eer,
                                      .read = read_eer,
                                      .scratch_bytes = scratch_bytes,
                                      .broken_frames = broken_frames,
                                      .close = close_eer};
