/* The transform of host_transform.h alone, without devices: it is compared with the defining sums, and gives the same
 * bits for any batch and number of threads. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fft/host_transform.h"
#include "fft/tests/naive_transform.h"

typedef struct trial {
    qn_host_transform *transform;
    size_t input_floats, output_floats;
    float *input, *output;
    void *scratch;
} trial;

static void *room(size_t count, size_t size)
{
    void *memory = NULL;
    CHECK_OK(qn_allocate(count, size, &memory));
    return memory;
}

static trial trial_start(const int size[3], const int filled[3], qn_fft_kind kind, int batch, int threads)
{
    trial t = {0};
    CHECK_OK(qn_host_transform_create(size, filled, kind, &t.transform));
    t.input_floats = qn_host_transform_input_floats(t.transform);
    t.output_floats = qn_host_transform_output_floats(t.transform);
    t.input = room(t.input_floats * (size_t)batch, sizeof(float));
    t.output = room(t.output_floats * (size_t)batch, sizeof(float));
    memset(t.output, 0xFF, t.output_floats * (size_t)batch * sizeof(float));
    t.scratch = room(qn_host_transform_scratch_bytes(t.transform), (size_t)threads);
    memset(t.scratch, 0xFF, qn_host_transform_scratch_bytes(t.transform) * (size_t)threads);
    return t;
}

static void trial_end(trial *t)
{
    qn_release(&t->input);
    qn_release(&t->output);
    qn_release(&t->scratch);
    qn_host_transform_destroy(&t->transform);
}

/* Relative L2 distance of one output element from the defining sums of its input. */
static double error_of(const trial *t, const int size[3], qn_fft_kind kind, const float *input, const float *output)
{
    naive_grid grid = {{size[0], size[1], size[2]}, malloc(2 * naive_count(size) * sizeof(double))};
    const size_t count = naive_count(size), nx = (size_t)size[0], half = nx / 2 + 1;
    const int sign = kind == QN_FFT_COMPLEX_FORWARD || kind == QN_FFT_REAL_FORWARD ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        const size_t x = i % nx, y = i / nx % (size_t)size[1], z = i / nx / (size_t)size[1];
        double *to = grid.values + 2 * i;
        if (kind == QN_FFT_REAL_FORWARD) {
            to[0] = (double)input[i];
            to[1] = 0;
        } else if (kind == QN_FFT_REAL_INVERSE) {
            /* The other half contains the conjugates, at the mirrored places. */
            const bool mirror = x >= half;
            const size_t my = mirror ? ((size_t)size[1] - y) % (size_t)size[1] : y;
            const size_t mz = mirror ? ((size_t)size[2] - z) % (size_t)size[2] : z;
            const float *from = input + 2 * ((mz * (size_t)size[1] + my) * half + (mirror ? nx - x : x));
            to[0] = (double)from[0];
            to[1] = (double)(mirror ? -from[1] : from[1]);
        } else {
            to[0] = (double)input[2 * i];
            to[1] = (double)input[2 * i + 1];
        }
    }
    naive_transform(&grid, sign);
    double difference = 0, norm = 0;
    for (size_t i = 0; i < t->output_floats; i++) {
        double expected;
        if (kind == QN_FFT_REAL_INVERSE) {
            expected = grid.values[2 * i];
        } else if (kind == QN_FFT_REAL_FORWARD) {
            const size_t number = i / 2, row = number / half, x = number % half;
            expected = grid.values[2 * (row * nx + x) + i % 2];
        } else {
            expected = grid.values[i];
        }
        difference += ((double)output[i] - expected) * ((double)output[i] - expected);
        norm += expected * expected;
    }
    free(grid.values);
    return norm > 0 ? sqrt(difference / norm) : sqrt(difference);
}

/* Make a half spectrum that of a real grid: the planes x = 0 and x = nx/2 contain their own conjugates. */
static void make_spectrum_real(const int size[3], float *spectrum)
{
    const int half = size[0] / 2 + 1;
    for (int x = 0; x<half; x += size[0] / 2> 0 ? size[0] / 2 : 1) {
        if (x > 0 && size[0] % 2 == 1) break;
        for (int z = 0; z < size[2]; z++)
            for (int y = 0; y < size[1]; y++) {
                float *a = spectrum + 2 * ((size_t)(z * size[1] + y) * (size_t)half + (size_t)x);
                const int my = (size[1] - y) % size[1], mz = (size[2] - z) % size[2];
                float *b = spectrum + 2 * ((size_t)(mz * size[1] + my) * (size_t)half + (size_t)x);
                b[0] = a[0];
                b[1] = a == b ? 0 : -a[1];
            }
    }
}

static void fill_input(trial *t, const int size[3], const int filled[3], qn_fft_kind kind, int batch)
{
    uint64_t state = (uint64_t)size[0] * 1000003u + (uint64_t)size[1] * 1009u + (uint64_t)size[2];
    const size_t parts = kind == QN_FFT_REAL_FORWARD ? 1 : 2;
    for (int element = 0; element < batch; element++) {
        float *input = t->input + (size_t)element * t->input_floats;
        for (size_t i = 0; i < t->input_floats; i++) input[i] = naive_noise(&state);
        if (kind == QN_FFT_REAL_INVERSE) make_spectrum_real(size, input);
        if (kind == QN_FFT_REAL_INVERSE) continue;
        for (size_t i = 0; i < t->input_floats; i++) {
            const size_t at = i / parts, nx = (size_t)size[0], ny = (size_t)size[1];
            const bool inside =
                (int)(at % nx) < filled[0] && (int)(at / nx % ny) < filled[1] && (int)(at / nx / ny) < filled[2];
            if (!inside) input[i] = 0;
        }
    }
}

static void compare(const int size[3], const int filled_or_none[3], qn_fft_kind kind, int batch)
{
    int filled[3];
    for (int axis = 0; axis < 3; axis++) filled[axis] = filled_or_none[axis] > 0 ? filled_or_none[axis] : size[axis];
    trial t = trial_start(size, filled_or_none, kind, batch, 1);
    fill_input(&t, size, filled, kind, batch);
    float *copy = room(t.input_floats * (size_t)batch, sizeof(float));
    memcpy(copy, t.input, t.input_floats * (size_t)batch * sizeof(float));
    CHECK_OK(qn_host_transform_run(t.transform, NULL, batch, t.input, t.output, t.scratch));
    for (int element = 0; element < batch; element++) {
        double error = error_of(&t, size, kind, copy + (size_t)element * t.input_floats,
                                t.output + (size_t)element * t.output_floats);
        if (!CHECK(error <= naive_tolerance(size)))
            printf("size %d %d %d filled %d %d %d kind %d element %d: relative error %.3g, tolerance %.3g\n", size[0],
                   size[1], size[2], filled[0], filled[1], filled[2], (int)kind, element, error, naive_tolerance(size));
    }
    if (kind != QN_FFT_REAL_INVERSE) CHECK(memcmp(copy, t.input, t.input_floats * (size_t)batch * sizeof(float)) == 0);
    qn_release(&copy);
    trial_end(&t);
}

static const int all[3] = {0, 0, 0};

static void lines_of_every_length(void)
{
    for (int n = 1; n <= 130; n++)
        for (int kind = 0; kind < 4; kind++) compare((int[3]){n, 1, 1}, all, (qn_fft_kind)kind, 1);
    static const int long_lengths[] = {169, 211, 243, 256, 289, 343, 480, 625, 997, 1001, 1024, 2310, 4096};
    for (size_t i = 0; i < sizeof long_lengths / sizeof long_lengths[0]; i++)
        for (int kind = 0; kind < 4; kind++) compare((int[3]){long_lengths[i], 1, 1}, all, (qn_fft_kind)kind, 1);
}

static void columns_of_every_length(void)
{
    for (int n = 1; n <= 130; n++) {
        compare((int[3]){9, n, 1}, all, n % 2 ? QN_FFT_COMPLEX_FORWARD : QN_FFT_COMPLEX_INVERSE, 1);
        compare((int[3]){16, 2, n}, all, n % 2 ? QN_FFT_REAL_INVERSE : QN_FFT_REAL_FORWARD, 1);
    }
}

static void grids_that_are_not_cubes(void)
{
    static const int sizes[][3] = {{1, 1, 1},   {2, 3, 4},   {3, 5, 7},    {8, 8, 8},    {15, 16, 18}, {18, 15, 16},
                                   {11, 13, 9}, {1, 6, 5},   {5, 1, 12},   {20, 1, 30},  {17, 33, 3},  {30, 24, 20},
                                   {31, 10, 8}, {36, 25, 2}, {48, 20, 27}, {64, 12, 11}, {2, 2, 50}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < 4; kind++) compare(sizes[i], all, (qn_fft_kind)kind, 2);
}

static void zero_padded_input(void)
{
    static const int sizes[][3] = {{24, 24, 24}, {27, 20, 18}, {40, 1, 1}, {30, 28, 1}, {36, 1, 21}};
    static const int filled[][3] = {{7, 6, 5}, {1, 1, 1}, {24, 3, 2}, {9, 20, 17}, {2, 9, 18}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < sizeof filled / sizeof filled[0]; j++) {
            int box[3];
            for (int axis = 0; axis < 3; axis++)
                box[axis] = filled[j][axis] < sizes[i][axis] ? filled[j][axis] : sizes[i][axis];
            compare(sizes[i], box, QN_FFT_REAL_FORWARD, 2);
            compare(sizes[i], box, QN_FFT_COMPLEX_FORWARD, 1);
        }
}

/* Check round trips and Parseval's theorem for sizes whose defining sums would take long. */
static void large_grids(void)
{
    static const int sizes[] = {96, 100, 105, 108, 125, 128};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int n = sizes[i], size[3] = {n, n, n};
        const size_t half = (size_t)n / 2 + 1;
        trial forward = trial_start(size, all, QN_FFT_REAL_FORWARD, 1, 1);
        trial inverse = trial_start(size, all, QN_FFT_REAL_INVERSE, 1, 1);
        fill_input(&forward, size, size, QN_FFT_REAL_FORWARD, 1);
        qn_host_transform_execute(forward.transform, forward.input, forward.output, forward.scratch);
        double energy = 0, spectrum_energy = 0, difference = 0;
        for (size_t j = 0; j < forward.output_floats; j++) {
            const size_t x = j / 2 % half;
            const double weight = x == 0 || 2 * x == (size_t)n ? 1 : 2;
            spectrum_energy += weight * (double)forward.output[j] * (double)forward.output[j];
        }
        qn_host_transform_execute(inverse.transform, forward.output, inverse.output, inverse.scratch);
        const double count = (double)naive_count(size);
        for (size_t j = 0; j < forward.input_floats; j++) {
            const double expected = (double)forward.input[j], got = (double)inverse.output[j] / count;
            energy += expected * expected;
            difference += (got - expected) * (got - expected);
        }
        CHECK_NEAR(spectrum_energy / count / energy, 1.0, 1e-6);
        CHECK(sqrt(difference / energy) < naive_tolerance(size));
        trial_end(&forward);
        trial_end(&inverse);
    }
}

/* With any number of threads, a grid in a batch has the same bits as the same grid transformed alone. Element 1 has
 * other numbers and is not compared. */
static void same_bits_on_any_threads(void)
{
    static const int sizes[][3] = {{36, 30, 28}, {27, 15, 1}, {50, 1, 1}, {21, 1, 1}, {13, 22, 17}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < 4; kind++) {
            trial alone = trial_start(sizes[i], all, (qn_fft_kind)kind, 1, 1);
            fill_input(&alone, sizes[i], sizes[i], (qn_fft_kind)kind, 1);
            float *input = room(alone.input_floats, sizeof(float));
            memcpy(input, alone.input, alone.input_floats * sizeof(float));
            qn_host_transform_execute(alone.transform, alone.input, alone.output, alone.scratch);
            for (int threads = 1; threads <= 4; threads++) {
                const int batch = 3; /* more than some numbers of threads, and less than others */
                qn_pool *pool = NULL;
                CHECK_OK(qn_pool_create(threads, &pool));
                trial t = trial_start(sizes[i], all, (qn_fft_kind)kind, batch, threads);
                for (int element = 0; element < batch; element++)
                    for (size_t j = 0; j < t.input_floats; j++)
                        t.input[(size_t)element * t.input_floats + j] = element == 1 ? 1e9f * input[j] : input[j];
                CHECK_OK(qn_host_transform_run(t.transform, pool, batch, t.input, t.output, t.scratch));
                for (int element = 0; element < batch; element += 2)
                    CHECK(memcmp(t.output + (size_t)element * t.output_floats, alone.output,
                                 alone.output_floats * sizeof(float)) == 0);
                trial_end(&t);
                qn_pool_destroy(&pool);
            }
            qn_release(&input);
            trial_end(&alone);
        }
}

static void sizes_below_one_are_refused(void)
{
    qn_host_transform *transform = NULL;
    CHECK_FAILS(qn_host_transform_create((int[3]){4, 0, 4}, NULL, QN_FFT_REAL_FORWARD, &transform),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("along y");
    CHECK(transform == NULL);
}

int main(void)
{
    RUN(lines_of_every_length);
    RUN(columns_of_every_length);
    RUN(grids_that_are_not_cubes);
    RUN(zero_padded_input);
    RUN(large_grids);
    RUN(same_bits_on_any_threads);
    RUN(sizes_below_one_are_refused);
    return check_finish();
}
