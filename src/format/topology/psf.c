/* Protein structure files of CHARMM, X-PLOR, NAMD and VMD. A section has a count and that many entries. Two are
 * read: the atoms (number, segment, residue number, residue, name, type, charge, mass, …) and the bonds. Blanks
 * separate the words of an atom in all variants (NAMD's have no columns), except where CHARMM left a field blank; then
 * columns are used: numbers of 8 and names of 4 characters, or with EXT in the first line of 10 and 8, separated by a
 * blank (CHARMM documentation, "io", psf). */
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "format/topology/topology_format.h"

enum { WORDS = 8 }; /* the words of an atom that are used */

enum word { NUMBER, SEGMENT, RESIDUE_NUMBER, RESIDUE, NAME, TYPE, CHARGE, MASS };

static bool recognise(const char *data, size_t size)
{
    return size >= 4 && memcmp(data, "PSF", 3) == 0 && isspace((unsigned char)data[3]);
}

/* Parse digits and an optional letter: "42", "-3", "42A". */
static bool parse_residue_number(qn_word word, qn_topology_residue *residue)
{
    while (word.length > 0 && word.text[word.length - 1] == ' ') word.length--;
    if (word.length > 1 && isalpha((unsigned char)word.text[word.length - 1]))
        residue->insertion = word.text[--word.length];
    return qn_number_parse_whole(word.text, word.length, &residue->number);
}

static bool parse_atom(const qn_word words[WORDS], qn_topology_residue *residue, qn_topology_atom *atom)
{
    return parse_residue_number(words[RESIDUE_NUMBER], residue) && words[TYPE].length > 0 &&
           qn_number_parse(words[CHARGE].text, words[CHARGE].length, &atom->charge_e) &&
           qn_number_parse(words[MASS].text, words[MASS].length, &atom->mass_u);
}

static void split_words(const qn_record_lines *lines, qn_word words[WORDS])
{
    size_t at = 0;
    for (int i = 0; i < WORDS; i++) words[i] = qn_record_word(lines, &at);
}

/* Split the names before the type by columns; the type, of 4 or 6 columns, and the fields after it are never blank. */
static void split_columns(const qn_record_lines *lines, bool extended, qn_word words[WORDS])
{
    const size_t number = extended ? 10 : 8, name = extended ? 8 : 4;
    size_t first = number + 2;
    words[NUMBER] = qn_record_columns(lines, 1, number);
    for (int i = SEGMENT; i <= NAME; i++, first += name + 1)
        words[i] = qn_record_columns(lines, first, first + name - 1);
    size_t at = first - 1;
    for (int i = TYPE; i <= MASS; i++) words[i] = qn_record_word(lines, &at);
}

static bool same_residue(const qn_topology_residue *a, const qn_topology_residue *b)
{
    return a->number == b->number && a->insertion == b->insertion && strcmp(a->name, b->name) == 0 &&
           strcmp(a->segment, b->segment) == 0;
}

static qn_status read_atom(const qn_record_lines *lines, bool extended, qn_topology *topology)
{
    qn_word words[WORDS];
    qn_topology_residue residue = {0};
    qn_topology_atom atom = {0};
    split_words(lines, words);
    if (!parse_atom(words, &residue, &atom)) {
        residue = (qn_topology_residue){0};
        split_columns(lines, extended, words);
        if (!parse_atom(words, &residue, &atom))
            return QN_FAIL(
                QN_BAD_FORMAT,
                "%s:%zu: \"%s\" is not an atom; expected number, segment, residue number, residue, name, type, charge "
                "and mass",
                lines->path, lines->number, qn_quote(lines->text, lines->length).text);
    }
    if (atom.mass_u < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: mass %g is negative", lines->path, lines->number, atom.mass_u);
    qn_topology_set_name(residue.name, sizeof residue.name, words[RESIDUE].text, words[RESIDUE].length);
    qn_topology_set_name(residue.segment, sizeof residue.segment, words[SEGMENT].text, words[SEGMENT].length);
    qn_topology_set_name(atom.name, sizeof atom.name, words[NAME].text, words[NAME].length);
    qn_topology_set_name(atom.type, sizeof atom.type, words[TYPE].text, words[TYPE].length);
    const qn_topology_residue *last = topology->residue_count ? &topology->residues[topology->residue_count - 1] : NULL;
    if (!last || !same_residue(last, &residue)) QN_TRY(qn_topology_append_residue(topology, &residue));
    return qn_topology_append_atom(topology, &atom);
}

/* Read pairs of atoms, numbered from 1, several on a line. */
static qn_status read_bonds(qn_record_lines *lines, int count, qn_topology *topology)
{
    int atoms[2], have = 0, bonds = 0;
    while (bonds < count) {
        if (!qn_record_lines_next(lines))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends after %d of %d bonds", lines->path, lines->number,
                           bonds, count);
        size_t at = 0;
        qn_word word = qn_record_word(lines, &at);
        for (; word.length > 0 && bonds < count; word = qn_record_word(lines, &at)) {
            if (!qn_number_parse_whole(word.text, word.length, &atoms[have]))
                return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is not the number of an atom (bond %d of %d)",
                               lines->path, lines->number, qn_quote(word.text, word.length).text, bonds + 1, count);
            if (++have < 2) continue;
            have = 0;
            bonds++;
            QN_TRY(qn_record_check_bond(lines, atoms[0], atoms[1], topology->atom_count));
            QN_TRY(qn_topology_append_bond(topology, (size_t)atoms[0] - 1, (size_t)atoms[1] - 1));
        }
    }
    return QN_OK;
}

/* Go to the line "count !SECTION…"; false when there is none. */
static bool find_section(qn_record_lines *lines, const char *section, qn_word *count)
{
    while (qn_record_lines_next(lines)) {
        size_t at = 0;
        *count = qn_record_word(lines, &at);
        qn_word name = qn_record_word(lines, &at);
        size_t length = strlen(section);
        if (name.length >= length && memcmp(name.text, section, length) == 0) return true;
    }
    return false;
}

static qn_status read_count(const qn_record_lines *lines, const char *what, qn_word word, int *count)
{
    if (!qn_number_parse_whole(word.text, word.length, count) || *count < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is not a number of %s", lines->path, lines->number,
                       qn_quote(word.text, word.length).text, what);
    return QN_OK;
}

static bool is_extended(const qn_record_lines *lines)
{
    size_t at = 0;
    for (qn_word word = qn_record_word(lines, &at); word.length > 0; word = qn_record_word(lines, &at))
        if (qn_word_is(word, "EXT")) return true;
    return false;
}

static qn_status read(const char *path, const char *data, size_t size, qn_topology *topology)
{
    qn_record_lines lines = qn_topology_lines(path, data, size);
    qn_word word;
    int count;
    qn_record_lines_next(&lines);
    const bool extended = is_extended(&lines);
    if (!find_section(&lines, "!NATOM", &word))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends before its atoms (!NATOM)", path, lines.number);
    QN_TRY(read_count(&lines, "atoms", word, &count));
    for (int i = 0; i < count; i++) {
        if (!qn_record_lines_next(&lines))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends after %d of %d atoms", path, lines.number, i, count);
        QN_TRY(read_atom(&lines, extended, topology));
    }
    topology->masses = QN_MASSES_FROM_FILE;
    topology->has_charges = topology->has_types = true;
    topology->has_bonds = find_section(&lines, "!NBOND", &word);
    if (!topology->has_bonds) return QN_OK;
    QN_TRY(read_count(&lines, "bonds", word, &count));
    return read_bonds(&lines, count, topology);
}

const qn_topology_format qn_topology_psf = {"PSF", recognise, read, QN_MOLECULES_OF_BONDS};
