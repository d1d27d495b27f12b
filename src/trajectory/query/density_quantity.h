/* Quantities whose density is computed: mass, number, charge, electrons. */
#ifndef QN_TRAJECTORY_QUERY_DENSITY_COLUMNS_H
#define QN_TRAJECTORY_QUERY_DENSITY_COLUMNS_H

#include "trajectory/query/atom_weights.h"

#define QN_DENSITY_QUANTITIES "mass number charge electron"

typedef struct qn_density_quantity {
    const char *name, *title, *label, *unit;
    int length_power;
    double factor; /* from weight / nm³ to `unit` */
    qn_weight_kind kind;
} qn_density_quantity;

/* Find a quantity by its name in QN_DENSITY_QUANTITIES. */
const qn_density_quantity *qn_density_quantity_find(const char *name);

#endif
