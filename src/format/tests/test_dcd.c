#include "base/text.h"
#include "format/tests/onebody.h"
#include "format/tests/trajectories.h"

enum { ATOMS = 7 };

/* A variant of DCD files, written according to the published layout of CHARMM and X-PLOR. */
typedef struct dcd_kind {
    bool big_endian;
    size_t marker; /* bytes */
    bool xplor, fourth;
    const double *cell; /* or NULL */
    uint32_t told_frames, fixed;
    const char *mark;
} dcd_kind;

static void put_bytes(const dcd_kind *kind, qn_text *text, const void *value, size_t size)
{
    const unsigned char *bytes = value; /* little endian here */
    for (size_t i = 0; i < size; i++)
        CHECK_OK(qn_text_append_bytes(text, bytes + (kind->big_endian ? size - 1 - i : i), 1));
}

static void put32(const dcd_kind *kind, qn_text *text, uint32_t value)
{
    put_bytes(kind, text, &value, 4);
}

static void put_record(const dcd_kind *kind, qn_text *text, qn_text *record)
{
    const uint64_t size = record->length;
    put_bytes(kind, text, &size,
              kind->marker); /* the first 4 bytes of a little-endian 64-bit number are its 32-bit form */
    CHECK_OK(qn_text_append_bytes(text, record->data, record->length));
    put_bytes(kind, text, &size, kind->marker);
    record->length = 0;
}

static void put_head(const dcd_kind *kind, qn_text *text, qn_text *record)
{
    const double step = 0.002 / 0.04888821;
    const float short_step = (float)step;
    CHECK_OK(qn_text_append_bytes(record, kind->mark ? kind->mark : "CORD", 4));
    const uint32_t front[9] = {kind->told_frames, 500, 250, 0, 0, 0, 0, 0, kind->fixed};
    for (int i = 0; i < 9; i++) put32(kind, record, front[i]);
    if (kind->xplor)
        put_bytes(kind, record, &step, 8);
    else
        put_bytes(kind, record, &short_step, 4);
    if (!kind->xplor) put32(kind, record, kind->cell != NULL);
    put32(kind, record, kind->fourth);
    for (int i = 12; i < 20; i++) put32(kind, record, i == 19 && !kind->xplor ? 24 : 0);
    put_record(kind, text, record);
    put32(kind, record, 2);
    for (int i = 0; i < 160; i++) CHECK_OK(qn_text_append_bytes(record, "*", 1));
    put_record(kind, text, record);
    put32(kind, record, ATOMS);
    put_record(kind, text, record);
    if (kind->fixed == 0) return;
    for (uint32_t i = 0; i < ATOMS - kind->fixed; i++) put32(kind, record, 2 * i + 1); /* atoms 1, 3, 5 … from 1 */
    put_record(kind, text, record);
}

static void put_frame(const dcd_kind *kind, qn_text *text, qn_text *record, const qn_trajectory_frame *frame, bool all)
{
    const size_t count = all ? ATOMS : ATOMS - kind->fixed, stride = all || kind->fixed == 0 ? 1 : 2;
    if (kind->cell) {
        for (int k = 0; k < 6; k++) put_bytes(kind, record, &kind->cell[k], 8);
        put_record(kind, text, record);
    }
    for (size_t k = 0; k < (kind->fourth ? 4 : 3); k++) {
        for (size_t i = 0; i < count; i++) {
            const float value = k == 3 ? 1e9f : frame->positions_nm[3 * i * stride + k] * 10;
            put_bytes(kind, record, &value, 4);
        }
        put_record(kind, text, record);
    }
}

/* Write the frames as a file of this variant that must read back equal; fixed atoms get their positions of the first
 * frame.
 */
static char *write_kind(const dcd_kind *kind, made_frames *made)
{
    qn_text text = {0}, record = {0};
    char *path = scratch_path("kind.dcd");
    put_head(kind, &text, &record);
    for (size_t f = 0; f < made->count; f++) {
        for (size_t i = 0; i < ATOMS && f > 0 && kind->fixed > 0; i++)
            if (i % 2 == 1 || i / 2 >= ATOMS - kind->fixed)
                memcpy(made->frames[f].positions_nm + 3 * i, made->positions_nm + 3 * i, 3 * sizeof(float));
        memset(made->frames[f].box_nm, 0, sizeof made->frames[f].box_nm);
        put_frame(kind, &text, &record, &made->frames[f], f == 0);
    }
    CHECK_OK(qn_file_write(path, text.data, text.length));
    qn_text_clear(&text);
    qn_text_clear(&record);
    return path;
}

static const double no_box[9] = {0}, right_box[9] = {3, 0, 0, 0, 4, 0, 0, 0, 5};

static void check_kind(const dcd_kind *kind, const double box_nm[9])
{
    made_frames *made = make_frames(ATOMS, 5, 3, 0.1, 23), *got;
    char ending[512];
    char *path = write_kind(kind, made);
    for (size_t f = 0; f < made->count; f++) memcpy(made->frames[f].box_nm, box_nm, sizeof made->frames[f].box_nm);
    CHECK_OK(read_made(path, ATOMS, &got, ending));
    CHECK(ending[0] == '\0');
    check_same_frames(got, made, ldexp(3.1, -22));
    free_frames(got);
    free_frames(made);
}

static void every_variant_is_read(void)
{
    static const double cell[6] = {30, 90, 40, 90, 90, 50};
    for (int kinds = 0; kinds < 64; kinds++) {
        const dcd_kind kind = {.big_endian = kinds & 1,
                               .marker = kinds & 2 ? 8 : 4,
                               .xplor = (kinds & 12) == 4, /* which has neither cell nor fourth dimension */
                               .cell = kinds & 8 ? cell : NULL,
                               .fourth = (kinds & 16) && (kinds & 12) != 4,
                               .told_frames = 5,
                               .fixed = kinds & 32 ? 4 : 0};
        check_kind(&kind, kind.cell ? right_box : no_box);
    }
}

static void frame_counts_of_the_head_are_ignored(void)
{
    static const uint32_t told[] = {0, 1, 4, 6, 1000000, 0xffffffffu};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        check_kind(&(dcd_kind){.marker = 4, .told_frames = told[i]}, no_box);
}

/* The file has five frames. Counts that no file can have are those of programs that do not know it. */
static void a_head_that_promises_more_frames_gets_a_remark(void)
{
    static const struct {
        uint32_t told;
        const char *remark;
    } cases[] = {{0, NULL},
                 {4, NULL},
                 {5, NULL},
                 {6, "kind.dcd: its head promises 6 frames, but only 5 are there"},
                 {0xffffffffu, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_frames *made = make_frames(ATOMS, 5, 3, 0.1, 23), *got;
        qn_trajectory_stream *stream;
        const char *path = write_kind(&(dcd_kind){.marker = 4, .told_frames = cases[i].told}, made);
        if (CHECK_OK(qn_trajectory_stream_open(path, ATOMS, &stream))) {
            CHECK_OK(read_frames(stream, &got));
            const char *remark = qn_trajectory_stream_remark(stream);
            CHECK(cases[i].remark ? remark && strstr(remark, cases[i].remark) : !remark);
            free_frames(got);
            qn_trajectory_stream_close(&stream);
        }
        free_frames(made);
    }
}

/* One triclinic cell as angles and as cosines, and another cell as a symmetric matrix. The triclinic box, computed by
 * hand: lengths 3, 4 and 5, all angles 60°, so that c = 5 (½, (½ − ¼)/sin 60°, …). */
static void cell_conventions_are_distinguished(void)
{
    static const double angles[6] = {30, 60, 40, 60, 60, 50}, cosines[6] = {30, 0.5, 40, 0.5, 0.5, 50},
                        right_cosines[6] = {30, 0, 40, 0, 0, 50}, matrix[6] = {30, 5, 40, -3, 2, 50}, nothing[6] = {0};
    const double y = 0.25 / (sqrt(3) / 2);
    const double triclinic[9] = {3, 0, 0, 2, 2 * sqrt(3), 0, 2.5, 5 * y, 5 * sqrt(0.75 - y * y)};
    static const double symmetric[9] = {3, 0.5, -0.3, 0.5, 4, 0.2, -0.3, 0.2, 5};
    check_kind(&(dcd_kind){.marker = 4, .cell = angles}, triclinic);
    check_kind(&(dcd_kind){.marker = 4, .cell = cosines}, triclinic);
    check_kind(&(dcd_kind){.marker = 4, .cell = right_cosines}, right_box);
    check_kind(&(dcd_kind){.marker = 4, .cell = matrix}, symmetric);
    check_kind(&(dcd_kind){.marker = 4, .cell = nothing}, no_box);
}

static void skipping_keeps_fixed_atoms(void)
{
    for (uint32_t fixed = 0; fixed <= 4; fixed += 4) {
        made_frames *made = make_frames(ATOMS, 5, 3, 0.1, 23), *got;
        char *path = write_kind(&(dcd_kind){.marker = 4, .fixed = fixed}, made);
        for (uint64_t skip = 0; skip <= 6; skip++) {
            qn_trajectory_stream *stream;
            uint64_t skipped;
            if (!CHECK_OK(qn_trajectory_stream_open(path, ATOMS, &stream))) continue;
            CHECK_OK(qn_trajectory_stream_skip(stream, skip, &skipped));
            CHECK(skipped == (skip < 5 ? skip : 5));
            CHECK_OK(read_frames(stream, &got));
            CHECK(got->count == 5 - skipped);
            for (size_t f = 0; f < got->count; f++) {
                CHECK(got->frames[f].number == f + skip);
                CHECK_NEAR(largest_difference(&got->frames[f], &made->frames[f + skip]), 0, ldexp(3.1, -22));
            }
            free_frames(got);
            qn_trajectory_stream_close(&stream);
        }
        free_frames(made);
    }
}

/* Read the file with four bytes at `at` replaced. */
static qn_status read_with(const char *path, size_t at, uint32_t value, size_t atoms)
{
    char *data, *changed = scratch_path("changed.dcd");
    size_t size;
    made_frames *got;
    CHECK_OK(qn_file_read(path, &data, &size));
    memcpy(data + at, &value, 4);
    CHECK_OK(qn_file_write(changed, data, size));
    qn_status status = read_made(changed, atoms, &got, NULL);
    free_frames(got);
    qn_release(&data);
    return status;
}

/* Byte offsets: the head's record 0 … 92, titles 92 … 264, atoms 264 … 276, free atoms 276 … 296, then frames. */
static void hostile_files_are_refused(void)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *message;
    } cases[] = {{88, 83, "the record of its head at byte 0 has 84 bytes, and 83 at its end"},
                 {40, 7, "says that 7 of its 7 atoms are fixed"},
                 {40, 0xffffffffu, "atoms are fixed"},
                 {92, 0x7fffffff, "the record of titles at byte 92"},
                 {264, 8, "the record of the number of atoms at byte 264 has 8 bytes; expected 4 to 4"},
                 {268, 0, "says that it has 0 atoms"},
                 {268, 0xffffffffu, "says that it has 4294967295 atoms"},
                 {276, 16, "the record of free atoms"},
                 {280, 0, "lists atom 0 as free; expected 1 to 7"},
                 {280, 8, "lists atom 8 as free; expected 1 to 7"},
                 {296, 24, "frame 0 has a record of 24 bytes at byte 296; expected 28"},
                 {328, 24, "frame 0 has a record of 24 bytes at byte 328; expected 28"}};
    made_frames *made = make_frames(ATOMS, 5, 3, 0.1, 23);
    char *path = write_kind(&(dcd_kind){.marker = 4, .fixed = 4}, made);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(read_with(path, cases[i].at, cases[i].value, 0), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("changed.dcd: ");
        CHECK_MESSAGE_HAS(cases[i].message);
    }
    CHECK_FAILS(read_with(path, 88, 84, 9), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has 7 atoms; expected 9");
    memcpy(made->frames[0].box_nm, no_box, sizeof no_box);
    CHECK_FAILS(read_with(write_kind(&(dcd_kind){.marker = 4, .mark = "VELD"}, made), 88, 84, 0), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("holds velocities");
    static const double flat[6] = {30, 50, 40, 50, 170, 50}; /* no cell has such angles */
    CHECK_FAILS(read_with(write_kind(&(dcd_kind){.marker = 4, .cell = flat}, made), 88, 84, 0), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("frame 0 at byte");
    free_frames(made);
}

static void frames_agree_with_the_reference(void)
{
    check_against_onebody("trajectory/adk_dims/adk_dims.dcd", "trajectory/adk_dims/ref/onebody.json", 1e-7);
}

int main(void)
{
    RUN(every_variant_is_read);
    RUN(frame_counts_of_the_head_are_ignored);
    RUN(a_head_that_promises_more_frames_gets_a_remark);
    RUN(cell_conventions_are_distinguished);
    RUN(skipping_keeps_fixed_atoms);
    RUN(hostile_files_are_refused);
    RUN(frames_agree_with_the_reference);
    return check_finish();
}
