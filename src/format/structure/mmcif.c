/* Reading the _atom_site category of mmCIF files. Names of atoms and residues come from the label_ columns, chains and
 * residue numbers from the auth_ columns; where a column is absent, the other one replaces it. */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "format/element.h"
#include "format/structure/formats.h"
#include "format/structure/gemmi_bridge.h"

enum column {
    GROUP,
    ID,
    ELEMENT,
    NAME,
    AUTHOR_NAME,
    ALTERNATE,
    RESIDUE,
    AUTHOR_RESIDUE,
    CHAIN,
    AUTHOR_CHAIN,
    NUMBER,
    AUTHOR_NUMBER,
    INSERTION,
    X,
    Y,
    Z,
    OCCUPANCY,
    B_FACTOR,
    CHARGE,
    MODEL,
    COLUMNS
};

static const char *const columns[COLUMNS] = {
    [GROUP] = "group_PDB",
    [ID] = "id",
    [ELEMENT] = "type_symbol",
    [NAME] = "label_atom_id",
    [AUTHOR_NAME] = "auth_atom_id",
    [ALTERNATE] = "label_alt_id",
    [RESIDUE] = "label_comp_id",
    [AUTHOR_RESIDUE] = "auth_comp_id",
    [CHAIN] = "label_asym_id",
    [AUTHOR_CHAIN] = "auth_asym_id",
    [NUMBER] = "label_seq_id",
    [AUTHOR_NUMBER] = "auth_seq_id",
    [INSERTION] = "pdbx_PDB_ins_code",
    [X] = "Cartn_x",
    [Y] = "Cartn_y",
    [Z] = "Cartn_z",
    [OCCUPANCY] = "occupancy",
    [B_FACTOR] = "B_iso_or_equiv",
    [CHARGE] = "pdbx_formal_charge",
    [MODEL] = "pdbx_PDB_model_num",
};

typedef struct mmcif_scan {
    qn_structure_builder *builder;
    const char *name; /* for messages */
    const qn_cif_table *table;
    size_t row;
    int model;
    char label[32]; /* label_asym_id of the previous row of the kept model */
} mmcif_scan;

static qn_status bad_value(const mmcif_scan *scan, enum column column, const char *expected)
{
    qn_cif_value value = {"?", 1};
    qn_cif_table_get(scan->table, scan->row, column, &value);
    return QN_FAIL(QN_BAD_FORMAT, "%s: row %zu of _atom_site (loop at line %d): %s is \"%.*s\"; expected %s",
                   scan->name, scan->row + 1, qn_cif_table_line(scan->table), columns[column],
                   (int)(value.length < 40 ? value.length : 40), value.text, expected);
}

/* Read a number; `fallback` for absent columns and null values. */
static qn_status get_number(const mmcif_scan *scan, enum column column, double lowest, double highest, double fallback,
                            double *number)
{
    qn_cif_value value;
    *number = fallback;
    if (!qn_cif_table_get(scan->table, scan->row, column, &value)) return QN_OK;
    if (!qn_cif_number(value, number)) return bad_value(scan, column, "a number");
    if (*number < lowest || *number > highest) return bad_value(scan, column, "a number of plausible size");
    return QN_OK;
}

static qn_status get_whole(const mmcif_scan *scan, enum column column, int fallback, int *number)
{
    double value;
    QN_TRY(get_number(scan, column, INT_MIN, INT_MAX, fallback, &value));
    *number = (int)value;
    return (double)*number == value ? QN_OK : bad_value(scan, column, "a whole number");
}

static qn_status get_coordinate(const mmcif_scan *scan, enum column column, double *angstrom)
{
    const double largest_angstrom = 1e5;
    qn_cif_value value;
    if (!qn_cif_table_get(scan->table, scan->row, column, &value)) return bad_value(scan, column, "a number");
    return get_number(scan, column, -largest_angstrom, largest_angstrom, 0, angstrom);
}

/* A name of at most seven characters from the first of two columns that has one; "" when neither has. */
static qn_status get_name(const mmcif_scan *scan, enum column column, enum column instead, char name[8])
{
    qn_cif_value value;
    memset(name, 0, 8);
    if (!qn_cif_table_get(scan->table, scan->row, column, &value)) {
        column = instead;
        if (!qn_cif_table_get(scan->table, scan->row, column, &value)) return QN_OK;
    }
    while (value.length > 0 && value.text[0] == ' ') value.text++, value.length--;
    while (value.length > 0 && value.text[value.length - 1] == ' ') value.length--;
    if (value.length > 7) return bad_value(scan, column, "at most 7 characters");
    for (size_t i = 0; i < value.length; i++)
        if (value.text[i] < ' ' || value.text[i] > '~') return bad_value(scan, column, "printable characters");
    memcpy(name, value.text, value.length);
    return QN_OK;
}

static qn_status get_letter(const mmcif_scan *scan, enum column column, char *letter)
{
    char name[8];
    QN_TRY(get_name(scan, column, column, name));
    if (name[0] && name[1]) return bad_value(scan, column, "one character");
    *letter = name[0] == ' ' ? '\0' : name[0];
    return QN_OK;
}

/* The element column, of which only the letters count ("Fe3+"), or else the element that the name suggests. */
static void get_element(const mmcif_scan *scan, qn_file_atom *atom)
{
    qn_cif_value value = {"", 0};
    size_t letters = 0;
    bool given = qn_cif_table_get(scan->table, scan->row, ELEMENT, &value);
    while (letters < value.length && isalpha((unsigned char)value.text[letters])) letters++;
    if (given && qn_element_find(value.text, letters, atom->atom.element)) return;
    strcpy(atom->atom.element, "X");
    if (given && letters == 1 && toupper((unsigned char)value.text[0]) == 'X') return;
    char columns_of_name[4] = {' ', ' ', ' ', ' '};
    size_t length = strlen(atom->atom.name);
    memcpy(columns_of_name, atom->atom.name, length < 4 ? length : 4);
    qn_element_deduce(columns_of_name, atom->residue, atom->atom.element);
}

static qn_status get_identity(const mmcif_scan *scan, qn_file_atom *atom)
{
    qn_cif_value value;
    QN_TRY(get_name(scan, NAME, AUTHOR_NAME, atom->atom.name));
    QN_TRY(get_name(scan, RESIDUE, AUTHOR_RESIDUE, atom->residue));
    QN_TRY(get_name(scan, AUTHOR_CHAIN, CHAIN, atom->chain));
    QN_TRY(get_letter(scan, INSERTION, &atom->insertion));
    QN_TRY(get_letter(scan, ALTERNATE, &atom->atom.alternate));
    enum column number = qn_cif_table_get(scan->table, scan->row, AUTHOR_NUMBER, &value) ? AUTHOR_NUMBER : NUMBER;
    if (!qn_cif_table_get(scan->table, scan->row, number, &value)) return bad_value(scan, number, "a residue number");
    QN_TRY(get_whole(scan, number, 0, &atom->number));
    if (!atom->atom.name[0]) return bad_value(scan, NAME, "an atom name");
    atom->hetero = qn_cif_table_get(scan->table, scan->row, GROUP, &value) && value.length == 6 &&
                   memcmp(value.text, "HETATM", 6) == 0;
    return QN_OK;
}

/* A new label chain is a new molecule, as after a TER record in PDB files. */
static qn_status note_label_chain(mmcif_scan *scan)
{
    qn_cif_value value;
    if (!qn_cif_table_get(scan->table, scan->row, CHAIN, &value)) return QN_OK;
    size_t length = value.length < sizeof scan->label ? value.length : sizeof scan->label - 1;
    bool same = strlen(scan->label) == length && memcmp(scan->label, value.text, length) == 0;
    if (same) return QN_OK;
    memcpy(scan->label, value.text, length);
    scan->label[length] = '\0';
    return qn_structure_builder_break(scan->builder);
}

static qn_status read_row(mmcif_scan *scan)
{
    const double largest = 1e6;
    qn_file_atom atom = {.hetero = false};
    double occupancy, b_factor;
    int model, charge;
    QN_TRY(get_whole(scan, MODEL, 1, &model));
    if (scan->row == 0 || model != scan->model) {
        scan->model = model;
        QN_TRY(qn_structure_builder_model(scan->builder, model, true));
    }
    if (scan->builder->in_model) QN_TRY(note_label_chain(scan));
    QN_TRY(get_identity(scan, &atom));
    for (int axis = 0; axis < 3; axis++) QN_TRY(get_coordinate(scan, X + axis, &atom.atom.position_angstrom[axis]));
    QN_TRY(get_number(scan, OCCUPANCY, -largest, largest, 1, &occupancy));
    QN_TRY(get_number(scan, B_FACTOR, -largest, largest, 0, &b_factor));
    QN_TRY(get_whole(scan, CHARGE, 0, &charge));
    QN_TRY(get_whole(scan, ID, (int)(scan->row < INT_MAX ? scan->row + 1 : INT_MAX), &atom.atom.serial));
    if (charge < SCHAR_MIN || charge > SCHAR_MAX) return bad_value(scan, CHARGE, "a charge");
    atom.atom.occupancy = (float)occupancy;
    atom.atom.b_factor_angstrom2 = (float)b_factor;
    atom.atom.charge_e = (signed char)charge;
    get_element(scan, &atom);
    return qn_structure_builder_add(scan->builder, &atom);
}

static qn_status require(const mmcif_scan *scan, enum column column, enum column instead)
{
    if (qn_cif_table_has(scan->table, column) || qn_cif_table_has(scan->table, instead)) return QN_OK;
    if (column == instead)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%d: the atom loop lacks the column _atom_site.%s", scan->name,
                       qn_cif_table_line(scan->table), columns[column]);
    return QN_FAIL(QN_BAD_FORMAT, "%s:%d: the atom loop lacks the column _atom_site.%s (and %s, which may replace it)",
                   scan->name, qn_cif_table_line(scan->table), columns[column], columns[instead]);
}

static qn_status read_rows(mmcif_scan *scan)
{
    QN_TRY(require(scan, X, X));
    QN_TRY(require(scan, Y, Y));
    QN_TRY(require(scan, Z, Z));
    QN_TRY(require(scan, NAME, AUTHOR_NAME));
    QN_TRY(require(scan, RESIDUE, AUTHOR_RESIDUE));
    QN_TRY(require(scan, AUTHOR_CHAIN, CHAIN));
    QN_TRY(require(scan, AUTHOR_NUMBER, NUMBER));
    size_t rows = qn_cif_table_rows(scan->table);
    for (scan->row = 0; scan->row < rows; scan->row++) QN_TRY(read_row(scan));
    if (rows == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%d: the category _atom_site has no rows", scan->name,
                       qn_cif_table_line(scan->table));
    return QN_OK;
}

/* The first word that is not a comment opens a block, a loop or an item. */
bool qn_mmcif_recognise(const char *data, size_t size)
{
    static const char *const words[] = {"data_", "loop_", "_"};
    const char *end = data + size;
    while (data < end) {
        while (data < end && isspace((unsigned char)*data)) data++;
        if (data == end || *data != '#') break;
        data = memchr(data, '\n', (size_t)(end - data));
        if (!data) return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]), same = 0;
        if ((size_t)(end - data) < length) continue;
        while (same < length && tolower((unsigned char)data[same]) == words[i][same]) same++;
        if (same == length) return true;
    }
    return false;
}

qn_status qn_mmcif_read(qn_structure_builder *builder, const char *data, size_t size)
{
    qn_cif_table *table;
    QN_TRY(qn_cif_table_read(builder->name, data, size, "_atom_site", columns, COLUMNS, &table));
    mmcif_scan scan = {.builder = builder, .name = builder->name, .table = table};
    qn_status status = read_rows(&scan);
    qn_cif_table_destroy(&table);
    return status;
}
