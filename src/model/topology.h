/* Functions that build topologies, in addition to those of <quern/topology.h>, and a digest of a topology.
 *
 *     QN_TRY(qn_topology_create("water.gro", &topology));
 *     append residue, its atoms, …; bonds in any order
 *     QN_TRY(qn_topology_finish(topology, QN_MOLECULES_OF_BONDS));
 */
#ifndef QN_MODEL_TOPOLOGY_H
#define QN_MODEL_TOPOLOGY_H

#include <quern/topology.h>

/* Reserve memory for elements that will be appended, so that arrays need not move as they grow. */
QN_MUST_CHECK qn_status qn_topology_reserve(qn_topology *topology, size_t atoms, size_t residues, size_t bonds);

/* Turn text of a file into a name: spaces at both ends are removed, bytes that are not printable ASCII become '?', text
 * beyond `capacity` is cut. */
void qn_topology_set_name(char *name, size_t capacity, const char *text, size_t length);

/* Get the SHA-256 of the content of a valid topology without its name, and the number of hashed bytes. */
void qn_topology_digest(const qn_topology *topology, uint64_t *bytes, char digest[65]);

#endif
