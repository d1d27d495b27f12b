#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/compound/compound_formats.h"
#include "format/compound/compound_lines.h"
#include "format/compound/pdbqt_tree.h"
#include "format/structure/autodock_types.h"

enum { IN_MODEL = 1, HAS_ATOMS = 2 };

/* Models end with ENDMDL; molecules outside of models end with TORSDOF, before the next MODEL or at the end of the
 * file.
 */
qn_record_cut qn_pdbqt_cut(qn_record_cutter *cutter, const char *line, size_t size)
{
    const qn_record_lines lines = {.text = line, .length = size};
    if (qn_line_begins(&lines, "MODEL")) {
        if (cutter->section & HAS_ATOMS) return QN_CUT_NEXT;
        cutter->section |= IN_MODEL;
    }
    if (qn_pdbqt_is_atom(&lines)) cutter->section |= HAS_ATOMS;
    if (qn_line_begins(&lines, "ENDMDL")) return QN_CUT_LAST;
    if (qn_line_begins(&lines, "TORSDOF") && !(cutter->section & IN_MODEL)) return QN_CUT_LAST;
    const bool ends_part = qn_line_begins(&lines, "ENDROOT") || qn_line_begins(&lines, "ENDBRANCH");
    const bool says_nothing = qn_word_is_blank((qn_word){line, size - (line[size - 1] == '\n')}) ||
                              (qn_line_begins(&lines, "END") && !ends_part) || qn_line_begins(&lines, "CONECT") ||
                              qn_line_begins(&lines, "TER");
    return !cutter->begun && says_nothing ? QN_CUT_NONE : QN_CUT_INSIDE;
}

static void copy_columns(const qn_record_lines *lines, size_t first, size_t last, char text[8])
{
    qn_record_lines field = *lines;
    qn_word columns = qn_record_columns(lines, first, last);
    size_t at = 0;
    field.text = columns.text;
    field.length = columns.length;
    qn_word word = qn_record_word(&field, &at);
    memcpy(text, word.text, word.length);
    text[word.length] = '\0';
}

/* Read an atom; *kept is false for a record that is not an atom. */
static qn_status read_atom(const qn_record_lines *lines, size_t number, qn_compound_atom *atom, double *position,
                           bool *kept)
{
    double charge;
    for (int axis = 0; axis < 3; axis++) {
        size_t first = 31 + 8 * (size_t)axis;
        QN_TRY(qn_record_coordinate(lines, axis, qn_record_columns(lines, first, first + 7), &position[axis]));
    }
    qn_word type = qn_record_columns(lines, 78, 80), partial = qn_record_columns(lines, 71, 76);
    if (!qn_autodock_element(type.text, type.length, atom->element))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: atom %zu has type \"%s\"; expected one of AutoDock's (columns 78-80)",
                       lines->path, lines->number, number, qn_quote(type.text, type.length).text);
    if (!qn_number_parse(partial.text, partial.length, &charge))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: charge \"%s\" is not a number (columns 71-76)", lines->path,
                       lines->number, qn_quote(partial.text, partial.length).text);
    *kept = atom->element[0] != '\0';
    copy_columns(lines, 13, 16, atom->name);
    copy_columns(lines, 78, 80, atom->type);
    atom->partial_charge_e = (float)charge;
    atom->has_partial_charge = true;
    return QN_OK;
}

/* Read a remark: programs write a name, a SMILES or a docking energy into it. */
static qn_status read_remark(const qn_record_lines *lines, qn_text *name, qn_text *smiles, qn_text *energy)
{
    static const char *const starts[] = {"REMARK  Name = ", "REMARK Name = ", "REMARK SMILES ", "REMARK VINA RESULT:"};
    qn_text *const texts[] = {name, name, smiles, energy};
    if (qn_line_begins(lines, "REMARK SMILES IDX")) return QN_OK;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (!qn_line_begins(lines, starts[i]) || texts[i]->length > 0) continue;
        size_t begin = strlen(starts[i]), end = lines->length;
        while (begin < end && lines->text[begin] == ' ') begin++;
        while (begin < end && lines->text[end - 1] == ' ') end--;
        return qn_text_append_bytes(texts[i], lines->text + begin, end - begin);
    }
    return QN_OK;
}

typedef struct pdbqt_reader {
    qn_record_lines lines;
    qn_compound *compound;
    qn_text name, smiles, energy;
    qn_pdbqt_tree tree;
} pdbqt_reader;

/* Read the atoms, except those of the receptor's flexible residues, which files of docked poses contain too. */
static qn_status read_atoms(pdbqt_reader *reader)
{
    qn_compound *compound = reader->compound;
    bool in_residue = false;
    size_t number = 0;
    for (qn_record_lines *lines = &reader->lines; qn_record_lines_next(lines);) {
        if (qn_line_begins(lines, "REMARK"))
            QN_TRY(read_remark(lines, &reader->name, &reader->smiles, &reader->energy));
        if (qn_line_begins(lines, "BEGIN_RES")) in_residue = true;
        if (qn_line_begins(lines, "END_RES")) in_residue = false;
        if (in_residue) continue;
        QN_TRY(qn_pdbqt_tree_line(&reader->tree, lines));
        if (!qn_pdbqt_is_atom(lines)) continue;
        bool kept = false;
        qn_compound_atom *atom = &compound->atoms[compound->atom_count];
        double *position = compound->positions_angstrom + 3 * compound->atom_count;
        QN_TRY(read_atom(lines, ++number, atom, position, &kept));
        QN_TRY(qn_pdbqt_tree_atom(&reader->tree, lines, kept ? (int)compound->atom_count : -1));
        compound->atom_count += kept;
    }
    return qn_pdbqt_tree_end(&reader->tree, &reader->lines, compound);
}

/* Where no remark names the molecule, use the file's name without folder, without ".gz" and without what follows the
 * last point; standard input gives no name. */
static qn_status name_by_file(const char *path, qn_text *name)
{
    const char *file = qn_path_name(path);
    size_t length = strlen(file);
    if (length > 3 && strcmp(file + length - 3, ".gz") == 0) length -= 3;
    for (size_t i = length; i-- > 1;)
        if (file[i] == '.') {
            length = i;
            break;
        }
    return qn_text_append_bytes(name, file, strcmp(path, "standard input") == 0 ? 0 : length);
}

static qn_status read_molecule(const qn_compound_record *record, pdbqt_reader *reader)
{
    size_t count = 0;
    while (qn_record_lines_next(&reader->lines)) count += qn_pdbqt_is_atom(&reader->lines);
    reader->lines = qn_compound_lines_start(record);
    QN_TRY(qn_compound_create("", count, 0, 1, &reader->compound));
    qn_compound *compound = reader->compound;
    compound->atom_count = 0; /* counted again while atoms are read */
    QN_TRY(read_atoms(reader));
    if (compound->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the molecule has no atoms; expected ATOM or HETATM records",
                       record->path, record->line);
    if (reader->name.length == 0) QN_TRY(name_by_file(record->path, &reader->name));
    qn_release(&compound->name);
    QN_TRY(qn_text_copy(reader->name.data, &compound->name));
    if (reader->smiles.data) QN_TRY(qn_compound_add_property(compound, "SMILES", reader->smiles.data));
    if (reader->energy.data) QN_TRY(qn_compound_add_property(compound, "VINA RESULT", reader->energy.data));
    return QN_OK;
}

qn_status qn_pdbqt_read(const qn_compound_record *record, qn_compound **compound)
{
    pdbqt_reader reader = {.lines = qn_compound_lines_start(record)};
    qn_status status = read_molecule(record, &reader);
    qn_text_clear(&reader.name);
    qn_text_clear(&reader.smiles);
    qn_text_clear(&reader.energy);
    qn_pdbqt_tree_release(&reader.tree);
    if (status == QN_OK)
        *compound = reader.compound;
    else
        qn_compound_destroy(&reader.compound);
    return status;
}
