/* labels: threads */
/* Streams of the binary formats: cut, damaged, gzipped and piped files, skipping with and without an index. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"
#include "format/packed_bytes.h"
#include "format/tests/trajectories.h"
#include "format/trajectory/xdr.h"

enum { ATOMS = 12, FRAMES = 3 };

/* Write a file without waiting for the disk, for tests that write thousands of files. */
static bool put_file(const char *path, const char *data, size_t size)
{
    unlink(path); /* some file systems flush a file that replaces the content of another file */
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(data, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

static qn_status put_xdr(qn_text *text, uint32_t value)
{
    char bytes[4];
    qn_xdr_put_unsigned(value, bytes);
    return qn_text_append_bytes(text, bytes, 4);
}

static void put_real(qn_text *text, double value, bool wide)
{
    uint64_t bits;
    char single[4];
    memcpy(&bits, &value, sizeof bits);
    if (wide) {
        CHECK_OK(put_xdr(text, (uint32_t)(bits >> 32)));
        CHECK_OK(put_xdr(text, (uint32_t)bits));
    } else {
        qn_xdr_put_float((float)value, single);
        CHECK_OK(qn_text_append_bytes(text, single, 4));
    }
}

/* Append a frame as described in GROMACS' manual: head, box, then the positions, velocities and forces that the frame
 * has. */
static void put_trr_frame(qn_text *text, const qn_trajectory_frame *frame, bool wide, bool x, bool v, bool f)
{
    const uint32_t real = wide ? 8 : 4, vectors = 3 * (uint32_t)frame->atom_count * real;
    const uint32_t head[] = {1993, 13, 12};
    const uint32_t sizes[] = {0,
                              0,
                              9 * real,
                              0,
                              0,
                              0,
                              0,
                              x ? vectors : 0,
                              v ? vectors : 0,
                              f ? vectors : 0,
                              (uint32_t)frame->atom_count,
                              (uint32_t)frame->step,
                              0};
    for (int i = 0; i < 3; i++) CHECK_OK(put_xdr(text, head[i]));
    CHECK_OK(qn_text_append_bytes(text, "GMX_trn_file", 12));
    for (int i = 0; i < 13; i++) CHECK_OK(put_xdr(text, sizes[i]));
    put_real(text, frame->time_ps, wide);
    put_real(text, 0, wide);
    for (int k = 0; k < 9; k++) put_real(text, frame->box_nm[k], wide);
    for (int block = 0; block < 3; block++) {
        if (!(block == 0 ? x : block == 1 ? v : f)) continue;
        for (size_t i = 0; i < 3 * frame->atom_count; i++)
            put_real(text, block == 0 ? (double)frame->positions_nm[i] : 7e6, wide);
    }
}

static char *write_trr(const made_frames *made, const char *name, bool wide)
{
    qn_text text = {0};
    char *path = scratch_path(name);
    for (size_t f = 0; f < made->count; f++) put_trr_frame(&text, &made->frames[f], wide, true, f % 2 == 0, f % 3 == 1);
    CHECK_OK(qn_file_write(path, text.data, text.length));
    qn_text_clear(&text);
    return path;
}

typedef struct variant {
    const char *name;
    double tolerance_nm;
    const char *format;
} variant;

static const variant variants[] = {{"a.xtc", 0.00051, "XTC"}, {"large.xtc", 0.00051, "XTC"}, {"raw.xtc", 0, "XTC"},
                                   {"a.trr", 0, "TRR"},       {"double.trr", 0, "TRR"},      {"a.dcd", 2e-6, "DCD"}};
static const size_t variant_count = sizeof variants / sizeof *variants;

/* Write the made frames as a file of a variant; "raw" has fewer atoms. */
static char *write_variant(size_t v, size_t frames, made_frames **made)
{
    const char *name = variants[v].name;
    *made = make_frames(strncmp(name, "raw", 3) == 0 ? 9 : ATOMS, frames, 3, 0.1, 17);
    if (strstr(name, ".trr")) return write_trr(*made, name, name[0] == 'd');
    char *path = scratch_path(name);
    CHECK_OK(write_made(*made, path, &(qn_trajectory_write_options){.large = name[0] == 'l'}));
    return path;
}

static void every_variant_is_read(void)
{
    for (size_t v = 0; v < variant_count; v++) {
        made_frames *made, *got;
        char ending[512];
        char *path = write_variant(v, FRAMES, &made);
        qn_trajectory_stream *stream;
        if (!CHECK_OK(qn_trajectory_stream_open(path, 0, &stream))) continue;
        CHECK_TEXT(qn_trajectory_stream_format(stream), variants[v].format);
        qn_trajectory_stream_close(&stream);
        CHECK_OK(read_made(path, made->atom_count, &got, ending));
        CHECK(ending[0] == '\0');
        check_same_frames(got, made, variants[v].tolerance_nm);
        free_frames(got);
        free_frames(made);
    }
}

/* Cut a file anywhere: the complete frames that are left are read unchanged, and the incomplete end is reported unless
 * the cut lies between frames. Where nothing of the first frame's head is left, opening fails with a message. */
static void cut_file_gives_the_frames_before(size_t v)
{
    made_frames *made, *whole;
    char *data, *path = write_variant(v, FRAMES, &made), ending[512], *cut_path = scratch_path("cut");
    size_t size, between = 0, read = 0;
    CHECK_OK(read_made(path, 0, &whole, NULL));
    CHECK_OK(qn_file_read(path, &data, &size));
    for (size_t cut = 0; cut < size; cut++) {
        made_frames *got;
        CHECK(put_file(cut_path, data, cut));
        qn_status status = read_made(cut_path, 0, &got, ending);
        if (status != QN_OK) {
            CHECK(status == QN_BAD_FORMAT && got == NULL && strstr(qn_error_message(), cut_path));
            continue;
        }
        CHECK(got->count < FRAMES && got->count * size / FRAMES <= cut + 200);
        if (ending[0])
            CHECK(strstr(ending, cut_path) && strstr(ending, "ends inside frame"));
        else
            between++;
        read++;
        for (size_t f = 0; f < got->count; f++) CHECK(largest_difference(&got->frames[f], &whole->frames[f]) == 0);
        free_frames(got);
    }
    CHECK(read > size / 2);
    CHECK(between == FRAMES - 1 + (strstr(path, ".dcd") != NULL)); /* DCD has a head without frames */
    qn_release(&data);
    free_frames(whole);
    free_frames(made);
}

static void cut_files_give_the_frames_before_the_cut(void)
{
    for (size_t v = 0; v < variant_count; v++) cut_file_gives_the_frames_before(v);
}

/* Flip every third bit of a small file, one at a time: the result is wrong numbers, an error, or an incomplete end, but
 * no crash. */
static void flipped_bits_cause_no_crash(void)
{
    for (size_t v = 0; v < variant_count; v++) {
        made_frames *made;
        char *data, *path = write_variant(v, 2, &made), *flipped_path = scratch_path("flipped");
        size_t size, errors = 0;
        CHECK_OK(qn_file_read(path, &data, &size));
        for (size_t bit = 0; bit < 8 * size; bit += 3) {
            made_frames *got;
            data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
            CHECK(put_file(flipped_path, data, size));
            qn_status status = read_made(flipped_path, made->atom_count, &got, NULL);
            CHECK(status == QN_OK || status == QN_BAD_FORMAT || status == QN_UNSUPPORTED);
            if (status != QN_OK) CHECK(strstr(qn_error_message(), flipped_path) != NULL);
            errors += status != QN_OK;
            free_frames(got);
            data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
        }
        CHECK(errors > 0);
        qn_release(&data);
        free_frames(made);
    }
}

/* Read an XTC or TRR file with 4 bytes at `at` replaced by `value`. */
static qn_status read_with(const char *path, size_t at, uint32_t value, size_t atoms)
{
    char *data, *changed = scratch_path("changed");
    size_t size;
    made_frames *got;
    CHECK_OK(qn_file_read(path, &data, &size));
    qn_xdr_put_unsigned(value, data + at);
    CHECK(put_file(changed, data, size));
    qn_status status = read_made(changed, atoms, &got, NULL);
    free_frames(got);
    qn_release(&data);
    return status;
}

static void hostile_heads_of_xtc_are_refused(void)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *message;
    } cases[] = {{4, 0, "has 0 atoms"},
                 {4, 0x80000000u, "has -2147483648 atoms"},
                 {4, 13, "13 atoms, and 12 positions"},
                 {52, 0x7fffffff, "12 atoms, and 2147483647 positions"},
                 {56, 0, "precision 0"},
                 {56, 0x7fc00000, "precision nan"},
                 {56, 0x7f800000, "precision inf"},
                 {56, 0xbf800000, "precision -1"},
                 {56, 1, "precision 1.4013e-45"},
                 {60, 0x7fffffff, "has invalid bounds"},
                 {72, 0x80000000u, "has invalid bounds"},
                 {84, 0, "an invalid step"},
                 {84, 73, "an invalid step"},
                 {84, 0xffffffffu, "an invalid step"},
                 {88, 0, "take 0 bytes"},
                 {88, 0xfffffffcu, "take 4294967292 bytes"},
                 {88, 8, "frame 0 is damaged: its compressed data holds fewer atoms"}};
    made_frames *made;
    char *path = write_variant(0, FRAMES, &made);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(read_with(path, cases[i].at, cases[i].value, 0), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(cases[i].message);
        CHECK_MESSAGE_HAS("changed: frame 0");
    }
    CHECK_FAILS(read_with(path, 4, 12, 13), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("frame 0 at byte 0 has 12 atoms; expected 13");
    free_frames(made);
}

static void hostile_heads_of_trr_are_refused(void)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *message;
    } cases[] = {{12, 0x474d5858, "begins with"},
                 {24, 4, "in front of its box"},
                 {32, 37, "neither single nor double"},
                 {32, 72, "neither single nor double"},
                 {52, 140, "neither single nor double"},
                 {52, 0xffffffffu, "negative size"},
                 {64, 0, "has no atoms"},
                 {64, 0xffffffffu, "has no atoms"},
                 {64, 11, "neither single nor double"}};
    made_frames *made;
    char *path = write_variant(3, FRAMES, &made);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(read_with(path, cases[i].at, cases[i].value, ATOMS), QN_BAD_FORMAT);
        if (i > 0) CHECK_MESSAGE_HAS(cases[i].message);
    }
    free_frames(made);
}

static void non_finite_coordinates_are_refused(void)
{
    static const char *const names[] = {"blown.trr", "blown.dcd", "blown.xtc"};
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 9; i++) {
        made_frames *made = make_frames(9, 2, 3, 0.1, 17), *got;
        char *path = scratch_path(names[i % 3]);
        made->frames[1].positions_nm[9 + i] = wrong[i / 3];
        if (i % 3 == 0)
            write_trr(made, names[0], i > 3);
        else
            CHECK_OK(write_made(made, path, NULL));
        CHECK_FAILS(read_made(path, 9, &got, NULL), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(path);
        CHECK_MESSAGE_HAS(i < 3 ? "has a coordinate of nan for atom 4;" : "frame 1 at byte");
        CHECK(got && got->count == 1);
        free_frames(got);
        free_frames(made);
    }
}

/* Frames without positions do not count, and velocities and forces are not read as positions. */
static void frames_without_positions_are_skipped(void)
{
    qn_text text = {0};
    made_frames *made = make_frames(ATOMS, 4, 3, 0.1, 5), *got;
    for (size_t f = 0; f < 4; f++) {
        put_trr_frame(&text, &made->frames[f], false, false, true, true);
        put_trr_frame(&text, &made->frames[f], false, true, true, true);
    }
    put_trr_frame(&text, &made->frames[3], false, false, false, true);
    char *path = scratch_path("gaps.trr");
    CHECK_OK(qn_file_write(path, text.data, text.length));
    qn_trajectory_stream *stream;
    if (CHECK_OK(qn_trajectory_stream_open(path, ATOMS, &stream))) {
        CHECK_OK(read_frames(stream, &got));
        check_same_frames(got, made, 0);
        CHECK(qn_trajectory_stream_left_out(stream) == 5);
        CHECK(qn_trajectory_stream_ending(stream) == NULL);
        free_frames(got);
    }
    qn_trajectory_stream_close(&stream);
    qn_text_clear(&text);
    free_frames(made);
}

static void files_that_are_not_trajectories_are_refused(void)
{
    qn_trajectory_stream *stream;
    char *path = scratch_path("other");
    CHECK_OK(qn_file_write(path, "", 0));
    CHECK_FAILS(qn_trajectory_stream_open(path, 0, &stream), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("is empty");
    CHECK_OK(qn_file_write(path, "\1\2\3\4 nothing\n", 13));
    CHECK_FAILS(qn_trajectory_stream_open(path, 0, &stream), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("expected a trajectory: XTC, TRR, DCD");
    CHECK_FAILS(qn_trajectory_stream_open(scratch_path("absent"), 0, &stream), QN_NOT_FOUND);
    char tng[128] = {0x3d, 0, 0, 0, 0, 0, 0, 0, 0x5c};
    memcpy(tng + 40, "GENERAL INFO", 13);
    CHECK_OK(qn_file_write(path, tng, sizeof tng));
    CHECK_FAILS(qn_trajectory_stream_open(path, 0, &stream), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("gmx trjconv -f");
    const char *reference = check_reference_data("trajectory/argon_tng/argon_npt_compressed.tng");
    if (!reference) return;
    CHECK_FAILS(qn_trajectory_stream_open(reference, 0, &stream), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("gmx trjconv -f");
}

static void gzipped_files_are_read(void)
{
    for (size_t v = 0; v < variant_count; v++) {
        made_frames *made, *got;
        char *data, *path = write_variant(v, FRAMES, &made), *packed = scratch_path("packed.gz"), ending[512];
        size_t size;
        CHECK_OK(qn_file_read(path, &data, &size));
        gzFile file = gzopen(packed, "wb");
        CHECK(gzwrite(file, data, (unsigned)size - 7) == (int)size - 7 && gzclose(file) == Z_OK);
        CHECK_OK(read_made(packed, 0, &got, ending));
        CHECK(got && got->count == FRAMES - 1 && strstr(ending, "ends inside frame 2"));
        free_frames(got);
        file = gzopen(packed, "wb");
        CHECK(gzwrite(file, data, (unsigned)size) == (int)size && gzclose(file) == Z_OK);
        CHECK_OK(read_made(packed, 0, &got, ending));
        check_same_frames(got, made, variants[v].tolerance_nm);
        free_frames(got);
        qn_release(&data);
        free_frames(made);
    }
}

typedef struct feeder {
    const char *path, *data;
    size_t size;
} feeder;

static void *feed(void *user)
{
    feeder *f = user;
    const int descriptor = open(f->path, O_WRONLY);
    for (size_t done = 0; descriptor >= 0 && done < f->size;) {
        const size_t piece = f->size - done < 100 ? f->size - done : 100;
        const ssize_t count = write(descriptor, f->data + done, piece);
        if (count <= 0) break;
        done += (size_t)count;
    }
    close(descriptor);
    return NULL;
}

/* The pipes are fed in blocks of 100 bytes; the first frame is skipped. */
static void pipes_are_read(void)
{
    for (size_t v = 0; v < variant_count; v++) {
        made_frames *made, *got;
        char *data, *path = write_variant(v, FRAMES, &made), *fifo = scratch_path("fifo");
        size_t size;
        uint64_t skipped;
        pthread_t thread;
        qn_trajectory_stream *stream;
        CHECK_OK(qn_file_read(path, &data, &size));
        unlink(fifo);
        CHECK(mkfifo(fifo, 0600) == 0);
        feeder f = {fifo, data, size};
        CHECK(pthread_create(&thread, NULL, feed, &f) == 0);
        if (CHECK_OK(qn_trajectory_stream_open(fifo, 0, &stream))) {
            CHECK_OK(qn_trajectory_stream_skip(stream, 1, &skipped));
            CHECK(skipped == 1);
            CHECK_OK(read_frames(stream, &got));
            CHECK(got->count == FRAMES - 1 && got->frames[0].number == 1 && got->frames[0].step == 750);
            free_frames(got);
        }
        qn_trajectory_stream_close(&stream);
        pthread_join(thread, NULL);
        qn_release(&data);
        free_frames(made);
    }
}

static void standard_input_is_read(void)
{
    made_frames *made, *got;
    char *path = write_variant(0, FRAMES, &made);
    const int kept = dup(STDIN_FILENO), file = open(path, O_RDONLY);
    CHECK(dup2(file, STDIN_FILENO) == STDIN_FILENO);
    close(file);
    CHECK_OK(read_made("-", 0, &got, NULL));
    check_same_frames(got, made, variants[0].tolerance_nm);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    free_frames(got);
    free_frames(made);
}

/* Skip `first`, read one, skip `second`, read one: their steps show which frames they are. */
static void check_skips(const char *path, uint64_t first, uint64_t second, uint64_t count)
{
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    const uint64_t skips[2] = {first, second};
    uint64_t at = 0, skipped;
    bool end = false;
    if (!CHECK_OK(qn_trajectory_stream_open(path, 0, &stream))) return;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(qn_trajectory_stream_skip(stream, skips[i], &skipped));
        CHECK(skipped == (skips[i] < count - at ? skips[i] : count - at));
        at += skipped;
        CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
        CHECK(end == (at == count));
        if (!end) CHECK(bytes.number == at && bytes.step == 500 + 250 * (int64_t)at);
        if (!end) at++;
    }
    qn_frame_bytes_clear(&bytes);
    qn_trajectory_stream_close(&stream);
}

static char *index_path(const char *path)
{
    static char name[1100];
    const char *file = qn_path_name(path);
    snprintf(name, sizeof name, "%.*s.%s.quern-index", (int)(file - path), path, file);
    return name;
}

static void skipping_reaches_the_right_frame(void)
{
    enum { MANY = 100 };
    for (size_t v = 0; v < variant_count; v++) {
        made_frames *made;
        char *path = write_variant(v, MANY, &made);
        unlink(index_path(path));
        for (int indexed = 0; indexed < 2; indexed++) {
            check_skips(path, 0, 0, MANY);
            check_skips(path, 1, 9, MANY);
            check_skips(path, 50, 48, MANY);
            check_skips(path, 50, 49, MANY);
            check_skips(path, 3, 200, MANY);
            CHECK(qn_file_exists(index_path(path)) == (indexed > 0 && !strstr(path, ".dcd")) || indexed == 0);
            check_skips(path, 99, 0, MANY);
            check_skips(path, 100, 1, MANY);
            check_skips(path, 1000, 1, MANY);
        }
        free_frames(made);
    }
}

/* An index that is damaged or outdated is replaced. */
static void an_outdated_index_is_replaced(void)
{
    enum { MANY = 100 };
    made_frames *made;
    char *path = write_variant(0, MANY, &made), *data, *again, *other;
    size_t size, size_again;
    unlink(index_path(path));
    check_skips(path, 80, 3, MANY);
    CHECK_OK(qn_file_read(index_path(path), &data, &size));
    for (size_t at = 0; at < size; at += 61) {
        data[at] = (char)(data[at] ^ 4);
        CHECK_OK(qn_file_write(index_path(path), data, size));
        check_skips(path, 80, 3, MANY);
        data[at] = (char)(data[at] ^ 4);
        CHECK_OK(qn_file_read(index_path(path), &again, &size_again));
        CHECK(size_again == size && memcmp(again, data, size) == 0);
        qn_release(&again);
    }
    CHECK_OK(qn_file_write(index_path(path), data, size / 2));
    check_skips(path, 80, 3, MANY);
    qn_release(&data);
    free_frames(made);
    made = make_frames(40, 90, 3, 0.1, 4); /* another file of this name */
    CHECK_OK(write_made(made, path, NULL));
    CHECK_OK(qn_file_read(index_path(path), &other, &size));
    check_skips(path, 80, 3, 90);
    CHECK_OK(qn_file_read(index_path(path), &again, &size_again));
    CHECK(size_again != size);
    qn_release(&other);
    qn_release(&again);
    free_frames(made);
}

/* Write an index in which frame 50 begins `shift` bytes too late, with a correct checksum. */
static void falsify_index(const char *path, uint64_t shift)
{
    char *data;
    size_t size;
    CHECK_OK(qn_file_read(index_path(path), &data, &size));
    unsigned char *offset = (unsigned char *)data + 40 + 8 * 50;
    qn_packed_store(qn_packed_little(offset, 8) + shift, 8, offset);
    qn_packed_store(crc32(0, (const Bytef *)data, (uInt)size - 4), 4, (unsigned char *)data + size - 4);
    CHECK_OK(qn_file_write(index_path(path), data, size));
    qn_release(&data);
}

/* An index with a wrong offset leads to an error. It is ignored once the file has a different modification time. */
static void a_false_index_is_detected(void)
{
    made_frames *made;
    char *path = write_variant(0, 100, &made);
    uint64_t skipped;
    bool end;
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    unlink(index_path(path));
    check_skips(path, 80, 3, 100);
    falsify_index(path, 4);
    if (CHECK_OK(qn_trajectory_stream_open(path, 0, &stream))) {
        CHECK_OK(qn_trajectory_stream_skip(stream, 50, &skipped));
        CHECK_FAILS(qn_trajectory_stream_read(stream, &bytes, &end), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("frame 50 at byte");
    }
    qn_trajectory_stream_close(&stream);
    struct stat information;
    CHECK(stat(path, &information) == 0);
    for (int whole = 0; whole < 2; whole++) { /* a nanosecond later, then a second later */
        struct timespec times[2] = {information.st_atim, information.st_mtim};
        if (whole)
            times[1].tv_sec++;
        else
            times[1].tv_nsec = (times[1].tv_nsec + 1) % 1000000000;
        CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
        check_skips(path, 50, 40, 100);
        check_skips(path, 90, 3, 100); /* the index is replaced */
        falsify_index(path, 4);
    }
    unlink(index_path(path));
    qn_frame_bytes_clear(&bytes);
    free_frames(made);
}

/* Where the index cannot be written beside the file (a folder has its name), it goes to the cache. */
static void index_goes_to_the_cache(void)
{
    made_frames *made;
    char *path = write_variant(0, 100, &made), *cache = scratch_path("cache"), frames[1200];
    bool empty;
    unlink(index_path(path));
    CHECK(mkdir(index_path(path), 0700) == 0);
    CHECK(setenv("XDG_CACHE_HOME", cache, 1) == 0);
    check_skips(path, 80, 3, 100);
    snprintf(frames, sizeof frames, "%s/quern/frames", cache);
    CHECK_OK(qn_folder_is_empty(frames, &empty));
    CHECK(!empty);
    check_skips(path, 80, 3, 100);
    CHECK(rmdir(index_path(path)) == 0);
    free_frames(made);
}

/* Frames before a damaged one are skipped by the index; the damage is reported at its place. */
static void damage_is_reported_after_skipping(void)
{
    made_frames *made;
    char *path = write_variant(3, 100, &made), *data;
    size_t size;
    uint64_t skipped;
    qn_trajectory_stream *stream;
    CHECK_OK(qn_file_read(path, &data, &size));
    const size_t head = 84, box = 36, vectors = 12 * ATOMS; /* of frames 0 and 2 with velocities, 1 with forces … */
    size_t at = 0;
    for (size_t f = 0; f < 90; f++) at += head + box + vectors * (1 + (f % 2 == 0) + (f % 3 == 1));
    data[at + 3] = 0;
    CHECK_OK(qn_file_write(path, data, size));
    if (CHECK_OK(qn_trajectory_stream_open(path, 0, &stream))) {
        CHECK_FAILS(qn_trajectory_stream_skip(stream, 95, &skipped), QN_BAD_FORMAT);
        CHECK(skipped == 90);
        CHECK_MESSAGE_HAS("a.trr: frame 90 at byte");
    }
    qn_trajectory_stream_close(&stream);
    qn_release(&data);
    free_frames(made);
}

int main(void)
{
    RUN(every_variant_is_read);
    RUN(cut_files_give_the_frames_before_the_cut);
    RUN(flipped_bits_cause_no_crash);
    RUN(hostile_heads_of_xtc_are_refused);
    RUN(hostile_heads_of_trr_are_refused);
    RUN(non_finite_coordinates_are_refused);
    RUN(frames_without_positions_are_skipped);
    RUN(files_that_are_not_trajectories_are_refused);
    RUN(gzipped_files_are_read);
    RUN(pipes_are_read);
    RUN(standard_input_is_read);
    RUN(skipping_reaches_the_right_frame);
    RUN(an_outdated_index_is_replaced);
    RUN(a_false_index_is_detected);
    RUN(index_goes_to_the_cache);
    RUN(damage_is_reported_after_skipping);
    return check_finish();
}
