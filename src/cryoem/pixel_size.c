#include "cryoem/pixel_size.h"

void qn_particle_set_change_pixel(qn_particle_set *set, size_t index, double pixel_angstrom)
{
    qn_optics_group *group = &set->optics[index];
    const bool is_stated = !group->pixel_assumed && !group->pixel_of_stack;
    const double scale = set->origins_in_pixels || is_stated ? pixel_angstrom / group->pixel_angstrom : 1;
    for (size_t i = 0; i < set->particle_count; i++)
        for (int k = 0; k < 2 && set->particles[i].optics == index; k++) set->particles[i].origin_angstrom[k] *= scale;
    group->pixel_angstrom = pixel_angstrom;
    group->pixel_assumed = group->pixel_of_stack = false;
}
