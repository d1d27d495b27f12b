/* Kernels of test_prelude.c; prelude_words.dev.h is placed before this text. Every kernel runs n work-items in groups
 * of GROUP_SIZE. */
#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef WIDTH
#error "WIDTH: elements of an explicit vector"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void integers(GLOBAL const int *RESTRICT a, GLOBAL const int *RESTRICT b,
                                                   GLOBAL qn_int64 *RESTRICT out, int n)
{
    int i = GLOBAL_ID(0);
    for (int word = 0; word < INTEGER_WORDS; word++) out[word * n + i] = integer_word(word, a[i], b[i]);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void floats(GLOBAL const float *RESTRICT a, GLOBAL const float *RESTRICT b,
                                                 GLOBAL const float *RESTRICT c, GLOBAL float *RESTRICT exact,
                                                 GLOBAL float *RESTRICT rough, GLOBAL qn_complex *RESTRICT complex_out,
                                                 int n)
{
    int i = GLOBAL_ID(0);
    UNROLL
    for (int word = 0; word < EXACT_WORDS; word++) exact[word * n + i] = exact_word(word, a[i], b[i], c[i]);
    UNROLL_BY(2)
    for (int word = 0; word < ROUGH_WORDS; word++) rough[word * n + i] = rough_word(word, ABS(a[i]) + 0.01f);
    for (int word = 0; word < COMPLEX_WORDS; word++)
        complex_out[word * n + i] =
            complex_word(word, COMPLEX_MAKE(a[i], b[i]), COMPLEX_MAKE(b[i], c[i]), COMPLEX_MAKE(c[i], a[i]));
}

/* stats: 8 floats for each item. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void vectors(GLOBAL const float *RESTRICT x, GLOBAL const float *RESTRICT y,
                                                  GLOBAL float *RESTRICT out, GLOBAL int *RESTRICT whole,
                                                  GLOBAL float *RESTRICT stats)
{
    LOCAL float tile[GROUP_SIZE * WIDTH];
    int i = GLOBAL_ID(0), l = LOCAL_ID(0), mirror = GROUP_SIZE - 1 - l;
    VEC(float, WIDTH) a = VEC_LOAD(WIDTH, x + i * WIDTH), b = VEC_LOAD(WIDTH, y + i * WIDTH);
    VEC(float, WIDTH) tenth = VEC_SPLAT(float, WIDTH, 0.1f);
    VEC_STORE(WIDTH, out + i * WIDTH, VEC_SELECT(a > b, VEC_FMA(a, b, tenth), a * b + tenth));
    VEC(int, WIDTH) cut = VEC_CONVERT(int, WIDTH, a *VEC_SPLAT(float, WIDTH, 100.0f)) + VEC_RAMP(int, WIDTH);
    VEC(uint, WIDTH) unsigned_one = VEC_SPLAT(uint, WIDTH, 1);
    VEC_STORE(WIDTH, whole + i * WIDTH, cut + VEC_CONVERT(int, WIDTH, unsigned_one));
    VEC_STORE(WIDTH, tile + l * WIDTH, b);
    LOCAL_BARRIER();
    VEC(float, WIDTH) other = VEC_LOAD(WIDTH, tile + mirror * WIDTH);
    stats[8 * i] = VEC_SUM(WIDTH, a);
    stats[8 * i + 1] = VEC_MINIMUM(WIDTH, a);
    stats[8 * i + 2] = VEC_MAXIMUM(WIDTH, a);
    stats[8 * i + 3] = VEC_ELEMENT(WIDTH, a, 0);
    stats[8 * i + 4] = VEC_ANY(WIDTH, a > VEC_SPLAT(float, WIDTH, 3.0f)) ? 1.0f : 0.0f;
    stats[8 * i + 5] = VEC_SUM(WIDTH, FMA(FLOOR(a), ABS(b), ROUND(b)));
    stats[8 * i + 6] = VEC_SUM(WIDTH, FMAX(FMIN(a, b), MIN(a, MAX(b, tenth))));
    stats[8 * i + 7] = VEC_SUM(WIDTH, other) + VEC_SUM(WIDTH, SATURATE(a));
}

/* counts: 12 int; sums: 3 float; tickets: one for each work-item. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void atomics(GLOBAL int *counts, GLOBAL float *sums, GLOBAL int *tickets)
{
    LOCAL int local_counts[7];
    LOCAL float local_sums[2];
    int i = GLOBAL_ID(0), l = LOCAL_ID(0);
    if (l < 4) local_counts[l] = 0;
    if (l == 4) local_counts[4] = 0x7fffffff;
    if (l == 5) local_counts[5] = -0x7fffffff;
    if (l == 6) local_counts[6] = 0;
    if (l < 2) local_sums[l] = 0.0f;
    LOCAL_BARRIER();
    LOCAL_ATOMIC_ADD_INT(&local_counts[i & 3], i);
    LOCAL_ATOMIC_MIN_INT(&local_counts[4], 500 - i);
    LOCAL_ATOMIC_MAX_INT(&local_counts[5], i - 500);
    LOCAL_ATOMIC_OR_INT(&local_counts[6], 1 << (i % 31));
    LOCAL_ATOMIC_ADD_FLOAT(&local_sums[i & 1], (float)(i & 15));
    LOCAL_BARRIER();
    if (l < 4) ATOMIC_ADD_INT(&counts[l], local_counts[l]);
    if (l == 4) ATOMIC_MIN_INT(&counts[4], local_counts[4]);
    if (l == 5) ATOMIC_MAX_INT(&counts[5], local_counts[5]);
    if (l == 6) ATOMIC_OR_INT(&counts[6], local_counts[6]);
    if (l < 2) ATOMIC_ADD_FLOAT(&sums[1 + l], local_sums[l]);
    ATOMIC_ADD_INT((GLOBAL qn_uint32 *)counts + 7, 0xC0000000u);
    ATOMIC_ADD_FLOAT(&sums[0], (float)(i & 7));
    int old = 0, expected;
    do {
        expected = old;
        old = ATOMIC_COMPARE_EXCHANGE_INT(&counts[8], expected, expected + 3);
    } while (old != expected);
    tickets[i] = ATOMIC_ADD_INT(&counts[9], 1);
}

DEVICE_FN int sum_group(LOCAL_PTR int *values)
{
    for (int reach = GROUP_SIZE / 2; reach > 0; reach /= 2) {
        if (LOCAL_ID(0) < reach) values[LOCAL_ID(0)] += values[LOCAL_ID(0) + reach];
        LOCAL_BARRIER();
    }
    return values[0];
}

/* out: four int for each item: the sum of its group's values; its neighbour's value in `shared`; the global size plus
 * 100000 times the number of groups; 0. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void groups(GLOBAL const int *RESTRICT values, GLOBAL int *shared, GLOBAL int *out)
{
    LOCAL int tile[GROUP_SIZE];
    int i = GLOBAL_ID(0), l = LOCAL_ID(0), first = GROUP_ID(0) * LOCAL_SIZE(0);
    tile[l] = values[i];
    shared[i] = values[i] * 2;
    GLOBAL_BARRIER();
    int neighbour = shared[first + (l + 1) % GROUP_SIZE];
    int sum = sum_group(tile);
    out[4 * i] = sum;
    out[4 * i + 1] = neighbour;
    out[4 * i + 2] = GLOBAL_SIZE(0) + GROUP_COUNT(0) * 100000;
    out[4 * i + 3] = first + l - i;
}

/* out: seven floats for each item: the first seven of its neighbour's eight, which three batches of copies load. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void copies(GLOBAL const float *RESTRICT from, GLOBAL float *RESTRICT out)
{
    LOCAL qn_float4 fours[GROUP_SIZE];
    LOCAL qn_float2 twos[GROUP_SIZE];
    LOCAL float ones[GROUP_SIZE];
    int i = GLOBAL_ID(0), l = LOCAL_ID(0), neighbour = (l + 1) % GROUP_SIZE;
    ASYNC_COPY(4, &fours[l], from + 8 * i);
    ASYNC_COMMIT();
    ASYNC_COPY(2, &twos[l], from + 8 * i + 4);
    ASYNC_COMMIT();
    ASYNC_COPY(1, &ones[l], from + 8 * i + 6);
    ASYNC_COMMIT();
    ASYNC_WAIT(2);
    LOCAL_BARRIER();
    qn_float4 four = fours[neighbour];
    out[7 * i] = four.x;
    out[7 * i + 1] = four.y;
    out[7 * i + 2] = four.z;
    out[7 * i + 3] = four.w;
    ASYNC_WAIT(0);
    LOCAL_BARRIER();
    out[7 * i + 4] = twos[neighbour].x;
    out[7 * i + 5] = twos[neighbour].y;
    out[7 * i + 6] = ones[neighbour];
}
