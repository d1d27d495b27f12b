/* Results of a reconstruction and their files. */
#ifndef QN_RECONSTRUCT_OUTPUT_H
#define QN_RECONSTRUCT_OUTPUT_H

#include "job/job.h"
#include "model/particle_set.h"
#include "reconstruct/finish.h"

#include <quern/resolution.h>

typedef struct qn_reconstruction_times {
    double metadata_s, insert_s, reduce_s, finish_s, fsc_s, total_s; /* stages, one after the other */
    double read_s, transform_s, prepare_s, kernel_s; /* parts of insert_s that overlap, by the device's clock */
} qn_reconstruction_times;

/* Numbers of views in bins of equal areas of the sphere. */
typedef struct qn_view_bins {
    double *counts; /* [rows][2 rows]: rot along x from −180°, cos(tilt) along y from −1 */
    int rows;
    size_t stride; /* one in `stride` particles is counted */
} qn_view_bins;

/* Results of a run, and the facts that its report states. */
typedef struct qn_reconstruction {
    const qn_reconstruct_options *options;
    qn_job *job;          /* the job whose output the files belong to */
    const char *map_name; /* name of the map within its place */
    const char *half_names[2];
    const qn_particle_set *particles;
    const size_t *used; /* indices of the particles that were inserted */
    size_t used_count;
    uint64_t skipped; /* particles left out for weights of 0 or less */
    uint64_t resumed; /* images whose sums were saved by an earlier run */
    const char *symmetry;
    int operator_count;
    const double (*operators)[9];
    int image_side, padded_side;
    double voxel_angstrom, max_resolution_angstrom;
    qn_volume *map, *half[2], *weight, *mask; /* NULL: none */
    qn_fsc *fsc;                              /* NULL: no halves */
    qn_view_bins views;                       /* counts NULL: not counted */
    qn_finish_report finish;
    qn_reconstruction_times times;
    uint64_t memory_bytes, device_memory_bytes; /* estimated */
    int slabs;                                  /* largest number of slabs on any device */
    int ranks, threads, device_count;
    const qn_device_info *const *devices;
    double limit_share;      /* share of the device's limit that insertion reached; 0: unknown */
    bool pixel_size_assumed; /* no file states the pixel size, and 1 Å is assumed */
    char split[128];         /* origin of the halves: "rlnRandomSubset", "at random by seed 1" */
} qn_reconstruction;

/* Places of a run's files. For the output "map.mrc" they are "map.mrc", "map_half1.mrc", "map_report.html" …; for a
 * folder "out/" they are "out/map.mrc", "out/half1.mrc", "out/report.html" … Saved sums are in "map_unfinished" or
 * "out/unfinished". With RELION's names half maps are "map_half1_class001_unfil.mrc" or
 * "out/run_half1_class001_unfil.mrc". */
typedef struct qn_reconstruct_place {
    char *stem;            /* stem of the files; NULL: they have a folder */
    const char *map;       /* the map's name in the folder, "map.mrc", or its ending after the stem, ".mrc" */
    const char *halves[2]; /* likewise, of the half maps */
    const char *names[10]; /* with a stem: the names of all files, and NULL at the end */
    qn_output output;
} qn_reconstruct_place;

/* Count views with their symmetric copies. No images: no counts. Released with qn_release(&bins->counts). */
QN_MUST_CHECK qn_status qn_view_bins_create(const qn_reconstruction *run, qn_view_bins *bins);

/* Find the place of an output. The struct must not be moved until it is cleared; without an output its folder and stem
 * are NULL. QN_INVALID_ARGUMENT: an output that is neither a map nor a folder. */
QN_MUST_CHECK qn_status qn_reconstruct_find_place(const char *output, bool relion_names, qn_reconstruct_place *place);
void qn_reconstruct_place_clear(qn_reconstruct_place *place);

/* Append the page of the report to a text. The warnings must have been found. */
QN_MUST_CHECK qn_status qn_reconstruct_report_page(const qn_reconstruction *run, qn_text *page);

/* Find warnings and write all files, through the job: volumes and tables, then the report, and run.json last. A run
 * without an output only finds warnings. */
QN_MUST_CHECK qn_status qn_reconstruct_write(const qn_reconstruction *run);

#endif
