#include "format/tests/onebody.h"
#include "format/trajectory/trajectory_stream.h"

static void frames_agree_with_the_reference(void)
{
    check_against_onebody("trajectory/water3k/water3k.xtc", "trajectory/water3k/ref/onebody.json", 1e-7);
    check_against_onebody("trajectory/adk_oplsaa/adk_oplsaa.xtc", "trajectory/adk_oplsaa/ref/onebody.json", 1e-7);
    check_against_onebody("trajectory/argon_tng/argon_from_tng.xtc", "trajectory/argon_tng/ref/onebody.json", 1e-7);
}

int main(void)
{
    RUN(frames_agree_with_the_reference);
    return check_finish();
}
