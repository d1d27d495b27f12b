#include "tune/guide.h"

#include "base/error.h"
#include "base/log.h"
#include "runtime/device.h"
#include "tune/ahead.h"
#include "tune/model/static_model.h"
#include "tune/session.h"

/* Largest number of points of a table, which is made during a launch of the application. */
enum { POINTS_MAX = 1 << 14 };

static void go_without(const char *name, const char *why)
{
    qn_log(QN_LOG_WARNING, "%s: the searcher profile goes without a model: %s", name, why);
}

/* If no model is possible, log a warning and continue without one. */
static qn_status bear(qn_status status, const qn_family *family)
{
    if (status != QN_UNSUPPORTED) return status;
    go_without(family->name, qn_error_message());
    qn_error_clear();
    return QN_OK;
}

qn_status qn_guide_make(const char *searcher, const char *path, const qn_family *family, const void *problem,
                        const qn_device_info *device, const qn_space *space, qn_guide *guide)
{
    *guide = (qn_guide){NULL};
    if (!qn_tuner_is_guided(searcher)) return QN_OK;
    if (path) return qn_tuning_model_find(path, &guide->model);
    if (problem)
        return bear(qn_static_family_create(family, problem, device, space, &guide->description, &guide->model),
                    family);
    go_without(family->name, "its workload does not give its problem");
    return QN_OK;
}

qn_status qn_guide_make_table(const char *searcher, const qn_family *family, const void *problem,
                              const qn_device_info *device, const qn_space *space, qn_tuning_model **model)
{
    *model = NULL;
    if (!qn_tuner_is_guided(searcher)) return QN_OK;
    if (qn_space_size(space) <= POINTS_MAX)
        return bear(qn_static_model_of_family(family, problem, device, space, model), family);
    go_without(family->name, "its space is too large to describe while an application waits");
    return QN_OK;
}

void qn_guide_learn(const qn_guide *guide, const qn_family *family, qn_device *device, const qn_space *space,
                    qn_point point)
{
    const qn_configuration configuration = qn_tune_configuration(space, point);
    qn_kernel_resources resources[QN_KERNEL_MAX];
    char definitions[QN_AHEAD_DEFINITIONS];
    qn_status status = QN_OK;
    if (!guide->description) return;
    qn_family_built_definitions(family, device, &configuration, definitions, sizeof definitions);
    for (int k = 0; k < family->kernel_count && status == QN_OK; k++)
        status = qn_family_resources(family, device, &configuration, definitions, k, &resources[k]);
    if (status == QN_OK) status = qn_static_family_learn(guide->description, point, resources);
    if (status != QN_OK) qn_error_clear(); /* the guesses remain */
}
