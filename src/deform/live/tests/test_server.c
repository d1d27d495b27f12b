/* labels: threads */
/* The server with clients of plain sockets: a hand that feels, what is refused and how, hands that stall or vanish, and
 * the shape for a second connection. The loop runs in real time, so the test waits for what it expects, up to 10 s, and
 * states no times of its own except those of the protocol. */
#define _POSIX_C_SOURCE 200809L

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "check.h"
#include "deform/live/listen.h"
#include "deform/live/protocol.h"
#include "deform/live/tests/service.h"

/* ---- clients ---- */

static int connect_to(const service *of, const char *path)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un file = {.sun_family = AF_UNIX};
    const int made = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    place.sin_port = htons((uint16_t)qn_server_port(of->server));
    if (path) snprintf(file.sun_path, sizeof file.sun_path, "%s", path);
    const int failed = path ? connect(made, (struct sockaddr *)&file, sizeof file)
                            : connect(made, (struct sockaddr *)&place, sizeof place);
    CHECK(made >= 0 && failed == 0);
    return made;
}

/* Receive exactly `size` bytes; false when the connection ends before or 10 s pass. */
static bool receive(int descriptor, void *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
        if (poll(&wanted, 1, 10000) <= 0) return false;
        const ssize_t got = recv(descriptor, (char *)data + done, size - done, 0);
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

/* Receive a line without its end; "" when there is none. `begun`: its first byte has come already. */
static const char *receive_line(int descriptor, char begun)
{
    static char line[1024];
    size_t length = 0;
    if (begun) line[length++] = begun;
    while (length + 1 < sizeof line && receive(descriptor, line + length, 1) && line[length] != '\n') length++;
    line[length] = '\0';
    return line;
}

static void send_hand(int descriptor, uint64_t sequence, const double place[3], uint32_t flags)
{
    qn_hand_frame frame = {.sequence = sequence, .time_s = 1e-3 * (double)sequence, .flags = flags};
    unsigned char bytes[QN_FRAME_BYTES];
    memcpy(frame.place, place, sizeof frame.place);
    qn_hand_frame_write(&frame, bytes);
    CHECK(send(descriptor, bytes, sizeof bytes, MSG_NOSIGNAL) == QN_FRAME_BYTES);
}

/* The next force; false and the server's line in `line` when it dismisses the hand. */
static bool receive_force(int descriptor, qn_force_frame *frame, const char **line)
{
    unsigned char bytes[QN_FRAME_BYTES];
    *line = "";
    if (!receive(descriptor, bytes, 1)) return false;
    if (bytes[0] == '{') {
        *line = receive_line(descriptor, '{');
        return false;
    }
    return receive(descriptor, bytes + 1, sizeof bytes - 1) && CHECK(qn_force_frame_read(bytes, frame));
}

static bool has(const char *line, const char *part)
{
    if (strstr(line, part)) return true;
    fprintf(stderr, "the line is: %s\n", line);
    return false;
}

static const double place_of_hand[3] = {0.012, -0.004, 0.007};

static void felt(const fake_solver *solver, double force[3])
{
    double energy, stiffness[9];
    field_at(&solver->field, place_of_hand, &energy, force, stiffness);
    for (int axis = 0; axis < 3; axis++) force[axis] = -force[axis];
}

/* Send the place and wait for the answer of the full force; returns the last sequence. */
static uint64_t hold_until_felt(const service *of, int hand, uint64_t sequence)
{
    double expected[3];
    const double begin_s = qn_clock_s();
    qn_force_frame frame = {0};
    const char *line;
    felt(&of->solver, expected);
    for (;;) {
        send_hand(hand, ++sequence, place_of_hand, QN_HAND_GRABS);
        if (!CHECK(receive_force(hand, &frame, &line))) return sequence;
        double error = 0;
        for (int axis = 0; axis < 3; axis++) error = fmax(error, fabs(frame.force[axis] - expected[axis]));
        if (error < 1e-12 && frame.flags == 0 && frame.sequence > 1) break;
        if (!CHECK(qn_clock_s() - begin_s < 10)) break;
    }
    CHECK(frame.cell[0] == 1 && frame.cell[1] == -1 && frame.cell[2] == 0 && frame.sequence <= sequence);
    return sequence;
}

/* ---- the tests ---- */

static void a_hand_feels_the_body(void)
{
    service of = {0};
    if (!service_begin(&of, "tcp:127.0.0.1:0")) return;
    const int hand = connect_to(&of, NULL);
    const char *line = receive_line(hand, 0);
    CHECK(has(line, "\"protocol\":1") && has(line, "\"rate_hz\":1000") && has(line, "\"nodes\":1"));
    uint64_t sequence = hold_until_felt(&of, hand, 0);
    /* Letting go: the force falls to 0 and stays there, though frames still come. */
    qn_force_frame frame = {.force = {1}};
    const double begin_s = qn_clock_s();
    while (frame.force[0] != 0 && qn_clock_s() - begin_s < 10) {
        send_hand(hand, ++sequence, place_of_hand, 0);
        if (!CHECK(receive_force(hand, &frame, &line))) break;
    }
    CHECK(frame.force[0] == 0 && frame.force[1] == 0 && frame.flags == QN_TICK_FREE);
    hold_until_felt(&of, hand, sequence);
    close(hand);
    service_end(&of);
}

/* Ten ticks a second, and frames 60 ms apart: the answer comes within a quarter of a period of the clock, at once as
 * far as the machine allows. A hand that then says nothing hears from the clock, two periods later at first. */
static void an_answer_does_not_wait_for_the_clock(void)
{
    enum { FRAMES = 12 };
    const struct timespec pause = {.tv_nsec = 60000000};
    service of = {0};
    int soon = 0, before = 0;
    const char *line;
    qn_force_frame frame = {0}, next;
    if (!service_begin_at(&of, "tcp:127.0.0.1:0", 10)) return;
    const int hand = connect_to(&of, NULL);
    receive_line(hand, 0);
    for (uint64_t sequence = 1; sequence <= FRAMES; sequence++) {
        send_hand(hand, sequence, place_of_hand, QN_HAND_GRABS);
        const double sent_s = qn_clock_s();
        for (frame.sequence = 0; frame.sequence < sequence; before += frame.sequence < sequence)
            if (!CHECK(receive_force(hand, &frame, &line))) return;
        soon += qn_clock_s() - sent_s < 0.025;
        nanosleep(&pause, NULL);
    }
    CHECK(soon >= 9);
    CHECK(before <= 3); /* the clock is silent while frames come, unless the machine is late */
    for (int i = 0; i < 2; i++) {
        if (!CHECK(receive_force(hand, &next, &line))) break;
        const double periods = (next.time_s - frame.time_s) / 0.1;
        CHECK(periods > (i ? 1 : 2) - 1e-6 && fabs(periods - round(periods)) < 1e-6 && next.sequence == FRAMES);
        frame = next;
    }
    close(hand);
    service_end(&of);
}

/* A silent hand feels 0 soon; a hand that speaks again feels the force again. */
static void a_silent_hand_feels_nothing(void)
{
    service of = {0};
    if (!service_begin(&of, "tcp:127.0.0.1:0")) return;
    const int hand = connect_to(&of, NULL);
    const char *line = receive_line(hand, 0);
    const uint64_t sequence = hold_until_felt(&of, hand, 0);
    double last[3] = {0}, largest = 0, first_s = 0, silent_s = 0;
    for (int answer = 0;; answer++) {
        qn_force_frame frame;
        if (!CHECK(receive_force(hand, &frame, &line))) break;
        if (answer == 0) first_s = frame.time_s - frame.age_s;
        double change = 0, size = 0;
        for (int axis = 0; axis < 3; axis++) {
            change += pow(frame.force[axis] - last[axis], 2);
            size += fabs(frame.force[axis]);
        }
        memcpy(last, frame.force, sizeof last);
        if (answer > 0) largest = fmax(largest, sqrt(change));
        silent_s = frame.time_s - first_s;
        if (size == 0) break;
        if (!CHECK(answer < 20000)) break;
    }
    /* At 100 ms the force begins to fall, by a fiftieth a tick. Ticks that a busy machine misses come later. */
    CHECK(silent_s >= 0.145);
    CHECK(largest < 0.05);
    hold_until_felt(&of, hand, sequence);
    close(hand);
    service_end(&of);
}

static void a_second_hand_is_refused(void)
{
    service of = {0};
    if (!service_begin(&of, "tcp:127.0.0.1:0")) return;
    const int hand = connect_to(&of, NULL), second = connect_to(&of, NULL);
    receive_line(hand, 0);
    receive_line(second, 0);
    const uint64_t sequence = hold_until_felt(&of, hand, 0);
    send_hand(second, 1, place_of_hand, QN_HAND_GRABS);
    CHECK(has(receive_line(second, 0), "{\"error\":\"another hand holds the tool; expected one hand at a time\"}"));
    char byte;
    CHECK(!receive(second, &byte, 1)); /* and the connection ends */
    hold_until_felt(&of, hand, sequence);
    close(second);
    close(hand);
    service_end(&of);
}

static void broken_frames_are_answered_by_a_sentence(void)
{
    service of = {0};
    if (!service_begin(&of, "tcp:127.0.0.1:0")) return;
    const struct {
        const char *bytes, *sentence;
    } first[] = {{"GET / HTTP/1.0\r\n\r\n", "a frame begins with the bytes 47 45 54 20"},
                 {"QHP1\x41\0\0\0", "a frame states a size of 65 bytes"}};
    for (int i = 0; i < 2; i++) { /* of a newcomer */
        const int client = connect_to(&of, NULL);
        receive_line(client, 0);
        CHECK(send(client, first[i].bytes, i == 0 ? 18 : 8, MSG_NOSIGNAL) > 0);
        CHECK(has(receive_line(client, 0), first[i].sentence));
        close(client);
    }
    for (int i = 0; i < 2; i++) { /* of the hand */
        const int hand = connect_to(&of, NULL);
        const double broken[3] = {0, (double)NAN, 0};
        qn_force_frame frame;
        const char *line = receive_line(hand, 0);
        const uint64_t sequence = hold_until_felt(&of, hand, 10);
        send_hand(hand, i == 0 ? sequence : sequence + 1, i == 0 ? place_of_hand : broken, QN_HAND_GRABS);
        while (receive_force(hand, &frame, &line)) continue;
        CHECK(has(line, i == 0 ? "expected numbers that rise" : "a time or place that is not finite"));
        close(hand);
    }
    const int hand = connect_to(&of, NULL); /* and the server goes on */
    receive_line(hand, 0);
    hold_until_felt(&of, hand, 0);
    close(hand);
    service_end(&of);
}

/* A hand vanishes in the middle of a frame; another stops to read and sends on; a third one comes. */
static void hands_that_vanish_or_stall_cost_nothing(void)
{
    char path[300];
    service of = {0};
    snprintf(path, sizeof path, "%s/stall", check_scratch_folder());
    snprintf(of.address, sizeof of.address, "unix:%.200s", path);
    if (!service_begin(&of, of.address)) return;
    int hand = connect_to(&of, path);
    receive_line(hand, 0);
    hold_until_felt(&of, hand, 0);
    CHECK(send(hand, "QHP1", 4, MSG_NOSIGNAL) == 4);
    close(hand);
    double begin_s = qn_clock_s();
    const char *line;
    qn_force_frame frame;
    bool is_taken = false;
    while (!is_taken && CHECK(qn_clock_s() - begin_s < 10)) { /* refused until the loop has seen the end of the first */
        hand = connect_to(&of, path);
        receive_line(hand, 0);
        send_hand(hand, 1, place_of_hand, QN_HAND_GRABS);
        is_taken = receive_force(hand, &frame, &line);
        if (!is_taken) close(hand);
    }
    begin_s = qn_clock_s();
    uint64_t sequence = 2;
    while (qn_server_facts_of(of.server).unsent < 50 && CHECK(qn_clock_s() - begin_s < 10)) {
        const struct timespec pause = {.tv_nsec = 1000000};
        send_hand(hand, sequence++, place_of_hand, QN_HAND_GRABS);
        nanosleep(&pause, NULL);
    }
    /* The client then reads whole frames, first the old ones that the connection held, soon the new ones. */
    const uint64_t now = sequence;
    int answer = 0;
    for (frame.sequence = 0; frame.sequence < now && CHECK(answer < 5000); answer++) {
        send_hand(hand, sequence++, place_of_hand, QN_HAND_GRABS);
        if (!CHECK(receive_force(hand, &frame, &line))) break;
    }
    close(hand);
    service_end(&of);
}

static void a_second_connection_sees_the_shape(void)
{
    char path[300];
    service of = {0};
    snprintf(path, sizeof path, "%s/hand", check_scratch_folder());
    snprintf(of.address, sizeof of.address, "unix:%.200s", path);
    if (!service_begin(&of, of.address)) return;
    const int hand = connect_to(&of, path), viewer = connect_to(&of, path);
    unsigned char bytes[QN_FRAME_BYTES];
    const qn_hand_frame ask = {.asks_for_shape = true};
    receive_line(hand, 0);
    receive_line(viewer, 0);
    qn_hand_frame_write(&ask, bytes);
    CHECK(send(viewer, bytes, sizeof bytes, MSG_NOSIGNAL) == QN_FRAME_BYTES);
    float rest[FIELD_FREEDOMS], shape[FIELD_FREEDOMS];
    CHECK(receive(viewer, rest, sizeof rest)); /* no hand yet: the shape of rest */
    CHECK(rest[0] == 0 && rest[1] == 0 && rest[2] == 0);
    uint64_t sequence = hold_until_felt(&of, hand, 0);
    double expected[3], error = 1;
    felt(&of.solver, expected);
    for (int i = 0; i < 500 && error > 1e-6; i++) { /* the field's shape is minus the felt force */
        const double begin_s = qn_clock_s();
        while (qn_clock_s() - begin_s < 0.02) sequence = hold_until_felt(&of, hand, sequence);
        if (!CHECK(receive(viewer, shape, sizeof shape))) break;
        error = 0;
        for (int axis = 0; axis < 3; axis++) error = fmax(error, fabs((double)shape[axis] + expected[axis]));
    }
    CHECK(error <= 1e-6);
    for (int i = 0; i < 500 && shape[0] != 0; i++) { /* a tool that lets go: rest again */
        send_hand(hand, ++sequence, place_of_hand, 0);
        if (!CHECK(receive(viewer, shape, sizeof shape))) break;
    }
    CHECK(shape[0] == 0 && shape[1] == 0 && shape[2] == 0);
    hold_until_felt(&of, hand, sequence);
    for (int i = 0; i < 500 && shape[0] == 0; i++) /* a hand that holds, */
        if (!CHECK(receive(viewer, shape, sizeof shape))) break;
    CHECK(shape[0] != 0);
    close(hand); /* and vanishes */
    for (int i = 0; i < 500 && shape[0] != 0; i++)
        if (!CHECK(receive(viewer, shape, sizeof shape))) break;
    CHECK(shape[0] == 0 && shape[1] == 0 && shape[2] == 0);
    close(viewer);
    service_end(&of);
    CHECK(access(path, F_OK) != 0); /* the socket's file is gone */
}

static void addresses_are_checked(void)
{
    char path[300], address[310];
    service of = {0};
    qn_listener listener;
    static const struct {
        const char *address, *message;
        qn_status status;
    } broken[] = {{"127.0.0.1:7391", "begins with neither unix: nor tcp:", QN_INVALID_ARGUMENT},
                  {"tcp:7391", "has no host and port", QN_INVALID_ARGUMENT},
                  {"tcp:127.0.0.1:", "has no port", QN_INVALID_ARGUMENT},
                  {"tcp:127.0.0.1:70000", "has no port", QN_INVALID_ARGUMENT},
                  {"tcp:[::1:7391", "has no host and port", QN_INVALID_ARGUMENT},
                  {"unix:", "has no path", QN_INVALID_ARGUMENT},
                  {"unix:no/such/folder/hand", "the folder does not exist", QN_NOT_FOUND}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        CHECK_FAILS(qn_listener_open(broken[i].address, &listener), broken[i].status);
        CHECK_MESSAGE_HAS(broken[i].message);
    }
    snprintf(path, sizeof path, "%s/%0200d", check_scratch_folder(), 0);
    snprintf(address, sizeof address, "unix:%.290s", path);
    CHECK_FAILS(qn_listener_open(address, &listener), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected at most 107");

    if (!service_begin(&of, "tcp:127.0.0.1:0")) return;
    snprintf(address, sizeof address, "tcp:127.0.0.1:%d", qn_server_port(of.server));
    CHECK_FAILS(qn_listener_open(address, &listener), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("another program listens there; expected a free port");
    service_end(&of);

    snprintf(path, sizeof path, "%s/socket", check_scratch_folder());
    snprintf(address, sizeof address, "unix:%.290s", path);
    if (!CHECK_OK(qn_listener_open(address, &listener))) return;
    qn_listener other;
    CHECK_FAILS(qn_listener_open(address, &other), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("another program listens there; expected a free path");
    CHECK(access(path, F_OK) == 0);
    close(listener.descriptor); /* as a killed server leaves it */
    listener.descriptor = -1;
    CHECK_OK(qn_listener_open(address, &other));
    qn_listener_close(&other);
    CHECK(access(path, F_OK) != 0);
    qn_listener_close(&listener);
    FILE *const file = fopen(path, "w");
    if (CHECK(file != NULL)) fclose(file);
    CHECK_FAILS(qn_listener_open(address, &listener), QN_ALREADY_EXISTS);
    CHECK_MESSAGE_HAS("is no socket");
    CHECK(access(path, F_OK) == 0);
}

int main(void)
{
    RUN(a_hand_feels_the_body);
    RUN(an_answer_does_not_wait_for_the_clock);
    RUN(a_silent_hand_feels_nothing);
    RUN(a_second_hand_is_refused);
    RUN(broken_frames_are_answered_by_a_sentence);
    RUN(hands_that_vanish_or_stall_cost_nothing);
    RUN(a_second_connection_sees_the_shape);
    RUN(addresses_are_checked);
    return check_finish();
}
