#include "format/structure/autodock_types.h"

#include <string.h>

#include "format/element.h"

bool qn_autodock_element(const char *type, size_t length, char element[4])
{
    static const struct {
        char type[4], element[4];
    } types[] = {{"A", "C"},   {"HD", "H"},  {"HS", "H"},  {"NA", "N"}, {"NS", "N"}, {"NX", "N"},
                 {"OA", "O"},  {"OS", "O"},  {"OX", "O"},  {"SA", "S"}, {"W", ""},   {"TZ", ""},
                 {"G", ""},    {"G0", ""},   {"G1", ""},   {"G2", ""},  {"G3", ""},  {"CG", "C"},
                 {"CG0", "C"}, {"CG1", "C"}, {"CG2", "C"}, {"CG3", "C"}};
    while (length > 0 && type[0] == ' ') type++, length--;
    while (length > 0 && strchr(" \r", type[length - 1])) length--;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].type) != length || memcmp(types[i].type, type, length) != 0) continue;
        memcpy(element, types[i].element, 4);
        return true;
    }
    return qn_element_find(type, length, element);
}

bool qn_pdbqt_is_atom(const qn_record_lines *lines)
{
    return qn_line_begins(lines, "ATOM  ") || qn_line_begins(lines, "HETATM");
}

static bool has_columns_of_pdbqt(const qn_record_lines *lines)
{
    char element[4];
    double charge;
    qn_word number = qn_record_columns(lines, 71, 76), type = qn_record_columns(lines, 78, 80);
    return qn_number_parse(number.text, number.length, &charge) && memchr(number.text, '.', number.length) &&
           lines->text[76] == ' ' && qn_autodock_element(type.text, type.length, element);
}

bool qn_pdbqt_recognise(const char *text, size_t size)
{
    qn_record_lines lines = {.path = "", .step = 1, .next = text, .end = text + size};
    while (qn_record_lines_next(&lines)) {
        if (qn_line_begins(&lines, "ENDROOT") || qn_line_begins(&lines, "TORSDOF")) return true;
        if (qn_pdbqt_is_atom(&lines)) return lines.length >= 78 && has_columns_of_pdbqt(&lines);
    }
    return false;
}
