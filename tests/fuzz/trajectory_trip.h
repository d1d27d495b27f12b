/* Any bytes as a trajectory file: frames are read and decoded up to the end or a failure with a message; then up to
 * three frames are skipped. If skipping succeeds, it passes at least as many frames as reading found. */
#ifndef QN_FUZZ_TRAJECTORY_TRIP_H
#define QN_FUZZ_TRAJECTORY_TRIP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/trajectory/trajectory_stream.h"

static void demand(int holds)
{
    if (!holds) abort();
}

/* Open a file in memory with these bytes. */
static int open_bytes(const uint8_t *data, size_t size, char path[64])
{
    int descriptor = memfd_create("trajectory", 0);
    demand(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

/* Read frames up to the end or a failure; positions are decoded if there are at most ATOMS_MAX atoms. Returns the
 * number of frames. */
static uint64_t read_all(const char *path, size_t atom_count)
{
    enum { ATOMS_MAX = 1 << 16 };
    static float positions_nm[3 * ATOMS_MAX];
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    uint64_t count = 0, done, all;
    bool end = false;
    qn_status status = qn_trajectory_stream_open(path, atom_count, &stream);
    demand(status == QN_OK ? stream != NULL : stream == NULL && qn_error_message()[0]);
    if (status != QN_OK) return 0;
    while (status == QN_OK && !end) {
        status = qn_trajectory_stream_read(stream, &bytes, &end);
        if (status != QN_OK || end) break;
        demand(bytes.number == count++);
        qn_trajectory_frame frame = {.positions_nm = positions_nm};
        if (qn_trajectory_stream_atom_count(stream) <= ATOMS_MAX)
            status = qn_trajectory_stream_decode(stream, &bytes, &frame);
    }
    demand(status == QN_OK || qn_error_message()[0]);
    qn_trajectory_stream_progress(stream, &done, &all);
    demand(all == 0 || done <= all);
    qn_frame_bytes_clear(&bytes);
    qn_trajectory_stream_close(&stream);
    return count;
}

static void skip_all(const char *path, uint64_t at_least)
{
    qn_trajectory_stream *stream;
    uint64_t skipped = 0;
    if (qn_trajectory_stream_open(path, 0, &stream) != QN_OK) return;
    qn_status status = qn_trajectory_stream_skip(stream, 3, &skipped);
    demand(status != QN_OK || skipped == 3 || at_least <= skipped);
    qn_trajectory_stream_close(&stream);
}

static void try_trajectory(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor = open_bytes(data, size, path);
    const uint64_t count = read_all(path, 0);
    read_all(path, 12);
    skip_all(path, count);
    close(descriptor);
}

#endif
