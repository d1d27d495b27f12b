/* What bench/dock.c docks: a receptor and a ligand that are drawn, their grid, energy and rotations. */
#ifndef DOCK_PARTS_PROBLEM_H
#define DOCK_PARTS_PROBLEM_H

#include <quern/fft.h>

#include "dock/search/search.h"

enum { ROTATIONS = 16384, KEEP = 1, LEAST_GRIDS = 2, MOST_GRIDS = 20, MOST_SETS = 16 };

typedef struct dock_bench {
    qn_context *context;
    qn_device *device;
    qn_queue *queue;
    qn_device_rates rates;
    const qn_device_info *info;
    qn_dock_partner receptor, ligand;
    qn_dock_grid grid;
    qn_dock_energy energy;
    qn_dock_ligand sites;
    int32_t *rotations; /* ROTATIONS × 9 */
    float *spectra;     /* [sets][grids][bins] of the receptor, complex, divided by the volume */
    int batch, grids, sets, turns, most_atoms;
    long turn_rotations; /* 0: by time */
    qn_fft_engine engine;
} dock_bench;

/* Print why and exit, unless it is QN_OK. */
void bench_must(qn_status status);
/* qn_allocate that must. */
void *bench_allocate(size_t count, size_t size);

/* Partners, grid, energy, rotations and the receptor's spectra, for the open device, the grid's cells and box and the
 * numbers that are asked for. */
void bench_make_problem(dock_bench *bench);
void bench_release_problem(dock_bench *bench);

/* Complex numbers of a half spectrum. */
size_t bench_bins(const dock_bench *bench);

/* Whether the ways to dock fit the device beside each other with this batch. */
bool bench_fits(const dock_bench *bench, int batch);

/* A buffer with `data`; NULL: zeros. */
QN_MUST_CHECK qn_status bench_make_buffer(const dock_bench *bench, const void *data, size_t bytes, qn_buffer **buffer);

#endif
