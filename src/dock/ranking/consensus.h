/* How often the poses of a run have the same residues in contact: native contacts recur in many poses, because the
 * energy is low around the native pose. Contacts by pairs of residues: Oliva, Vangone and Cavallo (2013, CONSRANK);
 * residues in the interface: Fernández-Recio, Totrov and Abagyan (2004). */
#ifndef QN_DOCK_RANKING_CONSENSUS_H
#define QN_DOCK_RANKING_CONSENSUS_H

#include "dock/ranking/interface.h"

/* The residue pairs in contact of a pose. */
typedef struct qn_residue_contacts {
    double weight; /* of the pose in the consensus */
    qn_residue_pair *pairs;
    size_t count;
} qn_residue_contacts;

/* Copy `count` pairs; they are released with qn_release. */
QN_MUST_CHECK qn_status qn_residue_contacts_set(qn_residue_contacts *contacts, double weight,
                                                const qn_residue_pair *pairs, size_t count);

/* The frequency of a pair (or a residue) is the share of the weight of all poses that have it. scores[stride · i + 0 …
 * 3] gets, for pose i, the mean frequency of its pairs, the mean of log(frequency + 10⁻⁴), and the mean frequencies of
 * its receptor residues and of its ligand residues. */
QN_MUST_CHECK qn_status qn_consensus_measure(const qn_residue_contacts *contacts, size_t count, size_t stride,
                                             double *scores);

#endif
