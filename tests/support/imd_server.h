/* An imitated simulation that speaks IMD, for tests: it sends given frames to the first client, obeys pauses, and
 * misbehaves where an option says so. It packs its bytes itself, so that it does not share a mistake with the client.
 *
 *     imd_server *server = imd_server_start(&options);
 *     … connect to localhost, imd_server_port(server) …
 *     imd_server_record record = imd_server_finish(&server);
 */
#ifndef QN_TESTS_IMD_SERVER_H
#define QN_TESTS_IMD_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum imd_trouble {
    IMD_NO_TROUBLE,
    /* greeting */
    IMD_NO_GREETING,     /* sends nothing */
    IMD_NOT_IMD,         /* "HTTP/1.1" */
    IMD_WRONG_VERSION,   /* 4 */
    IMD_SESSION_LENGTH,  /* 6 */
    IMD_SESSION_FLAG,    /* 7 in a flag */
    IMD_SESSION_MISSING, /* coordinates in place of the session info */
    /* at frame `trouble_frame` */
    IMD_UNKNOWN_TYPE, /* 99 in place of coordinates */
    IMD_MORE_ATOMS,
    IMD_NEGATIVE_ATOMS,
    IMD_NOT_FINITE,   /* y of atom 1 */
    IMD_OUT_OF_ORDER, /* coordinates come first */
    IMD_LEFT_OUT,     /* no box, although it was announced */
    IMD_LONG_BLOCK,   /* the first packet has length 2 */
    IMD_CUT,          /* closed in the middle of the coordinates */
    IMD_CUT_HEADER,   /* closed in the middle of a header */
    IMD_RESET,        /* reset in the middle of the coordinates */
    IMD_SILENCE       /* sends nothing more until the client leaves */
} imd_trouble;

typedef enum imd_energies { IMD_ENERGIES_NONE, IMD_ENERGIES_BEFORE, IMD_ENERGIES_AFTER } imd_energies;

typedef struct imd_server_options {
    int version;
    bool big_endian;
    bool session[7];       /* version 3: time energies box coordinates wrapped velocities forces */
    imd_energies energies; /* version 2 */
    size_t atom_count;
    int frames;
    const float *positions_angstrom; /* frames × atom_count × 3 */
    const float *box_angstrom;       /* frames × 9; NULL: all 0 */
    int step_stride;                 /* frame k is step k · step_stride */
    double time_step_ps;
    int missing_frame;  /* frame that is never sent; −1: none */
    size_t piece_bytes; /* bytes are sent in pieces of this size; 0: whole packets */
    int delay_ms;       /* between frames */
    int listen_ms;      /* time before the server listens */
    bool says_goodbye;  /* sends a disconnect at the end */
    imd_trouble trouble;
    int trouble_frame;
    int port; /* 0: any */
} imd_server_options;

/* Record of the client's messages. */
typedef struct imd_server_record {
    bool went;           /* the client sent GO */
    int rate;            /* rate that the client asked for; 0: none */
    int pauses, resumes; /* a toggle of version 2 counts as one or the other, by the state before */
    bool orderly;        /* no pause while paused, no resume while running */
    bool left;           /* the client sent a disconnect */
    int frames_sent;     /* complete frames */
} imd_server_record;

typedef struct imd_server imd_server;

imd_server *imd_server_start(const imd_server_options *options);
int imd_server_port(const imd_server *server);
imd_server_record imd_server_finish(imd_server **server);

#endif
