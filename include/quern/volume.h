/* Volumes: values on a regular grid, read from and written as MRC2014.
 *
 * Life cycle: create or read → use → destroy. Thread rule: a volume that no thread changes may be read by all.
 *
 *     qn_volume *map;
 *     if (qn_volume_read("map.mrc", &map) != QN_OK) return 1;
 *     printf("%d x %d x %d voxels of %g Å\n", map->counts[0], map->counts[1], map->counts[2], map->voxel_angstrom[0]);
 *     qn_volume_destroy(&map);
 */
#ifndef QUERN_VOLUME_H
#define QUERN_VOLUME_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_volume {
    int counts[3];            /* number of voxels along x, y, z */
    float *values;            /* [z][y][x]: x runs fastest */
    double voxel_angstrom[3]; /* voxel size along x, y, z; 1 if the file states none */
    bool voxel_assumed;       /* the file states no voxel size, and 1 Å is assumed */
    double origin_angstrom[3];
    int start[3]; /* start of the grid in voxels (nxstart …) */
    char *name;   /* file that the volume was read from; NULL: none */
} qn_volume;

/* Make a volume of 0. QN_INVALID_ARGUMENT for counts below 1 and for voxels without a size; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_volume_create(const int counts[3], double voxel_angstrom, qn_volume **volume);

/* Read MRC or CCP4, either endianness, modes 0, 1, 2, 6, 12 and 101, any order of axes, gzipped or not. Deviations of
 * real files are accepted (no MAP stamp, cell 0, mx = 1); missing bytes are not. QN_NOT_FOUND, QN_BAD_FORMAT naming
 * file, field, value and what was expected; QN_UNSUPPORTED (complex modes); QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_volume_read(const char *path, qn_volume **volume);

/* Write MRC2014, mode 2. The file appears complete or not at all. `label` (may be NULL) is the first of the header's
 * labels. */
QN_MUST_CHECK qn_status qn_volume_write(const qn_volume *volume, const char *label, const char *path);

void qn_volume_destroy(qn_volume **volume);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
