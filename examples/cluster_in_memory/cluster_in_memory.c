/* Group frames that are in memory, as a simulation or a NumPy array has them, and print the groups: no file is read or
 * written. The molecule is a ring of beads that jumps between two shapes, flat and puckered, so the groups are known.
 *
 *     cluster_in_memory [FRAMES]
 */
#include <math.h>
#include <quern/cluster.h>
#include <stdio.h>
#include <stdlib.h>

enum { BEADS = 12 };
static const double radius_nm = 0.5, pucker_nm = 0.2, noise_nm = 0.02, interval_ps = 10, pi = 3.14159265358979323846;

/* Make a topology of beads: each is a residue of its own. */
static qn_status make_topology(qn_topology **topology)
{
    const qn_topology_atom atom = {.name = "B", .element = "C"};
    qn_status status = qn_topology_create("ring", topology);
    for (int i = 0; i < BEADS && status == QN_OK; i++) {
        const qn_topology_residue residue = {.number = i + 1, .name = "RNG"};
        status = qn_topology_append_residue(*topology, &residue);
        if (status == QN_OK) status = qn_topology_append_atom(*topology, &atom);
    }
    return status == QN_OK ? qn_topology_finish(*topology, QN_MOLECULES_OF_BONDS) : status;
}

static double noise(void)
{
    return noise_nm * (2.0 * rand() / RAND_MAX - 1);
}

/* Make frames of a ring that is puckered in every third of them: positions [frames][BEADS][3]. */
static void make_frames(int frames, float *positions, double *times)
{
    for (int frame = 0; frame < frames; frame++) {
        const double pucker = frame % 3 == 2 ? pucker_nm : 0;
        times[frame] = frame * interval_ps;
        for (int i = 0; i < BEADS; i++) {
            float *bead = positions + ((size_t)frame * BEADS + (size_t)i) * 3;
            bead[0] = (float)(radius_nm * cos(2 * pi * i / BEADS) + noise());
            bead[1] = (float)(radius_nm * sin(2 * pi * i / BEADS) + noise());
            bead[2] = (float)((i % 2 ? pucker : -pucker) + noise());
        }
    }
}

static qn_status group(qn_context *context, const qn_topology *topology, const qn_frame_array *frames)
{
    qn_cluster_options options = qn_cluster_default_options();
    qn_cluster_result *result;
    options.structures.topology = topology;
    options.structures.frames = frames;
    options.structures.select = "all";
    options.measure = QN_DISTANCE_RMSD;
    options.method = QN_CLUSTER_AVERAGE;
    options.clusters = 2;
    const qn_status status = qn_cluster_run(context, &options, &result);
    if (status != QN_OK) return status;
    for (size_t c = 0; c < result->cluster_count; c++) {
        const qn_cluster_facts *cluster = &result->clusters[c];
        printf("group %zu: %zu frames, in the middle frame %zu, diameter %.2f %s\n", c + 1, cluster->size,
               cluster->medoid, cluster->diameter, result->unit);
    }
    size_t wrong = 0; /* the larger group is the flat one */
    for (size_t frame = 0; frame < result->count; frame++) wrong += result->labels[frame] != (frame % 3 == 2);
    printf("mean silhouette %.2f, %zu frames in the wrong group\n", result->silhouette, wrong);
    qn_cluster_result_destroy(&result);
    return QN_OK;
}

int main(int argc, char **argv)
{
    const int frames = argc > 1 ? atoi(argv[1]) : 300;
    if (frames < 4) {
        fprintf(stderr, "usage: cluster_in_memory [FRAMES], at least 4\n");
        return 2;
    }
    float *positions = malloc((size_t)frames * 3 * BEADS * sizeof *positions);
    double *times = malloc((size_t)frames * sizeof *times);
    qn_context *context = NULL;
    qn_topology *topology = NULL;
    qn_status status = positions && times ? qn_context_create(NULL, &context)
                                          : qn_error_raise(QN_OUT_OF_MEMORY, "no memory for %d frames", frames);
    if (status == QN_OK) status = make_topology(&topology);
    if (status == QN_OK) {
        const qn_frame_array array = {
            .positions_nm = positions, .frame_count = (size_t)frames, .atom_count = BEADS, .times_ps = times};
        make_frames(frames, positions, times);
        status = group(context, topology, &array);
    }
    if (status != QN_OK) fprintf(stderr, "cluster_in_memory: %s\n", qn_error_message());
    qn_topology_destroy(&topology);
    qn_context_destroy(&context);
    free(positions);
    free(times);
    return status == QN_OK ? 0 : 1;
}
