/* The full text of a program: prelude, definitions, the family's source. */
#ifndef QN_RUNTIME_KERNEL_SOURCE_H
#define QN_RUNTIME_KERNEL_SOURCE_H

#include <quern/family.h>

#include "base/text.h"

/* `driver` is "opencl", "cuda" or "host" (whose text is only a key). `definitions`: "NAME=VALUE NAME=VALUE" or "".
 * `folder`: read the family's source from there (the source tree) instead of the library; NULL. */
QN_MUST_CHECK qn_status qn_kernel_source_make(const char *folder, const char *driver, const qn_family *family,
                                              const qn_configuration *configuration, const char *definitions,
                                              qn_text *text);

#endif
