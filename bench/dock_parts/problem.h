/* The problem that bench/dock.c docks: a random receptor and ligand, their grid, energy and rotations. */
#ifndef DOCK_PARTS_PROBLEM_H
#define DOCK_PARTS_PROBLEM_H

#include <quern/fft.h>

#include "dock/search/search.h"

enum { ROTATIONS = 16384, KEEP = 1, LEAST_GRIDS = 2, GRIDS_MAX = 20, SETS_MAX = 16 };

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
    long turn_rotations; /* rotations of one turn; 0: as many as run in some seconds */
    qn_fft_engine engine;
} dock_bench;

/* Print the error message and exit, unless `status` is QN_OK. */
void bench_must(qn_status status);
/* Allocate memory; exit when there is none. */
void *bench_allocate(size_t count, size_t size);

/* Make partners, grid, energy, rotations and the receptor's spectra from the device, cells, box and counts in
 * `bench`. */
void bench_make_problem(dock_bench *bench);
void bench_release_problem(dock_bench *bench);

/* Number of complex numbers in a half spectrum. */
size_t bench_bins(const dock_bench *bench);

/* Return whether all ways to dock fit the device's memory together with this batch size. */
bool bench_fits(const dock_bench *bench, int batch);

/* Create a buffer and fill it with `data`; NULL: zeros. */
QN_MUST_CHECK qn_status bench_make_buffer(const dock_bench *bench, const void *data, size_t bytes, qn_buffer **buffer);

#endif
