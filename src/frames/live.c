#include "frames/live.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "frames/imd_packets.h"
#include "frames/live_socket.h"

static const double most_connect_s = 30;

/* A version 2 simulation sends energies before a frame's coordinates, after them, or never. The first two packets show
 * which. */
typedef enum energies_order { ORDER_UNKNOWN, ENERGIES_FIRST, COORDINATES_FIRST } energies_order;

struct qn_live {
    char *address;
    qn_live_options options;
    qn_imd_speech speech;
    qn_imd_type packets[QN_IMD_FRAME_PACKETS]; /* of a version 3 frame */
    int packet_count;
    qn_live_socket socket;

    /* Used by the receiver only. */
    qn_thread receiver;
    qn_trajectory_frame coming; /* the frame that is being received; its positions lie in a slot of the ring */
    int cursor;                 /* number of its packets received; version 3 */
    bool begun;                 /* a part of it was received */
    bool held;                  /* its coordinates were received, and its step may follow */
    energies_order order;
    int64_t last_step, spacing; /* step of the last frame, -1: none; smallest distance of steps so far, 0: none */

    /* Shared, under the mutex. */
    pthread_mutex_t mutex;
    pthread_cond_t arrived, room;
    qn_trajectory_frame *ring;
    float *positions;
    int first, count;
    bool paused, ended, closing;
    qn_live_facts facts;
    qn_error_trail trail; /* the error that ends reading; its status is QN_OK if there is none */
};

qn_live_options qn_live_default_options(void)
{
    return (qn_live_options){.ring_frames = 16, .timeout_s = 600};
}

/* ---- handshake ---- */

static qn_status receive_greeting(qn_live *live, void *data, size_t size, const char *what)
{
    const qn_live_arrival arrival = qn_live_socket_receive(&live->socket, data, size, NULL);
    if (arrival == QN_LIVE_WHOLE) return QN_OK;
    return QN_FAIL(QN_IO_ERROR, "the connection %s before %s came: expected a simulation that speaks IMD",
                   arrival == QN_LIVE_CLOSED ? "was closed" : "stayed silent", what);
}

static qn_status receive_session(qn_live *live)
{
    unsigned char bytes[QN_IMD_HEADER_BYTES];
    qn_imd_session session;
    QN_TRY(receive_greeting(live, bytes, sizeof bytes, "the session info"));
    const qn_imd_header header = qn_imd_header_read(bytes);
    if (header.type != QN_IMD_SESSION || header.length != QN_IMD_SESSION_BYTES)
        return QN_FAIL(QN_BAD_FORMAT,
                       "the second packet is of type %" PRId32 " (%s) and length %" PRId32
                       "; expected type %d (session info) and length %d",
                       header.type, qn_imd_type_name(header.type), header.length, QN_IMD_SESSION, QN_IMD_SESSION_BYTES);
    QN_TRY(receive_greeting(live, bytes, QN_IMD_SESSION_BYTES, "the body of the session info"));
    QN_TRY(qn_imd_session_read(bytes, &session));
    if (!session.coordinates)
        return QN_FAIL(QN_UNSUPPORTED, "the simulation sends no coordinates; expected one that sends them");
    live->packet_count = qn_imd_session_packets(&session, live->packets);
    return QN_OK;
}

static qn_status shake_hands(qn_live *live)
{
    unsigned char bytes[QN_IMD_HEADER_BYTES];
    QN_TRY(receive_greeting(live, bytes, sizeof bytes, "a handshake"));
    QN_TRY(qn_imd_handshake_read(bytes, &live->speech));
    live->facts.version = live->speech.version;
    if (live->speech.version >= 3) QN_TRY(receive_session(live));
    qn_live_socket_send(&live->socket, QN_IMD_GO, 0);
    if (live->options.every > 0) qn_live_socket_send(&live->socket, QN_IMD_RATE, live->options.every);
    qn_log(QN_LOG_NOTE, "connected to the simulation at %s (IMD version %d)", live->address, live->speech.version);
    return QN_OK;
}

/* ---- the ring ---- */

/* Wait for a free slot, and let `coming` use its positions. Returns false if the reader has stopped. */
static bool wait_for_room(qn_live *live)
{
    pthread_mutex_lock(&live->mutex);
    while (live->count == live->options.ring_frames && !live->closing) pthread_cond_wait(&live->room, &live->mutex);
    const bool wanted = !live->closing;
    if (wanted) {
        const int slot = (live->first + live->count) % live->options.ring_frames;
        live->coming.positions_nm = live->positions + 3 * live->options.atom_count * (size_t)slot;
    }
    pthread_mutex_unlock(&live->mutex);
    return wanted;
}

/* Count missing frames. Version 3 has equally spaced steps, so a distance of k times the smallest one means that k − 1
 * frames are missing. */
static void count_dropped(qn_live *live)
{
    const int64_t step = live->coming.step, distance = step - live->last_step;
    const bool comparable = live->speech.version >= 3 && step >= 0 && live->last_step >= 0 && distance > 0;
    if (comparable && live->spacing == 0) live->spacing = distance;
    if (comparable && distance > live->spacing && distance % live->spacing == 0)
        live->facts.dropped += (uint64_t)(distance / live->spacing - 1);
    if (comparable && distance < live->spacing) live->spacing = distance;
    live->last_step = step;
}

/* Append the received frame to the ring. If the ring is full then, ask the simulation to pause; frames that it sends
 * meanwhile wait in the connection. */
static void publish(qn_live *live)
{
    pthread_mutex_lock(&live->mutex);
    live->coming.number = live->facts.received++;
    if (isnan(live->coming.time_ps) && live->coming.step >= 0 && live->options.step_ps > 0)
        live->coming.time_ps = (double)live->coming.step * live->options.step_ps;
    live->ring[(live->first + live->count) % live->options.ring_frames] = live->coming;
    live->count++;
    count_dropped(live);
    if (live->count == live->options.ring_frames && !live->paused) {
        live->paused = true;
        live->facts.pauses++;
        atomic_store(&live->socket.patient, true);
        qn_live_socket_send(&live->socket, QN_IMD_PAUSE, 0);
    }
    pthread_cond_signal(&live->arrived);
    pthread_mutex_unlock(&live->mutex);
    live->begun = live->held = false;
    live->cursor = 0;
    live->coming.step = -1;
    live->coming.time_ps = (double)NAN;
}

/* Resume the simulation if it is paused. The caller holds the mutex. Version 2 has one packet type for both, which
 * pauses and resumes in turn. */
static void resume(qn_live *live)
{
    if (!live->paused) return;
    live->paused = false;
    qn_live_socket_send(&live->socket, live->speech.version >= 3 ? QN_IMD_RESUME : QN_IMD_PAUSE, 0);
    atomic_store(&live->socket.patient, false);
}

/* ---- receiving ---- */

static bool receive_body(qn_live *live, void *data, size_t size, qn_live_arrival *arrival)
{
    *arrival = qn_live_socket_receive(&live->socket, data, size, NULL);
    return *arrival == QN_LIVE_WHOLE;
}

/* Receive and discard bytes. */
static bool receive_nothing(qn_live *live, size_t size, qn_live_arrival *arrival)
{
    unsigned char unwanted[4096];
    *arrival = QN_LIVE_WHOLE;
    while (size > 0 && *arrival == QN_LIVE_WHOLE) {
        const size_t piece = size < sizeof unwanted ? size : sizeof unwanted;
        receive_body(live, unwanted, piece, arrival);
        size -= piece;
    }
    return *arrival == QN_LIVE_WHOLE;
}

static qn_status receive_positions(qn_live *live, size_t size, qn_live_arrival *arrival)
{
    if (live->held) publish(live); /* the energies of the frame before are missing */
    if (!wait_for_room(live)) {
        *arrival = QN_LIVE_STOPPED;
        return QN_OK;
    }
    live->begun = true;
    if (!receive_body(live, live->coming.positions_nm, size, arrival)) return QN_OK;
    return qn_imd_positions_read(&live->speech, live->options.atom_count, live->coming.positions_nm);
}

static qn_status take_packet(qn_live *live, qn_imd_type type, size_t size, qn_live_arrival *arrival)
{
    unsigned char body[QN_IMD_ENERGIES_BYTES]; /* the largest body that is used, besides coordinates */
    if (type == QN_IMD_COORDINATES) return receive_positions(live, size, arrival);
    if (type == QN_IMD_VELOCITIES || type == QN_IMD_FORCES) {
        receive_nothing(live, size, arrival);
        return QN_OK;
    }
    if (!receive_body(live, body, size, arrival)) return QN_OK;
    if (type == QN_IMD_BOX) return qn_imd_box_read(&live->speech, body, live->coming.box_nm);
    if (type == QN_IMD_TIME)
        qn_imd_time_read(&live->speech, body, &live->coming.time_ps, &live->coming.step);
    else if (live->speech.version < 3 || live->coming.step < 0)
        live->coming.step = qn_imd_energies_step(&live->speech, body);
    return QN_OK;
}

/* Handle the order of packets in version 2: a frame is complete with its coordinates, or with the energies after them.
 */
static void sort_packet(qn_live *live, qn_imd_type type)
{
    if (live->order == ORDER_UNKNOWN) live->order = type == QN_IMD_ENERGIES ? ENERGIES_FIRST : COORDINATES_FIRST;
    if (type == QN_IMD_COORDINATES && live->order == COORDINATES_FIRST)
        live->held = true;
    else if (type == QN_IMD_COORDINATES || live->held)
        publish(live);
}

/* Receive one packet. *arrival says whether the connection has ended. */
static qn_status receive_packet(qn_live *live, qn_live_arrival *arrival)
{
    unsigned char bytes[QN_IMD_HEADER_BYTES];
    size_t size = 0, received;
    *arrival = qn_live_socket_receive(&live->socket, bytes, sizeof bytes, &received);
    live->begun |= received > 0 && !live->held;
    if (*arrival != QN_LIVE_WHOLE) return QN_OK;
    const qn_imd_header header = qn_imd_header_read(bytes);
    if (header.type == QN_IMD_DISCONNECT) {
        live->begun = live->cursor > 0;
        *arrival = QN_LIVE_CLOSED;
        return QN_OK;
    }
    const bool ordered = live->speech.version >= 3;
    QN_TRY(qn_imd_body_bytes(header, live->speech.version, live->options.atom_count, &size));
    if (ordered && header.type != (int32_t)live->packets[live->cursor])
        return QN_FAIL(QN_BAD_FORMAT, "a packet of type %" PRId32 " (%s) came; expected type %d (%s), as announced",
                       header.type, qn_imd_type_name(header.type), live->packets[live->cursor],
                       qn_imd_type_name((int32_t)live->packets[live->cursor]));
    QN_TRY(take_packet(live, (qn_imd_type)header.type, size, arrival));
    if (*arrival != QN_LIVE_WHOLE) return QN_OK;
    if (!ordered)
        sort_packet(live, (qn_imd_type)header.type);
    else if (++live->cursor == live->packet_count)
        publish(live);
    return QN_OK;
}

static void say_ending(qn_live *live, qn_live_arrival arrival)
{
    const uint64_t frames = live->facts.received;
    char *ending = live->facts.ending;
    const size_t bytes = sizeof live->facts.ending;
    if (arrival == QN_LIVE_STOPPED)
        snprintf(ending, bytes, "reading was stopped after %s", qn_count_of(frames, "frame").text);
    else if (arrival == QN_LIVE_SILENT)
        snprintf(ending, bytes, "nothing came for %g s; %s had been read", live->socket.timeout_s,
                 qn_count_of(frames, "frame").text);
    else if (live->begun)
        snprintf(ending, bytes, "the connection was cut inside frame %" PRIu64 " (from 0); the %s before it %s read",
                 frames, qn_count_of(frames, "frame").text, frames == 1 ? "was" : "were");
    else
        snprintf(ending, bytes, "the simulation ended the connection after %s", qn_count_of(frames, "frame").text);
}

static qn_status receive_all(void *user)
{
    qn_live *live = user;
    qn_live_arrival arrival = QN_LIVE_WHOLE;
    qn_status status = QN_OK;
    while (status == QN_OK && arrival == QN_LIVE_WHOLE) status = receive_packet(live, &arrival);
    if (live->held) publish(live);
    if (status != QN_OK) qn_error_add_context(status, "%s: frame %" PRIu64, live->address, live->facts.received);
    pthread_mutex_lock(&live->mutex);
    if (status == QN_OK)
        say_ending(live, arrival);
    else
        snprintf(live->facts.ending, sizeof live->facts.ending, "%s", qn_error_message());
    qn_error_save(status, &live->trail);
    live->ended = true;
    pthread_cond_signal(&live->arrived);
    pthread_mutex_unlock(&live->mutex);
    return QN_OK; /* qn_live_read returns the error in `trail` */
}

/* ---- life cycle ---- */

static qn_status check_options(const qn_live_options *options)
{
    if (!options->address || !*options->address)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the address of the simulation is empty");
    if (options->atom_count == 0 || options->atom_count > INT32_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the topology has %s; expected 1 to %d, as IMD can count",
                       options->address, qn_count_of(options->atom_count, "atom").text, INT32_MAX);
    return QN_OK;
}

static qn_status make_ring(qn_live *live)
{
    void *memory;
    const size_t atoms = live->options.atom_count, frames = (size_t)live->options.ring_frames;
    QN_TRY(qn_allocate(frames, sizeof *live->ring, &memory));
    live->ring = memory;
    QN_TRY(qn_allocate(frames, 3 * sizeof(float) * atoms, &memory));
    live->positions = memory;
    live->coming = (qn_trajectory_frame){.step = -1, .time_ps = (double)NAN, .atom_count = atoms};
    memcpy(live->coming.box_nm, live->options.box_nm, sizeof live->coming.box_nm);
    live->last_step = -1;
    return QN_OK;
}

static qn_status start(qn_live *live)
{
    const double timeout_s = live->options.timeout_s;
    const double connect_s = timeout_s < most_connect_s ? timeout_s : most_connect_s;
    QN_TRY(make_ring(live));
    QN_TRY(qn_live_socket_connect(live->address, connect_s, &live->socket));
    const qn_status status = shake_hands(live);
    if (status != QN_OK) return qn_error_add_context(status, "%s", live->address);
    live->socket.timeout_s = timeout_s;
    return qn_thread_start(&live->receiver, receive_all, live);
}

qn_status qn_live_open(qn_context *context, const qn_live_options *options, qn_live **live)
{
    (void)context; /* the receiver has its own thread, not one of the pool, because it waits for a network */
    *live = NULL;
    QN_TRY(check_options(options));
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_live), &memory));
    qn_live *opened = memory;
    opened->options = *options;
    opened->socket.descriptor = -1;
    if (opened->options.ring_frames < 2) opened->options.ring_frames = 2;
    if (!(opened->options.timeout_s > 0)) opened->options.timeout_s = qn_live_default_options().timeout_s;
    pthread_mutex_init(&opened->mutex, NULL);
    pthread_cond_init(&opened->arrived, NULL);
    pthread_cond_init(&opened->room, NULL);
    qn_status status = qn_text_copy(options->address, &opened->address);
    opened->options.address = opened->address;
    if (status == QN_OK) status = start(opened);
    if (status == QN_OK)
        *live = opened;
    else
        qn_live_close(&opened);
    return status;
}

qn_status qn_live_read(qn_live *live, qn_trajectory_frame *frame, bool *end)
{
    *end = false;
    pthread_mutex_lock(&live->mutex);
    while (!live->ended && (live->count == 0 || live->closing)) pthread_cond_wait(&live->arrived, &live->mutex);
    if (live->count == 0 || live->closing) {
        const qn_status status = live->closing ? QN_OK : qn_error_restore(&live->trail);
        pthread_mutex_unlock(&live->mutex);
        *end = status == QN_OK;
        return status;
    }
    const qn_trajectory_frame *slot = &live->ring[live->first];
    pthread_mutex_unlock(&live->mutex);
    float *positions = frame->positions_nm; /* the receiver does not use the slot until `count` is lowered */
    memcpy(positions, slot->positions_nm, 3 * sizeof(float) * slot->atom_count);
    *frame = *slot;
    frame->positions_nm = positions;
    pthread_mutex_lock(&live->mutex);
    live->first = (live->first + 1) % live->options.ring_frames;
    live->count--;
    if (live->count <= live->options.ring_frames / 2) resume(live);
    pthread_cond_signal(&live->room);
    pthread_mutex_unlock(&live->mutex);
    return QN_OK;
}

void qn_live_facts_of(qn_live *live, qn_live_facts *facts)
{
    pthread_mutex_lock(&live->mutex);
    *facts = live->facts;
    pthread_mutex_unlock(&live->mutex);
}

void qn_live_stop(qn_live *live)
{
    pthread_mutex_lock(&live->mutex);
    live->closing = true;
    qn_live_socket_stop(&live->socket);
    pthread_cond_broadcast(&live->arrived);
    pthread_cond_broadcast(&live->room);
    pthread_mutex_unlock(&live->mutex);
}

void qn_live_close(qn_live **live)
{
    if (!live || !*live) return;
    qn_live *closed = *live;
    qn_live_stop(closed);
    if (closed->receiver.started) {
        (void)qn_thread_join(&closed->receiver);
        resume(closed); /* so that a paused simulation continues without a client */
        qn_live_socket_send(&closed->socket, QN_IMD_DISCONNECT, 0);
    }
    qn_live_socket_close(&closed->socket);
    pthread_cond_destroy(&closed->room);
    pthread_cond_destroy(&closed->arrived);
    pthread_mutex_destroy(&closed->mutex);
    qn_release(&closed->positions);
    qn_release(&closed->ring);
    qn_release(&closed->address);
    qn_release(live);
}
