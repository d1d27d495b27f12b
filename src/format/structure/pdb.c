/* Reading PDB files in one pass over the records; every column that is used is checked when it is read.
 *
 * Checking and reading are one step, because a separate check would disagree with the reader. gemmi's PDB reader
 * accepts records that such a check would skip ("atom", "ATOMX") and reads invalid numbers in them as zeros. It also
 * merges waters whose numbers start again after 9999, splits residue names of four letters into name and chain, and
 * fails on files with a misplaced ANISOU record. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "format/element.h"
#include "format/structure/autodock_types.h"
#include "format/structure/formats.h"

typedef struct pdb_scan {
    qn_structure_builder *builder;
    const char *name; /* for messages */
    const char *line;
    int length;
    size_t line_number, atoms, end_line;
    int model, serial; /* the latest ones */
    bool model_is_open, behind_end;
    bool pdbqt; /* partial charges and AutoDock's types after the B factor */
} pdb_scan;

static const double largest_angstrom = 1e5, powers_of_ten[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

/* Take a field by its columns, counted from 1 as in the format's description; `text` gets the part that the line
 * has. */
static int take_field(const pdb_scan *scan, int first, int last, char text[16])
{
    int length = 0;
    while (first + length <= last && first + length <= scan->length) {
        text[length] = scan->line[first - 1 + length];
        length++;
    }
    text[length] = '\0';
    return length;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

/* Remove blanks at the ends of a field; `trimmed` has at least 8 bytes. */
static void trim(const char *text, char *trimmed)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') length--;
    memcpy(trimmed, text, length);
    memset(trimmed + length, 0, 8 - length);
}

/* Parse digits with at most one point, the only form in PDB files. Independent of the locale, and rounded correctly:
 * with at most eight characters the value is a whole number below 2^53 divided by a power of ten. */
static bool parse_decimal(const char *text, double *value)
{
    long long digits = 0;
    int count = 0, decimals = 0;
    bool point = false;
    text += strspn(text, " ");
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits = 10 * digits + (*text - '0');
        count++;
        decimals += point;
    }
    if (count == 0 || !is_blank(text)) return false;
    *value = (double)(negative ? -digits : digits) / powers_of_ten[decimals];
    return true;
}

static bool parse_whole(const char *text, int *value)
{
    double number;
    if (strchr(text, '.') || !parse_decimal(text, &number)) return false;
    *value = (int)number;
    return true;
}

/* Hybrid-36 (cci.lbl.gov/hybrid_36): numbers too large for the column begin with a letter. */
static bool parse_hybrid36(const char *text, int width, int *value)
{
    bool upper = isupper((unsigned char)text[0]) != 0;
    int64_t number = 0, first = 1, beyond = 1;
    if ((int)strlen(text) != width || !isalpha((unsigned char)text[0])) return false;
    for (int i = 0; i < width; i++) {
        if (isdigit((unsigned char)text[i]))
            number = 36 * number + (text[i] - '0');
        else if (upper ? isupper((unsigned char)text[i]) : islower((unsigned char)text[i]))
            number = 36 * number + 10 + (text[i] - (upper ? 'A' : 'a'));
        else
            return false;
        beyond *= 10;
        if (i > 0) first *= 36;
    }
    *value = (int)(number - 10 * first + beyond + (upper ? 0 : 26 * first));
    return true;
}

static qn_status read_coordinate(const pdb_scan *scan, const char *what, int first, double *value)
{
    char text[16];
    take_field(scan, first, first + 7, text);
    if (!parse_decimal(text, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s \"%s\" is not a number (columns %d-%d)", scan->name,
                       scan->line_number, what, text, first, first + 7);
    if (*value > largest_angstrom || *value < -largest_angstrom)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s \"%s\" is out of range (columns %d-%d); expected less than %.0f Å",
                       scan->name, scan->line_number, what, text, first, first + 7, largest_angstrom);
    return QN_OK;
}

/* Read an occupancy or B factor; `fallback` when the field is blank, missing, or full of asterisks (overflow). */
static qn_status read_optional(const pdb_scan *scan, const char *what, int first, double fallback, float *value)
{
    char text[16];
    double number = fallback;
    take_field(scan, first, first + 5, text);
    if (!is_blank(text) && text[strspn(text, "*")] != '\0' && !parse_decimal(text, &number))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s \"%s\" is not a number (columns %d-%d)", scan->name,
                       scan->line_number, what, text, first, first + 5);
    *value = (float)number;
    return QN_OK;
}

/* Serial numbers are only labels: a number that cannot be parsed becomes the previous one plus 1. */
static int read_serial(pdb_scan *scan)
{
    char text[16];
    int serial;
    take_field(scan, 7, 11, text);
    if (!parse_whole(text, &serial) && !parse_hybrid36(text, 5, &serial)) serial = scan->serial + 1;
    return scan->serial = serial;
}

static qn_status check_characters(const pdb_scan *scan)
{
    const int last = 66; /* later columns are free: old files have names and line numbers there */
    for (int i = 0; i < scan->length && i < last; i++) {
        unsigned char c = (unsigned char)scan->line[i];
        if (c < ' ' || c > '~')
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s:%zu: column %d holds %s; expected columns filled with printable text and blanks",
                           scan->name, scan->line_number, i + 1, c == '\t' ? "a tab" : "an unprintable byte");
    }
    return QN_OK;
}

static qn_status read_names(const pdb_scan *scan, qn_file_atom *atom)
{
    char text[16];
    take_field(scan, 13, 16, text);
    if (is_blank(text))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the atom has no name (columns 13-16)", scan->name, scan->line_number);
    trim(text, atom->atom.name);
    /* Column 21 is blank in the archive; simulation programs put the fourth letter of a residue name there. */
    take_field(scan, 18, 21, text);
    trim(text, atom->residue);
    take_field(scan, 22, 22, text);
    trim(text, atom->chain);
    if (atom->chain[0] == '\0' && !scan->pdbqt) {
        /* CNS and HADDOCK files name the chain in the segment columns only. */
        take_field(scan, 73, 76, text);
        char segment[8];
        trim(text, segment);
        if (strlen(segment) == 1 && isalnum((unsigned char)segment[0])) memcpy(atom->chain, segment, sizeof segment);
    }
    take_field(scan, 23, 26, text);
    if (!parse_whole(text, &atom->number) && !parse_hybrid36(text, 4, &atom->number))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: residue number \"%s\" is not a whole number (columns 23-26)", scan->name,
                       scan->line_number, text);
    atom->insertion = scan->line[26] == ' ' ? '\0' : scan->line[26];
    atom->atom.alternate = scan->line[16] == ' ' ? '\0' : scan->line[16];
    return QN_OK;
}

/* Read an element and a charge ("2+", or "+2" in files of some programs) from columns 77-80, where they exist. */
static void read_element_and_charge(const pdb_scan *scan, qn_file_atom *atom)
{
    char text[16], symbol[8] = "";
    take_field(scan, 77, 78, text);
    trim(text, symbol);
    if (strcmp(symbol, "X") == 0)
        strcpy(atom->atom.element, symbol); /* explicitly unknown */
    else if (!qn_element_find(symbol, strlen(symbol), atom->atom.element))
        qn_element_deduce(scan->line + 12, atom->residue, atom->atom.element);
    if (take_field(scan, 79, 80, text) < 2) return;
    char digit = text[0], sign = text[1];
    if (isdigit((unsigned char)sign)) digit = text[1], sign = text[0];
    if (isdigit((unsigned char)digit) && (sign == '+' || sign == '-'))
        atom->atom.charge_e = (signed char)(sign == '-' ? '0' - digit : digit - '0');
}

static qn_status read_autodock_type(const pdb_scan *scan, qn_file_atom *atom)
{
    char text[16];
    int length = take_field(scan, 78, 80, text);
    if (!qn_autodock_element(text, (size_t)length, atom->atom.element))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: type \"%s\" is none of AutoDock's (columns 78-80)", scan->name,
                       scan->line_number, text);
    if (atom->atom.element[0] == '\0') strcpy(atom->atom.element, "X");
    return QN_OK;
}

static qn_status begin_model(pdb_scan *scan, int number)
{
    scan->model = number;
    scan->model_is_open = true;
    return qn_structure_builder_model(scan->builder, number, false);
}

static qn_status read_atom(pdb_scan *scan)
{
    qn_file_atom atom = {.hetero = toupper((unsigned char)scan->line[0]) == 'H'};
    QN_TRY(check_characters(scan));
    if (scan->length < 54)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: the line ends at column %d; an atom needs its coordinates up to column 54", scan->name,
                       scan->line_number, scan->length);
    QN_TRY(read_names(scan, &atom));
    QN_TRY(read_coordinate(scan, "x coordinate", 31, &atom.atom.position_angstrom[0]));
    QN_TRY(read_coordinate(scan, "y coordinate", 39, &atom.atom.position_angstrom[1]));
    QN_TRY(read_coordinate(scan, "z coordinate", 47, &atom.atom.position_angstrom[2]));
    QN_TRY(read_optional(scan, "occupancy", 55, 1, &atom.atom.occupancy));
    QN_TRY(read_optional(scan, "B factor", 61, 0, &atom.atom.b_factor_angstrom2));
    if (scan->pdbqt)
        QN_TRY(read_autodock_type(scan, &atom));
    else
        read_element_and_charge(scan, &atom);
    atom.atom.serial = read_serial(scan);
    scan->atoms++;
    if (!scan->model_is_open) {
        if (scan->behind_end)
            qn_log(QN_LOG_WARNING, "%s:%zu: the atoms after END (line %zu) are read as another model", scan->name,
                   scan->line_number, scan->end_line);
        scan->behind_end = false;
        QN_TRY(begin_model(scan, scan->model + 1));
    }
    return qn_structure_builder_add(scan->builder, &atom);
}

/* The record name is the first six columns. Some programs write it in lower case. */
static bool is_record(const pdb_scan *scan, const char *record)
{
    int i = 0;
    for (; record[i]; i++)
        if (i >= scan->length || toupper((unsigned char)scan->line[i]) != record[i]) return false;
    return i >= 6 || i == scan->length || scan->line[i] == ' ';
}

/* Whether the line begins with "ATOM" or is a HETATM record. After "ATOM", columns 5 and 6 may hold the digits of a
 * serial number that overflowed; anything else there is an error, so that no atom is lost silently. */
static bool is_atom(const pdb_scan *scan)
{
    static const char record[] = "ATOM";
    for (int i = 0; i < 4; i++)
        if (i >= scan->length || toupper((unsigned char)scan->line[i]) != record[i]) return is_record(scan, "HETATM");
    return true;
}

static qn_status check_atom_record_name(const pdb_scan *scan)
{
    for (int i = 4; i < 6 && i < scan->length && toupper((unsigned char)scan->line[0]) == 'A'; i++)
        if (scan->line[i] != ' ' && !isdigit((unsigned char)scan->line[i]))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s:%zu: column %d holds %s; expected a record \"ATOM  \" with blanks up to column 6",
                           scan->name, scan->line_number, i + 1, scan->line[i] == '\t' ? "a tab" : "another character");
    return QN_OK;
}

static qn_status read_record(pdb_scan *scan)
{
    if (is_atom(scan)) {
        QN_TRY(check_atom_record_name(scan));
        return read_atom(scan);
    }
    if (is_record(scan, "TER")) return qn_structure_builder_break(scan->builder);
    if (is_record(scan, "MODEL")) {
        char text[16];
        int number;
        take_field(scan, 7, 14, text); /* columns 11-14; some programs begin earlier */
        return begin_model(scan, parse_whole(text, &number) ? number : scan->model + 1);
    }
    if (is_record(scan, "ENDMDL")) scan->model_is_open = false;
    if (is_record(scan, "END")) {
        scan->behind_end = scan->model_is_open;
        scan->model_is_open = false;
        scan->end_line = scan->line_number;
    }
    return QN_OK;
}

/* Whether the last line breaks off within the name of an atom record. */
static bool is_cut_off(const pdb_scan *scan)
{
    if (scan->length < 2) return false;
    return (scan->length < 4 && memcmp(scan->line, "ATOM", (size_t)scan->length) == 0) ||
           (scan->length < 6 && memcmp(scan->line, "HETATM", (size_t)scan->length) == 0);
}

static qn_status read_file(qn_structure_builder *builder, const char *data, size_t size, bool pdbqt)
{
    const size_t longest_line = 1000;
    pdb_scan scan = {.builder = builder, .name = builder->name, .pdbqt = pdbqt};
    for (const char *end = data + size; data < end;) {
        const char *newline = memchr(data, '\n', (size_t)(end - data));
        size_t length = (size_t)((newline ? newline : end) - data);
        scan.line = data;
        data += length + (newline != NULL);
        if (length > 0 && scan.line[length - 1] == '\r') length--;
        scan.length = (int)(length > longest_line ? longest_line : length);
        scan.line_number++;
        if (!newline && is_cut_off(&scan))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the file ends within a record", scan.name, scan.line_number);
        QN_TRY(read_record(&scan));
    }
    if (scan.atoms == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: holds no ATOM or HETATM record in %s; expected a PDB or mmCIF file",
                       scan.name, qn_count_of(scan.line_number, "line").text);
    return QN_OK;
}

qn_status qn_pdb_read(qn_structure_builder *builder, const char *data, size_t size)
{
    return read_file(builder, data, size, false);
}

qn_status qn_pdbqt_structure_read(qn_structure_builder *builder, const char *data, size_t size)
{
    return read_file(builder, data, size, true);
}
