/* Molecules for tests, written as SMILES: enough of the language for graphs without stereo. Atoms without brackets
 * state no hydrogens; lower-case letters are joined by drawn-aromatic bonds. */
#ifndef QN_CHEMISTRY_TESTS_SMILES_H
#define QN_CHEMISTRY_TESTS_SMILES_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/compound.h"

enum { SMILES_MAX = 4096 };

typedef struct smiles_reader {
    qn_compound_atom atoms[SMILES_MAX];
    bool aromatic[SMILES_MAX];
    qn_compound_bond bonds[SMILES_MAX];
    size_t atom_count, bond_count;
    int branch[SMILES_MAX], branch_count, last;
    int ring_atom[100];
    qn_bond_order ring_order[100];
    qn_bond_order order; /* written before the next atom; QN_BOND_UNKNOWN: none */
} smiles_reader;

static inline void smiles_bond(smiles_reader *reader, int a, int b, qn_bond_order order)
{
    if (order == QN_BOND_UNKNOWN)
        order = reader->aromatic[a] && reader->aromatic[b] ? QN_BOND_AROMATIC : QN_BOND_SINGLE;
    reader->bonds[reader->bond_count++] = (qn_compound_bond){a, b, order};
}

static inline void smiles_add(smiles_reader *reader, const char *element, size_t length, int hydrogens, int charge)
{
    int index = (int)reader->atom_count++;
    qn_compound_atom *atom = &reader->atoms[index];
    *atom = (qn_compound_atom){.charge_e = (signed char)charge, .hydrogens = (signed char)hydrogens};
    for (size_t i = 0; i < length; i++) atom->element[i] = (char)toupper((unsigned char)element[i]);
    reader->aromatic[index] = islower((unsigned char)element[0]);
    if (reader->last >= 0) smiles_bond(reader, reader->last, index, reader->order);
    reader->order = QN_BOND_UNKNOWN;
    reader->last = index;
}

/* Read an atom in brackets ("[nH+]", "[NH3+]", "[O-]", "[Fe+2]") and return the place after it. */
static inline const char *smiles_bracket(smiles_reader *reader, const char *text)
{
    const char *element = ++text;
    size_t length = isupper((unsigned char)text[0]) && islower((unsigned char)text[1]) ? 2 : 1;
    int hydrogens = 0, charge = 0;
    for (text += length; *text && *text != ']';) {
        if (*text == 'H') {
            hydrogens = isdigit((unsigned char)text[1]) ? *++text - '0' : 1;
        } else if (*text == '+' || *text == '-') {
            int sign = *text == '+' ? 1 : -1;
            charge = isdigit((unsigned char)text[1]) ? sign * (*++text - '0') : charge + sign;
        }
        text++;
    }
    smiles_add(reader, element, length, hydrogens, charge);
    return text + 1;
}

static inline const char *smiles_ring(smiles_reader *reader, const char *text)
{
    int number = *text - '0', width = 1;
    if (*text == '%') number = 10 * (text[1] - '0') + text[2] - '0', width = 3;
    if (reader->ring_atom[number] < 0) {
        reader->ring_atom[number] = reader->last;
        reader->ring_order[number] = reader->order;
    } else {
        qn_bond_order order = reader->order ? reader->order : reader->ring_order[number];
        smiles_bond(reader, reader->ring_atom[number], reader->last, order);
        reader->ring_atom[number] = -1;
    }
    reader->order = QN_BOND_UNKNOWN;
    return text + width;
}

static inline const char *smiles_step(smiles_reader *reader, const char *text)
{
    static const char signs[] = "-=#:";
    const char *sign = strchr(signs, *text);
    if (sign) {
        reader->order =
            (qn_bond_order[]){QN_BOND_SINGLE, QN_BOND_DOUBLE, QN_BOND_TRIPLE, QN_BOND_AROMATIC}[sign - signs];
        return text + 1;
    }
    if (*text == '(') {
        reader->branch[reader->branch_count++] = reader->last;
        return text + 1;
    }
    if (*text == ')') {
        reader->last = reader->branch[--reader->branch_count];
        return text + 1;
    }
    if (*text == '.') {
        reader->last = -1;
        return text + 1;
    }
    if (*text == '[') return smiles_bracket(reader, text);
    if (isdigit((unsigned char)*text) || *text == '%') return smiles_ring(reader, text);
    size_t length = strncmp(text, "Cl", 2) == 0 || strncmp(text, "Br", 2) == 0 ? 2 : 1;
    smiles_add(reader, text, length, -1, 0);
    return text + length;
}

/* Make a compound; NULL: no memory. `text` is assumed to be valid. */
static inline qn_compound *smiles_compound(const char *text)
{
    smiles_reader *reader = calloc(1, sizeof *reader);
    qn_compound *compound = NULL;
    if (!reader) return NULL;
    reader->last = -1;
    for (int i = 0; i < 100; i++) reader->ring_atom[i] = -1;
    for (const char *place = text; *place;) place = smiles_step(reader, place);
    if (qn_compound_create(text, reader->atom_count, reader->bond_count, 1, &compound) == QN_OK) {
        memcpy(compound->atoms, reader->atoms, reader->atom_count * sizeof *reader->atoms);
        if (reader->bond_count > 0) memcpy(compound->bonds, reader->bonds, reader->bond_count * sizeof *reader->bonds);
    }
    free(reader);
    return compound;
}

#endif
