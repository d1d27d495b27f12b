/* Other processes of this machine, by their numbers. Source: /proc/PID/stat (proc(5)). */
#ifndef QN_BASE_PROCESS_H
#define QN_BASE_PROCESS_H

#include <stdbool.h>

/* From /proc/PID/stat: fields 3, 4, 14, 15 and 22. */
typedef struct qn_process_facts {
    char state; /* Z: it has ended, and nobody has waited for it; X: it is being removed */
    long parent;
    unsigned long user_ticks, system_ticks; /* processor time, sysconf(_SC_CLK_TCK) ticks a second */
    unsigned long long start_ticks;         /* since the machine began */
} qn_process_facts;

/* Returns false if the facts cannot be read: there is no such process, or no /proc. */
bool qn_process_read(long number, qn_process_facts *facts);

/* Whether no such process runs. A process that has ended counts as over although its parent has not waited for it yet:
 * in a container the first process may do so late, or never. */
bool qn_process_is_over(long number);

/* Write when a process began, in ticks since the machine began; "" if the process is over. Two processes that got the
 * same number one after the other differ in it. */
void qn_process_start(long number, char start[32]);

#endif
