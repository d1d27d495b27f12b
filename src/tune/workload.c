#include <quern/workload.h>

#include <string.h>

#include "base/error.h"
#include "base/nearest_word.h"

enum { WORKLOADS_MAX = 256 };

/* The part of a name after its folder, by which users may call it. */
static const char *short_name(const qn_workload *workload)
{
    const char *slash = strchr(workload->name, '/');
    return slash ? slash + 1 : workload->name;
}

/* A workload that is called nearly so, by its whole name or without its folder; NULL: none. */
static const qn_workload *nearest_workload(const char *name, const qn_workload *const *all, size_t count)
{
    const char *names[2 * WORKLOADS_MAX] = {NULL};
    if (count > WORKLOADS_MAX) count = WORKLOADS_MAX;
    for (size_t i = 0; i < count; i++) names[2 * i] = all[i]->name, names[2 * i + 1] = short_name(all[i]);
    const char *nearest = qn_nearest_word(name, names, 2 * count);
    for (size_t i = 0; nearest && i < 2 * count; i++)
        if (names[i] == nearest) return all[i / 2];
    return NULL;
}

qn_status qn_workload_find(const char *name, const qn_workload **workload)
{
    size_t count;
    const qn_workload *const *all = qn_workload_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, all[i]->name) == 0 || strcmp(name, short_name(all[i])) == 0) {
            *workload = all[i];
            return QN_OK;
        }
    *workload = NULL;
    const qn_workload *nearest = nearest_workload(name, all, count);
    if (nearest) return QN_FAIL(QN_NOT_FOUND, "there is no workload \"%s\"; did you mean %s?", name, nearest->name);
    return QN_FAIL(QN_NOT_FOUND, "there is no workload \"%s\"; expected one of quern tune list, or a T1 file (*.json)",
                   name);
}
