/* The keys that a T1 file may have. A key that is misspelt or that nothing obeys must not pass in silence: it may hold
 * the constraints or the limit of a tuning. */
#include "tune/exchange/t1_keys.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/nearest_word.h"
#include "base/text.h"

enum { KEYS_MAX = 24 };

typedef enum use {
    OBEYED,
    OF_OTHERS, /* steers other tuners, which read the same file: named in a note */
    FREE,      /* an object whose keys are the user's own */
    REFUSED    /* another tuner would obey it, so the result would be another */
} use;

typedef struct key {
    const char *name;
    use use;
    const struct key *keys; /* of the object, or of each object of the list; NULL: anything */
    const char *instead;    /* of REFUSED: what was expected */
} key;

static const key general[] = {
    {.name = "BenchmarkName"},
    {.name = "FormatVersion", .use = OF_OTHERS},
    {.name = "LoggingLevel", .use = OF_OTHERS},
    {.name = "TimeUnit", .use = OF_OTHERS},
    {.name = "OutputFormat", .use = OF_OTHERS},
    {.name = "OutputFile",
     .use = REFUSED,
     .instead = "no such key, because Quern writes results where quern tune run --csv and quern tune export say"},
    {0}};

static const key parameter[] = {{.name = "Name"}, {.name = "Type"}, {.name = "Values"}, {.name = "Default"}, {0}};
static const key condition[] = {{.name = "Expression"}, {.name = "Parameters"}, {0}};
static const key space[] = {
    {.name = "TuningParameters", .keys = parameter}, {.name = "Conditions", .keys = condition}, {0}};
static const key attribute[] = {{.name = "Name"}, {.name = "Value"}, {0}};
static const key search[] = {{.name = "Name"}, {.name = "Attributes", .keys = attribute}, {0}};
static const key budget[] = {{.name = "Type"}, {.name = "BudgetValue"}, {0}};
static const key size[] = {{.name = "X"}, {.name = "Y"}, {.name = "Z"}, {0}};

static const key argument[] = {{.name = "Name"},
                               {.name = "Type"},
                               {.name = "MemoryType"},
                               {.name = "MemType", .use = OF_OTHERS},
                               {.name = "AccessType"},
                               {.name = "Size"},
                               {.name = "FillType"},
                               {.name = "FillValue"},
                               {.name = "DataSource"},
                               {.name = "RandomSeed", .use = OF_OTHERS},
                               {.name = "Output"},
                               {.name = "ValidationMethod"},
                               {.name = "ValidationThreshold"},
                               {.name = "AbsoluteTolerance"},
                               {.name = "RelativeTolerance"},
                               {0}};

static const key reference[] = {{.name = "Name"},
                                {.name = "TargetName"},
                                {.name = "FillType"},
                                {.name = "FillValue"},
                                {.name = "DataSource"},
                                {.name = "RandomSeed", .use = OF_OTHERS},
                                {.name = "ValidationMethod"},
                                {.name = "ValidationThreshold"},
                                {.name = "AbsoluteTolerance"},
                                {.name = "RelativeTolerance"},
                                {0}};

static const key reference_kernel[] = {{.name = "KernelName"},
                                       {.name = "KernelFile"},
                                       {.name = "LocalSize", .keys = size},
                                       {.name = "GlobalSize", .keys = size},
                                       {0}};

static const key specification[] = {{.name = "Language"},
                                    {.name = "KernelName"},
                                    {.name = "KernelFile"},
                                    {.name = "BenchmarkName"},
                                    {.name = "CompilerOptions"},
                                    {.name = "GlobalSizeType"},
                                    {.name = "LocalSize", .keys = size},
                                    {.name = "GlobalSize", .keys = size},
                                    {.name = "GridDivX"},
                                    {.name = "GridDivY"},
                                    {.name = "GridDivZ"},
                                    {.name = "ProblemSize"},
                                    {.name = "SharedMemory"},
                                    {.name = "Arguments", .keys = argument},
                                    {.name = "ReferenceArguments", .keys = reference},
                                    {.name = "ReferenceKernel", .keys = reference_kernel},
                                    {.name = "Device", .use = OF_OTHERS},
                                    {.name = "Profiling", .use = OF_OTHERS},
                                    {.name = "SimulationInput", .use = OF_OTHERS},
                                    {.name = "Stream", .use = OF_OTHERS},
                                    {.name = "Misc", .use = FREE},
                                    {0}};

static const key root[] = {{.name = "General", .keys = general},
                           {.name = "ConfigurationSpace", .keys = space},
                           {.name = "Search", .use = OF_OTHERS, .keys = search},
                           {.name = "Budget", .keys = budget},
                           {.name = "BenchmarkConfig", .use = FREE},
                           {.name = "KernelSpecification", .keys = specification},
                           {0}};

typedef struct walk {
    const char *path;
    qn_text others; /* keys of other tuners, separated by commas */
} walk;

static qn_status refuse_unknown(const walk *w, const key *keys, const char *place, const char *name)
{
    const char *names[KEYS_MAX];
    char list[512] = "";
    size_t count = 0, used = 0;
    for (; keys[count].name && count < KEYS_MAX; count++) {
        names[count] = keys[count].name;
        if (keys[count].use == REFUSED || used + 40 > sizeof list) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "", keys[count].name);
    }
    const char *nearest = qn_nearest_word(name, names, count);
    if (nearest)
        return QN_FAIL(QN_BAD_FORMAT, "%s: there is no key %s%.60s; did you mean %s?", w->path, place, name, nearest);
    return QN_FAIL(QN_BAD_FORMAT, "%s: there is no key %s%.60s; expected one of %s", w->path, place, name, list);
}

static qn_status check_value(walk *w, const key *known, const char *place, const json_t *value);

/* `place`: "General." */
static qn_status check_object(walk *w, const key *keys, const char *place, const json_t *object)
{
    const char *name;
    json_t *value;
    char inner[300];
    json_object_foreach((json_t *)object, name, value)
    {
        const key *known = keys;
        while (known->name && strcmp(known->name, name) != 0) known++;
        if (!known->name) return refuse_unknown(w, keys, place, name);
        snprintf(inner, sizeof inner, "%.200s%.60s", place, name);
        QN_TRY(check_value(w, known, inner, value));
    }
    return QN_OK;
}

static qn_status check_value(walk *w, const key *known, const char *place, const json_t *value)
{
    char inner[300];
    if (known->use == REFUSED)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s is set; expected %s", w->path, place, known->instead);
    if (known->use == OF_OTHERS && !json_is_null(value))
        if (!w->others.data || !strstr(w->others.data, place))
            QN_TRY(qn_text_append(&w->others, "%s%s", w->others.length ? ", " : "", place));
    if (!known->keys) return QN_OK;
    snprintf(inner, sizeof inner, "%.250s.", place);
    if (json_is_object(value)) return check_object(w, known->keys, inner, value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        snprintf(inner, sizeof inner, "%.250s[%zu].", place, i);
        const json_t *element = json_array_get(value, i);
        if (json_is_object(element)) QN_TRY(check_object(w, known->keys, inner, element));
    }
    return QN_OK;
}

qn_status qn_t1_check_keys(const char *path, const json_t *file)
{
    walk w = {.path = path};
    qn_status status = check_object(&w, root, "", file);
    if (status == QN_OK && w.others.length)
        qn_log(QN_LOG_NOTE, "%s: keys for other tuners are not used: %s", path, w.others.data);
    qn_text_clear(&w.others);
    return status;
}
