/* Particle sets from RELION STAR (3.0, and 3.1 and later with optics groups) and Xmipp metadata (.xmd), and back. */
#ifndef QN_FORMAT_IMAGE_PARTICLES_H
#define QN_FORMAT_IMAGE_PARTICLES_H

#include "model/particle_set.h"

/* Stacks are looked for beside the file, then as written from the working folder, then going up from the file's folder
 * (RELION projects name them from the project's root). Errors name file, line, row, column, value and what was
 * expected. A pixel size that the file lacks is that of the group's first stack, else 1 Å (pixel_assumed). Disabled
 * rows of Xmipp are left out. QN_NOT_FOUND, QN_BAD_FORMAT (missing columns, NaN angles, index 0), QN_UNSUPPORTED (beam
 * tilt, Zernike, MagMat that are not zero). Missing stacks are found when they are opened, not here. */
QN_MUST_CHECK qn_status qn_particles_read(const char *path, qn_particle_set **set);

/* As RELION 3.1 STAR: what `set` says, images named "000001@stack" with stack paths relative to the file's folder,
 * flips as the turns that they are, complete or not at all. QN_INVALID_ARGUMENT (what STAR cannot hold), QN_IO_ERROR.
 */
QN_MUST_CHECK qn_status qn_particles_write(const qn_particle_set *set, const char *path);

#endif
