/* Reading T1 files. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/exchange/t1.h"
#include "tune/exchange/t1_keys.h"
#include "tune/exchange/t1_source.h"
#include "tune/recorded/builder.h"
#include "tune/space/space.h"

typedef struct reader {
    qn_t1 *t1;
    const json_t *root, *kernel;
    char *source; /* the kernel's text */
    const char *names[QN_SPACE_PARAMETERS_MAX];
    qn_expression_list lists[QN_SPACE_PARAMETERS_MAX + 1]; /* every parameter's values, and ProblemSize */
    qn_value problem_size[3];
    size_t list_count;
} reader;

static const char *const axes[3] = {"X", "Y", "Z"};

static qn_status bad(const reader *r, const char *place, const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: %s; expected %s", r->t1->path, place, expected);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* ---- Parameters ---- */

static qn_status check_type(const reader *r, const char *name, const char *type, const qn_value *value)
{
    bool right = strcmp(type, "float") == 0    ? value->kind == QN_REAL || value->kind == QN_INTEGER
                 : strcmp(type, "bool") == 0   ? value->kind == QN_BOOLEAN || value->kind == QN_INTEGER
                 : strcmp(type, "string") == 0 ? value->kind == QN_TEXT
                                               : value->kind == QN_INTEGER || value->kind == QN_BOOLEAN;
    char text[64];
    if (value->kind == QN_TEXT && strpbrk(value->as.text, " \t\n"))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: value \"%.40s\" of parameter %s holds blanks, which the compiler would split", r->t1->path,
                       value->as.text, name);
    if (right) return QN_OK;
    qn_value_format(value, text, sizeof text);
    return QN_FAIL(QN_BAD_FORMAT, "%s: value %s of parameter %s is not of its Type, %s", r->t1->path, text, name, type);
}

/* Read values: an expression, "[2**i for i in range(4, 10)]", or a JSON list. The caller releases them with
 * qn_release. */
static qn_status read_values(const reader *r, const char *name, const json_t *json, qn_expression **expression,
                             qn_value **values, size_t *count)
{
    char what[256];
    void *memory;
    if (json_is_array(json)) {
        const qn_recorded_space_builder builder = {.path = r->t1->path};
        *count = json_array_size(json);
        QN_TRY(qn_allocate(*count, sizeof **values, &memory));
        *values = memory;
        for (size_t i = 0; i < *count; i++)
            QN_TRY(qn_recorded_space_value(&builder, "Values", name, json_array_get(json, i), &(*values)[i]));
        return QN_OK;
    }
    snprintf(what, sizeof what, "%.150s: Values of parameter %.60s", r->t1->path, name);
    if (!json_is_string(json)) return bad(r, what, "an expression such as \"[16, 32, 64]\"");
    QN_TRY(qn_expression_create(json_string_value(json), what, NULL, 0, expression));
    return qn_expression_evaluate_list(*expression, NULL, values, count);
}

/* Find the default, the first value if the file states none. Some files state a list of one value. */
static qn_status find_default(const reader *r, const char *name, const json_t *parameter, const qn_value *values,
                              size_t count, qn_value *found)
{
    const json_t *json = json_object_get(parameter, "Default");
    const qn_recorded_space_builder builder = {.path = r->t1->path};
    char text[64];
    *found = values[0];
    if (json_is_array(json)) json = json_array_get(json, 0);
    if (!json) return QN_OK;
    QN_TRY(qn_recorded_space_value(&builder, "Default", name, json, found));
    for (size_t i = 0; i < count; i++)
        if (qn_value_equal(&values[i], found)) return QN_OK;
    qn_value_format(found, text, sizeof text);
    if (count == 1) { /* so in some published files */
        qn_log(QN_LOG_WARNING, "%s: Default %s of parameter %s is not its only value, which is used", r->t1->path, text,
               name);
        *found = values[0];
        return QN_OK;
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s: Default %s of parameter %s is not one of its Values", r->t1->path, text, name);
}

static qn_status read_parameter(const reader *r, size_t number, const json_t *parameter)
{
    const char *name = text_of(parameter, "Name"), *type = text_of(parameter, "Type");
    qn_expression *expression = NULL;
    qn_value *values = NULL;
    size_t count = 0;
    char place[64];
    snprintf(place, sizeof place, "tuning parameter %zu has no Name", number + 1);
    if (!name) return bad(r, place, "a text");
    qn_status status = read_values(r, name, json_object_get(parameter, "Values"), &expression, &values, &count);
    for (size_t i = 0; i < count && status == QN_OK; i++) status = check_type(r, name, type ? type : "int", &values[i]);
    if (status == QN_OK && count == 0)
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                              "%s: parameter %s has no values; expected at least one", r->t1->path, name);
    qn_value usual;
    if (status == QN_OK) status = find_default(r, name, parameter, values, count, &usual);
    if (status == QN_OK) status = qn_space_add(r->t1->space, name, values, count, usual);
    qn_release(&values);
    qn_expression_destroy(&expression);
    return status;
}

static qn_status read_space(reader *r)
{
    const json_t *configurations = json_object_get(r->root, "ConfigurationSpace");
    const json_t *parameters = json_object_get(configurations, "TuningParameters");
    const json_t *conditions = json_object_get(configurations, "Conditions");
    const char *key;
    json_t *value;
    QN_TRY(qn_space_create(r->t1->name, &r->t1->space));
    if (json_array_size(parameters) == 0)
        return bad(r, "no ConfigurationSpace.TuningParameters", "a list of parameters");
    for (size_t i = 0; i < json_array_size(parameters); i++)
        QN_TRY(read_parameter(r, i, json_array_get(parameters, i)));
    json_object_foreach(json_object_get(r->root, "BenchmarkConfig"), key, value)
    {
        size_t parameter;
        if (!json_is_number(value) || qn_space_find_parameter(r->t1->space, key, &parameter)) continue;
        QN_TRY(qn_space_set_constant(r->t1->space, key,
                                     json_is_integer(value) ? qn_value_integer(json_integer_value(value))
                                                            : qn_value_real(json_real_value(value))));
    }
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        const json_t *condition = json_array_get(conditions, i);
        const char *text = json_is_string(condition) ? json_string_value(condition) : text_of(condition, "Expression");
        char place[64];
        snprintf(place, sizeof place, "condition %zu has no Expression", i + 1);
        if (!text) return bad(r, place, "a text");
        QN_TRY(qn_space_add_constraint(r->t1->space, text));
    }
    qn_status status = qn_space_solve(r->t1->space);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "%s", r->t1->path);
}

/* ---- Geometry ---- */

static void set_names(reader *r)
{
    const qn_space *space = r->t1->space;
    r->list_count = 0;
    for (size_t i = 0; i < space->parameter_count; i++) {
        r->names[i] = space->parameters[i].name;
        r->lists[r->list_count++] =
            (qn_expression_list){space->parameters[i].name, space->parameters[i].values, space->parameters[i].count};
    }
    for (int i = 0; i < 3; i++) r->problem_size[i] = qn_value_integer(r->t1->problem_size[i]);
    r->lists[r->list_count++] = (qn_expression_list){"ProblemSize", r->problem_size, 3};
}

static qn_status read_expression(const reader *r, const char *place, const json_t *json, qn_expression **expression)
{
    char what[300], number[32];
    const char *text = json_string_value(json);
    if (json_is_integer(json)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(json));
        text = number;
    }
    if (!text) return bad(r, place, "an expression or a whole number");
    snprintf(what, sizeof what, "%.200s: %.80s", r->t1->path, place);
    return qn_expression_create_with_lists(text, what, r->names, r->t1->space->parameter_count, r->lists, r->list_count,
                                           expression);
}

static qn_status read_divisors(reader *r, int axis)
{
    char key[16];
    void *memory;
    snprintf(key, sizeof key, "GridDiv%s", axes[axis]);
    const json_t *list = json_object_get(r->kernel, key);
    size_t count = json_is_string(list) ? 1 : json_array_size(list);
    if (count == 0) return QN_OK;
    QN_TRY(qn_allocate(count, sizeof(qn_expression *), &memory));
    r->t1->divisors[axis] = memory;
    r->t1->by_divisors = true;
    for (size_t i = 0; i < count; i++, r->t1->divisor_counts[axis]++)
        QN_TRY(
            read_expression(r, key, json_is_string(list) ? list : json_array_get(list, i), &r->t1->divisors[axis][i]));
    return QN_OK;
}

static qn_status read_problem_size(reader *r)
{
    const json_t *sizes = json_object_get(r->kernel, "ProblemSize");
    for (size_t i = 0; i < 3; i++) {
        const json_t *size = json_array_get(sizes, i);
        r->t1->problem_size[i] = 1;
        if (!size) continue;
        if (!json_is_integer(size) || json_integer_value(size) < 1 || json_integer_value(size) > INT32_MAX)
            return bad(r, "ProblemSize", "positive whole numbers");
        r->t1->problem_size[i] = json_integer_value(size);
    }
    return QN_OK;
}

static qn_status read_geometry(reader *r)
{
    const json_t *local = json_object_get(r->kernel, "LocalSize"), *global = json_object_get(r->kernel, "GlobalSize");
    const char *type = text_of(r->kernel, "GlobalSizeType");
    r->t1->global_in_groups = type ? strcmp(type, "CUDA") == 0 : r->t1->cuda;
    if (type && strcmp(type, "CUDA") != 0 && strcmp(type, "OpenCL") != 0)
        return bad(r, "GlobalSizeType is unknown", "OpenCL (work-items) or CUDA (groups)");
    if (!json_object_get(local, "X")) return bad(r, "no LocalSize.X", "the work-items of a group");
    for (int d = 0; d < 3; d++) {
        char place[24];
        snprintf(place, sizeof place, "LocalSize.%s", axes[d]);
        const json_t *size = json_object_get(local, axes[d]);
        if (size) QN_TRY(read_expression(r, place, size, &r->t1->local[d]));
        snprintf(place, sizeof place, "GlobalSize.%s", axes[d]);
        size = json_object_get(global, axes[d]);
        if (size) QN_TRY(read_expression(r, place, size, &r->t1->global[d]));
        QN_TRY(read_divisors(r, d));
    }
    r->t1->by_divisors = r->t1->by_divisors && json_object_get(r->kernel, "ProblemSize");
    if (!r->t1->by_divisors && !r->t1->global[0])
        return bad(r, "neither GlobalSize.X nor ProblemSize with GridDivX", "one of them");
    return QN_OK;
}

/* ---- Arguments ---- */

static qn_status read_type(const reader *r, const char *place, const char *text, qn_t1_argument *argument)
{
    static const char *const names[] = {
        [QN_T1_INT8] = "int8",   [QN_T1_UINT8] = "uint8",   [QN_T1_INT16] = "int16",  [QN_T1_UINT16] = "uint16",
        [QN_T1_INT32] = "int32", [QN_T1_UINT32] = "uint32", [QN_T1_INT64] = "int64",  [QN_T1_UINT64] = "uint64",
        [QN_T1_HALF] = "half",   [QN_T1_FLOAT] = "float",   [QN_T1_DOUBLE] = "double"};
    static const char *const lanes[] = {"", "2", "4", "8", "16"};
    for (size_t type = 0; type < sizeof names / sizeof *names && text; type++) {
        size_t length = strlen(names[type]);
        if (strncmp(text, names[type], length) != 0) continue;
        for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
            if (strcmp(text + length, lanes[i]) == 0 && (i == 0 || type >= QN_T1_HALF)) {
                argument->type = (qn_t1_type)type;
                argument->lanes = (size_t)1 << i;
                return QN_OK;
            }
    }
    if (text && (strcmp(text, "int") == 0 || strcmp(text, "uint") == 0)) {
        argument->type = text[0] == 'u' ? QN_T1_UINT32 : QN_T1_INT32;
        argument->lanes = 1;
        return QN_OK;
    }
    char wrong[200];
    snprintf(wrong, sizeof wrong, "%.100s: Type \"%.40s\"", place, text ? text : "");
    return bad(r, wrong, "int8 … uint64, half, float or double, the last three also with 2, 4, 8 or 16");
}

static qn_status read_content(const reader *r, const char *place, const json_t *json, qn_t1_content *content)
{
    static const char *const fills[] = {"Constant", "Random", "Generator", "BinaryRaw"};
    const char *fill = text_of(json, "FillType"), *source = text_of(json, "DataSource");
    char wrong[200];
    size_t i = 0;
    while (fill && i < 4 && strcmp(fill, fills[i]) != 0) i++;
    snprintf(wrong, sizeof wrong, "%.100s: FillType \"%.40s\"", place, fill ? fill : "");
    if (i == 4) return bad(r, wrong, "Constant, Random, Generator or BinaryRaw");
    content->fill = (qn_t1_fill)i;
    const json_t *value = json_object_get(json, "FillValue");
    content->value = json_is_number(value) ? json_number_value(value) : content->fill == QN_T1_RANDOM ? 1 : 0;
    if (i < 2) return QN_OK;
    snprintf(wrong, sizeof wrong, "%.100s has no DataSource", place);
    if (!source) return bad(r, wrong, i == 2 ? "an expression of i" : "a file");
    return i == 2 ? qn_text_copy(source, &content->source) : qn_t1_path_beside(r->t1->path, source, &content->source);
}

/* Sizes cannot depend on the configuration: only parameters with one value may occur, or the lists of values of the
 * others. */
static qn_status read_size(const reader *r, const char *place, const json_t *json, qn_t1_argument *argument)
{
    const qn_space *space = r->t1->space;
    qn_expression *expression;
    qn_value values[QN_SPACE_PARAMETERS_MAX], size;
    char wrong[200];
    QN_TRY(read_expression(r, place, json, &expression));
    qn_status status = QN_OK;
    for (size_t i = 0; i < space->parameter_count && status == QN_OK; i++) {
        values[i] = space->parameters[i].values[0];
        if (!qn_expression_uses(expression, i) || space->parameters[i].count == 1) continue;
        snprintf(wrong, sizeof wrong, "%.90s depends on %.60s", place, space->parameters[i].name);
        status = bad(r, wrong, "a size for every configuration, such as max() of it");
    }
    if (status == QN_OK) status = qn_expression_evaluate(expression, values, &size);
    qn_expression_destroy(&expression);
    QN_TRY(status);
    double number = size.kind == QN_INTEGER ? (double)size.as.integer : size.kind == QN_REAL ? size.as.real : 0;
    if (!(number >= 1 && number <= 1e11) || number != floor(number)) return bad(r, place, "a positive whole number");
    argument->count = (size_t)number;
    return QN_OK;
}

/* AccessType is ReadOnly if the file states none. */
static qn_status read_access(const reader *r, const char *place, const char *access, qn_t1_argument *argument)
{
    char wrong[240];
    bool read_only = !access || strcmp(access, "ReadOnly") == 0, kept = access && strcmp(access, "ReadWrite") == 0;
    snprintf(wrong, sizeof wrong, "%.160s: AccessType \"%.40s\"", place, access ? access : "");
    if (!read_only && !kept && strcmp(access, "WriteOnly") != 0)
        return bad(r, wrong, "ReadOnly, WriteOnly or ReadWrite");
    argument->written = argument->vector && !read_only;
    argument->kept = argument->written && kept;
    return QN_OK;
}

static qn_status read_bound(const reader *r, const char *place, const json_t *json, const char *key, double *bound)
{
    char wrong[240];
    const json_t *value = json_object_get(json, key);
    if (!value) return QN_OK;
    snprintf(wrong, sizeof wrong, "%.160s: %.40s", place, key);
    if (!json_is_number(value) || !(json_number_value(value) >= 0)) return bad(r, wrong, "a number of at least 0");
    *bound = json_number_value(value);
    return QN_OK;
}

/* Read ValidationMethod and ValidationThreshold as KTT defines them, with its defaults, and our AbsoluteTolerance and
 * RelativeTolerance. */
static qn_status read_tolerance(const reader *r, const char *place, const json_t *json, qn_t1_argument *argument)
{
    static const char *const methods[] = {"SideBySideComparison", "SideBySideRelativeComparison", "AbsoluteDifference"};
    const double usual_threshold = 1e-4;
    const char *method = text_of(json, "ValidationMethod");
    qn_t1_tolerance *tolerance = &argument->tolerance;
    double threshold = -1;
    char wrong[240];
    size_t i = 0;
    QN_TRY(read_bound(r, place, json, "ValidationThreshold", &threshold));
    while (method && i < 3 && strcmp(method, methods[i]) != 0) i++;
    snprintf(wrong, sizeof wrong, "%.160s: ValidationMethod \"%.40s\"", place, method ? method : "");
    if (i == 3) return bad(r, wrong, "SideBySideComparison, SideBySideRelativeComparison or AbsoluteDifference");
    if (method && threshold < 0) threshold = usual_threshold;
    if (threshold >= 0)
        *tolerance = i == 1 ? (qn_t1_tolerance){.relative = threshold}
                            : (qn_t1_tolerance){.absolute = threshold, .of_sum = i == 2};
    bool given = threshold >= 0;
    double absolute = -1, relative = -1;
    QN_TRY(read_bound(r, place, json, "AbsoluteTolerance", &absolute));
    QN_TRY(read_bound(r, place, json, "RelativeTolerance", &relative));
    if (absolute < 0 && relative < 0) return QN_OK;
    if (given) return bad(r, place, "either ValidationThreshold or AbsoluteTolerance and RelativeTolerance");
    *tolerance = (qn_t1_tolerance){.absolute = fmax(absolute, 0), .relative = fmax(relative, 0)};
    return QN_OK;
}

static qn_status read_argument(reader *r, size_t number, const json_t *json)
{
    qn_t1_argument *argument = &r->t1->arguments[number];
    const char *memory = text_of(json, "MemoryType"), *name = text_of(json, "Name");
    char place[160], size_place[200];
    snprintf(place, sizeof place, "argument %zu%s%.80s", number + 1, name ? " " : "", name ? name : "");
    snprintf(size_place, sizeof size_place, "Size of %s", place);
    r->t1->argument_count++;
    argument->tolerance = (qn_t1_tolerance){.absolute = -1, .relative = -1};
    QN_TRY(qn_text_copy(name ? name : "", &argument->name));
    QN_TRY(read_type(r, place, text_of(json, "Type"), argument));
    argument->vector = memory && strcmp(memory, "Vector") == 0;
    if (!argument->vector && !(memory && strcmp(memory, "Scalar") == 0)) {
        char wrong[220];
        snprintf(wrong, sizeof wrong, "%s: MemoryType \"%.40s\"", place, memory ? memory : "");
        return bad(r, wrong, "Vector or Scalar");
    }
    QN_TRY(read_content(r, place, json, &argument->content));
    argument->count = 1;
    if (argument->vector) QN_TRY(read_size(r, size_place, json_object_get(json, "Size"), argument));
    QN_TRY(read_access(r, place, text_of(json, "AccessType"), argument));
    QN_TRY(read_tolerance(r, place, json, argument));
    const json_t *output = json_object_get(json, "Output");
    argument->output = argument->written && (!output || json_is_true(output) || json_integer_value(output) != 0);
    bool small = argument->type <= QN_T1_UINT16 || argument->type == QN_T1_HALF || argument->lanes > 1;
    if (!argument->vector && (small || argument->content.fill != QN_T1_CONSTANT))
        return bad(r, place, "a scalar of int32 to uint64, float or double, and FillType Constant");
    return QN_OK;
}

static qn_status read_reference(reader *r, const json_t *json)
{
    const char *target = text_of(json, "TargetName");
    char place[120];
    void *memory;
    snprintf(place, sizeof place, "reference argument of \"%.60s\"", target ? target : "");
    for (size_t i = 0; i < r->t1->argument_count && target; i++) {
        qn_t1_argument *argument = &r->t1->arguments[i];
        if (strcmp(argument->name, target) != 0 || !argument->written || argument->reference) continue;
        QN_TRY(qn_allocate(1, sizeof *argument->reference, &memory));
        argument->reference = memory;
        argument->output = true;
        QN_TRY(read_tolerance(r, place, json, argument));
        return read_content(r, place, json, argument->reference);
    }
    return bad(r, place, "the name of an argument that the kernel writes");
}

static qn_status read_arguments(reader *r)
{
    const json_t *list = json_object_get(r->kernel, "Arguments");
    const json_t *references = json_object_get(r->kernel, "ReferenceArguments");
    size_t count = json_array_size(list);
    bool output = false;
    void *memory;
    if (count == 0 || count > QN_ARGUMENT_MAX) return bad(r, "KernelSpecification.Arguments", "1 to 24 arguments");
    QN_TRY(qn_allocate(count, sizeof *r->t1->arguments, &memory));
    r->t1->arguments = memory;
    for (size_t i = 0; i < count; i++) QN_TRY(read_argument(r, i, json_array_get(list, i)));
    for (size_t i = 0; i < json_array_size(references); i++) QN_TRY(read_reference(r, json_array_get(references, i)));
    for (size_t i = 0; i < count; i++) output |= r->t1->arguments[i].output;
    return output ? QN_OK : bad(r, "no argument is written", "AccessType WriteOnly or ReadWrite of one");
}

/* ---- The kernel ---- */

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !(isalnum((unsigned char)at[length]) || at[length] == '_')) return true;
    }
    return false;
}

static bool is_in_geometry(const qn_t1 *t1, size_t parameter)
{
    bool used = false;
    for (int d = 0; d < 3; d++) {
        used |= t1->local[d] && qn_expression_uses(t1->local[d], parameter);
        used |= t1->global[d] && qn_expression_uses(t1->global[d], parameter);
        for (size_t i = 0; i < t1->divisor_counts[d]; i++) used |= qn_expression_uses(t1->divisors[d][i], parameter);
    }
    return used;
}

/* A parameter that changes nothing is probably misspelt. Parameters with one value, and kernels that include other
 * files than those beside them, are not checked. */
static qn_status check_use(const reader *r)
{
    const qn_t1 *t1 = r->t1;
    if (!has_word(r->source, t1->kernel_name))
        return QN_FAIL(QN_BAD_FORMAT, "%s: there is no kernel %s in %s", t1->path, t1->kernel_name, t1->kernel_path);
    if (strstr(r->source, "#include \"")) return QN_OK;
    for (size_t i = 0; i < t1->space->parameter_count; i++) {
        const qn_space_parameter *parameter = &t1->space->parameters[i];
        if (parameter->count == 1 || has_word(r->source, parameter->name) || is_in_geometry(t1, i)) continue;
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: parameter %s is used neither in %s nor for a launch size; expected its name there",
                       t1->path, parameter->name, t1->kernel_path);
    }
    return QN_OK;
}

static qn_status read_options(reader *r)
{
    const json_t *list = json_object_get(r->kernel, "CompilerOptions");
    qn_text options = {0};
    qn_status status = qn_text_append(&options, r->t1->cuda ? "--fmad=true" : "");
    for (size_t i = 0; i < json_array_size(list) && status == QN_OK; i++) {
        const char *option = json_string_value(json_array_get(list, i));
        bool for_cpp = option && !r->t1->cuda && strstr(option, "c++"); /* a CUDA option in some OpenCL problems */
        if (option && !for_cpp) status = qn_text_append(&options, " %s", option);
    }
    r->t1->options = options.data;
    return status;
}

/* The limits of the tuning that the file states; of several of one kind, the smallest. */
static qn_status read_budget(reader *r)
{
    const json_t *list = json_object_get(r->root, "Budget");
    if (list && !json_is_array(list)) return bad(r, "Budget", "a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *limit = json_array_get(list, i), *value = json_object_get(limit, "BudgetValue");
        const char *type = text_of(limit, "Type");
        double number = json_number_value(value);
        char wrong[120];
        snprintf(wrong, sizeof wrong, "Budget[%zu].BudgetValue", i);
        if (!json_is_number(value) || !(number > 0 && number <= 1e15)) return bad(r, wrong, "a number above 0");
        if (type && strcmp(type, "TuningDuration") == 0)
            r->t1->seconds = r->t1->seconds > 0 ? fmin(r->t1->seconds, number) : number;
        else if (type && strcmp(type, "ConfigurationCount") == 0)
            r->t1->tests = r->t1->tests > 0 && (double)r->t1->tests < number ? r->t1->tests : (uint64_t)ceil(number);
        else if (type && strcmp(type, "ConfigurationFraction") == 0)
            r->t1->fraction = r->t1->fraction > 0 ? fmin(r->t1->fraction, number) : number;
        else {
            snprintf(wrong, sizeof wrong, "Budget[%zu].Type \"%.40s\"", i, type ? type : "");
            return bad(r, wrong, "TuningDuration (seconds), ConfigurationCount or ConfigurationFraction");
        }
    }
    return QN_OK;
}

/* Our addition to the format: a kernel that computes the reference. */
static qn_status read_reference_kernel(reader *r)
{
    const json_t *kernel = json_object_get(r->kernel, "ReferenceKernel");
    const json_t *local = json_object_get(kernel, "LocalSize"), *global = json_object_get(kernel, "GlobalSize");
    const char *name = text_of(kernel, "KernelName"), *file = text_of(kernel, "KernelFile");
    if (!kernel) return QN_OK;
    if (!name || !json_object_get(local, "X") || !json_object_get(global, "X"))
        return bad(r, "ReferenceKernel", "KernelName, LocalSize.X and GlobalSize.X");
    QN_TRY(qn_text_copy(name, &r->t1->reference_kernel));
    if (!file) file = text_of(r->kernel, "KernelFile");
    QN_TRY(qn_t1_path_beside(r->t1->path, file, &r->t1->reference_path));
    for (int d = 0; d < 3; d++) {
        char place[40];
        const json_t *size = json_object_get(local, axes[d]);
        snprintf(place, sizeof place, "ReferenceKernel.LocalSize.%s", axes[d]);
        if (size) QN_TRY(read_expression(r, place, size, &r->t1->reference_local[d]));
        size = json_object_get(global, axes[d]);
        snprintf(place, sizeof place, "ReferenceKernel.GlobalSize.%s", axes[d]);
        if (size) QN_TRY(read_expression(r, place, size, &r->t1->reference_global[d]));
    }
    return QN_OK;
}

static qn_status read_kernel(reader *r)
{
    const char *language = text_of(r->kernel, "Language"), *file = text_of(r->kernel, "KernelFile");
    const char *kernel = text_of(r->kernel, "KernelName");
    if (!language || (strcmp(language, "CUDA") != 0 && strcmp(language, "OpenCL") != 0))
        return bad(r, "KernelSpecification.Language", "OpenCL or CUDA");
    if (!file || !kernel) return bad(r, "no KernelFile or no KernelName", "both");
    const json_t *local = json_object_get(r->kernel, "SharedMemory");
    if (local && !json_is_null(local) && !(json_is_number(local) && json_number_value(local) == 0))
        return bad(r, "SharedMemory", "0, because memory that is sized at the launch is not supported");
    r->t1->cuda = language[0] == 'C';
    QN_TRY(qn_text_copy(kernel, &r->t1->kernel_name));
    QN_TRY(qn_t1_path_beside(r->t1->path, file, &r->t1->kernel_path));
    QN_TRY(read_options(r));
    QN_TRY(read_problem_size(r));
    QN_TRY(read_space(r));
    set_names(r);
    QN_TRY(read_geometry(r));
    QN_TRY(read_arguments(r));
    QN_TRY(read_reference_kernel(r));
    QN_TRY(read_budget(r));
    qn_status status = qn_t1_source_read(r->t1->kernel_path, &r->source);
    if (status != QN_OK) return qn_error_add_context(status, "%s: KernelFile", r->t1->path);
    return check_use(r);
}

static qn_status read_all(reader *r)
{
    const char *name = text_of(json_object_get(r->root, "General"), "BenchmarkName");
    r->kernel = json_object_get(r->root, "KernelSpecification");
    if (!json_is_object(r->kernel)) return bad(r, "no KernelSpecification", "a T1 tuning problem");
    QN_TRY(qn_t1_check_keys(r->t1->path, r->root));
    if (!name) name = text_of(r->kernel, "BenchmarkName");
    QN_TRY(qn_text_copy(name ? name : qn_path_name(r->t1->path), &r->t1->name));
    return read_kernel(r);
}

qn_status qn_t1_read_memory(const char *path, const char *data, size_t size, qn_t1 **problem)
{
    reader r = {0};
    json_error_t error;
    void *memory;
    *problem = NULL;
    json_t *root = json_loadb(data, size, 0, &error);
    if (!root) return QN_FAIL(QN_BAD_FORMAT, "%s:%d: no JSON: %s", path, error.line, error.text);
    r.root = root;
    qn_status status = qn_allocate(1, sizeof *r.t1, &memory);
    if (status == QN_OK) {
        r.t1 = memory;
        status = qn_text_copy(path, &r.t1->path);
    }
    if (status == QN_OK) status = read_all(&r);
    json_decref(root);
    qn_release(&r.source);
    if (status == QN_OK)
        *problem = r.t1;
    else
        qn_t1_destroy(&r.t1);
    return status == QN_INVALID_ARGUMENT ? QN_BAD_FORMAT : status;
}

qn_status qn_t1_read(const char *path, qn_t1 **problem)
{
    char *data;
    size_t size;
    *problem = NULL;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = qn_t1_read_memory(path, data, size, problem);
    qn_release(&data);
    return status;
}

static void release_content(qn_t1_content *content)
{
    if (content) qn_release(&content->source);
}

void qn_t1_destroy(qn_t1 **problem)
{
    qn_t1 *t1 = *problem;
    if (!t1) return;
    for (size_t i = 0; i < t1->argument_count; i++) {
        qn_release(&t1->arguments[i].name);
        release_content(&t1->arguments[i].content);
        release_content(t1->arguments[i].reference);
        qn_release(&t1->arguments[i].reference);
    }
    qn_release(&t1->arguments);
    for (int d = 0; d < 3; d++) {
        qn_expression_destroy(&t1->local[d]);
        qn_expression_destroy(&t1->global[d]);
        qn_expression_destroy(&t1->reference_local[d]);
        qn_expression_destroy(&t1->reference_global[d]);
        for (size_t i = 0; i < t1->divisor_counts[d]; i++) qn_expression_destroy(&t1->divisors[d][i]);
        qn_release(&t1->divisors[d]);
    }
    qn_space_destroy(&t1->space);
    qn_release(&t1->path);
    qn_release(&t1->name);
    qn_release(&t1->kernel_name);
    qn_release(&t1->kernel_path);
    qn_release(&t1->reference_kernel);
    qn_release(&t1->reference_path);
    qn_release(&t1->options);
    qn_release(problem);
}

/* ---- A point's launch ---- */

static qn_status positive(const qn_t1 *t1, const qn_expression *expression, const qn_value *values, size_t *size)
{
    qn_value value;
    *size = 1;
    if (!expression) return QN_OK;
    QN_TRY(qn_expression_evaluate(expression, values, &value));
    double number = value.kind == QN_INTEGER ? (double)value.as.integer : value.kind == QN_REAL ? value.as.real : 0;
    if (!(number >= 1 && number <= 1e12) || number != floor(number))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s: \"%.100s\" is %g for this configuration; expected a positive whole number", t1->path,
                       qn_expression_text(expression), number);
    *size = (size_t)number;
    return QN_OK;
}

/* Groups along an axis: ProblemSize / the divisors. Without divisors the divisor is block_size_x, as in Kernel Tuner,
 * if that is a parameter. */
static qn_status divided(const qn_t1 *t1, int axis, const qn_value *values, size_t *groups)
{
    static const char *const usual[3] = {"block_size_x", "block_size_y", "block_size_z"};
    size_t divisor = 1, one, parameter;
    for (size_t i = 0; i < t1->divisor_counts[axis]; i++) {
        QN_TRY(positive(t1, t1->divisors[axis][i], values, &one));
        divisor *= one;
    }
    if (t1->divisor_counts[axis] == 0 && qn_space_find_parameter(t1->space, usual[axis], &parameter) &&
        values[parameter].kind == QN_INTEGER && values[parameter].as.integer > 0)
        divisor = (size_t)values[parameter].as.integer;
    *groups = ((size_t)t1->problem_size[axis] + divisor - 1) / divisor;
    return QN_OK;
}

static void values_of(const qn_t1 *t1, qn_point point, qn_value values[QN_SPACE_PARAMETERS_MAX])
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(t1->space, point, numbers);
    for (size_t i = 0; i < t1->space->parameter_count; i++) values[i] = t1->space->parameters[i].values[numbers[i]];
}

/* Set the size along an axis from the number of groups or of work-items. */
static qn_status set_items(const qn_t1 *t1, int axis, size_t count, bool groups, qn_geometry *geometry)
{
    geometry->items[axis] = groups ? count * geometry->group[axis] : count;
    if (geometry->items[axis] % geometry->group[axis] == 0) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %zu work-items in groups of %zu along %s; expected a multiple", t1->path,
                   geometry->items[axis], geometry->group[axis], axes[axis]);
}

qn_status qn_t1_geometry(const qn_t1 *t1, qn_point point, qn_geometry *geometry)
{
    qn_value values[QN_SPACE_PARAMETERS_MAX];
    values_of(t1, point, values);
    for (int d = 0; d < 3; d++) {
        size_t count;
        QN_TRY(positive(t1, t1->local[d], values, &geometry->group[d]));
        if (t1->by_divisors)
            QN_TRY(divided(t1, d, values, &count));
        else
            QN_TRY(positive(t1, t1->global[d], values, &count));
        QN_TRY(set_items(t1, d, count, t1->by_divisors || t1->global_in_groups, geometry));
    }
    return QN_OK;
}

qn_status qn_t1_reference_geometry(const qn_t1 *t1, qn_point point, qn_geometry *geometry)
{
    qn_value values[QN_SPACE_PARAMETERS_MAX];
    values_of(t1, point, values);
    for (int d = 0; d < 3; d++) {
        size_t count;
        QN_TRY(positive(t1, t1->reference_local[d], values, &geometry->group[d]));
        QN_TRY(positive(t1, t1->reference_global[d], values, &count));
        QN_TRY(set_items(t1, d, count, t1->global_in_groups, geometry));
    }
    return QN_OK;
}
