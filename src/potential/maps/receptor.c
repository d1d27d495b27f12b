#include "potential/maps/receptor.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/record_lines.h"
#include "format/structure/autodock_types.h"

enum { QN_POTENTIAL_CHARGE_MAX = 1000 }; /* e; a larger one is no charge of an atom, and its map may overflow */

static qn_word trim(qn_word word)
{
    while (word.length > 0 && word.text[0] == ' ') word.text++, word.length--;
    while (word.length > 0 && word.text[word.length - 1] == ' ') word.length--;
    return word;
}

static qn_status read_atom(const qn_record_lines *lines, qn_potential_atom *atom)
{
    const qn_word charge = qn_record_columns(lines, 71, 76), type = trim(qn_record_columns(lines, 78, 80));
    const qn_word name = qn_record_columns(lines, 13, 16), residue = trim(qn_record_columns(lines, 18, 27));
    for (int axis = 0; axis < 3; axis++) {
        const size_t first = 31 + 8 * (size_t)axis;
        QN_TRY(qn_record_coordinate(lines, axis, qn_record_columns(lines, first, first + 7),
                                    &atom->position_angstrom[axis]));
    }
    if (!qn_number_parse(charge.text, charge.length, &atom->charge_e))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: charge \"%s\" is not a number (columns 71-76)", lines->path,
                       lines->number, qn_quote(charge.text, charge.length).text);
    if (fabs(atom->charge_e) > QN_POTENTIAL_CHARGE_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: charge \"%s\"; expected at most %d e (columns 71-76)", lines->path,
                       lines->number, qn_quote(charge.text, charge.length).text, QN_POTENTIAL_CHARGE_MAX);
    if (type.length == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the atom has no type; expected one of AutoDock's (columns 78-80)",
                       lines->path, lines->number);
    memcpy(atom->type, type.text, type.length);
    memcpy(atom->name, name.text, name.length);
    memcpy(atom->residue, residue.text, residue.length);
    atom->line = lines->number;
    return QN_OK;
}

qn_status qn_potential_receptor_parse(const char *path, const char *text, size_t size, qn_potential_receptor *receptor)
{
    qn_record_lines lines = {.path = path, .step = 1, .next = text, .end = text + size};
    while (qn_record_lines_next(&lines)) {
        if (!qn_pdbqt_is_atom(&lines)) continue;
        QN_TRY(
            qn_grow((void **)&receptor->atoms, &receptor->capacity, receptor->atom_count + 1, sizeof *receptor->atoms));
        receptor->atoms[receptor->atom_count] = (qn_potential_atom){0};
        QN_TRY(read_atom(&lines, &receptor->atoms[receptor->atom_count++]));
    }
    if (receptor->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: holds no atoms; expected ATOM or HETATM records of a PDBQT file", path);
    return QN_OK;
}

qn_status qn_potential_receptor_read(const char *path, qn_potential_receptor *receptor)
{
    char *data;
    size_t size;
    QN_TRY(qn_file_read(path, &data, &size));
    const qn_status status = qn_potential_receptor_parse(path, data, size, receptor);
    qn_release(&data);
    return status;
}

void qn_potential_receptor_clear(qn_potential_receptor *receptor)
{
    qn_release(&receptor->atoms);
    *receptor = (qn_potential_receptor){0};
}
