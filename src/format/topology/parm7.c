/* Amber's parameter and topology files (parm7, prmtop; ambermd.org, "PARM parameter/topology file specification").
 * Sections: "%FLAG NAME", "%FORMAT(…)" with the number of values per line and their width, then the values. Charges
 * are in e times 18.2223; bonds name atoms by three times their index. */
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "format/topology/topology_format.h"
#include "model/box.h"
#include "model/element_mass.h"

static const double charge_units_per_e = 18.2223, nm_per_angstrom = 0.1;

enum flag {
    POINTERS,
    ATOM_NAME,
    CHARGE,
    ATOMIC_NUMBER,
    MASS,
    RESIDUE_LABEL,
    RESIDUE_POINTER,
    BONDS_INC_HYDROGEN,
    BONDS_WITHOUT_HYDROGEN,
    AMBER_ATOM_TYPE,
    BOX_DIMENSIONS,
    RESIDUE_CHAINID,
    FLAGS
};

static const char *const flag_names[FLAGS] = {
    "POINTERS",
    "ATOM_NAME",
    "CHARGE",
    "ATOMIC_NUMBER",
    "MASS",
    "RESIDUE_LABEL",
    "RESIDUE_POINTER",
    "BONDS_INC_HYDROGEN",
    "BONDS_WITHOUT_HYDROGEN",
    "AMBER_ATOM_TYPE",
    "BOX_DIMENSIONS",
    "RESIDUE_CHAINID",
};

typedef struct parm7_section {
    qn_record_lines lines; /* at the line of its format; path NULL: the file lacks the section */
    const char *name;
    size_t per_line, width;
    size_t taken; /* values */
} parm7_section;

typedef struct parm7_file {
    parm7_section sections[FLAGS];
    size_t atom_count, residue_count, bonds_with_hydrogen, bonds_without_hydrogen;
    int box_kind;
} parm7_file;

static bool recognise(const char *data, size_t size)
{
    return (size >= 8 && memcmp(data, "%VERSION", 8) == 0) || (size >= 5 && memcmp(data, "%FLAG", 5) == 0);
}

static size_t digits(const char *text, size_t length, size_t *at)
{
    const size_t most = 1000;
    size_t number = 0;
    while (*at < length && isdigit((unsigned char)text[*at]) && number <= most)
        number = 10 * number + (size_t)(text[(*at)++] - '0');
    return number;
}

/* "%FORMAT(10I8)", "%FORMAT(5E16.8)", "%FORMAT(a80)". */
static qn_status read_layout(const qn_record_lines *lines, parm7_section *section)
{
    static const char begin[] = "%FORMAT(";
    const size_t most = 1000;
    size_t at = strlen(begin);
    if (qn_line_begins(lines, begin)) {
        section->per_line = digits(lines->text, lines->length, &at);
        if (section->per_line == 0) section->per_line = 1;
        if (at < lines->length && strchr("aAiIeEfFgG", lines->text[at])) {
            at++;
            section->width = digits(lines->text, lines->length, &at);
        }
    }
    if (section->width == 0 || section->width > most || section->per_line > most ||
        !memchr(lines->text, ')', lines->length))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" of flag %s; expected a format such as %%FORMAT(10I8)",
                       lines->path, lines->number, qn_quote(lines->text, lines->length).text, section->name);
    return QN_OK;
}

static qn_status find_sections(const char *path, const char *data, size_t size, parm7_file *file)
{
    qn_record_lines lines = qn_topology_lines(path, data, size);
    for (int i = 0; i < FLAGS; i++) file->sections[i].name = flag_names[i];
    while (qn_record_lines_next(&lines)) {
        size_t at = 0;
        int flag = 0;
        if (!qn_word_is(qn_record_word(&lines, &at), "%FLAG")) continue;
        qn_word name = qn_record_word(&lines, &at);
        while (flag < FLAGS && !qn_word_is(name, flag_names[flag])) flag++;
        if (flag == FLAGS) continue;
        do
            if (!qn_record_lines_next(&lines)) break;
        while (qn_line_begins(&lines, "%COMMENT"));
        QN_TRY(read_layout(&lines, &file->sections[flag]));
        file->sections[flag].lines = lines;
    }
    return QN_OK;
}

/* Take the next value of a section that must have at least `count` values. */
static qn_status next_value(parm7_section *section, const char *path, size_t count, qn_word *value)
{
    qn_record_lines *lines = &section->lines;
    if (!lines->path) return QN_FAIL(QN_BAD_FORMAT, "%s: there is no flag %s", path, section->name);
    const size_t column = section->taken % section->per_line;
    if (column == 0 && (!qn_record_lines_next(lines) || qn_line_begins(lines, "%")))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: flag %s ends after %zu of %zu values", path, lines->number,
                       section->name, section->taken, count);
    *value = qn_record_columns(lines, column * section->width + 1, (column + 1) * section->width);
    section->taken++;
    return QN_OK;
}

static qn_status next_whole(parm7_section *section, const char *path, size_t count, int *number)
{
    qn_word value;
    QN_TRY(next_value(section, path, count, &value));
    if (!qn_number_parse_whole(value.text, value.length, number))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" of flag %s is not a whole number (value %zu of %zu)", path,
                       section->lines.number, qn_quote(value.text, value.length).text, section->name, section->taken,
                       count);
    return QN_OK;
}

static qn_status next_number(parm7_section *section, const char *path, size_t count, double *number)
{
    qn_word value;
    QN_TRY(next_value(section, path, count, &value));
    if (!qn_number_parse(value.text, value.length, number))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" of flag %s is not a number (value %zu of %zu)", path,
                       section->lines.number, qn_quote(value.text, value.length).text, section->name, section->taken,
                       count);
    return QN_OK;
}

/* Read the counts from their places among the pointers: NATOM, NBONH, NRES, NBONA, IFBOX. */
static qn_status read_counts(const char *path, size_t size, parm7_file *file)
{
    enum { NATOM = 0, NBONH = 2, NRES = 11, NBONA = 12, IFBOX = 27, COUNTS = 28 };
    int numbers[COUNTS];
    for (size_t i = 0; i < COUNTS; i++) {
        QN_TRY(next_whole(&file->sections[POINTERS], path, COUNTS, &numbers[i]));
        if (numbers[i] < 0 || (i != IFBOX && (size_t)numbers[i] > size))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %d of flag POINTERS (value %zu) in a file of %zu bytes", path,
                           file->sections[POINTERS].lines.number, numbers[i], i + 1, size);
    }
    file->atom_count = (size_t)numbers[NATOM];
    file->residue_count = (size_t)numbers[NRES];
    file->bonds_with_hydrogen = (size_t)numbers[NBONH];
    file->bonds_without_hydrogen = (size_t)numbers[NBONA];
    file->box_kind = numbers[IFBOX];
    return QN_OK;
}

static qn_status append_atom(const char *path, parm7_file *file, qn_topology *topology)
{
    parm7_section *sections = file->sections;
    const size_t count = file->atom_count;
    qn_topology_atom atom = {0};
    qn_word name, type;
    QN_TRY(next_value(&sections[ATOM_NAME], path, count, &name));
    QN_TRY(next_value(&sections[AMBER_ATOM_TYPE], path, count, &type));
    QN_TRY(next_number(&sections[CHARGE], path, count, &atom.charge_e));
    QN_TRY(next_number(&sections[MASS], path, count, &atom.mass_u));
    if (atom.mass_u < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: mass %g is negative", path, sections[MASS].lines.number, atom.mass_u);
    if (sections[ATOMIC_NUMBER].lines.path) {
        int number;
        QN_TRY(next_whole(&sections[ATOMIC_NUMBER], path, count, &number));
        const char *symbol = qn_element_symbol(number);
        if (symbol) strcpy(atom.element, symbol);
    }
    atom.charge_e /= charge_units_per_e;
    qn_topology_set_name(atom.name, sizeof atom.name, name.text, name.length);
    qn_topology_set_name(atom.type, sizeof atom.type, type.text, type.length);
    return qn_topology_append_atom(topology, &atom);
}

/* Read the number, from 0, of the next residue's first atom. */
static qn_status next_residue_start(const char *path, parm7_file *file, size_t least, size_t *start)
{
    parm7_section *section = &file->sections[RESIDUE_POINTER];
    int number;
    QN_TRY(next_whole(section, path, file->residue_count, &number));
    if (number < 1 || (size_t)number - 1 < least || (size_t)number > file->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: residue %zu begins with atom %d; expected %zu to %zu", path,
                       section->lines.number, section->taken, number, least + 1, file->atom_count);
    *start = (size_t)number - 1;
    return QN_OK;
}

static qn_status read_residues(const char *path, parm7_file *file, qn_topology *topology)
{
    size_t start = 0;
    if (file->residue_count == 0 || file->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %zu atoms of %zu residues", path, file->atom_count, file->residue_count);
    QN_TRY(next_residue_start(path, file, 0, &start));
    if (start != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the first residue begins with atom %zu; expected 1", path, start + 1);
    for (size_t r = 0; r < file->residue_count; r++) {
        qn_topology_residue residue = {.number = (int)r + 1};
        qn_word label;
        size_t end = file->atom_count;
        QN_TRY(next_value(&file->sections[RESIDUE_LABEL], path, file->residue_count, &label));
        qn_topology_set_name(residue.name, sizeof residue.name, label.text, label.length);
        if (file->sections[RESIDUE_CHAINID].lines.path) {
            QN_TRY(next_value(&file->sections[RESIDUE_CHAINID], path, file->residue_count, &label));
            qn_topology_set_name(residue.chain, sizeof residue.chain, label.text, label.length);
        }
        if (r + 1 < file->residue_count) QN_TRY(next_residue_start(path, file, start + 1, &end));
        QN_TRY(qn_topology_append_residue(topology, &residue));
        for (; start < end; start++) QN_TRY(append_atom(path, file, topology));
    }
    return QN_OK;
}

/* Read bonds as triples: three times the index of each atom, and a type. */
static qn_status read_bonds(const char *path, const parm7_file *file, enum flag flag, size_t count,
                            qn_topology *topology)
{
    parm7_section section = file->sections[flag];
    for (size_t i = 0; i < count; i++) {
        int numbers[3];
        for (int k = 0; k < 3; k++) QN_TRY(next_whole(&section, path, 3 * count, &numbers[k]));
        for (int k = 0; k < 2; k++)
            if (numbers[k] < 0 || numbers[k] % 3 != 0 || (size_t)numbers[k] / 3 >= file->atom_count)
                return QN_FAIL(
                    QN_BAD_FORMAT,
                    "%s:%zu: %d of flag %s; expected three times the index of an atom, of which there are %zu", path,
                    section.lines.number, numbers[k], section.name, file->atom_count);
        if (numbers[0] == numbers[1])
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: bond %zu of flag %s joins atom %d to itself", path,
                           section.lines.number, i + 1, section.name, numbers[0] / 3 + 1);
        QN_TRY(qn_topology_append_bond(topology, (size_t)numbers[0] / 3, (size_t)numbers[1] / 3));
    }
    return QN_OK;
}

/* Read β and three lengths in Å. In a truncated octahedron β holds for all angles; other cells are complete only in the
 * coordinate file. */
static qn_status read_box(const char *path, parm7_file *file, double box_nm[9])
{
    enum { RECTANGULAR = 1, OCTAHEDRON = 2 };
    double beta, lengths_nm[3];
    parm7_section *section = &file->sections[BOX_DIMENSIONS];
    if ((file->box_kind != RECTANGULAR && file->box_kind != OCTAHEDRON) || !section->lines.path) return QN_OK;
    QN_TRY(next_number(section, path, 4, &beta));
    for (int i = 0; i < 3; i++) {
        QN_TRY(next_number(section, path, 4, &lengths_nm[i]));
        lengths_nm[i] *= nm_per_angstrom;
    }
    const double other = file->box_kind == OCTAHEDRON ? beta : 90, angles[3] = {other, beta, other};
    qn_status status = qn_box_from_angles(lengths_nm, angles, box_nm);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "%s: flag BOX_DIMENSIONS", path);
}

static qn_status read(const char *path, const char *data, size_t size, qn_topology *topology)
{
    parm7_file file = {0};
    QN_TRY(find_sections(path, data, size, &file));
    QN_TRY(read_counts(path, size, &file));
    QN_TRY(read_residues(path, &file, topology));
    QN_TRY(read_bonds(path, &file, BONDS_INC_HYDROGEN, file.bonds_with_hydrogen, topology));
    QN_TRY(read_bonds(path, &file, BONDS_WITHOUT_HYDROGEN, file.bonds_without_hydrogen, topology));
    topology->masses = QN_MASSES_FROM_FILE;
    topology->has_charges = topology->has_types = topology->has_bonds = true;
    return read_box(path, &file, topology->box_nm);
}

const qn_topology_format qn_topology_parm7 = {"Amber parm7", recognise, read, QN_MOLECULES_OF_BONDS};
