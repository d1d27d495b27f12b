/* Copies of n adjacent floats between memory and an array of registers, with wide instructions: n is a constant 1, 2, 4
 * or 8 (a tunable), the address is a multiple of 4 * min(n, 4) bytes. */
DEVICE_FN void read_global(int n, float *array, GLOBAL const float *RESTRICT from)
{
    if (n == 1) {
        array[0] = from[0];
    } else if (n == 2) {
        const qn_float2 two = *(GLOBAL const qn_float2 *)from;
        array[0] = two.x, array[1] = two.y;
    } else {
        UNROLL
        for (int i = 0; i < n / 4; i++) {
            const qn_float4 four = ((GLOBAL const qn_float4 *)from)[i];
            array[4 * i] = four.x, array[4 * i + 1] = four.y, array[4 * i + 2] = four.z, array[4 * i + 3] = four.w;
        }
    }
}

DEVICE_FN void read_local(int n, float *array, LOCAL_PTR const float *from)
{
    if (n == 1) {
        array[0] = from[0];
    } else if (n == 2) {
        const qn_float2 two = *(LOCAL_PTR const qn_float2 *)from;
        array[0] = two.x, array[1] = two.y;
    } else {
        UNROLL
        for (int i = 0; i < n / 4; i++) {
            const qn_float4 four = ((LOCAL_PTR const qn_float4 *)from)[i];
            array[4 * i] = four.x, array[4 * i + 1] = four.y, array[4 * i + 2] = four.z, array[4 * i + 3] = four.w;
        }
    }
}

DEVICE_FN void write_global(int n, GLOBAL float *to, const float *array)
{
    if (n == 1) {
        to[0] = array[0];
    } else if (n == 2) {
        *(GLOBAL qn_float2 *)to = FLOAT2_MAKE(array[0], array[1]);
    } else {
        UNROLL
        for (int i = 0; i < n / 4; i++)
            ((GLOBAL qn_float4 *)to)[i] =
                FLOAT4_MAKE(array[4 * i], array[4 * i + 1], array[4 * i + 2], array[4 * i + 3]);
    }
}

DEVICE_FN void write_local(int n, LOCAL_PTR float *to, const float *array)
{
    if (n == 1) {
        to[0] = array[0];
    } else if (n == 2) {
        *(LOCAL_PTR qn_float2 *)to = FLOAT2_MAKE(array[0], array[1]);
    } else {
        UNROLL
        for (int i = 0; i < n / 4; i++)
            ((LOCAL_PTR qn_float4 *)to)[i] =
                FLOAT4_MAKE(array[4 * i], array[4 * i + 1], array[4 * i + 2], array[4 * i + 3]);
    }
}

/* An asynchronous copy from global to local memory; see ASYNC_COPY. */
DEVICE_FN void copy_async(int n, LOCAL_PTR float *to, GLOBAL const float *RESTRICT from)
{
    if (n == 1) {
        ASYNC_COPY(1, to, from);
    } else if (n == 2) {
        ASYNC_COPY(2, to, from);
    } else {
        UNROLL
        for (int i = 0; i < n; i += 4) ASYNC_COPY(4, to + i, from + i);
    }
}
