/* labels: threads */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
/* Two devices of one run: host kernels that one of them launches have all threads of the context. */
#include "check.h"

#include <quern/dock.h>
#include <quern/family.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "runtime/device.h"

/* How many pieces of one run of the pool were under way at once; each waits until two are, or gives up after a while.
 */
typedef struct meeting {
    atomic_int inside, most;
} meeting;

static qn_status meet(size_t index, int worker, void *user)
{
    const struct timespec pause = {.tv_nsec = 100000};
    const double patience_s = 10;
    meeting *m = user;
    (void)index, (void)worker;
    const int inside = atomic_fetch_add(&m->inside, 1) + 1;
    if (inside > atomic_load(&m->most)) atomic_store(&m->most, inside);
    for (double end_s = qn_clock_s() + patience_s; atomic_load(&m->most) < 2 && qn_clock_s() < end_s;)
        nanosleep(&pause, NULL);
    atomic_fetch_sub(&m->inside, 1);
    return QN_OK;
}

/* What was seen where a device's thread launches its first kernel. */
typedef struct observation {
    const char *device;
    bool seen;
    qn_status status;
    meeting met;
} observation;

static atomic_bool searching; /* a batch is done: kernels are launched by the threads of devices */
static observation observations[2] = {{.device = "host"}, {.device = "checking:host"}};

static const char *observe(qn_family_launch *launch, void *user)
{
    const qn_device *device = qn_queue_device(launch->queue);
    (void)user;
    if (!atomic_load(&searching)) return NULL;
    for (int i = 0; i < 2; i++) {
        observation *o = &observations[i];
        if (strcmp(qn_device_get_info(device)->identifier, o->device) != 0 || o->seen) continue; /* one's own alone */
        o->seen = true;
        o->status = qn_pool_run(qn_context_pool(qn_device_context(qn_queue_device(launch->queue))), 4, meet, &o->met);
    }
    return NULL;
}

static int note_search(const qn_progress *progress, void *user)
{
    (void)progress, (void)user;
    atomic_store(&searching, true);
    return 0;
}

static void both_devices_have_all_threads(void)
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
    options.score = "rpsc";
    options.rotations = 200; /* enough for both */
    options.run.batch = 1;
    options.spacing_angstrom = 3;
    options.refinement = false;
    options.run.progress = note_search;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.threads = 3}, &context))) return;
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
    RUN(both_devices_have_all_threads);
    return check_finish();
}
