/* The receptor and the ligand of a passage, read when they are needed. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "chemistry/bonds.h"
#include "flexible/stated.h"
#include "format/number.h"
#include "score/autodock/atoms.h"
#include "score/ligand.h"
#include "transport/run.h"

static qn_flexible_types types_of(const qn_transport_state *run)
{
    return run->options->types == QN_TRANSPORT_TYPES_FILE ? QN_FLEXIBLE_TYPES_FILE : QN_FLEXIBLE_TYPES_OWN;
}

qn_status qn_transport_read_receptor(const qn_transport_state *run, const char *path, qn_score_receptor *receptor)
{
    static const qn_ligand_score score = {.kind = QN_SCORE_VINA};
    *receptor = (qn_score_receptor){0};
    if (types_of(run) == QN_FLEXIBLE_TYPES_OWN) return qn_score_receptor_read(path, &score, receptor);
    QN_TRY(qn_flexible_stated_receptor(path, receptor));
    qn_autodock_atoms atoms = {0};
    const qn_status status = qn_flexible_stated_residues(path, receptor, &atoms);
    qn_autodock_atoms_clear(&atoms);
    if (status == QN_OK) return QN_OK;
    qn_error_clear(); /* energies need no residues */
    qn_molecule_destroy(&receptor->molecule);
    qn_release(&receptor->residues);
    return QN_OK;
}

/* ---- ligands ---- */

/* Refuse a name that several atoms have, with their numbers. */
static qn_status refuse_drag(const char *drag, const qn_compound *compound)
{
    enum { NUMBERS_MOST = 12 };
    qn_text numbers = {0};
    size_t count = 0;
    qn_status status = QN_OK;
    for (size_t i = 0; i < compound->atom_count && status == QN_OK; i++) {
        if (strcmp(compound->atoms[i].name, drag) != 0) continue;
        if (count < NUMBERS_MOST) status = qn_text_append(&numbers, "%s%zu", count > 0 ? ", " : "", i + 1);
        if (count == NUMBERS_MOST) status = qn_text_append(&numbers, " …");
        count++;
    }
    if (status == QN_OK)
        status =
            QN_FAIL(QN_INVALID_ARGUMENT, "--drag is \"%s\", the name of %zu atoms; expected one of their numbers: %s",
                    drag, count, numbers.data);
    qn_text_clear(&numbers);
    return status;
}

/* Find the atom to drag. */
static qn_status find_drag(const char *drag, const qn_compound *compound, int *atom)
{
    int number;
    *atom = -1;
    if (!drag) return QN_OK;
    for (size_t i = 0; i < compound->atom_count; i++) {
        if (strcmp(compound->atoms[i].name, drag) != 0) continue;
        if (*atom >= 0) return refuse_drag(drag, compound);
        *atom = (int)i;
    }
    if (*atom < 0 && qn_number_parse_whole(drag, strlen(drag), &number) && number >= 1 &&
        number <= (int)compound->atom_count)
        *atom = number - 1;
    if (*atom < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--drag is \"%s\", but the ligand has no such atom; expected a name of an atom, or a number "
                       "from 1 to %zu",
                       drag, compound->atom_count);
    return QN_OK;
}

/* An atom by its place, since only the main molecule of a record is kept. */
static qn_status find_again(const char *drag, const double place[3], const qn_compound *compound, int *atom)
{
    for (size_t i = 0; i < compound->atom_count; i++)
        if (memcmp(compound->positions_angstrom + 3 * i, place, 3 * sizeof *place) == 0) {
            *atom = (int)i;
            return QN_OK;
        }
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "--drag is \"%s\", which is in a molecule that is left out; expected an atom of the main one", drag);
}

/* Give atoms AutoDock's types and charges for the PDBQT files. A molecule with an element that AutoDock lacks keeps its
 * elements in their place. */
static qn_status label_atoms(qn_compound *compound)
{
    const qn_status status = qn_autodock_ligand_label(compound);
    if (status != QN_BAD_FORMAT) return status;
    qn_error_clear();
    return QN_OK;
}

qn_status qn_transport_prepare_ligand(const qn_transport_state *run, const qn_compound_record *record,
                                      qn_compound **compound, qn_flexible_tree *tree)
{
    const qn_flexible_types types = types_of(run);
    const char *wanted = run->options->drag;
    double place[3];
    size_t heavy;
    int drag;
    QN_TRY(qn_compound_read(record, compound));
    QN_TRY(qn_score_ligand_check(*compound, &heavy));
    QN_TRY(find_drag(wanted, *compound, &drag));
    if (drag >= 0) memcpy(place, (*compound)->positions_angstrom + 3 * drag, sizeof place);
    if (types == QN_FLEXIBLE_TYPES_OWN) QN_TRY(qn_score_ligand_prepare(*compound));
    if (drag >= 0) QN_TRY(find_again(wanted, place, *compound, &drag));
    QN_TRY(qn_flexible_tree_create(*compound, types, drag, tree));
    return types == QN_FLEXIBLE_TYPES_FILE ? qn_bonds_find_orders(*compound) : label_atoms(*compound);
}

/* ---- the reader ---- */

static void clear_snapshot(qn_passage_reader *reader)
{
    qn_flexible_receptor_destroy(&reader->sorted);
    qn_score_receptor_clear(&reader->receptor);
    reader->snapshot = NULL;
}

static void clear_ligand(qn_passage_reader *reader)
{
    qn_compound_destroy(&reader->compound);
    qn_flexible_tree_clear(&reader->tree);
    reader->ligand = NULL;
}

static qn_status go_to_snapshot(const qn_transport_state *run, const qn_snapshot *snapshot, qn_passage_reader *reader)
{
    if (reader->snapshot == snapshot) return QN_OK;
    clear_snapshot(reader);
    QN_TRY(qn_transport_read_receptor(run, snapshot->path, &reader->receptor));
    QN_TRY(qn_flexible_receptor_create(&reader->receptor, &reader->sorted));
    reader->snapshot = snapshot;
    return QN_OK;
}

/* Open the file of a ligand, unless its stream is before it. */
static qn_status open_stream(const qn_ligand *ligand, qn_passage_reader *reader)
{
    if (reader->stream && reader->stream_path == ligand->path && reader->stream_next <= ligand->record) return QN_OK;
    qn_compound_stream_close(&reader->stream);
    QN_TRY(qn_compound_stream_open(ligand->path, &reader->stream));
    reader->stream_path = ligand->path;
    reader->stream_next = 0;
    return QN_OK;
}

static qn_status go_to_ligand(const qn_transport_state *run, const qn_ligand *ligand, qn_passage_reader *reader)
{
    if (reader->ligand == ligand) return QN_OK;
    clear_ligand(reader);
    QN_TRY(open_stream(ligand, reader));
    for (; reader->stream_next < ligand->record; reader->stream_next++)
        QN_TRY(qn_compound_stream_skip(reader->stream, &reader->record));
    QN_TRY(qn_compound_stream_next(reader->stream, &reader->record));
    reader->stream_next++;
    if (reader->record.size == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: ligand %llu was there when the run began; expected a file that stays",
                       ligand->path, (unsigned long long)ligand->record + 1);
    QN_TRY(qn_transport_prepare_ligand(run, &reader->record, &reader->compound, &reader->tree));
    reader->ligand = ligand;
    return QN_OK;
}

qn_status qn_passage_reader_go(qn_transport_state *run, uint64_t piece)
{
    const qn_passage_inputs inputs = qn_transport_piece(run, piece);
    QN_TRY(go_to_snapshot(run, inputs.snapshot, &run->reader));
    return go_to_ligand(run, inputs.ligand, &run->reader);
}

void qn_passage_reader_clear(qn_passage_reader *reader)
{
    clear_snapshot(reader);
    clear_ligand(reader);
    qn_compound_stream_close(&reader->stream);
    qn_compound_record_clear(&reader->record);
    *reader = (qn_passage_reader){0};
}
