/* quern_bench_screen [DEVICE [DECK [RUNS]]]: measure the scoring of poses in pairs of atoms per second.
 *
 * There are two decks. DECK is a folder of miniBUDE's such as bm1 ("-": a random deck of the same size); its published
 * energies are compared as well. The other is a random deck of the size of bm2, with 2672 receptor atoms and 2672
 * ligand atoms. GPUs score 65,536 poses of both, CPUs fewer of the second. Our kernel is compared with a
 * straightforward one, written from the definition: on devices a pose for each work-item, on the host a loop over poses
 * that compilers vectorise, on all cores. Our kernel runs with its tuned or shipped configuration, the straightforward
 * kernel with its best group size. Prints the median, smallest and largest of RUNS device times (default 15). The limit
 * comes from the device's measured rates and 11 multiply-adds and, on GPUs, a reciprocal root for each pair. The rate
 * of culling counts all pairs, also those that it skips; the number of computed pairs is printed on its own. */
#include <math.h>
#include <quern/tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/host_variant.h"
#include "screen/deck.h"

enum { POSES = 65536, CPU_POSES_OF_LARGE = 256, RUNS_MAX = 999, TYPES_MAX = 64, GROUP_SIZES = 4 };

static void must(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "quern_bench_screen: %s\n", qn_error_message());
    exit(1);
}

static const char plain_source[] =
    "KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void plain(GLOBAL const qn_float4 *RESTRICT ligand,\n"
    "    GLOBAL const qn_float4 *RESTRICT receptor, GLOBAL const qn_float4 *RESTRICT types,\n"
    "    GLOBAL const float *RESTRICT transforms, GLOBAL float *RESTRICT energies,\n"
    "    int ligand_count, int receptor_count, int type_count, int poses)\n"
    "{\n"
    "    LOCAL qn_float4 known[64];\n"
    "    int pose = GLOBAL_ID(0);\n"
    "    for (int i = LOCAL_ID(0); i < type_count; i += GROUP_SIZE) known[i] = types[i];\n"
    "    LOCAL_BARRIER();\n"
    "    if (pose >= poses) return;\n"
    "    float m[12], energy = 0.0f;\n"
    "    for (int k = 0; k < 12; k++) m[k] = transforms[k * poses + pose];\n"
    "    for (int i = 0; i < ligand_count; i++) {\n"
    "        qn_float4 a = ligand[i], s = known[(int)FLOAT_BITS(a.w)];\n"
    "        float x = m[3] + a.x * m[0] + a.y * m[1] + a.z * m[2];\n"
    "        float y = m[7] + a.x * m[4] + a.y * m[5] + a.z * m[6];\n"
    "        float z = m[11] + a.x * m[8] + a.y * m[9] + a.z * m[10];\n"
    "        for (int j = 0; j < receptor_count; j++) {\n"
    "            qn_float4 b = receptor[j], t = known[(int)FLOAT_BITS(b.w)];\n"
    "            float radius = s.x + t.x, dx = x - b.x, dy = y - b.y, dz = z - b.z;\n"
    "            float r = SQRT(FMA(dx, dx, FMA(dy, dy, dz * dz))), beyond = r - radius;\n"
    "            int formal = s.w == 70.0f && t.w == 70.0f, either = s.w == 69.0f || t.w == 69.0f;\n"
    "            int apart = (s.y < 0.0f) != (t.y < 0.0f);\n"
    "            float k = (apart ? ABS(s.y) + ABS(t.y) : s.y + t.y) * 0.5f;\n"
    "            if (t.y == 0.0f || (s.y >= 0.0f && t.y >= 0.0f)) k = 0.0f;\n"
    "            if (s.y == 0.0f && t.y < 0.0f) k = 0.5f * t.y;\n"
    "            float slope = apart ? 1.0f : 1.0f / 5.5f, charge = 22.5f * s.z * t.z;\n"
    "            if (either) charge = -ABS(charge);\n"
    "            float charge_share = 1.0f - beyond * (formal ? 0.25f : 0.5f), share = 1.0f - beyond * slope;\n"
    "            if (beyond < 0.0f) {\n"
    "                energy += (1.0f - FAST_DIVIDE(r, radius)) * 38.0f;\n"
    "                charge_share = 1.0f;\n"
    "                share = 1.0f;\n"
    "            }\n"
    "            if (charge_share > 0.0f) energy += charge * charge_share;\n"
    "            if (share > 0.0f) energy += k * share;\n"
    "        }\n"
    "    }\n"
    "    energies[pose] = energy;\n"
    "}\n";

typedef struct float4 {
    float x, y, z, w;
} float4;

QN_HOST_DECLARE(const qn_host_kernel, quern_bench_screen_host);

static qn_status plain_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(quern_bench_screen_host)[0](launch);
}

static qn_geometry plain_geometry(const qn_configuration *configuration, const void *user)
{
    const size_t group = (size_t)configuration->value[0], poses = (size_t) * (const int *)user;
    return (qn_geometry){{(poses + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

static const qn_argument_declaration plain_arguments[] = {
    {"ligand", QN_IN, QN_BYTES},
    {"receptor", QN_IN, QN_BYTES},
    {"types", QN_IN, QN_FLOAT32},
    {"transforms", QN_IN, QN_FLOAT32},
    {"energies", QN_OUT, QN_FLOAT32},
    {"ligand_count", QN_VALUE, QN_INT32},
    {"receptor_count", QN_VALUE, QN_INT32},
    {"type_count", QN_VALUE, QN_INT32},
    {"poses", QN_VALUE, QN_INT32},
};
static const qn_kernel_declaration plain_kernel = {"plain", plain_arguments, 9, plain_geometry, plain_host, NULL};
static const qn_tunable plain_tunable = {"GROUP_SIZE", {32, 64, 128, 256}, GROUP_SIZES, 64, "work-items per group"};
static const qn_family plain_family = {.name = "bench/plain",
                                       .source = plain_source,
                                       .kernels = &plain_kernel,
                                       .kernel_count = 1,
                                       .tunables = &plain_tunable,
                                       .tunable_count = 1};

typedef struct screen_bench {
    qn_context *context;
    qn_device *device;
    bool is_gpu;
    int runs;
    qn_device_rates rates;
} screen_bench;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const screen_bench *bench, const char *name, double *seconds, double pairs, double limit_s,
                   double plain_s)
{
    qsort(seconds, (size_t)bench->runs, sizeof *seconds, by_size);
    const double median = seconds[bench->runs / 2];
    printf("  %-16s %9.2f ms (%.2f to %.2f)  %.3g pairs/s", name, 1e3 * median, 1e3 * seconds[0],
           1e3 * seconds[bench->runs - 1], pairs / median);
    if (limit_s > 0) printf("  %2.0f %% of the limit", 100 * limit_s / median);
    if (plain_s > 0) printf("  %.2f times the straightforward one", plain_s / median);
    printf("\n");
    fflush(stdout);
}

static qn_buffer *upload(qn_queue *queue, const void *data, size_t bytes)
{
    qn_buffer *buffer;
    must(qn_buffer_create(qn_queue_device(queue), bytes, &buffer));
    must(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
    must(qn_queue_finish(queue));
    return buffer;
}

/* Upload ligand, receptor and types in the layout of the plain kernel. */
static void upload_plain(const qn_deck *deck, qn_queue *queue, qn_buffer *buffers[3])
{
    const size_t count = (size_t)deck->receptor_count;
    float4 types[TYPES_MAX], *receptor;
    must(qn_allocate(count, sizeof *receptor, (void **)&receptor));
    for (size_t j = 0; j < count; j++) {
        const double *at = deck->receptor_positions + 3 * j;
        receptor[j] = (float4){(float)at[0], (float)at[1], (float)at[2], 0};
        memcpy(&receptor[j].w, &deck->receptor_types[j], sizeof(int32_t));
    }
    if (deck->type_count > TYPES_MAX) {
        fprintf(stderr, "quern_bench_screen: %d types; at most %d\n", deck->type_count, TYPES_MAX);
        exit(1);
    }
    for (int t = 0; t < deck->type_count; t++)
        types[t] = (float4){deck->types[t].radius_angstrom, deck->types[t].hydrophobic, deck->types[t].charge_e,
                            (float)deck->types[t].kind};
    buffers[0] = upload(queue, deck->ligand, (size_t)deck->ligand_count * sizeof *deck->ligand);
    buffers[1] = upload(queue, receptor, count * sizeof *receptor);
    buffers[2] = upload(queue, types, (size_t)deck->type_count * sizeof *types);
    qn_release(&receptor);
}

static double run_plain(const screen_bench *bench, qn_deck_run *run, qn_buffer *buffers[3], const qn_deck *deck,
                        int group_size, double *seconds)
{
    const int poses = run->problem.poses;
    const qn_configuration configuration = {{group_size}};
    qn_argument arguments[] = {qn_argument_buffer(buffers[0]),
                               qn_argument_buffer(buffers[1]),
                               qn_argument_buffer(buffers[2]),
                               qn_argument_buffer(run->transforms),
                               qn_argument_buffer(run->energies),
                               qn_argument_int32(deck->ligand_count),
                               qn_argument_int32(deck->receptor_count),
                               qn_argument_int32(deck->type_count),
                               qn_argument_int32(poses)};
    const qn_family_call call = {
        .arguments = arguments, .argument_count = 9, .problem = &poses, .configuration = &configuration};
    for (int i = -1; i < bench->runs; i++) { /* the first is not counted */
        qn_event *event = NULL;
        must(qn_family_run(&plain_family, run->queue, &call, &event));
        must(qn_event_seconds(event, &seconds[i < 0 ? 0 : i]));
        qn_event_destroy(&event);
    }
    qsort(seconds, (size_t)bench->runs, sizeof *seconds, by_size);
    return seconds[bench->runs / 2];
}

/* Return the median time of the best group size; `seconds` receives all its times. */
static double best_plain(const screen_bench *bench, qn_deck_run *run, const qn_deck *deck, double *seconds)
{
    double one[RUNS_MAX], best = INFINITY;
    const int sizes = bench->is_gpu ? GROUP_SIZES : 1; /* the group size makes no difference on a CPU */
    qn_buffer *buffers[3];
    upload_plain(deck, run->queue, buffers);
    for (int i = 0; i < sizes; i++) {
        const double median = run_plain(bench, run, buffers, deck, plain_tunable.values[i], one);
        if (median < best) memcpy(seconds, one, sizeof one);
        best = fmin(best, median);
    }
    for (int i = 0; i < 3; i++) qn_buffer_release(&buffers[i]);
    return best;
}

static void print_check(qn_deck_run *run, const qn_deck *deck, int poses)
{
    qn_screen_deck_result result = {0};
    float *energies;
    must(qn_allocate((size_t)poses, sizeof *energies, (void **)&energies));
    must(qn_queue_read(run->queue, run->energies, 0, energies, (size_t)poses * sizeof *energies, NULL));
    must(qn_queue_finish(run->queue));
    qn_screen_deck_check(deck, poses, energies, &result);
    if (result.checked > 0)
        printf("    %d of %d published energies differ by more than 2.5e-4, the worst by %.1e; best pose %d, %.2f\n",
               result.failed, result.checked, result.worst_difference, result.best_pose, result.best_energy);
    qn_release(&energies);
}

static void print_culled(const qn_deck_run *run, const qn_deck *deck, double pairs, double seconds)
{
    const qn_score_poses_job job = {0, deck->ligand_count};
    const double computed =
        qn_score_poses_near_pairs(run->near, &run->problem, &job, deck->ligand, run->transforms_here);
    printf("    of %.3g pairs %.3g computed, 1 of %.1f: %.3g a second\n", pairs, computed, pairs / computed,
           computed / seconds);
}

static void bench_deck(const screen_bench *bench, const char *name, const qn_deck *deck, int poses)
{
    static const struct {
        const char *name;
        bool exact, cull;
    } modes[] = {
        {"fast", false, false}, {"exact", true, false}, {"fast, culling", false, true}, {"exact, culling", true, true}};
    const double pairs = (double)deck->receptor_count * deck->ligand_count * poses;
    double seconds[RUNS_MAX], plain_s = 0;
    printf("%s: %d x %d atoms, %d poses\n", name, deck->receptor_count, deck->ligand_count, poses);
    for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++) {
        qn_deck_run run;
        qn_work work;
        must(qn_deck_run_create(bench->device, deck, poses, modes[mode].exact, modes[mode].cull, &run));
        qn_score_score_poses_family.kernels[0].work(&run.problem, &work);
        /* the measured rate is that of 1 / sqrt(x); CPUs compute the root without its division */
        if (!bench->is_gpu) work.reciprocal_roots = 0;
        const double limit_s = qn_work_limit_seconds(&work, &bench->rates, NULL);
        if (mode == 0) {
            plain_s = best_plain(bench, &run, deck, seconds);
            report(bench, "straightforward", seconds, pairs, 0, 0);
            print_check(&run, deck, poses);
        }
        for (int i = -2; i < bench->runs; i++) must(qn_deck_run_score(&run, NULL, &seconds[i < 0 ? 0 : i]));
        report(bench, modes[mode].name, seconds, pairs, modes[mode].cull ? 0 : limit_s, plain_s);
        if (run.near) print_culled(&run, deck, pairs, seconds[bench->runs / 2]);
        print_check(&run, deck, poses);
        qn_deck_run_clear(&run);
    }
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "auto", *folder = argc > 2 ? argv[2] : "-";
    screen_bench bench = {.runs = argc > 3 ? atoi(argv[3]) : 15};
    qn_deck deck;
    if (bench.runs < 1 || bench.runs > RUNS_MAX) {
        fprintf(stderr, "usage: quern_bench_screen [DEVICE [DECK [RUNS]]], RUNS from 1 to %d\n", RUNS_MAX);
        return 2;
    }
    must(qn_context_create(NULL, &bench.context));
    must(qn_device_open(bench.context, identifier, &bench.device));
    qn_tune_store *store;
    must(qn_tune_store_open(NULL, NULL, &store));
    must(qn_tune_attach(
        bench.context,
        &(qn_tune_attach_options){.size = sizeof(qn_tune_attach_options), .mode = QN_TUNE_KNOWN, .store = store}));
    const qn_device_info *info = qn_device_get_info(bench.device);
    bench.is_gpu = info->kind != QN_DEVICE_CPU;
    must(qn_device_measure(bench.device, &bench.rates));
    printf("%s, %s, %d runs; %.3g multiply-adds/s, %.3g reciprocal roots/s\n", info->identifier, info->name, bench.runs,
           bench.rates.multiply_adds_per_s, bench.rates.reciprocal_roots_per_s);
    if (strcmp(folder, "-") == 0)
        must(qn_deck_draw(938, 26, POSES, 1, &deck));
    else
        must(qn_deck_read(folder, &deck));
    bench_deck(&bench, folder, &deck, deck.pose_count / QN_SCORE_POSES_STEP * QN_SCORE_POSES_STEP);
    qn_deck_clear(&deck);
    must(qn_deck_draw(2672, 2672, POSES, 1, &deck));
    bench_deck(&bench, "drawn, as large as bm2", &deck, bench.is_gpu ? POSES : CPU_POSES_OF_LARGE);
    qn_deck_clear(&deck);
    qn_device_release(&bench.device);
    qn_context_destroy(&bench.context);
    qn_tune_store_close(&store);
    return 0;
}
