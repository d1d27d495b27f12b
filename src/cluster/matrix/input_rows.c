#include "cluster/matrix/input_rows.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"

#define FIELD(name) offsetof(qn_structure_input, name)

const qn_option qn_structure_rows[QN_STRUCTURE_ROWS] = {
    [QN_STRUCTURE_FILES] = {.name = "models",
                            .kind = QN_OPTION_TEXTS,
                            .group = QN_OPTION_ARGUMENT,
                            .argument = "MODELS",
                            .offset = FIELD(files),
                            .meaning = "files of models: PDB, mmCIF, PDBQT or GRO, with one or many models each, "
                                       "gzipped or not; or a topology followed by its trajectories, as for quern "
                                       "trajectory; or, for ligand-rmsd, poses in SDF, MOL2 or PDBQT files"},
    [QN_STRUCTURE_LIST] = {.name = "list",
                           .kind = QN_OPTION_PATH,
                           .argument = "FILE",
                           .offset = FIELD(list),
                           .meaning = "text file that names one more file of models in each line"},
    [QN_STRUCTURE_SELECT] = {.name = "select",
                             .letter = 's',
                             .kind = QN_OPTION_TEXT,
                             .argument = "ATOMS",
                             .offset = FIELD(select),
                             .fallback = "name CA",
                             .meaning = "atoms to compare, in a selection such as \"protein and not element H\" or "
                                        "\"all\"; each model must have as many of them, in the same order"},
    [QN_STRUCTURE_INDEX] = {.name = "index",
                            .letter = 'n',
                            .kind = QN_OPTION_PATH,
                            .argument = "FILE",
                            .offset = FIELD(index_file),
                            .meaning = "GROMACS index file, whose groups selections may name: group \"NAME\""},
    [QN_STRUCTURE_BEGIN] = {.name = "begin",
                            .letter = 'b',
                            .kind = QN_OPTION_NUMBER,
                            .argument = "PS",
                            .offset = FIELD(begin_ps),
                            .least = (double)-INFINITY,
                            .most = (double)INFINITY,
                            .fallback = "-inf",
                            .fallback_meaning = "",
                            .unit = "ps",
                            .meaning = "leave out frames before this time in ps"},
    [QN_STRUCTURE_END] = {.name = "end",
                          .letter = 'e',
                          .kind = QN_OPTION_NUMBER,
                          .argument = "PS",
                          .offset = FIELD(end_ps),
                          .least = (double)-INFINITY,
                          .most = (double)INFINITY,
                          .fallback = "inf",
                          .fallback_meaning = "",
                          .unit = "ps",
                          .meaning = "leave out frames after this time in ps"},
    [QN_STRUCTURE_FIRST] = {.name = "first",
                            .kind = QN_OPTION_WHOLE,
                            .argument = "NUMBER",
                            .offset = FIELD(first_frame),
                            .least = 0,
                            .most = (double)UINT64_MAX,
                            .fallback = "0",
                            .meaning = "leave out models or frames before this one; the first of the first file is 0"},
    [QN_STRUCTURE_LAST] = {.name = "last",
                           .kind = QN_OPTION_WHOLE,
                           .argument = "NUMBER",
                           .offset = FIELD(last_frame),
                           .least = 0,
                           .most = (double)UINT64_MAX,
                           .fallback = "18446744073709551615",
                           .fallback_meaning = "",
                           .meaning = "leave out models or frames after this one"},
    [QN_STRUCTURE_STRIDE] = {.name = "stride",
                             .kind = QN_OPTION_WHOLE,
                             .argument = "COUNT",
                             .offset = FIELD(stride),
                             .least = 1,
                             .most = 1e9,
                             .fallback = "1",
                             .meaning = "take every COUNT-th of these models or frames"},
    [QN_STRUCTURE_WHOLE] = {.name = "whole",
                            .kind = QN_OPTION_ENUM,
                            .argument = "WHEN",
                            .offset = FIELD(whole),
                            .choices = "auto yes no",
                            .fallback = "auto",
                            .meaning = "make molecules whole that the periodic box cuts; auto: where the topology has "
                                       "bonds"},
    [QN_STRUCTURE_MOLECULE] = {.name = "molecule",
                               .kind = QN_OPTION_TEXT,
                               .argument = "NAME",
                               .offset = FIELD(molecule),
                               .meaning = "ligand-rmsd: take only the poses of the molecule with this title, where "
                                          "files have several; of references all are taken"},
};

qn_status qn_structure_input_check(const qn_structure_input *input)
{
    const bool files = input->file_count > 0 || input->list, memory = input->topology || input->frames;
    if (files && memory)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the structures: given as files and in memory; expected one of the two");
    if (!files && !input->frames)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the structures: given neither as files nor in memory; expected one of the two");
    if (input->frames && !input->topology)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the frames in memory have no topology; expected one, which names the "
                                            "atoms");
    if (input->begin_ps > input->end_ps)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--begin is \"%g\" and --end is \"%g\"; expected an end at or after the begin", input->begin_ps,
                       input->end_ps);
    if (input->first_frame > input->last_frame)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--first is \"%" PRIu64 "\" and --last is \"%" PRIu64
                       "\"; expected a last at or after the first",
                       input->first_frame, input->last_frame);
    return QN_OK;
}
