/* The cells of the receptor's grids in which a layer is not 0, with the layers of a cell beside each other.
 *
 * Most cells of a grid are far from the receptor, and a site of the ligand reads all layers of the same cells. So a
 * lookup in this form reads a few neighbouring cache lines, where a lookup in the layers reads one for each layer.
 *
 * Life cycle: create, once the layers are filled → read from any threads → clear.
 */
#ifndef QN_DOCK_SEARCH_RECEPTOR_CELLS_H
#define QN_DOCK_SEARCH_RECEPTOR_CELLS_H

#include <stdint.h>

#include "dock/search/energy.h"

enum { QN_DOCK_CELL_MULTIPLE = 4 };

/* A plain layer multiplies a ligand grid that is not trilinear. */
typedef struct qn_dock_cells {
    size_t count;                      /* of the rows */
    size_t width;                      /* plain layers, rounded up to a multiple of QN_DOCK_CELL_MULTIPLE */
    size_t column[QN_DOCK_LAYERS_MAX]; /* index of each layer among the plain layers or among the trilinear ones */
    int32_t *row;     /* [volume]: row of a cell; 0: all layers are 0; −r: row r, in which only trilinear
                         layers are not 0 */
    float *plain;     /* [count][width]; row 0 is 0 */
    float *trilinear; /* [trilinear layers][count]; row 0 is 0 */
} qn_dock_cells;

QN_MUST_CHECK qn_status qn_dock_cells_create(const qn_dock_energy *energy, const qn_dock_grid *grid, qn_pool *pool,
                                             qn_dock_cells *cells);
void qn_dock_cells_clear(qn_dock_cells *cells);

/* Largest number of bytes of the cells of a planned grid, if their rows had `columns` numbers more. */
size_t qn_dock_cells_bytes(const qn_dock_energy *energy, const qn_dock_grid *grid, size_t columns);

#endif
