#include <quern/version.h>

const char *qn_version(void)
{
    return QN_VERSION;
}
