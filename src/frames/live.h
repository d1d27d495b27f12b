/* A simulation that is still running, over IMD (interactive molecular dynamics), version 2 or 3.
 *
 * A separate thread receives frames into a ring of fixed size. When the ring is full, the simulation is asked to pause,
 * and to resume when half of the ring is free. So no frame is lost if the analysis is slow.
 *
 * Life cycle: open (handshake) → read → close. Thread rule: one thread reads; any thread may stop or ask for facts.
 */
#ifndef QN_FRAMES_LIVE_H
#define QN_FRAMES_LIVE_H

#include <quern/device.h>
#include <quern/frame.h>
#include <quern/log.h>

typedef struct qn_live qn_live;

typedef struct qn_live_options {
    const char *address; /* "host:8888"; the port may be left out */
    size_t atom_count;   /* of the topology; packets with another number of atoms are refused */
    double box_nm[9];    /* of the topology, for simulations that send no box, such as those of version 2 */
    int ring_frames;     /* number of frames of the ring; default 16 */
    double timeout_s;    /* longest time without data, default 600; at most 30 s of it for connecting */
    int every;           /* ask the simulation to send every n-th step; 0: do not ask */
    double step_ps;      /* time of one step, for simulations that send steps but no times; 0: unknown */
} qn_live_options;

typedef struct qn_live_facts {
    int version;
    uint64_t received, pauses; /* number of frames received; number of times that the simulation was asked to pause */
    uint64_t dropped;          /* number of frames missing by their steps; version 3 only */
    char ending[256];          /* one sentence on the end of the connection; "" while it is open */
} qn_live_facts;

qn_live_options qn_live_default_options(void);
QN_MUST_CHECK qn_status qn_live_open(qn_context *context, const qn_live_options *options, qn_live **live);

/* End reading now. Any thread may call. */
void qn_live_stop(qn_live *live);

/* Read the next frame into `frame`, which has memory for all atoms. *end is set when the connection has ended and all
 * frames were read, which is not an error. QN_BAD_FORMAT for an invalid packet; the message names address, frame and
 * reason.
 */
QN_MUST_CHECK qn_status qn_live_read(qn_live *live, qn_trajectory_frame *frame, bool *end);
void qn_live_facts_of(qn_live *live, qn_live_facts *facts);
void qn_live_close(qn_live **live);

#endif
