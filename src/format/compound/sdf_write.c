#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "format/compound/compound_stream.h"

enum { V2000_MAX = 999, VALENCE_MAX = 14 };

/* A number such as "-12.3456"; printf's decimal point depends on the locale. */
typedef struct decimal {
    char text[32];
} decimal;

static decimal format_position(double angstrom)
{
    decimal number;
    char digits[24];
    long long units = llround(angstrom * 1e4), size = units < 0 ? -units : units;
    int count = 0, length = 0;
    for (; size > 0 || count < 5; size /= 10) digits[count++] = (char)('0' + size % 10);
    if (units < 0) number.text[length++] = '-';
    while (count > 0) {
        if (count == 4) number.text[length++] = '.';
        number.text[length++] = digits[--count];
    }
    number.text[length] = '\0';
    return number;
}

typedef struct sdf_writer {
    const qn_compound *compound;
    const double *positions;
    qn_compound_neighbours neighbours;
    qn_text *text;
} sdf_writer;

static void find_symbol(const qn_compound_atom *atom, char symbol[4])
{
    memcpy(symbol, atom->element, 4);
    symbol[1] = (char)tolower((unsigned char)symbol[1]);
    if (strcmp(symbol, "X") == 0 || symbol[0] == '\0') strcpy(symbol, "*");
}

/* The valence that states an atom's hydrogens; −1: their number is unknown, a bond is aromatic or of unknown order, or
 * the valence is above VALENCE_MAX. */
static int find_valence(const sdf_writer *writer, size_t atom)
{
    int valence = writer->compound->atoms[atom].hydrogens;
    if (valence < 0) return -1;
    for (size_t n = writer->neighbours.start[atom]; n < writer->neighbours.start[atom + 1]; n++) {
        qn_bond_order order = writer->compound->bonds[writer->neighbours.bond[n]].order;
        if (order == QN_BOND_UNKNOWN || order == QN_BOND_AROMATIC) return -1;
        valence += (int)order;
    }
    return valence <= VALENCE_MAX ? valence : -1;
}

static int bond_type(qn_bond_order order)
{
    return order == QN_BOND_UNKNOWN ? 8 : (int)order; /* 8: any */
}

static qn_status write_charges(const sdf_writer *writer)
{
    const qn_compound *compound = writer->compound;
    const size_t most_per_line = 8;
    qn_text line = {0};
    size_t count = 0;
    qn_status status = QN_OK;
    for (size_t i = 0; i < compound->atom_count && status == QN_OK; i++) {
        if (compound->atoms[i].charge_e != 0) {
            status = qn_text_append(&line, " %3zu %3d", i + 1, compound->atoms[i].charge_e);
            count++;
        }
        if (status == QN_OK && (count == most_per_line || (count > 0 && i + 1 == compound->atom_count))) {
            status = qn_text_append(writer->text, "M  CHG%3zu%s\n", count, line.data);
            line.length = count = 0;
        }
    }
    qn_text_clear(&line);
    return status;
}

static qn_status write_v2000(const sdf_writer *writer)
{
    const qn_compound *compound = writer->compound;
    QN_TRY(qn_text_append(writer->text, "%3zu%3zu  0  0  0  0  0  0  0  0999 V2000\n", compound->atom_count,
                          compound->bond_count));
    for (size_t i = 0; i < compound->atom_count; i++) {
        const double *p = writer->positions + 3 * i;
        int charge = compound->atoms[i].charge_e, valence = find_valence(writer, i);
        char symbol[4];
        find_symbol(&compound->atoms[i], symbol);
        QN_TRY(qn_text_append(writer->text, "%10s%10s%10s %-3s 0%3d  0  0  0%3d  0  0  0  0  0  0\n",
                              format_position(p[0]).text, format_position(p[1]).text, format_position(p[2]).text,
                              symbol, charge != 0 && charge >= -3 && charge <= 3 ? 4 - charge : 0,
                              valence < 0    ? 0
                              : valence == 0 ? 15
                                             : valence));
    }
    for (size_t i = 0; i < compound->bond_count; i++)
        QN_TRY(qn_text_append(writer->text, "%3d%3d%3d  0\n", compound->bonds[i].first + 1,
                              compound->bonds[i].second + 1, bond_type(compound->bonds[i].order)));
    return write_charges(writer);
}

static qn_status write_v3000(const sdf_writer *writer)
{
    const qn_compound *compound = writer->compound;
    QN_TRY(qn_text_append(writer->text,
                          "  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
                          "M  V30 COUNTS %zu %zu 0 0 0\nM  V30 BEGIN ATOM\n",
                          compound->atom_count, compound->bond_count));
    for (size_t i = 0; i < compound->atom_count; i++) {
        const double *p = writer->positions + 3 * i;
        int charge = compound->atoms[i].charge_e, valence = find_valence(writer, i);
        char symbol[4];
        find_symbol(&compound->atoms[i], symbol);
        QN_TRY(qn_text_append(writer->text, "M  V30 %zu %s %s %s %s 0", i + 1, symbol, format_position(p[0]).text,
                              format_position(p[1]).text, format_position(p[2]).text));
        if (charge != 0) QN_TRY(qn_text_append(writer->text, " CHG=%d", charge));
        if (valence >= 0) QN_TRY(qn_text_append(writer->text, " VAL=%d", valence == 0 ? -1 : valence));
        QN_TRY(qn_text_append(writer->text, "\n"));
    }
    QN_TRY(qn_text_append(writer->text, "M  V30 END ATOM\n%s", compound->bond_count ? "M  V30 BEGIN BOND\n" : ""));
    for (size_t i = 0; i < compound->bond_count; i++)
        QN_TRY(qn_text_append(writer->text, "M  V30 %zu %d %d %d\n", i + 1, bond_type(compound->bonds[i].order),
                              compound->bonds[i].first + 1, compound->bonds[i].second + 1));
    return qn_text_append(writer->text, "%sM  V30 END CTAB\n", compound->bond_count ? "M  V30 END BOND\n" : "");
}

/* Write a line without its line end, changed if it would end an item or the record. */
static qn_status write_line(qn_text *text, const char *line, size_t length)
{
    while (length > 0 && line[length - 1] == '\r') length--;
    if (length >= 4 && memcmp(line, "$$$$", 4) == 0) QN_TRY(qn_text_append(text, " "));
    QN_TRY(qn_text_append_bytes(text, line, length));
    return qn_text_append(text, "\n");
}

/* Write data items without blank lines, because a blank line ends a value for most programs. */
static qn_status write_items(const qn_compound *compound, qn_text *text)
{
    for (size_t i = 0; i < compound->property_count; i++) {
        const qn_compound_property *property = &compound->properties[i];
        QN_TRY(qn_text_append(text, ">  <%.*s>\n", (int)strcspn(property->name, "\r\n"), property->name));
        for (const char *line = property->value; *line;) {
            size_t length = strcspn(line, "\n");
            if (strspn(line, " \t\r") < length) QN_TRY(write_line(text, line, length));
            line += length + (line[length] == '\n');
        }
        QN_TRY(qn_text_append(text, "\n"));
    }
    return qn_text_append(text, "$$$$\n");
}

/* Whether all positions fit columns of ten characters. */
static qn_status check_positions(const sdf_writer *writer, bool *fit)
{
    *fit = true;
    for (size_t i = 0; i < 3 * writer->compound->atom_count; i++) {
        double x = writer->positions[i];
        if (!(fabs(x) < 1e9))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu has no finite position; expected numbers below 1e9 Å",
                           writer->compound->name, i / 3 + 1);
        *fit = *fit && x > -9999.9999 && x < 99999.9999;
    }
    return QN_OK;
}

qn_status qn_compound_write_sdf(const qn_compound *compound, const double *positions, qn_text *text)
{
    sdf_writer writer = {.compound = compound, .positions = positions, .text = text};
    bool fit;
    if (!positions) writer.positions = compound->positions_angstrom;
    QN_TRY(check_positions(&writer, &fit));
    QN_TRY(write_line(text, compound->name, strcspn(compound->name, "\n")));
    QN_TRY(qn_text_append(text, "  Quern             %s\n\n", compound->flat && !positions ? "2D" : "3D"));
    QN_TRY(qn_compound_find_neighbours(compound, &writer.neighbours));
    bool small = compound->atom_count <= V2000_MAX && compound->bond_count <= V2000_MAX;
    qn_status status = small && fit ? write_v2000(&writer) : write_v3000(&writer);
    qn_compound_neighbours_clear(&writer.neighbours);
    QN_TRY(status);
    QN_TRY(qn_text_append(text, "M  END\n"));
    return write_items(compound, text);
}
