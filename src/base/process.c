#define _POSIX_C_SOURCE 200809L
#include "base/process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The fields of /proc/PID/stat from the third on, which is the state; NULL if they cannot be read. The second field, a
 * name in parentheses, may contain any characters. */
static const char *read_state(long number, char line[1024])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/stat", number);
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    line[fread(line, 1, 1023, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(line, ')');
    return name_end && name_end[1] == ' ' ? name_end + 2 : NULL;
}

/* Z: it has ended, and nobody has waited for it; X: it is being removed. */
static bool has_ended(const char *state)
{
    return state[0] == 'Z' || state[0] == 'X' || state[0] == 'x';
}

bool qn_process_is_over(long number)
{
    char line[1024];
    if (number <= 0 || number > INT_MAX) return true;
    if (getpgid((pid_t)number) < 0 && errno == ESRCH) return true;
    const char *state = read_state(number, line);
    return state && has_ended(state);
}

void qn_process_start(long number, char start[32])
{
    char line[1024];
    const char *at = read_state(number, line);
    start[0] = '\0';
    if (!at || has_ended(at)) return;
    for (int field = 3; at && field < 22; field++) at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    if (at) snprintf(start, 32, "%.*s", (int)strcspn(at, " "), at);
}
