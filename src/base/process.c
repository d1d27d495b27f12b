#define _POSIX_C_SOURCE 200809L
#include "base/process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool qn_process_read(long number, qn_process_facts *facts)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", number);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')'); /* field 2, a name in parentheses, may contain any characters */
    return name_end &&
           sscanf(name_end, ") %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
                  &facts->state, &facts->parent, &facts->user_ticks, &facts->system_ticks, &facts->start_ticks) == 5;
}

static bool has_ended(const qn_process_facts *facts)
{
    return facts->state == 'Z' || facts->state == 'X' || facts->state == 'x';
}

bool qn_process_is_over(long number)
{
    qn_process_facts facts;
    if (number <= 0 || number > INT_MAX) return true;
    if (getpgid((pid_t)number) < 0 && errno == ESRCH) return true;
    return qn_process_read(number, &facts) && has_ended(&facts);
}

void qn_process_start(long number, char start[32])
{
    qn_process_facts facts;
    start[0] = '\0';
    if (qn_process_read(number, &facts) && !has_ended(&facts)) snprintf(start, 32, "%llu", facts.start_ticks);
}
