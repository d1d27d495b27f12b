/* Packets of IMD, the protocol of interactive molecular dynamics, as bytes: no sockets here.
 *
 * A packet is a header of two big-endian words, type and length, and a body in the byte order of the simulation's
 * machine, which its first packet tells. Lengths count things, not bytes: atoms, or one block.
 */
#ifndef QN_FRAMES_IMD_PACKETS_H
#define QN_FRAMES_IMD_PACKETS_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum qn_imd_type {
    QN_IMD_DISCONNECT,
    QN_IMD_ENERGIES,
    QN_IMD_COORDINATES,
    QN_IMD_GO,
    QN_IMD_HANDSHAKE,
    QN_IMD_KILL,
    QN_IMD_FORCES_TO_APPLY,
    QN_IMD_PAUSE, /* version 2: stop or go on; version 3: stop */
    QN_IMD_RATE,
    QN_IMD_IO_ERROR,
    QN_IMD_SESSION, /* this and all that follow: version 3 */
    QN_IMD_RESUME,
    QN_IMD_TIME,
    QN_IMD_BOX,
    QN_IMD_VELOCITIES,
    QN_IMD_FORCES,
    QN_IMD_WAIT,
    QN_IMD_TYPES /* how many there are */
} qn_imd_type;

enum {
    QN_IMD_HEADER_BYTES = 8,
    QN_IMD_SESSION_BYTES = 7,
    QN_IMD_ENERGIES_BYTES = 40, /* step, then nine energies and temperatures as floats */
    QN_IMD_TIME_BYTES = 24,
    QN_IMD_BOX_BYTES = 36,
    QN_IMD_ATOM_BYTES = 12,
    QN_IMD_FRAME_PACKETS = 6 /* most packets of a version 3 frame */
};

typedef struct qn_imd_header {
    int32_t type, length;
} qn_imd_header;

/* How the simulation speaks: its version, and whether its numbers are big-endian. */
typedef struct qn_imd_speech {
    int version;
    bool big_endian;
} qn_imd_speech;

/* What a version 3 simulation says it sends. */
typedef struct qn_imd_session {
    bool time, energies, box, coordinates, wrapped, velocities, forces;
} qn_imd_session;

/* "coordinates"; "unknown" for a number that is no type. */
const char *qn_imd_type_name(int32_t type);

void qn_imd_header_write(int32_t type, int32_t length, unsigned char bytes[QN_IMD_HEADER_BYTES]);
qn_imd_header qn_imd_header_read(const unsigned char bytes[QN_IMD_HEADER_BYTES]);

/* The first packet. QN_BAD_FORMAT when it is no handshake, QN_UNSUPPORTED for versions other than 2 and 3. */
QN_MUST_CHECK qn_status qn_imd_handshake_read(const unsigned char bytes[QN_IMD_HEADER_BYTES], qn_imd_speech *speech);

/* QN_BAD_FORMAT for a flag that is neither 0 nor 1. */
QN_MUST_CHECK qn_status qn_imd_session_read(const unsigned char bytes[QN_IMD_SESSION_BYTES], qn_imd_session *session);

/* Types of the packets of a frame in the order in which they come; returns how many. */
int qn_imd_session_packets(const qn_imd_session *session, qn_imd_type packets[QN_IMD_FRAME_PACKETS]);

/* Bytes of the body of a packet that may come within a run, where a simulation of `atom_count` atoms sent it.
 * QN_BAD_FORMAT for other types and lengths, saying what was expected. */
QN_MUST_CHECK qn_status qn_imd_body_bytes(qn_imd_header header, int version, size_t atom_count, size_t *bytes);

int64_t qn_imd_energies_step(const qn_imd_speech *speech, const unsigned char body[QN_IMD_ENERGIES_BYTES]);
void qn_imd_time_read(const qn_imd_speech *speech, const unsigned char body[QN_IMD_TIME_BYTES], double *time_ps,
                      int64_t *step);

/* Å to nm. QN_BAD_FORMAT for a number that is not finite. */
QN_MUST_CHECK qn_status qn_imd_box_read(const qn_imd_speech *speech, const unsigned char body[QN_IMD_BOX_BYTES],
                                        double box_nm[9]);

/* In place: from the bytes of `atom_count` × 3 floats in Å to floats in nm. QN_BAD_FORMAT, naming the atom, for a
 * number that is not finite. */
QN_MUST_CHECK qn_status qn_imd_positions_read(const qn_imd_speech *speech, size_t atom_count, float *positions);

#endif
