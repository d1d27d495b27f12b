#include "job/options.h"

#include "base/error.h"

qn_status qn_option_in_range(const char *name, double value, double low, double high)
{
    if (!(value >= low && value <= high))
        QN_FAIL(QN_INVALID_ARGUMENT, "%s is %g; expected %g to %g", name, value, low, high);
    return QN_OK;
}
