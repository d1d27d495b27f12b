/* Clearance among balls: c(p) = min |p − a| − r over balls with centre a and radius r. It is the radius of the largest
 * sphere around p that touches no ball, and negative inside of a ball. Balls lie in cubic cells, so that a place asks
 * the cells around it alone; the value is exact.
 *
 * Life cycle: create → ask from any threads → destroy.
 */
#ifndef QN_TUNNEL_GEOMETRY_BALLS_H
#define QN_TUNNEL_GEOMETRY_BALLS_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_ball {
    double place[3], radius; /* Å */
} qn_ball;

typedef struct qn_balls {
    size_t count;
    qn_ball *sorted;        /* by cell, then by index */
    uint32_t *index;        /* of sorted[i] among the balls that were given */
    uint32_t *first;        /* of each cell, then the end: cells + 1 */
    int cells[3];           /* along each axis */
    double side;            /* of a cell */
    double radius_most;     /* of all balls */
    double low[3], high[3]; /* bounds of the centres */
} qn_balls;

/* `balls` are copied. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_balls_create(const qn_ball *balls, size_t count, qn_balls **created);
void qn_balls_destroy(qn_balls **balls);

/* Clearance at a place in Å; *nearest (may be NULL) gets the index of the ball that bounds it. Without balls INFINITY.
 */
double qn_balls_clearance(const qn_balls *balls, const double place[3], uint32_t *nearest);

/* A list of balls near a place. Zero-initialise; release with qn_ball_list_clear. */
typedef struct qn_ball_list {
    qn_ball *balls;
    uint32_t *index;      /* of each ball among those that were given */
    double *distances[2]; /* [count] each: memory for qn_ball_list_measure */
    size_t count, capacity, index_capacity, distance_capacity[2];
} qn_ball_list;

/* List the balls whose surface is within `reach` of a place: |p − a| − r ≤ reach. These bound the clearance of all
 * places within d of it if reach ≥ c(p) + 2 d, because c changes by at most the distance. */
QN_MUST_CHECK qn_status qn_balls_near(const qn_balls *balls, const double place[3], double reach, qn_ball_list *list);
void qn_ball_list_clear(qn_ball_list *list);

/* Distances |p − a| − r of a place to the balls of a list; returns the least, which is the clearance among them. */
double qn_ball_list_measure(const qn_ball_list *list, const double place[3], double *distances);

#endif
