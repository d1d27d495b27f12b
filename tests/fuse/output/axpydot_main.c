/* z = w - alpha v, beta = z' u. */
#include "axpydot.h"

#include "bridge.h"

int main(void)
{
    enum { N = 70001 };
    float *w = numbers(N, 1), *v = numbers(N, 2), *u = numbers(N, 3), *z = numbers(N, 4), alpha = 3, beta = 0;
    double *expected = malloc(N * sizeof *expected), sum = 0;
    for (int i = 0; i < N; i++) {
        expected[i] = (double)w[i] - 3.0 * v[i];
        sum += expected[i] * u[i];
    }
    axpydot_arguments arguments = {0};
    axpydot_plan *plan = NULL;
    const queue_type queue = open_queue();
    arguments.w = put(w, N), arguments.v = put(v, N), arguments.u = put(u, N), arguments.z = put(z, N);
    arguments.alpha = put(&alpha, 1), arguments.beta = put(&beta, 1);
    expect(axpydot_create(queue, &(axpydot_sizes){.n = N}, &plan) == AXPYDOT_OK, "create");
    expect(axpydot_run(plan, &arguments, NULL) == AXPYDOT_OK, "run");
    get(arguments.z, z, N), get(arguments.beta, &beta, 1);
    expect_equal(z, expected, N, "z"), expect_equal(&beta, &sum, 1, "beta");
    axpydot_destroy(&plan);
    return failures > 0;
}
