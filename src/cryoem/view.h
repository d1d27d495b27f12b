/* Directions of view.
 *
 * Thread rule: any thread. */
#ifndef QN_CRYOEM_VIEW_H
#define QN_CRYOEM_VIEW_H

/* A = Rz(psi) Ry(tilt) Rz(rot), row-major, of passive rotations (Heymann, Chagoyen and Belnap 2005, doi
 * 10.1016/j.jsb.2005.06.001): image = A · volume, so that a voxel at p is seen at the first two components of A p. */
void qn_view_matrix(double rot_degrees, double tilt_degrees, double psi_degrees, double matrix[9]);

#endif
