#include "potential/vina/vina_model.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/structure/autodock_types.h"
#include "model/neighbour_grid.h"
#include "potential/maps/device_data.h"
#include "potential/vina/kernels/vina_maps.h"
#include "score/vina.h"
#include "score/vina_rows.h"

static const char *const row_names[QN_VINA_ROWS] = {
    [C_H] = "C_H", [C_P] = "C_P",   [N_P] = "N_P",   [N_D] = "N_D",   [N_A] = "N_A", [N_DA] = "N_DA",
    [O_P] = "O_P", [O_D] = "O_D",   [O_A] = "O_A",   [O_DA] = "O_DA", [S_P] = "S_P", [P_P] = "P_P",
    [F_H] = "F_H", [CL_H] = "Cl_H", [BR_H] = "Br_H", [I_H] = "I_H",   [SI_P] = "Si", [METAL] = "Met_D"};

const char *qn_vina_row_name(int row)
{
    return row >= 0 && row < QN_VINA_ROWS ? row_names[row] : NULL;
}

int qn_vina_row_find(const char *name)
{
    for (int row = 0; row < QN_VINA_ROWS; row++)
        if (strcasecmp(row_names[row], name) == 0) return row;
    return -1;
}

/* ---- types ---- */

static double covalent_radius(const char *element)
{
    static const struct {
        char element[4];
        double radius_angstrom;
    } radii[] = {{"H", 0.37}, {"C", 0.77}, {"N", 0.75},  {"O", 0.73},  {"F", 0.71}, {"SI", 1.18},
                 {"P", 1.06}, {"S", 1.02}, {"CL", 0.99}, {"BR", 1.14}, {"I", 1.33}, {"B", 0.90}};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++)
        if (strcmp(element, radii[i].element) == 0) return radii[i].radius_angstrom;
    return 0; /* bonds of metals do not change types */
}

typedef struct type_search {
    const qn_vina_source_atom *atoms;
    char (*elements)[4];
    size_t atom;
    bool hetero, polar_hydrogen;
} type_search;

static void visit(size_t other, void *user)
{
    type_search *s = user;
    const double reach = 1.1 * (covalent_radius(s->elements[s->atom]) + covalent_radius(s->elements[other]));
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double difference = s->atoms[s->atom].position_angstrom[d] - s->atoms[other].position_angstrom[d];
        square += difference * difference;
    }
    if (other == s->atom || covalent_radius(s->elements[other]) == 0 || square >= reach * reach) return;
    if (strcmp(s->elements[other], "H") == 0)
        s->polar_hydrogen |= strcmp(s->atoms[other].type, "H") != 0;
    else
        s->hetero |= strcmp(s->elements[other], "C") != 0;
}

/* Row of an atom by its AutoDock type; −2: Vina has none. */
static int row_of(const char *type, const char *element, bool hetero, bool polar_hydrogen)
{
    static const struct {
        char element[4];
        int row;
    } plain[] = {{"S", S_P},    {"P", P_P},    {"F", F_H},    {"CL", CL_H},  {"BR", BR_H},
                 {"I", I_H},    {"SI", SI_P},  {"B", C_P},    {"MG", METAL}, {"CA", METAL},
                 {"MN", METAL}, {"FE", METAL}, {"ZN", METAL}, {"CU", METAL}, {"CO", METAL},
                 {"NI", METAL}, {"NA", METAL}, {"K", METAL},  {"CD", METAL}, {"HG", METAL}};
    const bool acceptor = strlen(type) == 2; /* NA, NS, OA, OS; the types N and O do not accept */
    if (strcmp(element, "C") == 0) return hetero ? C_P : C_H;
    if (strcmp(element, "N") == 0) return acceptor ? (polar_hydrogen ? N_DA : N_A) : (polar_hydrogen ? N_D : N_P);
    if (strcmp(element, "O") == 0) return acceptor ? (polar_hydrogen ? O_DA : O_A) : (polar_hydrogen ? O_D : O_P);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(element, plain[i].element) == 0) return plain[i].row;
    return -2;
}

static qn_status find_rows(const char *name, const qn_neighbour_grid *grid, type_search *s, size_t count, int *rows)
{
    for (size_t i = 0; i < count; i++) {
        rows[i] = -1;
        if (s->elements[i][0] == '\0' || strcmp(s->elements[i], "H") == 0) continue;
        s->atom = i;
        s->hetero = s->polar_hydrogen = false;
        qn_neighbour_grid_each(grid, s->atoms[i].position_angstrom, visit, s);
        rows[i] = row_of(s->atoms[i].type, s->elements[i], s->hetero, s->polar_hydrogen);
        if (rows[i] < -1)
            return QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu has type %s, for which Vina has no type", name, i + 1,
                           s->atoms[i].type);
    }
    return QN_OK;
}

qn_status qn_vina_rows_of(const char *name, const qn_vina_source_atom *atoms, size_t count, int *rows)
{
    const double reach_angstrom = 1.1 * 2 * 1.33;
    type_search s = {.atoms = atoms};
    double *positions = NULL;
    qn_neighbour_grid *grid = NULL;
    QN_TRY(qn_allocate(count, sizeof *s.elements, (void **)&s.elements));
    qn_status status = qn_allocate(3 * count, sizeof *positions, (void **)&positions);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        memcpy(positions + 3 * i, atoms[i].position_angstrom, 3 * sizeof *positions);
        if (!qn_autodock_element(atoms[i].type, strlen(atoms[i].type), s.elements[i]))
            status = QN_FAIL(QN_BAD_FORMAT, "%s: atom %zu has type %s; expected one of AutoDock's", name, i + 1,
                             atoms[i].type);
    }
    if (status == QN_OK) status = qn_neighbour_grid_create(positions, count, reach_angstrom, &grid);
    if (status == QN_OK) status = find_rows(name, grid, &s, count, rows);
    qn_neighbour_grid_destroy(&grid);
    qn_release(&positions);
    qn_release(&s.elements);
    return status;
}

/* ---- tables ---- */

/* Energy in kcal/mol of two atoms with rows a and b at a distance, without a cutoff. */
static double pair_energy(int a, int b, double distance_angstrom)
{
    const double origin[3] = {0}, place[3] = {distance_angstrom, 0, 0};
    qn_vina_energy energy;
    qn_vina_energy_of(origin, &a, 1, 0, place, &b, 1, &energy);
    return energy.total;
}

static qn_status make_tables(qn_vina_model *model)
{
    const size_t row = (size_t)model->row;
    QN_TRY(qn_allocate((size_t)model->kind_count * QN_VINA_MAPS_ENTRIES * row, sizeof *model->tables,
                       (void **)&model->tables));
    for (int kind = 0; kind < model->kind_count; kind++)
        for (int probe = 0; probe < model->probe_count; probe++) {
            double below = pair_energy(model->kind_rows[kind], model->probe_rows[probe], 0);
            for (int entry = 0; entry < QN_VINA_MAPS_ENTRIES; entry++) {
                const double end = sqrt((entry + 1) / (double)QN_VINA_MAPS_ENTRIES_PER_SQUARE_ANGSTROM);
                const double above = pair_energy(model->kind_rows[kind], model->probe_rows[probe], end);
                model->tables[((size_t)kind * QN_VINA_MAPS_ENTRIES + (size_t)entry) * row + (size_t)probe] =
                    (float)(0.5 * (below + above));
                below = above;
            }
        }
    return QN_OK;
}

static int32_t thousandths(double angstrom)
{
    return (int32_t)lround(angstrom * 1000);
}

static void add_atoms(const qn_vina_source_atom *atoms, const int *rows, size_t count, qn_vina_model *model)
{
    for (size_t i = 0; i < count; i++) {
        int kind = 0;
        if (rows[i] < 0) continue;
        while (kind < model->kind_count && model->kind_rows[kind] != rows[i]) kind++;
        if (kind == model->kind_count) model->kind_rows[model->kind_count++] = rows[i];
        int32_t *atom = model->atoms + 4 * model->atom_count++;
        for (int d = 0; d < 3; d++) atom[d] = thousandths(atoms[i].position_angstrom[d]);
        atom[3] = kind;
    }
}

qn_status qn_vina_model_create(const qn_vina_source_atom *atoms, const int *rows, size_t count, const int *probe_rows,
                               int probe_count, qn_vina_model **out)
{
    qn_vina_model *model = NULL;
    if (probe_count < 1 || probe_count > QN_VINA_PROBES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d Vina types; expected 1 to %d", probe_count, QN_VINA_PROBES_MAX);
    QN_TRY(qn_allocate(1, sizeof *model, (void **)&model));
    qn_status status = qn_allocate(4 * count, sizeof *model->atoms, (void **)&model->atoms);
    model->probe_count = probe_count;
    model->row = qn_vina_maps_row(probe_count);
    memcpy(model->probe_rows, probe_rows, (size_t)probe_count * sizeof *probe_rows);
    if (status == QN_OK) add_atoms(atoms, rows, count, model);
    if (status == QN_OK && model->atom_count == 0)
        status = QN_FAIL(QN_INVALID_ARGUMENT, "no heavy atoms; expected a receptor");
    if (status == QN_OK) status = make_tables(model);
    *out = model;
    if (status != QN_OK) qn_vina_model_destroy(out);
    return status;
}

void qn_vina_model_destroy(qn_vina_model **model)
{
    if (!*model) return;
    qn_release(&(*model)->atoms);
    qn_release(&(*model)->tables);
    qn_release(model);
}

/* ---- computing ---- */

struct qn_vina_device {
    const qn_vina_model *model;
    qn_potential_grid grid;
    qn_queue *queue;
    qn_buffer *atoms, *tables;
};

qn_status qn_vina_device_create(const qn_vina_model *model, const qn_potential_grid *grid, qn_queue *queue,
                                qn_vina_device **device)
{
    qn_vina_device *own;
    *device = NULL;
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *own = (qn_vina_device){.model = model, .grid = *grid, .queue = queue};
    qn_status status =
        qn_device_data_copy(queue, model->atoms, 4 * model->atom_count * sizeof *model->atoms, &own->atoms);
    if (status == QN_OK)
        status = qn_device_data_copy(queue, model->tables,
                                     (size_t)model->kind_count * QN_VINA_MAPS_ENTRIES * (size_t)model->row *
                                         sizeof *model->tables,
                                     &own->tables);
    *device = own;
    if (status != QN_OK) qn_vina_device_destroy(device);
    return status;
}

void qn_vina_device_destroy(qn_vina_device **device)
{
    if (!*device) return;
    qn_buffer_release(&(*device)->atoms);
    qn_buffer_release(&(*device)->tables);
    qn_release(device);
}

/* Data of a call: layers of points and the lists of atoms near them. */
typedef struct computation {
    qn_vina_maps_problem problem;
    int32_t *axes;
    qn_vina_maps_bricks bricks;
    qn_buffer *list, *starts, *places, *result;
} computation;

static qn_status make_axes(const qn_potential_grid *grid, int first_layer, int layers, computation *c)
{
    const int points[3] = {grid->points[0], grid->points[1], layers};
    size_t at = 0;
    memcpy(c->problem.points, points, sizeof points);
    QN_TRY(qn_allocate((size_t)points[0] + (size_t)points[1] + (size_t)points[2], sizeof *c->axes, (void **)&c->axes));
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < points[d]; i++)
            c->axes[at++] = thousandths(grid->centre_angstrom[d] +
                                        qn_potential_grid_offset(grid, d, i + (d == 2 ? first_layer : 0)));
    return QN_OK;
}

static qn_status run(const qn_vina_device *device, computation *c, float *values)
{
    const qn_vina_model *model = device->model;
    qn_queue *queue = device->queue;
    const int *n = c->problem.points;
    const size_t floats = (size_t)model->probe_count * (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    size_t bricks = 1;
    QN_TRY(qn_vina_maps_bricks_create(n, c->axes, model->atoms, model->atom_count, &c->bricks));
    for (int d = 0; d < 3; d++) bricks *= (size_t)c->bricks.bricks[d];
    const size_t listed = (size_t)c->bricks.starts[bricks];
    c->problem.pairs = 48.0 * (double)listed; /* about three quarters of a list's 64 × atoms are within reach */
    QN_TRY(qn_device_data_copy(queue, c->bricks.list, (listed + 1) * sizeof *c->bricks.list, &c->list));
    QN_TRY(qn_device_data_copy(queue, c->bricks.starts, (bricks + 1) * sizeof *c->bricks.starts, &c->starts));
    QN_TRY(qn_device_data_copy(queue, c->axes, ((size_t)n[0] + (size_t)n[1] + (size_t)n[2]) * sizeof *c->axes,
                               &c->places));
    QN_TRY(qn_buffer_create(qn_queue_device(queue), floats * sizeof(float), &c->result));
    QN_TRY(qn_vina_maps(queue, NULL, &c->problem, device->atoms, c->list, c->starts, c->places, device->tables,
                        c->result, NULL));
    QN_TRY(qn_queue_read(queue, c->result, 0, values, floats * sizeof(float), NULL));
    return qn_queue_finish(queue);
}

qn_status qn_vina_device_compute(const qn_vina_device *device, int first_layer, int layers, float *values)
{
    const qn_vina_model *model = device->model;
    computation c = {
        .problem = {.probes = model->probe_count, .atoms = (int)model->atom_count, .kinds = model->kind_count}};
    qn_status status = make_axes(&device->grid, first_layer, layers, &c);
    if (status == QN_OK) status = run(device, &c, values);
    qn_buffer_release(&c.list);
    qn_buffer_release(&c.starts);
    qn_buffer_release(&c.places);
    qn_buffer_release(&c.result);
    qn_vina_maps_bricks_clear(&c.bricks);
    qn_release(&c.axes);
    return status;
}
