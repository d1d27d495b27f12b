#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static struct {
    pthread_mutex_t mutex;
    qn_log_callback callback;
    void *user;
    bool hushed;
} sink = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void qn_log_set_callback(qn_log_callback callback, void *user)
{
    pthread_mutex_lock(&sink.mutex);
    sink.callback = callback;
    sink.user = user;
    pthread_mutex_unlock(&sink.mutex);
}

bool qn_log_hush(bool hush)
{
    pthread_mutex_lock(&sink.mutex);
    const bool before = sink.hushed;
    sink.hushed = hush;
    pthread_mutex_unlock(&sink.mutex);
    return before;
}

void qn_log(qn_log_level level, const char *format, ...)
{
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&sink.mutex);
    if (sink.callback && !sink.hushed) sink.callback(level, message, sink.user);
    pthread_mutex_unlock(&sink.mutex);
}
