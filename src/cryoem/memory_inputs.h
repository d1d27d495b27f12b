/* Inputs in memory, given by a program's caller: the checks that readers do for files, and digests for the keys of
 * journals. */
#ifndef QN_CRYOEM_MEMORY_INPUTS_H
#define QN_CRYOEM_MEMORY_INPUTS_H

#include <quern/particles.h>
#include <quern/volume.h>

/* Fail unless exactly one of a file and an object in memory is given. `what` names the input: "the map".
 * QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_input_is_one(const char *what, const char *path, const void *in_memory);

/* Make a view of a caller's volume. It shares the values and has the caller's name, or `name` if the caller's volume
 * has no name. It must not be destroyed. QN_INVALID_ARGUMENT naming the volume: no values, counts below 1, voxel sizes
 * that are not above 0. */
QN_MUST_CHECK qn_status qn_volume_view(const qn_volume *given, const char *name, qn_volume *view);

/* Copy a caller's particles. The copy is named "the particles in memory" if they have no name, and rows without a
 * number are numbered from 1. If the particles do not name their images (has_images), image i shows particle i.
 * QN_INVALID_ARGUMENT naming the particle: indices of optics groups or stacks past the end, angles or origins that are
 * not finite; an optics group without a pixel size. */
QN_MUST_CHECK qn_status qn_particle_set_take(const qn_particle_set *given, qn_particle_set **own);

/* Size in bytes, and SHA-256 of all numbers that results depend on; names are left out. */
void qn_volume_digest(const qn_volume *volume, uint64_t *bytes, char digest[65]);
void qn_particle_set_digest(const qn_particle_set *set, uint64_t *bytes, char digest[65]);

/* Size in bytes and digest of images. The digest covers all images if they take up to 256 MiB, otherwise the first and
 * the last one. */
void qn_image_array_digest(const qn_image_array *images, uint64_t *bytes, char digest[65]);

/* Copy one image, [side][side] floats, out of an array. */
void qn_image_array_copy(const qn_image_array *images, size_t index, float *values);

#endif
