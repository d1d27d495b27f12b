/* Units of sizes and times. */
#ifndef QN_OPTION_UNIT_H
#define QN_OPTION_UNIT_H

#include <quern/option.h>

/* Returns the bytes or seconds of a unit, by the row's kind. `name` "": the row's own unit. Returns 0 if there is no
 * such unit. */
double qn_option_unit(const qn_option *row, const char *name);

#endif
