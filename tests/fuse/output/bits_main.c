/* bicgk of the arrays A.npy, p.npy and r.npy: whether q and s have the bits of q.npy and s.npy. */
#include "bicgk.h"

#include "bridge.h"

enum { M = 331, N = 1037, HEADER = 128 };

static float *read_array(const char *name, size_t count)
{
    float *values = malloc(count * sizeof *values);
    FILE *file = fopen(name, "rb");
    expect(file && fseek(file, HEADER, SEEK_SET) == 0 && fread(values, sizeof *values, count, file) == count &&
               fgetc(file) == EOF,
           name);
    if (file) fclose(file);
    return values;
}

static void expect_bits(const float *found, const float *expected, size_t count, const char *name)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) different += memcmp(&found[i], &expected[i], sizeof found[i]) != 0;
    if (different) printf("FAILED: %s: %zu of %zu have other bits\n", name, different, count), failures++;
}

int main(void)
{
    float q[M] = {0}, s[N] = {0};
    bicgk_arguments arguments = {0};
    bicgk_plan *plan = NULL;
    const queue_type queue = open_queue();
    arguments.A = put(read_array("A.npy", (size_t)M * N), (size_t)M * N);
    arguments.p = put(read_array("p.npy", N), N), arguments.r = put(read_array("r.npy", M), M);
    arguments.q = put(q, M), arguments.s = put(s, N);
    expect(bicgk_create(queue, &(bicgk_sizes){.m = M, .n = N}, &plan) == BICGK_OK, "create");
    expect(bicgk_run(plan, &arguments, NULL) == BICGK_OK, "run");
    get(arguments.q, q, M), get(arguments.s, s, N);
    expect_bits(q, read_array("q.npy", M), M, "q"), expect_bits(s, read_array("s.npy", N), N, "s");
    bicgk_destroy(&plan);
    return failures > 0;
}
