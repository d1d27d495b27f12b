/* Views of the images to be made, and the metadata of the new stack. */
#ifndef QN_PROJECT_VIEWS_H
#define QN_PROJECT_VIEWS_H

#include <quern/project.h>
#include <quern/volume.h>

#include "job/job.h"
#include "model/particle_set.h"

typedef struct qn_views {
    qn_particle_set *set; /* particles of the new stack: image i shows particle i */
    uint64_t first;       /* number, from 1, that the first particle has in the set that was read */
    double voxel_angstrom;
    char *stem; /* of the files that are written: "stack" of "stack.mrcs"; NULL: no files are written */
} qn_views;

/* Choose the views from options and map. Without particles, directions lie on a spiral from pole to pole and represent
 * equal areas. The images' pixels have the size of the map's voxels; the job is warned if the set states another
 * pixel size. QN_INVALID_ARGUMENT for wrong options or an output that is an input; QN_NOT_FOUND for a file or the
 * output's folder; QN_BAD_FORMAT for particles without angles, or without a CTF that is needed. */
QN_MUST_CHECK qn_status qn_views_create(const qn_project_options *options, const qn_volume *map, qn_job *job,
                                        qn_views *views);
void qn_views_clear(qn_views *views);

#endif
