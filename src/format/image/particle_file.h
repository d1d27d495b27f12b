/* Files of particles, read by many threads. */
#ifndef QN_FORMAT_IMAGE_PARTICLE_FILE_H
#define QN_FORMAT_IMAGE_PARTICLE_FILE_H

#include <quern/particles.h>

#include "base/thread_pool.h"

/* As qn_particle_set_read, on the threads of `pool` (NULL: one). Set and messages do not depend on them. */
QN_MUST_CHECK qn_status qn_particle_file_read(const char *path, qn_pool *pool, qn_particle_set **set);

#endif
