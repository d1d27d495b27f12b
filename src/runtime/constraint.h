/* Constraints of a family: texts such as "4 * GROUP_SIZE <= device.local_memory_bytes".
 *
 * An expression (expression/expression.h) of the family's tunables and of device.local_memory_bytes,
 * device.local_room_bytes, device.largest_group, device.subgroup_size, device.compute_units, device.is_host,
 * device.is_opencl, device.is_cuda (of "checking:X" those of X). It holds when it is not 0. What `and` and `or` do not
 * need is not computed, so that "WIDTH == 0 or 64 % WIDTH
 * == 0" is fine.
 */
#ifndef QN_RUNTIME_CONSTRAINT_H
#define QN_RUNTIME_CONSTRAINT_H

#include <quern/family.h>

#include "expression/expression.h"

/* *value of a whole number is that number, else 1 where it holds and 0 where not.
 * Errors: QN_INVALID_ARGUMENT naming the column, the word and what was expected; division by zero; overflow. */
QN_MUST_CHECK qn_status qn_constraint_evaluate(const char *text, const qn_family *family,
                                               const qn_configuration *configuration, const qn_device_info *device,
                                               int64_t *value);

/* The same in two steps, to ask of many configurations. */
QN_MUST_CHECK qn_status qn_constraint_compile(const char *text, const qn_family *family, qn_expression **constraint);
QN_MUST_CHECK qn_status qn_constraint_value(const qn_expression *constraint, const qn_family *family,
                                            const qn_configuration *configuration, const qn_device_info *device,
                                            int64_t *value);

#endif
