/* Summary of a map of energies: its least value, its favourable volume, and its deepest minima. */
#ifndef QN_POTENTIAL_MAPS_HOT_SPOTS_H
#define QN_POTENTIAL_MAPS_HOT_SPOTS_H

#include <quern/status.h>

#include "potential/maps/grid.h"

enum { QN_HOT_SPOTS_MAX = 10 };

#define QN_FAVOURABLE_ENERGY (-0.3)       /* kcal/mol: RT/2 at 300 K, the thermal energy of a degree of freedom */
#define QN_HOT_SPOT_DISTANCE_ANGSTROM 2.0 /* hot spots of one map are at least so far apart */

typedef struct qn_hot_spot {
    float energy; /* kcal/mol */
    int point[3];
    double position_angstrom[3];
} qn_hot_spot;

typedef struct qn_map_summary {
    qn_hot_spot least;           /* of the whole map, whatever its energy */
    double favourable_angstrom3; /* points below QN_FAVOURABLE_ENERGY, times the volume of a point */
    int spot_count;
    qn_hot_spot spots[QN_HOT_SPOTS_MAX]; /* ascending energies */
} qn_map_summary;

/* Summarise a map, x fastest. Hot spots are points below QN_FAVOURABLE_ENERGY of which none of the 26 neighbours is
 * lower, the deepest first, without those that are near a deeper one. Points of the border count as any other.
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_map_summarise(const qn_potential_grid *grid, const float *values, qn_map_summary *summary);

#endif
