#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "base/text.h"
#include "runtime/objects.h"

qn_status qn_context_create(const qn_context_options *given, qn_context **out)
{
    qn_context_options options = qn_context_default_options();
    void *memory;
    *out = NULL;
    QN_TRY(qn_sized_struct_copy(&options, sizeof options, given, "context"));
    const char *cache = getenv("QUERN_KERNEL_CACHE"), *folder = options.kernel_folder;
    if (!folder) folder = getenv("QUERN_KERNEL_DIR");
    QN_TRY(qn_allocate(1, sizeof(qn_context), &memory));
    qn_context *context = memory;
    context->use_cache = !options.without_kernel_cache && !(cache && strcmp(cache, "off") == 0);
    context->explain = options.explain;
    context->log = (qn_log_target){.callback = options.log, .user = options.log_user};
    pthread_mutex_init(&context->log.mutex, NULL);
    pthread_mutex_init(&context->build_mutex, NULL);
    pthread_cond_init(&context->built, NULL);
    qn_status status = qn_pool_create(options.threads, &context->pool);
    if (status == QN_OK) status = qn_trace_create(&context->trace);
    if (status == QN_OK && folder) status = qn_text_copy(folder, &context->kernel_folder);
    if (status != QN_OK) {
        qn_context_destroy(&context);
        return status;
    }
    *out = context;
    return QN_OK;
}

void qn_context_destroy(qn_context **context)
{
    if (!context || !*context) return;
    const qn_configuration_source source = (*context)->source;
    const qn_log_scope outer = qn_context_enter_log(*context);
    if (source.end) source.end(source.user);
    qn_trace_destroy(&(*context)->trace);
    qn_log_return(outer);
    qn_pool_destroy(&(*context)->pool);
    pthread_mutex_destroy(&(*context)->log.mutex);
    pthread_mutex_destroy(&(*context)->build_mutex);
    pthread_cond_destroy(&(*context)->built);
    qn_release(&(*context)->kernel_folder);
    qn_release(context);
}

int qn_context_threads(const qn_context *context)
{
    return qn_pool_threads(context->pool);
}

bool qn_context_set_explain(qn_context *context, bool explain)
{
    const bool before = context->explain;
    context->explain = explain;
    return before;
}

qn_log_scope qn_context_enter_log(qn_context *context)
{
    return qn_log_enter(context ? &context->log : qn_log_current().target);
}

qn_pool *qn_context_pool(qn_context *context)
{
    return context->pool;
}

const qn_configuration_source *qn_context_configuration_source(const qn_context *context)
{
    return &context->source;
}

const char *qn_context_kernel_folder(const qn_context *context)
{
    return context->kernel_folder;
}

void qn_context_set_configuration_source(qn_context *context, const qn_configuration_source *source)
{
    context->source = source ? *source : (qn_configuration_source){0};
}
