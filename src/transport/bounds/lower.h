/* The lower bound: on each disc by itself, the poses of lowest energy. No way through the tunnel has a lower maximum
 * than the highest of these.
 *
 *     qn_layers layers;
 *     QN_TRY(qn_lower_bound(&scene, 24, 1, &layers));
 *     for (int i = 0; i < layers.count; i++) use(&layers.layers[i].poses[0]);
 *     qn_layers_clear(&layers);
 */
#ifndef QN_TRANSPORT_BOUNDS_LOWER_H
#define QN_TRANSPORT_BOUNDS_LOWER_H

#include "transport/bounds/poses.h"

/* Minima on a disc, over 0.3 Å apart, by energy. */
typedef struct qn_layer {
    int count;
    qn_disc_pose *poses;
} qn_layer;

typedef struct qn_layers {
    int count; /* discs */
    qn_layer *layers;
    qn_disc_pose *memory;
} qn_layers;

/* Search each disc from random poses (16 and 4 for each torsion, times `effort`), and from the minima of its neighbours
 * in both directions; keep at most `most` minima a disc. The energies of the best ones are in double precision,
 * those of the others in single precision. Results do not depend on threads. */
QN_MUST_CHECK qn_status qn_lower_bound(const qn_bounds_scene *scene, int most, double effort, qn_layers *layers);
void qn_layers_clear(qn_layers *layers);

/* Random starts of a disc. */
int qn_lower_bound_starts(int torsions, double effort);

#endif
