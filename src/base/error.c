#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local qn_error_trail current;

const char *qn_status_name(qn_status status)
{
    switch (status) {
    case QN_OK: return "ok";
    case QN_INVALID_ARGUMENT: return "invalid argument";
    case QN_NOT_FOUND: return "not found";
    case QN_ALREADY_EXISTS: return "already exists";
    case QN_IO_ERROR: return "input/output error";
    case QN_BAD_FORMAT: return "bad format";
    case QN_OUT_OF_MEMORY: return "out of memory";
    case QN_UNSUPPORTED: return "unsupported";
    case QN_NO_DEVICE: return "no device";
    case QN_DEVICE_LOST: return "device lost";
    case QN_BUILD_FAILED: return "kernel build failed";
    case QN_LAUNCH_FAILED: return "kernel launch failed";
    case QN_CHECK_FAILED: return "contract of a kernel or queue broken";
    case QN_CANCELLED: return "cancelled";
    case QN_INTERNAL: return "internal error";
    }
    return "unknown status";
}

const char *qn_error_message(void)
{
    return current.message;
}

const char *qn_error_origin(void)
{
    return current.origin;
}

bool qn_error_is_reported(void)
{
    return current.reported;
}

qn_status qn_error_mark_reported(qn_status status)
{
    current.reported = status != QN_OK;
    return status;
}

void qn_error_clear(void)
{
    memset(&current, 0, sizeof current);
}

/* The arguments may point to the message that is replaced, so the new one is made beside it. */
static void set_message(const char *format, va_list arguments)
{
    char message[sizeof current.message];
    vsnprintf(message, sizeof message, format, arguments);
    memcpy(current.message, message, sizeof message);
}

qn_status qn_error_raise(qn_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_message(format, arguments);
    va_end(arguments);
    current.status = status;
    current.reported = false;
    current.origin[0] = '\0';
    return status;
}

qn_status qn_error_set(qn_status status, const char *file, int line, const char *format, ...)
{
    const char *slash = strrchr(file, '/');
    va_list arguments;
    va_start(arguments, format);
    set_message(format, arguments);
    va_end(arguments);
    current.status = status;
    current.reported = false;
    snprintf(current.origin, sizeof current.origin, "%s:%d", slash ? slash + 1 : file, line);
    return status;
}

qn_status qn_error_add_context(qn_status status, const char *format, ...)
{
    char message[sizeof current.message];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length;
    /* a message that names the same file already keeps its beginning */
    if (used > 0 && strncmp(current.message, message, used) == 0 && current.message[used] == ':') return status;
    if (used + 3 < sizeof message)
        snprintf(message + used, sizeof message - used, ": %.*s", (int)(sizeof message - used - 3), current.message);
    memcpy(current.message, message, sizeof message);
    return status;
}

void qn_error_save(qn_status status, qn_error_trail *trail)
{
    *trail = current;
    trail->status = status;
}

qn_status qn_error_restore(const qn_error_trail *trail)
{
    current = *trail;
    return trail->status;
}
