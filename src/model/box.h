/* Periodic boxes: reduced cells, nearest images, volumes. Lengths in nm; a box is three rows a, b, c of Cartesian
 * components. */
#ifndef QN_MODEL_BOX_H
#define QN_MODEL_BOX_H

#include <quern/status.h>
#include <stdbool.h>

typedef enum qn_box_shape { QN_BOX_NONE, QN_BOX_ORTHORHOMBIC, QN_BOX_TRICLINIC } qn_box_shape;

typedef struct qn_box {
    qn_box_shape shape;
    double vectors_nm[3][3]; /* reduced: a along x, b in the xy-plane, |b_x| ≤ a_x/2, |c_x| ≤ a_x/2, |c_y| ≤ b_y/2 */
    double inverse[3][3];    /* 1/nm: fractional = position · inverse (row vector) */
    double volume_nm3;
    double inscribed_radius_nm; /* radius of the largest sphere in the cell: half the smallest distance of two faces */
} qn_box;

/* Make a box. Nine zeros mean no box. A cell that is not reduced is reduced to the same lattice. Vectors that are given
 * in another order are reordered. Errors: QN_BAD_FORMAT for a box without volume, with non-finite numbers, or
 * left-handed; QN_UNSUPPORTED for a lattice that a triangular matrix can express only after a rotation. */
QN_MUST_CHECK qn_status qn_box_from_vectors(const double vectors_nm[9], qn_box *box);

/* Convert lengths a, b, c (nm) and angles α = ∠bc, β = ∠ac, γ = ∠ab (degrees) to vectors with a along x. */
QN_MUST_CHECK qn_status qn_box_from_angles(const double lengths_nm[3], const double angles_degrees[3],
                                           double vectors_nm[9]);

/* Turn a cell that a triangular matrix can express only after a rotation, such as CHARMM's symmetric matrix: vectors_nm
 * becomes a = (x, 0, 0), b = (x, y, 0), c with the same lengths and angles, and rotation · p (column vector) is the
 * turned position p. Returns false, and changes nothing, for all other cells and for those that qn_box_from_vectors
 * refuses. */
bool qn_box_turn(double vectors_nm[9], double rotation[3][3]);

/* Get to − from for the nearest image, exactly: in triclinic cells every image that can be nearest is examined. */
void qn_box_displacement(const qn_box *box, const double from_nm[3], const double to_nm[3], double displacement_nm[3]);

#endif
