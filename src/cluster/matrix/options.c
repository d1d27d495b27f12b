/* The options of quern distance. */
#include <quern/distance.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cluster/matrix/input_rows.h"
#include "cluster/matrix/measure_rows.h"
#include "cluster/matrix/run.h"
#include "cluster/measure/measure.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_distance_options, name)
#define RUN FIELD(run)
#define STRUCTURES FIELD(structures)
#define MEASURING FIELD(measuring)

static const qn_option rows[] = {
    {.like = &qn_structure_rows[QN_STRUCTURE_FILES], .offset = STRUCTURES},
    {.name = "measure",
     .letter = 'm',
     .kind = QN_OPTION_ENUM,
     .argument = "MEASURE",
     .offset = FIELD(measure),
     .choices = QN_MEASURE_NAMES,
     .fallback = "drmsd",
     .meaning = QN_MEASURE_MEANINGS},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "matrix.npy: an array for NumPy, of the pairs in the order of scipy's pdist, or with a row for each "
                "model and a column for each reference; or matrix.csv: a table with names. Names are also written to "
                "a file beside it, matrix_models.csv"},
    {.name = "to",
     .kind = QN_OPTION_TEXTS,
     .argument = "FILE",
     .offset = FIELD(to),
     .meaning = "compare each model with the references in this file, which may have many models, instead of each "
                "with each; may be given several times"},
    {.name = "between",
     .kind = QN_OPTION_PATH,
     .argument = "LIST",
     .offset = FIELD(between),
     .meaning = "likewise, with references from a text file that names a file of models in each line"},
    {.name = "matrix",
     .kind = QN_OPTION_ENUM,
     .argument = "TYPE",
     .offset = FIELD(matrix),
     .choices = "float32 uint16",
     .fallback = "float32",
     .meaning = "how values are stored; uint16 takes half of the space, as multiples of 0.001 Å, or of 0.0001 "
                "for scores"},
    {.like = &qn_structure_rows[QN_STRUCTURE_SELECT], .offset = STRUCTURES},
    {.like = &qn_measure_rows[QN_MEASURE_ALIGN], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_WEIGHTS], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_CONTACT_CUTOFF], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_CONTACT_SEPARATION], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_CONTACT_SHARE], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_DRMSD_FORM], .offset = MEASURING},
    {.like = &qn_structure_rows[QN_STRUCTURE_INDEX], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_LIST], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_BEGIN], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_END], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_FIRST], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_LAST], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_STRIDE], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_WHOLE], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_MOLECULE], .offset = STRUCTURES},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .offset = RUN,
     .fallback_meaning = "no limit",
     .meaning = "largest memory of the models' positions; values are in the file"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_DEVICES], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE_BUDGET], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

bool qn_distance_is_csv(const char *output)
{
    return qn_text_ends_in(output, ".csv");
}

static qn_status check(const void *memory)
{
    const qn_distance_options *options = memory;
    QN_TRY(qn_structure_input_check(&options->structures));
    QN_TRY(qn_measure_options_check(&options->measuring, &options->structures, options->measure,
                                    options->to_count > 0 || options->between));
    if (options->to_count > 0 && options->between)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--to and --between both name references; expected one of them");
    if (options->output && !qn_text_ends_in(options->output, ".npy") && !qn_distance_is_csv(options->output))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--output is \"%s\"; expected a name that ends in .npy or .csv",
                       options->output);
    return QN_OK;
}

static const qn_option_table table = {"distance", sizeof(qn_distance_options), rows, check};

const qn_option_table *qn_distance_option_table(void)
{
    return &table;
}
