/* Values of single maps in double precision: maps that are too rare for a kernel, and electrostatics for tests. */
#include <math.h>

#include "potential/maps/model.h"

static const double least_charge_distance_angstrom = 0.5;

static double distance_from(const qn_potential_model *model, const int point[3], size_t atom)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double difference = qn_potential_grid_offset(&model->settings.grid, k, point[k]) -
                                  model->positions_angstrom[3 * atom + (size_t)k];
        square += difference * difference;
    }
    return sqrt(square);
}

double qn_potential_electrostatic_value(const qn_potential_model *model, const int point[3])
{
    double sum = 0;
    for (size_t i = 0; i < model->atom_count; i++) {
        const double distance = distance_from(model, point, i);
        const int index = (int)fmin(distance * QN_POTENTIAL_ENTRIES_PER_ANGSTROM, QN_POTENTIAL_DIELECTRIC_ENTRIES - 1);
        sum += model->charges_e[i] * model->screening[index] / fmax(distance, least_charge_distance_angstrom);
    }
    return sum;
}

double qn_potential_covalent_value(const qn_potential_model *model, const int point[3])
{
    const qn_potential_settings *settings = &model->settings;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double difference = qn_potential_grid_offset(&settings->grid, k, point[k]) -
                                  (settings->covalent_centre_angstrom[k] - settings->grid.centre_angstrom[k]);
        square += difference * difference;
    }
    const double half = settings->covalent_half_width_angstrom;
    return settings->covalent_barrier * (1 - exp2(-square / (half * half)));
}

double qn_potential_distance_value(const qn_potential_model *model, const int point[3])
{
    double least = INFINITY;
    for (size_t i = 0; i < model->atom_count; i++) least = fmin(least, distance_from(model, point, i));
    return least;
}
