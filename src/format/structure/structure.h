/* Reading structures from memory and writing them to memory, for qn_molecule_read and qn_molecule_write. */
#ifndef QN_FORMAT_STRUCTURE_STRUCTURE_H
#define QN_FORMAT_STRUCTURE_STRUCTURE_H

#include <quern/molecule.h>

#include "base/text.h"

/* Load a file by a path such as "path:chains", and unpack it. *chains is NULL without a selection; all three are
 * released with qn_release. */
QN_MUST_CHECK qn_status qn_structure_load(const char *path, char **file, char **chains, char **data, size_t *size);

/* `data` is PDB or mmCIF text, not compressed; it need not end in a zero byte. `chains` is the text after the path's
 * colon, or NULL for all chains. `name` goes into messages, and its part after the last '/' into the molecule. */
QN_MUST_CHECK qn_status qn_structure_read_memory(const char *name, const char *data, size_t size, const char *chains,
                                                 const qn_molecule_options *options, qn_molecule **molecule);

/* Append the text that qn_molecule_write writes into a file. `name` goes into messages. After a failure `text` is
 * incomplete. */
QN_MUST_CHECK qn_status qn_structure_write_memory(const char *name, qn_structure_format format,
                                                  const qn_molecule *const *molecules, size_t count,
                                                  const char *remarks, qn_text *text);

#endif
