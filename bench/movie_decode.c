/* Time the reading of a movie: quern_bench_movie_decode FILE [SECONDS [GROUP UPSAMPLING]]
 *
 * For SECONDS (default 5), one thread reads all frames in turn, from the page cache after the first turn. Prints frames
 * and million samples per second of its processor time, of the best and the median turn; for EER also million electrons
 * per second. For TIFF, libtiff alone reads the same strips or tiles in turns that alternate with ours, and the ratio
 * of the medians is printed.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <tiffio.h>
#include <time.h>

#include "base/clock.h"
#include "format/movie/movie_file.h"

enum { TURNS_MAX = 1000 };

/* Processor time of this thread since *start_s, which becomes now. */
static double lap_s(double *start_s)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const double now_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, lap = now_s - *start_s;
    *start_s = now_s;
    return lap;
}

static int larger_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static qn_status read_all(qn_movie_file *movie, void *samples)
{
    for (int f = 0; f < qn_movie_file_shape(movie)->frames; f++) {
        const qn_status status = qn_movie_file_read(movie, f, 0, samples);
        if (status != QN_OK) return status;
    }
    return QN_OK;
}

/* Every strip or tile of every directory, in sequence. */
static int read_by_libtiff(const char *path, char *samples, size_t bytes)
{
    TIFF *tiff = TIFFOpen(path, "r");
    if (!tiff) return 0;
    do {
        const int tiled = TIFFIsTiled(tiff);
        const uint32_t pieces = tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
        size_t done = 0;
        for (uint32_t i = 0; i < pieces; i++) {
            const tmsize_t got = tiled ? TIFFReadEncodedTile(tiff, i, samples, (tmsize_t)bytes)
                                       : TIFFReadEncodedStrip(tiff, i, samples + done, (tmsize_t)(bytes - done));
            if (got < 0) return 0;
            if (!tiled) done += (size_t)got;
        }
    } while (TIFFReadDirectory(tiff));
    TIFFClose(tiff);
    return 1;
}

static double count_electrons(const qn_movie_file *movie, const void *samples)
{
    const size_t count = qn_movie_file_frame_bytes(movie);
    double sum = 0;
    if (qn_movie_file_shape(movie)->kind == QN_SAMPLE_UINT8)
        for (size_t i = 0; i < count; i++) sum += ((const unsigned char *)samples)[i];
    else
        for (size_t i = 0; i < count / 2; i++) sum += ((const unsigned short *)samples)[i];
    return sum;
}

static void print_rate(const char *who, const qn_movie_file *movie, double *rates, int turns, double electrons)
{
    const qn_movie_shape *shape = qn_movie_file_shape(movie);
    const double samples = 1e-6 * shape->width * shape->height;
    qsort(rates, (size_t)turns, sizeof *rates, larger_first);
    printf("%s: %.2f frames/s at best, %.2f in the median of %d turns; %.0f million samples/s", who, rates[0],
           rates[turns / 2], turns, samples * rates[turns / 2]);
    if (electrons > 0) printf("; %.0f million electrons/s", 1e-6 * electrons / shape->frames * rates[turns / 2]);
    printf("\n");
}

static int measure(qn_movie_file *movie, const char *path, double seconds)
{
    const qn_movie_shape *shape = qn_movie_file_shape(movie);
    const size_t bytes = qn_movie_file_frame_bytes(movie);
    char *samples = malloc(bytes);
    double ours[TURNS_MAX], theirs[TURNS_MAX], electrons = 0;
    int turns = 0, plain = 1;
    if (!samples || read_all(movie, samples) != QN_OK) return 1;
    for (int f = 0; shape->is_eer && f < shape->frames; f++)
        if (qn_movie_file_read(movie, f, 0, samples) == QN_OK) electrons += count_electrons(movie, samples);
    TIFFSetErrorHandler(NULL);
    const double begin_s = qn_clock_s();
    while (turns < TURNS_MAX && (turns == 0 || qn_clock_s() - begin_s < seconds)) {
        double start_s = 0;
        lap_s(&start_s);
        if (read_all(movie, samples) != QN_OK) return 1;
        ours[turns] = shape->frames / lap_s(&start_s);
        plain = plain && !shape->is_eer && read_by_libtiff(path, samples, bytes);
        theirs[turns++] = shape->frames / lap_s(&start_s);
    }
    print_rate("quern", movie, ours, turns, electrons);
    if (plain) {
        print_rate("libtiff alone", movie, theirs, turns, 0);
        printf("ratio of the medians: %.3f\n", ours[turns / 2] / theirs[turns / 2]);
    }
    free(samples);
    return 0;
}

int main(int argc, char **argv)
{
    qn_movie_options options = qn_movie_default_options();
    qn_movie_file *movie;
    if (argc < 2) {
        fprintf(stderr, "usage: quern_bench_movie_decode FILE [SECONDS [GROUP UPSAMPLING]]\n");
        return 2;
    }
    if (argc > 4) {
        options.eer_group = atoi(argv[3]);
        options.eer_upsampling = atoi(argv[4]);
    }
    double start_s = qn_clock_s();
    int failed = qn_movie_file_open(argv[1], &options, &movie) != QN_OK;
    if (!failed) {
        const qn_movie_shape *shape = qn_movie_file_shape(movie);
        printf("%s: %d frames of %d x %d, opened in %.1f ms\n", argv[1], shape->frames, shape->width, shape->height,
               1e3 * qn_clock_lap_s(&start_s));
        failed = measure(movie, argv[1], argc > 2 ? atof(argv[2]) : 5);
        qn_movie_file_close(&movie);
    }
    if (failed) fprintf(stderr, "quern_bench_movie_decode: %s\n", qn_error_message());
    return failed;
}
