/* Items as points of a plane whose distances resemble a distance matrix: classical multidimensional scaling (Torgerson
 * 1952) of some items, the landmarks, and the places of all others by their distances to these (de Silva and Tenenbaum
 * 2004). */
#ifndef QN_CLUSTER_METHOD_PLANE_MAP_H
#define QN_CLUSTER_METHOD_PLANE_MAP_H

#include <quern/status.h>
#include <stddef.h>

/* More landmarks than this are refused, because the work grows with their third power. */
enum { QN_LANDMARKS_MAX = 256 };

typedef struct qn_plane_map {
    size_t landmark_count;
    double *axes;         /* [2][landmark_count]: unit eigenvectors of the doubly centred squares of the distances */
    double eigenvalue[2]; /* the two largest; 0 where there is no such axis */
    double share;         /* of the two in the sum of all positive eigenvalues; 1 if there is none */
    double *mean_square;  /* [landmark_count]: mean of the squared distances from each landmark to all of them */
} qn_plane_map;

/* distances: [count][count], symmetric. Release with qn_plane_map_clear. Each axis points to where its largest
 * component is positive. QN_INVALID_ARGUMENT (no landmark, or too many), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_plane_map_make(const double *distances, size_t count, qn_plane_map *map);
void qn_plane_map_clear(qn_plane_map *map);

/* Place of an item, from its distances to the landmarks. A landmark gets its place of the scaling. */
void qn_plane_map_place(const qn_plane_map *map, const float *to_landmarks, double point[2]);

#endif
