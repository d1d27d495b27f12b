/* labels: threads */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
/* Two devices of one run: host kernels that either device launches can use all threads of the context. */
#include "check.h"

#include <quern/dock.h>
#include <quern/family.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "runtime/device.h"

/* Wait until `count` is at least 2, for at most a minute, which is enough on a busy machine. */
static void wait_for_two(atomic_int *count)
{
    const struct timespec pause = {.tv_nsec = 100000};
    const double patience_s = 60;
    for (double end_s = qn_clock_s() + patience_s; atomic_load(count) < 2 && qn_clock_s() < end_s;)
        nanosleep(&pause, NULL);
}

/* Number of tasks of one run of the pool that are running, and the largest number so far. Each task waits until a
 * second task runs. */
typedef struct meeting {
    atomic_int inside, most;
} meeting;

static qn_status meet(size_t index, int worker, void *user)
{
    meeting *m = user;
    (void)index, (void)worker;
    const int inside = atomic_fetch_add(&m->inside, 1) + 1;
    for (int most = atomic_load(&m->most); most < inside;)
        if (atomic_compare_exchange_weak(&m->most, &most, inside)) break;
    wait_for_two(&m->most);
    atomic_fetch_sub(&m->inside, 1);
    return QN_OK;
}

/* Result of a run of the pool, done before the first kernel that a device's thread launches. */
typedef struct observation {
    const char *device;
    bool seen;
    qn_status status;
    meeting met;
} observation;

static atomic_bool searching;   /* a batch is done: now the threads of devices launch kernels */
static atomic_int devices_seen; /* number of devices observed */
static observation observations[2] = {{.device = "host"}, {.device = "checking:host"}};

/* The first device waits here for the second one. Otherwise the first device may take every turn of the pool, which is
 * not fair, and finish all rotations before the second device launches its next kernel. */
static const char *observe(qn_family_launch *launch, void *user)
{
    const qn_device *device = qn_queue_device(launch->queue);
    (void)user;
    if (!atomic_load(&searching)) return NULL;
    for (int i = 0; i < 2; i++) {
        observation *o = &observations[i];
        if (strcmp(qn_device_get_info(device)->identifier, o->device) != 0 || o->seen) continue;
        o->seen = true;
        o->status = qn_pool_run(qn_context_pool(qn_device_context(qn_queue_device(launch->queue))), 4, meet, &o->met);
        atomic_fetch_add(&devices_seen, 1);
        wait_for_two(&devices_seen);
    }
    return NULL;
}

static int note_search(const qn_progress *progress, void *user)
{
    (void)progress, (void)user;
    atomic_store(&searching, true);
    return 0;
}

static void both_devices_use_all_threads(void)
{
    char receptor[600], ligand[600], output[600];
    qn_context *context;
    qn_dock_options options = qn_dock_default_options();
    snprintf(receptor, sizeof receptor, "%s", check_data("../../examples/1ppe/1PPE_r_u.pdb"));
    snprintf(ligand, sizeof ligand, "%s", check_data("../../examples/1ppe/1PPE_l_u_rnd.pdb"));
    snprintf(output, sizeof output, "%s/run", check_scratch_folder());
    options.receptor = receptor;
    options.ligand = ligand;
    options.output = output;
    options.run.device = "host,checking:host";
    options.score = QN_DOCK_RPSC;
    options.rotations = 200; /* enough for both devices to get batches */
    options.run.batch = 1;
    options.spacing_angstrom = 3;
    options.refinement = false;
    options.run.progress = note_search;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 3}, &context)))
        return;
    qn_context_set_configuration_source(context, &(qn_configuration_source){.choose = observe});
    CHECK_OK(qn_dock_run(context, &options, NULL));
    for (int i = 0; i < 2; i++) {
        CHECK(observations[i].seen);
        CHECK_OK(observations[i].status);
        CHECK(observations[i].met.most >= 2);
    }
    qn_context_destroy(&context);
}

int main(void)
{
    RUN(both_devices_use_all_threads);
    return check_finish();
}
