/* Make molecules whole that periodic boundaries cut: each atom is moved to the image nearest to the atom it is bound
 * to.
 *
 * Life cycle: create from a topology with bonds → apply to frames, from any thread → destroy.
 */
#ifndef QN_FRAMES_WHOLE_H
#define QN_FRAMES_WHOLE_H

#include <quern/frame.h>
#include <quern/topology.h>

typedef struct qn_whole_plan qn_whole_plan;

/* QN_INVALID_ARGUMENT if the topology has no bonds; the message names formats that have bonds. */
QN_MUST_CHECK qn_status qn_whole_plan_create(const qn_topology *topology, qn_whole_plan **plan);
void qn_whole_plan_destroy(qn_whole_plan **plan);

/* Move atoms in place; the first atom of each molecule stays. Frames without a box stay as they are. */
QN_MUST_CHECK qn_status qn_whole_apply(const qn_whole_plan *plan, qn_trajectory_frame *frame);

/* Find a molecule that is bonded to its own image through the box, such as a layer or a chain without an end. It cannot
 * be made whole: wherever it is cut, a bond is left that leads to another image. `frame` was made whole. *bond becomes
 * the place of such a bond in topology->bonds; false if there is none. */
bool qn_whole_find_endless(const qn_topology *topology, const qn_trajectory_frame *frame, size_t *bond);

/* One sentence about such a molecule, for a warning. */
typedef struct qn_endless_text {
    char text[512];
} qn_endless_text;
qn_endless_text qn_whole_describe_endless(const qn_topology *topology, size_t bond);

#endif
