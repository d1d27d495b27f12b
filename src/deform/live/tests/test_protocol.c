/* Frames byte by byte, streams in pieces of every size, and what is refused. */
#include "deform/live/protocol.h"

#include <jansson.h>
#include <math.h>
#include <quern/version.h>
#include <string.h>

#include "check.h"

static qn_hand_frame usual(uint64_t sequence)
{
    return (qn_hand_frame){
        .sequence = sequence, .time_s = 1.5, .place = {0.25, -2, 1}, .buttons = 0x01020304, .flags = QN_HAND_GRABS};
}

/* Bytes written out by hand: 1.5 is 3FF8…, 0.25 is 3FD0…, −2 is C000…, 1 is 3FF0…; −0.5 is BFE0…. */
static void frames_have_their_bytes(void)
{
    static const unsigned char hand[QN_FRAME_BYTES] = {
        'Q',  'H',  'P',  '1',  64, 0, 0, 0, 8,    7,    6, 5, 4, 3, 2, 1, 0, 0,    0, 0, 0, 0,
        0xF8, 0x3F, 0,    0,    0,  0, 0, 0, 0xD0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0,
        0,    0,    0xF0, 0x3F, 4,  3, 2, 1, 1,    0,    0, 0, 0, 0, 0, 0, 0, 0,    0, 0};
    static const unsigned char force[QN_FRAME_BYTES] = {
        'Q',  'H',  'F',  '1',  64, 0, 0, 0, 9,    0,    0, 0, 0,    0,    0, 0, 0,    0,    0, 0, 0, 0,
        0xF8, 0x3F, 0,    0,    0,  0, 0, 0, 0xE0, 0xBF, 0, 0, 0,    0,    0, 0, 0,    0xC0, 0, 0, 0, 0,
        0,    0,    0xF0, 0x3F, 11, 0, 0, 0, 0xC4, 9,    0, 0, 0xFF, 0xFF, 2, 0, 0x2C, 1,    0, 0};
    const qn_hand_frame hand_frame = usual(0x0102030405060708);
    const qn_force_frame force_frame = {9, 1.5, {-0.5, -2, 1}, 11, 2.5e-3, {-1, 2, 300}};
    unsigned char bytes[QN_FRAME_BYTES];
    qn_frame_stream stream = {0};
    qn_hand_frame read;
    qn_force_frame answer;
    bool is_complete;
    qn_hand_frame_write(&hand_frame, bytes);
    CHECK(memcmp(bytes, hand, sizeof hand) == 0);
    CHECK(qn_frame_stream_take(&stream, hand, sizeof hand, &read, &is_complete) == QN_FRAME_BYTES && is_complete);
    CHECK(read.sequence == 0x0102030405060708 && read.time_s == 1.5 && read.place[0] == 0.25 && read.place[1] == -2 &&
          read.place[2] == 1 && read.buttons == 0x01020304 && read.flags == 1 && !read.asks_for_shape);
    qn_force_frame_write(&force_frame, bytes);
    CHECK(memcmp(bytes, force, sizeof force) == 0);
    CHECK(qn_force_frame_read(force, &answer));
    CHECK(answer.sequence == 9 && answer.time_s == 1.5 && answer.force[0] == -0.5 && answer.force[2] == 1 &&
          answer.flags == 11 && answer.cell[0] == -1 && answer.cell[1] == 2 && answer.cell[2] == 300);
    CHECK_NEAR(answer.age_s, 2.5e-3, 1e-12);
    bytes[0] = 'q';
    CHECK(!qn_force_frame_read(bytes, &answer));
    const qn_force_frame old = {.age_s = 1e9}, early = {.age_s = -1};
    qn_force_frame_write(&old, bytes);
    CHECK(bytes[52] == 0xFF && bytes[55] == 0xFF);
    qn_force_frame_write(&early, bytes);
    CHECK(bytes[52] == 0 && bytes[55] == 0);
}

static void streams_come_in_any_pieces(void)
{
    unsigned char bytes[5 * QN_FRAME_BYTES];
    for (uint64_t i = 0; i < 5; i++) {
        const qn_hand_frame frame = usual(3 * i);
        qn_hand_frame_write(&frame, bytes + QN_FRAME_BYTES * i);
    }
    for (size_t piece = 1; piece <= sizeof bytes; piece++) {
        qn_frame_stream stream = {0};
        uint64_t count = 0;
        int wrong = 0;
        for (size_t begin = 0; begin < sizeof bytes; begin += piece) {
            const size_t size = sizeof bytes - begin < piece ? sizeof bytes - begin : piece;
            for (size_t at = 0; at < size;) {
                qn_hand_frame frame;
                bool is_complete;
                const size_t taken = qn_frame_stream_take(&stream, bytes + begin + at, size - at, &frame, &is_complete);
                wrong += taken == 0;
                if (taken == 0) break;
                at += taken;
                if (is_complete) wrong += frame.sequence != 3 * count++;
            }
        }
        if (!CHECK(wrong == 0 && count == 5)) break;
    }
}

/* Feed frames; returns the fault, and checks the sentence about it. */
static qn_frame_fault feed(const unsigned char *bytes, size_t size, const char *expected)
{
    qn_frame_stream stream = {0};
    qn_text sentence = {0};
    for (size_t at = 0; at < size;) {
        qn_hand_frame frame;
        bool is_complete;
        const size_t taken = qn_frame_stream_take(&stream, bytes + at, size - at, &frame, &is_complete);
        if (taken == 0) break;
        at += taken;
    }
    CHECK_OK(qn_frame_stream_explain(&stream, &sentence));
    CHECK_TEXT(sentence.data, expected);
    qn_text_clear(&sentence);
    return stream.fault;
}

static void broken_frames_are_explained(void)
{
    unsigned char bytes[2 * QN_FRAME_BYTES];
    const qn_hand_frame first = usual(7), shape = {.asks_for_shape = true};
    qn_hand_frame second = usual(8);
    CHECK(feed((const unsigned char *)"GET / HTTP/1.1", 14,
               "a frame begins with the bytes 47 45 54 20; expected 51 48 50 31 (QHP1) of a hand or 51 48 53 31 (QHS1) "
               "for the shape") == QN_FRAME_MAGIC);
    CHECK(feed((const unsigned char *)"Qx", 2,
               "a frame begins with the bytes 51 78; expected 51 48 50 31 (QHP1) of a hand or 51 48 53 31 (QHS1) for "
               "the shape") == QN_FRAME_MAGIC);
    qn_hand_frame_write(&first, bytes);
    qn_hand_frame_write(&second, bytes + QN_FRAME_BYTES);
    CHECK(feed(bytes, sizeof bytes, "the frames are sound") == QN_FRAME_SOUND);
    bytes[QN_FRAME_BYTES + 5] = 1;
    CHECK(feed(bytes, QN_FRAME_BYTES + 8, "a frame states a size of 320 bytes; expected 64") == QN_FRAME_SIZE);
    for (int number = 0; number < 4; number++) {
        second = usual(8);
        *(number == 0 ? &second.time_s : &second.place[number - 1]) = number % 2 ? NAN : INFINITY;
        qn_hand_frame_write(&second, bytes + QN_FRAME_BYTES);
        CHECK(feed(bytes, sizeof bytes, "frame 8 has a time or place that is not finite; expected s and m") ==
              QN_FRAME_NUMBER);
    }
    second = usual(7);
    qn_hand_frame_write(&second, bytes + QN_FRAME_BYTES);
    CHECK(feed(bytes, sizeof bytes, "frame 7 follows frame 7; expected numbers that rise") == QN_FRAME_SEQUENCE);
    qn_hand_frame_write(&shape, bytes + QN_FRAME_BYTES);
    CHECK(feed(bytes, sizeof bytes, "a hand asks for the shape; expected a second connection for it") ==
          QN_FRAME_SHAPE);
    CHECK(feed(bytes + QN_FRAME_BYTES, QN_FRAME_BYTES, "the frames are sound") == QN_FRAME_SOUND);
}

static void lines_are_json(void)
{
    const qn_grid grid = {.step = 0.01, .least = {-3, -2, 0}, .most = {3, 2, 1}};
    qn_text line = {0};
    double least[3], most[3], step, rate_hz;
    int protocol, frame_bytes;
    const char *version, *error;
    json_int_t nodes;
    CHECK_OK(qn_protocol_greeting(1000, 1779, &grid, &line));
    CHECK(line.data[line.length - 1] == '\n' && strchr(line.data, '\n') == line.data + line.length - 1);
    json_t *json = json_loads(line.data, 0, NULL);
    CHECK(json_unpack(json, "{s:s, s:i, s:i, s:F, s:I, s:{s:[F,F,F], s:[F,F,F], s:F}}", "quern", &version, "protocol",
                      &protocol, "frame_bytes", &frame_bytes, "rate_hz", &rate_hz, "nodes", &nodes, "workspace_m",
                      "least", &least[0], &least[1], &least[2], "most", &most[0], &most[1], &most[2], "step",
                      &step) == 0);
    CHECK(protocol == 1 && frame_bytes == 64 && rate_hz == 1000 && nodes == 1779 && step == 0.01);
    CHECK(least[0] == -0.03 && least[1] == -0.02 && least[2] == 0 && most[0] == 0.03 && most[2] == 0.01);
    CHECK_TEXT(version, qn_version());
    json_decref(json);
    qn_text_clear(&line);
    CHECK_OK(qn_protocol_refusal("a \"sentence\"", &line));
    CHECK_TEXT(line.data, "{\"error\":\"a \\\"sentence\\\"\"}\n");
    json = json_loads(line.data, 0, NULL);
    CHECK(json_unpack(json, "{s:s}", "error", &error) == 0);
    json_decref(json);
    qn_text_clear(&line);
}

int main(void)
{
    RUN(frames_have_their_bytes);
    RUN(streams_come_in_any_pieces);
    RUN(broken_frames_are_explained);
    RUN(lines_are_json);
    return check_finish();
}
