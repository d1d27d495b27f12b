/* Reading structures from memory; qn_molecule_read stands on it. */
#ifndef QN_FORMAT_STRUCTURE_H
#define QN_FORMAT_STRUCTURE_H

#include <quern/molecule.h>

/* `data` is PDB or mmCIF text, not compressed; it need not end in a zero byte. `chains` is what stood behind the path's
 * colon, or NULL for all. `name` goes into messages, and its part after the last '/' into the molecule. */
QN_MUST_CHECK qn_status qn_structure_read_memory(const char *name, const char *data, size_t size, const char *chains,
                                                 const qn_molecule_options *options, qn_molecule **molecule);

/* Water by residue name, of the archive and of simulation programs. */
bool qn_is_water(const char *residue_name);

#endif
