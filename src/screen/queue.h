/* Pieces on their way from the thread that reads to the threads that search. */
#ifndef QN_SCREEN_QUEUE_H
#define QN_SCREEN_QUEUE_H

#include <pthread.h>

#include "screen/molecule.h"

/* A run of consecutive molecules. */
typedef struct qn_screen_batch {
    struct qn_screen_batch *next;
    uint64_t number; /* of the piece */
    uint32_t count;
    bool broken_off; /* the library could not be read behind them */
    size_t jobs;     /* conformers of all its molecules */
    size_t pending;  /* of them not collected yet */
    double interactions;
    qn_screen_molecule molecules[QN_SCREEN_PIECE];
    qn_screen_pose *poses[QN_SCREEN_PIECE]; /* [conformer][winners] of each; NULL: rejected */
} qn_screen_batch;

void qn_screen_batch_destroy(qn_screen_batch **batch);

typedef struct qn_screen_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    qn_screen_batch *first, *last;
    size_t jobs, most_jobs; /* waiting; from most_jobs on no more is wanted */
    bool ended;             /* nothing more will be pushed */
    bool failed;            /* everybody stops */
} qn_screen_queue;

void qn_screen_queue_create(size_t most_jobs, qn_screen_queue *queue);
void qn_screen_queue_destroy(qn_screen_queue *queue); /* and what waits in it */

/* Wait until another piece is wanted; false after a failure. */
bool qn_screen_queue_has_room(qn_screen_queue *queue);

/* Takes the batch. */
void qn_screen_queue_push(qn_screen_queue *queue, qn_screen_batch *batch);

/* The next batch; NULL at the end, after a failure and, unless `waits`, when there is none at the moment. */
qn_screen_batch *qn_screen_queue_pop(qn_screen_queue *queue, bool waits);

void qn_screen_queue_end(qn_screen_queue *queue);
void qn_screen_queue_fail(qn_screen_queue *queue);
bool qn_screen_queue_failed(qn_screen_queue *queue);

#endif
