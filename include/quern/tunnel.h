/* Tunnels: ways from a place inside of a structure, such as an active site, to its surface.
 *
 * A tunnel is a line along the ridge of the clearance among atoms, whose radius at each place is that of the largest
 * sphere that fits there. Tunnels of the frames of a trajectory are put into clusters.
 *
 * Thread rule: one run per context at a time.
 *
 *     qn_tunnel_options options = qn_tunnel_default_options();
 *     qn_tunnel_result *result;
 *     options.structure = "kinase.pdb", options.start = "15.6,53.4,15.5", options.start_reach_angstrom = 6;
 *     if (qn_tunnel_run(context, &options, &result) != QN_OK) return 1;
 *     printf("bottleneck %.1f Å\n", result->tunnels[0].bottleneck_angstrom);
 *     qn_tunnel_result_destroy(&result);
 */
#ifndef QUERN_TUNNEL_H
#define QUERN_TUNNEL_H

#include <quern/device.h>
#include <quern/frame.h>
#include <quern/molecule.h>
#include <quern/option.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_tunnel_options {
    size_t size;                 /* of this struct in bytes */
    qn_run_options run;          /* `threads` and progress; tunnels use processors only */
    const char *structure;       /* "file" or "file:chains": PDB, mmCIF, PDBQT; with frames any topology */
    const qn_molecule *molecule; /* instead of `structure`; read only */
    const char *start;           /* "A:ASP108,A:HIS272", "A:108", "A:HEM", "A:145:SG", or "x,y,z" in Å */
    const char *output;          /* folder; NULL: nothing is written */
    const char *const *frames;   /* trajectories with the atoms of the structure; NULL: the structure alone */
    size_t frame_file_count;
    const qn_frame_array *frame_array; /* instead of `frames`; read only */
    double probe_angstrom;             /* least radius of a tunnel; default 0.9 */
    double shell_radius_angstrom;      /* of the sphere that tells outside from inside; default 3 */
    double shell_depth_angstrom;       /* tunnels end at this distance from the outside; default 4 */
    double start_reach_angstrom;  /* tunnels begin at the widest place within this distance of the start; default 3 */
    double start_radius_angstrom; /* places of this radius and more are equally good; default 5 */
    const char *radii;            /* text file with an element and its radius in Å in each line; NULL: Bondi's */
    bool hydrogens;               /* the structure's hydrogens are walls; default true */
    const char *walls;            /* "all" (default), "protein", or names of residues */
    double redundant_angstrom;    /* mean distance below which the dearer of two tunnels is left out; default 1 */
    double cluster_angstrom;      /* mean distance up to which average linkage makes clusters; default 3.5 */
    uint64_t most;                /* tunnels of a frame; default 50 */
} qn_tunnel_options;

const qn_option_table *qn_tunnel_option_table(void); /* see <quern/option.h> */

static inline qn_tunnel_options qn_tunnel_default_options(void)
{
    qn_tunnel_options options;
    qn_option_defaults(qn_tunnel_option_table(), &options, sizeof options);
    return options;
}

typedef struct qn_tunnel {
    uint64_t frame; /* from 0 */
    size_t cluster; /* index into clusters */
    bool first;     /* the cheapest of its cluster in its frame, which has files */
    double length_angstrom, bottleneck_angstrom, widest_angstrom;
    double bottleneck_place_angstrom[3];
    double cost;      /* ∫ ds / radius² in 1/Å; e^−cost is CAVER's throughput */
    double curvature; /* length over the distance of the ends */
    size_t point_count;
    const double *places_angstrom; /* point_count × 3, from the start on, about 0.1 Å apart */
    const double *radii_angstrom;  /* point_count */
} qn_tunnel;

typedef struct qn_tunnel_cluster {
    size_t tunnel_count;
    uint64_t frame_count; /* frames with at least one of the tunnels */
    double occupancy;     /* share of all frames */
    double priority;      /* mean over all frames of the throughput of the cheapest; clusters are sorted by it */
    double mean_bottleneck_angstrom, best_bottleneck_angstrom; /* of the cheapest of each frame */
    double mean_length_angstrom, mean_cost;
} qn_tunnel_cluster;

/* Results of a run. On ranks other than 0 there are no tunnels. */
typedef struct qn_tunnel_result {
    const qn_tunnel *tunnels; /* by frame, then by cost */
    size_t tunnel_count;
    const qn_tunnel_cluster *clusters;
    size_t cluster_count;
    uint64_t frame_count, open_frame_count; /* open: with a tunnel */
    double widest_way_angstrom;             /* radius of the largest sphere that can leave, in the best frame */
    double widest_way_place_angstrom[3];    /* where it just fits */
    size_t atom_count;                      /* of the walls */
    const char *folder;                     /* of the files; "" when nothing was written */
    double seconds;
    double start_moved_angstrom;    /* distance of the place where tunnels begin from the start, in the best frame */
    double start_place_angstrom[3]; /* where tunnels begin there */
    double start_radius_angstrom;   /* of the largest sphere that fits there */
    uint64_t earlier_tunnel_count, earlier_cluster_count; /* of a finished run that was resumed: its files have them,
                                                           * and `tunnels` and `clusters` are empty; else 0 */
} qn_tunnel_result;

/* Files appear when they are complete. `result` may be NULL; on failure *result is NULL.
 *
 * Errors: QN_NOT_FOUND (files; no way out is as wide as the probe), QN_BAD_FORMAT, QN_INVALID_ARGUMENT (options; a
 * start that the structure does not have, or inside of an atom, or outside), QN_ALREADY_EXISTS, QN_UNSUPPORTED,
 * QN_OUT_OF_MEMORY, QN_CANCELLED, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_tunnel_run(qn_context *context, const qn_tunnel_options *options, qn_tunnel_result **result);
void qn_tunnel_result_destroy(qn_tunnel_result **result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
