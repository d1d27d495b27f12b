/* Replays of a recorded space that the test writes: order of the rows, random search near 0, `auto` above random
 * search, and messages about mistakes.
 */
#include "check.h"

#include <math.h>
#include <quern/tune.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 10 };

/* Write a Kernel Tuner cache: the time is a bowl over two parameters, a switch doubles the time, two rows failed. */
static const char *write_space(void)
{
    static char path[512];
    snprintf(path, sizeof(path), "%s/bowl.json", check_scratch_folder());
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return path;
    fprintf(file, "{\"device_name\": \"none\", \"kernel_name\": \"bowl\", \"problem_size\": [1],\n"
                  "\"tune_params_keys\": [\"X\", \"Y\", \"S\"], \"tune_params\": {\"X\": [0,1,2,3,4,5,6,7,8,9],"
                  "\"Y\": [0,1,2,3,4,5,6,7,8,9], \"S\": [0,1]}, \"objective\": \"time\", \"cache\": {\n");
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++)
            for (int s = 0; s < 2; s++) {
                double time = (1 + 0.1 * (x - 6) * (x - 6) + 0.1 * (y - 3) * (y - 3) + 0.001 * x) * (1 + s);
                fprintf(file, "%s\"%d,%d,%d\": {\"X\": %d, \"Y\": %d, \"S\": %d, \"time\": ", x + y + s ? ",\n" : "", x,
                        y, s, x, y, s);
                if (x == 9 && y == 9)
                    fprintf(file, "\"RuntimeFailedConfig\"}");
                else
                    fprintf(file, "%.6f, \"times\": [%.6f], \"compile_time\": 1, \"benchmark_time\": 2}", time, time);
            }
    fprintf(file, "}}\n");
    fclose(file);
    return path;
}

static void rows_are_scores_by_file_and_their_means(void)
{
    const char *path = write_space();
    qn_tune_scores *scores = NULL;
    qn_tune_simulate_options options = {.size = sizeof options,
                                        .files = &path,
                                        .file_count = 1,
                                        .searchers = "random,auto",
                                        .repeats = 60,
                                        .run.seed = 4};
    if (!CHECK_OK(qn_tune_simulate(NULL, &options, &scores))) return;
    CHECK(scores->row_count == 4);
    const qn_tune_score *random = &scores->rows[0], *automatic = &scores->rows[1];
    CHECK_TEXT(random->searcher, "random");
    CHECK_TEXT(random->file, path);
    CHECK_TEXT(automatic->searcher, "auto");
    CHECK(random->low < 0 && random->high > 0);
    CHECK(automatic->low > random->high);
    CHECK(automatic->tests_to_110_percent < random->tests_to_110_percent);
    CHECK(random->counted == (random->budget >= 20));
    CHECK(scores->rows[2].file == NULL && scores->rows[2].counted == random->counted);
    if (random->counted) CHECK_NEAR(scores->rows[3].score, automatic->score, 1e-12);
    qn_tune_scores_destroy(&scores);
}

static void mistakes_are_named(void)
{
    const char *path = write_space();
    qn_tune_scores *scores = NULL;
    qn_tune_simulate_options options = {
        .size = sizeof options, .files = &path, .file_count = 1, .searchers = "random,luck", .repeats = 2};
    CHECK_FAILS(qn_tune_simulate(NULL, &options, &scores), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("there is no searcher \"luck\"");
    options.file_count = 0;
    CHECK_FAILS(qn_tune_simulate(NULL, &options, &scores), QN_INVALID_ARGUMENT);
    CHECK(scores == NULL);
}

int main(void)
{
    RUN(rows_are_scores_by_file_and_their_means);
    RUN(mistakes_are_named);
    return check_finish();
}
