/* Writers of curves: comma-separated values, and the STAR tables of RELION's post-processing. */
#include <math.h>
#include <quern/resolution.h>

#include "base/error.h"
#include "base/file.h"
#include "report/csv.h"
#include "report/number.h"

/* RELION's number for the resolution of shell 0, which has none. */
static const double relion_no_resolution = 999;

static double angstrom_of(const qn_fsc *fsc, int shell)
{
    return shell > 0 ? 1 / fsc->frequency_per_angstrom[shell] : (double)NAN;
}

static qn_status add_rows(const qn_fsc *fsc, qn_text *csv)
{
    static const char *const headers[] = {"shell",      "frequency_per_angstrom", "resolution_angstrom", "fsc_unmasked",
                                          "fsc_masked", "fsc_randomised",         "fsc_corrected"};
    QN_TRY(qn_csv_row(csv, fsc->masked ? 7 : 4, headers));
    for (int s = 0; s < fsc->shells; s++) {
        QN_TRY(qn_csv_integer(csv, s));
        QN_TRY(qn_csv_number(csv, fsc->frequency_per_angstrom[s], 8));
        QN_TRY(qn_csv_number(csv, angstrom_of(fsc, s), 4));
        QN_TRY(qn_csv_number(csv, fsc->unmasked[s], 6));
        if (fsc->masked) {
            QN_TRY(qn_csv_number(csv, fsc->masked[s], 6));
            QN_TRY(qn_csv_number(csv, fsc->randomised[s], 6));
            QN_TRY(qn_csv_number(csv, fsc->corrected[s], 6));
        }
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

qn_status qn_fsc_write_csv(const qn_fsc *fsc, const char *path)
{
    qn_text csv = {0};
    qn_status status = add_rows(fsc, &csv);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_text_clear(&csv);
    return status;
}

static qn_status add_number(qn_text *star, double value)
{
    char digits[QN_NUMBER_LENGTH];
    qn_number_format(value, QN_NUMBER_FIXED, 6, digits);
    return qn_text_append(star, " %12s", digits);
}

static qn_status add_head(const qn_fsc *fsc, qn_text *star)
{
    static const char *const columns[] = {"rlnSpectralIndex",
                                          "rlnResolution",
                                          "rlnAngstromResolution",
                                          "rlnFourierShellCorrelationCorrected",
                                          "rlnFourierShellCorrelationUnmaskedMaps",
                                          "rlnFourierShellCorrelationMaskedMaps",
                                          "rlnCorrectedFourierShellCorrelationPhaseRandomizedMaskedMaps"};
    QN_TRY(qn_text_append(star, "\n# version 30001\n\ndata_general\n\n_rlnFinalResolution "));
    QN_TRY(add_number(star, fsc->resolution_angstrom));
    if (fsc->masked && fsc->randomised_from > 0) {
        QN_TRY(qn_text_append(star, "\n_rlnRandomiseFrom "));
        QN_TRY(add_number(star, angstrom_of(fsc, fsc->randomised_from)));
    }
    QN_TRY(qn_text_append(star, "\n\n\n# version 30001\n\ndata_fsc\n\nloop_\n"));
    for (int i = 0; i < (fsc->masked ? 7 : 5); i++) QN_TRY(qn_text_append(star, "_%s #%d\n", columns[i], i + 1));
    return QN_OK;
}

static qn_status add_star(const qn_fsc *fsc, qn_text *star)
{
    const double *corrected = fsc->corrected ? fsc->corrected : fsc->unmasked;
    QN_TRY(add_head(fsc, star));
    for (int s = 0; s < fsc->shells; s++) {
        QN_TRY(qn_text_append(star, "%12d", s));
        QN_TRY(add_number(star, fsc->frequency_per_angstrom[s]));
        QN_TRY(add_number(star, s > 0 ? angstrom_of(fsc, s) : relion_no_resolution));
        QN_TRY(add_number(star, corrected[s]));
        QN_TRY(add_number(star, fsc->unmasked[s]));
        if (fsc->masked) {
            QN_TRY(add_number(star, fsc->masked[s]));
            QN_TRY(add_number(star, fsc->randomised[s]));
        }
        QN_TRY(qn_text_append(star, "\n"));
    }
    return qn_text_append(star, "\n");
}

qn_status qn_fsc_write_star(const qn_fsc *fsc, const char *path)
{
    qn_text star = {0};
    qn_status status = add_star(fsc, &star);
    if (status == QN_OK) status = qn_file_write(path, star.data, star.length);
    qn_text_clear(&star);
    return status;
}
