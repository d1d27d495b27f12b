/* Any bytes as a movie: MRC, TIFF or EER, detected by content. Where the file is accepted, each frame is read or
 * refused with a message, and a frame that is read twice is the same. */
#define _GNU_SOURCE
#include <string.h>

#include "base/memory.h"
#include "format/movie/movie_file.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES_MAX = 8, FRAME_BYTES_MAX = 1 << 19 };

static void read_frame(qn_movie_file *movie, int frame)
{
    const size_t bytes = qn_movie_file_frame_bytes(movie);
    unsigned char *first = malloc(bytes), *again = malloc(bytes); /* of the exact size, for the address sanitizer */
    demand(first && again);
    const qn_status status = qn_movie_file_read(movie, frame, 0, first);
    demand(status == QN_OK || qn_error_message()[0]);
    if (status == QN_OK) {
        demand(qn_movie_file_read(movie, frame, 1, again) == QN_OK);
        demand(memcmp(first, again, bytes) == 0);
    }
    free(first);
    free(again);
}

static void try_movie(const char *path, const qn_movie_options *options)
{
    qn_movie_file *movie;
    const qn_status status = qn_movie_file_open(path, options, &movie);
    demand(status == QN_OK ? movie != NULL : movie == NULL && qn_error_message()[0]);
    if (status != QN_OK) return;
    const qn_movie_shape *shape = qn_movie_file_shape(movie);
    demand(shape->width > 0 && shape->width <= QN_MOVIE_SIDE_MAX && shape->height > 0 &&
           shape->height <= QN_MOVIE_SIDE_MAX && shape->frames > 0 && shape->raw_frames >= shape->frames &&
           shape->dropped_frames >= 0 && shape->pixel_angstrom >= 0);
    int first, count;
    qn_movie_file_raw_frames(movie, shape->frames - 1, &first, &count);
    demand(count > 0 && first + count + shape->dropped_frames == shape->raw_frames);
    if (qn_movie_file_frame_bytes(movie) <= FRAME_BYTES_MAX)
        for (int f = 0; f < shape->frames && f < FRAMES_MAX; f++) read_frame(movie, f);
    qn_movie_file_close(&movie);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const qn_movie_options fraction = {.eer_group = 1, .eer_fraction_frames = 1.5, .eer_upsampling = 4};
    qn_movie_options options = qn_movie_default_options();
    char path[64];
    const int descriptor = open_bytes(data, size, path);
    options.eer_group = 1;
    options.eer_upsampling = 2;
    try_movie(path, &options);
    try_movie(path, &fraction);
    close(descriptor);
    return 0;
}
