/* A drawing of a pose with the residues around it. */
#ifndef QN_SCREEN_SCENE_DIAGRAM_H
#define QN_SCREEN_SCENE_DIAGRAM_H

#include "base/text.h"
#include "screen/scene/contacts.h"

/* Append an SVG document: the molecule as bonds, atoms other than carbon as letters, and around it the first residues
 * of the contacts, with a line to the atom that they touch; contacts that are only near have none. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_diagram_svg(const qn_score_receptor *receptor, const qn_compound *compound,
                                       const qn_contact *contacts, size_t count, qn_text *svg);

/* Append an SVG document of the molecule alone. */
QN_MUST_CHECK qn_status qn_diagram_molecule_svg(const qn_compound *compound, qn_text *svg);

#endif
