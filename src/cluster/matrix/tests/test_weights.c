/* Weights of atoms, from columns, masses and files, in whole runs. */
#include "check.h"

#include <math.h>
#include <quern/distance.h>
#include <stdio.h>
#include <string.h>

static qn_context *context;

/* Two models of water's atoms in a row, the last of which moves by 2 Å; occupancies 1, 0.5, 0.25, B factors 0, 4, 2. */
static const char models[] = "MODEL        1\n"
                             "ATOM      1  O   ALA A   1       0.000   0.000   0.000  1.00  0.00           O\n"
                             "ATOM      2  C   ALA A   1       3.000   0.000   0.000  0.50  4.00           C\n"
                             "ATOM      3  N   ALA A   1       7.000   0.000   0.000  0.25  2.00           N\n"
                             "ENDMDL\n"
                             "MODEL        2\n"
                             "ATOM      1  O   ALA A   1       0.000   0.000   0.000  1.00  0.00           O\n"
                             "ATOM      2  C   ALA A   1       3.000   0.000   0.000  0.50  4.00           C\n"
                             "ATOM      3  N   ALA A   1       9.000   0.000   0.000  0.25  2.00           N\n"
                             "ENDMDL\n";

static const char *write_file(const char *name, const char *text)
{
    static char path[2][512];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", check_scratch_folder(), name);
    FILE *file = fopen(path[which], "w");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
    return path[which];
}

static qn_status run(const char *weights, double *value)
{
    const char *path = write_file("models.pdb", models);
    qn_distance_options options = qn_distance_default_options();
    qn_distance_result *result = NULL;
    options.run.device = "host";
    options.structures.files = &path;
    options.structures.file_count = 1;
    options.structures.select = "all";
    options.measuring.weights = weights;
    const qn_status status = qn_distance_run(context, &options, &result);
    *value = status == QN_OK ? (double)result->values[0] : -1;
    qn_distance_result_destroy(&result);
    return status;
}

/* Two of three distances differ by 2 Å, those of atom 3: the mean of squares is 4 (w1 w3 + w2 w3) / (w1 w2 + w1 w3 +
 * w2 w3). */
static double expected(double w1, double w2, double w3)
{
    return sqrt(4 * (w1 * w3 + w2 * w3) / (w1 * w2 + w1 * w3 + w2 * w3));
}

static void weights_come_from_masses_and_columns(void)
{
    double value;
    CHECK_OK(run("none", &value));
    CHECK_NEAR(value, expected(1, 1, 1), 1e-5);
    CHECK_OK(run("mass", &value));
    CHECK_NEAR(value, expected(15.999, 12.011, 14.007), 1e-4);
    CHECK_OK(run("occupancy", &value));
    CHECK_NEAR(value, expected(1, 0.5, 0.25), 1e-5);
    CHECK_OK(run("b-factor", &value));
    CHECK_NEAR(value, expected(0, 4, 2), 1e-5);
}

static void weights_come_from_files(void)
{
    double value;
    CHECK_OK(run(write_file("heading.csv", "weight\n1\n10\r\n\n# the last one\n0.5,\n"), &value));
    CHECK_NEAR(value, expected(1, 10, 0.5), 1e-5);
    CHECK_OK(run(write_file("no_end.txt", "1\n2\n3"), &value));
    CHECK_NEAR(value, expected(1, 2, 3), 1e-5);
}

static void wrong_weights_are_refused(void)
{
    double value;
    CHECK_FAILS(run(write_file("short.txt", "1\n2\n"), &value), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has 2 weights; expected 3");
    CHECK_FAILS(run(write_file("word.txt", "1\n2\nheavy\n"), &value), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("word.txt:3: \"heavy\"");
    CHECK_FAILS(run(write_file("negative.txt", "1\n2\n-3\n"), &value), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("weight of selected atom 3 is -3");
    CHECK_FAILS(run(write_file("zeros.txt", "0\n0\n0\n"), &value), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("all weights are 0");
    CHECK_FAILS(run("absent.txt", &value), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("which is no file");
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    RUN(weights_come_from_masses_and_columns);
    RUN(weights_come_from_files);
    RUN(wrong_weights_are_refused);
    qn_context_destroy(&context);
    return check_finish();
}
