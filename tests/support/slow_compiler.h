/* A CPU's OpenCL compiler takes seconds for each kernel, so tests compile fewer kernels there. */
#ifndef QN_TESTS_SLOW_COMPILER_H
#define QN_TESTS_SLOW_COMPILER_H

#include <quern/device.h>

#include <stdlib.h>
#include <string.h>

__attribute__((unused)) static bool compiles_slowly(const qn_device_info *info)
{
    return info->kind == QN_DEVICE_CPU && strstr(info->identifier, "opencl") != NULL;
}

/* Number of corners of a space that a test visits, at most `most`; where compilation is slow, 2 unless
 * QUERN_TEST_CORNERS sets it. */
__attribute__((unused)) static int corners_to_visit(const qn_device_info *info, int most)
{
    const char *wanted = getenv("QUERN_TEST_CORNERS");
    const int count = wanted ? atoi(wanted) : 2;
    return compiles_slowly(info) && count > 0 && count < most ? count : most;
}

#endif
