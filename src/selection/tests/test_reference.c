/* Compare selections on real simulations with MDAnalysis 2.4.2: `len(u.select_atoms(text))` and the sum of the atoms'
 * indices, for the same topology (TPR, PSF, parm7) and frame. Lengths are in Å, as in MDAnalysis. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "format/trajectory/trajectory_stream.h"
#include "selection/network.h"

#define NO_SUM UINT64_MAX

typedef struct expectation {
    const char *text; /* in Quern's words where the languages differ */
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
        if (expected[i].sum == NO_SUM) sum = NO_SUM;
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
    if (!CHECK(count <= 32) || !CHECK_OK(qn_topology_read(NULL, path, &topology)) ||
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

/* Triclinic box, 47,681 atoms, first and last frame. */
static void adenylate_kinase_in_water(void)
{
    static const expectation first[] = {
        {"protein", 3341, 5579470},
        {"name H*", 23853, NO_SUM},
        {"hydrogen", 23853, NO_SUM}, /* in this file, the names of all hydrogens match H* */
        {"name ?A", 412, NO_SUM},
        {"type opls_1*", 46129, NO_SUM},
        {"prop mass > 10", 12744, NO_SUM},
        {"prop charge < -0.7", 11194, NO_SUM},
        {"bonded name CA", 856, NO_SUM},
        {"same mass as name CA", 1040, NO_SUM},
        {"byres name CA or resid 11000", 3345, NO_SUM},
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
    check_system("trajectory/adk_oplsaa/adk_oplsaa.tpr", "trajectory/adk_oplsaa/adk_oplsaa.xtc", 0, first,
                 sizeof first / sizeof first[0]);
    check_system("trajectory/adk_oplsaa/adk_oplsaa.tpr", "trajectory/adk_oplsaa/adk_oplsaa.xtc", 9, last,
                 sizeof last / sizeof last[0]);
}

/* Cubic box; disulfides. */
static void toxin_in_water(void)
{
    static const expectation expected[] = {
        {"around 5 protein", 2145, 22151857},
        {"water", 18448, 187090392},
        {"protein", 918, 420903},
        {"backbone", 247, 112856},
        {"around 4 (resname NA CL)", 542, 5503127},
        {"around 4 ions", 542, 5503127},
        {"around 20 index 100", 4323, 36028955},
        {"prop y > 30", 8423, 83166184},
        {"bonded name SG", 16, 8684},
        {"same fragment as index 0", 918, 420903},
        {"same molecule as index 0", 918, 420903},
    };
    check_system("trajectory/cobrotoxin/cobrotoxin.tpr", "trajectory/cobrotoxin/cobrotoxin.xtc", 0, expected,
                 sizeof expected / sizeof expected[0]);
}

/* Orthorhombic box, which differs from frame to frame; 13 Å is about half of the box. */
static void peptide_in_water(void)
{
    static const expectation first[] = {
        {"around 5 resname ACE", 87, 67331},
        {"name O and around 3.5 resname ACE", 10, 8097},
        {"protein", 6, 15},
        {"around 13 index 0", 850, 588683},
    };
    static const expectation last[] = {
        {"around 5 resname ACE", 72, 41251},
        {"name O and around 3.5 resname ACE", 10, 6381},
        {"around 13 index 0", 839, 530308},
    };
    check_system("trajectory/ace_tip3p/ace_tip3p.parm7", "trajectory/ace_tip3p/ace_tip3p.nc", 0, first,
                 sizeof first / sizeof first[0]);
    check_system("trajectory/ace_tip3p/ace_tip3p.parm7", "trajectory/ace_tip3p/ace_tip3p.nc", 9, last,
                 sizeof last / sizeof last[0]);
}

/* No box. */
static void adenylate_kinase_alone(void)
{
    static const expectation first[] = {
        {"around 5 resid 1:3", 214, 259867},
        {"prop z > 0 and prop x < -5", 568, 1175758},
        {"backbone", 855, 1413685},
        {"type 22", 244, 407000},
        {"bonded name CA", 856, 1414990},
        {"around 12 (name CA and resid 100)", 249, 340338},
        {"segid 4AKE", 3341, 5579470},
        {"resname ALA GLY and not name H*", 176, 264474},
        {"prop mass > 12 and prop charge < -0.4", 577, 977303},
        {"same resname as resid 7", 141, 200971},
    };
    static const expectation middle[] = {
        {"around 5 resid 1:3", 235, 285973},
        {"prop z > 0 and prop x < -5", 617, 1331847},
        {"around 12 (name CA and resid 100)", 269, 393698},
    };
    check_system("trajectory/adk_dims/adk.psf", "trajectory/adk_dims/adk_dims.dcd", 0, first,
                 sizeof first / sizeof first[0]);
    check_system("trajectory/adk_dims/adk.psf", "trajectory/adk_dims/adk_dims.dcd", 50, middle,
                 sizeof middle / sizeof middle[0]);
}

int main(void)
{
    RUN(adenylate_kinase_in_water);
    RUN(toxin_in_water);
    RUN(peptide_in_water);
    RUN(adenylate_kinase_alone);
    return check_finish();
}
