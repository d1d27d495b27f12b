#include "screen/hits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "score/autodock/atoms.h"
#include "screen/library.h"
#include "screen/output.h"
#include "screen/results.h"

typedef struct hit_list {
    const qn_screen_state *run;
    qn_screen_hit *hits; /* sorted by index */
    size_t count;
    qn_screen_library *library;
} hit_list;

static int compare_hits(const void *a, const void *b)
{
    const qn_screen_hit *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

static qn_status list_hits(hit_list *list)
{
    void *memory;
    const size_t count = qn_screen_hit_count(list->run);
    QN_TRY(qn_allocate(count, sizeof(qn_screen_hit), &memory));
    list->hits = memory;
    list->count = count;
    for (size_t i = 0; i < count; i++) list->hits[i] = (qn_screen_hit){.place = i, .index = list->run->rows[i].index};
    if (count) qsort(list->hits, count, sizeof(qn_screen_hit), compare_hits);
    return QN_OK;
}

/* Copy the poses of the hits from the journals. Poses of other molecules are not copied: millions would fill memory. */
static qn_status take_poses(const qn_screen_entry *entry, void *user)
{
    hit_list *list = user;
    const qn_screen_hit wanted = {.index = entry->index};
    qn_screen_hit *found = NULL;
    void *memory;
    if (list->count) found = bsearch(&wanted, list->hits, list->count, sizeof(qn_screen_hit), compare_hits);
    if (!found) return QN_OK;
    QN_TRY(qn_allocate((size_t)entry->pose_count, sizeof *found->poses, &memory));
    found->poses = memcpy(memory, entry->poses, (size_t)entry->pose_count * sizeof *found->poses);
    found->pose_count = entry->pose_count;
    if (entry->states) {
        QN_TRY(qn_allocate((size_t)entry->pose_count, sizeof *found->states, &memory));
        found->states = memcpy(memory, entry->states, (size_t)entry->pose_count * sizeof *found->states);
    }
    found->library = entry->library;
    found->line = (size_t)entry->line;
    if (!entry->made) return QN_OK;
    QN_TRY(qn_allocate(entry->made_size + 1, 1, &memory));
    found->made = memcpy(memory, entry->made, entry->made_size);
    found->made_size = entry->made_size;
    return QN_OK;
}

/* Remove data items that an earlier screen added. The item that names the removed parts of a salt stays. */
static void drop_own_properties(qn_compound *compound)
{
    size_t kept = 0;
    for (size_t i = 0; i < compound->property_count; i++) {
        qn_compound_property *property = &compound->properties[i];
        if (strncmp(property->name, "quern_", 6) == 0 && strcmp(property->name, QN_LIGAND_LEFT_OUT) != 0) {
            qn_release(&property->name);
            qn_release(&property->value);
        } else {
            compound->properties[kept++] = *property;
        }
    }
    compound->property_count = kept;
}

static qn_status add_item(qn_text *text, const char *name, double value, int decimals)
{
    return qn_text_append(text, "> <quern_%s>\n%.*f\n\n", name, decimals, value);
}

/* Replace line breaks in the name by blanks, since a line break would end the item. */
static qn_status add_file(qn_text *text, const char *path)
{
    QN_TRY(qn_text_append(text, "> <quern_file>\n"));
    const size_t start = text->length;
    QN_TRY(qn_text_append(text, "%s\n\n", path));
    for (size_t i = start; i + 2 < text->length; i++)
        if (text->data[i] == '\n' || text->data[i] == '\r') text->data[i] = ' ';
    return QN_OK;
}

static qn_status add_items(const qn_screen_state *run, const qn_screen_hit *hit, int pose, qn_text *text)
{
    const qn_screen_kept *kept = &hit->poses[pose];
    const qn_screen_row *row = &run->rows[hit->place];
    QN_TRY(add_item(text, "rank", (double)hit->place + 1, 0));
    QN_TRY(add_item(text, "index", (double)hit->index, 0));
    QN_TRY(add_file(text, row->path));
    if (row->line) QN_TRY(add_item(text, "line", (double)row->line, 0));
    QN_TRY(add_item(text, "pose", pose + 1, 0));
    QN_TRY(add_item(text, "energy", kept->energy, 4));
    for (int term = 0; term < run->term_count; term++)
        QN_TRY(add_item(text, run->term_names[term], kept->terms[term], 4));
    QN_TRY(add_item(text, "ligand_efficiency", kept->energy / row->heavy_atoms, 4));
    QN_TRY(add_item(text, "conformer", kept->conformer + 1, 0));
    QN_TRY(add_item(text, "clashes", kept->clashes, 0));
    return add_item(text, "least_distance_angstrom", kept->least_distance_angstrom, 3);
}

static bool writes_models(const qn_screen_state *run, const qn_screen_hit *hit)
{
    return hit->states && !run->job->in_memory;
}

/* Remarks of a PDBQT: the name as our reader and others expect it, the energy and its terms. */
static qn_status add_remarks(const qn_screen_state *run, const qn_screen_hit *hit, int pose, qn_text *text)
{
    const qn_screen_kept *kept = &hit->poses[pose];
    const qn_screen_row *row = &run->rows[hit->place];
    if (row->name[0]) QN_TRY(qn_text_append(text, "REMARK  Name = %s\n", row->name));
    QN_TRY(qn_text_append(text, "REMARK QUERN RANK %zu POSE %d ENERGY %.4f", hit->place + 1, pose + 1, kept->energy));
    for (int term = 0; term < run->term_count; term++) {
        QN_TRY(qn_text_append(text, " "));
        for (const char *at = run->term_names[term]; *at; at++)
            QN_TRY(qn_text_append(text, "%c", toupper((unsigned char)*at)));
        QN_TRY(qn_text_append(text, " %.4f", kept->terms[term]));
    }
    return qn_text_append(text, "\n");
}

/* Write the PDBQT of a pose of a flexible molecule, with the side chains that turn. */
static qn_status write_model(const qn_screen_state *run, const qn_screen_molecule *molecule, qn_screen_hit *hit,
                             int pose)
{
    double positions[3 * QN_FLEXIBLE_ATOMS_MAX];
    const double *ligand = hit->positions + (size_t)pose * hit->atom_count * 3;
    qn_text *text = &hit->models[pose];
    QN_TRY(add_remarks(run, hit, pose, text));
    QN_TRY(qn_compound_write_pdbqt(molecule->compound, ligand, "LIG", text));
    for (int s = 0; s < run->sides.count; s++) {
        const qn_flexible_side *side = &run->sides.sides[s];
        qn_flexible_side_positions(&molecule->tree, &run->sides, s, &hit->states[pose], positions);
        QN_TRY(qn_compound_write_pdbqt_side(side->compound, positions, &side->residue, text));
    }
    return QN_OK;
}

/* Make the PDBQT of a pose. It stays empty where a coordinate does not fit into a PDBQT: one ligand that flew away must
 * not end a run. */
static qn_status make_model(const qn_screen_state *run, const qn_screen_molecule *molecule, qn_screen_hit *hit,
                            int pose)
{
    const qn_status status = write_model(run, molecule, hit, pose);
    if (status != QN_INVALID_ARGUMENT) return status;
    qn_error_clear();
    qn_text_clear(&hit->models[pose]);
    return QN_OK;
}

/* Give the atoms of a molecule AutoDock's types for its PDBQT. A molecule with an element that AutoDock lacks keeps its
 * elements in their place. */
static qn_status label_atoms(const qn_screen_state *run, qn_screen_molecule *molecule)
{
    if (run->options->types == QN_SCREEN_TYPES_FILE) return QN_OK;
    const qn_status status = qn_autodock_ligand_label(molecule->compound);
    if (status != QN_BAD_FORMAT) return status;
    qn_error_clear();
    return QN_OK;
}

/* Make the SDF record of a pose, with Quern's data items before its end. */
static qn_status make_record(const qn_screen_state *run, const qn_screen_molecule *molecule, const qn_screen_hit *hit,
                             int pose)
{
    static const char end[] = "$$$$\n";
    const size_t end_length = strlen(end);
    double *positions = hit->positions + (size_t)pose * hit->atom_count * 3;
    qn_text *text = &hit->records[pose];
    if (hit->states)
        qn_flexible_compound_positions(&molecule->tree, &hit->states[pose], positions);
    else
        qn_screen_pose_positions(run, molecule, hit->poses[pose].conformer, hit->poses[pose].number, positions);
    QN_TRY(qn_compound_write_sdf(molecule->compound, positions, text));
    if (text->length < end_length || strcmp(text->data + text->length - end_length, end) != 0)
        return QN_FAIL(QN_INTERNAL, "an SDF record does not end as expected");
    text->length -= end_length;
    QN_TRY(add_items(run, hit, pose, text));
    return qn_text_append_bytes(text, end, end_length);
}

/* The key of a large library covers its ends only. Detect a change in between, which would give poses to the wrong
 * molecules. */
static qn_status check_same(const qn_screen_state *run, const qn_screen_molecule *molecule, const qn_screen_hit *hit)
{
    const qn_screen_row *row = &run->rows[hit->place];
    if (strcmp(molecule->name, row->name) != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "molecule %llu was \"%s\" and is \"%s\" now; expected libraries that do not change during a run",
                       (unsigned long long)hit->index, row->name, molecule->name);
    if (molecule->ligand.atom_count != row->heavy_atoms)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "molecule %llu had %d heavy %s and has %d now; expected libraries that do not change during a run",
            (unsigned long long)hit->index, row->heavy_atoms, row->heavy_atoms == 1 ? "atom" : "atoms",
            molecule->ligand.atom_count);
    return QN_OK;
}

static qn_status allocate_poses(qn_screen_hit *hit, size_t atom_count)
{
    void *memory;
    hit->atom_count = atom_count;
    QN_TRY(qn_allocate((size_t)hit->pose_count * atom_count * 3, sizeof(double), &memory));
    hit->positions = memory;
    QN_TRY(qn_allocate((size_t)hit->pose_count, sizeof *hit->records, &memory));
    hit->records = memory;
    if (!hit->states) return QN_OK;
    QN_TRY(qn_allocate((size_t)hit->pose_count, sizeof *hit->models, &memory));
    hit->models = memory;
    return QN_OK;
}

static qn_status make_poses(const qn_screen_state *run, qn_screen_molecule *molecule, qn_screen_hit *hit)
{
    if (molecule->reason || !hit->poses)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "molecule %llu cannot be read again (%s); expected libraries that do not change during a run",
                       (unsigned long long)hit->index, molecule->reason ? molecule->reason : "no poses");
    QN_TRY(check_same(run, molecule, hit));
    drop_own_properties(molecule->compound);
    QN_TRY(allocate_poses(hit, molecule->compound->atom_count));
    if (writes_models(run, hit)) QN_TRY(label_atoms(run, molecule));
    for (int pose = 0; pose < hit->pose_count; pose++) {
        if (hit->poses[pose].conformer >= molecule->ligand.conformer_count)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "molecule %llu has other conformers than before; expected libraries that do not change "
                           "during a run",
                           (unsigned long long)hit->index);
        QN_TRY(make_record(run, molecule, hit, pose));
        if (writes_models(run, hit)) QN_TRY(make_model(run, molecule, hit, pose));
    }
    return QN_OK;
}

/* Read a hit again: from the record that Open Babel made, or from the libraries, which are opened at the first need. */
static qn_status read_molecule(hit_list *list, qn_screen_hit *hit, qn_compound_record *record,
                               qn_screen_molecule *molecule)
{
    const qn_screen_sources sources = qn_screen_sources_of(list->run->options);
    if (hit->made) {
        const qn_compound_record made = {.format = QN_COMPOUND_SMILES,
                                         .index = hit->index,
                                         .line = hit->line,
                                         .path = qn_screen_sources_name(&sources, hit->library),
                                         .text = hit->made,
                                         .size = hit->made_size};
        return qn_screen_molecule_make(list->run, &made, hit->index, hit->library, molecule);
    }
    if (!list->library) QN_TRY(qn_screen_library_open(&sources, &list->library));
    QN_TRY(qn_screen_library_seek(list->library, hit->index, record));
    if (record->size == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "molecule %llu is gone; expected libraries that do not change during a run",
                       (unsigned long long)hit->index);
    return qn_screen_molecule_make(list->run, record, hit->index, qn_screen_library_file(list->library), molecule);
}

static qn_status make_all(hit_list *list)
{
    qn_compound_record record = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < list->count && status == QN_OK; i++) {
        qn_screen_molecule molecule = {0};
        status = read_molecule(list, &list->hits[i], &record, &molecule);
        if (status == QN_OK) status = make_poses(list->run, &molecule, &list->hits[i]);
        qn_release(&list->hits[i].made);
        qn_screen_molecule_clear(&molecule);
    }
    qn_compound_record_clear(&record);
    return status;
}

static int compare_places(const void *a, const void *b)
{
    const qn_screen_hit *first = a, *second = b;
    return (first->place > second->place) - (first->place < second->place);
}

qn_status qn_screen_hits_make(const qn_screen_state *run, qn_screen_hits *hits)
{
    hit_list list = {.run = run};
    const qn_screen_scan scan = {.entry = take_poses, .user = &list};
    qn_status status = list_hits(&list);
    if (status == QN_OK) status = qn_screen_results_scan(run, &scan);
    if (status == QN_OK) status = make_all(&list);
    qn_screen_library_close(&list.library);
    if (list.count) qsort(list.hits, list.count, sizeof(qn_screen_hit), compare_places);
    *hits = (qn_screen_hits){list.hits, list.count};
    return status;
}

void qn_screen_hits_clear(qn_screen_hits *hits)
{
    for (size_t i = 0; i < hits->count; i++) {
        qn_screen_hit *hit = &hits->hits[i];
        for (int pose = 0; hit->records && pose < hit->pose_count; pose++) qn_text_clear(&hit->records[pose]);
        for (int pose = 0; hit->models && pose < hit->pose_count; pose++) qn_text_clear(&hit->models[pose]);
        qn_release(&hit->records);
        qn_release(&hit->models);
        qn_release(&hit->positions);
        qn_release(&hit->poses);
        qn_release(&hit->states);
        qn_release(&hit->made);
    }
    qn_release(&hits->hits);
    hits->count = 0;
}
