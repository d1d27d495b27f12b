#include "trajectory/query/density_quantity.h"

#include <string.h>

const qn_density_quantity *qn_density_quantity_find(const char *name)
{
    /* 1 amu / nm³ is 1.66053906660 kg / m³ (CODATA 2018), the usual unit of mass densities. */
    static const qn_density_quantity quantities[] = {
        {"mass", "Mass density", "mass density", "kg/m³", 0, 1.66053906660, QN_WEIGHT_MASS},
        {"number", "Number density", "number density", "1/nm³", -3, 1, QN_WEIGHT_ONE},
        {"charge", "Charge density", "charge density", "e/nm³", -3, 1, QN_WEIGHT_CHARGE},
        {"electron", "Electron density", "electron density", "1/nm³", -3, 1, QN_WEIGHT_ELECTRONS},
    };
    const size_t count = sizeof quantities / sizeof *quantities;
    for (size_t k = 1; k < count; k++)
        if (strcmp(quantities[k].name, name) == 0) return &quantities[k];
    return &quantities[0];
}
