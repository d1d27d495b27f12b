/* Split a file with a model of a complex into the two partners.
 *
 * The chains of a partner are those that the caller names. If the caller names none, they are read from remarks, which
 * quern writes into its own models (PDB "REMARK 900 …", mmCIF "# …"):
 *     QUERN RECEPTOR CHAINS A,B
 *     QUERN LIGAND CHAINS C
 *     QUERN LIGAND CHAIN C WAS A          original name of a chain that was renamed because it clashed
 * Without remarks, the partner's chains are those with the names of the reference's chains.
 */
#ifndef QN_COMPARE_MODEL_FILE_H
#define QN_COMPARE_MODEL_FILE_H

#include <quern/molecule.h>

typedef struct qn_chain_names {
    char (*names)[8];
    size_t count, capacity;
} qn_chain_names;

/* Add the chain names of a text to `names`. With a comma, the text is a list: "A,BB" has two names, ",BB" has one.
 * Without a comma, "AB" is one name if `molecule` has a chain AB, else the names A and B. */
QN_MUST_CHECK qn_status qn_chain_names_parse(const char *text, const qn_molecule *molecule, qn_chain_names *names);
/* Add the names of a molecule's chains to `names`. `polymers`: leave out chains that have only HETATM records. */
QN_MUST_CHECK qn_status qn_chain_names_of(const qn_molecule *molecule, bool polymers, qn_chain_names *names);
void qn_chain_names_clear(qn_chain_names *names);

typedef struct qn_model_chains {
    const char *receptor, *ligand; /* the caller's choice; NULL: none */
    const qn_chain_names *receptor_reference, *ligand_reference;
} qn_model_chains;

/* Read both partners, with their original chain names; destroy both. QN_NOT_FOUND if a chain is missing: the message
 * lists the chains that the file has. */
QN_MUST_CHECK qn_status qn_model_file_read(const char *path, const qn_model_chains *chains, qn_molecule **receptor,
                                           qn_molecule **ligand);

/* The same for a complex in memory, which has no remarks. */
QN_MUST_CHECK qn_status qn_model_split(const qn_molecule *molecule, const char *name, const qn_model_chains *chains,
                                       qn_molecule **receptor, qn_molecule **ligand);

#endif
