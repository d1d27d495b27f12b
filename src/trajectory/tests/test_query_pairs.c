/* devices: host opencl:0 cuda:0 checking:host */
/* Distance histograms and radial distributions, compared with values by hand, histograms in double precision,
 * MDAnalysis and GROMACS. quern_bench_trajectory_check does the larger systems of the reference data. */
#include <math.h>
#include <stdio.h>

#include "model/box.h"
#include "pairs/kernels/distance_histogram.h"
#include "trajectory/query/queries.h"
#include "trajectory/tests/reference_system.h"

enum { BINS_MAX = 512 };

static qn_device *device;
static qn_queue *queue;

static void push(query_run *run, const qn_trajectory_frame *frame)
{
    double *partial = calloc(run->query_class->partial_count(run->state) + 1, sizeof *partial);
    const qn_query_frame view = {.frame = frame,
                                 .topology = run->topology,
                                 .atoms = {run->atoms[0].indices, run->atoms[1].indices},
                                 .atom_count = {run->atoms[0].count, run->atoms[1].count},
                                 .queue = queue,
                                 .scratch = &run->scratch};
    CHECK_OK(run->query_class->measure(run->state, &view, partial));
    CHECK_OK(run->query_class->collect(run->state, frame, partial));
    free(partial);
}

/* ---- by hand ---- */

/* Two waters and an ion on a line; neighbouring atoms of a water are 0.1 nm apart. */
static const float line[3 * 7] = {0.05f, 1,     1, 0.15f, 1,     1, 0.25f, 1,     1, 1.05f, 1,
                                  1,     1.15f, 1, 1,     1.25f, 1, 1,     2.95f, 1, 1};
static qn_topology_atom line_atoms[7];
static const qn_topology line_topology = {
    .atom_count = 7, .molecule_count = 3, .atoms = line_atoms, .name = (char *)"line"};

static query_run start_line(const qn_query_class *query_class, const qn_trajectory_frame *frame, const char *parameters,
                            const uint32_t *first, size_t first_count, const uint32_t *second, size_t second_count)
{
    for (uint32_t i = 0; i < 7; i++) line_atoms[i].molecule = i / 3;
    query_run run = {.query_class = query_class,
                     .topology = &line_topology,
                     .first_frame = frame,
                     .atoms = {{true, first, first_count}, {true, second, second_count}}};
    CHECK_OK(query_create(&run, parameters));
    push(&run, frame);
    query_finish(&run);
    return run;
}

static void pairs_of_a_line_are_counted(void)
{
    float positions[21];
    memcpy(positions, line, sizeof line);
    const uint32_t all[7] = {0, 1, 2, 3, 4, 5, 6}, some[3] = {0, 1, 6};
    const qn_trajectory_frame frame = {
        .atom_count = 7, .box_nm = {3, 0, 0, 0, 3, 0, 0, 0, 3}, .positions_nm = positions};
    /* across the boundary the ion is 0.1 nm from the first atom */
    query_run run = start_line(&qn_query_sdh, &frame, "bin=0.15 max=2.1", all, 7, NULL, 0);
    CHECK(query_table(&run, "")->row_count == 14);
    CHECK_NEAR(query_value(&run, "", 0, 0), 0.075, 1e-12);
    CHECK_NEAR(query_value(&run, "", 0, 1), 5, 0); /* four bonds, and the ion with the first atom */
    CHECK_NEAR(query_number(&run, "pairs per frame beyond the last bin"), 0, 0);
    query_end(&run);
    run = start_line(&qn_query_sdh, &frame, "bin=0.15 max=2.1 pbc=no", all, 7, NULL, 0);
    CHECK_NEAR(query_value(&run, "", 0, 1), 4, 0);
    CHECK_NEAR(query_number(&run, "pairs per frame beyond the last bin"), 3, 0); /* the ion and the first water */
    query_end(&run);
    /* an atom makes no pair with itself */
    run = start_line(&qn_query_sdh, &frame, "bin=0.15 max=2.1", some, 3, all, 7);
    double sum = 0;
    for (size_t k = 0; k < 14; k++) sum += query_value(&run, "", k, 1);
    CHECK_NEAR(sum, 3 * 7 - 3, 0);
    CHECK_NEAR(query_number(&run, "pairs per frame beyond the last bin"), 0, 0);
    query_end(&run);
    /* the default of max covers the frame */
    run = start_line(&qn_query_sdh, &frame, "pbc=no", all, 7, NULL, 0);
    CHECK_NEAR(query_number(&run, "pairs per frame beyond the last bin"), 0, 0);
    query_end(&run);
    run = start_line(&qn_query_sdh, &frame, "", all, 1, NULL, 0);
    query_end(&run);
}

static void pairs_within_a_molecule_are_left_out(void)
{
    float positions[21];
    memcpy(positions, line, sizeof line);
    const uint32_t all[7] = {0, 1, 2, 3, 4, 5, 6}, some[4] = {0, 1, 4, 6};
    const qn_trajectory_frame frame = {
        .atom_count = 7, .box_nm = {3, 0, 0, 0, 3, 0, 0, 0, 3}, .positions_nm = positions};
    query_run run = start_line(&qn_query_rdf, &frame, "bin=0.15 max=1.5 exclude=yes", all, 7, NULL, 0);
    double sum = 0;
    for (size_t k = 0; k < 10; k++) sum += query_value(&run, "", k, 3);
    CHECK_NEAR(sum, 2 * (7 * 6 / 2 - 6), 0); /* all are within half the box; three pairs in each water */
    CHECK_NEAR(query_value(&run, "", 0, 3), 2, 0);
    CHECK_NEAR(query_value(&run, "", 9, 2), 30.0 / 7, 1e-12);
    query_end(&run);
    run = start_line(&qn_query_rdf, &frame, "bin=0.15 max=1.5 exclude=yes", some, 4, all, 7);
    for (size_t k = 0, last = 10; k < last; k++) sum -= query_value(&run, "", k, 3);
    CHECK_NEAR(sum, 30 - (4 * 7 - 3 * 3 - 1), 0);
    query_end(&run);
}

/* One pair at 0.5 nm in 27 nm³: g = 2 V / (N² shell). Bins begin at multiples of their width or are centred on them. */
static void distributions_are_normalised_by_shell(void)
{
    float positions[6] = {0, 0, 0, 0.5f, 0, 0};
    const uint32_t both[2] = {0, 1};
    const qn_trajectory_frame frame = {
        .atom_count = 2, .box_nm = {3, 0, 0, 0, 3, 0, 0, 0, 3}, .positions_nm = positions};
    query_run run = start_line(&qn_query_rdf, &frame, "bin=0.2 max=1", both, 2, NULL, 0);
    const double shell = 4.0 / 3 * 3.14159265358979 * (0.6 * 0.6 * 0.6 - 0.4 * 0.4 * 0.4);
    CHECK_NEAR(query_value(&run, "", 2, 0), 0.5, 1e-12);
    CHECK_NEAR(query_value(&run, "", 2, 1), 2 * 27 / (4 * shell), 1e-9);
    CHECK_NEAR(query_value(&run, "", 1, 2), 0, 0);
    CHECK_NEAR(query_value(&run, "", 2, 2), 1, 0);
    query_end(&run);
    run = start_line(&qn_query_rdf, &frame, "bin=0.2 max=1 centred=yes", both, 2, NULL, 0);
    CHECK_NEAR(query_value(&run, "", 2, 0), 0.4, 1e-12);
    CHECK_NEAR(query_value(&run, "", 3, 3), 2, 0); /* 0.5 itself begins the bin around 0.6 */
    CHECK(strstr(query_table(&run, "")->table.note, "incomplete") == NULL);
    query_end(&run);
    run = start_line(&qn_query_rdf, &frame, "bin=0.2 max=2", both, 2, NULL, 0); /* half the box is 1.5 nm */
    CHECK(strstr(query_table(&run, "")->table.note, "Beyond 1.5 nm, half the box, shells are incomplete") != NULL);
    query_end(&run);
    run = start_line(&qn_query_rdf, &frame, "", both, 2, NULL, 0);
    CHECK(query_table(&run, "")->row_count == 150);
    query_end(&run);
}

/* A pair is at 0.5 nm in some frames and at 0.9 nm in others: g of its bin is 2 V / (N² shell) or 0. Ten frames are ten
 * blocks, and the error is √(p (1 − p) / 9) of that for a share p. */
static void errors_come_from_blocks_of_frames(void)
{
    static const char near[] = "1101000110";
    float positions[6] = {0};
    const uint32_t both[2] = {0, 1};
    const qn_trajectory_frame frame = {
        .atom_count = 2, .box_nm = {3, 0, 0, 0, 3, 0, 0, 0, 3}, .positions_nm = positions};
    const double shell = 4.0 / 3 * 3.14159265358979 * (0.6 * 0.6 * 0.6 - 0.4 * 0.4 * 0.4);
    positions[3] = 0.5f;
    query_run run = start_line(&qn_query_rdf, &frame, "bin=0.2 max=1", both, 2, NULL, 0);
    CHECK(isnan(query_value(&run, "", 2, 4)));
    for (int i = 1; i < 10; i++) {
        positions[3] = near[i] == '1' ? 0.5f : 0.9f;
        push(&run, &frame);
    }
    query_finish(&run);
    CHECK_NEAR(query_value(&run, "", 2, 1), 0.5 * 2 * 27 / (4 * shell), 1e-9);
    CHECK_NEAR(query_value(&run, "", 2, 4), sqrt(0.25 / 9) * 2 * 27 / (4 * shell), 1e-9);
    CHECK(query_value(&run, "", 1, 4) == 0);
    query_end(&run);
}

static void impossible_parameters_are_refused(void)
{
    float positions[6] = {0};
    const qn_trajectory_frame frame = {.atom_count = 2, .positions_nm = positions};
    query_run run = {.query_class = &qn_query_rdf, .topology = &line_topology, .first_frame = &frame};
    CHECK_FAILS(query_create(&run, ""), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("has no box");
    CHECK_FAILS(query_create(&run, "bin=0.000001 max=100"), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("max 100 nm");
}

/* ---- against references ---- */

/* Read the columns of a file, such as lower edge and count; returns the number of rows. The last line may be "overflow
 * n". */
static int read_numbers(const char *path, int columns, double rows[][3], double *overflow)
{
    char text[512];
    int count = 0;
    FILE *file = fopen(path, "r");
    if (!CHECK(file != NULL)) return 0;
    while (fgets(text, sizeof text, file) && count < BINS_MAX) {
        double *row = rows[count];
        if (text[0] == '#' || text[0] == '@') continue;
        if (overflow && sscanf(text, "overflow %lf", overflow) == 1) continue;
        const int found = sscanf(text, "%lf %lf %lf", &row[0], &row[1], &row[2]);
        count += CHECK(found >= columns);
    }
    fclose(file);
    return count;
}

/* Rounding error of a distance: 4 · 2^-24 times the largest coordinate or edge. */
static double epsilon_of(const qn_trajectory_frame *frame)
{
    double largest = 0;
    for (size_t i = 0; i < 3 * frame->atom_count; i++) largest = fmax(largest, fabs((double)frame->positions_nm[i]));
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(frame->box_nm[i]));
    return 4 * 0x1p-24 * largest;
}

/* Add to near[k] the number of pairs of the frame whose distance in double precision is within ε of edge k. */
static void count_near(const query_run *run, const qn_trajectory_frame *frame, const qn_histogram_bins *bins,
                       bool periodic, uint64_t *near)
{
    static uint64_t counts[BINS_MAX];
    static const double nothing[9] = {0};
    float *sets[2] = {NULL, NULL};
    qn_box box;
    CHECK_OK(qn_box_from_vectors(periodic ? frame->box_nm : nothing, &box));
    for (int set = 0; set < 2; set++) {
        if (!run->atoms[set].indices) continue;
        sets[set] = malloc(3 * run->atoms[set].count * sizeof(float));
        for (size_t i = 0; i < run->atoms[set].count; i++)
            memcpy(sets[set] + 3 * i, frame->positions_nm + 3 * (size_t)run->atoms[set].indices[i], 3 * sizeof(float));
    }
    qn_distance_histogram_exact(bins, &box, sets[0], run->atoms[0].count, sets[1], run->atoms[1].count,
                                epsilon_of(frame), counts, near);
    free(sets[0]);
    free(sets[1]);
}

typedef struct sdh_case {
    const char *folder, *topology, *trajectory, *selection, *name;
    double width_nm;
    int bins;
    bool large;
} sdh_case;

static void check_histogram(const sdh_case *of, const reference_system *system, int periodicity)
{
    static double rows[BINS_MAX][3];
    static uint64_t near[BINS_MAX + 1];
    char name[128], parameters[128];
    double overflow = -1, difference = 0;
    bool counted = false;
    snprintf(name, sizeof name, "ref/sdh_%s_f%d_pbc%d.txt", of->name, (int)system->frame.number, periodicity);
    if (!CHECK(read_numbers(system_path(system, name), 2, rows, &overflow) == of->bins)) return;
    const double width = of->width_nm;
    snprintf(parameters, sizeof parameters, "bin=%g max=%.9g pbc=%s", width, width * of->bins,
             periodicity ? "yes" : "no");
    query_run run = system_query(system, &qn_query_sdh, of->selection, parameters);
    push(&run, &system->frame);
    query_finish(&run);
    memset(near, 0, sizeof near);
    const qn_histogram_bins bins = {of->bins, false, width};
    double sum = -overflow;
    for (int k = 0; k < of->bins; k++) {
        difference += query_value(&run, "", (size_t)k, 2) - rows[k][1];
        sum -= rows[k][1] - query_value(&run, "", (size_t)k, 2);
        if (difference != 0 && !counted) {
            count_near(&run, &system->frame, &bins, periodicity != 0, near);
            counted = true;
        }
        if (!CHECK(fabs(difference) <= (double)near[k + 1]))
            fprintf(stderr, "%s/%s: %+.0f up to edge %d, %llu near\n", of->folder, name, difference, k + 1,
                    (unsigned long long)near[k + 1]);
    }
    CHECK_NEAR(sum + query_number(&run, "pairs per frame beyond the last bin"), 0, 0);
    query_end(&run);
}

static void check_histograms(const sdh_case *of, int first, int last, int periodicity)
{
    reference_system system;
    if (system_open(&system, of->folder, of->topology, of->trajectory, false))
        for (int frame = 0; frame <= last && CHECK(system_next(&system)); frame++)
            if (frame == first || frame == last) {
                check_histogram(of, &system, 0);
                if (periodicity) check_histogram(of, &system, periodicity);
            }
    system_close(&system);
}

static void histograms_agree_with_double_precision(void)
{
    check_histograms(&(sdh_case){"water3k", "water3k.tpr", "water3k.xtc", "name OW", "OW", 0.02, 300, false}, 25, 50,
                     1);
    check_histograms(&(sdh_case){"argon_tng", "argon.gro", "argon_from_tng.xtc", "all", "all", 0.05, 100, false}, 0,
                     100, 1);
    check_histograms(&(sdh_case){"ace_tip3p", "ace_tip3p.parm7", "ace_tip3p.nc", "all", "all", 0.05, 100, false}, 0, 9,
                     1);
    check_histograms(&(sdh_case){"adk_dims", "adk.psf", "adk_dims.dcd", "name CA", "CA", 0.05, 300, false}, 0, 50, 0);
    check_histograms(
        &(sdh_case){"adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc", "protein", "protein", 0.05, 300, false}, 0, 9, 2);
}

typedef struct rdf_case {
    const char *folder, *topology, *trajectory, *first, *second, *name; /* second NULL: the first with itself */
    int bins;
} rdf_case;

static query_run start_rdf(const rdf_case *of, const reference_system *system, const char *parameters)
{
    query_run run = system_query(system, &qn_query_rdf, of->first, parameters);
    int node;
    if (of->second && CHECK_OK(qn_selections_add(system->selections, of->second, &node))) {
        run.atoms[1].fixed = true;
        qn_selections_fixed_atoms(system->selections, node, &run.atoms[1].indices, &run.atoms[1].count);
    }
    return run;
}

/* Compare counts, up to the pairs near an edge, and g within 1e-6 if the counts are equal. The first bin is left out,
 * because MDAnalysis counts an atom with itself. */
static void check_mdanalysis(const rdf_case *of, const reference_system *system, const query_run *run,
                             const uint64_t *near)
{
    static double rows[BINS_MAX][3];
    char name[64];
    double difference = 0;
    snprintf(name, sizeof name, "ref/mda_rdf_%s.txt", of->name);
    const int count = read_numbers(system_path(system, name), 3, rows, NULL);
    CHECK(count == of->bins);
    for (int k = 0; k < count; k++) {
        const double mine = query_value(run, "", (size_t)k, 3);
        if (k == 0 && !of->second) continue;
        CHECK_NEAR(query_value(run, "", (size_t)k, 0), rows[k][0], 1e-4);
        difference += mine - rows[k][2];
        CHECK(fabs(difference) <= 2 * (double)near[k + 1]);
        if (mine == rows[k][2]) CHECK_NEAR(query_value(run, "", (size_t)k, 1), rows[k][1], 1e-6 * fmax(1, rows[k][1]));
    }
}

/* Compare at the three decimals that GROMACS prints. Its coordination number of row k reaches to the upper edge of bin
 * k. */
static void check_gromacs(const rdf_case *of, const reference_system *system, const query_run *centred,
                          const query_run *run)
{
    static double rows[BINS_MAX][3];
    char name[64];
    snprintf(name, sizeof name, "ref/gmx_rdf_%s.xvg", of->name);
    int count = read_numbers(system_path(system, name), 2, rows, NULL);
    CHECK(count == of->bins);
    for (int k = 0; k < count; k++) {
        CHECK_NEAR(query_value(centred, "", (size_t)k, 0), rows[k][0], 1e-4);
        CHECK_NEAR(query_value(centred, "", (size_t)k, 1), rows[k][1], 0.0006 + 1e-4 * rows[k][1]);
    }
    snprintf(name, sizeof name, "ref/gmx_cn_%s.xvg", of->name);
    FILE *file = fopen(system_path(system, name), "r");
    if (!file) return;
    fclose(file);
    count = read_numbers(system_path(system, name), 2, rows, NULL);
    for (int k = 0; k < count && k < of->bins; k++)
        CHECK_NEAR(query_value(run, "", (size_t)k, 2), rows[k][1], 0.0006 + 1e-4 * rows[k][1]);
}

static void check_distribution(const rdf_case *of)
{
    static uint64_t near[BINS_MAX + 1];
    const qn_histogram_bins bins = {of->bins, false, 0.01};
    char parameters[2][96];
    reference_system system;
    query_run run = {0}, centred = {0};
    memset(near, 0, sizeof near);
    snprintf(parameters[0], sizeof parameters[0], "bin=0.01 max=%g norm=mean-volume", 0.01 * of->bins);
    snprintf(parameters[1], sizeof parameters[1], "bin=0.01 max=%g centred=yes", 0.01 * of->bins);
    if (system_open(&system, of->folder, of->topology, of->trajectory, false)) {
        while (system_next(&system)) {
            if (!run.state) {
                run = start_rdf(of, &system, parameters[0]);
                centred = start_rdf(of, &system, parameters[1]);
            }
            push(&run, &system.frame);
            push(&centred, &system.frame);
            count_near(&run, &system.frame, &bins, true, near);
        }
        query_finish(&run);
        query_finish(&centred);
        check_mdanalysis(of, &system, &run, near);
        check_gromacs(of, &system, &centred, &run);
        query_end(&run);
        query_end(&centred);
    }
    system_close(&system);
}

static void distributions_agree_with_mdanalysis_and_gromacs(void)
{
    check_distribution(&(rdf_case){"water3k", "water3k.tpr", "water3k.xtc", "name OW", NULL, "OO", 120});
    check_distribution(&(rdf_case){"argon_tng", "argon.gro", "argon_from_tng.xtc", "all", NULL, "ArAr", 150});
    check_distribution(
        &(rdf_case){"adk_oplsaa", "adk_oplsaa.tpr", "adk_oplsaa.xtc", "protein and name CA", "name OW", "CA_OW", 120});
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(pairs_of_a_line_are_counted);
    RUN(pairs_within_a_molecule_are_left_out);
    RUN(distributions_are_normalised_by_shell);
    RUN(errors_come_from_blocks_of_frames);
    RUN(impossible_parameters_are_refused);
    RUN(histograms_agree_with_double_precision);
    RUN_LONG(distributions_agree_with_mdanalysis_and_gromacs);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
