#include "cluster/matrix/measure_rows.h"

#include <string.h>

#include "base/error.h"
#include "cluster/measure/aligned_scores.h"

#define FIELD(name) offsetof(qn_measure_options, name)

const qn_option qn_measure_rows[QN_MEASURE_ROWS] = {
    [QN_MEASURE_ALIGN] = {.name = "align",
                          .kind = QN_OPTION_FLAG,
                          .offset = FIELD(align),
                          .meaning =
                              "tm-score, gdt-ts, maxsub: align the sequences of models, which may have different "
                              "length then; scores are shares of the reference's length, without references of "
                              "the shorter model's"},
    [QN_MEASURE_WEIGHTS] = {.name = "weights",
                            .letter = 'w',
                            .kind = QN_OPTION_TEXT,
                            .argument = "WEIGHTS",
                            .offset = FIELD(weights),
                            .fallback = "none",
                            .meaning = "rmsd and drmsd: weights of the atoms: none; mass; occupancy or b-factor, the "
                                       "numbers of these columns in the first file of models; or a text file with a "
                                       "number for each selected atom, one in each line"},
    [QN_MEASURE_CONTACT_CUTOFF] = {.name = "contact-cutoff",
                                   .kind = QN_OPTION_NUMBER,
                                   .argument = "DISTANCE",
                                   .offset = FIELD(contact_cutoff_angstrom),
                                   .least = 0.1,
                                   .most = 1000,
                                   .fallback = "8",
                                   .unit = "angstrom",
                                   .meaning = "contact: atoms within this distance in Å are in contact"},
    [QN_MEASURE_CONTACT_SEPARATION] = {.name = "contact-separation",
                                       .kind = QN_OPTION_WHOLE,
                                       .argument = "COUNT",
                                       .offset = FIELD(contact_separation),
                                       .least = 1,
                                       .most = 16000,
                                       .fallback = "3",
                                       .meaning = "contact: only atoms that are at least so many places apart among "
                                                  "the selected ones"},
    [QN_MEASURE_CONTACT_SHARE] = {.name = "contact-share",
                                  .kind = QN_OPTION_ENUM,
                                  .argument = "OF",
                                  .offset = FIELD(contact_share),
                                  .choices = "union reference",
                                  .fallback = "union",
                                  .meaning = "contact: common contacts as a share of those that either of two "
                                             "structures has, or of the reference's"},
    [QN_MEASURE_DRMSD_FORM] = {.name = "drmsd-form",
                               .kind = QN_OPTION_ENUM,
                               .argument = "FORM",
                               .offset = FIELD(drmsd_form),
                               .choices = "squares products",
                               .fallback = "squares",
                               .meaning = "drmsd: squares of differences; or products, |a|² + |b|² - 2ab, which are "
                                          "faster where few pairs are alike, and exact to 1e-5 of a value"},
};

static qn_status check_poses(const qn_structure_input *input, const qn_measure *measure)
{
    if (!measure->of_poses && input->molecule)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--molecule is \"%s\", but %s compares no poses of small molecules; expected ligand-rmsd",
                       input->molecule, measure->name);
    if (measure->of_poses && input->select && strcmp(input->select, "name CA") != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--select is \"%s\", but %s compares all heavy atoms; expected no selection", input->select,
                       measure->name);
    if (measure->of_poses && input->frames)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s of frames in memory; expected files of poses", measure->name);
    return QN_OK;
}

qn_status qn_measure_options_check(const qn_measure_options *options, const qn_structure_input *input,
                                   qn_distance_measure number, bool has_references)
{
    const qn_measure *measure = qn_measures[number];
    QN_TRY(check_poses(input, measure));
    if (options->align && !qn_measure_aligned(measure))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--align is given, but %s is not for models of different length; expected "
                       "tm-score, gdt-ts or maxsub",
                       measure->name);
    if (options->weights && strcmp(options->weights, "none") != 0 && !measure->takes_weights)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--weights is \"%s\", but %s has no weights; expected none, or rmsd or drmsd", options->weights,
                       measure->name);
    if (options->contact_share == QN_CONTACT_SHARE_OF_REFERENCE && !has_references)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--contact-share is \"reference\", but there are no references; expected union, or quern "
                       "distance with --to or --between");
    return QN_OK;
}

const qn_measure *qn_measure_choose(const qn_measure_options *options, qn_distance_measure measure)
{
    return options->align ? qn_measure_aligned(qn_measures[measure]) : qn_measures[measure];
}

qn_models_kind qn_measure_kind(const qn_measure_options *options, const qn_measure *measure)
{
    return measure->of_poses ? QN_MODELS_POSES : options->align ? QN_MODELS_ALIGNED : QN_MODELS_SAME;
}

qn_measure_settings qn_measure_settings_of(const qn_measure_options *options, const qn_models *models,
                                           bool has_references)
{
    return (qn_measure_settings){.contact_cutoff_angstrom = options->contact_cutoff_angstrom,
                                 .contact_separation = (int)options->contact_separation,
                                 .contact_share = options->contact_share == QN_CONTACT_SHARE_OF_REFERENCE
                                                      ? QN_CONTACT_REFERENCE
                                                      : QN_CONTACT_UNION,
                                 .mappings = models->symmetry.mappings,
                                 .mapping_count = models->symmetry.count,
                                 .align_to_column = has_references,
                                 .drmsd_products = options->drmsd_form == QN_DRMSD_PRODUCTS};
}
