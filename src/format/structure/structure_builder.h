/* Building a molecule from the atoms of a file, in file order. Models, chains, waters, hydrogens, alternate locations,
 * residues and chain breaks are decided here, in the same way for all formats.
 *
 * Life cycle: start → the reader's calls → finish → clear.
 */
#ifndef QN_FORMAT_STRUCTURE_STRUCTURE_BUILDER_H
#define QN_FORMAT_STRUCTURE_STRUCTURE_BUILDER_H

#include <quern/molecule.h>

#include "format/structure/chain_list.h"

/* One atom as it is in the file. */
typedef struct qn_file_atom {
    qn_atom atom; /* all but `residue` */
    char residue[8], chain[8];
    int number;     /* author numbering */
    char insertion; /* '\0' when none */
    bool hetero;
} qn_file_atom;

typedef struct qn_place_atom {
    qn_file_atom file;
    size_t group; /* number of the residue within its place, from 0 */
    bool keep;
} qn_place_atom;

enum { QN_MODELS_LISTED_MAX = 20 };

typedef struct qn_structure_builder {
    const char *name; /* for messages */
    qn_molecule_options options;
    qn_chain_selection selection;
    qn_molecule *molecule;
    int models[QN_MODELS_LISTED_MAX];         /* the first ones of the file */
    size_t model_count, atoms_seen, misnamed; /* misnamed: heavy atoms whose element says hydrogen */
    int model;                                /* number of the kept model, once have_model */
    bool have_model, in_model;
    qn_chain_list present; /* chains of the kept model */
    char last_chain[8];
    bool last_chain_selected;
    /* A place: consecutive atoms with the same chain, number and insertion code. They form one residue, or several
     * residues where a file has more than one amino acid at the place (microheterogeneity). */
    qn_place_atom *place;
    size_t place_count, place_capacity;
} qn_structure_builder;

QN_MUST_CHECK qn_status qn_structure_builder_start(qn_structure_builder *builder, const char *name, const char *chains,
                                                   const qn_molecule_options *options);
void qn_structure_builder_clear(qn_structure_builder *builder);

/* The atoms that follow belong to model `number`. `resumes`: a number seen before continues that model instead of
 * beginning another one. */
QN_MUST_CHECK qn_status qn_structure_builder_model(qn_structure_builder *builder, int number, bool resumes);
/* The chain ends here: a TER record. */
QN_MUST_CHECK qn_status qn_structure_builder_break(qn_structure_builder *builder);
QN_MUST_CHECK qn_status qn_structure_builder_add(qn_structure_builder *builder, const qn_file_atom *atom);

/* QN_NOT_FOUND when the model or a chain was missing, QN_BAD_FORMAT when no atom is left. */
QN_MUST_CHECK qn_status qn_structure_builder_finish(qn_structure_builder *builder, qn_molecule **molecule);

#endif
