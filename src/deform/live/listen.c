#define _GNU_SOURCE /* accept4 */
#include "deform/live/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

enum { BACKLOG = 8, HOST_BYTES = 256, KEPT_BYTES = 16384 };

static qn_status refuse(const char *address, const char *why)
{
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "the address \"%s\" %s; expected unix:PATH or tcp:HOST:PORT, such as tcp:127.0.0.1:7391", address,
                   why);
}

/* Bind and listen; closes the descriptor on failure. Returns the error number. */
static int listen_at(int descriptor, const struct sockaddr *place, socklen_t size)
{
    if (bind(descriptor, place, size) == 0 && listen(descriptor, BACKLOG) == 0) return 0;
    const int reason = errno;
    close(descriptor);
    return reason;
}

/* ---- Unix sockets ---- */

/* Remove a socket file that nobody listens on. */
static qn_status clear_path(const char *address, const char *path, const struct sockaddr_un *place)
{
    struct stat facts;
    if (lstat(path, &facts) != 0) return QN_OK;
    if (!S_ISSOCK(facts.st_mode))
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: the file exists and is no socket; expected another path", address);
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return QN_FAIL(QN_IO_ERROR, "%s: no socket can be made (%s)", address, strerror(errno));
    const int answer = connect(probe, (const struct sockaddr *)place, sizeof *place) == 0 ? 0 : errno;
    close(probe);
    if (answer != ECONNREFUSED)
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: another program listens there; expected a free path", address);
    if (unlink(path) != 0)
        return QN_FAIL(QN_IO_ERROR, "%s: a left socket file cannot be removed (%s)", address, strerror(errno));
    return QN_OK;
}

static qn_status open_path(const char *address, const char *path, qn_listener *listener)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (!*path) return refuse(address, "has no path");
    if (strlen(path) >= sizeof place.sun_path)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the path has %zu bytes; expected at most %zu, as a socket can have",
                       address, strlen(path), sizeof place.sun_path - 1);
    strcpy(place.sun_path, path);
    QN_TRY(clear_path(address, path, &place));
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return QN_FAIL(QN_IO_ERROR, "%s: no socket can be made (%s)", address, strerror(errno));
    const int reason = listen_at(made, (const struct sockaddr *)&place, sizeof place);
    if (reason == ENOENT || reason == ENOTDIR) return QN_FAIL(QN_NOT_FOUND, "%s: the folder does not exist", address);
    if (reason == EADDRINUSE)
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: another program listens there; expected a free path", address);
    if (reason != 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot listen there (%s)", address, strerror(reason));
    listener->descriptor = made;
    return qn_text_copy(path, &listener->path);
}

/* ---- TCP ---- */

/* Split "HOST:PORT"; an IPv6 host is in brackets. */
static qn_status split(const char *address, const char *rest, char host[HOST_BYTES], const char **port)
{
    const char *const colon = strrchr(rest, ':');
    const bool is_bracketed = rest[0] == '[';
    const char *const begin = rest + is_bracketed, *const end = colon ? colon - is_bracketed : NULL;
    if (!colon || end <= begin || (is_bracketed && *end != ']') || end - begin >= HOST_BYTES)
        return refuse(address, "has no host and port");
    char *last;
    const long number = strtol(colon + 1, &last, 10);
    if (colon[1] < '0' || colon[1] > '9' || *last || number > 65535)
        return refuse(address, "has no port from 0 to 65535");
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    *port = colon + 1;
    return QN_OK;
}

static bool is_of_this_machine(const struct sockaddr *place)
{
    if (place->sa_family == AF_INET) return ntohl(((const struct sockaddr_in *)place)->sin_addr.s_addr) >> 24 == 127;
    return place->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)place)->sin6_addr);
}

static int port_of(int descriptor)
{
    struct sockaddr_storage place;
    socklen_t size = sizeof place;
    if (getsockname(descriptor, (struct sockaddr *)&place, &size) != 0) return 0;
    return ntohs(place.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&place)->sin6_port
                                             : ((const struct sockaddr_in *)&place)->sin_port);
}

static qn_status open_port(const char *address, const char *rest, qn_listener *listener)
{
    char host[HOST_BYTES];
    const char *port = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *places;
    const int on = 1;
    QN_TRY(split(address, rest, host, &port));
    const int failure = getaddrinfo(host, port, &hints, &places);
    if (failure != 0)
        return QN_FAIL(QN_NOT_FOUND, "%s: the host \"%s\" is not known (%s)", address, host, gai_strerror(failure));
    const bool is_local = is_of_this_machine(places->ai_addr);
    const int made = socket(places->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, places->ai_protocol);
    int reason = errno;
    if (made >= 0) {
        setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        reason = listen_at(made, places->ai_addr, places->ai_addrlen);
    }
    freeaddrinfo(places);
    if (reason == EADDRINUSE)
        return QN_FAIL(QN_ALREADY_EXISTS, "%s: another program listens there; expected a free port", address);
    if (made < 0 || reason != 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot listen there (%s)", address, strerror(reason));
    listener->descriptor = made;
    listener->port = port_of(made);
    if (!is_local) qn_log(QN_LOG_WARNING, "%s: other machines can connect, and nothing asks who they are", address);
    return QN_OK;
}

qn_status qn_listener_open(const char *address, qn_listener *listener)
{
    *listener = (qn_listener){.descriptor = -1};
    if (strncmp(address, "unix:", 5) == 0) return open_path(address, address + 5, listener);
    if (strncmp(address, "tcp:", 4) == 0) return open_port(address, address + 4, listener);
    return refuse(address, "begins with neither unix: nor tcp:");
}

void qn_listener_close(qn_listener *listener)
{
    if (listener->descriptor >= 0) close(listener->descriptor);
    if (listener->path) unlink(listener->path);
    qn_release(&listener->path);
    listener->descriptor = -1;
}

/* ---- connections ---- */

int qn_listener_accept(const qn_listener *listener)
{
    const int on = 1, made = accept4(listener->descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (made >= 0 && !listener->path) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return made;
}

void qn_connection_keep_short(int descriptor)
{
    const int bytes = KEPT_BYTES;
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

static bool is_passing(int reason)
{
    return reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR;
}

ssize_t qn_connection_send(int descriptor, const void *data, size_t size)
{
    const ssize_t sent = send(descriptor, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent >= 0 ? sent : is_passing(errno) ? 0 : -1;
}

ssize_t qn_connection_receive(int descriptor, void *data, size_t size)
{
    const ssize_t got = recv(descriptor, data, size, MSG_DONTWAIT);
    if (got > 0) return got;
    return got < 0 && is_passing(errno) ? 0 : -1;
}
