/* Directions of view.
 *
 * Thread rule: any thread. */
#ifndef QN_CRYOEM_VIEW_H
#define QN_CRYOEM_VIEW_H

/* Matrix of a view: A = Rz(psi) Ry(tilt) Rz(rot), row-major, of passive rotations (Heymann, Chagoyen and Belnap 2005,
 * doi 10.1016/j.jsb.2005.06.001). image = A · volume: a voxel at p is seen at the first two components of A p. */
void qn_view_matrix(double rot_degrees, double tilt_degrees, double psi_degrees, double matrix[9]);

/* Angles of such a matrix: tilt 0 … 180, the others −180 … 180. Where tilt is 0 or 180 only the sum or difference of
 * rot and psi is defined, so rot may have any value. */
void qn_view_angles(const double matrix[9], double *rot_degrees, double *tilt_degrees, double *psi_degrees);

#endif
