/* Units of sizes and times. */
#ifndef QN_OPTION_UNIT_H
#define QN_OPTION_UNIT_H

#include <quern/option.h>

/* What one of the unit is in bytes or in seconds, by the row's kind. `name` "": the row's own unit. 0: there is none.
 */
double qn_option_unit(const qn_option *row, const char *name);

#endif
