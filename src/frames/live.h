/* A simulation that is still running, over IMD (interactive molecular dynamics), version 2 or 3.
 *
 * A thread of its own receives; frames wait in a ring of fixed size. When it is full the simulation is asked to pause,
 * and to go on when there is room: no frame is lost to a slow analysis.
 *
 * Life cycle: open (handshake) → read → close. Thread rule: one thread reads; any may stop it or ask for facts.
 */
#ifndef QN_FRAMES_LIVE_H
#define QN_FRAMES_LIVE_H

#include <quern/device.h>
#include <quern/frame.h>
#include <quern/log.h>

typedef struct qn_live qn_live;

typedef struct qn_live_options {
    const char *address; /* "host:8888"; the port may be left out */
    size_t atom_count;   /* of the topology: packets of other counts are refused */
    double box_nm[9];    /* of the topology, for simulations that send none, as those of version 2 */
    int ring_frames;     /* default 16 */
    double timeout_s;    /* without a packet, default 600; to connect at most 30, with one try a second */
    int every;           /* the simulation is asked to send every n-th step; 0: as it does */
    double step_ps;      /* what a step takes, for simulations that send steps and no times; 0: not known */
} qn_live_options;

typedef struct qn_live_facts {
    int version;
    uint64_t received, pauses; /* frames; times the simulation was asked to wait */
    uint64_t dropped;          /* frames that version 3 announced by step and that never came */
    char ending[256];          /* how the connection ended, one sentence; "" while it lives */
} qn_live_facts;

qn_live_options qn_live_default_options(void);
QN_MUST_CHECK qn_status qn_live_open(qn_context *context, const qn_live_options *options, qn_live **live);

/* From any thread: reading comes to its end now. */
void qn_live_stop(qn_live *live);

/* The next frame into `frame`, which has room for all atoms; *end when the connection is over and all was read. Coming
 * to the end is no error; a hostile or broken packet is: QN_BAD_FORMAT naming address, frame and what was wrong. */
QN_MUST_CHECK qn_status qn_live_read(qn_live *live, qn_trajectory_frame *frame, bool *end);
void qn_live_facts_of(qn_live *live, qn_live_facts *facts);
void qn_live_close(qn_live **live);

#endif
