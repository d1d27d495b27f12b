#include "cluster/measure/measure.h"

#include "cluster/measure/drmsd.h"

const qn_measure *const qn_measures[] = {&qn_measure_drmsd, NULL};
