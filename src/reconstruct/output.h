/* Files of a reconstruction. */
#ifndef QN_RECONSTRUCT_OUTPUT_H
#define QN_RECONSTRUCT_OUTPUT_H

#include "job/job.h"
#include "model/particle_set.h"
#include "reconstruct/finish.h"

#include <quern/resolution.h>

typedef struct qn_reconstruction_times {
    double metadata_s, insert_s, reduce_s, finish_s, fsc_s, total_s; /* one after the other */
    double read_s, transform_s, prepare_s, kernel_s;                 /* within insert_s, overlapping; by the device */
} qn_reconstruction_times;

/* What a run found. */
typedef struct qn_reconstruction {
    const qn_reconstruct_options *options;
    qn_job *job;          /* whose output the files belong to */
    const char *map_name; /* of the place */
    const qn_particle_set *particles;
    const size_t *used; /* indices of the particles that were inserted */
    size_t used_count;
    uint64_t skipped; /* weights ≤ 0 */
    uint64_t resumed; /* of those used, taken from saved sums */
    const char *symmetry;
    int operator_count;
    const double (*operators)[9];
    int image_side, padded_side;
    double voxel_angstrom, max_resolution_angstrom;
    qn_volume *map, *half[2], *weight, *mask; /* NULL where there is none */
    qn_fsc *fsc;                              /* NULL: no halves */
    qn_finish_report finish;
    qn_reconstruction_times times;
    uint64_t memory_bytes, device_memory_bytes; /* estimated */
    int slabs;                                  /* of the volume on a device */
    int ranks, threads, device_count;
    const qn_device_info *const *devices;
    double limit_share;      /* of what the device allows, that insertion reached; 0: not known */
    bool pixel_size_assumed; /* nothing says it: 1 Å */
    char split[128];         /* how halves were told apart: "rlnRandomSubset", "at random by seed 1" */
} qn_reconstruction;

/* Where files of a run go: of the output "map.mrc" the map is that and others are "map_half1.mrc", "map_report.html" …;
 * of a folder "out/" they are "out/map.mrc", "out/half1.mrc", "out/report.html" … What a run puts aside is in
 * "map_unfinished" or "out/unfinished". */
typedef struct qn_reconstruct_place {
    char *stem;            /* of the files; NULL: they have a folder */
    const char *map;       /* the map's name in the folder, "map.mrc", or behind the stem, ".mrc" */
    const char *names[10]; /* with a stem: of all files, ended by NULL */
    qn_output output;
} qn_reconstruct_place;

/* The place stays where it is until it is cleared. QN_INVALID_ARGUMENT: an output that is neither. */
QN_MUST_CHECK qn_status qn_reconstruct_find_place(const char *output, qn_reconstruct_place *place);
void qn_reconstruct_place_clear(qn_reconstruct_place *place);

/* Everything that the run has, through the job: the map behind its companions, and run.json last. */
QN_MUST_CHECK qn_status qn_reconstruct_write(const qn_reconstruction *run);

#endif
