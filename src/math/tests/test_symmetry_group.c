/* Point groups: they are closed under products and inverses, have the right order and RELION's axes, and hold the
 * operators that RELION 3.1 prints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "math/rotation.h"
#include "math/symmetry_group.h"

static double difference(const double a[9], const double b[9])
{
    double largest = 0;
    for (int k = 0; k < 9; k++) largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

/* Distance of the nearest operator. */
static double nearest(double (*operators)[9], int count, const double m[9])
{
    double least = 9;
    for (int i = 0; i < count; i++) least = fmin(least, difference(operators[i], m));
    return least;
}

static void check_group(const char *name, int order)
{
    double(*g)[9];
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int count;
    if (!CHECK_OK(qn_symmetry_group(name, &g, &count))) return;
    CHECK(count == order);
    CHECK(difference(g[0], identity) == 0);
    for (int i = 0; i < count; i++) {
        double inverse[9], product[9];
        CHECK(qn_rotation_error(g[i]) < 1e-12);
        for (int k = 0; k < 9; k++) inverse[k] = g[i][3 * (k % 3) + k / 3];
        CHECK(nearest(g, count, inverse) < 1e-12);
        for (int j = 0; j < count; j++) {
            CHECK(i == j || difference(g[i], g[j]) > 1e-3);
            qn_rotation_multiply(g[i], g[j], product);
            CHECK(nearest(g, count, product) < 1e-12);
        }
    }
    qn_release(&g);
}

static void groups_are_closed(void)
{
    static const struct {
        const char *name;
        int order;
    } groups[] = {{"C1", 1}, {"c2", 2}, {"C7", 7}, {"C30", 30}, {"D1", 2},  {"D2", 4},  {"d7", 14}, {"D24", 48},
                  {"T", 12}, {"t", 12}, {"O", 24}, {"I", 60},   {"i1", 60}, {"I2", 60}, {"I3", 60}, {"I4", 60}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) check_group(groups[i].name, groups[i].order);
}

/* Large groups: only order and orthogonality, because checking their closure takes long. */
static void largest_groups_stay_exact(void)
{
    static const char *const names[] = {"C1024", "D512"};
    for (int i = 0; i < 2; i++) {
        double(*g)[9];
        int count;
        if (!CHECK_OK(qn_symmetry_group(names[i], &g, &count))) return;
        CHECK(count == 1024);
        for (int j = 0; j < count; j++) CHECK(qn_rotation_error(g[j]) < 1e-11);
        qn_release(&g);
    }
}

/* Check that the rotations by ±360°/fold about an axis are operators: they keep the axis and have the trace of the
 * angle. The axes are those of the convention's description, to six digits. */
static void check_axis(const char *name, int fold, double x, double y, double z)
{
    const double axis[3] = {x, y, z}, trace = 1 + 2 * cos(6.283185307179586 / fold);
    double(*g)[9], moved[3];
    int count, found = 0;
    if (!CHECK_OK(qn_symmetry_group(name, &g, &count))) return;
    for (int i = 0; i < count; i++) {
        qn_rotation_apply(g[i], axis, moved);
        const double off = fabs(moved[0] - x) + fabs(moved[1] - y) + fabs(moved[2] - z);
        found += off < 5e-6 && fabs(g[i][0] + g[i][4] + g[i][8] - trace) < 1e-9;
    }
    CHECK(found == (fold == 2 ? 1 : 2));
    qn_release(&g);
}

static void axes_follow_relion(void)
{
    check_axis("C5", 5, 0, 0, 1);
    check_axis("D5", 5, 0, 0, 1);
    check_axis("D5", 2, 1, 0, 0);
    check_axis("T", 3, 0, 0, 1);
    check_axis("T", 2, 0, 0.816496, 0.577350);
    check_axis("O", 4, 0, 0, 1);
    check_axis("O", 3, 1, 1, 1);
    check_axis("I1", 2, 1, 0, 0);
    check_axis("I1", 5, 0.850651, 0, -0.525731);
    check_axis("I2", 2, 0, 0, 1);
    check_axis("I2", 5, 0.525731, 0, 0.850651);
    check_axis("I2", 3, 0, 0.356822, 0.934172);
    check_axis("I", 3, 0, 0.356822, 0.934172);
    check_axis("I3", 5, 0, 0, 1);
    check_axis("I3", 2, -0.525731, 0, 0.850651);
    check_axis("I4", 5, 0.894427, 0, 0.447214);
}

/* Read the matrices of a listing, three lines of three numbers after each "R(n)=". */
static int read_listing(const char *path, double (*matrices)[9], int most)
{
    FILE *file = fopen(path, "r");
    char line[256];
    int count = 0;
    if (!file) return 0;
    while (count < most && fgets(line, sizeof line, file)) {
        if (!strstr(line, "R(")) continue;
        double *m = matrices[count++];
        for (int row = 0; row < 3; row++)
            if (!fgets(line, sizeof line, file) ||
                sscanf(line, "%lf %lf %lf", m + 3 * row, m + 3 * row + 1, m + 3 * row + 2) != 3)
                count = -1000;
    }
    fclose(file);
    return count;
}

static void operators_agree_with_relion(void)
{
    static const char *const names[] = {"C4", "D2", "D7", "T", "O", "I1", "I2", "I3", "I4"};
    static double listed[64][9];
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char name[64];
        snprintf(name, sizeof name, "cryoem/symmetry/sym_%s.txt", names[n]);
        const char *path = check_reference_data(name);
        if (!path) {
            CHECK(1); /* the reference data is absent */
            return;
        }
        double(*g)[9], worst = 0;
        int count, listed_count = read_listing(path, listed, 64);
        if (!CHECK_OK(qn_symmetry_group(names[n], &g, &count))) return;
        CHECK(listed_count == count);
        for (int i = 0; i < count && listed_count == count; i++) {
            worst = fmax(worst, nearest(listed, count, g[i]));
            worst = fmax(worst, nearest(g, count, listed[i]));
        }
        CHECK(worst < 6e-6); /* many entries are printed with five decimals, and their axes have six digits */
        qn_release(&g);
    }
}

static void other_names_are_refused(void)
{
    static const char *const names[] = {"",    "C",  "C0", "C01", "C1025", "D513", "D",
                                        "C-1", "I5", "X",  "C2 ", "T1",    "OO",   "C99999999999999999999"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double(*g)[9];
        int count;
        CHECK_FAILS(qn_symmetry_group(names[i], &g, &count), QN_INVALID_ARGUMENT);
        CHECK(g == NULL && count == 0);
        CHECK_MESSAGE_HAS(names[i]);
        CHECK_MESSAGE_HAS("I4");
    }
}

int main(void)
{
    RUN(groups_are_closed);
    RUN(largest_groups_stay_exact);
    RUN(axes_follow_relion);
    RUN(operators_agree_with_relion);
    RUN(other_names_are_refused);
    return check_finish();
}
