#define _POSIX_C_SOURCE 200809L
/* Reading receptors, tunnels and ligands. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "job/input.h"
#include "score/ligand.h"
#include "transport/run.h"

/* Add a zeroed item to a list of the state. */
static qn_status add_item(void *list, size_t *count, size_t *capacity, size_t size, void **item)
{
    void **items = list, *memory = *items;
    const qn_status status = qn_grow(&memory, capacity, *count + 1, size);
    *items = memory;
    QN_TRY(status);
    *item = memset((char *)memory + *count * size, 0, size);
    ++*count;
    return QN_OK;
}

/* ---- names, of which the names of files are made ---- */

/* The name of a file without its folder, its ending and that of gzip. */
static qn_status name_of_file(const char *path, char **name)
{
    char *file;
    QN_TRY(qn_input_file(path, &file));
    const qn_status status = qn_text_copy(qn_path_name(file), name);
    qn_release(&file);
    QN_TRY(status);
    if (qn_text_ends_in(*name, ".gz")) (*name)[strlen(*name) - 3] = '\0';
    char *ending = strrchr(*name, '.');
    if (ending && ending != *name) *ending = '\0';
    return QN_OK;
}

/* Replace characters that names of files should not have. */
static void tidy(char *name)
{
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-+", *c)) *c = '_';
    if (name[0] == '.') name[0] = '_';
}

/* Shorten a title that is too long for the name of a file. Eight digits of its SHA-256 keep titles apart that begin
 * alike. */
static void shorten(char *name)
{
    enum { LETTERS = 100, DIGITS = 8 };
    const size_t length = strlen(name);
    qn_hash hash;
    char digest[65];
    if (length <= LETTERS) return;
    qn_hash_start(&hash);
    qn_hash_add(&hash, name, length);
    qn_hash_finish(&hash, digest);
    snprintf(name + LETTERS - DIGITS - 1, DIGITS + 2, "_%.*s", DIGITS, digest);
}

typedef struct named {
    const char *name, *path;
} named;

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const named *)left)->name, ((const named *)right)->name);
}

/* Refuse two of one name, whose files would be the same. */
static qn_status check_names(named *items, size_t count, const char *kind)
{
    if (count > 1) qsort(items, count, sizeof *items, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(items[i - 1].name, items[i].name) == 0)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "two %s have the name \"%s\" (%s, %s); expected different names, since files are named after "
                "them",
                kind, items[i].name, items[i - 1].path, items[i].path);
    return QN_OK;
}

static qn_status check_all_names(const qn_transport_state *run)
{
    size_t most = run->snapshot_count;
    named *items;
    if (run->tunnel_count > most) most = run->tunnel_count;
    if (run->ligand_count > most) most = run->ligand_count;
    QN_TRY(qn_allocate(most, sizeof *items, (void **)&items));
    for (size_t i = 0; i < run->snapshot_count; i++) items[i] = (named){run->snapshots[i].name, run->snapshots[i].path};
    qn_status status = check_names(items, run->snapshot_count, "receptors");
    for (size_t i = 0; i < run->tunnel_count; i++) items[i] = (named){run->tunnels[i].name, run->tunnels[i].path};
    if (status == QN_OK) status = check_names(items, run->tunnel_count, "tunnels");
    for (size_t i = 0; i < run->ligand_count; i++) items[i] = (named){run->ligands[i].name, run->ligands[i].path};
    if (status == QN_OK) status = check_names(items, run->ligand_count, "ligands");
    qn_release(&items);
    return status;
}

/* ---- receptors ---- */

static qn_status read_receptor(qn_transport_state *run, const char *path)
{
    qn_snapshot *snapshot;
    qn_score_receptor receptor;
    QN_TRY(
        add_item(&run->snapshots, &run->snapshot_count, &run->snapshot_capacity, sizeof *snapshot, (void **)&snapshot));
    snapshot->path = path;
    QN_TRY(name_of_file(path, &snapshot->name));
    tidy(snapshot->name);
    QN_TRY(qn_transport_read_receptor(run, path, &receptor));
    const qn_status status = qn_transport_check_placement(run, path, &receptor);
    qn_score_receptor_clear(&receptor);
    QN_TRY(status);
    return qn_job_input_add(run->job, "receptor", path, QN_JOB_READ_ALL);
}

/* ---- ligands ---- */

/* A ligand that cannot be used is left out, with a warning. */
static qn_status reject(qn_transport_state *run, const char *path, const qn_compound_record *record)
{
    qn_ligand_rejection *rejection;
    char *reason;
    QN_TRY(qn_text_copy(qn_error_message(), &reason));
    qn_error_clear();
    const qn_status status = add_item(&run->rejections, &run->rejection_count, &run->rejection_capacity,
                                      sizeof *rejection, (void **)&rejection);
    if (status != QN_OK) {
        qn_release(&reason);
        return status;
    }
    *rejection = (qn_ligand_rejection){path, record->line, reason};
    return qn_job_warn(run->job, "%s:%zu: a ligand is left out: %s", path, record->line, reason);
}

/* Name a ligand by its title, or else by its file, with its number in a file of several. */
static qn_status name_ligand(const qn_compound_record *record, const char *path, const char *title, qn_ligand *ligand)
{
    qn_text text = {0};
    char *stem;
    if (title && title[0]) {
        QN_TRY(qn_text_copy(title, &ligand->name));
    } else {
        QN_TRY(name_of_file(path, &stem));
        const qn_status status = record->index == 0
                                     ? qn_text_append(&text, "%s", stem)
                                     : qn_text_append(&text, "%s_%llu", stem, (unsigned long long)record->index + 1);
        qn_release(&stem);
        QN_TRY(status);
        ligand->name = text.data;
    }
    tidy(ligand->name);
    shorten(ligand->name);
    return QN_OK;
}

static qn_status add_ligand(qn_transport_state *run, const char *path, const qn_compound_record *record,
                            const char *title)
{
    qn_ligand *ligand;
    QN_TRY(add_item(&run->ligands, &run->ligand_count, &run->ligand_capacity, sizeof *ligand, (void **)&ligand));
    ligand->path = path;
    ligand->record = record->index;
    return name_ligand(record, path, title, ligand);
}

static qn_status read_ligand(qn_transport_state *run, const char *path, const qn_compound_record *record)
{
    qn_compound *compound = NULL;
    qn_flexible_tree tree = {0};
    qn_status status = qn_transport_prepare_ligand(run, record, &compound, &tree);
    const bool is_usable = status == QN_OK;
    const char *left_out = is_usable ? qn_compound_property_value(compound, QN_LIGAND_LEFT_OUT) : NULL;
    if (left_out)
        status = qn_job_warn(run->job, "%s:%zu: a ligand in pieces: %s left out; expected one molecule", path,
                             record->line, left_out);
    if (is_usable && status == QN_OK) status = add_ligand(run, path, record, compound->name);
    if (is_usable && tree.atom_count > run->most_atoms) run->most_atoms = tree.atom_count;
    if (is_usable && tree.piece_count - 1 > run->most_torsions) run->most_torsions = tree.piece_count - 1;
    qn_compound_destroy(&compound);
    qn_flexible_tree_clear(&tree);
    const bool is_rejected =
        status == QN_BAD_FORMAT || status == QN_UNSUPPORTED || (status == QN_INVALID_ARGUMENT && record->index > 0);
    return !is_usable && is_rejected ? reject(run, path, record) : status;
}

static qn_status read_records(qn_transport_state *run, const char *path, qn_compound_stream *stream)
{
    qn_compound_record record = {0};
    qn_status status = qn_compound_stream_next(stream, &record);
    while (status == QN_OK && record.size > 0) {
        status = read_ligand(run, path, &record);
        if (status == QN_OK) status = qn_compound_stream_next(stream, &record);
    }
    qn_compound_record_clear(&record);
    return status;
}

static qn_status read_ligands(qn_transport_state *run, const char *path)
{
    qn_compound_stream *stream;
    QN_TRY(qn_compound_stream_open(path, &stream));
    const qn_status status = read_records(run, path, stream);
    qn_compound_stream_close(&stream);
    QN_TRY(status);
    return qn_job_input_add(run->job, "ligand", path, QN_JOB_READ_ALL);
}

/* ---- telling receptors and ligands apart ---- */

static bool has_root(const char *text)
{
    for (const char *at = text ? strstr(text, "ROOT") : NULL; at; at = strstr(at + 1, "ROOT"))
        if (at == text || at[-1] == '\n') return true;
    return false;
}

/* A PDBQT with ROOT, and every file of molecules that is no PDBQT, holds ligands. Libraries may be large: the first
 * record tells. */
static qn_status is_ligand(const char *path, bool *ligand)
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    *ligand = false;
    if (strcmp(path, "-") == 0)
        return QN_FAIL(QN_UNSUPPORTED, "inputs cannot be standard input, since they are read twice; expected files");
    if (!qn_file_exists(path)) return QN_OK; /* with chains, or missing, which the reader of receptors tells */
    qn_status status = qn_compound_stream_open(path, &stream);
    if (status == QN_OK) {
        status = qn_compound_stream_next(stream, &record);
        *ligand = status == QN_OK && (record.format != QN_COMPOUND_PDBQT || has_root(record.text));
        qn_compound_stream_close(&stream);
    }
    qn_compound_record_clear(&record);
    if (status == QN_BAD_FORMAT) qn_error_clear();
    return status == QN_BAD_FORMAT ? QN_OK : status;
}

static qn_status read_molecules(qn_transport_state *run)
{
    const qn_transport_options *options = run->options;
    for (size_t i = 0; i < options->input_count; i++) {
        bool ligand;
        QN_TRY(is_ligand(options->inputs[i], &ligand));
        QN_TRY(ligand ? read_ligands(run, options->inputs[i]) : read_receptor(run, options->inputs[i]));
    }
    if (run->snapshot_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "all inputs are ligands; expected a receptor (PDB, mmCIF or PDBQT), too");
    if (run->ligand_count == 0 && run->rejection_count > 0)
        return QN_FAIL(QN_BAD_FORMAT, "no ligand can be used; the first because: %s", run->rejections[0].reason);
    if (run->ligand_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "all inputs are receptors; expected a ligand (SDF, MOL2, or a PDBQT with ROOT), too");
    return QN_OK;
}

/* ---- tunnels ---- */

static qn_status read_tunnel(qn_transport_state *run, const char *path)
{
    qn_tunnel_input *tunnel;
    qn_tunnel_file file;
    QN_TRY(add_item(&run->tunnels, &run->tunnel_count, &run->tunnel_capacity, sizeof *tunnel, (void **)&tunnel));
    QN_TRY(qn_text_copy(path, &tunnel->path));
    QN_TRY(name_of_file(path, &tunnel->name));
    tidy(tunnel->name);
    QN_TRY(qn_tunnel_file_read(path, &file));
    const qn_status status = file.disc_count > 0 ? qn_discs_from_file(file.discs, file.disc_count, &tunnel->discs)
                                                 : qn_discs_from_spheres(file.spheres, file.sphere_count,
                                                                         run->options->delta_angstrom, &tunnel->discs);
    qn_tunnel_file_release(&file);
    if (status != QN_OK) return qn_error_add_context(status, "%s", path);
    return qn_job_input_add(run->job, "tunnel", path, QN_JOB_READ_ALL);
}

static int compare_entries(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static int is_discs(const struct dirent *entry)
{
    return qn_text_ends_in(entry->d_name, ".dsd");
}

/* Read the discs that quern tunnel wrote into a folder. */
static qn_status read_folder(qn_transport_state *run, const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_discs, compare_entries);
    qn_status status = count < 0 ? QN_FAIL(QN_IO_ERROR, "%s: the folder cannot be listed", folder) : QN_OK;
    if (count == 0)
        status = QN_FAIL(QN_NOT_FOUND, "%s: no .dsd is in this folder; expected one of quern tunnel", folder);
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (status == QN_OK) status = qn_path_join(folder, entries[i]->d_name, &path);
        if (status == QN_OK) status = read_tunnel(run, path);
        qn_release(&path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static qn_status read_tunnels(qn_transport_state *run)
{
    for (size_t i = 0; i < run->options->tunnel_count; i++) {
        const char *path = run->options->tunnels[i];
        struct stat facts;
        QN_TRY(stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) ? read_folder(run, path) : read_tunnel(run, path));
    }
    return QN_OK;
}

/* ---- all ---- */

qn_status qn_transport_read_inputs(qn_transport_state *run)
{
    QN_TRY(read_tunnels(run)); /* first, since receptors are compared with them */
    QN_TRY(read_molecules(run));
    return check_all_names(run);
}

void qn_transport_clear_inputs(qn_transport_state *run)
{
    qn_passage_reader_clear(&run->reader);
    for (size_t i = 0; i < run->snapshot_count; i++) qn_release(&run->snapshots[i].name);
    for (size_t i = 0; i < run->tunnel_count; i++) {
        qn_release(&run->tunnels[i].path);
        qn_release(&run->tunnels[i].name);
        qn_discs_release(&run->tunnels[i].discs);
    }
    for (size_t i = 0; i < run->ligand_count; i++) qn_release(&run->ligands[i].name);
    for (size_t i = 0; i < run->rejection_count; i++) qn_release(&run->rejections[i].reason);
    qn_release(&run->snapshots);
    qn_release(&run->tunnels);
    qn_release(&run->ligands);
    qn_release(&run->rejections);
}
