/* A context's parts, for library code above the runtime. */
#ifndef QN_RUNTIME_CONTEXT_H
#define QN_RUNTIME_CONTEXT_H

#include <quern/family.h>

#include "base/log.h"
#include "base/thread_pool.h"

qn_pool *qn_context_pool(qn_context *context);
const qn_configuration_source *qn_context_configuration_source(const qn_context *context);
const char *qn_context_kernel_folder(const qn_context *context); /* NULL: sources are the library's own */

/* Turn on or off that the context logs where each kernel configuration comes from. Returns whether it did before. */
bool qn_context_set_explain(qn_context *context, bool explain);

/* Let the calling thread log into the context's log until qn_log_return is called with the returned scope. `context`
 * NULL: the thread's log stays the same. */
qn_log_scope qn_context_enter_log(qn_context *context);

#endif
