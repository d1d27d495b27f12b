#include "format/pdb_check.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* A field of a record by its columns, counted from 1 as in the format's description. */
typedef struct pdb_field {
    const char *what;
    int first, last;
    bool required, whole; /* whole: an integer */
} pdb_field;

static const pdb_field fields[] = {
    {"x coordinate", 31, 38, true, false}, {"y coordinate", 39, 46, true, false}, {"z coordinate", 47, 54, true, false},
    {"residue number", 23, 26, true, true}, {"occupancy", 55, 60, false, false},  {"B factor", 61, 66, false, false},
};

static bool is_blank(const char *text, int length)
{
    for (int i = 0; i < length; i++)
        if (text[i] != ' ') return false;
    return true;
}

static qn_status check_field(const char *name, size_t line_number, const char *line, int length, const pdb_field *field)
{
    const double largest_angstrom = 1e5;
    char text[16];
    int width = field->last - field->first + 1;
    if (length < field->last) {
        if (!field->required) return QN_OK;
        QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the line ends at column %d, before the %s (columns %d-%d)", name, line_number,
                length, field->what, field->first, field->last);
    }
    memcpy(text, line + field->first - 1, (size_t)width);
    text[width] = '\0';
    if (is_blank(text, width) && !field->required) return QN_OK;
    /* Residue numbers past 9999 are written in hybrid-36, which begins with a letter. */
    if (field->whole && isalpha((unsigned char)text[0])) return QN_OK;
    char *end;
    double value = field->whole ? (double)strtol(text, &end, 10) : strtod(text, &end);
    bool number = end != text;
    while (*end == ' ') end++;
    if (!number || *end != '\0' || !isfinite(value) || strpbrk(text, "xXpPnN"))
        QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s \"%s\" is not a number (columns %d-%d)", name, line_number, field->what, text,
                field->first, field->last);
    if (fabs(value) > largest_angstrom)
        QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s %s is out of range (columns %d-%d)", name, line_number, field->what, text,
                field->first, field->last);
    return QN_OK;
}

static qn_status check_record(const char *name, size_t line_number, const char *line, int length)
{
    if (length < 54)
        QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the line ends at column %d; an atom needs its coordinates up to column 54", name,
                line_number, length);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        QN_TRY(check_field(name, line_number, line, length, &fields[i]));
    if (is_blank(line + 12, 4))
        QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the atom has no name (columns 13-16)", name, line_number);
    return QN_OK;
}

qn_status qn_pdb_check(const char *name, const char *data, size_t size)
{
    size_t line_number = 0, atoms = 0;
    for (const char *line = data, *end = data + size; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline + 1 : end;
        size_t length = (size_t)((newline ? newline : end) - line);
        if (length > 0 && line[length - 1] == '\r') length--;
        line_number++;
        if (length >= 6 && (strncmp(line, "ATOM  ", 6) == 0 || strncmp(line, "HETATM", 6) == 0)) {
            QN_TRY(check_record(name, line_number, line, length > 1000 ? 1000 : (int)length));
            atoms++;
        } else if (next == end && length > 0 && length < 6 && strncmp(line, "HETATM", length) == 0 && length > 1) {
            QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends within a record", name, line_number);
        }
        line = next;
    }
    if (atoms == 0)
        QN_FAIL(QN_BAD_FORMAT, "%s: holds no ATOM or HETATM record in %zu lines; expected a PDB or mmCIF file", name,
                line_number);
    return QN_OK;
}

static bool is_charge(char first, char second)
{
    if (first == ' ' && second == ' ') return true;
    if (isdigit((unsigned char)first)) return second == '+' || second == '-';
    return (first == '+' || first == '-') && isdigit((unsigned char)second);
}

void qn_pdb_clear_old_columns(char *data, size_t size)
{
    for (char *line = data, *end = data + size; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        char *line_end = newline ? newline : end;
        size_t length = (size_t)(line_end - line);
        if (length > 0 && line[length - 1] == '\r') length--;
        bool atom = length > 78 && (strncmp(line, "ATOM  ", 6) == 0 || strncmp(line, "HETATM", 6) == 0);
        if (atom && !is_charge(line[78], length > 79 ? line[79] : ' '))
            memset(line + 72, ' ', (length < 80 ? length : 80) - 72);
        line = line_end + 1;
    }
}
