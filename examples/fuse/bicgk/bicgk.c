/* The sequence bicgk with OpenCL 1.2, as quern fuse made it; see bicgk.h. */
#include "bicgk.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>

#define TRY(call)                           \
    do {                                    \
        const int code_ = (call);           \
        if (code_ != BICGK_OK) return code_; \
    } while (0)

enum {
    KERNELS = 2,
    GROUP_X = 512, /* work-items of a group along lines */
    GROUP_Y = 1, /* work-items of a group across lines */
    ELEMENTS = 16, /* elements of a work-item along a line */
    TILE = 8, /* lines between two sums over work-items */
    PANEL = 63, /* lines of a group at a time */
    PARTS = 528, /* groups, at most */
    STRIP = 8, /* elements of a work-item in one dimension */
    ROWS = 2, /* lines loaded before they are used */
    VECTOR_WIDTH = 4, /* elements side by side, 1 or 4 */
};
static const char *const kernel_names[KERNELS] = {"bicgk_1", "bicgk_2"};

/* Memory that kernels work on, and whether the plan keeps it itself, and whether they write it. */
enum {
    AT_A_data,
    AT_p_data,
    AT_r_data,
    AT_q_data,
    AT_s_sums,
    AT_s_data,
    SLOTS
};
static const struct {
    bool own, written;
} slots[SLOTS] = {
    [AT_A_data] = {false, false},
    [AT_p_data] = {false, false},
    [AT_r_data] = {false, false},
    [AT_q_data] = {false, true},
    [AT_s_sums] = {true, true},
    [AT_s_data] = {false, true},
};

typedef cl_mem memory;

struct bicgk_plan {
    cl_command_queue queue;
    cl_context context;
    cl_program program;
    cl_kernel kernels[KERNELS];
    bool is_open;
    double started;
    memory own[SLOTS]; /* what the plan keeps itself */
    memory at[SLOTS];  /* in the present run */
    size_t bytes[SLOTS];
    int32_t parts[SLOTS]; /* of partial sums, how many the last kernel left */
    int32_t size_m;
    int32_t size_n;
    int64_t A_step;
};

static const char **kernel_lines(cl_uint *count); /* the text of bicgk.cl, at the end of this file */

/* ---- device, memory and time ---- */

static int build(bicgk_plan *plan, cl_device_id device)
{
    cl_int error;
    cl_uint count;
    const char **lines = kernel_lines(&count);
    plan->program = clCreateProgramWithSource(plan->context, count, lines, NULL, &error);
    if (error != CL_SUCCESS) return BICGK_NO_MEMORY;
    if (clBuildProgram(plan->program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return BICGK_NOT_BUILT;
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        plan->kernels[kernel] = clCreateKernel(plan->program, kernel_names[kernel], &error);
        if (error != CL_SUCCESS) return BICGK_NOT_BUILT;
    }
    return BICGK_OK;
}

static int open_backend(bicgk_plan *plan, cl_command_queue queue)
{
    cl_device_id device;
    plan->queue = queue;
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof plan->context, &plan->context, NULL) != CL_SUCCESS ||
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS)
        return BICGK_FAILED;
    clRetainCommandQueue(queue);
    plan->is_open = true;
    return build(plan, device);
}

static void close_backend(bicgk_plan *plan)
{
    for (int kernel = 0; kernel < KERNELS; kernel++)
        if (plan->kernels[kernel]) clReleaseKernel(plan->kernels[kernel]);
    if (plan->program) clReleaseProgram(plan->program);
    if (plan->is_open) clReleaseCommandQueue(plan->queue);
}

static int allocate(bicgk_plan *plan, size_t bytes, memory *taken)
{
    cl_int error;
    *taken = clCreateBuffer(plan->context, CL_MEM_READ_WRITE, bytes > 0 ? bytes : 4, NULL, &error);
    return error == CL_SUCCESS ? BICGK_OK : BICGK_NO_MEMORY;
}

static void release(memory taken)
{
    clReleaseMemObject(taken);
}

static bool fits(memory at, size_t bytes)
{
    size_t found = 0;
    clGetMemObjectInfo(at, CL_MEM_SIZE, sizeof found, &found, NULL);
    return found >= bytes;
}

/* The buffer that a part of a buffer is of, and where it begins. */
static memory whole_of(memory at, size_t *offset)
{
    memory whole = NULL;
    clGetMemObjectInfo(at, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
    *offset = 0;
    if (whole) clGetMemObjectInfo(at, CL_MEM_OFFSET, sizeof *offset, offset, NULL);
    return whole ? whole : at;
}

static bool overlap(memory a, size_t a_bytes, memory b, size_t b_bytes)
{
    size_t a_offset, b_offset;
    if (whole_of(a, &a_offset) != whole_of(b, &b_offset)) return false;
    return a_offset < b_offset + b_bytes && b_offset < a_offset + a_bytes;
}

/* An argument of a kernel. */
typedef struct argument {
    const void *value;
    size_t bytes;
} argument;

static int launch(bicgk_plan *plan, int kernel, int groups, int dimensions, const argument *arguments, cl_uint count)
{
    const size_t group[2] = {dimensions == 2 ? GROUP_X : GROUP_X * GROUP_Y, GROUP_Y};
    const size_t items[2] = {(size_t)groups * group[0], GROUP_Y};
    for (cl_uint i = 0; i < count; i++)
        if (clSetKernelArg(plan->kernels[kernel], i, arguments[i].bytes, arguments[i].value) != CL_SUCCESS)
            return BICGK_FAILED;
    const cl_int error = clEnqueueNDRangeKernel(plan->queue, plan->kernels[kernel], dimensions == 2 ? 2 : 1, NULL,
                                                items, group, 0, NULL, NULL);
    return error == CL_SUCCESS ? BICGK_OK : BICGK_FAILED;
}

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int start_clock(bicgk_plan *plan)
{
    if (clFinish(plan->queue) != CL_SUCCESS) return BICGK_FAILED;
    plan->started = now();
    return BICGK_OK;
}

static int stop_clock(bicgk_plan *plan, double *seconds)
{
    if (clFinish(plan->queue) != CL_SUCCESS) return BICGK_FAILED;
    *seconds = now() - plan->started;
    return BICGK_OK;
}

/* ---- kernels ---- */

/* Groups of a kernel whose work-items take one element each. */
static int groups_of_sums(int32_t size)
{
    const int64_t block = (int64_t)GROUP_X * GROUP_Y;
    const int64_t blocks = (size + block - 1) / block;
    return (int)(blocks < PARTS ? blocks : PARTS);
}

/* Groups of a kernel over the lines of matrices. */
static int groups_of_lines(int32_t size)
{
    const int64_t panels = ((int64_t)size + PANEL - 1) / PANEL;
    return (int)(panels < PARTS ? panels : PARTS);
}

/* q = gemv(A, p)
 * s = gemtv(A, r)
 *
 * Moves at least m·n + 2m + 2n words of four bytes. */
static int run_1(bicgk_plan *plan)
{
    const int groups = groups_of_lines(plan->size_m);
    const argument arguments[] = {
        {&plan->at[AT_A_data], sizeof(memory)},
        {&plan->at[AT_p_data], sizeof(memory)},
        {&plan->at[AT_r_data], sizeof(memory)},
        {&plan->at[AT_q_data], sizeof(memory)},
        {&plan->at[AT_s_sums], sizeof(memory)},
        {&plan->A_step, sizeof plan->A_step},
        {&plan->size_m, sizeof plan->size_m},
        {&plan->size_n, sizeof plan->size_n}};
    TRY(launch(plan, 0, groups, 2, arguments, sizeof arguments / sizeof *arguments));
    plan->parts[AT_s_sums] = groups;
    return BICGK_OK;
}

/* fold of s */
static int run_2(bicgk_plan *plan)
{
    const int groups = groups_of_sums(plan->size_n);
    const argument arguments[] = {
        {&plan->at[AT_s_data], sizeof(memory)},
        {&plan->at[AT_s_sums], sizeof(memory)},
        {&plan->parts[AT_s_sums], sizeof plan->parts[AT_s_sums]},
        {&plan->size_n, sizeof plan->size_n}};
    TRY(launch(plan, 1, groups, 1, arguments, sizeof arguments / sizeof *arguments));
    return BICGK_OK;
}

/* ---- sizes and memory ---- */

static int check_sizes(const bicgk_sizes *sizes)
{
    if (sizes->m < 1) return BICGK_BAD_SIZE;
    if (sizes->n < 1) return BICGK_BAD_SIZE;
    if (sizes->A_step != 0 && sizes->A_step < sizes->n) return BICGK_BAD_STEP;
    return BICGK_OK;
}

static void enlarge(bicgk_plan *plan, int slot, size_t bytes)
{
    if (bytes > plan->bytes[slot]) plan->bytes[slot] = bytes;
}

static void measure(bicgk_plan *plan, const bicgk_sizes *sizes)
{
    plan->size_m = sizes->m;
    plan->size_n = sizes->n;
    plan->A_step = sizes->A_step > 0 ? sizes->A_step : plan->size_n;
    plan->bytes[AT_A_data] = 4 * ((size_t)(plan->size_m - 1) * (size_t)plan->A_step + (size_t)plan->size_n);
    plan->bytes[AT_p_data] = 4 * (size_t)plan->size_n;
    plan->bytes[AT_r_data] = 4 * (size_t)plan->size_m;
    plan->bytes[AT_q_data] = 4 * (size_t)plan->size_m;
    plan->bytes[AT_s_data] = 4 * (size_t)plan->size_n;
    enlarge(plan, AT_s_sums, 4 * (size_t)groups_of_lines(plan->size_m) * (size_t)plan->size_n);
}

/* Take the arguments' memory, and check it. */
static int bind_arguments(bicgk_plan *plan, const bicgk_arguments *arguments)
{
    memory *const at = plan->at;
    memcpy(at, plan->own, sizeof plan->at);
    at[AT_A_data] = (memory)arguments->A;
    at[AT_p_data] = (memory)arguments->p;
    at[AT_r_data] = (memory)arguments->r;
    at[AT_q_data] = (memory)arguments->q;
    at[AT_s_data] = (memory)arguments->s;
    for (int slot = 0; slot < SLOTS; slot++) {
        if (!at[slot]) return BICGK_NO_ARGUMENT;
        if (!slots[slot].own && !fits(at[slot], plan->bytes[slot])) return BICGK_TOO_SMALL;
    }
    for (int a = 0; a < SLOTS; a++)
        for (int b = 0; b < SLOTS; b++)
            if (a != b && slots[a].written && !slots[a].own && !slots[b].own &&
                overlap(at[a], plan->bytes[a], at[b], plan->bytes[b]))
                return BICGK_OVERLAP;
    return BICGK_OK;
}

/* ---- the sequence ---- */

static int run_stages(bicgk_plan *plan, const bicgk_arguments *arguments)
{
    TRY(run_1(plan));
    TRY(run_2(plan));
    (void)arguments;
    return BICGK_OK;
}

/* ---- for users ---- */

int bicgk_create(cl_command_queue queue, const bicgk_sizes *sizes, bicgk_plan **out)
{
    *out = NULL;
    TRY(check_sizes(sizes));
    bicgk_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return BICGK_NO_MEMORY;
    measure(plan, sizes);
    int code = open_backend(plan, queue);
    for (int slot = 0; slot < SLOTS && code == BICGK_OK; slot++)
        if (slots[slot].own) code = allocate(plan, plan->bytes[slot], &plan->own[slot]);
    if (code == BICGK_OK)
        *out = plan;
    else
        bicgk_destroy(&plan);
    return code;
}

int bicgk_run(bicgk_plan *plan, const bicgk_arguments *arguments, double *seconds)
{
    TRY(bind_arguments(plan, arguments));
    if (seconds) TRY(start_clock(plan));
    TRY(run_stages(plan, arguments));
    return seconds ? stop_clock(plan, seconds) : BICGK_OK;
}

void bicgk_destroy(bicgk_plan **pointer)
{
    bicgk_plan *plan = *pointer;
    if (!plan) return;
    for (int slot = 0; slot < SLOTS; slot++)
        if (plan->own[slot]) release(plan->own[slot]);
    close_backend(plan);
    free(plan);
    *pointer = NULL;
}

const char *bicgk_message(int code)
{
    static const char *const messages[] = {
        [BICGK_OK] = "bicgk: done",
        [BICGK_BAD_SIZE] = "bicgk: a size is below 1",
        [BICGK_BAD_STEP] = "bicgk: the step of a matrix is shorter than its lines",
        [BICGK_NO_ARGUMENT] = "bicgk: an argument is missing",
        [BICGK_TOO_SMALL] = "bicgk: the memory of an argument ends too early, or is not aligned to four bytes",
        [BICGK_OVERLAP] = "bicgk: memory that is written overlaps that of another argument",
        [BICGK_NO_MEMORY] = "bicgk: out of memory",
        [BICGK_NOT_BUILT] = "bicgk: the kernels could not be compiled",
        [BICGK_FAILED] = "bicgk: the device refused a command",
    };
    const bool known = code >= 0 && code < (int)(sizeof messages / sizeof *messages);
    return known ? messages[code] : "bicgk: an unknown code";
}

/* bicgk.cl, line by line. */
static const char **kernel_lines(cl_uint *count)
{
    static const char *lines[] = {
        "/* The kernels of bicgk, as quern fuse made them. */\n",
        "#pragma OPENCL FP_CONTRACT OFF /* a * b + c is rounded twice, as on all devices */\n",
        "\n",
        "#define KERNEL __kernel /* KERNEL GROUP_LIMIT(64, 1, 1) void name(GLOBAL const float *RESTRICT x, int n) */\n",
        "#define GROUP_LIMIT(x, y, z) __attribute__((reqd_work_group_size(x, y, z))) /* every launch has groups of this size */\n",
        "#define GLOBAL __global /* before the type of a pointer to a kernel's buffer */\n",
        "#define LOCAL __local   /* declares an array shared by a group, at the top of a kernel: LOCAL float tile[64]; */\n",
        "#define LOCAL_PTR __local       /* before the type of a pointer to a LOCAL array */\n",
        "#define RESTRICT restrict       /* no other pointer points there */\n",
        "#define DEVICE_FN static inline __attribute__((always_inline)) /* a function that kernels call, as if written there */\n",
        "#define UNROLL _Pragma(\"unroll\")                               /* before a loop of constant length: unroll all of it */\n",
        "#define QN_PRAGMA(text) _Pragma(#text)\n",
        "#define UNROLL_BY(count) QN_PRAGMA(unroll count) /* before a loop: this many iterations at once */\n",
        "typedef long qn_int64;\n",
        "typedef ulong qn_uint64;\n",
        "typedef float4 qn_float4;  /* .x .y .z .w, no operators */\n",
        "#define LOCAL_ID(d) ((int)get_local_id(d))       /* index in the group */\n",
        "#define GROUP_ID(d) ((int)get_group_id(d))       /* index of the group */\n",
        "#define GROUP_COUNT(d) ((int)get_num_groups(d))  /* number of groups */\n",
        "#define LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)                         /* ... to LOCAL memory */\n",
        "#define LOCAL_BARRIER_OF_32() barrier(CLK_LOCAL_MEM_FENCE)\n",
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n",
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n",
        "\n",
        "#define GROUP_X 512 /* work-items of a group along lines */\n",
        "#define GROUP_Y 1 /* work-items of a group across lines */\n",
        "#define ELEMENTS 16 /* elements of a work-item along a line */\n",
        "#define TILE 8 /* lines between two sums over work-items */\n",
        "#define PANEL 63 /* lines of a group at a time */\n",
        "#define STRIP 8 /* elements of a work-item in one dimension */\n",
        "#define ROWS 2 /* lines loaded before they are used */\n",
        "#define VECTOR_WIDTH 4 /* elements side by side, 1 or 4 */\n",
        "#define ITEMS (GROUP_X * GROUP_Y)\n",
        "#define PITCH (GROUP_X + 1) /* lines begin in different banks of local memory */\n",
        "#define COLUMNS (GROUP_X * ELEMENTS)\n",
        "#define SEGMENT (GROUP_X < 32 ? GROUP_X : 32) /* work-items of a row that a GPU runs in step */\n",
        "#define SEGMENTS (GROUP_X / SEGMENT)\n",
        "#define EACH_ELEMENT(count) UNROLL for (int e = 0; e < ELEMENTS; e++) if (e < (count))\n",
        "#define PLACE(e, items, item) (((e) / VECTOR_WIDTH * (items) + (item)) * VECTOR_WIDTH + (e) % VECTOR_WIDTH)\n",
        "#define COLUMN(e) PLACE(e, GROUP_X, x)\n",
        "/* A work-item's elements of a chunk of which `rest` are left, at most `most`. */\n",
        "DEVICE_FN int elements_of(qn_int64 rest, int most, int items, int item)\n",
        "{\n",
        "    const int row = items * VECTOR_WIDTH;\n",
        "    if (rest >= (qn_int64)most * items) return most;\n",
        "    return (int)rest / row * VECTOR_WIDTH +\n",
        "           MIN(MAX((int)rest % row - item * VECTOR_WIDTH, 0), VECTOR_WIDTH);\n",
        "}\n",
        "/* Whether vectors are where the device loads them at once, in each line of a matrix. */\n",
        "DEVICE_FN int is_wide(GLOBAL const float *data, qn_int64 step)\n",
        "{\n",
        "    return VECTOR_WIDTH == 4 && step % 4 == 0 && (qn_uint64)data % 16 == 0;\n",
        "}\n",
        "/* Load all of a work-item's `count` elements from a chunk, in vectors. */\n",
        "DEVICE_FN void load_vectors(GLOBAL const float *from, int count, int items, int item, float *own)\n",
        "{\n",
        "    UNROLL\n",
        "    for (int e = 0; e < count / 4 * 4; e += 4) {\n",
        "        const qn_float4 four = *(GLOBAL const qn_float4 *)(from + PLACE(e, items, item));\n",
        "        own[e] = four.x, own[e + 1] = four.y, own[e + 2] = four.z, own[e + 3] = four.w;\n",
        "    }\n",
        "}\n",
        "/* Load `count` of a work-item's elements, at most `most`, from a chunk. */\n",
        "DEVICE_FN void load_elements(GLOBAL const float *from, int wide, int count, int most, int items, int item,\n",
        "    float *own)\n",
        "{\n",
        "    if (wide && count % 4 == 0) {\n",
        "        UNROLL\n",
        "        for (int e = 0; e < most / 4 * 4; e += 4)\n",
        "            if (e < count) load_vectors(from + PLACE(e, items, item), 4, 0, 0, own + e);\n",
        "    } else {\n",
        "        UNROLL\n",
        "        for (int e = 0; e < most; e++)\n",
        "            if (e < count) own[e] = from[PLACE(e, items, item)];\n",
        "    }\n",
        "}\n",
        "#define BOTH(a, b) ((a) + (b))\n",
        "/* Add a chunk's columns, over the rows of a group's work-items, to the group's part. */\n",
        "DEVICE_FN void sum_of_columns(GLOBAL float *RESTRICT part, LOCAL_PTR float *share,\n",
        "    const float *own, qn_int64 columns, int x, int y, int is_first)\n",
        "{\n",
        "    if (GROUP_Y == 1) {\n",
        "        UNROLL\n",
        "        for (int e = 0; e < ELEMENTS; e++) {\n",
        "            const int column = COLUMN(e);\n",
        "            if (column < columns) part[column] = is_first ? own[e] : BOTH(part[column], own[e]);\n",
        "        }\n",
        "        return;\n",
        "    }\n",
        "    UNROLL\n",
        "    for (int e = 0; e < ELEMENTS; e++) share[y * COLUMNS + COLUMN(e)] = own[e];\n",
        "    LOCAL_BARRIER();\n",
        "    for (int column = y * GROUP_X + x; column < COLUMNS; column += ITEMS) {\n",
        "        float both = share[column];\n",
        "        for (int k = 1; k < GROUP_Y; k++) both = BOTH(both, share[k * COLUMNS + column]);\n",
        "        if (column < columns) part[column] = is_first ? both : BOTH(part[column], both);\n",
        "    }\n",
        "    LOCAL_BARRIER();\n",
        "}\n",
        "#undef BOTH\n",
        "\n",
        "/* q = gemv(A, p)\n",
        " * s = gemtv(A, r) */\n",
        "KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void bicgk_1(\n",
        "    GLOBAL const float *RESTRICT A_data,\n",
        "    GLOBAL const float *RESTRICT p_data,\n",
        "    GLOBAL const float *RESTRICT r_data,\n",
        "    GLOBAL float *RESTRICT q_data,\n",
        "    GLOBAL float *RESTRICT s_sums,\n",
        "    qn_int64 A_step,\n",
        "    int size_m,\n",
        "    int size_n)\n",
        "{\n",
        "    LOCAL float q_share[GROUP_Y * TILE * PITCH];\n",
        "    LOCAL float q_segments[PANEL * SEGMENTS];\n",
        "    LOCAL float columns[GROUP_Y > 1 ? GROUP_Y * COLUMNS : 1];\n",
        "    const int group = GROUP_ID(0), groups = GROUP_COUNT(0);\n",
        "    const int x = LOCAL_ID(0), y = LOCAL_ID(1), item = y * GROUP_X + x;\n",
        "    const int A_wide = is_wide(A_data, A_step);\n",
        "    for (qn_int64 first = (qn_int64)group * PANEL; first < size_m;\n",
        "         first += (qn_int64)groups * PANEL) {\n",
        "        const int lines = (int)MIN((qn_int64)PANEL, size_m - first);\n",
        "        const int is_first = first == (qn_int64)group * PANEL;\n",
        "        for (qn_int64 chunk = 0; chunk < size_n; chunk += COLUMNS) {\n",
        "            const int elements = elements_of(size_n - chunk, ELEMENTS, GROUP_X, x);\n",
        "            float s_sum_j[ELEMENTS];\n",
        "            float p_j[ELEMENTS];\n",
        "            UNROLL\n",
        "            for (int e = 0; e < ELEMENTS; e++) {\n",
        "                s_sum_j[e] = 0.0f;\n",
        "            }\n",
        "            EACH_ELEMENT(elements) {\n",
        "                const qn_int64 j = chunk + COLUMN(e);\n",
        "                p_j[e] = p_data[j];\n",
        "            }\n",
        "            for (int tile = 0; tile < lines; tile += GROUP_Y * TILE) {\n",
        "                const int begin = tile + y * TILE, end = MIN(begin + TILE, lines);\n",
        "                for (int row = begin; row < end; row += ROWS) {\n",
        "                    float A_own[ROWS][ELEMENTS];\n",
        "                    UNROLL\n",
        "                    for (int k = 0; k < ROWS; k++)\n",
        "                        if (row + k < end) {\n",
        "                            load_elements(A_data + (first + row + k) * A_step + chunk, A_wide, elements, ELEMENTS, GROUP_X, x, A_own[k]);\n",
        "                        }\n",
        "                    UNROLL\n",
        "                    for (int k = 0; k < ROWS; k++) {\n",
        "                        const int t = row + k;\n",
        "                        const qn_int64 i = first + t;\n",
        "                        if (t >= end) continue;\n",
        "                        const float r_i = r_data[i];\n",
        "                        float q_sum = 0.0f;\n",
        "                        EACH_ELEMENT(elements) {\n",
        "                            const float A_ij = A_own[k][e];\n",
        "                            q_sum += A_ij * p_j[e];\n",
        "                            s_sum_j[e] += A_ij * r_i;\n",
        "                        }\n",
        "                        q_share[(y * TILE + t - begin) * PITCH + x] = q_sum;\n",
        "                    }\n",
        "                }\n",
        "                LOCAL_BARRIER_OF_32();\n",
        "                for (int t = begin + x % SEGMENT; t < end; t += SEGMENT) {\n",
        "                    const int segment = x / SEGMENT;\n",
        "                    float q_sum = chunk == 0 ? 0.0f : q_segments[t * SEGMENTS + segment];\n",
        "                    UNROLL\n",
        "                    for (int k = 0; k < SEGMENT; k++)\n",
        "                        q_sum += q_share[(y * TILE + t - begin) * PITCH + segment * SEGMENT + k];\n",
        "                    q_segments[t * SEGMENTS + segment] = q_sum;\n",
        "                }\n",
        "                LOCAL_BARRIER_OF_32();\n",
        "            }\n",
        "            sum_of_columns(s_sums + (qn_int64)group * size_n + chunk, columns, s_sum_j, size_n - chunk, x, y, is_first);\n",
        "        }\n",
        "        LOCAL_BARRIER();\n",
        "        for (int t = item; t < lines; t += ITEMS) {\n",
        "            const qn_int64 i = first + t;\n",
        "            float q_i = q_segments[t * SEGMENTS];\n",
        "            for (int k = 1; k < SEGMENTS; k++)\n",
        "                q_i += q_segments[t * SEGMENTS + k];\n",
        "            q_data[i] = q_i;\n",
        "        }\n",
        "        LOCAL_BARRIER();\n",
        "    }\n",
        "}\n",
        "\n",
        "/* fold of s */\n",
        "KERNEL GROUP_LIMIT(ITEMS, 1, 1) void bicgk_2(\n",
        "    GLOBAL float *RESTRICT s_data,\n",
        "    GLOBAL const float *RESTRICT s_sums,\n",
        "    int s_parts,\n",
        "    int size_n)\n",
        "{\n",
        "    const int group = GROUP_ID(0), groups = GROUP_COUNT(0), item = LOCAL_ID(0);\n",
        "    for (qn_int64 i = (qn_int64)group * ITEMS + item; i < size_n; i += (qn_int64)groups * ITEMS) {\n",
        "        float s_i = 0.0f;\n",
        "        UNROLL_BY(16)\n",
        "        for (qn_int64 part = 0; part < s_parts; part++)\n",
        "            s_i += s_sums[part * size_n + i];\n",
        "        s_data[i] = s_i;\n",
        "    }\n",
        "}\n"
    };
    *count = sizeof lines / sizeof *lines;
    return lines;
}
