/* Maps as OpenDX, the format of APBS, which PyMOL, ChimeraX and VMD read. */
#ifndef QN_POTENTIAL_DX_WRITE_H
#define QN_POTENTIAL_DX_WRITE_H

#include <quern/status.h>

#include "potential/maps/grid.h"

/* Write the values of a grid, x fastest in memory (in the file z is), with six significant digits. `title`: one line of
 * comment. The file appears complete or not at all. */
QN_MUST_CHECK qn_status qn_dx_write(const char *path, const char *title, const qn_potential_grid *grid,
                                    const float *values);

#endif
