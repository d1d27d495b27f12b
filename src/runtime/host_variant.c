#include "runtime/host_variant.h"

#include <stdlib.h>

int qn_processor_level(void)
{
    int level = 2;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) level = 3;
    if (level == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        level = 4;
#endif
    return level;
}

int qn_host_level(void)
{
    int level = qn_processor_level();
#ifndef QN_HOST_BASELINE_ONLY /* one build only: data that is prepared for another level would not fit its kernels */
    const char *asked = getenv("QUERN_HOST_LEVEL");
    if (asked && atoi(asked) >= 2 && atoi(asked) < level) level = atoi(asked);
#endif
    return level;
}
