/* Running T1 problems: the user's kernel as a family without prelude or tunables; a configuration is definitions. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "tune/exchange/t1.h"
#include "tune/exchange/t1_outputs.h"
#include "tune/exchange/t1_source.h"
#include "tune/space/space.h"

/* Outputs hold these bytes before a run, unless they are kept: elements that are not written are found by them. As
 * floats and halves, 0xFF is no number. The second is for the second of the two runs that make a reference. */
enum { FILL = 0xff, SECOND_FILL = 0 };

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
    qn_point point;                    /* the configuration that is set, */
    qn_geometry geometry;              /* and its launch */
    char *definitions;
    char difference[QN_T1_DIFFERENCE_BYTES]; /* of the last check */
    /* the ReferenceKernel of the file */
    char *reference_source;
    qn_family reference_family;
    qn_kernel_declaration reference_kernel;
    qn_t1_phase phase; /* NULL: nobody watches */
    void *phase_user;
};

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
    size_t bytes = argument->count * qn_t1_element_size(argument);
    qn_buffer *buffer;
    declared->name = argument->name;
    if (!argument->vector) {
        target->arguments[number] = scalar(argument);
        declared->access = QN_VALUE;
        declared->element = target->arguments[number].element;
        return QN_OK;
    }
    declared->access = argument->written ? QN_INOUT : QN_IN; /* a wrong configuration may leave parts unchanged */
    declared->element = QN_BYTES;
    QN_TRY(qn_t1_content_make(target->t1, argument, &argument->content, qn_t1_mix(seed) + ((uint64_t)number << 40),
                              &target->contents[number]));
    QN_TRY(qn_buffer_create(qn_queue_device(target->queue), bytes, &buffer));
    target->arguments[number] = qn_argument_buffer(buffer);
    QN_TRY(qn_queue_write(target->queue, buffer, 0, target->contents[number], bytes, NULL));
    QN_TRY(qn_queue_finish(target->queue));
    if (!argument->written) qn_release(&target->contents[number]);
    if (argument->output && !argument->kept) memset(target->contents[number], FILL, bytes);
    if (argument->reference)
        QN_TRY(qn_t1_content_make(target->t1, argument, argument->reference, 0, &target->references[number]));
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

static qn_status make_source(const char *path, const char *kernel, bool cuda, char **source)
{
    char *data;
    qn_text text = {0};
    QN_TRY(qn_t1_source_read(path, &data));
    const char *place = cuda ? place_of_linkage(data, kernel) : NULL;
    qn_status status = qn_text_append(&text, "#define kernel_tuner 1\n");
    if (status == QN_OK && place) status = qn_text_append_bytes(&text, data, (size_t)(place - data));
    if (status == QN_OK && place) status = qn_text_append(&text, "extern \"C\" ");
    if (status == QN_OK) status = qn_text_append(&text, "%s", place ? place : data);
    qn_release(&data);
    *source = text.data;
    return status;
}

static qn_geometry geometry_of_target(const qn_configuration *configuration, const void *problem)
{
    (void)configuration;
    return *(const qn_geometry *)problem;
}

static void make_family(const qn_t1_target *target, const char *kernel_name, const char *source,
                        qn_kernel_declaration *kernel, qn_family *family)
{
    *kernel = (qn_kernel_declaration){.name = kernel_name,
                                      .arguments = target->declarations,
                                      .argument_count = (int)target->t1->argument_count,
                                      .geometry = geometry_of_target};
    *family = (qn_family){.name = target->t1->name,
                          .source = source,
                          .kernels = kernel,
                          .kernel_count = 1,
                          .without_prelude = true,
                          .compiler_options = target->t1->options};
}

static qn_status make_families(qn_t1_target *target)
{
    const qn_t1 *t1 = target->t1;
    QN_TRY(make_source(t1->kernel_path, t1->kernel_name, t1->cuda, &target->source));
    make_family(target, t1->kernel_name, target->source, &target->kernel, &target->family);
    if (!t1->reference_kernel) return QN_OK;
    QN_TRY(make_source(t1->reference_path, t1->reference_kernel, t1->cuda, &target->reference_source));
    make_family(target, t1->reference_kernel, target->reference_source, &target->reference_kernel,
                &target->reference_family);
    return QN_OK;
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
    target->point = point;
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

static qn_status fill(qn_t1_target *target, qn_queue *queue, int byte)
{
    for (size_t i = 0; i < target->t1->argument_count; i++) {
        const qn_t1_argument *argument = &target->t1->arguments[i];
        const size_t bytes = argument->count * qn_t1_element_size(argument);
        if (!target->contents[i]) continue;
        if (argument->output && !argument->kept) memset(target->contents[i], byte, bytes);
        QN_TRY(qn_queue_write(queue, target->arguments[i].buffer, 0, target->contents[i], bytes, NULL));
        QN_TRY(qn_queue_finish(queue));
    }
    return QN_OK;
}

static qn_status clear(void *state, qn_queue *queue)
{
    return fill(state, queue, FILL);
}

static qn_status launch(qn_t1_target *target, qn_queue *queue, const qn_family *family, const qn_geometry *geometry,
                        double *seconds)
{
    qn_event *event;
    const qn_family_call call = {.arguments = target->arguments,
                                 .argument_count = (int)target->t1->argument_count,
                                 .problem = geometry,
                                 .definitions = target->definitions,
                                 .configuration = &no_tunables};
    if (target->phase) target->phase(target->phase_user, true);
    qn_status status = qn_family_run(family, queue, &call, &event);
    if (status == QN_OK) {
        status = qn_event_wait(event);
        if (status == QN_OK && seconds) status = qn_event_seconds(event, seconds);
        qn_event_destroy(&event);
    }
    if (target->phase) target->phase(target->phase_user, false);
    return status;
}

static qn_status run(void *state, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    qn_t1_target *target = state;
    (void)configuration;
    return launch(target, queue, &target->family, &target->geometry, seconds);
}

static qn_status read_output(const qn_t1_target *target, qn_queue *queue, size_t number, void **bytes)
{
    const qn_t1_argument *argument = &target->t1->arguments[number];
    size_t size = argument->count * qn_t1_element_size(argument);
    QN_TRY(qn_allocate(size, 1, bytes));
    QN_TRY(qn_queue_read(queue, target->arguments[number].buffer, 0, *bytes, size, NULL));
    return qn_queue_finish(queue);
}

static qn_status check(void *state, qn_queue *queue, double *largest_error)
{
    qn_t1_target *target = state;
    char words[QN_T1_DIFFERENCE_BYTES];
    *largest_error = 0;
    target->difference[0] = 0;
    for (size_t i = 0; i < target->t1->argument_count; i++) {
        void *is = NULL;
        if (!target->t1->arguments[i].output) continue;
        if (!target->references[i]) return QN_FAIL(QN_INTERNAL, "%s: there is no reference", target->t1->path);
        qn_status status = read_output(target, queue, i, &is);
        double error = status == QN_OK ? qn_t1_compare(&target->t1->arguments[i], is, target->references[i], words) : 0;
        qn_release(&is);
        QN_TRY(status);
        if (error <= *largest_error) continue;
        *largest_error = error;
        memcpy(target->difference, words, sizeof words);
    }
    return QN_OK;
}

const char *qn_t1_target_difference(const qn_t1_target *target)
{
    return target->difference;
}

void qn_t1_target_watch(qn_t1_target *target, qn_t1_phase phase, void *user)
{
    target->phase = phase;
    target->phase_user = user;
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

/* Run the kernel of the reference once, on outputs that hold `byte`, and read the outputs that lack a reference. */
static qn_status run_for_reference(qn_t1_target *target, int byte, void *outputs[QN_ARGUMENT_MAX])
{
    const qn_t1 *t1 = target->t1;
    QN_TRY(fill(target, target->queue, byte));
    if (t1->reference_kernel) {
        qn_geometry geometry;
        QN_TRY(qn_t1_reference_geometry(t1, target->point, &geometry));
        qn_status status = launch(target, target->queue, &target->reference_family, &geometry, NULL);
        if (status != QN_OK) return qn_error_add_context(status, "ReferenceKernel %s", t1->reference_kernel);
    } else {
        QN_TRY(launch(target, target->queue, &target->family, &target->geometry, NULL));
    }
    for (size_t i = 0; i < t1->argument_count; i++)
        if (t1->arguments[i].output && !target->references[i])
            QN_TRY(read_output(target, target->queue, i, &outputs[i]));
    return QN_OK;
}

static qn_status check_references(const qn_t1_target *target, void *first[QN_ARGUMENT_MAX],
                                  void *second[QN_ARGUMENT_MAX])
{
    const qn_t1 *t1 = target->t1;
    const char *unchanged = NULL;
    bool any = false;
    for (size_t i = 0; i < t1->argument_count; i++) {
        bool changed = false;
        if (!first[i]) continue;
        QN_TRY(qn_t1_check_reference(&t1->arguments[i], target->contents[i], first[i], second[i], FILL, SECOND_FILL,
                                     &changed));
        any |= changed;
        if (!changed) unchanged = t1->arguments[i].name;
    }
    if (!any) return QN_FAIL(QN_CHECK_FAILED, "it changes nothing in %s; expected results", unchanged);
    if (unchanged)
        qn_log(QN_LOG_WARNING, "%s: the kernel changes nothing in %s, so nothing in it is the right result", t1->path,
               unchanged);
    return QN_OK;
}

bool qn_t1_lacks_reference(const qn_t1 *t1)
{
    for (size_t i = 0; i < t1->argument_count; i++)
        if (t1->arguments[i].output && !t1->arguments[i].reference) return true;
    return false;
}

qn_status qn_t1_target_reference(qn_t1_target *target, qn_point point)
{
    void *first[QN_ARGUMENT_MAX] = {0}, *second[QN_ARGUMENT_MAX] = {0};
    for (size_t i = 0; i < QN_ARGUMENT_MAX; i++)
        if (i >= target->t1->argument_count || !target->t1->arguments[i].reference) qn_release(&target->references[i]);
    QN_TRY(qn_t1_target_set(target, point));
    if (!target->t1->reference_kernel) QN_TRY(qn_t1_target_build(target));
    qn_status status = run_for_reference(target, FILL, first);
    if (status == QN_OK) status = run_for_reference(target, SECOND_FILL, second);
    if (status == QN_OK) status = check_references(target, first, second);
    for (size_t i = 0; i < QN_ARGUMENT_MAX; i++) {
        qn_release(&second[i]);
        if (status == QN_OK && first[i])
            target->references[i] = first[i];
        else
            qn_release(&first[i]);
    }
    return status;
}

qn_status qn_t1_fits_device(const qn_t1 *t1, const qn_device *device)
{
    const qn_device_info *info = qn_device_get_info(device);
    const char *wanted = t1->cuda ? "cuda" : "opencl", *inner = strchr(info->identifier, ':');
    bool fits = strcmp(info->driver, wanted) == 0 ||
                (strcmp(info->driver, "checking") == 0 && inner && strncmp(inner + 1, wanted, strlen(wanted)) == 0);
    if (fits) return QN_OK;
    return QN_FAIL(QN_UNSUPPORTED, "%s: the kernel is in %s and %s does not run that; expected a device %s:N", t1->path,
                   t1->cuda ? "CUDA" : "OpenCL", info->identifier, wanted);
}

static qn_status fill_target(qn_t1_target *target, uint64_t seed)
{
    QN_TRY(qn_t1_fits_device(target->t1, qn_queue_device(target->queue)));
    QN_TRY(make_families(target));
    for (size_t i = 0; i < target->t1->argument_count; i++) QN_TRY(make_argument(target, i, seed));
    return QN_OK;
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
    /* the device must not keep a destroyed family's programs */
    if (t->family.kernel_count) qn_t1_target_forget(t);
    if (t->reference_family.kernel_count)
        qn_family_forget(&t->reference_family, qn_queue_device(t->queue), &no_tunables);
    for (size_t i = 0; i < QN_ARGUMENT_MAX; i++) {
        qn_buffer_release(&t->arguments[i].buffer);
        qn_release(&t->contents[i]);
        qn_release(&t->references[i]);
    }
    qn_release(&t->definitions);
    qn_release(&t->source);
    qn_release(&t->reference_source);
    qn_release(target);
}
