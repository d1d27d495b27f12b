/* Sets of particles: see <quern/particles.h>. */
#ifndef QN_MODEL_PARTICLE_SET_H
#define QN_MODEL_PARTICLE_SET_H

#include <quern/particles.h>

/* Make a deep copy of the set. */
QN_MUST_CHECK qn_status qn_particle_set_copy(const qn_particle_set *set, qn_particle_set **copy);

/* Place of a particle for messages, after the set's name: "line 12 (row 3)", or "particle 3" for a set without a
 * file. */
typedef struct qn_particle_place {
    char text[64];
} qn_particle_place;

qn_particle_place qn_particle_place_of(const qn_particle *particle);

#endif
