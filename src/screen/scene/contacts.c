#include "screen/scene/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/vina.h"

static const double near_angstrom = 4, polar_angstrom = 3.5, hydrophobic_angstrom = 4.3, metal_angstrom = 3;
static const double hydrophobic_surface_angstrom = 0.5;

const char *qn_contact_name(qn_contact_kind kind)
{
    static const char *const names[QN_CONTACT_KINDS] = {
        [QN_CONTACT_METAL] = "metal", [QN_CONTACT_HYDROGEN_BOND] = "hydrogen bond",
        [QN_CONTACT_POLAR] = "polar", [QN_CONTACT_HYDROPHOBIC] = "hydrophobic",
        [QN_CONTACT_NEAR] = "near",
    };
    return names[kind];
}

/* A pose and its receptor with types of both. */
typedef struct pair_search {
    const qn_score_receptor *receptor;
    const qn_compound *compound;
    int *types; /* rows of Vina's table for the atoms of the compound; NULL: another score */
    qn_contact *contacts;
    size_t count, capacity;
} pair_search;

static const char *receptor_element(const qn_score_receptor *receptor, size_t atom)
{
    const qn_residue *residue = &receptor->molecule->residues[receptor->residues[atom]];
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
        if (memcmp(receptor->molecule->atoms[i].position_angstrom, receptor->positions_angstrom + 3 * atom,
                   3 * sizeof(double)) == 0)
            return receptor->molecule->atoms[i].element;
    return "";
}

static bool is_one_of(const char *element, const char *list)
{
    const char *at = strstr(list, element);
    return element[0] && at && at[-1] == ' ' && at[strlen(element)] == ' ';
}

static qn_contact_kind kind_of_elements(const char *a, const char *b, double distance)
{
    static const char polar[] = " N O S ", hydrophobic[] = " C S F CL BR I ";
    if (is_one_of(a, polar) && is_one_of(b, polar) && distance <= polar_angstrom) return QN_CONTACT_POLAR;
    if (is_one_of(a, hydrophobic) && is_one_of(b, hydrophobic) && distance <= hydrophobic_angstrom)
        return QN_CONTACT_HYDROPHOBIC;
    return distance <= near_angstrom ? QN_CONTACT_NEAR : QN_CONTACT_KINDS;
}

static qn_contact_kind kind_of_types(int row_a, int row_b, double distance)
{
    int rows;
    const qn_vina_atom_type *table = qn_vina_type_table(&rows), *a = &table[row_a], *b = &table[row_b];
    const double surface = distance - ((double)a->radius_angstrom + (double)b->radius_angstrom);
    if (qn_vina_coordinates(row_a, row_b) && distance <= metal_angstrom) return QN_CONTACT_METAL;
    if (((a->donor && b->acceptor) || (a->acceptor && b->donor)) && surface < 0) return QN_CONTACT_HYDROGEN_BOND;
    if (a->hydrophobic && b->hydrophobic && surface <= hydrophobic_surface_angstrom) return QN_CONTACT_HYDROPHOBIC;
    return distance <= near_angstrom ? QN_CONTACT_NEAR : QN_CONTACT_KINDS;
}

static qn_contact_kind kind_of(const pair_search *search, size_t atom, size_t partner, double distance)
{
    if (search->types) return kind_of_types(search->types[atom], search->receptor->types[partner], distance);
    return kind_of_elements(search->compound->atoms[atom].element, receptor_element(search->receptor, partner),
                            distance);
}

static bool precedes(const qn_contact *a, const qn_contact *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->distance_angstrom < b->distance_angstrom;
}

/* Keep the contact unless its residue has a better one; contacts up to polar ones count for each atom by itself. */
static qn_status keep(pair_search *search, const qn_contact *contact)
{
    for (size_t i = 0; i < search->count; i++) {
        qn_contact *other = &search->contacts[i];
        if (other->residue != contact->residue) continue;
        const bool apart = contact->kind <= QN_CONTACT_POLAR && other->kind <= QN_CONTACT_POLAR;
        if (apart && other->atom != contact->atom) continue;
        if (precedes(contact, other)) *other = *contact;
        return QN_OK;
    }
    void *memory = search->contacts;
    const qn_status status = qn_grow(&memory, &search->capacity, search->count + 1, sizeof(qn_contact));
    search->contacts = memory;
    QN_TRY(status);
    search->contacts[search->count++] = *contact;
    return QN_OK;
}

static qn_status find_pairs(pair_search *search)
{
    const double reach = 6; /* beyond the sum of the largest radii and the hydrophobic surface distance */
    for (size_t j = 0; j < search->receptor->atom_count; j++)
        for (size_t i = 0; i < search->compound->atom_count; i++) {
            const double *a = search->compound->positions_angstrom + 3 * i;
            const double *b = search->receptor->positions_angstrom + 3 * j;
            const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], square = x * x + y * y + z * z;
            if (square > reach * reach || qn_compound_atom_is_hydrogen(&search->compound->atoms[i])) continue;
            qn_contact contact = {QN_CONTACT_KINDS, search->receptor->residues[j], i, j, sqrt(square)};
            contact.kind = kind_of(search, i, j, contact.distance_angstrom);
            if (contact.kind < QN_CONTACT_KINDS) QN_TRY(keep(search, &contact));
        }
    return QN_OK;
}

static int compare(const void *left, const void *right)
{
    const qn_contact *a = left, *b = right;
    if (precedes(a, b)) return -1;
    if (precedes(b, a)) return 1;
    return a->partner < b->partner ? -1 : a->partner > b->partner;
}

qn_status qn_contacts_find(const qn_score_receptor *receptor, const qn_compound *compound, qn_contact **contacts,
                           size_t *count)
{
    pair_search search = {.receptor = receptor, .compound = compound};
    qn_status status = QN_OK;
    *contacts = NULL;
    *count = 0;
    if (receptor->score.kind == QN_SCORE_VINA) {
        void *memory;
        QN_TRY(qn_allocate(compound->atom_count, sizeof(int), &memory));
        search.types = memory;
        status = qn_vina_types(compound, search.types);
    }
    if (status == QN_OK) status = find_pairs(&search);
    qn_release(&search.types);
    if (status != QN_OK) {
        qn_release(&search.contacts);
        return status;
    }
    if (search.count > 0) qsort(search.contacts, search.count, sizeof(qn_contact), compare);
    *contacts = search.contacts;
    *count = search.count;
    return QN_OK;
}
