/* The receptor's grids of the rpsc score, with which ligand grids are correlated. */
#ifndef QN_DOCK_RECEPTOR_GRIDS_H
#define QN_DOCK_RECEPTOR_GRIDS_H

#include "base/thread_pool.h"
#include "dock/grid.h"

enum { QN_RPSC_SHAPE = 0, QN_RPSC_ELECTROSTATIC = 1, QN_RPSC_TERMS = 2 };

/* Longest reach of the shape term around a molecule with these parameters. */
double qn_dock_contact_angstrom(const qn_dock_partner *receptor);

/* grids: QN_RPSC_TERMS × volume floats, x fastest, released with qn_release. Term 0: energy of one ligand heavy atom at
 * the voxel (core penalty, or minus the sum of 1 − 0.8 ACE over atoms within radius + 3.6 Å). Term 1: energy of one
 * elementary charge there (weighted potential). Summed in double, atom by atom: the same bits for any thread count. */
QN_MUST_CHECK qn_status qn_dock_receptor_grids(const qn_dock_partner *receptor, const qn_dock_grid *grid, qn_pool *pool,
                                               float **grids);

#endif
