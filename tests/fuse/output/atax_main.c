/* y = A' A x. */
#include "atax.h"

#include "bridge.h"

int main(void)
{
    enum { M = 203, N = 515 };
    float *A = numbers(M * N, 1), *x = numbers(N, 2), y[N];
    static double expected[N];
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += (double)A[i * N + j] * x[j];
        for (int j = 0; j < N; j++) expected[j] += A[i * N + j] * sum;
    }
    const queue_type queue = open_queue();
    atax_arguments arguments = {0};
    atax_plan *plan = NULL;
    arguments.A = put(A, M * N), arguments.x = put(x, N), arguments.y = put(x, N);
    expect(atax_create(queue, &(atax_sizes){.m = M, .n = N}, &plan) == ATAX_OK, "create");
    expect(atax_run(plan, &arguments, NULL) == ATAX_OK, "run");
    get(arguments.y, y, N);
    expect_equal(y, expected, N, "y");
    atax_destroy(&plan);
    return failures > 0;
}
