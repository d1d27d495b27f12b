/* Contact overlap as a measure: the share of contacts that two structures have in common,
 *
 *     |A ∩ B| / |A ∪ B|                (Jaccard index; settings: QN_CONTACT_UNION)
 *     |A ∩ B| / |B|, B the reference   (fraction of native contacts; QN_CONTACT_REFERENCE)
 *
 * Two atoms are in contact that are at least contact_separation places apart in the list of atoms, and at most
 * contact_cutoff_angstrom apart. Where the denominator is 0, the share is 1. Weights are not used. */
#ifndef QN_CLUSTER_MEASURE_CONTACT_H
#define QN_CLUSTER_MEASURE_CONTACT_H

#include "cluster/measure/measure.h"

extern const qn_measure qn_measure_contact;

#endif
