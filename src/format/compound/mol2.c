/* MOL2: sections that begin with "@<TRIPOS>NAME", in free format; comments begin with '#'. Format: "Tripos Mol2 File
 * Format", 2005. Conformers of BUDE: sections "@<BUDE>CONF number" with one line "x y z" per atom, of all atoms or only
 * of the heavy ones, as BUDE's own programs read them; '%' begins a comment there. */
#include "format/compound/mol2.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/atom_numbers.h"
#include "format/compound/compound_formats.h"

typedef struct mol2_reader {
    const qn_compound_record *record;
    qn_record_lines lines;
    qn_compound *compound;
    qn_atom_numbers numbers;
    int atoms, bonds; /* that the counts line states */
    bool have_charges, have_atoms;
    size_t conformers, conformer_room; /* from CONF sections and the atoms */
} mol2_reader;

bool qn_mol2_recognise(const char *text, size_t size)
{
    qn_compound_record record = {.path = "", .line = 1, .text = (char *)text, .size = size};
    qn_record_lines lines = qn_compound_lines_start(&record);
    while (qn_record_lines_next(&lines))
        if (qn_line_begins(&lines, "@<TRIPOS>")) return true;
    return false;
}

qn_record_cut qn_mol2_cut(qn_record_cutter *cutter, const char *line, size_t size)
{
    static const char begin[] = "@<TRIPOS>MOLECULE";
    bool begins = size >= sizeof begin - 1 && memcmp(line, begin, sizeof begin - 1) == 0;
    if (begins) return cutter->begun ? QN_CUT_NEXT : QN_CUT_INSIDE;
    return cutter->begun ? QN_CUT_INSIDE : QN_CUT_NONE;
}

/* Go to the next line that is neither blank nor a comment. False at the end, and at the first line of another section,
 * which becomes the current line. */
static bool next_in_section(mol2_reader *reader)
{
    qn_record_lines *lines = &reader->lines;
    while (qn_record_lines_next(lines)) {
        size_t at = 0;
        qn_word word = qn_record_word(lines, &at);
        if (word.length > 0 && word.text[0] == '@') return false;
        if (word.length > 0 && word.text[0] != '#' && word.text[0] != '%') return true;
    }
    return false;
}

static qn_status next_whole(const qn_record_lines *lines, size_t *at, const char *what, int *value)
{
    qn_word word = qn_record_word(lines, at);
    if (!qn_number_parse_whole(word.text, word.length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" in \"%s\"; expected %s", lines->path, lines->number,
                       qn_quote(word.text, word.length).text, qn_quote(lines->text, lines->length).text, what);
    return QN_OK;
}

static qn_status read_counts(mol2_reader *reader)
{
    qn_record_lines *lines = &reader->lines;
    size_t at = 0;
    if (!next_in_section(reader))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: the MOLECULE section ends before its counts; expected the number of atoms", lines->path,
                       lines->number);
    QN_TRY(next_whole(lines, &at, "the number of atoms", &reader->atoms));
    size_t behind = at;
    if (qn_record_word(lines, &behind).length > 0)
        QN_TRY(next_whole(lines, &at, "the number of bonds", &reader->bonds));
    if (reader->atoms < 1 || reader->bonds < 0 ||
        (size_t)reader->atoms + (size_t)reader->bonds > reader->record->size / 4)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: %d atoms and %d bonds; expected at least one atom and no more than the record "
                       "has room for",
                       lines->path, lines->number, reader->atoms, reader->bonds);
    return QN_OK;
}

/* Read name, counts, kind of molecule and kind of charges. */
static qn_status read_head(mol2_reader *reader)
{
    qn_record_lines *lines = &reader->lines;
    qn_text name = {0};
    qn_record_lines_next(lines);
    qn_record_lines_next(lines);
    size_t begin = 0, end = lines->length;
    while (end > 0 && strchr(" \t", lines->text[end - 1])) end--;
    while (begin < end && strchr(" \t", lines->text[begin])) begin++;
    bool nameless = end - begin >= 4 && memcmp(lines->text + begin, "****", 4) == 0;
    QN_TRY(qn_text_append_bytes(&name, lines->text + begin, nameless ? 0 : end - begin));
    qn_status status = read_counts(reader);
    if (status == QN_OK)
        status = qn_compound_create(name.data, (size_t)reader->atoms, (size_t)reader->bonds, 1, &reader->compound);
    qn_text_clear(&name);
    QN_TRY(status);
    reader->compound->bond_count = 0; /* counted again while bonds are read */
    reader->conformers = reader->conformer_room = 1;
    reader->have_charges = true;
    while (next_in_section(reader)) {
        size_t at = 0;
        if (qn_word_is(qn_record_word(lines, &at), "NO_CHARGES")) reader->have_charges = false;
    }
    return QN_OK;
}

static void copy_word(qn_word word, char text[8])
{
    size_t length = word.length < 7 ? word.length : 7;
    memcpy(text, word.text, length);
    text[length] = '\0';
}

/* "number name x y z type [substructure [its name [charge]]]" */
static qn_status read_atom(mol2_reader *reader, size_t index)
{
    const qn_record_lines *lines = &reader->lines;
    qn_compound_atom *atom = &reader->compound->atoms[index];
    size_t at = 0;
    int number;
    double charge;
    QN_TRY(next_whole(lines, &at, "the number of an atom", &number));
    qn_atom_numbers_set(&reader->numbers, index, number);
    qn_word name = qn_record_word(lines, &at);
    copy_word(name, atom->name);
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_record_coordinate(lines, axis, qn_record_word(lines, &at),
                                    &reader->compound->positions_angstrom[3 * index + (size_t)axis]));
    qn_word type = qn_record_word(lines, &at);
    if (!qn_mol2_element(type, name, atom->element))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: atom %zu has type \"%s\"; expected a SYBYL type such as C.3",
                       lines->path, lines->number, index + 1, qn_quote(type.text, type.length).text);
    copy_word(type, atom->type);
    qn_record_word(lines, &at);
    qn_record_word(lines, &at);
    qn_word word = qn_record_word(lines, &at);
    if (word.length == 0 || !reader->have_charges) return QN_OK;
    if (!qn_number_parse(word.text, word.length, &charge) || charge > 100 || charge < -100)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: charge \"%s\"; expected a number from -100 to 100", lines->path,
                       lines->number, qn_quote(word.text, word.length).text);
    atom->has_partial_charge = true;
    atom->partial_charge_e = (float)charge;
    return QN_OK;
}

static qn_status read_atoms(mol2_reader *reader)
{
    const qn_record_lines *lines = &reader->lines;
    size_t count = reader->compound->atom_count, index = 0;
    if (reader->have_atoms)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a second ATOM section; expected one per molecule", lines->path,
                       lines->number);
    QN_TRY(qn_atom_numbers_start(&reader->numbers, count));
    for (; next_in_section(reader); index++) {
        if (index == count)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" after all %zu atoms; expected another section", lines->path,
                           lines->number, qn_quote(lines->text, lines->length).text, count);
        QN_TRY(read_atom(reader, index));
    }
    if (index < count)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the ATOM section ends after %zu atoms; expected %zu", lines->path,
                       lines->number, index, count);
    reader->have_atoms = true;
    return qn_atom_numbers_finish(&reader->numbers, lines);
}

static bool find_bond_order(qn_word word, qn_bond_order *order)
{
    static const struct {
        const char *word;
        qn_bond_order order;
    } orders[] = {{"1", QN_BOND_SINGLE},  {"2", QN_BOND_DOUBLE},   {"3", QN_BOND_TRIPLE},  {"ar", QN_BOND_AROMATIC},
                  {"am", QN_BOND_SINGLE}, {"un", QN_BOND_UNKNOWN}, {"du", QN_BOND_UNKNOWN}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (!qn_word_is(word, orders[i].word)) continue;
        *order = orders[i].order;
        return true;
    }
    return false;
}

/* "number first second type"; bonds of type "nc" connect nothing and are dropped. */
static qn_status read_bond(mol2_reader *reader)
{
    const qn_record_lines *lines = &reader->lines;
    qn_compound *compound = reader->compound;
    qn_compound_bond *bond = &compound->bonds[compound->bond_count];
    size_t at = 0;
    int number;
    QN_TRY(next_whole(lines, &at, "the number of a bond", &number));
    QN_TRY(next_whole(lines, &at, "the bond's first atom", &number));
    QN_TRY(qn_atom_numbers_find(&reader->numbers, lines, number, &bond->first));
    QN_TRY(next_whole(lines, &at, "the bond's second atom", &number));
    QN_TRY(qn_atom_numbers_find(&reader->numbers, lines, number, &bond->second));
    QN_TRY(qn_record_check_bond(lines, bond->first + 1, bond->second + 1, compound->atom_count));
    qn_word type = qn_record_word(lines, &at);
    if (qn_word_is(type, "nc")) return QN_OK;
    if (!find_bond_order(type, &bond->order))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: bond of type \"%s\"; expected 1, 2, 3, am, ar, du, un or nc",
                       lines->path, lines->number, qn_quote(type.text, type.length).text);
    compound->bond_count++;
    return QN_OK;
}

static qn_status read_bonds(mol2_reader *reader)
{
    const qn_record_lines *lines = &reader->lines;
    int count = 0;
    for (; next_in_section(reader); count++) {
        if (count == reader->bonds)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" after all %d bonds; expected another section", lines->path,
                           lines->number, qn_quote(lines->text, lines->length).text, count);
        QN_TRY(read_bond(reader));
    }
    if (count < reader->bonds)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the BOND section ends after %d bonds; expected %d", lines->path,
                       lines->number, count, reader->bonds);
    reader->bonds = 0; /* none are left for another section */
    return QN_OK;
}

/* "atom count", then that many lines "name value"; only formal charges are used. */
static qn_status read_attributes(mol2_reader *reader)
{
    const qn_record_lines *lines = &reader->lines;
    while (next_in_section(reader)) {
        size_t at = 0;
        int number, count, index, charge;
        QN_TRY(next_whole(lines, &at, "the number of an atom", &number));
        QN_TRY(next_whole(lines, &at, "the number of its attributes", &count));
        QN_TRY(qn_atom_numbers_find(&reader->numbers, lines, number, &index));
        for (int i = 0; i < count; i++) {
            if (!next_in_section(reader)) return QN_OK;
            at = 0;
            if (!qn_word_is(qn_record_word(lines, &at), "charge")) continue;
            QN_TRY(next_whole(lines, &at, "a formal charge", &charge));
            if (charge >= -15 && charge <= 15) reader->compound->atoms[index].charge_e = (signed char)charge;
        }
    }
    return QN_OK;
}

static size_t count_heavy_atoms(const qn_compound *compound)
{
    size_t count = 0;
    for (size_t i = 0; i < compound->atom_count; i++)
        count += !qn_compound_atom_is_hydrogen(&compound->atoms[i]) && !qn_mol2_is_lone_pair(&compound->atoms[i]);
    return count;
}

/* Number of lines in the section that has just begun. */
static size_t count_lines(const mol2_reader *reader)
{
    mol2_reader ahead = *reader;
    size_t count = 0;
    while (next_in_section(&ahead)) count++;
    return count;
}

/* Read one more conformer: positions of all atoms, or of the heavy atoms only, in which case the compound loses its
 * hydrogens. */
static qn_status read_conformer(mol2_reader *reader)
{
    const qn_record_lines *lines = &reader->lines;
    qn_compound *compound = reader->compound;
    size_t count = count_lines(reader), heavy = count_heavy_atoms(compound);
    if (!reader->have_atoms)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a CONF section before the atoms; expected the ATOM section first",
                       lines->path, lines->number);
    if (count == heavy && heavy < compound->atom_count && heavy > 0 && reader->conformers == 1 && reader->bonds == 0) {
        QN_TRY(qn_mol2_drop_atoms(compound, true));
        qn_atom_numbers_clear(&reader->numbers); /* no later section refers to atoms */
    }
    if (count != compound->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a CONF section of %zu lines; expected one for each of %zu atoms",
                       lines->path, lines->number, count, compound->atom_count);
    if (reader->conformers == reader->conformer_room) {
        reader->conformer_room *= 2;
        QN_TRY(qn_compound_set_conformer_count(compound, reader->conformer_room));
    }
    double *positions = qn_compound_positions(compound, reader->conformers);
    for (size_t i = 0; next_in_section(reader); i++) {
        size_t at = 0;
        for (int axis = 0; axis < 3; axis++)
            QN_TRY(qn_record_coordinate(lines, axis, qn_record_word(lines, &at), &positions[3 * i + (size_t)axis]));
    }
    /* Files that list all conformers repeat the positions of the ATOM section. */
    size_t bytes = 3 * compound->atom_count * sizeof *positions;
    reader->conformers += memcmp(positions, compound->positions_angstrom, bytes) != 0;
    return QN_OK;
}

static qn_status read_section(mol2_reader *reader)
{
    size_t at = 0;
    qn_word name = qn_record_word(&reader->lines, &at);
    if (qn_word_is(name, "@<TRIPOS>ATOM")) return read_atoms(reader);
    if (qn_word_is(name, "@<TRIPOS>BOND")) return read_bonds(reader);
    if (qn_word_is(name, "@<TRIPOS>UNITY_ATOM_ATTR")) return read_attributes(reader);
    if (qn_word_is(name, "@<BUDE>CONF")) return read_conformer(reader);
    while (next_in_section(reader)) continue;
    return QN_OK;
}

static qn_status read_molecule(mol2_reader *reader)
{
    const qn_record_lines *lines = &reader->lines;
    QN_TRY(read_head(reader));
    while (lines->length > 0) QN_TRY(read_section(reader));
    qn_compound *compound = reader->compound;
    if (!reader->have_atoms)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the molecule has no ATOM section", lines->path, reader->record->line);
    if (reader->bonds > 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the molecule has no BOND section; expected one of %d bonds", lines->path,
                       reader->record->line, reader->bonds);
    QN_TRY(qn_compound_set_conformer_count(compound, reader->conformers));
    QN_TRY(qn_compound_lines_check(reader->record, compound));
    QN_TRY(qn_mol2_drop_atoms(compound, false));
    if (compound->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the molecule has nothing but lone pairs; expected atoms", lines->path,
                       reader->record->line);
    compound->flat = compound->atom_count > 1;
    for (size_t i = 0; i < compound->atom_count && compound->flat; i++)
        compound->flat = compound->positions_angstrom[3 * i + 2] == 0;
    return qn_mol2_settle_bonds(compound);
}

qn_status qn_mol2_read(const qn_compound_record *record, qn_compound **compound)
{
    mol2_reader reader = {.record = record, .lines = qn_compound_lines_start(record)};
    qn_status status = read_molecule(&reader);
    qn_atom_numbers_clear(&reader.numbers);
    if (status == QN_OK)
        *compound = reader.compound;
    else
        qn_compound_destroy(&reader.compound);
    return status;
}
