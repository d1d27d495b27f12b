/* Compare our types with Open Babel's for 469 molecules. The conventions differ for a few groups: every pair of types
 * that may differ is listed with its reason (docs/design/atom_typing.md), and all other atoms must agree. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "chemistry/sybyl.h"
#include "chemistry/tests/smiles.h"

static const struct {
    const char *theirs, *ours, *reason;
} conventions[] = {
    {"C.ar", "C.2", "rings of five, and rings with an exocyclic C=O, have localised bonds"},
    {"N.ar", "N.2", "the same"},
    {"N.ar", "N.pl3", "the same"},
    {"N.ar", "N.am", "the same, beside the carbonyl"},
    {"O.2", "O.3", "furan's oxygen has single bonds"},
    {"S.2", "S.3", "thiophene's sulfur has single bonds"},
    {"N.3", "N.am", "sulfonamides, as Corina"},
    {"N.pl3", "N.am", "sulfonamides, as Corina"},
    {"C.cat", "C.2", "guanidines that are not charged"},
    {"N.pl3", "N.2", "guanidines that are not charged"},
    {"N.am", "N.2", "a nitrogen with a double bond is not an amide's"},
    {"N.3", "N.pl3", "conjugated with an aromatic ring"},
    {"O.co2", "O.2", "acids drawn with their hydrogen, and nitro groups"},
    {"O.co2", "O.3", "acids drawn with their hydrogen"},
    {"S.3", "S.o2", "sulfonic acids drawn with their hydrogen"},
};

typedef struct agreement {
    size_t molecules, atoms, differences, unexplained;
} agreement;

static bool is_convention(const char *theirs, const char *ours)
{
    for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++)
        if (strcmp(conventions[i].theirs, theirs) == 0 && strcmp(conventions[i].ours, ours) == 0) return true;
    return false;
}

static void compare_line(char *line, agreement *total)
{
    qn_sybyl_type types[SMILES_MAX];
    char *space = strchr(line, ' ');
    if (!CHECK(space != NULL)) return;
    *space = '\0';
    qn_compound *compound = smiles_compound(line);
    if (!CHECK(compound != NULL)) return;
    if (CHECK_OK(qn_sybyl_find_types(compound, types))) {
        char *theirs = strtok(space + 1, ",\n");
        for (size_t i = 0; i < compound->atom_count && CHECK(theirs != NULL); i++, theirs = strtok(NULL, ",\n")) {
            const char *ours = qn_sybyl_name(types[i]);
            total->atoms++;
            if (qn_sybyl_from_name(theirs) == types[i]) continue; /* "S.O2" is S.o2 */
            total->differences++;
            if (is_convention(theirs, ours)) continue;
            total->unexplained++;
            fprintf(stderr, "  %s atom %zu: %s, Open Babel %s\n", line, i + 1, ours, theirs);
        }
        total->molecules++;
    }
    qn_compound_destroy(&compound);
}

static void types_agree_with_open_babel_except_by_convention(void)
{
    agreement total = {0};
    char line[1024];
    FILE *file = fopen(check_data("chemistry/types_by_open_babel.txt"), "r");
    if (!CHECK(file != NULL)) return;
    while (fgets(line, sizeof line, file)) compare_line(line, &total);
    fclose(file);
    CHECK(total.molecules == 469);
    CHECK(total.unexplained == 0);
    CHECK(total.atoms == 7199);
    CHECK(total.differences * 10 < total.atoms); /* more than nine of ten atoms have the same type */
}

int main(void)
{
    RUN(types_agree_with_open_babel_except_by_convention);
    return check_finish();
}
