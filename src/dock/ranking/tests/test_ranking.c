/* The text of a ranking model, scores and the choice of poses, and frequencies of contacts, by hand calculation. */
#include "dock/ranking/ranking.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "dock/ranking/consensus.h"

static void the_shipped_model_is_complete(void)
{
    qn_ranking_model model;
    CHECK_OK(qn_ranking_model_read(NULL, &model));
    CHECK(model.poses == 1000 && model.candidates == 300 && model.spread_angstrom == 5);
    for (int f = 0; f < QN_POSE_FEATURES; f++) CHECK(strstr(qn_ranking_model_text, qn_pose_feature_names[f]) != NULL);
    CHECK(model.weights[QN_POSE_RANK_MEAN] < 0); /* a low rank is good */
}

static void a_text_gives_its_numbers(void)
{
    qn_ranking_model model;
    CHECK_OK(qn_ranking_model_parse("# comment\n\nposes 7 # best\ncandidates 5\nspread\t2.5\nfeature area -0.25",
                                    "text", &model));
    CHECK(model.poses == 7 && model.candidates == 5 && model.spread_angstrom == 2.5);
    for (int f = 0; f < QN_POSE_FEATURES; f++) CHECK(model.weights[f] == (f == QN_POSE_AREA ? -0.25 : 0));
}

static void a_wrong_text_is_refused(void)
{
    static const char *const wrong[][2] = {
        {"poses 7\nfeature colour 1", "text:2: \"colour\""},
        {"poses many", "\"many\""},
        {"poses 0", "\"0\""},
        {"feature area nan", "\"nan\""},
        {"weight area 1", "\"weight\""},
        {"feature area 1 2", "text:1: the line has too many"},
        {"feature aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1", "too long"},
        {"poses 7\nspread 5", "candidates"},
        {"", "missing"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        qn_ranking_model model;
        CHECK_FAILS(qn_ranking_model_parse(wrong[i][0], "text", &model), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(wrong[i][1]);
    }
}

/* Poses with one point each, on a line. */
enum { POSES = 6 };
static const double places[POSES] = {0, 1, 2, 10, 11, 30};

static void make_line(qn_crowd_pose *poses, qn_crowd *crowd)
{
    for (size_t i = 0; i < POSES; i++) poses[i] = (qn_crowd_pose){.motion = {{places[i]}}, .moments = {{1}}};
    *crowd = (qn_crowd){poses, POSES};
}

static void poses_are_chosen_by_score_and_apart(void)
{
    static const double scores[POSES] = {1, 3, 2, 3, -INFINITY, -INFINITY};
    qn_crowd_pose poses[POSES];
    qn_crowd crowd;
    size_t chosen[POSES], owners[POSES], count;
    make_line(poses, &crowd);
    CHECK_OK(qn_crowd_choose(&crowd, scores, 1, POSES, chosen, &count, owners));
    CHECK(count == 2 && chosen[0] == 1 && chosen[1] == 3); /* equal scores: the lower index */
    CHECK(owners[0] == 0 && owners[1] == 0 && owners[2] == 0 && owners[3] == 1 && owners[4] == 1);
    CHECK(owners[5] == SIZE_MAX);
    CHECK_OK(qn_crowd_choose(&crowd, scores, 0.5, 3, chosen, &count, owners));
    CHECK(count == 3 && chosen[2] == 2 && owners[0] == SIZE_MAX);
}

/* Candidates are those of the best mean rank; scores are sums of standard scores. */
static void scores_are_sums_of_standard_scores(void)
{
    static double values[POSES][QN_POSE_FEATURES];
    qn_ranking_model model = {.poses = 10, .candidates = 3, .spread_angstrom = 1};
    qn_crowd_pose poses[POSES];
    qn_crowd crowd;
    size_t candidates[3], count;
    double scores[3];
    make_line(poses, &crowd);
    for (size_t i = 0; i < POSES; i++) {
        values[i][QN_POSE_RANK_MEAN] = (double)(POSES - i);
        values[i][QN_POSE_AREA] = (double)(i * i);
        values[i][QN_RANKING_PAIR] = -3;
    }
    model.weights[QN_POSE_AREA] = 2;
    model.weights[QN_RANKING_PAIR] = 100; /* the same in all: counts for nothing */
    CHECK_OK(qn_ranking_candidates_choose(&model, &crowd, values, candidates, &count));
    CHECK(count == 3 && candidates[0] == 5 && candidates[1] == 4 && candidates[2] == 2);
    qn_ranking_score(&model, values, candidates, count, scores);
    const double mean = (25 + 16 + 4) / 3.0, deviation = sqrt((100 + 1 + 121) / 3.0); /* of 25, 16 and 4 about 15 */
    for (size_t i = 0; i < 3; i++)
        CHECK_NEAR(scores[i], 2 * (values[candidates[i]][QN_POSE_AREA] - mean) / deviation, 1e-12);
}

/* Three poses of weights 1, 2 and 1. The first two share a pair of residues; the second has its receptor residue twice.
 */
static void frequencies_are_shares_of_the_weight(void)
{
    static const qn_residue_pair first[] = {{4, 7}}, second[] = {{4, 7}, {4, 8}, {6, 7}}, third[] = {{5, 9}};
    qn_residue_contacts contacts[4] = {{0}};
    double scores[4][5] = {{0}};
    CHECK_OK(qn_residue_contacts_set(&contacts[0], 1, first, 1));
    CHECK_OK(qn_residue_contacts_set(&contacts[1], 2, second, 3));
    CHECK_OK(qn_residue_contacts_set(&contacts[2], 1, third, 1));
    CHECK_OK(qn_residue_contacts_set(&contacts[3], 0, NULL, 0));
    CHECK_OK(qn_consensus_measure(contacts, 4, 5, scores[0]));
    CHECK_NEAR(scores[0][0], 0.75, 1e-12);
    CHECK_NEAR(scores[1][0], (0.75 + 0.5 + 0.5) / 3, 1e-12);
    CHECK_NEAR(scores[2][0], 0.25, 1e-12);
    CHECK_NEAR(scores[1][1], (log(0.7501) + 2 * log(0.5001)) / 3, 1e-12);
    CHECK_NEAR(scores[1][2], (0.75 + 0.5) / 2, 1e-12); /* receptor residues 4 and 6 */
    CHECK_NEAR(scores[1][3], (0.75 + 0.5) / 2, 1e-12); /* ligand residues 7 and 8 */
    CHECK_NEAR(scores[2][3], 0.25, 1e-12);
    CHECK(scores[3][0] == 0 && scores[3][1] == 0);
    for (int i = 0; i < 4; i++) CHECK(scores[i][4] == 0); /* the stride's other number is untouched */
    for (int i = 0; i < 4; i++) qn_release(&contacts[i].pairs);
}

int main(void)
{
    RUN(the_shipped_model_is_complete);
    RUN(a_text_gives_its_numbers);
    RUN(a_wrong_text_is_refused);
    RUN(poses_are_chosen_by_score_and_apart);
    RUN(scores_are_sums_of_standard_scores);
    RUN(frequencies_are_shares_of_the_weight);
    return check_finish();
}
