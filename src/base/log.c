#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local qn_log_scope current;

void qn_log(qn_log_level level, const char *format, ...)
{
    qn_log_target *target = current.target;
    char message[4096];
    va_list arguments;
    if (!target || !target->callback || current.off) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&target->mutex);
    target->callback(level, message, target->user);
    pthread_mutex_unlock(&target->mutex);
}

qn_log_scope qn_log_enter(qn_log_target *target)
{
    qn_log_scope before = current;
    before.locale = qn_locale_enter();
    if (target != current.target) current = (qn_log_scope){.target = target};
    return before;
}

qn_log_scope qn_log_turn_off(void)
{
    const qn_log_scope before = current;
    current.off = true;
    return before;
}

qn_log_scope qn_log_current(void)
{
    return current;
}

void qn_log_return(qn_log_scope scope)
{
    current = (qn_log_scope){.target = scope.target, .off = scope.off};
    qn_locale_return(scope.locale);
}
