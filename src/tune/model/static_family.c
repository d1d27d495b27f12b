/* The static model of a kernel family, from its declaration and the compiler's reports. */
#include "tune/model/static_family.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "expression/expression.h"
#include "runtime/constraint.h"
#include "tune/model/static_model.h"

static const double WORD_BYTES = 4;
static const double LOCAL_BYTES_MAX = 1 << 20; /* more than any device has */

/* A point that was built, with the columns from its compiler's report. */
typedef struct built {
    qn_point point;
    double columns[QN_STATIC_COLUMNS];
} built;

struct qn_static_family {
    const qn_family *family;
    const void *problem;
    const qn_device_info *device;
    const qn_space *space;
    qn_expression *local_limits[QN_CONSTRAINT_MAX]; /* the constraints that name local memory */
    int limit_count;
    built *built;
    size_t built_count, built_capacity;
};

/* Find the smallest local memory with which a constraint holds; 0 if it holds without local memory. */
static double least_local_bytes(const qn_static_family *of, const qn_expression *limit,
                                const qn_configuration *configuration)
{
    qn_device_info asked = *of->device;
    double low = -1, high = LOCAL_BYTES_MAX; /* holds at high, not at low */
    for (bool first = true; high - low > 1; first = false) {
        int64_t holds;
        double middle = first ? 0 : floor((low + high) / 2);
        asked.local_memory_bytes = (uint64_t)middle;
        if (qn_constraint_value(limit, of->family, configuration, &asked, &holds) != QN_OK) {
            qn_error_clear();
            return 0;
        }
        if (holds)
            high = middle;
        else
            low = middle;
    }
    return high < LOCAL_BYTES_MAX ? high : 0;
}

/* Assumptions: every group fills its local memory once, and every work-item computes addresses with this many
 * operations. */
static const double INTEGERS_PER_ITEM = 20;

/* Describe a launch of a kernel. resources NULL: not known. */
static void describe_kernel(const qn_kernel_declaration *kernel, const qn_configuration *configuration,
                            const void *problem, double local_bytes, const qn_kernel_resources *resources,
                            qn_static_launch *launch)
{
    qn_geometry geometry = kernel->geometry(configuration, problem);
    qn_work work = {0};
    if (kernel->work) kernel->work(problem, &work);
    if (resources && resources->local_bytes > 0) local_bytes = (double)resources->local_bytes;
    double items = 1, group = 1;
    for (int i = 0; i < 3; i++) {
        items *= (double)geometry.items[i];
        group *= (double)geometry.group[i];
    }
    *launch = (qn_static_launch){.groups = items / group,
                                 .group_items = group,
                                 .group_width = (double)geometry.group[0],
                                 .registers = resources ? resources->registers : 0,
                                 .private_bytes = resources ? (double)resources->private_bytes : 0,
                                 .local_bytes = local_bytes,
                                 .bytes_read = work.bytes_read,
                                 .bytes_written = work.bytes_written,
                                 .cache_bytes_read = fmax(work.bytes_read, items / group * local_bytes),
                                 .local_writes = items / group * local_bytes / WORD_BYTES,
                                 .local_reads = local_bytes > 0 ? work.multiply_adds : 0,
                                 .multiply_adds = work.multiply_adds,
                                 .integers = INTEGERS_PER_ITEM * items};
}

/* Compute the columns of a point. resources: of each kernel, or NULL. */
static void describe_point(const qn_static_family *of, qn_point point, const qn_kernel_resources *resources,
                           double columns[QN_STATIC_COLUMNS])
{
    const qn_configuration configuration = qn_tune_configuration(of->space, point);
    const qn_static_limits limits = qn_static_limits_of(of->device);
    double local_bytes = 0;
    for (int i = 0; i < of->limit_count; i++)
        local_bytes = fmax(local_bytes, least_local_bytes(of, of->local_limits[i], &configuration));
    memset(columns, 0, QN_STATIC_COLUMNS * sizeof *columns);
    for (int k = 0; k < of->family->kernel_count; k++) {
        qn_static_launch launch;
        double kernel[QN_STATIC_COLUMNS];
        describe_kernel(&of->family->kernels[k], &configuration, of->problem, local_bytes,
                        resources ? &resources[k] : NULL, &launch);
        qn_static_columns(&launch, &limits, kernel);
        qn_static_add(kernel, columns);
    }
}

/* Search from the end, because the best point is asked for most often and was built lately. */
static built *find_built(const qn_static_family *of, qn_point point)
{
    for (size_t i = of->built_count; i-- > 0;)
        if (of->built[i].point == point) return &of->built[i];
    return NULL;
}

static void predict(const void *user, qn_point point, double *columns)
{
    const qn_static_family *of = user;
    const built *known = find_built(of, point);
    if (known)
        memcpy(columns, known->columns, sizeof known->columns);
    else
        describe_point(of, point, NULL, columns);
}

qn_status qn_static_family_learn(qn_static_family *of, qn_point point, const qn_kernel_resources *resources)
{
    built *known = find_built(of, point);
    if (!known) {
        void *memory = of->built;
        QN_TRY(qn_grow(&memory, &of->built_capacity, of->built_count + 1, sizeof *of->built));
        of->built = memory;
        known = &of->built[of->built_count++];
    }
    known->point = point;
    describe_point(of, point, resources, known->columns);
    return QN_OK;
}

static void drop(void **user)
{
    qn_static_family *of = *user;
    if (!of) return;
    for (int i = 0; i < of->limit_count; i++) qn_expression_destroy(&of->local_limits[i]);
    qn_release(&of->built);
    qn_release(user);
}

static qn_status compile_limits(qn_static_family *of)
{
    for (int i = 0; i < of->family->constraint_count; i++) {
        const char *text = of->family->constraints[i];
        if (!strstr(text, "device.local_memory_bytes")) continue;
        QN_TRY(qn_constraint_compile(text, of->family, &of->local_limits[of->limit_count]));
        of->limit_count++;
    }
    return QN_OK;
}

qn_status qn_static_family_create(const qn_family *family, const void *problem, const qn_device_info *device,
                                  const qn_space *space, qn_static_family **out, qn_tuning_model **model)
{
    const char *names[QN_STATIC_COLUMNS];
    void *memory;
    *out = NULL;
    *model = NULL;
    for (int k = 0; k < family->kernel_count; k++)
        if (!family->kernels[k].geometry)
            return QN_FAIL(QN_UNSUPPORTED, "%s: kernel %s states no geometry", family->name, family->kernels[k].name);
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++) names[i] = qn_static_column(i);
    QN_TRY(qn_allocate(1, sizeof(qn_static_family), &memory));
    qn_static_family *of = memory;
    *of = (qn_static_family){.family = family, .problem = problem, .device = device, .space = space};
    qn_status status = compile_limits(of);
    if (status != QN_OK) {
        drop(&memory);
        return status;
    }
    QN_TRY(qn_tuning_model_from_function(space, names, QN_STATIC_COLUMNS, predict, of, drop, model));
    *out = of;
    return QN_OK;
}

qn_status qn_static_model_of_family(const qn_family *family, const void *problem, const qn_device_info *device,
                                    const qn_space *space, qn_tuning_model **model)
{
    const char *names[QN_STATIC_COLUMNS];
    double *columns = NULL;
    qn_static_family *of;
    qn_tuning_model *computed;
    const uint64_t size = qn_space_size(space);
    *model = NULL;
    for (size_t i = 0; i < QN_STATIC_COLUMNS; i++) names[i] = qn_static_column(i);
    QN_TRY(qn_static_family_create(family, problem, device, space, &of, &computed));
    qn_status status = qn_allocate(size * QN_STATIC_COLUMNS, sizeof *columns, (void **)&columns);
    for (qn_point point = 0; point < size && status == QN_OK; point++)
        describe_point(of, point, NULL, columns + point * QN_STATIC_COLUMNS);
    if (status == QN_OK) status = qn_tuning_model_from_table(space, names, QN_STATIC_COLUMNS, columns, model);
    qn_release(&columns);
    qn_tuning_model_destroy(&computed);
    return status;
}
