/* Movies in TIFF and BigTIFF files: a directory is a frame. */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/movie/eer_tags.h"
#include "format/movie/movie_format.h"
#include "format/movie/tiff_file.h"

typedef struct tiff_movie {
    qn_tiff_page *pages; /* [frames] */
    size_t capacity;
} tiff_movie;

typedef struct frame_name {
    char text[32];
} frame_name;

static frame_name name_of(int frame)
{
    frame_name name;
    snprintf(name.text, sizeof name.text, "frame %d", frame + 1);
    return name;
}

static qn_status kind_of(const qn_movie_file *movie, const qn_tiff_page *page, qn_sample_kind *kind)
{
    static const struct {
        qn_tiff_samples samples;
        int bits;
        qn_sample_kind kind;
    } kinds[] = {{QN_TIFF_UINT, 8, QN_SAMPLE_UINT8},
                 {QN_TIFF_INT, 8, QN_SAMPLE_INT8},
                 {QN_TIFF_UINT, 16, QN_SAMPLE_UINT16},
                 {QN_TIFF_INT, 16, QN_SAMPLE_INT16},
                 {QN_TIFF_FLOAT, 32, QN_SAMPLE_FLOAT32}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].samples == page->samples && kinds[i].bits == page->bits) {
            *kind = kinds[i].kind;
            return QN_OK;
        }
    return QN_FAIL(QN_UNSUPPORTED,
                   "%s: its samples are %s of %d bits; expected whole numbers of 8 or 16 bits, or floats of 32",
                   movie->path, page->samples == QN_TIFF_FLOAT ? "floats" : "whole numbers", page->bits);
}

static qn_status check_alike(const qn_movie_file *movie, const qn_tiff_page *first, const qn_tiff_page *page, int frame)
{
    if (page->width != first->width || page->height != first->height)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %d has %u x %u pixels; expected %u x %u as frame 1", movie->path,
                       frame + 1, page->width, page->height, first->width, first->height);
    if (page->bits != first->bits || page->samples != first->samples)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %d stores its samples in another way than frame 1 (%d and %d bits)",
                       movie->path, frame + 1, page->bits, first->bits);
    return QN_OK;
}

/* Pages in sequence: to go to a directory by its number takes time that grows with the number. */
static qn_status scan(qn_movie_file *movie, qn_tiff *tiff, tiff_movie *state, int *frames)
{
    int whole = 0, first_cut = -1;
    for (*frames = 0;; (*frames)++) {
        bool end;
        QN_TRY(qn_tiff_next(tiff, &end));
        if (end) break;
        void *memory = state->pages;
        QN_TRY(qn_grow(&memory, &state->capacity, (size_t)*frames + 1, sizeof *state->pages));
        state->pages = memory;
        qn_tiff_page *page = &state->pages[*frames];
        QN_TRY(qn_tiff_page_facts(tiff, page));
        QN_TRY(qn_tiff_check_page(tiff, name_of(*frames).text, page));
        QN_TRY(check_alike(movie, state->pages, page, *frames));
        if (page->data_end <= movie->file_bytes)
            whole++;
        else if (first_cut < 0)
            first_cut = *frames;
    }
    if (first_cut >= 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: is cut off: it holds %d whole frames; expected %d (frame %d ends at byte %llu, the file at "
                       "byte %llu)",
                       movie->path, whole, *frames, first_cut + 1, (unsigned long long)state->pages[first_cut].data_end,
                       (unsigned long long)movie->file_bytes);
    return QN_OK;
}

static qn_status read_directories(qn_movie_file *movie, qn_tiff *tiff, tiff_movie *state)
{
    int frames;
    qn_sample_kind kind = QN_SAMPLE_UINT8;
    QN_TRY(scan(movie, tiff, state, &frames));
    const qn_tiff_page *first = state->pages;
    QN_TRY(qn_movie_check_sides(movie->path, first->width, first->height));
    QN_TRY(kind_of(movie, first, &kind));
    movie->shape = (qn_movie_shape){.width = (int)first->width,
                                    .height = (int)first->height,
                                    .frames = frames,
                                    .raw_frames = frames,
                                    .kind = kind,
                                    .pixel_angstrom = first->pixel_angstrom};
    return QN_OK;
}

/* Whether the first or the second directory is an EER frame: the first may be the sum of all frames. */
static qn_status is_eer(qn_tiff *tiff, bool *answer)
{
    qn_tiff_page page;
    *answer = false;
    for (int i = 0; i < 2 && !*answer; i++) {
        bool end;
        QN_TRY(qn_tiff_next(tiff, &end));
        if (end) break;
        QN_TRY(qn_tiff_page_facts(tiff, &page));
        *answer = qn_eer_is_compression(page.compression);
    }
    return QN_OK;
}

static qn_status open_plain(qn_movie_file *movie)
{
    void *memory;
    qn_tiff *tiff;
    QN_TRY(qn_allocate(1, sizeof(tiff_movie), &memory));
    movie->state = memory;
    QN_TRY(qn_tiff_open(movie->path, movie->descriptor, movie->file_bytes, &tiff));
    const qn_status status = read_directories(movie, tiff, memory);
    qn_tiff_close(&tiff);
    return status;
}

static qn_status open_tiff(qn_movie_file *movie)
{
    qn_tiff *tiff;
    bool eer;
    QN_TRY(qn_tiff_open(movie->path, movie->descriptor, movie->file_bytes, &tiff));
    const qn_status status = is_eer(tiff, &eer);
    qn_tiff_close(&tiff);
    QN_TRY(status);
    if (!eer) return open_plain(movie);
    movie->format = &qn_movie_eer;
    return movie->format->open(movie);
}

static qn_status read_tiff(qn_movie_file *movie, int frame, qn_movie_reader *reader, void *samples)
{
    const tiff_movie *state = movie->state;
    const qn_tiff_page *page = &state->pages[frame];
    if (!reader->decoder) {
        qn_tiff *tiff;
        QN_TRY(qn_tiff_open(movie->path, movie->descriptor, movie->file_bytes, &tiff));
        reader->decoder = tiff;
    }
    QN_TRY(qn_tiff_go(reader->decoder, page->place));
    return qn_tiff_read(reader->decoder, name_of(frame).text, page, true, samples);
}

static size_t scratch_bytes(const qn_movie_file *movie)
{
    const tiff_movie *state = movie->state;
    size_t most = 0;
    for (int f = 0; f < movie->shape.frames; f++)
        if (state->pages[f].decoder_bytes > most) most = (size_t)state->pages[f].decoder_bytes;
    return most;
}

static void close_decoder(void **decoder)
{
    qn_tiff *tiff = *decoder;
    qn_tiff_close(&tiff);
    *decoder = NULL;
}

static void close_tiff(qn_movie_file *movie)
{
    tiff_movie *state = movie->state;
    if (state) qn_release(&state->pages);
    qn_release(&movie->state);
}

const qn_movie_format qn_movie_tiff = {.recognise = qn_tiff_is,
                                       .open = open_tiff,
                                       .read = read_tiff,
                                       .scratch_bytes = scratch_bytes,
                                       .close_decoder = close_decoder,
                                       .close = close_tiff};
