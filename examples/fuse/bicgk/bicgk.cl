/* The kernels of bicgk, as quern fuse made them. */
#pragma OPENCL FP_CONTRACT OFF /* a * b + c is rounded twice, as on all devices */

#define KERNEL __kernel /* KERNEL GROUP_LIMIT(64, 1, 1) void name(GLOBAL const float *RESTRICT x, int n) */
#define GROUP_LIMIT(x, y, z) __attribute__((reqd_work_group_size(x, y, z))) /* every launch has groups of this size */
#define GLOBAL __global /* before the type of a pointer to a kernel's buffer */
#define LOCAL __local   /* declares an array shared by a group, at the top of a kernel: LOCAL float tile[64]; */
#define LOCAL_PTR __local       /* before the type of a pointer to a LOCAL array */
#define RESTRICT restrict       /* no other pointer points there */
#define DEVICE_FN static inline __attribute__((always_inline)) /* a function that kernels call, as if written there */
#define UNROLL _Pragma("unroll")                               /* before a loop of constant length: unroll all of it */
#define QN_PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(count) QN_PRAGMA(unroll count) /* before a loop: this many iterations at once */
typedef long qn_int64;
typedef ulong qn_uint64;
typedef float4 qn_float4;  /* .x .y .z .w, no operators */
#define LOCAL_ID(d) ((int)get_local_id(d))       /* index in the group */
#define GROUP_ID(d) ((int)get_group_id(d))       /* index of the group */
#define GROUP_COUNT(d) ((int)get_num_groups(d))  /* number of groups */
#define LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)                         /* ... to LOCAL memory */
#define LOCAL_BARRIER_OF_32() barrier(CLK_LOCAL_MEM_FENCE)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define GROUP_X 512 /* work-items of a group along lines */
#define GROUP_Y 1 /* work-items of a group across lines */
#define ELEMENTS 16 /* elements of a work-item along a line */
#define TILE 8 /* lines between two sums over work-items */
#define PANEL 63 /* lines of a group at a time */
#define STRIP 8 /* elements of a work-item in one dimension */
#define ROWS 2 /* lines loaded before they are used */
#define VECTOR_WIDTH 4 /* elements side by side, 1 or 4 */
#define ITEMS (GROUP_X * GROUP_Y)
#define PITCH (GROUP_X + 1) /* lines begin in different banks of local memory */
#define COLUMNS (GROUP_X * ELEMENTS)
#define SEGMENT (GROUP_X < 32 ? GROUP_X : 32) /* work-items of a row that a GPU runs in step */
#define SEGMENTS (GROUP_X / SEGMENT)
#define EACH_ELEMENT(count) UNROLL for (int e = 0; e < ELEMENTS; e++) if (e < (count))
#define PLACE(e, items, item) (((e) / VECTOR_WIDTH * (items) + (item)) * VECTOR_WIDTH + (e) % VECTOR_WIDTH)
#define COLUMN(e) PLACE(e, GROUP_X, x)
/* A work-item's elements of a chunk of which `rest` are left, at most `most`. */
DEVICE_FN int elements_of(qn_int64 rest, int most, int items, int item)
{
    const int row = items * VECTOR_WIDTH;
    if (rest >= (qn_int64)most * items) return most;
    return (int)rest / row * VECTOR_WIDTH +
           MIN(MAX((int)rest % row - item * VECTOR_WIDTH, 0), VECTOR_WIDTH);
}
/* Whether vectors are where the device loads them at once, in each line of a matrix. */
DEVICE_FN int is_wide(GLOBAL const float *data, qn_int64 step)
{
    return VECTOR_WIDTH == 4 && step % 4 == 0 && (qn_uint64)data % 16 == 0;
}
/* Load all of a work-item's `count` elements from a chunk, in vectors. */
DEVICE_FN void load_vectors(GLOBAL const float *from, int count, int items, int item, float *own)
{
    UNROLL
    for (int e = 0; e < count / 4 * 4; e += 4) {
        const qn_float4 four = *(GLOBAL const qn_float4 *)(from + PLACE(e, items, item));
        own[e] = four.x, own[e + 1] = four.y, own[e + 2] = four.z, own[e + 3] = four.w;
    }
}
/* Load `count` of a work-item's elements, at most `most`, from a chunk. */
DEVICE_FN void load_elements(GLOBAL const float *from, int wide, int count, int most, int items, int item,
    float *own)
{
    if (wide && count % 4 == 0) {
        UNROLL
        for (int e = 0; e < most / 4 * 4; e += 4)
            if (e < count) load_vectors(from + PLACE(e, items, item), 4, 0, 0, own + e);
    } else {
        UNROLL
        for (int e = 0; e < most; e++)
            if (e < count) own[e] = from[PLACE(e, items, item)];
    }
}
#define BOTH(a, b) ((a) + (b))
/* Add a chunk's columns, over the rows of a group's work-items, to the group's part. */
DEVICE_FN void sum_of_columns(GLOBAL float *RESTRICT part, LOCAL_PTR float *share,
    const float *own, qn_int64 columns, int x, int y, int is_first)
{
    if (GROUP_Y == 1) {
        UNROLL
        for (int e = 0; e < ELEMENTS; e++) {
            const int column = COLUMN(e);
            if (column < columns) part[column] = is_first ? own[e] : BOTH(part[column], own[e]);
        }
        return;
    }
    UNROLL
    for (int e = 0; e < ELEMENTS; e++) share[y * COLUMNS + COLUMN(e)] = own[e];
    LOCAL_BARRIER();
    for (int column = y * GROUP_X + x; column < COLUMNS; column += ITEMS) {
        float both = share[column];
        for (int k = 1; k < GROUP_Y; k++) both = BOTH(both, share[k * COLUMNS + column]);
        if (column < columns) part[column] = is_first ? both : BOTH(part[column], both);
    }
    LOCAL_BARRIER();
}
#undef BOTH

/* q = gemv(A, p)
 * s = gemtv(A, r) */
KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1) void bicgk_1(
    GLOBAL const float *RESTRICT A_data,
    GLOBAL const float *RESTRICT p_data,
    GLOBAL const float *RESTRICT r_data,
    GLOBAL float *RESTRICT q_data,
    GLOBAL float *RESTRICT s_sums,
    qn_int64 A_step,
    int size_m,
    int size_n)
{
    LOCAL float q_share[GROUP_Y * TILE * PITCH];
    LOCAL float q_segments[PANEL * SEGMENTS];
    LOCAL float columns[GROUP_Y > 1 ? GROUP_Y * COLUMNS : 1];
    const int group = GROUP_ID(0), groups = GROUP_COUNT(0);
    const int x = LOCAL_ID(0), y = LOCAL_ID(1), item = y * GROUP_X + x;
    const int A_wide = is_wide(A_data, A_step);
    for (qn_int64 first = (qn_int64)group * PANEL; first < size_m;
         first += (qn_int64)groups * PANEL) {
        const int lines = (int)MIN((qn_int64)PANEL, size_m - first);
        const int is_first = first == (qn_int64)group * PANEL;
        for (qn_int64 chunk = 0; chunk < size_n; chunk += COLUMNS) {
            const int elements = elements_of(size_n - chunk, ELEMENTS, GROUP_X, x);
            float s_sum_j[ELEMENTS];
            float p_j[ELEMENTS];
            UNROLL
            for (int e = 0; e < ELEMENTS; e++) {
                s_sum_j[e] = 0.0f;
            }
            EACH_ELEMENT(elements) {
                const qn_int64 j = chunk + COLUMN(e);
                p_j[e] = p_data[j];
            }
            for (int tile = 0; tile < lines; tile += GROUP_Y * TILE) {
                const int begin = tile + y * TILE, end = MIN(begin + TILE, lines);
                for (int row = begin; row < end; row += ROWS) {
                    float A_own[ROWS][ELEMENTS];
                    UNROLL
                    for (int k = 0; k < ROWS; k++)
                        if (row + k < end) {
                            load_elements(A_data + (first + row + k) * A_step + chunk, A_wide, elements, ELEMENTS, GROUP_X, x, A_own[k]);
                        }
                    UNROLL
                    for (int k = 0; k < ROWS; k++) {
                        const int t = row + k;
                        const qn_int64 i = first + t;
                        if (t >= end) continue;
                        const float r_i = r_data[i];
                        float q_sum = 0.0f;
                        EACH_ELEMENT(elements) {
                            const float A_ij = A_own[k][e];
                            q_sum += A_ij * p_j[e];
                            s_sum_j[e] += A_ij * r_i;
                        }
                        q_share[(y * TILE + t - begin) * PITCH + x] = q_sum;
                    }
                }
                LOCAL_BARRIER_OF_32();
                for (int t = begin + x % SEGMENT; t < end; t += SEGMENT) {
                    const int segment = x / SEGMENT;
                    float q_sum = chunk == 0 ? 0.0f : q_segments[t * SEGMENTS + segment];
                    UNROLL
                    for (int k = 0; k < SEGMENT; k++)
                        q_sum += q_share[(y * TILE + t - begin) * PITCH + segment * SEGMENT + k];
                    q_segments[t * SEGMENTS + segment] = q_sum;
                }
                LOCAL_BARRIER_OF_32();
            }
            sum_of_columns(s_sums + (qn_int64)group * size_n + chunk, columns, s_sum_j, size_n - chunk, x, y, is_first);
        }
        LOCAL_BARRIER();
        for (int t = item; t < lines; t += ITEMS) {
            const qn_int64 i = first + t;
            float q_i = q_segments[t * SEGMENTS];
            for (int k = 1; k < SEGMENTS; k++)
                q_i += q_segments[t * SEGMENTS + k];
            q_data[i] = q_i;
        }
        LOCAL_BARRIER();
    }
}

/* fold of s */
KERNEL GROUP_LIMIT(ITEMS, 1, 1) void bicgk_2(
    GLOBAL float *RESTRICT s_data,
    GLOBAL const float *RESTRICT s_sums,
    int s_parts,
    int size_n)
{
    const int group = GROUP_ID(0), groups = GROUP_COUNT(0), item = LOCAL_ID(0);
    for (qn_int64 i = (qn_int64)group * ITEMS + item; i < size_n; i += (qn_int64)groups * ITEMS) {
        float s_i = 0.0f;
        UNROLL_BY(16)
        for (qn_int64 part = 0; part < s_parts; part++)
            s_i += s_sums[part * size_n + i];
        s_data[i] = s_i;
    }
}
