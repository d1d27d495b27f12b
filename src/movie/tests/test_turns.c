/* labels: threads */
/* Turns of movies on a device: two at the same time, or one alone. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "check.h"
#include "movie/movie_work.h"

static qn_movie_pipeline pipeline;

typedef struct taker {
    qn_thread thread;
    bool alone;
    atomic_bool has_turn;
    qn_movie_turn *turn;
} taker;

static qn_status take(void *user)
{
    taker *t = user;
    t->turn = qn_movie_take_turn(&pipeline, t->alone);
    atomic_store(&t->has_turn, true);
    return QN_OK;
}

/* Whether a thread gets its turn within `patience_s`. */
static bool gets_turn(taker *t, double patience_s)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (double end_s = qn_clock_s() + patience_s; qn_clock_s() < end_s && !atomic_load(&t->has_turn);)
        nanosleep(&pause, NULL);
    return atomic_load(&t->has_turn);
}

static void two_movies_have_turns_at_once(void)
{
    taker third = {.alone = false};
    qn_movie_turn *first = qn_movie_take_turn(&pipeline, false), *second = qn_movie_take_turn(&pipeline, false);
    CHECK(first != second);
    if (!CHECK_OK(qn_thread_start(&third.thread, take, &third))) return;
    CHECK(!gets_turn(&third, 0.05));
    qn_movie_give_turn(&pipeline, second, false);
    CHECK(gets_turn(&third, 20));
    CHECK_OK(qn_thread_join(&third.thread));
    CHECK(third.turn == second);
    qn_movie_give_turn(&pipeline, first, false);
    qn_movie_give_turn(&pipeline, third.turn, false);
}

static void a_movie_alone_keeps_others_out(void)
{
    taker alone = {.alone = true}, next[QN_MOVIE_TURNS] = {{.alone = false}};
    qn_movie_turn *first = qn_movie_take_turn(&pipeline, false);
    if (!CHECK_OK(qn_thread_start(&alone.thread, take, &alone))) return;
    CHECK(!gets_turn(&alone, 0.05));
    qn_movie_give_turn(&pipeline, first, false);
    CHECK(gets_turn(&alone, 20));
    CHECK_OK(qn_thread_join(&alone.thread));
    for (int i = 0; i < QN_MOVIE_TURNS; i++) CHECK_OK(qn_thread_start(&next[i].thread, take, &next[i]));
    CHECK(!gets_turn(&next[0], 0.05) && !gets_turn(&next[1], 0.05));
    qn_movie_give_turn(&pipeline, alone.turn, true);
    for (int i = 0; i < QN_MOVIE_TURNS; i++) {
        CHECK(gets_turn(&next[i], 20));
        CHECK_OK(qn_thread_join(&next[i].thread));
    }
    CHECK(next[0].turn != next[1].turn);
    for (int i = 0; i < QN_MOVIE_TURNS; i++) qn_movie_give_turn(&pipeline, next[i].turn, false);
}

static void sharing_ends_once(void)
{
    CHECK(qn_movie_turns_are_shared(&pipeline));
    CHECK(qn_movie_stop_sharing_turns(&pipeline));
    CHECK(!qn_movie_turns_are_shared(&pipeline));
    CHECK(!qn_movie_stop_sharing_turns(&pipeline));
}

int main(void)
{
    pthread_mutex_init(&pipeline.taking, NULL);
    pthread_cond_init(&pipeline.given, NULL);
    RUN(two_movies_have_turns_at_once);
    RUN(a_movie_alone_keeps_others_out);
    RUN(sharing_ends_once);
    pthread_cond_destroy(&pipeline.given);
    pthread_mutex_destroy(&pipeline.taking);
    return check_finish();
}
