/* Every searcher hands out all points, each once. Its seed determines the search. It accepts failures and results that
 * it did not ask for, and finds the optimum of an easy space with fewer tests than random search. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"

enum { SIDE = 6, AXES = 4 };

static qn_space *bowl_space(void)
{
    qn_space *space = NULL;
    int64_t values[SIDE];
    char name[2] = "A";
    for (int i = 0; i < SIDE; i++) values[i] = INT64_C(1) << i;
    CHECK_OK(qn_space_create("bowl", &space));
    for (int axis = 0; axis < AXES; axis++, name[0]++)
        CHECK_OK(qn_space_add_integers(space, name, values, SIDE, values[0]));
    CHECK_OK(qn_space_add_constraint(space, "A * B <= 512"));
    CHECK_OK(qn_space_solve(space));
    return space;
}

/* A smooth objective with the optimum 1 at the value numbers 5 2 4 3; large C and D together fail. */
static qn_test bowl(const qn_space *space, qn_point point)
{
    static const int optimum[AXES] = {5, 2, 4, 3};
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    double objective = 1;
    qn_space_get(space, point, numbers);
    for (int axis = 0; axis < AXES; axis++) objective += pow(numbers[axis] - optimum[axis], 2);
    if (numbers[2] + numbers[3] > 7) return (qn_test){.outcome = QN_TEST_BUILD, .objective = INFINITY};
    return (qn_test){.outcome = QN_TEST_CORRECT, .objective = objective};
}

static qn_searcher *start(const char *name, const qn_space *space, uint64_t seed, uint64_t tests)
{
    qn_searcher *searcher = NULL;
    CHECK_OK(qn_searcher_create(name, &(qn_searcher_problem){.space = space, .seed = seed, .expected_tests = tests},
                                &searcher));
    return searcher;
}

/* Return the number of tests until the optimum. `drain`: ask for all points. */
static size_t search(qn_searcher *searcher, const qn_space *space, bool drain, uint8_t *seen)
{
    size_t found_at = 0, tests = 0;
    qn_point point;
    bool found = true;
    while ((drain || !found_at) && found) {
        if (!CHECK_OK(qn_searcher_ask(searcher, &point, &found)) || !found) break;
        qn_test test = bowl(space, point);
        if (!CHECK(point < qn_space_size(space)) || !CHECK(!seen[point])) break;
        seen[point] = 1;
        tests++;
        if (test.objective == 1) found_at = tests;
        if (!CHECK_OK(qn_searcher_tell(searcher, point, &test))) break;
    }
    if (drain) CHECK(tests == qn_space_size(space));
    return found_at;
}

static void each_point_is_asked_once(void)
{
    qn_space *space = bowl_space();
    for (size_t i = 0; qn_searcher_classes[i]; i++) {
        uint8_t *seen = calloc(qn_space_size(space), 1);
        qn_searcher *searcher = start(qn_searcher_classes[i]->name, space, 3, 200);
        CHECK(search(searcher, space, true, seen) > 0);
        qn_searcher_destroy(&searcher);
        free(seen);
    }
    qn_space_destroy(&space);
}

static void the_seed_determines_the_search(void)
{
    qn_space *space = bowl_space();
    for (size_t i = 0; qn_searcher_classes[i]; i++) {
        qn_searcher *one = start(qn_searcher_classes[i]->name, space, 11, 60);
        qn_searcher *two = start(qn_searcher_classes[i]->name, space, 11, 60);
        bool found;
        for (int t = 0; t < 60; t++) {
            qn_point a = 0, b = 1;
            CHECK_OK(qn_searcher_ask(one, &a, &found));
            CHECK_OK(qn_searcher_ask(two, &b, &found));
            if (!CHECK(a == b)) break;
            qn_test test = bowl(space, a);
            CHECK_OK(qn_searcher_tell(one, a, &test));
            CHECK_OK(qn_searcher_tell(two, b, &test));
        }
        qn_searcher_destroy(&one);
        qn_searcher_destroy(&two);
    }
    qn_space_destroy(&space);
}

static void unasked_results_and_batches_are_accepted(void)
{
    qn_space *space = bowl_space();
    for (size_t i = 0; qn_searcher_classes[i]; i++) {
        qn_searcher *searcher = start(qn_searcher_classes[i]->name, space, 5, 100);
        uint8_t *seen = calloc(qn_space_size(space), 1);
        qn_point batch[4];
        bool found;
        for (qn_point point = 0; point < 40; point += 2) {
            qn_test test = bowl(space, point);
            CHECK_OK(qn_searcher_tell(searcher, point, &test));
            seen[point] = 1;
        }
        for (int round = 0; round < 25; round++) {
            for (int k = 0; k < 4; k++) {
                CHECK_OK(qn_searcher_ask(searcher, &batch[k], &found));
                CHECK(found && !seen[batch[k]]);
                seen[batch[k]] = 1;
            }
            for (int k = 3; k >= 0; k--) {
                qn_test test = bowl(space, batch[k]);
                CHECK_OK(qn_searcher_tell(searcher, batch[k], &test));
            }
        }
        qn_searcher_destroy(&searcher);
        free(seen);
    }
    qn_space_destroy(&space);
}

static void searchers_go_on_without_valid_points(void)
{
    qn_space *space = bowl_space();
    for (size_t i = 0; qn_searcher_classes[i]; i++) {
        qn_searcher *searcher = start(qn_searcher_classes[i]->name, space, 5, 100);
        qn_test failed = {.outcome = QN_TEST_LAUNCH, .objective = 0};
        for (int t = 0; t < 60; t++) {
            qn_point point;
            bool found;
            CHECK_OK(qn_searcher_ask(searcher, &point, &found));
            CHECK_OK(qn_searcher_tell(searcher, point, &failed));
        }
        qn_searcher_destroy(&searcher);
    }
    qn_space_destroy(&space);
}

/* Random search needs half of the points on average; the searchers that are tested here may need at most a quarter. */
static void searchers_beat_random_search(void)
{
    qn_space *space = bowl_space();
    for (size_t i = 0; qn_searcher_classes[i]; i++) {
        const char *name = qn_searcher_classes[i]->name;
        double sum = 0;
        if (!strcmp(name, "full") || !strcmp(name, "random") || !strcmp(name, "profile")) continue;
        for (uint64_t seed = 0; seed < 4; seed++) {
            uint8_t *seen = calloc(qn_space_size(space), 1);
            qn_searcher *searcher = start(name, space, seed, 200);
            sum += (double)search(searcher, space, false, seen) / 4;
            qn_searcher_destroy(&searcher);
            free(seen);
        }
        if (!CHECK(sum < 0.25 * (double)qn_space_size(space))) fprintf(stderr, "%s: %.0f tests\n", name, sum);
    }
    qn_space_destroy(&space);
}

static void an_unknown_name_lists_the_known_ones(void)
{
    qn_space *space = bowl_space();
    qn_searcher *searcher;
    CHECK_FAILS(qn_searcher_create("magic", &(qn_searcher_problem){.space = space}, &searcher), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("there is no searcher \"magic\"");
    CHECK_MESSAGE_HAS("random");
    CHECK(searcher == NULL);
    qn_space_destroy(&space);
}

static void the_list_of_names_matches_the_classes(void)
{
    const char *const *names, *const *meanings;
    size_t count = qn_tune_searchers(&names, &meanings);
    for (size_t i = 0; i < count; i++) {
        if (!CHECK(qn_searcher_classes[i] != NULL)) return;
        CHECK_TEXT(names[i], qn_searcher_classes[i]->name);
        CHECK_TEXT(meanings[i], qn_searcher_classes[i]->meaning);
    }
    CHECK(qn_searcher_classes[count] == NULL);
}

static void moves_stay_among_valid_points(void)
{
    qn_space *space = bowl_space();
    qn_moves moves;
    qn_point neighbours[AXES * SIDE];
    uint16_t here[QN_SPACE_PARAMETERS_MAX], there[QN_SPACE_PARAMETERS_MAX], wanted[AXES] = {5, 5, 0, 0};
    qn_moves_start(&moves, space, 1);
    for (int i = 0; i < 200; i++) {
        qn_point point = qn_moves_point(&moves);
        size_t count = qn_moves_neighbours(&moves, point, QN_MOVES_HAMMING, neighbours, AXES * SIDE);
        CHECK(count <= qn_moves_most_neighbours(&moves));
        qn_space_get(space, point, here);
        for (size_t n = 0; n < count; n++) {
            int differences = 0;
            qn_space_get(space, neighbours[n], there);
            for (int axis = 0; axis < AXES; axis++) differences += here[axis] != there[axis];
            CHECK(differences == 1);
        }
        /* 32 * 32 breaks the constraint: only one of the two wanted values is reached. */
        qn_space_get(space, qn_moves_towards(&moves, point, wanted), there);
        CHECK(there[2] == 0 && there[3] == 0);
        CHECK(there[0] + there[1] <= 9);
    }
    qn_space_destroy(&space);
}

int main(void)
{
    RUN_LONG(each_point_is_asked_once);
    RUN(the_seed_determines_the_search);
    RUN(unasked_results_and_batches_are_accepted);
    RUN(searchers_go_on_without_valid_points);
    RUN_LONG(searchers_beat_random_search);
    RUN(an_unknown_name_lists_the_known_ones);
    RUN(the_list_of_names_matches_the_classes);
    RUN(moves_stay_among_valid_points);
    return check_finish();
}
