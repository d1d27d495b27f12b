/* One partner of a complex, as the quality measures need it: the amino acid and nucleotide residues, grouped by chain,
 * with backbone atoms in fixed slots and all heavy atoms in one array. Waters, ions and cofactors do not count as
 * residues, as in CAPRI (compare/residue_kind.h).
 */
#ifndef QN_COMPARE_PARTNER_H
#define QN_COMPARE_PARTNER_H

#include "compare/residue_kind.h"

typedef struct qn_partner_residue {
    qn_residue_kind kind;
    int number;
    char insertion;
    char name[8]; /* name of the standard residue: MET for MSE, HIS for HIE, A for DA */
    bool broken;  /* not bonded to the residue before it in the chain: residues are missing between them */
    size_t chain; /* index into chains */
    size_t first_heavy, heavy_count;
    unsigned backbone_mask; /* bit s: slot s is present */
    double backbone[QN_BACKBONE_SLOTS][3];
    double centre[3], radius; /* a sphere around the heavy atoms */
} qn_partner_residue;

typedef struct qn_partner_chain {
    char name[8];
    size_t first, count; /* its residues, in the order of the file */
} qn_partner_chain;

typedef struct qn_partner {
    size_t residue_count, chain_count, heavy_count, backbone_count;
    qn_partner_residue *residues;
    qn_partner_chain *chains;
    double (*heavy)[3];
} qn_partner;

/* Build a partner, which may have no residues. Release it with qn_partner_clear, also after a failure. */
QN_MUST_CHECK qn_status qn_partner_build(const qn_molecule *molecule, qn_partner *partner);
void qn_partner_clear(qn_partner *partner);

#endif
