/* Taking turns on a device. */
#include "movie/movie_work.h"

static qn_movie_turn *find_free(qn_movie_pipeline *p)
{
    for (int i = 0; i < QN_MOVIE_TURNS; i++)
        if (!p->turns[i].is_taken) return &p->turns[i];
    return NULL;
}

static qn_movie_turn *take_all(qn_movie_pipeline *p)
{
    for (int i = 0; i < QN_MOVIE_TURNS; i++) {
        while (p->turns[i].is_taken) pthread_cond_wait(&p->given, &p->taking);
        p->turns[i].is_taken = true;
    }
    return &p->turns[0];
}

qn_movie_turn *qn_movie_take_turn(qn_movie_pipeline *p, bool alone)
{
    qn_movie_turn *turn;
    pthread_mutex_lock(&p->taking);
    if (alone) {
        turn = take_all(p);
    } else {
        while (!(turn = find_free(p))) pthread_cond_wait(&p->given, &p->taking);
        turn->is_taken = true;
    }
    pthread_mutex_unlock(&p->taking);
    return turn;
}

void qn_movie_give_turn(qn_movie_pipeline *p, qn_movie_turn *turn, bool alone)
{
    pthread_mutex_lock(&p->taking);
    for (int i = 0; i < QN_MOVIE_TURNS; i++)
        if (alone || &p->turns[i] == turn) p->turns[i].is_taken = false;
    pthread_cond_broadcast(&p->given);
    pthread_mutex_unlock(&p->taking);
}

bool qn_movie_turns_are_shared(qn_movie_pipeline *p)
{
    pthread_mutex_lock(&p->taking);
    const bool shared = !p->one_by_one;
    pthread_mutex_unlock(&p->taking);
    return shared;
}

bool qn_movie_stop_sharing_turns(qn_movie_pipeline *p)
{
    pthread_mutex_lock(&p->taking);
    const bool shared = !p->one_by_one;
    p->one_by_one = true;
    pthread_mutex_unlock(&p->taking);
    return shared;
}
