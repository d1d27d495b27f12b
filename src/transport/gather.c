/* From records to files: each passage's own files are written when its record is read, and its summary is kept.
 * Threads share the passages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/residue_text.h"
#include "score/vina.h"
#include "transport/run.h"

double qn_passage_energy(const qn_flexible_tree *tree, double unbound, const qn_disc_pose *pose)
{
    return (pose->inter + pose->intra - unbound) / (1 + QN_VINA_TORSION * tree->torsion_count);
}

/* ---- the order of travel ---- */

static void reverse_poses(qn_disc_pose *poses, int count, int disc_count)
{
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        const qn_disc_pose pose = poses[i];
        poses[i] = poses[j];
        poses[j] = pose;
    }
    for (int i = 0; i < count; i++) poses[i].disc = disc_count - 1 - poses[i].disc;
}

/* ---- summaries ---- */

static void clear_summary(qn_passage_summary *summary)
{
    qn_release(&summary->distances);
    qn_release(&summary->resisting);
    qn_release(&summary->profile_svg);
    qn_release(&summary->views_svg);
    qn_release(&summary->folder);
}

/* The lowest internal energy goes with the lowest energy of all poses, as in Vina. */
static double find_unbound(const qn_passage *passage)
{
    double least = INFINITY, unbound = 0;
    for (int list = 0; list < 2; list++) {
        const qn_disc_pose *poses = list == 0 ? passage->lower : passage->way;
        const int count = list == 0 ? (passage->lower ? passage->disc_count : 0) : passage->way_count;
        for (int i = 0; i < count; i++) {
            if (qn_disc_pose_energy(&poses[i]) >= least) continue;
            least = qn_disc_pose_energy(&poses[i]);
            unbound = poses[i].intra;
        }
    }
    return unbound;
}

static void fill_energies(const qn_flexible_tree *tree, const qn_passage *passage, double unbound,
                          qn_passage_summary *summary)
{
    for (size_t i = 0; i < summary->disc_count; i++) {
        summary->lower[i] = passage->lower ? qn_passage_energy(tree, unbound, &passage->lower[i]) : NAN;
        summary->upper_least[i] = summary->upper_most[i] = NAN;
    }
    for (int i = 0; i < passage->way_count; i++) {
        const int disc = passage->way[i].disc;
        const double energy = qn_passage_energy(tree, unbound, &passage->way[i]);
        summary->upper_least[disc] = fmin(summary->upper_least[disc], energy);
        summary->upper_most[disc] = fmax(summary->upper_most[disc], energy);
    }
}

static size_t highest_of(const double *profile, size_t count)
{
    size_t highest = 0;
    for (size_t i = 1; i < count; i++)
        if (profile[i] > profile[highest]) highest = i;
    return highest;
}

/* The energies of the profile: highest, at the mouth, and lowest between the highest and the inner end. A ligand that
 * stays at an end finds the lowest pose there, which a way that only passes need not: ends are of the lower bound. */
static void sum_up(const qn_transport_state *run, bool has_way, qn_passage_summary *summary)
{
    const double *most = has_way ? summary->upper_most : summary->lower;
    const double *least = isnan(summary->lower[0]) ? summary->upper_least : summary->lower;
    const size_t last = summary->disc_count - 1;
    const size_t highest = summary->highest_disc = highest_of(most, summary->disc_count);
    summary->highest = most[highest];
    summary->surface = least[run->inwards ? 0 : last];
    summary->bound = NAN; /* which fmin passes over */
    for (size_t i = run->inwards ? highest : 0; i <= (run->inwards ? last : highest); i++)
        summary->bound = fmin(summary->bound, least[i]);
    summary->gap = has_way ? summary->highest - summary->lower[highest_of(summary->lower, summary->disc_count)] : NAN;
}

static qn_status summarise(const qn_transport_state *run, const qn_passage *passage, const qn_discs *discs,
                           double unbound, qn_passage_summary *summary)
{
    const size_t count = summary->disc_count = (size_t)discs->count;
    QN_TRY(qn_allocate(5 * count, sizeof(double), (void **)&summary->distances));
    summary->radii = summary->distances + count;
    summary->lower = summary->radii + count;
    summary->upper_least = summary->lower + count;
    summary->upper_most = summary->upper_least + count;
    qn_discs_distances(discs, summary->distances);
    for (size_t i = 0; i < count; i++) summary->radii[i] = discs->discs[i].radius;
    fill_energies(&run->reader.tree, passage, unbound, summary);
    summary->has_way = passage->way_count > 0;
    sum_up(run, summary->has_way, summary);
    return QN_OK;
}

/* Files of several passages lie in a folder each. */
static qn_status name_folder(const qn_transport_state *run, qn_passage_summary *summary)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    qn_text text = {0};
    QN_TRY(qn_transport_pieces(run) == 1
               ? qn_text_append(&text, "%s", "")
               : qn_text_append(&text, "%s/%s/%s/", inputs.snapshot->name, inputs.tunnel->name, inputs.ligand->name));
    summary->folder = text.data;
    return QN_OK;
}

/* ---- the highest place ---- */

static const qn_disc_pose *highest_pose(const qn_passage *passage, const qn_passage_summary *summary)
{
    const int disc = (int)summary->highest_disc;
    const qn_disc_pose *highest = passage->way_count > 0 ? NULL : &passage->lower[disc];
    for (int i = 0; i < passage->way_count; i++)
        if (passage->way[i].disc == disc &&
            (!highest || qn_disc_pose_energy(&passage->way[i]) > qn_disc_pose_energy(highest)))
            highest = &passage->way[i];
    return highest;
}

static qn_status name_resisting(const qn_passage_reader *reader, const qn_bottleneck_residue *residues, size_t count,
                                char **names)
{
    enum { NAMED = 3 };
    qn_text text = {0};
    QN_TRY(qn_text_append(&text, "%s", ""));
    for (size_t i = 0; i < count && i < NAMED; i++)
        QN_TRY(qn_text_append(&text, "%s%s", i ? " " : "",
                              qn_residue_label(&reader->receptor.molecule->residues[residues[i].residue]).text));
    *names = text.data;
    return QN_OK;
}

static qn_status look_at_highest(qn_transport_state *run, const qn_passage *passage, qn_passage_summary *summary)
{
    const qn_passage_reader *reader = &run->reader;
    const qn_disc_pose *pose = highest_pose(passage, summary);
    qn_bottleneck_residue *residues;
    qn_flexible_energy energy;
    size_t count;
    qn_flexible_evaluate(&reader->tree, reader->sorted, &pose->pose, QN_FLEXIBLE_HARD, &energy, NULL);
    summary->terms = energy.inter;
    summary->intra = pose->intra;
    QN_TRY(qn_transport_find_bottleneck(reader, pose, &residues, &count));
    qn_status status = name_resisting(reader, residues, count, &summary->resisting);
    if (status == QN_OK && !run->job->in_memory) status = qn_transport_write_bottleneck(run, summary, residues, count);
    qn_release(&residues);
    return status;
}

/* ---- for the report ---- */

/* The band of a piece's ligand and tunnel; NULL: it has none. */
static qn_passage_band *band_of(qn_transport_state *run, uint64_t piece)
{
    const uint64_t column = piece % (run->tunnel_count * run->ligand_count);
    return run->snapshot_count > 1 && column < QN_TRANSPORT_BANDS ? &run->bands[column] : NULL;
}

static qn_status begin_band(const qn_passage_summary *summary, qn_passage_band *band)
{
    QN_TRY(qn_allocate(4 * summary->disc_count, sizeof(double), (void **)&band->distances));
    band->disc_count = summary->disc_count;
    band->least = band->distances + band->disc_count;
    band->most = band->least + band->disc_count;
    band->sum = band->most + band->disc_count;
    memcpy(band->distances, summary->distances, band->disc_count * sizeof(double));
    for (size_t i = 0; i < band->disc_count; i++) band->least[i] = INFINITY, band->most[i] = -INFINITY;
    return QN_OK;
}

/* Receptors where the tunnel has another number of discs, because its mouth is elsewhere, are left out. */
static qn_status add_to_band(qn_transport_state *run, const qn_passage_summary *summary)
{
    qn_passage_band *band = band_of(run, summary->piece);
    const double *energies = summary->has_way ? summary->upper_most : summary->lower;
    if (!band || isnan(energies[0])) return QN_OK;
    if (band->disc_count == 0) QN_TRY(begin_band(summary, band));
    if (band->disc_count != summary->disc_count) return QN_OK;
    for (size_t i = 0; i < band->disc_count; i++) {
        band->least[i] = fmin(band->least[i], energies[i]);
        band->most[i] = fmax(band->most[i], energies[i]);
        band->sum[i] += energies[i];
    }
    band->count++;
    return QN_OK;
}

static qn_status draw(qn_transport_state *run, const qn_passage *passage, const qn_discs *discs,
                      qn_passage_summary *summary)
{
    const bool is_upper = passage->way_count > 0;
    if (run->job->in_memory) return QN_OK;
    if (summary->piece < QN_TRANSPORT_PROFILES)
        QN_TRY(qn_transport_draw_profile(run, summary, discs, &summary->profile_svg));
    if (summary->piece % run->ligand_count != 0 || summary->piece / run->ligand_count >= run->tunnel_count ||
        summary->piece / run->ligand_count >= QN_TRANSPORT_VIEWS)
        return QN_OK;
    return qn_transport_draw_views(run, discs, is_upper ? passage->way : passage->lower,
                                   is_upper ? passage->way_count : passage->disc_count, &summary->views_svg);
}

static qn_status write_files(qn_transport_state *run, const qn_passage *passage, const qn_discs *discs, double unbound,
                             const qn_passage_summary *summary)
{
    if (run->job->in_memory) return QN_OK;
    QN_TRY(qn_transport_write_profile(run, summary, discs));
    if (passage->lower)
        QN_TRY(qn_transport_write_poses(run, summary, "lower", passage->lower, passage->disc_count, unbound));
    if (passage->way_count == 0) return QN_OK;
    return qn_transport_write_poses(run, summary, "upper", passage->way, passage->way_count, unbound);
}

static qn_status take_passage(qn_transport_state *run, qn_passage *passage, qn_passage_summary *summary)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    const double unbound = find_unbound(passage);
    qn_discs discs;
    QN_TRY(qn_transport_discs(run, inputs.snapshot->path, &run->reader.receptor, inputs.tunnel, &discs));
    qn_status status = discs.count == passage->disc_count
                           ? QN_OK
                           : QN_FAIL(QN_BAD_FORMAT,
                                     "a record of %d discs does not belong to a tunnel of %d; expected a "
                                     "journal of this version",
                                     passage->disc_count, discs.count);
    if (!run->inwards) {
        qn_discs_reverse(&discs);
        if (passage->lower) reverse_poses(passage->lower, passage->disc_count, discs.count);
        reverse_poses(passage->way, passage->way_count, discs.count);
    }
    if (status == QN_OK) status = name_folder(run, summary);
    if (status == QN_OK) status = summarise(run, passage, &discs, unbound, summary);
    if (status == QN_OK) status = look_at_highest(run, passage, summary);
    if (status == QN_OK) status = write_files(run, passage, &discs, unbound, summary);
    if (status == QN_OK) status = draw(run, passage, &discs, summary);
    if (!run->job->in_memory && summary->piece >= QN_TRANSPORT_KEPT && !band_of(run, summary->piece))
        qn_release(&summary->distances);
    qn_discs_release(&discs);
    return status;
}

/* ---- records, some at a time, by all threads ---- */

enum { RECORDS_A_LANE = 16 };

typedef struct kept_record {
    uint64_t piece;
    void *data;
    size_t size;
} kept_record;

typedef struct gathering {
    qn_transport_state *run;
    int lane_count;
    qn_transport_state *lanes; /* copies of the run with readers of their own */
    kept_record *records;
    size_t count, most;
    size_t first; /* summary of the first of these records */
} gathering;

static qn_status take_record(qn_transport_state *lane, const kept_record *record, qn_passage_summary *summary)
{
    qn_passage passage = {0};
    *summary = (qn_passage_summary){.piece = record->piece};
    QN_TRY(qn_passage_reader_go(lane, record->piece));
    qn_status status = qn_passage_read(lane, record->data, record->size, &passage);
    if (status == QN_OK) status = take_passage(lane, &passage, summary);
    qn_passage_clear(&passage);
    return status;
}

static qn_status take_share(size_t index, int worker, void *user)
{
    const gathering *all = user;
    const size_t lanes = (size_t)all->lane_count;
    (void)worker;
    for (size_t i = all->count * index / lanes; i < all->count * (index + 1) / lanes; i++)
        QN_TRY(take_record(&all->lanes[index], &all->records[i], &all->run->passages[all->first + i]));
    return QN_OK;
}

static int compare_records(const void *left, const void *right)
{
    const uint64_t one = ((const kept_record *)left)->piece, other = ((const kept_record *)right)->piece;
    return one < other ? -1 : one > other;
}

static void drop_records(gathering *all)
{
    for (size_t i = 0; i < all->count; i++) qn_release(&all->records[i].data);
    all->count = 0;
}

/* Write the files of the passages whose records are kept. Neighbours, which share receptors, go to one thread. */
static qn_status take_records(gathering *all)
{
    qn_transport_state *run = all->run;
    void *memory = run->passages;
    all->first = run->passage_count;
    qn_status status = qn_grow(&memory, &run->passage_capacity, all->first + all->count, sizeof *run->passages);
    run->passages = memory;
    QN_TRY(status);
    memset(run->passages + all->first, 0, all->count * sizeof *run->passages);
    run->passage_count += all->count;
    if (all->count > 0) qsort(all->records, all->count, sizeof *all->records, compare_records);
    status = qn_pool_run(run->job->pool, (size_t)all->lane_count, take_share, all);
    drop_records(all);
    return status;
}

static qn_status keep_record(uint64_t piece, const void *data, size_t size, void *user)
{
    gathering *all = user;
    kept_record *record = &all->records[all->count];
    if (piece >= qn_transport_pieces(all->run))
        return QN_FAIL(QN_BAD_FORMAT, "a record is of passage %llu; expected a journal of this version",
                       (unsigned long long)piece);
    QN_TRY(qn_allocate(1, size, &record->data));
    memcpy(record->data, data, size);
    record->piece = piece;
    record->size = size;
    return ++all->count < all->most ? QN_OK : take_records(all);
}

/* The first lane has the reader of the run. */
static qn_status take_all(gathering *all)
{
    QN_TRY(qn_allocate(all->most, sizeof *all->records, (void **)&all->records));
    QN_TRY(qn_allocate((size_t)all->lane_count, sizeof *all->lanes, (void **)&all->lanes));
    for (int i = 0; i < all->lane_count; i++) {
        all->lanes[i] = *all->run;
        if (i > 0) all->lanes[i].reader = (qn_passage_reader){0};
    }
    const qn_status status = qn_job_scan(all->run->job, keep_record, all);
    return status == QN_OK ? take_records(all) : status;
}

static qn_status take_journals(qn_transport_state *run)
{
    const int threads = qn_pool_threads(run->job->pool);
    gathering all = {.run = run, .lane_count = qn_transport_pieces(run) < 2 * (uint64_t)threads ? 1 : threads};
    all.most = RECORDS_A_LANE * (size_t)all.lane_count;
    const qn_status status = take_all(&all);
    if (all.lanes) run->reader = all.lanes[0].reader;
    for (int i = 1; i < all.lane_count && all.lanes; i++) qn_passage_reader_clear(&all.lanes[i].reader);
    drop_records(&all);
    qn_release(&all.records);
    qn_release(&all.lanes);
    return status;
}

/* ---- all together ---- */

static int compare_pieces(const void *left, const void *right)
{
    const uint64_t one = ((const qn_passage_summary *)left)->piece, other = ((const qn_passage_summary *)right)->piece;
    return one < other ? -1 : one > other;
}

static qn_status warn_of_no_way(const qn_transport_state *run, const qn_passage_summary *summary)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, summary->piece);
    if (run->options->bound == QN_TRANSPORT_LOWER || summary->has_way) return QN_OK;
    return qn_job_warn(
        run->job, "%s through %s of %s: no way in steps of %g Å was found; --continuity or --poses may be larger",
        inputs.ligand->name, inputs.tunnel->name, inputs.snapshot->name, run->options->continuity_angstrom);
}

qn_status qn_transport_gather(qn_transport_state *run)
{
    QN_TRY(take_journals(run));
    if (run->passage_count != qn_transport_pieces(run))
        return QN_FAIL(QN_INTERNAL, "%zu passages were recorded; expected %llu", run->passage_count,
                       (unsigned long long)qn_transport_pieces(run));
    qsort(run->passages, run->passage_count, sizeof *run->passages, compare_pieces);
    for (size_t i = 0; i < run->passage_count; i++) {
        QN_TRY(warn_of_no_way(run, &run->passages[i]));
        if (!run->job->in_memory) QN_TRY(add_to_band(run, &run->passages[i]));
    }
    return QN_OK;
}

void qn_transport_clear_passages(qn_transport_state *run)
{
    for (size_t i = 0; i < run->passage_count; i++) clear_summary(&run->passages[i]);
    for (size_t i = 0; i < QN_TRANSPORT_BANDS; i++) qn_release(&run->bands[i].distances);
    qn_release(&run->passages);
    run->passage_count = 0;
}
