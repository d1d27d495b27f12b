/* report.html: a summary of the screen. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/compound/compound_stream.h"
#include "report/markup.h"
#include "report/number.h"
#include "screen/depictions.h"
#include "screen/output.h"
#include "screen/output_report.h"
#include "screen/scene/diagram.h"
#include "screen/scene/pose_contacts.h"
#include "screen/scene/pose_scene.h"
#include "screen/sources.h"

enum {
    TEXT = 64,
    FACTS = 8,
    PICTURES = 30,       /* molecules drawn */
    PICTURE_ATOMS = 200, /* larger molecules are not legible, and Open Babel takes long to draw them */
    TABLE_ROWS = 500
};

void qn_screen_say_count(uint64_t count, char text[32])
{
    char plain[24];
    const int digits = snprintf(plain, sizeof plain, "%llu", (unsigned long long)count);
    size_t used = 0;
    for (int i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0 && digits > 4) text[used++] = ' ';
        text[used++] = plain[i];
    }
    text[used] = '\0';
}

static const char *say_bonds(const qn_screen_options *options, bool has_sides)
{
    if (options->score_only) return "as given";
    return has_sides ? "turn, and side chains" : "turn";
}

/* "−12.3 kJ/mol", with a minus sign instead of a hyphen. */
static void say_energy(const qn_screen_state *run, double energy, char *text, size_t size)
{
    snprintf(text, size, "%s%.1f %s", energy < 0 ? "−" : "", fabs(energy), qn_screen_energy_unit(run->score.kind));
}

static void say_speed(const qn_screen_state *run, char *text, size_t size)
{
    const double seconds = run->timings.search_s;
    const uint64_t molecules = run->row_count + run->rejection_count;
    const bool pairs = run->interactions_here > 0;
    const double done = pairs ? run->interactions_here : (double)molecules - (double)run->resumed;
    char number[QN_NUMBER_LENGTH];
    if (!(seconds > 0 && done > 0) || (!pairs && run->options->rigid)) {
        snprintf(text, size, run->resumed > 0 ? "all from an earlier run" : "–");
        return;
    }
    qn_number_read(done / seconds, 3, number);
    snprintf(text, size, "%.40s %s/s", number, pairs ? "interactions" : "molecules");
}

static qn_status add_facts(const qn_screen_state *run, qn_report *report)
{
    const bool rigid = run->options->rigid;
    const char *const labels[FACTS] = {
        "Receptor", "Molecules scored", "Rejected", rigid ? "Conformers" : "Bonds", "Best energy", "Score", "Speed",
        "Device"};
    char values[FACTS][160], count[32];
    const char *pointers[FACTS];
    const qn_device_info *info = run->job->device_count > 0 ? qn_device_get_info(run->job->devices[0]) : NULL;
    snprintf(values[0], sizeof values[0], "%.100s, %zu heavy %s", qn_screen_receptor_name(run->options),
             run->receptor.atom_count, run->receptor.atom_count == 1 ? "atom" : "atoms");
    qn_screen_say_count(run->row_count, values[1]);
    qn_screen_say_count(run->rejection_count, values[2]);
    qn_screen_say_count(run->conformers, count);
    snprintf(values[3], sizeof values[3], "%s", rigid ? count : say_bonds(run->options, run->sides.count > 0));
    if (run->row_count > 0)
        say_energy(run, run->rows[0].energy, values[4], sizeof values[4]);
    else
        snprintf(values[4], sizeof values[4], "–");
    if (run->score.kind == QN_SCORE_BUDE && run->score.force_field)
        snprintf(values[5], sizeof values[5], "BUDE, parameters of %s", run->score.force_field->name);
    else
        snprintf(values[5], sizeof values[5], "%s", run->score.kind == QN_SCORE_BUDE ? "BUDE" : "Vina");
    say_speed(run, values[6], sizeof values[6]);
    snprintf(values[7], sizeof values[7], run->job->device_count > 1 ? "%.120s and %d more" : "%.120s",
             info ? info->name : "none", run->job->device_count - 1);
    for (int i = 0; i < FACTS; i++) pointers[i] = values[i];
    return qn_report_facts(report, labels, pointers, FACTS);
}

typedef struct picture_list {
    qn_compound *compounds[PICTURES];
    size_t place[PICTURES]; /* in run->rows */
    char *svg[PICTURES];
    size_t count;
    const char *why; /* reason why there are no pictures; NULL: there are some */
} picture_list;

static void clear_pictures(picture_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        qn_compound_destroy(&list->compounds[i]);
        qn_release(&list->svg[i]);
    }
}

/* The value of a data item that holds a number from 1; 0: the record has no such item. */
static size_t item_number(const qn_compound *compound, const char *name)
{
    const char *value = qn_compound_property_value(compound, name);
    return value ? strtoul(value, NULL, 10) : 0;
}

/* Read the first pose of each of the best molecules, found by the data items for rank and pose in hits.sdf. */
static qn_status read_hits(const qn_screen_state *run, qn_compound_stream *stream, picture_list *list)
{
    qn_compound_record record = {0};
    qn_status status = QN_OK;
    const size_t most = run->row_count < PICTURES ? run->row_count : PICTURES;
    while (status == QN_OK && list->count < most) {
        qn_compound *compound = NULL;
        status = qn_compound_stream_next(stream, &record);
        if (status != QN_OK || record.size == 0) break;
        status = qn_compound_read(&record, &compound);
        if (status != QN_OK) break;
        const size_t rank = item_number(compound, "quern_rank");
        const bool wanted = rank > 0 && rank <= most && item_number(compound, "quern_pose") == 1;
        if (wanted && compound->atom_count <= PICTURE_ATOMS) {
            list->place[list->count] = rank - 1;
            list->compounds[list->count++] = compound;
        } else {
            qn_compound_destroy(&compound);
        }
        if (rank > most) break;
    }
    qn_compound_record_clear(&record);
    return status;
}

/* Take the first pose of each of the best molecules from the hits in memory, which have the records of hits.sdf. */
static qn_status take_hits(const qn_screen_state *run, picture_list *list)
{
    for (size_t i = 0; i < run->hits.count && list->count < PICTURES; i++) {
        const qn_screen_hit *hit = &run->hits.hits[i];
        qn_compound *compound;
        if (hit->pose_count == 0 || hit->place >= PICTURES) continue;
        const qn_compound_record record = {.format = QN_COMPOUND_SDF,
                                           .line = 1,
                                           .path = "hits.sdf",
                                           .text = hit->records[0].data,
                                           .size = hit->records[0].length};
        QN_TRY(qn_compound_read(&record, &compound));
        if (compound->atom_count > PICTURE_ATOMS) {
            qn_compound_destroy(&compound);
            continue;
        }
        list->place[list->count] = hit->place;
        list->compounds[list->count++] = compound;
    }
    return QN_OK;
}

static qn_status find_hits(const qn_screen_state *run, picture_list *list)
{
    qn_compound_stream *stream;
    char *path;
    if (run->job->in_memory) return take_hits(run, list);
    QN_TRY(qn_job_path(run->job, "hits.sdf", &path));
    qn_status status = QN_OK;
    if (qn_file_exists(path)) {
        status = qn_compound_stream_open(path, &stream);
        if (status == QN_OK) {
            status = read_hits(run, stream, list);
            qn_compound_stream_close(&stream);
        }
    }
    qn_release(&path);
    return status;
}

static qn_status draw_hits(const qn_screen_state *run, picture_list *list)
{
    QN_TRY(find_hits(run, list));
    return qn_screen_depict(list->compounds, list->count, list->svg, &list->why);
}

/* The name of a row, cut to at most `most` bytes at the end of a character. */
static void say_name(const qn_screen_row *row, size_t most, char text[TEXT])
{
    const char *name = row->name[0] ? row->name : "without a name";
    size_t used = 0, bytes;
    if (strlen(name) > most) most -= strlen("…");
    for (; name[used]; used += bytes) {
        bytes = qn_markup_character_bytes((const unsigned char *)name + used);
        if (bytes == 0) bytes = 1;
        if (used + bytes > most) break;
    }
    snprintf(text, TEXT, "%.*s%s", (int)used, name, name[used] ? "…" : "");
}

/* Titles and texts of the drawn molecules. */
typedef struct picture_words {
    char titles[PICTURES][TEXT], texts[PICTURES][TEXT];
} picture_words;

static void say_pictures(const qn_screen_state *run, const picture_list *list, picture_words *words)
{
    char name[TEXT];
    for (size_t i = 0; i < list->count; i++) {
        const qn_screen_row *row = &run->rows[list->place[i]];
        say_name(row, 48, name);
        snprintf(words->titles[i], TEXT, "%zu. %s", list->place[i] + 1, name);
        say_energy(run, row->energy, words->texts[i], TEXT);
        if (row->active) strcat(words->texts[i], ", active");
    }
}

static qn_status add_cards(const qn_screen_state *run, const picture_list *list, const picture_words *words,
                           qn_report *report)
{
    qn_report_card cards[PICTURES];
    for (size_t i = 0; i < list->count; i++)
        cards[i] = (qn_report_card){words->titles[i], words->texts[i], list->svg[i], run->rows[list->place[i]].active};
    return qn_report_cards(report, cards, list->count);
}

static qn_status add_poses(const qn_screen_state *run, const picture_list *list, const picture_words *words,
                           qn_report *report)
{
    qn_screen_shown_pose poses[PICTURES];
    for (size_t i = 0; i < list->count; i++)
        poses[i] = (qn_screen_shown_pose){list->compounds[i], list->place[i] + 1, words->titles[i], words->texts[i]};
    QN_TRY(qn_screen_report_scene(&run->receptor, poses, list->count, report));
    if (run->sides.count > 0 && list->count > 0)
        QN_TRY(qn_report_paragraph(report, "Side chains that turn are not shown."));
    return qn_screen_report_contacts(&run->receptor, poses, list->count, report);
}

/* Draw the hits without Open Babel. */
static qn_status draw_plainly(picture_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        qn_text svg = {0};
        qn_status status = qn_diagram_molecule_svg(list->compounds[i], &svg);
        if (status == QN_OK) status = qn_text_copy(svg.data, &list->svg[i]);
        qn_text_clear(&svg);
        QN_TRY(status);
    }
    return QN_OK;
}

static qn_status add_pictures(const qn_screen_state *run, qn_report *report)
{
    picture_list list = {.count = 0};
    picture_words words;
    qn_status status = draw_hits(run, &list);
    say_pictures(run, &list, &words);
    if (status == QN_OK) status = add_poses(run, &list, &words, report);
    if (status == QN_OK && list.why && list.count > 0)
        status = qn_report_paragraph(report,
                                     "The molecules are drawn here from their bonds, because Open Babel (`obabel`), "
                                     "which draws them with more care, %s.",
                                     list.why);
    if (status == QN_OK && list.why) status = draw_plainly(&list);
    if (status == QN_OK) status = add_cards(run, &list, &words, report);
    clear_pictures(&list);
    return status;
}

/* "steric" → "Steric", "hydrogen_bond" → "Hydrogen bond". */
static void say_term(const char *name, char text[TEXT])
{
    snprintf(text, TEXT, "%s", name);
    text[0] = (char)toupper((unsigned char)text[0]);
    for (char *at = text; *at; at++)
        if (*at == '_') *at = ' ';
}

/* Whether any molecule has more than one conformer; without any, the column of conformers is left out. */
static bool has_conformers(const qn_screen_state *run)
{
    return run->conformers > run->row_count;
}

/* The most important columns come first, because narrow displays hide the last ones. */
static void fill_row(const qn_screen_state *run, size_t place, char *texts)
{
    const qn_screen_row *row = &run->rows[place];
    size_t column = 0;
    snprintf(texts + TEXT * column++, TEXT, "%zu", place + 1);
    say_name(row, 60, texts + TEXT * column++);
    snprintf(texts + TEXT * column++, TEXT, "%.2f", row->energy);
    if (run->labels) snprintf(texts + TEXT * column++, TEXT, "%s", row->active ? "yes" : "");
    snprintf(texts + TEXT * column++, TEXT, "%.2f", row->heavy_atoms ? row->energy / row->heavy_atoms : 0);
    snprintf(texts + TEXT * column++, TEXT, "%d", row->heavy_atoms);
    snprintf(texts + TEXT * column++, TEXT, "%d", row->clashes);
    snprintf(texts + TEXT * column++, TEXT, "%.2f", row->least_distance_angstrom);
    if (has_conformers(run)) snprintf(texts + TEXT * column++, TEXT, "%d of %d", row->conformer + 1, row->conformers);
    for (int term = 0; term < run->term_count; term++)
        snprintf(texts + TEXT * column++, TEXT, "%.*f", run->score.kind == QN_SCORE_VINA ? 2 : 1, row->terms[term]);
}

enum { COLUMNS_MAX = 9 + QN_SCREEN_TERMS_MAX };

/* Get the column headers in the order of fill_row; returns the number of columns. */
static size_t fill_headers(const qn_screen_state *run, const char *energy, char terms[QN_SCREEN_TERMS_MAX][TEXT],
                           const char *headers[COLUMNS_MAX])
{
    size_t columns = 0;
    headers[columns++] = "Rank";
    headers[columns++] = "Name";
    headers[columns++] = energy;
    if (run->labels) headers[columns++] = "Active";
    headers[columns++] = "Per heavy atom";
    headers[columns++] = "Heavy atoms";
    headers[columns++] = "Clashes";
    headers[columns++] = "Nearest (Å)";
    if (has_conformers(run)) headers[columns++] = "Conformer";
    for (int term = 0; term < run->term_count; term++) {
        say_term(run->term_names[term], terms[term]);
        headers[columns++] = terms[term];
    }
    return columns;
}

static qn_status add_hit_table(const qn_screen_state *run, qn_report *report)
{
    const char *headers[COLUMNS_MAX];
    char energy[TEXT], terms[QN_SCREEN_TERMS_MAX][TEXT];
    size_t rows = qn_screen_hit_count(run);
    void *memory;
    snprintf(energy, sizeof energy, "Energy (%s)", qn_screen_energy_unit(run->score.kind));
    const size_t columns = fill_headers(run, energy, terms, headers);
    if (rows > TABLE_ROWS) rows = TABLE_ROWS;
    QN_TRY(qn_allocate(rows * columns, TEXT + sizeof(char *), &memory));
    const char **cells = memory;
    char *texts = (char *)(cells + rows * columns);
    for (size_t i = 0; i < rows; i++) fill_row(run, i, texts + i * columns * TEXT);
    for (size_t i = 0; i < rows * columns; i++) cells[i] = texts + i * TEXT;
    const qn_status status = qn_report_table(report, headers, columns, cells, rows);
    qn_release(&memory);
    return status;
}

static qn_status describe_hits(const qn_screen_state *run, size_t hits, qn_report *report)
{
    qn_text files = {0};
    qn_status status = QN_OK;
    if (!run->job->in_memory)
        status = qn_text_append(&files,
                                " `hits.sdf` has up to %d %s of each%s, which PyMOL and ChimeraX show in the receptor; "
                                "`scores.csv` has all molecules.",
                                run->options->keep, run->options->keep == 1 ? "pose" : "poses",
                                run->options->rigid ? "" : ", and `hits.pdbqt`");
    if (status == QN_OK)
        status = qn_report_paragraph(
            report,
            "The best %zu of %zu %s by the energy (%s) of their best poses; lower is better. "
            "The energy ranks the molecules of this run; it is not a measured affinity. Clashes are "
            "pairs of heavy atoms of molecule and receptor much nearer than their radii allow; nearest "
            "is the shortest distance of such a pair.%s",
            hits, run->row_count, qn_screen_molecules(run->row_count), qn_screen_energy_unit(run->score.kind),
            files.data ? files.data : "");
    qn_text_clear(&files);
    return status;
}

static qn_status add_hits(const qn_screen_state *run, qn_report *report)
{
    const size_t hits = qn_screen_hit_count(run);
    QN_TRY(qn_report_heading(report, "Hits"));
    if (hits == 0) return qn_report_warning(report, "No molecule could be scored.");
    QN_TRY(describe_hits(run, hits, report));
    QN_TRY(add_pictures(run, report));
    QN_TRY(add_hit_table(run, report));
    if (hits > TABLE_ROWS) return qn_report_paragraph(report, "The table has the first %d.", TABLE_ROWS);
    return QN_OK;
}

static qn_status add_run(const qn_screen_state *run, qn_report *report)
{
    const qn_screen_search_options *search = &run->search;
    const double *centre = search->box_centre_angstrom, *side = search->box_side_angstrom;
    char resumed[32];
    QN_TRY(qn_report_heading(report, "Run"));
    if (!run->options->rigid)
        QN_TRY(qn_report_paragraph(report, "The bonds of each molecule turned%s. %s",
                                   run->sides.count == 0 ? ""
                                   : run->job->in_memory ? ", and those of side chains of the receptor"
                                                         : ", and those of side chains of the receptor, whose poses "
                                                           "are in `hits.pdbqt`",
                                   !run->options->score_only && !run->options->local_only
                                       ? "Chains of random steps, each minimised on maps, searched the box; the best "
                                         "poses were minimised with exact energies."
                                   : run->options->score_only
                                       ? "The poses of the library were scored as they are."
                                       : "The energy was minimised from the poses of the library."));
    else
        QN_TRY(qn_report_paragraph(
            report,
            "The centre of each molecule was kept in a box of %.1f × %.1f × %.1f Å about (%.2f, %.2f, %.2f). Each "
            "conformer was searched in up to %d %s of %d %s of %d poses, and its best %d poses were minimised. Seed "
            "%llu%s%s.",
            side[0], side[1], side[2], centre[0], centre[1], centre[2], search->rounds,
            search->rounds == 1 ? "round" : "rounds", search->generations,
            search->generations == 1 ? "generation" : "generations", search->poses, search->winners,
            (unsigned long long)search->seed, search->exact ? ", exact arithmetic" : "",
            search->cull ? "" : ", all pairs of atoms"));
    qn_screen_say_count(run->resumed, resumed);
    if (run->resumed > 0)
        QN_TRY(qn_report_paragraph(report, "%s %s taken from an earlier run that was %sfinished.", resumed,
                                   run->resumed == 1 ? "molecule was" : "molecules were",
                                   run->job->found.state == QN_OUTPUT_FINISHED ? "" : "not "));
    const int ranks = qn_ranks_count(run->job->ranks), threads = qn_context_threads(run->job->context);
    const char *const how_many = ranks == 1 ? "process with" : "processes, each with";
    return qn_report_paragraph(report, "Quern %s, %d %s %d %s, %.1f s in all (search %.1f s).%s", QN_VERSION, ranks,
                               how_many, threads, threads == 1 ? "thread" : "threads", run->timings.total_s,
                               run->timings.search_s, run->job->in_memory ? "" : " `run.json` holds every option.");
}

static qn_status fill_report(const qn_screen_state *run, qn_report *report)
{
    const char *damage = qn_screen_damage(run);
    if (damage)
        QN_TRY(qn_report_warning(report, "The library was not read to its end, so molecules are missing here: %s.",
                                 damage));
    QN_TRY(qn_job_report_warnings(run->job, report));
    QN_TRY(add_facts(run, report));
    QN_TRY(add_hits(run, report));
    QN_TRY(qn_screen_report_enrichment(run, report));
    QN_TRY(qn_screen_report_scores(run, report));
    QN_TRY(qn_screen_report_rejections(run, report));
    return add_run(run, report);
}

qn_status qn_screen_report_page(const qn_screen_state *run, qn_text *page)
{
    qn_report *report;
    qn_text title = {0};
    const qn_screen_options *options = run->options;
    const qn_screen_sources sources = qn_screen_sources_of(options);
    qn_status status =
        qn_text_append(&title, "%s screened with %s", qn_screen_receptor_name(options),
                       sources.count > 0 ? qn_path_name(qn_screen_sources_name(&sources, 0)) : "nothing");
    if (status == QN_OK && sources.count > 1) status = qn_text_append(&title, " and %zu more", sources.count - 1);
    if (status == QN_OK) status = qn_report_create(title.data, &report);
    qn_text_clear(&title);
    QN_TRY(status);
    status = fill_report(run, report);
    if (status == QN_OK) status = qn_job_report_kernels(run->job, report);
    if (status == QN_OK) status = qn_report_page(report, page);
    qn_report_destroy(&report);
    return status;
}

qn_status qn_screen_write_report(const qn_screen_state *run)
{
    qn_text page = {0};
    char *path = NULL;
    qn_status status = qn_screen_report_page(run, &page);
    if (status == QN_OK) status = qn_job_path(run->job, "report.html", &path);
    if (status == QN_OK) status = qn_file_write(path, page.data, page.length);
    qn_release(&path);
    qn_text_clear(&page);
    return status;
}
