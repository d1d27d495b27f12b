/* Running T1 problems: the user's kernel as a family without prelude or tunables; a configuration is definitions. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/exchange/t1.h"
#include "tune/space/space.h"

enum { TRIED_FOR_REFERENCE = 50 };
/* A float result is right within this part of its reference and of the largest reference value. */
static const double relative_tolerance = 1e-4, absolute_tolerance = 1e-6;

struct qn_t1_target {
    const qn_t1 *t1;
    qn_queue *queue;
    char *source;
    qn_family family;
    qn_kernel_declaration kernel;
    qn_argument_declaration declarations[QN_ARGUMENT_MAX];
    qn_argument arguments[QN_ARGUMENT_MAX];
    void *contents[QN_ARGUMENT_MAX];   /* content of written vectors before a run */
    void *references[QN_ARGUMENT_MAX]; /* expected values of outputs */
    qn_geometry geometry;              /* of the configuration that is set */
    char *definitions;
};

static size_t element_size(const qn_t1_argument *argument)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return sizes[argument->type] * argument->lanes;
}

/* ---- Contents ---- */

static void store(qn_t1_type type, void *bytes, size_t place, double value)
{
    switch (type) {
    case QN_T1_INT8: ((int8_t *)bytes)[place] = (int8_t)(int64_t)value; break;
    case QN_T1_UINT8: ((uint8_t *)bytes)[place] = (uint8_t)(int64_t)value; break;
    case QN_T1_INT16: ((int16_t *)bytes)[place] = (int16_t)(int64_t)value; break;
    case QN_T1_UINT16: ((uint16_t *)bytes)[place] = (uint16_t)(int64_t)value; break;
    case QN_T1_INT32: ((int32_t *)bytes)[place] = (int32_t)(int64_t)value; break;
    case QN_T1_UINT32: ((uint32_t *)bytes)[place] = (uint32_t)(int64_t)value; break;
    case QN_T1_INT64: ((int64_t *)bytes)[place] = (int64_t)value; break;
    case QN_T1_UINT64: ((uint64_t *)bytes)[place] = (uint64_t)(int64_t)value; break;
    case QN_T1_HALF: ((uint16_t *)bytes)[place] = 0; break;
    case QN_T1_FLOAT: ((float *)bytes)[place] = (float)value; break;
    case QN_T1_DOUBLE: ((double *)bytes)[place] = value; break;
    }
}

static uint64_t mix(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static qn_status generate(const qn_t1 *t1, const qn_t1_argument *argument, const qn_t1_content *content, void *bytes)
{
    static const char *const names[] = {"i"};
    qn_expression *expression;
    char what[300];
    qn_status status = QN_OK;
    snprintf(what, sizeof what, "%.200s: DataSource of %.60s", t1->path, argument->name);
    QN_TRY(qn_expression_create(content->source, what, names, 1, &expression));
    for (size_t i = 0; i < argument->count * argument->lanes && status == QN_OK; i++) {
        qn_value number = qn_value_integer((int64_t)i), value = {0};
        status = qn_expression_evaluate(expression, &number, &value);
        double real = value.kind == QN_REAL      ? value.as.real
                      : value.kind == QN_INTEGER ? (double)value.as.integer
                                                 : (double)value.as.boolean;
        if (status == QN_OK && value.kind == QN_TEXT)
            status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s gives a text; expected numbers", what);
        else if (status == QN_OK)
            store(argument->type, bytes, i, real);
    }
    qn_expression_destroy(&expression);
    return status;
}

static qn_status load(const qn_t1 *t1, const qn_t1_argument *argument, const qn_t1_content *content, void *bytes)
{
    char *data;
    size_t size, wanted = argument->count * element_size(argument);
    qn_status status = qn_file_read(content->source, &data, &size);
    if (status != QN_OK) return qn_error_add_context(status, "%s: DataSource of %s", t1->path, argument->name);
    if (size == wanted) memcpy(bytes, data, size);
    qn_release(&data);
    if (size == wanted) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: %s has %zu bytes; expected the %zu of argument %s", t1->path, content->source,
                   size, wanted, argument->name);
}

static qn_status make_content(const qn_t1 *t1, const qn_t1_argument *argument, const qn_t1_content *content,
                              uint64_t seed, void **bytes)
{
    size_t lanes = argument->count * argument->lanes;
    bool whole = argument->type < QN_T1_HALF;
    QN_TRY(qn_allocate(argument->count, element_size(argument), bytes));
    if (content->fill == QN_T1_GENERATOR) return generate(t1, argument, content, *bytes);
    if (content->fill == QN_T1_FILE) return load(t1, argument, content, *bytes);
    for (size_t i = 0; i < lanes; i++) {
        double random = (double)(mix(seed + i) >> 11) * 0x1p-53;
        double value = content->fill == QN_T1_CONSTANT ? content->value : random * (content->value + whole);
        store(argument->type, *bytes, i, whole ? floor(value) : value);
    }
    return QN_OK;
}

/* Make a scalar argument. A double is passed as the bytes of an int64. */
static qn_argument scalar(const qn_t1_argument *argument)
{
    double value = argument->content.value;
    qn_argument made;
    switch (argument->type) {
    case QN_T1_INT32: return qn_argument_int32((int32_t)value);
    case QN_T1_UINT32: return qn_argument_uint32((uint32_t)(int64_t)value);
    case QN_T1_FLOAT: return qn_argument_float32((float)value);
    case QN_T1_DOUBLE:
        made = qn_argument_int64(0);
        memcpy(&made.value.int64, &value, sizeof value);
        return made;
    default: return qn_argument_int64((int64_t)value);
    }
}

static qn_status make_argument(qn_t1_target *target, size_t number, uint64_t seed)
{
    const qn_t1_argument *argument = &target->t1->arguments[number];
    qn_argument_declaration *declared = &target->declarations[number];
    size_t bytes = argument->count * element_size(argument);
    qn_buffer *buffer;
    declared->name = argument->name;
    if (!argument->vector) {
        target->arguments[number] = scalar(argument);
        declared->access = QN_VALUE;
        declared->element = target->arguments[number].element;
        return QN_OK;
    }
    declared->access = argument->written ? QN_INOUT : QN_IN; /* a configuration may leave parts unchanged */
    declared->element = QN_BYTES;
    QN_TRY(make_content(target->t1, argument, &argument->content, mix(seed) + ((uint64_t)number << 40),
                        &target->contents[number]));
    QN_TRY(qn_buffer_create(qn_queue_device(target->queue), bytes, &buffer));
    target->arguments[number] = qn_argument_buffer(buffer);
    QN_TRY(qn_queue_write(target->queue, buffer, 0, target->contents[number], bytes, NULL));
    QN_TRY(qn_queue_finish(target->queue));
    if (!argument->written) qn_release(&target->contents[number]);
    if (argument->reference)
        QN_TRY(make_content(target->t1, argument, argument->reference, 0, &target->references[number]));
    return QN_OK;
}

/* ---- The source ---- */

static const char *find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
            !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return at;
    return NULL;
}

/* Return the place for `extern "C"`, with which a CUDA kernel keeps its name: before the __global__ of its definition.
 * NULL if the kernel has it already, or if there is no such definition. */
static const char *place_of_linkage(const char *text, const char *kernel)
{
    const char *place = NULL;
    for (const char *name = text; (name = find_word(name, kernel)); name += strlen(kernel)) {
        const char *global = NULL;
        for (const char *at = text; (at = find_word(at, "__global__")) && at < name; at++) global = at;
        if (global && strcspn(global, ";{}") >= (size_t)(name - global)) {
            place = global;
            break;
        }
    }
    if (!place) return NULL;
    const char *begin = place; /* of this declaration */
    while (begin > text && !strchr(";}\n", begin[-1])) begin--;
    return strstr(begin, "\"C\"") && strstr(begin, "\"C\"") < place ? NULL : place;
}

static qn_status make_source(qn_t1_target *target)
{
    char *data;
    size_t size;
    qn_text text = {0};
    QN_TRY(qn_file_read(target->t1->kernel_path, &data, &size));
    const char *place = target->t1->cuda ? place_of_linkage(data, target->t1->kernel_name) : NULL;
    qn_status status = qn_text_append(&text, "#define kernel_tuner 1\n#line 1 \"%s\"\n", target->t1->kernel_path);
    if (status == QN_OK && place) status = qn_text_append_bytes(&text, data, (size_t)(place - data));
    if (status == QN_OK && place) status = qn_text_append(&text, "extern \"C\" ");
    if (status == QN_OK) status = qn_text_append(&text, "%s", place ? place : data);
    qn_release(&data);
    target->source = text.data;
    return status;
}

static qn_geometry geometry_of_target(const qn_configuration *configuration, const void *problem)
{
    (void)configuration;
    return *(const qn_geometry *)problem;
}

static void make_family(qn_t1_target *target)
{
    target->kernel = (qn_kernel_declaration){.name = target->t1->kernel_name,
                                             .arguments = target->declarations,
                                             .argument_count = (int)target->t1->argument_count,
                                             .geometry = geometry_of_target};
    target->family = (qn_family){.name = target->t1->name,
                                 .source = target->source,
                                 .kernels = &target->kernel,
                                 .kernel_count = 1,
                                 .without_prelude = true,
                                 .compiler_options = target->t1->options};
}

/* ---- A configuration ---- */

static qn_status make_definitions(const qn_space *space, qn_point point, char **definitions)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_text text = {0};
    qn_status status = QN_OK;
    qn_space_get(space, point, numbers);
    for (size_t i = 0; i < space->parameter_count && status == QN_OK; i++) {
        const qn_value *value = &space->parameters[i].values[numbers[i]];
        char shown[160];
        if (value->kind == QN_BOOLEAN)
            snprintf(shown, sizeof shown, "%d", value->as.boolean);
        else
            qn_value_format(value, shown, sizeof shown);
        status = qn_text_append(&text, "%s%s=%s", i ? " " : "", space->parameters[i].name, shown);
    }
    *definitions = text.data;
    return status;
}

qn_status qn_t1_target_set(qn_t1_target *target, qn_point point)
{
    qn_release(&target->definitions);
    QN_TRY(make_definitions(target->t1->space, point, &target->definitions));
    return qn_t1_geometry(target->t1, point, &target->geometry);
}

static const qn_configuration no_tunables;

qn_status qn_t1_target_build(qn_t1_target *target)
{
    return qn_family_fits(&target->family, qn_queue_device(target->queue), &no_tunables, target->definitions,
                          &target->geometry);
}

void qn_t1_target_forget(qn_t1_target *target)
{
    qn_family_forget(&target->family, qn_queue_device(target->queue), &no_tunables);
}

static qn_status clear(void *state, qn_queue *queue)
{
    qn_t1_target *target = state;
    for (size_t i = 0; i < target->t1->argument_count; i++) {
        const qn_t1_argument *argument = &target->t1->arguments[i];
        if (target->contents[i])
            QN_TRY(qn_queue_write(queue, target->arguments[i].buffer, 0, target->contents[i],
                                  argument->count * element_size(argument), NULL));
    }
    return qn_queue_finish(queue);
}

static qn_status run(void *state, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    qn_t1_target *target = state;
    qn_event *event;
    (void)configuration;
    const qn_family_call call = {.arguments = target->arguments,
                                 .argument_count = (int)target->t1->argument_count,
                                 .problem = &target->geometry,
                                 .definitions = target->definitions,
                                 .configuration = &no_tunables};
    QN_TRY(qn_family_run(&target->family, queue, &call, &event));
    qn_status status = qn_event_wait(event);
    if (status == QN_OK && seconds) status = qn_event_seconds(event, seconds);
    qn_event_destroy(&event);
    return status;
}

/* Largest difference in units of the tolerance; infinite if whole numbers or bytes differ at all. */
static double compare(const qn_t1_argument *argument, const void *is, const void *reference)
{
    size_t lanes = argument->count * argument->lanes;
    bool single = argument->type == QN_T1_FLOAT;
    double largest = 0, worst = 0;
    if (!single && argument->type != QN_T1_DOUBLE)
        return memcmp(is, reference, argument->count * element_size(argument)) == 0 ? 0 : INFINITY;
    for (size_t i = 0; i < lanes; i++) {
        double wanted = single ? ((const float *)reference)[i] : ((const double *)reference)[i];
        if (fabs(wanted) > largest && isfinite(wanted)) largest = fabs(wanted);
    }
    for (size_t i = 0; i < lanes; i++) {
        double wanted = single ? ((const float *)reference)[i] : ((const double *)reference)[i];
        double got = single ? ((const float *)is)[i] : ((const double *)is)[i];
        double error = fabs(got - wanted), tolerance = relative_tolerance * fabs(wanted) + absolute_tolerance * largest;
        if (got == wanted || (isnan(got) && isnan(wanted))) continue;
        double units = tolerance > 0 ? error / tolerance : INFINITY;
        if (!(units <= worst)) worst = isnan(units) ? INFINITY : units;
    }
    return worst;
}

static qn_status read_output(const qn_t1_target *target, qn_queue *queue, size_t number, void **bytes)
{
    const qn_t1_argument *argument = &target->t1->arguments[number];
    size_t size = argument->count * element_size(argument);
    QN_TRY(qn_allocate(size, 1, bytes));
    QN_TRY(qn_queue_read(queue, target->arguments[number].buffer, 0, *bytes, size, NULL));
    return qn_queue_finish(queue);
}

static qn_status check(void *state, qn_queue *queue, double *largest_error)
{
    qn_t1_target *target = state;
    *largest_error = 0;
    for (size_t i = 0; i < target->t1->argument_count; i++) {
        void *is = NULL;
        if (!target->t1->arguments[i].output) continue;
        qn_status status = read_output(target, queue, i, &is);
        double error = status == QN_OK ? compare(&target->t1->arguments[i], is, target->references[i]) : 0;
        qn_release(&is);
        QN_TRY(status);
        if (error > *largest_error) *largest_error = error;
    }
    return QN_OK;
}

static void no_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    (void)sizes;
    text[0] = 0;
}

static void destroy(void **state)
{
    qn_t1_target *target = *state;
    qn_t1_target_destroy(&target);
    *state = NULL;
}

const qn_workload qn_t1_workload = {.name = "T1",
                                    .summary = "a kernel of the user's",
                                    .clear = clear,
                                    .run = run,
                                    .check = check,
                                    .problem_class = no_class,
                                    .destroy = destroy};

/* ---- The target ---- */

static qn_status run_for_reference(qn_t1_target *target, qn_point point)
{
    QN_TRY(qn_t1_target_set(target, point));
    QN_TRY(qn_t1_target_build(target));
    QN_TRY(clear(target, target->queue));
    QN_TRY(run(target, target->queue, NULL, NULL));
    for (size_t i = 0; i < target->t1->argument_count; i++) {
        if (!target->t1->arguments[i].output || target->references[i]) continue;
        QN_TRY(read_output(target, target->queue, i, &target->references[i]));
    }
    return QN_OK;
}

/* Make the references of outputs without expected values: the results of the default configuration or, if it does not
 * run, of the first configuration tried that does. */
static qn_status make_references(qn_t1_target *target)
{
    const qn_space *space = target->t1->space;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    bool lacking = false;
    qn_point usual;
    for (size_t i = 0; i < target->t1->argument_count; i++)
        lacking |= target->t1->arguments[i].output && !target->references[i];
    if (!lacking) return QN_OK;
    for (size_t i = 0; i < space->parameter_count; i++) numbers[i] = (uint16_t)space->parameters[i].usual;
    qn_status status = QN_INTERNAL;
    if (qn_space_find(space, numbers, &usual)) status = run_for_reference(target, usual);
    uint64_t most = qn_space_size(space) < TRIED_FOR_REFERENCE ? qn_space_size(space) : TRIED_FOR_REFERENCE;
    for (uint64_t i = 0; i < most && status != QN_OK && status != QN_DEVICE_LOST; i++)
        status = run_for_reference(target, qn_space_size(space) / most * i);
    if (status == QN_OK) return QN_OK;
    return qn_error_add_context(status, "%s: no configuration tried runs, so there is no reference result",
                                target->t1->path);
}

static qn_status fill_target(qn_t1_target *target, uint64_t seed)
{
    const qn_device_info *info = qn_device_get_info(qn_queue_device(target->queue));
    const char *wanted = target->t1->cuda ? "cuda" : "opencl", *inner = strchr(info->identifier, ':');
    bool fits = strcmp(info->driver, wanted) == 0 ||
                (strcmp(info->driver, "checking") == 0 && inner && strncmp(inner + 1, wanted, strlen(wanted)) == 0);
    if (!fits)
        return QN_FAIL(QN_UNSUPPORTED, "%s: the kernel is in %s and %s does not run that; expected a device %s:N",
                       target->t1->path, target->t1->cuda ? "CUDA" : "OpenCL", info->identifier, wanted);
    QN_TRY(make_source(target));
    make_family(target);
    for (size_t i = 0; i < target->t1->argument_count; i++) QN_TRY(make_argument(target, i, seed));
    return make_references(target);
}

qn_status qn_t1_target_create(const qn_t1 *problem, qn_queue *queue, uint64_t seed, qn_t1_target **target)
{
    void *memory;
    *target = NULL;
    QN_TRY(qn_allocate(1, sizeof **target, &memory));
    qn_t1_target *made = memory;
    made->t1 = problem;
    made->queue = queue;
    qn_status status = fill_target(made, seed);
    if (status == QN_OK)
        *target = made;
    else
        qn_t1_target_destroy(&made);
    return status;
}

void qn_t1_target_destroy(qn_t1_target **target)
{
    qn_t1_target *t = *target;
    if (!t) return;
    if (t->family.kernel_count) qn_t1_target_forget(t); /* the device must not keep a destroyed family's programs */
    for (size_t i = 0; i < QN_ARGUMENT_MAX; i++) {
        qn_buffer_release(&t->arguments[i].buffer);
        qn_release(&t->contents[i]);
        qn_release(&t->references[i]);
    }
    qn_release(&t->definitions);
    qn_release(&t->source);
    qn_release(target);
}
