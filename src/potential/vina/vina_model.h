/* Vina's maps of a receptor (Trott and Olson 2010): for each of Vina's atom types the energy of an atom of that type at
 * the points of a grid, without the torsion factor.
 *
 * Vina's program looks energies up by the squared distance, 32 entries per Å². An entry is the mean of the energies at
 * its two ends, which differs from the energy itself by up to 0.3 kcal/mol where atoms overlap. These maps use the same
 * entries, so that both programs agree.
 *
 * Life cycle: a model is created → is used by devices from any threads → is destroyed.
 */
#ifndef QN_POTENTIAL_VINA_MODEL_H
#define QN_POTENTIAL_VINA_MODEL_H

#include <quern/queue.h>

#include "potential/maps/grid.h"

enum { QN_VINA_PROBES_MAX = 64 };

/* Name of a row of Vina's table of types as in the names of maps: "C_H", "O_DA", "Met_D"; NULL: no such row. */
const char *qn_vina_row_name(int row);

/* Row of this name, ignoring case; −1: none. */
int qn_vina_row_find(const char *name);

/* An atom with an AutoDock type, "OA". Vina derives its own types from these and from the neighbours. */
typedef struct qn_vina_source_atom {
    double position_angstrom[3];
    char type[8];
} qn_vina_source_atom;

/* Row of Vina's table for each atom; −1: hydrogens, and types that are no atoms. Atoms closer than 1.1 times the sum of
 * their covalent radii are bound. QN_BAD_FORMAT names a type that Vina does not have; `name` begins the message. */
QN_MUST_CHECK qn_status qn_vina_rows_of(const char *name, const qn_vina_source_atom *atoms, size_t count, int *rows);

typedef struct qn_vina_model {
    size_t atom_count;
    int32_t *atoms; /* x, y, z in thousandths of an Å, and kind */
    int kind_count, probe_count, row;
    int kind_rows[QN_VINA_PROBES_MAX], probe_rows[QN_VINA_PROBES_MAX];
    float *tables; /* [kind][entry][row], kcal/mol */
} qn_vina_model;

/* `probe_rows`: rows of the maps. Positions are rounded to 0.001 Å, the precision of PDB. QN_INVALID_ARGUMENT: no heavy
 * atoms, or no probes. */
QN_MUST_CHECK qn_status qn_vina_model_create(const qn_vina_source_atom *atoms, const int *rows, size_t count,
                                             const int *probe_rows, int probe_count, qn_vina_model **model);
void qn_vina_model_destroy(qn_vina_model **model);

/* A model in the memory of a device: atoms and tables are copied once for all layers. Model and queue must live as
 * long.
 */
typedef struct qn_vina_device qn_vina_device;

QN_MUST_CHECK qn_status qn_vina_device_create(const qn_vina_model *model, const qn_potential_grid *grid,
                                              qn_queue *queue, qn_vina_device **device);
void qn_vina_device_destroy(qn_vina_device **device);

/* Compute `layers` layers of all maps from layer first_layer on, and wait. values: [probe][layer][y][x], kcal/mol. */
QN_MUST_CHECK qn_status qn_vina_device_compute(const qn_vina_device *device, int first_layer, int layers,
                                               float *values);

#endif
