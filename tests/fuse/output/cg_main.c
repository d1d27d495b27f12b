/* A x = b by conjugate gradients, A tridiagonal with 4 on its diagonal and -1 beside it. Its condition number is below
 * 3, so a residual of 1e-5 leaves an error of at most 1e-5 / 2. */
#include "cg.h"

#include "bridge.h"

int main(void)
{
    enum { N = 1001, STORED = 3 * N - 2 };
    static float values[STORED];
    static int32_t starts[N + 1], columns[STORED];
    static double expected[N];
    float *solution = numbers(N, 1), *x = calloc(N, sizeof *x), *b = calloc(N, sizeof *b), rr = 0, limit = 1e-10f;
    for (int i = 0, place = 0; i < N; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++, place++) {
            columns[place] = j, values[place] = i == j ? 4 : -1;
            b[i] += values[place] * solution[j];
        }
        starts[i + 1] = place + 1;
        expected[i] = solution[i];
    }
    for (int i = 0; i <= N; i++) starts[i] = i == 0 ? 0 : i == N ? STORED : 3 * i - 1;
    for (int i = 0; i < N; i++) rr += b[i] * b[i];
    int64_t rounds = 0;
    const queue_type queue = open_queue();
    cg_arguments arguments = {0};
    cg_plan *plan = NULL;
    arguments.A = put(values, STORED), arguments.A_starts = put_integers(starts, N + 1);
    arguments.A_columns = put_integers(columns, STORED), arguments.limit = put(&limit, 1);
    expect(cg_create(queue, &(cg_sizes){.n = N, .A_stored = STORED}, &plan) == CG_OK, "create");
    for (int run = 0; run < 2; run++) {
        arguments.x = put(x, N), arguments.r = put(b, N), arguments.p = put(b, N), arguments.rr = put(&rr, 1);
        arguments.rounds = &rounds;
        float found[N], last = 1;
        expect(cg_run(plan, &arguments, NULL) == CG_OK, "run");
        get(arguments.x, found, N), get(arguments.rr, &last, 1);
        expect_near(found, expected, N, 1e-5, "x");
        expect(last < limit, "rr is below the limit");
        expect(rounds == 10 || rounds == 20 || rounds == 30, "rounds end at a check");
    }
    cg_destroy(&plan);
    return failures > 0;
}
