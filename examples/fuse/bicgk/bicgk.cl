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
typedef long qn_int64;
#define LOCAL_ID(d) ((int)get_local_id(d))       /* index in the group */
#define GROUP_ID(d) ((int)get_group_id(d))       /* index of the group */
#define GROUP_COUNT(d) ((int)get_num_groups(d))  /* number of groups */
#define LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)                         /* ... to LOCAL memory */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#define GROUP_X 32 /* work-items of a group along lines */
#define GROUP_Y 8 /* work-items of a group across lines */
#define ELEMENTS 8 /* elements of a work-item along a line */
#define TILE 32 /* lines between two sums over a group */
#define PANEL 63 /* lines of a group at a time */
#define ITEMS (GROUP_X * GROUP_Y)
#define PITCH (GROUP_X + 1) /* lines begin in different banks of local memory */
#define COLUMNS (GROUP_X * ELEMENTS)
#define EACH_ELEMENT(count) UNROLL for (int e = 0; e < ELEMENTS; e++) if (e < (count))
#define LANES
#define LANES_SUM_1(a)
#define BOTH(a, b) ((a) + (b))
/* Add a chunk's columns, over the rows of a group's work-items, to the group's part. */
DEVICE_FN void sum_of_columns(GLOBAL float *RESTRICT part, LOCAL_PTR float *share,
    const float *own, qn_int64 columns, int x, int y, int is_first)
{
    if (GROUP_Y == 1) {
        UNROLL
        for (int e = 0; e < ELEMENTS; e++) {
            const int column = e * GROUP_X + x;
            if (column < columns) part[column] = is_first ? own[e] : BOTH(part[column], own[e]);
        }
        return;
    }
    UNROLL
    for (int e = 0; e < ELEMENTS; e++) share[y * COLUMNS + e * GROUP_X + x] = own[e];
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
    LOCAL float q_share[TILE * PITCH];
    LOCAL float q_line[PANEL];
    LOCAL float columns[GROUP_Y > 1 ? GROUP_Y * COLUMNS : 1];
    const int group = GROUP_ID(0), groups = GROUP_COUNT(0);
    const int x = LOCAL_ID(0), y = LOCAL_ID(1), item = y * GROUP_X + x;
    for (qn_int64 first = (qn_int64)group * PANEL; first < size_m;
         first += (qn_int64)groups * PANEL) {
        const int lines = (int)MIN((qn_int64)PANEL, size_m - first);
        const int is_first = first == (qn_int64)group * PANEL;
        for (qn_int64 chunk = 0; chunk < size_n; chunk += COLUMNS) {
            const int elements = (int)MIN((qn_int64)ELEMENTS, (size_n - chunk - x + GROUP_X - 1) / GROUP_X);
            float s_sum_j[ELEMENTS];
            float p_j[ELEMENTS];
            UNROLL
            for (int e = 0; e < ELEMENTS; e++) {
                s_sum_j[e] = 0.0f;
            }
            EACH_ELEMENT(elements) {
                const qn_int64 j = chunk + e * GROUP_X + x;
                p_j[e] = p_data[j];
            }
            for (int tile = 0; tile < lines; tile += TILE) {
                const int end = MIN(tile + TILE, lines);
                for (int t = tile + y; t < end; t += GROUP_Y) {
                    const qn_int64 i = first + t;
                    const float r_i = r_data[i];
                    float q_sum = 0.0f;
                    LANES_SUM_1(q_sum)
                    EACH_ELEMENT(elements) {
                        const qn_int64 j = chunk + e * GROUP_X + x;
                        const float A_ij = A_data[i * A_step + j];
                        q_sum += A_ij * p_j[e];
                        s_sum_j[e] += A_ij * r_i;
                    }
                    q_share[(t - tile) * PITCH + x] = q_sum;
                }
                LOCAL_BARRIER();
                for (int t = item; t < end - tile; t += ITEMS) {
                    float q_sum = chunk == 0 ? 0.0f : q_line[tile + t];
                    for (int k = 0; k < GROUP_X; k++)
                        q_sum += q_share[t * PITCH + k];
                    q_line[tile + t] = q_sum;
                }
                LOCAL_BARRIER();
            }
            sum_of_columns(s_sums + (qn_int64)group * size_n + chunk, columns, s_sum_j, size_n - chunk, x, y, is_first);
        }
        for (int t = item; t < lines; t += ITEMS) {
            const qn_int64 i = first + t;
            const float q_i = q_line[t];
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
    for (qn_int64 first = (qn_int64)group * ITEMS * ELEMENTS; first < size_n;
         first += (qn_int64)groups * ITEMS * ELEMENTS) {
        const int elements = (int)MIN((qn_int64)ELEMENTS, (size_n - first - item + ITEMS - 1) / ITEMS);
        LANES
        EACH_ELEMENT(elements) {
            const qn_int64 i = first + e * ITEMS + item;
            float s_i = 0.0f;
            for (qn_int64 part = 0; part < s_parts; part++)
                s_i += s_sums[part * size_n + i];
            s_data[i] = s_i;
        }
    }
}
