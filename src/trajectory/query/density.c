/* Density profile along an axis of the box. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "trajectory/query/blocks.h"
#include "trajectory/query/density_quantity.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/setup.h"
#include "trajectory/query/slabs.h"
#include "trajectory/query/tables.h"

typedef struct density_state {
    qn_slabs slabs;
    const qn_density_quantity *quantity;
    qn_atom_weights weights, masses; /* masses of the group that is centred on */
    double *sums;                    /* density of each slab, then the height; summed over frames */
    qn_blocks blocks;                /* of the same */
    size_t frame_count;
} density_state;

static const qn_query_parameter parameters[] = {
    {"quantity", QN_PARAMETER_CHOICE, "mass", 0, 0, QN_DENSITY_QUANTITIES, "quantity that is summed over atoms"},
    QN_SLABS_PARAMETERS,
    QN_CENTRE_PARAMETER,
    {0},
};

static void destroy(void *state)
{
    density_state *density = state;
    qn_atom_weights_clear(&density->weights);
    qn_atom_weights_clear(&density->masses);
    qn_blocks_clear(&density->blocks);
    qn_release(&density->sums);
    qn_release(&density);
}

static qn_status fill(const qn_query_setup *setup, void *state)
{
    density_state *density = state;
    void *memory;
    density->quantity = qn_density_quantity_find(qn_query_setup_text(setup, "quantity"));
    density->slabs.centred = qn_query_setup_flag(setup, "centre");
    QN_TRY(qn_slabs_create(setup, &density->slabs));
    QN_TRY(qn_atom_weights_create(setup, 0, density->quantity->kind, &density->weights));
    if (density->slabs.centred) QN_TRY(qn_atom_weights_create(setup, QN_ALL_ATOMS, QN_WEIGHT_MASS, &density->masses));
    QN_TRY(qn_allocate((size_t)density->slabs.count + 1, sizeof *density->sums, &memory));
    density->sums = memory;
    return qn_blocks_create((size_t)density->slabs.count + 1, &density->blocks);
}

static qn_status create(const qn_query_setup *setup, void **state)
{
    return qn_query_state_create(setup, sizeof(density_state), fill, destroy, state);
}

static size_t partial_count(const void *state)
{
    return (size_t)((const density_state *)state)->slabs.count + 1;
}

/* Neighbours in the list often lie in one slab, and each addition would wait for the one before. So if there are few
 * slabs, four sets of sums take every fourth atom each. Atoms that lie in no slab are added after the last slab. */
static void add_weights(const density_state *density, const qn_query_frame *frame, const qn_slab_rule *rule,
                        double *partial)
{
    enum { FEW = 512 };
    const qn_atom_sums *sums = QN_HOST_SELECT(qn_atom_sums_host);
    const uint32_t *atoms = frame->atoms[0];
    const size_t row = (size_t)rule->count + 1;
    double room[QN_ATOM_BLOCK], apart[3][FEW];
    double *const of[4] = {partial, row <= FEW ? apart[0] : partial, row <= FEW ? apart[1] : partial,
                           row <= FEW ? apart[2] : partial};
    int32_t slabs[QN_ATOM_BLOCK];
    for (int k = 1; k < 4 && row <= FEW; k++) memset(of[k], 0, row * sizeof **of);
    for (size_t begin = 0; begin < frame->atom_count[0]; begin += QN_ATOM_BLOCK) {
        const size_t left = frame->atom_count[0] - begin, count = left < QN_ATOM_BLOCK ? left : QN_ATOM_BLOCK;
        const double *weights = qn_atom_weights_view(&density->weights, atoms, begin, count, room);
        sums->find_slabs(&(qn_atom_block){frame->frame->positions_nm, atoms + begin, weights, count}, rule, slabs);
        size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            of[0][slabs[i]] += weights[i];
            of[1][slabs[i + 1]] += weights[i + 1];
            of[2][slabs[i + 2]] += weights[i + 2];
            of[3][slabs[i + 3]] += weights[i + 3];
        }
        for (; i < count; i++) of[0][slabs[i]] += weights[i];
    }
    for (size_t slab = 0; slab < row && row <= FEW; slab++)
        partial[slab] = (of[0][slab] + of[1][slab]) + (of[2][slab] + of[3][slab]);
}

/* The partial result: weight of each slab over its volume V / count, then the height of the box. */
static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const density_state *density = state;
    const qn_slabs slabs = density->slabs;
    double shift[3];
    qn_box box;
    QN_TRY(qn_box_from_vectors(frame->frame->box_nm, &box));
    qn_slabs_shift(slabs.centred, frame, &density->masses, &box, shift);
    const qn_slab_rule rule = qn_slabs_rule(&slabs, &box, shift[slabs.axis]);
    memset(partial, 0, partial_count(state) * sizeof *partial);
    add_weights(density, frame, &rule, partial);
    const double scale = density->quantity->factor * slabs.count / box.volume_nm3;
    for (int k = 0; k < slabs.count; k++) partial[k] *= scale;
    partial[slabs.count] = qn_slabs_height_nm(&slabs, &box);
    return QN_OK;
}

static qn_status collect(void *state, const qn_trajectory_frame *frame, const double *partial)
{
    density_state *density = state;
    (void)frame;
    for (int k = 0; k <= density->slabs.count; k++) density->sums[k] += partial[k];
    qn_blocks_add(&density->blocks, partial);
    density->frame_count++;
    return QN_OK;
}

static double error_of(const density_state *density, int slab)
{
    const qn_blocks *blocks = &density->blocks;
    double means[QN_BLOCKS_MOST];
    for (size_t i = 0; i < blocks->count; i++) means[i] = qn_blocks_sums(blocks, i)[slab] / (double)blocks->length;
    return qn_blocks_error(means, blocks->count);
}

static qn_status finish(const void *state, qn_query_tables *tables)
{
    const density_state *density = state;
    const qn_slabs *slabs = &density->slabs;
    const qn_density_quantity *quantity = density->quantity;
    const double frames = density->frame_count ? (double)density->frame_count : 1;
    char error[64];
    snprintf(error, sizeof error, QN_ERROR_COLUMN, quantity->label);
    const qn_query_column columns[] = {
        {qn_slabs_label(slabs), "nm", 1},
        {quantity->label, quantity->unit, quantity->length_power},
        {error, quantity->unit, quantity->length_power},
    };
    const qn_query_table table = {
        .name = "", .title = quantity->title, .columns = columns, .column_count = 3, .plotted = 1};
    QN_TRY(qn_query_tables_begin(tables, &table));
    for (int k = 0; k < slabs->count; k++) {
        const double row[3] = {qn_slabs_middle_nm(slabs, k, density->sums[slabs->count] / frames),
                               density->sums[k] / frames, error_of(density, k)};
        QN_TRY(qn_query_tables_row(tables, row));
    }
    return QN_OK;
}

const qn_query_class qn_query_density = {
    .size = sizeof(qn_query_class),
    .name = "density",
    .meaning = "density profile along an axis of the box: mass, number, charge or electrons",
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
