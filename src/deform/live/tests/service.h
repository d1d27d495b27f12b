/* A server with a solver that knows its field, for tests of clients. */
#ifndef QN_DEFORM_LIVE_TESTS_SERVICE_H
#define QN_DEFORM_LIVE_TESTS_SERVICE_H

#include <math.h>

#include "base/thread.h"
#include "check.h"
#include "deform/live/server.h"
#include "deform/live/tests/fake_solver.h"

static const qn_grid service_grid = {.step = 0.01, .least = {-3, -3, -3}, .most = {3, 3, 3}};

typedef struct service {
    fake_solver solver;
    qn_server *server;
    qn_loop *loop;
    qn_thread thread;
    char address[256];
} service;

static inline qn_status service_run(void *user)
{
    return qn_loop_run(user);
}

static inline bool service_begin_at(service *of, const char *address, double rate_hz)
{
    const qn_server_options options = {
        .address = address, .grid = service_grid, .rate_hz = rate_hz, .node_count = 1, .freedom_count = FIELD_FREEDOMS};
    of->solver.field.cubic = 900;
    of->solver.step = service_grid.step;
    if (!CHECK_OK(qn_server_open(&options, &of->server))) return false;
    const qn_loop_options loop_options = {.crew = {.grid = service_grid,
                                                   .freedom_count = FIELD_FREEDOMS,
                                                   .solve = fake_solve,
                                                   .user = &of->solver,
                                                   .worker_count = 1,
                                                   .cache_bytes = 1e6},
                                          .rate_hz = rate_hz,
                                          .force_limit = 20,
                                          .slew_limit = 200,
                                          .duration_s = (double)INFINITY,
                                          .tick_capacity = 20000,
                                          .wait = qn_server_wait,
                                          .input = qn_server_input,
                                          .output = qn_server_output,
                                          .user = of->server};
    return CHECK_OK(qn_loop_create(&loop_options, &of->loop)) && CHECK_OK(qn_server_start(of->server, of->loop)) &&
           CHECK_OK(qn_thread_start(&of->thread, service_run, of->loop));
}

static inline bool service_begin(service *of, const char *address)
{
    return service_begin_at(of, address, 1000);
}

static inline void service_end(service *of)
{
    qn_loop_stop(of->loop);
    CHECK_OK(qn_thread_join(&of->thread));
    qn_server_close(&of->server);
    qn_loop_destroy(&of->loop);
}

#endif
