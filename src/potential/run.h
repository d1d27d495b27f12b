/* The state of a run of quern potential, shared by its stages. */
#ifndef QN_POTENTIAL_RUN_H
#define QN_POTENTIAL_RUN_H

#include <quern/potential.h>

#include "job/job.h"
#include "potential/gpf.h"
#include "potential/maps/hot_spots.h"
#include "potential/maps/model.h"
#include "potential/vina/vina_model.h"

enum { QN_POTENTIAL_MAPS_MAX = QN_POTENTIAL_PROBES_MAX + 3 + QN_VINA_PROBES_MAX };

/* Names of the files, and the texts that go into them. */
typedef struct qn_potential_names {
    qn_output output;                  /* where the run writes; both members NULL: nothing is written */
    char *stem;                        /* of a run beside other files; NULL: a folder */
    char *field, *extrema, *log, *gpf; /* as qn_job_path takes them */
    char *prepared;                    /* likewise; NULL: the receptor is a PDBQT already */
    char *maps[QN_POTENTIAL_MAPS_MAX]; /* likewise */
    char *dx[QN_POTENTIAL_MAPS_MAX], *mrc[QN_POTENTIAL_MAPS_MAX]; /* likewise; NULL: not among the formats */
    char *labels[QN_POTENTIAL_MAPS_MAX];                          /* file names of maps as the .fld file has them */
    char *field_label, *extrema_label;
    char *gpf_label, *receptor_label; /* as headers have them */
    const char **all;                 /* for output.names; ends in NULL */
} qn_potential_names;

enum { QN_POTENTIAL_FORMAT_MAP = 1, QN_POTENTIAL_FORMAT_DX = 2, QN_POTENTIAL_FORMAT_MRC = 4 };

typedef struct qn_potential_run_state {
    const qn_potential_options *options;
    qn_job *job;
    qn_gpf gpf; /* read, or made from the options */
    qn_potential_parameters parameters;
    qn_potential_receptor receptor;
    char *receptor_path;
    qn_text prepared; /* the receptor as PDBQT; NULL: it was one */
    qn_potential_model *model;
    qn_potential_names names;
    double *site_angstrom; /* the known ligand's heavy atoms, site_atoms × 3; NULL: none */
    size_t site_atoms;
    double site_centre_angstrom[3], site_extent_angstrom[3];
    qn_text types; /* of AutoDock's maps: "A,C,OA" */
    int vina_probes[QN_VINA_PROBES_MAX], vina_count;
    qn_vina_model *vina; /* NULL: no maps of Vina */
    unsigned formats;    /* of the files, a set */
    int field_count;     /* AutoDock's maps, which come first; 0: Vina's alone */
    int map_count;
    const char *map_names[QN_POTENTIAL_MAPS_MAX]; /* "OA", "e" */
    /* Pieces of the run are slabs of `slab_planes` planes of points, which depend on the grid alone. Values are held in
     * a window of slabs: all of them, or as many as fit into memory, which are then gathered from the journals. */
    int slab_planes, slab_count, window_slabs;
    int window_first; /* first slab of the window */
    int computed;     /* slabs that this process computed */
    float *values;    /* [map_count][points of the window] */
    double least[QN_POTENTIAL_MAPS_MAX], most[QN_POTENTIAL_MAPS_MAX];
    qn_map_summary *summaries; /* one a map; NULL: not all values were in memory, or there is no report */
    double compute_s, write_s;
    bool wants_result;
} qn_potential_run_state;

/* Read the grid parameter file or make one from the options; read parameters and receptor; make the model. */
QN_MUST_CHECK qn_status qn_potential_plan(qn_potential_run_state *run);

/* Find the formats of the files. */
QN_MUST_CHECK qn_status qn_potential_formats_find(qn_potential_run_state *run);

/* Read the site and find its box; find the types of the maps. */
QN_MUST_CHECK qn_status qn_potential_site_find(qn_potential_run_state *run);
QN_MUST_CHECK qn_status qn_potential_types_find(qn_potential_run_state *run);

/* Read the receptor at `receptor_path`, and prepare one that is not PDBQT. */
QN_MUST_CHECK qn_status qn_potential_receptor_load(qn_potential_run_state *run);

/* Make the names of all files. */
QN_MUST_CHECK qn_status qn_potential_names_make(qn_potential_run_state *run);
void qn_potential_names_clear(qn_potential_names *names);

/* Choose slabs and window, and log the memory. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_potential_divide(qn_potential_run_state *run);

/* Compute the maps: fill the journals, and the window if it holds all slabs. */
QN_MUST_CHECK qn_status qn_potential_compute(qn_potential_run_state *run);

/* On the first rank: move the window to begin at `slab`, and fill it from the journals as far as it is not filled. */
QN_MUST_CHECK qn_status qn_potential_gather(qn_potential_run_state *run, int slab);

/* Number of points of a map in the slabs from `slab` on, `count` at most. */
size_t qn_potential_slab_points(const qn_potential_run_state *run, int slab, int count);

/* Write the files of the first rank: maps with .fld and .xyz, the grid parameter file of a run without one, the log. */
QN_MUST_CHECK qn_status qn_potential_write_maps(qn_potential_run_state *run);

/* Name of a map's file in the first of its formats, as qn_job_path takes it. */
const char *qn_potential_map_name(const qn_potential_run_state *run, int map);

QN_MUST_CHECK qn_status qn_potential_write_volumes(qn_potential_run_state *run); /* of all slabs in the window */

/* Summarise the maps, and write report.html, hot_spots.pdb, view.pml and view.cxc, in a run with a folder of its own
 * whose maps are all in memory. Without hot spots there is the report alone. */
QN_MUST_CHECK qn_status qn_potential_write_report(qn_potential_run_state *run);
QN_MUST_CHECK qn_status qn_potential_write_views(qn_potential_run_state *run);

uint64_t qn_potential_writing_bytes(int map_count); /* memory that writing takes */
QN_MUST_CHECK qn_status qn_potential_write_gpf(qn_potential_run_state *run);
QN_MUST_CHECK qn_status qn_potential_write_receptor(qn_potential_run_state *run);
QN_MUST_CHECK qn_status qn_potential_write_log(qn_potential_run_state *run);

/* Whether a map is of a probe, AutoDock's or Vina's, and not of a property of the receptor. */
static inline bool qn_potential_is_probe(const qn_potential_run_state *run, int map)
{
    return map >= run->field_count || map < run->model->settings.probe_count;
}

/* Whether the window holds all slabs. */
static inline bool qn_potential_holds_all(const qn_potential_run_state *run)
{
    return run->window_slabs == run->slab_count;
}

#endif
