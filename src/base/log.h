/* Sending log messages to the callback of <quern/log.h>. */
#ifndef QN_BASE_LOG_H
#define QN_BASE_LOG_H

#include <quern/log.h>
#include <quern/status.h>
#include <stdbool.h>

/* Messages longer than 4095 bytes are cut. */
void qn_log(qn_log_level level, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Whether messages are dropped from here on; returns whether they were before. For processes that do the same as one
 * that speaks for all. */
bool qn_log_hush(bool hush);

#endif
