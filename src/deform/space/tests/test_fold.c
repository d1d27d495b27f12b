/* Folds between two neighbours, with a solver whose answers are known. */
#include "deform/space/fold.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "check.h"

typedef struct answers {
    double force[2]; /* that solving the lower, the upper point gives: along x */
    bool is_unsolved, fails;
    int calls;
} answers;

static const qn_grid_state lower = {.index = {1, 2, 0}, .force = {2, 0, 0}, .stiffness = {0, 0, 0, 0, 0, 0, 0, 0, 0}};
static const qn_grid_state upper = {.index = {1, 3, 0}, .force = {3, 0, 0}};

static qn_status solve(void *user, const int32_t index[3], const qn_grid_state *from, qn_grid_state *state)
{
    answers *const known = user;
    const bool is_upper = index[1] == 3;
    known->calls++;
    CHECK(index[0] == 1 && (is_upper || index[1] == 2) && index[2] == 0);
    CHECK(from == (is_upper ? &lower : &upper)); /* each from the other */
    if (known->fails) return QN_FAIL(QN_DEVICE_LOST, "lost");
    state->flags = known->is_unsolved ? QN_GRID_UNSOLVED : 0;
    state->force[0] = known->force[is_upper];
    return QN_OK;
}

static bool check(answers known, int calls)
{
    qn_grid_state spare = {0};
    bool is_fold = false;
    CHECK_OK(qn_fold_check(&lower, &upper, solve, &known, &spare, &is_fold));
    CHECK(known.calls == calls);
    return is_fold;
}

static void a_second_answer_is_a_fold(void)
{
    CHECK(!check((answers){.force = {2, 3}}, 2));           /* the same answers */
    CHECK(!check((answers){.force = {2.0029, 3.0029}}, 2)); /* within 1e-3 of 3 N */
    CHECK(check((answers){.force = {2, 3.0031}}, 1));
    CHECK(check((answers){.force = {1.9969, 3}}, 2));
    CHECK(check((answers){.force = {2, 3}, .is_unsolved = true}, 1)); /* a way that ends nowhere */
    answers failing = {.fails = true};
    qn_grid_state spare = {0};
    bool is_fold;
    CHECK_FAILS(qn_fold_check(&lower, &upper, solve, &failing, &spare, &is_fold), QN_DEVICE_LOST);
}

/* States of a force that is 100 N/m · y, plus `jump` for the upper one. */
static bool is_suspected(double jump)
{
    qn_grid_state one = {.index = {1, 2, 0}, .force = {0, 2, 0}},
                  other = {.index = {1, 3, 0}, .force = {0, 3 + jump, 0}};
    one.stiffness[4] = other.stiffness[4] = 100;
    const bool answer = qn_fold_is_suspected(&one, &other, 0.01);
    CHECK(qn_fold_is_suspected(&other, &one, 0.01) == answer);
    return answer;
}

static void forces_that_do_not_fit_are_suspected(void)
{
    CHECK(!is_suspected(0));
    CHECK(!is_suspected(0.7)); /* of 3.7 N: 19 % */
    CHECK(is_suspected(0.8));  /* of 3.8 N: 21 % */
    CHECK(is_suspected(-0.7)); /* of 2.3 N */
    /* Stiffnesses of 100 and 200 N/m: the first fits the other's force, but not the other way around (1 N off 3 N). */
    const qn_grid_state soft = {.index = {1, 2, 0}, .force = {0, 2, 0}, .stiffness = {0, 0, 0, 0, 100}},
                        stiff = {.index = {1, 3, 0}, .force = {0, 3, 0}, .stiffness = {0, 0, 0, 0, 200}};
    CHECK(qn_fold_is_suspected(&soft, &stiff, 0.01) && qn_fold_is_suspected(&stiff, &soft, 0.01));
    const qn_grid_state none = {.index = {0, 0, 0}}, beside = {.index = {0, 0, 1}};
    CHECK(!qn_fold_is_suspected(&none, &beside, 0.01)); /* no force at all */
    CHECK(qn_fold_flag(0) == QN_GRID_FOLD_X && qn_fold_flag(1) == QN_GRID_FOLD_Y && qn_fold_flag(2) == QN_GRID_FOLD_Z);
}

int main(void)
{
    RUN(a_second_answer_is_a_fold);
    RUN(forces_that_do_not_fit_are_suspected);
    return check_finish();
}
