#include "score/atom_table.h"

#include <string.h>

static const struct {
    char name[6], table_name[6];
} other_names[] = {
    {"HID", "HIS"}, {"HIE", "HSD"},  {"HSE", "HSD"},  {"HIP", "HSC"},  {"HSP", "HSC"}, {"CYX", "CYS"},
    {"CYM", "CYS"}, {"ASH", "ASPH"}, {"GLH", "GLUH"}, {"LYN", "LYSN"}, {"ADE", "A"},   {"CYT", "C"},
    {"GUA", "G"},   {"URA", "U"},    {"DA", "A"},     {"DC", "C"},     {"DG", "G"},    {"DT", "U"},
    {"DU", "U"},    {"GCP", "GNP"},  {"GSP", "GTP"},  {"T", "U"},      {"THY", "U"},
};

size_t qn_atom_table_residue(const char *residue, size_t *first)
{
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strcmp(residue, other_names[i].name) == 0) residue = other_names[i].table_name;
    size_t count = 0;
    for (size_t i = 0; i < qn_atom_table_count; i++) {
        if (strcmp(qn_atom_table[i].residue, residue) != 0) {
            if (count) break;
            continue;
        }
        if (count++ == 0) *first = i;
    }
    return count;
}
