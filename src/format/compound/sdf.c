/* SDF: molfiles followed by data items, separated by "$$$$". Format: "CTfile Formats", BIOVIA 2020. This file reads the
 * parts around atoms and bonds; sdf_v2000.c and sdf_v3000.c read atoms and bonds. */
#include "format/compound/sdf.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/compound_formats.h"

bool qn_sdf_recognise(const char *text, size_t size)
{
    bool found = false;
    qn_compound_record record = {.path = "", .line = 1, .text = (char *)text, .size = size};
    qn_record_lines lines = qn_compound_lines_start(&record);
    while (!found && qn_record_lines_next(&lines)) {
        if (qn_line_begins(&lines, "@<TRIPOS>")) return false;
        qn_word version = qn_record_columns(&lines, 34, 39);
        found = (lines.number == 4 && (qn_word_is(version, " V2000") || qn_word_is(version, " V3000"))) ||
                qn_line_begins(&lines, "M  END") || qn_line_begins(&lines, "$$$$");
    }
    return found;
}

qn_record_cut qn_sdf_cut(qn_record_cutter *cutter, const char *line, size_t size)
{
    (void)cutter;
    return size >= 4 && memcmp(line, "$$$$", 4) == 0 ? QN_CUT_LAST : QN_CUT_INSIDE;
}

qn_status qn_sdf_bond_order(const qn_record_lines *lines, int written, qn_bond_order *order)
{
    static const qn_bond_order orders[] = {QN_BOND_UNKNOWN,  QN_BOND_SINGLE,  QN_BOND_DOUBLE,  QN_BOND_TRIPLE,
                                           QN_BOND_AROMATIC, QN_BOND_UNKNOWN, QN_BOND_UNKNOWN, QN_BOND_UNKNOWN,
                                           QN_BOND_UNKNOWN,  QN_BOND_SINGLE};
    if (written < 0 || written > 9 || (written >= 5 && written <= 7))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: bond of type %d; expected 1 to 4, single, double, triple or aromatic",
                       lines->path, lines->number, written);
    *order = orders[written];
    return QN_OK;
}

void qn_sdf_set_valence(qn_compound *compound, const qn_compound_neighbours *neighbours, size_t atom, int valence)
{
    int bonded = 0;
    for (size_t n = neighbours->start[atom]; n < neighbours->start[atom + 1]; n++) {
        qn_bond_order order = compound->bonds[neighbours->bond[n]].order;
        if (order == QN_BOND_UNKNOWN || order == QN_BOND_AROMATIC) return;
        bonded += (int)order;
    }
    if (valence >= bonded && valence - bonded <= 9) compound->atoms[atom].hydrogens = (signed char)(valence - bonded);
}

void qn_sdf_set_mass(qn_compound_atom *atom, int mass)
{
    if (strcmp(atom->element, "H") == 0 && (mass == 2 || mass == 3)) atom->element[0] = mass == 2 ? 'D' : 'T';
}

/* Read the title, the line that may state 2D or 3D, and the comment; go to the counts line. */
static qn_status read_header(qn_sdf_reader *reader)
{
    qn_record_lines *lines = &reader->lines;
    qn_text name = {0};
    qn_record_lines_next(lines);
    size_t length = lines->length, blank = 0;
    while (length > 0 && (lines->text[length - 1] == ' ' || lines->text[length - 1] == '\t')) length--;
    while (blank < length && (lines->text[blank] == ' ' || lines->text[blank] == '\t')) blank++;
    QN_TRY(qn_text_append_bytes(&name, lines->text + blank, length - blank));
    reader->name = name.data;
    qn_record_lines_next(lines);
    reader->says_3d = qn_word_is(qn_record_columns(lines, 21, 22), "3D");
    qn_record_lines_next(lines);
    if (!qn_record_lines_next(lines))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: the record ends within its header; expected three lines and one of counts", lines->path,
                       lines->number);
    return QN_OK;
}

static bool is_item_header(const qn_record_lines *lines)
{
    return lines->length > 0 && lines->text[0] == '>';
}

/* Read the name of an item from a line such as "> <NAME> (1)" or "> DT12". */
static qn_status read_item_name(const qn_record_lines *lines, qn_text *name)
{
    const char *begin = memchr(lines->text, '<', lines->length);
    size_t end = lines->length;
    while (begin && end > 1 && lines->text[end - 1] != '>') end--;
    name->length = 0;
    if (begin && lines->text + end - 1 > begin)
        return qn_text_append_bytes(name, begin + 1, (size_t)(lines->text + end - 1 - begin - 1));
    size_t at = 1;
    qn_word word = qn_record_word(lines, &at);
    return qn_text_append_bytes(name, word.text, word.length);
}

/* Read the lines up to the next item. Lines that follow a blank line and begin no item still belong to the value. */
static qn_status read_item_value(qn_record_lines *lines, qn_text *value, bool *more)
{
    size_t used = 0;
    bool behind_blank = false;
    value->length = 0;
    while ((*more = qn_record_lines_next(lines)) && !qn_line_begins(lines, "$$$$")) {
        if (behind_blank && is_item_header(lines)) break;
        behind_blank = qn_word_is_blank((qn_word){lines->text, lines->length});
        QN_TRY(qn_text_append_bytes(value, lines->text, lines->length));
        if (!behind_blank) used = value->length;
        QN_TRY(qn_text_append_bytes(value, "\n", 1));
    }
    if (value->data) value->data[used] = '\0';
    value->length = used;
    return QN_OK;
}

static qn_status read_items(qn_sdf_reader *reader, qn_text *name, qn_text *value)
{
    qn_record_lines *lines = &reader->lines;
    bool more = qn_record_lines_next(lines);
    while (more && !qn_line_begins(lines, "$$$$")) {
        if (!is_item_header(lines)) {
            more = qn_record_lines_next(lines);
            continue;
        }
        QN_TRY(read_item_name(lines, name));
        QN_TRY(read_item_value(lines, value, &more));
        QN_TRY(
            qn_compound_add_property(reader->compound, name->data ? name->data : "", value->data ? value->data : ""));
    }
    return QN_OK;
}

/* Whether the record is a 2D drawing: all z are 0, the header does not say 3D, and it has more than one atom. */
static bool is_flat(const qn_sdf_reader *reader)
{
    const qn_compound *compound = reader->compound;
    for (size_t i = 0; i < compound->atom_count; i++)
        if (compound->positions_angstrom[3 * i + 2] != 0) return false;
    return !reader->says_3d && compound->atom_count > 1;
}

static qn_status read_molecule(qn_sdf_reader *reader)
{
    qn_text name = {0}, value = {0};
    QN_TRY(read_header(reader));
    qn_word version = qn_record_columns(&reader->lines, 35, 39);
    QN_TRY(qn_word_is(version, "V3000") ? qn_sdf_read_v3000(reader) : qn_sdf_read_v2000(reader));
    QN_TRY(qn_compound_lines_check(reader->record, reader->compound));
    reader->compound->flat = is_flat(reader);
    qn_status status = read_items(reader, &name, &value);
    qn_text_clear(&name);
    qn_text_clear(&value);
    return status;
}

qn_status qn_sdf_read(const qn_compound_record *record, qn_compound **compound)
{
    qn_sdf_reader reader = {.record = record, .lines = qn_compound_lines_start(record)};
    qn_status status = read_molecule(&reader);
    qn_release(&reader.name);
    if (status == QN_OK)
        *compound = reader.compound;
    else
        qn_compound_destroy(&reader.compound);
    return status;
}

/* The record is one line where Open Babel could not read the SMILES, and many lines (SDF) otherwise. */
qn_status qn_smiles_read(const qn_compound_record *record, qn_compound **compound)
{
    if (memchr(record->text, '\n', record->size)) return qn_sdf_read(record, compound);
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: Open Babel made no molecule of \"%s\"; expected a SMILES", record->path,
                   record->line, qn_quote(record->text, record->size).text);
}
