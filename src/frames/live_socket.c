#define _POSIX_C_SOURCE 200809L /* getaddrinfo */
#include "frames/live_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/pipe.h"
#include "frames/imd_packets.h"

enum { HOST_BYTES = 256, PORT_BYTES = 8, SLICE_MS = 200, PAUSE_MS = 20 };

static const char default_port[] = "8888";

static qn_status refuse_address(const char *address, const char *why)
{
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "the address \"%s\" of a simulation %s; expected host:port, such as localhost:%s", address, why,
                   default_port);
}

/* Split an address into host and port. An IPv6 address contains colons, so it is in brackets if a port follows. */
static qn_status split_address(const char *address, char host[HOST_BYTES], char port[PORT_BYTES])
{
    const char *begin = address, *end = address + strlen(address), *colon = strrchr(address, ':');
    strcpy(port, default_port);
    if (address[0] == '[') {
        begin = address + 1;
        end = strchr(address, ']');
        if (!end) return refuse_address(address, "lacks a closing bracket");
        colon = end[1] == ':' ? end + 1 : NULL;
        if (end[1] && !colon) return refuse_address(address, "has text after its bracket");
    } else if (colon && strchr(address, ':') == colon) {
        end = colon;
    } else {
        colon = NULL;
    }
    if (colon) {
        char *rest;
        const long number = strtol(colon + 1, &rest, 10);
        if (colon[1] < '0' || colon[1] > '9' || *rest || number < 1 || number > 65535)
            return refuse_address(address, "has no port from 1 to 65535 after its colon");
        memcpy(port, colon + 1, strlen(colon + 1) < PORT_BYTES ? strlen(colon + 1) + 1 : PORT_BYTES);
        port[PORT_BYTES - 1] = '\0';
    }
    if (end == begin || end - begin >= HOST_BYTES) return refuse_address(address, "has no host");
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    return QN_OK;
}

/* Wait until the connection is made. Returns 0, or the error number; ECANCELED at a request to stop. */
static int finish_connecting(int descriptor, double until_s)
{
    struct pollfd wanted = {.fd = descriptor, .events = POLLOUT};
    int reason = 0, ready;
    socklen_t length = sizeof reason;
    double left_s;
    do {
        left_s = until_s - qn_clock_s();
        const double slice_s = left_s < 1e-3 * SLICE_MS ? left_s : 1e-3 * SLICE_MS;
        ready = poll(&wanted, 1, left_s > 0 ? (int)(1e3 * slice_s) + 1 : 0);
    } while ((ready == 0 || (ready < 0 && errno == EINTR)) && left_s > 0 && !qn_file_waiting_is_over());
    if (ready < 0 && errno != EINTR) return errno;
    if (ready <= 0) return left_s > 0 ? ECANCELED : ETIMEDOUT;
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &length) == 0 ? reason : errno;
}

static int try_address(const struct addrinfo *place, double until_s, int *descriptor)
{
    const int made = socket(place->ai_family, SOCK_STREAM, place->ai_protocol), on = 1;
    if (made < 0) return errno;
    fcntl(made, F_SETFD, FD_CLOEXEC);
    fcntl(made, F_SETFL, O_NONBLOCK);
    int reason = 0;
    if (connect(made, place->ai_addr, place->ai_addrlen) != 0)
        reason = errno == EINPROGRESS || errno == EINTR ? finish_connecting(made, until_s) : errno;
    if (reason != 0) {
        close(made);
        return reason;
    }
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    *descriptor = made;
    return 0;
}

/* Wait for so long, but not beyond a request to stop. */
static void pause_for(double seconds)
{
    const double until_s = qn_clock_s() + seconds;
    const struct timespec slice = {0, 1000000L * PAUSE_MS};
    while (qn_clock_s() < until_s && !qn_file_waiting_is_over()) nanosleep(&slice, NULL);
}

static qn_status connect_within(const char *address, const struct addrinfo *places, double timeout_s, int *descriptor)
{
    const double until_s = qn_clock_s() + timeout_s;
    for (bool told = false;; told = true) {
        int reason = 0;
        for (const struct addrinfo *place = places; place; place = place->ai_next) {
            reason = try_address(place, until_s, descriptor);
            if (reason == 0) return QN_OK;
        }
        const double left_s = until_s - qn_clock_s();
        if (qn_file_waiting_is_over())
            return QN_FAIL(QN_CANCELLED, "%s: stopped while waiting for a simulation", address);
        if (left_s <= 0)
            return QN_FAIL(
                QN_IO_ERROR,
                "%s: no simulation answered within %g s (%s); expected one that listens, as gmx mdrun -imdwait "
                "-imdport does",
                address, timeout_s, strerror(reason));
        if (!told) qn_log(QN_LOG_NOTE, "waiting for a simulation at %s (%s)", address, strerror(reason));
        pause_for(left_s < 1 ? left_s : 1);
    }
}

/* The address with its port, for messages. */
static void name_address(const char *address, const char *port, char name[HOST_BYTES + PORT_BYTES + 4])
{
    const size_t length = strlen(address), of_port = strlen(port);
    const bool stated =
        length > of_port && address[length - of_port - 1] == ':' && strcmp(address + length - of_port, port) == 0;
    snprintf(name, HOST_BYTES + PORT_BYTES + 4, "%s%s%s", address, stated ? "" : ":", stated ? "" : port);
}

qn_status qn_live_socket_connect(const char *address, double timeout_s, qn_live_socket *live_socket)
{
    char host[HOST_BYTES], port[PORT_BYTES], name[HOST_BYTES + PORT_BYTES + 4];
    struct addrinfo *places, hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    live_socket->descriptor = -1;
    live_socket->timeout_s = timeout_s;
    atomic_init(&live_socket->stopped, false);
    atomic_init(&live_socket->patient, false);
    QN_TRY(split_address(address, host, port));
    const int failure = getaddrinfo(host, port, &hints, &places);
    if (failure != 0)
        return QN_FAIL(QN_NOT_FOUND, "%s: the host \"%s\" is not known (%s)", address, host, gai_strerror(failure));
    name_address(address, port, name);
    const qn_status status = connect_within(name, places, timeout_s, &live_socket->descriptor);
    freeaddrinfo(places);
    return status;
}

static bool is_passing(int reason)
{
    return reason == EINTR || reason == EAGAIN || reason == EWOULDBLOCK;
}

qn_live_arrival qn_live_socket_receive(qn_live_socket *live_socket, void *data, size_t size, size_t *received)
{
    double last_s = qn_clock_s();
    size_t done = 0;
    qn_live_arrival arrival = QN_LIVE_WHOLE;
    while (done < size && arrival == QN_LIVE_WHOLE) {
        struct pollfd wanted = {.fd = live_socket->descriptor, .events = POLLIN};
        const int ready = poll(&wanted, 1, SLICE_MS);
        const ssize_t got = ready > 0 ? recv(live_socket->descriptor, (char *)data + done, size - done, 0) : 0;
        const int reason = errno;
        if (atomic_load(&live_socket->stopped)) {
            arrival = QN_LIVE_STOPPED;
        } else if (ready > 0 && got > 0) {
            done += (size_t)got;
            last_s = qn_clock_s();
        } else if (ready > 0 && (got == 0 || !is_passing(reason))) {
            arrival = QN_LIVE_CLOSED;
        } else if (atomic_load(&live_socket->patient)) {
            last_s = qn_clock_s();
        } else if (qn_clock_s() - last_s > live_socket->timeout_s) {
            arrival = QN_LIVE_SILENT;
        }
    }
    if (received) *received = done;
    return arrival;
}

void qn_live_socket_send(qn_live_socket *live_socket, int type, int length)
{
    unsigned char bytes[QN_IMD_HEADER_BYTES];
    qn_imd_header_write(type, length, bytes);
    for (size_t done = 0; done < sizeof bytes;) {
        const ssize_t sent = send(live_socket->descriptor, bytes + done, sizeof bytes - done, MSG_NOSIGNAL);
        if (sent > 0) {
            done += (size_t)sent;
        } else if (sent < 0 && errno == EINTR) {
            continue;
        } else {
            /* the buffer always has room for a few headers, unless the other end does not read any more */
            struct pollfd wanted = {.fd = live_socket->descriptor, .events = POLLOUT};
            if (!is_passing(errno) || poll(&wanted, 1, SLICE_MS) <= 0) return;
        }
    }
}

void qn_live_socket_stop(qn_live_socket *live_socket)
{
    atomic_store(&live_socket->stopped, true);
}

void qn_live_socket_close(qn_live_socket *live_socket)
{
    if (live_socket->descriptor >= 0) close(live_socket->descriptor);
    live_socket->descriptor = -1;
}
