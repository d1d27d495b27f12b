/* Sockets of the server: where it listens, and connections that never wait. */
#ifndef QN_DEFORM_LIVE_LISTEN_H
#define QN_DEFORM_LIVE_LISTEN_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct qn_listener {
    int descriptor; /* −1: none */
    char *path;     /* of a Unix socket, removed at the end; else NULL */
    int port;       /* of TCP */
} qn_listener;

/* Listen at "unix:PATH" or "tcp:HOST:PORT"; port 0 is any free one. A socket file that nobody listens on is replaced.
 * QN_INVALID_ARGUMENT: the address; QN_NOT_FOUND: host or folder; QN_ALREADY_EXISTS: in use, or a file that is no
 * socket; QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_listener_open(const char *address, qn_listener *listener);
void qn_listener_close(qn_listener *listener);

/* The next connection, −1: none now. */
int qn_listener_accept(const qn_listener *listener);

/* Let a connection hold a few answers only, so that a reader that was late does not get old ones. */
void qn_connection_keep_short(int descriptor);

/* Bytes that can be sent or received now without waiting; 0: none now, −1: the connection is over. */
ssize_t qn_connection_send(int descriptor, const void *data, size_t size);
ssize_t qn_connection_receive(int descriptor, void *data, size_t size);

#endif
