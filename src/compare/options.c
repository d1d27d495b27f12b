/* The options of quern evaluate. */
#include <quern/evaluate.h>

#include "base/error.h"

#define FIELD(name) offsetof(qn_evaluate_options, name)

static const qn_option rows[] = {
    {.name = "models",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "MODELS",
     .offset = FIELD(models),
     .required = true,
     .by_commands = true,
     .meaning = "output folders of quern dock, whose cluster models are evaluated, or model files (PDB, mmCIF)"},
    {.name = "reference",
     .letter = 'r',
     .kind = QN_OPTION_PAIR,
     .argument = "RECEPTOR LIGAND",
     .offset = FIELD(receptor_reference),
     .required = true,
     .by_commands = true,
     .meaning = "structures of the two partners in the known complex, each FILE or FILE:CHAINS"},
    {.name = "receptor-chains",
     .kind = QN_OPTION_TEXT,
     .argument = "CHAINS",
     .offset = FIELD(receptor_chains),
     .fallback_meaning = "the file's own remarks, else the reference's chain names",
     .meaning = "chains of a model file that are the receptor: AB, or A,BB for long names"},
    {.name = "ligand-chains",
     .kind = QN_OPTION_TEXT,
     .argument = "CHAINS",
     .offset = FIELD(ligand_chains),
     .fallback_meaning = "as for the receptor",
     .meaning = "chains of a model file that are the ligand"},
    {0}};

static qn_status check_reference(const char *role, const char *path, const qn_molecule *molecule)
{
    if (!path == !molecule)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the reference of the %s: given %s; expected a file or a molecule in memory", role,
                       path ? "both ways" : "neither way");
    return QN_OK;
}

static qn_status check(const void *memory)
{
    const qn_evaluate_options *options = memory;
    if ((options->model_count > 0) == (options->model_molecule_count > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the models: given %s; expected files or molecules in memory",
                       options->model_count > 0 ? "both ways" : "neither way");
    QN_TRY(check_reference("receptor", options->receptor_reference, options->receptor_reference_molecule));
    return check_reference("ligand", options->ligand_reference, options->ligand_reference_molecule);
}

static const qn_option_table table = {"evaluate", sizeof(qn_evaluate_options), rows, check};

const qn_option_table *qn_evaluate_option_table(void)
{
    return &table;
}
