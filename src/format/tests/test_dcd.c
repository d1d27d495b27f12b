#include "format/tests/onebody.h"

static void frames_are_those_of_reference(void)
{
    check_against_onebody("trajectory/adk_dims/adk_dims.dcd", "trajectory/adk_dims/ref/onebody.json", 1e-7);
}

int main(void)
{
    RUN(frames_are_those_of_reference);
    return check_finish();
}
