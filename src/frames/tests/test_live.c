/* labels: threads */
/* The live reader on simulations that the test imitates, some of which break the protocol.
 *
 * `test_frames_live serve FILE VERSION TROUBLE` imitates one for the tests of the command: it sends the frames of a
 * trajectory file every 100 steps of 2 fs, with trouble number TROUBLE of imd_server.h at frame 5. It prints its port,
 * then the actions of the client.
 */
#define _POSIX_C_SOURCE 200809L
#include "frames/live.h"

#include <math.h>
#include <pthread.h>
#include <quern/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "check.h"
#include "format/trajectory/trajectory_stream.h"
#include "frames/imd_packets.h"
#include "imd_server.h"

enum { ATOMS = 11, FRAMES = 7, STRIDE = 20 };

static float angstrom[FRAMES][ATOMS][3], boxes[FRAMES][9];

static void make_frames(void)
{
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int atom = 0; atom < ATOMS; atom++)
            for (int axis = 0; axis < 3; axis++)
                angstrom[frame][atom][axis] = (float)(frame * 100 + atom) + 0.25F * (float)axis - 3.5F;
        for (int i = 0; i < 9; i++) boxes[frame][i] = i % 4 == 0 ? 30.0F + (float)frame : 0.5F * (float)(i < 3);
    }
}

static imd_server_options simulation(int version)
{
    return (imd_server_options){.version = version,
                                .session = {true, true, true, true, false, true, true},
                                .energies = IMD_ENERGIES_BEFORE,
                                .atom_count = ATOMS,
                                .frames = FRAMES,
                                .positions_angstrom = &angstrom[0][0][0],
                                .box_angstrom = &boxes[0][0],
                                .step_stride = STRIDE,
                                .time_step_ps = 0.002,
                                .missing_frame = -1};
}

typedef struct live_visit {
    imd_server *server;
    char address[32];
    qn_live_options options;
    qn_live *live;
    float positions[3 * ATOMS];
    qn_trajectory_frame frame;
    bool end;
} live_visit;

static void begin(live_visit *visit, const imd_server_options *played)
{
    *visit = (live_visit){.options = qn_live_default_options()};
    visit->server = imd_server_start(played);
    snprintf(visit->address, sizeof visit->address, "127.0.0.1:%d", imd_server_port(visit->server));
    visit->options.address = visit->address;
    visit->options.atom_count = ATOMS;
    visit->options.timeout_s = 10;
    for (int i = 0; i < 9; i += 4) visit->options.box_nm[i] = 2.5;
    visit->frame.positions_nm = visit->positions;
}

static qn_status next(live_visit *visit)
{
    return qn_live_read(visit->live, &visit->frame, &visit->end);
}

/* Check that frame `number` of the connection is frame `sent` of the simulation, in nm in single precision. */
static void check_frame(const live_visit *visit, int number, int sent)
{
    double worst = 0;
    for (int i = 0; i < 3 * ATOMS; i++)
        worst = fmax(worst, fabs((double)visit->positions[i] - 0.1 * (double)(&angstrom[sent][0][0])[i]));
    CHECK_NEAR(worst, 0, 1e-5); /* coordinates up to 60 nm round by 2^-24 · 60 nm */
    CHECK(visit->frame.number == (uint64_t)number);
    CHECK(visit->frame.atom_count == ATOMS);
}

static void check_box(const live_visit *visit, const float *expected_angstrom, double fallback_nm)
{
    for (int i = 0; i < 9; i++) {
        const double expected = expected_angstrom ? 0.1 * (double)expected_angstrom[i] : i % 4 == 0 ? fallback_nm : 0;
        CHECK_NEAR(visit->frame.box_nm[i], expected, 1e-9);
    }
}

static void packets_are_decoded_from_bytes(void)
{
    qn_imd_speech speech;
    unsigned char bytes[8];
    CHECK_OK(qn_imd_handshake_read((const unsigned char *)"\0\0\0\4\2\0\0\0", &speech));
    CHECK(speech.version == 2 && !speech.big_endian);
    CHECK_OK(qn_imd_handshake_read((const unsigned char *)"\0\0\0\4\0\0\0\3", &speech));
    CHECK(speech.version == 3 && speech.big_endian);
    CHECK_FAILS(qn_imd_handshake_read((const unsigned char *)"\0\0\0\4\1\0\0\0", &speech), QN_UNSUPPORTED);
    CHECK_FAILS(qn_imd_handshake_read((const unsigned char *)"\0\0\0\4\1\2\3\4", &speech), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("0x01020304");
    CHECK_FAILS(qn_imd_handshake_read((const unsigned char *)"\4\0\0\0\2\0\0\0", &speech), QN_BAD_FORMAT);
    qn_imd_header_write(QN_IMD_RATE, -2, bytes);
    CHECK(memcmp(bytes, "\0\0\0\10\377\377\377\376", 8) == 0);
    CHECK(qn_imd_header_read(bytes).type == 8 && qn_imd_header_read(bytes).length == -2);
    double time_ps;
    int64_t step;
    /* 0.5, 2, 258 as big-endian doubles and a long */
    const unsigned char body[24] = {0x3F, 0xE0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2};
    qn_imd_time_read(&(qn_imd_speech){3, true}, body, &time_ps, &step);
    CHECK(time_ps == 2 && step == 258);
}

static void version_2_is_read_in_either_byte_order_with_and_without_energies(void)
{
    for (int variant = 0; variant < 6; variant++) {
        live_visit visit;
        imd_server_options options = simulation(2);
        options.big_endian = variant % 2;
        options.energies = (imd_energies)(variant / 2);
        options.says_goodbye = variant == 3;
        begin(&visit, &options);
        if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
        for (int frame = 0; frame < FRAMES; frame++) {
            if (!CHECK_OK(next(&visit)) || !CHECK(!visit.end)) break;
            check_frame(&visit, frame, frame);
            check_box(&visit, NULL, 2.5);
            CHECK(visit.frame.step == (options.energies == IMD_ENERGIES_NONE ? -1 : frame * STRIDE));
            CHECK(isnan(visit.frame.time_ps));
        }
        CHECK_OK(next(&visit));
        CHECK(visit.end);
        qn_live_facts facts;
        qn_live_facts_of(visit.live, &facts);
        CHECK(facts.version == 2 && facts.received == FRAMES && facts.dropped == 0);
        CHECK_TEXT(facts.ending, "the simulation ended the connection after 7 frames");
        qn_live_close(&visit.live);
        const imd_server_record record = imd_server_finish(&visit.server);
        CHECK(record.went && record.orderly && record.rate == 0);
    }
}

static void version_3_is_read_in_either_byte_order_with_all_sets_of_packets(void)
{
    for (int variant = 0; variant < 64; variant++) {
        live_visit visit;
        imd_server_options options = simulation(3);
        options.big_endian = variant & 1;
        const bool time = variant & 2, energies = variant & 4, box = variant & 8;
        memcpy(options.session, (bool[7]){time, energies, box, true, false, variant & 16, variant & 32}, 7);
        begin(&visit, &options);
        if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
        for (int frame = 0; frame < FRAMES; frame++) {
            if (!CHECK_OK(next(&visit)) || !CHECK(!visit.end)) break;
            check_frame(&visit, frame, frame);
            check_box(&visit, box ? boxes[frame] : NULL, 2.5);
            CHECK(visit.frame.step == (time || energies ? frame * STRIDE : -1));
            if (time)
                CHECK_NEAR(visit.frame.time_ps, 0.002 * frame * STRIDE, 1e-12);
            else
                CHECK(isnan(visit.frame.time_ps));
        }
        CHECK_OK(next(&visit));
        CHECK(visit.end);
        qn_live_close(&visit.live);
        CHECK(imd_server_finish(&visit.server).went);
    }
}

static void packets_that_arrive_in_pieces_are_joined(void)
{
    for (int version = 2; version <= 3; version++) {
        live_visit visit;
        imd_server_options options = simulation(version);
        options.piece_bytes = 5;
        begin(&visit, &options);
        if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
        for (int frame = 0; frame < FRAMES; frame++) {
            if (!CHECK_OK(next(&visit)) || !CHECK(!visit.end)) break;
            check_frame(&visit, frame, frame);
        }
        qn_live_close(&visit.live);
        imd_server_finish(&visit.server);
    }
}

/* The simulation sends more frames than the ring holds, and is faster than the reader. */
static void a_slow_reader_pauses_the_simulation_and_loses_no_frame(void)
{
    enum { MANY = 300 };
    float *many = calloc((size_t)MANY * ATOMS * 3, sizeof *many);
    for (int version = 2; many && version <= 3; version++) {
        live_visit visit;
        imd_server_options options = simulation(version);
        for (int i = 0; i < MANY; i++) many[i * ATOMS * 3] = (float)(10 * i);
        options.positions_angstrom = many;
        options.box_angstrom = NULL;
        options.frames = MANY;
        begin(&visit, &options);
        visit.options.ring_frames = 4;
        if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
        int wrong = 0;
        for (int frame = 0; frame < MANY; frame++) {
            if (frame % 10 == 0) nanosleep(&(struct timespec){0, 3000000}, NULL);
            if (!CHECK_OK(next(&visit)) || !CHECK(!visit.end)) break;
            wrong += fabs((double)visit.positions[0] - frame) > 1e-4;
        }
        CHECK(wrong == 0);
        CHECK_OK(next(&visit));
        CHECK(visit.end);
        qn_live_facts facts;
        qn_live_facts_of(visit.live, &facts);
        CHECK(facts.received == MANY && facts.dropped == 0);
        CHECK(facts.pauses > 0);
        qn_live_close(&visit.live);
        const imd_server_record record = imd_server_finish(&visit.server);
        CHECK(record.orderly);
        CHECK(record.frames_sent == MANY);
        /* the last request to pause may arrive after the last frame was sent */
        CHECK(record.pauses >= (int)facts.pauses - 1 && record.resumes >= record.pauses - 1);
    }
    free(many);
}

static void silence_during_a_pause_is_not_a_timeout(void)
{
    live_visit visit;
    imd_server_options options = simulation(3);
    options.delay_ms = 50; /* so that the pause arrives before all frames are sent */
    begin(&visit, &options);
    visit.options.ring_frames = 2;
    visit.options.timeout_s = 0.5;
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    nanosleep(&(struct timespec){1, 200000000}, NULL);
    for (int frame = 0; frame < FRAMES; frame++)
        if (CHECK_OK(next(&visit)) && CHECK(!visit.end)) check_frame(&visit, frame, frame);
    qn_live_close(&visit.live);
    imd_server_finish(&visit.server);
}

static void missing_frames_are_counted(void)
{
    live_visit visit;
    imd_server_options options = simulation(3);
    options.missing_frame = 4;
    begin(&visit, &options);
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    for (int frame = 0; frame < FRAMES - 1; frame++)
        if (CHECK_OK(next(&visit)) && CHECK(!visit.end)) check_frame(&visit, frame, frame < 4 ? frame : frame + 1);
    CHECK_OK(next(&visit));
    CHECK(visit.end);
    qn_live_facts facts;
    qn_live_facts_of(visit.live, &facts);
    CHECK(facts.received == FRAMES - 1 && facts.dropped == 1);
    qn_live_close(&visit.live);
    imd_server_finish(&visit.server);
}

/* Version 2 with energies after the coordinates: a frame waits for its step, from which its time is computed. */
static void times_are_computed_from_steps(void)
{
    live_visit visit;
    imd_server_options options = simulation(2);
    options.energies = IMD_ENERGIES_AFTER;
    begin(&visit, &options);
    visit.options.step_ps = 0.004;
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    for (int frame = 0; frame < FRAMES; frame++)
        if (CHECK_OK(next(&visit))) CHECK_NEAR(visit.frame.time_ps, 0.004 * frame * STRIDE, 1e-12);
    qn_live_close(&visit.live);
    imd_server_finish(&visit.server);
}

static void the_rate_is_requested(void)
{
    live_visit visit;
    imd_server_options options = simulation(2);
    options.delay_ms = 20;
    begin(&visit, &options);
    visit.options.every = 50;
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    while (next(&visit) == QN_OK && !visit.end) continue;
    qn_live_close(&visit.live);
    CHECK(imd_server_finish(&visit.server).rate == 50);
}

/* Frame 3 is invalid: the three frames before it are read, then each read returns the error. */
static void broken_packets_are_refused_with_frame_and_reason(void)
{
    static const struct {
        int version;
        imd_trouble trouble;
        const char *message;
    } cases[] = {{2, IMD_UNKNOWN_TYPE, "type 99 (unknown)"},
                 {2, IMD_MORE_ATOMS, "coordinates of 12 atoms came; expected 11"},
                 {2, IMD_NEGATIVE_ATOMS, "coordinates of -1 atoms came; expected 11"},
                 {2, IMD_NOT_FINITE, "coordinate y of atom 1 is"},
                 {2, IMD_LONG_BLOCK, "type 1 (energies) has length 2; expected 1"},
                 {3, IMD_UNKNOWN_TYPE, "type 99 (unknown)"},
                 {3, IMD_MORE_ATOMS, "coordinates of 12 atoms came; expected 11"},
                 {3, IMD_NOT_FINITE, "coordinate y of atom 1 is"},
                 {3, IMD_LONG_BLOCK, "type 12 (time) has length 2; expected 1"},
                 {3, IMD_OUT_OF_ORDER, "type 2 (coordinates) came; expected type 12 (time), as announced"},
                 {3, IMD_LEFT_OUT, "type 2 (coordinates) came; expected type 13 (box), as announced"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        live_visit visit;
        imd_server_options options = simulation(cases[i].version);
        options.trouble = cases[i].trouble;
        options.trouble_frame = 3;
        begin(&visit, &options);
        if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
        for (int frame = 0; frame < 3; frame++)
            if (CHECK_OK(next(&visit)) && CHECK(!visit.end)) check_frame(&visit, frame, frame);
        for (int again = 0; again < 2; again++) {
            CHECK_FAILS(next(&visit), QN_BAD_FORMAT);
            CHECK(!visit.end);
            CHECK_MESSAGE_HAS(visit.address);
            CHECK_MESSAGE_HAS(": frame 3: ");
            CHECK_MESSAGE_HAS(cases[i].message);
        }
        qn_live_close(&visit.live);
        imd_server_finish(&visit.server);
    }
}

static void a_cut_connection_ends_after_the_received_frames(void)
{
    static const struct {
        int version;
        imd_trouble trouble;
        const char *ending;
    } cases[] = {{2, IMD_CUT, "cut inside frame 3 (from 0); the 3 frames before it were read"},
                 {2, IMD_CUT_HEADER, "cut inside frame 3 (from 0); the 3 frames before it were read"},
                 {2, IMD_SILENCE, "nothing came for 0.7 s; 3 frames had been read"},
                 {3, IMD_CUT, "cut inside frame 3 (from 0); the 3 frames before it were read"},
                 {3, IMD_SILENCE, "nothing came for 0.7 s; 3 frames had been read"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        live_visit visit;
        imd_server_options options = simulation(cases[i].version);
        options.trouble = cases[i].trouble;
        options.trouble_frame = 3;
        begin(&visit, &options);
        visit.options.timeout_s = 0.7;
        if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
        for (int frame = 0; frame < 3; frame++)
            if (CHECK_OK(next(&visit)) && CHECK(!visit.end)) check_frame(&visit, frame, frame);
        CHECK_OK(next(&visit));
        CHECK(visit.end);
        qn_live_facts facts;
        qn_live_facts_of(visit.live, &facts);
        CHECK(facts.received == 3);
        if (!CHECK(strstr(facts.ending, cases[i].ending) != NULL)) printf("ending: %s\n", facts.ending);
        qn_live_close(&visit.live);
        imd_server_finish(&visit.server);
    }
}

/* A reset may discard frames that were sent before it. The received frames are read, and there is no error. */
static void a_reset_ends_the_frames_without_an_error(void)
{
    live_visit visit;
    imd_server_options options = simulation(2);
    options.trouble = IMD_RESET;
    options.trouble_frame = 3;
    begin(&visit, &options);
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    int frames = 0;
    qn_status status;
    while ((status = next(&visit)) == QN_OK && !visit.end) check_frame(&visit, frames, frames), frames++;
    CHECK_OK(status);
    CHECK(frames <= 3);
    qn_live_close(&visit.live);
    imd_server_finish(&visit.server);
}

static void invalid_greetings_are_refused(void)
{
    static const struct {
        int version;
        imd_trouble trouble;
        qn_status status;
        const char *message;
    } cases[] = {{2, IMD_NOT_IMD, QN_BAD_FORMAT, "the first packet is of type 1213486160"},
                 {2, IMD_WRONG_VERSION, QN_UNSUPPORTED, "IMD version 4; expected 2 or 3"},
                 {2, IMD_NO_GREETING, QN_IO_ERROR, "stayed silent before a handshake came"},
                 {3, IMD_SESSION_LENGTH, QN_BAD_FORMAT, "type 10 (session info) and length 6; expected type 10"},
                 {3, IMD_SESSION_MISSING, QN_BAD_FORMAT, "type 2 (coordinates)"},
                 {3, IMD_SESSION_FLAG, QN_BAD_FORMAT, "flag \"velocities\" is 7; expected 0 or 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        live_visit visit;
        imd_server_options options = simulation(cases[i].version);
        options.trouble = cases[i].trouble;
        begin(&visit, &options);
        visit.options.timeout_s = 0.6;
        CHECK_FAILS(qn_live_open(NULL, &visit.options, &visit.live), cases[i].status);
        CHECK(visit.live == NULL);
        CHECK_MESSAGE_HAS(visit.address);
        CHECK_MESSAGE_HAS(cases[i].message);
        imd_server_finish(&visit.server);
    }
    live_visit visit;
    imd_server_options options = simulation(3);
    options.session[3] = false;
    begin(&visit, &options);
    CHECK_FAILS(qn_live_open(NULL, &visit.options, &visit.live), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("no coordinates");
    imd_server_finish(&visit.server);
}

static void a_late_simulation_is_awaited(void)
{
    live_visit visit;
    imd_server_options options = simulation(2);
    options.listen_ms = 1300;
    begin(&visit, &options);
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    CHECK_OK(next(&visit));
    check_frame(&visit, 0, 0);
    qn_live_close(&visit.live);
    CHECK(imd_server_finish(&visit.server).went);
    /* the server has ended, so that there is no answer at its port */
    const double before_s = qn_clock_s();
    visit.options.timeout_s = 0.4;
    CHECK_FAILS(qn_live_open(NULL, &visit.options, &visit.live), QN_IO_ERROR);
    CHECK_MESSAGE_HAS("no simulation answered within 0.4 s");
    CHECK(qn_clock_s() - before_s < 5);
}

/* Nothing listens at the default port, or something that is no simulation: it is named in any case. */
static void the_default_port_is_named(void)
{
    const qn_live_options options = {.address = "127.0.0.1", .timeout_s = 0.1};
    qn_live *live;
    if (!CHECK(qn_live_open(NULL, &options, &live) != QN_OK)) return;
    CHECK(strncmp(qn_error_message(), "127.0.0.1", 9) == 0);
    if (strstr(qn_error_message(), "no simulation answered")) CHECK_MESSAGE_HAS("127.0.0.1:8888: no simulation");
}

static void invalid_addresses_are_refused(void)
{
    static const struct {
        const char *address, *message;
        qn_status status;
    } cases[] = {{"", "is empty", QN_INVALID_ARGUMENT},
                 {":8888", "has no host", QN_INVALID_ARGUMENT},
                 {"localhost:", "has no port", QN_INVALID_ARGUMENT},
                 {"localhost:imd", "has no port", QN_INVALID_ARGUMENT},
                 {"localhost:65536", "has no port", QN_INVALID_ARGUMENT},
                 {"localhost:-1", "has no port", QN_INVALID_ARGUMENT},
                 {"localhost:00000000008888x", "has no port", QN_INVALID_ARGUMENT},
                 {"[::1", "lacks a closing bracket", QN_INVALID_ARGUMENT},
                 {"[::1]8888", "has text after its bracket", QN_INVALID_ARGUMENT},
                 {"no.such.host.invalid:8888", "is not known", QN_NOT_FOUND}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_live *live;
        qn_live_options options = qn_live_default_options();
        options.address = cases[i].address;
        options.atom_count = ATOMS;
        options.timeout_s = 0.2;
        CHECK_FAILS(qn_live_open(NULL, &options, &live), cases[i].status);
        CHECK_MESSAGE_HAS(cases[i].message);
    }
}

static void *stop_soon(void *live)
{
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    qn_live_stop(live);
    return NULL;
}

static void a_waiting_reader_can_be_stopped(void)
{
    live_visit visit;
    pthread_t stopper;
    imd_server_options options = simulation(3);
    options.trouble = IMD_SILENCE;
    options.trouble_frame = 1;
    begin(&visit, &options);
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    CHECK_OK(next(&visit));
    const double before_s = qn_clock_s();
    pthread_create(&stopper, NULL, stop_soon, visit.live);
    CHECK_OK(next(&visit));
    CHECK(visit.end);
    CHECK(qn_clock_s() - before_s < 5);
    pthread_join(stopper, NULL);
    qn_live_facts facts;
    qn_live_facts_of(visit.live, &facts);
    CHECK_TEXT(facts.ending, "reading was stopped after 1 frame");
    qn_live_close(&visit.live);
    CHECK(imd_server_finish(&visit.server).left);
}

/* No frame is read, so the ring fills up and the simulation pauses. The client resumes it before it disconnects. */
static void a_client_resumes_the_simulation_before_it_disconnects(void)
{
    for (int version = 2; version <= 3; version++) {
        live_visit visit;
        imd_server_options options = simulation(version);
        options.delay_ms = 30;
        begin(&visit, &options);
        visit.options.ring_frames = 2;
        if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
        nanosleep(&(struct timespec){0, 400000000}, NULL);
        qn_live_close(&visit.live);
        const imd_server_record record = imd_server_finish(&visit.server);
        CHECK(record.pauses == 1 && record.resumes == 1);
        CHECK(record.orderly && record.left);
        CHECK(record.frames_sent < FRAMES);
    }
}

/* ---- for the command ---- */

typedef struct played_file {
    float *positions_angstrom, *boxes_angstrom;
    size_t atom_count;
    int frames;
} played_file;

static qn_status append_frame(played_file *played, const qn_trajectory_frame *frame)
{
    const size_t numbers = 3 * played->atom_count, number = (size_t)played->frames++;
    played->positions_angstrom = realloc(played->positions_angstrom, (number + 1) * numbers * sizeof(float));
    played->boxes_angstrom = realloc(played->boxes_angstrom, (number + 1) * 9 * sizeof(float));
    for (size_t i = 0; i < numbers; i++) played->positions_angstrom[number * numbers + i] = 10 * frame->positions_nm[i];
    for (size_t i = 0; i < 9; i++) played->boxes_angstrom[number * 9 + i] = (float)(10 * frame->box_nm[i]);
    return QN_OK;
}

static qn_status read_file(const char *path, played_file *played)
{
    qn_trajectory_stream *stream;
    qn_trajectory_frame frame = {0};
    qn_frame_bytes bytes = {0};
    bool end = false;
    qn_status status = qn_trajectory_stream_open(path, 0, &stream);
    while (status == QN_OK && (status = qn_trajectory_stream_read(stream, &bytes, &end)) == QN_OK && !end) {
        played->atom_count = qn_trajectory_stream_atom_count(stream);
        if (!frame.positions_nm) frame.positions_nm = calloc(3 * played->atom_count, sizeof(float));
        status = qn_trajectory_stream_decode(stream, &bytes, &frame);
        if (status == QN_OK) status = append_frame(played, &frame);
    }
    free(frame.positions_nm);
    qn_frame_bytes_clear(&bytes);
    qn_trajectory_stream_close(&stream);
    return status;
}

static int serve(const char *path, int version, int trouble)
{
    played_file played = {0};
    if (read_file(path, &played) != QN_OK) {
        printf("%s\n", qn_error_message());
        return 1;
    }
    imd_server_options options = simulation(version);
    options.atom_count = played.atom_count;
    options.frames = played.frames;
    options.positions_angstrom = played.positions_angstrom;
    options.box_angstrom = played.boxes_angstrom;
    options.step_stride = 100;
    options.trouble = (imd_trouble)trouble;
    options.trouble_frame = 5;
    imd_server *server = imd_server_start(&options);
    printf("%d\n", imd_server_port(server));
    fflush(stdout);
    const imd_server_record record = imd_server_finish(&server);
    printf("sent %d, rate %d, pauses %d, resumes %d, %s\n", record.frames_sent, record.rate, record.pauses,
           record.resumes, record.left ? "left" : "gone");
    free(played.positions_angstrom);
    free(played.boxes_angstrom);
    return 0;
}

/* No simulation listens, and the request to stop comes half a second after the wait began. The process keeps the
 * request, so this test is the last. */
static void *ask_to_stop(void *unused)
{
    nanosleep(&(struct timespec){0, 500000000}, NULL);
    qn_file_stop_waiting();
    return unused;
}

static void a_request_to_stop_ends_the_wait_for_a_simulation(void)
{
    live_visit visit;
    imd_server_options options = simulation(2);
    pthread_t asker;
    begin(&visit, &options);
    if (!CHECK_OK(qn_live_open(NULL, &visit.options, &visit.live))) return;
    qn_live_close(&visit.live);
    imd_server_finish(&visit.server); /* there is no answer at its port any more */
    const double before_s = qn_clock_s();
    visit.options.timeout_s = 30;
    if (!CHECK(pthread_create(&asker, NULL, ask_to_stop, NULL) == 0)) return;
    CHECK_FAILS(qn_live_open(NULL, &visit.options, &visit.live), QN_CANCELLED);
    pthread_join(asker, NULL);
    CHECK_MESSAGE_HAS("stopped while waiting for a simulation");
    CHECK(qn_clock_s() - before_s < 5);
}

int main(int count, char **arguments)
{
    if (count == 5 && strcmp(arguments[1], "serve") == 0)
        return serve(arguments[2], atoi(arguments[3]), atoi(arguments[4]));
    make_frames();
    RUN(packets_are_decoded_from_bytes);
    RUN(version_2_is_read_in_either_byte_order_with_and_without_energies);
    RUN(version_3_is_read_in_either_byte_order_with_all_sets_of_packets);
    RUN(packets_that_arrive_in_pieces_are_joined);
    RUN(a_slow_reader_pauses_the_simulation_and_loses_no_frame);
    RUN(silence_during_a_pause_is_not_a_timeout);
    RUN(missing_frames_are_counted);
    RUN(times_are_computed_from_steps);
    RUN(the_rate_is_requested);
    RUN(broken_packets_are_refused_with_frame_and_reason);
    RUN(a_cut_connection_ends_after_the_received_frames);
    RUN(a_reset_ends_the_frames_without_an_error);
    RUN(invalid_greetings_are_refused);
    RUN(a_late_simulation_is_awaited);
    RUN(the_default_port_is_named);
    RUN(invalid_addresses_are_refused);
    RUN(a_waiting_reader_can_be_stopped);
    RUN(a_client_resumes_the_simulation_before_it_disconnects);
    RUN(a_request_to_stop_ends_the_wait_for_a_simulation);
    return check_finish();
}
