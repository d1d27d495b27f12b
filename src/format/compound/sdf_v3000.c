#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/atom_numbers.h"
#include "format/compound/sdf.h"

enum { CHARGE_MAX = 15, ATOMS_MAX = 1000000 };

typedef struct v3000_reader {
    qn_sdf_reader *sdf;
    qn_text line; /* one logical line, without "M  V30 " and with its continuations */
    qn_record_lines joined;
    qn_atom_numbers numbers;
    int *valences; /* 0: not stated; −1: zero */
} v3000_reader;

/* Read the next logical line into `joined`; a line that ends in '-' continues on the next line. */
static qn_status next_line(v3000_reader *reader)
{
    qn_record_lines *lines = &reader->sdf->lines;
    static const char start[] = "M  V30 ";
    const size_t skipped = sizeof start - 1;
    reader->line.length = 0;
    for (bool more = true; more;) {
        if (!qn_record_lines_next(lines) || !qn_line_begins(lines, start))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\"; expected a line that begins with \"M  V30 \"", lines->path,
                           lines->number, qn_quote(lines->text, lines->length).text);
        size_t length = lines->length;
        more = lines->text[length - 1] == '-' && length > skipped;
        QN_TRY(qn_text_append_bytes(&reader->line, lines->text + skipped, length - skipped - more));
    }
    reader->joined = (qn_record_lines){
        .path = lines->path, .number = lines->number, .text = reader->line.data, .length = reader->line.length};
    return QN_OK;
}

static bool line_is(const v3000_reader *reader, const char *first, const char *second)
{
    size_t at = 0;
    return qn_word_is(qn_record_word(&reader->joined, &at), first) &&
           qn_word_is(qn_record_word(&reader->joined, &at), second);
}

static qn_status next_whole(const v3000_reader *reader, size_t *at, const char *what, int *value)
{
    qn_word word = qn_record_word(&reader->joined, at);
    if (!qn_number_parse_whole(word.text, word.length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" in \"%s\"; expected %s", reader->joined.path,
                       reader->joined.number, qn_quote(word.text, word.length).text,
                       qn_quote(reader->joined.text, reader->joined.length).text, what);
    return QN_OK;
}

static qn_status expect(v3000_reader *reader, const char *first, const char *second)
{
    QN_TRY(next_line(reader));
    if (!line_is(reader, first, second))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\"; expected %s %s", reader->joined.path, reader->joined.number,
                       qn_quote(reader->joined.text, reader->joined.length).text, first, second);
    return QN_OK;
}

static qn_status read_counts(v3000_reader *reader)
{
    int atoms, bonds;
    void *memory;
    size_t at = 0;
    QN_TRY(expect(reader, "BEGIN", "CTAB"));
    QN_TRY(next_line(reader));
    if (!qn_word_is(qn_record_word(&reader->joined, &at), "COUNTS"))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\"; expected COUNTS", reader->joined.path, reader->joined.number,
                       qn_quote(reader->joined.text, reader->joined.length).text);
    QN_TRY(next_whole(reader, &at, "the number of atoms", &atoms));
    QN_TRY(next_whole(reader, &at, "the number of bonds", &bonds));
    if (atoms < 1 || bonds < 0 || atoms > ATOMS_MAX || bonds > ATOMS_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %d atoms and %d bonds; expected 1 to %d atoms and up to as many bonds",
                       reader->joined.path, reader->joined.number, atoms, bonds, ATOMS_MAX);
    if ((size_t)(atoms + bonds) > reader->sdf->record->size / 8)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %d atoms and %d bonds; expected no more than the record has room for",
                       reader->joined.path, reader->joined.number, atoms, bonds);
    QN_TRY(qn_compound_create(reader->sdf->name, (size_t)atoms, (size_t)bonds, 1, &reader->sdf->compound));
    QN_TRY(qn_atom_numbers_start(&reader->numbers, (size_t)atoms));
    QN_TRY(qn_allocate((size_t)atoms, sizeof(int), &memory));
    reader->valences = memory;
    return QN_OK;
}

/* Read the number of a word such as "CHG=-1"; *is is false when the word does not begin with `keyword`. */
static qn_status read_keyword(const v3000_reader *reader, qn_word word, const char *keyword, int *value, bool *is)
{
    size_t length = strlen(keyword);
    *is = word.length > length && memcmp(word.text, keyword, length) == 0;
    if (*is && !qn_number_parse_whole(word.text + length, word.length - length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\"; expected %s and a whole number", reader->joined.path,
                       reader->joined.number, qn_quote(word.text, word.length).text, keyword);
    return QN_OK;
}

static qn_status read_atom_options(const v3000_reader *reader, size_t at, qn_compound_atom *atom, int *valence)
{
    for (;;) {
        qn_word word = qn_record_word(&reader->joined, &at);
        int charge = 0, mass = 0;
        bool is_charge, is_mass, is_valence;
        if (word.length == 0) return QN_OK;
        QN_TRY(read_keyword(reader, word, "CHG=", &charge, &is_charge));
        QN_TRY(read_keyword(reader, word, "MASS=", &mass, &is_mass));
        QN_TRY(read_keyword(reader, word, "VAL=", valence, &is_valence));
        if (is_charge && (charge < -CHARGE_MAX || charge > CHARGE_MAX))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: charge %d; expected %d to %d", reader->joined.path,
                           reader->joined.number, charge, -CHARGE_MAX, CHARGE_MAX);
        if (is_charge) atom->charge_e = (signed char)charge;
        if (is_mass) qn_sdf_set_mass(atom, mass);
    }
}

/* "number symbol x y z aamap [keywords]" */
static qn_status read_atom(v3000_reader *reader, size_t index)
{
    size_t at = 0;
    int number, mapping;
    qn_compound_atom *atom = &reader->sdf->compound->atoms[index];
    QN_TRY(next_whole(reader, &at, "the number of an atom", &number));
    qn_atom_numbers_set(&reader->numbers, index, number);
    qn_word symbol = qn_record_word(&reader->joined, &at);
    QN_TRY(qn_record_element(&reader->joined, index + 1, symbol, atom->element));
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_record_coordinate(&reader->joined, axis, qn_record_word(&reader->joined, &at),
                                    &reader->sdf->compound->positions_angstrom[3 * index + (size_t)axis]));
    QN_TRY(next_whole(reader, &at, "the atom's mapping, 0 for none", &mapping));
    return read_atom_options(reader, at, atom, &reader->valences[index]);
}

static qn_status read_atoms(v3000_reader *reader)
{
    size_t count = reader->sdf->compound->atom_count;
    QN_TRY(expect(reader, "BEGIN", "ATOM"));
    for (size_t i = 0; i < count; i++) {
        QN_TRY(next_line(reader));
        if (line_is(reader, "END", "ATOM"))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the list of atoms ends after %zu; expected %zu", reader->joined.path,
                           reader->joined.number, i, count);
        QN_TRY(read_atom(reader, i));
    }
    QN_TRY(expect(reader, "END", "ATOM"));
    return qn_atom_numbers_finish(&reader->numbers, &reader->joined);
}

static qn_status next_bonded(v3000_reader *reader, size_t *at, int *atom)
{
    int number;
    QN_TRY(next_whole(reader, at, "the number of an atom", &number));
    return qn_atom_numbers_find(&reader->numbers, &reader->joined, number, atom);
}

/* "number type first second [keywords]"; *kept is false for a hydrogen bond. */
static qn_status read_bond(v3000_reader *reader, qn_compound_bond *bond, bool *kept)
{
    const int hydrogen_bond = 10;
    size_t at = 0;
    int number, type;
    QN_TRY(next_whole(reader, &at, "the number of a bond", &number));
    QN_TRY(next_whole(reader, &at, "the type of a bond", &type));
    QN_TRY(next_bonded(reader, &at, &bond->first));
    QN_TRY(next_bonded(reader, &at, &bond->second));
    QN_TRY(qn_record_check_bond(&reader->joined, bond->first + 1, bond->second + 1, reader->sdf->compound->atom_count));
    *kept = type != hydrogen_bond;
    return *kept ? qn_sdf_bond_order(&reader->joined, type, &bond->order) : QN_OK;
}

static qn_status read_bonds(v3000_reader *reader)
{
    qn_compound *compound = reader->sdf->compound;
    size_t count = compound->bond_count;
    if (count == 0) return QN_OK;
    compound->bond_count = 0;
    QN_TRY(expect(reader, "BEGIN", "BOND"));
    for (size_t i = 0; i < count; i++) {
        bool kept;
        QN_TRY(next_line(reader));
        if (line_is(reader, "END", "BOND"))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the list of bonds ends after %zu; expected %zu", reader->joined.path,
                           reader->joined.number, i, count);
        QN_TRY(read_bond(reader, &compound->bonds[compound->bond_count], &kept));
        compound->bond_count += kept;
    }
    return expect(reader, "END", "BOND");
}

static qn_status set_valences(v3000_reader *reader)
{
    qn_compound_neighbours neighbours;
    qn_compound *compound = reader->sdf->compound;
    QN_TRY(qn_compound_find_neighbours(compound, &neighbours));
    for (size_t i = 0; i < compound->atom_count; i++)
        if (reader->valences[i] != 0)
            qn_sdf_set_valence(compound, &neighbours, i, reader->valences[i] < 0 ? 0 : reader->valences[i]);
    qn_compound_neighbours_clear(&neighbours);
    return QN_OK;
}

/* Skip other blocks (Sgroups, collections, 3D features), which hold nothing that is used here. */
static qn_status read_table(v3000_reader *reader)
{
    qn_record_lines *lines = &reader->sdf->lines;
    QN_TRY(read_counts(reader));
    QN_TRY(read_atoms(reader));
    QN_TRY(read_bonds(reader));
    QN_TRY(set_valences(reader));
    while (qn_record_lines_next(lines) && !qn_line_begins(lines, "$$$$"))
        if (qn_line_begins(lines, "M  END")) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the molecule ends without \"M  END\"", lines->path, lines->number);
}

qn_status qn_sdf_read_v3000(qn_sdf_reader *sdf)
{
    v3000_reader reader = {.sdf = sdf};
    qn_status status = read_table(&reader);
    qn_text_clear(&reader.line);
    qn_atom_numbers_clear(&reader.numbers);
    qn_release(&reader.valences);
    return status;
}
