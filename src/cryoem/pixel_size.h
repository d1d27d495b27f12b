/* Pixel sizes that a user states. */
#ifndef QN_CRYOEM_PIXEL_SIZE_H
#define QN_CRYOEM_PIXEL_SIZE_H

#include <quern/particles.h>

/* Give an optics group another pixel size. Origins that were measured in pixels of the former size are scaled with it:
 * those that the file states in pixels, and those in Å beside a stated pixel size. */
void qn_particle_set_change_pixel(qn_particle_set *set, size_t group, double pixel_angstrom);

#endif
