/* Short kernels with fewer launches. */
#include <string.h>

#include "fuse/plan/plan.h"

enum { SINGLE_ELEMENTS = 4096, JOINED_MAX = 4, JOINED_VALUES_MAX = 16 };

/* ---- one group ---- */

static bool is_short(const qn_plan_options *options, const qn_plan *plan, const qn_kernel_plan *kernel)
{
    return plan->graph->sections[kernel->section].part == QN_SECTION_WHOLE && kernel->layout.dimensions == 1 &&
           options->sizes->of[kernel->layout.extents[0]] <= SINGLE_ELEMENTS;
}

/* A scalar is complete after its kernel, so that no other has to add it up. */
static void complete(qn_plan *plan, qn_kernel_plan *kernel, int value)
{
    kernel->is_single = true;
    kernel->partial[value] = false;
    kernel->writes[value] = true;
    for (int k = 0; k < plan->kernel_count; k++) {
        qn_kernel_plan *other = &plan->kernels[k];
        if (!other->folds[value]) continue;
        other->folds[value] = other->writes[value] = false;
        if (other->is_fold) other->reads[value] = false;
    }
}

static void remove_empty_folds(qn_plan *plan)
{
    int count = 0;
    for (int k = 0; k < plan->kernel_count; k++) {
        const qn_kernel_plan *kernel = &plan->kernels[k];
        bool folds = !kernel->is_fold;
        for (int value = 0; value < plan->graph->value_count; value++) folds |= kernel->folds[value];
        if (folds && count++ != k) plan->kernels[count - 1] = *kernel;
    }
    plan->kernel_count = count;
}

/* ---- one launch ---- */

/* Whether a kernel touches memory that another one changes. */
static bool meets(const qn_plan *plan, const qn_kernel_plan *kernel, const qn_kernel_plan *other)
{
    for (int a = 0; a < plan->graph->value_count; a++)
        for (int b = 0; b < plan->graph->value_count; b++) {
            const bool touches = kernel->reads[a] || kernel->writes[a], leaves = kernel->partial[a];
            if (touches && other->writes[b] && qn_plan_root(plan, a) == qn_plan_root(plan, b)) return true;
            if ((leaves || kernel->folds[a]) && other->partial[b] && qn_plan_sums(plan, a) == qn_plan_sums(plan, b))
                return true;
        }
    return false;
}

static int count_values(const qn_plan *plan, const qn_kernel_plan *kernel)
{
    int count = 0;
    for (int value = 0; value < plan->graph->value_count; value++)
        count += (kernel->reads[value] || kernel->writes[value] || kernel->partial[value]) + kernel->folds[value];
    return count;
}

static bool is_joinable(const qn_plan_options *options, const qn_plan *plan, const qn_kernel_plan *kernel)
{
    const double bytes = 4 * qn_words_count(&kernel->words, options->sizes, options->stored);
    (void)plan;
    return kernel->layout.dimensions == 1 && bytes <= options->launch_s * options->bytes_per_s;
}

/* Whether kernel `last` may run beside all of those from `first` on. */
static bool can_join(const qn_plan_options *options, const qn_plan *plan, int first, int last)
{
    const qn_kernel_plan *kernel = &plan->kernels[last];
    int values = count_values(plan, kernel);
    if (last - first >= JOINED_MAX || !is_joinable(options, plan, kernel)) return false;
    for (int k = first; k < last; k++) {
        const qn_kernel_plan *other = &plan->kernels[k];
        values += count_values(plan, other);
        if (other->section != kernel->section || !is_joinable(options, plan, other) || meets(plan, kernel, other) ||
            meets(plan, other, kernel))
            return false;
    }
    return values <= JOINED_VALUES_MAX;
}

void qn_plan_share_launches(const qn_plan_options *options, qn_plan *plan)
{
    for (int k = 0; k < plan->kernel_count; k++)
        for (int value = 0; value < plan->graph->value_count; value++)
            if (plan->kernels[k].partial[value] && is_short(options, plan, &plan->kernels[k]))
                complete(plan, &plan->kernels[k], value);
    remove_empty_folds(plan);
    for (int k = 1, first = 0; k < plan->kernel_count; k++) {
        plan->kernels[k].joins = can_join(options, plan, first, k);
        if (!plan->kernels[k].joins) first = k;
    }
}
