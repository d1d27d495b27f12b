/* Time the opening of tuning spaces: quern_bench_tune_space [file.json …]
 *
 * Opens two synthetic spaces of the sizes for which times are promised (10^9 raw combinations with 10^5 valid ones in
 * 0.3 s, with 10^6 valid ones in 3 s), the GEMM space of CLBlast, a hotspot space of the community's benchmark set, and
 * the given files. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <quern/space.h>

static double now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "%s\n", qn_error_message());
    exit(1);
}

static void add_range(qn_space *space, const char *name, int64_t first, int64_t last, int64_t step)
{
    int64_t values[512];
    size_t count = 0;
    for (int64_t value = first; value <= last && count < 512; value += step) values[count++] = value;
    check(qn_space_add_integers(space, name, values, count, first));
}

static void add_powers(qn_space *space, const char *name, int64_t first, int64_t last)
{
    int64_t values[64];
    size_t count = 0;
    for (int64_t value = first; value <= last; value *= 2) values[count++] = value;
    check(qn_space_add_integers(space, name, values, count, first));
}

static void solve(qn_space *space)
{
    double begin = now_seconds();
    check(qn_space_solve(space));
    double solved = now_seconds();
    uint64_t size = qn_space_size(space), sum = 0, step = size / 1000000 + 1, asked = 0;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    for (qn_point point = 0, found; point < size; point += step, asked++) {
        qn_space_get(space, point, numbers);
        sum += qn_space_find(space, numbers, &found) && found == point;
    }
    printf("%-24s %10.3g raw %10llu valid  solved in %7.4f s, %4.0f ns to read and find a point%s\n",
           qn_space_name(space), qn_space_raw_size(space), (unsigned long long)size, solved - begin,
           (now_seconds() - solved) / (double)asked * 1e9, sum == asked ? "" : "  WRONG");
    qn_space_destroy(&space);
}

/* Open a space of nine connected parameters with ten values each; `limit` sets the number of valid combinations. */
static void made(const char *name, int limit)
{
    qn_space *space;
    char constraint[128];
    check(qn_space_create(name, &space));
    for (int i = 0; i < 9; i++) {
        char parameter[] = "a";
        parameter[0] = (char)(parameter[0] + i);
        add_range(space, parameter, 1, 10, 1);
    }
    check(qn_space_add_constraint(space, "a * b <= 30 and c % a == 0"));
    check(qn_space_add_constraint(space, "(d + e) % 3 == 0 or f == 1"));
    check(qn_space_add_constraint(space, "d * e * f <= 60"));
    check(qn_space_add_constraint(space, "g <= h <= i"));
    snprintf(constraint, sizeof constraint, "a * b * c * d * g * h <= %d", limit);
    check(qn_space_add_constraint(space, constraint));
    check(qn_space_add_constraint(space, "i % d == 0"));
    solve(space);
}

static void gemm(void)
{
    static const char *const constraints[] = {
        "KWG % KWI == 0",
        "MWG % (MDIMC * VWM) == 0",
        "NWG % (NDIMC * VWN) == 0",
        "MWG % (MDIMA * VWM) == 0",
        "NWG % (NDIMB * VWN) == 0",
        "KWG % ((MDIMC * NDIMC)/MDIMA) == 0",
        "KWG % ((MDIMC * NDIMC)/NDIMB) == 0",
        "not (MWG == 128 and NWG == 128 and MDIMC == 8 and NDIMC == 8)",
    };
    qn_space *space;
    check(qn_space_create("gemm (CLBlast)", &space));
    add_powers(space, "MWG", 16, 128);
    add_powers(space, "NWG", 16, 128);
    add_powers(space, "KWG", 16, 32);
    for (int i = 0; i < 4; i++) add_powers(space, (const char *[]){"MDIMC", "NDIMC", "MDIMA", "NDIMB"}[i], 8, 32);
    add_powers(space, "KWI", 2, 2);
    add_powers(space, "VWM", 1, 8);
    add_powers(space, "VWN", 1, 8);
    for (int i = 0; i < 4; i++) add_range(space, (const char *[]){"STRM", "STRN", "SA", "SB"}[i], 0, 1, 1);
    for (size_t i = 0; i < sizeof constraints / sizeof *constraints; i++)
        check(qn_space_add_constraint(space, constraints[i]));
    solve(space);
}

static void hotspot(void)
{
    static const int64_t widths[] = {1,   2,   4,   8,   16,  32,  64,  96,  128, 160, 192, 224, 256,
                                     288, 320, 352, 384, 416, 448, 480, 512, 544, 576, 608, 640, 672,
                                     704, 736, 768, 800, 832, 864, 896, 928, 960, 992, 1024};
    qn_space *space;
    check(qn_space_create("hotspot", &space));
    check(qn_space_add_integers(space, "block_size_x", widths, 37, 256));
    add_powers(space, "block_size_y", 1, 32);
    add_range(space, "tile_size_x", 1, 10, 1);
    add_range(space, "tile_size_y", 1, 10, 1);
    add_range(space, "temporal", 1, 10, 1);
    add_range(space, "unroll", 1, 10, 1);
    add_range(space, "sh_power", 0, 1, 1);
    check(qn_space_add_constraint(space, "block_size_x*block_size_y>= 32"));
    check(qn_space_add_constraint(space, "temporal % unroll == 0"));
    check(qn_space_add_constraint(space, "block_size_x*block_size_y <= 1024"));
    check(qn_space_add_constraint(space, "(block_size_x*tile_size_x+ temporal * 2) * (block_size_y*tile_size_y+ "
                                         "temporal * 2) * (2+sh_power) * 4 <= 49152"));
    solve(space);
}

int main(void)
{
    made("made, 10^5 valid", 31);
    made("made, 10^6 valid", 360);
    gemm();
    hotspot();
    return 0;
}
