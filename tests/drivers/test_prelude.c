/* devices: host opencl:0 cuda:0 */
/* Every word of the kernel language on a device is compared with the same value computed here in plain C: bit for
 * bit where the word is exact, within the documented units in the last place (ulp) where it is not. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/family.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"

#include "runtime/prelude/prelude_host.h"

#include "prelude_words.dev.h"

enum { ITEMS = 512, GROUP = 64, WIDTH_MAX = 16, STATS = 8 };
enum { INTEGERS, FLOATS, VECTORS, ATOMICS, GROUPS, COPIES, KERNELS };

static const char *identifier;
static qn_context *context;
static qn_device *device;
static qn_queue *queue;

/* Inputs of the kernels, filled by make_inputs. */
static int32_t integer_a[ITEMS], integer_b[ITEMS];
static float float_a[ITEMS], float_b[ITEMS], float_c[ITEMS];

static qn_geometry geometry(const qn_configuration *configuration, const void *problem)
{
    (void)problem;
    return (qn_geometry){{ITEMS, 1, 1}, {(size_t)configuration->value[0], 1, 1}};
}

static qn_status host_integers(const qn_host_launch *launch)
{
    const int32_t *a = launch->arguments[0], *b = launch->arguments[1];
    int64_t *out = launch->arguments[2];
    int n = *(const int32_t *)launch->arguments[3];
    for (int word = 0; word < INTEGER_WORDS; word++)
        for (int i = 0; i < n; i++) out[word * n + i] = integer_word(word, a[i], b[i]);
    return QN_OK;
}

static qn_status host_floats(const qn_host_launch *launch)
{
    const float *a = launch->arguments[0], *b = launch->arguments[1], *c = launch->arguments[2];
    float *exact = launch->arguments[3], *rough = launch->arguments[4];
    qn_complex *complex_out = launch->arguments[5];
    int n = *(const int32_t *)launch->arguments[6];
    for (int i = 0; i < n; i++) {
        for (int word = 0; word < EXACT_WORDS; word++) exact[word * n + i] = exact_word(word, a[i], b[i], c[i]);
        for (int word = 0; word < ROUGH_WORDS; word++) rough[word * n + i] = rough_word(word, ABS(a[i]) + 0.01f);
        for (int word = 0; word < COMPLEX_WORDS; word++)
            complex_out[word * n + i] =
                complex_word(word, COMPLEX_MAKE(a[i], b[i]), COMPLEX_MAKE(b[i], c[i]), COMPLEX_MAKE(c[i], a[i]));
    }
    return QN_OK;
}

static const qn_argument_declaration integers_arguments[] = {
    {"a", QN_IN, QN_INT32}, {"b", QN_IN, QN_INT32}, {"out", QN_OUT, QN_INT64}, {"n", QN_VALUE, QN_INT32}};
static const qn_argument_declaration floats_arguments[] = {
    {"a", QN_IN, QN_FLOAT32},      {"b", QN_IN, QN_FLOAT32},      {"c", QN_IN, QN_FLOAT32},
    {"exact", QN_OUT, QN_FLOAT32}, {"rough", QN_OUT, QN_FLOAT32}, {"complex_out", QN_OUT, QN_FLOAT32},
    {"n", QN_VALUE, QN_INT32}};
static const qn_argument_declaration vectors_arguments[] = {{"x", QN_IN, QN_FLOAT32},
                                                            {"y", QN_IN, QN_FLOAT32},
                                                            {"out", QN_OUT, QN_FLOAT32},
                                                            {"whole", QN_OUT, QN_INT32},
                                                            {"stats", QN_OUT, QN_FLOAT32}};
static const qn_argument_declaration atomics_arguments[] = {
    {"counts", QN_INOUT, QN_INT32}, {"sums", QN_INOUT, QN_FLOAT32}, {"tickets", QN_OUT, QN_INT32}};
static const qn_argument_declaration groups_arguments[] = {
    {"values", QN_IN, QN_INT32}, {"shared", QN_INOUT, QN_INT32}, {"out", QN_OUT, QN_INT32}};
static const qn_argument_declaration copies_arguments[] = {{"from", QN_IN, QN_FLOAT32}, {"out", QN_OUT, QN_FLOAT32}};

static const qn_kernel_declaration kernels[KERNELS] = {
    [INTEGERS] = {"integers", integers_arguments, 4, geometry, host_integers, NULL},
    [FLOATS] = {"floats", floats_arguments, 7, geometry, host_floats, NULL},
    [VECTORS] = {"vectors", vectors_arguments, 5, geometry, NULL, NULL},
    [ATOMICS] = {"atomics", atomics_arguments, 3, geometry, NULL, NULL},
    [GROUPS] = {"groups", groups_arguments, 3, geometry, NULL, NULL},
    [COPIES] = {"copies", copies_arguments, 2, geometry, NULL, NULL},
};

static const qn_tunable tunables[] = {{"GROUP_SIZE", {GROUP}, 1, GROUP, "work-items per group"},
                                      {"WIDTH", {1, 2, 4, 8, WIDTH_MAX}, 5, 1, "elements of an explicit vector"}};

/* The source is read when the test starts. */
static qn_family family = {
    .name = "tests/prelude", .kernels = kernels, .kernel_count = KERNELS, .tunables = tunables, .tunable_count = 2};

/* The host runs only the kernels of pure functions: `integers` and `floats`. */
static bool is_host(void)
{
    return strstr(identifier, "host") != NULL;
}

/* One buffer argument of a run: host memory that is written to the device before and read back after. */
typedef struct memory {
    void *data;
    size_t bytes;
} memory;

/* Run a kernel whose arguments are `count` buffers and, if n >= 0, the value n. */
static qn_status run(int kernel, int width, const memory *memories, int count, int n)
{
    qn_buffer *buffers[8] = {0};
    qn_argument arguments[8];
    const qn_configuration configuration = {{GROUP, width}};
    qn_status status = QN_OK;
    for (int i = 0; i < count && status == QN_OK; i++) {
        status = qn_buffer_create(device, memories[i].bytes, &buffers[i]);
        if (status == QN_OK) status = qn_queue_write(queue, buffers[i], 0, memories[i].data, memories[i].bytes, NULL);
        if (status == QN_OK) arguments[i] = qn_argument_buffer(buffers[i]);
    }
    if (n >= 0) arguments[count] = qn_argument_int32(n);
    const qn_family_call call = {
        .kernel = kernel, .arguments = arguments, .argument_count = count + (n >= 0), .configuration = &configuration};
    if (status == QN_OK) status = qn_family_run(&family, queue, &call, NULL);
    for (int i = 0; i < count && status == QN_OK; i++)
        status = qn_queue_read(queue, buffers[i], 0, memories[i].data, memories[i].bytes, NULL);
    if (status == QN_OK) status = qn_queue_finish(queue);
    for (int i = 0; i < count; i++) qn_buffer_release(&buffers[i]);
    return status;
}

/* Corner values first, then a fixed sequence of pseudo-random bits. */
static void make_inputs(void)
{
    static const int32_t corners[] = {0, 1, -1, INT32_MAX, INT32_MIN, 255, -256, 1 << 20};
    static const float halves[] = {0.5f, 1.5f, -0.5f, -2.5f, 3.0f, -7.0f, 0.25f, 123456.5f};
    uint32_t bits = 12345;
    for (int i = 0; i < ITEMS; i++) {
        bits = bits * 1664525u + 1013904223u;
        integer_a[i] = i < 64 ? corners[i / 8] : (int32_t)bits;
        float_a[i] = i < 8 ? halves[i] : ((float)(bits >> 8) * 0x1p-24f - 0.5f) * 16.0f;
        bits = bits * 1664525u + 1013904223u;
        integer_b[i] = i < 64 ? corners[i % 8] : (int32_t)(bits ^ bits >> 16);
        float_b[i] = ((float)(bits >> 8) * 0x1p-24f - 0.5f) * 3.0f;
        bits = bits * 1664525u + 1013904223u;
        float_c[i] = (float)(bits >> 8) * 0x1p-24f + 0.1f;
    }
}

__extension__ typedef unsigned __int128 wide_product;

static int64_t expected_integer(int word, int32_t a, int32_t b)
{
    static const int primes[] = {2, 3, 5, 7};
    uint64_t wide = UINT64_C(0x9E3779B97F4A7C15) * (uint32_t)a;
    float converted = (float)a;
    uint32_t bits;
    int count = 0;
    int64_t shifted = (int64_t)a * b + 524288;
    memcpy(&bits, &converted, sizeof bits);
    switch (word) {
    case 0: return (int64_t)a * b >> 32;
    case 1: return (int64_t)((uint64_t)(uint32_t)a * (uint32_t)b >> 32);
    case 2: return (int64_t)((wide_product)wide * ((uint64_t)(uint32_t)b << 31 | 12345u) >> 64);
    case 3:
        for (int bit = 0; bit < 32; bit++) count += (uint32_t)a >> bit & 1;
        return count;
    case 4:
        while (count < 32 && !((uint32_t)a >> (31 - count) & 1)) count++;
        return count;
    case 5: return bits;
    case 6: return shifted / 1048576 - (shifted % 1048576 < 0);
    case 7: return (int64_t)nearbyint((double)converted / 512.0);
    case 8: return a < b ? a : b;
    case 9: return a > b ? a : b;
    case 10: return a < -1000 ? -1000 : a > 1000 ? 1000 : a;
    case 11: return (int64_t)((uint64_t)(uint32_t)a * (uint32_t)b % (UINT64_C(1) << 32));
    case 12: return primes[(uint32_t)b % 4];
    default: return (int64_t)(wide ^ wide >> 29) + (int64_t)((uint32_t)a % 256) + b;
    }
}

static void integer_words_are_exact(void)
{
    static int64_t out[INTEGER_WORDS * ITEMS];
    const memory memories[] = {{integer_a, sizeof integer_a}, {integer_b, sizeof integer_b}, {out, sizeof out}};
    if (!CHECK_OK(run(INTEGERS, 1, memories, 3, ITEMS))) return;
    for (int word = 0; word < INTEGER_WORDS; word++) {
        int wrong = 0;
        for (int i = 0; i < ITEMS; i++) {
            int64_t expected = expected_integer(word, integer_a[i], integer_b[i]);
            if (out[word * ITEMS + i] != expected && !wrong++)
                fprintf(stderr, "integer word %d of %d, %d: %" PRId64 ", expected %" PRId64 "\n", word, integer_a[i],
                        integer_b[i], out[word * ITEMS + i], expected);
        }
        CHECK(wrong == 0);
    }
}

/* volatile keeps this compiler from fusing operations or keeping more bits. */
static float rounded_product(float a, float b)
{
    volatile float product = a * b;
    return product;
}

static float expected_exact(int word, float a, float b, float c)
{
    switch (word) {
    case 0: return fmaf(a, b, c);
    case 1: return rounded_product(a, b) + c;
    case 2: return a - rounded_product(b, c);
    case 3: return floorf(a);
    case 4: return (float)nearbyint((double)a);
    case 5: return a < 0 ? -a : a;
    case 6:
    case 8: return a < b ? a : b;
    case 7:
    case 9: return a > b ? a : b;
    case 10: return a < -0.5f ? -0.5f : a > 0.25f ? 0.25f : a;
    case 11: return -a;
    case 12: return 3.14159265358979f;
    case 13: return 1.0f + c;
    case 14: return (a + b) + c;
    case 15: return fmaf(a, b, c) < 0 ? 0 : fmaf(a, b, c) > 1 ? 1 : fmaf(a, b, c);
    default: return (float)trunc((double)a);
    }
}

static void expected_complex(int word, const float *a, const float *b, const float *c, float *out)
{
    switch (word) {
    case 0: out[0] = a[0] + b[0], out[1] = a[1] + b[1]; break;
    case 1: out[0] = a[0] - b[0], out[1] = a[1] - b[1]; break;
    case 2: out[0] = a[0] * b[0], out[1] = a[1] * b[0]; break;
    case 3: out[0] = a[0], out[1] = -a[1]; break;
    case 4:
        out[0] = fmaf(a[0], b[0], -rounded_product(a[1], b[1]));
        out[1] = fmaf(a[0], b[1], rounded_product(a[1], b[0]));
        break;
    case 5:
        out[0] = fmaf(a[0], b[0], rounded_product(a[1], b[1]));
        out[1] = fmaf(a[1], b[0], -rounded_product(a[0], b[1]));
        break;
    case 6:
        out[0] = fmaf(-a[1], b[1], fmaf(a[0], b[0], c[0]));
        out[1] = fmaf(a[1], b[0], fmaf(a[0], b[1], c[1]));
        break;
    default: out[0] = fmaf(a[0], a[0], rounded_product(a[1], a[1])), out[1] = b[1]; break;
    }
}

/* Return the value in double precision; *tolerance is relative to it. */
static double expected_rough(int word, double x, double *tolerance)
{
    const double ulp = 0x1p-23, units[ROUGH_WORDS] = {3, 2, 3, 3, 4, 4, 0, 0, 0, 3, 2.5};
    *tolerance = units[word] > 0 ? units[word] * ulp : 1e-6;
    switch (word) {
    case 0:
    case 9: return sqrt(x);
    case 1:
    case 7: return 1 / sqrt(x);
    case 2: return exp((double)((float)x - 8.0f));
    case 3: return log((double)((float)x + 1.5f));
    case 4: return sin(x);
    case 5: return cos(x);
    case 6: *tolerance = 1e-6 * (1 + fabs(x - 8)); return exp((double)((float)x - 8.0f));
    default: return 3 / x;
    }
}

static int count_wrong_floats(int word, const float *out)
{
    int wrong = 0;
    for (int i = 0; i < ITEMS; i++) {
        float expected = expected_exact(word, float_a[i], float_b[i], float_c[i]);
        if (expected == 0 && out[i] == 0) continue; /* 0 or −0 */
        if (memcmp(&out[i], &expected, sizeof expected) != 0 && !wrong++)
            fprintf(stderr, "exact word %d of %a, %a, %a: %a, expected %a\n", word, (double)float_a[i],
                    (double)float_b[i], (double)float_c[i], (double)out[i], (double)expected);
    }
    return wrong;
}

static void float_words_round_as_documented(void)
{
    static float exact[EXACT_WORDS * ITEMS], rough[ROUGH_WORDS * ITEMS], complex_out[COMPLEX_WORDS * ITEMS * 2];
    const memory memories[] = {{float_a, sizeof float_a}, {float_b, sizeof float_b}, {float_c, sizeof float_c},
                               {exact, sizeof exact},     {rough, sizeof rough},     {complex_out, sizeof complex_out}};
    if (!CHECK_OK(run(FLOATS, 1, memories, 6, ITEMS))) return;
    for (int word = 0; word < EXACT_WORDS; word++) CHECK(count_wrong_floats(word, exact + word * ITEMS) == 0);
    for (int word = 0; word < ROUGH_WORDS; word++) {
        double worst = 0;
        for (int i = 0; i < ITEMS; i++) {
            float x = fabsf(float_a[i]) + 0.01f;
            double tolerance, expected = expected_rough(word, (double)x, &tolerance);
            worst = fmax(worst, fabs((double)rough[word * ITEMS + i] - expected) / (tolerance * fabs(expected)));
        }
        if (worst > 1) fprintf(stderr, "rough word %d: error is %g times the tolerance\n", word, worst);
        CHECK(worst <= 1);
    }
    for (int word = 0; word < COMPLEX_WORDS; word++) {
        int wrong = 0;
        for (int i = 0; i < ITEMS; i++) {
            const float a[] = {float_a[i], float_b[i]}, b[] = {float_b[i], float_c[i]}, c[] = {float_c[i], float_a[i]};
            float expected[2];
            expected_complex(word, a, b, c, expected);
            wrong += memcmp(expected, complex_out + 2 * (word * ITEMS + i), sizeof expected) != 0;
        }
        if (wrong) fprintf(stderr, "complex word %d: %d of %d wrong\n", word, wrong, ITEMS);
        CHECK(wrong == 0);
    }
}

/* Sum in the documented order: the upper half is added to the lower half until one element remains. */
static float sum_halves(const float *values, int width)
{
    float sums[WIDTH_MAX];
    memcpy(sums, values, (size_t)width * sizeof sums[0]);
    for (int reach = width / 2; reach > 0; reach /= 2)
        for (int i = 0; i < reach; i++) sums[i] = sums[i] + sums[i + reach];
    return sums[0];
}

static void expected_stats(const float *a, const float *b, const float *mirror, int width, float *stats)
{
    float words[WIDTH_MAX], limits[WIDTH_MAX], shares[WIDTH_MAX];
    stats[1] = stats[2] = stats[3] = a[0];
    stats[4] = 0;
    for (int i = 0; i < width; i++) {
        float middle = b[i] > 0.1f ? b[i] : 0.1f;
        stats[1] = fminf(stats[1], a[i]);
        stats[2] = fmaxf(stats[2], a[i]);
        if (a[i] > 3.0f) stats[4] = 1;
        words[i] = fmaf(floorf(a[i]), fabsf(b[i]), rintf(b[i]));
        limits[i] = fmaxf(fminf(a[i], b[i]), fminf(a[i], middle));
        shares[i] = a[i] < 0 ? 0 : a[i] > 1 ? 1 : a[i];
    }
    stats[0] = sum_halves(a, width);
    stats[5] = sum_halves(words, width);
    stats[6] = sum_halves(limits, width);
    stats[7] = sum_halves(mirror, width) + sum_halves(shares, width);
}

static void check_vectors(int width)
{
    static float x[ITEMS * WIDTH_MAX], y[ITEMS * WIDTH_MAX], out[ITEMS * WIDTH_MAX], stats[ITEMS * STATS];
    static int32_t whole[ITEMS * WIDTH_MAX];
    const size_t bytes = (size_t)(ITEMS * width) * sizeof(float);
    const memory memories[] = {{x, bytes}, {y, bytes}, {out, bytes}, {whole, bytes}, {stats, sizeof stats}};
    int wrong = 0;
    for (int i = 0; i < ITEMS * width; i++) {
        x[i] = float_a[i % ITEMS] * (1.0f + (float)(i / ITEMS) * 0x1p-6f);
        if (fabsf(x[i]) > 1000.0f) x[i] = 1000.0f; /* 100 times it must fit an int */
        y[i] = float_b[(i * 5 + 3) % ITEMS];
    }
    if (!CHECK_OK(run(VECTORS, width, memories, 5, -1))) return;
    for (int i = 0; i < ITEMS * width; i++) {
        float expected = x[i] > y[i] ? fmaf(x[i], y[i], 0.1f) : rounded_product(x[i], y[i]) + 0.1f;
        wrong += out[i] != expected;
        wrong += whole[i] != (int32_t)rounded_product(x[i], 100.0f) + i % width + 1;
    }
    CHECK(wrong == 0);
    for (int i = 0; i < ITEMS; i++) {
        float expected[STATS];
        int mirror = i / GROUP * GROUP + GROUP - 1 - i % GROUP;
        expected_stats(x + i * width, y + i * width, y + mirror * width, width, expected);
        for (int k = 0; k < STATS; k++)
            if (stats[STATS * i + k] != expected[k] && !wrong++)
                fprintf(stderr, "width %d, item %d, value %d: %a, expected %a\n", width, i, k,
                        (double)stats[STATS * i + k], (double)expected[k]);
    }
    CHECK(wrong == 0);
}

static void vector_words_work_at_every_width(void)
{
    const bool is_cuda = strstr(identifier, "cuda") != NULL;
    for (int width = 1; width <= (is_cuda ? 1 : WIDTH_MAX); width *= 2) check_vectors(width);
}

static int compare_ints(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static void atomics_count_every_work_item(void)
{
    int32_t counts[12] = {0, 0, 0, 0, INT32_MAX, INT32_MIN}, residues[4] = {0}, bits = 0;
    static int32_t tickets[ITEMS];
    float sums[3] = {0.0f, 0.0f, 0.0f}, expected_sums[3] = {0.0f, 0.0f, 0.0f};
    const memory memories[] = {{counts, sizeof counts}, {sums, sizeof sums}, {tickets, sizeof tickets}};
    if (!CHECK_OK(run(ATOMICS, 1, memories, 3, -1))) return;
    for (int i = 0; i < ITEMS; i++) { /* small integers: any order of float additions gives the same */
        residues[i % 4] += i;
        bits |= 1 << (i % 31);
        expected_sums[0] += (float)(i % 8);
        expected_sums[1 + i % 2] += (float)(i % 16);
    }
    for (int i = 0; i < 4; i++) CHECK(counts[i] == residues[i]);
    CHECK(counts[4] == 500 - (ITEMS - 1));
    CHECK(counts[5] == ITEMS - 1 - 500);
    CHECK(counts[6] == bits);
    CHECK((uint32_t)counts[7] == (uint32_t)(UINT64_C(0xC0000000) * ITEMS));
    CHECK(counts[8] == 3 * ITEMS);
    CHECK(counts[9] == ITEMS);
    CHECK(counts[10] == 0 && counts[11] == 0);
    for (int i = 0; i < 3; i++) CHECK(sums[i] == expected_sums[i]);
    qsort(tickets, ITEMS, sizeof tickets[0], compare_ints);
    int wrong = 0;
    for (int i = 0; i < ITEMS; i++) wrong += tickets[i] != i;
    CHECK(wrong == 0);
}

static void groups_share_memory(void)
{
    static int32_t values[ITEMS], shared[ITEMS], out[4 * ITEMS];
    const memory memories[] = {{values, sizeof values}, {shared, sizeof shared}, {out, sizeof out}};
    int wrong = 0;
    for (int i = 0; i < ITEMS; i++) values[i] = i * i % 1009;
    if (!CHECK_OK(run(GROUPS, 1, memories, 3, -1))) return;
    for (int first = 0; first < ITEMS; first += GROUP) {
        int sum = 0;
        for (int l = 0; l < GROUP; l++) sum += values[first + l];
        for (int l = 0; l < GROUP; l++) {
            const int32_t *item = out + (ptrdiff_t)4 * (first + l);
            wrong += item[0] != sum || item[1] != 2 * values[first + (l + 1) % GROUP];
            wrong += item[2] != ITEMS + ITEMS / GROUP * 100000 || item[3] != 0;
        }
    }
    CHECK(wrong == 0);
}

/* Each item gets its neighbour's first seven floats, copied as four, two and one. */
static void copies_reach_local_memory(void)
{
    static float from[8 * ITEMS], out[7 * ITEMS];
    const memory memories[] = {{from, sizeof from}, {out, sizeof out}};
    int wrong = 0;
    for (int i = 0; i < 8 * ITEMS; i++) from[i] = (float)i;
    if (!CHECK_OK(run(COPIES, 1, memories, 2, -1))) return;
    for (int i = 0; i < ITEMS; i++) {
        const int neighbour = i / GROUP * GROUP + (i + 1) % GROUP;
        for (int e = 0; e < 7; e++) wrong += out[7 * i + e] != from[8 * neighbour + e];
    }
    CHECK(wrong == 0);
}

static qn_status read_source(qn_text *source)
{
    static const char *const names[] = {"prelude_words.dev.h", "prelude_words.cl"};
    for (int i = 0; i < 2; i++) {
        char path[1024], *data = NULL;
        size_t size = 0;
        snprintf(path, sizeof path, "%.*s%s", (int)(qn_path_name(__FILE__) - __FILE__), __FILE__, names[i]);
        QN_TRY(qn_file_read(path, &data, &size));
        qn_status status = qn_text_append(source, "#line 1 \"%s\"\n%s", names[i], data);
        qn_release(&data);
        QN_TRY(status);
    }
    return QN_OK;
}

int main(int argc, char **argv)
{
    qn_text source = {0};
    identifier = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context)) || !CHECK_OK(read_source(&source))) return check_finish();
    family.source = source.data;
    if (is_host()) family.kernel_count = VECTORS; /* only the kernels of pure functions */
    qn_status status = qn_device_open(context, identifier, &device);
    if (status == QN_NO_DEVICE) check_skip(strstr(identifier, "cuda") ? "cuda" : "opencl", qn_error_message());
    if (CHECK_OK(status) && CHECK_OK(qn_queue_create(device, &queue))) {
        make_inputs();
        RUN(integer_words_are_exact);
        RUN(float_words_round_as_documented);
        if (!is_host()) {
            RUN(vector_words_work_at_every_width);
            RUN(atomics_count_every_work_item);
            RUN(groups_share_memory);
            RUN(copies_reach_local_memory);
        }
    }
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    qn_text_clear(&source);
    return check_finish();
}
