/* The receptor's layers (dock/search/energy.h) computed from its atoms. */
#ifndef QN_DOCK_SEARCH_RECEPTOR_GRIDS_H
#define QN_DOCK_SEARCH_RECEPTOR_GRIDS_H

#include "dock/search/energy.h"

/* Fill the values (allocated, volume floats each) of `count` layers. */
QN_MUST_CHECK qn_status qn_dock_receptor_grids(const qn_dock_partner *receptor, const qn_dock_grid *grid, qn_pool *pool,
                                               qn_dock_layer *layers, size_t count);

#endif
