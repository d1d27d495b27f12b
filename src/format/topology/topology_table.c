/* Atoms as a table of words separated by tabs: a line of column names, then one line for each atom. Columns: index
 * (from 0; in order), resid, resname, name, type, mass (u), charge (e); "#index0" and "index0" are other names of
 * index. Required: resid, resname, name. */
#include <string.h>

#include "base/error.h"
#include "format/topology/topology_format.h"

enum column { INDEX, RESID, RESNAME, NAME, TYPE, MASS, CHARGE, COLUMNS };

static const char *const column_names[COLUMNS] = {"index", "resid", "resname", "name", "type", "mass", "charge"};

enum { COLUMNS_MAX = 32 };

typedef struct atom_table {
    qn_record_lines lines;
    int at[COLUMNS]; /* number of each column, or -1 */
} atom_table;

/* Cut the current line at tabs. */
static size_t split(const qn_record_lines *lines, qn_word words[COLUMNS_MAX])
{
    const char *begin = lines->text, *end = lines->text + lines->length;
    for (size_t count = 0; count < COLUMNS_MAX; count++) {
        const char *tab = memchr(begin, '\t', (size_t)(end - begin));
        words[count] = (qn_word){begin, (size_t)((tab ? tab : end) - begin)};
        if (!tab) return count + 1;
        begin = tab + 1;
    }
    return COLUMNS_MAX;
}

static int column_of(qn_word word)
{
    if (word.length > 0 && word.text[0] == '#') word.text++, word.length--;
    if (qn_word_is(word, "index0")) return INDEX;
    for (int column = 0; column < COLUMNS; column++)
        if (qn_word_is(word, column_names[column])) return column;
    return COLUMNS;
}

/* Find the columns in the line of column names. */
static bool read_header(const qn_record_lines *lines, int at[COLUMNS])
{
    qn_word words[COLUMNS_MAX];
    size_t count = split(lines, words);
    for (int column = 0; column < COLUMNS; column++) at[column] = -1;
    for (size_t i = 0; i < count; i++) {
        int column = column_of(words[i]);
        if (column < COLUMNS) at[column] = (int)i;
    }
    return at[RESID] >= 0 && at[RESNAME] >= 0 && at[NAME] >= 0;
}

static bool recognise(const char *data, size_t size)
{
    qn_record_lines lines = qn_topology_lines("", data, size);
    int at[COLUMNS];
    return qn_record_lines_next(&lines) && read_header(&lines, at);
}

static qn_status read_number(const atom_table *table, qn_word word, enum column column, double *value)
{
    if (!qn_number_parse(word.text, word.length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s \"%s\" is not a number", table->lines.path, table->lines.number,
                       column_names[column], qn_quote(word.text, word.length).text);
    return QN_OK;
}

static qn_status read_whole(const atom_table *table, qn_word word, enum column column, int *value)
{
    if (!qn_number_parse_whole(word.text, word.length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s \"%s\" is not a whole number", table->lines.path, table->lines.number,
                       column_names[column], qn_quote(word.text, word.length).text);
    return QN_OK;
}

static qn_status read_row(const atom_table *table, qn_topology *topology)
{
    qn_word words[COLUMNS_MAX], cells[COLUMNS] = {{"", 0}};
    qn_topology_residue residue = {0};
    qn_topology_atom atom = {0};
    size_t count = split(&table->lines, words);
    for (int column = 0; column < COLUMNS; column++) {
        if (table->at[column] < 0) continue;
        if ((size_t)table->at[column] >= count)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %zu words; expected a %s in column %d", table->lines.path,
                           table->lines.number, count, column_names[column], table->at[column] + 1);
        cells[column] = words[table->at[column]];
    }
    if (table->at[INDEX] >= 0) {
        int index;
        QN_TRY(read_whole(table, cells[INDEX], INDEX, &index));
        if (index < 0 || (size_t)index != topology->atom_count)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: index %d; expected %zu: atoms are counted from 0", table->lines.path,
                           table->lines.number, index, topology->atom_count);
    }
    QN_TRY(read_whole(table, cells[RESID], RESID, &residue.number));
    if (table->at[MASS] >= 0) QN_TRY(read_number(table, cells[MASS], MASS, &atom.mass_u));
    if (table->at[CHARGE] >= 0) QN_TRY(read_number(table, cells[CHARGE], CHARGE, &atom.charge_e));
    if (atom.mass_u < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: mass %g is negative", table->lines.path, table->lines.number,
                       atom.mass_u);
    qn_topology_set_name(residue.name, sizeof residue.name, cells[RESNAME].text, cells[RESNAME].length);
    qn_topology_set_name(atom.name, sizeof atom.name, cells[NAME].text, cells[NAME].length);
    qn_topology_set_name(atom.type, sizeof atom.type, cells[TYPE].text, cells[TYPE].length);
    const qn_topology_residue *last = topology->residue_count ? &topology->residues[topology->residue_count - 1] : NULL;
    if (!last || last->number != residue.number || strcmp(last->name, residue.name) != 0)
        QN_TRY(qn_topology_append_residue(topology, &residue));
    return qn_topology_append_atom(topology, &atom);
}

static qn_status read(const char *path, const char *data, size_t size, qn_topology *topology)
{
    atom_table table = {.lines = qn_topology_lines(path, data, size)};
    qn_record_lines_next(&table.lines);
    if (!read_header(&table.lines, table.at))
        return QN_FAIL(QN_BAD_FORMAT, "%s:1: expected the names of columns, resid, resname and name among them", path);
    topology->masses = table.at[MASS] >= 0 ? QN_MASSES_FROM_FILE : QN_MASSES_ABSENT;
    topology->has_charges = table.at[CHARGE] >= 0;
    topology->has_types = table.at[TYPE] >= 0;
    while (qn_record_lines_next(&table.lines)) {
        qn_word line = {table.lines.text, table.lines.length};
        if (!qn_word_is_blank(line)) QN_TRY(read_row(&table, topology));
    }
    return QN_OK;
}

const qn_topology_format qn_topology_table = {"table of atoms", recognise, read, QN_MOLECULES_OF_BONDS};
