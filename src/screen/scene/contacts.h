/* Contacts of a pose with the residues of its receptor. */
#ifndef QN_SCREEN_SCENE_CONTACTS_H
#define QN_SCREEN_SCENE_CONTACTS_H

#include "model/compound.h"
#include "score/receptor.h"

typedef enum qn_contact_kind {
    QN_CONTACT_METAL,
    QN_CONTACT_HYDROGEN_BOND,
    QN_CONTACT_POLAR, /* polar atoms near each other, of scores without donors and acceptors */
    QN_CONTACT_HYDROPHOBIC,
    QN_CONTACT_NEAR,
    QN_CONTACT_KINDS
} qn_contact_kind;

/* The kind in words: "hydrogen bond". */
const char *qn_contact_name(qn_contact_kind kind);

typedef struct qn_contact {
    qn_contact_kind kind;
    int residue;    /* in the receptor's molecule */
    size_t atom;    /* of the compound */
    size_t partner; /* of the receptor's heavy atoms */
    double distance_angstrom;
} qn_contact;

/* Find the contacts of heavy atoms: those of each residue that rank highest, by kind in the order above, then by
 * distance; and all its contacts with metals, hydrogen bonds and polar contacts of other atoms of the compound. They
 * are sorted by kind and distance. With Vina's score, kinds are those of its terms: a hydrogen bond has a surface
 * distance below 0, a hydrophobic contact one of at most 0.5 Å, where the term is full. With BUDE's, polar atoms are N,
 * O and S within 3.5 Å, hydrophobic ones C, S and halogens within 4.3 Å. All other pairs within 4 Å are near. The
 * receptor must have residues. Released with qn_release. QN_BAD_FORMAT: the compound has an atom without a type. */
QN_MUST_CHECK qn_status qn_contacts_find(const qn_score_receptor *receptor, const qn_compound *compound,
                                         qn_contact **contacts, size_t *count);

#endif
