#define _POSIX_C_SOURCE 200809L
#include "screen/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/molecule_input.h"
#include "screen/enrichment.h"
#include "screen/sources.h"

/* A scan over all journals, which reports each piece once. */
typedef struct journal_scanner {
    const qn_screen_scan *scan;
    qn_piece_set seen;
    bool broken_off, any_broken_off; /* whether this pass is for pieces that were broken off; whether there are any */
} journal_scanner;

static qn_status scan_record(uint64_t number, const void *data, size_t size, void *user)
{
    journal_scanner *scanner = user;
    const qn_screen_scan *scan = scanner->scan;
    qn_screen_piece piece;
    QN_TRY(qn_screen_record_read(number, data, size, &piece, NULL, NULL));
    scanner->any_broken_off |= piece.broken_off;
    if ((piece.broken_off != 0) != scanner->broken_off || qn_piece_set_has(&scanner->seen, number)) return QN_OK;
    QN_TRY(qn_piece_set_add(&scanner->seen, number));
    if (scan->piece) QN_TRY(scan->piece(&piece, scan->user));
    return scan->entry ? qn_screen_record_read(number, data, size, &piece, scan->entry, scan->user) : QN_OK;
}

qn_status qn_screen_results_scan(const qn_screen_state *run, const qn_screen_scan *scan)
{
    journal_scanner scanner = {.scan = scan};
    qn_status status = qn_job_scan(run->job, scan_record, &scanner);
    scanner.broken_off = true;
    if (status == QN_OK && scanner.any_broken_off) status = qn_job_scan(run->job, scan_record, &scanner);
    qn_release(&scanner.seen.bits);
    return status;
}

/* Two passes over the journals: the first counts, so that memory is allocated once, the second copies. */
typedef struct results_gathering {
    qn_screen_state *run;
    qn_piece_set pieces;
    uint64_t last, cut; /* highest piece; lowest piece with fewer molecules than QN_SCREEN_PIECE */
    size_t rows, rejections, text_bytes;
    bool keeps;
} results_gathering;

static qn_status gather_piece(const qn_screen_piece *piece, void *user)
{
    results_gathering *gathering = user;
    const bool resumed = qn_piece_set_has(&gathering->run->job->done, piece->number);
    if (gathering->keeps) return QN_OK;
    QN_TRY(qn_piece_set_add(&gathering->pieces, piece->number));
    if (piece->number > gathering->last) gathering->last = piece->number;
    if (piece->molecule_count != QN_SCREEN_PIECE && piece->number < gathering->cut) gathering->cut = piece->number;
    gathering->run->molecules += piece->molecule_count;
    gathering->run->interactions += piece->interactions;
    if (resumed)
        gathering->run->resumed += piece->molecule_count;
    else
        gathering->run->interactions_here += piece->interactions;
    return QN_OK;
}

static const char *keep_text(results_gathering *gathering, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *to = gathering->keeps ? gathering->run->texts + gathering->text_bytes : NULL;
    gathering->text_bytes += bytes;
    return to ? memcpy(to, text, bytes) : NULL;
}

static void keep_row(const qn_screen_entry *entry, qn_screen_row *row)
{
    const qn_screen_kept *best = entry->poses;
    row->index = entry->index;
    row->line = (size_t)entry->line;
    row->energy = best->energy;
    memcpy(row->terms, best->terms, sizeof row->terms);
    row->least_distance_angstrom = best->least_distance_angstrom;
    row->clashes = best->clashes;
    row->heavy_atoms = entry->heavy_atoms;
    row->torsion_count = entry->torsion_count;
    row->conformers = entry->conformers;
    row->conformer = best->conformer;
}

static qn_status gather_entry(const qn_screen_entry *entry, void *user)
{
    results_gathering *gathering = user;
    qn_screen_state *run = gathering->run;
    const char *name = keep_text(gathering, entry->name);
    const char *reason = entry->reason ? keep_text(gathering, entry->reason) : NULL;
    const size_t place = entry->reason ? gathering->rejections++ : gathering->rows++;
    const qn_screen_sources sources = qn_screen_sources_of(run->options);
    const char *path = qn_screen_sources_name(&sources, entry->library);
    if (!gathering->keeps) return QN_OK;
    if (entry->reason) {
        run->rejections[place] = (qn_screen_rejection){.index = entry->index,
                                                       .path = path,
                                                       .library = entry->library,
                                                       .line = (size_t)entry->line,
                                                       .name = name,
                                                       .reason = reason};
        return QN_OK;
    }
    keep_row(entry, &run->rows[place]);
    run->rows[place].name = name;
    run->rows[place].active = run->labels && qn_screen_labels_has_name(run->labels, name);
    run->rows[place].made = entry->made != NULL;
    run->rows[place].path = path;
    run->rows[place].library = entry->library;
    run->conformers += (uint64_t)entry->conformers;
    run->unsettled += (uint64_t)entry->unsettled;
    return QN_OK;
}

static int compare_rows(const void *a, const void *b)
{
    const qn_screen_row *first = a, *second = b;
    if (first->energy != second->energy) return first->energy < second->energy ? -1 : 1;
    return (first->index > second->index) - (first->index < second->index);
}

static int compare_rejections(const void *a, const void *b)
{
    const qn_screen_rejection *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

static qn_status make_room(results_gathering *gathering)
{
    qn_screen_state *run = gathering->run;
    void *memory;
    QN_TRY(qn_allocate(gathering->rows, sizeof(qn_screen_row), &memory));
    run->rows = memory;
    run->row_count = gathering->rows;
    QN_TRY(qn_allocate(gathering->rejections, sizeof(qn_screen_rejection), &memory));
    run->rejections = memory;
    run->rejection_count = gathering->rejections;
    QN_TRY(qn_allocate(gathering->text_bytes, 1, &memory));
    run->texts = memory;
    gathering->rows = gathering->rejections = gathering->text_bytes = 0;
    gathering->keeps = true;
    return QN_OK;
}

/* Incomplete results would look like complete ones. So check that there are all pieces, that all but the last have
 * QN_SCREEN_PIECE molecules, and that the number of molecules is that of the libraries. */
static qn_status check_whole(const results_gathering *gathering)
{
    const qn_screen_state *run = gathering->run;
    const qn_piece_set *pieces = &gathering->pieces;
    const char *folder = run->options->output ? run->options->output : "the run in memory";
    const uint64_t wanted = run->library_molecules ? (run->library_molecules - 1) / QN_SCREEN_PIECE + 1
                            : pieces->count        ? gathering->last + 1
                                                   : 0;
    uint64_t missing = 0;
    while (missing < wanted && qn_piece_set_has(pieces, missing)) missing++;
    if (missing < wanted)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: its journals lack piece %llu, the molecules from number %llu; expected all %llu pieces: continue "
            "with --resume",
            folder, (unsigned long long)missing, (unsigned long long)(missing * QN_SCREEN_PIECE),
            (unsigned long long)wanted);
    if (pieces->count > 0 && gathering->cut < gathering->last)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: piece %llu of its journals does not have %d molecules although others follow", folder,
                       (unsigned long long)gathering->cut, QN_SCREEN_PIECE);
    if (run->library_molecules && run->molecules != run->library_molecules)
        return QN_FAIL(QN_BAD_FORMAT, "%s: its journals have %llu %s; expected the libraries' %llu", folder,
                       (unsigned long long)run->molecules, qn_screen_molecules(run->molecules),
                       (unsigned long long)run->library_molecules);
    return QN_OK;
}

qn_status qn_screen_results_gather(qn_screen_state *run)
{
    results_gathering gathering = {.run = run, .cut = UINT64_MAX};
    const qn_screen_scan scan = {gather_piece, gather_entry, &gathering};
    qn_status status = qn_screen_results_scan(run, &scan);
    if (status == QN_OK) status = check_whole(&gathering);
    qn_release(&gathering.pieces.bits);
    QN_TRY(status);
    QN_TRY(make_room(&gathering));
    QN_TRY(qn_screen_results_scan(run, &scan));
    QN_TRY(qn_screen_find_actives(run));
    if (run->row_count) qsort(run->rows, run->row_count, sizeof *run->rows, compare_rows);
    if (run->rejection_count) qsort(run->rejections, run->rejection_count, sizeof *run->rejections, compare_rejections);
    return QN_OK;
}

void qn_screen_results_clear(qn_screen_state *run)
{
    qn_release(&run->rows);
    qn_release(&run->rejections);
    qn_release(&run->texts);
    run->row_count = run->rejection_count = 0;
}

/* ---- The key of a run: one line for each fact that results depend on. A journal with another key belongs to another
 * run. ---- */

static qn_status describe_search(const qn_screen_state *run)
{
    const qn_screen_search_options *search = &run->search;
    const double *centre = search->box_centre_angstrom, *side = search->box_side_angstrom;
    QN_TRY(qn_job_key(run->job, "box=%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", centre[0], centre[1], centre[2], side[0],
                      side[1], side[2]));
    QN_TRY(qn_job_key(run->job, "generations=%d\nposes=%d\nrounds=%d\n", search->generations, search->poses,
                      search->rounds));
    return qn_job_key(run->job, "winners=%d\nminimiser steps=%d\nseed=%llu\nexact=%d\n", search->winners,
                      search->minimiser_steps, (unsigned long long)search->seed, search->exact);
}

/* The parameters of flexible molecules. */
static qn_status describe_flexible(const qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    const double *centre = run->search.box_centre_angstrom, *side = run->search.box_side_angstrom;
    QN_TRY(qn_job_key(run->job, "flexible\ntypes=%d\nscore only=%d\nlocal only=%d\nseed=%llu\n", (int)options->types,
                      options->score_only, options->local_only, (unsigned long long)options->run.seed));
    for (size_t i = 0; i < options->flex_count; i++) QN_TRY(qn_job_key(run->job, "flex=%s\n", options->flex[i]));
    if (options->score_only || options->local_only) return QN_OK;
    QN_TRY(qn_job_key(run->job, "box=%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", centre[0], centre[1], centre[2], side[0],
                      side[1], side[2]));
    return qn_job_key(run->job, "walkers=%d\neffort=%.17g\nconfine atoms=%d\nreceptor energy=%d\n", options->walkers,
                      options->effort, options->confine_atoms, (int)options->receptor_energy);
}

static qn_status add_content(qn_job *job, const char *role, const qn_screen_content *content)
{
    qn_hash hash;
    char digest[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, content->bytes, content->size);
    qn_hash_finish(&hash, digest);
    return qn_job_input_add_memory(job, role, content->name, content->size, digest);
}

static qn_status add_receptor(qn_job *job, const qn_screen_options *options)
{
    uint64_t bytes;
    char digest[65];
    if (options->receptor) return qn_job_input_add(job, "receptor", options->receptor, QN_JOB_READ_ALL);
    qn_molecule_digest(options->receptor_molecule, &bytes, digest);
    return qn_job_input_add_memory(job, "receptor", qn_screen_receptor_name(options), bytes, digest);
}

qn_status qn_screen_make_key(qn_screen_state *run)
{
    const qn_screen_options *options = run->options;
    qn_job *job = run->job;
    QN_TRY(add_receptor(job, options));
    for (size_t i = 0; i < options->library_count; i++)
        QN_TRY(qn_job_input_add(job, "library", options->libraries[i], QN_JOB_KEY_ENDS));
    for (size_t i = 0; i < options->library_content_count; i++)
        QN_TRY(add_content(job, "library", &options->library_contents[i]));
    if (options->site) QN_TRY(qn_job_input_add(job, "site", options->site, QN_JOB_LIST_ONLY));
    if (options->site_content) QN_TRY(add_content(job, "site", options->site_content));
    if (options->actives && qn_file_exists(options->actives))
        QN_TRY(qn_job_input_add(job, "actives", options->actives, QN_JOB_LIST_ONLY));
    QN_TRY(qn_job_key(job, "score=%s\natoms=%zu, %016llx\n", options->score == QN_SCREEN_VINA ? "vina" : "bude",
                      run->receptor.atom_count, (unsigned long long)run->receptor.hash));
    QN_TRY(options->rigid ? describe_search(run) : describe_flexible(run));
    QN_TRY(qn_job_key(job, "conformers=%d\nkeep=%d\ndiversity=%.17g\npiece=%d\n", options->conformers, options->keep,
                      options->diversity_angstrom, QN_SCREEN_PIECE));
    job->device_advice = ", or exact arithmetic, in which every device gives the same bytes";
    if (run->search.exact || !options->rigid) return QN_OK; /* the same bits on every device */
    return qn_job_key_devices(job);
}
