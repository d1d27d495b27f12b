/* Which frames of a movie are used, their doses, and files that group frames. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "movie/frame_plan.h"

static void all_frames_are_used_by_default(void)
{
    const qn_movie_run_options options = qn_movie_run_default_options();
    qn_movie_frame_plan plan;
    CHECK_OK(qn_movie_frame_plan_make(&options, NULL, 24, 1.0 / 24, &plan));
    CHECK(plan.count == 24 && plan.all == 24 && plan.start == 0 && !plan.has_dose && !plan.adds);
    CHECK(plan.frames[23].first == 23 && plan.frames[23].count == 1);
    qn_movie_frame_plan_clear(&plan);
}

/* Frames that are left out still take dose: before frame 3 came 0.5 + 2 · 1.5 e/Å². */
static void doses_count_frames_that_are_left_out(void)
{
    qn_movie_run_options options = qn_movie_run_default_options();
    qn_movie_frame_plan plan;
    options.dose = 1.5, options.pre_dose = 0.5;
    options.frames[0] = 3, options.frames[1] = 7;
    CHECK_OK(qn_movie_frame_plan_make(&options, NULL, 10, 0.1, &plan));
    CHECK(plan.count == 5 && plan.start == 2 && plan.all == 10 && plan.frames[0].first == 2);
    CHECK_NEAR(plan.pre_dose, 3.5, 1e-12);
    CHECK_NEAR(plan.dose, 7.5, 1e-12);
    CHECK_NEAR(qn_movie_dose_after(&plan, 0), 5, 1e-12);
    CHECK_NEAR(qn_movie_dose_after(&plan, 4), 11, 1e-12);
    qn_movie_frame_plan_clear(&plan);
    options.dose = 0, options.total_dose = 30, options.frames[0] = 1;
    CHECK_OK(qn_movie_frame_plan_make(&options, NULL, 10, 0.1, &plan));
    CHECK_NEAR(plan.frames[0].dose, 3, 1e-12);
    qn_movie_frame_plan_clear(&plan);
}

static void short_movies_are_refused(void)
{
    qn_movie_run_options options = qn_movie_run_default_options();
    qn_movie_frame_plan plan;
    CHECK_FAILS(qn_movie_frame_plan_make(&options, NULL, 2, 0.5, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has 2 frames; expected at least 3");
    qn_movie_frame_plan_clear(&plan);
    options.frames[0] = 9, options.frames[1] = 20;
    CHECK_FAILS(qn_movie_frame_plan_make(&options, NULL, 10, 0.1, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has 10 frames, of which --frames keeps 2");
    qn_movie_frame_plan_clear(&plan);
    options.frames[0] = 11;
    CHECK_FAILS(qn_movie_frame_plan_make(&options, NULL, 10, 0.1, &plan), QN_BAD_FORMAT);
    qn_movie_frame_plan_clear(&plan);
}

static qn_status read_fractions(const char *text, qn_movie_fractions *fractions)
{
    char path[700];
    snprintf(path, sizeof path, "%s/fractions.txt", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return qn_movie_fractions_read(path, fractions);
}

/* Ten frames in groups of two with 0.5 e/Å² each, then six in groups of three with 0.25 and a rest of one. */
static void fractions_group_frames(void)
{
    const qn_movie_run_options options = qn_movie_run_default_options();
    qn_movie_fractions fractions;
    qn_movie_frame_plan plan;
    CHECK_OK(read_fractions("# frames group dose\n10 2 0.5\n\n  7   3 0.25 # rest\n", &fractions));
    CHECK(fractions.count == 2);
    CHECK_OK(qn_movie_frame_plan_make(&options, &fractions, 17, 1.0 / 17, &plan));
    CHECK(plan.count == 7 && plan.has_dose && plan.adds);
    CHECK(plan.frames[4].first == 8 && plan.frames[4].count == 2);
    CHECK(plan.frames[5].first == 10 && plan.frames[5].count == 3);
    CHECK_NEAR(plan.frames[5].dose, 0.75, 1e-12);
    CHECK_NEAR(plan.dose, 5 + 1.5, 1e-12);
    qn_movie_frame_plan_clear(&plan);
    CHECK_FAILS(qn_movie_frame_plan_make(&options, &fractions, 20, 1.0 / 20, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has 20 frames, but the fractions are of 17");
    qn_movie_frame_plan_clear(&plan);
    qn_movie_fractions_clear(&fractions);
}

/* One of three frames is left out of groups of two; the next group's exposure ends after 3 · 0.5 + 2 · 0.25 e/Å². */
static void doses_of_the_rest_of_a_line_count(void)
{
    const qn_movie_run_options options = qn_movie_run_default_options();
    qn_movie_fractions fractions;
    qn_movie_frame_plan plan;
    CHECK_OK(read_fractions("3 2 0.5\n4 2 0.25\n", &fractions));
    CHECK_OK(qn_movie_frame_plan_make(&options, &fractions, 7, 1.0 / 7, &plan));
    CHECK(plan.count == 3 && plan.frames[1].first == 3);
    CHECK_NEAR(qn_movie_dose_after(&plan, 0), 1, 1e-12);
    CHECK_NEAR(qn_movie_dose_after(&plan, 1), 2, 1e-12);
    CHECK_NEAR(qn_movie_dose_after(&plan, 2), 2.5, 1e-12);
    qn_movie_frame_plan_clear(&plan);
    qn_movie_fractions_clear(&fractions);
    CHECK_OK(read_fractions("7 3 0.5\n", &fractions));
    CHECK_FAILS(qn_movie_frame_plan_make(&options, &fractions, 7, 1.0 / 7, &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("has 2 frames in the fractions of its 7; expected at least 3");
    qn_movie_frame_plan_clear(&plan);
    qn_movie_fractions_clear(&fractions);
}

static void bad_fractions_are_refused(void)
{
    static const char *const texts[] = {"10 2\n", "10 0 0.5\n", "x 2 0.5\n", "10 2 0.5 7\n", "10 2 -1\n", "# none\n"};
    qn_movie_fractions fractions;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_FAILS(read_fractions(texts[i], &fractions), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("fractions.txt: ");
        qn_movie_fractions_clear(&fractions);
    }
}

int main(void)
{
    RUN(all_frames_are_used_by_default);
    RUN(doses_count_frames_that_are_left_out);
    RUN(short_movies_are_refused);
    RUN(fractions_group_frames);
    RUN(doses_of_the_rest_of_a_line_count);
    RUN(bad_fractions_are_refused);
    return check_finish();
}
