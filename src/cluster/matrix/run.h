/* Shared by the files of quern distance. */
#ifndef QN_CLUSTER_MATRIX_RUN_H
#define QN_CLUSTER_MATRIX_RUN_H

#include <quern/distance.h>

/* Whether the name of an output asks for a table instead of an array. */
bool qn_distance_is_csv(const char *output);

#endif
