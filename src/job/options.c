#include "job/options.h"

#include "base/error.h"
#include "base/file.h"

qn_status qn_option_in_range(const char *name, double value, double low, double high)
{
    if (!(value >= low && value <= high))
        QN_FAIL(QN_INVALID_ARGUMENT, "%s is %g; expected %g to %g", name, value, low, high);
    return QN_OK;
}

qn_status qn_option_output(const char *folder, bool resume, bool *empty)
{
    bool holds_nothing;
    QN_TRY(qn_folder_is_empty(folder, &holds_nothing));
    if (empty) *empty = holds_nothing;
    if (!holds_nothing && !resume)
        QN_FAIL(QN_ALREADY_EXISTS, "%s: the output folder is not empty; choose another one or continue with --resume",
                folder);
    return QN_OK;
}
