/* Poses as an output file of ZDOCK 3 (docs/formats/zdock.md), for tools that read such files. */
#ifndef QN_DOCK_OUTPUT_ZDOCK_H
#define QN_DOCK_OUTPUT_ZDOCK_H

#include <quern/status.h>
#include <stddef.h>

#include "dock/pose.h"
#include "dock/search/grid.h"

/* Write `count` poses in the given order, which should be best first as in ZDOCK's files. Of each pose `matrix`, `cell`
 * and `energy` are used; each cell of the grid is an exact translation of the format. Scores are negated energies,
 * because higher scores of ZDOCK are better. White space in names becomes '_', because readers split lines at white
 * space. QN_INVALID_ARGUMENT: a name is empty, a cell is not among those searched, a matrix is not a rotation, or an
 * energy is not finite.
 *
 * Coordinates that a reader computes differ from those of the pose by at most 2e-6 Å + 1.5e-9 · (distance from the
 * rotation centre). */
QN_MUST_CHECK qn_status qn_dock_write_zdock(const char *path, const qn_dock_grid *grid, const char *receptor_name,
                                            const char *ligand_name, const qn_dock_pose *poses, size_t count);

#endif
