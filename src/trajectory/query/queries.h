/* The library's own query classes. */
#ifndef QN_TRAJECTORY_QUERY_QUERIES_H
#define QN_TRAJECTORY_QUERY_QUERIES_H

#include <quern/query.h>

/* One row per frame. */
extern const qn_query_class qn_query_mass, qn_query_charge, qn_query_count, qn_query_volume;
extern const qn_query_class qn_query_moment, qn_query_com, qn_query_cog, qn_query_inertia, qn_query_gyration;
extern const qn_query_class qn_query_dipole, qn_query_rmsd, qn_query_msd, qn_query_path, qn_query_cluster;

/* Averages over frames along an axis or on a grid. */
extern const qn_query_class qn_query_density, qn_query_density_grid, qn_query_dipole_profile;

/* Histograms of pair distances, on a device. */
extern const qn_query_class qn_query_sdh, qn_query_rdf;

#endif
