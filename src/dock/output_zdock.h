/* Poses as a ZDOCK 3 output file (docs/formats/zdock.md), for the tools that read those. */
#ifndef QN_DOCK_OUTPUT_ZDOCK_H
#define QN_DOCK_OUTPUT_ZDOCK_H

#include <quern/status.h>
#include <stddef.h>

#include "dock/pose.h"
#include "dock/search/grid.h"

/* Write `count` poses in the order given (ZDOCK's is best first), by their `matrix`, `cell` and `energy` alone: every
 * cell of the grid is an exact translation of the format. Scores are negated energies, since ZDOCK's higher is better.
 * White space in the names becomes '_': readers split lines there. QN_INVALID_ARGUMENT when a name is empty, or a pose
 * has a cell outside the grid's search, a matrix that is no rotation or an energy that is not finite.
 *
 * A reader's coordinates differ from the pose's by at most 2e-6 Å + 1.5e-9 · (distance from the rotation centre). */
QN_MUST_CHECK qn_status qn_dock_write_zdock(const char *path, const qn_dock_grid *grid, const char *receptor_name,
                                            const char *ligand_name, const qn_dock_pose *poses, size_t count);

#endif
