/* Compare our searchers with Kernel Tuner's on recorded spaces. The script bench/tuning runs both steps.
 *
 *     quern_bench_tuning export FOLDER FILE…
 *         write caches for Kernel Tuner; print a line for each: name, points, valid points, optimum (seconds), budget
 *     quern_bench_tuning score FOLDER REPEATS[:TESTS] SEARCHERS PEERS FILE…
 *         names separated by commas; TESTS: where all repeats would take more tests than this, make fewer repeats
 *
 * Curves are FOLDER/<space>.<searcher>.csv (repeat,test,point,objective_s): ours are written, those of peers read, and
 * both go through the same scoring. Points are numbered as in the exported cache. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tune/exchange/replay.h"
#include "tune/searcher/searcher.h"

enum { MAX = 32, NAME_BYTES = 256, PATH_BYTES = 1024, LEAST_BUDGET = 20 };

static void must(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "quern_bench_tuning: %s\n", qn_error_message());
    exit(1);
}

static void base_name(const char *path, char *name)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, NAME_BYTES, "%s", slash ? slash + 1 : path);
    char *end = strstr(name, ".json");
    if (end) *end = 0;
}

static int export_all(const char *folder, char **files, int count)
{
    for (int f = 0; f < count; f++) {
        qn_replay replay;
        char name[NAME_BYTES], path[PATH_BYTES];
        base_name(files[f], name);
        must(qn_replay_open(files[f], &replay));
        snprintf(path, sizeof(path), "%s/%s.json", folder, name);
        must(qn_recorded_space_write(replay.record, QN_RECORDED_KERNEL_TUNER, path));
        printf("%s %zu %zu %.17g %zu\n", name, replay.baseline->points, replay.baseline->valid,
               replay.baseline->optimum, replay.baseline->budget);
        qn_replay_close(&replay);
    }
    return 0;
}

typedef struct bench {
    const char *folder;
    size_t repeats,
        tests; /* repeats of a searcher in a space; fewer where they would exceed `tests` tests, 0: no bound */
    char *names[MAX];
    size_t ours, searchers; /* number of our searchers, which come first, and of all */
    double *scores;         /* [searcher][counted space][repeat] */
    size_t spaces, counted;
} bench;

static double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static FILE *open_curves(const bench *all, const char *space, const char *searcher, const char *mode)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s.%s.csv", all->folder, space, searcher);
    FILE *file = fopen(path, mode);
    if (file) return file;
    fprintf(stderr, "quern_bench_tuning: %s cannot be opened\n", path);
    exit(1);
}

/* Write the curves of one of our searchers to its file. Returns milliseconds per step. */
static double make_curves(const bench *all, const qn_replay *replay, const char *space, const char *searcher)
{
    size_t budget = replay->baseline->budget, done, steps = 0, repeats = all->repeats;
    if (all->tests && all->tests / budget < repeats) repeats = all->tests / budget + 1;
    qn_point *points = calloc(budget, sizeof(*points));
    FILE *file = open_curves(all, space, searcher, "w");
    double spent_ms = 0;
    fprintf(file, "repeat,test,point,objective_s\n");
    for (size_t r = 0; points && r < repeats; r++) {
        double start_ms = clock_ms();
        must(qn_replay_search(replay, searcher, 1 + r, NULL, budget, points, &done));
        spent_ms += clock_ms() - start_ms;
        steps += done;
        for (size_t t = 0; t < done; t++)
            if (points[t] != UINT64_MAX)
                fprintf(file, "%zu,%zu,%llu,%.17g\n", r, t, (unsigned long long)points[t],
                        replay->objectives[points[t]]);
    }
    fclose(file);
    free(points);
    return steps ? spent_ms / (double)steps : 0;
}

/* Read curves and score them. Returns the number of repeats; the remaining scores are NaN. */
static size_t rate_curves(const bench *all, const qn_replay *replay, const char *space, const char *searcher,
                          double *scores)
{
    size_t budget = replay->baseline->budget, repeat, test, repeats = 0;
    unsigned long long point;
    double objective;
    double *met = malloc(all->repeats * budget * sizeof(*met));
    FILE *file = open_curves(all, space, searcher, "r");
    for (size_t i = 0; met && i < all->repeats * budget; i++) met[i] = (double)INFINITY;
    if (fscanf(file, "%*[^\n]") == EOF) exit(1);
    while (met && fscanf(file, "%zu,%zu,%llu,%lf", &repeat, &test, &point, &objective) == 4) {
        if (repeat >= all->repeats || test >= budget) continue;
        double known = point < replay->baseline->points ? replay->objectives[point] : -1;
        if (!(objective == known || fabs(objective - known) <= 1e-9 * known)) {
            fprintf(stderr, "quern_bench_tuning: %s, %s: point %llu has objective %g, expected %g\n", space, searcher,
                    point, objective, known);
            exit(1);
        }
        met[repeat * budget + test] = known;
        if (repeat >= repeats) repeats = repeat + 1;
    }
    for (size_t r = 0; met && r < all->repeats; r++)
        scores[r] = r < repeats ? qn_searcher_score_curve(replay->baseline, met + r * budget, budget) : (double)NAN;
    free(met);
    fclose(file);
    return repeats;
}

static void bench_space(bench *all, const char *path)
{
    qn_replay replay;
    char space[NAME_BYTES];
    base_name(path, space);
    must(qn_replay_open(path, &replay));
    bool counted = replay.baseline->budget >= LEAST_BUDGET;
    printf("%s: %zu points, %zu valid, budget %zu tests%s\n", space, replay.baseline->points, replay.baseline->valid,
           replay.baseline->budget, counted ? "" : ", not in the mean");
    for (size_t s = 0; s < all->searchers; s++) {
        double *scores = all->scores + (s * all->spaces + all->counted) * all->repeats, step_ms = 0;
        qn_searcher_score_interval interval;
        if (s < all->ours) step_ms = make_curves(all, &replay, space, all->names[s]);
        size_t repeats = rate_curves(all, &replay, space, all->names[s], scores);
        must(qn_searcher_score_bootstrap(scores, NULL, 1, all->repeats, 1, &interval));
        printf("  %-28s %7.3f  [%7.3f, %7.3f]  %3zu repeats", all->names[s], interval.mean, interval.low, interval.high,
               repeats);
        if (s < all->ours) printf("  %.3f ms a step", step_ms);
        printf("\n");
    }
    if (counted) all->counted++;
    qn_replay_close(&replay);
}

static void print_means(const bench *all)
{
    size_t row = all->spaces * all->repeats;
    qn_searcher_score_interval interval;
    printf("mean over %zu spaces\n", all->counted);
    for (size_t s = 0; all->counted && s < all->searchers; s++) {
        must(qn_searcher_score_bootstrap(all->scores + s * row, NULL, all->counted, all->repeats, 1, &interval));
        printf("  %-28s %7.3f  [%7.3f, %7.3f]\n", all->names[s], interval.mean, interval.low, interval.high);
    }
    for (size_t s = all->ours; all->counted && s < all->searchers; s++) {
        must(qn_searcher_score_bootstrap(all->scores, all->scores + s * row, all->counted, all->repeats, 1, &interval));
        printf("  %s minus %-20s %7.3f  [%7.3f, %7.3f]  %s\n", all->names[0], all->names[s], interval.mean,
               interval.low, interval.high,
               interval.low > 0    ? "better"
               : interval.high < 0 ? "worse"
                                   : "no difference shown");
    }
}

static void add_names(bench *all, char *list)
{
    for (char *name = strtok(list, ","); name && all->searchers < MAX; name = strtok(NULL, ","))
        all->names[all->searchers++] = name;
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "export") == 0) return export_all(argv[2], argv + 3, argc - 3);
    if (argc < 7 || strcmp(argv[1], "score") != 0) {
        fprintf(stderr,
                "usage: quern_bench_tuning export FOLDER FILE… | score FOLDER REPEATS[:TESTS] SEARCHERS PEERS FILE…\n");
        return 2;
    }
    bench all = {.folder = argv[2], .spaces = (size_t)argc - 6};
    char *end;
    all.repeats = strtoul(argv[3], &end, 10);
    if (*end == ':') all.tests = strtoul(end + 1, NULL, 10);
    add_names(&all, argv[4]);
    all.ours = all.searchers;
    add_names(&all, argv[5]);
    all.scores = calloc(all.searchers * all.spaces * all.repeats + 1, sizeof(*all.scores));
    if (!all.scores || !all.repeats) return 1;
    for (int f = 6; f < argc; f++) bench_space(&all, argv[f]);
    print_means(&all);
    free(all.scores);
    return 0;
}
