/* Records of movies: everything comes back, and damaged records are refused. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "movie/facts.h"
#include "movie/results.h"

static void make(qn_movie_facts *facts, const char *name, int64_t finished_us)
{
    void *memory;
    *facts = (qn_movie_facts){.numbers = {.finished_us = finished_us, .width = 3838, .smoothness = 0.25}};
    CHECK_OK(qn_movie_facts_set_text(facts, QN_MOVIE_PATH, "data/a.tif"));
    CHECK_OK(qn_movie_facts_set_text(facts, QN_MOVIE_NAME, name));
    CHECK_OK(qn_movie_facts_remark(facts, "%d px", 7));
    CHECK_OK(qn_movie_facts_remark(facts, "and more"));
    CHECK_OK(qn_movie_facts_make_series(facts, QN_MOVIE_TRACK, 6));
    for (int i = 0; i < 6; i++) facts->series[QN_MOVIE_TRACK][i] = 0.5f * (float)i;
    CHECK_OK(qn_allocate(12, 1, &memory));
    facts->pictures[QN_MOVIE_THUMBNAIL] = memory;
    facts->picture_size[QN_MOVIE_THUMBNAIL][0] = 4, facts->picture_size[QN_MOVIE_THUMBNAIL][1] = 3;
    memset(memory, 200, 12);
}

static void records_keep_all_facts(void)
{
    qn_movie_facts facts, read;
    qn_text record = {0};
    make(&facts, "a", 5);
    CHECK_OK(qn_movie_facts_store(&facts, &record));
    CHECK_OK(qn_movie_facts_load(record.data, record.length, false, &read));
    CHECK(memcmp(&facts.numbers, &read.numbers, sizeof facts.numbers) == 0);
    CHECK_TEXT(read.texts[QN_MOVIE_PATH], "data/a.tif");
    CHECK_TEXT(read.texts[QN_MOVIE_REMARK], "7 px; and more");
    CHECK(read.texts[QN_MOVIE_REASON] == NULL);
    CHECK(read.series_count[QN_MOVIE_TRACK] == 6 && read.series[QN_MOVIE_TRACK][5] == 2.5f);
    CHECK(read.picture_size[QN_MOVIE_THUMBNAIL][1] == 3 && read.pictures[QN_MOVIE_THUMBNAIL][11] == 200);
    qn_movie_facts_clear(&read);
    CHECK_OK(qn_movie_facts_load(record.data, record.length, true, &read));
    CHECK(read.series[QN_MOVIE_TRACK] == NULL && read.pictures[QN_MOVIE_THUMBNAIL] == NULL);
    CHECK_TEXT(read.texts[QN_MOVIE_NAME], "a");
    qn_movie_facts_clear(&read);
    qn_movie_facts_clear(&facts);
    qn_text_clear(&record);
}

static void cut_records_are_refused(void)
{
    qn_movie_facts facts, read;
    qn_text record = {0};
    int accepted = 0;
    make(&facts, "a", 5);
    CHECK_OK(qn_movie_facts_store(&facts, &record));
    for (size_t size = 0; size < record.length; size++) {
        accepted += qn_movie_facts_load(record.data, size, false, &read) == QN_OK;
        qn_movie_facts_clear(&read);
    }
    CHECK(accepted == 0);
    qn_movie_facts_clear(&facts);
    qn_text_clear(&record);
}

static void the_later_record_counts(void)
{
    static const int64_t times[] = {30, 10, 20};
    qn_movie_results results = {.count = 0};
    qn_movie_facts facts, *found;
    for (int i = 0; i < 3; i++) {
        make(&facts, i == 2 ? "b" : "a", times[i]);
        CHECK_OK(qn_movie_results_keep(&results, &facts));
        qn_movie_facts_clear(&facts);
    }
    CHECK(results.count == 2);
    CHECK_OK(qn_movie_results_find(&results, "a", &found));
    CHECK(found && found->numbers.finished_us == 30);
    CHECK_OK(qn_movie_results_find(&results, "c", &found));
    CHECK(found == NULL);
    qn_movie_results_clear(&results);
}

int main(void)
{
    RUN(records_keep_all_facts);
    RUN(cut_records_are_refused);
    RUN(the_later_record_counts);
    return check_finish();
}
