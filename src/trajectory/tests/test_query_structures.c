/* Queries that compare frames with structures: path variables and clusters, by the formulas in double precision. */
#include <math.h>
#include <stdio.h>

#include "math/superpose.h"
#include "trajectory/query/queries.h"
#include "trajectory/tests/query_run.h"

enum { ATOMS = 12, SELECTED = 9, REFERENCES = 6, FRAMES = 15, NUMBERS = 3 * SELECTED };

static qn_topology_atom atoms[ATOMS];
static qn_topology topology = {.atom_count = ATOMS,
                               .residue_count = 1,
                               .molecule_count = 1,
                               .atoms = atoms,
                               .masses = QN_MASSES_FROM_FILE,
                               .name = (char *)"hand"};
static float positions[FRAMES][3 * ATOMS];
static int thousandths[REFERENCES][3 * ATOMS]; /* of an Å */
static qn_trajectory_frame frames[FRAMES];
static const uint32_t chosen[SELECTED] = {0, 1, 2, 4, 5, 7, 8, 9, 11};

/* A helix that unwinds along the path; the frames run along it with some disorder. */
static double coordinate(double step, int atom, int axis)
{
    const double turn = 0.9 * atom * (1 - 0.08 * step);
    return axis == 0 ? 0.3 * cos(turn) : axis == 1 ? 0.3 * sin(turn) : 0.1 * atom + 0.02 * step;
}

static void make_structures(void)
{
    for (int i = 0; i < ATOMS; i++) atoms[i] = (qn_topology_atom){.name = "CA", .mass_u = 1 + i % 4};
    for (int n = 0; n < REFERENCES; n++)
        for (int i = 0; i < 3 * ATOMS; i++)
            thousandths[n][i] = (int)lround(1e4 * coordinate(n, i / 3, i % 3)) + (i * 37 + n * 11) % 200;
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < 3 * ATOMS; i++) /* x and y are exchanged and one turned back: a rotation */
            positions[f][i] = (float)((i % 3 == 0 ? -1 : 1) * coordinate(0.4 * f, i / 3,
                                                                         i % 3 == 0   ? 1
                                                                         : i % 3 == 1 ? 0
                                                                                      : 2) +
                                      0.02 * sin(40.0 * f + 7 * i) + 1.5);
        frames[f] = (qn_trajectory_frame){
            .number = (uint64_t)f, .time_ps = 2.0 * f, .atom_count = ATOMS, .positions_nm = positions[f]};
    }
}

/* Models of all atoms, or of those that are selected. */
static const char *write_models(bool all)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s.pdb", check_scratch_folder(), all ? "all" : "chosen");
    FILE *file = fopen(path, "w");
    for (int n = 0; n < REFERENCES; n++) {
        fprintf(file, "MODEL     %4d\n", n + 1);
        for (int k = 0; k < (all ? ATOMS : SELECTED); k++) {
            const int *at = thousandths[n] + 3 * (all ? k : (int)chosen[k]);
            fprintf(file, "ATOM  %5d  CA  ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n", k + 1, k + 1,
                    at[0] * 1e-3, at[1] * 1e-3, at[2] * 1e-3);
        }
        fprintf(file, "ENDMDL\n");
    }
    CHECK(fclose(file) == 0);
    return path;
}

static void take_frame(int frame, double *x)
{
    for (int i = 0; i < NUMBERS; i++) x[i] = (double)positions[frame][3 * (int)chosen[i / 3] + i % 3];
}

static void take_reference(int reference, double *y)
{
    for (int i = 0; i < NUMBERS; i++) y[i] = thousandths[reference][3 * (int)chosen[i / 3] + i % 3] * 1e-4;
}

static double rmsd_of(const double *x, const double *y, bool by_mass)
{
    double rotation[9], translation[3], weights[SELECTED], rmsd = NAN;
    for (int i = 0; i < SELECTED; i++) weights[i] = by_mass ? atoms[chosen[i]].mass_u : 1;
    CHECK_OK(qn_superpose_weighted(x, y, weights, SELECTED, rotation, translation, &rmsd));
    return rmsd;
}

static double drmsd_of(const double *x, const double *y)
{
    double sum = 0;
    for (int a = 0; a < SELECTED; a++)
        for (int b = 0; b < a; b++) {
            double d = 0, r = 0;
            for (int k = 0; k < 3; k++) {
                d += pow(x[3 * a + k] - x[3 * b + k], 2);
                r += pow(y[3 * a + k] - y[3 * b + k], 2);
            }
            sum += pow(sqrt(d) - sqrt(r), 2);
        }
    return sqrt(sum / (SELECTED * (SELECTED - 1) / 2));
}

static query_run start(const qn_query_class *query_class, const char *parameters)
{
    query_run run = {.query_class = query_class,
                     .topology = &topology,
                     .first_frame = &frames[0],
                     .atoms = {{true, chosen, SELECTED}, {0}}};
    CHECK_OK(query_create(&run, parameters));
    return run;
}

static double distance_of(const char *word, const double *x, const double *y, bool by_mass)
{
    const double d = word[0] == 'd' ? drmsd_of(x, y) : rmsd_of(x, y, by_mass);
    return strstr(word, "squared") ? d * d : d;
}

/* s and z by the formulas; positions in files are rounded to 1e-7 nm in single precision. */
static void check_path(const char *word, bool by_mass, double lambda, bool all)
{
    char parameters[400];
    snprintf(parameters, sizeof parameters, "references=%s distance=%s weights=%s lambda=%.17g", write_models(all),
             word, by_mass ? "mass" : "none", lambda);
    query_run run = start(&qn_query_path, parameters);
    double x[NUMBERS], y[NUMBERS], before[NUMBERS], steps = 0;
    for (int n = 1; n < REFERENCES; n++) {
        take_reference(n - 1, before);
        take_reference(n, y);
        steps += distance_of(word, before, y, by_mass) / (REFERENCES - 1);
    }
    const double used = lambda > 0 ? lambda : 2.3 / steps;
    for (int f = 0; f < FRAMES; f++) query_push(&run, &frames[f]);
    query_finish(&run);
    CHECK_NEAR(query_number(&run, "lambda"), used, 1e-5 * used);
    for (int f = 0; f < FRAMES; f++) {
        double sum = 0, weighted = 0, least = INFINITY;
        int nearest = 0;
        take_frame(f, x);
        for (int n = 0; n < REFERENCES; n++) {
            take_reference(n, y);
            const double d = distance_of(word, x, y, by_mass), share = exp(-used * d);
            sum += share;
            weighted += (n + 1) * share;
            if (d < least) nearest = n, least = d;
        }
        CHECK_NEAR(query_value(&run, "", (size_t)f, 0), 2.0 * f, 0);
        CHECK_NEAR(query_value(&run, "", (size_t)f, 1), weighted / sum, 1e-4);
        CHECK_NEAR(query_value(&run, "", (size_t)f, 2), -log(sum) / used, 1e-6);
        CHECK_NEAR(query_value(&run, "", (size_t)f, 3), nearest + 1, 0);
        CHECK_NEAR(query_value(&run, "", (size_t)f, 4), strstr(word, "squared") ? sqrt(least) : least, 1e-6);
    }
    CHECK(query_value(&run, "", 0, 1) < 2 && query_value(&run, "", FRAMES - 1, 1) > REFERENCES - 1);
    CHECK(query_table(&run, "")->table.columns[2].length_power == (strstr(word, "squared") ? 2 : 1));
    query_end(&run);
}

static void path_variables_are_those_of_the_formulas(void)
{
    static const char *const words[] = {"rmsd-squared", "rmsd", "drmsd-squared", "drmsd"};
    for (int i = 0; i < 4; i++) {
        check_path(words[i], false, 0, true);
        check_path(words[i], true, 0, false);
        check_path(words[i], false, strstr(words[i], "squared") ? 900 : 60, false);
    }
}

static void references_that_do_not_fit_are_refused(void)
{
    char parameters[400];
    query_run run = {.query_class = &qn_query_path,
                     .topology = &topology,
                     .first_frame = &frames[0],
                     .atoms = {{true, chosen, SELECTED - 1}, {0}}};
    snprintf(parameters, sizeof parameters, "references=%s", write_models(false));
    CHECK_FAILS(query_create(&run, parameters), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("structures of 9 atoms; expected the 12 atoms of hand, or the 8 that are selected");
    run.atoms[0].count = 2;
    CHECK_FAILS(query_create(&run, parameters), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("structures of 2 atoms");
    run.atoms[0].count = SELECTED;
    CHECK_FAILS(query_create(&run, "references=/no/such/file.pdb"), QN_NOT_FOUND);
    CHECK_FAILS(query_create(&run, ""), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--references is missing");
}

/* The rule by the definition: the nearest centre so far within the cut-off, or a new one. */
static void clusters_are_those_of_the_rule(void)
{
    const double cutoff = 0.06;
    query_run run = start(&qn_query_cluster, "cutoff=0.06 weights=mass");
    double x[NUMBERS], y[NUMBERS];
    int centres[FRAMES], sizes[FRAMES] = {0}, count = 0;
    for (int f = 0; f < FRAMES; f++) query_push(&run, &frames[f]);
    query_finish(&run);
    for (int f = 0; f < FRAMES; f++) {
        int joined = count;
        double least = cutoff;
        take_frame(f, x);
        for (int k = 0; k < count; k++) {
            take_frame(centres[k], y);
            const double rmsd = rmsd_of(x, y, true);
            if (rmsd <= least) joined = k, least = rmsd;
        }
        if (joined == count) {
            centres[count++] = f;
            least = 0;
        }
        sizes[joined]++;
        CHECK_NEAR(query_value(&run, "", (size_t)f, 0), 2.0 * f, 0);
        CHECK_NEAR(query_value(&run, "", (size_t)f, 1), joined + 1, 0);
        CHECK_NEAR(query_value(&run, "", (size_t)f, 2), least, 1e-12);
    }
    CHECK(count > 2 && count < FRAMES - 2);
    CHECK(query_table(&run, "centres")->row_count == (size_t)count);
    for (int k = 0; k < count; k++) {
        CHECK_NEAR(query_value(&run, "centres", (size_t)k, 0), k + 1, 0);
        CHECK_NEAR(query_value(&run, "centres", (size_t)k, 1), sizes[k], 0);
        CHECK_NEAR(query_value(&run, "centres", (size_t)k, 2), centres[k], 0);
        CHECK_NEAR(query_value(&run, "centres", (size_t)k, 3), 2.0 * centres[k], 0);
        CHECK_NEAR(query_value(&run, "centres", (size_t)k, 4), sizes[k] / (double)FRAMES, 1e-15);
    }
    CHECK_NEAR(query_number(&run, "clusters"), count, 0);
    query_end(&run);
}

int main(void)
{
    make_structures();
    RUN(path_variables_are_those_of_the_formulas);
    RUN(references_that_do_not_fit_are_refused);
    RUN(clusters_are_those_of_the_rule);
    return check_finish();
}
