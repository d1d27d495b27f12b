/* Sums of the rows of a matrix, an example of a user's kernel: plain OpenCL C with parameters as macros.
 * A group of block_size_x work-items sums ROWS_PER_GROUP rows; each work-item loads vectors of VECTOR floats. */
#if VECTOR == 1
#define LOAD(pointer) (*(pointer))
#define SUM(v) (v)
typedef float vector;
#elif VECTOR == 2
#define LOAD(pointer) vload2(0, pointer)
#define SUM(v) ((v).x + (v).y)
typedef float2 vector;
#else
#define LOAD(pointer) vload4(0, pointer)
#define SUM(v) ((v).x + (v).y + (v).z + (v).w)
typedef float4 vector;
#endif

__kernel void row_sums(__global float *sums, __global const float *matrix, int columns)
{
    __local float partial[block_size_x];
    int item = get_local_id(0);
    for (int r = 0; r < ROWS_PER_GROUP; r++) {
        int row = get_group_id(0) * ROWS_PER_GROUP + r;
        __global const float *values = matrix + (size_t)row * columns;
        vector total = 0.0f;
        for (int i = item * VECTOR; i < columns; i += block_size_x * VECTOR) total += LOAD(values + i);
        partial[item] = SUM(total);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int half_way = block_size_x / 2; half_way > 0; half_way /= 2) {
            if (item < half_way) partial[item] += partial[item + half_way];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (item == 0) sums[row] = partial[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
