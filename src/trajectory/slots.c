#define _POSIX_C_SOURCE 200809L
#include "trajectory/slots.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* ---- memory ---- */

static uint64_t memory_for_frames(const qn_trajectory_options *options)
{
    const uint64_t most = (uint64_t)1 << 30;
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
    if (options->run.memory_bytes) return options->run.memory_bytes;
    if (pages <= 0 || page_bytes <= 0) return most;
    const uint64_t share = (uint64_t)pages * (uint64_t)page_bytes / 8;
    return share < most ? share : most;
}

static bool has_own_whole(const qn_trajectory_state *run)
{
    return run->any_whole && run->any_broken;
}

/* Choose the number of slots: enough that the pool and the devices need not wait for each other, and no more than the
 * memory allows, but at least one for each thread and each device worker, and two more. */
static void count_slots(qn_slots *slots)
{
    const qn_trajectory_state *run = slots->run;
    const size_t threads = (size_t)qn_pool_threads(run->job->pool), device_workers = (size_t)slots->workers - threads;
    const size_t least = threads + device_workers + 2, most = 16 * threads + 8 * device_workers + 16;
    const uint64_t positions = (has_own_whole(run) ? 2 : 1) * 3 * sizeof(float) * (uint64_t)run->topology->atom_count;
    const uint64_t bytes = sizeof(qn_slot) + run->first_item.size + (slots->keep_positions ? positions : 0) +
                           run->partial_count * sizeof(double);
    const uint64_t fitting = memory_for_frames(run->options) / bytes;
    slots->count = fitting > most ? most : fitting < least ? least : (size_t)fitting;
    slots->block = (slots->count + 1) / 2 < 8 * threads ? (slots->count + 1) / 2 : 8 * threads;
}

static qn_status allocate_positions(const qn_trajectory_state *run, float **frame, float **whole)
{
    const size_t coordinates = 3 * run->topology->atom_count;
    void *memory;
    QN_TRY(qn_allocate(coordinates, sizeof(float), &memory));
    *frame = memory;
    if (!has_own_whole(run)) return QN_OK;
    QN_TRY(qn_allocate(coordinates, sizeof(float), &memory));
    *whole = memory;
    return QN_OK;
}

qn_status qn_slot_prepare(const qn_slots *slots, qn_slot *slot)
{
    const qn_trajectory_state *run = slots->run;
    void *memory;
    if (slot->prepared) return QN_OK;
    slot->prepared = true;
    slot->frame.atom_count = run->topology->atom_count;
    if (slots->keep_positions) QN_TRY(allocate_positions(run, &slot->frame.positions_nm, &slot->whole.positions_nm));
    QN_TRY(qn_allocate(run->partial_count, sizeof(double), &memory));
    slot->partials = memory;
    if (!run->any_geometric || !run->any_on_device) return QN_OK;
    QN_TRY(qn_allocate(run->client_count, sizeof *slot->atoms, &memory));
    slot->atoms = memory;
    return QN_OK;
}

qn_status qn_slot_borrow_room(qn_slots *slots, qn_slot *slot, int worker)
{
    if (slots->keep_positions) return QN_OK;
    qn_slot_room *room = &slots->rooms[worker];
    if (!room->positions_nm) QN_TRY(allocate_positions(slots->run, &room->positions_nm, &room->whole_nm));
    slot->frame.positions_nm = room->positions_nm;
    slot->whole.positions_nm = room->whole_nm;
    return QN_OK;
}

void qn_slot_give_back_room(const qn_slots *slots, qn_slot *slot)
{
    if (!slots->keep_positions) slot->frame.positions_nm = slot->whole.positions_nm = NULL;
}

static qn_status create_workers(qn_slots *slots)
{
    const qn_trajectory_state *run = slots->run;
    const size_t threads = (size_t)qn_pool_threads(run->job->pool);
    void *memory;
    QN_TRY(qn_allocate((size_t)slots->workers * run->client_count, sizeof *slots->scratch, &memory));
    slots->scratch = memory;
    QN_TRY(qn_allocate((size_t)slots->workers * run->client_count, sizeof *slots->seconds, &memory));
    slots->seconds = memory;
    if (!slots->keep_positions) {
        QN_TRY(qn_allocate(threads, sizeof *slots->rooms, &memory));
        slots->rooms = memory;
    }
    if (!run->any_geometric) return QN_OK;
    QN_TRY(qn_allocate(threads, sizeof *slots->selected, &memory));
    slots->selected = memory;
    for (size_t i = 0; i < threads; i++) QN_TRY(qn_selection_atoms_create(run->selections, &slots->selected[i]));
    return QN_OK;
}

qn_status qn_slots_create(const qn_trajectory_state *run, int workers, qn_slots *slots)
{
    void *memory;
    *slots = (qn_slots){.run = run, .workers = workers};
    slots->keep_positions = run->any_on_device || qn_source_fills_frames(run->source);
    count_slots(slots);
    QN_TRY(qn_allocate(slots->count, sizeof *slots->slots, &memory));
    slots->slots = memory;
    return create_workers(slots);
}

static void clear_slot(qn_slots *slots, qn_slot *slot)
{
    qn_source_let_go(slots->run->source, &slot->item);
    qn_source_item_clear(&slot->item);
    if (slot->whole.positions_nm != slot->frame.positions_nm) qn_release(&slot->whole.positions_nm);
    qn_release(&slot->frame.positions_nm);
    qn_release(&slot->partials);
    for (size_t i = 0; slot->atoms && i < slots->run->client_count; i++) {
        qn_release(&slot->atoms[i][0].indices);
        qn_release(&slot->atoms[i][1].indices);
    }
    qn_release(&slot->atoms);
}

void qn_slots_drop_scratch(qn_slots *slots, int worker)
{
    const size_t clients = slots->run->client_count;
    for (size_t i = 0; slots->scratch && i < clients; i++) {
        void **scratch = &slots->scratch[(size_t)worker * clients + i];
        if (*scratch && slots->run->clients[i].query_class->scratch_destroy)
            slots->run->clients[i].query_class->scratch_destroy(*scratch);
        *scratch = NULL;
    }
}

void qn_slots_clear(qn_slots *slots)
{
    for (size_t i = 0; slots->slots && i < slots->count; i++) clear_slot(slots, &slots->slots[i]);
    for (int i = 0; i < slots->workers; i++) qn_slots_drop_scratch(slots, i);
    for (int i = 0; slots->selected && i < qn_pool_threads(slots->run->job->pool); i++)
        qn_selection_atoms_destroy(&slots->selected[i]);
    for (int i = 0; slots->rooms && i < qn_pool_threads(slots->run->job->pool); i++) {
        qn_release(&slots->rooms[i].positions_nm);
        qn_release(&slots->rooms[i].whole_nm);
    }
    qn_release(&slots->slots);
    qn_release(&slots->rooms);
    qn_release(&slots->selected);
    qn_release(&slots->scratch);
    qn_release(&slots->seconds);
}

void qn_slots_sum_seconds(const qn_slots *slots, double *seconds)
{
    const size_t clients = slots->run->client_count;
    for (size_t i = 0; slots->seconds && i < (size_t)slots->workers * clients; i++)
        seconds[i % clients] += slots->seconds[i];
}

/* ---- frames ---- */

void qn_slot_copy_frame(const qn_trajectory_frame *from, qn_trajectory_frame *to)
{
    float *positions = to->positions_nm;
    *to = *from;
    to->positions_nm = positions;
    if (positions) memcpy(positions, from->positions_nm, 3 * from->atom_count * sizeof(float));
}

static qn_status make_whole(const qn_trajectory_state *run, qn_slot *slot)
{
    if (!run->any_whole) return QN_OK;
    if (has_own_whole(run))
        qn_slot_copy_frame(&slot->frame, &slot->whole);
    else
        slot->whole = slot->frame;
    return qn_whole_apply(run->whole_plan, &slot->whole);
}

static qn_status keep_atoms(const qn_selection_atoms *selected, int node, qn_slot_atoms *kept)
{
    const uint32_t *indices;
    size_t count;
    qn_selection_atoms_view(selected, node, &indices, &count);
    void *memory = kept->indices;
    QN_TRY(qn_grow(&memory, &kept->capacity, count, sizeof *indices));
    kept->indices = memory;
    kept->count = count;
    if (count) memcpy(kept->indices, indices, count * sizeof *indices);
    return QN_OK;
}

/* Evaluate the selections of a frame, and copy those that a device's worker will need. */
static qn_status select_atoms(qn_slots *slots, qn_slot *slot, int worker)
{
    const qn_trajectory_state *run = slots->run;
    if (!slots->selected) return QN_OK;
    QN_TRY(qn_selection_atoms_evaluate(slots->selected[worker], &slot->frame));
    for (size_t i = 0; slot->atoms && i < run->client_count; i++) {
        const qn_trajectory_client *client = &run->clients[i];
        for (int which = 0; which < 2 && client->query_class->on_device; which++)
            if (client->nodes[which] >= 0 && !client->atoms[which].fixed)
                QN_TRY(keep_atoms(slots->selected[worker], client->nodes[which], &slot->atoms[i][which]));
    }
    return QN_OK;
}

/* Measure a frame for one client; `frame` has the client's atoms. */
static qn_status measure(qn_slots *slots, qn_slot *slot, size_t place, int worker, int device, qn_query_frame *frame)
{
    const qn_trajectory_client *client = &slots->run->clients[place];
    const size_t own = (size_t)worker * slots->run->client_count + place;
    double *partial = slot->partials + client->partial_place;
    double since = qn_clock_s();
    frame->frame = client->whole ? &slot->whole : &slot->frame;
    frame->topology = slots->run->topology;
    frame->scratch = &slots->scratch[own];
    if (client->partial_count) memset(partial, 0, client->partial_count * sizeof *partial);
    qn_status status = client->query_class->measure(client->states[device], frame, partial);
    slots->seconds[own] += qn_clock_lap_s(&since);
    if (status == QN_OK) return QN_OK;
    return qn_error_add_context(status, "query %s: %s", client->name, qn_frame_name_of(&slot->frame).text);
}

qn_status qn_slot_measure(qn_slots *slots, qn_slot *slot, int worker)
{
    const qn_trajectory_state *run = slots->run;
    if (!run->options->periodic) memset(slot->frame.box_nm, 0, sizeof slot->frame.box_nm);
    QN_TRY(qn_trajectory_check_frame(run, &slot->frame));
    qn_status status = select_atoms(slots, slot, worker);
    if (status == QN_OK) status = make_whole(run, slot);
    if (status != QN_OK) return qn_error_add_context(status, "%s", qn_frame_name_of(&slot->frame).text);
    for (size_t i = 0; i < run->client_count; i++) {
        const qn_trajectory_client *client = &run->clients[i];
        qn_query_frame frame = {0};
        if (client->query_class->on_device) continue;
        for (int which = 0; which < 2; which++) {
            frame.atoms[which] = client->atoms[which].indices;
            frame.atom_count[which] = client->atoms[which].count;
            if (client->nodes[which] >= 0 && !client->atoms[which].fixed)
                qn_selection_atoms_view(slots->selected[worker], client->nodes[which], &frame.atoms[which],
                                        &frame.atom_count[which]);
        }
        QN_TRY(measure(slots, slot, i, worker, 0, &frame));
    }
    return QN_OK;
}

qn_status qn_slot_measure_on_device(qn_slots *slots, qn_slot *slot, int worker, int device, qn_queue *queue)
{
    const qn_trajectory_state *run = slots->run;
    for (size_t i = 0; i < run->client_count; i++) {
        const qn_trajectory_client *client = &run->clients[i];
        qn_query_frame frame = {.queue = queue};
        if (!client->query_class->on_device) continue;
        for (int which = 0; which < 2; which++) {
            const bool varies = client->nodes[which] >= 0 && !client->atoms[which].fixed;
            frame.atoms[which] = varies ? slot->atoms[i][which].indices : client->atoms[which].indices;
            frame.atom_count[which] = varies ? slot->atoms[i][which].count : client->atoms[which].count;
        }
        QN_TRY(measure(slots, slot, i, worker, device, &frame));
    }
    return QN_OK;
}
