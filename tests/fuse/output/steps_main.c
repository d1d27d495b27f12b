/* Three rounds of x = A x and B = B' + A, with gaps between the rows of B, which stay as they are. */
#include "steps.h"

#include "bridge.h"

int main(void)
{
    enum { N = 37, STEP_B = 41, ROUNDS = 3 };
    float *A = numbers(N * N, 1), *B = numbers(N * STEP_B, 2), *x = numbers(N, 3);
    static double expected_B[N * STEP_B], expected_x[N], kept_B[N * STEP_B], kept_x[N];
    for (int i = 0; i < N * STEP_B; i++) expected_B[i] = B[i];
    for (int i = 0; i < N; i++) expected_x[i] = x[i];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N * STEP_B; i++) kept_B[i] = expected_B[i];
        for (int i = 0; i < N; i++) kept_x[i] = expected_x[i];
        for (int i = 0; i < N; i++) {
            expected_x[i] = 0;
            for (int j = 0; j < N; j++) {
                expected_x[i] += A[i * N + j] * kept_x[j];
                expected_B[i * STEP_B + j] = kept_B[j * STEP_B + i] + A[i * N + j];
            }
        }
    }
    int64_t rounds = 0;
    const queue_type queue = open_queue();
    steps_arguments arguments = {0};
    steps_plan *plan = NULL;
    arguments.A = put(A, N * N), arguments.B = put(B, N * STEP_B), arguments.x = put(x, N);
    arguments.rounds = &rounds;
    expect(steps_create(queue, &(steps_sizes){.n = N, .B_step = STEP_B}, &plan) == STEPS_OK, "create");
    expect(steps_run(plan, &arguments, NULL) == STEPS_OK, "run");
    get(arguments.B, B, N * STEP_B), get(arguments.x, x, N);
    expect_equal(B, expected_B, N * STEP_B, "B"), expect_equal(x, expected_x, N, "x");
    expect(rounds == ROUNDS, "rounds");
    steps_destroy(&plan);
    return failures > 0;
}
