/* Write curves and read them back. */
#include "check.h"

#include <math.h>
#include <quern/resolution.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/image/star.h"
#include "format/number.h"

enum { SHELLS = 5 };

static double frequency[SHELLS] = {0, 0.01, 0.02, 0.03, 0.04};
static double unmasked[SHELLS] = {1, 0.9, 0.75, 0.25, -0.125};
static double masked[SHELLS] = {1, 0.95, 0.875, 0.5, 0.0625};
static double randomised[SHELLS] = {1, 0.95, 0.5, 0.25, 0.015625};
static double corrected[SHELLS] = {1, 0.95, 0.875, 0.5, 0.047619};

static qn_fsc curves(int with_mask)
{
    return (qn_fsc){.shells = SHELLS,
                    .frequency_per_angstrom = frequency,
                    .unmasked = unmasked,
                    .masked = with_mask ? masked : NULL,
                    .randomised = with_mask ? randomised : NULL,
                    .corrected = with_mask ? corrected : NULL,
                    .randomised_from = with_mask ? 2 : 0,
                    .resolution_angstrom = 27.25};
}

static const char *path_of(const char *name)
{
    static char *path;
    qn_release(&path);
    CHECK_OK(qn_path_join(check_scratch_folder(), name, &path));
    return path;
}

static void check_csv(const qn_fsc *fsc, const char *expected)
{
    char *text;
    size_t length;
    const char *path = path_of("fsc.csv");
    CHECK_OK(qn_fsc_write_csv(fsc, path));
    if (!CHECK_OK(qn_file_read(path, &text, &length))) return;
    CHECK_TEXT(text, expected);
    qn_release(&text);
}

static void csv_has_a_row_for_every_shell(void)
{
    const qn_fsc plain = curves(0), with_mask = curves(1);
    check_csv(&plain, "shell,frequency_per_angstrom,resolution_angstrom,fsc_unmasked\n"
                      "0,0.00000000,,1.000000\n"
                      "1,0.01000000,100.0000,0.900000\n"
                      "2,0.02000000,50.0000,0.750000\n"
                      "3,0.03000000,33.3333,0.250000\n"
                      "4,0.04000000,25.0000,-0.125000\n");
    check_csv(&with_mask, "shell,frequency_per_angstrom,resolution_angstrom,fsc_unmasked,fsc_masked,fsc_randomised,"
                          "fsc_corrected\n"
                          "0,0.00000000,,1.000000,1.000000,1.000000,1.000000\n"
                          "1,0.01000000,100.0000,0.900000,0.950000,0.950000,0.950000\n"
                          "2,0.02000000,50.0000,0.750000,0.875000,0.500000,0.875000\n"
                          "3,0.03000000,33.3333,0.250000,0.500000,0.250000,0.500000\n"
                          "4,0.04000000,25.0000,-0.125000,0.062500,0.015625,0.047619\n");
}

static double number_at(const qn_star_table *table, const qn_star_value *values, const char *column)
{
    double number;
    const int index = qn_star_column(table, column);
    if (!CHECK(index >= 0) || !CHECK(qn_number_parse(values[index].text, values[index].length, &number)))
        return (double)NAN;
    return number;
}

static void check_star(const qn_fsc *fsc)
{
    static const char *const names[] = {"rlnFourierShellCorrelationUnmaskedMaps", "rlnFourierShellCorrelationCorrected",
                                        "rlnFourierShellCorrelationMaskedMaps",
                                        "rlnCorrectedFourierShellCorrelationPhaseRandomizedMaskedMaps"};
    const double *const wanted[] = {unmasked, fsc->masked ? corrected : unmasked, masked, randomised};
    const char *path = path_of("fsc.star");
    const qn_star_table *table;
    const qn_star_value *values;
    qn_star_reader *reader;
    CHECK_OK(qn_fsc_write_star(fsc, path));
    if (!CHECK_OK(qn_star_open(path, &reader))) return;
    CHECK_OK(qn_star_next_table(reader, &table));
    CHECK_TEXT(table->block, "general");
    CHECK_OK(qn_star_next_row(reader, &values));
    CHECK_NEAR(number_at(table, values, "rlnFinalResolution"), 27.25, 1e-9);
    if (fsc->masked)
        CHECK_NEAR(number_at(table, values, "rlnRandomiseFrom"), 50, 1e-9);
    else
        CHECK(qn_star_column(table, "rlnRandomiseFrom") < 0);
    CHECK_OK(qn_star_next_table(reader, &table));
    CHECK_TEXT(table->block, "fsc");
    CHECK(table->column_count == (fsc->masked ? 7 : 5));
    for (int s = 0; s < SHELLS; s++) {
        if (!CHECK_OK(qn_star_next_row(reader, &values)) || !CHECK(values != NULL)) break;
        CHECK(number_at(table, values, "rlnSpectralIndex") == s);
        CHECK_NEAR(number_at(table, values, "rlnResolution"), frequency[s], 1e-9);
        CHECK_NEAR(number_at(table, values, "rlnAngstromResolution"), s > 0 ? 100.0 / s : 999, 1e-6);
        for (int k = 0; k < (fsc->masked ? 4 : 2); k++)
            CHECK_NEAR(number_at(table, values, names[k]), wanted[k][s], 1e-9);
    }
    CHECK_OK(qn_star_next_row(reader, &values));
    CHECK(values == NULL);
    CHECK_OK(qn_star_next_table(reader, &table));
    CHECK(table == NULL);
    qn_star_close(&reader);
}

static void star_is_read_back(void)
{
    const qn_fsc plain = curves(0), with_mask = curves(1);
    check_star(&plain);
    check_star(&with_mask);
}

static void failures_to_write_are_reported(void)
{
    const qn_fsc plain = curves(0);
    const char *path = path_of("absent/fsc.csv");
    CHECK(qn_fsc_write_csv(&plain, path) != QN_OK);
    CHECK_MESSAGE_HAS("absent/fsc.csv");
    CHECK(qn_fsc_write_star(&plain, path) != QN_OK);
    CHECK_MESSAGE_HAS("absent/fsc.csv");
}

int main(void)
{
    RUN(csv_has_a_row_for_every_shell);
    RUN(star_is_read_back);
    RUN(failures_to_write_are_reported);
    return check_finish();
}
