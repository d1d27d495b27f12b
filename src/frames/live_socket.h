/* The connection of a live run: TCP to a simulation that listens.
 *
 * Thread rule: one thread receives; other threads may send and stop.
 */
#ifndef QN_FRAMES_LIVE_SOCKET_H
#define QN_FRAMES_LIVE_SOCKET_H

#include <quern/status.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct qn_live_socket {
    int descriptor; /* −1: none */
    double timeout_s;
    atomic_bool stopped; /* receiving is to end now */
    atomic_bool patient; /* the simulation was asked to pause, so there is no timeout */
} qn_live_socket;

/* Connect to "host:port", "host" or "[::1]:port". Tries once a second until `timeout_s`, since the simulation may still
 * be starting. QN_INVALID_ARGUMENT for a malformed address, QN_NOT_FOUND for an unknown host, QN_IO_ERROR if there is
 * no answer. `socket` must be closed after a failure too. */
QN_MUST_CHECK qn_status qn_live_socket_connect(const char *address, double timeout_s, qn_live_socket *socket);

/* Result of an attempt to receive. */
typedef enum qn_live_arrival {
    QN_LIVE_WHOLE,   /* all bytes were received */
    QN_LIVE_CLOSED,  /* the other end closed the connection, or it broke */
    QN_LIVE_SILENT,  /* no byte for timeout_s */
    QN_LIVE_STOPPED, /* stopped by qn_live_socket_stop */
} qn_live_arrival;

/* Receive `size` bytes, in any number of pieces. *received (may be NULL) becomes the number of bytes received. */
qn_live_arrival qn_live_socket_receive(qn_live_socket *socket, void *data, size_t size, size_t *received);

/* Send a header without a body. Errors are ignored: the receiver notices when the simulation is gone. */
void qn_live_socket_send(qn_live_socket *socket, int type, int length);

void qn_live_socket_stop(qn_live_socket *socket);
void qn_live_socket_close(qn_live_socket *socket);

#endif
