/* Families made at run time. A family of the library is a constant; these are made the same way from text, so that the
 * runtime, the tuner and the checking driver treat them alike. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fuse/program/parts.h"

int64_t qn_launch_groups(const qn_launch_sizes *launch, const qn_shape *shape)
{
    if (launch->dimensions == 0 || launch->is_single) return 1;
    const int64_t strip = launch->is_spread ? 1 : shape->strip;
    const int64_t block = launch->dimensions == 2 ? shape->panel : (int64_t)shape->group_x * shape->group_y * strip;
    const int64_t blocks = (launch->lines + block - 1) / block;
    return blocks < shape->parts ? blocks : shape->parts;
}

qn_shape qn_shape_of(const int values[QN_SHAPE_TUNABLES])
{
    return (qn_shape){values[QN_SHAPE_GROUP_X], values[QN_SHAPE_GROUP_Y], values[QN_SHAPE_ELEMENTS],
                      values[QN_SHAPE_TILE],    values[QN_SHAPE_PANEL],   values[QN_SHAPE_PARTS],
                      values[QN_SHAPE_STRIP],   values[QN_SHAPE_ROWS],    values[QN_SHAPE_VECTOR_WIDTH],
                      values[QN_SHAPE_TERMS]};
}

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    const qn_launch_sizes *launch = problem;
    const qn_shape shape = qn_shape_of(configuration->value);
    size_t groups = 0;
    for (const qn_launch_sizes *own = launch; own; own = own->joined) {
        *own->note = (qn_launch_note){qn_launch_groups(own, &shape), *configuration};
        groups += (size_t)own->note->groups;
    }
    const size_t x = (size_t)shape.group_x, y = (size_t)shape.group_y;
    if (launch->dimensions == 2) return (qn_geometry){{groups * x, y, 1}, {x, y, 1}};
    return (qn_geometry){{groups * x * y, 1, 1}, {x * y, 1, 1}};
}

static void work(const void *problem, qn_work *least)
{
    *least = ((const qn_launch_sizes *)problem)->work;
}

static qn_element element_of(const qn_emitted_argument *argument)
{
    switch (argument->kind) {
    case QN_EMITTED_STARTS:
    case QN_EMITTED_COLUMNS:
    case QN_EMITTED_PARTS:
    case QN_EMITTED_SIZE: return QN_INT32;
    case QN_EMITTED_STEP: return QN_INT64;
    default: return QN_FLOAT32;
    }
}

static void declare_kernel(qn_program *program, int kernel, qn_program_family *into)
{
    const qn_emitted_kernel *emitted = &program->emitted[kernel];
    qn_argument_declaration *arguments = into->arguments[kernel % QN_KERNEL_MAX];
    for (int i = 0; i < emitted->argument_count; i++)
        arguments[i] = (qn_argument_declaration){emitted->arguments[i].name, emitted->arguments[i].access,
                                                 element_of(&emitted->arguments[i]), 0};
    into->kernels[kernel % QN_KERNEL_MAX] = (qn_kernel_declaration){.name = emitted->name,
                                                                    .arguments = arguments,
                                                                    .argument_count = emitted->argument_count,
                                                                    .geometry = geometry,
                                                                    .work = work};
    into->family.kernel_count++;
}

/* ---- tunables ---- */

qn_emit_form qn_program_form(const qn_device_info *device)
{
    const bool is_host = strcmp(device->driver, "host") == 0 || qn_text_ends_in(device->identifier, ":host");
    return is_host ? QN_EMIT_LOOPS : QN_EMIT_GROUPS;
}

static bool runs_on_host(const qn_program *program)
{
    return qn_program_form(qn_device_get_info(program->device)) == QN_EMIT_LOOPS;
}

/* Values of a tunable, with its fallback among them; 0 ends them. */
static void declare_tunable(const char *name, const char *meaning, int fallback, const int *values, qn_tunable *into)
{
    bool has_fallback = false;
    *into = (qn_tunable){.name = name, .fallback = fallback, .meaning = meaning};
    for (int i = 0; values[i] > 0; i++) {
        bool is_new = true;
        for (int k = 0; k < into->value_count; k++) is_new = is_new && into->values[k] != values[i];
        if (is_new) into->values[into->value_count++] = values[i];
        has_fallback |= values[i] == fallback;
    }
    if (!has_fallback) into->values[into->value_count++] = fallback;
}

static const char *const tunable_words[QN_SHAPE_TUNABLES][2] = {
    [QN_SHAPE_GROUP_X] = {"GROUP_X", "work-items of a group along lines"},
    [QN_SHAPE_GROUP_Y] = {"GROUP_Y", "work-items of a group across lines"},
    [QN_SHAPE_ELEMENTS] = {"ELEMENTS", "elements of a work-item along a line"},
    [QN_SHAPE_TILE] = {"TILE", "lines between two sums over work-items"},
    [QN_SHAPE_PANEL] = {"PANEL", "lines of a group at a time"},
    [QN_SHAPE_PARTS] = {"PARTS", "groups, at most"},
    [QN_SHAPE_STRIP] = {"STRIP", "elements of a work-item in one dimension"},
    [QN_SHAPE_ROWS] = {"ROWS", "lines loaded before they are used"},
    [QN_SHAPE_VECTOR_WIDTH] = {"VECTOR_WIDTH", "elements side by side, 1 or 4"},
    [QN_SHAPE_TERMS] = {"TERMS", "elements of sparse rows that a work-item takes at once"}};

static void list_values(const qn_shape *shape, int values[QN_SHAPE_TUNABLES])
{
    values[QN_SHAPE_GROUP_X] = shape->group_x, values[QN_SHAPE_GROUP_Y] = shape->group_y;
    values[QN_SHAPE_ELEMENTS] = shape->elements, values[QN_SHAPE_TILE] = shape->tile;
    values[QN_SHAPE_PANEL] = shape->panel, values[QN_SHAPE_PARTS] = shape->parts;
    values[QN_SHAPE_STRIP] = shape->strip, values[QN_SHAPE_ROWS] = shape->rows;
    values[QN_SHAPE_VECTOR_WIDTH] = shape->vector_width, values[QN_SHAPE_TERMS] = shape->terms;
}

void qn_shape_tunables(const qn_shape *shape, qn_tunable *tunables)
{
    static const int none[] = {0};
    int values[QN_SHAPE_TUNABLES];
    list_values(shape, values);
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++)
        declare_tunable(tunable_words[i][0], tunable_words[i][1], values[i], none, &tunables[i]);
}

typedef int shape_values[QN_SHAPE_TUNABLES][8];

/* Declare the tunables with the shape alone, and with `values` those that are free. */
static void declare_values(const qn_shape *shape, const shape_values values, unsigned is_free, qn_tunable *tunables)
{
    qn_shape_tunables(shape, tunables);
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++)
        if (is_free >> i & 1)
            declare_tunable(tunable_words[i][0], tunable_words[i][1], tunables[i].fallback, values[i], &tunables[i]);
}

void qn_shape_choices(const qn_shape *shape, const qn_device_info *device, bool has_lines, bool has_sparse,
                      qn_tunable *tunables)
{
    enum {
        OF_LINES = 1 << QN_SHAPE_ELEMENTS | 1 << QN_SHAPE_TILE | 1 << QN_SHAPE_PANEL | 1 << QN_SHAPE_ROWS,
        OF_GROUPS = 1 << QN_SHAPE_GROUP_X | 1 << QN_SHAPE_GROUP_Y | 1 << QN_SHAPE_ROWS | 1 << QN_SHAPE_VECTOR_WIDTH |
                    1 << QN_SHAPE_TERMS
    };
    const int parts = shape->parts;
    const shape_values of_host = {[QN_SHAPE_ELEMENTS] = {256, 512, 1024, 2048, 4096, 8192},
                                  [QN_SHAPE_TILE] = {4, 8, 16, 32},
                                  [QN_SHAPE_PANEL] = {8, 16, 32, 64, 128, 256},
                                  [QN_SHAPE_PARTS] = {parts, parts / 2, parts / 4, 4 * parts, 16 * parts},
                                  [QN_SHAPE_STRIP] = {512, 2048, 8192, 32768}};
    const shape_values of_devices = {[QN_SHAPE_GROUP_X] = {32, 64, 128, 256, 512, 1024},
                                     [QN_SHAPE_GROUP_Y] = {1, 2, 4, 8, 16},
                                     [QN_SHAPE_ELEMENTS] = {4, 8, 16, 32},
                                     [QN_SHAPE_TILE] = {2, 4, 8, 16, 32},
                                     [QN_SHAPE_PANEL] = {16, 32, 64, 128, 256, 512},
                                     [QN_SHAPE_PARTS] = {2 * parts, parts, parts / 2, parts / 4},
                                     [QN_SHAPE_STRIP] = {1, 2, 4, 8, 16},
                                     [QN_SHAPE_ROWS] = {1, 2, 4, 8},
                                     [QN_SHAPE_VECTOR_WIDTH] = {1, 4},
                                     [QN_SHAPE_TERMS] = {1, 2, 4, 5, 8}};
    const bool is_host = qn_program_form(device) == QN_EMIT_LOOPS;
    unsigned is_free = (1U << QN_SHAPE_TUNABLES) - 1;
    if (is_host) is_free &= ~(unsigned)OF_GROUPS;
    if (!has_lines) is_free &= ~(unsigned)OF_LINES;
    if (!has_sparse) is_free &= ~(1U << QN_SHAPE_TERMS);
    declare_values(shape, is_host ? of_host : of_devices, is_free, tunables);
}

/* Tunables of implementations. */
static void declare_bodies(const qn_graph *graph, bool is_free, qn_program_family *into)
{
    const int count = qn_body_tunables(graph, into->bodies);
    for (int i = 0; i < count; i++) {
        const qn_body_tunable *body = &into->bodies[i];
        int values[QN_IMPLEMENTATION_VALUES_MAX + 1] = {0};
        for (int k = 0; is_free && k < body->of->value_count; k++) values[k] = body->of->values[k];
        declare_tunable(body->name, "of an implementation", body->choice, values,
                        &into->tunables[into->family.tunable_count++]);
    }
}

/* Values that are free in a run. The host's kernels are compiled for one shape; the number of groups is free there
 * too. */
static void declare_tunables(const qn_program *program, qn_program_family *into)
{
    const qn_shape *shape = &program->shape;
    const int panel = shape->panel, parts = shape->parts;
    const shape_values values = {[QN_SHAPE_GROUP_X] = {32, 64, 128, 256, 512, 1024},
                                 [QN_SHAPE_GROUP_Y] = {1, 2, 4, 8, 16},
                                 [QN_SHAPE_ELEMENTS] = {4, 8, 16, 32},
                                 [QN_SHAPE_TILE] = {2, 4, 8, 16, 32},
                                 [QN_SHAPE_PANEL] = {2 * panel, panel, panel / 2, panel / 4},
                                 [QN_SHAPE_PARTS] = {2 * parts, parts, parts / 2, parts / 4},
                                 [QN_SHAPE_STRIP] = {1, 2, 4, 8, 16},
                                 [QN_SHAPE_ROWS] = {1, 2, 4, 8},
                                 [QN_SHAPE_VECTOR_WIDTH] = {1, 4},
                                 [QN_SHAPE_TERMS] = {1, 2, 4, 5, 8}};
    const unsigned all = (1U << QN_SHAPE_TUNABLES) - 1, of_host = 1U << QN_SHAPE_PARTS;
    const unsigned is_free = !program->is_tunable ? 0 : runs_on_host(program) ? of_host : all;
    declare_values(shape, values, is_free, into->tunables);
    into->family.tunables = into->tunables;
    into->family.tunable_count = QN_SHAPE_TUNABLES;
    declare_bodies(program->plan->graph, is_free == all, into);
}

/* How often a word occurs in a kernel's text, which ends where the next one begins. */
static int count_in_kernel(const char *text, const char *word)
{
    const char *end = strstr(text, "\nKERNEL ");
    int count = 0;
    for (const char *at = strstr(text, word); at && (!end || at < end); at = strstr(at + 1, word)) count++;
    return count;
}

/* Local arrays of the kernel that needs most of each kind. */
void qn_shape_constraint(const char *text, char constraint[QN_SHAPE_CONSTRAINT_BYTES])
{
    int sums = 0, lines = 0, terms = 0;
    for (const char *at = strstr(text, "\nKERNEL "); at; at = strstr(at + 1, "\nKERNEL ")) {
        const int own_sums = count_in_kernel(at + 1, "_segments[PANEL"),
                  own_lines = count_in_kernel(at + 1, "_line[PANEL"),
                  own_terms = count_in_kernel(at + 1, "_terms[ITEMS * TERMS");
        sums = own_sums > sums ? own_sums : sums;
        lines = own_lines > lines ? own_lines : lines;
        terms = own_terms > terms ? own_terms : terms;
    }
    snprintf(constraint, QN_SHAPE_CONSTRAINT_BYTES,
             "4 * (%d * (GROUP_Y * TILE * (GROUP_X + 1) + PANEL * max(GROUP_X // 32, 1)) + %d * PANEL + "
             "GROUP_X * GROUP_Y * ((GROUP_Y > 1 ? ELEMENTS + 1 : 1) + %d * TERMS)) <= device.local_memory_bytes",
             sums, lines, terms);
}

const char *const qn_shape_constraints[QN_SHAPE_CONSTRAINTS] = {"GROUP_X * GROUP_Y <= device.largest_group",
                                                                "GROUP_X * GROUP_Y >= device.subgroup_size",
                                                                "ELEMENTS % VECTOR_WIDTH == 0",
                                                                "STRIP % VECTOR_WIDTH == 0",
                                                                "ROWS * ELEMENTS <= 64 || device.is_host",
                                                                "TILE >= ROWS"};

static qn_status declare_constraints(const qn_graph *graph, qn_program_family *into)
{
    qn_shape_constraint(into->source.data, into->local_memory);
    into->constraints[0] = into->local_memory;
    memcpy(into->constraints + 1, qn_shape_constraints, sizeof qn_shape_constraints);
    into->family.constraints = into->constraints;
    into->family.constraint_count = 1 + QN_SHAPE_CONSTRAINTS;
    for (int call = 0; call < graph->call_count; call++) {
        const char *conditions[QN_IMPLEMENTATION_CONDITIONS_MAX];
        const qn_call *own = &graph->calls[call];
        int count = 0;
        if (qn_body_is_first(graph, call))
            QN_TRY(qn_body_conditions(own->function, own->implementation, graph->arena, conditions, &count));
        for (int i = 0; i < count && into->family.constraint_count < 1 + QN_SHAPE_CONSTRAINTS + QN_BODY_NEEDS_MAX; i++)
            into->constraints[into->family.constraint_count++] = conditions[i];
    }
    return QN_OK;
}

int64_t qn_program_most_groups(const qn_program *program, int kernel)
{
    const qn_program_family *of = &program->families[kernel / QN_KERNEL_MAX];
    int values[QN_SHAPE_TUNABLES];
    list_values(&program->shape, values);
    for (int i = 0; i < QN_SHAPE_TUNABLES; i++)
        for (int k = 0; k < of->tunables[i].value_count; k++) {
            const int value = of->tunables[i].values[k];
            /* groups are the more, the less each has, and the more there may be */
            if (i == QN_SHAPE_PARTS ? value > values[i] : value < values[i]) values[i] = value;
        }
    const qn_shape least = {.group_x = values[QN_SHAPE_GROUP_X],
                            .group_y = values[QN_SHAPE_GROUP_Y],
                            .panel = values[QN_SHAPE_PANEL],
                            .parts = values[QN_SHAPE_PARTS],
                            .strip = values[QN_SHAPE_STRIP]};
    return qn_launch_groups(&program->launches[kernel], &least);
}

qn_status qn_program_note_configuration(qn_program *program, int kernel)
{
    qn_program_family *of = &program->families[kernel / QN_KERNEL_MAX];
    const qn_configuration *last = &program->notes[kernel].configuration;
    for (int i = 0; i < of->used_count; i++)
        if (memcmp(of->used[i].value, last->value, (size_t)of->family.tunable_count * sizeof *last->value) == 0)
            return QN_OK;
    QN_TRY(qn_grow((void **)&of->used, &of->used_capacity, (size_t)of->used_count + 1, sizeof *of->used));
    of->used[of->used_count++] = *last;
    return QN_OK;
}

/* ---- the host ---- */

extern const char qn_runtime_prelude_host_source[];

/* On the host a group is one work-item, so barriers have nothing to wait for, and local memory is the group's own. */
static const char host_words[] =
    "#define KERNEL static\n"
    "#define GROUP_LIMIT(x, y, z)\n"
    "#define LOCAL\n"
    "#define LOCAL_ID(d) 0\n"
    "#define GROUP_ID(d) ((d) == 0 ? group_index : 0)\n"
    "#define GROUP_COUNT(d) ((d) == 0 ? group_count : 1)\n"
    "#define LOCAL_BARRIER() ((void)0)\n"
    "static _Thread_local int group_index, group_count;\n"
    "typedef struct launch { void *const *arguments; const size_t *bytes; "
    "size_t items[3], group[3]; } launch;\n"
    "typedef int (*parallel)(const launch *, size_t, int (*)(size_t, int, void *), void *);\n"
    "parallel run_groups;\n";

static qn_status write_entry(const qn_emitted_kernel *kernel, qn_text *text)
{
    QN_TRY(qn_text_append(text,
                          "static int %s_group(size_t index, int worker, void *user)\n{\n"
                          "    const launch *of = user;\n    void *const *a = of->arguments;\n"
                          "    group_index = (int)index, group_count = (int)(of->items[0] / of->group[0]);\n    %s(",
                          kernel->name, kernel->name));
    for (int i = 0; i < kernel->argument_count; i++) {
        const qn_emitted_argument *own = &kernel->arguments[i];
        QN_TRY(qn_text_append(text, "%s", i > 0 ? ", " : ""));
        if (own->access != QN_VALUE)
            QN_TRY(qn_text_append(text, "a[%d]", i));
        else
            QN_TRY(qn_text_append(text, "*(const %s *)a[%d]", own->kind == QN_EMITTED_STEP ? "int64_t" : "int32_t", i));
    }
    return qn_text_append(text,
                          ");\n    return 0;\n}\nint %s_host(const launch *of)\n{\n"
                          "    return run_groups(of, of->items[0] / of->group[0], %s_group, (void *)of);\n}\n",
                          kernel->name, kernel->name);
}

qn_status qn_program_host_text(const qn_program *program, int family, qn_text *text)
{
    const qn_program_family *of = &program->families[family];
    for (int i = 0; i < of->family.tunable_count; i++)
        QN_TRY(qn_text_append(text, "#define %s %d\n", of->tunables[i].name, of->tunables[i].fallback));
    QN_TRY(qn_text_append(text, "#include <stddef.h>\n%s\n%s%s", qn_runtime_prelude_host_source, host_words,
                          of->source.data));
    for (int i = 0; i < of->family.kernel_count; i++)
        QN_TRY(write_entry(&program->emitted[family * QN_KERNEL_MAX + i], text));
    return QN_OK;
}

static qn_status make_host(qn_program *program, int family)
{
    qn_program_family *of = &program->families[family];
    qn_text text = {0};
    void *address;
    qn_status status = qn_program_host_text(program, family, &text);
    if (status == QN_OK) status = qn_native_open(text.data, of->name, &of->native);
    qn_text_clear(&text);
    QN_TRY(status);
    QN_TRY(qn_native_find(of->native, "run_groups", &address));
    *(void **)address = (void *)qn_host_parallel;
    for (int i = 0; i < of->family.kernel_count; i++) {
        char symbol[96];
        snprintf(symbol, sizeof symbol, "%s_host", of->kernels[i].name);
        QN_TRY(qn_native_find(of->native, symbol, &address));
        of->kernels[i].host = (qn_host_kernel)address;
    }
    return QN_OK;
}

/* ---- all of them ---- */

static qn_status make_family(qn_program *program, int family)
{
    qn_program_family *of = &program->families[family];
    const int first = family * QN_KERNEL_MAX;
    const qn_emit_form form = qn_program_form(qn_device_get_info(program->device));
    QN_TRY(qn_emit_header(program->plan->graph, form, &of->source));
    for (int k = first; k < program->plan->kernel_count && k < first + QN_KERNEL_MAX; k++) {
        QN_TRY(qn_emit_kernel(program->plan, k, form, &of->source, &program->emitted[k]));
        declare_kernel(program, k, of);
    }
    snprintf(of->name, sizeof of->name, "fuse/%.60s_%d", program->plan->graph->name, family + 1);
    of->family.name = of->name;
    of->family.source = of->source.data;
    of->family.kernels = of->kernels;
    declare_tunables(program, of);
    QN_TRY(declare_constraints(program->plan->graph, of));
    QN_TRY(qn_text_append(&program->text, "%s", of->source.data));
    return runs_on_host(program) ? make_host(program, family) : QN_OK;
}

qn_status qn_program_emit(const qn_plan *plan, qn_emit_form form, qn_text *text)
{
    qn_emitted_kernel emitted;
    QN_TRY(qn_emit_header(plan->graph, form, text));
    for (int k = 0; k < plan->kernel_count; k++) QN_TRY(qn_emit_kernel(plan, k, form, text, &emitted));
    return QN_OK;
}

qn_status qn_program_make_families(qn_program *program)
{
    program->family_count = (program->plan->kernel_count + QN_KERNEL_MAX - 1) / QN_KERNEL_MAX;
    for (int family = 0; family < program->family_count; family++) QN_TRY(make_family(program, family));
    return QN_OK;
}

void qn_program_clear_families(qn_program *program)
{
    for (int family = 0; family < program->family_count; family++) {
        qn_program_family *of = &program->families[family];
        for (int i = 0; i < of->used_count; i++) qn_family_forget(&of->family, program->device, &of->used[i]);
        qn_release(&of->used);
        qn_native_close(&of->native);
        qn_text_clear(&of->source);
    }
}
