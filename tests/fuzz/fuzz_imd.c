/* Any bytes as the data that a simulation of two atoms sends. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frames/live.h"

enum { ATOMS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct sender {
    const uint8_t *data;
    size_t size;
    int listener;
} sender;

static void demand(int holds)
{
    if (!holds) abort();
}

/* Send all bytes at once, then wait until the reader closes: closing earlier would drop unread bytes. */
static void *send_all(void *user)
{
    const sender *bytes = user;
    char heard[256];
    const int client = accept(bytes->listener, NULL, NULL);
    demand(client >= 0);
    for (size_t done = 0; done < bytes->size;) {
        const ssize_t sent = send(client, bytes->data + done, bytes->size - done, MSG_NOSIGNAL);
        if (sent <= 0) break;
        done += (size_t)sent;
    }
    shutdown(client, SHUT_WR);
    while (recv(client, heard, sizeof heard, 0) > 0) continue;
    close(client);
    return NULL;
}

static void read_all(const char *address)
{
    float positions[3 * ATOMS];
    qn_trajectory_frame frame = {.positions_nm = positions};
    qn_live_options options = qn_live_default_options();
    qn_live_facts facts;
    qn_live *live;
    uint64_t frames = 0;
    bool end = false;
    options.address = address;
    options.atom_count = ATOMS;
    options.timeout_s = 5;
    if (qn_live_open(NULL, &options, &live) != QN_OK) {
        demand(qn_error_message()[0]);
        return;
    }
    qn_status status;
    while ((status = qn_live_read(live, &frame, &end)) == QN_OK && !end) {
        demand(frame.number == frames++ && frame.atom_count == ATOMS && frame.positions_nm == positions);
        for (int i = 0; i < 3 * ATOMS; i++) demand(isfinite(positions[i]));
        for (int i = 0; i < 9; i++) demand(isfinite(frame.box_nm[i]));
    }
    demand(status == QN_OK || status == QN_BAD_FORMAT);
    qn_live_facts_of(live, &facts);
    demand(facts.received == frames && facts.ending[0]);
    qn_live_close(&live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof place;
    sender bytes = {data, size, socket(AF_INET, SOCK_STREAM, 0)};
    pthread_t thread;
    char address[32];
    demand(bytes.listener >= 0 && bind(bytes.listener, (struct sockaddr *)&place, sizeof place) == 0);
    demand(listen(bytes.listener, 1) == 0);
    demand(getsockname(bytes.listener, (struct sockaddr *)&place, &length) == 0);
    demand(pthread_create(&thread, NULL, send_all, &bytes) == 0);
    snprintf(address, sizeof address, "127.0.0.1:%d", ntohs(place.sin_port));
    read_all(address);
    pthread_join(thread, NULL);
    close(bytes.listener);
    return 0;
}
