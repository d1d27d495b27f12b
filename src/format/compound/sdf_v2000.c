#include <string.h>

#include "base/error.h"
#include "format/compound/sdf.h"

enum { CHARGE_MAX = 15 };

static qn_status read_counts(const qn_record_lines *lines, int *atoms, int *bonds)
{
    qn_word atom = qn_record_columns(lines, 1, 3), bond = qn_record_columns(lines, 4, 6);
    if (!qn_number_parse_whole(atom.text, atom.length, atoms) || !qn_number_parse_whole(bond.text, bond.length, bonds))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: counts line \"%s\"; expected the numbers of atoms and bonds in columns 1-3 and 4-6",
                       lines->path, lines->number, qn_quote(lines->text, lines->length).text);
    if (*atoms < 1 || *bonds < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %d atoms and %d bonds; expected at least one atom", lines->path,
                       lines->number, *atoms, *bonds);
    return QN_OK;
}

/* A whole number in columns that may be blank or missing. */
static qn_status read_optional(const qn_record_lines *lines, const char *what, size_t first, size_t last, int *value)
{
    qn_word word = qn_record_columns(lines, first, last);
    *value = 0;
    if (!qn_word_is_blank(word) && !qn_number_parse_whole(word.text, word.length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s \"%s\" is not a whole number (columns %zu-%zu)", lines->path,
                       lines->number, what, qn_quote(word.text, word.length).text, first, last);
    return QN_OK;
}

/* Charges of the atom block are codes: 1 … 7 mean +3 … −3, but 4 is a radical. */
static qn_status read_atom(qn_sdf_reader *reader, size_t index)
{
    const qn_record_lines *lines = &reader->lines;
    qn_compound_atom *atom = &reader->compound->atoms[index];
    double *position = reader->compound->positions_angstrom + 3 * index;
    int mass_difference, charge;
    for (int axis = 0; axis < 3; axis++) {
        size_t first = 1 + 10 * (size_t)axis;
        QN_TRY(qn_record_coordinate(lines, axis, qn_record_columns(lines, first, first + 9), &position[axis]));
    }
    QN_TRY(qn_record_element(lines, index + 1, qn_record_columns(lines, 31, 34), atom->element));
    QN_TRY(read_optional(lines, "mass difference", 35, 36, &mass_difference));
    QN_TRY(read_optional(lines, "charge code", 37, 39, &charge));
    if (charge < 0 || charge > 7)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: charge code %d; expected 0 to 7 (columns 37-39)", lines->path,
                       lines->number, charge);
    atom->charge_e = (signed char)(charge == 0 || charge == 4 ? 0 : 4 - charge);
    qn_sdf_set_mass(atom, 1 + mass_difference);
    return QN_OK;
}

static qn_status read_bond(qn_sdf_reader *reader, qn_compound_bond *bond)
{
    const qn_record_lines *lines = &reader->lines;
    int number[3];
    for (size_t i = 0; i < 3; i++) {
        qn_word word = qn_record_columns(lines, 1 + 3 * i, 3 + 3 * i);
        if (!qn_number_parse_whole(word.text, word.length, &number[i]))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: bond line \"%s\"; expected two atoms and a type in columns 1-9",
                           lines->path, lines->number, qn_quote(lines->text, lines->length).text);
    }
    QN_TRY(qn_record_check_bond(lines, number[0], number[1], reader->compound->atom_count));
    bond->first = number[0] - 1;
    bond->second = number[1] - 1;
    return qn_sdf_bond_order(lines, number[2], &bond->order);
}

/* "M  CHG  2   4  -1   7   1": a count, then pairs of atom and value. */
static qn_status read_property_line(qn_sdf_reader *reader, void (*apply)(qn_compound_atom *atom, int value))
{
    const qn_record_lines *lines = &reader->lines;
    qn_word word = qn_record_columns(lines, 7, 9);
    int count, atom, value;
    bool good = qn_number_parse_whole(word.text, word.length, &count) && count >= 0;
    for (size_t i = 0; good && i < (size_t)count; i++) {
        qn_word first = qn_record_columns(lines, 10 + 8 * i, 13 + 8 * i);
        qn_word second = qn_record_columns(lines, 14 + 8 * i, 17 + 8 * i);
        good = qn_number_parse_whole(first.text, first.length, &atom) &&
               qn_number_parse_whole(second.text, second.length, &value) && atom >= 1 &&
               (size_t)atom <= reader->compound->atom_count;
        if (good && apply) apply(&reader->compound->atoms[atom - 1], value);
    }
    if (!good)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: property line \"%s\"; expected a count, then atoms (1 to %zu) and values", lines->path,
                       lines->number, qn_quote(lines->text, lines->length).text, reader->compound->atom_count);
    return QN_OK;
}

static void set_charge(qn_compound_atom *atom, int value)
{
    if (value > CHARGE_MAX) value = CHARGE_MAX;
    if (value < -CHARGE_MAX) value = -CHARGE_MAX;
    atom->charge_e = (signed char)value;
}

/* Property lines of charges or radicals replace all charges of the atom block. */
static void forget_charges(qn_compound *compound, bool *forgotten)
{
    for (size_t i = 0; i < compound->atom_count && !*forgotten; i++) compound->atoms[i].charge_e = 0;
    *forgotten = true;
}

static qn_status read_properties(qn_sdf_reader *reader)
{
    qn_record_lines *lines = &reader->lines;
    bool forgotten = false;
    while (qn_record_lines_next(lines) && !qn_line_begins(lines, "$$$$")) {
        if (qn_line_begins(lines, "M  END")) return QN_OK;
        bool charges = qn_line_begins(lines, "M  CHG"), radicals = qn_line_begins(lines, "M  RAD");
        if (charges || radicals) forget_charges(reader->compound, &forgotten);
        if (charges || radicals) QN_TRY(read_property_line(reader, charges ? set_charge : NULL));
        if (qn_line_begins(lines, "M  ISO")) QN_TRY(read_property_line(reader, qn_sdf_set_mass));
        /* The alias of an atom and an abbreviated group are followed by a line of free text. */
        if (qn_line_begins(lines, "A  ") || qn_line_begins(lines, "G  ")) qn_record_lines_next(lines);
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the molecule ends without \"M  END\"", lines->path, lines->number);
}

/* Valences, columns 49-51: 15 means zero. */
static qn_status read_valences(qn_sdf_reader *reader, qn_record_lines atom_lines)
{
    qn_compound_neighbours neighbours = {0};
    qn_compound *compound = reader->compound;
    qn_status status = QN_OK;
    for (size_t i = 0; i < compound->atom_count && status == QN_OK; i++) {
        int valence;
        qn_record_lines_next(&atom_lines);
        status = read_optional(&atom_lines, "valence", 49, 51, &valence);
        if (status != QN_OK || valence <= 0 || valence > 15) continue;
        if (!neighbours.start) status = qn_compound_find_neighbours(compound, &neighbours);
        if (status == QN_OK) qn_sdf_set_valence(compound, &neighbours, i, valence == 15 ? 0 : valence);
    }
    qn_compound_neighbours_clear(&neighbours);
    return status;
}

qn_status qn_sdf_read_v2000(qn_sdf_reader *reader)
{
    int atoms, bonds;
    qn_record_lines *lines = &reader->lines;
    QN_TRY(read_counts(lines, &atoms, &bonds));
    QN_TRY(qn_compound_create(reader->name, (size_t)atoms, (size_t)bonds, 1, &reader->compound));
    qn_record_lines atom_lines = *lines;
    for (int i = 0; i < atoms + bonds; i++) {
        if (!qn_record_lines_next(lines) || qn_line_begins(lines, "M  END") || qn_line_begins(lines, "$$$$"))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the molecule ends after %d of its %d atoms and %d of its %d bonds",
                           lines->path, lines->number, i < atoms ? i : atoms, atoms, i < atoms ? 0 : i - atoms, bonds);
        QN_TRY(i < atoms ? read_atom(reader, (size_t)i) : read_bond(reader, &reader->compound->bonds[i - atoms]));
    }
    QN_TRY(read_properties(reader));
    return read_valences(reader, atom_lines);
}
