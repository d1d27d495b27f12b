/* Selections on real simulations against MDAnalysis 2.4.2: `len(u.select_atoms(text))` and the sum of the atoms'
 * indices, on the same topology (TPR, PSF) and frame. Where Å are written there, the text here says them too. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "format/trajectory_stream.h"
#include "trajectory/selection_network.h"

typedef struct expectation {
    const char *text; /* in this program's words where they differ */
    size_t count;
    uint64_t sum;
} expectation;

static bool read_frame(const char *path, size_t atom_count, uint64_t number, qn_trajectory_frame *frame)
{
    qn_trajectory_stream *stream;
    qn_frame_bytes bytes = {0};
    bool end = true;
    frame->positions_nm = calloc(3 * atom_count, sizeof(float));
    if (!frame->positions_nm || !CHECK_OK(qn_trajectory_stream_open(path, atom_count, &stream))) return false;
    CHECK_OK(qn_trajectory_stream_skip(stream, number, NULL));
    CHECK_OK(qn_trajectory_stream_read(stream, &bytes, &end));
    bool read = CHECK(!end) && CHECK_OK(qn_trajectory_stream_decode(stream, &bytes, frame));
    qn_frame_bytes_clear(&bytes);
    qn_trajectory_stream_close(&stream);
    return read;
}

static void check_counts(qn_selection_atoms *atoms, const int *nodes, const expectation *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t *indices;
        size_t found;
        uint64_t sum = 0;
        qn_selection_atoms_view(atoms, nodes[i], &indices, &found);
        for (size_t k = 0; k < found; k++) sum += indices[k];
        if (!CHECK(found == expected[i].count && sum == expected[i].sum))
            printf("    %s: %zu atoms, sum %llu\n", expected[i].text, found, (unsigned long long)sum);
    }
}

static void check_system(const char *topology_name, const char *trajectory_name, uint64_t number,
                         const expectation *expected, size_t count)
{
    char path[1024];
    const char *reference = check_reference_data(topology_name);
    if (!reference) {
        CHECK(1);
        return;
    }
    snprintf(path, sizeof path, "%s", reference);
    qn_topology *topology;
    qn_selections *selections;
    qn_selection_atoms *atoms;
    qn_trajectory_frame frame = {0};
    int nodes[32];
    if (!CHECK(count <= 32) || !CHECK_OK(qn_topology_read(path, &topology)) ||
        !CHECK_OK(qn_selections_create(topology, 0.1, true, &selections)))
        return;
    for (size_t i = 0; i < count; i++) CHECK_OK(qn_selections_add(selections, expected[i].text, &nodes[i]));
    if (read_frame(check_reference_data(trajectory_name), topology->atom_count, number, &frame) &&
        CHECK_OK(qn_selection_atoms_create(selections, &atoms))) {
        if (CHECK_OK(qn_selection_atoms_evaluate(atoms, &frame))) check_counts(atoms, nodes, expected, count);
        qn_selection_atoms_destroy(&atoms);
    }
    free(frame.positions_nm);
    qn_selections_destroy(&selections);
    qn_topology_destroy(&topology);
}

/* Triclinic, 47,681 atoms, first and last frame. */
static void adenylate_kinase_in_water(void)
{
    static const expectation first[] = {
        {"protein", 3341, 5579470},
        {"around 5 protein", 5616, 153624138},
        {"around 3.5 resname NA+", 100, 2358675},
        {"resname SOL and around 3.5 (resid 10 and protein)", 15, 530484},
        {"byres (resname SOL and around 3.5 protein)", 3948, 108060542},
        {"prop x <= 5", 175, 4488374},
        {"prop abs z <= 5", 4268, 107749397},
        {"around 25 index 0", 8459, 181495885},
        {"around 45 index 0", 44867, 1070791939}, /* more than half a box */
        {"around 5 (protein and around 10 resname NA+)", 668, 13866686},
        {"name OW and around 8 (name CA and resid 50:60)", 157, 4050613},
    };
    static const expectation last[] = {
        {"around 5 protein", 5687, 150489494},
        {"around 3.5 (resname NA+)", 102, 2227651},
        {"byres (resname SOL and around 3.5 protein)", 4076, 107316302},
        {"prop x <= 5", 191, 5419174},
        {"around 25 index 0", 8354, 168869017},
        {"around 45 index 0", 44800, 1064025628},
        {"around 5 (protein and around 10 resname NA+)", 213, 3663156},
    };
    check_system("trajectory/adk_oplsaa/atoms.tsv.gz", "trajectory/adk_oplsaa/adk_oplsaa.xtc", 0, first,
                 sizeof first / sizeof first[0]);
    check_system("trajectory/adk_oplsaa/atoms.tsv.gz", "trajectory/adk_oplsaa/adk_oplsaa.xtc", 9, last,
                 sizeof last / sizeof last[0]);
}

int main(void)
{
    RUN(adenylate_kinase_in_water);
    return check_finish();
}
