/* The options of quern evaluate. */
#include <quern/evaluate.h>

#define FIELD(name) offsetof(qn_evaluate_options, name)

static const qn_option rows[] = {
    {.name = "models",
     .kind = QN_OPTION_TEXTS,
     .group = QN_OPTION_ARGUMENT,
     .argument = "MODELS",
     .offset = FIELD(models),
     .required = true,
     .meaning = "output folders of quern dock, whose cluster models are judged, or model files (PDB, mmCIF)"},
    {.name = "reference",
     .letter = 'r',
     .kind = QN_OPTION_PAIR,
     .argument = "RECEPTOR LIGAND",
     .offset = FIELD(receptor_reference),
     .required = true,
     .meaning = "structures of the two partners in the known complex, each FILE or FILE:CHAINS"},
    {.name = "receptor-chains",
     .kind = QN_OPTION_TEXT,
     .argument = "CHAINS",
     .offset = FIELD(receptor_chains),
     .fallback_meaning = "the file's own remarks, else the reference's chain names",
     .meaning = "which chains of a model file are the receptor: AB, or A,BB for long names"},
    {.name = "ligand-chains",
     .kind = QN_OPTION_TEXT,
     .argument = "CHAINS",
     .offset = FIELD(ligand_chains),
     .fallback_meaning = "likewise",
     .meaning = "which chains of a model file are the ligand"},
    {0}};

static const qn_option_table table = {"evaluate", sizeof(qn_evaluate_options), rows, NULL};

const qn_option_table *qn_evaluate_option_table(void)
{
    return &table;
}
