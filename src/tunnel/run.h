/* The state of a run of quern tunnel, shared by its stages. */
#ifndef QN_TUNNEL_RUN_H
#define QN_TUNNEL_RUN_H

#include <quern/tunnel.h>

#include "job/job.h"
#include "tunnel/geometry/tunnels.h"
#include "tunnel/structure.h"

/* A tunnel of a frame. */
typedef struct qn_found_tunnel {
    uint64_t frame;
    qn_line line;
    uint32_t *lining; /* residues beside the line: those of place i end before lining_end[i], and begin where those of
                       * the place before end */
    uint32_t *lining_end; /* [line.count] */
    double marks[QN_LINE_MARKS][3];
    size_t cluster;
    bool first; /* the cheapest of its cluster in its frame */
} qn_found_tunnel;

/* Results of a frame. */
typedef struct qn_found_frame {
    uint64_t frame;
    qn_tunnels_outcome outcome;
    double start[3], start_radius, start_moved;
    double way_radius, way_place[3];
} qn_found_frame;

typedef struct qn_tunnel_state {
    const qn_tunnel_options *options;
    qn_job *job;
    qn_tunnel_structure structure;
    qn_tunnels_settings settings;
    qn_found_frame *frames; /* by number */
    size_t frame_count, frame_capacity;
    qn_found_tunnel *tunnels; /* by frame, then by cost */
    size_t tunnel_count, tunnel_capacity;
    qn_tunnel_cluster *clusters;
    size_t cluster_count;
    double search_s;
} qn_tunnel_state;

/* Find the tunnels of all frames, and record them. */
QN_MUST_CHECK qn_status qn_tunnel_search(qn_tunnel_state *run);

/* On the first rank: gather the records of all ranks; refuse a run without any tunnel. */
QN_MUST_CHECK qn_status qn_tunnel_gather(qn_tunnel_state *run);

/* Put the tunnels into clusters. */
QN_MUST_CHECK qn_status qn_tunnel_make_clusters(qn_tunnel_state *run);

/* The frame with the widest way out. */
const qn_found_frame *qn_tunnel_widest_frame(const qn_tunnel_state *run);

/* The cheapest tunnel of a cluster, over all frames. */
const qn_found_tunnel *qn_tunnel_best_of(const qn_tunnel_state *run, size_t cluster);

/* Records of journals. */
QN_MUST_CHECK qn_status qn_tunnel_record_write(const qn_tunnel_state *run, uint64_t frame, const qn_tunnels *tunnels,
                                               const qn_balls *balls);
QN_MUST_CHECK qn_status qn_tunnel_record_read(uint64_t frame, const void *data, size_t size, void *run);

/* Write the files. */
QN_MUST_CHECK qn_status qn_tunnel_write_tunnels(qn_tunnel_state *run); /* spheres and discs */
QN_MUST_CHECK qn_status qn_tunnel_write_tables(qn_tunnel_state *run);
QN_MUST_CHECK qn_status qn_tunnel_write_channels(qn_tunnel_state *run); /* tunnels.json */
QN_MUST_CHECK qn_status qn_tunnel_write_views(qn_tunnel_state *run);
QN_MUST_CHECK qn_status qn_tunnel_write_report(qn_tunnel_state *run);

enum { QN_TUNNEL_SPHERE_EVERY = 10 }; /* places of a line, 0.1 Å apart, to the next sphere of a file */

/* Name of the file of a tunnel that is the first of its cluster in its frame: "tunnel_01_1.pdb". */
typedef struct qn_tunnel_name {
    char text[48];
} qn_tunnel_name;
qn_tunnel_name qn_tunnel_name_of(const qn_found_tunnel *tunnel, const char *ending);

/* Length of the line over the distance of its ends. */
double qn_tunnel_curvature(const qn_line *line);

/* Residues beside a place of the line, as labels separated by spaces. */
QN_MUST_CHECK qn_status qn_tunnel_list_lining(const qn_tunnel_state *run, const qn_found_tunnel *tunnel, size_t place,
                                              qn_text *text);

#endif
