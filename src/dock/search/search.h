/* The search on one device: for each batch of rotations ligand grids, transforms, correlation and best cells.
 *
 * Life cycle: create → submit and collect in turns (up to two batches are in flight) → destroy. Thread rule: one
 * thread.
 */
#ifndef QN_DOCK_SEARCH_SEARCH_H
#define QN_DOCK_SEARCH_SEARCH_H

#include <quern/fft.h>

#include "dock/search/ligand.h"

typedef struct qn_dock_search qn_dock_search;

enum { QN_DOCK_SLOTS = 2 };

/* Path of the computation. FUSED: Quern's own kernels compute a rotation from atoms to best cells. LIBRARY: a library
 * transforms the grids. AUTO: FUSED on the host and on GPUs if the grid's sides allow it, else LIBRARY. */
typedef enum qn_dock_path { QN_DOCK_PATH_AUTO, QN_DOCK_PATH_FUSED, QN_DOCK_PATH_LIBRARY } qn_dock_path;

typedef struct qn_dock_search_options {
    int batch; /* rotations of a launch; 0: chosen for the device */
    int per_rotation;
    int exclusion_cells; /* half side of the exclusion cube */
    qn_dock_path path;
    qn_fft_engine engine; /* of the library path */
    bool halves;          /* fused path on GPUs: intermediates in half precision */
    qn_pool *pool;        /* for the preparation; NULL: one thread */
} qn_dock_search_options;

/* One translation found for a rotation; cell −1: none. */
typedef struct qn_dock_hit {
    float energy;
    int32_t cell;
} qn_dock_hit;

/* Device bytes of a search with a ligand of `sites` atoms, without the workspace of the transforms. The path must not
 * be AUTO, and the batch not 0. */
size_t qn_dock_search_bytes(const qn_dock_search_options *options, const qn_dock_grid *grid,
                            const qn_dock_energy *energy, int sites, int rotation_count);

/* Check that a device can search these grids, before they are computed: choose the path and the batch where `options`
 * leave them open, and compare the memory that they need with that of the device. *bytes gets the need.
 * QN_OUT_OF_MEMORY; QN_UNSUPPORTED: the path does not support the grid. */
QN_MUST_CHECK qn_status qn_dock_search_check(qn_device *device, const qn_dock_grid *grid, const qn_dock_energy *energy,
                                             int sites, int rotation_count, qn_dock_search_options *options,
                                             size_t *bytes);

/* Create a search. `rotations`: rotation_count × 9 integers in units of 1/2^30. All inputs are copied to the device.
 * QN_OUT_OF_MEMORY: the message names the memory needed. */
QN_MUST_CHECK qn_status qn_dock_search_create(qn_device *device, const qn_dock_grid *grid, const qn_dock_energy *energy,
                                              const qn_dock_ligand *ligand, const int32_t *rotations,
                                              int rotation_count, const qn_dock_search_options *options,
                                              qn_dock_search **search);
void qn_dock_search_destroy(qn_dock_search **search);

int qn_dock_search_batch(const qn_dock_search *search);
qn_dock_path qn_dock_search_path(const qn_dock_search *search);
qn_fft_engine qn_dock_search_engine(const qn_dock_search *search);
const char *qn_dock_search_transforms(const qn_dock_search *search); /* "fused", or the engine's name */
size_t qn_dock_search_device_bytes(const qn_dock_search *search);    /* with the transforms' workspace */

/* Queue the batch that starts at rotation `first`. Its results go to `slot` (0 or 1), whose last batch must have been
 * collected. */
QN_MUST_CHECK qn_status qn_dock_search_submit(qn_dock_search *search, int first, int slot);

/* Wait for the batch of a slot. Fills hits [batch][sets][per_rotation]. */
QN_MUST_CHECK qn_status qn_dock_search_collect(qn_dock_search *search, int slot, qn_dock_hit *hits);

#endif
