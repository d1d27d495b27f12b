/* The flexible search on complexes whose pose is known: the lowest energy, and whether the first pose is the crystal's.
 *
 *     quern_bench_flexible FOLDER DEVICE [walkers] [effort] [seed] [case...]
 *     quern_bench_flexible FOLDER judge RESULTS [case...]
 *
 * FOLDER has a folder for each case: protein.pdbqt or protein.pdbqt.gz, rand-0.pdbqt (the start; its atoms are in the
 * order of flex-xray.pdbqt, the crystal's pose) and box.txt of AutoDock's maps, as AutoDock-GPU's set of 42 has them.
 * With `judge`, the poses of RESULTS/CASE*.pdbqt, AutoDock Vina's output, are scored in the same way. A line has the
 * case, its torsions and heavy atoms, the lowest internal and external energy e (kcal/mol), Vina's energy of that pose,
 * its RMSD from the crystal's (Å, equivalent atoms may change places), seconds, and evaluations of the energy. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "chemistry/symmetry.h"
#include "flexible/searcher.h"
#include "flexible/stated.h"
#include "format/compound/compound_stream.h"

typedef struct flexible_case {
    char name[64];
    qn_score_receptor receptor;
    qn_flexible_receptor *sorted;
    qn_compound **compounds; /* the start */
    size_t compound_count;
    qn_flexible_tree tree;
    qn_symmetry symmetry;
    qn_flexible_symmetry equivalent;
    double *crystal; /* positions of all atoms */
    double box_centre[3], box_side[3];
} flexible_case;

static void must(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "flexible: %s\n", qn_error_message());
    exit(1);
}

static void read_box(const char *path, flexible_case *c)
{
    char line[256];
    double spacing = 0;
    int found = 0;
    FILE *file = fopen(path, "r");
    if (!file) fprintf(stderr, "flexible: cannot read %s\n", path), exit(1);
    while (fgets(line, sizeof line, file)) {
        found += sscanf(line, "#SPACING %lf", &spacing) == 1;
        found += sscanf(line, "#NELEMENTS %lf %lf %lf", &c->box_side[0], &c->box_side[1], &c->box_side[2]) == 3;
        found += sscanf(line, "#CENTER %lf %lf %lf", &c->box_centre[0], &c->box_centre[1], &c->box_centre[2]) == 3;
    }
    fclose(file);
    if (found != 3) fprintf(stderr, "flexible: %s states no box\n", path), exit(1);
    for (int d = 0; d < 3; d++) c->box_side[d] *= spacing;
}

static void free_compounds(qn_compound **compounds, size_t count)
{
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
}

static void read_case(const char *folder, const char *name, flexible_case *c)
{
    char path[1024];
    qn_compound **crystal;
    size_t count;
    *c = (flexible_case){0};
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s/box.txt", folder, name);
    read_box(path, c);
    snprintf(path, sizeof path, "%s/%s/flex-xray.pdbqt", folder, name);
    must(qn_compound_read_file(path, &crystal, &count));
    must(qn_allocate(3 * crystal[0]->atom_count, sizeof(double), (void **)&c->crystal));
    memcpy(c->crystal, qn_compound_positions(crystal[0], 0), 3 * crystal[0]->atom_count * sizeof(double));
    free_compounds(crystal, count);
    snprintf(path, sizeof path, "%s/%s/rand-0.pdbqt", folder, name);
    must(qn_compound_read_file(path, &c->compounds, &c->compound_count));
    must(qn_flexible_tree_create(c->compounds[0], QN_FLEXIBLE_TYPES_FILE, -1, &c->tree));
    must(qn_symmetry_find(c->compounds[0], 4096, &c->symmetry, NULL));
    must(qn_flexible_symmetry_find(c->compounds[0], &c->tree, &c->equivalent));
    snprintf(path, sizeof path, "%s/%s/protein.pdbqt", folder, name);
    FILE *plain = fopen(path, "r");
    if (plain)
        fclose(plain);
    else
        strcat(path, ".gz");
    must(qn_flexible_stated_receptor(path, &c->receptor));
    must(qn_flexible_receptor_create(&c->receptor, &c->sorted));
}

static void clear_case(flexible_case *c)
{
    qn_flexible_receptor_destroy(&c->sorted);
    qn_score_receptor_clear(&c->receptor);
    qn_flexible_tree_clear(&c->tree);
    qn_symmetry_clear(&c->symmetry);
    qn_flexible_symmetry_clear(&c->equivalent);
    free_compounds(c->compounds, c->compound_count);
    qn_release(&c->crystal);
}

static void print_line(const flexible_case *c, const qn_flexible_result *best, const double *positions, double seconds,
                       double evaluations)
{
    printf("%-8s %3d %4d %9.3f %9.3f %7.2f %8.3f %12.0f\n", c->name, c->tree.piece_count - 1, c->tree.heavy_count,
           best->inter + best->intra, best->energy, qn_symmetry_rmsd_angstrom(&c->symmetry, positions, c->crystal),
           seconds, evaluations);
    fflush(stdout);
}

static void search_case(const flexible_case *c, qn_device *device, qn_flexible_search_options options)
{
    const qn_flexible_tree *tree = &c->tree;
    const size_t walkers = (size_t)options.walkers;
    qn_flexible_searcher *searcher;
    qn_flexible_pose *poses;
    double *energies, *positions, evaluations;
    qn_flexible_result results[3];
    int kept;
    memcpy(options.box_centre_angstrom, c->box_centre, sizeof c->box_centre);
    memcpy(options.box_side_angstrom, c->box_side, sizeof c->box_side);
    must(qn_allocate(walkers, sizeof *poses, (void **)&poses));
    must(qn_allocate(walkers, sizeof *energies, (void **)&energies));
    must(qn_allocate(3 * c->compounds[0]->atom_count, sizeof(double), (void **)&positions));
    const double begin_s = qn_clock_s();
    must(qn_flexible_searcher_create(device, &c->receptor, &options, &searcher));
    must(qn_flexible_searcher_run(searcher, &tree, 1, poses, energies, &evaluations));
    must(qn_flexible_refine(tree, &c->equivalent, c->sorted, poses, energies, options.walkers, 2, 3, results, &kept));
    const double seconds = qn_clock_s() - begin_s;
    qn_flexible_compound_positions(tree, &results[0].pose, positions);
    print_line(c, &results[0], positions, seconds, evaluations);
    qn_flexible_searcher_destroy(&searcher);
    qn_release(&poses);
    qn_release(&energies);
    qn_release(&positions);
}

/* Score the poses of a file of AutoDock Vina; the line is of the one with the lowest e. */
static void judge_file(const flexible_case *c, const char *path)
{
    qn_compound **compounds;
    size_t count;
    qn_flexible_result best = {.inter = INFINITY};
    size_t first = 0;
    must(qn_compound_read_file(path, &compounds, &count));
    for (size_t i = 0; i < count; i++) {
        qn_flexible_tree tree;
        qn_flexible_result result;
        must(qn_flexible_tree_create(compounds[i], QN_FLEXIBLE_TYPES_FILE, -1, &tree));
        qn_flexible_score_given(&tree, c->sorted, false, &result);
        if (result.inter + result.intra < best.inter + best.intra) best = result, first = i;
        qn_flexible_tree_clear(&tree);
    }
    printf("%-40s ", strrchr(path, '/') + 1);
    print_line(c, &best, qn_compound_positions(compounds[first], 0), 0, 0);
    free_compounds(compounds, count);
}

static void judge_case(const flexible_case *c, const char *results)
{
    char pattern[1024];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/%s*.pdbqt", results, c->name);
    if (glob(pattern, 0, NULL, &files) != 0) return;
    for (size_t i = 0; i < files.gl_pathc; i++) judge_file(c, files.gl_pathv[i]);
    globfree(&files);
}

static bool wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return count == 0 && name[0] != '.' && !strchr(name, '.');
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: quern_bench_flexible FOLDER DEVICE [walkers] [effort] [seed] [case...]\n"
                        "       quern_bench_flexible FOLDER judge RESULTS [case...]\n");
        return 2;
    }
    const bool judging = strcmp(argv[2], "judge") == 0;
    const int first_name = judging ? 4 : 6;
    qn_flexible_search_options options = {.confine_atoms = true,
                                          .walkers = argc > 3 && !judging ? atoi(argv[3]) : 64,
                                          .effort = argc > 4 && !judging ? atof(argv[4]) : 1,
                                          .seed = argc > 5 && !judging ? (uint64_t)atoi(argv[5]) : 1};
    struct dirent **entries;
    qn_context *context;
    qn_device *device = NULL;
    must(qn_context_create(NULL, &context));
    if (!judging) must(qn_device_open(context, argv[2], &device));
    const int count = scandir(argv[1], &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        flexible_case c;
        if (wanted(entries[i]->d_name, argv + first_name, argc > first_name ? argc - first_name : 0)) {
            read_case(argv[1], entries[i]->d_name, &c);
            if (judging)
                judge_case(&c, argv[3]);
            else
                search_case(&c, device, options);
            clear_case(&c);
        }
        free(entries[i]);
    }
    free(entries);
    if (device) qn_device_release(&device);
    qn_context_destroy(&context);
    return 0;
}
