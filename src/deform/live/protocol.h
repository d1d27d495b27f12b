/* The bytes between a hand's device and the loop: docs/formats/haptic_protocol.md.
 *
 * Frames have 64 bytes, little-endian. Sentences of the server are lines of JSON. */
#ifndef QN_DEFORM_LIVE_PROTOCOL_H
#define QN_DEFORM_LIVE_PROTOCOL_H

#include <stddef.h>

#include "base/text.h"
#include "deform/space/grid.h"

enum { QN_FRAME_BYTES = 64, QN_PROTOCOL_VERSION = 1 };

/* A frame from a client. */
typedef struct qn_hand_frame {
    bool asks_for_shape; /* QHS1, which has nothing else; else QHP1 */
    uint64_t sequence;
    double time_s, place[3];
    uint32_t buttons, flags;
} qn_hand_frame;

enum { QN_HAND_GRABS = 1 }; /* flag of a hand's frame */

/* A frame to a hand. */
typedef struct qn_force_frame {
    uint64_t sequence;
    double time_s, force[3];
    uint32_t flags; /* qn_tick_flag */
    double age_s;
    int32_t cell[3];
} qn_force_frame;

void qn_force_frame_write(const qn_force_frame *frame, unsigned char bytes[QN_FRAME_BYTES]);

/* For clients and tests. */
void qn_hand_frame_write(const qn_hand_frame *frame, unsigned char bytes[QN_FRAME_BYTES]);
bool qn_force_frame_read(const unsigned char bytes[QN_FRAME_BYTES], qn_force_frame *frame);

typedef enum qn_frame_fault {
    QN_FRAME_SOUND,
    QN_FRAME_MAGIC,
    QN_FRAME_SIZE,
    QN_FRAME_NUMBER,   /* not finite */
    QN_FRAME_SEQUENCE, /* does not rise */
    QN_FRAME_SHAPE     /* QHS1 after QHP1 */
} qn_frame_fault;

/* Bytes of a client as they come, in any pieces. Zero-initialise. After a fault the stream is over. */
typedef struct qn_frame_stream {
    unsigned char bytes[QN_FRAME_BYTES];
    size_t filled;
    bool has_sequence;
    uint64_t sequence; /* of the last frame */
    qn_frame_fault fault;
} qn_frame_stream;

/* Take bytes up to the end of a frame; returns how many. *is_complete: `frame` is a new sound frame. A wrong beginning
 * is a fault before all of its frame has come. No allocation, no lock. */
size_t qn_frame_stream_take(qn_frame_stream *stream, const unsigned char *data, size_t size, qn_hand_frame *frame,
                            bool *is_complete);

/* A sentence about the fault of a stream. */
QN_MUST_CHECK qn_status qn_frame_stream_explain(const qn_frame_stream *stream, qn_text *sentence);

/* The line that greets a client, and the line that dismisses it. */
QN_MUST_CHECK qn_status qn_protocol_greeting(double rate_hz, size_t node_count, const qn_grid *grid, qn_text *line);
QN_MUST_CHECK qn_status qn_protocol_refusal(const char *sentence, qn_text *line);

#endif
