/* Names of the atoms of a molecule in the spelling of the atom table, and starts and ends of its chains.
 *
 * Files name the same atom in several ways: O1P/OP1, asterisk/prime, ILE CD/CD1, OT2/OXT, HN/H, "1HD2"/HD21, deuterium
 * D/H, and the O2' hydrogen HO2' is the table's H2'.
 */
#ifndef QN_SCORE_TABLE_NAMES_H
#define QN_SCORE_TABLE_NAMES_H

#include <quern/molecule.h>

enum { QN_TABLE_NAME_SIZE = 12 };

typedef struct qn_table_residue {
    size_t first, count; /* entries of the atom table; count 0: the residue is not in the table */
    bool nucleotide;
    bool deoxy; /* a nucleotide with C2' and no O2' */
} qn_table_residue;

typedef struct qn_table_names {
    const qn_molecule *molecule;       /* borrowed */
    char (*atoms)[QN_TABLE_NAME_SIZE]; /* one for each atom; "" for an atom that cannot have an entry */
    qn_table_residue *residues;        /* one for each residue */
} qn_table_names;

QN_MUST_CHECK qn_status qn_table_names_create(const qn_molecule *molecule, qn_table_names *names);
void qn_table_names_clear(qn_table_names *names);

/* Index of the first atom of a residue with this name; −1: there is none. */
long qn_table_names_find(const qn_table_names *names, size_t residue, const char *name);

/* Whether a residue is the first of the molecule or of a chain, or follows a residue with OXT (merged chains). */
bool qn_table_names_starts_chain(const qn_table_names *names, size_t residue);

/* Whether a residue is an amino acid (with N and CA) that starts a chain. Such a residue has NH3+, proline NH2+. */
bool qn_table_names_n_terminal(const qn_table_names *names, size_t residue);

/* Whether a residue is the last nucleotide of its chain. */
bool qn_table_names_ends_nucleic_chain(const qn_table_names *names, size_t residue);

#endif
