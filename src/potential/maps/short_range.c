#include "potential/maps/short_range.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "potential/maps/atom_lists.h"
#include "potential/maps/device_data.h"
#include "potential/maps/kernels/short_range.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/short_range.dev.h"

enum { DESOLVATION_LANES = 2, BLOCK_MAX = QN_SHORT_RANGE_LANES_MAX - DESOLVATION_LANES };

static const int finest_unit = -20; /* power of 2, in Å */
static const double coordinate_units_max = 0x1p30;

/* Up to BLOCK_MAX probes, which a launch computes together. */
typedef struct probe_block {
    int first, count, lanes;
    int scaled, extreme_of_donors, extreme_of_acceptors; /* bit masks */
    qn_buffer *table, *probes, *values;
} probe_block;

struct qn_short_range {
    qn_queue *queue;
    qn_short_range_input input;
    qn_atom_lists lists;
    qn_brick_lists bricks;
    int unit_power; /* unit of positions: 2^unit_power Å */
    float guard, tie;
    probe_block *blocks;
    int block_count;
    qn_buffer *atoms, *solvation, *exact, *directions, *limits, *places, *places_exact;
    qn_buffer *list_atoms, *list_starts, *charges;
    int first, count; /* planes whose lists are made */
    double pairs;     /* of points and atoms in these lists */
};

/* ---- positions ---- */

static double coordinate_max(const qn_potential_model *model)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, qn_potential_grid_offset(&model->settings.grid, k, model->settings.grid.points[k] - 1));
    return most + QN_POTENTIAL_CUTOFF_ANGSTROM + 1;
}

/* Errors of the kernel's distances: coordinates are rounded to units; those relative to a brick are exact as floats
 * below 2^24 units, else they are rounded again. */
static void choose_unit(qn_short_range *own)
{
    const qn_potential_model *model = own->input.model;
    const double widest = coordinate_max(model), reach = QN_POTENTIAL_CUTOFF_ANGSTROM + 0.01;
    own->unit_power = finest_unit;
    while (ldexp(widest, -own->unit_power) > coordinate_units_max) own->unit_power++;
    const double unit = ldexp(1, own->unit_power);
    const double local = (SHORT_BRICK - 1) * model->settings.grid.spacing_angstrom + reach;
    double error = unit;
    if (local / unit > 0x1p24) error += (2 * local + reach) * 0x1p-24;
    own->guard = (float)(1.8 * error * QN_POTENTIAL_ENTRIES_PER_ANGSTROM);
    own->tie = (float)(2 * reach * 1.8 * error + reach * reach * 8 * 0x1p-24);
}

static int in_units(const qn_short_range *own, double angstrom)
{
    return (int)lrint(ldexp(angstrom, -own->unit_power));
}

static qn_status upload_places(qn_short_range *own)
{
    const qn_potential_grid *grid = &own->input.model->settings.grid;
    const size_t count = (size_t)grid->points[0] + (size_t)grid->points[1] + (size_t)grid->points[2];
    int *places = NULL;
    uint64_t *exact = NULL;
    size_t place = 0;
    qn_status status = qn_allocate(count, sizeof *places, (void **)&places);
    if (status == QN_OK) status = qn_allocate(count, sizeof *exact, (void **)&exact);
    for (int k = 0; k < 3 && status == QN_OK; k++)
        for (int i = 0; i < grid->points[k]; i++, place++) {
            const double offset = qn_potential_grid_offset(grid, k, i);
            places[place] = in_units(own, offset);
            exact[place] = qn_device_data_bits(offset);
        }
    if (status == QN_OK) status = qn_device_data_copy(own->queue, places, count * sizeof *places, &own->places);
    if (status == QN_OK) status = qn_device_data_copy(own->queue, exact, count * sizeof *exact, &own->places_exact);
    qn_release(&places);
    qn_release(&exact);
    return status;
}

/* limits[n]: least squared distance whose entry is n, as doubles are rounded; the last one: beyond the cutoff. */
static void find_limits(uint64_t limits[SHORT_ENTRIES + 1])
{
    for (int n = 0; n < SHORT_ENTRIES; n++) limits[n] = qn_device_data_bits(qn_potential_entry_limit(n));
    double end = QN_POTENTIAL_CUTOFF_ANGSTROM * QN_POTENTIAL_CUTOFF_ANGSTROM;
    while (!(sqrt(end) > QN_POTENTIAL_CUTOFF_ANGSTROM)) end = nextafter(end, INFINITY);
    limits[SHORT_ENTRIES] = qn_device_data_bits(end);
}

/* ---- atoms ---- */

typedef struct atom_arrays {
    qn_int4 *atoms;
    qn_float2 *solvation;
    uint64_t *exact;
    qn_float4 *directions;
} atom_arrays;

static float code_of(const qn_potential_type *type, const qn_potential_direction *direction)
{
    switch (type->role) {
    case QN_POTENTIAL_DONOR: return direction->power == 4 ? SHORT_FOURTH : SHORT_SQUARE;
    case QN_POTENTIAL_ACCEPTOR_ONE: return SHORT_SQUARE;
    case QN_POTENTIAL_ACCEPTOR_TWO: return SHORT_LONE_PAIRS;
    default: return SHORT_SPHERICAL;
    }
}

static void fill_direction(const qn_potential_type *type, const qn_potential_direction *direction, qn_float4 out[3])
{
    const double *axis = direction->axis, *normal = direction->normal;
    out[0] = (qn_float4){(float)axis[0], (float)axis[1], (float)axis[2], code_of(type, direction)};
    out[1] = (qn_float4){(float)normal[0], (float)normal[1], (float)normal[2], 0};
    out[2] = (qn_float4){(float)(normal[1] * axis[2] - normal[2] * axis[1]),
                         (float)(normal[2] * axis[0] - normal[0] * axis[2]),
                         (float)(normal[0] * axis[1] - normal[1] * axis[0]), 0};
}

static void fill_atoms(const qn_short_range *own, const atom_arrays *arrays)
{
    const qn_potential_model *model = own->input.model;
    for (size_t i = 0; i < own->lists.atom_count; i++) {
        const size_t atom = (size_t)own->lists.atoms[i];
        const double *place = model->positions_angstrom + 3 * atom;
        const qn_potential_type *type = &model->parameters->types[model->types[atom]];
        arrays->atoms[i] = (qn_int4){in_units(own, place[0]), in_units(own, place[1]), in_units(own, place[2]),
                                     model->kinds[atom] * SHORT_ENTRIES};
        arrays->solvation[i] =
            (qn_float2){(float)type->volume_angstrom3,
                        (float)(type->solvation + model->settings.charge_solvation * fabs(model->charges_e[atom]))};
        for (int k = 0; k < 3; k++) arrays->exact[3 * i + (size_t)k] = qn_device_data_bits(place[k]);
        if ((int)i < own->lists.class_begin[QN_ATOM_OTHER])
            fill_direction(type, &model->directions[atom], arrays->directions + SHORT_DIRECTION * i);
    }
}

static qn_status upload_atoms(qn_short_range *own)
{
    const size_t count = own->lists.atom_count ? own->lists.atom_count : 1; /* buffers are not empty */
    const size_t directed = (size_t)own->lists.class_begin[QN_ATOM_OTHER] + 1;
    atom_arrays arrays = {0};
    qn_status status = qn_allocate(count, sizeof *arrays.atoms, (void **)&arrays.atoms);
    if (status == QN_OK) status = qn_allocate(count, sizeof *arrays.solvation, (void **)&arrays.solvation);
    if (status == QN_OK) status = qn_allocate(3 * count, sizeof *arrays.exact, (void **)&arrays.exact);
    if (status == QN_OK)
        status = qn_allocate(SHORT_DIRECTION * directed, sizeof *arrays.directions, (void **)&arrays.directions);
    if (status == QN_OK) {
        fill_atoms(own, &arrays);
        status = qn_device_data_copy(own->queue, arrays.atoms, count * sizeof *arrays.atoms, &own->atoms);
    }
    if (status == QN_OK)
        status = qn_device_data_copy(own->queue, arrays.solvation, count * sizeof *arrays.solvation, &own->solvation);
    if (status == QN_OK)
        status = qn_device_data_copy(own->queue, arrays.exact, 3 * count * sizeof *arrays.exact, &own->exact);
    if (status == QN_OK)
        status = qn_device_data_copy(own->queue, arrays.directions,
                                     SHORT_DIRECTION * directed * sizeof *arrays.directions, &own->directions);
    qn_release(&arrays.atoms);
    qn_release(&arrays.solvation);
    qn_release(&arrays.exact);
    qn_release(&arrays.directions);
    return status;
}

/* ---- probes ---- */

static void fill_table(const qn_potential_model *model, const probe_block *block, float *table)
{
    for (int kind = 0; kind < model->kind_count; kind++)
        for (int entry = 0; entry < SHORT_ENTRIES; entry++) {
            float *row = table + ((size_t)kind * SHORT_ENTRIES + (size_t)entry) * (size_t)block->lanes;
            for (int i = 0; i < block->count; i++)
                if (block->first + i != model->covalent_probe)
                    row[i] = (float)qn_potential_model_energies(model, kind, block->first + i)[entry];
            row[block->lanes - 2] = row[block->lanes - 1] = (float)model->desolvation[entry];
        }
}

static void mark_bonds(const qn_potential_model *model, probe_block *block)
{
    for (int i = 0; i < block->count; i++) {
        const qn_potential_role role = model->parameters->types[model->probe_types[block->first + i]].role;
        if (block->first + i == model->covalent_probe) continue;
        if (role == QN_POTENTIAL_ACCEPTOR_ONE) block->extreme_of_donors |= 1 << i;
        if (role == QN_POTENTIAL_ACCEPTOR_TWO || role == QN_POTENTIAL_ACCEPTOR_SPHERICAL) block->scaled |= 1 << i;
        if (qn_potential_is_donor(role)) block->extreme_of_acceptors |= 1 << i;
    }
}

static qn_status create_block(const qn_short_range *own, int first, probe_block *block)
{
    const qn_potential_model *model = own->input.model;
    const int left = model->settings.probe_count - first;
    const int *points = model->settings.grid.points;
    qn_float2 probes[BLOCK_MAX];
    float *table;
    block->first = first;
    block->count = left < BLOCK_MAX ? left : BLOCK_MAX;
    block->lanes = block->count <= QN_SHORT_RANGE_LANES_MIN - DESOLVATION_LANES ? QN_SHORT_RANGE_LANES_MIN
                                                                                : QN_SHORT_RANGE_LANES_MAX;
    mark_bonds(model, block);
    for (int i = 0; i < block->count; i++) {
        const qn_potential_type *type = &model->parameters->types[model->probe_types[first + i]];
        probes[i] = (qn_float2){(float)type->solvation, (float)type->volume_angstrom3};
    }
    QN_TRY(qn_device_data_copy(own->queue, probes, (size_t)block->count * sizeof *probes, &block->probes));
    QN_TRY(qn_buffer_create(qn_queue_device(own->queue),
                            sizeof(float) * (size_t)block->count * (size_t)points[0] * (size_t)points[1] *
                                (size_t)own->input.planes_max,
                            &block->values));
    const size_t size = (size_t)model->kind_count * SHORT_ENTRIES * (size_t)block->lanes;
    QN_TRY(qn_allocate(size, sizeof *table, (void **)&table));
    fill_table(model, block, table);
    const qn_status status = qn_device_data_copy(own->queue, table, size * sizeof *table, &block->table);
    qn_release(&table);
    return status;
}

static qn_status create_blocks(qn_short_range *own)
{
    const int probes = own->input.model->settings.probe_count, *points = own->input.model->settings.grid.points;
    own->block_count = (probes + BLOCK_MAX - 1) / BLOCK_MAX;
    QN_TRY(qn_allocate((size_t)own->block_count, sizeof *own->blocks, (void **)&own->blocks));
    for (int i = 0; i < own->block_count; i++) QN_TRY(create_block(own, i * BLOCK_MAX, &own->blocks[i]));
    return qn_buffer_create(qn_queue_device(own->queue),
                            sizeof(float) * (size_t)points[0] * (size_t)points[1] * (size_t)own->input.planes_max,
                            &own->charges);
}

/* ---- the object ---- */

static qn_status build(qn_short_range *own)
{
    uint64_t limits[SHORT_ENTRIES + 1];
    QN_TRY(qn_atom_lists_create(own->input.model, SHORT_BRICK, &own->lists));
    choose_unit(own);
    find_limits(limits);
    QN_TRY(qn_device_data_copy(own->queue, limits, sizeof limits, &own->limits));
    QN_TRY(upload_places(own));
    QN_TRY(upload_atoms(own));
    return create_blocks(own);
}

qn_status qn_short_range_create(qn_queue *queue, const qn_short_range_input *input, qn_short_range **out)
{
    qn_short_range *own;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    own->queue = queue;
    own->input = *input;
    const qn_status status = build(own);
    if (status == QN_OK)
        *out = own;
    else
        qn_short_range_destroy(&own);
    return status;
}

void qn_short_range_destroy(qn_short_range **pointer)
{
    qn_short_range *own = *pointer;
    if (!own) return;
    qn_buffer **const buffers[] = {&own->atoms,       &own->solvation, &own->exact,        &own->directions,
                                   &own->limits,      &own->places,    &own->places_exact, &own->list_atoms,
                                   &own->list_starts, &own->charges};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    for (int i = 0; i < own->block_count && own->blocks; i++) {
        qn_buffer_release(&own->blocks[i].table);
        qn_buffer_release(&own->blocks[i].probes);
        qn_buffer_release(&own->blocks[i].values);
    }
    qn_release(&own->blocks);
    qn_atom_lists_clear(&own->lists);
    qn_brick_lists_clear(&own->bricks);
    qn_release(pointer);
}

/* ---- slabs ---- */

/* Write `bytes` into a buffer, which is made larger if needed. */
static qn_status refill(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    if (*buffer && qn_buffer_bytes(*buffer) < bytes) qn_buffer_release(buffer);
    if (!*buffer) QN_TRY(qn_buffer_create(qn_queue_device(queue), (bytes + bytes / 4 + 255) / 256 * 256, buffer));
    return qn_queue_write(queue, *buffer, 0, data, bytes, NULL);
}

qn_status qn_short_range_prepare(qn_short_range *own, int first, int count)
{
    qn_brick_lists *bricks = &own->bricks;
    own->first = first, own->count = count;
    QN_TRY(qn_brick_lists_make(&own->lists, own->input.pool, first, count, bricks));
    own->pairs = (double)bricks->atom_count * SHORT_BRICK * SHORT_BRICK * SHORT_BRICK;
    const size_t number = (size_t)bricks->bricks[0] * (size_t)bricks->bricks[1] * (size_t)bricks->bricks[2];
    QN_TRY(refill(own->queue, bricks->starts, 4 * number * sizeof(int), &own->list_starts));
    if (bricks->atom_count == 0) bricks->atoms[0] = 0;
    return refill(own->queue, bricks->atoms, (bricks->atom_count ? bricks->atom_count : 1) * sizeof(int),
                  &own->list_atoms);
}

static qn_short_range_problem problem_of(const qn_short_range *own, const probe_block *block)
{
    const int *points = own->input.model->settings.grid.points, *bricks = own->bricks.bricks;
    return (qn_short_range_problem){.bricks = {bricks[0], bricks[1], bricks[2]},
                                    .points = {points[0], points[1], own->count},
                                    .lanes = block->lanes,
                                    .probe_count = block->count,
                                    .pairs = own->pairs};
}

static qn_status launch(const qn_short_range *own, const probe_block *block, const qn_configuration *configuration,
                        qn_event **event)
{
    const qn_potential_settings *settings = &own->input.model->settings;
    const int *points = settings->grid.points;
    const short_scalars scalars = {.nx = points[0],
                                   .ny = points[1],
                                   .planes = own->count,
                                   .first_plane = own->first,
                                   .places_y = points[0],
                                   .places_z = points[0] + points[1],
                                   .probe_count = block->count,
                                   .scaled = block->scaled,
                                   .extreme_of_donors = block->extreme_of_donors,
                                   .extreme_of_acceptors = block->extreme_of_acceptors,
                                   .unit = ldexpf(1, own->unit_power),
                                   .reach2 = 64.05F,
                                   .guard = own->guard,
                                   .slope = 9 * 0x1p-24F,
                                   .tie = own->tie,
                                   .charge_solvation = (float)settings->charge_solvation};
    const qn_short_range_problem problem = problem_of(own, block);
    const qn_short_range_buffers buffers = {.atoms = own->atoms,
                                            .solvation = own->solvation,
                                            .exact = own->exact,
                                            .directions = own->directions,
                                            .lists = own->list_atoms,
                                            .starts = own->list_starts,
                                            .table = block->table,
                                            .limits = own->limits,
                                            .places = own->places,
                                            .places_exact = own->places_exact,
                                            .probes = block->probes,
                                            .values = block->values,
                                            .charges = own->charges};
    return qn_short_range_launch(own->queue, configuration, &problem, &buffers, &scalars, event);
}

static qn_status read_block(const qn_short_range *own, const probe_block *block, size_t points, float *const *maps)
{
    const size_t bytes = points * sizeof(float);
    for (int i = 0; i < block->count; i++)
        if (block->first + i != own->input.model->covalent_probe)
            QN_TRY(qn_queue_read(own->queue, block->values, (size_t)i * bytes, maps[block->first + i], bytes, NULL));
    return QN_OK;
}

qn_status qn_short_range_planes(qn_short_range *own, int first, int count, float *const *maps)
{
    const qn_potential_settings *settings = &own->input.model->settings;
    const size_t points = (size_t)settings->grid.points[0] * (size_t)settings->grid.points[1] * (size_t)count;
    QN_TRY(qn_short_range_prepare(own, first, count));
    for (int i = 0; i < own->block_count; i++) {
        QN_TRY(launch(own, &own->blocks[i], own->input.configuration, NULL));
        QN_TRY(read_block(own, &own->blocks[i], points, maps));
    }
    return qn_queue_read(own->queue, own->charges, 0, maps[settings->probe_count], points * sizeof(float), NULL);
}

qn_status qn_short_range_run(qn_short_range *own, const qn_configuration *configuration, qn_event **event)
{
    return launch(own, &own->blocks[0], configuration, event);
}

void qn_short_range_outputs(const qn_short_range *own, qn_buffer **values, qn_buffer **charges)
{
    *values = own->blocks[0].values;
    *charges = own->charges;
}

void qn_short_range_work(const qn_short_range *own, qn_work *least)
{
    const qn_short_range_problem problem = problem_of(own, &own->blocks[0]);
    qn_potential_short_range_family.kernels[0].work(&problem, least);
}
