/* The queue of pieces between the reader thread and the search threads. */
#ifndef QN_SCREEN_QUEUE_H
#define QN_SCREEN_QUEUE_H

#include <pthread.h>

#include "screen/molecule.h"

/* The molecules of a piece, with the poses found so far. */
typedef struct qn_screen_batch {
    struct qn_screen_batch *next;
    uint64_t number; /* of the piece */
    uint32_t count;
    bool broken_off; /* the library could not be read further */
    size_t jobs;     /* conformers of all its molecules */
    size_t pending;  /* number of its conformers that are not collected yet */
    double interactions;
    qn_screen_molecule molecules[QN_SCREEN_PIECE];
    qn_screen_pose *poses[QN_SCREEN_PIECE]; /* [conformer][QN_SCREEN_MINIMA] of each; NULL: rejected */
    int unsettled[QN_SCREEN_PIECE];         /* number of its conformers with an unsettled search */
} qn_screen_batch;

void qn_screen_batch_destroy(qn_screen_batch **batch);

typedef struct qn_screen_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    qn_screen_batch *first, *last;
    size_t jobs, most_jobs; /* jobs in the queue; its capacity: the reader waits while `jobs` is not below it */
    bool ended;             /* nothing more will be pushed */
    bool failed;            /* all threads stop */
} qn_screen_queue;

void qn_screen_queue_create(size_t most_jobs, qn_screen_queue *queue);
void qn_screen_queue_destroy(qn_screen_queue *queue); /* with the batches in it */

/* Wait until the queue has room for a piece; false after a failure. */
bool qn_screen_queue_has_room(qn_screen_queue *queue);

/* Append the batch, which then belongs to the queue. */
void qn_screen_queue_push(qn_screen_queue *queue, qn_screen_batch *batch);

/* Remove and return the first batch. NULL: the queue has ended or failed or, without `waits`, is empty. */
qn_screen_batch *qn_screen_queue_pop(qn_screen_queue *queue, bool waits);

void qn_screen_queue_end(qn_screen_queue *queue);
void qn_screen_queue_fail(qn_screen_queue *queue);
bool qn_screen_queue_failed(qn_screen_queue *queue);

#endif
