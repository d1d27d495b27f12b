/* Which images are made, and what the new stack's metadata says of them. */
#ifndef QN_PROJECT_VIEWS_H
#define QN_PROJECT_VIEWS_H

#include <quern/project.h>
#include <quern/volume.h>

#include "model/particle_set.h"

typedef struct qn_views {
    qn_particle_set *set; /* of the new stack: image i is particle i */
    uint64_t first;       /* number of the first particle in the set that was read, from 1 */
    double voxel_angstrom;
    char *stem; /* of the files that are written: "stack" of "stack.mrcs" */
} qn_views;

/* Of `options` and the map. Without angles: directions on a spiral from pole to pole, each with the same area. The
 * images' pixels are the map's voxels; a set that says otherwise is warned of. QN_INVALID_ARGUMENT (options, an output
 * that is an input), QN_NOT_FOUND (a file, the output's folder), QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_views_create(const qn_project_options *options, const qn_volume *map, qn_views *views);
void qn_views_clear(qn_views *views);

#endif
