/* Full text of a program: prelude, definitions, the family's source. */
#ifndef QN_RUNTIME_KERNEL_SOURCE_H
#define QN_RUNTIME_KERNEL_SOURCE_H

#include <quern/family.h>

#include "base/text.h"

/* Make the text. `driver`: "opencl", "cuda" or "host"; the text for host is only a key. `definitions`:
 * "NAME=VALUE NAME=VALUE"; "": none. `folder`: the source tree from which the family's source is read; NULL: use the
 * source in the library. */
QN_MUST_CHECK qn_status qn_kernel_source_make(const char *folder, const char *driver, const qn_family *family,
                                              const qn_configuration *configuration, const char *definitions,
                                              qn_text *text);

#endif
