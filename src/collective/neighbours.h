/* The references nearest to a frame. */
#ifndef QN_COLLECTIVE_NEIGHBOURS_H
#define QN_COLLECTIVE_NEIGHBOURS_H

#include <stddef.h>

/* places[0 … kept − 1] become the places of the `kept` least of `count` distances, ascending; of equal ones the first.
 * Nothing is allocated. */
void qn_collective_nearest(const double *distances, size_t count, size_t kept, size_t *places);

#endif
