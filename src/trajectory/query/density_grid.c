/* Density on a grid over the box. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "trajectory/query/density_quantity.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/setup.h"
#include "trajectory/query/slabs.h"

enum { CELLS_MAX = 1 << 28, HEAD = 4 /* values before the cells of a partial result: edges of the brick, scale */ };

/* Positions are wrapped into the brick a_x × b_y × c_z. Whatever the skew of the box, the brick holds one image of
 * every point, and its cells are a grid along x, y, z. */
typedef struct grid_state {
    bool centred, gathered;
    int counts[3];
    size_t atom_count; /* of the selection if it is fixed, else of the topology */
    const qn_density_quantity *quantity;
    qn_atom_weights weights, masses;
    double *sums;    /* of each cell, summed over frames */
    double edges[3]; /* summed over frames */
    size_t frame_count;
} grid_state;

static const qn_query_parameter parameters[] = {
    {"quantity", QN_PARAMETER_CHOICE, "number", 0, 0, QN_DENSITY_QUANTITIES, "quantity that is summed over atoms"},
    {"bin", QN_PARAMETER_LENGTH, "0.1", 1e-3, 1e4, NULL, "approximate edge of a cell in the first frame"},
    QN_CENTRE_PARAMETER,
    {0},
};

static void destroy(void *state)
{
    grid_state *grid = state;
    qn_atom_weights_clear(&grid->weights);
    qn_atom_weights_clear(&grid->masses);
    qn_release(&grid->sums);
    qn_release(&grid);
}

static qn_status count_cells(const qn_query_setup *setup, grid_state *grid)
{
    const double bin_nm = qn_query_setup_number(setup, "bin");
    const qn_trajectory_frame *first = qn_query_setup_first_frame(setup);
    qn_box box = {0};
    double cells = 1;
    if (first) QN_TRY(qn_box_from_vectors(first->box_nm, &box));
    if (box.shape == QN_BOX_NONE)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the first frame has no box; expected one that a grid can be laid in");
    for (int k = 0; k < 3; k++) {
        const double count = fmax(1, round(box.vectors_nm[k][k] / bin_nm));
        cells *= count;
        grid->counts[k] = count < CELLS_MAX ? (int)count : CELLS_MAX;
    }
    if (cells > CELLS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "bin is %g nm, which makes %.0f cells of a box of %g x %g x %g nm; expected at "
                       "most %d",
                       bin_nm, cells, box.vectors_nm[0][0], box.vectors_nm[1][1], box.vectors_nm[2][2], CELLS_MAX);
    return QN_OK;
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    grid_state *grid = state;
    void *memory;
    const uint32_t *atoms;
    grid->quantity = qn_density_quantity_find(qn_query_setup_text(setup, "quantity"));
    grid->centred = qn_query_setup_flag(setup, "centre");
    qn_query_setup_atoms(setup, 0, &grid->gathered, &atoms, &grid->atom_count);
    if (!grid->gathered) grid->atom_count = qn_query_setup_topology(setup)->atom_count;
    QN_TRY(count_cells(setup, grid));
    QN_TRY(qn_atom_weights_create(setup, 0, grid->quantity->kind, &grid->weights));
    if (grid->centred) QN_TRY(qn_atom_weights_create(setup, QN_ALL_ATOMS, QN_WEIGHT_MASS, &grid->masses));
    const size_t cells = (size_t)grid->counts[0] * (size_t)grid->counts[1] * (size_t)grid->counts[2];
    QN_TRY(qn_allocate(cells, sizeof *grid->sums, &memory));
    grid->sums = memory;
    return QN_OK;
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(grid_state), fill, destroy, state);
}

/* A partial result has the cell of each atom instead of the grid: it goes into the journal, and a frame usually has
 * fewer atoms than cells. */
static size_t partial_count(const void *state)
{
    return HEAD + ((const grid_state *)state)->atom_count;
}

/* Wrap a position into the brick; false if it is NaN or at least 1e15 edges away. */
static bool wrap(const qn_box *box, double position[3])
{
    for (int k = 2; k >= 0; k--) {
        double turns = position[k] * box->inverse[k][k];
        if (!(turns > -1e15 && turns < 1e15)) return false;
        turns = qn_slabs_floor(turns);
        for (int axis = 0; axis <= k; axis++) position[axis] -= turns * box->vectors_nm[k][axis];
    }
    return true;
}

/* Cell of a position; -1 if the position cannot be wrapped. Positions on boundaries are treated as in slabs. */
static double find_cell(const grid_state *grid, const qn_box *box, const double origin[3], const float *p)
{
    double position[3];
    for (int k = 0; k < 3; k++) position[k] = p[k] - origin[k] + QN_SLAB_ROUNDING * qn_slabs_size(p[k]);
    long long cell = 0;
    if (!wrap(box, position)) return -1;
    for (int k = 0; k < 3; k++) {
        const int place = (int)(position[k] * box->inverse[k][k] * grid->counts[k]);
        cell = cell * grid->counts[k] + (place < 0 ? 0 : place < grid->counts[k] ? place : grid->counts[k] - 1);
    }
    return (double)cell;
}

static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const grid_state *grid = state;
    const uint32_t *atoms = frame->atoms[0];
    double shift[3], origin[3] = {0};
    qn_box box;
    QN_TRY(qn_box_from_vectors(frame->frame->box_nm, &box));
    qn_slabs_shift(grid->centred, frame, &grid->masses, &box, shift);
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 3; k++) origin[axis] += shift[k] * box.vectors_nm[k][axis];
    for (int k = 0; k < 3; k++) partial[k] = box.vectors_nm[k][k];
    partial[3] = grid->quantity->factor * grid->counts[0] * grid->counts[1] * grid->counts[2] / box.volume_nm3;
    for (size_t i = 0; i < grid->atom_count; i++) partial[HEAD + i] = -1;
    for (size_t i = 0; i < frame->atom_count[0]; i++)
        partial[HEAD + (grid->gathered ? i : atoms[i])] =
            find_cell(grid, &box, origin, frame->frame->positions_nm + 3 * (size_t)atoms[i]);
    return QN_OK;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    grid_state *grid = state;
    const double *cells = partial + HEAD, scale = partial[3];
    (void)frame;
    for (int k = 0; k < 3; k++) grid->edges[k] += partial[k];
    for (size_t i = 0; i < grid->atom_count; i++)
        if (cells[i] >= 0) grid->sums[(size_t)cells[i]] += scale * (grid->weights.values ? grid->weights.values[i] : 1);
    grid->frame_count++;
    return QN_OK;
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    const grid_state *grid = state;
    const size_t cells = (size_t)grid->counts[0] * (size_t)grid->counts[1] * (size_t)grid->counts[2];
    const double frames = grid->frame_count ? (double)grid->frame_count : 1;
    qn_query_grid told = {.name = "",
                          .title = grid->quantity->title,
                          .unit = grid->quantity->unit,
                          .length_power = grid->quantity->length_power};
    void *memory;
    QN_TRY(qn_allocate(cells, sizeof(double), &memory));
    double *means = memory;
    for (size_t k = 0; k < cells; k++) means[k] = grid->sums[k] / frames;
    for (int k = 0; k < 3; k++) {
        const double edge_nm = grid->edges[k] / frames;
        told.counts[k] = grid->counts[k];
        told.step_nm[k] = edge_nm / grid->counts[k];
        told.origin_nm[k] = grid->centred ? -edge_nm / 2 : 0;
    }
    told.values = means;
    qn_status status = qn_query_tables_grid(tables, &told);
    qn_release(&means);
    return status;
}

const qn_query_class qn_query_density_grid = {
    .size = sizeof(qn_query_class),
    .name = "density-grid",
    .meaning = "density on a grid over the box, written as OpenDX",
    .parameters = parameters,
    .selections = 2,
    .needs = QN_QUERY_BOX,
    .create = create,
    .partial_count = partial_count,
    .measure = measure,
    .collect = collect,
    .finish = finish,
    .destroy = destroy,
};
