/* Constraints of a family: texts such as "4 * GROUP_SIZE <= device.local_memory_bytes".
 *
 * A constraint is an expression (expression/expression.h) of the family's tunables and of device.local_memory_bytes,
 * device.local_room_bytes, device.largest_group, device.subgroup_size, device.compute_units, device.is_host,
 * device.is_opencl and device.is_cuda (of "checking:X" those of X). It holds if it is not 0. `and` and `or` compute
 * their right side only if they need it, so that "WIDTH == 0 or 64 % WIDTH == 0" never divides by 0.
 */
#ifndef QN_RUNTIME_CONSTRAINT_H
#define QN_RUNTIME_CONSTRAINT_H

#include <quern/family.h>

#include "expression/expression.h"

/* Evaluate a constraint: *value is its result if that is an integer, else 1 if the constraint holds and 0 if not.
 * Errors: QN_INVALID_ARGUMENT with the column, the word and the expected words; division by zero; overflow. */
QN_MUST_CHECK qn_status qn_constraint_evaluate(const char *text, const qn_family *family,
                                               const qn_configuration *configuration, const qn_device_info *device,
                                               int64_t *value);

/* The same in two steps, to evaluate one constraint for many configurations. */
QN_MUST_CHECK qn_status qn_constraint_compile(const char *text, const qn_family *family, qn_expression **constraint);
QN_MUST_CHECK qn_status qn_constraint_value(const qn_expression *constraint, const qn_family *family,
                                            const qn_configuration *configuration, const qn_device_info *device,
                                            int64_t *value);

#endif
