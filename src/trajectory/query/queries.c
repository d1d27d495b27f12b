#include "trajectory/query/queries.h"

const qn_query_class *const *qn_query_classes(void)
{
    static const qn_query_class *const classes[] = {
        &qn_query_mass,
        &qn_query_charge,
        &qn_query_moment,
        &qn_query_com,
        &qn_query_cog,
        &qn_query_inertia,
        &qn_query_gyration,
        &qn_query_dipole,
        &qn_query_dipole_profile,
        &qn_query_rmsd,
        &qn_query_path,
        &qn_query_cluster,
        &qn_query_msd,
        &qn_query_density,
        &qn_query_density_grid,
        &qn_query_count,
        &qn_query_volume,
        &qn_query_sdh,
        &qn_query_rdf,
        NULL,
    };
    return classes;
}
