/* The server: gives a loop the hand of another program, through a socket.
 *
 * One client at a time is the hand. The loop itself wakes when a frame of it comes, takes it and answers; a thread of
 * the server greets, dismisses, and sends the shape 25 times a second to those that ask for it. A hand that is silent
 * for 100 ms feels a force that falls to 0, and is dismissed after 5 s; a client that is gone, or does not read, costs
 * no tick.
 *
 *     open → qn_loop_create with qn_server_wait, qn_server_input, qn_server_output → start → qn_loop_run → close
 *
 * Thread rule: one thread; wait, input and output are called by the loop. */
#ifndef QN_DEFORM_LIVE_SERVER_H
#define QN_DEFORM_LIVE_SERVER_H

#include "deform/live/loop.h"

typedef struct qn_server qn_server;

typedef struct qn_server_options {
    const char *address; /* "unix:PATH" or "tcp:HOST:PORT" */
    qn_grid grid;
    double rate_hz;
    size_t node_count, freedom_count;
    const uint32_t *first_freedom; /* of each node's displacement in x, and outlives the server; NULL: 3 · node */
} qn_server_options;

/* Listen. Errors of qn_listener_open. */
QN_MUST_CHECK qn_status qn_server_open(const qn_server_options *options, qn_server **server);

/* Take clients, for a loop that outlives the server. */
QN_MUST_CHECK qn_status qn_server_start(qn_server *server, qn_loop *loop);

/* Dismiss all clients with a sentence, and stop. */
void qn_server_close(qn_server **server);

/* The port of a TCP server. */
int qn_server_port(const qn_server *server);

/* Functions of the loop, with the server as their user. Bytes of the hand are news. */
bool qn_server_wait(void *server, int64_t moment_ns);
void qn_server_input(void *server, double time_s, qn_hand_sample *sample);
void qn_server_output(void *server, const qn_tick *tick, const qn_hand_sample *sample);

typedef struct qn_server_facts {
    uint64_t hands, refused; /* clients that became the hand; that were dismissed with a sentence about a fault */
    uint64_t frames, unsent; /* frames of hands; answers that a hand did not read in time */
    uint64_t shapes;         /* sent */
} qn_server_facts;

/* After the run. */
qn_server_facts qn_server_facts_of(const qn_server *server);

#endif
