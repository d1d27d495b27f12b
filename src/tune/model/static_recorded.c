#include "tune/model/static_recorded.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { PARAMETERS = 8, WARP = 32, BANKS = 32 };

typedef struct kernel {
    const char *parameters[PARAMETERS];
    void (*describe)(const double *values, qn_static_launch *launch); /* values in the order of the parameters */
} kernel;

/* Number of accesses that a warp's read is split into, for consecutive words in rows of `width`, `pitch` words apart:
 * the largest number of different words in one bank. */
static double conflicts(int width, int pitch)
{
    int words[WARP], banks[BANKS] = {0}, most = 1, count = 0;
    for (int lane = 0; lane < WARP; lane++) {
        int word = lane / width * pitch + lane % width, i = 0;
        while (i < count && words[i] != word) i++;
        if (i < count) continue;
        words[count++] = word;
        int bank = word % BANKS;
        if (++banks[bank] > most) most = banks[bank];
    }
    return most;
}

/* 2-D convolution of an image. The recorded kernels differ only in their tunables. */
typedef struct convolution {
    double block_x, block_y, tile_x, tile_y, padding; /* per group, per work-item, words added to a row */
    double width, height, filter_width, filter_height;
    bool local; /* the group first copies its tile with the border to local memory */
} convolution;

/* A work-item computes tile_x · tile_y pixels. For each column of pixels and each column of the filter it reads every
 * word once. */
static void describe_any_convolution(const convolution *k, qn_static_launch *l)
{
    double columns = k->block_x * k->tile_x + k->filter_width - 1;
    double tile = columns * (k->block_y * k->tile_y + k->filter_height - 1);
    l->groups = ceil(k->width / (k->block_x * k->tile_x)) * ceil(k->height / (k->block_y * k->tile_y));
    l->group_items = k->block_x * k->block_y;
    l->group_width = k->block_x;
    double items = l->groups * l->group_items;
    double reads = items * k->tile_x * k->filter_width * (k->tile_y + k->filter_height - 1);
    l->bytes_read = l->bytes_written = 4 * k->width * k->height;
    l->multiply_adds = items * k->tile_x * k->tile_y * k->filter_width * k->filter_height;
    l->integers = 20 * items;
    l->cache_bytes_read = 4 * l->groups * tile;
    if (k->local) {
        l->local_bytes = 4 * tile;
        l->local_writes = l->groups * tile;
        l->local_reads = reads;
        l->local_conflicts = conflicts((int)k->block_x, (int)(k->tile_y * (columns + k->padding)));
        l->integers += 5 * l->local_writes;
    } else {
        l->global_reads = reads;
    }
}

/* The kernel of KTT's examples. HFS is (filter size - 1) / 2. */
static void describe_convolution_ktt(const double *v, qn_static_launch *launch)
{
    convolution k = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], 2 * v[7] + 1, 2 * v[7] + 1, true};
    describe_any_convolution(&k, launch);
}

/* The kernel of the autotuning community's benchmarks, for 4096² pixels. */
static void describe_convolution_milo(const double *v, qn_static_launch *launch)
{
    convolution k = {v[0], v[1], v[2], v[3], v[4], 4096, 4096, v[5], v[6], v[7] != 0};
    describe_any_convolution(&k, launch);
}

enum { GROUP_X, GROUP_Y, GROUP_Z, ITERATIONS, SOA };

/* Direct Coulomb sum over a grid of 256³ and 64 atoms: a work-item computes ITERATIONS points along z, which share the
 * part of the distance in the plane. An atom is one load of four words, or four loads from separate arrays. */
static void describe_coulomb(const double *v, qn_static_launch *l)
{
    double points = 256.0 * 256 * 256, atoms = 64;
    l->group_items = v[GROUP_X] * v[GROUP_Y] * v[GROUP_Z];
    l->group_width = v[GROUP_X];
    l->groups = points / v[ITERATIONS] / l->group_items;
    double items = l->groups * l->group_items;
    l->bytes_read = l->bytes_written = 4 * points;
    l->cache_bytes_read = l->bytes_read + 4 * items / WARP * atoms * (v[SOA] != 0 ? 4 : 1);
    l->multiply_adds = items * atoms * (4 + 4 * v[ITERATIONS]);
    l->integers = items * (20 + 2 * atoms);
}

static const kernel KERNELS[] = {
    {{"BLOCK_SIZE_X", "BLOCK_SIZE_Y", "TILE_SIZE_X", "TILE_SIZE_Y", "PADDING", "IMAGE_WIDTH", "IMAGE_HEIGHT", "HFS"},
     describe_convolution_ktt},
    {{"block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "use_padding", "filter_width", "filter_height",
      "use_shmem"},
     describe_convolution_milo},
    {{"WORK_GROUP_SIZE_X", "WORK_GROUP_SIZE_Y", "WORK_GROUP_SIZE_Z", "Z_ITERATIONS", "USE_SOA"}, describe_coulomb},
};

typedef struct bound {
    const kernel *kernel;
    size_t number[PARAMETERS]; /* in the space */
} bound;

static bool bind(const qn_space *space, const kernel *known, bound *b)
{
    b->kernel = known;
    for (size_t i = 0; i < PARAMETERS && known->parameters[i]; i++) {
        size_t p = 0, count = qn_space_parameter_count(space);
        while (p < count && strcmp(qn_space_parameter_name(space, p), known->parameters[i]) != 0) p++;
        if (p == count) return false;
        b->number[i] = p;
    }
    return true;
}

static qn_status describe(const qn_space *space, qn_point point, qn_static_launch *launch, void *user)
{
    const bound *b = user;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    double values[PARAMETERS] = {0};
    qn_space_get(space, point, numbers);
    for (size_t i = 0; i < PARAMETERS && b->kernel->parameters[i]; i++) {
        const qn_value *value = qn_space_value(space, b->number[i], numbers[b->number[i]]);
        values[i] = value->kind == QN_INTEGER   ? (double)value->as.integer
                    : value->kind == QN_BOOLEAN ? value->as.boolean
                    : value->kind == QN_REAL    ? value->as.real
                                                : 0;
    }
    b->kernel->describe(values, launch);
    if (!(launch->groups > 0 && launch->group_items > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a point of space %s has a size of 0", qn_space_name(space));
    return QN_OK;
}

qn_status qn_static_model_of_record(const qn_recorded_space *record, const qn_static_limits *limits,
                                    qn_tuning_model **model)
{
    *model = NULL;
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++) {
        bound b;
        if (bind(record->space, &KERNELS[i], &b))
            return qn_static_model_create(record->space, describe, &b, limits, model);
    }
    return QN_FAIL(QN_NOT_FOUND, "the kernel of recorded space %s is not one of those with a static model",
                   record->name);
}

static const struct {
    const char *name;
    int compute_units;
    qn_device_rates rates;
    qn_static_limits limits;
    uint64_t largest_local_bytes; /* of a group */
} DEVICES[] = {
    {"RTX 2080 Ti",
     68,
     {.copy_bytes_per_s = 5e11, .read_bytes_per_s = 5.5e11, .multiply_adds_per_s = 6.7e12},
     {.items = 1024, .groups = 16, .registers = 65536, .local_bytes = 65536},
     49152},
    {"A100",
     108,
     {.copy_bytes_per_s = 1.3e12, .read_bytes_per_s = 1.4e12, .multiply_adds_per_s = 9.7e12},
     {.items = 2048, .groups = 32, .registers = 65536, .local_bytes = 163840},
     49152},
    {"MI250X", /* one of its two halves, which programs see as a device */
     110,
     {.copy_bytes_per_s = 1.3e12, .read_bytes_per_s = 1.4e12, .multiply_adds_per_s = 1.2e13},
     {.items = 2048, .groups = 32, .registers = 131072, .local_bytes = 65536},
     65536},
};

bool qn_recorded_device(const char *name, qn_device_info *device, qn_device_rates *rates, qn_static_limits *limits)
{
    *device = (qn_device_info){.driver = "cuda", .kind = QN_DEVICE_GPU, .subgroup_size = WARP};
    *rates = (qn_device_rates){0};
    *limits = (qn_static_limits){0};
    for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; i++) {
        if (!strstr(name, DEVICES[i].name)) continue;
        device->compute_units = DEVICES[i].compute_units;
        device->local_memory_bytes = DEVICES[i].largest_local_bytes;
        device->largest_group = 1024;
        *rates = DEVICES[i].rates;
        *limits = DEVICES[i].limits;
        return true;
    }
    return false;
}
