/* The cells of the receptor's grids in which a layer is not 0, with all layers of a cell beside each other.
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

/* Columns of a row: the layers that multiply no trilinear ligand grid, in their order, padded with zeros to a multiple
 * of QN_DOCK_CELL_MULTIPLE; then the other layers. */
typedef struct qn_dock_cells {
    size_t count, width;               /* of the rows */
    size_t plain;                      /* columns before those of trilinear layers */
    size_t column[QN_DOCK_LAYERS_MAX]; /* of each layer */
    int32_t *row;  /* [volume]: row of a cell; 0: all layers are 0; −r: row r, in which only trilinear
                      layers are not 0 */
    float *values; /* [count][width]; row 0 is 0 */
} qn_dock_cells;

QN_MUST_CHECK qn_status qn_dock_cells_create(const qn_dock_energy *energy, const qn_dock_grid *grid, qn_pool *pool,
                                             qn_dock_cells *cells);
void qn_dock_cells_clear(qn_dock_cells *cells);

/* Largest number of bytes of the cells of a planned grid, if their rows had `columns` columns more. */
size_t qn_dock_cells_bytes(const qn_dock_energy *energy, const qn_dock_grid *grid, size_t columns);

#endif
