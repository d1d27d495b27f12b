/* A hand for quern's server of deformable bodies, with sockets alone: moves the tool along a circle for two seconds, or
 * as many as a second argument says, 1,000 places a second. It prints the force that it feels, and how long the answers
 * took. The protocol is in docs/formats/haptic_protocol.md.
 *
 *     cc -O2 -o client client.c -lm
 *     ./client unix:/tmp/hand        or: ./client tcp:127.0.0.1:7391 600
 *
 * For a little-endian machine, as all that Quern runs on. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef struct hand_frame {
    char magic[4];
    uint32_t size;
    uint64_t number;
    double time_s, place[3];
    uint32_t buttons, flags;
    unsigned char padding[8];
} hand_frame;

typedef struct force_frame {
    char magic[4];
    uint32_t size;
    uint64_t number;
    double time_s, force[3];
    uint32_t flags, age_us;
    int16_t cell[3];
    unsigned char padding[2];
} force_frame;

_Static_assert(sizeof(hand_frame) == 64 && sizeof(force_frame) == 64, "a frame has 64 bytes");

enum { RATE = 1000, SECONDS_MAX = 86400, LOOK_US = 200 };

static const double radius_m = 0.005, turns_per_s = 1;

static int connect_to(const char *address)
{
    if (strncmp(address, "unix:", 5) == 0) {
        struct sockaddr_un place = {.sun_family = AF_UNIX};
        const int made = socket(AF_UNIX, SOCK_STREAM, 0);
        snprintf(place.sun_path, sizeof place.sun_path, "%s", address + 5);
        return connect(made, (struct sockaddr *)&place, sizeof place) == 0 ? made : -1;
    }
    char host[256];
    const char *const colon = strrchr(address, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *place;
    if (strncmp(address, "tcp:", 4) != 0 || colon == address + 3) return -1;
    snprintf(host, sizeof host, "%.*s", (int)(colon - address - 4), address + 4);
    if (getaddrinfo(host, colon + 1, &hints, &place) != 0) return -1;
    const int made = socket(place->ai_family, place->ai_socktype, place->ai_protocol), on = 1;
    const int failed = connect(made, place->ai_addr, place->ai_addrlen);
    freeaddrinfo(place);
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* do not wait for more bytes before sending */
    return failed ? -1 : made;
}

static int receive(int server, void *data, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = recv(server, (char *)data + done, size - done, 0);
        if (got <= 0) return 0;
        done += (size_t)got;
    }
    return 1;
}

/* Print the rest of a line of the server after `begin`. */
static void print_line(int server, const char *begin, size_t size)
{
    char byte = 0;
    fwrite(begin, 1, strcspn(begin, "\n") < size ? strcspn(begin, "\n") : size, stdout);
    while (!memchr(begin, '\n', size) && receive(server, &byte, 1) && byte != '\n') putchar(byte);
    putchar('\n');
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void sleep_a_period(struct timespec *next)
{
    next->tv_nsec += 1000000000 / RATE;
    next->tv_sec += next->tv_nsec / 1000000000;
    next->tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static hand_frame frame_at(uint64_t number)
{
    const double time_s = (double)number / RATE, angle = 2 * 3.14159265358979323846 * turns_per_s * time_s;
    return (hand_frame){.magic = "QHP1",
                        .size = sizeof(hand_frame),
                        .number = number,
                        .time_s = time_s,
                        .place = {radius_m * sin(angle), radius_m * (1 - cos(angle)), 0},
                        .flags = 1};
}

/* Look for the answer without sleeping for a while: a processor that sleeps takes longer to wake than the server. */
static void look(int server)
{
    char byte;
    const double end_us = now_us() + LOOK_US;
    while (recv(server, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && now_us() < end_us) continue;
}

/* Send a frame and receive its answer. The server also answers by itself when it waits for a frame, so answers of the
 * frame before may come first. Returns 0 where the connection is over. */
static int ask(int server, uint64_t number, force_frame *answer)
{
    const hand_frame frame = frame_at(number);
    if (send(server, &frame, sizeof frame, MSG_NOSIGNAL) != sizeof frame) return 0;
    do {
        char begin[sizeof *answer + 1] = ""; /* a line of text ends there */
        look(server);
        const ssize_t got = recv(server, begin, sizeof *answer, 0);
        if (got <= 0) return 0;
        if (begin[0] == '{') {
            print_line(server, begin, (size_t)got);
            return 0;
        }
        if (!receive(server, begin + got, sizeof *answer - (size_t)got)) return 0;
        memcpy(answer, begin, sizeof *answer);
    } while (answer->number < number);
    return 1;
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const double seconds = argc > 2 ? atof(argv[2]) : 2;
    const int is_called_well = argc >= 2 && argc <= 3 && seconds > 0 && seconds <= SECONDS_MAX;
    const unsigned wanted = is_called_well ? (unsigned)(RATE * seconds) : 0;
    const int server = is_called_well ? connect_to(argv[1]) : -1;
    float *const times_us = calloc(wanted + 1, sizeof *times_us);
    if (server < 0 || !times_us) {
        fprintf(stderr, "usage: client ADDRESS [SECONDS], unix:PATH or tcp:HOST:PORT, where a server listens\n");
        return 1;
    }
    const struct sched_param priority = {.sched_priority = 50};
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
        printf("without real-time priority: other programs may delay this one\n");
    print_line(server, "", 0); /* the greeting */
    struct timespec next;
    double largest = 0;
    unsigned late = 0, answers = 0;
    clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_nsec = next.tv_nsec / 1000000 * 1000000 + 350000; /* Linux itself is busy at whole milliseconds */
    for (uint64_t number = 1; number <= wanted; number++) {
        force_frame answer;
        const double sent_us = now_us();
        if (!ask(server, number, &answer)) break;
        times_us[answers++] = (float)(now_us() - sent_us);
        const double *const f = answer.force;
        largest = fmax(largest, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
        late += answer.flags & 1;
        if (number % 200 == 0 && number <= 2 * RATE)
            printf("%.3f s: %8.5f %8.5f %8.5f N, flags %u\n", answer.time_s, f[0], f[1], f[2], (unsigned)answer.flags);
        sleep_a_period(&next);
    }
    close(server);
    qsort(times_us, answers, sizeof *times_us, compare);
    printf("from a frame to its answer: %.0f µs in the median, %.0f at 99 %%, %.0f at 99.9 %%\n", times_us[answers / 2],
           times_us[answers / 100 * 99], times_us[answers / 1000 * 999]);
    printf("%u answers, %u of them late, the largest force %.6f N\n", answers, late, largest);
    free(times_us);
    return answers == wanted ? 0 : 1;
}
