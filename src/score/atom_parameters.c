#include "score/atom_parameters.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

/* Radius of an atom that the table does not know, about that of the table's atoms of the same element. */
static float radius_of_element(const char *element)
{
    static const struct {
        char element[4];
        float radius_angstrom;
    } radii[] = {{"C", 2.1f},  {"N", 1.8f},   {"O", 1.6f}, {"S", 1.9f},   {"P", 1.9f},   {"SE", 1.97f}, {"F", 1.5f},
                 {"CL", 1.8f}, {"BR", 1.95f}, {"I", 2.1f}, {"ZN", 1.09f}, {"MG", 1.73f}, {"CA", 1.37f}};
    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i++)
        if (strcmp(element, radii[i].element) == 0) return radii[i].radius_angstrom;
    return 1.9f;
}

static bool is_hydrogen(const qn_atom *atom)
{
    return strcmp(atom->element, "H") == 0 || strcmp(atom->element, "D") == 0;
}

/* Old and new names of the same atom: O1P/OP1, asterisk/prime, ILE CD/CD1, OT2/OXT, HN/H. */
static void table_atom_name(const qn_residue *residue, const char *name, char table_name[8])
{
    static const struct {
        char name[6], table_name[6];
    } other_names[] = {{"O1P", "OP1"}, {"O2P", "OP2"}, {"OT1", "O"}, {"OT2", "OXT"}, {"HN", "H"}};
    strncpy(table_name, name, 7);
    table_name[7] = '\0';
    bool nucleotide = residue->name[0] != '\0' && strlen(residue->name) <= 2;
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strcmp(name, other_names[i].name) == 0 && (i > 1 || nucleotide))
            strcpy(table_name, other_names[i].table_name);
    for (char *c = table_name; *c; c++)
        if (*c == '*') *c = '\'';
    if (strcmp(residue->name, "ILE") == 0 && strcmp(name, "CD") == 0) strcpy(table_name, "CD1");
}

static const qn_atom_table_entry *find_entry(size_t first, size_t count, const char *name)
{
    for (size_t i = first; i < first + count; i++)
        if (strcmp(qn_atom_table[i].atom, name) == 0) return &qn_atom_table[i];
    return NULL;
}

/* Whether heavy atom `name` carries hydrogen `hydrogen` by the naming rule: same remoteness and branch ("NE" – "HE",
 * "ND2" – "HD21", "O2'" – "H2'", "O5'" – "H5T"), the hydrogen's own number last. */
static bool names_parent(const char *hydrogen, const char *name)
{
    const char *place = hydrogen + 1;
    size_t length = strlen(place);
    if (length == 0) return strcmp(name, "N") == 0;
    if (strcmp(name + 1, place) == 0) return true;
    if (place[length - 1] == 'T') return strncmp(name + 1, place, length - 1) == 0 && strcmp(name + length, "'") == 0;
    return length > 1 && strlen(name + 1) == length - 1 && strncmp(name + 1, place, length - 1) == 0;
}

/* Index of the atom that takes a missing hydrogen's charge, or −1. Polar hydrogens sit on N, O or S. */
static long parent_of(const qn_molecule *molecule, const qn_residue *residue, const qn_atom_table_entry *hydrogen)
{
    bool polar = hydrogen->charge_e >= 0.2f;
    long fallback = -1;
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        if (is_hydrogen(atom) || !names_parent(hydrogen->atom, atom->name)) continue;
        bool carbon = strcmp(atom->element, "C") == 0;
        if (carbon != polar) return (long)i;
        fallback = (long)i;
    }
    return fallback;
}

static long find_atom(const qn_molecule *molecule, const qn_residue *residue, const char *table_name)
{
    char name[8];
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
        table_atom_name(residue, molecule->atoms[i].name, name);
        if (strcmp(name, table_name) == 0) return (long)i;
    }
    return -1;
}

/* Missing hydrogens of one residue. A heavy atom that is absent (truncated side chain) takes its hydrogens with it. */
static void add_missing_hydrogens(const qn_molecule *molecule, const qn_residue *residue, size_t first, size_t count,
                                  qn_atom_parameters *parameters)
{
    for (size_t i = first; i < first + count; i++) {
        const qn_atom_table_entry *entry = &qn_atom_table[i];
        bool hydrogen = entry->atom[0] == 'H' && entry->type == -1;
        if (!hydrogen || strncmp(entry->atom, "HT", 2) == 0) continue;
        /* Hydrogens that end a nucleic chain are built only where the chain ends. */
        if (strcmp(entry->atom, "H5T") == 0 && find_atom(molecule, residue, "P") >= 0) continue;
        if (find_atom(molecule, residue, entry->atom) >= 0) continue;
        long parent = parent_of(molecule, residue, entry);
        if (parent >= 0) parameters[parent].charge_e += entry->charge_e;
    }
}

static bool starts_chain(const qn_molecule *molecule, size_t index)
{
    if (index == 0) return true;
    const qn_residue *before = &molecule->residues[index - 1];
    return strcmp(before->chain, molecule->residues[index].chain) != 0 || find_atom(molecule, before, "OXT") >= 0;
}

/* Charges of NH3+ and COO− (CHARMM-19, shifted so that the residue sums to its formal charge). */
static void charge_termini(const qn_molecule *molecule, size_t index, qn_atom_parameters *parameters)
{
    const qn_residue *residue = &molecule->residues[index];
    long n = find_atom(molecule, residue, "N"), c = find_atom(molecule, residue, "C"),
         oxygen = find_atom(molecule, residue, "O"), oxt = find_atom(molecule, residue, "OXT");
    if (find_atom(molecule, residue, "CA") < 0) return;
    if (n >= 0 && starts_chain(molecule, index)) parameters[n].charge_e += 1;
    if (c >= 0 && oxygen >= 0 && oxt >= 0) {
        parameters[oxygen].charge_e = parameters[oxt].charge_e = -0.57;
        parameters[c].charge_e = 0.19;
    }
}

typedef struct unknown_list {
    qn_text names;
    size_t kinds;
} unknown_list;

static qn_status note_unknown(unknown_list *unknown, const qn_residue *residue, const qn_atom *atom)
{
    enum { LISTED = 40 };
    char name[20];
    size_t length = strlen(residue->name) + strlen(atom->name) + 1;
    memset(name, 0, sizeof name);
    memcpy(name, residue->name, strlen(residue->name));
    name[strlen(residue->name)] = ':';
    memcpy(name + strlen(residue->name) + 1, atom->name, strlen(atom->name));
    for (const char *at = unknown->names.data; at && (at = strstr(at, name)); at += length)
        if (at[length] == '\0' || at[length] == ' ') return QN_OK;
    if (unknown->kinds++ < LISTED) return qn_text_append(&unknown->names, "%s%s", unknown->names.data ? " " : "", name);
    return QN_OK;
}

static qn_status assign_residue(const qn_molecule *molecule, size_t index, qn_atom_parameters *parameters,
                                qn_parameters_summary *summary, unknown_list *unknown)
{
    const qn_residue *residue = &molecule->residues[index];
    size_t first = 0, count = qn_atom_table_residue(residue->name, &first);
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        char name[8];
        table_atom_name(residue, atom->name, name);
        const qn_atom_table_entry *entry = count ? find_entry(first, count, name) : NULL;
        qn_atom_parameters *p = &parameters[i];
        p->heavy = !is_hydrogen(atom);
        p->type = entry ? entry->type : -1;
        p->charge_e = entry ? (double)entry->charge_e : 0;
        p->radius_angstrom = entry ? entry->radius_angstrom : radius_of_element(atom->element);
        summary->heavy_atoms += p->heavy;
        if (entry || !p->heavy) continue;
        summary->without_entry++;
        QN_TRY(note_unknown(unknown, residue, atom));
    }
    if (count) add_missing_hydrogens(molecule, residue, first, count, parameters);
    if (count) charge_termini(molecule, index, parameters);
    return QN_OK;
}

qn_status qn_atom_parameters_assign(const qn_molecule *molecule, qn_atom_parameters **out,
                                    qn_parameters_summary *summary_out)
{
    void *memory;
    qn_parameters_summary summary = {0};
    unknown_list unknown = {0};
    QN_TRY(qn_allocate(molecule->atom_count, sizeof(qn_atom_parameters), &memory));
    qn_atom_parameters *parameters = memory;
    qn_status status = QN_OK;
    for (size_t i = 0; i < molecule->residue_count && status == QN_OK; i++)
        status = assign_residue(molecule, i, parameters, &summary, &unknown);
    if (status != QN_OK) {
        qn_release(&memory);
        qn_text_clear(&unknown.names);
        return status;
    }
    if (summary.without_entry)
        qn_log(QN_LOG_WARNING,
               "%s: %zu atoms have no entry in the atom table and use their element's radius, no charge: %s%s",
               molecule->name, summary.without_entry, unknown.names.data, unknown.kinds > 40 ? " …" : "");
    qn_text_clear(&unknown.names);
    for (size_t i = 0; i < molecule->atom_count; i++) summary.net_charge_e += parameters[i].charge_e;
    if (summary_out) *summary_out = summary;
    *out = parameters;
    return QN_OK;
}
