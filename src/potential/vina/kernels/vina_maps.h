/* Vina's maps on a device: sums over receptor atoms of energies that tables give for squared distances.
 *
 * Entry e of a table holds the energy for squared distances from e / 32 to (e + 1) / 32 Å², up to 64 Å². Positions are
 * whole thousandths of an Å. The points lie in bricks of 4³; each brick has a list of the atoms within 8 Å of it, in
 * the order of the receptor, which is the order of summation. All devices and configurations give the same bits.
 */
#ifndef QN_POTENTIAL_VINA_KERNELS_VINA_MAPS_H
#define QN_POTENTIAL_VINA_KERNELS_VINA_MAPS_H

#include <quern/family.h>

extern const qn_family qn_potential_vina_maps_family;

enum {
    QN_VINA_MAPS_ENTRIES = 2048,
    QN_VINA_MAPS_ENTRIES_PER_SQUARE_ANGSTROM = 32,
    QN_VINA_MAPS_ROW = 16 /* floats of an entry: the number of maps, rounded up to a multiple of this */
};

typedef struct qn_vina_maps_problem {
    int points[3];
    int probes; /* maps */
    int atoms, kinds;
    double pairs; /* of atoms and points within reach, estimated; for the least work */
} qn_vina_maps_problem;

/* Atoms near each brick: those of brick b are list[starts[b]] … list[starts[b + 1] − 1]; x fastest. */
typedef struct qn_vina_maps_bricks {
    int bricks[3];
    int32_t *starts, *list;
} qn_vina_maps_bricks;

/* atoms: x, y, z in thousandths of an Å, kind; axes: places of the points along x, then y, then z, ascending. */
QN_MUST_CHECK qn_status qn_vina_maps_bricks_create(const int points[3], const int32_t *axes, const int32_t *atoms,
                                                   size_t atom_count, qn_vina_maps_bricks *bricks);
void qn_vina_maps_bricks_clear(qn_vina_maps_bricks *bricks);

/* Floats of an entry of the tables for this number of maps. */
int qn_vina_maps_row(int probes);

/* Write the problem class for tuning. */
void qn_vina_maps_problem_class(int probes, char text[64]);

/* Compute maps. tables: [kinds][QN_VINA_MAPS_ENTRIES][row] floats; result: [probes][z][y][x] floats. `configuration`
 * NULL: chosen by the tuner. */
QN_MUST_CHECK qn_status qn_vina_maps(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_vina_maps_problem *problem, qn_buffer *atoms, qn_buffer *list,
                                     qn_buffer *starts, qn_buffer *axes, qn_buffer *tables, qn_buffer *result,
                                     qn_event **event);

/* The value of one map at one point in double precision, from all atoms: the reference. */
double qn_vina_maps_reference(const qn_vina_maps_problem *problem, const int32_t *atoms, const int32_t *axes,
                              const float *tables, const int point[3], int probe);

#endif
