/* Sending log messages to the callback of <quern/log.h>. */
#ifndef QN_BASE_LOG_H
#define QN_BASE_LOG_H

#include <quern/log.h>
#include <quern/status.h>

/* Messages longer than 4095 bytes are cut. */
void qn_log(qn_log_level level, const char *format, ...) QN_PRINTF_LIKE(2, 3);

#endif
