/* One frame of a trajectory: where the atoms of a simulation were at one time.
 *
 *     float positions[3 * 2] = {0, 0, 0, 0.1f, 0, 0};
 *     qn_trajectory_frame frame = {.step = -1, .time_ps = 0, .atom_count = 2, .positions_nm = positions};
 */
#ifndef QUERN_FRAME_H
#define QUERN_FRAME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_trajectory_frame {
    uint64_t number;  /* from 0, counted through all files of a run */
    int64_t step;     /* of the simulation; -1 where the file says none */
    double time_ps;   /* NaN where the file says none */
    double box_nm[9]; /* rows a, b, c; all 0: not periodic */
    size_t atom_count;
    float *positions_nm; /* atom_count × 3 */
} qn_trajectory_frame;

#ifdef __cplusplus
}
#endif
#endif
