/* Use files that quern fuse wrote: q = A p and s = A' r of a small matrix.
 *
 *     quern fuse bicgk.qf -o bicgk --language c
 *     cc -O3 -fopenmp -Ibicgk use_bicgk.c bicgk/bicgk.c -lm -o use_bicgk */
#include <stdio.h>

#include "bicgk.h"

int main(void)
{
    const float A[2][3] = {{1, 2, 3}, {4, 5, 6}}, p[3] = {1, 0, -1}, r[2] = {1, 1};
    float q[2], s[3];
    const bicgk_sizes sizes = {.m = 2, .n = 3};
    const bicgk_arguments arguments = {.A = A[0], .p = p, .r = r, .q = q, .s = s};
    bicgk_plan *plan = NULL;
    int code = bicgk_create(0, &sizes, &plan);
    if (code == BICGK_OK) code = bicgk_run(plan, &arguments, NULL);
    bicgk_destroy(&plan);
    if (code != BICGK_OK) {
        fprintf(stderr, "%s\n", bicgk_message(code));
        return 1;
    }
    printf("q = %g %g\ns = %g %g %g\n", q[0], q[1], s[0], s[1], s[2]);
    return 0;
}
