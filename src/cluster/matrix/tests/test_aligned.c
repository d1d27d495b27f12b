/* Scores of models of different length, by alignment of their sequences, in whole runs. */
#include "check.h"

#include <quern/distance.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static qn_context *context;

/* Copy model `number` of a file, without residues before `first`, after `last`, and from `gap` to `gap_end`. Returns
 * the path of the copy. */
static const char *cut_model(const char *from, int number, int first, int last, int gap, int gap_end)
{
    static char path[3][600];
    static int which;
    char line[128];
    int model = 0;
    which = (which + 1) % 3;
    snprintf(path[which], sizeof path[which], "%s/model_%d.pdb", check_scratch_folder(), number);
    FILE *in = fopen(from, "r"), *out = fopen(path[which], "w");
    while (in && out && fgets(line, sizeof line, in)) {
        if (strncmp(line, "MODEL", 5) == 0) model++;
        if (model != number || strncmp(line, "ATOM", 4) != 0) continue;
        const int residue = atoi(line + 22);
        if (residue >= first && residue <= last && (residue < gap || residue > gap_end)) fputs(line, out);
    }
    CHECK(in && out);
    if (in) fclose(in);
    if (out) fclose(out);
    return path[which];
}

static qn_status run(const char *const *files, size_t count, const char *reference, qn_distance_measure measure,
                     bool align, qn_distance_result **result)
{
    qn_distance_options options = qn_distance_default_options();
    options.run.device = "host";
    options.structures.files = files;
    options.structures.file_count = count;
    options.to = &reference;
    options.to_count = reference != NULL;
    options.measure = measure;
    options.measuring.align = align;
    return qn_distance_run(context, &options, result);
}

typedef struct expectation {
    qn_distance_measure measure;
    double pairs[3], to_whole[2], loss; /* loss: the most that a search may miss */
} expectation;

/* I-TASSER decoys: residues 20 to 110 of model 9, model 12 without residues 40 to 55, and model 1. Values are those of
 * `TMscore A.pdb B.pdb` (Debian's tm-align 20190822), which compares residues of the same number and normalises by B:
 * of pairs B is the shorter one, else model 1. */
static void scores_are_those_of_common_residues(void)
{
    static const expectation expected[] = {
        {QN_DISTANCE_TM_SCORE, {0.7389, 0.9397, 0.9369}, {0.6846, 0.8234}, 2e-4},
        {QN_DISTANCE_GDT_TS, {0.7473, 0.9368, 0.9369}, {0.6713, 0.8189}, 0.006},
        {QN_DISTANCE_MAXSUB, {0.7195, 0.9366, 0.9129}, {0.6711, 0.7979}, 0.004},
    };
    const char *decoys = check_reference_data("cluster/itasser_decoys_ca.pdb");
    if (!decoys) return;
    const char *files[3];
    files[0] = cut_model(decoys, 9, 20, 110, 0, 0);
    files[1] = cut_model(decoys, 12, 1, 127, 40, 55);
    files[2] = cut_model(decoys, 1, 1, 127, 0, 0);
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        qn_distance_result *result = NULL;
        if (!CHECK_OK(run(files, 3, NULL, expected[e].measure, true, &result))) return;
        for (int k = 0; k < 3; k++) {
            CHECK((double)result->values[k] > expected[e].pairs[k] - expected[e].loss);
            CHECK((double)result->values[k] < expected[e].pairs[k] + 0.01);
        }
        qn_distance_result_destroy(&result);
        if (!CHECK_OK(run(files, 2, files[2], expected[e].measure, true, &result))) return;
        for (int k = 0; k < 2; k++) {
            CHECK((double)result->values[k] > expected[e].to_whole[k] - expected[e].loss);
            CHECK((double)result->values[k] < expected[e].to_whole[k] + 0.01);
        }
        qn_distance_result_destroy(&result);
    }
}

static void models_of_one_length_have_the_same_scores(void)
{
    const char *decoys = check_reference_data("cluster/itasser_decoys_ca.pdb");
    qn_distance_result *plain = NULL, *aligned = NULL;
    if (!decoys) return;
    for (int m = QN_DISTANCE_TM_SCORE; m <= QN_DISTANCE_MAXSUB; m++) {
        CHECK_OK(run(&decoys, 1, NULL, (qn_distance_measure)m, false, &plain));
        CHECK_OK(run(&decoys, 1, NULL, (qn_distance_measure)m, true, &aligned));
        if (CHECK(plain && aligned && plain->value_count == aligned->value_count))
            CHECK(memcmp(plain->values, aligned->values, plain->value_count * sizeof(float)) == 0);
        qn_distance_result_destroy(&plain);
        qn_distance_result_destroy(&aligned);
    }
}

static void what_cannot_be_aligned_is_refused(void)
{
    char path[600];
    qn_distance_result *result = NULL;
    snprintf(path, sizeof path, "%s/two_atoms.pdb", check_scratch_folder());
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    fputs("ATOM      1  CA  ALA A   1       0.000   0.000   0.000  1.00  0.00           C\n"
          "ATOM      2  CB  ALA A   1       1.500   0.000   0.000  1.00  0.00           C\n",
          file);
    fclose(file);
    const char *files[2] = {path, path};
    CHECK_FAILS(run(files, 2, NULL, QN_DISTANCE_DRMSD, true, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("--align is given, but drmsd");
    qn_distance_options options = qn_distance_default_options();
    options.structures.files = files;
    options.structures.file_count = 2;
    options.structures.select = "all";
    options.measure = QN_DISTANCE_TM_SCORE;
    options.measuring.align = true;
    CHECK_FAILS(qn_distance_run(context, &options, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("several atoms of ALA 1 are selected");
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (check_reference_data("cluster/itasser_decoys_ca.pdb")) RUN(scores_are_those_of_common_residues);
    if (check_reference_data("cluster/itasser_decoys_ca.pdb")) RUN(models_of_one_length_have_the_same_scores);
    RUN(what_cannot_be_aligned_is_refused);
    qn_context_destroy(&context);
    return check_finish();
}
