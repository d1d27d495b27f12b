#define _GNU_SOURCE /* ppoll */
#include "deform/live/server.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/thread.h"
#include "deform/live/listen.h"
#include "deform/live/pace.h"
#include "deform/live/protocol.h"

enum { CLIENTS = 16, POLL_MS = 10, FRAMES_A_TICK = 32, RECEIVE_BYTES = 2048 };

static const int64_t silent_ns = 100 * 1000000, gone_ns = 5000 * (int64_t)1000000, linger_ns = 300 * 1000000,
                     undecided_ns = 10000 * (int64_t)1000000, shape_period_ns = 40 * 1000000;

typedef enum client_role {
    CLIENT_NONE,
    CLIENT_NEW,  /* has sent no whole frame */
    CLIENT_HAND, /* the loop has it */
    CLIENT_VIEWER,
    CLIENT_LEAVING /* has its sentence, and is closed when it closes or after a while */
} client_role;

/* Why the loop gives a hand back. */
typedef enum hand_end { HAND_CLOSED, HAND_FAULT, HAND_SILENT } hand_end;

typedef struct client {
    client_role role;
    int descriptor;
    int64_t since_ns; /* in its role */
    qn_frame_stream stream;
    qn_hand_frame frame; /* the last one */
    int64_t frame_ns;    /* when it came */
    bool is_met;         /* the loop has seen it: its silence counts from then on */
    hand_end end;
    unsigned char *pending; /* bytes that the connection has not taken yet */
    size_t pending_from, pending_to, pending_capacity;
} client;

struct qn_server {
    qn_server_options options;
    qn_listener listener;
    qn_loop *loop;
    qn_thread thread;
    atomic_bool is_stopping;
    client clients[CLIENTS];
    _Atomic(client *) hand;    /* set by the thread while it and `leaving` are NULL, cleared by the loop */
    _Atomic(client *) leaving; /* set by the loop, cleared by the thread */
    int awake;                 /* descriptor of qn_pace_keep_awake while there is a hand, else −1 */
    int64_t shape_ns;          /* when the next shape is sent */
    float *x;                  /* freedom_count */
    atomic_uint_least64_t hands, refused, frames, unsent, shapes;
};

/* ---- functions of the loop ---- */

bool qn_server_wait(void *user, int64_t moment_ns)
{
    qn_server *const server = user;
    client *const hand = atomic_load(&server->hand);
    if (!hand) {
        qn_pace_sleep_until(moment_ns);
        return false;
    }
    for (;;) {
        const int64_t left_ns = moment_ns - qn_pace_now_ns(), second_ns = 1000000000;
        struct pollfd wanted = {.fd = hand->descriptor, .events = POLLIN};
        struct timespec most = {0};
        if (left_ns > 0) most = (struct timespec){.tv_sec = left_ns / second_ns, .tv_nsec = left_ns % second_ns};
        if (ppoll(&wanted, 1, &most, NULL) > 0) return true;
        if (left_ns <= 0) return false;
    }
}

static void give_back(qn_server *server, client *hand, hand_end end)
{
    hand->end = end;
    atomic_store(&server->hand, NULL);
    atomic_store(&server->leaving, hand);
}

/* Take the frames that have come. Returns false where the connection or its frames are over. */
static bool receive_frames(qn_server *server, client *hand, int64_t now_ns)
{
    for (int round = 0; round < FRAMES_A_TICK; round++) {
        unsigned char data[RECEIVE_BYTES];
        bool is_complete;
        const ssize_t got = qn_connection_receive(hand->descriptor, data, sizeof data);
        if (got == 0) return true;
        if (got < 0) {
            give_back(server, hand, HAND_CLOSED);
            return false;
        }
        for (size_t at = 0; at < (size_t)got && hand->stream.fault == QN_FRAME_SOUND;) {
            at += qn_frame_stream_take(&hand->stream, data + at, (size_t)got - at, &hand->frame, &is_complete);
            if (!is_complete) continue;
            hand->frame_ns = now_ns;
            atomic_fetch_add(&server->frames, 1);
        }
        if (hand->stream.fault != QN_FRAME_SOUND) {
            give_back(server, hand, HAND_FAULT);
            return false;
        }
        if ((size_t)got < sizeof data) return true;
    }
    return true;
}

void qn_server_input(void *user, double time_s, qn_hand_sample *sample)
{
    qn_server *const server = user;
    client *const hand = atomic_load(&server->hand);
    (void)time_s;
    *sample = (qn_hand_sample){.is_there = false};
    if (!hand) return;
    const int64_t now_ns = qn_pace_now_ns();
    if (!hand->is_met) hand->frame_ns = now_ns;
    hand->is_met = true;
    if (!receive_frames(server, hand, now_ns)) return;
    const int64_t age_ns = now_ns - hand->frame_ns;
    if (age_ns > gone_ns) {
        give_back(server, hand, HAND_SILENT);
        return;
    }
    sample->is_there = true;
    sample->is_held = age_ns <= silent_ns && hand->frame.flags & QN_HAND_GRABS;
    sample->sequence = hand->frame.sequence;
    sample->age_s = 1e-9 * (double)age_ns;
    memcpy(sample->place, hand->frame.place, sizeof sample->place);
}

/* Send what is pending. Returns false where the connection is over. */
static bool send_pending(client *to)
{
    if (to->pending_from == to->pending_to) return true;
    const ssize_t sent =
        qn_connection_send(to->descriptor, to->pending + to->pending_from, to->pending_to - to->pending_from);
    if (sent < 0) return false;
    to->pending_from += (size_t)sent;
    return true;
}

/* An answer is sent when the one before is wholly sent, so that a reader always finds whole frames. */
void qn_server_output(void *user, const qn_tick *tick, const qn_hand_sample *sample)
{
    qn_server *const server = user;
    client *const hand = atomic_load(&server->hand);
    if (!hand) return;
    bool is_open = send_pending(hand);
    if (is_open && hand->pending_from < hand->pending_to) {
        atomic_fetch_add(&server->unsent, 1);
        return;
    }
    if (is_open) {
        qn_force_frame frame = {
            .sequence = sample->sequence, .time_s = tick->time_s, .flags = tick->flags, .age_s = sample->age_s};
        memcpy(frame.force, tick->force, sizeof frame.force);
        memcpy(frame.cell, tick->cell, sizeof frame.cell);
        qn_force_frame_write(&frame, hand->pending);
        hand->pending_from = 0;
        hand->pending_to = QN_FRAME_BYTES;
        is_open = send_pending(hand);
    }
    if (!is_open) give_back(server, hand, HAND_CLOSED);
}

/* ---- clients; the server's thread ---- */

static void forget(client *gone)
{
    close(gone->descriptor);
    qn_release(&gone->pending);
    memset(gone, 0, sizeof *gone);
}

/* Put a line behind what is pending and send it as far as the connection takes it. */
static qn_status send_line(client *to, const qn_text *line)
{
    void *memory = to->pending;
    const size_t left = to->pending_to - to->pending_from;
    if (left > 0) memmove(to->pending, to->pending + to->pending_from, left);
    const qn_status status = qn_grow(&memory, &to->pending_capacity, left + line->length, 1);
    to->pending = memory;
    QN_TRY(status);
    memcpy(to->pending + left, line->data, line->length);
    to->pending_from = 0;
    to->pending_to = left + line->length;
    if (!send_pending(to)) to->pending_to = to->pending_from;
    return QN_OK;
}

/* Dismiss a client with a sentence. It is closed when it has closed its side, or after a while: closing at once could
 * drop the sentence while its frames still come. */
static qn_status dismiss(qn_server *server, client *from, const char *sentence)
{
    qn_text line = {0};
    qn_status status = qn_protocol_refusal(sentence, &line);
    if (status == QN_OK) status = send_line(from, &line);
    qn_text_clear(&line);
    from->role = CLIENT_LEAVING;
    from->since_ns = qn_pace_now_ns();
    atomic_fetch_add(&server->refused, 1);
    qn_log(QN_LOG_WARNING, "%s: a client was dismissed: %s", server->options.address, sentence);
    return status;
}

static qn_status dismiss_for_fault(qn_server *server, client *from)
{
    qn_text sentence = {0};
    qn_status status = qn_frame_stream_explain(&from->stream, &sentence);
    if (status == QN_OK) status = dismiss(server, from, sentence.data);
    qn_text_clear(&sentence);
    return status;
}

static qn_status greet(qn_server *server, int descriptor)
{
    const qn_server_options *const options = &server->options;
    client *place = NULL;
    qn_text line = {0};
    for (int i = 0; i < CLIENTS && !place; i++)
        if (server->clients[i].role == CLIENT_NONE) place = &server->clients[i];
    if (!place) {
        close(descriptor);
        return QN_OK;
    }
    *place = (client){.role = CLIENT_NEW, .descriptor = descriptor, .since_ns = qn_pace_now_ns()};
    qn_status status = qn_protocol_greeting(options->rate_hz, options->node_count, &options->grid, &line);
    if (status == QN_OK) status = send_line(place, &line);
    qn_text_clear(&line);
    return status;
}

/* Room for the largest thing that the client is sent, so that the loop never allocates. */
static qn_status make_room(client *of, size_t bytes)
{
    void *memory = of->pending;
    const qn_status status = qn_grow(&memory, &of->pending_capacity, bytes, 1);
    of->pending = memory;
    return status;
}

/* A first frame shows what the client is. */
static qn_status decide(qn_server *server, client *newcomer)
{
    newcomer->since_ns = newcomer->frame_ns = qn_pace_now_ns();
    if (newcomer->frame.asks_for_shape) {
        newcomer->role = CLIENT_VIEWER;
        return make_room(newcomer, 12 * server->options.node_count);
    }
    if (atomic_load(&server->hand) || atomic_load(&server->leaving))
        return dismiss(server, newcomer, "another hand holds the tool; expected one hand at a time");
    QN_TRY(make_room(newcomer, QN_FRAME_BYTES));
    qn_connection_keep_short(newcomer->descriptor);
    newcomer->role = CLIENT_HAND;
    atomic_fetch_add(&server->hands, 1);
    atomic_fetch_add(&server->frames, 1);
    qn_log(QN_LOG_NOTE, "%s: a hand has come", server->options.address);
    server->awake = qn_pace_keep_awake();
    atomic_store(&server->hand, newcomer);
    return QN_OK;
}

/* A newcomer's bytes up to the end of its first frame; what follows is left for the loop. */
static qn_status hear_newcomer(qn_server *server, client *newcomer)
{
    unsigned char data[QN_FRAME_BYTES];
    bool is_complete = false;
    const ssize_t got = qn_connection_receive(newcomer->descriptor, data, QN_FRAME_BYTES - newcomer->stream.filled);
    if (got < 0) {
        forget(newcomer);
        return QN_OK;
    }
    (void)qn_frame_stream_take(&newcomer->stream, data, (size_t)got, &newcomer->frame, &is_complete);
    if (newcomer->stream.fault != QN_FRAME_SOUND) return dismiss_for_fault(server, newcomer);
    if (is_complete) return decide(server, newcomer);
    if (qn_pace_now_ns() - newcomer->since_ns > undecided_ns)
        return dismiss(server, newcomer, "no frame came for 10 s; expected QHP1 of a hand or QHS1 for the shape");
    return QN_OK;
}

/* Discard what a viewer or a leaving client sends; forget it when it has closed. */
static void drain(client *from)
{
    unsigned char data[RECEIVE_BYTES];
    ssize_t got = 1;
    for (int round = 0; round < FRAMES_A_TICK && got > 0; round++)
        got = qn_connection_receive(from->descriptor, data, sizeof data);
    const bool is_over = got < 0 || !send_pending(from);
    const bool is_late = from->role == CLIENT_LEAVING && qn_pace_now_ns() - from->since_ns > linger_ns;
    if (is_over || is_late) forget(from);
}

static void put_shape(const qn_server *server, client *viewer)
{
    for (size_t node = 0; node < server->options.node_count; node++) {
        const size_t first = server->options.first_freedom ? server->options.first_freedom[node] : 3 * node;
        for (size_t axis = 0; axis < 3; axis++) {
            uint32_t bits;
            memcpy(&bits, &server->x[first + axis], sizeof bits);
            for (size_t byte = 0; byte < 4; byte++)
                viewer->pending[12 * node + 4 * axis + byte] = (unsigned char)(bits >> 8 * byte);
        }
    }
    viewer->pending_from = 0;
    viewer->pending_to = 12 * server->options.node_count;
}

/* Send the shape to every viewer that has read the one before. */
static void show_shape(qn_server *server)
{
    const int64_t now_ns = qn_pace_now_ns();
    bool is_known = false;
    if (now_ns < server->shape_ns) return;
    server->shape_ns =
        now_ns - server->shape_ns > shape_period_ns ? now_ns + shape_period_ns : server->shape_ns + shape_period_ns;
    for (int i = 0; i < CLIENTS; i++) {
        client *const viewer = &server->clients[i];
        if (viewer->role != CLIENT_VIEWER || viewer->pending_from < viewer->pending_to) continue;
        if (!is_known) qn_loop_shape(server->loop, server->x);
        is_known = true;
        put_shape(server, viewer);
        if (!send_pending(viewer)) {
            forget(viewer);
            continue;
        }
        atomic_fetch_add(&server->shapes, 1);
    }
}

/* Take a hand back from the loop. */
static qn_status take_back(qn_server *server)
{
    client *const gone = atomic_load(&server->leaving);
    qn_status status = QN_OK;
    if (!gone) return QN_OK;
    if (gone->end == HAND_FAULT)
        status = dismiss_for_fault(server, gone);
    else if (gone->end == HAND_SILENT)
        status = dismiss(server, gone, "no frame came for 5 s; expected one at least every 100 ms");
    else
        forget(gone);
    qn_log(QN_LOG_NOTE, "%s: the hand has gone", server->options.address);
    qn_pace_let_sleep(server->awake);
    server->awake = -1;
    atomic_store(&server->leaving, NULL);
    return status;
}

/* Wait until something can be done, at most POLL_MS. */
static void wait_for_clients(qn_server *server)
{
    struct pollfd wanted[CLIENTS + 1] = {{.fd = server->listener.descriptor, .events = POLLIN}};
    nfds_t count = 1;
    for (int i = 0; i < CLIENTS; i++)
        if (server->clients[i].role == CLIENT_NEW)
            wanted[count++] = (struct pollfd){.fd = server->clients[i].descriptor, .events = POLLIN};
    (void)poll(wanted, count, POLL_MS);
}

static qn_status serve(void *user)
{
    qn_server *const server = user;
    while (!atomic_load(&server->is_stopping)) {
        wait_for_clients(server);
        QN_TRY(take_back(server));
        for (int made; (made = qn_listener_accept(&server->listener)) >= 0;) QN_TRY(greet(server, made));
        for (int i = 0; i < CLIENTS; i++) {
            client *const each = &server->clients[i];
            if (each->role == CLIENT_NEW) QN_TRY(hear_newcomer(server, each));
            if (each->role == CLIENT_VIEWER || each->role == CLIENT_LEAVING) drain(each);
        }
        show_shape(server);
    }
    return QN_OK;
}

/* ---- life cycle ---- */

qn_status qn_server_open(const qn_server_options *options, qn_server **server)
{
    void *memory;
    *server = NULL;
    QN_TRY(qn_allocate(1, sizeof **server, &memory));
    qn_server *opened = memory;
    opened->options = *options;
    opened->listener.descriptor = opened->awake = -1;
    qn_status status = qn_allocate(options->freedom_count, sizeof *opened->x, &memory);
    if (status == QN_OK) {
        opened->x = memory;
        status = qn_listener_open(options->address, &opened->listener);
    }
    if (status == QN_OK)
        *server = opened;
    else
        qn_server_close(&opened);
    return status;
}

static qn_status serve_and_stop(void *user)
{
    qn_server *const server = user;
    const qn_status status = serve(server);
    if (status != QN_OK) qn_loop_stop(server->loop);
    return status;
}

qn_status qn_server_start(qn_server *server, qn_loop *loop)
{
    server->loop = loop;
    return qn_thread_start(&server->thread, serve_and_stop, server);
}

void qn_server_close(qn_server **server)
{
    qn_server *const closed = *server;
    if (!closed) return;
    atomic_store(&closed->is_stopping, true);
    if (closed->thread.started && qn_thread_join(&closed->thread) != QN_OK)
        qn_log(QN_LOG_WARNING, "%s: the server ended early: %s", closed->options.address, qn_error_message());
    for (int i = 0; i < CLIENTS; i++) {
        client *const left = &closed->clients[i];
        if (left->role == CLIENT_NONE) continue;
        qn_text line = {0};
        if (left->role != CLIENT_LEAVING && left->role != CLIENT_VIEWER &&
            qn_protocol_refusal("the server ends", &line) == QN_OK)
            (void)!send_line(left, &line);
        qn_text_clear(&line);
        forget(left);
    }
    qn_pace_let_sleep(closed->awake);
    qn_listener_close(&closed->listener);
    qn_release(&closed->x);
    qn_release(server);
}

int qn_server_port(const qn_server *server)
{
    return server->listener.port;
}

qn_server_facts qn_server_facts_of(const qn_server *server)
{
    return (qn_server_facts){.hands = atomic_load(&server->hands),
                             .refused = atomic_load(&server->refused),
                             .frames = atomic_load(&server->frames),
                             .unsent = atomic_load(&server->unsent),
                             .shapes = atomic_load(&server->shapes)};
}
