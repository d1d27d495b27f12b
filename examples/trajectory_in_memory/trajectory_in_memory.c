/* Analyse a trajectory that is in memory, as a simulation or a NumPy array has it, and print the tables: no file is
 * read or written. The trajectory is a random walk, whose mean square displacement after time t is known: 3 s² t / Δt
 * for steps of the standard deviation s along each axis.
 *
 *     trajectory_in_memory [FRAMES]
 */
#include <math.h>
#include <quern/trajectory.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATOMS = 500 };
static const double step_nm = 0.02, interval_ps = 10, pi = 3.14159265358979323846;

/* Draw a normally distributed number (Box and Muller 1958). */
static double normal(void)
{
    const double one = (rand() + 1.0) / (RAND_MAX + 1.0), two = (rand() + 1.0) / (RAND_MAX + 1.0);
    return sqrt(-2 * log(one)) * cos(2 * pi * two);
}

/* Make a topology of argon: each atom is its own residue and molecule. */
static qn_status make_topology(qn_topology **topology)
{
    const qn_topology_atom atom = {.name = "AR", .element = "AR"};
    qn_status status = qn_topology_create("argon", topology);
    for (int i = 0; i < ATOMS && status == QN_OK; i++) {
        const qn_topology_residue residue = {.number = i + 1, .name = "AR"};
        status = qn_topology_append_residue(*topology, &residue);
        if (status == QN_OK) status = qn_topology_append_atom(*topology, &atom);
    }
    return status == QN_OK ? qn_topology_finish(*topology, QN_MOLECULES_OF_BONDS) : status;
}

/* Make a random walk: positions [frames][ATOMS][3], and the times of the frames. */
static void walk(int frames, float *positions, double *times)
{
    for (int frame = 0; frame < frames; frame++) {
        float *to = positions + (size_t)frame * 3 * ATOMS;
        times[frame] = frame * interval_ps;
        for (size_t i = 0; i < 3 * ATOMS; i++) to[i] = frame ? (float)((to - 3 * ATOMS)[i] + step_nm * normal()) : 0;
    }
}

static void print_table(const qn_trajectory_result_table *table)
{
    printf("%s\n", table->title);
    for (size_t i = 0; i < table->column_count; i++)
        if (*table->columns[i].unit)
            printf("%15s (%s)", table->columns[i].label, table->columns[i].unit);
        else
            printf("%20s", table->columns[i].label);
    putchar('\n');
    for (size_t row = 0; row < table->row_count && row < 5; row++) {
        for (size_t i = 0; i < table->column_count; i++) printf("%20.6g", table->values[row * table->column_count + i]);
        putchar('\n');
    }
}

static qn_status analyse(qn_context *context, const qn_topology *topology, const qn_frame_array *frames)
{
    static const qn_trajectory_query queries[] = {{.size = sizeof queries[0], .query_class = "gyration"},
                                                  {.size = sizeof queries[0], .query_class = "msd"}};
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_result *result;
    options.topology_in_memory = topology;
    options.frames = frames;
    options.queries = queries;
    options.query_count = 2;
    const qn_status status = qn_trajectory_run(context, &options, &result);
    if (status != QN_OK) return status;
    for (size_t i = 0; i < result->query_count; i++) print_table(&result->queries[i].tables[0]);
    printf("%llu frames of %zu atoms\n", (unsigned long long)result->frame_count, result->atom_count);
    const qn_trajectory_result_table *msd = &result->queries[1].tables[0];
    printf("displacement after one step over that expected: %.3f\n",
           msd->values[msd->column_count + 1] / (3 * step_nm * step_nm));
    qn_trajectory_result_destroy(&result);
    return QN_OK;
}

int main(int argc, char **argv)
{
    const int frames = argc > 1 ? atoi(argv[1]) : 200;
    if (frames < 2) {
        fprintf(stderr, "usage: trajectory_in_memory [FRAMES]\n");
        return 2;
    }
    float *positions = malloc((size_t)frames * 3 * ATOMS * sizeof *positions);
    double *times = malloc((size_t)frames * sizeof *times);
    qn_context *context = NULL;
    qn_topology *topology = NULL;
    qn_status status = positions && times ? qn_context_create(NULL, &context)
                                          : qn_error_raise(QN_OUT_OF_MEMORY, "no memory for %d frames", frames);
    if (status == QN_OK) status = make_topology(&topology);
    if (status == QN_OK) {
        const qn_frame_array array = {
            .positions_nm = positions, .frame_count = (size_t)frames, .atom_count = ATOMS, .times_ps = times};
        walk(frames, positions, times);
        status = analyse(context, topology, &array);
    }
    if (status != QN_OK) fprintf(stderr, "trajectory_in_memory: %s\n", qn_error_message());
    qn_topology_destroy(&topology);
    qn_context_destroy(&context);
    free(positions);
    free(times);
    return status == QN_OK ? 0 : 1;
}
