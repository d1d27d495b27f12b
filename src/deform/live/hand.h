/* A hand: where the tool is at each moment, from a file or drawn at random.
 *
 * "min-jerk:SEED,SPEED,REACH" moves from place to place in the ball of REACH m around rest: it begins at rest at time
 * 0, and each move is a straight line with s(τ) = 10 τ³ − 15 τ⁴ + 6 τ⁵ (Flash and Hogan 1985), whose mean speed is
 * SPEED m/s and whose largest is 15/8 of that. Each place is at least REACH / 4 from the one before. Places are a
 * function of seed and number alone.
 *
 * Any other text is the path of a table "t,x,y,z" in s and m, with times that rise. Between its rows the hand follows
 * Hermite's cubics, whose slope at a row is that of the parabola through it and its neighbours: exact where the way is
 * quadratic in time, with a continuous velocity, and each row acts on two spans to either side only. Before the first
 * and after the last row the hand rests there.
 *
 * Life cycle: create → place → destroy. Thread rule: one thread at a time. */
#ifndef QN_DEFORM_LIVE_HAND_H
#define QN_DEFORM_LIVE_HAND_H

#include <quern/status.h>

typedef struct qn_hand qn_hand;

/* QN_INVALID_ARGUMENT: broken parameters of min-jerk. QN_NOT_FOUND, QN_IO_ERROR, QN_BAD_FORMAT: the file. */
QN_MUST_CHECK qn_status qn_hand_create(const char *text, qn_hand **hand);
void qn_hand_destroy(qn_hand **hand);

/* Time of the table's last row; infinite for min-jerk. */
double qn_hand_duration_s(const qn_hand *hand);

/* The place (m) at a time. Rising times are fast; a time before the last one is searched from the beginning. */
void qn_hand_place(qn_hand *hand, double time_s, double place[3]);

#endif
