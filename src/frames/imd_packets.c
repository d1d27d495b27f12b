#include "frames/imd_packets.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

static const double nm_per_angstrom = 0.1;

const char *qn_imd_type_name(int32_t type)
{
    static const char *const names[QN_IMD_TYPES] = {
        "disconnect", "energies",           "coordinates",  "go",     "handshake", "kill", "forces to apply", "pause",
        "rate",       "input/output error", "session info", "resume", "time",      "box",  "velocities",      "forces",
        "wait"};
    return type >= 0 && type < QN_IMD_TYPES ? names[type] : "unknown";
}

static uint32_t word_of(const unsigned char *bytes, bool big_endian)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) word = word << 8 | bytes[big_endian ? i : 3 - i];
    return word;
}

static uint64_t long_word_of(const unsigned char *bytes, bool big_endian)
{
    const uint64_t first = word_of(bytes, big_endian), second = word_of(bytes + 4, big_endian);
    return big_endian ? first << 32 | second : second << 32 | first;
}

static float float_of(const unsigned char *bytes, bool big_endian)
{
    const uint32_t word = word_of(bytes, big_endian);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double double_of(const unsigned char *bytes, bool big_endian)
{
    const uint64_t word = long_word_of(bytes, big_endian);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

void qn_imd_header_write(int32_t type, int32_t length, unsigned char bytes[QN_IMD_HEADER_BYTES])
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)((uint32_t)type >> (24 - 8 * i));
        bytes[4 + i] = (unsigned char)((uint32_t)length >> (24 - 8 * i));
    }
}

qn_imd_header qn_imd_header_read(const unsigned char bytes[QN_IMD_HEADER_BYTES])
{
    return (qn_imd_header){(int32_t)word_of(bytes, true), (int32_t)word_of(bytes + 4, true)};
}

qn_status qn_imd_handshake_read(const unsigned char bytes[QN_IMD_HEADER_BYTES], qn_imd_speech *speech)
{
    const qn_imd_header header = qn_imd_header_read(bytes);
    if (header.type != QN_IMD_HANDSHAKE)
        return QN_FAIL(QN_BAD_FORMAT,
                       "the first packet is of type %" PRId32 " (%s); expected %d (handshake) from a simulation "
                       "that speaks IMD",
                       header.type, qn_imd_type_name(header.type), QN_IMD_HANDSHAKE);
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        const uint32_t version = word_of(bytes + 4, big_endian);
        if (version > 0 && version < 0x10000) { /* a small number in the wrong byte order is a large one */
            if (version != 2 && version != 3)
                return QN_FAIL(QN_UNSUPPORTED, "the simulation speaks IMD version %" PRIu32 "; expected 2 or 3",
                               version);
            *speech = (qn_imd_speech){(int)version, big_endian};
            return QN_OK;
        }
    }
    return QN_FAIL(QN_BAD_FORMAT, "the handshake's version is 0x%08" PRIX32 "; expected 2 or 3 in either byte order",
                   word_of(bytes + 4, true));
}

qn_status qn_imd_session_read(const unsigned char bytes[QN_IMD_SESSION_BYTES], qn_imd_session *session)
{
    static const char *const names[QN_IMD_SESSION_BYTES] = {"time",    "energies",   "box",   "coordinates",
                                                            "wrapped", "velocities", "forces"};
    for (int i = 0; i < QN_IMD_SESSION_BYTES; i++)
        if (bytes[i] > 1)
            return QN_FAIL(QN_BAD_FORMAT, "the session info's flag \"%s\" is %d; expected 0 or 1", names[i], bytes[i]);
    *session = (qn_imd_session){bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6]};
    return QN_OK;
}

int qn_imd_session_packets(const qn_imd_session *session, qn_imd_type packets[QN_IMD_FRAME_PACKETS])
{
    const struct {
        bool sent;
        qn_imd_type type;
    } order[QN_IMD_FRAME_PACKETS] = {{session->time, QN_IMD_TIME},
                                     {session->energies, QN_IMD_ENERGIES},
                                     {session->box, QN_IMD_BOX},
                                     {session->coordinates, QN_IMD_COORDINATES},
                                     {session->velocities, QN_IMD_VELOCITIES},
                                     {session->forces, QN_IMD_FORCES}};
    int count = 0;
    for (int i = 0; i < QN_IMD_FRAME_PACKETS; i++)
        if (order[i].sent) packets[count++] = order[i].type;
    return count;
}

qn_status qn_imd_body_bytes(qn_imd_header header, int version, size_t atom_count, size_t *bytes)
{
    bool known = header.type == QN_IMD_ENERGIES || header.type == QN_IMD_COORDINATES;
    if (version >= 3)
        known |= header.type == QN_IMD_TIME || header.type == QN_IMD_BOX || header.type == QN_IMD_VELOCITIES ||
                 header.type == QN_IMD_FORCES;
    if (!known)
        return QN_FAIL(QN_BAD_FORMAT,
                       "a packet of type %" PRId32
                       " (%s) came; expected coordinates or another packet of a frame in version %d",
                       header.type, qn_imd_type_name(header.type), version);
    const bool per_atom =
        header.type == QN_IMD_COORDINATES || header.type == QN_IMD_VELOCITIES || header.type == QN_IMD_FORCES;
    if (per_atom && (header.length < 0 || (size_t)header.length != atom_count))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s of %" PRId32
                       " atoms came; expected %zu, as many as the topology has (the simulation must send "
                       "all atoms: in GROMACS imd-group = System)",
                       qn_imd_type_name(header.type), header.length, atom_count);
    if (!per_atom && header.length != 1)
        return QN_FAIL(QN_BAD_FORMAT, "a packet of type %" PRId32 " (%s) has length %" PRId32 "; expected 1",
                       header.type, qn_imd_type_name(header.type), header.length);
    *bytes = per_atom                         ? atom_count * QN_IMD_ATOM_BYTES
             : header.type == QN_IMD_ENERGIES ? QN_IMD_ENERGIES_BYTES
             : header.type == QN_IMD_TIME     ? QN_IMD_TIME_BYTES
                                              : QN_IMD_BOX_BYTES;
    return QN_OK;
}

int64_t qn_imd_energies_step(const qn_imd_speech *speech, const unsigned char body[QN_IMD_ENERGIES_BYTES])
{
    return (int32_t)word_of(body, speech->big_endian);
}

void qn_imd_time_read(const qn_imd_speech *speech, const unsigned char body[QN_IMD_TIME_BYTES], double *time_ps,
                      int64_t *step)
{
    *time_ps = double_of(body + 8, speech->big_endian); /* the time step comes before it */
    *step = (int64_t)long_word_of(body + 16, speech->big_endian);
}

qn_status qn_imd_box_read(const qn_imd_speech *speech, const unsigned char body[QN_IMD_BOX_BYTES], double box_nm[9])
{
    for (int i = 0; i < 9; i++) {
        const double value = (double)float_of(body + 4 * i, speech->big_endian);
        if (!isfinite(value))
            return QN_FAIL(QN_BAD_FORMAT, "component %c of box vector %c is %g; expected a finite length", "xyz"[i % 3],
                           "abc"[i / 3], value);
        box_nm[i] = nm_per_angstrom * value;
    }
    return QN_OK;
}

qn_status qn_imd_positions_read(const qn_imd_speech *speech, size_t atom_count, float *positions)
{
    const unsigned char *bytes = (const unsigned char *)positions;
    for (size_t i = 0; i < 3 * atom_count; i++) {
        const float value = float_of(bytes + 4 * i, speech->big_endian);
        if (!isfinite(value))
            return QN_FAIL(QN_BAD_FORMAT, "coordinate %c of atom %zu is %g; expected a finite number", "xyz"[i % 3],
                           i / 3, (double)value);
        positions[i] = (float)(nm_per_angstrom * (double)value);
    }
    return QN_OK;
}
