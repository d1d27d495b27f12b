/* Other processes of this machine, by their numbers. Source: /proc/PID/stat (proc(5)). */
#ifndef QN_BASE_PROCESS_H
#define QN_BASE_PROCESS_H

#include <stdbool.h>

/* Whether no such process runs. A process that has ended counts as over although its parent has not waited for it yet:
 * in a container the first process may do so late, or never. */
bool qn_process_is_over(long number);

/* When a process began, in ticks since the machine began; "" if the process is over. Two processes that got the same
 * number one after the other differ in it. */
void qn_process_start(long number, char start[32]);

#endif
