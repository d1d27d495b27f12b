/* The connection of a live run: TCP to a simulation that listens, whole packets in and out.
 *
 * Thread rule: one thread receives; sending and stopping may be done by others.
 */
#ifndef QN_FRAMES_LIVE_SOCKET_H
#define QN_FRAMES_LIVE_SOCKET_H

#include <quern/status.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct qn_live_socket {
    int descriptor; /* −1: none */
    double timeout_s;
    atomic_bool stopped; /* receiving ends at once */
    atomic_bool patient; /* silence is wanted: the simulation was asked to wait */
} qn_live_socket;

/* "host:port", "host", "[::1]:port"; tried once a second until `timeout_s`, since a simulation may still be starting.
 * QN_INVALID_ARGUMENT for an address that is none, QN_NOT_FOUND for an unknown host, QN_IO_ERROR when nothing answers.
 * `socket` is to be closed in any case. */
QN_MUST_CHECK qn_status qn_live_socket_connect(const char *address, double timeout_s, qn_live_socket *socket);

/* How an attempt to receive came out. */
typedef enum qn_live_arrival {
    QN_LIVE_WHOLE,   /* all bytes */
    QN_LIVE_CLOSED,  /* the other end closed or was cut off */
    QN_LIVE_SILENT,  /* nothing for timeout_s */
    QN_LIVE_STOPPED, /* by qn_live_socket_stop */
} qn_live_arrival;

/* `size` bytes, however many pieces they come in; *received (may be NULL) of them came. */
qn_live_arrival qn_live_socket_receive(qn_live_socket *socket, void *data, size_t size, size_t *received);

/* A header without a body. That a simulation is gone shows when receiving. */
void qn_live_socket_send(qn_live_socket *socket, int type, int length);

void qn_live_socket_stop(qn_live_socket *socket);
void qn_live_socket_close(qn_live_socket *socket);

#endif
