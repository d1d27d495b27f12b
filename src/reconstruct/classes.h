/* Classes of particles: rlnClassNumber and --class. */
#ifndef QN_RECONSTRUCT_CLASSES_H
#define QN_RECONSTRUCT_CLASSES_H

#include "model/particle_set.h"
#include "reconstruct/images.h"

typedef struct qn_job qn_job;

/* QN_INVALID_ARGUMENT for a list other than whole numbers joined by commas. */
QN_MUST_CHECK qn_status qn_class_list_check(const char *list);

/* Leave only particles of the listed classes. QN_INVALID_ARGUMENT for a set without classes and for a class without
 * particles. */
QN_MUST_CHECK qn_status qn_classes_select(const char *list, qn_particle_set *set);

/* Warn if the images that are used are of several classes. */
QN_MUST_CHECK qn_status qn_classes_warn(qn_job *job, const qn_particle_set *set, const qn_image_plan *plan);

#endif
