/* Writing molecules as PDB and mmCIF. Numbers are formatted here because printf follows the locale's decimal comma. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "format/structure/structure.h"
#include "model/molecule_input.h"
#include "model/pdb_columns.h"

enum { NUMBER_ROOM = 32, COORDINATE_DECIMALS = 3, OTHER_DECIMALS = 2 };

/* Format `value` with a point and this many decimals, right-aligned in `width`; |value| < 1e12. */
static const char *fixed(double value, int width, int decimals, char text[NUMBER_ROOM])
{
    static const long long scales[] = {1, 10, 100, 1000};
    long long scaled = llround(value * (double)scales[decimals]), size = scaled < 0 ? -scaled : scaled;
    char number[NUMBER_ROOM];
    snprintf(number, sizeof number, "%s%lld.%0*d", scaled < 0 ? "-" : "", size / scales[decimals], decimals,
             (int)(size % scales[decimals]) % 1000);
    snprintf(text, NUMBER_ROOM, "%*s", width, number);
    return text;
}

/* Occupancies and B factors that are too large for their six columns are written as the largest value that fits. */
static double clamp(double value)
{
    return value > 999.99 ? 999.99 : value < -99.99 ? -99.99 : value;
}

static qn_status append_remarks(const char *remarks, const char *start, qn_text *text)
{
    for (const char *at = remarks; at && *at;) {
        size_t length = strcspn(at, "\n"), used = length;
        if (used > 0 && at[used - 1] == '\r') used--;
        QN_TRY(qn_text_append(text, "%s", start));
        QN_TRY(qn_text_append_bytes(text, at, used));
        QN_TRY(qn_text_append(text, "\n"));
        at += length + (at[length] == '\n');
    }
    return QN_OK;
}

/* Format columns 13-16. A name begins in the second column unless its element has two letters or the name needs all
 * four. */
static void pdb_atom_name(const qn_atom *atom, char name[5])
{
    bool two_letters = strlen(atom->element) == 2 && strncmp(atom->name, atom->element, 2) == 0;
    snprintf(name, 5, two_letters || strlen(atom->name) >= 4 ? "%-4.4s" : " %-3.3s", atom->name);
}

static char or_blank(char c)
{
    return c ? c : ' ';
}

static qn_status append_pdb_atom(const qn_residue *residue, const qn_atom *atom, int serial, qn_text *text)
{
    char name[5], charge[3] = "  ", x[NUMBER_ROOM], y[NUMBER_ROOM], z[NUMBER_ROOM], occupancy[NUMBER_ROOM],
                  b[NUMBER_ROOM];
    pdb_atom_name(atom, name);
    if (atom->charge_e && atom->charge_e > -10 && atom->charge_e < 10) {
        charge[0] = (char)('0' + (atom->charge_e < 0 ? -atom->charge_e : atom->charge_e));
        charge[1] = atom->charge_e < 0 ? '-' : '+';
    }
    return qn_text_append(text, "%-6s%5d %s%c%3s %c%4d%c   %s%s%s%s%s          %2s%s\n",
                          residue->hetero ? "HETATM" : "ATOM", serial, name, or_blank(atom->alternate), residue->name,
                          or_blank(residue->chain[0]), residue->number, or_blank(residue->insertion),
                          fixed(atom->position_angstrom[0], 8, COORDINATE_DECIMALS, x),
                          fixed(atom->position_angstrom[1], 8, COORDINATE_DECIMALS, y),
                          fixed(atom->position_angstrom[2], 8, COORDINATE_DECIMALS, z),
                          fixed(clamp((double)atom->occupancy), 6, OTHER_DECIMALS, occupancy),
                          fixed(clamp((double)atom->b_factor_angstrom2), 6, OTHER_DECIMALS, b), atom->element, charge);
}

/* The next residue, in this molecule or the next one that has any; NULL at the end. */
static const qn_residue *following(const qn_molecule *const *molecules, size_t count, size_t m, size_t r)
{
    if (r + 1 < molecules[m]->residue_count) return &molecules[m]->residues[r + 1];
    while (++m < count)
        if (molecules[m]->residue_count) return &molecules[m]->residues[0];
    return NULL;
}

/* A TER record ends a polymer chain; within a chain it also separates parts that are not bonded. */
static bool needs_ter(const qn_residue *residue, const qn_residue *next, bool end_of_molecule)
{
    bool same_chain = next && strcmp(next->chain, residue->chain) == 0;
    if (same_chain) return residue->chain_break || end_of_molecule;
    return !residue->hetero;
}

static qn_status append_pdb(const qn_molecule *const *molecules, size_t count, const char *remarks, qn_text *text)
{
    const int serials =
        100000; /* TER records count too, so serial numbers may start again although the atoms alone fit */
    int serial = 0;
    QN_TRY(append_remarks(remarks, "REMARK 900 ", text));
    for (size_t m = 0; m < count; m++) {
        const qn_molecule *molecule = molecules[m];
        for (size_t r = 0; r < molecule->residue_count; r++) {
            const qn_residue *residue = &molecule->residues[r];
            for (size_t i = 0; i < residue->atom_count; i++) {
                serial = (serial + 1) % serials;
                QN_TRY(append_pdb_atom(residue, &molecule->atoms[residue->first_atom + i], serial, text));
            }
            bool last = r + 1 == molecule->residue_count;
            if (!needs_ter(residue, following(molecules, count, m, r), last)) continue;
            serial = (serial + 1) % serials;
            QN_TRY(qn_text_append(text, "TER   %5d      %3s %c%4d%c\n", serial, residue->name,
                                  or_blank(residue->chain[0]), residue->number, or_blank(residue->insertion)));
        }
    }
    return qn_text_append(text, "END\n");
}

/* Whether a value needs no quotes: it does not begin with a reserved word or character of CIF, has no blanks or quotes,
 * and is neither "." nor "?". */
static bool is_plain(const char *value)
{
    static const char *const reserved[] = {"data_", "loop_", "save_", "stop_", "global_"};
    char lower[8] = "";
    for (size_t i = 0; i + 1 < sizeof lower && value[i]; i++)
        lower[i] = (char)(value[i] >= 'A' && value[i] <= 'Z' ? value[i] - 'A' + 'a' : value[i]);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strncmp(lower, reserved[i], strlen(reserved[i])) == 0) return false;
    return *value && !strchr("_#$'\"[];", *value) && !strpbrk(value, " '\"") && strcmp(value, ".") != 0 &&
           strcmp(value, "?") != 0;
}

/* Append a value of a loop and a blank. A quote ends a value only before a blank or a comment, so almost every name
 * that contains one kind of quote can be enclosed in the other kind. */
static qn_status append_cif(const char *value, qn_text *text)
{
    if (is_plain(value)) return qn_text_append(text, "%s ", value);
    if (!strchr(value, '"')) return qn_text_append(text, "\"%s\" ", value);
    if (strstr(value, "' ") || strstr(value, "'#"))
        return QN_FAIL(QN_UNSUPPORTED, "the name <%s> cannot be quoted in the CIF syntax", value);
    return qn_text_append(text, "'%s' ", value);
}

static qn_status append_cif_letter(char letter, const char *none, qn_text *text)
{
    char value[2] = {letter, '\0'};
    return letter ? append_cif(value, text) : qn_text_append(text, "%s ", none);
}

/* label_asym_id is unique for each chain or part of a chain: A … Z, AA, AB … in order of appearance. */
static void label_chain(size_t index, char label[16])
{
    char reversed[16];
    int length = 0;
    do {
        reversed[length++] = (char)('A' + index % 26);
        index = index / 26;
    } while (index-- > 0);
    for (int i = 0; i < length; i++) label[i] = reversed[length - 1 - i];
    label[length] = '\0';
}

typedef struct cif_place {
    char label[16]; /* label_asym_id */
    size_t labels;  /* so far */
    size_t residue; /* label_seq_id */
    size_t atom;
} cif_place;

static qn_status append_cif_atom(const qn_residue *residue, const qn_atom *atom, const cif_place *place, qn_text *text)
{
    char number[NUMBER_ROOM];
    QN_TRY(qn_text_append(text, "%s %zu ", residue->hetero ? "HETATM" : "ATOM", place->atom));
    QN_TRY(append_cif(atom->element, text));
    QN_TRY(append_cif(atom->name, text));
    QN_TRY(append_cif_letter(atom->alternate, ".", text));
    QN_TRY(append_cif(residue->name, text));
    QN_TRY(qn_text_append(text, "%s ? ", place->label));
    if (residue->hetero)
        QN_TRY(qn_text_append(text, ". "));
    else
        QN_TRY(qn_text_append(text, "%zu ", place->residue));
    QN_TRY(append_cif_letter(residue->insertion, "?", text));
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_text_append(text, "%s ", fixed(atom->position_angstrom[axis], 0, COORDINATE_DECIMALS, number)));
    QN_TRY(qn_text_append(text, "%s ", fixed((double)atom->occupancy, 0, OTHER_DECIMALS, number)));
    QN_TRY(qn_text_append(text, "%s ", fixed((double)atom->b_factor_angstrom2, 0, OTHER_DECIMALS, number)));
    if (atom->charge_e)
        QN_TRY(qn_text_append(text, "%d ", atom->charge_e));
    else
        QN_TRY(qn_text_append(text, "? "));
    QN_TRY(qn_text_append(text, "%d ", residue->number));
    QN_TRY(append_cif(residue->name, text));
    QN_TRY(append_cif(residue->chain, text));
    QN_TRY(append_cif(atom->name, text));
    return qn_text_append(text, "1\n");
}

static qn_status append_mmcif(const qn_molecule *const *molecules, size_t count, const char *remarks, qn_text *text)
{
    static const char header[] =
        "data_quern\n#\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
        "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_entity_id\n"
        "_atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n"
        "_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n_atom_site.pdbx_formal_charge\n"
        "_atom_site.auth_seq_id\n_atom_site.auth_comp_id\n_atom_site.auth_asym_id\n_atom_site.auth_atom_id\n"
        "_atom_site.pdbx_PDB_model_num\n";
    cif_place place = {.atom = 0};
    QN_TRY(append_remarks(remarks, "# ", text));
    QN_TRY(qn_text_append(text, "%s", header));
    for (size_t m = 0; m < count; m++) {
        const qn_molecule *molecule = molecules[m];
        for (size_t r = 0; r < molecule->residue_count; r++) {
            const qn_residue *before = r ? &molecule->residues[r - 1] : NULL, *residue = &molecule->residues[r];
            bool begins = !before || before->chain_break || strcmp(before->chain, residue->chain) != 0;
            if (begins) label_chain(place.labels++, place.label);
            place.residue = begins ? 1 : place.residue + 1;
            for (size_t i = 0; i < residue->atom_count; i++) {
                place.atom++;
                QN_TRY(append_cif_atom(residue, &molecule->atoms[residue->first_atom + i], &place, text));
            }
        }
    }
    return qn_text_append(text, "#\n");
}

static bool is_printable(const char *name)
{
    for (; *name; name++)
        if (*name < ' ' || *name > '~') return false;
    return true;
}

/* Refuse molecules that no format can hold: numbers that are not finite or too large, names that are empty or not
 * printable. */
static qn_status check_molecule(const char *path, const qn_molecule *molecule)
{
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        const qn_residue *residue = &molecule->residues[atom->residue];
        bool numbers =
            fabs((double)atom->occupancy) <= QN_FACTOR_MAX && fabs((double)atom->b_factor_angstrom2) <= QN_FACTOR_MAX;
        for (int axis = 0; axis < 3; axis++)
            numbers &= fabs(atom->position_angstrom[axis]) <= QN_COORDINATE_MAX_ANGSTROM;
        if (!numbers)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "%s: atom %zu of %s (%s of %s %d) has a coordinate, occupancy or B factor that is not a number or too "
                "large",
                path, i + 1, molecule->name, atom->name, residue->name, residue->number);
        const char letters[3] = {or_blank(atom->alternate), or_blank(residue->insertion), '\0'};
        if (!*atom->name || !is_printable(atom->name) || !is_printable(residue->name) ||
            !is_printable(residue->chain) || !is_printable(atom->element) || !is_printable(letters))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu of %s has an empty name or one that cannot be written",
                           path, i + 1, molecule->name);
    }
    return QN_OK;
}

static qn_status check_molecules(const char *path, qn_structure_format format, const qn_molecule *const *molecules,
                                 size_t count)
{
    char obstacle[80];
    size_t atoms = 0;
    for (size_t m = 0; m < count; m++) {
        atoms += molecules[m]->atom_count;
        QN_TRY(check_molecule(path, molecules[m]));
        if (format == QN_STRUCTURE_PDB && qn_molecule_pdb_obstacle(molecules[m], obstacle, sizeof obstacle))
            return QN_FAIL(QN_UNSUPPORTED, "%s: %s does not fit the columns of the PDB format: %s; write mmCIF", path,
                           molecules[m]->name, obstacle);
    }
    if (atoms == 0) return QN_FAIL(QN_INVALID_ARGUMENT, "%s: there are no atoms to write", path);
    if (format == QN_STRUCTURE_PDB && atoms > 99999)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: %zu atoms do not fit the columns of the PDB format (at most 99,999); write mmCIF", path,
                       atoms);
    return QN_OK;
}

qn_status qn_structure_write_memory(const char *name, qn_structure_format format, const qn_molecule *const *molecules,
                                    size_t count, const char *remarks, qn_text *text)
{
    QN_TRY(check_molecules(name, format, molecules, count));
    qn_status status = format == QN_STRUCTURE_PDB ? append_pdb(molecules, count, remarks, text)
                                                  : append_mmcif(molecules, count, remarks, text);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "%s", name);
}

qn_status qn_molecule_write(const char *path, qn_structure_format format, const qn_molecule *const *molecules,
                            size_t count, const char *remarks)
{
    qn_text text = {0};
    qn_status status = qn_structure_write_memory(path, format, molecules, count, remarks, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}
