#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "math/random.h"
#include "math/rotation.h"

static const double atoms_per_cubic_angstrom = 0.05, contact_angstrom = 6.6, reach_angstrom = 12;

void bench_must(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "quern_bench_dock: %s\n", qn_error_message());
    exit(1);
}

void *bench_allocate(size_t count, size_t size)
{
    void *memory;
    bench_must(qn_allocate(count, size, &memory));
    return memory;
}

/* Draw atoms of all types, uniformly in an ellipsoid about the origin; one in six is a hydrogen. */
static void draw_partner(qn_dock_partner *partner, const double half_axes_angstrom[3], int most_atoms, uint64_t stream)
{
    const double volume = 4.0 / 3 * acos(-1) * half_axes_angstrom[0] * half_axes_angstrom[1] * half_axes_angstrom[2];
    const double dense = fmax(8, atoms_per_cubic_angstrom * volume);
    const size_t count = (size_t)fmin(dense, most_atoms);
    partner->sites = bench_allocate(count, sizeof *partner->sites);
    partner->site_count = count;
    for (uint64_t i = 0, draw = 0; i < count; i++) {
        qn_dock_site *site = &partner->sites[i];
        double square;
        do {
            square = 0;
            for (int axis = 0; axis < 3; axis++) {
                const double share = 2 * qn_random_uniform(1, stream, draw++) - 1;
                site->position_angstrom[axis] = share * half_axes_angstrom[axis];
                square += share * share;
            }
        } while (square > 1);
        site->heavy = i % 6 != 5;
        site->radius_angstrom = site->heavy ? 1.8f : 0;
        site->type = (int)(i % 19) - 1;
        site->charge_e = 0.5 * qn_random_uniform(1, stream + 1, i) - 0.25;
    }
}

/* Lay out the grid as qn_dock_grid_plan does: the ligand's bounding sphere lies inside the box, and all translations in
 * contact with the receptor are searched, or fewer where the sides are too short. */
static void place_grid(dock_bench *bench)
{
    qn_dock_grid *grid = &bench->grid;
    double half_axes[3];
    grid->spacing_angstrom = 1;
    grid->box_centre = grid->box / 2 - 1;
    for (int axis = 0; axis < 3; axis++) {
        half_axes[axis] = fmax(3, (grid->cells[axis] - grid->box) / 2.0 - reach_angstrom - 1);
        grid->origin_angstrom[axis] = -half_axes[axis] - reach_angstrom;
        grid->first_shift[axis] = (int)floor(reach_angstrom - contact_angstrom) - grid->box + 1;
        grid->last_shift[axis] = (int)ceil(2 * half_axes[axis] + contact_angstrom + reach_angstrom);
        if (grid->last_shift[axis] >= grid->first_shift[axis] + grid->cells[axis])
            grid->last_shift[axis] = grid->first_shift[axis] + grid->cells[axis] - 1;
    }
    const double radius = grid->box_centre - 0.02;
    draw_partner(&bench->receptor, half_axes, 1 << 20, 1);
    draw_partner(&bench->ligand, (const double[]){radius, radius, radius}, bench->most_atoms, 3);
}

size_t bench_bins(const dock_bench *bench)
{
    return ((size_t)bench->grid.cells[0] / 2 + 1) * (size_t)bench->grid.cells[1] * (size_t)bench->grid.cells[2];
}

bool bench_fits(const dock_bench *bench, int batch)
{
    const size_t volume = qn_dock_grid_volume(&bench->grid), bins = bench_bins(bench), box = (size_t)bench->grid.box;
    const size_t grids = (size_t)bench->grids, sets = (size_t)bench->sets, most = grids > sets ? grids : sets;
    const size_t each = grids * (box * box * box * 4 + volume * 4 + bins * 8) + sets * (bins * 8 + volume * 4);
    const size_t bytes = (size_t)batch * each + sets * grids * bins * 8;
    return bytes < bench->info->memory_bytes / 6 &&
           (size_t)batch * most * bins * 8 <= bench->info->largest_buffer_bytes;
}

qn_status bench_make_buffer(const dock_bench *bench, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(bench->device, bytes, buffer));
    QN_TRY(data ? qn_queue_write(bench->queue, *buffer, 0, data, bytes, NULL)
                : qn_queue_fill(bench->queue, *buffer, 0, bytes, 0, NULL));
    return qn_queue_finish(bench->queue);
}

/* Compute the receptor's spectra, scaled by 1 / volume because the transforms are not normalised. */
static void transform_receptor(dock_bench *bench)
{
    const size_t volume = qn_dock_grid_volume(&bench->grid), grids = (size_t)bench->grids;
    const size_t each = grids * bench_bins(bench) * 2;
    qn_fft_options options = {.size_bytes = sizeof options, .batch = bench->grids, .kind = QN_FFT_REAL_FORWARD};
    qn_fft_plan *plan = NULL;
    qn_buffer *values_there = NULL, *spectra = NULL;
    float *values = bench_allocate(grids * volume, sizeof(float));
    bench->spectra = bench_allocate((size_t)bench->sets * each, sizeof(float));
    memcpy(options.size, bench->grid.cells, sizeof options.size);
    bench_must(qn_fft_plan_create(bench->device, &options, &plan));
    bench_must(bench_make_buffer(bench, NULL, grids * volume * 4, &values_there));
    bench_must(bench_make_buffer(bench, NULL, each * 4, &spectra));
    for (size_t set = 0; set < (size_t)bench->sets; set++) {
        for (size_t g = 0; g < grids; g++)
            qn_dock_energy_combine(&bench->energy, set, (int)g, 0, volume, values + g * volume);
        for (size_t i = 0; i < grids * volume; i++) values[i] /= (float)volume;
        bench_must(qn_queue_write(bench->queue, values_there, 0, values, grids * volume * 4, NULL));
        bench_must(qn_fft_execute(plan, bench->queue, values_there, spectra, NULL));
        bench_must(qn_queue_read(bench->queue, spectra, 0, bench->spectra + set * each, each * 4, NULL));
        bench_must(qn_queue_finish(bench->queue));
    }
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&values_there);
    qn_buffer_release(&spectra);
    qn_release(&values);
}

void bench_make_problem(dock_bench *bench)
{
    qn_coefficients sets[SETS_MAX];
    place_grid(bench);
    for (int s = 0; s < bench->sets; s++) {
        sets[s] = (qn_coefficients){.repulsion = 0.4,
                                    .attraction = -0.4,
                                    .electrostatic = 250.0 / (1 + s),
                                    .pair = 1,
                                    .reach_angstrom = 4.8,
                                    .length_angstrom = 4,
                                    .core = 125 - 5 * s,
                                    .cap = INFINITY};
        snprintf(sets[s].name, sizeof sets[s].name, "set%d", s + 1);
    }
    bench_must(qn_dock_energy_piper(&bench->receptor, &bench->ligand, sets, (size_t)bench->sets,
                                    bench->grids - LEAST_GRIDS, NULL, &bench->energy));
    bench_must(qn_dock_energy_fill(&bench->energy, &bench->receptor, &bench->grid, NULL));
    bench_must(qn_dock_ligand_create(&bench->ligand, &bench->energy, &bench->grid, &bench->sites));
    transform_receptor(bench);
    bench->rotations = bench_allocate(ROTATIONS * QN_ROTATION_INTS, sizeof(int32_t));
    for (size_t r = 0; r < ROTATIONS; r++) {
        double matrix[9];
        qn_rotation_super_fibonacci(r, ROTATIONS, matrix);
        qn_dock_rotation_to_integers(matrix, bench->rotations + QN_ROTATION_INTS * r);
    }
}

void bench_release_problem(dock_bench *bench)
{
    qn_dock_energy_clear(&bench->energy);
    qn_dock_ligand_clear(&bench->sites);
    qn_release(&bench->receptor.sites);
    qn_release(&bench->ligand.sites);
    qn_release(&bench->rotations);
    qn_release(&bench->spectra);
}
