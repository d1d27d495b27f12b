/* Frames of a file of models or of trajectories, read by one thread and decoded by the pool. */
#ifndef QN_CLUSTER_MATRIX_MODEL_FRAMES_H
#define QN_CLUSTER_MATRIX_MODEL_FRAMES_H

#include "cluster/matrix/models.h"
#include "frames/source.h"
#include "frames/whole.h"

/* All members are borrowed. */
typedef struct qn_model_frames {
    qn_job *job;
    const qn_topology *topology;
    const char *topology_name;  /* the path of structures that are not from a file */
    bool are_frames;            /* of trajectories, which are numbered through all files */
    const qn_whole_plan *whole; /* NULL: molecules stay as they are */
    qn_source *source;
} qn_model_frames;

/* Append the frames of the source to `set`, which has the selected atoms. The failure returned is that of the first
 * frame that has one, whatever the number of threads. */
QN_MUST_CHECK qn_status qn_model_frames_read(const qn_model_frames *frames, qn_model_set *set);

#endif
