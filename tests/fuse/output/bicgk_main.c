/* q = A p, s = A' r, and what is refused. */
#include "bicgk.h"

#include "bridge.h"

int main(void)
{
    enum { M = 131, N = 1037, STEP = 1040 };
    float *A = numbers((size_t)M * STEP, 1), *p = numbers(N, 2), *r = numbers(M, 3), q[M], s[N];
    double expected_q[M] = {0}, expected_s[N] = {0};
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            expected_q[i] += (double)A[i * STEP + j] * p[j];
            expected_s[j] += (double)A[i * STEP + j] * r[i];
        }
    const queue_type queue = open_queue();
    bicgk_sizes sizes = {.m = M, .n = N, .A_step = STEP};
    bicgk_arguments arguments = {
        .A = put(A, (size_t)M * STEP), .p = put(p, N), .r = put(r, M), .q = put(p, M), .s = put(p, N)};
    bicgk_plan *plan = NULL;
    double seconds = -1;
    for (int round = 0; round < 2; round++) {
        expect(bicgk_create(queue, &sizes, &plan) == BICGK_OK, "create");
        expect(bicgk_run(plan, &arguments, round ? &seconds : NULL) == BICGK_OK, "run");
        get(arguments.q, q, M), get(arguments.s, s, N);
        expect_equal(q, expected_q, M, "q"), expect_equal(s, expected_s, N, "s");
        if (round == 0) bicgk_destroy(&plan);
    }
    expect(seconds >= 0, "seconds");

    bicgk_arguments wrong = arguments;
    wrong.s = arguments.q;
    expect(bicgk_run(plan, &wrong, NULL) == BICGK_OVERLAP || bicgk_run(plan, &wrong, NULL) == BICGK_TOO_SMALL,
           "one memory for two results");
    wrong.q = arguments.s, wrong.s = arguments.s;
    expect(bicgk_run(plan, &wrong, NULL) == BICGK_OVERLAP, "overlapping results");
    wrong = arguments, wrong.s = (array)arguments.A;
    expect(bicgk_run(plan, &wrong, NULL) == BICGK_OVERLAP, "a result over an input");
    wrong = arguments, wrong.p = 0;
    expect(bicgk_run(plan, &wrong, NULL) == BICGK_NO_ARGUMENT, "no p");
    bicgk_destroy(&plan);
    expect(plan == NULL, "destroy");
    sizes.A_step = N - 1;
    expect(bicgk_create(queue, &sizes, &plan) == BICGK_BAD_STEP && plan == NULL, "a step shorter than a row");
    sizes.A_step = 0, sizes.m = 0;
    expect(bicgk_create(queue, &sizes, &plan) == BICGK_BAD_SIZE, "no rows");
    printf("%s\n%s\n%s\n", bicgk_message(BICGK_BAD_SIZE), bicgk_message(BICGK_BAD_STEP), bicgk_message(BICGK_OVERLAP));
    return failures > 0;
}
