/* Encode and decode the packets of IMD, the protocol of interactive molecular dynamics. Sockets are elsewhere.
 *
 * A packet is a header of two big-endian words, type and length, and a body in the byte order of the simulation's
 * machine, which follows from the first packet. The length of a frame's packets is the number of atoms, or 1.
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
    QN_IMD_PAUSE, /* version 2: pause or resume; version 3: pause */
    QN_IMD_RATE,
    QN_IMD_IO_ERROR,
    QN_IMD_SESSION, /* this type and those below are of version 3 only */
    QN_IMD_RESUME,
    QN_IMD_TIME,
    QN_IMD_BOX,
    QN_IMD_VELOCITIES,
    QN_IMD_FORCES,
    QN_IMD_WAIT,
    QN_IMD_TYPES /* number of types */
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

/* Version and byte order of the simulation's packets. */
typedef struct qn_imd_speech {
    int version;
    bool big_endian;
} qn_imd_speech;

/* The kinds of data that a version 3 simulation announces. */
typedef struct qn_imd_session {
    bool time, energies, box, coordinates, wrapped, velocities, forces;
} qn_imd_session;

/* Name of a type, such as "coordinates"; "unknown" for other numbers. */
const char *qn_imd_type_name(int32_t type);

void qn_imd_header_write(int32_t type, int32_t length, unsigned char bytes[QN_IMD_HEADER_BYTES]);
qn_imd_header qn_imd_header_read(const unsigned char bytes[QN_IMD_HEADER_BYTES]);

/* Decode the first packet. QN_BAD_FORMAT if it is not a handshake, QN_UNSUPPORTED for versions other than 2 and 3. */
QN_MUST_CHECK qn_status qn_imd_handshake_read(const unsigned char bytes[QN_IMD_HEADER_BYTES], qn_imd_speech *speech);

/* QN_BAD_FORMAT for a flag that is neither 0 nor 1. */
QN_MUST_CHECK qn_status qn_imd_session_read(const unsigned char bytes[QN_IMD_SESSION_BYTES], qn_imd_session *session);

/* List the types of a frame's packets in the order in which they are sent; returns their number. */
int qn_imd_session_packets(const qn_imd_session *session, qn_imd_type packets[QN_IMD_FRAME_PACKETS]);

/* Number of bytes of the body of a frame's packet, from a simulation with `atom_count` atoms. QN_BAD_FORMAT for other
 * types and lengths; the message says what was expected. */
QN_MUST_CHECK qn_status qn_imd_body_bytes(qn_imd_header header, int version, size_t atom_count, size_t *bytes);

int64_t qn_imd_energies_step(const qn_imd_speech *speech, const unsigned char body[QN_IMD_ENERGIES_BYTES]);
void qn_imd_time_read(const qn_imd_speech *speech, const unsigned char body[QN_IMD_TIME_BYTES], double *time_ps,
                      int64_t *step);

/* Decode a box, and convert it from Å to nm. QN_BAD_FORMAT for a number that is not finite. */
QN_MUST_CHECK qn_status qn_imd_box_read(const qn_imd_speech *speech, const unsigned char body[QN_IMD_BOX_BYTES],
                                        double box_nm[9]);

/* Decode in place `atom_count` × 3 floats, from bytes in Å to floats in nm. QN_BAD_FORMAT for a number that is not
 * finite; the message names the atom. */
QN_MUST_CHECK qn_status qn_imd_positions_read(const qn_imd_speech *speech, size_t atom_count, float *positions);

#endif
