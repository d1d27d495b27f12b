/* Poses of 1PPE's ligand with the numbers of the package DockQ (tests/data/compare/README.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "compare/complex_quality.h"

enum { COLUMNS = 16, POSES = 12 };

static qn_molecule *read_part(const char *name)
{
    qn_molecule *molecule = NULL;
    char path[256];
    snprintf(path, sizeof path, "../../examples/1ppe/1PPE_%s.pdb", name);
    CHECK_OK(qn_molecule_read(NULL, check_data(path), NULL, &molecule));
    return molecule;
}

/* Read the rows of dockq_1ppe.csv: a rotation by rows, a translation, Fnat, i-RMSD, L-RMSD, DockQ. */
static int read_poses(double poses[POSES][COLUMNS])
{
    char line[1024];
    int count = 0;
    FILE *file = fopen(check_data("compare/dockq_1ppe.csv"), "r");
    if (!file || !fgets(line, sizeof line, file)) return 0; /* the header */
    while (count < POSES && fgets(line, sizeof line, file)) {
        char *at = line;
        for (int i = 0; i < COLUMNS; i++, at++) poses[count][i] = strtod(at, &at);
        count++;
    }
    fclose(file);
    return count;
}

/* Place the ligand, with coordinates of three decimals as in the files that DockQ read. */
static void place(const qn_molecule *start, const double *pose, qn_molecule *placed)
{
    for (size_t i = 0; i < start->atom_count; i++) {
        const double *x = start->atoms[i].position_angstrom;
        for (int axis = 0; axis < 3; axis++) {
            const double *row = pose + 3 * axis;
            const double moved = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + pose[9 + axis];
            placed->atoms[i].position_angstrom[axis] = round(1000 * moved) / 1000;
        }
    }
}

/* The class by the published limits, written apart from the library's. */
static qn_capri_class expected_class(double fnat, double interface, double ligand)
{
    if (fnat < 0.1 || (ligand > 10 && interface > 4)) return QN_CAPRI_INCORRECT;
    if (fnat < 0.3 || (ligand > 5 && interface > 2)) return QN_CAPRI_ACCEPTABLE;
    return fnat < 0.5 || (ligand > 1 && interface > 1) ? QN_CAPRI_MEDIUM : QN_CAPRI_HIGH;
}

/* Tolerance 1e-3: DockQ computes in single precision and reads coordinates of three decimals. */
static void poses_have_the_numbers_of_dockq(void)
{
    static double poses[POSES][COLUMNS];
    qn_molecule *bound[] = {read_part("r_b-matched"), read_part("l_b-matched")}, *receptor = read_part("r_u"),
                *start = read_part("l_u_rnd"), *placed = read_part("l_u_rnd");
    qn_complex_reference *reference = NULL;
    int classes[4] = {0}, contacts_alone = 0;
    const bool ready = receptor && start && placed && bound[0] && bound[1] && CHECK(read_poses(poses) == POSES) &&
                       CHECK_OK(qn_complex_reference_create(bound[0], bound[1], &reference));
    for (int i = 0; ready && i < POSES; i++) {
        const double *known = poses[i] + 12;
        qn_complex_quality quality;
        place(start, poses[i], placed);
        if (!CHECK_OK(qn_complex_quality_compute(reference, receptor, placed, &quality))) continue;
        CHECK_NEAR(quality.fnat, known[0], 1e-6);
        CHECK_NEAR(quality.interface_rmsd_angstrom, known[1], 1e-3);
        CHECK_NEAR(quality.ligand_rmsd_angstrom, known[2], 1e-3);
        CHECK_NEAR(quality.dockq, known[3], 1e-3);
        CHECK(quality.capri == expected_class(known[0], known[1], known[2]));
        classes[quality.capri]++;
        contacts_alone += quality.capri == QN_CAPRI_INCORRECT && quality.fnat > 0.3;
    }
    for (int i = 0; i < 4; i++) CHECK(classes[i] > 0);
    CHECK(contacts_alone > 0);
    qn_complex_reference_destroy(&reference);
    qn_molecule_destroy(&bound[0]);
    qn_molecule_destroy(&bound[1]);
    qn_molecule_destroy(&receptor);
    qn_molecule_destroy(&start);
    qn_molecule_destroy(&placed);
}

int main(void)
{
    RUN(poses_have_the_numbers_of_dockq);
    return check_finish();
}
