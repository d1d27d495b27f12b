/* The rows of movies.csv. */
#include "base/error.h"
#include "base/memory.h"
#include "movie/run.h"

/* A movie of which no record can exist, because its name in the output is taken. */
static qn_status refuse(const qn_movie_input *movie, qn_movie_facts *facts)
{
    facts->numbers.failed = 1;
    QN_TRY(qn_movie_facts_set_text(facts, QN_MOVIE_PATH, movie->path));
    QN_TRY(qn_movie_facts_set_text(facts, QN_MOVIE_NAME, movie->name));
    return qn_movie_facts_set_text(facts, QN_MOVIE_REASON, movie->refusal);
}

static void add_row(qn_movie_state *run, const qn_movie_facts *facts)
{
    const qn_movie_numbers *numbers = &facts->numbers;
    run->rows[run->row_count++] = facts;
    run->row_failed += numbers->failed != 0;
    run->row_resumed += !numbers->failed && numbers->finished_us < run->began_us;
}

/* A movie that is not processed yet has no row. */
static qn_status add_movie(qn_movie_state *run, const qn_movie_input *movie, bool *taken)
{
    qn_movie_facts *facts;
    if (movie->refusal) {
        facts = &run->refused[run->refused_count++];
        QN_TRY(refuse(movie, facts));
    } else {
        QN_TRY(qn_movie_results_find(&run->results, movie->name, &facts));
        if (!facts) return QN_OK;
        taken[facts - run->results.facts] = true;
    }
    add_row(run, facts);
    return QN_OK;
}

static qn_status make_room(qn_movie_state *run)
{
    void *memory;
    QN_TRY(qn_allocate(run->inputs.count + run->results.count, sizeof *run->rows, &memory));
    run->rows = memory;
    QN_TRY(qn_allocate(run->inputs.count, sizeof *run->refused, &memory));
    run->refused = memory;
    return QN_OK;
}

/* Where a folder is watched, movies of earlier runs that are there no more keep their rows. */
qn_status qn_movie_rows_collect(qn_movie_state *run)
{
    void *memory;
    qn_movie_rows_clear(run);
    QN_TRY(make_room(run));
    QN_TRY(qn_allocate(run->results.count + 1, sizeof(bool), &memory));
    bool *taken = memory;
    qn_status status = QN_OK;
    for (size_t i = 0; i < run->inputs.count && status == QN_OK; i++)
        if (!run->inputs.movies[i]->is_old) status = add_movie(run, run->inputs.movies[i], taken);
    for (size_t i = 0; i < run->results.count && run->options->watch; i++)
        if (!taken[i]) add_row(run, &run->results.facts[i]);
    qn_release(&memory);
    return status;
}

void qn_movie_rows_clear(qn_movie_state *run)
{
    for (size_t i = 0; i < run->refused_count; i++) qn_movie_facts_clear(&run->refused[i]);
    qn_release(&run->refused);
    qn_release(&run->rows);
    run->row_count = run->row_failed = run->row_resumed = run->refused_count = 0;
}
