#include "format/structure/structure_builder.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/structure/alternate.h"
#include "format/structure/structure.h"
#include "model/atom.h"
#include "model/residue_names.h"

qn_status qn_structure_builder_start(qn_structure_builder *builder, const char *name, const char *chains,
                                     const qn_molecule_options *options)
{
    *builder = (qn_structure_builder){.name = name};
    if (options) builder->options = *options;
    QN_TRY(qn_chain_selection_parse(name, chains, &builder->selection));
    return qn_molecule_create(qn_path_name(name), &builder->molecule);
}

void qn_structure_builder_clear(qn_structure_builder *builder)
{
    qn_chain_selection_clear(&builder->selection);
    qn_chain_list_clear(&builder->present);
    qn_molecule_destroy(&builder->molecule);
    qn_release(&builder->place);
}

static bool same_place(const qn_file_atom *a, const qn_file_atom *b)
{
    return a->number == b->number && a->insertion == b->insertion && strcmp(a->chain, b->chain) == 0;
}

static bool same_residue_name(const qn_place_atom *a, const qn_file_atom *b)
{
    return strcmp(a->file.residue, b->residue) == 0;
}

/* Number of the residue, within its place, that an atom belongs to: the residue with the same name, even where two
 * amino acids at one place alternate in the file; else a new residue. */
static size_t group_of(const qn_structure_builder *builder, const qn_file_atom *atom)
{
    size_t count = builder->place_count, groups = 0;
    if (count > 0 && same_residue_name(&builder->place[count - 1], atom)) return builder->place[count - 1].group;
    for (size_t i = 0; i < count; i++) {
        if (same_residue_name(&builder->place[i], atom)) return builder->place[i].group;
        if (builder->place[i].group >= groups) groups = builder->place[i].group + 1;
    }
    return groups;
}

static void drop_waters_and_hydrogens(qn_structure_builder *builder)
{
    size_t counted = 0; /* waters with a group below this are counted */
    for (size_t i = 0; i < builder->place_count; i++) {
        qn_place_atom *atom = &builder->place[i];
        if (builder->options.drop_water && qn_is_water(atom->file.residue)) {
            atom->keep = false;
            if (atom->group >= counted) {
                builder->molecule->dropped_waters++;
                counted = atom->group + 1;
            }
        } else if (builder->options.drop_hydrogens && qn_atom_is_hydrogen(&atom->file.atom)) {
            atom->keep = false;
            builder->molecule->dropped_hydrogens++;
        }
    }
}

static qn_status append_residue(qn_structure_builder *builder, const qn_file_atom *atom)
{
    qn_molecule *molecule = builder->molecule;
    qn_residue residue = {.number = atom->number, .insertion = atom->insertion, .hetero = atom->hetero};
    memcpy(residue.name, atom->residue, sizeof residue.name);
    memcpy(residue.chain, atom->chain, sizeof residue.chain);
    return qn_molecule_append_residue(molecule, &residue);
}

/* Append the kept atoms of the place to the molecule, residue by residue. */
static qn_status end_place(qn_structure_builder *builder)
{
    size_t groups = 0;
    drop_waters_and_hydrogens(builder);
    if (!builder->options.keep_alternates)
        QN_TRY(qn_choose_alternates(builder->place, builder->place_count, &builder->molecule->dropped_alternates));
    for (size_t i = 0; i < builder->place_count; i++)
        if (builder->place[i].group >= groups) groups = builder->place[i].group + 1;
    for (size_t group = 0; group < groups; group++) {
        bool begun = false;
        for (size_t i = 0; i < builder->place_count; i++) {
            const qn_place_atom *atom = &builder->place[i];
            if (atom->group != group || !atom->keep) continue;
            if (!begun) QN_TRY(append_residue(builder, &atom->file));
            begun = true;
            QN_TRY(qn_molecule_append_atom(builder->molecule, &atom->file.atom));
        }
    }
    builder->place_count = 0;
    return QN_OK;
}

qn_status qn_structure_builder_model(qn_structure_builder *builder, int number, bool resumes)
{
    /* The current place stays open: where models alternate in the file, its atoms may continue. */
    if (builder->model_count < QN_MODELS_LISTED_MAX) builder->models[builder->model_count] = number;
    builder->model_count++;
    bool wanted = builder->options.model == 0 || builder->options.model == number;
    if (!builder->have_model && wanted) {
        builder->have_model = builder->in_model = true;
        builder->model = number;
    } else {
        builder->in_model = resumes && builder->have_model && builder->model == number;
    }
    return QN_OK;
}

qn_status qn_structure_builder_break(qn_structure_builder *builder)
{
    if (!builder->in_model) return QN_OK;
    QN_TRY(end_place(builder));
    if (builder->molecule->residue_count)
        builder->molecule->residues[builder->molecule->residue_count - 1].chain_break = true;
    return QN_OK;
}

/* Some files have H in the element columns of heavy atoms. Where the name begins with C, N, O, S or P, that
 * letter is used. */
static void correct_element(qn_structure_builder *builder, qn_atom *atom)
{
    char letter = atom->name[strspn(atom->name, "0123456789")];
    if (!letter || !qn_atom_is_hydrogen(atom) || !strchr("CNOSP", letter)) return;
    memcpy(atom->element, (char[4]){letter}, sizeof atom->element);
    builder->misnamed++;
}

qn_status qn_structure_builder_add(qn_structure_builder *builder, const qn_file_atom *atom)
{
    builder->atoms_seen++;
    if (!builder->in_model) return QN_OK;
    if (builder->present.count == 0 || strcmp(builder->last_chain, atom->chain) != 0) {
        QN_TRY(qn_structure_builder_break(
            builder)); /* a chain ends where another chain begins, even if that one is not kept */
        QN_TRY(qn_chain_list_add(&builder->present, atom->chain));
        memcpy(builder->last_chain, atom->chain, sizeof builder->last_chain);
        builder->last_chain_selected = qn_chain_selection_has(&builder->selection, atom->chain);
    }
    if (!builder->last_chain_selected) return QN_OK;
    if (builder->place_count && !same_place(&builder->place[0].file, atom)) QN_TRY(end_place(builder));
    void *place = builder->place;
    qn_status status = qn_grow(&place, &builder->place_capacity, builder->place_count + 1, sizeof *builder->place);
    builder->place = place;
    QN_TRY(status);
    qn_place_atom added = {.file = *atom, .group = group_of(builder, atom), .keep = true};
    correct_element(builder, &added.file.atom);
    builder->place[builder->place_count++] = added;
    return QN_OK;
}

static qn_status missing_model(const qn_structure_builder *builder)
{
    qn_text list = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < builder->model_count && i < QN_MODELS_LISTED_MAX && status == QN_OK; i++)
        status = qn_text_append(&list, "%s%d", i ? ", " : "", builder->models[i]);
    if (status == QN_OK && builder->model_count > QN_MODELS_LISTED_MAX)
        status = qn_text_append(&list, " and %zu more", builder->model_count - QN_MODELS_LISTED_MAX);
    if (status == QN_OK)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "%s: there is no model %d; the file has %s",
                              builder->name, builder->options.model, list.data ? list.data : "none");
    qn_text_clear(&list);
    return status;
}

qn_status qn_structure_builder_finish(qn_structure_builder *builder, qn_molecule **out)
{
    QN_TRY(end_place(builder));
    qn_molecule *molecule = builder->molecule;
    if (builder->atoms_seen == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: holds no atoms", builder->name);
    if (!builder->have_model) return missing_model(builder);
    QN_TRY(qn_chain_selection_check(builder->name, &builder->selection, &builder->present));
    if (molecule->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no atom is left of %zu (waters dropped: %zu, hydrogens dropped: %zu)",
                       builder->name, builder->atoms_seen, molecule->dropped_waters, molecule->dropped_hydrogens);
    molecule->residues[molecule->residue_count - 1].chain_break = true;
    if (builder->misnamed)
        qn_log(QN_LOG_WARNING,
               "%s: %zu %s an element column that says hydrogen and a name that does not; the name is used",
               builder->name, builder->misnamed, qn_plural(builder->misnamed, "atom has", "atoms have"));
    *out = molecule;
    builder->molecule = NULL;
    return QN_OK;
}
