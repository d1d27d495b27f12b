#include "screen/pipeline.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/thread.h"
#include "flexible/searcher.h"
#include "runtime/device.h"
#include "screen/library.h"
#include "screen/queue.h"

/* Pieces of flexible molecules that are searched together: a GPU has room for thousands of chains. */
enum {
    GROUP_MAX = 32,
    GROUP_LEAST = 8,
    SEARCHERS_OF_A_GPU = 4 /* one prepares or ends its search while others fill the device */
};

/* State that the threads share. */
typedef struct screen_pipeline {
    qn_screen_state *run;
    qn_screen_library *library; /* used by the reader only */
    qn_screen_search *searches[QN_DEVICES_MAX];
    qn_flexible_searcher *flexible[QN_DEVICES_MAX][SEARCHERS_OF_A_GPU]; /* NULL: molecules are not searched */
    int group_most;           /* pieces of flexible molecules that are searched together */
    double resident_bytes;    /* of the process, before searches were made */
    qn_screen_queue queue;    /* pieces to search */
    qn_screen_queue searched; /* pieces of rigid molecules, whose poses a thread of their own chooses */
    pthread_mutex_t mutex;    /* guards the members below */
    uint64_t finished;        /* molecules of the library up to the last piece recorded */
    uint64_t expected;        /* number of molecules in the library */
    uint64_t taken;           /* pieces that searchers of flexible molecules have asked for */
    bool estimated;           /* that number */
    double started_s;
} screen_pipeline;

static qn_status report_progress(const screen_pipeline *pipeline)
{
    const qn_screen_state *run = pipeline->run;
    const uint64_t total = pipeline->expected > pipeline->finished ? pipeline->expected : pipeline->finished;
    const qn_progress progress = {.stage = "screening",
                                  .unit = "molecules",
                                  .done = (size_t)pipeline->finished,
                                  .total = (size_t)total,
                                  .seconds = qn_clock_s() - pipeline->started_s,
                                  .estimated = pipeline->estimated && total > pipeline->finished};
    if (qn_job_is_stopped(run->job, &progress))
        return QN_FAIL(QN_CANCELLED, "stopped after about %llu of %llu %s%s", (unsigned long long)pipeline->finished,
                       (unsigned long long)total, qn_screen_molecules(total),
                       run->job->in_memory ? "" : "; continue with --resume");
    return QN_OK;
}

/* Ask the caller and other ranks whether to stop. Called between batches, since a piece may take hours. */
static qn_status ask_to_go_on(screen_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->mutex);
    qn_status status = report_progress(pipeline);
    if (status == QN_OK) status = qn_agreement_poll(&pipeline->run->job->agreement);
    pthread_mutex_unlock(&pipeline->mutex);
    return status;
}

/* ---- The reader ---- */

typedef struct piece_reading {
    screen_pipeline *pipeline;
    qn_compound_record records[QN_SCREEN_PIECE];
    size_t files[QN_SCREEN_PIECE];
    qn_screen_batch *batch;
} piece_reading;

static qn_status prepare_molecule(size_t i, int worker, void *user)
{
    piece_reading *reading = user;
    qn_screen_batch *batch = reading->batch;
    (void)worker;
    return qn_screen_molecule_make(reading->pipeline->run, &reading->records[i], batch->number * QN_SCREEN_PIECE + i,
                                   reading->files[i], &batch->molecules[i]);
}

/* Count the conformers of a piece, and allocate the poses that their searches return. */
static qn_status count_jobs(qn_screen_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const qn_screen_molecule *molecule = &batch->molecules[i];
        const size_t conformers = molecule->reason ? 0 : (size_t)molecule->ligand.conformer_count;
        void *memory;
        QN_TRY(qn_allocate(conformers * QN_SCREEN_MINIMA, sizeof(qn_screen_pose), &memory));
        batch->poses[i] = memory;
        batch->jobs += conformers;
    }
    batch->pending = batch->jobs;
    return QN_OK;
}

/* Read the records of a piece; there are fewer where the library ends or is damaged. */
static qn_status cut_piece(piece_reading *reading, uint64_t number, uint32_t *count)
{
    qn_screen_library *library = reading->pipeline->library;
    qn_screen_state *run = reading->pipeline->run;
    for (*count = 0; *count < QN_SCREEN_PIECE; ++*count) {
        qn_compound_record *record = &reading->records[*count];
        qn_status status = qn_screen_library_seek(library, number * QN_SCREEN_PIECE + *count, record);
        if (qn_screen_is_librarys_fault(status)) {
            qn_error_save(status, &run->damage);
            run->molecules_before_damage = qn_screen_library_position(library);
            qn_error_clear();
            return QN_OK;
        }
        QN_TRY(status);
        if (record->size == 0) return QN_OK;
        reading->files[*count] = qn_screen_library_file(library);
    }
    return QN_OK;
}

/* Read the records of a piece and make its molecules; *batch is NULL after the end of the library. */
static qn_status read_piece(piece_reading *reading, uint64_t number, qn_screen_batch **batch)
{
    screen_pipeline *pipeline = reading->pipeline;
    void *memory;
    uint32_t count;
    *batch = NULL;
    QN_TRY(cut_piece(reading, number, &count));
    if (count == 0) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof(qn_screen_batch), &memory));
    reading->batch = memory;
    reading->batch->number = number;
    reading->batch->count = count;
    reading->batch->broken_off = pipeline->run->damage.status != QN_OK;
    qn_status status = qn_pool_run(pipeline->run->job->pool, count, prepare_molecule, reading);
    if (status == QN_OK) status = count_jobs(reading->batch);
    if (status == QN_OK)
        *batch = reading->batch;
    else
        qn_screen_batch_destroy(&reading->batch);
    return status;
}

/* Update the estimated number of molecules. */
static qn_status expect(screen_pipeline *pipeline)
{
    const uint64_t estimate = qn_screen_library_estimate(pipeline->library);
    pthread_mutex_lock(&pipeline->mutex);
    pipeline->expected = estimate;
    pipeline->estimated = !qn_screen_library_is_over(pipeline->library);
    qn_status status = report_progress(pipeline);
    pthread_mutex_unlock(&pipeline->mutex);
    return status;
}

/* Read the pieces that are dealt to this rank, until none is left. */
static qn_status read_pieces(piece_reading *reading)
{
    screen_pipeline *pipeline = reading->pipeline;
    qn_screen_batch *batch;
    uint64_t number;
    while (qn_screen_queue_has_room(
        &pipeline->queue)) { /* wait before a piece is dealt: other ranks could search a piece that waits here */
        bool none;
        QN_TRY(qn_agreement_deal(&pipeline->run->job->agreement, 1, &number, &none));
        if (none) return QN_OK;
        if (qn_piece_set_has(&pipeline->run->job->done, number)) continue;
        QN_TRY(read_piece(reading, number, &batch));
        const bool last = !batch || batch->count < QN_SCREEN_PIECE;
        if (last && pipeline->run->damage.status == QN_OK)
            pipeline->run->library_molecules = qn_screen_library_position(pipeline->library);
        if (!batch) return QN_OK;
        qn_screen_queue_push(&pipeline->queue, batch);
        QN_TRY(expect(pipeline));
        if (last) return QN_OK;
    }
    return QN_OK;
}

static qn_status run_reader(screen_pipeline *pipeline)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(piece_reading), &memory));
    piece_reading *reading = memory;
    reading->pipeline = pipeline;
    qn_status status = read_pieces(reading);
    for (int i = 0; i < QN_SCREEN_PIECE; i++) qn_compound_record_clear(&reading->records[i]);
    qn_release(&memory);
    if (status != QN_OK || qn_screen_queue_failed(&pipeline->queue))
        status = qn_agreement_cancel(&pipeline->run->job->agreement, status);
    return status;
}

/* ---- Devices ---- */

/* The conformer of a job, with its molecule and batch. */
typedef struct job_owner {
    qn_screen_batch *batch;
    uint32_t molecule;
    int conformer;
} job_owner;

typedef struct device_searching {
    screen_pipeline *pipeline;
    qn_screen_search *search;
    qn_flexible_searcher *flexible;
    int most; /* jobs of a submitted batch, at most */
    qn_screen_job *jobs;
    job_owner *owners[QN_SCREEN_SLOTS];
    int counts[QN_SCREEN_SLOTS]; /* number of submitted jobs; 0: the slot is free */
    qn_screen_pose *poses;       /* of a slot, [jobs][QN_SCREEN_MINIMA] */
    qn_screen_batch *batch;      /* piece whose conformers are being submitted; NULL: take the next piece */
    size_t handed_out;           /* number of its conformers submitted so far */
    uint32_t molecule;
    int conformer;
    double interactions; /* pairs scored since the last piece was recorded */
} device_searching;

typedef struct piece_finishing {
    const qn_screen_state *run;
    qn_screen_batch *batch;
    qn_screen_kept kept[QN_SCREEN_PIECE][QN_SCREEN_KEPT_MAX];
    qn_flexible_pose states[QN_SCREEN_PIECE][QN_SCREEN_KEPT_MAX]; /* of flexible molecules */
    qn_flexible_pose *found; /* [molecule without a reason][options->walkers]; NULL: no search */
    double *found_energies;
    int counts[QN_SCREEN_PIECE];
} piece_finishing;

/* Number of molecules before the i-th of a piece that are not rejected. */
static size_t accepted_before(const qn_screen_batch *batch, size_t i)
{
    size_t count = 0;
    for (size_t k = 0; k < i; k++) count += !batch->molecules[k].reason;
    return count;
}

static qn_status dock_molecule(piece_finishing *finishing, size_t i)
{
    const size_t first = accepted_before(finishing->batch, i) * (size_t)finishing->run->options->walkers;
    return qn_screen_poses_dock(finishing->run, &finishing->batch->molecules[i],
                                finishing->found ? finishing->found + first : NULL,
                                finishing->found ? finishing->found_energies + first : NULL, finishing->kept[i],
                                finishing->states[i], &finishing->counts[i]);
}

static qn_status finish_molecule(size_t i, int worker, void *user)
{
    piece_finishing *finishing = user;
    const qn_screen_molecule *molecule = &finishing->batch->molecules[i];
    (void)worker;
    if (molecule->reason) return QN_OK;
    if (!finishing->run->options->rigid) return dock_molecule(finishing, i);
    return qn_screen_poses_choose(finishing->run, molecule, finishing->batch->poses[i], finishing->kept[i],
                                  &finishing->counts[i]);
}

static qn_status make_record(const piece_finishing *finishing, double interactions, qn_text *record)
{
    const qn_screen_batch *batch = finishing->batch;
    const qn_screen_piece piece = {.number = batch->number,
                                   .molecule_count = batch->count,
                                   .broken_off = batch->broken_off,
                                   .interactions = interactions};
    const bool flexible = !finishing->run->options->rigid;
    QN_TRY(qn_screen_record_begin(&piece, record));
    for (uint32_t i = 0; i < batch->count; i++) {
        const qn_screen_molecule *molecule = &batch->molecules[i];
        const qn_screen_entry entry = {.index = molecule->index,
                                       .line = molecule->line,
                                       .library = molecule->library,
                                       .heavy_atoms = molecule->ligand.atom_count,
                                       .conformers = molecule->ligand.conformer_count,
                                       .unsettled = batch->unsettled[i],
                                       .name = molecule->name,
                                       .reason = molecule->reason,
                                       .made = molecule->made,
                                       .made_size = molecule->made_size,
                                       .poses = finishing->kept[i],
                                       .states = flexible ? finishing->states[i] : NULL,
                                       .torsions = molecule->tree.piece_count - 1,
                                       .torsion_count = molecule->tree.torsion_count,
                                       .pose_count = finishing->counts[i]};
        QN_TRY(qn_screen_record_add(&entry, record));
    }
    return QN_OK;
}

static qn_status record_piece(screen_pipeline *pipeline, const qn_screen_batch *batch, const qn_text *record)
{
    const uint64_t end = batch->number * QN_SCREEN_PIECE + batch->count;
    QN_TRY(qn_job_record(pipeline->run->job, batch->number, record->data, record->length));
    pthread_mutex_lock(&pipeline->mutex);
    if (end > pipeline->finished) pipeline->finished = end;
    pthread_mutex_unlock(&pipeline->mutex);
    return QN_OK;
}

/* Record a piece whose poses are chosen, and release it. */
static qn_status end_piece(screen_pipeline *pipeline, piece_finishing *finishing, qn_status status)
{
    qn_text record = {0};
    if (status == QN_OK) status = make_record(finishing, finishing->batch->interactions, &record);
    if (status == QN_OK) status = record_piece(pipeline, finishing->batch, &record);
    qn_text_clear(&record);
    qn_screen_batch_destroy(&finishing->batch);
    return status;
}

/* All conformers of a piece are searched: another thread chooses the poses, so that the device does not wait. */
static void hand_on(device_searching *searching, qn_screen_batch *batch)
{
    qn_screen_queue *searched = &searching->pipeline->searched;
    batch->interactions = searching->interactions;
    searching->interactions = 0;
    (void)qn_screen_queue_has_room(searched); /* after a failure the queue only keeps what will be released */
    qn_screen_queue_push(searched, batch);
}

/* Find the next conformer to search, across molecules and pieces. *found is false when the queue is empty; with
 * `waits`, only when it has ended. Pieces without conformers are handed on at once. */
static qn_status next_job(device_searching *searching, bool waits, bool *found, job_owner *owner)
{
    *found = false;
    while (!searching->batch) {
        qn_screen_batch *batch = qn_screen_queue_pop(&searching->pipeline->queue, waits);
        if (!batch) return QN_OK;
        if (batch->jobs == 0) {
            hand_on(searching, batch);
            continue;
        }
        searching->batch = batch;
        searching->handed_out = 0;
        searching->molecule = 0;
        searching->conformer = 0;
    }
    qn_screen_batch *batch = searching->batch;
    while (batch->molecules[searching->molecule].reason ||
           searching->conformer == batch->molecules[searching->molecule].ligand.conformer_count) {
        searching->molecule++;
        searching->conformer = 0;
    }
    *owner = (job_owner){batch, searching->molecule, searching->conformer++};
    *found = true;
    /* the piece is released when its last job is collected, so it must not be used after that job was submitted */
    if (++searching->handed_out == batch->jobs) searching->batch = NULL;
    return QN_OK;
}

/* Submit the conformers that are ready, up to a batch, in a free slot. */
static qn_status submit(device_searching *searching, int slot)
{
    const bool idle = searching->counts[!slot] == 0;
    job_owner *owners = searching->owners[slot];
    int count = 0;
    for (bool found; count < searching->most;) {
        QN_TRY(next_job(searching, idle && count == 0, &found, &owners[count]));
        if (!found) break;
        searching->jobs[count] =
            (qn_screen_job){&owners[count].batch->molecules[owners[count].molecule].ligand, owners[count].conformer};
        searching->counts[slot] = ++count;
    }
    return count > 0 ? qn_screen_search_submit(searching->search, searching->jobs, count, slot) : QN_OK;
}

static qn_status collect(device_searching *searching, int slot)
{
    const int count = searching->counts[slot];
    double interactions = 0;
    if (count == 0) return QN_OK;
    QN_TRY(qn_screen_search_collect(searching->search, slot, searching->poses, &interactions));
    searching->interactions += interactions;
    for (int i = 0; i < count; i++) {
        job_owner *owner = &searching->owners[slot][i];
        qn_screen_batch *batch = owner->batch;
        owner->batch = NULL;
        memcpy(batch->poses[owner->molecule] + (size_t)owner->conformer * QN_SCREEN_MINIMA,
               searching->poses + (size_t)i * QN_SCREEN_MINIMA, QN_SCREEN_MINIMA * sizeof *searching->poses);
        batch->unsettled[owner->molecule] += qn_screen_search_is_unsettled(searching->search, slot, i);
        if (--batch->pending == 0) hand_on(searching, batch);
    }
    searching->counts[slot] = 0;
    return QN_OK;
}

/* With offline tuning, repeat the first batch until the tuner is done. */
static qn_status explore(device_searching *searching, int slot)
{
    const double start_s = qn_clock_s();
    bool explores;
    QN_TRY(qn_tuning_explores(&searching->pipeline->run->job->tuning, 0, &explores));
    while (explores && searching->counts[slot] > 0) {
        QN_TRY(ask_to_go_on(searching->pipeline));
        QN_TRY(qn_screen_search_collect(searching->search, slot, searching->poses, NULL));
        QN_TRY(qn_screen_search_submit(searching->search, searching->jobs, searching->counts[slot], slot));
        QN_TRY(qn_tuning_explores(&searching->pipeline->run->job->tuning, qn_clock_s() - start_s, &explores));
    }
    return QN_OK;
}

/* Keep two batches submitted: the device searches one while the host prepares or collects the other. */
static qn_status search_all(device_searching *searching)
{
    int slot = 0;
    QN_TRY(submit(searching, slot));
    QN_TRY(explore(searching, slot));
    while (searching->counts[slot] > 0) {
        slot = !slot;
        QN_TRY(submit(searching, slot));
        QN_TRY(ask_to_go_on(searching->pipeline));
        QN_TRY(collect(searching, !slot));
        QN_TRY(ask_to_go_on(searching->pipeline));
        if (searching->counts[slot] == 0) QN_TRY(submit(searching, slot)); /* the queue was empty: wait for a piece */
    }
    return QN_OK;
}

/* Release the pieces that are not recorded: those of submitted jobs, each once, and the one being submitted. */
static void drop_pieces(device_searching *searching)
{
    qn_screen_batch *list = searching->batch;
    if (list) list->next = NULL;
    for (int slot = 0; slot < QN_SCREEN_SLOTS; slot++)
        for (int i = 0; i < searching->counts[slot]; i++) {
            qn_screen_batch *batch = searching->owners[slot][i].batch, *known = list;
            while (known && known != batch) known = known->next;
            if (known || !batch) continue;
            batch->next = list;
            list = batch;
        }
    while (list) {
        qn_screen_batch *next = list->next;
        qn_screen_batch_destroy(&list);
        list = next;
    }
}

static qn_status allocate_searching(device_searching *searching)
{
    const size_t most = (size_t)searching->most;
    void *memory;
    QN_TRY(qn_allocate(most, sizeof *searching->jobs, &memory));
    searching->jobs = memory;
    for (int slot = 0; slot < QN_SCREEN_SLOTS; slot++) {
        QN_TRY(qn_allocate(most, sizeof *searching->owners[slot], &memory));
        searching->owners[slot] = memory;
    }
    QN_TRY(qn_allocate(most * QN_SCREEN_MINIMA, sizeof *searching->poses, &memory));
    searching->poses = memory;
    return QN_OK;
}

/* ---- Groups of pieces: flexible molecules, and rigid ones that are searched ---- */

typedef struct piece_group {
    screen_pipeline *pipeline;
    qn_flexible_searcher *searcher; /* NULL: nothing is searched; poses of the library may be scored or minimised */
    qn_screen_batch *pieces[GROUP_MAX];
    int count;
    qn_flexible_pose *found; /* [molecule][walkers], of all pieces */
    double *energies;
    piece_finishing *finishings; /* [piece] */
} piece_group;

/* Number of pieces of the next group: what is left in the library, divided among all searchers, so that the last groups
 * end at about the same time. The shorter groups towards the end still have enough molecules to fill a GPU, unless the
 * library is small for the devices. */
static int pieces_of_group(const screen_pipeline *pipeline)
{
    const qn_job *job = pipeline->run->job;
    const uint64_t pieces = (pipeline->expected + QN_SCREEN_PIECE - 1) / QN_SCREEN_PIECE;
    const uint64_t ranks = (uint64_t)qn_ranks_count(job->ranks);
    const uint64_t searchers = SEARCHERS_OF_A_GPU * (uint64_t)job->device_count * ranks;
    const uint64_t taken = pipeline->taken * ranks, left = pieces > taken ? pieces - taken : 0;
    const uint64_t whole = pieces / searchers + 1, share = left / searchers + 1;
    const uint64_t least = whole < GROUP_LEAST ? whole : GROUP_LEAST, wanted = share > least ? share : least;
    return wanted < (uint64_t)pipeline->group_most ? (int)wanted : pipeline->group_most;
}

/* Take pieces until the group is full or none is left. */
static void fill_group(piece_group *group)
{
    screen_pipeline *pipeline = group->pipeline;
    pthread_mutex_lock(&pipeline->mutex);
    const int most = pieces_of_group(pipeline);
    pipeline->taken += (uint64_t)most;
    pthread_mutex_unlock(&pipeline->mutex);
    for (group->count = 0; group->count < most; group->count++)
        if (!(group->pieces[group->count] = qn_screen_queue_pop(&pipeline->queue, true))) return;
}

/* Take the pieces that are searched now; wait for the first. */
static void take_searched(piece_group *group)
{
    for (group->count = 0; group->count < GROUP_MAX; group->count++) {
        qn_screen_batch *piece = qn_screen_queue_pop(&group->pipeline->searched, group->count == 0);
        if (!piece) return;
        group->pieces[group->count] = piece;
    }
}

static qn_status search_group(piece_group *group)
{
    const size_t walkers = (size_t)group->pipeline->run->options->walkers;
    const qn_flexible_tree *trees[GROUP_MAX * QN_SCREEN_PIECE];
    int count = 0;
    for (int p = 0; p < group->count; p++)
        for (uint32_t i = 0; i < group->pieces[p]->count; i++)
            if (!group->pieces[p]->molecules[i].reason) trees[count++] = &group->pieces[p]->molecules[i].tree;
    if (!group->searcher || count == 0) return QN_OK;
    QN_TRY(qn_allocate((size_t)count * walkers, sizeof *group->found, (void **)&group->found));
    QN_TRY(qn_allocate((size_t)count * walkers, sizeof *group->energies, (void **)&group->energies));
    return qn_flexible_searcher_run(group->searcher, trees, count, group->found, group->energies, NULL);
}

/* Choose the poses of a molecule; number: piece × QN_SCREEN_PIECE + molecule. */
static qn_status finish_of_group(size_t number, int worker, void *user)
{
    piece_finishing *finishing = &((piece_group *)user)->finishings[number / QN_SCREEN_PIECE];
    const size_t molecule = number % QN_SCREEN_PIECE;
    return molecule < finishing->batch->count ? finish_molecule(molecule, worker, finishing) : QN_OK;
}

static void prepare_finishings(piece_group *group)
{
    const size_t walkers = (size_t)group->pipeline->run->options->walkers;
    size_t first = 0;
    for (int p = 0; p < group->count; p++) {
        piece_finishing *finishing = &group->finishings[p];
        finishing->run = group->pipeline->run;
        finishing->batch = group->pieces[p];
        finishing->found = group->found ? group->found + first : NULL;
        finishing->found_energies = group->energies ? group->energies + first : NULL;
        first += walkers * accepted_before(group->pieces[p], group->pieces[p]->count);
    }
}

static qn_status dock_group(piece_group *group)
{
    const size_t count = (size_t)group->count;
    qn_status status = qn_allocate(count, sizeof *group->finishings, (void **)&group->finishings);
    if (status == QN_OK) status = search_group(group);
    if (status == QN_OK) {
        prepare_finishings(group);
        status = qn_pool_run(group->pipeline->run->job->pool, count * QN_SCREEN_PIECE, finish_of_group, group);
    }
    int ended = 0;
    for (; ended < group->count && status == QN_OK; ended++)
        status = end_piece(group->pipeline, &group->finishings[ended], status);
    for (; ended < group->count; ended++) qn_screen_batch_destroy(&group->pieces[ended]);
    qn_release(&group->finishings);
    qn_release(&group->found);
    qn_release(&group->energies);
    return status;
}

/* Dock groups of pieces until none is left. */
static qn_status dock_groups(void *user)
{
    piece_group *group = user;
    for (;;) {
        fill_group(group);
        if (group->count == 0) return QN_OK;
        qn_status status = dock_group(group);
        if (status == QN_OK) status = ask_to_go_on(group->pipeline);
        if (status == QN_OK) continue;
        qn_screen_queue_fail(&group->pipeline->queue);
        return status;
    }
}

/* The thread that chooses the poses of rigid molecules. It does not ask whether to go on, so that all that is searched
 * when a run is stopped is recorded. */
static qn_status finish_searched(void *user)
{
    screen_pipeline *pipeline = user;
    piece_group group = {.pipeline = pipeline};
    for (;;) {
        take_searched(&group);
        if (group.count == 0) return QN_OK;
        const qn_status status = dock_group(&group);
        if (status == QN_OK) continue;
        qn_screen_queue_fail(&pipeline->searched);
        qn_screen_queue_fail(&pipeline->queue);
        return status;
    }
}

static qn_status run_flexible(screen_pipeline *pipeline, int device)
{
    piece_group groups[SEARCHERS_OF_A_GPU] = {{0}};
    qn_thread threads[SEARCHERS_OF_A_GPU] = {{0}};
    qn_status status = QN_OK;
    for (int i = 0; i < SEARCHERS_OF_A_GPU; i++)
        groups[i] = (piece_group){.pipeline = pipeline, .searcher = pipeline->flexible[device][i]};
    for (int i = 1; i < SEARCHERS_OF_A_GPU && groups[i].searcher && status == QN_OK; i++)
        status = qn_thread_start(&threads[i], dock_groups, &groups[i]);
    if (status == QN_OK)
        status = dock_groups(&groups[0]);
    else
        qn_screen_queue_fail(&pipeline->queue);
    const qn_status others = qn_threads_join(threads, SEARCHERS_OF_A_GPU);
    return status == QN_OK ? others : status;
}

static qn_status run_device(screen_pipeline *pipeline, qn_screen_search *search)
{
    device_searching searching = {.pipeline = pipeline, .search = search, .most = qn_screen_search_batch(search)};
    qn_status status = allocate_searching(&searching);
    if (status == QN_OK) status = search_all(&searching);
    if (status != QN_OK) drop_pieces(&searching);
    qn_release(&searching.jobs);
    for (int slot = 0; slot < QN_SCREEN_SLOTS; slot++) qn_release(&searching.owners[slot]);
    qn_release(&searching.poses);
    return status;
}

/* ---- Threads ---- */

static qn_status work_as_reader(void *user)
{
    screen_pipeline *pipeline = user;
    qn_status status = run_reader(pipeline);
    if (status == QN_OK)
        qn_screen_queue_end(&pipeline->queue);
    else
        qn_screen_queue_fail(&pipeline->queue);
    return status;
}

static qn_status work_on_device(int device, void *user)
{
    screen_pipeline *pipeline = user;
    qn_status status = pipeline->run->options->rigid ? run_device(pipeline, pipeline->searches[device])
                                                     : run_flexible(pipeline, device);
    if (status != QN_OK) qn_screen_queue_fail(&pipeline->queue);
    return status;
}

/* Run the reader, a thread for each device, and one that chooses the poses of rigid molecules. The failure of a device
 * has precedence over those of the others, which may be its consequences. */
static qn_status run_threads(screen_pipeline *pipeline)
{
    qn_thread threads[2] = {{0}};
    qn_error_trail trail;
    qn_status status = qn_thread_start(&threads[0], work_as_reader, pipeline);
    if (status == QN_OK && pipeline->run->options->rigid)
        status = qn_thread_start(&threads[1], finish_searched, pipeline);
    if (status == QN_OK) status = qn_job_each_device(pipeline->run->job, work_on_device, pipeline);
    if (status != QN_OK) qn_screen_queue_fail(&pipeline->queue);
    qn_screen_queue_end(&pipeline->searched);
    qn_error_save(status, &trail);
    const qn_status others = qn_threads_join(threads, 2);
    if (status != QN_OK) return qn_error_restore(&trail);
    return others == QN_OK ? report_progress(pipeline) : others;
}

/* `jobs`: molecules that wait for a search, at most. Two groups wait for a GPU. On the host, where a molecule may take
 * seconds, one does: other ranks could search what waits here. */
static qn_status create_flexible(screen_pipeline *pipeline, size_t *jobs)
{
    const qn_screen_state *run = pipeline->run;
    const qn_screen_options *options = run->options;
    qn_flexible_search_options how = {.confine_atoms = options->confine_atoms,
                                      .sides = run->sides.count > 0 ? &run->sides : NULL,
                                      .walkers = options->walkers,
                                      .effort = options->effort,
                                      .settle_all = options->receptor_energy == QN_SCREEN_RECEPTOR_EXACT,
                                      .seed = options->run.seed};
    memcpy(how.box_centre_angstrom, run->search.box_centre_angstrom, sizeof how.box_centre_angstrom);
    memcpy(how.box_side_angstrom, run->search.box_side_angstrom, sizeof how.box_side_angstrom);
    const int threads = qn_pool_threads(run->job->pool);
    for (int i = 0; i < run->job->device_count; i++) {
        const bool gpu = qn_device_get_info(run->job->devices[i])->kind == QN_DEVICE_GPU;
        const int most = gpu ? GROUP_MAX : 1 + threads / QN_SCREEN_PIECE;
        pipeline->group_most = most > pipeline->group_most ? most : pipeline->group_most;
        *jobs += (size_t)((gpu ? 2 * GROUP_MAX : most) * QN_SCREEN_PIECE);
        if (options->score_only || options->local_only) continue;
        for (int k = 0; k < (gpu ? SEARCHERS_OF_A_GPU : 1); k++)
            QN_TRY(qn_flexible_searcher_create(run->job->devices[i], &run->receptor, &how, &pipeline->flexible[i][k]));
    }
    if (pipeline->group_most > GROUP_MAX) pipeline->group_most = GROUP_MAX;
    return QN_OK;
}

static qn_status check_memory(const screen_pipeline *pipeline, size_t jobs)
{
    qn_screen_room room = {.molecules = jobs,
                           .pieces = pipeline->group_most,
                           .piece_bytes = sizeof(piece_finishing),
                           .searchers_of_a_gpu = SEARCHERS_OF_A_GPU,
                           .resident_bytes = pipeline->resident_bytes};
    for (int i = 0; i < pipeline->run->job->device_count; i++) room.searchers[i] = pipeline->flexible[i][0];
    return qn_screen_check_memory(pipeline->run, &room);
}

static qn_status create_searches(screen_pipeline *pipeline, size_t *jobs)
{
    qn_screen_state *run = pipeline->run;
    if (!run->options->rigid) return create_flexible(pipeline, jobs);
    for (int i = 0; i < run->job->device_count; i++) {
        qn_device *device = run->job->devices[i];
        QN_TRY(qn_screen_search_create(device, &run->receptor, &run->search, &pipeline->searches[i]));
        const int batch = qn_screen_search_batch(pipeline->searches[i]);
        if (i == 0) run->batch = batch;
        *jobs += 2 * (size_t)batch;
        qn_log(QN_LOG_NOTE, "%s: %d %s a batch, %d poses of each in %d %s, up to %d %s",
               qn_device_get_info(device)->identifier, batch, batch == 1 ? "conformer" : "conformers",
               run->search.poses, run->search.generations, run->search.generations == 1 ? "generation" : "generations",
               run->search.rounds, run->search.rounds == 1 ? "round" : "rounds");
    }
    return QN_OK;
}

qn_status qn_screen_pipeline_run(qn_screen_state *run)
{
    const qn_screen_sources sources = qn_screen_sources_of(run->options);
    screen_pipeline pipeline = {
        .run = run, .mutex = PTHREAD_MUTEX_INITIALIZER, .resident_bytes = qn_memory_resident_bytes()};
    size_t jobs = 0;
    qn_status status = create_searches(&pipeline, &jobs);
    if (status == QN_OK) status = qn_screen_library_open(&sources, &pipeline.library);
    if (status == QN_OK && !run->options->rigid) status = check_memory(&pipeline, jobs);
    if (status == QN_OK) {
        pipeline.finished = run->job->done.count * QN_SCREEN_PIECE;
        pipeline.started_s = qn_clock_s();
        qn_screen_queue_create(jobs, &pipeline.queue);
        qn_screen_queue_create(jobs, &pipeline.searched);
        status = run_threads(&pipeline);
        qn_screen_queue_destroy(&pipeline.searched);
        qn_screen_queue_destroy(&pipeline.queue);
    }
    for (int i = 0; i < run->job->device_count; i++) {
        if (pipeline.searches[i]) {
            run->scoring_s += qn_screen_search_scoring_seconds(pipeline.searches[i]);
            run->evolving_s += qn_screen_search_evolving_seconds(pipeline.searches[i]);
        }
        qn_screen_search_destroy(&pipeline.searches[i]);
        for (int k = 0; k < SEARCHERS_OF_A_GPU; k++) qn_flexible_searcher_destroy(&pipeline.flexible[i][k]);
    }
    qn_screen_library_close(&pipeline.library);
    pthread_mutex_destroy(&pipeline.mutex);
    /* the reader cancels itself, but not if a failure occurs before its start or after its end */
    return status == QN_OK ? QN_OK : qn_agreement_cancel(&run->job->agreement, status);
}
