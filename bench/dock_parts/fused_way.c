#include "fused_way.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/ligand_grids.h"
#include "dock/search/path.h"
#include "stages.h"

typedef struct fused_way {
    const dock_bench *bench;
    qn_rotation_grid grid;
    qn_fused_problems problems;
    qn_buffer *atoms, *weights, *rotations, *roots, *receptor;
    qn_buffer *positions, *planes, *products, *scratch, *energies, *cells;
} fused_way;

static qn_status start_fused(void *pointer)
{
    (void)pointer;
    return QN_OK;
}
static qn_status place(void *pointer, qn_event **events)
{
    fused_way *way = pointer;
    (void)events;
    return qn_ligand_planes_place(way->bench->queue, NULL, &way->problems.planes, way->atoms, way->rotations, 0,
                                  way->positions, NULL);
}
static qn_status make_planes(void *pointer, qn_event **events)
{
    fused_way *way = pointer;
    (void)events;
    return qn_ligand_planes(way->bench->queue, NULL, &way->problems.planes, way->positions, way->weights, way->roots,
                            way->planes, NULL);
}
static qn_status correlate(void *pointer, qn_event **events)
{
    fused_way *way = pointer;
    (void)events;
    return qn_correlate_columns(way->bench->queue, NULL, &way->problems.columns, way->planes, way->receptor, way->roots,
                                way->products, NULL);
}
static qn_status score(void *pointer, qn_event **events)
{
    fused_way *way = pointer;
    return qn_score_planes_best(way->bench->queue, NULL, &way->problems.scores, way->products, way->roots, way->scratch,
                                way->energies, way->cells, events);
}

/* Get the least work of the kernel with this name. */
static void kernel_work(const qn_family *family, const char *name, const void *problem, qn_work *work)
{
    for (int k = 0; k < family->kernel_count; k++)
        if (strcmp(family->kernels[k].name, name) == 0 && family->kernels[k].work)
            family->kernels[k].work(problem, work);
}
static void place_work(const void *pointer, qn_work *work)
{
    kernel_work(&qn_dock_ligand_planes_family, "place", &((const fused_way *)pointer)->problems.planes, work);
}
static void planes_work(const void *pointer, qn_work *work)
{
    kernel_work(&qn_dock_ligand_planes_family, "planes", &((const fused_way *)pointer)->problems.planes, work);
}
static void correlate_work(const void *pointer, qn_work *work)
{
    kernel_work(&qn_dock_correlate_columns_family, "correlate_columns", &((const fused_way *)pointer)->problems.columns,
                work);
}
static void score_work(const void *pointer, qn_work *work)
{
    kernel_work(&qn_dock_score_planes_family, "best", &((const fused_way *)pointer)->problems.scores, work);
}

static const bench_stage fused_stages[] = {
    {.name = "place atoms", .launch = place, .work = place_work},
    {.name = "planes", .launch = make_planes, .work = planes_work},
    {.name = "columns", .launch = correlate, .work = correlate_work},
    {.name = "scores", .launch = score, .work = score_work, .kernels = {"best", "merge"}},
};
enum { FUSED_STAGES = sizeof fused_stages / sizeof *fused_stages };

static void set_fused_problems(fused_way *way, int batch)
{
    const dock_bench *bench = way->bench;
    const qn_dock_grid *grid = &bench->grid;
    way->grid = (qn_rotation_grid){.cells = {grid->cells[0], grid->cells[1], grid->cells[2]},
                                   .box = grid->box,
                                   .plane_scale = 1,
                                   .product_scale = 1};
    qn_rotation_grid_fit_device(&way->grid, bench->device);
    qn_search_fused_problems(&way->grid, grid, &bench->energy, bench->sites.site_count, ROTATIONS, batch,
                             &way->problems);
}

/* Fill the receptor's spectra, stored as planes of whole columns. */
static void make_receptor(fused_way *way)
{
    const size_t columns = (size_t)qn_rotation_columns(&way->grid), nz = (size_t)way->grid.cells[2];
    const size_t filled = (size_t)qn_rotation_width(&way->grid) * (size_t)way->grid.cells[1];
    const qn_correlate_columns_problem *problem = &way->problems.columns;
    const size_t planes = qn_correlate_columns_spectra(problem) * nz;
    float *spectra = bench_allocate(planes * columns * 2, sizeof(float));
    for (int i = 0; i < problem->sets * problem->grids; i++) {
        const size_t to = qn_correlate_columns_spectrum(problem, i / problem->grids, i % problem->grids);
        for (size_t plane = 0; plane < nz; plane++)
            memcpy(spectra + (to * nz + plane) * columns * 2,
                   way->bench->spectra + ((size_t)i * nz + plane) * filled * 2, filled * 8);
    }
    bench_must(bench_make_buffer(way->bench, spectra, planes * columns * 8, &way->receptor));
    qn_release(&spectra);
}

static void make_roots(fused_way *way)
{
    const int *cells = way->grid.cells;
    float *roots;
    bench_must(qn_rotation_grid_roots(&way->grid, &roots));
    bench_must(bench_make_buffer(way->bench, roots, 8 * (size_t)(cells[0] + cells[1] + cells[2]), &way->roots));
    qn_release(&roots);
}

static void make_fused_buffers(fused_way *way, size_t batch)
{
    const dock_bench *bench = way->bench;
    const size_t atoms = (size_t)bench->sites.site_count, grids = (size_t)bench->grids, sets = (size_t)bench->sets;
    const size_t plane = (size_t)qn_rotation_columns(&way->grid) * qn_rotation_value_bytes(&way->grid);
    const size_t planes = batch * grids * (size_t)way->grid.box, products = sets * batch * (size_t)way->grid.cells[2];
    bench_must(bench_make_buffer(bench, bench->sites.sites, atoms * QN_LIGAND_ATOM_INTS * 4, &way->atoms));
    bench_must(bench_make_buffer(bench, bench->sites.weights, atoms * grids * 4, &way->weights));
    bench_must(bench_make_buffer(bench, bench->rotations, (size_t)ROTATIONS * QN_ROTATION_INTS * 4, &way->rotations));
    bench_must(bench_make_buffer(bench, NULL, batch * 3 * atoms * 4, &way->positions));
    bench_must(bench_make_buffer(bench, NULL, planes * plane, &way->planes));
    bench_must(bench_make_buffer(bench, NULL, products * plane, &way->products));
    bench_must(bench_make_buffer(bench, NULL, qn_score_planes_scratch_bytes(&way->problems.scores), &way->scratch));
    bench_must(bench_make_buffer(bench, NULL, batch * sets * 4, &way->energies));
    bench_must(bench_make_buffer(bench, NULL, batch * sets * 4, &way->cells));
}

void fused_way_print(const dock_bench *bench, int batch)
{
    fused_way way = {.bench = bench};
    set_fused_problems(&way, batch);
    make_receptor(&way);
    make_roots(&way);
    make_fused_buffers(&way, (size_t)batch);
    bench_print_stages(bench, &way, start_fused, fused_stages, FUSED_STAGES, batch);
    bench_must(qn_queue_finish(bench->queue));
    qn_buffer **buffers[] = {&way.atoms,  &way.weights,  &way.rotations, &way.roots,    &way.receptor, &way.positions,
                             &way.planes, &way.products, &way.scratch,   &way.energies, &way.cells};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
}
