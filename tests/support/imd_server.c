#define _POSIX_C_SOURCE 200809L
#include "imd_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct imd_server {
    imd_server_options options;
    imd_server_record record;
    pthread_t thread;
    int listener, client, port;
    bool paused, gone;
};

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void wait_ms(int milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

/* ---- bytes ---- */

static void send_bytes(imd_server *server, const void *data, size_t size)
{
    const size_t most = server->options.piece_bytes ? server->options.piece_bytes : size;
    for (size_t done = 0; done < size && !server->gone;) {
        const size_t piece = size - done < most ? size - done : most;
        const ssize_t sent = send(server->client, (const char *)data + done, piece, MSG_NOSIGNAL);
        if (sent <= 0) server->gone = true;
        done += sent > 0 ? (size_t)sent : 0;
        if (server->options.piece_bytes && done % (64 * most) == 0) wait_ms(1);
    }
}

/* Store `value`, `size` bytes in this machine's order, in the simulation's order or in big-endian (network) order. */
static void put(unsigned char *at, const void *value, size_t size, bool big_endian)
{
    const unsigned char *bytes = value, *probe = (const unsigned char *)&(const uint16_t){1};
    for (size_t i = 0; i < size; i++) at[i] = bytes[(probe[0] == 1) == big_endian ? size - 1 - i : i];
}

static void send_header(imd_server *server, int32_t type, int32_t length)
{
    unsigned char bytes[8];
    put(bytes, &type, 4, true);
    put(bytes + 4, &length, 4, true);
    send_bytes(server, bytes, sizeof bytes);
}

static void send_floats(imd_server *server, const float *values, size_t count)
{
    unsigned char *bytes = malloc(4 * count);
    for (size_t i = 0; bytes && i < count; i++) put(bytes + 4 * i, &values[i], 4, server->options.big_endian);
    send_bytes(server, bytes, 4 * count);
    free(bytes);
}

/* ---- the client's messages ---- */

static void pause_or_resume(imd_server *server, bool pause)
{
    if (pause == server->paused) server->record.orderly = false;
    server->paused = pause;
    if (pause)
        server->record.pauses++;
    else
        server->record.resumes++;
}

static void obey(imd_server *server, int32_t type, int32_t length)
{
    if (type == 0) server->record.left = server->gone = true;
    if (type == 3) server->record.went = true;
    if (type == 8) server->record.rate = length;
    if (type == 7) pause_or_resume(server, server->options.version >= 3 || !server->paused);
    if (type == 11 && server->options.version >= 3) pause_or_resume(server, false);
}

/* Read the client's headers until none comes within `timeout_ms`; while the client has paused the simulation, keep
 * waiting. */
static void listen_to_client(imd_server *server, int timeout_ms)
{
    while (!server->gone) {
        struct pollfd wanted = {.fd = server->client, .events = POLLIN};
        if (poll(&wanted, 1, server->paused ? 20000 : timeout_ms) <= 0) return;
        unsigned char bytes[8];
        size_t got = 0;
        while (got < sizeof bytes) {
            const ssize_t more = recv(server->client, bytes + got, sizeof bytes - got, 0);
            if (more <= 0) {
                server->gone = true;
                return;
            }
            got += (size_t)more;
        }
        int32_t type, length;
        put((unsigned char *)&type, bytes, 4, true);
        put((unsigned char *)&length, bytes + 4, 4, true);
        obey(server, type, length);
    }
}

/* ---- greeting ---- */

static void send_session(imd_server *server)
{
    const imd_trouble trouble = server->options.trouble;
    unsigned char flags[7];
    for (int i = 0; i < 7; i++) flags[i] = server->options.session[i];
    if (trouble == IMD_SESSION_FLAG) flags[5] = 7;
    send_header(server, trouble == IMD_SESSION_MISSING ? 2 : 10, trouble == IMD_SESSION_LENGTH ? 6 : 7);
    send_bytes(server, flags, sizeof flags);
}

static void greet(imd_server *server)
{
    const imd_server_options *options = &server->options;
    unsigned char bytes[8];
    const int32_t four = 4, version = options->trouble == IMD_WRONG_VERSION ? 4 : options->version;
    if (options->trouble == IMD_NO_GREETING) {
        listen_to_client(server, 20000);
        return;
    }
    put(bytes, &four, 4, true);
    put(bytes + 4, &version, 4, options->big_endian);
    if (options->trouble == IMD_NOT_IMD) memcpy(bytes, "HTTP/1.1", 8);
    send_bytes(server, bytes, sizeof bytes);
    if (options->version >= 3) send_session(server);
    while (!server->record.went && !server->gone) listen_to_client(server, 10);
}

/* ---- frames ---- */

static void send_energies(imd_server *server, int frame, int32_t length)
{
    unsigned char bytes[40] = {0};
    const int32_t step = frame * server->options.step_stride;
    const float temperature = 300.0F;
    put(bytes, &step, 4, server->options.big_endian);
    put(bytes + 4, &temperature, 4, server->options.big_endian);
    send_header(server, 1, length);
    send_bytes(server, bytes, sizeof bytes);
}

static void send_time(imd_server *server, int frame, int32_t length)
{
    unsigned char bytes[24];
    const int64_t step = (int64_t)frame * server->options.step_stride;
    const double distance = server->options.time_step_ps, time = distance * (double)step;
    put(bytes, &distance, 8, server->options.big_endian);
    put(bytes + 8, &time, 8, server->options.big_endian);
    put(bytes + 16, &step, 8, server->options.big_endian);
    send_header(server, 12, length);
    send_bytes(server, bytes, sizeof bytes);
}

static void send_coordinates(imd_server *server, int frame, imd_trouble trouble)
{
    const size_t atoms = server->options.atom_count, numbers = 3 * atoms;
    const int32_t count = trouble == IMD_MORE_ATOMS       ? (int32_t)atoms + 1
                          : trouble == IMD_NEGATIVE_ATOMS ? -1
                                                          : (int32_t)atoms;
    float *values = malloc(numbers * sizeof *values);
    if (!values) give_up("malloc");
    memcpy(values, server->options.positions_angstrom + (size_t)frame * numbers, numbers * sizeof *values);
    const unsigned char not_a_number[4] = {0, 0, 0xC0, 0x7F};
    if (trouble == IMD_NOT_FINITE) memcpy(values + 4, not_a_number, 4); /* tests run on little-endian machines */
    if (trouble == IMD_CUT_HEADER) {
        send_bytes(server, "\0\0\0", 3);
        server->gone = true;
    }
    send_header(server, trouble == IMD_UNKNOWN_TYPE ? 99 : 2, count);
    send_floats(server, values, trouble == IMD_CUT || trouble == IMD_RESET ? numbers / 2 : numbers);
    if (trouble == IMD_CUT || trouble == IMD_RESET) server->gone = true;
    free(values);
}

static void send_box(imd_server *server, int frame)
{
    static const float none[9];
    const float *box = server->options.box_angstrom;
    send_header(server, 13, 1);
    send_floats(server, box ? box + 9 * (size_t)frame : none, 9);
}

static void send_third(imd_server *server, int frame, imd_trouble trouble)
{
    const bool *sent = server->options.session;
    const size_t numbers = 3 * server->options.atom_count;
    const float *anything = server->options.positions_angstrom;
    const int32_t length = trouble == IMD_LONG_BLOCK ? 2 : 1;
    if (trouble == IMD_OUT_OF_ORDER) send_coordinates(server, frame, IMD_NO_TROUBLE);
    if (sent[0]) send_time(server, frame, length);
    if (sent[1]) send_energies(server, frame, sent[0] ? 1 : length);
    if (sent[2] && trouble != IMD_LEFT_OUT) send_box(server, frame);
    if (sent[3]) send_coordinates(server, frame, trouble);
    for (int i = 5; i < 7; i++) {
        if (!sent[i]) continue;
        send_header(server, 9 + i, (int32_t)server->options.atom_count);
        send_floats(server, anything, numbers);
    }
}

static void send_second(imd_server *server, int frame, imd_trouble trouble)
{
    const imd_energies energies = server->options.energies;
    if (energies == IMD_ENERGIES_BEFORE) send_energies(server, frame, trouble == IMD_LONG_BLOCK ? 2 : 1);
    send_coordinates(server, frame, trouble);
    if (energies == IMD_ENERGIES_AFTER) send_energies(server, frame, 1);
}

static void send_frames(imd_server *server)
{
    const imd_server_options *options = &server->options;
    for (int frame = 0; frame < options->frames && !server->gone; frame++) {
        const imd_trouble trouble = frame == options->trouble_frame ? options->trouble : IMD_NO_TROUBLE;
        listen_to_client(server, options->delay_ms);
        if (trouble == IMD_SILENCE) listen_to_client(server, 20000);
        if (frame == options->missing_frame || server->gone) continue;
        if (options->version >= 3)
            send_third(server, frame, trouble);
        else
            send_second(server, frame, trouble);
        if (!server->gone) server->record.frames_sent++;
    }
}

static void *serve(void *user)
{
    imd_server *server = user;
    if (server->options.listen_ms > 0) {
        wait_ms(server->options.listen_ms);
        if (listen(server->listener, 1) != 0) give_up("listen");
    }
    server->client = accept(server->listener, NULL, NULL);
    if (server->client < 0) give_up("accept");
    greet(server);
    send_frames(server);
    if (server->options.says_goodbye) send_header(server, 0, 0);
    const struct linger at_once = {1, 0};
    if (server->options.trouble == IMD_RESET)
        setsockopt(server->client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (!server->gone) {
        /* closing while bytes are unread would discard the bytes that were sent */
        shutdown(server->client, SHUT_WR);
        server->paused = false;
        listen_to_client(server, 20000);
    }
    close(server->client);
    return NULL;
}

imd_server *imd_server_start(const imd_server_options *options)
{
    imd_server *server = calloc(1, sizeof *server);
    struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)options->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof place;
    const int on = 1;
    if (!server) give_up("calloc");
    server->options = *options;
    server->record.orderly = true;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (server->listener < 0 || bind(server->listener, (struct sockaddr *)&place, sizeof place) != 0) give_up("bind");
    if (getsockname(server->listener, (struct sockaddr *)&place, &length) != 0) give_up("getsockname");
    server->port = ntohs(place.sin_port);
    /* a client that connects before this would wait one second before its next try */
    if (options->listen_ms == 0 && listen(server->listener, 1) != 0) give_up("listen");
    if (pthread_create(&server->thread, NULL, serve, server) != 0) give_up("pthread_create");
    return server;
}

int imd_server_port(const imd_server *server)
{
    return server->port;
}

imd_server_record imd_server_finish(imd_server **server)
{
    pthread_join((*server)->thread, NULL);
    close((*server)->listener);
    const imd_server_record record = (*server)->record;
    free(*server);
    *server = NULL;
    return record;
}
