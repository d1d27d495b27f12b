/* Files of a reconstruction. */
#ifndef QN_RECONSTRUCT_OUTPUT_H
#define QN_RECONSTRUCT_OUTPUT_H

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
 * of a folder "out/" they are "out/map.mrc", "out/half1.mrc", "out/report.html" … `name` is one of
 * "map.mrc", "half1.mrc", "half2.mrc", "weights.mrc", "mask.mrc", "fsc.csv", "fsc.star", "report.html", "run.json", or
 * of unfinished runs. Released with qn_release. */
QN_MUST_CHECK qn_status qn_reconstruct_path(const char *output, const char *name, char **path);

/* Everything that the run has, in a folder that is made when absent; the map last, so that a map under its name means a
 * run that is complete. */
QN_MUST_CHECK qn_status qn_reconstruct_write(const qn_reconstruction *run);

#endif
