#include "reconstruct/classes.h"

#include "base/error.h"
#include "base/text.h"
#include "job/job.h"

enum { CLASS_MAX = 1 << 30, NAMED_MAX = 8 };

/* Read the next number of a list, and the comma after it; false: something else is there. */
static bool next_class(const char **list, int *number)
{
    const char *c = *list;
    long value = 0;
    while (*c >= '0' && *c <= '9' && value <= CLASS_MAX) value = 10 * value + (*c++ - '0');
    if (c == *list || value > CLASS_MAX || (*c && *c != ',') || (*c == ',' && !c[1])) return false;
    *list = *c == ',' ? c + 1 : c;
    *number = (int)value;
    return true;
}

qn_status qn_class_list_check(const char *list)
{
    int number;
    for (const char *rest = list; *rest;)
        if (!next_class(&rest, &number))
            return QN_FAIL(QN_INVALID_ARGUMENT, "--class is \"%s\"; expected numbers of classes, such as 2 or 1,3",
                           list);
    return QN_OK;
}

static bool is_listed(const char *list, int wanted)
{
    int number;
    while (*list && next_class(&list, &number))
        if (number == wanted) return true;
    return false;
}

static qn_status refuse_empty_classes(const char *list, const qn_particle_set *set)
{
    int number;
    while (*list && next_class(&list, &number)) {
        size_t i = 0;
        while (i < set->particle_count && set->classes[i] != number) i++;
        if (i == set->particle_count)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: no particle is of class %d; expected classes that it has for --class", set->name,
                           number);
    }
    return QN_OK;
}

qn_status qn_classes_select(const char *list, qn_particle_set *set)
{
    size_t kept = 0;
    if (!list) return QN_OK;
    if (!set->classes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has no column _rlnClassNumber, which --class needs", set->name);
    QN_TRY(refuse_empty_classes(list, set));
    for (size_t i = 0; i < set->particle_count; i++) {
        if (!is_listed(list, set->classes[i])) continue;
        set->particles[kept] = set->particles[i];
        set->classes[kept++] = set->classes[i];
    }
    set->particle_count = kept;
    return QN_OK;
}

/* Find the lowest class above `above`; −1: none. */
static int class_above(const qn_particle_set *set, const qn_image_plan *plan, int above)
{
    int lowest = -1;
    for (size_t i = 0; i < plan->image_count; i++) {
        const int number = set->classes[plan->order[i]];
        if (number > above && (lowest < 0 || number < lowest)) lowest = number;
    }
    return lowest;
}

qn_status qn_classes_warn(qn_job *job, const qn_particle_set *set, const qn_image_plan *plan)
{
    qn_text names = {0};
    qn_status status = QN_OK;
    if (!set->classes) return QN_OK;
    int number = class_above(set, plan, -1), count = 0;
    for (; number >= 0 && count < NAMED_MAX && status == QN_OK; number = class_above(set, plan, number), count++)
        status = qn_text_append(&names, "%s%d", count > 0 ? ", " : "", number);
    if (status == QN_OK && number >= 0) status = qn_text_append(&names, ", …");
    if (status == QN_OK && count > 1)
        status = qn_job_warn(job,
                             "%s: particles of several classes are merged into one map (rlnClassNumber %s); --class "
                             "selects classes",
                             set->name, names.data);
    qn_text_clear(&names);
    return status;
}
