/* Make the result that the caller of qn_screen_run gets. It owns its memory. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "screen/enrichment.h"
#include "screen/results.h"

_Static_assert((int)QN_SCREEN_FACTORS == (int)QN_ENRICHMENT_FACTORS, "a result has all enrichment factors");

/* A result with the memory that it points into. */
typedef struct owned_result {
    qn_screen_result result; /* the caller has its address */
    qn_screen_result_molecule *molecules;
    size_t *ranking;
    qn_screen_result_pose *poses;
    qn_screen_result_rejection *rejections;
    qn_screen_enrichment *enrichment;
    char *texts;
    char *page; /* of the report */
    qn_screen_hits hits;
} owned_result;

static void fill_molecule(const qn_screen_row *row, size_t place, qn_screen_result_molecule *molecule)
{
    *molecule = (qn_screen_result_molecule){.index = row->index,
                                            .rank = place + 1,
                                            .library = row->library,
                                            .line = row->line,
                                            .name = row->name,
                                            .energy = row->energy,
                                            .least_distance_angstrom = row->least_distance_angstrom,
                                            .clashes = row->clashes,
                                            .heavy_atoms = row->heavy_atoms,
                                            .conformer = row->conformer,
                                            .conformers = row->conformers,
                                            .active = row->active};
    memcpy(molecule->terms, row->terms, sizeof molecule->terms);
}

static int compare_molecules(const void *a, const void *b)
{
    const qn_screen_result_molecule *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

static qn_status add_molecules(const qn_screen_state *run, owned_result *owned)
{
    const size_t count = run->row_count;
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *owned->molecules, &memory));
    owned->molecules = memory;
    QN_TRY(qn_allocate(count, sizeof *owned->ranking, &memory));
    owned->ranking = memory;
    for (size_t place = 0; place < count; place++) fill_molecule(&run->rows[place], place, &owned->molecules[place]);
    if (count) qsort(owned->molecules, count, sizeof *owned->molecules, compare_molecules);
    for (size_t i = 0; i < count; i++) owned->ranking[owned->molecules[i].rank - 1] = i;
    owned->result.molecules = owned->molecules;
    owned->result.ranking = owned->ranking;
    owned->result.molecule_count = count;
    if (count) owned->result.best_energy = run->rows[0].energy;
    return QN_OK;
}

static qn_status add_rejections(const qn_screen_state *run, owned_result *owned)
{
    void *memory;
    QN_TRY(qn_allocate(run->rejection_count, sizeof *owned->rejections, &memory));
    owned->rejections = memory;
    for (size_t i = 0; i < run->rejection_count; i++) {
        const qn_screen_rejection *rejection = &run->rejections[i];
        owned->rejections[i] = (qn_screen_result_rejection){rejection->index, rejection->library, rejection->line,
                                                            rejection->name, rejection->reason};
    }
    owned->result.rejections = owned->rejections;
    owned->result.rejection_count = run->rejection_count;
    return QN_OK;
}

static void fill_pose(const qn_screen_hit *hit, int number, size_t molecule, qn_screen_result_pose *pose)
{
    const qn_screen_kept *kept = &hit->poses[number];
    *pose = (qn_screen_result_pose){.molecule = molecule,
                                    .number = number,
                                    .conformer = kept->conformer,
                                    .clashes = kept->clashes,
                                    .atom_count = hit->atom_count,
                                    .energy = kept->energy,
                                    .least_distance_angstrom = kept->least_distance_angstrom,
                                    .positions_angstrom = hit->positions + (size_t)number * hit->atom_count * 3,
                                    .record = hit->records[number].data};
    memcpy(pose->terms, kept->terms, sizeof pose->terms);
}

static qn_status add_poses(const qn_screen_hits *hits, owned_result *owned)
{
    size_t count = 0;
    void *memory;
    for (size_t i = 0; i < hits->count; i++) count += (size_t)hits->hits[i].pose_count;
    QN_TRY(qn_allocate(count, sizeof *owned->poses, &memory));
    owned->poses = memory;
    for (size_t i = 0; i < hits->count; i++) {
        const qn_screen_hit *hit = &hits->hits[i];
        for (int number = 0; number < hit->pose_count; number++)
            fill_pose(hit, number, owned->ranking[hit->place], &owned->poses[owned->result.pose_count++]);
    }
    owned->result.poses = owned->poses;
    return QN_OK;
}

static qn_status add_enrichment(const qn_screen_state *run, owned_result *owned)
{
    qn_enrichment measured;
    bool known;
    void *memory;
    QN_TRY(qn_screen_measure_enrichment(run, &measured, &known));
    if (!known) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof *owned->enrichment, &memory));
    owned->enrichment = memory;
    *owned->enrichment = (qn_screen_enrichment){.molecule_count = measured.count,
                                                .active_count = measured.actives,
                                                .auc = measured.auc,
                                                .auc_low = measured.auc_low,
                                                .auc_high = measured.auc_high,
                                                .bedroc = measured.bedroc};
    memcpy(owned->enrichment->shares, qn_enrichment_shares, sizeof owned->enrichment->shares);
    memcpy(owned->enrichment->factors, measured.factor, sizeof measured.factor);
    memcpy(owned->enrichment->factors_max, measured.most, sizeof measured.most);
    owned->result.enrichment = owned->enrichment;
    return QN_OK;
}

static void add_facts(const qn_screen_state *run, qn_screen_result *result)
{
    const double search_s = run->timings.search_s;
    result->energy_unit = qn_screen_energy_unit(run->score.kind);
    result->term_names = run->term_names;
    result->term_count = (size_t)run->term_count;
    result->conformer_count = run->conformers;
    result->unsettled_count = run->unsettled;
    result->resumed_count = run->resumed;
    result->far_count = run->far;
    result->interactions = run->interactions;
    result->interactions_per_s = search_s > 0 ? run->interactions_here / search_s : 0;
    result->scoring_share = qn_screen_scoring_share(run);
    result->seconds = qn_clock_s() - run->job->started_s;
    qn_job_report_path(run->job, QN_OK, result->report, sizeof result->report);
}

static qn_status fill_result(const qn_screen_state *run, owned_result *owned)
{
    add_facts(run, &owned->result);
    QN_TRY(add_molecules(run, owned));
    QN_TRY(add_rejections(run, owned));
    QN_TRY(add_poses(&run->hits, owned));
    return add_enrichment(run, owned);
}

qn_status qn_screen_result_make(qn_screen_state *run, qn_screen_result **result)
{
    void *memory;
    *result = NULL;
    QN_TRY(qn_allocate(1, sizeof(owned_result), &memory));
    owned_result *owned = memory;
    *result = &owned->result;
    const qn_status status = fill_result(run, owned);
    if (status != QN_OK) {
        qn_screen_result_destroy(result);
        return status;
    }
    owned->texts = run->texts;
    owned->hits = run->hits;
    owned->result.page = owned->page = run->page.data;
    run->texts = NULL;
    run->page = (qn_text){0};
    run->hits = (qn_screen_hits){0};
    return QN_OK;
}

void qn_screen_result_destroy(qn_screen_result **result)
{
    owned_result *owned = (owned_result *)*result;
    if (!owned) return;
    qn_release(&owned->molecules);
    qn_release(&owned->ranking);
    qn_release(&owned->poses);
    qn_release(&owned->rejections);
    qn_release(&owned->enrichment);
    qn_release(&owned->texts);
    qn_release(&owned->page);
    qn_screen_hits_clear(&owned->hits);
    qn_release(&owned);
    *result = NULL;
}
