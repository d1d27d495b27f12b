#include <quern/workload.h>

#include <string.h>

#include "base/error.h"
#include "base/text.h"

qn_status qn_workload_find(const char *name, const qn_workload **workload)
{
    size_t count;
    const qn_workload *const *all = qn_workload_list(&count);
    qn_text names = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < count; i++) {
        const char *slash = strchr(all[i]->name, '/');
        if (strcmp(name, all[i]->name) == 0 || (slash && strcmp(name, slash + 1) == 0)) {
            *workload = all[i];
            return QN_OK;
        }
    }
    *workload = NULL;
    for (size_t i = 0; i < count && status == QN_OK; i++)
        status = qn_text_append(&names, "%s%s", i ? ", " : "", all[i]->name);
    if (status == QN_OK)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "there is no workload \"%s\"; there are %s", name,
                              names.data ? names.data : "none");
    qn_text_clear(&names);
    return status;
}
