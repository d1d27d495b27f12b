/* A file with a model of a complex, taken apart into its two partners.
 *
 * Which chains belong to which partner is said by the caller, or else by remarks that quern writes into its own models
 * (PDB "REMARK 900 …", mmCIF "# …"):
 *     QUERN RECEPTOR CHAINS A,B
 *     QUERN LIGAND CHAINS C
 *     QUERN LIGAND CHAIN C WAS A          original name of a chain that was renamed because it clashed
 * or else by the names of the references' chains.
 */
#ifndef QN_COMPARE_MODEL_FILE_H
#define QN_COMPARE_MODEL_FILE_H

#include <quern/molecule.h>

typedef struct qn_chain_names {
    char (*names)[8];
    size_t count, capacity;
} qn_chain_names;

/* "A,BB" is two names, and so is ",BB" one; "AB" is one name when `molecule` has such a chain, else two letters. */
QN_MUST_CHECK qn_status qn_chain_names_parse(const char *text, const qn_molecule *molecule, qn_chain_names *names);
/* `polymers`: not the chains that hold nothing but HETATM records. */
QN_MUST_CHECK qn_status qn_chain_names_of(const qn_molecule *molecule, bool polymers, qn_chain_names *names);
void qn_chain_names_clear(qn_chain_names *names);

typedef struct qn_model_chains {
    const char *receptor, *ligand; /* the caller's choice; NULL: none */
    const qn_chain_names *receptor_reference, *ligand_reference;
} qn_model_chains;

/* Both partners with original chain names; destroy both. QN_NOT_FOUND when a chain is missing, with those present. */
QN_MUST_CHECK qn_status qn_model_file_read(const char *path, const qn_model_chains *chains, qn_molecule **receptor,
                                           qn_molecule **ligand);

#endif
