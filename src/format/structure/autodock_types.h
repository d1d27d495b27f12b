/* PDBQT, AutoDock's PDB: partial charges in columns 71-76 and AutoDock's atom types in 78-80 instead of elements. */
#ifndef QN_FORMAT_STRUCTURE_AUTODOCK_TYPES_H
#define QN_FORMAT_STRUCTURE_AUTODOCK_TYPES_H

#include "format/record_lines.h"

/* The element of an AutoDock type, ignoring blanks around the type: "A" and "CG0" are carbon, "NA" nitrogen, but "Na"
 * sodium. `element` is "" for a type that is not an atom: glue of opened rings (G, G0 …), water of hydrated docking
 * (W), a zinc's tetrahedron (TZ). False when the type is unknown. */
bool qn_autodock_element(const char *type, size_t length, char element[4]);

/* Whether `text`, the beginning of a file, is PDBQT: by ENDROOT or TORSDOF records, or by the columns of its first
 * atom. */
bool qn_pdbqt_recognise(const char *text, size_t size);

/* Whether the line is an ATOM or HETATM record. */
bool qn_pdbqt_is_atom(const qn_record_lines *lines);

#endif
