#define _POSIX_C_SOURCE 200809L
#include "model/molecule_input.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

/* ---- checks ---- */

static const char *name_of(const qn_molecule *molecule)
{
    return molecule->name ? molecule->name : "molecule in memory";
}

/* Whether a name ends within its array and has only printable ASCII characters. */
static bool is_name(const char *name, size_t capacity)
{
    const size_t length = strnlen(name, capacity);
    for (size_t i = 0; i < length; i++)
        if (name[i] < ' ' || name[i] > '~') return false;
    return length < capacity;
}

/* Whether a letter is printable ASCII or absent, '\0'. */
static bool is_letter(char letter)
{
    return letter == '\0' || (letter >= ' ' && letter <= '~');
}

static qn_status check_residue(const qn_molecule *molecule, size_t index, size_t first_atom, const char *role)
{
    const qn_residue *residue = &molecule->residues[index];
    if (residue->first_atom != first_atom || residue->atom_count > molecule->atom_count - first_atom)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: %s: residue %zu has %zu atoms from atom %zu; expected its first atom to be %zu, after the "
                       "residue before it, and its last one among the %zu of the molecule",
                       role, name_of(molecule), index, residue->atom_count, residue->first_atom, first_atom,
                       molecule->atom_count);
    if (!is_name(residue->name, sizeof residue->name) || !is_name(residue->chain, sizeof residue->chain) ||
        !is_letter(residue->insertion))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: %s: a name of residue %zu is not printable or has no end; expected a residue name and a "
                       "chain of at most 7 ASCII characters",
                       role, name_of(molecule), index);
    return QN_OK;
}

static qn_status check_numbers(const qn_molecule *molecule, size_t index, const char *role)
{
    const qn_atom *atom = &molecule->atoms[index];
    const char *const names[] = {"coordinate x", "coordinate y", "coordinate z", "the occupancy", "the B factor"};
    const double numbers[] = {atom->position_angstrom[0], atom->position_angstrom[1], atom->position_angstrom[2],
                              (double)atom->occupancy, (double)atom->b_factor_angstrom2};
    for (int i = 0; i < 5; i++) {
        const double most = i < 3 ? QN_COORDINATE_MAX_ANGSTROM : QN_FACTOR_MAX;
        if (!(fabs(numbers[i]) <= most))
            return QN_FAIL(QN_BAD_FORMAT, "%s: %s: %s of atom %zu is %g; expected a number from %.0f to %.0f", role,
                           name_of(molecule), names[i], index, numbers[i], -most, most);
    }
    return QN_OK;
}

static qn_status check_atom(const qn_molecule *molecule, size_t index, size_t residue, const char *role)
{
    const qn_atom *atom = &molecule->atoms[index];
    if (atom->residue < 0 || (size_t)atom->residue != residue)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: atom %zu names residue %d; expected %zu, which it lies in", role,
                       name_of(molecule), index, atom->residue, residue);
    if (!atom->name[0] || !is_name(atom->name, sizeof atom->name) || !is_name(atom->element, sizeof atom->element) ||
        !is_letter(atom->alternate))
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: %s: a name of atom %zu is empty, not printable or has no end; expected a name of 1 to 7 and "
            "an element of at most 3 ASCII characters",
            role, name_of(molecule), index);
    return check_numbers(molecule, index, role);
}

qn_status qn_molecule_check(const qn_molecule *molecule, const char *role)
{
    size_t atom = 0;
    if (molecule->atom_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: has no atoms; expected at least one", role, name_of(molecule));
    if (!molecule->atoms || (!molecule->residues && molecule->residue_count > 0))
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: the array of its %s is NULL; expected %zu", role, name_of(molecule),
                       molecule->atoms ? "residues" : "atoms",
                       molecule->atoms ? molecule->residue_count : molecule->atom_count);
    for (size_t residue = 0; residue < molecule->residue_count; residue++) {
        QN_TRY(check_residue(molecule, residue, atom, role));
        for (size_t i = 0; i < molecule->residues[residue].atom_count; i++, atom++)
            QN_TRY(check_atom(molecule, atom, residue, role));
    }
    if (atom < molecule->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: atom %zu lies in no residue; expected one", role, name_of(molecule),
                       atom);
    return QN_OK;
}

/* ---- digest ---- */

typedef struct digester {
    qn_hash hash;
    uint64_t bytes;
} digester;

static void add(digester *to, const void *data, size_t size)
{
    qn_hash_add(&to->hash, data, size);
    to->bytes += size;
}

/* Add a text with its zero byte, so that "A", "BC" and "AB", "C" give different digests. */
static void add_text(digester *to, const char *text, size_t capacity)
{
    add(to, text, strnlen(text, capacity));
    add(to, "", 1);
}

/* Values are added one by one, because padding bytes of structs have no defined value. */
static void add_residue(digester *to, const qn_residue *residue)
{
    const int64_t numbers[] = {residue->number, residue->insertion, residue->hetero, residue->chain_break,
                               (int64_t)residue->atom_count};
    add(to, numbers, sizeof numbers);
    add_text(to, residue->name, sizeof residue->name);
    add_text(to, residue->chain, sizeof residue->chain);
}

static void add_atom(digester *to, const qn_atom *atom)
{
    const int64_t numbers[] = {atom->serial, atom->alternate, atom->charge_e};
    const float factors[] = {atom->occupancy, atom->b_factor_angstrom2};
    add(to, atom->position_angstrom, sizeof atom->position_angstrom);
    add(to, factors, sizeof factors);
    add(to, numbers, sizeof numbers);
    add_text(to, atom->name, sizeof atom->name);
    add_text(to, atom->element, sizeof atom->element);
}

void qn_molecule_digest(const qn_molecule *molecule, uint64_t *bytes, char digest[65])
{
    digester to = {.bytes = 0};
    qn_hash_start(&to.hash);
    for (size_t i = 0; i < molecule->residue_count; i++) add_residue(&to, &molecule->residues[i]);
    for (size_t i = 0; i < molecule->atom_count; i++) add_atom(&to, &molecule->atoms[i]);
    qn_hash_finish(&to.hash, digest);
    *bytes = to.bytes;
}
