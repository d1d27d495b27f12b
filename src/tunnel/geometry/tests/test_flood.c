/* labels: long */
/* The widest way out of twenty places in two proteins, beside a flood of a grid of 0.1 Å, which knows nothing of power
 * diagrams: it takes the cell with the largest clearance that it has reached, until it is outside. */
#include "tunnel/geometry/tunnels.h"

#include <math.h>
#include <quern/molecule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "math/random.h"
#include "tunnel/geometry/heap.h"

enum {
    STARTS = 10,
    COARSE = 5
}; /* starts in each protein; cells of the grid in one of the coarse grid, along a side */

static const double spacing = 0.1, border = 8; /* Å */
static const qn_tunnels_settings settings = {{0.9, 3, 4}, 2, 5, 1, 50};

/* ---- the grid ---- */

typedef struct flood {
    const qn_balls *balls;
    double corner[3];
    uint32_t cells[3], coarse[3];
    bool *outside;  /* coarse cells that a sphere of the shell's radius reaches from the border */
    uint64_t *seen; /* bits of cells */
} flood;

static void place_of(const flood *grid, uint32_t cell, double place[3])
{
    const uint32_t at[3] = {cell % grid->cells[0], cell / grid->cells[0] % grid->cells[1],
                            cell / grid->cells[0] / grid->cells[1]};
    for (int k = 0; k < 3; k++) place[k] = grid->corner[k] + spacing * at[k];
}

static double clearance_at(const flood *grid, uint32_t cell)
{
    double place[3];
    place_of(grid, cell, place);
    return qn_balls_clearance(grid->balls, place, NULL);
}

static uint32_t coarse_of(const flood *grid, uint32_t cell)
{
    const uint32_t at[3] = {cell % grid->cells[0] / COARSE, cell / grid->cells[0] % grid->cells[1] / COARSE,
                            cell / grid->cells[0] / grid->cells[1] / COARSE};
    return (at[2] * grid->coarse[1] + at[1]) * grid->coarse[0] + at[0];
}

static void mark_outside(flood *grid)
{
    const uint32_t *n = grid->coarse;
    const size_t count = (size_t)n[0] * n[1] * n[2];
    uint32_t *stack = NULL;
    bool *wide = NULL;
    size_t depth = 0;
    if (!CHECK_OK(qn_allocate(count, sizeof *stack, (void **)&stack))) return;
    if (!CHECK_OK(qn_allocate(count, sizeof *wide, (void **)&wide))) return;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at[3] = {(uint32_t)(i % n[0]), (uint32_t)(i / n[0] % n[1]), (uint32_t)(i / n[0] / n[1])};
        double place[3];
        for (int k = 0; k < 3; k++) place[k] = grid->corner[k] + spacing * COARSE * at[k];
        wide[i] = qn_balls_clearance(grid->balls, place, NULL) >= settings.voids.shell_radius;
    }
    grid->outside[0] = true;
    stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t i = stack[--depth], at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        const uint32_t stride[3] = {1, n[0], n[0] * n[1]};
        for (int k = 0; k < 6; k++) {
            if (k % 2 ? at[k / 2] + 1 == n[k / 2] : at[k / 2] == 0) continue;
            const uint32_t other = k % 2 ? i + stride[k / 2] : i - stride[k / 2];
            if (grid->outside[other] || !wide[other]) continue;
            grid->outside[other] = true;
            stack[depth++] = other;
        }
    }
    qn_release(&wide);
    qn_release(&stack);
}

static void make_grid(const qn_balls *balls, flood *grid)
{
    *grid = (flood){.balls = balls};
    for (int k = 0; k < 3; k++) {
        grid->corner[k] = balls->low[k] - border;
        grid->coarse[k] = (uint32_t)((balls->high[k] - balls->low[k] + 2 * border) / (COARSE * spacing)) + 1;
        grid->cells[k] = grid->coarse[k] * COARSE;
    }
    const size_t cells = (size_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
    CHECK(cells < UINT32_MAX);
    CHECK_OK(qn_allocate((size_t)grid->coarse[0] * grid->coarse[1] * grid->coarse[2], 1, (void **)&grid->outside));
    CHECK_OK(qn_allocate(cells / 64 + 1, sizeof *grid->seen, (void **)&grid->seen));
    mark_outside(grid);
}

static bool see(flood *grid, uint32_t cell)
{
    const uint64_t bit = (uint64_t)1 << (cell % 64);
    const bool seen = grid->seen[cell / 64] & bit;
    grid->seen[cell / 64] |= bit;
    return seen;
}

/* The largest radius of a sphere that gets outside from a place. */
static double flood_from(flood *grid, const double place[3])
{
    const uint32_t stride[3] = {1, grid->cells[0], grid->cells[0] * grid->cells[1]};
    const size_t cells = (size_t)stride[2] * grid->cells[2];
    uint32_t first = 0;
    double level = INFINITY;
    qn_heap heap = {0};
    memset(grid->seen, 0, (cells / 64 + 1) * sizeof *grid->seen);
    for (int k = 0; k < 3; k++) first += stride[k] * (uint32_t)lround((place[k] - grid->corner[k]) / spacing);
    (void)see(grid, first);
    CHECK_OK(qn_heap_push(&heap, -qn_balls_clearance(grid->balls, place, NULL), first));
    for (qn_heap_entry entry; qn_heap_pop(&heap, &entry);) {
        level = fmin(level, -entry.key);
        if (-entry.key >= settings.voids.shell_radius && grid->outside[coarse_of(grid, entry.item)]) break;
        for (int k = 0; k < 6; k++) { /* the border is outside, so no cell of it gets here */
            const uint32_t other = k % 2 ? entry.item + stride[k / 2] : entry.item - stride[k / 2];
            if (see(grid, other)) continue;
            if (qn_heap_push(&heap, -clearance_at(grid, other), other) != QN_OK) return NAN;
        }
    }
    qn_heap_clear(&heap);
    return level;
}

/* ---- proteins ---- */

static double radius_of(const char *element)
{
    switch (element[0]) {
    case 'H': return 1.2;
    case 'N': return 1.55;
    case 'O': return 1.52;
    case 'S': return 1.8;
    default: return 1.7;
    }
}

static bool read_balls(const char *path, qn_balls **balls)
{
    qn_molecule_options options = qn_molecule_default_options();
    qn_molecule *molecule;
    qn_ball *given;
    options.drop_water = true;
    if (!CHECK_OK(qn_molecule_read(NULL, path, &options, &molecule))) return false;
    if (!CHECK_OK(qn_allocate(molecule->atom_count, sizeof *given, (void **)&given))) return false;
    for (size_t i = 0; i < molecule->atom_count; i++) {
        memcpy(given[i].place, molecule->atoms[i].position_angstrom, sizeof given[i].place);
        given[i].radius = radius_of(molecule->atoms[i].element);
    }
    CHECK_OK(qn_balls_create(given, molecule->atom_count, balls));
    qn_release(&given);
    qn_molecule_destroy(&molecule);
    return true;
}

/* Try random places until as many as wanted have a void inside. */
static void compare(const char *path, uint64_t seed)
{
    qn_balls *balls;
    flood grid;
    int compared = 0;
    if (!read_balls(path, &balls)) return;
    make_grid(balls, &grid);
    for (uint64_t i = 0; compared < STARTS && i < 2000; i++) {
        qn_tunnels tunnels;
        double place[3];
        for (uint64_t k = 0; k < 3; k++)
            place[k] = balls->low[k] + (balls->high[k] - balls->low[k]) * (0.25 + 0.5 * qn_random_uniform(seed, i, k));
        if (qn_balls_clearance(balls, place, NULL) < 0.3) continue;
        if (!CHECK_OK(qn_tunnels_find(balls, &settings, place, NULL, &tunnels))) break;
        if (tunnels.outcome == QN_TUNNELS_OPEN || tunnels.outcome == QN_TUNNELS_CLOSED) {
            const double widest = flood_from(&grid, tunnels.start);
            printf("start %.2f, %.2f, %.2f of %.2f Å: way %.3f, flood %.3f, %zu tunnels\n", tunnels.start[0],
                   tunnels.start[1], tunnels.start[2], tunnels.start_radius, tunnels.way_radius, widest, tunnels.count);
            CHECK_NEAR(tunnels.way_radius, widest, 0.1);
            CHECK((tunnels.outcome == QN_TUNNELS_OPEN) == (tunnels.count > 0));
            for (size_t t = 0; t < tunnels.count; t++)
                CHECK(tunnels.lines[t].radii[tunnels.lines[t].narrowest] >= settings.voids.probe);
            compared++;
        }
        qn_tunnels_clear(&tunnels);
    }
    CHECK(compared == STARTS);
    qn_release(&grid.outside);
    qn_release(&grid.seen);
    qn_balls_destroy(&balls);
}

static void ways_out_of_a_kinase(void)
{
    compare(check_data("../../examples/1iep/1iep_receptor.pdb"), 1);
}

static void ways_out_of_a_protease(void)
{
    compare(check_data("../../examples/1ppe/1PPE_r_b-matched.pdb"), 2);
}

int main(void)
{
    RUN(ways_out_of_a_kinase);
    RUN(ways_out_of_a_protease);
    return check_finish();
}
