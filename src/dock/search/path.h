/* The two paths on which a search computes its batches, and declarations that they share with search.c.
 *
 * On the fused path (fused.c), Quern's own kernels compute a rotation from atoms to best cells. On the library path
 * (library.c), a library transforms the grids; tests compare the fused path with it. Both search the same grids, made
 * of the same integers.
 */
#ifndef QN_DOCK_SEARCH_PATH_H
#define QN_DOCK_SEARCH_PATH_H

#include "dock/search/kernels/best_cells.h"
#include "dock/search/kernels/correlate_columns.h"
#include "dock/search/kernels/ligand_planes.h"
#include "dock/search/kernels/score_planes.h"
#include "dock/search/search.h"

/* Results of a batch, copied from the device to the host. */
typedef struct qn_search_slot {
    qn_buffer *energies_on_device, *cells_on_device;
    float *energies;
    int32_t *cells;
    qn_event *done;
} qn_search_slot;

typedef struct qn_search_path {
    const char *name; /* NULL: the name of the transform engine */
    /* QN_UNSUPPORTED if the path does not support these grids or options on the device. */
    qn_status (*check)(const qn_dock_search_options *options, qn_device *device, const qn_dock_grid *grid);
    /* Compute the device bytes of the receptor's spectra and of each rotation of a batch. */
    void (*bytes)(const qn_dock_search_options *options, const qn_dock_grid *grid, const qn_dock_energy *energy,
                  int sites, size_t *receptor, size_t *each);
    /* Fill search->state; destroy is called after a failure too. */
    qn_status (*create)(qn_dock_search *search, const qn_dock_grid *grid, const qn_dock_energy *energy,
                        const qn_dock_ligand *ligand, int rotation_count);
    qn_status (*submit)(qn_dock_search *search, int first, const qn_search_slot *slot);
    void (*destroy)(qn_dock_search *search);
} qn_search_path;

struct qn_dock_search {
    qn_queue *queue;
    qn_dock_search_options options;
    size_t volume, bins, grid_count, set_count; /* bins: of a half spectrum */
    qn_best_cells_problem best_problem;
    qn_buffer *atoms, *weights, *rotations; /* the ligand and all rotations */
    qn_search_slot slots[QN_DOCK_SLOTS];
    size_t bytes;
    const qn_search_path *path;
    void *state; /* private to the path */
};

extern const qn_search_path qn_search_library_path, qn_search_fused_path;

/* Whether the fused kernels support grids of these sides and are the better choice on a device. */
bool qn_search_fused_suits(qn_device *device, const qn_dock_grid *grid);

/* Problems of the families of the fused rotation. */
typedef struct qn_fused_problems {
    qn_ligand_planes_problem planes;
    qn_correlate_columns_problem columns;
    qn_score_planes_problem scores;
} qn_fused_problems;

void qn_search_fused_problems(const qn_rotation_grid *shape, const qn_dock_grid *grid, const qn_dock_energy *energy,
                              int sites, int rotation_count, int batch, qn_fused_problems *problems);

/* Device buffers of a search, counted in search->bytes. */
QN_MUST_CHECK qn_status qn_search_buffer_zeroed(qn_dock_search *search, size_t bytes, qn_buffer **buffer);
QN_MUST_CHECK qn_status qn_search_buffer_filled(qn_dock_search *search, const void *data, size_t bytes,
                                                qn_buffer **buffer);

/* Compute the receptor's spectra [set][grid][nz], planes of ny·(nx/2 + 1) complex numbers, `plane_numbers` apart (0:
 * next to each other). The last `common` grids are left out of the sets; those of the first set follow the last set.
 * Spectra are divided by the volume because transforms are not scaled. */
QN_MUST_CHECK qn_status qn_search_transform_receptor(qn_dock_search *search, const qn_dock_grid *grid,
                                                     const qn_dock_energy *energy, qn_fft_engine engine,
                                                     size_t plane_numbers, size_t common, qn_buffer **receptor);

#endif
