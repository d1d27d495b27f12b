/* The structure that tunnels go through: its atoms, which of them are walls, and the place where tunnels begin. */
#ifndef QN_TUNNEL_STRUCTURE_H
#define QN_TUNNEL_STRUCTURE_H

#include <quern/topology.h>
#include <quern/tunnel.h>

#include "job/job.h"

typedef struct qn_tunnel_structure {
    const char *name;      /* of the file, for messages */
    qn_topology *topology; /* of a run with frames: all atoms of the file; else NULL */
    qn_molecule *molecule; /* all atoms; one location of each */
    uint32_t *number;      /* of each atom of the molecule in the file */
    size_t wall_count;
    uint32_t *walls;       /* atoms of the molecule */
    double *wall_radii;    /* Å */
    double *start_weights; /* of each atom of the molecule: the start is their weighted mean; NULL: a place was given */
    double start[3];       /* Å: the place that was given, or the mean in the structure */
    size_t fitted_count;   /* atoms by which frames are superposed: Cα of the walls, or all heavy walls */
    uint32_t *fitted;      /* of the molecule */
    double (*fitted_places)[3]; /* Å, in the structure */
    bool has_hydrogens;
} qn_tunnel_structure;

/* Read and check the structure, choose its walls, find the start. Release with qn_tunnel_structure_clear, also after a
 * failure. */
QN_MUST_CHECK qn_status qn_tunnel_structure_read(qn_job *job, const qn_tunnel_options *options,
                                                 qn_tunnel_structure *structure);
void qn_tunnel_structure_clear(qn_tunnel_structure *structure);

/* Read the molecule: a file with one location of each atom, that of memory, or a topology's. */
QN_MUST_CHECK qn_status qn_tunnel_molecule_read(qn_job *job, const qn_tunnel_options *options,
                                                qn_tunnel_structure *structure);

/* Choose the walls and their radii. `names_residue`: of each residue, whether --start names it as a whole. */
QN_MUST_CHECK qn_status qn_tunnel_walls_choose(qn_job *job, const qn_tunnel_options *options, const bool *names_residue,
                                               qn_tunnel_structure *structure);

/* Find the start. `names_residue` is filled in: [residue_count]. */
QN_MUST_CHECK qn_status qn_tunnel_start_find(const qn_tunnel_options *options, qn_tunnel_structure *structure,
                                             bool *names_residue);

#endif
