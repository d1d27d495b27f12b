/* labels: threads */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
/* Threads and pools: which threads work, which log their messages go to, how failures are returned. */
#include "check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/thread_pool.h"

/* ---- which threads work ---- */

/* Count the tasks that run at the same time. Each task waits until two, or `wanted`, run, at most `patience_s`. */
typedef struct meeting {
    atomic_int inside, most, ended;
    int wanted;
    double patience_s;
} meeting;

static qn_status meet(size_t index, int worker, void *user)
{
    const struct timespec pause = {.tv_nsec = 100000};
    meeting *m = user;
    (void)index, (void)worker;
    const int inside = atomic_fetch_add(&m->inside, 1) + 1;
    for (int most = atomic_load(&m->most); most < inside;)
        if (atomic_compare_exchange_weak(&m->most, &most, inside)) break;
    const int wanted = m->wanted ? m->wanted : 2;
    for (double end_s = qn_clock_s() + m->patience_s; atomic_load(&m->most) < wanted && qn_clock_s() < end_s;)
        nanosleep(&pause, NULL);
    atomic_fetch_sub(&m->inside, 1);
    return QN_OK;
}

typedef struct nested {
    qn_pool *pool;
    meeting met;
} nested;

static qn_status run_nested(size_t index, int worker, void *user)
{
    nested *n = user;
    (void)worker;
    return index == 0 ? qn_pool_run(n->pool, 4, meet, &n->met) : QN_OK;
}

static void a_pool_runs_tasks_concurrently(void)
{
    qn_pool *pool;
    meeting met = {.patience_s = 20};
    if (!CHECK_OK(qn_pool_create(3, &pool))) return;
    CHECK_OK(qn_pool_run(pool, 3, meet, &met));
    CHECK(met.most >= 2);
    qn_pool_destroy(&pool);
}

static void a_task_runs_its_own_pool_serially(void)
{
    qn_pool *pool;
    if (!CHECK_OK(qn_pool_create(3, &pool))) return;
    nested n = {.pool = pool, .met = {.patience_s = 0.01}};
    CHECK_OK(qn_pool_run(pool, 3, run_nested, &n));
    CHECK(n.met.most == 1);
    qn_pool_destroy(&pool);
}

static void a_task_runs_another_pool_on_its_threads(void)
{
    qn_pool *pool, *other;
    if (!CHECK_OK(qn_pool_create(2, &pool)) || !CHECK_OK(qn_pool_create(3, &other))) return;
    nested n = {.pool = other, .met = {.patience_s = 20}};
    CHECK_OK(qn_pool_run(pool, 2, run_nested, &n));
    CHECK(n.met.most >= 2);
    qn_pool_destroy(&other);
    qn_pool_destroy(&pool);
}

/* ---- Runs of several threads ---- */

typedef struct shared_run {
    qn_pool *pool;
    meeting *met;
    atomic_int *at_work; /* [threads]: tasks that have this worker's number now */
    atomic_int *clashes;
} shared_run;

static qn_status meet_alone(size_t index, int worker, void *user)
{
    shared_run *run = user;
    if (atomic_fetch_add(&run->at_work[worker], 1) != 0) atomic_fetch_add(run->clashes, 1);
    const qn_status status = meet(index, worker, run->met);
    atomic_fetch_sub(&run->at_work[worker], 1);
    return status;
}

static qn_status run_shared(void *user)
{
    shared_run *run = user;
    return qn_pool_run(run->pool, 2, meet_alone, run);
}

/* Two runs of two tasks on four threads: all four tasks run at the same time, with four numbers. */
static void runs_of_two_threads_share_a_pool(void)
{
    meeting met = {.wanted = 4, .patience_s = 20};
    atomic_int at_work[4] = {0}, clashes = 0;
    shared_run run = {.met = &met, .at_work = at_work, .clashes = &clashes};
    qn_thread thread;
    if (!CHECK_OK(qn_pool_create(4, &run.pool))) return;
    CHECK_OK(qn_thread_start(&thread, run_shared, &run));
    CHECK_OK(run_shared(&run));
    CHECK_OK(qn_thread_join(&thread));
    CHECK(atomic_load(&met.most) == 4);
    CHECK(atomic_load(&clashes) == 0);
    qn_pool_destroy(&run.pool);
}

/* A long run whose tasks last until a short one has ended. */
typedef struct interruption {
    qn_pool *pool;
    atomic_bool begun, ended; /* the first of the long run's tasks, the short run */
    atomic_int slow;          /* tasks of the long run that were done before the short run ended */
} interruption;

enum { LONG_RUN = 6000 };

static qn_status last_until_interrupted(size_t index, int worker, void *user)
{
    interruption *both = user;
    (void)index, (void)worker;
    atomic_store(&both->begun, true);
    if (atomic_load(&both->ended)) return QN_OK;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(&both->slow, 1);
    return QN_OK;
}

static qn_status return_at_once(size_t index, int worker, void *user)
{
    (void)index, (void)worker, (void)user;
    return QN_OK;
}

static qn_status interrupt(void *user)
{
    interruption *both = user;
    while (!atomic_load(&both->begun)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    const qn_status status = qn_pool_run(both->pool, 2, return_at_once, NULL);
    atomic_store(&both->ended, true);
    return status;
}

/* Both threads of the pool work on the long run when the short one begins. */
static void a_short_run_does_not_wait_for_a_long_one(void)
{
    interruption both = {.slow = 0};
    qn_thread thread;
    if (!CHECK_OK(qn_pool_create(2, &both.pool))) return;
    CHECK_OK(qn_thread_start(&thread, interrupt, &both));
    CHECK_OK(qn_pool_run(both.pool, LONG_RUN, last_until_interrupted, &both));
    CHECK_OK(qn_thread_join(&thread));
    CHECK(atomic_load(&both.slow) < LONG_RUN / 2);
    qn_pool_destroy(&both.pool);
}

static qn_status run_alone(void *user)
{
    shared_run *run = user;
    return qn_pool_run_alone(run->pool, meet_alone, run);
}

/* A thread of its own that is one of the pool's workers: of two workers and three threads two work at a time. */
static void a_thread_takes_part_in_a_pool(void)
{
    meeting met = {.wanted = 3, .patience_s = 0.2};
    atomic_int at_work[2] = {0}, clashes = 0;
    shared_run run = {.met = &met, .at_work = at_work, .clashes = &clashes};
    qn_thread threads[3];
    if (!CHECK_OK(qn_pool_create(2, &run.pool))) return;
    for (int i = 0; i < 3; i++) CHECK_OK(qn_thread_start(&threads[i], run_alone, &run));
    CHECK_OK(qn_threads_join(threads, 3));
    CHECK(atomic_load(&met.most) == 2);
    CHECK(atomic_load(&clashes) == 0);
    qn_pool_destroy(&run.pool);
}

/* Threads that run short tasks over and over, more of them than numbers. */
typedef struct crowd {
    qn_pool *pool;
    atomic_int *at_work, *clashes;
    atomic_long ended;
} crowd;

enum { CROWD_ROUNDS = 300, CROWD_SIZES = 5 };

static qn_status work_briefly(size_t index, int worker, void *user)
{
    crowd *c = user;
    (void)index;
    if (atomic_fetch_add(&c->at_work[worker], 1) != 0) atomic_fetch_add(c->clashes, 1);
    atomic_fetch_add(&c->ended, 1);
    atomic_fetch_sub(&c->at_work[worker], 1);
    return QN_OK;
}

static qn_status run_often(void *user)
{
    crowd *c = user;
    for (size_t i = 0; i < CROWD_ROUNDS; i++) QN_TRY(qn_pool_run(c->pool, 2 + i % CROWD_SIZES, work_briefly, c));
    return QN_OK;
}

static qn_status run_alone_often(void *user)
{
    crowd *c = user;
    for (int i = 0; i < CROWD_ROUNDS; i++) QN_TRY(qn_pool_run_alone(c->pool, work_briefly, c));
    return QN_OK;
}

/* Every thread that waits for a number or for the end of its run is woken: otherwise this test does not end. */
static void every_waiting_thread_is_woken(void)
{
    enum { CALLERS = 6, THREADS = 8, WORKERS_MOST = 9 };
    for (int workers = 2; workers <= WORKERS_MOST; workers += workers < 4 ? 1 : 5) {
        atomic_int at_work[WORKERS_MOST] = {0}, clashes = 0;
        crowd c = {.at_work = at_work, .clashes = &clashes};
        qn_thread threads[THREADS];
        if (!CHECK_OK(qn_pool_create(workers, &c.pool))) return;
        for (int i = 0; i < THREADS; i++)
            CHECK_OK(qn_thread_start(&threads[i], i < CALLERS ? run_often : run_alone_often, &c));
        CHECK_OK(qn_threads_join(threads, THREADS));
        /* runs of 2 to 6 tasks, as many of each size */
        CHECK(atomic_load(&c.ended) == CALLERS * CROWD_ROUNDS * 4 + (THREADS - CALLERS) * CROWD_ROUNDS);
        CHECK(atomic_load(&clashes) == 0);
        qn_pool_destroy(&c.pool);
    }
}

static qn_status run_nested_and_fail(size_t index, int worker, void *user)
{
    QN_TRY(run_nested(index, worker, user));
    return QN_FAIL(QN_IO_ERROR, "as was to be");
}

static void a_run_of_one_task_is_serial_inside_and_may_fail(void)
{
    qn_pool *pool;
    if (!CHECK_OK(qn_pool_create(3, &pool))) return;
    nested n = {.pool = pool, .met = {.patience_s = 0.05}};
    CHECK(qn_pool_run_alone(pool, run_nested_and_fail, &n) == QN_IO_ERROR);
    CHECK(strstr(qn_error_message(), "as was to be") != NULL);
    CHECK(n.met.most == 1);
    CHECK(qn_pool_run_alone(NULL, run_nested_and_fail, &n) == QN_IO_ERROR);
    qn_pool_destroy(&pool);
}

static qn_status count_alone(size_t index, int worker, void *user)
{
    shared_run *run = user;
    (void)index;
    if (atomic_fetch_add(&run->at_work[worker], 1) != 0) atomic_fetch_add(run->clashes, 1);
    atomic_fetch_add(&run->met->ended, 1);
    atomic_fetch_sub(&run->at_work[worker], 1);
    return QN_OK;
}

static qn_status count_often(void *user)
{
    shared_run *run = user;
    for (int i = 0; i < 200; i++) QN_TRY(qn_pool_run(run->pool, 2 + (size_t)i % 9, count_alone, run));
    return QN_OK;
}

/* More threads than the pool has numbers: every task runs once, and no number is used twice at a time. */
static void many_threads_share_a_small_pool(void)
{
    meeting met = {0};
    atomic_int at_work[2] = {0}, clashes = 0;
    shared_run run = {.met = &met, .at_work = at_work, .clashes = &clashes};
    qn_thread threads[5];
    int expected = 0;
    for (int i = 0; i < 200; i++) expected += 6 * (2 + i % 9);
    if (!CHECK_OK(qn_pool_create(2, &run.pool))) return;
    for (int i = 0; i < 5; i++) CHECK_OK(qn_thread_start(&threads[i], count_often, &run));
    CHECK_OK(count_often(&run));
    CHECK_OK(qn_threads_join(threads, 5));
    CHECK(atomic_load(&met.ended) == expected);
    CHECK(atomic_load(&clashes) == 0);
    qn_pool_destroy(&run.pool);
}

/* Tasks of two pools that each start tasks on the other pool: there is no deadlock. */
typedef struct crossing {
    qn_pool *own, *other;
    atomic_size_t *pieces;
} crossing;

static qn_status count_piece(size_t index, int worker, void *user)
{
    (void)index, (void)worker;
    atomic_fetch_add((atomic_size_t *)user, 1);
    return QN_OK;
}

static qn_status run_back(size_t index, int worker, void *user)
{
    crossing *c = user;
    (void)index, (void)worker;
    return qn_pool_run(c->own, 3, count_piece, c->pieces);
}

static qn_status run_other(size_t index, int worker, void *user)
{
    crossing *c = user;
    (void)index, (void)worker;
    return qn_pool_run(c->other, 3, run_back, c);
}

static qn_status cross_often(void *user)
{
    crossing *c = user;
    for (int i = 0; i < 100; i++) QN_TRY(qn_pool_run(c->own, 3, run_other, c));
    return QN_OK;
}

static void pools_that_use_each_other_do_not_deadlock(void)
{
    qn_pool *pools[2];
    qn_thread threads[2];
    atomic_size_t pieces = 0;
    if (!CHECK_OK(qn_pool_create(2, &pools[0])) || !CHECK_OK(qn_pool_create(2, &pools[1]))) return;
    crossing crossings[2] = {{pools[0], pools[1], &pieces}, {pools[1], pools[0], &pieces}};
    for (int i = 0; i < 2; i++) CHECK_OK(qn_thread_start(&threads[i], cross_often, &crossings[i]));
    for (int i = 0; i < 2; i++) CHECK_OK(qn_thread_join(&threads[i]));
    CHECK(pieces == 2 * 100 * 27);
    for (int i = 0; i < 2; i++) qn_pool_destroy(&pools[i]);
}

/* ---- failures ---- */

static qn_status fail_on_thread(void *user)
{
    return QN_FAIL(QN_BAD_FORMAT, "frame %d is torn", *(int *)user);
}

static qn_status succeed(void *user)
{
    *(int *)user = 8;
    return QN_OK;
}

static void a_join_returns_status_and_trail(void)
{
    qn_thread thread, none = {0};
    int number = 7;
    qn_error_clear();
    CHECK_OK(qn_thread_start(&thread, fail_on_thread, &number));
    CHECK_FAILS(qn_thread_join(&thread), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "frame 7 is torn");
    CHECK_OK(qn_thread_start(&thread, succeed, &number));
    CHECK_OK(qn_thread_join(&thread));
    CHECK(number == 8);
    CHECK_TEXT(qn_error_message(), "frame 7 is torn"); /* a success does not clear the trail */
    CHECK_OK(qn_thread_join(&thread));                 /* joined a second time */
    CHECK_OK(qn_thread_join(&none));
}

static void the_first_of_several_failures_is_returned(void)
{
    qn_thread threads[4] = {0};
    int numbers[4] = {0, 1, 2, 3};
    CHECK_OK(qn_thread_start(&threads[0], succeed, &numbers[0]));
    CHECK_OK(qn_thread_start(&threads[3], fail_on_thread, &numbers[3]));
    CHECK_OK(qn_thread_start(&threads[2], fail_on_thread, &numbers[2])); /* thread 1 is not started */
    CHECK_FAILS(qn_threads_join(threads, 4), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), "frame 2 is torn");
    CHECK(numbers[0] == 8);
}

/* ---- messages ---- */

typedef struct listener {
    qn_log_target target;
    int heard, foreign, at_once; /* at_once: calls that overlapped */
    atomic_int inside;
} listener;

static void listen(qn_log_level level, const char *message, void *user)
{
    listener *l = user;
    l->at_once += atomic_fetch_add(&l->inside, 1) != 0;
    l->heard++;
    l->foreign += level != QN_LOG_NOTE || strcmp(message, "piece") != 0;
    atomic_fetch_sub(&l->inside, 1);
}

static void listener_begin(listener *l)
{
    memset(l, 0, sizeof *l);
    l->target = (qn_log_target){.callback = listen, .user = l};
    pthread_mutex_init(&l->target.mutex, NULL);
}

static qn_status log_piece(size_t index, int worker, void *user)
{
    (void)index, (void)worker, (void)user;
    qn_log(QN_LOG_NOTE, "piece");
    return QN_OK;
}

static qn_status log_pieces(void *user)
{
    for (int i = 0; i < 20; i++) QN_TRY(qn_pool_run(user, 50, log_piece, NULL));
    return QN_OK;
}

static void threads_and_tasks_inherit_the_log(void)
{
    listener a, b;
    qn_pool *pool;
    qn_thread threads[2];
    listener_begin(&a);
    listener_begin(&b);
    if (!CHECK_OK(qn_pool_create(3, &pool))) return;
    qn_log(QN_LOG_NOTE, "piece"); /* without a log */
    const qn_log_scope outside = qn_log_enter(&a.target);
    CHECK_OK(qn_thread_start(&threads[0], log_pieces, pool));
    const qn_log_scope in_a = qn_log_enter(&b.target);
    CHECK_OK(qn_thread_start(&threads[1], log_pieces, pool));
    CHECK_OK(log_pieces(pool));
    qn_log_return(in_a);
    qn_log(QN_LOG_NOTE, "piece");
    qn_log_return(outside);
    qn_log(QN_LOG_NOTE, "piece");
    for (int i = 0; i < 2; i++) CHECK_OK(qn_thread_join(&threads[i]));
    CHECK(a.heard == 1000 + 1 && a.foreign == 0 && a.at_once == 0);
    CHECK(b.heard == 2000 && b.foreign == 0 && b.at_once == 0);
    qn_pool_destroy(&pool);
}

static void logging_that_is_off_stays_off_in_calls(void)
{
    listener a, b;
    qn_pool *pool;
    qn_thread thread;
    listener_begin(&a);
    listener_begin(&b);
    if (!CHECK_OK(qn_pool_create(2, &pool))) return;
    const qn_log_scope outside = qn_log_enter(&a.target);
    const qn_log_scope on = qn_log_turn_off();
    const qn_log_scope off = qn_log_enter(&a.target); /* as a public function of the same context does */
    CHECK_OK(log_pieces(pool));
    CHECK_OK(qn_thread_start(&thread, log_pieces, pool));
    CHECK_OK(qn_thread_join(&thread));
    qn_log_enter(&b.target); /* a log of another context is not affected */
    qn_log(QN_LOG_NOTE, "piece");
    qn_log_return(off);
    qn_log(QN_LOG_NOTE, "piece");
    qn_log_return(on);
    qn_log(QN_LOG_NOTE, "piece");
    qn_log_return(outside);
    CHECK(a.heard == 1 && b.heard == 1);
    qn_pool_destroy(&pool);
}

int main(void)
{
    RUN(a_pool_runs_tasks_concurrently);
    RUN(a_task_runs_its_own_pool_serially);
    RUN(a_task_runs_another_pool_on_its_threads);
    RUN(runs_of_two_threads_share_a_pool);
    RUN(a_short_run_does_not_wait_for_a_long_one);
    RUN(a_thread_takes_part_in_a_pool);
    RUN(every_waiting_thread_is_woken);
    RUN(a_run_of_one_task_is_serial_inside_and_may_fail);
    RUN(many_threads_share_a_small_pool);
    RUN(pools_that_use_each_other_do_not_deadlock);
    RUN(a_join_returns_status_and_trail);
    RUN(the_first_of_several_failures_is_returned);
    RUN(threads_and_tasks_inherit_the_log);
    RUN(logging_that_is_off_stays_off_in_calls);
    return check_finish();
}
