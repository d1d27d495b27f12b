/* Time the decoding of a trajectory: quern_bench_trajectory_decode FILE [SECONDS]
 *
 * All frames are read into memory once. They are decoded again and again for SECONDS (default 3) in turns of a tenth,
 * on one thread and on two (each thread decodes its own frames, as in the trajectory program). Prints frames, bytes per
 * atom, and million atoms per second of the best and the median turn.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "format/trajectory/trajectory_stream.h"

enum { FRAMES_MAX = 64, TURNS_MAX = 1000, THREADS_MAX = 2 };

typedef struct decode_bench {
    qn_trajectory_stream *stream;
    qn_frame_bytes frames[FRAMES_MAX];
    size_t frame_count, bytes;
    float *positions_nm[THREADS_MAX];
} decode_bench;

static qn_status load(decode_bench *bench, const char *path)
{
    qn_status status = qn_trajectory_stream_open(path, 0, &bench->stream);
    for (bool end = false; status == QN_OK && bench->frame_count < FRAMES_MAX; bench->frame_count++) {
        qn_frame_bytes *next = &bench->frames[bench->frame_count];
        status = qn_trajectory_stream_read(bench->stream, next, &end);
        if (end) break;
        bench->bytes += next->size;
    }
    for (int t = 0; status == QN_OK && t < THREADS_MAX; t++) {
        void *memory;
        status = qn_allocate(3 * qn_trajectory_stream_atom_count(bench->stream), sizeof(float), &memory);
        bench->positions_nm[t] = memory;
    }
    return status;
}

static qn_status decode_one(size_t index, int worker, void *user)
{
    decode_bench *bench = user;
    qn_trajectory_frame frame = {.positions_nm = bench->positions_nm[worker]};
    return qn_trajectory_stream_decode(bench->stream, &bench->frames[index % bench->frame_count], &frame);
}

static int larger(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static qn_status measure(decode_bench *bench, int threads, double seconds)
{
    qn_pool *pool;
    qn_status status = qn_pool_create(threads, &pool);
    if (status != QN_OK) return status;
    const double atoms = (double)qn_trajectory_stream_atom_count(bench->stream), begin_s = qn_clock_s();
    double rates[TURNS_MAX];
    int turns = 0;
    size_t frames = bench->frame_count; /* frames of a turn, set by the time of the first turns */
    while (status == QN_OK && turns < TURNS_MAX && (turns == 0 || qn_clock_s() - begin_s < seconds)) {
        double start_s = qn_clock_s();
        status = qn_pool_run(pool, frames, decode_one, bench);
        const double took_s = qn_clock_lap_s(&start_s);
        if (took_s < 0.05)
            frames *= 2;
        else
            rates[turns++] = atoms * (double)frames / took_s;
    }
    qsort(rates, (size_t)turns, sizeof *rates, larger);
    if (status == QN_OK)
        printf("%d thread%s: %.1f million atoms/s at best, %.1f in the median of %d turns\n", threads,
               threads == 1 ? "" : "s", 1e-6 * rates[0], 1e-6 * rates[turns / 2], turns);
    qn_pool_destroy(&pool);
    return status;
}

int main(int argc, char **argv)
{
    static decode_bench bench;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [SECONDS]\n", argv[0]);
        return 2;
    }
    const double seconds = argc > 2 ? atof(argv[2]) : 3;
    qn_status status = load(&bench, argv[1]);
    if (status == QN_OK && bench.frame_count > 0) {
        const size_t atoms = qn_trajectory_stream_atom_count(bench.stream);
        printf("%s: %zu frames of %zu atoms, %.2f bytes an atom\n", qn_trajectory_stream_format(bench.stream),
               bench.frame_count, atoms, (double)bench.bytes / (double)bench.frame_count / (double)atoms);
        for (int threads = 1; status == QN_OK && threads <= THREADS_MAX; threads++)
            status = measure(&bench, threads, seconds);
    }
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", argv[0], qn_error_message());
    for (size_t i = 0; i < FRAMES_MAX; i++) qn_frame_bytes_clear(&bench.frames[i]);
    for (int t = 0; t < THREADS_MAX; t++) qn_release(&bench.positions_nm[t]);
    qn_trajectory_stream_close(&bench.stream);
    return status == QN_OK ? 0 : 1;
}
