#include "score/atom_parameters.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/atom.h"
#include "score/table_names.h"

/* Radius of an atom without an entry in the table, about that of the table's atoms of the same element. */
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

static const qn_atom_table_entry *find_entry(size_t first, size_t count, const char *name)
{
    for (size_t i = first; i < first + count; i++)
        if (strcmp(qn_atom_table[i].atom, name) == 0) return &qn_atom_table[i];
    return NULL;
}

/* State of the assignment for one molecule. */
typedef struct assignment {
    const qn_molecule *molecule;
    qn_table_names names;
    qn_atom_parameters *parameters;
    qn_hydrogen_list built;
    bool build; /* false: charges of missing hydrogens go to their parents */
} assignment;

/* Build a hydrogen of `charge_e` on atom `parent`, or give the parent the charge. */
static qn_status add_hydrogen(assignment *a, size_t residue, const char *name, double charge_e, size_t parent)
{
    qn_built_hydrogen hydrogen = {.charge_e = charge_e, .parent = parent};
    bool placed = false;
    if (a->build) qn_polar_hydrogen_place(&a->names, residue, name, &a->built, hydrogen.position_angstrom, &placed);
    if (!placed) {
        a->parameters[parent].charge_e += charge_e;
        return QN_OK;
    }
    strncpy(hydrogen.name, name, sizeof hydrogen.name - 1);
    void *items = a->built.items;
    QN_TRY(qn_grow(&items, &a->built.capacity, a->built.count + 1, sizeof hydrogen));
    a->built.items = items;
    a->built.items[a->built.count++] = hydrogen;
    return QN_OK;
}

/* The carbon that carries an aliphatic or aromatic hydrogen of the table: "H6" on "C6", "H5''" on "C5'". */
static long carbon_of(const qn_table_names *names, size_t residue, const char *hydrogen)
{
    char carbon[8] = "C";
    strncpy(carbon + 1, hydrogen + 1, sizeof carbon - 2);
    long found = qn_table_names_find(names, residue, carbon);
    if (found < 0) carbon[strlen(carbon) - 1] = '\0';
    return found >= 0 ? found : qn_table_names_find(names, residue, carbon);
}

/* Whether the hydrogen belongs to a chain end that this residue is not at, or to an amino end, which charge_amino_end
 * handles. */
static bool belongs_to_another_end(const qn_table_names *names, size_t residue, const char *hydrogen)
{
    if (strncmp(hydrogen, "HT", 2) == 0) return true;
    if (strcmp(hydrogen, "H") == 0) return qn_table_names_n_terminal(names, residue);
    if (strcmp(hydrogen, "H5T") == 0) return qn_table_names_find(names, residue, "P") >= 0;
    if (strcmp(hydrogen, "H3T") == 0) return !qn_table_names_ends_nucleic_chain(names, residue);
    return false;
}

/* Add the missing hydrogens of one residue, except those of heavy atoms that are missing too (truncated side chains).
 */
static qn_status add_missing_hydrogens(assignment *a, size_t residue)
{
    const qn_table_residue *entries = &a->names.residues[residue];
    for (size_t i = entries->first; i < entries->first + entries->count; i++) {
        const qn_atom_table_entry *entry = &qn_atom_table[i];
        bool hydrogen = entry->atom[0] == 'H' && entry->type == -1;
        if (!hydrogen || belongs_to_another_end(&a->names, residue, entry->atom)) continue;
        if (qn_table_names_find(&a->names, residue, entry->atom) >= 0) continue;
        const char *polar_parent = qn_polar_hydrogen_parent(entry->residue, entry->atom);
        long parent = polar_parent ? qn_table_names_find(&a->names, residue, polar_parent)
                                   : carbon_of(&a->names, residue, entry->atom);
        if (parent < 0) continue;
        if (polar_parent)
            QN_TRY(add_hydrogen(a, residue, entry->atom, (double)entry->charge_e, (size_t)parent));
        else
            a->parameters[parent].charge_e += (double)entry->charge_e;
    }
    return QN_OK;
}

/* Deoxyribose is ribose without the neutral group C2' H2'' O2' H2': C2' gets the charges of O2' and its hydrogen. */
static void charge_deoxyribose(assignment *a, size_t residue)
{
    const qn_table_residue *entries = &a->names.residues[residue];
    long carbon = qn_table_names_find(&a->names, residue, "C2'");
    if (!entries->deoxy || carbon < 0) return;
    a->parameters[carbon].charge_e += (double)find_entry(entries->first, entries->count, "O2'")->charge_e +
                                      (double)find_entry(entries->first, entries->count, "H2'")->charge_e;
}

/* Give `charge_e` to each of the first `most` hydrogens of the file on an amino end, whatever their names. Bit n − 1 of
 * *numbers: name Hn is in use. */
static size_t charge_amino_hydrogens(assignment *a, size_t residue, size_t most, double charge_e, unsigned *numbers)
{
    static const struct {
        char name[4];
        unsigned number;
    } known[] = {{"H", 1}, {"H1", 1}, {"H2", 2}, {"H3", 3}, {"HT1", 1}, {"HT2", 2}, {"HT3", 3}};
    const qn_residue *of = &a->molecule->residues[residue];
    size_t count = 0;
    *numbers = 0;
    for (size_t i = of->first_atom; i < of->first_atom + of->atom_count; i++)
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            if (strcmp(a->names.atoms[i], known[k].name) != 0) continue;
            a->parameters[i].charge_e = count < most ? charge_e : 0;
            count += count < most;
            *numbers |= 1u << (known[k].number - 1);
        }
    return count;
}

/* NH3+ of a chain's start (NH2+ of proline), CHARMM-19's NTER and PROP: 0.35 e on each hydrogen, 0.25 e on CA (and on
 * proline's CD), and the rest of the formal charge on N. Where the positions of the hydrogens are unknown, N gets all
 * of it. */
static qn_status charge_amino_end(assignment *a, size_t residue)
{
    static const char hydrogen_names[3][4] = {"H1", "H2", "H3"};
    const double hydrogen_charge_e = 0.35, carbon_extra_e = 0.15;
    const qn_table_residue *entries = &a->names.residues[residue];
    const qn_atom_table_entry *amide = find_entry(entries->first, entries->count, "H");
    bool proline = amide == NULL;
    size_t n = (size_t)qn_table_names_find(&a->names, residue, "N"), wanted = proline ? 2 : 3;
    size_t ca = (size_t)qn_table_names_find(&a->names, residue, "CA");
    long cd = proline ? qn_table_names_find(&a->names, residue, "CD") : -1;
    double left = 1 + (amide ? (double)amide->charge_e : 0), ignored[3];
    unsigned used;
    size_t in_file = charge_amino_hydrogens(a, residue, wanted, hydrogen_charge_e, &used);
    bool placed = false;
    if (a->build && in_file == 0) qn_polar_hydrogen_place(&a->names, residue, "H1", &a->built, ignored, &placed);
    if (in_file > 0 || placed) {
        a->parameters[ca].charge_e += carbon_extra_e;
        if (cd >= 0) a->parameters[cd].charge_e += carbon_extra_e;
        left -= carbon_extra_e * (cd >= 0 ? 2 : 1) + (double)wanted * hydrogen_charge_e;
        for (size_t number = 0; number < 3 && in_file < wanted; number++) {
            if (used & 1u << number) continue;
            QN_TRY(add_hydrogen(a, residue, hydrogen_names[number], hydrogen_charge_e, n));
            in_file++;
        }
    }
    a->parameters[n].charge_e += left;
    return QN_OK;
}

/* COO− (CHARMM-19, shifted so that the charges of the residue add up to its formal charge). */
static void charge_carboxyl_end(assignment *a, size_t residue)
{
    long c = qn_table_names_find(&a->names, residue, "C"), oxygen = qn_table_names_find(&a->names, residue, "O"),
         oxt = qn_table_names_find(&a->names, residue, "OXT");
    if (qn_table_names_find(&a->names, residue, "CA") < 0 || c < 0 || oxygen < 0 || oxt < 0) return;
    a->parameters[oxygen].charge_e = a->parameters[oxt].charge_e = -0.57;
    a->parameters[c].charge_e = 0.19;
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

static qn_status assign_residue(assignment *a, size_t index, qn_parameters_summary *summary, unknown_list *unknown)
{
    const qn_residue *residue = &a->molecule->residues[index];
    const qn_table_residue *entries = &a->names.residues[index];
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++) {
        const qn_atom *atom = &a->molecule->atoms[i];
        const qn_atom_table_entry *entry = find_entry(entries->first, entries->count, a->names.atoms[i]);
        qn_atom_parameters *p = &a->parameters[i];
        p->heavy = !qn_atom_is_hydrogen(atom);
        p->type = entry ? entry->type : -1;
        p->charge_e = entry ? (double)entry->charge_e : 0;
        p->radius_angstrom = entry ? entry->radius_angstrom : radius_of_element(atom->element);
        summary->heavy_atoms += p->heavy;
        if (entry || !p->heavy) continue;
        summary->without_entry++;
        QN_TRY(note_unknown(unknown, residue, atom));
    }
    if (!entries->count) return QN_OK;
    QN_TRY(add_missing_hydrogens(a, index));
    if (qn_table_names_n_terminal(&a->names, index)) QN_TRY(charge_amino_end(a, index));
    charge_carboxyl_end(a, index);
    charge_deoxyribose(a, index);
    return QN_OK;
}

static qn_status assign_molecule(assignment *a, qn_parameters_summary *summary)
{
    unknown_list unknown = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < a->molecule->residue_count && status == QN_OK; i++)
        status = assign_residue(a, i, summary, &unknown);
    if (status == QN_OK && summary->without_entry)
        qn_log(QN_LOG_WARNING, "%s: %zu %s no entry in the atom table and %s element's radius, no charge: %s%s",
               a->molecule->name, summary->without_entry, qn_plural(summary->without_entry, "atom has", "atoms have"),
               qn_plural(summary->without_entry, "uses its", "use their"), unknown.names.data,
               unknown.kinds > 40 ? " …" : "");
    qn_text_clear(&unknown.names);
    for (size_t i = 0; i < a->molecule->atom_count; i++) summary->net_charge_e += a->parameters[i].charge_e;
    for (size_t i = 0; i < a->built.count; i++) summary->net_charge_e += a->built.items[i].charge_e;
    return status;
}

qn_status qn_atom_parameters_assign(const qn_molecule *molecule, qn_atom_parameters **parameters,
                                    qn_built_hydrogen **hydrogens, size_t *hydrogen_count,
                                    qn_parameters_summary *summary_out)
{
    void *memory;
    qn_parameters_summary summary = {0};
    assignment a = {.molecule = molecule, .build = hydrogens != NULL};
    QN_TRY(qn_allocate(molecule->atom_count, sizeof(qn_atom_parameters), &memory));
    a.parameters = memory;
    qn_status status = qn_table_names_create(molecule, &a.names);
    if (status == QN_OK) {
        status = assign_molecule(&a, &summary);
        qn_table_names_clear(&a.names);
    }
    if (status != QN_OK) {
        qn_release(&memory);
        qn_release(&a.built.items);
        return status;
    }
    if (summary_out) *summary_out = summary;
    if (hydrogens) {
        *hydrogens = a.built.items;
        *hydrogen_count = a.built.count;
    }
    *parameters = a.parameters;
    return QN_OK;
}
