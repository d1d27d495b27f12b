/* The force that a hand feels, tick by tick: from the states that are there, without a jump.
 *
 * In a whole cell the force is interpolated. Where a state of the cell is missing, or a fold crosses it, the force
 * comes from the nearest state, f + H δ. Whenever the source changes, the difference to the last force is kept and
 * taken back by a smoothstep over 50 ms. Then the force is limited, and its change too. A hand that holds nothing, or
 * is silent, feels a force that falls to 0 within 50 ms. */
#ifndef QN_DEFORM_LIVE_FEEL_H
#define QN_DEFORM_LIVE_FEEL_H

#include "deform/live/cache.h"

typedef enum qn_tick_flag {
    QN_TICK_LATE = 1,         /* a state of the hand's cell was not there yet */
    QN_TICK_EXTRAPOLATED = 2, /* the force comes from one state */
    QN_TICK_FOLD = 4,         /* a fold or an unsolved state in the cell */
    QN_TICK_LIMITED = 8,      /* by the largest force, by the largest change, or since the force was no number */
    QN_TICK_CLAMPED = 16,     /* the hand is beyond the reach: the force is that of the nearest place inside */
    QN_TICK_BLENDED = 32,     /* the source has changed within the last 50 ms */
    QN_TICK_FREE = 64         /* the hand holds nothing or is silent */
} qn_tick_flag;

typedef struct qn_feel_options {
    qn_grid grid;
    qn_interpolation way;
    double force_limit; /* N */
    double slew_limit;  /* N/s */
} qn_feel_options;

/* Between the ticks. Zero-initialise. */
typedef struct qn_feel {
    double force[3]; /* the last one, N: of the body on the tool */
    double offset[3], offset_age_s;
    double free_from[3], free_age_s; /* the force when the hand became free, and how long ago that was */
    uint64_t source;                 /* 0: none; 1: cells; else 2 + the number of the state's point */
    bool is_free;
} qn_feel;

/* The force at a place, `step_s` after the tick before. `nearest`: the number of a point whose state may be the
 * nearest, for places around which none is. No lock, no allocation; between qn_cache_begin_tick and qn_cache_end_tick.
 */
void qn_feel_tick(const qn_feel_options *options, const qn_cache *cache, uint64_t nearest, const double place[3],
                  bool is_held, double step_s, qn_feel *feel, int32_t cell[3], uint32_t *flags);

#endif
