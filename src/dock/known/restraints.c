#include "dock/known/restraints.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "dock/known/haddock_table.h"
#include "model/atom.h"
#include "model/residue_selection.h"

enum {
    FIELDS = 3,    /* two residues and a distance */
    SHOWN_MAX = 40 /* characters of a bad value in a message */
};

#define MAXIMUM_ANGSTROM_MAX 1000.0

static const qn_atom *atom_called(const qn_molecule *molecule, const qn_residue *residue, const char *name,
                                  const char *element)
{
    for (size_t i = 0; i < residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[residue->first_atom + i];
        if (strcmp(atom->name, name) == 0 && strcmp(atom->element, element) == 0) return atom;
    }
    return NULL;
}

/* Find the atom that distances of a residue are measured from; NULL if the residue has no heavy atom. */
static const qn_atom *residue_atom(const qn_molecule *molecule, const qn_residue *residue)
{
    const qn_atom *atom = qn_residue_c_alpha(molecule, residue);
    if (!atom) atom = atom_called(molecule, residue, "P", "P");
    if (!atom) atom = atom_called(molecule, residue, "C1'", "C");
    for (size_t i = 0; i < residue->atom_count && !atom; i++) {
        const qn_atom *candidate = &molecule->atoms[residue->first_atom + i];
        if (!qn_atom_is_hydrogen(candidate)) atom = candidate;
    }
    return atom;
}

/* Split a line into words. Returns whether there are exactly FIELDS words. */
static bool split(char *line, char *fields[FIELDS], int *count)
{
    static const char blanks[] = " \t\r\v\f";
    *count = 0;
    for (char *at = line + strspn(line, blanks); *at; at += strspn(at, blanks)) {
        char *word = at;
        at += strcspn(at, blanks);
        if (*at) *at++ = '\0';
        if (*count < FIELDS) fields[*count] = word;
        (*count)++;
    }
    return *count == FIELDS;
}

static qn_status parse_maximum(const char *text, double *maximum_angstrom)
{
    char *end = NULL;
    bool plain = text[strspn(text, "0123456789+-.eE")] == '\0'; /* neither hexadecimal nor nan */
    if (plain) *maximum_angstrom = strtod(text, &end);
    if (!plain || end == text || *end)
        return QN_FAIL(QN_BAD_FORMAT, "the distance \"%.*s\" is not a number; expected Å, such as 25.0", SHOWN_MAX,
                       text);
    if (!(*maximum_angstrom > 0 && *maximum_angstrom <= MAXIMUM_ANGSTROM_MAX))
        return QN_FAIL(QN_BAD_FORMAT, "the distance %.*s is out of range; expected more than 0 and at most %g Å",
                       SHOWN_MAX, text, MAXIMUM_ANGSTROM_MAX);
    return QN_OK;
}

static qn_status parse_pair(char *const fields[FIELDS], const qn_molecule *receptor, const qn_molecule *ligand,
                            qn_dock_restraint *pair)
{
    bool of_ligand[2] = {false, false};
    for (int side = 0; side < 2; side++) {
        size_t residue;
        QN_TRY(qn_residue_selection_residue(fields[side], receptor, ligand, &of_ligand[side], &residue));
        const qn_molecule *molecule = of_ligand[side] ? ligand : receptor;
        const qn_atom *atom = residue_atom(molecule, &molecule->residues[residue]);
        if (!atom)
            return QN_FAIL(QN_BAD_FORMAT, "the residue \"%.*s\" has no heavy atom; expected one to measure from",
                           SHOWN_MAX, fields[side]);
        memcpy(of_ligand[side] ? pair->ligand_angstrom : pair->receptor_angstrom, atom->position_angstrom,
               sizeof pair->ligand_angstrom);
    }
    if (of_ligand[0] == of_ligand[1])
        return QN_FAIL(QN_BAD_FORMAT, "both \"%.*s\" and \"%.*s\" are of the %s; expected one residue of each partner",
                       SHOWN_MAX, fields[0], SHOWN_MAX, fields[1], of_ligand[0] ? "ligand" : "receptor");
    return parse_maximum(fields[2], &pair->maximum_angstrom);
}

static qn_status parse_line(char *line, const qn_molecule *receptor, const qn_molecule *ligand,
                            qn_dock_restraints *restraints, size_t *capacity)
{
    char *fields[FIELDS];
    int count;
    line[strcspn(line, "#")] = '\0';
    bool complete = split(line, fields, &count);
    if (count == 0) return QN_OK;
    if (!complete)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%d field%s, the first \"%.*s\"; expected 3: two residues and a distance in Å, such as receptor:A:30 "
            "ligand:B:101 25.0",
            count, count == 1 ? "" : "s", SHOWN_MAX, fields[0]);
    qn_dock_restraint pair;
    QN_TRY(parse_pair(fields, receptor, ligand, &pair));
    void *pairs = restraints->pairs;
    qn_status status = qn_grow(&pairs, capacity, restraints->count + 1, sizeof pair);
    restraints->pairs = pairs;
    QN_TRY(status);
    restraints->pairs[restraints->count++] = pair;
    return QN_OK;
}

static qn_status parse_file(const char *path, char *text, size_t size, const qn_molecule *receptor,
                            const qn_molecule *ligand, qn_dock_restraints *restraints)
{
    size_t capacity = 0, number = 1;
    if (memchr(text, '\0', size))
        return QN_FAIL(QN_BAD_FORMAT, "%s: it holds a zero byte; expected a text file of restraints", path);
    for (char *line = text; line; number++) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        qn_status status = parse_line(line, receptor, ligand, restraints, &capacity);
        if (status != QN_OK) return qn_error_add_context(status, "%s:%zu", path, number);
        line = end ? end + 1 : NULL;
    }
    if (restraints->count == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: there is no restraint in it; expected lines such as receptor:A:30 ligand:B:101 25.0", path);
    return QN_OK;
}

static qn_status parse_table(const char *path, const char *text, const qn_molecule *receptor, const qn_molecule *ligand,
                             qn_dock_restraints *restraints)
{
    const qn_molecule *molecules[2] = {receptor, ligand};
    for (int side = 0; side < 2; side++) {
        void *memory;
        QN_TRY(qn_allocate(molecules[side]->residue_count, sizeof(bool), &memory));
        restraints->attracting[side] = memory;
    }
    return qn_haddock_table_parse(path, text, molecules, &restraints->ambiguous, restraints->attracting);
}

qn_status qn_dock_restraints_read(const char *path, const qn_molecule *receptor, const qn_molecule *ligand,
                                  qn_dock_restraints *restraints)
{
    char *text;
    size_t size;
    *restraints = (qn_dock_restraints){0};
    QN_TRY(qn_file_read(path, &text, &size));
    qn_status status = !memchr(text, '\0', size) && qn_haddock_table_is(text)
                           ? parse_table(path, text, receptor, ligand, restraints)
                           : parse_file(path, text, size, receptor, ligand, restraints);
    qn_release(&text);
    if (status != QN_OK) qn_dock_restraints_clear(restraints);
    return status;
}

void qn_dock_restraints_clear(qn_dock_restraints *restraints)
{
    qn_release(&restraints->pairs);
    qn_dock_ambiguous_clear(&restraints->ambiguous);
    for (int side = 0; side < 2; side++) qn_release(&restraints->attracting[side]);
    *restraints = (qn_dock_restraints){0};
}

/* Whether an ambiguous restraint counts. */
static bool counts(const qn_dock_restraints *restraints, size_t index)
{
    return !restraints->certain_only || restraints->ambiguous.list[index].single;
}

size_t qn_dock_restraints_total(const qn_dock_restraints *restraints)
{
    size_t total = restraints->count;
    for (size_t i = 0; i < restraints->ambiguous.count; i++) total += counts(restraints, i);
    return total;
}

qn_status qn_dock_restraints_require(int quota, const char *source, qn_dock_restraints *restraints)
{
    restraints->certain_only = quota == 0;
    const size_t total = qn_dock_restraints_total(restraints);
    restraints->required = quota == 0 ? total : quota > 0 ? (size_t)quota : (total * (size_t)-quota + 99) / 100;
    if (restraints->required > total || (quota != 0 && total == 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %d%s required of %zu; expected at most that many", source, abs(quota),
                       quota < 0    ? " % of the restraints are"
                       : quota == 1 ? " restraint is"
                                    : " restraints are",
                       total);
    return QN_OK;
}

static bool is_pair_satisfied(const qn_dock_restraint *pair, const double matrix[9],
                              const double translation_angstrom[3])
{
    const double *x = pair->ligand_angstrom;
    double squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double *row = matrix + 3 * axis;
        double moved = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + translation_angstrom[axis];
        double apart = moved - pair->receptor_angstrom[axis];
        squared += apart * apart;
    }
    return squared <= pair->maximum_angstrom * pair->maximum_angstrom;
}

size_t qn_dock_restraints_satisfied(const qn_dock_restraints *restraints, const double matrix[9],
                                    const double translation_angstrom[3])
{
    size_t satisfied = 0;
    for (size_t i = 0; i < restraints->count; i++)
        satisfied += is_pair_satisfied(&restraints->pairs[i], matrix, translation_angstrom);
    for (size_t i = 0; i < restraints->ambiguous.count; i++)
        satisfied += counts(restraints, i) &&
                     qn_dock_ambiguous_satisfied(&restraints->ambiguous, i, 0, matrix, translation_angstrom);
    return satisfied;
}
