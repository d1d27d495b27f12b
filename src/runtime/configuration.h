/* Configurations of a family: combinations of its tunables' values. */
#ifndef QN_RUNTIME_CONFIGURATION_H
#define QN_RUNTIME_CONFIGURATION_H

#include <quern/family.h>

/* Call `visit` with every allowed combination of smallest, fallback and largest values of the tunables. */
QN_MUST_CHECK qn_status qn_family_corners(const qn_family *family, const qn_device_info *device,
                                          qn_status (*visit)(const qn_configuration *configuration, void *user),
                                          void *user);

/* Like qn_family_corners, for spaces with too many corners to visit: call `visit` with the fallback, if it is allowed,
 * and with other allowed corners, `most` configurations in all. A fixed stride mixes the values of every tunable. */
QN_MUST_CHECK qn_status qn_family_sample_corners(const qn_family *family, const qn_device_info *device, int most,
                                                 qn_status (*visit)(const qn_configuration *configuration, void *user),
                                                 void *user);

#endif
