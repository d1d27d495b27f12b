/* Blocks of frames: every number of frames is cut into equal blocks, whose scatter gives the error of a mean. */
#include "trajectory/query/blocks.h"

#include <math.h>

#include "base/error.h"
#include "check.h"
#include "math/random.h"

enum { FRAMES = 200, WIDTH = 3 };

static double value_of(size_t frame, size_t k)
{
    return qn_random_uniform(5, k, frame) + 0.01 * (double)frame;
}

/* The definition: the longest power of two of which there are fewer than 16 from the first frame on. */
static size_t length_of(size_t frames)
{
    size_t length = 1;
    while (frames / length > 15) length *= 2;
    return length;
}

static double mean_of(size_t first, size_t count, size_t k)
{
    double sum = 0;
    for (size_t i = first; i < first + count; i++) sum += value_of(i, k);
    return sum / (double)count;
}

static void blocks_are_those_of_the_definition(void)
{
    qn_blocks blocks;
    CHECK_OK(qn_blocks_create(WIDTH, &blocks));
    for (size_t frames = 1; frames <= FRAMES; frames++) {
        double values[WIDTH];
        for (size_t k = 0; k < WIDTH; k++) values[k] = value_of(frames - 1, k);
        qn_blocks_add(&blocks, values);
        const size_t length = length_of(frames);
        if (!CHECK(blocks.length == length && blocks.count == frames / length)) continue;
        for (size_t block = 0; block < blocks.count; block++)
            for (size_t k = 0; k < WIDTH; k++)
                CHECK_NEAR(qn_blocks_sums(&blocks, block)[k] / (double)length, mean_of(block * length, length, k),
                           1e-12);
    }
    qn_blocks_clear(&blocks);
}

static void the_error_is_the_scatter_of_means(void)
{
    static double table[FRAMES][WIDTH];
    static const size_t counts[] = {5, 15, 16, 21, 100, FRAMES};
    for (size_t i = 0; i < FRAMES; i++)
        for (size_t k = 0; k < WIDTH; k++) table[i][k] = value_of(i, k);
    for (int c = 0; c < 6; c++) {
        const size_t frames = counts[c], length = length_of(frames), blocks = frames / length;
        double squares = 0;
        for (size_t a = 0; a < blocks; a++)
            for (size_t b = 0; b < a; b++)
                squares += pow(mean_of(a * length, length, 1) - mean_of(b * length, length, 1), 2);
        /* the sum of squared differences of all pairs is n times that of the differences from the mean */
        const double n = (double)blocks, expected = sqrt(squares / n / (n * (n - 1)));
        CHECK_NEAR(qn_blocks_error_of_column(&table[0][1], WIDTH, frames), expected, 1e-12);
    }
    CHECK(isnan(qn_blocks_error_of_column(&table[0][0], WIDTH, 4)));
}

/* White noise of deviation √(1/12): the error of the mean of n values is √(1/12/n), within the error of that error from
 * 12 blocks, 21 %, three times over. */
static void the_error_of_white_noise_is_that_of_its_mean(void)
{
    enum { MANY = 12 * 4096 };
    static double noise[MANY];
    for (size_t i = 0; i < MANY; i++) noise[i] = qn_random_uniform(9, 1, i);
    const double expected = sqrt(1.0 / 12 / MANY);
    CHECK_NEAR(qn_blocks_error_of_column(noise, 1, MANY), expected, 0.63 * expected);
}

/* Of a mean the jackknife gives the standard error itself: without value i the mean is (Σ x − x_i) / (n − 1). */
static void the_jackknife_of_a_mean_is_its_error(void)
{
    enum { COUNT = 9 };
    double values[COUNT], without[COUNT], sum = 0;
    for (size_t i = 0; i < COUNT; i++) sum += values[i] = value_of(i, 2);
    for (size_t i = 0; i < COUNT; i++) without[i] = (sum - values[i]) / (COUNT - 1);
    CHECK_NEAR(qn_blocks_jackknife(without, COUNT), qn_blocks_error(values, COUNT), 1e-12);
    CHECK(isnan(qn_blocks_jackknife(without, 4)));
    for (size_t frames = 1; frames < 100; frames++) CHECK(qn_blocks_length(frames) == length_of(frames));
}

static void rows_that_are_too_wide_have_no_blocks(void)
{
    const double value = 1;
    qn_blocks blocks;
    CHECK_OK(qn_blocks_create(QN_BLOCKS_WIDEST + 1, &blocks));
    CHECK(!blocks.sums);
    qn_blocks_add(&blocks, &value);
    CHECK(blocks.count == 0);
    qn_blocks_clear(&blocks);
}

int main(void)
{
    RUN(blocks_are_those_of_the_definition);
    RUN(the_error_is_the_scatter_of_means);
    RUN(the_error_of_white_noise_is_that_of_its_mean);
    RUN(the_jackknife_of_a_mean_is_its_error);
    RUN(rows_that_are_too_wide_have_no_blocks);
    return check_finish();
}
