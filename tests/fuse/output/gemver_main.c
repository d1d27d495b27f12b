/* B = A + u1 v1' + u2 v2', x = beta B' y + z, w = alpha B x, with gaps between the rows of A and B. */
#include "gemver.h"

#include "bridge.h"

int main(void)
{
    enum { N = 97, STEP_A = 101, STEP_B = 99 };
    float *A = numbers(N * STEP_A, 1), *B = numbers(N * STEP_B, 2), alpha = 2, beta = -1;
    float *u1 = numbers(N, 3), *v1 = numbers(N, 4), *u2 = numbers(N, 5), *v2 = numbers(N, 6), *y = numbers(N, 7),
          *z = numbers(N, 8), x[N], w[N];
    static double expected_B[N * STEP_B], expected_x[N], expected_w[N];
    for (int i = 0; i < N * STEP_B; i++) expected_B[i] = B[i]; /* gaps stay as they are */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            expected_B[i * STEP_B + j] = (double)A[i * STEP_A + j] + u1[i] * v1[j] + u2[i] * v2[j];
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) expected_x[j] += expected_B[i * STEP_B + j] * y[i];
        expected_x[j] = beta * expected_x[j] + z[j];
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) expected_w[i] += expected_B[i * STEP_B + j] * expected_x[j];
        expected_w[i] *= alpha;
    }
    const queue_type queue = open_queue();
    const gemver_sizes sizes = {.n = N, .A_step = STEP_A, .B_step = STEP_B};
    gemver_arguments arguments = {0};
    gemver_plan *plan = NULL;
    arguments.A = put(A, N * STEP_A), arguments.B = put(B, N * STEP_B);
    arguments.u1 = put(u1, N), arguments.v1 = put(v1, N), arguments.u2 = put(u2, N), arguments.v2 = put(v2, N);
    arguments.y = put(y, N), arguments.z = put(z, N), arguments.x = put(y, N), arguments.w = put(y, N);
    arguments.alpha = put(&alpha, 1), arguments.beta = put(&beta, 1);
    expect(gemver_create(queue, &sizes, &plan) == GEMVER_OK, "create");
    expect(gemver_run(plan, &arguments, NULL) == GEMVER_OK, "run");
    get(arguments.B, B, N * STEP_B), get(arguments.x, x, N), get(arguments.w, w, N);
    expect_equal(B, expected_B, N * STEP_B, "B"), expect_equal(x, expected_x, N, "x"),
        expect_equal(w, expected_w, N, "w");
    gemver_destroy(&plan);
    return failures > 0;
}
